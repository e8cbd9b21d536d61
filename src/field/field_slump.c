// Sweeps over what may slide, until nothing does. The cells in motion are gathered in pieces; a piece is
// copied with a halo so wide that several sweeps leave its own cells right, whatever happens around it, and
// copied back. So many sweeps cost one exchange, and the result is that of sweeping the whole field each
// time.
#include "field/field_state.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "field/field_slump_lanes.h"
#include "par/par.h"

enum {
    WORKERS = 8,
    MOST_SWEEPS = 100000,
    LEAST_AT_ONCE = 8, // sweeps between two exchanges
    MOST_AT_ONCE = 16,
    // A piece is what is active and 2 cells per sweep around it, its patch as many more.
    PIECE_ACTIVE = PATCH_MOST - 4 * PATCH_REACH * LEAST_AT_ONCE,
};

void field_sweep_free(field_sweep *w) {
    void *lists[] = {w->piece, w->part_of, w->patches, w->mass, w->density, w->top_mass, w->top_density};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    *w = (field_sweep){0};
}

static firn_status sweep_reserve(field_state *s, size_t count) {
    field_sweep *w = &s->sweep;
    if (!w->patches) w->patches = mem_zero(WORKERS, sizeof(slump_patch));
    if (!w->patches || !array_reserve(&w->piece, &w->capacity[0], count, sizeof *w->piece) ||
        !array_reserve(&w->part_of, &w->capacity[1], s->tiles.count, sizeof *w->part_of))
        return fail_memory("sweeping the field", count * sizeof *w->piece);
    return FIRN_OK;
}

// ---- patches

static void no_cover(slump_patch *p, size_t to, float density) {
    p->roof[to] = NO_ROOF;
    p->deck[to] = p->upper[to] = p->top_mass[to] = 0;
    p->top_density[to] = density;
}

// Cells beside the field: a wall, or snow as it was at the start, which takes what slides out.
static void fill_outside(const field_state *s, slump_patch *p, size_t to, int32_t x, int32_t z) {
    p->mass[to] = 0;
    p->density[to] = s->law.density;
    p->ground[to] = field_height(WALL_HEIGHT);
    if (p->roofed) no_cover(p, to, s->law.density);
    if (s->def.border == FIRN_FIELD_WALL) return;
    int32_t mass;
    float density;
    x = int_min(int_max(x, 0), s->nx - 1);
    z = int_min(int_max(z, 0), s->nz - 1);
    field_start_column(s, x, z, &mass, &density);
    p->ground[to] = field_height(s->tiles.ground[field_cell(s, x, z)]) + field_depth(mass, density);
}

// Lanes look one cell beyond the patch, and run over the ends of its rows.
static void fill_rim(const field_state *s, slump_patch *p, int32_t x, int32_t x1, int32_t z) {
    for (size_t i = patch_at(x, z); i < patch_at(x1, z); i++) {
        p->mass[i] = 0;
        p->density[i] = s->law.density;
        p->ground[i] = p->height[i] = field_height(WALL_HEIGHT);
        if (p->roofed) no_cover(p, i, s->law.density), p->upper[i] = p->height[i];
    }
}

// Roofs and snow on top, of n cells in one row of a tile.
static void fill_cover(const field_state *s, slump_patch *p, size_t to, size_t from, size_t n) {
    size_t covered = field_covered(s, from);
    if (covered == SIZE_MAX) {
        for (size_t i = to; i < to + n; i++) no_cover(p, i, s->law.density);
        return;
    }
    memcpy(p->roof + to, s->covers.roof + covered, n * sizeof *p->roof);
    memcpy(p->deck + to, s->covers.upper + covered, n * sizeof *p->deck);
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
        int32_t end = int_min(int_min(((x >> s->shift) + 1) << s->shift, s->nx), x1);
        size_t from = field_cell(s, x, z), n = (size_t)(end - x);
        memcpy(p->mass + to, s->tiles.mass + from, n * sizeof *p->mass);
        memcpy(p->density + to, s->tiles.density + from, n * sizeof *p->density);
        for (size_t i = 0; i < n; i++) p->ground[to + i] = field_height(s->tiles.ground[from + i]);
        if (p->roofed) fill_cover(s, p, to, from, n);
        to += n;
        x = end;
    }
}

// Some tile that these cells meet has a cover.
static bool any_cover(const field_state *s, field_rect cells) {
    field_rect r = rect_meet(cells, (field_rect){0, 0, s->nx, s->nz});
    for (int32_t row = r.z0 >> s->shift; row <= (r.z1 - 1) >> s->shift; row++)
        for (int32_t column = r.x0 >> s->shift; column <= (r.x1 - 1) >> s->shift; column++)
            if (s->tiles.cover[field_tile_at(s, column, row)] != TILE_NONE) return true;
    return false;
}

