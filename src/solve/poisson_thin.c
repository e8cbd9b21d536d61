// Thin walls on coarse levels. A wall inside a coarse cell would be lost and its two sides connected: the
// coarse cell therefore represents one side only, and the fine cells of the other (strays) belong to the
// coarse cell beyond. Interpolation never crosses a wall.
#include "solve/poisson_state.h"

#include "par/par.h"

// The fine cell c (bits: second along x, y, z) of the coarse cell at (x, y, z); SIZE_MAX: there is none.
static size_t child_at(const poisson_box *fine, const int32_t at[3], int c) {
    int32_t f[3];
    for (int d = 0; d < 3; d++) {
        f[d] = 2 * at[d] - 1 + (c >> d & 1);
        if (f[d] > fine->n[d]) return SIZE_MAX;
    }
    return poisson_at(fine, f[0], f[1], f[2]);
}

// Flood fill over 8 cells, as bits, from `seen`; link[c] has the bits of the cells beside c.
static int flood(int seen, const int link[8]) {
    for (int before = 0; before != seen;) {
        before = seen;
        for (int c = 0; c < 8; c++)
            if (seen >> c & 1) seen |= link[c];
    }
    return seen;
}

static int popcount8(int set) {
    int count = 0;
    for (; set; set &= set - 1) count++;
    return count;
}

// A coarse cell represents the largest connected group of its free fine cells: bits of the others.
static int other_groups(const poisson_level *fine, const int32_t at[3]) {
    int link[8] = {0}, left = 0, best = 0, all;
    for (int c = 0; c < 8; c++) {
        size_t a = child_at(&fine->box, at, c);
        if (a == SIZE_MAX || fine->kind[a] != POISSON_FREE) continue;
        left |= 1 << c;
        for (int d = 0; d < 3; d++) {
            int b = c & ~(1 << d);
            if (b == c || !(poisson_weight(fine, d, a) > 0)) continue;
            link[c] |= 1 << b;
            link[b] |= 1 << c;
        }
    }
    all = left;
    while (left) {
        int group = flood(left & -left, link);
        if (popcount8(group) > popcount8(best)) best = group;
        left &= ~group;
    }
    return all & ~best;
}

typedef struct thin_work {
    poisson_level *fine, *coarse;
    uint8_t *stray;   // of each fine cell
    uint8_t *regular; // of each coarse cell: no wall at any face, or not in the box
} thin_work;

// Whether all eight fine cells are connected; false: they may be.
static bool all_linked(const poisson_level *l, const int32_t at[3]) {
    const size_t y = l->box.row, z = l->box.plane;
    for (int d = 0; d < 3; d++)
        if (2 * at[d] > l->box.n[d]) return false;
    const size_t a = poisson_at(&l->box, 2 * at[0] - 1, 2 * at[1] - 1, 2 * at[2] - 1);
    if (l->open[0]) {
        const uint8_t *ox = l->open[0] + a + 1, *oy = l->open[1] + a + y, *oz = l->open[2] + a + z;
        const uint8_t *kind = l->kind + a;
        bool walls = true;
        for (int c = 0; c < 8; c++)
            walls &= kind[(c & 1) + (c & 2 ? y : 0) + (c & 4 ? z : 0)] == POISSON_WALL;
        if (walls) return true;
        return ox[0] && ox[y] && ox[z] && ox[y + z] && oy[0] && oy[1] && oy[z] && oy[z + 1] && oz[0] &&
               oz[1] && oz[y] && oz[y + 1];
    }
    const float *wx = l->w[0] + a + 1, *wy = l->w[1] + a + y, *wz = l->w[2] + a + z;
    return wx[0] > 0 && wx[y] > 0 && wx[z] > 0 && wx[y + z] > 0 && wy[0] > 0 && wy[1] > 0 && wy[z] > 0 &&
           wy[z + 1] > 0 && wz[0] > 0 && wz[1] > 0 && wz[y] > 0 && wz[y + 1] > 0;
}

static void mark_strays(void *context, size_t begin, size_t end) {
    const thin_work *w = context;
    const poisson_box *box = &w->coarse->box;
    for (int32_t k = (int32_t)begin + 1; k <= (int32_t)end; k++)
        for (int32_t j = 1; j <= box->n[1]; j++)
            for (int32_t i = 1; i <= box->n[0]; i++) {
                const int32_t at[3] = {i, j, k};
                int others = all_linked(w->fine, at) ? 0 : other_groups(w->fine, at);
                for (int c = 0; others && c < 8; c++) {
                    size_t a = child_at(&w->fine->box, at, c);
                    if (a != SIZE_MAX) w->stray[a] = others >> c & 1;
                }
            }
}

