// The inside of the MPM model; only for files of this folder.
#ifndef MPM_MPM_STATE_H
#define MPM_MPM_STATE_H

#include "grid/block_map.h"
#include "mpm/mpm.h"

// The law of one snow in one scene, ready for the inner loop.
typedef struct mpm_material {
    float mu, lambda;       // Pa, before hardening
    float hardening;        // xi
    float squeeze, stretch; // theta_c, theta_s: singular values of F_E stay in [1 - theta_c, 1 + theta_s]
    float mass, volume;     // kg, m3 of one particle
    float density;          // kg/m3
    float temperature;      // degrees Celsius; only shown
} mpm_material;

// Arrays by particle; packed, so that they are fields as they are. Written by mpm_gather and the sort, read
// by all.
typedef struct mpm_particles {
    size_t count, capacity;
    float (*x)[3];      // m
    float (*v)[3];      // m/s
    float (*affine)[9]; // 1/s; columns of C (APIC)
    float (*strain)[6]; // F_E F_E^T - 1 (xx, xy, xz, yy, yz, zz), see snow_law.h
    float (*tau)[6];    // V0 * Kirchhoff stress (like strain), J; follows from strain and jp
    float *jp;          // det F_P
    uint32_t *id;
    uint32_t *block;    // slot of the block it stands in; follows from x
    uint32_t *material; // number of its snow
    char *scratch; // in a step: lists, while they are sorted; one array, while particles are put into another
                   // order. Between steps: what is shown
    const mpm_material *materials;
} mpm_particles;

// The longest stable step: a wave crosses less than half a cell, a particle less than 0.4 of one (MPM15 had
// to find its dt by hand). Packed snow hardens: in the hare drop its waves are about ten times as fast as at
// the start.
#define MPM_WAVE_CELLS 0.45
#define MPM_MOVE_CELLS 0.4
#define MPM_USUAL_HARDENING 10
// The semi-implicit step is stable beyond the waves' limit; so many times it, it is also accurate and its
// solve still short.
#define MPM_IMPLICIT_WAVES 10
// Snow that flows hardens: a step in which it deforms by more than this share of its critical compression
// would feel the hardness of before, and be packed too far. The explicit step is always shorter.
#define MPM_IMPLICIT_FLOW 0.025

enum {
    MPM_REORDER = 64, // steps between two sorts of the arrays
    BLOCK_EDGE = 4,   // nodes per block edge
    BLOCK_NODES = BLOCK_EDGE * BLOCK_EDGE * BLOCK_EDGE,
    BLOCK_FLOATS = 4 * BLOCK_NODES,
    TILE_EDGE = 2 * BLOCK_EDGE - 1,
    TILE_ROW = 4 * 2 * BLOCK_EDGE, // floats of one (x, y) row
    TILE_FLOATS = TILE_EDGE * TILE_EDGE * TILE_ROW,
};

// A block of the grid. Particles whose first kernel node lies in it stand in it; their tile reaches the seven
// blocks above, too. `up` are the grid blocks under its tile, `down` the blocks whose tiles cover its nodes,
// at + or - (i>>2&1, i>>1&1, i&1).
typedef struct mpm_block {
    uint32_t first, count;   // its particles, in `order`
    uint32_t tile;           // number of its tile; BLOCK_NONE without particles
    uint32_t up[8], down[8]; // slots; down: BLOCK_NONE where there is no tile
    uint32_t below[8];       // like down, with and without tile
    bool linked;             // up is known
} mpm_block;

typedef struct mpm_place {
    uint64_t key; // Morton
    uint32_t slot;
} mpm_place;

typedef struct mpm_grid {
    block_map map;
    mpm_block *block;   // by slot
    mpm_place *morton;  // all blocks, in Morton order
    size_t known;       // how many blocks of the map are in these lists
    uint32_t *occupied; // slots of the blocks with particles, in Morton order
    uint32_t *active;   // slots of the blocks that some tile covers, in Morton order
    size_t occupied_count, active_count;
    size_t capacity, morton_capacity, occupied_capacity, active_capacity;
    struct mpm_pace *pace; // by occupied block: what limits the next step
    size_t pace_capacity;
    float *tiles; // TILE_FLOATS each, by mpm_block.tile
    float *nodes; // BLOCK_FLOATS each, by slot
    size_t tile_capacity, node_capacity;
    uint32_t *order; // particles, block by block
    size_t order_capacity;
} mpm_grid;

