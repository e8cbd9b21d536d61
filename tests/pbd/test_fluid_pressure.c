// Liquid held by pressures: its error is what the scene asks for, its pressure is that of its weight, it
// comes to rest and keeps its volume.
#include "pbd/wet.h"

static double error_of(pbd *s) { // mean share by which it is too dense
    pbd_show(s);
    const pbd_fluid *f = pbd_data(s, &pbd_density);
    double sum = 0;
    for (size_t i = 0; i < s->p.count; i++) sum += fmax((double)f->density[i] / 1000 - 1, 0);
    return sum / (double)s->p.count;
}

static double speed_of(const pbd *s) {
    double sum = 0;
    for (size_t i = 0; i < s->p.count; i++) sum += dvec_length2(pbd_at(s->p.v[i]));
    return sqrt(sum / (double)s->p.count);
}

static double height_of(const pbd *s) {
    double sum = 0;
    for (size_t i = 0; i < s->p.count; i++) sum += 2 * s->p.at[i][1] / (double)s->p.count;
    return sum;
}

// Pressure over rho g h, by layers. It alternates a little from layer to layer; on the floor it shows too
// little, and at the surface there is hardly any.
static void test_weight_of_each_layer(void **state) {
    (void)state;
    enum { LAYERS = 10 };
    const double spacing = 0.04, width = 0.24, depth = LAYERS * spacing;
    wet_world w;
    wet_pool(&w, dvec(0, 0, 0), dvec(width, depth, width), spacing);
    wet_box(&w, dvec(0, 0, 0), dvec(width, 2, width));
    firn_world *world = soft_open(&w);
    pbd *s = soft_model(world);
    const pbd_fluid *f = pbd_data(s, &pbd_density);
    double pressure[LAYERS] = {0}, weight[LAYERS] = {0}, most = 0;
    soft_run(world, 2);
    for (int k = 0; k < 20; k++) {
        soft_run(world, 0.05);
        assert_true(error_of(s) < 0.006);
        most = fmax(most, speed_of(s));
        for (size_t i = 0; i < s->p.count; i++) {
            double y = s->p.at[i][1];
            int layer = (int)(y / spacing);
            if (layer < 0 || layer >= LAYERS) continue;
            pressure[layer] += (double)f->pressure[i], weight[layer] += 9810 * (depth - y);
        }
    }
    print_message("at rest: %.4f m/s, height %.4f; pressure by layer:", most, height_of(s) / depth);
    for (int k = 0; k < LAYERS; k++) print_message(" %.3f", pressure[k] / weight[k]);
    print_message("\n");
    assert_true(most < 0.02);
    assert_near(height_of(s), depth, 0.01 * depth);
    double inner = 0, inner_weight = 0;
    for (int k = 1; k + 2 < LAYERS; k++) {
        assert_near(pressure[k] / weight[k], 1, 0.06);
        inner += pressure[k], inner_weight += weight[k];
    }
    assert_near(inner / inner_weight, 1, 0.02);
    assert_near(pressure[0] / weight[0], 1, 0.15);
    firn_world_close(world);
}

// A dam in a tank of 0.8 x 0.4 m: within the tolerance at all times, still after 10 s, the same volume after
// a minute.
static void test_dam_comes_to_rest(void **state) {
    (void)state;
    const double spacing = 0.05;
    wet_world w;
    wet_pool(&w, dvec(0, 0, 0), dvec(0.4, 0.4, 0.4), spacing);
    wet_box(&w, dvec(0, 0, 0), dvec(0.8, 2, 0.4));
    firn_world *world = soft_open(&w);
    pbd *s = soft_model(world);
    double worst = 0;
    for (int k = 0; k < 200; k++) {
        soft_run(world, 0.05);
        worst = fmax(worst, error_of(s));
    }
    double still = speed_of(s), height = height_of(s);
    soft_run(world, 50);
    print_message("too dense by %.4f at most; after 10 s %.4f m/s, height %.4f; after 60 s %.4f m/s, %.4f\n",
                  worst, still, height / 0.2, speed_of(s), height_of(s) / 0.2);
    assert_true(worst < 0.01);
    assert_true(still < 0.05 && speed_of(s) < 0.05);
    assert_near(height_of(s), height, 0.01 * height);
    firn_world_close(world);
}

// The tolerance is a key: half of it is half the error, for more iterations.
static double dam_error(double tolerance, double *iterations) {
    wet_world w;
    wet_pool(&w, dvec(0, 0, 0), dvec(0.4, 0.4, 0.4), 0.05);
    wet_box(&w, dvec(0, 0, 0), dvec(0.8, 2, 0.4));
    w.fluid.density_error = tolerance;
    firn_world *world = soft_open(&w);
    double worst = 0;
    for (int k = 0; k < 20; k++) {
        soft_run(world, 0.05);
        worst = fmax(worst, error_of(soft_model(world)));
    }
    *iterations = soft_model(world)->counters.iterations;
    firn_world_close(world);
    return worst;
}

static void test_tolerance_is_met(void **state) {
    (void)state;
    double few, many, coarse = dam_error(0.005, &few), fine = dam_error(0.001, &many);
    print_message("error %.4f with %g iterations, %.4f with %g\n", coarse, few, fine, many);
    assert_true(coarse < 0.006 && fine < 0.0015 && many > few);
}

static void count_warnings(void *context, firn_log_level level, const char *message) {
    (void)level;
    if (strstr(message, "compressed by")) ++*(int *)context;
}

// Whether a run says that the liquid is not held at its density.
static int warnings_of(firn_pbd_method method, int iterations) {
    wet_world w;
    wet_pool(&w, dvec(0, 0, 0), dvec(0.2, 0.8, 0.2), 0.04);
    wet_box(&w, dvec(0, 0, 0), dvec(0.2, 2, 0.2));
    w.fluid.method = method;
    w.pbd.iterations = iterations;
    int warnings = 0;
    firn_set_log(count_warnings, &warnings);
    firn_world *world = soft_open(&w);
    soft_run(world, 1);
    firn_world_close(world);
    firn_set_log(NULL, NULL);
    return warnings;
}

static void test_says_what_it_cannot_hold(void **state) {
    (void)state;
    assert_int_equal(warnings_of(FIRN_PBD_POSITION, 1), 1);
    assert_int_equal(warnings_of(FIRN_PBD_PRESSURE, 1), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_weight_of_each_layer),
        cmocka_unit_test(test_dam_comes_to_rest),
        cmocka_unit_test(test_tolerance_is_met),
        cmocka_unit_test(test_says_what_it_cannot_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
