"""info, export, render, demo: what can be had from a run."""
import glob
import json
import os
import resource
import struct
import xml.etree.ElementTree

from harness import case
from scenes import SMALL


def small_run(firn, count=4):
    scene = firn.write("small.yaml", SMALL)
    firn.good("run", scene, "-o", "run", "--frames", count)


def png_size(path):
    with open(path, "rb") as file:
        head = file.read(26)
    assert head[:8] == b"\x89PNG\r\n\x1a\n", path
    return struct.unpack(">II", head[16:24])


@case
def info_as_text_and_json(firn):
    small_run(firn)
    text = firn.good("info", "run").out
    assert "Small" in text and "grains" in text and "bodies" in text, text
    info = json.loads(firn.good("info", "run", "--json").out)
    assert len(firn.good("info", "run", "--json").out.splitlines()) == 1
    assert info["state_hash"] and info["frames"], info


@case
def info_plots(firn):
    small_run(firn)
    firn.good("info", "run", "--plot", "plot.png")
    width, height = png_size(firn.path("plot.png"))
    assert width >= 300 and height >= 200
    firn.good("info", "run", "--plot", "plot.svg")
    assert xml.etree.ElementTree.parse(firn.path("plot.svg")).getroot().tag.endswith("svg")
    firn.wrong("info", "run", "--plot", "plot.txt")
    firn.wrong("info", "run", "--plot", "/proc/nowhere/plot.png", code=1)


@case
def what_is_no_run_is_wrong_input(firn):
    os.makedirs(firn.path("empty"))
    firn.write("file", "x")
    for folder in ("missing", "empty", "file"):
        firn.wrong("info", folder, says=folder)
        firn.wrong("render", folder, "-o", "x.png", says=folder)
        firn.wrong("export", folder, "--format", "obj", "-o", "x", says=folder)
    assert sorted(os.listdir(firn.folder)) == ["empty", "file"]


@case
def export_meshes_points_and_an_index(firn):
    small_run(firn)
    assert firn.good("export", "run", "--format", "obj", "-o", "obj").out == "obj\n"
    meshes = glob.glob(firn.path("obj", "**", "*.obj"), recursive=True)
    assert len(meshes) >= 4
    text = open(meshes[0], encoding="utf-8").read()
    assert "\nv " in text and "\nf " in text
    firn.good("export", "run", "--format", "ply", "-o", "ply")
    clouds = sorted(glob.glob(firn.path("ply", "**", "*.ply"), recursive=True))
    assert len(clouds) >= 4
    assert open(clouds[0], "rb").read(4) == b"ply\n"
    firn.good("export", "run", "--format", "xdmf", "-o", "xdmf")
    index = glob.glob(firn.path("xdmf", "**", "*.xdmf"), recursive=True) + glob.glob(firn.path("xdmf", "**", "*.xmf"), recursive=True)
    root = xml.etree.ElementTree.parse(index[0]).getroot()
    assert root.tag == "Xdmf" and root.iter("Topology") is not None


@case
def pictures_and_movies(firn):
    small_run(firn)
    assert firn.good("render", "run", "-o", "last.png").out == "last.png\n"
    assert png_size(firn.path("last.png")) == (160, 90)
    firn.good("render", "run", "-o", "big.png", "--size", "320x180", "--frame", "1")
    assert png_size(firn.path("big.png")) == (320, 180)
    firn.good("render", "run", "-o", "pictures")
    assert len(glob.glob(firn.path("pictures", "*.png"))) in (4, 5)
    firn.good("render", "run", "-o", "movie.mp4")
    with open(firn.path("movie.mp4"), "rb") as file:
        assert file.read(12)[4:8] == b"ftyp"
    firn.wrong("render", "run", "-o", "x.png", "--camera", "nobody", says="nobody")
    assert not os.path.exists(firn.path("x.png"))
    result = firn("render", "run", "-o", "/proc/nowhere/x.mp4")
    assert result.code in (1, 2) and result.err.strip(), str(result)


def skip_blocks(data, at):
    """Behind the sub-blocks of a GIF that begin at `at`."""
    while data[at]:
        at += 1 + data[at]
    return at + 1


