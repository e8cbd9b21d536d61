// Falling snow and ageing. Both are slow: they come in ticks, over all tiles, and over the one column that
// stands for every place without a tile.
#include "snowfield/snowfield_ranks.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

enum { PARCEL = 64 }; // tiles between two looks at the clock

typedef struct tick {
    const snowfield_state *s;
    size_t first;   // tile
    int32_t falls;  // mass on every cell
    float density;  // of what falls
    float settled;  // density that snow tends to
    float approach; // share of the way to it in one tick
    heat_tick heat;
    heat_gain *gain; // by tile; NULL: the snow has no heat
} tick;

bool snowfield_has_weather(const snowfield_state *s) {
    return s->def.fall.rate > 0 || s->def.ageing.time > 0 || s->heat.on;
}

static void age(const tick *t, float *density) {
    if (*density < t->settled) *density += (t->settled - *density) * t->approach;
}

static void age_tile(const tick *t, size_t tile) {
    size_t cells = snowfield_cells(t->s), first = snowfield_first(t->s, tile);
    for (size_t i = first; i < first + cells; i++) age(t, &t->s->tiles.density[i]);
    if (t->s->tiles.cover[tile] == TILE_NONE) return;
    size_t cover = snowfield_cover_first(t->s, (size_t)t->s->tiles.cover[tile]);
    for (size_t i = cover; i < cover + cells; i++) age(t, &t->s->covers.top_density[i]);
}

static void fall_on_tile(const tick *t, size_t tile) {
    snowfield_state *s = (snowfield_state *)t->s;
    snowfield_rect own = tile_rect(s, tile);
    for (int32_t z = 0; z < own.z1 - own.z0; z++)
        for (int32_t x = 0; x < own.x1 - own.x0; x++)
            snowfield_drop(s, snowfield_first(s, tile) + (size_t)(z * s->edge + x), t->falls, t->density);
}

static void weather_tile(void *context, size_t i) {
    const tick *t = context;
    if (!snowfield_is_here(t->s, t->first + i)) return;
    if (t->approach > 0) age_tile(t, t->first + i);
    if (t->falls > 0) fall_on_tile(t, t->first + i);
    if (t->gain) snowfield_heat_tile(&t->heat, t->first + i, &t->gain[i]);
}

static uint64_t cells_of(snowfield_rect own) {
    return (uint64_t)(own.x1 - own.x0) * (uint64_t)(own.z1 - own.z0);
}

static void weather_pristine(snowfield_state *s, const tick *t) {
    age(t, &s->start.density);
    if (t->falls > 0) {
        s->start.density = snowfield_mixed(&s->law, s->start.mass, s->start.density, t->falls, t->density);
        s->start.mass += t->falls;
    }
    uint64_t cells = (uint64_t)s->nx * (uint64_t)s->nz;
    for (size_t i = 0; i < s->tiles.count; i++) cells -= cells_of(tile_rect(s, i));
    if (snowfield_is_mine(s, 0)) { // counted once
        s->counters[COUNTER_IN] += (uint64_t)t->falls * cells;
        s->counters[COUNTER_PRISTINE] += (uint64_t)t->falls * cells;
    }
    if (s->heat.on) snowfield_heat_plain(&t->heat, cells);
    s->pristine[0] = s->start.mass;
    s->pristine[1] = (double)s->start.density;
    s->grid[GRID_DEPTH] = (double)snowfield_depth_m(s->start.mass, s->start.density);
    s->grid[GRID_DENSITY] = (double)s->start.density;
}

static double lapse(const snowfield_state *s) { return s->setting.def->air.time_lapse; }

static tick present_tick(const snowfield_state *s) {
    double dt = FIELD_TICK * lapse(s);
    return (tick){.s = s,
                  .falls = (int32_t)s->counters[COUNTER_FALLS],
                  .density = s->fall_density,
                  .settled = (float)s->def.ageing.density,
                  .approach = s->def.ageing.time > 0 ? (float)-expm1(-dt / s->def.ageing.time) : 0,
                  .heat = snowfield_heat_tick(s)};
}

// Units that have fallen on a cell after this many ticks, had the rate always been the present one.
static uint64_t fallen_by(const snowfield_state *s, uint64_t ticks) {
    double time = (double)ticks * (FIELD_TICK * lapse(s));
    return (uint64_t)(time * s->def.fall.rate * 1000 / MASS_UNIT); // m of water are 1000 kg/m2
}

