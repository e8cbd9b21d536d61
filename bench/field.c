// Whole steps of the snow field: a ball rolls through it, slopes settled every step. Beside it the way of
// FIELD11, which sweeps the whole buffer a fixed number of times per step, on the same number of cells and in
// the same run.
#include "bench/measure.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

enum {
    WARM_STEPS = 40,
    TIMED_STEPS = 400,
    THESIS_SWEEPS = 20,
    BALLS = 1000,
    BALLS_ROW = 32,   // balls along x
    BALLS_WARM = 150, // until most of them are in the snow
    BALLS_TIMED = 150,
    BALL_TEXT = 160,
};

static const char ball_scene[] =
    "firn: 1\nduration: 1000 s\nmax_step: 4 ms\n"
    "bodies:\n"
    "  ball: {shape: {sphere: {radius: 30 cm}}, at: [-3.5, 0.5, 0], density: 400,\n"
    "         velocity: [5, 0, 0.3], spin: [0, 0, -16], motion: dynamic}\n"
    "field: {width: %g m, length: %g m, cell: 19.53125 mm, depth: 30 cm, snow: powder}\n";

static firn_status timed_steps(firn_world *world, int steps, double *seconds) {
    double start = clock_seconds();
    for (int i = 0; i < steps; i++) TRY(firn_world_step(world));
    *seconds = (clock_seconds() - start) / steps;
    return FIRN_OK;
}

typedef struct scene_bench {
    const char *workload, *scene;
    double cells;
    int warm, timed; // steps
} scene_bench;

static firn_status bench_scene(const scene_bench *b, bench_emit emit, void *context) {
    size_t before = mem_in_use();
    firn_world *world;
    TRY(firn_world_open_text(b->scene, b->workload, &world));
    double seconds = 0;
    firn_status status = timed_steps(world, b->warm, &seconds);
    if (status == FIRN_OK) status = timed_steps(world, b->timed, &seconds);
    if (status == FIRN_OK) {
        bench_result r = {.workload = b->workload, .rate_unit = "cell-steps/s"};
        double bytes = (double)(mem_in_use() - before) / b->cells;
        measure_result(&r, b->cells, seconds, bytes, 1);
        for (size_t i = 0; i < world_model_count(world); i++)
            if (strcmp(world_model_class(world, i)->name, "field") == 0)
                bench_passes(world_model_class(world, i)->profile(world_model(world, i)), &r);
        emit(context, &r);
    }
    firn_world_close(world);
    return status;
}

// One sweep of FIELD11 3.10 over the whole buffer: the four neighbours, one fixed limit for all, plain C.
static void thesis_sweep(int n, const float *height, float *next, float limit) {
    for (int z = 1; z < n - 1; z++) {
        for (int x = 1; x < n - 1; x++) {
            const float *h = height + (size_t)z * (size_t)n + x;
            float sum = *h;
            const int way[4] = {-1, 1, -n, n};
            for (int k = 0; k < 4; k++) {
                float fall = *h - h[way[k]], down = fall - limit, up = -fall - limit;
                sum -= 0.2f * ((down > 0 ? down : 0) - (up > 0 ? up : 0));
            }
            next[(size_t)z * (size_t)n + (size_t)x] = sum;
        }
    }
}

static firn_status bench_thesis(const char *workload, int n, bench_emit emit, void *context) {
    size_t cells = (size_t)n * (size_t)n;
    float *a = mem_zero(cells, sizeof *a), *b = mem_zero(cells, sizeof *b);
    if (!a || !b) {
        mem_free(a);
        mem_free(b);
        return fail_memory("timing the method of FIELD11", 2 * cells * sizeof *a);
    }
    for (size_t i = 0; i < cells; i++) a[i] = b[i] = i % 97 == 0 ? 0.5f : 0.3f;
    int steps = n > 1000 ? 2 : 40;
    double start = clock_seconds();
    for (int i = 0; i < steps * THESIS_SWEEPS / 2; i++) {
        thesis_sweep(n, a, b, 0.012f);
        thesis_sweep(n, b, a, 0.012f);
    }
    bench_result r = {.workload = workload, .rate_unit = "cell-steps/s"};
    measure_result(&r, (double)cells, (clock_seconds() - start) / steps, 8, 1);
    r.threads = 1;
    emit(context, &r);
    mem_free(a);
    mem_free(b);
    return FIRN_OK;
}

static firn_status bench_ball(const char *workload, const char *thesis, int n, bench_emit emit,
                              void *context) {
    char scene[sizeof ball_scene + 64];
    snprintf(scene, sizeof scene, ball_scene, n * 0.01953125, n * 0.01953125);
    scene_bench b = {workload, scene, (double)n * n, WARM_STEPS, TIMED_STEPS};
    TRY(bench_scene(&b, emit, context));
    return bench_thesis(thesis, n, emit, context);
}

firn_status bench_field_512(bench_emit emit, void *context) {
    return bench_ball("field-512", "field-512-thesis", 512, emit, context);
}

firn_status bench_field_4096(bench_emit emit, void *context) {
    return bench_ball("field-4096", "field-4096-thesis", 4096, emit, context);
}

// The balls of scenes/field/thousand-balls.yaml: thrown in all directions, all over 4096 x 4096 cells.
static void write_balls(char *yaml, size_t room) {
    size_t used = (size_t)snprintf(yaml, room,
                                   "firn: 1\nduration: 1000 s\nmax_step: 4 ms\nbodies:\n"
                                   "  ground: {shape: plane}\n");
    for (int i = 0; i < BALLS; i++) {
        random4 r = random_bits(1, (uint64_t)i, 0, 0), q = random_bits(1, (uint64_t)i, 1, 0);
        const double radius[4] = {8, 10, 12, 15};
        double x = -36 + 2.3 * (i % BALLS_ROW + (double)random_unit(r, 0) * 0.6),
               z = -36 + 2.3 * (i / BALLS_ROW + (double)random_unit(r, 1) * 0.6);
        used += (size_t)snprintf(
            yaml + used, room - used,
            "  b%d: {shape: {sphere: {radius: %g cm}}, at: [%.2f, %.2f, %.2f], velocity: [%.1f, 0, %.1f], "
            "motion: dynamic, density: 500}\n",
            i, radius[(int)(random_unit(q, 0) * 4)], x, 0.5 + 1.2 * (double)random_unit(r, 2), z,
            10 * (double)random_unit(r, 3) - 5, 10 * (double)random_unit(q, 1) - 5);
    }
    snprintf(yaml + used, room - used,
             "field: {width: 81.92 m, length: 81.92 m, cell: 2 cm, snow: fresh, depth: 20 cm, sweeps: 4}\n");
}

firn_status bench_field_thousand(bench_emit emit, void *context) {
    size_t room = (BALLS + 2) * BALL_TEXT;
    char *yaml = mem_alloc(room);
    if (!yaml) return fail_memory("writing a scene of many balls", room);
    write_balls(yaml, room);
    scene_bench b = {"field-thousand", yaml, 4096.0 * 4096, BALLS_WARM, BALLS_TIMED};
    firn_status status = bench_scene(&b, emit, context);
    mem_free(yaml);
    return status;
}
