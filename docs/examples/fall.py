"""firn from Python, without anything to install: the C API through ctypes. Prints how far a ball falls in a second.

python3 fall.py [path of libfirn.so]
"""
import ctypes
import sys

firn = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libfirn.so")


class Field(ctypes.Structure):  # firn_field of <firn/world.h>
    _fields_ = [("name", ctypes.c_char_p), ("unit", ctypes.c_char_p), ("help", ctypes.c_char_p), ("type", ctypes.c_int),
                ("components", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("count", ctypes.c_size_t), ("data", ctypes.c_void_p)]


firn.firn_last_error.restype = ctypes.c_char_p
firn.firn_world_field.restype = Field
firn.firn_world_field.argtypes = [ctypes.c_void_p, ctypes.c_char_p]
firn.firn_world_open_text.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p)]
firn.firn_world_advance.argtypes = [ctypes.c_void_p, ctypes.c_double]
firn.firn_world_set.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_double]
firn.firn_world_close.argtypes = [ctypes.c_void_p]


def need(status):
    if status != 0:
        raise RuntimeError(firn.firn_last_error().decode())


SCENE = b"""
firn: 1
bodies:
  ball: {shape: {sphere: {radius: 10 cm}}, at: [0, 10, 0], motion: dynamic}
"""

world = ctypes.c_void_p()
need(firn.firn_world_open_text(SCENE, b"fall", ctypes.byref(world)))
need(firn.firn_world_set(world, b"air.temperature", -12.0))
need(firn.firn_world_advance(world, 1.0))
field = firn.firn_world_field(world, b"bodies.position")
position = (ctypes.c_double * (field.count * field.components)).from_address(field.data)  # no copy; until the next step
fallen = 10 - position[1]
print(f"the ball fell {fallen:.3f} {field.unit.decode()}")
firn.firn_world_close(world)
sys.exit(0 if 4.9 < fallen < 4.91 else 1)
