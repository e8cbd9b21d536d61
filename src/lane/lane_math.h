// Part of lane.h: exp, log, sin, cos, the same on every machine of one instruction set. The polynomials are
// minimax fits of our own (Remez exchange, coefficients rounded to float one by one). Bounds: README.md,
// tests/lane.
#ifndef LANE_LANE_MATH_H
#define LANE_LANE_MATH_H

// 2^n for n in -126 .. 127.
LANE_INLINE real r_power_of_two(ireal n) { return r_from_bits(i_shift_left(i_add_wrap(n, RI(127)), 23)); }

// Nearest whole number of a small real (|a| < 2^22) through the low bits of a float near 1.5 2^23: no
// conversion, so NaN does no harm.
LANE_INLINE real lane_whole(real a, ireal *n) {
    real shifted = a + R(0x1.8p23f);
    *n = i_add_wrap(r_bits(shifted), RI(-0x4b400000));
    return shifted - R(0x1.8p23f);
}

// Within 1 ulp. 0 below -104, infinite above 88.73; subnormal results are right; NaN stays.
LANE_INLINE real r_exp(real x) {
    x = r_clamp(x, R(-104), R(89));
    ireal n;
    real whole = lane_whole(x * R(0x1.715476p+0f), &n);
    real near = x - whole * R(0x1.62e4p-1f); // exact
    real r = near - whole * R(0x1.7f7d1cp-20f);
    real low = (near - r) - whole * R(0x1.7f7d1cp-20f); // what r lost
    real q = R(0x1.6ad158p-10f);
    q = r_fma(q, r, R(0x1.123f3p-7f));
    q = r_fma(q, r, R(0x1.55584ep-5f));
    q = r_fma(q, r, R(0x1.55548ap-3f));
    q = r_fma(q, r, R(0x1.fffffcp-2f));
    real p = R(1) + (r + r_fma(q, r * r, low));
    // In two steps, because 2^n itself may be out of range where the result is not.
    ireal part = i_shift_right(n, 1);
    return p * r_power_of_two(part) * r_power_of_two(n - part);
}

// Natural logarithm, within 1 ulp. log(0) is minus infinity, log of less is NaN; infinity and NaN stay.
LANE_INLINE real r_log(real x) {
    mask subnormal = r_lt(x, R(0x1p-126f));
    real scaled = r_select(subnormal, x * R(0x1p23f), x);
    // m in [sqrt(1/2), sqrt(2)): the exponent's step is moved there, so that log(1 + f) loses nothing near 1.
    ireal bits = i_add_wrap(r_bits(scaled), RI(-0x3f3504f3));
    real e = r_from_int(i_shift_right(bits, 23) - (subnormal & RI(23)));
    real f = r_from_bits(i_add_wrap(bits & RI(0x007fffff), RI(0x3f3504f3))) - R(1);
    real p = R(-0x1.392db2p-4f);
    p = r_fma(p, f, R(0x1.058178p-3f));
    p = r_fma(p, f, R(-0x1.0d832ep-3f));
    p = r_fma(p, f, R(0x1.22d582p-3f));
    p = r_fma(p, f, R(-0x1.547204p-3f));
    p = r_fma(p, f, R(0x1.99a036p-3f));
    p = r_fma(p, f, R(-0x1.000228p-2f));
    p = r_fma(p, f, R(0x1.555554p-2f));
    real ff = f * f;
    real tail = r_fma(e, R(0x1.7f7d1cp-20f), r_fma(p * f, ff, R(-0.5f) * ff));
    real result = r_fma(e, R(0x1.62e4p-1f), f + tail);
    result = r_select(r_eq(x, R(0)), R(-__builtin_inff()), result);
    result = r_select(r_lt(x, R(0)), R(__builtin_nanf("")), result);
    return r_select(r_lt(x, R(__builtin_inff())), result, x); // infinity and NaN
}

// Sine and cosine of an angle in rad. Within 1 ulp of the result, or 2^-38 where the result is smaller than
// 2^-14 and |x| > 100. Beyond |x| = 100000, where an angle kept as float has lost its meaning, both are NaN.
LANE_INLINE void r_sincos(real x, real *sine, real *cosine) {
    ireal n;
    real whole = lane_whole(x * R(0x1.45f306p-1f), &n);
    // pi/2 in four parts of 8 bits, whose products with n are exact, and a rest. The first two steps are
    // exact too; what the others lose is kept in `low`, so that the angle left is r + low.
    real near = (x - whole * R(0x1.92p+0f)) - whole * R(0x1.fap-12f);
    real r = near - whole * R(0x1.54p-20f);
    real low = (near - r) - whole * R(0x1.54p-20f);
    low = (low - whole * R(0x1.1p-30f)) - whole * R(0x1.68c234p-39f);
    real sum = r + low;
    low = (r - sum) + low;
    r = sum;
    real z = r * r;
    real s = r_fma(r_fma(R(-0x1.9951eap-13f), z, R(0x1.110774p-7f)), z, R(-0x1.555546p-3f));
    s = r + r_fma(s * z, r, low);
    real c = r_fma(r_fma(R(0x1.99e80cp-16f), z, R(-0x1.6c0c28p-10f)), z, R(0x1.55554ap-5f));
    // 1 - z/2 is rounded; what that loses goes into the small terms.
    real rough = r_fma(R(-0.5f), z, R(1)), lost = r_fma(R(-0.5f), z, R(1) - rough);
    c = rough + (r_fma(c * z, z, lost) - r * low);
    mask odd = i_ne(n & RI(1), RI(0)), known = r_le(r_abs(x), R(100000));
    ireal sine_sign = i_shift_left(n & RI(2), 30),
          cosine_sign = i_shift_left(i_add_wrap(n, RI(1)) & RI(2), 30);
    real nan = R(__builtin_nanf(""));
    *sine = r_select(known, r_from_bits(r_bits(r_select(odd, c, s)) ^ sine_sign), nan);
    *cosine = r_select(known, r_from_bits(r_bits(r_select(odd, s, c)) ^ cosine_sign), nan);
}
LANE_INLINE real r_sin(real x) {
    real sine, cosine;
    r_sincos(x, &sine, &cosine);
    return sine;
}
LANE_INLINE real r_cos(real x) {
    real sine, cosine;
    r_sincos(x, &sine, &cosine);
    return cosine;
}

#endif
