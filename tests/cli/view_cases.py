"""The viewer, driven by scripts under Xvfb. Without Xvfb, or in a build without the viewer, these cases are reported as skipped."""
import contextlib
import ctypes
import glob
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib

from harness import Skipped, case

BODIES = """firn: 1
name: Crates
duration: 4 s
camera: {from: [3, 2, 4], to: [0, 0.5, 0]}
cameras: {above: {from: [0, 8, 0.1], to: [0, 0, 0]}}
bodies:
  ground: {shape: plane}
  crate: {shape: {box: {size: [1, 1, 1]}}, at: [0, 0.5, 0], motion: dynamic, color: "#d02010"}
"""
SNOW = """firn: 1
name: Heap
duration: 4 s
camera: {from: [3, 2, 4], to: [0, 0.4, 0]}
bodies: {ground: {shape: plane}}
mpm:
  cell: 12 cm
  snow: {block: {shape: {box: {size: [0.8, 0.6, 0.8]}}, at: [0, 0.3, 0]}}
"""
FIELD = """firn: 1
name: Field
duration: 4 s
camera: {from: [2, 2, 3], to: [0, 0, 0]}
bodies:
  ground: {shape: plane}
  ball: {shape: {sphere: {radius: 20 cm}}, at: [0, 1, 0], motion: dynamic}
field: {width: 4 m, length: 4 m, cell: 4 cm, depth: 20 cm}
"""
BREEZE = """firn: 1
name: Breeze
duration: 4 s
camera: {from: [0, 5, 12], to: [0, 1, 0]}
bodies:
  ground: {shape: plane}
  post: {shape: {box: {size: [1, 2, 1]}}, at: [0, 1, 0]}
wind: {grid: [24, 12, 24], cell: 50 cm, inflow: {side: west, speed: 5 m/s}}
"""


def need_viewer(firn):
    if not shutil.which("Xvfb"):
        raise Skipped("Xvfb is not installed")
    if "GLFW" not in firn.good("version").out:
        raise Skipped("this build has no viewer")


@contextlib.contextmanager
def display(*words):
    """The environment of an X server of its own. (xvfb-run sometimes fails while it cleans up.)"""
    read, write = os.pipe()
    server = subprocess.Popen(["Xvfb", "-displayfd", str(write), "-screen", "0", "1300x800x24", "-nolisten", "tcp", "-ac", *words],
                              pass_fds=[write], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as number:
            yield {"DISPLAY": ":" + number.readline().strip()}
    finally:
        server.terminate()
        server.wait()


def view(firn, script, *words, scene=None, code=0, env=None, size="480x320", preexec=None):
    """Plays a script; the result of the command."""
    firn.write("script", "\n".join(line.strip() for line in script.strip().splitlines()) + "\n")
    if scene:
        words = (firn.write("scene.yaml", scene), *words)
    given = {"XDG_CONFIG_HOME": firn.path("config"), **(env or {})}
    os.makedirs(firn.path("config"), exist_ok=True)
    with display() as screen:
        result = firn("view", *words, "--script", "script", "--size", size, timeout=280, env={**given, **screen}, preexec=preexec)
    assert result.code == code, f"wanted exit {code}: {result}"
    return result


def read_png(path):
    """(width, height, rows of (r, g, b))"""
    data = open(path, "rb").read()
    width, height = struct.unpack(">II", data[16:24])
    packed, at = b"", 8
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        packed += data[at + 8:at + 8 + length] if kind == b"IDAT" else b""
        at += 12 + length
    raw, rows, stride = zlib.decompress(packed), [], 3 * width
    before = bytearray(stride)
    for y in range(height):
        kind, row = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a, b, c = row[i - 3] if i >= 3 else 0, before[i], before[i - 3] if i >= 3 else 0
            nearest = min((abs(a + b - c - a), 0, a), (abs(a + b - c - b), 1, b), (abs(a + b - c - c), 2, c))[2]
            row[i] = (row[i] + (0, a, b, (a + b) // 2, nearest)[kind]) & 255
        rows.append([tuple(row[i:i + 3]) for i in range(0, stride, 3)])
        before = row
    return width, height, rows


def red_pixels(path):
    return sum(1 for row in read_png(path)[2] for r, g, b in row if r > 90 and r > 2 * g and r > 2 * b)


def hashes(text):
    return re.findall(r"step (\d+) hash ([0-9a-f]{16})", text)


@case
def view_shows_a_scene_and_steps_it_to_the_bits_of_a_run(firn):
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        screenshot first.png
        step 40
        hash
        quit""", scene=BODIES)
    width, height, _ = read_png(firn.path("first.png"))
    assert (width, height) == (480, 320)
    assert red_pixels(firn.path("first.png")) > 500, "the crate is not in the window"
    (step, value), = hashes(result.out)
    assert step == "40" and value in firn.good("hash", "scene.yaml", "--steps", 40).out, result


@case
def view_panels_cover_the_picture_and_keys_hide_them(firn):
    need_viewer(firn)
    view(firn, """wait-pictures 1
        wait-still
        screenshot panels.png
        press tab
        wait 0.3
        press ?
        wait 0.3
        screenshot help.png
        press ?
        wait 0.3
        screenshot bare.png""", scene=BODIES)
    panels, keys, bare = (read_png(firn.path(name + ".png"))[2] for name in ("panels", "help", "bare"))
    assert panels[60][20] != bare[60][20] and max(panels[60][20]) < 90, "no panel at the left"
    assert max(keys[200][240]) < 110 <= max(bare[200][240]), (keys[200][240], bare[200][240])


@case
def view_time_scrubs_and_branches_to_the_same_bits(firn):
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        speed 0
        play
        wait-step 60
        pause
        show 3
        wait-still
        state
        branch
        step 30
        hash
        touches t
        quit""", scene=BODIES, )
    shown = int(re.search(r"shown (\d+)", result.out).group(1))
    (step, value), = hashes(result.out)
    assert 0 < shown < 60 and int(step) == shown + 30, result
    assert value in firn.good("hash", "scene.yaml", "--steps", step).out, result
    assert value in firn.good("view", "--replay", "t").out


@case
def view_changes_parameters_live_and_with_a_restart_and_saves_what_differs(firn):
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        step 5
        set gravity [0, -1.62 m/s2, 0]
        step 5
        hash
        touches live
        set bodies.crate.density 200 kg/m3
        restart
        step 10
        hash
        state
        save-scene saved.yaml
        reset gravity
        wait 0.5
        state""", scene=BODIES)
    assert "changed gravity = [0, -1.62 m/s2, 0]" in result.out and "changed bodies.crate.density = 200 kg/m3" in result.out
    live, restarted = hashes(result.out)
    assert live[1] in firn.good("view", "--replay", "live").out
    saved = open(firn.path("saved.yaml"), encoding="utf-8").read()
    assert "from: scene.yaml" in saved and "density: 200 kg/m3" in saved and "shape" not in saved, saved
    assert restarted[1] in firn.good("hash", "saved.yaml", "--steps", 10).out, (saved, result)
    assert "changed gravity" not in result.out.rsplit("step", 1)[1], result


@case
def view_controls_set_parameters(firn):
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        click search##parameters
        type max_speed
        wait 0.5
        click ##max_speed
        wait 0.3
        type 500 m/s
        wait 0.3
        press enter
        wait 1
        click search##parameters
        wait 0.3
        press end
        type zzz
        wait 0.5
        screenshot found.png
        state""", scene=BODIES)
    assert "changed max_speed = 500 m/s (1000 m/s)" in result.out, result


@case
def view_records_touches_that_replay_to_the_same_bits(firn):
    need_viewer(firn)
    view(firn, """wait-pictures 1
        step 20
        touch ball one 0 1 1.5 0 0 -3 0.15 packed
        step 40
        touch dig 0 0.3 0 0.25
        step 20
        set mpm.flip_share 0.5
        step 5""", "--record", "touches", scene=SNOW)
    text = open(firn.path("touches"), encoding="utf-8").read()
    assert "at 20 ball one" in text and "at 60 dig" in text and re.search(r"at \d+ hash [0-9a-f]{16}\n$", text), text
    assert "1 compared" in firn.good("view", "--replay", "touches").out
    firn.write("touches", re.sub(r"-3 0.15", "-2 0.15", text))
    firn.wrong("view", "--replay", "touches", says="recorded was", code=1)


@case
def view_hands_drag_throw_and_heap(firn):
    need_viewer(firn)
    view(firn, """wait-pictures 1
        press tab
        wait-still
        picture before.png
        tool drag
        play
        drag 240 170 260 60
        pause
        wait-still
        picture dragged.png
        tool throw
        click-at 240 200
        step 20""", "--record", "touches", scene=BODIES)
    text = open(firn.path("touches"), encoding="utf-8").read()
    assert "push crate" in text and "ball thrown-1" in text, text[-500:]
    heights = [float(line.split()[8]) for line in text.splitlines() if " push crate " in line]
    assert max(heights) > heights[0] + 0.1, "the crate was not pulled up"
    assert red_pixels(firn.path("dragged.png")) > 300
    firn.good("view", "--replay", "touches")


@case
def view_heaps_snow_on_a_field(firn):
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        step 3
        tool heap
        click-at 240 220
        tool look
        click-at 300 240
        step 30
        state""", "--record", "touches", scene=FIELD)
    text = open(firn.path("touches"), encoding="utf-8").read()
    assert re.search(r"at 3 heap \S+ \S+ 0.29\S* 0.94\S*\n", text), f"{text}\n{result}"
    assert "picked snow field\ndepth 0.2" in result.out, result
    firn.good("view", "--replay", "touches")


@case
def view_plays_a_run_and_makes_a_movie(firn):
    need_viewer(firn)
    firn.write("scene.yaml", BODIES)
    firn.good("run", "scene.yaml", "-o", "out", "--frames", 6)
    result = view(firn, """wait-pictures 1
        show 5
        wait 0.5
        wait-still
        state
        movie seen.gif
        camera above
        wait-still
        picture above.png""", "out")
    assert "kept 7" in result.out, result
    assert open(firn.path("seen.gif"), "rb").read(4) == b"GIF8"
    assert read_png(firn.path("above.png"))[0] == 480


@case
def view_camera_turns_moves_and_zooms(firn):
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        state
        drag 240 160 300 160
        wait-still
        state
        drag 240 160 240 120 right
        wait-still
        state
        scroll 2
        wait-still
        state
        press home
        wait-still
        state""", scene=BODIES)
    places = [tuple(map(float, m)) for m in re.findall(r"camera (\S+) (\S+) (\S+)", result.out)]
    assert len(set(places[:4])) == 4 and places[4] == places[0], places
    reach = [((x * x) + (y - 0.5) ** 2 + z * z) ** 0.5 for x, y, z in places]
    assert abs(reach[1] - reach[0]) < 1e-3, "turning keeps the distance"


