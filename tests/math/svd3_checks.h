// svd3.h and polar on a million matrices of all kinds, for the LANES of the file that includes this.
#include "math/svd3.h"

#include "base/hash.h"
#include "base/random.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifndef MACHINE_CAN_RUN_THIS
#define MACHINE_CAN_RUN_THIS 1
#define POP_TARGET
#endif

enum { PER_KIND = 100000 / FIRN_FEWER };
static const double bound = 4e-6;

typedef struct plain3 {
    float m[3][3]; // [row][column]
} plain3;

static random4 numbers(uint64_t item, uint32_t stream) { return random_bits(815, item, 0, stream); }
static double between(random4 r, int k, double low, double high) {
    return low + (high - low) * random_unit(r, k);
}

static plain3 random_matrix(uint64_t item) {
    plain3 a;
    for (int i = 0; i < 9; i++)
        a.m[i / 3][i % 3] = (float)between(numbers(item, (uint32_t)(i / 4)), i % 4, -1, 1);
    return a;
}

static void random_rotation(uint64_t item, uint32_t stream, double q[3][3]) {
    random4 r = numbers(item, stream);
    double w = between(r, 0, -1, 1), x = between(r, 1, -1, 1), y = between(r, 2, -1, 1),
           z = between(r, 3, -1, 1);
    double n = 2 / (w * w + x * x + y * y + z * z + 1e-9);
    double m[3][3] = {{1 - n * (y * y + z * z), n * (x * y - w * z), n * (x * z + w * y)},
                      {n * (x * y + w * z), 1 - n * (x * x + z * z), n * (y * z - w * x)},
                      {n * (x * z - w * y), n * (y * z + w * x), 1 - n * (x * x + y * y)}};
    memcpy(q, m, sizeof m);
}

// P diag(s) Q^T with random rotations.
static plain3 with_values(uint64_t item, const double s[3]) {
    double p[3][3], q[3][3];
    random_rotation(item, 10, p);
    random_rotation(item, 11, q);
    plain3 a;
    for (int i = 0; i < 9; i++) {
        double sum = 0;
        for (int k = 0; k < 3; k++) sum += p[i / 3][k] * s[k] * q[i % 3][k];
        a.m[i / 3][i % 3] = (float)sum;
    }
    return a;
}

static plain3 scaled(plain3 a, double factor) {
    for (int i = 0; i < 9; i++) a.m[i / 3][i % 3] = (float)(a.m[i / 3][i % 3] * factor);
    return a;
}

static plain3 kind_random(uint64_t item) { return random_matrix(item); }
static plain3 kind_near_identity(uint64_t item) {
    plain3 a = scaled(random_matrix(item), pow(10, -(double)(item % 8)));
    for (int i = 0; i < 3; i++) a.m[i][i] += 1;
    return a;
}
static plain3 kind_nearly_equal(uint64_t item) {
    random4 r = numbers(item, 12);
    double spread = pow(10, between(r, 0, -8, -1));
    return with_values(item,
                       (double[3]){1, 1 - spread * random_unit(r, 1), (1 - spread) * (item % 2 ? -1 : 1)});
}
static plain3 kind_rank_two(uint64_t item) {
    random4 r = numbers(item, 12);
    plain3 a = random_matrix(item);
    double u = between(r, 0, -2, 2), v = between(r, 1, -2, 2);
    int to = (int)(item % 3); // one column is made of the other two, exactly or up to rounding
    for (int i = 0; i < 3; i++)
        a.m[i][to] = (float)(u * a.m[i][(to + 1) % 3] + (item % 5 ? v : 0) * a.m[i][(to + 2) % 3]);
    if (item % 7 == 0) memset(a.m[item % 3], 0, sizeof a.m[0]);
    return a;
}
static plain3 kind_rank_one(uint64_t item) {
    random4 r = numbers(item, 12), q = numbers(item, 13);
    plain3 a;
    for (int i = 0; i < 9; i++)
        a.m[i / 3][i % 3] = (float)(between(r, i / 3, -1, 1) * between(q, i % 3, -1, 1));
    if (item % 4 == 0)
        for (int i = 0; i < 9; i++)
            a.m[i / 3][i % 3] = (i / 3 == (int)(item % 3) && i % 3 == (int)(item / 4 % 3)) ? -2.5f : 0;
    return a;
}
static plain3 kind_whole_numbers(uint64_t item) { // zeros, ones, equal columns, permutations, reflections
    plain3 a;
    uint64_t digits = item % 19683;
    for (int i = 0; i < 9; i++, digits /= 3) a.m[i / 3][i % 3] = (float)((int)(digits % 3) - 1);
    return a;
}
static plain3 kind_graded(uint64_t item) {
    random4 r = numbers(item, 12);
    double middle = pow(10, between(r, 0, -9, 0)), last = middle * pow(10, between(r, 1, -9, 0));
    return with_values(item, (double[3]){1, middle, item % 2 ? last : -last});
}
static plain3 kind_graded_columns(uint64_t item) {
    random4 r = numbers(item, 12);
    plain3 a = random_matrix(item);
    for (int i = 0; i < 9; i++)
        a.m[i / 3][i % 3] *= (float)pow(10, between(r, item % 2 ? i % 3 : i / 3, -12, 0));
    return a;
}
static plain3 kind_tiny(uint64_t item) {
    return scaled(random_matrix(item), pow(10, between(numbers(item, 12), 0, -33, -10)));
}
static plain3 kind_huge(uint64_t item) {
    return scaled(random_matrix(item), pow(10, between(numbers(item, 12), 0, 10, 38)));
}

