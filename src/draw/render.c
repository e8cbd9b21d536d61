// `firn render`: a pipeline over the frames of a run. While one is drawn, the next are loaded and collected
// and the one before is written, each on a thread of its own; OpenGL stays on the calling thread. Pictures do
// not depend on how many frames are under way.
#include <firn/run.h>

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/cookie.h"
#include "base/file.h"
#include "base/hash.h"
#include "cache/cache.h"
#include "draw/background.h"
#include "draw/compare.h"
#include "draw/movie.h"
#include "draw/views.h"

enum {
    LOOKS = 5,
    PNG_LEVEL = 3,
    HEADING_FRAMES = 60,
    MOMENTS = 4,
};

typedef enum output_kind { OUTPUT_MOVIE, OUTPUT_PICTURE, OUTPUT_FOLDER } output_kind;

// One picture on its way to disk.
typedef struct writing {
    canvas picture;
    light_picture light; // instead of the picture, if an EXR is asked for
    overlay words[SCENE_VIEWS];
    size_t views;
    movie *movie;
    char path[PATH_ROOM]; // of a PNG or EXR
    background work;
} writing;

// One moment of the run on its way to a picture: a world to load it into, and what is to be drawn of it.
typedef struct moment {
    const run_folder *run;
    uint64_t frame;
    firn_world *world;
    views views;
    background work;
} moment;

typedef struct render {
    const firn_render_options *options;
    output_kind kind;
    bool light; // EXR instead of PNG
    int width, height;
    renderer *renderer; // NULL: of final quality
    int renderer_width;
    movie *movie;
    writing writing[2];
    size_t drawn, total; // pictures of all acts
    double started;
    run_folder *runs; // one for each act
    size_t acts;
    // The present act.
    run_folder *run;
    moment moment[MOMENTS];
    size_t moments;
    powder powder;
} render;

static bool ends_in_one(const char *output, const char *const *endings, const char **which) {
    for (*which = *endings; *endings; *which = *++endings)
        if (text_ends(output, *endings)) return true;
    return false;
}

static firn_status output_kind_of(const char *output, output_kind *kind) {
    static const char *const movies[] = {".mp4", ".webm", ".gif", ".webp", NULL},
                             *const pictures[] = {".png", ".exr", NULL}, *const others[] = {".avi",  ".mkv",
                                                                                            ".mov",  ".jpg",
                                                                                            ".jpeg", ".bmp",
                                                                                            ".tif",  ".tiff",
                                                                                            ".ogv",  ".svg",
                                                                                            ".mpg",  ".mpeg",
                                                                                            ".m4v",  ".apng",
                                                                                            NULL};
    const char *ending;
    *kind = ends_in_one(output, movies, &ending)     ? OUTPUT_MOVIE
            : ends_in_one(output, pictures, &ending) ? OUTPUT_PICTURE
                                                     : OUTPUT_FOLDER;
    if (!ends_in_one(output, others, &ending)) return FIRN_OK;
    return fail(FIRN_BAD_INPUT,
                "firn cannot write %s files; use .mp4, .webm, .gif, .webp, .png, .exr or a folder", ending);
}

// Found out before anything is drawn.
static firn_status prepare_output(const render *r) {
    char folder[PATH_ROOM];
    if (r->kind == OUTPUT_FOLDER) {
        TRY(file_make_folders(r->options->output));
        file_sweep(NULL, r->options->output);
        return FIRN_OK;
    }
    path_folder(r->options->output, folder, sizeof folder);
    file_sweep(NULL, folder);
    if (folder_exists(folder)) return FIRN_OK;
    return fail(FIRN_IO, "cannot write '%s': there is no folder '%s'", r->options->output, folder);
}

static firn_status choose_size(render *r) {
    const scene_picture *p = &r->runs[0].scene->def.picture;
    r->width = r->options->width ? r->options->width : p->width;
    r->height = r->options->height ? r->options->height : p->height;
    TRY(views_check_size(r->width, r->height));
    if (r->kind != OUTPUT_MOVIE || (r->width % 2 == 0 && r->height % 2 == 0)) return FIRN_OK;
    int width = r->width, height = r->height;
    r->width -= r->width % 2;
    r->height -= r->height % 2;
    log_note("width and height of a movie must be even: %d x %d instead of %d x %d", r->width, r->height,
             width, height);
    return FIRN_OK;
}

