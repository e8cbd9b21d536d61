// Vertices at one place become one, and triangles that are there more than once are dropped: exporters write
// them by accident, each copy costs as much as the first, and none changes the shape.
#include <string.h>

#include "base/hash.h"
#include "geom/mesh.h"

static void join_vertices(mesh *m, const uint32_t *first, uint32_t *place) {
    size_t kept = 0;
    for (size_t i = 0; i < m->vertices; i++) place[i] = UINT32_MAX;
    for (size_t i = 0; i < 3 * m->triangles; i++) place[first[m->triangle[i / 3][i % 3]]] = 0; // used
    for (size_t i = 0; i < m->vertices; i++) {
        if (place[i] == UINT32_MAX) continue;
        memmove(m->position[kept], m->position[i], sizeof *m->position);
        place[i] = (uint32_t)kept++;
    }
    for (size_t i = 0; i < 3 * m->triangles; i++) {
        uint32_t *v = &m->triangle[i / 3][i % 3];
        *v = place[first[*v]];
    }
    m->vertices = kept;
}

// The triangles over the same three vertices.
typedef struct corner_set {
    uint32_t corner[3]; // ascending
    uint32_t seen;      // orientations: 1 even, 2 odd permutation of the corners; 0: free slot
    size_t triangle;    // the first of them
} corner_set;

// Sorts the corners; returns the orientation.
static uint32_t sort_corners(const uint32_t t[3], uint32_t corner[3]) {
    uint32_t swaps = 0;
    memcpy(corner, t, 3 * sizeof *corner);
    for (int i = 0; i < 3; i++) {
        int k = i % 2;
        if (corner[k] <= corner[k + 1]) continue;
        uint32_t kept = corner[k];
        corner[k] = corner[k + 1];
        corner[k + 1] = kept;
        swaps++;
    }
    bool folded = corner[0] == corner[1] || corner[1] == corner[2]; // has no orientation
    return folded || swaps % 2 == 0 ? 1 : 2;
}

static corner_set *find_set(corner_set *sets, size_t size, const uint32_t corner[3]) {
    size_t at = hash64(corner, 3 * sizeof *corner, 0) & (size - 1);
    while (sets[at].seen && memcmp(sets[at].corner, corner, sizeof sets[at].corner) != 0)
        at = (at + 1) & (size - 1);
    return &sets[at];
}

static void drop_repeated(mesh *m, corner_set *sets, size_t size, mesh_joined *out) {
    uint32_t corner[3];
    for (size_t i = 0; i < m->triangles; i++) {
        uint32_t orientation = sort_corners(m->triangle[i], corner);
        corner_set *set = find_set(sets, size, corner);
        if (!set->seen) {
            memcpy(set->corner, corner, sizeof corner);
            set->triangle = i;
        }
        if (set->seen & orientation) out->repeated++;
        set->seen |= orientation;
    }
    size_t kept = 0;
    for (size_t i = 0; i < m->triangles; i++) {
        sort_corners(m->triangle[i], corner);
        const corner_set *set = find_set(sets, size, corner);
        if (set->triangle != i) continue;
        if (set->seen == 3)
            out->cancelled += 2;
        else
            memmove(m->triangle[kept++], m->triangle[i], sizeof *m->triangle);
    }
    m->triangles = kept;
}

firn_status mesh_join(mesh *m, mesh_joined *out) {
    *out = (mesh_joined){0};
    size_t size = 16;
    while (size < 2 * m->triangles) size *= 2;
    uint32_t *first = mem_alloc(m->vertices * sizeof *first), *place = mem_alloc(m->vertices * sizeof *place);
    corner_set *sets = mem_zero(size, sizeof *sets);
    firn_status status = first && place && sets
                             ? mesh_weld(m, first)
                             : fail_memory("reading a mesh", m->vertices * 8 + size * sizeof *sets);
    if (status == FIRN_OK) {
        join_vertices(m, first, place);
        drop_repeated(m, sets, size, out);
    }
    mem_free(first);
    mem_free(place);
    mem_free(sets);
    return status;
}
