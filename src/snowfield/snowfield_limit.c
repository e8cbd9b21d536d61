// What is still much too steep after the sweeps of a step is brought to its limit at once: a sweep moves snow
// by one cell, and a heap of n cells would take some n^2 of them. Around such a place two surfaces follow
// from cell to cell: the largest below the snow's that is nowhere too steep (E, as if snow were only taken
// away) and the smallest above it (U, as if it were only filled up). The slope of a mean of two surfaces is
// never more than the larger of theirs, so all means are within the limit; the one with the mass that is
// there is taken. Sweeps have brought the snow near its limit before, so that the two are near each other and
// few cells are concerned. E and U are found at the same time.
#include "snowfield/snowfield_limit.h"

#include <string.h>

#include "base/memory.h"
#include "par/par.h"

enum {
    LIMIT_AROUND = 64, // cells around what moves
    MOST_SWEEPS = 4,   // over the region, times its length and width
    ROWS_AT_ONCE = 16,
    BIT_ARRAYS = 5, // find, and two of each front
};
#define AIM 0.6f // a slope may stay so far above its limit, in parts of what is much too steep

static firn_status reserve(snowfield_limit *l) {
    limit_grid *g = &l->grid;
    size_t rows = (size_t)g->length + 2, cells = rows * (size_t)g->stride, words = rows * (size_t)g->words;
    size_t row = (size_t)g->stride, bits = BIT_ARRAYS * words + 2 * (size_t)g->words;
    if (!array_reserve(&l->heights, &l->capacity[1], 4 * cells, sizeof *l->heights) ||
        !array_reserve(&l->rows, &l->capacity[2], 6 * row, sizeof *l->rows) ||
        !array_reserve(&l->bits, &l->capacity[3], bits, sizeof *l->bits))
        return fail_memory("sliding snow", 4 * cells * sizeof *l->heights);
    memset(l->bits, 0, bits * sizeof *l->bits);
    g->surface = l->heights;
    g->eroded = g->surface + cells;
    g->filled = g->eroded + cells;
    g->fall = g->filled + cells;
    l->find = l->bits;
    for (size_t k = 0; k < 2; k++) {
        limit_front *f = &l->front[k];
        f->look = l->bits + (1 + k) * words;
        f->ever = l->bits + (3 + k) * words;
        f->changed = l->bits + BIT_ARRAYS * words + k * (size_t)g->words + 1;
        for (size_t i = 0; i < 3; i++) f->row[i] = l->rows + (3 * k + i) * row;
        f->most = MOST_SWEEPS * (g->width + g->length);
    }
    return FIRN_OK;
}

static void fill_walls(const limit_grid *g, size_t from, size_t count) {
    for (size_t i = from; i < from + count; i++) {
        g->surface[i] = LIMIT_WALL;
        g->fall[i] = LIMIT_NONE;
    }
}

// Bodies are walls, and so is all beyond the field.
static void fill_group(const snowfield_state *s, const snowfield_limit *l, int32_t x, int32_t z) {
    const limit_grid *g = &l->grid;
    const snowfield_law *law = &s->law;
    float unit = law->cell * (float)(1 / HEIGHT_UNIT);
    float gain = (law->tan_packed - law->tan_loose) / (law->density_max - law->density_min);
    size_t cell = snowfield_cell(s, l->cells.x0 + x, l->cells.z0 + z), at = limit_at(g, x, z);
    limit_columns c = {.mass = s->tiles.mass + cell,
                       .density = s->tiles.density + cell,
                       .ground = s->tiles.ground + cell,
                       .base = l->base,
                       .at = (law->tan_loose - gain * law->density_min + AIM * law->steeper) * unit,
                       .gain = gain * unit};
    ISA_PICK(limit_fill)(&c, g->surface + at, g->fall + at);
    size_t covered = snowfield_covered(s, cell);
    for (size_t k = 0; covered != SIZE_MAX && k < LIMIT_GROUP; k++)
        if (s->covers.roof[covered + k] != NO_ROOF) fill_walls(g, at + k, 1);
    int32_t inside = s->nx - l->cells.x0 - x;
    if (inside < LIMIT_GROUP) fill_walls(g, at + (size_t)inside, (size_t)(LIMIT_GROUP - inside));
}

// Rows from that before the first to that behind the last.
static void fill_rows(void *context, size_t begin, size_t end) {
    const snowfield_state *s = context;
    const snowfield_limit *l = s->limit;
    const limit_grid *g = &l->grid;
    size_t row = (size_t)g->stride;
    for (size_t i = begin; i < end; i++) {
        int32_t z = (int32_t)i - 1;
        if (z < 0 || z == g->length) {
            fill_walls(g, i * row, row);
        } else {
            fill_walls(g, i * row, LIMIT_GROUP);
            for (int32_t x = 0; x < g->width; x += LIMIT_GROUP) fill_group(s, l, x, z);
            fill_walls(g, (i + 1) * row - LIMIT_GROUP, LIMIT_GROUP);
        }
        memcpy(g->eroded + i * row, g->surface + i * row, row * sizeof *g->surface);
        memcpy(g->filled + i * row, g->surface + i * row, row * sizeof *g->surface);
    }
}

