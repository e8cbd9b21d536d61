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
typedef struct run_found {
    double seconds;
    double height[POINTS]; // m, of its middle
} run_found;

static firn_status bench_beta(double beta, const char *unit, bench_emit emit, void *context, run_found *out) {
    char scene[512];
    snprintf(scene, sizeof scene, hare_scene, beta);
    firn_world *world;
    TRY(firn_world_open_text(scene, "mpm-implicit", &world));
    double start = clock_seconds();
    firn_status status = FIRN_OK;
    for (int i = 0; i < POINTS && status == FIRN_OK; i++) {
        status = firn_world_advance(world, simulated / POINTS);
        out->height[i] = middle_height(world);
    }
    out->seconds = clock_seconds() - start;
    if (status == FIRN_OK) {
        double particles = (double)firn_world_field(world, "mpm.id").count;
        double steps = (double)firn_world_steps(world),
               applied = iterations_of(world) + (beta > 0 ? steps : 0);
        double operations =
            steps * (STEP_OPERATIONS + (beta > 0 ? IMPULSE_OPERATIONS : 0)) + applied * ITERATION_OPERATIONS;
        bench_result r = {.workload = "mpm-implicit", .rate_unit = unit};
        measure_result(&r, simulated, out->seconds, 0, particles * operations / simulated);
        r.steps_per_second = steps / out->seconds;
        take_profile(world, &r);
        emit(context, &r);
    }
    firn_world_close(world);
    return status;
}

firn_status bench_mpm_implicit(bench_emit emit, void *context) {
    run_found plain, solved;
    TRY(bench_beta(0, "s/s explicit", emit, context, &plain));
    TRY(bench_beta(1, "s/s semi-implicit", emit, context, &solved));
    double apart = 0, faster = plain.seconds / solved.seconds;
    for (int i = 0; i < POINTS; i++) apart = fmax(apart, fabs(solved.height[i] / plain.height[i] - 1));
    char note[80];
    snprintf(note, sizeof note, "height of the middle: within %.2f %% of the explicit path", 100 * apart);
    bench_result ratio = {
        .workload = "mpm-implicit", .rate = faster, .rate_unit = "times explicit", .note = note};
    ratio.threads = firn_threads();
    ratio.limit = "explicit";
    ratio.limit_share = faster;
    ratio.steps_per_second = 1 / solved.seconds;
    emit(context, &ratio);
    return FIRN_OK;
}
