// Falling snow and ageing. Both are slow: they come in ticks, over all tiles, and over the one column that
// stands for every place without a tile.
#include "field/field_state.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

typedef struct tick {
    const field_state *s;
    int32_t falls;  // mass on every cell
    float density;  // of what falls
    float settled;  // density that snow tends to
    float approach; // share of the way to it in one tick
} tick;

static bool has_weather(const field_state *s) { return s->def.fall.rate > 0 || s->def.ageing.time > 0; }

static void age(const tick *t, float *density) {
    if (*density < t->settled) *density += (t->settled - *density) * t->approach;
}

static void age_tile(void *context, size_t tile) {
    const tick *t = context;
    size_t cells = field_cells(t->s), first = tile * cells;
    for (size_t i = first; i < first + cells; i++) age(t, &t->s->tiles.density[i]);
    if (t->s->tiles.cover[tile] == TILE_NONE) return;
    size_t cover = (size_t)t->s->tiles.cover[tile] * cells;
    for (size_t i = cover; i < cover + cells; i++) age(t, &t->s->covers.top_density[i]);
}

static void fall_on_tile(void *context, size_t tile) {
    const tick *t = context;
    field_state *s = (field_state *)t->s;
    field_rect own = tile_rect(s, tile);
    for (int32_t z = 0; z < own.z1 - own.z0; z++)
        for (int32_t x = 0; x < own.x1 - own.x0; x++)
            field_drop(s, tile * field_cells(s) + (size_t)(z * s->edge + x), t->falls, t->density);
}

static void weather_pristine(field_state *s, const tick *t) {
    age(t, &s->start.density);
    if (t->falls > 0) {
        s->start.density = field_mixed(&s->law, s->start.mass, s->start.density, t->falls, t->density);
        s->start.mass += t->falls;
    }
    uint64_t cells = (uint64_t)s->nx * (uint64_t)s->nz;
    for (size_t i = 0; i < s->tiles.count; i++) {
        field_rect own = tile_rect(s, i);
        cells -= (uint64_t)(own.x1 - own.x0) * (uint64_t)(own.z1 - own.z0);
    }
    s->book[BOOK_PRISTINE] += (uint64_t)t->falls * cells;
    s->book[BOOK_IN] += (uint64_t)t->falls * (uint64_t)s->nx * (uint64_t)s->nz;
    s->pristine[0] = s->start.mass;
    s->pristine[1] = (double)s->start.density;
    s->grid[GRID_DEPTH] = (double)field_depth_m(s->start.mass, s->start.density);
    s->grid[GRID_DENSITY] = (double)s->start.density;
}

static void one_tick(field_state *s, double time) {
    uint64_t due = (uint64_t)(time * s->def.fall.rate * 1000 / MASS_UNIT); // m of water are 1000 kg/m2
    tick t = {.s = s,
              .falls = (int32_t)(due - s->book[BOOK_FALLEN]),
              .density = s->fall_density,
              .settled = (float)s->def.ageing.density,
              .approach = s->def.ageing.time > 0 ? (float)-expm1(-FIELD_TICK / s->def.ageing.time) : 0};
    s->book[BOOK_FALLEN] = due;
    if (t.approach > 0) par_tasks(s->tiles.count, age_tile, &t);
    if (t.falls > 0) par_tasks(s->tiles.count, fall_on_tile, &t);
    weather_pristine(s, &t);
    for (size_t i = 0; i < s->tiles.count; i++) field_touch(s, tile_rect(s, i));
}

firn_status field_weather(field_state *s, model_step step) {
    if (!has_weather(s)) return FIRN_OK;
    uint64_t ticks = (uint64_t)((step.time + step.dt) / FIELD_TICK * (1 + 1e-12));
    for (; s->book[BOOK_TICKS] < ticks; s->book[BOOK_TICKS]++)
        one_tick(s, (double)(s->book[BOOK_TICKS] + 1) * FIELD_TICK);
    return FIRN_OK;
}

// Snow of a map has no one column that stands for all: with weather every tile is there from the start.
firn_status field_weather_create(field_state *s) {
    bool maps = s->start.depths.value || s->start.densities.value;
    return has_weather(s) && maps ? field_tiles_make(s, (field_rect){0, 0, s->nx, s->nz}) : FIRN_OK;
}
