// Rigid bodies: shared by all models. Each answers three questions (distance, normal, velocity at a point)
// and collects force and torque.
#ifndef BODY_BODY_H
#define BODY_BODY_H

#include "body/model.h"
#include "geom/mesh.h"

struct column_grid;

extern const param_table body_params;        // firn_body_def
extern const param_table body_sections;      // of a scene
extern const param_table shape_params;       // firn_shape_def, as {shape: ...}
extern const param_variant shape_variants[]; // the words of `shape:`, for rows of models that fill shapes

// folder: where relative file names start.
firn_status body_set_create(const firn_body_def *defs, size_t count, const model_setting *setting,
                            body_set **out);
void body_set_destroy(body_set *bodies);

size_t body_count(const body_set *bodies);
const char *body_name(const body_set *bodies, size_t b);
size_t body_find(const body_set *bodies, const char *name); // SIZE_MAX: none
firn_motion_kind body_motion(const body_set *bodies, size_t b);
firn_body_state body_state(const body_set *bodies, size_t b);
firn_contact_kind body_contact_kind(const body_set *bodies, size_t b); // with snow of mpm
double body_friction(const body_set *bodies, size_t b);
double body_restitution(const body_set *bodies, size_t b);
double body_temperature(const body_set *bodies, size_t b);  // degrees Celsius; NAN: no heat passes
double body_heat_contact(const body_set *bodies, size_t b); // W/m2K; INFINITY: without loss
firn_vec3 body_color(const body_set *bodies, size_t b);
// Closed triangle mesh of the shape in its own frame, scale applied, for pictures and exports; a plane is a
// large square.
const mesh *body_mesh(const body_set *bodies, size_t b);

// The three questions, for n points; any output may be NULL. Vectorised, and split over threads when n is
// large.
void body_query(const body_set *bodies, size_t b, size_t n, const float *x, const float *y, const float *z,
                float *distance, float *nx, float *ny, float *nz);
firn_vec3 body_velocity_at(const body_set *bodies, size_t b, firn_vec3 point);
// What a dynamic body opposes to a push, world axes.
typedef struct body_inertia {
    double mass;        // kg
    firn_vec3 centre;   // of mass, m
    double about[3][3]; // kg m2, about the centre
} body_inertia;
body_inertia body_inertia_now(const body_set *bodies, size_t b);
// Axis-aligned box in the world, grown by the motion of a step of length dt; false for unbounded bodies
// (plane).
bool body_bounds(const body_set *bodies, size_t b, double dt, firn_vec3 *low, firn_vec3 *high);

// Lower and upper surface of the body over a grid of vertical lines (geom/shape_columns.h).
void body_columns(const body_set *bodies, size_t b, const struct column_grid *g, float *low, float *high);
firn_vec3 body_centre_of_mass(const body_set *bodies, size_t b);
// Change of spin by an impulse with this moment about the centre of mass (N m s); zero unless dynamic.
firn_vec3 body_spin_of(const body_set *bodies, size_t b, firn_vec3 twist);
// The other way round: angular momentum of a spin.
firn_vec3 body_twist_of(const body_set *bodies, size_t b, firn_vec3 spin);

// A sphere of `radius` that moves from `from` to `to` while the body moves through the present step (from its
// pose before to its pose after): the first touch. Never misses a body thinner than the motion.
typedef struct body_hit {
    double t;          // 0..1 along the way
    firn_vec3 point;   // centre of the sphere at the touch, world frame
    firn_vec3 normal;  // outward
    firn_vec3 carried; // the point, moved along with the body to the end of the step
} body_hit;
bool body_sweep(const body_set *bodies, size_t b, firn_vec3 from, firn_vec3 to, double radius, body_hit *hit);
// The same against the body as it stands at the end of the step.
bool body_sweep_still(const body_set *bodies, size_t b, firn_vec3 from, firn_vec3 to, double radius,
                      body_hit *hit);

// Thinnest part that distances at the ends of a way could jump over; ways longer than half of it need
// body_sweep. INFINITY for a plane; for shapes with a sampled distance about a cell.
double body_wall(const body_set *bodies, size_t b);
bool body_is_sampled(const body_set *bodies, size_t b); // its distance comes from samples and is not exact

// Impulse (N s) at a point, from a model, felt in the next step of the bodies; dynamic bodies only, of others
// it is only written down. Safe only from one thread at a time: models gather sums per block first and hand
// them over in the order of the blocks (body_add_impulses: `twist` is the sum of arm x impulse about the
// point `about`).
void body_add_impulse(body_set *bodies, size_t b, firn_vec3 impulse, firn_vec3 at);
void body_add_impulses(body_set *bodies, size_t b, firn_vec3 impulse, firn_vec3 twist, firn_vec3 about);
// Moves a dynamic body that touched no other body in this step, by what impulses of this step would have done
// to its place had it felt them at once: a way of its centre of mass (m) and a turn (rad). Others stay.
void body_give_way(body_set *bodies, size_t b, firn_vec3 way, firn_vec3 turn);
void body_add_force(body_set *bodies, size_t b, firn_vec3 force, firn_vec3 at);

// What the models did to a body since the last body_forget_felt; impulses are noted as they are added, a
// model that works with forces says it here (twist: about the centre of mass, of bodies that are not dynamic
// about the origin).
void body_note_felt(body_set *bodies, size_t b, firn_vec3 impulse, firn_vec3 twist);
firn_body_felt body_felt(const body_set *bodies, size_t b);
void body_forget_felt(body_set *bodies);
// A body that is led goes to a pose until a moment (s); a moment that is over: at once, and what lies between
// is not touched. rotation: a unit quaternion.
void body_lead(body_set *bodies, size_t b, firn_vec3 position, firn_quat rotation, double now, double until);
// Puts a dynamic body into another state; mass is not looked at.
firn_status body_place(body_set *bodies, size_t b, const firn_body_state *state);

// The bodies are a model themselves (fields bodies.position, bodies.rotation, bodies.velocity, bodies.spin;
// ledger, hash, checkpoint); params is the array of the def, as body_set_params.
typedef struct body_set_params {
    const firn_body_def *items;
    size_t count;
} body_set_params;
extern const model_class body_model;

#endif
