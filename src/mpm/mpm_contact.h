// How snow meets a body: the rule of MPM15 listing 10, on nodes and particles alike.
#ifndef MPM_MPM_CONTACT_H
#define MPM_MPM_CONTACT_H

#include <math.h>

#include "math/dvec.h"
#include "mpm/mpm_state.h"

// A body as the snow of this step meets it.
struct mpm_surface {
    size_t body;
    firn_contact_kind contact;
    float friction;
    bool dynamic;
    firn_vec3 pivot, velocity, spin; // its material at x moves with velocity + spin x (x - pivot)
};

static inline void surface_velocity(const mpm_surface *s, float x, float y, float z, float out[3]) {
    firn_vec3 arm = dvec((double)x - s->pivot.x, (double)y - s->pivot.y, (double)z - s->pivot.z);
    firn_vec3 u = dvec_add(s->velocity, dvec_cross(s->spin, arm));
    out[0] = (float)u.x;
    out[1] = (float)u.y;
    out[2] = (float)u.z;
}

// The share of the sliding speed that stays, and whether the normal part goes; v is relative to the body, n
// its outward normal. Separating motion is left alone, except from a sticky body.
typedef struct contact_answer {
    float normal;  // v.n
    float kept;    // of the part along the surface
    bool touching; // nothing happens if not
} contact_answer;

static inline contact_answer contact_with(const mpm_surface *s, const float v[3], const float n[3]) {
    float vn = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
    if (s->contact == FIRN_CONTACT_STICKY) return (contact_answer){vn, 0, true};
    if (vn >= 0) return (contact_answer){vn, 1, false};
    if (s->contact == FIRN_CONTACT_SLIP) return (contact_answer){vn, 1, true};
    float t[3] = {v[0] - vn * n[0], v[1] - vn * n[1], v[2] - vn * n[2]};
    float speed = sqrtf(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    float kept = speed > -s->friction * vn ? 1.0f + s->friction * vn / speed : 0.0f; // static friction: stop
    return (contact_answer){vn, kept, true};
}

static inline contact_answer contact_rule(const mpm_surface *s, float v[3], const float n[3]) {
    contact_answer c = contact_with(s, v, n);
    for (int a = 0; a < 3 && c.touching; a++) v[a] = c.kept * (v[a] - c.normal * n[a]);
    return c;
}

// Nodes inside a body, by near block.
typedef struct node_touch {
    uint32_t node; // of its block
    float n[3];
} node_touch;
struct node_touches {
    const uint32_t *near; // slots of the blocks that the body may touch
    size_t blocks;
    const node_touch *touch; // BLOCK_NODES for each block
    const uint32_t *count;   // in use, by block
};

// A dynamic body's answer to the nodes that touch it (mpm_push.c): its velocity and spin after the contact,
// such that what the nodes lose at that velocity is what it gains. At any ratio of masses the two then move
// on together; a body that would only feel the push a step later is thrown off by heavy snow.
firn_status mpm_yield(const mpm_state *s, const body_set *bodies, const struct node_touches *t,
                      mpm_surface *b);

// Hands the sums of the near blocks over to a body.
void mpm_push_body(const mpm_reach *r, size_t blocks, const mpm_surface *b, body_set *bodies);

static inline void node_place(const mpm_state *s, uint32_t slot, uint32_t node, float at[3]) {
    const int32_t *block = s->grid.map.at[slot];
    float cell = (float)s->def.cell;
    at[0] = cell * (float)(block[0] * BLOCK_EDGE + (int32_t)(node >> 4));
    at[1] = cell * (float)(block[1] * BLOCK_EDGE + (int32_t)(node >> 2 & 3));
    at[2] = cell * (float)(block[2] * BLOCK_EDGE + (int32_t)(node & 3));
}

#endif
