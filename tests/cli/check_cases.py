"""firn check: refuses what firn run refuses, warns of what is surely not meant, and says what a run costs."""
import glob
import json
import os
import resource
import subprocess

from harness import case
from scenes import SMALL

HEAD = "firn: 1\nduration: 0.1 s\n"
ASSETS = {
    "text.obj": b"this is no mesh\n",
    "empty.ply": b"",
    "empty.stl": b"",
    "zeros.stl": bytes(20000),
    "points.ply": b"ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n0 0 0\n",
    "flat.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    "nan.obj": b"v nan 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n",
    "index.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n",
    "broken.gltf": b"{\"asset\": {\"version\": \"2.0\"}, \"meshes\": [",
    "broken.glb": b"glTF\2\0\0\0\377\377\377\377",
    "thing.fbx": b"Kaydara FBX Binary",
    "cut.binvox": b"#binvox 1\ndim 4 4 4\ntranslate 0 0 0\nscale 1\ndata\n\1\10",
    "huge.binvox": b"#binvox 1\ndim 100000 100000 100000\ntranslate 0 0 0\nscale 1\ndata\n",
    "text.binvox": b"hello\n",
    "cut.png": b"\x89PNG\r\n\x1a\nxx",
    "text.png": b"grey\n",
    "gap.csv": b"time,speed,direction\n0,4,270\n5,,280\n",
    "text.csv": b"time,speed,direction\n0,4,270\n5,fast,280\n",
}


def scene_of(name):
    """A scene that names the file, with its key and where it stands."""
    if name.endswith(".csv"):
        return "wind:\n  grid: [8, 8, 8]\n  inflow: {series: " + name + "}\n", 5, 20
    if name.endswith(".png"):
        return "bodies:\n  hill: {shape: {height_map: {file: " + name + "}}}\n", 4, 37
    if name.endswith(".binvox"):
        return "bodies:\n  thing: {shape: {binvox: {file: " + name + "}}}\n", 4, 34
    return "bodies:\n  thing: {shape: {mesh: {file: " + name + "}}}\n", 4, 32


def little_memory():
    resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))


def same_refusal(firn, scene, says="", **more):
    """check and run give the same exit code and message, and write nothing."""
    checked = firn.wrong("check", scene, says=says, **more)
    ran = firn.wrong("run", scene, "-o", "out", says=says, **more)
    assert checked.err == ran.err, f"check: {checked}\nrun: {ran}"
    assert not os.path.exists(firn.path("out")), "nothing may be written"
    return checked.err


@case
def check_and_run_refuse_the_same_broken_files(firn):
    for name, content in ASSETS.items():
        with open(firn.path(name), "wb") as file:
            file.write(content)
        text, line, column = scene_of(name)
        firn.write("broken.yaml", HEAD + text)
        err = same_refusal(firn, "broken.yaml")
        assert f"broken.yaml:{line}:{column}: " in err and "1 error" in err, f"{name}: {err}"
        if name in ("text.obj", "flat.obj", "cut.binvox"):  # as snow too
            firn.write("snow.yaml", HEAD + text.replace("bodies:", "mpm:\n  cell: 10 cm\n  snow:"))
            assert "1 error" in same_refusal(firn, "snow.yaml"), name


@case
def all_broken_files_of_a_scene_are_told_at_once(firn):
    for name in ("text.obj", "cut.binvox", "cut.png"):
        with open(firn.path(name), "wb") as file:
            file.write(ASSETS[name])
    firn.write("three.yaml", HEAD + "bodies:\n  a: {shape: {mesh: {file: text.obj}}}\n  b: {shape: {binvox: {file: cut.binvox}}}\n"
               "  c: {shape: {height_map: {file: cut.png}}}\n")
    err = same_refusal(firn, "three.yaml", says="3 errors")
    assert "three.yaml:4:" in err and "three.yaml:5:" in err and "three.yaml:6:" in err, err


