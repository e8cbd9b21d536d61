// Writes rasters: 16-bit PNG, ESRI float grids and ESRI text grids.
#include "cache/export_raster.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "geom/image.h"

firn_status raster_alloc(raster *r) {
    r->count = (size_t)r->nx * (size_t)r->nz;
    size_t bytes = (size_t)r->layers * r->count * sizeof(float);
    r->layer[0] = mem_alloc(bytes);
    if (!r->layer[0]) return fail_memory("exporting snow", bytes);
    for (int i = 1; i < r->layers; i++) r->layer[i] = r->layer[0] + (size_t)i * r->count;
    return FIRN_OK;
}

void raster_free(raster *r) { mem_free(r->layer[0]); }

void raster_scale(raster *r, int layer, double black, double high) {
    double step = 1e-4;
    while (high > black + 65535 * step) step *= 2;
    r->black[layer] = black;
    r->white[layer] = black + 65535 * step;
}

static firn_status write_sidecar(const export_job *job, const raster *r, uint64_t number,
                                 const char *ending) {
    char path[PATH_ROOM], *written;
    text t = {0};
    bool grey = strcmp(ending, "png") == 0;
    text_add(
        &t,
        "{\"time\": %.9g, \"columns_along\": \"x\", \"rows_along\": \"z\", \"columns\": %d, \"rows\": %d, ",
        firn_world_time(job->world), r->nx, r->nz);
    text_add(&t, "\"cell\": %.9g, \"corner\": [%.9g, %.9g], \"layers\": {", r->cell, r->x0, r->z0);
    for (int i = 0; i < r->layers; i++) {
        text_add(&t, "%s\n  \"%s\": {\"file\": \"%s_%s_%06llu.%s\", \"unit\": \"%s\"", i ? "," : "",
                 r->layer_name[i], r->name, r->layer_name[i], (unsigned long long)number, ending,
                 r->layer_unit[i]);
        if (grey) text_add(&t, ", \"black\": %.9g, \"white\": %.9g", r->black[i], r->white[i]);
        text_add(&t, "}");
    }
    text_add(&t, "\n}}\n");
    firn_status status = export_path(job, r->name, number, "json", path);
    if (status != FIRN_OK) text_free(&t);
    TRY(status);
    TRY(text_take(&t, &written));
    status = file_write_text(path, written);
    mem_free(written);
    return status;
}

static firn_status layer_path(const export_job *job, const raster *r, int layer, uint64_t number,
                              const char *ending, char path[PATH_ROOM]) {
    char name[64];
    snprintf(name, sizeof name, "%s_%s", r->name, r->layer_name[layer]);
    return export_path(job, name, number, ending, path);
}

static firn_status write_layer_png(const export_job *job, const raster *r, int layer, uint64_t number) {
    char path[PATH_ROOM];
    TRY(layer_path(job, r, layer, number, "png", path));
    grey_map map = {.width = (uint32_t)r->nx, .height = (uint32_t)r->nz};
    map.value = mem_alloc(r->count * sizeof *map.value);
    if (!map.value) return fail_memory("exporting snow", r->count * sizeof *map.value);
    double scale = 65535 / (r->white[layer] - r->black[layer]);
    for (size_t i = 0; i < r->count; i++) {
        double grey = ((double)r->layer[layer][i] - r->black[layer]) * scale;
        map.value[i] = (uint16_t)lround(fmin(fmax(grey, 0), 65535));
    }
    firn_status status = grey_map_write(&map, path);
    mem_free(map.value);
    return status;
}

firn_status raster_write_png(const export_job *job, const raster *r, uint64_t number) {
    for (int i = 0; i < r->layers; i++) TRY(write_layer_png(job, r, i, number));
    return write_sidecar(job, r, number, "png");
}

// As geographers' programs read it: the first row is the farthest north, and north is -z.
static void add_head(text *t, const raster *r) {
    text_add(t, "ncols %d\nnrows %d\nxllcorner %.9g\nyllcorner %.9g\ncellsize %.9g\nNODATA_value -9999\n",
             r->nx, r->nz, r->x0, -(r->z0 + r->nz * r->cell), r->cell);
}

static firn_status write_text_file(text *t, const char *path) {
    char *written;
    TRY(text_take(t, &written));
    firn_status status = file_write_text(path, written);
    mem_free(written);
    return status;
}

static firn_status write_layer_float(const export_job *job, const raster *r, int layer, uint64_t number) {
    char path[PATH_ROOM];
    TRY(layer_path(job, r, layer, number, "flt", path));
    TRY(file_write_whole(path, &(file_part){r->layer[layer], r->count * sizeof(float)}, 1));
    TRY(layer_path(job, r, layer, number, "hdr", path));
    text head = {0};
    add_head(&head, r);
    text_add(&head, "byteorder LSBFIRST\n");
    return write_text_file(&head, path);
}

firn_status raster_write_float(const export_job *job, const raster *r, uint64_t number) {
    for (int i = 0; i < r->layers; i++) TRY(write_layer_float(job, r, i, number));
    return write_sidecar(job, r, number, "flt");
}

static firn_status write_layer_text(const export_job *job, const raster *r, int layer, uint64_t number) {
    char path[PATH_ROOM];
    TRY(layer_path(job, r, layer, number, "asc", path));
    text t = {0};
    add_head(&t, r);
    for (size_t i = 0; i < r->count; i++)
        text_add(&t, "%.6g%s", (double)r->layer[layer][i], (i + 1) % (size_t)r->nx ? " " : "\n");
    return write_text_file(&t, path);
}

firn_status raster_write_text(const export_job *job, const raster *r, uint64_t number) {
    for (int i = 0; i < r->layers; i++) TRY(write_layer_text(job, r, i, number));
    return write_sidecar(job, r, number, "asc");
}
