// Spheres drawn by our own code, against a plain reference; and the smoothing of edges.
// firn-test: threaded
#include "support.h"

#include "base/memory.h"
#include "draw/fixture.h"
#include "draw/smooth.h"
#include "draw/splat.h"

enum { WIDTH = 160, HEIGHT = 90, COUNT = 600 };

static const splat_view view = {.origin = {0, 0, 0},
                                .right = {1, 0, 0},
                                .up = {0, 1, 0},
                                .forward = {0, 0, -1},
                                .scale = 120,
                                .nearest = 0.1f,
                                .largest = INFINITY,
                                .width = WIDTH,
                                .height = HEIGHT};

static void scatter(float (*at)[3], size_t count, uint64_t seed) {
    for (size_t i = 0; i < count; i++) {
        random4 r = random_bits(seed, i, 0, 0);
        at[i][0] = 4 * random_unit(r, 0) - 2;
        at[i][1] = 3 * random_unit(r, 1) - 1.5f;
        at[i][2] = -1 - 4 * random_unit(r, 2);
    }
}

// For each pixel, all spheres, in double.
static uint32_t nearest_sphere(const float (*at)[3], size_t count, double radius, int x, int y,
                               double *depth) {
    uint32_t found = UINT32_MAX;
    *depth = INFINITY;
    for (size_t i = 0; i < count; i++) {
        double w = -at[i][2], scale = 120 / w, r = radius * scale;
        double dx = (x + 0.5 - (WIDTH / 2.0 + at[i][0] * scale)) / r,
               dy = (y + 0.5 - (HEIGHT / 2.0 + at[i][1] * scale)) / r;
        if (dx * dx + dy * dy > 1) continue;
        double z = w - radius * sqrt(1 - dx * dx - dy * dy);
        if (z >= *depth) continue;
        *depth = z;
        found = (uint32_t)i;
    }
    return found;
}

static void test_the_nearest_sphere_is_seen(void **state) {
    (void)state;
    static float at[COUNT][3];
    scatter(at, COUNT, 11);
    draw_list list = draw_list_default();
    assert_ok(draw_list_points(&list,
                               (draw_points){at, COUNT, 0.06f, {1, 1, 1}, NULL, 0, 1, false, NULL, NULL, 0}));
    splat_picture p = {0};
    assert_ok(splat_draw(&p, &view, &list, true));
    size_t covered = 0, wrong = 0;
    for (int y = p.area.y0; y < p.area.y1; y++)
        for (int x = p.area.x0; x < p.area.x1; x++) {
            double depth;
            uint32_t expected = nearest_sphere((const float(*)[3])at, COUNT, 0.06f, x, y, &depth),
                     got = p.point[y * WIDTH + x];
            covered += expected != UINT32_MAX;
            wrong += expected != got; // at a rim float and double may differ
            if (expected == got && got != UINT32_MAX) assert_near(p.depth[y * WIDTH + x], depth, 1e-3);
        }
    assert_true(covered > 1500);
    assert_true(wrong < covered / 200);
    splat_free(&p);
    draw_list_free(&list);
}

