// Liquids: every particle of a liquid keeps its density: the share of space that particles and bodies around
// it take up is one, C_i = c sum_j V_j W_ij + walls - 1 (PBD19 3.3.3 in volumes instead of masses, so that
// liquids of different densities mix; Macklin and Müller 2013).
#ifndef PBD_PBD_FLUID_H
#define PBD_PBD_FLUID_H

#include "geom/fill.h"
#include "pbd/pbd_fluid_lanes.h"
#include "pbd/pbd_state.h"

struct pbd_contact_set;
struct pbd_room;

enum { FLUID_BLOCK = 256 }; // rows of a task

// A body near a row's particle: d = n (q - moved) - offset.
typedef struct fluid_wall {
    uint32_t row;       // in its block
    uint32_t body;      // UINT32_MAX: a wall of the box
    float n[3], offset; // m
    float thickness;    // m; INFINITY: a half space
    float share;        // of the kernel, and
    float dC_dd;        // 1/m, of the present iteration
    float pushed;       // kg m, in this Gauss-Seidel sweep
    float area;         // ratio of the body's surface to the one that particles press on, see area_at
} fluid_wall;

// Rows of a task, in the order of cells.
typedef struct fluid_block {
    uint32_t first[FLUID_BLOCK + 1];
    uint32_t *index;
    size_t index_capacity;
    fluid_wall *wall; // by row
    size_t walls, wall_capacity;
    bool no_memory;
} fluid_block;

// Impulse of a block on one body.
typedef struct fluid_impulse {
    firn_vec3 impulse, twist; // N s, N m s about the centre of mass
    double walls;             // how many of its particles are near the body
} fluid_impulse;

// Numbers of a kernel with this support on a lattice of this spacing (pbd_fluid_kernel.c).
typedef struct fluid_kernel {
    double h;
    double w_norm, grad_norm; // 21/(2 pi h^3), 210/(pi h^5), both times c, so that a lattice has density one
    double spread;            // m2: second moment of the kernel on a lattice, along an axis
    double wall_shift;        // m, added to the distance of walls: a lattice half a spacing off is at rest
    // Relaxation of a Jacobi iteration: the stiffest mode of a lattice is removed without overshoot. As
    // velocities follow from positions, modes grow from 4/3 of that on with one iteration in a sub-step (from
    // twice with very many).
    double jacobi_step;
} fluid_kernel;

// What a particle of liquid held by pressure keeps from sub-step to sub-step: state.
typedef struct fluid_memory {
    float energy;   // J: its multiplier by dt^2, pressure times volume and below 0
    float dense;    // density over that at rest, less one
    float accel[3]; // m/s2: of its pressure and of contact with walls, in the last sub-step
} fluid_memory;

// Sums of a block of rows over its particles of liquid.
typedef struct fluid_press_sums {
    double error;  // of what its multiplier has to correct
    double uphill; // of that, along the last motion of the multiplier
    double count;
} fluid_press_sums;

