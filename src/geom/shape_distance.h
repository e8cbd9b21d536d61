// Signed distance and outward normal of primitives about the origin, exact inside and outside.
#ifndef GEOM_SHAPE_DISTANCE_H
#define GEOM_SHAPE_DISTANCE_H

#include <math.h>

typedef struct surface_answer {
    float d, nx, ny, nz;
} surface_answer;

static inline float larger(float a, float b) { return a > b ? a : b; }
static inline float smaller(float a, float b) { return a < b ? a : b; }

static inline surface_answer plane_answer(float x, float y, float z) {
    (void)x, (void)z;
    return (surface_answer){y, 0, 1, 0};
}

// At the centre every direction is right; up is taken.
static inline surface_answer sphere_answer(float x, float y, float z, float radius) {
    float square = x * x + y * y + z * z, length = sqrtf(square);
    float inverse = 1 / larger(length, 1e-30f);
    return (surface_answer){length - radius, x * inverse, length > 1e-30f ? y * inverse : 1, z * inverse};
}

static inline surface_answer capsule_answer(float x, float y, float z, float radius, float half) {
    float along = y - smaller(larger(y, -half), half);
    float length = sqrtf(x * x + along * along + z * z);
    float inverse = 1 / larger(length, 1e-30f);
    return (surface_answer){length - radius, length > 1e-30f ? x * inverse : 1, along * inverse, z * inverse};
}

static inline surface_answer box_answer(float x, float y, float z, const float half[3]) {
    float qx = fabsf(x) - half[0], qy = fabsf(y) - half[1], qz = fabsf(z) - half[2];
    float ox = larger(qx, 0), oy = larger(qy, 0), oz = larger(qz, 0);
    float outside = sqrtf(ox * ox + oy * oy + oz * oz), inside = larger(qx, larger(qy, qz));
    float inverse = 1 / larger(outside, 1e-30f);
    int out = outside > 1e-30f, face_y = qy >= qx && qy >= qz, face_x = !face_y && qx >= qz;
    float mx = out ? ox * inverse : face_x ? 1.f : 0.f;
    float my = out ? oy * inverse : face_y ? 1.f : 0.f;
    float mz = out ? oz * inverse : !face_x && !face_y ? 1.f : 0.f;
    return (surface_answer){out ? outside : inside, copysignf(mx, x), copysignf(my, y), copysignf(mz, z)};
}

static inline surface_answer cylinder_answer(float x, float y, float z, float radius, float half) {
    float r = sqrtf(x * x + z * z), inverse_r = 1 / larger(r, 1e-30f);
    float ux = r > 1e-30f ? x * inverse_r : 1, uz = z * inverse_r;
    float qr = r - radius, qy = fabsf(y) - half;
    float or = larger(qr, 0), oy = larger(qy, 0);
    float outside = sqrtf(or * or +oy * oy), inverse = 1 / larger(outside, 1e-30f);
    int out = outside > 1e-30f, cap = qy >= qr;
    float mr = out ? or *inverse : cap ? 0.f : 1.f;
    float my = out ? oy * inverse : cap ? 1.f : 0.f;
    return (surface_answer){out ? outside : larger(qr, qy), mr * ux, copysignf(my, y), mr * uz};
}

enum { ELLIPSOID_STEPS = 13 };
// The nearest point of the surface is r_i^2 p_i / (t + r_i^2) where t solves sum (r_i p_i / (t + r_i^2))^2
// = 1. With u = t + r_min^2 and e_i = r_i^2 - r_min^2 nothing cancels near the centre. Newton's method on 1 /
// sqrt(sum) - 1, which is nearly a line, starts on the surface (u = 1 in units of r_min) and is kept between
// bounds. A point on a plane of symmetry is moved off it by 1e-6 r_min, so that inside the focal ellipse one
// of the two nearest points is chosen.
static inline surface_answer ellipsoid_answer(float x, float y, float z, const float radii[3]) {
    float least = smaller(radii[0], smaller(radii[1], radii[2])), unit = 1 / least;
    float a = radii[0] * unit, b = radii[1] * unit, c = radii[2] * unit;
    float px = larger(fabsf(x) * unit, 1e-6f), py = larger(fabsf(y) * unit, 1e-6f),
          pz = larger(fabsf(z) * unit, 1e-6f);
    float ea = a * a - 1, eb = b * b - 1, ec = c * c - 1, wa = a * px, wb = b * py, wc = c * pz;
    float high = sqrtf(wa * wa + wb * wb + wc * wc), low = larger(wa - ea, larger(wb - eb, wc - ec));
    low = larger(low, high - larger(ea, larger(eb, ec)));
    float u = smaller(larger(low, 1), high);
    for (int step = 0; step < ELLIPSOID_STEPS; step++) {
        float ia = 1 / (u + ea), ib = 1 / (u + eb), ic = 1 / (u + ec);
        float sa = wa * ia * (wa * ia), sb = wb * ib * (wb * ib), sc = wc * ic * (wc * ic);
        float sum = sa + sb + sc, next = u + sum * (sqrtf(sum) - 1) / (sa * ia + sb * ib + sc * ic);
        low = sum >= 1 ? larger(low, u) : low;
        high = sum >= 1 ? high : smaller(high, u);
        u = next < low || next > high ? sqrtf(low * high) : next;
    }
    float gx = px / (u + ea), gy = py / (u + eb), gz = pz / (u + ec);
    float length = sqrtf(gx * gx + gy * gy + gz * gz), inverse = 1 / length;
    return (surface_answer){(u - 1) * length * least, copysignf(gx * inverse, x), copysignf(gy * inverse, y),
                            copysignf(gz * inverse, z)};
}

#endif
