// Particles to surfaces. firn-test: threaded
#include <firn/base.h>

#include "geom/meshes.h"
#include "geom/isosurface.h"

typedef float point[3];

// A ball of particles on a jittered lattice; `spacing` 1.
static size_t fill_ball(double radius, double jitter, const double middle[3], point *out) {
    int reach = (int)radius + 2;
    size_t count = 0;
    for (int z = -reach; z <= reach; z++)
        for (int y = -reach; y <= reach; y++)
            for (int x = -reach; x <= reach; x++) {
                const int lattice[3] = {x, y, z};
                uint64_t number = (uint64_t)((z + 100) * 201 + y + 100) * 201 + (uint64_t)(x + 100);
                double at[3], r2 = 0;
                for (int k = 0; k < 3; k++) {
                    at[k] = lattice[k] + 0.5 + jitter * (double)random_signed(7, number, k);
                    r2 += at[k] * at[k];
                }
                if (r2 > radius * radius) continue;
                if (out)
                    for (int k = 0; k < 3; k++) out[count][k] = (float)(at[k] + middle[k]);
                count++;
            }
    return count;
}

static double mesh_area(const mesh *m) {
    double sum = 0;
    for (size_t t = 0; t < m->triangles; t++) {
        double e[2][3];
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 2; i++)
                e[i][k] =
                    (double)m->position[m->triangle[t][i + 1]][k] - (double)m->position[m->triangle[t][0]][k];
        double x = e[0][1] * e[1][2] - e[0][2] * e[1][1], y = e[0][2] * e[1][0] - e[0][0] * e[1][2],
               z = e[0][0] * e[1][1] - e[0][1] * e[1][0];
        sum += sqrt(x * x + y * y + z * z) / 2;
    }
    return sum;
}

static surface build(const isosurface_input *in) {
    surface s;
    assert_int_equal(isosurface_build(in, &s), FIRN_OK);
    mesh_defects d;
    assert_int_equal(mesh_inspect(&s.mesh, &d), FIRN_OK);
    assert_int_equal(d.open_edges + d.flipped_edges + d.non_finite + d.degenerate, 0);
    if (s.mesh.triangles) assert_two_manifold(&s.mesh);
    return s;
}

enum { BALL_ROOM = 60000 };
static point ball[BALL_ROOM];

static void test_ball(void **state) {
    (void)state;
    const double radius = 20, middle[3] = {0.3, -0.2, 0.1};
    for (int jittered = 0; jittered < 2; jittered++) {
        size_t count = fill_ball(radius, jittered ? 0.45 : 0, middle, ball);
        surface s = build(&(isosurface_input){.at = (const point *)ball, .count = count, .spacing = 1});
        double volume = 4 * M_PI / 3 * radius * radius * radius, area = 4 * M_PI * radius * radius;
        assert_near(mesh_volume(&s.mesh) / volume, 1, 0.02);
        assert_near(mesh_area(&s.mesh) / area, 1, 0.03);
        double tilt = 0, off = 0;
        for (size_t v = 0; v < s.mesh.vertices; v++) {
            double along = 0, r2 = 0, n2 = 0;
            for (int k = 0; k < 3; k++) {
                double d = (double)s.mesh.position[v][k] - middle[k], n = (double)s.mesh.normal[v][k];
                along += d * n;
                r2 += d * d;
                n2 += n * n;
            }
            assert_near(n2, 1, 1e-5);
            assert_true(along / sqrt(r2) > 0.85); // outward; no bump of a single particle turns it far
            tilt += 1 - along / sqrt(r2);
            off += fabs(sqrt(r2) - radius);
        }
        assert_true(tilt / (double)s.mesh.vertices < 0.01);
        assert_true(off / (double)s.mesh.vertices < 0.2); // of a spacing
        isosurface_free(&s);
    }
}

