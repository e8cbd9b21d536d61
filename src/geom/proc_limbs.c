// Builds tubes that grow out of each other.
#include "geom/proc_limbs.h"

#include <assert.h>
#include <string.h>

#include "base/random.h"

enum { STREAM = 41 };

double limbs_random(limbs *l, double low, double high) {
    return low + (high - low) * (double)random_unit(random_bits(l->seed, l->drawn++, 0, STREAM), 0);
}

static point3 scaled(point3 a, float s) { return (point3){a.x * s, a.y * s, a.z * s}; }
static point3 plus(point3 a, point3 b) { return (point3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static point3 cross(point3 a, point3 b) {
    return (point3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static point3 unit(point3 a) { return scaled(a, 1 / fmaxf(point_length(a), 1e-12f)); }
static point3 across(point3 a, point3 d) { return point_minus(a, scaled(d, point_dot(a, d))); }

static uint32_t add_vertex(limbs *l, point3 p) {
    if (!array_reserve(&l->vertex, &l->vertex_room, l->vertices + 1, sizeof *l->vertex)) {
        l->full = true;
        return 0;
    }
    float *v = l->vertex[l->vertices];
    v[0] = p.x, v[1] = p.y, v[2] = p.z;
    return (uint32_t)l->vertices++;
}

static void add_triangle(limbs *l, uint32_t a, uint32_t b, uint32_t c) {
    if (!array_reserve(&l->triangle, &l->triangle_room, l->triangles + 1, sizeof *l->triangle)) {
        l->full = true;
        return;
    }
    uint32_t *t = l->triangle[l->triangles++];
    t[0] = a, t[1] = b, t[2] = c;
}

static point3 vertex_at(const limbs *l, uint32_t i) {
    if (l->full) return (point3){0, 0, 0};
    return (point3){l->vertex[i][0], l->vertex[i][1], l->vertex[i][2]};
}

static void find_directions(limb *b) {
    for (int r = 0; r < b->rings; r++) {
        int before = r > 0 ? r - 1 : 0, after = r + 1 < b->rings ? r + 1 : r;
        b->along[r] = unit(point_minus(b->ring[after].centre, b->ring[before].centre));
    }
}

// Corner k of a ring, counter-clockwise seen from where the limb grows to.
static point3 corner_offset(const limb_ring *ring, point3 along, point3 up, int sides, int k) {
    double angle = 2 * M_PI * (k % sides + 0.5) / sides;
    if (sides == 4) angle -= M_PI / 4; // a flat limb has its corners at its sides
    float c = (float)cos(angle), s = (float)sin(angle), side = fabsf(c) * ring->wide;
    point3 right = cross(scaled(along, -1), up);
    point3 p = plus(scaled(right, c * ring->wide), scaled(up, s * ring->high));
    p = plus(p, scaled(along, side * ring->sweep));
    return plus(p, (point3){0, -side * ring->sag, 0});
}

// How far the corners of the rings are turned against those of the base, so that the limb is not twisted.
static int fit_base(const limbs *l, const limb *b, const limb_base *base, point3 up) {
    point3 middle = {0, 0, 0};
    for (int j = 0; j < base->count; j++)
        middle = plus(middle, scaled(vertex_at(l, base->at[j]), 1 / (float)base->count));
    int best = 0;
    float most = -INFINITY;
    for (int turn = 0; turn < base->count; turn++) {
        float sum = 0;
        for (int j = 0; j < base->count; j++) {
            point3 offset = corner_offset(&b->ring[1], b->along[1], up, b->sides, j + turn);
            sum += point_dot(offset, point_minus(vertex_at(l, base->at[j]), middle));
        }
        if (sum > most) most = sum, best = turn;
    }
    return best;
}

void limbs_place(limbs *l, limb *b, const limb_base *base) {
    assert(b->rings > 2 && b->rings <= LIMB_RINGS && b->sides <= LIMB_SIDES);
    assert(!base || base->count == b->sides);
    memset(b->open, 0, sizeof b->open);
    find_directions(b);
    point3 up = across((point3){0, 1, 0}, b->along[0]);
    if (point_length(up) < 0.2f) up = across((point3){1, 0, 0}, b->along[0]);
    int turn = 0;
    for (int r = 0; r < b->rings; r++) {
        up = unit(across(up, b->along[r]));
        if (base && r == 1) turn = fit_base(l, b, base, up);
        bool tip = r + 1 == b->rings;
        for (int k = 0; k < b->sides; k++) {
            point3 offset = corner_offset(&b->ring[r], b->along[r], up, b->sides, k + turn);
            b->corner[r][k] = base && r == 0 ? base->at[k]
                              : tip && k > 0 ? b->corner[r][0]
                              : tip          ? add_vertex(l, b->ring[r].centre)
                                             : add_vertex(l, plus(b->ring[r].centre, offset));
        }
    }
    if (base) return;
    uint32_t foot = add_vertex(l, b->ring[0].centre);
    for (int k = 0; k < b->sides; k++)
        add_triangle(l, foot, b->corner[0][(k + 1) % b->sides], b->corner[0][k]);
}

limb_base limbs_open(limb *b, int r, int s, int count) {
    limb_base base = {.count = 2 * count + 2};
    assert(r + 2 < b->rings && base.count <= LIMB_SIDES);
    for (int k = 0; k <= count; k++) {
        base.at[k] = b->corner[r][(s + k) % b->sides];
        base.at[2 * count + 1 - k] = b->corner[r + 1][(s + k) % b->sides];
        if (k < count) b->open[r][(s + k) % b->sides] = true;
    }
    return base;
}

point3 limbs_outward(const limbs *l, const limb *b, int r, int s, int count) {
    point3 a = vertex_at(l, b->corner[r][s % b->sides]),
           c = vertex_at(l, b->corner[r + 1][(s + count) % b->sides]),
           mean = {0.5f * (a.x + c.x), 0.5f * (a.y + c.y), 0.5f * (a.z + c.z)};
    return unit(across(point_minus(mean, b->ring[r].centre), b->along[r]));
}

void limbs_cover(limbs *l, const limb *b) {
    for (int r = 0; r + 1 < b->rings; r++) {
        for (int k = 0; k < b->sides; k++) {
            int n = (k + 1) % b->sides;
            if (b->open[r][k]) continue;
            const uint32_t *low = b->corner[r], *high = b->corner[r + 1];
            add_triangle(l, low[k], low[n], high[n]);
            if (r + 2 < b->rings) add_triangle(l, low[k], high[n], high[k]);
        }
    }
}

firn_status limbs_mesh(limbs *l, mesh *out) {
    firn_status status = l->full ? fail_memory("growing a tree", l->triangles * sizeof *l->triangle)
                                 : mesh_alloc(l->vertices, l->triangles, false, out);
    if (status == FIRN_OK) {
        memcpy(out->position, l->vertex, l->vertices * sizeof *l->vertex);
        memcpy(out->triangle, l->triangle, l->triangles * sizeof *l->triangle);
    }
    mem_free(l->vertex);
    mem_free(l->triangle);
    return status;
}