static firn_status choose_frames(const render *r, run_folder *run) {
    const firn_render_options *o = r->options;
    TRY(run_choose_frames(run, (frame_range){o->first, o->count, o->stride}));
    if (r->kind != OUTPUT_PICTURE) return FIRN_OK;
    run->chosen[0] = run->chosen[run->chosen_count - 1];
    run->chosen_count = 1;
    return FIRN_OK;
}

// Before anything is drawn: are all acts there, how many pictures will there be, of what size?
static firn_status render_plan(render *r) {
    const firn_render_options *o = r->options;
    if (!o->folder || !o->output || !o->output[0])
        return fail(FIRN_BAD_INPUT, "firn_render: the run folder or the output is missing");
    TRY(output_kind_of(o->output, &r->kind));
    r->light = text_ends(o->output, ".exr") || (r->kind == OUTPUT_FOLDER && o->pictures == FIRN_PICTURES_EXR);
    if (o->pictures == FIRN_PICTURES_EXR && !r->light)
        return fail(FIRN_BAD_INPUT, "EXR pictures go to a folder or to a file that ends in .exr, not to '%s'",
                    o->output);
    if (o->more.count && r->kind != OUTPUT_MOVIE && r->kind != OUTPUT_FOLDER)
        return fail(FIRN_BAD_INPUT, "several runs make a movie or a folder of pictures, not one picture");
    r->runs = mem_zero(o->more.count + 1, sizeof *r->runs);
    if (!r->runs) return fail_memory("drawing a run", (o->more.count + 1) * sizeof *r->runs);
    for (; r->acts <= o->more.count; r->acts++) {
        run_folder *run = &r->runs[r->acts];
        TRY(run_folder_open(r->acts ? o->more.items[r->acts - 1] : o->folder, o->overrides, run));
        TRY(choose_frames(r, run));
        TRY(run_check_output(run, o->output));
        r->total += run->chosen_count;
    }
    TRY(choose_size(r));
    if (o->compare && r->light)
        return fail(FIRN_BAD_INPUT,
                    "draft and final are compared as colours: use .png or a movie instead of EXR");
    return prepare_output(r);
}

static firn_status moment_load(moment *m) {
    char path[PATH_ROOM];
    run_frame_path(m->run, m->frame, path, sizeof path);
    return cache_read(path, m->world, m->run->scene->hash, CACHE_FRAME);
}

static firn_status moment_measure(void *context) {
    moment *m = context;
    TRY(moment_load(m));
    return views_measure(&m->views);
}

static firn_status moment_collect(void *context) {
    moment *m = context;
    TRY(moment_load(m));
    return views_collect(&m->views);
}

// Framing and shadows are decided once, from moments of the whole run, so that nothing jumps during the movie
// and a frame looks the same whichever part is drawn.
static firn_status look_ahead(render *r) {
    size_t frames = r->run->frames;
    firn_status status = FIRN_OK;
    r->moment[0].frame = r->run->frame[0];
    TRY(moment_load(&r->moment[0]));
    TRY(views_rest(&r->moment[0].views));
    for (size_t i = 0; i < LOOKS && status == FIRN_OK; i++) {
        size_t index = frames > 1 ? i * (frames - 1) / (LOOKS - 1) : 0;
        if (i > 0 && index == (i - 1) * (frames - 1) / (LOOKS - 1)) continue;
        moment *m = &r->moment[i % r->moments];
        status = background_wait(&m->work);
        m->frame = r->run->frame[index];
        if (status == FIRN_OK) background_start(&m->work, moment_measure, m);
    }
    views *sets[MOMENTS];
    for (size_t i = 0; i < r->moments; i++) {
        TRY(status);
        status = background_wait(&r->moment[i].work);
        sets[i] = &r->moment[i].views;
    }
    TRY(status);
    views_agree(sets, r->moments);
    for (size_t i = 0; i < r->moments; i++) views_settle(sets[i]);
    return FIRN_OK;
}

