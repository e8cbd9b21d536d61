// Where liquid comes from and where it goes: pools at the start, spouts, drains; with their mass accounted
// for.
#include "pbd/pbd_fluid_work.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "pbd/pbd_planes.h"

enum { PATH_LENGTH = 96, CHUNK = 256 };

static pbd_group group_of(const firn_pbd_fluid_def *def, double density, firn_vec3 color) {
    double volume = def->spacing * def->spacing * def->spacing,
           mass = auto_or(density, def->density) * volume;
    return (pbd_group){
        .phase = PBD_FLUID,
        .mass = mass,
        .volume = volume,
        .inverse_mass = (float)(1 / mass),
        .radius = (float)(def->spacing / 2),
        .friction = (float)def->friction,
        .static_friction = (float)def->friction,
        .color = firn_is_auto(color.x) ? def->color : color,
    };
}

// ---- pools

// Whether a particle is nearer than `radius` already, or a grain nearer than `off`.
static bool is_occupied(const pbd *s, const neighbour_grid *g, firn_vec3 origin, firn_vec3 at, double radius,
                        double off) {
    firn_vec3 place = dvec_sub(at, origin);
    const float x[3] = {(float)place.x, (float)place.y, (float)place.z};
    int32_t c[3];
    for (int a = 0; a < 3; a++) c[a] = neighbour_cell(g, x[a]);
    for (int k = 0; k < 27; k++) {
        uint32_t cell = neighbour_key(g, c[0] + k % 3 - 1, c[1] + k / 3 % 3 - 1, c[2] + k / 9 - 1);
        for (uint32_t m = g->begin[cell]; m < g->end[cell]; m++) {
            bool grain = s->groups[s->p.group[g->order[m]]].phase == PBD_GRAIN;
            if (dvec_distance(pbd_place(s, g->order[m]), at) < (grain ? off : radius)) return true;
        }
    }
    return false;
}

static bool is_in_body(const pbd *s, firn_vec3 at, double least) {
    const float none[3] = {0};
    for (size_t b = 0; s->bodies && b < body_count(s->bodies); b++) {
        pbd_plane p;
        body_query_near(s->bodies, b, at, 1, &none[0], &none[1], &none[2], &p.d, &p.n[0], &p.n[1], &p.n[2]);
        if (!((double)p.d < least)) continue;
        if (!(p.d > 0)) return true;
        if ((double)pbd_nearest_plane(s->bodies, b, at, none, p, 2 * (float)least).d < least) return true;
    }
    return false;
}

// Only where there is nothing else: no body, no solid, no earlier pool. What a random pattern puts too near
// to a body is moved off it before the first step; a lattice has its outer layer where it touches.
static firn_status place(pbd *s, const fluid_fill *def, const fill_plan *plan, const fill_points *points) {
    neighbour_grid grid = {0};
    double spacing = plan->spacing, least = def->pattern == FIRN_FILL_REGULAR ? 0.9 * plan->depth : 0;
    firn_quat turn = dquat_from_angles(def->fill->rotate);
    firn_status status = pbd_reserve(s, s->p.count + points->count);
    float(*near)[3] = mem_zero(s->p.count + 1, sizeof *near); // from the shape
    if (status == FIRN_OK && !near) status = fail_memory("filling a shape", s->p.count * sizeof *near);
    for (size_t i = 0; status == FIRN_OK && i < s->p.count; i++) {
        firn_vec3 at = dvec_sub(pbd_place(s, i), def->fill->at);
        near[i][0] = (float)at.x, near[i][1] = (float)at.y, near[i][2] = (float)at.z;
    }
    if (status == FIRN_OK)
        status = neighbour_grid_build(&grid, &near[0][0], 3, s->p.count, fmax(spacing, def->off));
    mem_free(near);
    for (size_t i = 0; i < points->count && status == FIRN_OK; i++) {
        firn_vec3 at = dvec_add(def->fill->at, dquat_rotate(turn, pbd_at(points->at[i])));
        if (is_in_body(s, at, least) || (def->is_taken && def->is_taken(def->by, at)) ||
            (grid.count > 0 && is_occupied(s, &grid, def->fill->at, at, 0.7 * spacing, def->off)))
            continue;
        pbd_add_particle(s, at, def->velocity, def->group);
    }
    neighbour_grid_free(&grid);
    return status;
}

static void take_plan(pbd_group *group, const fluid_fill *def, const fill_plan *plan) {
    if (def->sizes == FILL_ADAPTED) {
        group->mass *= plan->volume / group->volume;
        group->volume = plan->volume;
        group->inverse_mass = (float)(1 / group->mass);
    } else if (group->phase == PBD_GRAIN && def->pattern == FIRN_FILL_REGULAR) {
        group->radius =
            (float)fmin((double)group->radius, plan->spacing / 2); // layers that are drawn together
    }
}

