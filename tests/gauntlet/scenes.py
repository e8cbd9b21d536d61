"""Scenes as data: choices by seed, moving a whole scene, writing it as a user would, running it and reading its frames.

A scene is the nested dict that its YAML says, in SI units; everything that has a place has an `at`.
"""
import copy
import glob
import hashlib
import os
import resource
import shutil
import subprocess

import h5py
import numpy as np

import meshes

CPU_SECONDS = 60        # no scene of the gauntlet should come near it


class Pick:
    """Draws from lists whose simplest option comes first. A choice depends on the seed and its own name alone, so that one can be changed
    without touching the others; `fixed` holds those that are."""

    def __init__(self, model, seed, fixed=None):
        self.model, self.seed, self.fixed, self.drawn = model, seed, dict(fixed or {}), {}

    def in_turn(self, name, *options):
        """As a call, but seed after seed takes the next option: ten seeds see each of a few."""
        self.fixed.setdefault(name, self.seed % len(options))
        return self(name, *options)

    def __call__(self, name, *options):
        if name in self.fixed:
            which = self.fixed[name]
            if isinstance(which, str):           # from the command line
                which = next((i for i, option in enumerate(options) if str(option) == which), 0)
            which = min(which, len(options) - 1)
        else:
            draw = hashlib.blake2b(f"{self.model}/{self.seed}/{name}".encode(), digest_size=8).digest()
            which = int.from_bytes(draw, "little") % len(options)
        self.drawn[name] = (which, options)
        return options[which]

    def words(self):
        """The choices as words, for the conditions of known failures."""
        return {f"{name}={options[which]}" for name, (which, options) in self.drawn.items()}


# --- moving a whole scene ---------------------------------------------------------------------------------------------

SIDES = ["west", "south", "east", "north"]       # the order in which a turn by 90 degrees about y leads


class Move:
    """A map of space: `there` takes a point or vector of the scene to the moved one, `back` returns. Shapes are turned with it."""

    def __init__(self, matrix=((1, 0, 0), (0, 1, 0), (0, 0, 1)), by=(0, 0, 0)):
        self.matrix, self.by = np.array(matrix, float), np.array(by, float)

    def there(self, x):
        return self.matrix @ np.array(x, float) + self.by

    def vector(self, v):
        return self.matrix @ np.array(v, float)

    def axial(self, w):
        return np.linalg.det(self.matrix) * self.vector(w)

    def sizes(self, s):
        return np.abs(self.vector(s))

    def side(self, name):
        at = {"west": (-1, 0, 0), "east": (1, 0, 0), "north": (0, 0, -1), "south": (0, 0, 1)}
        moved = tuple(np.rint(self.vector(at[name])).astype(int))
        return next(side for side, where in at.items() if where == moved)

    def back(self, x):
        return (np.asarray(x, float) - self.by) @ self.matrix        # the matrix is orthogonal

    def vector_back(self, v):
        return np.asarray(v, float) @ self.matrix


def shifted(x, y, z):
    return Move(by=(x, y, z))


TURNED = Move(matrix=((0, 0, 1), (0, 1, 0), (-1, 0, 0)))
MIRRORED = Move(matrix=((-1, 0, 0), (0, 1, 0), (0, 0, 1)))
ONE_SIDED = ("hare", "house", "snowman", "lamp_post", "tree", "rock", "fence", "mesh")    # shapes that are not their own mirror image


def contains(scene, words):
    if isinstance(scene, dict):
        return any(key in words or contains(value, words) for key, value in scene.items())
    return any(contains(value, words) for value in scene) if isinstance(scene, list) else scene in words


def numbers(values):
    return [round(float(v), 9) + 0.0 for v in values]


