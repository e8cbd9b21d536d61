// Sweeps over what may slide, until nothing does. The cells in motion are gathered in pieces; a piece is
// copied with a halo so wide that several sweeps leave its own cells right, whatever happens around it, and
// copied back. So many sweeps cost one exchange, and the result is that of sweeping the whole field each
// time.
#include "field/field_patch.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
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
        w->part_of[t] = (int32_t)piece_for(s, t, field_tile_part(s, t, s->tiles.active[t]));
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
    return round < 2 ? int_min(most, 4 << round) : most;
}

// A piece that is alone in its patch needs no exchange: it is right until what moves comes near the rim. It
// has little room at first, because most of what was touched hardly moves.
enum { ALONE_FIRST = 8, ALONE_LATER = 32, ALONE_RIM = 2 * PATCH_REACH };

static field_rect room_alone(const field_piece *p, int32_t margin) {
    int32_t size = int_max(p->active.x1 - p->active.x0, p->active.z1 - p->active.z0);
    return size + 2 * margin <= PATCH_MOST ? field_patch_around(p->active, margin) : (field_rect){0};
}

static bool meet(field_rect a, field_rect b) { return !rect_empty(rect_meet(a, b)); }

// Nothing else is in motion in the piece's patch, and nothing that others may reach.
static bool is_alone(const field_state *s, size_t i, int32_t margin) {
    const field_sweep *w = &s->sweep;
    field_rect patch = w->piece[i].patch;
    if (rect_empty(patch)) return false;
    field_rect near = rect_meet(rect_grow(patch, margin + PATCH_MARGIN), (field_rect){0, 0, s->nx, s->nz});
    for (int32_t row = near.z0 >> s->shift; row <= (near.z1 - 1) >> s->shift; row++) {
        for (int32_t column = near.x0 >> s->shift; column <= (near.x1 - 1) >> s->shift; column++) {
            int32_t t = field_tile_at(s, column, row);
            if (t == TILE_NONE || w->part_of[t] == TILE_NONE || (size_t)w->part_of[t] == i) continue;
            const field_piece *other = &w->piece[w->part_of[t]];
            if (meet(patch, field_patch_around(other->active, margin))) return false;
        }
    }
    return true;
}

static firn_status make_halos(field_state *s, int32_t sweeps, int32_t left, int round) {
    field_sweep *w = &s->sweep;
    int32_t reach = PATCH_REACH * sweeps, margin = round == 0 ? ALONE_FIRST : ALONE_LATER;
    if (left < margin / PATCH_REACH) margin = PATCH_REACH * left;
    size_t tiles = s->tiles.count;
    w->together = 0;
    w->margin = margin;
    for (size_t i = 0; i < w->count; i++) w->piece[i].patch = room_alone(&w->piece[i], margin);
    for (size_t i = 0; i < w->count; i++) {
        field_piece *p = &w->piece[i];
        p->alone = is_alone(s, i, margin);
        w->together += !p->alone;
    }
    for (size_t i = 0; i < w->count; i++) {
        field_piece *p = &w->piece[i];
        if (!p->alone) p->patch = field_patch_around(p->active, 2 * reach);
        p->own = rect_meet(p->alone ? rect_grow(p->patch, -1) : rect_grow(p->active, reach),
                           (field_rect){0, 0, s->nx, s->nz});
        TRY(field_tiles_make(s, p->patch));
    }
    // Tiles that came in between are at rest.
    TRY(sweep_reserve(s, s->tiles.count));
    for (size_t t = tiles; t < s->tiles.count; t++) w->part_of[t] = TILE_NONE;
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

// At most `most` sweeps; a piece that is alone stops when it rests or comes near its rim.
static void sweep_piece(field_state *s, field_piece *piece, slump_patch *p, int32_t most) {
    field_rect patch = piece->patch;
    field_patch_fill(s, patch, p);
    ISA_PICK(slump_heights)(p);
    field_patch_freeze_rim(p);
    piece->roofed = p->roofed;
    piece->done = 0;
    piece->at_rim = false;
    while (piece->done < most && ISA_PICK(slump_sweep)(&s->law, p)) {
        field_patch_empty_outside(s, patch, p);
        piece->done++;
        // In few sweeps nothing can have come that far.
        piece->at_rim = piece->alone && PATCH_REACH * (piece->done + 1) > s->sweep.margin && near_rim(p);
        if (piece->at_rim) break;
    }
    piece->last = changed_cells(p->dirty, patch, piece->own);
    piece->changed = changed_cells(p->ever, patch, piece->own);
    keep_results(&s->sweep, piece, patch, p);
}

static void sweep_some(void *context, size_t worker) {
    field_state *s = context;
    for (size_t i = worker; i < s->sweep.count; i += WORKERS)
        sweep_piece(s, &s->sweep.piece[i], &s->sweep.patches[worker], s->sweep.at_once);
}

// Those that ran ahead of the others once more, just as far.
static void sweep_again(void *context, size_t worker) {
    field_state *s = context;
    for (size_t i = worker; i < s->sweep.count; i += WORKERS)
        if (s->sweep.piece[i].done > s->sweep.at_once)
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

static void over_pieces(field_state *s, void (*fn)(void *context, size_t worker)) {
    if (s->sweep.count == 1)
        fn(s, 0);
    else
        par_tasks(s->sweep.count < WORKERS ? s->sweep.count : WORKERS, fn, s);
}

// Returns how many sweeps were made. All pieces end at the same sweep, or at rest: one that came to its rim
// holds back the others, so that whoever meets later meets as if the whole field had been swept each time.
static int32_t sweep_pieces(field_state *s, int32_t most) {
    field_sweep *w = &s->sweep;
    w->at_once = most;
    over_pieces(s, sweep_some);
    int32_t farthest = 1, nearest = most;
    for (size_t i = 0; i < w->count; i++) {
        farthest = int_max(farthest, w->piece[i].done);
        if (w->piece[i].at_rim) nearest = int_min(nearest, w->piece[i].done);
    }
    if (farthest <= nearest) return farthest;
    w->at_once = nearest;
    over_pieces(s, sweep_again);
    return nearest;
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
        TRY(make_halos(s, sweeps, left, round));
        TRY(results_reserve(s));
        sweeps = sweep_pieces(s, limit < INFINITY || s->sweep.together > 0 ? sweeps : left);
        commit(s);
        s->swept += (uint64_t)sweeps;
        left -= sweeps;
    }
    return FIRN_OK;
}