typedef struct pbd_fluid {
    firn_pbd_fluid_def def; // numbers only
    fluid_kernel kernel;
    double volume;       // m3, of a particle
    float search_radius; // m, of the lists
    float skin;          // m: lists are valid until a particle has moved so far
    bool stepped;        // lambda is that of a sub-step
    bool uniform;        // all particles have the same mass and volume
    neighbour_grid grid;
    fluid_block *block;
    size_t blocks, block_capacity;
    // Particle and cell of each row: in the order of cells; with grains those first, then liquids.
    const uint32_t *own, *own_key;
    uint32_t *parted, *parted_key; // scratch of that partition
    uint32_t *part;                // grains in front of each part
    size_t parted_capacity[2], part_capacity;
    float *sorted[3]; // of all particles, in the order of cells, and their numbers
    int *number;
    size_t sorted_capacity[4];
    bool grain_walls;          // grains have walls, too
    neighbour_colours colours; // for Gauss-Seidel
    uint32_t *row;             // by particle, for Gauss-Seidel
    float (*built)[3];         // m, where the particles were when the lists were made
    // By particle, those of solids too.
    float *pressure;        // Pa, of the last sub-step when it was last shown
    float *pressure_volume; // m3, and twice that for solids, which mirror the pressure (fluid_delta_x)
    float (*scratch)[4];    // rewritten by each pass that loads rows of four; named views only, see below
    float (*v)[4];          // the same with velocities
    float *volumes;         // m3
    float *liquid;          // 1: held at its density, 0: mirrors the pressure; with hooks only
    float *lambda;          // kg m2, of the last sub-step
    float *density;         // share of space taken, shown
    // Of the pressure solve (pbd_fluid_pressure.c).
    size_t column;           // of fluid_memory; SIZE_MAX: held by position
    float *ahead, *behind;   // kg m2: multipliers where densities are evaluated, and the last ones
    float *inverse_diagonal; // kg m2: of the sub-step's first iteration
    fluid_press_sums *press; // by block
    size_t press_capacity[4];
    double momentum, press_error;
    int pressed; // iterations of this sub-step
    bool press_done;
    double pressed_for; // s: so long has the mean compression been too much
    bool told_pressed;
    float (*swap)[4]; // while particles are put in order; then where they would be without pressure (m)
    size_t capacity[10], liquid_capacity;
    fluid_impulse *impulse; // [block][bodies]
    size_t impulse_capacity, bodies;
    struct pbd_room *room; // of the box, by frame
    size_t room_capacity;
    double *split_inverse_mass; // by body: 1/kg, times the number of particles near it (mass splitting)
    size_t split_capacity;
    struct fluid_tension *tension; // NULL: none yet
    // Sources; pbd_fluid_source.c
    firn_opening_def *spout;
    firn_pbd_drain_def *drain;
    shape **hole; // of the drains
    size_t spouts, drains;
    double *layers;        // by spout: emitted so far; state
    uint32_t first_spout;  // its group
    uint32_t spout_groups; // groups of a spout; the first is that of what comes out
} pbd_fluid;

static inline size_t fluid_blocks(size_t count) { return (count + FLUID_BLOCK - 1) / FLUID_BLOCK; }
static inline size_t fluid_block_rows(size_t count, size_t block) {
    size_t rest = count - block * FLUID_BLOCK;
    return rest < FLUID_BLOCK ? rest : FLUID_BLOCK;
}
static inline fluid_rows fluid_rows_of(const pbd_fluid *f, size_t block) {
    return (fluid_rows){f->own + block * FLUID_BLOCK, f->block[block].first, f->block[block].index,
                        fluid_block_rows(f->grid.count, block)};
}

// Views of what passes load, over the same memory. pbd_density_in: written by pbd_predict and all that moves
// q. fluid_pressure_in: by the pass that changes multipliers. fluid_velocity_in: by pbd_fluid_flow.c.
static inline const density_in *pbd_density_in(const pbd *s) { return (const density_in *)s->p.q; }
static inline pressure_in *fluid_pressure_in(const pbd_fluid *f) { return (pressure_in *)f->scratch; }
static inline velocity_in *fluid_velocity_in(const pbd_fluid *f) { return (velocity_in *)f->v; }

// pbd_fluid_kernel.c
fluid_kernel fluid_kernel_of(double h, double spacing);
// Share of a kernel beyond a plane wall at distance d (in h), and its derivative by d.
static inline float fluid_wall_fraction(float d, float *slope) {
    bool inside = d < 0; // of the wall: continued linearly
    float s = d < 0 ? 1 : d < 1 ? 1 - d : 0, s2 = s * s, s5 = s2 * s2 * s;
    *slope = -21 * s5 * (1 - 1.5f * s + 4 * s2 / 7);
    return s5 * s * (3.5f - 4.5f * s + 1.5f * s2) - (inside ? 1.5f * d : 0);
}

