// Which cells are air, and which faces lie between air and obstacles.
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "par/par.h"
#include "wind/wind_state.h"

typedef struct mark_work {
    const wind_state *s;
    const body_set *bodies;
    size_t body;
    uint16_t *owner;
    int32_t low[3], high[3]; // cells near the body
    float *distance;         // of the whole box, where near
    int16_t *node;           // signed distance at the corners before cells
    uint8_t *near_body;      // NULL: not asked for
    uint8_t whole;           // mark of cells that the body closes as a whole
} mark_work;

enum { ROW_ROOM = 2049 }; // corners of the longest row

// Signed distances of n points of a row; back: from the far corner of a cell, in cells.
static void query_row(const mark_work *w, size_t n, int32_t j, int32_t k, double back, float *out) {
    const wind_state *s = w->s;
    float x[ROW_ROOM], y[ROW_ROOM], z[ROW_ROOM];
    for (size_t i = 0; i < n; i++) {
        x[i] = (float)(s->low[0] + ((double)w->low[0] + (double)i - back) * s->def.cell);
        y[i] = (float)(s->low[1] + (j - back) * s->def.cell);
        z[i] = (float)(s->low[2] + (k - back) * s->def.cell);
    }
    body_query(w->bodies, w->body, n, x, y, z, out, NULL, NULL, NULL);
}

static void mark_nodes(void *context, size_t begin, size_t end) {
    const mark_work *w = context;
    float distance[ROW_ROOM];
    size_t n = (size_t)(w->high[0] - w->low[0] + 2);
    for (int32_t k = w->low[2] + (int32_t)begin; k < w->low[2] + (int32_t)end; k++)
        for (int32_t j = w->low[1]; j <= w->high[1] + 1 && !wind_is_stopped(w->s); j++) {
            int16_t *to = w->node + poisson_at(&w->s->box, w->low[0], j, k);
            query_row(w, n, j, k, 1, distance);
            for (size_t i = 0; i < n; i++) {
                int16_t node = wind_node((double)distance[i] / w->s->def.cell);
                if (node < to[i]) to[i] = node;
            }
        }
}

static void mark_planes(void *context, size_t begin, size_t end) {
    const mark_work *w = context;
    const poisson_box *box = &w->s->box;
    for (int32_t k = w->low[2] + (int32_t)begin; k < w->low[2] + (int32_t)end; k++)
        for (int32_t j = w->low[1]; j <= w->high[1] && !wind_is_stopped(w->s); j++) {
            size_t a = poisson_at(box, w->low[0], j, k);
            query_row(w, (size_t)(w->high[0] - w->low[0] + 1), j, k, 0.5, w->distance + a);
            for (int32_t i = 0; i <= w->high[0] - w->low[0]; i++)
                if (w->distance[a + (size_t)i] < 0) w->owner[a + (size_t)i] = (uint16_t)(w->body + 1);
            for (int32_t i = 0; w->near_body && i <= w->high[0] - w->low[0]; i++)
                if ((double)w->distance[a + (size_t)i] < FLAKE_MARGIN * w->s->def.cell)
                    w->near_body[a + (size_t)i] = 1;
        }
}

// Does the body cross the segment between two cell centres? Bisects it until the signed distance decides.
// *where: 0 .. 1, the first point found inside.
static bool crosses(const mark_work *w, const double from[3], int axis, double at, double half, int depth,
                    double *where) {
    double p[3] = {from[0], from[1], from[2]};
    p[axis] += at * w->s->def.cell;
    float x = (float)p[0], y = (float)p[1], z = (float)p[2], d;
    body_query(w->bodies, w->body, 1, &x, &y, &z, &d, NULL, NULL, NULL);
    *where = at;
    if (d < 0) return true;
    if (depth == 0 || (double)d > half * w->s->def.cell) return false;
    return crosses(w, from, axis, at - half / 2, half / 2, depth - 1, where) ||
           crosses(w, from, axis, at + half / 2, half / 2, depth - 1, where);
}

