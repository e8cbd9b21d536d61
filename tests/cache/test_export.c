// Runs for other programs, and what `firn info` says of them.
#include "cache/runs.h"

#include <math.h>

#include "cache/export.h"

static firn_status export_to(const char *run, const char *output, const char *format) {
    return firn_export(
        &(firn_export_options){COOKIE(export), .folder = run, .output = output, .format = format});
}

static int make_run(void **state) {
    (void)state;
    return run_made_of(small_scene);
}

// The world of the run at a frame.
static firn_world *world_at(uint64_t frame) {
    run_folder run;
    firn_world *world;
    char path[PATH_ROOM];
    assert_ok(run_folder_open(run_made.a, (firn_overrides){0}, &run));
    assert_ok(firn_world_create(&run.scene->def.world, &world));
    run_frame_path(&run, frame, path, sizeof path);
    assert_ok(cache_read(path, world, run.scene->hash, CACHE_FRAME));
    run_folder_close(&run);
    return world;
}

// The number after `key` in a header.
static long number_after(const char *header, const char *key) {
    const char *at = strstr(header, key);
    if (!at) fail_msg("no '%s'", key);
    return atol(at + strlen(key));
}

static void test_ply_of_bodies(void **state) {
    (void)state;
    assert_ok(export_to(run_made.a, run_made.b, "ply"));
    char path[500];
    size_t bytes;
    snprintf(path, sizeof path, "%s/bodies_%06d.ply", run_made.b, SMALL_FRAMES);
    char *file = file_get(path, &bytes);
    assert_int_equal(strncmp(file, "ply\nformat binary_little_endian 1.0\n", 36), 0);
    size_t vertices = (size_t)number_after(file, "element vertex "),
           faces = (size_t)number_after(file, "element face ");
    assert_non_null(strstr(file, "comment body 1 is ball\n"));
    const char *data = strstr(file, "end_header\n") + 11;
    assert_int_equal(bytes, (size_t)(data - file) + vertices * 28 + faces * 13);
    // The vertices of the ball lie on the ball.
    firn_world *world = world_at(SMALL_FRAMES);
    firn_vec3 centre = firn_world_body_state(world, 1).position;
    size_t of_ball = 0;
    for (size_t i = 0; i < vertices; i++) {
        float v[6];
        int32_t body;
        memcpy(v, data + 28 * i, sizeof v);
        memcpy(&body, data + 28 * i + 24, sizeof body);
        if (body != 1) continue;
        double dx = v[0] - centre.x, dy = v[1] - centre.y, dz = v[2] - centre.z;
        assert_near(sqrt(dx * dx + dy * dy + dz * dz), 0.2, 1e-3);
        assert_true(v[3] * dx + v[4] * dy + v[5] * dz > 0.15); // normals point outward
        of_ball++;
    }
    assert_true(of_ball > 20);
    for (size_t i = 0; i < faces; i++) {
        const char *face = data + 28 * vertices + 13 * i;
        uint32_t corner[3];
        memcpy(corner, face + 1, sizeof corner);
        assert_int_equal(face[0], 3);
        for (int k = 0; k < 3; k++) assert_true(corner[k] < vertices);
    }
    firn_world_close(world);
    mem_free(file);
}

static void test_ply_of_points(void **state) {
    (void)state;
    assert_ok(export_to(run_made.a, run_made.b, "ply"));
    firn_world *world = world_at(4);
    firn_field position = firn_world_field(world, "grains.position");
    assert_true(position.count > 100 && position.type == FIRN_F32);
    char path[500];
    size_t bytes, row = 0;
    snprintf(path, sizeof path, "%s/grains_000004.ply", run_made.b);
    char *file = file_get(path, &bytes), *data = strstr(file, "end_header\n") + 11;
    assert_int_equal(number_after(file, "element vertex "), position.count);
    for (const char *c = file; c && c < data; c = strstr(c + 1, "property "))
        row += strncmp(c, "property double", 15) == 0 ? 8 : strncmp(c, "property ", 9) == 0 ? 4 : 0;
    assert_int_equal(bytes, (size_t)(data - file) + row * position.count);
    assert_non_null(strstr(file, "property float x\nproperty float y\nproperty float z\n"));
    for (size_t i = 0; i < position.count; i++)
        assert_memory_equal(data + row * i, (const float *)position.data + 3 * i, 12);
    firn_world_close(world);
    mem_free(file);
}

