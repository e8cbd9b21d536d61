// The Krylov loop on small dense systems: conjugate gradients and residuals are exact after n iterations.
#include "support.h"

#include <math.h>

#include "base/random.h"
#include "solve/krylov.h"

enum { N = 12 };

typedef struct dense {
    double a[N][N], x[N], r[N], p[N], ap[N], ar[N], diagonal[N];

    int fail_after, calls;
} dense;

static double dot(const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < N; i++) sum += a[i] * b[i];
    return sum;
}

static void times(const dense *d, const double *x, double *out) {
    for (int i = 0; i < N; i++) out[i] = dot(d->a[i], x);
}

// A = B^T B + 1, b random, x = 0.
static dense make(uint64_t seed) {
    dense d = {.fail_after = 1000};
    double b[N][N];
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < N; k++)
            b[i][k] = 2 * (double)random_unit(random_bits(seed, (uint64_t)(N * i + k), 0, 0), 0) - 1;
        d.r[i] = (double)random_unit(random_bits(seed, (uint64_t)i, 1, 0), 0);
    }
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) {
            d.a[i][k] = i == k;
            for (int j = 0; j < N; j++) d.a[i][k] += b[j][i] * b[j][k];
        }
    for (int i = 0; i < N; i++) d.diagonal[i] = d.a[i][i];
    return d;
}

static double cg_precondition(void *context) {
    dense *d = context;
    double z[N];
    if (++d->calls > d->fail_after) return (double)NAN;
    for (int i = 0; i < N; i++) z[i] = d->r[i] / d->diagonal[i];
    return dot(d->r, z);
}

static double cg_direction(void *context, double beta) {
    dense *d = context;
    for (int i = 0; i < N; i++) d->p[i] = d->r[i] / d->diagonal[i] + (beta > 0 ? beta * d->p[i] : 0);
    times(d, d->p, d->ap);
    return dot(d->p, d->ap);
}

static double cr_product(void *context) {
    dense *d = context;
    times(d, d->r, d->ar);
    return dot(d->r, d->ar);
}

static double cr_direction(void *context, double beta) {
    dense *d = context;
    for (int i = 0; i < N; i++) {
        d->p[i] = d->r[i] + (beta > 0 ? beta * d->p[i] : 0);
        d->ap[i] = d->ar[i] + (beta > 0 ? beta * d->ap[i] : 0);
    }
    return dot(d->ap, d->ap);
}

static double advance(void *context, double alpha) {
    dense *d = context;
    for (int i = 0; i < N; i++) d->x[i] += alpha * d->p[i], d->r[i] -= alpha * d->ap[i];
    return sqrt(dot(d->r, d->r));
}

static const krylov_method gradients = {cg_precondition, cg_direction, advance},
                           residuals = {cr_product, cr_direction, advance};

static double true_residual(const dense *start, const dense *end) {
    double ax[N], sum = 0;
    times(end, end->x, ax);
    for (int i = 0; i < N; i++) sum += (start->r[i] - ax[i]) * (start->r[i] - ax[i]);
    return sqrt(sum);
}

static void test_both_are_exact_after_n_iterations(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++)
        for (int k = 0; k < 2; k++) {
            dense start = make(seed), d = start;
            krylov work = {.residual = sqrt(dot(d.r, d.r))};
            int iterations = krylov_solve(k ? &residuals : &gradients, &d, &work, 1e-9, 3 * N);
            assert_true(iterations > 3 && iterations <= N + 2);
            assert_true(work.residual <= 1e-9 && true_residual(&start, &d) < 1e-8);
        }
}

// In parts of a few iterations it takes the same way; a restart does not.
static void test_a_solve_goes_on(void **state) {
    (void)state;
    dense whole = make(7), parts = whole, restarted = whole;
    krylov a = {.residual = INFINITY}, b = a, c = a;
    krylov_solve(&gradients, &whole, &a, 0, 6);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(krylov_solve(&gradients, &parts, &b, 0, 2), 2);
        krylov_solve(&gradients, &restarted, &c, 0, 2);
        c.rho = 0;
    }
    assert_memory_equal(whole.x, parts.x, sizeof whole.x);
    assert_true(c.residual > 1.5 * a.residual);
}

static void test_it_ends_early(void **state) {
    (void)state;
    dense d = make(3), untouched = d;
    krylov work = {.residual = 1};
    assert_int_equal(krylov_solve(&gradients, &d, &work, 2, 10), 0); // good enough
    d.fail_after = 2;
    assert_int_equal(krylov_solve(&gradients, &d, &work, 0, 10), 2); // the caller failed
    d = untouched;
    for (int i = 0; i < N; i++) d.r[i] = 0;
    work = (krylov){.residual = 1};
    assert_int_equal(krylov_solve(&gradients, &d, &work, 0, 10), 0); // nothing is left
    d = untouched;
    for (int i = 0; i < N; i++)
        for (int k = 0; k < N; k++) d.a[i][k] *= -1; // not positive
    work = (krylov){.residual = 1};
    assert_int_equal(krylov_solve(&gradients, &d, &work, 0, 10), 0);
    assert_memory_equal(d.x, untouched.x, sizeof d.x);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_are_exact_after_n_iterations),
        cmocka_unit_test(test_a_solve_goes_on),
        cmocka_unit_test(test_it_ends_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
