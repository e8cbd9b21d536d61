// firn-test: threaded
#include "support.h"

#include <math.h>

#include "base/memory.h"

static firn_body_def ball(const char *name, double x, double y) {
    firn_body_def def = firn_body_def_default();
    def.name = name;
    def.shape.kind = FIRN_SHAPE_SPHERE;
    def.shape.radius = 0.2;
    def.motion.kind = FIRN_MOTION_DYNAMIC;
    def.at = (firn_vec3){x, y, 0};
    return def;
}

static firn_body_def ground(void) {
    firn_body_def def = firn_body_def_default();
    def.name = "ground";
    def.shape.kind = FIRN_SHAPE_PLANE;
    return def;
}

static firn_world *two_balls(double fps) {
    firn_body_def bodies[] = {ground(), ball("left", -0.1, 1), ball("right", 0.1, 2)};
    firn_world_def def = firn_world_def_default();
    def.fps = fps;
    def.bodies.items = bodies;
    def.bodies.count = 3;
    firn_world *world;
    assert_ok(firn_world_create(&def, &world));
    return world;
}

static void test_frames_are_met_exactly(void **state) {
    (void)state;
    firn_world *world = two_balls(30);
    for (uint64_t i = 1; i <= 40; i++) {
        assert_ok(firn_world_advance_frame(world));
        assert_int_equal(firn_world_frame(world), i);
        assert_true(firn_world_time(world) == (double)i / 30);
    }
    assert_true(firn_world_steps(world) >= 40 * 8); // max_step 4 ms
    firn_world_close(world);
}

static void test_advance_meets_frames_and_odd_times(void **state) {
    (void)state;
    firn_world *a = two_balls(60), *b = two_balls(60);
    for (int i = 0; i < 30; i++) assert_ok(firn_world_advance(a, 1.0 / 60.0));
    for (int i = 0; i < 30; i++) assert_ok(firn_world_advance_frame(b));
    assert_int_equal(firn_world_frame(a), 30);
    assert_true(firn_world_hash(a) == firn_world_hash(b));
    assert_ok(firn_world_advance(a, 0.123));
    assert_near(firn_world_time(a), 0.5 + 0.123, 1e-9);
    assert_int_equal(firn_world_frame(a), 37);
    assert_int_equal(firn_world_advance(a, -1), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_advance(a, NAN), FIRN_BAD_INPUT);
    firn_world_close(a);
    firn_world_close(b);
}

static void test_hash_over_threads(void **state) {
    (void)state;
    uint64_t first = 0;
    for (int threads = 1; threads <= 8; threads = threads == 3 ? 8 : threads + 1) {
        firn_set_threads(threads);
        firn_world *world = two_balls(30);
        assert_ok(firn_world_advance(world, 1));
        if (threads == 1) first = firn_world_hash(world);
        assert_true(firn_world_hash(world) == first);
        firn_world_close(world);
    }
    firn_set_threads(0);
}

static void test_hash_sees_every_change(void **state) {
    (void)state;
    firn_world *a = two_balls(30), *b = two_balls(30);
    assert_true(firn_world_hash(a) == firn_world_hash(b));
    firn_vec3 at = firn_world_body_state(b, 1).position;
    assert_ok(firn_world_body_push(b, 1, (firn_vec3){1e-6, 0, 0}, at));
    assert_ok(firn_world_step(a));
    assert_ok(firn_world_step(b));
    assert_true(firn_world_hash(a) != firn_world_hash(b));
    firn_world_close(a);
    firn_world_close(b);
}

// A push of F during one step gives the momentum F dt.
static void test_push_gives_momentum(void **state) {
    (void)state;
    firn_world *world = two_balls(250); // one step per frame
    size_t body = firn_world_body_find(world, "right");
    firn_body_state before = firn_world_body_state(world, body);
    assert_ok(firn_world_body_push(world, body, (firn_vec3){10, 0, 0}, before.position));
    assert_ok(firn_world_step(world));
    firn_body_state after = firn_world_body_state(world, body);
    assert_near(after.mass * after.velocity.x, 10.0 / 250, 1e-9);
    assert_ok(firn_world_step(world)); // and it ends with the step
    assert_near(firn_world_body_state(world, body).velocity.x, after.velocity.x, 1e-12);
    firn_world_close(world);
}

static void test_watchdog_names_the_body(void **state) {
    (void)state;
    firn_world *world = two_balls(30);
    firn_vec3 at = firn_world_body_state(world, 2).position;
    assert_ok(firn_world_body_push(world, 2, (firn_vec3){0, 1e9, 0}, at));
    firn_status status = FIRN_OK;
    for (int i = 0; i < 10 && status == FIRN_OK; i++) status = firn_world_step(world);
    assert_int_equal(status, FIRN_UNSTABLE);
    assert_non_null(strstr(firn_last_error(), "bodies"));
    assert_non_null(strstr(firn_last_error(), "item 2"));
    firn_world_close(world);
}

