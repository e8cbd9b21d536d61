// Builds the multigrid levels from the kinds of cells.
#include <math.h>
#include <string.h>

#include "solve/poisson_state.h"

#include "par/par.h"

typedef struct build_work {
    poisson_level *fine, *coarse;
    const uint8_t *stray;
} build_work;

// Faces of the finest level that are open, and how much of them.
typedef struct open_work {
    poisson_level *level;
    const uint8_t *const *open; // NULL: all of each
} open_work;

static void open_faces(void *context, size_t begin, size_t end) {
    const open_work *w = context;
    const poisson_level *l = w->level;
    const poisson_box *box = &l->box;
    const size_t step[3] = {1, box->row, box->plane};
    const uint8_t *kind = l->kind;
    for (size_t k = begin + 1; k <= end; k++)
        for (int axis = 0; axis < 3; axis++)
            for (size_t a = k * box->plane; a < (k + 1) * box->plane; a++) {
                uint8_t here = kind[a], there = kind[a - step[axis]];
                bool air = here != POISSON_WALL && there != POISSON_WALL &&
                           (here == POISSON_FREE || there == POISSON_FREE);
                l->open[axis][a] = air ? w->open ? w->open[axis][a] : POISSON_WHOLE : 0;
            }
}

static void add_open(void *context, size_t begin, size_t end) {
    const poisson_level *l = context;
    const poisson_box *box = &l->box;
    const size_t y = box->row, z = box->plane;
    const uint8_t *const *o = (const uint8_t *const *)l->open;
    for (size_t k = begin + 1; k <= end; k++)
        for (size_t a = k * z; a < (k + 1) * z; a++) {
            int sum = o[0][a] + o[0][a + 1] + o[1][a] + o[1][a + y] + o[2][a] + o[2][a + z];
            l->diagonal[a] = l->kind[a] == POISSON_FREE ? (float)sum * (1.0f / POISSON_WHOLE) : 0;
        }
}

static bool six_or_none(float diagonal) { return diagonal == 0 || diagonal == 6; }

static bool is_regular(const float *d, size_t y, size_t z) {
    return *d == 6 && six_or_none(d[-1]) && six_or_none(d[1]) && six_or_none(*(d - y)) && six_or_none(d[y]) &&
           six_or_none(*(d - z)) && six_or_none(d[z]);
}

// POISSON_PLAIN and the number of faces, or 0.
static uint8_t plain_faces(const poisson_level *l, size_t a) {
    const size_t step[3] = {1, l->box.row, l->box.plane};
    if (l->kind[a] != POISSON_FREE) return POISSON_PLAIN;
    int faces = 0;
    for (int side = 0; side < 6; side++) {
        size_t s = step[side / 2], beyond = side & 1 ? a + s : a - s;
        uint8_t open = l->open[side / 2][side & 1 ? beyond : a];
        if (open < POISSON_WHOLE && l->kind[beyond] == POISSON_FREE) return 0;
        faces += open == POISSON_WHOLE;
    }
    return (uint8_t)(POISSON_PLAIN | faces);
}

static void find_regular(void *context, size_t begin, size_t end) {
    const poisson_level *l = context;
    const poisson_box *box = &l->box;
    const size_t y = box->row, z = box->plane;
    for (int32_t k = (int32_t)begin + 1; k <= (int32_t)end; k++)
        for (int32_t j = 1; j <= box->n[1]; j++)
            for (size_t a = poisson_at(box, 1, j, k), last = a + (size_t)box->n[0]; a < last; a++)
                l->regular[a] = is_regular(l->diagonal + a, y, z) ? POISSON_REGULAR : plain_faces(l, a);
}

// The planes of this rank, for passes that count from 0; the one behind the box belongs to the last.
static size_t begin_of(const poisson_level *l) { return (size_t)l->part0 - 1; }
static size_t end_of(const poisson_level *l) { return (size_t)l->part1 - 1; }
static size_t end_of_faces(const poisson_level *l) { return end_of(l) + (l->part1 > l->box.n[2]); }

