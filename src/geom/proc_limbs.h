// Branching solids: tubes that grow out of the faces of other tubes, so that the mesh is closed and in one
// piece by construction.
#ifndef GEOM_PROC_LIMBS_H
#define GEOM_PROC_LIMBS_H

#include "geom/proc_sdf.h"

enum { LIMB_SIDES = 8, LIMB_RINGS = 64 };

typedef struct limbs {
    float (*vertex)[3];
    uint32_t (*triangle)[3];
    size_t vertices, triangles, vertex_room, triangle_room;
    bool full; // out of memory
    uint64_t seed, drawn;
} limbs;

// A section of a limb: half axes `wide` (horizontal) and `high`; its sides hang by `sag` and lean forward by
// `sweep`, as factors of `wide`.
typedef struct limb_ring {
    point3 centre;
    float wide, high, sag, sweep;
} limb_ring;

typedef struct limb {
    limb_ring ring[LIMB_RINGS];
    point3 along[LIMB_RINGS]; // direction of growth there
    uint32_t corner[LIMB_RINGS][LIMB_SIDES];
    bool open[LIMB_RINGS][LIMB_SIDES]; // quads that another limb grows out of
    int rings, sides;                  // the last ring is a point
} limb;

// The loop of vertices that a limb grows out of, counter-clockwise seen from outside.
typedef struct limb_base {
    uint32_t at[LIMB_SIDES];
    int count;
} limb_base;

// Corners of all rings from their centres and axes. base: NULL for a trunk, whose first ring is closed by a
// face.
void limbs_place(limbs *l, limb *b, const limb_base *base);
// Opens `count` quads side by side between ring `r` and the next, from side `s` on.
limb_base limbs_open(limb *b, int r, int s, int count);
point3 limbs_outward(const limbs *l, const limb *b, int r, int s, int count); // of those quads; unit length
// Faces of all quads that are not open, and the tip.
void limbs_cover(limbs *l, const limb *b);

double limbs_random(limbs *l, double low, double high);
firn_status limbs_mesh(limbs *l, mesh *out); // frees l

#endif
