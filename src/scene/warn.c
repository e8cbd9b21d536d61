// Warnings about scenes that can be run but are probably not as intended.
#include "scene/warn.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/plain.h"
#include "geom/shape.h"
#include "geom/thickness.h"
#include "math/dvec.h"
#include "pbd/pbd_material.h"
#include "phase/phase.h"
#include "scene/load.h"
#include "scene/locate.h"
#include "world/world_regions.h"

enum { PATH_LENGTH = 96 }; // "pbd.solids." and a name of 63 bytes
enum { SIDE = 20, SAMPLES = SIDE * SIDE * SIDE };

// Shares of a fill that are worth a warning. Where a model leaves out particles that would start inside a
// body, some overlap may be intended.
static const double INSIDE = 0.02, LEFT_OUT = 0.5, LEAST_CELLS = 3, THIN_PARTS = 0.02;

// A fill with points that are spread evenly through it.
typedef struct sampled {
    const world_fill *fill;
    shape *form;
    firn_vec3 low, high; // box around it, in the world
    float *x, *y, *z;    // from where the fill is, along the axes of the world
    size_t count;
} sampled;

static void sampled_free(sampled *s) {
    shape_destroy(s->form);
    mem_free(s->x);
}

static firn_vec3 point(const sampled *s, size_t i) {
    return dvec((double)s->x[i], (double)s->y[i], (double)s->z[i]);
}

static void keep_inside(sampled *s, const float *distance) {
    firn_quat turn = dquat_from_angles(s->fill->rotate);
    size_t kept = 0;
    for (size_t i = 0; i < SAMPLES; i++) {
        if (!(distance[i] < 0)) continue;
        firn_vec3 off = dquat_rotate(turn, point(s, i)), at = dvec_add(s->fill->at, off);
        s->x[kept] = (float)off.x, s->y[kept] = (float)off.y, s->z[kept] = (float)off.z;
        s->low = kept ? dvec_min(s->low, at) : at;
        s->high = kept ? dvec_max(s->high, at) : at;
        kept++;
    }
    s->count = kept;
}

static firn_status sample(const scene *whole, const world_fill *fill, sampled *s) {
    firn_vec3 low, high;
    *s = (sampled){.fill = fill};
    TRY(shape_create(fill->shape, fill->scale, whole->def.world.folder, fill->path, &s->form));
    s->x = mem_alloc(4 * SAMPLES * sizeof *s->x);
    if (!s->x) return fail_memory("looking at what is filled", 4 * SAMPLES * sizeof *s->x);
    s->y = s->x + SAMPLES, s->z = s->y + SAMPLES;
    if (!shape_bounds(s->form, &low, &high)) return FIRN_OK;
    firn_vec3 step = dvec_scale(dvec_sub(high, low), 1.0 / SIDE);
    for (size_t i = 0; i < SAMPLES; i++) {
        s->x[i] = (float)(low.x + step.x * ((double)(i % SIDE) + 0.5));
        s->y[i] = (float)(low.y + step.y * ((double)(i / SIDE % SIDE) + 0.5));
        s->z[i] = (float)(low.z + step.z * ((double)(i / SIDE / SIDE) + 0.5));
    }
    float *distance = s->z + SAMPLES;
    shape_query(s->form, SAMPLES, s->x, s->y, s->z, distance, NULL, NULL, NULL);
    keep_inside(s, distance);
    return FIRN_OK;
}

// ---- bodies

static bool is_ground(const firn_body_def *body) {
    return body->shape.kind == FIRN_SHAPE_PLANE || body->shape.kind == FIRN_SHAPE_HEIGHT_MAP ||
           body->shape.kind == FIRN_SHAPE_HILLS;
}

static void warn_inside_bodies(const scene *whole, const firn_world *world, sampled *s, problem_list *list) {
    const body_set *bodies = world_bodies(world);
    float *distance = s->z + SAMPLES;
    double deep = s->fill->gives_way ? 0 : -0.5 * s->fill->spacing;
    for (size_t b = 0; b < body_count(bodies) && s->count > 0; b++) {
        size_t inside = 0;
        body_query_near(bodies, b, s->fill->at, s->count, s->x, s->y, s->z, distance, NULL, NULL, NULL);
        for (size_t i = 0; i < s->count; i++) inside += (double)distance[i] < deep;
        double share = (double)inside / (double)s->count;
        if (share < (s->fill->gives_way ? LEFT_OUT : INSIDE)) continue;
        bool ground = is_ground(&whole->def.world.bodies.items[b]);
        problem_warn(list, locate_place(whole, s->fill->path), NULL, "%.0f %% of %s %s '%s'%s", 100 * share,
                     s->fill->path, ground ? "lies below the ground" : "is inside the body",
                     body_name(bodies, b), s->fill->gives_way ? " and is left out" : "");
    }
}

