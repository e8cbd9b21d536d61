// Sorts points into cells; begin and end of each cell in the sorted order.
#include "grid/neighbours.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "par/par.h"

enum { BLOCK = 2048, MIN_CELLS = 64 };

void neighbour_grid_free(neighbour_grid *g) {
    void *lists[] = {g->begin, g->end, g->order, g->key, g->scratch_key, g->scratch_order};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    *g = (neighbour_grid){0};
}

typedef struct grid_work {
    neighbour_grid *g;
    const float *x;
    size_t stride;
} grid_work;

typedef struct cell_box {
    int32_t low[3], above[3]; // above: one more than the highest
    bool any;
} cell_box;

static void box_of_block(void *context, size_t begin, size_t end, void *partial) {
    const grid_work *w = context;
    cell_box *box = partial;
    for (size_t i = begin; i < end; i++) {
        for (int a = 0; a < 3; a++) {
            int32_t c = neighbour_cell(w->g, w->x[i * w->stride + (size_t)a]);
            if (!box->any || c < box->low[a]) box->low[a] = c;
            if (!box->any || c >= box->above[a]) box->above[a] = c + 1;
        }
        box->any = true;
    }
}

static void join_boxes(void *into, const void *from) {
    cell_box *a = into;
    const cell_box *b = from;
    if (!b->any) return;
    for (int k = 0; k < 3; k++) {
        if (!a->any || b->low[k] < a->low[k]) a->low[k] = b->low[k];
        if (!a->any || b->above[k] > a->above[k]) a->above[k] = b->above[k];
    }
    a->any = true;
}

static unsigned bits_for(uint64_t cells) {
    unsigned bits = 2;
    while (((uint64_t)1 << bits) < cells) bits++;
    return bits;
}

// As many cells as the points' bounding box, but not many more than points: beyond that the longest axis
// wraps around.
static void choose_size(neighbour_grid *g, const cell_box *box, size_t count) {
    unsigned bits[3], most = bits_for(4 * (uint64_t)count + MIN_CELLS);
    for (int a = 0; a < 3; a++) bits[a] = bits_for((uint64_t)((int64_t)box->above[a] - box->low[a]));
    while (bits[0] + bits[1] + bits[2] > most) {
        int longest = 0;
        for (int a = 1; a < 3; a++)
            if (bits[a] > bits[longest]) longest = a;
        bits[longest]--;
    }
    for (int a = 0; a < 3; a++) {
        assert(bits[a] < 32);
        g->size[a] = (uint32_t)1 << bits[a];
    }
    g->shift[0] = bits[0];
    g->shift[1] = bits[0] + bits[1];
    g->cells = (size_t)1 << (bits[0] + bits[1] + bits[2]);
}

static void key_block(void *context, size_t begin, size_t end) {
    grid_work *w = context;
    for (size_t i = begin; i < end; i++) {
        const float *p = w->x + i * w->stride;
        w->g->key[i] = neighbour_key(w->g, neighbour_cell(w->g, p[0]), neighbour_cell(w->g, p[1]),
                                     neighbour_cell(w->g, p[2]));
        w->g->order[i] = (uint32_t)i;
    }
}

static void mark_block(void *context, size_t begin, size_t end) {
    neighbour_grid *g = context;
    for (size_t i = begin; i < end; i++) {
        if (i == 0 || g->key[i - 1] != g->key[i]) g->begin[g->key[i]] = (uint32_t)i;
        if (i + 1 == g->count || g->key[i + 1] != g->key[i]) g->end[g->key[i]] = (uint32_t)i + 1;
    }
}

