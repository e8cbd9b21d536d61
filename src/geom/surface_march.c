// Marching cubes over bricks. A brick owns the vertices on the edges that start at its nodes; one bit per
// edge tells whether it has one, so that vertex numbers are bit counts.
#include <math.h>
#include <string.h>

#include "geom/marching_table.h"
#include "geom/surface_bricks.h"
#include "par/par.h"

enum {
    PLANE = BRICK_EDGE * BRICK_EDGE, // nodes of a plane of a brick: bits of a word
    MOST_CHANNELS = 8,
    MOST_VALUES = 256 << 20 // bytes
};

typedef struct brick_edges {
    uint64_t crossed[3][BRICK_EDGE]; // by axis and z: bit y * BRICK_EDGE + x
    uint32_t first[3][BRICK_EDGE];   // vertices before that word, in the whole mesh
    uint32_t vertices, triangles;    // of the brick; then: the first of the brick
} brick_edges;

typedef struct marcher {
    const surface_bricks *bricks;
    marching_case table[256];
    brick_edges *edges;
    float (*value)[BRICK_NODES]; // of the present channels: those of the first brick, of the next, ...
    uint32_t channel, channels;  // the first of them, and how many
    surface *out;
} marcher;

static const int pad_stride[3] = {1, PAD_EDGE, PAD_EDGE *PAD_EDGE};

static int pad_index(int x, int y, int z) { return ((z + 1) * PAD_EDGE + y + 1) * PAD_EDGE + x + 1; }

static bool inside(float density) { return density > SURFACE_LEVEL; }

static unsigned cube_case(const float *p) {
    unsigned bits = 0;
    for (unsigned c = 0; c < 8; c++)
        bits |= (unsigned)inside(p[(c & 1) + (c >> 1 & 1) * PAD_EDGE + (c >> 2) * PAD_EDGE * PAD_EDGE]) << c;
    return bits;
}

// No corner inside, or all: most bricks are done with a look.
static bool has_surface(const float pad[PAD_NODES]) {
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < PAD_NODES; i++) {
        low = pad[i] < low ? pad[i] : low;
        high = pad[i] > high ? pad[i] : high;
    }
    return inside(high) && !inside(low);
}

static void count_brick(void *context, size_t brick) {
    marcher *m = context;
    brick_edges *e = &m->edges[brick];
    float pad[PAD_NODES];
    *e = (brick_edges){0};
    surface_pad(m->bricks, (const float(*)[BRICK_NODES])m->bricks->density, 1, 0, brick, pad);
    if (!has_surface(pad)) return;
    for (int z = 0; z < BRICK_EDGE; z++)
        for (int y = 0; y < BRICK_EDGE; y++)
            for (int x = 0; x < BRICK_EDGE; x++) {
                const float *p = pad + pad_index(x, y, z);
                bool here = inside(*p);
                for (int axis = 0; axis < 3; axis++)
                    if (here != inside(p[pad_stride[axis]]))
                        e->crossed[axis][z] |= 1ull << (y * BRICK_EDGE + x);
                e->triangles += m->table[cube_case(p)].triangles;
            }
    for (int axis = 0; axis < 3; axis++)
        for (int z = 0; z < BRICK_EDGE; z++)
            e->vertices += (uint32_t)__builtin_popcountll(e->crossed[axis][z]);
}

static firn_status number_all(marcher *m) {
    size_t vertices = 0, triangles = 0;
    for (size_t i = 0; i < m->bricks->count; i++) {
        brick_edges *e = &m->edges[i];
        size_t next = vertices + e->vertices, next_triangle = triangles + e->triangles;
        e->vertices = (uint32_t)vertices;
        e->triangles = (uint32_t)triangles;
        for (int axis = 0; axis < 3; axis++)
            for (int z = 0; z < BRICK_EDGE; z++) {
                e->first[axis][z] = (uint32_t)vertices;
                vertices += (size_t)__builtin_popcountll(e->crossed[axis][z]);
            }
        vertices = next;
        triangles = next_triangle;
    }
    return mesh_alloc(vertices, triangles, true, &m->out->mesh);
}

