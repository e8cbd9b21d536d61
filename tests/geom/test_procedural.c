// firn-test: slow
// The generated hare, snowman, house, lamp post, trees, rock and fence: as meshes, and as shapes with their
// level set.
#include "base/memory.h"
#include "geom/proc.h"
#include "geom/shape_checks.h"

static firn_status make_spruce(uint64_t seed, mesh *out) { return proc_tree(seed, FIRN_TREE_CONIFER, out); }
static firn_status make_bare(uint64_t seed, mesh *out) { return proc_tree(seed, FIRN_TREE_BROADLEAF, out); }
static firn_status make_fence(uint64_t seed, mesh *out) {
    return proc_fence(seed, 0.5 + (seed < 2 ? 0 : (double)(seed % 17)), out);
}

enum { THINGS = 8 };
static const struct {
    const char *name;
    firn_shape_kind kind;
    firn_status (*make)(uint64_t seed, mesh *out);
    size_t least_triangles, most_triangles;
    double least_volume, most_volume; // of height 1
} things[THINGS] = {
    {"hare", FIRN_SHAPE_HARE, proc_hare, 10000, 40000, 0.05, 0.1},
    {"snowman", FIRN_SHAPE_SNOWMAN, proc_snowman, 10000, 40000, 0.07, 0.12},
    {"house", FIRN_SHAPE_HOUSE, proc_house, 400, 4000, 0.5, 1},
    {"lamp post", FIRN_SHAPE_LAMP_POST, proc_lamp_post, 1000, 5000, 0.003, 0.02},
    {"spruce", FIRN_SHAPE_TREE, make_spruce, 5000, 40000, 0.004, 0.04},
    {"bare tree", FIRN_SHAPE_TREE, make_bare, 5000, 60000, 0.0005, 0.008},
    {"rock", FIRN_SHAPE_ROCK, proc_rock, 3000, 40000, 0.2, 1.5},
    {"fence", FIRN_SHAPE_FENCE, make_fence, 60, 16000, 0.005, 0.9},
};

// As in shape_solid.c.
static const float cells[THINGS] = {1.0f / 16, 1.0f / 16, 1.4f / 16, 1.0f / 32,
                                    1.0f / 20, 1.0f / 20, 1.5f / 16, 1.0f / 16};

// Of thing i, of any height.
static firn_shape_def def_of(int i) {
    firn_shape_def def = {.kind = things[i].kind, .height = 1.5, .length = 4.5};
    if (things[i].make == make_bare) def.species = FIRN_TREE_BROADLEAF;
    return def;
}

// Thin parts are hollow to probes: their middle is not inside.
static bool is_thin(int i) { return i == 3 || i == 4 || i == 5 || i == 7; }

static uint32_t find_root(uint32_t *parent, uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

// Pieces of the surface that hang together, vertices at the same place being
// one.
static size_t count_pieces(const mesh *m) {
    uint32_t *parent = malloc(m->vertices * sizeof *parent);
    assert_ok(mesh_weld(m, parent)); // first vertex at the same place: a forest already
    for (size_t t = 0; t < m->triangles; t++) {
        uint32_t a = find_root(parent, m->triangle[t][0]);
        for (int k = 1; k < 3; k++) parent[find_root(parent, m->triangle[t][k])] = a;
    }
    size_t pieces = 0;
    for (uint32_t i = 0; i < m->vertices; i++) pieces += parent[i] == i;
    free(parent);
    return pieces;
}

static void assert_whole(int i, const mesh *m) {
    mesh_defects d;
    assert_ok(mesh_inspect(m, &d));
    assert_int_equal(d.open_edges + d.flipped_edges + d.degenerate + d.non_finite, 0);
    assert_int_equal(count_pieces(m), 1);
    assert_true(m->triangles >= things[i].least_triangles && m->triangles <= things[i].most_triangles);
    assert_true(mesh_volume(m) > things[i].least_volume && mesh_volume(m) < things[i].most_volume);
    float low[3], high[3];
    mesh_bounds(m, low, high);
    assert_near((double)low[1], 0, 1e-6);
    assert_near((double)high[1], 1, 1e-6);
    assert_near((double)(low[0] + high[0]), 0, 1e-5);
    assert_near((double)(low[2] + high[2]), 0, 1e-5);
    for (size_t v = 0; v < m->vertices; v++) {
        const float *n = m->normal[v];
        assert_near(sqrt((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])), 1, 1e-3);
    }
}

// Every seed gives a closed surface in one piece.
static void test_meshes_are_whole(void **state) {
    (void)state;
    const uint64_t seeds[THINGS] = {4, 4, 200, 200, 40, 40, 8, 100};
    for (int i = 0; i < THINGS; i++) {
        for (uint64_t seed = 1; seed <= seeds[i]; seed++) {
            mesh m;
            assert_ok(things[i].make(seed * seed, &m));
            assert_whole(i, &m);
            mesh_free(&m);
        }
    }
}

