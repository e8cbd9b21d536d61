// Closed forms: fall, slide, bounce, rest, spin.
#include "body/bodies.h"

static void test_free_fall(void **state) {
    (void)state;
    const double steps[] = {1.0 / 240, 1e-3, 0.00417, 0.0101};
    for (int i = 0; i < 4; i++) {
        firn_body_def def = box_body("box", dvec(0.3, 0.2, 0.1), dvec(1, 50, 2));
        def.velocity = dvec(2, 1, -1);
        def.spin = dvec(3, 1, 2);
        model_setting setting = usual_setting();
        run r = start(&def, 1, &setting);
        for (int t = 1; t <= 2; t++) {
            run_to(&r, t, steps[i]);
            firn_body_state s = body_state(r.set, 0);
            double fall = G * t * t / 2;
            assert_near(50 + 1.0 * t - s.position.y, fall, 1e-4 * fall);
            assert_near(s.position.x, 1 + 2.0 * t, 1e-9);
            assert_near(s.velocity.y, 1 - G * t, 1e-9);
        }
        stop(&r);
    }
}

// A box on a plane tilted about z by `angle`; returns its speed down the slope after `seconds`.
static double slide_speed(double angle, double friction, double seconds, double *moved) {
    firn_body_def defs[2] = {plane_body(friction, 0), box_body("box", dvec(0.4, 0.2, 0.3), dvec(0, 0, 0))};
    defs[0].rotate = defs[1].rotate = dvec(0, 0, -angle);
    defs[1].friction = friction;
    firn_vec3 normal = dvec(sin(angle), cos(angle), 0), down = dvec(cos(angle), -sin(angle), 0);
    defs[1].at = dvec_scale(normal, 0.1);
    model_setting setting = usual_setting();
    run r = start(defs, 2, &setting);
    run_to(&r, 0.2, 1.0 / 240);
    firn_body_state before = body_state(r.set, 1);
    run_to(&r, 0.2 + seconds, 1.0 / 240);
    firn_body_state after = body_state(r.set, 1);
    *moved = dvec_distance(after.position, before.position);
    double change = dvec_dot(dvec_sub(after.velocity, before.velocity), down);
    assert_near(dvec_dot(after.position, normal), 0.1, 2e-4);
    stop(&r);
    return change;
}

static void test_incline(void **state) {
    (void)state;
    const double frictions[] = {0.2, 0.5, 0.9};
    for (int i = 0; i < 3; i++) {
        double limit = atan(frictions[i]), moved;
        slide_speed(limit - 0.02, frictions[i], 2, &moved);
        print_message("mu %.1f: creep %.2e mm/s\n", frictions[i], moved / 2 * 1000);
        assert_true(moved / 2 < 1e-3);
        double angle = limit + 0.1, seconds = 1;
        double expected = G * (sin(angle) - frictions[i] * cos(angle)) * seconds;
        double speed = slide_speed(angle, frictions[i], seconds, &moved);
        print_message("mu %.1f: slides %.4f m/s, expected %.4f\n", frictions[i], speed, expected);
        assert_near(speed, expected, 0.03 * expected);
    }
}

static void test_sliding_stops_where_it_should(void **state) {
    (void)state;
    const double friction = 0.4, speed = 3;
    firn_body_def defs[2] = {plane_body(friction, 0), box_body("box", dvec(0.5, 0.1, 0.5), dvec(0, 0.05, 0))};
    defs[1].friction = friction;
    defs[1].velocity = dvec(speed * 0.6, 0, speed * 0.8);
    model_setting setting = usual_setting();
    run r = start(defs, 2, &setting);
    run_to(&r, 3, 1.0 / 240);
    firn_body_state s = body_state(r.set, 1);
    double way = hypot(s.position.x, s.position.z), expected = speed * speed / (2 * friction * G);
    print_message("stops after %.4f m, expected %.4f\n", way, expected);
    assert_near(way, expected, 0.02 * expected);
    assert_true(dvec_length(s.velocity) < 1e-4);
    stop(&r);
}

// Rebound height over the height of the drop, as a ratio of speeds.
static double rebound(firn_body_def body, double low, double restitution, double height, double dt) {
    firn_body_def defs[2] = {plane_body(0.3, restitution), body};
    defs[1].at.y = low + height;
    model_setting setting = usual_setting();
    run r = start(defs, 2, &setting);
    bool bounced = false;
    double top = 0;
    while (r.time < 4) {
        one_step(&r, dt);
        firn_body_state s = body_state(r.set, 1);
        if (s.velocity.y > 0) bounced = true;
        if (bounced) {
            top = fmax(top, s.position.y - low);
            if (s.velocity.y < 0) break;
        }
    }
    stop(&r);
    return sqrt(top / height);
}

