// Particles over ranks in the order of a run on one rank, instead of by block: rank after rank a slab of
// them, or all on rank 0. So they are written and hashed, and summed up in the blocks of one rank, with its
// bits.
#include "mpm/mpm_ranks.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

// The first key of a rank's slab: whole blocks of sums.
static size_t slab_first(const mpm_ranks *k, size_t rank, bool whole) {
    if (whole) return rank == 0 ? 0 : k->total;
    size_t blocks = (k->total + MPM_LEDGER_BLOCK - 1) / MPM_LEDGER_BLOCK;
    size_t first = rank * blocks / net_count() * MPM_LEDGER_BLOCK;
    return first < k->total ? first : k->total;
}

// Lists which of the own particles go where.
static void sort_by_slab(mpm_state *s, bool whole) {
    mpm_ranks *k = s->ranks;
    size_t ranks = net_count(), r = 0, first = 0, end = 0;
    for (size_t n = 0; n < ranks; n++) k->migrants[n].count = 0;
    for (size_t i = 0; i < s->p.count; i++) {
        size_t key = s->p.key[i];
        if (key < first || key >= end) { // keys that follow each other are mostly in one slab
            for (r = 0; r + 1 < ranks && key >= slab_first(k, r + 1, whole);) r++;
            first = slab_first(k, r, whole), end = r + 1 < ranks ? slab_first(k, r + 1, whole) : k->total;
        }
        mpm_ranks_add_index(&k->migrants[r], i);
    }
}

// One column after the other, so that messages take the room of one. place: where the particles of the
// messages go.
static void exchange_column(mpm_state *s, const mpm_column *from, const mpm_column *to, size_t first,
                            uint32_t *place) {
    mpm_ranks *k = s->ranks;
    size_t item = from->item, n = 0;
    for (size_t r = 0; r < net_count(); r++) {
        const mpm_index_list *list = &k->migrants[r];
        k->out[r].bytes = 0;
        char *room = net_buffer_room(&k->out[r], list->count * item);
        for (size_t i = 0; i < list->count; i++)
            memcpy(room + i * item, from->data + list->item[i] * item, item);
    }
    net_exchange(k->out, k->in);
    for (size_t r = 0; r < net_count(); r++)
        for (size_t at = 0; at < k->in[r].bytes; at += item, n++) {
            if (from->data == (char *)k->mine.key) { // the first column
                uint32_t key;
                memcpy(&key, k->in[r].data + at, sizeof key);
                place[n] = key - (uint32_t)first;
            }
            memcpy(to->data + place[n] * item, k->in[r].data + at, item);
        }
}

typedef struct partial_sums {
    mpm_state *s;
    mpm_ledger_sums *block;
} partial_sums;

static void sum_blocks(void *context, size_t begin, size_t end) {
    const partial_sums *c = context;
    mpm_sum_block(c->s, begin, end, &c->block[begin / MPM_LEDGER_BLOCK]);
}

// data: mpm_ledger_sums.
static void join_blocks(void *context, void *data) {
    const partial_sums *c = context;
    for (size_t i = 0; i * MPM_LEDGER_BLOCK < c->s->p.count; i++) mpm_join_sums(data, &c->block[i]);
}

// In the order of all blocks, as on one rank.
static firn_status sum_up(mpm_state *s) {
    mpm_ranks *k = s->ranks;
    partial_sums c = {s, mem_zero(s->p.count / MPM_LEDGER_BLOCK + 1, sizeof *c.block)};
    TRY(net_agree(c.block ? FIRN_OK : fail_memory("summing up particles of mpm", s->p.count)));
    par_for(s->p.count, MPM_LEDGER_BLOCK, sum_blocks, &c);
    k->sums = (mpm_ledger_sums){0};
    net_in_order(&k->sums, sizeof k->sums, join_blocks, &c);
    mem_free(c.block);
    double own[3];
    mpm_find_inside(s, own);
    own[2] = mpm_count_dense(s);
    net_gather_all(own, sizeof own, &k->joined, NULL);
    const double *of = (const double *)(const void *)k->joined.data;
    k->inside[0] = k->inside[1] = k->dense = 0;
    for (size_t r = 0; r < net_count(); r++, of += 3) {
        k->inside[0] += of[0]; // counts: exact in any order
        k->inside[1] = fmax(k->inside[1], of[1]);
        k->dense += of[2];
    }
    return FIRN_OK;
}

void mpm_ranks_drop_slab(mpm_state *s) {
    mpm_ranks *k = s->ranks;
    if (!k->slab) return;
    k->slab = MPM_NO_SLAB;
    mpm_particles_free(&s->p);
    s->p = k->mine;
    s->shown = false;
}

static void free_messages(mpm_ranks *k) {
    for (size_t r = 0; r < net_count(); r++) {
        net_buffer_free(&k->out[r]);
        net_buffer_free(&k->in[r]);
        mem_free(k->migrants[r].item);
        k->migrants[r] = (mpm_index_list){0};
    }
}

firn_status mpm_ranks_gather(void *model, bool whole) {
    mpm_state *s = model;
    mpm_ranks *k = s->ranks;
    if (k->slab == (whole ? MPM_WHOLE : MPM_SLAB)) return FIRN_OK; // on all ranks
    mpm_ranks_drop_slab(s);
    free_messages(k);
    size_t first = slab_first(k, net_rank(), whole),
           end = net_rank() + 1 < net_count() ? slab_first(k, net_rank() + 1, whole) : k->total;
    mpm_particles slab = {
        .materials = s->materials, .clods = s->p.clods, .keyed = true, .count = end - first};
    uint32_t *place = mem_alloc((slab.count + 1) * sizeof *place);
    firn_status status = place ? mpm_reserve(&slab, slab.count + 1)
                               : fail_memory("gathering particles of mpm", slab.count * sizeof *place);
    TRY(net_agree(status));
    sort_by_slab(s, whole);
    mpm_column from[MPM_COLUMNS], to[MPM_COLUMNS];
    mpm_ranks_columns(&s->p, from);
    mpm_ranks_columns(&slab, to);
    k->mine = s->p;
    for (int c = 0; c < MPM_COLUMNS; c++) exchange_column(s, &from[c], &to[c], first, place);
    free_messages(k);
    mem_free(place);
    s->p = slab;
    s->shown = false;
    k->slab = whole ? MPM_WHOLE : MPM_SLAB;
    return sum_up(s);
}
