// Removing tiles: those that are again as at the start, and, if the field follows its bodies, those at rest
// far from all of them; these are compressed without loss, and come back when a body is near.
#include "snowfield/snowfield_pack.h"
#include "snowfield/snowfield_ranks.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "snowfield/snowfield_show_lanes.h"

enum { EVERY = 64, EVERY_AWAY = 8 }; // steps between two looks at the same tile

void snowfield_packed_free(snowfield_state *s) {
    mem_free(s->packed.item);
    mem_free(s->packed.words);
    mem_free(s->packed.index);
    s->packed = (packed_tiles){0};
}

firn_status snowfield_packed_create(snowfield_state *s) {
    if (!(s->def.follow > 0)) return FIRN_OK;
    size_t places = (size_t)s->tiles.columns * (size_t)s->tiles.rows;
    s->packed.index = mem_alloc(places * sizeof *s->packed.index);
    if (!s->packed.index) return fail_memory("making the index of the field", places * 4);
    memset(s->packed.index, 0xff, places * sizeof *s->packed.index);
    return FIRN_OK;
}

static int32_t *place_of(const snowfield_state *s, int32_t column, int32_t row) {
    return &s->packed.index[(size_t)row * (size_t)s->tiles.columns + (size_t)column];
}

bool snowfield_is_packed(const snowfield_state *s, int32_t column, int32_t row) {
    return s->packed.index && column >= 0 && row >= 0 && column < s->tiles.columns && row < s->tiles.rows &&
           *place_of(s, column, row) != TILE_NONE;
}

double snowfield_highest_away(const snowfield_state *s, int32_t column, int32_t row) {
    if (!snowfield_is_packed(s, column, row))
        return snowfield_is_even(s) ? s->grid[GRID_GROUND] + s->grid[GRID_DEPTH] : INFINITY;
    return s->packed.item[*place_of(s, column, row)].highest;
}

static uint64_t tile_sum(const snowfield_state *s, size_t t) {
    uint64_t sum = 0;
    for (size_t i = snowfield_first(s, t); i < snowfield_first(s, t) + snowfield_cells(s); i++)
        sum += (uint64_t)s->tiles.mass[i];
    return sum;
}

// ---- packing

static firn_status keep_packed(snowfield_state *s, size_t t, const uint8_t *bytes, size_t n) {
    packed_tiles *k = &s->packed;
    size_t words = (n + 3) / 4;
    if (!array_reserve(&k->item, &k->room[0], k->count + 1, sizeof *k->item) ||
        !array_reserve(&k->words, &k->room[1], k->used + words, sizeof *k->words))
        return fail_memory("packing a tile of the field", n);
    k->words[k->used + words - 1] = 0;
    memcpy(k->words + k->used, bytes, n);
    packed_tile item = {(uint64_t)s->tiles.at[t][0], (uint64_t)s->tiles.at[t][1], k->used, words,
                        (double)s->tiles.highest[t]};
    *place_of(s, s->tiles.at[t][0], s->tiles.at[t][1]) = (int32_t)k->count;
    k->item[k->count++] = item;
    k->used += words;
    s->counters[COUNTER_PACKED] += tile_sum(s, t);
    return FIRN_OK;
}

static firn_status pack_tile(snowfield_state *s, size_t t) {
    uint8_t bytes[PACK_MOST_BYTES];
    uint32_t numbers[TILE_MOST_EDGE * TILE_MOST_EDGE];
    size_t cells = snowfield_cells(s), n;
    memcpy(numbers, s->tiles.mass + t * cells, cells * sizeof *numbers);
    n = pack_numbers(numbers, cells, bytes);
    memcpy(numbers, s->tiles.density + t * cells, cells * sizeof *numbers);
    n += pack_numbers(numbers, cells, bytes + n);
    return keep_packed(s, t, bytes, n);
}

static bool decode(const snowfield_state *s, const packed_tile *p, int32_t *mass, float *density) {
    uint32_t numbers[TILE_MOST_EDGE * TILE_MOST_EDGE];
    const uint8_t *bytes = (const uint8_t *)(s->packed.words + p->first);
    size_t cells = snowfield_cells(s), room = (size_t)p->words * 4,
           n = unpack_numbers(bytes, room, numbers, cells);
    if (n == 0) return false;
    memcpy(mass, numbers, cells * sizeof *mass);
    if (unpack_numbers(bytes + n, room - n, numbers, cells) == 0) return false;
    memcpy(density, numbers, cells * sizeof *density);
    return true;
}

