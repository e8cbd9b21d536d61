// The planes by which a body bounds what is around a point. A body that may be hollow (a mesh, a union,
// uneven ground) has several in its inner edges and corners; its signed distance knows the nearest place
// only, and between two walls a sampled one points at neither.
#ifndef PBD_PBD_PLANES_H
#define PBD_PBD_PLANES_H

#include "body/body.h"

enum { PBD_PLANES = 6 };

typedef struct pbd_plane {
    float n[3]; // out of the body
    float d;    // m, of the point
} pbd_plane;

// Those within `reach` of the point `at` (from `origin`) of body b, at least one: `nearest` is what the
// signed distance says. Planes less than 25 degrees apart are one.
size_t pbd_planes_of(const body_set *bodies, size_t b, firn_vec3 origin, const float at[3], pbd_plane nearest,
                     float reach, pbd_plane out[PBD_PLANES]);
// Which of them is nearest: the distance of a point that `nearest` puts nearer than `reach` to the body.
pbd_plane pbd_nearest_plane(const body_set *bodies, size_t b, firn_vec3 origin, const float at[3],
                            pbd_plane nearest, float reach);

#endif
