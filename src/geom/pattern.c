// Planks, bricks, tiles, stone, bark, threads, brushed metal, needles: made of one noise.
#include "geom/pattern.h"

#include <math.h>
#include <stdint.h>

static uint32_t mix_bits(int x, int y) {
    uint32_t h = (uint32_t)x * 0x9E3779B1u ^ (uint32_t)y * 0x85EBCA77u;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    return h ^ h >> 13;
}

static float hash(int x, int y) { return (float)(mix_bits(x, y) & 0xffffu) / 65536; }

typedef struct noise2 {
    float value, x, y; // -1..1; slopes
} noise2;

// The noise of shaders_common.c.
static noise2 noise(float x, float y) {
    float cx = floorf(x), cy = floorf(y), fx = x - cx, fy = y - cy;
    int i = (int)cx, j = (int)cy;
    float a = hash(i, j), b = hash(i + 1, j), c = hash(i, j + 1), d = hash(i + 1, j + 1);
    float ux = fx * fx * fx * (fx * (fx * 6 - 15) + 10), uy = fy * fy * fy * (fy * (fy * 6 - 15) + 10),
          dx = 30 * fx * fx * (fx * (fx - 2) + 1), dy = 30 * fy * fy * (fy * (fy - 2) + 1), k = a - b - c + d;
    return (noise2){2 * (a - 0.5f + (b - a) * ux + (c - a) * uy + k * ux * uy), 2 * dx * (b - a + k * uy),
                    2 * dy * (c - a + k * ux)};
}

static float clamp01(float x) { return fminf(fmaxf(x, 0), 1); }
static float seen(float size, float pixel) { return clamp01(1.5f - 2.5f * pixel / size); }
static float smooth(float low, float high, float x) {
    float t = clamp01((x - low) / (high - low));
    return t * t * (3 - 2 * t);
}
static float mix(float a, float b, float t) { return a + (b - a) * t; }

// A place on a face: along the horizontal, and up.
typedef struct flat {
    float u, v, pixel, steep; // steep: 1 of a wall, 0 of a floor
} flat;

typedef struct look {
    float light[3], u, v; // factors of the colour; slopes
} look;

static void shade(look *l, float factor) {
    for (int k = 0; k < 3; k++) l->light[k] *= factor;
}

static look wood(flat f) {
    const float wide = 0.14f;
    look l = {{1, 1, 1}, 0, 0};
    float row = floorf(f.v / wide), own = hash((int)row, 3), edge = f.v / wide - row;
    noise2 ring = noise(1.2f * f.u + 50 * own, 22 * f.v), fine = noise(9 * f.u + 70 * own, 160 * f.v);
    float gap = 1 - smooth(0.0015f, 0.004f + f.pixel, wide * fminf(edge, 1 - edge));
    shade(&l, (0.91f + 0.18f * own + 0.22f * ring.value * seen(0.045f, f.pixel) +
               0.12f * fine.value * seen(0.006f, f.pixel)) *
                  (1 - 0.6f * gap * seen(0.03f, f.pixel)));
    l.v = 0.06f * ring.y * seen(0.045f, f.pixel) + 0.05f * fine.y * seen(0.006f, f.pixel);
    return l;
}

static look tiles(flat f) {
    const float wide = 0.2f, high = 0.22f;
    look l = {{1, 1, 1}, 0, 0};
    float row = floorf(f.v / high), along = f.u + 0.5f * wide * (row - 2 * floorf(0.5f * row)),
          column = floorf(along / wide), fu = along / wide - column, fv = f.v / high - row,
          near = seen(0.12f, f.pixel);
    float gap = 1 - smooth(0.002f, 0.006f + f.pixel, wide * fminf(fu, 1 - fu));
    shade(&l,
          mix(0.5f, (0.36f + 0.28f * hash((int)column, (int)row)) * (0.72f + 0.5f * fv) * (1 - 0.5f * gap),
              near));
    l.u = 0.5f * (fu - 0.5f) * near;
    l.v = -0.12f * near;
    return l;
}

static look brick(flat f, const float color[3]) {
    const float wide = 0.25f, high = 0.075f, mortar[3] = {0.42f, 0.40f, 0.37f};
    look l;
    float row = floorf(f.v / high), along = f.u + 0.5f * wide * (row - 2 * floorf(0.5f * row)),
          column = floorf(along / wide), fu = along - wide * column, fv = f.v - high * row,
          du = fminf(fu, wide - fu), dv = fminf(fv, high - fv), near = seen(0.05f, f.pixel);
    float joint = mix(0.2f, 1 - smooth(0.004f, 0.008f + f.pixel, fminf(du, dv)), near);
    noise2 rough = noise(60 * f.u, 60 * f.v);
    float own =
        mix(1, 0.7f + 0.6f * hash((int)column, (int)row), near) + 0.12f * rough.value * seen(0.016f, f.pixel);
    for (int k = 0; k < 3; k++) l.light[k] = mix(own, mortar[k] / fmaxf(color[k], 0.02f), joint);
    float rim = near * (1 - smooth(0.006f, 0.014f, fminf(du, dv)));
    l.u = 0.1f * rough.x * seen(0.016f, f.pixel) + (du < dv ? rim * (fu < 0.5f * wide ? -0.7f : 0.7f) : 0);
    l.v = 0.1f * rough.y * seen(0.016f, f.pixel) + (du < dv ? 0 : rim * (fv < 0.5f * high ? -0.7f : 0.7f));
    l.u = -l.u, l.v = -l.v;
    return l;
}

