// What the screen passes share (lane C): shader_head, shader_place, shader_sun, shader_backdrop, shader_tone.
#ifndef DRAW_SHADE_LANES_H
#define DRAW_SHADE_LANES_H

#include "draw/shade.h"
#include "math/vec3.h"

LANE_INLINE vec3 shade_vec(const float v[4]) { return vec3_of(R(v[0]), R(v[1]), R(v[2])); }
LANE_INLINE real shade_mix(real a, real b, real t) { return r_fma(b - a, t, a); }
LANE_INLINE vec3 shade_mix3(vec3 a, vec3 b, real t) {
    return vec3_of(shade_mix(a.x, b.x, t), shade_mix(a.y, b.y, t), shade_mix(a.z, b.z, t));
}
// NaN becomes `low`, so that what comes of it may be an index.
LANE_INLINE real shade_within(real x, float low, float high) { return r_min(r_max(x, R(low)), R(high)); }
LANE_INLINE real shade_unit(real x) { return shade_within(x, 0, 1); }
LANE_INLINE real shade_luma(vec3 c) { return vec3_dot(c, vec3_of(R(0.3f), R(0.59f), R(0.11f))); }
LANE_INLINE vec3 shade_reflect(vec3 v, vec3 n) { return vec3_add_scaled(v, n, R(-2) * vec3_dot(v, n)); }

// ---- functions as exact as a picture of 8 bits shows (lane_math.h has them to the last bit)

// 2^x within 3e-6 of itself; 0 for what is below 2^-126.
LANE_INLINE real shade_exp2(real x) {
    ireal n;
    real f = r_max(x, R(-126)), whole = lane_whole(r_min(f, R(126)), &n);
    f = f - whole;
    real p = r_fma(f, R(0.009666369f), R(0.05592198f));
    p = r_fma(r_fma(r_fma(p, f, R(0.2402235f)), f, R(0.693121f)), f, R(1));
    return r_from_bits(i_add_wrap(r_bits(p), i_shift_left(n, 23)));
}
LANE_INLINE real shade_exp(real x) { return shade_exp2(x * R(1.442695041f)); }

// Binary logarithm of x >= 0 within 2e-5; -127 for 0.
LANE_INLINE real shade_log2(real x) {
    ireal bits = r_bits(x);
    real e = r_from_int(i_shift_right(bits, 23) - RI(127));
    real f = r_from_bits((bits & RI(0x7fffff)) | RI(0x3f800000)) - R(1);
    real p = r_fma(f, R(0.04300496f), R(-0.1874886f));
    p = r_fma(r_fma(p, f, R(0.4094703f)), f, R(-0.7064864f));
    return r_fma(r_fma(p, f, R(1.441492f)), f, e + R(1.651467e-5f));
}
LANE_INLINE real shade_power(real x, float exponent) { return shade_exp2(shade_log2(x) * R(exponent)); }

// Sine and cosine of a part 0..1 of a turn, within 5e-5.
LANE_INLINE void shade_spin(real part, real *sine, real *cosine) {
    real x = R(0.5f) - part, q = x * x;
    real s = r_fma(r_fma(q, R(33.53571f), R(-74.90309f)), q, R(81.44671f));
    *sine = x * r_fma(r_fma(s, q, R(-41.33678f)), q, R(6.283161f));
    real c = r_fma(r_fma(q, R(-45.59555f), R(82.37803f)), q, R(-64.66944f));
    *cosine = r_fma(r_fma(c, q, R(19.73084f)), q, R(-0.9999582f));
}

// ---- pixels

typedef struct shade_at {
    real x, y; // middles of pixels, from the lowest row
    int row;
    size_t first; // where the first lane's pixel is
} shade_at;

LANE_INLINE shade_at shade_place_of(const shade_job *job, int x, int y) {
    shade_at at = {r_from_int(i_lane_index() + RI(x)) + R(0.5f), R((float)y + 0.5f), y,
                   (size_t)y * job->stride + (size_t)x};
    return at;
}

LANE_INLINE vec3 shade_ray(const shader_scene *s, real x, real y) {
    real u = r_fma(x, R(2 / s->screen[0]), R(-1)), v = r_fma(y, R(2 / s->screen[1]), R(-1));
    return vec3_add_scaled(vec3_add_scaled(shade_vec(s->forward), shade_vec(s->right), u), shade_vec(s->up),
                           v);
}

LANE_INLINE real shade_byte(ireal packed, int shift) {
    return r_from_int(i_shift_right(packed, shift) & RI(255)) * R(1 / 255.0f);
}

