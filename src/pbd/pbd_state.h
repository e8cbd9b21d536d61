// The inside of position-based dynamics; only for files of this folder (and of phase).
#ifndef PBD_PBD_STATE_H
#define PBD_PBD_STATE_H

#include "geom/fill.h"
#include "grid/neighbours.h"
#include "math/dvec.h"
#include "pbd/pbd.h"

enum { PBD_BLOCK = 1024 }; // particles of a task

// Grains are snow among the liquids (phase): sorted with them, in front of them.
typedef enum pbd_phase { PBD_SOLID, PBD_FLUID, PBD_GRAIN } pbd_phase;

// How particles go in a sub-step (pbd_step.c): the share of the last motion that is added to the next, the
// share of dt in which the new velocity acts, what damping leaves of it; one over that part of dt. 0 and 1:
// semi-implicit Euler.
typedef struct pbd_way {
    float carry, span, keep, inverse_dt;
} pbd_way;

// Properties shared by all particles of a solid or of a fluid.
typedef struct pbd_group {
    pbd_phase phase;
    double mass;        // kg, of a particle
    double volume;      // m3, of a particle
    float inverse_mass; // 1/kg
    float radius;       // m
    float friction;     // kinetic
    float static_friction;
    bool self_contact;
    float break_strain;  // of its links; 0: they do not tear
    size_t links;        // and cells of a solid, as it was made
    bool keeps_volume;   // a solid whose volume is held
    size_t first, count; // of a solid: its particles
    firn_vec3 color;     // auto: chosen by number
    pbd_way way;         // of this sub-step
    bool elastic;        // a continuum whose particles give way in many sub-steps
    bool lively;         // faster than what comes to rest; of this sub-step
    bool linked;         // a solid that is not loose
    bool touches;        // bodies, walls of the box, other solids or liquids; by the kinds' find
} pbd_group;

// Arrays by particle. Those of solids come first and keep their place until a solid goes, so that constraints
// may name them; those of fluids follow, are put into the order of cells from time to time, enter and leave.
typedef struct pbd_particles {
    size_t count, capacity, solids;
    double (*at)[3];                   // m, in the world; state
    float (*v)[3];                     // m/s; state
    uint32_t *id;                      // for life; state
    uint32_t *group;                   // state
    float (*rest)[3];                  // m, where it is in the undeformed solid; state, for solids only
    float (*moved)[3], (*v_before)[3]; // m, in the last sub-step; m/s, before it; state, for solids only
    // Of a sub-step. Positions are from the origin of the particle's frame: 32 bits are exact enough there.
    uint32_t *frame; // by pbd_find_frames
    float (*x)[3]; // m, at the start of the sub-step; after it, where it is. Whoever moves x together with q
                   // moves a particle without giving it a velocity
    float (*q)[4]; // m, predicted positions, which constraints move; and the inverse mass (density_in)
    float (*delta)[4];  // m, sum of a Jacobi iteration's corrections to q
    float *constraints; // how many constraints each particle is in
} pbd_particles;

// A sub-step as constraints see it.
typedef struct pbd_pass {
    const body_set *bodies;
    double time;      // s, at the end of the sub-step
    double dt;        // s, of the sub-step
    bool first;       // of the step
    double left;      // s, from the end of the sub-step to the end of the step, where the bodies are
    bool plain;       // original PBD: `compliance` is the share of the error corrected per iteration
    bool by_particle; // Jacobi: each particle sums its own constraints
    float relax;      // omega
    float softer;     // 0 .. 1: reduction of the correction, as the sub-step is shorter than usual
} pbd_pass;

// Largest and mean error of constraints, in the unit of their values.
typedef struct pbd_residual {
    double largest, sum2;
    size_t count;
} pbd_residual;

typedef struct pbd pbd;

// A solid that comes or goes while the world runs.
typedef struct pbd_solid_change {
    size_t solid;        // its number in the scene
    size_t first, count; // its particles; of one that has gone: where they were
    bool gone;
} pbd_solid_change;
// The new number of a particle of a solid; UINT32_MAX: it has gone.
static inline uint32_t pbd_new_number(const pbd_solid_change *change, uint32_t i) {
    if (!change->gone || i < change->first) return i;
    return i < change->first + change->count ? UINT32_MAX : i - (uint32_t)change->count;
}

