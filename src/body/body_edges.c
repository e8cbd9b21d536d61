// Edge-edge contact of two boxes, which sample points on the edges would find late: the axis of largest
// separation among the cross products of their edges (separating axis test).
#include <math.h>

#include "body/body_set.h"

typedef struct oriented_box {
    firn_vec3 at, axis[3];
    double half[3];
} oriented_box;

static oriented_box box_in_world(const body_set *s, size_t b) {
    const body_item *item = &s->item[b];
    oriented_box box = {.at = s->position[b], .half = {item->high.x, item->high.y, item->high.z}};
    double m[3][3];
    dquat_matrix(s->rotation[b], m);
    for (int k = 0; k < 3; k++) box.axis[k] = dvec(m[0][k], m[1][k], m[2][k]);
    return box;
}

static double extent(const oriented_box *box, firn_vec3 n) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += box->half[k] * fabs(dvec_dot(n, box->axis[k]));
    return sum;
}

// Separation of the boxes along n, which is flipped to point from b to a.
static double room_along(const oriented_box *a, const oriented_box *b, firn_vec3 *n) {
    double apart = dvec_dot(dvec_sub(a->at, b->at), *n);
    if (apart < 0) *n = dvec_negate(*n);
    return fabs(apart) - extent(a, *n) - extent(b, *n);
}

// Middle of the edge along axis `along` that lies farthest in direction n.
static firn_vec3 edge_middle(const oriented_box *box, int along, firn_vec3 n) {
    firn_vec3 p = box->at;
    for (int k = 0; k < 3; k++) {
        double side = dvec_dot(n, box->axis[k]) > 0 ? box->half[k] : -box->half[k];
        if (k != along) p = dvec_add_scaled(p, box->axis[k], side);
    }
    return p;
}

// Where the lines p + t u and q + s v are nearest: t and s.
static void nearest_on_lines(firn_vec3 p, firn_vec3 u, firn_vec3 q, firn_vec3 v, double *t, double *s) {
    firn_vec3 w = dvec_sub(p, q);
    double b = dvec_dot(u, v), d = dvec_dot(u, w), e = dvec_dot(v, w), det = 1 - b * b;
    *t = (b * e - d) / det;
    *s = (e - b * d) / det;
}

bool body_edge_contact(const body_set *s, body_pair pair, body_contact *out) {
    if (s->item[pair.a].kind != FIRN_SHAPE_BOX || s->item[pair.b].kind != FIRN_SHAPE_BOX) return false;
    oriented_box a = box_in_world(s, pair.a), b = box_in_world(s, pair.b);
    double most = -INFINITY;
    for (int k = 0; k < 3; k++) {
        firn_vec3 na = a.axis[k], nb = b.axis[k];
        most = fmax(most, fmax(room_along(&a, &b, &na), room_along(&a, &b, &nb)));
    }
    bool found = false;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            firn_vec3 n = dvec_cross(a.axis[i], b.axis[j]);
            if (dvec_length(n) < 0.1) continue; // nearly parallel: a face contact
            n = dvec_normalise(n);
            double room = room_along(&a, &b, &n), t, u;
            if (room <= most) continue;
            firn_vec3 p = edge_middle(&a, i, dvec_negate(n)), q = edge_middle(&b, j, n);
            nearest_on_lines(p, a.axis[i], q, b.axis[j], &t, &u);
            most = room;
            found = fabs(t) <= a.half[i] && fabs(u) <= b.half[j];
            p = dvec_add_scaled(p, a.axis[i], t);
            q = dvec_add_scaled(q, b.axis[j], u);
            *out = (body_contact){pair.a, pair.b, dvec_mix(p, q, 0.5), n, room};
        }
    }
    return found;
}
