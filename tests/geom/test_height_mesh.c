// The mesh of a snow field: whole, true to the heights, fine where it matters.
#include <math.h>

#include "base/random.h"
#include "geom/height_mesh.h"
#include "support.h"

enum { EDGE = 16, MOST = 16 };

// A field without a world: every second tile exists.
typedef struct land {
    firn_snowfield f;
    int32_t tile[MOST * MOST], place[2 * MOST * MOST];
    float ground[MOST * MOST * EDGE * EDGE], depth[MOST * MOST * EDGE * EDGE],
        density[MOST * MOST * EDGE * EDGE];
} land;

static land *make_land(int32_t nx, int32_t nz, double (*height)(double x, double z)) {
    land *l = test_calloc(1, sizeof *l);
    l->f = (firn_snowfield){.x0 = -1,
                            .z0 = 2,
                            .cell = 0.05,
                            .nx = nx,
                            .nz = nz,
                            .even = true,
                            .plain_depth = 0.2,
                            .plain_density = 100,
                            .edge = EDGE,
                            .columns = (nx + EDGE - 1) / EDGE,
                            .rows = (nz + EDGE - 1) / EDGE,
                            .tile = l->tile,
                            .ground = l->ground,
                            .depth = l->depth,
                            .density = l->density,
                            .place = l->place};
    for (int32_t p = 0; p < l->f.columns * l->f.rows; p++) {
        int32_t column = p % l->f.columns, row = p / l->f.columns;
        l->tile[p] = height || (column + row) % 2 ? (int32_t)l->f.tiles++ : -1;
        if (l->tile[p] < 0) continue;
        for (int32_t i = 0; i < EDGE * EDGE; i++) {
            double x = l->f.x0 + (column * EDGE + i % EDGE + 0.5) * l->f.cell,
                   z = l->f.z0 + (row * EDGE + i / EDGE + 0.5) * l->f.cell;
            size_t at = (size_t)l->tile[p] * EDGE * EDGE + (size_t)i;
            double noise = 0.2 + 0.05 * (random_unit(random_bits(5, (uint64_t)at, 0, 0), 0) < 0.03);
            l->depth[at] = (float)(height ? height(x, z) : noise);
            l->density[at] = 100;
        }
    }
    return l;
}

static bool outside(const height_mesh *m, uint32_t v) { return m->corner[v][0] < 0; }

// Every edge between two triangles is shared by exactly two, turned against each other; only the farthest
// ring has open edges. Seen from above the triangles cover the ground once.
static void assert_whole(const height_mesh *m, const land *l, const height_mesh_look *look) {
    mesh_defects defects;
    assert_ok(mesh_inspect(&m->mesh, &defects));
    assert_int_equal(defects.flipped_edges, 0);
    assert_int_equal(defects.degenerate, 0);
    size_t far = 0;
    double area = 0;
    for (size_t t = 0; t < m->mesh.triangles; t++) {
        const uint32_t *c = m->mesh.triangle[t];
        const float *p[3] = {m->mesh.position[c[0]], m->mesh.position[c[1]], m->mesh.position[c[2]]};
        double up = ((double)p[1][2] - p[0][2]) * ((double)p[2][0] - p[0][0]) -
                    ((double)p[1][0] - p[0][0]) * ((double)p[2][2] - p[0][2]);
        assert_true(up > 0);
        area += up / 2;
        int beyond = 0;
        for (int k = 0; k < 3; k++) beyond += outside(m, c[k]);
        far += beyond == 3; // one triangle of two in the outer ring has an open edge
    }
    double half = 0.5 * l->f.cell * (l->f.nx < l->f.nz ? l->f.nx : l->f.nz), scale = look->reach / half;
    double expected = l->f.nx * l->f.nz * l->f.cell * l->f.cell * scale * scale;
    assert_true(fabs(area / expected - 1) < 1e-5);
    assert_int_equal(defects.open_edges, far / 2);
}

