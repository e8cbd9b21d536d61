// From particles to the mesh of a picture.
#include "bench/measure.h"

#include "base/memory.h"
#include "base/random.h"
#include "geom/isosurface.h"

enum { SIDE = 58, PARTICLES = SIDE * SIDE * SIDE };

typedef struct cloud {
    float (*at)[3];
    firn_status status;
} cloud;

static void surface_once(void *context) {
    cloud *c = context;
    surface s;
    const isosurface_input in = {
        .at = (const float(*)[3])c->at, .count = PARTICLES, .spacing = 1, .smooth = 2, .skip_loose = true};
    firn_status status = isosurface_build(&in, &s);
    if (status != FIRN_OK) c->status = status;
    isosurface_free(&s);
}

firn_status bench_surface(bench_emit emit, void *context) {
    cloud c = {.at = mem_alloc(PARTICLES * sizeof *c.at), .status = FIRN_OK};
    if (!c.at) return fail_memory("preparing particles", PARTICLES * sizeof *c.at);
    for (uint32_t i = 0; i < PARTICLES; i++) {
        random4 r = random_bits(3, i, 0, 0);
        const uint32_t place[3] = {i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE)};
        for (int k = 0; k < 3; k++) c.at[i][k] = (float)place[k] + 0.8f * random_unit(r, k);
    }
    bench_result r = {.workload = "surface", .rate_unit = "particles/s"};
    // A blob covers 216 nodes, a product and a sum each, and about 60 operations for its weights.
    measure_result(&r, PARTICLES, measure_seconds(surface_once, &c), 40, 2 * 216 + 60);
    if (c.status == FIRN_OK) emit(context, &r);
    mem_free(c.at);
    return c.status;
}
