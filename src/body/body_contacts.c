// Contacts of bodies within the step: the sample points of each body against the SDF of the other, reduced to
// a few that span the contact. Pairs are independent; each writes its own slots.
#include <math.h>

#include "body/body_frame_lanes.h"
#include "body/body_set.h"
#include "par/par.h"

enum { BLOCK = 256, CANDIDATES = 512 };

typedef struct candidate_list {
    body_contact item[CANDIDATES];
    size_t count;
} candidate_list;

static double skin(const body_item *item) { return 0.01 * fmin(item->thickness, 1); }

static firn_vec3 free_velocity_at(const body_flight *f, firn_vec3 at) {
    return dvec_add(f->free_velocity, dvec_cross(f->free_spin, dvec_sub(at, f->centre)));
}

// Largest gap that two bodies can close within the step.
static double look_ahead(const body_set *s, body_pair pair, double dt) {
    const body_flight *a = &s->flight[pair.a], *b = &s->flight[pair.b];
    double speed = dvec_length(dvec_sub(a->free_velocity, b->free_velocity)) +
                   dvec_length(a->free_spin) * s->item[pair.a].bounding_radius;
    // An unbounded body that turns moves its far points fast: those near the other body count.
    double arm = s->item[pair.b].bounded
                     ? s->item[pair.b].bounding_radius
                     : dvec_distance(a->centre, b->centre) + s->item[pair.a].bounding_radius;
    speed += dvec_length(b->free_spin) * arm;
    return speed * dt + skin(&s->item[pair.a]) + skin(&s->item[pair.b]);
}

// Gaps below this count as contacts even when they are not closing: a turn of the body may still close them.
static double near_gap(const body_set *s, body_pair pair) {
    return 0.25 * (skin(&s->item[pair.a]) + skin(&s->item[pair.b]));
}

// Index of the shallowest contact, if the list is full and `gap` is deeper.
static body_contact *take_place(candidate_list *list, double gap) {
    if (list->count < CANDIDATES) return &list->item[list->count++];
    size_t worst = 0;
    for (size_t i = 1; i < CANDIDATES; i++)
        if (list->item[i].gap > list->item[worst].gap) worst = i;
    return gap < list->item[worst].gap ? &list->item[worst] : NULL;
}

// Only contacts that close within the step, or so near that a rotation may close them.
static void add_candidate(const body_set *s, body_contact c, double dt, double near, candidate_list *list) {
    firn_vec3 closing =
        dvec_sub(free_velocity_at(&s->flight[c.a], c.at), free_velocity_at(&s->flight[c.b], c.at));
    if (c.gap > near && c.gap + dvec_dot(closing, c.normal) * dt > near) return;
    body_contact *place = take_place(list, c.gap);
    if (place) *place = c;
}

static frame_map map_between(body_pose from, body_pose to) {
    double m[3][3];
    dquat_matrix(dquat_multiply(dquat_inverse(to.turn), from.turn), m);
    firn_vec3 at = dquat_rotate_back(to.turn, dvec_sub(from.at, to.at));
    frame_map map = {.at = {(float)at.x, (float)at.y, (float)at.z}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) map.turn[i][j] = (float)m[i][j];
    return map;
}

typedef struct point_block {
    float x[BLOCK], y[BLOCK], z[BLOCK], radius[BLOCK];
    size_t count;
} point_block;

// The points of a block that are near the bounding box of the other body; all if it is unbounded.
static void near_points(const body_item *other, const point_block *all, float margin, point_block *out) {
    out->count = 0;
    const float lx = (float)other->low.x - margin, ly = (float)other->low.y - margin,
                lz = (float)other->low.z - margin;
    const float hx = (float)other->high.x + margin, hy = (float)other->high.y + margin,
                hz = (float)other->high.z + margin;
    for (size_t i = 0; i < all->count; i++) {
        float x = all->x[i], y = all->y[i], z = all->z[i], r = all->radius[i];
        bool near = x > lx - r && x < hx + r && y > ly - r && y < hy + r && z > lz - r && z < hz + r;
        if (other->bounded && !near) continue;
        out->x[out->count] = x, out->y[out->count] = y, out->z[out->count] = z, out->radius[out->count] = r;
        out->count++;
    }
}

// `points` are in the frame of body `other`; the contact's normal points from pair.b to pair.a.
static void query_points(const body_set *s, body_pair pair, size_t other, const point_block *points,
                         double margin, double dt, candidate_list *list) {
    float d[BLOCK], nx[BLOCK], ny[BLOCK], nz[BLOCK];
    shape_query(s->item[other].shape, points->count, points->x, points->y, points->z, d, nx, ny, nz);
    body_pose pose = body_pose_now(s, other);
    double sign = other == pair.b ? 1 : -1, near = near_gap(s, pair);
    for (size_t i = 0; i < points->count; i++) {
        double radius = (double)points->radius[i], gap = (double)d[i] - radius;
        if (!(gap < margin)) continue;
        firn_vec3 n = dvec_normalise(dvec((double)nx[i], (double)ny[i], (double)nz[i]));
        firn_vec3 p = dvec((double)points->x[i], (double)points->y[i], (double)points->z[i]);
        p = dvec_add_scaled(p, n, -(radius + gap / 2)); // midway between the two surfaces
        body_contact c = {pair.a, pair.b, dvec_add(pose.at, dquat_rotate(pose.turn, p)),
                          dvec_scale(dquat_rotate(pose.turn, n), sign), gap};
        add_candidate(s, c, dt, near, list);
    }
}

