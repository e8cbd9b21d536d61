// Liquids: every particle of a liquid holds the share of space that particles and bodies around it take up at
// one: C_i = c sum_j V_j W_ij + walls - 1 (PBD19 3.3.3 in volumes instead of masses, so that liquids of
// different densities mix; Macklin and Müller 2013).
#ifndef PBD_PBD_FLUID_H
#define PBD_PBD_FLUID_H

#include "geom/shape.h"
#include "pbd/pbd_fluid_lanes.h"
#include "pbd/pbd_state.h"

struct pbd_contact_set;

enum { FLUID_BLOCK = 256 }; // rows of a task

// A body near a row's particle: d = n (q - moved) - offset.
typedef struct fluid_wall {
    uint32_t row;       // in its block
    uint32_t body;      // UINT32_MAX: a wall of the box
    float n[3], offset; // m
    float thick;        // m, of the wall; INFINITY: no end
    float slope;        // 1/m, dC/dd of the present iteration
    float pushed;       // kg m, in this sweep of Gauss-Seidel
    float area;         // of the body's surface that belongs to the particle's place, see area_at
} fluid_wall;

// Rows of a task, in the order of cells.
typedef struct fluid_block {
    uint32_t first[FLUID_BLOCK + 1];
    uint32_t *index;
    size_t index_capacity;
    fluid_wall *wall; // by row
    size_t walls, wall_capacity;
    // Of one cell while lists are made.
    float *near[3];
    int *number;
    size_t near_capacity[4];
    bool no_memory;
} fluid_block;

// What a block did to one body.
typedef struct fluid_thrust {
    firn_vec3 impulse, twist; // N s, N m s about the centre of mass
    double walls;             // how many of its particles feel the body
} fluid_thrust;

// Numbers of a kernel with this support on a lattice of this spacing (pbd_fluid_kernel.c).
typedef struct fluid_kernel {
    double h;
    double value, slope; // 21/(2 pi h^3), 210/(pi h^5), both times c: so that a lattice has density one
    double self;         // W of a particle on itself, times c
    double wall_shift;   // m: walls are felt as if so much farther, so that a lattice half a spacing off fits
    // Of a Jacobi iteration: the stiffest wave of a lattice is undone and not more. As velocities follow from
    // the moves, waves grow from 4/3 of that on with one iteration in a sub-step (from twice with very many).
    double step;
} fluid_kernel;

typedef struct pbd_fluid {
    firn_pbd_fluid_def def; // numbers only
    fluid_kernel kernel;
    double volume; // m3, of a particle
    float reach;   // m, of the lists
    float slack;   // m: they hold until something has moved so far
    bool stepped;  // lambda is that of a sub-step
    bool even;     // all particles have the same mass and volume
    neighbour_grid grid;
    fluid_block *block;
    size_t blocks, block_capacity;
    // Particle and cell of each row: in the order of cells; with grains those first, then liquids.
    const uint32_t *own, *own_key;
    uint32_t *parted, *parted_key; // while particles are sorted so
    uint32_t *part;                // grains in front of each part
    size_t parted_capacity[2], part_capacity;
    float *place[3]; // of all particles, in the order of cells, and their numbers
    int *number;
    size_t place_capacity[4];
    bool wall_grains;          // grains look for walls, too
    neighbour_colours colours; // for Gauss-Seidel
    uint32_t *row;             // by particle, for Gauss-Seidel
    float (*built)[3];         // m, where the particles were when the lists were made
    // By particle, those of solids too.
    float *pressure;  // Pa, of the last sub-step when it was last looked at
    float *space;     // m3, and twice that for solids, which mirror the pressure (see fluid_push())
    float (*at)[4];   // positions and multipliers, of an iteration
    float (*v)[4];    // velocities
    float *sizes;     // m3
    float *liquid;    // 1: held at its density, 0: mirrors the pressure; with hooks only
    float *lambda;    // kg m2, of the last sub-step
    float *density;   // share of space taken, shown
    float (*swap)[4]; // while particles are put in order
    size_t capacity[10], liquid_capacity;
    fluid_thrust *push; // [block][bodies]
    size_t push_capacity, bodies;
    double *felt; // by body: 1/kg, of the body, times the number of particles that feel it
    size_t felt_capacity;
    // Sources; pbd_fluid_source.c
    firn_opening_def *spout;
    firn_pbd_drain_def *drain;
    shape **hole; // of the drains
    size_t spouts, drains;
    double *layers;        // by spout: how many came out; state
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

// pbd_fluid_kernel.c
fluid_kernel fluid_kernel_of(double h, double spacing);
// Share of a kernel beyond a plane wall at distance d (in h), and what it loses per h.
double fluid_beyond(double d, double *slope);

// pbd_fluid_lists.c
firn_status fluid_reserve(pbd *s, pbd_fluid *f);
// Anew: with `sort` the particles are put in order too. Otherwise only if something has moved far.
firn_status fluid_find_neighbours(pbd *s, pbd_fluid *f, bool anew, bool sort);
// pbd_fluid_walls.c
firn_status fluid_find_walls(pbd *s, pbd_fluid *f, const pbd_pass *pass);
// pbd_fluid_flow.c: viscosity, cohesion, vorticity.
firn_status fluid_velocities(pbd *s, void *data, const pbd_pass *pass);
static inline bool pbd_is_liquid(const pbd *s, size_t i) {
    return s->groups[s->p.group[i]].phase == PBD_FLUID;
}

// pbd_fluid_source.c
// Fills a shape with particles of a group where nothing else stands; `path` for messages.
typedef struct fluid_fill {
    const firn_fill_def *fill;
    firn_fill_pattern pattern;
    double spacing;
    firn_vec3 velocity;
    uint32_t group;
    const char *path;
    double off; // m, from grains
} fluid_fill;
firn_status fluid_fill_shape(pbd *s, const fluid_fill *fill);
firn_status fluid_take_pools(pbd *s, const firn_pbd_def *def);
firn_status fluid_take_sources(pbd *s, pbd_fluid *f, const firn_pbd_fluid_def *def);
// Particles of `cell` (m3) that come out of it.
double fluid_spouted(const firn_opening_def *spout, double duration, double cell);
firn_status fluid_cost(const firn_pbd_def *def, const model_setting *setting, firn_cost *cost);
void fluid_free_sources(pbd_fluid *f);
firn_status fluid_finish(pbd *s, void *data, body_set *bodies, model_step step);

#endif
