// Hills, height maps and unions.
#include "geom/image.h"
#include "geom/shape_checks.h"

static double height_at(const shape_heights *h, double x, double z) {
    double u = fmin(fmax((x / h->size.x + 0.5) * (h->nx - 1), 0), h->nx - 1),
           v = fmin(fmax((z / h->size.z + 0.5) * (h->nz - 1), 0), h->nz - 1);
    uint32_t i = (uint32_t)fmin(u, h->nx - 2), j = (uint32_t)fmin(v, h->nz - 2);
    const float *p = h->y + (size_t)j * h->nx + i;
    double s = u - i, t = v - j;
    return (1 - t) * ((1 - s) * (double)p[0] + s * (double)p[1]) +
           t * ((1 - s) * (double)p[h->nx] + s * (double)p[h->nx + 1]);
}

// Nearest point of the surface by trying many about the foot.
static double brute_distance(const shape_heights *h, firn_vec3 p, double reach) {
    double best = INFINITY;
    const int steps = 120;
    for (int i = -steps; i <= steps; i++) {
        for (int j = -steps; j <= steps; j++) {
            double x = p.x + reach * i / steps, z = p.z + reach * j / steps;
            if (fabs(x) > h->size.x / 2 || fabs(z) > h->size.z / 2) continue;
            best = fmin(best, vec_length(vec(p.x - x, p.y - height_at(h, x, z), p.z - z)));
        }
    }
    return best;
}

static shape *make_hills(int32_t seed) {
    return make_shape((firn_shape_def){.kind = FIRN_SHAPE_HILLS, .size = {16, 2, 12}, .seed = seed}, 1);
}

static void test_hills_fill_their_box(void **state) {
    (void)state;
    shape *s = make_hills(3), *again = make_hills(3), *other = make_hills(4);
    const shape_heights *h = shape_height_map(s);
    assert_non_null(h);
    float least = INFINITY, most = -INFINITY;
    for (size_t i = 0; i < (size_t)h->nx * h->nz; i++)
        least = fminf(least, h->y[i]), most = fmaxf(most, h->y[i]);
    assert_near((double)least, 0, 0);
    assert_near((double)most, 2, 1e-6);
    size_t bytes = (size_t)h->nx * h->nz * sizeof(float);
    assert_memory_equal(h->y, shape_height_map(again)->y, bytes);
    assert_true(memcmp(h->y, shape_height_map(other)->y, bytes) != 0);
    firn_vec3 low, high;
    assert_true(shape_bounds(s, &low, &high));
    assert_near(low.x, -8, 1e-6);
    assert_near(high.z, 6, 1e-6);
    assert_near(low.y, -1.6, 1e-5);
    mesh_defects d;
    assert_ok(mesh_inspect(shape_mesh(s), &d));
    assert_int_equal(d.open_edges + d.flipped_edges + d.degenerate + d.non_finite, 0);
    shape_destroy(s);
    shape_destroy(again);
    shape_destroy(other);
}

// Smooth: neighbouring slopes differ little.
static void test_hills_have_no_creases(void **state) {
    (void)state;
    shape *s = make_hills(8);
    const shape_heights *h = shape_height_map(s);
    double worst = 0;
    for (uint32_t j = 0; j < h->nz; j++) {
        for (uint32_t i = 1; i + 1 < h->nx; i++) {
            const float *p = h->y + (size_t)j * h->nx + i;
            worst = fmax(worst, fabs((double)p[-1] - 2 * (double)p[0] + (double)p[1]));
        }
    }
    double cell = h->size.x / (h->nx - 1);
    assert_true(worst / cell < 0.25); // turn of the slope from cell to cell
    shape_destroy(s);
}

static void test_near_the_surface_it_is_the_distance(void **state) {
    (void)state;
    shape *s = make_hills(3);
    const shape_heights *h = shape_height_map(s);
    for (uint64_t i = 0; i < 150; i++) {
        firn_vec3 p = random_point(31, i, vec(0, 0, 0), vec(7, 0.25, 5)), n;
        double offset = p.y;
        p.y += height_at(h, p.x, p.z);
        double d = shape_sdf(s, p, &n);
        assert_near(vec_length(n), 1, 1e-5);
        assert_true((d < 0) == (offset < 0) || fabs(offset) < 1e-5);
        double brute = brute_distance(h, p, fabs(offset) + 0.01);
        assert_near(fabs(d), brute, 1e-3);
        firn_vec3 foot = vec(p.x - d * n.x, p.y - d * n.y, p.z - d * n.z);
        assert_near(foot.y, height_at(h, foot.x, foot.z), 2e-3);
    }
    shape_destroy(s);
}

