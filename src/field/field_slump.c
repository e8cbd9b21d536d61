// Sweeps over what may slide, until nothing does.
#include "field/field_state.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "field/field_slump_lanes.h"
#include "par/par.h"

enum { WORKERS = 8, MOST_SWEEPS = 100000 };

void field_sweep_free(field_sweep *w) {
    void *lists[] = {w->slot,    w->part,     w->changed,     w->left,   w->mass,
                     w->density, w->top_mass, w->top_density, w->patches};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    *w = (field_sweep){0};
}

static firn_status sweep_reserve(field_state *s, size_t count) {
    field_sweep *w = &s->sweep;
    if (!w->patches) w->patches = mem_alloc(WORKERS * sizeof(slump_patch));
    size_t cells = field_cells(s);
    if (!w->patches || !array_reserve(&w->slot, &w->capacity[0], count, sizeof *w->slot) ||
        !array_reserve(&w->part, &w->capacity[1], count, sizeof *w->part) ||
        !array_reserve(&w->changed, &w->capacity[2], count, sizeof *w->changed) ||
        !array_reserve(&w->left, &w->capacity[3], count, sizeof *w->left) ||
        !array_reserve(&w->mass, &w->capacity[4], count, cells * sizeof *w->mass) ||
        !array_reserve(&w->density, &w->capacity[5], count, cells * sizeof *w->density) ||
        !array_reserve(&w->top_mass, &w->capacity[6], count, cells * sizeof *w->top_mass) ||
        !array_reserve(&w->top_density, &w->capacity[7], count, cells * sizeof *w->top_density))
        return fail_memory("sweeping the field", count * cells * 16);
    return FIRN_OK;
}

static void no_cover(const field_state *s, slump_patch *p, size_t to) {
    p->roof[to] = NO_ROOF;
    p->upper[to] = p->top_mass[to] = 0;
    p->top_density[to] = s->law.density;
}

// Cells beside the field: a wall, or snow as it was at the start, which takes what slides out.
static void fill_outside(const field_state *s, slump_patch *p, size_t to, int32_t x, int32_t z) {
    p->mass[to] = 0;
    p->density[to] = s->law.density;
    p->ground[to] = WALL_HEIGHT;
    if (p->roofed) no_cover(s, p, to);
    if (s->def.border == FIRN_FIELD_WALL) return;
    x = int_min(int_max(x, 0), s->nx - 1);
    z = int_min(int_max(z, 0), s->nz - 1);
    int32_t mass;
    float density;
    field_start_column(s, x, z, &mass, &density);
    p->ground[to] = s->tiles.ground[field_cell(s, x, z)] + field_depth_m(mass, density);
}

// Roofs and snow on top, of n cells in one row of a tile.
static void fill_cover(const field_state *s, slump_patch *p, size_t to, size_t from, size_t n) {
    size_t covered = field_covered(s, from);
    if (covered == SIZE_MAX) {
        for (size_t i = to; i < to + n; i++) no_cover(s, p, i);
        return;
    }
    memcpy(p->roof + to, s->covers.roof + covered, n * sizeof *p->roof);
    memcpy(p->upper + to, s->covers.upper + covered, n * sizeof *p->upper);
    memcpy(p->top_mass + to, s->covers.top_mass + covered, n * sizeof *p->top_mass);
    memcpy(p->top_density + to, s->covers.top_density + covered, n * sizeof *p->top_density);
}

// Cells x .. x1 of row z of the field into the patch, tile by tile.
static void fill_row(const field_state *s, slump_patch *p, size_t to, int32_t x, int32_t x1, int32_t z) {
    bool outside_row = z < 0 || z >= s->nz;
    while (x < x1) {
        if (outside_row || x < 0 || x >= s->nx) {
            fill_outside(s, p, to++, x++, z);
            continue;
        }
        int32_t end = int_min(int_min((x / s->edge + 1) * s->edge, s->nx), x1);
        size_t from = field_cell(s, x, z), n = (size_t)(end - x);
        memcpy(p->mass + to, s->tiles.mass + from, n * sizeof *p->mass);
        memcpy(p->density + to, s->tiles.density + from, n * sizeof *p->density);
        memcpy(p->ground + to, s->tiles.ground + from, n * sizeof *p->ground);
        if (p->roofed) fill_cover(s, p, to, from, n);
        to += n;
        x = end;
    }
}