static void set_finest(poisson_level *l, const uint8_t *const open[3]) {
    par_for_part(begin_of(l), end_of_faces(l), 2, open_faces, &(open_work){l, open});
    for (int axis = 0; axis < 3; axis++) poisson_fill_built(l, l->open[axis], 1);
    par_for_part(begin_of(l), end_of(l), 2, add_open, l);
    poisson_fill_built(l, l->diagonal, sizeof *l->diagonal);
    poisson_set_planes(l, l->regular, 1, POISSON_PLAIN);
    par_for_part(begin_of(l), end_of(l), 2, find_regular, l);
    poisson_fill_built(l, l->regular, 1);
}

// Both fine cells of a coarse one along an axis; the last may lie beyond the layer around the box.
static int32_t child(int32_t at, int second, int32_t n) {
    int32_t c = at == 0 ? 0 : 2 * at - 1 + second;
    return c > n + 1 ? n + 1 : c;
}

// A coarse cell is free if any of its eight is; of the layer around the box: open if any of its eight is.
static uint8_t coarse_kind(const poisson_level *fine, const int32_t at[3]) {
    uint8_t kind = POISSON_WALL;
    for (int c = 0; c < 8; c++) {
        int32_t f[3];
        for (int d = 0; d < 3; d++) f[d] = child(at[d], c >> d & 1, fine->box.n[d]);
        uint8_t one = fine->kind[poisson_at(&fine->box, f[0], f[1], f[2])];
        if (one == POISSON_FREE) return POISSON_FREE;
        if (one == POISSON_OPEN) kind = POISSON_OPEN;
    }
    return kind;
}

static void coarsen_kinds(void *context, size_t begin, size_t end) {
    const build_work *work = context;
    const poisson_box *box = &work->coarse->box;
    for (int32_t k = (int32_t)begin; k < (int32_t)end; k++)
        for (int32_t j = 0; j <= box->n[1] + 1; j++)
            for (int32_t i = 0; i <= box->n[0] + 1; i++) {
                const int32_t at[3] = {i, j, k};
                work->coarse->kind[poisson_at(box, i, j, k)] = coarse_kind(work->fine, at);
            }
}

// Mean of the four fine faces that make up the coarse face before `at`. The open boundary keeps its position
// while cells grow: `scale`. Where the number of cells is odd, the boundary cuts the last coarse cell in
// half.
static float coarse_weight(const build_work *work, int axis, const int32_t at[3]) {
    const poisson_level *fine = work->fine, *coarse = work->coarse;
    const size_t steps[3] = {1, fine->box.row, fine->box.plane};
    int32_t f[3], n = fine->box.n[axis];
    int other = (axis + 1) % 3, third = (axis + 2) % 3;
    float sum = 0;
    bool cut = 2 * at[axis] - 1 > n + 1;
    f[axis] = cut ? n + 1 : 2 * at[axis] - 1;
    for (int c = 0; c < 4; c++) {
        f[other] = 2 * at[other] - 1 + (c & 1);
        f[third] = 2 * at[third] - 1 + (c >> 1);
        if (f[other] > fine->box.n[other] || f[third] > fine->box.n[third]) continue;
        size_t a = poisson_at(&fine->box, f[0], f[1], f[2]);
        if (work->stray[a] || work->stray[a - steps[axis]]) continue; // poisson_add_strays
        sum += poisson_weight(fine, axis, a);
    }
    size_t a = poisson_at(&coarse->box, at[0], at[1], at[2]);
    const size_t coarse_steps[3] = {1, coarse->box.row, coarse->box.plane};
    bool border = coarse->kind[a] == POISSON_OPEN || coarse->kind[a - coarse_steps[axis]] == POISSON_OPEN;
    return 0.25f * sum * (border ? fine->scale : 1) * (cut ? 2 : 1);
}

static void coarsen_weights(void *context, size_t begin, size_t end) {
    const build_work *work = context;
    const poisson_level *c = work->coarse;
    const poisson_box *box = &c->box;
    for (int32_t k = (int32_t)begin + 1; k <= (int32_t)end; k++)
        for (int32_t j = 1; j <= box->n[1] + 1; j++)
            for (int32_t i = 1; i <= box->n[0] + 1; i++) {
                const int32_t at[3] = {i, j, k};
                for (int axis = 0; axis < 3; axis++) {
                    int other = (axis + 1) % 3, third = (axis + 2) % 3;
                    bool inside = at[other] <= box->n[other] && at[third] <= box->n[third];
                    c->w[axis][poisson_at(box, i, j, k)] = inside ? coarse_weight(work, axis, at) : 0;
                }
            }
}

