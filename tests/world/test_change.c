// Bodies and sources that are added and removed while a world runs.
#include "worlds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static firn_body_def ball_def(const char *name, firn_vec3 at) {
    firn_body_def def = firn_body_def_default();
    def.name = name;
    def.shape.kind = FIRN_SHAPE_SPHERE;
    def.shape.radius = 0.12;
    def.at = at;
    def.motion.kind = FIRN_MOTION_DYNAMIC;
    def.density = 500;
    return def;
}

// Drops a ball, takes the crate away, opens sources.
static void change(firn_world *world) {
    firn_body_def ball = ball_def("dropped", (firn_vec3){-1.3, 0.5, 0.2});
    ball.velocity = (firn_vec3){0, -3, 0};
    size_t body;
    assert_ok(firn_world_add_body(world, &ball, &body));
    assert_int_equal(body, 5);
    assert_string_equal(firn_world_body_name(world, body), "dropped");
    assert_ok(firn_world_set(world, "bodies.dropped.friction", 0.9));
    firn_snowfield_pour_def pour = firn_snowfield_pour_def_default();
    pour.name = "second";
    pour.at = (firn_vec3){-1, 0, -0.2};
    pour.radius = 0.1;
    pour.rate = 5;
    assert_ok(firn_world_add_pour(world, &pour));
    firn_mpm_emit_def emit = firn_mpm_emit_def_default();
    emit.name = "jet";
    emit.snow.fill.shape.kind = FIRN_SHAPE_SPHERE;
    emit.snow.fill.shape.radius = 0.1;
    emit.snow.fill.at = (firn_vec3){0.7, 0.9, 0.1};
    emit.snow.velocity = (firn_vec3){0, -2, 0};
    assert_ok(firn_world_add_emitter(world, &emit));
    firn_pbd_spout_def spout = firn_pbd_spout_def_default();
    spout.name = "shower";
    spout.opening.at = (firn_vec3){1.1, 1.2, 0.5};
    spout.opening.velocity = (firn_vec3){0, -2, 0};
    spout.opening.radius = 0.08;
    assert_ok(firn_world_add_spout(world, &spout));
    assert_ok(firn_world_remove_body(world, firn_world_body_find(world, "crate")));
    assert_int_equal(firn_world_body_find(world, "dropped"), 4);
}

static void test_same_changes_same_bits(void **state) {
    (void)state;
    firn_world *a = open_all_models(), *b = open_all_models(), *c = open_all_models();
    frames(a, 2);
    firn_ledger mpm = ledger_of(a, "mpm"), pbd = ledger_of(a, "pbd"), field = ledger_of(a, "field");
    change(a);
    assert_true(ledger_of(a, "mpm").mass_in == mpm.mass_in && ledger_of(a, "pbd").items == pbd.items);
    assert_near(ledger_of(a, "field").mass, field.mass, 1e-9);
    void *data;
    size_t bytes;
    frames(a, 1);
    assert_ok(firn_world_save(a, &data, &bytes));
    assert_ok(firn_world_save_file(a, "change.h5"));
    frames(a, 3);
    assert_true(ledger_of(a, "mpm").mass_in > mpm.mass_in); // every source gives, and no more than its share
    double given = ledger_of(a, "field").mass_in - field.mass_in; // flakes land, too
    assert_true(given > 0.2 * (8 + 5) - 0.05 && given < 0.2 * (8 + 5) + 0.5);
    assert_true(ledger_of(a, "pbd").items > pbd.items && ledger_of(a, "pbd").items < pbd.items + 200);
    firn_set_threads(3);
    frames(b, 2);
    change(b);
    frames(b, 4);
    firn_set_threads(0);
    assert_true(firn_world_hash(a) == firn_world_hash(b));
    assert_ok(firn_world_load(c, data, bytes)); // into a world of the scene itself
    assert_int_equal(firn_world_body_find(c, "dropped"), 4);
    double friction;
    assert_ok(firn_world_get(c, "bodies.dropped.friction", &friction));
    assert_true(friction == 0.9);
    frames(c, 3);
    assert_true(firn_world_hash(a) == firn_world_hash(c));
    assert_ok(firn_world_load_file(b, "change.h5")); // into one that went on
    frames(b, 3);
    assert_true(firn_world_hash(a) == firn_world_hash(b));
    remove("change.h5");
    firn_data_free(data);
    firn_world_close(a);
    firn_world_close(b);
    firn_world_close(c);
}

