// Views of a moment: what each shows, where it stands in the picture, and the words over it.
#include "draw/views.h"

#include <string.h>

#include "base/text.h"

enum { BETWEEN = 4, SMALLEST = 16, LARGEST = 8192 }; // pixels

firn_status views_check_size(int width, int height) {
    if (width < SMALLEST || width > LARGEST || height < SMALLEST || height > LARGEST)
        return fail(FIRN_BAD_INPUT, "a picture must have %d to %d pixels per side, not %d x %d", SMALLEST,
                    LARGEST, width, height);
    return FIRN_OK;
}

// What a view says replaces what the picture says.
static void take_looks(view *v, const scene_view *looks) {
    scene_picture *p = &v->scene.picture;
    if (looks->color) {
        p->color = text_equal(looks->color, "none") ? NULL : looks->color;
        p->color_low = looks->color_low;
        p->color_high = looks->color_high;
    }
    if (looks->snow != SCENE_VIEW_SNOW_SAME)
        p->snow = looks->snow == SCENE_VIEW_SNOW_POINTS ? SCENE_SNOW_POINTS : SCENE_SNOW_SURFACE;
}

static firn_status view_open(view *v, const scene_def *def, const scene_view *looks, firn_world *world,
                             const char *camera) {
    v->scene = *def;
    if (looks) {
        v->name = looks->name;
        take_looks(v, looks);
    }
    TRY(camera_find(&v->scene, looks && looks->camera ? looks->camera : camera, &v->camera));
    return collect_start(&v->collector, &v->scene, world);
}

firn_status views_open(views *v, const scene_def *def, firn_world *world, const char *camera) {
    *v = (views){.count = 1};
    if (def->picture.views.count == 0) return view_open(&v->item[0], def, NULL, world, camera);
    v->count = 0;
    for (size_t i = 0; i < def->picture.views.count; i++) {
        v->count++;
        TRY(view_open(&v->item[i], def, &def->picture.views.items[i], world, camera));
    }
    return FIRN_OK;
}

void views_close(views *v) {
    for (size_t i = 0; i < v->count; i++) collect_free(&v->item[i].collector);
    collect_rest_free(&v->rest);
    canvas_free(&v->part);
    light_free(&v->part_light);
    *v = (views){0};
}

void views_divide(views *v, int width, int height) {
    int count = (int)v->count;
    v->width = (width - (count - 1) * BETWEEN) / count;
    v->step = v->width + BETWEEN;
    v->height = height;
}

void views_final(views *v, bool final) {
    for (size_t i = 0; i < v->count; i++) {
        v->item[i].collector.shutter = final ? v->item[i].scene.picture.shutter : 0;
        v->item[i].collector.fine = final;
    }
}

// All see the same things, whatever they look like.
firn_status views_measure(views *v) {
    TRY(collect_measure(&v->item[0].collector));
    for (size_t i = 1; i < v->count; i++) {
        v->item[i].collector.content = v->item[0].collector.content;
        v->item[i].collector.ground = v->item[0].collector.ground;
    }
    return FIRN_OK;
}

firn_status views_rest(views *v) {
    collector *first = &v->item[0].collector;
    TRY(collect_rest_take(&v->rest, first->world, first->origin));
    for (size_t i = 0; i < v->count; i++) v->item[i].collector.rest = &v->rest;
    return FIRN_OK;
}

void views_settle(views *v) {
    for (size_t i = 0; i < v->count; i++) collect_settle(&v->item[i].collector, (double)v->width / v->height);
}

void views_agree(views *const sets[], size_t count) {
    collector *first = &sets[0]->item[0].collector;
    for (size_t s = 1; s < count; s++) {
        draw_box_join(&first->content, &sets[s]->item[0].collector.content);
        draw_box_join(&first->ground, &sets[s]->item[0].collector.ground);
    }
    for (size_t s = 0; s < count; s++)
        for (size_t i = 0; i < sets[s]->count; i++) {
            collector *g = &sets[s]->item[i].collector;
            g->content = first->content;
            g->ground = first->ground;
            g->shapes = first->world;
            g->rest = first->rest;
        }
}

firn_status views_collect(views *v) {
    v->time = firn_world_time(v->item[0].collector.world);
    for (size_t i = 0; i < v->count; i++) {
        const view *one = &v->item[i];
        collector *g = &v->item[i].collector;
        if (one->camera) {
            g->list.camera = camera_at(one->camera, v->time, g->origin);
            g->list.aperture = (float)one->camera->aperture;
            g->list.focus = (float)one->camera->focus;
            g->list.before = camera_at(one->camera, v->time - one->scene.picture.shutter, g->origin);
        }
        g->pixel = 1 / (g->list.camera.lens * (float)v->width);
        TRY(collect_list(g));
    }
    return FIRN_OK;
}

static void put(const canvas *part, int left, canvas *out) {
    for (int y = 0; y < part->height; y++)
        memcpy(out->rgba + 4 * ((size_t)y * (size_t)out->width + (size_t)left),
               part->rgba + 4 * (size_t)y * (size_t)part->width, 4 * (size_t)part->width);
}

static firn_status prepare_parts(views *v, canvas *out, light_picture *light) {
    if (v->count == 1) return FIRN_OK;
    if (!v->part.rgba) TRY(canvas_create(v->width, v->height, (draw_color){0, 0, 0, 255}, &v->part));
    memset(out->rgba, 255, 4 * (size_t)out->width * (size_t)out->height);
    if (!light) return FIRN_OK;
    if (!v->part_light.rgba) TRY(light_create(v->width, v->height, light->albedo, &v->part_light));
    light_clear(light);
    return FIRN_OK;
}

// The last one that has begun; NULL: none.
static const char *caption_at(const scene_picture *picture, double time) {
    const char *words = NULL;
    for (size_t i = 0; i < picture->captions.count && picture->captions.items[i].time <= time + 1e-9; i++)
        words = picture->captions.items[i].text;
    return words && words[0] ? words : NULL;
}

static firn_status draw_one(const view *one, painter by, canvas *out, light_picture *light) {
    const draw_list *list = &one->collector.list;
    if (by.draft) {
        TRY(renderer_keep_light(by.draft, light));
        return renderer_draw(by.draft, list, out);
    }
    trace_options options = *by.final;
    options.noise = (float)one->scene.picture.noise;
    return final_draw(list, &options, out, light);
}

firn_status views_draw(views *v, painter by, canvas *out, light_picture *light, overlay words[SCENE_VIEWS]) {
    bool several = v->count > 1;
    TRY(prepare_parts(v, out, light));
    for (size_t i = 0; i < v->count; i++) {
        const collector *g = &v->item[i].collector;
        TRY(draw_one(&v->item[i], by, several ? &v->part : out, light && several ? &v->part_light : light));
        if (several) put(&v->part, (int)i * v->step, out);
        if (several && light) light_put(&v->part_light, (int)i * v->step, light);
        words[i] = (overlay){.left = (int)i * v->step,
                             .width = v->width,
                             .name = v->item[i].name,
                             .title = i == 0 ? v->item[i].scene.world.name : NULL,
                             .caption = caption_at(&v->item[i].scene.picture, v->time),
                             .labels = v->item[i].scene.picture.labels,
                             .time = i + 1 < v->count ? -1 : v->time, // once is enough
                             .legend = g->legend,
                             .unit = g->unit,
                             .low = g->low,
                             .high = g->high,
                             .map = collect_colors(g)};
    }
    return FIRN_OK;
}
