// The scenes of the snow field at reduced size: each shows what its first lines say.
// firn-test: slow
#include "snowfield/snowfield_world.h"

#include "scene/scene.h"

typedef struct shown {
    scene *scene;
    firn_world *world;
    firn_snowfield f;
    double start; // kg
} shown;

static shown open_scene(const char *name, const char *const *overrides, size_t count) {
    shown s;
    char path[500];
    snprintf(path, sizeof path, "%s/scenes/field/%s.yaml", FIRN_SOURCE_DIR, name);
    assert_ok(scene_open(path, (firn_overrides){overrides, count}, &s.scene));
    assert_ok(firn_world_create(&s.scene->def.world, &s.world));
    s.start = snowfield_ledger_of(s.world).mass;
    return s;
}

static void play(shown *s, double seconds) {
    assert_ok(firn_world_advance(s->world, seconds));
    assert_ok(firn_world_snowfield(s->world, &s->f));
    firn_ledger ledger = snowfield_ledger_of(s->world);
    assert_near(ledger.mass, ledger.mass_in - ledger.mass_out, 1e-9 * ledger.mass);
}

static void close_scene(shown *s) {
    firn_world_close(s->world);
    scene_close(s->scene);
}

static double height(const shown *s, double x, double z) { return firn_snowfield_surface(&s->f, x, z); }

static firn_body_state state_of(const shown *s, const char *body) {
    return firn_world_body_state(s->world, firn_world_body_find(s->world, body));
}

// Lowest or highest place in a rectangle.
static double extreme(const shown *s, double x0, double x1, double z0, double z1, bool high) {
    double found = height(s, x0, z0);
    for (double x = x0; x <= x1; x += s->f.cell)
        for (double z = z0; z <= z1; z += s->f.cell)
            found = high ? fmax(found, height(s, x, z)) : fmin(found, height(s, x, z));
    return found;
}

#define OPEN(name, ...)                                                                                      \
    open_scene(name, (const char *const[]){__VA_ARGS__}, sizeof(const char *[]){__VA_ARGS__} / sizeof(char *))

static void test_ball_drop(void **state) {
    (void)state;
    shown s = OPEN("ball-drop", "field.cell=2cm", "field.bits.most=0");
    play(&s, 1);
    const double rim[4] = {extreme(&s, 0.1, 0.6, -0.1, 0.1, true), extreme(&s, -0.6, -0.1, -0.1, 0.1, true),
                           extreme(&s, -0.1, 0.1, 0.1, 0.6, true), extreme(&s, -0.1, 0.1, -0.6, -0.1, true)};
    for (int k = 0; k < 4; k++) {
        assert_true(rim[k] > 0.32);
        assert_near(rim[k] - 0.3, rim[0] - 0.3, 0.01 * (rim[0] - 0.3)); // even all round
    }
    assert_near(state_of(&s, "ball").position.x, 0, 0.01);
    assert_true(fabs(state_of(&s, "ball").velocity.y) < 0.05);
    close_scene(&s);
}

// It stays in the snow all the way, and pushes a heap before it that is higher than what it leaves behind.
static void test_ball_roll(void **state) {
    (void)state;
    shown s = OPEN("ball-roll", "field.cell=4cm", "field.bits.most=0");
    double highest = 0;
    for (int i = 0; i < 20; i++) {
        play(&s, 0.05);
        if (i >= 5) highest = fmax(highest, state_of(&s, "ball").position.y);
    }
    assert_true(highest < 0.25 + 0.25 - 0.05); // its radius above the snow, less what it is sunk in
    play(&s, 2);
    firn_body_state ball = state_of(&s, "ball");
    double x = ball.position.x;
    assert_true(x > -2 && fabs(ball.position.z) < 0.1 && fabs(ball.velocity.x) < 0.02);
    assert_true(extreme(&s, -2.5, x, -0.1, 0.1, false) < 0.2); // a groove
    double front = extreme(&s, x + 0.15, x + 0.6, -0.1, 0.1, true),
           behind = extreme(&s, x - 0.6, x - 0.2, -0.05, 0.05, true);
    print_message("rim in front %.3f m, behind %.3f m; snow lay %.3f m high\n", front, behind, 0.25);
    assert_true(front > 0.25 + 0.04 && behind < 0.25);
    close_scene(&s);
}

static void test_box_edge(void **state) {
    (void)state;
    shown s = OPEN("box-edge", "field.cell=3cm", "field.bits.most=0");
    play(&s, 0.5);
    firn_quat q = state_of(&s, "box").rotation;
    double early = 2 * atan2(q.z, q.w);
    play(&s, 2.5);
    q = state_of(&s, "box").rotation;
    assert_true(fabs(2 * atan2(q.z, q.w)) < fabs(early)); // from 28 degrees towards flat
    assert_true(fabs(2 * atan2(q.z, q.w)) < 0.25);
    close_scene(&s);
}

