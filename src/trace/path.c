// The way of light from the eye backwards: one sample of one pixel.
#if FIRN_HAVE_EMBREE
#include "trace/inside.h"

enum { BOUNCES = 32, SURE_BOUNCES = 4 };
static const float WATER_INDEX = 1.333f, COAT = 0.025f, COAT_EDGE = 0.3f, FILM_EDGE = 0.7f;
static const float SUN_GLITTER = 0.002f; // squared radius of the sun as waves show it

typedef struct path {
    const tracer *t;
    dice *d;
    v3 p, way, weight;
    float near, time;
    bool eye; // only mirrors and water so far
    bool mirrored;
    int spread;  // how many matte surfaces there were
    bool told;   // what is seen first is known
    bool marked; // the first of them has a colour that means something
    v3 paint;
    path_result out;
} path;

static v3 call(void (*fn)(const void *, const float *, float *), const void *context, v3 way) {
    float in[3] = {way.x, way.y, way.z}, out[3];
    fn(context, in, out);
    return v3_of(out);
}

static void add(path *p, v3 light) { p->out.light = v3_add(p->out.light, v3_mul(p->weight, light)); }

static void look_along(path *p, int width, int height, int x, int y) {
    const tracer *t = p->t;
    const trace_camera *c = &t->scene->camera;
    float at[2], lens[2], time[2];
    dice_even(p->d, EVEN_PIXEL, at);
    dice_even(p->d, EVEN_TIME, time);
    float u = 2 * ((float)x + at[0]) / (float)width - 1, v = 1 - 2 * ((float)y + at[1]) / (float)height,
          s = time[0];
    v3 forward = v3_unit(v3_mix(t->forward[0], t->forward[1], s)),
       right = v3_mix(t->right[0], t->right[1], s), up = v3_mix(t->up[0], t->up[1], s);
    p->time = s;
    p->p = v3_mix(t->eye[0], t->eye[1], s);
    p->way = v3_fma(v3_fma(forward, right, u), up, v);
    if (c->aperture > 0 && c->focus > 0) {
        dice_even(p->d, EVEN_LENS, lens);
        float r = 0.5f * c->aperture * sqrtf(lens[0]), turn = 6.2831853f * lens[1];
        v3 off = v3_fma(v3_scale(v3_unit(right), r * cosf(turn)), v3_unit(up), r * sinf(turn));
        p->way = v3_sub(v3_scale(p->way, c->focus), off);
        p->p = v3_add(p->p, off);
    }
    p->way = v3_unit(p->way);
}

static void meet_sky(path *p) {
    const trace_light *l = &p->t->scene->light;
    v3 light = call(p->eye ? l->seen : l->sky, l->context, p->way);
    float off = 1 - v3_dot(p->way, p->t->sun); // half the squared angle
    if (p->eye && p->mirrored && 2 * off < SUN_GLITTER)
        light = v3_fma(light, v3_of(l->sun_color), 1 / SUN_GLITTER);
    add(p, light);
}

// Air between the eye and the first thing.
static void meet_haze(path *p, float distance) {
    const trace_light *l = &p->t->scene->light;
    float part = 1 - expf(-l->haze * f_max(distance - l->haze_from, 0));
    if (!(part > 0)) return;
    v3 level = {p->way.x, f_max(p->way.y, 0), p->way.z};
    add(p, v3_scale(call(l->seen, l->context, level), part));
    p->weight = v3_scale(p->weight, 1 - part);
}

// Share that a smooth face between two media throws back.
static float fresnel(float cosine, float eta, float *through) {
    float s2 = eta * eta * (1 - cosine * cosine);
    if (s2 >= 1) return 1;
    *through = sqrtf(1 - s2);
    float a = (eta * cosine - *through) / (eta * cosine + *through),
          b = (cosine - eta * *through) / (cosine + eta * *through);
    return 0.5f * (a * a + b * b);
}

static void meet_water(path *p, const trace_hit *hit) {
    v3 n = hit->from_outside ? hit->n : v3_scale(hit->n, -1);
    float cosine = f_min(f_max(-v3_dot(p->way, n), 1e-3f), 1), through = 0;
    float eta = hit->from_outside ? 1 / WATER_INDEX : WATER_INDEX, share = fresnel(cosine, eta, &through);
    if (!hit->from_outside)
        p->weight = v3_mul(p->weight, tracer_dimmed(tracer_dimming(p->t, hit->color), hit->distance));
    if (random_unit(dice_roll(p->d), 0) < share) {
        p->way = v3_unit(v3_reflect(p->way, n));
        p->mirrored = true;
    } else
        p->way = v3_unit(v3_fma(v3_scale(p->way, eta), n, eta * cosine - through));
    p->p = hit->p;
}

