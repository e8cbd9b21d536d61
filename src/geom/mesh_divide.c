// Triangles of a mesh divided until their edges are short. An edge is divided or not whatever its triangles
// are, so that no gaps arise, also where a crease has its vertices twice.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geom/skin.h"
#include "math/dvec.h"

enum { MOST_ROUNDS = 8 };
static const size_t MOST_TRIANGLES = 4000000;

typedef struct side {
    uint32_t low, high; // vertices
    uint32_t slot;      // 3 * triangle + corner that it begins at
} side;

static int compare(const void *a, const void *b) {
    const side *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->slot > y->slot) - (x->slot < y->slot);
}

static bool is_long(const mesh *m, const side *s, double longest) {
    return dvec_distance(dvec_of_floats(m->position[s->low]), dvec_of_floats(m->position[s->high])) > longest;
}

// The middle of each long side into middle[slot]; UINT32_MAX: it is short. Returns how many middles there
// are.
static size_t find_middles(const mesh *m, side *sides, double longest, uint32_t *middle) {
    size_t count = 3 * m->triangles, found = 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *t = m->triangle[i / 3];
        uint32_t a = t[i % 3], b = t[(i + 1) % 3];
        sides[i] = (side){a < b ? a : b, a < b ? b : a, (uint32_t)i};
    }
    qsort(sides, count, sizeof *sides, compare);
    for (size_t i = 0, end; i < count; i = end) {
        bool divided = is_long(m, &sides[i], longest);
        for (end = i; end < count && sides[end].low == sides[i].low && sides[end].high == sides[i].high;
             end++)
            middle[sides[end].slot] = divided ? (uint32_t)(m->vertices + found) : UINT32_MAX;
        found += divided;
    }
    return found;
}

static void put_middles(const mesh *m, const uint32_t *middle, mesh *out) {
    memcpy(out->position, m->position, m->vertices * sizeof *m->position);
    memcpy(out->normal, m->normal, m->vertices * sizeof *m->normal);
    for (size_t i = 0; i < 3 * m->triangles; i++) {
        if (middle[i] == UINT32_MAX) continue;
        uint32_t a = m->triangle[i / 3][i % 3], b = m->triangle[i / 3][(i + 1) % 3];
        firn_vec3 n = dvec_normalise(dvec_add(dvec_of_floats(m->normal[a]), dvec_of_floats(m->normal[b])));
        for (int k = 0; k < 3; k++)
            out->position[middle[i]][k] = 0.5f * (m->position[a][k] + m->position[b][k]);
        memcpy(out->normal[middle[i]], (float[3]){(float)n.x, (float)n.y, (float)n.z}, sizeof(float[3]));
    }
}

static void put(mesh *out, uint32_t a, uint32_t b, uint32_t c) {
    memcpy(out->triangle[out->triangles++], (uint32_t[3]){a, b, c}, sizeof(uint32_t[3]));
}

// One to four triangles, by how many of the sides are divided.
static void divide(const uint32_t corner[3], const uint32_t middle[3], mesh *out) {
    int n = 0, turn = 0;
    for (int k = 0; k < 3; k++) n += middle[k] != UINT32_MAX;
    // Turned so that with one the first side is divided, and with two the last one is not.
    for (int k = 0; k < 3; k++)
        if ((n == 1 && middle[k] != UINT32_MAX) || (n == 2 && middle[(k + 2) % 3] == UINT32_MAX)) turn = k;
    uint32_t a = corner[turn], b = corner[(turn + 1) % 3], c = corner[(turn + 2) % 3];
    uint32_t ab = middle[turn], bc = middle[(turn + 1) % 3], ca = middle[(turn + 2) % 3];
    if (n == 0) put(out, a, b, c);
    if (n == 1) put(out, a, ab, c), put(out, ab, b, c);
    if (n == 2) put(out, ab, b, bc), put(out, a, ab, bc), put(out, a, bc, c);
    if (n == 3) put(out, a, ab, ca), put(out, ab, b, bc), put(out, ca, bc, c), put(out, ab, bc, ca);
}

static firn_status round_of(mesh *m, double longest, side *sides, uint32_t *middle, bool *more) {
    mesh out;
    size_t found = find_middles(m, sides, longest, middle), triangles = m->triangles;
    for (size_t i = 0; i < 3 * m->triangles; i++) triangles += middle[i] != UINT32_MAX;
    *more = found > 0 && triangles <= MOST_TRIANGLES;
    if (!*more) return FIRN_OK;
    TRY(mesh_alloc(m->vertices + found, triangles, true, &out));
    out.triangles = 0;
    put_middles(m, middle, &out);
    for (size_t t = 0; t < m->triangles; t++) divide(m->triangle[t], middle + 3 * t, &out);
    mesh_free(m);
    *m = out;
    return FIRN_OK;
}

firn_status mesh_divide(mesh *m, double longest) {
    bool more = m->triangles > 0 && m->normal && longest > 0;
    firn_status status = FIRN_OK;
    for (int k = 0; k < MOST_ROUNDS && more && status == FIRN_OK; k++) {
        side *sides = mem_alloc(3 * m->triangles * sizeof *sides);
        uint32_t *middle = mem_alloc(3 * m->triangles * sizeof *middle);
        status = sides && middle ? round_of(m, longest, sides, middle, &more)
                                 : fail_memory("dividing a mesh", 3 * m->triangles * sizeof *sides);
        mem_free(sides);
        mem_free(middle);
    }
    return status;
}
