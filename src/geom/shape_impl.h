// What a shape is inside; seen only by the shape_*.c files.
#ifndef GEOM_SHAPE_IMPL_H
#define GEOM_SHAPE_IMPL_H

#include "base/memory.h"
#include "geom/shape.h"
#include "geom/shape_lanes.h"

typedef struct solid solid; // shape_solid.h

// A member of a union: shape, then turned by `turn` (rows), then moved to `at`.
typedef struct shape_part {
    shape *shape;
    float turn[3][3];
    float at[3];
} shape_part;

struct shape {
    firn_shape_kind kind;
    shape_primitive primitive; // plane .. cylinder
    solid *solid;              // mesh, binvox, generated: shared with other shapes of the same make
    float solid_scale;         // this shape is the solid times that
    shape_ground ground;       // height map, hills; owns ground.y
    shape_heights heights;
    shape_part *parts;
    size_t part_count;

    mesh mesh;
    shape_probe *probes;
    size_t probe_count;
    bool bounded;
    firn_vec3 low, high;
    double thickness;
    shape_mass mass;
};

static inline bool shape_is_primitive(firn_shape_kind kind) { return kind <= FIRN_SHAPE_CYLINDER; }

// Bounds, mass and thickness in closed form.
void shape_measure_primitive(shape *s);
firn_status shape_probes_primitive(const shape_primitive *p, shape_probe **out, size_t *count);

#endif
