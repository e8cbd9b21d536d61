// Shapes of bodies and fills. A shape is built once from its def and queried in its own frame (scale applied,
// position and rotation not).
#ifndef GEOM_SHAPE_H
#define GEOM_SHAPE_H

#include <firn/defs.h>

#include "geom/mesh.h"

typedef struct shape shape;

// `folder`: base of relative file names (NULL: the working directory); `name`: owner of the shape, for
// messages. Equal meshes and generated shapes share their mesh and level set, whatever their height and
// scale. Thread safe.
firn_status shape_create(const firn_shape_def *def, double scale, const char *folder, const char *name,
                         shape **out);
void shape_destroy(shape *s);

// Signed distance (negative inside) and outward unit normal at n points; normals may be NULL (all three).
// Runs on the calling thread, in lanes; any n, arrays need no alignment.
//   plane .. cylinder     exact; ellipsoid to 1e-4 of its smallest radius
//   union                 the nearest part: exact outside, a lower bound of the depth where parts overlap
//   height map, hills     a block with four sides and a bottom one tenth of the longer extent below the
//   lowest place; exact
//                         to 1e-3 of a cell and facet near the surface, farther than 8 cells above it a lower
//                         bound
//   meshes, generated     level set (levelset.h), in cells of `resolution` (times scale, like all lengths of
//   a def)
// Never larger than the distance to the nearest point, but for those tolerances.
void shape_query(const shape *s, size_t n, const float *x, const float *y, const float *z, float *distance,
                 float *nx, float *ny, float *nz);
double shape_sdf(const shape *s, firn_vec3 point, firn_vec3 *normal); // one point; normal may be NULL

firn_shape_kind shape_kind(const shape *s);
bool shape_bounds(const shape *s, firn_vec3 *low, firn_vec3 *high); // false: unbounded (plane)
const mesh *shape_mesh(const shape *s);                             // closed, with normals, for pictures
double shape_thickness(const shape *s); // m; minimum thickness, limits time steps; INFINITY for a plane

// Volume, centre of mass and inertia about it for density 1 (closed form for primitives, mesh integrals
// otherwise).
typedef struct shape_mass {
    double volume;        // m3
    firn_vec3 centre;     // m
    double inertia[3][3]; // m5
} shape_mass;
bool shape_mass_of(const shape *s, shape_mass *out); // false: unbounded, no mass

// Sample points and radii of the shape for contacts against the SDF of another shape: a sphere is one point
// with its radius, a capsule a few, boxes and meshes their corners and points over edges and faces with
// radius 0.
typedef struct shape_probe {
    float at[3];
    float radius;
} shape_probe;
const shape_probe *shape_probes(const shape *s, size_t *count);

uint64_t shape_bytes(const shape *s);

// Height maps and hills only: the heights, nx x nz samples over size.x x size.z centred on the origin. NULL
// otherwise.
typedef struct shape_heights {
    const float *y;
    uint32_t nx, nz;
    firn_vec3 size;
} shape_heights;
const shape_heights *shape_height_map(const shape *s);

#endif
