// BVH construction: median splits of the triangles' centroids along the longest side.
#include "geom/bvh.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/stop.h"

typedef struct builder {
    const mesh *m;
    float (*middle)[3]; // of each triangle
    uint32_t *order;
    bvh *tree;
    bool stopped; // cancelled by the caller
} builder;

enum { SOME_MILLISECONDS = 1 << 15 }; // triangles

static bool before(const builder *b, uint32_t i, uint32_t j, int axis) {
    float x = b->middle[i][axis], y = b->middle[j][axis];
    return x != y ? x < y : i < j; // a strict order, also for equal centroids
}

static void swap_order(builder *b, size_t i, size_t j) {
    uint32_t kept = b->order[i];
    b->order[i] = b->order[j];
    b->order[j] = kept;
}

// Quickselect: afterwards the smallest come first in [begin, end), up to index k. Pivots are hashed, so that
// no input degenerates.
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
    assert(depth < BVH_DEPTH);
    if (end - begin >= SOME_MILLISECONDS && !b->stopped) b->stopped = stop_asked();
    if (b->stopped) return;
    bvh_node *n = &b->tree->nodes[node];
    if (end - begin <= BVH_LEAF) {
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

static float over(double square, double least) { return square > least ? (float)(1.0 / square) : 0.0f; }

static void copy_triangle(const mesh *m, uint32_t id, bvh_triangle *t) {
    const uint32_t *v = m->triangle[id];
    double ab = 0.0, ac = 0.0, bc = 0.0, n = 0.0;
    t->id = id;
    for (int k = 0; k < 3; k++) {
        t->a[k] = m->position[v[0]][k];
        t->ab[k] = m->position[v[1]][k] - t->a[k];
        t->ac[k] = m->position[v[2]][k] - t->a[k];
        double side = (double)t->ac[k] - (double)t->ab[k];
        ab += (double)t->ab[k] * (double)t->ab[k];
        ac += (double)t->ac[k] * (double)t->ac[k];
        bc += side * side;
    }
    for (int k = 0; k < 3; k++) {
        int p = (k + 1) % 3, q = (k + 2) % 3;
        double across = (double)t->ab[p] * (double)t->ac[q] - (double)t->ab[q] * (double)t->ac[p];
        t->n[k] = (float)across;
        n += across * across;
    }
    t->over_ab = over(ab, 1e-36);
    t->over_ac = over(ac, 1e-36);
    t->over_bc = over(bc, 1e-36);
    t->over_n = over(n, fmax(1e-36, 1e-12 * ab * ac));
}

static void area_vector(const bvh_triangle *t, double out[3]) {
    for (int k = 0; k < 3; k++) {
        int p = (k + 1) % 3, q = (k + 2) % 3;
        out[k] = 0.5 * ((double)t->ab[p] * (double)t->ac[q] - (double)t->ab[q] * (double)t->ac[p]);
    }
}

static void fill_bounds(bvh *w, size_t node, size_t begin, size_t end) {
    bvh_node *n = &w->nodes[node];
    for (int k = 0; k < 3; k++) {
        n->low[k] = INFINITY;
        n->high[k] = -INFINITY;
    }
    for (size_t i = begin; i < end; i++)
        for (int k = 0; k < 3; k++) {
            const bvh_triangle *t = &w->triangles[i];
            float b = t->a[k] + t->ab[k], c = t->a[k] + t->ac[k];
            n->low[k] = fminf(n->low[k], fminf(t->a[k], fminf(b, c)));
            n->high[k] = fmaxf(n->high[k], fmaxf(t->a[k], fmaxf(b, c)));
        }
}

// Moments passed up the tree. In double: the parts of a closed surface nearly cancel.
typedef struct moments {
    double weight, centre[3]; // centre weighted by area
    double area[3], first[3][3], second[3][3][3];
} moments;

static double bounding_radius(const bvh *w, size_t begin, size_t end, const double centre[3]) {
    double radius = 0.0;
    for (size_t i = begin; i < end; i++) {
        const bvh_triangle *t = &w->triangles[i];
        double to_a = 0.0, to_b = 0.0, to_c = 0.0;
        for (int k = 0; k < 3; k++) {
            double a = (double)t->a[k] - centre[k], b = a + (double)t->ab[k], c = a + (double)t->ac[k];
            to_a += a * a;
            to_b += b * b;
            to_c += c * c;
        }
        radius = fmax(radius, fmax(to_a, fmax(to_b, to_c)));
    }
    return sqrt(radius);
}

// Moments of one triangle about its centroid.
static moments triangle_moments(const bvh_triangle *t) {
    moments m = {0};
    double corner[3][3];
    area_vector(t, m.area);
    m.weight = sqrt(m.area[0] * m.area[0] + m.area[1] * m.area[1] + m.area[2] * m.area[2]);
    for (int k = 0; k < 3; k++) {
        double third = ((double)t->ab[k] + (double)t->ac[k]) / 3.0;
        m.centre[k] = (double)t->a[k] + third;
        corner[0][k] = -third;
        corner[1][k] = (double)t->ab[k] - third;
        corner[2][k] = (double)t->ac[k] - third;
    }
    for (int p = 0; p < 3; p++)
        for (int q = 0; q < 3; q++) {
            double mean = 0.0; // of x_p x_q over the triangle
            for (int c = 0; c < 3; c++) mean += corner[c][p] * corner[c][q] / 12.0;
            for (int i = 0; i < 3; i++) m.second[i][p][q] = m.area[i] * mean;
        }
    return m;
}

// Adds `part`, translated to the centre of `sum`.
static void add_shifted(moments *sum, const moments *part) {
    double s[3];
    for (int k = 0; k < 3; k++) s[k] = part->centre[k] - sum->centre[k];
    for (int i = 0; i < 3; i++) {
        sum->area[i] += part->area[i];
        for (int p = 0; p < 3; p++) {
            sum->first[i][p] += part->first[i][p] + part->area[i] * s[p];
            for (int q = 0; q < 3; q++)
                sum->second[i][p][q] += part->second[i][p][q] + part->first[i][p] * s[q] +
                                        part->first[i][q] * s[p] + part->area[i] * s[p] * s[q];
        }
    }
}

static moments join_moments(const moments *parts, size_t count, const bvh_node *n) {
    moments sum = {0};
    for (size_t i = 0; i < count; i++) {
        sum.weight += parts[i].weight;
        for (int k = 0; k < 3; k++) sum.centre[k] += parts[i].weight * parts[i].centre[k];
    }
    for (int k = 0; k < 3; k++)
        sum.centre[k] =
            sum.weight > 0.0 ? sum.centre[k] / sum.weight : 0.5 * ((double)n->low[k] + (double)n->high[k]);
    for (size_t i = 0; i < count; i++) add_shifted(&sum, &parts[i]);
    return sum;
}

static float symmetric(const moments *m, int i, int j, int k) {
    return (float)((m->second[i][j][k] + m->second[j][k][i] + m->second[k][i][j]) / 3.0);
}

static void fill_far(const moments *m, double radius, bvh_moments *f) {
    f->radius = (float)radius;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        f->centre[i] = (float)m->centre[i];
        f->area[i] = (float)m->area[i];
        f->first[i] = (float)m->first[i][i];
        f->first[3 + i] = (float)(0.5 * (m->first[i][j] + m->first[j][i]));
        f->second[i] = symmetric(m, i, i, i);
        f->second[3 + i] = symmetric(m, i, i, j);
        f->second[6 + i] = symmetric(m, i, i, k);
    }
    f->second[9] = symmetric(m, 0, 1, 2);
}

