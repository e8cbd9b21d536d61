// The snow field for games and maps: 16-bit pictures or rasters of floats with a JSON file that describes
// them, and its surface as a mesh.
#include <math.h>
#include <stddef.h>

#include "base/memory.h"
#include "cache/export_raster.h"
#include "geom/field_relief.h"
#include "world/world.h"

static firn_status needs_field(export_job *job) {
    firn_snowfield f;
    return firn_world_snowfield(job->world, &f);
}

enum { HEIGHT, DEPTH, DENSITY, LAYERS };

// A grey value means the same in every frame: black is fixed by the ground, and a step of grey of the
// density is 1/30 kg/m3.
static void choose_scales(raster *r) {
    double low = INFINITY, high = -INFINITY, deepest = 0;
    for (size_t i = 0; i < r->count; i++) {
        double height = (double)r->layer[HEIGHT][i], depth = (double)r->layer[DEPTH][i];
        low = fmin(low, height - depth);
        high = fmax(high, height);
        deepest = fmax(deepest, depth);
    }
    raster_scale(r, HEIGHT, floor(low), high);
    raster_scale(r, DEPTH, 0, deepest);
    r->white[DENSITY] = 65535 / 30.0;
}

static firn_status take_raster(const export_job *job, raster *r) {
    firn_snowfield f;
    TRY(firn_world_snowfield(job->world, &f));
    *r = (raster){.name = "field",
                  .nx = f.nx,
                  .nz = f.nz,
                  .x0 = f.x0,
                  .z0 = f.z0,
                  .cell = f.cell,
                  .layers = LAYERS,
                  .layer_name = {"height", "depth", "density"},
                  .layer_unit = {"m", "m", "kg/m3"}};
    TRY(raster_alloc(r));
    firn_snowfield_read(&f, (firn_cells){0, 0, f.nx, f.nz}, r->layer[HEIGHT], r->layer[DEPTH],
                        r->layer[DENSITY]);
    choose_scales(r);
    return FIRN_OK;
}

static firn_status raster_frame(export_job *job, uint64_t number,
                                firn_status (*write)(const export_job *, const raster *, uint64_t)) {
    raster r;
    TRY(take_raster(job, &r));
    firn_status status = write(job, &r, number);
    raster_free(&r);
    return status;
}

static firn_status png16_frame(export_job *job, uint64_t number) {
    return raster_frame(job, number, raster_write_png);
}

static firn_status float_frame(export_job *job, uint64_t number) {
    return raster_frame(job, number, raster_write_float);
}

typedef struct obj_state {
    height_mesh mesh;
    snowfield_copy copy;
    field_relief relief;
} obj_state;

// The mesh has all detail; where the snow is flat it has few triangles.
static firn_status mesh_frame(export_job *job, uint64_t number, bool clods) {
    char path[PATH_ROOM];
    firn_snowfield f;
    TRY(export_path(job, clods ? "clods" : "field", number, "obj", path));
    TRY(firn_world_snowfield(job->world, &f));
    if (!job->state) job->state = mem_zero(1, sizeof(obj_state));
    if (!job->state) return fail_memory("exporting the snow field", sizeof(obj_state));
    obj_state *o = job->state;
    if (!f.even) TRY(snowfield_copy_make(&f, &o->copy));
    const firn_snowfield *even = f.even ? &f : &o->copy.field;
    TRY(height_mesh_build(even, &(height_mesh_look){.pixel = 0}, &o->mesh));
    if (clods) {
        const void *model;
        const model_drawing *d = world_drawing(job->world, offsetof(model_drawing, heights), &model);
        TRY(field_relief_move(even, (float)d->heights->packed_density(model), &o->mesh, &o->relief));
    }
    return mesh_write_obj(&o->mesh.mesh, path);
}

static firn_status obj_frame(export_job *job, uint64_t number) { return mesh_frame(job, number, false); }
static firn_status clods_frame(export_job *job, uint64_t number) { return mesh_frame(job, number, true); }

static void obj_cleanup(export_job *job) {
    obj_state *o = job->state;
    if (!o) return;
    height_mesh_free(&o->mesh);
    snowfield_copy_free(&o->copy);
    mem_free(o->relief.rest);
    mem_free(o);
}

const export_format export_field_png16 = {.name = "png16",
                                          .what = "field",
                                          .help = "height, depth and density of the snow field, per frame",
                                          .begin = needs_field,
                                          .frame = png16_frame};
const export_format export_field_float = {.name = "flt",
                                          .help = "height, depth and density of the snow field as floats",
                                          .begin = needs_field,
                                          .frame = float_frame};
const export_format export_field_obj = {.name = "obj",
                                        .what = "field",
                                        .help = "the surface of the snow field, per frame",
                                        .begin = needs_field,
                                        .frame = obj_frame,
                                        .cleanup = obj_cleanup};
const export_format export_field_clods = {.name = "obj",
                                          .what = "clods",
                                          .help = "the same with clods and cracks, as in pictures",
                                          .begin = needs_field,
                                          .frame = clods_frame,
                                          .cleanup = obj_cleanup};