static void fill_patch(const field_state *s, field_rect cells, slump_patch *p) {
    p->width = cells.x1 - cells.x0;
    p->length = cells.z1 - cells.z0;
    for (int32_t z = -SLUMP_HALO; z < p->length + SLUMP_HALO; z++) {
        size_t row = (size_t)((z + SLUMP_HALO) * SLUMP_STRIDE);
        fill_row(s, p, row, cells.x0 - SLUMP_HALO, cells.x1 + SLUMP_HALO, cells.z0 + z);
        for (size_t i = row + (size_t)(p->width + 2 * SLUMP_HALO); i < row + SLUMP_STRIDE; i++) {
            p->mass[i] = 0; // lanes that run over the end
            p->density[i] = s->law.density;
            p->ground[i] = WALL_HEIGHT;
            if (p->roofed) no_cover(s, p, i);
        }
    }
}

// Some tile that these cells and their halo meet has a cover.
static bool any_cover(const field_state *s, field_rect cells) {
    field_rect r = rect_meet(rect_grow(cells, SLUMP_HALO), (field_rect){0, 0, s->nx, s->nz});
    for (int32_t row = r.z0 >> s->shift; row <= (r.z1 - 1) >> s->shift; row++)
        for (int32_t column = r.x0 >> s->shift; column <= (r.x1 - 1) >> s->shift; column++)
            if (s->tiles.cover[field_tile_at(s, column, row)] != TILE_NONE) return true;
    return false;
}

// What went over the border is missing afterwards: all that comes in comes from cells of the field.
static void sweep_tile(field_state *s, size_t i, slump_patch *p) {
    field_sweep *w = &s->sweep;
    size_t t = (size_t)w->slot[i];
    field_rect part = w->part[i], own = tile_rect(s, t);
    field_rect cells = {own.x0 + part.x0, own.z0 + part.z0, own.x0 + part.x1, own.z0 + part.z1};
    p->roofed = any_cover(s, cells);
    fill_patch(s, cells, p);
    ISA_PICK(slump_heights)(p);
    if (p->roofed) ISA_PICK(cover_heights)(p);
    w->changed[i] = (field_rect){0};
    if (!(p->roofed ? ISA_PICK(cover_sweep)(&s->law, p) : ISA_PICK(slump_sweep)(&s->law, p))) return;
    w->changed[i] = (field_rect){part.x0 + p->x0, part.z0 + p->z0, part.x0 + p->x1, part.z0 + p->z1};
    size_t first = i * field_cells(s);
    for (int32_t z = p->z0; z < p->z1; z++) {
        size_t to = first + (size_t)((part.z0 + z) * s->edge + part.x0 + p->x0);
        size_t from = (size_t)(z * SLUMP_STRIDE + p->x0), n = (size_t)(p->x1 - p->x0);
        memcpy(w->mass + to, p->new_mass + from, n * sizeof *w->mass);
        memcpy(w->density + to, p->new_density + from, n * sizeof *w->density);
        if (!p->roofed) continue;
        memcpy(w->top_mass + to, p->new_top_mass + from, n * sizeof *w->top_mass);
        memcpy(w->top_density + to, p->new_top_density + from, n * sizeof *w->top_density);
    }
}

static void sweep_some(void *context, size_t worker) {
    field_state *s = context;
    slump_patch *patches = s->sweep.patches;
    for (size_t i = worker; i < s->sweep.count; i += WORKERS) sweep_tile(s, i, &patches[worker]);
}

// Of n cells in one row of a covered tile; returns what they gained.
static int64_t commit_top(field_state *s, size_t i, size_t row, size_t n) {
    size_t cells = field_cells(s), at = (size_t)s->tiles.cover[s->sweep.slot[i]] * cells + row;
    const int32_t *from = s->sweep.top_mass + i * cells + row;
    int64_t gain = 0;
    for (size_t k = 0; k < n; k++) gain += from[k] - s->covers.top_mass[at + k];
    memcpy(s->covers.top_mass + at, from, n * sizeof *from);
    memcpy(s->covers.top_density + at, s->sweep.top_density + i * cells + row, n * sizeof(float));
    return gain;
}

