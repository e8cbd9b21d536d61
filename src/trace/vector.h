// Vectors of three floats, one at a time.
#ifndef TRACE_VECTOR_H
#define TRACE_VECTOR_H

#include <math.h>

// Inlined, unlike the C library's; of NaN and b they are b.
static inline float f_min(float a, float b) { return a < b ? a : b; }
static inline float f_max(float a, float b) { return a > b ? a : b; }

typedef struct v3 {
    float x, y, z;
} v3;

static inline v3 v3_of(const float a[3]) { return (v3){a[0], a[1], a[2]}; }
static inline v3 v3_all(float a) { return (v3){a, a, a}; }
static inline v3 v3_add(v3 a, v3 b) { return (v3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline v3 v3_sub(v3 a, v3 b) { return (v3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline v3 v3_mul(v3 a, v3 b) { return (v3){a.x * b.x, a.y * b.y, a.z * b.z}; }
static inline v3 v3_scale(v3 a, float s) { return (v3){a.x * s, a.y * s, a.z * s}; }
static inline v3 v3_fma(v3 a, v3 b, float s) { return (v3){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s}; }
static inline float v3_dot(v3 a, v3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline v3 v3_cross(v3 a, v3 b) {
    return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline float v3_length(v3 a) { return sqrtf(v3_dot(a, a)); }
static inline v3 v3_unit(v3 a) {
    float l = v3_length(a);
    return l > 0 ? v3_scale(a, 1 / l) : (v3){0, 1, 0};
}
static inline float v3_most(v3 a) { return f_max(a.x, f_max(a.y, a.z)); }
static inline float v3_bright(v3 a) { return 0.3f * a.x + 0.59f * a.y + 0.11f * a.z; }
static inline v3 v3_mix(v3 a, v3 b, float t) { return v3_fma(v3_scale(a, 1 - t), b, t); }
static inline v3 v3_reflect(v3 d, v3 n) { return v3_fma(d, n, -2 * v3_dot(d, n)); }

// A vector by unit quaternion w, x, y, z.
static inline v3 v3_turn(const float q[4], v3 v) {
    v3 u = {q[1], q[2], q[3]}, t = v3_scale(v3_cross(u, v), 2);
    return v3_add(v3_fma(v, t, q[0]), v3_cross(u, t));
}

// x along two directions square to n, and n (Duff 2017).
static inline v3 v3_around(v3 n, float x, float y, float z) {
    float s = copysignf(1, n.z), a = -1 / (s + n.z), b = n.x * n.y * a;
    v3 t = {1 + s * n.x * n.x * a, s * b, -s * n.x}, u = {b, s + n.y * n.y * a, -n.y};
    return v3_fma(v3_fma(v3_scale(t, x), u, y), n, z);
}

#endif
