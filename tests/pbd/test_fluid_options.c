// What the options of liquids do, each against the same liquid without it: vorticity confinement, artificial
// pressure (s_corr), density held for both signs.
#include "pbd/wet.h"

static const double SPACING = 0.04;

// Opens it without gravity, and gives each particle a velocity of stretch * place plus a spin about y.
static firn_world *weightless(wet_world *w, double stretch, double spin) {
    w->world.gravity = (firn_vec3){0};
    w->world.max_step = 1.0 / 120;
    w->world.fps = 120;
    firn_world *world = soft_open(w);
    pbd *s = soft_model(world);
    for (size_t i = 0; i < s->p.count; i++) {
        const double *x = s->p.at[i];
        float *v = s->p.v[i];
        v[0] = (float)(stretch * (double)x[0] + spin * (double)x[2]);
        v[1] = (float)(stretch * (double)x[1]);
        v[2] = (float)(stretch * (double)x[2] - spin * (double)x[0]);
    }
    return world;
}

// A cube of n particles a side around the origin.
static void setup(wet_world *w, int n) {
    double half = n * SPACING / 2;
    wet_pool(w, dvec(-half, -half, -half), dvec(half, half, half), SPACING);
    w->pbd.substeps = 2;
    w->pbd.iterations = 3;
    w->fluid.xsph = 0;
}

static double turning(const pbd *s) { // angular momentum about y, per mass
    double sum = 0;
    for (size_t i = 0; i < s->p.count; i++)
        sum += s->p.at[i][2] * (double)s->p.v[i][0] - s->p.at[i][0] * (double)s->p.v[i][2];
    return sum;
}

static double energy(const pbd *s) {
    double sum = 0;
    for (size_t i = 0; i < s->p.count; i++) sum += dvec_length2(pbd_at(s->p.v[i]));
    return sum;
}

// Water that turns in a box, slowed by viscosity; energy after half a second against the start's.
static double eddy_left(double vorticity, double spin, double *turns) {
    wet_world w;
    setup(&w, 10);
    double half = 5 * SPACING;
    wet_box(&w, dvec(-half, -half, -half), dvec(half, half, half));
    w.fluid.xsph = 0.3;
    w.fluid.vorticity = vorticity;
    firn_world *world = weightless(&w, 0, spin);
    double start = energy(soft_model(world));
    soft_run(world, 0.5);
    *turns = turning(soft_model(world));
    double left = energy(soft_model(world)) / (spin != 0 ? start : 1);
    firn_world_close(world);
    return left;
}

static void test_vorticity_keeps_eddies_turning(void **state) {
    (void)state;
    double turns[4];
    double without = eddy_left(0, 6, &turns[0]), little = eddy_left(0.1, 6, &turns[1]),
           more = eddy_left(0.3, 6, &turns[2]), other_way = eddy_left(0.3, -6, &turns[3]);
    print_message("energy left of an eddy: %.3f without confinement, %.3f and %.3f with\n", without, little,
                  more);
    print_message("turns %g %g %g %g\n", turns[0], turns[1], turns[2], turns[3]);
    assert_true(little > 1.1 * without && more > 1.1 * little);
    assert_true(turns[0] > 0 && turns[1] > turns[0] &&
                turns[2] > turns[1]);          // the way it turned, not against it
    assert_near(turns[3] / turns[2], -1, 0.2); // and so for the other way
    assert_near(other_way / more, 1, 0.2);
    // What does not turn is left alone.
    double still = eddy_left(0, 0, &turns[0]), confined = eddy_left(0.3, 0, &turns[1]);
    print_message("at rest: %g without confinement, %g with\n", still, confined);
    assert_true(confined < 2 * still + 1e-6);
}

// Mean distance to the nearest neighbour, in spacings.
static double nearest(const pbd *s) {
    double sum = 0;
    for (size_t i = 0; i < s->p.count; i++) {
        double least = INFINITY;
        for (size_t k = 0; k < s->p.count; k++)
            if (k != i) least = fmin(least, dvec_length(dvec_sub(pbd_place(s, i), pbd_place(s, k))));
        sum += least;
    }
    return sum / (double)s->p.count / SPACING;
}

static double extent(const pbd *s) { // root mean square distance from the middle
    double sum = 0;
    for (size_t i = 0; i < s->p.count; i++) sum += dvec_length2(pbd_place(s, i));
    return sqrt(sum / (double)s->p.count);
}

