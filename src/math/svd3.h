// Singular values of 3x3 matrices (lane C). One-sided Jacobi: the columns of A
// are turned in pairs until they are orthogonal (A V = U S). It never forms A^T A, whose small singular
// values would be lost in rounding, so that nearly singular matrices are as accurate as others.
#ifndef MATH_SVD3_H
#define MATH_SVD3_H

#include "math/mat3.h"

// a = u diag(s) v^T with u and v rotations (determinant +1) and s.x >= s.y >= |s.z|: the sign of the
// determinant is that of the smallest value, as the snow models need it. All is zero, u and v the identity,
// for the zero matrix; NaN or infinity in a gives NaN.
typedef struct svd3 {
    mat3 u;
    vec3 s;
    mat3 v;
} svd3;

enum { SVD3_MAX_SWEEPS = 8 };

// Jacobi rotation of columns p and q of a, and of v, towards orthogonality, the longer one first. Lanes that
// are not `active` keep their bits. Returns where another sweep is needed: once all angles and cosines of a
// sweep are below 3e-4, what it leaves behind, being their product, is below the rounding.
LANE_INLINE mask svd3_turn(vec3 *p, vec3 *q, vec3 *vp, vec3 *vq, mask active) {
    real pp = vec3_dot(*p, *p), qq = vec3_dot(*q, *q), pq = vec3_dot(*p, *q);
    real difference = pp - qq, square = pq * pq, sizes = pp * qq;
    // Products below 1e-17 are rounding errors, and their squares would underflow.
    mask straight = r_le(square, R(1e-13f) * sizes) | r_lt(r_abs(pq), R(1e-17f)) | ~active;
    mask swap = r_lt(difference, R(0)) & active;
    // The angle t with tan 2t = 2 pq / difference makes a right angle. tan t/2 = sine / cosine below is
    // within a tenth of it, and exact for small angles, without roots; the turn itself is exact for any such
    // pair.
    real size = r_abs(difference), sine = R(2) * pq, bend = r_abs(pq);
    real cosine = r_fma(R(4), size, r_max(R(0.5f) * bend, r_fma(R(4.5f), bend, R(-1.4f) * size)));
    real cosine2 = cosine * cosine, sine2 = R(4) * square;
    real norm = R(1) / (cosine2 + sine2);
    real large = r_select(straight, R(1), (cosine2 - sine2) * norm);
    real small = r_where(~straight, R(2) * cosine * sine * norm);
    real c = r_select(swap, small, large), s = r_select(swap, large, small);
    vec3 old = *p, old_v = *vp;
    *p = vec3_add_scaled(vec3_scale(*p, c), *q, s);
    *q = vec3_add_scaled(vec3_scale(*q, c), old, -s);
    *vp = vec3_add_scaled(vec3_scale(*vp, c), *vq, s);
    *vq = vec3_add_scaled(vec3_scale(*vq, c), old_v, -s);
    return ((r_gt(square, R(1e-7f) * sizes) | r_gt(r_abs(small), R(3e-4f))) & ~straight) | swap;
}

// The power of two that brings the largest part of a to about 1, and its inverse.
LANE_INLINE real svd3_scale(mat3 a, real *inverse) {
    real largest =
        r_max(vec3_largest(vec3_abs(a.x)), r_max(vec3_largest(vec3_abs(a.y)), vec3_largest(vec3_abs(a.z))));
    ireal exponent = i_shift_right(r_bits(largest), 23) - RI(127);
    exponent = i_max(i_min(exponent, RI(126)), RI(-126));
    *inverse = r_power_of_two(exponent);
    return r_power_of_two(-exponent);
}

// u and s from a matrix with orthogonal columns of falling length.
LANE_INLINE void svd3_finish(mat3 a, svd3 *out) {
    real length = vec3_length(a.x);
    mask any = r_gt(length, R(0)) | r_ne(length, length);
    out->u.x = vec3_select(any, vec3_scale(a.x, R(1) / length), vec3_of(R(1), R(0), R(0)));
    // Twice, because a short column has rounding errors along the long one.
    vec3 y = vec3_add_scaled(a.y, out->u.x, -vec3_dot(out->u.x, a.y));
    y = vec3_add_scaled(y, out->u.x, -vec3_dot(out->u.x, y));
    real rest2 = vec3_length2(y);
    // A column of rounding errors has no direction.
    mask noise = r_le(rest2, r_max(R(1e-15f) * length * length, R(1e-4f) * vec3_length2(a.y)));
    out->u.y = vec3_select(noise, vec3_perpendicular(out->u.x), vec3_scale(y, r_rsqrt(rest2)));
    out->u.z = vec3_cross(out->u.x, out->u.y);
    real middle = r_min(r_where(~noise, r_sqrt(rest2)), length), last = vec3_dot(out->u.z, a.z);
    out->s = vec3_of(length, middle, r_copysign(r_min(r_abs(last), middle), last));
}

static inline svd3 svd3_of(mat3 a) {
    svd3 out;
    real back;
    mat3 b = mat3_scale(a, svd3_scale(a, &back));
    out.v = mat3_identity();
    mask active = ~RI(0);
    for (int sweep = 0; sweep < SVD3_MAX_SWEEPS && m_any(active); sweep++) {
        mask more = svd3_turn(&b.x, &b.y, &out.v.x, &out.v.y, active);
        more |= svd3_turn(&b.x, &b.z, &out.v.x, &out.v.z, active);
        more |= svd3_turn(&b.y, &b.z, &out.v.y, &out.v.z, active);
        active &= more;
    }
    // A null rotation keeps all bits but the sign of a zero; adding zero makes it +0.
    mat3 zero = mat3_diagonal(vec3_all(R(0)));
    out.v = mat3_add(out.v, zero);
    svd3_finish(mat3_add(b, zero), &out);
    out.s = vec3_scale(out.s, back);
    return out;
}

#endif
