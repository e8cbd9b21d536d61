// The view through water in lane C; shaders_water.c has the same in GLSL.
#include "draw/shade_lanes.h"

// The look through water: see shader_through_fragment, which each function follows.

typedef struct spot {
    real x, y, z; // of the picture, 0..1; m along the view
} spot;

LANE_INLINE spot place(const shader_scene *s, vec3 p) {
    vec3 a = vec3_sub(p, shade_vec(s->eye)), right = shade_vec(s->right), up = shade_vec(s->up);
    real z = vec3_dot(a, shade_vec(s->forward)), near = R(0.5f) / r_max(z, R(1e-4f));
    spot at = {r_fma(vec3_dot(a, right) / vec3_length2(right), near, R(0.5f)),
               r_fma(vec3_dot(a, up) / vec3_length2(up), near, R(0.5f)), z};
    return at;
}

LANE_INLINE mask outside(spot k) {
    return r_lt(k.x, R(0)) | r_lt(k.y, R(0)) | r_gt(k.x, R(1)) | r_gt(k.y, R(1));
}

LANE_INLINE ireal pixel_of(const shade_job *job, real x, real y) {
    ireal u = r_to_int(shade_within(x * R((float)job->wide), 0, (float)job->wide - 1));
    ireal v = r_to_int(shade_within(y * R((float)job->high), 0, (float)job->high - 1));
    return v * RI((int)job->stride) + u;
}

LANE_INLINE real scene_depth(const shade_job *job, spot k) {
    return r_gather(job->depth, pixel_of(job, k.x, k.y));
}

// Linear colour of the scene, between the four nearest pixels.
LANE_INLINE vec3 light_at(const shade_job *job, real x, real y) {
    x = shade_within(r_fma(x, R((float)job->wide), R(-0.5f)), 0, (float)job->wide - 1.01f);
    y = shade_within(r_fma(y, R((float)job->high), R(-0.5f)), 0, (float)job->high - 1.01f);
    ireal u = r_to_int(x), v = r_to_int(y);
    real fx = x - r_from_int(u), fy = y - r_from_int(v), c[4][4];
    int index[LANES];
    i_store(index, v * RI((int)job->stride) + u);
    for (size_t k = 0; k < 4; k++) r_load_rows(job->light[(k & 1) + (k >> 1) * job->stride], index, c[k]);
    vec3 low = vec3_of(shade_mix(c[0][0], c[1][0], fx), shade_mix(c[0][1], c[1][1], fx),
                       shade_mix(c[0][2], c[1][2], fx));
    vec3 high = vec3_of(shade_mix(c[2][0], c[3][0], fx), shade_mix(c[2][1], c[3][1], fx),
                        shade_mix(c[2][2], c[3][2], fx));
    return shade_mix3(low, high, fy);
}

LANE_INLINE vec3 air(const shade_job *job, vec3 d) {
    vec3 above = shade_backdrop(job, vec3_of(d.x, r_max(d.y, R(0)), d.z), ~RI(0));
    return shade_mix3(above, shade_vec(job->scene->ground_fill), shade_unit(R(-8) * d.y));
}

// Where a ray lies just behind the scene, by halves between two of its points; false at an edge.
LANE_INLINE mask refine(const shade_job *job, vec3 p, vec3 d, float before, float reach, real nearest,
                        spot *out) {
    float size = 4.5f * job->scene->forward[3];
    real low = R(before), high = R(reach);
    for (int j = 0; j < 5; j++) {
        real middle = R(0.5f) * (low + high);
        spot m = place(job->scene, vec3_add_scaled(p, d, middle));
        real other = scene_depth(job, m);
        mask in_front = r_lt(m.z, other) | r_lt(other, nearest);
        low = r_select(in_front, middle, low);
        high = r_select(in_front, high, middle);
    }
    *out = place(job->scene, vec3_add_scaled(p, d, high));
    return r_lt(out->z - scene_depth(job, *out), R(0.15f * (reach - before) + 0.004f * size));
}

// Along a ray in growing steps to where it comes to lie behind the scene. Only lanes of `wanted`; returns
// those that met something, and where.
LANE_INLINE mask meet(const shade_job *job, vec3 p, vec3 d, real nearest, float thick, mask wanted,
                      spot *hit) {
    float before = 0, reach = 0.01f * 4.5f * job->scene->forward[3];
    mask found = RI(0);
    *hit = (spot){R(0.5f), R(0.5f), R(0)};
    for (int i = 0; i < 22 && m_any(wanted); i++) {
        spot k = place(job->scene, vec3_add_scaled(p, d, R(reach)));
        real z = scene_depth(job, k);
        wanted &= ~(outside(k) | r_lt(k.z, R(job->scene->view_x[3])));
        mask behind = wanted & r_gt(k.z, z) & r_gt(z, nearest) & r_lt(k.z - z, R(thick * (reach - before)));
        if (m_any(behind)) {
            spot m;
            mask met = behind & refine(job, p, d, before, reach, nearest, &m);
            *hit = (spot){r_select(met, m.x, hit->x), r_select(met, m.y, hit->y), r_select(met, m.z, hit->z)};
            found |= met;
            wanted &= ~met;
        }
        before = reach;
        reach *= 1.26f;
    }
    return found;
}

