// P2G and G2P over the blocks of particles.
#include "mpm/mpm_contact.h"
#include "mpm/mpm_ranks.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

enum { BLOCKS_PER_TASK = 4 };

typedef struct block_pass {
    mpm_state *s;
    mpm_pass pass;
    mpm_dt_limits *dt_limits; // by occupied block
    bool edge;                // over ranks: P2G of the blocks next to others', or of all other own ones
} block_pass;

static block_pass pass_of(mpm_state *s, float dt) {
    return (block_pass){s, mpm_pass_of(s, dt), s->grid.dt_limits, false};
}

static void p2g_range(void *context, size_t begin, size_t end) {
    block_pass *c = context;
    const mpm_grid *g = &c->s->grid;
    for (size_t i = g->own_first + begin; i < g->own_first + end; i++) {
        const mpm_block *b = &g->block[g->occupied[i]];
        float *patch = g->patches + i * PATCH_FLOATS;
        if (c->s->ranks && c->s->ranks->edge[i] != c->edge) continue;
        memset(patch, 0, PATCH_FLOATS * sizeof *patch);
        ISA_PICK(mpm_p2g_patch)
        (&c->s->p, g->order + b->first, b->count, g->map.at[g->occupied[i]], c->pass, patch);
    }
}

void mpm_p2g(mpm_state *s, float dt) {
    block_pass c = pass_of(s, dt);
    size_t own = s->grid.own_end - s->grid.own_first;
    if (s->ranks) { // first what others wait for
        c.edge = true;
        par_for(own, BLOCKS_PER_TASK, p2g_range, &c);
        mpm_ranks_send_patches(s);
        c.edge = false;
    }
    par_for(own, BLOCKS_PER_TASK, p2g_range, &c);
    if (s->ranks) mpm_ranks_receive_patches(s);
}

void mpm_read_patch(const float *nodes, const mpm_block *b, float *patch) {
    for (int x = 0; x < PATCH_EDGE; x++) {
        for (int y = 0; y < PATCH_EDGE; y++) {
            int k = (x >> 2) << 2 | (y >> 2) << 1, row = 4 * BLOCK_EDGE * (BLOCK_EDGE * (x & 3) + (y & 3));
            float *to = patch + (x * PATCH_EDGE + y) * PATCH_ROW;
            memcpy(to, nodes + (size_t)b->up[k] * BLOCK_FLOATS + row, 4 * BLOCK_EDGE * sizeof *to);
            memcpy(to + 4 * BLOCK_EDGE, nodes + (size_t)b->up[k + 1] * BLOCK_FLOATS + row,
                   4 * BLOCK_EDGE * sizeof *to);
        }
    }
}

static void g2p_range(void *context, size_t begin, size_t end) {
    block_pass *c = context;
    const mpm_grid *g = &c->s->grid;
    _Alignas(64) float patch[PATCH_FLOATS];
    for (size_t i = g->own_first + begin; i < g->own_first + end; i++) {
        const mpm_block *b = &g->block[g->occupied[i]];
        mpm_read_patch(g->nodes, b, patch);
        c->dt_limits[i] = ISA_PICK(mpm_g2p_patch)(&c->s->p, g->order + b->first, b->count,
                                                  g->map.at[g->occupied[i]], c->pass, patch);
        size_t n;
        const mpm_contact *contacts = contacts_of(&c->s->contact, i, &n);
        if (n > 0) ISA_PICK(mpm_contact_keep)(contacts, n, &c->s->p, c->pass.dt, patch);
    }
}

void mpm_g2p(mpm_state *s, float dt) {
    block_pass c = pass_of(s, dt);
    par_for(s->grid.own_end - s->grid.own_first, BLOCKS_PER_TASK, g2p_range, &c);
    s->counters.speed2 = s->counters.wave_speed2 = 0;
    for (size_t i = s->grid.own_first; i < s->grid.own_end; i++) {
        if (c.dt_limits[i].speed2 > s->counters.speed2) s->counters.speed2 = c.dt_limits[i].speed2;
        if (c.dt_limits[i].wave_speed2 > s->counters.wave_speed2)
            s->counters.wave_speed2 = c.dt_limits[i].wave_speed2;
    }
}
