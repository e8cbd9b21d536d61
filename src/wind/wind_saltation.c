// Saltation: the part of the drift that hops along the surface. A layer in the cells that hold the surface,
// which takes snow up and drops it within `drift_length` until it carries as much as the wind there can.
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "par/par.h"
#include "wind/wind_state.h"

enum { SLAB = 8, STREAM_SALTATION = 0x73616c74, STREAM_SALTATION_IN };
#define FASTEST 0.5 // cells in a step
#define CALM 1.0    // m/s: where the wind is slower grains come to rest as fast as in this one

firn_status saltation_create(wind_state *s) {
    wind_saltation *salt = &s->cover.saltation;
    salt->mass = mem_zero(s->box.size, sizeof *salt->mass);
    salt->row_has = mem_zero(s->box.size / s->box.row, 1);
    if (salt->mass && salt->row_has) return FIRN_OK;
    return fail_memory("creating drifting snow", 4 * s->box.size);
}

void saltation_destroy(wind_saltation *salt) {
    mem_free(salt->mass);
    mem_free(salt->row_has);
}

uint64_t saltation_units(const wind_state *s) {
    const wind_saltation *salt = &s->cover.saltation;
    uint64_t sum = 0;
    for (size_t row = 0; salt->mass && row < s->box.size / s->box.row; row++)
        for (size_t i = 0; i < s->box.row && salt->row_has[row]; i++) sum += salt->mass[row * s->box.row + i];
    return sum;
}

// The cell of the same column that holds the surface: up through snow, down through air.
static size_t surface_of(const wind_state *s, size_t a) {
    const size_t row = s->box.row;
    size_t layer = a % s->box.plane / row, most = (size_t)s->box.n[1];
    while (layer < most && s->cover.mass[a + row] && !s->owner[a + row]) a += row, layer++;
    while (layer > 1 && !s->cover.mass[a] && !s->owner[a - row]) a -= row, layer--;
    return a;
}

// How the wind carries snow along the surface in a cell.
typedef struct saltation_flow {
    double full;  // units that the wind there can carry
    double speed; // m/s
    double to[2]; // along x and z: shares of the mass that leave the cell in this step
} saltation_flow;

static saltation_flow flow_at(const wind_state *s, size_t a, double dt) {
    saltation_flow out = {0};
    size_t air = drift_air_over(s, a);
    if (s->kind[air] != POISSON_FREE) return out;
    double u = 0.5 * (double)(s->v[0][air] + s->v[0][air + 1]),
           w = 0.5 * (double)(s->v[2][air] + s->v[2][air + s->box.plane]), along = hypot(u, w);
    if (!(along > 0)) return out;
    const firn_cover_def *def = &s->cover.def;
    double h = s->def.cell, transport = drift_transport(s, drift_friction_speed(s, a));
    out.speed = fmin(along, FASTEST * h / dt);
    if (!def->drift) return out;
    out.full = def->drift_rate * def->saltation * transport * h * h / (out.speed * s->cover.unit);
    out.to[0] = out.speed * dt / h * u / along, out.to[1] = out.speed * dt / h * w / along;
    return out;
}

static uint32_t rounded(double x, float random) {
    return x > 0 ? (uint32_t)fmin(floor(x + (double)random), 1e9) : 0;
}

// From the snow in cell a and below it.
static uint32_t take_up(wind_state *s, size_t a, uint32_t wanted) {
    uint32_t left = wanted;
    for (; left && s->cover.mass[a]; a -= s->box.row) {
        uint32_t part = s->cover.mass[a] < left ? s->cover.mass[a] : left;
        s->cover.mass[a] -= part;
        left -= part;
    }
    return wanted - left;
}

// dQ/dx = (full - Q) / length, over what goes by in this step.
static void exchange(wind_state *s, size_t a, const saltation_flow *flow, double dt, float random) {
    uint32_t *mass = &s->cover.saltation.mass[a];
    double part = -expm1(-fmax(flow->speed, CALM) * dt / s->cover.def.drift_length);
    double more = part * (flow->full - *mass);
    if (more > 0) {
        *mass += take_up(s, a, rounded(more, random));
        return;
    }
    uint32_t falls = rounded(-more, random);
    if (falls > *mass) falls = *mass;
    *mass -= falls;
    cover_put(s, a, falls);
}

typedef struct saltation_work {
    wind_state *s;
    model_step step;
    int32_t *out[2]; // units that leave each cell along x and z; of rows that had some
    uint8_t *had;    // of each row
    size_t first;    // slab
    uint64_t *left;  // of each plane: units that left the domain
} saltation_work;

static void exchange_row(const saltation_work *w, size_t row) {
    wind_state *s = w->s;
    wind_saltation *salt = &s->cover.saltation;
    for (int d = 0; d < 2; d++) memset(w->out[d] + row, 0, s->box.row * sizeof(int32_t));
    for (size_t a = row + 1; a <= row + (size_t)s->box.n[0]; a++) {
        if (!salt->mass[a] && (!s->cover.mass[a] || s->cover.mass[a + s->box.row])) continue;
        size_t at = surface_of(s, a);
        if (at != a) { // the surface has risen or sunk
            salt->mass[at] += salt->mass[a];
            salt->mass[a] = 0;
            salt->row_has[at / s->box.row] = 1;
            continue;
        }
        saltation_flow flow = flow_at(s, a, w->step.dt);
        random4 r = random_bits(s->setting.seed, a, (uint32_t)w->step.step, STREAM_SALTATION);
        exchange(s, a, &flow, w->step.dt, random_unit(r, 0));
        for (int d = 0; d < 2; d++) {
            uint32_t goes = rounded(fabs(flow.to[d]) * salt->mass[a], random_unit(r, 1 + d));
            w->out[d][a] = flow.to[d] < 0 ? -(int32_t)goes : (int32_t)goes;
        }
    }
}