LANE_INLINE vec3 toward(vec3 v, vec3 d, real part) {
    vec3 w = shade_mix3(v, d, part);
    return vec3_scale(w, r_rsqrt(r_max(vec3_length2(w), R(1e-20f))));
}

// Where nothing is met: bent as much less as is needed to see something.
LANE_INLINE vec3 seen_straighter(const shade_job *job, vec3 p, vec3 v, vec3 d, real nearest, real away) {
    real low = R(0), high = R(1);
    for (int i = 0; i < 6; i++) {
        real part = i == 0 ? R(1) : R(0.5f) * (low + high);
        spot k = place(job->scene, vec3_add_scaled(p, toward(v, d, part), away));
        mask good = ~outside(k) & r_gt(scene_depth(job, k), nearest);
        low = r_select(good, part, low);
        high = r_select(good, high, part);
    }
    low = r_select(r_gt(low, R(0.9f)), low, R(0.92f) * low); // not its edge
    spot k = place(job->scene, vec3_add_scaled(p, toward(v, d, low), away));
    int index[LANES];
    i_store(index, pixel_of(job, shade_within(k.x, 0.001f, 0.999f), shade_within(k.y, 0.001f, 0.999f)));
    real c[4];
    r_load_rows(job->light[0], index, c);
    return vec3_of(c[0], c[1], c[2]);
}

LANE_INLINE vec3 seen(const shade_job *job, vec3 p, vec3 v, vec3 d, real nearest, real away, mask wanted) {
    spot hit;
    mask met = meet(job, p, d, nearest, 2.5f, wanted, &hit), open = ~met & r_gt(d.y, R(0));
    vec3 c = light_at(job, hit.x, hit.y);
    if (m_any(wanted & open)) c = vec3_select(open, air(job, d), c);
    mask lost = wanted & ~met & ~open;
    return m_any(lost) ? vec3_select(lost, seen_straighter(job, p, v, d, nearest, away), c) : c;
}

LANE_INLINE vec3 mirrored(const shade_job *job, vec3 p, vec3 d, mask wanted) {
    spot hit;
    mask met = meet(job, p, d, R(0), 1.6f, wanted, &hit);
    vec3 sky = air(job, d);
    if (!m_any(met)) return sky;
    real aside = r_max(r_abs(hit.x - R(0.5f)), r_abs(hit.y - R(0.5f)));
    return shade_mix3(sky, light_at(job, hit.x, hit.y), r_where(met, shade_unit((R(0.5f) - aside) * R(12))));
}

// A null vector where all is reflected.
LANE_INLINE vec3 refract_ray(vec3 v, vec3 n, float ratio) {
    real c = vec3_dot(v, n), k = R(1) - R(ratio * ratio) * (R(1) - c * c);
    vec3 bent = vec3_add_scaled(vec3_scale(v, R(ratio)), n, -(R(ratio) * c + r_sqrt(r_max(k, R(0)))));
    return vec3_select(r_ge(k, R(0)), bent, vec3_all(R(0)));
}

// Water in front of a group of pixels.
typedef struct surface_group {
    vec3 v, n, p;     // ray, normal, place of the surface
    real d, z, scene; // length of the ray at distance 1; m along the view
    mask front;       // its surface is seen
} surface_group;

// The scene behind the surface: the ray bends where it enters, and again where it first leaves the water.
LANE_INLINE vec3 behind_water(const shade_job *job, const shade_at *at, const surface_group *g) {
    const shader_scene *s = job->scene;
    const shade_water *w = job->water;
    vec3 r = refract_ray(g->v, g->n, 0.75f);
    real back = r_load(w->back_depth + at->first);
    mask leaves = g->front & r_lt(back, g->scene - R(s->occlusion[3]));
    vec3 from = g->p, way = r;
    real away = (g->scene - g->z) * g->d;
    if (m_any(leaves)) { // as if the face at the far end were flat: then the way to it is known
        vec3 m = shade_normal(s, i_load(w->back + at->first), 1);
        real straight = (back - g->z) * g->d,
             bent = straight * vec3_dot(g->v, m) / r_max(vec3_dot(r, m), R(0.2f));
        bent = r_max(R(0.3f) * straight, r_min(R(1.5f) * straight, bent));
        vec3 o = refract_ray(r, vec3_negate(m), 1.33f),
             slid = vec3_add_scaled(r, shade_reflect(r, m), R(0.35f));
        slid = vec3_scale(slid, r_rsqrt(r_max(vec3_length2(slid), R(1e-20f))));
        o = vec3_select(r_gt(vec3_length2(o), R(0.1f)), o, slid);
        from = vec3_select(leaves, vec3_add_scaled(g->p, r, bent), from);
        way = vec3_select(leaves, o, way);
        away = r_select(leaves, r_min(g->scene - back, R(180 * s->forward[3])) * g->d, away);
    }
    return seen(job, from, g->v, way, g->z, away, g->front);
}

