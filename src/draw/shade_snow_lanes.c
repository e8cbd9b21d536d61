// The look of snow in lane C; shaders_surface.c has the same in GLSL.
#include "draw/shade_lanes.h"
#include "geom/relief.h"
#include "geom/relief_noise.h"

// The look of snow: see shaders_surface.c, whose functions of the same names these follow.

typedef struct noise {
    real value, x, y; // -1..1 and its slope
} noise;

LANE_INLINE noise noise_at(real x, real y) {
    x = shade_within(x, -1e9f, 1e9f);
    y = shade_within(y, -1e9f, 1e9f);
    real cell_x = r_floor(x), cell_y = r_floor(y), fx = x - cell_x, fy = y - cell_y;
    ireal i = r_to_int(cell_x), j = r_to_int(cell_y);
    real a = shade_hash(i, j), b = shade_hash(i + RI(1), j), c = shade_hash(i, j + RI(1)),
         d = shade_hash(i + RI(1), j + RI(1));
    real ux = fx * fx * fx * r_fma(fx, r_fma(fx, R(6), R(-15)), R(10)),
         uy = fy * fy * fy * r_fma(fy, r_fma(fy, R(6), R(-15)), R(10));
    real dx = R(30) * fx * fx * r_fma(fx, fx - R(2), R(1)), dy = R(30) * fy * fy * r_fma(fy, fy - R(2), R(1));
    real k = a - b - c + d;
    noise n = {R(2) * (a - R(0.5f) + (b - a) * ux + (c - a) * uy + k * ux * uy),
               R(2) * dx * r_fma(k, uy, b - a), R(2) * dy * r_fma(k, ux, c - a)};
    return n;
}

typedef struct look {
    real x, y, light; // slope and brightness
} look;

LANE_INLINE look drifts(real x, real y, real r, real fine_part) {
    noise broad = noise_at(x * R(0.37f), y * R(0.52f));
    noise drift = noise_at(r_fma(R(0.6f), broad.value, (x * R(0.8f) - y * R(0.6f)) * R(1.1f)),
                           r_fma(R(0.6f), broad.x, (x * R(0.6f) + y * R(0.8f)) * R(2.6f)));
    noise fine = noise_at((x * R(0.47f) + y * R(0.88f)) * R(9), (y * R(0.47f) - x * R(0.88f)) * R(9));
    real near = shade_unit(R(1.5f) - r), a = R(0.07f) * near, b = R(0.05f) * shade_unit(R(1.5f) - R(3) * r),
         c = R(0.022f) * fine_part;
    look l = {a * broad.x + b * (drift.x * R(0.8f) + drift.y * R(0.6f)) +
                  c * (fine.x * R(0.47f) - fine.y * R(0.88f)),
              a * broad.y + b * (drift.y * R(0.8f) - drift.x * R(0.6f)) +
                  c * (fine.x * R(0.88f) + fine.y * R(0.47f)),
              R(1) + R(0.03f) * broad.value * near + R(0.02f) * fine.value * fine_part};
    return l;
}

LANE_INLINE look crumbs(real along, real up, real r) {
    noise layer = noise_at(r_fma(along, R(0.7f), R(3.7f)), r_fma(up, R(7), R(3.7f))),
          crumb = noise_at(along * R(11), up * R(8));
    real layers = shade_unit(R(1.4f) - R(7) * r), crumbly = shade_unit(R(1.4f) - R(11) * r);
    look l = {R(0.16f) * layer.x * layers + R(0.13f) * crumb.x * crumbly,
              R(0.16f) * layer.y * layers + R(0.13f) * crumb.y * crumbly,
              R(1) + R(0.05f) * layer.value * layers + R(0.03f) * crumb.value * crumbly};
    return l;
}

// relief_bumps of geom/relief.c; the value is the brightness.
LANE_INLINE relief_bump bumps_at(vec3 p, real rough, real pixel) {
    relief_bump sum = {R(0), vec3_all(R(0))};
    for (int i = 0; i < RELIEF_BUMPS; i++) {
        float even = relief_bump_smooth[i], torn = relief_bump_torn[i];
        real seen = shade_unit(R(1.5f) - pixel * R(2.5f / relief_bump_size[i]));
        if (!m_any(r_gt(seen, R(0)))) break;
        relief_bump b = relief_noise_at(vec3_scale(p, R(1 / relief_bump_size[i])));
        seen = seen * r_fma(rough, R(torn - even), R(even));
        sum.value = r_fma(seen, b.value, sum.value);
        sum.slope = vec3_add_scaled(sum.slope, b.slope, seen);
    }
    sum.value = r_fma(sum.value, R(0.16f), R(1));
    return sum;
}

LANE_INLINE vec3 bent(vec3 m, vec3 slope) {
    m = vec3_sub(vec3_add_scaled(m, m, vec3_dot(m, slope)), slope);
    return vec3_scale(m, r_rsqrt(r_max(vec3_length2(m), R(1e-20f))));
}

