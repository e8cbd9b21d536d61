// Signed distance functions (SDF) of primitives about the origin, with outward unit normal, exact inside and
// outside. Lane C.
#ifndef GEOM_SHAPE_SDF_H
#define GEOM_SHAPE_SDF_H

#include "lane/lane.h"

typedef struct isosurface_result {
    real d, nx, ny, nz;
} isosurface_result;

// Lengths below this count as zero, with a fixed direction.
#define NO_LENGTH R(1e-30f)

LANE_INLINE real length3(real x, real y, real z) { return r_sqrt(x * x + y * y + z * z); }

LANE_INLINE isosurface_result plane_answer(real y) {
    isosurface_result a = {y, R(0), R(1), R(0)};
    return a;
}

// At the centre the normal is arbitrary: up.
LANE_INLINE isosurface_result sphere_answer(real x, real y, real z, real radius) {
    real length = length3(x, y, z), inverse = R(1) / r_max(length, NO_LENGTH);
    isosurface_result a = {length - radius, x * inverse, r_select(r_gt(length, NO_LENGTH), y * inverse, R(1)),
                           z * inverse};
    return a;
}

LANE_INLINE isosurface_result capsule_answer(real x, real y, real z, real radius, real half_length) {
    real along = y - r_clamp(y, -half_length, half_length), length = length3(x, along, z);
    real inverse = R(1) / r_max(length, NO_LENGTH);
    isosurface_result a = {length - radius, r_select(r_gt(length, NO_LENGTH), x * inverse, R(1)),
                           along * inverse, z * inverse};
    return a;
}

// Outside: to the nearest point of the box, which has the excess over each half extent. Inside: to the
// nearest face.
LANE_INLINE isosurface_result box_answer(real x, real y, real z, real hx, real hy, real hz) {
    real qx = r_abs(x) - hx, qy = r_abs(y) - hy, qz = r_abs(z) - hz;
    real ox = r_max(qx, R(0)), oy = r_max(qy, R(0)), oz = r_max(qz, R(0));
    real outside = length3(ox, oy, oz), inside = r_max(qx, r_max(qy, qz)),
         inverse = R(1) / r_max(outside, NO_LENGTH);
    mask out = r_gt(outside, NO_LENGTH), face_y = r_ge(qy, r_max(qx, qz)), face_x = ~face_y & r_ge(qx, qz);
    real mx = r_select(out, ox * inverse, r_where(face_x, R(1)));
    real my = r_select(out, oy * inverse, r_where(face_y, R(1)));
    real mz = r_select(out, oz * inverse, r_where(~face_x & ~face_y, R(1)));
    isosurface_result a = {r_select(out, outside, inside), r_copysign(mx, x), r_copysign(my, y),
                           r_copysign(mz, z)};
    return a;
}

LANE_INLINE isosurface_result cylinder_answer(real x, real y, real z, real radius, real half_length) {
    real r = r_sqrt(x * x + z * z), inverse_r = R(1) / r_max(r, NO_LENGTH);
    real ux = r_select(r_gt(r, NO_LENGTH), x * inverse_r, R(1)), uz = z * inverse_r;
    real qr = r - radius, qy = r_abs(y) - half_length;
    real or = r_max(qr, R(0)), oy = r_max(qy, R(0));
    real outside = r_sqrt(or * or +oy * oy), inverse = R(1) / r_max(outside, NO_LENGTH);
    mask out = r_gt(outside, NO_LENGTH), cap = r_ge(qy, qr);
    real mr = r_select(out, or *inverse, r_where(~cap, R(1)));
    real my = r_select(out, oy * inverse, r_where(cap, R(1)));
    isosurface_result a = {r_select(out, outside, r_max(qr, qy)), mr * ux, r_copysign(my, y), mr * uz};
    return a;
}

