// firn-test: threaded
// The surface of the cover, built while the world steps: closed, and without a trace in the state.
#include "world/storm.h"

#include "world/cover.h"

// The state does not know who looked.
static void test_beside_the_steps(void **state) {
    (void)state;
    firn_world *plain = open_storm(), *watched = open_storm();
    firn_surface m;
    double last = -1;
    assert_int_equal(firn_world_surface(watched, "cover", &m), FIRN_OK);
    assert_int_equal(m.mesh.vertices, 0);
    for (int step = 0; step < 9; step++) {
        bool begun = false;
        assert_int_equal(firn_world_surface_request(watched, "cover", NULL, &begun), FIRN_OK);
        assert_int_equal(firn_world_step(watched), FIRN_OK);
        assert_int_equal(firn_world_step(plain), FIRN_OK);
        assert_int_equal(firn_world_surface(watched, "cover", &m), FIRN_OK);
        assert_true(m.time >= last || m.mesh.vertices == 0);
        if (m.mesh.vertices) last = m.time;
    }
    assert_int_equal(firn_world_hash(plain), firn_world_hash(watched));
    assert_int_equal(firn_world_surface_wait(watched, "cover", &m), FIRN_OK); // one may still be on its way
    assert_int_equal(firn_world_surface_request(watched, "cover", NULL, NULL), FIRN_OK);
    double now = firn_world_time(watched);
    assert_int_equal(firn_world_step(watched), FIRN_OK);
    assert_int_equal(firn_world_surface_wait(watched, "cover", &m), FIRN_OK);
    assert_near(m.time, now, 0); // it shows the moment of the question, not of the answer
    assert_true(m.seconds > 0);
    check_surface(&m, 0.02); // so little snow lies in patches
    assert_int_equal(firn_world_surface_request(watched, "cover", NULL, NULL), FIRN_OK);
    firn_world_close(watched); // while it is being built
    firn_world_close(plain);
}

// The floors of the cells are where the bodies are: on the plane, and on the roof's slope.
static void test_floors(void **state) {
    (void)state;
    firn_world *world = open_storm();
    cover_grid grid;
    cover_floors floors = {0};
    assert_int_equal(world_cover_grid(world, &grid), FIRN_OK);
    assert_int_equal(firn_world_step(world), FIRN_OK);
    assert_int_equal(world_cover_grid(world, &grid), FIRN_OK);
    assert_int_equal(world_cover_floors(world, &grid, &floors), FIRN_OK);
    size_t roof = firn_world_body_find(world, "roof"), sloped = 0;
    for (size_t i = 0; i < grid.floors; i++) {
        uint32_t cell = grid.floor[i].cell, nx = (uint32_t)grid.n[0], ny = (uint32_t)grid.n[1];
        float p[3] = {(float)(grid.low[0] + (cell % nx + 0.5) * grid.cell),
                      (float)(grid.low[1] + (cell / nx % ny + (double)grid.floor[i].up) * grid.cell),
                      (float)(grid.low[2] + (cell / nx / ny + 0.5) * grid.cell)};
        float d;
        assert_true(i == 0 || grid.floor[i - 1].cell < cell);
        assert_true(grid.floor[i].up >= -1 &&
                    grid.floor[i].up <= 0.5f);         // thin bodies: down to the cell below
        if (fabsf(grid.floor[i].up) < 1e-5f) continue; // the ground
        assert_int_equal(firn_world_body_query(world, roof, 1, p, &d, NULL, NULL), FIRN_OK);
        assert_near(d, 0, 0.05 * grid.cell);
        if (grid.floor[i].steep > 0.8f) continue; // the other side of the box
        assert_near(grid.floor[i].steep, tan(32 * M_PI / 180), 0.03);
        sloped++;
    }
    assert_true(sloped > 20);
    mem_free(floors.floor);
    firn_world_close(world);
}

static void test_without_a_cover(void **state) {
    (void)state;
    firn_world *world;
    assert_int_equal(firn_world_open_text("firn: 1\nbodies: {ground: {shape: plane}}\n", "bare", &world),
                     FIRN_OK);
    bool begun = true;
    assert_int_equal(firn_world_surface_request(world, "cover", NULL, &begun), FIRN_BAD_INPUT);
    assert_false(begun);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_beside_the_steps), cmocka_unit_test(test_floors),
                                       cmocka_unit_test(test_without_a_cover)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
