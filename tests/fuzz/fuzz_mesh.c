// Meshes from bytes. The first byte chooses: a file of one of the kinds that are read, or vertices and
// triangles as they are, which is much faster and reaches the level set more often.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "geom/levelset.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static firn_status from_file(unsigned kind, const uint8_t *data, size_t size, mesh *out) {
    static const char *const endings[] = {"obj", "ply", "stl", "gltf", "glb"};
    char path[100];
    snprintf(path, sizeof path, "/tmp/firn-fuzz-mesh-%ld.%s", (long)getpid(), endings[kind % 5]);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
    firn_status status = mesh_read(path, out);
    unlink(path);
    return status;
}

static firn_status from_bytes(const uint8_t *data, size_t size, mesh *out) {
    *out = (mesh){0};
    size_t vertices = size ? 1 + data[0] % 32u : 0;
    if (size < 1 + vertices * 12) return FIRN_BAD_INPUT;
    size_t triangles = (size - 1 - vertices * 12) / 3;
    if (triangles > 60) triangles = 60;
    if (mesh_alloc(vertices, triangles, false, out) != FIRN_OK) abort();
    memcpy(out->position, data + 1, vertices * 12);
    for (size_t i = 0; i < 3 * triangles; i++)
        out->triangle[i / 3][i % 3] = data[1 + vertices * 12 + i] % (uint32_t)vertices;
    return FIRN_OK;
}

static void use(mesh *m) {
    mesh_defects d;
    if (mesh_inspect(m, &d) != FIRN_OK) abort();
    float low[3], high[3], size = 0.0f;
    mesh_bounds(m, low, high);
    for (int k = 0; k < 3; k++) size = fmaxf(size, high[k] - low[k]);
    levelset *l;
    firn_status status = levelset_create(m, size > 0.0f ? size / 2.0f : 0.1f, "fuzz", &l);
    if (status != FIRN_OK && status != FIRN_BAD_INPUT) abort();
    for (int i = 0; status == FIRN_OK && i < 20; i++) {
        float p[3], distance, n[3];
        for (int k = 0; k < 3; k++) p[k] = low[k] + (high[k] - low[k]) * (float)(i * (k + 3) % 11 - 2) / 7.0f;
        levelset_query(l, 1, p, p + 1, p + 2, &distance, n, n + 1, n + 2);
        if (!(fabsf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2] - 1.0f) < 1e-3f)) abort();
        if (!isfinite(distance)) abort();
    }
    levelset_destroy(l);
    if (mesh_smooth_normals(m, 1.0f) != FIRN_OK) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!size) return 0;
    size_t before = mem_in_use();
    mesh m;
    firn_status status = data[0] % 16 < 5 ? from_file(data[0] % 16, data + 1, size - 1, &m)
                                          : from_bytes(data + 1, size - 1, &m);
    if (status != FIRN_OK && status != FIRN_BAD_INPUT) abort();
    if (status == FIRN_OK && m.triangles <= 200) use(&m);
    mesh_free(&m);
    if (mem_in_use() != before) abort();
    return 0;
}