// ---- other fills

static bool boxes_meet(const sampled *a, const sampled *b) {
    return a->low.x < b->high.x && b->low.x < a->high.x && a->low.y < b->high.y && b->low.y < a->high.y &&
           a->low.z < b->high.z && b->low.z < a->high.z;
}

// The share of b that is inside a.
static double share_inside(const sampled *a, const sampled *b) {
    firn_quat turn = dquat_from_angles(a->fill->rotate);
    size_t inside = 0;
    for (size_t i = 0; i < b->count; i++) {
        firn_vec3 local = dquat_rotate_back(turn, dvec_sub(dvec_add(b->fill->at, point(b, i)), a->fill->at));
        inside += shape_sdf(a->form, local, NULL) < -0.5 * a->fill->spacing;
    }
    return (double)inside / (double)(b->count ? b->count : 1);
}

static void warn_overlap(const scene *whole, const sampled *a, const sampled *b, problem_list *list) {
    bool strangers = strcmp(a->fill->model, b->fill->model) != 0 || strcmp(a->fill->model, "grains") == 0;
    if (strangers || !boxes_meet(a, b)) return; // grains do not collide with each other
    bool left_out = b->fill->gives_way;
    double share = share_inside(a, b);
    if (!left_out) share = fmax(share, share_inside(b, a));
    if (share < (left_out ? LEFT_OUT : INSIDE)) return;
    problem_warn(list, locate_place(whole, b->fill->path), NULL,
                 left_out ? "%s overlaps %s; %.0f %% of it is left out"
                          : "%s overlaps %s (%.0f %%): there is twice as much snow in the same place",
                 b->fill->path, a->fill->path, 100 * share);
}

// A layer that lies on a body need not hold together.
static bool lies_on_body(const firn_world *world, sampled *s) {
    const body_set *bodies = world_bodies(world);
    float *distance = s->z + SAMPLES;
    for (size_t b = 0; b < body_count(bodies); b++) {
        body_query_near(bodies, b, s->fill->at, s->count, s->x, s->y, s->z, distance, NULL, NULL, NULL);
        for (size_t i = 0; i < s->count; i++)
            if ((double)distance[i] < s->fill->spacing) return true;
    }
    return false;
}

// Ears and tails of an otherwise thick shape.
static void warn_thin_parts(const scene *whole, const sampled *s, problem_list *list) {
    double share;
    if (strcmp(s->fill->model, "mpm") != 0 ||
        shape_thin_share(s->form, s->fill->spacing, &share) != FIRN_OK || share < THIN_PARTS)
        return;
    problem_warn(list, locate_place(whole, s->fill->path), NULL,
                 "%.0f %% of %s is thinner than a cell (%.3g cm) and begins as loose bits: use a smaller "
                 "cell or a larger shape",
                 100 * share, s->fill->path, 100 * s->fill->spacing);
}

static void warn_thin(const scene *whole, const firn_world *world, sampled *s, problem_list *list) {
    firn_vec3 low, high;
    if (!s->fill->solid || !shape_bounds(s->form, &low, &high)) return;
    firn_vec3 size = dvec_sub(high, low);
    double thinnest = fmin(size.x, fmin(size.y, size.z)), cells = thinnest / s->fill->spacing;
    double widest = fmax(size.x, fmax(size.y, size.z));
    double middle = size.x + size.y + size.z - thinnest - widest;
    if (cells >= LEAST_CELLS - 1e-6) {
        warn_thin_parts(whole, s, list);
        return;
    }
    if (middle >= LEAST_CELLS * s->fill->spacing && lies_on_body(world, s)) return;
    bool mpm = strcmp(s->fill->model, "mpm") == 0;
    problem_warn(list, locate_place(whole, s->fill->path), NULL,
                 "%s is %.2g %s thick (%.3g cm) and will not hold together: use a %s of %.2g cm or less",
                 s->fill->path, cells, mpm ? "cells" : "particles", 100 * thinnest,
                 mpm ? "cell" : "spacing (a smaller mass)", 100 * thinnest / LEAST_CELLS);
}

// ---- mass

static const double NOTED = 1e-3, WRONG = 5e-3; // shares of a spacing and of a mass

