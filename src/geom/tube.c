// Meshes of ropes: rings along a Catmull-Rom spline, turned as little as possible from one to the next.
#include "geom/tube.h"

#include <math.h>
#include <string.h>

#include "geom/sheet.h"
#include "math/dvec.h"

enum {
    SIDES = 14,
    STEPS = 4,
    CAP = 4
}; // of a ring; rings of a link; rings of a hemisphere, its pole included

typedef struct tube {
    const tube_input *in;
    surface *out;
    size_t vertex, triangle; // how many are there
    firn_vec3 side;          // where the next ring begins
} tube;

static firn_vec3 at(const tube *t, size_t i) { return dvec_of_floats(t->in->at[i]); }

// The point behind the last of the piece that begins at `first`.
static size_t piece_end(const tube_input *in, size_t first) {
    size_t end = first + 1;
    while (end < in->count && dvec_finite(dvec_of_floats(in->at[end])) &&
           (!in->held || (in->held[end - 1] & SHEET_ALONG_ROW)))
        end++;
    return end;
}

static size_t next_piece(const tube_input *in, size_t from) {
    while (from < in->count && !dvec_finite(dvec_of_floats(in->at[from]))) from++;
    return from;
}

// Where the spline is, and its direction, at `share` of the way from point i to the next.
static void spline(const tube *t, size_t first, size_t end, size_t i, double share, firn_vec3 *place,
                   firn_vec3 *direction) {
    firn_vec3 b = at(t, i), c = i + 1 < end ? at(t, i + 1) : b;
    firn_vec3 a = i > first ? at(t, i - 1) : dvec_sub(dvec_scale(b, 2), c);
    firn_vec3 d = i + 2 < end ? at(t, i + 2) : dvec_sub(dvec_scale(c, 2), b);
    firn_vec3 m0 = dvec_scale(dvec_sub(c, a), 0.5), m1 = dvec_scale(dvec_sub(d, b), 0.5);
    double s = share, s2 = s * s, s3 = s2 * s;
    *place = dvec_add(dvec_add_scaled(dvec_scale(b, 2 * s3 - 3 * s2 + 1), c, 3 * s2 - 2 * s3),
                      dvec_add_scaled(dvec_scale(m0, s3 - 2 * s2 + s), m1, s3 - s2));
    *direction =
        dvec_normalise(dvec_add(dvec_add_scaled(dvec_scale(b, 6 * s2 - 6 * s), c, 6 * s - 6 * s2),
                                dvec_add_scaled(dvec_scale(m0, 3 * s2 - 4 * s + 1), m1, 3 * s2 - 2 * s)));
}

static void put_vertex(tube *t, firn_vec3 place, firn_vec3 normal, size_t i, double share) {
    const tube_input *in = t->in;
    uint32_t channels = in->value ? in->channels : 0;
    memcpy(t->out->mesh.position[t->vertex], (float[3]){(float)place.x, (float)place.y, (float)place.z},
           sizeof(float[3]));
    memcpy(t->out->mesh.normal[t->vertex], (float[3]){(float)normal.x, (float)normal.y, (float)normal.z},
           sizeof(float[3]));
    for (uint32_t k = 0; k < channels; k++) {
        const float *value = in->value + i * channels + k;
        t->out->value[t->vertex * channels + k] =
            share > 0 ? value[0] + (float)share * (value[channels] - value[0]) : value[0];
    }
    t->vertex++;
}

// A ring about `place`, `angle` up or down a hemisphere; 0: along the tube.
static void put_ring(tube *t, firn_vec3 place, firn_vec3 along, double angle, size_t i, double share) {
    double radius = t->in->radius;
    firn_vec3 side = dvec_sub(t->side, dvec_scale(along, dvec_dot(t->side, along)));
    t->side = dvec_length(side) > 1e-6 ? dvec_normalise(side) : dvec_perpendicular(along);
    firn_vec3 other = dvec_cross(along, t->side);
    for (int k = 0; k < SIDES; k++) {
        double turn = 2 * M_PI * k / SIDES;
        firn_vec3 out = dvec_add_scaled(dvec_scale(t->side, cos(turn)), other, sin(turn));
        firn_vec3 normal = dvec_add_scaled(dvec_scale(out, cos(angle)), along, sin(angle));
        put_vertex(t, dvec_add_scaled(place, normal, radius), normal, i, share);
    }
}

