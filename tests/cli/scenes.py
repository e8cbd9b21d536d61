"""Small scenes for the tests."""

SMALL = """firn: 1
name: Small
duration: 1 s
fps: 20
bodies:
  floor: {shape: plane}
  ball: {shape: {sphere: {radius: 30 cm}}, at: [0, 1 m, 0], motion: dynamic, restitution: 0.5}
  crate: {shape: {box: {size: [40 cm, 30 cm, 50 cm]}}, at: [1 m, 2 m, 0], rotate: [20 deg, 0, 10 deg], motion: dynamic}
grains:
  radius: 1 cm
  fill:
    heap: {shape: {box: {size: [60 cm, 20 cm, 60 cm]}}, at: [0, 2 m, 0], spacing: 5 cm}
camera: {from: [3, 2, 4], to: [0, 0.5, 0]}
picture: {width: 160, height: 90}
"""

# Frames of more than 2 MB: 120 000 grains.
LARGE = """firn: 1
name: Large
duration: 1 s
fps: 20
bodies:
  floor: {shape: plane}
grains:
  radius: 5 mm
  fill:
    heap: {shape: {box: {size: [1 m, 1 m, 1 m]}}, at: [0, 2 m, 0], spacing: 20 mm}
"""

WRONG = """firn: 1
name: Wrong
duration: 1 kg
bodies:
  ball: {shape: {sphere: {radios: 30 cm}}, at: [0, 1 m, 0]}
  crate: {shape: bx, colour: red}
"""
