// Samples for the surface of the cover, column by column.
#include "geom/cover_columns.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

#define THINNEST 0.002f // cells; less snow is not seen
#define SUNKEN 0.06f    // cells that the edge of snow goes into the ground in pictures

static size_t cell_at(const cover_grid *g, int32_t i, int32_t j, int32_t k) {
    return ((size_t)k * (size_t)g->n[1] + (size_t)j) * (size_t)g->n[0] + (size_t)i;
}

typedef struct layer_range {
    const cover_grid *in;
    int32_t *low, *high; // of each plane: layers with snow
} layer_range;

static void find_layers(void *context, size_t k) {
    layer_range *r = context;
    const cover_grid *g = r->in;
    r->low[k] = g->n[1];
    r->high[k] = -1;
    for (int32_t j = 0; j < g->n[1]; j++) {
        const float *row = g->fill + cell_at(g, 0, j, (int32_t)k);
        float most = 0;
        for (int32_t i = 0; i < g->n[0]; i++) most = row[i] > most ? row[i] : most;
        if (most <= 0) continue;
        if (r->low[k] > j) r->low[k] = j;
        r->high[k] = j;
    }
}

// Only layers with snow and a few around them are looked at.
static firn_status choose_layers(cover_columns *c) {
    const cover_grid *g = c->in;
    int32_t *both = mem_alloc(2 * (size_t)g->n[2] * sizeof *both), low = g->n[1], high = -1;
    if (!both) return fail_memory("finding the surface of the cover", 2 * (size_t)g->n[2] * sizeof *both);
    layer_range r = {g, both, both + g->n[2]};
    par_tasks((size_t)g->n[2], find_layers, &r);
    for (int32_t k = 0; k < g->n[2]; k++) {
        if (r.low[k] < low) low = r.low[k];
        if (r.high[k] > high) high = r.high[k];
    }
    mem_free(both);
    if (high < 0) return FIRN_OK;
    low = low > COVER_REACH ? low - COVER_REACH : 0;
    c->first = low - 1;
    c->size[0] = (uint32_t)g->n[0] + 2 * COVER_MARGIN;
    c->size[1] = (uint32_t)(high + 2 - c->first);
    c->size[2] = (uint32_t)g->n[2] + 2 * COVER_MARGIN;
    return FIRN_OK;
}

const cover_floor *cover_floor_find(const cover_grid *g, size_t cell) {
    size_t low = 0, high = g->floors;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (g->floor[middle].cell < cell)
            low = middle + 1;
        else
            high = middle;
    }
    return g->floor + low;
}

// A run of snow in a column from cell j0 to cell j1, packed onto its floor.
static void add_run(cover_columns *c, size_t base, int32_t j0, int32_t j1, float height) {
    if (height < THINNEST) return;
    size_t s = base + (size_t)(j0 - c->first) * c->size[0];
    if (c->in->lying && (c->kind[s] != COVER_FLOOR || c->value[s] >= COVER_WALL)) return;
    bool floor = c->kind[s] == COVER_FLOOR;
    float bottom = floor ? c->bottom[s] : (float)j0, top = bottom + height, steep = floor ? c->value[s] : 0;
    for (int32_t j = j0; j <= j1 && (j == j0 || (float)j < top); j++, s += c->size[0]) {
        c->kind[s] = COVER_SNOW;
        c->top[s] = top;
        c->bottom[s] = bottom;
        c->value[s] = steep;
    }
}

static void find_runs(cover_columns *c, int32_t i, int32_t k, int32_t begin, int32_t last) {
    const cover_grid *g = c->in;
    size_t base = cover_at(c, (uint32_t)(i + COVER_MARGIN), 0, (uint32_t)(k + COVER_MARGIN)),
           row = (size_t)g->n[0];
    const float *fill = g->fill + cell_at(g, i, begin, k);
    for (int32_t j = begin; j <= last; j++, fill += row) {
        if (!(*fill > 0)) continue;
        float height = 0;
        int32_t j0 = j;
        for (; j <= last && *fill > 0; j++, fill += row) height += *fill;
        add_run(c, base, j0, j - 1, height);
    }
}