// A type of constraint: one file and a row in pbd_kinds.c. Any function may be NULL. `data` is the kind's
// own, made by create; NULL: the scene has none of it, and nothing else is called.
typedef struct pbd_kind {
    const char *name, *unit; // of the values
    // All particles of the scene's solids exist. *data stays NULL if there is nothing to do.
    firn_status (*create)(pbd *s, const firn_pbd_def *def, const body_set *bodies, void **data);
    void (*destroy)(void *data);
    // Parameters that may change live have; see model_class.
    void (*changed)(pbd *s, void *data, const firn_pbd_def *def, const model_setting *setting);
    // Once a sub-step, after prediction: lists of neighbours and contacts; p->q is where they would go.
    firn_status (*find)(pbd *s, void *data, const pbd_pass *pass);
    // Adds the number of this kind's constraints on each particle to p->constraints (Jacobi averages by it).
    void (*count_constraints)(pbd *s, void *data);
    // One Gauss-Seidel sweep: moves p->q in place.
    void (*project)(pbd *s, void *data, const pbd_pass *pass);
    // One Jacobi iteration: adds its corrections, relaxed and averaged, to p->delta; p->q stays as it is.
    void (*jacobi)(pbd *s, void *data, const pbd_pass *pass);
    // Adds the errors at p->q.
    void (*residual)(pbd *s, void *data, const pbd_pass *pass, pbd_residual *out);
    // After the sub-step: p->x and p->v are new (viscosity, restitution).
    firn_status (*velocities)(pbd *s, void *data, const pbd_pass *pass);
    // Once a step, at its end: adds impulses to bodies, lets particles enter and leave.
    firn_status (*finish)(pbd *s, void *data, body_set *bodies, model_step step);
    // State and shown fields, like those of a model. The getters are given the pbd.
    const field_table *fields;
    firn_status (*resize)(pbd *s, void *data, const char *name, size_t count); // of one of its fields
    firn_status (*loaded)(pbd *s, void *data);
    void (*show)(pbd *s, void *data);
    // Items of a list of the scene that come and go while the world runs, as in firn_model_growth: the last
    // one is new (with setting.loading its state follows); one is taken out. *data may be NULL before.
    const char *list; // "pbd.pins"; NULL: none
    firn_status (*add)(pbd *s, void **data, const firn_pbd_def *def, const model_item *item);
    firn_status (*take_out)(pbd *s, void *data, size_t number);
    // A solid has come or gone; all particles and groups are in place. Puts new data into *data; what was
    // there is left as it is, and freed by the caller (the new one, if anything fails). NULL: nothing depends
    // on it.
    firn_status (*remake)(pbd *s, const firn_pbd_def *def, const pbd_solid_change *change, void **data);
} pbd_kind;
const pbd_kind *const *pbd_kinds(size_t *count); // of this folder, in the order of a sweep

enum { PBD_KINDS = 16, PBD_COLUMNS = 8 };

// Arrays and hooks of another model that is built on this one (phase).
typedef struct pbd_column {
    void *at;
    size_t item; // bytes, at most 16
} pbd_column;
typedef struct pbd_hooks {
    void (*born)(pbd *s, size_t i); // a new particle; its columns are zero
    void (*left)(pbd *s, size_t i); // it went down a drain
    // Of particles [begin, end): volume (m3), the one with which their pressure acts (m3, see fluid_delta_x)
    // and how liquid they are (1: held at their density, 0: mirror the pressure of liquids).
    void (*volumes)(const pbd *s, size_t begin, size_t end, float *volume, float *pressure_volume,
                    float *liquid);
} pbd_hooks;

// Surfaces of solids, by their number (pbd_skin.c).
typedef struct pbd_skins {
    struct pbd_skin_item {
        const struct firn_skin *skin; // NULL: it cannot be bound to its particles
        bool tried;
    } * item;
    size_t count;
} pbd_skins;