// For readers: cells of one packed tile as they lie.
void snowfield_read_packed(const snowfield_state *s, snowfield_rect cells, float *depth, float *density) {
    int32_t mass[TILE_MOST_EDGE * TILE_MOST_EDGE];
    float dense[TILE_MOST_EDGE * TILE_MOST_EDGE];
    int32_t column = cells.x0 >> s->shift, row = cells.z0 >> s->shift;
    const packed_tile *p = &s->packed.item[*place_of(s, column, row)];
    bool whole = decode(s, p, mass, dense);
    assert(whole);
    (void)whole;
    for (int32_t z = cells.z0; z < cells.z1; z++) {
        for (int32_t x = cells.x0; x < cells.x1; x++, depth++, density++) {
            size_t i = (size_t)((z & (s->edge - 1)) * s->edge + (x & (s->edge - 1)));
            *density = dense[i];
            *depth = snowfield_depth_m(mass[i], dense[i]);
        }
    }
}

// Words that nobody uses any more are given back when they are more than half.
static void close_gaps(packed_tiles *k) {
    if (k->unused <= k->used / 2) return;
    size_t to = 0;
    for (size_t i = 0; i < k->count; i++) { // items stay in the order of their words
        memmove(k->words + to, k->words + k->item[i].first, k->item[i].words * sizeof *k->words);
        k->item[i].first = to;
        to += k->item[i].words;
    }
    k->used = to;
    k->unused = 0;
}

static void forget(snowfield_state *s, size_t i) {
    packed_tiles *k = &s->packed;
    k->unused += k->item[i].words;
    *place_of(s, (int32_t)k->item[i].column, (int32_t)k->item[i].row) = TILE_NONE;
    memmove(k->item + i, k->item + i + 1, (k->count - i - 1) * sizeof *k->item);
    k->count--;
    for (; i < k->count; i++) *place_of(s, (int32_t)k->item[i].column, (int32_t)k->item[i].row) = (int32_t)i;
    close_gaps(k);
}

// Into a tile that has just been made and has its ground.
void snowfield_unpack(snowfield_state *s, size_t t) {
    int32_t at = *place_of(s, s->tiles.at[t][0], s->tiles.at[t][1]);
    const packed_tile p = s->packed.item[at];
    size_t first = t * snowfield_cells(s);
    bool whole = decode(s, &p, s->tiles.mass + first, s->tiles.density + first);
    assert(whole); // it was looked at when it was packed or loaded
    (void)whole;
    for (size_t i = first; i < first + snowfield_cells(s); i++)
        s->tiles.depth[i] = snowfield_depth_m(s->tiles.mass[i], s->tiles.density[i]);
    s->counters[COUNTER_PACKED] -= tile_sum(s, t);
    forget(s, (size_t)at);
    s->tiles.touched[t] = (snowfield_rect){0, 0, s->edge, s->edge};
}

// ---- removing

static void remove_cover(snowfield_state *s, size_t cover) {
    snowfield_covers *c = &s->covers;
    size_t last = --c->count, cells = snowfield_cells(s);
    s->tiles.cover[c->tile[cover]] = TILE_NONE;
    if (c->pages.page) snowfield_pages_drop(&c->pages, cover);
    if (last == cover) return;
    c->tile[cover] = c->tile[last];
    s->tiles.cover[c->tile[cover]] = (int32_t)cover;
    c->roofs[cover] = c->roofs[last];
    if (c->pages.page) {
        snowfield_pages_move(&c->pages, cover, last);
        return;
    }
    memcpy(c->roof + cover * cells, c->roof + last * cells, cells * sizeof *c->roof);
    memcpy(c->upper + cover * cells, c->upper + last * cells, cells * sizeof *c->upper);
    memcpy(c->top_mass + cover * cells, c->top_mass + last * cells, cells * sizeof *c->top_mass);
    memcpy(c->top_density + cover * cells, c->top_density + last * cells, cells * sizeof *c->top_density);
    memcpy(c->top_depth + cover * cells, c->top_depth + last * cells, cells * sizeof *c->top_depth);
    memcpy(c->top_height + cover * cells, c->top_height + last * cells, cells * sizeof *c->top_height);
    snowfield_heat_move_top(s, cover, last);
}

