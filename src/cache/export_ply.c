// Point fields and bodies as PLY, binary little endian.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "cache/export.h"
#include "cache/h5.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers are written as they stand in memory");

// PLY knows no 64-bit integers: they become doubles.
static const char *ply_type(firn_type type) {
    switch (type) {
    case FIRN_F32: return "float";
    case FIRN_I32: return "int";
    case FIRN_U32: return "uint";
    case FIRN_F64:
    case FIRN_U64: return "double";
    }
    return "float";
}

void export_ply_property(text *t, const firn_field *f, uint32_t component) {
    static const char *const axes[] = {"x", "y", "z"}, *const turn[] = {"w", "x", "y", "z"};
    const char *name = export_short_name(f), *type = ply_type(f->type);
    if (strcmp(name, "position") == 0)
        text_add(t, "property %s %s\n", type, axes[component % 3]);
    else if (f->components == 1)
        text_add(t, "property %s %s\n", type, name);
    else if (f->components == 3)
        text_add(t, "property %s %s_%s\n", type, name, axes[component]);
    else if (f->components == 4)
        text_add(t, "property %s %s_%s\n", type, name, turn[component]);
    else
        text_add(t, "property %s %s_%u\n", type, name, component);
}

static char *put_value(char *out, const firn_field *f, size_t index) {
    size_t bytes = type_bytes(f->type);
    const char *value = (const char *)f->data + index * bytes;
    if (f->type == FIRN_U64) {
        uint64_t whole;
        memcpy(&whole, value, sizeof whole);
        double rounded = (double)whole;
        memcpy(out, &rounded, sizeof rounded);
    } else {
        memcpy(out, value, bytes);
    }
    return out + bytes;
}

static firn_status write_parts(const char *path, text *head, const void *data, size_t bytes, const void *more,
                               size_t more_bytes) {
    if (head->failed) return fail_memory("composing a PLY file", head->length);
    file_part parts[3] = {{head->data, head->length}, {data, bytes}, {more, more_bytes}};
    return file_write_whole(path, parts, 3);
}

static firn_status write_points(const char *path, const char *model, const firn_field *fields, size_t count,
                                double time) {
    size_t row = 0, points = fields[0].count;
    text head = {0};
    text_add(&head,
             "ply\nformat binary_little_endian 1.0\ncomment firn %s, %s, t = %.9g s\nelement vertex %zu\n",
             firn_version(), model, time, points);
    for (size_t i = 0; i < count; i++) {
        row += fields[i].components * type_bytes(fields[i].type);
        for (uint32_t c = 0; c < fields[i].components; c++) export_ply_property(&head, &fields[i], c);
    }
    text_add(&head, "end_header\n");
    char *data = mem_zero(points ? points : 1, row), *out = data;
    firn_status status = data ? FIRN_OK : fail_memory("composing a PLY file", points * row);
    for (size_t p = 0; p < points && data; p++)
        for (size_t i = 0; i < count; i++)
            for (uint32_t c = 0; c < fields[i].components; c++)
                out = put_value(out, &fields[i], p * fields[i].components + c);
    if (data) status = write_parts(path, &head, data, points * row, NULL, 0);
    mem_free(data);
    text_free(&head);
    return status;
}

typedef struct __attribute__((packed)) ply_vertex {
    float position[3], normal[3];
    int32_t body;
} ply_vertex;
typedef struct __attribute__((packed)) ply_face {
    uint8_t corners;
    int32_t vertex[3];
} ply_face;

static void put_body(const firn_world *world, size_t b, ply_vertex *vertex, ply_face *face, size_t first) {
    const mesh *m = body_mesh(world_bodies(world), b);
    firn_body_state body = firn_world_body_state(world, b);
    for (size_t v = 0; v < m->vertices; v++) {
        float at[3], normal[3] = {0, 0, 0};
        export_to_world(&body, m->position[v], false, at);
        if (m->normal) export_to_world(&body, m->normal[v], true, normal);
        memcpy(vertex[v].position, at, sizeof at);
        memcpy(vertex[v].normal, normal, sizeof normal);
        vertex[v].body = (int32_t)b;
    }
    for (size_t t = 0; t < m->triangles; t++) {
        face[t].corners = 3;
        for (int k = 0; k < 3; k++) face[t].vertex[k] = (int32_t)(first + m->triangle[t][k]);
    }
}

static firn_status write_bodies(const char *path, const firn_world *world) {
    size_t vertices = 0, faces = 0, bodies = firn_world_body_count(world), v = 0, f = 0;
    text head = {0};
    text_add(&head, "ply\nformat binary_little_endian 1.0\ncomment firn %s, bodies, t = %.9g s\n",
             firn_version(), firn_world_time(world));
    for (size_t b = 0; b < bodies; b++) {
        const mesh *m = body_mesh(world_bodies(world), b);
        vertices += m->vertices;
        faces += m->triangles;
        text_add(&head, "comment body %zu is %s\n", b, firn_world_body_name(world, b));
    }
    text_add(&head,
             "element vertex %zu\nproperty float x\nproperty float y\nproperty float z\nproperty float nx\n"
             "property float ny\nproperty float nz\nproperty int body\nelement face %zu\n"
             "property list uchar int vertex_indices\nend_header\n",
             vertices, faces);
    ply_vertex *vertex = mem_zero(vertices ? vertices : 1, sizeof *vertex);
    ply_face *face = mem_zero(faces ? faces : 1, sizeof *face);
    firn_status status = FIRN_OK;
    if (!vertex || !face) status = fail_memory("composing a PLY file", vertices * sizeof *vertex);
    for (size_t b = 0; b < bodies && status == FIRN_OK; b++) {
        put_body(world, b, vertex + v, face + f, v);
        v += body_mesh(world_bodies(world), b)->vertices;
        f += body_mesh(world_bodies(world), b)->triangles;
    }
    if (status == FIRN_OK)
        status = write_parts(path, &head, vertex, vertices * sizeof *vertex, face, faces * sizeof *face);
    mem_free(vertex);
    mem_free(face);
    text_free(&head);
    return status;
}

static firn_status ply_model(export_job *job, const export_points *points, uint64_t number) {
    char path[PATH_ROOM];
    TRY(export_path(job, points->model, number, "ply", path));
    if (strcmp(points->model, "bodies") == 0) return write_bodies(path, job->world);
    return write_points(path, points->model, points->fields, points->count, firn_world_time(job->world));
}

static firn_status ply_frame(export_job *job, uint64_t number) {
    return export_each_points(job, number, ply_model);
}

const export_format export_ply = {
    .name = "ply", .help = "points with their fields, and bodies as meshes, per frame", .frame = ply_frame};
