// Snow that melts and water that freezes: whole steps with heat, links and changes of kind.
#include "bench/measure.h"

#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A particle has some 20 neighbours, met twice by water and once by grains in each of 3 iterations, and by
// heat and viscosity.
static void emit_steps(const char *workload, const firn_world *world, double seconds, const char *note,
                       bench_emit emit, void *context) {
    bench_result r = {.workload = workload, .rate_unit = "particles/s", .note = note};
    double count = (double)firn_world_field(world, "phase.position").count;
    measure_result(&r, count, seconds, 20 * 20 * 8, 20 * 20 * 8);
    for (size_t i = 0; i < world_model_count(world); i++) {
        const model_class *class = world_model_class(world, i);
        if (strcmp(class->name, "phase") == 0) bench_passes(class->profile(world_model(world, i)), &r);
    }
    emit(context, &r);
}

// A block of 22^3 grains in a pool of n^3 particles, or as much smaller or larger: the size of all lengths.
static firn_status open_melt(const char *workload, double size, firn_world **world) {
    char scene[640];
    double wide = 0.8617 * size, block = 0.643 * size;
    snprintf(scene, sizeof scene,
             "firn: 1\nduration: 100000 s\n"
             "phase: {smoothing: 3.62783 cm, heat: {snow_conductivity: 2500 W/mK, water_conductivity: 600 "
             "W/mK, exchange: 0},\n"
             "  box: {friction: 0.1, walls: [{low: [%g, 0, %g], high: [%g, 9, %g]}]},\n"
             "  snow: {block: {shape: {box: {size: [%g, %g, %g]}}, at: [0, %g, 0], velocity: [0, -2, 0]}},\n"
             "  water: {pool: {shape: {box: {size: [%g, %g, %g]}}, at: [0, %g, 0], temperature: 50 C}}}\n",
             -wide / 2, -wide / 2, wide / 2, wide / 2, block, block, block, wide + block / 2, wide, wide,
             wide, wide / 2);
    return firn_world_open_text(scene, workload, world);
}

static firn_status bench_steps(const char *workload, stepping s, int warm, bench_emit emit, void *context) {
    for (int k = 0; k < warm; k++) step_once(&s);
    double seconds = measure_seconds(step_once, &s);
    if (s.status == FIRN_OK) emit_steps(workload, s.world, seconds, NULL, emit, context);
    firn_world_close(s.world);
    return s.status;
}

firn_status bench_phase_melt(bench_emit emit, void *context) {
    stepping s = {0};
    TRY(open_melt("phase-melt", 1, &s.world));
    return bench_steps("phase-melt", s, 60, emit, context);
}

firn_status bench_phase_hot_water(bench_emit emit, void *context) {
    stepping s = {0};
    TRY(firn_world_open_text(
        "firn: 1\nduration: 100000 s\n"
        "phase: {smoothing: 3.62783 cm, heat: {snow_conductivity: 2500 W/mK, water_conductivity: 600 W/mK, "
        "exchange: 0},\n"
        "  box: {friction: 0.5, walls: [{low: [-1.1989, 0, -1.1989], high: [1.1989, 4, 1.1989]}]},\n"
        "  snow: {bed: {shape: {box: {size: [2.3976, 0.6432, 2.3976]}}, at: [0, 0.3217, 0]}},\n"
        "  water: {drop: {shape: {box: {size: [0.3446, 0.4954, 0.3446]}}, at: [0, 0.93, 0],\n"
        "                 velocity: [0, -3, 0], temperature: 100 C}}}\n",
        "phase-hot-water", &s.world));
    return bench_steps("phase-hot-water", s, 40, emit, context);
}

enum { SIZES = 3 };
static const double scale_size[SIZES] = {0.512, 1, 1.885};
static const int scale_steps[SIZES] = {14, 2, 1};

firn_status bench_phase_scale(bench_emit emit, void *context) {
    static char note[128];
    stepping pool[SIZES] = {{0}};
    double seconds[SIZES], cost[SIZES], least = INFINITY, most = 0;
    firn_status status = FIRN_OK;
    for (int k = 0; k < SIZES && status == FIRN_OK; k++)
        status = open_melt("phase-scale", scale_size[k], &pool[k].world);
    if (status == FIRN_OK) status = measure_in_turns(pool, scale_steps, SIZES, 2, seconds);
    for (int k = 0; k < SIZES && status == FIRN_OK; k++) {
        cost[k] = seconds[k] / (double)firn_world_field(pool[k].world, "phase.position").count;
        least = fmin(least, cost[k]), most = fmax(most, cost[k]);
    }
    if (status == FIRN_OK) {
        snprintf(note, sizeof note, "%.0f, %.0f and %.0f ns a particle: within %.2f", 1e9 * cost[0],
                 1e9 * cost[1], 1e9 * cost[2], most / least);
        emit_steps("phase-scale", pool[SIZES - 1].world, seconds[SIZES - 1], note, emit, context);
    }
    for (int k = 0; k < SIZES; k++) firn_world_close(pool[k].world);
    return status;
}
