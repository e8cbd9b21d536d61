// Tiles come and go: memory follows what happens, and nothing is forgotten.
#include "cache/cache.h"
#include "snowfield/snowfield_inside.h"
#include "snowfield/snowfield_pack.h"
#include "snowfield/snowfield_world.h"

static void test_packing_is_lossless(void **state) {
    (void)state;
    enum { COUNT = 4096 };
    static uint32_t in[COUNT], out[COUNT];
    static uint8_t bytes[5 * COUNT + 5];
    uint32_t seed = 1;
    for (int kind = 0; kind < 5; kind++) {
        for (int i = 0; i < COUNT; i++) {
            seed = seed * 1664525u + 1013904223u;
            in[i] = kind == 0 ? 7u : kind == 1 ? seed : kind == 2 ? (uint32_t)i : kind == 3 ? seed >> 28 : 0u;
            if (kind == 4 && i % 500 > 400) in[i] = UINT32_MAX - seed % 9;
        }
        size_t n = pack_numbers(in, COUNT, bytes);
        assert_true(n > 0 && n <= sizeof bytes);
        assert_int_equal(unpack_numbers(bytes, n, out, COUNT), n);
        assert_memory_equal(in, out, sizeof in);
        for (size_t cut = 0; cut < n; cut += 1 + n / 7) // a part of it is none
            assert_int_equal(unpack_numbers(bytes, cut, out, COUNT), 0);
        if (kind == 0) assert_true(n < 8);
    }
}

// A cell that does not divide the sides: the snow weighs what the scene says, the sides are right to half a
// cell.
static void test_mass_of_any_area(void **state) {
    (void)state;
    static const double areas[][3] = {{2.5, 2.5, 0.04}, {2.5, 2, 0.04}, {1.01, 3.33, 0.1}, {0.05, 2, 0.04}};
    for (size_t i = 0; i < sizeof areas / sizeof *areas; i++) {
        snowfield_world w;
        snowfield_setup(&w, 10);
        w.field.width = areas[i][0];
        w.field.length = areas[i][1];
        w.field.cell = areas[i][2];
        firn_world *world = snowfield_open(&w);
        const double *g = firn_world_field(world, "field.grid").data;
        double mass = areas[i][0] * areas[i][1] * g[6] * g[7];
        assert_near(snowfield_ledger_of(world).mass, mass, 1e-6 * mass);
        assert_true(g[2] <= 1.01 * areas[i][2]);
        assert_near(g[2] * g[3], areas[i][0], 0.5 * areas[i][2]);
        assert_near(g[2] * g[4], areas[i][1], 0.5 * areas[i][2]);
        assert_near(g[0] + 0.5 * g[2] * g[3], 0, 1e-9);
        firn_world_close(world);
    }
}

// A hovering thing makes tiles that it does not change; pressing and settling make others that stay.
static void test_untouched_tiles_go(void **state) {
    (void)state;
    snowfield_world w;
    snowfield_setup(&w, 400);
    w.body[0] = firn_body_def_default();
    w.body[0].name = "disc";
    w.body[0].shape = (firn_shape_def){.kind = FIRN_SHAPE_CYLINDER, .radius = 0.5, .length = 0.1};
    w.body[0].motion.kind = FIRN_MOTION_KINEMATIC;
    w.body[0].at = (firn_vec3){0, 0.37, 0}; // just above the snow
    w.world.bodies.count = 1;
    firn_world *world = snowfield_open(&w);
    snowfield_state *s = state_of(world);
    step_field(world, 1);
    assert_true(s->tiles.count >= 1);
    assert_ok(firn_world_body_set_target(world, 0, (firn_vec3){0, 3, 0}, (firn_quat){1, 0, 0, 0}, 0.01));
    step_field(world, 130);
    assert_int_equal(s->tiles.count, 0);
    assert_int_equal(s->covers.count, 0);
    assert_ok(firn_world_body_set_target(world, 0, (firn_vec3){0, 0.3, 0}, (firn_quat){1, 0, 0, 0}, 0));
    step_field(world, 20);
    assert_ok(firn_world_body_set_target(world, 0, (firn_vec3){0, 3, 0}, (firn_quat){1, 0, 0, 0}, 0));
    step_field(world, 130);
    assert_true(s->tiles.count >= 1);
    firn_ledger l = snowfield_ledger_of(world);
    assert_near(l.mass, l.mass_in, 1e-12 * l.mass);
    firn_world_close(world);
}

// A board lies askew, so that corners of its bounding rectangle are empty; what it covers there must stay
// when a ball that rolls by has the board's roofs painted again.
static void test_corners_of_a_body_keep_their_covers(void **state) {
    (void)state;
    snowfield_world w;
    snowfield_setup(&w, 400);
    w.body[0] = w.body[1] = firn_body_def_default();
    w.body[0].name = "board";
    w.body[0].shape = (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {5, 0.2, 0.2}};
    w.body[0].at = (firn_vec3){0, 0.3, 0};
    w.body[0].rotate = (firn_vec3){0, 0.7854, 0};
    w.body[1].name = "ball";
    w.body[1].shape = (firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 0.2};
    w.body[1].motion.kind = FIRN_MOTION_KINEMATIC;
    w.body[1].at = (firn_vec3){-1, 0.4, -1};
    w.world.bodies.count = 2;
    firn_world *world = snowfield_open(&w);
    step_field(world, 130);
    for (int i = 0; i < 20; i++) {
        assert_ok(firn_world_body_set_target(world, 1, (firn_vec3){-1 + 0.02 * i, 0.3, -1},
                                             (firn_quat){1, 0, 0, 0}, 0));
        step_field(world, 1);
    }
    firn_ledger l = snowfield_ledger_of(world);
    assert_near(l.mass, l.mass_in, 1e-12 * l.mass);
    firn_world_close(world);
}

