// Who has which particles and blocks: shares, migration, the halo, and all particles on rank 0.
#include "mpm/mpm_ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/model.h"
#include "mpm/mpm_patch.h"

// ---- particles in messages

void mpm_ranks_columns(const mpm_particles *p, mpm_column out[MPM_COLUMNS]) {
    const mpm_column all[MPM_COLUMNS] = {
        {(char *)p->key, sizeof *p->key},       {(char *)p->x, sizeof *p->x},
        {(char *)p->v, sizeof *p->v},           {(char *)p->affine, sizeof *p->affine},
        {(char *)p->tau, sizeof *p->tau},       {(char *)p->material, sizeof *p->material},
        {(char *)p->strain, sizeof *p->strain}, {(char *)p->jp, sizeof *p->jp},
        {(char *)p->id, sizeof *p->id},         {(char *)p->bond, sizeof *p->bond},
    };
    memcpy(out, all, sizeof all);
}

static size_t particle_bytes(const mpm_particles *p) {
    mpm_column list[MPM_COLUMNS];
    size_t bytes = 0;
    mpm_ranks_columns(p, list);
    for (int c = 0; c < MPM_COLUMNS; c++) bytes += list[c].item;
    return bytes;
}

static void pack(const mpm_particles *p, const uint32_t *index, size_t count, net_buffer *out) {
    mpm_column list[MPM_COLUMNS];
    mpm_ranks_columns(p, list);
    for (int c = 0; c < MPM_COLUMNS && count > 0; c++) {
        size_t item = list[c].item;
        char *to = net_buffer_room(out, count * item);
        for (size_t i = 0; i < count; i++) memcpy(to + i * item, list[c].data + index[i] * item, item);
    }
}

// They become particles first, first + 1, ...
static void unpack(mpm_particles *p, size_t first, size_t count, const char *from) {
    mpm_column list[MPM_COLUMNS];
    mpm_ranks_columns(p, list);
    for (int c = 0; c < MPM_COLUMNS; c++) {
        size_t item = list[c].item;
        memcpy(list[c].data + first * item, from, count * item);
        from += count * item;
    }
}

void mpm_ranks_add_index(mpm_index_list *list, size_t i) {
    if (!array_reserve(&list->item, &list->capacity, list->count + 1, sizeof *list->item))
        net_abort("out of memory for particles that move to other ranks");
    list->item[list->count++] = (uint32_t)i;
}

// ---- who has which block

// The last rank whose blocks begin there or before.
static uint32_t owner_of(const mpm_ranks *k, uint64_t key) {
    size_t low = 0, high = net_count();
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (k->cuts[middle] <= key)
            low = middle;
        else
            high = middle;
    }
    return (uint32_t)low;
}

bool mpm_is_own(const mpm_state *s, uint32_t slot) {
    return !s->ranks || owner_of(s->ranks, block_morton(s->grid.map.at[slot])) == net_rank();
}

static void find_rim(const mpm_ranks *k, const int32_t at[3], mpm_rim *rim) {
    *rim = (mpm_rim){.owner = owner_of(k, block_morton(at))};
    for (int i = 0; i < 27; i++) {
        uint32_t there = owner_of(
            k, block_morton((int32_t[3]){at[0] + i / 9 - 1, at[1] + i / 3 % 3 - 1, at[2] + i % 3 - 1}));
        bool known = there == rim->owner;
        for (uint32_t n = 0; n < rim->count; n++) known |= rim->other[n] == there;
        if (!known) rim->other[rim->count++] = there;
    }
}

mpm_rim mpm_ranks_rim(const mpm_state *s, uint32_t slot) {
    mpm_rim rim;
    if (slot < s->ranks->known) return s->ranks->rim[slot];
    find_rim(s->ranks, s->grid.map.at[slot], &rim);
    return rim;
}

static firn_status find_rims(mpm_state *s) {
    mpm_ranks *k = s->ranks;
    size_t count = s->grid.map.count;
    if (k->known > count) k->known = 0; // the blocks are new
    if (!array_reserve(&k->rim, &k->rim_capacity, count, sizeof *k->rim))
        return fail_memory("dividing the grid of mpm", count * sizeof *k->rim);
    for (; k->known < count; k->known++) find_rim(k, s->grid.map.at[k->known], &k->rim[k->known]);
    return FIRN_OK;
}

