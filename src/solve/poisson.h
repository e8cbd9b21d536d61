// Poisson's equation on the free cells of a box: for every free cell, the sum over its faces of w (q - q of
// the neighbour) = b, w the share of the face that is open. Boundary conditions: walls are Neumann (no face,
// no flow), open cells Dirichlet (q = 0). Solved by conjugate gradients preconditioned by one multigrid
// V-cycle; see README.md.
#ifndef SOLVE_POISSON_H
#define SOLVE_POISSON_H

#include "base/memory.h"
#include "base/stop.h"
#include "net/net_slabs.h"

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
// Over ranks: one that has the planes along z of this rank. All calls are then collective; arrays given are
// those of the whole box, of which planes of this rank and some beside them are used: `kind` and `open` have
// to be known in the plane before and behind its own. Units of the slabs are whole multiples of POISSON_UNIT.
enum { POISSON_UNIT = 4 };
firn_status poisson_create_part(poisson_box box, const net_slabs *slabs, poisson **out);
void poisson_destroy(poisson *p); // NULL is allowed
// While a world is built: poisson_set and poisson_solve end early once the watch has seen a stop, and what
// they leave is then of no use. NULL, as at first: never.
void poisson_set_watch(poisson *p, stop_watch *watch);
size_t poisson_bytes(poisson_box box);

enum { POISSON_WHOLE = 128 };
// One poisson_kind per item of an array. Free cells must not lie in the layer around the box; open ones must.
// open[axis]: how much of the face before each cell is open, of POISSON_WHOLE; NULL: all of it. Faces of
// walls are closed anyway. Free cells that are not connected to an open cell are allowed only if there is no
// open cell at all.
firn_status poisson_set(poisson *p, const uint8_t *kind, const uint8_t *const open[3]);

typedef struct poisson_result {
    int iterations;
    float start, residual; // largest |b - A q| of a cell, before and after
} poisson_result;
// q: initial guess and solution, b: right-hand side; both arrays as above, 0 in cells that are not free. Ends
// when no cell's residual is above `limit`, or after `max_iterations` iterations. Without open cells the mean
// of b is subtracted.
poisson_result poisson_solve(poisson *p, float *q, float *b, float limit, int max_iterations);
// Jacobi iterations from q, damped by 2/3.
poisson_result poisson_jacobi(poisson *p, float *q, float *b, int sweeps);
float poisson_residual(poisson *p, const float *q, const float *b); // largest of a cell

#endif
