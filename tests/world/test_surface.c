// firn-test: threaded
// Surfaces of a live world: closed, of the right volume, the same bits on any number of threads, and without
// a trace in the state.
#include "worlds.h"

#include <math.h>

#include "base/hash.h"
#include "geom/mesh.h"

static const char many[] =
    "firn: 1\nduration: 1 s\nfps: 25\nmax_step: 8 ms\n"
    "bodies: {ground: {shape: plane}}\n"
    "mpm: {cell: 5 cm, snow: {ball: {shape: {sphere: {radius: 25 cm}}, at: [0, 50 cm, 0],\n"
    "      density: 300, velocity: [0, -1, 0]}}}\n"
    "phase: {mass: 10 g, water: {pool: {shape: {box: {size: [30 cm, 20 cm, 30 cm]}}, at: [2, 0.3, 0]}},\n"
    "        snow: {ball: {shape: {sphere: {radius: 20 cm}}, at: [3, 0.5, 0], density: 600 kg/m3}}}\n"
    "pbd:\n"
    "  box: {walls: [{low: [-2.3, 0, -0.3], high: [-1.7, 2, 0.3]}]}\n"
    "  solids:\n"
    "    flag: {lattice: [13, 9, 1], spacing: 4 cm, at: [-2, 1.5, 0], links: neighbours, neighbours: 8}\n"
    "    jelly: {shape: {sphere: {radius: 12 cm}}, spacing: 3 cm, at: [-2, 0.9, 0]}\n"
    "  fluid:\n"
    "    spacing: 4 cm\n"
    "    pools:\n"
    "      half: {shape: {box: {size: [0.6, 0.4, 0.6]}}, at: [-2, 0.2, 0]}\n"
    "      ink: {shape: {sphere: {radius: 10 cm}}, at: [-2, 0.6, 0], color: [0.1, 0, 0.2]}\n";
static const char *const names[] = {"mpm",     "pbd.flag",   "pbd.jelly",  "pbd.water",
                                    "pbd.ink", "phase.snow", "phase.water"};
enum { NAMES = sizeof names / sizeof *names };
static const double volumes[NAMES] = {4 * M_PI / 3 * 0.25 * 0.25 * 0.25,
                                      12 * 8 * 0.04 * 0.04 * 0.004,
                                      4 * M_PI / 3 * 0.12 * 0.12 * 0.12,
                                      0.6 * 0.4 * 0.6,
                                      4 * M_PI / 3 * 0.1 * 0.1 * 0.1,
                                      4 * M_PI / 3 * 0.2 * 0.2 * 0.2,
                                      0.3 * 0.2 * 0.3};
// The ink is five particles across: its surface lies a quarter of a spacing too deep.
static const double errors[NAMES] = {0.05, 0.001, 0.12, 0.05, 0.32, 0.08, 0.1};

static firn_surface surface_of(firn_world *world, const char *name, const firn_surface_options *options) {
    firn_surface s;
    bool begun = false;
    assert_ok(firn_world_surface_request(world, name, options, &begun));
    assert_true(begun);
    assert_ok(firn_world_surface_wait(world, name, &s));
    return s;
}

static mesh mesh_of(const firn_surface *s) {
    const firn_mesh *m = &s->mesh;
    return (mesh){(float(*)[3])m->position, (float(*)[3])m->normal, (uint32_t(*)[3])m->index, m->vertices,
                  m->triangles};
}

static void assert_closed(const firn_surface *s, const char *name) {
    mesh m = mesh_of(s);
    mesh_defects d;
    assert_ok(mesh_inspect(&m, &d));
    if (d.open_edges + d.flipped_edges + d.non_finite)
        fail_msg("%s: %zu open, %zu flipped edges, %zu vertices not finite", name, d.open_edges,
                 d.flipped_edges, d.non_finite);
}

static void test_volumes(void **state) {
    (void)state;
    firn_world *world = open_text(many);
    assert_int_equal(firn_world_surface_count(world), NAMES + 1); // no water has frozen yet
    assert_string_equal(firn_world_surface_name(world, NAMES), "phase.ice");
    for (int i = 0; i < NAMES; i++) {
        assert_string_equal(firn_world_surface_name(world, (size_t)i), names[i]);
        firn_surface s = surface_of(world, names[i], NULL);
        assert_true(s.mesh.triangles > 100);
        assert_closed(&s, names[i]);
        mesh m = mesh_of(&s);
        assert_near(s.volume, mesh_volume(&m), 0);
        if (!(fabs(s.volume / volumes[i] - 1) < errors[i]))
            fail_msg("%s: volume %g instead of %g", names[i], s.volume, volumes[i]);
        assert_true(s.seconds > 0 && s.time == 0 && s.value_count == 0);
    }
    firn_world_close(world);
}

