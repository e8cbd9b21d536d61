"""What must hold in every scene, whatever its numbers. Each law returns None, or a sentence with the numbers that break it.

Tolerances are what a user would not notice, not what the engine reaches today; what it does not reach is listed in tools/gauntlet.known.
"""
import dataclasses

import numpy as np

import meshes
import models
import scenes

GRAVITY = 9.81
MASS = 0.005                    # share of the mass of a shape
STILL_SPEED = 0.05              # m/s, the fastest particle of something that lies still
ENERGY = 0.01                   # share of what lifts the whole by its own height
WHOLE = 1e-9                    # share of the mass of all models
INSIDE = 0.1                    # units (cells, spacings) that a point may be inside a body


def parts(case):
    """A scene of several models as one case for each of them."""
    return [dataclasses.replace(case, model=model, unit=unit, parts=()) for model, unit in case.parts] or [case]


def of_each(law):
    """The law for each model of a scene on its own."""
    def all_of(case, *more):
        wrong = ((part.model, law(part, *more)) for part in parts(case))
        return next((f"{model}: {text}" if case.parts else text for model, text in wrong if text), None)
    all_of.__doc__ = law.__doc__
    return all_of


# --- what a frame shows -----------------------------------------------------------------------------------------------


def points(case, frame):
    """Positions and weights of what the model shows; what is compared between two runs."""
    fields = frame.fields
    if case.model == "bodies":
        which = [i for i, name in enumerate(frame.bodies) if case.scene["bodies"][name].get("motion") == "dynamic"]
        return fields["bodies.position"][which].astype(float), np.ones(len(which))
    if case.model == "field":
        x, depth = field_map(frame)
        change = np.abs(depth - field_grid(frame)["depth"])
        touched = change > 1e-4
        return x[touched], change[touched]
    if case.model == "wind":
        if "wind.position" not in fields:
            return np.zeros((0, 3)), np.zeros(0)
        return fields["wind.position"].astype(float), np.ones(len(fields["wind.position"]))
    x = fields[case.model + ".position"].astype(float)
    return x, (fields["mpm.mass"][:, 0].astype(float) if case.model == "mpm" else np.ones(len(x)))


def field_grid(frame):
    g = frame.fields["field.grid"][:, 0]
    return {"corner": g[:2], "cell": g[2], "cells": g[3:5].astype(int), "edge": int(g[5]), "depth": g[6]}


def field_map(frame):
    """Places and depths of all cells that were ever touched."""
    g = field_grid(frame)
    tiles = frame.fields["field.tile"]
    if not len(tiles):
        return np.zeros((0, 3)), np.zeros(0)
    edge = g["edge"]
    depth = frame.fields["field.depth"][:, 0].astype(float).reshape(len(tiles), edge, edge)
    ground = frame.fields["field.ground"][:, 0].astype(float).reshape(len(tiles), edge, edge)
    row, column = np.mgrid[0:edge, 0:edge]
    cx = tiles[:, 0, None, None] * edge + column
    cz = tiles[:, 1, None, None] * edge + row
    valid = (cx < g["cells"][0]) & (cz < g["cells"][1])
    x = g["corner"][0] + (cx + 0.5) * g["cell"]
    z = g["corner"][1] + (cz + 0.5) * g["cell"]
    return np.stack([x[valid], (ground + depth)[valid], z[valid]], axis=1), depth[valid]


SUMMARY = ("middle", "5th percentile", "95th percentile", "the body")


def summary(case, frame, move):
    """Middle and extents, taken back to where the scene was before it was moved; of a snow field, the body in it, too."""
    x, weight = points(case, frame)
    rows = np.zeros((3, 3))
    if len(x):
        x = move.back(x)
        wide = case.unit * np.array([1, 0, 1]) if case.model == "field" else np.zeros(3)
        rows = np.array([(x * weight[:, None]).sum(axis=0) / weight.sum(), *(percentile(x, weight, share, wide) for share in (0.05, 0.95))])
    if case.model == "field":
        moving = [frame.body(name)[0] for name in frame.bodies if case.scene["bodies"][name].get("motion") == "dynamic"]
        rows = np.concatenate([rows, move.back(np.array(moving).reshape(-1, 3))])
    return rows


