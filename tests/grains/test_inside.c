// No grain is ever inside a body, or on the other side of one; same bits over threads and a restart; failing
// memory.
#include "grains/tumbling.h"

static void test_never_inside(void **state) {
    (void)state;
    firn_body_def defs[N];
    tumbling_scene(defs);
    firn_grains_fill_def fill = box_of_grains(dvec(0, 1, 0), dvec(2, 2, 2), 0.13);
    fill.velocity = dvec(0, -6, 0);
    firn_grains_def def = many(&fill);
    model_setting setting = usual_setting();
    grains_run r = start_grains(defs, N, &def, &setting);
    size_t count = grain_count(&r);
    assert_true(count > 1500);
    double least = nearest_body(&r);
    assert_true(least > 0.99 * def.radius);
    while (r.bodies.time < 1.5) {
        step_grains(&r, 1.0 / 240);
        least = fmin(least, nearest_body(&r));
        assert_true(least > 0);
        uint64_t item;
        const char *what;
        assert_false(grains_model.find_invalid(r.grains, &item, &what));
        assert_int_equal(grain_count(&r), count);
    }
    print_message("nearest %.3f of the radius, %llu steps\n", least / def.radius,
                  (unsigned long long)r.bodies.step);
    stop_grains(&r);
}

// A thin plate is thrown through a cloud; no grain changes its side.
static void test_thin_plate_is_not_crossed(void **state) {
    (void)state;
    firn_body_def plate = box_body("plate", dvec(4, 0.002, 4), dvec(0, 2, 0));
    plate.velocity = dvec(0, -30, 0);
    plate.density = 2000;
    firn_grains_fill_def fill = box_of_grains(dvec(0, 1, 0), dvec(1, 1, 1), 0.1);
    fill.velocity = dvec(0, 10, 0);
    firn_grains_def def = many(&fill);
    def.restitution = 0.2;
    model_setting setting = usual_setting();
    setting.gravity = dvec(0, 0, 0);
    grains_run r = start_grains(&plate, 1, &def, &setting);
    while (r.bodies.time < 0.06) {
        // Long steps on purpose: 12 cm of way, 2 mm of plate.
        model_step step = {r.bodies.time, 1.0 / 250, r.bodies.step, 0, NULL};
        assert_ok(body_model.step(r.bodies.set, r.bodies.set, step));
        assert_ok(grains_model.step(r.grains, r.bodies.set, step));
        r.bodies.time += step.dt;
        r.bodies.step++;
        firn_body_state s = body_state(r.bodies.set, 0);
        for (size_t i = 0; i < grain_count(&r); i++) {
            float *p = grain_positions(&r)[i];
            firn_vec3 local = dvec_sub(dvec((double)p[0], (double)p[1], (double)p[2]), s.position);
            assert_true(dquat_rotate_back(s.rotation, local).y < 0);
        }
    }
    assert_true(body_state(r.bodies.set, 0).position.y < 0.6);
    stop_grains(&r);
}

// A press closes on grains: they slip out, none ends in the press or in the ground.
static void test_squeezed_grains_slip_out(void **state) {
    (void)state;
    const firn_keyframe way[] = {{0, {0, 0.6, 0}, {0, 0, 0}}, {1, {0, 0.151, 0}, {0, 0, 0}}};
    firn_body_def defs[2] = {plane_body(0.5, 0), body_of("press", FIRN_SHAPE_BOX)};
    defs[1].shape.size = dvec(0.5, 0.3, 0.5);
    defs[1].motion.kind = FIRN_MOTION_KEYFRAMES;
    defs[1].motion.keyframes.items = way;
    defs[1].motion.keyframes.count = 2;
    firn_grains_fill_def fill = box_of_grains(dvec(0, 0.2, 0), dvec(0.4, 0.3, 0.4), 0.05);
    firn_grains_def def = many(&fill);
    model_setting setting = usual_setting();
    grains_run r = start_grains(defs, 2, &def, &setting);
    size_t before = grain_count(&r);
    while (r.bodies.time < 1.2) {
        step_grains(&r, 1.0 / 240);
        assert_true(nearest_body(&r) > 0.9 * def.radius);
    }
    assert_int_equal(grain_count(&r), before);
    stop_grains(&r);
}

static void load(const grains_run *from, grains_run *to) {
    firn_field a[32], b[32];
    size_t count = fields_of(&body_model, from->bodies.set, a, 32);
    fields_of(&body_model, to->bodies.set, b, 32);
    for (size_t i = 0; i < count; i++) memcpy((void *)b[i].data, a[i].data, a[i].count * a[i].components * 8);
    assert_ok(body_model.loaded(to->bodies.set));
    count = fields_of(&grains_model, from->grains, a, 32);
    for (size_t i = 0; i < count; i++) assert_ok(grains_model.resize(to->grains, a[i].name, a[i].count));
    fields_of(&grains_model, to->grains, b, 32);
    for (size_t i = 0; i < count; i++)
        if (a[i].flags & FIRN_FIELD_STATE)
            memcpy((void *)b[i].data, a[i].data, a[i].count * a[i].components * 4);
    assert_ok(grains_model.loaded(to->grains));
    to->bodies.time = from->bodies.time;
    to->bodies.step = from->bodies.step;
}