static void test_seeds_differ(void **state) {
    (void)state;
    for (int i = 0; i < THINGS; i++) {
        mesh plain, one, two;
        assert_ok(things[i].make(0, &plain));
        assert_ok(things[i].make(1, &one));
        assert_ok(things[i].make(2, &two));
        assert_near(mesh_volume(&plain), mesh_volume(&one), 0);
        assert_true(fabs(mesh_volume(&plain) - mesh_volume(&two)) > 1e-5);
        mesh_free(&plain);
        mesh_free(&one);
        mesh_free(&two);
    }
}

// Normals and triangles agree about what is outside.
static void test_normals_point_out(void **state) {
    (void)state;
    for (int i = 0; i < THINGS; i++) {
        mesh m;
        assert_ok(things[i].make(0, &m));
        size_t against = 0;
        for (size_t t = 0; t < m.triangles; t++) {
            const uint32_t *v = m.triangle[t];
            const float *a = m.position[v[0]], *b = m.position[v[1]], *c = m.position[v[2]];
            double p[3], q[3], s[3] = {0};
            for (int k = 0; k < 3; k++) p[k] = (double)(b[k] - a[k]), q[k] = (double)(c[k] - a[k]);
            for (int k = 0; k < 3; k++)
                s[k] = (double)(m.normal[v[0]][k] + m.normal[v[1]][k] + m.normal[v[2]][k]);
            double n[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
            against += n[0] * s[0] + n[1] * s[1] + n[2] * s[2] < 0;
        }
        // Where branches leave, faces fold sharply.
        if (against * (things[i].kind == FIRN_SHAPE_TREE ? 200 : 1000) > m.triangles)
            fail_msg("%s: %zu of %zu", things[i].name, against, m.triangles);
        mesh_free(&m);
    }
}

static void test_they_are_always_the_same(void **state) {
    (void)state;
    for (int i = 0; i < THINGS; i++) {
        mesh one, many;
        firn_set_threads(1);
        assert_ok(things[i].make(0, &one));
        firn_set_threads(3);
        assert_ok(things[i].make(0, &many));
        assert_int_equal(one.vertices, many.vertices);
        assert_memory_equal(one.position, many.position, one.vertices * sizeof *one.position);
        assert_memory_equal(one.triangle, many.triangle, one.triangles * sizeof *one.triangle);
        mesh_free(&one);
        mesh_free(&many);
    }
    firn_set_threads(0);
}

// Volume of what the distance takes for inside: samples on a grid, each counted by the share of its cell that
// is inside.
static double sampled_volume(const shape *s, firn_vec3 low, firn_vec3 high) {
    enum { N = 128 };
    double cell = fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z)) / N, volume = 0;
    for (int k = 0; k < N * N; k++) {
        float x[N], y[N], z[N], d[N];
        if (low.z + (k / N) * cell > high.z) break;
        for (int i = 0; i < N; i++) {
            x[i] = (float)(low.x + (i + 0.5) * cell);
            y[i] = (float)(low.y + (k % N + 0.5) * cell);
            z[i] = (float)(low.z + (k / N + 0.5) * cell);
        }
        shape_query(s, N, x, y, z, d, NULL, NULL, NULL);
        for (int i = 0; i < N; i++)
            volume += fmin(fmax(0.5 - (double)d[i] / cell, 0), 1) * cell * cell * cell;
    }
    return volume;
}

static void test_shapes_agree_with_their_mesh(void **state) {
    (void)state;
    for (int i = 0; i < THINGS; i++) {
        shape *s = make_shape(def_of(i), 2);
        const mesh *m = shape_mesh(s);
        shape_mass mass;
        assert_true(shape_mass_of(s, &mass));
        assert_near(mass.volume / mesh_volume(m), 1, 1e-4);
        assert_near(mass.inertia[0][1], mass.inertia[1][0], 1e-12);
        firn_vec3 low, high;
        assert_true(shape_bounds(s, &low, &high));
        // Twigs are thinner than what the level set is right to, and pickets than the cells of the samples.
        double off = things[i].kind == FIRN_SHAPE_TREE    ? 0.3
                     : things[i].kind == FIRN_SHAPE_FENCE ? 0.05
                                                          : 0.02;
        assert_near(sampled_volume(s, low, high) / mass.volume, 1, off);
        assert_near(low.y, 0, 1e-5);
        assert_near(high.y, 3, 1e-5);
        double cell = 3 * (double)cells[i];
        for (size_t v = 0; v < m->vertices; v += 7) {
            const float *p = m->position[v];
            assert_near(shape_sdf(s, vec((double)p[0], (double)p[1], (double)p[2]), NULL), 0, 0.5 * cell);
        }
        assert_true(shape_sdf(s, mass.centre, NULL) < 0 || is_thin(i));
        assert_near(shape_sdf(s, vec(20, 1, 0), NULL), 20 - high.x, 1.5);
        assert_true(shape_thickness(s) > 0.01 * 3 && shape_thickness(s) <= high.z - low.z);
        size_t count;
        const shape_probe *probes = shape_probes(s, &count);
        assert_true(count >= 100 && count <= 300);
        for (size_t k = 0; k < count; k++) {
            const float *p = probes[k].at;
            assert_near(shape_sdf(s, vec((double)p[0], (double)p[1], (double)p[2]), NULL), 0, 0.5 * cell);
        }
        shape_destroy(s);
    }
}

