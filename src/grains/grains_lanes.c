// Lane C: free flight of grains under gravity and drag.
#include "grains/grains_lanes.h"

#include <math.h>
#include <stdbool.h>

void ISA_NAME(grains_fly)(const grain_flight *f, size_t n, float *restrict x, float *restrict y,
                          float *restrict z, float *restrict u, float *restrict v, float *restrict w) {
    const grain_flight c = *f;
    for (size_t i = 0; i < n; i++) {
        x[i] += c.travel * u[i] + c.drop[0];
        y[i] += c.travel * v[i] + c.drop[1];
        z[i] += c.travel * w[i] + c.drop[2];
        u[i] = c.keep * u[i] + c.gain[0];
        v[i] = c.keep * v[i] + c.gain[1];
        w[i] = c.keep * w[i] + c.gain[2];
    }
}

static inline float smaller(float a, float b) { return a < b ? a : b; }
static inline float larger(float a, float b) { return a > b ? a : b; }

void ISA_NAME(grains_range)(size_t n, const float *a, const float *b, float *low, float *high) {
    enum { WIDE = 16 };
    float l[WIDE], h[WIDE];
    for (int k = 0; k < WIDE; k++) l[k] = INFINITY, h[k] = -INFINITY;
    size_t i = 0;
    for (; i + WIDE <= n; i += WIDE) {
        for (int k = 0; k < WIDE; k++) {
            l[k] = smaller(l[k], smaller(a[i + k], b[i + k]));
            h[k] = larger(h[k], larger(a[i + k], b[i + k]));
        }
    }
    for (; i < n; i++) {
        l[0] = smaller(l[0], smaller(a[i], b[i]));
        h[0] = larger(h[0], larger(a[i], b[i]));
    }
    *low = INFINITY, *high = -INFINITY;
    for (int k = 0; k < WIDE; k++) *low = smaller(*low, l[k]), *high = larger(*high, h[k]);
}

void ISA_NAME(grains_contact)(const grain_contact *contact, size_t n, const float *restrict d,
                              const float *restrict nx, const float *restrict ny, const float *restrict nz,
                              float *restrict x, float *restrict y, float *restrict z, float *restrict u,
                              float *restrict v, float *restrict w, float *restrict ju, float *restrict jv,
                              float *restrict jw) {
    const grain_contact c = *contact;
    for (size_t i = 0; i < n; i++) {
        // Velocity against the body's surface there.
        float ax = x[i] - c.origin[0], ay = y[i] - c.origin[1], az = z[i] - c.origin[2];
        float ru = u[i] - (c.velocity[0] + c.spin[1] * az - c.spin[2] * ay);
        float rv = v[i] - (c.velocity[1] + c.spin[2] * ax - c.spin[0] * az);
        float rw = w[i] - (c.velocity[2] + c.spin[0] * ay - c.spin[1] * ax);
        float depth = c.radius - d[i];
        float inward = -(ru * nx[i] + rv * ny[i] + rw * nz[i]); // > 0: into the body
        // The hit was `since` seconds ago; until then the grain was slower, and after it gravity went on.
        float pull = -(c.gravity[0] * nx[i] + c.gravity[1] * ny[i] + c.gravity[2] * nz[i]);
        float since = inward > 0 ? smaller(c.dt, larger(depth, 0) / larger(inward, 1e-12f)) : 0;
        float speed = inward - pull * since;
        float out = speed > c.slowest ? c.restitution * speed : 0;
        float push = inward > 0 ? inward + larger(out - pull * since, 0) : 0;
        float tu = ru + inward * nx[i], tv = rv + inward * ny[i], tw = rw + inward * nz[i];
        float sliding = sqrtf(tu * tu + tv * tv + tw * tw);
        float rub = smaller(1, c.friction * push / larger(sliding, 1e-12f));
        bool touches = d[i] < c.radius; // the others may have any distance, also an infinite one
        ju[i] = touches ? push * nx[i] - rub * tu : 0;
        jv[i] = touches ? push * ny[i] - rub * tv : 0;
        jw[i] = touches ? push * nz[i] - rub * tw : 0;
        float lift = touches ? depth + larger(out - pull * since / 2, 0) * since : 0;
        x[i] += lift * nx[i];
        y[i] += lift * ny[i];
        z[i] += lift * nz[i];
        u[i] += ju[i];
        v[i] += jv[i];
        w[i] += jw[i];
    }
}
