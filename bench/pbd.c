// Position-based dynamics: whole steps, counted in projections of constraints.
#include "bench/measure.h"

#include "world/world.h"

#include <stdio.h>
#include <string.h>

typedef struct stepping {
    firn_world *world;
    firn_status status;
} stepping;

static void step_once(void *context) {
    stepping *s = context;
    if (s->status == FIRN_OK) s->status = firn_world_step(s->world);
}

static void take_passes(const firn_world *world, bench_result *r) {
    for (size_t i = 0; i < world_model_count(world); i++) {
        const model_class *class = world_model_class(world, i);
        if (strcmp(class->name, "pbd") == 0) bench_passes(class->profile(world_model(world, i)), r);
    }
}

// A distance constraint: 24 bytes of its own, two particles of 16 read and written; about 40 operations.
static firn_status bench_links(const char *workload, const char *scene, bench_emit emit, void *context) {
    stepping s = {0};
    TRY(firn_world_open_text(scene, workload, &s.world));
    double links = (double)firn_world_field(s.world, "pbd.links").count / 2;
    bench_result r = {.workload = workload, .rate_unit = "projections/s"};
    double seconds = measure_seconds(step_once, &s);
    measure_result(&r, links, seconds, 88, 40);
    take_passes(s.world, &r);
    if (s.status == FIRN_OK) emit(context, &r);
    firn_world_close(s.world);
    return s.status;
}

firn_status bench_pbd_sphere(bench_emit emit, void *context) {
    return bench_links(
        "pbd-sphere",
        "firn: 1\nduration: 100000 s\ngravity: [0, 0, 0]\n"
        "pbd: {iterations: 1, solids: {ball: {shape: {sphere: {radius: 50 cm}}, pattern: blue_noise,\n"
        "  spacing: 89.76 mm, links: decimated, near: 23.6 cm, far: 95 cm, far_count: 2}}}\n",
        emit, context);
}

firn_status bench_pbd_large(bench_emit emit, void *context) {
    return bench_links(
        "pbd-large",
        "firn: 1\nduration: 100000 s\ngravity: [0, 0, 0]\n"
        "pbd: {iterations: 1, solids: {block: {lattice: [30, 30, 31], spacing: 5 cm, links: decimated,\n"
        "  near: 72 mm, far_count: 0}}}\n",
        emit, context);
}

// A dam of n^3 particles breaks in a tank; 4 iterations, neighbours included. A pair costs about 20
// operations; a particle has some 30 neighbours, met twice in each iteration.
static firn_status bench_dam(const char *workload, int n, bench_emit emit, void *context) {
    char scene[640];
    double size = 0.05 * n;
    snprintf(
        scene, sizeof scene,
        "firn: 1\nduration: 100000 s\nmax_step: 16.7 ms\n"
        "pbd: {solver: jacobi_particle, iterations: 4,\n"
        "  box: {friction: 0, walls: [{low: [0, 0, 0], high: [%g, %g, %g]}]},\n"
        "  fluid: {spacing: 5 cm, pools: {dam: {shape: {box: {size: [%g, %g, %g]}}, at: [%g, %g, %g]}}}}\n",
        1.6 * size, 3 * size, size, size, size, size, size / 2, size / 2, size / 2);
    stepping s = {0};
    TRY(firn_world_open_text(scene, workload, &s.world));
    double count = (double)firn_world_field(s.world, "pbd.position").count;
    bench_result r = {.workload = workload, .rate_unit = "particles/s"};
    double seconds = measure_seconds(step_once, &s);
    measure_result(&r, count, seconds, 30 * 20 * 10, 30 * 20 * 10);
    take_passes(s.world, &r);
    if (s.status == FIRN_OK) emit(context, &r);
    firn_world_close(s.world);
    return s.status;
}

firn_status bench_fluid(bench_emit emit, void *context) { return bench_dam("fluid", 40, emit, context); }
firn_status bench_fluid_large(bench_emit emit, void *context) {
    return bench_dam("fluid-large", 100, emit, context);
}
