// What is still much too steep after the sweeps of a step is brought to its limit at once: a sweep moves snow
// by one cell, and a heap of n cells would take some n^2 of them. Around such a place two surfaces follow
// from cell to cell: the largest below the snow's that is nowhere too steep (E, as if snow were only taken
// away) and the smallest above it (U, as if it were only filled up). The slope of a mean of two surfaces is
// never more than the larger of theirs, so all means are within the limit; the one with the mass that is
// there is taken. Sweeps have brought the snow near its limit before, so that the two are near each other and
// few cells are concerned. E and U are found at the same time.
#include "snowfield/snowfield_limit.h"
#include "snowfield/snowfield_ranks.h"

#include <string.h>

#include "base/memory.h"
#include "par/par.h"

enum {
    LIMIT_AROUND =
        256, // cells around what moves; whole groups. Memory of those that are not needed is not touched.
    MOST_SWEEPS = 4, // over the region, times its length and width
    BIT_ARRAYS = 7,  // find, and three of each front
};
#define AIM 0.2f // a slope may stay so far above its limit, in parts of what is much too steep

static firn_status reserve(snowfield_limit *l) {
    const limit_grid *g = &l->grid;
    size_t rows = (size_t)g->length + 2, cells = rows * (size_t)g->stride, words = rows * (size_t)g->words;
    size_t row = (size_t)g->stride, bits = BIT_ARRAYS * words + 2 * (size_t)g->words;
    if (!array_reserve(&l->heights, &l->capacity[1], limit_room(6 * cells), sizeof *l->heights) ||
        !array_reserve(&l->rows, &l->capacity[2], limit_room(6 * row), sizeof *l->rows) ||
        !array_reserve(&l->bits, &l->capacity[3], limit_room(bits), sizeof *l->bits))
        return fail_memory("sliding snow", 6 * cells * sizeof *l->heights);
    memset(l->bits, 0, bits * sizeof *l->bits);
    l->find = l->bits;
    for (size_t k = 0; k < 2; k++) {
        limit_front *f = &l->front[k];
        f->grid = g;
        f->height = l->heights + 3 * k * cells;
        f->start = f->height + cells;
        f->fall = f->start + cells;
        f->known = l->bits + (1 + 3 * k) * words;
        f->look = f->known + words;
        f->ever = f->look + words;
        f->changed = l->bits + BIT_ARRAYS * words + k * (size_t)g->words + 1;
        for (size_t i = 0; i < 3; i++) f->row[i] = l->rows + (3 * k + i) * row;
        f->first = g->length;
        f->last = -1;
        f->most = MOST_SWEEPS * (g->width + g->length);
        f->missed = 0;
    }
    return FIRN_OK;
}

static void fill_walls(limit_front *f, size_t from, int32_t count) {
    for (size_t i = from; i < from + (size_t)count; i++) {
        f->height[i] = f->start[i] = LIMIT_WALL;
        f->fall[i] = LIMIT_NONE;
    }
}

// Bodies are walls, and so is all beyond the field. at: place of the group.
static void fill_columns(const snowfield_state *s, limit_front *f, size_t at, int32_t x, int32_t z) {
    const snowfield_law *law = &s->law;
    float unit = law->cell * (float)(1 / HEIGHT_UNIT);
    float gain = (law->tan_packed - law->tan_loose) / (law->density_max - law->density_min);
    size_t cell = snowfield_cell(s, x, z), covered = snowfield_covered(s, cell);
    limit_columns c = {.mass = s->tiles.mass + cell,
                       .density = s->tiles.density + cell,
                       .ground = s->tiles.ground + cell,
                       .base = s->limit->base,
                       .at = (law->tan_loose - gain * law->density_min + AIM * law->steeper) * unit,
                       .gain = gain * unit,
                       .most = law->density_max};
    ISA_PICK(limit_fill)(&c, f, at);
    for (size_t k = 0; covered != SIZE_MAX && k < LIMIT_GROUP; k++)
        if (s->covers.roof[covered + k] != NO_ROOF) fill_walls(f, at + k, 1);
    int32_t inside = s->nx - x;
    if (inside < LIMIT_GROUP) fill_walls(f, at + (size_t)inside, LIMIT_GROUP - inside);
}

