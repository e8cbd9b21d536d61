// Flight, rest, slide and bounce of grains, and what they do to bodies.
#include "grains/grains_run.h"

static firn_grains_def grains_of(const firn_grains_fill_def *fill) {
    firn_grains_def def = firn_grains_def_default();
    def.fill.items = fill;
    def.fill.count = 1;
    def.drag = 0;
    def.restitution = 0;
    return def;
}

static void test_parabola(void **state) {
    (void)state;
    firn_grains_fill_def fill = box_of_grains(dvec(0, 50, 0), dvec(1, 1, 1), 0.25);
    fill.velocity = dvec(3, 4, -1);
    firn_grains_def def = grains_of(&fill);
    model_setting setting = usual_setting();
    grains_run r = start_grains(NULL, 0, &def, &setting);
    size_t n = grain_count(&r);
    assert_true(n > 50 && n < 80);
    firn_vec3 *first = malloc(n * sizeof *first);
    for (size_t i = 0; i < n; i++) {
        float *p = grain_positions(&r)[i];
        first[i] = dvec((double)p[0], (double)p[1], (double)p[2]);
    }
    run_grains_to(&r, 2, 1.0 / 240);
    for (size_t i = 0; i < n; i++) {
        float *p = grain_positions(&r)[i];
        assert_near((double)p[0], first[i].x + 6, 1e-3);
        assert_near((double)p[1], first[i].y + 8 - G * 2, 2e-3);
        assert_near((double)grain_velocities(&r)[i][1], 4 - 2 * G, 1e-3);
    }
    free(first);
    stop_grains(&r);
}

static void test_drag_ends_at_the_final_speed(void **state) {
    (void)state;
    firn_grains_fill_def fill = box_of_grains(dvec(0, 0, 0), dvec(0.2, 0.2, 0.2), 0.1);
    firn_grains_def def = grains_of(&fill);
    def.drag = 3;
    def.floor = -1000;
    model_setting setting = usual_setting();
    const double steps[] = {1.0 / 240, 1.0 / 1000};
    for (int i = 0; i < 2; i++) {
        grains_run r = start_grains(NULL, 0, &def, &setting);
        run_grains_to(&r, 0.5, steps[i]);
        assert_near((double)grain_velocities(&r)[0][1], -G / 3 * (1 - exp(-1.5)), 2e-4);
        run_grains_to(&r, 5, steps[i]);
        assert_near((double)grain_velocities(&r)[0][1], -G / 3, 2e-4);
        stop_grains(&r);
    }
}

static void test_rest_on_the_ground(void **state) {
    (void)state;
    firn_grains_fill_def fill = box_of_grains(dvec(0, 1, 0), dvec(1, 0.5, 1), 0.1);
    firn_grains_def def = grains_of(&fill);
    firn_body_def ground = plane_body(0.5, 0);
    model_setting setting = usual_setting();
    grains_run r = start_grains(&ground, 1, &def, &setting);
    run_grains_to(&r, 2, 1.0 / 240);
    for (size_t i = 0; i < grain_count(&r); i++) {
        assert_near((double)grain_positions(&r)[i][1], def.radius, 1e-6);
        assert_near((double)grain_velocities(&r)[i][1], 0, 1e-6);
    }
    assert_true(grains_ledger_of(&r).kinetic < 1e-9);
    stop_grains(&r);
}

static void test_slide_stops_where_it_should(void **state) {
    (void)state;
    firn_grains_fill_def fill = box_of_grains(dvec(0, 0.005, 0), dvec(0.5, 0.001, 0.5), 0.1);
    fill.pattern = FIRN_FILL_REGULAR;
    fill.fill.shape.size.y = 0.1;
    fill.fill.at.y = 0.0551;
    firn_grains_def def = grains_of(&fill);
    def.friction = 0.3;
    firn_body_def ground = plane_body(0.3, 0);
    model_setting setting = usual_setting();
    setting.gravity = dvec(0, -G, 0);
    grains_run r = start_grains(&ground, 1, &def, &setting);
    run_grains_to(&r, 0.5, 1.0 / 240); // they lie
    size_t n = grain_count(&r);
    float(*x)[3] = grain_positions(&r), start_x = x[0][0];
    for (size_t i = 0; i < n; i++) grain_velocities(&r)[i][0] = 2;
    run_grains_to(&r, 2, 1.0 / 240);
    double expected = 4 / (2 * 0.3 * G), way = (double)(grain_positions(&r)[0][0] - start_x);
    print_message("slides %.4f m, expected %.4f\n", way, expected);
    assert_near(way, expected, 0.02 * expected);
    stop_grains(&r);
}

static void test_bounce(void **state) {
    (void)state;
    const double values[] = {0.3, 0.7, 1};
    for (int k = 0; k < 3; k++) {
        firn_grains_fill_def fill = box_of_grains(dvec(0, 2, 0), dvec(0.3, 1, 0.3), 0.1);
        firn_grains_def def = grains_of(&fill);
        def.restitution = values[k];
        firn_body_def ground = plane_body(0.3, 0);
        model_setting setting = usual_setting();
        grains_run r = start_grains(&ground, 1, &def, &setting);
        size_t n = grain_count(&r);
        double *drop = calloc(n, sizeof *drop), *top = calloc(n, sizeof *top);
        bool *up = calloc(n, sizeof *up);
        for (size_t i = 0; i < n; i++) drop[i] = (double)grain_positions(&r)[i][1] - def.radius;
        while (r.bodies.time < 1.4) {
            step_grains(&r, 1.0 / 240);
            for (size_t i = 0; i < n; i++) {
                up[i] |= grain_velocities(&r)[i][1] > 0;
                if (up[i]) top[i] = fmax(top[i], (double)grain_positions(&r)[i][1] - def.radius);
            }
        }
        double worst = 0;
        for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(sqrt(top[i] / drop[i]) / values[k] - 1));
        print_message("restitution %.1f: worst error %.2f %%\n", values[k], 100 * worst);
        assert_true(worst < 0.02);
        free(drop), free(top), free(up);
        stop_grains(&r);
    }
}

