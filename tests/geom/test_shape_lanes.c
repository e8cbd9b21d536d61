// The same distances from one lane (plain C) and from every instruction set that this machine has.
#include "geom/shape_checks.h"
#include "geom/shape_sdf.h"
#include "geom/shape_lanes.h"

enum { POINTS = 1003 };

static float x[POINTS], y[POINTS], z[POINTS];

static void scatter_points(void) {
    for (uint64_t i = 0; i < POINTS; i++) {
        firn_vec3 p = random_point(5, i, vec(0, 0, 0), vec(2, 2, 2));
        x[i] = (float)p.x, y[i] = (float)p.y, z[i] = (float)p.z;
    }
}

static isosurface_result plain(const shape_primitive *s, size_t i) {
    const float *h = s->half;
    switch (s->kind) {
    case FIRN_SHAPE_BOX: return box_answer(x[i], y[i], z[i], h[0], h[1], h[2]);
    case FIRN_SHAPE_SPHERE: return sphere_answer(x[i], y[i], z[i], h[0]);
    case FIRN_SHAPE_ELLIPSOID: return ellipsoid_answer(x[i], y[i], z[i], h[0], h[1], h[2]);
    case FIRN_SHAPE_CAPSULE: return capsule_answer(x[i], y[i], z[i], h[0], h[1]);
    case FIRN_SHAPE_CYLINDER: return cylinder_answer(x[i], y[i], z[i], h[0], h[1]);
    default: return plane_answer(y[i]);
    }
}

typedef struct answers {
    float d[POINTS], nx[POINTS], ny[POINTS], nz[POINTS];
} answers;

// One more rounding here or there may choose another of two nearest points, so a few normals may differ.
static void assert_same(const answers *a, const answers *b) {
    size_t other = 0;
    for (size_t i = 0; i < POINTS; i++) {
        assert_near((double)a->d[i], (double)b->d[i], 1e-5);
        double dot = (double)(a->nx[i] * b->nx[i] + a->ny[i] * b->ny[i] + a->nz[i] * b->nz[i]);
        other += dot < 0.9999;
    }
    assert_true(other <= POINTS / 200);
}

static void run_primitive(isa which, const shape_primitive *s, answers *a) {
#if FIRN_ISA_X86 == 2
    if (which == ISA_AVX512) primitive_query_avx512(s, POINTS, x, y, z, a->d, a->nx, a->ny, a->nz);
#endif
#if FIRN_ISA_X86
    if (which == ISA_AVX2) primitive_query_avx2(s, POINTS, x, y, z, a->d, a->nx, a->ny, a->nz);
#endif
    if (which == ISA_BASE) primitive_query_base(s, POINTS, x, y, z, a->d, a->nx, a->ny, a->nz);
}

static void test_primitives(void **state) {
    (void)state;
    const shape_primitive all[] = {
        {FIRN_SHAPE_PLANE, {0}},
        {FIRN_SHAPE_BOX, {1, 0.5f, 0.2f}},
        {FIRN_SHAPE_SPHERE, {0.7f}},
        {FIRN_SHAPE_ELLIPSOID, {1, 0.3f, 0.5f}},
        {FIRN_SHAPE_CAPSULE, {0.4f, 0.8f}},
        {FIRN_SHAPE_CYLINDER, {0.6f, 0.3f}},
    };
    static answers reference, lanes;
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        for (size_t i = 0; i < POINTS; i++) {
            isosurface_result a = plain(&all[k], i);
            reference.d[i] = a.d, reference.nx[i] = a.nx, reference.ny[i] = a.ny, reference.nz[i] = a.nz;
        }
        for (isa which = ISA_BASE; which <= isa_active(); which++) {
            run_primitive(which, &all[k], &lanes);
            assert_same(&reference, &lanes);
        }
    }
}

static void run_ground(isa which, const ground_map *g, answers *a) {
#if FIRN_ISA_X86 == 2
    if (which == ISA_AVX512) ground_query_avx512(g, POINTS, x, y, z, a->d, a->nx, a->ny, a->nz);
#endif
#if FIRN_ISA_X86
    if (which == ISA_AVX2) ground_query_avx2(g, POINTS, x, y, z, a->d, a->nx, a->ny, a->nz);
#endif
    if (which == ISA_BASE) ground_query_base(g, POINTS, x, y, z, a->d, a->nx, a->ny, a->nz);
}

static void test_ground(void **state) {
    (void)state;
    float heights[5 * 4];
    for (int i = 0; i < 20; i++) heights[i] = 0.3f * random_unit(random_bits(8, (uint64_t)i, 0, 0), 0);
    ground_map g = {.heights = heights, .nx = 5, .nz = 4, .half_x = 1.5f, .half_z = 1.2f, .bottom = -0.5f};
    g.cells_x = 4 / 3.0f, g.cells_z = 3 / 2.4f, g.near_surface = 3, g.lean = 0.9f;
    static answers reference, lanes;
    for (size_t i = 0; i < POINTS; i++) {
        isosurface_result a = ground_answer(&g, x[i], y[i], z[i]);
        reference.d[i] = a.d, reference.nx[i] = a.nx, reference.ny[i] = a.ny, reference.nz[i] = a.nz;
    }
    for (isa which = ISA_BASE; which <= isa_active(); which++) {
        run_ground(which, &g, &lanes);
        assert_same(&reference, &lanes);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_primitives), cmocka_unit_test(test_ground)};
    scatter_points();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
