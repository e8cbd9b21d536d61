// Internal state of a set of bodies; only for files of this folder.
#ifndef BODY_BODY_SET_H
#define BODY_BODY_SET_H

#include "body/body.h"
#include "geom/shape.h"
#include "math/dvec.h"

typedef struct body_pose {
    firn_vec3 at;
    firn_quat turn;
} body_pose;

// Pose that a kinematic body reaches at this time.
typedef struct body_target {
    firn_vec3 at;
    firn_quat turn;
    double time; // s
} body_target;

// What models on slower clocks pushed with in their last step, by clock (body_clocks.c).
typedef struct body_late {
    firn_vec3 impulse[BODY_SLOWER_CLOCKS], twist[BODY_SLOWER_CLOCKS]; // N s, N m s about the centre of mass
} body_late;

// Sample points and radii of the body for contacts, as separate arrays for the lanes.
typedef struct body_probes {
    float *x, *y, *z, *radius; // one block, owned by x
    size_t count;
} body_probes;

// Constant properties of a body.
typedef struct body_item {
    char *name;
    shape *shape;
    firn_shape_kind kind;
    firn_motion_kind motion;
    firn_keyframe *keyframes;
    size_t keyframe_count;
    double friction, restitution;
    double rolling_friction; // NAN: a share of friction
    double temperature;      // degrees Celsius; NAN: insulated
    double heat_contact;     // W/m2K
    firn_contact_kind contact;
    firn_vec3 color;
    bool bounded;
    firn_vec3 low, high;    // of the shape, in its own frame; only if bounded
    double thickness;       // m
    double bounding_radius; // m, from the centre of mass to the farthest point; 0 if unbounded
    double mass;            // kg; 0 unless dynamic
    firn_vec3 centre;       // of mass, in the shape's frame
    double inertia[3][3], inverse_inertia[3][3]; // about the centre, in the shape's frame
    body_probes probes;
    void *user; // of the embedding program
} body_item;

// Two bodies that may touch during the step; a is dynamic.
typedef struct body_pair {
    uint32_t a, b;
} body_pair;

enum { PAIR_CONTACTS = 5 }; // at most, of one pair

typedef struct body_contact {
    uint32_t a, b;
    firn_vec3 at;     // world
    firn_vec3 normal; // unit, from b towards a
    double gap;       // m, negative: overlap
} body_contact;

// Motion of a body through the step without contacts, and after solving them.
typedef struct body_flight {
    firn_vec3 centre;                   // of mass, at the start
    firn_vec3 velocity, spin;           // at the start, including impulses of the models
    firn_vec3 acceleration;             // gravity and forces
    firn_vec3 free_velocity, free_spin; // at the end, without contacts
    firn_quat free_turn;
    firn_vec3 new_velocity, new_spin; // at the end
    double hit;                       // s into the step: it bounces then; free flight until then
    bool resting;                     // some contact is not a bounce
} body_flight;

typedef struct body_box {
    float low[3], high[3];
} body_box;

typedef struct body_solver body_solver; // ODE, body_solve.c

struct firn_body_set {
    size_t count;
    body_item *item;
    bool any_kinematic;
    firn_vec3 gravity;
    uint64_t seed;
    double max_speed;

    // State, one entry per body. Written by the step (and by body_add_*: the last four).
    firn_vec3 *position; // of the shape's origin
    firn_quat *rotation;
    firn_vec3 *velocity; // of the centre of mass
    firn_vec3 *spin;
    firn_vec3 *position_before; // at the start of the last step, for body_sweep
    firn_quat *rotation_before;
    firn_vec3 *impulse, *twist; // N s, N m s about the centre of mass: applied at the start of the next step
    firn_vec3 *force, *torque;  // N, N m: act during the next step
    body_target *target;        // of kinematic bodies
    body_late *late;            // only if there are slower clocks

    // body_clocks.c: whether there are other clocks than that of the bodies; poses at the start of the
    // present step of each slower one; poses that a view replaces.
    bool has_clocks;
    body_pose *mark[BODY_SLOWER_CLOCKS], *kept_before, *kept_now;
    enum { VIEW_OWN, VIEW_SLOWER, VIEW_FASTER } view;
    size_t late_clock; // of VIEW_SLOWER: where impulses go to
    double late_dt;    // s, the step of that clock

    // Sum of model impulses since body_clear_reactions; not part of the state.
    firn_impulse *reaction;

    body_touch *touches; // of the last step
    size_t touch_count, touch_capacity;

    // Scratch of a step.
    body_flight *flight;
    body_box *box;
    uint32_t *keys, *order, *scratch_keys, *scratch_order;
    body_pair *pairs;
    size_t pair_count, pair_capacity;
    body_contact *contacts; // PAIR_CONTACTS slots per pair
    size_t contact_capacity;
    uint8_t *contact_count; // per pair
    size_t contact_count_capacity;

    double max_dt;
    body_solver *solver;
    profile profile;
};

static inline body_pose body_pose_now(const body_set *s, size_t b) {
    return (body_pose){s->position[b], s->rotation[b]};
}
static inline firn_vec3 body_centre(const body_set *s, size_t b) {
    return dvec_add(s->position[b], dquat_rotate(s->rotation[b], s->item[b].centre));
}
static inline bool body_is_dynamic(const body_set *s, size_t b) {
    return s->item[b].motion == FIRN_MOTION_DYNAMIC;
}

static inline firn_vec3 matrix_times(const double m[3][3], firn_vec3 v) {
    return dvec(m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z, m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z);
}
// A matrix of the shape's frame (inertia or its inverse) applied in the world of a body turned by q.
static inline firn_vec3 turned_times(const double m[3][3], firn_quat q, firn_vec3 v) {
    return dquat_rotate(q, matrix_times(m, dquat_rotate_back(q, v)));
}

// Pose, velocity and spin of a body moved by keyframes; body_motion.c.
void keyframes_at(const firn_keyframe *keys, size_t count, double time, body_pose *pose, firn_vec3 *velocity,
                  firn_vec3 *spin);

// The passes of a step.
void bodies_predict(body_set *s, model_step step);                            // body_flight.c
firn_status bodies_find_pairs(body_set *s, double dt);                        // body_pairs.c
bool body_edge_contact(const body_set *s, body_pair pair, body_contact *out); // body_edges.c
firn_status bodies_find_contacts(body_set *s, double dt);                     // body_contacts.c
firn_status bodies_solve(body_set *s, model_step step);                       // body_solve.c
void bodies_integrate(body_set *s, model_step step);                          // body_flight.c
firn_status bodies_limit_step(body_set *s); // body_pairs.c: max_dt of the next step

// Box of a body in the world: the pose now, or at both ends of the step, grown by `margin`; body_query.c.
void body_world_box(const body_set *s, size_t b, body_pose pose, firn_vec3 *low, firn_vec3 *high);

firn_status body_solver_create(const body_set *s, body_solver **out);
void body_solver_destroy(body_solver *solver);

firn_status body_step_model(void *model, body_set *bodies, model_step step); // body_step.c
// What may change live (body_material.c).
void body_take_surface(const firn_body_def *def, const model_setting *setting, body_item *item);
firn_status body_take_material(const firn_body_def *def, const model_setting *setting, body_item *item);
firn_status body_make_probes(const shape *s, firn_shape_kind kind, body_probes *out); // body_probes.c

#endif
