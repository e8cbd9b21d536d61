"""Ordinary scenes of each model (mixed.py: of several), as its page in docs/ teaches to write them: round numbers, floors at 0, things that touch.

Every function takes a `Pick` (the simplest option of a choice stands first) and returns a Case."""
import dataclasses

import numpy as np

import meshes

TYPES = ("packed", "fresh", "powder", "wet", "granular", "firn", "icy", "slush")


@dataclasses.dataclass
class Case:
    scene: dict
    model: str                  # whose fields are compared
    unit: float                 # m: cell, spacing or size, in which tolerances are counted
    at_rest: bool = False       # everything lies where it would stay
    works: bool = False         # something is moved from outside, or comes in: energy may grow
    step: float = 0.0           # s: what max_step is halved from to see it converge; 0: not looked at
    finer: tuple = ()           # section and key of the cell or spacing that is halved to see it converge; (): not looked at
    parts: tuple = ()           # of a scene with several models: (model, unit) of each
    apart: bool = False         # they do not come near each other: each does what it does alone
    moves: tuple = ("part of a cell", "1 km", "turned", "mirrored", "frame rate")


def head(pick, duration):
    return {"firn": 1, "duration": duration, "fps": pick("fps", 20, 24, 25, 30)}


def floor_of(pick):
    """A floor under everything, and its height."""
    height = pick("floor", 0.0, 0.0, 1.0, 0.05, 0.03, 0.1, 0.37)
    if pick("floor_shape", "plane", "box") == "plane":
        return {"shape": "plane", "at": [0, height, 0]}, height
    return {"shape": {"box": {"size": [6, 1, 6]}}, "at": [0, height - 0.5, 0]}, height


SHAPES = ("box", "sphere", "cylinder", "ellipsoid", "capsule", "hare", "mesh")
STANDING = ("box", "cylinder")


def mesh_shape(pick, name, size):
    """A mesh as it comes from a file, with the faults of files, and how far its lowest point is below its origin."""
    kind = pick(name + "_mesh", *meshes.KINDS)
    sizes = [round(size * e, 4) for e in pick(name + "_stretch", (1, 1, 1), (1.5, 1, 1), (1.2, 0.8, 1))]
    file = meshes.name_of(kind, sizes, pick(name + "_fault", *meshes.FAULTS), pick(name + "_form", "obj", "stl"))
    return {"mesh": {"file": file}}, -float(meshes.closed(file)[0][:, 1].min())


def solid_shape(pick, name, kinds=SHAPES, hare=1.0, smallest=0.2):
    """A shape and how far its lowest point is below its origin. Ears are thin: a hare is `hare` times larger."""
    kind = pick(name, *kinds)
    size = max(pick(name + "_size", 0.4, 0.3, 0.5, 0.25, 0.2), smallest)
    if kind == "box":
        edges = pick(name + "_edges", (1, 1, 1), (1.5, 1, 1), (1, 1.5, 1), (1, 0.75, 2))
        edges = [round(size * e, 4) for e in edges]
        return {"box": {"size": edges}}, edges[1] / 2
    if kind == "sphere":
        return {"sphere": {"radius": size / 2}}, size / 2
    if kind == "cylinder":
        return {"cylinder": {"radius": size / 2, "length": size}}, size / 2
    if kind == "ellipsoid":
        radii = [round(size * e, 4) for e in (0.6, 0.4, 0.5)]
        return {"ellipsoid": {"radii": radii}}, radii[1]
    if kind == "capsule":
        return {"capsule": {"radius": size / 4, "length": size / 2}}, size / 2
    if kind == "mesh":
        return mesh_shape(pick, name, size)
    return {"hare": {"height": size * hare}}, 0.0


def placed(shape, x, low, z, half, **more):
    """A shape whose lowest point is at `low`."""
    return {"shape": shape, "at": [x, round(low + half, 6), z], **more}


def obstacle(pick, bodies, height, *options):
    kind = pick("obstacle", "none", *options)
    if kind == "sphere":
        bodies["stone"] = placed({"sphere": {"radius": 0.2}}, 0.1, height - 0.1, 0.05, 0.2)
    elif kind == "box":
        bodies["block"] = placed({"box": {"size": [0.3, 0.2, 0.3]}}, 0.1, height, 0, 0.1)
    elif kind == "wall":
        bodies["wall"] = placed({"box": {"size": [0.3, 1.5, 2]}}, pick("wall", 0.75, 0.8, 0.85, 0.77), height, 0, 0.75)
    elif kind == "hare":
        bodies["stone"] = placed({"hare": {"height": 0.5}}, 0.1, height, 0, 0)
    elif kind == "mesh":
        shape, half = mesh_shape(pick, "obstacle", 0.4)
        bodies["stone"] = placed(shape, 0.1, height, 0.05, half)
    return kind