// Groups of eight cells of the patch that meet cells x0 .. x1 of it.
static uint32_t groups_of(int32_t x0, int32_t x1) {
    uint32_t bits = 0;
    for (int32_t k = x0 / 8; k <= (x1 - 1) / 8; k++) bits |= 1u << k;
    return bits;
}

static field_rect tile_part(const field_state *s, size_t t,
                            field_rect r) { // of a tile, as cells of the field
    field_rect own = tile_rect(s, t);
    return (field_rect){own.x0 + r.x0, own.z0 + r.z0, own.x0 + r.x1, own.z0 + r.z1};
}

// All that is in motion in the patch, of this piece and of others.
static void mark_active(const field_state *s, field_rect cells, slump_patch *p) {
    field_rect in = rect_meet(cells, (field_rect){0, 0, s->nx, s->nz});
    for (int32_t row = in.z0 >> s->shift; row <= (in.z1 - 1) >> s->shift; row++) {
        for (int32_t column = in.x0 >> s->shift; column <= (in.x1 - 1) >> s->shift; column++) {
            size_t t = (size_t)field_tile_at(s, column, row);
            if (rect_empty(s->tiles.active[t])) continue;
            field_rect a = rect_meet(tile_part(s, t, s->tiles.active[t]), cells);
            if (rect_empty(a)) continue;
            uint32_t groups = groups_of(a.x0 - cells.x0, a.x1 - cells.x0);
            for (int32_t z = a.z0 - cells.z0; z < a.z1 - cells.z0; z++) p->dirty[z + 1] |= groups;
        }
    }
}

static void fill_patch(const field_state *s, field_rect cells, slump_patch *p) {
    p->width = cells.x1 - cells.x0;
    p->length = cells.z1 - cells.z0;
    p->roofed = any_cover(s, cells);
    for (int32_t z = 0; z < p->length; z++) {
        fill_row(s, p, patch_at(0, z), cells.x0, cells.x1, cells.z0 + z);
        fill_rim(s, p, -1, 0, z);
        fill_rim(s, p, p->width, p->width + PATCH_MARGIN, z);
    }
    fill_rim(s, p, -1, p->width + PATCH_MARGIN, -1);
    fill_rim(s, p, -1, p->width + PATCH_MARGIN, p->length);
    memset(p->dirty, 0, sizeof p->dirty);
    memset(p->ever, 0, sizeof p->ever);
    mark_active(s, cells, p);
}

// What lies beside an open border takes snow and stays as it is.
static void empty_outside(const field_state *s, field_rect cells, slump_patch *p) {
    field_rect in = rect_meet(cells, (field_rect){0, 0, s->nx, s->nz});
    if (s->def.border == FIRN_FIELD_WALL ||
        (in.x0 == cells.x0 && in.z0 == cells.z0 && in.x1 == cells.x1 && in.z1 == cells.z1))
        return;
    for (int32_t z = 0; z < p->length; z++) {
        for (int32_t x = 0; x < p->width; x++) {
            int32_t fx = cells.x0 + x, fz = cells.z0 + z;
            size_t i = patch_at(x, z);
            if ((fx >= in.x0 && fx < in.x1 && fz >= in.z0 && fz < in.z1) || p->mass[i] == 0) continue;
            p->mass[i] = 0;
            p->height[i] = p->ground[i];
            if (p->roofed) p->upper[i] = p->height[i];
        }
    }
}

// ---- pieces

static bool fits(field_rect r) { return r.x1 - r.x0 <= PIECE_ACTIVE && r.z1 - r.z0 <= PIECE_ACTIVE; }

// Joins an active tile to the piece of a neighbour that came before it, if the two are near and fit into one
// patch.
static size_t piece_for(field_state *s, size_t t, field_rect cells) {
    field_sweep *w = &s->sweep;
    for (int k = 0; k < 9; k++) {
        int32_t other = field_tile_at(s, s->tiles.at[t][0] + k % 3 - 1, s->tiles.at[t][1] + k / 3 - 1);
        if (other == TILE_NONE || (size_t)other >= t || w->part_of[other] == TILE_NONE) continue;
        field_piece *p = &w->piece[w->part_of[other]];
        if (rect_empty(rect_meet(rect_grow(p->active, 16), cells)) || !fits(rect_join(p->active, cells)))
            continue;
        p->active = rect_join(p->active, cells);
        return (size_t)w->part_of[other];
    }
    w->piece[w->count] = (field_piece){.active = cells};
    return w->count++;
}

