// Temperature and water of the snow cover, by columns of cells: the law of snow/snow_column.h, which the snow
// field has, too. Only in scenes that can melt snow.
#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "par/par.h"
#include "snow/snow_column.h"
#include "wind/wind_state.h"

#define BODY_EXCHANGE 1000.0 // W/m2K, of snow with the body that it lies on: as field.heat.contact
#define RETENTION 0.05       // water that snow holds, as a share of its ice

static size_t columns(const wind_state *s) { return (size_t)s->box.n[0] * (size_t)s->box.n[2]; }
static double area(const wind_state *s) { return s->def.cell * s->def.cell; }
static double unit(const wind_state *s) { return s->cover.unit / area(s); } // kg/m2

// Decided once, as for the field: by air, sun, rain and bodies of the scene, or since `melt` is given.
firn_status cover_heat_create(wind_state *s) {
    cover_heat *h = &s->cover.heat;
    h->on = s->setting.thaws || !firn_is_auto(s->cover.def.melt);
    if (!h->on) return FIRN_OK;
    size_t n = columns(s), planes = (size_t)s->box.n[2];
    h->heat = mem_zero(n, sizeof *h->heat);
    h->mass = mem_zero(n, sizeof *h->mass);
    h->now = mem_zero(n, sizeof *h->now);
    h->temperature = mem_zero(n, sizeof *h->temperature);
    h->wetness = mem_zero(n, sizeof *h->wetness);
    h->plane = mem_zero(planes, sizeof *h->plane);
    if (h->heat && h->mass && h->now && h->temperature && h->wetness && h->plane) return FIRN_OK;
    return fail_memory("creating a snow cover", n * 40);
}

void cover_heat_destroy(cover_heat *h) {
    mem_free(h->heat);
    mem_free(h->mass);
    mem_free(h->now);
    mem_free(h->temperature);
    mem_free(h->wetness);
    mem_free(h->plane);
}

// ---- heat goes along with snow that lands, slides and drifts

static void measure(void *context, size_t k) {
    wind_state *s = context;
    cover_heat *h = &s->cover.heat;
    size_t width = (size_t)s->box.n[0], first = k * width;
    cover_plane *sum = &h->plane[k];
    *sum = (cover_plane){0};
    memset(h->now + first, 0, width * sizeof *h->now);
    for (int32_t j = 1; j <= s->box.n[1]; j++) {
        size_t a = poisson_at(&s->box, 1, j, (int32_t)k + 1);
        if (!s->cover.row_has_snow[a / s->box.row]) continue;
        for (size_t i = 0; i < width; i++) h->now[first + i] += s->cover.mass[a + i];
    }
    for (size_t i = first; i < first + width; i++) {
        if (h->now[i] >= h->mass[i]) {
            sum->gained += h->now[i] - h->mass[i];
            continue;
        }
        uint64_t lost = h->mass[i] - h->now[i];
        double heat = h->heat[i] * ((double)lost / (double)h->mass[i]);
        sum->lost += lost;
        sum->heat += heat;
        h->heat[i] = h->now[i] > 0 ? h->heat[i] - heat : 0;
        h->mass[i] = h->now[i];
    }
}

typedef struct heat_work {
    wind_state *s;
    double each; // J/m2 for a unit that is gained
    double dt;
    double snow, water; // J/kg, of snow at the start of its life here, and of rain
    uint64_t rain;      // units on each column
    snow_forcing air;
} heat_work;

// What columns lost goes to those that gained, and what is more came with the air's temperature.
static void follow(heat_work *w) {
    cover_heat *h = &w->s->cover.heat;
    size_t planes = (size_t)w->s->box.n[2];
    par_tasks(planes, measure, w->s);
    uint64_t lost = 0, gained = 0;
    double pool = 0, snow = w->snow * unit(w->s);
    for (size_t k = 0; k < planes; k++)
        lost += h->plane[k].lost, gained += h->plane[k].gained, pool += h->plane[k].heat;
    double came = gained > lost ? (double)(gained - lost) * snow : 0;
    double needed = (double)(gained > lost ? gained : lost);
    w->each = needed > 0 ? (pool + came) / needed : 0;
    h->sum[COVER_SNOW] += came;
    h->sum[COVER_LEFT] += lost > gained ? w->each * (double)(lost - gained) : 0;
}

// ---- weather

// From the top down, `units` of a column.
static void take_away(wind_state *s, int32_t i, int32_t k, uint64_t units) {
    for (int32_t j = s->box.n[1]; j >= 1 && units; j--) {
        uint32_t *mass = &s->cover.mass[poisson_at(&s->box, i, j, k)];
        uint32_t gone = *mass < units ? *mass : (uint32_t)units;
        *mass -= gone;
        units -= gone;
    }
}