def bodies(pick):
    floor, height = floor_of(pick)
    mode = pick.in_turn("mode", "rest", "drop", "throw")
    scene = {**head(pick, 0.8), "bodies": {"floor": floor}}
    count = pick("count", 1, 2, 3)
    low, smallest = height, 1.0
    for i in range(count):
        kind = pick(f"shape{i}", "box", "sphere", "cylinder", "capsule", "hare", "ellipsoid", "mesh")
        if mode == "rest":
            kind = "box"
        size = pick(f"size{i}", 0.4, 0.5, 0.3, 0.2)
        shapes = {"box": ({"box": {"size": [size, size, size]}}, size / 2), "sphere": ({"sphere": {"radius": size / 2}}, size / 2),
                  "cylinder": ({"cylinder": {"radius": size / 2, "length": size}}, size / 2),
                  "capsule": ({"capsule": {"radius": size / 4, "length": size / 2}}, size / 2), "hare": ({"hare": {"height": size}}, 0),
                  "ellipsoid": ({"ellipsoid": {"radii": [size / 2, size / 4, size / 2]}}, size / 4)}
        shape, half = mesh_shape(pick, f"shape{i}", size) if kind == "mesh" else shapes[kind]
        smallest = min(smallest, size)
        thing = placed(shape, 0, low, 0, half, motion="dynamic")
        if mode == "rest":
            low = round(low + size, 6)           # a tower, each on the one below
        else:
            thing["at"][0] = round((i - (count - 1) / 2) * pick("apart", 1.0, 0.45), 3)
            thing["at"][1] = round(thing["at"][1] + pick(f"height{i}", 0.2, 0.5, 1.0), 3)
            if mode == "throw":
                thing["velocity"] = [pick(f"speed{i}", 1, 3, -2), 0, pick(f"aside{i}", 0, 1)]
        material = pick(f"snow{i}", "none", *TYPES)
        if material != "none":
            thing["snow"] = material
        scene["bodies"][f"thing{i}"] = thing
    return Case(scene, "bodies", smallest, at_rest=mode == "rest")


def grains(pick):
    floor, height = floor_of(pick)
    scene = {**head(pick, 1.0), "bodies": {"floor": floor}}
    kind = obstacle(pick, scene["bodies"], height, "sphere", "box", "hare", "mesh")
    shape, half = solid_shape(pick, "shape")
    spacing = pick("spacing", 0.05, 0.03, 0.04)
    radius = pick("radius", 0.005, 0.01)
    fill = placed(shape, 0, height + pick("gap", 0.6, 0.0, 0.8) + (0.6 if kind != "none" else 0), 0, half, spacing=spacing)
    pattern = pick("pattern", "jittered", "regular", "blue_noise")
    if pattern != "jittered":
        fill["pattern"] = pattern
    if pick("thrown", False, True):
        fill["velocity"] = [1, 0, 0.5]
    scene["grains"] = {"snow": pick("snow", *TYPES), "radius": radius, "fill": {"pile": fill}}
    return Case(scene, "grains", spacing, step=0.004 if kind == "none" else 0)


STANDS = ("packed", "fresh", "wet", "firn", "icy")


def tray(bodies, height, shape):
    """Walls around a block that touch it, for snow that runs apart as its name says."""
    kind, values = next(iter(shape.items()))
    wide, deep = (values["size"][0], values["size"][2]) if kind == "box" else (2 * values["radius"],) * 2
    for name, x, z in (("west", -1, 0), ("east", 1, 0), ("north", 0, -1), ("south", 0, 1)):
        size = [0.4 if x else wide + 0.8, 1.5, 0.4 if z else deep + 0.8]
        at = [x * (wide / 2 + 0.2), z * (deep / 2 + 0.2)]
        bodies[name] = placed({"box": {"size": numbers(size)}}, round(at[0], 6), height, round(at[1], 6), 0.75)


