// From shapes and lattices to the particles of solids.
#include "pbd/pbd_state.h"

#include <math.h>
#include <stdio.h>

#include "base/auto.h"
#include "base/random.h"
#include "geom/fill.h"
#include "pbd/pbd_material.h"

enum { PATH_LENGTH = 96 }; // "pbd.solids." and a name of 63 bytes
static const double MOST_PARTICLES = 5e7;

typedef struct solid_points {
    float (*at)[3]; // m, in the solid's own frame
    size_t count;
    double volume;  // m3, of one
    double spacing; // m, between layers
} solid_points;

static firn_status fill_lattice(const firn_pbd_solid_def *def, const char *path, solid_points *out) {
    double n[3] = {def->lattice.x, def->lattice.y, def->lattice.z}, step = def->spacing * def->fill.scale;
    if (!(n[0] * n[1] * n[2] <= MOST_PARTICLES))
        return fail(FIRN_BAD_INPUT, "%s: a lattice of %g particles is too large (at most %g)", path,
                    n[0] * n[1] * n[2], MOST_PARTICLES);
    size_t count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2], nx = (size_t)n[0], ny = (size_t)n[1];
    out->at = mem_alloc(count * sizeof *out->at);
    if (!out->at) return fail_memory("making a lattice of particles", count * sizeof *out->at);
    for (size_t i = 0; i < count; i++) {
        const double at[3] = {(double)(i % nx), (double)(i / nx % ny), (double)(i / nx / ny)};
        for (int a = 0; a < 3; a++) out->at[i][a] = (float)((at[a] - (n[a] - 1) / 2) * step);
    }
    out->count = count;
    out->volume = pbd_particle_volume(def, step);
    out->spacing = def->spacing;
    return FIRN_OK;
}

firn_status pbd_fill(const firn_pbd_solid_def *def, const shape *form, uint64_t seed, fill_points *out) {
    switch (def->from) {
    case FIRN_PBD_SURFACE:
        return fill_surface(form, def->spacing, auto_or(def->radius, def->spacing / 2), seed, out);
    case FIRN_PBD_VERTICES: return fill_vertices(form, def->spacing, out);
    default: return fill_shape_fitted(form, def->spacing, def->pattern, seed, out);
    }
}

static firn_status fill_form(const firn_pbd_solid_def *def, const char *path, const shape *form,
                             uint64_t seed, solid_points *out) {
    fill_points points;
    double thickness = shape_thickness(form);
    if (thickness < def->spacing && def->from != FIRN_PBD_VERTICES)
        return fail(FIRN_BAD_INPUT,
                    "%s: the shape is only %g m thick, and its particles are %g m apart; lower spacing, or "
                    "use a lattice instead of a shape",
                    path, thickness, def->spacing);
    firn_status status = pbd_fill(def, form, seed, &points);
    if (status != FIRN_OK)
        return status == FIRN_BAD_INPUT ? fail(status, "%s: %s", path, firn_last_error()) : status;
    *out = (solid_points){points.at, points.count, points.volume, points.spacing};
    return FIRN_OK;
}

static firn_status make_points(const pbd *s, const firn_pbd_solid_def *def, size_t number, const char *path,
                               solid_points *out) {
    if (def->lattice.x > 0) return fill_lattice(def, path, out);
    shape *form;
    TRY(shape_create(&def->fill.shape, def->fill.scale, s->setting.folder, path, &form));
    firn_status status = fill_form(def, path, form, s->setting.seed + number, out);
    shape_destroy(form);
    return status;
}

void pbd_take_surface(pbd_group *group, const firn_pbd_solid_def *def) {
    group->friction = (float)def->friction;
    group->static_friction = (float)auto_or(def->static_friction, 1.3 * def->friction);
    group->self_contact = def->self_contact;
    group->break_strain = (float)def->break_strain;
}

static pbd_group group_of(const pbd *s, const firn_pbd_solid_def *def, const solid_points *points) {
    double mass = pbd_material_of(def, 3).density * points->volume;
    pbd_group group = {
        .phase = PBD_SOLID,
        .mass = mass,
        .volume = points->volume,
        .inverse_mass = (float)(1 / mass),
        .radius = (float)auto_or(def->radius, points->spacing / 2),
        .keeps_volume = def->volume_stiffness > 0,
        .elastic = pbd_is_elastic(def) && pbd_lattice_dimensions(def) == 3,
        .linked = def->links != FIRN_PBD_LOOSE || pbd_is_elastic(def),
        .first = s->p.count,
        .count = points->count,
        .color = def->color,
    };
    pbd_take_surface(&group, def);
    return group;
}

