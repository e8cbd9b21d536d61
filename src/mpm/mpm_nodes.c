// Grid update: sums the patches of neighbouring blocks over the nodes in a fixed order; momentum becomes
// velocity.
#include "mpm/mpm_state.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

// Adds the part of the patch of the block at -(dx, dy, dz) that overlaps this block: nodes (dx ? 4 : 0).. of
// the patch; three of them where the patch overhangs, four where it starts.
static inline void add_part(float *restrict node, const float *restrict patch, int dx, int dy, int dz) {
    int nx = dx ? BLOCK_EDGE - 1 : BLOCK_EDGE, ny = dy ? BLOCK_EDGE - 1 : BLOCK_EDGE,
        nz = dz ? BLOCK_EDGE - 1 : BLOCK_EDGE;
    for (int x = 0; x < nx; x++) {
        for (int y = 0; y < ny; y++) {
            const float *from = patch +
                                ((x + BLOCK_EDGE * dx) * PATCH_EDGE + y + BLOCK_EDGE * dy) * PATCH_ROW +
                                4 * BLOCK_EDGE * dz;
            float *to = node + 4 * BLOCK_EDGE * (BLOCK_EDGE * x + y);
            for (int i = 0; i < 4 * nz; i++) to[i] += from[i];
        }
    }
}

// A constant number of nodes per row makes it a few vectors.
static void add_patch(float *node, const float *patch, int k) {
    if (k & 1)
        add_part(node, patch, k >> 2 & 1, k >> 1 & 1, 1);
    else
        add_part(node, patch, k >> 2 & 1, k >> 1 & 1, 0);
}

typedef struct node_pass {
    mpm_state *s;
    float kick[3]; // m/s, of gravity over the step
    float least;   // kg; lighter nodes lie at the edge of a kernel and their velocity would be rounding error
} node_pass;

// Momentum to velocity; zero for nodes without mass.
static void to_velocity(float *node, const node_pass *pass) {
    for (int i = 0; i < BLOCK_NODES; i++, node += 4) {
        bool heavy = node[3] > pass->least;
        float per_mass = heavy ? 1.0f / node[3] : 0.0f;
        for (int a = 0; a < 3; a++) node[a] = heavy ? node[a] * per_mass + pass->kick[a] : 0.0f;
        node[3] = heavy ? node[3] : 0.0f;
    }
}

void mpm_sum_patches(const mpm_grid *g, uint32_t slot, float *node) {
    memset(node, 0, BLOCK_FLOATS * sizeof *node);
    for (int k = 0; k < 8; k++) {
        uint32_t from = g->block[slot].down[k];
        if (from != BLOCK_NONE) add_patch(node, g->patches + (size_t)g->block[from].patch * PATCH_FLOATS, k);
    }
}

void mpm_add_patches(const mpm_grid *g, uint32_t slot, const uint32_t *filled, float *node) {
    for (int k = 0; k < 8; k++) {
        uint32_t from = g->block[slot].down[k], patch = from == BLOCK_NONE ? 0 : g->block[from].patch;
        if (from != BLOCK_NONE && filled[patch])
            add_patch(node, g->patches + (size_t)patch * PATCH_FLOATS, k);
    }
}

static void sum_blocks(void *context, size_t begin, size_t end) {
    node_pass *pass = context;
    mpm_grid *g = &pass->s->grid;
    for (size_t i = begin; i < end; i++) {
        uint32_t slot = g->active[i];
        float *node = g->nodes + (size_t)slot * BLOCK_FLOATS;
        mpm_sum_patches(g, slot, node);
        to_velocity(node, pass);
    }
}

static float least_mass(const mpm_state *s) {
    float lightest = INFINITY;
    for (size_t i = 0; i < mpm_materials_used(s); i++) lightest = fminf(lightest, s->materials[i].mass);
    return 1e-12f * lightest;
}

void mpm_update_grid(mpm_state *s, float dt) {
    firn_vec3 g = s->setting.gravity;
    node_pass pass = {s, {(float)g.x * dt, (float)g.y * dt, (float)g.z * dt}, least_mass(s)};
    par_for(s->grid.active_count, 16, sum_blocks, &pass);
}
