// Random input for boxes of cells: the pressure solver and the wind.
#ifndef CACHE_ISA_CELLS_H
#define CACHE_ISA_CELLS_H

#include "cache/isa_input.h"
#include "solve/poisson_state.h"
#include "wind/wind_lanes.h"

enum { NX = 21, NY = 10, NZ = 12, ITEMS = (NX + 2) * (NY + 2) * (NZ + 2), GRIDS = 12 };
static struct {
    poisson_box box;
    _Alignas(64) uint8_t kind[ITEMS + 64];
    _Alignas(64) float of[GRIDS][ITEMS + 64];
    uint32_t rows[NY * NZ];
} cells;

// Walls here and there, open above; numbers only in free cells.
static void random_cells(void) {
    cells.box = poisson_box_of(NX, NY, NZ);
    assert_int_equal(cells.box.size, ITEMS);
    memset(cells.kind, POISSON_WALL, sizeof cells.kind);
    memset(cells.of, 0, sizeof cells.of);
    for (int k = 0; k <= NZ + 1; k++)
        for (int j = 1; j <= NY + 1; j++)
            for (int i = 0; i <= NX + 1; i++) {
                bool inside = i >= 1 && i <= NX && j <= NY && k >= 1 && k <= NZ;
                size_t at = poisson_at(&cells.box, i, j, k);
                cells.kind[at] = j == NY + 1                                      ? POISSON_OPEN
                                 : inside && (j > NY / 2 || between(0, 1) > 0.1f) ? POISSON_FREE
                                                                                  : POISSON_WALL;
                for (int g = 0; g < GRIDS && inside && cells.kind[at] == POISSON_FREE; g++)
                    cells.of[g][at] = between(-1, 1);
            }
    // A hole between walls has no way out.
    for (int k = 1; k <= NZ; k++)
        for (int i = 1; i <= NX; i++) {
            int top = NY / 2;
            while (top >= 1 && cells.kind[poisson_at(&cells.box, i, top, k)] == POISSON_FREE) top--;
            for (int j = 1; j < top; j++) cells.kind[poisson_at(&cells.box, i, j, k)] = POISSON_WALL;
        }
    for (size_t at = 0; at < ITEMS; at++)
        for (int g = 0; g < GRIDS && cells.kind[at] != POISSON_FREE; g++) cells.of[g][at] = 0;
    for (uint32_t i = 0; i < NY * NZ; i++) cells.rows[i] = i;
}

static void put_grids(int first, int count) {
    for (int g = first; g < first + count; g++) put(cells.of[g], ITEMS);
}

// A sum of products of two grids.
static void put_dot(double sum, const float *a, const float *b) {
    double magnitude = 0;
    for (size_t i = 0; i < ITEMS; i++) magnitude += fabs((double)a[i] * (double)b[i]);
    put_sum(sum, magnitude);
}

// A multigrid for the cells; the levels do not depend on the set.
static void with_levels(void (*pass)(const poisson *p)) {
    poisson *p;
    random_cells();
    assert_ok(poisson_create(cells.box, &p));
    assert_ok(poisson_set(p, cells.kind, NULL));
    assert_true(p->levels >= 2);
    pass(p);
    poisson_destroy(p);
}

#define POISSON_FEED(name, ...)                                                                              \
    static void pass_##name(const poisson *p) {                                                              \
        const poisson_level *fine = &p->level[0], *coarse = &p->level[1];                                    \
        float *const *of =                                                                                   \
            (float *const[]){cells.of[0], cells.of[1], cells.of[2], cells.of[3], cells.of[4]};               \
        const int last = NZ + 1, coarse_last = coarse->box.n[2] + 1;                                         \
        static const float omega[2] = {0.7f, 1.2f};                                                          \
        (void)fine, (void)coarse, (void)last, (void)coarse_last, (void)omega, (void)of;                      \
        __VA_ARGS__;                                                                                         \
        put_grids(0, 5);                                                                                     \
    }                                                                                                        \
    static void feed_##name(void) { with_levels(pass_##name); }