// Few particles of equal mass cannot have any mass in all.
static void warn_mass(const scene *whole, const sampled *s, const fill_plan *plan, problem_list *list) {
    shape_mass mass;
    if (!shape_mass_of(s->form, &mass)) return;
    double share = plan->count * plan->volume / mass.volume;
    if (fabs(share - 1) <= WRONG) return;
    problem_warn(list, locate_place(whole, s->fill->path), "use a smaller mass",
                 "%s has %.0f particle%s of a mass that is given: %.3g %% of the mass of its shape",
                 s->fill->path, plan->count, plan->count == 1 ? "" : "s", 100 * share);
}

static void note_plan(const sampled *s, const fill_plan *plan, text *notes) {
    double spacing = s->fill->spacing, more = plan->volume / (spacing * spacing * spacing), most = 0;
    const double *e = plan->edge;
    char words[240];
    for (int k = 0; k < 3; k++) most = fmax(most, fabs(e[k] / spacing - 1));
    if (s->fill->pattern != FIRN_FILL_REGULAR) most = 0;
    if (most < NOTED && fabs(more - 1) < NOTED) return;
    int n = plain_print(words, sizeof words, "%s: ", s->fill->path);
    if (most >= NOTED)
        n += plain_print(words + n, sizeof words - (size_t)n, "spacing %.4g -> %.4g x %.4g x %.4g cm%s",
                         100 * spacing, 100 * e[0], 100 * e[1], 100 * e[2],
                         fabs(more - 1) >= NOTED ? ", " : "");
    if (fabs(more - 1) >= NOTED)
        n += plain_print(words + n, sizeof words - (size_t)n, "mass of each particle %+.2g %%",
                         100 * (more - 1));
    text_add(notes, "%s, so that %.0f particles hold the mass of the shape\n", words, plan->count);
}

static void compare_mass(const scene *whole, const sampled *s, problem_list *list, text *notes) {
    if (!s->fill->planned || !s->count) return;
    const fill_plan plan = fill_plan_of(s->form, s->fill->spacing, s->fill->sizes);
    warn_mass(whole, s, &plan, list);
    note_plan(s, &plan, notes);
}

// ---- models

// Boxes around the initial content of a model; falling content may end up anywhere below.
typedef struct region {
    const char *model;
    firn_vec3 low, high;
} region;

static void add_region(region *regions, size_t *count, region r) {
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(regions[i].model, r.model) != 0) continue;
        regions[i].low = dvec_min(regions[i].low, r.low);
        regions[i].high = dvec_max(regions[i].high, r.high);
        return;
    }
    regions[(*count)++] = r;
}

static bool regions_meet(const region *a, const region *b) {
    return a->low.x < b->high.x && b->low.x < a->high.x && a->low.y < b->high.y && b->low.y < a->high.y &&
           a->low.z < b->high.z && b->low.z < a->high.z;
}

// The cover is part of the wind, but no ground for others.
static bool are_strangers(const firn_world_def *def, const char *a, const char *b) {
    bool cover = strcmp(a, "cover") == 0 || strcmp(b, "cover") == 0;
    const char *other = strcmp(a, "cover") == 0 ? b : a;
    if (cover && (strcmp(other, "wind") == 0 || strcmp(other, "field") == 0)) return false;
    return cover || !world_models_meet(def, a, b);
}

static void warn_strangers(const scene *whole, const sampled *fills, size_t count, problem_list *list) {
    enum { MODELS = 8 };
    const firn_world_def *def = &whole->def.world;
    region regions[MODELS];
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        region r = {fills[i].fill->model, fills[i].low, fills[i].high};
        if (def->gravity.y < 0) r.low.y = -INFINITY;
        if (fills[i].count) add_region(regions, &n, r);
    }
    if (def->field) {
        const firn_snowfield_def *f = def->field;
        add_region(regions, &n,
                   (region){"field", dvec(f->at.x - f->width / 2, -INFINITY, f->at.z - f->length / 2),
                            dvec(f->at.x + f->width / 2, f->at.y + f->depth, f->at.z + f->length / 2)});
    }
    if (def->wind) {
        const firn_wind_def *w = def->wind;
        firn_vec3 half = dvec_scale(w->grid, w->cell / 2);
        if (def->cover)
            add_region(regions, &n,
                       (region){"cover", dvec(w->at.x - half.x, w->at.y, w->at.z - half.z),
                                dvec(w->at.x + half.x, w->at.y + 2 * half.y, w->at.z + half.z)});
        add_region(regions, &n,
                   (region){"wind", dvec(w->at.x - half.x, w->at.y, w->at.z - half.z),
                            dvec(w->at.x + half.x, w->at.y + 2 * half.y, w->at.z + half.z)});
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            if (are_strangers(def, regions[i].model, regions[j].model) &&
                regions_meet(&regions[i], &regions[j]))
                problem_warn(list, locate_place(whole, regions[j].model), "docs: who meets whom",
                             "%s and %s overlap but do not interact: they pass through each other",
                             regions[i].model, regions[j].model);
}

