// Every operation of lane.h against libm in double, for the LANES of the file that includes this.
#include "lane/lane.h"

#include "base/hash.h"
#include "base/random.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MACHINE_CAN_RUN_THIS
#define MACHINE_CAN_RUN_THIS 1
#define POP_TARGET
#endif

// FIRN_TEST_EXHAUSTIVE=1 visits every float: minutes, for the table in src/lane/README.md.
static uint32_t sweep_step(void) { return getenv("FIRN_TEST_EXHAUSTIVE") ? 1 : 2039; }

static float float_of(uint32_t bits) {
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static uint32_t bits_of(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

// Distance of a float from the true value in units of the float's last place there.
static double ulps(float got, double truth) {
    if (isnan(truth)) return isnan(got) ? 0 : INFINITY;
    float nearest = (float)truth;
    if (got == nearest || isinf(nearest)) return got == nearest ? 0 : INFINITY;
    int exponent;
    frexp(truth, &exponent);
    double ulp = ldexp(1, exponent - 24 < -149 ? -149 : exponent - 24);
    return fabs((double)got - truth) / ulp;
}

typedef void (*lanes_op)(const float *a, const float *b, const float *c, float *out);
#define OP(name, expression)                                                                                 \
    static void op_##name(const float *pa, const float *pb, const float *pc, float *out) {                   \
        real a = r_load(pa), b = r_load(pb), c = r_load(pc);                                                 \
        (void)a, (void)b, (void)c;                                                                           \
        r_store(out, expression);                                                                            \
    }

OP(exp, r_exp(a))
OP(log, r_log(a))
OP(sin, r_sin(a))
OP(cos, r_cos(a))
OP(sqrt, r_sqrt(a))
OP(rsqrt, r_rsqrt(a))
OP(floor, r_floor(a))
OP(round, r_round(a))
OP(abs, r_abs(a))
OP(add, a + b)
OP(sub, a - b)
OP(mul, a *b)
OP(div, a / b)
OP(min, r_min(a, b))
OP(max, r_max(a, b))
OP(clamp, r_clamp(a, r_min(b, c), r_max(b, c)))
OP(copysign, r_copysign(a, b))
OP(flip, r_flip(a, b))
OP(fma, r_fma(a, b, c))
OP(lt, r_select(r_lt(a, b), R(1), R(0)))
OP(le, r_select(r_le(a, b), R(1), R(0)))
OP(gt, r_select(r_gt(a, b), R(1), R(0)))
OP(ge, r_select(r_ge(a, b), R(1), R(0)))
OP(eq, r_select(r_eq(a, b), R(1), R(0)))
OP(ne, r_select(r_ne(a, b), R(1), R(0)))
OP(select, r_select(r_lt(a, b), a, c))
OP(where, r_where(r_lt(a, b), c))
OP(to_int, r_from_int(r_to_int(a)))

typedef struct worst {
    double error;
    float at, got;
    double truth;
} worst;

static void note(worst *w, float x, float got, double truth, double error) {
    if (error > w->error || (isinf(error) && !isinf(w->error))) *w = (worst){error, x, got, truth};
}

// Floats of all sizes between two bounds of bits, filled into lanes one after the other.
static worst sweep(lanes_op op, double (*truth)(double), uint32_t from, uint32_t to, bool negative,
                   double (*error)(float x, float got, double truth)) {
    worst w = {0, 0, 0, 0};
    uint32_t step = sweep_step();
    float in[LANES], out[LANES];
    for (uint64_t at = from; at <= to; at += (uint64_t)step * LANES) {
        for (int k = 0; k < LANES; k++) {
            uint64_t bits = at + (uint64_t)step * k;
            in[k] = float_of((uint32_t)(bits > to ? to : bits) | (negative ? 0x80000000u : 0));
        }
        op(in, in, in, out);
        for (int k = 0; k < LANES; k++) {
            double t = truth(in[k]);
            note(&w, in[k], out[k], t, error(in[k], out[k], t));
        }
    }
    return w;
}

static double plain_ulps(float x, float got, double truth) {
    (void)x;
    return ulps(got, truth);
}
// Where a sine is tiny because the angle is near a large multiple of pi, the bound is absolute.
static double angle_ulps(float x, float got, double truth) {
    if (fabsf(x) > 100 && fabs(truth) < 0x1p-14) return fabs(got - truth) / 0x1p-38;
    return ulps(got, truth);
}

static void check_sweep(const char *name, worst w, double bound) {
    if (getenv("FIRN_TEST_EXHAUSTIVE"))
        print_message("  %-20s %.3f ulp at %a (bound %.2f)\n", name, w.error, w.at, bound);
    if (!(w.error <= bound))
        fail_msg("%s(%a) = %a, true %a: %g ulp, more than %g", name, w.at, w.got, w.truth, w.error, bound);
}

static const uint32_t largest = 0x7f7fffffu; // bits of the largest finite float

static void exp_is_within_its_bound(void **state) {
    (void)state;
    check_sweep("exp", sweep(op_exp, exp, 0, largest, false, plain_ulps), 1.0);
    check_sweep("exp", sweep(op_exp, exp, 0, largest, true, plain_ulps), 1.0);
}

static void log_is_within_its_bound(void **state) {
    (void)state;
    check_sweep("log", sweep(op_log, log, 0, largest, false, plain_ulps), 1.0);
    // All floats near 1, where the result is small.
    for (uint32_t bits = 0x3f780000u; bits < 0x3f880000u; bits += 65536)
        check_sweep("log near 1", sweep(op_log, log, bits, bits + 65535, false, plain_ulps), 1.0);
}

static void sine_and_cosine_are_within_their_bounds(void **state) {
    (void)state;
    uint32_t limit = bits_of(100000);
    for (int sign = 0; sign < 2; sign++) {
        check_sweep("sin", sweep(op_sin, sin, 0, limit, sign, angle_ulps), 1.0);
        check_sweep("cos", sweep(op_cos, cos, 0, limit, sign, angle_ulps), 1.0);
        check_sweep("sin, 0.1 to 100", sweep(op_sin, sin, bits_of(0.1f), bits_of(100), sign, plain_ulps),
                    1.0);
        check_sweep("cos, 0.1 to 100", sweep(op_cos, cos, bits_of(0.1f), bits_of(100), sign, plain_ulps),
                    1.0);
    }
    // The floats nearest to multiples of pi/2.
    for (int i = 1; i < 60000; i++) {
        float in[LANES], s[LANES], c[LANES];
        for (int k = 0; k < LANES; k++)
            in[k] = float_of(bits_of((float)(i * 1.57079632679489661923)) + (uint32_t)k % 3 - 1);
        op_sin(in, in, in, s);
        op_cos(in, in, in, c);
        for (int k = 0; k < LANES; k++) {
            assert_true(angle_ulps(in[k], s[k], sin(in[k])) <= 1.0);
            assert_true(angle_ulps(in[k], c[k], cos(in[k])) <= 1.0);
        }
    }
}

static double rsqrt_truth(double x) { return 1 / sqrt(x); }

static void roots_are_within_their_bounds(void **state) {
    (void)state;
    check_sweep("sqrt", sweep(op_sqrt, sqrt, 0, largest, false, plain_ulps), 0.5);
    check_sweep("rsqrt", sweep(op_rsqrt, rsqrt_truth, 0, largest, false, plain_ulps), 1.5);
}

static void rounding_is_exact(void **state) {
    (void)state;
    for (int sign = 0; sign < 2; sign++) {
        check_sweep("floor", sweep(op_floor, floor, 0, largest, sign, plain_ulps), 0);
        check_sweep("round", sweep(op_round, rint, 0, largest, sign, plain_ulps), 0);
        check_sweep("abs", sweep(op_abs, fabs, 0, largest, sign, plain_ulps), 0);
        check_sweep("to_int", sweep(op_to_int, trunc, 0, bits_of(0x1.fffffep30f), sign, plain_ulps), 0);
    }
    const float halves[] = {0.5f,       1.5f,       2.5f,    -0.5f, -1.5f,      -2.5f,
                            8388607.5f, 8388608.0f, 0x1p30f, -0.0f, 0.49999997f};
    for (size_t i = 0; i < sizeof halves / sizeof *halves; i++) {
        float in[LANES], out[LANES];
        for (int k = 0; k < LANES; k++) in[k] = halves[i];
        op_round(in, in, in, out);
        for (int k = 0; k < LANES; k++) assert_int_equal(bits_of(out[k]), bits_of(rintf(halves[i])));
        op_floor(in, in, in, out);
        for (int k = 0; k < LANES; k++) assert_int_equal(bits_of(out[k]), bits_of(floorf(halves[i])));
    }
}

static void check_value(const char *name, lanes_op op, float x, float expected) {
    float in[LANES], out[LANES];
    for (int k = 0; k < LANES; k++) in[k] = x;
    op(in, in, in, out);
    for (int k = 0; k < LANES; k++)
        if (!(isnan(expected) ? isnan(out[k]) : out[k] == expected))
            fail_msg("%s(%a) is %a, not %a", name, x, out[k], expected);
}

static void special_values_are_as_documented(void **state) {
    (void)state;
    check_value("exp", op_exp, 0, 1);
    check_value("exp", op_exp, -0.0f, 1);
    check_value("exp", op_exp, INFINITY, INFINITY);
    check_value("exp", op_exp, -INFINITY, 0);
    check_value("exp", op_exp, 88.8f, INFINITY);
    check_value("exp", op_exp, -104.1f, 0);
    check_value("exp", op_exp, -103.2f, 0x1p-149f);
    check_value("exp", op_exp, NAN, NAN);
    check_value("exp", op_exp, -NAN, NAN);
    check_value("log", op_log, 1, 0);
    check_value("log", op_log, 0, -INFINITY);
    check_value("log", op_log, -0.0f, -INFINITY);
    check_value("log", op_log, -1, NAN);
    check_value("log", op_log, -0x1p-149f, NAN);
    check_value("log", op_log, -INFINITY, NAN);
    check_value("log", op_log, INFINITY, INFINITY);
    check_value("log", op_log, NAN, NAN);
    check_value("log", op_log, 0x1p-149f, (float)log(0x1p-149));
    const float lost[] = {100001, -100001, 1e30f, -3e38f, INFINITY, -INFINITY, NAN};
    for (size_t i = 0; i < sizeof lost / sizeof *lost; i++) {
        check_value("sin", op_sin, lost[i], NAN);
        check_value("cos", op_cos, lost[i], NAN);
    }
    check_value("sin", op_sin, 0, 0);
    check_value("sin", op_sin, 0x1p-149f, 0x1p-149f);
    check_value("cos", op_cos, 0, 1);
    check_value("sqrt", op_sqrt, -1, NAN);
    check_value("rsqrt", op_rsqrt, 0, INFINITY);
    check_value("rsqrt", op_rsqrt, INFINITY, 0);
    check_value("floor", op_floor, -INFINITY, -INFINITY);
    check_value("round", op_round, NAN, NAN);
}

// Numbers of every kind for operations of two and three: ordinary, equal, zero of both signs, huge, tiny,
// NaN.
static float odd_number(uint64_t item, int which) {
    static const float odd[] = {0, -0.0f, 1, -1, INFINITY, -INFINITY, NAN, 0x1p-149f, 3.4e38f, 0.5f};
    random4 r = random_bits(1234, item, 0, (uint32_t)which);
    if (r.v[0] % 4 == 0) return odd[r.v[1] % (sizeof odd / sizeof *odd)];
    if (r.v[0] % 4 == 1) return (float)(int)(r.v[1] % 9) - 4;
    return (random_unit(r, 1) - 0.5f) * ldexpf(1, (int)(r.v[2] % 40) - 20);
}

static float plain_min(float a, float b) { return a < b ? a : b; }
static float plain_max(float a, float b) { return a > b ? a : b; }

// What operation `which` should give; exact for all.
static float plain_result(int which, float a, float b, float c) {
    switch (which) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / b;
    case 4: return plain_min(a, b);
    case 5: return plain_max(a, b);
    case 6: return plain_max(plain_min(b, c), plain_min(plain_max(b, c), a));
    case 7: return copysignf(a, b);
    case 8: return signbit(b) ? -a : a;
    case 9: return a < b;
    case 10: return a <= b;
    case 11: return a > b;
    case 12: return a >= b;
    case 13: return a == b;
    case 14: return a != b;
    case 15: return a < b ? a : c;
    default: return a < b ? c : 0;
    }
}

