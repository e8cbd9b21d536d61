// A picture as `firn render` draws it: what is to be seen is collected from the world, then drawn.
#include "bench/measure.h"

#include <string.h>

#include "draw/views.h"
#include "world/world.h"

// A moment like that of the demo's act snow-tracks: a ball has rolled through a field of fresh snow.
static const char tracks[] = "firn: 1\nduration: 2 s\nfps: 30\nmax_step: 4 ms\n"
                             "bodies:\n"
                             "  ground: {shape: plane}\n"
                             "  ball: {shape: {sphere: {radius: 22 cm}}, at: [1.5, 0.5, 0], density: 320,\n"
                             "         velocity: [-4.2, 0, 0.1], spin: [0, 0, 15], motion: dynamic}\n"
                             "field: {width: 12 m, length: 8 m, cell: 1.8 cm, depth: 20 cm, snow: powder}\n"
                             "camera: {lens: 30 mm, from: [2.6, 1.15, 1.9], to: [0.6, 0.1, -0.3]}\n";

enum { WIDE = 1280, HIGH = 720, STEPS = 100, PROFILED = 5, SAMPLES = 2 };

typedef struct rendering {
    views views;
    renderer *renderer;
    canvas picture;
    overlay words[SCENE_VIEWS];
    firn_status status; // of the first failure
} rendering;

static firn_status draw(rendering *r) {
    TRY(views_collect(&r->views));
    return views_draw(&r->views, (painter){r->renderer, NULL}, &r->picture, NULL, r->words);
}

static void draw_once(void *context) {
    rendering *r = context;
    if (r->status == FIRN_OK) r->status = draw(r);
}

static firn_status open(rendering *r, const scene_def *def, firn_world *world) {
    for (int i = 0; i < STEPS; i++) TRY(firn_world_step(world));
    TRY(views_open(&r->views, def, world, NULL));
    views_divide(&r->views, WIDE, HIGH);
    TRY(views_measure(&r->views));
    views_settle(&r->views);
    TRY(canvas_create(WIDE, HIGH, (draw_color){0, 0, 0, 255}, &r->picture));
    return renderer_create(WIDE, HIGH, SAMPLES, &r->renderer);
}

static firn_status measure(rendering *r, bench_emit emit, void *context) {
    bench_result row = {.workload = "render", .rate_unit = "frames/s"};
    double seconds = measure_seconds(draw_once, r);
    TRY(r->status);
    // Pixels are read and written some five times, the shadow map once; 700 operations light a pixel.
    double pixels = (double)WIDE * HIGH;
    measure_result(&row, 1, seconds, 60 * pixels + 4 * 2048.0 * 2048, 700 * pixels);
    profile *p = renderer_profile(r->renderer); // only now: waiting after every pass takes time
    for (int i = 0; i < PROFILED; i++) {
        profile_pass(p, "collect");
        TRY(draw(r));
    }
    bench_passes(p, &row);
    emit(context, &row);
    return FIRN_OK;
}

static firn_status bench_scene(const scene_def *def, bench_emit emit, void *context) {
    firn_world *world = NULL;
    rendering r = {.status = FIRN_OK};
    TRY(firn_world_create(&def->world, &world));
    firn_status status = open(&r, def, world);
    if (status == FIRN_OK) status = measure(&r, emit, context);
    renderer_destroy(r.renderer);
    canvas_free(&r.picture);
    views_close(&r.views);
    firn_world_close(world);
    return status;
}

firn_status bench_render(bench_emit emit, void *context) {
    scene *s;
    TRY(scene_parse(tracks, strlen(tracks), "render", (firn_overrides){0}, &s));
    firn_status status = bench_scene(&s->def, emit, context);
    scene_close(s);
    if (status != FIRN_UNSUPPORTED) return status;
    log_note("render: %s", firn_last_error());
    return FIRN_OK;
}
