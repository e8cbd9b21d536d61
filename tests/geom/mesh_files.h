// Small mesh files of every kind that is read, made here.
#ifndef TESTS_GEOM_MESH_FILES_H
#define TESTS_GEOM_MESH_FILES_H

#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"
#include "geom/meshes.h"

static inline text make_stl_text(const mesh *m) {
    text t = {0};
    text_add(&t, "solid thing\n");
    for (size_t i = 0; i < m->triangles; i++) {
        text_add(&t, "facet normal 0 0 0\n outer loop\n");
        for (int k = 0; k < 3; k++) {
            const float *p = m->position[m->triangle[i][k]];
            text_add(&t, "  vertex %.9g %.9g %.9g\n", (double)p[0], (double)p[1], (double)p[2]);
        }
        text_add(&t, " endloop\nendfacet\n");
    }
    text_add(&t, "endsolid thing\n");
    return t;
}

static inline text make_stl_binary(const mesh *m) {
    text t = {0};
    char head[80] = {0};
    uint32_t count = (uint32_t)m->triangles;
    text_add_bytes(&t, head, 80);
    text_add_bytes(&t, (const char *)&count, 4);
    for (size_t i = 0; i < m->triangles; i++) {
        text_add_bytes(&t, head, 12);
        for (int k = 0; k < 3; k++) text_add_bytes(&t, (const char *)m->position[m->triangle[i][k]], 12);
        text_add_bytes(&t, head, 2);
    }
    return t;
}

static inline void add_base64(text *t, const unsigned char *data, size_t bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < bytes; i += 3) {
        unsigned v = (unsigned)data[i] << 16 | (i + 1 < bytes ? data[i + 1] : 0u) << 8 |
                     (i + 2 < bytes ? data[i + 2] : 0u);
        char four[4] = {digits[v >> 18], digits[v >> 12 & 63], i + 1 < bytes ? digits[v >> 6 & 63] : '=',
                        i + 2 < bytes ? digits[v & 63] : '='};
        text_add_bytes(t, four, 4);
    }
}

// The mesh twice: once moved by (10, 0, 0) below a parent that doubles it, once mirrored in x. uri: where the
// bytes are, or NULL for the binary part of a .glb.
static inline void add_gltf_json(text *t, const mesh *m, const char *uri) {
    size_t positions = m->vertices * 12, indices = m->triangles * 12;
    float low[3], high[3];
    mesh_bounds(m, low, high);
    text_add(t, "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0,2]}],"
                "\"nodes\":[{\"scale\":[2,2,2],\"children\":[1]},{\"mesh\":0,\"translation\":[10,0,0]},"
                "{\"mesh\":0,\"scale\":[-1,1,1]}],");
    text_add(t, "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],");
    text_add(t, "\"buffers\":[{\"byteLength\":%zu", positions + indices);
    if (uri) text_add(t, ",\"uri\":\"%s\"", uri);
    text_add(t,
             "}],\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":%zu},{\"buffer\":0,"
             "\"byteOffset\":%zu,"
             "\"byteLength\":%zu}],",
             positions, positions, indices);
    text_add(
        t,
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":%zu,\"type\":\"VEC3\",\"min\":[%g,"
        "%g,%g],"
        "\"max\":[%g,%g,%g]},{\"bufferView\":1,\"componentType\":5125,\"count\":%zu,\"type\":\"SCALAR\"}]}",
        m->vertices, (double)low[0], (double)low[1], (double)low[2], (double)high[0], (double)high[1],
        (double)high[2], 3 * m->triangles);
}

static inline text make_gltf(const mesh *m) {
    text bytes = {0}, uri = {0}, t = {0};
    text_add_bytes(&bytes, (const char *)m->position, m->vertices * 12);
    text_add_bytes(&bytes, (const char *)m->triangle, m->triangles * 12);
    text_add(&uri, "data:application/octet-stream;base64,");
    add_base64(&uri, (const unsigned char *)bytes.data, bytes.length);
    add_gltf_json(&t, m, uri.data);
    text_free(&bytes);
    text_free(&uri);
    return t;
}

static inline text make_glb(const mesh *m) {
    text json = {0}, t = {0};
    add_gltf_json(&json, m, NULL);
    while (json.length % 4) text_add(&json, " ");
    uint32_t binary = (uint32_t)(m->vertices * 12 + m->triangles * 12);
    uint32_t head[5] = {0x46546c67, 2, (uint32_t)(28 + json.length + binary), (uint32_t)json.length,
                        0x4e4f534a};
    uint32_t part[2] = {binary, 0x004e4942};
    text_add_bytes(&t, (const char *)head, sizeof head);
    text_add_bytes(&t, json.data, json.length);
    text_add_bytes(&t, (const char *)part, sizeof part);
    text_add_bytes(&t, (const char *)m->position, m->vertices * 12);
    text_add_bytes(&t, (const char *)m->triangle, m->triangles * 12);
    text_free(&json);
    return t;
}

static inline void save(const char *path, const char *data, size_t bytes) {
    file_part part = {data, bytes};
    assert_int_equal(file_write_whole(path, &part, 1), FIRN_OK);
}

#endif
