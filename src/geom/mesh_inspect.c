// Which vertices are at the same place, and how the edges are used.
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "geom/mesh.h"

static size_t table_size(size_t items) {
    size_t size = 16;
    while (size < items * 2) size *= 2;
    return size;
}

static bool same_place(const float *a, const float *b) {
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

firn_status mesh_weld(const mesh *m, uint32_t *first) {
    size_t size = table_size(m->vertices);
    uint32_t *slot = mem_zero(size, sizeof *slot); // vertex + 1
    if (!slot) return fail_memory("joining the vertices of a mesh", size * sizeof *slot);
    for (size_t i = 0; i < m->vertices; i++) {
        const float *p = m->position[i];
        float key[3] = {p[0] + 0.0f, p[1] + 0.0f, p[2] + 0.0f}; // -0 and 0 are the same place
        size_t at = hash64(key, sizeof key, 0) & (size - 1);
        while (slot[at] && !same_place(m->position[slot[at] - 1], p) && isfinite(p[0] + p[1] + p[2]))
            at = (at + 1) & (size - 1);
        if (slot[at] && same_place(m->position[slot[at] - 1], p)) {
            first[i] = slot[at] - 1;
            continue;
        }
        first[i] = (uint32_t)i;
        if (!slot[at]) slot[at] = (uint32_t)i + 1;
    }
    mem_free(slot);
    return FIRN_OK;
}

typedef struct edge_use {
    uint32_t low, high; // vertices; low == high: free slot
    uint32_t up, down;  // uses from low to high, and back
} edge_use;

static void count_edge(edge_use *table, size_t size, uint32_t from, uint32_t to) {
    uint32_t low = from < to ? from : to, high = from < to ? to : from;
    uint32_t key[2] = {low, high};
    size_t at = hash64(key, sizeof key, 0) & (size - 1);
    while (table[at].low != table[at].high && (table[at].low != low || table[at].high != high))
        at = (at + 1) & (size - 1);
    table[at].low = low;
    table[at].high = high;
    if (from == low)
        table[at].up++;
    else
        table[at].down++;
}

static bool has_area(const mesh *m, const uint32_t *t) {
    double a[3], b[3];
    for (int k = 0; k < 3; k++) {
        a[k] = (double)m->position[t[1]][k] - (double)m->position[t[0]][k];
        b[k] = (double)m->position[t[2]][k] - (double)m->position[t[0]][k];
    }
    return a[1] * b[2] != a[2] * b[1] || a[2] * b[0] != a[0] * b[2] || a[0] * b[1] != a[1] * b[0];
}

static void count_defects(const mesh *m, const uint32_t *first, edge_use *table, size_t size,
                          mesh_defects *out) {
    for (size_t i = 0; i < m->vertices; i++)
        if (!isfinite(m->position[i][0]) || !isfinite(m->position[i][1]) || !isfinite(m->position[i][2]))
            out->non_finite++;
    for (size_t i = 0; i < m->triangles; i++) {
        const uint32_t *t = m->triangle[i];
        uint32_t v[3] = {first[t[0]], first[t[1]], first[t[2]]};
        bool folded = v[0] == v[1] || v[1] == v[2] || v[2] == v[0];
        if (folded || !has_area(m, t)) out->degenerate++;
        if (folded) continue; // its edges cancel or are none
        for (int k = 0; k < 3; k++) count_edge(table, size, v[k], v[(k + 1) % 3]);
    }
    for (size_t i = 0; i < size; i++) {
        if ((table[i].up + table[i].down) % 2)
            out->open_edges++;
        else if (table[i].up != table[i].down)
            out->flipped_edges++;
    }
}

firn_status mesh_inspect(const mesh *m, mesh_defects *out) {
    *out = (mesh_defects){0};
    uint32_t *first = mem_alloc(m->vertices * sizeof *first);
    if (!first) return fail_memory("inspecting a mesh", m->vertices * sizeof *first);
    firn_status status = mesh_weld(m, first);
    size_t size = table_size(m->triangles * 3);
    edge_use *table = status == FIRN_OK ? mem_zero(size, sizeof *table) : NULL;
    if (status == FIRN_OK && !table) status = fail_memory("inspecting a mesh", size * sizeof *table);
    if (status == FIRN_OK) count_defects(m, first, table, size, out);
    mem_free(table);
    mem_free(first);
    return status;
}
