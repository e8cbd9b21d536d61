// Particles alone in the air: exact flight, no grid, contact with bodies, and back into the snow.
#include "mpm/snow.h"

#include "cache/cache.h"
#include "mpm/mpm_state.h"
#include "world/world.h"

static const mpm_state *mpm_of(const firn_world *world) {
    for (size_t i = 0; i < world_model_count(world); i++)
        if (world_model_class(world, i) == &mpm_model) return world_model(world, i);
    return NULL;
}

// A cube of half a cell: one particle.
static void one_particle(snow_world *w, firn_vec3 at, firn_vec3 velocity) {
    snow_box(w, (firn_vec3){0.05, 0.05, 0.05}, at, 0.1);
    w->snow.velocity = velocity;
}

static void test_flight_is_a_parabola_without_grid(void **state) {
    (void)state;
    snow_world w;
    one_particle(&w, (firn_vec3){0, 0, 0}, (firn_vec3){3, 4, -1});
    w.snow.spin = (firn_vec3){0, 5, 0};
    firn_world *world = snow_open(&w);
    const double *p = firn_world_field(world, "mpm.position").data;
    assert_int_equal(firn_world_field(world, "mpm.id").count, 1);
    double x0[3] = {p[0], p[1], p[2]}, t = 0.5;
    assert_ok(firn_world_advance(world, t));
    p = firn_world_field(world, "mpm.position").data;
    const float *v = firn_world_field(world, "mpm.velocity").data;
    assert_near(p[0], x0[0] + 3 * t, 1e-6 * 2);
    assert_near(p[1], x0[1] + 4 * t - 0.5 * 9.81 * t * t, 1e-6 * 2);
    assert_near(p[2], x0[2] - t, 1e-6 * 2);
    assert_near(v[1], 4 - 9.81 * t, 1e-6 * (4 + 9.81 * t));
    assert_int_equal(mpm_of(world)->grid.occupied_count, 0);
    assert_int_equal(mpm_of(world)->grid.active_count, 0);
    assert_int_equal(mpm_of(world)->lone_count, 1);
    const float *c = firn_world_field(world, "mpm.affine").data;
    assert_near(c[6], 5, 1e-5); // it still spins
    firn_world_close(world);
}

// On the ground it slides to a stop after v^2 / (2 mu g).
static void test_a_lone_particle_slides_to_a_stop(void **state) {
    (void)state;
    snow_world w;
    one_particle(&w, (firn_vec3){0, 0.05, 0}, (firn_vec3){2, 0, 0});
    snow_floor(&w, 0.5, 0);
    firn_world *world = snow_open(&w);
    const double *p = firn_world_field(world, "mpm.position").data;
    double drop = p[1], fall = sqrt(2 * 9.81 * drop), x0 = p[0];
    // It lands with v_x 2 and loses mu times its falling speed at once.
    double v = 2 - 0.5 * fall, expected = 2 * fall / 9.81 + v * v / (2 * 0.5 * 9.81);
    assert_ok(firn_world_advance(world, 0.8));
    p = firn_world_field(world, "mpm.position").data;
    assert_near(p[0] - x0, expected, 0.02 * expected);
    assert_near(p[1], 0, 1e-4);
    assert_near(snow_ledger(world).max_speed, 0, 1e-3);
    assert_true(snow_inside(world) == 0);
    firn_world_close(world);
}

// A particle flies into a block of snow: alone at first, then part of it. Momentum and mass stay.
static void test_it_rejoins(void **state) {
    (void)state;
    snow_world w;
    firn_mpm_snow_def both[2];
    one_particle(&w, (firn_vec3){-1.5, 0, 0}, (firn_vec3){5, 0, 0});
    both[0] = both[1] = w.snow;
    both[0].name = "one";
    both[1].name = "block";
    both[1].fill.shape.size = (firn_vec3){0.3, 0.3, 0.3};
    both[1].fill.at = (firn_vec3){0, 0, 0};
    both[1].velocity = (firn_vec3){0, 0, 0};
    w.mpm.snow.items = both;
    w.mpm.snow.count = 2;
    w.world.gravity = (firn_vec3){0, 0, 0};
    firn_world *world = snow_open(&w);
    firn_ledger before = snow_ledger(world);
    assert_ok(firn_world_step(world));
    assert_int_equal(mpm_of(world)->lone_count, 1);
    assert_ok(firn_world_advance(world, 0.4));
    assert_int_equal(mpm_of(world)->lone_count, 0);
    firn_ledger after = snow_ledger(world);
    assert_true(before.mass == after.mass);
    assert_near(after.momentum.x, before.momentum.x, 1e-5 * before.momentum.x);
    assert_true(after.max_speed < 3); // the block took it up
    firn_world_close(world);
}