// A liquid ends at the walls of its box.
static void test_walls(void **state) {
    (void)state;
    firn_world *world = open_text(many);
    firn_surface s = surface_of(world, "pbd.water", NULL);
    size_t at_wall = 0;
    for (size_t v = 0; v < s.mesh.vertices; v++) {
        float x = s.mesh.position[3 * v];
        assert_true(x >= -2.3f && x <= -1.7f);
        at_wall += x == -2.3f;
    }
    assert_true(at_wall > 50);
    firn_world_close(world);
}

static const firn_surface_value *find_value(const firn_surface *s, const char *name) {
    for (size_t i = 0; i < s->value_count; i++)
        if (strcmp(s->values[i].name, name) == 0) return &s->values[i];
    fail_msg("no %s", name);
    return NULL;
}

static void test_values(void **state) {
    (void)state;
    firn_world *world = open_text(many);
    firn_surface_options options = firn_surface_options_default();
    options.values = true;
    firn_surface s = surface_of(world, "mpm", &options);
    const firn_surface_value *v = find_value(&s, "mpm.velocity"), *d = find_value(&s, "mpm.density");
    assert_int_equal(v->components, 3);
    assert_string_equal(d->unit, "kg/m3");
    for (size_t i = 0; i < s.mesh.vertices; i++) {
        assert_near((double)s.value[i * s.channels + v->offset + 1], -1, 1e-3);
        assert_near((double)s.value[i * s.channels + d->offset], 300, 1);
    }
    s = surface_of(world, "phase.snow", &options);
    find_value(&s, "phase.wetness");
    find_value(&s, "phase.temperature");
    s = surface_of(world, "pbd.flag", &options);
    find_value(&s, "pbd.velocity");
    // Coarser: fewer triangles, about the same volume.
    size_t fine = surface_of(world, "mpm", NULL).mesh.triangles;
    options.cell = 0.06;
    s = surface_of(world, "mpm", &options);
    assert_true(s.mesh.triangles < fine / 2);
    assert_near(s.volume / volumes[0], 1, 0.15);
    firn_world_close(world);
}

static uint64_t hash_of(const firn_surface *s) {
    uint64_t hash = hash64(s->mesh.position, s->mesh.vertices * sizeof(float[3]), 0);
    hash = hash64(s->mesh.normal, s->mesh.vertices * sizeof(float[3]), hash);
    hash = hash64(s->mesh.index, s->mesh.triangles * sizeof(uint32_t[3]), hash);
    return s->value ? hash64(s->value, s->mesh.vertices * s->channels * sizeof(float), hash) : hash;
}

static const char snowy[] = "firn: 1\nduration: 1 s\nfps: 25\n"
                            "bodies: {ball: {shape: {sphere: {radius: 20 cm}}, at: [0, 0.5, 0], motion: "
                            "dynamic, density: 400}}\n"
                            "field: {width: 4 m, length: 4 m, cell: 5 cm, depth: 30 cm}\n";

static void test_same_bits_on_threads(void **state) {
    (void)state;
    uint64_t hash[2][NAMES], field[2], time = 0;
    firn_surface_options options = firn_surface_options_default();
    options.values = true;
    for (int k = 0; k < 2; k++) {
        assert_ok(firn_set_threads(thread_counts[k]));
        firn_world *world = open_text(many);
        for (int step = 0; step < 3; step++) assert_ok(firn_world_step(world));
        for (int i = 0; i < NAMES; i++) {
            firn_surface s = surface_of(world, names[i], &options);
            hash[k][i] = hash_of(&s);
            assert_closed(&s, names[i]);
        }
        firn_world_close(world);
        world = open_text(snowy);
        assert_ok(firn_world_advance(world, 0.4));
        firn_surface s = surface_of(world, "field", &options);
        field[k] = hash_of(&s);
        assert_true(s.mesh.triangles > 100);
        time = (uint64_t)(s.time * 10 + 0.5);
        find_value(&s, "field.depth");
        firn_world_close(world);
    }
    assert_int_equal(time, 4);
    assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
    assert_int_equal(field[0], field[1]);
    assert_ok(firn_set_threads(0));
}

