// Wind around a house, solved to the tolerance; and as the thesis did, with 40 sweeps of Jacobi's iteration.
#include "bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "wind/wind_state.h"
#include "world/world.h"

#define WIND_SCENE(more)                                                                                     \
    "firn: 1\nduration: 1000 s\nfps: 30\nmax_step: 40 ms\n"                                                  \
    "bodies: {ground: {shape: plane}, house: {shape: {house: {height: 6 m}}}}\n"                             \
    "wind: {grid: [128, 64, 128], cell: 25 cm, inflow: {speed: 8 m/s, profile: log, gusts: 0.3}" more "}\n"

enum { WARM = 6, STEPS = 24 };

static double worst_divergence(const wind_state *s) {
    double worst = 0;
    for (size_t c = 0; c < s->box.size; c++)
        if (s->kind[c] == POISSON_FREE)
            worst = fmax(worst, fabs((double)(s->v[0][c + 1] - s->v[0][c] + s->v[1][c + s->box.row] -
                                              s->v[1][c] + s->v[2][c + s->box.plane] - s->v[2][c])));
    return worst;
}

static wind_state *wind_of(const firn_world *world) {
    for (size_t i = 0; i < world_model_count(world); i++)
        if (world_model_class(world, i) == &wind_model) return world_model(world, i);
    return NULL;
}

static firn_status take_steps(firn_world *world, int steps) {
    for (int i = 0; i < steps; i++) TRY(firn_world_step(world));
    return FIRN_OK;
}

static firn_status measure(const char *workload, firn_world *world, bench_emit emit, void *context) {
    TRY(take_steps(world, WARM));
    wind_state *s = wind_of(world);
    memset(&s->passes, 0, sizeof s->passes);
    double start = clock_seconds(), all = 0;
    TRY(take_steps(world, STEPS));
    double seconds = (clock_seconds() - start) / STEPS;
    bench_result r = {.workload = workload, .rate_unit = "cell-steps/s"};
    double cells = (double)s->free_cells;
    // Bytes moved by about 60 passes over arrays of floats, and what they compute.
    measure_result(&r, cells, seconds, 240, 900);
    for (int i = 0; i < s->passes.count; i++) all += s->passes.seconds[i];
    for (int i = 0; i < s->passes.count; i++) {
        r.passes[i].name = s->passes.name[i];
        r.passes[i].share = s->passes.seconds[i] / all;
        r.pass_count = i + 1;
    }
    char note[160];
    snprintf(note, sizeof note, "divergence left in the worst cell: %.2e of the wind's speed / cell; %d %s",
             worst_divergence(s) / s->reference, s->last.iterations,
             s->def.pressure == FIRN_WIND_JACOBI ? "sweeps" : "iterations");
    r.note = note;
    emit(context, &r);
    return FIRN_OK;
}

static firn_status bench_scene(const char *workload, const char *scene, bench_emit emit, void *context) {
    firn_world *world;
    TRY(firn_world_open_text(scene, workload, &world));
    firn_status status = measure(workload, world, emit, context);
    firn_world_close(world);
    return status;
}

firn_status bench_wind(bench_emit emit, void *context) {
    TRY(bench_scene("wind", WIND_SCENE(""), emit, context));
    TRY(bench_scene("wind-sl", WIND_SCENE(", advection: semi-lagrangian"), emit, context));
    return bench_scene("wind-thesis",
                       WIND_SCENE(", advection: semi-lagrangian, pressure: jacobi, sweeps: 40"), emit,
                       context);
}