static void test_bounce(void **state) {
    (void)state;
    const double values[] = {0.2, 0.5, 0.8, 1.0}, heights[] = {0.3, 1, 5};
    for (int i = 0; i < 4; i++) {
        for (int h = 0; h < 3; h++) {
            firn_body_def ball = ball_body("ball", 0.1, dvec(0, 0, 0));
            firn_body_def box = box_body("box", dvec(0.3, 0.2, 0.4), dvec(0, 0, 0));
            double of_ball = rebound(ball, 0.1, values[i], heights[h], 1.0 / 240);
            double of_box = rebound(box, 0.1, values[i], heights[h], 1.0 / 240);
            print_message("restitution %.1f from %.1f m: ball %.4f, box %.4f\n", values[i], heights[h],
                          of_ball, of_box);
            assert_near(of_ball, values[i], 0.05 * values[i]);
            assert_near(of_box, values[i], 0.05 * values[i]);
        }
    }
}

static void test_stack_of_five_stays(void **state) {
    (void)state;
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    firn_body_def defs[6] = {plane_body(0.5, 0)};
    for (int i = 0; i < 5; i++)
        defs[i + 1] = box_body(names[i], dvec(0.4, 0.4, 0.4), dvec(0, 0.2 + 0.4 * i, 0));
    model_setting setting = usual_setting();
    run r = start(defs, 6, &setting);
    run_to(&r, 10, 1.0 / 240);
    for (size_t i = 1; i < 6; i++) {
        firn_body_state s = body_state(r.set, i);
        print_message("box %zu: %.2e %.2e %.2e, speed %.1e\n", i, s.position.x, s.position.y - defs[i].at.y,
                      s.position.z, dvec_length(s.velocity));
        assert_true(dvec_distance(s.position, defs[i].at) < 0.005);
        assert_true(dvec_length(s.velocity) < 2e-3);
    }
    stop(&r);
}

static void test_tumbling_keeps_angular_momentum(void **state) {
    (void)state;
    firn_body_def def = box_body("brick", dvec(0.4, 0.1, 0.2), dvec(0, 0, 0));
    def.spin = dvec(0.1, 0.1, 8); // near the unstable middle axis
    def.rotate = dvec(0.3, 0.2, 0.1);
    model_setting setting = usual_setting();
    setting.gravity = dvec(0, 0, 0);
    run r = start(&def, 1, &setting);
    double mass = body_state(r.set, 0).mass, size[3] = {0.4, 0.1, 0.2}, energy = ledger_of(&r).kinetic;
    firn_vec3 first = {0, 0, 0};
    for (int i = 0; i <= 10; i++) {
        run_to(&r, i, 1.0 / 240);
        firn_body_state s = body_state(r.set, 0);
        firn_vec3 local = dquat_rotate_back(s.rotation, s.spin);
        local.x *= mass / 12 * (size[1] * size[1] + size[2] * size[2]);
        local.y *= mass / 12 * (size[0] * size[0] + size[2] * size[2]);
        local.z *= mass / 12 * (size[0] * size[0] + size[1] * size[1]);
        firn_vec3 momentum = dquat_rotate(s.rotation, local);
        if (i == 0) first = momentum;
        assert_true(dvec_distance(momentum, first) < 1e-6 * dvec_length(first));
    }
    print_message("energy drift %.2e\n", ledger_of(&r).kinetic / energy - 1);
    assert_near(ledger_of(&r).kinetic, energy, 0.01 * energy);
    stop(&r);
}

static void test_collision_keeps_momentum(void **state) {
    (void)state;
    firn_body_def defs[2] = {box_body("box", dvec(0.3, 0.3, 0.3), dvec(-1, 0.1, 0)),
                             ball_body("ball", 0.2, dvec(1, 0, 0.05))};
    defs[0].velocity = dvec(3, 0, 0);
    defs[0].spin = dvec(1, 2, 3);
    defs[1].velocity = dvec(-2, 0.1, 0);
    defs[0].restitution = 0.5;
    model_setting setting = usual_setting();
    setting.gravity = dvec(0, 0, 0);
    run r = start(defs, 2, &setting);
    firn_ledger before = ledger_of(&r);
    run_to(&r, 1, 1.0 / 240);
    firn_ledger after = ledger_of(&r);
    assert_true(after.kinetic < 0.9 * before.kinetic); // they have met
    double size = dvec_length(before.momentum) + before.mass * 3;
    assert_true(dvec_distance(before.momentum, after.momentum) < 1e-6 * size);
    stop(&r);
}

static void test_fast_ball_does_not_tunnel(void **state) {
    (void)state;
    for (int i = 0; i < 20; i++) {
        firn_body_def defs[2] = {box_body("plate", dvec(1, 1, 0.01), dvec(0, 0, 0)),
                                 ball_body("ball", 0.025, dvec(0.1, 0.05, -1 - 0.013 * i))};
        defs[0].motion.kind = FIRN_MOTION_FIXED;
        defs[1].velocity = dvec(0.5 * i, 0, 60);
        model_setting setting = usual_setting();
        run r = start(defs, 2, &setting);
        run_to(&r, 0.1, 1.0 / 240);
        assert_true(body_state(r.set, 1).position.z < -0.02);
        stop(&r);
    }
}