#define ELLIPSOID_STEPS 13
// The nearest point of the surface is r_i^2 p_i / (t + r_i^2) where t solves sum (r_i p_i / (t + r_i^2))^2
// = 1. With u = t + r_min^2 and e_i = r_i^2 - r_min^2 nothing cancels near the centre. Newton's method on 1 /
// sqrt(sum) - 1, which is nearly a line, starts on the surface (u = 1 in units of r_min) and is kept between
// bounds. A point on a plane of symmetry is moved off it by 1e-6 r_min, so that inside the focal ellipse one
// of the two nearest points is chosen.
LANE_INLINE isosurface_result ellipsoid_answer(real x, real y, real z, real rx, real ry, real rz) {
    real least = r_min(rx, r_min(ry, rz)), unit = R(1) / least, off = R(1e-6f);
    real a = rx * unit, b = ry * unit, c = rz * unit;
    real px = r_max(r_abs(x) * unit, off), py = r_max(r_abs(y) * unit, off), pz = r_max(r_abs(z) * unit, off);
    real ea = a * a - R(1), eb = b * b - R(1), ec = c * c - R(1), wa = a * px, wb = b * py, wc = c * pz;
    real high = length3(wa, wb, wc), low = r_max(wa - ea, r_max(wb - eb, wc - ec));
    low = r_max(low, high - r_max(ea, r_max(eb, ec)));
    real u = r_min(r_max(low, R(1)), high);
    for (int step = 0; step < ELLIPSOID_STEPS; step++) {
        real ia = R(1) / (u + ea), ib = R(1) / (u + eb), ic = R(1) / (u + ec);
        real ta = wa * ia, tb = wb * ib, tc = wc * ic, sum = ta * ta + tb * tb + tc * tc;
        real next = u + sum * (r_sqrt(sum) - R(1)) / (ta * ta * ia + tb * tb * ib + tc * tc * ic);
        mask below = r_ge(sum, R(1));
        low = r_select(below, r_max(low, u), low);
        high = r_select(below, high, r_min(high, u));
        u = r_select(r_lt(next, low) | r_gt(next, high), r_sqrt(low * high), next);
    }
    real gx = px / (u + ea), gy = py / (u + eb), gz = pz / (u + ec);
    real length = length3(gx, gy, gz), inverse = R(1) / length;
    isosurface_result answer = {(u - R(1)) * length * least, r_copysign(gx * inverse, x),
                                r_copysign(gy * inverse, y), r_copysign(gz * inverse, z)};
    return answer;
}

// A block of ground: solid from `bottom` up to a surface that is bilinear between nx x nz heights (x
// fastest), over
// [-half_x, half_x] x [-half_z, half_z].
typedef struct ground_map {
    const LANE_MEMORY float *heights;
    int nx, nz;
    float half_x, half_z, bottom;
    float cells_x, cells_z; // per m
    float near_surface;     // m; within it the nearest point is looked for
    float lean;             // cosine of the steepest slope
} ground_map;

typedef struct ground_patch {
    real u, v, y, slope_u, slope_v; // place in x and z, height, slopes
} ground_patch;

LANE_INLINE ground_patch ground_at(const ground_map *g, real x, real z) {
    real u = r_clamp(x, R(-g->half_x), R(g->half_x)), v = r_clamp(z, R(-g->half_z), R(g->half_z));
    real fu = (u + R(g->half_x)) * R(g->cells_x), fv = (v + R(g->half_z)) * R(g->cells_z);
    ireal i = i_max(i_min(r_to_int(fu), RI(g->nx - 2)), RI(0)),
          j = i_max(i_min(r_to_int(fv), RI(g->nz - 2)), RI(0));
    real s = fu - r_from_int(i), t = fv - r_from_int(j);
    ireal at = i + j * RI(g->nx);
    real a = r_gather(g->heights, at), b = r_gather(g->heights, at + RI(1));
    real c = r_gather(g->heights, at + RI(g->nx)), d = r_gather(g->heights, at + RI(g->nx + 1));
    real low = a + s * (b - a), high = c + s * (d - c);
    real across = (b - a) + t * ((d - c) - (b - a));
    ground_patch p = {u, v, low + t * (high - low), across * R(g->cells_x), (high - low) * R(g->cells_z)};
    return p;
}

