// Tiles are created when something happens in them; until then their area is as at the start. They are
// removed in snowfield_go.c.
#include "snowfield/snowfield_ranks.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

firn_status snowfield_tiles_create(snowfield_state *s) {
    snowfield_tiles *t = &s->tiles;
    t->columns = (s->nx + s->edge - 1) / s->edge;
    t->rows = (s->nz + s->edge - 1) / s->edge;
    size_t places = (size_t)t->columns * (size_t)t->rows;
    if (places > TILE_MOST)
        return fail(FIRN_BAD_INPUT, "field: %d x %d cells are too many; raise cell or tile", s->nx, s->nz);
    t->index = mem_alloc(places * sizeof *t->index);
    if (!t->index) return fail_memory("making the index of the field", places * sizeof *t->index);
    memset(t->index, 0xff, places * sizeof *t->index);
    return FIRN_OK;
}

void snowfield_tiles_free(snowfield_state *s) {
    snowfield_tiles *t = &s->tiles;
    void *lists[] = {t->at,    t->active,  t->touched, t->mass,    t->density, t->ground,      t->depth,
                     t->cover, t->highest, t->index,   t->cleared, t->invalid, t->row_highest, t->crust};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    snowfield_pages_free(&t->pages);
    *t = (snowfield_tiles){0};
}

// Growing the arrays copies all tiles: seldom, and never for more than there can be.
size_t snowfield_room(const snowfield_state *s, size_t capacity, size_t count) {
    size_t room = 2 * capacity > 16 ? 2 * capacity : 16;
    size_t places = (size_t)s->tiles.columns * (size_t)s->tiles.rows;
    room = room < places ? room : places;
    return room > count ? room : count;
}

size_t snowfield_page_room(const snowfield_state *s, const snowfield_pages *p, size_t count) {
    return p->page ? count + count / 8 + 8 : snowfield_room(s, p->room, count); // guests come and go
}

firn_status snowfield_lists_resize(snowfield_list *lists, size_t count, size_t room, const char *what) {
    for (size_t i = 0; i < count; i++) {
        void *old, *bigger;
        memcpy(&old, lists[i].list, sizeof old);
        bigger = mem_resize(old, room * lists[i].item);
        if (!bigger) return fail_memory(what, room * lists[i].item);
        memcpy(lists[i].list, &bigger, sizeof bigger);
    }
    return FIRN_OK;
}

// Room for the cells of so many tiles.
firn_status snowfield_tiles_room(snowfield_state *s, size_t count) {
    snowfield_tiles *t = &s->tiles;
    if (count <= t->pages.room) return FIRN_OK;
    size_t cells = snowfield_cells(s), room = snowfield_page_room(s, &t->pages, count);
    snowfield_list lists[] = {{&t->mass, cells * sizeof *t->mass},
                              {&t->density, cells * sizeof *t->density},
                              {&t->ground, cells * sizeof *t->ground},
                              {&t->depth, cells * sizeof *t->depth},
                              {&t->crust, cells * sizeof *t->crust}};
    size_t count_lists = sizeof lists / sizeof lists[0] - (s->def.crust.thickness > 0 ? 0 : 1);
    TRY(snowfield_lists_resize(lists, count_lists, room, "making tiles of the field"));
    TRY(snowfield_heat_reserve(s, room));
    t->pages.room = room;
    return FIRN_OK;
}

firn_status snowfield_tiles_reserve(snowfield_state *s, size_t count) {
    snowfield_tiles *t = &s->tiles;
    if (!t->pages.page) TRY(snowfield_tiles_room(s, count));
    if (count <= t->capacity) return FIRN_OK;
    size_t room = snowfield_room(s, t->capacity, count);
    snowfield_list lists[] = {
        {&t->at, sizeof *t->at},           {&t->active, sizeof *t->active},
        {&t->touched, sizeof *t->touched}, {&t->cover, sizeof *t->cover},
        {&t->highest, sizeof *t->highest}, {&t->row_highest, (size_t)s->edge * sizeof *t->row_highest},
        {&t->cleared, sizeof *t->cleared}, {&t->invalid, sizeof *t->invalid}};
    TRY(snowfield_lists_resize(lists, sizeof lists / sizeof lists[0], room, "making tiles of the field"));
    t->capacity = room;
    return FIRN_OK;
}