// The soles come 8.5 cm into the snow at each tread; some of it slides back behind them, and the middle
// between the feet stays.
static void test_footprints(void **state) {
    (void)state;
    shown s = OPEN("footprints", "field.cell=2.5cm", "max_step=0.02");
    play(&s, 4);
    int prints = 0;
    for (double x = -6.2; x < 0; x += 0.62)
        prints += extreme(&s, x - 0.1, x + 0.1, -0.2, 0.2, false) < 0.2 - 0.06;
    assert_true(prints >= 5);
    assert_near(height(&s, 3, 0), 0.2, 1e-4); // nobody was there yet
    close_scene(&s);
}

static void test_snow_plough(void **state) {
    (void)state;
    shown s = OPEN("snow-plough", "field.cell=8cm", "field.bits.most=0", "max_step=0.02");
    play(&s, 4);
    double at = state_of(&s, "plough").position.x;
    assert_true(extreme(&s, -3, at - 2.5, -0.3, 0.3, false) < 0.1); // the lane
    double left = extreme(&s, -3, at - 2.5, -2, -0.5, true), right = extreme(&s, -3, at - 2.5, 0.5, 2, true);
    print_message("wall beside the lane: %.3f and %.3f m\n", left, right);
    assert_true(fmax(left, right) > 0.24); // the wall beside it
    close_scene(&s);
}

static void test_sledge_and_boot(void **state) {
    (void)state;
    shown s = OPEN("sledge-and-boot", "field.cell=3cm", "field.bits.most=0");
    play(&s, 2);
    firn_body_state sledge = state_of(&s, "sledge"), boot = state_of(&s, "boot");
    assert_true(sledge.position.x > -1);                     // it glides
    assert_true(boot.position.y < 0.2 - 0.02);               // its sole is in the snow
    assert_true(sledge.position.y > boot.position.y + 0.02); // deeper than the runners
    assert_true(sledge.mass > 0.5 * boot.mass && sledge.mass < 3 * boot.mass);
    close_scene(&s);
}

static void test_tyre_tracks(void **state) {
    (void)state;
    shown s = OPEN("tyre-tracks", "field.cell=2.5cm", "max_step=0.02", "field.bits.most=0");
    play(&s, 2);
    // The lugs are stamped into the rut: its bottom goes up and down.
    double deepest = 1, shallowest = 0;
    for (double x = -2; x < -1; x += 0.02) {
        deepest = fmin(deepest, height(&s, x, 0.55));
        shallowest = fmax(shallowest, height(&s, x, 0.55));
    }
    assert_true(shallowest < 0.1 && shallowest - deepest > 0.004);
    close_scene(&s);
}

// Fine lugs in fresh snow: groups of cells that do not move lie beside those that do, in all ways.
static void test_fine_tyre_tracks(void **state) {
    (void)state;
    shown s = OPEN("tyre-tracks", "duration=1");
    play(&s, 0.35);
    close_scene(&s);
}

static void test_sand_dune(void **state) {
    (void)state;
    shown s = OPEN("sand-dune", "field.cell=10cm", "max_step=0.02", "field.bits.most=0");
    play(&s, 4);
    assert_true(extreme(&s, -2, 2, -1.5, 1.5, true) > 0.6);
    close_scene(&s);
}

static void test_refilling(void **state) {
    (void)state;
    shown s = OPEN("refilling-tracks", "field.cell=4cm", "field.bits.most=0");
    play(&s, 1.5);
    double plain = height(&s, -2, 1.8), groove = extreme(&s, -1.5, -0.5, -0.05, 0.05, false);
    assert_true(groove < plain - 0.04);
    play(&s, 6);
    double later = height(&s, -2, 1.8), filled = extreme(&s, -1.5, -0.5, -0.05, 0.05, false);
    assert_true(later > plain + 0.02);                    // it snowed
    assert_true(filled > groove + (later - plain) * 0.9); // as much fell into the groove, or slid into it
    close_scene(&s);
}

// Only where something happens there are tiles.
static void test_thousand_balls(void **state) {
    (void)state;
    shown s = OPEN("thousand-balls", "field.bits.most=0", "max_step=0.02");
    play(&s, 0.1);
    assert_int_equal(firn_world_body_count(s.world), 1001);
    assert_int_equal(s.f.nx, 4096);
    assert_true(s.f.tiles < 3000);
    close_scene(&s);
}

static void test_heap(void **state) {
    (void)state;
    shown s = OPEN("heap", "field.cell=4cm");
    play(&s, 2);
    assert_true(height(&s, 0, 0) > 0.25);
    close_scene(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball_drop),      cmocka_unit_test(test_ball_roll),
        cmocka_unit_test(test_box_edge),       cmocka_unit_test(test_footprints),
        cmocka_unit_test(test_snow_plough),    cmocka_unit_test(test_sledge_and_boot),
        cmocka_unit_test(test_tyre_tracks),    cmocka_unit_test(test_fine_tyre_tracks),
        cmocka_unit_test(test_sand_dune),      cmocka_unit_test(test_refilling),
        cmocka_unit_test(test_thousand_balls), cmocka_unit_test(test_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