static plain3 (*const kinds[])(uint64_t item) = {
    kind_random,        kind_near_identity, kind_nearly_equal,   kind_rank_two, kind_rank_one,
    kind_whole_numbers, kind_graded,        kind_graded_columns, kind_tiny,     kind_huge};
enum { KINDS = sizeof kinds / sizeof *kinds };

static real part(const plain3 *a, int row, int column) {
    float lanes[LANES];
    for (int k = 0; k < LANES; k++) lanes[k] = a[k].m[row][column];
    return r_load(lanes);
}
static mat3 gather_matrices(const plain3 *a) {
    return mat3_of(vec3_of(part(a, 0, 0), part(a, 1, 0), part(a, 2, 0)),
                   vec3_of(part(a, 0, 1), part(a, 1, 1), part(a, 2, 1)),
                   vec3_of(part(a, 0, 2), part(a, 1, 2), part(a, 2, 2)));
}
static void column_of(vec3 v, int lane, float out[3]) {
    out[0] = r_lane(v.x, lane), out[1] = r_lane(v.y, lane), out[2] = r_lane(v.z, lane);
}
typedef struct plain_svd {
    float u[3][3], s[3], v[3][3]; // u and v by columns
} plain_svd;
static void solve(const plain3 *a, plain_svd *out) {
    svd3 d = svd3_of(gather_matrices(a));
    for (int k = 0; k < LANES; k++) {
        column_of(d.u.x, k, out[k].u[0]), column_of(d.u.y, k, out[k].u[1]), column_of(d.u.z, k, out[k].u[2]);
        column_of(d.v.x, k, out[k].v[0]), column_of(d.v.y, k, out[k].v[1]), column_of(d.v.z, k, out[k].v[2]);
        column_of(d.s, k, out[k].s);
    }
}

// How far three columns are from a rotation: scalar products and determinant.
static double rotation_error(const float c[3][3]) {
    double worst = 0;
    for (int i = 0; i < 9; i++) {
        double dot = -(i / 3 == i % 3);
        for (int k = 0; k < 3; k++) dot += (double)c[i / 3][k] * c[i % 3][k];
        worst = fmax(worst, fabs(dot));
        if (isnan(dot)) return INFINITY;
    }
    double det = 0;
    for (int k = 0; k < 3; k++)
        det += (double)c[0][k] * ((double)c[1][(k + 1) % 3] * c[2][(k + 2) % 3] -
                                  (double)c[1][(k + 2) % 3] * c[2][(k + 1) % 3]);
    return fmax(worst, fabs(det - 1));
}
// Largest part of U S V^T - A, relative to the largest singular value.
static double rebuild_error(const plain3 *a, const plain_svd *d) {
    double worst = 0, size = d->s[0] > 0 ? d->s[0] : 1;
    for (int i = 0; i < 9; i++) {
        double sum = -(double)a->m[i / 3][i % 3];
        for (int k = 0; k < 3; k++) sum += (double)d->u[k][i / 3] * d->s[k] * d->v[k][i % 3];
        if (isnan(sum)) return INFINITY;
        worst = fmax(worst, fabs(sum) / size);
    }
    return worst;
}

typedef struct record {
    double rebuild, turn;
} record;

static void check_one(int kind, uint64_t item, const plain3 *a, const plain_svd *d, record *worst) {
    double rebuild = rebuild_error(a, d), turn = fmax(rotation_error(d->u), rotation_error(d->v));
    worst->rebuild = fmax(worst->rebuild, rebuild), worst->turn = fmax(worst->turn, turn);
    if (!(rebuild <= bound))
        fail_msg("kind %d item %llu: rebuilt with error %g", kind, (unsigned long long)item, rebuild);
    if (!(turn <= bound))
        fail_msg("kind %d item %llu: not a rotation, error %g", kind, (unsigned long long)item, turn);
    bool sorted = d->s[0] >= d->s[1] && d->s[1] >= fabsf(d->s[2]);
    if (!sorted)
        fail_msg("kind %d item %llu: values %g %g %g", kind, (unsigned long long)item, d->s[0], d->s[1],
                 d->s[2]);
}