// The vertex on the edge that begins at a node of the brick or up to one beyond it.
static uint32_t vertex_at(const marcher *m, size_t brick, int axis, int x, int y, int z) {
    int n = NEAR_SELF + (x >> BRICK_BITS) + 3 * (y >> BRICK_BITS) + 9 * (z >> BRICK_BITS);
    const brick_edges *e = &m->edges[m->bricks->near[brick][n]];
    int bit = (y & (BRICK_EDGE - 1)) * BRICK_EDGE + (x & (BRICK_EDGE - 1));
    z &= BRICK_EDGE - 1;
    uint64_t before = e->crossed[axis][z] & ((1ull << bit) - 1);
    return e->first[axis][z] + (uint32_t)__builtin_popcountll(before);
}

// How far along its edge the surface lies; never quite at a node, where vertices of several edges would meet.
static float crossing(float a, float b) {
    return fminf(0.999f, fmaxf(0.001f, (SURFACE_LEVEL - a) / (b - a)));
}

static void place_vertex(const marcher *m, size_t brick, const float *p, const int node[3], int axis,
                         uint32_t id) {
    const surface_bricks *t = m->bricks;
    mesh *out = &m->out->mesh;
    const float *q = p + pad_stride[axis];
    float f = crossing(*p, *q), n[3], length = 0;
    for (int k = 0; k < 3; k++) {
        double at = (double)t->at[brick][k] * BRICK_EDGE + node[k] + (k == axis ? (double)f : 0);
        out->position[id][k] = (float)(at * t->cell);
        int s = pad_stride[k];
        float here = p[s] - p[-s], there = q[s] - q[-s];
        n[k] = -(here + f * (there - here)); // out of the snow: towards less
        length += n[k] * n[k];
    }
    length = sqrtf(length);
    float outward = *p > *q ? 1.0f : -1.0f;
    for (int k = 0; k < 3; k++)
        out->normal[id][k] = length > 1e-12f ? n[k] / length : k == axis ? outward : 0.0f;
}

static void place_triangles(const marcher *m, size_t brick, const float *p, const int node[3],
                            uint32_t *triangle) {
    const marching_case *c = &m->table[cube_case(p)];
    for (int t = 0; t < c->triangles; t++, ++*triangle)
        for (int k = 0; k < 3; k++) {
            int edge = c->edge[t][k], corner = marching_edge_corner(edge);
            m->out->mesh.triangle[*triangle][k] =
                vertex_at(m, brick, edge / 4, node[0] + (corner & 1), node[1] + (corner >> 1 & 1),
                          node[2] + (corner >> 2));
        }
}

static bool is_empty(const brick_edges *e) {
    uint64_t any = 0;
    for (int axis = 0; axis < 3; axis++)
        for (int z = 0; z < BRICK_EDGE; z++) any |= e->crossed[axis][z];
    return any == 0;
}

static void fill_brick(void *context, size_t brick) {
    const marcher *m = context;
    const brick_edges *e = &m->edges[brick];
    size_t stop = brick + 1 < m->bricks->count ? e[1].triangles : m->out->mesh.triangles;
    uint32_t triangle = e->triangles;
    if (triangle == stop && is_empty(e)) return;
    float pad[PAD_NODES];
    surface_pad(m->bricks, (const float(*)[BRICK_NODES])m->bricks->density, 1, 0, brick, pad);
    for (int z = 0; z < BRICK_EDGE; z++)
        for (int y = 0; y < BRICK_EDGE; y++)
            for (int x = 0; x < BRICK_EDGE; x++) {
                const float *p = pad + pad_index(x, y, z);
                const int node[3] = {x, y, z};
                for (int axis = 0; axis < 3; axis++)
                    if (e->crossed[axis][z] >> (y * BRICK_EDGE + x) & 1)
                        place_vertex(m, brick, p, node, axis, vertex_at(m, brick, axis, x, y, z));
                place_triangles(m, brick, p, node, &triangle);
            }
}