void poisson_mark_strays(poisson_level *fine, poisson_level *coarse, uint8_t *stray) {
    thin_work w = {fine, coarse, stray, NULL};
    par_for_part((size_t)coarse->part0 - 1, (size_t)coarse->part1 - 1, 2, mark_strays, &w);
}

static void cell_of(const poisson_box *box, size_t a, int32_t at[3]) {
    at[0] = (int32_t)(a % box->row);
    at[1] = (int32_t)(a % box->plane / box->row);
    at[2] = (int32_t)(a / box->plane);
}

static size_t coarse_of(const poisson_level *coarse, const int32_t at[3]) {
    return poisson_at(&coarse->box, (at[0] + 1) / 2, (at[1] + 1) / 2, (at[2] + 1) / 2);
}

// The coarse cell that a fine one belongs to; for a stray the first neighbour of its own; SIZE_MAX: none.
static size_t parent_of(const thin_work *w, size_t a) {
    const poisson_box *box = &w->fine->box;
    const size_t steps[3] = {1, box->row, box->plane};
    int32_t at[3];
    cell_of(box, a, at);
    if (!w->stray[a]) return coarse_of(w->coarse, at);
    for (int d = 0; d < 3; d++) {
        bool before = at[d] & 1;
        size_t b = before ? a - steps[d] : a + steps[d];
        if (w->fine->kind[b] != POISSON_FREE || w->stray[b] ||
            !(poisson_weight(w->fine, d, before ? a : b) > 0))
            continue;
        at[d] += before ? -1 : 1;
        return coarse_of(w->coarse, at);
    }
    return SIZE_MAX;
}

// Adds the faces of a stray to those between the coarse cells that it and its neighbours belong to.
static void add_faces(const thin_work *w, size_t a) {
    const poisson_box *box = &w->fine->box;
    const size_t steps[3] = {1, box->row, box->plane};
    const size_t coarse_steps[3] = {1, w->coarse->box.row, w->coarse->box.plane};
    size_t home = parent_of(w, a);
    if (home == SIZE_MAX) return;
    for (int side = 0; side < 6; side++) {
        int axis = side / 2;
        size_t b = side & 1 ? a + steps[axis] : a - steps[axis];
        if (w->fine->kind[b] != POISSON_FREE || (w->stray[b] && b < a)) continue; // seen from there
        float weight = poisson_weight(w->fine, axis, side & 1 ? b : a);
        size_t other = parent_of(w, b);
        if (!(weight > 0) || other == SIZE_MAX) continue;
        for (int d = 0; d < 3; d++) {
            size_t low = home < other ? home : other, high = home < other ? other : home;
            if (high - low == coarse_steps[d]) w->coarse->w[d][high] += 0.25f * weight;
        }
    }
}

void poisson_add_strays(poisson_level *fine, poisson_level *coarse, const uint8_t *stray) {
    thin_work w = {fine, coarse, (uint8_t *)stray, NULL};
    int32_t low, high; // over ranks also those beside this one's that add to its faces
    poisson_planes(fine, POISSON_BUILD_HALO / 2, &low, &high);
    for (size_t a = (size_t)low * fine->box.plane; a < (size_t)high * fine->box.plane; a++)
        if (stray[a]) add_faces(&w, a);
}

static void mark_regular(void *context, size_t begin, size_t end) {
    const thin_work *w = context;
    const poisson_level *c = w->coarse;
    const size_t steps[3] = {1, c->box.row, c->box.plane};
    for (int32_t k = (int32_t)begin + 1; k <= (int32_t)end; k++)
        for (int32_t j = 1; j <= c->box.n[1]; j++)
            for (int32_t i = 1; i <= c->box.n[0]; i++) {
                size_t a = poisson_at(&c->box, i, j, k);
                const bool border[6] = {i == 1,           i == c->box.n[0], j == 1,
                                        j == c->box.n[1], k == 1,           k == c->box.n[2]};
                bool regular = c->kind[a] == POISSON_FREE;
                for (int d = 0; d < 6; d++)
                    regular = regular && (border[d] || c->w[d / 2][d & 1 ? a + steps[d / 2] : a] > 0);
                w->regular[a] = regular;
            }
}

// The coarse cells around a fine one: its own, and the nearer neighbours along x, y, z.
static size_t coarse_neighbour(const poisson_level *coarse, const int32_t at[3], int c) {
    int32_t q[3];
    for (int d = 0; d < 3; d++) {
        int32_t own = (at[d] + 1) / 2;
        q[d] = c >> d & 1 ? (at[d] & 1 ? own - 1 : own + 1) : own;
    }
    return poisson_at(&coarse->box, q[0], q[1], q[2]);
}

