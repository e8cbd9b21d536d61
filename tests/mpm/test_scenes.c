// Every scene of scenes/mpm at reduced size: nothing is lost, nothing ends inside a body, and the scene shows
// what its name says. firn-test: slow
#include "mpm/scenes.h"

#define DEG (M_PI / 180)

typedef struct piece {
    firn_vec3 at, v; // means over a piece of snow
    size_t count;
} piece;

// A piece by its place in the scene.
static piece piece_of(const scene_run *run, uint32_t snow) {
    size_t count;
    const double *x = snow_positions(run->world, &count);
    const float *v = scene_field(run, "mpm.velocity", NULL);
    const uint32_t *of = firn_world_field(run->world, "mpm.snow").data;
    double sum[6] = {0};
    piece p = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        if (of[i] != snow) continue;
        for (int a = 0; a < 3; a++) {
            sum[a] += x[3 * i + (size_t)a];
            sum[3 + a] += (double)v[3 * i + (size_t)a];
        }
        p.count++;
    }
    double n = (double)p.count;
    p.at = (firn_vec3){sum[0] / n, sum[1] / n, sum[2] / n};
    p.v = (firn_vec3){sum[3] / n, sum[4] / n, sum[5] / n};
    return p;
}

// Share of the snow for which `where` holds.
typedef bool (*place)(const double *x, const void *context);
static double share_where(const scene_run *run, place where, const void *context) {
    size_t count, in = 0;
    const double *x = snow_positions(run->world, &count);
    for (size_t i = 0; i < count; i++) in += where(x + 3 * i, context);
    return (double)in / (double)count;
}

// Share of the snow that is torn: its plastic volume has grown by a tenth.
static double torn(const scene_run *run) {
    size_t count, in = 0;
    const float *jp = scene_field(run, "mpm.plastic", &count);
    for (size_t i = 0; i < count; i++) in += jp[i] > 1.1f;
    return (double)in / (double)count;
}

static firn_body_state body(const scene_run *run, const char *name) {
    size_t index = firn_world_body_find(run->world, name);
    if (index == SIZE_MAX) fail_msg("%s: there is no body %s", run->name, name);
    return firn_world_body_state(run->world, index);
}

// Displacement down a slope that falls to +x.
static double down(firn_vec3 from, firn_vec3 to, double slope) {
    return (to.x - from.x) * cos(slope) - (to.y - from.y) * sin(slope);
}

static void test_two_snowballs(void **state) {
    (void)state;
    scene_run run = scene_run_open("two-snowballs", "mpm.cell=12cm");
    assert_near(piece_of(&run, 0).v.x, 5, 1e-3);
    scene_advance(&run, 0.3);
    piece left = piece_of(&run, 0), right = piece_of(&run, 1);
    assert_true(left.v.x - right.v.x < 2); // they came with 10 m/s
    assert_near(left.v.x + right.v.x, 0, 0.5);
    assert_true(torn(&run) > 0.05);
    scene_run_close(&run);
}

static void test_snowball_wall(void **state) {
    (void)state;
    scene_run run = scene_run_open("snowball-wall", "mpm.cell=10cm");
    scene_advance(&run, 0.4);
    piece ball = piece_of(&run, 0);
    assert_true(ball.v.x < 2); // 9 m/s before
    assert_true(torn(&run) > 0.1);
    assert_true(ball.at.x < 1.2);
    scene_run_close(&run);
}

static bool in_furrow(const double *x, const void *context) {
    (void)context;
    return fabs(x[0] + 0.4f) < 0.5f && fabs(x[2] + 0.75f) < 0.1f && x[1] > 0.2f;
}
static bool on_bank(const double *x, const void *context) {
    (void)context;
    return x[1] > 0.33f; // the layer is 0.3 m thick
}

static void test_ploughing_spheres(void **state) {
    (void)state;
    scene_run run = scene_run_open("ploughing-spheres", "mpm.cell=12cm");
    double before = share_where(&run, in_furrow, NULL);
    assert_true(before > 0.005 && share_where(&run, on_bank, NULL) == 0);
    scene_advance(&run, 1.7); // the red sphere has passed
    assert_true(share_where(&run, in_furrow, NULL) < 0.3 * before);
    assert_true(share_where(&run, on_bank, NULL) > 0.005);
    scene_run_close(&run);
}