// ---- angles

static bool plain_number(const node *n, double *value) {
    char *end;
    if (n->kind != NODE_SCALAR || !n->text[0]) return false;
    *value = plain_read(n->text, &end);
    return *end == 0;
}

static void warn_angle(const node *n, bool keyframe, problem_list *list) {
    double value;
    if (!plain_number(n, &value) || fabs(value) <= 2 * M_PI + 1e-3) return;
    if (keyframe && value != floor(value)) return; // keyframes of a wheel exceed a full turn
    char hint[80];
    snprintf(hint, sizeof hint, "did you mean %s deg?", n->text);
    problem_warn(list, n->at, hint, "an angle without a unit is in radians: %s rad are %.3g turns", n->text,
                 fabs(value) / (2 * M_PI));
}

static void warn_angles(const node *n, bool keyframe, problem_list *list) {
    for (const node *child = n->first; child; child = child->next) {
        const char *key = child->key ? child->key->text : "";
        if (strcmp(key, "rotate") == 0 && child->kind == NODE_LIST) {
            for (const node *item = child->first; item; item = item->next) warn_angle(item, keyframe, list);
        } else {
            warn_angles(child, keyframe || strcmp(key, "keyframes") == 0 || strcmp(key, "motion") == 0, list);
        }
    }
}

// ---- all together

// Elastic solids of particles that sound crosses faster than the solver follows: they are softer than they
// should be.
static void warn_stiff(const scene *whole, problem_list *list) {
    const firn_world_def *def = &whole->def.world;
    double step = fmin(def->max_step, 1 / def->fps);
    for (size_t k = 0; def->pbd && k < def->pbd->solids.count; k++) {
        const firn_pbd_solid_def *solid = &def->pbd->solids.items[k];
        char path[PATH_LENGTH];
        int substeps = pbd_substeps_needed(def->pbd, solid, step);
        if (substeps <= pbd_substeps(def->pbd, step)) continue;
        snprintf(path, sizeof path, "pbd.solids.%s", solid->name);
        problem_warn(list, locate_place(whole, path), NULL,
                     "%s is too stiff for the step and will sag and stretch more than its young says: that "
                     "takes pbd.substeps of %d, or as many times more pbd.iterations",
                     path, substeps);
    }
}

static void warn_of_fills(const scene *whole, const firn_world *world, sampled *fills, size_t count,
                          problem_list *list, text *notes) {
    for (size_t i = 0; i < count; i++) {
        compare_mass(whole, &fills[i], list, notes);
        warn_inside_bodies(whole, world, &fills[i], list);
        warn_thin(whole, world, &fills[i], list);
        for (size_t j = 0; j < i; j++) warn_overlap(whole, &fills[j], &fills[i], list);
    }
    warn_strangers(whole, fills, count, list);
}

static void note_shells(const firn_pbd_def *def, const firn_world *world, text *notes) {
    firn_field groups = firn_world_field(world, "pbd.group");
    const uint32_t *group = groups.data;
    for (size_t k = 0; def && k < def->solids.count; k++) {
        const firn_pbd_solid_def *solid = &def->solids.items[k];
        size_t count = 0;
        if (solid->from == FIRN_PBD_INSIDE) continue;
        for (size_t i = 0; i < groups.count; i++) count += group[i] == k;
        text_add(notes, "pbd.solids.%s: %zu particles on its surface share the mass of the full shape\n",
                 solid->name ? solid->name : "solid", count);
    }
}

firn_status scene_warn(const scene *whole, const firn_world *world, text *notes) {
    problem_list *list = &whole->loader->problems;
    world_fill *fills;
    size_t count;
    warn_angles(whole->root, false, list);
    warn_stiff(whole, list);
    TRY(world_fills(&whole->def.world, &fills, &count));
    sampled *samples = mem_zero(count + 1, sizeof *samples);
    firn_status status =
        samples ? FIRN_OK : fail_memory("looking at what is filled", count * sizeof *samples);
    for (size_t i = 0; i < count && status == FIRN_OK; i++) status = sample(whole, &fills[i], &samples[i]);
    if (status == FIRN_OK) warn_of_fills(whole, world, samples, count, list, notes);
    if (status == FIRN_OK) note_shells(whole->def.world.pbd, world, notes);
    for (size_t i = 0; samples && i < count; i++) sampled_free(&samples[i]);
    mem_free(samples);
    mem_free(fills);
    return status;
}
