// Warm air rises: what bodies with a temperature give to the air, how the air carries it along, and what it
// lifts. Warmth is K above the undisturbed air, one number for each cell.
//
// The air carries it by what flows through each face (so none is lost), upwind with a limited slope, in parts
// of a step short enough to stay monotone. A surface gives h (T - T_air) per area: by the law of the wall
// where wind blows along it, as for momentum, and 1.5 W/m2K per K^(1/3) where it rises on its own (Nu = 0.13
// Ra^(1/3) of turbulent free convection, in air near 0 C). Gravity acts on the difference in density
// (Boussinesq).
#include <math.h>
#include <string.h>

#include "par/par.h"
#include "wind/wind_state.h"

enum { PLANES = 4 };
#define HEAT_OF_AIR (AIR_DENSITY * 1005) // J/m3K
#define MOST_OUT 0.6                     // of a cell's air in a part of a step
#define FREE_EXCHANGE 1.5                // W/m2K per K^(1/3)
#define SMOOTH_EXCHANGE 0.003            // of the speed, where there is no roughness
#define KARMAN 0.4
#define TURBULENT_PRANDTL 0.85f

// The body under each column of cells, from 1: cells below the bottom of the domain belong to none.
static void find_ground(wind_state *s, const body_set *bodies) {
    const double h = s->def.cell;
    for (size_t b = 0; b < body_count(bodies); b++) {
        if (body_motion(bodies, b) != FIRN_MOTION_FIXED || isnan(body_temperature(bodies, b))) continue;
        for (int32_t k = 0; k < s->box.n[2]; k++)
            for (int32_t i = 0; i < s->box.n[0]; i++) {
                float x = (float)(s->low[0] + (i + 0.5) * h), y = (float)(s->low[1] - 0.5 * h),
                      z = (float)(s->low[2] + (k + 0.5) * h), distance;
                body_query(bodies, b, 1, &x, &y, &z, &distance, NULL, NULL, NULL);
                if (distance < 0) s->warmth.ground[k * s->box.n[0] + i] = (uint16_t)(b + 1);
            }
    }
}

firn_status warmth_create(wind_state *s, const body_set *bodies) {
    if (!s->def.buoyancy || s->is_around) return FIRN_OK;
    size_t columns = (size_t)s->box.n[0] * (size_t)s->box.n[2];
    s->warmth.air = mem_zero(s->box.size, sizeof *s->warmth.air);
    s->warmth.ground = mem_zero(columns, sizeof *s->warmth.ground);
    if (!s->warmth.air || !s->warmth.ground)
        return fail_memory("warm air", s->box.size * sizeof *s->warmth.air);
    if (!s->setting.for_frames) find_ground(s, bodies);
    return FIRN_OK;
}

void warmth_destroy(wind_warmth *w) {
    mem_free(w->air);
    mem_free(w->ground);
}

// ---- The air carries it

typedef struct carry_work {
    wind_state *s;
    float scale; // of a part of a step: seconds over the cell
} carry_work;

static void outflow_planes(void *context, size_t begin, size_t end, void *partial) {
    const wind_state *s = context;
    const size_t step[3] = {1, s->box.row, s->box.plane};
    float *most = partial;
    for (int32_t k = (int32_t)begin + 1; k <= (int32_t)end; k++)
        for (int32_t j = 1; j <= s->box.n[1]; j++)
            for (int32_t i = 1; i <= s->box.n[0]; i++) {
                size_t c = poisson_at(&s->box, i, j, k);
                float out = 0;
                for (int d = 0; d < 3 && s->kind[c] == POISSON_FREE; d++)
                    out += fmaxf(s->v[d][c + step[d]], 0) - fminf(s->v[d][c], 0);
                *most = fmaxf(*most, out);
            }
}

static void join_most(void *into, const void *from) {
    *(float *)into = fmaxf(*(float *)into, *(const float *)from);
}

static float slope_of(float before, float own, float after) { // minmod
    float a = own - before, b = after - own;
    return a * b <= 0 ? 0 : fabsf(a) < fabsf(b) ? a : b;
}