// Mirror, the sun's glitter and haze, over what comes through.
LANE_INLINE vec3 surface_light(const shade_job *job, const surface_group *g, vec3 all, real lit) {
    const shader_scene *s = job->scene;
    real f = R(1) - r_max(-vec3_dot(g->v, g->n), R(0)), f2 = f * f,
         mirror = R(0.03f) + R(0.97f) * f2 * f2 * f;
    vec3 half_way = vec3_sub(shade_vec(s->sun), g->v);
    real nh = r_max(vec3_dot(g->n, half_way) * r_rsqrt(r_max(vec3_length2(half_way), R(1e-12f))), R(0));
    all = shade_mix3(all, mirrored(job, g->p, shade_reflect(g->v, g->n), g->front), mirror);
    real log_nh = r_log(nh),
         glitter = R(1.6f) * shade_exp(R(700) * log_nh) + R(0.05f) * shade_exp(R(60) * log_nh);
    all = vec3_add_scaled(all, shade_vec(s->sun_color), lit * glitter);
    real thick = R(s->right[3]) * r_max(g->d * g->z - R(s->up[3]), R(0));
    if (!m_any(g->front & r_gt(thick, R(0)))) return all;
    vec3 far = shade_backdrop(job, vec3_of(g->v.x, r_max(g->v.y, R(0)), g->v.z), RI(0));
    return shade_mix3(all, far, R(1) - shade_exp(-thick));
}

LANE_INLINE vec3 wet_pixels(const shade_job *job, const shade_at *at, vec3 base, mask front, real scene,
                            real z, const real thick[4]) {
    const shader_scene *s = job->scene;
    ireal wet = i_load(job->water->color + at->first);
    vec3 root = vec3_of(shade_byte(wet, 0), shade_byte(wet, 8), shade_byte(wet, 16)),
         deep = vec3_mul(root, root);
    vec3 ray = shade_ray(s, at->x, at->y);
    surface_group g = {.front = front, .scene = scene, .z = z, .d = vec3_length(ray)};
    g.v = vec3_scale(ray, R(1) / g.d);
    g.n = shade_normal(s, i_load(job->water->normal + at->first), -1);
    g.p = vec3_add_scaled(shade_vec(s->eye), ray, z);
    vec3 behind = m_any(front) ? vec3_select(front, behind_water(job, at, &g), base) : base;
    vec3 left = vec3_of(shade_exp(-thick[0]), shade_exp(-thick[1]), shade_exp(-thick[2]));
    real lit =
        shade_sun_light(job, g.p, g.n, front, RI(0), R(0), shade_pattern(at->x, R((float)job->high) - at->y));
    real nl = r_max(vec3_dot(g.n, shade_vec(s->sun)), R(0));
    vec3 fill =
        vec3_add_scaled(vec3_scale(shade_vec(s->sky_fill), R(0.8f)), shade_vec(s->ground_fill), R(0.2f));
    fill = vec3_add_scaled(fill, shade_vec(s->sun_color),
                           R(0.15f) + R(0.45f) * lit * r_fma(nl, R(0.7f), R(0.3f)));
    vec3 glow = vec3_mul(deep, fill),
         all = vec3_add(vec3_mul(behind, left), vec3_mul(glow, vec3_sub(vec3_all(R(1)), left)));
    return m_any(front) ? vec3_select(front, surface_light(job, &g, all, lit), all) : all;
}

void ISA_NAME(shade_through_water)(const shade_job *job, int y0, int y1) {
    int own[LANES];
    i_store(own, i_lane_index());
    for (int y = y0; y < y1; y++)
        for (int x = 0; x < job->wide; x += LANES) {
            shade_at at = shade_place_of(job, x, y);
            real base[4], thick[4];
            r_load_rows(job->light[at.first], own, base);
            r_load_rows(job->water->thick[at.first], own, thick);
            for (int k = 0; k < 4; k++) thick[k] = r_max(thick[k], R(0));
            real scene = r_load(job->depth + at.first), z = r_load(job->water->depth + at.first);
            ireal alpha = i_shift_right(i_load(job->water->color + at.first), 24) & RI(255);
            mask front = i_gt(alpha, RI(127)) & r_lt(z, scene), wet = front | r_ge(thick[3], R(1e-4f));
            vec3 all = vec3_of(base[0], base[1], base[2]);
            if (m_any(wet)) all = vec3_select(wet, wet_pixels(job, &at, all, front, scene, z, thick), all);
            shade_finish(job, &at, x, all, ~wet & r_gt(base[3], R(0.5f)));
        }
}
