// Creating the wind.
#include <math.h>
#include <string.h>

#include "wind/wind_state.h"

static poisson_box box_of(const firn_wind_def *def) {
    return poisson_box_of((int32_t)def->grid.x, (int32_t)def->grid.y, (int32_t)def->grid.z);
}

static bool make_arrays(wind_state *s) {
    float **const floats[] = {&s->v[0],    &s->v[1], &s->v[2], &s->next[0], &s->next[1],
                              &s->next[2], &s->hat,  &s->q,    &s->b};
    bool good = true;
    for (size_t i = 0; i < sizeof floats / sizeof *floats && !wind_is_stopped(s); i++) {
        *floats[i] = wind_array(s, WIND_PADDING, sizeof(float));
        good = good && *floats[i];
    }
    s->kind = wind_array(s, WIND_PADDING, 1);
    s->near_body = wind_array(s, 0, 1);
    s->owner = wind_array(s, 0, sizeof *s->owner);
    s->fixed_owner = wind_array(s, 0, sizeof *s->owner);
    s->whole = wind_array(s, 0, 1);
    s->fixed_node = wind_array(s, 0, sizeof *s->node);
    s->node = s->moving ? wind_array(s, 0, sizeof *s->node) : s->fixed_node;
    good = good && s->whole && s->fixed_node && s->node;
    const wind_items near = wind_own_items(s, WIND_BUILT_HALO);
    for (size_t a = near.first; good && a < near.end; a++) s->fixed_node[a] = INT16_MAX;
    for (int d = 0; d < 3; d++) {
        s->open[d] = wind_array(s, 0, 1);
        good = good && s->open[d];
    }
    s->profile = mem_zero((size_t)s->box.n[1] + 2, sizeof(float));
    for (int d = 0; d < 3; d++)
        s->air_n[d] = ((size_t)s->box.n[d] + (size_t)s->def.shown - 1) / (size_t)s->def.shown;
    const size_t shown = s->air_n[0] * s->air_n[1],
                 own = wind_air_planes(s, s->ranks.slabs.rank + 1) - wind_air_planes(s, s->ranks.slabs.rank);
    const bool part = wind_is_divided(s);
    s->air = part ? mem_part(shown * s->air_n[2], sizeof *s->air, shown * own * sizeof *s->air)
                  : mem_zero(shown * s->air_n[2], sizeof *s->air);
    s->gauges = part ? mem_part(shown * s->air_n[2], sizeof *s->gauges, shown * own * sizeof *s->gauges)
                     : mem_zero(shown * s->air_n[2], sizeof *s->gauges);
    s->obstacle_distance = wind_array(s, 0, 1);
    return good && s->obstacle_distance && s->near_body && s->kind && s->owner && s->fixed_owner &&
           s->profile && s->air && s->gauges;
}

static void set_grid(wind_state *s) {
    double step = s->def.shown * s->def.cell;
    double first = 0.5 * s->def.cell;
    const double grid[WIND_GRID_SIZE] = {s->low[0] + first,   s->low[1] + first,   s->low[2] + first,   step,
                                         (double)s->air_n[0], (double)s->air_n[1], (double)s->air_n[2], 0};
    memcpy(s->grid, grid, sizeof grid);
    for (int d = 0; d < 3; d++) s->cells[d] = s->low[d], s->cells[4 + d] = s->box.n[d];
    s->cells[3] = s->def.cell;
}

static size_t array_bytes(poisson_box box) { return box.size * (9 * sizeof(float) + 15); }

firn_status wind_begin_air(wind_state *s, const body_set *bodies) {
    wind_inflow_state now = wind_inflow_at(s, 0);
    TRY(wind_find_fixed(s, bodies));
    TRY(wind_find_obstacles(s, bodies, true));
    wind_start(s, now);
    wind_set_boundary_faces(s, now, bodies);
    s->reference = now.top;
    s->fastest = now.top;
    firn_status status = wind_project(s);
    if (s->watch) TRY(stop_status(s->watch)); // the pressure has then not converged
    TRY(status);
    wind_measure(s);
    s->air_stale = true;
    return FIRN_OK;
}