static void simple_operations_are_exact(void **state) {
    (void)state;
    const lanes_op ops[] = {op_add, op_sub, op_mul, op_div, op_min, op_max, op_clamp,  op_copysign, op_flip,
                            op_lt,  op_le,  op_gt,  op_ge,  op_eq,  op_ne,  op_select, op_where};
    for (int which = 0; which < 17; which++)
        for (uint64_t round = 0; round < 2000; round++) {
            float a[LANES], b[LANES], c[LANES], out[LANES];
            for (int k = 0; k < LANES; k++) {
                a[k] = odd_number(round * LANES + k, 0);
                b[k] = odd_number(round * LANES + k, 1);
                c[k] = odd_number(round * LANES + k, 2);
            }
            ops[which](a, b, c, out);
            for (int k = 0; k < LANES; k++) {
                float expected = plain_result(which, a[k], b[k], c[k]);
                bool same = isnan(expected) ? isnan(out[k]) : bits_of(out[k]) == bits_of(expected);
                if (!same)
                    fail_msg("operation %d of %a %a %a is %a, not %a", which, a[k], b[k], c[k], out[k],
                             expected);
            }
        }
}

static void fma_rounds_at_most_twice(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 20000; round++) {
        float a[LANES], b[LANES], c[LANES], out[LANES];
        for (int k = 0; k < LANES; k++) {
            random4 r = random_bits(77, round * LANES + k, 0, 0);
            a[k] = random_unit(r, 0) - 0.5f, b[k] = random_unit(r, 1) - 0.5f, c[k] = random_unit(r, 2) - 0.5f;
        }
        op_fma(a, b, c, out);
        for (int k = 0; k < LANES; k++) {
            double product = (double)a[k] * b[k], size = fabs(product) + fabs((double)c[k]);
            assert_true(fabs(out[k] - (product + c[k])) <= size * 0x1p-24 * 1.5);
        }
    }
}