// K m/s through the face of an axis before cell c. What comes from outside is undisturbed; what comes out of
// a body is like the air beside it.
static float carried(const wind_state *s, int axis, size_t c, bool first, bool last) {
    const size_t step = axis == 0 ? 1 : axis == 1 ? s->box.row : s->box.plane;
    const float v = s->v[axis][c], *warm = s->warmth.air;
    bool here = s->kind[c] == POISSON_FREE, there = s->kind[c - step] == POISSON_FREE;
    if (v == 0 || (!here && !there)) return 0;
    size_t from = v > 0 ? c - step : c, to = v > 0 ? c : c - step;
    if (s->kind[from] != POISSON_FREE) return first || last ? 0 : v * warm[to];
    size_t behind = v > 0 ? from - step : from + step;
    if (!here || !there || s->kind[behind] != POISSON_FREE) return v * warm[from];
    return v * (warm[from] + 0.5f * slope_of(warm[behind], warm[from], warm[to]));
}

static void flow_planes(void *context, size_t begin, size_t end) {
    const carry_work *w = context;
    wind_state *s = w->s;
    const int32_t *n = s->box.n;
    for (int32_t k = (int32_t)begin + 1; k <= (int32_t)end; k++)
        for (int32_t j = 1; j <= n[1] + 1; j++)
            for (int32_t i = 1; i <= n[0] + 1; i++) {
                size_t c = poisson_at(&s->box, i, j, k);
                const int32_t at[3] = {i, j, k};
                for (int axis = 0; axis < 3; axis++) {
                    bool beside = true; // of a cell
                    for (int d = 0; d < 3; d++) beside = beside && (d == axis || at[d] <= n[d]);
                    bool first = at[axis] == 1, last = at[axis] == n[axis] + 1;
                    if (beside) s->next[axis][c] = w->scale * carried(s, axis, c, first, last);
                }
            }
}

static void gather_planes(void *context, size_t begin, size_t end) {
    const carry_work *w = context;
    wind_state *s = w->s;
    float *const *f = s->next;
    for (int32_t k = (int32_t)begin + 1; k <= (int32_t)end; k++)
        for (int32_t j = 1; j <= s->box.n[1]; j++)
            for (int32_t i = 1; i <= s->box.n[0]; i++) {
                size_t c = poisson_at(&s->box, i, j, k);
                if (s->kind[c] != POISSON_FREE) continue;
                s->warmth.air[c] += (f[0][c] - f[0][c + 1]) + (f[1][c] - f[1][c + s->box.row]) +
                                    (f[2][c] - f[2][c + s->box.plane]);
            }
}

// K cells that flow out through a side.
static double leaving(const wind_state *s, int axis, bool high) {
    const int one = axis == 0 ? 1 : 0, two = axis == 2 ? 1 : 2;
    double sum = 0;
    int32_t at[3];
    at[axis] = high ? s->box.n[axis] + 1 : 1;
    for (at[two] = 1; at[two] <= s->box.n[two]; at[two]++)
        for (at[one] = 1; at[one] <= s->box.n[one]; at[one]++)
            sum += (double)s->next[axis][poisson_at(&s->box, at[0], at[1], at[2])];
    return high ? sum : -sum;
}

// Warm air in cells that bodies have closed since is gone.
static double close_in(wind_state *s) {
    double sum = 0;
    for (size_t c = 0; c < s->box.size; c++) {
        if (s->kind[c] == POISSON_FREE || s->warmth.air[c] == 0) continue;
        sum += (double)s->warmth.air[c];
        s->warmth.air[c] = 0;
    }
    return sum;
}

static double heat_of_cell(const wind_state *s) { // J/K
    return HEAT_OF_AIR * s->def.cell * s->def.cell * s->def.cell;
}

firn_status warmth_carry(wind_state *s, double dt) {
    if (!s->warmth.air) return FIRN_OK;
    double gone = close_in(s);
    float most = 0;
    wind_find_fluxes(s);
    wind_swap_fluxes(s);
    firn_status status =
        par_reduce((size_t)s->box.n[2], PLANES, sizeof most, outflow_planes, join_most, s, &most);
    double all = dt / s->def.cell, parts = fmax(ceil((double)most * all / MOST_OUT), 1);
    carry_work w = {s, (float)(all / parts)};
    for (double part = 0; part < parts && status == FIRN_OK; part++) {
        par_for((size_t)s->box.n[2] + 1, PLANES, flow_planes, &w);
        par_for((size_t)s->box.n[2], PLANES, gather_planes, &w);
        for (int side = 0; side < SIDES; side++) gone += leaving(s, side / 2, side & 1);
    }
    wind_swap_fluxes(s);
    s->warmth.sum[WARMTH_LEFT] += heat_of_cell(s) * gone;
    return status;
}