@case
def what_no_machine_can_hold_is_refused_before_memory_is_taken(firn):
    box = "shape: {box: {size: [100, 100, 100]}}"
    too_much = {
        "grains:\n  fill: {heap: {" + box + ", spacing: 1 cm}}\n": "grains",
        "mpm:\n  cell: 1 cm\n  snow: {block: {" + box + "}}\n": "mpm",
        "phase:\n  mass: 1 mg\n  snow: {block: {" + box + "}}\n": "phase",
        "pbd:\n  solids: {block: {lattice: [10000, 10000, 10000], spacing: 1 cm}}\n": "pbd",
        "pbd:\n  fluid: {spacing: 1 mm, pools: {sea: {" + box + "}}}\n": "pbd",
        "bodies:\n  hare: {shape: {hare: {height: 100 m, resolution: 1 mm}}}\n": "bodies",
        "mpm:\n  cell: 1 mm\n  snow: {hare: {shape: {hare: {height: 100 m}}}}\n": "mpm",
    }
    for text in too_much:
        firn.write("much.yaml", HEAD + text)
        err = same_refusal(firn, "much.yaml", preexec=little_memory)
        assert "much.yaml:" in err and "out of memory" not in err, err


@case
def memory_is_compared_with_the_machine(firn):
    firn.write("cube.yaml", HEAD + "mpm:\n  cell: 2 cm\n  snow: {cube: {shape: {box: {size: [1, 1, 1]}}}}\n")
    small = {"FIRN_MEMORY_LIMIT": "50000000"}
    err = same_refusal(firn, "cube.yaml", says="FIRN_MEMORY_LIMIT allows 50 MB", env=small)
    assert "cube.yaml:3:1: this scene needs about 2" in err, err
    firn.write("fine.yaml", open(firn.path("cube.yaml"), encoding="utf-8").read().replace("2 cm", "1 cm"))
    same_refusal(firn, "fine.yaml", says="(ulimit -v) allows",
                 preexec=lambda: resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)))
    tight = firn.good("check", "cube.yaml", env={"FIRN_MEMORY_LIMIT": "260000000"})
    assert "warning: this scene needs about" in tight.err and "1 warning" in tight.err and ": ok, 1 warning" in tight.out, tight
    ran = firn.good("run", "cube.yaml", "-o", "out", "--frames", 1, "--set", "mpm.cell=10 cm", env={"FIRN_MEMORY_LIMIT": "2000000"})
    assert "available now" in ran.err, ran
    assert firn.good("check", "cube.yaml").err == ""


def on_a_small_disk(firn, script, *words, kib=256):
    """A shell script with firn as $1 and `words` after it, in a disk of its own; None: this machine gives nobody such a disk."""
    disk = firn.path("disk")
    os.makedirs(disk, exist_ok=True)
    mount = f"mount -t tmpfs -o size={kib}k firn-test '{disk}' || exit 77\ncp '{firn.folder}'/*.yaml '{disk}' && cd '{disk}' || exit 78\n"
    done = subprocess.run(["unshare", "--map-root-user", "--mount", "sh", "-c", mount + script, "sh", firn.program, *words],
                          capture_output=True, text=True, timeout=300, stdin=subprocess.DEVNULL)
    return None if done.returncode == 77 or "unshare:" in done.stderr else done


@case
def disk_is_compared_with_the_machine(firn):
    firn.write("cube.yaml", HEAD + "mpm:\n  cell: 5 cm\n  snow: {cube: {shape: {box: {size: [1, 1, 1]}}}}\n")
    checked = on_a_small_disk(firn, '"$1" check cube.yaml')
    if checked is None:
        print("  # left out: no disk of a test's own can be mounted here")
        return
    assert checked.returncode == 0 and checked.stdout.startswith("cube.yaml: ok, 1 warning"), checked
    assert "cube.yaml:1:1: warning: a run will write about" in checked.stderr, checked
    assert "GB are free in the current folder" in checked.stderr and " kB are free here" in checked.stdout, checked
    full = on_a_small_disk(firn, 'head -c 1000000 /dev/zero >rest 2>/dev/null; "$1" check cube.yaml')
    assert "but only 0 GB are free" in full.stderr and ", 0 B are free here" in full.stdout, full
    # A run says it too, of the folder it writes into, and ends as every write that finds no room.
    ran = on_a_small_disk(firn, f'"$1" run cube.yaml -o out; code=$?; cd /; "$1" run {firn.path("cube.yaml")} -o {firn.path("wide")} && exit $code')
    assert ran.returncode not in (0, 2) and ran.stderr.count("this run will write about") == 1, ran
    assert "GB are free in 'out'" in ran.stderr and "disk full while writing" in ran.stderr, ran
    assert on_a_small_disk(firn, '"$1" check cube.yaml', kib=1 << 20).stderr == "", "there is room"