// Nearest point by iterated projection onto the tangent plane; each iterate lies on the surface, so the
// distance is never underestimated. Far away, where that may miss a hill at the side, the height over the
// ground times the cosine of the steepest slope is a safe lower bound.
LANE_INLINE isosurface_result ground_surface(const ground_map *g, real x, real y, real z) {
    ground_patch p = ground_at(g, x, z);
    real above = y - p.y, best = r_abs(above), far = best;
    ground_patch foot = p;
    for (int step = 0; step < 4; step++) {
        real inverse = r_rsqrt(R(1) + p.slope_u * p.slope_u + p.slope_v * p.slope_v);
        real off = ((y - p.y) - (x - p.u) * p.slope_u - (z - p.v) * p.slope_v) * inverse * inverse;
        p = ground_at(g, x + off * p.slope_u, z + off * p.slope_v);
        real length = length3(x - p.u, y - p.y, z - p.v);
        mask better = r_lt(length, best);
        best = r_select(better, length, best);
        foot.u = r_select(better, p.u, foot.u);
        foot.v = r_select(better, p.v, foot.v);
        foot.y = r_select(better, p.y, foot.y);
        foot.slope_u = r_select(better, p.slope_u, foot.slope_u);
        foot.slope_v = r_select(better, p.slope_v, foot.slope_v);
    }
    real away = r_clamp(far / R(g->near_surface) - R(1), R(0), R(1));
    real distance = best + away * (r_min(best, far * R(g->lean)) - best);
    // Very near, the difference of the two points cancels: use the normal of the surface.
    mask near = r_lt(best, R(1e-2f * g->near_surface));
    real flat = r_rsqrt(R(1) + foot.slope_u * foot.slope_u + foot.slope_v * foot.slope_v);
    real inverse = r_flip(R(1) / r_max(best, NO_LENGTH), above);
    isosurface_result a = {r_flip(distance, above),
                           r_select(near, -foot.slope_u * flat, (x - foot.u) * inverse),
                           r_select(near, flat, (y - foot.y) * inverse),
                           r_select(near, -foot.slope_v * flat, (z - foot.v) * inverse)};
    return a;
}

// The surface, cut off by four sides and a bottom.
LANE_INLINE isosurface_result ground_answer(const ground_map *g, real x, real y, real z) {
    real cx = r_clamp(x, R(-g->half_x), R(g->half_x)), cz = r_clamp(z, R(-g->half_z), R(g->half_z));
    real qx = r_abs(x) - R(g->half_x), qz = r_abs(z) - R(g->half_z), qy = R(g->bottom) - y;
    isosurface_result s = ground_surface(g, cx, r_max(y, R(g->bottom)), cz);
    real ox = r_max(qx, R(0)), oy = r_max(qy, R(0)), oz = r_max(qz, R(0)), os = r_max(s.d, R(0));
    real outside = r_sqrt(ox * ox + oy * oy + oz * oz + os * os);
    real ax = r_copysign(ox, x) + os * s.nx, ay = os * s.ny - oy, az = r_copysign(oz, z) + os * s.nz;
    real inverse = R(1) / r_max(length3(ax, ay, az), NO_LENGTH),
         inside = r_max(r_max(s.d, qx), r_max(qy, qz));
    mask out = r_gt(outside, NO_LENGTH), top = r_ge(s.d, inside), floor = ~top & r_ge(qy, inside);
    mask side_x = ~top & ~floor & r_ge(qx, inside), side_z = ~top & ~floor & ~side_x;
    real bx = r_select(top, s.nx, r_where(side_x, r_copysign(R(1), x)));
    real by = r_select(top, s.ny, r_where(floor, R(-1)));
    real bz = r_select(top, s.nz, r_where(side_z, r_copysign(R(1), z)));
    isosurface_result a = {r_select(out, outside, inside), r_select(out, ax * inverse, bx),
                           r_select(out, ay * inverse, by), r_select(out, az * inverse, bz)};
    return a;
}

#endif