// Walls within a cell that its corners do not see close it as a whole: for a plane wall, however thick, the
// mean distance of the corners is at least a quarter of a cell above that of the centre.
static void mark_whole(void *context, size_t begin, size_t end) {
    const mark_work *w = context;
    const poisson_box *box = &w->s->box;
    for (int32_t k = w->low[2] + (int32_t)begin; k < w->low[2] + (int32_t)end; k++)
        for (int32_t j = w->low[1]; j <= w->high[1]; j++)
            for (size_t a = poisson_at(box, w->low[0], j, k), last = a + (size_t)(w->high[0] - w->low[0]);
                 a <= last; a++) {
                if (!((double)w->distance[a] < 0)) continue;
                double mean = 0;
                for (int c = 0; c < 8; c++)
                    mean +=
                        w->node[a + (c & 1 ? 1u : 0u) + (c & 2 ? box->row : 0) + (c & 4 ? box->plane : 0)];
                mean /= 8 * (double)WIND_NODE;
                if (mean - fmax((double)w->distance[a] / w->s->def.cell, -1) > 0.25)
                    w->s->whole[a] |= w->whole;
            }
}

// Is the face between a cell and the one before it in a body as a whole?
static bool is_shut(const mark_work *w, int axis, size_t a) {
    const poisson_box *box = &w->s->box;
    const size_t step[3] = {1, box->row, box->plane}, p = step[(axis + 1) % 3], q = step[(axis + 2) % 3];
    const int16_t *node = w->node + a;
    return node[0] <= 0 && node[p] <= 0 && node[q] <= 0 && node[p + q] <= 0;
}

// Bodies thinner than a cell that pass between two cell centres close the cell they are in.
static void mark_thin(const mark_work *w, int32_t first, int32_t last) {
    const wind_state *s = w->s;
    const poisson_box *box = &s->box;
    const size_t step[3] = {1, box->row, box->plane};
    for (int32_t k = first; k <= last; k++)
        for (int32_t j = w->low[1]; j <= w->high[1] && !wind_is_stopped(s); j++)
            for (int32_t i = w->low[0]; i <= w->high[0]; i++) {
                const int32_t at[3] = {i, j, k};
                size_t a = poisson_at(box, i, j, k);
                if (w->owner[a] || (double)w->distance[a] > s->def.cell) continue;
                for (int axis = 0; axis < 3; axis++) {
                    size_t b = a + step[axis];
                    double where, from[3];
                    if (at[axis] == w->high[axis] || w->owner[b] || w->owner[a] ||
                        (double)(w->distance[a] + w->distance[b]) > s->def.cell)
                        continue;
                    for (int d = 0; d < 3; d++) from[d] = s->low[d] + (at[d] - 0.5) * s->def.cell;
                    if (!crosses(w, from, axis, 0.5, 0.5, 5, &where)) continue;
                    w->owner[where < 0.5 ? a : b] = (uint16_t)(w->body + 1);
                    if (!is_shut(w, axis, b)) s->whole[where < 0.5 ? a : b] |= w->whole;
                }
            }
}

static int32_t clamp_cell(double at, int32_t n) { return at < 1 ? 1 : at > n ? n : (int32_t)at; }

enum { WHOLE_FIXED = 1, WHOLE_MOVING = 2 };

