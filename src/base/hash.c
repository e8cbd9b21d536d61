#include "base/hash.h"

#include <string.h>

// Folded 64 x 64 -> 128 bit products over four independent lanes of eight bytes.
static const uint64_t odd[4] = {0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu, 0x165667b19e3779f9u,
                                0xd6e8feb86659fd93u};

static uint64_t fold(uint64_t a, uint64_t b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static uint64_t word(const unsigned char *p) {
    uint64_t w;
    memcpy(&w, p, 8);
    return w;
}

uint64_t hash64(const void *data, size_t bytes, uint64_t seed) {
    const unsigned char *p = data;
    size_t left = bytes;
    uint64_t lane[4];
    for (int i = 0; i < 4; i++) lane[i] = seed ^ odd[i];
    for (; left >= 32; left -= 32, p += 32)
        for (int i = 0; i < 4; i++) lane[i] = fold(lane[i] ^ word(p + 8 * i), odd[i]) + odd[(i + 1) & 3];
    unsigned char rest[32] = {0};
    if (left) memcpy(rest, p, left);
    for (int i = 0; i < 4; i++) lane[i] = fold(lane[i] ^ word(rest + 8 * i), odd[i]) + (uint64_t)bytes;
    uint64_t h = lane[0];
    for (int i = 1; i < 4; i++) h = fold(h ^ odd[i], lane[i] ^ odd[i - 1]) + lane[i];
    return fold(h ^ odd[2], (uint64_t)bytes ^ odd[3]) ^ h;
}

uint64_t hash64_text(const char *text, uint64_t seed) { return hash64(text, strlen(text), seed); }
