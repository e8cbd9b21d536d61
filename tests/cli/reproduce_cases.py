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
    for heading in ("Figure 10", "Figure 11", "Figure 15", "What chapter 5 says", "Machine:"):
        assert heading in page, heading
    said = statements(page)
    for word in ("E decides", "less density", "not torn sideways", "theta_s 2e-3", "theta_c 2.9e-2", "xi weakens", "dry snow"):
        assert [row for row in said if word in row[0] and row[2] == "holds"], word
    assert [row for row in said if "nu 0.4" in row[0] and row[2] == "**differs**" and "is torn" in row[1]], said
    # The same command again computes nothing anew.
    assert "done" not in firn.good("reproduce", "mpm15", "--quick", "-o", "out", timeout=600).err


def statements(page):
    """What the thesis says, what firn does, and the verdict, by row."""
    rows = re.findall(r"^\| (.+) \| (.+) \| (holds|\*\*differs\*\*|goes further|\*falls short\*) \|$", page, re.M)
    counted = re.search(r"Of (\d+) statements (\d+) hold", page)
    assert int(counted[1]) == len(rows) and int(counted[2]) == sum(row[2] == "holds" for row in rows), counted[0]
    return rows


def files_of(firn, page):
    for name in re.findall(r"\]\(([\w.-]+)\)", page):
        assert os.path.getsize(firn.path("out", name)) > 500, name


@case
def field11_quick_has_figures_examples_and_speeds(firn):
    """FIELD11: its worked examples are found again by its method, and by the field's own spreading."""
    path = firn.good("reproduce", "field11", "--quick", "-o", "out", "--quiet", timeout=600).out.strip()
    page = open(firn.path(path), encoding="utf-8").read()
    files_of(firn, page)
    rows = statements(page)
    assert len(rows) > 25
    for word in ("straight down: the snow", "pushed: most", "no slope stays", "the slopes are much lower", "A.2.2: even",
                 "A.2.4: distances", "A.3: after", "figure 3.10: with", "the same in firn", "only slowed down", "turns (3.4",
                 "little compression"):
        assert [row for row in rows if word in row[0] and row[2] == "holds"], word
    assert sum("frames/s" in row[0] for row in rows) == 4
    assert "done" not in firn.good("reproduce", "field11", "--quick", "-o", "out", timeout=600).err


@case
def pbd19_quick_finds_what_the_thesis_says(firn):
    """Three solvers, links without colours, decimated links, liquid: verdicts are computed from runs."""
    path = firn.good("reproduce", "pbd19", "--quick", "-o", "out", "--quiet", timeout=1200).out.strip()
    page = open(firn.path(path), encoding="utf-8").read()
    files_of(firn, page)
    rows = statements(page)
    assert len(rows) > 30
    differing = [row[0] for row in rows if row[2] == "**differs**"]
    assert len(differing) <= 5, differing  # liquid of 500 particles (number, eddies), its kernel, Jacobi throws none out
    for word in ("Gauss-Seidel restores", "neither Jacobi", "without them one", "a fifth", "converges much faster"):
        assert [row for row in rows if word in row[0] and row[2] == "holds"], word
    assert "done" not in firn.good("reproduce", "pbd19", "--quick", "-o", "out", timeout=600).err


@case
def phase21_quick_runs_its_five_scenes_both_ways(firn):
    path = firn.good("reproduce", "phase21", "--quick", "-o", "out", "--quiet", timeout=1200).out.strip()
    page = open(firn.path(path), encoding="utf-8").read()
    files_of(firn, page)
    rows = statements(page)
    assert len(rows) > 20
    for word in ("keeps its shape after", "the snow shrinks", "heat goes from", "water freezes onto", "goes both ways"):
        assert [row for row in rows if word in row[0]], word
    for word in ("keeps its shape after", "the snow shrinks", "heat goes from", "water freezes onto"):
        assert [row for row in rows if word in row[0] and row[2] == "holds"], word


@case
def wind12_quick_has_its_flows(firn):
    path = firn.good("reproduce", "wind12", "--quick", "-o", "out", "--quiet", timeout=1200).out.strip()
    page = open(firn.path(path), encoding="utf-8").read()
    files_of(firn, page)
    rows = statements(page)
    assert len(rows) > 15
    for word in ("opposite signs", "inflow", "outflow", "free slip", "at least 20", "damps whirls", "eq. 8.1", "8.12", "8.13"):
        assert [row for row in rows if word in row[0] and row[2] == "holds"], word


@case
def reproduce_says_what_it_knows(firn):
    assert "mpm15" in firn.wrong("reproduce", "mpm51", "-o", "out", says="did you mean 'mpm15'?").err
    firn.wrong("reproduce", "mpm15", says="needs an output folder")
    assert not os.path.exists(firn.path("out"))
