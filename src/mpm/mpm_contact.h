// Contact of snow with a body: the rule of MPM15 listing 10, for nodes and particles.
#ifndef MPM_MPM_CONTACT_H
#define MPM_MPM_CONTACT_H

#include <math.h>

#include "math/dvec.h"
#include "mpm/mpm_state.h"

// A body during contact in this step.
struct mpm_collider {
    size_t body;
    firn_contact_kind contact;
    float friction;
    bool dynamic;
    firn_vec3 pivot, velocity, spin; // its material at x moves with velocity + spin x (x - pivot)
};

static inline void collider_velocity(const mpm_collider *s, float x, float y, float z, float out[3]) {
    firn_vec3 arm = dvec((double)x - s->pivot.x, (double)y - s->pivot.y, (double)z - s->pivot.z);
    firn_vec3 u = dvec_add(s->velocity, dvec_cross(s->spin, arm));
    out[0] = (float)u.x;
    out[1] = (float)u.y;
    out[2] = (float)u.z;
}

// Result for a velocity v relative to a body with outward normal n. Separating motion is left alone, except
// from a sticky body.
typedef struct contact_result {
    float normal;     // v.n
    float tangential; // factor for the tangential velocity
    bool in_contact;  // false: v stays as it is
} contact_result;

static inline contact_result contact_evaluate(const mpm_collider *s, const float v[3], const float n[3]) {
    float vn = v[0] * n[0] + v[1] * n[1] + v[2] * n[2];
    if (s->contact == FIRN_CONTACT_STICKY) return (contact_result){vn, 0, true};
    if (vn >= 0) return (contact_result){vn, 1, false};
    if (s->contact == FIRN_CONTACT_SLIP) return (contact_result){vn, 1, true};
    float t[3] = {v[0] - vn * n[0], v[1] - vn * n[1], v[2] - vn * n[2]};
    float speed = sqrtf(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    float tangential =
        speed > -s->friction * vn ? 1.0f + s->friction * vn / speed : 0.0f; // 0: static friction
    return (contact_result){vn, tangential, true};
}

static inline contact_result contact_apply(const mpm_collider *s, float v[3], const float n[3]) {
    contact_result c = contact_evaluate(s, v, n);
    for (int a = 0; a < 3 && c.in_contact; a++) v[a] = c.tangential * (v[a] - c.normal * n[a]);
    return c;
}

// Nodes in contact with a body, by near block.
typedef struct contact_node {
    uint32_t node; // of its block
    float n[3];
} contact_node;
struct contact_nodes {
    const uint32_t *near; // slots of the blocks that the body may touch
    size_t blocks;
    const contact_node *contacts; // BLOCK_NODES for each block
    const uint32_t *count;        // in use, by block
};

// Response of a dynamic body to the nodes in contact with it (mpm_body_response.c): sets its velocity and
// spin after the contact, such that it gains the momentum that the nodes lose at that velocity. The coupling
// is stable at any mass ratio; a body that received the reaction only in the next step would be thrown off by
// heavy snow.
firn_status mpm_body_response(const mpm_state *s, const body_set *bodies, const struct contact_nodes *t,
                              mpm_collider *b);

// Applies the summed reactions of the near blocks to a body.
void mpm_apply_reaction(const mpm_contact_scratch *r, size_t blocks, const mpm_collider *b, body_set *bodies);

static inline void node_place(const mpm_state *s, uint32_t slot, uint32_t node, float at[3]) {
    const int32_t *block = s->grid.map.at[slot];
    float cell = (float)s->def.cell;
    at[0] = cell * (float)(block[0] * BLOCK_EDGE + (int32_t)(node >> 4));
    at[1] = cell * (float)(block[1] * BLOCK_EDGE + (int32_t)(node >> 2 & 3));
    at[2] = cell * (float)(block[2] * BLOCK_EDGE + (int32_t)(node & 3));
}

#endif
