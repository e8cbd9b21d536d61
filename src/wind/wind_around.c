// Coarser grids around a grid of the wind, each with cells twice as large as the one inside it. Each is a
// wind of its own, with the same bodies, and steps twice as long; it is a step ahead, and what it finds at
// the sides of the inner one is the boundary condition there (one-way nesting: nothing passes back). The wind
// less the undisturbed one is what is handed on, so that an undisturbed wind stays exactly that.
#include <math.h>
#include <string.h>

#include "par/par.h"
#include "wind/wind_state.h"

#define SAME 1e-6 // relative, of lengths and times

// ---- Which grids there are

bool wind_next_grid(const firn_wind_def *def, firn_wind_def *next) {
    const double size[3] = {def->grid.x * def->cell, def->grid.y * def->cell, def->grid.z * def->cell};
    const double domain[3] = {fmax(def->around.x, size[0]), fmax(def->around.y, size[1]),
                              fmax(def->around.z, size[2])};
    bool fills = true;
    for (int d = 0; d < 3; d++) fills = fills && size[d] >= domain[d] * (1 - SAME);
    if (fills) return false;
    *next = *def;
    next->cell = 2 * def->cell;
    bool last = 2 * next->cell > def->around_cell * (1 + SAME); // false for auto
    double n[3];
    for (int d = 0; d < 3; d++)
        n[d] = ceil((last ? domain[d] : fmin(2 * size[d], domain[d])) / next->cell - SAME);
    next->grid = (firn_vec3){n[0], n[1], n[2]};
    return true;
}

// Walls stand at the sides of the whole domain; a grid that ends before them is open there.
static void set_walls(wind_state *s) {
    const double want[3] = {s->def.around.x, s->def.around.y, s->def.around.z};
    double size[3];
    for (int d = 0; d < 3; d++) size[d] = s->box.n[d] * s->def.cell;
    firn_wind_sides_def *sides = &s->def.sides;
    if (size[0] < want[0] * (1 - SAME)) sides->west = sides->east = FIRN_WIND_AIR;
    if (size[1] < want[1] * (1 - SAME)) sides->top = FIRN_WIND_AIR;
    if (size[2] < want[2] * (1 - SAME)) sides->north = sides->south = FIRN_WIND_AIR;
}

around_cost around_cost_of(const firn_wind_def *def) {
    firn_wind_def grid = *def, next;
    around_cost cost = {0};
    double often = 0.5; // steps for each one of the finest grid
    for (int i = 0; i < WIND_MOST_AROUND && wind_next_grid(&grid, &next); i++, grid = next, often /= 2) {
        poisson_box box = poisson_box_of((int32_t)next.grid.x, (int32_t)next.grid.y, (int32_t)next.grid.z);
        double cells = next.grid.x * next.grid.y * next.grid.z;
        cost.cells += cells;
        cost.stepped += often * cells;
        // With the state as it is saved.
        cost.bytes += box.size * (9 * sizeof(float) + 15 + 4 * sizeof(float)) + poisson_bytes(box);
    }
    return cost;
}

double around_height(const wind_state *s) {
    while (s->around.outer) s = s->around.outer;
    return s->box.n[1] * s->def.cell;
}

double around_fastest(const wind_state *s) {
    double fastest = 0;
    for (s = s->around.outer; s; s = s->around.outer) fastest = fmax(fastest, s->fastest);
    return fastest;
}

// ---- What it tells the inner grid

static const int axis_of[SIDES] = {0, 0, 1, 1, 2, 2};

// A point between eight items of an array, of which the first along each axis is at `first` cells.
typedef struct between_eight {
    size_t at;
    double f[3];
} between_eight;

static between_eight find_eight(const wind_state *s, const double x[3], const double first[3]) {
    between_eight out = {.at = 0};
    for (int k = 0; k < 3; k++) {
        // Item 1 is at first[k]; before and beyond the domain values are those at its border.
        double n = s->box.n[k], last = first[k] == 0 ? n + 1 : n;
        double place = fmin(fmax(x[k] - first[k] + 1, 1), last), whole = fmin(floor(place), n);
        out.f[k] = place - whole;
        out.at += (size_t)whole * (k == 0 ? 1 : k == 1 ? s->box.row : s->box.plane);
    }
    return out;
}

