// The snow cover of a frame as a map, from which another scene can start.
#include "geom/snow_map.h"

#include <math.h>
#include <string.h>

#include "base/file.h"
#include "cache/frame.h"
#include "geom/cover_surface.h"

enum { BOX = 7 }; // numbers of wind.box: corner, cell, cells along x, y, z

void snow_map_free(snow_map *map) {
    mem_free(map->mass);
    mem_free(map->depth);
    mem_free(map->height);
    *map = (snow_map){0};
}

// *out has room for what is asked; memory is the caller's.
static firn_status load(h5_reader *r, const char *field, firn_type type, size_t expected, void *out) {
    char path[FRAME_NAME];
    size_t count;
    frame_array_path(field, path);
    if (h5_items(r, path, type, 1, &count) != FIRN_OK)
        return fail(FIRN_BAD_INPUT, "there is no snow cover in '%s': its scene needs `cover`", r->name);
    if (count != expected) return fail(FIRN_BAD_INPUT, "'%s': field '%s' is damaged", r->name, field);
    return h5_load(r, path, type, out);
}

static firn_status read_box(h5_reader *r, snow_map *out, cover_grid *grid) {
    double box[BOX];
    TRY(load(r, "wind.box", FIRN_F64, BOX, box));
    bool good = box[3] > 0;
    for (int k = 4; k < BOX; k++) good &= box[k] >= 1 && box[k] <= 4096;
    if (!good) return fail(FIRN_BAD_INPUT, "'%s': field 'wind.box' is damaged", r->name);
    for (int k = 0; k < 3; k++) grid->low[k] = box[k], grid->n[k] = (int32_t)box[k + 4];
    grid->cell = box[3];
    *out = (snow_map){.nx = grid->n[0], .nz = grid->n[2], .x0 = box[0], .z0 = box[2], .cell = box[3]};
    return FIRN_OK;
}

static firn_status read_columns(h5_reader *r, snow_map *out) {
    static const cover_floor none; // bodies are as cells here
    cover_grid grid = {.floor = &none};
    TRY(read_box(r, out, &grid));
    size_t columns = (size_t)out->nx * (size_t)out->nz, cells = columns * (size_t)grid.n[1];
    out->mass = mem_zero(columns, sizeof *out->mass);
    out->depth = mem_zero(columns, sizeof *out->depth);
    out->height = mem_zero(columns, sizeof *out->height);
    float *fill = mem_zero(cells, sizeof *fill);
    firn_status status = out->mass && out->depth && out->height && fill
                             ? load(r, "wind.cover_mass", FIRN_F32, columns, out->mass)
                             : fail_memory("reading a snow cover", cells * sizeof *fill);
    if (status == FIRN_OK) status = load(r, "wind.cover", FIRN_F32, cells, fill);
    grid.fill = fill;
    if (status == FIRN_OK) cover_heights(&grid, out->depth, out->height);
    mem_free(fill);
    return status;
}

firn_status snow_map_read(const char *frame, snow_map *out) {
    char *data;
    size_t bytes;
    frame_block block;
    h5_reader r;
    *out = (snow_map){0};
    TRY(frame_read_block(NULL, frame, &block)); // checked before gigabytes are read
    TRY(file_read_whole(frame, (size_t)1 << 40, &data, &bytes));
    firn_status status = frame_verify(data, bytes, frame, CACHE_FRAME, &block);
    if (status == FIRN_OK) status = h5_open(&r, data, bytes, frame);
    if (status == FIRN_OK) {
        status = read_columns(&r, out);
        h5_close(&r);
    }
    mem_free(data);
    if (status != FIRN_OK) snow_map_free(out);
    return status;
}
