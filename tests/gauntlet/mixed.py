"""Scenes of two to five models at random, which touch the ground and each other: what a user puts together.

Things stand beside each other, fall on each other, are thrown at each other or stand apart, on a floor or in a snow field, in calm
air, wind or snowfall, in frost or with heat."""
from models import STANDS, TYPES, Case, head, numbers, placed

THINGS = ("mpm", "pbd", "grains", "phase", "box", "cloth", "ball", "rope", "tray", "stone")
MODEL = {"cloth": "pbd", "rope": "pbd", "tray": "pbd", "box": "bodies", "ball": "bodies", "stone": "bodies"}
UNIT = {"mpm": 0.1, "pbd": 0.05, "grains": 0.05, "phase": 0.05, "bodies": 0.3}


def thing_names(pick, count):
    """So many kinds, no two of them the same."""
    left, chosen = list(THINGS), []
    for i in range(count):
        chosen.append(pick(f"thing{i}", *left))
        left.remove(chosen[-1])
    return chosen


def place_of(pick, i, kind, before, half, low):
    """Where the i-th thing begins, and how fast: middle x, z, lowest y, velocity."""
    if not before:
        return 0.0, 0.0, low + pick("first", 0.0, 0.2), [0, 0, 0]
    x, top, end = before
    fixed = kind in ("tray", "stone")
    how = pick(f"place{i}", *(("beside", "apart") if fixed else ("above", "beside", "thrown", "apart", "above")))
    aside = pick(f"aside{i}", 0.0, 0.1, -0.07)
    if how == "beside":
        return end + half, aside, low, [0, 0, 0]
    if how == "thrown":
        return end + half + 0.2, aside, low + 0.2, [-pick(f"speed{i}", 3, 1, 6, 15), 0, 0]
    if how == "apart":
        return end + half + 0.4, aside, low + pick(f"height{i}", 0.0, 0.3), [0, 0, 0]
    return x + aside, aside, top + pick(f"gap{i}", 0.0, 0.1, 0.3), [0, 0, 0]


def add(pick, scene, i, kind, before, low):
    """Adds a thing to the scene; the middle and top of what the next one lies on, and where all of it ends."""
    edge = pick(f"edge{i}", 0.3, 0.4)
    wide = {"cloth": 0.25, "rope": 0.3, "tray": 0.4}.get(kind, edge / 2)
    tall = {"cloth": 0.05, "rope": 0.05, "tray": 0.4, "grains": 0.2}.get(kind, edge)
    x, z, at, velocity = place_of(pick, i, kind, before, wide, low)
    if kind in ("tray", "stone"):
        at = low
    more = {"velocity": velocity} if any(velocity) else {}
    box = placed({"box": {"size": numbers([2 * wide, tall, 2 * wide])}}, round(x, 6), at, z, tall / 2, **more)
    middle = {"at": numbers([x, at + 0.03, z]), "spacing": 0.05, **more}
    if kind == "mpm":
        solver = pick("solver", {}, {"kernel": "quadratic"}, {"transfer": "flip"}, {"implicit": 0.5})
        scene["mpm"] = {"cell": 0.1, **solver, "snow": {"piece": {**box, "type": pick("type", *STANDS, *TYPES)}}}
    elif kind == "pbd":
        solids(scene)["jelly"] = {**box, "spacing": 0.05, "links": pick("links", "decimated", "shape", "neighbours")}
    elif kind == "cloth":
        solids(scene)["cloth"] = {"lattice": [10, 1, 10], **middle, "links": "neighbours", "neighbours": 4}
    elif kind == "rope":
        solids(scene)["rope"] = {"lattice": [12, 1, 1], **middle, "links": "neighbours", "neighbours": 4}
    elif kind == "grains":
        scene["grains"] = {"snow": pick("grain", *TYPES), "radius": pick("radius", 0.01, 0.005), "fill": {"pile": {**box, "spacing": 0.05}}}
    elif kind == "phase":
        scene.setdefault("phase", {"mass": 0.06})[pick("state", "snow", "water")] = {"lump": box}
    elif kind == "tray":
        tray(pick, scene, x, z, low)
    elif kind == "ball":
        shape = {"sphere": {"radius": edge / 2}}
        scene["bodies"]["ball"] = {**box, "shape": shape, "motion": "dynamic", "density": pick("ball", 300, 100, 900)}
    elif kind == "box":
        scene["bodies"]["box"] = {**box, "motion": "dynamic", "density": pick("crate", 300, 100, 900), **warm(pick)}
    else:
        scene["bodies"]["stone"] = {**box, **warm(pick)}
    return x, round(at + tall, 6), max(x + wide, before[2] if before else x + wide)


