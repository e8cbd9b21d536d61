// Internal state of the MPM model; only for files of this folder.
#ifndef MPM_MPM_STATE_H
#define MPM_MPM_STATE_H

#include "grid/block_map.h"
#include "mpm/mpm.h"

// Constitutive parameters of one snow, ready for the inner loop: floats only, which a batch spreads over its
// lanes.
typedef struct mpm_law {
    float kind;               // firn_snow_law
    float mu, lambda;         // Pa, before hardening
    float hardening;          // xi
    float softening;          // xi of loosened snow, by the length over which it breaks and the cell
    float closed;             // J_P at which it is as dense as ice, see snow_closing
    float densest;            // J at which it is as dense as ice, see snow_barrier
    float theta_c, theta_s;   // MPM15: singular values of F_E stay in [1 - theta_c, 1 + theta_s]
    float tearing;            // s, time in which what is stretched beyond theta_s gives way
    float limit, shear;       // p0 / K, sqrt(6) mu / K, see granular_yield
    float friction, cohesion; // M, beta
    float stretch;            // log J_P at which Cam clay has lost its bonds
    float kinetic, inertia;   // Drucker-Prager in motion, see granular_yield; inertia times dt, s
    float lode;               // k of Drucker-Prager, see granular_lode; 0: the same friction for all
    float volume, density;    // m3 of one particle, kg/m3
} mpm_law;
enum { MPM_LAW_FLOATS = sizeof(mpm_law) / sizeof(float) };

typedef struct mpm_material {
    mpm_law law;
    double volume;     // m3 of one particle, not rounded as in the law
    float mass;        // kg of one particle
    double clod, seam; // m, 1; see mpm_clods.c
    float adhesion;    // N; force with which bodies can pull at one that touches them
    float max_density; // kg/m3, of its type without pores
    float temperature; // degrees Celsius, of snow that enters; without heat of all
    float strength;    // factor of its temperature and water on mu and lambda when it enters; 1 without heat
    double enthalpy;   // J/kg, of snow that enters; 0 without heat
} mpm_material;

// Arrays by particle; packed, so that they serve as fields directly. Written by mpm_g2p_patch and the sort,
// read by all.
typedef struct mpm_particles {
    size_t count, capacity;
    double (*x)[3];     // m; in double, so that snow moves alike wherever it is
    float (*v)[3];      // m/s
    float (*affine)[9]; // 1/s; columns of C (APIC)
    float (*strain)[6]; // F_E F_E^T - 1 (xx, xy, xz, yy, yz, zz), see snow_law.h
    float (*tau)[6];    // V0 * Kirchhoff stress (like strain), J; follows from strain and jp
    float *jp;          // det F_P
    uint32_t *id;
    uint32_t *block;    // slot of its block; follows from x
    uint32_t *material; // index of its snow
    float *bond;        // share of theta_s that it bears: less than 1 in seams between clods
    bool clods;         // there are seams; else bond is not used
    bool thermal;       // the next three are there; else NULL
    double *enthalpy;   // J/kg, see snow/heat_law.h; in double, since heat is slow
    float *strength;    // factor on mu and lambda by temperature and water
    float *healed;      // of the loosening of J_P, by sintering: see snow_bonded
    bool rests;         // the next one is there; else NULL
    bool keyed;         // the next one is there; else NULL
    uint32_t *key;      // place in the arrays of a run on one rank; mpm_ranks.h
    float *rest;        // s, for which it has been at rest; mpm_convert.c
    char *scratch;      // during a step: lists of the sort, then one array during permutation. Between steps:
                        // derived fields
    const mpm_material *materials;
} mpm_particles;

// CFL limits: a wave crosses less than half a cell, a particle less than 0.4 of one (in MPM15 dt is tuned by
// hand). Packed snow hardens: in the hare drop its waves are about ten times as fast as at the start.
#define MPM_WAVE_CELLS 0.45
#define MPM_MOVE_CELLS 0.4
#define MPM_USUAL_HARDENING 10
// The semi-implicit step is stable beyond the CFL limit of waves; up to this multiple it is also accurate and
// the solve short.
#define MPM_IMPLICIT_WAVES 10
// Snow hardens as it yields: in a step that deforms it by more than this share of theta_c, the hardness lags
// behind and snow is packed too far. Explicit steps are always shorter.
#define MPM_IMPLICIT_FLOW 0.1