static void test_obj_of_bodies(void **state) {
    (void)state;
    assert_ok(export_to(run_made.a, run_made.b, "obj"));
    assert_int_equal(count_files(run_made.b, ".obj"), SMALL_FRAMES + 1);
    char path[500], name[100] = "";
    size_t bytes, vertices = 0, normals = 0, of_box = 0;
    snprintf(path, sizeof path, "%s/bodies_000007.obj", run_made.b);
    char *file = file_get(path, &bytes);
    firn_world *world = world_at(7);
    size_t box = firn_world_body_find(world, "box");
    for (char *line = strtok(file, "\n"); line; line = strtok(NULL, "\n")) {
        float v[3], distance;
        unsigned corner[6];
        if (sscanf(line, "o %99s", name) == 1) continue;
        if (sscanf(line, "v %f %f %f", &v[0], &v[1], &v[2]) == 3) {
            vertices++;
            if (strcmp(name, "box") != 0) continue;
            // The corners of the turned box lie on its surface.
            assert_ok(firn_world_body_query(world, box, 1, v, &distance, NULL, NULL));
            assert_near(distance, 0, 1e-4);
            of_box++;
        }
        if (sscanf(line, "vn %f %f %f", &v[0], &v[1], &v[2]) == 3) normals++;
        if (sscanf(line, "f %u//%u %u//%u %u//%u", &corner[0], &corner[1], &corner[2], &corner[3], &corner[4],
                   &corner[5]) == 6)
            for (int k = 0; k < 6; k++) assert_true(corner[k] >= 1 && corner[k] <= vertices);
    }
    assert_true(of_box >= 8);
    assert_int_equal(vertices, normals);
    firn_world_close(world);
    mem_free(file);
}

static const char check_xdmf[] =
    "import sys, os, h5py, numpy, xml.etree.ElementTree as tree\n"
    "folder = sys.argv[1]\n"
    "def array(item):\n"
    "    name, inside = item.text.split(':')\n"
    "    data = h5py.File(os.path.join(folder, name), 'r')[inside]\n"
    "    assert data.shape == tuple(int(n) for n in item.get('Dimensions').split()), item.text\n"
    "    kind = {'Float': 'f', 'Int': 'i', 'UInt': 'u'}[item.get('NumberType')]\n"
    "    assert data.dtype.kind == kind and data.dtype.itemsize == int(item.get('Precision')), item.text\n"
    "    return data[...]\n"
    "for file, least in (('bodies.xdmf', 3), ('grains.xdmf', 100)):\n"
    "    grids = tree.parse(os.path.join(folder, file)).getroot().findall('./Domain/Grid/Grid')\n"
    "    assert len(grids) == 11, len(grids)\n"
    "    times = [float(g.find('Time').get('Value')) for g in grids]\n"
    "    assert numpy.allclose(times, numpy.arange(11) / 25), times\n"
    "    for g in grids:\n"
    "        n = int(g.find('Topology').get('NumberOfElements'))\n"
    "        assert n >= least\n"
    "        assert (array(g.find('Topology/DataItem'))[:, 0] == numpy.arange(n)).all()\n"
    "        assert array(g.find('Geometry/DataItem')).shape == (n, 3)\n"
    "        names = [a.get('Name') for a in g.findall('Attribute')]\n"
    "        assert 'velocity' in names, names\n"
    "        for a in g.findall('Attribute'): assert len(array(a.find('DataItem'))) == n\n";

static void test_xdmf(void **state) {
    (void)state;
    assert_ok(export_to(run_made.a, run_made.b, "xdmf"));
    assert_int_equal(count_files(run_made.b, ".xdmf"), 2);
    char path[500];
    size_t bytes;
    snprintf(path, sizeof path, "%s/grains.xdmf", run_made.b);
    char *file = file_get(path, &bytes);
    assert_non_null(strstr(file, ">../a/frames/000010.h5:/fields/grains/position<"));
    assert_non_null(strstr(file, "TopologyType=\"Polyvertex\""));
    mem_free(file);
    python(check_xdmf, run_made.b);
}