def percentile(x, weight, share, wide):
    """Along each axis, where so much of the weight lies below; that of a cell lies evenly over its width."""
    found = np.zeros(3)
    for k in range(3):
        order = np.argsort(x[:, k])
        places, below = x[order, k], np.cumsum(weight[order]) / weight.sum()
        if wide[k]:
            last = np.append(np.diff(places) > 0.5 * wide[k], True)              # of each row of cells
            places, below = places[last] + 0.5 * wide[k], below[last]
            places, below = np.append(places[0] - wide[k], places), np.append(0.0, below)
        found[k] = np.interp(share, below, places)
    return found


def way(case, frames):
    """How far things have come, r.m.s. in m; in a snow field, the body."""
    if case.model == "field":
        first, last = (summary(case, frame, scenes.Move())[3:] for frame in (frames[0], frames[-1]))
    else:
        first, last = points(case, frames[0])[0], points(case, frames[-1])[0]
    if case.model == "wind" or len(first) != len(last) or not len(first):
        return 0.0
    ids = [frame.fields.get(case.model + ".id") for frame in (frames[0], frames[-1])]
    if ids[0] is not None:
        first, last = first[np.argsort(ids[0][:, 0])], last[np.argsort(ids[1][:, 0])]
    return float(np.sqrt(((last - first) ** 2).sum(axis=1).mean()))


# --- laws of one run --------------------------------------------------------------------------------------------------


def fills(scene):
    """Shapes that are filled: model, shape, density of what fills them."""
    for snow in scene.get("mpm", {}).get("snow", {}).values():
        yield "mpm", snow["shape"], snow.get("type", "packed")
    for solid in scene.get("pbd", {}).get("solids", {}).values():
        cells = [n * solid["spacing"] for n in solid.get("lattice", [])]         # one for each particle
        yield "pbd", solid.get("shape", {"box": {"size": cells}}), 500.0
    for pool in scene.get("pbd", {}).get("fluid", {}).get("pools", {}).values():
        yield "pbd", pool["shape"], 1000.0
    for snow in scene.get("phase", {}).get("snow", {}).values():
        yield "phase", snow["shape"], snow.get("type", "packed")
    for water in scene.get("phase", {}).get("water", {}).values():
        yield "phase", water["shape"], 1000.0
    for fill in scene.get("grains", {}).get("fill", {}).values():
        yield "grains", fill["shape"], fill["spacing"]


DENSITY = {"fresh": 100, "powder": 150, "packed": 400, "wet": 400, "granular": 300, "firn": 600, "icy": 850, "slush": 800}


def grain_tolerance(scene, amount):
    """One grain stands for a whole cell of its lattice: half a layer in all, or along each axis where the layers are whole ones."""
    regular = any(fill.get("pattern") == "regular" for fill in scene["grains"]["fill"].values())
    layer = (1.0 if scenes.contains(scene["grains"], ("hare",)) else 0.5) * amount ** (-1 / 3)       # its ears are all surface
    return max(MASS, (1 + layer) ** 3 - 1 if regular else layer)


def taken(scene):
    """m3 of a snow field's layer that boxes which stand on its ground take away."""
    field = scene["field"]
    return sum(np.prod(body["shape"]["box"]["size"][::2]) * field["depth"] for body in scene["bodies"].values()
               if "box" in body["shape"] and "motion" not in body and body["at"][1] - body["shape"]["box"]["size"][1] / 2 <= field["at"][1] + 1e-6)


