// Density at the nodes, brick by brick: each sums the points within the support radius, always in the same
// order.
#include <math.h>
#include <string.h>

#include "geom/surface_bricks.h"
#include "par/par.h"

// A flat sheet or a thread has less density at its particles than a full body at its border. Below THIN a
// particle gets more weight, up to ALONE for an isolated one. Where snow is compressed beyond DENSE,
// particles get less weight, so that the surface does not swell.
#define THIN 0.6f
#define ALONE 0.68f
#define DENSE 1.25f
#define LOOSE 0.19f // less than a thread of particles has

typedef struct splatting {
    surface_bricks *bricks;
    bool *loose; // by point of the input, or NULL
    bool again;  // only what weighs other than 1 is added
} splatting;

// The share of one particle in a full body's density.
static float share_of(const surface_bricks *t) {
    double ratio = t->in->spacing / (2 * t->cell);
    return (float)(ratio * ratio * ratio);
}

static void splat_brick(void *context, size_t brick) {
    const splatting *s = context;
    surface_bricks *t = s->bricks;
    if (!s->again) memset(t->density[brick], 0, sizeof t->density[brick]);
    ISA_PICK(surface_splat_density)(t, brick, share_of(t), s->again, t->density[brick]);
}

void surface_pad(const surface_bricks *t, const float (*nodes)[BRICK_NODES], size_t stride, size_t channel,
                 size_t brick, float out[PAD_NODES]) {
    for (int z = 0; z < PAD_EDGE; z++)
        for (int y = 0; y < PAD_EDGE; y++) {
            int iy = y - 1, iz = z - 1, row = 9 * ((iz >> BRICK_BITS) + 1) + 3 * ((iy >> BRICK_BITS) + 1);
            int line = ((iz & (BRICK_EDGE - 1)) * BRICK_EDGE + (iy & (BRICK_EDGE - 1))) * BRICK_EDGE;
            const uint32_t *near = t->near[brick] + row;
            float *to = out + (z * PAD_EDGE + y) * PAD_EDGE;
            to[0] = near[0] == BLOCK_NONE ? 0 : nodes[near[0] * stride + channel][line + BRICK_EDGE - 1];
            if (near[1] == BLOCK_NONE)
                memset(to + 1, 0, BRICK_EDGE * sizeof *to);
            else
                memcpy(to + 1, nodes[near[1] * stride + channel] + line, BRICK_EDGE * sizeof *to);
            for (int x = 0; x < 2; x++)
                to[1 + BRICK_EDGE + x] =
                    near[2] == BLOCK_NONE ? 0 : nodes[near[2] * stride + channel][line + x];
        }
}

static float interpolate(const float pad[PAD_NODES], const float at[3]) {
    int i[3];
    float f[3];
    for (int k = 0; k < 3; k++) {
        i[k] = (int)at[k];
        f[k] = at[k] - (float)i[k];
    }
    const float *p = pad + ((i[2] + 1) * PAD_EDGE + i[1] + 1) * PAD_EDGE + i[0] + 1;
    float plane[2];
    for (int z = 0; z < 2; z++, p += PAD_EDGE * PAD_EDGE) {
        float a = p[0] + f[0] * (p[1] - p[0]), b = p[PAD_EDGE] + f[0] * (p[PAD_EDGE + 1] - p[PAD_EDGE]);
        plane[z] = a + f[1] * (b - a);
    }
    return plane[0] + f[2] * (plane[1] - plane[0]);
}

static float weight_for(float density) {
    if (density < THIN) return (ALONE + (THIN - ALONE) * density / THIN) / fmaxf(density, 1e-6f);
    return density > DENSE ? DENSE / density : 1;
}

static void weigh_brick(void *context, size_t brick) {
    const splatting *s = context;
    surface_bricks *t = s->bricks;
    float pad[PAD_NODES];
    if (t->first[brick] == t->first[brick + 1]) return;
    surface_pad(t, (const float(*)[BRICK_NODES])t->density, 1, 0, brick, pad);
    for (uint32_t i = t->first[brick]; i < t->first[brick + 1]; i++) {
        float density = interpolate(pad, t->point[i].at);
        t->point[i].weight = weight_for(density);
        if (!s->loose || density >= LOOSE) continue;
        s->loose[t->number[i]] = true;
        t->point[i].weight = 0;
    }
}

void surface_splat(surface_bricks *t, bool *loose) {
    splatting s = {.bricks = t, .loose = loose};
    par_tasks(t->count, splat_brick, &s);
    par_tasks(t->count, weigh_brick, &s);
    s.again = true;
    par_tasks(t->count, splat_brick, &s);
}

void surface_splat_values(const surface_bricks *t, size_t brick, uint32_t first, uint32_t count,
                          float (*sum)[BRICK_NODES]) {
    memset(sum, 0, count * sizeof *sum);
    for (uint32_t done = 0; done < count; done += SPLAT_CHANNELS) {
        uint32_t many = count - done < SPLAT_CHANNELS ? count - done : SPLAT_CHANNELS;
        ISA_PICK(surface_splat_channels)(t, brick, share_of(t), first + done, many, sum + done);
    }
}