firn_status mpm_ranks_find_own(mpm_state *s) {
    mpm_grid *g = &s->grid;
    mpm_ranks *k = s->ranks;
    size_t first = 0, end = g->occupied_count;
    while (k && first < end && !mpm_is_own(s, g->occupied[first])) first++;
    while (k && end > first && !mpm_is_own(s, g->occupied[end - 1])) end--;
    g->own_first = first, g->own_end = end;
    if (!k) return FIRN_OK;
    if (!array_reserve(&k->edge, &k->edge_capacity, end, sizeof *k->edge))
        return fail_memory("dividing the grid of mpm", end * sizeof *k->edge);
    for (size_t i = first; i < end; i++) k->edge[i] = mpm_ranks_rim(s, g->occupied[i]).count > 0;
    return FIRN_OK;
}

// ---- migration

// Lists who goes where, at most so many; those that leave in s->leaving.
static firn_status sort_out(mpm_state *s, size_t most, size_t *leaving) {
    mpm_ranks *k = s->ranks;
    uint32_t me = (uint32_t)net_rank(), owner = me;
    for (size_t r = 0; r < net_count(); r++) k->migrants[r].count = 0;
    *leaving = 0;
    for (size_t i = 0; i < s->p.count && *leaving < most; i++) {
        uint32_t block = s->p.block[i]; // none: it has just come
        if (i == 0 || block != s->p.block[i - 1]) owner = block == BLOCK_NONE ? me : k->rim[block].owner;
        if (owner == me) continue;
        mpm_ranks_add_index(&k->migrants[owner], i);
        if (!array_reserve(&s->leaving, &s->leaving_capacity, *leaving + 1, sizeof *s->leaving))
            return fail_memory("moving mpm particles to other ranks", (*leaving + 1) * sizeof *s->leaving);
        s->leaving[(*leaving)++] = (uint32_t)i;
    }
    return FIRN_OK;
}

// Sends at most so many.
static firn_status migrate(mpm_state *s, size_t most, size_t *leaving) {
    mpm_ranks *k = s->ranks;
    TRY(sort_out(s, most, leaving));
    for (size_t r = 0; r < net_count(); r++) {
        k->out[r].bytes = 0;
        pack(&s->p, k->migrants[r].item, k->migrants[r].count, &k->out[r]);
    }
    mpm_close_gaps(&s->p, s->leaving, *leaving);
    net_exchange(k->out, k->in);
    k->arrived = s->p.count;
    for (size_t r = 0; r < net_count(); r++) {
        size_t first = s->p.count, count = k->in[r].bytes / particle_bytes(&s->p);
        TRY(mpm_reserve(&s->p, first + count));
        if (count > 0) unpack(&s->p, first, count, k->in[r].data);
        for (size_t i = 0; i < count; i++) s->p.block[first + i] = BLOCK_NONE;
        s->p.count += count;
    }
    k->arrived = s->p.count - k->arrived;
    return FIRN_OK;
}

firn_status mpm_ranks_migrate(mpm_state *s) {
    size_t leaving;
    TRY(find_rims(s));
    TRY(migrate(s, SIZE_MAX, &leaving));
    s->ranks->stepped += s->p.count;
    return FIRN_OK;
}

// After a cut, when many leave: messages of a few megabytes at a time.
static firn_status migrate_many(mpm_state *s) {
    enum { AT_ONCE = 1 << 15 };
    size_t leaving, rounds = 0;
    TRY(find_rims(s));
    do {
        TRY(migrate(s, AT_ONCE, &leaving));
        rounds++;
    } while (mpm_ranks_any(s, leaving == AT_ONCE));
    if (rounds > 1) s->ranks->arrived = s->p.count; // anywhere among the others
    s->ranks->stepped += s->p.count;
    return FIRN_OK;
}

// ---- the halo

typedef struct halo_note {
    int32_t at[3];
    uint32_t particles;
} halo_note;

static firn_status add_halo(mpm_halo **list, size_t *count, size_t *capacity, size_t rank, uint32_t slot) {
    if (!array_reserve(list, capacity, *count + 1, sizeof **list))
        return fail_memory("dividing the grid of mpm", (*count + 1) * sizeof **list);
    (*list)[(*count)++] = (mpm_halo){(uint32_t)rank, slot};
    return FIRN_OK;
}

