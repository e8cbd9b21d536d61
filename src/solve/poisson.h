// Poisson's equation on the free cells of a box of cells: for every free cell the sum over its faces of
// (q - q of the cell beyond) = b. Walls have no face (nothing flows), open cells have q = 0. Solved by
// conjugate gradients with one multigrid cycle as preconditioner. README.md says how.
#ifndef SOLVE_POISSON_H
#define SOLVE_POISSON_H

#include "base/memory.h"
#include "base/stop.h"

typedef enum poisson_kind { POISSON_WALL, POISSON_FREE, POISSON_OPEN } poisson_kind;

// A box of n[0] x n[1] x n[2] cells with one layer of cells around it; rows along x. Cell (i, j, k), each
// from 0 to n + 1, is item (k * (n[1] + 2) + j) * (n[0] + 2) + i of every array.
typedef struct poisson_box {
    int32_t n[3];
    size_t row, plane, size; // items from a cell to the next along y, along z; of an array
} poisson_box;
poisson_box poisson_box_of(int32_t nx, int32_t ny, int32_t nz);
static inline size_t poisson_at(const poisson_box *box, int32_t i, int32_t j, int32_t k) {
    return (size_t)k * box->plane + (size_t)j * box->row + (size_t)i;
}

typedef struct poisson poisson;
firn_status poisson_create(poisson_box box, poisson **out);
void poisson_destroy(poisson *p); // NULL is fine
// While a world is built: poisson_set and poisson_solve end early once the watch has seen a stop, and what
// they leave is then of no use. NULL, as at first: never.
void poisson_set_watch(poisson *p, stop_watch *watch);
size_t poisson_bytes(poisson_box box);

// One poisson_kind per item of an array. Free cells must not lie in the layer around the box; open ones must.
// Free cells without a way to an open cell are allowed only if there is no open cell at all.
firn_status poisson_set(poisson *p, const uint8_t *kind);

typedef struct poisson_result {
    int iterations;
    float start, residual; // largest |b - A q| of a cell, before and after
} poisson_result;
// q: first guess and solution, b: right side; both arrays as above, 0 in cells that are not free. Ends when
// no cell's residual is above `limit`, or after `most` iterations. Without open cells b is freed of its mean.
poisson_result poisson_solve(poisson *p, float *q, float *b, float limit, int most);
// Sweeps of Jacobi's iteration, weighted by 2/3, from q.
poisson_result poisson_jacobi(poisson *p, float *q, float *b, int sweeps);
float poisson_residual(poisson *p, const float *q, const float *b); // largest of a cell

#endif