static v3 sun_way(const path *p) {
    float a[2];
    if (p->spread == 0)
        dice_even(p->d, EVEN_SUN, a);
    else {
        random4 r = dice_roll(p->d);
        a[0] = random_unit(r, 0), a[1] = random_unit(r, 1);
    }
    float r = p->t->scene->light.sun_radius * sqrtf(a[0]), turn = 6.2831853f * a[1];
    return v3_unit(v3_around(p->t->sun, r * cosf(turn), r * sinf(turn), 1));
}

static v3 lamp_light(path *p, v3 n, v3 at) {
    const trace_scene *s = p->t->scene;
    if (s->lamp_count == 0) return v3_all(0);
    random4 r = dice_roll(p->d);
    size_t i = (size_t)(random_unit(r, 0) * (float)s->lamp_count);
    const trace_lamp *lamp = &s->lamps[i];
    v3 to = v3_fma(v3_sub(v3_of(lamp->at), at), sample_sphere(random_unit(r, 1), random_unit(r, 2)),
                   lamp->radius);
    float d2 = v3_dot(to, to), d = sqrtf(d2);
    v3 way = v3_scale(to, 1 / f_max(d, 1e-6f));
    float cosine = v3_dot(way, n);
    if (!(cosine > 0) || !(d > 3 * lamp->radius)) return v3_all(0);
    p->out.rays++;
    trace_ray ray = tracer_ray(p->t, at, way, d - 3 * lamp->radius, p->time);
    if (tracer_dark(p->t, &ray)) return v3_all(0);
    return v3_scale(v3_of(lamp->color), (float)s->lamp_count * cosine * lamp->radius * lamp->radius / d2);
}

// Light that falls on a matte surface straight from the sun and lamps, as a share of what would make white as
// bright.
static v3 direct(path *p, const trace_hit *hit, v3 n, v3 *to_sun, float *sunlit) {
    *to_sun = sun_way(p);
    float cosine = v3_dot(n, *to_sun);
    v3 side = hit->from_outside ? hit->n : v3_scale(hit->n, -1);
    v3 at = v3_fma(hit->above, side, tracer_lift(p->t, hit->p));
    v3 light = lamp_light(p, n, at);
    *sunlit = 0;
    float facing = v3_dot(side, *to_sun);
    if (!(cosine > 0 && facing > 0)) return light;
    v3 share = tracer_sun(p->t, tracer_ray(p->t, at, *to_sun, INFINITY, p->time), &p->out.rays);
    *sunlit = v3_bright(share);
    return v3_add(light, v3_scale(v3_mul(share, v3_of(p->t->scene->light.sun_color)), cosine));
}

static void remember(path *p, const trace_hit *hit, v3 n) {
    if (p->told) return;
    p->told = true;
    p->out.albedo = hit->color;
    p->out.normal = n;
    if (hit->item->material != TRACE_MARKED) return;
    p->marked = true;
    p->paint = hit->color;
}

static const trace_relief *relief_of(const tracer_item *item) {
    static const trace_relief none = {0};
    return item->kind == TRACER_MESH    ? &item->mesh->relief
           : item->kind == TRACER_PLANE ? &item->plane->relief
                                        : &none;
}

// Planks, bricks and the like change the colour, and bend the normal.
static v3 meet_pattern(trace_hit *hit, v3 n, float footprint) {
    const trace_mesh *m = hit->item->kind == TRACER_MESH ? hit->item->mesh : NULL;
    if (!m || m->pattern == PATTERN_PAINT) return n;
    const float back[4] = {m->rotation[0], -m->rotation[1], -m->rotation[2], -m->rotation[3]};
    v3 own = v3_turn(back, hit->n);
    float at[3] = {hit->rest.x, hit->rest.y, hit->rest.z}, normal[3] = {own.x, own.y, own.z},
          color[3] = {hit->color.x, hit->color.y, hit->color.z}, slope[3];
    pattern_look(m->pattern, at, normal, footprint, color, slope);
    hit->color = v3_of(color);
    v3 bend = v3_turn(m->rotation, v3_of(slope));
    return v3_unit(v3_add(v3_sub(n, bend), v3_scale(n, v3_dot(n, bend))));
}

// How much of a film of water lies on snow: only wet snow has lost more red than blue.
static float film_on(const trace_hit *hit) {
    if (hit->item->material != TRACE_SNOW) return 1;
    return f_min(f_max((0.93f - hit->color.x / f_max(hit->color.z, 1e-3f)) * 4, 0), 1);
}

