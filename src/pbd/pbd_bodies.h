// Contact of particles with rigid bodies: found once a sub-step, solved as constraints, two-way.
#ifndef PBD_PBD_BODIES_H
#define PBD_PBD_BODIES_H

#include "pbd/pbd_state.h"

#include <math.h>

// A particle and a body as the sub-step sees them: C(q) = n (q - moved) - offset >= 0, where `moved` is how
// far the impulses of this step have moved the body's surface.
typedef struct pbd_body_contact {
    uint32_t particle, wall;
    float n[3], offset; // m; the particle's radius is in it
    float velocity[3];  // m/s, of the body's surface
    float approach;     // m/s, along n, before the solve
    float mu_kinetic, mu_static;
    float inverse_mass; // 1/kg, of the body here, split between all its contacts; 0: it does not move
    float lambda_n;     // kg m, normal multiplier so far; >= 0
    float lambda_t[3];  // kg m, of the friction
} pbd_body_contact;

// A body as the particles of this step see it.
typedef struct pbd_wall {
    size_t body;
    bool bounded, dynamic;
    firn_vec3 low, high;                      // where it is during the step
    firn_vec3 origin, velocity, spin;         // velocity of its material point at `origin`
    firn_vec3 centre;                         // of mass
    double inverse_mass;                      // 1/kg; 0 unless dynamic
    double friction, restitution, max_travel; // m: a longer motion could tunnel through it
    double contacts;                          // how many particles penetrate it in this sub-step
    firn_vec3 impulse, twist;                 // N s, N m s about the centre: by the particles, in this step
    firn_vec3 dv, dw;                         // change of velocity and spin by these
    firn_vec3 shift, turn;                    // m, rad: motion by these until this sub-step
} pbd_wall;

// Impulse of a block of particles on one body.
typedef struct pbd_body_impulse {
    firn_vec3 impulse, twist;
    double contacts;
} pbd_body_impulse;

// Contacts of a block of particles, by body, then particle.
typedef struct pbd_body_contacts {
    pbd_body_contact *item;
    size_t count, capacity;
    bool no_memory;
} pbd_body_contacts;

// Whether a particle of that radius, on its way between two places, may meet the body; not bounded: always.
static inline bool pbd_wall_meets(const pbd_wall *w, firn_vec3 from, firn_vec3 to, double reach) {
    return !w->bounded ||
           (fmin(from.x, to.x) - reach <= w->high.x && fmax(from.x, to.x) + reach >= w->low.x &&
            fmin(from.y, to.y) - reach <= w->high.y && fmax(from.y, to.y) + reach >= w->low.y &&
            fmin(from.z, to.z) - reach <= w->high.z && fmax(from.z, to.z) + reach >= w->low.z);
}

typedef struct pbd_contact_set {
    pbd_wall *wall;
    size_t walls;
    bool hollow; // a body may have inner corners
    pbd_body_contacts *block;
    size_t blocks, block_capacity;
    pbd_body_impulse *push; // [block][walls]
    size_t impulse_capacity;
    firn_vec3 *start; // m, where the particles were at the start of the step
    size_t start_capacity;
} pbd_contact_set;

// How far impulses of this step have moved the point p of a body until the end of the sub-step.
static inline firn_vec3 pbd_wall_moved(const pbd_wall *w, firn_vec3 p, double dt) {
    firn_vec3 arm = dvec_sub(p, w->centre);
    firn_vec3 shift = dvec_add_scaled(w->shift, w->dv, dt), angle = dvec_add_scaled(w->turn, w->dw, dt);
    return dvec_add(shift, dvec_cross(angle, arm));
}
static inline firn_vec3 pbd_wall_velocity(const pbd_wall *w, firn_vec3 p) {
    return dvec_add(w->velocity, dvec_cross(w->spin, dvec_sub(p, w->origin)));
}

// pbd_bodies_find.c
firn_status pbd_bodies_find(pbd *s, void *data, const pbd_pass *pass);
firn_status pbd_bodies_reserve(pbd *s, pbd_contact_set *c);
void pbd_bodies_start(pbd *s, pbd_contact_set *c); // the particles are where the step starts
void pbd_bodies_begin_step(pbd_contact_set *c, const body_set *bodies, double dt); // at the start of a step
// Sums the blocks' impulses on the walls, in the order of the blocks.
void pbd_bodies_sum(pbd *s, pbd_contact_set *c);
// pbd_bodies_out.c: at the end of a step nothing is inside a body, and nothing went through one.
firn_status pbd_bodies_finish(pbd *s, void *data, body_set *bodies, model_step step);
// Particles are moved out of the bodies, before the first step.
void pbd_bodies_clear(pbd *s, pbd_contact_set *c);

#endif
