// Finds the bricks that particles touch and sorts the particles into them.
#include "geom/surface_bricks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "par/par.h"

enum { BLOCK = 8192 };

// Where the points are on the grid.
typedef struct placing {
    surface_bricks *bricks;
    int32_t (*node)[3]; // by point of the input; INT32_MIN: passed over
    uint32_t *owner;    // number of its brick in the map; BLOCK_NONE: passed over
    uint32_t *need;     // by number in the map: which neighbours its points reach, one bit each of NEAR
    size_t need_capacity;
} placing;

static void place_range(void *context, size_t begin, size_t end) {
    const placing *p = context;
    const isosurface_input *in = p->bricks->in;
    double limit = (double)(BLOCK_LIMIT - 4) * BRICK_EDGE / 2;
    for (size_t i = begin; i < end; i++) {
        bool good = true;
        for (int k = 0; k < 3; k++) {
            double cells = (double)in->at[i][k] / p->bricks->cell;
            if (!(fabs(cells) < limit)) {
                good = false;
                continue;
            }
            p->node[i][k] = (int32_t)floor(cells);
        }
        if (!good) p->node[i][0] = INT32_MIN;
    }
}

// Bits of the bricks that a point at `node` reaches: its blob, and one node more before it, for the cells and
// edges that begin there.
static uint32_t reached(const int32_t node[3]) {
    int low[3], high[3];
    for (int k = 0; k < 3; k++) {
        int at = node[k] & (BRICK_EDGE - 1);
        low[k] = at - SURFACE_SUPPORT < 0 ? -1 : 0;
        high[k] = at + SURFACE_SUPPORT >= BRICK_EDGE ? 1 : 0;
    }
    uint32_t bits = 0;
    for (int z = low[2]; z <= high[2]; z++)
        for (int y = low[1]; y <= high[1]; y++)
            for (int x = low[0]; x <= high[0]; x++) bits |= 1u << (9 * (z + 1) + 3 * (y + 1) + x + 1);
    return bits;
}

static void near_at(const int32_t at[3], int which, int32_t out[3]) {
    out[0] = at[0] + which % 3 - 1;
    out[1] = at[1] + which / 3 % 3 - 1;
    out[2] = at[2] + which / 9 - 1;
}

static firn_status find_own_bricks(placing *p) {
    surface_bricks *t = p->bricks;
    int32_t last[3] = {INT32_MIN, 0, 0};
    uint32_t slot = BLOCK_NONE;
    for (size_t i = 0; i < t->in->count; i++) {
        p->owner[i] = BLOCK_NONE;
        if (p->node[i][0] == INT32_MIN) continue;
        int32_t at[3];
        for (int k = 0; k < 3; k++) at[k] = p->node[i][k] >> BRICK_BITS;
        if (memcmp(at, last, sizeof at) != 0) { // particles mostly come in the order of their places
            size_t before = t->map.count;
            TRY(block_map_add(&t->map, at, &slot));
            memcpy(last, at, sizeof at);
            if (!array_reserve(&p->need, &p->need_capacity, t->map.count, sizeof *p->need))
                return fail_memory("finding a surface", t->map.count * sizeof *p->need);
            if (t->map.count > before) p->need[slot] = 0;
        }
        p->owner[i] = slot;
        p->need[slot] |= reached(p->node[i]);
        t->points++;
    }
    return FIRN_OK;
}

static firn_status find_neighbour_bricks(placing *p) {
    surface_bricks *t = p->bricks;
    size_t own = t->map.count;
    for (size_t s = 0; s < own; s++)
        for (int n = 0; n < NEAR; n++) {
            if (!(p->need[s] >> n & 1)) continue;
            int32_t at[3];
            uint32_t slot;
            near_at(t->map.at[s], n, at);
            TRY(block_map_add(&t->map, at, &slot));
        }
    return FIRN_OK;
}

typedef struct brick_place {
    int32_t at[3];
    uint32_t slot;
} brick_place;

static int compare_places(const void *a, const void *b) {
    const int32_t *p = ((const brick_place *)a)->at, *q = ((const brick_place *)b)->at;
    for (int k = 2; k >= 0; k--)
        if (p[k] != q[k]) return p[k] < q[k] ? -1 : 1;
    return 0;
}

