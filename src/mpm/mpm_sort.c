// Blocks follow the snow. Every step each particle finds its block and the particles are listed block by
// block; every MPM_REORDER steps the arrays themselves are put into that order, so that a block's particles
// lie together in memory.
#include "mpm/mpm_tile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "par/par.h"

enum { PARTICLES_PER_TASK = 8192 };

static float kernel_offset(const mpm_state *s) { return s->def.kernel == FIRN_MPM_CUBIC ? 1.0f : 0.5f; }

// First kernel node of a particle.
static void first_node(const mpm_state *s, const float x[3], int32_t node[3]) {
    float per_cell = 1.0f / (float)s->def.cell, offset = kernel_offset(s);
    for (int a = 0; a < 3; a++) node[a] = (int32_t)floorf(x[a] * per_cell - offset);
}

static void block_of(const mpm_state *s, const float x[3], int32_t at[3]) {
    first_node(s, x, at);
    for (int a = 0; a < 3; a++) at[a] >>= 2;
}

static void find_blocks(void *context, size_t begin, size_t end) {
    mpm_state *s = context;
    const block_map *map = &s->grid.map;
    for (size_t i = begin; i < end; i++) {
        int32_t at[3];
        block_of(s, s->p.x[i], at);
        uint32_t slot = s->p.block[i];
        if (slot >= map->count || memcmp(map->at[slot], at, sizeof at) != 0)
            s->p.block[i] = block_map_find(map, at);
    }
}

// The particles that entered ground where no block was; few, so one after the other.
static firn_status add_missing_blocks(mpm_state *s) {
    for (size_t i = 0; i < s->p.count; i++) {
        if (s->p.block[i] != BLOCK_NONE) continue;
        int32_t at[3];
        block_of(s, s->p.x[i], at);
        TRY(block_map_add(&s->grid.map, at, &s->p.block[i]));
    }
    return FIRN_OK;
}

static firn_status reserve_blocks(mpm_grid *g) {
    size_t count = g->map.count;
    if (!array_reserve(&g->block, &g->capacity, count, sizeof *g->block) ||
        !array_reserve(&g->active, &g->active_capacity, count, sizeof *g->active) ||
        !array_reserve(&g->occupied, &g->occupied_capacity, count, sizeof *g->occupied))
        return fail_memory("growing the grid of mpm", count * sizeof *g->block);
    return FIRN_OK;
}

typedef struct morton_slot {
    uint64_t key;
    uint32_t slot;
} morton_slot;

static int compare_morton(const void *a, const void *b) {
    uint64_t p = ((const morton_slot *)a)->key, q = ((const morton_slot *)b)->key;
    return p < q ? -1 : p > q;
}

// Neighbouring blocks in neighbouring memory, and an order that does not know the past.
static firn_status sort_by_morton(const mpm_grid *g, uint32_t *slots, size_t count) {
    morton_slot *list = mem_alloc(count * sizeof *list);
    if (!list) return fail_memory("sorting the grid of mpm", count * sizeof *list);
    for (size_t i = 0; i < count; i++) list[i] = (morton_slot){block_morton(g->map.at[slots[i]]), slots[i]};
    qsort(list, count, sizeof *list, compare_morton);
    for (size_t i = 0; i < count; i++) slots[i] = list[i].slot;
    mem_free(list);
    return FIRN_OK;
}

static void neighbour(const int32_t at[3], int i, int sign, int32_t out[3]) {
    out[0] = at[0] + sign * (i >> 2 & 1);
    out[1] = at[1] + sign * (i >> 1 & 1);
    out[2] = at[2] + sign * (i & 1);
}

