"""run: files, JSON, going on, refusing, limits."""
import glob
import hashlib
import json
import os
import pty
import resource
import signal
import subprocess
import time

from harness import case
from scenes import LARGE, SMALL


def frames(firn, folder):
    return sorted(os.path.basename(f) for f in glob.glob(firn.path(folder, "frames", "*.h5")))


def final_hash(firn, folder):
    """State hash of the last frame, through the command."""
    return json.loads(firn.good("info", folder, "--json").out)["state_hash"]


def leftovers(firn, folder):
    """Files that are not under a final name."""
    return [name for _, _, names in os.walk(firn.path(folder)) for name in names
            if not name.endswith((".h5", ".yaml", ".json", ".obj", ".solid")) and name != "times.csv"]


def digests(firn, folder):
    return {path: hashlib.sha256(open(path, "rb").read()).hexdigest()
            for path in glob.glob(firn.path(folder, "**", "*.h5"), recursive=True)}


@case
def run_writes_frames_scene_and_description(firn):
    scene = firn.write("small.yaml", SMALL)
    result = firn.good("run", scene, "-o", "out/a")
    assert result.out == "" and "firn render out/a" in result.err, str(result)
    assert "frame 20/20" in result.err and "\r" not in result.err, "plain lines when not a terminal"
    assert len(frames(firn, "out/a")) in (20, 21), frames(firn, "out/a")
    assert os.path.exists(firn.path("out/a/scene.yaml"))
    assert json.load(open(firn.path("out/a/run.json"), encoding="utf-8"))
    assert leftovers(firn, "out/a") == []


@case
def the_written_scene_runs_again_to_the_same_state(firn):
    scene = firn.write("small.yaml", SMALL)
    firn.good("run", scene, "-o", "a", "--set", "bodies.ball.density=300")
    firn.good("run", "a/scene.yaml", "-o", "b")
    firn.good("run", scene, "-o", "c")
    assert final_hash(firn, "a") == final_hash(firn, "b") != final_hash(firn, "c")


@case
def json_is_one_object_per_line(firn):
    scene = firn.write("small.yaml", SMALL)
    lines = [json.loads(line) for line in firn.good("run", scene, "-o", "o", "--json").out.splitlines()]
    assert lines[-1] == {"event": "done", "folder": "o"}, lines[-1]
    seen = [line["frame"] for line in lines if line["event"] == "frame"]
    assert seen == sorted(seen) and seen[-1] == 20, seen
    assert set(lines[-2]) == {"event", "frame", "frames", "time", "steps", "steps_per_second", "eta", "resumed", "memory", "models"}
    assert abs(lines[-2]["time"] - 1.0) < 1e-9


@case
def the_same_command_again_has_nothing_to_do(firn):
    scene = firn.write("small.yaml", SMALL)
    firn.good("run", scene, "-o", "o")
    before = digests(firn, "o")
    firn.good("run", scene, "-o", "o")
    assert digests(firn, "o") == before


@case
def more_frames_later_are_the_same_as_at_once(firn):
    scene = firn.write("small.yaml", SMALL)
    for count in (3, 7, 15):
        firn.good("run", scene, "-o", "a", "--frames", count)
    firn.good("run", scene, "-o", "b", "--frames", 15)
    assert final_hash(firn, "a") == final_hash(firn, "b")


@case
def another_scene_in_the_folder_is_refused_without_force(firn):
    scene = firn.write("small.yaml", SMALL)
    firn.good("run", scene, "-o", "o", "--frames", 4)
    before = digests(firn, "o")
    firn.wrong("run", scene, "-o", "o", "--frames", 4, "--set", "gravity=[0,-3,0]", says="--force")
    assert digests(firn, "o") == before
    firn.good("run", scene, "-o", "o", "--frames", 4, "--set", "gravity=[0,-3,0]", "--force")
    assert digests(firn, "o") != before


@case
def a_foreign_folder_is_not_touched(firn):
    scene = firn.write("small.yaml", SMALL)
    os.makedirs(firn.path("mine/frames"))
    firn.write("mine/frames/000001.h5", "precious")
    firn.write("mine/notes.txt", "mine")
    firn("run", scene, "-o", "mine", "--frames", 2)
    assert open(firn.path("mine/notes.txt"), encoding="utf-8").read() == "mine"