// The new columns take the place of the old ones; the difference of the sums is what has come or gone.
static void commit_tile(field_state *s, size_t i) {
    field_sweep *w = &s->sweep;
    field_rect c = w->changed[i];
    size_t t = (size_t)w->slot[i], cells = field_cells(s);
    int64_t gain = 0;
    for (int32_t z = c.z0; z < c.z1; z++) {
        size_t row = (size_t)(z * s->edge + c.x0), n = (size_t)(c.x1 - c.x0);
        const int32_t *from = w->mass + i * cells + row;
        int32_t *to = s->tiles.mass + t * cells + row;
        for (size_t k = 0; k < n; k++) gain += from[k] - to[k];
        memcpy(to, from, n * sizeof *to);
        if (s->tiles.cover[t] != TILE_NONE) gain += commit_top(s, i, row, n);
        memcpy(s->tiles.density + t * cells + row, w->density + i * cells + row, n * sizeof *w->density);
    }
    w->left[i] = -gain;
}

static void commit_some(void *context, size_t worker) {
    field_state *s = context;
    for (size_t i = worker; i < s->sweep.count; i += WORKERS) commit_tile(s, i);
}

// The active tiles and their surroundings, which must exist.
static firn_status list_active(field_state *s) {
    field_sweep *w = &s->sweep;
    w->count = 0;
    for (size_t t = 0; t < s->tiles.count; t++) {
        if (rect_empty(s->tiles.active[t])) continue;
        field_rect own = tile_rect(s, t), a = s->tiles.active[t];
        field_rect cells = {own.x0 + a.x0, own.z0 + a.z0, own.x0 + a.x1, own.z0 + a.z1};
        TRY(field_tiles_make(s, rect_grow(cells, SLUMP_HALO)));
        TRY(sweep_reserve(s, w->count + 1));
        w->part[w->count] = a;
        w->slot[w->count++] = (int32_t)t;
        s->tiles.active[t] = (field_rect){0};
    }
    return FIRN_OK;
}

// What changed may go on sliding. All masses of a sweep together stay, but for what went over the border.
static void note_changes(field_state *s) {
    field_sweep *w = &s->sweep;
    int64_t left = 0;
    for (size_t i = 0; i < w->count; i++) {
        left += w->left[i];
        field_rect own = tile_rect(s, (size_t)w->slot[i]), c = w->changed[i];
        if (rect_empty(c)) continue;
        field_touch(s, (field_rect){own.x0 + c.x0, own.z0 + c.z0, own.x0 + c.x1, own.z0 + c.z1});
    }
    s->book[BOOK_OUT] += (uint64_t)left;
}

// A few cells are done sooner than other threads wake up.
enum { ALONE = 8192 };

static void run(field_state *s, void (*some)(void *context, size_t worker)) {
    int64_t cells = 0;
    for (size_t i = 0; i < s->sweep.count; i++) {
        field_rect r = s->sweep.part[i];
        cells += (int64_t)(r.x1 - r.x0) * (r.z1 - r.z0);
    }
    if (cells > ALONE)
        par_tasks(WORKERS, some, s);
    else
        for (size_t worker = 0; worker < WORKERS; worker++) some(s, worker);
}

firn_status field_slump(field_state *s, double deadline) {
    int32_t most = s->def.sweeps > 0 ? s->def.sweeps : MOST_SWEEPS;
    double limit = s->def.budget > 0 ? clock_seconds() + s->def.budget : INFINITY;
    if (deadline > 0) limit = fmin(limit, deadline);
    for (int32_t sweep = 0; sweep < most; sweep++) {
        TRY(list_active(s));
        if (s->sweep.count == 0) break;
        if (limit < INFINITY && sweep > 0 && clock_seconds() > limit) {
            for (size_t i = 0; i < s->sweep.count; i++) s->tiles.active[s->sweep.slot[i]] = s->sweep.part[i];
            break;
        }
        run(s, sweep_some);
        run(s, commit_some);
        note_changes(s);
        s->swept++;
    }
    return FIRN_OK;
}
