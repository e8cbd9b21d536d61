// firn-test: threaded
// Skins: what happens to all particles alike happens to the surface exactly, whatever their number of layers.
#include "geom/meshes.h"

#include <firn/firn.h>

#include "geom/shape.h"
#include "geom/skin.h"
#include "math/dvec.h"

enum { MOST = 4000 };

typedef struct lump {
    float at[MOST][3], moved[MOST][3];
    size_t count;
    mesh form;
    shape_skin *skin;
} lump;

// A box of n x m x l particles.
static void make_lump(lump *l, int nx, int ny, int nz, double spacing) {
    const int n[3] = {nx, ny, nz};
    firn_shape_def def = firn_shape_def_default();
    shape *box;
    def.kind = FIRN_SHAPE_BOX;
    def.size = (firn_vec3){nx * spacing, ny * spacing, nz * spacing};
    assert_int_equal(shape_create(&def, 1, NULL, "test", &box), FIRN_OK);
    assert_int_equal(mesh_copy(shape_mesh(box), &l->form), FIRN_OK);
    shape_destroy(box);
    l->count = (size_t)(nx * ny * nz);
    for (size_t i = 0; i < l->count; i++) {
        const int k[3] = {(int)i % nx, (int)i / nx % ny, (int)i / nx / ny};
        for (int a = 0; a < 3; a++) l->at[i][a] = (float)((k[a] - 0.5 * (n[a] - 1)) * spacing);
    }
    assert_int_equal(skin_bind(&l->form, (const float(*)[3])l->at, l->count, spacing, NULL, &l->skin),
                     FIRN_OK);
    assert_non_null(l->skin);
}

static void free_lump(lump *l) {
    skin_release(l->skin);
    mesh_free(&l->form);
}

static firn_vec3 map_of(firn_vec3 x, firn_quat turn, firn_vec3 stretch, firn_vec3 by) {
    return dvec_add(dquat_rotate(turn, dvec(x.x * stretch.x, x.y * stretch.y, x.z * stretch.z)), by);
}

static surface moved(lump *l, firn_quat turn, firn_vec3 stretch, firn_vec3 by) {
    surface s;
    for (size_t i = 0; i < l->count; i++) {
        firn_vec3 x = map_of(dvec_of_floats(l->at[i]), turn, stretch, by);
        memcpy(l->moved[i], (float[3]){(float)x.x, (float)x.y, (float)x.z}, sizeof l->moved[i]);
    }
    assert_int_equal(skin_build(l->skin, (const float(*)[3])l->moved, NULL, 0, &s), FIRN_OK);
    return s;
}

static void assert_moved(lump *l, firn_quat turn, firn_vec3 stretch, firn_vec3 by, double tolerance) {
    const firn_vec3 one = {1, 1, 1};
    surface rest = moved(l, dquat_identity(), one, dvec(0, 0, 0)), s = moved(l, turn, stretch, by);
    assert_int_equal(s.mesh.vertices, rest.mesh.vertices);
    for (size_t v = 0; v < s.mesh.vertices; v++) {
        firn_vec3 x = map_of(dvec_of_floats(rest.mesh.position[v]), turn, stretch, by);
        firn_vec3 n = dvec_of_floats(rest.mesh.normal[v]);
        n = dvec_normalise(dquat_rotate(turn, dvec(n.x / stretch.x, n.y / stretch.y, n.z / stretch.z)));
        assert_near(dvec_distance(x, dvec_of_floats(s.mesh.position[v])), 0, tolerance);
        assert_near(dvec_distance(n, dvec_of_floats(s.mesh.normal[v])), 0, 1e-4);
    }
    isosurface_free(&rest);
    isosurface_free(&s);
}

static double box_distance(const float p[3], double x, double y, double z) {
    double d = fmax(fabs((double)p[0]) - x / 2, fmax(fabs((double)p[1]) - y / 2, fabs((double)p[2]) - z / 2));
    return fabs(d);
}

static void test_rest_is_the_shape(void **state) {
    (void)state;
    static lump l;
    make_lump(&l, 12, 8, 6, 0.05);
    surface s = moved(&l, dquat_identity(), dvec(1, 1, 1), dvec(0, 0, 0));
    mesh_defects d;
    assert_int_equal(mesh_inspect(&s.mesh, &d), FIRN_OK);
    assert_int_equal(d.open_edges + d.flipped_edges + d.non_finite + d.degenerate, 0);
    assert_true(s.mesh.triangles > 1000); // divided
    assert_near(mesh_volume(&s.mesh), 0.6 * 0.4 * 0.3, 1e-7);
    for (size_t v = 0; v < s.mesh.vertices; v++)
        assert_near(box_distance(s.mesh.position[v], 0.6, 0.4, 0.3), 0, 2e-7);
    isosurface_free(&s);
    free_lump(&l);
}

// Blocks, a plate of one layer and a bar of one row: turned and moved exactly; stretched where they say so.
static void test_turned(void **state) {
    (void)state;
    static lump l;
    static const int sizes[][3] = {{12, 8, 6}, {2, 2, 2}, {3, 14, 9}, {12, 1, 9}, {1, 20, 2}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        make_lump(&l, sizes[k][0], sizes[k][1], sizes[k][2], 0.05);
        for (int turn = 0; turn < 8; turn++) {
            firn_quat q = dquat_from_angles(dvec(0.9 * turn, 2.1 * turn - 3, 0.4 * turn * turn));
            assert_moved(&l, q, dvec(1, 1, 1), dvec(turn, -2 * turn, 0.5), 5e-6 + 1e-6 * turn);
        }
        if (sizes[k][1] > 1 && sizes[k][0] > 1)
            assert_moved(&l, dquat_identity(), dvec(1.4, 0.6, 1.1), dvec(1, 0, 0), 5e-6);
        free_lump(&l);
    }
}

