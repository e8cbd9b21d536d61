#include "geom/mesh_files.h"

static void assert_same_shape(const mesh *a, const mesh *b) {
    mesh_defects d;
    assert_int_equal(a->triangles, b->triangles);
    assert_int_equal(a->vertices, b->vertices); // joined, also where the file repeats them
    assert_near(mesh_volume(a), mesh_volume(b), 1e-6);
    assert_int_equal(mesh_inspect(a, &d), FIRN_OK);
    assert_int_equal(d.open_edges + d.flipped_edges, 0);
}

static void test_round_trips(void **state) {
    (void)state;
    mesh torus = make_torus(1.0f, 0.3f, 24, 12), back;
    for (int normals = 0; normals < 2; normals++) {
        if (normals) assert_int_equal(mesh_smooth_normals(&torus, 3.0f), FIRN_OK);
        assert_int_equal(mesh_write_obj(&torus, "mesh-test.obj"), FIRN_OK);
        assert_int_equal(mesh_read("mesh-test.obj", &back), FIRN_OK);
        assert_same_shape(&back, &torus);
        mesh_free(&back);
        assert_int_equal(mesh_write_ply(&torus, "mesh-test.ply"), FIRN_OK);
        assert_int_equal(mesh_read("mesh-test.ply", &back), FIRN_OK);
        assert_same_shape(&back, &torus);
        if (!normals) // in the same order even, and the same bits
            assert_memory_equal(back.triangle, torus.triangle, torus.triangles * sizeof *torus.triangle);
        if (!normals)
            assert_memory_equal(back.position, torus.position, torus.vertices * sizeof *torus.position);
        assert_null(back.normal);
        mesh_free(&back);
    }
    unlink("mesh-test.obj");
    unlink("mesh-test.ply");
    mesh_free(&torus);
}

static void test_stl(void **state) {
    (void)state;
    mesh box = make_box(1, 2, 3), back;
    text files[2] = {make_stl_text(&box), make_stl_binary(&box)};
    for (int i = 0; i < 2; i++) {
        save("mesh-test.STL", files[i].data, files[i].length);
        assert_int_equal(mesh_read("mesh-test.STL", &back), FIRN_OK);
        assert_same_shape(&back, &box);
        mesh_free(&back);
        text_free(&files[i]);
    }
    unlink("mesh-test.STL");
    mesh_free(&box);
}

static void test_off(void **state) {
    (void)state;
    mesh box = make_box(1, 2, 3), back;
    text t = {0};
    text_add(&t, "OFF\n%zu %zu 0\n", box.vertices, box.triangles);
    for (size_t i = 0; i < box.vertices; i++)
        text_add(&t, "%g %g %g\n", (double)box.position[i][0], (double)box.position[i][1],
                 (double)box.position[i][2]);
    for (size_t i = 0; i < box.triangles; i++)
        text_add(&t, "3 %u %u %u\n", box.triangle[i][0], box.triangle[i][1], box.triangle[i][2]);
    save("mesh-test.off", t.data, t.length);
    assert_int_equal(mesh_read("mesh-test.off", &back), FIRN_OK);
    assert_same_shape(&back, &box);
    mesh_free(&back);
    mesh_free(&box);
    text_free(&t);
    unlink("mesh-test.off");
}

static void assert_two_boxes(const char *path) {
    mesh m;
    assert_int_equal(mesh_read(path, &m), FIRN_OK);
    assert_int_equal(m.triangles, 24);
    assert_int_equal(m.vertices, 16);
    assert_near(mesh_volume(&m), 8.0 * 6.0 + 6.0, 1e-4); // the mirrored one is turned back
    float low[3], high[3];
    mesh_bounds(&m, low, high);
    assert_near(low[0], -0.5, 1e-6);
    assert_near(high[0], 21.0, 1e-5);
    mesh_defects d;
    assert_int_equal(mesh_inspect(&m, &d), FIRN_OK);
    assert_int_equal(d.open_edges + d.flipped_edges, 0);
    mesh_free(&m);
}

