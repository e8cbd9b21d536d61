// Flakes as soft sprites: size, opacity, streaks, what hides them.
#include <firn/base.h>

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "draw/sprites.h"
#include "support.h"

enum { WIDE = 200, HIGH = 100 };

// WIND12 eq. 8.2 at 0, 1 and 10 m by hand; far away nothing but perspective is left.
static void test_size_and_opacity(void **state) {
    (void)state;
    assert_near(sprite_size(10), 10 * sqrt(0.06 / (0.96 + 1.9 + 6)), 1e-6);
    assert_near(sprite_size(1e4f), 1, 2e-4);
    assert_true(sprite_size(1e-3f) < 3e-4f);
    assert_near(sprite_opacity(0), 1, 0);
    assert_near(sprite_opacity(6), 1, 0);
    assert_near(sprite_opacity(26), 0.5, 1e-6); // 1 / sqrt(0.1 + 0.15 * 26)
}

typedef struct shot {
    draw_list list;
    canvas picture;
    float depth[WIDE * HIGH];
    float at[1][3], velocity[1][3];
} shot;

static void prepare(shot *s, float wall) {
    memset(s, 0, sizeof *s);
    s->list = draw_list_default();
    draw_list_camera(&s->list, (draw_camera){{0, 0, 10}, {0, 0, 0}, 1});
    assert_int_equal(canvas_create(WIDE, HIGH, (draw_color){50, 50, 50, 255}, &s->picture), FIRN_OK);
    for (int i = 0; i < WIDE * HIGH; i++) s->depth[i] = wall;
}

// Draws one flake at the origin, 10 m away: 20 px to the metre.
static void draw_as(shot *s, float shutter, draw_flake shape, bool wet) {
    sprites work = {0};
    sprite_scene scene = {
        .depth = s->depth, .stride = WIDE, .wide = WIDE, .high = HIGH, .nearest = 0.1f, .white = {1, 1, 1}};
    draw_sprites item = {.at = (const float(*)[3])s->at,
                         .velocity = (const float(*)[3])s->velocity,
                         .count = 1,
                         .radius = 0.3f,
                         .shutter = shutter,
                         .shape = shape,
                         .wet = wet};
    assert_int_equal(draw_list_sprites(&s->list, item), FIRN_OK);
    assert_int_equal(sprites_draw(&work, &s->list, &scene, &s->picture), FIRN_OK);
    sprites_free(&work);
}

static void draw(shot *s, float shutter) { draw_as(s, shutter, DRAW_FLAKE_SPOT, false); }

static int light(const shot *s, int x, int y) { return s->picture.rgba[4 * (y * WIDE + x)] - 50; }

// Pixels that were touched: middle and spread along x and y.
static void measure(const shot *s, double middle[2], double spread[2], double *sum) {
    double first[2] = {0}, second[2] = {0};
    *sum = 0;
    for (int y = 0; y < HIGH; y++)
        for (int x = 0; x < WIDE; x++) {
            const double at[2] = {x + 0.5, y + 0.5};
            *sum += light(s, x, y);
            for (int k = 0; k < 2; k++) {
                first[k] += light(s, x, y) * at[k];
                second[k] += light(s, x, y) * at[k] * at[k];
            }
        }
    for (int k = 0; k < 2 && *sum > 0; k++) {
        middle[k] = first[k] / *sum;
        spread[k] = second[k] / *sum - middle[k] * middle[k];
    }
}

static void finish(shot *s) {
    canvas_free(&s->picture);
    draw_list_free(&s->list);
}

static void test_a_spot(void **state) {
    (void)state;
    static shot s;
    double middle[2], spread[2], sum;
    prepare(&s, 100);
    draw(&s, 0.1f);
    measure(&s, middle, spread, &sum);
    assert_near(middle[0], WIDE / 2, 0.05);
    assert_near(middle[1], HIGH / 2, 0.05);
    assert_near(spread[0], spread[1], 0.05);
    // Opacity 0.79 at 10 m, and soft: less and less towards the rim, nothing beyond.
    assert_near(light(&s, WIDE / 2, HIGH / 2), 205 * sprite_opacity(10), 12);
    for (int x = 0; x < 8; x++)
        assert_true(light(&s, WIDE / 2 + x, HIGH / 2) >= light(&s, WIDE / 2 + x + 1, HIGH / 2));
    assert_int_equal(light(&s, WIDE / 2 + 7, HIGH / 2), 0); // 6 px * 0.82
    finish(&s);
}

