// firn-test: slow
// Liquid that moves: a breaking dam against the experiment, a floating block, a jet at a thin plate, spouts
// and drains, wrong input.
#include "pbd/wet.h"

// The front of a column twice as high as wide, Martin and Moyce 1952: time in sqrt(a / 2 g), place in a.
static const double front[][2] = {{0.84, 1.22}, {1.19, 1.44}, {1.43, 1.67}, {1.63, 1.89}, {1.83, 2.11},
                                  {1.98, 2.33}, {2.20, 2.56}, {2.32, 2.78}, {2.51, 3.00}, {2.65, 3.22},
                                  {2.83, 3.44}, {2.98, 3.67}, {3.11, 3.89}, {3.33, 4.11}};
enum { POINTS = sizeof front / sizeof front[0] };

static double measured_at(double t) {
    int k = 1;
    while (k < POINTS - 1 && front[k][0] < t) k++;
    double share = (t - front[k - 1][0]) / (front[k][0] - front[k - 1][0]);
    return front[k - 1][1] + share * (front[k][1] - front[k - 1][1]);
}

static int by_size(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// Where the water ends: one particle in 400 is farther out, as drops.
static double front_of(const pbd *s) {
    float x[8000];
    size_t n = s->p.count;
    assert_true(n < 8000);
    for (size_t i = 0; i < n; i++) x[i] = (float)s->p.at[i][0];
    qsort(x, n, sizeof *x, by_size);
    return (double)x[n - 1 - n / 400];
}

static void break_dam(firn_pbd_method method, firn_pbd_solver solver) {
    const double a = 0.24, spacing = 0.02, unit = sqrt(a / (2 * 9.81));
    wet_world w;
    wet_pool(&w, dvec(0, 0, 0), dvec(a, 2 * a, 6 * spacing), spacing);
    wet_box(&w, dvec(0, 0, 0), dvec(6 * a, 4, 6 * spacing));
    w.world.max_step = 1.0 / 240;
    w.fluid.method = method;
    w.pbd.solver = solver;
    w.pbd.substeps = 3;
    w.pbd.iterations = 1;
    w.box.friction = 0.2;
    w.fluid.xsph = 0.05;
    firn_world *world = soft_open(&w);
    double worst = 0;
    for (int step = 1; step / 240.0 / unit < 3.33; step++) {
        assert_ok(firn_world_step(world));
        double t = step / 240.0 / unit, x = (front_of(soft_model(world)) + spacing / 2) / a;
        if (t > 0.84) worst = fmax(worst, fabs(x / measured_at(t) - 1));
    }
    print_message("front off by %.3f at most\n", worst);
    assert_true(worst < (method == FIRN_PBD_PRESSURE ? 0.08 : 0.12));
    firn_world_close(world);
}

static void test_dam_breaks_as_measured(void **state) {
    (void)state;
    break_dam(FIRN_PBD_POSITION, FIRN_PBD_JACOBI_PARTICLE);
    break_dam(FIRN_PBD_POSITION, FIRN_PBD_GAUSS_SEIDEL);
    break_dam(FIRN_PBD_PRESSURE, FIRN_PBD_JACOBI_PARTICLE);
}

static void test_wood_floats_at_its_density(void **state) {
    (void)state;
    const double spacing = 0.05, width = 0.8, depth = 0.4, side = 0.4, height = 0.25, ratio = 0.6;
    wet_world w;
    wet_pool(&w, dvec(0, 0, 0), dvec(width, depth, width), spacing);
    wet_box(&w, dvec(0, 0, 0), dvec(width, 3, width));
    w.pbd.substeps = 6;
    w.pbd.iterations = 3;
    w.fluid.xsph = 0.1;
    firn_body_def *block = soft_body(&w, "wood", FIRN_SHAPE_BOX);
    block->shape.size = dvec(side, height, side);
    block->at = dvec(width / 2, depth - 0.13 + height / 2, width / 2); // a little high
    block->density = 1000 * ratio;
    block->motion.kind = FIRN_MOTION_DYNAMIC;
    firn_world *world = soft_open(&w);
    const pbd *s = soft_model(world);
    double volume = (double)s->p.count * spacing * spacing * spacing, sum = 0;
    for (int k = 0; k < 60; k++) assert_ok(firn_world_step(world));
    for (int k = 0; k < 180; k++) {
        assert_ok(firn_world_step(world));
        // Water and the block's wet part fill the tank up to one level.
        double bottom = body_state(world_bodies(world), 0).position.y - height / 2;
        sum += (volume - width * width * bottom) / (width * width - side * side) / 180;
    }
    print_message("floats %.4f\n", sum / (ratio * height));
    assert_near(sum, ratio * height, 0.05 * ratio * height);
    firn_world_close(world);
}

// A jet of 8 m/s, 13 cm in a step, at a plate of 1 cm: all stays on this side.
static void test_nothing_goes_through_a_thin_plate(void **state) {
    (void)state;
    wet_world w;
    wet_pool(&w, dvec(-0.2, 0.4, -0.2), dvec(0.2, 0.8, 0.2), 0.04);
    w.pool[0].velocity = dvec(0, -8, 0);
    firn_body_def *plate = soft_body(&w, "plate", FIRN_SHAPE_BOX);
    plate->shape.size = dvec(2, 0.01, 2);
    firn_world *world = soft_open(&w);
    const pbd *s = soft_model(world);
    for (int k = 0; k < 20; k++) {
        assert_ok(firn_world_step(world));
        for (size_t i = 0; i < s->p.count; i++) {
            const double *x = s->p.at[i];
            assert_true(fabs(x[0]) > 1 || fabs(x[2]) > 1 || x[1] > 0.005);
        }
    }
    firn_world_close(world);
}

static void test_what_comes_and_goes_is_booked(void **state) {
    (void)state;
    wet_world w;
    firn_pbd_spout_def spout = firn_pbd_spout_def_default();
    firn_pbd_drain_def drain = firn_pbd_drain_def_default();
    wet_pool(&w, dvec(0, 0, 0), dvec(0.4, 0.2, 0.4), 0.05);
    wet_box(&w, dvec(0, 0, 0), dvec(0.4, 2, 0.4));
    spout.name = "tap", spout.opening.at = dvec(0.2, 0.6, 0.2), spout.opening.velocity = dvec(0, -1, 0);
    spout.opening.radius = 0.08, spout.opening.end = 0.5;
    drain.name = "hole", drain.where.shape.kind = FIRN_SHAPE_SPHERE, drain.where.shape.radius = 0.12;
    drain.start = 0.3;
    w.fluid.spouts.items = &spout, w.fluid.spouts.count = 1;
    w.fluid.drains.items = &drain, w.fluid.drains.count = 1;
    firn_world *world = soft_open(&w);
    const pbd *s = soft_model(world);
    double each = 1000 * 0.05 * 0.05 * 0.05, start = (double)s->p.count;
    for (int k = 0; k < 60; k++) assert_ok(firn_world_step(world));
    firn_ledger l = {0};
    pbd_ledger(s, &l);
    double in = round(l.mass_in / each), out = round(l.mass_out / each);
    assert_near(in - start, 11 * 5, 5); // 0.5 m of it, a layer of 5 every 5 cm
    assert_true(out > 5);
    assert_true((double)s->p.count == in - out);
    assert_near(l.mass, l.mass_in - l.mass_out, 1e-9 * l.mass);
    firn_world_close(world);
}

static void refuse(const wet_world *w, const char *word) {
    firn_world *world;
    assert_true(firn_world_create(&w->world, &world) == FIRN_BAD_INPUT);
    if (!strstr(firn_last_error(), word)) fail_msg("'%s' is not in: %s", word, firn_last_error());
}

static void test_wrong_input(void **state) {
    (void)state;
    wet_world w;
    wet_pool(&w, dvec(0, 0, 0), dvec(0.4, 0.4, 0.4), 0.05);
    w.fluid.smoothing = 0.04;
    refuse(&w, "smoothing");
    w.fluid.smoothing = FIRN_AUTO;
    w.fluid.density = 0;
    refuse(&w, "density");
    w.fluid.density = 1000;
    w.pool[0].density = -5;
    refuse(&w, "density");
    w.pool[0].density = FIRN_AUTO;
    w.fluid.spacing = 0;
    refuse(&w, "spacing");
    w.fluid.spacing = 0.05;
    firn_body_def *rock = soft_body(&w, "rock", FIRN_SHAPE_SPHERE);
    rock->shape.radius = 3;
    refuse(&w, "no room");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dam_breaks_as_measured),
        cmocka_unit_test(test_wood_floats_at_its_density),
        cmocka_unit_test(test_nothing_goes_through_a_thin_plate),
        cmocka_unit_test(test_what_comes_and_goes_is_booked),
        cmocka_unit_test(test_wrong_input),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