@case
def view_reloads_a_scene_that_changes_and_keeps_the_world_when_it_is_wrong(firn):
    need_viewer(firn)
    scene = firn.write("scene.yaml", BODIES)
    firn.write("script", "wait-pictures 1\nstep 5\nscreenshot ready.png\nwait 4\nstep 5\nstate\nquit\n")
    os.makedirs(firn.path("config"))
    with display() as screen:
        job = subprocess.Popen([firn.program, "view", scene, "--script", "script", "--size", "480x320"], cwd=firn.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**os.environ, "XDG_CONFIG_HOME": firn.path("config"), **screen})
        while not os.path.exists(firn.path("ready.png")) and job.poll() is None:
            time.sleep(0.05)
        firn.write("scene.yaml", BODIES.replace("plane", "plan"))
        out, _ = job.communicate(timeout=200)
    text = out.decode()
    assert job.returncode == 0 and "step 10 " in text and re.search(r"scene.yaml:\d+:\d+", text), text


@case
def view_without_a_display_or_a_scene_says_so(firn):
    need_viewer(firn)
    firn.write("scene.yaml", BODIES)
    bare = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "XDG_RUNTIME_DIR": firn.folder}
    firn.wrong("view", "scene.yaml", says="display", code=1, env=bare)
    firn.wrong("view", "no-such-scene", says="no scene", code=2, env=bare)
    firn.wrong("view", "--script", "missing", "scene.yaml", says="cannot read script", env=bare)
    firn.write("script", "wait 1\njump\n")
    firn.wrong("view", "--script", "script", "scene.yaml", says="script:2: unknown command 'jump'", env=bare)
    firn.wrong("view", "--replay", "missing", says="cannot read")
    firn.wrong("view", "scene.yaml", "--record", "scene.yaml", says="is not a recording", env=bare)
    assert open(firn.path("scene.yaml"), encoding="utf-8").read() == BODIES
    firn.write("bad", "firn touches 1\nscene scene.yaml\nat 3 jump\n")
    firn.wrong("view", "--replay", "bad", says="bad:3: invalid touch")
    result = view(firn, "wait 60", scene=BODIES.replace("plane", "plan"), code=2)
    assert re.search(r"scene.yaml:\d+:\d+", result.err), result


@case
def view_measures_itself(firn):
    need_viewer(firn)
    result = view(firn, "wait-pictures 1\nplay\nwait 1\nquit", "--measure", "--json", scene=BODIES)
    assert '"event": "measured"' in result.out and '"over_50_ms"' in result.out, result
    assert '"moving_pictures"' in result.out, result


@case
def view_pictures_are_coarser_while_they_move_if_full_ones_take_too_long(firn):
    """Four times four samples of 1280x720 are more than a processor draws in 60 ms. A machine that does draws in full."""
    need_viewer(firn)
    heavy = BODIES + "picture: {samples: 4}\n"
    result = view(firn, """wait-pictures 1
        wait-still
        state
        play
        wait-pictures 8
        state
        pause
        wait-still
        state""", "--measure", "--json", scene=heavy, size="1280x720")
    before, moving, still = (int(width) for width in re.findall(r"size (\d+)x\d+", result.out))
    assert before == still == 1280, result
    measured = json.loads(next(line for line in result.out.splitlines() if '"measured"' in line))
    assert moving < 1280 or measured["moving_pictures"] > 12 * measured["moving_seconds"], result


@case
def view_says_when_the_recording_cannot_be_written(firn):
    need_viewer(firn)
    result = view(firn, "wait-pictures 1\nstep 2\nquit", "--record", "/dev/full", scene=BODIES, code=1)
    assert "/dev/full" in result.err, result


@case
def view_keeps_its_window_when_the_watchdog_stops_the_world(firn):
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        speed 0
        play
        wait-step 20
        pause
        set max_speed 10 cm/s
        play
        wait 1
        wait-still
        state
        picture stopped.png
        show 1
        wait-still
        branch
        step 3
        state""", scene=BODIES.replace("at: [0, 0.5, 0]", "at: [0, 1.2, 0]"))
    assert re.search(r"message bodies: velocity of item 1 .* step", result.out), result
    assert "culprit marked" in result.out and re.search(r"^time \S+ s, .* stopped$", result.out, re.M), result
    rows = read_png(firn.path("stopped.png"))[2]
    assert sum(1 for row in rows for r, g, b in row if r > 240 and g < 60 and b < 60) > 50, "no ring around the crate"
    first, second = (int(step) for step in re.findall(r"^step (\d+) shown", result.out, re.M))
    assert second < first, result


@case
def view_alone_offers_scenes_and_remembers_the_last(firn):
    need_viewer(firn)
    result = view(firn, """click search##scenes
        type domin
        click dominoes
        wait-pictures 1
        step 2
        hash""")
    (_, value), = hashes(result.out)
    assert value in firn.good("hash", "dominoes", "--steps", 2).out, result
    with open(firn.path("config", "firn", "view.conf"), encoding="utf-8") as file:
        assert "examples/dominoes.yaml" in file.read()


@case
def view_list_of_scenes_has_pictures_that_are_kept(firn):
    """The ground of dominoes is snow; without its picture the place has the colour of the window. The second time it is read."""
    need_viewer(firn)
    cache, kept = firn.path("cache"), os.path.join(firn.path("cache"), "firn")
    os.makedirs(cache)
    script = """click search##scenes
        type dominoes
        wait-list 1
        wait 0.3
        screenshot list%d.png"""
    for number in (1, 2):
        view(firn, script % number, env={"XDG_CACHE_HOME": cache})
        rows = read_png(firn.path(f"list{number}.png"))[2]
        bright = sum(1 for row in rows for r, g, b in row if min(r, g, b) > 130)
        assert bright > 500, f"{number}: {bright} bright pixels"
    files = [name for name in os.listdir(kept) if name.endswith(".ppm")]
    assert files and not [name for name in os.listdir(kept) if name.endswith(".part")], os.listdir(kept)
    assert open(os.path.join(kept, files[0]), "rb").read(9) == b"P6 128 72"


@case
def view_survives_random_keys_and_replays_what_they_did(firn):
    need_viewer(firn)
    view(firn, "wait-pictures 1\nplay\nmonkey 8 3\nquit", "--record", "touches", scene=FIELD)
    assert "compared" in firn.good("view", "--replay", "touches").out


@case
def view_ends_with_130_when_it_is_interrupted(firn):
    need_viewer(firn)
    scene = firn.write("scene.yaml", BODIES)
    firn.write("script", "wait-pictures 1\nscreenshot ready.png\nplay\nwait 100\n")
    with display() as screen:
        job = firn.start("view", scene, "--script", "script", "--size", "480x320", "--record", "touches",
                         env={"XDG_CONFIG_HOME": firn.path("config"), **screen})
        while not os.path.exists(firn.path("ready.png")) and job.poll() is None:
            time.sleep(0.05)
        time.sleep(0.5)
        job.send_signal(signal.SIGINT)
        job.communicate(timeout=100)
    assert job.returncode == 130, job.returncode
    assert "compared" in firn.good("view", "--replay", "touches").out


@case
def view_cases_are_skipped_and_not_passed_without_xvfb(firn):
    run = subprocess.run([sys.executable, os.path.join(firn.root, "tests", "cli", "run"), firn.program, "view_measures_itself"],
                         env={**os.environ, "PATH": firn.folder}, stdout=subprocess.PIPE, check=False)
    text = run.stdout.decode()
    assert "skipped - view_measures_itself: Xvfb is not installed" in text and "0 passed, 0 failed, 1 skipped" in text, text


@case
def view_changes_the_wind_by_a_compass_rose(firn):
    """The camera looks north, so north is up in the rose; its inner circle is half of the 20 m/s of the rim."""
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        step 3
        state
        click wind from N
        wait 0.5
        step 4
        state
        screenshot north.png
        click wind from E
        wait 0.5
        state
        click wind##rose
        wait 0.5
        state
        wind 225 3
        step 4
        state
        hash
        touches t""", scene=BREEZE)
    seen = [(float(a), float(b)) for a, b in re.findall(r"^wind from ([\d.]+) deg, ([\d.]+) m/s", result.out, re.M)]
    assert len(seen) == 5 and seen[0] == (270, 5) and seen[4] == (225, 3), result
    one_pixel = 20 / 56
    assert min(seen[1][0], 360 - seen[1][0]) < 3 and abs(seen[1][1] - 10) < 1.5 * one_pixel, seen
    assert abs(seen[2][0] - 90) < 3 and abs(seen[2][1] - 10) < 1.5 * one_pixel, seen
    assert seen[3][1] < 1.5 * one_pixel, seen
    orange = sum(1 for row in read_png(firn.path("north.png"))[2] for r, g, b in row if r > 200 and 120 < g < 200 and b < 80)
    assert orange > 30, "no arrow in the rose"
    (step, value), = hashes(result.out)
    text = open(firn.path("t"), encoding="utf-8").read()
    assert "at 3 wind " in text and "at 7 wind 225 3" in text, text
    assert value in firn.good("view", "--replay", "t").out
    assert value not in firn.good("hash", "scene.yaml", "--steps", step).out
    view(firn, "wait-pictures 1\nwind 90 4\nwait 0.5\nstate", scene=BODIES).out.index("this scene has no wind")