// pbd_fluid.c
firn_status fluid_create(pbd *s, const firn_pbd_def *def, const body_set *bodies, void **data);
void fluid_destroy(void *data);
void fluid_set_uniform(pbd *s, pbd_fluid *f); // whether it is, by the groups
firn_status fluid_relax(pbd *s);              // moves liquid that is too dense apart, before the first step
double fluid_worst_error(const pbd *s, const pbd_fluid *f); // largest f->density - 1, or 0
// pbd_fluid_pressure.c
static inline bool fluid_by_pressure(const pbd_fluid *f) { return f->column != SIZE_MAX; }
fluid_memory *fluid_memory_of(const pbd *s, const pbd_fluid *f);
// Whether iteration k of a sub-step is needed.
bool fluid_goes_on(const pbd *s, int k);
// Sub-steps that a step needs, for liquid that moves so fast.
int fluid_parts(const pbd *s, double dt);
// pbd_fluid_lists.c
// array_reserve; what is new is zero.
bool fluid_reserve_zero(void *items, size_t *capacity, size_t count, size_t item);
firn_status fluid_reserve(pbd *s, pbd_fluid *f);
// Unless `rebuild`, only if a particle has left the skin; with `sort` particles take the order of cells.
firn_status fluid_find_neighbours(pbd *s, pbd_fluid *f, bool rebuild, bool sort);
// pbd_fluid_walls.c
firn_status fluid_find_walls(pbd *s, pbd_fluid *f, const pbd_pass *pass);
// pbd_fluid_flow.c: viscosity, cohesion, vorticity.
// XSPH of one step: share of a velocity difference that is lost, and how much more of one that is slow.
typedef struct fluid_calm {
    float viscosity, share, inverse_speed2;
} fluid_calm;
// Below it, m/s, motion is noise, where liquid is held together by so much (m/s2).
double fluid_calm_speed(double acceleration, double spacing);
fluid_calm fluid_calm_of(const pbd *s, double speed, double spacing, double viscosity, double dt);
firn_status fluid_velocities(pbd *s, void *data, const pbd_pass *pass);
static inline bool pbd_is_liquid(const pbd *s, size_t i) {
    return s->groups[s->p.group[i]].phase == PBD_FLUID;
}

// pbd_fluid_source.c
// Fills a shape with particles of a group where there is nothing else; `path` for messages.
typedef struct fluid_fill {
    const firn_fill_def *fill;
    firn_fill_pattern pattern;
    double spacing;
    firn_vec3 velocity;
    uint32_t group;
    const char *path;
    double off;                                     // m, from grains
    fill_sizes sizes;                               // adapted: the group's mass and volume are, too
    bool (*is_taken)(const void *by, firn_vec3 at); // NULL: no place is; besides what is there
    const void *by;
} fluid_fill;
firn_status fluid_fill_shape(pbd *s, const fluid_fill *fill);
firn_status fluid_fill_pools(pbd *s, const firn_pbd_def *def);
// One of them: sets its group.
firn_status fluid_fill_pool(pbd *s, const firn_pbd_fluid_def *fluid, const firn_pbd_pool_def *def,
                            uint32_t group);
// While the world runs: new groups in front of those of spouts, and not yet set; and back (f NULL: no
// liquid). Room for particles from `before` on, that are new. Removes those of a region, or of some groups
// from `first` on.
firn_status fluid_insert_groups(pbd *s, pbd_fluid *f, uint32_t at, uint32_t groups);
void fluid_remove_groups(pbd *s, pbd_fluid *f, uint32_t at, uint32_t groups);
firn_status fluid_make_room(pbd *s, pbd_fluid *f, size_t before);
void fluid_take_out(pbd *s, pbd_fluid *f, const model_region *region, uint32_t first, uint32_t groups);
void fluid_take_items(pbd *s, pbd_fluid *f, size_t count, const uint32_t *items); // in ascending order
firn_status fluid_make_sources(pbd *s, pbd_fluid *f, const firn_pbd_fluid_def *def);
// Number of particles that it emits.
double fluid_spouted(const firn_opening_def *spout, double duration, double spacing);
firn_status fluid_cost(const firn_pbd_def *def, const model_setting *setting, firn_cost *cost);
void fluid_free_sources(pbd_fluid *f);
// Live changes of a spout: the next layer comes when it would have come, one that was closed begins now.
void fluid_change_spout(pbd_fluid *f, size_t k, const firn_opening_def *def, const model_setting *setting);
void fluid_change_drain(pbd_fluid *f, size_t k, const firn_pbd_drain_def *def);
firn_status fluid_finish(pbd *s, void *data, body_set *bodies, model_step step);

#endif