// A drop that holds together, and how near its particles come to each other.
static double clumping(double unclump, double *radius) {
    wet_world w;
    setup(&w, 7);
    w.fluid.method = FIRN_PBD_POSITION;
    w.fluid.pressure = FIRN_PBD_BOTH_SIGNS;
    w.fluid.xsph = 0.1;
    w.fluid.unclump = unclump;
    firn_world *world = weightless(&w, 0, 0);
    soft_run(world, 0.5);
    double mean = nearest(soft_model(world));
    *radius = extent(soft_model(world));
    firn_world_close(world);
    return mean;
}

// Macklin and Mueller 2013, 3: with the density held for both signs, particles at the surface lack neighbours
// and clump; the artificial pressure keeps them apart.
static void test_artificial_pressure_keeps_particles_apart(void **state) {
    (void)state;
    double radius[3], without = clumping(0, &radius[0]), some = clumping(1e-3, &radius[1]),
                      more = clumping(3e-3, &radius[2]);
    print_message("nearest neighbour at %.3f spacings without artificial pressure, %.3f and %.3f with\n",
                  without, some, more);
    assert_true(some > 1.02 * without && more > some);
    for (int i = 1; i < 3; i++) assert_near(radius[i] / radius[0], 1, 0.15); // it is still a drop
}

// A drop that is being pulled apart; how far out it is after 0.2 s, against no forces at all.
static double pulled(firn_pbd_pressure pressure) {
    wet_world w;
    setup(&w, 7);
    w.fluid.method = FIRN_PBD_POSITION;
    w.fluid.pressure = pressure;
    firn_world *world = weightless(&w, 3, 0);
    double start = extent(soft_model(world));
    soft_run(world, 0.2);
    double now = extent(soft_model(world));
    firn_world_close(world);
    return now / (start * (1 + 3 * 0.2));
}

static void test_both_signs_hold_a_drop_together(void **state) {
    (void)state;
    double free = pulled(FIRN_PBD_COMPRESSION), held = pulled(FIRN_PBD_BOTH_SIGNS);
    print_message("pulled apart: %.3f of free flight resisting compression only, %.3f for both signs\n", free,
                  held);
    assert_near(free, 1, 0.02); // nothing holds it
    assert_true(held < 0.85);
}

// A shear wave in weightless liquid: v_x = U cos(k y) decays with nu k^2, far from the surface. Rate over
// that.
static double decay_over_theory(double spacing, double viscosity, double seconds, double *momentum) {
    enum { N = 16 };
    wet_world w;
    const double half = N * spacing / 2, k = 2 * M_PI / (N * spacing), speed = 0.01;
    wet_pool(&w, dvec(-half, -half, -half), dvec(half, half, half), spacing);
    w.world.gravity = dvec(0, 0, 0);
    w.fluid.viscosity = viscosity;
    firn_world *world = soft_open(&w);
    pbd *s = soft_model(world);
    for (size_t i = 0; i < s->p.count; i++) s->p.v[i][0] = (float)(speed * cos(k * s->p.at[i][1]));
    double left[2];
    for (int t = 0; t < 2; t++) {
        double sum = 0, squares = 0;
        *momentum = 0;
        if (t) soft_run(world, seconds);
        for (size_t i = 0; i < s->p.count; i++) {
            const double *at = s->p.at[i];
            double wave = cos(k * at[1]);
            *momentum += (double)s->p.v[i][0] / speed / (double)s->p.count;
            if (fabs(at[0]) > half / 2 || fabs(at[1]) > half / 2 || fabs(at[2]) > half / 2) continue;
            sum += wave * (double)s->p.v[i][0], squares += wave * wave;
        }
        left[t] = sum / squares;
    }
    firn_world_close(world);
    return log(left[0] / left[1]) / seconds / (viscosity / 1000 * k * k);
}

static void test_viscosity_is_in_pascal_seconds(void **state) {
    (void)state;
    const double spacing[] = {0.05, 0.025}, viscosity[] = {20, 200};
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            double k = 2 * M_PI / (16 * spacing[a]), momentum;
            double rate =
                decay_over_theory(spacing[a], viscosity[b], 0.1 / (viscosity[b] / 1000 * k * k), &momentum);
            print_message("spacing %g, %g Pa s: decays at %.3f of nu k^2; momentum %.1e\n", spacing[a],
                          viscosity[b], rate, momentum);
            assert_near(rate, 1, 0.03);
            assert_near(momentum, 0, 1e-4);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_viscosity_is_in_pascal_seconds),
        cmocka_unit_test(test_vorticity_keeps_eddies_turning),
        cmocka_unit_test(test_artificial_pressure_keeps_particles_apart),
        cmocka_unit_test(test_both_signs_hold_a_drop_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