def held_positions(text):
    return [[float(n) for n in found] for found in re.findall(r"^position (\S+) (\S+) (\S+) m", text, re.M)]


@case
def view_keys_steer_bodies_and_replay_to_the_same_bits(firn):
    """The camera looks towards -x and -z: ahead is there. A boot is moved, a crate is pushed."""
    need_viewer(firn)
    boot = "  boot: {shape: {box: {size: [0.3, 0.3, 0.3]}}, at: [1.2, 0.5, -1.5], motion: kinematic}\n"
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        tool steer
        click-at 240 170
        wait 0.3
        state
        play
        hold-key 2 w
        pause
        wait-still
        state
        steer boot
        play
        hold-key 1 d
        pause
        step 5
        hash
        steer ground
        play
        hold-key 0.5 w
        pause
        state
        touches t""", scene=BODIES + boot)
    before, after = held_positions(result.out)[:2]
    assert after[0] < before[0] - 0.3 and after[2] < before[2] - 0.3, "the crate was not driven ahead"
    text = open(firn.path("t"), encoding="utf-8").read()
    way = [[float(n) for n in found] for found in re.findall(r" target boot (\S+) (\S+) (\S+) ", text)]
    assert " push crate " in text and len(way) > 5 and way[-1][0] > way[0][0] + 0.1 > 1.2, text[-600:]
    assert way[-1][2] < way[0][2] - 0.05 and abs(way[-1][1] - 0.5) < 1e-3, "to the right is +x, -z, at the same height"
    assert " ground " not in text and "message" in result.out.rsplit("step", 1)[1], "what is fixed cannot be steered"
    (_, value), = hashes(result.out)
    assert "1 compared" in firn.good("view", "--replay", "t").out, value


@case
def view_keys_fly_the_camera(firn):
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        state
        hold-key 1 w
        wait-still
        state
        hold-key 1 e
        wait-still
        state
        press c
        wait-still
        press c
        wait-still
        state
        hash""", scene=BODIES)
    start, ahead, above, looked = ([float(n) for n in found] for found in re.findall(r"camera (\S+) (\S+) (\S+)", result.out))
    assert ahead[0] < start[0] - 0.3 and ahead[1] < start[1] and ahead[2] < start[2] - 0.3, (start, ahead)
    assert above[1] > ahead[1] + 0.3, (ahead, above)
    assert looked[1] == 8 or looked == start, "the key c looks through the cameras of the scene"


@case
def view_is_told_to_be_missing_in_a_build_without_it(firn):
    """Its file without GLFW and Dear ImGui, as such a build compiles it: a message that names what is missing, exit code 1."""
    firn.write("main.c", """#include "apps/command.h"
#include <stdarg.h>
#include <stdio.h>
int say_failed(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    return EXIT_FAILED;
}
int main(void) { return command_view(&(arguments){0}); }
""")
    root = firn.root
    subprocess.run(["cc", "-std=gnu17", "-I", root, "-I", os.path.join(root, "include"), firn.path("main.c"),
                    os.path.join(root, "apps", "view.c"), "-o", firn.path("bare")], check=True)
    done = subprocess.run([firn.path("bare")], stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1 and b"GLFW" in done.stderr and b"libimgui-dev" in done.stderr and b"firn render" in done.stderr, done


@case
def view_torch_heats_and_cools_and_replays_to_the_same_bits(firn):
    """Snow of -5 C: a touch of 20 kJ/kg brings it to 0 C and begins to melt it; the held torch melts more. Water of 100 C,
    the warmest it can make, holds 754 kJ/kg more than ice of 0 C; 800 taken away freeze it whatever it was."""
    need_viewer(firn)
    cold = SNOW.replace("at: [0, 0.3, 0]}", "at: [0, 0.3, 0], temperature: -5 C}").replace("  snow:", "  heat: {}\n  snow:")
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        step 2
        wait-still
        click-at 240 160
        wait 0.3
        state
        tool torch
        hold 240 160 1.5
        step 2
        tool look
        click-at 240 160
        wait 0.5
        state
        touch heat 0 0.3 0 2 -800000
        step 2
        wait-still
        click-at 240 160
        wait 0.5
        state
        hash
        touches t""", scene=cold)
    seen = [float(n) for n in re.findall(r"^temperature (\S+) C", result.out, re.M)]
    wet = [float(n) for n in re.findall(r"^wetness (\S+)", result.out, re.M)]
    assert len(seen) == 3 and abs(seen[0] + 5) < 0.1 and seen[1] > -0.1 and seen[2] < -10, result
    assert wet[0] == 0 and wet[1] > 0.1 and wet[2] == 0, result
    text = open(firn.path("t"), encoding="utf-8").read()
    assert text.count(" heat ") > 3, text
    assert "1 compared" in firn.good("view", "--replay", "t").out
    told = view(firn, "wait-pictures 1\ntouch heat 0 0 0 1 1000\nwait 0.5\nstate", scene=BODIES)
    assert "nothing in this world can be heated" in told.out, told


@case
def view_renders_what_is_seen_in_another_process(firn):
    """The window goes on meanwhile: steps and pictures come. The draft is the picture of the window to the pixel."""
    need_viewer(firn)
    os.makedirs(firn.path("temporary"))
    result = view(firn, """wait-pictures 1
        step 30
        drag 240 160 300 160
        wait-still
        picture seen.png
        render drawn.png draft
        step 5
        wait-render
        state
        show 0
        wait-still
        render final.png final
        render-cancel
        wait-render
        state
        render nowhere/x.png draft
        wait-render
        state""", scene=BODIES, env={"TMPDIR": firn.path("temporary")})
    assert read_png(firn.path("seen.png")) == read_png(firn.path("drawn.png"))
    told = re.findall(r"^message (.*)", result.out, re.M)
    assert told == ["Saved drawn.png", "Rendering was cancelled", told[2]] and "nowhere" in told[2], told
    assert not os.path.exists(firn.path("final.png"))
    assert os.listdir(firn.path("temporary")) == [], "states were left behind"


@case
def view_camera_keys_move_the_movie_and_the_saved_scene(firn):
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        key
        state
        speed 0
        play
        wait-step 60
        pause
        wait-still
        drag 240 160 340 160
        wait-still
        press k
        wait 0.3
        key
        state
        drag 240 160 240 100
        wait-still
        movie seen.gif
        save-scene saved.yaml
        key go 1
        wait-still
        state
        key delete 2
        save-scene still.yaml
        key delete 1
        save-scene byhand.yaml
        look links true
        look bodies false
        save-scene looks.yaml
        state""", scene=BODIES)
    times = re.findall(r"^key (\d+) at (\S+) s", result.out, re.M)
    assert [number for number, _ in times] == ["1", "1", "2", "1", "2"], times
    places = [tuple(map(float, m)) for m in re.findall(r"camera (\S+) (\S+) (\S+)", result.out)]
    assert places[2] == places[0] != places[1], places
    saved = open(firn.path("saved.yaml"), encoding="utf-8").read()
    assert saved.count("time:") == 2 and "from: scene.yaml" in saved, saved
    assert "keyframes: []" in open(firn.path("byhand.yaml"), encoding="utf-8").read()
    looks = open(firn.path("looks.yaml"), encoding="utf-8").read()
    assert "links: true" in looks and "bodies: false" in looks, looks
    for name in ("saved", "still", "byhand", "looks"):
        firn.good("check", name + ".yaml")
    assert open(firn.path("seen.gif"), "rb").read(4) == b"GIF8"