// Crystals that are large enough have a shape: needles are long, stars have six arms, plates are full; wet
// flakes let more through.
static void test_shapes(void **state) {
    (void)state;
    static shot s;
    double middle[2], spread[2], sum[5], wet;
    for (draw_flake shape = DRAW_FLAKE_SPOT; shape <= DRAW_FLAKE_NEEDLE; shape++) {
        prepare(&s, 100);
        s.at[0][2] = 7; // 3 m away
        draw_as(&s, 0, shape, false);
        measure(&s, middle, spread, &sum[shape]);
        assert_true(sum[shape] > 0);
        if (shape == DRAW_FLAKE_NEEDLE) assert_true(spread[0] > 8 * spread[1]);
        if (shape == DRAW_FLAKE_PLATE || shape == DRAW_FLAKE_STAR)
            assert_near(spread[0], spread[1], 0.1 * spread[1]);
        int arms = 0, before = 0;
        for (int n = 0; n <= 360; n++) { // around, near the tips
            double a = n * 3.14159265 / 180, r = 0.9 * 0.3 * WIDE / 3 * (double)sprite_size(3);
            int now = light(&s, (int)(WIDE / 2 + r * cos(a)), (int)(HIGH / 2 + r * sin(a))) > 60;
            arms += n > 0 && now && !before;
            before = now;
        }
        if (shape == DRAW_FLAKE_STAR) assert_int_equal(arms, 6);
        finish(&s);
    }
    assert_true(sum[DRAW_FLAKE_PLATE] > 1.2 * sum[DRAW_FLAKE_STAR]);
    prepare(&s, 100);
    s.at[0][2] = 7;
    draw_as(&s, 0, DRAW_FLAKE_CLUMP, true);
    measure(&s, middle, spread, &wet);
    assert_true(wet < 0.7 * sum[DRAW_FLAKE_CLUMP]);
    finish(&s);
}

// 20 m/s to the right for 0.1 s are 40 px: the streak ends where the flake is. A camera that moves left along
// with a flake that stands gives the same; one that moves with the flake sees a spot.
static void test_streaks(void **state) {
    (void)state;
    static shot s;
    double middle[2], spread[2], sum, spot;
    prepare(&s, 100);
    draw(&s, 0);
    measure(&s, middle, spread, &sum);
    spot = spread[0];
    finish(&s);
    for (int way = 0; way < 3; way++) {
        prepare(&s, 100);
        if (way != 1) s.velocity[0][0] = 20;
        if (way > 0) { // the camera's own way during the exposure
            float moved = way == 1 ? -2 : 2;
            s.list.before.from[0] -= moved;
            s.list.before.to[0] -= moved;
        }
        draw(&s, 0.1f);
        measure(&s, middle, spread, &sum);
        bool streak = way < 2;
        assert_near(middle[0], WIDE / 2 - (streak ? 20 : 0), 0.1);
        assert_near(middle[1], HIGH / 2, 0.1);
        if (streak) // as even lines of 40 px and, with both ends, 50 px
            assert_true(spread[0] > 40 * 40 / 12.0 && spread[0] < 50 * 50 / 12.0);
        else
            assert_near(spread[0], spot, 0.01);
        assert_near(spread[1], spot, 1);
        finish(&s);
    }
}

static void test_what_hides_it(void **state) {
    (void)state;
    static shot s;
    double middle[2], spread[2], sum, whole = 0;
    for (int i = 0; i < 3; i++) {
        prepare(&s, i == 0 ? 100 : i == 1 ? 10 : 9); // far behind, in the midst, before
        draw(&s, 0);
        measure(&s, middle, spread, &sum);
        if (i == 0) whole = sum;
        if (i == 1) assert_near(sum / whole, 0.5, 0.02);
        if (i == 2) assert_near(sum, 0, 0);
        finish(&s);
    }
    prepare(&s, 100);
    s.at[0][2] = 11; // behind the camera
    draw(&s, 0);
    measure(&s, middle, spread, &sum);
    assert_near(sum, 0, 0);
    finish(&s);
    prepare(&s, 100);
    s.at[0][1] = NAN;
    draw(&s, 0);
    measure(&s, middle, spread, &sum);
    assert_near(sum, 0, 0);
    finish(&s);
}

// A crystal that moves by more than its size while the shutter is open is the streak of a spot, without the
// hard edges of its shape.
static void test_fast_crystals_are_soft(void **state) {
    (void)state;
    static shot spot, crystal;
    for (int shape = DRAW_FLAKE_CLUMP; shape <= DRAW_FLAKE_NEEDLE; shape++) {
        prepare(&spot, 1e3f);
        prepare(&crystal, 1e3f);
        spot.velocity[0][0] = crystal.velocity[0][0] = 20;
        draw_as(&spot, 0.05f, DRAW_FLAKE_SPOT, false);
        draw_as(&crystal, 0.05f, (draw_flake)shape, false);
        assert_memory_equal(spot.picture.rgba, crystal.picture.rgba, 4 * WIDE * HIGH);
        finish(&spot);
        finish(&crystal);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_size_and_opacity), cmocka_unit_test(test_a_spot),
        cmocka_unit_test(test_shapes),           cmocka_unit_test(test_streaks),
        cmocka_unit_test(test_what_hides_it),    cmocka_unit_test(test_fast_crystals_are_soft)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