static void test_fields_are_the_state(void **state) {
    (void)state;
    firn_world *world = two_balls(30);
    assert_ok(firn_world_advance(world, 0.5));
    firn_field position = firn_world_field(world, "bodies.position");
    assert_non_null(position.data);
    assert_string_equal(position.unit, "m");
    assert_int_equal(position.count, 3);
    assert_int_equal(position.components, 3);
    assert_int_equal(position.type, FIRN_F64);
    firn_body_state ball_state = firn_world_body_state(world, 1);
    assert_near(((const double *)position.data)[3 * 1 + 1], ball_state.position.y, 1e-12);
    assert_null(firn_world_field(world, "bodies.colour").data);
    bool found = false;
    for (size_t i = 0; i < firn_world_field_count(world); i++)
        found |= strcmp(firn_world_field_at(world, i).name, "bodies.rotation") == 0;
    assert_true(found);
    firn_world_close(world);
}

static void test_query_of_a_ball(void **state) {
    (void)state;
    firn_world *world = two_balls(30);
    size_t body = firn_world_body_find(world, "left");
    float points[6] = {-0.1f, 2, 0, 0.9f, 1, 0}, distance[2], normals[6], velocities[6];
    assert_ok(firn_world_body_query(world, body, 2, points, distance, normals, velocities));
    assert_near(distance[0], 0.8, 1e-6);
    assert_near(distance[1], 0.8, 1e-6);
    assert_near(normals[1], 1, 1e-6);
    assert_near(normals[3], 1, 1e-6);
    assert_int_equal(firn_world_body_query(world, 99, 2, points, distance, NULL, NULL), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_body_find(world, "middle"), SIZE_MAX);
    firn_world_close(world);
}

static firn_status create_with(firn_body_def *bodies, size_t count, double fps) {
    firn_world_def def = firn_world_def_default();
    def.fps = fps;
    def.bodies.items = bodies;
    def.bodies.count = count;
    firn_world *world;
    firn_status status = firn_world_create(&def, &world);
    if (status != FIRN_OK) assert_null(world);
    firn_world_close(world);
    return status;
}

static void test_bad_defs_are_named(void **state) {
    (void)state;
    firn_body_def twins[] = {ball("a", 0, 0), ball("a", 1, 1)};
    assert_int_equal(create_with(twins, 2, 30), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "'a'"));
    firn_body_def nameless[] = {ball(NULL, 0, 0)};
    assert_int_equal(create_with(nameless, 1, 30), FIRN_BAD_INPUT);
    firn_body_def fine[] = {ball("a", 0, 0)};
    assert_int_equal(create_with(fine, 1, 0), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "fps"));
    fine[0].shape.radius = -1;
    assert_int_equal(create_with(fine, 1, 30), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "radius"));
    firn_body_def plane[] = {ground()};
    plane[0].motion.kind = FIRN_MOTION_DYNAMIC;
    assert_int_equal(create_with(plane, 1, 30), FIRN_BAD_INPUT);
    assert_int_equal(create_with(NULL, 0, 30), FIRN_BAD_INPUT);
}

static void test_every_failing_allocation(void **state) {
    (void)state;
    firn_world_close(two_balls(30)); // what is made once and kept, is made here
    size_t before = mem_in_use();
    bool done = false;
    for (size_t n = 1; n <= 400 && !done; n++) {
        firn_body_def bodies[] = {ground(), ball("left", -0.1, 0.3), ball("right", 0.1, 0.6)};
        firn_world_def def = firn_world_def_default();
        def.bodies.items = bodies;
        def.bodies.count = 3;
        failing_allocator f;
        fail_allocation(&f, n);
        firn_world *world;
        firn_status status = firn_world_create(&def, &world);
        for (int i = 0; i < 20 && status == FIRN_OK; i++) status = firn_world_step(world);
        firn_world_close(world);
        done = f.calls < n;
        assert_int_equal(status, done ? FIRN_OK : FIRN_NO_MEMORY);
        firn_set_allocator(NULL);
        assert_int_equal(mem_in_use(), before);
    }
    assert_true(done);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_are_met_exactly),
        cmocka_unit_test(test_advance_meets_frames_and_odd_times),
        cmocka_unit_test(test_hash_over_threads),
        cmocka_unit_test(test_hash_sees_every_change),
        cmocka_unit_test(test_push_gives_momentum),
        cmocka_unit_test(test_watchdog_names_the_body),
        cmocka_unit_test(test_fields_are_the_state),
        cmocka_unit_test(test_query_of_a_ball),
        cmocka_unit_test(test_bad_defs_are_named),
        cmocka_unit_test(test_every_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