// Everything that was thrown comes to rest: the kinetic energy goes to nothing and stays there.
static void test_heap_comes_to_rest(void **state) {
    (void)state;
    enum { N = 30 };
    static char names[N][16];
    firn_body_def defs[N + 1] = {plane_body(0.6, 0.1)};
    for (int i = 0; i < N; i++) {
        snprintf(names[i], sizeof names[i], "b%d", i);
        firn_vec3 at = dvec(0.25 * (i % 3) - 0.2, 0.4 + 0.3 * (i / 3), 0.22 * (i % 2));
        defs[i + 1] = i % 3 ? box_body(names[i], dvec(0.2, 0.15, 0.25), at) : ball_body(names[i], 0.1, at);
        defs[i + 1].rotate = dvec(0.3 * i, 0.7 * i, 0.2);
    }
    model_setting setting = usual_setting();
    run r = start(defs, N + 1, &setting);
    double start_energy = ledger_of(&r).potential, highest = 0;
    run_to(&r, 8, 1.0 / 240);
    for (int i = 0; i < 240; i++) {
        one_step(&r, 1.0 / 240);
        highest = fmax(highest, ledger_of(&r).kinetic);
    }
    print_message("heap: kinetic at most %.2e J of %.2e J\n", highest, start_energy);
    for (size_t i = 1; i <= N; i++) assert_true(body_state(r.set, i).position.y > 0.05);
    assert_true(highest < 1e-4 * start_energy);
    stop(&r);
}

// One body of two parts, on uneven ground: comes to rest on it, not in it.
static void test_union_rests_on_hills(void **state) {
    (void)state;
    firn_part_def parts[2] = {{.name = "bar", .scale = 1}, {.name = "knob", .scale = 1, .at = {0.3, 0, 0}}};
    parts[0].shape = (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {0.6, 0.1, 0.1}};
    parts[1].shape = (firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 0.15};
    firn_body_def defs[2] = {body_of("hills", FIRN_SHAPE_HILLS), body_of("club", FIRN_SHAPE_UNION)};
    defs[0].shape.size = dvec(20, 1.5, 20);
    defs[0].shape.seed = 3;
    defs[1].shape.parts.items = parts;
    defs[1].shape.parts.count = 2;
    defs[1].motion.kind = FIRN_MOTION_DYNAMIC;
    defs[1].at = dvec(0.3, 3, 0.2);
    defs[1].rotate = dvec(0.5, 0.3, 1.1);
    model_setting setting = usual_setting();
    run r = start(defs, 2, &setting);
    run_to(&r, 6, 1.0 / 240);
    firn_body_state s = body_state(r.set, 1);
    double lowest = 1;
    for (int i = 0; i <= 40; i++) { // the edges of the bar
        firn_vec3 p = dvec(-0.3 + 0.6 * (i / 4) / 10, i % 2 ? 0.05 : -0.05, i % 4 < 2 ? 0.05 : -0.05);
        p = dvec_add(s.position, dquat_rotate(s.rotation, p));
        float x = (float)p.x, y = (float)p.y, z = (float)p.z, d;
        body_query(r.set, 0, 1, &x, &y, &z, &d, NULL, NULL, NULL);
        lowest = fmin(lowest, (double)d);
    }
    print_message("union: speed %.1e, lowest point at %.4f\n", dvec_length(s.velocity), lowest);
    assert_true(dvec_length(s.velocity) < 0.02 && dvec_length(s.spin) < 0.2);
    assert_true(lowest > -0.003 && lowest < 0.05);
    stop(&r);
}

static void test_what_is_not_finite_is_an_error(void **state) {
    (void)state;
    firn_body_def def = ball_body("ball", 0.2, dvec(0, 0, 0));
    model_setting setting = usual_setting();
    run r = start(&def, 1, &setting);
    body_add_force(r.set, 0, dvec(1e308, 1e308, 0), dvec(0, 0, 0));
    body_add_force(r.set, 0, dvec(1e308, 1e308, 0), dvec(0, 0, 0));
    model_step step = {0, 1.0 / 240, 17, 0, NULL};
    assert_int_equal(body_model.step(r.set, r.set, step), FIRN_UNSTABLE);
    assert_non_null(strstr(firn_last_error(), "velocity of 'ball'"));
    assert_non_null(strstr(firn_last_error(), "step 17"));
    stop(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_fall),
        cmocka_unit_test(test_incline),
        cmocka_unit_test(test_sliding_stops_where_it_should),
        cmocka_unit_test(test_bounce),
        cmocka_unit_test(test_stack_of_five_stays),
        cmocka_unit_test(test_tumbling_keeps_angular_momentum),
        cmocka_unit_test(test_collision_keeps_momentum),
        cmocka_unit_test(test_fast_ball_does_not_tunnel),
        cmocka_unit_test(test_heap_comes_to_rest),
        cmocka_unit_test(test_union_rests_on_hills),
        cmocka_unit_test(test_what_is_not_finite_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
