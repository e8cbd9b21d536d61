// Same bits for any number of threads and over a restart; bad input and failing memory.
// firn-test: threaded
#include "body/bodies.h"

#include "base/param.h"

enum { N = 40 };
static char names[N][16];

static void tumbling_scene(firn_body_def *defs) {
    static const firn_keyframe way[] = {{0, {-2, 0.4, 0}, {0, 0, 0}}, {1, {2, 0.4, 0}, {0, 6, 0}}};
    defs[0] = plane_body(0.5, 0.2);
    for (int i = 1; i < N; i++) {
        snprintf(names[i], sizeof names[i], "b%d", i);
        firn_vec3 at = dvec(0.35 * (i % 4) - 0.5, 0.3 + 0.28 * (i / 4), 0.3 * (i % 3) - 0.3);
        switch (i % 4) {
        case 0: defs[i] = ball_body(names[i], 0.12, at); break;
        case 1: defs[i] = body_of(names[i], FIRN_SHAPE_CAPSULE); break;
        case 2: defs[i] = body_of(names[i], FIRN_SHAPE_CYLINDER); break;
        default: defs[i] = box_body(names[i], dvec(0.25, 0.2, 0.3), at); break;
        }
        defs[i].shape.radius = 0.1;
        defs[i].shape.length = 0.2;
        defs[i].motion.kind = FIRN_MOTION_DYNAMIC;
        defs[i].at = at;
        defs[i].rotate = dvec(0.4 * i, 0.9 * i, 0.2 * i);
        defs[i].restitution = 0.2;
        defs[i].spin = dvec(i % 5, 0, i % 7);
    }
    defs[N - 1] = body_of("sweeper", FIRN_SHAPE_BOX);
    defs[N - 1].shape.size = dvec(0.2, 0.6, 2);
    defs[N - 1].motion.kind = FIRN_MOTION_KEYFRAMES;
    defs[N - 1].motion.keyframes.items = way;
    defs[N - 1].motion.keyframes.count = 2;
}

static run tumbling(void) {
    firn_body_def defs[N];
    tumbling_scene(defs);
    model_setting setting = usual_setting();
    return start(defs, N, &setting);
}

static void test_same_bits_for_any_number_of_threads(void **state) {
    (void)state;
    const int threads[] = {1, 2, 3, 8};
    uint64_t first = 0;
    for (int i = 0; i < 4; i++) {
        firn_set_threads(threads[i]);
        run r = tumbling();
        for (int k = 0; k < 150; k++) one_step(&r, 1.0 / 240);
        if (i == 0) first = state_hash(&r);
        assert_true(state_hash(&r) == first);
        stop(&r);
    }
    firn_set_threads(0);
}

static void copy_state(const run *from, run *to) {
    firn_field a[32], b[32];
    size_t count = fields_of(&body_model, from->set, a, 32);
    for (size_t i = 0; i < count; i++) assert_ok(body_model.resize(to->set, a[i].name, a[i].count));
    assert_int_equal(fields_of(&body_model, to->set, b, 32), count);
    for (size_t i = 0; i < count; i++)
        if (a[i].flags & FIRN_FIELD_STATE)
            memcpy((void *)b[i].data, a[i].data, a[i].count * a[i].components * sizeof(double));
    assert_ok(body_model.loaded(to->set));
    to->time = from->time;
    to->step = from->step;
}

static void test_restart_gives_the_same_bits(void **state) {
    (void)state;
    run a = tumbling();
    for (int k = 0; k < 100; k++) {
        if (k == 60) body_add_force(a.set, 3, dvec(1, 2, 3), dvec(0, 1, 0));
        if (k < 60 || k % 10) {
            one_step(&a, 1.0 / 240);
            continue;
        }
        run b = tumbling();
        copy_state(&a, &b);
        assert_true(body_model.max_dt(a.set) == body_model.max_dt(b.set));
        one_step(&a, 1.0 / 240);
        one_step(&b, 1.0 / 240);
        assert_true(state_hash(&a) == state_hash(&b));
        stop(&b);
    }
    stop(&a);
}

static void test_bad_state_is_refused(void **state) {
    (void)state;
    run r = tumbling();
    assert_int_equal(body_model.resize(r.set, "bodies.position", N + 1), FIRN_BAD_INPUT);
    firn_field fields[4];
    fields_of(&body_model, r.set, fields, 4);
    double *rotation = (double *)fields[1].data, keep = rotation[4];
    rotation[4] = 7;
    assert_int_equal(body_model.loaded(r.set), FIRN_BAD_INPUT);
    rotation[4] = keep;
    double *position = (double *)fields[0].data;
    position[7] = NAN;
    assert_int_equal(body_model.loaded(r.set), FIRN_BAD_INPUT);
    uint64_t item;
    const char *what;
    assert_true(body_model.find_invalid(r.set, &item, &what));
    assert_int_equal(item, 2);
    assert_string_equal(what, "position");
    stop(&r);
}

static void expect_fault(const firn_body_def *def, const char *words) {
    assert_int_equal(param_validate(&body_params, def), FIRN_BAD_INPUT);
    if (!strstr(firn_last_error(), words)) fail_msg("'%s' does not say '%s'", firn_last_error(), words);
}