static firn_status list_own_halo(mpm_state *s) {
    mpm_ranks *k = s->ranks;
    const mpm_grid *g = &s->grid;
    k->own_halos = 0;
    for (size_t r = 0; r < net_count(); r++) k->out[r].bytes = 0;
    for (size_t i = 0; i < g->occupied_count; i++) {
        uint32_t slot = g->occupied[i];
        const mpm_rim *rim = &k->rim[slot];
        halo_note note = {.particles = g->block[slot].count};
        memcpy(note.at, g->map.at[slot], sizeof note.at);
        for (uint32_t n = 0; n < rim->count; n++) {
            TRY(add_halo(&k->own_halo, &k->own_halos, &k->own_halo_capacity, rim->other[n], slot));
            net_buffer_add(&k->out[rim->other[n]], &note, sizeof note);
        }
    }
    return FIRN_OK;
}

firn_status mpm_ranks_find_halo(mpm_state *s) {
    mpm_ranks *k = s->ranks;
    TRY(find_rims(s));
    TRY(list_own_halo(s));
    net_exchange(k->out, k->in);
    k->halos = 0;
    for (size_t r = 0; r < net_count(); r++)
        for (size_t at = 0; at < k->in[r].bytes; at += sizeof(halo_note)) {
            const halo_note *note = (const halo_note *)(const void *)(k->in[r].data + at);
            uint32_t slot;
            TRY(block_map_add(&s->grid.map, note->at, &slot));
            TRY(add_halo(&k->halo, &k->halos, &k->halo_capacity, r, slot));
        }
    return FIRN_OK;
}

void mpm_ranks_mark_halo(mpm_state *s) {
    mpm_ranks *k = s->ranks;
    size_t n = 0;
    for (size_t r = 0; r < net_count(); r++)
        for (size_t at = 0; at < k->in[r].bytes; at += sizeof(halo_note))
            s->grid.block[k->halo[n++].slot].elsewhere =
                ((const halo_note *)(const void *)(k->in[r].data + at))->particles;
}

void mpm_ranks_send_patches(mpm_state *s) {
    mpm_ranks *k = s->ranks;
    const mpm_grid *g = &s->grid;
    size_t bytes = mpm_ranks_patch_bytes(s);
    for (size_t r = 0; r < net_count(); r++) k->out[r].bytes = k->in[r].bytes = 0;
    for (size_t n = 0; n < k->own_halos; n++) {
        uint32_t patch = g->block[k->own_halo[n].slot].patch;
        char *room = net_buffer_room(&k->out[k->own_halo[n].rank], bytes);
        if (patch == BLOCK_NONE) // of a lone particle
            memset(room, 0, bytes);
        else
            mpm_ranks_pack_patch(s, g->patches + (size_t)patch * PATCH_FLOATS, room);
    }
    for (size_t n = 0; n < k->halos; n++) k->in[k->halo[n].rank].bytes += bytes;
    net_start_known(k->out, k->in);
}

void mpm_ranks_receive_patches(mpm_state *s) {
    mpm_ranks *k = s->ranks;
    const mpm_grid *g = &s->grid;
    size_t bytes = mpm_ranks_patch_bytes(s);
    net_finish();
    for (size_t r = 0; r < net_count(); r++) k->in[r].bytes = 0; // read up to there
    for (size_t n = 0; n < k->halos; n++) {
        net_buffer *in = &k->in[k->halo[n].rank];
        uint32_t patch = g->block[k->halo[n].slot].patch;
        if (patch != BLOCK_NONE) {
            float *to = g->patches + (size_t)patch * PATCH_FLOATS;
            memset(to, 0, PATCH_FLOATS * sizeof *to);
            mpm_ranks_unpack_patch(s, in->data + in->bytes, to);
        }
        in->bytes += bytes;
    }
}

// The nodes that stencils of the block's particles have.
static size_t patch_edge(const mpm_state *s) {
    return s->def.kernel == FIRN_MPM_CUBIC ? PATCH_EDGE : PATCH_EDGE - 1;
}

size_t mpm_ranks_patch_bytes(const mpm_state *s) {
    size_t edge = patch_edge(s);
    return edge * edge * edge * 4 * sizeof(float);
}

