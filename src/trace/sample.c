// Random numbers of a sample, and directions made of them.
#if FIRN_HAVE_EMBREE
#include "trace/inside.h"

random4 dice_roll(dice *d) { return random_bits(d->seed ^ d->sample, d->pixel, d->stream++, d->sample); }

static uint32_t reverse_bits(uint32_t x) {
    x = x << 16 | x >> 16;
    x = (x & 0x00ff00ffu) << 8 | (x & 0xff00ff00u) >> 8;
    x = (x & 0x0f0f0f0fu) << 4 | (x & 0xf0f0f0f0u) >> 4;
    x = (x & 0x33333333u) << 2 | (x & 0xccccccccu) >> 2;
    return (x & 0x55555555u) << 1 | (x & 0xaaaaaaaau) >> 1;
}

// Each digit is turned over or not by those before it (Laine 2011).
static uint32_t scramble(uint32_t x, uint32_t seed) {
    x = reverse_bits(x);
    x += seed;
    x ^= x * 0x6c50b47cu;
    x ^= x * 0xb82f1e52u;
    x ^= x * 0xc7afe638u;
    x ^= x * 0x8d22f6e6u;
    return reverse_bits(x);
}

// The second dimension of Sobol's sequence: Pascal's triangle modulo 2, a Kronecker power of one of two rows.
static uint32_t sobol(uint32_t index) {
    uint32_t x = reverse_bits(index);
    x ^= (x & 0x55555555u) << 1;
    x ^= (x & 0x33333333u) << 2;
    x ^= (x & 0x0f0f0f0fu) << 4;
    x ^= (x & 0x00ff00ffu) << 8;
    return x ^ x << 16;
}

dice dice_of(uint64_t seed, uint64_t pixel) {
    dice d = {.seed = seed, .pixel = pixel};
    for (uint32_t pair = 0; pair < EVEN_PAIRS; pair++)
        d.key[pair] = random_bits(seed, pixel, pair, 0xffffffffu);
    return d;
}

void dice_even(const dice *d, uint32_t pair, float out[2]) {
    const uint32_t *key = d->key[pair].v;
    uint32_t index = scramble(d->sample, key[0]); // another order for each pair, or they would be alike
    uint32_t x = scramble(reverse_bits(index), key[1]), y = scramble(sobol(index), key[2]);
    out[0] = (float)(x >> 8) * 0x1p-24f;
    out[1] = (float)(y >> 8) * 0x1p-24f;
}

v3 sample_cosine(v3 n, float a, float b) {
    float r = sqrtf(a), turn = 6.2831853f * b;
    return v3_unit(v3_around(n, r * cosf(turn), r * sinf(turn), sqrtf(fmaxf(1 - a, 0))));
}

v3 sample_sphere(float a, float b) {
    float z = 1 - 2 * a, r = sqrtf(fmaxf(1 - z * z, 0)), turn = 6.2831853f * b;
    return (v3){r * cosf(turn), r * sinf(turn), z};
}
#endif