def mass(case, frames, ask_volume):
    """The mass of a fill is that of its shape; of grains, their number. Afterwards nothing is lost."""
    wanted = {}
    for model, shape, density in fills(case.scene):
        volume = models.volume(shape)
        volume = ask_volume(shape) if volume is None else volume
        amount = volume / density ** 3 if model == "grains" else volume * DENSITY.get(density, density)
        wanted[model] = wanted.get(model, 0) + amount
    for model, amount in wanted.items():
        ledger = frames[0].ledgers[model]
        got = ledger["items"] if model == "grains" else ledger["mass"]
        tolerance = grain_tolerance(case.scene, amount) if model == "grains" else MASS
        if abs(got / amount - 1) > tolerance:
            unit = "grains" if model == "grains" else "kg"
            return f"{model}: {got:.5g} {unit} fill a shape of {amount:.5g} {unit} ({(got / amount - 1) * 100:+.1f} %, allowed {tolerance * 100:.1f} %)"
    if "field" in case.scene:
        f = case.scene["field"]
        amount = (f["width"] * f["length"] * f["depth"] - taken(case.scene)) * DENSITY[f["snow"]]
        got = frames[0].ledgers["field"]["mass"]
        if abs(got / amount - 1) > MASS:
            return f"field: {got:.6g} kg instead of {amount:.6g} kg"
    for model in ("mpm", "pbd", "phase", "field", "wind", "bodies", "grains"):
        if model in frames[0].ledgers:
            for frame in frames:
                book = frame.ledgers[model]
                missing = book["mass_in"] - book["mass_out"] - book["mass"]
                if abs(missing) > 1e-6 * max(book["mass_in"], 1e-3) or book["mass_lost"] > 0:
                    return f"{model}: {missing + book['mass_lost']:.4g} kg of {book['mass_in']:.5g} kg are lost at {frame.time:.3g} s"
    text = whole_mass(case, frames)
    if text:
        return text
    if "field" in case.scene:        # the ledger against the cells
        g, frame = field_grid(frames[-1]), frames[-1]
        if len(frame.fields["field.tile"]) and not len(frame.fields["field.bit_position"]) and not len(frame.fields["field.cover"]):
            edge2 = g["edge"] ** 2
            lies = float((frame.fields["field.depth"].astype(float) * frame.fields["field.density"]).sum()) * g["cell"] ** 2
            f = case.scene["field"]
            inside = len(frame.fields["field.tile"]) * edge2
            if inside >= g["cells"].prod() and abs(lies / frame.ledgers["field"]["mass"] - 1) > 1e-4:
                return f"field: cells hold {lies:.6g} kg, the ledger says {frame.ledgers['field']['mass']:.6g} kg"
    return None


def whole_mass(case, frames):
    """What one model hands over, another has got: the mass of all together stays, where nothing comes in from outside."""
    if "flakes" in case.scene or "pour" in case.scene.get("field", {}):
        return None
    if sum(book["mass"] > 0 for book in frames[0].ledgers.values()) < 2:
        return None                      # nothing is handed over; bits that a blade throws may leave a small field
    for frame in frames:
        out = sum(book["mass_out"] - book["mass_in"] for book in frame.ledgers.values())
        out -= sum(book["mass_out"] - book["mass_in"] for book in frames[0].ledgers.values())
        if abs(out) > WHOLE * sum(book["mass"] for book in frames[0].ledgers.values()):
            return f"{out:.4g} kg of the mass of all models together are gone at {frame.time:.3g} s"
    return None


def energy(case, frames, _):
    """Kinetic and potential energy do not grow without work."""
    if case.works:
        return None
    books = [model for model in frames[0].ledgers if model != "wind"]
    lifts = "mpm" in case.scene          # snow of the field that becomes MPM snow brings its height along
    total = [sum(f.ledgers[m]["kinetic"] + f.ledgers[m]["potential"] for m in books if m != "field" or lifts) for f in frames]
    weight = GRAVITY * sum(frames[0].ledgers[m]["mass"] for m in books if m != "field")
    heights = [case.unit]
    for part in parts(case):
        x = points(part, frames[0])[0]
        heights.append(float(np.ptp(x[:, 1])) if len(x) else 0.0)
    moving = sum(frames[0].ledgers[m]["kinetic"] for m in books if m == case.model or case.parts)
    scale = max(weight * max(heights), moving)
    worst = int(np.argmax(total))
    gain = total[worst] - total[0]
    if gain > ENERGY * scale:
        return (f"{gain:.4g} J come from nothing by {frames[worst].time:.3g} s, {gain / scale * 100:.3g} % of what lifts all by its own height "
                f"(allowed {ENERGY * 100:.0f} %); it is {total[0]:.4g} J at the start")
    return None


