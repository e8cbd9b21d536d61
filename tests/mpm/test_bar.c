// An elastic bar of snow swings as its length, stiffness and density say, and the better the finer the cells.
#include "mpm/snow.h"

#include "mpm/mpm_state.h"
#include "world/world.h"

static const double length = 1.0, young = 1e6, density = 400;

static mpm_state *snow_state(const firn_world *world) {
    for (size_t i = 0; i < world_model_count(world); i++)
        if (strcmp(world_model_class(world, i)->name, "mpm") == 0) return world_model(world, i);
    fail_msg("there is no mpm in this world");
    return NULL;
}

// Two particles per cell edge, in rows: the noise of chance would hide how the error falls.
static void put_in_rows(mpm_state *s, double cell, size_t across) {
    size_t along = (size_t)lround(2 * length / cell);
    assert_int_equal(s->p.count, along * across * across);
    for (size_t i = 0; i < s->p.count; i++) {
        s->p.x[i][0] = -0.5 * length + 0.5 * cell * ((double)(i / (across * across)) + 0.5);
        s->p.x[i][1] = 0.5 * cell * ((double)(i / across % across) + 0.5 - 0.5 * (double)across);
        s->p.x[i][2] = 0.5 * cell * ((double)(i % across) + 0.5 - 0.5 * (double)across);
    }
}

// A free bar along x without gravity; nu = 0, so that it stays as thick as it is and the speed of its waves
// is sqrt(E / rho). It never yields. Moved as its first longitudinal mode, v = cos(pi x / L).
static firn_world *open_bar(double cell) {
    snow_world w;
    snow_box(&w, (firn_vec3){length, 4 * cell, 4 * cell}, (firn_vec3){0, 0, 0}, cell);
    w.world.gravity = (firn_vec3){0, 0, 0};
    w.snow.young = young;
    w.snow.density = density;
    w.snow.poisson = 0;
    w.snow.critical_compression = w.snow.critical_stretch = 0.5;
    firn_world *world = snow_open(&w);
    mpm_state *s = snow_state(world);
    put_in_rows(s, cell, 8);
    double k = acos(-1.0) / length, speed = 0.05; // strains of a thousandth
    for (size_t i = 0; i < s->p.count; i++) {
        double x = s->p.x[i][0] + 0.5 * length;
        s->p.v[i][0] = (float)(speed * cos(k * x));
        s->p.affine[i][0] = (float)(-speed * k * sin(k * x));
    }
    return world;
}

// How much of the mode is in the velocities.
static double mode_of(const mpm_state *s) {
    double k = acos(-1.0) / length, sum = 0;
    for (size_t i = 0; i < s->p.count; i++) sum += s->p.v[i][0] * cos(k * (s->p.x[i][0] + 0.5 * length));
    return 2 * sum / (double)s->p.count;
}

// From the first to the third time that the bar's ends stand still: one period.
static double frequency_of(double cell) {
    firn_world *world = open_bar(cell);
    mpm_state *s = snow_state(world);
    double crossing[3], before = mode_of(s), time = 0;
    for (int found = 0; found < 3;) {
        assert_ok(firn_world_step(world));
        double now = mode_of(s), later = firn_world_time(world);
        if (before * now <= 0) crossing[found++] = time + (later - time) * before / (before - now);
        before = now;
        time = later;
        assert_true(time < 1);
    }
    firn_world_close(world);
    return 1 / (crossing[2] - crossing[0]);
}

static void test_first_longitudinal_frequency(void **state) {
    (void)state;
    double exact = sqrt(young / density) / (2 * length), wrong[3];
    for (int i = 0; i < 3; i++) {
        double f = frequency_of(length / (8 << i));
        wrong[i] = fabs(f / exact - 1);
        if (getenv("FIRN_TEST_SHOW"))
            print_message("cells %d: %.4f Hz, wrong by %.2f %%\n", 8 << i, f, 100 * wrong[i]);
    }
    assert_true(wrong[1] < 0.35 * wrong[0] && wrong[2] < 0.35 * wrong[1]); // second order: a quarter
    assert_true(wrong[1] < 0.02 && wrong[2] < 0.005);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_longitudinal_frequency)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
