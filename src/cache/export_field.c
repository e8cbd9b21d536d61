// The snow field for games and maps: 16-bit pictures or rasters of floats with a JSON file that says what
// they mean, and its surface as a mesh.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cache/export.h"
#include "geom/field_mesh.h"
#include "geom/image.h"

static firn_status needs_field(export_job *job) {
    firn_snowfield f;
    return firn_world_snowfield(job->world, &f);
}

// The field as three rasters of nx * nz values, rows along x.
enum { HEIGHT, DEPTH, DENSITY, LAYERS };
static const char *const layer_name[LAYERS] = {"height", "depth", "density"};
static const char *const layer_unit[LAYERS] = {"m", "m", "kg/m3"};

typedef struct raster {
    firn_snowfield field;
    float *layer[LAYERS];
    double black[LAYERS], white[LAYERS]; // of pictures
    size_t count;
} raster;

static void free_raster(raster *r) { mem_free(r->layer[0]); }

// The same greys mean the same in every frame: black is fixed by the ground, and a step of grey is 0.1 mm (or
// 0.2, 0.4 .. if that does not reach) and 1/30 kg/m3.
static void choose_scales(raster *r) {
    double low = INFINITY, high = -INFINITY, deepest = 0;
    for (size_t i = 0; i < r->count; i++) {
        double height = (double)r->layer[HEIGHT][i], depth = (double)r->layer[DEPTH][i];
        low = fmin(low, height - depth);
        high = fmax(high, height);
        deepest = fmax(deepest, depth);
    }
    double step = 1e-4;
    r->black[HEIGHT] = floor(low);
    while (high > r->black[HEIGHT] + 65535 * step) step *= 2;
    r->white[HEIGHT] = r->black[HEIGHT] + 65535 * step;
    for (step = 1e-4; deepest > 65535 * step;) step *= 2;
    r->white[DEPTH] = 65535 * step;
    r->white[DENSITY] = 65535 / 30.0;
}

static firn_status take_raster(const export_job *job, raster *r) {
    *r = (raster){0};
    TRY(firn_world_snowfield(job->world, &r->field));
    const firn_snowfield *f = &r->field;
    r->count = (size_t)f->nx * (size_t)f->nz;
    r->layer[0] = mem_alloc(LAYERS * r->count * sizeof(float));
    if (!r->layer[0]) return fail_memory("exporting the snow field", LAYERS * r->count * sizeof(float));
    for (int i = 1; i < LAYERS; i++) r->layer[i] = r->layer[0] + (size_t)i * r->count;
    firn_snowfield_read(f, (firn_cells){0, 0, f->nx, f->nz}, r->layer[HEIGHT], r->layer[DEPTH],
                        r->layer[DENSITY]);
    choose_scales(r);
    return FIRN_OK;
}

static firn_status write_sidecar(const export_job *job, const raster *r, uint64_t number,
                                 const char *ending) {
    char path[PATH_ROOM], *written;
    text t = {0};
    const firn_snowfield *f = &r->field;
    bool grey = strcmp(ending, "png") == 0;
    text_add(
        &t,
        "{\"time\": %.9g, \"columns_along\": \"x\", \"rows_along\": \"z\", \"columns\": %d, \"rows\": %d, ",
        firn_world_time(job->world), f->nx, f->nz);
    text_add(&t, "\"cell\": %.9g, \"corner\": [%.9g, %.9g], \"layers\": {", f->cell, f->x0, f->z0);
    for (int i = 0; i < LAYERS; i++) {
        text_add(&t, "%s\n  \"%s\": {\"file\": \"field_%s_%06llu.%s\", \"unit\": \"%s\"", i ? "," : "",
                 layer_name[i], layer_name[i], (unsigned long long)number, ending, layer_unit[i]);
        if (grey) text_add(&t, ", \"black\": %.9g, \"white\": %.9g", r->black[i], r->white[i]);
        text_add(&t, "}");
    }
    text_add(&t, "\n}}\n");
    firn_status status = export_path(job, "field", number, "json", path);
    if (status != FIRN_OK) text_free(&t);
    TRY(status);
    TRY(text_take(&t, &written));
    status = file_write_text(path, written);
    mem_free(written);
    return status;
}

