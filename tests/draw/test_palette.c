// Pictures in 256 colours: few colours stay as they are, many are met in the mean.
#include "support.h"

#include <math.h>

#include "draw/painting.h"
#include "draw/palette.h"

enum { WIDTH = 128, HEIGHT = 96 };

static uint8_t indices[HEIGHT][WIDTH];
static uint32_t colors[PALETTE_COLORS];

static void apply(const canvas *c) {
    palette *p;
    assert_ok(palette_create(&p));
    palette_apply(p, c, colors, indices[0], WIDTH);
    palette_free(p);
}

static int channel(int x, int y, int k) { return (int)(colors[indices[y][x]] >> (16 - 8 * k) & 255); }

static void test_few_colours_are_kept(void **state) {
    (void)state;
    static const draw_color painted[] = {{0, 0, 0, 255}, {255, 255, 255, 255}, {220, 20, 20, 255}};
    canvas c;
    assert_ok(canvas_create(WIDTH, HEIGHT, painted[0], &c));
    canvas_fill(&c, 40, 0, 40, HEIGHT, painted[1]);
    canvas_fill(&c, 80, 0, 1, 1, painted[2]); // a single pixel
    apply(&c);
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            draw_color want = x == 80 && y == 0 ? painted[2] : painted[x >= 40 && x < 80];
            assert_near(channel(x, y, 0), want.r, 3);
            assert_near(channel(x, y, 1), want.g, 3);
            assert_near(channel(x, y, 2), want.b, 3);
        }
    for (int i = 0; i < PALETTE_COLORS; i++) assert_int_equal(colors[i] >> 24, 255);
    canvas_free(&c);
}

// Snow: all shades from blue-grey to white, with some of every other colour.
static void test_many_colours_are_met_in_the_mean(void **state) {
    (void)state;
    canvas c;
    assert_ok(canvas_create(WIDTH, HEIGHT, (draw_color){0, 0, 0, 255}, &c));
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            uint8_t *p = c.rgba + 4 * (y * WIDTH + x);
            bool body = x < 32 && y < 32;
            p[0] = (uint8_t)(body ? 8 * x : 90 + x);
            p[1] = (uint8_t)(body ? 8 * y : 100 + x);
            p[2] = (uint8_t)(body ? 255 - 4 * (x + y) : 140 + y);
        }
    apply(&c);
    double pixel = 0, block = 0;
    for (int y = 0; y < HEIGHT; y += 8)
        for (int x = 0; x < WIDTH; x += 8)
            for (int k = 0; k < 3; k++) {
                double sum = 0;
                for (int i = 0; i < 64; i++) {
                    int px = x + i % 8, py = y + i / 8;
                    double d = channel(px, py, k) - c.rgba[4 * (py * WIDTH + px) + k];
                    pixel += fabs(d) / (WIDTH * HEIGHT * 3);
                    sum += d;
                }
                block += fabs(sum / 64) / (WIDTH * HEIGHT * 3 / 64);
            }
    print_message("pixels are off by %.2f of 255, blocks of 8 x 8 by %.2f\n", pixel, block);
    assert_true(pixel < 5);
    assert_true(block < 1.5);
    canvas_free(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_colours_are_kept),
        cmocka_unit_test(test_many_colours_are_met_in_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
