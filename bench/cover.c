// The surface of the snow cover, built by a thread of its own while the wind steps on.
#include "bench/measure.h"

#include <stdio.h>

#include <firn/surface.h>

#include "base/clock.h"
#include "base/random.h"
#include "wind/wind_state.h"
#include "world/world.h"

static const char scene[] =
    "firn: 1\nduration: 1000 s\nfps: 30\nmax_step: 40 ms\n"
    "bodies: {ground: {shape: plane}, house: {shape: {house: {height: 6 m}}, rotate: [0, 25 deg, 0]}}\n"
    "wind: {grid: [128, 64, 128], cell: 25 cm, inflow: {speed: 8 m/s, profile: log, gusts: 0.3}}\n"
    "flakes: {snowfall: 100 mm/h, shown: 100000}\ncover: {}\n";

enum { ROUNDS = 9, STEPS = 20 };

// Half a metre of snow on ground and roof, uneven.
static void lay_snow(wind_state *s) {
    double flake = 256 * s->cover.unit,
           column = 0.5 * (double)s->cover.density_new * s->def.cell * s->def.cell;
    for (int32_t k = 1; k <= s->box.n[2]; k++)
        for (int32_t i = 1; i <= s->box.n[0]; i++) {
            float part = random_unit(random_bits(1, (uint64_t)(k * 1000 + i), 0, 0), 0);
            uint64_t flakes = (uint64_t)(column * (0.8 + 0.4 * (double)part) / flake);
            for (uint64_t n = 0; n < flakes; n++) cover_put(s, poisson_at(&s->box, i, 1, k), COVER_PARTS);
            s->flakes.counters[FLAKES_EMITTED] += flakes;
            s->flakes.counters[FLAKES_LANDED] += flakes;
        }
}

typedef struct cover_figures {
    double surface, ask, alone, beside; // s: building it, asking for it, a step without and while it is built
    size_t triangles;
    int built;
} cover_figures;

// The thread builds one after the other while the steps of the second half are timed.
static firn_status time_steps(firn_world *world, cover_figures *f) {
    double seconds[2][STEPS];
    for (int i = 0; i < 2 * STEPS; i++) {
        firn_surface m;
        double start = clock_seconds();
        bool begun = false, asking = i >= STEPS;
        if (asking) TRY(firn_world_surface_request(world, "cover", NULL, &begun));
        TRY(firn_world_step(world));
        if (asking) TRY(firn_world_surface(world, "cover", &m));
        seconds[asking][i % STEPS] = clock_seconds() - start;
        f->built += begun;
    }
    f->alone = measure_median(seconds[0], STEPS);
    f->beside = measure_median(seconds[1], STEPS);
    return FIRN_OK;
}

static firn_status time_surface(firn_world *world, cover_figures *f) {
    double surface[ROUNDS], ask[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
        firn_surface m;
        TRY(firn_world_surface_wait(world, "cover", &m)); // nothing else is on its way
        double start = clock_seconds();
        TRY(firn_world_surface_request(world, "cover", NULL, NULL));
        ask[i] = clock_seconds() - start;
        TRY(firn_world_surface_wait(world, "cover", &m));
        surface[i] = m.seconds;
        f->triangles = m.mesh.triangles;
    }
    f->surface = measure_median(surface, ROUNDS);
    f->ask = measure_median(ask, ROUNDS);
    return FIRN_OK;
}

static firn_status measure(firn_world *world, bench_emit emit, void *context) {
    wind_state *s = NULL;
    for (size_t i = 0; i < world_model_count(world); i++)
        if (world_model_class(world, i) == &wind_model) s = world_model(world, i);
    cover_figures f = {0};
    lay_snow(s);
    for (int i = 0; i < 6; i++) TRY(firn_world_step(world)); // the snow comes to rest
    TRY(time_steps(world, &f));
    TRY(time_surface(world, &f));
    bench_result r = {.workload = "cover", .rate_unit = "cells/s"};
    // About four passes over the cells with snow around them, of 13 bytes each.
    measure_result(&r, 128.0 * 64 * 128, f.surface, 52, 20);
    r.threads = 1;
    char note[300];
    snprintf(note, sizeof note,
             "surface of %zu triangles in %.1f ms on a thread of its own, asked for in %.1f ms; a step takes "
             "%.1f ms without it and %.1f ms while it is built again and again (%d in %d steps)",
             f.triangles, 1e3 * f.surface, 1e3 * f.ask, 1e3 * f.alone, 1e3 * f.beside, f.built, STEPS);
    r.note = note;
    emit(context, &r);
    return FIRN_OK;
}

firn_status bench_cover(bench_emit emit, void *context) {
    firn_world *world;
    TRY(firn_world_open_text(scene, "cover", &world));
    firn_status status = measure(world, emit, context);
    firn_world_close(world);
    return status;
}
