// All models in one scene: the yard, as `firn demo` runs it.
#include "bench/measure.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "scene/shipped.h"
#include "world/world.h"

static void add_pass(bench_result *r, const char *name, double seconds, double all) {
    if (r->pass_count == BENCH_PASSES || !(seconds > 0)) return;
    r->passes[r->pass_count].name = name;
    r->passes[r->pass_count++].share = seconds / all;
}

// Shares of the models and of the couplings between them; returns that of all couplings.
static double take_shares(const firn_world *world, double all, bench_result *r) {
    double between = 0;
    for (size_t i = 0; i < world_model_count(world); i++)
        add_pass(r, world_model_class(world, i)->name, world_model_seconds(world, i), all);
    for (size_t i = 0; i < firn_world_coupling_count(world); i++) {
        firn_coupling c = firn_world_coupling(world, i);
        add_pass(r, c.name, c.seconds, all);
        between += c.seconds;
    }
    return between / all;
}

// The first seconds of the scene, in which all its models are busy.
static const double LENGTH = 3;

firn_status bench_winter_yard(bench_emit emit, void *context) {
    static char note[128];
    char path[PATH_MAX];
    if (!shipped_find("winter/yard", path, sizeof path))
        return fail(FIRN_BAD_INPUT, "winter-yard: the scene winter/yard is not installed");
    firn_world *world;
    TRY(firn_world_open(path, &world));
    firn_status status = FIRN_OK;
    double start = clock_seconds();
    while (status == FIRN_OK && firn_world_time(world) < LENGTH - 1e-9)
        status = firn_world_advance_frame(world);
    double all = clock_seconds() - start;
    bench_result r = {.workload = "winter-yard",
                      .rate = firn_world_time(world) / all,
                      .rate_unit = "simulated s/s",
                      .steps_per_second = (double)firn_world_steps(world) / all,
                      .threads = firn_threads(),
                      .limit = "real time",
                      .limit_share = firn_world_time(world) / all,
                      .note = note};
    double between = take_shares(world, all, &r);
    snprintf(note, sizeof note, "couplings take %.1f %% of the time", 100 * between);
    if (status == FIRN_OK) emit(context, &r);
    firn_world_close(world);
    return status;
}
