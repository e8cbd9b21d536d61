// Bodies moved by keyframes, and what they do to others.
#include "body/bodies.h"

static const firn_keyframe keys[] = {
    {0.5, {0, 1, 0}, {0, 0, 0}},          {1.0, {1, 1.5, 0}, {0.5, 1, 0}}, {2.5, {2, 1, 1}, {1, 4, -2}},
    {2.7, {2.2, 1.2, 1.1}, {1.5, 7, -1}}, {4.0, {0, 0, 0}, {0, 9, 0}},
};
enum { KEYS = sizeof keys / sizeof keys[0] };

static firn_body_def moved(void) {
    firn_body_def def = body_of("moved", FIRN_SHAPE_BOX);
    def.motion.kind = FIRN_MOTION_KEYFRAMES;
    def.motion.keyframes.items = keys;
    def.motion.keyframes.count = KEYS;
    return def;
}

// State at a moment: one short step that ends there.
static firn_body_state state_at(run *r, double time) {
    model_step step = {time - 1e-4, 1e-4, r->step++, 0, NULL};
    assert_ok(body_model.step(r->set, r->set, step));
    return body_state(r->set, 0);
}

static double turn_between(firn_quat a, firn_quat b, firn_vec3 *axis) {
    firn_quat q = dquat_multiply(b, dquat_inverse(a));
    if (q.w < 0) q = (firn_quat){-q.w, -q.x, -q.y, -q.z};
    firn_vec3 v = dvec(q.x, q.y, q.z);
    *axis = dvec_normalise(v);
    return 2 * atan2(dvec_length(v), q.w);
}

static void test_passes_through_its_keys(void **state) {
    (void)state;
    firn_body_def def = moved();
    model_setting setting = usual_setting();
    run r = start(&def, 1, &setting);
    assert_true(dvec_distance(body_state(r.set, 0).position, keys[0].at) == 0);
    for (int i = 0; i < KEYS; i++) {
        firn_body_state s = state_at(&r, keys[i].time);
        firn_vec3 axis;
        assert_true(dvec_distance(s.position, keys[i].at) < 1e-9);
        assert_true(turn_between(s.rotation, dquat_from_angles(keys[i].rotate), &axis) < 1e-7);
    }
    firn_body_state end = state_at(&r, 100);
    assert_true(dvec_distance(end.position, keys[KEYS - 1].at) == 0);
    assert_true(dvec_length(end.velocity) == 0 && dvec_length(end.spin) == 0);
    stop(&r);
}

static void test_velocity_is_the_derivative(void **state) {
    (void)state;
    firn_body_def def = moved();
    model_setting setting = usual_setting();
    run r = start(&def, 1, &setting);
    const double h = 1e-5;
    double fastest = 0;
    for (int i = 0; i < 450; i++) {
        double t = 0.0123 + 0.01 * i;
        firn_body_state a = state_at(&r, t - h), s = state_at(&r, t), b = state_at(&r, t + h);
        firn_vec3 rate = dvec_scale(dvec_sub(b.position, a.position), 1 / (2 * h)), axis;
        double turn = turn_between(a.rotation, b.rotation, &axis) / (2 * h);
        assert_true(dvec_distance(rate, s.velocity) < 1e-4);
        assert_true(dvec_distance(dvec_scale(axis, turn), s.spin) < 1e-3);
        fastest = fmax(fastest, dvec_length(s.spin));
    }
    assert_true(fastest > 5);
    stop(&r);
}

static void test_velocity_is_continuous(void **state) {
    (void)state;
    firn_body_def def = moved();
    model_setting setting = usual_setting();
    run r = start(&def, 1, &setting);
    for (int i = 0; i < KEYS; i++) {
        firn_body_state a = state_at(&r, keys[i].time - 1e-7), b = state_at(&r, keys[i].time + 1e-7);
        assert_true(dvec_distance(a.velocity, b.velocity) < 1e-4);
        assert_true(dvec_distance(a.spin, b.spin) < 1e-3);
    }
    stop(&r);
}

