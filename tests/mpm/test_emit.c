// Snow that enters over time: as much as asked for, evenly, and the same after a restart.
#include "mpm/snow.h"

#include "base/memory.h"
#include "bits.h"
#include "mpm/mpm.h"

typedef struct spout {
    firn_world_def world;
    firn_mpm_def mpm;
    firn_mpm_emit_def emit;
} spout;

// A box of 30 x 30 x 10 cm that lets snow through downwards; no gravity.
static void spout_make(spout *w) {
    w->world = firn_world_def_default();
    w->world.gravity = (firn_vec3){0, 0, 0};
    w->mpm = firn_mpm_def_default();
    w->mpm.cell = 0.1;
    w->emit = firn_mpm_emit_def_default();
    w->emit.name = "spout";
    w->emit.snow.fill.shape.kind = FIRN_SHAPE_BOX;
    w->emit.snow.fill.shape.size = (firn_vec3){0.3, 0.1, 0.3};
    w->emit.snow.fill.at = (firn_vec3){0, 1, 0};
    w->emit.snow.velocity = (firn_vec3){0, -2, 0};
    w->mpm.emit.items = &w->emit;
    w->mpm.emit.count = 1;
    w->world.mpm = &w->mpm;
}

static firn_world *spout_open(const spout *w) {
    firn_world *world;
    assert_ok(firn_world_create(&w->world, &world));
    return world;
}

static void test_mass_is_rate_times_time(void **state) {
    (void)state;
    spout w;
    spout_make(&w);
    w.emit.rate = 30;
    w.emit.start = 0.1;
    w.emit.end = 0.6;
    firn_world *world = spout_open(&w);
    double particle = 400 * 0.1 * 0.1 * 0.1 / 8, layer = 36 * particle; // 6 x 6 columns
    for (int i = 1; i <= 8; i++) {
        assert_ok(firn_world_advance(world, 0.1));
        double t = 0.1 * i, expected = 30 * fmin(0.5, fmax(0, t - 0.1));
        firn_ledger l = snow_ledger(world);
        assert_near(l.mass, expected, layer);
        assert_near(l.mass, l.mass_in, 1e-9 * layer);
    }
    assert_near(snow_ledger(world).momentum.y, -2 * snow_ledger(world).mass, 1e-4 * snow_ledger(world).mass);
    firn_world_close(world);
}

// Without a rate the stream is as dense as its snow, all along.
static void test_a_full_stream_has_the_density_of_its_snow(void **state) {
    (void)state;
    spout w;
    spout_make(&w);
    firn_world *world = spout_open(&w);
    assert_ok(firn_world_advance(world, 0.6)); // 1.2 m long
    firn_field x = firn_world_field(world, "mpm.position");
    const double *p = x.data;
    double particle = snow_ledger(world).mass / (double)x.count;
    size_t part[4] = {0};
    for (size_t i = 0; i < x.count; i++, p += 3) {
        double below = 1.05 - (double)p[1]; // the shape's upper side is where it enters
        assert_true(fabs((double)p[0]) < 0.16 && fabs((double)p[2]) < 0.16);
        assert_true(below > -0.001 && below < 1.201);
        part[(int)fmin(3, fmax(0, below / 0.3))]++;
    }
    for (int i = 0; i < 4; i++)
        assert_near((double)part[i] * particle, 400 * 0.3 * 0.3 * 0.3, 0.06 * 400 * 0.027);
    firn_world_close(world);
}

static void test_too_much_is_refused(void **state) {
    (void)state;
    spout w;
    spout_make(&w);
    w.emit.rate = 100; // 400 kg/m3 * 0.09 m2 * 2 m/s = 72 kg/s
    firn_world *world;
    assert_int_equal(firn_world_create(&w.world, &world), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "at most 72 kg/s"));
    w.emit.rate = FIRN_AUTO;
    w.emit.snow.velocity = (firn_vec3){0, 0, 0};
    assert_int_equal(firn_world_create(&w.world, &world), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "velocity"));
}

