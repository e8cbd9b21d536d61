// Position-based dynamics: whole steps, counted in projections of constraints.
#include "bench/measure.h"

#include "world/world.h"

#include <stdio.h>
#include <string.h>

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
        "pbd: {iterations: 1, solids: {block: {lattice: [31, 31, 31], spacing: 5 cm, links: decimated,\n"
        "  near: 72 mm, far_count: 0}}}\n",
        emit, context);
}

// A dam of n^3 particles breaks in a tank, at the default density error; neighbours included. A step is about
// one sub-step long.
static firn_status open_dam(const char *workload, int n, firn_world **world) {
    char scene[640];
    double size = 0.05 * n;
    snprintf(
        scene, sizeof scene,
        "firn: 1\nduration: 100000 s\nmax_step: 5 ms\n"
        "pbd: {solver: jacobi_particle,\n"
        "  box: {friction: 0, walls: [{low: [0, 0, 0], high: [%g, %g, %g]}]},\n"
        "  fluid: {spacing: 5 cm, pools: {dam: {shape: {box: {size: [%g, %g, %g]}}, at: [%g, %g, %g]}}}}\n",
        1.6 * size, 3 * size, size, size, size, size, size / 2, size / 2, size / 2);
    return firn_world_open_text(scene, workload, world);
}

// Mean share by which the liquid is too dense.
static double density_error(const firn_world *world) {
    const firn_field density = firn_world_field(world, "pbd.density");
    const float *value = density.data;
    double sum = 0;
    for (size_t i = 0; i < density.count; i++) sum += value[i] > 1000 ? (double)value[i] / 1000 - 1 : 0;
    return density.count > 0 ? sum / (double)density.count : 0;
}

// A pair costs about 20 operations; a particle has some 30 neighbours, met twice in each iteration.
static void emit_dam(const char *workload, const firn_world *world, double seconds, const char *note,
                     bench_emit emit, void *context) {
    bench_result r = {.workload = workload,
                      .rate_unit = "particles/s",
                      .error = density_error(world),
                      .error_name = "mean density error",
                      .note = note};
    double count = (double)firn_world_field(world, "pbd.position").count;
    measure_result(&r, count, seconds, 30 * 20 * 10, 30 * 20 * 10);
    take_passes(world, &r);
    emit(context, &r);
}

firn_status bench_fluid(bench_emit emit, void *context) {
    static char note[128];
    stepping s = {0};
    TRY(open_dam("fluid", 40, &s.world));
    double seconds = measure_seconds(step_once, &s), before = firn_world_time(s.world);
    step_once(&s);
    snprintf(note, sizeof note, "%.3f simulated seconds per second",
             (firn_world_time(s.world) - before) / seconds);
    if (s.status == FIRN_OK) emit_dam("fluid", s.world, seconds, note, emit, context);
    firn_world_close(s.world);
    return s.status;
}

enum { DAMS = 3 };
static const int dam_size[DAMS] = {22, 40, 100}, dam_steps[DAMS] = {40, 8, 1};

firn_status bench_fluid_large(bench_emit emit, void *context) {
    static char note[128];
    stepping dam[DAMS] = {{0}};
    double seconds[DAMS], each[DAMS];
    firn_status status = FIRN_OK;
    for (int k = 0; k < DAMS && status == FIRN_OK; k++)
        status = open_dam("fluid-large", dam_size[k], &dam[k].world);
    if (status == FIRN_OK) status = measure_in_turns(dam, dam_steps, DAMS, 1, seconds);
    for (int k = 0; k < DAMS && status == FIRN_OK; k++) {
        each[k] = seconds[k] / (double)firn_world_field(dam[k].world, "pbd.position").count;
        snprintf(note, sizeof note, "cost of a particle against 10 648 of them: %.2f, against 64 000: %.2f",
                 each[k] / each[0], each[k] / each[k > 1]);
        emit_dam("fluid-large", dam[k].world, seconds[k], k + 1 == DAMS ? note : NULL, emit, context);
    }
    for (int k = 0; k < DAMS; k++) firn_world_close(dam[k].world);
    return status;
}
