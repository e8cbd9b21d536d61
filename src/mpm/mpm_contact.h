// Contact of snow with bodies. It acts at particles, not at nodes: v(x) . n >= u . n - gap / dt, with v(x) =
// sum w v_i at a particle x near the surface. The impulses act on the nodes with the same weights before G2P,
// so that strain sees them, momentum is exact, and it does not matter where the surface lies in the grid.
// Only for files of this folder.
#ifndef MPM_MPM_CONTACT_H
#define MPM_MPM_CONTACT_H

#include <math.h>

#include "math/dvec.h"
#include "mpm/mpm_patch.h"

// A body during contact in this step: its material at x moves with velocity + spin x (x - pivot).
struct mpm_collider {
    size_t body;
    firn_contact_kind kind;
    float friction;
    bool dynamic;
    firn_vec3 pivot, velocity, spin;
    double per_mass, per_inertia[3][3]; // 1/kg, 1/(kg m2); 0 unless dynamic
    double held_mass;                   // kg; snow in closed contact with it, if it is dynamic
};

// A particle that touches a body or may do so in this step.
struct mpm_contact {
    uint32_t body, particle;
    int start;           // stencil: first float of the first row in the patch of its block
    float w[3][4];       // stencil: weights along x, y, z
    double x[3];         // m
    float n[3];          // outward normal of the body
    float target;        // m/s; least normal velocity relative to the body
    float mass;          // kg, of the particle
    float compliance;    // 1/kg; sum w^2 / m_i: what an impulse of 1 N s on it adds to its velocity
    float most;          // N s; the greatest impulse on the snow along n: what bears it gives way
    float adhesion;      // N s; the body can pull so much at the snow that touches it
    float normal;        // N s; accumulated impulse on the snow along n, at least -adhesion unless sticky
    float tangential[3]; // N s
    float held[3];       // m/s; semi-implicit solve: velocity that the contact keeps
    float stiffness;     // kg; semi-implicit solve: 0 if the contact is open
    bool sticks;         // semi-implicit solve: the tangential velocity is kept, too
};

static inline void collider_velocity(const mpm_collider *b, const double x[3], float out[3]) {
    firn_vec3 arm = dvec(x[0] - b->pivot.x, x[1] - b->pivot.y, x[2] - b->pivot.z);
    firn_vec3 u = dvec_add(b->velocity, dvec_cross(b->spin, arm));
    out[0] = (float)u.x;
    out[1] = (float)u.y;
    out[2] = (float)u.z;
}

// Stencils and compliance of the contacts of one block. patch: (velocity, 1/mass) of the nodes.
ISA_DECLARE(void, mpm_contact_prepare,
            (mpm_contact * contacts, size_t n, const int block[3], mpm_pass pass, const float *patch));
// First guess for closing contacts: each particle stops its own mass. All at once, so that it is as smooth as
// the snow; the sweeps only correct it.
ISA_DECLARE(void, mpm_contact_guess, (mpm_contact * contacts, size_t n, mpm_collider *bodies, float *patch));
// One Gauss-Seidel sweep of normal impulses, forwards or backwards.
ISA_DECLARE(void, mpm_contact_sweep,
            (mpm_contact * contacts, size_t n, mpm_collider *bodies, bool backwards, float *patch));
// Friction acts at nodes (mpm_friction.c), since only the sum of normal impulses on a node is unique. Adds to
// patches: normal impulse and friction's limit; limit times velocity of the body, limit times stop share;
// friction of the contacts so far.
ISA_DECLARE(void, mpm_friction_to_nodes,
            (const mpm_contact *contacts, size_t n, const mpm_collider *bodies, float *normal,
             float *velocity, float *impulse));
// ratio: friction of the nodes in units of its limit.
ISA_DECLARE(void, mpm_friction_of_nodes,
            (mpm_contact * contacts, size_t n, mpm_collider *bodies, const float *ratio));
// Semi-implicit solve: stores the velocities that closed contacts keep. Slower tangential motion than `slow`
// is stopped.
ISA_DECLARE(void, mpm_contact_hold,
            (mpm_contact * contacts, size_t n, const mpm_collider *bodies, float slow, const float *patch));
// Adds stiffness (v - held), or stiffness v if `linear`, of the closed contacts to the patch `out`.
ISA_DECLARE(void, mpm_contact_penalty,
            (const mpm_contact *contacts, size_t n, bool linear, const float *in, float *out));
// After the solve: adds the impulses of the penalty, less stiffness times `left`, to the accumulated ones and
// to the bodies.
ISA_DECLARE(void, mpm_contact_release,
            (mpm_contact * contacts, size_t n, mpm_collider *bodies, const float left[3],
             const float *patch));

// After G2P: along the normal, a particle has moved with the grid, whose velocity the contact has settled.
ISA_DECLARE(void, mpm_contact_keep,
            (const mpm_contact *contacts, size_t n, mpm_particles *p, float dt, const float *patch));

// The contacts of occupied block i.
static inline mpm_contact *contacts_of(const mpm_contact_scratch *c, size_t i, size_t *count) {
    *count = c->count[i];
    return c->contacts + c->first[i];
}

// Velocity v relative to a body after contact by the rule of MPM15 listing 10: separating motion is left
// alone, except from a sticky body.
static inline void contact_apply(const mpm_collider *b, float v[3], const float n[3]) {
    float vn = v[0] * n[0] + v[1] * n[1] + v[2] * n[2], keep = 1;
    if (b->kind == FIRN_CONTACT_STICKY)
        keep = 0;
    else if (vn >= 0)
        return;
    float t[3] = {v[0] - vn * n[0], v[1] - vn * n[1], v[2] - vn * n[2]};
    float speed = sqrtf(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    if (b->kind == FIRN_CONTACT_FRICTION)
        keep = speed > -b->friction * vn ? 1.0f + b->friction * vn / speed : 0;
    for (int a = 0; a < 3; a++) v[a] = keep * t[a];
}

static inline bool contact_gives_way(const mpm_contact *c) { return c->normal > 0.999f * c->most; }

// Calls fn for the contacts of each block, with the patches of up to three arrays by slot, and writes them
// back. Of the grid's nodes they hold (velocity, 1/mass), and only velocities are written. No two blocks that
// share nodes at the same time, always in the same order, those that touch dynamic bodies one after the
// other.
int mpm_contact_colour(const mpm_state *s, size_t block); // MPM_DYNAMIC_COLOUR: touches a dynamic body
bool mpm_has_contacts(const mpm_state *s);                // on any rank
typedef void contact_pass(mpm_state *s, size_t block, mpm_contact *contacts, size_t n, float *const patch[3]);
// reads: fn leaves the nodes as they are.
void mpm_over_contacts(mpm_state *s, contact_pass *fn, float *const nodes[3], bool reads);

// Finds the distances of the occupied blocks' middles from a body (contact.distance); returns the radius of a
// block with what its particles move in a step.
float mpm_block_distances(mpm_state *s, const body_set *bodies, size_t body);
void mpm_block_middle(const mpm_state *s, size_t block, double out[3]); // of its particles, m
// Speed of a body at the middle of an occupied block, after mpm_block_distances; m/s.
float mpm_body_speed_at(const mpm_state *s, const mpm_collider *b, size_t block);

// Applies the summed reactions of the near blocks to a body.
void mpm_apply_reaction(mpm_state *s, size_t blocks, const mpm_collider *b, body_set *bodies);

#endif
