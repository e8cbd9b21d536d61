// From a def to a field.
#include "snowfield/snowfield_ranks.h"

#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "snow/snow_type.h"

// Share of the density without pores that grains take up when they are pressed together, 550 kg/m3 for snow:
// more would crush them (Anderson 1963).
static const double CLOSEST = 0.6;

static void set_strength(snowfield_state *s, const snow_type *type) {
    snowfield_law *law = &s->law;
    law->strength = (float)auto_or(s->def.bearing, type->bearing);
    law->strength_power = (float)auto_or(s->def.bearing_power, type->bearing_power);
    law->strength_at = (float)type->density;
}

// A scene's own limits are those of FIELD11's law. The densities of a type are those of snow as it lies,
// which can be pressed further: snow that is looser than usual gives way without being pushed aside.
static void set_pressing(snowfield_state *s, const snow_type *type) {
    snowfield_law *law = &s->law;
    double closest = firn_is_auto(s->def.density_max) ? CLOSEST * type->max_density : 0;
    bool further = closest > (double)law->density_max;
    law->densest = further ? (float)closest : law->density_max;
    law->aside = further && firn_is_auto(s->def.density_min) ? (float)type->density : law->density_min;
}

static void set_law(snowfield_state *s) {
    const snow_type found = snow_type_of(s->setting.def, s->def.snow ? s->def.snow : "fresh"), *type = &found;
    snowfield_law *law = &s->law;
    law->density_min = (float)auto_or(s->def.density_min, type->density_low);
    law->density_max = (float)auto_or(s->def.density_max, type->density_high);
    set_pressing(s, type);
    double middle = fmin(fmax(type->density, law->density_min), law->density_max);
    law->density = (float)auto_or(s->def.density, middle);
    // Packed snow has a steeper angle of repose: the type's angle holds for its usual density.
    law->tan_loose = (float)tan(auto_or(s->def.slope_loose, fmin(0.9 * type->angle_of_repose, 1.5)));
    law->tan_packed = (float)tan(auto_or(s->def.slope_packed, fmin(1.2 * type->angle_of_repose, 1.5)));
    law->cell = (float)s->def.cell;
    s->friction = auto_or(s->def.friction, type->friction);
    set_strength(s, type);
    s->fall_density =
        (float)fmin(fmax(auto_or(s->def.fall.density, law->density_min), law->density_min), law->density_max);
    s->def.ageing.density = auto_or(s->def.ageing.density, (double)law->density_max);
}

static firn_status check_law(const snowfield_law *law) {
    if (!(law->density_min < law->density_max))
        return fail(FIRN_BAD_INPUT, "field: density_min (%g) must be below density_max (%g)",
                    (double)law->density_min, (double)law->density_max);
    if (law->density < law->density_min || law->density > law->density_max)
        return fail(FIRN_BAD_INPUT, "field: density %g is not between density_min %g and density_max %g",
                    (double)law->density, (double)law->density_min, (double)law->density_max);
    if (law->tan_loose > law->tan_packed)
        return fail(FIRN_BAD_INPUT, "field: slope_loose must not be steeper than slope_packed");
    return FIRN_OK;
}

static firn_status check_weather(const snowfield_state *s) {
    double low = (double)s->law.density_min, high = (double)s->law.density_max;
    if (s->def.fall.density < low || s->def.fall.density > high)
        return fail(FIRN_BAD_INPUT, "field: fall.density %g is not between density_min %g and density_max %g",
                    s->def.fall.density, low, high);
    if (s->def.ageing.density < low || s->def.ageing.density > high)
        return fail(FIRN_BAD_INPUT,
                    "field: ageing.density %g is not between density_min %g and density_max %g",
                    s->def.ageing.density, low, high);
    return FIRN_OK;
}