int32_t snowfield_tile_at(const snowfield_state *s, int32_t column, int32_t row) {
    const snowfield_tiles *t = &s->tiles;
    if (column < 0 || row < 0 || column >= t->columns || row >= t->rows) return TILE_NONE;
    return t->index[(size_t)row * (size_t)t->columns + (size_t)column];
}

void snowfield_tile_ground(snowfield_state *s, size_t t) {
    int32_t x = s->tiles.at[t][0] * s->edge, z = s->tiles.at[t][1] * s->edge;
    snowfield_ground(s, (snowfield_rect){x, z, x + s->edge, z + s->edge},
                     s->tiles.ground + snowfield_first(s, t));
}

// Snow as at the start. Cells outside the field stay empty.
static void fill_tile(snowfield_state *s, size_t t) {
    snowfield_rect in = tile_rect(s, t);
    size_t first = snowfield_first(s, t);
    uint64_t all = 0;
    for (int32_t z = 0; z < s->edge; z++) {
        for (int32_t x = 0; x < s->edge; x++) {
            size_t i = first + (size_t)z * (size_t)s->edge + (size_t)x;
            bool inside = in.x0 + x < in.x1 && in.z0 + z < in.z1;
            snowfield_start_column(s, in.x0 + x, in.z0 + z, &s->tiles.mass[i], &s->tiles.density[i]);
            if (!inside) s->tiles.mass[i] = 0;
            if (s->tiles.crust) s->tiles.crust[i] = 1;
            s->tiles.depth[i] = snowfield_depth_m(s->tiles.mass[i], s->tiles.density[i]);
            all += (uint64_t)s->tiles.mass[i];
        }
    }
    if (snowfield_is_own(s, t)) s->counters[COUNTER_PRISTINE] -= all;
}

static firn_status make_tile(snowfield_state *s, int32_t column, int32_t row) {
    snowfield_tiles *t = &s->tiles;
    TRY(snowfield_tiles_reserve(s, t->count + 1));
    size_t slot = t->count++;
    t->at[slot][0] = column;
    t->at[slot][1] = row;
    t->active[slot] = (snowfield_groups){0};
    t->touched[slot] = (snowfield_rect){0};
    t->cover[slot] = TILE_NONE;
    t->cleared[slot] = t->invalid[slot] = false;
    t->index[(size_t)row * (size_t)t->columns + (size_t)column] = (int32_t)slot;
    if (t->pages.page) {
        TRY(snowfield_pages_list(&t->pages, slot, slot + 1));
        TRY(snowfield_pages_take(s, &t->pages, slot));
    }
    snowfield_tile_ground(s, slot);
    if (snowfield_is_packed(s, column, row))
        snowfield_unpack(s, slot);
    else
        fill_tile(s, slot);
    snowfield_heat_fill(s, slot);
    snowfield_find_highest(s, slot);
    if (!snowfield_is_own(s, slot)) snowfield_pages_drop(&t->pages, slot); // now all know how high it is
    return FIRN_OK;
}

firn_status snowfield_tiles_make(snowfield_state *s, snowfield_rect cells) {
    cells = rect_meet(cells, (snowfield_rect){0, 0, s->nx, s->nz});
    if (rect_empty(cells)) return FIRN_OK;
    for (int32_t row = cells.z0 / s->edge; row <= (cells.z1 - 1) / s->edge; row++)
        for (int32_t column = cells.x0 / s->edge; column <= (cells.x1 - 1) / s->edge; column++)
            if (snowfield_tile_at(s, column, row) == TILE_NONE) TRY(make_tile(s, column, row));
    return FIRN_OK;
}