static size_t corner(const wind_state *s, const between_eight *e, int c, double *weight) {
    *weight = 1;
    for (int k = 0; k < 3; k++) *weight *= c >> k & 1 ? e->f[k] : 1 - e->f[k];
    return e->at + (c & 1 ? 1 : 0) + (c & 2 ? s->box.row : 0) + (c & 4 ? s->box.plane : 0);
}

// The wind along an axis less the undisturbed one at a point (cells of this grid).
static float disturbance(const wind_state *s, wind_inflow_state now, int axis, const double x[3]) {
    double first[3] = {0.5, 0.5, 0.5}, sum = 0;
    first[axis] = 0;
    between_eight e = find_eight(s, x, first);
    for (int c = 0; c < 8; c++) {
        double weight;
        size_t a = corner(s, &e, c, &weight);
        if (weight == 0) continue;
        float still =
            axis == 1 ? 0 : (float)(axis == 0 ? now.x : now.z) * s->profile[a % s->box.plane / s->box.row];
        sum += weight * (double)(s->v[axis][a] - still);
    }
    return (float)sum;
}

// Pressure over density: between the cells with air.
static float pressure(const wind_state *s, const double x[3]) {
    static const double first[3] = {0.5, 0.5, 0.5};
    between_eight e = find_eight(s, x, first);
    double sum = 0, all = 0;
    for (int c = 0; c < 8; c++) {
        double weight;
        size_t a = corner(s, &e, c, &weight);
        if (weight == 0 || s->kind[a] != POISSON_FREE) continue;
        sum += weight * (double)s->q[a], all += weight;
    }
    return all > 0 && s->last_dt > 0 ? (float)(sum / all * s->def.cell / s->last_dt) : 0;
}

typedef struct tell_work {
    const wind_state *s, *outer;
    wind_inflow_state now;
    int side;
    float *to;
} tell_work;

static void tell_rows(void *context, size_t begin, size_t end) {
    const tell_work *w = context;
    const wind_state *s = w->s, *o = w->outer;
    const int normal = axis_of[w->side], one = normal == 0 ? 1 : 0, two = normal == 2 ? 1 : 2;
    const int32_t n = s->box.n[one] + 2;
    for (int32_t q = (int32_t)begin; q < (int32_t)end; q++)
        for (int32_t p = 0; p < n; p++) {
            float *to = w->to + AROUND_VALUES * ((size_t)q * (size_t)n + (size_t)p);
            double at[3]; // the middle of the cell, in cells
            at[normal] = w->side & 1 ? s->box.n[normal] + 0.5 : -0.5;
            at[one] = p - 0.5, at[two] = q - 0.5;
            for (int value = 0; value < AROUND_VALUES; value++) {
                double x[3] = {at[0], at[1], at[2]};
                if (value == normal) // on the boundary
                    x[normal] = w->side & 1 ? s->box.n[normal] : 0;
                else if (value < 3)
                    x[value] -= 0.5;
                for (int d = 0; d < 3; d++) x[d] = (s->low[d] + x[d] * s->def.cell - o->low[d]) / o->def.cell;
                to[value] = value == 3 ? pressure(o, x) : disturbance(o, w->now, value, x);
            }
        }
}

static void tell(wind_state *s, wind_inflow_state now, float *to) {
    for (int side = 0; side < SIDES; side++) {
        if (side == SIDE_GROUND) continue;
        tell_work w = {s, s->around.outer, now, side, to + s->around.side[side]};
        par_for((size_t)s->box.n[axis_of[side] == 2 ? 1 : 2] + 2, 8, tell_rows, &w);
    }
}

// ---- Steps

