// Memory, copies, bounds and volume of triangle meshes.
#include "geom/mesh.h"

#include <assert.h>
#include <math.h>
#include <string.h>

firn_status mesh_alloc(size_t vertices, size_t triangles, bool normals, mesh *out) {
    *out = (mesh){0};
    if (vertices > UINT32_MAX || triangles > UINT32_MAX)
        return fail(FIRN_BAD_INPUT, "a mesh of %zu vertices and %zu triangles is too large", vertices,
                    triangles);
    mesh m = {.vertices = vertices, .triangles = triangles};
    m.position = mem_alloc(vertices * sizeof *m.position);
    if (normals) m.normal = mem_alloc(vertices * sizeof *m.normal);
    m.triangle = mem_alloc(triangles * sizeof *m.triangle);
    if (!m.position || (normals && !m.normal) || !m.triangle) {
        mesh_free(&m);
        return fail_memory("making a mesh", vertices * 24 + triangles * 12);
    }
    *out = m;
    return FIRN_OK;
}

void mesh_free(mesh *m) {
    mem_free(m->position);
    mem_free(m->normal);
    mem_free(m->triangle);
    *m = (mesh){0};
}

firn_status mesh_copy(const mesh *from, mesh *to) {
    TRY(mesh_alloc(from->vertices, from->triangles, from->normal, to));
    if (from->vertices) memcpy(to->position, from->position, from->vertices * sizeof *to->position);
    if (from->vertices && from->normal) memcpy(to->normal, from->normal, from->vertices * sizeof *to->normal);
    if (from->triangles) memcpy(to->triangle, from->triangle, from->triangles * sizeof *to->triangle);
    return FIRN_OK;
}

firn_mesh mesh_view(const mesh *m) {
    return (firn_mesh){.vertices = m->vertices,
                       .triangles = m->triangles,
                       .position = (const float *)m->position,
                       .normal = (const float *)m->normal,
                       .index = (const uint32_t *)m->triangle};
}

void mesh_bounds(const mesh *m, float low[3], float high[3]) {
    for (int k = 0; k < 3; k++) {
        low[k] = m->vertices ? m->position[0][k] : 0.0f;
        high[k] = low[k];
    }
    for (size_t i = 1; i < m->vertices; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fminf(low[k], m->position[i][k]);
            high[k] = fmaxf(high[k], m->position[i][k]);
        }
}

double mesh_volume(const mesh *m) {
    float low[3], high[3];
    mesh_bounds(m, low, high);
    double sum = 0.0;
    for (size_t i = 0; i < m->triangles; i++) {
        double p[3][3]; // from the middle of the mesh, to lose no digits far from the origin
        for (int corner = 0; corner < 3; corner++)
            for (int k = 0; k < 3; k++)
                p[corner][k] =
                    (double)m->position[m->triangle[i][corner]][k] - 0.5 * ((double)low[k] + (double)high[k]);
        sum += p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
               p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
               p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0]);
    }
    return sum / 6.0;
}