// The state does not know who looked; a surface shows the moment of the question.
static void test_beside_the_steps_of_threads(void **state) {
    (void)state;
    firn_world *plain = open_text(many), *watched = open_text(many);
    firn_surface s;
    assert_ok(firn_world_surface(watched, "mpm", &s));
    assert_int_equal(s.mesh.vertices, 0);
    for (int step = 0; step < 4; step++) {
        bool begun[NAMES];
        double now = firn_world_time(watched);
        for (int i = 0; i < NAMES; i++)
            assert_ok(firn_world_surface_request(watched, names[i], NULL, &begun[i]));
        assert_ok(firn_world_step(watched));
        assert_ok(firn_world_step(plain));
        for (int i = 0; i < NAMES; i++) {
            assert_ok(firn_world_surface(watched, names[i], &s)); // never waits
            assert_ok(firn_world_surface_wait(watched, names[i], &s));
            assert_true(begun[i]);
            assert_near(s.time, now, 0);
        }
    }
    assert_int_equal(firn_world_hash(plain), firn_world_hash(watched));
    for (int i = 0; i < NAMES; i++) assert_ok(firn_world_surface_request(watched, names[i], NULL, NULL));
    firn_world_close(watched); // while they are being built
    firn_world_close(plain);
}

static const char tearing[] =
    "firn: 1\nduration: 1 s\nfps: 50\nmax_step: 5 ms\n"
    "pbd:\n"
    "  substeps: 2\n"
    "  solids: {cloth: {lattice: [15, 1, 9], spacing: 4 cm, at: [0, 1, 0], links: neighbours, neighbours: "
    "8,\n"
    "           stiffness: 20 N/m, break_strain: 0.05, density: 400}}\n"
    "  pins: {left: {shape: {box: {size: [6 cm, 6 cm, 1 m]}}, at: [-0.28, 1, 0]},\n"
    "         right: {shape: {box: {size: [6 cm, 6 cm, 1 m]}}, at: [0.28, 1, 0]}}\n";

static void test_cloth_tears(void **state) {
    (void)state;
    firn_world *world = open_text(tearing);
    size_t whole = surface_of(world, "pbd.cloth", NULL).mesh.triangles;
    assert_int_equal(whole, 4 * (4 * 14 * 8) + 2 * (2 * 2 * (14 + 8))); // each square is four
    assert_ok(firn_world_advance(world, 0.3));
    firn_surface s = surface_of(world, "pbd.cloth", NULL);
    assert_closed(&s, "cloth");
    assert_true(s.mesh.triangles > 0 && s.mesh.triangles != whole);
    assert_true(s.volume < 0.95 * 14 * 8 * 0.04 * 0.04 * 0.004);
    firn_world_close(world);
}

// Ropes are tubes in pieces where they are torn; solids keep their shape until they are.
static void test_ropes_and_skins(void **state) {
    (void)state;
    firn_world *world = open_text(
        "firn: 1\nduration: 1 s\nfps: 50\nmax_step: 5 ms\n"
        "pbd:\n"
        "  substeps: 2\n"
        "  solids:\n"
        "    rope: {lattice: [1, 21, 1], spacing: 4 cm, at: [0, 1, 0], links: neighbours, neighbours: 2,\n"
        "           stiffness: 50 N/m, break_strain: 0.05, density: 4000}\n"
        "    hare: {shape: {hare: {height: 50 cm}}, spacing: 3 cm, at: [2, 0, 0], rotate: [1, 2, 3],\n"
        "           spin: [9, 5, 2]}\n"
        "    block: {lattice: [5, 4, 6], spacing: 5 cm, at: [4, 1, 0], links: neighbours, stiffness: 2 N/m,\n"
        "            break_strain: 0.05, velocity: [0, -9, 0], radius: 1 cm}\n"
        "    grains: {lattice: [5, 4, 6], spacing: 5 cm, at: [6, 1, 0], links: loose}\n"
        "  pins: {top: {shape: {box: {size: [6 cm, 6 cm, 6 cm]}}, at: [0, 1.4, 0]},\n"
        "         bottom: {shape: {box: {size: [50 cm, 6 cm, 50 cm]}}, at: [4, 0.925, 0]}}\n");
    double round = 7 * sin(2 * M_PI / 14) / M_PI; // a polygon for a circle
    double ball = 4 * M_PI / 3 * 0.02 * 0.02 * 0.02, rod = M_PI * 0.02 * 0.02 * 0.04;
    firn_surface s = surface_of(world, "pbd.rope", NULL);
    assert_closed(&s, "rope");
    assert_near(s.volume / ((20 * rod + ball) * round), 1, 0.01);
    double volume = surface_of(world, "pbd.hare", NULL).volume;
    assert_near(surface_of(world, "pbd.block", NULL).volume, 5 * 4 * 6 * 0.05 * 0.05 * 0.05, 1e-6);
    assert_ok(firn_world_advance(world, 0.3));
    s = surface_of(world, "pbd.rope", NULL);
    assert_closed(&s, "rope");
    size_t torn = (size_t)llround((s.volume / round - 20 * rod - ball) / (ball - rod));
    assert_true(torn > 0 && torn < 20);
    s = surface_of(world, "pbd.hare", NULL);
    assert_closed(&s, "hare");
    assert_near(s.volume / volume, 1, 0.02); // it has only turned
    s = surface_of(world, "pbd.block", NULL);
    assert_closed(&s, "block"); // what is torn is the surface around its particles
    firn_world_close(world);
}

