// Light inside snow: it walks at random until it comes out again. Snow scatters forward; a walk that scatters
// evenly to all sides with the mean free path made longer in proportion (similarity) ends at the same places.
#if FIRN_HAVE_EMBREE
#include "trace/inside.h"

enum { STEPS = 64 };

// Hulst 1980: diffuse reflectance of a half-space
// (1 - s)(1 - 0.139 s)/(1 + 1.17 s), s the root of the share that is absorbed; here the other way round.
float snow_single_albedo(float diffuse) {
    float r = f_min(f_max(diffuse, 0), 1), b = 1.139f + 1.17f * r, c = 0.139f;
    float s = (b - sqrtf(f_max(b * b - 4 * c * (1 - r), 0))) / (2 * c);
    return f_max(1 - s * s, 0);
}

typedef struct walker {
    v3 p, way, weight;
    float near; // m, where the next ray begins
    float time;
    int inside; // how many bodies of snow it is in: they may overlap
} walker;

typedef enum step_end { STEP_ON, STEP_OUT, STEP_BOUNCED } step_end;

// Along the way for `left` metres, through faces inside of snow.
static step_end step(const tracer *t, walker *w, float left, dice *d, trace_hit *out, uint64_t *rays) {
    enum { FACES = 8 };
    for (int i = 0; i < FACES; i++) {
        ++*rays;
        trace_ray ray = {w->p, w->way, w->near, left, w->time};
        if (!tracer_hit(t, &ray, out)) break;
        w->p = out->p;
        w->near = tracer_lift(t, w->p);
        left -= out->distance;
        trace_material m = out->item->material;
        if (m == TRACE_SNOW) {
            w->inside += out->from_outside ? 1 : -1;
            if (w->inside == 0) return STEP_OUT;
        } else if (m != TRACE_WATER && m != TRACE_PLAIN) {
            random4 r = dice_roll(d);
            v3 n = out->from_outside ? out->n : v3_scale(out->n, -1);
            w->way = sample_cosine(n, random_unit(r, 0), random_unit(r, 1));
            w->weight = v3_mul(w->weight, out->color);
            return STEP_BOUNCED;
        }
        if (!(left > w->near)) return STEP_ON;
    }
    w->p = v3_fma(w->p, w->way, left);
    w->near = 0;
    return STEP_ON;
}

// Light that is still deep inside after many steps comes out somewhere near with the probability that
// diffusion gives at that depth, exp(-depth / length); where exactly no longer matters, so it comes out where
// it went in.
static v3 tail(v3 single, float depth) {
    v3 per = {sqrtf(3 * (1 - single.x)), sqrtf(3 * (1 - single.y)), sqrtf(3 * (1 - single.z))};
    return tracer_dimmed(per, f_max(depth, 0));
}

bool snow_walk(const tracer *t, const trace_hit *in, v3 albedo, dice *d, trace_hit *out, v3 *weight,
               uint64_t *rays) {
    v3 single = {snow_single_albedo(albedo.x), snow_single_albedo(albedo.y), snow_single_albedo(albedo.z)};
    random4 r = dice_roll(d);
    walker w = {in->p,     sample_cosine(v3_scale(in->n, -1), random_unit(r, 0), random_unit(r, 1)),
                v3_all(1), tracer_lift(t, in->p),
                in->time,  1};
    float path = t->scene->snow_path;
    for (int i = 0; i < STEPS; i++) {
        r = dice_roll(d);
        step_end end = step(t, &w, -logf(1 - random_unit(r, 0)) * path, d, out, rays);
        if (end == STEP_OUT) {
            *weight = w.weight;
            return true;
        }
        if (end == STEP_BOUNCED) continue;
        w.weight = v3_mul(w.weight, single);
        if (v3_most(w.weight) < 0.01f) return false;
        w.way = sample_sphere(random_unit(r, 1), random_unit(r, 2));
    }
    *out = *in;
    *weight = v3_mul(w.weight, tail(single, v3_dot(v3_sub(in->p, w.p), in->face) / path));
    return true;
}
#endif
