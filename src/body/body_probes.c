// Contact points with a small radius. A corner exactly above the edge of another body has no stable normal;
// moved inwards by a small radius it rests on the face. Faces stay in place, edges and corners are rounded by
// that radius.
#include <math.h>

#include "body/body_set.h"

static const double ROUNDING = 0.02; // of the thickness

static float pull_in(float at, float low, float high, float radius) {
    return fminf(fmaxf(at, low + radius), high - radius);
}

static void round_box(shape_probe *p, const float low[3], const float high[3], float radius) {
    for (int k = 0; k < 3; k++) p->at[k] = pull_in(p->at[k], low[k], high[k], radius);
    p->radius = radius;
}

static void round_cylinder(shape_probe *p, const float low[3], const float high[3], float radius) {
    p->at[1] = pull_in(p->at[1], low[1], high[1], radius);
    float out = sqrtf(p->at[0] * p->at[0] + p->at[2] * p->at[2]), most = high[0] - radius;
    if (out > most) {
        p->at[0] *= most / out;
        p->at[2] *= most / out;
    }
    p->radius = radius;
}

// Inwards along the normal, limited by the thickness there; sharp parts keep their point.
static void round_any(const shape *s, shape_probe *p, float radius) {
    firn_vec3 normal, at = dvec((double)p->at[0], (double)p->at[1], (double)p->at[2]);
    shape_sdf(s, at, &normal);
    at = dvec_add_scaled(at, normal, -(double)radius);
    double depth = -shape_sdf(s, at, NULL);
    if (depth < 0.5 * (double)radius) return;
    p->at[0] = (float)at.x, p->at[1] = (float)at.y, p->at[2] = (float)at.z;
    p->radius = (float)fmin(depth, (double)radius);
}

static shape_probe rounded(const shape *s, firn_shape_kind kind, shape_probe p, const float low[3],
                           const float high[3], float radius) {
    if (p.radius > 0) return p;
    if (kind == FIRN_SHAPE_BOX)
        round_box(&p, low, high, radius);
    else if (kind == FIRN_SHAPE_CYLINDER)
        round_cylinder(&p, low, high, radius);
    else
        round_any(s, &p, radius);
    return p;
}

firn_status body_make_probes(const shape *s, firn_shape_kind kind, body_probes *out) {
    size_t count;
    const shape_probe *probes = shape_probes(s, &count);
    if (count == 0) return FIRN_OK;
    float *memory = mem_zero(count, 4 * sizeof *memory);
    if (!memory) return fail_memory("making contact points", count * 4 * sizeof *memory);
    firn_vec3 l, h;
    shape_bounds(s, &l, &h);
    float low[3] = {(float)l.x, (float)l.y, (float)l.z}, high[3] = {(float)h.x, (float)h.y, (float)h.z};
    float radius = (float)(ROUNDING * fmin(shape_thickness(s), 10));
    *out = (body_probes){memory, memory + count, memory + 2 * count, memory + 3 * count, count};
    for (size_t i = 0; i < count; i++) {
        shape_probe p = rounded(s, kind, probes[i], low, high, radius);
        out->x[i] = p.at[0], out->y[i] = p.at[1], out->z[i] = p.at[2], out->radius[i] = p.radius;
    }
    return FIRN_OK;
}
