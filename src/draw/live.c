// firn_renderer: pictures of a live world. The same views and renderer as for the frames of a run (render.c).
#include <firn/draw.h>

#include <math.h>
#include <string.h>

#include "base/cookie.h"
#include "draw/views.h"

struct firn_renderer {
    firn_world *world;
    scene *scene;  // cameras and picture
    scene_def def; // its looks, and the world's own def
    views views;
    const scene_camera *usual[SCENE_VIEWS]; // camera of each view, as the scene says
    scene_camera own;                       // of the caller
    renderer *renderer;                     // NULL: of final quality
    trace_options final;                    // how that is drawn
    canvas picture;
    int width, height;
    bool measured;
};

static firn_status read_scene(const firn_renderer_options *o, scene **out) {
    if (o->scene && o->text)
        return fail(FIRN_BAD_INPUT, "firn_renderer_open: scene and text are both given; one is enough");
    if (o->scene) return scene_open(o->scene, o->overrides, out);
    const char *words = o->text ? o->text : "firn: 1\nbodies: {ground: {shape: plane}}\n";
    return scene_parse(words, strlen(words), "picture", o->overrides, out);
}

static firn_status open_parts(firn_renderer *r, const firn_renderer_options *o) {
    TRY(read_scene(o, &r->scene));
    r->def = r->scene->def;
    r->def.world = *world_def(r->world);
    const scene_picture *p = &r->def.picture;
    r->width = o->width ? o->width : p->width;
    r->height = o->height ? o->height : p->height;
    TRY(views_check_size(r->width, r->height));
    TRY(views_open(&r->views, &r->def, r->world, NULL));
    views_divide(&r->views, r->width, r->height);
    TRY(views_rest(&r->views));
    for (size_t i = 0; i < r->views.count; i++) r->usual[i] = r->views.item[i].camera;
    TRY(canvas_create(r->width, r->height, (draw_color){0, 0, 0, 255}, &r->picture));
    r->final = trace_options_default();
    r->final.progress = o->progress;
    r->final.stop = o->stop;
    r->final.context = o->context;
    if (o->quality == FIRN_QUALITY_FINAL) return trace_check();
    TRY(renderer_create(r->views.width, r->views.height, p->samples, &r->renderer));
    renderer_leave(r->renderer);
    return FIRN_OK;
}

DEFAULT_COOKIE(firn_renderer_options)

firn_status firn_renderer_open(firn_world *world, const firn_renderer_options *options, firn_renderer **out) {
    IN_WORLD(world);
    if (!out) return fail_null(__func__, "renderer");
    *out = NULL;
    NEED(world);
    const firn_renderer_options usual = firn_renderer_options_default(), *o = options ? options : &usual;
    NEED_COOKIE(firn_renderer_options, o);
    NEED(o->overrides.items || o->overrides.count == 0);
    firn_renderer *r = mem_zero(1, sizeof *r);
    if (!r) return fail_memory("preparing to draw", sizeof *r);
    r->world = world;
    firn_status status = open_parts(r, o);
    if (status == FIRN_OK)
        *out = r;
    else
        firn_renderer_close(r);
    return status;
}

void firn_renderer_close(firn_renderer *r) {
    if (!r) return;
    IN_WORLD(r->world);
    if (r->renderer && renderer_enter(r->renderer) == FIRN_OK) renderer_destroy(r->renderer);
    canvas_free(&r->picture);
    views_close(&r->views);
    scene_close(r->scene);
    mem_free(r);
}

int firn_renderer_width(const firn_renderer *r) {
    if (!r) return fail_null(__func__, "renderer"), 0;
    return r->width;
}

int firn_renderer_height(const firn_renderer *r) {
    if (!r) return fail_null(__func__, "renderer"), 0;
    return r->height;
}

// Its def is another one after things were added or removed.
static void follow_world(firn_renderer *r) {
    r->def.world = *world_def(r->world);
    for (size_t i = 0; i < r->views.count; i++) r->views.item[i].scene.world = r->def.world;
}

firn_status firn_renderer_measure(firn_renderer *r) {
    if (!r) return fail_null(__func__, "renderer");
    IN_WORLD(r->world);
    follow_world(r);
    TRY(views_measure(&r->views));
    r->measured = true;
    return FIRN_OK;
}

