// The density of snow as volumes that ParaView opens: per frame one HDF5 file, and an XDMF index of them all.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cache/export.h"
#include "cache/h5.h"
#include "geom/isosurface.h"
#include "math/dvec.h"

typedef struct volume_series {
    char model[EXPORT_NAME];
    text grids;
} volume_series;

typedef struct density_state {
    volume_series *series;
    size_t count, capacity;
} density_state;

static firn_status needs_snow(const export_job *job) {
    for (size_t i = 0; i < firn_world_field_count(job->world); i++)
        if (world_spacing(job->world, firn_world_field_at(job->world, i).name) > 0) return FIRN_OK;
    return fail(FIRN_BAD_INPUT,
                "this scene has no density to export: no snow that fills space, such as that of mpm");
}

static firn_status density_begin(export_job *job) {
    TRY(needs_snow(job));
    job->state = mem_zero(1, sizeof(density_state));
    return job->state ? FIRN_OK : fail_memory("exporting the density", sizeof(density_state));
}

static volume_series *find_series(density_state *d, const char *model) {
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->series[i].model, model) == 0) return &d->series[i];
    if (!array_reserve(&d->series, &d->capacity, d->count + 1, sizeof *d->series)) return NULL;
    volume_series *s = &d->series[d->count++];
    *s = (volume_series){0};
    snprintf(s->model, sizeof s->model, "%s", model);
    return s;
}

static firn_status write_volume(const char *path, const surface_grid *grid) {
    h5_writer w;
    char *file = NULL;
    size_t bytes = 0;
    TRY(h5_create(&w, false, true, 4 * (size_t)grid->size[0] * grid->size[1] * grid->size[2]));
    h5_volume(&w, "/density", grid->size, grid->density);
    h5_text(&w, "/density", "unit", "kg/m3");
    h5_real(&w, "/density", "low", grid->low, 3);
    h5_real(&w, "/density", "cell", &grid->cell, 1);
    firn_status status = h5_take(&w, &file, &bytes);
    if (status == FIRN_OK) status = file_write_whole(path, &(file_part){file, bytes}, 1);
    mem_free(file);
    return status;
}

// XDMF counts axes from the slowest: z, y, x.
static void add_grid(text *t, const char *file, uint64_t frame, double time, const surface_grid *g) {
    text_add(t, "      <Grid Name=\"frame %llu\" GridType=\"Uniform\">\n        <Time Value=\"%.17g\"/>\n",
             (unsigned long long)frame, time);
    text_add(t, "        <Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"%u %u %u\"/>\n", g->size[2],
             g->size[1], g->size[0]);
    text_add(t, "        <Geometry GeometryType=\"ORIGIN_DXDYDZ\">\n");
    text_add(t, "          <DataItem Format=\"XML\" Dimensions=\"3\">%.9g %.9g %.9g</DataItem>\n", g->low[2],
             g->low[1], g->low[0]);
    text_add(t, "          <DataItem Format=\"XML\" Dimensions=\"3\">%.9g %.9g %.9g</DataItem>\n", g->cell,
             g->cell, g->cell);
    text_add(t, "        </Geometry>\n        <Attribute Name=\"density\" AttributeType=\"Scalar\" "
                "Center=\"Node\">\n");
    text_add(t,
             "          <DataItem Format=\"HDF\" NumberType=\"Float\" Precision=\"4\" "
             "Dimensions=\"%u %u %u\">%s:/density</DataItem>\n        </Attribute>\n      </Grid>\n",
             g->size[2], g->size[1], g->size[0], file);
}

static const firn_field *find_mass(const firn_field *fields, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (strcmp(export_short_name(&fields[i]), "mass") == 0 && fields[i].type == FIRN_F32)
            return &fields[i];
    return NULL;
}

static firn_status find_density(const export_job *job, const firn_field *position, const firn_field *mass,
                                surface_grid *grid) {
    float(*at)[3] = mem_alloc((position->count + 1) * sizeof *at);
    if (!at) return fail_memory("exporting the density", position->count * sizeof *at);
    firn_vec3 near = position->count ? dvec_whole_km(field_position(position, 0)) : dvec(0, 0, 0);
    if (!dvec_finite(near)) near = dvec(0, 0, 0);
    for (size_t i = 0; i < position->count; i++) field_position_near(position, i, near, at[i]);
    // Two spacings: the cell of the simulation with the usual eight particles to a cell.
    isosurface_input in = {.at = (const float(*)[3])at,
                           .count = position->count,
                           .cell = 2 * world_spacing(job->world, position->name),
                           .value = mass->data,
                           .channels = 1};
    firn_status status = surface_density(&in, grid);
    mem_free(at);
    grid->low[0] += near.x, grid->low[1] += near.y, grid->low[2] += near.z;
    return status;
}

static firn_status write_model(export_job *job, const char *model, uint64_t number,
                               const firn_field *position, const firn_field *mass) {
    volume_series *s = find_series(job->state, model);
    if (!s) return FIRN_OK;
    char name[EXPORT_NAME + 16], path[PATH_ROOM];
    snprintf(name, sizeof name, "%s_density", model);
    TRY(export_path(job, name, number, "h5", path));
    surface_grid grid;
    TRY(find_density(job, position, mass, &grid));
    firn_status status = FIRN_OK;
    if (grid.density) {
        status = write_volume(path, &grid);
        add_grid(&s->grids, strrchr(path, '/') + 1, number, firn_world_time(job->world), &grid);
    }
    surface_grid_free(&grid);
    if (s->grids.failed) return fail_memory("exporting the density", s->grids.length);
    return status;
}

static firn_status density_model(export_job *job, const export_points *points, uint64_t number) {
    const firn_field *position = &points->fields[0], *mass = find_mass(points->fields, points->count);
    if (!(world_spacing(job->world, position->name) > 0) || !field_has_positions(position) || !mass)
        return FIRN_OK;
    return write_model(job, points->model, number, position, mass);
}

static firn_status density_frame(export_job *job, uint64_t number) {
    return export_each_points(job, number, density_model);
}

static firn_status density_end(export_job *job) {
    const density_state *d = job->state;
    size_t written = 0;
    for (size_t i = 0; i < d->count; i++) {
        if (d->series[i].grids.length == 0) continue;
        char name[EXPORT_NAME + 16];
        snprintf(name, sizeof name, "%s_density", d->series[i].model);
        TRY(export_write_series(job, name, &d->series[i].grids));
        written++;
    }
    return written ? FIRN_OK : fail(FIRN_BAD_INPUT, "this run has no snow to show");
}

static void density_cleanup(export_job *job) {
    density_state *d = job->state;
    if (!d) return;
    for (size_t i = 0; i < d->count; i++) text_free(&d->series[i].grids);
    mem_free(d->series);
    mem_free(d);
}

const export_format export_density_xdmf = {.name = "xdmf",
                                           .what = "density",
                                           .help = "the density of the snow as volumes for ParaView",
                                           .begin = density_begin,
                                           .frame = density_frame,
                                           .end = density_end,
                                           .cleanup = density_cleanup};
