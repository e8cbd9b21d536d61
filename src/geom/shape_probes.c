// Contact sample points of primitives.
#include <assert.h>
#include <math.h>

#include "geom/shape_impl.h"

enum {
    BOX_STEPS = 6,     // along the longest edge
    CAPSULE_MOST = 64, // balls along the axis
    RIM = 32,          // points on a rim of a cylinder
    CYLINDER_MOST_ROWS = 8,
    ELLIPSOID_POINTS = 192,
};

static firn_status take_room(size_t count, shape_probe **out) {
    *out = mem_zero(count, sizeof **out);
    return *out ? FIRN_OK : fail_memory("making contact points", count * sizeof **out);
}

static void put(shape_probe *probes, size_t *at, double x, double y, double z, double radius) {
    probes[(*at)++] = (shape_probe){{(float)x, (float)y, (float)z}, (float)radius};
}

static firn_status sphere_probe(double radius, shape_probe **out, size_t *count) {
    TRY(take_room(1, out));
    put(*out, count, 0, 0, 0, radius);
    return FIRN_OK;
}

// The lattice points on the surface, cells nearly cubic.
static firn_status box_probes(const float half[3], shape_probe **out, size_t *count) {
    double longest = (double)fmaxf(half[0], fmaxf(half[1], half[2]));
    int steps[3];
    for (int k = 0; k < 3; k++) {
        steps[k] = (int)ceil(BOX_STEPS * (double)half[k] / longest - 1e-6);
        if (steps[k] < 1) steps[k] = 1;
    }
    TRY(take_room((size_t)(steps[0] + 1) * (size_t)(steps[1] + 1) * (size_t)(steps[2] + 1), out));
    for (int i = 0; i <= steps[0]; i++) {
        for (int j = 0; j <= steps[1]; j++) {
            for (int k = 0; k <= steps[2]; k++) {
                bool inner = i > 0 && i < steps[0] && j > 0 && j < steps[1] && k > 0 && k < steps[2];
                if (inner) continue;
                put(*out, count, (double)half[0] * (2.0 * i / steps[0] - 1),
                    (double)half[1] * (2.0 * j / steps[1] - 1), (double)half[2] * (2.0 * k / steps[2] - 1),
                    0);
            }
        }
    }
    return FIRN_OK;
}

static firn_status capsule_probes(double radius, double half, shape_probe **out, size_t *count) {
    double wanted = ceil(4 * half / radius);
    int steps = wanted < 1 ? 1 : wanted > CAPSULE_MOST - 1 ? CAPSULE_MOST - 1 : (int)wanted;
    TRY(take_room((size_t)steps + 1, out));
    for (int i = 0; i <= steps; i++) put(*out, count, 0, half * (2.0 * i / steps - 1), 0, radius);
    return FIRN_OK;
}

static void put_ring(shape_probe *probes, size_t *at, double radius, double y, int points) {
    for (int i = 0; i < points; i++) {
        double angle = 2 * M_PI * i / points;
        put(probes, at, radius * cos(angle), y, radius * sin(angle), 0);
    }
}

// Rims and caps as points. A cylinder longer than wide also holds two balls of its own radius: on these it
// rolls smoothly.
static firn_status cylinder_probes(double radius, double half, shape_probe **out, size_t *count) {
    double wanted = ceil(half / radius * M_PI);
    int rows = wanted < 1 ? 1 : wanted > CYLINDER_MOST_ROWS ? CYLINDER_MOST_ROWS : (int)wanted;
    TRY(take_room((size_t)(rows + 1) * RIM + 2 * (RIM / 2 + 1) + 2, out));
    for (int i = 0; i <= rows; i++) put_ring(*out, count, radius, half * (2.0 * i / rows - 1), RIM);
    for (int side = -1; side <= 1; side += 2) {
        put_ring(*out, count, radius / 2, side * half, RIM / 2);
        put(*out, count, 0, side * half, 0, 0);
        if (half >= radius) put(*out, count, 0, side * (half - radius), 0, radius);
    }
    return FIRN_OK;
}

// Balls as large as the sharpest curvature allows, each touching the surface from inside at one point of a
// spiral; their hull is much closer to the ellipsoid than that of the points alone.
static firn_status ellipsoid_probes(const float radii[3], shape_probe **out, size_t *count) {
    double r[3] = {(double)radii[0], (double)radii[1], (double)radii[2]};
    double least = fmin(r[0], fmin(r[1], r[2])), most = fmax(r[0], fmax(r[1], r[2])),
           ball = least * least / most;
    if (least == most) return sphere_probe(most, out, count);
    TRY(take_room(ELLIPSOID_POINTS + 6, out));
    for (int i = 0; i < ELLIPSOID_POINTS + 6; i++) {
        double u[3] = {0, 0, 0};
        if (i < 6) {
            u[i / 2] = i % 2 ? 1 : -1;
        } else {
            double y = 1 - (2.0 * (i - 6) + 1) / ELLIPSOID_POINTS, s = sqrt(1 - y * y);
            double angle = (i - 6) * M_PI * (3 - sqrt(5));
            u[0] = s * cos(angle), u[1] = y, u[2] = s * sin(angle);
        }
        double n[3] = {u[0] / r[0], u[1] / r[1], u[2] / r[2]};
        double inward = -ball / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        put(*out, count, r[0] * u[0] + inward * n[0], r[1] * u[1] + inward * n[1],
            r[2] * u[2] + inward * n[2], ball);
    }
    return FIRN_OK;
}

firn_status shape_probes_primitive(const shape_primitive *p, shape_probe **out, size_t *count) {
    double a = (double)p->half[0], b = (double)p->half[1];
    *count = 0;
    switch (p->kind) {
    case FIRN_SHAPE_BOX: return box_probes(p->half, out, count);
    case FIRN_SHAPE_SPHERE: return sphere_probe(a, out, count);
    case FIRN_SHAPE_ELLIPSOID: return ellipsoid_probes(p->half, out, count);
    case FIRN_SHAPE_CAPSULE: return capsule_probes(a, b, out, count);
    case FIRN_SHAPE_CYLINDER: return cylinder_probes(a, b, out, count);
    default: return FIRN_OK; // a plane has no points: those of other bodies are tested against it
    }
}