static void no_cracks(void **state) {
    (void)state;
    const int32_t sizes[][2] = {{1, 1}, {2, 3}, {16, 16}, {33, 64}, {50, 17}, {200, 131}, {256, 256}};
    height_mesh m = {0};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        land *l = make_land(sizes[i][0], sizes[i][1], NULL);
        for (int eye = 0; eye < 3; eye++) {
            height_mesh_look look = {.eye = {-1 + 3.0f * (float)eye, 0.5f + (float)eye, 3},
                                     .pixel = 0.004f,
                                     .endless = true,
                                     .reach = 40};
            assert_ok(height_mesh_build(&l->f, &look, &m));
            assert_whole(&m, l, &look);
        }
        test_free(l);
    }
    height_mesh_free(&m);
}

static double sloped(double x, double z) { return 0.5 + 0.1 * x + 0.2 * z; }

static void slopes_have_their_normal(void **state) {
    (void)state;
    land *l = make_land(64, 64, sloped);
    height_mesh m = {0};
    height_mesh_look look = {.eye = {0, 1, 3}, .pixel = 0.001f};
    assert_ok(height_mesh_build(&l->f, &look, &m));
    double scale = 1 / sqrt(1 + 0.01 + 0.04);
    size_t inner = 0;
    for (size_t v = 0; v < m.mesh.vertices; v++) {
        const int32_t *c = m.corner[v];
        if (c[0] < 20 || c[1] < 20 || c[0] > 44 || c[1] > 44) continue; // at the border cells repeat
        assert_near(m.mesh.normal[v][0], -0.1 * scale, 1e-4);
        assert_near(m.mesh.normal[v][1], scale, 1e-4);
        assert_near(m.mesh.position[v][1], sloped(m.mesh.position[v][0], m.mesh.position[v][2]), 1e-5);
        inner++;
    }
    assert_true(inner > 0);
    assert_true(m.mesh.triangles < 3000); // a slope is even: few triangles, but for the border
    height_mesh_free(&m);
    test_free(l);
}

static double waves(double x, double z) { return 0.3 + 0.05 * sin(9 * x) * sin(7 * z); }

// Each corner of the field against the triangles above it, near the eye; and far away it costs little.
static void true_near_the_eye(void **state) {
    (void)state;
    land *l = make_land(256, 256, waves);
    height_mesh m = {0};
    height_mesh_look look = {.eye = {5.4f, 0.8f, 8.4f}, .pixel = 0.002f};
    assert_ok(height_mesh_build(&l->f, &look, &m));
    size_t near_triangles = m.mesh.triangles;
    for (size_t t = 0; t < m.mesh.triangles; t++) {
        const uint32_t *c = m.mesh.triangle[t];
        double x = 0, y = 0, z = 0;
        for (int k = 0; k < 3; k++) {
            x += m.mesh.position[c[k]][0] / 3.0;
            y += m.mesh.position[c[k]][1] / 3.0;
            z += m.mesh.position[c[k]][2] / 3.0;
        }
        if (fabs(m.mesh.normal[c[0]][1]) < 0.1) continue; // a wall
        double away = hypot(hypot(x - 5.4, z - 8.4), y - 0.8);
        bool rim = fabs(x + 1) < 0.06 || fabs(z - 2) < 0.06 || fabs(x - 11.8) < 0.06 || fabs(z - 14.8) < 0.06;
        // 2 mm: the mean of four cells on a wave; the rest is what the eye cannot tell.
        if (!rim) assert_near(y, waves(x, z), 2e-3 + 2e-3 + 2 * (double)look.pixel * away);
    }
    look.eye[1] = 300;
    assert_ok(height_mesh_build(&l->f, &look, &m));
    assert_true(m.mesh.triangles * 10 < near_triangles);
    height_mesh_free(&m);
    test_free(l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_cracks),
        cmocka_unit_test(slopes_have_their_normal),
        cmocka_unit_test(true_near_the_eye),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
