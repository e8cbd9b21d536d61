// Building the tree: even splits at the median of the triangles' middles, along the longest side.
#include "geom/winding.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/random.h"

typedef struct builder {
    const mesh *m;
    float (*middle)[3]; // of each triangle
    uint32_t *order;
    winding_tree *tree;
} builder;

static bool before(const builder *b, uint32_t i, uint32_t j, int axis) {
    float x = b->middle[i][axis], y = b->middle[j][axis];
    return x != y ? x < y : i < j; // a strict order: equal middles cannot spoil the split
}

static void swap_order(builder *b, size_t i, size_t j) {
    uint32_t kept = b->order[i];
    b->order[i] = b->order[j];
    b->order[j] = kept;
}

// Quickselect: afterwards the smallest come first in [begin, end), up to place k. Pivots are hashed, so that
// no file can make it slow.
static void select_smallest(builder *b, size_t begin, size_t end, size_t k, int axis) {
    while (end - begin > 1) {
        random4 dice = random_bits(0x77696e64, begin, (uint32_t)(end - begin), 0);
        swap_order(b, begin + dice.v[0] % (end - begin), end - 1);
        uint32_t pivot = b->order[end - 1];
        size_t place = begin;
        for (size_t i = begin; i + 1 < end; i++)
            if (before(b, b->order[i], pivot, axis)) swap_order(b, i, place++);
        swap_order(b, place, end - 1);
        if (k == place) return;
        if (k < place)
            end = place;
        else
            begin = place + 1;
    }
}

static int longest_side(const builder *b, size_t begin, size_t end) {
    float low[3], high[3];
    memcpy(low, b->middle[b->order[begin]], sizeof low);
    memcpy(high, low, sizeof high);
    for (size_t i = begin; i < end; i++)
        for (int k = 0; k < 3; k++) {
            low[k] = fminf(low[k], b->middle[b->order[i]][k]);
            high[k] = fmaxf(high[k], b->middle[b->order[i]][k]);
        }
    float size[3] = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
    return size[0] >= size[1] && size[0] >= size[2] ? 0 : size[1] >= size[2] ? 1 : 2;
}

static void build_node(builder *b, size_t node, size_t begin, size_t end, int depth) {
    assert(depth < WINDING_DEPTH);
    winding_node *n = &b->tree->nodes[node];
    if (end - begin <= WINDING_LEAF) {
        n->first = (uint32_t)begin;
        n->count = (uint32_t)(end - begin);
        return;
    }
    size_t half = begin + (end - begin) / 2;
    select_smallest(b, begin, end, half, longest_side(b, begin, end));
    size_t child = b->tree->node_count;
    b->tree->node_count += 2;
    n->first = (uint32_t)child;
    n->count = 0;
    build_node(b, child, begin, half, depth + 1);
    build_node(b, child + 1, half, end, depth + 1);
}

static void copy_triangles(builder *b) {
    for (size_t i = 0; i < b->tree->triangle_count; i++) {
        winding_triangle *t = &b->tree->triangles[i];
        t->id = b->order[i];
        const uint32_t *v = b->m->triangle[t->id];
        for (int k = 0; k < 3; k++) {
            t->a[k] = b->m->position[v[0]][k];
            t->ab[k] = b->m->position[v[1]][k] - t->a[k];
            t->ac[k] = b->m->position[v[2]][k] - t->a[k];
        }
    }
}

// Sums over a range of triangles, in double: parts of a closed surface nearly cancel.
typedef struct far_sums {
    double weight, centre[3], area[3];
} far_sums;

static void area_vector(const winding_triangle *t, double out[3]) {
    for (int k = 0; k < 3; k++) {
        int p = (k + 1) % 3, q = (k + 2) % 3;
        out[k] = 0.5 * ((double)t->ab[p] * (double)t->ac[q] - (double)t->ab[q] * (double)t->ac[p]);
    }
}

static double middle_of(const winding_triangle *t, int k) {
    return (double)t->a[k] + ((double)t->ab[k] + (double)t->ac[k]) / 3.0;
}

static void fill_bounds(winding_tree *w, size_t node, size_t begin, size_t end) {
    winding_node *n = &w->nodes[node];
    for (int k = 0; k < 3; k++) {
        n->low[k] = INFINITY;
        n->high[k] = -INFINITY;
    }
    for (size_t i = begin; i < end; i++)
        for (int k = 0; k < 3; k++) {
            const winding_triangle *t = &w->triangles[i];
            float b = t->a[k] + t->ab[k], c = t->a[k] + t->ac[k];
            n->low[k] = fminf(n->low[k], fminf(t->a[k], fminf(b, c)));
            n->high[k] = fmaxf(n->high[k], fmaxf(t->a[k], fmaxf(b, c)));
        }
}

