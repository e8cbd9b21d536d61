// Occlusion and light of the screen passes, in lane C; shaders_light.c has the same in GLSL.
#include "draw/shade_lanes.h"

// ---- occlusion, at half the size

LANE_INLINE size_t half_row(const shade_job *job, int y) {
    y = y < 0 ? 0 : y < job->half_high ? y : job->half_high - 1;
    return (size_t)y * job->half_stride + SHADE_MARGIN;
}

// The ends of a row, repeated into its margins: what a look beyond the picture finds.
LANE_INLINE void fill_margins(float *row, int wide) {
    for (int i = 1; i <= SHADE_MARGIN; i++) {
        row[-i] = row[0];
        row[wide - 1 + i] = row[wide - 1];
    }
}

void ISA_NAME(shade_distance)(const shade_job *job, int y0, int y1) {
    for (int y = y0; y < y1; y++) {
        const float *from = job->depth + 2 * (size_t)y * job->stride;
        float *to = job->distance + half_row(job, y);
        for (int x = 0; x < job->half_wide; x++) to[x] = from[2 * x];
        fill_margins(to, job->half_wide);
    }
}

// Eight looks on a spiral: see shader_occlusion_fragment.
LANE_INLINE real hidden_share(const shade_job *job, vec3 p, vec3 n, real z, int x, int y, real reach) {
    static const float spiral[8][2] = {{0.13f, 0},      {-0.18f, 0.17f}, {0.03f, -0.37f}, {0.28f, 0.36f},
                                       {-0.57f, -0.1f}, {0.59f, -0.38f}, {-0.21f, 0.80f}, {-0.44f, -0.84f}};
    const shader_scene *s = job->scene;
    ireal column = i_lane_index() + RI(x);
    ireal place = (column & RI(3)) * RI(5) + RI((y & 3) * 7) + (column & RI(1)) * RI(8);
    real spin_x, spin_y, hidden = R(0);
    shade_spin(r_from_int(place & RI(15)) * R(1 / 16.0f), &spin_y, &spin_x);
    spin_x = spin_x * reach;
    spin_y = spin_y * reach;
    real near2 = R(1 / (s->occlusion[0] * s->occlusion[0]));
    for (int i = 0; i < 8; i++) {
        real dx = spin_x * R(spiral[i][0]) - spin_y * R(spiral[i][1]),
             dy = spin_y * R(spiral[i][0]) + spin_x * R(spiral[i][1]);
        real u = shade_within(r_from_int(column) + r_floor(dx + R(0.5f)), 0, (float)job->half_wide - 1);
        real v = shade_within(R((float)y) + r_floor(dy + R(0.5f)), 0, (float)job->half_high - 1);
        ireal at = r_to_int(v) * RI((int)job->half_stride) + r_to_int(u);
        real found = r_gather(job->distance + SHADE_MARGIN, at);
        vec3 ray = shade_ray(s, r_fma(u, R(2), R(0.5f)), r_fma(v, R(2), R(0.5f)));
        vec3 way = vec3_sub(vec3_scale(ray, found), p);
        real length2 = vec3_length2(way), fade = r_max(R(1) - length2 * near2, R(0));
        real rise = r_max(vec3_dot(way, n) - R(0.003f) * z, R(0));
        hidden = hidden + fade * rise / r_sqrt(length2 + R(1e-8f));
    }
    return hidden * R(0.125f);
}