// Eddies below a cell mix warmth as they mix momentum; eddy: their viscosity dt / cell^2, of each cell.
static void mix_planes(void *context, size_t begin, size_t end) {
    const carry_work *w = context;
    wind_state *s = w->s;
    const int32_t *n = s->box.n;
    const size_t step[3] = {1, s->box.row, s->box.plane};
    const float *eddy = s->b, *warm = s->warmth.air;
    for (int32_t k = (int32_t)begin + 1; k <= (int32_t)end; k++)
        for (int32_t j = 1; j <= n[1] + 1; j++)
            for (int32_t i = 1; i <= n[0] + 1; i++) {
                size_t c = poisson_at(&s->box, i, j, k);
                for (int d = 0; d < 3; d++) {
                    size_t there = c - step[d];
                    bool air = s->kind[c] == POISSON_FREE && s->kind[there] == POISSON_FREE;
                    float open = (float)s->open[d][c] * (1.0f / POISSON_WHOLE);
                    s->next[d][c] =
                        air ? w->scale * open * (eddy[c] + eddy[there]) * (warm[there] - warm[c]) : 0;
                }
            }
}

void warmth_mix(wind_state *s) {
    if (!s->warmth.air) return;
    carry_work w = {s, 0.5f / TURBULENT_PRANDTL};
    par_for((size_t)s->box.n[2] + 1, PLANES, mix_planes, &w);
    par_for((size_t)s->box.n[2], PLANES, gather_planes, &w);
}

// ---- Surfaces give it

typedef struct warm_work {
    wind_state *s;
    const body_set *bodies;
    double dt, along; // the latter: exchange of a surface over the speed along it
} warm_work;

// Area of the surface in a cell, of that of a face, and the way out of it: what of its faces is closed.
// ground: the bottom of the domain is one.
static double surface_of(const wind_state *s, size_t c, bool ground, double normal[3]) {
    const size_t step[3] = {1, s->box.row, s->box.plane};
    double square = 0;
    for (int d = 0; d < 3; d++) {
        int shut = ground && d == 1 ? POISSON_WHOLE : s->open[d][c + step[d]] - s->open[d][c];
        normal[d] = shut * (1.0 / POISSON_WHOLE);
        square += normal[d] * normal[d];
    }
    return sqrt(square);
}

static double temperature_behind(const warm_work *w, size_t c, const double normal[3]) {
    const wind_state *s = w->s;
    const size_t step[3] = {1, s->box.row, s->box.plane};
    int d = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(normal[k]) > fabs(normal[d])) d = k;
    size_t behind = normal[d] > 0 ? c - step[d] : c + step[d];
    uint16_t owner = s->owner[behind] ? s->owner[behind] : s->owner[c];
    return owner ? body_temperature(w->bodies, owner - 1u) : (double)NAN;
}

// Returns K that a cell gains.
static double warm_cell(const warm_work *w, size_t c, uint16_t ground) {
    const wind_state *s = w->s;
    double normal[3], area = surface_of(s, c, ground > 0, normal);
    if (!(area > 0)) return 0;
    double body = ground ? body_temperature(w->bodies, ground - 1u) : temperature_behind(w, c, normal);
    double own = (double)s->warmth.air[c];
    if (isnan(body)) return 0;
    double above = body - s->setting.air_temperature, speed2 = 0;
    const size_t step[3] = {1, s->box.row, s->box.plane};
    for (int d = 0; d < 3; d++) {
        double v = 0.5 * ((double)s->v[d][c] + (double)s->v[d][c + step[d]]);
        speed2 += v * v;
    }
    double exchange = w->along * sqrt(speed2) + FREE_EXCHANGE / HEAT_OF_AIR * cbrt(fabs(above - own)); // m/s
    double share = exchange * area * w->dt / s->def.cell;
    return (above - own) * (share / (1 + share));
}