// What the grains lose in momentum, the ball has got.
static void test_impulse_balance(void **state) {
    (void)state;
    firn_grains_fill_def fill = box_of_grains(dvec(-1, 0, 0), dvec(0.6, 0.6, 0.6), 0.05);
    fill.velocity = dvec(5, 0, 0);
    firn_grains_def def = grains_of(&fill);
    def.restitution = 0.3;
    firn_body_def bodies[2] = {ball_body("ball", 0.4, dvec(0.2, 0.1, 0)),
                               box_body("box", dvec(0.2, 1, 0.3), dvec(0.1, -0.2, 0.6))};
    bodies[1].rotate = dvec(0.3, 0.5, 0.1);
    for (int i = 0; i < 2; i++) bodies[i].density = 50;
    model_setting setting = usual_setting();
    setting.gravity = dvec(0, 0, 0);
    grains_run r = start_grains(bodies, 2, &def, &setting);
    firn_vec3 before = grains_ledger_of(&r).momentum;
    run_grains_to(&r, 0.5, 1.0 / 240);
    one_step(&r.bodies, 1e-6); // what was handed over last is felt now
    firn_ledger ball = ledger_of(&r.bodies);
    firn_vec3 after = grains_ledger_of(&r).momentum, sum = dvec_add(after, ball.momentum);
    print_message("momentum %.6g before, %.6g + %.6g after\n", before.x, after.x, ball.momentum.x);
    assert_true(ball.momentum.x > 0.2 * before.x);
    assert_true(dvec_distance(sum, before) < 1e-5 * dvec_length(before));
    assert_true(dvec_length(body_state(r.bodies.set, 1).spin) > 1e-4);
    stop_grains(&r);
}

static void test_ledger_of_those_who_leave(void **state) {
    (void)state;
    firn_grains_fill_def fill = box_of_grains(dvec(0, 1, 0), dvec(2, 1, 2), 0.1);
    firn_grains_def def = grains_of(&fill);
    def.floor = -1;
    firn_body_def table = box_body("table", dvec(1, 0.1, 1), dvec(0, 0, 0));
    table.motion.kind = FIRN_MOTION_FIXED;
    model_setting setting = usual_setting();
    grains_run r = start_grains(&table, 1, &def, &setting);
    size_t first = grain_count(&r);
    firn_ledger before = grains_ledger_of(&r);
    assert_near(before.mass, before.mass_in, 0);
    double mass = before.mass / (double)first;
    assert_near(mass, 400 * 4.0 / 3 * M_PI * pow(def.radius, 3), 1e-12);
    run_grains_to(&r, 2, 1.0 / 240);
    firn_ledger after = grains_ledger_of(&r);
    size_t left = grain_count(&r);
    assert_true(left > first / 8 && left < first / 2);
    assert_near(after.mass_in, before.mass_in, 0);
    assert_near(after.mass + after.mass_out, after.mass_in, 1e-12 * after.mass_in);
    assert_near(after.mass, (double)left * mass, 1e-15);
    const uint32_t *id = grain_field(&r, 3).data;
    for (size_t i = 1; i < left; i++) assert_true(id[i] > id[i - 1]); // the order is kept
    stop_grains(&r);
}

// Grains on a cart move along with it.
static void test_carried_along(void **state) {
    (void)state;
    const firn_keyframe way[] = {{0.8, {0, 0, 0}, {0, 0, 0}}, {3.8, {2, 0, 0}, {0, 1, 0}}};
    firn_body_def cart = body_of("cart", FIRN_SHAPE_BOX);
    cart.shape.size = dvec(2, 0.2, 2);
    cart.motion.kind = FIRN_MOTION_KEYFRAMES;
    cart.motion.keyframes.items = way;
    cart.motion.keyframes.count = 2;
    firn_grains_fill_def fill = box_of_grains(dvec(0, 0.5, 0), dvec(0.5, 0.3, 0.5), 0.1);
    firn_grains_def def = grains_of(&fill);
    def.friction = 0.6;
    model_setting setting = usual_setting();
    grains_run r = start_grains(&cart, 1, &def, &setting);
    run_grains_to(&r, 0.8, 1.0 / 240);
    float *p = grain_positions(&r)[0];
    firn_vec3 before = dvec((double)p[0], (double)p[1], (double)p[2]);
    run_grains_to(&r, 4.5, 1.0 / 240);
    p = grain_positions(&r)[0];
    firn_body_state s = body_state(r.bodies.set, 0);
    firn_vec3 now = dvec((double)p[0], (double)p[1], (double)p[2]);
    now = dquat_rotate_back(s.rotation, dvec_sub(now, s.position));
    assert_true(dvec_distance(now, before) < 0.02);
    stop_grains(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parabola),
        cmocka_unit_test(test_drag_ends_at_the_final_speed),
        cmocka_unit_test(test_rest_on_the_ground),
        cmocka_unit_test(test_slide_stops_where_it_should),
        cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_impulse_balance),
        cmocka_unit_test(test_ledger_of_those_who_leave),
        cmocka_unit_test(test_carried_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
