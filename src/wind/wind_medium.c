// The air as a medium that others are in (body/offers.h): what it does at points, and the impulses that it
// takes up, on the faces around them.
#include <math.h>

#include "wind/wind_state.h"

// A point between eight faces of one axis.
typedef struct face_corner {
    size_t at;  // the first of them
    float f[3]; // 0 .. 1, towards the others
} face_corner;

// fmin and fmax are calls.
static inline double between(double x, double low, double high) {
    return x < low ? low : x < high ? x : high;
}

static face_corner corner_of(const wind_state *s, int axis, const double x[3]) {
    face_corner c = {0};
    for (int k = 0; k < 3; k++) {
        double first = k == axis ? 1 : 0.5, n = s->box.n[k];
        double place = between(x[k] + first, first, n + first), whole = between(floor(place), 0, n);
        c.f[k] = (float)(place - whole);
        c.at += (size_t)whole * (k == 0 ? 1 : k == 1 ? s->box.row : s->box.plane);
    }
    return c;
}

static void in_cells(const wind_state *s, const float at[3], double x[3]) {
    for (int k = 0; k < 3; k++) x[k] = ((double)at[k] - s->low[k]) / s->def.cell;
}

void wind_at(const wind_state *s, const float at[3], float out[3]) {
    double x[3];
    in_cells(s, at, x);
    for (int axis = 0; axis < 3; axis++) {
        face_corner c = corner_of(s, axis, x);
        const float *v = s->v[axis] + c.at;
        float side[2];
        for (int d = 0; d < 2; d++, v += s->box.plane) {
            float low = v[0] + c.f[0] * (v[1] - v[0]);
            float high = v[s->box.row] + c.f[0] * (v[s->box.row + 1] - v[s->box.row]);
            side[d] = low + c.f[1] * (high - low);
        }
        out[axis] = side[0] + c.f[2] * (side[1] - side[0]);
    }
}

void wind_air_at(const void *model, const float at[3], float velocity[3]) { wind_at(model, at, velocity); }

// ---- What it does

typedef enum place { PLACE_AIR, PLACE_CLOSED, PLACE_OUTSIDE } place;

static place place_of(const wind_state *s, const float at[3]) {
    for (int k = 0; k < 3; k++) {
        double x = ((double)at[k] - s->low[k]) / s->def.cell;
        if (!(x >= 0 && x <= s->box.n[k])) return PLACE_OUTSIDE;
    }
    return s->kind[wind_cell(s, at)] == POISSON_FREE ? PLACE_AIR : PLACE_CLOSED;
}

// Outside the domain the wind is undisturbed; behind a wall air is still.
static void outside_at(const wind_state *s, wind_inflow_state now, const float at[3], float out[3]) {
    double x[3];
    in_cells(s, at, x);
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < 3; k++)
        if ((x[k] < 0 && s->side[2 * k] == SIDE_WALL && k != 1) ||
            (x[k] > s->box.n[k] && s->side[2 * k + 1] == SIDE_WALL))
            return;
    int32_t layer = (int32_t)between(floor(x[1]) + 1, 1, s->box.n[1]);
    out[0] = (float)now.x * s->profile[layer];
    out[2] = (float)now.z * s->profile[layer];
}

// The undisturbed wind now. Rounded: the last bits of the time are others after a restart.
static wind_inflow_state inflow_now(const wind_state *s) {
    return wind_inflow_at(s, (double)(float)s->setting.time);
}

static void read(const void *model, size_t count, const float (*at)[3], offer_medium_sample *out) {
    const wind_state *s = model;
    wind_inflow_state now = inflow_now(s);
    for (size_t i = 0; i < count; i++) {
        place p = place_of(s, at[i]);
        const wind_state *around = p == PLACE_OUTSIDE ? around_grid_at(s, at[i]) : NULL;
        if (around && around_is_closed(around, at[i])) p = PLACE_CLOSED;
        out[i] = (offer_medium_sample){.density = p == PLACE_CLOSED ? 0 : (float)AIR_DENSITY,
                                       .temperature = (float)s->setting.air_temperature};
        if (around)
            wind_at(around, at[i], out[i].velocity);
        else if (p == PLACE_OUTSIDE)
            outside_at(s, now, at[i], out[i].velocity);
        else
            wind_at(s, at[i], out[i].velocity);
    }
}

// ---- What it takes up

// The two faces of an axis at the cell of a point, as far as there is air on both of their sides; their
// weights, which sum to 1, and how much of each is open: the air in front of the rest has no share in its
// mass.
typedef struct face_share {
    size_t at[2];
    float weight[2], open[2];
    int count;
} face_share;

