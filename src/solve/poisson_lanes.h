// The passes of the multigrid cycle over planes [k0, k1) of a level.
#ifndef SOLVE_POISSON_LANES_H
#define SOLVE_POISSON_LANES_H

#include "base/isa.h"
#include "solve/poisson.h"

// A free cell that must not get anything from some of the eight coarser cells around it: they lie beyond a
// wall. The passes over all cells leave it out.
typedef struct poisson_severed {
    uint32_t cell, own; // own: the coarser cell that it lies in
    uint8_t odd, set;   // bits: its place along x, y, z is odd; those of the eight that count
    float scale;
} poisson_severed;

// Six faces of weight 1; on the finest level each of its free neighbours, too.
enum { POISSON_PLAIN = 8 };

// A level: the finest knows its faces by their number (all weigh 1), coarser ones by their weights.
typedef struct poisson_level {
    poisson_box box;
    uint8_t *kind;    // poisson_kind
    uint8_t *faces;   // finest: faces of a free cell that are no wall, and POISSON_PLAIN; 0: not free
    uint8_t *plain;   // POISSON_PLAIN | 6, or else; of the finest the same as faces
    float *w[3];      // coarser: weight of the face towards the cell before, along x, y, z
    float *diagonal;  // coarser: sum of a cell's six weights; 0: not free
    uint8_t *share;   // of 64: part of the coarser cells' weights that counts for this cell; not the last
    float *x, *t, *b; // correction and its twin, right side; of the finest b is the caller's
    float scale;      // of the open border's faces, for the next level
    poisson_severed *severed;
    uint32_t *severed_from; // first of each plane
    float *aside;           // a number for each severed cell
    size_t severed_count, severed_capacity, aside_capacity;
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
// Finest level: to = what two sweeps make of 0; to += it, in `count` rows
ISA_DECLARE(void, poisson_two_sweeps,
            (const poisson_level *l, int k0, int k1, const float omega[2], const float *b, float *to));
ISA_DECLARE(void, poisson_add_two_sweeps,
            (const poisson_level *l, const uint32_t *rows, size_t count, const float omega[2], const float *b,
             float *to));
// Coarser levels: to = omega b / diagonal
ISA_DECLARE(void, poisson_first_sweep,
            (const poisson_level *l, int k0, int k1, float omega, const float *b, float *to));
// to = (b - A x) 64 / share
ISA_DECLARE(void, poisson_rest,
            (const poisson_level *l, int k0, int k1, const float *b, const float *x, float *to));
// The coarse right side of planes [k0, k1) of the coarse level from the fine rest.
ISA_DECLARE(void, poisson_restrict,
            (const poisson_level *fine, const poisson_level *coarse, int k0, int k1, const float *rest,
             float *b));
// x += coarse x between its cells
ISA_DECLARE(void, poisson_prolong,
            (const poisson_level *fine, const poisson_level *coarse, int k0, int k1, const float *from,
             float *x));
// to = b - A x in `count` rows; the largest of each
ISA_DECLARE(void, poisson_defect,
            (const poisson_level *l, const uint32_t *rows, size_t count, const float *b, const float *x,
             float *to, float *most));
// to = A x; the sum of x to
ISA_DECLARE(double, poisson_apply, (const poisson_level *l, int k0, int k1, const float *x, float *to));
// q += a p, to -= a s in `count` rows; the largest |to| of each
ISA_DECLARE(void, poisson_advance,
            (const poisson_level *l, const uint32_t *rows, size_t count, float a, const float *p,
             const float *s, float *q, float *to, float *most));
ISA_DECLARE(double, poisson_dot, (size_t begin, size_t end, const float *a, const float *b));
// p = z + a p
ISA_DECLARE(void, poisson_turn, (size_t begin, size_t end, float a, const float *z, float *p));

#endif