@case
def view_saves_the_view_into_the_scene_and_never_over_what_a_user_wrote(firn):
    """Only the camera of the file is another one; the world goes on. A scene is not saved over itself, its base or other files."""
    need_viewer(firn)
    own = BODIES.replace("camera: {from: [3, 2, 4], to: [0, 0.5, 0]}", "camera: {from: [3, 2, 4], to: [0, 0.5, 0], aperture: 5 mm} # mine")
    firn.write("base.yaml", own)
    firn.write("child.yaml", "firn: 1\nfrom: base.yaml\ngravity: [0, -5 m/s2, 0]")
    firn.write("notes.txt", "notes")
    script = """wait-pictures 1
        press tab
        step 5
        drag 240 160 300 160
        wait-still
        save-view
        wait 1.5
        set gravity [0, -1 m/s2, 0]
        step 1
        state"""
    result = view(firn, script, "base.yaml")
    saved = open(firn.path("base.yaml"), encoding="utf-8").read()
    x, y, z = (float(n) for n in re.findall(r"camera (\S+) (\S+) (\S+)$", result.out, re.M)[-1])
    assert "step 6 " in result.out and "aperture: 5 mm" in saved and "crate: {shape" in saved, (saved, result)
    lines = saved.splitlines()
    assert [line for line in lines if line in own.splitlines()] == [line for line in own.splitlines() if "camera: {" not in line], saved
    found = [float(n) for n in re.search(r"  from: \[(\S+) m, (\S+) m, (\S+) m\]", saved).groups()]
    assert max(abs(a - b) for a, b in zip(found, (x, y, z))) < 1e-3, (found, x, y, z)
    firn.good("check", "base.yaml")
    view(firn, script, "child.yaml")
    child = open(firn.path("child.yaml"), encoding="utf-8").read()
    assert child.startswith("firn: 1\nfrom: base.yaml\ngravity: [0, -5 m/s2, 0]\ncamera:\n  lens: "), child
    firn.good("check", "child.yaml")
    for name in ("child.yaml", "base.yaml", "notes.txt"):
        before = open(firn.path(name), encoding="utf-8").read()
        refused = view(firn, f"wait-pictures 1\nsave-scene {name}", "child.yaml", code=1)
        assert "did not work" in refused.err and open(firn.path(name), encoding="utf-8").read() == before, name
    view(firn, "wait-pictures 1\nset gravity [0, 0, 0]\nwait 0.3\nsave-scene new.yaml\nsave-scene new.yaml", "child.yaml")
    assert "from: child.yaml" in open(firn.path("new.yaml"), encoding="utf-8").read()
    told = view(firn, "wait-pictures 1\npress tab\ndrag 240 160 300 160\nwait-still\nsave-view", "dominoes", code=1)
    assert "save-view" in told.err, told


@case
def view_plots_the_picked_item_over_time(firn):
    """A crate that falls by 9.81 m/s2; then a particle of snow that falls and is removed."""
    need_viewer(firn)
    view(firn, """wait-pictures 1
        press tab
        wait-still
        click-at 240 160
        wait 0.3
        play
        wait 1
        pause
        wait-still
        save-picked crate.csv
        press tab
        press g
        wait 0.5
        screenshot plots.png""", scene=BODIES.replace("at: [0, 0.5, 0]", "at: [0, 6, 0]").replace("to: [0, 0.5, 0]", "to: [0, 5.5, 0]"))
    lines = [line.split(",") for line in open(firn.path("crate.csv"), encoding="utf-8").read().splitlines()]
    assert lines[0] == ["time (s)", "height (m)", "x (m)", "z (m)", "speed (m/s)", "spin (rad/s)"], lines[0]
    rows = [[float(n) for n in line] for line in lines[1:]]
    assert len(rows) > 4 and rows[-1][0] > 0.1, rows
    assert all(abs(row[4] - 9.81 * row[0]) < 0.05 * max(row[4], 1) for row in rows if row[0] < 0.8), rows
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        click-at 240 160
        wait 0.3
        step 4
        wait-still
        state
        touch dig 0 0.3 0 2
        step 1
        wait-still
        state
        save-picked snow.csv""", scene=SNOW)
    assert "mpm particle" in result.out and "this particle is gone" in result.out, result
    assert "speed (m/s)" in open(firn.path("snow.csv"), encoding="utf-8").readline()


@case
def view_picks_a_cell_of_the_wind(firn):
    """Above the ground, where nothing else is, and in front of a post: the air is slower there, and its pressure is higher."""
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        press tab
        step 20
        wait-still
        click-at 265 10
        wait 0.3
        state
        step 10
        wait-still
        save-picked air.csv
        camera west
        wait-still
        click-at 240 160
        wait-still
        wait 0.3
        state""", scene=BREEZE + "cameras: {west: {from: [-8, 1, 0], to: [0, 1, 0]}}\n")
    free, before = (re.search(r"air (\S+) m/s: (\S+).*\npressure (\S+) Pa", state).groups() for state in result.out.split("picked ")[1:])
    assert "picked cell of the wind" in result.out and "picked body post" in result.out, result
    assert 4 < float(free[1]) <= float(free[0]) < 6 and float(before[0]) < 0.8 * float(free[0]), result
    assert float(before[2]) > abs(float(free[2])) + 0.5, result
    lines = open(firn.path("air.csv"), encoding="utf-8").read().splitlines()
    assert lines[0].startswith("time (s),air (m/s),air along x (m/s)") and len(lines) > 2, lines


@case
def view_ends_of_colours_wait_for_each_other(firn):
    """One end alone changes nothing and stays in its field; with the other both count."""
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        press o
        color mpm.density
        wait-still
        picture before.png
        click from
        type 300
        press enter
        wait 0.3
        wait-still
        state
        picture one.png
        click to
        type 500
        press enter
        wait 0.3
        wait-still
        picture both.png
        state""", scene=SNOW, size="900x640")
    assert "message the colours are as before until their upper end is given, too" in result.out, result
    assert different("before.png", "one.png", firn) == 0 and different("one.png", "both.png", firn) > 500


@case
def view_shows_two_settings_side_by_side(firn):
    """Left with less gravity, right as the file says: both fall from the same height, in step with each other."""
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        set gravity [0, -1 m/s2, 0]
        compare
        press tab
        wait-still
        screenshot start.png
        play
        wait-step 120
        pause
        wait-still
        state
        screenshot later.png
        hash
        touches t
        compare end
        wait-still
        state""", scene=BODIES.replace("at: [0, 0.5, 0]", "at: [0, 3, 0]").replace("to: [0, 0.5, 0]", "to: [0, 2, 0]"))
    lowest = {}
    for name in ("start", "later"):
        rows = read_png(firn.path(name + ".png"))[2]
        red = [(x, y) for y, row in enumerate(rows) for x, (r, g, b) in enumerate(row) if r > 90 and r > 2 * g and r > 2 * b]
        lowest[name] = [max((y for x, y in red if (x >= 240) == right), default=0) for right in (False, True)]
    assert abs(lowest["start"][0] - lowest["start"][1]) <= 2, lowest
    assert lowest["later"][1] > lowest["later"][0] + 10, lowest
    time_left = int(re.search(r"^step (\d+)", result.out, re.M).group(1)) / 270
    beside = float(re.search(r"^beside (\S+) s", result.out, re.M).group(1))
    assert abs(beside - time_left) < 0.3 * time_left + 0.1, result
    assert result.out.count("size 240x320") == 1 and result.out.count("size 480x320") == 1, result
    (_, value), = hashes(result.out)
    assert value in firn.good("view", "--replay", "t").out


