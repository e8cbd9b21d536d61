// From a draw list to what the path tracer knows, and from its light to a picture.
#include "draw/final.h"

#include <math.h>
#include <string.h>

#include "draw/sprites.h"
#include "geom/relief.h"

// Light goes about 2.5 mm in snow between two scatterings as if they were even: grains of 0.1 to 0.25 mm
// radius at 100 to 250 kg/m3 (extinction 3 rho / (2 rho_ice r), asymmetry 0.75).
static const float SNOW_PATH = 0.0025f;
static const float SUN_RADIUS = 0.0047f;
static const float WHITE = 0.6f; // paler things of snow are snow

static bool is_white(const float c[3]) { return fminf(c[0], fminf(c[1], c[2])) > WHITE; }

static trace_material material_of(draw_material m, const float color[3]) {
    switch (m) {
    case DRAW_BODY: return TRACE_SATIN;
    case DRAW_MARKED: return TRACE_MARKED;
    case DRAW_WATER: return TRACE_WATER;
    case DRAW_PLAIN: return TRACE_PLAIN;
    case DRAW_PACKED: return is_white(color) ? TRACE_SNOW : TRACE_MATTE; // cloth and ropes too
    case DRAW_SNOW: return is_white(color) ? TRACE_SNOW : TRACE_MATTE;
    case DRAW_FIELD:
    case DRAW_COVER:
    case DRAW_CRUMBS:
    case DRAW_SOFT: return TRACE_SNOW;
    }
    return TRACE_MATTE;
}

static void shown(const float from[3], float out[3]) {
    for (int k = 0; k < 3; k++) out[k] = final_untone(from[k]);
}

// What is finer than the mesh. Particles of snow carry their own size; ground, fields and covers have drifts
// in the draft's look of snow, here crumbs and grains.
static trace_relief relief_of(draw_material m, float grain) {
    if (grain > 0) return (trace_relief){1.1f * grain, 0.3f, 1};
    if (m == DRAW_PACKED) return (trace_relief){0.04f, 0.12f, 0};
    return (trace_relief){0.7f, 0.045f, m == DRAW_COVER ? 0.5f : 0};
}

static trace_mesh mesh_of(const draw_mesh *m) {
    trace_mesh out = {.mesh = m->mesh,
                      .colors = m->colors,
                      .material =
                          pattern_shines(m->pattern) ? material_of(m->material, m->color) : TRACE_MATTE,
                      .rest = m->rest,
                      .pattern = m->pattern,
                      .moving = m->moving,
                      .way = m->way,
                      .relief = relief_of(m->material, m->grain)};
    memcpy(out.at, m->at, sizeof out.at);
    memcpy(out.rotation, m->rotation, sizeof out.rotation);
    memcpy(out.before_at, m->before_at, sizeof out.before_at);
    memcpy(out.before_rotation, m->before_rotation, sizeof out.before_rotation);
    memcpy(out.color, m->color, sizeof out.color);
    if (out.material == TRACE_PLAIN) shown(m->color, out.color);
    return out;
}

static firn_status paint_points(final_scene *t, const draw_points *p, trace_spheres *out) {
    float(*paint)[3] = mem_alloc(p->count * sizeof *paint);
    if (!paint) return fail_memory("colouring points", p->count * sizeof *paint);
    float span = p->high > p->low ? p->high - p->low : 1;
    for (size_t i = 0; i < p->count; i++) draw_color_paint(p->map, (p->value[i] - p->low) / span, paint[i]);
    t->paint[t->paints++] = paint;
    out->colors = (const float(*)[3])paint;
    return FIRN_OK;
}

static firn_status points_of(final_scene *t, const draw_points *p, trace_spheres *out) {
    *out = (trace_spheres){.at = p->at, .way = p->way, .count = p->count, .radius = p->radius};
    out->material = p->value             ? TRACE_MARKED
                    : p->drawing         ? TRACE_PLAIN
                    : is_white(p->color) ? TRACE_SNOW
                                         : TRACE_MATTE;
    memcpy(out->color, p->color, sizeof out->color);
    if (out->material == TRACE_PLAIN) shown(p->color, out->color);
    return p->value && p->count ? paint_points(t, p, out) : FIRN_OK;
}

static trace_plane plane_of(const draw_plane *p) {
    trace_plane out = {.material = is_white(p->color) ? TRACE_SNOW : TRACE_MATTE,
                       .grid = p->grid,
                       .relief = relief_of(DRAW_SNOW, 0)};
    memcpy(out.at, p->at, sizeof out.at);
    memcpy(out.normal, p->normal, sizeof out.normal);
    memcpy(out.color, p->color, sizeof out.color);
    return out;
}

static void take_camera(trace_camera *to, const draw_list *list) {
    memcpy(to->from, list->camera.from, sizeof to->from);
    memcpy(to->to, list->camera.to, sizeof to->to);
    memcpy(to->before_from, list->before.from, sizeof to->from);
    memcpy(to->before_to, list->before.to, sizeof to->to);
    to->lens = list->camera.lens;
    to->aperture = list->aperture;
    to->focus = list->focus;
    for (int k = 0; k < 3 && !(list->focus > 0); k++) // as far as what it looks at
        to->focus = hypotf(to->focus, to->to[k] - to->from[k]);
}

static void take_light(trace_light *to, const draw_list *list, const final_sky *sky) {
    memcpy(to->sun, sky->scene.sun, sizeof to->sun);
    memcpy(to->sun_color, sky->scene.sun_color, sizeof to->sun_color);
    to->sun_radius = SUN_RADIUS;
    to->sky = final_sky_lights;
    to->seen = final_sky_seen;
    to->context = sky;
    to->haze = sky->scene.right[3];
    to->haze_from = sky->scene.up[3];
    to->dimming = scene_dimming(&list->light);
}