// Anywhere, the distance is not larger than the true one, so that a step of that length is safe.
static void test_far_away_it_is_a_lower_bound(void **state) {
    (void)state;
    shape *s = make_hills(5);
    const mesh *m = shape_mesh(s);
    for (uint64_t i = 0; i < 60; i++) {
        firn_vec3 p = random_point(7, i, vec(0, 2, 0), vec(12, 8, 10));
        double d = shape_sdf(s, p, NULL), nearest = INFINITY;
        for (size_t v = 0; v < m->vertices; v++) {
            const float *q = m->position[v];
            nearest =
                fmin(nearest, vec_length(vec(p.x - (double)q[0], p.y - (double)q[1], p.z - (double)q[2])));
        }
        assert_true(fabs(d) <= nearest + 1e-3);
        if (p.y > 3) assert_true(d > 0.5 * nearest - 0.1);
    }
    shape_destroy(s);
}

static void test_gradient_of_ground(void **state) {
    (void)state;
    shape *s = make_hills(9);
    size_t off = 0;
    for (uint64_t i = 0; i < 400; i++) {
        firn_vec3 p = random_point(2, i, vec(0, 0, 0), vec(7, 0.25, 5)), n;
        p.y += height_at(shape_height_map(s), p.x, p.z);
        shape_sdf(s, p, &n);
        firn_vec3 g = finite_difference(s, p, 2e-3);
        off += vec_length(vec(g.x - n.x, g.y - n.y, g.z - n.z)) > 0.05;
    }
    assert_true(off <= 20); // on the edges between cells the slope jumps
    shape_destroy(s);
}

static void test_sides_and_bottom(void **state) {
    (void)state;
    shape *s = make_hills(3);
    firn_vec3 n;
    assert_near(shape_sdf(s, vec(10, -1, 0), &n), 2, 1e-5);
    assert_near(n.x, 1, 1e-5);
    assert_near(shape_sdf(s, vec(0, -3, 0), &n), 1.4, 1e-4);
    assert_near(n.y, -1, 1e-5);
    assert_near(shape_sdf(s, vec(0, -1.5, 0), &n), -0.1, 1e-4);
    assert_near(n.y, -1, 1e-5);
    assert_near(shape_sdf(s, vec(2, -1, -5.9), &n), -0.1, 1e-4);
    assert_near(n.z, -1, 1e-5);
    assert_near(shape_sdf(s, vec(11, -1.6 - 4, 0), &n), 5, 1e-4);
    shape_destroy(s);
}

static void test_odd_numbers_do_no_harm(void **state) {
    (void)state;
    shape *s = make_hills(3);
    float x[4] = {NAN, INFINITY, -1e30f, 3}, y[4] = {0, NAN, 1e30f, -INFINITY}, z[4] = {1, -INFINITY, NAN, 0},
          d[4], nx[4], ny[4], nz[4];
    shape_query(s, 4, x, y, z, d, nx, ny, nz);
    shape_destroy(s);
}

