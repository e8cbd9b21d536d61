"""The same bits: any number of threads, killed at any moment."""
import os
import random
import shutil
import signal
import subprocess
import time

from harness import case
from run_cases import final_hash, frames, leftovers
from scenes import SMALL

SEED = 20240229
KILLS = 6  # by the command; tests/cache/test_demo.c kills the demo fifty times


@case
def the_demo_has_one_hash_for_any_number_of_threads(firn):
    hashes = {firn.good("hash", "tumble", "--steps", 60, "--threads", t).out for t in (1, 3)}
    assert len(hashes) == 1 and len(hashes.pop()) == 17, hashes
    hashes = {firn.good("hash", "snow-hare", "--steps", 12, "--threads", t).out for t in (1, 3, 8)}
    assert len(hashes) == 1, hashes


@case
def overrides_and_steps_change_the_hash(firn):
    plain = firn.good("hash", "falling-balls", "--steps", 20).out
    assert firn.good("hash", "falling-balls", "--steps", 21).out != plain
    assert firn.good("hash", "falling-balls", "--steps", 20, "--set", "gravity=[0,-9,0]").out != plain
    assert firn.good("hash", "falling-balls", "--steps", 0).out != plain


# The demo with fewer grains and coarser distance fields, so that a restart costs little.
REDUCED = """from: {root}/scenes/demo/tumble.yaml
duration: 2 s
checkpoint: 2
bodies:
  snowman: {{shape: {{snowman: {{resolution: 30 cm}}}}}}
  hare: {{shape: {{hare: {{resolution: 30 cm}}}}}}
  leveret: {{shape: {{hare: {{resolution: 30 cm}}}}}}
  twin: {{shape: {{hare: {{resolution: 30 cm}}}}}}
  knot: {{shape: {{mesh: {{resolution: 30 cm}}}}}}
grains:
  fill:
    cloud: {{spacing: 30 cm}}
    pour: {{spacing: 15 cm}}
"""


def same_files(firn, one, other):
    assert frames(firn, one) == frames(firn, other)
    for name in frames(firn, one):
        with open(firn.path(one, "frames", name), "rb") as a, open(firn.path(other, "frames", name), "rb") as b:
            assert a.read() == b.read(), name


def kill_at(firn, words, folder, new_frames, delay):
    """Kills a run `delay` seconds after it has written so many new frames. False if it had ended before."""
    goal = len(frames(firn, folder)) + new_frames
    process = firn.start(*words)
    while process.poll() is None and len(frames(firn, folder)) < goal:
        time.sleep(0.002)
    try:
        process.communicate(timeout=delay)
        assert process.returncode == 0, process.returncode
        return False
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        return True


@case
def the_demo_killed_again_and_again_ends_with_the_same_state(firn):
    """SIGKILL at random moments, then the same command again, until all kills are through."""
    words = ["run", firn.write("reduced.yaml", REDUCED.format(root=firn.root)), "-o"]
    started = time.monotonic()
    firn.good(*words, "whole")
    whole = time.monotonic() - started
    dice = random.Random(SEED)
    kills = rounds = 0
    while kills < KILLS:
        folder = f"cut{rounds}"
        rounds += 1
        ended = False
        while kills < KILLS and not ended:
            # One in five while the world is built, the others some frames on, at any moment of a frame.
            early = dice.random() < 0.2
            new = 0 if early else dice.randint(1, 20)
            ended = not kill_at(firn, words + [folder], folder, new, dice.uniform(0, 0.02 * whole))
            kills += not ended
        firn.good(*words, folder)
        same_files(firn, folder, "whole")
        assert final_hash(firn, folder) == final_hash(firn, "whole"), f"seed {SEED}, round {rounds}"
        assert leftovers(firn, folder) == [], leftovers(firn, folder)
        shutil.rmtree(firn.path(folder))
    print(f"  # {kills} kills in {rounds} rounds")


@case
def every_model_at_once_killed_resumed_drawn_and_exported(firn):
    scene = os.path.join(firn.root, "tests", "scenes", "all-models.yaml")
    words = ["run", scene, "--frames", 6, "--set", "checkpoint=2", "-o"]
    firn.good(*words, "whole")
    dice = random.Random(SEED)
    for new in (0, 2, 3):
        kill_at(firn, words + ["cut"], "cut", new, dice.uniform(0, 0.05))
    firn.good(*words, "cut")
    same_files(firn, "cut", "whole")
    assert final_hash(firn, "cut") == final_hash(firn, "whole")
    firn.good("run", scene, "--frames", 3, "-o", "stopped")
    firn.good("run", scene, "--frames", 6, "-o", "stopped")
    assert final_hash(firn, "stopped") == final_hash(firn, "whole")
    for what in ([], ["--what", "surface"]):
        firn.good("export", "whole", "--format", "ply", *what, "-o", "points")
    for name in ("bodies", "grains", "mpm", "wind", "pbd", "phase", "mpm_surface", "phase_snow_surface", "phase_water_surface"):
        assert os.path.getsize(firn.path("points", f"{name}_000006.ply")) > 500, name
    firn.good("render", "whole", "-o", "last.png")
    assert os.path.getsize(firn.path("last.png")) > 20000  # an empty sky and ground take a third of it