static bool linked(const poisson_level *coarse, int axis, size_t a, size_t b) {
    if (coarse->kind[a] == POISSON_OPEN && coarse->kind[b] == POISSON_OPEN) return true;
    if (coarse->kind[a] == POISSON_WALL || coarse->kind[b] == POISSON_WALL) return false;
    return coarse->w[axis][a > b ? a : b] > 0;
}

// Bits of the coarse cells around a fine one that lie on its side of all walls; *open: those that are not
// walls.
static int same_side(const thin_work *w, size_t a, const int32_t at[3], int *open) {
    const poisson_box *fine = &w->fine->box;
    const size_t steps[3] = {1, fine->row, fine->plane};
    int link[8] = {0}, start = w->stray[a] ? 0 : 1;
    *open = 0;
    for (int c = 0; c < 8; c++) {
        size_t q = coarse_neighbour(w->coarse, at, c);
        if (w->coarse->kind[q] != POISSON_WALL) *open |= 1 << c;
        for (int d = 0; d < 3; d++) {
            int b = c & ~(1 << d);
            if (b == c || (w->stray[a] && b == 0)) continue; // a stray's own cell is on the other side
            if (!linked(w->coarse, d, q, coarse_neighbour(w->coarse, at, b))) continue;
            link[c] |= 1 << b;
            link[b] |= 1 << c;
        }
    }
    for (int d = 0; w->stray[a] && d < 3; d++) {
        bool before = at[d] & 1;
        size_t b = before ? a - steps[d] : a + steps[d];
        if (w->fine->kind[b] == POISSON_FREE && !w->stray[b] &&
            poisson_weight(w->fine, d, before ? a : b) > 0)
            start |= 1 << (1 << d);
    }
    return flood(start, link) & *open;
}

static int weight_of_set(int set) { // of 27, 9, 3, 1
    static const int weight[8] = {27, 9, 9, 3, 9, 3, 3, 1};
    int sum = 0;
    for (int c = 0; c < 8; c++) sum += set >> c & 1 ? weight[c] : 0;
    return sum;
}

static bool all_regular(const thin_work *w, const int32_t at[3]) {
    const uint8_t *p = w->regular + coarse_of(w->coarse, at);
    const ptrdiff_t row = (ptrdiff_t)w->coarse->box.row, plane = (ptrdiff_t)w->coarse->box.plane;
    const ptrdiff_t x = at[0] & 1 ? -1 : 1, y = at[1] & 1 ? -row : row, z = at[2] & 1 ? -plane : plane;
    return p[0] && p[x] && p[y] && p[y + x] && p[z] && p[z + x] && p[z + y] && p[z + y + x];
}

static bool at_border(const poisson_box *box, const int32_t at[3]) {
    bool inside = true;
    for (int d = 0; d < 3; d++) inside = inside && at[d] > 1 && at[d] < box->n[d] - 1;
    return !inside;
}

enum { SEVERED = 255 };

// Sum of the weights 27, 9, 3, 1 over the coarse cells around a fine one that are not walls; SEVERED: some of
// them are behind a wall.
static int share_of(const thin_work *w, size_t a, const int32_t at[3]) {
    bool regular = !w->stray[a] && all_regular(w, at);
    if (regular && !at_border(&w->fine->box, at)) return 64;
    int open = 0;
    if (regular)
        for (int c = 0; c < 8; c++)
            open |= w->coarse->kind[coarse_neighbour(w->coarse, at, c)] == POISSON_WALL ? 0 : 1 << c;
    int set = regular ? open : same_side(w, a, at, &open);
    return set == open ? weight_of_set(set) : SEVERED;
}

static void find_shares(void *context, size_t begin, size_t end) {
    const thin_work *w = context;
    const poisson_box *box = &w->fine->box;
    for (int32_t k = (int32_t)begin + 1; k <= (int32_t)end; k++)
        for (int32_t j = 1; j <= box->n[1]; j++)
            for (int32_t i = 1; i <= box->n[0]; i++) {
                const int32_t at[3] = {i, j, k};
                size_t a = poisson_at(box, i, j, k);
                w->fine->share[a] = (uint8_t)(w->fine->kind[a] == POISSON_FREE ? share_of(w, a, at) : 0);
            }
}