void ISA_NAME(shade_occlusion)(const shade_job *job, int y0, int y1) {
    const shader_scene *s = job->scene;
    for (int y = y0; y < y1; y++) {
        float *to = job->rough + half_row(job, y);
        const float *distance = job->distance + half_row(job, y);
        const int *normals = job->normal + 2 * (size_t)y * job->stride;
        for (int x = 0; x < job->half_wide; x += LANES) {
            real z = r_load(distance + x);
            real reach = r_min(R(s->occlusion[0] * s->occlusion[1]) / z, R(48));
            mask looks = r_lt(z, R(0.5f * s->view_y[3])) & r_gt(reach, R(1));
            real open = R(1);
            if (m_any(looks)) {
                real column = r_from_int(i_lane_index() + RI(x));
                vec3 p = vec3_scale(shade_ray(s, r_fma(column, R(2), R(0.5f)), R(2 * (float)y + 0.5f)), z);
                vec3 n = shade_normal(
                    s, i_gather(normals, i_min(i_lane_index() + RI(x), RI(job->half_wide - 1)) * RI(2)), -1);
                real hidden = hidden_share(job, p, n, z, x, y, r_where(looks, reach));
                open = r_select(looks, shade_unit(R(1) - R(s->occlusion[2]) * hidden), R(1));
            }
            r_store(to + x, open);
        }
        fill_margins(to, job->half_wide);
    }
}

// Four by four pixels, those of about the same distance: the pattern of the looks averages out.
void ISA_NAME(shade_blur)(const shade_job *job, int y0, int y1) {
    for (int y = y0; y < y1; y++) {
        float *to = job->open + half_row(job, y);
        const float *own = job->distance + half_row(job, y);
        for (int x = 0; x < job->half_wide; x += LANES) {
            real z = r_load(own + x), sum = R(0), weight = R(0), inverse = R(1 / 0.04f) / z;
            for (int dy = -2; dy < 2; dy++) {
                const float *rough = job->rough + half_row(job, y + dy) + x,
                            *distance = job->distance + half_row(job, y + dy) + x;
                for (int dx = -2; dx < 2; dx++) {
                    real w = r_max(R(1) - r_abs(r_load(distance + dx) - z) * inverse, R(0.02f));
                    sum = r_fma(w, r_load(rough + dx), sum);
                    weight = weight + w;
                }
            }
            r_store(to + x, sum / weight);
        }
        fill_margins(to, job->half_wide);
    }
}

// Between the four nearest of the half picture.
LANE_INLINE real open_sky(const shade_job *job, const shade_at *at) {
    float v = ((float)at->row + 0.5f) * (float)job->half_high / (float)job->high - 0.5f;
    int below = v < 0 ? -1 : (int)v;
    const float *low = job->open + half_row(job, below), *high = job->open + half_row(job, below + 1);
    real u = r_fma(at->x, R((float)job->half_wide / (float)job->wide), R(-0.5f)), cell = r_floor(u), a, b, c,
         d;
    ireal i = r_to_int(cell);
    r_gather_pair(low, i, &a, &b);
    r_gather_pair(high, i, &c, &d);
    return shade_mix(shade_mix(a, b, u - cell), shade_mix(c, d, u - cell), R(v - (float)below));
}

// ---- light

// Materials are told by alpha: see shader_surface.
typedef struct material {
    mask solid, grain, body, plain, glint, marked, moving, field;
} material;

LANE_INLINE material material_of(real a) {
    material m = {.solid = r_gt(a, R(0.1f)), .body = r_gt(a, R(0.95f))};
    m.grain = m.solid & r_lt(a, R(0.325f));
    m.plain = r_gt(a, R(0.85f)) & ~m.body;
    m.glint = r_gt(a, R(0.5f)) & r_lt(a, R(0.8f));
    m.marked = r_lt(r_abs(a - R(0.325f)), R(0.05f));
    mask glints = r_gt(a, R(0.65f)) & r_lt(a, R(0.8f));
    m.moving = (r_gt(a, R(0.44f)) & r_lt(a, R(0.5f))) | glints;
    m.field = m.moving & (r_lt(a, R(0.47f)) | (glints & r_lt(a, R(0.68f))));
    return m;
}

LANE_INLINE vec3 exp3(vec3 a) { return vec3_of(shade_exp(a.x), shade_exp(a.y), shade_exp(a.z)); }

