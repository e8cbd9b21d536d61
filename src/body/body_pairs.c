// Broad phase: sweep and prune over the bounding boxes of the motion of this step, along the axis of largest
// spread. Also the limit of the next time step, which depends on close pairs.
#include <math.h>
#include <string.h>

#include "body/body_set.h"
#include "par/par.h"

// m; contacts form slightly before bodies touch, for rounding and rotation.
static double skin(const body_item *item) { return 0.01 * fmin(item->thickness, 1); }

static void put_box(body_set *s, size_t b, firn_vec3 low, firn_vec3 high) {
    // Outwards, so that float boxes hold the double ones.
    const double l[3] = {low.x, low.y, low.z}, h[3] = {high.x, high.y, high.z};
    for (int k = 0; k < 3; k++) {
        s->box[b].low[k] = nextafterf((float)l[k], -INFINITY);
        s->box[b].high[k] = nextafterf((float)h[k], INFINITY);
    }
}

// Where a body may be during dt when it starts with velocity and spin.
static void make_box(body_set *s, size_t b, firn_vec3 velocity, firn_vec3 spin, double dt) {
    const body_item *item = &s->item[b];
    if (!item->bounded) {
        put_box(s, b, dvec(-INFINITY, -INFINITY, -INFINITY), dvec(INFINITY, INFINITY, INFINITY));
        return;
    }
    firn_vec3 low, high;
    body_world_box(s, b, body_pose_now(s, b), &low, &high);
    double fall = dvec_length(s->gravity) * dt * dt + skin(item);
    double swing = fmin(dvec_length(spin) * dt, 2) * item->bounding_radius;
    firn_vec3 way = dvec_scale(velocity, dt), grow = dvec(fall + swing, fall + swing, fall + swing);
    low = dvec_sub(dvec_add(low, dvec_min(way, dvec(0, 0, 0))), grow);
    high = dvec_add(dvec_add(high, dvec_max(way, dvec(0, 0, 0))), grow);
    put_box(s, b, low, high);
}

// Keys that sort as the floats do.
static uint32_t sort_key(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | 0x80000000u;
}

static int widest_axis(const body_set *s) {
    double sum[3] = {0}, squares[3] = {0}, n = 0;
    for (size_t b = 0; b < s->count; b++) {
        if (!s->item[b].bounded) continue;
        n++;
        for (int k = 0; k < 3; k++) {
            double middle = ((double)s->box[b].low[k] + (double)s->box[b].high[k]) / 2;
            sum[k] += middle;
            squares[k] += middle * middle;
        }
    }
    double spread[3];
    for (int k = 0; k < 3; k++) spread[k] = squares[k] - (n > 0 ? sum[k] * sum[k] / n : 0);
    int axis = spread[0] >= spread[2] ? 0 : 2;
    return spread[1] > spread[axis] ? 1 : axis;
}

static bool overlap(const body_box *a, const body_box *b) {
    for (int k = 0; k < 3; k++)
        if (a->low[k] > b->high[k] || b->low[k] > a->high[k]) return false;
    return true;
}

static firn_status add_pair(body_set *s, size_t a, size_t b) {
    if (!array_reserve(&s->pairs, &s->pair_capacity, s->pair_count + 1, sizeof *s->pairs))
        return fail_memory("listing pairs of bodies", (s->pair_count + 1) * sizeof *s->pairs);
    // The dynamic body first; of two, the one defined first.
    size_t first = a < b ? a : b, second = a < b ? b : a;
    bool swap = !body_is_dynamic(s, first);
    s->pairs[s->pair_count++] =
        (body_pair){(uint32_t)(swap ? second : first), (uint32_t)(swap ? first : second)};
    return FIRN_OK;
}

static firn_status sweep(body_set *s, int axis) {
    for (size_t i = 0; i < s->count; i++) {
        size_t a = s->order[i];
        for (size_t j = i + 1; j < s->count; j++) {
            size_t b = s->order[j];
            if (s->box[b].low[axis] > s->box[a].high[axis]) break;
            if (!body_is_dynamic(s, a) && !body_is_dynamic(s, b)) continue;
            if (overlap(&s->box[a], &s->box[b])) TRY(add_pair(s, a, b));
        }
    }
    return FIRN_OK;
}

static firn_status pairs_of_boxes(body_set *s) {
    s->pair_count = 0;
    int axis = widest_axis(s);
    for (size_t b = 0; b < s->count; b++) {
        s->keys[b] = sort_key(s->box[b].low[axis]);
        s->order[b] = (uint32_t)b;
    }
    TRY(par_sort(s->keys, s->order, s->scratch_keys, s->scratch_order, s->count, 32));
    return sweep(s, axis);
}

firn_status bodies_find_pairs(body_set *s, double dt) {
    for (size_t b = 0; b < s->count; b++) make_box(s, b, s->flight[b].velocity, s->flight[b].spin, dt);
    return pairs_of_boxes(s);
}

static const double LONGEST = 1.0 / 240, SHORTEST = 1e-5; // s
static const double FRACTION = 0.5; // of the thinner body, per step, of two that are near

static double relative_speed(const body_set *s, body_pair pair) {
    double linear = dvec_length(dvec_sub(s->velocity[pair.a], s->velocity[pair.b]));
    return linear + dvec_length(s->spin[pair.a]) * s->item[pair.a].bounding_radius +
           dvec_length(s->spin[pair.b]) * s->item[pair.b].bounding_radius;
}

// The thinner of the two; a thin plate counts as at least a quarter of the smaller bounding radius.
static double scale_of(const body_set *s, body_pair pair) {
    const body_item *a = &s->item[pair.a], *b = &s->item[pair.b];
    double bounding_radius = b->bounded ? fmin(a->bounding_radius, b->bounding_radius) : a->bounding_radius;
    return fmax(fmin(a->thickness, b->thickness), bounding_radius / 4);
}

// Contacts look ahead along the whole motion of a step, so that nothing tunnels; this keeps the look-ahead
// short near other bodies and limits the rotation per step.
firn_status bodies_limit_step(body_set *s) {
    double dt = LONGEST;
    size_t dynamic = 0;
    for (size_t b = 0; b < s->count; b++) dynamic += body_is_dynamic(s, b);
    if (dynamic == 0) { // no dynamic bodies: only the limits of the models apply
        s->max_dt = INFINITY;
        return FIRN_OK;
    }
    for (size_t b = 0; b < s->count; b++) {
        make_box(s, b, s->velocity[b], s->spin[b], LONGEST);
        if (body_is_dynamic(s, b)) dt = fmin(dt, 0.5 / fmax(dvec_length(s->spin[b]), 1e-9)); // rad per step
    }
    TRY(pairs_of_boxes(s));
    for (size_t i = 0; i < s->pair_count; i++) {
        body_pair pair = s->pairs[i];
        dt = fmin(dt, FRACTION * scale_of(s, pair) / fmax(relative_speed(s, pair), 1e-9));
    }
    s->max_dt = fmax(dt, SHORTEST);
    return FIRN_OK;
}