// Bodies and bare floors of a row of cells.
static void fill_row(cover_columns *c, int32_t j, int32_t k) {
    const cover_grid *g = c->in;
    const float *row = g->fill + cell_at(g, 0, j, k), *below = j > 0 ? row - g->n[0] : NULL;
    uint8_t *kind =
        c->kind + cover_at(c, COVER_MARGIN, (uint32_t)(j - c->first), (uint32_t)(k + COVER_MARGIN));
    for (int32_t i = 0; i < g->n[0]; i++) {
        uint8_t air = below && below[i] >= 0 ? COVER_AIR : COVER_FLOOR;
        kind[i] = row[i] < 0 ? COVER_BODY : air;
    }
}

// Where the floors of a plane are, and how steep.
static void fill_floors(cover_columns *c, int32_t k, int32_t last) {
    const cover_grid *g = c->in;
    const cover_floor *floor = cover_floor_find(g, cell_at(g, 0, 0, k)),
                      *end = cover_floor_find(g, cell_at(g, 0, 0, k + 1));
    for (; floor < end; floor++) {
        int32_t j = (int32_t)(floor->cell / (uint32_t)g->n[0] % (uint32_t)g->n[1]);
        uint32_t i = floor->cell % (uint32_t)g->n[0];
        if (j < c->first || j > last) continue;
        size_t s = cover_at(c, i + COVER_MARGIN, (uint32_t)(j - c->first), (uint32_t)(k + COVER_MARGIN));
        c->bottom[s] = (float)j + floor->up;
        c->value[s] = floor->steep;
    }
}

// Bodies, floors and snow of one plane of the domain.
static void fill_plane(void *context, size_t plane) {
    cover_columns *c = context;
    const cover_grid *g = c->in;
    int32_t k = (int32_t)plane, begin = c->first < 0 ? 0 : c->first,
            last = c->first + (int32_t)c->size[1] - 1;
    if (last >= g->n[1]) last = g->n[1] - 1;
    for (int32_t j = begin; j <= last; j++) {
        fill_row(c, j, k);
        size_t s = cover_at(c, COVER_MARGIN, (uint32_t)(j - c->first), (uint32_t)(k + COVER_MARGIN));
        for (int32_t i = 0; i < g->n[0]; i++)
            if (c->kind[s + (size_t)i] == COVER_FLOOR)
                c->bottom[s + (size_t)i] = (float)j, c->value[s + (size_t)i] = 0;
    }
    fill_floors(c, k, last);
    for (int32_t i = 0; i < g->n[0]; i++) find_runs(c, i, k, begin, last);
}

// The layers around the domain: the inner one is a wall.
static void fill_border(cover_columns *c) {
    for (uint32_t z = 0; z < c->size[2]; z++)
        for (uint32_t y = 0; y < c->size[1]; y++)
            for (uint32_t x = 0; x < c->size[0]; x++) {
                uint32_t aside = x < c->size[0] - 1 - x ? x : c->size[0] - 1 - x,
                         ahead = z < c->size[2] - 1 - z ? z : c->size[2] - 1 - z;
                uint32_t out = aside < ahead ? aside : ahead;
                if (out >= COVER_MARGIN) {
                    x = c->size[0] - 1 - COVER_MARGIN; // on to the other side
                    continue;
                }
                c->kind[cover_at(c, x, y, z)] = out == COVER_MARGIN - 1 ? COVER_BODY : COVER_AIR;
            }
}

static size_t beside(const cover_columns *c, size_t s, int x, int z) {
    return (size_t)((ptrdiff_t)s + x + z * (ptrdiff_t)(c->size[0] * c->size[1]));
}

// Snow in the columns around a part of a body: the means of its heights. Over a corner only if bodies are on
// both sides of the way there.
static bool snow_beside(const cover_columns *c, size_t s, float *top, float *bottom) {
    int found = 0;
    *top = *bottom = 0;
    for (int n = 0; n < 8; n++) {
        const int *to = cover_near[n];
        size_t other = beside(c, s, to[0], to[1]);
        if (!cover_is_snow(c, other)) continue;
        if (n >= 4 &&
            (c->kind[beside(c, s, to[0], 0)] != COVER_BODY || c->kind[beside(c, s, 0, to[1])] != COVER_BODY))
            continue;
        found++;
        *top += c->top[other];
        *bottom += c->bottom[other];
    }
    if (found == 0) return false;
    *top /= (float)found;
    *bottom /= (float)found;
    return true;
}

