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

// Power of the brightness of bumps along lines, in one octave around a size of bumps.
static double bump_power(float size, float rough, float footprint) {
    enum { N = 512, LINES = 40, SIZES = 8 };
    double sum = 0;
    for (int line = 0; line < LINES; line++) {
        float value[N], slope[3];
        for (int i = 0; i < N; i++) {
            const float at[3] = {size * SIZES * (float)i / N, 2.3f * (float)line, 1.9f * (float)line};
            float window = 0.5f - 0.5f * cosf(2 * (float)M_PI * (float)i / N); // the ends do not meet
            value[i] = window * relief_bumps(at, rough, footprint, slope);
        }
        for (int w = SIZES / 3; w < SIZES * 3 / 2; w++) sum += power(value, N, w);
    }
    return sum / LINES;
}

// No size stands out from crumbs to grains, torn snow is several times as rough as smooth snow, and what is
// finer than a pixel is not there.
static void test_bumps_of_all_sizes(void **state) {
    (void)state;
    for (int torn = 0; torn < 2; torn++) {
        double least = INFINITY, most = 0;
        for (int i = 0; i < RELIEF_BUMPS; i++) {
            double p = sqrt(bump_power(relief_bump_size[i], (float)torn, 0));
            print_message("%s, %.4f m: %.2e\n", torn ? "torn" : "smooth", (double)relief_bump_size[i], p);
            least = fmin(least, p), most = fmax(most, p);
            assert_true(p * (torn ? 1 : 2.5) > 0.8 * sqrt(bump_power(relief_bump_size[i], 0, 0)));
        }
        assert_true(least > 0.4 * most);
    }
    float coarse = relief_bump_size[0];
    assert_true(bump_power(relief_bump_size[4], 1, 0.01f) < 0.1 * bump_power(relief_bump_size[4], 1, 0));
    assert_true(bump_power(coarse, 1, 0.01f) > 0.4 * bump_power(coarse, 1, 0));
    assert_true(sqrt(bump_power(coarse, 1, 0)) > 3 * sqrt(bump_power(coarse, 0, 0)));
}

static void test_bumps_have_their_slope(void **state) {
    (void)state;
    double square = 0;
    enum { N = 4000 };
    for (int i = 0; i < N; i++) {
        const float at[3] = {0.037f * (float)i, 0.011f * (float)i, 0.5f};
        float slope[3];
        assert_true(fabsf(relief_bumps(at, 0, 0, slope)) < 0.1f);
        square += (double)(slope[0] * slope[0] + slope[2] * slope[2]);
    }
    double rms = sqrt(square / N) * 180 / M_PI;
    print_message("smooth snow slopes by %.1f degrees\n", rms);
    assert_true(rms > 2 && rms < 15);
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

// On every instruction set the vertices move as relief_clods says, whatever lanes stand side by side.
static void test_a_mesh_moves_as_its_places_do(void **state) {
    (void)state;
    enum { N = 103 };
    const float size = 0.3f;
    const isa before = isa_active();
    for (int set = ISA_BASE; set <= ISA_AVX512; set++) {
        if (!isa_use((isa)set)) continue;
        static float at[N][3], normal[N][3], rest[N][4];
        for (int i = 0; i < N; i++) {
            const float n[3] = {0.6f, 0.8f, 0};
            for (int k = 0; k < 3; k++)
                rest[i][k] = at[i][k] = 0.17f * (float)(i * (k + 1)), normal[i][k] = n[k];
            rest[i][3] = i % 3 == 0 ? 0 : 0.3f + 0.006f * (float)i;
        }
        ISA_PICK(relief_move)(&(relief_mesh){at, normal, (const float(*)[4])rest, size}, 2, N);
        for (int i = 0; i < N; i++) {
            float slope[3], n[3] = {0.6f, 0.8f, 0},
                            height = relief_clods(rest[i], size, i < 2 ? 0 : rest[i][3], slope);
            for (int k = 0; k < 3; k++) assert_near(at[i][k], rest[i][k] + height * n[k], 1e-5);
            relief_bend(n, slope);
            for (int k = 0; k < 3; k++) assert_near(normal[i][k], n[k], 1e-4);
        }
    }
    assert_true(isa_use(before));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_spectrum_is_as_asked),
        cmocka_unit_test(test_bumps_of_all_sizes),
        cmocka_unit_test(test_bumps_have_their_slope),
        cmocka_unit_test(test_the_slope_is_that_of_the_height),
        cmocka_unit_test(test_places_that_are_no_places_do_no_harm),
        cmocka_unit_test(test_a_mesh_moves_as_its_places_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
