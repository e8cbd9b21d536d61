// firn-test: slow
// Falling snow, ageing, loose bits, snow on top of bodies, and the other way to spread.
#include "snowfield/snowfield_world.h"

// It snows for an hour: so much water on every square metre, in tiles and beside them, and on top of bodies.
static void test_snowfall_is_what_it_should_be(void **state) {
    (void)state;
    snowfield_world w;
    snowfield_setup(&w, 200);
    w.field.fall.rate = 10e-3 / 3600 * 1000; // 10 m/h, to be quick
    w.field.depth = 0.1;
    w.body[0] = firn_body_def_default();
    w.body[0].name = "table";
    w.body[0].shape = (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {0.8, 0.1, 0.8}};
    w.body[0].at = (firn_vec3){0, 0.5, 0};
    w.world.bodies.count = 1;
    firn_world *world = snowfield_open(&w);
    double before = snowfield_ledger_of(world).mass;
    assert_ok(firn_world_advance(world, 5));
    firn_ledger l = snowfield_ledger_of(world);
    assert_near(l.mass_in - before, 5 * w.field.fall.rate * 1000 * 16, 0.01);
    assert_near(l.mass, l.mass_in, 1e-9 * l.mass_in);
    firn_field top = firn_world_field(world, "field.top_depth");
    const float *depth = top.data;
    double most = 0;
    for (size_t i = 0; i < top.count; i++) most = fmax(most, (double)depth[i]);
    assert_near(most, 5 * w.field.fall.rate * 1000 / 50,
                0.05); // as deep as everywhere: 13.9 kg/m2 of 50 kg/m3
    firn_world_close(world);
}

// rho_s - rho falls by 1/e in the ageing time; the mass stays.
static void test_ageing_is_exponential(void **state) {
    (void)state;
    snowfield_world w;
    snowfield_setup(&w, 70);
    w.field.density = 60;
    w.field.ageing.time = 2;
    w.field.ageing.density = 140;
    firn_world *world = snowfield_open(&w);
    double mass = snowfield_ledger_of(world).mass;
    assert_ok(firn_world_advance(world, 3));
    const double *grid = firn_world_field(world, "field.grid").data;
    assert_near(grid[7], 140 - 80 * exp(-1.5), 0.05);
    assert_near(snowfield_ledger_of(world).mass, mass, 1e-9 * mass);
    firn_world_close(world);
}

static firn_body_def flying_ball(void) {
    firn_body_def b = firn_body_def_default();
    b.name = "ball";
    b.shape = (firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 0.15};
    b.motion.kind = FIRN_MOTION_DYNAMIC;
    b.density = 800;
    b.at = (firn_vec3){-1, 0.4, 0};
    b.velocity = (firn_vec3){7, 0, 0};
    return b;
}

// Fast bodies throw snow up; all of it comes down again.
static void test_bits_fall_back(void **state) {
    (void)state;
    snowfield_world w;
    snowfield_setup(&w, 200);
    w.body[0] = flying_ball();
    w.world.bodies.count = 1;
    firn_world *world = snowfield_open(&w);
    size_t most = 0;
    double mass = snowfield_ledger_of(world).mass;
    while (firn_world_time(world) < 3) {
        assert_ok(firn_world_step(world));
        firn_ledger l = snowfield_ledger_of(world);
        size_t flying = firn_world_field(world, "field.bit_position").count;
        most = flying > most ? flying : most;
        assert_near(l.mass + l.mass_out, mass, 1e-9 * mass);
    }
    assert_true(most > 20);
    assert_true(firn_world_field(world, "field.bit_position").count == 0);
    firn_world_close(world);
}

// A body that moves away leaves the snow that lay on it.
static void test_snow_on_top_falls_when_the_body_goes(void **state) {
    (void)state;
    const firn_keyframe keys[] = {{2, {0, 0.5, 0}, {0, 0, 0}}, {4, {3, 0.5, 0}, {0, 0, 0}}};
    snowfield_world w;
    snowfield_setup(&w, 100);
    w.field.depth = 0.05;
    w.field.fall.rate = 5e-3;
    w.body[0] = firn_body_def_default();
    w.body[0].name = "board";
    w.body[0].shape = (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {0.6, 0.05, 0.6}};
    w.body[0].motion.kind = FIRN_MOTION_KEYFRAMES;
    w.body[0].motion.keyframes.items = keys;
    w.body[0].motion.keyframes.count = 2;
    w.world.bodies.count = 1;
    firn_world *world = snowfield_open(&w);
    assert_ok(firn_world_advance(world, 2));
    const char *const name = "field.top_depth";
    double on = 0;
    for (size_t i = 0; i < firn_world_field(world, name).count; i++)
        on += (double)((const float *)firn_world_field(world, name).data)[i];
    assert_true(on > 1);
    assert_ok(firn_world_advance(world, 2));
    on = 0;
    for (size_t i = 0; i < firn_world_field(world, name).count; i++)
        on += (double)((const float *)firn_world_field(world, name).data)[i];
    assert_true(on == 0);
    firn_ledger l = snowfield_ledger_of(world);
    assert_near(l.mass, l.mass_in, 1e-9 * l.mass_in);
    firn_world_close(world);
}

// Both ways to spread: the mass stays, and most lands in front.
static void test_distance_spreads_to_the_front(void **state) {
    (void)state;
    const firn_keyframe keys[] = {{0, {-0.5, 0.22, 0}, {0, 0, 0}}, {1, {0.3, 0.22, 0}, {0, 0, 0}}};
    for (int way = 0; way < 2; way++) {
        snowfield_world w;
        snowfield_setup(&w, 120);
        w.field.spread = way ? FIRN_SNOWFIELD_DISTANCE : FIRN_SNOWFIELD_CONTOUR;
        w.field.snow = "packed";
        w.field.density = 480;
        w.body[0] = firn_body_def_default();
        w.body[0].name = "block";
        w.body[0].shape = (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {0.3, 0.3, 0.4}};
        w.body[0].motion.kind = FIRN_MOTION_KEYFRAMES;
        w.body[0].motion.keyframes.items = keys;
        w.body[0].motion.keyframes.count = 2;
        w.world.bodies.count = 1;
        firn_world *world = snowfield_open(&w);
        double mass = snowfield_ledger_of(world).mass;
        assert_ok(firn_world_advance(world, 1));
        assert_near(snowfield_ledger_of(world).mass, mass, 1e-9 * mass);
        snowfield_map m = map_of(world);
        double front = 0, behind = 0;
        for (int i = 0; i < m.nx * m.nz; i++) {
            double x = m.x0 + (i % m.nx + 0.5) * m.cell, gain = (m.depth[i] - 0.3) * m.density[i];
            if (gain > 0.01) *(x > -0.1 ? &front : &behind) += gain;
        }
        print_message("%s: in front %.1f, behind %.1f\n", way ? "distance" : "contour", front, behind);
        assert_true(front > 4 * behind);
        map_free(&m);
        firn_world_close(world);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_snowfall_is_what_it_should_be), cmocka_unit_test(test_ageing_is_exponential),
        cmocka_unit_test(test_bits_fall_back), cmocka_unit_test(test_snow_on_top_falls_when_the_body_goes),
        cmocka_unit_test(test_distance_spreads_to_the_front)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
