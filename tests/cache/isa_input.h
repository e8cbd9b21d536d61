// Random input for functions that have a copy per instruction set, and what they gave.
#ifndef CACHE_ISA_INPUT_H
#define CACHE_ISA_INPUT_H

#include "support.h"

#include <math.h>

#include "base/isa.h"
#include "base/memory.h"
#include "base/random.h"

enum { MANY = 1003 }; // not a multiple of any number of lanes

typedef struct results {
    struct {
        double value, magnitude; // magnitude: of what it was summed from; 0: compared with the largest result
    } * item;
    size_t count, capacity;
} results;

static struct {
    uint64_t seed, item;
    results *out;
} feed; // of the call under way

static uint32_t random_number(void) { return random_bits(feed.seed, feed.item++, 0, 0).v[0]; }
static float between(double low, double high) {
    return (float)(low + (high - low) * (double)random_unit(random_bits(feed.seed, feed.item++, 0, 0), 0));
}
static void fill(float *to, size_t n, double low, double high) {
    for (size_t i = 0; i < n; i++) to[i] = between(low, high);
}
static void fill_whole(int32_t *to, size_t n, double low, double high) {
    for (size_t i = 0; i < n; i++) to[i] = (int32_t)between(low, high);
}

static void put_sum(double value, double magnitude) {
    results *r = feed.out;
    assert_true(array_reserve(&r->item, &r->capacity, r->count + 1, sizeof *r->item));
    r->item[r->count].value = value;
    r->item[r->count++].magnitude = magnitude;
}
static void put_number(double value) { put_sum(value, 0); }
static void put(const float *values, size_t n) {
    for (size_t i = 0; i < n; i++) put_number((double)values[i]);
}
static void put_whole(const int32_t *values, size_t n) {
    for (size_t i = 0; i < n; i++) put_number(values[i]);
}

// Rows of MANY floats, filled with -1 .. 1.
enum { ROWS = 16 };
static _Alignas(64) float lines[ROWS][MANY + 21];
static void fill_rows(size_t count) {
    for (size_t i = 0; i < count; i++) fill(lines[i], MANY, -1, 1);
}
static void put_rows(size_t first, size_t count) {
    for (size_t i = first; i < first + count; i++) put(lines[i], MANY);
}

#endif
