// The snow field inside a game: bodies that the caller leads, forces back, changed rectangles, a budget, no
// allocation once warm; and the example of the docs.
#define main game_main
#include "docs/examples/game_field.c"
#undef main

#include "snowfield/snowfield_inside.h"
#include "snowfield/snowfield_world.h"

static firn_world *open_walk(double budget) {
    snowfield_world w;
    snowfield_setup(&w, 200);
    w.field.depth = 0.2;
    w.body[0] = firn_body_def_default();
    w.body[0].name = "foot";
    w.body[0].shape.kind = FIRN_SHAPE_BOX;
    w.body[0].shape.size = (firn_vec3){0.28, 0.1, 0.1};
    w.body[0].motion.kind = FIRN_MOTION_KINEMATIC;
    w.body[0].at = (firn_vec3){-1, 0.6, 0};
    w.body[1] = firn_body_def_default();
    w.body[1].name = "ball";
    w.body[1].shape.kind = FIRN_SHAPE_SPHERE;
    w.body[1].shape.radius = 0.15;
    w.body[1].motion.kind = FIRN_MOTION_DYNAMIC;
    w.body[1].at = (firn_vec3){0.5, 0.5, 0.8};
    w.world.bodies.count = 2;
    firn_world *world = snowfield_open(&w);
    assert_ok(firn_world_set_budget(world, budget));
    return world;
}

// To and fro along the same way, in and out of the snow.
static void walk(firn_world *world, int frames, void (*each)(firn_world *world)) {
    for (int i = 1; i <= frames; i++) {
        double t = i / 60.0;
        firn_vec3 at = {-cos(t * 3.1415926), 0.2 + 0.12 * cos(t * 12.566), 0};
        assert_ok(firn_world_body_set_target(world, 0, at, (firn_quat){1, 0, 0, 0}, 1.0 / 60));
        assert_ok(firn_world_advance(world, 1.0 / 60));
        if (each) each(world);
    }
}

static void test_example(void **state) {
    (void)state;
    assert_int_equal(game_main(), 0);
}

enum { N = 200 };
static float kept[N * N];
static size_t rectangles;

static void keep_up(firn_world *world) {
    firn_cells changed[3]; // fewer than there are: the rest comes with the next call
    firn_snowfield f;
    size_t count;
    assert_ok(firn_world_snowfield(world, &f));
    assert_int_equal(f.nx, N);
    while ((count = firn_world_snowfield_changes(world, changed, 3)) > 0)
        for (size_t i = 0; i < count; i++, rectangles++)
            for (int32_t z = changed[i].z0; z < changed[i].z1; z++)
                firn_snowfield_read(&f, (firn_cells){changed[i].x0, z, changed[i].x1, z + 1},
                                    kept + z * N + changed[i].x0, NULL, NULL);
    static float all[N * N];
    firn_snowfield_read(&f, (firn_cells){0, 0, N, N}, all, NULL, NULL);
    assert_memory_equal(all, kept, sizeof all);
}

static void test_changes_are_all_changes(void **state) {
    (void)state;
    firn_world *world = open_walk(0);
    walk(world, 20, NULL); // what happened before the first call counts
    firn_snowfield f;
    assert_ok(firn_world_snowfield(world, &f));
    for (int i = 0; i < N * N; i++) kept[i] = (float)(f.plain_ground + f.plain_depth);
    walk(world, 60, keep_up);
    assert_true(rectangles > 60);
    firn_cells none;
    assert_int_equal(firn_world_snowfield_changes(world, &none, 1), 0);
    firn_world_close(world);
}

static void test_no_allocation_once_warm(void **state) {
    (void)state;
    failing_allocator count;
    fail_allocation(&count, 0);
    firn_world *world = open_walk(0);
    walk(world, 240, NULL);
    firn_cells changed[64];
    firn_world_snowfield_changes(world, changed, 64);
    walk(world, 1, NULL);
    size_t before = count.calls;
    for (int i = 0; i < 2; i++) {
        walk(world, 120, NULL);
        firn_world_snowfield_changes(world, changed, 64);
    }
    assert_int_equal(count.calls, before);
    firn_world_close(world);
    firn_set_allocator(NULL);
}

// A plate that is pressed down slowly feels the bearing strength of what is under it: more the deeper it is,
// up to about its area times the pressure; lifted it feels nothing; it never helps the motion.
static void test_forces_come_back(void **state) {
    (void)state;
    firn_world *world = open_walk(0);
    double before = 0;
    for (int i = 0; i <= 12; i++) {
        firn_vec3 at = {-1, 0.25 - 0.01 * i, 0};
        assert_ok(firn_world_body_set_target(world, 0, at, (firn_quat){1, 0, 0, 0}, i ? 0.1 : 0));
        assert_ok(firn_world_advance(world, 0.1));
        double force = firn_world_body_reaction(world, 0).impulse.y / 0.1;
        if (i > 1) assert_true(force > before);
        before = force;
    }
    assert_true(before > 50 && before < 5000); // N; a foot
    assert_ok(firn_world_body_set_target(world, 0, (firn_vec3){-1, 0.5, 0}, (firn_quat){1, 0, 0, 0}, 0.2));
    assert_ok(firn_world_advance(world, 0.2));
    assert_near(firn_world_body_reaction(world, 0).impulse.y, 0, 1e-6);
    assert_ok(firn_world_body_set_target(world, 0, (firn_vec3){-0.9, 0.2, 0}, (firn_quat){1, 0, 0, 0}, 0));
    assert_ok(firn_world_body_set_target(world, 0, (firn_vec3){-0.5, 0.18, 0}, (firn_quat){1, 0, 0, 0}, 0.2));
    assert_ok(firn_world_advance(world, 0.2));
    assert_true(firn_world_body_reaction(world, 0).impulse.x < 0);
    firn_world_close(world);
}