// The wind at the sides at the end of a step, between those of the two times that the outer grid knows.
static void interpolate(wind_around *a, double dt, double cell) {
    // The same bits whether times were added up since the start or since a restart.
    double part = a->span > 0 ? fmin(fmax(1 - a->ahead / a->span, 0), 1) : 1;
    float f = (float)(rint(part * 1048576) / 1048576), unit = (float)(dt / cell);
    size_t count = a->side[SIDES];
    for (size_t i = 0; i < count; i++) {
        float value = a->before[i] + f * (a->after[i] - a->before[i]);
        a->now[i] = i % AROUND_VALUES == 3 ? unit * value : value;
    }
}

// What a restart needs of the outer grid, after its step and in each step of this one.
static void pack(const wind_around *a) {
    const size_t size = a->outer->box.size;
    for (int axis = 0; axis < 3; axis++)
        memcpy(a->home + (size_t)axis * size, a->outer->v[axis], size * sizeof *a->home);
    memcpy(a->home + 3 * size, a->outer->q, size * sizeof *a->home);
}

static void note_clock(const wind_around *a) {
    const wind_state *o = a->outer;
    const double now[AROUND_CLOCK] = {a->ahead, a->span, o->last_dt, o->turbulence.blown[0],
                                      o->turbulence.blown[1]};
    memcpy(a->clock, now, sizeof now);
}

firn_status around_step(wind_state *s, body_set *bodies, model_step step) {
    wind_around *a = &s->around;
    wind_state *o = a->outer;
    if (!o) return FIRN_OK;
    a->ahead -= step.dt;
    if (a->ahead < -SAME * step.dt) {
        model_step longer = step;
        longer.time = step.time + step.dt + a->ahead;
        longer.dt = 2 * step.dt;
        TRY(wind_step(o, bodies, longer));
        memcpy(a->before, a->after, a->side[SIDES] * sizeof *a->before);
        tell(s, wind_inflow_at(o, longer.time + longer.dt), a->after);
        a->span = longer.dt;
        a->ahead += longer.dt;
        pack(a);
    }
    note_clock(a);
    interpolate(a, step.dt, s->def.cell);
    return FIRN_OK;
}

// ---- Creation and changes

static firn_status make_sides(wind_state *s) {
    wind_around *a = &s->around;
    size_t count = 0;
    for (int side = 0; side < SIDES; side++) {
        int axis = axis_of[side];
        a->side[side] = count;
        if (side == SIDE_GROUND) continue;
        count += AROUND_VALUES * ((size_t)s->box.n[axis == 0 ? 1 : 0] + 2) *
                 ((size_t)s->box.n[axis == 2 ? 1 : 2] + 2);
    }
    a->side[SIDES] = count;
    a->before = mem_zero(count, sizeof *a->before);
    a->after = mem_zero(count, sizeof *a->after);
    a->now = mem_zero(count, sizeof *a->now);
    return a->before && a->after && a->now ? FIRN_OK
                                           : fail_memory("grids around the wind", 3 * count * sizeof(float));
}

static float *move_side(float **side, size_t count, float *to) {
    memcpy(to, *side, count * sizeof *to);
    mem_free(*side);
    *side = to;
    return to + count;
}

// Arrays of the finest grid for all around it.
static firn_status make_fields(wind_state *s) {
    wind_around *a = &s->around;
    for (const wind_state *in = s; in->around.outer; in = in->around.outer) {
        const wind_state *o = in->around.outer;
        a->grids++;
        a->packed_count += 4 * o->box.size + 2 * in->around.side[SIDES];
        a->air_count += o->air_n[0] * o->air_n[1] * o->air_n[2];
    }
    a->packed = mem_zero(a->packed_count, sizeof *a->packed);
    a->air = mem_zero(a->air_count, sizeof *a->air);
    a->gauges = mem_zero(a->air_count, sizeof *a->gauges);
    a->clocks = mem_zero(AROUND_CLOCK * a->grids, sizeof *a->clocks);
    a->grid = mem_zero(WIND_GRID_SIZE * a->grids, sizeof *a->grid);
    if (!a->packed || !a->air || !a->gauges || !a->clocks || !a->grid)
        return fail_memory("grids around the wind", a->packed_count * sizeof *a->packed);
    float *home = a->packed;
    size_t grid = 0;
    for (wind_around *in = a; in->outer; in = &in->outer->around, grid++) {
        memcpy(a->grid + grid * WIND_GRID_SIZE, in->outer->grid, sizeof in->outer->grid);
        in->home = home, home += 4 * in->outer->box.size;
        home = move_side(&in->before, in->side[SIDES], home);
        home = move_side(&in->after, in->side[SIDES], home);
        in->clock = a->clocks + grid * AROUND_CLOCK;
        pack(in);
        note_clock(in);
    }
    return FIRN_OK;
}