@case
def a_picture_of_a_field_that_is_not_there(firn):
    firn.write("color.yaml", HEAD + "mpm:\n  cell: 10 cm\n  snow: {cube: {shape: {box: {size: [1, 1, 1]}}}}\n"
               "picture:\n  color: mpm.speeed\n  views: {a: {color: mpm.presure}, b: {color: mpm.speed}}\n")
    err = same_refusal(firn, "color.yaml", says="2 errors")
    assert "color.yaml:7:10: " in err and "did you mean 'mpm.speed'" in err, err
    assert "color.yaml:8:" in err and "did you mean 'mpm.pressure'" in err, err


@case
def several_scenes_and_json(firn):
    firn.write("good.yaml", SMALL)
    firn.write("bad.yaml", SMALL.replace("duration", "duratoin"))
    both = firn("check", "good.yaml", "bad.yaml", "good.yaml")
    assert both.code == 2 and both.out.count("good.yaml: ok") == 2 and "bad.yaml:" in both.err, both
    lines = [json.loads(line) for line in firn("check", "--json", "good.yaml", "bad.yaml").out.splitlines()]
    meeting = lines.pop(0)
    assert meeting["event"] == "meeting" and "bodies and grains" in meeting["message"], meeting
    assert [line["event"] for line in lines] == ["ok", "error", "failed"], lines
    assert lines[0]["frames"] == 20 and lines[0]["particles"] > 0, lines
    assert lines[1]["line"] > 0 and lines[1]["column"] > 0 and "duration" in lines[1]["hint"], lines
    assert lines[2]["exit"] == 2 and "1 error" in lines[2]["message"], lines
    assert "40" in firn.good("check", "--json", "good.yaml", "--set", "duration=2 s").out


# One of each kind; FIRN_ALL_SCENES=1 takes all that come with firn (two minutes of CPU time).
SHIPPED = ["demo/tumble", "demo/snowman-melts", "examples/mesh", "examples/valley", "examples/dominoes", "field/snow-plough",
           "field/heap", "mpm/snowball-wall", "mpm/rolling-snowball", "mpm/two-snowballs", "pbd/mixed", "pbd/rope-and-flag",
           "phase/snowball-in-glass", "phase/hot-plate", "wind/lamp-post"]


@case
def shipped_scenes_are_checked_without_a_warning(firn):
    scenes = [os.path.join(firn.root, "scenes", name + ".yaml") for name in SHIPPED]
    if os.environ.get("FIRN_ALL_SCENES"):
        scenes = sorted(glob.glob(os.path.join(firn.root, "scenes", "*", "*.yaml")))
        scenes = [scene for scene in scenes if "/base/" not in scene]
    lines = [json.loads(line) for line in firn.good("check", "--json", *scenes, timeout=1800).out.splitlines()]
    doubts = [line for line in lines if line["event"] in ("warning", "error", "failed")]
    assert not doubts and sum(line["event"] == "ok" for line in lines) == len(scenes), doubts


def warns(firn, text, *parts):
    """One warning that holds all parts, exit 0."""
    result = firn.good("check", firn.write("doubt.yaml", HEAD + text))
    found = [line for line in result.err.splitlines() if "warning: " in line]
    assert len(found) == 1 and all(part in result.err for part in parts), result
    assert "1 warning" in result.err and ": ok, 1 warning" in result.out, result


def is_quiet(firn, text):
    result = firn.good("check", firn.write("fine.yaml", HEAD + text))
    assert result.err == "", result


SNOW = "mpm:\n  cell: 10 cm\n  snow:\n"
BALL = "    ball: {shape: {sphere: {radius: 40 cm}}, at: [0, HEIGHT, 0]}\n"
GROUND = "bodies: {ground: {shape: plane}}\n"