static moments fill_node(bvh *w, size_t node, size_t begin, size_t end) {
    bvh_node *n = &w->nodes[node];
    moments parts[BVH_LEAF];
    size_t count = n->count;
    fill_bounds(w, node, begin, end);
    for (size_t i = 0; i < count; i++) parts[i] = triangle_moments(&w->triangles[begin + i]);
    if (!count) {
        size_t half = begin + (end - begin) / 2;
        parts[0] = fill_node(w, n->first, begin, half);
        parts[1] = fill_node(w, n->first + 1, half, end);
        count = 2;
    }
    moments sum = join_moments(parts, count, n);
    fill_far(&sum, bounding_radius(w, begin, end, sum.centre), &w->far[node]);
    return sum;
}

static firn_status build(builder *b) {
    const mesh *m = b->m;
    bvh *w = b->tree;
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
    if (b->stopped) return stop_failed();
    for (size_t i = 0; i < m->triangles; i++) copy_triangle(m, b->order[i], &w->triangles[i]);
    fill_node(w, 0, 0, m->triangles);
    return FIRN_OK;
}

firn_status bvh_create(const mesh *m, bvh **out) {
    *out = NULL;
    bvh *w = mem_zero(1, sizeof *w);
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
        bvh_destroy(w);
    else
        *out = w;
    return status;
}

void bvh_destroy(bvh *w) {
    if (!w) return;
    mem_free(w->nodes);
    mem_free(w->far);
    mem_free(w->triangles);
    mem_free(w);
}