@case
def a_picture_of_final_quality_killed_goes_on(firn):
    """Its first part is saved after 15 s; without one, or with half of one, it begins anew. The same bytes in the end."""
    firn.good("run", firn.write("small.yaml", SMALL), "-o", "run", "--frames", 1)
    words = ["render", "run", "--quality", "final", "--size", "64x36", "--set", "picture.noise=0.2", "-o"]
    if firn(*words, "whole.png").code != 0:
        return  # this build has no Embree
    for delay in (0.05, 0.3):
        process = firn.start(*words, "cut.png")
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.communicate()
    with open(firn.path("cut.png.part"), "wb") as part:
        part.write(b"half of one")
    firn.good(*words, "cut.png")
    with open(firn.path("whole.png"), "rb") as a, open(firn.path("cut.png"), "rb") as b:
        assert a.read() == b.read()
    assert not os.path.exists(firn.path("cut.png.part"))


WINTER = os.path.join("tests", "scenes", "winter")     # every scene of scenes/winter at test size


def kill_winter_scene(firn, name, kills, dice):
    """Runs a scene once as a whole, and once killed at random moments; the same files must come out."""
    words = ["run", os.path.join(firn.root, WINTER, f"{name}.yaml"), "--set", "checkpoint=2", "-o"]
    whole, cut = f"{name}-whole", f"{name}-cut"
    started = time.monotonic()
    firn.good(*words, whole)
    seconds = time.monotonic() - started
    count = len(frames(firn, whole))
    done = rounds = 0
    while done < kills:
        ended = False
        while done < kills and not ended:
            new = 0 if dice.random() < 0.25 else dice.randint(1, max(1, count // 3))
            ended = not kill_at(firn, words + [cut], cut, new, dice.uniform(0, 1.5 * seconds / count))
            done += not ended
        firn.good(*words, cut)
        same_files(firn, cut, whole)
        assert final_hash(firn, cut) == final_hash(firn, whole), f"{name}: seed {SEED}, after {done} kills"
        assert leftovers(firn, cut) == [], leftovers(firn, cut)
        shutil.rmtree(firn.path(cut))
        rounds += 1
    return f"{name}: {done} kills in {rounds} rounds of {count} frames, {seconds:.1f} s uninterrupted"


@case
def winter_scenes_killed_at_random_moments_end_with_the_same_frames(firn):
    """A kill of every scene; with FIRN_KILLS=8 in the environment eight of each."""
    kills = int(os.environ.get("FIRN_KILLS", "1"))
    names = sorted(os.listdir(os.path.join(firn.root, "scenes", "winter")))
    assert names == sorted(os.listdir(os.path.join(firn.root, WINTER)))
    dice = random.Random(SEED + kills)
    for name in names:
        print(f"  # {kill_winter_scene(firn, name[:-len('.yaml')], kills, dice)}", flush=True)


@case
def damaged_checkpoints_are_noticed_and_not_used(firn):
    words = ["run", firn.write("small.yaml", SMALL + "checkpoint: 2\n")]
    firn.good(*words, "-o", "whole", "--frames", 12)
    firn.good(*words, "-o", "cut", "--frames", 8)
    folder = firn.path("cut/checkpoints")
    kept = sorted(name for name in os.listdir(folder) if name.endswith(".h5"))
    assert kept
    with open(os.path.join(folder, kept[-1]), "r+b") as file:
        size = os.path.getsize(file.name)
        file.seek(size // 2)
        byte = file.read(1)
        file.seek(size // 2)
        file.write(bytes([byte[0] ^ 0x5A]))
    result = firn(*words, "-o", "cut", "--frames", 12)
    assert result.code == 0, str(result)
    assert final_hash(firn, "cut") == final_hash(firn, "whole")


def flip(path, at):
    """One bit of a file, `at` its middle for 0.5."""
    with open(path, "r+b") as file:
        file.seek(int(os.path.getsize(path) * at))
        byte = file.read(1)
        file.seek(-1, os.SEEK_CUR)
        file.write(bytes([byte[0] ^ 1]))


def all_files(firn, folder):
    """The content of every file of a run but times.csv, which holds wall time."""
    content = {}
    for base, _, names in os.walk(firn.path(folder)):
        for name in names:
            with open(os.path.join(base, name), "rb") as file:
                content[os.path.relpath(os.path.join(base, name), firn.path(folder))] = file.read()
    content.pop("times.csv")
    return content


@case
def killed_while_it_mends_a_run_still_ends_with_the_same_bytes(firn):
    words = ["run", firn.write("small.yaml", SMALL + "checkpoint: 2\n"), "--frames", 40, "-o"]
    firn.good(*words, "whole")
    started = time.monotonic()
    firn.good(*words, "mended")
    whole = time.monotonic() - started
    dice = random.Random(SEED)
    for name in ("frames/000003.h5", "frames/000017.h5", "frames/000038.h5", "run.json", "scene.yaml"):
        flip(firn.path("mended", name), 0.9)
    os.remove(firn.path("mended/frames/000030.h5"))
    checkpoints = sorted(os.listdir(firn.path("mended/checkpoints")))
    flip(firn.path("mended/checkpoints", checkpoints[1]), 0.5)
    flip(firn.path("mended/checkpoints", checkpoints[-1]), 0.5)
    for _ in range(KILLS):
        process = firn.start(*words, "mended")
        try:
            process.communicate(timeout=dice.uniform(0.2, 1) * whole)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.communicate()
    firn.good(*words, "mended")
    one, other = all_files(firn, "mended"), all_files(firn, "whole")
    assert sorted(one) == sorted(other), set(one) ^ set(other)
    assert one == other, [name for name in one if one[name] != other[name]]