@case
def snow_in_the_wrong_place_is_warned_of(firn):
    is_quiet(firn, GROUND + SNOW + BALL.replace("HEIGHT", "0.4"))
    warns(firn, GROUND + SNOW + BALL.replace("HEIGHT", "-3"), "doubt.yaml:7:5:", "100 % of mpm.snow.ball lies below the ground 'ground'")
    warns(firn, GROUND + SNOW + BALL.replace("HEIGHT", "0"), "% of mpm.snow.ball lies below the ground")
    warns(firn, "bodies: {block: {shape: {box: {size: [2, 2, 2]}}}}\n" + SNOW + BALL.replace("HEIGHT", "0"),
          "is inside the body 'block'")
    warns(firn, "bodies: {block: {shape: {box: {size: [2, 2, 2]}}}}\n"
          "grains: {fill: {heap: {shape: {box: {size: [2, 3, 2]}}, spacing: 10 cm}}}\n", "% of grains.fill.heap is inside the body 'block' and is left out")


@case
def fills_that_overlap_or_are_too_thin_are_warned_of(firn):
    two = SNOW + BALL.replace("HEIGHT", "1") + BALL.replace("ball:", "other:").replace("HEIGHT", "1.5")
    warns(firn, two, "doubt.yaml:7:5:", "mpm.snow.other overlaps mpm.snow.ball")
    is_quiet(firn, two.replace("1.5", "1.9"))
    warns(firn, SNOW + BALL.replace("HEIGHT", "1").replace("40 cm", "10 cm"), "doubt.yaml:6:5:", "2 cells thick", "use a cell of")
    layer = SNOW + "    layer: {shape: {box: {size: [2, 15 cm, 2]}}, at: [0, HEIGHT, 0]}\n"
    is_quiet(firn, GROUND + layer.replace("HEIGHT", "8 cm"))
    warns(firn, GROUND + layer.replace("HEIGHT", "2"), "1.5 cells thick")
    pin = SNOW + ("    pin: {shape: {union: {parts: {ball: {shape: {sphere: {radius: 30 cm}}},"
                  " rod: {shape: {capsule: {radius: 3 cm, length: 3 m}}}}}}, at: [0, 4, 0]}\n")
    warns(firn, pin, "% of mpm.snow.pin is thinner than a cell")
    is_quiet(firn, pin.replace("3 cm", "12 cm"))


@case
def an_angle_without_a_unit_beyond_a_turn_is_warned_of(firn):
    ramp = "bodies:\n  ramp: {shape: box, rotate: [30, 0, 0]}\n"
    warns(firn, ramp, "doubt.yaml:4:31:", "did you mean 30 deg?")
    for right in ("30 deg", "0.5", "6.28", "-3", "2 turn"):
        is_quiet(firn, ramp.replace("30", right, 1))
    wheel = "bodies:\n  wheel:\n    shape: box\n    motion: [{time: 0}, {time: 1 s, rotate: [0, 0, ANGLE]}]\n"
    is_quiet(firn, wheel.replace("ANGLE", "-12.566"))


@case
def models_that_share_space_and_do_not_meet_are_warned_of(firn):
    field = "field: {width: 4 m, length: 4 m, cell: 10 cm, depth: 40 cm}\n"
    is_quiet(firn, GROUND + SNOW + BALL.replace("HEIGHT", "2") + field)
    field += "coupling: {mpm_field: {on: no}, wind_grains: {on: no}}\n"
    warns(firn, GROUND + SNOW + BALL.replace("HEIGHT", "2") + field, "mpm and field overlap but do not interact", "who meets whom")
    is_quiet(firn, GROUND + SNOW + BALL.replace("[0, HEIGHT, 0]", "[9, 2, 0]") + field)
    warns(firn, "coupling: {wind_grains: {on: no}}\nwind: {grid: [8, 8, 8], cell: 1 m}\ngrains: {fill: {heap: {shape: box, at: [0, 2, 0], spacing: 10 cm}}}\n",
          "grains and wind overlap")
    is_quiet(firn, "wind: {grid: [8, 8, 8], cell: 1 m}\nflakes: {shown: 100}\n" + GROUND + field)
    cover = "wind: {grid: [8, 8, 8], cell: 1 m}\nflakes: {shown: 100}\ncover: {}\n"
    is_quiet(firn, GROUND + cover + "field: {width: 4 m, length: 4 m, cell: 10 cm, depth: 40 cm}\n")
    warns(firn, GROUND + cover + SNOW + BALL.replace("HEIGHT", "2"), "mpm and cover overlap but do not interact")


