// Towers of bodies, heavy on light, and rolling.
#include "body/bodies.h"

#include <stdio.h>

enum { HIGH = 10 };

// A tower of boxes of 0.2 m; the topmost has `top` times the density of the others.
static run tower(double top) {
    firn_body_def defs[HIGH + 1] = {plane_body(0.5, 0)};
    static char name[HIGH][8];
    for (int k = 0; k < HIGH; k++) {
        snprintf(name[k], sizeof name[k], "box%d", k);
        defs[k + 1] = box_body(name[k], dvec(0.2, 0.2, 0.2), dvec(0, 0.1 + 0.2 * k, 0));
        defs[k + 1].density = k == HIGH - 1 ? 300 * top : 300;
    }
    model_setting setting = usual_setting();
    return start(defs, HIGH + 1, &setting);
}

static void check_tower(double top) {
    run r = tower(top);
    double lowest = 0, farthest = 0, fastest = 0;
    while (r.time < 10) {
        one_step(&r, 1.0 / 120);
        for (size_t k = 1; k <= HIGH; k++) {
            firn_vec3 p = body_state(r.set, k).position, v = body_state(r.set, k).velocity;
            lowest = fmin(lowest, p.y - (0.1 + 0.2 * (double)(k - 1)));
            farthest = fmax(farthest, hypot(p.x, p.z));
            if (r.time > 1) fastest = fmax(fastest, dvec_length(v));
        }
    }
    print_message("tower, top %g times as heavy: sinks %.2g m, leans %.2g m, speed %.2g m/s\n", top, -lowest,
                  farthest, fastest);
    assert_true(lowest > -0.004);
    assert_true(farthest < 0.004);
    assert_true(fastest < 0.01);
    stop(&r);
}

static void test_a_tower_of_ten_stands(void **state) {
    (void)state;
    check_tower(1);
}

static void test_a_heavy_box_stands_on_light_ones(void **state) {
    (void)state;
    check_tower(50);
}

// A sphere that rolls without resistance down 20 degrees: 5/7 g sin; with it, less by 5/7 c g cos.
static double rolling_acceleration(double coefficient) {
    firn_body_def defs[2] = {plane_body(0.8, 0), ball_body("ball", 0.1, dvec(0, 0, 0))};
    const double slope = 20 * M_PI / 180;
    defs[0].rotate.z = -slope;
    defs[1].at = dvec(0.1 * sin(slope), 0.1 * cos(slope), 0);
    defs[1].rolling_friction = defs[0].rolling_friction = coefficient;
    model_setting setting = usual_setting();
    run r = start(defs, 2, &setting);
    while (r.time < 0.2) one_step(&r, 1.0 / 240);
    double from = r.time, before = dvec_length(body_state(r.set, 1).velocity);
    while (r.time < 1.2) one_step(&r, 1.0 / 240);
    double gained = dvec_length(body_state(r.set, 1).velocity) - before, time = r.time - from;
    stop(&r);
    return gained / time;
}

static void test_rolling_friction(void **state) {
    (void)state;
    const double slope = 20 * M_PI / 180;
    for (int k = 0; k <= 2; k++) {
        double c = 0.05 * k, expected = 5.0 / 7 * G * (sin(slope) - c * cos(slope)),
               found = rolling_acceleration(c);
        print_message("rolling friction %g: %.4f m/s2, expected %.4f\n", c, found, expected);
        assert_near(found, expected, 0.01 * expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_tower_of_ten_stands),
        cmocka_unit_test(test_a_heavy_box_stands_on_light_ones),
        cmocka_unit_test(test_rolling_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
