// What the solvers of the density constraint share.
#ifndef PBD_PBD_FLUID_WORK_H
#define PBD_PBD_FLUID_WORK_H

#include "pbd/pbd_bodies.h"
#include "pbd/pbd_fluid.h"

typedef struct fluid_work {
    pbd *s;
    pbd_fluid *f;
    const pbd_pass *pass;
    pbd_wall *wall;                     // by body
    float omega;                        // share of a multiplier's step that is taken
    float w_norm, grad_norm, inverse_h; // of the kernel
    float min_grad2, compliance;        // see fluid_delta_lambda
    float s_corr;                       // see fluid_delta_x
    // Of Jacobi, for a shorter step along walls: liquid that these stand for would move like the rest; in a
    // lattice it is half as much again as its share of space.
    float wall_liquid;
    bool evaluate_only; // multipliers stay as they are
    bool no_impulse;    // bodies do not feel it
} fluid_work;

// The walls of one row: from *at on, which moves there.
static inline size_t fluid_walls_of(const fluid_block *b, size_t row, size_t *at) {
    size_t n = 0;
    while (*at < b->walls && b->wall[*at].row < row) (*at)++;
    while (*at + n < b->walls && b->wall[*at + n].row == row) n++;
    return n;
}

// Share of the surroundings of particle i that walls[0 .. n) take up: they get their gradients, whose
// sum is added to grad_C.
float fluid_share_of_walls(const fluid_work *w, fluid_wall *walls, size_t n, size_t i, float grad_C[3]);
// Density of particle i, to f->density, and the sum of inverse mass times squared gradient (1/(kg m2)); its
// walls[0 .. n) get their gradients.
float fluid_diagonal(const fluid_work *w, const fluid_sums *sums, fluid_wall *walls, size_t n, uint32_t i);
// Change of particle i's multiplier; its walls[0 .. n) get their gradients.
float fluid_delta_lambda(const fluid_work *w, const fluid_sums *sums, fluid_wall *walls, size_t n,
                         uint32_t i);
// Multipliers of a block of rows: their changes to fluid_pressure_in.
void fluid_lambda_block(void *work, size_t block);
// Push of a wall on the particle of a row, along n, for a change of its multiplier (kg m).
static inline float fluid_wall_push(const fluid_wall *wall, float dlambda) { return dlambda * wall->dC_dd; }
// Adds the reaction to such a push to the body's impulse.
void fluid_add_impulse(const fluid_work *w, size_t block, const fluid_wall *wall, uint32_t i,
                       const float at[3], float size);

// Adds the pushes of a row's walls to its particle's delta x; reads fluid_pressure_in.
void fluid_wall_delta_x(const fluid_work *w, size_t block, size_t row, size_t *at, uint32_t i,
                        float delta_x[4]);
fluid_work fluid_work_of(pbd *s, pbd_fluid *f, const pbd_pass *pass, float relax);
// Adds the blocks' impulses to the bodies as contacts know them, in the order of the blocks.
void fluid_sum_impulses(const fluid_work *w);

// pbd_fluid_pressure.c: before the first iteration of a sub-step; one of them; after the last.
void fluid_press_begin(pbd *s, pbd_fluid *f, const pbd_pass *pass);
void fluid_press(pbd *s, pbd_fluid *f, const pbd_pass *pass);
void fluid_press_end(pbd *s, pbd_fluid *f, const pbd_pass *pass);

// pbd_fluid_shown.c: densities and pressures where the particles are now.
void fluid_show(pbd *s, void *data);

// Warns, once, of liquid that steps and iterations cannot hold at its density (pbd_fluid_watch.c).
void fluid_watch_density(const pbd *s, pbd_fluid *f, model_step step);

// pbd_fluid_sweep.c: one sweep of Gauss-Seidel.
void fluid_sweep(fluid_work *w);

#endif