// The part of these cells that lies in a tile, counted from its corner.
static snowfield_rect part_in_tile(const snowfield_state *s, size_t t, snowfield_rect cells) {
    snowfield_rect own = tile_rect(s, t), part = rect_meet(cells, own);
    return rect_empty(part)
               ? (snowfield_rect){0}
               : (snowfield_rect){part.x0 - own.x0, part.z0 - own.z0, part.x1 - own.x0, part.z1 - own.z0};
}

void snowfield_mark(snowfield_state *s, snowfield_rect cells) {
    if (rect_empty(cells)) return;
    for (int32_t row = cells.z0 >> s->shift; row <= (cells.z1 - 1) >> s->shift; row++) {
        for (int32_t column = cells.x0 >> s->shift; column <= (cells.x1 - 1) >> s->shift; column++) {
            int32_t t = snowfield_tile_at(s, column, row);
            if (t == TILE_NONE) continue;
            s->tiles.touched[t] = rect_join(s->tiles.touched[t], part_in_tile(s, (size_t)t, cells));
        }
    }
}

void snowfield_touch(snowfield_state *s, snowfield_rect cells) {
    cells = rect_meet(cells, (snowfield_rect){0, 0, s->nx, s->nz});
    if (rect_empty(cells)) return;
    snowfield_mark(s, cells);
    for (int32_t z = cells.z0; z < cells.z1; z++) {
        for (int32_t x = cells.x0; x < cells.x1;) {
            int32_t end = int_min(((x >> s->shift) + 1) << s->shift, cells.x1), first = x & (s->edge - 1);
            int32_t t = snowfield_tile_at(s, x >> s->shift, z >> s->shift);
            if (t != TILE_NONE)
                s->tiles.active[t].row[z & (s->edge - 1)] |= (uint8_t)groups_between(first, first + end - x);
            x = end;
        }
    }
}

snowfield_rect snowfield_active_cells(const snowfield_state *s, size_t t) {
    const uint8_t *row = s->tiles.active[t].row;
    uint32_t all = 0;
    int32_t z0 = s->edge, z1 = 0;
    for (int32_t z = 0; z < s->edge; z++) {
        if (!row[z]) continue;
        all |= row[z];
        z0 = int_min(z0, z);
        z1 = z + 1;
    }
    if (!all) return (snowfield_rect){0};
    snowfield_rect own = tile_rect(s, t);
    int32_t x0 = GROUP_CELLS * __builtin_ctz(all), x1 = GROUP_CELLS * (32 - __builtin_clz(all));
    return (snowfield_rect){own.x0 + x0, own.z0 + z0, own.x0 + x1, own.z0 + z1};
}

float snowfield_mixed(const snowfield_law *law, int32_t there, float density, int32_t mass, float other) {
    float volume = (float)there / density + (float)mass / other;
    return fminf(fmaxf(((float)there + (float)mass) / volume, law->density_min), law->densest);
}

void snowfield_put(snowfield_state *s, size_t cell, int32_t mass, float density) {
    if (mass <= 0) return;
    s->tiles.density[cell] =
        snowfield_mixed(&s->law, s->tiles.mass[cell], s->tiles.density[cell], mass, density);
    s->tiles.mass[cell] += mass;
}

void snowfield_put_top(snowfield_state *s, size_t covered, int32_t mass, float density) {
    snowfield_covers *c = &s->covers;
    if (mass <= 0) return;
    c->top_density[covered] =
        snowfield_mixed(&s->law, c->top_mass[covered], c->top_density[covered], mass, density);
    c->top_mass[covered] += mass;
}

void snowfield_drop(snowfield_state *s, size_t cell, int32_t mass, float density) {
    size_t covered = snowfield_covered(s, cell);
    if (covered != SIZE_MAX && s->covers.roof[covered] != NO_ROOF)
        snowfield_put_top(s, covered, mass, density);
    else
        snowfield_put(s, cell, mass, density);
}