// No body is above it any more, not even a corner of its bounding rectangle (snowfield_covers.c paints whole
// rectangles), and nothing is left of the snow that lay on it.
static bool cover_is_empty(const snowfield_state *s, size_t cover) {
    size_t cells = snowfield_cells(s), first = snowfield_cover_first(s, cover);
    snowfield_rect own = tile_rect(s, (size_t)s->covers.tile[cover]);
    for (size_t b = 0; b < body_count(s->bodies); b++)
        if (!rect_empty(rect_meet(s->prints[b].cells, own))) return false;
    for (size_t i = first; i < first + cells; i++)
        if (s->covers.roof[i] != NO_ROOF) return false;
    return !ISA_PICK(show_any)(s->covers.top_mass + first, cells);
}

static void remove_tile(snowfield_state *s, size_t t) {
    snowfield_tiles *k = &s->tiles;
    size_t last = --k->count, cells = snowfield_cells(s);
    k->index[(size_t)k->at[t][1] * (size_t)k->columns + (size_t)k->at[t][0]] = TILE_NONE;
    if (k->pages.page) snowfield_pages_drop(&k->pages, t);
    if (last == t) return;
    memcpy(k->at[t], k->at[last], sizeof k->at[t]);
    k->index[(size_t)k->at[t][1] * (size_t)k->columns + (size_t)k->at[t][0]] = (int32_t)t;
    k->active[t] = k->active[last];
    k->touched[t] = k->touched[last];
    k->highest[t] = k->highest[last];
    memcpy(k->row_highest + t * (size_t)s->edge, k->row_highest + last * (size_t)s->edge,
           (size_t)s->edge * sizeof *k->row_highest);
    k->invalid[t] = k->invalid[last];
    k->cleared[t] = k->cleared[last];
    k->cover[t] = k->cover[last];
    if (k->cover[t] != TILE_NONE) s->covers.tile[k->cover[t]] = (int32_t)t;
    if (k->pages.page) {
        snowfield_pages_move(&k->pages, t, last);
        s->ranks->look[t] = s->ranks->look[last];
        return;
    }
    memcpy(k->mass + t * cells, k->mass + last * cells, cells * sizeof *k->mass);
    memcpy(k->density + t * cells, k->density + last * cells, cells * sizeof *k->density);
    if (k->crust) memcpy(k->crust + t * cells, k->crust + last * cells, cells * sizeof *k->crust);
    memcpy(k->ground + t * cells, k->ground + last * cells, cells * sizeof *k->ground);
    memcpy(k->depth + t * cells, k->depth + last * cells, cells * sizeof *k->depth);
    snowfield_heat_move_tile(s, t, last);
}

static bool as_at_the_start(const snowfield_state *s, size_t t) {
    snowfield_rect own = tile_rect(s, t);
    for (int32_t z = own.z0; z < own.z1; z++) {
        int32_t mass = s->start.mass;
        float density = s->start.density;
        for (int32_t x = own.x0; x < own.x1; x++) {
            size_t i = snowfield_cell(s, x, z);
            if (!snowfield_is_even(s)) snowfield_start_column(s, x, z, &mass, &density);
            if (s->tiles.crust && s->tiles.crust[i] < 1) return false;
            if (!snowfield_heat_is_plain(s, i)) return false;
            if (s->tiles.mass[i] != mass || memcmp(&s->tiles.density[i], &density, sizeof density) != 0)
                return false;
        }
    }
    return true;
}

// Something happens in it or beside it: it would come back at once.
static bool is_busy(const snowfield_state *s, size_t t) {
    for (int k = 0; k < 9; k++) {
        int32_t n = snowfield_tile_at(s, s->tiles.at[t][0] + k % 3 - 1, s->tiles.at[t][1] + k / 3 - 1);
        if (n != TILE_NONE && (groups_any(&s->tiles.active[n]) || !rect_empty(s->tiles.touched[n])))
            return true;
    }
    return false;
}

// Some body that can move is not farther than so many cells.
static bool is_near(const snowfield_state *s, snowfield_rect tile, double cells) {
    for (size_t b = 0; b < body_count(s->bodies); b++) {
        if (body_motion(s->bodies, b) == FIRN_MOTION_FIXED) continue;
        firn_vec3 at = body_state(s->bodies, b).position;
        double x = (at.x - s->x0) / s->def.cell, z = (at.z - s->z0) / s->def.cell;
        double dx = fmax(fmax(tile.x0 - x, x - tile.x1), 0), dz = fmax(fmax(tile.z0 - z, z - tile.z1), 0);
        if (dx * dx + dz * dz <= cells * cells) return true;
    }
    return false;
}

