// The explicit and the semi-implicit step over the same simulated time: how much faster, and how far apart.
#include "bench/measure.h"

#include "base/clock.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A hare of about 23 000 particles, stiffer than the reference's, hits the floor and comes to rest.
static const char hare_scene[] =
    "firn: 1\nduration: 1000 s\nfps: 10\nbodies: {floor: {shape: plane, friction: 0.4}}\n"
    "mpm: {cell: 10 cm, implicit: %g, snow: {hare: {young: 1.4 MPa, poisson: 0.25, critical_stretch: "
    "0.0075,\n"
    "  shape: {hare: {height: 3.4 m}}, at: [0, 0.1, 0], velocity: [0, -5, 0]}}}\n";
static const double simulated = 0.6; // s

// Counted in the code, per particle: an explicit step; impulse and stiffness of the semi-implicit one; an
// iteration, which passes over about two nodes for eight particles.
enum { STEP_OPERATIONS = 5000, IMPULSE_OPERATIONS = 900, ITERATION_OPERATIONS = 60 };

static double iterations_of(const firn_world *world) {
    firn_field f = firn_world_field(world, "mpm.solver");
    return f.data ? ((const double *)f.data)[2] : 0;
}

static void take_profile(const firn_world *world, bench_result *r) {
    for (size_t i = 0; i < world_model_count(world); i++) {
        const model_class *class = world_model_class(world, i);
        if (strcmp(class->name, "mpm") == 0) bench_passes(class->profile(world_model(world, i)), r);
    }
}

static double middle_height(const firn_world *world) {
    firn_field f = firn_world_field(world, "mpm.position");
    const double *x = f.data;
    double sum = 0;
    for (size_t i = 0; i < f.count; i++) sum += x[3 * i + 1];
    return sum / (double)f.count;
}

enum { POINTS = 12 };
typedef struct bench_run {
    firn_world *world;
    double beta, seconds;
    double height[POINTS]; // m, of its middle
} bench_run;

static firn_status open_run(bench_run *r) {
    char scene[512];
    snprintf(scene, sizeof scene, hare_scene, r->beta);
    return firn_world_open_text(scene, "mpm-implicit", &r->world);
}

static firn_status advance_run(bench_run *r, int point) {
    double start = clock_seconds();
    TRY(firn_world_advance(r->world, simulated / POINTS));
    r->seconds += clock_seconds() - start;
    r->height[point] = middle_height(r->world);
    return FIRN_OK;
}

static void emit_run(const bench_run *run, const char *unit, bench_emit emit, void *context) {
    double particles = (double)firn_world_field(run->world, "mpm.id").count;
    double steps = (double)firn_world_steps(run->world), solved = run->beta > 0 ? steps : 0;
    double operations = steps * STEP_OPERATIONS + solved * IMPULSE_OPERATIONS +
                        (iterations_of(run->world) + solved) * ITERATION_OPERATIONS;
    bench_result r = {.workload = "mpm-implicit", .rate_unit = unit};
    measure_result(&r, simulated, run->seconds, 0, particles * operations / simulated);
    r.steps_per_second = steps / run->seconds;
    take_profile(run->world, &r);
    emit(context, &r);
}

static void emit_ratio(const bench_run run[2], bench_emit emit, void *context) {
    double apart = 0, faster = run[0].seconds / run[1].seconds;
    for (int i = 0; i < POINTS; i++) apart = fmax(apart, fabs(run[1].height[i] / run[0].height[i] - 1));
    char note[80];
    snprintf(note, sizeof note, "height of the middle: within %.2f %% of the explicit path", 100 * apart);
    bench_result ratio = {.workload = "mpm-implicit",
                          .rate = faster,
                          .rate_unit = "times explicit",
                          .steps_per_second = 1 / run[1].seconds,
                          .threads = firn_threads(),
                          .limit = "explicit",
                          .limit_share = faster,
                          .note = note};
    emit(context, &ratio);
}

// In turns, so that what else the machine does hits both alike.
firn_status bench_mpm_implicit(bench_emit emit, void *context) {
    bench_run run[2] = {{.beta = 0}, {.beta = 1}};
    firn_status status = FIRN_OK;
    for (int k = 0; k < 2 && status == FIRN_OK; k++) status = open_run(&run[k]);
    for (int i = 0; i < 2 * POINTS && status == FIRN_OK; i++) status = advance_run(&run[i % 2], i / 2);
    if (status == FIRN_OK) {
        emit_run(&run[0], "s/s explicit", emit, context);
        emit_run(&run[1], "s/s semi-implicit", emit, context);
        emit_ratio(run, emit, context);
    }
    for (int k = 0; k < 2; k++) firn_world_close(run[k].world);
    return status;
}
