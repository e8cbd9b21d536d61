// The snow field by place.
#include "geom/snowfield.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

static int32_t within(int32_t i, int32_t count) { return i < 0 ? 0 : i < count ? i : count - 1; }

// One cell: ground, depth, density.
static void read_cell(const firn_snowfield *f, int32_t x, int32_t z, float out[3]) {
    size_t i = snowfield_item(f, x, z);
    if (i != SIZE_MAX) {
        out[0] = f->ground[i];
        out[1] = f->depth[i];
        out[2] = f->density[i];
    } else if (f->even) {
        out[0] = (float)f->plain_ground;
        out[1] = (float)f->plain_depth;
        out[2] = (float)f->plain_density;
    } else {
        f->untouched(f->source, (firn_cells){x, z, x + 1, z + 1}, &out[0], &out[1], &out[2]);
    }
}

// One that firn_world_snowfield filled.
static bool is_field(const firn_snowfield *f, const char *function) {
    if (f && f->nx > 0 && f->nz > 0 && f->tile) return true;
    fail(FIRN_BAD_INPUT, "%s: the field is %s", function, f ? "empty" : "NULL");
    return false;
}

void firn_snowfield_read(const firn_snowfield *f, firn_cells cells, float *surface, float *depth,
                         float *density) {
    if (!is_field(f, "firn_snowfield_read")) return;
    size_t out = 0;
    for (int32_t z = cells.z0; z < cells.z1; z++) {
        for (int32_t x = cells.x0; x < cells.x1; x++, out++) {
            float v[3];
            read_cell(f, within(x, f->nx), within(z, f->nz), v);
            if (surface) surface[out] = v[0] + v[1];
            if (depth) depth[out] = v[1];
            if (density) density[out] = v[2];
        }
    }
}

static double bilinear(const float h[4], double a, double b) {
    return (1 - b) * ((1 - a) * (double)h[0] + a * (double)h[1]) +
           b * ((1 - a) * (double)h[2] + a * (double)h[3]);
}

void snowfield_sample(const firn_snowfield *f, double x, double z, double *surface, double *depth) {
    double u = fmin(fmax((x - f->x0) / f->cell - 0.5, 0), f->nx - 1),
           v = fmin(fmax((z - f->z0) / f->cell - 0.5, 0), f->nz - 1);
    *surface = *depth = (double)NAN;
    if (!(u >= 0 && v >= 0)) return;
    int32_t i = (int32_t)u, k = (int32_t)v;
    float h[4], d[4];
    firn_snowfield_read(f, (firn_cells){i, k, i + 2, k + 2}, h, d, NULL);
    *surface = bilinear(h, u - i, v - k);
    *depth = bilinear(d, u - i, v - k);
}

double firn_snowfield_surface(const firn_snowfield *f, double x, double z) {
    double surface, depth;
    if (!is_field(f, "firn_snowfield_surface")) return 0;
    snowfield_sample(f, x, z, &surface, &depth);
    return surface;
}

typedef struct copy_job {
    const firn_snowfield *from;
    float *layer[5];
    int layers; // 5: with temperature and wetness
    size_t stride;
} copy_job;

static void copy_tile(const copy_job *job, int32_t column, int32_t row, size_t t) {
    const firn_snowfield *f = job->from;
    const float *const layer[5] = {f->ground, f->depth, f->density, f->temperature, f->wetness};
    int32_t x = column * f->edge, width = f->edge < f->nx - x ? f->edge : f->nx - x;
    for (int32_t z = row * f->edge; z < (row + 1) * f->edge && z < f->nz; z++)
        for (int k = 0; k < job->layers; k++)
            memcpy(job->layer[k] + (size_t)z * job->stride + (size_t)x,
                   layer[k] + (t * (size_t)f->edge + (size_t)(z - row * f->edge)) * (size_t)f->edge,
                   (size_t)width * sizeof(float));
}

static void copy_row(void *context, size_t begin, size_t end) {
    const copy_job *job = context;
    const firn_snowfield *f = job->from;
    for (size_t p = begin; p < end; p++) {
        int32_t column = (int32_t)(p % (size_t)f->columns), row = (int32_t)(p / (size_t)f->columns);
        if (f->tile[p] >= 0) {
            copy_tile(job, column, row, (size_t)f->tile[p]);
            continue;
        }
        int32_t x = column * f->edge, x1 = x + f->edge < f->nx ? x + f->edge : f->nx;
        for (int32_t z = row * f->edge; z < (row + 1) * f->edge && z < f->nz; z++) {
            size_t at = (size_t)z * job->stride + (size_t)x;
            f->untouched(f->source, (firn_cells){x, z, x1, z + 1}, job->layer[0] + at, job->layer[1] + at,
                         job->layer[2] + at);
            for (int32_t k = 0; job->layers > 3 && k < x1 - x; k++) {
                job->layer[3][at + (size_t)k] = (float)f->plain_temperature;
                job->layer[4][at + (size_t)k] = (float)f->plain_wetness;
            }
        }
    }
}

firn_status snowfield_copy_make(const firn_snowfield *from, snowfield_copy *to) {
    size_t edge = (size_t)(from->nx > from->nz ? from->nx : from->nz), layer = edge * (size_t)from->nz;
    int layers = from->wetness ? 5 : 3;
    if (!array_reserve(&to->ground, &to->capacity, (size_t)layers * layer, sizeof(float)))
        return fail_memory("copying the snow field", (size_t)layers * layer * sizeof(float));
    copy_job job = {.from = from, .layers = layers, .stride = edge};
    for (int k = 0; k < layers; k++) job.layer[k] = to->ground + (size_t)k * layer;
    par_for((size_t)from->columns * (size_t)from->rows, 1, copy_row, &job);
    to->field = *from;
    to->field.edge = (int32_t)edge;
    to->field.columns = to->field.rows = 1;
    to->tile = to->place[0] = to->place[1] = 0;
    to->field.tile = &to->tile;
    to->field.place = to->place;
    to->field.tiles = 1;
    to->field.ground = job.layer[0];
    to->field.depth = job.layer[1];
    to->field.density = job.layer[2];
    to->field.temperature = job.layer[3];
    to->field.wetness = job.layer[4];
    to->field.touched = NULL;
    to->field.even = true; // there is nothing beside the one tile
    return FIRN_OK;
}

void snowfield_copy_free(snowfield_copy *copy) {
    mem_free(copy->ground);
    *copy = (snowfield_copy){0};
}