static firn_status reserve(neighbour_grid *g) {
    if (array_reserve(&g->begin, &g->cell_capacity[0], g->cells, sizeof *g->begin) &&
        array_reserve(&g->end, &g->cell_capacity[1], g->cells, sizeof *g->end) &&
        array_reserve(&g->order, &g->capacity[0], g->count, sizeof *g->order) &&
        array_reserve(&g->key, &g->capacity[1], g->count, sizeof *g->key) &&
        array_reserve(&g->scratch_key, &g->capacity[2], g->count, sizeof *g->key) &&
        array_reserve(&g->scratch_order, &g->capacity[3], g->count, sizeof *g->order))
        return FIRN_OK;
    return fail_memory("sorting points into cells", g->cells * sizeof *g->begin);
}

firn_status neighbour_grid_build(neighbour_grid *g, const float *x, size_t stride, size_t count,
                                 double cell) {
    grid_work work = {g, x, stride};
    g->inverse_cell = (float)(1 / cell);
    g->count = count;
    cell_box box = {0};
    TRY(par_reduce(count, BLOCK, sizeof box, box_of_block, join_boxes, &work, &box));
    choose_size(g, &box, count);
    TRY(reserve(g));
    par_for(count, BLOCK, key_block, &work);
    if (count > 0)
        TRY(par_sort(g->key, g->order, g->scratch_key, g->scratch_order, count,
                     g->shift[1] + bits_for(g->size[2])));
    memset(g->begin, 0, g->cells * sizeof *g->begin);
    memset(g->end, 0, g->cells * sizeof *g->end);
    par_for(count, BLOCK, mark_block, g);
    return FIRN_OK;
}

// ---- lists

void neighbour_lists_free(neighbour_lists *l) {
    mem_free(l->first);
    mem_free(l->index);
    *l = (neighbour_lists){0};
}

typedef struct list_work {
    neighbour_lists *l;
    const neighbour_grid *g;
    const float *x;
    size_t stride;
    float radius2;
    bool half, fill;
    neighbour_filter accept;
    void *context;
} list_work;

static uint32_t list_from_cell(const list_work *w, uint32_t i, uint32_t cell, uint32_t *to) {
    const float *p = w->x + i * w->stride;
    uint32_t found = 0;
    for (uint32_t k = w->g->begin[cell]; k < w->g->end[cell]; k++) {
        uint32_t j = w->g->order[k];
        if (j == i || (w->half && j < i)) continue;
        const float *o = w->x + j * w->stride;
        float dx = p[0] - o[0], dy = p[1] - o[1], dz = p[2] - o[2], d2 = dx * dx + dy * dy + dz * dz;
        if (!(d2 < w->radius2) || (w->accept && !w->accept(w->context, i, j, d2))) continue;
        if (to) to[found] = j;
        found++;
    }
    return found;
}

static void list_block(void *context, size_t begin, size_t end) {
    const list_work *w = context;
    for (size_t i = begin; i < end; i++) {
        const float *p = w->x + i * w->stride;
        int32_t cx = neighbour_cell(w->g, p[0]), cy = neighbour_cell(w->g, p[1]),
                cz = neighbour_cell(w->g, p[2]);
        uint32_t found = 0;
        for (int k = 0; k < 27; k++) {
            uint32_t cell = neighbour_key(w->g, cx + k % 3 - 1, cy + k / 3 % 3 - 1, cz + k / 9 - 1);
            found +=
                list_from_cell(w, (uint32_t)i, cell, w->fill ? w->l->index + w->l->first[i] + found : NULL);
        }
        if (!w->fill) w->l->first[i] = found;
    }
}

firn_status neighbour_lists_build(neighbour_lists *l, const neighbour_grid *g, const float *x, size_t stride,
                                  double radius, bool half, neighbour_filter accept, void *context) {
    return neighbour_lists_build_first(l, g, x, stride, radius, half, accept, context, g->count);
}

