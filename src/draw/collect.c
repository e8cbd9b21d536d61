// Bodies, ground, colours and framing; the other files of this name have what models look like.
#include "draw/collect.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "math/dvec.h"
#include "par/par.h"
#include "snow/snow_type.h"

static const float snow_white[3] = {0.90f, 0.92f, 0.95f};

static void to_floats(firn_vec3 v, float out[3]) {
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

firn_status collect_world_mesh(collector *g, draw_mesh item) {
    to_floats(dvec_sub(dvec(0, 0, 0), g->origin), item.at);
    return draw_list_mesh(&g->list, item);
}

typedef struct place_job {
    const firn_field *position;
    firn_vec3 origin;
    float (*out)[3];
} place_job;

static void place_range(void *context, size_t begin, size_t end) {
    const place_job *job = context;
    for (size_t i = begin; i < end; i++) field_position_near(job->position, i, job->origin, job->out[i]);
}

const float (*collect_places(const collector *g, const firn_field *position, float (**place)[3],
                             size_t *capacity))[3] {
    if (position->type == FIRN_F32 && dvec_length(g->origin) == 0) return position->data;
    if (!array_reserve(place, capacity, position->count, sizeof **place)) return NULL;
    par_for(position->count, 16384, place_range, &(place_job){position, g->origin, *place});
    return (const float(*)[3]) * place;
}

// A place that stays the same over the run, near what the picture shows.
static firn_vec3 origin_of(const scene_def *def) {
    const firn_mpm_def *mpm = def->world.mpm;
    firn_vec3 at = {0, 0, 0};
    if (def->camera_given || def->cameras.count) {
        const scene_camera *c = def->camera_given ? &def->camera : &def->cameras.items[0];
        at = c->keyframes.count ? c->keyframes.items[0].to : c->to;
    } else if (mpm && mpm->snow.count)
        at = mpm->snow.items[0].fill.at;
    return dvec_whole_km(at);
}

const firn_body_def *collect_body_def(const collector *g, size_t body) {
    const char *name = body_name(world_bodies(g->world), body);
    for (size_t i = 0; i < g->scene->world.bodies.count; i++)
        if (text_equal(g->scene->world.bodies.items[i].name, name)) return &g->scene->world.bodies.items[i];
    return NULL;
}

static bool is_ground(const firn_body_def *def) {
    return def && (def->shape.kind == FIRN_SHAPE_PLANE || def->shape.kind == FIRN_SHAPE_HEIGHT_MAP ||
                   def->shape.kind == FIRN_SHAPE_HILLS);
}

static const float material_color[][3] = {
    [FIRN_MATERIAL_WOOD] = {0.30f, 0.16f, 0.07f},      [FIRN_MATERIAL_BRICK] = {0.36f, 0.11f, 0.06f},
    [FIRN_MATERIAL_STONE] = {0.28f, 0.27f, 0.26f},     [FIRN_MATERIAL_BARK] = {0.10f, 0.065f, 0.045f},
    [FIRN_MATERIAL_CLOTH] = {0.20f, 0.04f, 0.05f},     [FIRN_MATERIAL_METAL] = {0.45f, 0.46f, 0.48f},
    [FIRN_MATERIAL_NEEDLES] = {0.028f, 0.062f, 0.030f}};

// Ground is snow unless it was given a colour; a body of snow has the colour of its snow.
static void color_of(const collector *g, size_t body, const firn_body_def *def, float out[3]) {
    to_floats(body_color(world_bodies(g->world), body), out);
    if (!def || !firn_is_auto(def->color.x)) return;
    const snow_type snow = snow_type_of(&g->scene->world, def->snow ? def->snow : "packed");
    if (def->snow)
        to_floats((firn_vec3){snow.color[0], snow.color[1], snow.color[2]}, out);
    else if (def->material != FIRN_MATERIAL_PAINT)
        memcpy(out, material_color[def->material], sizeof *material_color);
    else if (is_ground(def))
        memcpy(out, snow_white, sizeof snow_white);
}

void collect_body_color(const collector *g, size_t body, float out[3]) {
    color_of(g, body, collect_body_def(g, body), out);
}

draw_colors collect_colors(const collector *g) { return (draw_colors)g->scene->picture.color_map; }

// Where colours show temperatures, a body that is held at one has its colour.
static bool warm_color(const collector *g, const firn_body_def *def, float out[3]) {
    if (!g->legend || !text_equal(g->legend, "temperature") || !def || firn_is_auto(def->temperature))
        return false;
    double zero = g->unit && text_equal(g->unit, "K") ? 273.15 : 0;
    draw_color_paint(collect_colors(g), (float)((def->temperature + zero - g->low) / (g->high - g->low)),
                     out);
    return true;
}

static firn_status add_body(collector *g, size_t body) {
    const body_set *bodies = world_bodies(g->world);
    const firn_body_def *def = collect_body_def(g, body);
    firn_body_state state = body_state(bodies, body);
    if (!dvec_finite(state.position)) return FIRN_OK;
    float color[3];
    color_of(g, body, def, color);
    if (def && def->shape.kind == FIRN_SHAPE_PLANE) {
        draw_plane plane = {.grid = g->scene->picture.ground_grid};
        firn_vec3 at = dvec_sub(state.position, g->origin), n = dquat_rotate(state.rotation, dvec(0, 1, 0));
        if (dvec_length(g->origin) > 0) at = dvec_scale(n, dvec_dot(at, n)); // its point next to the origin
        to_floats(at, plane.at);
        if (g->heights) { // which draw their ground themselves
            firn_snowfield f;
            g->heights->get(g->heights_model, &f);
            plane.at[1] -= 0.2f * (float)f.cell;
        }
        to_floats(n, plane.normal);
        memcpy(plane.color, color, sizeof color);
        return draw_list_plane(&g->list, plane);
    }
    const mesh *shape = body_mesh(world_bodies(g->shapes), body);
    if (!shape || shape->triangles == 0 || (!is_ground(def) && !g->scene->picture.bodies)) return FIRN_OK;
    bool snow = def && def->snow && firn_is_auto(def->color.x);
    draw_mesh item = {.mesh = shape, .material = is_ground(def) ? DRAW_SNOW : snow ? DRAW_PACKED : DRAW_BODY};
    if (warm_color(g, def, color)) item.material = DRAW_MARKED;
    to_floats(dvec_sub(state.position, g->origin), item.at);
    const double turn[4] = {state.rotation.w, state.rotation.x, state.rotation.y, state.rotation.z};
    for (int i = 0; i < 4; i++) item.rotation[i] = (float)turn[i];
    memcpy(item.color, color, sizeof color);
    if (def && item.material == DRAW_BODY) item.pattern = (pattern_kind)def->material;
    collect_body_motion(g, body, &state, &item);
    return draw_list_mesh(&g->list, item);
}

static bool same_model(const char *a, const char *b) {
    const char *dot = strchr(a, '.');
    return dot && strncmp(a, b, (size_t)(dot - a) + 1) == 0;
}

static double component(const firn_field *f, size_t i) {
    switch (f->type) {
    case FIRN_F32: return (double)((const float *)f->data)[i];
    case FIRN_F64: return ((const double *)f->data)[i];
    case FIRN_I32: return ((const int32_t *)f->data)[i];
    case FIRN_U32: return ((const uint32_t *)f->data)[i];
    case FIRN_U64: return (double)((const uint64_t *)f->data)[i];
    }
    return 0;
}

// One value per item: the number itself, or the length of a vector.
typedef struct value_job {
    const firn_field *field;
    float *out;
} value_job;

static void value_range(void *context, size_t begin, size_t end) {
    const value_job *job = context;
    size_t n = job->field->components;
    for (size_t i = begin; i < end; i++) {
        double sum = 0, one = component(job->field, i * n);
        for (size_t k = 0; n > 1 && k < n; k++)
            sum += component(job->field, i * n + k) * component(job->field, i * n + k);
        job->out[i] = (float)(n > 1 ? sqrt(sum) : one);
    }
}

static int compare_floats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// From the data, but for one in 400 at each end: a few crumbs must not take the colours from all the rest.
static firn_status set_range(collector *g, const float *value, size_t count, const char *unit) {
    enum { SAMPLE = 20000 };
    const scene_picture *p = &g->scene->picture;
    double zero = unit && text_equal(unit, "K") ? 273.15 : 0; // written in degrees Celsius
    g->low = p->color_low + zero;
    g->high = p->color_high + zero;
    if (p->color_low != 0 || p->color_high != 0) return FIRN_OK;
    size_t stride = count / SAMPLE + 1, n = 0;
    float *sorted = mem_alloc((count / stride + 1) * sizeof *sorted);
    if (!sorted) return fail_memory("colouring points", SAMPLE * sizeof *sorted);
    for (size_t i = 0; i < count; i += stride)
        if (isfinite(value[i])) sorted[n++] = value[i];
    qsort(sorted, n, sizeof *sorted, compare_floats);
    g->low = n ? (double)sorted[n / 400] : 0;
    g->high = n ? (double)sorted[n - 1 - n / 400] : 1;
    mem_free(sorted);
    if (g->low > 0 && g->low < 0.3 * g->high) g->low = 0; // an axis that begins at nothing is easier to read
    if (g->high - g->low < 1e-9 * fmax(fabs(g->low), 1)) g->high = g->low + 1;
    return FIRN_OK;
}

const char *collect_color_field(const collector *g) {
    const char *name = g->scene->picture.color;
    return name && name[0] && !text_equal(name, "none") ? name : NULL;
}

firn_status collect_color_range(collector *g, const float *value, size_t count, const char *unit) {
    TRY(set_range(g, value, count, unit));
    g->legend = strchr(collect_color_field(g), '.') + 1;
    g->unit = unit;
    return FIRN_OK;
}

firn_status collect_color_points(collector *g, const firn_field *position, draw_points *points) {
    const char *name = collect_color_field(g);
    if (!name || !same_model(position->name, name)) return FIRN_OK;
    firn_field f = world_color_field(g->world, name);
    if (!f.data || f.count != position->count || points->count == 0) return FIRN_OK;
    if (!array_reserve(&g->value, &g->value_capacity, f.count, sizeof *g->value))
        return fail_memory("colouring points", f.count * sizeof *g->value);
    par_for(f.count, 16384, value_range, &(value_job){&f, g->value});
    points->value = g->value;
    TRY(collect_color_range(g, points->value, points->count, f.unit));
    points->low = (float)g->low;
    points->high = (float)g->high;
    points->map = collect_colors(g);
    return FIRN_OK;
}

bool collect_hides(const collector *g, const char *model) {
    const char *names = g->scene->picture.hide;
    size_t length = strlen(model);
    for (const char *at = names; at && (at = strstr(at, model)); at += length)
        if ((at == names || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return true;
    return false;
}

// Models are made anew when things are added to a live world.
static void find_heights(collector *g) {
    const model_drawing *d = world_drawing(g->world, offsetof(model_drawing, heights), &g->heights_model);
    g->heights = d ? d->heights : NULL;
}

firn_status collect_list(collector *g) {
    find_heights(g);
    draw_list_clear(&g->list);
    g->legend = NULL;
    g->skins = 0;
    if (g->measuring || !collect_hides(g, "field")) TRY(collect_field(g));
    for (size_t i = 0; i < world_model_count(g->world); i++)
        if (g->measuring || !collect_hides(g, world_model_class(g->world, i)->name))
            TRY(collect_particles(g, i));
    // After the points: in a thermograph bodies have the points' colours.
    for (size_t b = 0; b < body_count(world_bodies(g->world)); b++) TRY(add_body(g, b));
    if (g->measuring) return FIRN_OK;
    for (size_t i = 0; i < world_model_count(g->world); i++) TRY(collect_box(g, i));
    if (!collect_hides(g, "cover")) TRY(collect_add_cover(g));
    TRY(collect_lamps(g));
    if (!collect_hides(g, "mpm")) TRY(collect_powder(g));
    if (!collect_hides(g, "wind")) TRY(collect_add_wind(g));
    TRY(collect_domains(g));
    TRY(collect_arrows(g));
    return collect_cut_list(g);
}

firn_status collect_measure(collector *g) {
    g->measuring = true;
    firn_status status = collect_list(g);
    g->measuring = false;
    TRY(status);
    for (size_t i = 0; i < g->list.mesh_count; i++) {
        draw_box box = draw_mesh_bounds(&g->list.meshes[i]);
        draw_box_join(g->list.meshes[i].material == DRAW_SNOW ? &g->ground : &g->content, &box);
    }
    for (size_t i = 0; i < g->list.point_count; i++) {
        draw_box box;
        TRY(draw_points_bounds(&g->list.points[i], &box));
        draw_box_join(&g->content, &box);
    }
    return FIRN_OK;
}

void collect_settle(collector *g, double aspect) {
    const draw_box *subject = draw_box_is_empty(&g->content) ? &g->ground : &g->content;
    draw_list_camera(&g->list, camera_frame(subject, aspect));
    draw_list_enclose(&g->list, subject);
    g->list.radius *= 1.3f; // room for shadows beside what casts them
}

firn_status collect_start(collector *g, const scene_def *def, firn_world *world) {
    *g = (collector){.scene = def,
                     .world = world,
                     .shapes = world,
                     .origin = origin_of(def),
                     .list = draw_list_default(),
                     .content = draw_box_empty(),
                     .ground = draw_box_empty()};
    find_heights(g);
    collect_light(g);
    TRY(collect_particles_start(g));
    const char *color = collect_color_field(g);
    if (!color || world_color_field(g->world, color).name) return FIRN_OK;
    return world_color_unknown(g->world, color);
}

void collect_free(collector *g) {
    draw_list_free(&g->list);
    collect_skins_free(g);
    collect_land_free(&g->land);
    collect_wind_free(&g->wind);
    collect_cover_free(&g->cover);
    collect_links_free(&g->links);
    collect_powder_free(&g->cloud);
    collect_cut_free(&g->cut);
    mesh_free(&g->arrows);
    mesh_free(&g->globes);
    mem_free(g->value);
    collect_particles_free(g);
    g->value = NULL;
}
