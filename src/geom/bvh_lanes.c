// BVH traversal for LANES points at once. The points of a call should be close to each other: they traverse
// together, and a node is skipped only if none of them needs it.
#include "geom/bvh.h"
#include "lane/lane.h"

// As r_max, r_min and m_any, but without loops over lanes, which the compiler takes apart in functions as
// long as these.
LANE_INLINE real larger(real a, real b) { return r_select(r_gt(a, b), a, b); }
LANE_INLINE real smaller(real a, real b) { return r_select(r_lt(a, b), a, b); }
LANE_INLINE bool any(mask m) {
    uint64_t pairs[(sizeof m + 7) / 8] = {0}, sum = 0;
    __builtin_memcpy(pairs, &m, sizeof m);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) sum |= pairs[i];
    return sum != 0;
}

typedef struct point {
    real x, y, z;
} point;

LANE_INLINE point p_splat(const float a[3]) { return (point){R(a[0]), R(a[1]), R(a[2])}; }
LANE_INLINE point p_sub(point a, point b) { return (point){a.x - b.x, a.y - b.y, a.z - b.z}; }
LANE_INLINE point p_add(point a, point b) { return (point){a.x + b.x, a.y + b.y, a.z + b.z}; }
LANE_INLINE real p_dot(point a, point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
LANE_INLINE point p_cross(point a, point b) {
    return (point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
LANE_INLINE point p_select(mask m, point a, point b) {
    return (point){r_select(m, a.x, b.x), r_select(m, a.y, b.y), r_select(m, a.z, b.z)};
}
LANE_INLINE point p_load(const float *const at[3], size_t first, int n) {
    real last[3];
    for (int k = 0; k < 3; k++) last[k] = R(at[k][first]);
    return (point){r_load_some(at[0] + first, n, last[0]), r_load_some(at[1] + first, n, last[1]),
                   r_load_some(at[2] + first, n, last[2])};
}

// ---- nearest triangle

typedef struct nearest {
    real square;
    point away; // from the point to the nearest one
    ireal triangle;
} nearest;

LANE_INLINE real beyond(real p, float low, float high) {
    return larger(R(0), larger(R(low) - p, p - R(high)));
}

LANE_INLINE real box_square(const bvh_node *n, point p) {
    point d = {beyond(p.x, n->low[0], n->high[0]), beyond(p.y, n->low[1], n->high[1]),
               beyond(p.z, n->low[2], n->high[2])};
    return p_dot(d, d);
}

LANE_INLINE void keep_nearer(point away, mask where, int triangle, nearest *best) {
    real square = p_dot(away, away);
    mask nearer = where & r_lt(square, best->square);
    best->square = r_select(nearer, square, best->square);
    best->away = p_select(nearer, away, best->away);
    best->triangle = i_select(nearer, RI(triangle), best->triangle);
}

// Nearest point of a side, where it can matter; ap: from the side's begin to the point.
LANE_INLINE void try_side(point ap, point side, float over, mask where, int triangle, nearest *best) {
    if (!any(where)) return;
    real t = larger(R(0), smaller(R(1), p_dot(ap, side) * R(over)));
    keep_nearer((point){t * side.x - ap.x, t * side.y - ap.y, t * side.z - ap.z}, where, triangle, best);
}

// Barycentric coordinates of the projection; where one is negative the nearest point is on the opposite side.
// By cross products, not by products of lengths, which cancel in thin triangles. A degenerate triangle is
// treated as its three sides.
LANE_INLINE void try_triangle(const bvh *w, uint32_t index, point p, nearest *best) {
    const bvh_triangle *t = &w->triangles[index];
    point ab = p_splat(t->ab), ac = p_splat(t->ac), ap = p_sub(p, p_splat(t->a)), n = p_splat(t->n);
    real height = p_dot(ap, n) * R(-t->over_n);
    point drop = {height * n.x, height * n.y, height * n.z};
    mask near = r_lt(p_dot(drop, drop), best->square); // not even the plane is near elsewhere
    if (!any(near)) return;
    real v = p_dot(p_cross(ap, ac), n) * R(t->over_n), u = p_dot(p_cross(ab, ap), n) * R(t->over_n);
    mask flat = r_eq(R(t->over_n), R(0)), off_ab = r_lt(u, R(0)) | flat, off_ac = r_lt(v, R(0)) | flat;
    mask off_bc = r_gt(u + v, R(1)) | flat;
    keep_nearer(drop, ~(off_ab | off_ac | off_bc), (int)index, best);
    try_side(ap, ab, t->over_ab, near & off_ab, (int)index, best);
    try_side(ap, ac, t->over_ac, near & off_ac, (int)index, best);
    try_side(p_sub(ap, ab), p_sub(ac, ab), t->over_bc, near & off_bc, (int)index, best);
}

static nearest find_nearest(const bvh *w, point p, uint32_t hint) {
    nearest best = {.square = R(__builtin_inff()), .away = {R(0), R(0), R(0)}, .triangle = RI(0)};
    uint32_t stack[2 * BVH_DEPTH];
    int top = 0;
    try_triangle(w, hint, p, &best);
    stack[top++] = 0;
    while (top > 0) {
        const bvh_node *n = &w->nodes[stack[--top]];
        if (!any(r_lt(box_square(n, p), best.square))) continue;
        for (uint32_t i = 0; i < n->count; i++) try_triangle(w, n->first + i, p, &best);
        if (n->count) continue;
        real left = box_square(&w->nodes[n->first], p), right = box_square(&w->nodes[n->first + 1], p);
        uint32_t nearer = r_lane(left, 0) <= r_lane(right, 0) ? 0 : 1;
        stack[top++] = n->first + 1 - nearer;
        stack[top++] = n->first + nearer;
    }
    return best;
}

void ISA_NAME(bvh_nearest_lanes)(const bvh *w, size_t n, const float *const at[3], uint32_t *hint,
                                 float *distance, float *const nearest_at[3], uint32_t *triangle) {
    for (size_t i = 0; i < n; i += LANES) {
        int count = n - i < LANES ? (int)(n - i) : LANES;
        point p = p_load(at, i, count);
        nearest best = find_nearest(w, p, *hint);
        r_store_some(distance + i, r_sqrt(best.square), count);
        *hint = (uint32_t)i_lane(best.triangle, count - 1);
        if (triangle) i_store_some((int *)triangle + i, best.triangle, count);
        if (!nearest_at) continue;
        r_store_some(nearest_at[0] + i, p.x + best.away.x, count);
        r_store_some(nearest_at[1] + i, p.y + best.away.y, count);
        r_store_some(nearest_at[2] + i, p.z + best.away.z, count);
    }
}

// ---- winding number

// Within 1e-7 rad. The polynomial is a minimax fit of our own of atan on [0, 1].
LANE_INLINE real atan_of(real y, real x) {
    real ay = r_abs(y), ax = r_abs(x), low = smaller(ay, ax), high = larger(ay, ax);
    real a = low / larger(high, R(1e-37f)), s = a * a;
    real p = R(-0.004054567449851641);
    p = p * s + R(0.021862958707750096);
    p = p * s + R(-0.05591232793039564);
    p = p * s + R(0.09642197409454366);
    p = p * s + R(-0.13908629580089085);
    p = p * s + R(0.1994656565690658);
    p = p * s + R(-0.33329860784779564);
    p = (p * s + R(0.9999993355784388)) * a;
    p = r_select(r_gt(ay, ax), R(1.57079632679f) - p, p);
    p = r_select(r_lt(x, R(0)), R(3.14159265359f) - p, p);
    return r_copysign(p, y);
}

// Signed solid angle of a triangle (Van Oosterom and Strackee 1983).
LANE_INLINE real triangle_angle(const bvh_triangle *t, point p) {
    point a = p_sub(p_splat(t->a), p), b = p_add(a, p_splat(t->ab)), c = p_add(a, p_splat(t->ac));
    real la = r_sqrt(p_dot(a, a)), lb = r_sqrt(p_dot(b, b)), lc = r_sqrt(p_dot(c, c));
    real volume = p_dot(a, p_cross(b, c));
    real below = la * lb * lc + p_dot(a, b) * lc + p_dot(b, c) * la + p_dot(c, a) * lb;
    return r_where(r_ne(volume, R(0)), R(2) * atan_of(volume, below));
}

// The solid angle of a far node: its moments against the derivatives of 1/r (Barill et al. 2018, eq. 16).
LANE_INLINE real far_angle(const bvh_moments *f, point r, real square) {
    const float *m = f->first, *s = f->second;
    real over = R(1) / square, x = r.x, y = r.y, z = r.z;
    real along = x * (x * m[0] + y * (2.0f * m[3])) + y * (y * m[1] + z * (2.0f * m[4])) +
                 z * (z * m[2] + x * (2.0f * m[5]));
    real traces = x * (s[0] + s[7] + s[5]) + y * (s[1] + s[3] + s[8]) + z * (s[2] + s[4] + s[6]);
    real cubic = x * x * (x * s[0] + R(3) * (y * s[3] + z * s[6])) +
                 y * y * (y * s[1] + R(3) * (z * s[4] + x * s[7])) +
                 z * z * (z * s[2] + R(3) * (x * s[5] + y * s[8])) + R(6) * x * y * z * s[9];
    real sum = p_dot(r, p_splat(f->area)) + (m[0] + m[1] + m[2]) -
               over * (R(3) * along + R(4.5f) * traces - R(7.5f) * over * cubic);
    return over * r_sqrt(over) * sum;
}

static real solid_angle(const bvh *w, point p, float far) {
    uint32_t stack[2 * BVH_DEPTH];
    int top = 0;
    real sum = R(0);
    stack[top++] = 0;
    while (top > 0) {
        uint32_t node = stack[--top];
        const bvh_node *n = &w->nodes[node];
        const bvh_moments *f = &w->far[node];
        point r = p_sub(p_splat(f->centre), p);
        real square = p_dot(r, r);
        if (!any(r_le(square, R(far * far * f->radius * f->radius)))) {
            sum += far_angle(f, r, square);
            continue;
        }
        for (uint32_t i = 0; i < n->count; i++) sum += triangle_angle(&w->triangles[n->first + i], p);
        if (n->count) continue;
        stack[top++] = n->first + 1;
        stack[top++] = n->first;
    }
    return sum;
}

void ISA_NAME(bvh_winding_number_lanes)(const bvh *w, size_t n, const float *const at[3], float far,
                                        float *number) {
    for (size_t i = 0; i < n; i += LANES) {
        int count = n - i < LANES ? (int)(n - i) : LANES;
        real sum = solid_angle(w, p_load(at, i, count), far);
        r_store_some(number + i, sum * R(0.0795774715f), count); // over 4 pi
    }
}
