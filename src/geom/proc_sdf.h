// Soft shapes as the zero level of a blend of simple parts, turned into a mesh.
#ifndef GEOM_PROC_SDF_H
#define GEOM_PROC_SDF_H

#include <math.h>

#include "geom/mesh.h"

typedef struct point3 {
    float x, y, z;
} point3;

// About the distance to a surface; its slope stays below 1.5.
typedef float (*proc_field)(const void *context, point3 p);

// The parts below are inline so that the compiler works out sines and cosines of constant angles.

static inline point3 point_minus(point3 a, point3 b) { return (point3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline float point_dot(point3 a, point3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline float point_length(point3 a) { return sqrtf(point_dot(a, a)); }

// Blend of two distances: a parabola takes over where the two differ by less than `blend`; smooth, and never
// above the lesser.
static inline float sdf_join(float a, float b, float blend) {
    float overlap = fmaxf(blend - fabsf(a - b), 0) / blend;
    return fminf(a, b) - overlap * overlap * blend * 0.25f;
}

// a without b.
static inline float sdf_cut(float a, float b, float blend) { return -sdf_join(-a, b, blend); }

static inline float sdf_ball(point3 p, point3 centre, float radius) {
    return point_length(point_minus(p, centre)) - radius;
}

// A bar with round ends from a (radius ra) to b (radius rb).
static inline float sdf_bar(point3 p, point3 a, point3 b, float ra, float rb) {
    point3 along = point_minus(b, a), to = point_minus(p, a);
    float t = fminf(fmaxf(point_dot(to, along) / point_dot(along, along), 0), 1);
    point3 rest = {to.x - t * along.x, to.y - t * along.y, to.z - t * along.z};
    return point_length(rest) - (ra + t * (rb - ra));
}

// A torus about the y direction.
static inline float sdf_ring(point3 p, point3 centre, float radius, float thickness) {
    point3 q = point_minus(p, centre);
    return hypotf(hypotf(q.x, q.z) - radius, q.y) - thickness;
}

// A short cylinder along y with rounded rims.
static inline float sdf_disc(point3 p, point3 centre, float radius, float half, float round) {
    point3 q = point_minus(p, centre);
    float r = hypotf(q.x, q.z) - (radius - round), y = fabsf(q.y) - (half - round);
    return hypotf(fmaxf(r, 0), fmaxf(y, 0)) + fminf(fmaxf(r, y), 0) - round;
}

// Ellipsoid turned about z by `pitch` (its x axis rises), then about x by `roll`, then about y by `yaw`.
typedef struct sdf_egg {
    point3 centre, radii;
    float pitch, roll, yaw; // rad
} sdf_egg;

// First-order distance: exact on the surface, and of slope one there.
static inline float sdf_egg_at(point3 p, const sdf_egg *egg) {
    point3 q = point_minus(p, egg->centre), r = egg->radii;
    float c = cosf(egg->yaw), s = sinf(egg->yaw);
    q = (point3){c * q.x - s * q.z, q.y, s * q.x + c * q.z};
    c = cosf(egg->roll), s = sinf(egg->roll);
    q = (point3){q.x, c * q.y + s * q.z, -s * q.y + c * q.z};
    c = cosf(egg->pitch), s = sinf(egg->pitch);
    q = (point3){c * q.x + s * q.y, -s * q.x + c * q.y, q.z};
    float reached = point_length((point3){q.x / r.x, q.y / r.y, q.z / r.z});
    float slope = point_length((point3){q.x / (r.x * r.x), q.y / (r.y * r.y), q.z / (r.z * r.z)});
    if (slope < 1e-12f) return -fminf(r.x, fminf(r.y, r.z));
    return reached * (reached - 1) / slope;
}

// A part that is turned about a point: ask it at sdf_turned(turn, p).
typedef struct sdf_turn {
    point3 about;
    float m[3][3];
} sdf_turn;
// By pitch about z, then roll about x, then yaw about y (rad).
sdf_turn sdf_turn_by(point3 about, double pitch, double roll, double yaw);

static inline point3 sdf_turned(const sdf_turn *t, point3 p) {
    point3 q = point_minus(p, t->about), a = t->about;
    return (point3){a.x + t->m[0][0] * q.x + t->m[0][1] * q.y + t->m[0][2] * q.z,
                    a.y + t->m[1][0] * q.x + t->m[1][1] * q.y + t->m[1][2] * q.z,
                    a.z + t->m[2][0] * q.x + t->m[2][1] * q.y + t->m[2][2] * q.z};
}

// Mesh of the field inside [low, high], scaled to height 1, standing on y = 0, its middle above the origin.
// The field is outside on the border of that box.
firn_status proc_polygonise(proc_field field, const void *context, point3 low, point3 high, float cell,
                            mesh *out);
// Scales and moves a mesh so.
void proc_stand(mesh *m);

#endif
