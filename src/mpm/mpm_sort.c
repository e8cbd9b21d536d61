// Sparse blocks follow the snow. In every step each particle finds its block and the particles are listed by
// block; every MPM_REORDER steps the arrays themselves are permuted into that order, so that the particles of
// a block are contiguous in memory. In between few particles change blocks: runs of particles with the same
// block are sorted, and existing blocks keep their links.
#include "mpm/mpm_patch.h"
#include "mpm/mpm_ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "par/par.h"

enum { PARTICLES_PER_TASK = 8192, RUNS_PER_TASK = 256 };

static int32_t floor_int(double a) {
    int32_t i = (int32_t)a;
    return i - ((double)i > a);
}

// First kernel node of a particle.
static void first_node(double per_cell, double offset, const double x[3], int32_t node[3]) {
    for (int a = 0; a < 3; a++) node[a] = floor_int(x[a] * per_cell - offset);
}

typedef struct block_search {
    mpm_state *s;
    double per_cell, offset;
} block_search;

static block_search block_search_of(mpm_state *s) {
    return (block_search){s, 1 / s->def.cell, s->def.kernel == FIRN_MPM_CUBIC ? 1.0 : 0.5};
}

static void block_of(const block_search *f, const double x[3], int32_t at[3]) {
    first_node(f->per_cell, f->offset, x, at);
    for (int a = 0; a < 3; a++) at[a] >>= 2;
}

// Whether that is surely the block of block_of; most particles stay in theirs.
static bool is_in(const block_search *f, const double x[3], const int32_t at[3]) {
    double from[3];
    for (int a = 0; a < 3; a++) from[a] = x[a] * f->per_cell - f->offset - BLOCK_EDGE * (double)at[a];
    double least = from[0] < from[1] ? from[0] : from[1], most = from[0] > from[1] ? from[0] : from[1];
    least = from[2] < least ? from[2] : least;
    most = from[2] > most ? from[2] : most;
    return least >= 0 && most < BLOCK_EDGE;
}

// Returns the number of particles without a block.
static double find_blocks(void *context, size_t begin, size_t end) {
    const block_search *f = context;
    mpm_state *s = f->s;
    const block_map *map = &s->grid.map;
    size_t missing = 0;
    for (size_t i = begin; i < end; i++) {
        uint32_t slot = s->p.block[i];
        if (slot < map->count && is_in(f, s->p.x[i], map->at[slot])) continue;
        int32_t at[3];
        block_of(f, s->p.x[i], at);
        s->p.block[i] = slot = block_map_find(map, at);
        missing += slot == BLOCK_NONE;
    }
    return (double)missing;
}

// Adds blocks for the particles without one, from `first` on; serial, because they are few.
static firn_status add_missing_blocks(block_search *f, size_t first) {
    mpm_state *s = f->s;
    for (size_t i = first; i < s->p.count; i++) {
        if (s->p.block[i] != BLOCK_NONE) continue;
        int32_t at[3];
        block_of(f, s->p.x[i], at);
        TRY(block_map_add(&s->grid.map, at, &s->p.block[i]));
    }
    return FIRN_OK;
}

static firn_status reserve_blocks(mpm_grid *g) {
    size_t count = g->map.count;
    if (!array_reserve(&g->block, &g->capacity, count, sizeof *g->block) ||
        !array_reserve(&g->morton, &g->morton_capacity, count, sizeof *g->morton) ||
        !array_reserve(&g->active, &g->active_capacity, count, sizeof *g->active) ||
        !array_reserve(&g->occupied, &g->occupied_capacity, count, sizeof *g->occupied))
        return fail_memory("growing the grid of mpm", count * sizeof *g->block);
    return FIRN_OK;
}

static int compare_morton(const void *a, const void *b) {
    uint64_t p = ((const mpm_morton_entry *)a)->key, q = ((const mpm_morton_entry *)b)->key;
    return p < q ? -1 : p > q;
}

