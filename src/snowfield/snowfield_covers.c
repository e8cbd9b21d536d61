// Where bodies are: roofs over the snow on the ground, and the second layer of snow on top of them (which
// FIELD11 3.1.2 could not hold).
#include "snowfield/snowfield_ranks.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

// Room for the cells of so many covers.
firn_status snowfield_covers_room(snowfield_state *s, size_t count) {
    snowfield_covers *c = &s->covers;
    if (count <= c->pages.room) return FIRN_OK;
    size_t cells = snowfield_cells(s), room = snowfield_page_room(s, &c->pages, count);
    snowfield_list lists[] = {
        {&c->roof, cells * sizeof *c->roof},           {&c->upper, cells * sizeof *c->upper},
        {&c->top_mass, cells * sizeof *c->top_mass},   {&c->top_density, cells * sizeof *c->top_density},
        {&c->top_depth, cells * sizeof *c->top_depth}, {&c->top_height, cells * sizeof *c->top_height}};
    TRY(snowfield_lists_resize(lists, sizeof lists / sizeof lists[0], room, "covering tiles of the field"));
    TRY(snowfield_heat_reserve_tops(s, room));
    c->pages.room = room;
    return FIRN_OK;
}

firn_status snowfield_covers_reserve(snowfield_state *s, size_t count) {
    snowfield_covers *c = &s->covers;
    if (!c->pages.page) TRY(snowfield_covers_room(s, count));
    if (count <= c->capacity) return FIRN_OK;
    size_t room = snowfield_room(s, c->capacity, count);
    snowfield_list lists[] = {{&c->tile, sizeof *c->tile}, {&c->roofs, sizeof *c->roofs}};
    TRY(snowfield_lists_resize(lists, 2, room, "covering tiles of the field"));
    c->capacity = room;
    return FIRN_OK;
}

void snowfield_covers_free(snowfield_state *s) {
    snowfield_covers *c = &s->covers;
    void *lists[] = {c->tile,     c->roof,        c->upper,     c->roofs,
                     c->top_mass, c->top_density, c->top_depth, c->top_height};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    snowfield_pages_free(&c->pages);
    *c = (snowfield_covers){0};
}

static firn_status make_cover(snowfield_state *s, size_t tile) {
    snowfield_covers *c = &s->covers;
    TRY(snowfield_covers_reserve(s, c->count + 1));
    size_t slot = c->count++, cells = snowfield_cells(s);
    c->tile[slot] = (int32_t)tile;
    s->tiles.cover[tile] = (int32_t)slot;
    c->roofs[slot] = (snowfield_groups){0};
    if (c->pages.page) {
        TRY(snowfield_pages_list(&c->pages, slot, slot + 1));
        if (!snowfield_is_here(s, tile)) return FIRN_OK;
        TRY(snowfield_pages_take(s, &c->pages, slot));
    }
    size_t first = snowfield_cover_first(s, slot);
    for (size_t i = first; i < first + cells; i++) {
        c->roof[i] = NO_ROOF;
        c->upper[i] = 0;
        c->top_density[i] = s->law.density;
    }
    memset(c->top_mass + first, 0, cells * sizeof *c->top_mass);
    memset(c->top_depth + first, 0, cells * sizeof *c->top_depth);
    if (s->heat.on) {
        memset(s->heat.top_heat + first, 0, cells * sizeof *s->heat.top_heat);
        memset(s->heat.top_mass + first, 0, cells * sizeof *s->heat.top_mass);
    }
    memset(c->top_height + first, 0, cells * sizeof *c->top_height);
    return FIRN_OK;
}

firn_status snowfield_covers_make(snowfield_state *s, snowfield_rect cells) {
    if (rect_empty(cells)) return FIRN_OK;
    for (int32_t row = cells.z0 >> s->shift; row <= (cells.z1 - 1) >> s->shift; row++) {
        for (int32_t column = cells.x0 >> s->shift; column <= (cells.x1 - 1) >> s->shift; column++) {
            int32_t tile = snowfield_tile_at(s, column, row);
            if (s->tiles.cover[tile] == TILE_NONE) TRY(make_cover(s, (size_t)tile));
        }
    }
    return FIRN_OK;
}

// Calls fn for the stretches of these cells that lie in one row of one tile that is here; all have covers.
typedef void (*stretch_fn)(snowfield_state *s, const snowfield_print *p, size_t covered, int32_t x, int32_t z,
                           int32_t n);