static firn_status build(wind_state *s, const firn_wind_def *def, const body_set *bodies) {
    s->box = box_of(def);
    s->low[0] = def->at.x - 0.5 * s->box.n[0] * def->cell;
    s->low[1] = def->at.y;
    s->low[2] = def->at.z - 0.5 * s->box.n[2] * def->cell;
    for (size_t b = 0; b < body_count(bodies); b++)
        s->moving = s->moving || body_motion(bodies, b) != FIRN_MOTION_FIXED;
    if (!wind_ranks_divide(s, &s->setting) || !make_arrays(s))
        return fail_memory("creating the wind", array_bytes(s->box));
    TRY(stop_status(s->watch));
    if (wind_is_divided(s))
        TRY(poisson_create_part(s->box, &s->ranks.slabs, &s->solver));
    else
        TRY(poisson_create(s->box, &s->solver));
    poisson_set_watch(s->solver, s->watch);
    TRY(around_create(s, bodies));
    TRY(warmth_create(s, bodies));
    TRY(wind_read_changes(s, def));
    wind_set_profile(s);
    wind_set_waves(s);
    set_grid(s);
    if (body_count(bodies) >= UINT16_MAX)
        return fail(FIRN_BAD_INPUT, "wind: too many bodies (at most 65534)");
    wind_inflow_state now = wind_inflow_at(s, 0);
    wind_set_sides(s, now);
    TRY(wind_check_sides(s));
    if (s->setting.for_frames) return FIRN_OK; // a frame holds the air, and where the cover is in bodies
    if (wind_is_divided(s)) {                  // together, when all ranks are there
        s->ranks.unmade = true;
        return FIRN_OK;
    }
    return wind_begin_air(s, bodies);
}

firn_status wind_create_grid(const firn_wind_def *def, const model_setting *setting, const body_set *bodies,
                             stop_watch *watch, bool is_around, wind_state **out) {
    wind_state *s = mem_zero(1, sizeof *s);
    *out = s;
    if (!s) return fail_memory("creating the wind", sizeof *s);
    s->def = *def;
    s->setting = *setting;
    s->bodies = bodies;
    s->watch = watch;
    s->is_around = is_around;
    firn_status status = build(s, def, bodies);
    s->watch = NULL;
    if (s->solver) poisson_set_watch(s->solver, NULL);
    s->def.inflow.series = NULL;
    s->def.inflow.changes.items = NULL;
    s->setting.folder = NULL;
    return status;
}

firn_status wind_create(const void *params, const model_setting *setting, const body_set *bodies,
                        void **model) {
    const firn_world_def *scene = setting->def;
    stop_watch watch = {0};
    wind_state *s;
    firn_status status = wind_create_grid(params, setting, bodies, &watch, false, &s);
    if (!s) return status;
    if (status == FIRN_OK && scene->flakes) status = flakes_create(s, scene->flakes, bodies);
    if (status == FIRN_OK && scene->cover) status = cover_create(s, scene);
    if (status != FIRN_OK) {
        wind_destroy(s);
        return status;
    }
    *model = s;
    return FIRN_OK;
}

// The wind follows a table of speeds and directions.
static bool has_table(const firn_wind_inflow_def *in) {
    return (in->series && in->series[0]) || in->changes.count > 0;
}

static void take_numbers(wind_state *s, const firn_wind_def *def) {
    s->def = *def;
    s->def.inflow.series = NULL;
    s->def.inflow.changes.items = NULL;
    if (!has_table(&def->inflow))
        s->changes[0] = (firn_wind_change_def){.speed = def->inflow.speed, .turn = def->inflow.turn};
}

firn_status wind_may_change(void *model, const void *params, const model_setting *setting) {
    const wind_state *s = model;
    const firn_wind_def *def = params;
    const firn_wind_inflow_def *in = &def->inflow;
    bool other =
        in->speed != s->def.inflow.speed || in->turn != s->def.inflow.turn || in->side != s->def.inflow.side;
    if (has_table(in) && other)
        return fail(FIRN_BAD_INPUT,
                    "wind.inflow: speed, turn and side cannot change: the wind follows inflow.%s",
                    in->changes.count > 0 ? "changes" : "series");
    wind_state next = *s; // its sides
    firn_wind_change_def only;
    if (!has_table(in)) next.changes = &only;
    take_numbers(&next, def);
    wind_set_sides(&next, wind_inflow_at(&next, setting->time));
    TRY(wind_check_sides(&next));
    return setting->def->cover ? cover_may_change(setting->def) : FIRN_OK;
}

void wind_take_grid(wind_state *s, const firn_wind_def *def, const model_setting *setting) {
    model_setting_update(&s->setting, setting);
    s->setting.time = setting->time;
    take_numbers(s, def);
    wind_set_profile(s);
    wind_set_waves(s);
    around_changed(s, def, setting);
}

