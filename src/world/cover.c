// The snow cover as its named arrays say it, and where bodies really are below it: cells know only whether
// their middle is inside one.
#include "world/cover.h"

#include <math.h>

#include "base/memory.h"
#include "par/par.h"

enum { BLOCK = 512 };

static const firn_grid_drawing *drawing_of(const firn_world *world) {
    const model_drawing *drawing = world_drawing(world, offsetof(model_drawing, cover), NULL);
    return drawing ? drawing->cover : NULL;
}

bool world_has_cover(const firn_world *world) {
    const firn_grid_drawing *cover = drawing_of(world);
    return cover && firn_world_field(world, cover->values).data && firn_world_field(world, cover->grid).data;
}

firn_status world_cover_grid(const firn_world *world, cover_grid *out) {
    const firn_grid_drawing *cover = drawing_of(world);
    firn_field fill = {0}, box = {0};
    if (cover) fill = firn_world_field(world, cover->values), box = firn_world_field(world, cover->grid);
    *out = (cover_grid){.fill = fill.data};
    if (!fill.data || !box.data || box.count < 7)
        return fail(FIRN_BAD_INPUT, "this world has no snow cover: its scene needs wind, flakes and cover");
    const double *d = box.data;
    out->cell = d[3];
    for (int k = 0; k < 3; k++) out->low[k] = d[k], out->n[k] = (int32_t)d[4 + k];
    size_t cells = (size_t)out->n[0] * (size_t)out->n[1] * (size_t)out->n[2];
    if (!(out->cell > 0) || fill.count != cells || cells > UINT32_MAX)
        return fail(FIRN_BAD_INPUT, "%s has %zu cells instead of %zu", fill.name, fill.count, cells);
    return FIRN_OK;
}

typedef struct floor_job {
    const cover_grid *grid;
    const body_set *bodies;
    cover_floor *floor;
    uint32_t *first; // of each plane
    bool writing;
} floor_job;

// Cells that stand on a body, or on the domain's bottom.
static void list_plane(void *context, size_t k) {
    const floor_job *job = context;
    const cover_grid *g = job->grid;
    size_t row = (size_t)g->n[0], plane = row * (size_t)g->n[1];
    uint32_t count = job->writing ? job->first[k] : 0;
    for (size_t at = k * plane; at < (k + 1) * plane; at++) {
        bool lowest = at - k * plane < row;
        if (g->fill[at] < 0 || (!lowest && !(g->fill[at - row] < 0))) continue;
        if (job->writing) job->floor[count].cell = (uint32_t)at;
        count++;
    }
    if (!job->writing) job->first[k] = count;
}

typedef struct floor_points {
    size_t count;
    float x[BLOCK], z[BLOCK], low[BLOCK], high[BLOCK]; // the middle of the cell below, and of the cell
    float distance[BLOCK], part[BLOCK]; // of the body that is deepest around the one below; where it ends
} floor_points;

static void place_points(const floor_job *job, size_t begin, floor_points *p) {
    const cover_grid *g = job->grid;
    size_t across = (size_t)g->n[0], up = (size_t)g->n[1];
    for (size_t i = 0; i < p->count; i++) {
        size_t cell = job->floor[begin + i].cell;
        p->x[i] = (float)(g->low[0] + ((double)(cell % across) + 0.5) * g->cell);
        p->z[i] = (float)(g->low[2] + ((double)(cell / across / up) + 0.5) * g->cell);
        p->low[i] = (float)(g->low[1] + ((double)(cell / across % up) - 0.5) * g->cell);
        p->high[i] = (float)(g->low[1] + ((double)(cell / across % up) + 0.5) * g->cell);
        p->distance[i] = 0;
        p->part[i] = 0.5f;
    }
}

// The surface is where the distance passes 0 between both points.
static void find_parts(const floor_job *job, size_t b, floor_points *p) {
    float low[BLOCK], high[BLOCK];
    body_query(job->bodies, b, p->count, p->x, p->low, p->z, low, NULL, NULL, NULL);
    body_query(job->bodies, b, p->count, p->x, p->high, p->z, high, NULL, NULL, NULL);
    for (size_t i = 0; i < p->count; i++) {
        if (!(low[i] < p->distance[i])) continue;
        p->distance[i] = low[i];
        p->part[i] = high[i] >= 0 ? low[i] / (low[i] - high[i]) : 0.5f;
    }
}

// Its slope, where the surface is that of this body.
static void find_slope(const floor_job *job, size_t b, floor_points *p, const float y[], float steep[]) {
    float d[BLOCK], nx[BLOCK], ny[BLOCK], nz[BLOCK];
    body_query(job->bodies, b, p->count, p->x, y, p->z, d, nx, ny, nz);
    for (size_t i = 0; i < p->count; i++) {
        if (!((double)fabsf(d[i]) < 0.2 * job->grid->cell)) continue;
        float rise = fminf(fmaxf(ny[i], 0.5f), 1); // edges are rounder than they look; snow slides off anyway
        steep[i] = sqrtf(1 - rise * rise) / rise;
    }
}

static void find_floors(void *context, size_t begin, size_t end) {
    const floor_job *job = context;
    floor_points p = {.count = end - begin};
    float y[BLOCK], steep[BLOCK] = {0};
    size_t bodies = body_count(job->bodies);
    place_points(job, begin, &p);
    for (size_t b = 0; b < bodies; b++) find_parts(job, b, &p);
    for (size_t i = 0; i < p.count; i++) y[i] = p.low[i] + p.part[i] * (p.high[i] - p.low[i]);
    for (size_t b = 0; b < bodies; b++) find_slope(job, b, &p, y, steep);
    for (size_t i = 0; i < p.count; i++) {
        job->floor[begin + i].up = p.part[i] - 0.5f;
        job->floor[begin + i].steep = steep[i];
    }
}

void world_cover_floors_at(const firn_world *world, const cover_grid *grid, cover_floor *floors, size_t n) {
    floor_job job = {.grid = grid, .bodies = world_bodies(world), .floor = floors};
    for (size_t i = 0; i < n; i += BLOCK) find_floors(&job, i, n - i < BLOCK ? n : i + BLOCK);
}

firn_status world_cover_floors(const firn_world *world, cover_grid *grid, cover_floors *out) {
    size_t planes = (size_t)grid->n[2];
    floor_job job = {.grid = grid, .bodies = world_bodies(world)};
    job.first = mem_alloc(planes * sizeof *job.first);
    if (!job.first) return fail_memory("finding what lies below the cover", planes * sizeof *job.first);
    par_tasks(planes, list_plane, &job);
    uint32_t count = 0;
    firn_status status = par_scan(job.first, job.first, planes, &count);
    if (status == FIRN_OK && !array_reserve(&out->floor, &out->capacity, count, sizeof *out->floor))
        status = fail_memory("finding what lies below the cover", count * sizeof *out->floor);
    if (status == FIRN_OK) {
        job.floor = out->floor;
        job.writing = true;
        par_tasks(planes, list_plane, &job);
        par_for(count, BLOCK, find_floors, &job);
        grid->floor = out->floor;
        grid->floors = count;
    }
    mem_free(job.first);
    return status;
}
