// Particles on a lattice, with the lists that heat wants, for tests without a model around them.
#ifndef TESTS_PHASE_LATTICE_H
#define TESTS_PHASE_LATTICE_H

#include "support.h"

#include <math.h>

#include "base/random.h"
#include "phase/phase_heat.h"

typedef struct lattice {
    size_t size[3];
    double spacing, reach; // m
    heat_parts parts;
    float (*at)[4];
    float *mass, *volume;
    double *enthalpy;
    uint32_t *own, *first, *index;
    fluid_wall *wall;
    heat_block *block;
    heat *heat;
} lattice;

// Sum of mass times enthalpy, J.
static inline double heat_total(const heat_parts *p) {
    double sum = 0;
    for (size_t i = 0; i < p->count; i++) sum += (double)p->mass[i] * p->enthalpy[i];
    return sum;
}

static inline heat_law test_law(void) { return (heat_law){2.2, 0.6, 2100, 4186, 334e3, 0}; }

static inline void lattice_lists(lattice *l) {
    size_t n = l->parts.count, found = 0, room = n * 160 + 16;
    l->index = malloc(room * sizeof *l->index);
    l->block = calloc(fluid_blocks(n), sizeof *l->block);
    l->first = malloc((n + fluid_blocks(n)) * sizeof *l->first);
    for (size_t i = 0; i < n; i++) {
        size_t b = i / FLUID_BLOCK, k = i % FLUID_BLOCK;
        uint32_t *first = l->first + b * (FLUID_BLOCK + 1);
        if (k == 0) l->block[b].rows = (fluid_rows){l->own + i, first, l->index, fluid_block_rows(n, b)};
        first[k] = (uint32_t)found;
        for (size_t j = 0; j < n; j++) {
            double x = (double)l->at[i][0] - (double)l->at[j][0],
                   y = (double)l->at[i][1] - (double)l->at[j][1],
                   z = (double)l->at[i][2] - (double)l->at[j][2];
            if (j != i && x * x + y * y + z * z < l->reach * l->reach) l->index[found++] = (uint32_t)j;
        }
        while (found % 16) l->index[found++] = (uint32_t)n;
        assert_true(found < room);
        first[k + 1] = (uint32_t)found;
    }
}

// A box of nx x ny x nz particles of 1000 kg/m3, its low corner at the origin; `shake`: how far they are off
// their places, `reach`: how far they see, in spacings.
static inline void lattice_make(lattice *l, size_t nx, size_t ny, size_t nz, double spacing, double shake,
                                double reach) {
    size_t n = nx * ny * nz;
    *l = (lattice){.size = {nx, ny, nz}, .spacing = spacing, .reach = reach * spacing};
    l->at = calloc(n, sizeof *l->at);
    l->mass = malloc(n * sizeof *l->mass);
    l->enthalpy = calloc(n, sizeof *l->enthalpy);
    l->own = malloc(n * sizeof *l->own);
    for (size_t i = 0; i < n; i++) {
        size_t c[3] = {i % nx, i / nx % ny, i / nx / ny};
        for (int a = 0; a < 3; a++) {
            double off = shake * (2 * (double)random_unit(random_bits(7, i, 0, (uint32_t)a), 0) - 1);
            l->at[i][a] = (float)(((double)c[a] + 0.5 + off) * spacing);
        }
        l->mass[i] = (float)(1000 * spacing * spacing * spacing);
        l->own[i] = (uint32_t)i;
    }
    l->parts = (heat_parts){.count = n,
                            .at = (const float(*)[4])l->at,
                            .mass = l->mass,
                            .enthalpy = l->enthalpy,
                            .blocks = fluid_blocks(n)};
    lattice_lists(l);
    l->parts.block = l->block;
}

static inline void lattice_volume(lattice *l, double volume) {
    l->volume = malloc(l->parts.count * sizeof *l->volume);
    for (size_t i = 0; i < l->parts.count; i++) l->volume[i] = (float)volume;
    l->parts.volume = l->volume;
}

// A wall without end at x = 0, seen by all within reach; `body` holds its temperature.
static inline void lattice_wall(lattice *l, const heat_body *body) {
    l->parts.body = body;
    l->parts.bodies = 1;
    l->wall = calloc(l->parts.count, sizeof *l->wall);
    size_t walls = 0;
    for (size_t i = 0; i < l->parts.count; i++) {
        heat_block *b = &l->block[i / FLUID_BLOCK];
        if (i % FLUID_BLOCK == 0) b->wall = l->wall + walls;
        if ((double)l->at[i][0] > 2 * l->spacing) continue;
        l->wall[walls++] = (fluid_wall){.row = (uint32_t)(i % FLUID_BLOCK), .n = {1, 0, 0}};
        b->walls++;
    }
}

static inline heat_def lattice_def(const lattice *l, heat_law law) {
    return (heat_def){.law = law, .h = 2 * l->spacing, .spacing = l->spacing, .time_lapse = 1};
}

static inline void lattice_free(lattice *l) {
    void *list[] = {l->at, l->mass, l->volume, l->enthalpy, l->own, l->first, l->index, l->wall, l->block};
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) free(list[k]);
    heat_destroy(l->heat);
}

static inline double lattice_temperature(const lattice *l, heat_law law, size_t i) {
    return heat_temperature(&law, l->enthalpy[i]);
}

// ---- a column along x that goes on sideways: 5 x 5 particles, all of a layer as the one in the middle

static inline size_t column_middle(const lattice *l, size_t x) { return x + l->size[0] * 12; }

static inline void column_step(lattice *l, double dt, size_t steps) {
    for (size_t k = 0; k < steps; k++) {
        assert_ok(heat_step(l->heat, &l->parts, (double)k * dt, dt));
        for (size_t i = 0; i < l->parts.count; i++)
            l->enthalpy[i] = l->enthalpy[column_middle(l, i % l->size[0])];
    }
}

#endif