static void test_nothing(void **state) {
    (void)state;
    surface s = build(&(isosurface_input){.spacing = 0.1});
    assert_int_equal(s.mesh.vertices + s.mesh.triangles, 0);
    isosurface_free(&s);
    const point nowhere[2] = {{NAN, 0, 0}, {0, INFINITY, 1e30f}};
    s = build(&(isosurface_input){.at = nowhere, .count = 2, .spacing = 0.1, .skip_loose = true});
    assert_int_equal(s.mesh.vertices + s.loose_count, 0);
    isosurface_free(&s);
}

// Wherever on the grid it is: one closed blob of a few times its own volume around it.
static void test_one_particle(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 200; i++) {
        point at;
        for (int k = 0; k < 3; k++) at[k] = 5 * random_signed(3, i, k);
        surface s = build(&(isosurface_input){.at = (const point *)&at, .count = 1, .spacing = 0.1});
        float low[3], high[3];
        mesh_bounds(&s.mesh, low, high);
        for (int k = 0; k < 3; k++) {
            assert_near((low[k] + high[k]) / 2, at[k], 0.02);
            assert_in_range((int)(1000 * (high[k] - low[k])), 100, 240);
        }
        assert_near(mesh_volume(&s.mesh) / 1e-3, 2.8, 2.4);
        isosurface_free(&s);
        s = build(
            &(isosurface_input){.at = (const point *)&at, .count = 1, .spacing = 0.1, .skip_loose = true});
        assert_int_equal(s.mesh.triangles, 0);
        assert_int_equal(s.loose_count, 1);
        isosurface_free(&s);
    }
}

// A sheet of a single layer stays whole: one piece without holes, however it is cut by the grid.
static void test_sheet(void **state) {
    (void)state;
    enum { SIDE = 30 };
    static point sheet[SIDE * SIDE];
    for (uint32_t turn = 0; turn < 6; turn++) {
        double c = cos(0.3 * turn), z = sin(0.3 * turn);
        for (uint32_t i = 0; i < SIDE * SIDE; i++) {
            double x = i % SIDE + 0.2 * (double)random_signed(turn, i, 0),
                   y = i / SIDE + 0.2 * (double)random_signed(turn, i, 1);
            sheet[i][0] = (float)(c * x);
            sheet[i][1] = (float)y;
            sheet[i][2] = (float)(z * x + 0.3 * turn);
        }
        surface s =
            build(&(isosurface_input){.at = (const point *)sheet, .count = SIDE * SIDE, .spacing = 1});
        assert_near(mesh_volume(&s.mesh), SIDE * SIDE, 0.6 * SIDE * SIDE);
        // A closed piece without a handle has vertices - edges + triangles = 2, and edges = 3/2 triangles.
        assert_int_equal((long)s.mesh.vertices - (long)s.mesh.triangles / 2, 2);
        isosurface_free(&s);
    }
}

static void test_translation(void **state) {
    (void)state;
    const double here[3] = {0, 0, 0};
    double volume = 0, area = 0;
    for (int i = 0; i < 4; i++) {
        const double there[3] = {here[0] + 0.37 * i, here[1] - 8.11 * i, here[2] + 123.45 * i};
        size_t count = fill_ball(9, 0.4, there, ball);
        surface s = build(&(isosurface_input){.at = (const point *)ball, .count = count, .spacing = 1});
        if (i == 0) volume = mesh_volume(&s.mesh), area = mesh_area(&s.mesh);
        assert_near(mesh_volume(&s.mesh) / volume, 1, 2e-3);
        assert_near(mesh_area(&s.mesh) / area, 1, 5e-3);
        isosurface_free(&s);
    }
    // By a whole number of tiles it is the same mesh, vertex by vertex.
    size_t count = fill_ball(9, 0.4, here, ball);
    surface a = build(&(isosurface_input){.at = (const point *)ball, .count = count, .spacing = 1});
    for (size_t i = 0; i < count; i++) ball[i][1] += 64;
    surface b = build(&(isosurface_input){.at = (const point *)ball, .count = count, .spacing = 1});
    assert_int_equal(a.mesh.vertices, b.mesh.vertices);
    for (size_t v = 0; v < a.mesh.vertices; v++)
        assert_near(b.mesh.position[v][1], (double)a.mesh.position[v][1] + 64, 1e-3);
    isosurface_free(&a);
    isosurface_free(&b);
}