// Into its topmost snow; what does not fit goes up when the cover settles.
static void rain_on(wind_state *s, int32_t i, int32_t k, uint32_t units) {
    for (int32_t j = s->box.n[1]; j >= 1; j--) {
        size_t a = poisson_at(&s->box, i, j, k);
        if (!s->cover.mass[a]) continue;
        s->cover.mass[a] += units;
        return;
    }
}

static void column_weather(const heat_work *w, size_t c, int32_t i, int32_t k, cover_plane *sum) {
    wind_state *s = w->s;
    cover_heat *h = &s->cover.heat;
    double each = unit(s), melts, *heat = &h->heat[c];
    *heat += w->each * (double)(h->now[c] - h->mass[c]);
    h->mass[c] = h->now[c];
    if (h->mass[c] == 0) return;
    if (w->rain > 0) {
        rain_on(s, i, k, (uint32_t)w->rain);
        h->mass[c] += w->rain;
        *heat += each * (double)w->rain * w->water;
        sum->sum[COVER_RAIN] += each * (double)w->rain * w->water;
        sum->rained += w->rain;
    }
    double mass = each * (double)h->mass[c], density = (double)s->cover.density_new;
    double gain = snow_column_gain(mass, *heat, density, 0, &w->air, w->dt, &melts);
    *heat += gain;
    sum->sum[COVER_AIR] += gain;
    sum->sum[COVER_MELTED] += melts;
    uint64_t units = (uint64_t)(snow_column_excess(mass, *heat, RETENTION) / each);
    if (units == 0) return;
    if (*heat >= SNOW_LATENT * (mass - each)) units = h->mass[c];
    double gone = units == h->mass[c] ? *heat : fmax(SNOW_LATENT, *heat / mass) * each * (double)units;
    take_away(s, i, k, units);
    h->mass[c] -= units;
    *heat = h->mass[c] > 0 ? *heat - gone : 0;
    sum->sum[COVER_LEFT] += gone;
    sum->melted += units;
}

// Bodies with a temperature warm or cool the snow that lies on them. One after the other: there are few.
static void warm_from_below(const heat_work *w, const body_set *bodies) {
    wind_state *s = w->s;
    cover_heat *h = &s->cover.heat;
    const wind_floors *f = &s->cover.floors;
    for (size_t i = 0; i < f->count; i++) {
        const cover_floor *floor = &f->list[i];
        double temperature = floor->body ? body_temperature(bodies, floor->body - 1u) : (double)NAN, melts;
        size_t a = isnan(temperature) ? 0 : floors_cell(s, floor);
        if (isnan(temperature) || !s->cover.mass[a]) continue;
        size_t c = (a / s->box.plane - 1) * (size_t)s->box.n[0] + a % s->box.row - 1;
        const snow_forcing body = {.warm = temperature, .exchange = BODY_EXCHANGE};
        double gain = snow_column_gain(unit(s) * (double)h->mass[c], h->heat[c], (double)s->cover.density_new,
                                       0, &body, w->dt, &melts);
        h->heat[c] += gain;
        h->sum[COVER_BODIES] += gain;
        h->sum[COVER_MELTED] += melts;
    }
}

static void plane_weather(void *context, size_t k) {
    const heat_work *w = context;
    size_t width = (size_t)w->s->box.n[0];
    cover_plane *sum = &w->s->cover.heat.plane[k];
    *sum = (cover_plane){0};
    for (size_t i = 0; i < width; i++) column_weather(w, k * width + i, (int32_t)i + 1, (int32_t)k + 1, sum);
}

static heat_work work_of(wind_state *s, double dt) {
    const firn_world_def *def = s->setting.def;
    double air = def->air.temperature, rain = auto_or(def->rain.temperature, fmax(air, 0));
    double exchange = auto_or(def->air.exchange, snow_exchange(s->def.inflow.speed, s->def.inflow.height));
    if (!firn_is_auto(s->cover.def.melt)) exchange = 1000 * s->cover.def.melt * SNOW_LATENT;
    return (heat_work){.s = s,
                       .dt = dt * def->air.time_lapse,
                       .snow = SNOW_ICE_CAPACITY * fmin(air, 0),
                       .water = SNOW_LATENT + SNOW_WATER_CAPACITY * rain,
                       .air = {air, exchange, def->air.radiation}};
}