static firn_status write_layer_png(const export_job *job, const raster *r, int layer, uint64_t number) {
    char name[32], path[PATH_ROOM];
    snprintf(name, sizeof name, "field_%s", layer_name[layer]);
    TRY(export_path(job, name, number, "png", path));
    grey_map map = {.width = (uint32_t)r->field.nx, .height = (uint32_t)r->field.nz};
    map.value = mem_alloc(r->count * sizeof *map.value);
    if (!map.value) return fail_memory("exporting the snow field", r->count * sizeof *map.value);
    double scale = 65535 / (r->white[layer] - r->black[layer]);
    for (size_t i = 0; i < r->count; i++) {
        double grey = ((double)r->layer[layer][i] - r->black[layer]) * scale;
        map.value[i] = (uint16_t)lround(fmin(fmax(grey, 0), 65535));
    }
    firn_status status = grey_map_write(&map, path);
    mem_free(map.value);
    return status;
}

static firn_status write_pictures(const export_job *job, const raster *r, uint64_t number) {
    for (int i = 0; i < LAYERS; i++) TRY(write_layer_png(job, r, i, number));
    return write_sidecar(job, r, number, "png");
}

static firn_status png16_frame(export_job *job, uint64_t number) {
    raster r;
    TRY(take_raster(job, &r));
    firn_status status = write_pictures(job, &r, number);
    free_raster(&r);
    return status;
}

// A raster of floats as geographers' programs read it (ESRI float grid): the first row is the farthest north,
// and north is -z.
static firn_status write_layer_float(const export_job *job, const raster *r, int layer, uint64_t number) {
    char name[32], path[PATH_ROOM], head[400];
    const firn_snowfield *f = &r->field;
    snprintf(name, sizeof name, "field_%s", layer_name[layer]);
    TRY(export_path(job, name, number, "flt", path));
    TRY(file_write_whole(path, &(file_part){r->layer[layer], r->count * sizeof(float)}, 1));
    TRY(export_path(job, name, number, "hdr", path));
    snprintf(head, sizeof head,
             "ncols %d\nnrows %d\nxllcorner %.9g\nyllcorner %.9g\ncellsize %.9g\nNODATA_value -9999\n"
             "byteorder LSBFIRST\n",
             f->nx, f->nz, f->x0, -(f->z0 + f->nz * f->cell), f->cell);
    return file_write_text(path, head);
}

static firn_status write_floats(const export_job *job, const raster *r, uint64_t number) {
    for (int i = 0; i < LAYERS; i++) TRY(write_layer_float(job, r, i, number));
    return write_sidecar(job, r, number, "flt");
}

static firn_status float_frame(export_job *job, uint64_t number) {
    raster r;
    TRY(take_raster(job, &r));
    firn_status status = write_floats(job, &r, number);
    free_raster(&r);
    return status;
}

typedef struct obj_state {
    field_mesh mesh;
    snowfield_copy copy;
} obj_state;

// Every unevenness is in the mesh; where the snow is flat it has few triangles.
static firn_status obj_frame(export_job *job, uint64_t number) {
    char path[PATH_ROOM];
    firn_snowfield f;
    TRY(export_path(job, "field", number, "obj", path));
    TRY(firn_world_snowfield(job->world, &f));
    if (!job->state) job->state = mem_zero(1, sizeof(obj_state));
    if (!job->state) return fail_memory("exporting the snow field", sizeof(obj_state));
    obj_state *o = job->state;
    if (!f.even) TRY(snowfield_copy_make(&f, &o->copy));
    TRY(field_mesh_build(f.even ? &f : &o->copy.field, &(field_mesh_look){.pixel = 0}, &o->mesh));
    return mesh_write_obj(&o->mesh.mesh, path);
}

static void obj_cleanup(export_job *job) {
    obj_state *o = job->state;
    if (!o) return;
    field_mesh_free(&o->mesh);
    snowfield_copy_free(&o->copy);
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