typedef struct mpm_surface mpm_surface; // a body as the snow of this step meets it; mpm_contact.h

// What the snow of a block did to a body.
typedef struct mpm_push {
    firn_vec3 impulse, twist; // N s, N m s about the body's pivot
} mpm_push;

// Scratch for meeting bodies.
typedef struct mpm_reach {
    float *x, *y, *z, *distance; // of the blocks' middles
    uint32_t *near;              // slots of those that a body may touch
    mpm_push *push;              // by near block
    uint8_t *moved;              // by occupied block: a particle was put back on a surface
    mpm_surface *surface;        // by body
    struct node_touch *touch;    // BLOCK_NODES for each near block
    uint32_t *touches;           // in use, by near block
    size_t capacity[10];
} mpm_reach;

// Where snow enters over time. A stream enters in columns along its velocity, each particle at its own moment
// of its column's period, so that it is filled evenly.
typedef struct mpm_emitter {
    double from, to; // s
    double period;   // s, between two particles of a column, or between two pieces
    bool pieces;
    float (*at)[3]; // of a stream: where columns enter; of a piece: its particles
    size_t count;
    firn_vec3 velocity, spin, middle; // spin about middle
    firn_vec3 side, up;               // m, edges of a column
    uint32_t material;
} mpm_emitter;

// What is beyond (n . x > offset) leaves.
typedef struct mpm_plane {
    float n[3], offset;
    bool lost; // nobody asked for it: the floor
} mpm_plane;

typedef struct mpm_book {
    double mass_in, mass_out, mass_lost; // kg, since the start; lost is a part of out
    double speed2, stiffness; // of the last step: largest |v|^2 and square of the wave speed, m2/s2
    double flow;              // 1/s, critical compressions per second where snow deforms; semi-implicit only
    double entered;           // s, what enters has entered until then
    double next_id;
} mpm_book;
enum { MPM_BOOK = sizeof(mpm_book) / sizeof(double) };

typedef struct mpm_state {
    firn_mpm_def def; // numbers only
    model_setting setting;
    mpm_particles p;
    mpm_grid grid;
    mpm_reach reach;
    struct mpm_solver *solver; // of the semi-implicit step; NULL: explicit
    mpm_material *materials;
    size_t material_count;
    const body_set *bodies; // for the ledger only
    mpm_plane *planes;      // the floor first
    size_t plane_count;
    uint32_t *lone; // particles alone in the air, of this step
    size_t lone_count, lone_capacity;
    float (*kept)[3]; // m/s, by particle: what FLIP gives back to it in this step
    size_t kept_capacity;
    mpm_emitter *emitters;
    size_t emitter_count;
    uint32_t *leaving; // particles that leave in this step
    size_t leaving_capacity;
    mpm_book book;            // one field, as it is
    bool shown, shown_loaded; // mpm_shown.c: what is only looked at is up to date; came from a file
    profile passes;
} mpm_state;

