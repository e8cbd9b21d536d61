// PIC/FLIP (MPM15 ch. 3.4): a particle takes the grid's velocity plus a share of the difference between its
// own and the old grid velocity: v = sum w v_new + share (v - sum w v_old). ASFLIP (Fei 2021) does so beside
// the affine matrix of APIC, and lets the difference move particles of snow that tears.
#include "base/auto.h"
#include "mpm/mpm_patch.h"
#include "par/par.h"

enum { BLOCKS_PER_TASK = 4 };

// APIC damps, per step, what is as thin as a few cells: the front of dry snow that flows would stop early.
firn_mpm_transfer mpm_transfer_of(const mpm_state *s) {
    if (s->def.transfer != FIRN_MPM_TRANSFER_AUTO) return s->def.transfer;
    bool flows = s->p.clods; // which should come apart
    for (size_t i = 0; i < mpm_materials_used(s); i++)
        flows |= s->materials[i].law.kind == (float)FIRN_SNOW_LAW_DRUCKER_PRAGER;
    return flows && s->def.implicit == 0 ? FIRN_MPM_ASFLIP : FIRN_MPM_APIC;
}

// With a share of 1 the noise below the grid's resolution would never decay.
static double share_of(const mpm_state *s) {
    return auto_or(s->def.flip_share, mpm_transfer_of(s) == FIRN_MPM_ASFLIP ? 0.99 : 0.95);
}

static bool uses_flip(const mpm_state *s) { return mpm_transfer_of(s) != FIRN_MPM_APIC && share_of(s) > 0; }

float (*mpm_flip_deltas(const mpm_state *s))[3] { return uses_flip(s) ? s->flip_delta : NULL; }

static void store_flip_deltas(void *context, size_t begin, size_t end) {
    mpm_state *s = context;
    const mpm_grid *g = &s->grid;
    const mpm_pass pass = mpm_pass_of(s, 0);
    float share = (float)share_of(s);
    _Alignas(64) float patch[PATCH_FLOATS];
    for (size_t i = g->own_first + begin; i < g->own_first + end; i++) {
        const mpm_block *b = &g->block[g->occupied[i]];
        const uint32_t *index = g->order + b->first;
        mpm_read_patch(g->nodes, b, patch);
        ISA_PICK(mpm_sample_patch)
        (&s->p, index, b->count, g->map.at[g->occupied[i]], pass, patch, s->flip_delta);
        for (uint32_t k = 0; k < b->count; k++)
            for (int a = 0; a < 3; a++)
                s->flip_delta[index[k]][a] = share * (s->p.v[index[k]][a] - s->flip_delta[index[k]][a]);
    }
}

// Needs an extra P2G without forces for the old grid velocity; APIC, the default, does not pay for it.
firn_status mpm_find_flip_deltas(mpm_state *s) {
    if (!uses_flip(s)) return FIRN_OK;
    if (!array_reserve(&s->flip_delta, &s->flip_delta_capacity, s->p.capacity, sizeof *s->flip_delta))
        return fail_memory("storing FLIP velocities of mpm", s->p.capacity * sizeof *s->flip_delta);
    mpm_p2g(s, 0);
    mpm_update_grid(s, 0);
    par_for(s->grid.own_end - s->grid.own_first, BLOCKS_PER_TASK, store_flip_deltas, s);
    return FIRN_OK;
}
