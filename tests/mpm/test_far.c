// Kilometres from the origin snow behaves as it does there: it moves, meets bodies, enters and leaves alike.
#include "mpm/snow.h"

#include "cache/cache.h"
#include "firn/query.h"
#include "firn/surface.h"

static const double FAR = 10000; // m; 50 000 blocks of cells of 5 cm

static void test_free_flight_keeps_its_speed(void **state) {
    (void)state;
    static const firn_vec3 places[] = {{10000, 0, 0}, {-10000, 7000, 3001.3}, {100, 0, 0}, {0, 0, 0}};
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        snow_world w;
        snow_box(&w, (firn_vec3){0.2, 0.2, 0.2}, places[k], 0.05);
        w.world.gravity = (firn_vec3){0, 0, 0};
        w.snow.young = 1e7;
        w.snow.velocity = (firn_vec3){0.2, 0, 0};
        firn_world *world = snow_open(&w);
        firn_vec3 start = snow_mean(world, "mpm.position");
        assert_ok(firn_world_advance(world, 0.2));
        firn_vec3 end = snow_mean(world, "mpm.position");
        assert_near(end.x - start.x, 0.04, 1e-5 * 0.04);
        assert_near(end.y - start.y, 0, 1e-7);
        assert_near(end.z - start.z, 0, 1e-7);
        firn_world_close(world);
    }
}

// Snow that is thrown at a wall and falls on a floor, `at` from the origin; a box that can be moved stands in
// its way, if there are three bodies.
typedef struct yard {
    snow_world w;
    firn_body_def bodies[3];
    firn_vec3 at;
} yard;

static void yard_make(yard *y, firn_vec3 at, size_t bodies) {
    y->at = at;
    snow_box(&y->w, (firn_vec3){0.3, 0.2, 0.2}, (firn_vec3){at.x - 0.4, at.y + 0.15, at.z}, 0.05);
    y->w.snow.velocity = (firn_vec3){1.5, 0, 0.5};
    y->w.snow.young = 4e5;
    firn_body_def *b = y->bodies;
    for (int i = 0; i < 3; i++) b[i] = firn_body_def_default();
    b[0].name = "floor";
    b[0].shape.kind = FIRN_SHAPE_PLANE;
    b[0].at.y = at.y;
    b[0].friction = 0.3;
    b[1].name = "wall";
    b[1].shape.size = (firn_vec3){0.1, 1, 2};
    b[1].at = (firn_vec3){at.x + 0.3, at.y + 0.5, at.z};
    b[1].rotate.y = 0.2;
    b[2].name = "box";
    b[2].shape.size = (firn_vec3){0.1, 0.1, 0.1};
    b[2].at = (firn_vec3){at.x - 0.1, at.y + 0.05, at.z + 0.05};
    b[2].motion.kind = FIRN_MOTION_DYNAMIC;
    b[2].density = 300;
    y->w.world.bodies.items = b;
    y->w.world.bodies.count = bodies;
}

// Largest distance between the snow of two worlds that are `apart`, by the particles' ids.
static double difference(const firn_world *a, const firn_world *b, firn_vec3 apart) {
    const uint32_t *id_a = firn_world_field(a, "mpm.id").data, *id_b = firn_world_field(b, "mpm.id").data;
    const double *x = snow_positions(a, NULL), *z = snow_positions(b, NULL);
    size_t count = firn_world_field(a, "mpm.id").count, *of = mem_zero(count + 1, sizeof *of);
    double most = 0;
    assert_non_null(of);
    assert_int_equal(firn_world_field(b, "mpm.id").count, count);
    for (size_t i = 0; i < count; i++) of[id_a[i]] = i;
    for (size_t i = 0; i < count; i++) {
        assert_true(id_b[i] < count);
        const double *p = x + 3 * of[id_b[i]], *q = z + 3 * i;
        most = fmax(most, fabs(q[0] - p[0] - apart.x));
        most = fmax(most, fabs(q[1] - p[1] - apart.y));
        most = fmax(most, fabs(q[2] - p[2] - apart.z));
    }
    mem_free(of);
    return most;
}