static void test_union_is_the_nearest_part(void **state) {
    (void)state;
    const firn_part_def parts[3] = {
        {.name = "a",
         .shape = {.kind = FIRN_SHAPE_BOX, .size = {1, 2, 1}},
         .at = {0, 1, 0},
         .rotate = {0.3, 0.8, -0.4},
         .scale = 1},
        {.name = "b", .shape = {.kind = FIRN_SHAPE_SPHERE, .radius = 0.5}, .at = {1, 0.5, 0}, .scale = 1.5},
        {.name = "c", .shape = {.kind = FIRN_SHAPE_PLANE}, .at = {0, -1, 0}, .scale = 1},
    };
    shape *u = make_shape((firn_shape_def){.kind = FIRN_SHAPE_UNION, .parts = {parts, 2}}, 2);
    shape *box = make_shape(parts[0].shape, 2), *ball = make_shape(parts[1].shape, 3);
    for (uint64_t i = 0; i < 300; i++) {
        firn_vec3 p = random_point(77, i, vec(1, 1, 0), vec(4, 4, 4)), n;
        double d = shape_sdf(u, p, &n);
        // About x, then y, then z, undone in the other order.
        firn_vec3 q = vec(p.x, p.y - 2, p.z), r;
        r = vec(cos(-0.4) * q.x + sin(-0.4) * q.y, -sin(-0.4) * q.x + cos(-0.4) * q.y, q.z);
        q = vec(cos(0.8) * r.x - sin(0.8) * r.z, r.y, sin(0.8) * r.x + cos(0.8) * r.z);
        r = vec(q.x, cos(0.3) * q.y + sin(0.3) * q.z, -sin(0.3) * q.y + cos(0.3) * q.z);
        double expected = fmin(shape_sdf(box, r, NULL), shape_sdf(ball, vec(p.x - 2, p.y - 1, p.z), NULL));
        assert_near(d, expected, 1e-5);
        firn_vec3 g = finite_difference(u, p, 1e-3);
        assert_near(vec_length(n), 1, 1e-5);
        if (vec_length(g) > 0.995) assert_near(g.x * n.x + g.y * n.y + g.z * n.z, 1, 0.02);
    }
    size_t count;
    const shape_probe *probes = shape_probes(u, &count);
    assert_true(count > 50);
    for (size_t i = 0; i < count; i++) {
        double d = shape_sdf(
            u, vec((double)probes[i].at[0], (double)probes[i].at[1], (double)probes[i].at[2]), NULL);
        assert_near(d, -(double)probes[i].radius, 3e-3);
    }
    firn_vec3 low, high;
    assert_true(shape_bounds(u, &low, &high));
    shape *endless = make_shape((firn_shape_def){.kind = FIRN_SHAPE_UNION, .parts = {parts, 3}}, 1);
    shape_mass mass;
    assert_false(shape_bounds(endless, &low, &high));
    assert_false(shape_mass_of(endless, &mass));
    assert_near(shape_sdf(endless, vec(30, 4, 0), NULL), 5, 1e-5);
    shape_destroy(endless);
    shape_destroy(u);
    shape_destroy(box);
    shape_destroy(ball);
}

static void test_bad_unions_are_errors(void **state) {
    (void)state;
    shape *s;
    firn_shape_def empty = {.kind = FIRN_SHAPE_UNION};
    assert_int_equal(shape_create(&empty, 1, NULL, "heap", &s), FIRN_BAD_INPUT);
    firn_part_def part = {.shape = {.kind = FIRN_SHAPE_SPHERE, .radius = 1}};
    firn_shape_def one = {.kind = FIRN_SHAPE_UNION, .parts = {&part, 1}};
    assert_int_equal(shape_create(&one, 1, NULL, "heap", &s), FIRN_BAD_INPUT); // scale 0
    part.scale = 1;
    part.at.x = NAN;
    assert_int_equal(shape_create(&one, 1, NULL, "heap", &s), FIRN_BAD_INPUT);
    part.at.x = 0;
    part.shape.radius = 0;
    assert_int_equal(shape_create(&one, 1, NULL, "heap", &s), FIRN_BAD_INPUT);
    // A union that holds itself.
    firn_part_def self = {.scale = 1};
    self.shape = (firn_shape_def){.kind = FIRN_SHAPE_UNION, .parts = {&self, 1}};
    assert_int_equal(shape_create(&self.shape, 1, NULL, "heap", &s), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "deep"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hills_fill_their_box),
        cmocka_unit_test(test_hills_have_no_creases),
        cmocka_unit_test(test_near_the_surface_it_is_the_distance),
        cmocka_unit_test(test_far_away_it_is_a_lower_bound),
        cmocka_unit_test(test_gradient_of_ground),
        cmocka_unit_test(test_sides_and_bottom),
        cmocka_unit_test(test_odd_numbers_do_no_harm),
        cmocka_unit_test(test_union_is_the_nearest_part),
        cmocka_unit_test(test_bad_unions_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
