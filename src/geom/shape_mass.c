// Volume, centre and inertia of primitives, in closed form.
#include <math.h>

#include "geom/shape_impl.h"

static void diagonal(shape_mass *m, double x, double y, double z) {
    m->inertia[0][0] = m->volume * x;
    m->inertia[1][1] = m->volume * y;
    m->inertia[2][2] = m->volume * z;
}

static shape_mass capsule_mass(double r, double half) {
    double length = 2 * half, middle = M_PI * r * r * length, ball = 4.0 / 3 * M_PI * r * r * r;
    shape_mass m = {.volume = middle + ball};
    double along = middle * r * r / 2 + ball * 2 * r * r / 5;
    // The caps are half balls whose centres of mass lie 3/8 r outside of the cylinder's ends.
    double across = middle * (length * length / 12 + r * r / 4) +
                    ball * (2 * r * r / 5 + length * length / 4 + 3 * length * r / 8);
    diagonal(&m, across / m.volume, along / m.volume, across / m.volume);
    return m;
}

static shape_mass primitive_mass(const shape_primitive *p) {
    double a = (double)p->half[0], b = (double)p->half[1], c = (double)p->half[2];
    shape_mass m = {0};
    switch (p->kind) {
    case FIRN_SHAPE_BOX:
        m.volume = 8 * a * b * c;
        diagonal(&m, (b * b + c * c) / 3, (a * a + c * c) / 3, (a * a + b * b) / 3);
        break;
    case FIRN_SHAPE_ELLIPSOID:
        m.volume = 4.0 / 3 * M_PI * a * b * c;
        diagonal(&m, (b * b + c * c) / 5, (a * a + c * c) / 5, (a * a + b * b) / 5);
        break;
    case FIRN_SHAPE_SPHERE:
    case FIRN_SHAPE_CAPSULE: m = capsule_mass(a, b); break;
    case FIRN_SHAPE_CYLINDER:
        m.volume = 2 * M_PI * a * a * b;
        diagonal(&m, b * b / 3 + a * a / 4, a * a / 2, b * b / 3 + a * a / 4);
        break;
    default: break;
    }
    return m;
}

void shape_measure_primitive(shape *s) {
    const shape_primitive *p = &s->primitive;
    double a = (double)p->half[0], b = (double)p->half[1], c = (double)p->half[2];
    firn_vec3 half = {a, b, c};
    double thickness = 2 * fmin(a, fmin(b, c));
    if (p->kind == FIRN_SHAPE_SPHERE || p->kind == FIRN_SHAPE_CAPSULE) {
        half = (firn_vec3){a, a + b, a};
        thickness = 2 * a;
    } else if (p->kind == FIRN_SHAPE_CYLINDER) {
        half = (firn_vec3){a, b, a};
        thickness = 2 * fmin(a, b);
    }
    s->mass = primitive_mass(p);
    s->bounded = p->kind != FIRN_SHAPE_PLANE;
    s->thickness = s->bounded ? thickness : INFINITY;
    s->low = (firn_vec3){-half.x, -half.y, -half.z};
    s->high = half;
}
