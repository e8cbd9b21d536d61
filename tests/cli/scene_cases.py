"""check, explain, list, new, reference, and the scenes that come with firn."""
import glob
import os

from harness import case
from scenes import SMALL, WRONG


@case
def check_says_what_a_run_costs(firn):
    scene = firn.write("small.yaml", SMALL)
    out = firn.good("check", scene).out
    assert "small.yaml: ok" in out, out
    for word in ("bodies     3", "particles", "cells", "memory", "disk", "20 frames", "time", "steps"):
        assert word in out, word + out
    assert "40 frames" in firn.good("check", scene, "--set", "duration=2 s").out
    assert os.listdir(firn.folder) == ["small.yaml"]


@case
def all_mistakes_at_once_with_place_and_exit_2(firn):
    scene = firn.write("wrong.yaml", WRONG)
    for words in (["check", scene], ["run", scene, "-o", "out"], ["hash", scene, "--steps", "1"]):
        err = firn.wrong(*words).err
        for part in ("wrong.yaml:3:", "wrong.yaml:5:", "wrong.yaml:6:", "did you mean 'radius'?", "errors", "^"):
            assert part in err, part + "\n" + err
    assert os.listdir(firn.folder) == ["wrong.yaml"], "nothing may be written"


@case
def a_wind_that_cannot_be(firn):
    walls = "{west: wall, east: wall, north: wall, south: wall, top: wall}"
    firn.write("gap.csv", "time,speed,direction\n0,4,270\n5,,280\n")
    firn.write("text.csv", "time,speed,direction\n0,4,270\n5,fast,280\n")
    with open(firn.path("cut.binvox"), "wb") as file:
        file.write(b"#binvox 1\ndim 4 4 4\ntranslate 0 0 0\nscale 1\ndata\n\1\10")
    wrong = {
        "sides: " + walls: "no inflow boundary",
        "sides: " + walls.replace("west: wall", "west: air"): "no outflow boundary",
        "inflow: {series: gap.csv}": "gap.csv:3:3: 'speed' is missing",
        "inflow: {series: text.csv}": "text.csv:3:3: speed must be a number, not 'fast'",
        "cell: 1 m}\nbodies: {block: {shape: {box: {size: [100, 100, 100]}}}": "fill the whole domain",
        "cell: 1 m}\nbodies: {thing: {shape: {binvox: {file: cut.binvox}}}": "cut.binvox' ends after 8 of its 64 voxels",
    }
    for text, says in wrong.items():
        scene = firn.write("wind.yaml", "firn: 1\nduration: 1 s\nwind: {grid: [8, 8, 8], " + text + "}\n")
        firn.wrong("run", scene, "-o", "out", says=says)
        assert not os.path.exists(firn.path("out")), "nothing may be written"


@case
def wrong_overrides(firn):
    scene = firn.write("small.yaml", SMALL)
    firn.wrong("check", scene, "--set", "fsp=3", says="fps")
    firn.wrong("check", scene, "--set", "duration=3 kg", says="mass")
    firn.wrong("run", scene, "-o", "out", "--set", "bodies.ball.radios=3")
    assert not os.path.exists(firn.path("out"))


@case
def missing_and_unreadable_scenes(firn):
    firn.wrong("check", "tumbel", says="did you mean 'tumble'?")
    firn.wrong("check", "qqqqqqqqqqqq", says="'firn list' shows them")
    firn.wrong("check", "no/such.yaml", says="no/such.yaml")
    firn.wrong("run", ".", "-o", "out")
    firn.write("empty.yaml", "")
    firn.wrong("check", "empty.yaml", says="empty.yaml")
    with open(firn.path("bytes.yaml"), "wb") as file:
        file.write(bytes(range(256)) * 8)
    firn.wrong("check", "bytes.yaml", says="bytes.yaml")


@case
def explain_knows_keys_shapes_and_snow(firn):
    assert "friction" in firn.good("explain", "bodies.friction").out
    assert "hare" in firn.good("explain", "hare").out
    assert firn.good("explain", "packed").out
    assert firn.good("explain").out
    firn.wrong("explain", "bodies.fricton", says="friction")
    for old, now in (("mpm.step", "mpm.max_step"), ("mpm.snow.fill", "mpm.snow"), ("mpm.emit.from", "mpm.emit.start"),
                     ("bodies.motion.led", "kinematic")):
        firn.wrong("explain", old, says=f"it is now called '{now}'")


@case
def list_names_everything(firn):
    out = firn.good("list").out
    for word in ("packed", "grains", "bodies", "hare", "snowman", "sphere", "tumble", "wind.position", "phase.wetness"):
        assert word in out, word


@case
def list_takes_a_filter(firn):
    wind = firn.good("list", "wind").out
    assert "wind.cover" in wind and "pbd.position" not in wind and "  hare" not in wind and "tumble" not in wind
    scenes = firn.good("list", "scenes").out
    assert "tumble" in scenes and "Fields" not in scenes
    assert firn.good("list", "snow").out.startswith("Snow types")
    firn.wrong("list", "feilds", says="did you mean 'fields'?")


@case
def new_writes_a_scene_that_runs_and_never_overwrites(firn):
    out = firn.good("new", "first").out
    assert "first.yaml" in out and "firn run first.yaml" in out
    firn.good("check", "first.yaml")
    firn.good("run", "first.yaml", "-o", "out", "--frames", 2)
    with open(firn.path("first.yaml"), "a", encoding="utf-8") as file:
        file.write("# mine\n")
    firn.wrong("new", "first", says="already exists")
    firn.wrong("new", "first.yaml", says="already exists")
    assert open(firn.path("first.yaml"), encoding="utf-8").read().endswith("# mine\n")
    firn.wrong("new", ".yaml/", says="is not a valid name of a scene")
    firn.wrong("new", "no/such/folder/x", says="cannot write", code=1)
    firn.good("new", "a \"quoted\": name #1")
    firn.good("check", "./a \"quoted\": name #1.yaml")


@case
def the_reference_in_docs_is_what_the_tables_say(firn):
    with open(os.path.join(firn.root, "docs", "scene-reference.md"), encoding="utf-8") as file:
        assert firn.good("reference").out == file.read(), "firn reference > docs/scene-reference.md"


@case
def every_shipped_scene_is_right(firn):
    scenes = glob.glob(os.path.join(firn.root, "scenes", "*", "*.yaml"))
    scenes = [s for s in scenes if os.path.basename(os.path.dirname(s)) != "base"]
    names = [os.path.basename(s) for s in scenes]
    assert len(scenes) >= 8 and len(set(names)) == len(names), "'firn run NAME' finds one scene by each name"
    listed = firn.good("list").out
    for scene in scenes:
        assert f"  {os.path.basename(scene)[:-5]} " in listed, scene
        if os.path.basename(os.path.dirname(scene)) == "examples":  # the others run in tests of their own
            firn.good("hash", scene, "--steps", 5)
