// The snow field as a mesh.
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "draw/collect.h"
#include "par/par.h"

enum { BLOCK = 8192 };

typedef struct paint_job {
    const firn_snowfield *field;
    const height_mesh *mesh;
    float (*color)[3];
    float white[3], soil[3];
    float loose, packed; // kg/m3
    // If the colours mean something:
    const float *value;
    double plain;
    float *values;
    float low, span;
    draw_colors map;
} paint_job;

// Snow that was pressed is darker and bluer, so is wet snow; a thin cover lets the ground through.
static void natural_color(const paint_job *job, int32_t x, int32_t z, float out[3]) {
    static const float pressed[3] = {0.72f, 0.79f, 0.89f}, soaked[3] = {0.60f, 0.66f, 0.74f};
    const firn_snowfield *f = job->field;
    float depth = (float)f->plain_depth, density = (float)f->plain_density, wet = (float)f->plain_wetness;
    if (x >= 0) {
        depth = height_corner_mean(f, f->depth, f->plain_depth, x, z);
        density = height_corner_mean(f, f->density, f->plain_density, x, z);
        if (f->wetness) wet = height_corner_mean(f, f->wetness, f->plain_wetness, x, z);
    }
    float water = f->wetness ? fminf(wet / 0.05f, 1) : 0;
    float packed = fminf(fmaxf((density - job->loose) / (job->packed - job->loose), 0), 1);
    float cover = 1 - expf(-depth / 0.006f);
    for (int k = 0; k < 3; k++) {
        float snow = job->white[k] * (1 + (pressed[k] - 1) * packed) * (1 + (soaked[k] - 1) * water);
        out[k] = job->soil[k] + (snow - job->soil[k]) * cover;
    }
}

static void paint_natural(void *context, size_t begin, size_t end) {
    const paint_job *job = context;
    for (size_t i = begin; i < end; i++)
        natural_color(job, job->mesh->corner[i][0], job->mesh->corner[i][1], job->color[i]);
}

static void take_values(void *context, size_t begin, size_t end) {
    const paint_job *job = context;
    for (size_t i = begin; i < end; i++) {
        const int32_t *at = job->mesh->corner[i];
        job->values[i] = at[0] < 0 ? (float)job->plain
                                   : height_corner_mean(job->field, job->value, job->plain, at[0], at[1]);
    }
}

static void paint_values(void *context, size_t begin, size_t end) {
    const paint_job *job = context;
    for (size_t i = begin; i < end; i++)
        draw_color_paint(job->map, (job->values[i] - job->low) / job->span, job->color[i]);
}

// What the picture is coloured by; false: nothing of the snow field.
static bool find_value(const collector *g, const firn_snowfield *f, paint_job *job, const char **unit) {
    const char *name = collect_color_field(g);
    const firn_heights_drawing *d = g->heights;
    const struct {
        const char *name;
        const float *value;
        double plain;
    } layers[] = {{d->depth, f->depth, f->plain_depth},
                  {d->density, f->density, f->plain_density},
                  {d->ground, f->ground, f->plain_ground},
                  {d->temperature, f->temperature, f->plain_temperature},
                  {d->wetness, f->wetness, f->plain_wetness}};
    for (size_t i = 0; name && i < sizeof layers / sizeof *layers; i++) {
        if (!layers[i].value || !text_equal(name, layers[i].name)) continue;
        job->value = layers[i].value;
        job->plain = layers[i].plain;
        *unit = firn_world_field(g->world, name).unit;
        return true;
    }
    return false;
}

// Of bare ground: the colour given to the body or the plane below the snow, or frozen earth.
static void find_soil(const collector *g, float out[3]) {
    const firn_world_def *def = &g->scene->world;
    const char *ground = def->field ? def->field->ground.body : NULL;
    const float earth[3] = {0.115f, 0.095f, 0.075f};
    memcpy(out, earth, sizeof earth);
    for (size_t i = 0; i < def->bodies.count; i++) {
        const firn_body_def *b = &def->bodies.items[i];
        bool below = ground ? text_equal(b->name, ground) : b->shape.kind == FIRN_SHAPE_PLANE;
        if (!below || firn_is_auto(b->color.x)) continue;
        out[0] = (float)b->color.x, out[1] = (float)b->color.y, out[2] = (float)b->color.z;
        return;
    }
}

static void set_natural(const collector *g, const firn_snowfield *f, paint_job *job) {
    firn_vec3 white = g->heights->color(g->heights_model);
    job->white[0] = (float)white.x, job->white[1] = (float)white.y, job->white[2] = (float)white.z;
    job->loose = (float)f->plain_density;
    job->packed = fmaxf((float)g->heights->packed_density(g->heights_model), job->loose + 1);
    find_soil(g, job->soil);
}

