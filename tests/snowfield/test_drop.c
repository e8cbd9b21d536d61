// How deep a ball sinks: weight and fall against the bearing law p(rho) = p0 (rho / rho0)^n over the sunken
// cap, the density of each column after FIELD11 3.5, and the momentum of the displaced snow (eq. 3.6 to 3.8).
#include "snowfield/snowfield_world.h"

static const double PI = 3.14159265358979, R = 0.2, G = 9.81;

typedef struct fall {
    double density, height; // kg/m3 of the ball; m above the snow
    double depth;           // m, of the snow
    double low;             // kg/m3, density_min; that of the snow: nothing is pushed aside
    double within;          // share of the law's depth
} fall;

static double pressed_density(double rho, double low, double high, double depth, double left) {
    double ratio = rho / (high - rho) * pow(depth / left, high / (high - low));
    return high * ratio / (1 + ratio);
}

// m z'' = m g - F(z) - M(z) z'^2: F from the bearing strength, M dz the mass displaced along dz. Rings of the
// cap; snow of 100 kg/m3, at most 150, that bears 1 kPa at first.
static double law_depth(fall f) {
    enum { RINGS = 100 };
    const double rho = 100, high = 150, p0 = 1000, n = 3.5, dt = 1e-4;
    double mass = f.density * 4 / 3 * PI * R * R * R, v = sqrt(2 * G * f.height), z = 0;
    do {
        double force = 0, taken = 0;
        for (int i = 0; i < RINGS; i++) {
            double r = (i + 0.5) / RINGS * R, sunk = z - (R - sqrt(R * R - r * r)),
                   area = 2 * PI * r * R / RINGS;
            if (sunk <= 0) break;
            if (f.depth - sunk < 1e-3) return f.depth;
            double now = pressed_density(rho, f.low, high, f.depth, f.depth - sunk);
            force += p0 * pow(now / rho, n) * area;
            taken += now * area;
        }
        v += (G - (force + taken * v * v) / mass) * dt;
        z += v * dt;
    } while (v > 0);
    return z;
}

static double field_depth(fall f, double cell, double at) {
    snowfield_world w;
    snowfield_setup(&w, 2);
    w.field.cell = cell;
    w.field.width = w.field.length = 3.2;
    w.field.depth = f.depth;
    w.field.density_min = f.low;
    w.field.density_max = 150;
    w.field.bearing = 1000;
    w.field.bearing_power = 3.5;
    w.body[0] = firn_body_def_default();
    w.body[0].name = "ball";
    w.body[0].shape = (firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = R};
    w.body[0].at = (firn_vec3){at, f.depth + R + f.height, 0.4 * at};
    w.body[0].density = f.density;
    w.body[0].motion.kind = FIRN_MOTION_DYNAMIC;
    w.world.bodies.count = 1;
    firn_world *world = snowfield_open(&w);
    assert_ok(firn_world_advance(world, 1.5));
    double depth = f.depth + R - firn_world_body_state(world, 0).position.y;
    firn_world_close(world);
    return depth;
}

static void check(const fall *falls, size_t count) {
    const double cells[] = {0.04, 0.02, 0.01};
    for (size_t i = 0; i < count; i++) {
        double law = law_depth(falls[i]);
        print_message("ball of %.0f kg/m3 from %.1f m: law %.3f m; field", falls[i].density, falls[i].height,
                      law);
        for (int k = 0; k < 3; k++) {
            double depth = field_depth(falls[i], cells[k], 0.003 * k);
            print_message(" %.3f%s", depth, k < 2 ? "," : " m\n");
            assert_near(depth, law, falls[i].within * law);
        }
    }
}

// Where all snow below the ball is pressed together and none leaves, the law is all there is.
static void test_a_ball_sinks_as_the_law_says(void **state) {
    (void)state;
    const double low = 99.9;
    const fall falls[] = {{100, 0, 0.6, low, 0.08},   {300, 0, 0.6, low, 0.06}, {100, 0.5, 0.6, low, 0.05},
                          {300, 0.5, 0.6, low, 0.03}, {200, 1, 0.8, low, 0.03}, {900, 0, 0.6, low, 0.06}};
    check(falls, sizeof falls / sizeof *falls);
}

// Fresh snow: half of what the ball displaces goes to its rim, which lies against the ball and bears it as
// well, noticeably so where it hardly sinks. 900 kg/m3 go down to the ground.
static void test_a_ball_dropped_into_fresh_snow(void **state) {
    (void)state;
    const fall falls[] = {{300, 0, 0.6, 50, 0.22},
                          {100, 0.5, 0.6, 50, 0.11},
                          {300, 0.5, 0.6, 50, 0.07},
                          {200, 1, 0.8, 50, 0.06},
                          {900, 0, 0.6, 50, 0.01}};
    check(falls, sizeof falls / sizeof *falls);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_ball_sinks_as_the_law_says),
                                       cmocka_unit_test(test_a_ball_dropped_into_fresh_snow)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
