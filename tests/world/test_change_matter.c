// Snow, grains, water and sources that are added and removed while a world runs. firn-test: slow
#include "worlds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const models[] = {"bodies", "grains", "mpm", "pbd", "phase"};
enum { MODELS = sizeof models / sizeof models[0] };

static void check_balance(const firn_world *world) {
    for (size_t i = 0; i < MODELS; i++) {
        firn_ledger l = ledger_of(world, models[i]);
        assert_near(l.mass, l.mass_in - l.mass_out, 1e-9 * l.mass_in);
    }
}

static firn_fill_def ball(firn_vec3 at, double radius) {
    firn_fill_def fill = firn_mpm_snow_def_default().fill;
    fill.shape.kind = FIRN_SHAPE_SPHERE;
    fill.shape.radius = radius;
    fill.at = at;
    return fill;
}

static firn_mpm_snow_def snowball(const char *name, firn_vec3 at) {
    firn_mpm_snow_def def = firn_mpm_snow_def_default();
    def.name = name;
    def.fill = ball(at, 0.09);
    def.velocity = (firn_vec3){0, -2, 0};
    return def;
}

static firn_grains_fill_def handful(const char *name) {
    firn_grains_fill_def def = firn_grains_fill_def_default();
    def.name = name;
    def.fill = ball((firn_vec3){0, 1.3, 0.8}, 0.1);
    return def;
}

static firn_status add_pool(firn_world *world, const char *name) {
    firn_pbd_pool_def def = firn_pbd_pool_def_default();
    def.name = name;
    def.fill = ball((firn_vec3){1.2, 1.6, 0.6}, 0.15);
    return firn_world_add_pool(world, &def);
}

static firn_status add_phase_snow(firn_world *world, const char *name) {
    firn_phase_snow_def def = firn_phase_snow_def_default();
    def.name = name;
    def.fill = ball((firn_vec3){0.4, 0.8, -0.1}, 0.05);
    def.temperature = -8;
    return firn_world_add_phase_snow(world, &def);
}

static firn_status add_phase_water(firn_world *world, const char *name) {
    firn_phase_water_def def = firn_phase_water_def_default();
    def.name = name;
    def.fill = ball((firn_vec3){0.4, 1.2, -0.1}, 0.05);
    return firn_world_add_phase_water(world, &def);
}

// Something into every model, so that numbers of groups and materials move; a source among them.
static void add_all(firn_world *world) {
    firn_mpm_emit_def emit = firn_mpm_emit_def_default();
    emit.name = "jet";
    emit.snow.fill = ball((firn_vec3){0.7, 0.9, 0.1}, 0.1);
    emit.snow.velocity = (firn_vec3){0, -2, 0};
    assert_ok(firn_world_add_emitter(world, &emit));
    firn_phase_spout_def spout = firn_phase_spout_def_default();
    spout.name = "drip";
    spout.opening.at = (firn_vec3){0.4, 1.5, -0.1};
    spout.opening.velocity = (firn_vec3){0, -2, 0};
    spout.opening.radius = 0.04;
    assert_ok(firn_world_add_phase_spout(world, &spout));
    firn_mpm_snow_def snow = snowball("thrown", (firn_vec3){0.2, 0.9, 0.1});
    firn_grains_fill_def grains = handful("more");
    assert_ok(firn_world_add_snow(world, &snow));
    assert_ok(firn_world_add_grains(world, &grains));
    assert_ok(add_pool(world, "cup"));
    assert_ok(add_phase_snow(world, "flung"));
    assert_ok(add_phase_water(world, "shower"));
}

static void remove_some(firn_world *world) {
    assert_ok(firn_world_remove(world, "mpm.emit.jet"));
    assert_ok(firn_world_remove(world, "phase.snow.lump"));
    assert_ok(firn_world_remove(world, "bodies.crate"));
    assert_ok(firn_world_remove(world, "pbd.fluid.spouts.tap"));
    const firn_fill_def hole = ball((firn_vec3){0, 1.0, 0.8}, 0.2);
    assert_ok(firn_world_remove_inside(world, hole));
}

