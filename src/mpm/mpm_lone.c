// Isolated particles follow ballistic paths without a grid. A particle is isolated if its block holds no
// other and the 26 blocks around it are empty: the nearest one is then at least a block (four cells) away and
// their kernels share no node.
#include <string.h>

#include "mpm/mpm_ranks.h"

static bool is_alone(const mpm_grid *g, uint32_t slot) {
    const int32_t *at = g->map.at[slot];
    for (int i = 0; i < 27; i++) {
        int32_t there[3] = {at[0] + i / 9 - 1, at[1] + i / 3 % 3 - 1, at[2] + i % 3 - 1};
        if (i == 13) continue;
        uint32_t other = block_map_find(&g->map, there);
        if (other != BLOCK_NONE && g->block[other].count + g->block[other].elsewhere > 0) return false;
    }
    return true;
}

// Removes the blocks of lone particles from the list of occupied ones, keeping its order.
firn_status mpm_find_lone(mpm_state *s) {
    mpm_grid *g = &s->grid;
    size_t kept = 0;
    s->lone_count = 0;
    for (size_t i = 0; i < g->occupied_count; i++) {
        uint32_t slot = g->occupied[i];
        mpm_block *b = &g->block[slot];
        if (b->count + b->elsewhere == 1 && is_alone(g, slot)) {
            if (!array_reserve(&s->lone, &s->lone_capacity, s->lone_count + 1, sizeof *s->lone))
                return fail_memory("listing isolated particles of mpm",
                                   (s->lone_count + 1) * sizeof *s->lone);
            if (b->count == 1) s->lone[s->lone_count++] = g->order[b->first];
            b->patch = BLOCK_NONE;
        } else {
            b->patch = (uint32_t)kept;
            g->occupied[kept++] = slot;
        }
    }
    g->occupied_count = kept;
    return FIRN_OK;
}

// A parabola. A lone particle is free of stress and keeps spinning: C is reduced to its rotation, the strain
// to zero.
void mpm_fly_lone(mpm_state *s, float dt) {
    const float g[3] = {(float)s->setting.gravity.x, (float)s->setting.gravity.y,
                        (float)s->setting.gravity.z};
    float(*delta)[3] = mpm_flip_deltas(s);
    for (size_t k = 0; k < s->lone_count; k++) {
        uint32_t i = s->lone[k];
        float *v = s->p.v[i], *c = s->p.affine[i], speed2 = 0;
        for (int a = 0; a < 3; a++) {
            s->p.x[i][a] += (double)(dt * (v[a] + 0.5f * dt * g[a]));
            v[a] += dt * g[a];
            speed2 += v[a] * v[a];
        }
        const float turn[3] = {0.5f * (c[5] - c[7]), 0.5f * (c[6] - c[2]), 0.5f * (c[1] - c[3])};
        const float skew[9] = {0, turn[2], -turn[1], -turn[2], 0, turn[0], turn[1], -turn[0], 0};
        memcpy(c, skew, sizeof skew);
        memset(s->p.strain[i], 0, sizeof s->p.strain[i]);
        memset(s->p.tau[i], 0, sizeof s->p.tau[i]);
        if (delta) memset(delta[i], 0, sizeof delta[i]);
        // It limits the time step as snow would, because it may land in snow next.
        double wave_speed2 = mpm_wave_speed2_of(&s->p, i);
        if ((double)speed2 > s->counters.speed2) s->counters.speed2 = (double)speed2;
        if (wave_speed2 > s->counters.wave_speed2) s->counters.wave_speed2 = wave_speed2;
    }
}