firn_status around_create(wind_state *s, const body_set *bodies) {
    wind_around *a = &s->around;
    firn_wind_def next;
    bool any = wind_next_grid(&s->def, &next);
    if (any) {
        TRY(wind_create_grid(&next, &s->setting, bodies, s->watch, true, &a->outer));
        TRY(make_sides(s));
        if (!s->setting.for_frames) {
            tell(s, wind_inflow_at(a->outer, 0), a->after);
            memcpy(a->before, a->after, a->side[SIDES] * sizeof *a->before);
            interpolate(a, 0, s->def.cell);
        }
        if (!s->is_around) TRY(make_fields(s));
    }
    set_walls(s);
    return FIRN_OK;
}

void around_destroy(wind_state *s) {
    wind_around *a = &s->around;
    if (a->outer) wind_destroy(a->outer);
    if (!a->home) mem_free(a->before);
    if (!a->home) mem_free(a->after);
    mem_free(a->now);
    mem_free(a->packed);
    mem_free(a->air);
    mem_free(a->gauges);
    mem_free(a->clocks);
    mem_free(a->grid);
}

void around_changed(wind_state *s, const firn_wind_def *def, const model_setting *setting) {
    firn_wind_def next;
    set_walls(s);
    if (!s->around.outer || !wind_next_grid(def, &next)) return;
    wind_take_grid(s->around.outer, &next, setting);
}

// ---- Points outside the finest grid

const wind_state *around_grid_at(const wind_state *s, const float at[3]) {
    for (s = s->around.outer; s; s = s->around.outer) {
        bool inside = true;
        for (int k = 0; k < 3; k++) {
            double x = ((double)at[k] - s->low[k]) / s->def.cell;
            inside = inside && x >= 0 && x <= s->box.n[k];
        }
        if (inside) return s;
    }
    return NULL;
}

// Bodies that move are where they were when this grid stepped, which a restart does not know.
bool around_is_closed(const wind_state *s, const float at[3]) {
    return s->fixed_owner[wind_cell(s, at)] != 0;
}

// ---- Fields

void around_unpack(wind_state *s) {
    for (wind_around *a = &s->around; a->outer; a = &a->outer->around) {
        wind_state *o = a->outer;
        const size_t size = o->box.size;
        for (int axis = 0; axis < 3; axis++)
            memcpy(o->v[axis], a->home + (size_t)axis * size, size * sizeof *a->home);
        memcpy(o->q, a->home + 3 * size, size * sizeof *a->home);
        a->ahead = a->clock[0], a->span = a->clock[1], o->last_dt = a->clock[2];
        o->turbulence.blown[0] = a->clock[3], o->turbulence.blown[1] = a->clock[4];
        o->measured = false;
        o->stale = o->air_stale = true;
    }
}

void around_show(wind_state *s) {
    wind_around *a = &s->around;
    float(*air)[3] = a->air, (*gauges)[WIND_GAUGES] = a->gauges;
    double *grid = a->grid;
    for (wind_state *o = a->outer; o; o = o->around.outer, grid += WIND_GRID_SIZE) {
        size_t count = o->air_n[0] * o->air_n[1] * o->air_n[2];
        wind_show(o);
        memcpy(grid, o->grid, sizeof o->grid);
        memcpy(air, o->air, count * sizeof *air), air += count;
        memcpy(gauges, o->gauges, count * sizeof *gauges), gauges += count;
    }
}