// toward: -1 for a surface that looks at the eye, 1 for one that looks away.
LANE_INLINE vec3 shade_normal(const shader_scene *s, ireal packed, float toward) {
    real x = r_fma(r_from_int(packed & RI(0xffff)), R(2 / 65535.0f), R(-1));
    real y = r_fma(r_from_int(i_shift_right(packed, 16) & RI(0xffff)), R(2 / 65535.0f), R(-1));
    real z = R(toward) * r_sqrt(r_max(R(1) - (x * x + y * y), R(0)));
    return vec3_add_scaled(vec3_add_scaled(vec3_scale(shade_vec(s->view_x), x), shade_vec(s->view_y), y),
                           shade_vec(s->forward), z);
}

// ---- sky

LANE_INLINE vec3 shade_sky(const shader_scene *s, vec3 d) {
    real h = r_max(d.y, R(0)), toward = r_max(vec3_dot(d, shade_vec(s->sun)), R(0));
    vec3 c = shade_mix3(shade_vec(s->sky_high), shade_vec(s->sky_low), shade_exp(R(-5.5f) * h));
    real s2 = toward * toward, s4 = s2 * s2, s8 = s4 * s4, s16 = s8 * s8;
    real glow = R(0.05f) * s2 * shade_exp(R(-5) * h) + R(0.10f) * s8 + R(0.2f) * s16 * s16;
    return vec3_add_scaled(c, shade_vec(s->sun_color), glow);
}

// Angle in turns, -0.5 .. 0.5. Abramowitz and Stegun 4.4.49, within 2e-8 rad for a ratio up to 1.
LANE_INLINE real shade_turn(real y, real x) {
    real ax = r_abs(x), ay = r_abs(y), most = r_max(r_max(ax, ay), R(1e-30f));
    real t = r_min(ax, ay) / most, q = t * t, p = R(0.0028662257f);
    const float c[] = {-0.0161657367f, 0.0429096138f, -0.0752896400f, 0.1065626393f,
                       -0.1420889944f, 0.1999355085f, -0.3333314528f, 1};
    for (int i = 0; i < 8; i++) p = r_fma(p, q, R(c[i]));
    real angle = p * t * R(0.15915494f);
    angle = r_select(r_gt(ay, ax), R(0.25f) - angle, angle);
    angle = r_select(r_lt(x, R(0)), R(0.5f) - angle, angle);
    return r_copysign(angle, y);
}

LANE_INLINE vec3 shade_ridge(const shade_job *job, vec3 v, vec3 c, int layer) {
    const shader_scene *s = job->scene;
    const float *heights = job->ridges + layer * RIDGES_AROUND;
    real u = r_fma(shade_turn(v.z, v.x), R(RIDGES_AROUND), R(-0.5f)), cell = r_floor(u);
    ireal i = r_to_int(cell);
    real r = shade_mix(r_gather(heights, i & RI(RIDGES_AROUND - 1)),
                       r_gather(heights, (i + RI(1)) & RI(RIDGES_AROUND - 1)), u - cell);
    real inside = shade_unit((r - v.y) * R(0.7f / s->eye[3]) + R(0.5f));
    real sunny = shade_unit(R(0.45f) - R(0.4f) * (v.x * R(s->sun[0]) + v.z * R(s->sun[2])));
    vec3 fill = shade_vec(s->sky_fill);
    vec3 lit = vec3_add_scaled(vec3_scale(fill, R(0.8f)), shade_vec(s->sun_color), R(0.26f));
    vec3 snow = shade_mix3(vec3_scale(fill, R(0.75f)), lit, sunny);
    real veil = shade_mix(R(layer == 0 ? 0.55f : 0.3f), R(1), shade_unit(R(1) - v.y / r));
    vec3 hazy = shade_mix3(snow, shade_sky(s, vec3_of(v.x, R(0), v.z)), veil);
    return shade_mix3(c, hazy, inside * R(s->sky_fill[3]));
}

// Mountains only where `far`.
LANE_INLINE vec3 shade_backdrop(const shade_job *job, vec3 v, mask far) {
    vec3 c = shade_sky(job->scene, v);
    far &= r_lt(v.y, R(0.16f));
    if (!m_any(far)) return c;
    vec3 with = shade_ridge(job, v, shade_ridge(job, v, c, 0), 1);
    return vec3_select(far, with, c);
}

// ---- sun

typedef struct shade_sun {
    vec3 at; // in the shadow map
    real tilt_x, tilt_y, spin_x, spin_y;
} shade_sun;