// Registers new blocks of the map, without particles or links, in Morton order, so that the order does not
// depend on insertion history.
static firn_status register_new_blocks(mpm_grid *g) {
    size_t known = g->known, count = g->map.count;
    if (known == count) return FIRN_OK;
    TRY(reserve_blocks(g));
    mpm_morton_entry *fresh = mem_alloc((count - known) * sizeof *fresh);
    if (!fresh) return fail_memory("growing the grid of mpm", (count - known) * sizeof *fresh);
    for (size_t i = known; i < count; i++) {
        g->block[i] = (mpm_block){.patch = BLOCK_NONE};
        memset(g->block[i].below, 0xff, sizeof g->block[i].below);
        fresh[i - known] = (mpm_morton_entry){block_morton(g->map.at[i]), (uint32_t)i};
    }
    qsort(fresh, count - known, sizeof *fresh, compare_morton);
    for (size_t to = count, old = known, new = count - known; new > 0;) {
        bool from_old = old > 0 && g->morton[old - 1].key > fresh[new - 1].key;
        g->morton[--to] = from_old ? g->morton[--old] : fresh[--new];
    }
    mem_free(fresh);
    g->known = count;
    return FIRN_OK;
}

void mpm_clear_blocks(mpm_grid *g) {
    block_map_clear(&g->map);
    g->known = 0;
}

static void neighbour(const int32_t at[3], int i, int sign, int32_t out[3]) {
    out[0] = at[0] + sign * (i >> 2 & 1);
    out[1] = at[1] + sign * (i >> 1 & 1);
    out[2] = at[2] + sign * (i & 1);
}

// Links a block that has particles for the first time to the grid blocks under its patch.
static firn_status link_block(mpm_grid *g, uint32_t slot) {
    uint32_t up[8];
    for (int k = 0; k < 8; k++) {
        int32_t at[3];
        neighbour(g->map.at[slot], k, 1, at);
        TRY(block_map_add(&g->map, at, &up[k]));
    }
    TRY(register_new_blocks(g));
    memcpy(g->block[slot].up, up, sizeof up);
    for (int k = 0; k < 8; k++) g->block[up[k]].below[k] = slot;
    g->block[slot].linked = true;
    return FIRN_OK;
}

static firn_status link_blocks(mpm_grid *g) {
    for (size_t i = 0; i < g->occupied_count; i++)
        if (!g->block[g->occupied[i]].linked) TRY(link_block(g, g->occupied[i]));
    return FIRN_OK;
}

static void list_occupied(mpm_grid *g) {
    g->occupied_count = 0;
    for (size_t i = 0; i < g->known; i++) {
        mpm_block *b = &g->block[g->morton[i].slot];
        bool occupied = b->count + b->elsewhere > 0;
        b->patch = occupied ? (uint32_t)g->occupied_count : BLOCK_NONE;
        if (occupied) g->occupied[g->occupied_count++] = g->morton[i].slot;
    }
}

// Those under a patch of this rank: nodes elsewhere lack what other ranks add.
static void list_active(mpm_grid *g) {
    g->active_count = 0;
    for (size_t i = 0; i < g->known; i++) {
        mpm_block *b = &g->block[g->morton[i].slot];
        bool covered = false;
        for (int k = 0; k < 8; k++) {
            uint32_t slot = b->below[k];
            b->down[k] = slot != BLOCK_NONE && g->block[slot].patch != BLOCK_NONE ? slot : BLOCK_NONE;
            if (b->down[k] == BLOCK_NONE) continue;
            uint32_t patch = g->block[slot].patch;
            covered |= patch >= g->own_first && patch < g->own_end;
        }
        if (covered) g->active[g->active_count++] = g->morton[i].slot;
    }
}

static firn_status reserve_order(mpm_grid *g, size_t count) {
    if (count <= g->order_capacity) return FIRN_OK;
    mem_free(g->order);
    g->order = mem_alloc(count * sizeof *g->order);
    g->order_capacity = g->order ? count : 0;
    return g->order ? FIRN_OK : fail_memory("sorting mpm particles", count * sizeof *g->order);
}

static unsigned bits_for(size_t count) {
    unsigned bits = 1;
    while (bits < 32 && (size_t)1 << bits < count) bits++;
    return bits;
}

// Lists for sorting, in the scratch memory of the permutation.
typedef struct sort_lists {
    uint32_t *keys, *index, *other_keys, *other_index;
    uint32_t *first; // by run: its first particle; one more than there are runs
} sort_lists;

static sort_lists lists_in(const mpm_particles *p) {
    uint32_t *all = (uint32_t *)(void *)p->scratch;
    size_t n = p->capacity; // 4 n and n + 1: less than the nine per particle that are available
    return (sort_lists){all, all + n, all + 2 * n, all + 3 * n, all + 4 * n};
}