// A clear coat, or the film of water on wet snow, mirrors a little of the sky, and the sun as a soft spot.
// True: this sample was mirrored.
static bool meet_coat(path *p, const trace_hit *hit, v3 n) {
    float f = f_max(1 + v3_dot(p->way, n), 0), f2 = f * f,
          edge = hit->item->material == TRACE_SNOW ? FILM_EDGE : COAT_EDGE,
          share = film_on(hit) * (COAT + edge * f2 * f2 * f);
    random4 r = dice_roll(p->d);
    if (random_unit(r, 0) >= share) return false;
    v3 way = v3_fma(v3_reflect(p->way, n), sample_sphere(random_unit(r, 1), random_unit(r, 2)), 0.12f);
    if (v3_dot(way, n) <= 0) return false;
    p->way = v3_unit(way);
    p->p = hit->p;
    return true;
}

// Matte things and snow. False: the light ends here.
static bool meet_matte(path *p, trace_hit *hit, float footprint) {
    v3 side = hit->from_outside ? hit->n : v3_scale(hit->n, -1), to_sun;
    bool snow = hit->item->material == TRACE_SNOW, first = p->spread == 0;
    v3 n = snow && hit->from_outside ? relief_normal(relief_of(hit->item), hit, side, footprint) : side;
    n = meet_pattern(hit, n, footprint);
    remember(p, hit, n);
    bool coated = hit->item->material == TRACE_SATIN || (snow && first && film_on(hit) > 0);
    if (coated && hit->from_outside && meet_coat(p, hit, n)) return true;
    v3 color = p->marked && first ? v3_all(1) : hit->color, back = v3_scale(p->way, -1), rest = hit->rest;
    if (snow && first && hit->from_outside && p->t->scene->snow_path > 0.25f * footprint) {
        trace_hit in = *hit;
        in.n = n;
        if (!snow_walk(p->t, &in, hit->color, p->d, hit, &color, &p->out.rays)) return false;
        hit->from_outside = true;
        n = relief_normal(relief_of(hit->item), hit, hit->n, footprint);
    }
    float sunlit = 0;
    v3 received = direct(p, hit, n, &to_sun, &sunlit);
    p->weight = v3_mul(p->weight, color);
    add(p, received);
    if (snow && p->eye && sunlit > 0)
        p->out.glint = v3_scale(
            v3_of(p->t->scene->light.sun_color),
            sunlit * relief_glints(rest, side, back, p->t->sun, footprint * fabsf(v3_dot(back, side))));
    float a[2];
    random4 r = dice_roll(p->d);
    a[0] = random_unit(r, 0), a[1] = random_unit(r, 1);
    if (first) dice_even(p->d, EVEN_BOUNCE, a);
    p->way = sample_cosine(n, a[0], a[1]);
    v3 smooth = hit->from_outside ? hit->n : v3_scale(hit->n, -1);
    float under = v3_dot(p->way, smooth);
    if (under < 0)
        p->way = v3_fma(p->way, smooth, -2 * under); // a bent normal must not send light into the ground
    p->p = hit->above;
    p->eye = false;
    p->spread++;
    return true;
}

static bool survives(path *p, int bounce) {
    if (bounce < SURE_BOUNCES) return true;
    float chance = f_min(v3_most(p->weight), 0.97f);
    if (random_unit(dice_roll(p->d), 0) >= chance) return false;
    p->weight = v3_scale(p->weight, 1 / chance);
    return true;
}

static void follow(path *p) {
    float gone = 0;
    for (int bounce = 0; bounce < BOUNCES && survives(p, bounce); bounce++) {
        trace_hit hit;
        p->out.rays++;
        trace_ray ray = {p->p, p->way, p->near, INFINITY, p->time};
        bool met = p->eye ? tracer_see(p->t, &ray, &hit) : tracer_hit(p->t, &ray, &hit);
        if (!met) {
            meet_sky(p);
            return;
        }
        gone += hit.distance;
        if (bounce == 0) {
            p->out.depth = hit.distance * v3_dot(p->way, p->t->forward[1]);
            meet_haze(p, hit.distance);
        }
        p->near = tracer_lift(p->t, hit.p);
        if (hit.item->material == TRACE_WATER) {
            if (bounce == 0) p->out.normal = hit.n, p->out.albedo = v3_all(0.5f);
            meet_water(p, &hit);
        } else if (hit.item->material == TRACE_PLAIN) {
            add(p, hit.color);
            return;
        } else {
            float slant = f_max(fabsf(v3_dot(p->way, hit.n)), 0.02f);
            if (!meet_matte(p, &hit, p->spread ? 1e-2f : gone * p->t->pixel / slant)) return;
        }
    }
}

path_result path_trace(const tracer *t, int width, int height, int x, int y, dice *d) {
    path p = {.t = t, .d = d, .weight = v3_all(1), .eye = true, .out = {.depth = -1}};
    look_along(&p, width, height, x, y);
    follow(&p);
    if (p.marked) p.out.light = v3_scale(p.paint, 0.4f * 0.85f + 0.6f * v3_bright(p.out.light));
    if (p.out.depth < 0) p.out.albedo = v3_all(1);
    return p.out;
}
#endif
