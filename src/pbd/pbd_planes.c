// Planes of hollow bodies by rays: where they meet the surface, and whether it is a wall there.
#include "pbd/pbd_planes.h"

#include <math.h>

#include "math/dvec.h"

enum { RAYS = 14, STEPS = 6 };
static const float SAME = 0.9f;    // cosine between normals of one plane
static const float LEAST = 0.15f;  // of the reach: shortest step of a ray, so that it gets there along a wall
static const float BESIDE = 0.15f; // of the reach: where a wall is looked at again
static const float NEAR = 0.1f;    // of the reach: so near has a ray met a surface

typedef struct ray_ends {
    float x[RAYS], y[RAYS], z[RAYS], way[RAYS];
    float d[RAYS], nx[RAYS], ny[RAYS], nz[RAYS];
} ray_ends;

// To the faces and the corners of a cube: no direction is more than 28 degrees off one of them.
static void direction_of(int k, float out[3]) {
    const float slant = 0.57735027f;
    for (int a = 0; a < 3; a++) {
        if (k < 6)
            out[a] = k / 2 == a ? (k % 2 ? 1.0f : -1.0f) : 0;
        else
            out[a] = (k - 6) >> a & 1 ? slant : -slant;
    }
}

// Walks from the point by the distance of each place until it meets the surface or is out of reach.
static void follow_rays(const body_set *bodies, size_t b, firn_vec3 origin, const float at[3], float d,
                        float reach, ray_ends *r) {
    for (int k = 0; k < RAYS; k++) r->way[k] = 0, r->d[k] = d;
    for (int step = 0; step < STEPS; step++) {
        for (int k = 0; k < RAYS; k++) {
            float u[3], by = r->d[k] > LEAST * reach ? r->d[k] : LEAST * reach;
            bool met = step > 0 && r->d[k] < NEAR * reach;
            direction_of(k, u);
            r->way[k] = met ? r->way[k] : fminf(r->way[k] + by, reach);
            r->x[k] = at[0] + r->way[k] * u[0];
            r->y[k] = at[1] + r->way[k] * u[1];
            r->z[k] = at[2] + r->way[k] * u[2];
        }
        bool last = step == STEPS - 1;
        body_query_near(bodies, b, origin, RAYS, r->x, r->y, r->z, r->d, last ? r->nx : NULL,
                        last ? r->ny : NULL, last ? r->nz : NULL);
    }
}

static float cosine(const pbd_plane *a, const pbd_plane *b) {
    return a->n[0] * b->n[0] + a->n[1] * b->n[1] + a->n[2] * b->n[2];
}

// Planes that rays have met, nearest first. One that is nearer than the body itself belongs to a convex part
// of it, beside which the point is.
static size_t planes_met(const ray_ends *r, const float at[3], pbd_plane nearest, float reach,
                         pbd_plane out[RAYS]) {
    size_t n = 0;
    for (int k = 0; k < RAYS; k++) {
        pbd_plane p = {{r->nx[k], r->ny[k], r->nz[k]}, 0};
        p.d = r->d[k] + p.n[0] * (at[0] - r->x[k]) + p.n[1] * (at[1] - r->y[k]) + p.n[2] * (at[2] - r->z[k]);
        bool hidden = p.d < 0.95f * nearest.d - 0.01f * reach;
        if (!(fabsf(r->d[k]) < 2 * NEAR * reach) || hidden || !(p.d < reach)) continue;
        size_t to = n++;
        for (; to > 0 && out[to - 1].d > p.d; to--) out[to] = out[to - 1];
        out[to] = p;
    }
    return n;
}

// Whether the surface at the foot of a plane is that plane, which is then taken from there: the foot is on
// the surface, and so are places beside it, all but one at most, where another wall may be. In an inner edge
// a distance that is interpolated has slant normals.
static bool is_wall(const body_set *bodies, size_t b, firn_vec3 origin, const float at[3], float reach,
                    pbd_plane *p) {
    enum { PLACES = 5 };
    float x[PLACES], y[PLACES], z[PLACES], d[PLACES], nx[PLACES], ny[PLACES], nz[PLACES];
    firn_vec3 n = dvec((double)p->n[0], (double)p->n[1], (double)p->n[2]), t = dvec_perpendicular(n);
    for (int k = 0; k < PLACES; k++) {
        float by = k == 0 ? 0 : (k % 2 ? BESIDE : -BESIDE) * reach;
        if (k == 3) t = dvec_cross(n, t);
        x[k] = at[0] - p->d * p->n[0] + by * (float)t.x;
        y[k] = at[1] - p->d * p->n[1] + by * (float)t.y;
        z[k] = at[2] - p->d * p->n[2] + by * (float)t.z;
    }
    body_query_near(bodies, b, origin, PLACES, x, y, z, d, nx, ny, nz);
    const pbd_plane foot = {{nx[0], ny[0], nz[0]},
                            d[0] + nx[0] * (at[0] - x[0]) + ny[0] * (at[1] - y[0]) + nz[0] * (at[2] - z[0])};
    int off = 0;
    for (int k = 1; k < PLACES; k++) off += fabsf(d[k]) > BESIDE / 4 * reach;
    if (fabsf(d[0]) > NEAR * reach || cosine(&foot, p) < SAME || off > 1) return false;
    *p = foot;
    return true;
}

static bool is_among(const pbd_plane *planes, size_t n, const pbd_plane *p) {
    for (size_t k = 0; k < n; k++)
        if (cosine(&planes[k], p) > SAME) return true;
    return false;
}

size_t pbd_planes_of(const body_set *bodies, size_t b, firn_vec3 origin, const float at[3], pbd_plane nearest,
                     float reach, pbd_plane out[PBD_PLANES]) {
    out[0] = nearest;
    if (!body_is_sampled(bodies, b)) return 1;
    ray_ends ends;
    pbd_plane met[RAYS];
    follow_rays(bodies, b, origin, at, nearest.d, reach, &ends);
    size_t n = planes_met(&ends, at, nearest, reach, met), kept = 0;
    if (is_wall(bodies, b, origin, at, reach, &nearest)) out[kept++] = nearest;
    for (size_t k = 0; k < n && kept < PBD_PLANES; k++)
        if (!is_among(out, kept, &met[k]) && is_wall(bodies, b, origin, at, reach, &met[k]) &&
            !is_among(out, kept, &met[k]))
            out[kept++] = met[k];
    return kept > 0 ? kept : 1;
}

pbd_plane pbd_nearest_plane(const body_set *bodies, size_t b, firn_vec3 origin, const float at[3],
                            pbd_plane nearest, float reach) {
    if (!body_is_sampled(bodies, b)) return nearest;
    pbd_plane all[PBD_PLANES];
    size_t n = pbd_planes_of(bodies, b, origin, at, nearest, reach, all), best = 0;
    for (size_t k = 1; k < n; k++)
        if (all[k].d < all[best].d) best = k;
    return all[best];
}
