// Values of particles to the nodes and back, in the patches and nodes of the grid, which are free before P2G.
#include <string.h>

#include "mpm/mpm_heat.h"
#include "par/par.h"

enum { BLOCKS_PER_TASK = 4 };

typedef struct transfer {
    heat_work *w;
    bool places;
    heat_take *take;
    heat_give *give;
} transfer;

static void to_patches(void *context, size_t begin, size_t end) {
    const transfer *t = context;
    const mpm_state *s = t->w->s;
    const mpm_grid *g = &s->grid;
    const mpm_pass pass = mpm_pass_of(s, 0);
    for (size_t i = begin; i < end; i++) {
        const mpm_block *b = &g->block[g->occupied[i]];
        float *patch = g->patches + i * PATCH_FLOATS;
        memset(patch, 0, PATCH_FLOATS * sizeof *patch);
        ISA_PICK(mpm_heat_patch)
        (&s->p, (const float(*)[4])t->w->h->rows, t->places, g->order + b->first, b->count,
         g->map.at[g->occupied[i]], pass, patch);
    }
}

static void to_nodes(void *context, size_t begin, size_t end) {
    const transfer *t = context;
    const mpm_grid *g = &t->w->s->grid;
    float sum[BLOCK_FLOATS];
    for (size_t b = begin; b < end; b++) {
        mpm_sum_patches(g, g->active[b], sum);
        for (int i = 0; i < BLOCK_NODES; i++)
            t->take(t->w, &t->w->h->node[b * BLOCK_NODES + (size_t)i], sum + 4 * i);
    }
}

void heat_rows_to_nodes(heat_work *w, bool places, heat_take *fn) {
    transfer t = {.w = w, .places = places, .take = fn};
    par_for(w->s->grid.occupied_count, BLOCKS_PER_TASK, to_patches, &t);
    par_for(w->s->grid.active_count, BLOCKS_PER_TASK, to_nodes, &t);
}

static void to_grid(void *context, size_t begin, size_t end) {
    const transfer *t = context;
    const mpm_grid *g = &t->w->s->grid;
    for (size_t b = begin; b < end; b++) {
        float *at = g->nodes + (size_t)g->active[b] * BLOCK_FLOATS;
        memset(at, 0, BLOCK_FLOATS * sizeof *at);
        for (int i = 0; i < BLOCK_NODES; i++) {
            const heat_node *n = &t->w->h->node[b * BLOCK_NODES + (size_t)i];
            t->give(n, at + 4 * i);
        }
    }
}

static void to_rows(void *context, size_t begin, size_t end) {
    const transfer *t = context;
    const mpm_state *s = t->w->s;
    const mpm_grid *g = &s->grid;
    const mpm_pass pass = mpm_pass_of(s, 0);
    float(*out)[3] = (float(*)[3])(void *)s->p.scratch;
    _Alignas(64) float patch[PATCH_FLOATS];
    for (size_t i = begin; i < end; i++) {
        const mpm_block *b = &g->block[g->occupied[i]];
        const uint32_t *index = g->order + b->first;
        mpm_read_patch(g->nodes, b, patch);
        ISA_PICK(mpm_sample_patch)(&s->p, index, b->count, g->map.at[g->occupied[i]], pass, patch, out);
        for (uint32_t k = 0; k < b->count; k++) memcpy(t->w->h->rows[index[k]], out[index[k]], sizeof *out);
    }
}

void heat_nodes_to_rows(heat_work *w, heat_give *fn) {
    transfer t = {.w = w, .give = fn};
    par_for(w->s->grid.active_count, BLOCKS_PER_TASK, to_grid, &t);
    par_for(w->s->grid.occupied_count, BLOCKS_PER_TASK, to_rows, &t);
}
