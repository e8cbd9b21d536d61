// Builds solids from flat faces.
#include "geom/proc_faces.h"

#include <assert.h>
#include <math.h>
#include <string.h>

uint32_t faces_vertex(faces *f, double x, double y, double z) {
    assert(f->vertices < FACES_VERTICES);
    double *v = f->vertex[f->vertices];
    v[0] = x, v[1] = y, v[2] = z;
    return (uint32_t)f->vertices++;
}

static void add_triangle(faces *f, uint32_t a, uint32_t b, uint32_t c) {
    assert(f->triangles < FACES_TRIANGLES);
    uint32_t *t = f->triangle[f->triangles++];
    t[0] = a, t[1] = b, t[2] = c;
}

void faces_walls(faces *f, const loop *from, const loop *to) {
    assert(from->count == 4 && to->count == 4);
    for (size_t i = 0; i < 4; i++) {
        size_t j = (i + 1) % 4;
        add_triangle(f, from->at[i], from->at[j], to->at[j]);
        add_triangle(f, from->at[i], to->at[j], to->at[i]);
    }
}

loop faces_rectangle(faces *f, const face_frame *frame, const double rectangle[4], double out) {
    const double *r = frame->right, *u = frame->up;
    double normal[3] = {r[1] * u[2] - r[2] * u[1], r[2] * u[0] - r[0] * u[2], r[0] * u[1] - r[1] * u[0]};
    const double corner[4][2] = {{rectangle[0], rectangle[1]},
                                 {rectangle[2], rectangle[1]},
                                 {rectangle[2], rectangle[3]},
                                 {rectangle[0], rectangle[3]}};
    loop l = {.count = 4};
    for (int i = 0; i < 4; i++) {
        double p[3];
        for (int k = 0; k < 3; k++) {
            p[k] = frame->origin[k] + corner[i][0] * r[k] + corner[i][1] * u[k] + out * normal[k];
        }
        l.at[i] = faces_vertex(f, p[0], p[1], p[2]);
    }
    return l;
}

// A loop laid flat: its vertices' numbers and their places in the face's plane.
typedef struct flat_loop {
    uint32_t at[LOOP_ROOM];
    double u[LOOP_ROOM], v[LOOP_ROOM];
    size_t count;
} flat_loop;

static double turn(const flat_loop *a, size_t i, const flat_loop *b, size_t j, const flat_loop *c, size_t k) {
    return (b->u[j] - a->u[i]) * (c->v[k] - a->v[i]) - (c->u[k] - a->u[i]) * (b->v[j] - a->v[i]);
}

static double signed_area(const flat_loop *l) {
    double area = 0;
    for (size_t i = 0; i < l->count; i++) {
        size_t j = (i + 1) % l->count;
        area += l->u[i] * l->v[j] - l->u[j] * l->v[i];
    }
    return area / 2;
}

// Drops the axis nearest to `outward`, keeping the sense of turning; then turns the loop as asked.
static flat_loop lay_flat(const faces *f, const loop *l, const double outward[3], bool counter_clockwise) {
    int axis = 0;
    for (int k = 1; k < 3; k++) {
        if (fabs(outward[k]) > fabs(outward[axis])) axis = k;
    }
    int first = (axis + 1) % 3, second = (axis + 2) % 3;
    double sign = outward[axis] > 0 ? 1 : -1;
    flat_loop flat = {.count = l->count};
    for (size_t i = 0; i < l->count; i++) {
        flat.at[i] = l->at[i];
        flat.u[i] = f->vertex[l->at[i]][first] * sign;
        flat.v[i] = f->vertex[l->at[i]][second];
    }
    if ((signed_area(&flat) > 0) == counter_clockwise) return flat;
    flat_loop turned = {.count = flat.count};
    for (size_t i = 0; i < flat.count; i++) {
        size_t j = flat.count - 1 - i;
        turned.at[i] = flat.at[j], turned.u[i] = flat.u[j], turned.v[i] = flat.v[j];
    }
    return turned;
}

static bool crosses(const flat_loop *a, size_t i, const flat_loop *b, size_t j, const flat_loop *edges) {
    for (size_t k = 0; k < edges->count; k++) {
        size_t l = (k + 1) % edges->count;
        bool shares = edges->at[k] == a->at[i] || edges->at[l] == a->at[i] || edges->at[k] == b->at[j] ||
                      edges->at[l] == b->at[j];
        if (shares) continue;
        bool apart = turn(a, i, b, j, edges, k) * turn(a, i, b, j, edges, l) > 0 ||
                     turn(edges, k, edges, l, a, i) * turn(edges, k, edges, l, b, j) > 0;
        if (!apart) return true;
    }
    return false;
}