// Values that grow linearly arrive at the vertices as they are there.
static void test_values(void **state) {
    (void)state;
    static float value[2 * BALL_ROOM];
    const double middle[3] = {0, 0, 0};
    size_t count = fill_ball(12, 0.3, middle, ball);
    for (size_t i = 0; i < count; i++) {
        value[2 * i] = 3;
        value[2 * i + 1] = 10 + ball[i][0];
    }
    surface s = build(&(isosurface_input){
        .at = (const point *)ball, .count = count, .spacing = 1, .value = value, .channels = 2});
    for (size_t v = 0; v < s.mesh.vertices; v++) {
        assert_near(s.value[2 * v], 3, 1e-4);
        // Only particles on one side of the border take part, so the mean lies up to a spacing inside.
        assert_near(s.value[2 * v + 1], 10 + s.mesh.position[v][0], 1.3);
    }
    isosurface_free(&s);
}

// Each of more channels than are worked on at once is what it would be alone.
static void test_many_values(void **state) {
    (void)state;
    enum { MANY = 11, SIDE = 6, COUNT = SIDE * SIDE * SIDE };
    static float at[COUNT][3], value[MANY * COUNT], one[COUNT];
    for (int i = 0; i < COUNT; i++) {
        at[i][0] = (float)(i % SIDE), at[i][1] = (float)(i / SIDE % SIDE),
        at[i][2] = (float)(i / SIDE / SIDE);
        for (int c = 0; c < MANY; c++) value[MANY * i + c] = sinf((float)(c * i));
    }
    isosurface_input in = {
        .at = (const point *)at, .count = COUNT, .spacing = 1, .value = value, .channels = MANY};
    surface all = build(&in);
    for (int c = 0; c < MANY; c++) {
        for (int i = 0; i < COUNT; i++) one[i] = value[MANY * i + c];
        in.value = one;
        in.channels = 1;
        surface s = build(&in);
        assert_int_equal(s.mesh.vertices, all.mesh.vertices);
        for (size_t v = 0; v < s.mesh.vertices; v++)
            assert_true(s.value[v] == all.value[MANY * v + (size_t)c]);
        isosurface_free(&s);
    }
    isosurface_free(&all);
}

// Far apart: the grid is only where the particles are.
static void test_sparse(void **state) {
    (void)state;
    const point far_apart[3] = {{0, 0, 0}, {900, 0, 0}, {0, 700, -900}};
    size_t before = mem_in_use();
    surface s = build(&(isosurface_input){.at = far_apart, .count = 3, .spacing = 0.01, .cell = 0.01});
    assert_true(mem_in_use() - before < 1000000);
    assert_true(s.mesh.triangles >= 3 * 8);
    isosurface_free(&s);
    assert_int_equal(mem_in_use(), before);
}

// Smoothing takes bumps and leaves the ball; it stays closed.
static void test_smoothing(void **state) {
    (void)state;
    const double middle[3] = {0, 0, 0};
    double before = 0;
    size_t count = fill_ball(15, 0.45, middle, ball);
    for (unsigned rounds = 0; rounds <= 6; rounds += 3) {
        surface s = build(&(isosurface_input){
            .at = (const point *)ball, .count = count, .spacing = 1, .smooth = rounds, .skip_loose = true});
        double bump = 0;
        for (size_t v = 0; v < s.mesh.vertices; v++) {
            const float *p = s.mesh.position[v];
            double r = sqrt((double)p[0] * p[0] + (double)p[1] * p[1] + (double)p[2] * p[2]);
            bump += (r - 15) * (r - 15);
        }
        bump = sqrt(bump / (double)s.mesh.vertices);
        if (rounds) assert_true(bump < before);
        assert_near(mesh_volume(&s.mesh) / (4 * M_PI / 3 * 15 * 15 * 15), 1, 0.02);
        before = bump;
        isosurface_free(&s);
    }
}