def gif_delays(data):
    """Of every picture of a GIF, in 1/100 s."""
    assert data[:6] == b"GIF89a", data[:6]
    delays, pictures = [], 0
    at = 13 + (3 << (data[10] & 7) + 1 if data[10] & 128 else 0)
    while data[at] != 0x3B:
        if data[at] == 0x21:
            if data[at + 1] == 0xF9:
                delays.append(struct.unpack("<H", data[at + 4:at + 6])[0])
            at = skip_blocks(data, at + 2)
        else:
            assert data[at] == 0x2C, (at, data[at])
            pictures += 1
            colors = 3 << (data[at + 9] & 7) + 1 if data[at + 9] & 128 else 0
            at = skip_blocks(data, at + 11 + colors)
    assert at == len(data) - 1 and pictures == len(delays)
    return delays


def webp_durations(data):
    """Of every picture of an animated WebP, in ms."""
    assert data[:4] == b"RIFF" and data[8:12] == b"WEBP" and struct.unpack("<I", data[4:8])[0] == len(data) - 8
    durations, at = [], 12
    while at < len(data):
        name, size = data[at:at + 4], struct.unpack("<I", data[at + 4:at + 8])[0]
        if name == b"ANIM":
            assert struct.unpack("<H", data[at + 12:at + 14])[0] == 0, "repeats for ever"
        if name == b"ANMF":
            durations.append(int.from_bytes(data[at + 20:at + 23], "little"))
        at += 8 + size + size % 2
    return durations


def read(path):
    with open(path, "rb") as file:
        return file.read()


@case
def movies_for_pages(firn):
    small_run(firn)
    for ending, durations, unit in (("gif", gif_delays, 5), ("webp", webp_durations, 50)):
        result = firn("render", "run", "-o", "movie." + ending, "--frames", "0:2")
        if result.code == 1 and "this FFmpeg has no" in result.err:
            assert "or write " in result.err and not os.path.exists(firn.path("movie." + ending)), str(result)
            continue
        assert result.code == 0 and result.out == f"movie.{ending}\n", str(result)
        found = durations(read(firn.path("movie." + ending)))
        assert found == [unit] * 3, (ending, found)
    firn.wrong("render", "run", "-o", "x.apng", says="use .mp4, .webm, .gif, .webp, .png, .exr or a folder")


def exr_channels(data):
    """The size of an uncompressed EXR, and every channel as a flat tuple of numbers."""
    assert struct.unpack("<II", data[:8]) == (20000630, 2)
    at, found = 8, {}
    while data[at]:
        end = data.index(0, at)
        name, at = data[at:end].decode(), data.index(0, end + 1) + 1
        size = struct.unpack("<i", data[at:at + 4])[0]
        found[name], at = data[at + 4:at + 4 + size], at + 4 + size
    assert found["compression"] == b"\0" and found["lineOrder"] == b"\0"
    x0, y0, x1, y1 = struct.unpack("<4i", found["dataWindow"])
    assert (x0, y0) == (0, 0) and found["displayWindow"] == found["dataWindow"]
    width, height, kinds, rest = x1 + 1, y1 + 1, [], found["channels"]
    while rest[0]:
        name, rest = rest.split(b"\0", 1)
        kinds.append((name.decode(), {1: "e", 2: "f"}[struct.unpack("<i", rest[:4])[0]]))
        assert struct.unpack("<ii", rest[8:16]) == (1, 1)
        rest = rest[16:]
    assert rest == b"\0"
    offsets = struct.unpack(f"<{height}Q", data[at + 1:at + 1 + 8 * height])
    rows = "<" + "".join(str(width) + kind for _, kind in kinds)
    channels = {name: () for name, _ in kinds}
    for y, offset in enumerate(offsets):
        assert struct.unpack("<ii", data[offset:offset + 8]) == (y, struct.calcsize(rows))
        row = struct.unpack_from(rows, data, offset + 8)
        for i, (name, _) in enumerate(kinds):
            channels[name] += row[i * width:(i + 1) * width]
    assert offsets[-1] + 8 + struct.calcsize(rows) == len(data)
    return (width, height), channels