@case
def view_shows_a_run_beside_another(firn):
    need_viewer(firn)
    firn.write("scene.yaml", BODIES)
    firn.good("run", "scene.yaml", "-o", "a", "--frames", 6)
    firn.good("run", "scene.yaml", "-o", "b", "--frames", 4, "--set", "gravity=[0, 0, 0]")
    result = view(firn, """wait-pictures 1
        compare b
        show 5
        wait-still
        wait 0.5
        state
        compare nothing""", "a", code=1)
    assert re.search(r"beside .* shown 0.1333", result.out), result
    assert "compare nothing" in result.err, result


@case
def view_squeezes_the_box_of_pbd_by_slider_and_by_hand(firn):
    """The solver changes and the walls move while it runs; the water is squeezed, and a replay has the same bits."""
    need_viewer(firn)
    scene = """firn: 1
name: Tank
duration: 4 s
camera: {from: [0, 0.5, 4], to: [0, 0.5, 0]}
pbd:
  iterations: 4
  box: {walls: [{low: [-0.5, 0, -0.2], high: [0.5, 1, 0.2]}]}
  fluid: {spacing: 8 cm, method: position, pools: {pool: {shape: {box: {size: [0.9, 0.4, 0.3]}}, at: [0, 0.25, 0]}}}
"""
    result = view(firn, """wait-pictures 1
        click PBD panel
        wait 0.4
        screenshot panel.png
        click Squeeze
        wait 0.4
        state
        click PBD panel
        press tab
        wait-still
        set pbd.solver jacobi
        set pbd.iterations 8
        set pbd.relaxation 1.3
        step 5
        touch set pbd.box.walls[1].low [-40 cm, 0, -20 cm]
        camera main
        tool squeeze
        click-at 640 360
        drag 640 360 640 340
        wait 0.3
        step 20
        state
        hash
        touches t""", scene=scene, size="1280x720")
    assert "changed pbd.solver = jacobi" in result.out and "changed pbd.relaxation = 1.3" in result.out, result
    boxes = re.findall(r"^changed (pbd.box.walls\[1\]\.\w+) = (\[.*?\])", result.out, re.M)
    assert ("pbd.box.walls[1].low", "[-45 cm, 0 m, -20 cm]") in boxes or "-45 cm" in str(boxes) or "-0.45" in str(boxes), boxes
    text = open(firn.path("t"), encoding="utf-8").read()
    assert "set pbd.box.walls[1].low [-0.45 m" in text and "set pbd.box.walls[1].low [-40 cm" in text, text
    (_, value), = hashes(result.out)
    assert value in firn.good("view", "--replay", "t").out


@case
def view_keys_turn_the_body_that_is_steered(firn):
    """A boot is turned by targets, a crate by couples of forces, as seen from above: z to the left."""
    need_viewer(firn)
    boot = "  boot: {shape: {box: {size: [0.3, 0.3, 0.3]}}, at: [1.2, 0.5, -1.5], motion: kinematic}\n"
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        steer boot
        play
        hold-key 1.5 z
        pause
        steer crate
        play
        hold-key 1.5 x
        pause
        tool look
        wait-still
        click-at 240 170
        wait 0.5
        state
        hash
        touches t""", scene=BODIES.replace('motion: dynamic', 'motion: dynamic, friction: 0') + boot)
    text = open(firn.path("t"), encoding="utf-8").read()
    turns = [[float(n) for n in found] for found in
             re.findall(r" target boot \S+ \S+ \S+ \S+ (\S+) (\S+) (\S+) (\S+)$", text, re.M)]
    assert len(turns) > 5 and turns[-1][2] > turns[0][2] > 0 and abs(turns[-1][1]) < 1e-9, text[-600:]
    assert all(abs(sum(c * c for c in turn) - 1) < 1e-6 for turn in turns), turns
    twists = [line.split() for line in text.splitlines() if " push crate 0 0 " in line]
    twists = [words for words in twists if float(words[6]) != 0]
    assert len(twists) > 10 and float(twists[0][6]) * float(twists[1][6]) < 0, text[-600:]
    assert float(re.search(r"spin (\S+) rad/s", result.out).group(1)) > 0.2, result
    (_, value), = hashes(result.out)
    assert value in firn.good("view", "--replay", "t").out


@case
def view_films_its_window(firn):
    need_viewer(firn)
    view(firn, """wait-pictures 1
        film window.gif
        film frame
        step 5
        wait-still
        film frame
        film end""", scene=BODIES)
    data = open(firn.path("window.gif"), "rb").read()
    assert data[:6] == b"GIF89a" and struct.unpack("<HH", data[6:10]) == (480, 320)
    result = view(firn, "wait-pictures 1\nfilm frame", scene=BODIES, code=1)
    assert "film frame" in result.err, result


COVER = """firn: 1
name: Cover
air: {temperature: 1 C}
camera: {from: [0, 2, 4], to: [0, 0, 0]}
bodies: {ground: {shape: plane}}
wind: {grid: [16, 8, 16], cell: 25 cm, inflow: {speed: 0}}
flakes: {snowfall: 1 mm/h}
cover: {}
"""


def depths(text):
    return [float(n) for n in re.findall(r"^depth (\S+) m", text, re.M)]


def different(a, b, folder):
    """How many pixels of two pictures differ by more than the last bits."""
    a, b = (read_png(folder.path(name))[2] for name in (a, b))
    return sum(1 for left, right in zip(a, b) for p, q in zip(left, right) if max(abs(p[k] - q[k]) for k in range(3)) > 12)


@case
def view_digs_and_heaps_the_field_with_a_brush(firn):
    """Held for a second, ten times a second: a hole and a heap, at once, before any step."""
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        brush 0.2
        tool dig
        hold 200 200 1
        wait 0.3
        tool look
        click-at 200 200
        wait-still
        state
        tool heap
        hold 290 190 1
        wait 0.3
        tool look
        click-at 290 190
        wait-still
        state
        step 20
        wait-still
        save-picked depth.csv
        hash""", "--record", "touches", scene=FIELD)
    rows = [line.split(",") for line in open(firn.path("depth.csv"), encoding="utf-8").read().splitlines()]
    assert rows[0] == ["time (s)", "surface (m)", "depth (m)"] and float(rows[-1][0]) > 0 and float(rows[-1][2]) > 0.2, rows
    text = open(firn.path("touches"), encoding="utf-8").read()
    assert len(re.findall(r"at 0 dig ", text)) > 2 and len(re.findall(r"at 0 heap ", text)) > 2, text
    dug, heaped = result.out.split("picked ")[1:]
    assert dug.startswith("body ground") or depths(dug)[0] < 0.12, result
    assert depths(heaped)[0] > 0.23, result
    (_, value), = hashes(result.out)
    assert value in firn.good("view", "--replay", "touches").out


@case
def view_digs_heaps_and_heats_the_cover(firn):
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        touch heap 0 0 1 200
        step 3
        wait-still
        click-at 240 160
        wait-still
        state
        tool torch
        hold 240 160 0.5
        tool dig
        brush 1.5
        hold 240 160 0.5
        step 3
        tool look
        wait-still
        click-at 240 160
        wait-still
        state
        hash""", "--record", "touches", scene=COVER)
    text = open(firn.path("touches"), encoding="utf-8").read()
    assert " heat " in text and " dig " in text, text
    assert "picked snow cover" in result.out and depths(result.out)[0] > 0.2, result
    assert len(depths(result.out)) == 1 or depths(result.out)[1] < 0.1, result
    (_, value), = hashes(result.out)
    assert value in firn.good("view", "--replay", "touches").out


@case
def view_torch_melts_the_field_and_heats_bodies(firn):
    need_viewer(firn)
    cold = FIELD.replace("depth: 20 cm", "depth: 20 cm, heat: {on: yes, temperature: -5 C}")
    cold = cold.replace("at: [0, 1, 0], motion: dynamic", "at: [0, 1, 0], temperature: 5 C")
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        camera main
        tool torch
        brush 0.3
        hold 240 230 1.5
        step 5
        wait-still
        tool look
        click-at 240 230
        wait-still
        state
        tool torch
        touch heat 0 1 0 0.3 20000 ball
        state
        hash""", "--record", "touches", scene=cold)
    text = open(firn.path("touches"), encoding="utf-8").read()
    assert len(re.findall(r"at 0 heat ", text)) > 3, text
    assert depths(result.out)[0] < 0.19, result
    assert "changed bodies.ball.temperature = 25 C (5 C)" in result.out, result
    (_, value), = hashes(result.out)
    assert value in firn.good("view", "--replay", "touches").out