def numbers(values):
    return [round(v, 6) for v in values]


def mpm(pick):
    floor, height = floor_of(pick)
    mode = pick.in_turn("mode", "rest", "rest", "drop", "throw")
    scene = {**head(pick, 1.0 if mode == "rest" else 0.5), "bodies": {"floor": floor}}
    cell = pick("cell", 0.1, 0.08, 0.07)
    shape, half = solid_shape(pick, "shape", STANDING if mode == "rest" else SHAPES, hare=3, smallest=0.4)       # three cells and more
    snow = {**placed(shape, 0, height if mode == "rest" else height + 0.3, 0, half), "type": pick("type", "packed", "fresh", *TYPES)}
    if mode == "throw":
        snow["velocity"] = [pick("speed", 4, 2, 8), 0, 0]
        scene["bodies"]["wall"] = placed({"box": {"size": [0.4, 2, 3]}}, pick("wall", 0.9, 0.85, 0.87, 1.0), height, 0, 1)
    elif mode == "drop":
        obstacle(pick, scene["bodies"], height, "sphere", "box", "mesh")
    elif snow["type"] not in STANDS:
        tray(scene["bodies"], height, shape)
    model = {"cell": cell}
    solver = pick("solver", "explicit", "implicit", "flip", "quadratic")
    if solver == "implicit":
        model["implicit"] = 0.5
    elif solver == "flip":
        model["transfer"] = "flip"
    elif solver == "quadratic":
        model["kernel"] = "quadratic"
    scene["mpm"] = {**model, "snow": {"piece": snow}}
    return Case(scene, "mpm", cell, at_rest=mode == "rest", finer=("mpm", "cell"))


def field(pick):
    height = pick("floor", 0.0, 1.0, 0.05, 0.37)
    cell = pick("cell", 0.05, 0.04, 0.02, 0.1)
    depth = pick("depth", 0.3, 0.2, 0.5, 0.1)
    mode = pick.in_turn("mode", "nothing", "ball", "box", "blade", "poured")
    scene = {**head(pick, 1.0), "bodies": {"ground": {"shape": "plane", "at": [0, height, 0]}},
             "field": {"at": [0, height, 0], "width": pick("width", 3, 2, 2.5), "length": pick("length", 3, 2.5), "cell": cell, "depth": depth,
                       "snow": pick("snow", *TYPES)}}
    top = height + depth
    density = pick("density", 300, 100, 900)
    if mode == "ball":
        radius = pick("radius", 0.2, 0.15, 0.3)
        scene["bodies"]["ball"] = placed({"sphere": {"radius": radius}}, 0.1, top + pick("gap", 0.0, 0.3), 0.05, radius, motion="dynamic",
                                         density=density)
    elif mode == "box":
        scene["bodies"]["crate"] = placed({"box": {"size": [0.5, 0.4, 0.3]}}, 0, top + pick("gap", 0.0, 0.3), 0, 0.2, motion="dynamic",
                                          density=density)
    elif mode == "blade":
        low, high = round(height + depth / 2 + 0.25, 6), round(top + 0.26, 6)
        scene["bodies"]["blade"] = {"shape": {"box": {"size": [0.1, 0.5, 0.8]}},
                                    "motion": [{"time": 0, "at": [-0.6, high, 0]}, {"time": 0.3, "at": [-0.6, low, 0]},
                                               {"time": 1, "at": [0.6, low, 0]}]}
    elif mode == "poured":
        scene["field"]["pour"] = {"heap": {"at": [0.2, height, 0.1], "rate": pick("rate", 20, 50), "radius": 0.1}}
    return Case(scene, "field", cell, at_rest=mode == "nothing", works=mode in ("blade", "poured"),
                finer=("field", "cell"))