LANE_INLINE vec3 shade_to_sun(const shader_scene *s, vec3 p) {
    const float *m = s->shadow;
    return vec3_of(r_fma(R(m[0]), p.x, r_fma(R(m[4]), p.y, R(m[8]) * p.z)),
                   r_fma(R(m[1]), p.x, r_fma(R(m[5]), p.y, R(m[9]) * p.z)),
                   r_fma(R(m[2]), p.x, r_fma(R(m[6]), p.y, R(m[10]) * p.z)));
}
LANE_INLINE vec3 shade_sun_place(const shader_scene *s, vec3 p) {
    return vec3_add(shade_to_sun(s, p), shade_vec(s->shadow + 12));
}

// Depth at which a look aside by (x, y) still lies on the plane of the surface.
LANE_INLINE real shade_sun_depth(const shade_sun *l, real x, real y) {
    real z = r_fma(l->tilt_x, x, r_fma(l->tilt_y, y, l->at.z)) - R(0.1f) * (r_abs(x) + r_abs(y));
    return r_min(z, R(0.9999f));
}

LANE_INLINE void shade_sun_blockers(const shade_job *job, const shade_sun *l, real *found, real *blocker) {
    static const float look[6][2] = {{0.05f, 0.12f},   {0.75f, 0.15f}, {-0.25f, 0.7f},
                                     {-0.65f, -0.35f}, {0.3f, -0.55f}, {-0.1f, -0.98f}};
    float last = (float)job->shadow_size - 1, reach = job->scene->sun[3];
    *found = *blocker = R(0);
    for (int i = 0; i < 6; i++) {
        real x = (l->spin_x * R(look[i][0]) - l->spin_y * R(look[i][1])) * R(reach);
        real y = (l->spin_y * R(look[i][0]) + l->spin_x * R(look[i][1])) * R(reach);
        ireal u = r_to_int(shade_within((l->at.x + x) * R(last + 1), 0, last));
        ireal v = r_to_int(shade_within((l->at.y + y) * R(last + 1), 0, last));
        real z = r_gather(job->shadow, v * RI(job->shadow_size) + u);
        mask hit = r_le(z, shade_sun_depth(l, x, y));
        *found = *found + r_where(hit, R(1));
        *blocker = *blocker + r_where(hit, z);
    }
}

// Four neighbours compared, then blended, as a comparing sampler does.
LANE_INLINE real shade_sun_compare(const shade_job *job, real x, real y, real z) {
    float size = (float)job->shadow_size;
    x = shade_within(r_fma(x, R(size), R(-0.5f)), 0, size - 1.01f);
    y = shade_within(r_fma(y, R(size), R(-0.5f)), 0, size - 1.01f);
    ireal u = r_to_int(x), v = r_to_int(y);
    real fx = x - r_from_int(u), fy = y - r_from_int(v), a, b, c, d;
    ireal at = v * RI(job->shadow_size) + u;
    r_gather_pair(job->shadow, at, &a, &b);
    r_gather_pair(job->shadow + job->shadow_size, at, &c, &d);
    real low = shade_mix(r_where(r_le(z, a), R(1)), r_where(r_le(z, b), R(1)), fx);
    real high = shade_mix(r_where(r_le(z, c), R(1)), r_where(r_le(z, d), R(1)), fx);
    return shade_mix(low, high, fy);
}

LANE_INLINE real shade_sun_soft(const shade_job *job, const shade_sun *l, real width) {
    static const float disc[12][2] = {{0.204f, 0},       {-0.261f, 0.239f},  {0.04f, -0.455f},
                                      {0.328f, 0.429f},  {-0.603f, -0.107f}, {0.571f, -0.364f},
                                      {-0.191f, 0.711f}, {-0.364f, -0.702f}, {0.790f, 0.288f},
                                      {-0.825f, 0.338f}, {0.395f, -0.847f},  {0.295f, 0.933f}};
    real lit = R(0), c = l->spin_x * width, s = l->spin_y * width;
    for (int i = 0; i < 12; i++) {
        real x = c * R(disc[i][0]) - s * R(disc[i][1]), y = s * R(disc[i][0]) + c * R(disc[i][1]);
        lit = lit + shade_sun_compare(job, l->at.x + x, l->at.y + y, shade_sun_depth(l, x, y));
    }
    return lit * R(1 / 12.0f);
}

// What the pattern of a pixel turns the looks by; rows from the top where the result is.
LANE_INLINE real shade_pattern(real x, real y) {
    real t = x * R(0.06711056f) + y * R(0.00583715f);
    t = R(52.9829189f) * (t - r_floor(t));
    return t - r_floor(t);
}

