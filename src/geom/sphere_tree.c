// A tree of boxes around spheres: built level by level from their Morton order, walked nearest box first.
#include "geom/sphere_tree.h"

#include <math.h>

#include "base/memory.h"
#include "math/dvec.h"
#include "par/par.h"

enum { BLOCK = 4096, KEY_BITS = 10, GRID_BITS = 2 * KEY_BITS };

void sphere_tree_free(sphere_tree *t) {
    void *lists[] = {t->item, t->number, t->box, t->key, t->scratch_key, t->scratch_number};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    *t = (sphere_tree){0};
}

typedef struct tree_work {
    sphere_tree *t;
    const float *centre, *radius;
    double low[3], scale[3]; // of all centres; grid cells per metre
    int half;                // of the bits of a key: 0 the lower, 1 the upper
    int level;
} tree_work;

// ---- Morton order

typedef struct extent {
    float low[3], high[3];
    bool any;
} extent;

static bool usable(const float *centre, float radius) {
    return radius > 0 && isfinite(radius) && isfinite(centre[0]) && isfinite(centre[1]) &&
           isfinite(centre[2]);
}

static void extent_of(void *context, size_t begin, size_t end, void *partial) {
    const tree_work *w = context;
    extent *e = partial;
    for (size_t i = begin; i < end; i++) {
        const float *c = w->centre + 3 * i;
        if (!usable(c, w->radius[i])) continue;
        for (int k = 0; k < 3; k++) {
            if (!e->any || c[k] < e->low[k]) e->low[k] = c[k];
            if (!e->any || c[k] > e->high[k]) e->high[k] = c[k];
        }
        e->any = true;
    }
}

static void join_extents(void *into, const void *from) {
    extent *a = into;
    const extent *b = from;
    if (!b->any) return;
    for (int k = 0; k < 3; k++) {
        if (!a->any || b->low[k] < a->low[k]) a->low[k] = b->low[k];
        if (!a->any || b->high[k] > a->high[k]) a->high[k] = b->high[k];
    }
    a->any = true;
}

// Ten bits, each followed by two zeros.
static uint32_t spread(uint32_t v) {
    v = (v | v << 16) & 0x030000ff;
    v = (v | v << 8) & 0x0300f00f;
    v = (v | v << 4) & 0x030c30c3;
    return (v | v << 2) & 0x09249249;
}

static void make_keys(void *context, size_t begin, size_t end) {
    const tree_work *w = context;
    for (size_t i = begin; i < end; i++) {
        size_t n = w->t->number[i];
        const float *c = w->centre + 3 * n;
        uint32_t key = 0;
        for (int k = 0; k < 3 && usable(c, w->radius[n]); k++) {
            uint32_t at = (uint32_t)(((double)c[k] - w->low[k]) * w->scale[k]);
            key |= spread(at >> (w->half * KEY_BITS) & ((1u << KEY_BITS) - 1)) << k;
        }
        w->t->key[i] = key;
    }
}

static firn_status sort_spheres(tree_work *w) {
    sphere_tree *t = w->t;
    extent all;
    TRY(par_reduce(t->count, BLOCK, sizeof all, extent_of, join_extents, w, &all));
    for (int k = 0; k < 3; k++) {
        double size = (double)all.high[k] - (double)all.low[k];
        w->low[k] = (double)all.low[k];
        w->scale[k] = size > 0 ? ((1 << GRID_BITS) - 1) / size : 0;
    }
    for (size_t i = 0; i < t->count; i++) t->number[i] = (uint32_t)i;
    for (w->half = 0; w->half < 2; w->half++) {
        par_for(t->count, BLOCK, make_keys, w);
        TRY(par_sort(t->key, t->number, t->scratch_key, t->scratch_number, t->count, 3 * KEY_BITS));
    }
    return FIRN_OK;
}

// ---- boxes

static const sphere_box nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void grow(sphere_box *box, const float low[3], const float high[3]) {
    for (int k = 0; k < 3; k++) {
        if (low[k] < box->low[k]) box->low[k] = low[k];
        if (high[k] > box->high[k]) box->high[k] = high[k];
    }
}

static void make_leaves(void *context, size_t begin, size_t end) {
    const tree_work *w = context;
    sphere_tree *t = w->t;
    for (size_t leaf = begin; leaf < end; leaf++) {
        sphere_box box = nothing;
        size_t first = leaf * SPHERE_TREE_LEAF, last = first + SPHERE_TREE_LEAF;
        for (size_t i = first; i < last && i < t->count; i++) {
            size_t n = t->number[i];
            const float *c = w->centre + 3 * n;
            sphere_item *s = &t->item[i];
            *s = (sphere_item){{c[0], c[1], c[2]}, usable(c, w->radius[n]) ? w->radius[n] : 0};
            if (!(s->radius > 0)) continue;
            float low[3], high[3];
            for (int k = 0; k < 3; k++) { // a little larger, for rounding
                float reach = 1.000001f * s->radius + 2.5e-7f * fabsf(c[k]);
                low[k] = c[k] - reach, high[k] = c[k] + reach;
            }
            grow(&box, low, high);
        }
        t->box[leaf] = box;
    }
}

static void make_level(void *context, size_t begin, size_t end) {
    const tree_work *w = context;
    sphere_tree *t = w->t;
    const sphere_box *below = t->box + t->level[w->level - 1];
    size_t count = t->level[w->level] - t->level[w->level - 1];
    for (size_t i = begin; i < end; i++) {
        sphere_box box = below[2 * i];
        if (2 * i + 1 < count) grow(&box, below[2 * i + 1].low, below[2 * i + 1].high);
        t->box[t->level[w->level] + i] = box;
    }
}