enum {
    MPM_REORDER = 64, // steps between two sorts of the arrays
    BLOCK_EDGE = 4,   // nodes per block edge
    BLOCK_NODES = BLOCK_EDGE * BLOCK_EDGE * BLOCK_EDGE,
    BLOCK_FLOATS = 4 * BLOCK_NODES,
    PATCH_EDGE = 2 * BLOCK_EDGE - 1,
    PATCH_ROW = 4 * 2 * BLOCK_EDGE, // floats of one (x, y) row
    PATCH_FLOATS = PATCH_EDGE * PATCH_EDGE * PATCH_ROW,
};

// A block of the grid. It owns the particles whose first stencil node lies in it; its patch extends into the
// seven blocks above. `up` are the grid blocks under its patch, `down` the blocks whose patches overlap its
// nodes, at + or - (i>>2&1, i>>1&1, i&1).
typedef struct mpm_block {
    uint32_t first, count;   // its particles, in `order`
    uint32_t elsewhere;      // its particles that another rank has
    uint32_t patch;          // index of its patch; BLOCK_NONE without particles
    uint32_t up[8], down[8]; // slots; down: BLOCK_NONE where there is no patch
    uint32_t below[8];       // like down, with and without patch
    bool linked;             // up is known
} mpm_block;

typedef struct mpm_morton_entry {
    uint64_t key; // Morton
    uint32_t slot;
} mpm_morton_entry;

typedef struct mpm_grid {
    block_map map;
    mpm_block *block;         // by slot
    mpm_morton_entry *morton; // all blocks, in Morton order
    size_t known;             // how many blocks of the map are in these lists
    uint32_t *occupied;       // slots of the blocks with particles, in Morton order
    uint32_t *active;         // slots of the blocks under some patch, in Morton order
    size_t occupied_count, active_count;
    size_t capacity, morton_capacity, occupied_capacity, active_capacity;
    struct mpm_dt_limits *dt_limits; // by occupied block: CFL limits of the next step
    size_t dt_limits_capacity;
    float *patches; // PATCH_FLOATS each, by mpm_block.patch
    float *nodes;   // BLOCK_FLOATS each, by slot
    size_t patch_capacity, node_capacity;
    uint32_t *order; // particles, block by block
    size_t order_capacity;
    size_t own_first, own_end; // of the occupied blocks: those of this rank
} mpm_grid;

typedef struct mpm_collider mpm_collider; // mpm_contact.h

// Reaction of a body to the snow of a block.
typedef struct mpm_reaction {
    firn_vec3 impulse, angular; // N s; N m s about the body's pivot
} mpm_reaction;

typedef struct mpm_contact mpm_contact; // mpm_contact.h

// A block of particles near a body.
typedef struct mpm_block_pair {
    uint32_t block, body; // number of the occupied block
    uint32_t count;       // its contacts
    size_t first;         // in `contacts`
} mpm_block_pair;

// Scratch memory for contact with bodies.
typedef struct mpm_contact_scratch {
    mpm_collider *collider; // by body
    float *distance;        // of the occupied blocks' middles from a body
    mpm_block_pair *pair;   // body by body
    mpm_contact *contacts;  // by occupied block
    size_t *first;          // by occupied block: its first contact
    uint32_t *count;        // by occupied block: its contacts
    uint32_t *near;         // slots of the blocks whose particles a body may touch
    mpm_reaction *reaction; // by near block
    uint8_t *moved;         // by occupied block: flags of mpm_collide_particles.c
    float *friction[3];     // by slot: sums over the contacts at a node (mpm_friction.c)
    uint8_t *touched;       // by slot: friction is not zero
    float left[3];          // m/s; what the semi-implicit solve left, per stiffness of contacts
    float slow;             // m/s; the semi-implicit solve stops contacts that slide more slowly
    size_t pairs, pair_capacity, contact_capacity, friction_capacity[4], capacity[7];
} mpm_contact_scratch;

// A source of snow. A stream enters in columns along its velocity, each particle at a random time of its
// column's period, so that the stream is filled evenly.
typedef struct mpm_emitter {
    double from, to; // s
    double period;   // s, between two particles of a column, or between two pieces
    bool pieces;
    double layer, largest_rate; // of a stream: kg that enter in a period; kg/s that fit through its shape
    float (*at)[3]; // m, from `origin`; of a stream: where columns enter; of a piece: its particles
    size_t count;
    firn_vec3 origin;
    firn_vec3 velocity, spin, middle; // spin about middle
    firn_vec3 side, up;               // m, edges of a column
    uint32_t material;
    uint32_t stream; // of random numbers; stays when pieces of snow are added, which moves `material`
} mpm_emitter;