def wind(pick):
    cell = pick("cell", 0.5, 0.4, 1.0)
    grid = pick("grid", [20, 10, 16], [24, 10, 12], [16, 12, 16])
    speed = pick("speed", 5, 0, 3, 10)
    height = pick("floor", 0.0, 5.0)
    scene = {**head(pick, 1.0), "bodies": {"ground": {"shape": "plane", "at": [0, height, 0]}},
             "wind": {"at": [0, height, 0], "grid": grid, "cell": cell, "shown": 1,
                      "inflow": {"side": pick("side", "west", "north"), "speed": speed, "profile": pick("profile", "power", "log", "uniform")}}}
    if pick("eddies", True, False) is False:
        scene["wind"]["inflow"]["turbulence"] = 0
    building = pick("building", "box", "none", "sphere", "house", "mesh")
    if building == "box":
        scene["bodies"]["hut"] = placed({"box": {"size": [4 * cell, 3 * cell, 4 * cell]}}, 0, height, 0, 1.5 * cell)
    elif building == "sphere":
        scene["bodies"]["dome"] = {"shape": {"sphere": {"radius": 2 * cell}}, "at": [0, height, 0]}
    elif building == "house":
        scene["bodies"]["house"] = {"shape": {"house": {"height": 4 * cell}}, "at": [0, height, 0]}
    elif building == "mesh":
        shape, half = mesh_shape(pick, "building", 4 * cell)
        scene["bodies"]["hut"] = placed(shape, 0, height, 0, half)
    if pick("advection", "maccormack", "semi-lagrangian") != "maccormack":
        scene["wind"]["advection"] = "semi-lagrangian"
    flakes = pick("flakes", False, True, True)
    if flakes:
        scene["flakes"] = {"snowfall": f"{pick('snowfall', 1000, 100, 3000)} mm/h", "shown": 2000}
        if pick("cover", True, False):
            scene["cover"] = {"snow": pick("snow", *TYPES)}
            if pick("drift", False, True):
                scene["cover"]["drift"] = True
    return Case(scene, "wind", cell, at_rest=speed == 0, works=True, finer=() if flakes else ("wind", "cell"))


def pbd(pick):
    floor, height = floor_of(pick)
    mode = pick.in_turn("mode", "rest", "drop", "hang")
    spacing = pick("spacing", 0.05, 0.04, 0.06)
    scene = {**head(pick, 1.0), "bodies": {"floor": floor}}
    solver = pick("solver", "gauss_seidel", "jacobi", "jacobi_particle")
    model = {"solver": solver}
    iterations = pick("iterations", 4, 10, 20)
    if iterations != 4:
        model["iterations"] = iterations
    if pick("substeps", 1, 4) != 1:
        model["substeps"] = 4
    if mode == "hang":
        # A rope or a cloth, stretched between its pins at one end.
        lattice = pick("lattice", [12, 1, 1], [8, 1, 6])
        thing = {"lattice": lattice, "at": [0, height + 2, 0], "spacing": spacing, "links": "neighbours", "neighbours": 4}
        left = -(lattice[0] - 1) / 2 * spacing
        model["pins"] = {"end": {"shape": {"box": {"size": [spacing, spacing, 2 * spacing * lattice[2]]}}, "at": [round(left, 6), height + 2, 0]}}
    else:
        shape, half = solid_shape(pick, "shape", STANDING if mode == "rest" else SHAPES, hare=4)
        thing = placed(shape, 0, height if mode == "rest" else height + 0.4, 0, half, spacing=spacing,
                       links=pick("links", "decimated", "shape", "neighbours"))
        if mode == "drop":
            obstacle(pick, scene["bodies"], height, "sphere", "box", "mesh")
        if pick("in_box", False, True):
            model["box"] = {"walls": [{"low": [-1, height, -1], "high": [1, height + 3, 1]}]}
    model["solids"] = {"thing": thing}
    scene["pbd"] = model
    return Case(scene, "pbd", spacing, at_rest=mode == "rest")


def tank(pick, scene, model, height, inner):
    """Walls around a liquid: the model's own box, with or without a floor of bodies at the same height, or walls of bodies."""
    half = inner / 2
    kind = pick("tank", "box", "plane and box", "walls")
    if kind != "box":
        scene["bodies"] = {"floor": {"shape": "plane", "at": [0, height, 0]}}
    if kind == "walls":
        for name, x, z in (("west", -1, 0), ("east", 1, 0), ("north", 0, -1), ("south", 0, 1)):
            size = [0.2 if x else inner + 0.4, 1.2, 0.2 if z else inner + 0.4]
            scene["bodies"][name] = placed({"box": {"size": size}}, round(x * (half + 0.1), 6), height, round(z * (half + 0.1), 6), 0.6)
    else:
        model["box"] = {"walls": [{"low": [-half, height, -half], "high": [half, height + 2, half]}]}