// Numbers of boxes; returns how many there are.
static size_t plan_levels(sphere_tree *t) {
    size_t count = (t->count + SPHERE_TREE_LEAF - 1) / SPHERE_TREE_LEAF;
    t->levels = 0;
    t->level[0] = 0;
    while (count > 0) {
        t->level[t->levels + 1] = t->level[t->levels] + count;
        t->levels++;
        count = count > 1 ? (count + 1) / 2 : 0;
    }
    return t->level[t->levels];
}

firn_status sphere_tree_build(sphere_tree *t, const float *centre, const float *radius, size_t count) {
    t->count = count;
    size_t boxes = plan_levels(t);
    if (count == 0) return FIRN_OK;
    if (!array_reserve(&t->item, &t->capacity[0], count, sizeof *t->item) ||
        !array_reserve(&t->number, &t->capacity[1], count, sizeof *t->number) ||
        !array_reserve(&t->box, &t->capacity[2], boxes, sizeof *t->box) ||
        !array_reserve(&t->key, &t->capacity[3], count, sizeof *t->key) ||
        !array_reserve(&t->scratch_key, &t->capacity[4], count, sizeof *t->scratch_key) ||
        !array_reserve(&t->scratch_number, &t->capacity[5], count, sizeof *t->scratch_number))
        return fail_memory("sorting particles for rays", count * sizeof *t->item);
    tree_work w = {.t = t, .centre = centre, .radius = radius};
    TRY(sort_spheres(&w));
    par_for(t->level[1], BLOCK / SPHERE_TREE_LEAF, make_leaves, &w);
    for (w.level = 1; w.level < t->levels; w.level++)
        par_for(t->level[w.level + 1] - t->level[w.level], BLOCK, make_level, &w);
    return FIRN_OK;
}

// ---- rays

typedef struct ray_now {
    double from[3], along[3], inverse[3];
    sphere_hit best;
    bool found;
} ray_now;

// Where the ray enters the box; INFINITY: not before the best hit.
static double enters(const ray_now *r, const sphere_box *box) {
    double first = 0, last = r->best.t;
    for (int k = 0; k < 3; k++) {
        double a = ((double)box->low[k] - r->from[k]) * r->inverse[k],
               b = ((double)box->high[k] - r->from[k]) * r->inverse[k];
        double near = a < b ? a : b, far = a < b ? b : a;
        if (r->along[k] == 0) {
            if (r->from[k] < (double)box->low[k] || r->from[k] > (double)box->high[k]) return INFINITY;
            continue;
        }
        if (near > first) first = near;
        if (far < last) last = far;
    }
    return first <= last ? first : INFINITY;
}

// Measured from the foot of the perpendicular, so that far spheres are hit as exactly as near ones.
static void meet(ray_now *r, const sphere_item *s, uint32_t number) {
    double to[3], foot = 0, apart = 0, square = 0, radius2 = (double)s->radius * (double)s->radius;
    for (int k = 0; k < 3; k++) {
        to[k] = (double)s->centre[k] - r->from[k];
        foot += to[k] * r->along[k];
        square += to[k] * to[k];
    }
    for (int k = 0; k < 3; k++) {
        double by = to[k] - foot * r->along[k];
        apart += by * by;
    }
    if (!(foot > 0 && apart < radius2 && square > radius2)) return;
    double t = foot - sqrt(radius2 - apart);
    if (!(t < r->best.t || (r->found && t == r->best.t && number < r->best.number))) return;
    r->found = true;
    r->best = (sphere_hit){
        t < 0 ? 0 : t, number, {(double)s->centre[0], (double)s->centre[1], (double)s->centre[2]}};
}

static void meet_leaf(const sphere_tree *t, ray_now *r, size_t leaf) {
    size_t first = leaf * SPHERE_TREE_LEAF, last = first + SPHERE_TREE_LEAF;
    for (size_t i = first; i < last && i < t->count; i++) meet(r, &t->item[i], t->number[i]);
}

bool sphere_tree_ray(const sphere_tree *t, firn_vec3 from, firn_vec3 along, double end, sphere_hit *hit) {
    if (t->count == 0) return false;
    ray_now r = {.from = {from.x, from.y, from.z},
                 .along = {along.x, along.y, along.z},
                 .inverse = {1 / along.x, 1 / along.y, 1 / along.z},
                 .best = {.t = end}};
    struct {
        int level;
        size_t at; // within the level
        double t;
    } stack[2 * SPHERE_TREE_LEVELS];
    int top = 0;
    stack[top].level = t->levels - 1, stack[top].at = 0;
    stack[top++].t = enters(&r, &t->box[t->level[t->levels - 1]]);
    while (top > 0) {
        top--;
        int level = stack[top].level;
        size_t at = stack[top].at;
        if (!(stack[top].t <= r.best.t) || stack[top].t == INFINITY) continue;
        if (level == 0) {
            meet_leaf(t, &r, at);
            continue;
        }
        const sphere_box *below = t->box + t->level[level - 1];
        size_t count = t->level[level] - t->level[level - 1], a = 2 * at, b = 2 * at + 1;
        double ta = enters(&r, &below[a]), tb = b < count ? enters(&r, &below[b]) : INFINITY;
        // The nearer one last, so that it is looked at first.
        size_t child[2] = {ta < tb ? b : a, ta < tb ? a : b};
        double when[2] = {ta < tb ? tb : ta, ta < tb ? ta : tb};
        for (int k = 0; k < 2; k++) {
            if (when[k] == INFINITY) continue;
            stack[top].level = level - 1, stack[top].at = child[k];
            stack[top++].t = when[k];
        }
    }
    if (r.found) *hit = r.best;
    return r.found;
}