static int plain_int(uint64_t item, int which) {
    uint32_t v = random_bits(55, item, 0, (uint32_t)which).v[0];
    return item % 3 == 0 ? (int)(v % 5) - 2 : (int)v;
}

static void integers_are_exact(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 3000; round++) {
        int pa[LANES], pb[LANES], out[8][LANES];
        for (int k = 0; k < LANES; k++)
            pa[k] = plain_int(round * LANES + k, 0), pb[k] = plain_int(round * LANES + k, 1);
        ireal a = i_load(pa), b = i_load(pb);
        int n = (int)(round % 31);
        i_store(out[0], i_add_wrap(a, b));
        i_store(out[1], i_mul_wrap(a, b));
        i_store(out[2], i_min(a, b));
        i_store(out[3], i_max(a, b));
        i_store(out[4], i_shift_left(a, n));
        i_store(out[5], i_shift_right(a, n));
        i_store(out[6], (i_lt(a, b) & RI(1)) | (i_le(a, b) & RI(2)) | (i_gt(a, b) & RI(4)));
        i_store(out[7], (i_ge(a, b) & RI(1)) | (i_eq(a, b) & RI(2)) | (i_ne(a, b) & RI(4)));
        for (int k = 0; k < LANES; k++) {
            int x = pa[k], y = pb[k];
            assert_int_equal((uint32_t)out[0][k], (uint32_t)x + (uint32_t)y);
            assert_int_equal((uint32_t)out[1][k], (uint32_t)x * (uint32_t)y);
            assert_int_equal(out[2][k], x < y ? x : y);
            assert_int_equal(out[3][k], x > y ? x : y);
            assert_int_equal((uint32_t)out[4][k], (uint32_t)x << n);
            assert_int_equal(out[5][k], (int)floor(ldexp(x, -n)));
            assert_int_equal(out[6][k], (x < y) | (x <= y) << 1 | (x > y) << 2);
            assert_int_equal(out[7][k], (x >= y) | (x == y) << 1 | (x != y) << 2);
        }
    }
}

