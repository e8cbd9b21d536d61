// Measures of snow as a picture shows it: height, width, volume, pieces.
#include "reproduce.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// Snow that is torn holds nothing together: its stiffness has fallen to e^(-xi/20), 0.6 of what it was.
static const float TORN = 1.05f;

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double *values, size_t count, double share) {
    qsort(values, count, sizeof *values, by_value);
    return values[(size_t)(share * (double)(count - 1))];
}

// A lattice of cubes around points, with an empty border.
typedef struct cubes {
    double edge;
    long low[3];
    size_t size[3];
    uint32_t *label; // 0 empty, 1 snow, 2.. piece
    size_t *stack;
} cubes;

static size_t cube_of(const cubes *c, const double *x) {
    size_t at = 0;
    for (int a = 0; a < 3; a++) at = at * c->size[a] + (size_t)((long)floor(x[a] / c->edge) - c->low[a]);
    return at;
}

static bool cubes_make(cubes *c, const double *x, size_t count, double edge) {
    long high[3] = {INT32_MIN, INT32_MIN, INT32_MIN};
    *c = (cubes){.edge = edge, .low = {INT32_MAX, INT32_MAX, INT32_MAX}};
    for (size_t i = 0; i < 3 * count; i++) {
        long at = (long)floor(x[i] / edge);
        if (at < c->low[i % 3]) c->low[i % 3] = at;
        if (at > high[i % 3]) high[i % 3] = at;
    }
    size_t all = 1;
    for (int a = 0; a < 3; a++) {
        c->low[a]--;
        c->size[a] = (size_t)(high[a] - c->low[a] + 2);
        all *= c->size[a];
    }
    c->label = calloc(all, sizeof *c->label);
    c->stack = calloc(count, sizeof *c->stack);
    if (!c->label || !c->stack) return false;
    for (size_t i = 0; i < count; i++) c->label[cube_of(c, x + 3 * i)] = 1;
    return true;
}

static void cubes_free(cubes *c) {
    free(c->label);
    free(c->stack);
}

// All cubes with snow that touch this one become the piece `name`.
static void flood(cubes *c, size_t from, uint32_t name) {
    size_t depth = 0;
    c->label[from] = name;
    c->stack[depth++] = from;
    while (depth) {
        size_t at = c->stack[--depth];
        for (int n = 0; n < 27; n++) {
            long by = ((n / 9 - 1) * (long)c->size[1] + n / 3 % 3 - 1) * (long)c->size[2] + n % 3 - 1;
            size_t next = (size_t)((long)at + by);
            if (c->label[next] != 1) continue;
            c->label[next] = name;
            c->stack[depth++] = next;
        }
    }
}

static bool count_pieces(const double *x, const float *jp, size_t all, double edge, snow_shape *out) {
    size_t count = 0;
    double *whole = calloc(3 * all, sizeof *whole);
    if (!whole) return false;
    for (size_t i = 0; i < all; i++)
        if (jp[i] < TORN) memcpy(whole + 3 * count++, x + 3 * i, 3 * sizeof *whole);
    cubes c;
    size_t *members = calloc(count + 2, sizeof *members);
    bool good = members && (count == 0 || cubes_make(&c, whole, count, edge));
    if (good && count) {
        uint32_t names = 2;
        for (size_t i = 0; i < count; i++) {
            size_t at = cube_of(&c, whole + 3 * i);
            if (c.label[at] == 1) flood(&c, at, names++);
            members[c.label[at]]++;
        }
        for (uint32_t p = 2; p < names; p++) {
            out->pieces += 1000 * members[p] >= all;
            out->largest = fmax(out->largest, (double)members[p] / (double)all);
        }
    }
    if (members && count) cubes_free(&c);
    free(members);
    free(whole);
    return good;
}

static bool occupied_volume(const double *x, size_t count, double edge, double *volume) {
    cubes c;
    bool good = cubes_make(&c, x, count, edge);
    size_t full = 0;
    if (good)
        for (size_t i = 0; i < c.size[0] * c.size[1] * c.size[2]; i++) full += c.label[i];
    *volume = (double)full * edge * edge * edge;
    cubes_free(&c);
    return good;
}

bool snow_shape_of(const firn_world *world, double cell, snow_shape *out) {
    firn_field at = firn_world_field(world, "mpm.position"), plastic = firn_world_field(world, "mpm.plastic");
    const double *x = at.data;
    const float *jp = plastic.data;
    size_t count = at.count;
    *out = (snow_shape){.particles = (double)count};
    if (count == 0) return true;
    double *values = calloc(count, sizeof *values), middle[2] = {0, 0};
    if (!values) return false;
    for (size_t i = 0; i < count; i++) {
        values[i] = x[3 * i + 1];
        middle[0] += x[3 * i] / (double)count;
        middle[1] += x[3 * i + 2] / (double)count;
        out->plastic += (double)jp[i] / (double)count;
    }
    out->height = quantile(values, count, 0.95);
    for (size_t i = 0; i < count; i++) values[i] = hypot(x[3 * i] - middle[0], x[3 * i + 2] - middle[1]);
    out->width = 2 * quantile(values, count, 0.95);
    free(values);
    return occupied_volume(x, count, cell, &out->volume) && count_pieces(x, jp, count, cell / 2, out);
}
