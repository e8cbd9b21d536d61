// Random numbers: the published answers of Philox 4x32-10, even spread, and no order between items.
#include "base/random.h"
#include "support.h"

#include <math.h>

static void published_answers(void **state) {
    (void)state;
    const struct {
        uint64_t seed, item;
        uint32_t step, stream, v[4];
    } known[] = {
        {0, 0, 0, 0, {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
        {~0ull, ~0ull, ~0u, ~0u, {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
        {0x299f31d0a4093822u,
         0x85a308d3243f6a88u,
         0x13198a2eu,
         0x03707344u,
         {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}},
    };
    for (int i = 0; i < 3; i++) {
        random4 r = random_bits(known[i].seed, known[i].item, known[i].step, known[i].stream);
        assert_memory_equal(r.v, known[i].v, sizeof r.v);
    }
}

// Mean, variance and correlation with a neighbour that differs in one counter; bounds are five standard
// deviations.
static void check_moments(const char *what, uint64_t step_item, uint32_t step_step, uint32_t step_stream) {
    enum { N = 100000 };
    double sum = 0, square = 0, product = 0, before = 0.5;
    for (uint64_t i = 0; i < N; i++) {
        float x = random_unit(
            random_bits(17, i * step_item, (uint32_t)i * step_step, (uint32_t)i * step_stream), (int)(i % 4));
        assert_true(x >= 0 && x < 1);
        sum += x - 0.5, square += (x - 0.5) * (x - 0.5), product += (x - 0.5) * (before - 0.5);
        before = x;
    }
    if (fabs(sum / N) > 5 * sqrt(1.0 / 12 / N)) fail_msg("%s: mean is off by %g", what, sum / N);
    if (fabs(square / N - 1.0 / 12) > 5 * sqrt(1.0 / 180 / N))
        fail_msg("%s: variance is %g", what, square / N);
    if (fabs(product / N) > 5 / 12.0 / sqrt(N))
        fail_msg("%s: neighbours correlate by %g", what, 12 * product / N);
}

static void numbers_are_even_and_independent(void **state) {
    (void)state;
    check_moments("items", 1, 0, 0);
    check_moments("steps", 0, 1, 0);
    check_moments("streams", 0, 0, 1);
}

static void all_of_the_range_is_met_evenly(void **state) {
    (void)state;
    enum { BINS = 256, N = 256000 };
    int count[BINS] = {0};
    for (uint64_t i = 0; i < N / 4; i++)
        for (int k = 0; k < 4; k++) count[(int)(random_unit(random_bits(9, i, 0, 0), k) * BINS)]++;
    double chi2 = 0;
    for (int i = 0; i < BINS; i++) chi2 += pow(count[i] - N / BINS, 2) / (N / BINS);
    assert_near(chi2, BINS - 1, 5 * sqrt(2.0 * (BINS - 1)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_answers),
        cmocka_unit_test(numbers_are_even_and_independent),
        cmocka_unit_test(all_of_the_range_is_met_evenly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