snowfield_look snowfield_look_at(const snowfield_state *s, size_t t) {
    int32_t cover = s->tiles.cover[t];
    if (cover != TILE_NONE && !cover_is_empty(s, (size_t)cover)) return LOOK_STAYS;
    return as_at_the_start(s, t) ? LOOK_GOES : LOOK_BARE;
}

static firn_status look_at_tile(snowfield_state *s, size_t t, bool *gone) {
    *gone = false;
    if (is_busy(s, t)) return FIRN_OK;
    snowfield_look look = s->ranks ? snowfield_ranks_look(s, t) : snowfield_look_at(s, t);
    if (look == LOOK_STAYS) return FIRN_OK;
    if (s->tiles.cover[t] != TILE_NONE) remove_cover(s, (size_t)s->tiles.cover[t]);
    double keep_distance = s->def.follow / s->def.cell + 2 * s->edge;
    if (look == LOOK_GOES) {
        if (snowfield_is_own(s, t)) s->counters[COUNTER_PRISTINE] += tile_sum(s, t);
    } else if (s->def.follow > 0 && !is_near(s, tile_rect(s, t), keep_distance)) {
        TRY(pack_tile(s, t));
    } else {
        return FIRN_OK;
    }
    remove_tile(s, t);
    *gone = true;
    return FIRN_OK;
}

// Comes back before it is needed, so that it can be seen.
static firn_status look_at_packed(snowfield_state *s, size_t i) {
    const packed_tile *p = &s->packed.item[i];
    int32_t x = (int32_t)p->column * s->edge, z = (int32_t)p->row * s->edge;
    snowfield_rect cells = {x, z, x + s->edge, z + s->edge};
    return is_near(s, cells, s->def.follow / s->def.cell) ? snowfield_tiles_make(s, cells) : FIRN_OK;
}

// Every tile is checked once in a while; which ones now depends on the step's number, so that a restart finds
// the same. Maps with weather need all tiles (snowfield_weather_create), a tick of it is not disturbed, and
// nothing is packed where it snows (snowfield_params.c).
firn_status snowfield_tiles_pack(snowfield_state *s, uint64_t step) {
    if ((snowfield_has_weather(s) && snowfield_has_maps(s)) ||
        s->counters[COUNTER_NEXT] != s->counters[COUNTER_OWES] || snowfield_late(s))
        return FIRN_OK;
    size_t first = (size_t)(step % EVERY);
    for (size_t i = step % EVERY_AWAY; i < s->packed.count; i += EVERY_AWAY) TRY(look_at_packed(s, i));
    snowfield_ranks_look_ahead(s, first, EVERY);
    for (size_t t = first; t < s->tiles.count;) {
        bool gone;
        TRY(look_at_tile(s, t, &gone));
        if (!gone) t += EVERY; // or another one has taken its place
    }
    s->counters[COUNTER_NEXT] = s->counters[COUNTER_OWES] = 0;
    return FIRN_OK;
}

firn_status snowfield_packed_resize(snowfield_state *s, bool words, size_t count) {
    packed_tiles *k = &s->packed;
    bool room = words ? array_reserve(&k->words, &k->room[1], count, sizeof *k->words)
                      : array_reserve(&k->item, &k->room[0], count, sizeof *k->item);
    if (!room) return fail_memory("loading packed tiles of the field", count * sizeof *k->item);
    *(words ? &k->used : &k->count) = count;
    return FIRN_OK;
}

firn_status snowfield_packed_loaded(snowfield_state *s) {
    packed_tiles *k = &s->packed;
    int32_t mass[TILE_MOST_EDGE * TILE_MOST_EDGE];
    float density[TILE_MOST_EDGE * TILE_MOST_EDGE];
    k->unused = k->used;
    size_t places = (size_t)s->tiles.columns * (size_t)s->tiles.rows;
    if (k->index) memset(k->index, 0xff, places * sizeof *k->index);
    for (size_t i = 0; i < k->count; i++) {
        const packed_tile *p = &k->item[i];
        if (!k->index || p->column >= (uint64_t)s->tiles.columns || p->row >= (uint64_t)s->tiles.rows ||
            p->first > k->used || p->words > k->used - p->first || !decode(s, p, mass, density) ||
            snowfield_is_packed(s, (int32_t)p->column, (int32_t)p->row))
            return fail(FIRN_BAD_INPUT, "field: packed tile %zu is damaged", i);
        *place_of(s, (int32_t)p->column, (int32_t)p->row) = (int32_t)i;
        k->unused -= (size_t)p->words;
    }
    return FIRN_OK;
}
