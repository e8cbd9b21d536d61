// The cover of the wind and the snow field in one scene: each has its own columns of the ground, and snow
// that is too steep at their edge slides from one to the other. Flakes go to whom they land on
// (couple_wind_field.c).
#include <math.h>

#include "base/memory.h"
#include "snowfield/snowfield.h"
#include "wind/wind.h"
#include "world/couple_list.h"

#define AT_REST 0.97 // of the slope at which snow slides it comes to rest
#define AT_ONCE 0.25 // of what is too much

typedef struct strays {
    snowfield_lump *lump;
    size_t capacity;
} strays;

static firn_status create(coupling *c) {
    c->own = mem_zero(1, sizeof(strays));
    return c->own ? FIRN_OK : fail_memory("creating a world", sizeof(strays));
}

static void end(coupling *c) {
    strays *own = c->own;
    if (own) mem_free(own->lump);
    mem_free(own);
}

static void show_heights(coupling *c) {
    const wind_rim *rim;
    size_t count = wind_rims(c->a, &rim);
    for (size_t i = 0; i < count; i++)
        wind_set_rim(c->a, i, c->on ? snowfield_mean_height(c->b, rim[i].low, rim[i].high) : (double)NAN);
}

static void begin(coupling *c) { show_heights(c); }

// ---- cover to field

static firn_status to_field(coupling *c, double now, double dt) {
    (void)now, (void)dt;
    strays *own = c->own;
    size_t count;
    const wind_stray *item;
    TRY(wind_take_strays(c->a, &count, &item));
    if (!array_reserve(&own->lump, &own->capacity, count, sizeof *own->lump))
        return fail_memory("handing the cover over to the snow field", count * sizeof *own->lump);
    for (size_t i = 0; i < count; i++) {
        double y = (double)snowfield_height_at(c->b, (float)item[i].at[0], (float)item[i].at[1]);
        own->lump[i] = (snowfield_lump){.at = {item[i].at[0], y + wind_cell_size(c->a), item[i].at[1]},
                                        .mass = item[i].mass,
                                        .density = item[i].density,
                                        .size = (float)wind_cell_size(c->a),
                                        .heat = item[i].heat};
        c->sum->mass += item[i].mass;
        if (isfinite(item[i].heat)) c->sum->heat += item[i].heat;
    }
    TRY(snowfield_lay(c->b, count, own->lump));
    return FIRN_OK;
}

// ---- field to cover

static firn_status slide_off(coupling *c, size_t number, const wind_rim *rim, int side) {
    double top, cell = wind_cell_size(c->a), y = snowfield_mean_height(c->b, rim->low, rim->high);
    if (!wind_cover_beside(c->a, number, side, y, &top)) return FIRN_OK;
    double slope = (y - top) / cell, steepest = snowfield_repose(c->b);
    if (!(slope > steepest)) return FIRN_OK;
    uint32_t units;
    float density;
    double heat, depth = AT_ONCE * (slope - AT_REST * steepest) * cell;
    TRY(snowfield_slide_off(c->b, rim->low, rim->high, depth, wind_cover_unit(c->a), &units, &density,
                            &heat));
    if (units == 0) return FIRN_OK;
    wind_cover_take_in(c->a, number, side, y, units, density, heat);
    c->sum->mass -= units * wind_cover_unit(c->a);
    if (isfinite(heat)) c->sum->heat -= heat;
    return FIRN_OK;
}

static firn_status to_cover(coupling *c, double now, double dt) {
    (void)now, (void)dt;
    const wind_rim *rim;
    size_t count = wind_rims(c->a, &rim);
    for (size_t i = 0; i < count; i++)
        for (int side = 0; side < WIND_RIM_SIDES; side++)
            if (rim[i].sides >> side & 1) TRY(slide_off(c, i, &rim[i], side));
    show_heights(c);
    return FIRN_OK;
}

static bool wanted(const firn_world_def *def) { return def->cover != NULL; }

const coupling_class couple_cover_field = {
    .name = "cover_field",
    .a = &wind_model,
    .b = &snowfield_model,
    .what = "the cover lies around the field; snow slides from one to the other",
    .help = "Where there is a snow field, snow on the ground and on bodies is the field's, beside it the "
            "cover's: each "
            "column of cells of the wind that lies wholly over the field belongs to it. Where the snow of "
            "one stands "
            "steeper above the other than its angle of repose allows, it slides over the edge, and what "
            "drifts along "
            "the surface of the cover comes to lie on the field: with its mass, density and heat.",
    .passes = PASSES_MASS | PASSES_HEAT,
    .wanted = wanted,
    .create = create,
    .begin = begin,
    .after_a = to_field,
    .exchange = to_cover,
    .end = end,
};