static void test_threads_do_not_change_splats(void **state) {
    (void)state;
    enum { MANY = 30000 };
    float(*at)[3] = mem_alloc(MANY * sizeof *at), *value = mem_alloc(MANY * sizeof *value);
    scatter(at, MANY, 12);
    for (size_t i = 0; i < MANY; i++) value[i] = at[i][1];
    draw_list list = draw_list_default();
    assert_ok(draw_list_points(
        &list, (draw_points){
                   (const float(*)[3])at, MANY / 2, 0.02f, {1, 1, 1}, value, -1, 1, false, NULL, NULL, 0}));
    assert_ok(draw_list_points(
        &list,
        (draw_points){
            (const float(*)[3])at + MANY / 2, MANY / 2, 0.01f, {1, 0, 0}, NULL, 0, 1, false, NULL, NULL, 0}));
    splat_picture first = {0}, p = {0};
    firn_set_threads(1);
    assert_ok(splat_draw(&first, &view, &list, true));
    for (int threads = 2; threads <= 8; threads += 3) {
        firn_set_threads(threads);
        assert_ok(splat_draw(&p, &view, &list, true));
        assert_memory_equal(&p.area, &first.area, sizeof p.area);
        for (int y = p.area.y0; y < p.area.y1; y++) {
            size_t from = (size_t)(y * WIDTH + p.area.x0), n = (size_t)(p.area.x1 - p.area.x0);
            assert_memory_equal(p.depth + from, first.depth + from, n * sizeof *p.depth);
            assert_memory_equal(p.point + from, first.point + from, n * sizeof *p.point);
        }
    }
    firn_set_threads(0);
    splat_free(&first);
    splat_free(&p);
    draw_list_free(&list);
    mem_free(at);
    mem_free(value);
}

static void test_strange_points_are_left_out(void **state) {
    (void)state;
    static const float at[][3] = {{NAN, 0, -2},        {0, INFINITY, -2}, {0, 0, -INFINITY}, {0, 0, 2},
                                  {0, 0, 0},           {1e30f, 0, -2},    {0, 0, -1e35f},    {0.2f, 0.1f, -2},
                                  {-1e20f, 0, -1e20f}, {0, 0, -1e-30f}};
    draw_list list = draw_list_default();
    assert_ok(draw_list_points(
        &list,
        (draw_points){at, sizeof at / sizeof *at, 1e-6f, {1, 1, 1}, NULL, 0, 1, false, NULL, NULL, 0}));
    splat_picture p = {0};
    assert_ok(splat_draw(&p, &view, &list, true));
    size_t seen = 0;
    for (int y = p.area.y0; y < p.area.y1; y++)
        for (int x = p.area.x0; x < p.area.x1; x++)
            if (p.point[y * WIDTH + x] != UINT32_MAX) {
                seen += p.point[y * WIDTH + x] == 7;
                assert_true(p.point[y * WIDTH + x] == 7 || p.point[y * WIDTH + x] == 8);
            }
    assert_int_equal(seen, 1); // smaller than a pixel, and yet one pixel
    draw_list_clear(&list);
    assert_ok(splat_draw(&p, &view, &list, true));
    assert_true(p.area.x0 >= p.area.x1);
    splat_free(&p);
    draw_list_free(&list);
}

static void test_splats_survive_failing_memory(void **state) {
    (void)state;
    static float at[COUNT][3];
    scatter(at, COUNT, 11);
    draw_list list = draw_list_default();
    assert_ok(draw_list_points(&list,
                               (draw_points){at, COUNT, 0.06f, {1, 1, 1}, NULL, 0, 1, false, NULL, NULL, 0}));
    size_t before = mem_in_use();
    for (size_t n = 1; n < 20; n++) {
        failing_allocator f;
        fail_allocation(&f, n);
        splat_picture p = {0};
        firn_status status = splat_draw(&p, &view, &list, true);
        if (f.calls < n)
            assert_ok(status);
        else {
            assert_int_equal(status, FIRN_NO_MEMORY);
            assert_ok(splat_draw(&p, &view, &list, true)); // and goes on when there is memory again
        }
        splat_free(&p);
        assert_int_equal(mem_in_use(), before);
    }
    firn_set_allocator(NULL);
    draw_list_free(&list);
}

// A slanted edge: how far the picture is from the true share of each pixel.
static double edge_error(const canvas *c, double slope) {
    double sum = 0;
    for (int y = 2; y < c->height - 2; y++)
        for (int x = 2; x < c->width - 2; x++) {
            double cover = 0;
            for (int s = 0; s < 16; s++)
                cover += x + (s % 4 + 0.5) / 4 > 20 + slope * (y + (s / 4 + 0.5) / 4) ? 1.0 / 16 : 0;
            sum += fabs(c->rgba[4 * (y * c->width + x)] - 255 * cover);
        }
    return sum;
}