static void masks_and_sums_over_lanes(void **state) {
    (void)state;
    for (int n = 0; n <= LANES; n++) {
        mask first = m_first(n);
        assert_int_equal(m_any(first), n > 0);
        assert_int_equal(m_all(first), n == LANES);
        assert_int_equal(m_lowest(~first), n);
        for (int k = 0; k < LANES; k++) assert_int_equal(i_lane(first, k), k < n ? -1 : 0);
    }
    real x = r_from_int(i_lane_index()) * R(2) - R(3);
    for (int k = 0; k < LANES; k++) assert_true(r_lane(x, k) == (float)(2 * k - 3));
    assert_true(r_sum_lanes(x) == LANES * (LANES - 1) - 3 * LANES);
    assert_true(r_max_lanes(x) == 2 * LANES - 5);
    assert_true(r_lane(R(0.1), LANES - 1) == 0.1f);
    assert_int_equal(bits_of(r_lane(R(-0.0f), 0)), 0x80000000u);
    assert_int_equal(i_lane(RI(-7), 0), -7);
}

static void memory_tails_and_strides(void **state) {
    (void)state;
    float *room = aligned_alloc(64, 64 * 64), copy[3 * LANES];
    for (int i = 0; i < 1024; i++) room[i] = (float)i;
    for (int offset = 0; offset < 5; offset++) {
        r_store(copy + offset % 2, r_load(room + offset));
        for (int k = 0; k < LANES; k++) assert_true(copy[offset % 2 + k] == (float)(offset + k));
    }
    for (int n = 0; n <= LANES; n++) {
        // Exactly n items on the heap: the address sanitizer sees a step too far.
        float *tail = malloc((size_t)n * sizeof *tail + (n == 0));
        int *whole = malloc((size_t)n * sizeof *whole + (n == 0));
        for (int k = 0; k < n; k++) tail[k] = (float)(10 * k), whole[k] = -k;
        real x = r_load_some(tail, n, R(-1));
        ireal i = i_load_some(whole, n, RI(99));
        for (int k = 0; k < LANES; k++) assert_true(r_lane(x, k) == (float)(k < n ? 10 * k : -1));
        for (int k = 0; k < LANES; k++) assert_int_equal(i_lane(i, k), k < n ? -k : 99);
        r_store_some(tail, x + R(5), n);
        i_store_some(whole, i + RI(5), n);
        for (int k = 0; k < n; k++) assert_true(tail[k] == (float)(10 * k + 5) && whole[k] == 5 - k);
        free(tail);
        free(whole);
    }
    uint8_t bytes[LANES + 1];
    for (int k = 0; k <= LANES; k++) bytes[k] = (uint8_t)(255 - k);
    ireal wide = i_load_bytes(bytes + 1);
    for (int k = 0; k < LANES; k++) assert_int_equal(i_lane(wide, k), 254 - k);
    real strided = r_load_stride(room + 1, 3);
    for (int k = 0; k < LANES; k++) assert_true(r_lane(strided, k) == (float)(1 + 3 * k));
    memset(copy, 0, sizeof copy);
    r_store_stride(copy + 1, R(4), 2);
    for (int k = 0; k < 2 * LANES; k++) assert_true(copy[k] == (k % 2 ? 4 : 0));
    free(room);
}