LANE_INLINE ireal cell_of(real x) { return r_to_int(r_floor(shade_within(x, -1e9f, 1e9f))); }

LANE_INLINE mask sparkle(const shader_scene *s, vec3 p, vec3 to_eye, real d, real many) {
    // The next power of two: one up unless the fraction is 0.
    ireal wide = i_add_wrap(r_bits(d * R(s->eye[3] * 1.2f)), RI(0x7fffff)) & RI(0x7f800000);
    real per_cell = R(1) / r_max(r_from_bits(wide), R(1e-20f));
    ireal x = cell_of(p.x * per_cell), y = cell_of(p.y * per_cell), z = cell_of(p.z * per_cell);
    ireal h =
        shade_mix_bits(i_add_wrap(x, i_mul_wrap(y, RI(7919))), i_add_wrap(z, i_mul_wrap(y, RI(104729))));
    const ireal ten = RI(0x3ff);
    vec3 face = vec3_of(r_from_int(h & ten) - R(511.5f), r_from_int(i_shift_right(h, 10) & ten) - R(511.5f),
                        r_from_int(i_shift_right(h, 20) & ten) - R(511.5f));
    vec3 middle = vec3_add_scaled(shade_vec(s->sun), to_eye, R(1) / d);
    real along = r_abs(vec3_dot(face, middle)), most = r_sqrt(vec3_length2(face) * vec3_length2(middle));
    return r_gt(along, (R(1) - R(0.0006f) * many) * most);
}

LANE_INLINE real grid_distance(real x) {
    x = x - R(0.5f);
    return r_abs(x - r_floor(x) - R(0.5f));
}
LANE_INLINE real smooth_step(real low, real high, real x) {
    real t = shade_unit((x - low) / (high - low));
    return t * t * (R(3) - R(2) * t);
}
// Lines of a grid of 1 m.
LANE_INLINE real grid_line(real x, real z, real wide) {
    real low = wide * R(0.5f), high = wide * R(1.5f);
    real near =
        R(1) - r_min(smooth_step(low, high, grid_distance(x)), smooth_step(low, high, grid_distance(z)));
    return near * shade_unit(R(1) - wide * R(4));
}

// A group of pixels of snow.
typedef struct snow {
    vec3 p, m, to_eye, tint; // place, normal
    real d, slant, r;        // distance; a pixel, in sizes of details
    real rough;              // 0..1
    mask glint;
} snow;

// Snow that lies flat.
LANE_INLINE snow flat_snow(const shader_scene *s, snow g, mask grid) {
    real loose = shade_unit(R(4) * g.tint.x - R(2.4f)); // pressed snow is smooth and dull
    real size = R(1 / s->forward[3]), fine = shade_unit(R(1.4f) - R(8) * g.r) * (R(0.3f) + R(0.7f) * loose);
    look l = drifts(g.p.x * size, g.p.z * size, g.r, fine);
    real up = r_max(g.m.y, R(0));
    g.m = vec3_sub(g.m, vec3_of(l.x * up, R(0), l.y * up));
    g.m = vec3_scale(g.m, r_rsqrt(r_max(vec3_length2(g.m), R(1e-20f))));
    relief_bump b = bumps_at(g.p, g.rough * g.rough, g.r * R(s->forward[3]));
    g.m = bent(g.m, vec3_scale(b.slope, r_fma(loose, R(0.6f), R(0.4f))));
    g.tint = vec3_scale(g.tint, l.light * b.value);
    if (m_any(grid)) {
        real line = r_where(grid, grid_line(g.p.x, g.p.z, g.r * R(s->forward[3] * 1.1f) + R(0.006f)));
        vec3 dark = vec3_mul(g.tint, vec3_of(R(0.60f), R(0.70f), R(0.82f)));
        g.tint = shade_mix3(g.tint, dark, line);
    }
    g.glint = r_gt(g.slant, R(0.1f)) & sparkle(s, g.p, g.to_eye, g.d, R(5) * loose);
    return g;
}

