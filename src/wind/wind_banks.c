// The cover as an obstacle to the wind: a smooth surface that cuts cells, by signed distances at their
// corners as those of bodies.
#include <math.h>

#include "par/par.h"
#include "wind/wind_state.h"

enum { FARTHEST = 4 }; // cells that a distance is looked for along a column

// What is below a corner: open air, the ground, or something that has its own distances.
static bool is_body(const wind_state *s, size_t a) { return s->owner[a] != 0; }

// Cells that settle are a little less than full before those above come after.
static bool is_full(const wind_state *s, size_t a) {
    return s->cover.mass[a] && (s->cover.mass[a + s->box.row] || cover_fill(s, a) > 0.99);
}

// Height of the corner below cell a (layer j) above the snow of this column, in cells, < 0 within it. false:
// a body is there, or no snow is near. `any`: there is snow.
static bool above_snow(const wind_state *s, size_t a, int32_t j, double *out, bool *any) {
    const wind_cover *c = &s->cover;
    const size_t row = s->box.row;
    *any = false;
    if (j > 1 && is_body(s, a - row)) return false; // its floor
    if (j > 1 && !is_full(s, a - row)) {            // the surface is below
        double up = 0;
        for (int32_t n = 1; n <= FARTHEST; n++, up++) {
            size_t b = a - (size_t)n * row;
            if (j - n < 1) {
                *out = up;
                return true;
            }
            if (is_body(s, b)) return false;
            if (!c->mass[b]) continue;
            *any = true;
            *out = up + 1 - fmin(cover_fill(s, b), 1);
            return true;
        }
        *out = up;
        return true;
    }
    double down = 0; // within snow, or on the ground
    *any = j > 1 || c->mass[a];
    for (int32_t n = 0; n < FARTHEST && j + n <= s->box.n[1]; n++) {
        size_t b = a + (size_t)n * row;
        if (is_body(s, b)) break;
        down += fmin(cover_fill(s, b), 1);
        if (!is_full(s, b)) break;
    }
    *out = -down;
    return true;
}

// At the corner before cell (i, j, k), from the four columns around it.
static int32_t corner(const wind_state *s, int32_t i, int32_t j, int32_t k) {
    double sum = 0;
    int count = 0;
    bool snow = false;
    for (int n = 0; n < 4; n++) {
        int32_t x = i - (n & 1), z = k - (n >> 1);
        double above;
        bool any;
        if (x < 1 || z < 1 || x > s->box.n[0] || z > s->box.n[2]) continue;
        size_t a = poisson_at(&s->box, x, j, z);
        if (!above_snow(s, a, j, &above, &any)) continue;
        sum += above;
        count++;
        snow |= any;
    }
    return snow ? wind_node(sum / count) : INT16_MAX;
}

static bool rows_hold_snow(const wind_state *s, int32_t j, int32_t k) {
    const size_t rows = (size_t)s->box.n[1] + 2;
    for (int32_t z = k - 1; z <= k; z++)
        for (int32_t y = j < FARTHEST ? 0 : j - FARTHEST; y <= j; y++)
            if (s->cover.row_has_snow[(size_t)z * rows + (size_t)y]) return true;
    return false;
}

// The largest change of a corner, in 1 / WIND_NODE of a cell, but for those far from any surface.
static double cut_planes(void *context, size_t begin, size_t end) {
    const wind_state *s = context;
    int32_t most = 0;
    for (int32_t k = (int32_t)begin + 1; k <= (int32_t)end; k++)
        for (int32_t j = 1; j <= s->box.n[1] + 1; j++) {
            bool any = rows_hold_snow(s, j, k);
            for (int32_t i = 1; i <= s->box.n[0] + 1; i++) {
                int32_t *to = &s->cover.bank[poisson_at(&s->box, i, j, k)];
                int32_t now = any && j <= s->box.n[1] ? corner(s, i, j, k) : INT16_MAX;
                int32_t change = now > *to ? now - *to : *to - now;
                bool far = now > WIND_NODE && *to > WIND_NODE;
                if (!far && change > most) most = change;
                *to = now;
            }
        }
    return most;
}

firn_status banks_update(wind_state *s) {
    if (!s->cover.bank) {
        TRY(banks_create(s));
        s->stale = true;
    }
    if (par_max((size_t)s->box.n[2] + 1, 4, cut_planes, s) > 0) s->stale = true;
    return FIRN_OK;
}

// Height of the snow above the bottom at a corner column, in cells.
static double height_at(const wind_state *s, int32_t i, int32_t k) {
    for (int32_t j = 1; j <= s->box.n[1]; j++) {
        int32_t above = s->cover.bank[poisson_at(&s->box, i, j, k)];
        if (above >= 0 && above < INT16_MAX) return fmax(0, j - 1 - (double)above / WIND_NODE);
    }
    return 0;
}

// The same in the mean over the sides that the wind blows in through. From what is state, so that it is
// found again after a restart.
double banks_height(const wind_state *s) {
    double sum = 0, count = 0;
    for (int side = 0; s->cover.bank && side < SIDES; side++) {
        if (s->side[side] != SIDE_INFLOW || side / 2 == 1) continue;
        const int axis = side / 2;
        const int32_t last = side & 1 ? s->box.n[axis] + 1 : 1;
        for (int32_t n = 2; n <= s->box.n[2 - axis]; n++, count++)
            sum += height_at(s, axis ? n : last, axis ? last : n);
    }
    return count > 0 ? sum / count : 0;
}

firn_status banks_create(wind_state *s) {
    s->cover.bank = mem_zero(s->box.size, sizeof *s->cover.bank);
    if (!s->cover.bank) return fail_memory("cutting cells by the snow cover", 2 * s->box.size);
    for (size_t a = 0; a < s->box.size; a++) s->cover.bank[a] = INT16_MAX;
    if (s->node != s->fixed_node) return FIRN_OK;
    s->node = mem_zero(s->box.size, sizeof *s->node);
    if (!s->node) s->node = s->fixed_node;
    return s->node != s->fixed_node ? FIRN_OK
                                    : fail_memory("cutting cells by the snow cover", 2 * s->box.size);
}

void banks_forget(wind_state *s) {
    if (!s->cover.bank) return;
    mem_free(s->cover.bank);
    s->cover.bank = NULL;
    s->stale = true;
    wind_set_profile(s);
}

void banks_cut(wind_state *s) {
    for (size_t a = 0; a < s->box.size; a++)
        if (s->cover.bank[a] < s->node[a]) s->node[a] = (int16_t)s->cover.bank[a];
}