// The grid blocks under the tiles of the occupied ones.
static firn_status add_blocks_above(mpm_grid *g) {
    for (size_t i = 0; i < g->occupied_count; i++) {
        size_t before = g->map.count;
        uint32_t up[8];
        for (int k = 0; k < 8; k++) {
            int32_t at[3];
            neighbour(g->map.at[g->occupied[i]], k, 1, at);
            TRY(block_map_add(&g->map, at, &up[k]));
        }
        TRY(reserve_blocks(g));
        for (size_t k = before; k < g->map.count; k++) g->block[k] = (mpm_block){.tile = BLOCK_NONE};
        memcpy(g->block[g->occupied[i]].up, up, sizeof up);
    }
    return FIRN_OK;
}

static firn_status list_active(mpm_grid *g) {
    TRY(reserve_blocks(g));
    uint8_t *seen = mem_zero(g->map.count, 1);
    if (!seen) return fail_memory("listing the grid of mpm", g->map.count);
    g->active_count = 0;
    for (size_t i = 0; i < g->occupied_count; i++) {
        const mpm_block *b = &g->block[g->occupied[i]];
        for (int k = 0; k < 8; k++)
            if (!seen[b->up[k]]++) g->active[g->active_count++] = b->up[k];
    }
    mem_free(seen);
    return sort_by_morton(g, g->active, g->active_count);
}

static void link_down(void *context, size_t begin, size_t end) {
    mpm_grid *g = context;
    for (size_t i = begin; i < end; i++) {
        mpm_block *b = &g->block[g->active[i]];
        for (int k = 0; k < 8; k++) {
            int32_t at[3];
            neighbour(g->map.at[g->active[i]], k, -1, at);
            uint32_t slot = block_map_find(&g->map, at);
            b->down[k] = slot != BLOCK_NONE && g->block[slot].tile != BLOCK_NONE ? slot : BLOCK_NONE;
        }
    }
}

static firn_status reserve_order(mpm_grid *g, size_t count) {
    if (count <= g->order_capacity) return FIRN_OK;
    uint32_t **lists[] = {&g->order, &g->keys, &g->other_order, &g->other_keys};
    for (int i = 0; i < 4; i++) {
        mem_free(*lists[i]);
        *lists[i] = mem_alloc(count * sizeof(uint32_t));
    }
    g->order_capacity = g->order && g->keys && g->other_order && g->other_keys ? count : 0;
    return g->order_capacity ? FIRN_OK
                             : fail_memory("sorting the particles of mpm", 4 * count * sizeof(uint32_t));
}

static unsigned bits_for(size_t count) {
    unsigned bits = 1;
    while (bits < 32 && (size_t)1 << bits < count) bits++;
    return bits;
}

static void key_by_slot(void *context, size_t begin, size_t end) {
    mpm_state *s = context;
    for (size_t i = begin; i < end; i++) {
        s->grid.keys[i] = s->p.block[i];
        s->grid.order[i] = (uint32_t)i;
    }
}

// Runs of equal keys are the blocks' lists.
static firn_status list_by_block(mpm_state *s) {
    mpm_grid *g = &s->grid;
    size_t n = s->p.count;
    par_for(n, PARTICLES_PER_TASK, key_by_slot, s);
    TRY(par_sort(g->keys, g->order, g->other_keys, g->other_order, n, bits_for(g->map.count)));
    for (size_t i = 0; i < g->map.count; i++) g->block[i] = (mpm_block){.tile = BLOCK_NONE};
    g->occupied_count = 0;
    for (size_t i = 0; i < n; i++) {
        mpm_block *b = &g->block[g->keys[i]];
        if (b->count++ == 0) {
            b->first = (uint32_t)i;
            g->occupied[g->occupied_count++] = g->keys[i];
        }
    }
    TRY(sort_by_morton(g, g->occupied, g->occupied_count));
    for (size_t i = 0; i < g->occupied_count; i++) g->block[g->occupied[i]].tile = (uint32_t)i;
    return FIRN_OK;
}

