// Meshes as OBJ and PLY files.
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "geom/mesh.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "PLY is written as the machine has it");

static void add_vectors(text *t, const char *word, const float (*v)[3], size_t count) {
    for (size_t i = 0; i < count; i++)
        text_add(t, "%s %.9g %.9g %.9g\n", word, (double)v[i][0], (double)v[i][1], (double)v[i][2]);
}

firn_status mesh_write_obj(const mesh *m, const char *path) {
    text t = {0};
    add_vectors(&t, "v", (const float(*)[3])m->position, m->vertices);
    if (m->normal) add_vectors(&t, "vn", (const float(*)[3])m->normal, m->vertices);
    for (size_t i = 0; i < m->triangles; i++) {
        unsigned a = m->triangle[i][0] + 1, b = m->triangle[i][1] + 1, c = m->triangle[i][2] + 1;
        if (m->normal)
            text_add(&t, "f %u//%u %u//%u %u//%u\n", a, a, b, b, c, c);
        else
            text_add(&t, "f %u %u %u\n", a, b, c);
    }
    file_part part = {t.data, t.length};
    firn_status status =
        t.failed ? fail_memory("writing a mesh", t.length) : file_write_whole(path, &part, 1);
    text_free(&t);
    return status;
}

typedef struct __attribute__((packed)) ply_face {
    uint8_t count;
    uint32_t vertex[3];
} ply_face;

static firn_status write_parts(const mesh *m, const char *path, const text *head, float *vertices,
                               ply_face *faces) {
    size_t width = m->normal ? 6 : 3;
    for (size_t i = 0; i < m->vertices; i++) {
        memcpy(vertices + i * width, m->position[i], sizeof *m->position);
        if (m->normal) memcpy(vertices + i * width + 3, m->normal[i], sizeof *m->normal);
    }
    for (size_t i = 0; i < m->triangles; i++) {
        faces[i].count = 3;
        memcpy(faces[i].vertex, m->triangle[i], sizeof *m->triangle);
    }
    file_part parts[3] = {{head->data, head->length},
                          {vertices, m->vertices * width * sizeof *vertices},
                          {faces, m->triangles * sizeof *faces}};
    return file_write_whole(path, parts, 3);
}

firn_status mesh_write_ply(const mesh *m, const char *path) {
    text head = {0};
    text_add(&head, "ply\nformat binary_little_endian 1.0\nelement vertex %zu\n", m->vertices);
    text_add(&head, "property float x\nproperty float y\nproperty float z\n");
    if (m->normal) text_add(&head, "property float nx\nproperty float ny\nproperty float nz\n");
    text_add(&head, "element face %zu\nproperty list uchar uint vertex_indices\nend_header\n", m->triangles);
    float *vertices = mem_alloc(m->vertices * 6 * sizeof *vertices);
    ply_face *faces = mem_alloc(m->triangles * sizeof *faces);
    firn_status status = head.failed || !vertices || !faces
                             ? fail_memory("writing a mesh", m->vertices * 24 + m->triangles * 13)
                             : write_parts(m, path, &head, vertices, faces);
    mem_free(vertices);
    mem_free(faces);
    text_free(&head);
    return status;
}
