// Noise for the unevenness of snow.
#include "geom/relief.h"

#include <math.h>

static const uint32_t ALONG[3] = {0x9E3779B1u, 0x85EBCA77u, 0xC2B2AE3Du};

static uint32_t stir(uint32_t h) {
    h = (h ^ (h >> 15)) * 0x2C1B3C6Du;
    h = (h ^ (h >> 12)) * 0x297A2D39u;
    return h ^ (h >> 15);
}

uint32_t relief_bits(int x, int y, int z) {
    return stir((uint32_t)x * ALONG[0] ^ (uint32_t)y * ALONG[1] ^ (uint32_t)z * ALONG[2]);
}

static float ease(float f) { return f * f * f * (f * (f * 6 - 15) + 10); }
static float ease_slope(float f) { return 30 * f * f * (f * (f - 2) + 1); }
static float mix(float a, float b, float t) { return a + (b - a) * t; }

// Value noise: random numbers at the corners of a lattice, eased in between. The lattice is turned, so that
// it does not lie along floors and walls.
float relief_noise(const float at[3], float slope[3]) {
    static const float turn[3][3] = {{0.36f, 0.48f, -0.8f}, {-0.8f, 0.6f, 0}, {0.48f, 0.64f, 0.6f}};
    float f[3], u[3], du[3], c[8], d[3];
    uint32_t low[3], high[3]; // products of relief_bits
    for (int k = 0; k < 3; k++) {
        float x = turn[k][0] * at[0] + turn[k][1] * at[1] + turn[k][2] * at[2];
        x = x > -1e8f && x < 1e8f ? x : 0;
        float cell = floorf(x);
        low[k] = (uint32_t)(int)cell * ALONG[k];
        high[k] = low[k] + ALONG[k];
        f[k] = x - cell;
        u[k] = ease(f[k]);
        du[k] = ease_slope(f[k]);
    }
    for (int i = 0; i < 8; i++) {
        uint32_t h = (i & 1 ? high : low)[0] ^ (i & 2 ? high : low)[1] ^ (i & 4 ? high : low)[2];
        c[i] = (float)(int)(stir(h) & 0xffffu) * (2 / 65536.0f) - 1;
    }
    float x00 = mix(c[0], c[1], u[0]), x10 = mix(c[2], c[3], u[0]), x01 = mix(c[4], c[5], u[0]),
          x11 = mix(c[6], c[7], u[0]);
    d[0] = du[0] * mix(mix(c[1] - c[0], c[3] - c[2], u[1]), mix(c[5] - c[4], c[7] - c[6], u[1]), u[2]);
    d[1] = du[1] * mix(x10 - x00, x11 - x01, u[2]);
    d[2] = du[2] * (mix(x01, x11, u[1]) - mix(x00, x10, u[1]));
    for (int k = 0; k < 3; k++) slope[k] = turn[0][k] * d[0] + turn[1][k] * d[1] + turn[2][k] * d[2];
    return mix(mix(x00, x10, u[1]), mix(x01, x11, u[1]), u[2]);
}

float relief_clods(const float rest[3], float size, float rough, float slope[3]) {
    static const float wide[2] = {1, 0.45f}, part[2] = {0.13f, 0.075f};
    float height = 0;
    slope[0] = slope[1] = slope[2] = 0;
    for (int i = 0; i < 2; i++) {
        float length = size * wide[i], at[3] = {rest[0] / length, rest[1] / length, rest[2] / length}, d[3];
        height += rough * part[i] * size * relief_noise(at, d);
        for (int k = 0; k < 3; k++) slope[k] += rough * part[i] / wide[i] * d[k];
    }
    return height;
}

// Slopes are about the same at all sizes, so heights fall with the size: no size stands out, and snow looks
// alike from far and near.
const float relief_bump_size[RELIEF_BUMPS] = {0.13f, 0.055f, 0.024f, 0.0105f, 0.0045f};
const float relief_bump_smooth[RELIEF_BUMPS] = {0.03f, 0.036f, 0.045f, 0.055f, 0.065f};
const float relief_bump_torn[RELIEF_BUMPS] = {0.22f, 0.26f, 0.26f, 0.24f, 0.2f};

float relief_bumps(const float rest[3], float rough, float footprint, float slope[3]) {
    float bright = 0;
    slope[0] = slope[1] = slope[2] = 0;
    for (int i = 0; i < RELIEF_BUMPS; i++) {
        float size = relief_bump_size[i], seen = 1.5f - 2.5f * footprint / size, d[3];
        if (!(seen > 0)) break;
        seen = seen < 1 ? seen : 1;
        const float at[3] = {rest[0] / size, rest[1] / size, rest[2] / size};
        float part = seen * (relief_bump_smooth[i] + rough * (relief_bump_torn[i] - relief_bump_smooth[i]));
        bright += 0.16f * part * relief_noise(at, d);
        for (int k = 0; k < 3; k++) slope[k] += part * d[k];
    }
    return bright;
}

void relief_bend(float n[3], const float slope[3]) {
    float along = slope[0] * n[0] + slope[1] * n[1] + slope[2] * n[2], length = 0;
    for (int k = 0; k < 3; k++) {
        n[k] -= slope[k] - along * n[k];
        length += n[k] * n[k];
    }
    length = length > 0 ? 1 / sqrtf(length) : 1;
    for (int k = 0; k < 3; k++) n[k] *= length;
}