@case
def light_coverage_and_depth(firn):
    small_run(firn)
    level = ("--set", "camera={from: [3, 2, 4], to: [0, 2, 0]}")
    firn.good("render", "run", "-o", "last.exr", *level)
    size, found = exr_channels(read(firn.path("last.exr")))
    assert size == (160, 90) and list(found) == ["A", "B", "G", "R", "Z"]
    assert min(found["A"]) == 0 and max(found["A"]) == 1
    for covered, depth in zip(found["A"], found["Z"]):
        assert (depth == struct.unpack("<f", struct.pack("<f", 1e10))[0]) == (covered == 0), (covered, depth)
    def ground(row):
        return found["Z"][row * 160 + 2]
    # The lowest of four samples of each pixel; distances on a plane grow with 1 over the angle below the horizon.
    assert abs(ground(60) / ground(85) - (85.75 - 45) / (60.75 - 45)) < 0.02, (ground(60), ground(85))
    assert all(0 <= v < 100 for name in "RGB" for v in found[name]) and max(found["R"]) > 0.3
    firn.good("render", "run", "-o", "layers", "--pictures", "exr", "--frames", "2:3", "--threads", 1)
    assert sorted(os.listdir(firn.path("layers"))) == ["frame_000002.exr", "frame_000003.exr"]
    firn.good("render", "run", "-o", "same.exr", "--frame", 3, "--threads", 3)
    assert read(firn.path("same.exr")) == read(firn.path("layers", "frame_000003.exr"))
    firn.wrong("render", "run", "-o", "never", "--pictures", "exs", says="did you mean 'exr'?")
    firn.wrong("render", "run", "-o", "never", "--pictures", "tiff", says="png or exr")
    firn.wrong("render", "run", "-o", "never.mp4", "--pictures", "exr", says="a folder or to a file that ends in .exr")
    assert not os.path.exists(firn.path("never")) and not os.path.exists(firn.path("never.mp4"))


@case
def quality_of_pictures(firn):
    small_run(firn, 1)
    pictures = {}
    for name, words in (("plain", ()), ("draft", ("--quality", "draft")), ("final", ("--quality", "final", "--set", "picture.noise=1")),
                        ("four", ("--set", "picture.samples=4"))):
        firn.good("render", "run", "-o", name + ".png", *words)
        pictures[name] = read(firn.path(name + ".png"))
    assert pictures["draft"] == pictures["plain"] and pictures["four"] != pictures["draft"]
    assert pictures["final"] != pictures["draft"]
    assert png_size(firn.path("final.png")) == (160, 90)
    firn.good("render", "run", "-o", "both.png", "--compare", "--set", "picture.noise=1")
    assert png_size(firn.path("both.png")) == (160, 90) and not os.path.exists(firn.path("both.png.part"))
    firn.wrong("render", "run", "-o", "x.exr", "--compare", says="compared as colours")
    firn.wrong("render", "run", "-o", "x.png", "--quality", "finel", says="did you mean 'final'?")
    firn.wrong("render", "run", "-o", "x.png", "--quality", "best", says="draft or final")
    assert not os.path.exists(firn.path("x.png"))


@case
def frame_ranges_of_render_and_export(firn):
    small_run(firn)
    for given, numbers in (("1", [1]), ("0:2", [0, 1, 2]), ("0:3:2", [0, 2]), ("::2", [0, 2]), ("2:", [2, 3]), (":1", [0, 1])):
        folder = "x" + given.replace(":", "-")
        firn.good("export", "run", "--format", "ply", "-o", folder, "--frames", given)
        names = glob.glob(firn.path(folder, "grains_*.ply"))
        assert sorted(int(n[-10:-4]) for n in names if int(n[-10:-4]) < 4) == numbers, (given, names)
    firn.good("render", "run", "-o", "some", "--frames", "1:3:2", "--size", "64x48")
    assert sorted(os.listdir(firn.path("some"))) == ["frame_000001.png", "frame_000003.png"]
    for given in ("", "x", "3:1", "1:2:0", "1:2:3:4", "1:2:", "-1:2", "1.5"):
        firn.wrong("render", "run", "-o", "never.png", "--frames", given, says="--frames")
    firn.wrong("render", "run", "-o", "never.png", "--frame", "1:2", says="--frame takes the number of a frame")
    firn.wrong("export", "run", "--format", "ply", "-o", "never", "--frames", "900:", says="there is no frame 900")
    assert not os.path.exists(firn.path("never")) and not os.path.exists(firn.path("never.png"))


