// What must not come back: bodies of MPM15 slowly inflate after 6 to 8 s of rest, and particles end up in
// bodies; a minute of rest takes its time. firn-test: slow
#include "mpm/snow.h"

static double volume_of(const firn_world *world, double particle_volume) {
    firn_field f = firn_world_field(world, "mpm.elastic"), jp = firn_world_field(world, "mpm.plastic");
    const float *m = f.data, *plastic = jp.data;
    double sum = 0;
    for (size_t i = 0; i < f.count; i++, m += 6) { // det (1 + strain) = det(F_E)^2
        double xx = 1 + (double)m[0], xy = m[1], xz = m[2], yy = 1 + (double)m[3], yz = m[4],
               zz = 1 + (double)m[5];
        double det = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz);
        sum += sqrt(det) * plastic[i] * particle_volume;
    }
    return sum;
}

static void test_a_block_at_rest_keeps_its_volume(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){0.6, 0.4, 0.6}, (firn_vec3){0, 0.2, 0}, 0.1);
    snow_floor(&w, 0.5, 0);
    firn_world *world = snow_open(&w);
    size_t count = firn_world_field(world, "mpm.id").count;
    double each = 0.6 * 0.4 * 0.6 / (double)count;
    assert_ok(firn_world_advance(world, 2));
    double volume = volume_of(world, each), kinetic = snow_ledger(world).kinetic;
    firn_vec3 middle = snow_mean(world, "mpm.position");
    assert_ok(firn_world_advance(world, 58));
    firn_vec3 end = snow_mean(world, "mpm.position");
    assert_near(volume_of(world, each) / volume, 1, 0.01);
    assert_near(end.x, middle.x, 0.01); // a tenth of a cell
    assert_near(end.y, middle.y, 0.01);
    assert_near(end.z, middle.z, 0.01);
    // It falls to the noise of a block that rests: a ten-millionth of the energy of its own height and less.
    double last = snow_ledger(world).kinetic;
    assert_true(last < 0.1 * kinetic && last < 1e-8 * snow_ledger(world).mass * 9.81 * 0.4);
    firn_world_close(world);
}

static void test_no_particle_ends_in_a_body(void **state) {
    (void)state;
    snow_world w;
    snow_box(&w, (firn_vec3){0.5, 0.5, 0.5}, (firn_vec3){0, 1.0, 0}, 0.05);
    w.snow.velocity = (firn_vec3){0, -6, 0};
    firn_body_def bodies[2];
    snow_floor(&w, 0.4, 0.2);
    bodies[0] = w.floor;
    bodies[1] = firn_body_def_default();
    bodies[1].name = "ball";
    bodies[1].shape.kind = FIRN_SHAPE_SPHERE;
    bodies[1].shape.radius = 0.3;
    bodies[1].at = (firn_vec3){0.1, 0.35, 0};
    w.world.bodies.items = bodies;
    w.world.bodies.count = 2;
    firn_world *world = snow_open(&w);
    for (int i = 0; i < 30; i++) {
        assert_ok(firn_world_advance(world, 0.01));
        firn_field x = firn_world_field(world, "mpm.position");
        float *distance = malloc(x.count * sizeof *distance);
        for (size_t b = 0; b < 2; b++) {
            snow_distances(world, b, distance);
            for (size_t k = 0; k < x.count; k++) assert_true(distance[k] > -1e-4f);
        }
        free(distance);
    }
    firn_world_close(world);
}

// Height of the middle over a floor that lies `part` of a cell above a plane of the grid.
static double rest_height(const char *type, double implicit, double part) {
    enum { CELL = 10 }; // cm
    snow_world w;
    double floor = 0.01 * CELL * part;
    snow_box(&w, (firn_vec3){0.6, 0.4, 0.6}, (firn_vec3){0, 0.2 + floor, 0}, 0.01 * CELL);
    w.snow.type = type; // with its own values
    w.snow.young = w.snow.critical_stretch = firn_mpm_snow_def_default().young;
    w.mpm.implicit = implicit;
    snow_floor(&w, 0.5, 0);
    w.floor.at.y = floor;
    firn_world *world = snow_open(&w);
    assert_ok(firn_world_advance(world, 4));
    double height = snow_mean(world, "mpm.position").y - floor;
    assert_true(snow_inside(world) == 0);
    firn_world_close(world);
    return height;
}

// Snow rests as high over a floor wherever that lies in the grid, and does not drain into it.
static void test_rest_does_not_depend_on_the_grid(void **state) {
    (void)state;
    static const char *const types[] = {"fresh", "packed"};
    static const double parts[] = {0, 0.02, 0.5, 0.9};
    for (int i = 0; i < 4; i++) {
        double low = 1, high = 0;
        for (int k = 0; k < 4; k++) {
            double height = rest_height(types[i % 2], i < 2 ? 0 : 0.5, parts[k]);
            if (getenv("FIRN_TEST_SHOW"))
                print_message("%s, %g of a cell: %g m\n", types[i % 2], parts[k], height);
            low = fmin(low, height);
            high = fmax(high, height);
        }
        assert_true(high - low < 0.01); // a tenth of a cell
        assert_near(low, 0.2, 0.01);
    }
}

// Where a thrown block ends, relative to a wall whose face is at x = `face`.
static double thrown(double face) {
    snow_world w;
    snow_box(&w, (firn_vec3){0.3, 0.3, 0.3}, (firn_vec3){face - 0.3, 0, 0}, 0.1);
    w.world.gravity = (firn_vec3){0, 0, 0};
    w.snow.velocity = (firn_vec3){2, 0, 0};
    firn_body_def wall = firn_body_def_default();
    wall.name = "wall";
    wall.shape.kind = FIRN_SHAPE_BOX;
    wall.shape.size = (firn_vec3){0.4, 3, 3};
    wall.at = (firn_vec3){face + 0.2, 0, 0};
    w.world.bodies.items = &wall;
    w.world.bodies.count = 1;
    firn_world *world = snow_open(&w);
    assert_ok(firn_world_advance(world, 0.15));
    double x = snow_mean(world, "mpm.position").x - face;
    firn_world_close(world);
    return x;
}

static void test_a_blow_does_not_depend_on_the_grid(void **state) {
    (void)state;
    double low = 1, high = -1;
    for (int i = 0; i < 10; i++) {
        double x = thrown(0.01 * i + (i ? 0.002 : 0));
        if (getenv("FIRN_TEST_SHOW")) print_message("%d: %g m\n", i, x);
        low = fmin(low, x);
        high = fmax(high, x);
    }
    assert_true(high - low < 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_block_at_rest_keeps_its_volume),
        cmocka_unit_test(test_no_particle_ends_in_a_body),
        cmocka_unit_test(test_rest_does_not_depend_on_the_grid),
        cmocka_unit_test(test_a_blow_does_not_depend_on_the_grid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
