// Whole steps of the models.
#include "bench/measure.h"

#include "base/clock.h"
#include "base/memory.h"
#include "world/world.h"

#include <string.h>

typedef struct stepping {
    firn_world *world;
    firn_status status;
} stepping;

static void step_once(void *context) {
    stepping *s = context;
    if (s->status == FIRN_OK) s->status = firn_world_step(s->world);
}

static void *find_model(const firn_world *world, const char *name, const model_class **class) {
    for (size_t i = 0; i < world_model_count(world); i++) {
        *class = world_model_class(world, i);
        if (strcmp((*class)->name, name) == 0) return world_model(world, i);
    }
    return NULL;
}

static void take_passes(const profile *p, bench_result *r) {
    double all = 0;
    for (int i = 0; i < p->count; i++) all += p->seconds[i];
    for (int i = 0; i < p->count && i < BENCH_PASSES && all > 0; i++) {
        r->passes[i].name = p->name[i];
        r->passes[i].share = p->seconds[i] / all;
        r->pass_count = i + 1;
    }
}

// Steps a world; items are those of the model's ledger, bytes what the world occupies per item.
static firn_status bench_world(const char *workload, const char *model, const char *scene, double operations,
                               bench_emit emit, void *context) {
    size_t before = mem_in_use();
    stepping s = {0};
    TRY(firn_world_open_text(scene, workload, &s.world));
    double bytes = (double)(mem_in_use() - before);
    bench_result r = {.workload = workload, .rate_unit = "particle-steps/s"};
    double seconds = measure_seconds(step_once, &s);
    const model_class *class = NULL;
    void *state = find_model(s.world, model, &class);
    firn_status status = s.status;
    if (status == FIRN_OK && !state)
        status = fail(FIRN_BAD_INPUT, "the bench scene has no model '%s'", model);
    if (status == FIRN_OK) {
        firn_ledger ledger = {0};
        class->ledger(state, &ledger);
        double items = (double)ledger.items;
        measure_result(&r, items, seconds, bytes / items, operations);
        if (class->profile) take_passes(class->profile(state), &r);
        emit(context, &r);
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

// The reference of MPM15: a hare of about 183 000 particles on its way to the floor.
#define HARE_SCENE(kernel)                                                                                   \
    "firn: 1\nduration: 1000 s\nbodies: {floor: {shape: plane}}\n"                                           \
    "mpm: {cell: 5 cm, kernel: " kernel ", snow: {hare: {young: 1 MPa, poisson: 0.25,\n"                     \
    "  fill: {shape: {hare: {height: 3.4 m}}, at: [0, 0.3, 0]}, velocity: [0, -3, 0]}}}\n"

firn_status bench_mpm_hare(bench_emit emit, void *context) {
    // Counted in the code: 16 rows of a kernel at about 100 operations to the grid and 180 back, 1400 for the
    // law.
    return bench_world("mpm-hare", "mpm", HARE_SCENE("cubic"), 5900, emit, context);
}

firn_status bench_mpm_hare_quadratic(bench_emit emit, void *context) {
    return bench_world("mpm-hare-quadratic", "mpm", HARE_SCENE("quadratic"), 3900, emit, context);
}
