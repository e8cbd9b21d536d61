// Unevenness of snow too fine for meshes: bumps of three sizes, and single crystals that mirror the sun. Both
// are bound to the matter: the same at the same place at rest, frame after frame.
#if FIRN_HAVE_EMBREE
#include "geom/relief.h"
#include "trace/inside.h"

v3 relief_normal(const trace_relief *relief, const trace_hit *hit, v3 n, float footprint) {
    // Two sizes of the description's own, then those that all snow has.
    static const float size[2] = {1, 0.4f}, part[2] = {0.55f, 0.8f};
    if (!(relief->size > 0)) return n;
    float bend[3], out[3] = {n.x, n.y, n.z}, rest[3] = {hit->rest.x, hit->rest.y, hit->rest.z};
    float rough = hit->bound ? hit->rough : f_min(f_max(2 - 2.2f * n.y, 0), 1) * relief->torn;
    relief_bumps(rest, rough * rough, footprint, bend);
    for (int i = 0; i < 2; i++) {
        float wide = relief->size * size[i], seen = f_min(f_max(1.5f - 2.5f * footprint / wide, 0), 1),
              slope[3];
        if (!(seen > 0) || wide < relief_bump_size[0]) break;
        const float at[3] = {rest[0] / wide, rest[1] / wide, rest[2] / wide};
        relief_noise(at, slope);
        for (int k = 0; k < 3; k++) bend[k] += relief->slope * part[i] * seen * slope[k];
    }
    relief_bend(out, bend);
    return v3_of(out);
}

float relief_glints(v3 rest, v3 n, v3 to_eye, v3 to_sun, float footprint) {
    const float finest = 5e-4f,
                width = 0.0035f; // m; one minus the cosine of the angle within which one sees it
    v3 h = v3_unit(v3_add(to_eye, to_sun));
    float cell = exp2f(ceilf(log2f(f_max(footprint, finest))));
    v3 q = v3_scale(rest, 1 / cell);
    if (!(fabsf(q.x) + fabsf(q.y) + fabsf(q.z) < 1e9f)) return 0;
    uint32_t b = relief_bits((int)floorf(q.x), (int)floorf(q.y), (int)floorf(q.z));
    v3 facet = sample_sphere((float)(b & 0xfff) / 4096, (float)(b >> 12 & 0xfff) / 4096);
    if (v3_dot(facet, n) < 0) facet = v3_scale(facet, -1);
    float off = 1 - v3_dot(facet, h);
    if (off > width) return 0;
    float strength = (float)(b >> 24) / 256, bright = strength * strength * strength; // few are large
    float far = f_min(f_max(2 - footprint / 0.008f, 0), 1); // a pixel of many crystals has no single one
    return 10 * far * bright * bright * (1 - off / width);
}
#endif