static void note_missing(limit_front *f, int32_t column, int32_t row) {
    for (int32_t i = 0; i < f->missed; i++)
        if (f->missing[i][0] == column && f->missing[i][1] == row) return;
    if (f->missed == LIMIT_MISSING) return;
    f->missing[f->missed][0] = column;
    f->missing[f->missed++][1] = row;
}

static bool has_cells(const snowfield_state *s, int32_t column, int32_t row) {
    int32_t t = snowfield_tile_at(s, column, row);
    return t != TILE_NONE && snowfield_is_here(s, (size_t)t);
}

// Walls stand around the region.
static void fill_group(limit_front *f, int32_t x, int32_t z) {
    const snowfield_state *s = f->context;
    const limit_grid *g = f->grid;
    size_t at = limit_at(g, x, z);
    int32_t fx = s->limit->cells.x0 + x, fz = s->limit->cells.z0 + z;
    if (x == 0) fill_walls(f, at - 1, 1);
    if (x + LIMIT_GROUP == g->width) fill_walls(f, at + LIMIT_GROUP, 1);
    if (z < 0 || z == g->length) {
        fill_walls(f, at - 1, LIMIT_GROUP + 2);
    } else if (!has_cells(s, fx >> s->shift, fz >> s->shift)) {
        fill_walls(f, at, LIMIT_GROUP);
        note_missing(f, fx >> s->shift, fz >> s->shift);
    } else {
        fill_columns(s, f, at, fx, fz);
    }
}

// Only what moved in the last sweep, and what is beside it, can have become too steep. Heights are counted
// from the first of these cells.
static void mark_moving(const snowfield_state *s, snowfield_limit *l) {
    const limit_grid *g = &l->grid;
    bool first = true;
    enum { SMALL = LIMIT_GROUP / GROUP_CELLS };
    for (int32_t z = l->cells.z0; z < l->cells.z1; z++) {
        for (int32_t column = l->cells.x0 >> s->shift; column <= (l->cells.x1 - 1) >> s->shift; column++) {
            int32_t t = snowfield_tile_at(s, column, z >> s->shift);
            uint32_t left = t == TILE_NONE ? 0 : s->tiles.active[t].row[z & (s->edge - 1)];
            for (; left; left &= left - 1) {
                int32_t x = column * s->edge + GROUP_CELLS * __builtin_ctz(left) - l->cells.x0;
                int32_t group = x / LIMIT_GROUP;
                if (x < 0 || x >= g->width) continue;
                if (first) l->base = snowfield_surface(s, snowfield_cell(s, l->cells.x0 + x, z));
                first = false;
                limit_mark(g, l->find, z - l->cells.z0, group / LIMIT_WORD, 1ull << group % LIMIT_WORD);
            }
        }
    }
}

static bool find_steep(const snowfield_state *s, snowfield_limit *l) {
    const limit_grid *g = &l->grid;
    limit_front *f = &l->front[0], *other = &l->front[1];
    float more = (1 - AIM) * s->law.steeper * s->law.cell * (float)(1 / HEIGHT_UNIT);
    int32_t last = g->words - 3, any = 0;
    mark_moving(s, l);
    for (int32_t z = 0; z < g->length; z++) {
        uint64_t *row = l->find + limit_word(g, z);
        row[last] &= limit_valid(g, last);
        any |= ISA_PICK(limit_find)(f, z, row, more);
    }
    memcpy(other->look, f->look, ((size_t)g->length + 2) * (size_t)g->words * sizeof *f->look);
    other->first = f->first;
    other->last = f->last;
    return any;
}

static void find_surface(void *context, size_t which) {
    snowfield_limit *l = context;
    if (which == 0)
        ISA_PICK(limit_erode)(&l->front[0]);
    else
        ISA_PICK(limit_raise)(&l->front[1]);
}