static void test_matter_comes(void **state) {
    (void)state;
    firn_world *world = open_all_models();
    frames(world, 2);
    firn_ledger before[MODELS];
    for (size_t i = 0; i < MODELS; i++) before[i] = ledger_of(world, models[i]);
    add_all(world);
    for (size_t i = 1; i < MODELS; i++) {
        firn_ledger l = ledger_of(world, models[i]);
        if (!(l.items > before[i].items && l.mass_in > before[i].mass_in))
            fail_msg("nothing came into %s", models[i]);
    }
    check_balance(world);
    firn_ledger mpm = ledger_of(world, "mpm");
    double volume = 4.0 / 3 * 3.14159 * 0.09 * 0.09 * 0.09;
    assert_near(mpm.mass - before[2].mass, 400 * volume, 0.25 * 400 * volume); // packed snow
    frames(world, 2);
    check_balance(world);
    assert_true(ledger_of(world, "mpm").mass_in > mpm.mass_in);
    firn_world_close(world);
}

static void test_matter_goes(void **state) {
    (void)state;
    firn_world *world = open_all_models();
    frames(world, 1);
    add_all(world);
    frames(world, 2);
    firn_ledger before[MODELS];
    for (size_t i = 0; i < MODELS; i++) before[i] = ledger_of(world, models[i]);
    double crate = firn_world_body_state(world, firn_world_body_find(world, "crate")).mass;
    remove_some(world);
    check_balance(world);
    assert_near(ledger_of(world, "bodies").mass_out, crate, 1e-12);
    assert_true(ledger_of(world, "phase").mass_out > before[4].mass_out);
    assert_true(ledger_of(world, "grains").mass_out > before[1].mass_out);
    frames(world, 1);
    firn_ledger mpm = ledger_of(world, "mpm"), pbd = ledger_of(world, "pbd");
    assert_true(mpm.items > 0 && mpm.mass_in == before[2].mass_in); // what has come stays, no more comes
    frames(world, 1);
    assert_true(ledger_of(world, "pbd").mass_in == pbd.mass_in);
    check_balance(world);
    firn_world_close(world);
}

static void test_same_bits(void **state) {
    (void)state;
    firn_world *a = open_all_models(), *b = open_all_models(), *c = open_all_models();
    void *data, *later;
    size_t bytes, later_bytes;
    frames(a, 2);
    add_all(a);
    assert_ok(firn_world_save(a, &data, &bytes)); // before a step with it
    frames(a, 2);
    remove_some(a);
    assert_ok(firn_world_save(a, &later, &later_bytes));
    frames(a, 2);
    firn_set_threads(3);
    frames(b, 2);
    add_all(b);
    frames(b, 2);
    remove_some(b);
    frames(b, 2);
    firn_set_threads(0);
    assert_true(firn_world_hash(a) == firn_world_hash(b));
    assert_ok(firn_world_load(c, data, bytes)); // into a world of the scene itself
    frames(c, 2);
    remove_some(c);
    frames(c, 2);
    assert_true(firn_world_hash(a) == firn_world_hash(c));
    check_balance(c);
    assert_ok(firn_world_load(b, data, bytes)); // back to before something was removed
    frames(b, 2);
    remove_some(b);
    frames(b, 2);
    assert_true(firn_world_hash(a) == firn_world_hash(b));
    firn_world_close(c);
    c = open_all_models();
    assert_ok(firn_world_load(c, later, later_bytes));
    check_balance(c);
    frames(c, 2);
    assert_true(firn_world_hash(a) == firn_world_hash(c));
    firn_data_free(data);
    firn_data_free(later);
    firn_world_close(a);
    firn_world_close(b);
    firn_world_close(c);
}

// Names are free again; a body that comes later makes all models anew with what was added before it.
static void test_again(void **state) {
    (void)state;
    firn_world *world = open_all_models(), *other = open_all_models();
    frames(world, 1);
    for (int i = 0; i < 3; i++) {
        firn_mpm_snow_def snow = snowball("ball", (firn_vec3){0.2, 0.9, 0.1});
        firn_status status = firn_world_add_snow(world, &snow);
        assert_int_equal(status, FIRN_BAD_INPUT); // there is one
        assert_non_null(strstr(firn_last_error(), "ball"));
        assert_ok(firn_world_remove(world, "mpm.snow.ball"));
        assert_true(ledger_of(world, "mpm").items == 0);
        assert_ok(firn_world_add_snow(world, &snow)); // into a model without particles
        frames(world, 1);
    }
    firn_body_def stone = firn_body_def_default();
    stone.name = "stone";
    stone.shape.kind = FIRN_SHAPE_SPHERE;
    stone.shape.radius = 0.2;
    stone.at = (firn_vec3){0, 0.9, 0.8}; // where the grains were at the start
    assert_ok(firn_world_add_body(world, &stone, NULL));
    check_balance(world);
    assert_ok(firn_world_remove(world, "bodies.stone"));
    assert_ok(firn_world_add_body(world, &stone, NULL));
    void *data;
    size_t bytes;
    assert_ok(firn_world_save(world, &data, &bytes));
    frames(world, 1);
    check_balance(world);
    assert_ok(firn_world_load(other, data, bytes));
    frames(other, 1);
    assert_true(firn_world_hash(world) == firn_world_hash(other));
    firn_data_free(data);
    firn_world_close(world);
    firn_world_close(other);
}

