// The same slopes when there is a budget: piece by piece, each within walls around it, until the time is
// over; the rest continues to slide in the next steps. Mass is exact, but which piece slides first depends
// on the speed of the machine.
#include "snowfield/snowfield_pieces.h"

#include "par/par.h"

enum { SWEEPS_AT_ONCE = ALONE_FIRST / PATCH_CELLS_PER_SWEEP };

static void sweep_one(snowfield_state *s, size_t i, size_t worker) {
    snowfield_piece *piece = &s->sweep.piece[i];
    piece->closed = true;
    piece->own = rect_meet(rect_grow(piece->patch, -1), piece->own);
    snowfield_piece_sweep(s, piece, &s->sweep.patches[worker], s->sweep.at_once);
    snowfield_piece_return(s, piece, &s->sweep.patches[worker]);
}

static void sweep_several(void *context, size_t worker) {
    snowfield_state *s = context;
    sweep_one(s, s->sweep.chosen[worker], worker);
}

// The cells of the piece are at rest now, except those that it lists itself.
static void note_piece(snowfield_state *s, size_t i) {
    snowfield_piece *piece = &s->sweep.piece[i];
    snowfield_rect a = piece->active;
    for (int32_t row = a.z0 >> s->shift; row <= (a.z1 - 1) >> s->shift; row++) {
        for (int32_t column = a.x0 >> s->shift; column <= (a.x1 - 1) >> s->shift; column++) {
            int32_t t = snowfield_tile_at(s, column, row);
            if (t != TILE_NONE && s->sweep.part_of[t] == (int32_t)i)
                s->tiles.active[t] = (snowfield_groups){0};
        }
    }
    snowfield_piece_touch(s, piece);
    s->work++;
}

// The next pieces that can be swept at the same time, from place *at of the round; one that is not alone goes
// by itself.
static size_t choose(snowfield_state *s, size_t *at) {
    snowfield_sweep *w = &s->sweep;
    size_t found = 0;
    while (*at < w->count && found < SLUMP_WORKERS) {
        size_t i = (*at + s->turn) % w->count;
        if (!w->piece[i].alone && found > 0) break;
        w->chosen[found++] = i;
        (*at)++;
        if (!w->piece[i].alone) break;
    }
    return found;
}

// A round over all pieces; stops when the time is over.
static void sweep_round(snowfield_state *s) {
    snowfield_sweep *w = &s->sweep;
    for (size_t at = 0; at < w->count;) {
        size_t n = choose(s, &at);
        if (n == 1)
            sweep_several(s, 0);
        else
            par_tasks(n, sweep_several, s);
        for (size_t k = 0; k < n; k++) note_piece(s, w->chosen[k]);
        if (!snowfield_late(s)) continue;
        s->turn += at; // the others come first the next time
        return;
    }
}

firn_status snowfield_slump_within(snowfield_state *s) {
    snowfield_sweep *w = &s->sweep;
    int32_t left = s->def.sweeps > 0 ? s->def.sweeps : INT32_MAX;
    while (left > 0) {
        TRY(snowfield_pieces_list(s));
        if (w->count == 0) break;
        snowfield_pieces_alone(s, ALONE_FIRST);
        TRY(snowfield_pieces_tiles(s));
        TRY(snowfield_results_reserve(s, true));
        w->at_once = int_min(left, SWEEPS_AT_ONCE);
        sweep_round(s);
        if (snowfield_late(s)) break;
        left -= w->at_once;
    }
    return FIRN_OK;
}