static void test_pieces_come_again(void **state) {
    (void)state;
    spout w;
    spout_make(&w);
    w.emit.every = 0.2;
    w.emit.snow.velocity = (firn_vec3){3, 0, 0};
    w.emit.snow.spin = (firn_vec3){0, 0, 2};
    firn_world *world = spout_open(&w);
    double piece = 400 * 0.3 * 0.1 * 0.3;
    assert_ok(firn_world_advance(world, 0.5)); // at 0, 0.2 and 0.4 s
    firn_ledger l = snow_ledger(world);
    assert_near(l.mass, 3 * piece, 1e-5 * piece);
    assert_near(l.momentum.x, 3 * l.mass, 1e-4 * l.mass);
    assert_near(l.momentum.y, 0, 1e-3 * l.mass);
    // The middles stand 0.6 m apart, where they have flown to.
    assert_near(snow_mean(world, "mpm.position").x, 3 * (0.5 + 0.3 + 0.1) / 3, 0.003);
    firn_field id = firn_world_field(world, "mpm.id");
    const uint32_t *number = id.data;
    uint64_t sum = 0;
    for (size_t i = 0; i < id.count; i++) sum += number[i];
    assert_int_equal(sum, id.count * (id.count - 1) / 2); // 0 .. n - 1, each once
    firn_world_close(world);
}

// A stream that falls on the floor, with pieces beside it.
static void busy_make(spout *w, firn_mpm_emit_def both[2], firn_body_def *floor) {
    spout_make(w);
    w->world.gravity = (firn_vec3){0, -9.81, 0};
    both[0] = both[1] = w->emit;
    both[1].name = "balls";
    both[1].snow.fill.at = (firn_vec3){1, 0.5, 0};
    both[1].every = 0.1;
    w->mpm.emit.items = both;
    w->mpm.emit.count = 2;
    *floor = firn_body_def_default();
    floor->name = "floor";
    floor->shape.kind = FIRN_SHAPE_PLANE;
    w->world.bodies.items = floor;
    w->world.bodies.count = 1;
}

static void test_restart_in_the_middle(void **state) {
    (void)state;
    spout w;
    firn_mpm_emit_def both[2];
    firn_body_def floor;
    busy_make(&w, both, &floor);
    firn_world *whole = spout_open(&w), *cut = spout_open(&w);
    for (int i = 0; i < 45; i++) assert_ok(firn_world_step(whole));
    for (int i = 0; i < 70; i++) assert_ok(firn_world_step(cut)); // is elsewhere already
    assert_restarts(whole, cut, 60);
    assert_true(snow_ledger(whole).items > 200);
    firn_world_close(whole);
    firn_world_close(cut);
}

static void test_check_knows_what_will_enter(void **state) {
    (void)state;
    spout w;
    spout_make(&w);
    w.emit.end = 0.5;
    model_setting setting = {.max_speed = 100, .duration = 3};
    firn_cost cost = {.step = 1};
    assert_ok(mpm_model.cost(&w.mpm, &setting, &cost));
    assert_near((double)cost.particles, 36 * 0.5 * 2 / 0.05, 40);
    assert_true(cost.memory > cost.particles * 140);
}

// Two emitters, FLIP and a body that is pushed: whatever memory is missing, nothing leaks.
static void test_every_failing_allocation(void **state) {
    (void)state;
    spout w;
    firn_mpm_emit_def both[2];
    firn_body_def bodies[2];
    busy_make(&w, both, &bodies[0]);
    w.mpm.transfer = FIRN_MPM_FLIP;
    bodies[1] = firn_body_def_default();
    bodies[1].name = "box";
    bodies[1].shape.size = (firn_vec3){0.4, 0.4, 0.4};
    bodies[1].at = (firn_vec3){1, 0.3, 0};
    bodies[1].motion.kind = FIRN_MOTION_DYNAMIC;
    w.world.bodies.items = bodies;
    w.world.bodies.count = 2;
    world_may_lack_memory(&w.world, 6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass_is_rate_times_time),
        cmocka_unit_test(test_a_full_stream_has_the_density_of_its_snow),
        cmocka_unit_test(test_too_much_is_refused),
        cmocka_unit_test(test_pieces_come_again),
        cmocka_unit_test(test_restart_in_the_middle),
        cmocka_unit_test(test_check_knows_what_will_enter),
        cmocka_unit_test(test_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