static void test_going_back_takes_changes_back(void **state) {
    (void)state;
    firn_world *a = open_all_models(), *b = open_all_models();
    void *data;
    size_t bytes;
    frames(a, 2);
    assert_ok(firn_world_save(a, &data, &bytes));
    change(a);
    frames(a, 1);
    assert_ok(firn_world_load(a, data, bytes));
    assert_int_equal(firn_world_body_count(a), 5);
    assert_int_equal(firn_world_body_find(a, "dropped"), SIZE_MAX);
    frames(a, 2);
    frames(b, 4);
    assert_true(firn_world_hash(a) == firn_world_hash(b));
    firn_data_free(data);
    firn_world_close(a);
    firn_world_close(b);
}

static const char shelf[] = "firn: 1\n"
                            "fps: 50\n"
                            "bodies:\n"
                            "  ground: {shape: plane, at: [0, -0.5, 0]}\n"
                            "  shelf: {shape: {box: {size: [1, 0.1, 1]}}, at: [0, 0.5, 0]}\n"
                            "  door: {shape: {box: {size: [1, 0.1, 1]}}, at: [9, 9, 9], motion: kinematic}\n";

// A ball that was dropped onto a shelf lies there, and falls when the shelf is gone.
static void test_bodies_meet_and_part(void **state) {
    (void)state;
    firn_world *world;
    assert_ok(firn_world_open_text(shelf, "shelf.yaml", &world));
    frames(world, 10);
    firn_body_def def = ball_def("ball", (firn_vec3){0, 0.75, 0});
    size_t ball;
    assert_ok(firn_world_add_body(world, &def, &ball));
    frames(world, 50);
    assert_near(firn_world_body_state(world, ball).position.y, 0.67, 0.01);
    assert_int_equal(firn_world_add_body(world, &def, NULL), FIRN_BAD_INPUT); // the name is taken
    assert_non_null(strstr(firn_last_error(), "ball"));
    assert_int_equal(firn_world_body_count(world), 4);
    uint64_t before = firn_world_hash(world);
    def.name = "other";
    def.shape.radius = -1;
    assert_int_equal(firn_world_add_body(world, &def, NULL), FIRN_BAD_INPUT);
    assert_true(firn_world_hash(world) == before);
    assert_ok(firn_world_body_set_user(world, ball, &before));
    assert_ok(firn_world_remove_body(world, firn_world_body_find(world, "shelf")));
    ball = firn_world_body_find(world, "ball");
    assert_int_equal(ball, 2);
    assert_ptr_equal(firn_world_body_user(world, ball), &before);
    frames(world, 50);
    assert_near(firn_world_body_state(world, ball).position.y, -0.38, 0.01);
    firn_world_close(world);
}

// Snow that lay on a board is not lost with it.
static void test_snow_on_a_body_stays(void **state) {
    (void)state;
    firn_world *world;
    assert_ok(firn_world_open_text(
        "firn: 1\n"
        "fps: 20\n"
        "bodies:\n"
        "  stone: {shape: {sphere: {radius: 5 cm}}, at: [0.7, 0.3, 0.7]}\n"
        "  board: {shape: {box: {size: [50 cm, 4 cm, 50 cm]}}, at: [0, 0.5, 0]}\n"
        "field: {width: 2 m, length: 2 m, depth: 10 cm, cell: 5 cm, fall: {rate: 7200 mm/h}}\n",
        "board.yaml", &world));
    frames(world, 20);
    double before = ledger_of(world, "field").mass;
    assert_ok(firn_world_set(world, "field.fall.rate", 0));
    assert_ok(firn_world_remove_body(world, 1));
    assert_near(ledger_of(world, "field").mass, before, 1e-6 * before);
    frames(world, 20);
    assert_near(ledger_of(world, "field").mass, before, 1e-6 * before);
    firn_world_close(world);
}

static firn_status add_ball(firn_world *world, const char *name) {
    firn_body_def def = ball_def(name, (firn_vec3){0, 0.75, 0});
    return firn_world_add_body(world, &def, NULL);
}

static void test_memory_may_run_out(void **state) {
    (void)state;
    firn_world *world = open_text(shelf);
    frames(world, 2);
    assert_all_or_nothing(world, add_ball, "ball");
    frames(world, 2);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_meet_and_part),
        cmocka_unit_test(test_snow_on_a_body_stays),
        cmocka_unit_test(test_memory_may_run_out),
        cmocka_unit_test(test_same_changes_same_bits),
        cmocka_unit_test(test_going_back_takes_changes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