// Places near the particles (pbd_frames.c). Particles of different frames are too far apart to meet, also if
// positions from the two origins are compared.
typedef struct pbd_frames {
    firn_vec3 *origin; // m, whole metres
    size_t count, capacity;
    // Moves that are whole multiples of what 32 bits resolve at the farthest particle of a solid are added to
    // all positions without rounding: (move + snap) - snap.
    float snap; // m
} pbd_frames;

typedef struct pbd_counters {
    double mass_in, mass_out; // kg, since the start
    double dt;                // s, of the last sub-step; 0: none yet
    double longest_dt;        // s, of the longest recent sub-steps: a maximum that decays
    double next_id;
    double steps, iterations;             // sub-steps and iterations since the start
    double first_residual, last_residual; // root mean square, before and after the last solve
    double largest_residual;              // after it
    double stack; // 1/m, layers of the highest stack of solids over their spacing (pbd_stack.c)
} pbd_counters;
enum { PBD_COUNTERS = sizeof(pbd_counters) / sizeof(double) };

struct pbd {
    firn_pbd_def def; // numbers only
    model_setting setting;
    pbd_particles p;
    pbd_frames frames;
    pbd_group *groups; // solids, then fluids
    size_t group_count;
    const pbd_kind *const *kinds; // in the order of a sweep
    size_t kind_count;
    void *data[PBD_KINDS];          // by kind
    pbd_column column[PBD_COLUMNS]; // sorted along with the particles
    size_t columns;
    size_t
        grains; // how many grains are sorted in front of the liquids, from p.solids on; since the last sort
    const pbd_hooks *hooks; // NULL: none
    void *owner;            // of the hooks
    const char *section;    // of the scene, for messages
    pbd_counters counters;  // the field pbd.counters
    int parts;              // sub-steps of this step; 0: one
    const body_set *bodies; // read only
    pbd_skins *skins;       // made when one is first asked for; no part of the state
    profile passes;
};

static inline size_t pbd_blocks(size_t count) { return (count + PBD_BLOCK - 1) / PBD_BLOCK; }
static inline firn_vec3 pbd_at(const float *x) { return dvec((double)x[0], (double)x[1], (double)x[2]); }
// The origin of a particle's frame, a place of that frame in the world, and where the particle is.
static inline firn_vec3 pbd_origin(const pbd *s, size_t i) { return s->frames.origin[s->p.frame[i]]; }
static inline firn_vec3 pbd_world(const pbd *s, size_t i, const float *place) {
    return dvec_add(pbd_origin(s, i), pbd_at(place));
}
static inline firn_vec3 pbd_place(const pbd *s, size_t i) {
    return dvec(s->p.at[i][0], s->p.at[i][1], s->p.at[i][2]);
}
// A move by whole multiples, see pbd_frames.
static inline float pbd_snapped(const pbd *s, float move) { return move + s->frames.snap - s->frames.snap; }
// Puts x where the particle is.
static inline void pbd_take_place(pbd *s, size_t i) {
    firn_vec3 o = pbd_origin(s, i);
    const double *at = s->p.at[i];
    s->p.x[i][0] = (float)(at[0] - o.x), s->p.x[i][1] = (float)(at[1] - o.y);
    s->p.x[i][2] = (float)(at[2] - o.z);
}
// The data of one kind; NULL: the scene has none.
void *pbd_data(const pbd *s, const pbd_kind *kind);

// pbd_create.c
firn_status pbd_create(const void *params, const model_setting *setting, const body_set *bodies,
                       void **model);
void pbd_destroy(void *model);
firn_status pbd_cost(const void *params, const model_setting *setting, firn_cost *cost);
firn_status pbd_reserve(pbd *s, size_t count);
firn_status pbd_make_kinds(pbd *s, const firn_pbd_def *def, const body_set *bodies);
// The particles from `middle` on come before those from `first` on.
void pbd_rotate(pbd *s, size_t first, size_t middle, size_t end);
void pbd_rotate_list(void *list, size_t item, size_t first, size_t middle,
                     size_t end); // of items of 24 bytes at most