// The density on a grid holds all the mass, wherever the particles are.
static void test_density(void **state) {
    (void)state;
    static float mass[BALL_ROOM];
    const double middle[3] = {3.3, -7.1, 100.2};
    size_t count = fill_ball(8, 0.45, middle, ball);
    double whole = 0;
    for (size_t i = 0; i < count; i++) whole += (double)(mass[i] = 1 + (float)(i % 5));
    surface_grid grid;
    isosurface_input in = {
        .at = (const point *)ball, .count = count, .cell = 1.7, .value = mass, .channels = 1};
    assert_int_equal(surface_density(&in, &grid), FIRN_OK);
    double sum = 0, moment = 0;
    size_t nodes = (size_t)grid.size[0] * grid.size[1] * grid.size[2];
    for (size_t i = 0; i < nodes; i++) {
        sum += (double)grid.density[i];
        moment += (double)grid.density[i] * (grid.low[0] + grid.cell * (double)(i % grid.size[0]));
    }
    assert_near(sum * 1.7 * 1.7 * 1.7 / whole, 1, 1e-5);
    double expected = 0; // the kernel keeps the centre of mass
    for (size_t i = 0; i < count; i++) expected += (double)(mass[i] * ball[i][0]) / whole;
    assert_near(moment / sum, expected, 1e-3);
    surface_grid_free(&grid);
    in.count = 0;
    assert_int_equal(surface_density(&in, &grid), FIRN_OK);
    assert_null(grid.density);
    surface_grid_free(&grid);
    const point apart[2] = {{0, 0, 0}, {9000, 9000, 9000}};
    in.at = apart;
    in.count = 2;
    assert_int_equal(surface_density(&in, &grid), FIRN_BAD_INPUT);
}

static firn_status build_all(void *context) {
    surface s;
    surface_grid grid = {0};
    const isosurface_input *in = context;
    firn_status status = isosurface_build(in, &s);
    if (status != FIRN_OK) return status;
    isosurface_free(&s);
    status = surface_density(in, &grid);
    surface_grid_free(&grid);
    return status;
}

static void test_failing_memory(void **state) {
    (void)state;
    static float value[BALL_ROOM];
    const double middle[3] = {0, 0, 0};
    isosurface_input in = {.at = (const point *)ball,
                           .count = fill_ball(5, 0.3, middle, ball),
                           .spacing = 1,
                           .cell = 1,
                           .value = value,
                           .channels = 1,
                           .smooth = 2,
                           .skip_loose = true};
    sweep_allocations(build_all, &in);
}

static void test_threads(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 8};
    const double middle[3] = {0.2, 0.7, -0.4};
    size_t count = fill_ball(10, 0.45, middle, ball);
    surface first = {0};
    for (int i = 0; i < 4; i++) {
        firn_set_threads(threads[i]);
        surface s = build(&(isosurface_input){.at = (const point *)ball, .count = count, .spacing = 1});
        if (i == 0) {
            first = s;
            continue;
        }
        assert_int_equal(s.mesh.vertices, first.mesh.vertices);
        assert_int_equal(s.mesh.triangles, first.mesh.triangles);
        assert_memory_equal(s.mesh.position, first.mesh.position, 12 * s.mesh.vertices);
        assert_memory_equal(s.mesh.normal, first.mesh.normal, 12 * s.mesh.vertices);
        assert_memory_equal(s.mesh.triangle, first.mesh.triangle, 12 * s.mesh.triangles);
        isosurface_free(&s);
    }
    isosurface_free(&first);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball),         cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_one_particle), cmocka_unit_test(test_sheet),
        cmocka_unit_test(test_translation),  cmocka_unit_test(test_values),
        cmocka_unit_test(test_many_values),  cmocka_unit_test(test_sparse),
        cmocka_unit_test(test_threads),      cmocka_unit_test(test_smoothing),
        cmocka_unit_test(test_density),      cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