static firn_status list_pieces(field_state *s) {
    field_sweep *w = &s->sweep;
    w->count = 0;
    size_t tiles = s->tiles.count;
    TRY(sweep_reserve(s, tiles));
    for (size_t t = 0; t < tiles; t++) {
        w->part_of[t] = TILE_NONE;
        if (rect_empty(s->tiles.active[t])) continue;
        w->part_of[t] = (int32_t)piece_for(s, t, tile_part(s, t, s->tiles.active[t]));
    }
    return FIRN_OK;
}

// So many sweeps fit between two exchanges that the largest piece still has a patch; few at first, because
// most of what was touched turns out to lie still.
static int32_t sweeps_at_once(const field_sweep *w, int round) {
    int32_t largest = 0;
    for (size_t i = 0; i < w->count; i++) {
        field_rect a = w->piece[i].active;
        largest = int_max(largest, int_max(a.x1 - a.x0, a.z1 - a.z0));
    }
    int32_t most = int_min((PATCH_MOST - largest) / (4 * PATCH_REACH), MOST_AT_ONCE);
    return round < 3 ? int_min(most, 2 << round) : most;
}

// A piece that is alone needs no exchange: it is right until what moves comes near its patch's rim.
enum { ALONE_MARGIN = 32, ALONE_RIM = 2 * PATCH_REACH };

static firn_status make_halos(field_state *s, int32_t sweeps) {
    field_sweep *w = &s->sweep;
    int32_t reach = PATCH_REACH * sweeps;
    for (size_t i = 0; i < w->count; i++) {
        field_piece *p = &w->piece[i];
        int32_t size = int_max(p->active.x1 - p->active.x0, p->active.z1 - p->active.z0);
        p->alone = w->count == 1 && size + 2 * ALONE_MARGIN <= PATCH_MOST;
        p->patch = rect_grow(p->active, p->alone ? ALONE_MARGIN : 2 * reach);
        p->own =
            rect_meet(p->alone ? p->patch : rect_grow(p->active, reach), (field_rect){0, 0, s->nx, s->nz});
        TRY(field_tiles_make(s, p->patch));
    }
    return FIRN_OK;
}

// Room for what comes out of the pieces: all pieces are swept before any is copied back.
static firn_status results_reserve(field_state *s) {
    field_sweep *w = &s->sweep;
    size_t cells = 0;
    for (size_t i = 0; i < w->count; i++) {
        field_rect own = w->piece[i].own;
        w->piece[i].first = cells;
        cells += (size_t)(own.x1 - own.x0) * (size_t)(own.z1 - own.z0);
    }
    if (!array_reserve(&w->mass, &w->capacity[2], cells, sizeof *w->mass) ||
        !array_reserve(&w->density, &w->capacity[3], cells, sizeof *w->density) ||
        !array_reserve(&w->top_mass, &w->capacity[4], cells, sizeof *w->top_mass) ||
        !array_reserve(&w->top_density, &w->capacity[5], cells, sizeof *w->top_density))
        return fail_memory("sweeping the field", cells * 16);
    return FIRN_OK;
}

// The cells of the field around the groups that are set, within the piece.
static field_rect changed_cells(const uint32_t *groups, field_rect patch, field_rect own) {
    uint32_t all = 0;
    int32_t z0 = patch.z1, z1 = patch.z0;
    for (int32_t z = patch.z0; z < patch.z1; z++) {
        uint32_t row = groups[z - patch.z0 + 1];
        if (!row) continue;
        all |= row;
        z0 = int_min(z0, z);
        z1 = z + 1;
    }
    if (!all) return (field_rect){0};
    int32_t x0 = patch.x0 + 8 * __builtin_ctz(all), x1 = patch.x0 + 8 * (32 - __builtin_clz(all));
    field_rect r = rect_meet((field_rect){x0, z0, x1, z1}, own);
    return rect_empty(r) ? (field_rect){0} : r;
}

static void keep_results(field_sweep *w, const field_piece *piece, field_rect patch, const slump_patch *p) {
    field_rect r = piece->changed;
    size_t n = (size_t)(r.x1 - r.x0), to = piece->first;
    for (int32_t z = r.z0; z < r.z1; z++, to += n) {
        size_t from = patch_at(r.x0 - patch.x0, z - patch.z0);
        memcpy(w->mass + to, p->mass + from, n * sizeof *w->mass);
        memcpy(w->density + to, p->density + from, n * sizeof *w->density);
        if (!p->roofed) continue;
        memcpy(w->top_mass + to, p->top_mass + from, n * sizeof *w->top_mass);
        memcpy(w->top_density + to, p->top_density + from, n * sizeof *w->top_density);
    }
}