static void each_stretch(snowfield_state *s, const snowfield_print *p, snowfield_rect r, stretch_fn fn) {
    for (int32_t z = r.z0; z < r.z1; z++) {
        for (int32_t x = r.x0; x < r.x1;) {
            int32_t end = int_min(((x >> s->shift) + 1) << s->shift, r.x1);
            if (snowfield_is_here(s, (size_t)snowfield_tile_at(s, x >> s->shift, z >> s->shift)))
                fn(s, p, snowfield_covered(s, snowfield_cell(s, x, z)), x, z, end - x);
            x = end;
        }
    }
}

static void clear_stretch(snowfield_state *s, const snowfield_print *p, size_t covered, int32_t x, int32_t z,
                          int32_t n) {
    (void)p, (void)x, (void)z;
    for (size_t i = covered; i < covered + (size_t)n; i++) s->covers.roof[i] = NO_ROOF;
}

static void paint_stretch(snowfield_state *s, const snowfield_print *p, size_t covered, int32_t x, int32_t z,
                          int32_t n) {
    size_t from = (size_t)(z - p->cells.z0) * (size_t)(p->cells.x1 - p->cells.x0) + (size_t)(x - p->cells.x0);
    const float *ground = s->tiles.ground + snowfield_cell(s, x, z);
    for (size_t i = 0; i < (size_t)n; i++) {
        if (!(p->low[from + i] <= p->high[from + i])) continue;
        int32_t *roof = &s->covers.roof[covered + i], *upper = &s->covers.upper[covered + i];
        int32_t low = p->bottom[from + i], high = p->top[from + i];
        if (high <= snowfield_height(ground[i])) continue; // below the ground it is not there
        *upper = *roof == NO_ROOF ? high : int_max(*upper, high);
        *roof = int_min(*roof, low);
    }
}

// Groups of these cells may have roofs; of all tiles, here or not.
static void note_roofs(snowfield_state *s, snowfield_rect r) {
    for (int32_t z = r.z0; z < r.z1; z++) {
        for (int32_t x = r.x0; x < r.x1;) {
            int32_t end = int_min(((x >> s->shift) + 1) << s->shift, r.x1), first = x & (s->edge - 1);
            int32_t cover = s->tiles.cover[snowfield_tile_at(s, x >> s->shift, z >> s->shift)];
            s->covers.roofs[cover].row[z & (s->edge - 1)] |= (uint8_t)groups_between(first, first + end - x);
            x = end;
        }
    }
}

// Snow whose body has moved away falls down.
static void fall_stretch(snowfield_state *s, const snowfield_print *p, size_t covered, int32_t x, int32_t z,
                         int32_t n) {
    (void)p;
    snowfield_covers *c = &s->covers;
    for (int32_t i = 0; i < n; i++) {
        size_t at = covered + (size_t)i;
        if (c->top_mass[at] == 0 || c->roof[at] != NO_ROOF) continue;
        snowfield_put(s, snowfield_cell(s, x + i, z), c->top_mass[at], c->top_density[at]);
        c->top_mass[at] = 0;
    }
}

// What slid over the edge of its body falls down; the body itself may stand still.
void snowfield_covers_drop(snowfield_state *s) {
    for (size_t b = 0; b < body_count(s->bodies); b++)
        if (!rect_empty(s->prints[b].laid)) each_stretch(s, NULL, s->prints[b].laid, fall_stretch);
}

// Some tile under these cells has roofs that must be painted again.
static bool was_cleared(const snowfield_state *s, snowfield_rect r) {
    if (rect_empty(r)) return false;
    for (int32_t row = r.z0 >> s->shift; row <= (r.z1 - 1) >> s->shift; row++)
        for (int32_t column = r.x0 >> s->shift; column <= (r.x1 - 1) >> s->shift; column++)
            if (s->tiles.cleared[snowfield_tile_at(s, column, row)]) return true;
    return false;
}

// Of a tile in which some roofs have gone all are painted again.
static void note_cleared(snowfield_state *s, snowfield_rect r, bool cleared) {
    if (rect_empty(r)) return;
    for (int32_t row = r.z0 >> s->shift; row <= (r.z1 - 1) >> s->shift; row++) {
        for (int32_t column = r.x0 >> s->shift; column <= (r.x1 - 1) >> s->shift; column++) {
            int32_t t = snowfield_tile_at(s, column, row);
            s->tiles.cleared[t] = cleared;
            if (cleared && s->tiles.cover[t] != TILE_NONE)
                s->covers.roofs[s->tiles.cover[t]] = (snowfield_groups){0};
        }
    }
}

// Rows of tiles are independent of each other: every body acts only on the part below it.
typedef struct band_work {
    snowfield_state *s;
    size_t bands;
    bool falls; // snow that lost its body falls down
} band_work;