// No time at all: a sweep per step. The snow slides on over the steps and comes to the same rest; mass stays.
static void test_budget(void **state) {
    (void)state;
    double highest[2];
    for (int i = 0; i < 2; i++) {
        snowfield_world w;
        snowfield_setup(&w, 128);
        w.field.pour.items = &w.pour;
        w.field.pour.count = 1;
        w.pour.radius = 0.06;
        w.pour.rate = 200;
        w.pour.end = 0.1;
        firn_world *world = snowfield_open(&w);
        assert_ok(firn_world_set_budget(world, i ? 1e-9 : 0));
        step_field(world, 600);
        firn_snowfield f;
        assert_ok(firn_world_snowfield(world, &f));
        highest[i] = 0;
        for (double x = -1; x < 1; x += 0.02) highest[i] = fmax(highest[i], firn_snowfield_surface(&f, x, 0));
        firn_ledger ledger = snowfield_ledger_of(world);
        assert_near(ledger.mass, ledger.mass_in - ledger.mass_out, 1e-9 * ledger.mass);
        firn_world_close(world);
    }
    assert_near(highest[1] / highest[0], 1, 0.05);
    firn_world *world = open_walk(0);
    assert_int_equal(firn_world_set_budget(world, -1), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_set_budget(world, NAN), FIRN_BAD_INPUT);
    firn_world_close(world);
}

// Far more to do than there is time for: forty balls, a spout, snowfall. A step does a few parcels of work
// and no more, whatever waits; nothing is lost; when there is time again everything comes to rest.
static void test_overload(void **state) {
    (void)state;
    static char names[40][8];
    snowfield_world w;
    snowfield_setup(&w, 400);
    for (int b = 0; b < 40; b++) {
        snprintf(names[b], sizeof names[b], "b%d", b);
        w.body[b] = firn_body_def_default();
        w.body[b].name = names[b];
        w.body[b].shape = (firn_shape_def){.kind = FIRN_SHAPE_SPHERE, .radius = 0.12};
        w.body[b].motion.kind = FIRN_MOTION_DYNAMIC;
        w.body[b].at = (firn_vec3){-3.3 + 0.9 * (b % 8), 0.5, -2.2 + 0.9 * (b / 8)};
        w.body[b].velocity = (firn_vec3){1 - b % 3, -1, 1 - b % 2};
    }
    w.world.bodies.count = 40;
    w.field.pour.items = &w.pour;
    w.field.pour.count = 1;
    w.pour.rate = 300;
    w.pour.end = 0.2;
    w.field.fall.rate = 5e-4;
    firn_world *world = snowfield_open(&w);
    snowfield_state *s = state_of(world);
    assert_ok(firn_world_set_budget(world, 1e-9));
    uint64_t most = 0;
    for (int i = 0; i < 150; i++) {
        uint64_t before = s->work;
        step_field(world, 1);
        if (s->work - before > most) most = s->work - before;
        firn_ledger l = snowfield_ledger_of(world);
        assert_near(l.mass, l.mass_in - l.mass_out, 1e-9 * l.mass);
    }
    print_message("at most %llu parcels of work in a step\n", (unsigned long long)most);
    assert_true(most <= 20);
    assert_ok(firn_world_set_budget(world, 0));
    assert_ok(firn_world_advance(world, 1));
    size_t owed = 0, sunk = 0;
    for (size_t b = 0; b < 40; b++) {
        owed += s->prints[b].owed;
        sunk += firn_world_body_state(world, b).position.y < 0.11; // half a cell below the ground
    }
    assert_int_equal(owed, 0);
    assert_int_equal(sunk, 0);
    assert_int_equal(s->counters[COUNTER_NEXT], s->counters[COUNTER_OWES]);
    firn_world_close(world);
}

// On uneven ground, snow that nobody touched lies as deep as elsewhere: the surface minus the depth is the
// ground.
static void test_uneven_ground(void **state) {
    (void)state;
    snowfield_world w;
    snowfield_setup(&w, 200);
    w.field.depth = 0.1;
    w.body[0] = firn_body_def_default();
    w.body[0].name = "hills";
    w.body[0].shape.kind = FIRN_SHAPE_HILLS;
    w.body[0].shape.size = (firn_vec3){6, 0.4, 6};
    w.field.ground.body = "hills";
    w.world.bodies.count = 1;
    firn_world *world = snowfield_open(&w);
    firn_snowfield f;
    assert_ok(firn_world_snowfield(world, &f));
    assert_false(f.even);
    static float surface[N * N], thick[N * N];
    firn_snowfield_read(&f, (firn_cells){0, 0, N, N}, surface, thick, NULL);
    float low = surface[0], high = surface[0];
    size_t plain = 0;
    for (int i = 0; i < N * N; i += 7) {
        low = fminf(low, surface[i]);
        high = fmaxf(high, surface[i]);
        if (f.tile[(i / N / f.edge) * f.columns + i % N / f.edge] >= 0) continue;
        float at[3] = {(float)(f.x0 + (i % N + 0.5) * f.cell), surface[i] - thick[i],
                       (float)(f.z0 + (i / N + 0.5) * f.cell)},
              off;
        assert_ok(firn_world_body_query(world, 0, 1, at, &off, NULL, NULL));
        assert_near(off, 0, 5e-3);
        assert_near(thick[i], 0.1, 1e-4);
        plain++;
    }
    assert_true(plain > 100 && high > low + 0.1f);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_changes_are_all_changes),
        cmocka_unit_test(test_no_allocation_once_warm),
        cmocka_unit_test(test_forces_come_back),
        cmocka_unit_test(test_budget),
        cmocka_unit_test(test_overload),
        cmocka_unit_test(test_uneven_ground),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