static void test_counts_that_change(void **state) {
    (void)state;
    run_test t = run_test_make(leaving_scene);
    assert_ok(run_to(t.scene, t.a));
    cache_summary first, last;
    char path[500];
    frame_file(t.a, 0, path);
    assert_ok(cache_read_summary(path, &first));
    frame_file(t.a, SMALL_FRAMES, path);
    assert_ok(cache_read_summary(path, &last));
    assert_true(first.ledger[1].items > 100 && last.ledger[1].items == 0);
    assert_near(last.ledger[1].mass_out, first.ledger[1].mass, 1e-9);
    cache_summary_free(&first);
    cache_summary_free(&last);
    assert_ok(export_to(t.a, t.b, "ply"));
    assert_int_equal(count_files(t.b, ".ply"), 2 * (SMALL_FRAMES + 1));
    assert_ok(export_to(t.a, t.b, "xdmf"));
    size_t bytes, grids = 0;
    snprintf(path, sizeof path, "%s/grains.xdmf", t.b);
    char *file = file_get(path, &bytes);
    for (const char *c = file; (c = strstr(c, "GridType=\"Uniform\"")); c++) grids++;
    assert_true(grids > 3 && grids <= SMALL_FRAMES); // none for the frames without grains
    mem_free(file);
    run_test_end(&t);
}

static void test_unknown_formats_and_folders(void **state) {
    (void)state;
    assert_int_equal(export_to(run_made.a, run_made.b, "pyl"), FIRN_BAD_INPUT);
    expect_message("did you mean 'ply'");
    expect_message("xdmf");
    assert_int_equal(export_to(run_made.a, run_made.b, "photograph"), FIRN_BAD_INPUT);
    assert_int_equal(export_to(run_made.a, run_made.b, NULL), FIRN_BAD_INPUT);
    assert_int_equal(export_to("/nowhere", run_made.b, "ply"), FIRN_BAD_INPUT);
    assert_int_equal(export_to(run_made.folder.path, run_made.b, "ply"), FIRN_BAD_INPUT);
    expect_message("not a firn run folder");
    assert_false(folder_exists(run_made.b));
}

static bool stop_soon(void *context) { return ++*(int *)context > 3; }

static void test_stopped_export(void **state) {
    (void)state;
    int asked = 0;
    firn_export_options options = {COOKIE(export),  .folder = run_made.a, .output = run_made.b,
                                   .format = "obj", .stop = stop_soon,    .context = &asked};
    assert_int_equal(firn_export(&options), FIRN_INTERRUPTED);
    assert_int_equal(count_files(run_made.b, ""), 3);
}

static void test_exports_on_a_full_disk(void **state) {
    (void)state;
    static const char *const formats[] = {"ply", "obj", "xdmf"};
    for (int i = 0; i < 3; i++) {
        size_t before = mem_in_use();
        for (size_t n = 1; n < 12; n++) {
            fail_file(n, n % 2);
            assert_int_equal(export_to(run_made.a, run_made.b, formats[i]), FIRN_IO);
            file_use(NULL);
            assert_int_equal(folder_exists(run_made.b) ? count_files(run_made.b, ".tmp") : 0, 0);
            folder_remove(run_made.b);
        }
        assert_int_equal(mem_in_use(), before);
    }
}

static void test_exports_without_memory(void **state) {
    (void)state;
    static const char *const formats[] = {"ply", "obj", "xdmf"};
    for (int i = 0; i < 3; i++) {
        size_t before = mem_in_use();
        bool enough = false;
        for (size_t n = 1; !enough; n += 1 + n / 20) {
            failing_allocator f;
            fail_allocation(&f, n);
            firn_status status = export_to(run_made.a, run_made.b, formats[i]);
            firn_set_allocator(NULL);
            enough = f.calls < n;
            if (status != FIRN_OK) assert_int_equal(status, FIRN_NO_MEMORY);
            if (enough) assert_int_equal(status, FIRN_OK);
            assert_int_equal(mem_in_use(), before);
        }
    }
}

static const char check_json[] =
    "import sys, json\n"
    "i = json.load(open(sys.argv[1]))\n"
    "assert i['frames'] == 11 and i['frames_asked'] == 11 and i['first_frame'] == 0 and i['last_frame'] == "
    "10\n"
    "assert abs(i['time'] - 0.4) < 1e-12 and i['steps'] >= 100 and i['title'] == 'Small tumble'\n"
    "int(i['scene_hash'], 16); int(i['state_hash'], 16); assert len(i['state_hash']) == 16\n"
    "b = i['models']['bodies']\n"
    "assert b['first']['items'] == b['last']['items'] == 3 and b['first']['mass'] == b['last']['mass'] > 0\n"
    "assert i['damaged'] == 0 and i['bytes'] > 10000\n";