static size_t find_runs(const mpm_particles *p, sort_lists l) {
    size_t runs = 0;
    for (size_t i = 0; i < p->count; i++) {
        bool on = i > 0 && p->block[i] == p->block[i - 1];
        if (on && !(p->keyed && p->key[i] < p->key[i - 1])) continue;
        l.keys[runs] = p->block[i];
        l.index[runs] = (uint32_t)runs;
        l.first[runs++] = (uint32_t)i;
    }
    l.first[runs] = (uint32_t)p->count;
    return runs;
}

typedef struct run_writing {
    sort_lists l; // other_keys: where in `order` a run goes
    uint32_t *order;
} run_writing;

static void write_runs(void *context, size_t begin, size_t end) {
    const run_writing *w = context;
    for (size_t r = begin; r < end; r++) {
        uint32_t run = w->l.index[r], to = w->l.other_keys[r];
        for (uint32_t i = w->l.first[run]; i < w->l.first[run + 1]; i++) w->order[to++] = i;
    }
}

// Puts the particles of blocks in the order of their keys; they nearly are.
static void order_by_key(const mpm_state *s, const uint32_t *slot, size_t count) {
    const uint32_t *key = s->p.key;
    for (size_t i = 0; i < count; i++) {
        const mpm_block *b = &s->grid.block[slot[i]];
        uint32_t *list = s->grid.order + b->first;
        for (uint32_t k = 1; k < b->count; k++) {
            uint32_t particle = list[k], to = k;
            for (; to > 0 && key[list[to - 1]] > key[particle]; to--) list[to] = list[to - 1];
            list[to] = particle;
        }
    }
}

static firn_status list_by_block(mpm_state *s) {
    mpm_grid *g = &s->grid;
    TRY(reserve_order(g, s->p.capacity));
    sort_lists l = lists_in(&s->p);
    size_t runs = find_runs(&s->p, l);
    TRY(par_sort(l.keys, l.index, l.other_keys, l.other_index, runs, bits_for(g->map.count)));
    for (size_t i = 0; i < g->known; i++) g->block[i].count = g->block[i].elsewhere = 0;
    uint32_t to = 0;
    size_t mixed = 0; // blocks whose runs are not in the order of the keys
    for (size_t r = 0; r < runs; r++) {
        mpm_block *b = &g->block[l.keys[r]];
        uint32_t length = l.first[l.index[r] + 1] - l.first[l.index[r]];
        if (b->count == 0)
            b->first = to;
        else if (s->ranks && s->p.key[l.first[l.index[r]]] < s->p.key[l.first[l.index[r - 1] + 1] - 1])
            l.other_index[mixed++] = l.keys[r];
        l.other_keys[r] = to;
        b->count += length;
        to += length;
    }
    run_writing w = {l, g->order};
    par_for(runs, RUNS_PER_TASK, write_runs, &w);
    list_occupied(g);
    order_by_key(s, l.other_index, mixed);
    return FIRN_OK;
}

typedef struct cell_keys {
    block_search f;
    sort_lists l;
} cell_keys;

// Blocks by Morton rank, cells within; in the order of the list by block, so that particles of a cell keep
// theirs.
static void key_by_cell(void *context, size_t begin, size_t end) {
    const cell_keys *c = context;
    const mpm_state *s = c->f.s;
    for (size_t k = begin; k < end; k++) {
        int32_t node[3];
        uint32_t i = s->grid.order[k];
        first_node(c->f.per_cell, c->f.offset, s->p.x[i], node);
        uint32_t cell = (uint32_t)((node[0] & 3) << 4 | (node[1] & 3) << 2 | (node[2] & 3));
        c->l.keys[k] = s->grid.block[s->p.block[i]].patch << 6 | cell;
    }
}

typedef struct permutation {
    const uint32_t *order;
    const char *from;
    char *to;
    size_t item;
} permutation;

// The item size is a constant at the call, so that a copy is a few moves.
static inline void permute_items(const permutation *p, size_t begin, size_t end, size_t item) {
    for (size_t i = begin; i < end; i++) memcpy(p->to + i * item, p->from + p->order[i] * item, item);
}

static void permute(void *context, size_t begin, size_t end) {
    const permutation *p = context;
    switch (p->item) {
    case 4: permute_items(p, begin, end, 4); break;
    case 8: permute_items(p, begin, end, 8); break;
    case 12: permute_items(p, begin, end, 12); break;
    case 24: permute_items(p, begin, end, 24); break;
    case 36: permute_items(p, begin, end, 36); break;
    default: permute_items(p, begin, end, p->item);
    }
}

