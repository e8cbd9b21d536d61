// Rays against spheres of any size and place: the tree against all of them, one by one.
#include "support.h"

#include <math.h>

#include "base/random.h"
#include "geom/sphere_tree.h"
#include "math/dvec.h"

enum { MOST = 3000, RAYS = 400 };
static float centre[MOST][3], radius[MOST];

static double uniform(uint64_t i, uint32_t stream) {
    return 2 * (double)random_unit(random_bits(5, i, 0, stream), 0) - 1;
}

static firn_vec3 random_vec(uint64_t i, uint32_t stream, double size) {
    return dvec(size * uniform(i, stream), size * uniform(i, stream + 1), size * uniform(i, stream + 2));
}

// The first on the ray, in closed form; SIZE_MAX: none.
static size_t search(size_t count, firn_vec3 o, firn_vec3 d, double end, double *best) {
    size_t found = SIZE_MAX;
    *best = end;
    for (size_t i = 0; i < count; i++) {
        firn_vec3 from = dvec_sub(o, dvec((double)centre[i][0], (double)centre[i][1], (double)centre[i][2]));
        double b = dvec_dot(from, d), c = dvec_dot(from, from) - (double)radius[i] * (double)radius[i];
        double root = b * b - c;
        if (!(radius[i] > 0 && c > 0 && root > 0 && b < 0) || !(-b - sqrt(root) < *best)) continue;
        *best = -b - sqrt(root);
        found = i;
    }
    return found;
}

static void against_all(size_t count, double end, size_t least) {
    sphere_tree tree = {0};
    assert_ok(sphere_tree_build(&tree, centre[0], radius, count));
    size_t hits = 0;
    for (uint64_t i = 0; i < RAYS; i++) {
        firn_vec3 o = random_vec(i, 10, 3), d = dvec_normalise(dvec_sub(random_vec(i, 13, 1), o));
        if (i % 16 == 0) d = dvec(0, i % 32 ? 1 : -1, 0);
        double best;
        sphere_hit hit;
        size_t expected = search(count, o, d, end, &best);
        bool found = sphere_tree_ray(&tree, o, d, end, &hit);
        assert_int_equal(found, expected != SIZE_MAX);
        if (!found) continue;
        hits++;
        assert_near(hit.t, best, 1e-9);
        assert_int_equal(hit.number, expected);
        assert_true(hit.centre.x == (double)centre[expected][0]);
    }
    print_message("%zu spheres: %zu of %d rays hit\n", count, hits, RAYS);
    assert_true(hits >= least);
    sphere_tree_free(&tree);
}

static void fill(double size) {
    for (size_t i = 0; i < MOST; i++) {
        firn_vec3 at = random_vec(i, 0, 1);
        centre[i][0] = (float)at.x, centre[i][1] = (float)at.y, centre[i][2] = (float)at.z;
        radius[i] = (float)(size * (1.2 + uniform(i, 3)));
    }
}

static void any_number(void **state) {
    (void)state;
    static const size_t counts[] = {0, 1, 7, 8, 9, 16, 17, 100, MOST};
    fill(0.03);
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++)
        against_all(counts[k], INFINITY, counts[k] == MOST ? 200 : 0);
    against_all(MOST, 2.5, 50);
}

// One far away, some without size or place, all at one place.
static void odd_places(void **state) {
    (void)state;
    fill(0.03);
    centre[5][0] = 1e7f, centre[77][1] = NAN, centre[78][2] = INFINITY;
    radius[80] = 0, radius[81] = -1, radius[82] = NAN, radius[83] = 0.9f;
    against_all(MOST, INFINITY, 300);
    for (size_t i = 0; i < MOST; i++) centre[i][0] = centre[i][1] = centre[i][2] = 0.5f, radius[i] = 0.5f;
    against_all(MOST, INFINITY, 50);
}

static void no_memory(void **state) {
    (void)state;
    fill(0.03);
    for (size_t n = 1; n <= 6; n++) {
        failing_allocator failing;
        sphere_tree tree = {0};
        fail_allocation(&failing, n);
        assert_int_equal(sphere_tree_build(&tree, centre[0], radius, MOST), FIRN_NO_MEMORY);
        sphere_tree_free(&tree);
        assert_ok(firn_set_allocator(NULL));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_number),
        cmocka_unit_test(odd_places),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