static void put_triangle(tube *t, size_t a, size_t b, size_t c) {
    memcpy(t->out->mesh.triangle[t->triangle++], (uint32_t[3]){(uint32_t)a, (uint32_t)b, (uint32_t)c},
           sizeof(uint32_t[3]));
}

// Between two rings, the first of which begins at vertex `from`.
static void join_rings(tube *t, size_t from) {
    for (size_t k = 0; k < SIDES; k++) {
        size_t a = from + k, b = from + (k + 1) % SIDES;
        put_triangle(t, a, b, b + SIDES);
        put_triangle(t, a, b + SIDES, a + SIDES);
    }
}

static size_t piece_rings(size_t points) { return (points - 1) * STEPS + 1 + 2 * (CAP - 1); }

static void put_piece(tube *t, size_t first, size_t end) {
    size_t begin = t->vertex, last = end - 1, rings = piece_rings(end - first);
    firn_vec3 place, along;
    spline(t, first, end, first, 0, &place, &along);
    if (dvec_length(along) == 0) along = dvec(0, 1, 0);
    t->side = dvec_perpendicular(along);
    put_vertex(t, dvec_add_scaled(place, along, -t->in->radius), dvec_negate(along), first, 0);
    for (int k = 1; k < CAP; k++) put_ring(t, place, along, M_PI / 2 * ((double)k / CAP - 1), first, 0);
    for (size_t i = first; i <= last; i++)
        for (int k = 0; k < (i < last ? STEPS : 1); k++) {
            firn_vec3 before = along;
            if (i < last)
                spline(t, first, end, i, (double)k / STEPS, &place, &along);
            else if (last > first)
                spline(t, first, end, last - 1, 1, &place, &along);
            if (dvec_length(along) == 0) along = before;
            put_ring(t, place, along, 0, i, (double)k / STEPS);
        }
    for (int k = 1; k < CAP; k++) put_ring(t, place, along, M_PI / 2 * (double)k / CAP, last, 0);
    put_vertex(t, dvec_add_scaled(place, along, t->in->radius), along, last, 0);
    size_t final = begin + 1 + (rings - 1) * SIDES;
    for (size_t k = 0; k < SIDES; k++) put_triangle(t, begin, begin + 1 + (k + 1) % SIDES, begin + 1 + k);
    for (size_t r = 0; r + 1 < rings; r++) join_rings(t, begin + 1 + r * SIDES);
    for (size_t k = 0; k < SIDES; k++) put_triangle(t, final + k, final + (k + 1) % SIDES, final + SIDES);
}

firn_status tube_build(const tube_input *in, surface *out) {
    *out = (surface){0};
    size_t vertices = 0, triangles = 0;
    for (size_t i = next_piece(in, 0); i < in->count; i = next_piece(in, piece_end(in, i))) {
        size_t rings = piece_rings(piece_end(in, i) - i);
        vertices += rings * SIDES + 2;
        triangles += 2 * rings * SIDES;
    }
    if (vertices > UINT32_MAX / 2) return fail(FIRN_UNSUPPORTED, "too many points for a tube");
    uint32_t channels = in->value ? in->channels : 0;
    firn_status status = mesh_alloc(vertices, triangles, true, &out->mesh);
    if (status == FIRN_OK && channels) {
        out->value = mem_alloc((vertices * channels + 1) * sizeof *out->value);
        if (!out->value) status = fail_memory("building a tube", vertices * channels * sizeof(float));
    }
    tube t = {.in = in, .out = out};
    for (size_t i = next_piece(in, 0); i < in->count && status == FIRN_OK;) {
        size_t end = piece_end(in, i);
        put_piece(&t, i, end);
        i = next_piece(in, end);
    }
    if (status != FIRN_OK) isosurface_free(out);
    return status;
}