// A plate of one layer bent to a quarter of a tube keeps its thickness.
static void test_bent_plate(void **state) {
    (void)state;
    static lump l;
    surface s;
    double radius = 1.0, spacing = 0.05, most = 0;
    make_lump(&l, 31, 1, 9, spacing);
    for (size_t i = 0; i < l.count; i++) {
        double angle = (double)l.at[i][0] / radius;
        memcpy(l.moved[i], (float[3]){(float)(radius * sin(angle)), (float)(radius * cos(angle)), l.at[i][2]},
               sizeof l.moved[i]);
    }
    assert_int_equal(skin_build(l.skin, (const float(*)[3])l.moved, NULL, 0, &s), FIRN_OK);
    for (size_t v = 0; v < s.mesh.vertices; v++) {
        double r = hypot((double)s.mesh.position[v][0], (double)s.mesh.position[v][1]) - radius;
        most = fmax(most, fabs(r));
    }
    assert_near(most, spacing / 2, 0.15 * spacing);
    assert_near(mesh_volume(&s.mesh) / (31 * 9 * spacing * spacing * spacing), 1, 0.02);
    isosurface_free(&s);
    free_lump(&l);
}

static void test_values_and_threads(void **state) {
    (void)state;
    static lump l;
    static float value[MOST];
    surface s[2];
    make_lump(&l, 12, 8, 6, 0.05);
    for (size_t i = 0; i < l.count; i++) value[i] = 3;
    for (int k = 0; k < 2; k++) {
        assert_int_equal(firn_set_threads(k ? 3 : 1), FIRN_OK);
        assert_int_equal(skin_build(l.skin, (const float(*)[3])l.at, value, 1, &s[k]), FIRN_OK);
    }
    assert_memory_equal(s[0].mesh.position, s[1].mesh.position, s[0].mesh.vertices * sizeof(float[3]));
    for (size_t v = 0; v < s[0].mesh.vertices; v++) assert_near(s[0].value[v], 3, 1e-5);
    isosurface_free(&s[0]);
    isosurface_free(&s[1]);
    free_lump(&l);
}

// Pairs of particles closer than 1.5 spacings, both ways.
static void link_near(const lump *l, double spacing, uint32_t *first, uint32_t *to) {
    uint32_t n = 0;
    for (size_t i = 0; i < l->count; i++) {
        first[i] = n;
        for (size_t j = 0; j < l->count; j++)
            if (j != i && dvec_distance(dvec_of_floats(l->at[i]), dvec_of_floats(l->at[j])) < 1.5 * spacing)
                to[n++] = (uint32_t)j;
    }
    first[l->count] = n;
}

// How far the skin of one plate goes when another, 1.6 spacings away, moves off.
static double pulled(lump *l, size_t plate, double spacing, const skin_links *links) {
    surface rest, s;
    double farthest = 0;
    skin_release(l->skin);
    assert_int_equal(skin_bind(&l->form, (const float(*)[3])l->at, l->count, spacing, links, &l->skin),
                     FIRN_OK);
    memcpy(l->moved, l->at, sizeof l->at);
    assert_int_equal(skin_build(l->skin, (const float(*)[3])l->moved, NULL, 0, &rest), FIRN_OK);
    for (size_t i = plate; i < l->count; i++) l->moved[i][2] += (float)(3 * spacing);
    assert_int_equal(skin_build(l->skin, (const float(*)[3])l->moved, NULL, 0, &s), FIRN_OK);
    for (size_t v = 0; v < s.mesh.vertices; v++)
        farthest = fmax(farthest, dvec_distance(dvec_of_floats(s.mesh.position[v]),
                                                dvec_of_floats(rest.mesh.position[v])));
    isosurface_free(&rest);
    isosurface_free(&s);
    return farthest;
}

// Two plates side by side, as the ears of a hare.
static void test_what_is_not_linked_does_not_pull(void **state) {
    (void)state;
    enum { LINKS = 30 };
    const double spacing = 0.05;
    static lump l;
    static uint32_t first[MOST + 1], to[MOST * LINKS];
    make_lump(&l, 8, 8, 4, spacing);
    size_t plate = l.count;
    for (size_t i = 0; i < plate; i++) {
        memcpy(l.at[plate + i], l.at[i], sizeof l.at[i]);
        l.at[plate + i][2] += (float)(4.6 * spacing);
    }
    l.count = 2 * plate;
    link_near(&l, spacing, first, to);
    double near = pulled(&l, plate, spacing, NULL),
           linked = pulled(&l, plate, spacing, &(skin_links){first, to});
    print_message(
        "one plate moves off by 15 cm, the other's skin goes along by %.2g cm; with links %.2g cm\n",
        100 * near, 100 * linked);
    assert_true(near > 0.01);
    assert_true(linked < 0.2 * near); // the map of the whole says a little of how thick it is
    free_lump(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rest_is_the_shape),
                                       cmocka_unit_test(test_turned), cmocka_unit_test(test_bent_plate),
                                       cmocka_unit_test(test_what_is_not_linked_does_not_pull),
                                       cmocka_unit_test(test_values_and_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
