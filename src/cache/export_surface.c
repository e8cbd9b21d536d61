// Surfaces of particles, liquids and cloth: one mesh per surface and frame.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cache/export.h"
#include "world/surface.h"

typedef struct __attribute__((packed)) ply_face {
    uint8_t corners;
    int32_t vertex[3];
} ply_face;

static firn_status write_ply(const char *path, const surface *s, const surface_copy *c, const text *head) {
    const mesh *m = &s->mesh;
    size_t row = 6 + c->channels;
    float *vertex = mem_alloc(m->vertices * row * sizeof *vertex);
    ply_face *face = mem_alloc(m->triangles * sizeof *face);
    for (size_t v = 0; vertex && v < m->vertices; v++) {
        memcpy(vertex + v * row, m->position[v], sizeof m->position[v]);
        memcpy(vertex + v * row + 3, m->normal[v], sizeof m->normal[v]);
        if (c->channels)
            memcpy(vertex + v * row + 6, s->value + v * c->channels, c->channels * sizeof *vertex);
    }
    for (size_t t = 0; face && t < m->triangles; t++) {
        face[t].corners = 3;
        memcpy(face[t].vertex, m->triangle[t], sizeof m->triangle[t]);
    }
    file_part parts[3] = {{head->data, head->length},
                          {vertex, m->vertices * row * sizeof *vertex},
                          {face, m->triangles * sizeof *face}};
    firn_status status = vertex && face && !head->failed
                             ? file_write_whole(path, parts, 3)
                             : fail_memory("exporting a surface", m->vertices * row * sizeof *vertex);
    mem_free(vertex);
    mem_free(face);
    return status;
}

static firn_status surface_ply(const char *path, const surface *s, const surface_copy *c) {
    text head = {0};
    text_add(
        &head,
        "ply\nformat binary_little_endian 1.0\ncomment firn %s, surface, t = %.9g s\nelement vertex %zu\n"
        "property float x\nproperty float y\nproperty float z\nproperty float nx\nproperty float ny\n"
        "property float nz\n",
        firn_version(), c->time, s->mesh.vertices);
    for (size_t i = 0; i < c->value_count; i++) {
        const firn_surface_value *v = &c->values[i];
        const firn_field field = {.name = v->name, .type = FIRN_F32, .components = v->components};
        for (uint32_t k = 0; k < v->components; k++) export_ply_property(&head, &field, k);
    }
    text_add(&head, "element face %zu\nproperty list uchar int vertex_indices\nend_header\n",
             s->mesh.triangles);
    firn_status status = write_ply(path, s, c, &head);
    text_free(&head);
    return status;
}

// What an export of surfaces is about; the snow field and the snow cover are exports of their own.
static bool is_exported(const surface_source *source) {
    return source->kind == SURFACE_PARTICLES || source->kind == SURFACE_SOLID;
}

// "phase.water" goes to phase_water_surface_000042.ply
static firn_status surface_path(const export_job *job, const surface_source *source, uint64_t number,
                                bool ply, char path[PATH_ROOM]) {
    text name = {0};
    text_add(&name, "%s_surface", source->name);
    for (size_t i = 0; i < name.length; i++)
        if (name.data[i] == '.' || name.data[i] == '/') name.data[i] = '_';
    firn_status status = name.failed ? fail_memory("exporting a surface", name.length)
                                     : export_path(job, name.data, number, ply ? "ply" : "obj", path);
    text_free(&name);
    return status;
}

static firn_status write_surface(export_job *job, const surface_source *source, uint64_t number, bool ply) {
    char path[PATH_ROOM];
    surface_copy *copy = job->state;
    surface s = {0};
    firn_surface_options options = firn_surface_options_default();
    options.values = ply;
    TRY(surface_path(job, source, number, ply, path));
    TRY(surface_copy_take(job->world, source, &options, copy));
    if (copy->count == 0) return FIRN_OK;
    TRY(surface_build(copy, &s, NULL));
    firn_status status = ply ? surface_ply(path, &s, copy) : mesh_write_obj(&s.mesh, path);
    isosurface_free(&s);
    return status;
}

static firn_status write_frame(export_job *job, uint64_t number, bool ply) {
    if (!job->state) job->state = mem_zero(1, sizeof(surface_copy));
    if (!job->state) return fail_memory("exporting a surface", sizeof(surface_copy));
    for (size_t i = 0; i < world_surface_count(job->world); i++) {
        const surface_source *source = world_surface_at(job->world, i);
        if (is_exported(source)) TRY(write_surface(job, source, number, ply));
    }
    return FIRN_OK;
}

static firn_status ply_frame(export_job *job, uint64_t number) { return write_frame(job, number, true); }
static firn_status obj_frame(export_job *job, uint64_t number) { return write_frame(job, number, false); }

static firn_status needs_surface(export_job *job) {
    for (size_t i = 0; i < world_surface_count(job->world); i++)
        if (is_exported(world_surface_at(job->world, i))) return FIRN_OK;
    return fail(FIRN_BAD_INPUT,
                "this scene has no particles that have a surface: snow of mpm or phase, water, "
                "cloth, soft solids");
}

static void cleanup(export_job *job) {
    if (job->state) surface_copy_free(job->state);
    mem_free(job->state);
}

const export_format export_surface_ply = {
    .name = "ply",
    .what = "surface",
    .help = "surfaces of snow, water and cloth with their fields, per frame",
    .begin = needs_surface,
    .frame = ply_frame,
    .cleanup = cleanup};
const export_format export_surface_obj = {.name = "obj",
                                          .what = "surface",
                                          .help = "surfaces of snow, water and cloth, per frame",
                                          .begin = needs_surface,
                                          .frame = obj_frame,
                                          .cleanup = cleanup};