def moved(scene, move):
    """The scene, taken elsewhere by `move`."""
    new = copy.deepcopy(scene)

    def walk(node):
        if isinstance(node, list):
            for part in node:
                walk(part)
        if not isinstance(node, dict):
            return
        for key in ("at", "low", "high"):
            if key in node:
                node[key] = numbers(move.there(node[key]))
        if "low" in node and "high" in node:
            pair = np.array([node["low"], node["high"]])
            node["low"], node["high"] = numbers(pair.min(axis=0)), numbers(pair.max(axis=0))
        for key in ("velocity", "normal"):
            if key in node:
                node[key] = numbers(move.vector(node[key]))
        for key in ("spin", "rotate"):           # rotations of a scene are about one axis, so that they turn like a vector
            if key in node:
                node[key] = numbers(move.axial(node[key]))
        for key in ("size", "radii", "lattice", "grid"):
            if key in node:
                node[key] = numbers(move.sizes(node[key]))
        shape = node.get("shape")
        if isinstance(shape, dict) and next(iter(shape)) in ONE_SIDED and move is TURNED:
            node["rotate"] = numbers(np.array(node.get("rotate", [0, 0, 0])) + [0, np.pi / 2, 0])
        for value in node.values():
            walk(value)

    walk(new)
    if "field" in new:
        size = move.sizes([new["field"]["width"], 0, new["field"]["length"]])
        new["field"]["width"], new["field"]["length"] = float(size[0]), float(size[2])
    if "wind" in new:
        inflow = new["wind"]["inflow"]
        inflow["side"] = move.side(inflow["side"])
        if "sides" in new["wind"]:
            new["wind"]["sides"] = {k if k == "top" else move.side(k): v for k, v in new["wind"]["sides"].items()}
    return new


# --- writing ----------------------------------------------------------------------------------------------------------

LENGTHS = {"cell", "spacing", "radius", "depth", "height", "width", "length", "thickness"}


def word(key, value):
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (int, float)):
        text = f"{value:.10g}"
        if key in LENGTHS and 0.001 <= abs(value) < 1:
            text = f"{value * 100:.8g} cm"
        elif key == "mass" and value < 1:
            text = f"{value * 1000:.8g} g"
        elif key == "step" and value:
            text = f"{value * 1000:.8g} ms"
        return text
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(word("", v) for v in value) + "]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k}: {word(k, v)}" for k, v in value.items()) + "}"
    return str(value)


def yaml(scene, depth=0):
    """Blocks for what is long, flow for what is short."""
    lines = []
    for key, value in scene.items():
        flow = word(key, value)
        if isinstance(value, dict) and (len(flow) > 90 and depth < 3):
            lines += ["  " * depth + f"{key}:", yaml(value, depth + 1)]
        else:
            lines.append("  " * depth + f"{key}: {flow}")
    return "\n".join(lines)


# --- running ----------------------------------------------------------------------------------------------------------


def mesh_files(node):
    """Names of the meshes of a scene."""
    if isinstance(node, dict):
        if isinstance(node.get("mesh"), dict):
            yield node["mesh"]["file"]
        for value in node.values():
            yield from mesh_files(value)
    elif isinstance(node, list):
        for value in node:
            yield from mesh_files(value)


def write(scene, file, heading=""):
    """The scene, and beside it the meshes that it names."""
    with open(file, "w", encoding="utf-8") as out:
        out.write(heading + yaml(scene) + "\n")
    for name in set(mesh_files(scene)):
        meshes.write(name, os.path.dirname(file))


class Frame:
    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.time = float(file.attrs["time"])
            self.step = int(file.attrs["step"])
            self.state = file.attrs["state_hash"]
            self.fields = {f"{model}.{name}": np.array(data) for model, group in file["fields"].items() for name, data in group.items()}
            self.ledgers = {name: dict(ledger.attrs) for name, ledger in file["ledgers"].items()}
            names = file["names/bodies"] if "names" in file and "bodies" in file["names"] else []
            self.bodies = [name.decode() for name in names]

    def body(self, name):
        which = self.bodies.index(name)
        return self.fields["bodies.position"][which], self.fields["bodies.rotation"][which]


class Failed(Exception):
    """A scene that firn does not run to its end."""


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))


def run(firn, scene, folder, *options, threads=1, stops=()):
    """Frames of the scene; the run ends after each of `stops` frames, and another continues it."""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    file = os.path.join(folder, "scene.yaml")
    write(scene, file)
    words = [firn, "run", file, "-o", os.path.join(folder, "out"), "--threads", str(threads), *options]
    for more in [*(("--frames", str(count)) for count in stops), ()]:
        done = subprocess.run([*words, *more], capture_output=True, text=True, stdin=subprocess.DEVNULL, preexec_fn=limit)
    paths = sorted(glob.glob(os.path.join(folder, "out", "frames", "*.h5")))
    if done.returncode or not paths:
        said = [line for line in done.stderr.splitlines() if not line.startswith("run: ")]
        raise Failed(f"firn run ends with {done.returncode}: {' '.join(said)[:300]}")
    frames = [Frame(path) for path in paths]
    shutil.rmtree(os.path.join(folder, "out"))
    return frames
