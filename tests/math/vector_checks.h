// vec3.h, mat3.h, quat.h, splines.h and sph.h against double, for the LANES of the file that includes this.
#include "math/quat.h"
#include "math/sph.h"
#include "math/splines.h"

#include "base/random.h"
#include "math/dvec.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

enum { ROUNDS = 500 };
static const double pi = 3.14159265358979323846;

static double number(uint64_t round, int lane, uint32_t stream, int k) {
    return 2.0 * random_unit(random_bits(31337, round * LANES + (uint64_t)lane, 0, stream), k) - 1;
}
static real reals(uint64_t round, uint32_t stream, int part) {
    float lanes[LANES];
    for (int k = 0; k < LANES; k++) lanes[k] = (float)number(round, k, stream, part);
    return r_load(lanes);
}
static vec3 vectors(uint64_t round, uint32_t stream) {
    return vec3_of(reals(round, stream, 0), reals(round, stream, 1), reals(round, stream, 2));
}
static mat3 matrices(uint64_t round) {
    return mat3_of(vectors(round, 50), vectors(round, 51), vectors(round, 52));
}
static quat rotations(uint64_t round, uint32_t stream) {
    return quat_normalise(quat_of(reals(round, stream, 0), reals(round, stream, 1), reals(round, stream, 2),
                                  reals(round, stream, 3)));
}
static firn_vec3 lane_vector(vec3 v, int k) { return dvec(r_lane(v.x, k), r_lane(v.y, k), r_lane(v.z, k)); }
static firn_quat lane_quat(quat q, int k) {
    return (firn_quat){r_lane(q.w, k), r_lane(q.x, k), r_lane(q.y, k), r_lane(q.z, k)};
}

static void near_value(double got, double truth, double tolerance, const char *what) {
    if (!(fabs(got - truth) <= tolerance)) fail_msg("%s is %.9g, not %.9g", what, got, truth);
}
static void near_vector(vec3 got, int k, firn_vec3 truth, double tolerance, const char *what) {
    firn_vec3 v = lane_vector(got, k);
    if (!(dvec_distance(v, truth) <= tolerance))
        fail_msg("%s is (%.9g %.9g %.9g), not (%.9g %.9g %.9g)", what, v.x, v.y, v.z, truth.x, truth.y,
                 truth.z);
}
#define NEAR(expression, truth) near_value(r_lane(expression, k), truth, 4e-7, #expression)
#define NEAR_VECTOR(expression, truth) near_vector(expression, k, truth, 6e-7, #expression)

static void vectors_agree_with_double(void **state) {
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        vec3 a = vectors(round, 0), b = vectors(round, 1);
        real s = reals(round, 2, 0);
        for (int k = 0; k < LANES; k++) {
            firn_vec3 da = lane_vector(a, k), db = lane_vector(b, k);
            double ds = r_lane(s, k);
            NEAR_VECTOR(vec3_add(a, b), dvec_add(da, db));
            NEAR_VECTOR(vec3_sub(a, b), dvec_sub(da, db));
            NEAR_VECTOR(vec3_mul(a, b), dvec_mul(da, db));
            NEAR_VECTOR(vec3_scale(a, s), dvec_scale(da, ds));
            NEAR_VECTOR(vec3_negate(a), dvec_negate(da));
            NEAR_VECTOR(vec3_add_scaled(a, b, s), dvec_add_scaled(da, db, ds));
            NEAR_VECTOR(vec3_min(a, b), dvec_min(da, db));
            NEAR_VECTOR(vec3_max(a, b), dvec_max(da, db));
            NEAR_VECTOR(vec3_abs(a), dvec_abs(da));
            NEAR_VECTOR(vec3_cross(a, b), dvec_cross(da, db));
            NEAR_VECTOR(vec3_select(r_lt(s, R(0)), a, b), ds < 0 ? da : db);
            NEAR(vec3_dot(a, b), dvec_dot(da, db));
            NEAR(vec3_length2(a), dvec_length2(da));
            NEAR(vec3_length(a), dvec_length(da));
            NEAR(vec3_largest(a), fmax(da.x, fmax(da.y, da.z)));
            vec3 unit = vec3_normalise(a, vec3_all(R(7))), side = vec3_perpendicular(unit);
            NEAR_VECTOR(unit, dvec_normalise(da));
            NEAR(vec3_dot(unit, side), 0);
            NEAR(vec3_length(side), 1);
        }
    }
    vec3 axes[] = {vec3_of(R(1), R(0), R(0)), vec3_of(R(0), R(-1), R(0)), vec3_of(R(0), R(0), R(1))};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < LANES; k++) {
            NEAR(vec3_dot(axes[i], vec3_perpendicular(axes[i])), 0);
            NEAR(vec3_length(vec3_perpendicular(axes[i])), 1);
        }
    vec3 zero = vec3_all(R(0));
    for (int k = 0; k < LANES; k++)
        NEAR_VECTOR(vec3_normalise(zero, vec3_of(R(0), R(1), R(0))), dvec(0, 1, 0));
}

