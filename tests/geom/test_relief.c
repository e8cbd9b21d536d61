// Noise of snow's relief: its spectrum, its slope, its bounds.
#include "geom/relief.h"

#include <math.h>

#include "support.h"

// Power of a line of samples at a number of waves over it.
static double power(const float *value, int count, int waves) {
    double a = 0, b = 0;
    for (int i = 0; i < count; i++) {
        a += (double)value[i] * cos(2 * M_PI * waves * i / count);
        b += (double)value[i] * sin(2 * M_PI * waves * i / count);
    }
    return (a * a + b * b) / count / count;
}

// Power of clods over many lines of 8 sizes, in a band of waves for each size.
static double band(float size, float rough, double from, double to) {
    enum { N = 512, LINES = 24, SIZES = 8 };
    double sum = 0;
    for (int line = 0; line < LINES; line++) {
        float value[N], slope[3];
        for (int i = 0; i < N; i++) {
            const float at[3] = {size * SIZES * (float)i / N, 3.7f * (float)line * size,
                                 1.3f * (float)line * size};
            value[i] = relief_clods(at, size, rough, slope);
        }
        for (int w = (int)(from * SIZES); w < (int)(to * SIZES); w++) sum += power(value, N, w);
    }
    return sum / LINES;
}

// Most of the relief is as large as asked for, a part of it finer, and nothing much finer than the mesh can
// show.
static void test_the_spectrum_is_as_asked(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        float size = i ? 0.05f : 1;
        double broad = band(size, 1, 0.125, 1), fine = band(size, 1, 1, 3), finest = band(size, 1, 5, 30);
        print_message("broad %.2e, fine %.2e, finest %.2e\n", broad, fine, finest);
        assert_true(fine > 0.05 * broad && fine < 2 * broad);
        assert_true(finest < 0.02 * (broad + fine));
        double all = sqrt(2 * (broad + fine)) / (double)size; // amplitude over size
        assert_true(all > 0.02 && all < 0.2);
        assert_true(fabs(band(size, 0.5f, 0.125, 1) / broad - 0.25) < 0.01); // packed snow is smoother
    }
}

static void test_the_slope_is_that_of_the_height(void **state) {
    (void)state;
    for (int i = 0; i < 200; i++) {
        float at[3] = {0.37f * (float)i, 0.11f * (float)i, -0.23f * (float)i}, slope[3], none[3];
        float here = relief_noise(at, slope);
        assert_true(fabsf(here) <= 1);
        for (int k = 0; k < 3; k++) {
            float a[3] = {at[0], at[1], at[2]}, b[3] = {at[0], at[1], at[2]};
            a[k] -= 1e-2f, b[k] += 1e-2f;
            assert_true(fabsf((relief_noise(b, none) - relief_noise(a, none)) / 2e-2f - slope[k]) < 0.02f);
        }
    }
}

static void test_places_that_are_no_places_do_no_harm(void **state) {
    (void)state;
    const float wrong[3][3] = {{NAN, 0, 0}, {INFINITY, 0, 0}, {1e30f, -1e30f, 0}};
    for (int i = 0; i < 3; i++) {
        float slope[3];
        assert_true(isfinite(relief_noise(wrong[i], slope)));
        assert_true(isfinite(slope[0] + slope[1] + slope[2]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_spectrum_is_as_asked),
        cmocka_unit_test(test_the_slope_is_that_of_the_height),
        cmocka_unit_test(test_places_that_are_no_places_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