static void gather_and_scatter(void **state) {
    (void)state;
    float table[40], out[40] = {0};
    int whole[40];
    for (int i = 0; i < 40; i++) table[i] = (float)(i * i), whole[i] = 1000 - i;
    ireal index = i_lane_index() * RI(2) + RI(3);
    real x = r_gather(table, index);
    ireal i = i_gather(whole, index);
    for (int k = 0; k < LANES; k++) assert_true(r_lane(x, k) == (float)((2 * k + 3) * (2 * k + 3)));
    for (int k = 0; k < LANES; k++) assert_int_equal(i_lane(i, k), 997 - 2 * k);
    r_scatter(out, index, x);
    for (int k = 0; k < 40; k++)
        assert_true(out[k] == (float)(k >= 3 && k % 2 && k < 3 + 2 * LANES ? k * k : 0));
    // Lanes that are masked out may point anywhere.
    mask some = i_lt(i_lane_index() & RI(1), RI(1));
    ireal wild = i_select(some, index, RI(-2000000000));
    r_scatter_where(some, out, wild, R(7));
    for (int k = 0; k < LANES; k++)
        assert_true(out[2 * k + 3] == (float)(k % 2 ? (2 * k + 3) * (2 * k + 3) : 7));
    r_scatter(out, RI(1), r_from_int(i_lane_index()));
    assert_true(out[1] == LANES - 1);
}