// Particles beyond it (n . x > offset) are removed.
typedef struct mpm_plane {
    double n[3], offset;
    bool lost; // the floor: counted as lost
} mpm_plane;

typedef struct mpm_counters {
    double mass_in, mass_out, mass_lost; // kg, since the start; lost is a part of out
    double speed2, wave_speed2; // of the last step: largest squares of velocity and wave speed, m2/s2
    double flow;                // 1/s, strain rate in units of theta_c; semi-implicit only
    double entered;             // s, emitters have emitted up to this time
    double next_id;
} mpm_counters;
enum { MPM_COUNTERS = sizeof(mpm_counters) / sizeof(double) };

struct mpm_state;
// Over the particles, of the ledger.
typedef struct mpm_ledger_sums {
    double mass, momentum[3], kinetic, weight_height, max_speed2;
} mpm_ledger_sums;
enum { MPM_LEDGER_BLOCK = 16384 }; // particles whose sums are joined in order
void mpm_sum_block(void *state, size_t begin, size_t end, void *sums);
void mpm_join_sums(void *into, const void *from);
// Time series of the particles of this rank: how many are inside bodies, and how deep; how many are as dense
// as ice.
void mpm_find_inside(const struct mpm_state *s, double values[2]);
double mpm_count_dense(const struct mpm_state *s);

typedef struct mpm_state {
    firn_mpm_def def; // without lists and texts
    model_setting setting;
    mpm_particles p;
    size_t made; // particles of the start, in all parts (model_setting.parts)
    mpm_grid grid;
    mpm_contact_scratch contact;
    struct mpm_solver *solver; // of the semi-implicit step; NULL: explicit
    struct mpm_ranks *ranks;   // mpm_ranks.h; NULL: all is on this rank
    struct mpm_heat *heat;     // mpm_heat.h; NULL: temperatures stay as they are
    mpm_material *materials;
    size_t material_count;
    bool field_snow;      // the last material is that of snow that comes from the snow field (mpm_convert.c)
    bool field_snow_used; // in this step there are particles of it
    bool phase_snow,
        phase_snow_used;    // the same for snow that was grains of phase; its material is before that
    const body_set *bodies; // for the ledger only
    mpm_ground ground;      // look NULL: none; mpm_ground.c
    double ground_impulse[3];
    mpm_dent *dents; // of the last step
    size_t dent_count, dent_capacity;
    mpm_plane *planes; // the floor first
    size_t plane_count;
    uint32_t *lone; // particles alone in the air, of this step
    size_t lone_count, lone_capacity;
    float (*flip_delta)[3]; // m/s, by particle: share (v - sum w v_old), see mpm_flip.c
    size_t flip_delta_capacity;
    mpm_emitter *emitters;
    size_t emitter_count;
    uint32_t *leaving; // particles that leave in this step
    size_t leaving_capacity;
    mpm_counters counters;    // one field
    bool shown, shown_loaded; // mpm_shown.c: derived fields are up to date; were loaded from a file
    profile passes;
} mpm_state;

// Materials that may count in this step.
static inline size_t mpm_materials_used(const mpm_state *s) {
    if (s->field_snow_used) return s->material_count;
    return s->material_count - s->field_snow - (s->phase_snow && !s->phase_snow_used);
}
// Adds the materials of snow that comes from other models, if the scene has them.
void mpm_add_guest_snow(mpm_state *s);
// The material `number`, if it is one of those; false: it is not.
bool mpm_guest_snow_of(const mpm_state *s, const firn_world_def *scene, size_t number, mpm_material *out);
void mpm_look_for_guest_snow(mpm_state *s); // at the beginning of a step
// Takes out particles, given in ascending order; some may be given twice.
void mpm_close_gaps(mpm_particles *p, const uint32_t *leaving, size_t count);
// Of snow whose volume is jp times what it was as it was laid down.
double mpm_hardened_wave_speed2(const mpm_material *m, double jp);

// Ground of another model (mpm_ground.c); it is a collider behind those of the bodies, and exists only in
// contact.
static inline size_t mpm_colliders(const mpm_state *s, const body_set *bodies) {
    return body_count(bodies) + (s->ground.look != NULL);
}
// Whether particles of an occupied block may touch it, if they move by `way` (m).
bool mpm_ground_is_near(const mpm_state *s, size_t block, float way);
// Lists where it gave way, and sums what it got.
firn_status mpm_list_dents(mpm_state *s, const body_set *bodies, float dt);
void mpm_collide_lone_ground(mpm_state *s);

