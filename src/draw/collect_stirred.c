// How much snow has been stirred since the first frame. What flowed is rough, however little its volume
// changed: powder that runs down a board, the foot of a heap, both sides of a crack. In a small cell the
// particles of snow that only moved, turned or bent were as far from each other at rest as they are now;
// those of snow that flowed come from far apart.
#include <math.h>
#include <string.h>

#include "draw/collect.h"
#include "grid/neighbours.h"
#include "par/par.h"

enum { BLOCK = 1024, FEW = 4 };        // particles of a cell that say nothing
static const float CELL = 2;           // spacings
static const float CALM = 2, WILD = 5; // square of the distance at rest over that of now; pressed: 1.6
static const float BURIED = 0.75f;     // share of the particles that would be around one deep inside

typedef struct stir_job {
    const neighbour_grid *grid;
    const float (*at)[3];
    float (*bound)[4];
} stir_job;

// Mean square distance from the mean, of the points of a cell.
static float spread(const uint32_t *point, size_t count, const float *x, size_t stride) {
    double sum[3] = {0}, squares = 0;
    const float *first = x + point[0] * stride;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            double d = (double)x[point[i] * stride + (size_t)k] - (double)first[k];
            sum[k] += d;
            squares += d * d;
        }
    double n = (double)count;
    return (float)(squares / n - (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / (n * n));
}

static void stir_range(void *context, size_t begin, size_t end) {
    const stir_job *job = context;
    const neighbour_grid *g = job->grid;
    for (size_t c = begin; c < end; c++) {
        const uint32_t *point = g->order + g->begin[c];
        size_t count = g->end[c] - g->begin[c];
        if (count < FEW) continue;
        float now = spread(point, count, job->at[0], 3), then = spread(point, count, job->bound[0], 4);
        float stirred = fminf(fmaxf((then / now - CALM) / (WILD - CALM), 0), 1);
        for (size_t i = 0; i < count && stirred > 0; i++) { // not if it is NaN
            float *rough = &job->bound[point[i]][3];
            *rough += (1 - *rough) * stirred;
        }
    }
}

firn_status collect_stirred(const float (*at)[3], size_t count, double spacing, float (*bound)[4]) {
    neighbour_grid grid = {0};
    firn_status s = neighbour_grid_build(&grid, at[0], 3, count, (double)CELL * spacing);
    if (s == FIRN_OK) par_for(grid.cells, BLOCK, stir_range, &(stir_job){&grid, at, bound});
    neighbour_grid_free(&grid);
    return s;
}

typedef struct surface_job {
    const neighbour_grid *grid;
    const float (*at)[3];
    uint8_t *near;
} surface_job;

static void surface_range(void *context, size_t begin, size_t end) {
    const surface_job *job = context;
    const neighbour_grid *g = job->grid;
    for (size_t i = begin; i < end; i++) {
        const float *p = job->at[i];
        int32_t c[3] = {neighbour_cell(g, p[0]), neighbour_cell(g, p[1]), neighbour_cell(g, p[2])};
        size_t around = 0;
        for (int32_t n = 0; n < 27; n++) {
            uint32_t key = neighbour_key(g, c[0] + n % 3 - 1, c[1] + n / 3 % 3 - 1, c[2] + n / 9 - 1);
            around += g->end[key] - g->begin[key];
        }
        job->near[i] = isfinite(p[0] + p[1] + p[2]) && (float)around < BURIED * 27 * CELL * CELL * CELL;
    }
}

firn_status collect_near_surface(const float (*at)[3], size_t count, double spacing, uint8_t *near) {
    neighbour_grid grid = {0};
    firn_status s = neighbour_grid_build(&grid, at[0], 3, count, (double)CELL * spacing);
    if (s == FIRN_OK) par_for(count, BLOCK, surface_range, &(surface_job){&grid, at, near});
    neighbour_grid_free(&grid);
    return s;
}

typedef struct shatter_job {
    const neighbour_grid *grid;
    const draw_points *points;
    const mesh *from;
    const float *value_from;
    const float (*rest_from)[4];
    mesh *to;
    float *value, (*rest)[4];
    size_t channels;
} shatter_job;

// The particle nearest to a place; UINT32_MAX if none is within the cells around.
static uint32_t nearest(const shatter_job *job, const float at[3]) {
    const neighbour_grid *g = job->grid;
    int32_t c[3] = {neighbour_cell(g, at[0]), neighbour_cell(g, at[1]), neighbour_cell(g, at[2])};
    uint32_t best = UINT32_MAX;
    float least = INFINITY;
    for (int32_t n = 0; n < 27; n++) {
        uint32_t key = neighbour_key(g, c[0] + n % 3 - 1, c[1] + n / 3 % 3 - 1, c[2] + n / 9 - 1);
        for (uint32_t k = g->begin[key]; k < g->end[key]; k++) {
            const float *p = job->points->at[g->order[k]];
            float d[3] = {p[0] - at[0], p[1] - at[1], p[2] - at[2]},
                  square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            if (square < least) least = square, best = g->order[k];
        }
    }
    return best;
}

static void shatter_range(void *context, size_t begin, size_t end) {
    const shatter_job *job = context;
    for (size_t t = begin; t < end; t++) {
        const uint32_t *corner = job->from->triangle[t];
        float middle[3];
        for (int k = 0; k < 3; k++)
            middle[k] = (job->from->position[corner[0]][k] + job->from->position[corner[1]][k] +
                         job->from->position[corner[2]][k]) /
                        3;
        uint32_t owner = nearest(job, middle);
        for (size_t n = 0; n < 3; n++) {
            size_t v = 3 * t + n;
            const float *at = job->from->position[corner[n]];
            job->to->triangle[t][n] = (uint32_t)v;
            memcpy(job->to->position[v], at, sizeof *job->to->position);
            memcpy(job->to->normal[v], job->from->normal[corner[n]], sizeof *job->to->normal);
            memcpy(job->value + v * job->channels, job->value_from + corner[n] * job->channels,
                   job->channels * sizeof *job->value);
            memcpy(job->rest[v], job->rest_from[corner[n]], sizeof *job->rest);
            for (int k = 0; k < 3 && owner != UINT32_MAX; k++)
                job->rest[v][k] = job->points->rest[owner][k] + at[k] - job->points->at[owner][k];
        }
    }
}

firn_status collect_shatter(collect_skin *skin, const draw_points *points, size_t channels, double spacing) {
    surface *s = &skin->surface;
    size_t triangles = s->mesh.triangles, count = 3 * triangles;
    neighbour_grid grid = {0};
    mesh apart = {0};
    if (triangles == 0) return FIRN_OK;
    float *value = mem_alloc(count * channels * sizeof *value), (*rest)[4] = mem_alloc(count * sizeof *rest);
    firn_status status = value && rest ? mesh_alloc(count, triangles, true, &apart)
                                       : fail_memory("drawing torn snow", count * channels * 4);
    if (status == FIRN_OK)
        status = neighbour_grid_build(&grid, points->at[0], 3, points->count, (double)CELL * spacing);
    if (status != FIRN_OK) {
        mesh_free(&apart);
        mem_free(value);
        mem_free(rest);
        return status;
    }
    par_for(triangles, BLOCK, shatter_range,
            &(shatter_job){&grid, points, &s->mesh, s->value, (const float(*)[4])skin->rest, &apart, value,
                           rest, channels});
    neighbour_grid_free(&grid);
    mesh_free(&s->mesh);
    mem_free(s->value);
    mem_free(skin->rest);
    s->mesh = apart;
    s->value = value;
    skin->rest = rest;
    skin->rest_capacity = count;
    return FIRN_OK;
}
