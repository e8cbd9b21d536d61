// Snow that melts and water that freezes: grains as a surface of snow, darker where it is wet, or as spheres;
// water as a surface that one sees through.
#include <math.h>
#include <string.h>

#include "draw/gather.h"
#include "snow/snow_type.h"

static const double ICE = 917; // kg/m3
static const float water[3] = {0.03f, 0.16f, 0.24f};

static double snow_spacing(const firn_phase_def *def, const firn_phase_snow_def *snow) {
    const snow_type *type = snow_type_find(snow->type ? snow->type : "packed");
    return cbrt(def->mass / (snow->density < 0 ? fmin(type->density, ICE) : snow->density));
}

// Groups are four to a source; the third of them is water that froze.
static double grain_spacing(const firn_phase_def *def, uint32_t group) {
    size_t source = group / 4;
    return source < def->snow.count && group % 4 == 0 ? snow_spacing(def, &def->snow.items[source])
                                                      : cbrt(def->mass / ICE);
}

// The particles of a kind, after those that are there; returns how many there are then.
static size_t take_kind(gather *g, const draw_points *points, const uint32_t *kind, const float *value,
                        uint32_t wanted, size_t begin) {
    size_t end = begin;
    for (size_t i = 0; i < points->count; i++) {
        if (kind[i] != wanted) continue;
        memcpy(g->melt.at[end], points->at[i], sizeof *g->melt.at);
        g->melt.value[end++] = value ? value[i] : 0;
    }
    return end;
}

static firn_status add_kind(gather *g, draw_points points, double spacing, bool snow, bool colored) {
    bool smooth = g->scene->picture.snow == SCENE_SNOW_SURFACE && !g->measuring;
    draw_material material = colored ? DRAW_MARKED : snow ? DRAW_SOFT : DRAW_WATER;
    gather_walls walls = gather_walls_at(g->scene->world.phase->box, firn_world_time(g->world));
    points.radius = (float)(0.5 * spacing);
    if (!snow) memcpy(points.color, water, sizeof water);
    if (!colored && (!smooth || !snow)) points.value = NULL;
    if (points.count == 0) return FIRN_OK;
    if (smooth) return gather_surface(g, &points, spacing, material, snow ? NULL : &walls);
    return g->scene->picture.points || g->measuring ? draw_list_points(&g->list, points) : FIRN_OK;
}

firn_status gather_phase(gather *g, const draw_points *points) {
    const firn_phase_def *def = g->scene->world.phase;
    firn_field kind = firn_world_field(g->world, "phase.kind"),
               group = firn_world_field(g->world, "phase.group"),
               wetness = firn_world_field(g->world, "phase.wetness");
    size_t n = points->count;
    if (!def || n == 0 || kind.count != n || group.count != n || wetness.count != n) return FIRN_OK;
    TRY(gather_sorted_reserve(&g->melt, n));
    const float *value = points->value ? points->value : wetness.data;
    size_t grains = take_kind(g, points, kind.data, value, 0, 0);
    size_t all = take_kind(g, points, kind.data, value, 1, grains);
    double spacing = 0;
    for (size_t i = 0; i < n; i++)
        if (((const uint32_t *)kind.data)[i] == 0)
            spacing += grain_spacing(def, ((const uint32_t *)group.data)[i]) / (double)grains;
    draw_points snow = *points, drops = *points;
    snow.at = (const float(*)[3])g->melt.at;
    snow.value = g->melt.value;
    snow.count = grains;
    drops.at = snow.at + grains;
    drops.value = g->melt.value + grains;
    drops.count = all - grains;
    TRY(add_kind(g, snow, spacing, true, points->value));
    return add_kind(g, drops, cbrt(def->mass / def->density), false, points->value);
}
