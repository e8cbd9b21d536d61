"""bench: its JSON and CSV. Figures are not judged here: timing never decides a test."""
import json

from harness import case

KEYS = {"workload", "rate", "rate_unit", "steps_per_second", "threads", "limit", "limit_share", "bytes_per_item", "passes"}


@case
def bench_json_has_exactly_the_agreed_keys(firn):
    rows = [json.loads(line) for line in firn.good("bench", "triad", "scan", "query-sphere", "render", "estimate", "grains", "--json").out.splitlines()]
    assert {row["workload"] for row in rows} == {"triad", "scan", "query-sphere", "render", "estimate", "grains"}
    for row in rows:
        assert set(row) == (KEYS | {"error", "note"} if row["workload"] == "estimate" else KEYS), row
        assert row.get("error", 1) >= 1, row
        assert row["rate"] > 0 and row["threads"] >= 1 and 0 < row["limit_share"] and row["steps_per_second"] > 0, row
        assert row["limit"] in ("triad", "fma") and isinstance(row["passes"], dict), row
    assert abs(sum(rows[-1]["passes"].values()) - 1) < 0.01 or not rows[-1]["passes"]


@case
def bench_csv_is_appended_with_one_heading(firn):
    for _ in range(2):
        firn.good("bench", "fma", "--threads", "1", "--csv", "rows.csv")
    lines = open(firn.path("rows.csv"), encoding="utf-8").read().splitlines()
    assert len(lines) == 3 and lines[0].startswith("time,version,workload"), lines
    assert all(len(line.split(",")) == 10 for line in lines)
    firn.wrong("bench", "fma", "--csv", "/proc/nowhere/rows.csv", says="rows.csv", code=1)


@case
def bench_knows_its_workloads(firn):
    firn.wrong("bench", "qery-box", says="did you mean 'query-box'?")
    assert "query-mesh" in firn.wrong("bench", "zzzzzzzzzzzz").err
