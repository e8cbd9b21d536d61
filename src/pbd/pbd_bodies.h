// Contact of particles with rigid bodies: found once a sub-step, held by the solver, two-way.
#ifndef PBD_PBD_BODIES_H
#define PBD_PBD_BODIES_H

#include "pbd/pbd_state.h"

// A particle and a body as the sub-step sees them: C(q) = n (q - moved) - offset >= 0, where `moved` is how
// far the pushes of this step have moved the body's surface.
typedef struct pbd_touch {
    uint32_t particle, wall;
    float n[3], offset; // m; the particle's radius is in it
    float velocity[3];  // m/s, of the body's surface
    float approach;     // m/s, along n, before the solve
    float friction, static_friction;
    float weight; // 1/kg, of the body here, shared out between all that touch it; 0: it does not give way
    float normal; // kg m, multiplier so far; >= 0
    float rub[3]; // kg m, of the friction
} pbd_touch;

// A body as the particles of this step see it.
typedef struct pbd_wall {
    size_t body;
    bool bounded, dynamic;
    float low[3], high[3];              // where it is during the step
    firn_vec3 origin, velocity, spin;   // velocity of its material point at `origin`
    firn_vec3 centre;                   // of mass
    double inverse_mass;                // 1/kg; 0 unless dynamic
    double friction, restitution, thin; // thin: m, ways longer than this may lead through it unseen
    double touches;                     // how many push it in this sub-step
    firn_vec3 impulse, twist;           // N s, N m s about the centre: by the particles, in this step
    firn_vec3 dv, dw;                   // what these make of its velocity and spin
    firn_vec3 shift, turn;              // m, rad: how far that took it until this sub-step
} pbd_wall;

// What a block of particles did to one body.
typedef struct pbd_push {
    firn_vec3 impulse, twist;
    double touches;
} pbd_push;

// Contacts of a block of particles, by body, then particle.
typedef struct pbd_touches {
    pbd_touch *item;
    size_t count, capacity;
    bool no_memory;
} pbd_touches;

typedef struct pbd_contact_set {
    pbd_wall *wall;
    size_t walls;
    pbd_touches *block;
    size_t blocks, block_capacity;
    pbd_push *push; // [block][walls]
    size_t push_capacity;
    float (*start)[3]; // m, where the particles were at the start of the step
    size_t start_capacity;
} pbd_contact_set;

// How far pushes of this step have moved the point p of a body until the end of the sub-step.
static inline firn_vec3 pbd_wall_moved(const pbd_wall *w, firn_vec3 p, double dt) {
    firn_vec3 arm = dvec_sub(p, w->centre);
    firn_vec3 way = dvec_add_scaled(w->shift, w->dv, dt), angle = dvec_add_scaled(w->turn, w->dw, dt);
    return dvec_add(way, dvec_cross(angle, arm));
}
static inline firn_vec3 pbd_wall_velocity(const pbd_wall *w, firn_vec3 p) {
    return dvec_add(w->velocity, dvec_cross(w->spin, dvec_sub(p, w->origin)));
}

// pbd_bodies_find.c
firn_status pbd_bodies_find(pbd *s, void *data, const pbd_pass *pass);
void pbd_bodies_meet(pbd_contact_set *c, const body_set *bodies, double dt); // at the start of a step
// Adds up what blocks did to the walls, in the order of the blocks.
void pbd_bodies_sum(pbd *s, pbd_contact_set *c);
// pbd_bodies_out.c: at the end of a step nothing is inside a body, and nothing went through one.
firn_status pbd_bodies_finish(pbd *s, void *data, body_set *bodies, model_step step);

#endif