static void warm_planes(void *context, size_t begin, size_t end, void *partial) {
    const warm_work *w = context;
    const wind_state *s = w->s;
    double *sum = partial;
    for (int32_t k = (int32_t)begin + 1; k <= (int32_t)end; k++)
        for (int32_t j = 1; j <= s->box.n[1]; j++)
            for (int32_t i = 1; i <= s->box.n[0]; i++) {
                size_t c = poisson_at(&s->box, i, j, k);
                if (s->kind[c] != POISSON_FREE || (j > 1 && s->obstacle_distance[c] > 1)) continue;
                uint16_t ground = j > 1 ? 0 : s->warmth.ground[(k - 1) * s->box.n[0] + i - 1];
                float before = s->warmth.air[c];
                s->warmth.air[c] = (float)((double)before + warm_cell(w, c, ground));
                *sum += (double)s->warmth.air[c] - (double)before;
            }
}

static void join_sum(void *into, const void *from) { *(double *)into += *(const double *)from; }

firn_status warmth_give(wind_state *s, const body_set *bodies, double dt) {
    if (!s->warmth.air) return FIRN_OK;
    double z0 = s->def.roughness, law = z0 > 0 ? KARMAN / log1p(0.5 * s->def.cell / z0) : 0, sum = 0;
    warm_work w = {s, bodies, dt, z0 > 0 ? law * law : SMOOTH_EXCHANGE};
    TRY(par_reduce((size_t)s->box.n[2], PLANES, sizeof sum, warm_planes, join_sum, &w, &sum));
    s->warmth.sum[WARMTH_GIVEN] += heat_of_cell(s) * sum;
    return FIRN_OK;
}

// ---- and it rises

typedef struct lift_work {
    wind_state *s;
    double fall[3]; // m/s, what gravity adds in the step
} lift_work;

// Share of its weight that the air on one side of a face lacks.
static double lightness(const wind_state *s, size_t c) {
    double warm = (double)s->warmth.air[c];
    return warm / (s->setting.air_temperature + 273.15 + warm);
}

static void lift_planes(void *context, size_t begin, size_t end) {
    const lift_work *w = context;
    wind_state *s = w->s;
    const size_t step[3] = {1, s->box.row, s->box.plane};
    for (int32_t k = (int32_t)begin + 1; k <= (int32_t)end; k++)
        for (int32_t j = 1; j <= s->box.n[1] + 1; j++)
            for (int32_t i = 1; i <= s->box.n[0] + 1; i++) {
                size_t c = poisson_at(&s->box, i, j, k);
                for (int d = 0; d < 3; d++) {
                    bool here = s->kind[c] == POISSON_FREE, there = s->kind[c - step[d]] == POISSON_FREE;
                    if (w->fall[d] == 0 || (!here && !there)) continue;
                    double light = (here ? lightness(s, c) : 0) + (there ? lightness(s, c - step[d]) : 0);
                    s->v[d][c] -= (float)(w->fall[d] * light / (here + there));
                }
            }
}

void warmth_lift(wind_state *s, double dt) {
    if (!s->warmth.air) return;
    const firn_vec3 g = s->setting.gravity;
    lift_work w = {s, {g.x * dt, g.y * dt, g.z * dt}};
    par_for((size_t)s->box.n[2] + 1, PLANES, lift_planes, &w);
}

// ---- shown

static bool has_warmth(const void *model) { return ((const wind_state *)model)->warmth.air; }

static void get_series(const void *model, double *out) {
    const wind_state *s = model;
    double sum = 0, most = 0;
    for (size_t c = 0; c < s->box.size; c++) {
        sum += (double)s->warmth.air[c];
        most = fmax(most, fabs((double)s->warmth.air[c]));
    }
    out[0] = s->warmth.sum[WARMTH_GIVEN];
    out[1] = s->warmth.sum[WARMTH_LEFT];
    out[2] = heat_of_cell(s) * sum;
    out[3] = most;
}

static const series_row rows[] = {
    {"warm air", "from bodies", "J", "heat that bodies and ground gave to the air since the start"},
    {"warm air", "left", "J", "heat of the air that left through the sides"},
    {"warm air", "there", "J", "heat of the air above that of the undisturbed air"},
    {"largest warmth", "", "K", "largest difference between the air and the undisturbed air"},
};
const series_table warmth_series = SERIES_TABLE(rows, has_warmth, get_series);