@case
def output_that_cannot_be_written(firn):
    scene = firn.write("small.yaml", SMALL)
    firn.write("file", "x")
    for folder in ("file/out", "/proc/firn-out", "/dev/null/x"):
        result = firn("run", scene, "-o", folder)
        assert result.code in (1, 2) and folder in result.err, str(result)
    assert open(firn.path("file"), encoding="utf-8").read() == "x"


def interrupt(firn, number):
    scene = firn.write("small.yaml", SMALL)
    long = ["--set", "duration=160 s", "--frames", "1600"]
    firn.good("run", scene, "-o", "whole", *long)
    process = firn.start("run", scene, "-o", "cut", *long)
    deadline = time.monotonic() + 60
    while len(frames(firn, "cut")) < 5 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.002)
    process.send_signal(number)
    err = process.communicate(timeout=60)[1].decode()
    if process.returncode == 0:
        raise AssertionError("the run ended before the signal: make the scene longer")
    assert process.returncode == 130 and "same command continues" in err, f"{process.returncode} {err}"
    assert leftovers(firn, "cut") == []
    result = firn.good("run", scene, "-o", "cut", *long)
    assert "resumed" in result.err, str(result)
    assert final_hash(firn, "cut") == final_hash(firn, "whole")
    for name in frames(firn, "whole"):
        assert open(firn.path("cut/frames", name), "rb").read() == open(firn.path("whole/frames", name), "rb").read(), name


@case
def sigint_saves_and_the_run_goes_on_to_the_same_bits(firn):
    interrupt(firn, signal.SIGINT)


@case
def sigterm_saves_and_the_run_goes_on_to_the_same_bits(firn):
    interrupt(firn, signal.SIGTERM)


def two_megabytes():
    resource.setrlimit(resource.RLIMIT_FSIZE, (2 << 20, 2 << 20))


@case
def a_limit_on_file_sizes_ends_with_a_message_and_keeps_earlier_files(firn):
    scene = firn.write("large.yaml", LARGE)
    firn.good("run", scene, "-o", "o", "--frames", 3)
    sizes = [os.path.getsize(firn.path("o/frames", name)) for name in frames(firn, "o")]
    assert max(sizes) > 2 << 20, sizes
    before = digests(firn, "o")
    result = firn("run", scene, "-o", "o", "--frames", 6, preexec=two_megabytes)
    assert result.code == 1 and "o/" in result.err, str(result)
    after = digests(firn, "o")
    assert all(after.get(path) == digest for path, digest in before.items())
    assert set(after) == set(before) and leftovers(firn, "o") == [], sorted(after)
    firn.good("run", scene, "-o", "o", "--frames", 6)
    firn.good("run", scene, "-o", "p", "--frames", 6)
    assert final_hash(firn, "o") == final_hash(firn, "p")
    result = firn("run", scene, "-o", "q", "--frames", 6, preexec=two_megabytes)
    assert result.code == 1 and result.err.strip(), str(result)
    assert frames(firn, "q") == [] and leftovers(firn, "q") == []


@case
def a_full_standard_output_stops_the_run_and_saves(firn):
    scene = firn.write("small.yaml", SMALL)
    with open("/dev/full", "w", encoding="utf-8") as full:
        result = firn("run", scene, "-o", "o", "--json", stdout=full)
    assert result.code == 1 and "standard output" in result.err, str(result)
    firn.good("run", scene, "-o", "o")
    firn.good("run", scene, "-o", "p")
    assert final_hash(firn, "o") == final_hash(firn, "p")


@case
def a_reader_that_goes_away_stops_the_run_and_saves(firn):
    scene = firn.write("small.yaml", SMALL)
    words = [firn.program, "run", scene, "-o", "o", "--json", "--set", "duration=10 s"]
    process = subprocess.Popen(words, cwd=firn.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert json.loads(process.stdout.readline())["event"] == "frame"
    process.stdout.close()
    err = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(timeout=60) == 130 and err == "", f"{process.returncode} {err}"
    assert leftovers(firn, "o") == []


@case
def a_terminal_gets_a_bar(firn):
    scene = firn.write("small.yaml", SMALL)
    ours, theirs = pty.openpty()
    process = subprocess.Popen([firn.program, "run", scene, "-o", "o"], cwd=firn.folder, stderr=theirs, stdout=subprocess.DEVNULL)
    os.close(theirs)
    seen = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        seen += part
    os.close(ours)
    assert process.wait(timeout=60) == 0
    assert b"\rrun [" in seen and b"frame 20/20" in seen and b"steps/s" in seen and b"left" in seen, seen