// Tiles whose values a vertex may ask for: those with vertices, and the next ones up.
static void splat_values(void *context, size_t brick) {
    const marcher *m = context;
    bool wanted = false;
    for (int n = 0; n < 8; n++) {
        uint32_t below = m->bricks->near[brick][NEAR_SELF - (n & 1) - 3 * (n >> 1 & 1) - 9 * (n >> 2)];
        wanted = wanted || (below != BLOCK_NONE && !is_empty(&m->edges[below]));
    }
    if (wanted)
        surface_splat_values(m->bricks, brick, m->channel, m->channels, m->value + brick * m->channels);
}

// The values around a brick, of one of the present channels.
static void pad_values(const marcher *m, size_t brick, uint32_t channel, float out[PAD_NODES]) {
    surface_pad(m->bricks, (const float(*)[BRICK_NODES])m->value, m->channels, channel, brick, out);
}

static void fill_values(void *context, size_t brick) {
    const marcher *m = context;
    const brick_edges *e = &m->edges[brick];
    if (is_empty(e)) return;
    float density[PAD_NODES], value[MOST_CHANNELS][PAD_NODES];
    surface_pad(m->bricks, (const float(*)[BRICK_NODES])m->bricks->density, 1, 0, brick, density);
    for (uint32_t c = 0; c < m->channels; c++) pad_values(m, brick, c, value[c]);
    for (int axis = 0; axis < 3; axis++)
        for (int i = 0; i < BRICK_NODES; i++) {
            int x = i % BRICK_EDGE, y = i / BRICK_EDGE % BRICK_EDGE, z = i / PLANE;
            if (!(e->crossed[axis][z] >> (i % PLANE) & 1)) continue;
            int a = pad_index(x, y, z), b = a + pad_stride[axis];
            float f = crossing(density[a], density[b]), by = density[a] + f * (density[b] - density[a]);
            size_t id = vertex_at(m, brick, axis, x, y, z);
            float *to = m->out->value + id * m->bricks->in->channels + m->channel;
            for (uint32_t c = 0; c < m->channels; c++)
                to[c] = (value[c][a] + f * (value[c][b] - value[c][a])) / by;
        }
}

// As many channels at once as MOST_VALUES allows: each needs a number for every node.
static firn_status carry_values(marcher *m) {
    const isosurface_input *in = m->bricks->in;
    size_t floats = m->out->mesh.vertices * in->channels, bricks = m->bricks->count,
           fit = MOST_VALUES / ((bricks + 1) * sizeof *m->value);
    uint32_t most = fit < 1 ? 1 : fit < MOST_CHANNELS ? (uint32_t)fit : MOST_CHANNELS;
    if (most > in->channels) most = in->channels;
    m->out->value = mem_alloc(floats * sizeof *m->out->value);
    m->value = mem_alloc(bricks * most * sizeof *m->value); // what is not asked for is not written either
    if (!m->out->value || !m->value)
        return fail_memory("colouring a surface", floats * 4 + bricks * most * sizeof *m->value);
    for (; m->channel < in->channels; m->channel += m->channels) {
        m->channels = in->channels - m->channel < most ? in->channels - m->channel : most;
        par_tasks(bricks, splat_values, m);
        par_tasks(bricks, fill_values, m);
    }
    return FIRN_OK;
}

static firn_status march(marcher *m) {
    par_tasks(m->bricks->count, count_brick, m);
    TRY(number_all(m));
    par_tasks(m->bricks->count, fill_brick, m);
    return m->bricks->in->value && m->bricks->in->channels ? carry_values(m) : FIRN_OK;
}

firn_status surface_march(const surface_bricks *t, surface *out) {
    marcher *m = mem_zero(1, sizeof *m);
    if (!m) return fail_memory("finding a surface", sizeof *m);
    m->bricks = t;
    m->out = out;
    m->edges = mem_alloc(t->count * sizeof *m->edges);
    marching_table_build(m->table);
    firn_status status = m->edges ? march(m) : fail_memory("finding a surface", t->count * sizeof *m->edges);
    mem_free(m->edges);
    mem_free(m->value);
    mem_free(m);
    return status;
}
