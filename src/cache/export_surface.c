// The surface of snow that fills space, one mesh per model and frame.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cache/export.h"
#include "geom/isosurface.h"

// Rounds of smoothing, as in pictures.
enum { SMOOTH = 2 };

// Values of a model's particles that the vertices get: all shown floats but the position.
typedef struct carried {
    const firn_field **field;
    size_t fields;
    uint32_t channels;
    float *value;
} carried;

static firn_status carry(const firn_field *fields, size_t count, carried *out) {
    *out = (carried){.field = mem_alloc(count * sizeof *out->field)};
    if (!out->field) return fail_memory("exporting a surface", count * sizeof *out->field);
    for (size_t i = 1; i < count; i++) {
        if (fields[i].type != FIRN_F32) continue;
        out->field[out->fields++] = &fields[i];
        out->channels += fields[i].components;
    }
    size_t points = fields[0].count;
    out->value = mem_alloc(points * out->channels * sizeof *out->value);
    if (!out->value) return fail_memory("exporting a surface", points * out->channels * sizeof *out->value);
    float *to = out->value;
    for (size_t p = 0; p < points; p++)
        for (size_t i = 0; i < out->fields; i++) {
            uint32_t n = out->field[i]->components;
            memcpy(to, (const float *)out->field[i]->data + p * n, n * sizeof *to);
            to += n;
        }
    return FIRN_OK;
}

typedef struct __attribute__((packed)) ply_face {
    uint8_t corners;
    int32_t vertex[3];
} ply_face;