static look stone(flat f) {
    look l = {{1, 1, 1}, 0, 0};
    noise2 a = noise(3 * f.u, 3 * f.v), b = noise(11 * f.u + a.value, 11 * f.v),
           c = noise(47 * f.u, 47 * f.v);
    float sb = seen(0.09f, f.pixel), sc = seen(0.02f, f.pixel);
    shade(&l, 1 + 0.16f * a.value + 0.14f * b.value * sb + 0.12f * c.value * sc);
    l.u = 0.12f * a.x + 0.16f * b.x * sb + 0.14f * c.x * sc;
    l.v = 0.12f * a.y + 0.16f * b.y * sb + 0.14f * c.y * sc;
    return l;
}

static look bark(flat f) {
    look l = {{1, 1, 1}, 0, 0};
    noise2 bend = noise(3 * f.u, 2 * f.v), ridge = noise(24 * f.u + 1.3f * bend.value, 3.5f * f.v),
           fine = noise(90 * f.u, 30 * f.v);
    float sr = seen(0.04f, f.pixel), sf = seen(0.011f, f.pixel);
    shade(&l, 0.9f + 0.38f * ridge.value * sr + 0.18f * fine.value * sf);
    l.u = 0.4f * ridge.x * sr + 0.15f * fine.x * sf;
    l.v = 0.2f * ridge.y * sr + 0.15f * fine.y * sf;
    return l;
}

static look cloth(flat f) {
    look l = {{1, 1, 1}, 0, 0};
    noise2 thread = noise(400 * f.u, 400 * f.v), fold = noise(7 * f.u, 5 * f.v);
    float near = seen(0.0025f, f.pixel);
    shade(&l, 1 + 0.16f * thread.value * near + 0.05f * fold.value);
    l.u = 0.15f * thread.x * near + 0.05f * fold.x;
    l.v = 0.15f * thread.y * near + 0.05f * fold.y;
    return l;
}

static look metal(flat f) {
    look l = {{1, 1, 1}, 0, 0};
    noise2 brushed = noise(2 * f.u, 220 * f.v), worn = noise(2.3f * f.u, 2.1f * f.v);
    float near = seen(0.0045f, f.pixel);
    shade(&l, 1 + 0.07f * brushed.value * near + 0.08f * worn.value);
    l.v = 0.06f * brushed.y * near;
    return l;
}

// A trunk is where the surface faces away from the axis near by.
static look needles(flat f, const float at[3], const float normal[3], const float color[3]) {
    static const float wood_color[3] = {0.085f, 0.058f, 0.042f};
    float away = sqrtf(at[0] * at[0] + at[2] * at[2]),
          outward = (at[0] * normal[0] + at[2] * normal[2]) / fmaxf(away, 1e-6f);
    float trunk = away < 0.25f ? smooth(0.9f, 0.96f, outward) : 0;
    look l = {{1, 1, 1}, 0, 0}, b = bark(f);
    noise2 bough = noise(6 * f.u, 6 * f.v), twig = noise(33 * f.u + 1.5f * bough.value, 33 * f.v),
           needle = noise(140 * f.u + 2 * twig.value, 140 * f.v);
    float st = seen(0.03f, f.pixel), sn = seen(0.007f, f.pixel);
    shade(&l, 0.95f + 0.25f * bough.value + 0.4f * twig.value * st + 0.45f * needle.value * sn);
    for (int k = 0; k < 3; k++)
        l.light[k] = mix(l.light[k], b.light[k] * wood_color[k] / fmaxf(color[k], 0.01f), trunk);
    l.u = mix(0.5f * twig.x * st + 0.5f * needle.x * sn, b.u, trunk);
    l.v = mix(0.5f * twig.y * st + 0.5f * needle.y * sn, b.v, trunk);
    return l;
}

void pattern_look(pattern_kind kind, const float at[3], const float normal[3], float pixel, float color[3],
                  float slope[3]) {
    for (int k = 0; k < 3; k++) slope[k] = 0;
    if (kind == PATTERN_PAINT) return;
    float level = fabsf(normal[1]), steep = sqrtf(fmaxf(1 - level * level, 0));
    int u = level <= 0.97f && fabsf(normal[0]) > fabsf(normal[2]) ? 2 : 0, v = level > 0.97f ? 2 : 1;
    flat f = {at[u], v == 1 ? at[v] / fmaxf(steep, 0.24f) : at[v], pixel, steep};
    look l = kind == PATTERN_WOOD    ? wood(f)
             : kind == PATTERN_BRICK ? (steep > 0.24f && level > 0.25f ? tiles(f) : brick(f, color))
             : kind == PATTERN_STONE ? stone(f)
             : kind == PATTERN_BARK  ? bark(f)
             : kind == PATTERN_CLOTH ? cloth(f)
             : kind == PATTERN_METAL ? metal(f)
                                     : needles(f, at, normal, color);
    for (int k = 0; k < 3; k++) color[k] = clamp01(color[k] * l.light[k]);
    slope[u] = l.u;
    slope[v] = l.v;
}
