"""reproduce: one page with what a thesis says and what firn computes."""
import os
import re

from harness import case


@case
def mpm15_quick_writes_one_page_with_pictures(firn):
    """MPM15 figures 12 to 14 in coarse hares: what its text says of them holds."""
    path = firn.good("reproduce", "mpm15", "--quick", "-o", "out", "--quiet", timeout=1200).out.strip()
    page = open(firn.path(path), encoding="utf-8").read()
    rows = {}
    for name, picture, height, volume, plastic in re.findall(
            r"\| !\[([\w-]+)\]\(([\w.-]+)\).*?height ([\d.]+) m.*?; (\d+) % of the cells.*?J_P ([\d.]+);", page):
        rows[name] = (float(height), float(volume), float(plastic))
        assert os.path.getsize(firn.path("out", picture)) > 1000, picture
    assert len(rows) == 12, sorted(rows)
    height, plastic = ({name: row[i] for name, row in rows.items()} for i in (0, 2))
    assert height["hare-reference"] < height["hare-young-2"] < height["hare-young-5"], height
    assert plastic["hare-hardening-5"] < plastic["hare-reference"] < plastic["hare-hardening-20"], plastic
    assert plastic["hare-reference"] < plastic["hare-compression"], plastic  # it returns farther
    assert height["hare-density"] > height["hare-reference"], height  # like more stiffness
    assert height["hare-stretch"] < height["hare-dry"] < height["hare-reference"], height
    for heading in ("Figure 10", "Figure 11", "Figure 15", "Other statements", "Machine:"):
        assert heading in page, heading
    # The same command again computes nothing anew.
    assert "done" not in firn.good("reproduce", "mpm15", "--quick", "-o", "out", timeout=600).err


@case
def reproduce_says_what_it_knows(firn):
    assert "mpm15" in firn.wrong("reproduce", "mpm51", "-o", "out", says="did you mean 'mpm15'?").err
    firn.wrong("reproduce", "mpm15", says="needs an output folder")
    assert not os.path.exists(firn.path("out"))
