// PIC/FLIP (MPM15 ch. 3.4): a particle takes the grid's velocity, and keeps a share of what the grid did not
// see of its own: v = sum w v_new + share (v - sum w v_old).
#include "mpm/mpm_tile.h"
#include "par/par.h"

enum { BLOCKS_PER_TASK = 4, PARTICLES_PER_TASK = 8192 };

static bool keeps_something(const mpm_state *s) {
    return s->def.transfer == FIRN_MPM_FLIP && s->def.flip_share > 0;
}

static void keep_blocks(void *context, size_t begin, size_t end) {
    mpm_state *s = context;
    const mpm_grid *g = &s->grid;
    const mpm_pass pass = {(float)s->def.cell, 0, s->def.kernel, true};
    float share = (float)s->def.flip_share;
    _Alignas(64) float tile[TILE_FLOATS];
    for (size_t i = begin; i < end; i++) {
        const mpm_block *b = &g->block[g->occupied[i]];
        const uint32_t *index = g->order + b->first;
        mpm_read_tile(g->nodes, b, tile);
        ISA_PICK(mpm_sample)(&s->p, index, b->count, g->map.at[g->occupied[i]], pass, tile, s->kept);
        for (uint32_t k = 0; k < b->count; k++)
            for (int a = 0; a < 3; a++)
                s->kept[index[k]][a] = share * (s->p.v[index[k]][a] - s->kept[index[k]][a]);
    }
}

// The grid as it is without forces, once more for itself: APIC, the usual way, pays nothing for this one.
firn_status mpm_flip_begin(mpm_state *s) {
    if (!keeps_something(s)) return FIRN_OK;
    if (!array_reserve(&s->kept, &s->kept_capacity, s->p.capacity, sizeof *s->kept))
        return fail_memory("flip in mpm", s->p.capacity * sizeof *s->kept);
    mpm_particles_to_tiles(s, 0);
    mpm_tiles_to_nodes(s, 0);
    par_for(s->grid.occupied_count, BLOCKS_PER_TASK, keep_blocks, s);
    return FIRN_OK;
}

static double give_back(void *context, size_t begin, size_t end) {
    const mpm_state *s = context;
    float fastest = 0;
    const mpm_grid *g = &s->grid;
    for (size_t i = begin; i < end; i++) {
        const mpm_block *b = &g->block[g->occupied[i]];
        for (uint32_t k = 0; k < b->count; k++) {
            uint32_t particle = g->order[b->first + k];
            float *v = s->p.v[particle];
            for (int a = 0; a < 3; a++) v[a] += s->kept[particle][a];
            float speed2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
            fastest = speed2 > fastest ? speed2 : fastest;
        }
    }
    return (double)fastest;
}

void mpm_flip_end(mpm_state *s) {
    if (!keeps_something(s)) return;
    double fastest = par_max(s->grid.occupied_count, 64, give_back, s);
    if (fastest > s->book.speed2) s->book.speed2 = fastest;
}