static void matrices_obey_their_laws(void **state) {
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        mat3 a = matrices(round), b = matrices(round + 100000);
        vec3 v = vectors(round, 60), w = vectors(round, 61);
        for (int k = 0; k < LANES; k++) {
            firn_vec3 x = lane_vector(a.x, k), y = lane_vector(a.y, k), z = lane_vector(a.z, k),
                      dv = lane_vector(v, k);
            firn_vec3 av = dvec_add(dvec_scale(x, dv.x), dvec_add(dvec_scale(y, dv.y), dvec_scale(z, dv.z)));
            firn_vec3 dw = lane_vector(w, k);
            NEAR_VECTOR(mat3_times(a, v), av);
            NEAR_VECTOR(mat3_transposed_times(a, v), dvec(dvec_dot(x, dv), dvec_dot(y, dv), dvec_dot(z, dv)));
            NEAR_VECTOR(mat3_times(mat3_transpose(a), v),
                        dvec(dvec_dot(x, dv), dvec_dot(y, dv), dvec_dot(z, dv)));
            NEAR_VECTOR(mat3_times(mat3_outer(v, w), v), dvec_scale(dv, dvec_dot(dw, dv)));
            NEAR_VECTOR(mat3_times(mat3_diagonal(w), v), dvec_mul(dw, dv));
            NEAR_VECTOR(mat3_times(mat3_identity(), v), dv);
            NEAR_VECTOR(mat3_scale_columns(a, w).y, dvec_scale(y, dw.y));
            NEAR_VECTOR(mat3_add(a, b).z, dvec_add(z, lane_vector(b.z, k)));
            NEAR_VECTOR(mat3_sub(a, b).x, dvec_sub(x, lane_vector(b.x, k)));
            NEAR_VECTOR(mat3_scale(a, w.x).y, dvec_scale(y, dw.x));
            NEAR_VECTOR(mat3_select(r_lt(w.x, R(0)), a, b).z, dw.x < 0 ? z : lane_vector(b.z, k));
            NEAR(mat3_trace(a), x.x + y.y + z.z);
            NEAR(mat3_determinant(a), dvec_dot(x, dvec_cross(y, z)));
            NEAR(mat3_norm2(a) * R(0.1f), 0.1 * (dvec_length2(x) + dvec_length2(y) + dvec_length2(z)));
            // (a b) v = a (b v), and the transposed products are products of transposes.
            near_vector(mat3_times(mat3_multiply(a, b), v), k,
                        lane_vector(mat3_times(a, mat3_times(b, v)), k), 3e-6, "a b v");
            near_vector(mat3_multiply_transposed(a, b).y, k,
                        lane_vector(mat3_multiply(a, mat3_transpose(b)).y, k), 1e-6, "a b^T");
            near_vector(mat3_transposed_multiply(a, b).z, k,
                        lane_vector(mat3_multiply(mat3_transpose(a), b).z, k), 1e-6, "a^T b");
            // a^T cof(a) = det(a) I
            double det = dvec_dot(x, dvec_cross(y, z));
            mat3 product = mat3_transposed_multiply(a, mat3_cofactor(a));
            NEAR_VECTOR(product.x, dvec(det, 0, 0));
            NEAR_VECTOR(product.y, dvec(0, det, 0));
            NEAR_VECTOR(product.z, dvec(0, 0, det));
            if (fabs(det) > 0.1)
                near_vector(mat3_multiply(mat3_inverse(a), a).y, k, dvec(0, 1, 0), 2e-5, "a^-1 a");
        }
    }
}