static void test_wrong_defs_are_named(void **state) {
    (void)state;
    firn_body_def def = plane_body(0.5, 0);
    assert_ok(param_validate(&body_params, &def));
    def.motion.kind = FIRN_MOTION_DYNAMIC;
    expect_fault(&def, "a plane cannot be dynamic");
    def.shape.kind = FIRN_SHAPE_HILLS;
    def.shape.size = dvec(1, 1, 1);
    expect_fault(&def, "cannot be dynamic");
    def = ball_body("ball", 0.1, dvec(0, 0, 0));
    def.motion.kind = FIRN_MOTION_FIXED;
    def.velocity = dvec(1, 0, 0);
    expect_fault(&def, "velocity");
    def.velocity = dvec(0, 0, 0);
    def.spin = dvec(0, 1, 0);
    expect_fault(&def, "spin");
    def.spin = dvec(0, 0, 0);
    def.motion.kind = FIRN_MOTION_KEYFRAMES;
    expect_fault(&def, "keyframe");
    const firn_keyframe wrong[] = {
        {0, {0, 0, 0}, {0, 0, 0}}, {1, {0, 0, 0}, {0, 0, 0}}, {1, {0, 0, 0}, {0, 0, 0}}};
    def.motion.keyframes.items = wrong;
    def.motion.keyframes.count = 3;
    expect_fault(&def, "times must increase");
    def.motion.keyframes.count = 2;
    assert_ok(param_validate(&body_params, &def));
    def.at = dvec(0, 1, 0);
    expect_fault(&def, "keyframes");
    def = ball_body("ball", 0.1, dvec(0, 0, 0));
    def.density = 0;
    expect_fault(&def, "density");
    def = ball_body("ball", 0.1, dvec(0, 0, 0));
    def.restitution = 1.5;
    expect_fault(&def, "restitution");
    def = body_of("thing", FIRN_SHAPE_UNION);
    expect_fault(&def, "part");
    def = ball_body("ball", 0.1, dvec(0, 0, 0));
    def.snow = "cotton";
    expect_fault(&def, "cotton");
}

static void test_snow_and_defaults(void **state) {
    (void)state;
    firn_body_def defs[3] = {ball_body("a", 0.5, dvec(0, 5, 0)), ball_body("b", 0.5, dvec(0, 9, 0)),
                             ball_body("c", 0.5, dvec(0, 12, 0))};
    for (int i = 0; i < 3; i++) defs[i].friction = defs[i].restitution = defs[i].density = FIRN_AUTO;
    defs[1].snow = "icy";
    defs[2].snow = "icy";
    defs[2].friction = 0.7;
    model_setting setting = usual_setting();
    run r = start(defs, 3, &setting);
    double volume = 4.0 / 3 * M_PI * 0.125;
    assert_near(body_state(r.set, 0).mass, 600 * volume, 0.01);
    assert_near(body_state(r.set, 1).mass, 850 * volume, 0.01);
    assert_near(body_friction(r.set, 0), 0.5, 0);
    assert_near(body_friction(r.set, 1), 0.1, 0);
    assert_near(body_friction(r.set, 2), 0.7, 0);
    assert_near(body_restitution(r.set, 1), 0.3, 0);
    assert_int_equal(body_find(r.set, "b"), 1);
    assert_int_equal(body_find(r.set, "x"), SIZE_MAX);
    assert_true(body_color(r.set, 0).x >= 0);
    assert_true(body_mesh(r.set, 0)->triangles > 100);
    stop(&r);
    defs[1].snow = "cotton";
    body_set *set;
    assert_int_equal(body_set_create(defs, 3, &setting, &set), FIRN_BAD_INPUT);
    assert_null(set);
}

static void test_every_failing_allocation(void **state) {
    (void)state;
    run warm = tumbling(); // threads and ODE start here
    one_step(&warm, 1.0 / 240);
    stop(&warm);
    size_t before = mem_in_use(), n = 1;
    for (bool done = false; !done; n++) {
        firn_body_def defs[N];
        tumbling_scene(defs);
        model_setting setting = usual_setting();
        failing_allocator f;
        fail_allocation(&f, n);
        body_set *set;
        firn_status status = body_set_create(defs, 12, &setting, &set);
        for (uint64_t i = 0; i < 60 && status == FIRN_OK; i++) {
            model_step step = {(double)i / 240, 1.0 / 240, i, 0, NULL};
            status = body_model.step(set, set, step);
        }
        body_set_destroy(set);
        done = f.calls < n;
        firn_set_allocator(NULL);
        assert_int_equal(status, done ? FIRN_OK : FIRN_NO_MEMORY);
        assert_int_equal(mem_in_use(), before);
        assert_true(n < 2000);
    }
    print_message("%zu allocations\n", n - 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits_for_any_number_of_threads),
        cmocka_unit_test(test_restart_gives_the_same_bits),
        cmocka_unit_test(test_bad_state_is_refused),
        cmocka_unit_test(test_wrong_defs_are_named),
        cmocka_unit_test(test_snow_and_defaults),
        cmocka_unit_test(test_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