static void fill_far(winding_tree *w, size_t node, size_t begin, size_t end) {
    winding_far *f = &w->far[node];
    const winding_node *n = &w->nodes[node];
    far_sums s = {0};
    for (size_t i = begin; i < end; i++) {
        double area[3];
        area_vector(&w->triangles[i], area);
        double size = sqrt(area[0] * area[0] + area[1] * area[1] + area[2] * area[2]);
        s.weight += size;
        for (int k = 0; k < 3; k++) {
            s.centre[k] += size * middle_of(&w->triangles[i], k);
            s.area[k] += area[k];
        }
    }
    double centre[3], moment[3][3] = {{0}}, reach = 0.0;
    for (int k = 0; k < 3; k++) {
        centre[k] = s.weight > 0.0 ? s.centre[k] / s.weight : 0.5 * ((double)n->low[k] + (double)n->high[k]);
        double side = fmax(centre[k] - (double)n->low[k], (double)n->high[k] - centre[k]);
        reach += side * side;
    }
    for (size_t i = begin; i < end; i++) {
        double area[3];
        area_vector(&w->triangles[i], area);
        for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++)
                moment[p][q] += area[p] * (middle_of(&w->triangles[i], q) - centre[q]);
    }
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        f->centre[k] = (float)centre[k];
        f->area[k] = (float)s.area[k];
        f->moment[k] = (float)moment[k][k];
        f->moment[3 + k] = (float)(0.5 * (moment[k][next] + moment[next][k]));
    }
    f->reach = (float)sqrt(reach);
}

static void fill_node(winding_tree *w, size_t node, size_t begin, size_t end) {
    fill_bounds(w, node, begin, end);
    fill_far(w, node, begin, end);
    if (w->nodes[node].count) return;
    size_t half = begin + (end - begin) / 2, child = w->nodes[node].first;
    fill_node(w, child, begin, half);
    fill_node(w, child + 1, half, end);
}

static firn_status build(builder *b) {
    const mesh *m = b->m;
    winding_tree *w = b->tree;
    for (size_t i = 0; i < m->triangles; i++) {
        b->order[i] = (uint32_t)i;
        for (int k = 0; k < 3; k++) {
            const uint32_t *v = m->triangle[i];
            assert(v[0] < m->vertices && v[1] < m->vertices && v[2] < m->vertices);
            b->middle[i][k] = (m->position[v[0]][k] + m->position[v[1]][k] + m->position[v[2]][k]) / 3.0f;
            if (!isfinite(b->middle[i][k]))
                return fail(FIRN_BAD_INPUT, "triangle %zu of a mesh is not finite", i);
        }
    }
    w->triangle_count = m->triangles;
    if (!m->triangles) return FIRN_OK;
    w->node_count = 1;
    build_node(b, 0, 0, m->triangles, 0);
    copy_triangles(b);
    fill_node(w, 0, 0, m->triangles);
    return FIRN_OK;
}

firn_status winding_create(const mesh *m, winding_tree **out) {
    *out = NULL;
    winding_tree *w = mem_zero(1, sizeof *w);
    builder b = {.m = m, .tree = w};
    size_t nodes = m->triangles + 1; // a leaf holds at least two triangles, or is the root
    b.middle = mem_alloc(m->triangles * sizeof *b.middle);
    b.order = mem_alloc(m->triangles * sizeof *b.order);
    if (w) {
        w->nodes = mem_alloc(nodes * sizeof *w->nodes);
        w->far = mem_alloc(nodes * sizeof *w->far);
        w->triangles = mem_alloc(m->triangles * sizeof *w->triangles);
    }
    bool enough = w && b.middle && b.order && w->nodes && w->far && w->triangles;
    firn_status status =
        enough ? build(&b) : fail_memory("building the tree of a mesh", nodes * sizeof *w->nodes);
    mem_free(b.middle);
    mem_free(b.order);
    if (status != FIRN_OK)
        winding_destroy(w);
    else
        *out = w;
    return status;
}

void winding_destroy(winding_tree *w) {
    if (!w) return;
    mem_free(w->nodes);
    mem_free(w->far);
    mem_free(w->triangles);
    mem_free(w);
}
