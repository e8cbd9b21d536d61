// Nearest triangle, winding number, triangles in a box.
#include <math.h>
#include <string.h>

#include "geom/winding.h"

// A node counts as far from this many times its reach: error of the whole sum below 1e-3, or good enough for
// a sign.
static const float FAR_EXACT = 4.0f, FAR_SIGN = 1.6f;

static float dot(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static float box_square(const winding_node *n, const float p[3]) {
    float sum = 0.0f;
    for (int k = 0; k < 3; k++) {
        float d = fmaxf(0.0f, fmaxf(n->low[k] - p[k], p[k] - n->high[k]));
        sum += d * d;
    }
    return sum;
}

// The point on the side from a to a + e that is nearest to p; returns the squared distance.
static float nearest_on_side(const float a[3], const float e[3], const float p[3], float out[3]) {
    float ap[3] = {p[0] - a[0], p[1] - a[1], p[2] - a[2]};
    float ee = dot(e, e), t = ee > 0.0f ? fminf(1.0f, fmaxf(0.0f, dot(ap, e) / ee)) : 0.0f, sum = 0.0f;
    for (int k = 0; k < 3; k++) {
        out[k] = a[k] + t * e[k];
        sum += (ap[k] - t * e[k]) * (ap[k] - t * e[k]);
    }
    return sum;
}

static void keep_nearer(float square, const float at[3], winding_nearest *best) {
    if (square >= best->square) return;
    best->square = square;
    memcpy(best->at, at, sizeof best->at);
}

// Barycentric coordinates of p's projection; where one is negative the nearest point is on the side opposite.
// A triangle without area counts as its three sides.
static void nearest_on_triangle(const winding_triangle *t, const float p[3], winding_nearest *best) {
    float ap[3] = {p[0] - t->a[0], p[1] - t->a[1], p[2] - t->a[2]}, at[3];
    float bb = dot(t->ab, t->ab), cc = dot(t->ac, t->ac), bc = dot(t->ab, t->ac);
    float pb = dot(ap, t->ab), pc = dot(ap, t->ac), whole = bb * cc - bc * bc;
    float v = cc * pb - bc * pc, u = bb * pc - bc * pb, rest = whole - u - v;
    bool flat = !(whole > 1e-12f * bb * cc);
    if (!flat && v >= 0.0f && u >= 0.0f && rest >= 0.0f) {
        float sum = 0.0f;
        for (int k = 0; k < 3; k++) {
            float d = (v * t->ab[k] + u * t->ac[k]) / whole;
            at[k] = t->a[k] + d;
            sum += (ap[k] - d) * (ap[k] - d);
        }
        keep_nearer(sum, at, best);
        return;
    }
    if (flat || u < 0.0f) keep_nearer(nearest_on_side(t->a, t->ab, p, at), at, best);
    if (flat || v < 0.0f) keep_nearer(nearest_on_side(t->a, t->ac, p, at), at, best);
    if (!flat && rest >= 0.0f) return;
    float b[3] = {t->a[0] + t->ab[0], t->a[1] + t->ab[1], t->a[2] + t->ab[2]};
    float side[3] = {t->ac[0] - t->ab[0], t->ac[1] - t->ab[1], t->ac[2] - t->ab[2]};
    keep_nearer(nearest_on_side(b, side, p, at), at, best);
}

static void try_triangle(const winding_tree *w, uint32_t i, const float p[3], winding_nearest *best) {
    float square = best->square;
    nearest_on_triangle(&w->triangles[i], p, best);
    if (best->square < square) best->triangle = i;
}

typedef struct open_node {
    uint32_t node;
    float square;
} open_node;

winding_nearest winding_find_nearest(const winding_tree *w, const float point[3], uint32_t hint) {
    winding_nearest best = {.square = INFINITY};
    if (!w->triangle_count) return best;
    try_triangle(w, hint, point, &best);
    open_node stack[2 * WINDING_DEPTH];
    int top = 0;
    stack[top++] = (open_node){0, box_square(&w->nodes[0], point)};
    while (top > 0) {
        open_node open = stack[--top];
        if (open.square >= best.square) continue;
        const winding_node *n = &w->nodes[open.node];
        for (uint32_t i = 0; i < n->count; i++) try_triangle(w, n->first + i, point, &best);
        if (n->count) continue;
        float left = box_square(&w->nodes[n->first], point),
              right = box_square(&w->nodes[n->first + 1], point);
        bool left_first = left <= right;
        stack[top++] = (open_node){n->first + left_first, left_first ? right : left};
        stack[top++] = (open_node){n->first + !left_first, left_first ? left : right};
    }
    return best;
}

float winding_distance(const winding_tree *w, const float point[3], float nearest[3], uint32_t *triangle) {
    winding_nearest best = winding_find_nearest(w, point, 0);
    if (nearest) memcpy(nearest, best.at, sizeof best.at);
    if (triangle) *triangle = w->triangle_count ? w->triangles[best.triangle].id : 0;
    return sqrtf(best.square);
}

// Signed solid angle of a triangle over 2, seen from p (Van Oosterom and Strackee 1983).
static float half_solid_angle(const winding_triangle *t, const float p[3]) {
    float a[3], b[3], c[3];
    for (int k = 0; k < 3; k++) {
        a[k] = t->a[k] - p[k];
        b[k] = a[k] + t->ab[k];
        c[k] = a[k] + t->ac[k];
    }
    float la = sqrtf(dot(a, a)), lb = sqrtf(dot(b, b)), lc = sqrtf(dot(c, c));
    float volume = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                   a[2] * (b[0] * c[1] - b[1] * c[0]);
    float below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    return volume == 0.0f ? 0.0f : atan2f(volume, below);
}

// The solid angle of a far node: its moments against the derivatives of 1/r (Barill et al. 2018, eq. 16).
static float far_solid_angle(const winding_far *f, const float r[3], float square) {
    const float *m = f->first, *s = f->second;
    float over = 1.0f / square, x = r[0], y = r[1], z = r[2];
    float trace = m[0] + m[1] + m[2];
    float along = x * (x * m[0] + 2.0f * y * m[3]) + y * (y * m[1] + 2.0f * z * m[4]) +
                  z * (z * m[2] + 2.0f * x * m[5]);
    float traces = x * (s[0] + s[7] + s[5]) + y * (s[1] + s[3] + s[8]) + z * (s[2] + s[4] + s[6]);
    float cubic = x * x * (x * s[0] + 3.0f * (y * s[3] + z * s[6])) +
                  y * y * (y * s[1] + 3.0f * (z * s[4] + x * s[7])) +
                  z * z * (z * s[2] + 3.0f * (x * s[5] + y * s[8])) + 6.0f * x * y * z * s[9];
    float sum = dot(r, f->area) + trace - over * (3.0f * along + 4.5f * traces - 7.5f * over * cubic);
    return over * sqrtf(over) * sum;
}

static float solid_angle(const winding_tree *w, const float p[3], float far) {
    uint32_t stack[2 * WINDING_DEPTH];
    int top = 0;
    float sum = 0.0f;
    if (w->triangle_count) stack[top++] = 0;
    while (top > 0) {
        uint32_t node = stack[--top];
        const winding_node *n = &w->nodes[node];
        const winding_far *f = &w->far[node];
        float r[3] = {f->centre[0] - p[0], f->centre[1] - p[1], f->centre[2] - p[2]}, square = dot(r, r);
        if (square > far * far * f->reach * f->reach) {
            sum += far_solid_angle(f, r, square);
            continue;
        }
        for (uint32_t i = 0; i < n->count; i++)
            sum += 2.0f * half_solid_angle(&w->triangles[n->first + i], p);
        if (n->count) continue;
        stack[top++] = n->first + 1;
        stack[top++] = n->first;
    }
    return sum;
}

float winding_number(const winding_tree *w, const float point[3]) {
    return solid_angle(w, point, FAR_EXACT) * 0.0795774715f; // over 4 pi
}

bool winding_inside(const winding_tree *w, const float point[3]) {
    return fabsf(solid_angle(w, point, FAR_SIGN)) > 6.28318531f; // half of the full angle
}

void winding_in_box(const winding_tree *w, const float low[3], const float high[3],
                    void (*visit)(void *context, const winding_triangle *t), void *context) {
    uint32_t stack[2 * WINDING_DEPTH];
    int top = 0;
    if (w->triangle_count) stack[top++] = 0;
    while (top > 0) {
        const winding_node *n = &w->nodes[stack[--top]];
        bool touches = true;
        for (int k = 0; k < 3; k++) touches = touches && n->low[k] <= high[k] && n->high[k] >= low[k];
        if (!touches) continue;
        for (uint32_t i = 0; i < n->count; i++) visit(context, &w->triangles[n->first + i]);
        if (n->count) continue;
        stack[top++] = n->first + 1;
        stack[top++] = n->first;
    }
}