// A spray of pieces: whoever is alone has no neighbour within two cells, and the bits do not depend on
// threads or a restart.
static firn_world *spray(void) {
    snow_world w;
    static firn_mpm_snow_def bits[60];
    snow_box(&w, (firn_vec3){0.05, 0.05, 0.05}, (firn_vec3){0, 0, 0}, 0.1);
    for (int i = 0; i < 60; i++) {
        static char name[60][8];
        snprintf(name[i], sizeof name[i], "b%d", i);
        bits[i] = w.snow;
        bits[i].name = name[i];
        double a = 2.4 * i, r = 0.02 * i; // a spiral: near at the middle, far at the rim
        bits[i].fill.at = (firn_vec3){r * cos(a), 1 + 0.01 * i, r * sin(a)};
        bits[i].velocity = (firn_vec3){1.5 * r * cos(a), 1, 1.5 * r * sin(a)};
    }
    snow_floor(&w, 0.4, 0);
    w.mpm.snow.items = bits;
    w.mpm.snow.count = 60;
    return snow_open(&w);
}

static void test_nobody_is_near_the_lonely(void **state) {
    (void)state;
    firn_world *world = spray();
    size_t most = 0, least = SIZE_MAX;
    for (int k = 0; k < 12; k++) {
        firn_field x = firn_world_field(world, "mpm.position");
        double(*old)[3] = malloc(x.count * sizeof *old);
        memcpy(old, x.data, x.count * sizeof *old);
        assert_ok(firn_world_step(world)); // its list of lone particles is of the positions before
        const mpm_state *s = mpm_of(world);
        for (size_t i = 0; i < s->lone_count; i++)
            for (size_t j = 0; firn_world_steps(world) % MPM_REORDER != 1 && j < x.count; j++) {
                const double *a = old[s->lone[i]], *b = old[j];
                double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
                assert_true(j == s->lone[i] || sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) > 0.2);
            }
        most = s->lone_count > most ? s->lone_count : most;
        least = s->lone_count < least ? s->lone_count : least;
        free(old);
        assert_ok(firn_world_advance(world, 0.07));
    }
    assert_true(most >= 10 && least < 60);
    firn_world_close(world);
}

static void test_same_bits(void **state) {
    (void)state;
    const char *path = "mpm-lone.h5";
    uint64_t first = 0;
    for (int threads = 1; threads <= 3; threads += 2) {
        firn_set_threads(threads);
        firn_world *world = spray(), *cut = spray();
        for (int i = 0; i < 50; i++) assert_ok(firn_world_step(world));
        assert_ok(cache_write(path, world, 7, CACHE_CHECKPOINT, false));
        assert_ok(cache_read(path, cut, 7, CACHE_CHECKPOINT));
        for (int i = 0; i < 100; i++) {
            assert_ok(firn_world_step(world));
            assert_ok(firn_world_step(cut));
        }
        assert_true(firn_world_hash(world) == firn_world_hash(cut));
        if (threads == 1) first = firn_world_hash(world);
        assert_true(firn_world_hash(world) == first);
        firn_world_close(world);
        firn_world_close(cut);
    }
    firn_set_threads(0);
    remove(path);
}

// Faster than its own size in a step, at a thin plate that moves; the plate gets the momentum.
static void test_a_lone_particle_hits_a_plate(void **state) {
    (void)state;
    snow_world w;
    one_particle(&w, (firn_vec3){0, 0, 0}, (firn_vec3){8, 0, 0});
    w.world.gravity = (firn_vec3){0, 0, 0};
    firn_body_def plate = firn_body_def_default();
    plate.name = "plate";
    plate.shape.size = (firn_vec3){0.002, 1, 1};
    plate.at = (firn_vec3){1.001, 0, 0};
    plate.motion.kind = FIRN_MOTION_DYNAMIC;
    plate.density = 100;
    w.world.bodies.items = &plate;
    w.world.bodies.count = 1;
    firn_world *world = snow_open(&w);
    double momentum = snow_ledger(world).momentum.x;
    assert_ok(firn_world_advance(world, 0.3));
    firn_body_state b = firn_world_body_state(world, 0);
    const double *waiting = firn_world_field(world, "bodies.impulse").data;
    const double *p = firn_world_field(world, "mpm.position").data;
    assert_true(p[0] < b.position.x);
    assert_true(b.velocity.x > 0);
    assert_near(snow_ledger(world).momentum.x + b.mass * b.velocity.x + waiting[0], momentum,
                1e-5 * momentum);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flight_is_a_parabola_without_grid),
        cmocka_unit_test(test_a_lone_particle_slides_to_a_stop),
        cmocka_unit_test(test_it_rejoins),
        cmocka_unit_test(test_nobody_is_near_the_lonely),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_a_lone_particle_hits_a_plate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