static firn_status fill_form(pbd *s, const fluid_fill *def, const shape *form) {
    const fill_plan plan = fill_plan_of(form, def->spacing, def->sizes);
    fill_points points = {0};
    size_t before = s->p.count;
    if (plan.count > 0) take_plan(&s->groups[def->group], def, &plan);
    if (s->setting.loading) return FIRN_OK;
    firn_status status =
        fill_planned(form, def->spacing, def->sizes, def->pattern, s->setting.seed + def->group, &points);
    if (status != FIRN_OK)
        return status == FIRN_BAD_INPUT ? fail(status, "%s: %s", def->path, firn_last_error()) : status;
    status = place(s, def, &plan, &points);
    fill_free(&points);
    if (status == FIRN_OK && s->p.count == before)
        return fail(FIRN_BAD_INPUT,
                    "%s: no room for any particle: bodies, solids or other pools fill the shape", def->path);
    return status;
}

firn_status fluid_fill_shape(pbd *s, const fluid_fill *def) {
    if (s->setting.for_frames) return FIRN_OK;
    shape *form;
    TRY(shape_create(&def->fill->shape, def->fill->scale, s->setting.folder, def->path, &form));
    firn_status status = fill_form(s, def, form);
    shape_destroy(form);
    return status;
}

firn_status fluid_fill_pool(pbd *s, const firn_pbd_fluid_def *fluid, const firn_pbd_pool_def *def,
                            uint32_t group) {
    s->groups[group] = group_of(fluid, def->density, def->color);
    char path[PATH_LENGTH];
    snprintf(path, sizeof path, "pbd.fluid.pools.%s", def->name ? def->name : "pool");
    const fluid_fill fill = {.fill = &def->fill,
                             .pattern = def->pattern,
                             .spacing = fluid->spacing,
                             .velocity = def->velocity,
                             .group = group,
                             .path = path,
                             .sizes = FILL_ADAPTED};
    return fluid_fill_shape(s, &fill);
}

firn_status fluid_fill_pools(pbd *s, const firn_pbd_def *def) {
    const firn_pbd_fluid_def *fluid = def->fluid;
    for (size_t k = 0; k < fluid->pools.count; k++) {
        uint32_t group = (uint32_t)s->group_count++;
        TRY(fluid_fill_pool(s, fluid, &fluid->pools.items[k], group));
    }
    for (size_t k = 0; k < fluid->spouts.count; k++) {
        const firn_pbd_spout_def *spout = &fluid->spouts.items[k];
        s->groups[s->group_count++] = group_of(fluid, spout->density, spout->color);
    }
    return FIRN_OK;
}

// ---- spouts and drains

firn_status fluid_make_sources(pbd *s, pbd_fluid *f, const firn_pbd_fluid_def *def) {
    f->first_spout = (uint32_t)(s->group_count - def->spouts.count);
    f->spout_groups = 1;
    f->spout = mem_zero(def->spouts.count + 1, sizeof *f->spout);
    f->layers = mem_zero(def->spouts.count + 1, sizeof *f->layers);
    f->drain = mem_zero(def->drains.count + 1, sizeof *f->drain);
    f->hole = mem_zero(def->drains.count + 1, sizeof *f->hole);
    if (!f->spout || !f->layers || !f->drain || !f->hole)
        return fail_memory("creating spouts", def->spouts.count * sizeof *f->spout);
    f->spouts = def->spouts.count;
    for (size_t k = 0; k < f->spouts; k++) f->spout[k] = def->spouts.items[k].opening;
    for (size_t k = 0; k < def->drains.count; k++) {
        char path[PATH_LENGTH];
        f->drain[k] = def->drains.items[k];
        snprintf(path, sizeof path, "%s.drains.%s", s->section,
                 f->drain[k].name ? f->drain[k].name : "drain");
        TRY(shape_create(&f->drain[k].where.shape, f->drain[k].where.scale, s->setting.folder, path,
                         &f->hole[k]));
        f->drains = k + 1;
    }
    return FIRN_OK;
}

void fluid_free_sources(pbd_fluid *f) {
    for (size_t k = 0; k < f->drains; k++) shape_destroy(f->hole[k]);
    mem_free(f->hole);
    mem_free(f->drain);
    mem_free(f->spout);
    mem_free(f->layers);
}

static double layer_time(const pbd_fluid *f, const firn_opening_def *spout) { // s
    return f->def.spacing / dvec_length(spout->velocity);
}

void fluid_change_spout(pbd_fluid *f, size_t k, const firn_opening_def *def, const model_setting *setting) {
    firn_opening_def *spout = &f->spout[k];
    if (!setting->loading && memcmp(spout, def, sizeof *def) != 0) {
        double due = spout->start + f->layers[k] * layer_time(f, spout);
        f->layers[k] = fmax((fmax(due, setting->time) - def->start) / layer_time(f, def), 0);
    }
    *spout = *def;
}