def still(case, frames, _):
    """What lies still stays still."""
    if not case.at_rest:
        return None
    if case.model == "field":
        x, depth = field_map(frames[-1])
        change = np.abs(depth - case.scene["field"]["depth"]).max() if len(depth) else 0.0
        return f"untouched snow changes its depth by {change:.3g} m" if change > 1e-6 else None
    if case.model == "wind":
        fastest = max(float(np.abs(f.fields["wind.air"]).max()) for f in frames)
        return f"calm air moves with {fastest:.3g} m/s (allowed 1 mm/s)" if fastest > 1e-3 else None
    if case.model == "bodies":
        start, end = points(case, frames[0])[0], points(case, frames[-1])[0]
        far = float(np.linalg.norm(end - start, axis=1).max())
        turn = max(2 * np.arccos(min(1, abs(float(q[0])))) for q in frames[-1].fields["bodies.rotation"])
        if far > 0.002 + 0.005 * case.unit or turn > 0.02:
            return f"a tower moves by {far * 1000:.2g} mm and turns by {np.degrees(turn):.2g} degrees"
        return None
    start, end = points(case, frames[0])[0], points(case, frames[-1])[0]
    half = points(case, frames[len(frames) // 2])[0]
    height = float(np.percentile(start[:, 1], 98) - np.percentile(start[:, 1], 2)) + case.unit
    sunk = float(start[:, 1].mean() - end[:, 1].mean())
    creep = float(half[:, 1].mean() - end[:, 1].mean())
    allowed = 0.1 * case.unit + 0.04 * height / 2
    if abs(sunk) > allowed:
        return f"at rest, its middle sinks by {sunk * 1000:.3g} mm of {height * 500:.3g} mm (allowed {allowed * 1000:.2g} mm)"
    if abs(creep) > 0.02 * case.unit:
        return f"at rest, its middle still creeps by {creep * 1000:.2g} mm in {frames[-1].time - frames[len(frames) // 2].time:.2g} s"
    fastest = float(np.linalg.norm(frames[-1].fields[case.model + ".velocity"], axis=1).max())
    if fastest > STILL_SPEED:
        return f"at rest, it moves with {fastest:.2g} m/s at {frames[-1].time:.2g} s (allowed {STILL_SPEED} m/s)"
    return None


def rotation(angles):
    """Turned about x, then y, then z."""
    x, y, z = angles
    about_x = np.array([[1, 0, 0], [0, np.cos(x), -np.sin(x)], [0, np.sin(x), np.cos(x)]])
    about_y = np.array([[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]])
    about_z = np.array([[np.cos(z), -np.sin(z), 0], [np.sin(z), np.cos(z), 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def from_quaternion(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def distance(shape, x):
    """Signed distance of points in the frame of a shape, at least inside; None for shapes that only firn knows."""
    kind, values = next(iter(shape.items())) if isinstance(shape, dict) else (shape, {})
    if kind == "plane":
        return x[:, 1]
    if kind == "box":
        return (np.abs(x) - np.array(values["size"]) / 2).max(axis=1)
    if kind == "sphere":
        return np.linalg.norm(x, axis=1) - values["radius"]
    if kind == "cylinder":
        return np.maximum(np.hypot(x[:, 0], x[:, 2]) - values["radius"], np.abs(x[:, 1]) - values["length"] / 2)
    if kind == "mesh":
        return meshes.distance(values["file"], x)
    if kind == "capsule":
        axis = np.clip(x[:, 1], -values["length"] / 2, values["length"] / 2)
        return np.linalg.norm(x - np.stack([0 * axis, axis, 0 * axis], axis=1), axis=1) - values["radius"]
    return None


def corners(shape):
    """Points of the surface of a shape that can be low, in its own frame, and how much round they are."""
    kind, values = next(iter(shape.items())) if isinstance(shape, dict) else (shape, {})
    if kind == "box":
        return np.array(np.meshgrid(*[(-s / 2, s / 2) for s in values["size"]])).reshape(3, -1).T, 0.0
    if kind == "sphere":
        return np.zeros((1, 3)), values["radius"]
    if kind == "capsule":
        return np.array([[0, s * values["length"] / 2, 0] for s in (-1, 1)]), values["radius"]
    if kind == "cylinder":
        angle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
        return np.array([[values["radius"] * np.cos(a), s * values["length"] / 2, values["radius"] * np.sin(a)] for a in angle for s in (-1, 1)]), 0.0
    if kind == "mesh":
        return meshes.closed(values["file"])[0], 0.0
    return np.zeros((0, 3)), 0.0


def inside(case, frames, _):
    """Nothing is inside a body."""
    things = case.scene.get("bodies", {})
    for frame in (frames[len(frames) // 2], frames[-1]):
        for name, body in things.items():
            at, turn = frame.body(name)
            matrix = from_quaternion(turn)
            if case.model == "bodies":
                for other, thing in things.items():
                    if other == name or thing.get("motion") != "dynamic":
                        continue
                    spots, round_by = corners(thing["shape"])
                    where, how = frame.body(other)
                    spots = spots @ from_quaternion(how).T + where
                    d = distance(body["shape"], (spots - at) @ matrix)
                    deep = 0.0 if d is None or not len(d) else -float(d.min()) + round_by
                    if deep > 0.005 + 0.01 * case.unit:
                        return f"{other} is {deep * 1000:.3g} mm inside {name} at {frame.time:.2g} s (allowed {5 + 10 * case.unit:.2g} mm)"
                continue
            if case.model == "field":
                if body.get("motion") is None:
                    continue
                x, depth = field_map(frame)
                x = x[depth > 0.01]
                allowed = case.unit + 0.01
            else:
                x = points(case, frame)[0]
                allowed = INSIDE * case.unit
                if case.model == "wind":
                    allowed = case.unit          # the air's cells are full or empty
            if not len(x):
                continue
            d = distance(body["shape"], (x - at) @ matrix)
            if d is not None and d.min() < -allowed:
                share = float((d < -allowed).mean())
                what = "snow" if case.model == "field" else "a particle"
                return (f"{what} is {-d.min() * 1000:.3g} mm inside {name} at {frame.time:.2g} s (allowed {allowed * 1000:.2g} mm; "
                        f"{share * 100:.2g} % are deeper)")
    return None


def finite(case, frames, _):
    """Every number that is shown is one."""
    for name, data in frames[-1].fields.items():
        if data.dtype.kind == "f" and data.size and not np.isfinite(data).all():
            return f"{name} holds a value that is not a number"
    return None


ALONE = {"finite": finite, "mass": mass, "energy": energy, "still": of_each(still), "inside": of_each(inside)}


# --- laws of two runs -------------------------------------------------------------------------------------------------

# How far the summary of a run may be off that of the unmoved one: units (cells, spacings), and share of the way that things have come.
MOVED = {"part of a cell": (0.15, 0.03), "1 km": (0.02, 0.01), "turned": (0.1, 0.03), "mirrored": (0.1, 0.03), "frame rate": (0.05, 0.03),
         "alone": (0.05, 0.03)}
FINER = ("finer step", "finer cell")
SAME = ("threads", "restart")   # the state has the same bits, whatever the number of threads and however often the run stops
# A user does not notice such a wind; where it changes the result, three times that change is allowed, too: small differences grow there.
HAIR = [[1e-4, -GRAVITY, 0], [0, -GRAVITY, 1e-4], [-1e-4, -GRAVITY * (1 + 1e-5), -1e-4]]
GROWN = 3.0
SCATTER = 4.0                   # standard errors
DEPTH = (0.05, 1e-4)            # sum of the changes of depth: share, and m per cell that was touched


def move_for(case, law):
    if law == "part of a cell":
        return scenes.shifted(0.37 * case.unit, 0.45 * case.unit, 0.21 * case.unit)
    if law == "1 km":
        # Whole pairs of blocks of mpm: only the place counts, not where things lie in the grid, nor the order of contacts.
        pair = 8 * case.unit
        return scenes.shifted(round(1000 / pair) * pair, 0, -round(1000 / pair) * pair)
    return {"turned": scenes.TURNED, "mirrored": scenes.MIRRORED}.get(law, scenes.Move())


def variant(case, law):
    """The scene that a law compares with, and the way back; None where it does not apply."""
    if law not in MOVED:
        return None
    eddies = case.scene.get("wind", {}).get("inflow", {}).get("turbulence") != 0      # at random: not their own mirror image
    if law == "mirrored" and (scenes.contains(case.scene, scenes.ONE_SIDED) or ("wind" in case.scene and eddies)):
        return None
    move = move_for(case, law)
    scene = scenes.moved(case.scene, move)
    if law == "frame rate":
        scene["fps"] = 50 if case.scene["fps"] in (20, 25) else 48 if case.scene["fps"] == 24 else 10
    return scene, move


def hairs(scene):
    """The scene as it stands, pulled by a hair's weight to several sides."""
    return [{**scene, "gravity": gravity} for gravity in HAIR]


def only(case, part):
    """The scene without the other models' sections."""
    others = {model for model, _ in case.parts} - {part.model}
    return {key: value for key, value in case.scene.items() if key not in others}


def air(frame, move):
    """Velocities of the air, in an order that does not depend on where the scene is."""
    g = frame.fields["wind.grid"][:, 0]
    n = g[4:7].astype(int)
    z, y, x = np.mgrid[0:n[2], 0:n[1], 0:n[0]]
    at = np.stack([x.ravel(), y.ravel(), z.ravel()], axis=1) * g[3] + g[:3]
    return np.rint(move.back(at) * 1000).astype(int), move.vector_back(frame.fields["wind.air"])


def same_air(case, one, two, move, tolerance):
    a, v = air(one, scenes.Move())
    b, w = air(two, move)
    middle_a, middle_b = a - a.mean(axis=0), b - b.mean(axis=0)
    v = v[np.lexsort(np.rint(middle_a).T)]
    w = w[np.lexsort(np.rint(middle_b).T)]
    speed = max(float(np.abs(v).max()), 1e-3)
    off = float(np.sqrt(((v - w) ** 2).sum(axis=1).mean())) / speed
    return f"the air is off by {off * 100:.2g} % r.m.s. of the largest speed (allowed {tolerance * 100:.2g} %)" if off > tolerance else None


def compare(case, law, frames, others, move, grown=()):
    """The same in both runs, as far as a user can tell. grown: frames of runs that differ from the first by a hair."""
    units, share = MOVED[law]
    if case.model == "wind":
        return compare_wind(case, frames, others, move)
    travelled = way(case, frames)
    a, b = summary(case, frames[-1], scenes.Move()), summary(case, others[-1], move)
    allowed = units * case.unit + share * travelled
    if case.model == "grains" and law in ("turned", "mirrored"):
        allowed += SCATTER * scatter(case, frames[-1])           # their places are drawn and do not turn with the scene
    spread = max((float(np.abs(summary(case, hair[-1], scenes.Move()) - a).max()) for hair in grown), default=0.0)
    off = np.abs(a - b)
    worst = np.unravel_index(int(np.argmax(off)), off.shape)
    if off[worst] > allowed + GROWN * spread:
        hair = f", and {GROWN:g} times the {spread * 1000:.2g} mm that a hair changes" if spread > 0.01 * allowed else ""
        return (f"{SUMMARY[min(worst[0], 3)]} along {'xyz'[worst[1]]} is {b[worst]:.5g} m instead of {a[worst]:.5g} m: {off[worst] * 1000:.3g} mm off "
                f"(allowed {allowed * 1000:.3g} mm: {units} of {case.unit * 100:.3g} cm and {share * 100:.0f} % of a way of {travelled:.2g} m{hair})")
    return compare_depths(case, frames, others, grown) if case.model == "field" else None


def scatter(case, frame):
    """Standard error of a mean of points drawn at random."""
    x = points(case, frame)[0]
    regular = all(fill.get("pattern") == "regular" for fill in case.scene["grains"]["fill"].values())
    return 0.0 if regular or not len(x) else float(x.std(axis=0).max()) / np.sqrt(len(x))


def compare_depths(case, frames, others, grown):
    sums = [points(case, run[-1])[1] for run in (frames, others, *grown)]
    one, two = (float(changes.sum()) for changes in sums[:2])
    spread = max((abs(float(changes.sum()) - one) for changes in sums[2:]), default=0.0)
    if abs(one - two) > DEPTH[0] * one + DEPTH[1] * max(len(sums[0]), len(sums[1])) + GROWN * spread:
        return (f"changes of depth sum up to {two:.5g} m in {len(sums[1])} cells instead of {one:.5g} m in {len(sums[0])} "
                f"(allowed {DEPTH[0] * 100:g} % and {DEPTH[1] * 1000:g} mm a cell)")
    return None


def compare_wind(case, frames, others, move):
    text = same_air(case, frames[-1], others[-1], move, 0.02)
    if text or "wind.counters" not in frames[-1].fields:
        return text
    # Other flakes fall: as many, to their scatter.
    one, two = (float(f[-1].fields["wind.counters"][1, 0]) for f in (frames, others))
    off = abs(one - two)
    return f"{two:.0f} flakes landed instead of {one:.0f}" if off > 5 * np.sqrt(one + two + 1) + 0.02 * one else None


# --- finer steps and cells --------------------------------------------------------------------------------------------


def finer_scenes(case, law):
    """The scene, and two finer ones."""
    if law == "finer step":
        return [{**case.scene, "max_step": case.step / times} for times in (1, 2, 4)]
    section, key = case.finer
    found = []
    for times in (1, 1.5, 2):
        model = {**case.scene[section], key: case.scene[section][key] / times}
        if "grid" in model:
            model["grid"] = [int(n * times) for n in model["grid"]]
        found.append({**case.scene, section: model})
    return found


def blocks(frame):
    """The air in 4 x 2 x 4 parts of its box, whatever its cells."""
    n = frame.fields["wind.grid"][4:7, 0].astype(int)
    v = frame.fields["wind.air"].astype(float).reshape(n[2], n[1], n[0], 3)
    return np.einsum("az,by,cx,zyxk->abck", *(shares(m, k) for m, k in zip((4, 2, 4), n[::-1])), v).reshape(-1, 3)


def shares(parts_wanted, cells):
    """How much of each cell lies in each of the parts of a row, as weights of a mean."""
    edges, wide = np.arange(cells) / cells, 1 / cells
    low = np.arange(parts_wanted)[:, None] / parts_wanted
    overlap = np.clip(np.minimum(edges + wide, low + 1 / parts_wanted) - np.maximum(edges, low), 0, None)
    return overlap * parts_wanted


def converges(case, law, runs):
    """A finer step or cell comes nearer: the second refinement changes less than the first, as a share of what is refined."""
    if case.model == "wind":
        ends, unit, name = [blocks(frames[-1]) for frames in runs], max(float(np.abs(blocks(runs[0][-1])).max()), 1e-3), "% of the largest speed"
        first, second = (float(np.sqrt(((ends[i + 1] - ends[i]) ** 2).sum(axis=1).mean())) for i in (0, 1))
        slack, scale = 0.02 * unit, 100 / unit
    else:
        ends = [summary(case, frames[-1], scenes.Move()) for frames in runs]
        first, second = (float(np.abs(ends[i + 1] - ends[i]).max()) for i in (0, 1))
        slack, scale, name = (0.02 if law == "finer step" else 0.1) * case.unit, 1000, "mm"
    if second > 1.1 * first + slack:
        finer = ("half the step", "a quarter") if law == "finer step" else ("two thirds of the cell", "half of it")
        return f"{finer[0]} changes the result by {first * scale:.3g} {name}, {finer[1]} by {second * scale:.3g} {name} more (slack {slack * scale:.2g})"
    return None