static void a_million_matrices(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        record worst = {0, 0};
        for (uint64_t item = 0; item < PER_KIND; item += LANES) {
            plain3 a[LANES];
            plain_svd d[LANES];
            for (int k = 0; k < LANES; k++) a[k] = kinds[kind](item + (uint64_t)k);
            solve(a, d);
            for (int k = 0; k < LANES; k++) check_one(kind, item + (uint64_t)k, &a[k], &d[k], &worst);
        }
        if (getenv("FIRN_TEST_EXHAUSTIVE"))
            print_message("  kind %d: rebuilt to %.2e, rotations to %.2e\n", kind, worst.rebuild, worst.turn);
    }
}

// Known values come back, the sign of the determinant on the smallest.
static void known_values_come_back(void **state) {
    (void)state;
    for (uint64_t item = 0; item < 20000; item += LANES) {
        plain3 a[LANES];
        plain_svd d[LANES];
        double s[LANES][3];
        for (int k = 0; k < LANES; k++) {
            random4 r = numbers(item + (uint64_t)k, 20);
            s[k][0] = between(r, 0, 0.5, 2), s[k][1] = s[k][0] * random_unit(r, 1),
            s[k][2] = s[k][1] * between(r, 2, -1, 1);
            a[k] = with_values(item + (uint64_t)k, s[k]);
        }
        solve(a, d);
        for (int k = 0; k < LANES; k++)
            for (int i = 0; i < 3; i++) assert_true(fabs(d[k].s[i] - s[k][i]) <= bound / 4 * s[k][0]);
    }
}

static void zero_is_harmless_and_nan_is_seen(void **state) {
    (void)state;
    plain3 a[LANES];
    plain_svd d[LANES];
    memset(a, 0, sizeof a);
    solve(a, d);
    for (int k = 0; k < LANES; k++) {
        assert_true(d[k].s[0] == 0 && d[k].s[1] == 0 && d[k].s[2] == 0);
        assert_true(rotation_error(d[k].u) <= bound && rotation_error(d[k].v) <= bound);
    }
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int which = 0; which < 27; which++) {
        for (int k = 0; k < LANES; k++) a[k] = random_matrix((uint64_t)k);
        a[LANES - 1].m[which / 9][which / 3 % 3] = bad[which % 3];
        solve(a, d);
        assert_true(isnan(d[LANES - 1].s[0]) || isnan(d[LANES - 1].s[1]) || isnan(d[LANES - 1].s[2]));
        for (int k = 0; k < LANES - 1; k++) assert_true(rebuild_error(&a[k], &d[k]) <= bound);
    }
}

// Subnormal matrices have few bits, but u and v must still be rotations.
static void subnormal_matrices_give_rotations(void **state) {
    (void)state;
    for (uint64_t item = 0; item < 20000; item += LANES) {
        plain3 a[LANES];
        plain_svd d[LANES];
        for (int k = 0; k < LANES; k++)
            a[k] = scaled(random_matrix(item + (uint64_t)k), pow(10, -38 - (double)(item % 7)));
        solve(a, d);
        for (int k = 0; k < LANES; k++) {
            assert_true(rotation_error(d[k].u) <= bound && rotation_error(d[k].v) <= bound);
            assert_true(rebuild_error(&a[k], &d[k]) * d[k].s[0] <= bound * d[k].s[0] + 4 * FLT_TRUE_MIN);
        }
    }
}

// Neighbours in the vector, and how many there are, change nothing.
static void results_do_not_depend_on_the_other_lanes(void **state) {
    (void)state;
    static const bool without_pow[KINDS] = {
        [0] = true, [3] = true, [4] = true, [5] = true}; // the libm's last bits stay out
    uint64_t hash = 0;
    for (uint64_t item = 0; item < 16000; item += LANES) {
        plain3 a[LANES], turned[LANES];
        plain_svd d[LANES], again[LANES];
        for (int k = 0; k < LANES; k++) a[k] = kinds[(item + (uint64_t)k) % KINDS](item + (uint64_t)k);
        for (int k = 0; k < LANES; k++)
            turned[k] = k % 2 ? a[k] : (plain3){{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
        solve(a, d);
        solve(turned, again);
        for (int k = 0; k < LANES; k++)
            if (without_pow[(item + (uint64_t)k) % KINDS]) hash = hash64(&d[k], sizeof d[k], hash);
        for (int k = 1; k < LANES; k += 2) assert_memory_equal(&d[k], &again[k], sizeof d[k]);
    }
#if defined(__x86_64__) && !defined(__FMA__) && !defined(TESTS_LANE_AVX2_H)
    if (hash != 0xfc1e940e40d47ab6u) fail_msg("the results hash to 0x%016llxu", (unsigned long long)hash);
#endif
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_matrices),
        cmocka_unit_test(known_values_come_back),
        cmocka_unit_test(zero_is_harmless_and_nan_is_seen),
        cmocka_unit_test(subnormal_matrices_give_rotations),
        cmocka_unit_test(results_do_not_depend_on_the_other_lanes),
    };
    if (!MACHINE_CAN_RUN_THIS) {
        print_message("skipped: this machine has no AVX2 with FMA\n");
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
POP_TARGET
