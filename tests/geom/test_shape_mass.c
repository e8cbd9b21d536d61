#include "base/memory.h"
#include "geom/shape_checks.h"

static shape_mass mass_of(firn_shape_def def, double scale) {
    shape *s = make_shape(def, scale);
    shape_mass m;
    assert_true(shape_mass_of(s, &m));
    shape_destroy(s);
    return m;
}

static void assert_inertia(const shape_mass *m, double x, double y, double z, double tolerance) {
    const double diagonal[3] = {x, y, z};
    double largest = fmax(x, fmax(y, z));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            assert_near(m->inertia[i][j] / largest, i == j ? diagonal[i] / largest : 0, tolerance);
    }
}

static void test_primitives_match_their_formulas(void **state) {
    (void)state;
    shape_mass m = mass_of((firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {1, 2, 3}}, 2);
    assert_near(m.volume, 48, 1e-5);
    assert_inertia(&m, 48 * (16 + 36) / 12.0, 48 * (4 + 36) / 12.0, 48 * (4 + 16) / 12.0, 1e-6);
    m = mass_of((firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 0.5}, 3);
    double ball = 4.0 / 3 * M_PI * 3.375;
    assert_near(m.volume, ball, 1e-5);
    assert_inertia(&m, 0.4 * ball * 2.25, 0.4 * ball * 2.25, 0.4 * ball * 2.25, 1e-6);
    m = mass_of((firn_shape_def){.kind = FIRN_SHAPE_ELLIPSOID, .radii = {1, 2, 3}}, 1);
    double egg = 8 * M_PI;
    assert_near(m.volume, egg, 1e-5);
    assert_inertia(&m, egg * 13 / 5, egg * 10 / 5, egg * 5 / 5, 1e-6);
    m = mass_of((firn_shape_def){.kind = FIRN_SHAPE_CYLINDER, .radius = 0.5, .length = 2}, 1);
    double can = M_PI * 0.5;
    assert_near(m.volume, can, 1e-6);
    assert_inertia(&m, can * (3 * 0.25 + 4) / 12, can * 0.25 / 2, can * (3 * 0.25 + 4) / 12, 1e-6);
    m = mass_of((firn_shape_def){.kind = FIRN_SHAPE_CAPSULE, .radius = 0.5, .length = 2}, 1);
    assert_near(m.volume, M_PI * 0.5 + M_PI / 6, 1e-6);
}

// The capsule's inertia by slices along its axis.
static void test_capsule_by_slices(void **state) {
    (void)state;
    const double r = 0.4, half = 0.7;
    shape_mass m = mass_of((firn_shape_def){.kind = FIRN_SHAPE_CAPSULE, .radius = r, .length = 2 * half}, 1);
    double along = 0, across = 0, volume = 0;
    const int slices = 200000;
    for (int i = 0; i < slices; i++) {
        double y = (r + half) * (2 * (i + 0.5) / slices - 1), out = fmax(fabs(y) - half, 0),
               s = r * r - out * out;
        double dv = M_PI * s * 2 * (r + half) / slices;
        volume += dv, along += dv * s / 2, across += dv * (s / 4 + y * y);
    }
    assert_near(m.volume / volume, 1, 1e-6);
    assert_inertia(&m, across, along, across, 1e-6);
}

static firn_part_def part(firn_shape_def def, double x, double y, double z) {
    return (firn_part_def){.name = "part", .shape = def, .at = {x, y, z}, .scale = 1};
}

static firn_shape_def join(const firn_part_def *parts, size_t count) {
    return (firn_shape_def){.kind = FIRN_SHAPE_UNION, .parts = {parts, count}};
}

// Two half boxes that touch make the whole; moments add up about the common centre.
static void test_union_of_parts_apart_is_exact(void **state) {
    (void)state;
    firn_shape_def half = {.kind = FIRN_SHAPE_BOX, .size = {1, 1, 2}};
    firn_part_def parts[2] = {part(half, 3.5, 1, 0), part(half, 4.5, 1, 0)};
    // The second is turned by a right angle and its box with it.
    parts[1].shape.size = vec(2, 1, 1);
    parts[1].rotate = vec(0, M_PI / 2, 0);
    shape_mass m = mass_of(join(parts, 2), 1);
    assert_near(m.volume, 4, 4e-3);
    assert_near(m.centre.x, 4, 1e-3);
    assert_near(m.centre.y, 1, 1e-3);
    assert_inertia(&m, 4 * 5 / 12.0, 4 * 8 / 12.0, 4 * 5 / 12.0, 2e-3);
    parts[1].at.x = 7;
    parts[1].rotate.y = 0;
    m = mass_of(join(parts, 2), 2);
    assert_near(m.volume, 32, 1e-5);
    assert_near(m.centre.x, 10.5, 1e-5);
}

// Two balls of radius 1 with centres 1 apart: the lens between them, 5 pi / 12, counts once.
static void test_overlap_counts_once(void **state) {
    (void)state;
    firn_shape_def ball = {.kind = FIRN_SHAPE_SPHERE, .radius = 1};
    firn_part_def parts[2] = {part(ball, 0, 0, 0), part(ball, 1, 0, 0)};
    double expected = 2 * 4.0 / 3 * M_PI - 5 * M_PI / 12;
    shape_mass m = mass_of(join(parts, 2), 1), scaled = mass_of(join(parts, 2), 3);
    assert_near(m.volume / expected, 1, 2e-3);
    assert_near(m.centre.x, 0.5, 2e-3);
    assert_near(m.centre.y, 0, 1e-3);
    assert_near(scaled.volume / (27 * expected), 1, 2e-3);
    parts[1].at.x = 0; // one inside the other
    parts[1].scale = 0.5;
    m = mass_of(join(parts, 2), 1);
    assert_near(m.volume / (4.0 / 3 * M_PI), 1, 2e-3);
    assert_inertia(&m, 0.4 * m.volume, 0.4 * m.volume, 0.4 * m.volume, 2e-3);
}

// A block of ground: volume is the mean height over the bottom times the area; compare with its closed mesh.
static void test_ground_block(void **state) {
    (void)state;
    shape *s = make_shape((firn_shape_def){.kind = FIRN_SHAPE_HILLS, .size = {20, 3, 10}, .seed = 4}, 1);
    shape_mass m;
    assert_true(shape_mass_of(s, &m));
    assert_near(m.volume / mesh_volume(shape_mesh(s)), 1, 1e-4);
    const shape_heights *h = shape_height_map(s);
    double mean = 0;
    for (uint32_t j = 0; j < h->nz; j++) {
        for (uint32_t i = 0; i < h->nx; i++) {
            double w = (i == 0 || i + 1 == h->nx ? 0.5 : 1) * (j == 0 || j + 1 == h->nz ? 0.5 : 1);
            mean += w * (double)h->y[(size_t)j * h->nx + i];
        }
    }
    mean /= (double)(h->nx - 1) * (h->nz - 1);
    assert_near(m.volume, 200 * (mean + 2), 1e-3);
    assert_near(shape_thickness(s), 2, 1e-6);
    shape_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_primitives_match_their_formulas),
        cmocka_unit_test(test_capsule_by_slices),
        cmocka_unit_test(test_union_of_parts_apart_is_exact),
        cmocka_unit_test(test_overlap_counts_once),
        cmocka_unit_test(test_ground_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