// Do two floors belong to one slope? If not, there is a wall between them.
static bool one_slope(const cover_columns *c, size_t a, size_t b, bool corner) {
    float steep = 0.5f * (c->value[a] + c->value[b]);
    return fabsf(c->bottom[a] - c->bottom[b]) <= 0.4f + (corner ? 1.7f : 1.2f) * steep;
}

// Is there snow on the same slope in a column beside the sample `s` of snow or a floor, within the layers?
static bool slope_beside(const cover_columns *c, size_t s, uint32_t y, uint32_t low, uint32_t high,
                         bool edges) {
    for (int n = 0; n < 8; n++) {
        size_t other = beside(c, s + (size_t)low * c->size[0] - (size_t)y * c->size[0], cover_near[n][0],
                              cover_near[n][1]);
        for (uint32_t at = low; at <= high; at++, other += c->size[0])
            if ((edges ? cover_is_snow(c, other) : c->kind[other] == COVER_SNOW) &&
                one_slope(c, s, other, n >= 4))
                return true;
    }
    return false;
}

static void edge_plane(void *context, size_t plane) {
    cover_columns *c = context;
    for (uint32_t y = 1; y + 1 < c->size[1]; y++)
        for (uint32_t x = COVER_MARGIN; x + COVER_MARGIN < c->size[0]; x++) {
            size_t s = cover_at(c, x, y, (uint32_t)plane + COVER_MARGIN);
            uint32_t low = y > COVER_REACH ? y - COVER_REACH : 0,
                     high = y + COVER_REACH < c->size[1] ? y + COVER_REACH : c->size[1] - 1;
            if (c->kind[s] != COVER_FLOOR || !slope_beside(c, s, y, low, high, false)) continue;
            c->made[s] = COVER_EDGE;
            c->top[s] = c->bottom[s] + 0.5f * THINNEST - fminf(c->in->overlap, SUNKEN);
        }
}

// A part of a body below snow, down to the lowest snow of the same slope beside it; or beside snow.
static void make_sample(cover_columns *c, size_t s, uint32_t y) {
    float top, bottom;
    size_t above = s + c->size[0];
    if (cover_is_snow(c, above) || c->made[above] == COVER_UNDER) {
        c->value[s] = c->value[above];
        c->bottom[s] = c->bottom[above];
        c->top[s] = c->top[above];
        uint32_t low = y > COVER_REACH ? y - COVER_REACH : 0;
        if (slope_beside(c, s, y, low, y, true)) c->made[s] = COVER_UNDER;
    } else if (snow_beside(c, s, &top, &bottom)) {
        c->made[s] = COVER_GHOST;
        c->top[s] = top;
        c->bottom[s] = bottom;
    }
}

// Which parts of bodies count as snow, from the top down.
static void make_plane(void *context, size_t plane) {
    cover_columns *c = context;
    uint32_t z = (uint32_t)plane + 1;
    for (uint32_t y = c->size[1] - 2; y >= 1; y--)
        for (uint32_t x = 1; x + 1 < c->size[0]; x++) {
            size_t s = cover_at(c, x, y, z);
            if (c->kind[s] == COVER_BODY) make_sample(c, s, y);
        }
}

static void find_values(void *context, size_t begin, size_t end) {
    cover_columns *c = context;
    for (size_t s = begin; s < end; s++) c->value[s] = cover_inside(c, s) ? -1 : 1;
}

firn_status cover_columns_build(const cover_grid *in, cover_columns *out) {
    *out = (cover_columns){.in = in};
    TRY(choose_layers(out));
    size_t count = (size_t)out->size[0] * out->size[1] * out->size[2];
    if (count == 0) return FIRN_OK;
    out->kind = mem_zero(count, 2);
    out->value = mem_alloc(3 * count * sizeof *out->value);
    if (!out->kind || !out->value) {
        cover_columns_free(out);
        return fail_memory("finding the surface of the cover", count * (2 + 3 * sizeof *out->value));
    }
    out->made = out->kind + count;
    out->top = out->value + count;
    out->bottom = out->top + count;
    fill_border(out);
    par_tasks((size_t)in->n[2], fill_plane, out);
    par_tasks((size_t)in->n[2], edge_plane, out);
    par_tasks(out->size[2] - 2, make_plane, out);
    par_for(count, 65536, find_values, out);
    return FIRN_OK;
}

void cover_columns_free(cover_columns *c) {
    mem_free(c->kind);
    mem_free(c->value);
    *c = (cover_columns){0};
}
