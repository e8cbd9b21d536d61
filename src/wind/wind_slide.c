// Snow of the cover that slides: slopes above the angle of repose, measured from where bodies really end.
#include <math.h>

#include "wind/wind_state.h"

enum { DEEPEST = 64 }; // cells that snow can slide down at once
#define ONE_SLOPE 0.5  // cells that the floor beside may be lower than this one's slope says; else a cliff

// Snow in a column of cells: in cells above the bottom of the cell that is looked at.
typedef struct snow_pile {
    double floor, top;
    const cover_floor *on; // NULL: the bottom of a cell
} snow_pile;

static snow_pile pile_on(const wind_state *s, size_t floor, double bottom, double depth) {
    const cover_floor *on = floors_at(s, floor);
    double up = on ? bottom + (double)on->up : bottom;
    return (snow_pile){up, up + depth, on};
}

// The pile whose uppermost snow is in cell a, or in the one above it.
static snow_pile pile_at(const wind_state *s, size_t a, int32_t j) {
    const wind_cover *c = &s->cover;
    double depth = cover_fill(s, a);
    if (j < s->box.n[1] && !s->owner[a + s->box.row]) depth += cover_fill(s, a + s->box.row);
    int32_t down = 0;
    for (; j - down > 1 && down < DEEPEST && !s->owner[a - s->box.row] && c->mass[a - s->box.row]; down++) {
        a -= s->box.row;
        depth += cover_fill(s, a);
    }
    return pile_on(s, a, -down, depth);
}

// The pile in the column of cell a at or below it; false: a body is there.
static bool pile_beside(const wind_state *s, size_t a, int32_t j, snow_pile *out) {
    if (s->owner[a]) return false;
    *out = (snow_pile){-DEEPEST, -DEEPEST, NULL};
    if (beside_is_other(s, a)) return beside_pile(s, a, j, &out->floor, &out->top);
    for (int32_t down = 0; down < DEEPEST; down++, a -= s->box.row) {
        if (s->cover.mass[a]) {
            *out = pile_at(s, a, j - down);
            out->floor -= down;
            out->top -= down;
            return true;
        }
        if (j - down == 1 || s->owner[a - s->box.row]) {
            *out = pile_on(s, a, -down, 0);
            return true;
        }
    }
    return true;
}

bool cover_top_at(const wind_state *s, size_t a, int32_t j, double *top) {
    snow_pile pile;
    if (!pile_beside(s, a, j, &pile)) return false;
    *top = j - 1 + pile.top;
    return true;
}

// How far the surface falls to the column beside. Over a cliff only to its edge, half a cell away, unless
// the snow below reaches up to it.
static double fall_to(const wind_state *s, const snow_pile *own, size_t a, int32_t j, int axis, int way) {
    snow_pile other;
    if (!pile_beside(s, a, j, &other)) return 0;
    double rise = own->on ? way * (double)own->on->rise[axis / 2] : 0;
    bool cliff = other.floor < own->floor + rise - ONE_SLOPE && other.top < own->floor + 0.5 * rise;
    if (!cliff) return own->top - other.top;
    bool wall = own->on && own->on->steep >= COVER_WALL;
    return 2 * (own->top - own->floor) + (wall ? (double)COVER_WALL : -rise);
}

// The larger fall along an axis, and towards where; 0: none. Outside the domain snow is as high as here.
static double fall_along(const wind_state *s, const snow_pile *own, size_t a, const int32_t at[3], int axis,
                         size_t *to) {
    const size_t step = axis ? s->box.plane : 1;
    double down[2] = {0, 0};
    if (at[axis] > 1) down[0] = fall_to(s, own, a - step, at[1], axis, -1);
    if (at[axis] < s->box.n[axis]) down[1] = fall_to(s, own, a + step, at[1], axis, 1);
    *to = down[1] > down[0] ? a + step : a - step;
    double more = down[1] > down[0] ? down[1] : down[0];
    return more > 0 ? more : 0;
}

// Does a neighbour at this height hold snow, or is it a body or outside the domain? Then the fall towards it
// is no more than this cell's snow is high.
static bool held(const wind_state *s, size_t a, int32_t at, int32_t n, size_t step) {
    const wind_cover *c = &s->cover;
    return (at == 1 || c->mass[a - step] || s->owner[a - step]) &&
           (at == n || c->mass[a + step] || s->owner[a + step]);
}

// Slopes above the angle of repose give to the lower neighbours until a little less steep: sliding snow comes
// to rest below the angle at which it starts.
void cover_slide(wind_state *s, size_t a, const int32_t at[3]) {
    wind_cover *c = &s->cover;
    size_t to_x, to_z;
    double full = cover_capacity(s, c->density[a]), height = c->mass[a] / full;
    bool even = !c->floors.uneven[(size_t)at[2] * s->box.row + (size_t)at[0]];
    if (even && 1.42 * height < c->steepest && held(s, a, at[0], s->box.n[0], 1) &&
        held(s, a, at[2], s->box.n[2], s->box.plane))
        return; // flat: what follows would find the same
    snow_pile own = pile_at(s, a, at[1]);
    double x = fall_along(s, &own, a, at, 0, &to_x), z = fall_along(s, &own, a, at, 2, &to_z);
    double slope = x * x + z * z; // its square
    if (slope <= c->steepest * c->steepest || slope == 0) return;
    bool slippery = own.on && (double)own.on->steep > c->steepest; // nothing stays, however thin
    double wanted = slippery ? 0.5 * height : 0.25 * (sqrt(slope) - 0.97 * c->steepest);
    double amount = fmin(wanted, height) * full;
    double part = x / (x + z);
    cover_hand_over(s, a, to_x, part * amount);
    cover_hand_over(s, a, to_z, (1 - part) * amount);
}
