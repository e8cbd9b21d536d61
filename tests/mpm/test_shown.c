// What is only looked at: density and pressure of particles.
#include "mpm/snow.h"

// Snow squeezed evenly by hand: the closed forms, whenever they are asked for.
static void test_squeezed_snow(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){0.3, 0.3, 0.3}, (firn_vec3){0, 1, 0}, 0.1);
    w.snow.density = 400;
    w.snow.temperature = -7.5;
    firn_world *world = snow_open(&w);
    firn_field strain = firn_world_field(world, "mpm.elastic"),
               stress = firn_world_field(world, "mpm.stress"),
               plastic = firn_world_field(world, "mpm.plastic");
    double volume = 1e-3 / 8; // of a particle: the default is eight to a cell
    for (size_t i = 0; i < strain.count; i++) {
        double side = 1 - 0.001 * (double)(i % 10), push = 1000.0 * (double)(i % 7); // Pa, Kirchhoff
        float *e = (float *)strain.data + 6 * i, *t = (float *)stress.data + 6 * i;
        for (int k = 0; k < 6; k++) {
            bool diagonal = k == 0 || k == 3 || k == 5;
            e[k] = diagonal ? (float)(side * side - 1) : 0;
            t[k] = diagonal ? (float)(-push * volume) : (float)volume; // shear does not count
        }
        ((float *)plastic.data)[i] = 0.9f;
    }
    firn_field density = firn_world_field(world, "mpm.density"),
               pressure = firn_world_field(world, "mpm.pressure"),
               temperature = firn_world_field(world, "mpm.temperature");
    assert_int_equal(density.count, strain.count);
    for (size_t i = 0; i < density.count; i++) {
        double side = 1 - 0.001 * (double)(i % 10), cube = side * side * side;
        assert_near(((float *)density.data)[i], 400 / (cube * 0.9), 0.05);
        assert_near(((float *)pressure.data)[i], 1000.0 * (double)(i % 7) / cube, 1);
        assert_true(((float *)temperature.data)[i] == -7.5f);
    }
    firn_world_close(world);
}

// Falling freely it stays what it was; after a step the values are those of that step.
static void test_after_steps(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){0.3, 0.3, 0.3}, (firn_vec3){0, 1, 0}, 0.1);
    snow_floor(&w, 0.5, 0);
    w.snow.velocity = (firn_vec3){0, -6, 0};
    w.snow.density = 300;
    firn_world *world = snow_open(&w);
    assert_ok(firn_world_advance(world, 0.05));
    firn_field f = firn_world_field(world, "mpm.density");
    for (size_t i = 0; i < f.count; i++) assert_near(((float *)f.data)[i], 300, 0.5);
    assert_ok(firn_world_advance(world, 0.15)); // it has hit the floor
    f = firn_world_field(world, "mpm.density");
    firn_field x = firn_world_field(world, "mpm.position");
    double lowest = 0;
    size_t low = 0;
    for (size_t i = 0; i < f.count; i++) {
        if (((const double *)x.data)[3 * i + 1] > 0.08) continue;
        lowest += (double)((float *)f.data)[i];
        low++;
    }
    assert_true(low > 5 && lowest / (double)low > 305); // packed below
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_squeezed_snow),
                                       cmocka_unit_test(test_after_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