// Each surface has a name of its own, whatever solids and pools are called.
static void test_names_are_unique(void **state) {
    (void)state;
    firn_world *world =
        open_text("firn: 1\n"
                  "pbd:\n"
                  "  solids:\n"
                  "    water: {shape: {sphere: {radius: 12 cm}}, spacing: 3 cm, at: [0, 2, 0]}\n"
                  "    ink: {shape: {sphere: {radius: 12 cm}}, spacing: 3 cm, at: [1, 2, 0]}\n"
                  "  fluid:\n"
                  "    spacing: 4 cm\n"
                  "    pools:\n"
                  "      half: {shape: {box: {size: [0.6, 0.4, 0.6]}}, at: [-2, 0.2, 0]}\n"
                  "      ink: {shape: {sphere: {radius: 10 cm}}, at: [-2, 0.6, 0], color: [0.1, 0, 0.2]}\n");
    static const char *const expected[] = {"pbd.water", "pbd.ink", "pbd.water-2", "pbd.ink-2"};
    assert_int_equal(firn_world_surface_count(world), 4);
    for (size_t i = 0; i < 4; i++) assert_string_equal(firn_world_surface_name(world, i), expected[i]);
    assert_near(surface_of(world, "pbd.water-2", NULL).volume, 0.6 * 0.4 * 0.6, 0.05 * 0.144);
    firn_world_close(world);
}

static void test_wrong_options(void **state) {
    (void)state;
    firn_world *world = open_text(snowy);
    const firn_surface_options usual = firn_surface_options_default();
    firn_surface_options wrong[] = {usual, usual, usual, usual, usual, usual, usual};
    wrong[0].cell = -1, wrong[1].smooth = 101, wrong[2].smooth = -1, wrong[3].smooth = 1.5;
    wrong[4].thickness = 0, wrong[5].pixel = NAN, wrong[6].eye.y = NAN;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(firn_world_surface_request(world, "field", &wrong[i], NULL), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_surface_request(world, "feild", NULL, NULL), FIRN_BAD_INPUT);
    if (!strstr(firn_last_error(), "it has field")) fail_msg("%s", firn_last_error());
    firn_world_close(world);
}

static firn_status ask_for_all(firn_world *world) {
    firn_surface_options options = firn_surface_options_default();
    options.values = true;
    firn_status status = FIRN_OK;
    for (size_t i = 0; i < firn_world_surface_count(world) && status == FIRN_OK; i++) {
        const char *name = firn_world_surface_name(world, i);
        firn_surface s;
        status = firn_world_surface_request(world, name, &options, NULL);
        if (status == FIRN_OK) status = firn_world_surface_wait(world, name, &s);
        if (status == FIRN_OK) assert_true(s.mesh.triangles > 0 || strcmp(name, "phase.ice") == 0);
    }
    return status;
}

static void test_without_memory(void **state) {
    (void)state;
    static const char *const scenes[] = {many, snowy};
    for (int k = 0; k < 2; k++) {
        size_t before = mem_in_use();
        bool enough = false;
        for (size_t n = 1; !enough; n += 1 + n / 8 * FIRN_FEWER) {
            firn_world *world = open_text(scenes[k]);
            failing_allocator f;
            fail_allocation(&f, n);
            firn_status status = ask_for_all(world);
            enough = f.calls < n;
            if (enough || status != FIRN_NO_MEMORY) assert_ok(status);
            firn_set_allocator(NULL);
            assert_ok(ask_for_all(world)); // what failed can be asked for again
            firn_world_close(world);
        }
        assert_int_equal(mem_in_use(), before);
    }
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_volumes),
                                       cmocka_unit_test(test_walls),
                                       cmocka_unit_test(test_values),
                                       cmocka_unit_test(test_same_bits_on_threads),
                                       cmocka_unit_test(test_cloth_tears),
                                       cmocka_unit_test(test_ropes_and_skins),
                                       cmocka_unit_test(test_beside_the_steps_of_threads),
                                       cmocka_unit_test(test_wrong_options),
                                       cmocka_unit_test(test_names_are_unique),
                                       cmocka_unit_test(test_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