enum { LONG = 3200, WIDE = 32 };

static firn_world *open_road(double follow) {
    snowfield_world w;
    snowfield_setup(&w, WIDE);
    w.field.cell = 0.2;
    w.field.length = WIDE * 0.2;
    w.field.width = LONG * 0.2;
    w.field.tile = 32;
    w.field.depth = 0.8;
    w.field.follow = follow;
    w.field.bits.most = 0; // so fast they would fly over half the road
    w.body[0] = firn_body_def_default();
    w.body[0].name = "ball";
    w.body[0].shape = (firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 1};
    w.body[0].motion.kind = FIRN_MOTION_KINEMATIC;
    w.body[0].at = (firn_vec3){-315, 1.4, 0};
    w.world.bodies.count = 1;
    w.world.fps = 10;
    return snowfield_open(&w);
}

static void roll_to(firn_world *world, double x, double seconds) {
    assert_ok(firn_world_body_set_target(world, 0, (firn_vec3){x, 1.4, 0}, (firn_quat){1, 0, 0, 0}, seconds));
    if (seconds > 0) assert_ok(firn_world_advance(world, seconds));
}

static float road[LONG * WIDE];

static void keep_road(firn_world *world) {
    firn_cells changed[16];
    firn_snowfield f;
    size_t count;
    assert_ok(firn_world_snowfield(world, &f));
    while ((count = firn_world_snowfield_changes(world, changed, 16)) > 0)
        for (size_t i = 0; i < count; i++)
            for (int32_t z = changed[i].z0; z < changed[i].z1; z++)
                firn_snowfield_read(&f, (firn_cells){changed[i].x0, z, changed[i].x1, z + 1},
                                    road + z * LONG + changed[i].x0, NULL, NULL);
}

// A ball rolls over more than half a kilometre: only what is near it is unpacked; back at the start it finds
// its track as it was, and so does a program that kept up with the changes.
static void test_a_long_way(void **state) {
    (void)state;
    firn_world *world = open_road(15), *all = open_road(0);
    snowfield_state *s = state_of(world);
    for (int i = 0; i < LONG * WIDE; i++) road[i] = 0.8f;
    size_t most = 0;
    for (int i = 1; i <= 30; i++) {
        roll_to(world, -315 + 21 * i, 0.35);
        roll_to(all, -315 + 21 * i, 0.35);
        keep_road(world);
        if (s->tiles.count > most) most = s->tiles.count;
    }
    size_t packed = s->packed.count, words = s->packed.used;
    print_message("%zu tiles at most, %zu packed in %zu bytes each; %zu without packing\n", most, packed,
                  4 * words / packed, state_of(all)->tiles.count);
    assert_true(most < 40 && packed > 60);
    assert_true(4 * words / packed < 32 * 32 * 8 / 3);
    firn_ledger l = snowfield_ledger_of(world);
    assert_near(l.mass, l.mass_in - l.mass_out, 1e-12 * l.mass);
    roll_to(world, -300, 0);
    roll_to(all, -300, 0);
    assert_ok(firn_world_advance(world, 0.4));
    assert_ok(firn_world_advance(all, 0.4));
    keep_road(world);
    firn_snowfield a, b;
    assert_ok(firn_world_snowfield(world, &a));
    assert_ok(firn_world_snowfield(all, &b));
    static float here[300 * WIDE], there[300 * WIDE], kept[LONG * WIDE];
    firn_snowfield_read(&a, (firn_cells){0, 0, 130, WIDE}, here, NULL, NULL);
    firn_snowfield_read(&b, (firn_cells){0, 0, 130, WIDE}, there, NULL, NULL);
    assert_memory_equal(here, there, 130 * WIDE * sizeof *here);
    assert_true(s->tiles.count < 60);
    firn_snowfield_read(&b, (firn_cells){0, 0, LONG, WIDE}, kept, NULL, NULL);
    assert_memory_equal(road, kept, sizeof kept);
    firn_world_close(world);
    firn_world_close(all);
}

// A restart in the middle, with tiles packed away, gives the same bits as going on.
static void test_restart(void **state) {
    (void)state;
    const char *path = "field-tiles.h5";
    firn_world *world = open_road(15), *again = open_road(15);
    for (int i = 1; i <= 4; i++) roll_to(world, -315 + 21 * i, 0.4);
    assert_true(state_of(world)->packed.count > 0);
    assert_ok(cache_write(path, world, 7, CACHE_CHECKPOINT, false));
    assert_ok(cache_read(path, again, 7, CACHE_CHECKPOINT));
    remove(path);
    assert_int_equal(firn_world_hash(world), firn_world_hash(again));
    for (int k = 0; k < 2; k++) {
        firn_world *w = k ? again : world;
        roll_to(w, -310, 0);
        roll_to(w, -300, 0.3);
    }
    assert_int_equal(firn_world_hash(world), firn_world_hash(again));
    firn_world_close(world);
    firn_world_close(again);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_packing_is_lossless),
                                       cmocka_unit_test(test_mass_of_any_area),
                                       cmocka_unit_test(test_untouched_tiles_go),
                                       cmocka_unit_test(test_corners_of_a_body_keep_their_covers),
                                       cmocka_unit_test(test_a_long_way),
                                       cmocka_unit_test(test_restart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