def liquid(pick):
    height = pick("floor", 0.0, 1.0, 0.03)
    mode = pick.in_turn("mode", "rest", "rest", "drop", "dam")
    spacing = pick("spacing", 0.1, 0.08, 0.05)
    inner = pick("inner", 0.6, 0.8, 0.5)
    deep = pick("deep", 0.3, 0.2, 0.25)
    scene = {**head(pick, 1.2 if mode == "rest" else 0.6)}
    model = {}
    solver = pick("solver", "gauss_seidel", "jacobi", "jacobi_particle")
    if solver != "gauss_seidel":
        model["solver"] = solver
    if pick("substeps", 1, 3) != 1:
        model["substeps"] = 3
    tank(pick, scene, model, height, inner)
    wide, low, x = inner, height, 0.0
    if mode == "drop":
        wide, low = inner / 2, height + 0.3
    elif mode == "dam":
        wide, x = inner / 2, -inner / 4
    size = [round(wide, 6), deep, inner if mode == "dam" else round(wide, 6)]
    model["fluid"] = {"spacing": spacing, "pools": {"pool": placed({"box": {"size": size}}, round(x, 6), low, 0, deep / 2)}}
    scene["pbd"] = model
    return Case(scene, "pbd", spacing, at_rest=mode == "rest")


def phase(pick):
    height = pick("floor", 0.0, 1.0, 0.03)
    kind = pick("kind", "snow", "water", "both")
    mode = pick.in_turn("mode", "rest", "drop")
    mass = pick("mass", 0.1, 0.05, 0.06)
    inner = pick("inner", 0.6, 0.8, 0.5)
    scene = {**head(pick, 1.2 if mode == "rest" else 0.6)}
    model = {"mass": mass}
    tank(pick, scene, model, height, inner)
    low, loose = height, False
    if kind != "snow":
        deep = pick("deep", 0.3, 0.2, 0.25)
        model["water"] = {"pool": placed({"box": {"size": [inner, deep, inner]}}, 0, low, 0, deep / 2)}
        low = round(low + deep + 0.05, 6)
    if kind != "water":
        edge = pick("edge", 0.3, 0.4, 0.25)
        block = placed({"box": {"size": [edge, edge, edge]}}, 0, low if mode == "rest" else low + 0.3, 0, edge / 2)
        kind_of_snow = pick("type", *TYPES)
        if kind_of_snow != "packed":
            block["type"] = kind_of_snow
        warm = pick("temperature", -10, -1, -30)
        if warm != -10:
            block["temperature"] = f"{warm} C"
        pattern = pick("pattern", "regular", "blue_noise", "jittered")
        if pattern != "regular":
            block["pattern"] = pattern
        loose = warm == -1 and pattern != "regular"      # no links so near the melting point: a steep heap of loose grains flows
        model["snow"] = {"block": block}
    scene["phase"] = model
    return Case(scene, "phase", (mass / 1000) ** (1 / 3), at_rest=mode == "rest" and kind != "both" and not loose)


def together(pick):
    """Several models in one scene, apart or in one place."""
    kind = pick.in_turn("kind", "field and mpm", "wind and field", "mpm and pbd and grains", "on the field")
    if kind == "on the field":
        return on_the_field(pick)
    scene = {**head(pick, 0.5), "bodies": {"ground": {"shape": "plane", "at": [0, 0, 0]}}}
    apart = pick("apart", True, True, False)
    away = 4.0 if apart else 0.0
    types = pick("snow", *TYPES)
    if kind == "wind and field":
        return weather(pick, scene, types)
    if kind == "field and mpm":
        depth = pick("depth", 0.2, 0.3)
        scene["field"] = {"at": [0, 0, 0], "width": 2, "length": 2, "cell": 0.05, "depth": depth, "snow": types}
        scene["bodies"]["ball"] = placed({"sphere": {"radius": 0.2}}, 0.1, depth + pick("gap", 0.0, 0.2), 0.05, 0.2, motion="dynamic", density=300)
        scene["bodies"]["table"] = {"shape": {"box": {"size": [1, 0.2, 1]}}, "at": [away + (0 if apart else 1.0), 0.6, 0]}
        parts = [("field", 0.05)]
    else:
        shape, half = solid_shape(pick, "solid", STANDING)
        scene["pbd"] = {"solids": {"jelly": placed(shape, -away, 0.3, 0, half, spacing=0.05)}}
        scene["grains"] = {"snow": types, "radius": 0.005,
                           "fill": {"pile": placed({"sphere": {"radius": 0.2}}, 0, 0.6, away, 0.2, spacing=0.05)}}
        parts = [("pbd", 0.05), ("grains", 0.05)]
    low = 0.7 if kind == "field and mpm" else 0.23
    fill = placed({"box": {"size": [0.4, 0.4, 0.4]}}, away + (1.0 if not apart and kind == "field and mpm" else 0.0), low, 0, 0.2)
    scene["mpm"] = {"cell": 0.1, "snow": {"piece": {**fill, "type": pick("type", *TYPES)}}}
    return Case(scene, "together", 0.05, parts=tuple(parts + [("mpm", 0.1)]), apart=apart)


