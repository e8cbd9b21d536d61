// The snow cover of the wind: its surface as a closed mesh, and over the ground how deep it is and how high
// it reaches.
#include <math.h>

#include "base/memory.h"
#include "cache/export_raster.h"
#include "world/cover.h"

typedef struct cover_state {
    cover_floors floors;
} cover_state;

static firn_status cover_begin(export_job *job) {
    cover_grid grid;
    TRY(world_cover_grid(job->world, &grid));
    job->state = mem_zero(1, sizeof(cover_state));
    return job->state ? FIRN_OK : fail_memory("exporting the snow cover", sizeof(cover_state));
}

static void cover_cleanup(export_job *job) {
    cover_state *s = job->state;
    if (s) mem_free(s->floors.floor);
    mem_free(s);
}

static firn_status look(export_job *job, cover_grid *grid) {
    cover_state *s = job->state;
    TRY(world_cover_grid(job->world, grid));
    return world_cover_floors(job->world, grid, &s->floors);
}

static firn_status mesh_frame(export_job *job, uint64_t number, const char *ending,
                              firn_status (*write)(const mesh *m, const char *path)) {
    char path[PATH_ROOM];
    cover_grid grid;
    mesh m;
    TRY(export_path(job, "cover", number, ending, path));
    TRY(look(job, &grid));
    TRY(cover_surface(&grid, &m));
    firn_status status = write(&m, path);
    mesh_free(&m);
    return status;
}

static firn_status obj_frame(export_job *job, uint64_t number) {
    return mesh_frame(job, number, "obj", mesh_write_obj);
}

static firn_status ply_frame(export_job *job, uint64_t number) {
    return mesh_frame(job, number, "ply", mesh_write_ply);
}

enum { DEPTH, HEIGHT, LAYERS };

// Black is fixed by the domain, so that a grey value means the same in every frame.
static void choose_scales(raster *r, const cover_grid *grid) {
    raster_scale(r, DEPTH, 0, grid->n[1] * grid->cell);
    raster_scale(r, HEIGHT, grid->low[1], grid->low[1] + grid->n[1] * grid->cell);
}

static firn_status raster_frame(export_job *job, uint64_t number,
                                firn_status (*write)(const export_job *, const raster *, uint64_t)) {
    cover_grid grid;
    TRY(look(job, &grid));
    raster r = {.name = "cover",
                .nx = grid.n[0],
                .nz = grid.n[2],
                .x0 = grid.low[0],
                .z0 = grid.low[2],
                .cell = grid.cell,
                .layers = LAYERS,
                .layer_name = {"depth", "height"},
                .layer_unit = {"m", "m"}};
    TRY(raster_alloc(&r));
    cover_heights(&grid, r.layer[DEPTH], r.layer[HEIGHT]);
    choose_scales(&r, &grid);
    firn_status status = write(job, &r, number);
    raster_free(&r);
    return status;
}

static firn_status png16_frame(export_job *job, uint64_t number) {
    return raster_frame(job, number, raster_write_png);
}

static firn_status text_frame(export_job *job, uint64_t number) {
    return raster_frame(job, number, raster_write_text);
}

static firn_status float_frame(export_job *job, uint64_t number) {
    return raster_frame(job, number, raster_write_float);
}

#define COVER_FORMAT(format, of, does, each)                                                                 \
    {                                                                                                        \
        .name = format, .what = of, .help = does, .begin = cover_begin, .frame = each,                       \
        .cleanup = cover_cleanup                                                                             \
    }
const export_format export_cover_obj =
    COVER_FORMAT("obj", "cover", "the surface of the snow cover, per frame", obj_frame);
const export_format export_cover_ply =
    COVER_FORMAT("ply", "cover", "the surface of the snow cover, per frame", ply_frame);
const export_format export_cover_png16 =
    COVER_FORMAT("png16", "cover", "depth and height of the snow cover, per frame", png16_frame);
const export_format export_cover_float =
    COVER_FORMAT("flt", "cover", "depth and height of the snow cover as floats", float_frame);
const export_format export_cover_text =
    COVER_FORMAT("asc", "cover", "depth and height of the snow cover as text", text_frame);
const export_format export_text =
    COVER_FORMAT("asc", NULL, "depth and height of the snow cover as text (ESRI grid)", text_frame);