def warm(pick):
    """What a body is heated to."""
    degrees = pick("warm", None, None, 60, -30)
    return {} if degrees is None else {"temperature": f"{degrees} C"}


def solids(scene):
    return scene.setdefault("pbd", {}).setdefault("solids", {})


def tray(pick, scene, x, z, low):
    """A pool between four walls."""
    inner, deep = 0.6, pick("deep", 0.2, 0.3)
    for name, a, b in (("west", -1, 0), ("east", 1, 0), ("north", 0, -1), ("south", 0, 1)):
        size = [0.1 if a else inner + 0.2, 0.4 + low, 0.1 if b else inner + 0.2]
        at = [x + a * (inner / 2 + 0.05), z + b * (inner / 2 + 0.05)]
        scene["bodies"][name] = placed({"box": {"size": numbers(size)}}, round(at[0], 6), 0, round(at[1], 6), (0.4 + low) / 2)
    pool = placed({"box": {"size": [inner, deep, inner]}}, round(x, 6), low, z, deep / 2)
    scene.setdefault("pbd", {})["fluid"] = {"spacing": 0.05, "pools": {"pool": pool}}


def air(pick, scene, field):
    """Wind over all of it, or snowfall; whether there is any."""
    kind = pick("air", "calm", "calm", "wind", "snowfall", "cover")
    if kind == "calm":
        return False
    scene["wind"] = {"at": [0, 0, 0], "grid": [14, 8, 12], "cell": 0.3, "shown": 1,
                     "inflow": {"side": pick("side", "west", "north"), "speed": pick("wind", 5, 2, 15, 30)}}
    if kind != "wind":
        scene["flakes"] = {"snowfall": "1000 mm/h", "shown": 500}
        if kind == "cover" and not field:
            scene["cover"] = {"snow": "fresh"}
    return True


def heat(pick, scene):
    """A warm or a cold day for all that can feel it."""
    kind = pick("heat", "none", "none", "thaw", "frost")
    if kind == "none":
        return
    scene["air"] = {"temperature": "8 C" if kind == "thaw" else "-20 C", "time_lapse": 100}
    for model in ("mpm", "phase"):
        if model in scene:
            scene[model]["heat"] = {"time_lapse": 100}
    if "field" in scene:
        scene["field"]["heat"] = {"temperature": "-12 C"}       # so cold that none of it runs off


def sweep(pick, scene, low):
    """A blade that pushes through all that lies there; whether there is one."""
    if not pick("sweep", False, False, False, True):
        return False
    if "field" in scene:
        scene["field"].update(width=40, length=30)     # so far the blade throws bits of it
    at, end = numbers([-0.8, low + 0.2, 0]), numbers([1.2, low + 0.2, 0])
    scene["bodies"]["blade"] = {"shape": {"box": {"size": [0.1, 0.4, 1]}}, "motion": [{"time": 0.1, "at": at}, {"time": scene["duration"], "at": end}]}
    return True


def mixed(pick):
    scene = {**head(pick, pick("duration", 0.4, 0.4, 0.8)), "bodies": {"ground": {"shape": "plane", "at": [0, 0, 0]}}}
    count = pick.in_turn("count", 2, 3, 4, 5)
    field = pick("ground", "floor", "field") == "field"
    low = 0.0
    if field:
        low = pick("depth", 0.2, 0.3, 0.1)
        scene["field"] = {"at": [0, 0, 0], "width": 4, "length": 3, "cell": pick("cell", 0.1, 0.05), "depth": low, "snow": pick("snow", *TYPES)}
        count -= 1
    kinds, before = thing_names(pick, count), None
    for i, kind in enumerate(kinds):
        before = add(pick, scene, i, kind, before, low)
    windy = air(pick, scene, field)
    heat(pick, scene)
    swept = "tray" not in kinds and sweep(pick, scene, low)      # between a blade and a wall there is no place for water
    models = list(dict.fromkeys(MODEL.get(kind, kind) for kind in kinds))
    parts = [(model, UNIT[model]) for model in models] + ([("field", scene["field"]["cell"])] if field else [])
    return Case(scene, "mixed", 0.05, works=windy or swept, parts=tuple(parts), moves=("threads", "restart", "1 km"))