// Cloth and ropes that are quite flat or straight cannot buckle: a flag would stand out from its pole like a
// board. So elastic ones start a little uneven, though they are flat when nothing pulls at them.
static firn_vec3 unevenness(const pbd *s, const firn_pbd_solid_def *def, size_t i) {
    static const double SHARE = 1e-3; // of the spacing
    firn_vec3 out = {0};
    if (!(def->lattice.x > 0) || !pbd_is_elastic(def)) return out;
    random4 r = random_bits(s->setting.seed, i, 0, 72);
    double size = SHARE * def->spacing;
    if (def->lattice.x == 1) out.x = size * ((double)random_unit(r, 0) - 0.5);
    if (def->lattice.y == 1) out.y = size * ((double)random_unit(r, 1) - 0.5);
    if (def->lattice.z == 1) out.z = size * ((double)random_unit(r, 2) - 0.5);
    return out;
}

firn_status pbd_add_solid(pbd *s, const firn_pbd_solid_def *def, size_t number) {
    char path[PATH_LENGTH];
    solid_points points = {0};
    snprintf(path, sizeof path, "pbd.solids.%s", def->name ? def->name : "solid");
    TRY(make_points(s, def, number, path, &points));
    s->groups[number] = group_of(s, def, &points);
    firn_status status = pbd_reserve(s, s->p.count + points.count);
    firn_quat rotation = dquat_from_angles(def->fill.rotate);
    firn_vec3 centre = {0};
    for (size_t i = 0; i < points.count; i++)
        centre = dvec_add_scaled(centre, pbd_at(points.at[i]), 1 / (double)points.count);
    for (size_t i = 0; i < points.count && status == FIRN_OK; i++) {
        firn_vec3 arm = dquat_rotate(rotation, dvec_sub(pbd_at(points.at[i]), centre));
        firn_vec3 at = dvec_add(def->fill.at, dquat_rotate(rotation, pbd_at(points.at[i])));
        firn_vec3 start = dvec_add(at, dquat_rotate(rotation, unevenness(s, def, i)));
        size_t p =
            pbd_add_particle(s, start, dvec_add(def->velocity, dvec_cross(def->spin, arm)), (uint32_t)number);
        firn_vec3 rest = dvec_sub(at, def->fill.at);
        s->p.rest[p][0] = (float)rest.x, s->p.rest[p][1] = (float)rest.y, s->p.rest[p][2] = (float)rest.z;
    }
    mem_free(points.at);
    return status;
}

// Two particles at one position could never be separated again.
firn_status pbd_check_duplicates(pbd *s, const firn_pbd_def *def, size_t first) {
    double search_radius = INFINITY;
    TRY(pbd_find_frames(s));
    for (size_t k = 0; k < def->solids.count; k++)
        search_radius = fmin(search_radius, 1e-3 * def->solids.items[k].spacing);
    neighbour_grid grid = {0};
    neighbour_lists lists = {0};
    const float *x = &s->p.x[0][0];
    firn_status status = neighbour_grid_build(&grid, x, 3, s->p.solids, 4 * search_radius);
    if (status == FIRN_OK)
        status = neighbour_lists_build(&lists, &grid, x, 3, search_radius, true, NULL, NULL);
    for (size_t i = 0; status == FIRN_OK && i < s->p.solids; i++) {
        size_t k = lists.first[i], end = lists.first[i + 1];
        while (k < end && i < first && lists.index[k] < first) k++;
        if (k == end) continue;
        size_t j = lists.index[k];
        const char *a = def->solids.items[s->p.group[i]].name, *b = def->solids.items[s->p.group[j]].name;
        status =
            fail(FIRN_BAD_INPUT,
                 "pbd: a particle of solid '%s' and one of solid '%s' are both at [%g, %g, %g]; move one "
                 "of them",
                 a ? a : "solid", b ? b : "solid", s->p.at[i][0], s->p.at[i][1], s->p.at[i][2]);
    }
    neighbour_grid_free(&grid);
    neighbour_lists_free(&lists);
    return status;
}

void pbd_find_solids(pbd *s) {
    for (size_t k = 0; k < s->group_count; k++) s->groups[k].first = s->groups[k].count = 0;
    for (size_t i = 0; i < s->p.solids; i++) {
        pbd_group *group = &s->groups[s->p.group[i]];
        if (group->count++ == 0) group->first = i;
    }
}

firn_status pbd_make_solids(pbd *s, const firn_pbd_def *def) {
    for (size_t k = 0; k < def->solids.count; k++) {
        TRY(pbd_add_solid(s, &def->solids.items[k], k));
        s->group_count++;
    }
    s->p.solids = s->p.count;
    return def->solids.count > 0 ? pbd_check_duplicates(s, def, 0) : FIRN_OK;
}
