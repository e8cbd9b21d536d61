// What a program digs out of the snow cover, heaps onto it and heats, between two steps. Mass comes and goes
// in whole simulated flakes: as flakes that land, and as flakes that are lifted and leave.
#include <math.h>

#include "snow/snow_column.h"
#include "wind/wind_state.h"

typedef void on_cell(wind_state *s, size_t a, int32_t i, int32_t k, void *context);

// Calls `act` for all cells with snow whose middle is inside.
static void each_inside(wind_state *s, const model_region *region, on_cell *act, void *context) {
    double cell = s->def.cell;
    for (int32_t k = 1; k <= s->box.n[2]; k++)
        for (int32_t j = 1; j <= s->box.n[1]; j++) {
            size_t row = poisson_at(&s->box, 0, j, k);
            if (!s->cover.row_has_snow[row / s->box.row]) continue;
            for (int32_t i = 1; i <= s->box.n[0]; i++) {
                firn_vec3 at = {s->low[0] + (i - 0.5) * cell, s->low[1] + (j - 0.5) * cell,
                                s->low[2] + (k - 0.5) * cell};
                if (s->cover.mass[row + (size_t)i] && model_region_has(region, at))
                    act(s, row + (size_t)i, i, k, context);
            }
        }
}

static void count_units(wind_state *s, size_t a, int32_t i, int32_t k, void *context) {
    (void)i, (void)k;
    *(uint64_t *)context += s->cover.mass[a];
}

static void take_units(wind_state *s, size_t a, int32_t i, int32_t k, void *context) {
    (void)i, (void)k;
    uint64_t *left = context;
    uint32_t gone = *left < s->cover.mass[a] ? (uint32_t)*left : s->cover.mass[a];
    s->cover.mass[a] -= gone;
    *left -= gone;
}

static firn_status take_out(void *model, const model_region *region) {
    wind_state *s = model;
    uint64_t units = 0;
    if (region->item || !s->cover.on) return FIRN_OK;
    each_inside(s, region, count_units, &units);
    uint64_t flakes = units / COVER_PARTS, left = flakes * COVER_PARTS;
    each_inside(s, region, take_units, &left);
    s->flakes.counters[FLAKES_LIFTED] += flakes;
    s->flakes.counters[FLAKES_LEFT] += flakes;
    s->air_stale = true;
    return FIRN_OK;
}

typedef struct warming {
    double each; // J/kg
} warming;

static void warm(wind_state *s, size_t a, int32_t i, int32_t k, void *context) {
    const warming *w = context;
    cover_heat *h = &s->cover.heat;
    double unit = s->cover.unit / (s->def.cell * s->def.cell);
    size_t c = (size_t)(k - 1) * (size_t)s->box.n[0] + (size_t)(i - 1);
    double mass = unit * (double)h->mass[c], least = -90 * SNOW_ICE_CAPACITY * mass;
    if (!(mass > 0)) return; // it came after the last step
    double most = SNOW_LATENT * mass, now = h->heat[c], then = now + w->each * unit * s->cover.mass[a];
    then = fmin(fmax(then, fmin(now, least)), fmax(now, most));
    double melts = snow_column_water(mass, then) - snow_column_water(mass, now);
    h->heat[c] = then;
    h->sum[COVER_AIR] += then - now;
    if (melts > 0) h->sum[COVER_MELTED] += melts;
}

// Counted with the heat that it takes from the air.
static bool heat(void *model, const model_region *region, double each) {
    wind_state *s = model;
    if (!s->cover.on || !s->cover.heat.on) return false;
    each_inside(s, region, warm, &(warming){each});
    s->air_stale = true;
    return true;
}

// The lowest cell of a column below which there is only snow or a body; it may be full.
static size_t top_of(const wind_state *s, int32_t i, int32_t k) {
    size_t a = poisson_at(&s->box, i, 1, k);
    for (int32_t j = s->box.n[1]; j > 1; j--) {
        size_t at = poisson_at(&s->box, i, j, k);
        if (s->cover.mass[at] || s->owner[at - s->box.row]) return at;
    }
    return a;
}

static double weight(const wind_state *s, const double heap[3], int32_t i, int32_t k) {
    double dx = s->low[0] + (i - 0.5) * s->def.cell - heap[0],
           dz = s->low[2] + (k - 0.5) * s->def.cell - heap[1];
    double r = fmax(heap[2], 0.71 * s->def.cell);
    return fmax(1.01 - (dx * dx + dz * dz) / (r * r), 0);
}

// Snow on a column, cell upon cell.
static void put_on(wind_state *s, int32_t i, int32_t k, uint64_t units) {
    uint64_t room = (uint64_t)cover_capacity(s, s->cover.density_new);
    for (size_t a = top_of(s, i, k); units > 0;) {
        uint64_t now = units < room ? units : room;
        cover_put(s, a, (uint32_t)now);
        units -= now;
    }
}

static firn_status put(void *model, double x, double z, double radius, double kg, bool *took) {
    wind_state *s = model;
    const double heap[3] = {x, z, radius};
    double sum = 0, before = 0, flakes = floor(kg / s->flakes.mass), units = flakes * COVER_PARTS;
    if (!s->cover.on || !(units < 1e15)) return FIRN_OK;
    for (int32_t k = 1; k <= s->box.n[2]; k++)
        for (int32_t i = 1; i <= s->box.n[0]; i++) sum += weight(s, heap, i, k);
    if (!(sum > 0)) return FIRN_OK;
    *took = true;
    uint64_t given = 0, all = (uint64_t)units;
    for (int32_t k = 1; k <= s->box.n[2]; k++)
        for (int32_t i = 1; i <= s->box.n[0]; i++) {
            double each = weight(s, heap, i, k);
            if (!(each > 0)) continue;
            before += each;
            uint64_t to = before >= sum ? all : (uint64_t)(before / sum * units);
            put_on(s, i, k, to - given);
            given = to;
        }
    s->flakes.counters[FLAKES_EMITTED] += (uint64_t)flakes;
    s->flakes.counters[FLAKES_LANDED] += (uint64_t)flakes;
    s->air_stale = true;
    return FIRN_OK;
}

const struct firn_model_growth cover_growth = {.take_out = take_out, .heat = heat, .put = put};
