// firn-test: threaded
// Parameters that change while a world runs.
#include "support.h"

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

static firn_world *open_world(const char *words) {
    firn_world *world;
    assert_ok(firn_world_open_text(words, "live.yaml", &world));
    return world;
}

static void frames(firn_world *world, int count) {
    for (int i = 0; i < count; i++) assert_ok(firn_world_advance_frame(world));
}

static double fall_speed(const firn_world *world) { return firn_world_body_state(world, 0).velocity.y; }

static void test_gravity_changes_at_once(void **state) {
    (void)state;
    firn_world *world = open_world(ball);
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
    firn_world *world = open_world(words);
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
    firn_world *a = open_world(storm), *b = open_world(storm), *c = open_world(storm);
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
    firn_world *a = open_world(storm), *b = open_world(storm);
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
    firn_world *world = open_world(storm);
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

static void test_memory_may_run_out(void **state) {
    (void)state;
    firn_world *world = open_world(storm);
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
        cmocka_unit_test(test_memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
