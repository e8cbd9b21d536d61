// Internal state of the solver; only for files of this folder.
#ifndef SOLVE_POISSON_STATE_H
#define SOLVE_POISSON_STATE_H

#include "solve/poisson_lanes.h"

enum {
    POISSON_LEVELS = 16,
    POISSON_COARSEST = 4
};                          // the coarsest level has at most this many cells along an axis
enum { POISSON_ROWS = 32 }; // per task

// Rows of the finest level: the largest residual of each, lists of all and of some of them.
typedef struct poisson_rows {
    size_t count;
    size_t first, end; // of this rank
    float *largest;
    uint32_t *all, *some;
    uint8_t *mark; // from the plane before the box on
} poisson_rows;

struct poisson {
    poisson_level level[POISSON_LEVELS]; // finest first
    int levels;
    bool closed; // no open cell: q is defined up to a constant
    double free_cells;
    float *residual, *direction, *Ap; // of the conjugate gradients: r, p, A p
    poisson_rows rows;
    double *partial;   // over ranks: of each block of planes
    stop_watch *watch; // NULL: nobody waits for an early end
};

// poisson_smooth_locally.c. The sweeps of a pass over the residual.
extern const float poisson_omega[2];
bool poisson_make_rows(poisson *p);
void poisson_free_rows(poisson *p);
size_t poisson_rows_bytes(poisson_box box);
float poisson_largest(const poisson *p);              // residual of all rows
bool poisson_is_local(const poisson *p, float limit); // is the residual above the limit only in few rows?
// Sweeps over the rows whose residual is above the limit while that helps; returns the largest residual.
float poisson_smooth_locally(poisson *p, float *q, const float *b, float limit);

// poisson_ranks.c. Planes beside those of a rank that are known where levels are built.
enum { POISSON_BUILD_HALO = 4 };
void poisson_make_slabs(poisson *p, const net_slabs *slabs); // of levels that have their boxes
void *poisson_array(const poisson_level *l, size_t item);    // zeros, of the box
// Planes [low, high) of this rank, or of its part, with those around the box, and `more` on both sides.
void poisson_planes(const poisson_level *l, int32_t more, int32_t *low, int32_t *high);
void poisson_part_planes(const poisson_level *l, int32_t *low, int32_t *high);
// Exchange with the ranks beside: of a divided level; of the parts of one that was made, of which all ranks
// get all if it is not divided.
void poisson_fill(const poisson_level *l, void *array, size_t item, int32_t width);
void poisson_fill_built(const poisson_level *l, void *array, size_t item);
bool poisson_is_gathered(const poisson_level *l); // made in parts, and then on all ranks
void poisson_set_planes(const poisson_level *l, void *array, size_t item, int value); // bytes; with the halo
static inline void poisson_halo(const poisson_level *l, const float *array) {
    if (net_slabs_divide(&l->slabs)) poisson_fill(l, (void *)(uintptr_t)array, sizeof *array, 1);
}
double poisson_count_all(const poisson *p, double count); // sum over the ranks, of whole numbers
float poisson_largest_of_all(const poisson *p, float largest);
// As par_sum over the planes of the finest level.
double poisson_sum_planes(const poisson *p, size_t block,
                          double (*fn)(void *context, size_t begin, size_t end), void *context);

// Weight of the face between the cell at `a` and the one before it along an axis.
static inline float poisson_weight(const poisson_level *l, int axis, size_t a) {
    return l->open[axis] ? (float)l->open[axis][a] * (1.0f / POISSON_WHOLE) : l->w[axis][a];
}

// poisson_thin.c. stray: 1 for each fine cell that its coarse cell does not represent.
void poisson_mark_strays(poisson_level *fine, poisson_level *coarse, uint8_t *stray);
void poisson_add_strays(poisson_level *fine, poisson_level *coarse, const uint8_t *stray); // their faces
// plain: scratch, a byte for each coarse cell.
firn_status poisson_find_shares(poisson_level *fine, poisson_level *coarse, const uint8_t *stray,
                                uint8_t *regular);
// Saves the values of the severed cells of planes [begin, end), and zeroes them if `clear`.
void poisson_save_severed(const poisson_level *l, size_t begin, size_t end, float *from, bool clear);
// Planes of the coarse level.
void poisson_restrict_severed(const poisson_level *fine, const poisson_level *coarse, size_t begin,
                              size_t end, float *b);
void poisson_prolong_severed(const poisson_level *fine, const poisson_level *coarse, size_t begin, size_t end,
                             const float *from, float *x);

#endif