// A new particle of a group, at the end of all; there must be room. Counts its mass as entered.
size_t pbd_add_particle(pbd *s, firn_vec3 at, firn_vec3 velocity, uint32_t group);

// Takes over what may change live, kind by kind.
void pbd_change(pbd *s, const firn_pbd_def *def, const model_setting *setting);
double pbd_compliance(const firn_pbd_def *def, double stiffness, double plain_stiffness);

// pbd_solids.c: particles of all solids; their links are made by the kinds.
firn_status pbd_make_solids(pbd *s, const firn_pbd_def *def);
// The points of a shape, by `from`.
firn_status pbd_fill(const firn_pbd_solid_def *def, const shape *form, uint64_t seed, fill_points *out);
// One of them, behind all other particles; its group has room.
firn_status pbd_add_solid(pbd *s, const firn_pbd_solid_def *def, size_t number);
// Whether particles of solids, one of them from `first` on, are at the same place.
firn_status pbd_check_duplicates(pbd *s, const firn_pbd_def *def, size_t first);
void pbd_find_solids(pbd *s); // sets where the particles of each are
void pbd_take_surface(pbd_group *group, const firn_pbd_solid_def *def); // friction, contact, strength

// pbd_frames.c: frames of all particles, by where they are now, and x in them.
firn_status pbd_find_frames(pbd *s);

// pbd_step.c
firn_status pbd_step(void *model, body_set *bodies, model_step step);
// Its parts.
pbd_pass pbd_pass_of(const pbd *s, const body_set *bodies, model_step step, int k);
void pbd_predict(pbd *s, double dt);
void pbd_predict_touching(pbd *s, double dt); // once contacts are known: solids that touch something, anew
// Where a particle goes by itself: at the end of a sub-step, from x. By Euler or as its solid does.
void pbd_free_motion(const pbd *s, double dt, size_t i, bool euler, float motion[3]);
void pbd_keep_motion(pbd *s, double dt); // of touching solids, once velocities are final
firn_status pbd_find_all(pbd *s, const pbd_pass *pass);
void pbd_sweep(pbd *s, const pbd_pass *pass); // in place, kind by kind
void pbd_update_velocities(pbd *s, double dt);
firn_status pbd_velocity_passes(pbd *s, const pbd_pass *pass);
firn_status pbd_finish_all(pbd *s, body_set *bodies, model_step step);
// Whether a solid must take the sub-step by Euler, since one of its particles meets something: gap (m) where
// it would be, `approach` (m/s, < 0: nearer), and the gap from which on any solid does.
bool pbd_meets(const pbd *s, const pbd_group *g, double dt, float gap, float approach, float near);
// pbd_solve.c: the iterations of a sub-step.
void pbd_solve(pbd *s, const pbd_pass *pass);
// pbd_fields.c
extern const field_table *const pbd_field_tables[];
extern const series_row pbd_iteration_row;
void pbd_get_iterations(const void *model, double *values);
extern const series_table *const pbd_series_tables[];
// pbd_skin.c
firn_status pbd_skin(const void *model, size_t number, const struct firn_skin **out);
void pbd_skins_free(pbd_skins *skins);
// pbd_looks.c
extern const model_drawing pbd_drawing;
void pbd_walls(const void *model, double time, float low[3], float high[3]);
firn_status pbd_resize(void *model, const char *name, size_t count);
firn_status pbd_loaded(void *model);
void pbd_show(void *model);
void pbd_ledger(const void *model, firn_ledger *out);
bool pbd_find_invalid(const void *model, uint64_t *item, const char **what);
firn_status pbd_check_initial(const pbd *s, const char *model); // whether all particles are in the domain
extern const struct firn_model_growth pbd_growth;               // pbd_growth.c

extern const struct firn_offers pbd_offers; // pbd_offers.c
// Changes velocities (m/s) or places (m) of particles [begin, end) from outside.
void pbd_push(pbd *s, size_t begin, size_t end, const float (*change)[3]);
void pbd_shift(pbd *s, size_t begin, size_t end, const float (*by)[3]);

#endif