// Rounding alone: a shift by an even number of blocks leaves blocks and the order of contacts as they are.
static void check_yard(firn_vec3 at, size_t bodies, double implicit, double time, double tolerance) {
    yard near, far;
    yard_make(&near, (firn_vec3){0, 0, 0}, bodies);
    yard_make(&far, at, bodies);
    near.w.mpm.implicit = far.w.mpm.implicit = implicit;
    firn_world *a = snow_open(&near.w), *b = snow_open(&far.w);
    assert_ok(firn_world_advance(a, time));
    assert_ok(firn_world_advance(b, time));
    assert_int_equal(firn_world_steps(a), firn_world_steps(b));
    double apart = difference(a, b, at);
    if (!(apart < tolerance))
        fail_msg("at %g, %g, %g (implicit %g) snow is %g m off", at.x, at.y, at.z, implicit, apart);
    assert_true(snow_inside(a) == 0 && snow_inside(b) == 0);
    firn_ledger m = snow_ledger(a), n = snow_ledger(b);
    assert_near(m.momentum.x, n.momentum.x, 1e3 * tolerance * m.mass);
    assert_true(m.momentum.x < 1.2 * m.mass); // it has met something
    for (size_t i = 2; i < bodies; i++) {
        firn_body_state p = firn_world_body_state(a, i), q = firn_world_body_state(b, i);
        assert_true(p.velocity.x > 0.1); // it was hit
        assert_near(q.position.x - at.x, p.position.x, tolerance);
        assert_near(q.position.z - at.z, p.position.z, tolerance);
    }
    firn_world_close(a);
    firn_world_close(b);
}

static void test_contact_is_the_same_far_away(void **state) {
    (void)state;
    check_yard((firn_vec3){FAR, 0, 0}, 2, 0, 0.4, 2e-6);
    check_yard((firn_vec3){-FAR, 2e3, FAR}, 2, 0, 0.4, 2e-6);
    check_yard((firn_vec3){-FAR, 2e3, 0}, 2, 0.5, 0.4, 1e-5);
    // Snow that breaks on an edge multiplies a rounding: 1e-12 m beside the origin come to as much.
    check_yard((firn_vec3){FAR, 0, -FAR}, 3, 0, 0.16, 2e-3);
}

// A slope of kilometres: one plane, snow that slides at its origin and far down.
static void test_a_long_slope_is_even(void **state) {
    (void)state;
    double slope = 0.6, speed[2];
    for (int i = 0; i < 2; i++) {
        double along = i * 8000.0, c = cos(slope), s = sin(slope), up = 0.12;
        snow_world w;
        snow_box(&w, (firn_vec3){0.4, 0.2, 0.2},
                 (firn_vec3){along * c + up * s, -along * s + up * c, i * 300.0}, 0.05);
        w.snow.fill.rotate.z = -slope;
        snow_floor(&w, 0.2, slope);
        w.mpm.floor = -20000;
        firn_world *world = snow_open(&w);
        assert_ok(firn_world_advance(world, 0.4));
        firn_vec3 v = snow_mean(world, "mpm.velocity");
        speed[i] = v.x * c - v.y * s;
        assert_true(snow_inside(world) == 0);
        firn_world_close(world);
    }
    assert_near(speed[1], speed[0], 0.01 * speed[0]);
    assert_near(speed[1], 0.4 * 9.81 * (sin(slope) - 0.2 * cos(slope)), 0.03 * speed[0]);
}