// Row of `sun`, blended from the four nearest.
LANE_INLINE void water_sun_at(const shade_water *w, real x, real y, real out[4]) {
    float size = (float)w->sun_size;
    x = shade_within(r_fma(x, R(size), R(-0.5f)), 0, size - 1.01f);
    y = shade_within(r_fma(y, R(size), R(-0.5f)), 0, size - 1.01f);
    ireal u = r_to_int(x), v = r_to_int(y), at = v * RI(w->sun_size) + u;
    real fx = x - r_from_int(u), fy = y - r_from_int(v);
    int index[LANES];
    i_store(index, at);
    real c[4][4];
    for (int k = 0; k < 4; k++) r_load_rows(w->sun[(k & 1) + (k >> 1) * w->sun_size], index, c[k]);
    for (int k = 0; k < 4; k++)
        out[k] = shade_mix(shade_mix(c[0][k], c[1][k], fx), shade_mix(c[2][k], c[3][k], fx), fy);
}

// What water leaves of the sun on its way to p: see shader_wet.
LANE_INLINE vec3 sun_through(const shade_job *job, vec3 p) {
    const shader_scene *scene = job->scene;
    vec3 s = shade_sun_place(scene, p);
    real w[4];
    water_sun_at(job->water, s.x, s.y, w);
    real mean = (w[0] + w[1] + w[2]) * R(1 / 3.0f);
    if (!m_any(r_gt(mean, R(0)))) return vec3_all(R(1));
    real most = (s.z - w[3]) * R(scene->sky_high[3] * (float)job->shadow_size * scene->screen[3]);
    real part = shade_unit(most / r_max(mean, R(1e-4f)));
    vec3 dim = vec3_scale(vec3_max(vec3_of(w[0], w[1], w[2]), vec3_all(R(0))), -part);
    return vec3_scale(exp3(dim), R(1) - R(0.12f) * shade_unit(R(20) * part * mean));
}

// Light of the sky where some of it is hidden: what hides it is as pale, and throws light on.
LANE_INLINE real dimmed(real albedo, real open) { return open / (R(1) - R(0.8f) * albedo * (R(1) - open)); }

LANE_INLINE vec3 lamp_light(const shader_scene *s, vec3 p, vec3 n) {
    vec3 sum = vec3_all(R(0));
    for (int i = 0; i < 4 && s->lamp_at[i][3] > 0; i++) {
        vec3 to = vec3_sub(shade_vec(s->lamp_at[i]), p);
        real d2 = r_max(vec3_length2(to), R(s->lamp_at[i][3] + 1e-6f));
        real facing = r_max(vec3_dot(n, to) * r_rsqrt(d2), R(0));
        sum = vec3_add_scaled(sum, shade_vec(s->lamp_color[i]), R(s->lamp_at[i][3]) * facing / d2);
    }
    return sum;
}