static uint64_t ticks_by(double time) { return (uint64_t)(time / FIELD_TICK * (1 + 1e-12)); }

void snowfield_change_weather(snowfield_state *s, const firn_snowfield_def *before, double time) {
    bool had = before->fall.rate > 0 || before->ageing.time > 0 || s->heat.on;
    if (!had) s->counters[COUNTER_TICKS] = ticks_by(time);
    if ((before->fall.rate > 0) != (s->def.fall.rate > 0))
        s->pending =
            snowfield_see_bodies(s); // those in the air are seen from above only where something falls
}

// Whole units of rain on each cell in this tick; the rest is due in the next ones.
static int32_t begin_rain(snowfield_state *s, double dt) {
    if (!s->heat.on) return 0;
    double due = s->heat.sum[HEAT_DUE] + s->setting.def->rain.rate * 1000 * dt / MASS_UNIT;
    double falls = fmin(floor(due), 1 << 28);
    s->heat.sum[HEAT_DUE] = due - falls;
    s->heat.sum[HEAT_RAINS] = falls;
    return (int32_t)falls;
}

static void begin_tick(snowfield_state *s) {
    // At the present rate, from tick to tick: a world that is loaded may know a new rate before one that went
    // on.
    uint64_t before = fallen_by(s, s->counters[COUNTER_TICKS]),
             due = fallen_by(s, ++s->counters[COUNTER_TICKS]);
    s->counters[COUNTER_FALLS] = due - before;
    s->counters[COUNTER_FALLEN] = due;
    s->counters[COUNTER_NEXT] = 0;
    s->counters[COUNTER_OWES] = s->tiles.count;
    tick t = present_tick(s);
    t.heat.rain = begin_rain(s, t.heat.dt);
    weather_pristine(s, &t);
}

// Tiles that the present tick has not reached yet, as many as there is time for.
static void go_on(snowfield_state *s) {
    tick t = present_tick(s);
    heat_gain gain[PARCEL];
    t.gain = s->heat.on ? gain : NULL;
    t.heat.rain = (int32_t)s->heat.sum[HEAT_RAINS];
    while (s->counters[COUNTER_NEXT] < s->counters[COUNTER_OWES]) {
        t.first = (size_t)s->counters[COUNTER_NEXT];
        size_t left = (size_t)s->counters[COUNTER_OWES] - t.first, n = left < PARCEL ? left : PARCEL;
        par_tasks(n, weather_tile, &t);
        for (size_t i = t.first; i < t.first + n; i++) {
            snowfield_touch(s, tile_rect(s, i));
            if (snowfield_is_mine(s, 0))
                s->counters[COUNTER_IN] += (uint64_t)t.falls * cells_of(tile_rect(s, i));
            if (t.gain) snowfield_heat_add(s, &gain[i - t.first]);
        }
        s->counters[COUNTER_NEXT] += n;
        s->work++;
        if (snowfield_late(s)) return;
    }
}

firn_status snowfield_weather(snowfield_state *s, model_step step) {
    if (!snowfield_has_weather(s) && s->counters[COUNTER_NEXT] == s->counters[COUNTER_OWES]) return FIRN_OK;
    uint64_t ticks = ticks_by(step.time + step.dt);
    bool waits = s->counters[COUNTER_NEXT] < s->counters[COUNTER_OWES];
    bool acts = waits || s->counters[COUNTER_TICKS] < ticks;
    if (acts) TRY(snowfield_heat_follow(s));
    go_on(s);
    while (s->counters[COUNTER_TICKS] < ticks && s->counters[COUNTER_NEXT] == s->counters[COUNTER_OWES]) {
        begin_tick(s);
        go_on(s);
        if (s->heat.on) snowfield_heat_bodies(s);
    }
    if (acts) // what fell has brought its heat
        s->heat.in = s->counters[COUNTER_IN], s->heat.out = s->counters[COUNTER_OUT];
    return FIRN_OK;
}

// With a depth map no single column represents all others: with weather every tile exists from the start.
firn_status snowfield_weather_create(snowfield_state *s) {
    bool maps = snowfield_has_maps(s);
    return snowfield_has_weather(s) && maps ? snowfield_tiles_make(s, (snowfield_rect){0, 0, s->nx, s->nz})
                                            : FIRN_OK;
}