static void test_info(void **state) {
    (void)state;
    char *said, path[500];
    assert_ok(firn_info(run_made.a, false, &said));
    assert_non_null(strstr(said, "Small tumble"));
    assert_non_null(strstr(said, "11 of 11 (0 .. 10)"));
    assert_non_null(strstr(said, "0.4 s of 0.4 s"));
    assert_non_null(strstr(said, "state hash"));
    assert_non_null(strstr(said, "bodies: 3"));
    firn_text_free(said);
    assert_ok(firn_info(run_made.a, true, &said));
    assert_non_null(strstr(said, "\"frames\": 11"));
    snprintf(path, sizeof path, "%s/info.json", run_made.folder.path);
    file_put(path, said, strlen(said));
    python(check_json, path);
    firn_text_free(said);
    assert_int_equal(firn_info("/nowhere", false, &said), FIRN_BAD_INPUT);
    assert_null(said);
    assert_int_equal(firn_info(run_made.folder.path, true, &said), FIRN_BAD_INPUT);
    expect_message("not a firn run folder");
}

static const char thaw_scene[] =
    "firn: 1\n"
    "duration: 0.04 s\n"
    "fps: 25\n"
    "phase:\n"
    "  mass: 0.1 kg\n"
    "  snow: {block: {shape: {box: {size: [0.2, 0.2, 0.2]}}, at: [0, 0.1, 0], temperature: -10 C}}\n"
    "  water: {pool: {shape: {box: {size: [0.2, 0.2, 0.2]}}, at: [1, 0.1, 0], temperature: 50 C}}\n";

// Snow and water with what makes them so: the first particles of a file are as the scene has them.
static void test_snow_and_water(void **state) {
    (void)state;
    run_test t = run_test_make(thaw_scene);
    char path[500];
    size_t bytes, seen[2] = {0, 0};
    assert_ok(run_to(t.scene, t.a));
    assert_ok(export_to(t.a, t.b, "ply"));
    snprintf(path, sizeof path, "%s/phase_000000.ply", t.b);
    char *file = file_get(path, &bytes);
    const char *data = strstr(file, "end_header\n") + 11, *property = file;
    size_t size = 0, at[3] = {0, 0, 0};
    static const char *const names[3] = {" kind\n", " temperature\n", " wetness\n"};
    while ((property = strstr(property, "\nproperty ")) && property < data) {
        property += 10;
        const char *name = strchr(property, ' ');
        for (int k = 0; k < 3; k++)
            if (strncmp(name, names[k], strlen(names[k])) == 0) at[k] = size;
        size += strncmp(property, "double ", 7) == 0 ? 8 : 4; // places are doubles
    }
    assert_true(at[0] && at[1] && at[2]);
    for (long i = 0; i < number_after(file, "element vertex "); i++) {
        uint32_t kind;
        float value[3];
        double x;
        memcpy(&x, data + (size_t)i * size, sizeof x);
        memcpy(&kind, data + (size_t)i * size + at[0], sizeof kind);
        for (int k = 1; k < 3; k++) memcpy(&value[k], data + (size_t)i * size + at[k], sizeof(float));
        assert_int_equal(kind, x > 0.5);
        assert_near((double)value[1], kind ? 50 : -10, 1e-3);
        assert_near((double)value[2], kind, 1e-6);
        seen[kind]++;
    }
    assert_true(seen[0] > 10 && seen[1] > 10);
    mem_free(file);
    folder_remove(t.b);
    assert_ok(export_to(t.a, t.b, "xdmf"));
    snprintf(path, sizeof path, "%s/phase.xdmf", t.b);
    file = file_get(path, &bytes);
    assert_true(strstr(file, "\"temperature\"") && strstr(file, "\"kind\"") && strstr(file, "\"wetness\""));
    mem_free(file);
    run_test_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_ply_of_bodies, remove_output),
        cmocka_unit_test_teardown(test_ply_of_points, remove_output),
        cmocka_unit_test_teardown(test_obj_of_bodies, remove_output),
        cmocka_unit_test_teardown(test_xdmf, remove_output),
        cmocka_unit_test_teardown(test_counts_that_change, remove_output),
        cmocka_unit_test_teardown(test_unknown_formats_and_folders, remove_output),
        cmocka_unit_test_teardown(test_stopped_export, remove_output),
        cmocka_unit_test_teardown(test_exports_on_a_full_disk, remove_output),
        cmocka_unit_test_teardown(test_exports_without_memory, remove_output),
        cmocka_unit_test_teardown(test_info, remove_output),
        cmocka_unit_test(test_snow_and_water),
    };
    return cmocka_run_group_tests(tests, make_run, remove_run);
}
