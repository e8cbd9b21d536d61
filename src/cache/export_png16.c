// Uneven ground as 16-bit grey PNG, with a JSON file that says what the greys mean.
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"
#include "cache/export.h"
#include "geom/image.h"
#include "geom/shape.h"

static bool is_height_map(const firn_body_def *body) {
    return body->shape.kind == FIRN_SHAPE_HILLS || body->shape.kind == FIRN_SHAPE_HEIGHT_MAP;
}

static void height_range(const shape_heights *h, double *low, double *high) {
    *low = *high = h->y[0];
    for (size_t i = 0; i < (size_t)h->nx * h->nz; i++) {
        *low = fmin(*low, h->y[i]);
        *high = fmax(*high, h->y[i]);
    }
}

static firn_status write_picture(const shape_heights *h, double low, double high, const char *path) {
    grey_map map = {.width = h->nx, .height = h->nz};
    size_t count = (size_t)h->nx * h->nz;
    map.value = mem_zero(count, sizeof *map.value);
    if (!map.value) return fail_memory("drawing heights", count * sizeof *map.value);
    double scale = high > low ? 65535 / (high - low) : 0;
    for (size_t i = 0; i < count; i++) map.value[i] = (uint16_t)lround((h->y[i] - low) * scale);
    firn_status status = grey_map_write(&map, path);
    mem_free(map.value);
    return status;
}

static firn_status write_scale(const shape_heights *h, double low, double high, const firn_body_def *body,
                               const char *path) {
    text t = {0};
    text_add(&t, "{\"body\": ");
    text_add_json(&t, body->name);
    text_add(&t, ", \"black\": %.9g, \"white\": %.9g, \"unit\": \"m\", ", low, high);
    text_add(&t, "\"columns_along\": \"x\", \"rows_along\": \"z\", \"columns\": %u, \"rows\": %u, ", h->nx,
             h->nz);
    text_add(&t, "\"size\": [%.9g, %.9g], \"at\": [%.9g, %.9g, %.9g], \"rotate\": [%.9g, %.9g, %.9g]}\n",
             h->size.x, h->size.z, body->at.x, body->at.y, body->at.z, body->rotate.x, body->rotate.y,
             body->rotate.z);
    char *written;
    TRY(text_take(&t, &written));
    firn_status status = file_write_text(path, written);
    mem_free(written);
    return status;
}

static firn_status export_heights(const export_job *job, const firn_body_def *body, const shape_heights *h) {
    char path[PATH_ROOM];
    double low, high;
    height_range(h, &low, &high);
    int length = snprintf(path, sizeof path, "%s/%s.png", job->options->output, body->name);
    if (length < 0 || (size_t)length + 1 >= sizeof path)
        return fail(FIRN_BAD_INPUT, "path is too long: '%.60s...'", job->options->output);
    TRY(write_picture(h, low, high, path));
    snprintf(path, sizeof path, "%s/%s.json", job->options->output, body->name);
    return write_scale(h, low, high, body, path);
}

static firn_status export_body(const export_job *job, const firn_body_def *body) {
    const char *folder = job->run->scene->def.world.folder;
    shape *s;
    TRY(shape_create(&body->shape, body->scale, folder ? folder : ".", body->name, &s));
    const shape_heights *h = shape_height_map(s);
    firn_status status = h ? export_heights(job, body, h)
                           : fail(FIRN_BAD_INPUT, "body '%s' has no heights to export", body->name);
    shape_destroy(s);
    return status;
}

static firn_status png16_end(export_job *job) {
    const firn_world_def *world = &job->run->scene->def.world;
    size_t found = 0;
    for (size_t b = 0; b < world->bodies.count; b++) {
        if (!is_height_map(&world->bodies.items[b])) continue;
        TRY(export_body(job, &world->bodies.items[b]));
        found++;
    }
    if (found > 0) return FIRN_OK;
    return fail(
        FIRN_BAD_INPUT,
        "this scene has no heights to export: no snow field and no body of shape hills or height_map");
}

const export_format export_png16 = {.name = "png16", .help = "heights of uneven ground", .end = png16_end};