static void test_block_on_incline(void **state) {
    (void)state;
    scene_run run = scene_run_open("block-on-incline", "mpm.cell=8cm");
    const double slope = 35 * DEG, friction = 0.2, settle = 0.2, rest = 0.6;
    assert_near(body(&run, "smooth").mass, 0, 0);
    scene_advance(&run, settle);
    piece slides = piece_of(&run, 0), stays = piece_of(&run, 1);
    double speed = slides.v.x * cos(slope) - slides.v.y * sin(slope);
    scene_advance(&run, rest);
    double expected = speed * rest + 0.5 * 9.81 * (sin(slope) - friction * cos(slope)) * rest * rest;
    assert_near(down(slides.at, piece_of(&run, 0).at, slope), expected, 0.03 * expected);
    assert_near(down(stays.at, piece_of(&run, 1).at, slope), 0, 0.01);
    scene_run_close(&run);
}

static void test_snowman(void **state) {
    (void)state;
    scene_run run = scene_run_open("snowman-hit-by-ball", "mpm.cell=10cm");
    double height = scene_height(&run, 0.98), speed = body(&run, "ball").velocity.x;
    double hat = body(&run, "hat").position.y;
    scene_advance(&run, 0.8);
    assert_true(scene_height(&run, 0.98) < 0.8 * height);
    assert_true(body(&run, "ball").velocity.x < 0.8 * speed);
    assert_true(body(&run, "hat").position.y < hat - 0.3);
    assert_true(piece_of(&run, 0).at.x > 0.05); // pushed away from the ball
    scene_run_close(&run);
}

static void test_roof_slide(void **state) {
    (void)state;
    scene_run run = scene_run_open("roof-slide", "mpm.cell=16cm");
    piece before = piece_of(&run, 0);
    scene_advance(&run, 0.5);
    piece slab = piece_of(&run, 0);
    double slid = hypot(slab.at.z - before.at.z, slab.at.y - before.at.y);
    double slope = atan2(before.at.y - slab.at.y, slab.at.z - before.at.z);
    assert_near(slid, 0.5 * 9.81 * (sin(slope) - 0.25 * cos(slope)) * 0.25, 0.15 * slid);
    scene_advance(&run, 1.1);
    assert_true(piece_of(&run, 0).at.y < 0.7); // on the ground
    scene_run_close(&run);
}

typedef struct near_ball {
    firn_vec3 at;
    double slope;
} near_ball;
static bool picked_up(const double *x, const void *context) {
    const near_ball *ball = context;
    double high = (double)x[0] * sin(ball->slope) + (double)x[1] * cos(ball->slope);
    return high > 0.25 && hypot((double)x[0] - ball->at.x, (double)x[1] - ball->at.y) < 0.7;
}

static void test_rolling_snowball(void **state) {
    (void)state;
    scene_run run = scene_run_open("rolling-snowball", "mpm.cell=10cm");
    const double slope = 25 * DEG;
    piece before = piece_of(&run, 0);
    near_ball ball = {before.at, slope};
    double first = share_where(&run, picked_up, &ball), own = (double)before.count;
    scene_advance(&run, 1.5);
    piece after = piece_of(&run, 0);
    ball.at = after.at;
    assert_true(down(before.at, after.at, slope) > 2);
    size_t count;
    snow_positions(run.world, &count);
    double more = (share_where(&run, picked_up, &ball) - first) * (double)count;
    assert_true(more > 0.1 * own); // grown by a tenth of what it was
    scene_run_close(&run);
}

static bool left_of_boulder(const double *x, const void *context) {
    (void)context;
    return x[0] > -4 && x[2] < -1.6f;
}
static bool right_of_boulder(const double *x, const void *context) {
    (void)context;
    return x[0] > -4 && x[2] > -0.2f;
}

static void test_avalanche(void **state) {
    (void)state;
    scene_run run = scene_run_open("avalanche-hut", "mpm.cell=30cm");
    piece before = piece_of(&run, 0);
    scene_advance(&run, 2.6);
    assert_true(down(before.at, piece_of(&run, 0).at, 32 * DEG) > 5);
    assert_true(share_where(&run, left_of_boulder, NULL) > 0.05);
    assert_true(share_where(&run, right_of_boulder, NULL) > 0.05);
    scene_run_close(&run);
}

// What enters stays or leaves through the plane: 68 %.
static void test_snow_chute(void **state) {
    (void)state;
    scene_run run = scene_run_open("snow-chute", "mpm.cell=13cm");
    scene_advance(&run, 2.8);
    firn_ledger ledger = snow_ledger(run.world);
    assert_true(ledger.mass_in > 150);
    assert_near(ledger.mass_out, 0.68 * ledger.mass_in, 0.07 * ledger.mass_in);
    assert_near(ledger.mass, ledger.mass_in - ledger.mass_out, 1e-6 * ledger.mass_in);
    scene_run_close(&run);
}