static firn_status check_amounts(const snowfield_state *s) {
    if ((double)s->law.density * s->def.depth > MASS_MOST * MASS_UNIT)
        return fail(FIRN_BAD_INPUT, "field: %g m of snow at %g kg/m3 exceeds the limit of a column: %g kg/m2",
                    s->def.depth, (double)s->law.density, MASS_MOST * MASS_UNIT);
    for (size_t i = 0; i < s->pour_count; i++)
        if (s->pours[i].density < (double)s->law.density_min ||
            s->pours[i].density > (double)s->law.density_max)
            return fail(FIRN_BAD_INPUT,
                        "field: pour density %g is not between density_min %g and density_max %g",
                        s->pours[i].density, (double)s->law.density_min, (double)s->law.density_max);
    return FIRN_OK;
}

static void drop_texts(firn_snowfield_def *def) {
    def->snow = def->depth_map = def->density_map = def->snow_from = NULL;
    def->ground.body = NULL;
    def->ground.shape = (firn_shape_def){0};
    def->pour.items = NULL;
}

// The cell was chosen when the field was made.
static void take_numbers(snowfield_state *s, const firn_snowfield_def *def) {
    double cell = s->def.cell;
    s->def = *def;
    s->def.cell = cell;
    set_law(s);
    drop_texts(&s->def);
}

firn_status snowfield_may_change(void *model, const void *params, const model_setting *setting) {
    (void)setting;
    const snowfield_state *s = model;
    const firn_snowfield_def *def = params;
    snowfield_state next = *s;
    take_numbers(&next, def);
    next.pours = (firn_snowfield_pour_def *)def->pour.items;
    TRY(check_law(&next.law));
    TRY(check_weather(&next));
    TRY(check_amounts(&next));
    if (snowfield_has_maps(s) && snowfield_has_weather(&next) && !snowfield_has_weather(s))
        return fail(FIRN_BAD_INPUT,
                    "field: snow that starts from a map cannot begin to fall or age while the world runs; "
                    "give fall.rate or ageing.time in the scene");
    return FIRN_OK;
}

void snowfield_changed(void *model, const void *params, const model_setting *setting) {
    snowfield_state *s = model;
    const firn_snowfield_def *def = params;
    model_setting_update(&s->setting, setting);
    snowfield_law law = s->law;
    firn_snowfield_def before = s->def;
    take_numbers(s, def);
    for (size_t p = 0; p < s->pour_count; p++) snowfield_change_pour(s, p, &def->pour.items[p], setting);
    if (setting->loading) return;
    snowfield_change_weather(s, &before, setting->time);
    bool slides = s->law.tan_loose < law.tan_loose || s->law.tan_packed < law.tan_packed ||
                  s->def.border != before.border;
    for (size_t t = 0; slides && t < s->tiles.count; t++) snowfield_touch(s, tile_rect(s, t));
}

static firn_status copy_pours(snowfield_state *s, const firn_snowfield_def *def) {
    s->pour_count = def->pour.count;
    if (s->pour_count == 0) return FIRN_OK;
    s->pours = mem_zero(s->pour_count, sizeof *s->pours);
    s->poured = mem_zero(s->pour_count, sizeof *s->poured);
    if (!s->pours || !s->poured) return fail_memory("creating the field", s->pour_count * sizeof *s->pours);
    memcpy(s->pours, def->pour.items, s->pour_count * sizeof *s->pours);
    for (size_t i = 0; i < s->pour_count; i++) s->pours[i].name = NULL;
    return FIRN_OK;
}

// Whole square cells that have the area of width times length together, so that the mass is what the scene
// says. Where the cell does not divide both sides, the shorter one decides how much smaller it is made, and
// each side is right to half a cell.
static firn_status choose_cells(snowfield_state *s) {
    firn_snowfield_def *def = &s->def;
    double shorter = fmin(def->width, def->length), longer = fmax(def->width, def->length);
    double across = fmax(ceil(shorter / def->cell - 1e-6), 1), along = ceil(longer / def->cell - 1e-6);
    if (fabs(across * def->cell / shorter - 1) > 1e-6 || fabs(along * def->cell / longer - 1) > 1e-6) {
        along = fmax(rint(longer * across / shorter), 1);
        def->cell = sqrt(shorter * longer / (across * along));
    }
    if (along > 1e7) return fail(FIRN_BAD_INPUT, "field: too many cells; raise cell");
    s->nx = (int32_t)(def->width <= def->length ? across : along);
    s->nz = (int32_t)(def->width <= def->length ? along : across);
    s->x0 = def->at.x - 0.5 * s->nx * def->cell;
    s->z0 = def->at.z - 0.5 * s->nz * def->cell;
    return FIRN_OK;
}