@case
def view_drags_what_is_soft(firn):
    """A particle of snow and those around it follow the pointer upwards; the rest holds on to them."""
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        step 2
        wait-still
        click-at 240 150
        wait-still
        state
        tool drag
        brush 0.4
        play
        drag 240 150 240 40
        pause
        wait-still
        state
        hash""", "--record", "touches", scene=SNOW)
    text = open(firn.path("touches"), encoding="utf-8").read()
    ways = [[float(n) for n in line.split()[3:]] for line in text.splitlines() if " shove " in line]
    assert len(ways) > 5 and max(way[5] for way in ways) > 0.01, text[-600:]
    before, after = (float(n) for n in re.findall(r"^position \S+ (\S+) \S+ m", result.out, re.M))
    assert after > before + 0.02, result
    assert value_of_last(result) in firn.good("view", "--replay", "touches").out


def value_of_last(result):
    return hashes(result.out)[-1][1]


@case
def view_shows_neighbours_grids_and_cameras(firn):
    """A block of 0.8 x 0.6 x 0.8 m in cells of 12 cm: 7 x 5 x 7 of them, or one more each way."""
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        press tab
        mark preview off
        wait-still
        picture bare.png
        click-at 240 160
        wait-still
        mark neighbours
        wait-still
        state
        picture neighbours.png
        mark neighbours off
        mark grid
        wait-still
        state
        picture grid.png
        mark grid off
        mark cameras
        wait-still
        picture cameras.png""", scene=SNOW + "cameras: {aside: {from: [1.5, 1.2, 0.5], to: [0, 0.4, 0]}}\n")
    near = int(re.search(r"^marks \d+ neighbours (\d+)", result.out, re.M).group(1))
    cells, edge = re.findall(r"grid (\d+) of (\S+) m", result.out)[1]
    assert 5 < near < 400 and 7 * 5 * 7 <= int(cells) <= 8 * 6 * 8 and float(edge) == 0.12, result
    changes = {name: different("bare.png", name + ".png", firn) for name in ("neighbours", "grid", "cameras")}
    assert changes["neighbours"] > 50 and changes["grid"] > 1000 and 20 < changes["cameras"] < 5000, changes
    wind = view(firn, "wait-pictures 1\nmark grid\nwait-still\npicture grid.png\nmark grid off\nmark preview off\nwait-still\npicture bare.png",
                scene=BREEZE)
    assert different("bare.png", "grid.png", firn) > 2000, wind
    field = view(firn, "wait-pictures 1\nmark preview off\nmark grid\nwait-still\npicture grid.png\nmark grid off\nwait-still\npicture bare.png",
                 scene=FIELD)
    assert different("bare.png", "grid.png", firn) > 2000, field


@case
def view_previews_a_scene_before_any_step(firn):
    """Shapes and fills, the domain and a camera's pyramid; with the first step the lines are gone, and back after a restart."""
    need_viewer(firn)
    scene = BREEZE + "cameras: {side: {from: [4, 2, 3], to: [0, 1, 0]}}\n"
    scene += "mpm: {cell: 20 cm, snow: {block: {shape: {box: {size: [1, 1, 1]}}, at: [3, 0.5, 0]}}}\n"
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        state
        picture preview.png
        mark preview off
        wait-still
        picture bare.png
        mark preview
        step 1
        wait-still
        state
        picture later.png
        restart
        wait-still
        state""", scene=scene)
    states = re.split(r"^(?=step )", result.out, flags=re.M)[1:]
    assert ["preview\n" in state for state in states] == [True, False, True], result
    lines = different("bare.png", "preview.png", firn)
    rows = read_png(firn.path("preview.png"))[2]
    yellow = sum(1 for row in rows for r, g, b in row if r > 180 and g > 140 and b < 110)
    assert lines > 300 and yellow > 15, (lines, yellow)
    assert different("bare.png", "later.png", firn) < lines, "the lines are still there after a step"


@case
def view_adds_meshes_and_opens_scenes_that_are_dropped(firn):
    need_viewer(firn)
    corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    faces = [(1, 2, 4, 3), (5, 7, 8, 6), (1, 5, 6, 2), (3, 4, 8, 7), (1, 3, 7, 5), (2, 6, 8, 4)]
    firn.write("a box.obj", "".join("v %d %d %d\n" % c for c in corners) + "".join("f %d %d %d %d\n" % f for f in faces))
    firn.write("other.yaml", SNOW)
    firn.write("notes.txt", "nothing")
    firn.write("run.yaml", BODIES)
    firn.good("run", "run.yaml", "-o", "out", "--frames", 2)
    result = view(firn, """wait-pictures 1
        drop notes.txt
        state
        drop a box.obj
        wait 0.3
        screenshot panel.png
        click Add
        wait 0.5
        step 20
        state
        hash
        touches t
        drop other.yaml
        wait-still
        state
        drop out
        wait-frames 3
        state""", scene=BODIES, size="800x600")
    assert "message 'notes.txt' is neither" in result.out, result
    text = open(firn.path("t"), encoding="utf-8").read()
    assert re.search(r"at 0 mesh mesh-1 .* dynamic /.*/a box.obj\n", text), text
    assert value_of_last(result) in firn.good("view", "--replay", "t").out
    assert re.search(r"^step 0 .*kept 1 ", result.out, re.M) and re.search(r" kept 3 ", result.out), result


@case
def view_recordings_become_runs_that_can_be_rendered(firn):
    """The run has the state of the window, bit by bit, and the thrown ball is in its picture."""
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        step 18
        touch ball thrown 0 1.2 1 0 0 0 0.3 packed
        set gravity [0, -1 m/s2, 0]
        step 18
        wait-still
        hash
        picture seen.png""", "--record", "touches", scene=BODIES)
    step, value = hashes(result.out)[-1]
    firn.good("view", "--replay", "touches", "-o", "out", "--frames", 4)
    info = firn.good("info", "out", "--json").out
    assert value in info, (step, value, info)
    firn.good("verify", "out")
    firn.good("render", "out", "-o", "out.png", "--size", "480x320", "--set", "picture.labels=no")
    assert different("seen.png", "out.png", firn) < 3000, different("seen.png", "out.png", firn)
    firn.wrong("view", "--replay", "touches", "-o", "scene.yaml/x", says="scene.yaml", code=1)


@case
def view_a_branch_is_a_run_of_its_own(firn):
    """What was recorded before the branch stays as touches.1; both are repeated to their own bits."""
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        step 60
        touch push crate 300 0 0 0 0.9 0
        step 20
        hash
        show 2
        wait-still
        branch
        set gravity [0, -3 m/s2, 0]
        step 50
        hash""", "--record", "touches", scene=BODIES)
    first, second = hashes(result.out)
    assert first != second, result
    assert first[1] in firn.good("view", "--replay", "touches.1").out
    assert second[1] in firn.good("view", "--replay", "touches").out
    old, new = (open(firn.path(name), encoding="utf-8").read() for name in ("touches.1", "touches"))
    assert " push crate " in old and " push crate " not in new and "gravity" in new, (old, new)


@case
def view_plays_a_run_that_is_being_computed(firn):
    need_viewer(firn)
    firn.write("scene.yaml", BODIES)
    firn.good("run", "scene.yaml", "-o", "out", "--frames", 3)
    firn.write("script", "wait-pictures 1\nstate\nscreenshot ready.png\nwait-frames 8\nshow 7\nwait-still\nstate\nquit\n")
    os.makedirs(firn.path("config"))
    with display() as screen:
        job = subprocess.Popen([firn.program, "view", "out", "--script", "script", "--size", "480x320"], cwd=firn.folder,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env={**os.environ, "XDG_CONFIG_HOME": firn.path("config"), **screen})
        while not os.path.exists(firn.path("ready.png")) and job.poll() is None:
            time.sleep(0.05)
        firn.good("run", "scene.yaml", "-o", "out", "--frames", 8)
        out, err = job.communicate(timeout=200)
    kept = [int(n) for n in re.findall(r" kept (\d+) ", out.decode())]
    assert job.returncode == 0 and kept[0] == 4 and kept[1] >= 8, (out, err)


@case
def view_panels_have_every_parameter_of_every_model(firn):
    """All that the tables list is in the panel, with its help; what `firn explain` says is what is shown."""
    need_viewer(firn)
    scene = os.path.join(firn.root, "tests", "scenes", "all-models.yaml")
    result = view(firn, "wait-pictures 1\nparameters", scene)
    result.out += view(firn, "wait-pictures 1\nparameters", scene=COVER).out
    rows = [line[10:].split("|", 3) for line in result.out.splitlines() if line.startswith("parameter ")]
    models = {name.split(".")[0] for name, *_ in rows}
    assert {"bodies", "grains", "mpm", "field", "pbd", "phase", "wind", "flakes", "cover", "air"} <= models, models
    assert all(help_ and kind in ("live", "restart") for _, _, kind, help_ in rows), rows
    assert len({kind for _, _, kind, _ in rows}) == 2 and len(rows) > 300, len(rows)
    for name in ("pbd.relaxation", "mpm.cell", "field.cell", "wind.cell", "phase.mass", "grains.radius"):
        text = next(row[3] for row in rows if row[0] == name)
        said = " ".join(firn.good("explain", name).out.split())
        assert " ".join(text.split())[:40] in said, (name, text, said)


TANK = """firn: 1
name: Tank
duration: 4 s
camera: {from: [0, 0.5, 4], to: [0, 0.5, 0]}
pbd:
  iterations: 4
  box: {walls: [{low: [-0.5, 0, -0.2], high: [0.5, 1, 0.2]}]}
  fluid: {spacing: 8 cm, method: position, pools: {pool: {shape: {box: {size: [0.9, 0.4, 0.3]}}, at: [0, 0.25, 0]}}}