// Shapes of one make share their level set, whatever their size; the second
// costs next to nothing.
static void test_same_makes_are_shared(void **state) {
    (void)state;
    size_t before = mem_in_use();
    shape *first = make_shape((firn_shape_def){.kind = FIRN_SHAPE_HARE, .height = 1, .resolution = 0.15}, 1);
    size_t one = mem_in_use() - before;
    shape *second =
        make_shape((firn_shape_def){.kind = FIRN_SHAPE_HARE, .height = 3, .resolution = 0.45}, 0.5);
    size_t two = mem_in_use() - before;
    assert_true(two - one < one * 3 / 4);
    for (uint64_t i = 0; i < 100; i++) {
        firn_vec3 p = random_point(1, i, vec(0, 0.5, 0), vec(0.6, 0.6, 0.6)), n, n2;
        double d = shape_sdf(first, p, &n), d2 = shape_sdf(second, vec(1.5 * p.x, 1.5 * p.y, 1.5 * p.z), &n2);
        assert_near(d2, 1.5 * d, 1e-5);
        assert_near(n.x, n2.x, 1e-3);
    }
    shape_destroy(first);
    assert_true(shape_sdf(second, vec(0, 0.5, 0), NULL) < 0);
    shape_destroy(second);
    assert_int_equal(mem_in_use(), before);
}

static void test_bad_sizes_are_errors(void **state) {
    (void)state;
    shape *s;
    for (int i = 0; i < THINGS; i++) {
        firn_shape_def def = def_of(i);
        def.height = 0;
        assert_int_equal(shape_create(&def, 1, NULL, "thing", &s), FIRN_BAD_INPUT);
        def.height = -1;
        assert_int_equal(shape_create(&def, 1, NULL, "thing", &s), FIRN_BAD_INPUT);
        def.height = 1;
        def.resolution = 1e-5;
        assert_int_equal(shape_create(&def, 1, NULL, "thing", &s), FIRN_BAD_INPUT);
        assert_non_null(strstr(firn_last_error(), "fine"));
    }
}

// Every allocation fails once; nothing is left behind. Coarse level sets keep
// this short.
static void test_no_memory_leaves_nothing(void **state) {
    (void)state;
    const firn_part_def parts[2] = {
        {.name = "a", .shape = {.kind = FIRN_SHAPE_BOX, .size = {1, 1, 1}}, .scale = 1},
        {.name = "b", .shape = {.kind = FIRN_SHAPE_CAPSULE, .radius = 1, .length = 1}, .scale = 1}};
    const firn_shape_def defs[] = {
        {.kind = FIRN_SHAPE_BOX, .size = {1, 1, 1}},
        {.kind = FIRN_SHAPE_HILLS, .size = {1, 0.1, 1}},
        {.kind = FIRN_SHAPE_UNION, .parts = {parts, 2}},
        {.kind = FIRN_SHAPE_LAMP_POST, .height = 1, .resolution = 0.5},
    };
    firn_set_threads(1);
    for (size_t i = 0; i < sizeof defs / sizeof defs[0]; i++) {
        for (size_t n = 1; n < 5000; n++) {
            size_t before = mem_in_use();
            failing_allocator f;
            fail_allocation(&f, n);
            shape *s;
            firn_status status = shape_create(&defs[i], 1, NULL, "thing", &s);
            shape_destroy(s);
            firn_set_allocator(NULL);
            assert_int_equal(mem_in_use(), before);
            if (f.calls < n) break;
            assert_true(status == FIRN_OK || status == FIRN_NO_MEMORY);
        }
    }
    firn_set_threads(0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_meshes_are_whole),
        cmocka_unit_test(test_seeds_differ),
        cmocka_unit_test(test_normals_point_out),
        cmocka_unit_test(test_they_are_always_the_same),
        cmocka_unit_test(test_shapes_agree_with_their_mesh),
        cmocka_unit_test(test_same_makes_are_shared),
        cmocka_unit_test(test_bad_sizes_are_errors),
        cmocka_unit_test(test_no_memory_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