static void test_restart_gives_the_same_bits(void **state) {
    (void)state;
    firn_body_def defs[N];
    tumbling_scene(defs);
    defs[0] = box_body("table", dvec(1.2, 0.2, 1.2), dvec(0, -0.1, 0));
    defs[0].motion.kind = FIRN_MOTION_FIXED;
    firn_grains_fill_def fill = box_of_grains(dvec(0, 1, 0), dvec(2, 2, 2), 0.1);
    firn_grains_def def = many(&fill);
    def.floor = -0.3;
    model_setting setting = usual_setting();
    grains_run a = start_grains(defs, N, &def, &setting);
    size_t first = grain_count(&a);
    run_grains_to(&a, 0.6, 1.0 / 240);
    assert_true(grain_count(&a) < first);
    grains_run b = start_grains(defs, N, &def, &setting);
    load(&a, &b);
    assert_true(grains_hash(&a) == grains_hash(&b));
    for (int i = 0; i < 20; i++) step_grains(&a, 1.0 / 240), step_grains(&b, 1.0 / 240);
    assert_true(grains_hash(&a) == grains_hash(&b));
    firn_ledger la = grains_ledger_of(&a), lb = grains_ledger_of(&b);
    assert_true(la.mass_out == lb.mass_out && la.kinetic == lb.kinetic && la.max_speed == lb.max_speed);
    assert_int_equal(grains_model.resize(b.grains, "grains.position", first + 1), FIRN_BAD_INPUT);
    assert_int_equal(grains_model.resize(b.grains, "grains.shape", 1), FIRN_BAD_INPUT);
    assert_ok(grains_model.resize(b.grains, "grains.position", 1));
    assert_int_equal(grains_model.loaded(b.grains), FIRN_BAD_INPUT); // the other fields are longer
    stop_grains(&a);
    stop_grains(&b);
}

static void test_invalid_grain_is_named(void **state) {
    (void)state;
    firn_grains_fill_def fill = box_of_grains(dvec(0, 1, 0), dvec(2, 2, 2), 0.1);
    firn_grains_def def = many(&fill);
    model_setting setting = usual_setting();
    grains_run r = start_grains(NULL, 0, &def, &setting);
    uint64_t item;
    const char *what;
    assert_false(grains_model.find_invalid(r.grains, &item, &what));
    grain_velocities(&r)[4711][2] = 2000;
    step_grains(&r, 1e-3);
    assert_true(grains_model.find_invalid(r.grains, &item, &what));
    assert_int_equal(item, 4711);
    assert_string_equal(what, "velocity");
    stop_grains(&r);
}

static void expect_fault(const firn_grains_def *def, const char *words) {
    assert_int_equal(param_validate(&grains_params, def), FIRN_BAD_INPUT);
    if (!strstr(firn_last_error(), words)) fail_msg("'%s' does not say '%s'", firn_last_error(), words);
}

static void test_wrong_defs_are_named(void **state) {
    (void)state;
    firn_grains_fill_def fill = box_of_grains(dvec(0, 1, 0), dvec(2, 2, 2), 0.1);
    firn_grains_def def = many(&fill);
    assert_ok(param_validate(&grains_params, &def));
    def.fill.count = 0;
    expect_fault(&def, "fill");
    def.fill.count = 1;
    fill.fill.shape.kind = FIRN_SHAPE_PLANE;
    expect_fault(&def, "cannot be filled");
    fill.fill.shape.kind = FIRN_SHAPE_BOX;
    def.radius = -1;
    expect_fault(&def, "radius");
    def = many(&fill);
    fill.spacing = 1e-4;
    model_setting setting = usual_setting();
    void *model;
    run bodies = start(NULL, 0, &setting);
    assert_int_equal(grains_model.create(&def, &setting, bodies.set, &model), FIRN_BAD_INPUT);
    stop(&bodies);
}

static void test_every_failing_allocation(void **state) {
    (void)state;
    firn_body_def defs[N];
    tumbling_scene(defs);
    firn_grains_fill_def fill = box_of_grains(dvec(0, 1, 0), dvec(2, 2, 2), 0.2);
    firn_grains_def def = many(&fill);
    def.floor = 0.3;
    model_setting setting = usual_setting();
    run bodies = start(defs, 6, &setting);
    size_t before = mem_in_use(), n = 1;
    for (bool done = false; !done; n++) {
        failing_allocator f;
        fail_allocation(&f, n);
        void *model = NULL;
        firn_status status = grains_model.create(&def, &setting, bodies.set, &model);
        for (uint64_t i = 0; i < 100 && status == FIRN_OK; i++)
            status =
                grains_model.step(model, bodies.set, (model_step){(double)i / 240, 1.0 / 240, i, 0, NULL});
        grains_model.destroy(model);
        done = f.calls < n;
        firn_set_allocator(NULL);
        assert_int_equal(status, done ? FIRN_OK : FIRN_NO_MEMORY);
        assert_int_equal(mem_in_use(), before);
        assert_true(n < 2000);
    }
    print_message("%zu allocations\n", n - 2);
    stop(&bodies);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_inside),
        cmocka_unit_test(test_thin_plate_is_not_crossed),
        cmocka_unit_test(test_squeezed_grains_slip_out),
        cmocka_unit_test(test_restart_gives_the_same_bits),
        cmocka_unit_test(test_invalid_grain_is_named),
        cmocka_unit_test(test_wrong_defs_are_named),
        cmocka_unit_test(test_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