static firn_status add_severed(const thin_work *w, size_t a) {
    poisson_level *l = w->fine;
    if (!array_reserve(&l->severed, &l->severed_capacity, l->severed_count + 1, sizeof *l->severed) ||
        !array_reserve(&l->saved, &l->saved_capacity, l->severed_count + 1, sizeof *l->saved))
        return fail_memory("listing cells beside thin walls", l->severed_count * sizeof *l->severed);
    int32_t at[3];
    int open;
    cell_of(&l->box, a, at);
    int set = same_side(w, a, at, &open), sum = weight_of_set(set);
    l->severed[l->severed_count++] = (poisson_severed){
        .cell = (uint32_t)a,
        .own = (uint32_t)coarse_of(w->coarse, at),
        .odd = (uint8_t)(at[0] & 1) | (uint8_t)((at[1] & 1) << 1) | (uint8_t)((at[2] & 1) << 2),
        .set = (uint8_t)set,
        .scale = sum ? 1 / (float)sum : 0};
    l->share[a] = 64; // they are left out of the passes over all cells
    return FIRN_OK;
}

firn_status poisson_find_shares(poisson_level *fine, poisson_level *coarse, const uint8_t *stray,
                                uint8_t *regular) {
    thin_work w = {fine, coarse, (uint8_t *)stray, regular};
    par_for_part((size_t)coarse->part0 - 1, (size_t)coarse->part1 - 1, 2, mark_regular, &w);
    poisson_fill_built(coarse, regular, 1);
    par_for_part((size_t)fine->k0 - 1, (size_t)fine->k1 - 1, 2, find_shares, &w);
    poisson_fill(fine, fine->share, 1, 1);
    fine->severed_count = 0;
    for (int32_t k = 0; k <= fine->box.n[2] + 1; k++) {
        fine->severed_from[k] = (uint32_t)fine->severed_count;
        if (k == 0 || k > fine->box.n[2] || k < fine->k0 - 1 || k > fine->k1) continue;
        for (size_t a = poisson_at(&fine->box, 0, 0, k), end = a + fine->box.plane; a < end; a++)
            if (fine->share[a] == SEVERED) TRY(add_severed(&w, a));
    }
    return FIRN_OK;
}

// Indices and weights of the coarse cells around a severed cell.
static int severed_stencil(const poisson_severed *s, const poisson_box *coarse, size_t at[8],
                           float weight[8]) {
    static const float part[8] = {27, 9, 9, 3, 9, 3, 3, 1};
    const ptrdiff_t step[3] = {s->odd & 1 ? -1 : 1,
                               s->odd & 2 ? -(ptrdiff_t)coarse->row : (ptrdiff_t)coarse->row,
                               s->odd & 4 ? -(ptrdiff_t)coarse->plane : (ptrdiff_t)coarse->plane};
    int count = 0;
    for (int c = 0; c < 8; c++) {
        if (!(s->set >> c & 1)) continue;
        ptrdiff_t to = (ptrdiff_t)s->own;
        for (int d = 0; d < 3; d++) to += c >> d & 1 ? step[d] : 0;
        at[count] = (size_t)to;
        weight[count++] = part[c] * s->scale;
    }
    return count;
}

void poisson_save_severed(const poisson_level *l, size_t begin, size_t end, float *from, bool clear) {
    for (uint32_t n = l->severed_from[begin]; n < l->severed_from[end]; n++) {
        l->saved[n] = from[l->severed[n].cell];
        if (clear) from[l->severed[n].cell] = 0;
    }
}

void poisson_restrict_severed(const poisson_level *fine, const poisson_level *coarse, size_t begin,
                              size_t end, float *b) {
    // The fine planes that interpolate from coarse planes [begin, end).
    size_t last = (size_t)fine->box.n[2] + 1, from = 2 * begin - 2, to = 2 * end;
    if (to > last) to = last;
    const size_t low = begin * coarse->box.plane, high = end * coarse->box.plane;
    for (uint32_t n = fine->severed_from[from]; n < fine->severed_from[to]; n++) {
        size_t at[8];
        float weight[8];
        int count = severed_stencil(&fine->severed[n], &coarse->box, at, weight);
        for (int c = 0; c < count; c++)
            if (at[c] >= low && at[c] < high && coarse->diagonal[at[c]] > 0)
                b[at[c]] += 0.5f * weight[c] * fine->saved[n];
    }
}

void poisson_prolong_severed(const poisson_level *fine, const poisson_level *coarse, size_t begin, size_t end,
                             const float *from, float *x) {
    for (uint32_t n = fine->severed_from[begin]; n < fine->severed_from[end]; n++) {
        size_t at[8];
        float weight[8], sum = 0;
        int count = severed_stencil(&fine->severed[n], &coarse->box, at, weight);
        for (int c = 0; c < count; c++) sum += weight[c] * from[at[c]];
        x[fine->severed[n].cell] = fine->saved[n] + sum;
    }
}