static void test_gltf_transforms(void **state) {
    (void)state;
    mesh box = make_box(1, 2, 3);
    text gltf = make_gltf(&box), glb = make_glb(&box), outside = {0};
    save("mesh-test.gltf", gltf.data, gltf.length);
    assert_two_boxes("mesh-test.gltf");
    save("mesh-test.glb", glb.data, glb.length);
    assert_two_boxes("mesh-test.glb");
    // The bytes in a file of their own, beside it.
    assert_int_equal(file_make_folders("mesh-test-folder"), FIRN_OK);
    add_gltf_json(&outside, &box, "bytes.bin");
    save("mesh-test-folder/two.gltf", outside.data, outside.length);
    outside.length = 0;
    text_add_bytes(&outside, (const char *)box.position, box.vertices * 12);
    text_add_bytes(&outside, (const char *)box.triangle, box.triangles * 12);
    save("mesh-test-folder/bytes.bin", outside.data, outside.length);
    assert_two_boxes("mesh-test-folder/two.gltf");
    unlink("mesh-test-folder/bytes.bin");
    mesh m;
    assert_int_equal(mesh_read("mesh-test-folder/two.gltf", &m), FIRN_BAD_INPUT);
    unlink("mesh-test-folder/two.gltf");
    rmdir("mesh-test-folder");
    unlink("mesh-test.gltf");
    unlink("mesh-test.glb");
    text_free(&gltf);
    text_free(&glb);
    text_free(&outside);
    mesh_free(&box);
}

static void assert_refused(const char *path, const char *content, const char *word) {
    mesh m;
    if (content) save(path, content, strlen(content));
    assert_int_equal(mesh_read(path, &m), FIRN_BAD_INPUT);
    assert_null(m.position);
    if (!strstr(firn_last_error(), word) || !strstr(firn_last_error(), path))
        fail_msg("'%s' does not say '%s'", firn_last_error(), word);
    if (content) unlink(path);
}