// Whether the way from corner i to a point of another loop starts into the face. A place that an earlier
// bridge has doubled stands twice in the loop, and only one of the two opens that way.
static bool opens_to(const flat_loop *l, size_t i, const flat_loop *to, size_t j) {
    size_t a = (i + l->count - 1) % l->count, c = (i + 1) % l->count;
    bool left_in = turn(l, a, l, i, to, j) > 0, left_out = turn(l, i, l, c, to, j) > 0;
    return turn(l, a, l, i, l, c) >= 0 ? left_in && left_out : left_in || left_out;
}

// Joins a hole to the outer line by the shortest bridge that crosses nothing.
static void bridge(flat_loop *outer, const flat_loop *hole, const flat_loop *others, size_t other_count) {
    assert(hole->count > 0);
    size_t from = 0, to = 0;
    double shortest = INFINITY;
    for (size_t i = 0; i < outer->count; i++) {
        for (size_t j = 0; j < hole->count; j++) {
            double length = hypot(outer->u[i] - hole->u[j], outer->v[i] - hole->v[j]);
            bool free_way = length < shortest && opens_to(outer, i, hole, j) &&
                            !crosses(outer, i, hole, j, outer) && !crosses(outer, i, hole, j, hole);
            for (size_t k = 0; k < other_count && free_way; k++)
                free_way = !crosses(outer, i, hole, j, &others[k]);
            if (!free_way) continue;
            shortest = length, from = i, to = j;
        }
    }
    assert(shortest < INFINITY && outer->count + hole->count + 2 <= LOOP_ROOM);
    flat_loop joined = {.count = 0};
    for (size_t i = 0; i < outer->count + hole->count + 2; i++) {
        const flat_loop *source = i <= from || i > from + hole->count + 1 ? outer : hole;
        size_t index = i <= from                    ? i
                       : i > from + hole->count + 1 ? i - hole->count - 2
                                                    : (to + i - from - 1) % hole->count;
        joined.at[i] = source->at[index], joined.u[i] = source->u[index], joined.v[i] = source->v[index];
        joined.count++;
    }
    *outer = joined;
}

// How good the corner at i is to cut off: its least height over its longest side; negative if it cannot be.
static double ear_quality(const flat_loop *l, size_t i) {
    size_t a = (i + l->count - 1) % l->count, c = (i + 1) % l->count;
    double area = turn(l, a, l, i, l, c);
    if (area <= 1e-9) return -1;
    for (size_t k = 0; k < l->count; k++) {
        if (l->at[k] == l->at[a] || l->at[k] == l->at[i] || l->at[k] == l->at[c]) continue;
        if (turn(l, a, l, i, l, k) >= -1e-12 && turn(l, i, l, c, l, k) >= -1e-12 &&
            turn(l, c, l, a, l, k) >= -1e-12)
            return -1;
    }
    double sides[3] = {hypot(l->u[a] - l->u[i], l->v[a] - l->v[i]),
                       hypot(l->u[c] - l->u[i], l->v[c] - l->v[i]),
                       hypot(l->u[a] - l->u[c], l->v[a] - l->v[c])};
    double longest = fmax(sides[0], fmax(sides[1], sides[2]));
    return area / (longest * longest);
}

static void cut_ears(faces *f, flat_loop *l) {
    while (l->count >= 3) {
        size_t best = 0;
        double quality = -1;
        for (size_t i = 0; i < l->count; i++) {
            double q = ear_quality(l, i);
            if (q > quality) quality = q, best = i;
        }
        assert(quality > 0);
        add_triangle(f, l->at[(best + l->count - 1) % l->count], l->at[best], l->at[(best + 1) % l->count]);
        for (size_t i = best; i + 1 < l->count; i++) {
            l->at[i] = l->at[i + 1], l->u[i] = l->u[i + 1], l->v[i] = l->v[i + 1];
        }
        l->count--;
    }
}

enum { HOLES_MOST = 8 };

void faces_add(faces *f, const loop *outer, const loop *holes, size_t hole_count, const double outward[3]) {
    assert(hole_count <= HOLES_MOST);
    flat_loop flat = lay_flat(f, outer, outward, true), flat_holes[HOLES_MOST];
    for (size_t i = 0; i < hole_count; i++) flat_holes[i] = lay_flat(f, &holes[i], outward, false);
    for (size_t i = 0; i < hole_count; i++)
        bridge(&flat, &flat_holes[i], flat_holes + i + 1, hole_count - i - 1);
    cut_ears(f, &flat);
}

firn_status faces_mesh(const faces *f, mesh *out) {
    TRY(mesh_alloc(f->vertices, f->triangles, false, out));
    for (size_t i = 0; i < f->vertices; i++) {
        for (int k = 0; k < 3; k++) out->position[i][k] = (float)f->vertex[i][k];
    }
    memcpy(out->triangle, f->triangle, f->triangles * sizeof f->triangle[0]);
    return FIRN_OK;
}
