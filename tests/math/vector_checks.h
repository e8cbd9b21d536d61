// vec3.h and mat3.h against double, for the LANES of the file that includes this.
#include "math/mat3.h"

#include "base/random.h"
#include "math/dvec.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

enum { ROUNDS = 500 };

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
static firn_vec3 lane_vector(vec3 v, int k) { return dvec(r_lane(v.x, k), r_lane(v.y, k), r_lane(v.z, k)); }
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
            NEAR_VECTOR(vec3_mul(a, b), dvec(da.x * db.x, da.y * db.y, da.z * db.z));
            NEAR_VECTOR(vec3_scale(a, s), dvec_scale(da, ds));
            NEAR_VECTOR(vec3_negate(a), dvec_negate(da));
            NEAR_VECTOR(vec3_add_scaled(a, b, s), dvec_add_scaled(da, db, ds));
            NEAR_VECTOR(vec3_max(a, b), dvec_max(da, db));
            NEAR_VECTOR(vec3_abs(a), dvec_abs(da));
            NEAR_VECTOR(vec3_cross(a, b), dvec_cross(da, db));
            NEAR_VECTOR(vec3_select(r_lt(s, R(0)), a, b), ds < 0 ? da : db);
            NEAR(vec3_dot(a, b), dvec_dot(da, db));
            NEAR(vec3_length2(a), dvec_length2(da));
            NEAR(vec3_length(a), dvec_length(da));
            NEAR(vec3_largest(a), fmax(da.x, fmax(da.y, da.z)));
            vec3 unit = vec3_scale(a, R(1) / vec3_length(a)), side = vec3_perpendicular(unit);
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
            NEAR_VECTOR(mat3_times(mat3_transpose(a), v),
                        dvec(dvec_dot(x, dv), dvec_dot(y, dv), dvec_dot(z, dv)));
            NEAR_VECTOR(mat3_times(mat3_transpose(a), v),
                        dvec(dvec_dot(x, dv), dvec_dot(y, dv), dvec_dot(z, dv)));
            NEAR_VECTOR(mat3_times(mat3_diagonal(w), v), dvec(dw.x * dv.x, dw.y * dv.y, dw.z * dv.z));
            NEAR_VECTOR(mat3_times(mat3_identity(), v), dv);
            NEAR_VECTOR(mat3_scale_columns(a, w).y, dvec_scale(y, dw.y));
            NEAR_VECTOR(mat3_add(a, b).z, dvec_add(z, lane_vector(b.z, k)));
            NEAR_VECTOR(mat3_scale(a, w.x).y, dvec_scale(y, dw.x));
            NEAR(mat3_trace(a), x.x + y.y + z.z);
            // (a b) v = a (b v), and a b^T is a product with the transpose.
            near_vector(mat3_times(mat3_multiply(a, b), v), k,
                        lane_vector(mat3_times(a, mat3_times(b, v)), k), 3e-6, "a b v");
            near_vector(mat3_multiply_transposed(a, b).y, k,
                        lane_vector(mat3_multiply(a, mat3_transpose(b)).y, k), 1e-6, "a b^T");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_agree_with_double),
        cmocka_unit_test(matrices_obey_their_laws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
