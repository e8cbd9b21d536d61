// The passes of the multigrid cycle over planes [k0, k1) of a level.
#ifndef SOLVE_POISSON_LANES_H
#define SOLVE_POISSON_LANES_H

#include "base/isa.h"
#include "solve/poisson.h"

// A free cell that must not interpolate from some of the eight coarser cells around it, because they lie
// behind a wall. The passes over all cells skip it.
typedef struct poisson_severed {
    uint32_t cell, own; // own: the coarser cell that it lies in
    uint8_t odd, set;   // bits: its index along x, y, z is odd; those of the eight that it may use
    float scale;
} poisson_severed;

// Plain: each face of the cell is whole, or what is beyond it is not free and so holds 0: a sum over
// neighbours needs no weights, and the number of its faces, in the lowest three bits, is the sum of its
// weights. Regular: six faces of weight 1; on the finest level those of its neighbours, too. Bytes beside
// each other are nearer than diagonals, so that only cells that are cut wait for those.
enum { POISSON_PLAIN = 8, POISSON_REGULAR = 16 | POISSON_PLAIN | 6 };

// A multigrid level: the finest stores weights of faces as bytes, coarser ones as floats.
typedef struct poisson_level {
    poisson_box box;
    // Over ranks: planes [k0, k1) of this rank, where the level is divided (slabs); else all, 1 to n + 1.
    // parts: the planes that it makes when they are made from the finer level; then all ranks get all of the
    // first level that is not divided.
    net_slabs slabs, parts;
    int32_t k0, k1, part0, part1;
    uint8_t *kind;    // poisson_kind
    uint8_t *regular; // POISSON_REGULAR, POISSON_PLAIN | number of faces, or 0
    uint8_t *open[3]; // finest: weight of the face towards the cell before along x, y, z, of POISSON_WHOLE
    float *w[3];      // coarser: the same
    float *diagonal;  // sum of a cell's six weights; 0: not free
    uint8_t *share;   // of 64: share of the interpolation weights on coarser cells that are not walls; not on
                      // the coarsest
    float *x, *t, *b; // correction, its second buffer, right-hand side; on the finest level b is the caller's
    float scale;      // weight of faces at the open boundary, for the next level
    poisson_severed *severed;
    uint32_t *severed_from; // first of each plane
    float *saved;           // a number for each severed cell
    size_t severed_count, severed_capacity, saved_capacity;
} poisson_level;

// Rows are numbered along y, then along z: the first item of one.
static inline size_t poisson_row_at(const poisson_box *box, uint32_t row) {
    const uint32_t n = (uint32_t)box->n[1];
    return poisson_at(box, 1, (int32_t)(row % n) + 1, (int32_t)(row / n) + 1);
}

// to = from + omega (b - A from) / diagonal
ISA_DECLARE(void, poisson_sweep,
            (const poisson_level *l, int k0, int k1, float omega, const float *b, const float *from,
             float *to));
ISA_DECLARE(double, poisson_sweep_dot, // and the sum of b to
            (const poisson_level *l, int k0, int k1, float omega, const float *b, const float *from,
             float *to));
// Finest level: to = two sweeps from a zero guess; the same added to `to`, in `count` rows
ISA_DECLARE(void, poisson_two_sweeps,
            (const poisson_level *l, int k0, int k1, const float omega[2], const float *b, float *to));
ISA_DECLARE(void, poisson_add_two_sweeps,
            (const poisson_level *l, const uint32_t *rows, size_t count, const float omega[2], const float *b,
             float *to));
// Coarser levels: to = omega b / diagonal
ISA_DECLARE(void, poisson_first_sweep,
            (const poisson_level *l, int k0, int k1, float omega, const float *b, float *to));
// to = (b - A x) 64 / share
ISA_DECLARE(void, poisson_scaled_residual,
            (const poisson_level *l, int k0, int k1, const float *b, const float *x, float *to));
// Restriction: right-hand side of planes [k0, k1) of the coarse level from the fine residual.
ISA_DECLARE(void, poisson_restrict,
            (const poisson_level *fine, const poisson_level *coarse, int k0, int k1, const float *residual,
             float *b));
// Prolongation: x += interpolated coarse x
ISA_DECLARE(void, poisson_prolong,
            (const poisson_level *fine, const poisson_level *coarse, int k0, int k1, const float *from,
             float *x));
// to = b - A x in `count` rows; the largest of each
ISA_DECLARE(void, poisson_row_residual,
            (const poisson_level *l, const uint32_t *rows, size_t count, const float *b, const float *x,
             float *to, float *largest));
// to = A x; the sum of x to
ISA_DECLARE(double, poisson_apply, (const poisson_level *l, int k0, int k1, const float *x, float *to));
// q += a p, to -= a s in `count` rows; the largest |to| of each
ISA_DECLARE(void, poisson_advance,
            (const poisson_level *l, const uint32_t *rows, size_t count, float a, const float *p,
             const float *s, float *q, float *to, float *largest));
ISA_DECLARE(double, poisson_dot, (size_t begin, size_t end, const float *a, const float *b));
// p = z + a p
ISA_DECLARE(void, poisson_update_direction, (size_t begin, size_t end, float a, const float *z, float *p));

#endif