static firn_status check_camera(const firn_camera *c) {
    const double all[7] = {c->from.x, c->from.y, c->from.z, c->to.x, c->to.y, c->to.z, c->lens};
    bool finite = true;
    for (int i = 0; i < 7; i++) finite &= isfinite(all[i]) != 0;
    if (!finite || c->lens < 0)
        return fail(FIRN_BAD_INPUT, "invalid camera: from, to and lens must be finite, and lens 0 or more");
    if (all[0] == all[3] && all[1] == all[4] && all[2] == all[5])
        return fail(FIRN_BAD_INPUT, "invalid camera: from and to are the same point, [%g, %g, %g]", c->from.x,
                    c->from.y, c->from.z);
    return FIRN_OK;
}

static firn_status choose_cameras(firn_renderer *r, const firn_camera *camera) {
    if (camera && !camera->name) TRY(check_camera(camera));
    for (size_t i = 0; i < r->views.count; i++) {
        view *v = &r->views.item[i];
        v->camera = r->usual[i];
        if (!camera) continue;
        if (camera->name) {
            TRY(camera_find(&v->scene, camera->name, &v->camera));
            continue;
        }
        r->own = (scene_camera){.from = camera->from, .to = camera->to, .lens = camera->lens};
        v->camera = &r->own;
    }
    return FIRN_OK;
}

// "main" comes first if the scene says where it is, or has no other.
static bool has_main(const firn_renderer *r) { return r->def.camera_given || r->def.cameras.count == 0; }

size_t firn_renderer_camera_count(const firn_renderer *r) {
    if (!r) return fail_null(__func__, "renderer"), 0;
    return r->def.cameras.count + has_main(r);
}

const char *firn_renderer_camera_name(const firn_renderer *r, size_t index) {
    if (!r) return fail_null(__func__, "renderer"), NULL;
    if (has_main(r) && index == 0) return "main";
    size_t item = index - has_main(r);
    if (item < r->def.cameras.count) return r->def.cameras.items[item].name;
    return fail(FIRN_BAD_INPUT, "there is no camera %zu", index), NULL;
}

static firn_vec3 point_of(const float p[3], firn_vec3 origin) {
    return (firn_vec3){p[0] + origin.x, p[1] + origin.y, p[2] + origin.z};
}

firn_status firn_renderer_camera(firn_renderer *r, const char *name, firn_camera *camera) {
    if (!r) return fail_null(__func__, "renderer");
    IN_WORLD(r->world);
    NEED(camera);
    TRY(choose_cameras(r, name ? &(firn_camera){.name = name} : NULL));
    if (!r->measured) TRY(firn_renderer_measure(r));
    views_settle(&r->views);
    const view *v = &r->views.item[0];
    const collector *g = &v->collector;
    draw_camera at = v->camera ? camera_at(v->camera, firn_world_time(r->world), g->origin) : g->list.camera;
    *camera = (firn_camera){.from = point_of(at.from, g->origin),
                            .to = point_of(at.to, g->origin),
                            .lens = CAMERA_FILM * (double)at.lens};
    return FIRN_OK;
}

// Bodies may have come and gone, so that another mesh stands where one was.
static firn_status draw_views(firn_renderer *r, overlay words[SCENE_VIEWS]) {
    if (!r->renderer) return views_draw(&r->views, (painter){NULL, &r->final}, &r->picture, NULL, words);
    TRY(renderer_enter(r->renderer));
    renderer_forget(r->renderer);
    firn_status status = views_draw(&r->views, (painter){r->renderer, NULL}, &r->picture, NULL, words);
    renderer_leave(r->renderer);
    return status;
}

firn_status firn_renderer_draw(firn_renderer *r, const firn_camera *camera, uint8_t *rgba, size_t stride) {
    if (!r) return fail_null(__func__, "renderer");
    IN_WORLD(r->world);
    NEED(rgba);
    size_t row = 4 * (size_t)r->width;
    if (stride && stride < row)
        return fail(FIRN_BAD_INPUT, "firn_renderer_draw: invalid stride %zu: a row has %zu bytes", stride,
                    row);
    overlay words[SCENE_VIEWS];
    follow_world(r);
    TRY(choose_cameras(r, camera));
    if (!r->measured) TRY(firn_renderer_measure(r));
    views_settle(&r->views);
    TRY(views_collect(&r->views));
    TRY(draw_views(r, words));
    for (size_t i = 0; i < r->views.count; i++) TRY(overlay_draw(&words[i], &r->picture));
    for (int y = 0; y < r->height; y++)
        memcpy(rgba + (size_t)y * (stride ? stride : row), r->picture.rgba + (size_t)y * row, row);
    return FIRN_OK;
}