// Both ends of a world of kilometres at once.
static void test_ends_of_one_world(void **state) {
    (void)state;
    snow_world w;
    firn_mpm_snow_def snow[2];
    snow_box(&w, (firn_vec3){0.3, 0.2, 0.2}, (firn_vec3){0, 0.2, 0}, 0.05);
    snow_floor(&w, 0.3, 0);
    w.snow.velocity = (firn_vec3){1, -2, 0};
    firn_world *one = snow_open(&w);
    for (int i = 0; i < 2; i++) {
        snow[i] = w.snow;
        snow[i].name = i ? "east" : "west";
        snow[i].fill.at.x = i ? FAR : -FAR;
    }
    w.mpm.snow.items = snow;
    w.mpm.snow.count = 2;
    firn_world *both = snow_open(&w);
    assert_ok(firn_world_advance(one, 0.2));
    assert_ok(firn_world_advance(both, 0.2));
    firn_field x = firn_world_field(both, "mpm.position"), of = firn_world_field(both, "mpm.snow");
    firn_vec3 expected = snow_mean(one, "mpm.position");
    double sum[2][2] = {{0, 0}, {0, 0}}, count[2] = {0, 0};
    for (size_t i = 0; i < x.count; i++) {
        uint32_t k = ((const uint32_t *)of.data)[i];
        const double *p = (const double *)x.data + 3 * i;
        sum[k][0] += p[0] - (k ? FAR : -FAR);
        sum[k][1] += p[1];
        count[k]++;
    }
    for (int k = 0; k < 2; k++) { // their points are jittered in another way
        assert_near(sum[k][0] / count[k], expected.x, 5e-3);
        assert_near(sum[k][1] / count[k], expected.y, 2e-3);
    }
    firn_world_close(one);
    firn_world_close(both);
}

