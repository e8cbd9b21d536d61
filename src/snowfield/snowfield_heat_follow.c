// Heat goes along with snow. Presses, spreading and slopes move masses without knowing of heat; afterwards
// the columns that have lost snow give the heat of what they lost, and those that have gained get it: of
// their own tile first, and what crosses tiles, flies, comes or leaves by way of one pool. Snow that moves in
// a step is near its origin, so mixing it tile by tile keeps warm and cold places apart, and the sum is
// exact. Where wet snow comes to cold snow its water freezes, and is counted.
#include <math.h>

#include "base/memory.h"
#include "par/par.h"
#include "snow/snow_column.h"
#include "snowfield/snowfield_state.h"

typedef struct heat_change {
    int64_t lost, gained; // MASS_UNIT
    double heat;          // J/m2 of what was lost
    double each;          // J/m2 for a unit that is gained
    double water_went;    // kg/m2, out of columns that lost snow
    double water_froze;   // kg/m2, by which columns that gained some have less; negative: they have more
} heat_change;

typedef struct columns { // of a tile, on the ground or on top
    const int32_t *now;
    int32_t *mass;
    double *heat;
    float *frozen; // NULL: none
    size_t count;
} columns;

static columns on_ground(const snowfield_state *s, size_t tile) {
    size_t cells = snowfield_cells(s), i = tile * cells;
    const snowfield_heat *h = &s->heat;
    return (columns){s->tiles.mass + i, h->mass + i, h->heat + i, h->frozen + i, cells};
}
static columns on_top(const snowfield_state *s, size_t tile) {
    if (s->tiles.cover[tile] == TILE_NONE) return (columns){0};
    size_t cells = snowfield_cells(s), i = (size_t)s->tiles.cover[tile] * cells;
    return (columns){s->covers.top_mass + i, s->heat.top_mass + i, s->heat.top_heat + i, NULL, cells};
}

// J/m2 of what a column that has less snow than before loses.
static double lost_heat(const columns *c, size_t i) {
    return c->now[i] == 0 ? c->heat[i] : c->heat[i] * ((double)(c->mass[i] - c->now[i]) / c->mass[i]);
}

static double water_of(const columns *c, size_t i) {
    return snow_column_water(MASS_UNIT * c->mass[i], c->heat[i]);
}

static void measure(const columns *c, heat_change *sum) {
    for (size_t i = 0; i < c->count; i++) {
        int32_t more = c->now[i] - c->mass[i];
        if (more > 0) sum->gained += more;
        if (more >= 0) continue;
        sum->lost -= more;
        sum->heat += lost_heat(c, i);
    }
}

// A crust goes where snow was pressed down or slid away.
static void apply(const columns *c, heat_change *sum) {
    for (size_t i = 0; i < c->count; i++) {
        int32_t more = c->now[i] - c->mass[i];
        if (more == 0) continue;
        double before = water_of(c, i);
        c->heat[i] += more > 0 ? sum->each * more : -lost_heat(c, i);
        if (more < 0 && c->frozen) c->frozen[i] = 0;
        c->mass[i] = c->now[i];
        *(more > 0 ? &sum->water_froze : &sum->water_went) += before - water_of(c, i);
    }
}

static void measure_tile(void *context, size_t t) {
    snowfield_state *s = context;
    heat_change *sum = &s->heat.change[t];
    columns below = on_ground(s, t), top = on_top(s, t);
    *sum = (heat_change){0};
    if (rect_empty(s->tiles.touched[t])) return;
    measure(&below, sum);
    measure(&top, sum);
}

static void apply_tile(void *context, size_t t) {
    snowfield_state *s = context;
    heat_change *sum = &s->heat.change[t];
    columns below = on_ground(s, t), top = on_top(s, t);
    if (sum->gained == 0 && sum->lost == 0) return;
    apply(&below, sum);
    apply(&top, sum);
}

static double snow_heat(const snowfield_state *s) { // J/m2 of a unit of snow as cold as the air
    return MASS_UNIT * SNOW_ICE_CAPACITY * fmin(s->setting.air_temperature, 0);
}

static firn_status measure_all(snowfield_state *s) {
    snowfield_heat *h = &s->heat;
    if (!array_reserve(&h->change, &h->change_capacity, s->tiles.count, sizeof *h->change))
        return fail_memory("moving heat of the field", s->tiles.count * sizeof *h->change);
    par_tasks(s->tiles.count, measure_tile, s);
    return FIRN_OK;
}