static face_share share_of(const wind_state *s, int axis, size_t cell, double f) {
    const size_t step = axis == 0 ? 1 : axis == 1 ? s->box.row : s->box.plane;
    const float near[2] = {(float)(1 - f), (float)f};
    face_share out = {.count = 0};
    float sum = 0;
    for (int k = 0; k < 2; k++) {
        size_t a = k ? cell + step : cell, beside = k ? cell + step : cell - step;
        float open = (float)s->open[axis][a] * (1.0f / POISSON_WHOLE);
        if (!(near[k] * open > 0) || s->kind[beside] != POISSON_FREE) continue;
        out.at[out.count] = a;
        out.open[out.count] = open;
        out.weight[out.count++] = near[k] * open;
        sum += near[k] * open;
    }
    for (int k = 0; k < out.count; k++) out.weight[k] /= sum;
    return out;
}

// False: no air is there to take anything up.
static bool shares_of(const wind_state *s, const float at[3], face_share out[3]) {
    if (place_of(s, at) != PLACE_AIR) return false;
    size_t cell = wind_cell(s, at);
    for (int axis = 0; axis < 3; axis++) {
        double x = ((double)at[axis] - s->low[axis]) / s->def.cell;
        out[axis] = share_of(s, axis, cell, x < s->box.n[axis] ? x - floor(x) : 1);
    }
    return true;
}

static double face_mass(const wind_state *s) { return AIR_DENSITY * s->def.cell * s->def.cell * s->def.cell; }

// The air has changed since it was measured and shown.
static void has_changed(wind_state *s) { s->measured = false, s->air_stale = true; }

static void push(void *model, size_t count, const float (*at)[3], const float (*impulse)[3]) {
    wind_state *s = model;
    const double mass = face_mass(s);
    for (size_t i = 0; i < count; i++) {
        face_share share[3];
        if (!shares_of(s, at[i], share)) continue;
        for (int axis = 0; axis < 3; axis++)
            for (int k = 0; k < share[axis].count; k++)
                s->v[axis][share[axis].at[k]] +=
                    (float)((double)(share[axis].weight[k] / share[axis].open[k]) * (double)impulse[i][axis] /
                            mass);
    }
    if (count > 0) has_changed(s);
}

// ---- Drag. With w the weights of faces and M the mass of a face, what it gives to an item, w J, is scaled
// down where all items at it hold more than M / 2, H = sum(w held): by M / (2 H). So air and items get nearer
// to each other and never pass.

static void hold(wind_state *s, const offer_resistance *item) {
    face_share share[3];
    if (!shares_of(s, item->at, share)) return;
    for (int axis = 0; axis < 3; axis++)
        for (int k = 0; k < share[axis].count; k++)
            s->held[axis][share[axis].at[k]] += share[axis].weight[k] * item->held[axis];
}

static void give(wind_state *s, offer_resistance *item) {
    const double mass = face_mass(s);
    face_share share[3];
    if (!shares_of(s, item->at, share)) return;
    for (int axis = 0; axis < 3; axis++) {
        double sum = 0;
        for (int k = 0; k < share[axis].count; k++) {
            size_t a = share[axis].at[k];
            double own = mass * (double)share[axis].open[k], held = 2 * (double)s->held[axis][a];
            double part = (double)(share[axis].weight[k] * item->impulse[axis]);
            if (held > own) part *= own / held;
            s->v[axis][a] -= (float)(part / own);
            sum += part;
        }
        item->impulse[axis] = (float)sum; // none along an axis along which air cannot go
    }
}

// What is held is 0 between calls.
static void let_go(wind_state *s, const offer_resistance *item) {
    if (place_of(s, item->at) != PLACE_AIR) return;
    size_t cell = wind_cell(s, item->at);
    s->held[0][cell] = s->held[0][cell + 1] = 0;
    s->held[1][cell] = s->held[1][cell + s->box.row] = 0;
    s->held[2][cell] = s->held[2][cell + s->box.plane] = 0;
}

static firn_status make_room(wind_state *s) {
    for (int axis = 0; axis < 3; axis++) {
        if (!s->held[axis]) s->held[axis] = mem_zero(s->box.size, sizeof *s->held[axis]);
        if (!s->held[axis]) return fail_memory("dragging things along", s->box.size * sizeof *s->held[axis]);
    }
    return FIRN_OK;
}

static firn_status drag(void *model, size_t count, offer_resistance *items) {
    wind_state *s = model;
    if (count == 0) return FIRN_OK;
    TRY(make_room(s));
    for (size_t i = 0; i < count; i++) hold(s, &items[i]);
    for (size_t i = 0; i < count; i++) give(s, &items[i]);
    for (size_t i = 0; i < count; i++) let_go(s, &items[i]);
    has_changed(s);
    return FIRN_OK;
}

static const offer_medium medium = {.read = read, .push = push, .drag = drag};
const struct firn_offers wind_offers = {.medium = &medium};