static void mark_body(wind_state *s, const body_set *bodies, size_t body, uint16_t *owner) {
    mark_work w = {.s = s, .bodies = bodies, .body = body, .owner = owner, .distance = s->hat};
    bool fixed = owner == s->fixed_owner;
    w.near_body = fixed ? s->near_body : NULL;
    w.node = fixed ? s->fixed_node : s->node;
    w.whole = fixed ? WHOLE_FIXED : WHOLE_MOVING;
    double margin = w.near_body ? FLAKE_MARGIN : 0;
    firn_vec3 low, high;
    bool bounded = body_bounds(bodies, body, 0, &low, &high);
    const double from[3] = {low.x, low.y, low.z}, to[3] = {high.x, high.y, high.z};
    for (int d = 0; d < 3; d++) {
        w.low[d] = bounded ? clamp_cell(floor((from[d] - s->low[d]) / s->def.cell - margin), s->box.n[d]) : 1;
        w.high[d] = bounded ? clamp_cell(ceil((to[d] - s->low[d]) / s->def.cell + margin) + 1, s->box.n[d])
                            : s->box.n[d];
        double border = (margin + 1) * s->def.cell;
        if (bounded &&
            (to[d] + border < s->low[d] || from[d] - border > s->low[d] + s->box.n[d] * s->def.cell))
            return;
    }
    size_t first, end; // over ranks: near this one's
    wind_near_planes(s, WIND_BUILT_HALO - 1, w.low[2], w.high[2] + 1, &first, &end);
    const size_t low0 = (size_t)w.low[2];
    if (first < end) {
        par_for_part(first - low0, end - low0, 4, mark_planes, &w);
        par_for_part(first - low0, end - low0 + 1, 4, mark_nodes, &w);
        par_for_part(first - low0, end - low0, 4, mark_whole, &w);
    }
    if (!bounded) return;
    bool cross = wind_ranks_cross(s, w.low[2], w.high[2]);
    if (cross) wind_hand_up(s, owner, w.low[2], w.high[2], true);
    mark_thin(&w, w.low[2] < s->k0 ? s->k0 : w.low[2], w.high[2] < s->k1 ? w.high[2] : s->k1 - 1);
    if (cross) wind_hand_up(s, owner, w.low[2], w.high[2], false);
}

static void mark_bodies(wind_state *s, const body_set *bodies, bool fixed, uint16_t *owner) {
    for (size_t b = 0; b < body_count(bodies); b++)
        if ((body_motion(bodies, b) == FIRN_MOTION_FIXED) == fixed) mark_body(s, bodies, b, owner);
}

static uint8_t boundary_kind(const wind_state *s, int32_t i, int32_t j, int32_t k) {
    const int32_t *n = s->box.n;
    const bool on[SIDES] = {i == 0, i == n[0] + 1, j == 0, j == n[1] + 1, k == 0, k == n[2] + 1};
    for (int d = 0; d < SIDES; d++)
        if (on[d] && s->side[d] == SIDE_OPEN) return POISSON_OPEN;
    return POISSON_WALL;
}

// ---- Snow that stops the wind

static size_t columns(const wind_state *s) { return s->box.row * ((size_t)s->box.n[2] + 2); }

static bool is_buried(const wind_state *s, size_t a) {
    size_t layer = a % s->box.plane / s->box.row;
    return s->buried && layer > 0 && layer <= s->buried[a % s->box.row + a / s->box.plane * s->box.row];
}

bool wind_is_buried(const wind_state *s, size_t a) { return is_buried(s, a); }

bool wind_is_snow(const wind_state *s, size_t a) {
    return (s->cover.bank && s->cover.mass[a]) || is_buried(s, a);
}

typedef struct bury_work {
    wind_state *s;
    const void *context;
    float (*height)(const void *context, float x, float z);
} bury_work;

// 1: some column of these rows is another one now.
static double bury_rows(void *context, size_t begin, size_t end) {
    const bury_work *w = context;
    const wind_state *s = w->s;
    bool changed = false;
    for (size_t k = begin + 1; k <= end; k++)
        for (size_t i = 1; i <= (size_t)s->box.n[0]; i++) {
            float x = (float)(s->low[0] + ((double)i - 0.5) * s->def.cell);
            float z = (float)(s->low[2] + ((double)k - 0.5) * s->def.cell);
            double cells = ((double)w->height(w->context, x, z) - s->low[1]) / s->def.cell;
            uint16_t now = (uint16_t)fmin(fmax(floor(cells + 0.5), 0), s->box.n[1]);
            uint16_t *column = &s->buried[i + k * s->box.row];
            changed |= *column != now;
            *column = now;
        }
    return changed;
}