static bool asked_to_stop(void *context) {
    const firn_render_options *o = ((const render *)context)->options;
    return o->stop && o->stop(o->context);
}

static bool has_powder(const scene_def *def) {
    return def->picture.powder > 0 &&
           (def->world.mpm || (def->world.field && def->world.field->bits.most > 0));
}

// Powder is born in frames before those that are drawn.
static firn_status find_powder(render *r) {
    const run_folder *run = r->run;
    const scene_def *def = &run->scene->def;
    moment *m = &r->moment[0];
    uint64_t life = (uint64_t)ceil(POWDER_LIFE * def->world.fps);
    double spacing = def->world.mpm && def->world.mpm->cell > 0 ? 0.5 * def->world.mpm->cell : 0.05;
    r->powder.count = 0;
    powder_begin(&r->powder);
    for (size_t i = 0, c = 0; i < run->frames; i++) {
        m->frame = run->frame[i];
        while (c < run->chosen_count && run->chosen[c] < m->frame) c++;
        if (c == run->chosen_count) break;
        if (asked_to_stop(r)) return fail(FIRN_INTERRUPTED, "stopped before the first picture");
        if (m->frame + life + 1 < run->chosen[c]) {
            powder_begin(&r->powder);
            continue;
        }
        TRY(moment_load(m));
        TRY(powder_take(&r->powder, m->world, m->views.item[0].collector.origin, spacing,
                        m->frame + life >= run->chosen[c]));
    }
    for (size_t i = 0; i < r->moments; i++)
        for (size_t v = 0; v < r->moment[i].views.count; v++)
            r->moment[i].views.item[v].collector.powder = &r->powder;
    return FIRN_OK;
}

static void act_close(render *r) {
    for (size_t i = 0; i < r->moments; i++) par_job_wait(r->moment[i].work.job);
    for (size_t i = 0; i < r->moments; i++) {
        views_close(&r->moment[i].views);
        firn_world_close(r->moment[i].world);
        r->moment[i] = (moment){0};
    }
    r->moments = 0;
}

// One moment is drawn while up to three others are prepared: fewer on fewer cores, since each takes memory.
static size_t moments_of(const run_folder *run) {
    int threads = firn_threads();
    size_t wanted = threads < 2 ? 2 : threads > MOMENTS ? MOMENTS : (size_t)threads;
    return wanted < run->chosen_count ? wanted : run->chosen_count;
}

static firn_status act_open(render *r, size_t act) {
    r->run = &r->runs[act];
    const scene_def *def = &r->run->scene->def;
    for (size_t wanted = moments_of(r->run); r->moments < wanted;) {
        moment *m = &r->moment[r->moments++];
        m->run = r->run;
        TRY(world_create_for_frames(&def->world, &m->world));
        TRY(views_open(&m->views, def, m->world, r->options->camera));
        views_divide(&m->views, r->width / (r->options->compare ? 2 : 1), r->height);
        views_final(&m->views, r->options->quality == FIRN_QUALITY_FINAL || r->options->compare);
    }
    TRY(look_ahead(r));
    return has_powder(def) ? find_powder(r) : FIRN_OK;
}

// smooth.h works on pixels after tones, so that edges of light are smoothed by samples alone.
static int samples_of(const render *r) {
    return renderer_samples(r->run->scene->def.picture.samples, r->light);
}

// Another act may have another number of views, and so another size of each.
static firn_status open_renderer(render *r) {
    const views *v = &r->moment[0].views;
    if (r->options->quality == FIRN_QUALITY_FINAL || r->options->compare) TRY(trace_check());
    if (r->options->quality == FIRN_QUALITY_FINAL && !r->options->compare) return FIRN_OK;
    if (r->renderer && r->renderer_width == v->width) {
        renderer_forget(r->renderer);
        return FIRN_OK;
    }
    renderer_destroy(r->renderer);
    r->renderer = NULL;
    r->renderer_width = v->width;
    return renderer_create(v->width, v->height, samples_of(r), &r->renderer);
}