def on_the_field(pick):
    """Two to four models: things that lie on a snow field that bears them, or fall on it, and on each other."""
    depth, cell = pick("depth", 0.4, 0.2, 0.3), pick("cell", 0.05, 0.04, 0.03)
    falls = pick("falls", False, True)
    low = round(depth + (0.1 if falls else 0), 6)
    scene = {**head(pick, 1.2), "bodies": {"ground": {"shape": "plane", "at": [0, 0, 0]}},
             "field": {"at": [0, 0, 0], "width": 2, "length": 2, "cell": cell, "depth": depth, "snow": pick("snow", "packed", "firn", "icy")}}
    parts = [("field", cell)]
    things = pick("things", "pbd", "grains", "pbd and grains", "phase", "pbd and grains and phase")
    if "pbd" in things:
        edge = pick("edge", 0.3, 0.2, 0.4)
        scene["pbd"] = {"solids": {"jelly": placed({"box": {"size": [edge, edge, edge]}}, -0.4, low, 0, edge / 2, spacing=0.05)}}
        parts.append(("pbd", 0.05))
    if "grains" in things:
        over = pick("over", "field", "solid") if "pbd" in things else "field"
        scene["grains"] = {"radius": 0.01, "fill": {"pile": placed({"box": {"size": [0.2, 0.1, 0.2]}}, -0.4 if over == "solid" else 0.4,
                                                                  low + (0.6 if over == "solid" else 0), 0, 0.05, spacing=0.05)}}
        parts.append(("grains", 0.05))
    if "phase" in things:
        scene["phase"] = {"mass": 0.06, "snow": {"lump": placed({"box": {"size": [0.3, 0.3, 0.3]}}, 0, low, 0.5, 0.15)}}
        parts.append(("phase", 0.05))
    return Case(scene, "together", 0.05, parts=tuple(parts), at_rest=not falls and things == "pbd")


def weather(pick, scene, snow):
    """Flakes in the wind over a snow field, with a thing that stands in both."""
    cell = pick("cell", 0.5, 0.4)
    scene["duration"] = 1.0
    scene["wind"] = {"at": [0, 0, 0], "grid": [16, 8, 12], "cell": cell, "shown": 1,
                     "inflow": {"side": pick("side", "west", "north"), "speed": pick("speed", 5, 2)}}
    scene["flakes"] = {"snowfall": f"{pick('snowfall', 1000, 3000)} mm/h", "shown": 2000}
    scene["field"] = {"at": [0, 0, 0], "width": 4, "length": 4, "cell": 0.1, "depth": 0.2, "snow": snow}
    if pick("hut", False, True):
        scene["bodies"]["hut"] = placed({"box": {"size": [2 * cell, 2 * cell, 2 * cell]}}, 0, 0, 0, cell)
    return Case(scene, "together", cell, works=True, parts=(("wind", cell),))


def volume(shape):
    """Of a shape that geometry knows, in m3; None: firn must be asked."""
    kind, values = next(iter(shape.items())) if isinstance(shape, dict) else (shape, {})
    if kind == "mesh":
        return meshes.volume(values["file"])
    if kind == "box":
        return float(np.prod(values["size"]))
    if kind == "sphere":
        return 4 / 3 * np.pi * values["radius"] ** 3
    if kind == "ellipsoid":
        return 4 / 3 * np.pi * float(np.prod(values["radii"]))
    if kind == "cylinder":
        return np.pi * values["radius"] ** 2 * values["length"]
    if kind == "capsule":
        return np.pi * values["radius"] ** 2 * (values["length"] + 4 / 3 * values["radius"])
    return None