LANE_INLINE snow cover_snow(const shader_scene *s, snow g) {
    vec3 part = vec3_mul(g.m, g.m);
    part = vec3_mul(part, part);
    part = vec3_scale(part, R(1) / r_max(part.x + part.y + part.z, R(1e-20f)));
    vec3 q = vec3_scale(g.p, R(1 / s->forward[3]));
    look y = drifts(q.x, q.z, g.r, shade_unit(R(1.4f) - R(8) * g.r));
    look x = crumbs(q.z, q.y, g.r), z = crumbs(q.x, q.y, g.r);
    real steep = R(1) - smooth_step(R(0.55f), R(0.9f), g.m.y);
    vec3 bend = vec3_of(part.y * y.x + steep * part.z * z.x, steep * (part.x * x.y + part.z * z.y),
                        part.y * y.y + steep * part.x * x.x);
    real light = part.x * shade_mix(R(1), x.light, steep) + part.y * y.light +
                 part.z * shade_mix(R(1), z.light, steep);
    g.glint = r_gt(g.slant, R(0.1f)) & sparkle(s, g.p, g.to_eye, g.d, shade_mix(R(6), R(2), steep));
    relief_bump b = bumps_at(g.p, r_fma(steep, R(0.4f), R(0.12f)), g.r * R(s->forward[3]));
    g.m = bent(bent(g.m, bend), b.slope);
    light = light * b.value;
    vec3 blue = vec3_of(R(0.93f), R(0.955f), R(0.985f));
    g.tint = vec3_scale(vec3_mul(g.tint, shade_mix3(vec3_all(R(1)), blue, steep)), light);
    return g;
}

LANE_INLINE ireal pack_color(vec3 tint, ireal material) {
    return shade_to_byte(r_sqrt(shade_unit(tint.x))) |
           i_shift_left(shade_to_byte(r_sqrt(shade_unit(tint.y))), 8) |
           i_shift_left(shade_to_byte(r_sqrt(shade_unit(tint.z))), 16) | i_shift_left(material, 24);
}

LANE_INLINE ireal pack_normal(const shader_scene *s, vec3 m) {
    real length = r_rsqrt(r_max(vec3_length2(m), R(1e-20f)));
    real x = vec3_dot(m, shade_vec(s->view_x)) * length, y = vec3_dot(m, shade_vec(s->view_y)) * length;
    ireal i = r_to_int(r_fma(shade_unit(r_fma(x, R(0.5f), R(0.5f))), R(65535), R(0.5f)));
    ireal j = r_to_int(r_fma(shade_unit(r_fma(y, R(0.5f), R(0.5f))), R(65535), R(0.5f)));
    return i | i_shift_left(j, 16);
}

LANE_INLINE void snow_pixels(const shade_job *job, int x, int y) {
    const shader_scene *s = job->scene;
    shade_at at = shade_place_of(job, x, y);
    ireal packed = i_load(job->color + at.first), normal = i_load(job->normal + at.first);
    ireal code = i_shift_right(packed, 24) & RI(255);
    mask any = i_ge(code, RI(SHADE_SNOW)) & i_le(code, RI(SHADE_FIELD_TORN));
    if (!m_any(any)) return;
    vec3 root = vec3_of(shade_byte(packed, 0), shade_byte(packed, 8), shade_byte(packed, 16));
    vec3 ray = shade_ray(s, at.x, at.y);
    snow g = {.m = shade_normal(s, normal, -1), .tint = vec3_mul(root, root)};
    g.to_eye = vec3_scale(ray, -r_load(job->depth + at.first));
    g.p = vec3_sub(shade_vec(s->eye), g.to_eye);
    g.d = r_max(vec3_length(g.to_eye), R(1e-20f));
    g.slant = r_max(r_abs(vec3_dot(g.m, g.to_eye)) / g.d, R(0.01f));
    g.r = g.d * R(s->eye[3] / s->forward[3]) / g.slant;
    mask soft = i_eq(code, RI(SHADE_SOFT)), cover = i_eq(code, RI(SHADE_COVER)), flat = any & ~(soft | cover);
    ireal color = packed, facing = normal, material = RI(0);
    if (m_any(flat)) {
        mask field = i_ge(code, RI(SHADE_FIELD));
        g.rough = r_where(field, r_from_int(code - RI(SHADE_FIELD)) * R(1 / 15.0f));
        snow f = flat_snow(s, g, i_eq(code, RI(SHADE_GRID)));
        // Alphas of shader_surface: 0.4 and 0.6, for the field 0.455 and 0.655.
        material = i_select(field, RI(116), RI(102)) + (f.glint & RI(51));
        color = i_select(flat, pack_color(f.tint, material), color);
        facing = i_select(flat, pack_normal(s, f.m), facing);
    }
    if (m_any(cover)) {
        snow c = cover_snow(s, g);
        color = i_select(cover, pack_color(c.tint, RI(116) + (c.glint & RI(51))), color);
        facing = i_select(cover, pack_normal(s, c.m), facing);
    }
    if (m_any(soft)) {
        mask glint = sparkle(s, g.p, g.to_eye, g.d, R(7)); // 0.48 and 0.7
        color = i_select(soft, (packed & RI(0xffffff)) | i_shift_left(i_select(glint, RI(179), RI(122)), 24),
                         color);
    }
    i_store(job->color + at.first, color);
    i_store(job->normal + at.first, facing);
}

void ISA_NAME(shade_snow)(const shade_job *job, int y0, int y1) {
    for (int y = y0; y < y1; y++)
        for (int x = 0; x < job->wide; x += LANES) snow_pixels(job, x, y);
}
