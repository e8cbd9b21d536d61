// The snow cover as its named arrays say it, and where bodies really are below it: cells know only whether
// their middle is inside one.
#include "world/cover.h"

#include "base/memory.h"
#include "body/body_floors.h"
#include "par/par.h"

enum { BLOCK = BODY_FLOORS };

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

static void find_floors(void *context, size_t begin, size_t end) {
    const floor_job *job = context;
    body_floors(job->bodies, job->grid, job->floor + begin, end - begin);
}

void world_cover_floors_at(const firn_world *world, const cover_grid *grid, cover_floor *floors, size_t n) {
    body_floors(world_bodies(world), grid, floors, n);
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