firn_status wind_set_heights(void *model, const void *context,
                             float (*height)(const void *context, float x, float z), double highest) {
    wind_state *s = model;
    if (s->around.outer) TRY(wind_set_heights(s->around.outer, context, height, highest));
    bool any = height && highest > s->low[1] + 0.5 * s->def.cell, changed = false;
    if (!any && !s->buried) return FIRN_OK;
    if (!s->buried) s->buried = mem_zero(columns(s), sizeof *s->buried);
    if (!s->buried) return fail_memory("burying cells of the wind", columns(s) * sizeof *s->buried);
    bury_work w = {s, context, height};
    if (any) changed = par_max((size_t)s->box.n[2], 8, bury_rows, &w) > 0;
    for (size_t i = 0; i < columns(s) && !any; i++) {
        changed |= s->buried[i] != 0;
        s->buried[i] = 0;
    }
    if (!changed) return FIRN_OK;
    s->stale = true;
    wind_find_cells(s, s->bodies);
    return FIRN_OK;
}

// ---- Cells

// Hash of all that decides which cells are closed.
static uint64_t hash_closed(const wind_state *s) {
    const wind_items own = wind_own_items(s, 0);
    const size_t size = own.end - own.first;
    uint64_t hash = hash64(s->owner + own.first, size * sizeof *s->owner, 0);
    if (s->moving)
        hash = hash64(s->node + own.first, size * sizeof *s->node, hash64(s->whole + own.first, size, hash));
    if (s->buried) hash = hash64(s->buried, columns(s) * sizeof *s->buried, hash);
    return hash;
}

static void set_kinds(void *context, size_t begin, size_t end) {
    const wind_state *s = context;
    const int32_t *n = s->box.n;
    for (int32_t k = (int32_t)begin; k < (int32_t)end; k++)
        for (int32_t j = 0; j <= n[1] + 1; j++)
            for (int32_t i = 0; i <= n[0] + 1; i++) {
                size_t a = poisson_at(&s->box, i, j, k);
                bool boundary = i == 0 || j == 0 || k == 0 || i > n[0] || j > n[1] || k > n[2];
                bool shut = s->whole[a] || is_buried(s, a) || (!boundary && wind_is_closed(s, i, j, k));
                s->kind[a] = boundary ? boundary_kind(s, i, j, k) : shut ? POISSON_WALL : POISSON_FREE;
            }
}

// Cells that are reached from `list` through air; `seen` marks them. Returns how many.
static size_t flood(const wind_state *s, uint32_t *list, size_t count, uint8_t *seen) {
    const size_t step[3] = {1, s->box.row, s->box.plane};
    const wind_items own = wind_own_items(s, 0);
    size_t reached = count;
    for (size_t done = 1; count > 0; done++) {
        size_t a = list[--count];
        if (done % (1 << 20) == 0 && wind_is_stopped(s)) break;
        for (int d = 0; d < 6; d++) {
            size_t b = d & 1 ? a + step[d / 2] : a - step[d / 2];
            if (b < own.first || b >= own.end) continue; // another rank's
            if (s->kind[b] != POISSON_FREE || seen[b] || !s->open[d / 2][d & 1 ? b : a]) continue;
            seen[b] = 1;
            list[count++] = (uint32_t)b;
            reached++;
        }
    }
    return reached;
}

// Air beside an opening, on `list`.
static size_t openings(const wind_state *s, uint32_t *list, uint8_t *seen) {
    const size_t step[3] = {1, s->box.row, s->box.plane};
    size_t count = 0;
    for (size_t a = (size_t)s->k0 * s->box.plane; a < (size_t)s->k1 * s->box.plane; a++) {
        if (s->kind[a] != POISSON_FREE) continue;
        bool open = false;
        for (int d = 0; d < 3; d++)
            open |= s->kind[a - step[d]] == POISSON_OPEN || s->kind[a + step[d]] == POISSON_OPEN;
        if (!open) continue;
        seen[a] = 1;
        list[count++] = (uint32_t)a;
    }
    return count;
}

// Air in the outermost planes of this rank that is reached from those of the ranks beside it, on `list`.
static size_t reached_from_others(const wind_state *s, uint32_t *list, uint8_t *seen) {
    const size_t plane = s->box.plane;
    size_t count = 0;
    wind_fill(s, 1, 1, seen, 1);
    for (int side = 0; side < 2; side++) {
        const size_t first = (size_t)(side ? s->k1 - 1 : s->k0) * plane;
        for (size_t a = first; a < first + plane; a++) {
            size_t b = side ? a + plane : a - plane;
            if (s->kind[a] != POISSON_FREE || seen[a] || !seen[b] || !s->open[2][side ? b : a]) continue;
            seen[a] = 1;
            list[count++] = (uint32_t)a;
        }
    }
    return count;
}