firn_status neighbour_lists_build_first(neighbour_lists *l, const neighbour_grid *g, const float *x,
                                        size_t stride, double radius, bool half, neighbour_filter accept,
                                        void *context, size_t points) {
    list_work work = {l, g, x, stride, (float)(radius * radius), half, false, accept, context};
    size_t n = g->count;
    l->count = 0;
    if (!array_reserve(&l->first, &l->first_capacity, n + 1, sizeof *l->first))
        return fail_memory("listing neighbours", n * sizeof *l->first);
    memset(l->first, 0, (n + 1) * sizeof *l->first);
    par_for(points, BLOCK / 8, list_block, &work);
    uint32_t total;
    TRY(par_scan(l->first, l->first, n + 1, &total));
    if (!array_reserve(&l->index, &l->index_capacity, (size_t)total + 1, sizeof *l->index))
        return fail_memory("listing neighbours", total * sizeof *l->index);
    work.fill = true;
    par_for(points, BLOCK / 8, list_block, &work);
    l->count = n;
    return FIRN_OK;
}

// ---- colours

void neighbour_colours_free(neighbour_colours *c) {
    mem_free(c->block);
    mem_free(c->point);
    *c = (neighbour_colours){0};
}

// Adds the points of the block at (x, y, z), counted in blocks, to the list.
static size_t add_block_points(neighbour_colours *c, const neighbour_grid *g, const int32_t at[3], size_t n) {
    for (int k = 0; k < 8; k++) {
        uint32_t cell =
            neighbour_key(g, 2 * at[0] + (k & 1), 2 * at[1] + (k >> 1 & 1), 2 * at[2] + (k >> 2 & 1));
        size_t more = g->end[cell] - g->begin[cell];
        if (more > 0) memcpy(c->point + n, g->order + g->begin[cell], more * sizeof *c->point);
        n += more;
    }
    return n;
}

static size_t add_colour(neighbour_colours *c, const neighbour_grid *g, int colour, size_t blocks,
                         size_t *points) {
    const int32_t size[3] = {(int32_t)g->size[0] / 2, (int32_t)g->size[1] / 2, (int32_t)g->size[2] / 2};
    for (int32_t z = colour >> 2 & 1; z < size[2]; z += 2)
        for (int32_t y = colour >> 1 & 1; y < size[1]; y += 2)
            for (int32_t x = colour & 1; x < size[0]; x += 2) {
                size_t after = add_block_points(c, g, (int32_t[3]){x, y, z}, *points);
                if (after > *points) c->block[blocks++] = (uint32_t)*points;
                *points = after;
            }
    return blocks;
}

firn_status neighbour_colours_build(neighbour_colours *c, const neighbour_grid *g) {
    size_t most = g->count < g->cells / 8 ? g->count : g->cells / 8;
    if (!array_reserve(&c->block, &c->block_capacity, most + 1, sizeof *c->block) ||
        !array_reserve(&c->point, &c->point_capacity, g->count + 1, sizeof *c->point))
        return fail_memory("colouring cells", g->count * sizeof *c->point);
    size_t blocks = 0, points = 0;
    for (int colour = 0; colour < 8; colour++) {
        c->colour[colour] = (uint32_t)blocks;
        blocks = add_colour(c, g, colour, blocks, &points);
    }
    c->colour[8] = (uint32_t)blocks;
    c->block[blocks] = (uint32_t)points;
    return FIRN_OK;
}

typedef struct colour_work {
    const neighbour_colours *c;
    size_t first;
    void (*fn)(void *context, const uint32_t *points, size_t n);
    void *context;
} colour_work;

static void run_blocks(void *context, size_t begin, size_t end) {
    const colour_work *w = context;
    for (size_t i = w->first + begin; i < w->first + end; i++)
        w->fn(w->context, w->c->point + w->c->block[i], w->c->block[i + 1] - w->c->block[i]);
}

void neighbour_colours_run(const neighbour_colours *c,
                           void (*fn)(void *context, const uint32_t *points, size_t n), void *context) {
    for (int k = 0; k < 8; k++) {
        colour_work work = {c, c->colour[k], fn, context};
        par_for(c->colour[k + 1] - c->colour[k], 16, run_blocks, &work);
    }
}