// Part of the sun that is seen from p, where `wanted`; `flat` surfaces are not measured along their plane.
LANE_INLINE real shade_sun_light(const shade_job *job, vec3 p, vec3 n, mask wanted, mask flat, real deep,
                                 real pattern) {
    const shader_scene *s = job->scene;
    vec3 off = vec3_add_scaled(vec3_scale(n, r_fma(deep, R(0.3f), R(1.6f))), shade_vec(s->sun), deep);
    shade_sun l = {.at = shade_sun_place(s, vec3_add_scaled(p, off, R(s->sky_high[3])))};
    l.at.z = r_min(l.at.z, R(1)) - R(0.0005f);
    real aside = r_max(r_abs(l.at.x - R(0.5f)), r_abs(l.at.y - R(0.5f)));
    wanted &= r_lt(aside, R(0.5f));
    if (!m_any(wanted)) return R(1);
    vec3 plane = shade_to_sun(s, n);
    real least = r_select(r_gt(deep, R(0)), R(0.09f), R(0.15f)) * vec3_length(plane);
    real across = R(1) / r_max(r_max(-plane.z, least), R(1e-20f));
    l.tilt_x = r_where(~flat, plane.x * across);
    l.tilt_y = r_where(~flat, plane.y * across);
    shade_spin(pattern, &l.spin_y, &l.spin_x);
    real found, blocker;
    shade_sun_blockers(job, &l, &found, &blocker);
    found = r_where(wanted, found);
    real few = r_select(r_gt(deep, R(5)), R(1.5f), R(0.5f));
    mask none = r_lt(found, few), all = r_gt(found, R(5.5f));
    real lit = r_where(none, R(1));
    if (m_any(~none)) {
        real width = (l.at.z - blocker / r_max(found, R(1))) * R(s->sun_color[3]);
        mask some = ~(none | all);
        if (m_any(some))
            lit = r_select(some, shade_sun_soft(job, &l, shade_within(width, s->sky_low[3], s->sun[3])), lit);
    }
    return shade_mix(R(1), lit, shade_unit((R(0.5f) - aside) * R(20)));
}

// ---- tones

LANE_INLINE real shade_tone(real x) {
    x = r_max(x, R(0));
    x = x * (x + R(0.25f)) / r_fma(x, x + R(0.55f), R(0.27f));
    return shade_power(x, 1 / 2.2f);
}

// As mix_bits and hash of shader_head.
LANE_INLINE ireal shade_mix_bits(ireal x, ireal y) {
    ireal h = i_mul_wrap(x, RI((int)0x9E3779B1u)) ^ i_mul_wrap(y, RI((int)0x85EBCA77u));
    h = i_mul_wrap(h ^ (i_shift_right(h, 15) & RI(0x1ffff)), RI((int)0x2C1B3C6Du));
    return h ^ (i_shift_right(h, 13) & RI(0x7ffff));
}
LANE_INLINE real shade_hash(ireal x, ireal y) {
    return r_from_int(shade_mix_bits(x, y) & RI(0xffff)) * R(1 / 65536.0f);
}

LANE_INLINE ireal shade_to_byte(real x) { return r_to_int(r_fma(shade_unit(x), R(255), R(0.5f))); }

LANE_INLINE void shade_keep(float (*to)[4], const shade_at *at, vec3 all, mask plain) {
    const real out[4] = {all.x, all.y, all.z, r_where(plain, R(1))};
    int index[LANES];
    i_store(index, i_lane_index());
    r_store_rows(to[at->first], index, out);
}

// The last step of a pixel: see shader_tone.
LANE_INLINE void shade_finish(const shade_job *job, const shade_at *at, int x, vec3 all, mask plain) {
    if (job->linear) shade_keep(job->linear, at, all, plain);
    real u = r_fma(at->x, R(1 / job->scene->screen[0]), R(-0.5f)),
         v = r_fma(at->y, R(1 / job->scene->screen[1]), R(-0.5f));
    real corner = R(1) - R(0.2f) * (u * u + v * v);
    real grain = (shade_hash(i_lane_index() + RI(x), RI(at->row)) - R(0.5f)) * R(1 / 255.0f);
    vec3 t = vec3_of(r_fma(shade_tone(all.x), corner, grain), r_fma(shade_tone(all.y), corner, grain),
                     r_fma(shade_tone(all.z), corner, grain));
    if (m_any(plain))
        t = vec3_select(
            plain,
            vec3_of(shade_power(all.x, 1 / 2.2f), shade_power(all.y, 1 / 2.2f), shade_power(all.z, 1 / 2.2f)),
            t);
    ireal packed = shade_to_byte(t.x) | i_shift_left(shade_to_byte(t.y), 8) |
                   i_shift_left(shade_to_byte(t.z), 16) | i_shift_left(shade_to_byte(shade_luma(t)), 24);
    int row = job->high - 1 - at->row, rest = job->wide - x;
    int *to = (int *)job->result + (size_t)row * (size_t)job->wide + (size_t)x;
    if (rest >= LANES)
        i_store(to, packed);
    else
        i_store_some(to, packed, rest);
}

#endif
