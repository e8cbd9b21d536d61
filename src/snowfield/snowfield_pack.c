// Compresses tiles that are far from all movable bodies.
#include "snowfield/snowfield_pack.h"

// Bit 7 of a byte: more follow.
static size_t put_number(uint8_t *out, uint32_t value) {
    size_t n = 0;
    for (; value >= 128; value >>= 7) out[n++] = (uint8_t)(value | 128);
    out[n++] = (uint8_t)value;
    return n;
}

static size_t get_number(const uint8_t *in, size_t bytes, uint32_t *value) {
    *value = 0;
    for (size_t n = 0; n < bytes && n < 5; n++) {
        *value |= (uint32_t)(in[n] & 127) << (7 * n);
        if (in[n] < 128) return n + 1;
    }
    return 0;
}

// Small for small differences of both signs; 0 only for 0.
static uint32_t fold(uint32_t d) { return d << 1 ^ (uint32_t) - (int32_t)(d >> 31); }
static uint32_t unfold(uint32_t f) { return f >> 1 ^ (uint32_t) - (int32_t)(f & 1); }

size_t pack_numbers(const uint32_t *in, size_t n, uint8_t *out) {
    size_t used = 0;
    uint32_t before = 0;
    for (size_t i = 0; i < n;) {
        size_t same = i;
        while (same < n && in[same] == before) same++;
        if (same > i) {
            out[used++] = 0;
            used += put_number(out + used, (uint32_t)(same - i));
            i = same;
        } else {
            used += put_number(out + used, fold(in[i] - before));
            before = in[i++];
        }
    }
    return used;
}

size_t unpack_numbers(const uint8_t *in, size_t bytes, uint32_t *out, size_t n) {
    size_t at = 0;
    uint32_t now = 0, value;
    for (size_t i = 0; i < n;) {
        size_t read = get_number(in + at, bytes - at, &value);
        if (read == 0) return 0;
        at += read;
        if (value != 0) {
            out[i++] = now += unfold(value);
            continue;
        }
        read = get_number(in + at, bytes - at, &value);
        if (read == 0 || value == 0 || value > n - i) return 0;
        at += read;
        for (size_t end = i + value; i < end; i++) out[i] = now;
    }
    return at;
}
