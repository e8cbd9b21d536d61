// Pressing and spreading snow; only for files of this folder.
#ifndef FIELD_FIELD_PRESS_H
#define FIELD_FIELD_PRESS_H

#include "field/field_state.h"

enum { PRESS_MARGIN = 16 }; // cells around a body in which what it displaces finds a place

// Scratch for one body at a time: its cells and a margin around.
typedef struct field_press {
    field_rect area;
    field_rect used; // cells of the field that changed
    uint8_t *label;  // by cell of the area: 0 untouched, otherwise inside the overlap or a ring around it
    int32_t *front, *next; // cells (place in the area) of the overlap, then of the last ring
    int32_t *inside;       // the overlap, while front moves on
    int32_t *out;          // by place in `front`: what leaves the cell, MASS_UNIT
    size_t fronts;
    size_t capacity[5];
    // For spreading by distance (field_distance.c); the first two by cell of the area, the others by place in
    // `front`.
    float *distance;
    int64_t *carry;
    uint32_t *keys, *order, *other_keys, *other_order;
    size_t room[6];
} field_press;

// Direction of a body, for the shares of FIELD11 3.7: s_w = (1 - r) max(0, v^ . w^) + r / k, r = 1 -
// |v^_xz|^2.
typedef struct field_heading {
    double x, z; // unit vector of the motion in the plane
    double r;
} field_heading;

// What one body does to the snow in one step.
typedef struct pressed {
    firn_vec3 velocity; // of the body
    int64_t mass;       // that must find a new place, MASS_UNIT
    double volume;      // mass over density
    firn_vec3 centre;   // of mass of the body
    struct {
        double mass;  // kg that the body displaced: overlap times density (FIELD11 eq. 3.6)
        firn_vec3 at; // times mass
    } quarter[4];     // around the centre
} pressed;

typedef struct press_note {
    int32_t x, z, overlap, low; // cell of the field; HEIGHT_UNIT
    float density, pressed_to;  // before and after
    int32_t leaves;             // MASS_UNIT
} press_note;

static inline int32_t press_place(const field_press *w, int32_t x, int32_t z) {
    return (z - w->area.z0) * (w->area.x1 - w->area.x0) + (x - w->area.x0);
}

static inline void press_add(field_press *w, pressed *sum, press_note n) {
    int32_t place = press_place(w, n.x, n.z);
    w->label[place] = 1;
    w->out[w->fronts] = n.leaves;
    w->front[w->fronts++] = place;
    sum->mass += n.leaves;
    sum->volume += n.leaves / (0.5 * ((double)n.density + (double)n.pressed_to));
}

// The same towards the nearest edge of the overlap; field_distance.c. *left: what has found no place.
firn_status field_spread_by_distance(field_state *s, const field_heading *h, double density, int64_t *left);
// As much of the mass as fits below the roof; returns how much that was.
int64_t field_put_some(field_state *s, int32_t x, int32_t z, int64_t mass, double density);
// Part of what a fast body displaces flies off; returns what stays. field_bits.c.
int64_t field_throw(field_state *s, const pressed *sum, double density);
// The heap in front of body a pushes others; field_wave.c.
void field_push_others(const field_state *s, body_set *bodies, size_t a, firn_vec3 velocity, double dt);
// Lets one body feel the snow.
void field_push_body(const field_state *s, body_set *bodies, size_t b, const pressed *sum, double dt);
float field_pressed_density(const field_law *law, float density, float depth, float left);
// Hands what left to the cells around; field_spread.c.
firn_status field_spread(field_state *s, const pressed *sum);

#endif