static firn_status write_ply(const char *path, const surface *s, const carried *c, const text *head) {
    const mesh *m = &s->mesh;
    size_t row = 6 + c->channels;
    float *vertex = mem_alloc(m->vertices * row * sizeof *vertex);
    ply_face *face = mem_alloc(m->triangles * sizeof *face);
    for (size_t v = 0; vertex && v < m->vertices; v++) {
        memcpy(vertex + v * row, m->position[v], sizeof m->position[v]);
        memcpy(vertex + v * row + 3, m->normal[v], sizeof m->normal[v]);
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

static firn_status surface_ply(const char *path, const surface *s, const carried *c, double time) {
    text head = {0};
    text_add(
        &head,
        "ply\nformat binary_little_endian 1.0\ncomment firn %s, surface, t = %.9g s\nelement vertex %zu\n"
        "property float x\nproperty float y\nproperty float z\nproperty float nx\nproperty float ny\n"
        "property float nz\n",
        firn_version(), time, s->mesh.vertices);
    for (size_t i = 0; i < c->fields; i++)
        for (uint32_t k = 0; k < c->field[i]->components; k++) export_ply_property(&head, c->field[i], k);
    text_add(&head, "element face %zu\nproperty list uchar int vertex_indices\nend_header\n",
             s->mesh.triangles);
    firn_status status = write_ply(path, s, c, &head);
    text_free(&head);
    return status;
}

static firn_status write_surface(const export_job *job, const char *model, uint64_t number, bool ply,
                                 const firn_field *fields, size_t count) {
    char name[EXPORT_NAME + 24], path[PATH_ROOM];
    snprintf(name, sizeof name, "%s_surface", model);
    TRY(export_path(job, name, number, ply ? "ply" : "obj", path));
    carried c = {0};
    surface s = {0};
    firn_status status = ply ? carry(fields, count, &c) : FIRN_OK;
    const isosurface_input in = {.at = fields[0].data,
                                 .count = fields[0].count,
                                 .spacing = world_spacing(job->world, fields[0].name),
                                 .value = c.value,
                                 .channels = c.channels,
                                 .smooth = SMOOTH};
    if (status == FIRN_OK) status = isosurface_build(&in, &s);
    if (status == FIRN_OK)
        status = ply ? surface_ply(path, &s, &c, firn_world_time(job->world)) : mesh_write_obj(&s.mesh, path);
    isosurface_free(&s);
    mem_free(c.value);
    mem_free(c.field);
    return status;
}

// A copy of the values of those items that are of a kind.
static firn_status take_kind(const firn_field *from, const uint32_t *kind, uint32_t wanted, firn_field *to) {
    size_t bytes = from->components * sizeof(float), n = 0;
    char *values = mem_alloc(from->count * bytes + 1);
    *to = *from;
    to->data = values;
    if (!values) return fail_memory("exporting a surface", from->count * bytes);
    for (size_t i = 0; i < from->count; i++)
        if (kind[i] == wanted) memcpy(values + n++ * bytes, (const char *)from->data + i * bytes, bytes);
    to->count = n;
    return FIRN_OK;
}

// Snow and water of one model have a surface each.
static firn_status write_kind(const export_job *job, const char *name, uint64_t number, bool ply,
                              const firn_field *fields, size_t count, const firn_field *kind,
                              uint32_t wanted) {
    firn_field *own = mem_alloc(count * sizeof *own);
    if (!own) return fail_memory("exporting a surface", count * sizeof *own);
    size_t taken = 0;
    firn_status status = FIRN_OK;
    for (size_t i = 0; i < count && status == FIRN_OK; i++)
        if (fields[i].type == FIRN_F32) status = take_kind(&fields[i], kind->data, wanted, &own[taken++]);
    if (status == FIRN_OK && taken > 0 && own[0].count > 0)
        status = write_surface(job, name, number, ply, own, taken);
    for (size_t i = 0; i < taken; i++) mem_free(own[i].data);
    mem_free(own);
    return status;
}

static firn_status write_kinds(const export_job *job, const char *model, uint64_t number, bool ply,
                               const firn_field *fields, size_t count) {
    static const char *const names[] = {"snow", "water"};
    const firn_field *kind = NULL;
    for (size_t i = 0; i < count; i++)
        if (text_ends(fields[i].name, ".kind") && fields[i].type == FIRN_U32) kind = &fields[i];
    if (!kind) return write_surface(job, model, number, ply, fields, count);
    for (uint32_t k = 0; k < 2; k++) {
        char name[EXPORT_NAME + 8];
        snprintf(name, sizeof name, "%s_%s", model, names[k]);
        TRY(write_kind(job, name, number, ply, fields, count, kind, k));
    }
    return FIRN_OK;
}

static firn_status write_model(export_job *job, const export_points *points, uint64_t number, bool ply) {
    const firn_field *position = &points->fields[0];
    if (!(world_spacing(job->world, position->name) > 0) || position->type != FIRN_F32) return FIRN_OK;
    return write_kinds(job, points->model, number, ply, points->fields, points->count);
}

static firn_status ply_model(export_job *job, const export_points *points, uint64_t number) {
    return write_model(job, points, number, true);
}
static firn_status obj_model(export_job *job, const export_points *points, uint64_t number) {
    return write_model(job, points, number, false);
}

static firn_status ply_frame(export_job *job, uint64_t number) {
    return export_each_points(job, number, ply_model);
}
static firn_status obj_frame(export_job *job, uint64_t number) {
    return export_each_points(job, number, obj_model);
}

firn_status export_needs_snow(export_job *job) {
    for (size_t i = 0; i < firn_world_field_count(job->world); i++)
        if (world_spacing(job->world, firn_world_field_at(job->world, i).name) > 0) return FIRN_OK;
    return fail(FIRN_BAD_INPUT,
                "this scene has no snow that fills space, such as mpm, so there is no %s of it",
                job->options->what);
}

const export_format export_surface_ply = {.name = "ply",
                                          .what = "surface",
                                          .help = "the surface of the snow with its fields, per frame",
                                          .begin = export_needs_snow,
                                          .frame = ply_frame};
const export_format export_surface_obj = {.name = "obj",
                                          .what = "surface",
                                          .help = "the surface of the snow, per frame",
                                          .begin = export_needs_snow,
                                          .frame = obj_frame};