// Only what moved in the last sweep, and what is beside it, can have become too steep.
static void mark_moving(const snowfield_state *s, snowfield_limit *l) {
    const limit_grid *g = &l->grid;
    enum { SMALL = LIMIT_GROUP / GROUP_CELLS };
    for (int32_t z = l->cells.z0; z < l->cells.z1; z++) {
        for (int32_t column = l->cells.x0 >> s->shift; column <= (l->cells.x1 - 1) >> s->shift; column++) {
            int32_t t = snowfield_tile_at(s, column, z >> s->shift);
            uint32_t left = t == TILE_NONE ? 0 : s->tiles.active[t].row[z & (s->edge - 1)];
            for (; left; left &= left - 1) {
                int32_t x = column * s->edge + GROUP_CELLS * __builtin_ctz(left) - l->cells.x0;
                int32_t group = x / LIMIT_GROUP;
                if (x < 0 || x >= g->width) continue;
                limit_mark(g, l->find, z - l->cells.z0, group / LIMIT_WORD, 1ull << group % LIMIT_WORD);
            }
        }
    }
}

static bool find_steep(const snowfield_state *s, snowfield_limit *l) {
    const limit_grid *g = &l->grid;
    float more = (1 - AIM) * s->law.steeper * s->law.cell * (float)(1 / HEIGHT_UNIT);
    int32_t groups = g->width / LIMIT_GROUP, any = 0;
    mark_moving(s, l);
    for (int32_t z = 0; z < g->length; z++) {
        uint64_t *row = l->find + limit_word(g, z);
        if (groups % LIMIT_WORD) row[groups / LIMIT_WORD] &= (1ull << groups % LIMIT_WORD) - 1;
        any |= ISA_PICK(limit_find)(g, z, row, more, l->front[0].look);
    }
    memcpy(l->front[1].look, l->front[0].look,
           ((size_t)g->length + 2) * (size_t)g->words * sizeof *l->front[0].look);
    return any;
}

static void find_surface(void *context, size_t which) {
    snowfield_limit *l = context;
    if (which == 0)
        ISA_PICK(limit_erode)(&l->grid, &l->front[0]);
    else
        ISA_PICK(limit_raise)(&l->grid, &l->front[1]);
}

static firn_status limit_region(snowfield_state *s, snowfield_rect cells) {
    snowfield_limit *l = s->limit;
    int32_t groups = (cells.x1 - cells.x0 + LIMIT_GROUP - 1) / LIMIT_GROUP;
    l->cells = cells;
    l->grid = (limit_grid){.width = groups * LIMIT_GROUP,
                           .length = cells.z1 - cells.z0,
                           .stride = (groups + 2) * LIMIT_GROUP,
                           .words = (groups + LIMIT_WORD - 1) / LIMIT_WORD + 2};
    TRY(snowfield_tiles_make(s, cells));
    TRY(reserve(l));
    l->base = snowfield_surface(s, snowfield_cell(s, cells.x0, cells.z0));
    par_for((size_t)l->grid.length + 2, ROWS_AT_ONCE, fill_rows, s);
    if (!find_steep(s, l)) return FIRN_OK;
    par_tasks(2, find_surface, l);
    return snowfield_limit_settle(s, l);
}

// Whole groups of cells around what moves in a tile.
static snowfield_rect region_around(const snowfield_state *s, size_t t) {
    snowfield_rect r = rect_grow(snowfield_active_cells(s, t), LIMIT_AROUND);
    r.x0 &= -LIMIT_GROUP;
    r.x1 = (r.x1 + LIMIT_GROUP - 1) & -LIMIT_GROUP;
    return rect_meet(r, (snowfield_rect){0, 0, s->nx, s->nz});
}

// Joins a region with all that it meets.
static void add_region(snowfield_limit *l, snowfield_rect cells) {
    for (size_t i = 0; i < l->regions;) {
        if (rect_empty(rect_meet(l->region[i], cells))) {
            i++;
            continue;
        }
        cells = rect_join(cells, l->region[i]);
        l->region[i] = l->region[--l->regions];
        i = 0;
    }
    l->region[l->regions++] = cells;
}

firn_status snowfield_limit_slopes(snowfield_state *s) {
    if (!s->limit) s->limit = mem_zero(1, sizeof *s->limit);
    if (!s->limit) return fail_memory("sliding snow", sizeof *s->limit);
    snowfield_limit *l = s->limit;
    if (!array_reserve(&l->region, &l->capacity[0], s->tiles.count + 1, sizeof *l->region))
        return fail_memory("sliding snow", (s->tiles.count + 1) * sizeof *l->region);
    l->regions = 0;
    for (size_t t = 0; t < s->tiles.count; t++)
        if (groups_any(&s->tiles.active[t])) add_region(l, region_around(s, t));
    for (size_t i = 0; i < l->regions; i++) TRY(limit_region(s, l->region[i]));
    return FIRN_OK;
}

void snowfield_limit_free(snowfield_state *s) {
    snowfield_limit *l = s->limit;
    if (!l) return;
    void *lists[] = {l->region, l->heights, l->rows, l->bits, l->run, l->first, l->cell};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    mem_free(l);
}