void mpm_ranks_pack_patch(const mpm_state *s, const float *patch, char *to) {
    size_t edge = patch_edge(s), row = edge * 4 * sizeof(float);
    for (size_t x = 0; x < edge; x++)
        for (size_t y = 0; y < edge; y++, to += row)
            memcpy(to, patch + (x * PATCH_EDGE + y) * PATCH_ROW, row);
}

void mpm_ranks_unpack_patch(const mpm_state *s, const char *from, float *patch) {
    size_t edge = patch_edge(s), row = edge * 4 * sizeof(float);
    for (size_t x = 0; x < edge; x++)
        for (size_t y = 0; y < edge; y++, from += row)
            memcpy(patch + (x * PATCH_EDGE + y) * PATCH_ROW, from, row);
}

// ---- balance

typedef struct block_load {
    uint64_t key;
    double cost;
} block_load;

static int compare_loads(const void *a, const void *b) {
    uint64_t p = ((const block_load *)a)->key, q = ((const block_load *)b)->key;
    return p < q ? -1 : p > q;
}

// loads: sorted; a block may be there several times.
static void cut(mpm_ranks *k, const block_load *loads, size_t count) {
    size_t ranks = net_count(), r = 1;
    double before = 0, all = 0;
    for (size_t i = 0; i < count; i++) all += loads[i].cost;
    for (size_t i = 0; i < count; before += loads[i++].cost)
        while (r < ranks && (i == 0 || loads[i].key != loads[i - 1].key) &&
               before * (double)ranks >= (double)r * all)
            k->cuts[r++] = loads[i].key;
    while (r <= ranks) k->cuts[r++] = UINT64_MAX;
}

// What a particle of this rank has cost since the last cut, relative to the mean of all ranks. Contacts make
// it more. It is measured, and differs from run to run; no bit depends on where the cuts are.
static double cost_of_particle(mpm_ranks *k) {
    double own[2] = {k->cpu, (double)k->stepped}, all[2] = {0, 0};
    net_gather_all(own, sizeof own, &k->joined, NULL);
    const double *of = (const double *)(const void *)k->joined.data;
    for (size_t r = 0; r < net_count(); r++) all[0] += of[2 * r], all[1] += of[2 * r + 1];
    k->cpu = 0, k->stepped = 0;
    if (!(own[1] > 0 && all[0] > 0)) return 1;
    return fmin(fmax(own[0] / own[1] * all[1] / all[0], 0.5), 2);
}

firn_status mpm_ranks_balance(mpm_state *s) {
    mpm_ranks *k = s->ranks;
    size_t blocks = s->grid.map.count;
    uint64_t *particles = mem_zero(blocks + 1, sizeof *particles);
    if (!particles) return fail_memory("dividing the grid of mpm", blocks * sizeof *particles);
    for (size_t i = 0; i < s->p.count; i++) particles[s->p.block[i]]++;
    double cost = cost_of_particle(k);
    net_buffer own = {0};
    for (size_t i = 0; i < blocks; i++)
        if (particles[i])
            net_buffer_add(&own, &(block_load){block_morton(s->grid.map.at[i]), cost * (double)particles[i]},
                           sizeof(block_load));
    mem_free(particles);
    net_gather_all(own.data, own.bytes, &k->joined, NULL);
    net_buffer_free(&own);
    size_t count = k->joined.bytes / sizeof(block_load);
    block_load *loads = (block_load *)(void *)k->joined.data;
    if (count > 0) qsort(loads, count, sizeof *loads, compare_loads);
    cut(k, loads, count);
    k->known = 0;
    bool fresh = k->fresh;
    k->fresh = false;
    TRY(migrate_many(s));
    return fresh ? mpm_particles_fit(&s->p) : FIRN_OK;
}

// The own particles, in the order of their blocks, follow those of lower ranks.
void mpm_ranks_number(mpm_state *s) {
    mpm_ranks *k = s->ranks;
    size_t first = 0;
    net_gather_all(&(uint64_t){s->p.count}, sizeof(uint64_t), &k->joined, NULL);
    const uint64_t *counts = (const uint64_t *)(void *)k->joined.data;
    for (size_t r = 0; r < net_rank(); r++) first += counts[r];
    for (size_t i = 0; i < s->p.count; i++) s->p.key[i] = (uint32_t)(first + i);
}