static firn_status render_open(render *r) {
    const firn_render_options *o = r->options;
    TRY(render_plan(r));
    TRY(act_open(r, 0));
    const scene_def *def = &r->run->scene->def;
    TRY(open_renderer(r));
    if (r->kind == OUTPUT_MOVIE)
        TRY(movie_create(o->output, r->width, r->height, def->world.fps, o->quality != FIRN_QUALITY_FINAL,
                         &r->movie));
    for (int i = 0; i < 2; i++) {
        r->writing[i].movie = r->movie;
        TRY(canvas_create(r->width, r->height, (draw_color){0, 0, 0, 255}, &r->writing[i].picture));
        if (r->light)
            TRY(light_create(r->width, r->height, o->quality == FIRN_QUALITY_FINAL, &r->writing[i].light));
    }
    return FIRN_OK;
}

static firn_status write_picture(void *context) {
    writing *w = context;
    if (w->light.rgba) return light_write_exr(&w->light, w->path);
    for (size_t i = 0; i < w->views; i++) TRY(overlay_draw(&w->words[i], &w->picture));
    return w->movie ? movie_add(w->movie, &w->picture) : canvas_write_png(&w->picture, w->path, PNG_LEVEL);
}

static void picture_path(const render *r, uint64_t frame, char *out, size_t size) {
    char name[64];
    uint64_t number = r->options->more.count ? r->drawn : frame;
    snprintf(name, sizeof name, "frame_%06llu.%s", (unsigned long long)number, r->light ? "exr" : "png");
    if (r->kind == OUTPUT_FOLDER)
        path_join(r->options->output, name, out, size);
    else
        snprintf(out, size, "%s", r->options->output);
}

// Of several acts each begins with its title, which then fades.
static float heading_share(const render *r, size_t i) {
    if (r->options->more.count == 0) return 0;
    float count = (float)r->run->chosen_count;
    float whole = count < 3 * HEADING_FRAMES ? count / 3 : HEADING_FRAMES;
    float left = 1 - (float)i / whole;
    return left > 0.3f ? 1 : left > 0 ? left / 0.3f : 0;
}

static void prepare(render *r, size_t i) {
    moment *m = &r->moment[i % r->moments];
    if (i >= r->run->chosen_count) return;
    m->frame = r->run->chosen[i];
    background_start(&m->work, moment_collect, m);
}

// Progress within a picture: so many are done, and so many like this one are still to come.
static void say_share(void *context, double share, double eta) {
    const render *r = context;
    const firn_render_options *o = r->options;
    double each = (clock_seconds() - r->started) / ((double)r->drawn + share);
    double after = each * (double)(r->total - r->drawn - 1);
    if (o->progress) o->progress(o->context, r->drawn, r->total, eta + after);
}

// Of what is drawn: the frame with all it holds, and how it is to look.
static firn_status picture_key(const render *r, const moment *m, uint64_t *key) {
    char *looks = NULL, path[PATH_ROOM];
    uint64_t size[3] = {(uint64_t)r->width, (uint64_t)r->height, m->frame};
    TRY(scene_write(r->run->scene, &looks));
    run_frame_path(m->run, m->frame, path, sizeof path);
    *key = hash64_text(FIRN_VERSION_TEXT, hash64(size, sizeof size, hash64_text(looks, 0)));
    if (r->options->camera) *key = hash64_text(r->options->camera, *key);
    firn_text_free(looks);
    char *data;
    size_t bytes;
    TRY(file_read_whole(path, SIZE_MAX / 2, &data, &bytes));
    *key = hash64(data, bytes, *key);
    mem_free(data);
    return FIRN_OK;
}