static void test_same_bits(void **state) {
    (void)state;
    const char *path = "mpm-far.h5";
    uint64_t first = 0;
    yard y;
    yard_make(&y, (firn_vec3){FAR, 0, -FAR}, 3);
    for (int threads = 1; threads <= 3; threads += 2) {
        firn_set_threads(threads);
        firn_world *world = snow_open(&y.w), *cut = snow_open(&y.w);
        assert_ok(firn_world_advance(world, 0.1));
        assert_ok(cache_write(path, world, 7, CACHE_CHECKPOINT, false));
        assert_ok(cache_read(path, cut, 7, CACHE_CHECKPOINT));
        assert_true(difference(world, cut, (firn_vec3){0, 0, 0}) == 0);
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

typedef struct stream {
    firn_world_def world;
    firn_mpm_def mpm;
    firn_mpm_emit_def emit[2];
    firn_mpm_remove_def gate;
} stream;

// A stream and pieces enter, and leave through a slanting plane.
static firn_world *stream_open(stream *w, firn_vec3 at) {
    w->world = firn_world_def_default();
    w->mpm = firn_mpm_def_default();
    w->mpm.cell = 0.05;
    w->mpm.floor = at.y - 1;
    for (int i = 0; i < 2; i++) {
        w->emit[i] = firn_mpm_emit_def_default();
        w->emit[i].name = i ? "pieces" : "stream";
        w->emit[i].snow.fill.shape.kind = FIRN_SHAPE_BOX;
        w->emit[i].snow.fill.shape.size = (firn_vec3){0.1, 0.1, 0.1};
        w->emit[i].snow.fill.at = (firn_vec3){at.x, at.y, at.z + 0.4 * i};
        w->emit[i].snow.velocity = (firn_vec3){2, 0, 0};
        w->emit[i].every = i ? 0.1 : 0;
    }
    w->mpm.emit.items = w->emit;
    w->mpm.emit.count = 2;
    w->gate = firn_mpm_remove_def_default();
    w->gate.name = "gate";
    w->gate.at = (firn_vec3){at.x + 0.3, at.y, at.z};
    w->gate.normal = (firn_vec3){1, 0, 0.2};
    w->mpm.remove.items = &w->gate;
    w->mpm.remove.count = 1;
    w->world.mpm = &w->mpm;
    firn_world *world;
    assert_ok(firn_world_create(&w->world, &world));
    return world;
}

static void test_snow_enters_and_leaves_alike(void **state) {
    (void)state;
    stream near, far;
    firn_vec3 at = {FAR, 1000, -2000};
    firn_world *a = stream_open(&near, (firn_vec3){0, 0, 0}), *b = stream_open(&far, at);
    assert_ok(firn_world_advance(a, 0.35));
    assert_ok(firn_world_advance(b, 0.35));
    firn_ledger m = snow_ledger(a), n = snow_ledger(b);
    assert_true(m.mass_out > 0 && m.mass_lost == 0);
    assert_int_equal(m.items, n.items);
    assert_true(m.mass_in == n.mass_in && m.mass_out == n.mass_out);
    firn_vec3 p = snow_mean(a, "mpm.position"), q = snow_mean(b, "mpm.position");
    assert_near(q.x - at.x, p.x, 1e-6);
    assert_near(q.y - at.y, p.y, 1e-6);
    firn_fill_def inside = firn_fill_def_default();
    inside.shape.kind = FIRN_SHAPE_SPHERE;
    inside.shape.radius = 0.1;
    inside.at = (firn_vec3){0.15, 0, 0.4};
    assert_ok(firn_world_remove_inside(a, inside));
    inside.at = (firn_vec3){at.x + 0.15, at.y, at.z + 0.4};
    assert_ok(firn_world_remove_inside(b, inside));
    assert_true(snow_ledger(a).items < m.items);
    assert_int_equal(snow_ledger(a).items, snow_ledger(b).items);
    firn_world_close(a);
    firn_world_close(b);
}

// What programs see of it: rays, and a surface that counts from nearby.
static void test_rays_and_surfaces(void **state) {
    (void)state;
    yard near, far;
    yard_make(&near, (firn_vec3){0, 0, 0}, 3);
    yard_make(&far, (firn_vec3){FAR, 0, FAR}, 3);
    firn_world *a = snow_open(&near.w), *b = snow_open(&far.w);
    for (int i = 0; i < 20; i++) {
        firn_hit p, q;
        firn_vec3 from = {-0.5 + 0.01 * i, 1, 0.01}, down = {0.05, -1, 0};
        assert_ok(firn_world_ray(a, from, down, 10, &p));
        assert_ok(firn_world_ray(b, (firn_vec3){from.x + FAR, from.y, from.z + FAR}, down, 10, &q));
        assert_int_equal(p.what, q.what);
        assert_int_equal(p.item, q.item);
        assert_near(p.distance, q.distance, 1e-6);
        assert_near(p.normal.y, q.normal.y, 1e-4);
    }
    firn_surface_options options = firn_surface_options_default();
    firn_surface s, t;
    assert_ok(firn_world_surface_request(a, "mpm", &options, NULL));
    assert_ok(firn_world_surface_wait(a, "mpm", &s));
    options.origin = (firn_vec3){FAR, 0, FAR};
    assert_ok(firn_world_surface_request(b, "mpm", &options, NULL));
    assert_ok(firn_world_surface_wait(b, "mpm", &t));
    assert_true(s.mesh.vertices > 100);
    assert_int_equal(s.mesh.vertices, t.mesh.vertices);
    for (size_t i = 0; i < 3 * s.mesh.vertices; i++)
        assert_near(s.mesh.position[i], t.mesh.position[i], 1e-5);
    assert_near(s.volume, t.volume, 1e-6 * s.volume);
    options.origin.x = NAN;
    assert_int_equal(firn_world_surface_request(b, "mpm", &options, NULL), FIRN_BAD_INPUT);
    firn_world_close(a);
    firn_world_close(b);
}

static void test_the_end_of_the_world(void **state) {
    (void)state;
    snow_world w;
    firn_world *world;
    snow_box(&w, (firn_vec3){0.2, 0.2, 0.2}, (firn_vec3){2.09e5, 0, 0}, 0.05);
    world = snow_open(&w); // 209 715 m with these cells
    assert_ok(firn_world_step(world));
    firn_world_close(world);
    w.snow.fill.at.x = 2.1e5;
    assert_int_equal(firn_world_create(&w.world, &world), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "m from the origin"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_flight_keeps_its_speed),
        cmocka_unit_test(test_contact_is_the_same_far_away),
        cmocka_unit_test(test_a_long_slope_is_even),
        cmocka_unit_test(test_ends_of_one_world),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_snow_enters_and_leaves_alike),
        cmocka_unit_test(test_rays_and_surfaces),
        cmocka_unit_test(test_the_end_of_the_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
