"""The same bits: any number of threads, killed at any moment."""
import os
import random
import shutil
import signal
import subprocess
import time

from harness import case
from run_cases import final_hash, frames, leftovers

SEED = 20240229
KILLS = 50


@case
def the_demo_has_one_hash_for_any_number_of_threads(firn):
    hashes = {firn.good("hash", "tumble", "--steps", 150, "--threads", t).out for t in (1, 2, 3, 8)}
    assert len(hashes) == 1 and len(hashes.pop()) == 17, hashes


@case
def overrides_and_steps_change_the_hash(firn):
    plain = firn.good("hash", "tumble", "--steps", 20).out
    assert firn.good("hash", "tumble", "--steps", 21).out != plain
    assert firn.good("hash", "tumble", "--steps", 20, "--set", "gravity=[0,-9,0]").out != plain
    assert firn.good("hash", "tumble", "--steps", 0).out != plain


@case
def the_demo_killed_50_times_ends_with_the_same_state(firn):
    """The demo scene for a second and a half; SIGKILL at random moments, then the same command again."""
    words = ["run", "tumble", "--frames", "45", "--set", "checkpoint=2"]
    started = time.monotonic()
    whole = firn.good(*words, "-o", "whole")
    seconds = time.monotonic() - started
    dice = random.Random(SEED)
    kills = rounds = 0
    # A round starts from nothing and is killed until it is through; late kills land in the writing of files as well.
    while kills < KILLS and rounds < 200:
        folder = f"cut{rounds}"
        rounds += 1
        while kills < KILLS:
            process = firn.start(*words, "-o", folder)
            try:
                process.communicate(timeout=dice.uniform(0.02, max(0.3, 0.35 * seconds)))
                assert process.returncode == 0, process.returncode
                break
            except subprocess.TimeoutExpired:
                process.send_signal(signal.SIGKILL)
                process.communicate()
                kills += 1
        firn.good(*words, "-o", folder)
        assert frames(firn, folder) == frames(firn, "whole")
        assert final_hash(firn, folder) == final_hash(firn, "whole"), f"seed {SEED}, round {rounds}"
        for name in frames(firn, folder):
            with open(firn.path(folder, "frames", name), "rb") as a, open(firn.path("whole/frames", name), "rb") as b:
                assert a.read() == b.read(), name
        assert leftovers(firn, folder) == [], leftovers(firn, folder)
        shutil.rmtree(firn.path(folder))
    assert kills == KILLS and whole.code == 0


@case
def damaged_checkpoints_are_noticed_and_not_used(firn):
    words = ["run", "tumble", "--set", "checkpoint=2"]
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
