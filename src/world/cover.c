// The surface of the cover, built beside the simulation: a copy of the cells goes to another thread, which
// makes one mesh while the program still looks at the other.
#include "world/cover.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "par/par.h"
#include "world/world_state.h"

struct cover_builder {
    // Written by the world's thread while no job runs, read by the job.
    cover_grid grid;
    cover_floors floors;
    float *fill;
    size_t fill_capacity;
    double asked; // s, simulated
    par_job *job;
    // The job's results: a mesh that nobody looks at yet.
    mesh made;
    double volume, seconds;
    firn_status status;
    char message[400];
    // The mesh that the program reads.
    mesh shown;
    firn_cover_mesh look;
};

static void build(void *context) {
    cover_builder *b = context;
    double start = clock_seconds();
    mesh_free(&b->made);
    b->status = cover_surface(&b->grid, &b->made);
    b->volume = cover_volume(&b->grid);
    b->seconds = clock_seconds() - start;
    if (b->status != FIRN_OK) snprintf(b->message, sizeof b->message, "%s", firn_last_error());
}

static firn_status builder_of(firn_world *world, cover_builder **out) {
    if (!world->cover) world->cover = mem_zero(1, sizeof *world->cover);
    *out = world->cover;
    return world->cover ? FIRN_OK : fail_memory("building the surface of the cover", sizeof **out);
}

static firn_status copy_cells(const firn_world *world, cover_builder *b) {
    TRY(world_cover_grid(world, &b->grid));
    TRY(world_cover_floors(world, &b->grid, &b->floors));
    size_t cells = (size_t)b->grid.n[0] * (size_t)b->grid.n[1] * (size_t)b->grid.n[2];
    if (!array_reserve(&b->fill, &b->fill_capacity, cells, sizeof *b->fill))
        return fail_memory("building the surface of the cover", cells * sizeof *b->fill);
    memcpy(b->fill, b->grid.fill, cells * sizeof *b->fill);
    b->grid.fill = b->fill;
    b->asked = world->clock.time;
    return FIRN_OK;
}

// Takes over the mesh of a finished job.
static firn_status collect(cover_builder *b) {
    par_job_wait(b->job);
    b->job = NULL;
    if (b->status != FIRN_OK) return fail(b->status, "%s", b->message);
    mesh kept = b->shown;
    b->shown = b->made;
    b->made = kept;
    b->look = (firn_cover_mesh){.vertices = b->shown.vertices,
                                .triangles = b->shown.triangles,
                                .position = b->shown.vertices ? b->shown.position[0] : NULL,
                                .normal = b->shown.vertices ? b->shown.normal[0] : NULL,
                                .triangle = b->shown.triangles ? b->shown.triangle[0] : NULL,
                                .time = b->asked,
                                .volume = b->volume,
                                .seconds = b->seconds};
    return FIRN_OK;
}

firn_status firn_world_cover_ask(firn_world *world, bool *begun) {
    IN_WORLD(world);
    NEED(world);
    cover_builder *b;
    if (begun) *begun = false;
    TRY(builder_of(world, &b));
    if (b->job) return FIRN_OK; // also one that is finished but not yet fetched
    TRY(copy_cells(world, b));
    TRY(par_job_start(build, b, &b->job));
    if (begun) *begun = true;
    return FIRN_OK;
}

firn_status firn_world_cover_mesh(firn_world *world, firn_cover_mesh *out) {
    IN_WORLD(world);
    if (!out) return fail_null(__func__, "mesh");
    *out = (firn_cover_mesh){0};
    NEED(world);
    cover_builder *b;
    TRY(builder_of(world, &b));
    if (b->job && par_job_done(b->job)) TRY(collect(b));
    *out = b->look;
    return FIRN_OK;
}

firn_status firn_world_cover_wait(firn_world *world, firn_cover_mesh *out) {
    IN_WORLD(world);
    if (!out) return fail_null(__func__, "mesh");
    *out = (firn_cover_mesh){0};
    NEED(world);
    cover_builder *b;
    TRY(builder_of(world, &b));
    if (b->job) TRY(collect(b));
    *out = b->look;
    return FIRN_OK;
}

void cover_builder_free(cover_builder *b) {
    if (!b) return;
    par_job_wait(b->job);
    mesh_free(&b->made);
    mesh_free(&b->shown);
    mem_free(b->fill);
    mem_free(b->floors.floor);
    mem_free(b);
}
