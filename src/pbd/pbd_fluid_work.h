// What the solvers of the density constraint share.
#ifndef PBD_PBD_FLUID_WORK_H
#define PBD_PBD_FLUID_WORK_H

#include "pbd/pbd_bodies.h"
#include "pbd/pbd_fluid.h"

typedef struct fluid_work {
    pbd *s;
    pbd_fluid *f;
    const pbd_pass *pass;
    pbd_wall *wall;                             // by body
    float step;                                 // of the multipliers
    float value, slope, inverse_h, least, soft; // of the kernel; see fluid_change
    float unclump;                              // see fluid_push
    bool look;                                  // only: multipliers stay
} fluid_work;

// The walls of one row: from *at on, which moves there.
static inline size_t fluid_walls_of(const fluid_block *b, size_t row, size_t *at) {
    size_t n = 0;
    while (*at < b->walls && b->wall[*at].row < row) (*at)++;
    while (*at + n < b->walls && b->wall[*at + n].row == row) n++;
    return n;
}

// By how much particle i's multiplier changes; its walls[0 .. n) get their slopes. XPBD eq. 18.
float fluid_change(const fluid_work *w, const fluid_sums *sums, fluid_wall *walls, size_t n, uint32_t i);
// What a wall pushes the particle of a row with, times n, for a change of its multiplier (kg m).
static inline float fluid_wall_push(const fluid_wall *wall, float change) { return 2 * change * wall->slope; }
// Books such a push for the body it comes from.
void fluid_book_thrust(const fluid_work *w, size_t block, const fluid_wall *wall, const float at[3],
                       float size);

// Adds what the walls of a row push its particle with, for the change of its multiplier in at[][3].
void fluid_push_off_walls(const fluid_work *w, size_t block, size_t row, size_t *at, uint32_t i,
                          float move[4]);
fluid_work fluid_work_of(pbd *s, pbd_fluid *f, const pbd_pass *pass, float relax);
// What was pushed so far goes to the bodies as contacts know them, in the order of the blocks.
void fluid_hand_over(const fluid_work *w);

// pbd_fluid_sweep.c: one sweep of Gauss-Seidel.
void fluid_sweep(fluid_work *w);

#endif