static void test_refusals(void **state) {
    (void)state;
    assert_refused("no-such.obj", NULL, "No such file");
    assert_refused("mesh-test.txt", "hello", ".obj, .ply");
    assert_refused(".", NULL, "regular");
    assert_refused("mesh-test.obj", "", "cannot be read");
    assert_refused("mesh-test.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", "cannot be read");
    assert_refused("mesh-test.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 99\n", "cannot be read");
    assert_refused("mesh-test.obj", "v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "finite");
    assert_refused(
        "mesh-test.ply",
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
        "end_header\n0 0 0\n",
        "cannot be read");
    assert_refused("mesh-test.glb", "glTF....", "cannot be read");
}

// Materials that are not there do not matter; polygons are cut.
static void test_obj_quads(void **state) {
    (void)state;
    static const char quad[] = "mtllib none.mtl\nusemtl red\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nf 1 2 3 4\n";
    save("mesh-test.obj", quad, sizeof quad - 1);
    mesh m;
    assert_int_equal(mesh_read("mesh-test.obj", &m), FIRN_OK);
    assert_int_equal(m.vertices, 4);
    assert_int_equal(m.triangles, 2);
    mesh_free(&m);
    unlink("mesh-test.obj");
}

// A cube of 12 triangles, `times` times over; `mirrored` adds each face in the opposite orientation.
static text repeated_cube(int times, bool mirrored) {
    static const char *const faces[] = {"1 5 7 3", "2 4 8 6", "1 2 6 5", "3 7 8 4", "1 3 4 2", "5 6 8 7"};
    static const char *const turned[] = {"1 3 7 5", "2 6 8 4", "1 5 6 2", "3 4 8 7", "1 2 4 3", "5 7 8 6"};
    text t = {0};
    for (int i = 0; i < 8; i++) text_add(&t, "v %d %d %d\n", i & 1, i >> 1 & 1, i >> 2);
    for (int i = 0; i < times; i++)
        for (int k = 0; k < 6; k++) text_add(&t, "f %s\n", faces[k]);
    for (int k = 0; mirrored && k < 6; k++) text_add(&t, "f %s\n", turned[k]);
    return t;
}

static char heard[400];
static void hear(void *context, firn_log_level level, const char *message) {
    (void)context;
    (void)level;
    snprintf(heard, sizeof heard, "%s", message);
}

// 60 kB of repeated faces took minutes: each copy cost as much as the first.
static void test_repeated_triangles(void **state) {
    (void)state;
    mesh once, often;
    text files[2] = {repeated_cube(1, false), repeated_cube(1000, false)};
    firn_set_log(hear, NULL);
    save("mesh-test.obj", files[0].data, files[0].length);
    assert_int_equal(mesh_read("mesh-test.obj", &once), FIRN_OK);
    assert_string_equal(heard, "");
    save("mesh-test.obj", files[1].data, files[1].length);
    assert_int_equal(mesh_read("mesh-test.obj", &often), FIRN_OK);
    firn_set_log(NULL, NULL);
    assert_string_equal(heard, "mesh 'mesh-test.obj': 11988 duplicate triangles were dropped");
    assert_int_equal(often.vertices, 8);
    assert_int_equal(often.triangles, 12); // so that all that follows costs the same as once
    assert_memory_equal(often.position, once.position, 8 * sizeof *once.position);
    assert_memory_equal(often.triangle, once.triangle, 12 * sizeof *once.triangle);
    mesh_free(&once);
    mesh_free(&often);
    text_free(&files[0]);
    text_free(&files[1]);
    unlink("mesh-test.obj");
}

static void test_opposite_triangles(void **state) {
    (void)state;
    text t = repeated_cube(2, true); // every face both ways: nothing is left
    assert_refused("mesh-test.obj", t.data, "both orientations");
    text_free(&t);
    // Two boxes side by side with a wall between them: one box.
    mesh box = make_box(1, 1, 1), pair;
    mesh_joined joined;
    mesh_defects d;
    assert_int_equal(mesh_alloc(16, 24, false, &pair), FIRN_OK);
    for (uint32_t i = 0; i < 16; i++) {
        memcpy(pair.position[i], box.position[i % 8], sizeof *pair.position);
        pair.position[i][0] += i < 8 ? 0.0f : 1.0f;
    }
    for (uint32_t i = 0; i < 24; i++)
        for (int k = 0; k < 3; k++) pair.triangle[i][k] = box.triangle[i % 12][k] + (i < 12 ? 0 : 8);
    // The second box is mirrored, so that the wall is cut along the same diagonal.
    for (uint32_t i = 8; i < 16; i++) pair.position[i][0] = 1.0f - box.position[i % 8][0];
    for (uint32_t i = 12; i < 24; i++) {
        uint32_t kept = pair.triangle[i][1];
        pair.triangle[i][1] = pair.triangle[i][2], pair.triangle[i][2] = kept;
    }
    assert_int_equal(mesh_join(&pair, &joined), FIRN_OK);
    assert_int_equal(joined.cancelled, 4);
    assert_int_equal(joined.repeated, 0);
    assert_int_equal(pair.vertices, 12);
    assert_int_equal(pair.triangles, 20);
    assert_near(mesh_volume(&pair), 2.0, 1e-6);
    assert_int_equal(mesh_inspect(&pair, &d), FIRN_OK);
    assert_int_equal(d.open_edges + d.flipped_edges, 0);
    mesh_free(&pair);
    mesh_free(&box);
}

static firn_status read_and_write(void *context) {
    mesh m;
    TRY(mesh_read(context, &m));
    firn_status status = mesh_write_obj(&m, "mesh-test-2.obj");
    if (status == FIRN_OK) status = mesh_write_ply(&m, "mesh-test-2.ply");
    mesh_free(&m);
    return status;
}

static void test_out_of_memory(void **state) {
    (void)state;
    mesh torus = make_torus(1.0f, 0.3f, 30, 20);
    assert_int_equal(mesh_write_ply(&torus, "mesh-test.ply"), FIRN_OK);
    mesh_free(&torus);
    sweep_allocations(read_and_write, "mesh-test.ply");
    unlink("mesh-test.ply");
    unlink("mesh-test-2.obj");
    unlink("mesh-test-2.ply");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trips),
        cmocka_unit_test(test_stl),
        cmocka_unit_test(test_off),
        cmocka_unit_test(test_gltf_transforms),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_obj_quads),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_repeated_triangles),
        cmocka_unit_test(test_opposite_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
