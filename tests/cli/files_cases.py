"""Files that are damaged, swapped, left over, or not files at all."""
import glob
import json
import os
import shutil
import signal
import time

from harness import case
from kill_cases import all_files, flip
from scenes import SMALL


def make_runs(firn, *folders, frames=8):
    scene = firn.write("small.yaml", SMALL + "checkpoint: 2\n")
    firn.good("run", scene, "-o", folders[0], "--frames", frames)
    for other in folders[1:]:
        shutil.copytree(firn.path(folders[0]), firn.path(other))
    return ["run", scene, "--frames", frames, "-o"]


@case
def verify_names_what_is_damaged_and_run_mends_it(firn):
    words = make_runs(firn, "whole", "run")
    assert "0 damaged, 0 missing" in firn.good("verify", "run").out
    flip(firn.path("run/frames/000003.h5"), 0.9)
    os.remove(firn.path("run/frames/000005.h5"))
    result = firn("verify", "run")
    assert result.code == 1, str(result)
    assert "run/frames/000003.h5' is damaged" in result.out and "run/frames/000005.h5' is missing" in result.out, str(result)
    assert "firn run run/scene.yaml -o run --frames 8" in result.err, str(result)
    lines = [json.loads(line) for line in firn("verify", "run", "--json").out.splitlines()]
    bad = {line["file"]: line["state"] for line in lines if line["event"] == "file" and line["state"] != "whole"}
    assert bad == {"frames/000003.h5": "damaged", "frames/000005.h5": "missing"}, bad
    summary = [line for line in lines if line["event"] == "done"]
    assert [(s["damaged"], s["missing"], s["frames"], s["frames_asked"]) for s in summary] == [(1, 1, 7, 9)], summary
    firn.good("run", "run/scene.yaml", "-o", "run", "--frames", 8)
    firn.good("verify", "run")
    assert all_files(firn, "run") == all_files(firn, "whole")
    flip(firn.path("run/scene.yaml"), 0.5)
    assert firn("verify", "run").code == 1
    firn.good(*words, "run")
    assert all_files(firn, "run") == all_files(firn, "whole")
    assert firn("verify", "run", "--quiet").out == ""


@case
def a_deleted_checkpoint_is_no_damage_and_costs_only_time(firn):
    words = make_runs(firn, "whole", "some", "none")
    for path in sorted(glob.glob(firn.path("some/checkpoints/*")))[-1:] + glob.glob(firn.path("none/checkpoints/*")):
        os.remove(path)
    for folder in ("some", "none"):
        assert "0 damaged, 0 missing" in firn.good("verify", folder).out
        os.remove(firn.path(folder, "frames/000007.h5"))
        firn.good(*words, folder)
        with open(firn.path(folder, "frames/000007.h5"), "rb") as mended, open(firn.path("whole/frames/000007.h5"), "rb") as whole:
            assert mended.read() == whole.read(), folder


@case
def verify_of_what_is_no_run(firn):
    os.makedirs(firn.path("empty"))
    firn.write("file", "x")
    for name in ("missing", "empty", "file"):
        firn.wrong("verify", name, says=name)


@case
def a_frame_under_another_name_is_not_exported(firn):
    make_runs(firn, "run", frames=4)
    shutil.copy(firn.path("run/frames/000003.h5"), firn.path("run/frames/000002.h5"))
    result = firn("export", "run", "--format", "ply", "-o", "out")
    assert result.code == 2 and "it holds frame 3" in result.err, str(result)
    assert firn("verify", "run").code == 1


@case
def instruction_sets_leave_a_trace(firn):
    scene = firn.write("small.yaml", SMALL)
    for wrong in ("nonsense", "AVX2", "avx"):
        firn.wrong("run", scene, "-o", "run", env={"FIRN_ISA": wrong}, says="base")
    assert not os.path.exists(firn.path("run"))
    firn.good("run", scene, "-o", "run", "--frames", 2, env={"FIRN_ISA": ""})
    best = json.loads(firn.good("info", "run", "--json").out)["isa"]
    if best == "base":
        return
    result = firn.good("run", scene, "-o", "run", "--frames", 4, env={"FIRN_ISA": "base"})
    assert "instruction set" in result.err
    info = json.loads(firn.good("info", "run", "--json").out)
    assert info["isa"] == f"{best}, base", info["isa"]
    assert info["instruction_sets"] == [{"isa": best, "first_frame": 0, "last_frame": 2},
                                        {"isa": "base", "first_frame": 3, "last_frame": 4}], info["instruction_sets"]
    assert "frames 3 .. 4 with base" in firn.good("info", "run").out
    firn.good("run", scene, "-o", "run", "--frames", 5)
    assert json.load(open(firn.path("run/run.json"), encoding="utf-8"))["isa"] == f"{best}, base"


@case
def fifos_and_devices_are_refused_at_once(firn):
    make_runs(firn, "run", frames=2)
    os.mkfifo(firn.path("fifo"))
    places = ("fifo", "/dev/zero", "/dev/tty", "run")
    for number, place in enumerate(places):
        firn.wrong("check", firn.write(f"from{number}.yaml", f"firn: 1\nfrom: {place}\n"), timeout=20)
        firn.wrong("check", firn.write(f"mesh{number}.yaml", f"firn: 1\nbodies:\n  a: {{shape: {{mesh: {{file: {place}}}}}}}\n"),
                   says="not a file", timeout=20)
        firn.wrong("run", place, "-o", "out", timeout=20)
    for name in ("scene.yaml", "run.json", "frames/000001.h5"):
        kept = firn.path("kept")
        os.rename(firn.path("run", name), kept)
        os.mkfifo(firn.path("run", name))
        for words in (("render", "run", "-o", "x.png", "--frame", "1"), ("verify", "run"),
                      ("export", "run", "--format", "ply", "-o", "out")):
            result = firn(*words, timeout=20)
            assert result.code in (1, 2), f"{name}: {result}"
        os.remove(firn.path("run", name))
        os.rename(kept, firn.path("run", name))
    firn.good("verify", "run")


@case
def leftovers_of_killed_commands_are_swept_up(firn):
    """An export that is killed while it writes, and the next one."""
    make_runs(firn, "run", frames=30)
    words = ("export", "run", "--format", "obj", "-o", "out")
    os.makedirs(firn.path("out"))
    for _ in range(40):
        process = firn.start(*words)
        while process.poll() is None and not glob.glob(firn.path("out/*.tmp")):
            time.sleep(0.0005)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        if glob.glob(firn.path("out/*.tmp")):
            break
    # What is not surely a leftover stays.
    kept = ("notes.tmp", "m.mp4.123.tmp", "m.mp4.firn-123.tmp")
    for name in kept:
        firn.write("out/" + name, "x")
    firn.write("out/gone.firn-00112233445566ff.tmp", "x")
    firn.good(*words)
    left = sorted(os.path.basename(path) for path in glob.glob(firn.path("out/*.tmp")))
    assert left == sorted(kept), left