static firn_status paint(collector *g, const firn_snowfield *f, draw_mesh *item) {
    collect_land *land = &g->land;
    size_t count = land->mesh.mesh.vertices;
    if (!array_reserve(&land->colors, &land->color_capacity, count, sizeof *land->colors))
        return fail_memory("colouring the snow field", count * sizeof *land->colors);
    paint_job job = {.field = f, .mesh = &land->mesh, .color = land->colors};
    item->colors = (const float(*)[3])land->colors;
    const char *unit;
    if (!find_value(g, f, &job, &unit)) {
        set_natural(g, f, &job);
        par_for(count, BLOCK, paint_natural, &job);
        return FIRN_OK;
    }
    if (!array_reserve(&land->values, &land->value_capacity, count, sizeof *land->values))
        return fail_memory("colouring the snow field", count * sizeof *land->values);
    job.values = land->values;
    par_for(count, BLOCK, take_values, &job);
    TRY(collect_color_range(g, job.values, count, unit));
    job.low = (float)g->low;
    job.span = (float)(g->high - g->low);
    job.map = collect_colors(g);
    par_for(count, BLOCK, paint_values, &job);
    item->material = DRAW_MARKED;
    return FIRN_OK;
}

// What the picture is about: where something happened.
static void measure(collector *g, const firn_snowfield *f) {
    double top = f->plain_ground + f->plain_depth - g->origin.y, x0 = f->x0 - g->origin.x,
           z0 = f->z0 - g->origin.z;
    for (size_t t = 0; t < f->tiles; t++)
        for (int k = 0; k < 2; k++) {
            int32_t x = (f->place[2 * t] + k) * f->edge, z = (f->place[2 * t + 1] + k) * f->edge;
            const float at[3] = {(float)(x0 + (x < f->nx ? x : f->nx) * f->cell), (float)top,
                                 (float)(z0 + (z < f->nz ? z : f->nz) * f->cell)};
            draw_box_add(&g->content, at, 0);
        }
    for (int k = 0; k < 2; k++) {
        const float at[3] = {(float)(x0 + k * f->nx * f->cell), (float)top,
                             (float)(z0 + k * f->nz * f->cell)};
        draw_box_add(&g->ground, at, 0);
    }
}

// A track is longer than what the picture shows of it: shadows are drawn where the camera looks, so that they
// are fine enough for a boot. The radius grows in steps, so that shadows do not crawl while the camera moves.
static void focus_shadows(collector *g) {
    const draw_camera *c = &g->list.camera;
    float away = hypotf(hypotf(c->to[0] - c->from[0], c->to[1] - c->from[1]), c->to[2] - c->from[2]);
    float radius = exp2f(ceilf(log2f(fmaxf(1.3f * away, 1e-3f)) * 4) / 4);
    if (radius >= g->list.radius) return;
    memcpy(g->list.shade, c->to, sizeof c->to);
    g->list.shade_radius = radius;
}

firn_status collect_field(collector *g) {
    firn_snowfield f;
    if (!g->heights) return FIRN_OK;
    g->heights->get(g->heights_model, &f);
    if (g->measuring) {
        measure(g, &f);
        return FIRN_OK;
    }
    const firn_snowfield tiles = f;
    if (!tiles.even) {
        TRY(snowfield_copy_make(&f, &g->land.copy));
        f = g->land.copy.field;
    }
    focus_shadows(g);
    bool endless = g->scene->picture.endless && tiles.even && !g->scene->world.cover; // that lies around it
    height_mesh_look look = {.pixel = g->pixel, .endless = endless, .reach = 60 * g->list.radius};
    const double origin[3] = {g->origin.x, g->origin.y, g->origin.z};
    for (int k = 0; k < 3; k++) look.eye[k] = (float)(origin[k] + (double)g->list.camera.from[k]);
    TRY(height_mesh_build(&f, &look, &g->land.mesh));
    draw_mesh item = {.mesh = &g->land.mesh.mesh,
                      .revision = ++g->revision,
                      .rotation = {1, 0, 0, 0},
                      .material = DRAW_FIELD};
    paint_job looks = {0};
    set_natural(g, &f, &looks);
    TRY(paint(g, &f, &item));
    if (item.material == DRAW_FIELD) {
        TRY(collect_field_relief(g, &f, looks.packed, looks.white));
        item.rest = (const float(*)[4])g->land.relief.rest;
    }
    TRY(collect_world_mesh(g, item));
    TRY(collect_tops(g, &tiles, looks.white));
    return collect_bits(g, &tiles, looks.white);
}

void collect_land_free(collect_land *land) {
    height_mesh_free(&land->mesh);
    snowfield_copy_free(&land->copy);
    mesh_free(&land->tops);
    mesh_free(&land->crumbs);
    mem_free(land->relief.rest);
    mem_free(land->cover_of);
    mem_free(land->corner);
    mem_free(land->round);
    mem_free(land->bits);
    mem_free(land->sized);
    mem_free(land->colors);
    mem_free(land->values);
    *land = (collect_land){0};
}
