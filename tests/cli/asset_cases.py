"""Files that a scene names: what a run keeps of them, the cache of level sets, and stopping while they are built."""
import math
import os
import shutil
import signal
import struct
import time
import zlib

from harness import case

OFF = {"FIRN_CACHE": "off"}

SCENE = """firn: 1
name: kept
duration: 0.1 s
bodies:
  ground: {shape: {height_map: {file: hills.png, size: [4 m, 20 cm, 4 m]}}, at: [0, -1, 0]}
  rock: {shape: {mesh: {file: meshes/rock.obj, height: 50 cm, resolution: 8 cm}}, motion: dynamic}
  stone: {shape: {mesh: {file: meshes/rock.obj, height: 30 cm, resolution: 4.8 cm}}, at: [1, 0, 0]}
"""


def bumpy_ball(path, around, rings, bump=0.1):
    """2 * around * (rings - 1) triangles."""
    lines = []
    for r in range(1, rings):
        for a in range(around):
            lat, lon = math.pi * r / rings, 2 * math.pi * a / around
            radius = 1 + bump * math.sin(7 * lat) * math.sin(9 * lon)
            lines.append("v %.6g %.6g %.6g" % (radius * math.sin(lat) * math.cos(lon), radius * math.cos(lat),
                                               radius * math.sin(lat) * math.sin(lon)))
    lines += ["v 0 1 0", "v 0 -1 0"]
    top, last = around * (rings - 1) + 1, around * (rings - 2)
    for a in range(around):
        b = (a + 1) % around
        lines.append(f"f {top} {b + 1} {a + 1}")
        lines.append(f"f {top + 1} {last + a + 1} {last + b + 1}")
        for r in range(rings - 2):
            p, q = r * around + a + 1, r * around + b + 1
            lines.append(f"f {p} {q} {q + around}")
            lines.append(f"f {p} {q + around} {p + around}")
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