def folder_bytes(folder):
    return sum(os.path.getsize(os.path.join(where, name)) for where, _, names in os.walk(folder) for name in names)


@case
def estimates_are_true(firn):
    """Steps, memory and disk within 10 % of what a run then needs, particles within 1 % (flakes come and go). Runs are cut short;
    tools/check_estimates compares all scenes, those with large meshes too, and their time."""
    first_hour = {"a-snowball": 1, "c-plough": 4, "d-storm": 1, "e-cloth": 4, "f-ice": 3, "g-winter": 1}
    scenes = {os.path.join(firn.root, "tests", "first-hour", name + ".yaml"): frames for name, frames in first_hour.items()}
    # The last two take more than twice the time that check gives the world itself: coarser worlds tell the rest.
    scenes |= {os.path.join(firn.root, "scenes", name + ".yaml"): frames
               for name, frames in (("demo/snow-tracks", 6), ("examples/valley", 60), ("pbd/fluid-drop", 60))}
    for scene, frames in scenes.items():
        for packed in ("false", "true") if "tracks" in scene else ("false",):
            short = ("--frames", str(frames), "--set", "compress=" + packed)
            told = [json.loads(line) for line in firn.good("check", "--json", scene, *short).out.splitlines()][-1]
            events = [json.loads(line) for line in firn.good("run", scene, "-o", "out", "--force", "--json", *short).out.splitlines()]
            info = json.loads(firn.good("info", "out", "--json").out)
            true = {"frames": frames, "steps": max(event.get("steps", 0) for event in events),
                    "memory": max(event.get("memory", 0) for event in events),
                    "particles": sum(model["last"]["items"] for name, model in info["models"].items() if name not in ("bodies", "field")),
                    "disk": folder_bytes(firn.path("out", "frames")) + folder_bytes(firn.path("out", "checkpoints"))}
            for key, room, least in (("frames", 0, 0), ("steps", 0.1, 0), ("particles", 0.01, 0), ("memory", 0.1, 200e3), ("disk", 0.1, 0)):
                assert abs(told[key] - true[key]) <= room * true[key] + least, f"{scene}: {key} {told[key]} told, {true[key]} true"


@case
def check_ranks_says_what_each_needs_or_what_keeps_the_scene_on_one(firn):
    """Over ranks themselves: tests/net/run. A build without MPI says so where it is one of several."""
    snow = "mpm:\n  cell: 6 cm\n  snow: {block: {shape: {box: {size: [1, 1, 1]}}, at: [0, 1, 0]}}\n"
    scene = firn.write("snow.yaml", HEAD + snow)
    told = {n: json.loads(firn.good("check", "--json", scene, "--ranks", n).out.splitlines()[-1]) for n in (1, 2, 8)}
    assert told[1]["bytes"] == told[1]["messages"] == 0 and told[2]["messages"] == 1 and told[8]["messages"] == 7, told
    assert told[8]["memory"] < told[2]["memory"] < told[2]["memory_first"], told
    warm = firn.write("warm.yaml", HEAD + snow.replace("mpm:\n", "mpm:\n  heat: {}\n"))
    refused = firn("check", warm, "--ranks", 2)
    assert refused.code == 2 and "mpm.heat keeps this scene on one rank" in refused.err, refused
    nothing = firn.write("nothing.yaml", HEAD + "bodies: {ball: {shape: sphere, at: [0, 2, 0]}}\n")
    refused = firn("check", nothing, "--ranks", 2)
    assert refused.code == 2 and "nothing to divide among ranks" in refused.err, refused
    refused = firn("check", scene, "--ranks", 0)
    assert refused.code == 2 and "--ranks takes a whole number" in refused.err, refused
