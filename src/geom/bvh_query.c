// Queries of the BVH: nearest triangle, and winding number (Barill 2018).
#include <math.h>
#include <string.h>

#include "geom/bvh.h"

// Opening criterion: a node is far beyond this multiple of its radius; the error of the sum is then below
// 1e-3, or small enough for a sign.
static const float FAR_EXACT = 4.0f, FAR_SIGN = 1.6f;

void bvh_find_nearest(const bvh *w, size_t n, const float *const at[3], uint32_t *hint, float *distance,
                      float *const nearest[3], uint32_t *triangle) {
    for (size_t i = 0; !w->triangle_count && i < n; i++) distance[i] = INFINITY;
    if (w->triangle_count) ISA_PICK(bvh_nearest_lanes)(w, n, at, hint, distance, nearest, triangle);
}

static void find_number(const bvh *w, size_t n, const float *const at[3], float far, float *number) {
    for (size_t i = 0; !w->triangle_count && i < n; i++) number[i] = 0.0f;
    if (w->triangle_count) ISA_PICK(bvh_winding_number_lanes)(w, n, at, far, number);
}

void bvh_find_inside(const bvh *w, size_t n, const float *const at[3], bool *inside) {
    enum { BATCH = 64 };
    float number[BATCH];
    for (size_t i = 0; i < n; i += BATCH) {
        size_t count = n - i < BATCH ? n - i : BATCH;
        find_number(w, count, (const float *const[3]){at[0] + i, at[1] + i, at[2] + i}, FAR_SIGN, number);
        for (size_t k = 0; k < count; k++) inside[i + k] = fabsf(number[k]) > 0.5f;
    }
}

float bvh_winding_number(const bvh *w, const float point[3]) {
    float number;
    find_number(w, 1, (const float *const[3]){point, point + 1, point + 2}, FAR_EXACT, &number);
    return number;
}

float bvh_distance(const bvh *w, const float point[3], float nearest[3], uint32_t *triangle) {
    float distance, at[3] = {0};
    uint32_t hint = 0, found = 0;
    bvh_find_nearest(w, 1, (const float *const[3]){point, point + 1, point + 2}, &hint, &distance,
                     (float *const[3]){at, at + 1, at + 2}, &found);
    if (nearest) memcpy(nearest, at, sizeof at);
    if (triangle) *triangle = w->triangle_count ? w->triangles[found].id : 0;
    return distance;
}

void bvh_in_box(const bvh *w, const float low[3], const float high[3],
                void (*visit)(void *context, const bvh_triangle *t), void *context) {
    uint32_t stack[2 * BVH_DEPTH];
    int top = 0;
    if (w->triangle_count) stack[top++] = 0;
    while (top > 0) {
        const bvh_node *n = &w->nodes[stack[--top]];
        bool touches = true;
        for (int k = 0; k < 3; k++) touches = touches && n->low[k] <= high[k] && n->high[k] >= low[k];
        if (!touches) continue;
        for (uint32_t i = 0; i < n->count; i++) visit(context, &w->triangles[n->first + i]);
        if (n->count) continue;
        stack[top++] = n->first + 1;
        stack[top++] = n->first;
    }
}