"""


@case
def view_panel_of_pbd_has_every_control(firn):
    """Start, stop and step; a choice, a number and a slider; what needs a restart is marked, applied and reset."""
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        press o
        click PBD panel
        wait 0.4
        click Step##pbd
        wait 0.5
        state
        click Start
        wait 1
        click Stop
        wait 0.3
        state
        click ##pbd.solver
        wait 0.3
        screenshot open.png
        click ##pbd.solver/jacobi
        wait 0.3
        click ##pbd.iterations
        wait 0.3
        type 9
        press enter
        wait 0.3
        click ##slide pbd.relaxation
        wait 0.5
        state
        mark grid
        wait-still
        screenshot grid.png
        state
        click x##reset pbd.solver
        wait 0.5
        state
        hash""", "--record", "touches", scene=TANK, size="1280x720")
    states = re.split(r"^(?=step \d+ shown)", result.out, flags=re.M)[1:]
    steps = [int(re.match(r"step (\d+)", state).group(1)) for state in states]
    assert steps[0] == 1 and steps[1] > 1 and "paused" in states[1], result
    assert "changed pbd.solver = jacobi" in states[2] and "changed pbd.iterations = 9 (4)" in states[2], states[2]
    assert "changed pbd.relaxation" in states[2], states[2]
    assert re.search(r"grid \d+ of 0.16 m", states[3]), states[3]
    assert "changed pbd.solver" not in states[4] and "changed pbd.iterations" in states[4], states[4]
    assert value_of_last(result) in firn.good("view", "--replay", "touches").out


@case
def view_marks_what_waits_for_a_restart_and_applies_it(firn):
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        step 3
        click search##parameters
        type crate.density
        wait 0.5
        screenshot before.png
        hover help bodies.crate.density
        wait 0.5
        screenshot help.png
        click ##bodies.crate.density
        wait 0.3
        type 300 kg/m3
        press enter
        wait 0.5
        state
        screenshot waits.png
        click Restart##now
        wait 0.5
        wait-still
        state
        click x##reset bodies.crate.density
        wait 0.5
        state
        set bodies.crate.density 250 kg/m3
        click ##save as
        type saved.yaml
        wait 0.3
        click Save as scene
        wait 0.5
        click Load
        wait 1
        wait-still
        state
        hash""", scene=BODIES, size="1000x700")
    states = re.split(r"^(?=step \d+ shown)", result.out, flags=re.M)[1:]
    assert "waits bodies.crate.density = 300 kg/m3" in states[0] and "changed bodies.crate" not in states[0], states[0]
    assert "waits" not in states[1] and "changed bodies.crate.density = 300 kg/m3" in states[1] and states[1].startswith("step 0 "), states[1]
    assert "waits bodies.crate.density" in states[2], states[2]
    assert "waits" not in states[3] and "changed" not in states[3], states[3]
    assert "250 kg/m3" in open(firn.path("saved.yaml"), encoding="utf-8").read()
    assert value_of_last(result) in firn.good("hash", "saved.yaml", "--steps", 0).out
    assert different("before.png", "help.png", firn) > 500, "no help where the pointer is"


@case
def view_keeps_what_waits_when_it_is_wrong_and_quotes_texts(firn):
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        set name A: "storm" # 1
        set bodies.crate.color #00ff00
        set bodies.crate.density -3 kg/m3
        restart
        wait 1
        state
        reset bodies.crate.density
        restart
        wait-still
        state
        save-scene saved.yaml
        picture green.png""", scene=BODIES)
    wrong, right = re.split(r"^(?=step \d+ shown)", result.out, flags=re.M)[1:]
    assert "density must be" in wrong and wrong.count("\nwaits ") == 3 and "changed" not in wrong, wrong
    assert "waits" not in right and "changed name = A: \"storm\" # 1 (Crates)" in right and "message" not in right, right
    firn.good("check", "saved.yaml")
    assert "name: \"A: \\\"storm\\\" # 1\"" in open(firn.path("saved.yaml"), encoding="utf-8").read()
    assert red_pixels(firn.path("green.png")) < 50


@case
def view_slow_motion_and_real_time_factor(firn):
    """A quarter of real time, asked for and measured; a thousandth of it hardly moves."""
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        speed 0.25
        play
        wait 3
        state
        speed 0.015625
        wait 1
        state
        wait 2
        state""", scene=BODIES)
    found = [tuple(float(n) for n in f) for f in re.findall(r"^time (\S+) s, speed (\S+), factor (\S+), running", result.out, re.M)]
    assert found[0][1] == 0.25 and 0.02 < found[0][2] < 0.3 and found[0][0] < 1.0, found
    assert 0 < found[2][0] - found[1][0] < 0.1, found
    assert "frame" not in result.err


@case
def view_remembers_theme_size_and_panels(firn):
    need_viewer(firn)
    script = """wait-pictures 1
        wait 0.3
        screenshot %s.png
        %s"""
    view(firn, script % ("dark", "click light\nwait 0.3\npress g\nwait 0.3\npress o\nwait 0.3"), scene=BODIES, size="900x640")
    view(firn, script % ("light", "click text\nwait 0.5"), scene=BODIES, size="900x640")
    with open(firn.path("config", "firn", "view.conf"), encoding="utf-8") as file:
        text = file.read()
    assert "light yes" in text and "plots yes" in text and "parameters no" in text, text
    assert float(re.search(r"scale (\S+)", text).group(1)) != 1, text
    dark, light = (read_png(firn.path(name + ".png"))[2] for name in ("dark", "light"))
    assert sum(dark[600][20]) + 250 < sum(light[600][20]), (dark[600][20], light[600][20])


@case
def view_without_opengl_says_so(firn):
    need_viewer(firn)
    firn.write("scene.yaml", BODIES)
    with display("-extension", "GLX") as screen:
        firn.wrong("view", "scene.yaml", says="OpenGL 3.3", code=1, env=screen)


@case
def view_says_when_the_disk_is_full_while_it_records(firn):
    """Files of this process end at 64 kB: the window says so and goes on, and its exit code is 1."""
    need_viewer(firn)

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))

    pushes = "\n".join(f"touch push crate 0 0 {i} 0 0.5 0" for i in range(200))
    result = view(firn, "wait-pictures 1\n" + "\n".join([pushes] * 14) + "\nwait 0.5\nstate\nstep 5\nstate", "--record", "touches",
                  scene=BODIES, code=1, preexec=limit)
    assert "message cannot write 'touches': the recording ends here" in result.out, result
    assert re.search(r"^step 5 ", result.out, re.M) and "cannot write 'touches'" in result.err, result


@case
def view_pours_water_and_snow(firn):
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        tool water
        brush 0.12
        click-at 240 200
        wait 0.3
        step 10
        hash
        touches water""", scene=TANK)
    assert " water water-1 " in open(firn.path("water"), encoding="utf-8").read()
    assert value_of_last(result) in firn.good("view", "--replay", "water").out
    result = view(firn, """wait-pictures 1
        press tab
        wait-still
        picture before.png
        tool heap
        brush 0.3
        click-at 240 160
        wait 0.3
        step 10
        wait-still
        picture after.png
        hash
        touches snow""", scene=SNOW)
    assert " pour poured-1 " in open(firn.path("snow"), encoding="utf-8").read()
    assert value_of_last(result) in firn.good("view", "--replay", "snow").out
    assert different("before.png", "after.png", firn) > 100


@case
def view_throws_snowballs_of_chosen_size_speed_and_snow(firn):
    need_viewer(firn)
    result = view(firn, """wait-pictures 1
        wait-still
        picture before.png
        tool throw
        wait 0.3
        click radius
        wait 0.3
        click speed
        wait 0.3
        click snow
        wait 0.3
        click snow/icy
        wait 0.3
        click-at 300 330
        wait 0.5
        step 1
        wait-still
        picture after.png
        hash
        touches t""", scene=SNOW, size="900x640")
    ball = re.search(r"at 0 ball thrown-1 (.*)", open(firn.path("t"), encoding="utf-8").read()).group(1).split()
    speed = sum(float(n) ** 2 for n in ball[3:6]) ** 0.5
    assert float(ball[6]) > 0.4 and speed > 15 and ball[7] == "icy", f"{ball}: not what was chosen; the defaults are 0.1 m, 8 m/s"
    assert different("before.png", "after.png", firn) > 3000, "no snowball in the picture"
    assert value_of_last(result) in firn.good("view", "--replay", "t").out