// Their velocity profiles are in test_avalanches.c.
static void test_avalanche_regimes(void **state) {
    (void)state;
    static const char *const names[] = {"avalanche-cold-dense", "avalanche-warm-shear", "avalanche-warm-plug",
                                        "avalanche-sliding-slab"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        scene_run run = scene_run_open(names[i], "mpm.cell=16cm");
        piece before = piece_of(&run, 0);
        scene_advance(&run, 0.8);
        assert_true(down(before.at, piece_of(&run, 0).at, 38 * DEG) > 0.1);
        scene_run_close(&run);
    }
}

static void test_hares(void **state) {
    (void)state;
    static const char *const names[] = {"hare-drop",         "hare-drop-stiffer",  "hare-drop-softer",
                                        "hare-drop-lighter", "hare-drop-bursting", "hare-drop-springy",
                                        "hare-drop-crumbly", "hare-drop-brittle",  "hare-drop-dry",
                                        "hare-drop-wet",     "three-hares"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        scene_run run = scene_run_open(names[i], "mpm.cell=25cm");
        scene_advance(&run, 0.3);
        double foot = scene_height(&run, 0);
        if (!(foot >= 0 && foot < run.cell)) fail_msg("%s: its feet are at %g m", names[i], foot);
        scene_run_close(&run);
    }
}

static const firn_mpm_snow_def *hare(const scene *s) { return &s->def.world.mpm->snow.items[0]; }

// Each variant changes what its comment says, and nothing else of the snow.
static void test_variants(void **state) {
    (void)state;
    static const struct {
        const char *name;
        double young, poisson, density, compression, stretch, hardening;
    } variants[] = {
        {"hare-drop", 1e6, 0.25, -1, -1, 0.0075, -1},
        {"hare-drop-stiffer", 5e6, 0.25, -1, -1, 0.0075, -1},
        {"hare-drop-softer", 1.4e5, 0.25, -1, -1, 0.0075, -1},
        {"hare-drop-lighter", 1e6, 0.25, 100, -1, 0.0075, -1},
        {"hare-drop-bursting", 1e6, 0.4, -1, -1, 0.0075, -1},
        {"hare-drop-springy", 1e6, 0.25, -1, 0.029, 0.0075, -1},
        {"hare-drop-crumbly", 1e6, 0.25, -1, -1, 0.002, -1},
        {"hare-drop-brittle", 1e6, 0.25, -1, -1, 0.0075, 20},
        {"hare-drop-dry", 1e6, 0.25, -1, 0.015, 0.003, -1},
        {"hare-drop-wet", 1e6, 0.25, -1, 0.04, 0.012, -1},
    };
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        char path[1024];
        scene *s;
        snprintf(path, sizeof path, "%s/scenes/mpm/%s.yaml", FIRN_SOURCE_DIR, variants[i].name);
        assert_ok(scene_open(path, (firn_overrides){0}, &s));
        const firn_mpm_snow_def *d = hare(s);
        const double is[] =
            {d->young, d->poisson, d->density, d->critical_compression, d->critical_stretch, d->hardening},
                     be[] = {variants[i].young,       variants[i].poisson, variants[i].density,
                             variants[i].compression, variants[i].stretch, variants[i].hardening};
        for (int k = 0; k < 6; k++)
            if (be[k] < 0 ? is[k] >= 0 : fabs(is[k] - be[k]) > 1e-9 * be[k])
                fail_msg("%s: value %d is %g, not %g", variants[i].name, k, is[k], be[k]);
        assert_string_equal(d->type, "packed");
        assert_near(d->velocity.y, -9, 0);
        scene_close(s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_variants),          cmocka_unit_test(test_hares),
        cmocka_unit_test(test_two_snowballs),     cmocka_unit_test(test_snowball_wall),
        cmocka_unit_test(test_ploughing_spheres), cmocka_unit_test(test_block_on_incline),
        cmocka_unit_test(test_snowman),           cmocka_unit_test(test_roof_slide),
        cmocka_unit_test(test_rolling_snowball),  cmocka_unit_test(test_avalanche),
        cmocka_unit_test(test_avalanche_regimes), cmocka_unit_test(test_snow_chute),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