firn_status snowfield_heat_enter(snowfield_state *s) {
    snowfield_heat *h = &s->heat;
    if (!h->on) return FIRN_OK;
    TRY(measure_all(s));
    for (size_t t = 0; t < s->tiles.count; t++) {
        heat_change *c = &h->change[t];
        c->each = snow_heat(s);
        h->sum[HEAT_SNOW] += c->each * (double)c->gained;
        h->sum[HEAT_LEFT] += c->heat;
    }
    par_tasks(s->tiles.count, apply_tile, s);
    for (size_t t = 0; t < s->tiles.count; t++) // the snow that comes is dry: less water in all is frozen
        h->sum[HEAT_FROZEN] += h->change[t].water_froze;
    h->in = s->counters[COUNTER_IN], h->out = s->counters[COUNTER_OUT];
    return FIRN_OK;
}

// ---- snow of other models, which brings its heat or takes it along

void snowfield_heat_come(snowfield_state *s, size_t cell, size_t covered, int32_t units, double heat) {
    snowfield_heat *h = &s->heat;
    if (!h->on || units == 0) return;
    int32_t *mass = covered == SIZE_MAX ? &h->mass[cell] : &h->top_mass[covered];
    double *has = covered == SIZE_MAX ? &h->heat[cell] : &h->top_heat[covered];
    double before = snow_column_water(MASS_UNIT * *mass, *has);
    *mass += units, *has += heat;
    h->sum[HEAT_SNOW] += heat;
    h->sum[HEAT_FROZEN] += before - snow_column_water(MASS_UNIT * *mass, *has);
    h->in += (uint64_t)units;
}

double snowfield_heat_go(snowfield_state *s, size_t cell, int32_t units) {
    snowfield_heat *h = &s->heat;
    units = h->on ? int_min(units, h->mass[cell]) : 0;
    if (units == 0) return 0;
    double heat = h->heat[cell] * ((double)units / h->mass[cell]);
    h->mass[cell] -= units;
    h->heat[cell] = h->mass[cell] == 0 ? 0 : h->heat[cell] - heat;
    h->frozen[cell] = 0;
    h->sum[HEAT_LEFT] += heat;
    h->out += (uint64_t)units;
    return heat;
}

// Water of snow with so much heat (J/m2) that is not all water.
static double water_in(double heat) { return fmax(heat, 0) / SNOW_LATENT; }

// What tiles have too much goes into a pool, with what flew and what entered; it goes to tiles that need it,
// to what flies now and to what has left.
firn_status snowfield_heat_follow(snowfield_state *s) {
    snowfield_heat *h = &s->heat;
    if (!h->on) return FIRN_OK;
    TRY(measure_all(s));
    double entered = (double)(s->counters[COUNTER_IN] - h->in),
           left = (double)(s->counters[COUNTER_OUT] - h->out);
    double flies = 0, needed = left, pool = h->sum[HEAT_FLYING] + entered * snow_heat(s);
    h->sum[HEAT_SNOW] += entered * snow_heat(s);
    for (size_t i = 0; i < s->bits.count; i++) flies += s->bits.mass[i];
    needed += flies;
    for (size_t t = 0; t < s->tiles.count; t++) {
        const heat_change *c = &h->change[t];
        if (c->lost > c->gained) pool += c->heat * ((double)(c->lost - c->gained) / (double)c->lost);
        if (c->gained > c->lost) needed += (double)(c->gained - c->lost);
    }
    double each = needed > 0 ? pool / needed : 0;
    for (size_t t = 0; t < s->tiles.count; t++) {
        heat_change *c = &h->change[t];
        if (c->gained == 0) continue;
        double own = c->lost > c->gained ? c->heat * ((double)c->gained / (double)c->lost) : c->heat;
        double pooled = c->gained > c->lost ? each * (double)(c->gained - c->lost) : 0;
        c->each = (own + pooled) / (double)c->gained;
    }
    par_tasks(s->tiles.count, apply_tile, s);
    double froze = water_in(h->sum[HEAT_FLYING]) - water_in(each * flies) - water_in(each * left);
    for (size_t t = 0; t < s->tiles.count; t++) froze += h->change[t].water_went + h->change[t].water_froze;
    h->sum[HEAT_FROZEN] += froze;
    h->sum[HEAT_FLYING] = each * flies;
    h->sum[HEAT_LEFT] += each * left;
    if (!(needed > 0)) h->sum[HEAT_LEFT] += pool;
    h->in = s->counters[COUNTER_IN], h->out = s->counters[COUNTER_OUT];
    return FIRN_OK;
}