// ---- sharing and gathering

static void ranks_free(mpm_ranks *k) {
    for (size_t r = 0; r < net_count(); r++) {
        if (k->migrants) mem_free(k->migrants[r].item);
        if (k->out) net_buffer_free(&k->out[r]);
        if (k->in) net_buffer_free(&k->in[r]);
    }
    net_buffer_free(&k->joined);
    net_buffer_free(&k->removed);
    void *lists[] = {k->cuts, k->rim, k->migrants, k->own_halo, k->halo, k->edge, k->out, k->in, k->border};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    mem_free(k);
}

void mpm_ranks_forget(mpm_state *s) {
    if (s->ranks && s->ranks->slab) mpm_particles_free(&s->ranks->mine);
    if (s->ranks) ranks_free(s->ranks);
    s->ranks = NULL;
    mem_free(s->p.key);
    s->p.key = NULL;
    s->p.keyed = false;
}

static firn_status make_ranks(mpm_state *s) {
    size_t ranks = net_count();
    mpm_ranks *k = s->ranks = mem_zero(1, sizeof *k);
    if (!k) return fail_memory("dividing mpm among ranks", sizeof *k);
    k->cuts = mem_zero(ranks + 1, sizeof *k->cuts);
    k->migrants = mem_zero(ranks, sizeof *k->migrants);
    k->out = mem_zero(ranks, sizeof *k->out);
    k->in = mem_zero(ranks, sizeof *k->in);
    if (!s->p.keyed) s->p.key = mem_zero(s->p.capacity + 1, sizeof *s->p.key);
    s->p.keyed = true;
    if (!k->cuts || !k->migrants || !k->out || !k->in || !s->p.key)
        return fail_memory("dividing mpm among ranks", s->p.capacity * sizeof *s->p.key);
    for (size_t r = 1; r <= ranks; r++) k->cuts[r] = UINT64_MAX; // all belongs to rank 0
    k->fresh = true;
    return FIRN_OK;
}

static firn_status share(void *model) {
    mpm_state *s = model;
    struct {
        mpm_counters counters;
        uint64_t total, clods, parts;
    } all = {s->counters, s->p.keyed ? s->made : s->p.count, s->p.clods, s->p.keyed};
    net_broadcast(&all, sizeof all, 0);
    if (!all.parts) {
        mpm_ranks_forget(s);
        if (net_rank() > 0) s->p.count = 0;
    }
    TRY(net_agree(make_ranks(s)));
    net_broadcast(s->materials, s->material_count * sizeof *s->materials, 0);
    s->counters = all.counters;
    s->p.clods = all.clods != 0;
    s->p.materials = s->materials;
    s->ranks->total = all.total;
    for (size_t i = 0; i < s->p.count && !all.parts; i++) s->p.key[i] = (uint32_t)i;
    for (size_t i = 0; i < s->p.count; i++) s->p.block[i] = BLOCK_NONE;
    mpm_clear_blocks(&s->grid);
    s->shown = false;
    return net_agree(mpm_reserve(&s->p, 1)); // lists need some room on a rank without particles, too
}

static double cpu_at_work(void) { return net_cpu_seconds() - net_sent().waited_cpu; }

void mpm_ranks_begin(mpm_state *s) {
    if (s->ranks) s->ranks->cpu -= cpu_at_work();
    if (s->ranks) mpm_ranks_drop_slab(s);
}

// A failure that the other ranks do not know of leaves them waiting.
firn_status mpm_ranks_end(mpm_state *s, firn_status status) {
    if (s->ranks && status != FIRN_OK && !s->ranks->agreed) net_abort(firn_last_error());
    if (s->ranks) s->ranks->cpu += cpu_at_work();
    return status;
}

static const char *keeps(const firn_world_def *def) {
    if (def->mpm->implicit > 0) return "mpm.implicit";
    if (def->mpm->heat) return "mpm.heat";
    return NULL;
}

static size_t total(const void *model) {
    const mpm_state *s = model;
    return s->ranks ? s->ranks->total : s->p.count;
}

static bool is_divided(const char *field) { return strcmp(field, "mpm.counters") != 0; }

const struct firn_model_ranks mpm_model_ranks = {
    .keeps = keeps, .share = share, .gather = mpm_ranks_gather, .total = total, .is_divided = is_divided};
