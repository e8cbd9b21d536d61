// Wind around a house, solved to the tolerance; and as in WIND12, with 40 sweeps of Jacobi's iteration.
#include "bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "wind/wind_state.h"
#include "world/world.h"

// A snowstorm of an hour in a second: the whole ground is white before the clock starts, and grows.
#define WIND_SCENE(more)                                                                                     \
    "firn: 1\nduration: 1000 s\nfps: 30\nmax_step: 40 ms\n"                                                  \
    "bodies: {ground: {shape: plane}, house: {shape: {house: {height: 6 m}}}}\n"                             \
    "wind: {grid: [128, 64, 128], cell: 25 cm, inflow: {speed: 8 m/s, profile: log, gusts: 0.3}" more "}\n"  \
    "flakes: {snowfall: 3000 mm/h, shown: 100000}\ncover: {}\n"

enum { WARM = 50, STEPS = 41 };

// What one way of stepping gave, to hold another against it.
typedef struct wind_figures {
    double step, pressure; // s
    double divergence;     // of the wind's speed / cell
} wind_figures;

static wind_state *wind_of(const firn_world *world) {
    for (size_t i = 0; i < world_model_count(world); i++)
        if (world_model_class(world, i) == &wind_model) return world_model(world, i);
    return NULL;
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Seconds of a step, median of STEPS, and the largest divergence that any of them left.
static firn_status time_steps(firn_world *world, wind_state *s, wind_figures *out) {
    double seconds[STEPS];
    for (int i = 0; i < WARM; i++) TRY(firn_world_step(world));
    memset(&s->passes, 0, sizeof s->passes);
    for (int i = 0; i < STEPS; i++) {
        double start = clock_seconds();
        TRY(firn_world_step(world));
        seconds[i] = clock_seconds() - start;
        out->divergence = fmax(out->divergence, wind_worst_divergence(s) / s->reference);
    }
    qsort(seconds, STEPS, sizeof *seconds, ascending);
    out->step = seconds[STEPS / 2];
    double all = 0, pressure = 0;
    for (int i = 0; i < s->passes.count; i++) {
        all += s->passes.seconds[i];
        if (strcmp(s->passes.name[i], "pressure") == 0) pressure = s->passes.seconds[i];
    }
    out->pressure = out->step * pressure / all;
    return FIRN_OK;
}

static void describe(const wind_state *s, const wind_figures *own, const wind_figures *ours, char *note,
                     size_t size) {
    int n = snprintf(note, size,
                     "%zu flakes in the air, %llu landed; divergence left in the worst cell: %.2e of the "
                     "wind's speed / cell; %d %s",
                     s->flakes.count, (unsigned long long)s->flakes.counters[FLAKES_LANDED], own->divergence,
                     s->last.iterations, s->def.pressure == FIRN_WIND_JACOBI ? "sweeps" : "iterations");
    if (ours && n > 0 && (size_t)n < size)
        snprintf(note + n, size - (size_t)n,
                 "; ours takes %.2f of its time (pressure alone %.2f) and leaves %.0f times less divergence",
                 ours->step / own->step, ours->pressure / own->pressure, own->divergence / ours->divergence);
}

static firn_status measure(const char *workload, firn_world *world, const wind_figures *ours,
                           wind_figures *own, bench_emit emit, void *context) {
    wind_state *s = wind_of(world);
    TRY(time_steps(world, s, own));
    bench_result r = {.workload = workload, .rate_unit = "cell-steps/s"};
    // Bytes moved by about 60 passes over arrays of floats, and what they compute.
    measure_result(&r, (double)s->free_cells, own->step, 240, 900);
    bench_passes(&s->passes, &r);
    char note[400];
    describe(s, own, ours, note, sizeof note);
    r.note = note;
    emit(context, &r);
    return FIRN_OK;
}

static firn_status bench_scene(const char *workload, const char *scene, const wind_figures *ours,
                               wind_figures *own, bench_emit emit, void *context) {
    firn_world *world;
    TRY(firn_world_open_text(scene, workload, &world));
    firn_status status = measure(workload, world, ours, own, emit, context);
    firn_world_close(world);
    return status;
}

firn_status bench_wind(bench_emit emit, void *context) {
    wind_figures ours = {0}, first_order = {0}, thesis = {0};
    TRY(bench_scene("wind", WIND_SCENE(""), NULL, &ours, emit, context));
    TRY(bench_scene("wind-sl", WIND_SCENE(", advection: semi-lagrangian"), NULL, &first_order, emit,
                    context));
    return bench_scene("wind-thesis",
                       WIND_SCENE(", advection: semi-lagrangian, pressure: jacobi, sweeps: 40"), &ours,
                       &thesis, emit, context);
}