void wind_changed(void *model, const void *params, const model_setting *setting) {
    wind_state *s = model;
    const firn_world_def *scene = setting->def;
    wind_take_grid(s, params, setting);
    if (scene->flakes) {
        s->flakes.def.swirl = scene->flakes->swirl;
        flakes_set_snowfall(&s->flakes, scene->flakes->snowfall);
    }
    if (scene->cover) {
        if (s->cover.def.wind != scene->cover->wind) s->stale = true;
        cover_take_numbers(&s->cover, scene);
    }
}

void wind_destroy(void *model) {
    wind_state *s = model;
    poisson_destroy(s->solver);
    around_destroy(s);
    for (int c = 0; c < 3; c++) {
        mem_free(s->v[c]);
        mem_free(s->next[c]);
        mem_free(s->faces[c].face);
        mem_free(s->faces[c].ghost);
        mem_free(s->faces[c].wall);
        mem_free(s->open[c]);
        mem_free(s->held[c]);
    }
    wind_turbulence_destroy(&s->turbulence);
    mem_free(s->hat);
    mem_free(s->q);
    warmth_destroy(&s->warmth);
    mem_free(s->b);
    mem_free(s->kind);
    mem_free(s->obstacle_distance);
    mem_free(s->near_body);
    mem_free(s->buried);
    flakes_destroy(&s->flakes);
    cover_destroy(&s->cover);
    if (s->node != s->fixed_node) mem_free(s->node);
    mem_free(s->fixed_node);
    mem_free(s->whole);
    mem_free(s->owner);
    mem_free(s->fixed_owner);
    mem_free(s->profile);
    mem_free(s->air);
    mem_free(s->gauges);
    mem_free(s->changes);
    net_slabs_free(&s->ranks.slabs);
    mem_free(s);
}

firn_status wind_cost(const void *params, const model_setting *setting, firn_cost *cost) {
    const firn_wind_def *def = params;
    const firn_flakes_def *flakes = setting->def->flakes;
    const firn_cover_def *cover = setting->def->cover;
    poisson_box box = box_of(def);
    const around_cost around = around_cost_of(def);
    double cells = def->grid.x * def->grid.y * def->grid.z, stepped = cells + around.stepped;
    double shown = (cells + around.cells) / def->shown / def->shown / def->shown;
    const firn_world_def *scene = setting->def;
    if (scene->grains || scene->mpm || scene->pbd || scene->phase)
        cost->memory += 3 * box.size * sizeof(float);
    cost->cells += (uint64_t)(cells + around.cells);
    cost->memory += array_bytes(box) + poisson_bytes(box) + around.bytes + (uint64_t)(20 * shown);
    cost->disk += (uint64_t)(20 * shown);
    if (def->buoyancy) {
        cost->memory += box.size * sizeof(float);
        cost->seconds += 3e-8 * cells;
    }
    if (flakes) {
        double columns = 4 * def->grid.x * def->grid.z, count = flakes->shown;
        cost->particles += (uint64_t)count;
        cost->memory += (uint64_t)(96 * 1.5 * count + columns);
        cost->disk += (uint64_t)(40 * count + columns);
        cost->seconds += 1e-7 * count;
    }
    if (cover) {
        cost->memory += (12 + (cover->saltation > 0 ? 4 : 0) + (cover->wind ? 6 : 0)) * box.size +
                        40 * box.size / (size_t)(box.n[1] + 2);
        cost->disk += (uint64_t)(4 * cells);
        cost->seconds += 4e-9 * cells * cover->sweeps;
    }
    cost->seconds += stepped * (def->advection == FIRN_WIND_MACCORMACK ? 8e-8 : 5e-8);
    return FIRN_OK;
}

void wind_set_ground(void *model, const wind_ground *ground) {
    wind_state *s = model;
    s->ground = *ground;
    beside_find(s);
}

void wind_set_pushed(void *model, const uint8_t *pushed, size_t count) {
    wind_state *s = model;
    s->pushed = pushed, s->pushed_count = pushed ? count : 0;
}

void wind_given(const void *model, double impulse[3]) {
    memcpy(impulse, ((const wind_state *)model)->given, sizeof((wind_state *)0)->given);
}

double wind_cell_size(const void *model) { return ((const wind_state *)model)->def.cell; }

double wind_flake_mass(const void *model) {
    const wind_flakes *f = &((const wind_state *)model)->flakes;
    return f->on ? f->mass : 0;
}
