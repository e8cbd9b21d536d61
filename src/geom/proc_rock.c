// A boulder of height 1: a solid cut by planes, its edges worn, its faces uneven, with a flat sole.
#include <math.h>

#include "base/random.h"
#include "geom/proc.h"
#include "geom/proc_sdf.h"

enum { PLANES = 22, WAVES = 9, STREAM = 43 };

typedef struct rock_look {
    point3 normal[PLANES], wave[WAVES];
    float away[PLANES], phase[WAVES], high[WAVES];
} rock_look;

static float drawn(uint64_t seed, uint32_t item, int k, float low, float high) {
    return low + (high - low) * random_unit(random_bits(seed, item, 0, STREAM), k);
}

static float rock(const void *context, point3 p) {
    const rock_look *look = context;
    float d = -INFINITY;
    for (int i = 0; i < PLANES; i++) {
        float plane = point_dot(p, look->normal[i]) - look->away[i];
        d = i ? -sdf_join(-d, -plane, 0.03f) : plane;
    }
    for (int i = 0; i < WAVES; i++) d += look->high[i] * sinf(point_dot(p, look->wave[i]) + look->phase[i]);
    return sdf_cut(d, p.y + 0.34f, 0.01f);
}

static point3 direction(uint64_t seed, uint32_t item) {
    float y = drawn(seed, item, 0, -0.25f, 0.95f), angle = drawn(seed, item, 1, 0, 6.2831853f);
    float flat = sqrtf(1 - y * y), x = flat * cosf(angle), z = flat * sinf(angle);
    return (point3){x, y, z};
}

firn_status proc_rock(uint64_t seed, mesh *out) {
    rock_look look;
    seed = seed < 2 ? 0 : seed;
    for (uint32_t i = 0; i < PLANES; i++) {
        point3 n = direction(seed, i);
        // The first six keep the solid small on all sides.
        if (i < 6)
            n = (point3){i < 2 ? (i ? -1.0f : 1.0f) : 0, i / 2 == 1 ? (i == 2 ? 1.0f : -1.0f) : 0,
                         i > 3 ? (i == 4 ? 1.0f : -1.0f) : 0};
        look.normal[i] = n;
        // Wider below than above, and wider than high.
        look.away[i] = i < 6 ? 0.62f - 0.12f * n.y : drawn(seed, i, 2, 0.36f, 0.50f) * (1.05f - 0.3f * n.y);
    }
    for (uint32_t i = 0; i < WAVES; i++) {
        point3 n = direction(seed, 100 + i);
        float number = 6 * powf(1.45f, (float)i);
        look.wave[i] = (point3){n.x * number, n.y * number, n.z * number};
        look.phase[i] = drawn(seed, 100 + i, 2, 0, 6.2831853f);
        look.high[i] = 0.07f / number;
    }
    return proc_polygonise(rock, &look, (point3){-0.72f, -0.42f, -0.72f}, (point3){0.72f, 0.62f, 0.72f},
                           0.0195f, out);
}