POISSON_FEED(poisson_sweep, ISA_PICK(poisson_sweep)(fine, 1, last, 0.8f, of[0], of[1], of[2]);
             ISA_PICK(poisson_sweep)(coarse, 1, coarse_last, 0.8f, of[0], of[1], of[3]))
POISSON_FEED(poisson_sweep_dot,
             put_dot(ISA_PICK(poisson_sweep_dot)(fine, 1, last, 0.8f, of[0], of[1], of[2]), of[0], of[2]))
POISSON_FEED(poisson_two_sweeps, ISA_PICK(poisson_two_sweeps)(fine, 1, last, omega, of[0], of[1]))
POISSON_FEED(poisson_add_two_sweeps,
             ISA_PICK(poisson_add_two_sweeps)(fine, cells.rows, NY *NZ, omega, of[0], of[1]))
POISSON_FEED(poisson_first_sweep, ISA_PICK(poisson_first_sweep)(coarse, 1, coarse_last, 0.8f, of[0], of[1]))
POISSON_FEED(poisson_scaled_residual, ISA_PICK(poisson_scaled_residual)(fine, 1, last, of[0], of[1], of[2]))
POISSON_FEED(poisson_restrict, ISA_PICK(poisson_restrict)(fine, coarse, 1, coarse_last, of[0], of[1]))
POISSON_FEED(poisson_prolong, ISA_PICK(poisson_prolong)(fine, coarse, 1, last, of[0], of[1]))
POISSON_FEED(poisson_row_residual,
             ISA_PICK(poisson_row_residual)(fine, cells.rows, NY *NZ, of[0], of[1], of[2], of[3]))
POISSON_FEED(poisson_apply, put_dot(ISA_PICK(poisson_apply)(fine, 1, last, of[0], of[1]), of[0], of[1]))
POISSON_FEED(poisson_advance,
             ISA_PICK(poisson_advance)(fine, cells.rows, NY *NZ, 0.3f, of[0], of[1], of[2], of[3], of[4]))
POISSON_FEED(poisson_dot, put_dot(ISA_PICK(poisson_dot)(7, ITEMS - 3, of[0], of[1]), of[0], of[1]))
POISSON_FEED(poisson_update_direction, ISA_PICK(poisson_update_direction)(7, ITEMS - 3, 0.3f, of[0], of[1]))

#define AIR ((float *const[3]){cells.of[0], cells.of[1], cells.of[2]})
#define CURL ((float *const[4]){cells.of[3], cells.of[4], cells.of[5], cells.of[6]})
#define WIND_FEED(name, ...)                                                                                 \
    static void feed_##name(void) {                                                                          \
        random_cells();                                                                                      \
        __VA_ARGS__;                                                                                         \
        put_grids(0, 7);                                                                                     \
    }
WIND_FEED(wind_divergence, ISA_PICK(wind_divergence)(&cells.box, cells.kind, 1, NZ + 1, AIR, cells.of[3]))
WIND_FEED(wind_gradient, ISA_PICK(wind_gradient)(&cells.box, cells.kind, 1, NZ + 1, cells.of[3], AIR))
WIND_FEED(wind_curl, ISA_PICK(wind_curl)(&cells.box, cells.kind, 1, NZ + 1, AIR, CURL))
WIND_FEED(wind_confinement, ISA_PICK(wind_confinement)(&cells.box, 1, NZ + 1, CURL))
WIND_FEED(wind_push, ISA_PICK(wind_push)(&cells.box, cells.kind, 1, NZ + 1, 0.1f, CURL, AIR))

static void feed_wind_sums(void) {
    wind_totals totals = {0};
    random_cells();
    ISA_PICK(wind_sums)(&cells.box, cells.kind, 1, NZ + 1, AIR, &totals);
    for (int i = 0; i < 4; i++) put_number(totals.sum[i]);
    put_number(totals.most);
}

#endif