// Between two steps: columns get the heat of what has come since.
void cover_heat_catch_up(wind_state *s) {
    cover_heat *h = &s->cover.heat;
    if (!h->on) return;
    heat_work w = work_of(s, 0);
    follow(&w);
    for (size_t c = 0; c < columns(s); c++) {
        h->heat[c] += w.each * (double)(h->now[c] - h->mass[c]);
        h->mass[c] = h->now[c];
    }
}

// Units come to a column of which all mass has its heat, or leave it; heat in J.
void cover_heat_come(wind_state *s, size_t column, uint64_t units, double heat) {
    s->cover.heat.mass[column] += units;
    s->cover.heat.heat[column] += heat / area(s);
}

double cover_heat_go(wind_state *s, size_t column, uint64_t units) {
    cover_heat *h = &s->cover.heat;
    double gone = units >= h->mass[column] ? h->heat[column]
                                           : h->heat[column] * ((double)units / (double)h->mass[column]);
    h->heat[column] -= gone;
    h->mass[column] -= units >= h->mass[column] ? h->mass[column] : units;
    return gone * area(s);
}

void cover_heat_step(wind_state *s, const body_set *bodies, double dt) {
    cover_heat *h = &s->cover.heat;
    if (!h->on) return;
    heat_work w = work_of(s, dt);
    follow(&w);
    double due = s->cover.melt_remainder + 1000 * s->setting.def->rain.rate * w.dt / unit(s);
    w.rain = (uint64_t)fmin(floor(due), 1e9);
    s->cover.melt_remainder = due - (double)w.rain;
    par_tasks((size_t)s->box.n[2], plane_weather, &w);
    warm_from_below(&w, bodies);
    for (size_t k = 0; k < (size_t)s->box.n[2]; k++) {
        for (int q = 0; q < COVER_SUMS; q++) h->sum[q] += h->plane[k].sum[q];
        s->cover.melted += h->plane[k].melted;
        h->rained += h->plane[k].rained;
    }
}

// ---- for others

void cover_heat_show(wind_state *s) {
    cover_heat *h = &s->cover.heat;
    for (size_t c = 0; h->on && c < columns(s); c++) {
        double mass = unit(s) * (double)h->mass[c];
        h->temperature[c] = (float)snow_column_temperature(mass, h->heat[c]);
        h->wetness[c] = mass > 0 ? (float)(snow_column_water(mass, h->heat[c]) / mass) : 0;
    }
}

double cover_heat_total(const wind_state *s) { // J
    double sum = 0;
    for (size_t c = 0; s->cover.heat.on && c < columns(s); c++) sum += s->cover.heat.heat[c];
    return sum * area(s);
}

static const series_row rows[] = {
    {"cover temperature", "mean", "C", "mean temperature of the snow cover by mass"},
    {"cover temperature", "air", "C", "temperature of the air"},
    {"water in the cover", "", "kg", "liquid water in the snow cover"},
    {"melt of the cover", "melted", "kg", "snow of the cover that has melted since the start"},
    {"melt of the cover", "run-off", "kg", "water that has run off the cover since the start"},
    {"melt of the cover", "rain", "kg", "rain that has fallen on the cover since the start"},
    {"heat into the cover", "air and sun", "J", "heat that the cover took from air and radiation"},
    {"heat into the cover", "bodies", "J",
     "heat that the cover took from bodies with a temperature below it"},
    {"heat into the cover", "rain", "J", "heat that rain brought, with its latent heat"},
};

static void get_series(const void *model, double *out) {
    const wind_state *s = model;
    const cover_heat *h = &s->cover.heat;
    double degrees = 0, water = 0, mass = 0;
    for (size_t c = 0; c < columns(s); c++) {
        double m = unit(s) * (double)h->mass[c];
        mass += m;
        degrees += m * snow_column_temperature(m, h->heat[c]);
        water += snow_column_water(m, h->heat[c]);
    }
    const double values[] = {mass > 0 ? degrees / mass : (double)NAN,
                             s->setting.air_temperature,
                             water * area(s),
                             h->sum[COVER_MELTED] * area(s),
                             s->cover.unit * (double)s->cover.melted,
                             s->cover.unit * (double)h->rained,
                             h->sum[COVER_AIR] * area(s),
                             h->sum[COVER_BODIES] * area(s),
                             h->sum[COVER_RAIN] * area(s)};
    memcpy(out, values, sizeof values);
}

static bool has_heat(const void *model) {
    const wind_state *s = model;
    return s->cover.on && s->cover.heat.on;
}
const series_table cover_heat_series = SERIES_TABLE(rows, has_heat, get_series);
