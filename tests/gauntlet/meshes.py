"""Meshes as files, made from their name: `hull-0.6x0.3x0.25-open.obj`. Kinds, sizes along x, y and z in m, faults as scans have them."""
import os

import numpy as np

KINDS = ("icosphere", "hull", "block")
FAULTS = ("whole", "twice", "open")          # twice: some triangles come again; open: one is missing


def name_of(kind, size, fault, form):
    return f"{kind}-{'x'.join(f'{s:g}' for s in size)}-{fault}.{form}"


def parse(name):
    kind, size, fault = os.path.splitext(name)[0].split("-")
    return kind, np.array([float(s) for s in size.split("x")]), fault


def icosphere():
    """A ball of 320 triangles in a cube of edge 1."""
    g = (1 + 5 ** 0.5) / 2
    v = [(-1, g, 0), (1, g, 0), (-1, -g, 0), (1, -g, 0), (0, -1, g), (0, 1, g), (0, -1, -g), (0, 1, -g), (g, 0, -1), (g, 0, 1), (-g, 0, -1), (-g, 0, 1)]
    t = [(0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6), (7, 1, 8),
         (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1)]
    v = [np.array(p) / np.linalg.norm(p) for p in v]
    for _ in range(2):
        middle, finer = {}, []

        def between(a, b):
            key = (min(a, b), max(a, b))
            if key not in middle:
                p = v[a] + v[b]
                middle[key] = len(v)
                v.append(p / np.linalg.norm(p))
            return middle[key]

        for a, b, c in t:
            d, e, f = between(a, b), between(b, c), between(c, a)
            finer += [(a, d, f), (b, e, d), (c, f, e), (d, e, f)]
        t = finer
    return 0.5 * np.array(v), np.array(t)


def hull():
    """A boat with its deck closed, in a cube of edge 1: nine ribs of nine points each between bow and stern, keel along x."""
    ribs, points = 9, 9
    v, t = [], []
    for i in range(ribs):
        x = i / (ribs - 1) - 0.5
        wide = 0.5 * np.sqrt(1 - (1.8 * x) ** 2)                 # narrow, not pointed, at both ends
        for k in range(points):
            angle = np.pi * k / (points - 1)
            v.append((x, 0.5 - np.sin(angle), -wide * np.cos(angle)))
    for i in range(ribs - 1):
        for k in range(points):                                  # the last quad is the deck
            a, b = i * points + k, i * points + (k + 1) % points
            t += [(a, b, a + points), (b, b + points, a + points)]
    for first, turn in ((0, 1), ((ribs - 1) * points, -1)):
        t += [(first, first + k + 1, first + k)[::turn] for k in range(1, points - 1)]
    return np.array(v), np.array(t)


def block():
    """A box that stands turned by 30 degrees about y, in a cube of edge 1."""
    v = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    c, s = np.cos(np.pi / 6), np.sin(np.pi / 6)
    v = v @ np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])
    quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    return v / np.ptp(v, axis=0), np.array([t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))])


def closed(name):
    """Corners and triangles of the mesh without its faults, normals outwards."""
    kind, size, _ = parse(name)
    v, t = {"icosphere": icosphere, "hull": hull, "block": block}[kind]()
    v = v * size
    return (v, t) if signed(v, t) > 0 else (v, t[:, ::-1])


def signed(v, t):
    a, b, c = (v[t[:, k]] for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6


def volume(name):
    return signed(*closed(name))


def distance(name, x):
    """Of points to the convex hull's faces, exact inside what is convex and never too deep elsewhere."""
    v, t = closed(name)
    a, b, c = (v[t[:, k]] for k in range(3))
    normal = np.cross(b - a, c - a)
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    far = np.full(len(x), -np.inf)
    for n, p in zip(normal, a):
        far = np.maximum(far, (x - p) @ n)
    return far


def write(name, folder):
    v, t = closed(name)
    fault = parse(name)[2]
    if fault == "twice":
        t = np.concatenate([t, t[::5]])
    elif fault == "open":
        t = np.delete(t, len(t) // 3, axis=0)
    with open(os.path.join(folder, name), "w", encoding="utf-8") as out:
        if name.endswith(".obj"):
            out.writelines(f"v {p[0]:.9g} {p[1]:.9g} {p[2]:.9g}\n" for p in v)
            out.writelines(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in t)
        else:
            out.write("solid thing\n")
            for corners in t:
                out.write("facet normal 0 0 0\nouter loop\n")
                out.writelines(f"vertex {p[0]:.9g} {p[1]:.9g} {p[2]:.9g}\n" for p in v[corners])
                out.write("endloop\nendfacet\n")
            out.write("endsolid thing\n")