static void copy_back(void *context, size_t begin, size_t end) {
    const permutation *p = context;
    memcpy((char *)p->from + begin * p->item, p->to + begin * p->item, (end - begin) * p->item);
}

static firn_status reorder_particles(mpm_state *s) {
    mpm_grid *g = &s->grid;
    mpm_particles *p = &s->p;
    cell_keys c = {block_search_of(s), lists_in(p)};
    par_for(p->count, PARTICLES_PER_TASK, key_by_cell, &c);
    TRY(par_sort(c.l.keys, g->order, c.l.other_keys, c.l.other_index, p->count,
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
        {g->order, (char *)p->bond, p->scratch, sizeof *p->bond},
        {g->order, (char *)p->rest, p->scratch, sizeof *p->rest},
        {g->order, (char *)p->enthalpy, p->scratch, sizeof *p->enthalpy},
        {g->order, (char *)p->strength, p->scratch, sizeof *p->strength},
        {g->order, (char *)p->healed, p->scratch, sizeof *p->healed},
        {g->order, (char *)p->key, p->scratch, sizeof *p->key},
    };
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (!list[i].from) continue;
        par_for(p->count, PARTICLES_PER_TASK, permute, (void *)&list[i]);
        par_for(p->count, PARTICLES_PER_TASK, copy_back, (void *)&list[i]);
    }
    return FIRN_OK;
}

static firn_status reserve_grid(mpm_grid *g) {
    if (!array_reserve(&g->patches, &g->patch_capacity, g->occupied_count, PATCH_FLOATS * sizeof(float)) ||
        !array_reserve(&g->dt_limits, &g->dt_limits_capacity, g->occupied_count, sizeof *g->dt_limits) ||
        !array_reserve(&g->nodes, &g->node_capacity, g->map.count, BLOCK_FLOATS * sizeof(float)))
        return fail_memory("growing the grid of mpm", g->map.count * BLOCK_FLOATS * sizeof(float));
    return FIRN_OK;
}

static firn_status find_all_blocks(mpm_state *s) {
    block_search f = block_search_of(s);
    if (par_sum(s->p.count, PARTICLES_PER_TASK, find_blocks, &f) > 0) TRY(add_missing_blocks(&f, 0));
    return register_new_blocks(&s->grid);
}

// The particles of this rank, found anew. Those that arrive have no block yet.
static firn_status sort_over_ranks(mpm_state *s, bool reorder) {
    TRY(find_all_blocks(s));
    if (reorder || s->ranks->fresh)
        TRY(mpm_ranks_balance(s));
    else
        TRY(mpm_ranks_migrate(s));
    block_search f = block_search_of(s);
    TRY(add_missing_blocks(&f, s->p.count - s->ranks->arrived));
    TRY(register_new_blocks(&s->grid));
    if (!reorder) return FIRN_OK;
    TRY(list_by_block(s));
    TRY(reorder_particles(s));
    mpm_ranks_number(s);
    return FIRN_OK;
}

// Blocks around the own ones that other ranks have.
static firn_status add_halo(mpm_state *s) {
    TRY(mpm_ranks_find_halo(s));
    TRY(register_new_blocks(&s->grid));
    mpm_ranks_mark_halo(s);
    list_occupied(&s->grid);
    return FIRN_OK;
}

firn_status mpm_sort(mpm_state *s, uint64_t step) {
    mpm_grid *g = &s->grid;
    bool reorder = step % MPM_REORDER == 0;
    if (reorder || s->p.count == 0) mpm_clear_blocks(g); // also those that are empty now
    g->occupied_count = g->active_count = 0;
    g->own_first = g->own_end = 0;
    s->lone_count = 0;
    if (s->ranks) {
        TRY(sort_over_ranks(s, reorder));
    } else {
        if (s->p.count == 0) return FIRN_OK;
        TRY(find_all_blocks(s));
        if (reorder) {
            TRY(list_by_block(s));
            TRY(reorder_particles(s));
        }
    }
    TRY(list_by_block(s));
    if (s->ranks) TRY(add_halo(s));
    TRY(mpm_find_lone(s));
    TRY(link_blocks(g));
    TRY(mpm_ranks_find_own(s));
    list_active(g);
    return reserve_grid(g);
}

void mpm_grid_free(mpm_grid *g) {
    block_map_free(&g->map);
    void *lists[] = {g->block,     g->morton,  g->occupied, g->active,
                     g->dt_limits, g->patches, g->nodes,    g->order};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    *g = (mpm_grid){0};
}
