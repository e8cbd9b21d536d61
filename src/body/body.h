// Rigid bodies, shared by all models: signed distance, normal and velocity at points, and the sum of forces
// and torques.
#ifndef BODY_BODY_H
#define BODY_BODY_H

#include "body/model.h"
#include "geom/mesh.h"

struct column_grid;

extern const param_table body_params;   // firn_body_def
extern const param_table body_sections; // of a scene
extern const param_table shape_params;  // firn_shape_def, as {shape: ...}

// setting->folder: base of relative file names.
firn_status body_set_create(const firn_body_def *defs, size_t count, const model_setting *setting,
                            body_set **out);
void body_set_destroy(body_set *bodies);

size_t body_count(const body_set *bodies);
const char *body_name(const body_set *bodies, size_t b);
size_t body_find(const body_set *bodies, const char *name); // SIZE_MAX: none
firn_motion_kind body_motion(const body_set *bodies, size_t b);
firn_shape_kind body_shape(const body_set *bodies, size_t b);
firn_body_state body_state(const body_set *bodies, size_t b);
firn_contact_kind body_contact_kind(const body_set *bodies, size_t b); // with mpm snow
double body_friction(const body_set *bodies, size_t b);
double body_restitution(const body_set *bodies, size_t b);
double body_temperature(const body_set *bodies, size_t b);  // degrees Celsius; NAN: insulated
double body_heat_contact(const body_set *bodies, size_t b); // W/m2K; INFINITY: perfect contact
firn_vec3 body_color(const body_set *bodies, size_t b);
// Closed triangle mesh of the shape in its own frame, scale applied, for pictures and exports; a plane is a
// large square.
const mesh *body_mesh(const body_set *bodies, size_t b);

void body_set_user(body_set *bodies, size_t b, void *user); // a pointer of the embedding program
void *body_user(const body_set *bodies, size_t b);

// Signed distance and outward normal at n points; any output may be NULL. Vectorised, and split over threads
// when n is large.
void body_query(const body_set *bodies, size_t b, size_t n, const float *x, const float *y, const float *z,
                float *distance, float *nx, float *ny, float *nz);
// The same with points relative to `near`: far from the origin of the world, floats from a place near the
// points are exact, world coordinates are not.
void body_query_near(const body_set *bodies, size_t b, firn_vec3 near, size_t n, const float *x,
                     const float *y, const float *z, float *distance, float *nx, float *ny, float *nz);
// body_query with points and vectors packed x, y, z, and velocities of the surface; any output may be NULL.
void body_query_packed(const body_set *bodies, size_t body, size_t n, const float *points, float *distance,
                       float *normals, float *velocities);
firn_vec3 body_velocity_at(const body_set *bodies, size_t b, firn_vec3 point);
// Mass properties of a dynamic body, world axes.
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
// Change of spin by an angular impulse (`twist`, N m s) about the centre of mass; zero unless dynamic.
firn_vec3 body_spin_of(const body_set *bodies, size_t b, firn_vec3 twist);
// The inverse: angular momentum of a spin.
firn_vec3 body_twist_of(const body_set *bodies, size_t b, firn_vec3 spin);

// Continuous collision: first contact of a sphere of `radius` that moves from `from` to `to` while the body
// moves through the present step, from its previous to its present pose. Never misses a body thinner than the
// motion.
typedef struct body_hit {
    double t;          // 0..1 of the motion
    firn_vec3 point;   // centre of the sphere at the contact, world frame
    firn_vec3 normal;  // outward
    firn_vec3 carried; // the point, carried with the body to the end of the step
} body_hit;
bool body_sweep(const body_set *bodies, size_t b, firn_vec3 from, firn_vec3 to, double radius, body_hit *hit);
// The same against the body at rest in its pose at the end of the step.
bool body_sweep_still(const body_set *bodies, size_t b, firn_vec3 from, firn_vec3 to, double radius,
                      body_hit *hit);

// Minimum thickness: motions longer than half of it may tunnel through and need body_sweep. INFINITY for a
// plane; about a cell for shapes with a sampled SDF.
double body_min_thickness(const body_set *bodies, size_t b);
bool body_is_sampled(const body_set *bodies, size_t b); // its SDF is sampled and not exact

// Impulse (N s) of a model at a point. A dynamic body receives it in its next step; for other bodies it only
// counts as reaction. Not thread-safe: models sum per block first and add the sums in block order
// (body_add_impulses: `twist` is the sum of arm x impulse about the point `about`).
void body_add_impulse(body_set *bodies, size_t b, firn_vec3 impulse, firn_vec3 at);
void body_add_impulses(body_set *bodies, size_t b, firn_vec3 impulse, firn_vec3 twist, firn_vec3 about);
// Position correction of a dynamic body without contacts in this step: displacement of the centre of mass (m)
// and rotation (rad) that the impulses of this step would have caused. Other bodies stay.
void body_correct_position(body_set *bodies, size_t b, firn_vec3 displacement, firn_vec3 rotation);
void body_add_force(body_set *bodies, size_t b, firn_vec3 force, firn_vec3 at);

// Reaction: sum of the impulses of the models on a body since body_clear_reactions. Impulses are counted as
// they are added; a model that works with forces adds its reaction here (twist: about the centre of mass, or
// about the origin if the body is not dynamic).
void body_add_reaction(body_set *bodies, size_t b, firn_vec3 impulse, firn_vec3 twist);
firn_impulse body_reaction(const body_set *bodies, size_t b);
void body_clear_reactions(body_set *bodies);

// Models on other clocks than that of the bodies (src/world/world_clocks.c). A model on a slower clock sees
// the path of the bodies from the start of its own step; what it pushes with acts evenly over its next step.
// One on a faster clock sees a part of the last step of the bodies.
enum { BODY_SLOWER_CLOCKS = 4 };
firn_status body_use_clocks(body_set *bodies);  // once, before the first step
void body_mark(body_set *bodies, size_t clock); // a step of this slower clock begins
// Before and after the step of a model; t0 and t1: begin and end of its step in that of the bodies, 0 .. 1.
void body_view_slower(body_set *bodies, size_t clock, double dt);
void body_view_faster(body_set *bodies, double t0, double t1);
void body_view_own(body_set *bodies);
// Before a step of the bodies of length dt: this share of what is left of the clock's impulses acts in it.
void body_release(body_set *bodies, size_t clock, double share, double dt);
// Forces of the program act during the whole step dt of the slowest clock.
void body_defer_forces(body_set *bodies, double dt);

// Bodies that pushed each other in the last step, in the order of pairs; only known if the step had listeners
// for contacts.
typedef struct body_touch {
    uint32_t a, b;
    firn_vec3 at;   // m, the middle of the contacts, weighted by their impulse
    double impulse; // N s
} body_touch;
size_t body_touches(const body_set *bodies, const body_touch **out);
// Sets the target pose of a kinematic body, reached at time `until` (s); if that is past, the body is
// there at once, without sweeping through what lies between. rotation: a unit quaternion.
void body_set_target(body_set *bodies, size_t b, firn_vec3 position, firn_quat rotation, double now,
                     double until);
// Sets the state of a dynamic body; the mass of `state` is ignored.
firn_status body_place(body_set *bodies, size_t b, const firn_body_state *state);

// The bodies are a model themselves (fields bodies.position, bodies.rotation, bodies.velocity, bodies.spin;
// ledger, hash, checkpoint); params is the array of the def, as body_set_params.
typedef struct body_set_params {
    const firn_body_def *items;
    size_t count;
} body_set_params;
extern const model_class body_model;

#endif
