// Time series: which particles are inside a body, and how deep.
#include "mpm/mpm_ranks.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

enum { CHUNK = 256 };
#define INSIDE_CELLS 0.01 // less deep counts as on the surface

typedef struct inside_sums {
    double count, depth;
} inside_sums;

typedef struct chunk_points {
    float x[3][CHUNK], deepest[CHUNK]; // x: from `near`
    firn_vec3 near;
    double low[3], high[3];
    size_t n;
} chunk_points;

static void take_points(const mpm_state *s, size_t begin, size_t end, chunk_points *c) {
    c->n = end - begin;
    c->near = mpm_position(&s->p, begin);
    for (int a = 0; a < 3; a++) {
        c->low[a] = INFINITY;
        c->high[a] = -INFINITY;
        for (size_t i = 0; i < c->n; i++) {
            double at = s->p.x[begin + i][a];
            c->x[a][i] = (float)(at - s->p.x[begin][a]);
            c->low[a] = fmin(c->low[a], at);
            c->high[a] = fmax(c->high[a], at);
        }
    }
    for (size_t i = 0; i < c->n; i++) c->deepest[i] = 0;
}

static bool may_touch(const body_set *bodies, size_t b, const chunk_points *c) {
    firn_vec3 low, high;
    if (!body_bounds(bodies, b, 0, &low, &high)) return true;
    return c->low[0] <= high.x && c->high[0] >= low.x && c->low[1] <= high.y && c->high[1] >= low.y &&
           c->low[2] <= high.z && c->high[2] >= low.z;
}

// Particles lie in the order of their blocks, so that few chunks are near a body.
static void inside_chunk(void *context, size_t begin, size_t end, void *partial) {
    const mpm_state *s = context;
    inside_sums *t = partial;
    chunk_points c;
    float d[CHUNK];
    take_points(s, begin, end, &c);
    for (size_t b = 0; b < body_count(s->bodies); b++) {
        if (!may_touch(s->bodies, b, &c)) continue;
        body_query_near(s->bodies, b, c.near, c.n, c.x[0], c.x[1], c.x[2], d, NULL, NULL, NULL);
        for (size_t i = 0; i < c.n; i++) c.deepest[i] = fmaxf(c.deepest[i], -d[i]);
    }
    for (size_t i = 0; i < c.n; i++) {
        t->count += (double)c.deepest[i] > INSIDE_CELLS * s->def.cell;
        t->depth = fmax(t->depth, (double)c.deepest[i]);
    }
}

static void join(void *into, const void *from) {
    inside_sums *a = into;
    const inside_sums *b = from;
    a->count += b->count;
    a->depth = fmax(a->depth, b->depth);
}

void mpm_find_inside(const mpm_state *s, double values[2]) {
    inside_sums t = {0, 0};
    if (par_reduce(s->p.count, CHUNK, sizeof t, inside_chunk, join, (void *)s, &t) != FIRN_OK) {
        t = (inside_sums){0, 0}; // no memory for partial sums: one after the other
        for (size_t i = 0; i < s->p.count; i += CHUNK)
            inside_chunk((void *)s, i, i + CHUNK < s->p.count ? i + CHUNK : s->p.count, &t);
    }
    values[0] = t.count;
    values[1] = t.depth;
}

static void get_inside(const void *model, double *values) {
    const mpm_state *s = model;
    if (mpm_ranks_in_slabs(s))
        memcpy(values, s->ranks->inside, sizeof s->ranks->inside);
    else
        mpm_find_inside(s, values);
}

static const series_row inside_rows[] = {
    {"items inside bodies", "", "", "particles inside a body, deeper than a hundredth of a cell"},
    {"deepest inside bodies", "", "m", "largest penetration of a particle into a body"},
};
static const series_table inside_series = SERIES_TABLE(inside_rows, NULL, get_inside);
const series_table *const mpm_series_tables[] = {&inside_series, &mpm_dense_series, &mpm_heat_series, NULL};