static bool holds_saltation(const wind_state *s, size_t row) {
    for (size_t i = 1; i <= (size_t)s->box.n[0]; i++)
        if (s->cover.saltation.mass[row + i]) return true;
    return false;
}

static void exchange_planes(void *context, size_t begin, size_t end) {
    const saltation_work *w = context;
    wind_state *s = w->s;
    wind_saltation *salt = &s->cover.saltation;
    for (size_t k = begin + 1; k <= end; k++)
        for (int32_t j = 1; j < s->box.n[1]; j++) {
            size_t row = poisson_at(&s->box, 0, j, (int32_t)k), n = row / s->box.row;
            w->had[n] = salt->row_has[n] || s->cover.row_has_snow[n];
            if (!w->had[n]) continue;
            exchange_row(w, row);
            salt->row_has[n] = holds_saltation(s, row);
        }
}

// Where snow goes that leaves a cell: up by one cell at most, down as far as air is. The cell itself:
// nowhere.
static size_t beyond(const wind_state *s, size_t a, size_t step, bool back) {
    size_t b = back ? a - step : a + step, row = s->box.row;
    if (s->owner[b] || cover_is_full(s, b)) b += row;
    if (s->owner[b] || cover_is_full(s, b) || b % s->box.plane / row > (size_t)s->box.n[1]) return a;
    return surface_of(s, b);
}

static void move(const saltation_work *w, size_t a, size_t k, int d) {
    wind_state *s = w->s;
    wind_saltation *salt = &s->cover.saltation;
    int32_t out = w->out[d][a];
    if (!out) return;
    uint32_t goes = (uint32_t)(out < 0 ? -out : out);
    if (goes > salt->mass[a]) goes = salt->mass[a];
    const int axis = 2 * d;
    size_t place = axis ? k : a % s->box.row;
    bool leaves = out < 0 ? place == 1 : place == (size_t)s->box.n[axis];
    if (leaves) {
        if (s->side[2 * axis + (out > 0)] == SIDE_WALL) return;
        salt->mass[a] -= goes;
        w->left[k] += goes;
        return;
    }
    size_t to = beyond(s, a, axis ? s->box.plane : 1, out < 0);
    salt->mass[a] -= goes;
    salt->mass[to] += goes;
    salt->row_has[to / s->box.row] = 1;
}

static void move_slab(void *context, size_t n) {
    const saltation_work *w = context;
    const poisson_box *box = &w->s->box;
    const int32_t low = (int32_t)(w->first + 2 * n) * SLAB,
                  high = low + SLAB < box->n[2] ? low + SLAB : box->n[2];
    for (int32_t k = low + 1; k <= high; k++)
        for (int32_t j = 1; j < box->n[1]; j++) {
            size_t row = poisson_at(box, 0, j, k);
            if (!w->had[row / box->row]) continue;
            for (size_t a = row + 1; a <= row + (size_t)box->n[0]; a++)
                for (int d = 0; d < 2; d++) move(w, a, (size_t)k, d);
        }
}

// The ground before the domain is like that behind its border: where snow lies there, the layer comes in
// full.
static void blow_in(wind_state *s, size_t column, int side, model_step step) {
    const int axis = side / 2;
    size_t a = surface_of(s, column);
    if (!s->cover.mass[a]) return;
    saltation_flow flow = flow_at(s, a, step.dt);
    double inward = (side & 1 ? -1 : 1) * flow.to[axis / 2];
    random4 r = random_bits(s->setting.seed, a, (uint32_t)step.step, STREAM_SALTATION_IN);
    uint32_t more = rounded(inward * flow.full, random_unit(r, side & 3));
    s->cover.saltation.mass[a] += more;
    s->cover.saltation.row_has[a / s->box.row] = 1;
    s->cover.saltation.counters[SALTATION_IN] += more;
}

static void blow_in_all(wind_state *s, model_step step) {
    for (int side = 0; side < SIDES; side++) {
        if (s->side[side] != SIDE_INFLOW || side / 2 == 1) continue;
        const int axis = side / 2, across = 2 - axis;
        for (int32_t n = 1; n <= s->box.n[across]; n++) {
            int32_t last = side & 1 ? s->box.n[axis] : 1;
            blow_in(s, poisson_at(&s->box, axis ? n : last, 1, axis ? last : n), side, step);
        }
    }
}

firn_status saltation_step(wind_state *s, model_step step) {
    wind_saltation *salt = &s->cover.saltation;
    if (!salt->mass) return FIRN_OK;
    const size_t slabs = ((size_t)s->box.n[2] + SLAB - 1) / SLAB;
    saltation_work w = {s,
                        step,
                        {(int32_t *)s->next[0], (int32_t *)s->next[1]},
                        (uint8_t *)s->hat,
                        0,
                        (uint64_t *)s->next[2]};
    memset(w.left, 0, ((size_t)s->box.n[2] + 2) * sizeof *w.left);
    blow_in_all(s, step);
    par_for((size_t)s->box.n[2], 2, exchange_planes, &w);
    for (w.first = 0; w.first < 2; w.first++) par_tasks((slabs + 1 - w.first) / 2, move_slab, &w);
    for (int32_t k = 1; k <= s->box.n[2]; k++) salt->counters[SALTATION_OUT] += w.left[k];
    return FIRN_OK;
}