@case
def nothing_is_written_into_the_runs_own_folder(firn):
    small_run(firn)
    os.symlink("run/frames", firn.path("link"))
    before = sorted(os.listdir(firn.path("run"))) + sorted(os.listdir(firn.path("run", "frames")))
    for place in ("run", "run/", "run/frames", "./run/new/er", "link", "link/x"):
        firn.wrong("export", "run", "--format", "ply", "-o", place, says="inside the run folder")
        firn.wrong("render", "run", "-o", place, says="inside the run folder")
        firn.wrong("render", "run", "-o", place + "/x.png", says="inside the run folder")
    assert before == sorted(os.listdir(firn.path("run"))) + sorted(os.listdir(firn.path("run", "frames")))


@case
def a_refused_export_leaves_no_folder(firn):
    small_run(firn)
    firn.wrong("export", "run", "--format", "obj", "--what", "surface", "-o", "a/b/c", says="no particles that have a surface")
    assert not os.path.exists(firn.path("a"))
    os.makedirs(firn.path("kept"))
    firn.wrong("export", "run", "--format", "obj", "--what", "surface", "-o", "kept", says="no particles that have a surface")
    assert os.path.isdir(firn.path("kept"))


@case
def the_looks_of_a_picture_can_be_set(firn):
    small_run(firn)
    firn.good("render", "run", "-o", "plain.png")
    firn.good("render", "run", "-o", "colored.png", "--set", "picture.color=grains.speed", "--set", "picture.width=200")
    assert png_size(firn.path("colored.png")) == (200, 90)
    firn.wrong("render", "run", "-o", "x.png", "--set", "seed=77", says="only the appearance")
    firn.wrong("render", "run", "-o", "x.png", "--set", "picture.color=grains.sped", says="did you mean 'grains.speed'")


@case
def exports_of_snow_need_snow(firn):
    small_run(firn)
    firn.wrong("export", "run", "--format", "obj", "--what", "surface", "-o", "x", says="no particles that have a surface")
    firn.wrong("export", "run", "--format", "png16", "--what", "surface", "-o", "x", says="'surface' cannot be exported as png16")


@case
def pictures_do_not_depend_on_threads(firn):
    small_run(firn)
    for t in (1, 3):
        firn.good("render", "run", "-o", f"p{t}.png", "--threads", t)
    assert open(firn.path("p1.png"), "rb").read() == open(firn.path("p3.png"), "rb").read()


@case
def demo_ends_with_the_path_of_a_movie(firn):
    result = firn.good("demo", "-o", "demo", "--frames", 3, "--size", "160x90")
    movie = result.out.splitlines()[-1]
    assert movie == "demo/demo.mp4", movie
    with open(firn.path(movie), "rb") as file:
        assert file.read(12)[4:8] == b"ftyp"
    assert [os.path.basename(f) for f in glob.glob(firn.path("demo", "*"))].count("demo.mp4") == 1
    assert len(glob.glob(firn.path("demo", "*", "frames", "*.h5"))) == 4, "one act"
    assert os.path.getsize(firn.path("demo", "yard-ledgers.png")) > 10000
    with open(firn.path("demo", "yard-ledgers.csv")) as file:
        assert "phase" in file.readline()
    movie = firn.good("demo", "--full", "-o", "demo", "--frames", 2, "--size", "160x90").out.splitlines()[-1]
    assert movie == "demo/demo-full.mp4", movie
    with open(firn.path("demo", "yard-full", "scene.yaml")) as file:
        assert "grid: [64, 32, 64]" in file.read(), "finer cells"
    movie = firn.good("demo", "--all", "-o", "tour", "--frames", 3, "--size", "160x90").out.splitlines()[-1]
    assert movie == "tour/tour.mp4", movie
    for act in ("tumble", "snow-hare", "snow-tracks", "tank", "snowman-melts"):
        assert len(glob.glob(firn.path("tour", act, "frames", "*.h5"))) == 4, act


@case
def rendering_with_too_little_address_space_is_refused(firn):
    small_run(firn)
    for megabytes in (400, 600, 700):
        limit = (megabytes << 20, megabytes << 20)
        firn.wrong("render", "run", "-o", "x.png", "--frame", 1, code=1, says="address space",
                   preexec=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
    assert not os.path.exists(firn.path("x.png"))
