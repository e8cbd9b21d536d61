// Distances of bodies in the world, and spheres swept against them.
// firn-test: threaded
#include "body/bodies.h"

#include "base/random.h"

static double unit(uint64_t item, int k) {
    return (double)random_unit(random_bits(11, item, 0, 0), k % 4) * 2 - 1;
}
static double unit2(uint64_t item, int k) {
    return (double)random_unit(random_bits(12, item, 1, 3), k % 4) * 2 - 1;
}

// Plain distance to a box and to a sphere, the reference.
static double box_distance(firn_vec3 p, firn_vec3 half) {
    firn_vec3 q = dvec_sub(dvec_abs(p), half);
    double inside = fmin(fmax(q.x, fmax(q.y, q.z)), 0);
    return dvec_length(dvec_max(q, dvec(0, 0, 0))) + inside;
}

enum { POINTS = 50001 };

typedef struct cloud {
    float x[POINTS], y[POINTS], z[POINTS], d[POINTS], nx[POINTS], ny[POINTS], nz[POINTS];
} cloud;

static cloud *make_cloud(double size) {
    cloud *c = malloc(sizeof *c);
    assert_non_null(c);
    for (uint64_t i = 0; i < POINTS; i++) {
        c->x[i] = (float)(size * unit(i, 0));
        c->y[i] = (float)(size * unit(i, 1));
        c->z[i] = (float)(size * unit(i, 2));
    }
    return c;
}

static void test_query_matches_the_plain_distance(void **state) {
    (void)state;
    firn_body_def defs[2] = {box_body("box", dvec(1, 0.4, 0.6), dvec(0.5, -0.3, 1)),
                             ball_body("ball", 0.7, dvec(1, 1, 0))};
    defs[0].rotate = dvec(0.3, 1.2, -2);
    defs[0].scale = 1.5;
    model_setting setting = usual_setting();
    run r = start(defs, 2, &setting);
    cloud *c = make_cloud(3);
    body_query(r.set, 0, POINTS, c->x, c->y, c->z, c->d, c->nx, c->ny, c->nz);
    firn_quat q = dquat_from_angles(defs[0].rotate);
    for (size_t i = 0; i < POINTS; i++) {
        firn_vec3 p = dvec_sub(dvec((double)c->x[i], (double)c->y[i], (double)c->z[i]), defs[0].at),
                  half = dvec(0.75, 0.3, 0.45);
        double d = box_distance(dquat_rotate_back(q, p), half);
        assert_near((double)c->d[i], d, 3e-6);
        firn_vec3 n = dvec((double)c->nx[i], (double)c->ny[i], (double)c->nz[i]);
        assert_near(dvec_length(n), 1, 1e-5);
        double along = box_distance(dquat_rotate_back(q, dvec_add_scaled(p, n, 1e-3)), half);
        if (fabs(d) > 2e-3) assert_near(along - d, 1e-3, 2e-4); // the normal is the way out
    }
    body_query(r.set, 1, POINTS, c->x, c->y, c->z, c->d, NULL, NULL, NULL);
    for (size_t i = 0; i < POINTS; i++) {
        firn_vec3 p = dvec((double)c->x[i], (double)c->y[i], (double)c->z[i]);
        assert_near((double)c->d[i], dvec_distance(p, defs[1].at) - 0.7, 3e-6);
    }
    free(c);
    stop(&r);
}