// Over ranks: as close_pockets. There is always an opening in a domain that can be divided.
static size_t close_pockets_together(wind_state *s) {
    const wind_items own = wind_own_items(s, 0), near = wind_own_items(s, 1);
    uint32_t *list = (uint32_t *)s->next[0] + own.first;
    uint8_t *seen = (uint8_t *)s->next[1];
    memset(seen + near.first, 0, near.end - near.first);
    size_t count = openings(s, list, seen), reached = 0;
    while (wind_largest(s, count > 0) > 0) {
        reached += flood(s, list, count, seen);
        count = reached_from_others(s, list, seen);
    }
    for (size_t a = own.first; a < own.end; a++)
        if (s->kind[a] == POISSON_FREE && !seen[a]) s->kind[a] = POISSON_WALL;
    wind_fill(s, s->ranks.reach, s->ranks.reach, s->kind, 1);
    return (size_t)wind_count(s, (double)reached);
}

// Air without an outflow is at rest: it counts as an obstacle. In a closed domain the largest room is kept.
static size_t close_pockets(wind_state *s) {
    if (wind_is_divided(s)) return close_pockets_together(s);
    uint32_t *list = (uint32_t *)s->next[0];
    uint8_t *seen = (uint8_t *)s->next[1];
    memset(seen, 0, s->box.size);
    size_t count = openings(s, list, seen), best = 0, start = 0;
    if (count == 0) {
        for (size_t a = 0; a < s->box.size; a++) {
            if (s->kind[a] != POISSON_FREE || seen[a]) continue;
            seen[a] = 1;
            list[0] = (uint32_t)a;
            size_t size = flood(s, list, 1, seen);
            if (wind_is_stopped(s)) break;
            if (size > best) best = size, start = a;
        }
        if (best == 0) return 0;
        memset(seen, 0, s->box.size);
        seen[start] = 1;
        list[0] = (uint32_t)start;
        count = 1;
    }
    size_t reached = flood(s, list, count, seen);
    for (size_t a = 0; a < s->box.size; a++)
        if (s->kind[a] == POISSON_FREE && !seen[a]) s->kind[a] = POISSON_WALL;
    return reached;
}

typedef struct apart_work {
    const poisson_box *box;
    const uint8_t *from;
    uint8_t *to;
    int axis;
    const wind_state *s;
} apart_work;

static void nearer(size_t n, uint8_t r, const uint8_t *restrict from, uint8_t *restrict to) {
    for (size_t i = 0; i < n; i++) {
        uint8_t there = from[i] > r ? from[i] : r;
        to[i] = there < to[i] ? there : to[i];
    }
}

// Distances along one axis more: the larger of those so far and of the distance along it.
static void nearer_planes(void *context, size_t begin, size_t end) {
    const apart_work *w = context;
    const int32_t *n = w->box->n;
    for (int32_t k = (int32_t)begin + 1; k <= (int32_t)end && !wind_is_stopped(w->s); k++)
        for (int32_t j = 1; j <= n[1]; j++) {
            size_t a = poisson_at(w->box, 1, j, k), length = (size_t)n[0];
            memcpy(w->to + a, w->from + a, length);
            for (int32_t r = 1; r < WIND_OBSTACLE_CELLS; r++) {
                int32_t at = w->axis == 1 ? j : k;
                size_t step = (size_t)r * (w->axis == 0 ? 1 : w->axis == 1 ? w->box->row : w->box->plane);
                if (w->axis == 0 && length > (size_t)r) {
                    nearer(length - (size_t)r, (uint8_t)r, w->from + a + r, w->to + a);
                    nearer(length - (size_t)r, (uint8_t)r, w->from + a, w->to + a + r);
                } else if (w->axis > 0) {
                    if (at > r) nearer(length, (uint8_t)r, w->from + a - step, w->to + a);
                    if (at + r <= n[w->axis]) nearer(length, (uint8_t)r, w->from + a + step, w->to + a);
                }
            }
        }
}