static void quaternions_agree_with_double(void **state) {
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        quat q = rotations(round, 70), p = rotations(round, 71);
        vec3 v = vectors(round, 72), axis = vec3_normalise(vectors(round, 73), vec3_of(R(1), R(0), R(0)));
        real angle = reals(round, 74, 0) * R(6);
        for (int k = 0; k < LANES; k++) {
            firn_quat dq = lane_quat(q, k), dp = lane_quat(p, k);
            firn_vec3 dv = lane_vector(v, k), turned = dquat_rotate(dq, dv);
            near_vector(quat_rotate(q, v), k, turned, 2e-6, "q v");
            near_vector(quat_rotate_back(q, quat_rotate(q, v)), k, dv, 3e-6, "q^-1 q v");
            near_vector(mat3_times(quat_matrix(q), v), k, turned, 2e-6, "matrix of q");
            near_vector(quat_rotate(quat_multiply(p, q), v), k, dquat_rotate(dp, turned), 4e-6, "p q v");
            firn_quat about = dquat_about(lane_vector(axis, k), r_lane(angle, k));
            near_vector(quat_rotate(quat_about(axis, angle), v), k, dquat_rotate(about, dv), 3e-6,
                        "turn about an axis");
            firn_quat spun = dquat_spin(dq, lane_vector(v, k), 0.25);
            near_vector(quat_rotate(quat_spin(q, v, R(0.25f)), v), k, dquat_rotate(spun, dv), 3e-6, "spin");
        }
    }
    quat none = quat_normalise(quat_of(R(0), R(0), R(0), R(0))),
         still = quat_spin(none, vec3_all(R(0)), R(1));
    for (int k = 0; k < LANES; k++) {
        assert_true(r_lane(none.w, k) == 1 && r_lane(none.x, k) == 0);
        assert_true(r_lane(still.w, k) == 1 && r_lane(still.y, k) == 0);
    }
}

// The definitions, piece by piece, in double.
static double cubic(double d) {
    double a = fabs(d);
    return a < 1 ? a * a * a / 2 - a * a + 2.0 / 3 : a < 2 ? (2 - a) * (2 - a) * (2 - a) / 6 : 0;
}
static double quadratic(double d) {
    double a = fabs(d);
    return a < 0.5 ? 0.75 - a * a : a < 1.5 ? (1.5 - a) * (1.5 - a) / 2 : 0;
}
static double slope_of(double (*f)(double), double d) { return (f(d + 1e-5) - f(d - 1e-5)) / 2e-5; }

static void splines_follow_their_definition(void **state) {
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        real d = reals(round, 80, 0) * R(2.5f);
        for (int k = 0; k < LANES; k++) {
            double at = r_lane(d, k);
            NEAR(spline3(d), cubic(at));
            NEAR(spline2(d), quadratic(at));
            near_value(r_lane(spline3_slope(d), k), slope_of(cubic, at), 1e-6, "slope of the cubic");
            near_value(r_lane(spline2_slope(d), k), slope_of(quadratic, at), 1e-5, "slope of the quadratic");
        }
    }
}

static void check_weights(const real *w, const real *slope, const double *node, int count,
                          double (*f)(double), double at, int k) {
    double sum = 0, moment = 0, slopes = 0, slope_moment = 0;
    for (int i = 0; i < count; i++) {
        near_value(r_lane(w[i], k), f(at - node[i]), 1e-6, "weight");
        near_value(r_lane(slope[i], k), slope_of(f, at - node[i]), 1e-5, "slope");
        sum += r_lane(w[i], k);
        moment += r_lane(w[i], k) * (node[i] - at);
        slopes += r_lane(slope[i], k);
        slope_moment += r_lane(slope[i], k) * (node[i] - at);
    }
    near_value(sum, 1, 2e-7, "sum of weights");
    near_value(moment, 0, 5e-7, "first moment");
    near_value(slopes, 0, 5e-7, "sum of slopes");
    near_value(slope_moment, 1, 1e-6, "gradient of a linear field");
}

