// Snow for other programs: particles, surface, density; read back by others than us.
#include "cache/runs.h"

#include <math.h>

#include "geom/mesh.h"

static const char snow_scene[] = "firn: 1\n"
                                 "duration: 0.08 s\n"
                                 "fps: 25\n"
                                 "bodies:\n"
                                 "  floor: {shape: plane}\n"
                                 "mpm:\n"
                                 "  cell: 5 cm\n"
                                 "  snow:\n"
                                 "    ball: {shape: {sphere: {radius: 25 cm}}, at: [0, 50 cm, 0], "
                                 "density: 300, velocity: [0, -1, 0]}\n"
                                 "    box: {shape: {box: {size: [30 cm, 20 cm, 30 cm]}}, at: [1, 20 "
                                 "cm, 0], density: 500}\n";
enum { FRAMES = 2 };
static const double ball_volume = 4 * M_PI / 3 * 0.25 * 0.25 * 0.25, box_volume = 0.3 * 0.2 * 0.3;

static int make_run(void **state) {
    (void)state;
    return run_made_of(snow_scene);
}

static firn_status export_to(const char *format, const char *what) {
    return firn_export(&(firn_export_options){COOKIE(export), .folder = run_made.a, .output = run_made.b,
                                              .format = format, .what = what});
}

static const char check_points[] =
    "import sys, numpy\n"
    "file = open(sys.argv[1] + '/mpm_000000.ply', 'rb').read()\n"
    "head, data = file.split(b'end_header\\n', 1)\n"
    "kinds = {'float': '<f4', 'double': '<f8', 'uint': '<u4'}\n"
    "words = [line.split() for line in head.decode().splitlines()]\n"
    "rows = [(w[2], kinds[w[1]]) for w in words if w[0] == 'property']\n"
    "n = [int(w[2]) for w in words if w[:2] == ['element', 'vertex']][0]\n"
    "p = numpy.frombuffer(data, dtype=rows)\n"
    "assert len(p) == n > 1000\n"
    "ball = p['x'] < 0.5\n"
    "assert abs(p['density'][ball] - 300).max() < 0.1 and abs(p['density'][~ball] - 500).max() < 0.1\n"
    "assert abs(p['velocity_y'][ball] + 1).max() < 1e-6 and abs(p['velocity_y'][~ball]).max() < 1e-6\n"
    "assert (p['plastic'] == 1).all() and abs(p['pressure']).max() < 1\n"
    "mass = 300 * 4 / 3 * numpy.pi * 0.25**3 + 500 * 0.3 * 0.2 * 0.3\n"
    "assert abs(p['mass'].sum() / mass - 1) < 0.03\n";

static void test_points(void **state) {
    (void)state;
    assert_ok(export_to("ply", NULL));
    python(check_points, run_made.b);
}

// Reads a mesh with Assimp, where this build has it.
static void check_surface(const char *ending) {
    char path[500];
    for (int frame = 0; frame <= FRAMES; frame++) {
        snprintf(path, sizeof path, "%s/mpm_surface_%06d.%s", run_made.b, frame, ending);
        mesh m;
        mesh_defects d;
        firn_status status = mesh_read(path, &m);
        if (status == FIRN_UNSUPPORTED) return;
        assert_ok(status);
        assert_true(m.triangles > 500);
        assert_ok(mesh_inspect(&m, &d));
        assert_int_equal(d.open_edges + d.flipped_edges + d.non_finite, 0);
        assert_near(mesh_volume(&m) / (ball_volume + box_volume), 1, 0.06);
        mesh_free(&m);
    }
}

static const char check_fields[] =
    "import sys, numpy\n"
    "file = open(sys.argv[1] + '/mpm_surface_000000.ply', 'rb').read()\n"
    "head, data = file.split(b'end_header\\n', 1)\n"
    "words = [line.split() for line in head.decode().splitlines()]\n"
    "rows = [(w[2], '<f4') for w in words if w[0] == 'property' and w[1] == 'float']\n"
    "n = [int(w[2]) for w in words if w[:2] == ['element', 'vertex']][0]\n"
    "p = numpy.frombuffer(data, dtype=rows, count=n)\n"
    "ball = p['x'] < 0.5\n"
    "assert abs(p['density'][ball] - 300).max() < 1 and abs(p['density'][~ball] - 500).max() < 1\n"
    "assert abs(p['velocity_y'][ball] + 1).max() < 1e-3\n"
    "out = numpy.stack([p['x'], p['y'] - 0.5, p['z']])[:, ball]\n"
    "far = numpy.sqrt((out**2).sum(0))\n"
    "assert abs(far - 0.25).max() < 0.02, abs(far - 0.25).max()\n"
    "turn = (out * numpy.stack([p['nx'], p['ny'], p['nz']])[:, ball]).sum(0) / far\n"
    "assert turn.min() > 0.9, turn.min()\n";

static void test_surface(void **state) {
    (void)state;
    assert_ok(export_to("obj", "surface"));
    assert_int_equal(count_files(run_made.b, ".obj"), FRAMES + 1);
    check_surface("obj");
    assert_ok(export_to("ply", "surface"));
    check_surface("ply");
    python(check_fields, run_made.b);
}

static const char soft_scene[] =
    "firn: 1\nduration: 0.08 s\nfps: 25\n"
    "pbd:\n"
    "  box: {walls: [{low: [-0.3, 0, -0.3], high: [0.3, 2, 0.3]}]}\n"
    "  solids: {flag: {lattice: [13, 9, 1], spacing: 4 cm, at: [0, 1.5, 0], links: neighbours, neighbours: "
    "8}}\n"
    "  fluid: {spacing: 4 cm, pools: {half: {shape: {box: {size: [0.6, 0.4, 0.6]}}, at: [0, 0.2, 0]}}}\n";