// Distance to obstacles; the domain's own walls do not count.
static void find_apart(wind_state *s) {
    uint8_t *one = s->obstacle_distance, *two = (uint8_t *)s->next[0];
    const wind_items near = wind_own_items(s, WIND_OBSTACLE_CELLS);
    for (size_t a = near.first; a < near.end; a++)
        two[a] = s->kind[a] == POISSON_WALL ? 0 : WIND_OBSTACLE_CELLS;
    memset(one + near.first, WIND_OBSTACLE_CELLS, near.end - near.first);
    for (int axis = 0; axis < 3; axis++) {
        size_t first, end;
        apart_work w = {&s->box, axis & 1 ? one : two, axis & 1 ? two : one, axis, s};
        wind_near_planes(s, axis < 2 ? WIND_OBSTACLE_CELLS : 0, 1, s->box.n[2] + 1, &first, &end);
        par_for_part(first - 1, end - 1, 4, nearer_planes, &w);
    }
}

static void clear_pressure(void *context, size_t begin, size_t end) {
    const wind_state *s = context;
    for (size_t a = begin; a < end; a++)
        if (s->kind[a] != POISSON_FREE) s->q[a] = 0;
}

static void find_owners(wind_state *s, const body_set *bodies) {
    const wind_items near = wind_own_items(s, WIND_BUILT_HALO);
    const size_t size = near.end - near.first;
    memcpy(s->owner + near.first, s->fixed_owner + near.first, size * sizeof *s->owner);
    if (s->node != s->fixed_node)
        memcpy(s->node + near.first, s->fixed_node + near.first, size * sizeof *s->node);
    if (s->moving) {
        for (size_t a = near.first; a < near.end; a++) s->whole[a] &= WHOLE_FIXED;
        mark_bodies(s, bodies, false, s->owner);
        wind_fill(s, WIND_BUILT_HALO, WIND_BUILT_HALO, s->owner, sizeof *s->owner);
        wind_fill(s, WIND_BUILT_HALO, WIND_BUILT_HALO, s->whole, 1);
    }
    if (s->cover.bank) banks_cut(s);
}

static void find_cells(wind_state *s) {
    size_t low, high;
    wind_open_faces(s);
    wind_near_planes(s, 4, 0, s->box.n[2] + 2, &low, &high);
    par_for_part(low, high, 4, set_kinds, s);
    s->free_cells = close_pockets(s);
}

void wind_find_cells(wind_state *s, const body_set *bodies) {
    find_owners(s, bodies);
    find_cells(s);
}

firn_status wind_find_obstacles(wind_state *s, const body_set *bodies, bool rebuild) {
    find_owners(s, bodies);
    uint64_t hash = hash_closed(s);
    bool same = hash == s->owner_hash;
    s->owner_hash = hash;
    if (!rebuild && wind_largest(s, !same) == 0) return FIRN_OK;
    find_cells(s);
    if (wind_is_stopped(s)) return stop_failed();
    if (s->free_cells == 0)
        return fail(FIRN_BAD_INPUT, "wind: bodies or snow fill the whole domain; no cell is left for air");
    TRY(wind_list_faces(s));
    find_apart(s);
    if (wind_is_stopped(s)) return stop_failed();
    TRY(poisson_set(s->solver, s->kind, (const uint8_t *const *)s->open));
    const wind_items own = wind_own_items(s, 0);
    par_for_part(own.first, own.end, 65536, clear_pressure, s);
    s->stale = false;
    return FIRN_OK;
}

firn_status wind_find_fixed(wind_state *s, const body_set *bodies) {
    mark_bodies(s, bodies, true, s->fixed_owner);
    wind_fill(s, WIND_BUILT_HALO, WIND_BUILT_HALO, s->fixed_owner, sizeof *s->fixed_owner);
    wind_fill(s, WIND_BUILT_HALO, WIND_BUILT_HALO, s->whole, 1);
    return wind_is_stopped(s) ? stop_failed() : FIRN_OK;
}