static void test_query_in_any_portion_is_the_same(void **state) {
    (void)state;
    firn_body_def def = box_body("box", dvec(1, 0.4, 0.6), dvec(0.5, -0.3, 1));
    def.rotate = dvec(0.3, 1.2, -2);
    model_setting setting = usual_setting();
    run r = start(&def, 1, &setting);
    cloud *c = make_cloud(2);
    body_query(r.set, 0, POINTS, c->x, c->y, c->z, c->d, c->nx, NULL, c->nz);
    for (size_t i = 0; i < POINTS; i += 977) {
        size_t n = POINTS - i < 33 ? POINTS - i : 33;
        float d[33], nx[33], ny[33], nz[33];
        body_query(r.set, 0, n, c->x + i, c->y + i, c->z + i, d, nx, ny, nz);
        assert_memory_equal(d, c->d + i, n * sizeof *d);
        assert_memory_equal(nx, c->nx + i, n * sizeof *nx);
        assert_memory_equal(nz, c->nz + i, n * sizeof *nz);
    }
    body_query(r.set, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
    free(c);
    stop(&r);
}

static void test_velocity_and_bounds(void **state) {
    (void)state;
    firn_body_def defs[2] = {box_body("box", dvec(2, 1, 0.5), dvec(1, 2, 3)), plane_body(0.5, 0)};
    defs[0].velocity = dvec(1, 0, 0);
    defs[0].spin = dvec(0, 0, 2);
    defs[0].rotate = dvec(0, 0, 0.5);
    model_setting setting = usual_setting();
    run r = start(defs, 2, &setting);
    firn_vec3 v = body_velocity_at(r.set, 0, dvec(1, 3, 3)), low, high;
    assert_near(v.x, 1 - 2, 1e-12);
    assert_near(v.y, 0, 1e-12);
    assert_false(body_bounds(r.set, 1, 0, &low, &high));
    assert_true(body_bounds(r.set, 0, 0, &low, &high));
    assert_near(high.x - low.x, 2 * cos(0.5) + sin(0.5), 1e-6);
    assert_near(high.y - low.y, 2 * sin(0.5) + cos(0.5), 1e-6);
    firn_vec3 far_low, far_high;
    assert_true(body_bounds(r.set, 0, 0.1, &far_low, &far_high));
    assert_true(far_high.x >= high.x + 0.1 && far_low.y <= low.y);
    stop(&r);
}

// First touch by dense sampling of the way in a hundred thousand steps.
static bool dense(const body_set *set, firn_vec3 half, const firn_body_state *before,
                  const firn_body_state *after, firn_vec3 from, firn_vec3 to, double radius, double *t) {
    (void)set;
    for (int i = 0; i <= 20000; i++) {
        *t = i / 20000.0;
        firn_vec3 at = dvec_mix(before->position, after->position, *t);
        firn_quat q = dquat_mix(before->rotation, after->rotation, *t);
        firn_vec3 p = dquat_rotate_back(q, dvec_sub(dvec_mix(from, to, *t), at));
        if (box_distance(p, half) < radius) return true;
    }
    return false;
}

static void test_sweep_matches_dense_sampling(void **state) {
    (void)state;
    int hits = 0, misses = 0;
    for (uint64_t i = 0; i < 150; i++) {
        firn_vec3 size = dvec(0.6, i % 2 ? 0.01 : 0.3, 0.5);
        firn_body_def def = box_body("plate", size, dvec(0.2 * unit(i, 0), 0.2 * unit(i, 1), 0));
        def.rotate = dvec(unit(i, 2) * 3, unit(i, 3) * 3, 0);
        def.velocity = dvec_scale(dvec(unit2(i, 0), unit2(i, 1), unit2(i, 2)), i % 3 ? 40 : 0);
        def.spin = dvec_scale(dvec(unit2(i, 3), unit2(i, 0), unit2(i, 1)), i % 5 ? 60 : 0);
        model_setting setting = usual_setting();
        run r = start(&def, 1, &setting);
        firn_body_state before = body_state(r.set, 0);
        one_step(&r, 1.0 / 240);
        firn_body_state after = body_state(r.set, 0);
        firn_vec3 from = dvec_scale(dvec(unit2(i + 500, 0), unit2(i + 500, 1), unit2(i + 500, 2)), 1.2);
        firn_vec3 aim = dvec_scale(dvec(unit2(i + 900, 0), unit2(i + 900, 1), unit2(i + 900, 2)), 0.4);
        firn_vec3 to = dvec_add_scaled(from, dvec_sub(aim, from), 2);
        double radius = 0.002 + 0.02 * (1 + unit(i, 2)), t;
        if (box_distance(dquat_rotate_back(before.rotation, dvec_sub(from, before.position)),
                         dvec_scale(size, 0.5)) < radius) {
            stop(&r);
            continue;
        }
        body_hit hit;
        bool expected = dense(r.set, dvec_scale(size, 0.5), &before, &after, from, to, radius, &t);
        bool found = body_sweep(r.set, 0, from, to, radius, &hit);
        // A sphere that only grazes may be seen either way.
        double t2;
        bool grazing = dense(r.set, dvec_scale(size, 0.5), &before, &after, from, to, radius * 1.1, &t2) !=
                       dense(r.set, dvec_scale(size, 0.5), &before, &after, from, to, radius * 0.7, &t2);
        if (!grazing) assert_int_equal(expected, found);
        if (expected && found && !grazing) {
            double way = dvec_distance(from, to) + dvec_distance(before.position, after.position) + 0.3;
            assert_near(hit.t * way, t * way, 0.3 * radius + 1e-3);
            hits++;
        }
        misses += !expected;
        stop(&r);
    }
    print_message("%d hits, %d misses\n", hits, misses);
    assert_true(hits > 30 && misses > 30);
}

static void test_sweep_meets_a_thin_plate_at_any_speed(void **state) {
    (void)state;
    firn_body_def def = box_body("plate", dvec(2, 2, 0.001), dvec(0, 0, 0));
    def.motion.kind = FIRN_MOTION_FIXED;
    model_setting setting = usual_setting();
    run r = start(&def, 1, &setting);
    for (uint64_t i = 0; i < 2000; i++) {
        double far = pow(10, 1.5 * unit(i, 3));
        firn_vec3 from = dvec(0.5 * unit(i, 0), 0.5 * unit(i, 1), -0.01 - far * 0.5 * (1 + unit(i, 2)));
        firn_vec3 to = dvec(from.x + 0.3 * unit2(i, 0), from.y + 0.3 * unit2(i, 1), 0.01 + far);
        double radius = i % 2 ? 0.0005 : 0.005;
        body_hit hit;
        assert_true(body_sweep(r.set, 0, from, to, radius, &hit));
        assert_near(hit.point.z, -0.0005 - radius, 1e-4 + 0.02 * radius);
        assert_near(hit.normal.z, -1, 1e-5);
        assert_true(dvec_distance(hit.carried, hit.point) < 1e-9);
    }
    body_hit hit; // away from it, starting at its surface: no hit
    assert_false(body_sweep(r.set, 0, dvec(0, 0, 0.0055), dvec(0.1, 0, 3), 0.005, &hit));
    assert_false(body_sweep(r.set, 0, dvec(0, 0, 0.0055), dvec(0.1, 0, 0.0055), 0.005, &hit));
    stop(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_query_matches_the_plain_distance),
        cmocka_unit_test(test_query_in_any_portion_is_the_same),
        cmocka_unit_test(test_velocity_and_bounds),
        cmocka_unit_test(test_sweep_matches_dense_sampling),
        cmocka_unit_test(test_sweep_meets_a_thin_plate_at_any_speed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