// The first piece of an emitter that comes while others run, or before the first step, is not missed.
static void test_first_piece(void **state) {
    (void)state;
    for (int before = 0; before <= 3; before += 3) {
        firn_world *world = open_all_models();
        frames(world, before);
        firn_mpm_emit_def emit = firn_mpm_emit_def_default();
        emit.name = "pieces";
        emit.snow.fill = ball((firn_vec3){0.7, 1.4, 0.1}, 0.1);
        emit.every = 1e3;
        for (int again = 0; again < 2; again++) {
            assert_ok(firn_world_add_emitter(world, &emit));
            uint64_t items = ledger_of(world, "mpm").items;
            double mass_in = ledger_of(world, "mpm").mass_in;
            assert_ok(firn_world_step(world));
            firn_ledger l = ledger_of(world, "mpm");
            if (!(l.items > items && l.mass_in > mass_in)) fail_msg("no piece after %d frames", before);
            assert_ok(firn_world_step(world));
            assert_true(ledger_of(world, "mpm").mass_in == l.mass_in); // one
            emit.name = "more";
            emit.snow.fill.at.y = 2;
        }
        firn_world_close(world);
    }
}

static void test_what_cannot_be(void **state) {
    (void)state;
    firn_world *world;
    assert_ok(firn_world_open_text("firn: 1\nbodies: {ground: {shape: plane}}\n", "bare.yaml", &world));
    firn_mpm_snow_def snow = snowball("ball", (firn_vec3){0, 1, 0});
    assert_int_equal(firn_world_add_snow(world, &snow), FIRN_BAD_INPUT);
    assert_string_equal(firn_last_error(),
                        "cannot add to 'mpm.snow': the scene of this world has no such section");
    assert_int_equal(firn_world_remove(world, "mpm.snow.ball"), FIRN_BAD_INPUT);
    firn_world_close(world);
    world = open_all_models();
    frames(world, 1);
    uint64_t before = firn_world_hash(world);
    snow.velocity.y = -9e3; // more than max_speed
    snow.name = "fast";
    assert_int_equal(firn_world_add_snow(world, &snow), FIRN_BAD_INPUT);
    snow.fill.shape.radius = -1;
    assert_int_equal(firn_world_add_snow(world, &snow), FIRN_BAD_INPUT);
    firn_phase_water_def full = firn_phase_water_def_default();
    full.name = "full";
    full.fill = ball((firn_vec3){0, -1, 0}, 0.1); // in the ground
    assert_int_equal(firn_world_add_phase_water(world, &full), FIRN_BAD_INPUT);
    firn_grains_fill_def grains = handful("deep");
    grains.fill.at.y = -1;
    assert_int_equal(firn_world_add_grains(world, &grains), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_remove(world, "grains.fill.handful"), FIRN_UNSUPPORTED);
    assert_int_equal(firn_world_remove(world, "mpm.snow.nothing"), FIRN_BAD_INPUT);
    assert_true(firn_world_hash(world) == before);
    frames(world, 1);
    check_balance(world);
    firn_world_close(world);
}

static firn_status add_grains(firn_world *world, const char *name) {
    firn_grains_fill_def def = handful(name);
    return firn_world_add_grains(world, &def);
}
static firn_status add_snow(firn_world *world, const char *name) {
    firn_mpm_snow_def def = snowball(name, (firn_vec3){0.2, 0.9, 0.1});
    return firn_world_add_snow(world, &def);
}
static firn_status remove_snow(firn_world *world, const char *name) {
    (void)name;
    return firn_world_remove(world, "mpm.snow.ball");
}

static void test_memory_may_run_out(void **state) {
    (void)state;
    firn_status (*const calls[])(firn_world *, const char *) = {add_grains,     add_snow,        add_pool,
                                                                add_phase_snow, add_phase_water, remove_snow};
    firn_world *world = open_all_models();
    frames(world, 1);
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++) assert_all_or_nothing(world, calls[k], "new");
    frames(world, 1);
    check_balance(world);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_piece),
        cmocka_unit_test(test_matter_comes),
        cmocka_unit_test(test_matter_goes),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_again),
        cmocka_unit_test(test_what_cannot_be),
        cmocka_unit_test(test_memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
