// Snow of final quality: every particle is divided into eight, and the surface is found at half a spacing, so
// that thin crusts, rims and small pieces keep their shape. The eight stand apart as far as the snow is
// pulled apart, each a little off its place by where the particle was at rest: the same in every frame.
#include <math.h>
#include <string.h>

#include "draw/collect.h"
#include "geom/relief.h"
#include "par/par.h"

enum { CHILDREN = 8, MOST_PARTICLES = 1 << 20, BLOCK = 4096 };
static const float APART = 0.29f, PULLED = 0.4f, OFF = 0.2f; // spacings; PULLED: more of APART where torn

typedef struct refining {
    const draw_points *points;
    const float *value;
    size_t channels;
    const uint32_t *kept; // particles that are not alone
    float spacing;
    float (*at)[3], *values;
} refining;

static void divide_range(void *context, size_t begin, size_t end) {
    const refining *r = context;
    for (size_t k = begin; k < end; k++) {
        size_t i = r->kept[k];
        const float *rest = r->points->rest[i];
        int32_t bits[3];
        memcpy(bits, rest, sizeof bits);
        uint32_t seed = relief_bits(bits[0], bits[1], bits[2]);
        float apart = APART * (1 + PULLED * rest[3]) * r->spacing;
        for (int c = 0; c < CHILDREN; c++) {
            uint32_t own = relief_bits((int)seed, c, 9);
            float *to = r->at[k * CHILDREN + (size_t)c];
            for (int a = 0; a < 3; a++) {
                float off = OFF * ((float)(own >> 10 * a & 1023) / 511.5f - 1) * r->spacing;
                to[a] = r->points->at[i][a] + (c >> a & 1 ? apart : -apart) + off;
            }
            memcpy(r->values + (k * CHILDREN + (size_t)c) * r->channels, r->value + i * r->channels,
                   r->channels * sizeof *r->values);
        }
    }
}

// What is alone is left to its grains.
static size_t list_kept(const surface *s, size_t count, uint32_t *kept) {
    size_t n = 0, next = 0;
    for (size_t i = 0; i < count; i++) {
        if (next < s->loose_count && s->loose[next] == i)
            next++;
        else
            kept[n++] = (uint32_t)i;
    }
    return n;
}

static firn_status refine(refining *r, const surface *coarse, surface *fine) {
    size_t count = r->points->count;
    uint32_t *kept = mem_alloc(count * sizeof *kept);
    r->at = mem_alloc(count * CHILDREN * sizeof *r->at);
    r->values = mem_alloc(count * CHILDREN * r->channels * sizeof *r->values);
    r->kept = kept;
    firn_status status = FIRN_OK;
    if (kept && r->at && r->values) {
        size_t n = list_kept(coarse, count, kept);
        par_for(n, BLOCK, divide_range, r);
        const isosurface_input in = {.at = (const float(*)[3])r->at,
                                     .count = n * CHILDREN,
                                     .spacing = 0.5 * (double)r->spacing,
                                     .value = r->values,
                                     .channels = (uint32_t)r->channels,
                                     .smooth = 3};
        status = isosurface_build(&in, fine);
    } else {
        status = fail_memory("refining snow", count * CHILDREN * (12 + 4 * r->channels));
    }
    mem_free(kept);
    mem_free(r->at);
    mem_free(r->values);
    return status;
}

firn_status collect_refine(collect_skin *skin, const draw_points *points, const float *value, size_t channels,
                           double spacing) {
    if (points->count > MOST_PARTICLES || !points->rest) return FIRN_OK;
    refining r = {.points = points, .value = value, .channels = channels, .spacing = (float)spacing};
    surface fine = {0}, *s = &skin->surface;
    TRY(refine(&r, s, &fine));
    mesh_free(&s->mesh);
    mem_free(s->value);
    s->mesh = fine.mesh;
    s->value = fine.value;
    return FIRN_OK;
}