// Light that a surface sends to the eye, before the haze: see shader_light_fragment.
LANE_INLINE vec3 lit_surface(const shade_job *job, const shade_at *at, const material *m, vec3 color, vec3 p,
                             vec3 v) {
    const shader_scene *s = job->scene;
    vec3 n = shade_normal(s, i_load(job->normal + at->first), -1), sun = shade_vec(s->sun);
    real open = open_sky(job, at), nl = vec3_dot(n, sun);
    real wrap = r_select(m->grain, R(0.3f), r_select(m->moving, R(0.2f), R(0.1f)));
    wrap = r_select(m->body, R(0), r_select(m->marked, R(0.45f), wrap));
    real soft = r_max((nl + wrap) / (R(1) + wrap), R(0));
    real deep = r_select(m->field, R(4), r_where(m->moving, R(10)));
    real pattern = shade_pattern(at->x, job->water ? at->y : R((float)job->high) - at->y);
    real lit =
        soft * shade_sun_light(job, p, n, m->solid & ~m->plain & r_gt(soft, R(0)), m->grain, deep, pattern);
    vec3 dim = vec3_of(dimmed(color.x, open), dimmed(color.y, open), dimmed(color.z, open));
    vec3 fill = shade_mix3(shade_vec(s->ground_fill), shade_vec(s->sky_fill), r_fma(n.y, R(0.5f), R(0.5f)));
    vec3 sunny = vec3_scale(shade_vec(s->sun_color), lit);
    vec3 received = vec3_add(vec3_mul(fill, dim), job->water ? vec3_mul(sunny, sun_through(job, p)) : sunny);
    received = vec3_add(received, lamp_light(s, p, n));
    received = vec3_select(m->marked, vec3_all(shade_mix(R(0.85f), shade_luma(received), R(0.6f))), received);
    vec3 light = vec3_mul(color, received);
    real spark = r_where(m->glint, R(1.2f));
    // Of snow that moves only wet one has lost more red than blue: water shines on it.
    real wet =
        r_where(m->moving & ~m->field, shade_unit((R(0.93f) - color.x / r_max(color.z, R(1e-3f))) * R(4)));
    mask shiny = m->body | r_gt(wet, R(0));
    if (m_any(shiny)) {
        real f = shade_unit(R(1) + vec3_dot(n, v)), f2 = f * f;
        real edge = f2 * f2 * f;
        real mirror = r_select(m->body, R(0.025f) + R(0.3f) * edge, wet * (R(0.02f) + R(0.5f) * edge));
        vec3 half_way = vec3_sub(sun, v);
        real nh = r_max(vec3_dot(n, half_way) * r_rsqrt(r_max(vec3_length2(half_way), R(1e-12f))), R(0));
        real nh2 = nh * nh, nh4 = nh2 * nh2, nh16 = nh4 * nh4 * nh4 * nh4;
        real above = shade_unit(R(2) * shade_reflect(v, n).y);
        light = vec3_add_scaled(light, shade_mix3(shade_vec(s->sky_low), shade_vec(s->sky_high), above),
                                mirror * open);
        spark =
            r_select(m->body, nh16 * nh16 * (R(0.12f) + mirror), r_fma(nh16 * nh16, wet * R(0.5f), spark));
    }
    return vec3_add_scaled(light, shade_vec(s->sun_color), lit * spark);
}

LANE_INLINE void light_pixels(const shade_job *job, int x, int y) {
    const shader_scene *s = job->scene;
    shade_at at = shade_place_of(job, x, y);
    ireal packed = i_load(job->color + at.first);
    material m = material_of(r_from_int(i_shift_right(packed, 24) & RI(255)) * R(1 / 255.0f));
    vec3 root = vec3_of(shade_byte(packed, 0), shade_byte(packed, 8), shade_byte(packed, 16));
    vec3 color = vec3_mul(root, root), ray = shade_ray(s, at.x, at.y);
    real z = r_load(job->depth + at.first), d = vec3_length(ray);
    vec3 v = vec3_scale(ray, R(1) / d), all = vec3_all(R(0));
    real thick = r_select(m.solid, R(s->right[3]) * r_max(d * z - R(s->up[3]), R(0)), R(1));
    if (m_any(m.solid)) all = lit_surface(job, &at, &m, color, vec3_add_scaled(shade_vec(s->eye), ray, z), v);
    if (m_any(r_gt(thick, R(0)))) {
        real fog = r_select(m.solid, R(1) - shade_exp(-thick), R(1));
        vec3 air = shade_backdrop(job, vec3_of(v.x, r_max(v.y, R(0)), v.z), ~m.solid);
        all = vec3_select(m.solid, shade_mix3(all, air, fog), air);
    }
    all = vec3_select(m.plain, color, all);
    if (job->water)
        shade_keep(job->light, &at, all, m.plain);
    else
        shade_finish(job, &at, x, all, m.plain);
}

void ISA_NAME(shade_light)(const shade_job *job, int y0, int y1) {
    for (int y = y0; y < y1; y++)
        for (int x = 0; x < job->wide; x += LANES) light_pixels(job, x, y);
}