static void rows_of_four(void **state) {
    (void)state;
    float table[4 * 3 * LANES];
    int index[LANES];
    for (int i = 0; i < 4 * 3 * LANES; i++) table[i] = (float)i;
    for (int k = 0; k < LANES; k++)
        index[k] = (7 * k + 5) % (3 * LANES); // 7 and 3 LANES have no common factor
    real row[4], back[4];
    r_load_rows(table, index, row);
    for (int k = 0; k < 4 * LANES; k++)
        assert_true(r_lane(row[k % 4], k / 4) == (float)(4 * index[k / 4] + k % 4));
    for (int a = 0; a < 4; a++) back[a] = -row[a];
    r_store_rows(table, index, back);
    for (int i = 0; i < 3 * LANES; i++) {
        bool hit = false;
        for (int k = 0; k < LANES; k++) hit |= index[k] == i;
        for (int a = 0; a < 4; a++) assert_true(table[4 * i + a] == (float)((hit ? -1 : 1) * (4 * i + a)));
    }
}

// The same bits for any number of lanes, and in any lane. (With fused operations the compilers may choose
// differently.)
static void results_do_not_depend_on_the_number_of_lanes(void **state) {
    (void)state;
    uint64_t hash = 0;
    for (uint64_t round = 0; round < 4096 / LANES; round++) {
        float in[LANES], positive[LANES], turned[LANES], out[5][LANES], again[LANES];
        for (int k = 0; k < LANES; k++) {
            random4 r = random_bits(99, round * LANES + k, 0, 0);
            in[k] = (random_unit(r, 0) - 0.5f) * 160;
            positive[k] = ldexpf(random_unit(r, 1), (int)(r.v[2] % 60) - 30);
        }
        op_exp(in, in, in, out[0]);
        op_log(positive, in, in, out[1]);
        op_sin(in, in, in, out[2]);
        op_cos(in, in, in, out[3]);
        op_rsqrt(positive, in, in, out[4]);
        for (int k = 0; k < LANES; k++)
            for (int op = 0; op < 5; op++) hash = hash64(&out[op][k], sizeof(float), hash);
        for (int k = 0; k < LANES; k++) turned[k] = in[(k + 1) % LANES];
        op_exp(turned, in, in, again);
        for (int k = 0; k < LANES; k++) assert_int_equal(bits_of(again[k]), bits_of(out[0][(k + 1) % LANES]));
        op_sin(turned, in, in, again);
        for (int k = 0; k < LANES; k++) assert_int_equal(bits_of(again[k]), bits_of(out[2][(k + 1) % LANES]));
    }
#if defined(__x86_64__) && !defined(__FMA__) && !defined(TESTS_LANE_AVX2_H)
    if (hash != 0x874dd8b77b290950u) fail_msg("the results hash to 0x%016llxu", (unsigned long long)hash);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_within_its_bound),
        cmocka_unit_test(log_is_within_its_bound),
        cmocka_unit_test(sine_and_cosine_are_within_their_bounds),
        cmocka_unit_test(roots_are_within_their_bounds),
        cmocka_unit_test(rounding_is_exact),
        cmocka_unit_test(special_values_are_as_documented),
        cmocka_unit_test(simple_operations_are_exact),
        cmocka_unit_test(fma_rounds_at_most_twice),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(masks_and_sums_over_lanes),
        cmocka_unit_test(memory_tails_and_strides),
        cmocka_unit_test(gather_and_scatter),
        cmocka_unit_test(rows_of_four),
        cmocka_unit_test(results_do_not_depend_on_the_number_of_lanes),
    };
    if (!MACHINE_CAN_RUN_THIS) {
        print_message("skipped: this machine has no AVX2 with FMA\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
POP_TARGET
