// `firn export`: finds the format and runs it over the chosen frames.
#include "cache/export.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/cookie.h"
#include "base/memory.h"
#include "base/text.h"

static const export_format *const formats[] = {
    &export_ply,         &export_obj,          &export_xdmf,        &export_png16,       &export_surface_ply,
    &export_surface_obj, &export_density_xdmf, &export_field_float, &export_field_png16, &export_field_obj,
    &export_cover_ply,   &export_cover_obj,    &export_cover_png16, &export_cover_float, &export_cover_text,
    &export_text,        &export_field_clods};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static bool same_what(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static firn_status unknown_format(const char *name) {
    const char *names[FORMATS];
    size_t count = 0;
    text list = {0};
    for (size_t i = 0; i < FORMATS; i++) {
        if (formats[i]->what) continue;
        text_add(&list, "%s%s (%s)", count ? ", " : "", formats[i]->name, formats[i]->help);
        names[count++] = formats[i]->name;
    }
    const char *nearest = name ? word_nearest(name, names, count) : NULL;
    firn_status status = fail(FIRN_BAD_INPUT, "unknown format '%s'%s%s%s; allowed: %s", name ? name : "",
                              nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "",
                              list.data ? list.data : "");
    text_free(&list);
    return status;
}

static firn_status find_format(const char *name, const char *what, const export_format **out) {
    bool known = false;
    for (size_t i = 0; i < FORMATS; i++) {
        if (!text_equal(formats[i]->name, name)) continue;
        known = true;
        if (!same_what(formats[i]->what, what)) continue;
        *out = formats[i];
        return FIRN_OK;
    }
    if (!known) return unknown_format(name);
    return fail(FIRN_BAD_INPUT,
                "'%s' cannot be exported as %s: surfaces of snow, water and cloth go to ply and obj, the "
                "density of snow to xdmf, the snow "
                "field to png16, flt and obj, the snow cover to ply, obj, png16, flt and asc",
                what, name);
}

firn_status export_path(const export_job *job, const char *name, uint64_t frame, const char *ending,
                        char out[PATH_ROOM]) {
    int length = snprintf(out, PATH_ROOM, "%s/%s_%06llu.%s", job->options->output, name,
                          (unsigned long long)frame, ending);
    if (length >= 0 && length < PATH_ROOM) return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "path is too long: '%.60s...'", job->options->output);
}

const char *export_short_name(const firn_field *field) {
    const char *dot = strchr(field->name, '.');
    return dot ? dot + 1 : field->name;
}

static bool is_position(const firn_field *f) {
    return (f->flags & FIRN_FIELD_SHOWN) && f->components == 3 &&
           strcmp(export_short_name(f), "position") == 0 && (f->type == FIRN_F32 || f->type == FIRN_F64);
}

static void take_points(const firn_world *world, size_t at, export_points *out) {
    firn_field position = firn_world_field_at(world, at);
    size_t prefix = strcspn(position.name, ".");
    snprintf(out->model, sizeof out->model, "%.*s", (int)prefix, position.name);
    out->count = 0;
    out->fields[out->count++] = position;
    for (size_t i = 0; i < firn_world_field_count(world); i++) {
        firn_field f = firn_world_field_at(world, i);
        bool mate = strncmp(f.name, position.name, prefix + 1) == 0 && (f.flags & FIRN_FIELD_SHOWN);
        if (mate && i != at && f.count == position.count) out->fields[out->count++] = f;
    }
}

firn_status export_each_points(export_job *job, uint64_t number,
                               firn_status (*each)(export_job *job, const export_points *points,
                                                   uint64_t number)) {
    size_t count = firn_world_field_count(job->world);
    export_points points = {.fields = mem_alloc(count * sizeof *points.fields)};
    if (!points.fields) return fail_memory("exporting", count * sizeof *points.fields);
    firn_status status = FIRN_OK;
    for (size_t i = 0; i < count && status == FIRN_OK; i++) {
        firn_field f = firn_world_field_at(job->world, i);
        if (!is_position(&f)) continue;
        take_points(job->world, i, &points);
        status = each(job, &points, number);
    }
    mem_free(points.fields);
    return status;
}

// v + 2 w (q x v) + 2 q x (q x v)
void export_to_world(const firn_body_state *body, const float from[3], bool direction, float to[3]) {
    firn_quat q = body->rotation;
    double x = from[0], y = from[1], z = from[2];
    double cx = 2 * (q.y * z - q.z * y), cy = 2 * (q.z * x - q.x * z), cz = 2 * (q.x * y - q.y * x);
    double at = direction ? 0 : 1;
    to[0] = (float)(x + q.w * cx + q.y * cz - q.z * cy + at * body->position.x);
    to[1] = (float)(y + q.w * cy + q.z * cx - q.x * cz + at * body->position.y);
    to[2] = (float)(z + q.w * cz + q.x * cy - q.y * cx + at * body->position.z);
}

static firn_status export_frames(export_job *job, const export_format *format) {
    const firn_export_options *o = job->options;
    double started = clock_seconds();
    size_t count = job->run->chosen_count;
    for (size_t i = 0; i < count; i++) {
        if (o->stop && o->stop(o->context))
            return fail(FIRN_INTERRUPTED, "interrupted after %zu of %zu frames", i, count);
        char path[PATH_ROOM];
        uint64_t number = job->run->chosen[i];
        run_frame_path(job->run, number, path, sizeof path);
        TRY(cache_read(path, job->world, job->run->scene->hash, CACHE_FRAME));
        TRY(format->frame(job, number));
        double each = (clock_seconds() - started) / (double)(i + 1);
        if (o->progress) o->progress(o->context, i + 1, count, each * (double)(count - i - 1));
    }
    return FIRN_OK;
}

static firn_status export_all(export_job *job, const export_format *format) {
    const firn_export_options *o = job->options;
    if (format->frame) {
        TRY(run_choose_frames(job->run, (frame_range){o->first, o->count, o->stride}));
        TRY(world_create_for_frames(&job->run->scene->def.world, &job->world));
    }
    TRY(file_make_folders(o->output));
    if (format->begin) TRY(format->begin(job));
    if (format->frame) TRY(export_frames(job, format));
    return format->end ? format->end(job) : FIRN_OK;
}

DEFAULT_COOKIE(firn_export_options)

firn_status firn_export(const firn_export_options *options) {
    NEED(options);
    NEED_COOKIE(firn_export_options, options);
    if (!options->folder || !options->output || !options->output[0])
        return fail(FIRN_BAD_INPUT, "firn_export: the run folder or the output folder is missing");
    const export_format *format = NULL;
    TRY(find_format(options->format, options->what, &format));
    run_folder run;
    TRY(run_folder_open(options->folder, (firn_overrides){0}, &run));
    export_job job = {.options = options, .run = &run};
    // The heights of a scene are those of its snow.
    if (format == &export_png16 && run.scene->def.world.field) format = &export_field_png16;
    if (format == &export_png16 && run.scene->def.world.cover) format = &export_cover_png16;
    size_t existing = run_existing_part(options->output);
    firn_status status = run_check_output(&run, options->output);
    if (status == FIRN_OK) file_sweep(NULL, options->output);
    if (status == FIRN_OK) status = export_all(&job, format);
    if (format->cleanup) format->cleanup(&job);
    if (status != FIRN_OK) run_drop_empty_folders(options->output, existing);
    firn_world_close(job.world);
    run_folder_close(&run);
    return status;
}