// Finds each particle's block, makes the blocks its kernel reaches, lists the particles block by block.
firn_status mpm_sort(mpm_state *s, uint64_t step);
// Zeroes and fills the tiles: mass and momentum, with the impulse of the stress over dt.
void mpm_particles_to_tiles(mpm_state *s, float dt);
// Adds the tiles up to nodes; momentum becomes velocity; gravity.
void mpm_tiles_to_nodes(mpm_state *s, float dt);
// Bodies on the nodes' velocities, and what the nodes do to the bodies.
firn_status mpm_collide_nodes(mpm_state *s, body_set *bodies);
// Once more, for nodes that the semi-implicit solve drove into a body; bodies do not yield again.
firn_status mpm_collide_nodes_again(mpm_state *s, body_set *bodies);
// Back to the particles: velocity, affine matrix, F and its plasticity, stress, position.
void mpm_nodes_to_particles(mpm_state *s, float dt);
// Before and after the two: what FLIP keeps of the particles' own velocities (mpm_flip.c).
firn_status mpm_flip_begin(mpm_state *s);
void mpm_flip_end(mpm_state *s);
// Particles alone in the air (mpm_lone.c): found by the sort, they fly without grid.
firn_status mpm_part_lone(mpm_state *s);
void mpm_fly_lone(mpm_state *s, float dt);
// No particle ends inside a body, none goes through one.
firn_status mpm_collide_particles(mpm_state *s, body_set *bodies, float dt);
// What fell below the floor or passed a removal plane leaves and is booked.
firn_status mpm_let_leave(mpm_state *s);
// What enters until `time` has entered after this (mpm_emit.c).
firn_status mpm_let_enter(mpm_state *s, double time);
firn_status mpm_take_emitters(mpm_state *s, const firn_mpm_def *def, const char *folder);
void mpm_emitters_free(mpm_state *s);
// How many particles an emitter gives until `duration`, at most.
firn_status mpm_emitter_particles(const firn_mpm_def *def, size_t emitter, const char *folder,
                                  double duration, double *particles);
// Counts the particles inside bodies (mpm_inside.c).
void mpm_count_inside(const mpm_state *s, firn_ledger *out);
firn_status mpm_take_planes(mpm_state *s, const firn_mpm_def *def);
// The nodes under a tile, from the eight blocks it covers; and what the tiles above a block give its nodes.
void mpm_read_tile(const float *nodes, const mpm_block *b, float *tile);
void mpm_sum_tiles(const mpm_grid *g, uint32_t slot, float *node);
void mpm_forget_blocks(mpm_grid *g);
void mpm_grid_free(mpm_grid *g);
void mpm_reach_free(mpm_reach *r);

// Farther out the grid has no blocks.
double mpm_reach_limit(const mpm_state *s);

// Longest stable step for waves with this square of their speed; INFINITY if beta makes any stable.
double mpm_wave_limit(const firn_mpm_def *def, double stiffness);
mpm_material mpm_material_of(const firn_mpm_snow_def *def, double particle_volume);
firn_status mpm_reserve(mpm_particles *p, size_t count);
// A particle at rest inside itself that moves as a part of something that spins about `middle`; it is of
// material `material` and is given the next number. There must be room.
void mpm_add_particle(mpm_state *s, firn_vec3 at, firn_vec3 velocity, firn_vec3 spin, firn_vec3 middle,
                      uint32_t material);
// The points of a filled shape, in the world (mem_free `at`).
typedef struct mpm_points {
    float (*at)[3];
    size_t count;
    double volume;    // m3 of one
    firn_vec3 middle; // m
} mpm_points;
firn_status mpm_fill(const firn_mpm_def *def, const firn_fill_def *fill, const char *name, const char *folder,
                     uint64_t seed, mpm_points *out);

// The rooms of the model class.
firn_status mpm_create(const void *params, const model_setting *setting, const body_set *bodies,
                       void **model);
void mpm_destroy(void *model);
double mpm_max_dt(const void *model);
firn_status mpm_step(void *model, body_set *bodies, model_step step);
extern const field_table *const mpm_field_tables[];
firn_status mpm_resize(void *model, const char *name, size_t count);
firn_status mpm_loaded(void *model);
void mpm_show(void *model);
float *mpm_shown_density(const mpm_particles *p);
float *mpm_shown_pressure(const mpm_particles *p);
float *mpm_shown_mass(const mpm_particles *p);
float *mpm_shown_temperature(const mpm_particles *p);
void mpm_ledger(const void *model, firn_ledger *out);
bool mpm_sick(const void *model, uint64_t *item, const char **what);
firn_status mpm_cost(const void *params, const model_setting *setting, firn_cost *cost);

#endif