// Between two equal keys a body rests, also before a sudden move, and it never leaves the range of its keys.
static void test_rests_between_equal_keys(void **state) {
    (void)state;
    const firn_keyframe way[] = {{0, {0, 1, 0}, {0.5, 0, 0}},
                                 {2, {0, 1, 0}, {0.5, 0, 0}},
                                 {2.05, {0, 0, 3}, {0.5, 0, 1}},
                                 {3, {0, 0.5, 3}, {0.5, 0, 1}}};
    firn_body_def def = moved();
    def.motion.keyframes.items = way;
    def.motion.keyframes.count = 4;
    model_setting setting = usual_setting();
    run r = start(&def, 1, &setting);
    for (int i = 1; i < 310; i++) {
        firn_body_state s = state_at(&r, 0.01 * i);
        if (i <= 200) assert_true(dvec_distance(s.position, way[0].at) < 1e-12);
        if (i <= 200) assert_true(dvec_length(s.velocity) < 1e-12 && dvec_length(s.spin) < 1e-12);
        assert_true(s.position.y >= -1e-12 && s.position.y <= 1 && s.position.z >= 0 &&
                    s.position.z <= 3 + 1e-12);
    }
    stop(&r);
}

// A lift takes a box up, sideways and down again; the box stays on it.
static void test_lift_carries_a_box(void **state) {
    (void)state;
    const firn_keyframe way[] = {{0.2, {0, 0, 0}, {0, 0, 0}},
                                 {1.2, {0, 1, 0}, {0, 0, 0}},
                                 {2.4, {0.8, 1, 0}, {0, 0, 0}},
                                 {4, {0.8, 0.2, 0}, {0, 0, 0}}};
    firn_body_def defs[2] = {body_of("lift", FIRN_SHAPE_BOX),
                             box_body("box", dvec(0.3, 0.3, 0.3), dvec(0, 0.2, 0))};
    defs[0].shape.size = dvec(1, 0.1, 1);
    defs[0].motion.kind = FIRN_MOTION_KEYFRAMES;
    defs[0].motion.keyframes.items = way;
    defs[0].motion.keyframes.count = 4;
    defs[0].friction = defs[1].friction = 0.8;
    model_setting setting = usual_setting();
    run r = start(defs, 2, &setting);
    while (r.time < 4.5) {
        one_step(&r, 1.0 / 240);
        firn_vec3 on = dvec_sub(body_state(r.set, 1).position, body_state(r.set, 0).position);
        assert_near(on.y, 0.2, 1e-3);
        assert_near(on.x, 0, 0.01);
    }
    assert_true(dvec_length(body_state(r.set, 1).velocity) < 1e-4);
    stop(&r);
}

// A wall that is moved into a ball pushes it ahead of itself.
static void test_wall_pushes(void **state) {
    (void)state;
    const firn_keyframe way[] = {{0, {-1, 0.5, 0}, {0, 0, 0}}, {2, {1, 0.5, 0}, {0, 0, 0}}};
    firn_body_def defs[3] = {plane_body(0.5, 0), body_of("wall", FIRN_SHAPE_BOX),
                             ball_body("ball", 0.2, dvec(0, 0.2, 0))};
    defs[1].shape.size = dvec(0.1, 1, 1);
    defs[1].motion.kind = FIRN_MOTION_KEYFRAMES;
    defs[1].motion.keyframes.items = way;
    defs[1].motion.keyframes.count = 2;
    model_setting setting = usual_setting();
    run r = start(defs, 3, &setting);
    while (r.time < 3) {
        one_step(&r, 1.0 / 240);
        double gap = body_state(r.set, 2).position.x - body_state(r.set, 1).position.x - 0.25;
        assert_true(gap > -1e-3);
    }
    assert_true(body_state(r.set, 2).position.x > 1.2);
    stop(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passes_through_its_keys), cmocka_unit_test(test_velocity_is_the_derivative),
        cmocka_unit_test(test_velocity_is_continuous),  cmocka_unit_test(test_rests_between_equal_keys),
        cmocka_unit_test(test_lift_carries_a_box),      cmocka_unit_test(test_wall_pushes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