// In order of their places, so that the mesh does not depend on the order in which bricks were met.
static firn_status order_bricks(surface_bricks *t) {
    t->count = t->map.count;
    brick_place *places = mem_alloc(t->count * sizeof *places);
    t->at = mem_alloc(t->count * sizeof *t->at);
    t->rank = mem_alloc(t->count * sizeof *t->rank);
    t->near = mem_alloc(t->count * sizeof *t->near);
    t->first = mem_zero(t->count + 2, sizeof *t->first);
    t->density = mem_alloc(t->count * sizeof *t->density);
    bool full = places && t->at && t->rank && t->near && t->first && t->density;
    for (size_t i = 0; i < t->count && full; i++) {
        memcpy(places[i].at, t->map.at[i], sizeof places[i].at);
        places[i].slot = (uint32_t)i;
    }
    if (full) qsort(places, t->count, sizeof *places, compare_places);
    for (size_t i = 0; i < t->count && full; i++) {
        memcpy(t->at[i], places[i].at, sizeof t->at[i]);
        t->rank[places[i].slot] = (uint32_t)i;
    }
    mem_free(places);
    return full ? FIRN_OK
                : fail_memory("finding a surface", t->count * (sizeof *t->density + sizeof *t->near));
}

static void find_near(void *context, size_t begin, size_t end) {
    surface_bricks *t = context;
    for (size_t i = begin; i < end; i++)
        for (int n = 0; n < NEAR; n++) {
            int32_t at[3];
            near_at(t->at[i], n, at);
            uint32_t slot = block_map_find(&t->map, at);
            t->near[i][n] = slot == BLOCK_NONE ? BLOCK_NONE : t->rank[slot];
        }
}

// A counting sort by brick; within a brick the input's order stays.
static firn_status list_points(placing *p) {
    surface_bricks *t = p->bricks;
    t->point = mem_alloc(t->points * sizeof *t->point);
    t->number = mem_alloc(t->points * sizeof *t->number);
    if (!t->point || !t->number)
        return fail_memory("finding a surface", t->points * (sizeof *t->point + sizeof *t->number));
    uint32_t *next = t->first + 1; // ends up as the start of the following brick
    for (size_t i = 0; i < t->in->count; i++)
        if (p->owner[i] != BLOCK_NONE) next[t->rank[p->owner[i]] + 1]++;
    for (size_t i = 1; i <= t->count; i++) next[i] += next[i - 1];
    for (size_t i = 0; i < t->in->count; i++) {
        if (p->owner[i] == BLOCK_NONE) continue;
        uint32_t brick = t->rank[p->owner[i]], to = next[brick]++;
        t->number[to] = (uint32_t)i;
        t->point[to].weight = 1;
        for (int k = 0; k < 3; k++)
            t->point[to].at[k] =
                (float)((double)t->in->at[i][k] / t->cell - (double)t->at[brick][k] * BRICK_EDGE);
    }
    return FIRN_OK;
}

static firn_status build(placing *p) {
    surface_bricks *t = p->bricks;
    size_t count = t->in->count;
    p->node = mem_alloc(count * sizeof *p->node);
    p->owner = mem_alloc(count * sizeof *p->owner);
    if (!p->node || !p->owner) return fail_memory("finding a surface", count * 16);
    par_for(count, BLOCK, place_range, p);
    TRY(find_own_bricks(p));
    TRY(find_neighbour_bricks(p));
    TRY(order_bricks(t));
    par_for(t->count, 64, find_near, t);
    return list_points(p);
}

firn_status surface_bricks_build(const isosurface_input *in, surface_bricks *out) {
    *out = (surface_bricks){.in = in, .cell = in->cell > 0 ? in->cell : in->spacing};
    placing p = {.bricks = out};
    firn_status status = build(&p);
    mem_free(p.node);
    mem_free(p.owner);
    mem_free(p.need);
    if (status != FIRN_OK) surface_bricks_free(out);
    return status;
}

void surface_bricks_free(surface_bricks *t) {
    block_map_free(&t->map);
    mem_free(t->rank);
    mem_free(t->at);
    mem_free(t->near);
    mem_free(t->first);
    mem_free(t->point);
    mem_free(t->number);
    mem_free(t->density);
    *t = (surface_bricks){0};
}