static void test_smoothing_takes_stairs_away(void **state) {
    (void)state;
    canvas from, to, plain;
    const draw_color black = {0, 0, 0, 255};
    assert_ok(canvas_create(80, 80, black, &from));
    assert_ok(canvas_create(80, 80, black, &to));
    assert_ok(canvas_create(80, 80, black, &plain));
    for (double slope = -0.45; slope < 0.5; slope += 0.1) {
        for (int i = 0; i < 80 * 80; i++) {
            uint8_t v = i % 80 + 0.5 > 20 + slope * (i / 80 + 0.5) ? 255 : 0;
            memset(from.rgba + 4 * i, v, 4);
        }
        smooth_edges(&from, &to);
        smooth_none(&from, &plain);
        assert_true(edge_error(&to, slope) < 0.55 * edge_error(&plain, slope));
        for (int i = 0; i < 80 * 80; i++) assert_int_equal(to.rgba[4 * i + 3], 255);
    }
    memset(from.rgba, 77, 80 * 80 * 4); // nothing to smooth
    smooth_edges(&from, &to);
    for (int i = 0; i < 80 * 80; i++) assert_int_equal(to.rgba[4 * i], 77);
    canvas_free(&from);
    canvas_free(&to);
    canvas_free(&plain);
}

// Equal steps of the value are equal steps of lightness, and both halves of the third map mirror each other.
static void test_other_colour_maps_are_even(void **state) {
    (void)state;
    float c[3], d[3];
    double last = 0;
    for (int i = 0; i <= 100; i++) {
        draw_color_map(DRAW_COLORS_GRAY, (float)i / 100, c);
        double lightness = cbrt((double)c[1]);
        assert_true(fabsf(c[0] - c[1]) < 1e-3f && fabsf(c[2] - c[1]) < 1e-3f);
        if (i > 0) assert_near(lightness - last, 0.0075, 2e-4);
        last = lightness;
    }
    for (int i = 0; i <= 50; i++) {
        draw_color_map(DRAW_COLORS_DIVERGING, (float)i / 100, c);
        draw_color_map(DRAW_COLORS_DIVERGING, 1 - (float)i / 100, d);
        for (int k = 0; k < 3; k++) assert_true(c[k] >= 0 && c[k] <= 1 && d[k] >= 0 && d[k] <= 1);
        if (i < 45) assert_true(c[2] > c[0] && d[0] > d[2]);
        if (i == 50) assert_true(c[0] > 0.7f && c[2] > 0.7f);
    }
}

static void test_colours_grow_lighter(void **state) {
    (void)state;
    double last = -1;
    for (int i = 0; i <= 255; i++) {
        float c[3];
        draw_color_map(DRAW_COLORS_SEQUENTIAL, (float)i / 255, c);
        for (int k = 0; k < 3; k++) assert_true(c[k] >= 0 && c[k] <= 1);
        double y = cbrt(0.2126 * (double)c[0] + 0.7152 * (double)c[1] + 0.0722 * (double)c[2]);
        assert_true(y > last - 1e-3);
        last = y;
    }
    assert_true(last > 0.8);
    float c[3], d[3];
    draw_color_map(DRAW_COLORS_SEQUENTIAL, NAN, c);
    draw_color_map(DRAW_COLORS_SEQUENTIAL, 0, d);
    assert_memory_equal(c, d, sizeof c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_nearest_sphere_is_seen),
        cmocka_unit_test(test_other_colour_maps_are_even),
        cmocka_unit_test(test_threads_do_not_change_splats),
        cmocka_unit_test(test_strange_points_are_left_out),
        cmocka_unit_test(test_splats_survive_failing_memory),
        cmocka_unit_test(test_smoothing_takes_stairs_away),
        cmocka_unit_test(test_colours_grow_lighter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