// Something moves so near the rim that the next sweep would reach it.
static bool near_rim(const slump_patch *p) {
    uint32_t ends = 1u | 3u << ((p->width - ALONE_RIM - 1) / 8), rows = 0, all = 0;
    for (int32_t z = 0; z < p->length; z++) {
        all |= p->dirty[z + 1];
        if (z < ALONE_RIM || z >= p->length - ALONE_RIM) rows |= p->dirty[z + 1];
    }
    return rows != 0 || (all & ends) != 0;
}

static int32_t sweep_piece(field_state *s, field_piece *piece, slump_patch *p, int32_t most) {
    field_rect patch = piece->patch;
    fill_patch(s, patch, p);
    ISA_PICK(slump_heights)(p);
    piece->roofed = p->roofed;
    int32_t done = 0;
    while (done < most && ISA_PICK(slump_sweep)(&s->law, p)) {
        empty_outside(s, patch, p);
        done++;
        if (piece->alone && near_rim(p)) break;
    }
    piece->last = changed_cells(p->dirty, patch, piece->own);
    piece->changed = changed_cells(p->ever, patch, piece->own);
    keep_results(&s->sweep, piece, patch, p);
    return done;
}

static void sweep_some(void *context, size_t worker) {
    field_state *s = context;
    for (size_t i = worker; i < s->sweep.count; i += WORKERS)
        sweep_piece(s, &s->sweep.piece[i], &s->sweep.patches[worker], s->sweep.at_once);
}

// n cells of one row of a tile, back to the field; returns what they lost.
static int64_t commit_cells(field_state *s, size_t to, size_t from, size_t n, bool roofed) {
    const field_sweep *w = &s->sweep;
    int64_t lost = 0;
    for (size_t k = 0; k < n; k++) lost += s->tiles.mass[to + k] - w->mass[from + k];
    memcpy(s->tiles.mass + to, w->mass + from, n * sizeof *w->mass);
    memcpy(s->tiles.density + to, w->density + from, n * sizeof *w->density);
    size_t covered = roofed ? field_covered(s, to) : SIZE_MAX;
    if (covered == SIZE_MAX) return lost;
    for (size_t k = 0; k < n; k++) lost += s->covers.top_mass[covered + k] - w->top_mass[from + k];
    memcpy(s->covers.top_mass + covered, w->top_mass + from, n * sizeof *w->top_mass);
    memcpy(s->covers.top_density + covered, w->top_density + from, n * sizeof *w->top_density);
    return lost;
}

// Pieces may overlap; where they do they agree. All together lose what went over the border.
static void commit(field_state *s) {
    int64_t lost = 0;
    memset(s->tiles.active, 0, s->tiles.count * sizeof *s->tiles.active);
    for (size_t i = 0; i < s->sweep.count; i++) {
        const field_piece *piece = &s->sweep.piece[i];
        field_rect r = piece->changed;
        size_t from = piece->first;
        for (int32_t z = r.z0; z < r.z1; z++) {
            for (int32_t x = r.x0; x < r.x1;) {
                int32_t end = int_min(((x >> s->shift) + 1) << s->shift, r.x1);
                lost += commit_cells(s, field_cell(s, x, z), from, (size_t)(end - x), piece->roofed);
                from += (size_t)(end - x);
                x = end;
            }
        }
        field_mark(s, piece->changed);
        field_touch(s, piece->last);
    }
    s->book[BOOK_OUT] += (uint64_t)lost;
}

// Returns how many sweeps were made.
static int32_t sweep_pieces(field_state *s, int32_t at_once, int32_t left) {
    field_sweep *w = &s->sweep;
    w->at_once = at_once;
    if (w->count == 1) {
        int32_t most = w->piece[0].alone ? left : at_once,
                done = sweep_piece(s, &w->piece[0], &w->patches[0], most);
        return done > 0 ? done : 1;
    }
    par_tasks(w->count < WORKERS ? w->count : WORKERS, sweep_some, s);
    return at_once;
}

firn_status field_slump(field_state *s, double deadline) {
    int32_t left = s->def.sweeps > 0 ? s->def.sweeps : MOST_SWEEPS;
    double limit = s->def.budget > 0 ? clock_seconds() + s->def.budget : INFINITY;
    if (deadline > 0) limit = fmin(limit, deadline);
    for (int round = 0; left > 0; round++) {
        if (limit < INFINITY && round > 0 && clock_seconds() > limit) break;
        TRY(list_pieces(s));
        if (s->sweep.count == 0) break;
        int32_t sweeps = int_min(sweeps_at_once(&s->sweep, round), left);
        TRY(make_halos(s, sweeps));
        TRY(results_reserve(s));
        sweeps = sweep_pieces(s, sweeps, limit < INFINITY ? sweeps : left);
        commit(s);
        s->swept += (uint64_t)sweeps;
        left -= sweeps;
    }
    return FIRN_OK;
}
