// Points onto the nodes of a brick, a row of eight nodes at a time.
#include "geom/surface_bricks.h"
#include "lane/lane.h"

_Static_assert(BRICK_EDGE == 8, "a row is a vector");
typedef float row __attribute__((vector_size(32)));
typedef int row_mask __attribute__((vector_size(32)));
typedef float row_memory __attribute__((vector_size(32), aligned(4))); // in arrays of floats

static const row column = {0, 1, 2, 3, 4, 5, 6, 7};

LANE_INLINE row positive(row a) { return (row)((row_mask)a & (a > 0)); }

// Two cells wide quadratic B-spline of a distance in cells, times 2 for the axis: sums to 2 over the nodes.
LANE_INLINE row spline(row distance) {
    row u = (row)((row_mask)(0.5f * distance) & 0x7fffffff);
    row a = positive(1.5f - u), b = positive(0.5f - u);
    return 0.5f * (a * a - 3 * b * b);
}

// Nodes of one axis that a point at `at` reaches.
LANE_INLINE void reach(float at, int *low, int *high) {
    int first = (int)(at + (2 * BRICK_EDGE - SURFACE_SUPPORT + 1)) - 2 * BRICK_EDGE; // as floor does
    *low = first > 0 ? first : 0;
    *high = at + SURFACE_SUPPORT < BRICK_EDGE - 1 ? (int)(at + SURFACE_SUPPORT) : BRICK_EDGE - 1;
}

// Adds amount[c] * blob of a point at `at` (in cells from the brick's first node) to nodes[c] of a brick.
LANE_INLINE void add_point(const float at[3], const float *amount, uint32_t channels,
                           float (*nodes)[BRICK_NODES]) {
    row wx = spline(column - at[0]), wy = spline(column - at[1]), wz = spline(column - at[2]);
    int y0, y1, z0, z1;
    reach(at[1], &y0, &y1);
    reach(at[2], &z0, &z1);
    for (int z = z0; z <= z1; z++)
        for (int y = y0; y <= y1; y++) {
            row w = wz[z] * wy[y] * wx;
            for (uint32_t c = 0; c < channels; c++) {
                row_memory *to = (row_memory *)(nodes[c] + (z * BRICK_EDGE + y) * BRICK_EDGE);
                *to += amount[c] * w;
            }
        }
}

// Where a point of neighbour n is, as the brick sees it; false if its blob does not come here.
LANE_INLINE bool seen_from(const surface_point *p, int n, float at[3]) {
    const int offset[3] = {n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1};
    for (int k = 0; k < 3; k++) {
        at[k] = p->at[k] + (float)(offset[k] * BRICK_EDGE);
        if (at[k] <= -SURFACE_SUPPORT || at[k] >= BRICK_EDGE - 1 + SURFACE_SUPPORT) return false;
    }
    return true;
}

void ISA_NAME(surface_splat_density)(const surface_bricks *t, size_t brick, float share, bool again,
                                     float nodes[BRICK_NODES]) {
    for (int n = 0; n < NEAR; n++) {
        uint32_t other = t->near[brick][n];
        if (other == BLOCK_NONE) continue;
        for (uint32_t i = t->first[other]; i < t->first[other + 1]; i++) {
            float at[3], extra = again ? t->point[i].weight - 1 : 1, amount = share * extra;
            if (extra != 0 && seen_from(&t->point[i], n, at))
                add_point(at, &amount, 1, (float(*)[BRICK_NODES])nodes);
        }
    }
}

void ISA_NAME(surface_splat_channels)(const surface_bricks *t, size_t brick, float share, uint32_t first,
                                      uint32_t count, float (*sum)[BRICK_NODES]) {
    for (int n = 0; n < NEAR; n++) {
        uint32_t other = t->near[brick][n];
        if (other == BLOCK_NONE) continue;
        for (uint32_t i = t->first[other]; i < t->first[other + 1]; i++) {
            float at[3], amount[SPLAT_CHANNELS];
            if (!seen_from(&t->point[i], n, at)) continue;
            const float *value = t->in->value + (size_t)t->number[i] * t->in->channels + first;
            for (uint32_t c = 0; c < count; c++) {
                bool finite = value[c] - value[c] == 0;
                amount[c] = share * t->point[i].weight * (finite ? value[c] : 0);
            }
            add_point(at, amount, count, sum);
        }
    }
}
