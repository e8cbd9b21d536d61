// Whole steps of the models.
#include "bench/measure.h"

#include "base/clock.h"
#include "base/memory.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void *find_model(const firn_world *world, const char *name, const model_class **class) {
    for (size_t i = 0; i < world_model_count(world); i++) {
        *class = world_model_class(world, i);
        if (strcmp((*class)->name, name) == 0) return world_model(world, i);
    }
    return NULL;
}

void bench_passes(const profile *p, bench_result *r) {
    double all = 0;
    for (int i = 0; i < p->count; i++) all += p->seconds[i];
    for (int i = 0; i < p->count && i < BENCH_PASSES && all > 0; i++) {
        r->passes[i].name = p->name[i];
        r->passes[i].share = p->seconds[i] / all;
        r->pass_count = i + 1;
    }
}

// Seconds of a step: models put their particles into order every so many steps, and some steps are easier
// than others, so that a mean over many is what a run sees; the median of three such, of large worlds one.
enum { RUN_STEPS = 32, RUNS = 3, LARGE = 1000000 };

static double run_seconds(stepping *s, int steps) {
    double start = clock_seconds();
    for (int i = 0; i < steps; i++) step_once(s);
    return (clock_seconds() - start) / steps;
}

static double usual_seconds(stepping *s, double items) {
    if (items > LARGE) return run_seconds(s, RUN_STEPS);
    double run[RUNS];
    for (int r = 0; r < RUNS; r++) run[r] = run_seconds(s, 2 * RUN_STEPS);
    double low = fmin(run[0], run[1]), high = fmax(run[0], run[1]);
    return fmax(low, fmin(high, run[2]));
}

static double items_of(const model_class *class, void *state) {
    firn_ledger ledger = {0};
    class->ledger(state, &ledger);
    return (double)ledger.items;
}

// Steps a world; items are those of the model's ledger, bytes what the world occupies per item.
static firn_status bench_world(const char *workload, const char *model, const char *scene, double operations,
                               bench_emit emit, void *context) {
    size_t before = mem_in_use();
    stepping s = {0};
    TRY(firn_world_open_text(scene, workload, &s.world));
    step_once(&s);
    double bytes = (double)(mem_in_use() - before);
    bench_result r = {.workload = workload, .rate_unit = "particle-steps/s"};
    const model_class *class = NULL;
    void *state = find_model(s.world, model, &class);
    firn_status status = state ? s.status : fail(FIRN_BAD_INPUT, "the bench scene has no model '%s'", model);
    if (status == FIRN_OK) {
        double items = items_of(class, state), seconds = usual_seconds(&s, items);
        measure_result(&r, items, seconds, bytes / items, operations);
        if (class->profile) bench_passes(class->profile(state), &r);
        status = s.status;
        if (status == FIRN_OK) emit(context, &r);
    }
    firn_world_close(s.world);
    return status;
}

static const char grains_scene[] =
    "firn: 1\n"
    "name: grains pour over bodies\n"
    "duration: 1000 s\n"
    "bodies:\n"
    "  ground: {shape: plane}\n"
    "  ball: {shape: {sphere: {radius: 50 cm}}, at: [0, 60 cm, 0]}\n"
    "  hare: {shape: {hare: {height: 1 m}}, at: [1 m, 0, 0]}\n"
    "grains:\n"
    "  radius: 8 mm\n"
    "  fill:\n"
    "    heap: {shape: {box: {size: [2 m, 1 m, 1.024 m]}}, at: [0.4 m, 1.8 m, 0], spacing: 27.36 mm}\n";

firn_status bench_grains(bench_emit emit, void *context) {
    // About 60 operations per body and grain for the query, three bodies, and 60 for the motion.
    return bench_world("grains", "grains", grains_scene, 240, emit, context);
}

// The reference of MPM15: a hare of about 183 000 particles on its way to the floor, which it meets after
// some hundred steps.
#define HARE_SCENE(kernel, law)                                                                              \
    "firn: 1\nduration: 1000 s\nbodies: {floor: {shape: plane}}\n"                                           \
    "mpm: {cell: 5 cm, kernel: " kernel ", transfer: apic, snow: {hare: {young: 1 MPa, poisson: 0.25,\n"     \
    "  law: " law ",\n"                                                                                      \
    "  shape: {hare: {height: 3.4 m}}, at: [0, 0.3, 0], velocity: [0, -3, 0]}}}\n"

// Counted in the code: 16 rows of a kernel at about 100 operations to the grid and 180 back, 500 for the law.
enum { CUBIC_OPERATIONS = 5000, QUADRATIC_OPERATIONS = 3000 };

static firn_status with_threads(int threads, const char *workload, const char *scene, double operations,
                                bench_emit emit, void *context) {
    int before = firn_threads();
    firn_set_threads(threads);
    firn_status status = bench_world(workload, "mpm", scene, operations, emit, context);
    firn_set_threads(before);
    return status;
}

// With one thread, too: how much of the second core is used.
static firn_status bench_hare(const char *workload, const char *scene, double operations, bench_emit emit,
                              void *context) {
    int threads = firn_threads();
    if (threads > 1) TRY(with_threads(1, workload, scene, operations, emit, context));
    return with_threads(threads, workload, scene, operations, emit, context);
}

firn_status bench_mpm_hare(bench_emit emit, void *context) {
    return bench_hare("mpm-hare", HARE_SCENE("cubic", "stomakhin"), CUBIC_OPERATIONS, emit, context);
}

firn_status bench_mpm_hare_quadratic(bench_emit emit, void *context) {
    return bench_hare("mpm-hare-quadratic", HARE_SCENE("quadratic", "stomakhin"), QUADRATIC_OPERATIONS, emit,
                      context);
}

// The same hare and transfer with the laws of snow that flows: what the law costs.
firn_status bench_mpm_drucker_prager(bench_emit emit, void *context) {
    return bench_hare("mpm-drucker-prager", HARE_SCENE("cubic", "drucker-prager"), CUBIC_OPERATIONS, emit,
                      context);
}

firn_status bench_mpm_cam_clay(bench_emit emit, void *context) {
    return bench_hare("mpm-cam-clay", HARE_SCENE("cubic", "cam-clay"), CUBIC_OPERATIONS, emit, context);
}

// A ball of snow of 50 thousand, 500 thousand and 5 million particles: a step's time per particle shall not
// grow.
firn_status bench_mpm_scale(bench_emit emit, void *context) {
    const double radius[3] = {0.571, 1.231, 2.651}; // m; 8 particles per cell of 5 cm
    for (int i = 0; i < 3; i++) {
        char scene[512];
        snprintf(scene, sizeof scene,
                 "firn: 1\nduration: 1000 s\nmpm: {cell: 5 cm, kernel: cubic, snow: {ball: {young: 1 MPa,\n"
                 "  shape: {sphere: {radius: %g m}}, velocity: [0, -3, 0]}}}\n",
                 radius[i]);
        TRY(bench_world("mpm-scale", "mpm", scene, CUBIC_OPERATIONS, emit, context));
    }
    return FIRN_OK;
}
