// firn-test: threaded
// Parameters that change while a world runs.
#include "worlds.h"

#include <math.h>

#include "base/memory.h"

static const char ball[] = "firn: 1\n"
                           "fps: 50\n"
                           "bodies:\n"
                           "  ball: {shape: {sphere: {radius: 10 cm}}, at: [0, 100, 0], motion: dynamic}\n";

static const char storm[] = "firn: 1\n"
                            "fps: 50\n"
                            "bodies: {ground: {shape: plane}}\n"
                            "wind:\n"
                            "  grid: [12, 8, 12]\n"
                            "  cell: 0.5\n"
                            "  inflow: {speed: [{time: 0, value: 2 m/s}, {time: 0.2 s, value: 12 m/s}]}\n"
                            "flakes: {snowfall: 5 mm/h, shown: 500}\n";

static double fall_speed(const firn_world *world) { return firn_world_body_state(world, 0).velocity.y; }

static void test_gravity_changes_at_once(void **state) {
    (void)state;
    firn_world *world = open_text(ball);
    frames(world, 25); // half a second
    assert_near(fall_speed(world), -9.81 * 0.5, 1e-6);
    assert_ok(firn_world_set_vector(world, "gravity", (firn_vec3){0, -1.62, 0}));
    frames(world, 25);
    assert_near(fall_speed(world), -(9.81 + 1.62) * 0.5, 1e-6);
    firn_vec3 g;
    assert_ok(firn_world_get_vector(world, "gravity", &g));
    assert_true(g.y == -1.62);
    firn_world_close(world);
}

// Gravity that grows evenly from 0 to 10 m/s2 within a second: v = g t / 2, to the size of a step.
static void test_keyframes_are_followed(void **state) {
    (void)state;
    char words[600];
    snprintf(words, sizeof words,
             "%sgravity: [{time: 0, value: [0, 0, 0]}, {time: 1 s, value: [0, -10, 0]}]\n", ball);
    firn_world *world = open_text(words);
    frames(world, 50);
    assert_near(fall_speed(world), -5, 0.025);
    frames(world, 50); // after the last keyframe it stays
    assert_near(fall_speed(world), -15, 0.025);
    assert_int_equal(firn_world_set_vector(world, "gravity", (firn_vec3){0}), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "keyframes"));
    firn_world_close(world);
}

static void change(firn_world *world) {
    frames(world, 3);
    assert_ok(firn_world_set(world, "air.temperature", 2));
    assert_ok(firn_world_set(world, "flakes.snowfall", 4e-6));
    frames(world, 3);
    assert_ok(firn_world_set(world, "wind.inflow.turn", 0.5));
}

static void test_same_changes_same_bits(void **state) {
    (void)state;
    firn_world *a = open_text(storm), *b = open_text(storm), *c = open_text(storm);
    void *data;
    size_t bytes;
    change(a);
    assert_ok(firn_world_save(a, &data, &bytes));
    frames(a, 6);
    firn_set_threads(3);
    change(b);
    frames(b, 6);
    firn_set_threads(0);
    assert_true(firn_world_hash(a) == firn_world_hash(b));
    assert_ok(firn_world_load(c, data, bytes)); // the changes are part of the state
    double turn;
    assert_ok(firn_world_get(c, "wind.inflow.turn", &turn));
    assert_true(turn == 0.5);
    frames(c, 6);
    assert_true(firn_world_hash(c) == firn_world_hash(a));
    firn_data_free(data);
    firn_world_close(a);
    firn_world_close(b);
    firn_world_close(c);
}

static void test_going_back_takes_changes_back(void **state) {
    (void)state;
    firn_world *a = open_text(storm), *b = open_text(storm);
    void *data;
    size_t bytes;
    frames(a, 2);
    assert_ok(firn_world_save(a, &data, &bytes));
    change(a);
    assert_ok(firn_world_load(a, data, bytes));
    frames(a, 4);
    frames(b, 6);
    assert_true(firn_world_hash(a) == firn_world_hash(b));
    firn_data_free(data);
    firn_world_close(a);
    firn_world_close(b);
}