static void weights_carry_constants_and_lines_exactly(void **state) {
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        real x = reals(round, 81, 0) * R(4), first3, first2, w[4], slope[4], w2[3], slope2[3];
        if (round < 17) x = R(-2) + R(0.25f) * R((float)round); // on nodes and half-way between
        spline3_weights(x, &first3, w, slope);
        spline2_weights(x, &first2, w2, slope2);
        for (int k = 0; k < LANES; k++) {
            double at = r_lane(x, k), n3 = r_lane(first3, k), n2 = r_lane(first2, k);
            assert_true(n3 == floor(at) - 1 && n2 == floor(at - 0.5));
            check_weights(w, slope, (double[4]){n3, n3 + 1, n3 + 2, n3 + 3}, 4, cubic, at, k);
            check_weights(w2, slope2, (double[3]){n2, n2 + 1, n2 + 2}, 3, quadratic, at, k);
        }
    }
}

// Simpson's rule over the ball of radius h.
static double over_ball(double (*f)(sph k, double r), sph kernel, double h) {
    enum { N = 2000 };
    double sum = 0;
    for (int i = 0; i <= N; i++) {
        double r = h * i / N, weight = i == 0 || i == N ? 1 : i % 2 ? 4 : 2;
        sum += weight * 4 * pi * r * r * f(kernel, r);
    }
    return sum * h / N / 3;
}
static double poly6_at(sph k, double r) { return r_lane(sph_poly6(k, R(r * r)), 0); }
// A kernel W that vanishes at h has integral W = - integral (r / 3) W'.
static double spiky_at(sph k, double r) { return -r / 3 * r_lane(sph_spiky_slope(k, R(r)), 0); }
// One that vanishes there with its slope has integral W = integral (r^2 / 6) lap W.
static double viscosity_at(sph k, double r) {
    return r * r / 6 * r_lane(sph_viscosity_laplacian(k, R(r)), 0);
}

static void kernels_integrate_to_one(void **state) {
    (void)state;
    const double radii[] = {1e-5, 0.0362783, 1, 250};
    for (int i = 0; i < 4; i++) {
        sph k = sph_of(R(radii[i]));
        near_value(over_ball(poly6_at, k, radii[i]), 1, 2e-6, "integral of poly6");
        near_value(over_ball(spiky_at, k, radii[i]), 1, 2e-6, "integral of the spiky kernel");
        near_value(over_ball(viscosity_at, k, radii[i]), 1, 2e-6, "integral of the viscosity kernel");
    }
}

static void kernels_follow_their_formulas(void **state) {
    (void)state;
    for (uint64_t round = 0; round < ROUNDS; round++) {
        vec3 apart = vec3_scale(vectors(round, 90), R(0.06f));
        double h = 0.05;
        sph kernel = sph_of(R(h));
        real r = vec3_length(apart);
        vec3 gradient = sph_spiky_gradient(kernel, apart);
        for (int k = 0; k < LANES; k++) {
            firn_vec3 d = lane_vector(apart, k);
            double l = dvec_length(d), rest = fmax(0, h - l), rest2 = fmax(0, h * h - l * l);
            double poly6 = 315 / (64 * pi * pow(h, 9)) * pow(rest2, 3),
                   spiky = -45 / (pi * pow(h, 6)) * rest * rest;
            double laplacian = 45 / (pi * pow(h, 6)) * rest;
            near_value(r_lane(sph_poly6(kernel, vec3_length2(apart)), k), poly6,
                       315 / (64 * pi * h * h * h) * 1e-6, "poly6");
            near_value(r_lane(sph_spiky_slope(kernel, r), k), spiky, 45 / (pi * pow(h, 4)) * 1e-6,
                       "spiky slope");
            near_value(r_lane(sph_viscosity_laplacian(kernel, r), k), laplacian, 45 / (pi * pow(h, 5)) * 1e-6,
                       "laplacian");
            near_vector(gradient, k, dvec_scale(d, spiky / l), 45 / (pi * pow(h, 4)) * 2e-6,
                        "spiky gradient");
        }
        vec3 none = sph_spiky_gradient(kernel, vec3_all(R(0)));
        for (int k = 0; k < LANES; k++) near_vector(none, k, dvec(0, 0, 0), 0, "gradient at the same place");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_agree_with_double),
        cmocka_unit_test(matrices_obey_their_laws),
        cmocka_unit_test(quaternions_agree_with_double),
        cmocka_unit_test(splines_follow_their_definition),
        cmocka_unit_test(weights_carry_constants_and_lines_exactly),
        cmocka_unit_test(kernels_integrate_to_one),
        cmocka_unit_test(kernels_follow_their_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