static firn_status make_grid(snowfield_state *s, snowfield_rect cells) {
    snowfield_limit *l = s->limit;
    int32_t groups = (cells.x1 - cells.x0 + LIMIT_GROUP - 1) / LIMIT_GROUP;
    l->cells = cells;
    l->grid = (limit_grid){.width = groups * LIMIT_GROUP,
                           .length = cells.z1 - cells.z0,
                           .stride = (groups + 2) * LIMIT_GROUP,
                           .words = (groups + LIMIT_WORD - 1) / LIMIT_WORD + 2};
    for (int k = 0; k < 2; k++) {
        l->front[k].fill = fill_group;
        l->front[k].context = s;
    }
    return reserve(l);
}

// Some cell at the rim of the region changed.
static bool at_rim(const snowfield_limit *l) {
    const limit_grid *g = &l->grid;
    int32_t last = g->width / LIMIT_GROUP - 1;
    uint64_t any = 0;
    for (int k = 0; k < 2; k++) {
        for (int32_t z = 0; z < g->length; z++) {
            const uint64_t *row = l->front[k].ever + limit_word(g, z);
            any |= (row[0] & 1) | (row[last / LIMIT_WORD] >> last % LIMIT_WORD & 1);
            for (int32_t w = 0; w < g->words - 2 && (z == 0 || z == g->length - 1); w++) any |= row[w];
        }
    }
    return any != 0;
}

static snowfield_rect grown(const snowfield_state *s, snowfield_rect r) {
    return rect_meet(rect_grow(r, LIMIT_AROUND), (snowfield_rect){0, 0, s->nx, s->nz});
}

// Tiles that the surfaces came to. Over ranks those that another one has come first: then the others are
// missed as on one rank.
static firn_status make_missing(snowfield_state *s, const limit_found *found, size_t rank) {
    bool elsewhere = false;
    if (s->ranks) snowfield_errands_begin(s);
    for (int32_t i = 0; i < found->missed; i++) {
        const int32_t *at = found->missing[i];
        if (snowfield_tile_at(s, at[0], at[1]) == TILE_NONE) continue;
        elsewhere = true; // on one rank all that exist are here
        snowfield_errand_add(s, place_rect(s, at[0], at[1]), rank);
    }
    if (elsewhere) snowfield_fetch(s);
    for (int32_t i = 0; i < found->missed && !elsewhere; i++)
        TRY(snowfield_tiles_make(s, place_rect(s, found->missing[i][0], found->missing[i][1])));
    return FIRN_OK;
}

static limit_found find_surfaces(snowfield_state *s) {
    snowfield_limit *l = s->limit;
    limit_found found;
    memset(&found, 0, sizeof found);
    found.steep = find_steep(s, l);
    if (found.steep) par_tasks(2, find_surface, l);
    for (int k = 0; k < 2; k++)
        for (int32_t i = 0; i < l->front[k].missed; i++, found.missed++)
            memcpy(found.missing[found.missed], l->front[k].missing[i], sizeof found.missing[0]);
    found.at_rim = found.steep && at_rim(l);
    return found;
}

// Once more if what changes comes to tiles that are not there, or to the rim of the region.
static firn_status limit_region(snowfield_state *s, snowfield_rect cells) {
    snowfield_limit *l = s->limit;
    size_t rank = snowfield_rank_of(s, cells);
    limit_found found;
    snowfield_ranks_region(s, cells, rank);
    for (;;) {
        l->cells = cells;
        if (snowfield_is_mine(s, rank)) {
            TRY(make_grid(s, cells));
            found = find_surfaces(s);
        }
        snowfield_ranks_found(s, &found, rank);
        TRY(make_missing(s, &found, rank));
        if (found.missed > 0) continue;
        if (!found.steep) break;
        snowfield_rect more = grown(s, cells);
        if (!found.at_rim || memcmp(&more, &cells, sizeof more) == 0) {
            if (snowfield_is_mine(s, rank)) TRY(snowfield_limit_settle(s, l));
            break;
        }
        cells = more;
    }
    return snowfield_ranks_settled(s, rank, found.steep);
}

// Whole groups of cells around what moves in a tile.
static snowfield_rect region_around(const snowfield_state *s, size_t t) {
    snowfield_rect r = snowfield_active_cells(s, t);
    r.x0 &= -LIMIT_GROUP;
    r.x1 = (r.x1 + LIMIT_GROUP - 1) & -LIMIT_GROUP;
    return grown(s, r);
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
