// The two passes over blocks of particles.
#include "mpm/mpm_tile.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

enum { BLOCKS_PER_TASK = 4 };

typedef struct block_pass {
    mpm_state *s;
    mpm_pass pass;
    mpm_pace *pace; // by occupied block
} block_pass;

static block_pass pass_of(mpm_state *s, float dt) {
    return (block_pass){
        s, {(float)s->def.cell, dt, s->def.kernel, s->def.transfer == FIRN_MPM_FLIP}, s->grid.pace};
}

static void fill_tiles(void *context, size_t begin, size_t end) {
    block_pass *c = context;
    const mpm_grid *g = &c->s->grid;
    for (size_t i = begin; i < end; i++) {
        const mpm_block *b = &g->block[g->occupied[i]];
        float *tile = g->tiles + i * TILE_FLOATS;
        memset(tile, 0, TILE_FLOATS * sizeof *tile);
        ISA_PICK(mpm_scatter)
        (&c->s->p, g->order + b->first, b->count, g->map.at[g->occupied[i]], c->pass, tile);
    }
}

void mpm_particles_to_tiles(mpm_state *s, float dt) {
    block_pass c = pass_of(s, dt);
    par_for(s->grid.occupied_count, BLOCKS_PER_TASK, fill_tiles, &c);
}

void mpm_read_tile(const float *nodes, const mpm_block *b, float *tile) {
    for (int x = 0; x < TILE_EDGE; x++) {
        for (int y = 0; y < TILE_EDGE; y++) {
            int k = (x >> 2) << 2 | (y >> 2) << 1, row = 4 * BLOCK_EDGE * (BLOCK_EDGE * (x & 3) + (y & 3));
            float *to = tile + (x * TILE_EDGE + y) * TILE_ROW;
            memcpy(to, nodes + (size_t)b->up[k] * BLOCK_FLOATS + row, 4 * BLOCK_EDGE * sizeof *to);
            memcpy(to + 4 * BLOCK_EDGE, nodes + (size_t)b->up[k + 1] * BLOCK_FLOATS + row,
                   4 * BLOCK_EDGE * sizeof *to);
        }
    }
}

static void read_tiles(void *context, size_t begin, size_t end) {
    block_pass *c = context;
    const mpm_grid *g = &c->s->grid;
    _Alignas(64) float tile[TILE_FLOATS];
    for (size_t i = begin; i < end; i++) {
        const mpm_block *b = &g->block[g->occupied[i]];
        mpm_read_tile(g->nodes, b, tile);
        c->pace[i] = ISA_PICK(mpm_gather)(&c->s->p, g->order + b->first, b->count, g->map.at[g->occupied[i]],
                                          c->pass, tile);
    }
}

void mpm_nodes_to_particles(mpm_state *s, float dt) {
    block_pass c = pass_of(s, dt);
    par_for(s->grid.occupied_count, BLOCKS_PER_TASK, read_tiles, &c);
    s->book.speed2 = s->book.stiffness = 0;
    for (size_t i = 0; i < s->grid.occupied_count; i++) {
        if (c.pace[i].speed2 > s->book.speed2) s->book.speed2 = c.pace[i].speed2;
        if (c.pace[i].stiffness > s->book.stiffness) s->book.stiffness = c.pace[i].stiffness;
    }
}
