// Where displaced snow goes: along the contour of the overlap, weighted by the direction of the body (FIELD11
// 3.7, 3.9). A ring that has no room for its share (below the body itself, or below another) passes the rest
// on to the ring around it.
#include "snowfield/snowfield_press.h"

#include <math.h>

static snowfield_heading heading_of(firn_vec3 v) {
    double plane = v.x * v.x + v.z * v.z, all = plane + v.y * v.y;
    if (!(all > 1e-12)) return (snowfield_heading){0, 0, 1, 0};
    double length = sqrt(fmax(plane, 1e-300));
    return (snowfield_heading){v.x / length, v.z / length, 1 - plane / all, sqrt(plane)};
}

static double weight(const snowfield_heading *h, double wx, double wz) {
    double length = sqrt(wx * wx + wz * wz);
    double along = length > 0 ? (h->x * wx + h->z * wz) / length : 0;
    return (1 - h->r) * fmax(0, along) + h->r / 8;
}

static int old(const snowfield_press *w, int32_t place, int ring) {
    return w->label[place] != 0 && w->label[place] < ring;
}

// Outward normal of the overlap, by Sobel's operator.
static double ring_weight(const snowfield_press *w, const snowfield_heading *h, int32_t place, int ring) {
    int32_t row = w->area.x1 - w->area.x0;
    const int32_t up = place - row, down = place + row;
    int wx = old(w, up - 1, ring) + 2 * old(w, place - 1, ring) + old(w, down - 1, ring) -
             old(w, up + 1, ring) - 2 * old(w, place + 1, ring) - old(w, down + 1, ring);
    int wz = old(w, up - 1, ring) + 2 * old(w, up, ring) + old(w, up + 1, ring) - old(w, down - 1, ring) -
             2 * old(w, down, ring) - old(w, down + 1, ring);
    return weight(h, wx, wz);
}

static void place_cell(const snowfield_press *w, int32_t place, int32_t *x, int32_t *z) {
    int32_t row = w->area.x1 - w->area.x0;
    *x = w->area.x0 + place % row;
    *z = w->area.z0 + place / row;
}

// The untouched cells around the last front, inside the field; one cell of the area's rim stays free.
static size_t next_ring(const snowfield_state *s, snowfield_press *w, int ring) {
    int32_t row = w->area.x1 - w->area.x0;
    snowfield_rect allowed = rect_meet(rect_grow(w->area, -1), (snowfield_rect){0, 0, s->nx, s->nz});
    size_t found = 0;
    for (size_t i = 0; i < w->fronts; i++) {
        for (int k = 0; k < 9; k++) {
            int32_t place = w->front[i] + (k / 3 - 1) * row + k % 3 - 1, x, z;
            if (w->label[place]) continue;
            place_cell(w, place, &x, &z);
            if (x < allowed.x0 || x >= allowed.x1 || z < allowed.z0 || z >= allowed.z1) continue;
            w->label[place] = (uint8_t)ring;
            w->next[found++] = place;
        }
    }
    return found;
}

// Mass of this density that fits below the roof.
static int64_t room_in(const snowfield_state *s, size_t cell, double density) {
    int64_t most = MASS_MOST - s->tiles.mass[cell];
    size_t covered = snowfield_covered(s, cell);
    if (covered == SIZE_MAX || s->covers.roof[covered] == NO_ROOF) return most;
    double gap = (double)s->covers.roof[covered] - snowfield_surface(s, cell) - 1;
    int64_t fits = gap > 0 ? (int64_t)(gap * density * (HEIGHT_UNIT / MASS_UNIT) * (1 - 1e-6)) : 0;
    return fits < most ? fits : most;
}

int64_t snowfield_put_some(snowfield_state *s, snowfield_press *w, int32_t x, int32_t z, int64_t mass,
                           double density) {
    size_t cell = snowfield_cell(s, x, z);
    int64_t room = room_in(s, cell, density), gives = mass < room ? mass : room;
    if (gives <= 0) return 0;
    snowfield_put(s, cell, (int32_t)gives, (float)density);
    w->used = rect_join(w->used, (snowfield_rect){x, z, x + 1, z + 1});
    return gives;
}

// One ring takes its shares; returns the rest.
static int64_t fill_ring(snowfield_state *s, snowfield_press *w, const snowfield_heading *h, size_t n,
                         int ring, int64_t mass, double density) {
    double all = 0;
    int32_t x, z;
    for (size_t i = 0; i < n; i++) {
        place_cell(w, w->next[i], &x, &z);
        w->weight[i] = ring_weight(w, h, w->next[i], ring);
        if (room_in(s, snowfield_cell(s, x, z), density) > 0) all += w->weight[i];
    }
    if (!(all > 0)) return mass;
    int64_t left = mass;
    for (size_t i = 0; i < n && left > 0; i++) {
        place_cell(w, w->next[i], &x, &z);
        double share = w->weight[i] / all * (double)mass;
        int64_t gives = (int64_t)ceil(share);
        if (gives > 0) left -= snowfield_put_some(s, w, x, z, gives < left ? gives : left, density);
    }
    return left;
}

// No place around: on top of the body, or back where it was if there is no top.
static void put_on_top(snowfield_state *s, const snowfield_press *w, int64_t mass, double density, size_t n) {
    for (size_t i = 0; i < n && mass > 0; i++) {
        int32_t x, z;
        place_cell(w, w->inside[i], &x, &z);
        int64_t gives = (mass + (int64_t)(n - i) - 1) / (int64_t)(n - i);
        snowfield_drop(s, snowfield_cell(s, x, z), (int32_t)gives, (float)density);
        mass -= gives;
    }
}

// As before the first ring.
static void forget_rings(snowfield_press *w, size_t inside) {
    size_t area = (size_t)(w->area.x1 - w->area.x0) * (size_t)(w->area.z1 - w->area.z0);
    for (size_t i = 0; i < area; i++) w->label[i] = w->label[i] == 1;
    for (size_t i = 0; i < inside; i++) w->front[i] = w->inside[i];
    w->fronts = inside;
}

void snowfield_spread(snowfield_state *s, snowfield_press *w, pressed *sum) {
    snowfield_heading h = heading_of(sum->velocity);
    double density =
        fmin(fmax((double)sum->mass / sum->volume, (double)s->law.density_min), (double)s->law.densest);
    int64_t left = snowfield_throw(s, w, sum, density);
    if (s->def.spread == FIRN_SNOWFIELD_DISTANCE) left = snowfield_spread_by_distance(s, w, &h, density);
    size_t inside = w->fronts;
    for (size_t i = 0; i < inside; i++) w->inside[i] = w->front[i];
    if (s->def.spread == FIRN_SNOWFIELD_CONTOUR && left > 0) {
        size_t n = next_ring(s, w, 2);
        for (size_t i = 0; i < n; i++) w->weight[i] = ring_weight(w, &h, w->next[i], 2);
        if (n > 0) left = snowfield_flood(s, w, &h, n, inside, left, density);
        forget_rings(w, inside);
    }
    for (int ring = 2; ring < 255 && left > 0; ring++) {
        size_t n = next_ring(s, w, ring);
        if (n == 0) break;
        left = fill_ring(s, w, &h, n, ring, left, density);
        int32_t *swap = w->front;
        w->front = w->next;
        w->next = swap;
        w->fronts = n;
    }
    if (left > 0) put_on_top(s, w, left, density, inside);
}