// On a rank that gets its part of the snow from the first one.
static bool is_told(const model_setting *setting) {
    return net_rank() > 0 && (setting->part > 0 || setting->for_frames);
}

static firn_status build(snowfield_state *s, const firn_snowfield_def *def) {
    TRY(choose_cells(s));
    set_law(s);
    TRY(snowfield_heat_create(s));
    TRY(check_law(&s->law));
    TRY(check_weather(s));
    s->edge = def->tile;
    while (1 << s->shift < s->edge) s->shift++;
    TRY(copy_pours(s, def));
    TRY(check_amounts(s));
    TRY(snowfield_start_create(s, def));
    const double grid[FIELD_GRID_SIZE] = {s->x0,
                                          s->z0,
                                          s->def.cell,
                                          s->nx,
                                          s->nz,
                                          s->edge,
                                          (double)snowfield_depth_m(s->start.mass, s->law.density),
                                          (double)s->law.density,
                                          def->at.y + def->ground.at.y};
    memcpy(s->grid, grid, sizeof grid);
    s->pristine[0] = s->start.mass;
    s->pristine[1] = (double)s->start.density;
    TRY(snowfield_tiles_create(s));
    TRY(snowfield_tiles_reserve(s, 1));
    TRY(snowfield_packed_create(s));
    TRY(snowfield_prints_create(s));
    TRY(snowfield_bits_create(s));
    TRY(snowfield_carry_loaded(s));
    TRY(snowfield_press_create(s));
    if (is_told(&s->setting)) return FIRN_OK;
    TRY(snowfield_weather_create(s));
    TRY(snowfield_prints_update(s));
    TRY(snowfield_covers_paint(s));
    snowfield_carve(s);
    snowfield_choose_dt_limit(s);
    TRY(snowfield_start_settle(s));
    snowfield_heat_start(s);
    snowfield_show(s);
    snowfield_heat_show(s);
    return FIRN_OK;
}

firn_status snowfield_create(const void *params, const model_setting *setting, const body_set *bodies,
                             void **model) {
    snowfield_state *s = mem_zero(1, sizeof *s);
    if (!s) return fail_memory("creating the field", sizeof *s);
    s->def = *(const firn_snowfield_def *)params;
    s->setting = *setting;
    s->bodies = bodies;
    s->exchange[EXCHANGE_FAILED] = -1;
    firn_status status = build(s, params);
    drop_texts(&s->def);
    s->setting.folder = NULL;
    if (status != FIRN_OK) {
        snowfield_destroy(s);
        return status;
    }
    *model = s;
    return FIRN_OK;
}

void snowfield_destroy(void *model) {
    snowfield_state *s = model;
    snowfield_ranks_free(s);
    snowfield_tiles_free(s);
    snowfield_packed_free(s);
    snowfield_sweep_free(&s->sweep);
    snowfield_limit_free(s);
    snowfield_covers_free(s);
    snowfield_prints_free(s);
    snowfield_press_free(s);
    snowfield_feet_free(s);
    snowfield_stands_free(s);
    snowfield_bits_free(s);
    snowfield_carry_free(s);
    snowfield_heat_free(s);
    snowfield_start_free(s);
    snowfield_give_free(s);
    snowfield_stacks_free(s);
    mem_free(s->pours);
    mem_free(s->poured);
    mem_free(s);
}

firn_status snowfield_cost(const void *params, const model_setting *setting, firn_cost *cost) {
    (void)setting;
    const firn_snowfield_def *def = params;
    double cells = (def->width / def->cell + def->tile) * (def->length / def->cell + def->tile);
    double likely = fmin(cells, 64.0 * def->tile * def->tile); // tiles come where something moves
    cost->cells += (uint64_t)cells;
    cost->memory += (uint64_t)(4 * cells / def->tile / def->tile + 16 * likely) + (8 << 20);
    cost->disk += (uint64_t)(12 * likely);
    cost->seconds += 2e-4;
    return FIRN_OK;
}