static void add_diagonals(void *context, size_t begin, size_t end) {
    const poisson_level *l = context;
    const poisson_box *box = &l->box;
    const size_t step[3] = {1, box->row, box->plane};
    for (int32_t k = (int32_t)begin + 1; k <= (int32_t)end; k++)
        for (int32_t j = 1; j <= box->n[1]; j++)
            for (int32_t i = 1; i <= box->n[0]; i++) {
                size_t a = poisson_at(box, i, j, k);
                float sum = 0;
                bool regular = l->kind[a] == POISSON_FREE;
                for (int axis = 0; axis < 3; axis++) {
                    sum += l->w[axis][a] + l->w[axis][a + step[axis]];
                    regular = regular && l->w[axis][a] == 1 && l->w[axis][a + step[axis]] == 1;
                }
                l->diagonal[a] = l->kind[a] == POISSON_FREE ? sum : 0;
                l->regular[a] = regular ? POISSON_REGULAR : 0;
            }
}

static firn_status build_coarse(build_work *work) {
    poisson_level *c = work->coarse;
    int32_t low, high;
    uint8_t *stray = (uint8_t *)work->fine->t, *regular = (uint8_t *)c->t;
    poisson_set_planes(work->fine, stray, 1, 0);
    poisson_set_planes(c, regular, 1, 1);
    work->stray = stray;
    poisson_part_planes(c, &low, &high);
    par_for_part((size_t)low, (size_t)high, 2, coarsen_kinds, work);
    poisson_fill_built(c, c->kind, 1);
    poisson_mark_strays(work->fine, c, stray);
    poisson_fill(work->fine, stray, 1, POISSON_BUILD_HALO);
    par_for_part(begin_of(c), end_of_faces(c), 2, coarsen_weights, work);
    poisson_add_strays(work->fine, c, stray);
    for (int axis = 0; axis < 3; axis++) poisson_fill_built(c, c->w[axis], sizeof(float));
    par_for_part(begin_of(c), end_of(c), 2, add_diagonals, c);
    poisson_fill_built(c, c->diagonal, sizeof *c->diagonal);
    poisson_fill_built(c, c->regular, 1);
    return poisson_find_shares(work->fine, c, stray, regular);
}

static double count_open(void *context, size_t begin, size_t end) {
    const uint8_t *kind = context;
    size_t count = 0;
    for (size_t i = begin; i < end; i++) count += kind[i] == POISSON_OPEN;
    return (double)count;
}

static double count_free(void *context, size_t begin, size_t end) {
    const float *diagonal = context;
    size_t count = 0;
    for (size_t i = begin; i < end; i++) count += diagonal[i] > 0;
    return (double)count;
}

static void clear(poisson *p) {
    const poisson_level *l = &p->level[0];
    float *const finest[] = {p->direction, p->Ap, p->residual};
    for (int i = 0; i < 3; i++) poisson_set_planes(l, finest[i], sizeof(float), 0);
    for (int i = 0; i < p->levels; i++) {
        poisson_set_planes(&p->level[i], p->level[i].x, sizeof(float), 0);
        poisson_set_planes(&p->level[i], p->level[i].t, sizeof(float), 0);
    }
}

firn_status poisson_set(poisson *p, const uint8_t *kind, const uint8_t *const open[3]) {
    poisson_level *finest = &p->level[0];
    int32_t low, high;
    poisson_planes(finest, 0, &low, &high);
    const size_t from = (size_t)low * finest->box.plane, size = (size_t)(high - low) * finest->box.plane;
    memcpy(finest->kind + from, kind + from, size);
    poisson_fill_built(finest, finest->kind, 1);
    set_finest(finest, open);
    for (int i = 0; i + 1 < p->levels; i++) {
        if (p->watch) TRY(stop_status(p->watch));
        // From the centre of a boundary cell to where q is 0: half a cell of this level and half of the
        // finest.
        double half = ldexp(1, -i);
        p->level[i].scale = (float)((1 + half) / (1 + half / 2));
        TRY(build_coarse(&(build_work){.fine = &p->level[i], .coarse = &p->level[i + 1]}));
    }
    p->closed = poisson_count_all(p, par_sum(size, 65536, count_open, finest->kind + from)) == 0;
    p->free_cells = poisson_count_all(p, par_sum(size, 65536, count_free, finest->diagonal + from));
    clear(p);
    return FIRN_OK;
}
