// Internals of shapes; only for the shape_*.c files.
#ifndef GEOM_SHAPE_IMPL_H
#define GEOM_SHAPE_IMPL_H

#include "base/memory.h"
#include "geom/shape.h"
#include "geom/shape_sdf.h"
#include "geom/shape_lanes.h"
#include "geom/shape_solid.h"

// A member of a union: shape, then turned by `turn` (rows), then moved to `at`.
typedef struct shape_part {
    shape *shape;
    float turn[3][3];
    float at[3];
} shape_part;

struct shape {
    firn_shape_kind kind;
    shape_primitive primitive; // plane .. cylinder
    solid *solid;              // mesh, binvox, generated: shared with equal shapes
    float solid_scale;         // this shape is the solid times that
    float *ground_heights;     // height map, hills
    ground_map ground;
    shape_heights heights;
    shape_part *parts; // union
    size_t part_count;

    mesh mesh;
    shape_probe *probes;
    size_t probe_count;
    bool bounded;
    firn_vec3 low, high;
    double thickness;
    shape_mass mass;
};

// Constructors by kind; they fill the fields above and leave cleaning up to shape_destroy.
firn_status shape_build(const firn_shape_def *def, double scale, const char *folder, const char *name,
                        int depth, shape **out);
firn_status shape_build_ground(const firn_shape_def *def, double scale, const char *folder, const char *name,
                               shape *s);
firn_status shape_build_solid(const firn_shape_def *def, double scale, const char *folder, const char *name,
                              shape *s);
firn_status shape_build_union(const firn_shape_def *def, double scale, const char *folder, const char *name,
                              int depth, shape *s);
void shape_query_union(const shape *s, size_t n, const float *x, const float *y, const float *z,
                       float *distance, float *nx, float *ny, float *nz);
void shape_query_solid(const shape *s, size_t n, const float *x, const float *y, const float *z,
                       float *distance, float *nx, float *ny, float *nz);

// Checks a size times scale: 1e-6 .. 1e6 m, or an error that names the size and the owner.
firn_status shape_check_length(const char *name, const char *what, double value, double scale, float *out);

// Bounds, mass and thickness in closed form.
void shape_measure_primitive(shape *s);
// Volume, centre and inertia of an SDF: samples on a grid over the box, each weighted by the share of its
// cell that is inside; accurate to about 0.1 %.
typedef void (*distance_function)(const void *context, size_t n, const float *x, const float *y,
                                  const float *z, float *distance);
firn_status mass_by_sampling(distance_function distance, const void *context, firn_vec3 low, firn_vec3 high,
                             shape_mass *out);
void mass_of_mesh(const mesh *m, shape_mass *out); // closed mesh: divergence theorem
void mass_add(shape_mass *to,
              const shape_mass *from); // both about their own centres; `to` about the common one

enum { SHAPE_PROBES = 300 }; // at most, of a mesh
firn_status shape_probes_primitive(const shape_primitive *p, shape_probe **out, size_t *count);
firn_status shape_probes_mesh(const mesh *m, shape_probe **out, size_t *count);

#endif