void fluid_change_drain(pbd_fluid *f, size_t k, const firn_pbd_drain_def *def) {
    f->drain[k].start = def->start;
    f->drain[k].end = def->end;
}

// Particles of a layer lie on a lattice, at most so far from the middle (m).
static double widest_of(const firn_opening_def *def, double spacing) {
    return fmax(def->radius - spacing / 2, 0);
}

// One layer of particles in the opening, `ahead` of it.
static firn_status spout_layer(pbd *s, const pbd_fluid *f, size_t k, double ahead) {
    const firn_opening_def *def = &f->spout[k];
    firn_vec3 along = dvec_normalise(def->velocity), u = dvec_perpendicular(along), v = dvec_cross(along, u);
    double step = f->def.spacing, widest = widest_of(def, step);
    int n = (int)(widest / step);
    firn_vec3 middle = dvec_add_scaled(def->at, along, ahead);
    TRY(pbd_reserve(s, s->p.count + (size_t)(2 * n + 1) * (size_t)(2 * n + 1) + 1));
    for (int i = -n; i <= n; i++)
        for (int j = -n; j <= n; j++) {
            if (hypot(i, j) * step > widest) continue;
            firn_vec3 at = dvec_add_scaled(dvec_add_scaled(middle, u, i * step), v, j * step);
            pbd_add_particle(s, at, def->velocity, f->first_spout + (uint32_t)k * f->spout_groups);
        }
    return FIRN_OK;
}

firn_status fluid_make_room(pbd *s, pbd_fluid *f, size_t before) {
    if (s->p.count == before) return FIRN_OK;
    TRY(fluid_reserve(s, f));
    memset(f->pressure + before, 0, (s->p.count - before) * sizeof *f->pressure);
    memset(f->lambda + before, 0, (s->p.count - before) * sizeof *f->lambda);
    return FIRN_OK;
}

static firn_status add_particles(pbd *s, pbd_fluid *f, double now) {
    size_t before = s->p.count;
    for (size_t k = 0; k < f->spouts; k++) {
        const firn_opening_def *def = &f->spout[k];
        double speed = dvec_length(def->velocity), each = layer_time(f, def);
        while (def->start + f->layers[k] * each <= fmin(now, def->end)) {
            TRY(spout_layer(s, f, k, (now - def->start - f->layers[k] * each) * speed));
            f->layers[k]++;
        }
    }
    return fluid_make_room(s, f, before);
}

// Marks in `gone` which of n particles from `first` on are inside a drain.
static void mark_drained(const pbd *s, const pbd_fluid *f, double now, size_t first, size_t n, bool *gone) {
    float x[CHUNK], y[CHUNK], z[CHUNK], d[CHUNK];
    for (size_t k = 0; k < f->drains; k++) {
        const firn_pbd_drain_def *def = &f->drain[k];
        if (now < def->start || now > def->end) continue;
        firn_quat back = dquat_inverse(dquat_from_angles(def->where.rotate));
        for (size_t i = 0; i < n; i++) {
            firn_vec3 at = dquat_rotate(back, dvec_sub(pbd_place(s, first + i), def->where.at));
            x[i] = (float)at.x, y[i] = (float)at.y, z[i] = (float)at.z;
        }
        shape_query(f->hole[k], n, x, y, z, d, NULL, NULL, NULL);
        for (size_t i = 0; i < n; i++) gone[i] |= d[i] < 0;
    }
}

static void move_particle(pbd *s, pbd_fluid *f, size_t from, size_t to) {
    memcpy(s->p.at[to], s->p.at[from], sizeof s->p.at[to]);
    memcpy(s->p.v[to], s->p.v[from], sizeof s->p.v[to]);
    s->p.id[to] = s->p.id[from];
    s->p.group[to] = s->p.group[from];
    for (size_t k = 0; k < s->columns; k++) {
        const pbd_column *c = &s->column[k];
        memcpy((char *)c->at + to * c->item, (char *)c->at + from * c->item, c->item);
    }
    f->pressure[to] = f->pressure[from];
    f->lambda[to] = f->lambda[from];
}

static void remove_particles(pbd *s, pbd_fluid *f, double now) {
    size_t kept = s->p.solids;
    for (size_t first = s->p.solids; first < s->p.count; first += CHUNK) {
        bool gone[CHUNK] = {false};
        size_t n = s->p.count - first < CHUNK ? s->p.count - first : CHUNK;
        mark_drained(s, f, now, first, n, gone);
        for (size_t i = 0; i < n; i++) {
            if (gone[i] && s->hooks) s->hooks->left(s, first + i);
            if (gone[i])
                s->counters.mass_out += s->groups[s->p.group[first + i]].mass;
            else if (kept++ != first + i)
                move_particle(s, f, first + i, kept - 1);
        }
    }
    s->p.count = kept;
}