static void test_what_cannot_be_is_refused(void **state) {
    (void)state;
    firn_world *world = open_text(storm);
    double value = 7;
    firn_vec3 v;
    uint64_t before = firn_world_hash(world);
    const struct {
        const char *name;
        double value;
        const char *why;
    } wrong[] = {
        {"wind.cell", 1, "cannot change while"},
        {"wind.inflow.speed", 1, "keyframes"},
        {"wind.inflow.gusts", -3, "gusts"},
        {"air.temperature", NAN, "finite"},
        {"air.temperature", 1000, "too large"},
        {"wind.inflow.sped", 1, "no parameter"},
        {"mpm.step", 1, "'mpm.step': it is now called 'mpm.max_step'"}, // older spellings
        {"mpm.emit.spout.from", 1, "it is now called 'mpm.emit.spout.start'"},
        {"mpm.snow.ball.fill.at", 1, "it is now called 'mpm.snow.ball.at'"},
        {"mpm.cell", 1, "does not use it"},
        {"gravity", 1, "vector"},
        {"", 1, "no parameter"},
        {"bodies.ground", 1, "no parameter"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_int_equal(firn_world_set(world, wrong[i].name, wrong[i].value), FIRN_BAD_INPUT);
        if (!strstr(firn_last_error(), wrong[i].why)) fail_msg("%s: %s", wrong[i].name, firn_last_error());
    }
    assert_int_equal(firn_world_set_vector(world, "air.temperature", (firn_vec3){0}), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_get(world, "gravity", &value), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_get_vector(world, "air.temperature", &v), FIRN_BAD_INPUT);
    assert_ok(firn_world_get(world, "air.temperature", &value));
    assert_true(value == -5);
    assert_true(firn_world_hash(world) == before);
    firn_world_close(world);
}

static void test_words_as_in_a_scene(void **state) {
    (void)state;
    firn_world *world = open_text("firn: 1\n"
                                  "pbd:\n"
                                  "  box: {walls: [{low: [-1, 0, -1], high: [1, 2, 1]}]}\n"
                                  "  solids: {rope: {lattice: [4, 1, 1], spacing: 5 cm, at: [0, 1, 0]}}\n");
    char text[128];
    assert_ok(firn_world_set_text(world, "pbd.solver", "jacobi"));
    assert_ok(firn_world_get_text(world, "pbd.solver", text, sizeof text));
    assert_string_equal(text, "jacobi");
    assert_ok(firn_world_set_text(world, "max_step", "2 ms"));
    assert_ok(firn_world_get_text(world, "max_step", text, sizeof text));
    assert_string_equal(text, "2 ms");
    assert_ok(firn_world_set_text(world, "pbd.box.walls[1].low", "[-1 m, 50 cm, -1 m]"));
    assert_ok(firn_world_get_text(world, "pbd.box.walls[1].low", text, sizeof text));
    assert_string_equal(text, "[-1 m, 50 cm, -1 m]");
    assert_ok(firn_world_set_text(world, "pbd.statistics", "yes"));
    frames(world, 25); // it falls upon the risen floor
    firn_field at = firn_world_field(world, "pbd.position");
    for (size_t i = 0; i < at.count; i++) assert_true(((const double *)at.data)[3 * i + 1] > 0.5);
    const char *const wrong[][2] = {{"pbd.solver", "jacoby"},        {"max_step", "2 kg"},
                                    {"gravity", "[1, 2]"},           {"pbd.box.walls[2].low", "[0, 0, 0]"},
                                    {"pbd.box.walls[1].time", "1"},  {"pbd.solids.rope", "x"},
                                    {"pbd.solids.rope.spacing", "1"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(firn_world_set_text(world, wrong[i][0], wrong[i][1]), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_get_text(world, "pbd.solids", text, sizeof text), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_get_text(world, "max_step", text, 3), FIRN_BAD_INPUT);
    firn_world_close(world);
}

static void test_a_wind_with_a_table_says_so(void **state) {
    (void)state;
    static const char words[] = "firn: 1\n"
                                "bodies: {ground: {shape: plane}}\n"
                                "wind:\n"
                                "  grid: [8, 4, 8]\n"
                                "  cell: 1\n"
                                "  inflow: {changes: [{time: 0, speed: 2 m/s}, {time: 1 s, speed: 4 m/s}]}\n";
    firn_world *world = open_text(words);
    assert_int_equal(firn_world_set(world, "wind.inflow.speed", 3), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "inflow.changes"));
    assert_ok(firn_world_set(world, "wind.inflow.gusts", 0.5));
    firn_world_close(world);
    char keyed[600];
    snprintf(keyed, sizeof keyed, "%.*s, speed: [{time: 0, value: 1}, {time: 1 s, value: 2}]}\n",
             (int)(sizeof words - 3), words);
    assert_int_equal(firn_world_open_text(keyed, "live.yaml", &world), FIRN_BAD_INPUT);
}

static double snowfield_mass(const firn_world *world) {
    for (size_t i = 0; i < firn_world_ledger_count(world); i++) {
        firn_ledger ledger = firn_world_ledger(world, i);
        if (strcmp(ledger.model, "field") == 0) return ledger.mass_in;
    }
    return NAN;
}

// 2 m x 2 m, 36 mm/h of water for a second, 72 for the next, then none: 4 m2 (10 + 20) g/m2. And 2 kg/s are
// poured for a second, then 1 kg/s.
static void test_rates_are_integrated(void **state) {
    (void)state;
    firn_world *world = open_text("firn: 1\n"
                                  "fps: 20\n"
                                  "field:\n"
                                  "  width: 2 m\n"
                                  "  length: 2 m\n"
                                  "  depth: 10 cm\n"
                                  "  fall: {rate: 36 mm/h}\n"
                                  "  pour: {heap: {radius: 20 cm, rate: 2}}\n");
    double start = snowfield_mass(world);
    frames(world, 20);
    assert_near(snowfield_mass(world) - start, 0.04 + 2, 0.002);
    assert_ok(firn_world_set_text(world, "field.fall.rate", "72 mm/h"));
    assert_ok(firn_world_set(world, "field.pour.heap.rate", 1));
    frames(world, 20);
    assert_near(snowfield_mass(world) - start, 0.12 + 3, 0.004);
    assert_ok(firn_world_set(world, "field.fall.rate", 0));
    assert_ok(firn_world_set(world, "field.pour.heap.rate", 0));
    frames(world, 20);
    assert_ok(firn_world_set_text(world, "field.fall.rate", "36 mm/h")); // not for the second without
    assert_ok(firn_world_set(world, "field.pour.heap.rate", 1));
    frames(world, 20);
    assert_near(snowfield_mass(world) - start, 0.16 + 4, 0.006);
    firn_world_close(world);
}

// Snow that begins to fall on a body that hung above the snow all the time.
static void test_snow_may_begin_to_fall(void **state) {
    (void)state;
    static const char words[] =
        "firn: 1\n"
        "fps: 20\n"
        "bodies: {board: {shape: {box: {size: [50 cm, 4 cm, 50 cm]}}, at: [0, 1, 0]}}\n"
        "field: {width: 2 m, length: 2 m, depth: 10 cm, cell: 5 cm}\n";
    firn_world *a = open_text(words), *b = open_text(words);
    void *data;
    size_t bytes;
    frames(a, 10);
    assert_ok(firn_world_set_text(a, "field.fall.rate", "7200 mm/h"));
    assert_ok(firn_world_save(a, &data, &bytes));
    frames(a, 20);
    assert_near(snowfield_mass(a), 4 * 2 + snowfield_mass(b), 0.2);
    assert_ok(firn_world_load(b, data, bytes));
    frames(b, 20);
    assert_true(firn_world_hash(a) == firn_world_hash(b));
    firn_data_free(data);
    firn_world_close(a);
    firn_world_close(b);
}

// A word, a whole number and yes or no change from one keyframe to the next at once.
static void test_keyframes_of_words(void **state) {
    (void)state;
    firn_world *world = open_text("firn: 1\n"
                                  "fps: 50\n"
                                  "pbd:\n"
                                  "  solver: [{time: 0, value: jacobi}, {time: 0.1 s, value: gauss_seidel}]\n"
                                  "  iterations: [{time: 0, value: 3}, {time: 0.1 s, value: 7}]\n"
                                  "  solids: {rope: {lattice: [4, 1, 1], spacing: 5 cm, at: [0, 1, 0]}}\n");
    char text[32];
    double iterations;
    frames(world, 4);
    assert_ok(firn_world_get_text(world, "pbd.solver", text, sizeof text));
    assert_string_equal(text, "jacobi");
    assert_ok(firn_world_get(world, "pbd.iterations", &iterations));
    assert_true(iterations == 3);
    frames(world, 4);
    assert_ok(firn_world_get_text(world, "pbd.solver", text, sizeof text));
    assert_string_equal(text, "gauss_seidel");
    assert_ok(firn_world_get(world, "pbd.iterations", &iterations));
    assert_true(iterations == 7);
    firn_world_close(world);
}

static void test_memory_may_run_out(void **state) {
    (void)state;
    firn_world *world = open_text(storm);
    uint64_t before = firn_world_hash(world);
    firn_status status = FIRN_NO_MEMORY;
    for (size_t n = 1; status != FIRN_OK && n < 200; n++) {
        failing_allocator f;
        double now;
        fail_allocation(&f, n);
        status = firn_world_set(world, "air.temperature", 2);
        firn_set_allocator(NULL);
        assert_ok(firn_world_get(world, "air.temperature", &now));
        assert_true(now == (status == FIRN_OK ? 2 : -5)); // all or nothing
        assert_true((firn_world_hash(world) == before) == (status != FIRN_OK));
    }
    assert_int_equal(status, FIRN_OK);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gravity_changes_at_once),
        cmocka_unit_test(test_keyframes_are_followed),
        cmocka_unit_test(test_same_changes_same_bits),
        cmocka_unit_test(test_going_back_takes_changes_back),
        cmocka_unit_test(test_what_cannot_be_is_refused),
        cmocka_unit_test(test_words_as_in_a_scene),
        cmocka_unit_test(test_a_wind_with_a_table_says_so),
        cmocka_unit_test(test_rates_are_integrated),
        cmocka_unit_test(test_snow_may_begin_to_fall),
        cmocka_unit_test(test_keyframes_of_words),
        cmocka_unit_test(test_memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