// Finds each particle's block, creates the blocks under its stencil, lists the particles by block.
firn_status mpm_sort(mpm_state *s, uint64_t step);
// P2G: fills the patches with mass and momentum, including the impulse of the stress over dt.
void mpm_p2g(mpm_state *s, float dt);
// Sums the patches over the nodes, turns momentum into velocity, adds gravity.
void mpm_update_grid(mpm_state *s, float dt);
// Contact with bodies on the grid: finds the contacts of this step, solves for their impulses, and hands the
// reactions to the bodies once all passes are done (mpm_contact.c).
firn_status mpm_find_contacts(mpm_state *s, const body_set *bodies, float dt);
firn_status mpm_begin_contacts(mpm_state *s, const body_set *bodies, float dt);
void mpm_solve_contacts(mpm_state *s);
// Coulomb friction at the nodes (mpm_friction.c), within the limits of the normal impulses.
firn_status mpm_apply_friction(mpm_state *s);
firn_status mpm_end_contacts(mpm_state *s, body_set *bodies);
// Around the semi-implicit solve: closed contacts keep their velocity by a penalty; then its impulses are
// theirs, less `left` (kg m/s) of all, which the solve did not give.
void mpm_hold_contacts(mpm_state *s);
void mpm_release_contacts(mpm_state *s, const double left[3]);
// G2P: velocity, affine matrix, strain and return mapping, stress, position.
void mpm_g2p(mpm_state *s, float dt);
// FLIP and ASFLIP (mpm_flip.c): the part of the particles' velocities that the grid does not hold, before
// P2G; NULL for other transfers.
firn_status mpm_find_flip_deltas(mpm_state *s);
float (*mpm_flip_deltas(const mpm_state *s))[3];
firn_mpm_transfer mpm_transfer_of(const mpm_state *s); // never auto
// Isolated particles (mpm_lone.c): found by the sort, moved without a grid.
firn_status mpm_find_lone(mpm_state *s);
void mpm_fly_lone(mpm_state *s, float dt);
// Around G2P: particles that break in it (mpm_events.c). begin: NULL if nobody listens; end frees it.
uint8_t *mpm_events_begin(const mpm_state *s, firn_event_list *events);
void mpm_events_end(const mpm_state *s, uint8_t *before, firn_event_list *events);
// Moves particles out of bodies; none passes through one.
firn_status mpm_collide_particles(mpm_state *s, body_set *bodies, float dt);
// Removes and counts particles that fell below the floor or crossed a removal plane.
firn_status mpm_remove_particles(mpm_state *s);
void mpm_count_removed(mpm_state *s, size_t plane, uint32_t material, double enthalpy);
// Emits all particles that are due until `time` (mpm_emit.c).
firn_status mpm_emit_particles(mpm_state *s, double time);
firn_status mpm_create_emitters(mpm_state *s, const firn_mpm_def *def, const char *folder);
void mpm_emitters_free(mpm_state *s);
// Live changes of an emitter: times and rate.
firn_status mpm_emitter_may_change(const mpm_state *s, const firn_mpm_emit_def *def, size_t emitter);
void mpm_emitter_change(mpm_state *s, const firn_mpm_emit_def *def, size_t emitter);
// Upper bound of the particles an emitter emits until `duration`.
firn_status mpm_emitter_particles(const firn_mpm_def *def, size_t emitter, const char *folder,
                                  double duration, double *particles);
firn_status mpm_create_planes(mpm_state *s, const firn_mpm_def *def);
void mpm_set_planes(mpm_state *s, const firn_mpm_def *def); // as many as before
// Copies the nodes of the eight blocks under a patch; sums the patches that overlap a block.
void mpm_read_patch(const float *nodes, const mpm_block *b, float *patch);
// The reverse, of the first `components` of each node.
void mpm_write_patch(float *nodes, const mpm_block *b, int components, const float *patch);
void mpm_sum_patches(const mpm_grid *g, uint32_t slot, float *node);
// Adds the patches that overlap a block, of those that are filled (by occupied block).
void mpm_add_patches(const mpm_grid *g, uint32_t slot, const uint32_t *filled, float *node);
void mpm_clear_blocks(mpm_grid *g);
void mpm_grid_free(mpm_grid *g);
void mpm_contact_free(mpm_contact_scratch *r);