def grey_png(path, side):
    """16-bit grey, a ramp."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + struct.pack(f">{side}H", *(x * 500 for x in range(side))) for _ in range(side))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 16, 0, 0, 0, 0))
                   + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def write_scene(firn):
    os.mkdir(firn.path("meshes"))
    bumpy_ball(firn.path("meshes", "rock.obj"), 24, 16)
    grey_png(firn.path("hills.png"), 17)
    return firn.write("kept.yaml", SCENE)


def below(folder):
    return sorted(os.path.relpath(os.path.join(top, name), folder) for top, _, names in os.walk(folder) for name in names)


@case
def a_finished_run_needs_neither_its_files_nor_the_cache(firn):
    firn.good("run", write_scene(firn), "-o", "out", env=OFF)
    kept = [name for name in below(firn.path("out")) if name.startswith("assets/")]
    assert sum(name.endswith("/rock.obj") for name in kept) == 1, kept
    assert sum(name.endswith("/hills.png") for name in kept) == 1, kept
    assert sum(name.endswith(".solid") for name in kept) == 1, kept  # both bodies are one solid
    shutil.rmtree(firn.path("meshes"))
    os.unlink(firn.path("hills.png"))
    os.unlink(firn.path("kept.yaml"))
    os.mkdir(firn.path("elsewhere"))
    os.rename(firn.path("out"), firn.path("elsewhere", "run"))
    firn.good("info", "elsewhere/run", env=OFF)
    firn.good("export", "elsewhere/run", "--format", "obj", "-o", "obj", env=OFF)
    firn.good("render", "elsewhere/run", "-o", "last.png", "--size", "64x48", env=OFF)
    again = firn.good("run", "elsewhere/run/scene.yaml", "-o", "elsewhere/run", env=OFF)
    assert "already holds all" in again.err, again
    # Without what was built, it is built from the copy; damage in it is noticed.
    solid = firn.path("elsewhere", "run", next(name for name in kept if name.endswith(".solid")))
    with open(solid, "r+b") as file:
        file.seek(os.path.getsize(solid) // 2)
        file.write(b"damage")
    firn.good("export", "elsewhere/run", "--format", "obj", "-o", "obj-2", env=OFF)
    os.unlink(solid)
    firn.good("export", "elsewhere/run", "--format", "obj", "-o", "obj-3", env=OFF)
    for name in below(firn.path("obj")):
        with open(firn.path("obj", name), "rb") as one, open(firn.path("obj-2", name), "rb") as two, \
                open(firn.path("obj-3", name), "rb") as three:
            first = one.read()
            assert two.read() == first and three.read() == first, name


@case
def a_mesh_with_other_content_is_another_scene(firn):
    scene = write_scene(firn)
    firn.good("run", scene, "-o", "out", "--frames", 1, env=OFF)
    os.rename(firn.path("meshes"), firn.path("elsewhere"))
    os.mkdir(firn.path("meshes"))
    shutil.copy(firn.path("elsewhere", "rock.obj"), firn.path("meshes", "rock.obj"))
    firn.good("run", scene, "-o", "out", "--frames", 2, env=OFF)  # the same content
    bumpy_ball(firn.path("meshes", "rock.obj"), 24, 16, 0.11)
    before = below(firn.path("out"))
    refused = firn.wrong("run", scene, "-o", "out", "--frames", 3, says="holds a run of another scene", env=OFF)
    assert "rock.obj" in refused.err, refused
    assert below(firn.path("out")) == before


@case
def the_cache_changes_no_bit_and_saves_building(firn):
    scene, cache = write_scene(firn), {"XDG_CACHE_HOME": firn.path("xdg"), "FIRN_CACHE": ""}
    plain = firn.good("hash", scene, "--steps", 5, env=OFF).out
    for _ in range(2):
        assert firn.good("hash", scene, "--steps", 5, env=cache).out == plain
        stored = below(firn.path("xdg", "firn"))
        assert len(stored) == 1, stored
    # What is damaged is built again; what cannot be written is told once and does no harm.
    path = firn.path("xdg", "firn", stored[0])
    with open(path, "r+b") as file:
        file.truncate(1000)
    assert firn.good("hash", scene, "--steps", 5, env=cache).out == plain
    assert os.path.getsize(path) > 1000
    firn.write("file", "")
    told = firn.good("hash", scene, "--steps", 5, env={"FIRN_CACHE": firn.path("file", "cache")})
    assert told.out == plain and told.err.count("is not used") == 1, told
    firn.good("hash", "tumble", "--steps", 0, env=cache)  # generated shapes, too
    assert len(below(firn.path("xdg", "firn"))) > 1


CUBE = ["f 1 5 7 3", "f 2 4 8 6", "f 1 2 6 5", "f 3 7 8 4", "f 1 3 4 2", "f 5 6 8 7"]


@case
def repeated_faces_are_dropped_with_a_note(firn):
    corners = [f"v {i & 1} {i >> 1 & 1} {i >> 2}" for i in range(8)]
    firn.write("often.obj", "\n".join(corners + CUBE * 1000) + "\n")
    firn.write("s.yaml", "firn: 1\nname: cube\nbodies: {cube: {shape: {mesh: {file: often.obj}}}}\n")
    result = firn.good("hash", "s.yaml", "--steps", 0, env=OFF, timeout=60)  # took minutes
    assert "11988 duplicate triangles were dropped" in result.err, result


@case
def errors_name_files_as_the_scene_does(firn):
    """Meshes, voxels, pictures and tables that cannot be read, also those of an included scene in another folder."""
    for folder in ("m", "base", "s"):
        os.mkdir(firn.path(folder))
    for name in ("m/bad.obj", "m/bad.binvox", "m/bad.png", "m/bad.csv", "base/own.ply"):
        firn.write(name, "junk\n")
    firn.write("base/base.yaml", "firn: 1\nbodies:\n  own: {shape: {mesh: {file: own.ply}}}\n")
    firn.write("s/shapes.yaml", "firn: 1\nfrom: ../base/base.yaml\nbodies:\n  a: {shape: {mesh: {file: ../m/bad.obj}}}\n"
               "  b: {shape: {binvox: {file: ../m/../m/bad.binvox}}}\n  c: {shape: {height_map: {file: ../m/bad.png}}}\n")
    firn.write("s/field.yaml", "firn: 1\nfield: {depth_map: ../m/bad.png}\n")
    firn.write("s/wind.yaml", "firn: 1\nwind: {inflow: {series: ../m/bad.csv}}\n")
    for scene, names in (("s/shapes.yaml", ["'../m/bad.obj'", "'../m/../m/bad.binvox'", "'../m/bad.png'", "'own.ply'"]),
                         ("s/field.yaml", ["'../m/bad.png'"]), ("s/wind.yaml", [" ../m/bad.csv:1:1: "])):
        for words in (["check", scene], ["run", scene, "-o", "o"]):
            said = firn.wrong(*words).err
            assert all(name in said for name in names) and firn.folder not in said, said


def wait_for_handler(process, number):
    """Until the process catches the signal."""
    for _ in range(600):
        with open(f"/proc/{process.pid}/status", encoding="ascii") as file:
            caught = next(line.split()[1] for line in file if line.startswith("SigCgt"))
        if int(caught, 16) >> (number - 1) & 1:
            return
        time.sleep(0.01)
    raise AssertionError("the signal is never caught")


@case
def term_is_answered_while_a_mesh_is_read_and_its_level_set_built(firn):
    bumpy_ball(firn.path("scan.obj"), 160, 100)
    firn.write("s.yaml", "firn: 1\nname: scan\nduration: 1 s\n"
               "bodies: {scan: {shape: {mesh: {file: scan.obj, height: 1 m, resolution: 4 mm}}}}\n")
    for words in (["run", "s.yaml", "-o", "out"], ["hash", "s.yaml", "--steps", "1"]):
        for delay in (0.0, 0.5):  # while the file is read; while the level set is built
            process = firn.start(*words, env=OFF)
            try:
                wait_for_handler(process, signal.SIGTERM)
                time.sleep(delay)
                assert process.poll() is None, "it was built before it could be stopped"
                process.send_signal(signal.SIGTERM)
                process.communicate(timeout=10)  # 0.1 s on a quiet machine; building takes 20 s
            finally:
                process.kill()
            assert process.returncode == 130, (words, delay, process.returncode)
    assert not os.path.exists(firn.path("out")), below(firn.path("out"))


@case
def verify_reads_the_kept_files(firn):
    scene = write_scene(firn)
    firn.good("run", scene, "-o", "out", env=OFF)
    firn.good("verify", "out")
    kept = [name for name in below(firn.path("out")) if name.startswith("assets/")]
    assert any(name.endswith(".solid") for name in kept) and any(name.endswith(".obj") for name in kept), kept
    for ending in (".solid", ".obj"):
        name = next(name for name in kept if name.endswith(ending))
        with open(firn.path("out", name), "r+b") as file:
            file.seek(os.path.getsize(file.name) // 2)
            byte = file.read(1)
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte[0] ^ 1]))
        result = firn("verify", "out")
        assert result.code == 1 and name in result.out + result.err, result
        firn.good("run", scene, "-o", "out", env=OFF)  # mends it
        firn.good("verify", "out")
