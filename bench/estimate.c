// How long `firn check` takes to estimate what a run costs, and how far off it is. One thread and CPU time,
// so that a busy machine does not count as an error.
#include "bench/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/machine.h"
#include "base/memory.h"
#include "cache/cache.h"
#include "cache/measure.h"
#include "scene/build.h"

// Runs of one or two seconds, longer than check tries them; their ends differ from their beginnings.
static const struct {
    const char *name, *text;
} scenes[] = {
    {"mpm", "firn: 1\nduration: 0.3 s\nfps: 30\nbodies: {floor: {shape: plane}}\n"
            "mpm: {cell: 6 cm, snow: {ball: {shape: {sphere: {radius: 40 cm}}, at: [0, 1, 0],\n"
            "  velocity: [0, -4, 0]}}}\n"},
    {"grains",
     "firn: 1\nduration: 2 s\nfps: 30\nbodies: {floor: {shape: plane}}\n"
     "grains: {fill: {heap: {shape: {box: {size: [1.5, 1, 1]}}, at: [0, 1.2, 0], spacing: 3 cm}}}\n"},
    {"fluid",
     "firn: 1\nduration: 1 s\nfps: 30\nbodies: {floor: {shape: plane}}\n"
     "pbd: {fluid: {spacing: 5 cm, pools: {dam: {shape: {box: {size: [1, 1, 1]}}, at: [0, 0.6, 0]}}}}\n"},
};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

// What the run takes: to the last frame, each composed as it would be written.
static firn_status run_truly(scene *s, double *seconds) {
    firn_world *world = NULL;
    double started = machine_cpu_seconds();
    uint64_t frame = UINT64_MAX;
    TRY(scene_build(s, NULL, &world));
    firn_status status = FIRN_OK;
    while (status == FIRN_OK && firn_world_frame(world) <= firn_world_frames(world)) {
        char *file = NULL;
        size_t bytes;
        if (firn_world_frame(world) != frame)
            status = cache_encode(world, s->hash, CACHE_FRAME, s->def.compress, &file, &bytes);
        frame = firn_world_frame(world);
        mem_free(file);
        if (frame == firn_world_frames(world)) break;
        if (status == FIRN_OK) status = firn_world_step(world);
    }
    *seconds = machine_cpu_seconds() - started;
    firn_world_close(world);
    return status;
}

static firn_status estimate(scene *s, firn_cost *cost) {
    firn_world *world = NULL;
    build_cost built = build_cost_begin();
    TRY(scene_build(s, cost, &world));
    build_cost_end(&built);
    firn_status status = measure_run(s, world, 0, &built, cost);
    firn_world_close(world);
    return status;
}

typedef struct sums {
    double seconds, bytes; // of all estimates
    double error;          // the worst factor
    char note[256];
} sums;

static firn_status add_scene(size_t i, sums *all) {
    scene *s;
    firn_cost cost;
    double took = machine_cpu_seconds(), truth;
    TRY(scene_parse(scenes[i].text, strlen(scenes[i].text), scenes[i].name, (firn_overrides){0}, &s));
    firn_status status = estimate(s, &cost);
    took = machine_cpu_seconds() - took;
    if (status == FIRN_OK) status = run_truly(s, &truth);
    scene_close(s);
    TRY(status);
    size_t used = strlen(all->note);
    snprintf(all->note + used, sizeof all->note - used, "%s%s %.2f s of %.2f s",
             i ? ", " : "estimated: ", scenes[i].name, cost.seconds, truth);
    all->seconds += took;
    all->bytes += (double)cost.memory;
    all->error = fmax(all->error, fmax(cost.seconds / truth, truth / cost.seconds));
    return FIRN_OK;
}

firn_status bench_estimate(bench_emit emit, void *context) {
    sums all = {0};
    firn_status status = FIRN_OK;
    int threads = firn_threads();
    firn_set_threads(1);
    for (size_t i = 0; i < SCENES && status == FIRN_OK; i++) status = add_scene(i, &all);
    if (status == FIRN_OK) {
        bench_result row = {
            .workload = "estimate", .rate_unit = "scenes/s", .error = all.error, .note = all.note};
        measure_result(&row, SCENES, all.seconds, all.bytes / SCENES, 0);
        row.steps_per_second = 1 / all.seconds;
        emit(context, &row);
    }
    firn_set_threads(threads);
    return status;
}