// Bounding sphere of one body against the bounding box of the other, in the frame of the other.
static bool out_of_reach(const body_set *s, size_t prober, size_t other, double margin) {
    const body_item *a = &s->item[prober], *b = &s->item[other];
    if (!a->bounded || !b->bounded) return false;
    firn_vec3 middle = dvec_sub(body_centre(s, prober), s->position[other]);
    middle = dquat_rotate_back(s->rotation[other], middle);
    firn_vec3 past = dvec_max(dvec_sub(b->low, middle), dvec_sub(middle, b->high));
    return dvec_length(dvec_max(past, dvec(0, 0, 0))) > a->bounding_radius + margin;
}

static void probe_against(const body_set *s, body_pair pair, size_t prober, size_t other, double margin,
                          double dt, candidate_list *list) {
    const body_probes *probes = &s->item[prober].probes;
    if (probes->count == 0) return;
    frame_map map = map_between(body_pose_now(s, prober), body_pose_now(s, other));
    for (size_t begin = 0; begin < probes->count; begin += BLOCK) {
        point_block all, near;
        all.count = probes->count - begin < BLOCK ? probes->count - begin : BLOCK;
        ISA_PICK(frame_points)
        (&map, all.count, probes->x + begin, probes->y + begin, probes->z + begin, all.x, all.y, all.z);
        for (size_t i = 0; i < all.count; i++) all.radius[i] = probes->radius[begin + i];
        near_points(&s->item[other], &all, (float)margin, &near);
        if (near.count > 0) query_points(s, pair, other, &near, margin, dt, list);
    }
}

// Chooses the deepest contact, then repeatedly the one farthest from those chosen, with a penalty for being
// shallower. The search starts far out, so that the corners of a face come first.
static size_t choose_spread(const candidate_list *list, double size, body_contact *out) {
    double distance[CANDIDATES];
    size_t deepest = 0, next = 0, count = 0;
    firn_vec3 middle = {0, 0, 0};
    for (size_t i = 0; i < list->count; i++) {
        middle = dvec_add_scaled(middle, list->item[i].at, 1.0 / (double)list->count);
        if (list->item[i].gap < list->item[deepest].gap) deepest = i;
    }
    for (size_t i = 0; i < list->count; i++) distance[i] = dvec_distance(list->item[i].at, middle);
    bool has_deepest = false;
    while (count < list->count && count < PAIR_CONTACTS) {
        double best = count == 0 ? -INFINITY : 0.05 * size;
        size_t chosen = SIZE_MAX;
        for (size_t i = 0; i < list->count; i++) {
            double score = distance[i] - 4 * (list->item[i].gap - list->item[deepest].gap);
            if (score > best) best = score, chosen = i;
        }
        if (!has_deepest && (chosen == SIZE_MAX || count + 1 == PAIR_CONTACTS)) chosen = deepest;
        if (chosen == SIZE_MAX) break;
        has_deepest |= chosen == deepest;
        next = chosen;
        out[count++] = list->item[next];
        for (size_t i = 0; i < list->count; i++) {
            double apart = dvec_distance(list->item[i].at, list->item[next].at);
            distance[i] = count == 1 ? apart : fmin(distance[i], apart);
        }
    }
    return count;
}

typedef struct contact_work {
    body_set *s;
    double dt;
} contact_work;

static void contacts_of_pair(void *context, size_t i) {
    const contact_work *work = context;
    body_set *s = work->s;
    body_pair pair = s->pairs[i];
    candidate_list list;
    list.count = 0;
    double margin = look_ahead(s, pair, work->dt);
    s->contact_count[i] = 0;
    if (out_of_reach(s, pair.a, pair.b, margin) || out_of_reach(s, pair.b, pair.a, margin)) return;
    probe_against(s, pair, pair.a, pair.b, margin, work->dt, &list);
    probe_against(s, pair, pair.b, pair.a, margin, work->dt, &list);
    body_contact edge;
    if (body_edge_contact(s, pair, &edge) && edge.gap < margin)
        add_candidate(s, edge, work->dt, near_gap(s, pair), &list);
    double size = fmin(s->item[pair.a].thickness, s->item[pair.b].thickness);
    s->contact_count[i] = (uint8_t)choose_spread(&list, size, s->contacts + i * PAIR_CONTACTS);
}

firn_status bodies_find_contacts(body_set *s, double dt) {
    size_t slots = s->pair_count * PAIR_CONTACTS;
    if (!array_reserve(&s->contacts, &s->contact_capacity, slots, sizeof *s->contacts) ||
        !array_reserve(&s->contact_count, &s->contact_count_capacity, s->pair_count,
                       sizeof *s->contact_count))
        return fail_memory("listing contacts", slots * sizeof *s->contacts);
    contact_work work = {s, dt};
    par_tasks(s->pair_count, contacts_of_pair, &work);
    return FIRN_OK;
}