// Roofs of bodies that moved go where those stood; others that stand in the same tiles are painted again.
static void paint_band(const band_work *w, snowfield_rect band) {
    snowfield_state *s = w->s;
    size_t count = body_count(s->bodies);
    for (size_t b = 0; b < count; b++) {
        if (!s->prints[b].moved) continue;
        snowfield_rect r = rect_meet(s->prints[b].before, band);
        each_stretch(s, NULL, r, clear_stretch);
        note_cleared(s, r, true);
    }
    for (size_t b = 0; b < count; b++) {
        snowfield_rect r = rect_meet(s->prints[b].cells, band);
        if (rect_empty(r) || (!s->prints[b].moved && !was_cleared(s, r))) continue;
        note_roofs(s, r);
        each_stretch(s, &s->prints[b], r, paint_stretch);
    }
    for (size_t b = 0; b < count; b++) {
        const snowfield_print *p = &s->prints[b];
        if (!p->moved) continue;
        snowfield_rect before = rect_meet(p->before, band);
        note_cleared(s, before, false);
        if (!w->falls) continue;
        if (p->clear) { // snow may come down on it: pictures show where it is
            snowfield_mark(s, before);
            snowfield_mark(s, rect_meet(p->cells, band));
            continue;
        }
        each_stretch(s, p, before, fall_stretch);
        each_stretch(s, p, rect_meet(p->cells, band), fall_stretch);
        snowfield_touch(s, before);
        snowfield_touch(s, rect_meet(p->cells, band));
    }
}

static void paint_one(void *context, size_t i) {
    const band_work *w = context;
    int32_t rows = w->s->tiles.rows, n = (int32_t)w->bands, k = (int32_t)i;
    paint_band(w, (snowfield_rect){0, rows * k / n * w->s->edge, w->s->nx, rows * (k + 1) / n * w->s->edge});
}

static firn_status paint_all(snowfield_state *s, bool falls) {
    enum { FEW = 16, MOST_BANDS = 16 };
    size_t count = body_count(s->bodies), moved = 0;
    for (size_t b = 0; b < count; b++) {
        if (!s->prints[b].moved) continue;
        moved++;
        TRY(snowfield_covers_make(s, s->prints[b].cells));
    }
    if (moved == 0) return FIRN_OK;
    size_t rows = (size_t)s->tiles.rows, most = rows < MOST_BANDS ? rows : MOST_BANDS;
    band_work work = {s, moved < FEW ? 1 : most, falls};
    if (work.bands == 1)
        paint_one(&work, 0);
    else
        par_tasks(work.bands, paint_one, &work);
    return FIRN_OK;
}

firn_status snowfield_covers_roofs(snowfield_state *s) { return paint_all(s, false); }
firn_status snowfield_covers_paint(snowfield_state *s) { return paint_all(s, true); }

// One cell at the start: snow up to the roof, what would be above the body lies on it, the rest never fell.
static void carve_cell(snowfield_state *s, size_t cell, size_t covered, bool on_top) {
    snowfield_covers *c = &s->covers;
    int32_t roof = c->roof[covered], mass = s->tiles.mass[cell], height = snowfield_surface(s, cell);
    if (on_top && roof != NO_ROOF) { // as it lay in an earlier run
        s->tiles.mass[cell] = 0;
        snowfield_put_top(s, covered, mass, s->tiles.density[cell]);
        return;
    }
    if (roof == NO_ROOF || height <= roof || mass == 0) return;
    int32_t depth = snowfield_depth(mass, s->tiles.density[cell]), ground = height - depth;
    double per_height = (double)mass / depth;
    int32_t below = (int32_t)(per_height * int_max(roof - ground, 0));
    int32_t above =
        (int32_t)(per_height * int_min(int_max(height - int_max(c->upper[covered], ground), 0), depth));
    s->tiles.mass[cell] = below;
    snowfield_put_top(s, covered, above, s->tiles.density[cell]);
    s->counters[COUNTER_IN] -= (uint64_t)(mass - below - above);
}

void snowfield_carve(snowfield_state *s) {
    for (size_t b = 0; b < body_count(s->bodies); b++) {
        snowfield_rect r = s->prints[b].cells;
        for (int32_t z = r.z0; z < r.z1; z++) {
            for (int32_t x = r.x0; x < r.x1; x++) {
                size_t cell = snowfield_cell(s, x, z);
                bool on_top = snowfield_cover_stands(s, x, z, (double)s->tiles.ground[cell]);
                carve_cell(s, cell, snowfield_covered(s, cell), on_top);
            }
        }
    }
}