// Limit of the domain, m from the origin: the grid has no blocks farther out.
double mpm_domain_limit(const mpm_state *s);

// CFL limit for waves with this square of their speed; INFINITY if mpm.implicit makes any step stable.
double mpm_wave_limit(const firn_mpm_def *def, double wave_speed2);
mpm_material mpm_material_of(const firn_world_def *scene, const firn_mpm_snow_def *def, double cell,
                             double particle_volume);
double mpm_wave_speed2(const mpm_material *m); // m2/s2, of the snow as it is laid down
// Of snow as it is now, m2/s2.
static inline double mpm_wave_speed2_of(const mpm_particles *p, size_t i) {
    const mpm_material *m = &p->materials[p->material[i]];
    return mpm_wave_speed2(m) * (p->thermal ? (double)(p->strength[i] / m->strength) : 1);
}
firn_status mpm_reserve(mpm_particles *p, size_t count);
void mpm_particles_free(mpm_particles *p);
firn_status mpm_particles_fit(mpm_particles *p); // gives back what a quarter more than there are do not need
// Adds an undeformed particle (F = I) of a piece that moves with `velocity` and spins about `middle`; rest:
// where it is in the piece as it is laid down, m, or NULL. There must be room.
void mpm_add_particle(mpm_state *s, firn_vec3 at, firn_vec3 velocity, firn_vec3 spin, firn_vec3 middle,
                      uint32_t material, const float rest[3]);
// Clods (mpm_clods.c): bond of a particle of this snow; before the first snow that has them.
float mpm_bond(const mpm_state *s, const mpm_material *m, const float rest[3]);
void mpm_begin_clods(mpm_state *s, const mpm_material *m);
// Sets a material, and fills the piece of snow that has it; with setting.loading only the material.
firn_status mpm_add_snow(mpm_state *s, const firn_mpm_snow_def *def, uint32_t material, const char *folder);
// Time step limits of snow that enters; whether all particles are within the domain and the speed limit.
void mpm_initial_dt_limits(mpm_state *s, const firn_mpm_snow_def *def, size_t material);
firn_status mpm_check_initial(const mpm_state *s);
void mpm_copy_particle(mpm_particles *p, size_t to, size_t from);
static inline firn_vec3 mpm_position(const mpm_particles *p, size_t i) {
    return (firn_vec3){p->x[i][0], p->x[i][1], p->x[i][2]};
}
// The points of a filled shape (mem_free `at`).
typedef struct mpm_points {
    firn_vec3 origin;
    float (*at)[3]; // m, from origin, along the axes of the world
    size_t count;
    double volume;    // m3 of one
    firn_vec3 middle; // m
} mpm_points;
firn_status mpm_fill(const firn_mpm_def *def, const firn_fill_def *fill, const char *name, const char *folder,
                     uint64_t seed, mpm_points *out);

// Members of the model class.
firn_status mpm_create(const void *params, const model_setting *setting, const body_set *bodies,
                       void **model);
void mpm_destroy(void *model);
double mpm_max_dt(const void *model);
firn_status mpm_step(void *model, body_set *bodies, model_step step);
extern const field_table *const mpm_field_tables[];
extern const series_table *const mpm_series_tables[]; // mpm_inside.c
extern const series_table mpm_dense_series;           // mpm_dense.c
extern const series_table mpm_heat_series;            // mpm_heat_sums.c
firn_status mpm_resize(void *model, const char *name, size_t count);
firn_status mpm_loaded(void *model);
void mpm_show(void *model);
float mpm_density(const mpm_particles *p, size_t i); // kg/m3, of a particle
// Ends a run whose snow an impact presses beyond its largest density (mpm_dense.c).
firn_status mpm_check_density(mpm_state *s, double speed2); // m2/s2, the largest on the grid
float *mpm_shown_density(const mpm_particles *p);
float *mpm_shown_pressure(const mpm_particles *p);
float *mpm_shown_mass(const mpm_particles *p);
float *mpm_shown_temperature(const mpm_particles *p);
float *mpm_shown_wetness(const mpm_particles *p);
void mpm_ledger(const void *model, firn_ledger *out);
bool mpm_find_invalid(const void *model, uint64_t *item, const char **what);
firn_status mpm_cost(const void *params, const model_setting *setting, firn_cost *cost);
extern const struct firn_model_growth mpm_growth; // mpm_growth.c

extern const struct firn_offers mpm_offers; // mpm_offers.c

#endif