// A picture of final quality takes minutes: what a killed one had is in a file beside it.
static firn_status draw_final(render *r, moment *m, writing *w) {
    char part[PATH_ROOM + 8];
    trace_options options = trace_options_default();
    options.progress = say_share;
    options.stop = asked_to_stop;
    options.context = r;
    if (r->options->compare)
        return compare_draw(&m->views, (painter){r->renderer, &options}, &w->picture, w->words, &w->views);
    if (r->kind != OUTPUT_MOVIE && m->views.count == 1) {
        snprintf(part, sizeof part, "%s.part", w->path);
        options.resume = part;
        TRY(picture_key(r, m, &options.key));
    }
    TRY(views_draw(&m->views, (painter){NULL, &options}, &w->picture, r->light ? &w->light : NULL, w->words));
    return options.resume ? file_remove(part) : FIRN_OK;
}

// The picture before this one must be written before this one may be, and its canvas is used for the next.
static firn_status draw_frame(render *r, size_t i) {
    writing *w = &r->writing[r->drawn % 2], *before = &r->writing[(r->drawn + 1) % 2];
    assert(r->moments > 0);
    moment *m = &r->moment[i % r->moments];
    TRY(background_wait(&m->work));
    picture_path(r, m->frame, w->path, sizeof w->path);
    w->views = m->views.count;
    if (r->renderer && !r->options->compare)
        TRY(views_draw(&m->views, (painter){r->renderer, NULL}, &w->picture, r->light ? &w->light : NULL,
                       w->words));
    else
        TRY(draw_final(r, m, w));
    w->words[0].heading = heading_share(r, i);
    prepare(r, i + r->moments);
    TRY(background_wait(&before->work));
    background_start(&w->work, write_picture, w);
    r->drawn++;
    return FIRN_OK;
}

static firn_status draw_act(render *r) {
    const firn_render_options *o = r->options;
    for (size_t i = 0; i < r->moments; i++) prepare(r, i);
    for (size_t i = 0; i < r->run->chosen_count; i++) {
        if (o->stop && o->stop(o->context))
            return fail(FIRN_INTERRUPTED, "stopped after %zu of %zu pictures%s", r->drawn, r->total,
                        r->movie ? "; no movie was written" : "");
        TRY(draw_frame(r, i));
        double each = (clock_seconds() - r->started) / (double)r->drawn;
        if (o->progress) o->progress(o->context, r->drawn, r->total, each * (double)(r->total - r->drawn));
    }
    for (int i = 0; i < 2; i++) TRY(background_wait(&r->writing[i].work)); // titles belong to the act
    return FIRN_OK;
}

static firn_status draw_acts(render *r) {
    r->started = clock_seconds();
    TRY(draw_act(r));
    for (size_t act = 1; act < r->acts; act++) {
        act_close(r);
        TRY(act_open(r, act));
        TRY(open_renderer(r));
        TRY(draw_act(r));
    }
    movie *m = r->movie;
    r->movie = NULL;
    return m ? movie_finish(m) : FIRN_OK;
}

static void render_close(render *r) {
    for (int i = 0; i < 2; i++) {
        par_job_wait(r->writing[i].work.job);
        canvas_free(&r->writing[i].picture);
        light_free(&r->writing[i].light);
    }
    movie_abandon(r->movie);
    renderer_destroy(r->renderer);
    act_close(r);
    powder_free(&r->powder);
    for (size_t act = 0; act <= r->acts && r->runs && act <= r->options->more.count; act++)
        if (r->runs[act].scene) run_folder_close(&r->runs[act]);
    mem_free(r->runs);
}

DEFAULT_COOKIE(firn_render_options)

FIRN_API firn_status firn_render(const firn_render_options *options) {
    NEED(options);
    NEED_COOKIE(firn_render_options, options);
    NEED(options->folder);
    NEED(options->output);
    NEED(options->more.items || options->more.count == 0);
    for (size_t i = 0; i < options->more.count; i++) NEED(options->more.items[i]);
    render *r = mem_zero(1, sizeof *r);
    if (!r) return fail_memory("drawing a run", sizeof *r);
    r->options = options;
    firn_status status = render_open(r);
    if (status == FIRN_OK) status = draw_acts(r);
    render_close(r);
    mem_free(r);
    return status;
}