// Blocks by Morton rank, cells within.
static void key_by_cell(void *context, size_t begin, size_t end) {
    mpm_state *s = context;
    for (size_t i = begin; i < end; i++) {
        int32_t node[3];
        first_node(s, s->p.x[i], node);
        uint32_t cell = (uint32_t)((node[0] & 3) << 4 | (node[1] & 3) << 2 | (node[2] & 3));
        s->grid.keys[i] = s->grid.block[s->p.block[i]].tile << 6 | cell;
        s->grid.order[i] = (uint32_t)i;
    }
}

typedef struct permutation {
    const uint32_t *order;
    const char *from;
    char *to;
    size_t item;
} permutation;

static void permute(void *context, size_t begin, size_t end) {
    const permutation *p = context;
    for (size_t i = begin; i < end; i++)
        memcpy(p->to + i * p->item, p->from + p->order[i] * p->item, p->item);
}

static void copy_back(void *context, size_t begin, size_t end) {
    const permutation *p = context;
    memcpy((char *)p->from + begin * p->item, p->to + begin * p->item, (end - begin) * p->item);
}

static firn_status reorder_particles(mpm_state *s) {
    mpm_grid *g = &s->grid;
    mpm_particles *p = &s->p;
    par_for(p->count, PARTICLES_PER_TASK, key_by_cell, s);
    TRY(par_sort(g->keys, g->order, g->other_keys, g->other_order, p->count,
                 bits_for(g->occupied_count << 6)));
    const permutation list[] = {
        {g->order, (char *)p->x, p->scratch, sizeof *p->x},
        {g->order, (char *)p->v, p->scratch, sizeof *p->v},
        {g->order, (char *)p->affine, p->scratch, sizeof *p->affine},
        {g->order, (char *)p->strain, p->scratch, sizeof *p->strain},
        {g->order, (char *)p->tau, p->scratch, sizeof *p->tau},
        {g->order, (char *)p->jp, p->scratch, sizeof *p->jp},
        {g->order, (char *)p->id, p->scratch, sizeof *p->id},
        {g->order, (char *)p->block, p->scratch, sizeof *p->block},
        {g->order, (char *)p->material, p->scratch, sizeof *p->material},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        par_for(p->count, PARTICLES_PER_TASK, permute, (void *)&list[i]);
        par_for(p->count, PARTICLES_PER_TASK, copy_back, (void *)&list[i]);
    }
    return list_by_block(s);
}

static firn_status reserve_grid(mpm_grid *g) {
    if (!array_reserve(&g->tiles, &g->tile_capacity, g->occupied_count, TILE_FLOATS * sizeof(float)) ||
        !array_reserve(&g->pace, &g->pace_capacity, g->occupied_count, sizeof *g->pace) ||
        !array_reserve(&g->nodes, &g->node_capacity, g->map.count, BLOCK_FLOATS * sizeof(float)))
        return fail_memory("growing the grid of mpm", g->map.count * BLOCK_FLOATS * sizeof(float));
    return FIRN_OK;
}

firn_status mpm_sort(mpm_state *s, uint64_t step) {
    mpm_grid *g = &s->grid;
    bool reorder = step % MPM_REORDER == 0;
    if (reorder) block_map_clear(&g->map); // blocks that the snow has left are forgotten
    TRY(reserve_order(g, s->p.count));
    par_for(s->p.count, PARTICLES_PER_TASK, find_blocks, s);
    TRY(add_missing_blocks(s));
    TRY(reserve_blocks(g));
    TRY(list_by_block(s));
    if (reorder) TRY(reorder_particles(s));
    TRY(add_blocks_above(g));
    TRY(list_active(g));
    par_for(g->active_count, 64, link_down, g);
    return reserve_grid(g);
}

void mpm_grid_free(mpm_grid *g) {
    block_map_free(&g->map);
    void *lists[] = {g->block, g->occupied, g->active, g->pace,        g->tiles,
                     g->nodes, g->order,    g->keys,   g->other_order, g->other_keys};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    *g = (mpm_grid){0};
}