@case
def view_looks_change_what_is_seen(firn):
    """Each look changes the picture, and none changes the state."""
    need_viewer(firn)

    def seen(scene, looks, first=""):
        lines = ["wait-pictures 1", "press tab", "mark preview off", *first.splitlines(), "step 6", "hash", "wait-still", "picture base.png"]
        for number, (on, off) in enumerate(looks):
            lines += [on, "wait-still", f"picture look-{number}.png", *off.splitlines()]
        result = view(firn, "\n".join([*lines, "hash"]), scene=scene)
        assert hashes(result.out)[0] == hashes(result.out)[1], result
        for number, (on, _) in enumerate(looks):
            assert different("base.png", f"look-{number}.png", firn) > 150, f"{on}: no difference"
        return result

    flying = SNOW.replace("at: [0, 0.3, 0]}", "at: [0, 0.8, 0], velocity: [2, 0, 1]}")
    seen(flying, [("look snow points", "look snow"), ("look arrow_time 0.5 s", "look arrow_time"), ("look clip x", "look clip"),
                ("look hide mpm", "look hide"), ("look ground_grid true", "look ground_grid"),
                ("look light night", "look light"), ("color mpm.speed", "look color_map diverging\nwait-still\npicture diverging.png\nlook color_map\nrange 0 100"), ("color mpm.density", "color none")])
    assert different("look-7.png", "diverging.png", firn) > 1000, "the other colour map is not seen"
    seen(BODIES, [("look bodies false", "look bodies")])
    seen(BREEZE, [("look wind slice", "look slice_of vorticity"), ("look slice z", "look slice_of pressure"),
                  ("look wind lines", "look wind"), ("look domains true", "look domains")], "look wind none")
    jelly = SNOW.replace("mpm:", "pbd:").replace("  cell: 12 cm\n  snow:", "  solids:")
    jelly = jelly.replace("at: [0, 0.3, 0]", "at: [0, 0.31, 0], spacing: 10 cm")
    seen(jelly, [("look links true", "look links")])


@case
def view_thermograph_and_legend(firn):
    """Half of the block is warmer: colours of the map, from the coldest to the warmest, and a legend that has them all."""
    need_viewer(firn)
    warm = SNOW.replace("at: [0, 0.3, 0]}", "at: [-0.4, 0.3, 0], temperature: -20 C}, "
                        "other: {shape: {box: {size: [0.8, 0.6, 0.8]}}, at: [0.5, 0.3, 0], temperature: -2 C}")
    warm = warm.replace("  snow:", "  heat: {}\n  snow:").replace("snow: {block", "snow: {block")
    result = view(firn, """wait-pictures 1
        mark preview off
        wait-still
        picture bare.png
        click Thermograph
        wait-still
        picture thermo.png
        range -10 0
        wait-still
        picture range.png
        state""", scene=warm, size="900x640")
    assert different("bare.png", "thermo.png", firn) > 5000 and different("thermo.png", "range.png", firn) > 500, result
    rows = read_png(firn.path("thermo.png"))[2]
    blue = sum(1 for row in rows for r, g, b in row if b > 120 and b > 1.5 * r and b > 1.2 * g)
    yellow = sum(1 for row in rows for r, g, b in row if r > 180 and g > 140 and b < 120)
    assert blue > 2000 and yellow > 2000, (blue, yellow)


@case
def view_plots_what_every_pass_costs(firn):
    need_viewer(firn)
    view(firn, """wait-pictures 1
        press o
        press g
        wait 0.3
        speed 0
        play
        wait-frames 10
        pause
        wait-still
        screenshot closed.png
        click mpm
        wait 0.5
        click ms per step
        wait 0.5
        screenshot open.png""", scene=SNOW, size="900x700")
    assert different("closed.png", "open.png", firn) > 300


@case
def view_window_answers_while_a_step_takes_long(firn):
    """Steps of seconds: the window's own thread is never busy for 50 ms at a time, measured as processor time."""
    need_viewer(firn)
    heavy = SNOW.replace("cell: 12 cm", "cell: 2.5 cm").replace("[0.8, 0.6, 0.8]", "[1.6, 1, 1.6]").replace("[0, 0.3, 0]", "[0, 0.5, 0]")
    result = view(firn, """wait-pictures 1
        speed 0
        play
        drag 240 160 300 160
        press g
        wait 3
        quit""", "--measure", "--json", scene=heavy)
    found = json.loads(next(line for line in result.out.splitlines() if '"measured"' in line))
    assert found["frames"] > 20 and found["cpu_over_50_ms"] == 0, found


class Hands:
    """The keyboard and the mouse of an X server, as of a user: events by the extension XTEST."""

    def __init__(self, name):
        try:
            self.x, self.test = ctypes.CDLL("libX11.so.6"), ctypes.CDLL("libXtst.so.6")
        except OSError as why:
            raise Skipped(str(why)) from why
        self.x.XOpenDisplay.restype = ctypes.c_void_p
        self.x.XStringToKeysym.restype = ctypes.c_ulong
        self.server = ctypes.c_void_p(self.x.XOpenDisplay(name.encode()))

    def _send(self, seconds=0.15):
        self.x.XFlush(self.server)
        time.sleep(seconds)

    def key(self, name):
        code = self.x.XKeysymToKeycode(self.server, ctypes.c_ulong(self.x.XStringToKeysym(name.encode())))
        for down in (1, 0):
            self.test.XTestFakeKeyEvent(self.server, code, down, ctypes.c_ulong(0))
            self._send()

    def move(self, x, y):
        self.test.XTestFakeMotionEvent(self.server, -1, x, y, ctypes.c_ulong(0))
        self._send()

    def button(self, number, down):
        self.test.XTestFakeButtonEvent(self.server, number, down, ctypes.c_ulong(0))
        self._send()

    def drag(self, x, y, to_x, to_y):
        self.move(x, y)
        time.sleep(0.3)
        self.button(1, 1)
        time.sleep(0.5)  # the window looks where the pointer is once a frame
        for i in range(1, 11):
            self.move(x + (to_x - x) * i // 10, y + (to_y - y) * i // 10)
        self.button(1, 0)


def handled(firn, act, *words):
    """Opens the window, has `act` use it by hand, and interrupts it."""
    firn.write("scene.yaml", BODIES.replace("duration: 4 s", "duration: 1000 s"))
    os.makedirs(firn.path("config"), exist_ok=True)
    with display() as screen:
        job = firn.start("view", "scene.yaml", "--size", "900x640", *words, env={"XDG_CONFIG_HOME": firn.path("config"), **screen})
        hands = Hands(screen["DISPLAY"])
        before = set(glob.glob(firn.path("picture-*.png")))
        hands.move(500, 300)
        for _ in range(100):  # until there is a picture to be saved
            if set(glob.glob(firn.path("picture-*.png"))) - before or job.poll() is not None:
                break
            hands.key("p")
        act(hands)
        job.send_signal(signal.SIGINT)
        job.communicate(timeout=100)
    assert job.returncode == 130, job.returncode


def place_of(firn, window):
    with open(firn.path("config", "firn", "view-layout.ini"), encoding="utf-8") as file:
        found = re.search(rf"\[Window\]\[{window}\]\nPos=(-?\d+),(-?\d+)", file.read())
    return tuple(int(n) for n in found.groups())


@case
def view_obeys_the_keyboard_and_mouse_of_a_user_and_remembers_the_layout(firn):
    """Not a script: events of the X server. A crate is pulled up, plots are shown, a panel is moved; the next window has all that."""
    need_viewer(firn)

    def play(hands):
        hands.key("2")
        hands.drag(450, 330, 450, 150)
        hands.key("g")
        time.sleep(0.5)
        hands.drag(200, 337, 280, 337)  # the title of the panel "Plots"
        time.sleep(0.5)

    handled(firn, play, "--record", "touches")
    with open(firn.path("touches"), encoding="utf-8") as file:
        assert " push crate " in file.read()
    assert "compared" in firn.good("view", "--replay", "touches").out
    with open(firn.path("config", "firn", "view.conf"), encoding="utf-8") as file:
        text = file.read()
    assert "plots yes" in text and "scene scene.yaml" in text, text
    moved = place_of(firn, "Plots")
    assert 48 <= moved[0] <= 90, f"{moved}: it was at 8, and was pulled by 80"
    handled(firn, lambda hands: time.sleep(0.5))
    assert place_of(firn, "Plots") == moved