void fluid_take_out(pbd *s, pbd_fluid *f, const model_region *region, uint32_t first, uint32_t groups) {
    size_t kept = s->p.solids;
    for (size_t i = kept; i < s->p.count; i++) {
        uint32_t group = s->p.group[i];
        if (region->item ? group - first < groups : model_region_has(region, pbd_place(s, i))) {
            if (s->hooks) s->hooks->left(s, i);
            s->counters.mass_out += s->groups[group].mass;
        } else if (kept++ != i)
            move_particle(s, f, i, kept - 1);
    }
    s->p.count = kept;
}

void fluid_take_items(pbd *s, pbd_fluid *f, size_t count, const uint32_t *items) {
    size_t kept = count > 0 ? items[0] : s->p.count;
    for (size_t i = kept, k = 0; i < s->p.count; i++) {
        if (k < count && items[k] == i) {
            if (s->hooks) s->hooks->left(s, i);
            s->counters.mass_out += s->groups[s->p.group[i]].mass;
            k++;
        } else if (kept++ != i)
            move_particle(s, f, i, kept - 1);
    }
    if (count > 0) s->p.count = kept;
}

static void shift_groups(pbd *s, uint32_t at, uint32_t groups, bool up) {
    for (size_t i = 0; i < s->p.count; i++)
        if (s->p.group[i] >= (up ? at : at + groups)) s->p.group[i] += up ? groups : -groups;
}

firn_status fluid_insert_groups(pbd *s, pbd_fluid *f, uint32_t at, uint32_t groups) {
    pbd_group *more = mem_resize(s->groups, (s->group_count + groups) * sizeof *more);
    if (!more) return fail_memory("adding particles", (s->group_count + groups) * sizeof *more);
    memmove(more + at + groups, more + at, (s->group_count - at) * sizeof *more);
    s->groups = more;
    s->group_count += groups;
    if (f) f->first_spout += groups;
    shift_groups(s, at, groups, true);
    return FIRN_OK;
}

void fluid_remove_groups(pbd *s, pbd_fluid *f, uint32_t at, uint32_t groups) {
    s->group_count -= groups;
    memmove(s->groups + at, s->groups + at + groups, (s->group_count - at) * sizeof *s->groups);
    if (f) f->first_spout -= groups;
    shift_groups(s, at, groups, false);
}

firn_status fluid_finish(pbd *s, void *data, body_set *bodies, model_step step) {
    (void)bodies;
    pbd_fluid *f = data;
    double now = step.time + step.dt;
    fluid_watch_density(s, f, step);
    if (f->drains > 0) remove_particles(s, f, now);
    return add_particles(s, f, now);
}

double fluid_spouted(const firn_opening_def *spout, double duration, double spacing) {
    double last = fmin(spout->end, duration), widest = widest_of(spout, spacing) / spacing, layer = 0;
    if (last < spout->start || !(duration > 0)) return 0;
    if (widest > 1e4) return 1e15;
    for (double i = 0; i <= widest; i++) { // rows on both sides of the middle
        double half = floor(sqrt(widest * widest - i * i) + 1e-9);
        layer += (i > 0 ? 2 : 1) * (2 * half + 1);
    }
    double each = spacing / dvec_length(spout->velocity);
    return fmin(layer * (floor((last - spout->start) / each) + 1), 1e15);
}

firn_status fluid_cost(const firn_pbd_def *def, const model_setting *setting, firn_cost *cost) {
    const firn_pbd_fluid_def *fluid = def->fluid;
    double count = 0;
    for (size_t k = 0; k < fluid->pools.count; k++) {
        shape *form;
        const firn_fill_def *fill = &fluid->pools.items[k].fill;
        TRY(shape_create(&fill->shape, fill->scale, setting->folder, "pool", &form));
        count += fmin(fill_plan_of(form, fluid->spacing, FILL_ADAPTED).count, 1e15);
        shape_destroy(form);
    }
    for (size_t k = 0; k < fluid->spouts.count; k++)
        count += fluid_spouted(&fluid->spouts.items[k].opening, setting->duration, fluid->spacing);
    double support = auto_or(fluid->smoothing, 2 * fluid->spacing) / fluid->spacing;
    double near = 4.0 / 3 * M_PI * support * support * support;
    cost->particles += (uint64_t)count;
    cost->memory += (uint64_t)(count * (56 + 80 + 76 + near * 4 * 1.3));
    cost->disk += (uint64_t)(count * 4 * (3 + 3 + 1 + 1 + 1));
    cost->seconds += count * fmax(def->substeps, 1) * (2e-7 + near * 1.5e-9 * (2 * def->iterations + 3));
    return FIRN_OK;
}