void final_scene_free(final_scene *t) {
    for (size_t i = 0; i < t->paints; i++) mem_free(t->paint[i]);
    mem_free(t->paint);
    mem_free(t->meshes);
    mem_free(t->spheres);
    mem_free(t->planes);
}

firn_status final_scene_fill(final_scene *t, const draw_list *list, const final_sky *sky) {
    t->meshes = mem_zero(list->mesh_count + 1, sizeof *t->meshes);
    t->spheres = mem_zero(list->point_count + 1, sizeof *t->spheres);
    t->planes = mem_zero(list->plane_count + 1, sizeof *t->planes);
    t->paint = mem_zero(list->point_count + 1, sizeof *t->paint);
    if (!t->meshes || !t->spheres || !t->planes || !t->paint) return fail_memory("listing what to trace", 0);
    for (size_t i = 0; i < list->mesh_count; i++) t->meshes[i] = mesh_of(&list->meshes[i]);
    for (size_t i = 0; i < list->point_count; i++) TRY(points_of(t, &list->points[i], &t->spheres[i]));
    for (size_t i = 0; i < list->plane_count; i++) t->planes[i] = plane_of(&list->planes[i]);
    t->scene = (trace_scene){.meshes = t->meshes,
                             .mesh_count = list->mesh_count,
                             .spheres = t->spheres,
                             .sphere_count = list->point_count,
                             .planes = t->planes,
                             .plane_count = list->plane_count,
                             .snow_path = SNOW_PATH};
    for (; t->scene.lamp_count < DRAW_LAMPS && sky->scene.lamp_at[t->scene.lamp_count][3] > 0;
         t->scene.lamp_count++) {
        const float *at = sky->scene.lamp_at[t->scene.lamp_count],
                    *color = sky->scene.lamp_color[t->scene.lamp_count];
        t->lamps[t->scene.lamp_count] =
            (trace_lamp){{at[0], at[1], at[2]}, sqrtf(at[3]), {color[0], color[1], color[2]}};
    }
    t->scene.lamps = t->lamps;
    take_camera(&t->scene.camera, list);
    take_light(&t->scene.light, list, sky);
    return FIRN_OK;
}

static void develop(const trace_picture *p, canvas *out, light_picture *light) {
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            size_t i = (size_t)y * (size_t)p->width + (size_t)x;
            float at[2] = {((float)x + 0.5f) / (float)p->width - 0.5f,
                           ((float)y + 0.5f) / (float)p->height - 0.5f};
            float srgb[3], grain = (float)(relief_bits(x, y, 4) >> 8) * 0x1p-24f; // or an even sky has bands
            final_tone(p->color[i], at, srgb);
            for (int k = 0; k < 3; k++)
                out->rgba[4 * i + (size_t)k] = (uint8_t)fminf(255 * fmaxf(srgb[k], 0) + grain, 255);
            out->rgba[4 * i + 3] = 255;
            if (!light) continue;
            memcpy(light->rgba[i], p->color[i], sizeof light->rgba[i]);
            light->depth[i] = p->depth[i];
            if (!light->albedo) continue;
            memcpy(light->albedo[i], p->albedo[i], sizeof light->albedo[i]);
            memcpy(light->normal[i], p->normal[i], sizeof light->normal[i]);
            light->noise[i] = p->error[i];
        }
}

// Flakes and panes of glass lie over the finished picture, as they do in a draft.
static firn_status draw_over(const draw_list *list, const final_sky *sky, const trace_picture *p, canvas *out,
                             light_picture *light) {
    if (list->sprite_count + list->glass_count + list->powder.count == 0) return FIRN_OK;
    size_t width = (size_t)p->width, height = (size_t)p->height;
    float *depth = mem_alloc(width * height * sizeof *depth);
    if (!depth) return fail_memory("drawing flakes", width * height * sizeof *depth);
    for (size_t y = 0; y < height; y++) // from the bottom
        memcpy(depth + y * width, p->depth + (height - 1 - y) * width, width * sizeof *depth);
    sprite_scene scene = {.depth = depth,
                          .stride = width,
                          .wide = p->width,
                          .high = p->height,
                          .nearest = 0.01f * list->radius,
                          .light = light};
    scene_white(&sky->scene, scene.white_light, scene.white);
    scene.cloud_light = scene_cloud;
    scene.context = &sky->scene;
    memcpy(scene.cloud_sun, sky->scene.sun, sizeof scene.cloud_sun);
    glass_draw(list, &scene, out);
    sprites s = {0};
    firn_status status = clouds_draw(list, &scene, out);
    if (status == FIRN_OK) status = sprites_draw(&s, list, &scene, out);
    sprites_free(&s);
    mem_free(depth);
    return status;
}

firn_status final_draw(const draw_list *list, const trace_options *options, canvas *out,
                       light_picture *light) {
    final_sky sky;
    final_scene t = {0};
    trace_picture picture = {0};
    final_sky_fill(&sky, list, out->width);
    firn_status status = final_scene_fill(&t, list, &sky);
    if (status == FIRN_OK) status = trace_draw(&t.scene, out->width, out->height, options, &picture);
    if (status == FIRN_OK) {
        develop(&picture, out, light);
        status = draw_over(list, &sky, &picture, out, light);
    }
    trace_picture_free(&picture);
    final_scene_free(&t);
    return status;
}