// Cloth and liquids have surfaces too; those of a run are those of a live world.
static void test_water_and_cloth(void **state) {
    (void)state;
    run_test t = run_test_make(soft_scene);
    assert_ok(run_to(t.scene, t.a));
    firn_export_options options = {COOKIE(export), .folder = t.a, .output = t.b, .format = "ply",
                                   .what = "surface"};
    assert_ok(firn_export(&options));
    assert_int_equal(count_files(t.b, ".ply"), 2 * (FRAMES + 1));
    firn_world *world;
    assert_ok(firn_world_open(t.scene, &world));
    static const char *const names[2][2] = {{"pbd.flag", "pbd_flag"}, {"pbd.water", "pbd_water"}};
    for (int frame = 0; frame <= FRAMES; frame++) {
        for (int k = 0; k < 2; k++) {
            char path[500];
            mesh m;
            firn_surface live;
            snprintf(path, sizeof path, "%s/%s_surface_%06d.ply", t.b, names[k][1], frame);
            assert_ok(firn_world_surface_request(world, names[k][0], NULL, NULL));
            assert_ok(firn_world_surface_wait(world, names[k][0], &live));
            firn_status status = mesh_read(path, &m);
            if (status == FIRN_UNSUPPORTED) continue;
            assert_ok(status);
            assert_near(mesh_volume(&m), live.volume, 1e-5 * live.volume);
            mesh_free(&m);
        }
        assert_ok(firn_world_advance_frame(world));
    }
    firn_world_close(world);
    run_test_end(&t);
}

static const char check_density[] =
    "import sys, os, h5py, numpy, xml.etree.ElementTree as tree\n"
    "folder = sys.argv[1]\n"
    "grids = tree.parse(os.path.join(folder, 'mpm_density.xdmf')).getroot().findall('./Domain/Grid/Grid')\n"
    "assert len(grids) == 3\n"
    "mass = 300 * 4 / 3 * numpy.pi * 0.25**3 + 500 * 0.3 * 0.2 * 0.3\n"
    "for g in grids:\n"
    "    size = tuple(int(n) for n in g.find('Topology').get('Dimensions').split())\n"
    "    low, cell = [numpy.array([float(n) for n in d.text.split()]) for d in "
    "g.findall('Geometry/DataItem')]\n"
    "    name, inside = g.find('Attribute/DataItem').text.split(':')\n"
    "    data = h5py.File(os.path.join(folder, name), 'r')[inside]\n"
    "    assert data.shape == size and data.dtype == '<f4' and data.attrs['unit'].decode() == 'kg/m3'\n"
    "    d = data[...]\n"
    "    assert abs(d.sum(dtype='f8') * cell.prod() / mass - 1) < 0.03\n"
    "    at = numpy.rint((numpy.array([0, 0.48, 0]) - low) / cell).astype(int)\n" // z, y, x: in the ball
    "    assert abs(d[tuple(at)] / 300 - 1) < 0.05, d[tuple(at)]\n"
    "    assert d[0].max() == 0 and d.min() >= 0\n";

static void test_density(void **state) {
    (void)state;
    assert_ok(export_to("xdmf", "density"));
    assert_int_equal(count_files(run_made.b, ".h5"), FRAMES + 1);
    python(check_density, run_made.b);
}

static void test_what_there_is_not(void **state) {
    (void)state;
    assert_int_equal(export_to("obj", "density"), FIRN_BAD_INPUT);
    expect_message("'density' cannot be exported as obj");
    assert_int_equal(export_to("ply", "surfce"), FIRN_BAD_INPUT);
    assert_int_equal(export_to("plyy", "surface"), FIRN_BAD_INPUT);
    expect_message("did you mean 'ply'");
    run_test t = run_test_make(leaving_scene); // grains only
    assert_ok(run_to(t.scene, t.a));
    firn_export_options options = {COOKIE(export), .folder = t.a, .output = t.b, .format = "obj",
                                   .what = "surface"};
    assert_int_equal(firn_export(&options), FIRN_BAD_INPUT);
    expect_message("no particles that have a surface");
    run_test_end(&t);
}

static void test_without_memory(void **state) {
    (void)state;
    static const char *const formats[3][2] = {{"ply", "surface"}, {"obj", "surface"}, {"xdmf", "density"}};
    for (int i = 0; i < 3; i++) {
        size_t before = mem_in_use();
        bool enough = false;
        for (size_t n = 1; !enough; n += 1 + n / 10) {
            failing_allocator f;
            fail_allocation(&f, n);
            firn_status status = export_to(formats[i][0], formats[i][1]);
            firn_set_allocator(NULL);
            enough = f.calls < n;
            if (status != FIRN_OK) assert_int_equal(status, FIRN_NO_MEMORY);
            if (enough) assert_int_equal(status, FIRN_OK);
            assert_int_equal(mem_in_use(), before);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_points, remove_output),
        cmocka_unit_test_teardown(test_surface, remove_output),
        cmocka_unit_test(test_water_and_cloth),
        cmocka_unit_test_teardown(test_density, remove_output),
        cmocka_unit_test_teardown(test_what_there_is_not, remove_output),
        cmocka_unit_test_teardown(test_without_memory, remove_output),
    };
    return cmocka_run_group_tests(tests, make_run, remove_run);
}
