// Adaptive construction in rounds. A round samples its leaves and measures the interpolation error: at
// midpoints between samples, and on the edges of the triangles, where the distance is 0. Leaves within
// tolerance are kept, the others are resampled in the next round with twice the samples along each side;
// blocks that remain inaccurate are split. Memory is allocated between rounds, and leaves are stored in
// order, so that the result does not depend on threads.
#include <math.h>
#include <string.h>

#include "base/stop.h"
#include "geom/levelset_data.h"
#include "geom/bvh.h"
#include "par/par.h"

enum {
    UNITS = 16,       // lattice units in a cell: the finest spacing
    BLOCK_LEVELS = 3, // a block has at most 5 samples along a side
    CHUNK = 1 << 21,  // samples of a round that are worked on at once
};
static const size_t SAMPLES_LIMIT = (size_t)1 << 27;
// Allowed error near the surface, in cells. Smooth surfaces reach the first cheaply. Along sharp edges the
// error is only first order in the spacing and fine leaves are expensive: the second applies there, and the
// third at corners.
static const float SMOOTH_ERROR = 0.03f, SHARP_ERROR = 0.075f, CORNER_ERROR = 0.095f;
static const float FAR_ERROR = 0.05f; // of the distance, from one cell on

typedef enum side_of { SIDE_UNKNOWN, SIDE_BOTH, SIDE_INSIDE, SIDE_OUTSIDE } side_of;

typedef struct leaf_job {
    uint32_t at[3]; // low corner, lattice units
    uint32_t entry; // which of top or parts it is
    uint32_t hint;  // triangle near by
    side_of side;
    float error; // over the allowed one
} leaf_job;

typedef struct build {
    levelset *l;
    const bvh *tree;
    bool closed;
    leaf_job *jobs;
    size_t count;
    // the round
    uint32_t *entries;     // top or parts
    uint32_t level, width; // width of a leaf in lattice units
    size_t first, padded;  // first job of the chunk; samples of a job, rounded up
    float *samples;        // of the chunk
    stop_watch watch;
} build;

static float coordinate(const build *b, int axis, uint32_t units) {
    return b->l->low[axis] + b->l->cell * (1.0f / UNITS) * (float)units;
}

// Points of a leaf that traverse the BVH together.
enum { BATCH = 64 };
typedef struct batch {
    size_t count;
    float at[3][BATCH], nearest[3][BATCH], value[BATCH];
    uint32_t x[BATCH], y[BATCH], z[BATCH]; // which of the lattice
} batch;

// Points as far from each other as one of them is from the surface of a closed mesh at most are on the same
// side: one of them tells for all. Few winding numbers are left, of points beside the surface.
static void find_sides(const bvh *tree, bool closed, const batch *q, bool inside[BATCH]) {
    const float *const all[3] = {q->at[0], q->at[1], q->at[2]};
    if (!closed) {
        bvh_find_inside(tree, q->count, all, inside);
        return;
    }
    float at[3][BATCH];
    size_t like[BATCH], asked = 0; // which of those that are asked for
    for (size_t i = 0; i < q->count; i++) {
        like[i] = asked;
        for (size_t j = i; j-- > 0 && like[i] == asked;) {
            float x = all[0][i] - all[0][j], y = all[1][i] - all[1][j], z = all[2][i] - all[2][j];
            float clear = 0.999f * fmaxf(q->value[i], q->value[j]);
            if (x * x + y * y + z * z < clear * clear) like[i] = like[j];
        }
        if (like[i] < asked) continue;
        for (int k = 0; k < 3; k++) at[k][asked] = all[k][i];
        asked++;
    }
    bool known[BATCH];
    bvh_find_inside(tree, asked, (const float *const[3]){at[0], at[1], at[2]}, known);
    for (size_t i = 0; i < q->count; i++) inside[i] = known[like[i]];
}

static void measure(const build *b, leaf_job *job, batch *q) {
    const float *const at[3] = {q->at[0], q->at[1], q->at[2]};
    float *const nearest[3] = {q->nearest[0], q->nearest[1], q->nearest[2]};
    bool inside[BATCH];
    bvh_find_nearest(b->tree, q->count, at, &job->hint, q->value, nearest, NULL);
    if (job->side == SIDE_BOTH) find_sides(b->tree, b->closed, q, inside);
    for (size_t i = 0; i < q->count; i++)
        if (job->side == SIDE_BOTH ? inside[i] : job->side == SIDE_INSIDE) q->value[i] = -q->value[i];
}

// A leaf that no triangle of a closed mesh touches lies on one side.
static void find_side(const build *b, leaf_job *job) {
    job->side = SIDE_BOTH;
    if (!b->closed) return;
    batch q = {.count = 1};
    float half = 0.5f * b->l->cell * (float)b->width / UNITS;
    for (int k = 0; k < 3; k++) q.at[k][0] = coordinate(b, k, job->at[k]) + half;
    measure(b, job, &q);
    if (fabsf(q.value[0]) > 1.75f * half) job->side = q.value[0] < 0.0f ? SIDE_INSIDE : SIDE_OUTSIDE;
}

// Visits the points selected by `wanted` of a lattice of `side` points along a leaf, in batches.
static void over_lattice(const build *b, leaf_job *job, uint32_t side,
                         bool (*wanted)(const build *, uint32_t[3]),
                         void (*use)(void *context, const batch *q), void *context) {
    uint32_t step = b->width / (side - 1);
    batch q;
    q.count = 0;
    for (uint32_t i = 0; i < side * side * side; i++) {
        uint32_t place[3] = {i % side, i / side % side, i / (side * side)};
        if (wanted && !wanted(b, place)) continue;
        for (int k = 0; k < 3; k++) q.at[k][q.count] = coordinate(b, k, job->at[k] + step * place[k]);
        q.x[q.count] = place[0];
        q.y[q.count] = place[1];
        q.z[q.count++] = place[2];
        if (q.count < BATCH) continue;
        measure(b, job, &q);
        use(context, &q);
        q.count = 0;
    }
    if (!q.count) return;
    measure(b, job, &q);
    use(context, &q);
}

typedef struct sampling {
    float *samples;
    uint32_t side;
} sampling;

static void keep_samples(void *context, const batch *q) {
    const sampling *s = context;
    for (size_t i = 0; i < q->count; i++)
        s->samples[(q->z[i] * s->side + q->y[i]) * s->side + q->x[i]] = q->value[i];
}

static float corner_mix(const float *v, uint32_t side, float tx, float ty, float tz) {
    const float *z = v + (size_t)side * side;
    float a = v[0] + tx * (v[1] - v[0]), c = v[side] + tx * (v[side + 1] - v[side]);
    float e = z[0] + tx * (z[1] - z[0]), g = z[side] + tx * (z[side + 1] - z[side]);
    float low = a + ty * (c - a), high = e + ty * (g - e);
    return low + tz * (high - low);
}

typedef struct surface_check {
    const float *samples;
    uint32_t side;
    float low[3], high[3], spacing;
    float worst; // value found on the surface
} surface_check;

static void check_point(surface_check *c, const float p[3]) {
    int at[3];
    float t[3];
    for (int k = 0; k < 3; k++) {
        float u = fminf(fmaxf((p[k] - c->low[k]) / c->spacing, 0.0f), (float)(c->side - 1));
        at[k] = (int)fminf(u, (float)c->side - 2.0f);
        t[k] = u - (float)at[k];
    }
    const float *v = c->samples + ((size_t)at[2] * c->side + (size_t)at[1]) * c->side + (size_t)at[0];
    c->worst = fmaxf(c->worst, fabsf(corner_mix(v, c->side, t[0], t[1], t[2])));
}

// The part of the edge from p to p + e that is in the leaf, at steps of half a sample.
static void check_edge(surface_check *c, const float p[3], const float e[3]) {
    float begin = 0.0f, end = 1.0f, length = 0.0f;
    for (int k = 0; k < 3; k++) {
        length += e[k] * e[k];
        if (e[k] == 0.0f) {
            if (p[k] < c->low[k] || p[k] > c->high[k]) return;
            continue;
        }
        float s = (c->low[k] - p[k]) / e[k], t = (c->high[k] - p[k]) / e[k];
        begin = fmaxf(begin, fminf(s, t));
        end = fminf(end, fmaxf(s, t));
    }
    if (!(begin <= end)) return;
    float steps = fminf(64.0f, ceilf(sqrtf(length) * (end - begin) / (0.5f * c->spacing)));
    for (int i = 0; i <= (int)steps; i++) {
        float t = steps > 0.0f ? begin + (end - begin) * (float)i / steps : begin;
        check_point(c, (float[3]){p[0] + t * e[0], p[1] + t * e[1], p[2] + t * e[2]});
    }
}

static void check_triangle(void *context, const bvh_triangle *t) {
    surface_check *c = context;
    float b[3], bc[3];
    for (int k = 0; k < 3; k++) {
        b[k] = t->a[k] + t->ab[k];
        bc[k] = t->ac[k] - t->ab[k];
    }
    check_edge(c, t->a, t->ab);
    check_edge(c, t->a, t->ac);
    check_edge(c, b, bc);
}

static surface_check start_check(const build *b, const leaf_job *job, const float *samples) {
    surface_check c = {.samples = samples, .side = levelset_side(b->level)};
    c.spacing = b->l->cell * (float)(b->width >> b->level) / UNITS;
    for (int k = 0; k < 3; k++) { // slightly wider: rounding decides which leaf owns a point on the border
        c.low[k] = coordinate(b, k, job->at[k]) - 1e-3f * b->l->cell;
        c.high[k] = coordinate(b, k, job->at[k] + b->width) + 1e-3f * b->l->cell;
    }
    return c;
}

static bool in_leaf(const surface_check *c, const float p[3]) {
    for (int k = 0; k < 3; k++)
        if (p[k] < c->low[k] || p[k] > c->high[k]) return false;
    return true;
}

static float near_error(const build *b) {
    uint32_t step = b->width >> b->level;
    return b->l->cell * (step > UNITS / 4 ? SMOOTH_ERROR : step > UNITS / 8 ? SHARP_ERROR : CORNER_ERROR);
}

typedef struct middle_check {
    surface_check *surface;
    float allowed, cell, worst; // worst: over what is allowed
} middle_check;

// Midpoints between samples in one, two or three directions: the denser the samples, the fewer of them need
// checking.
static bool between_samples(const build *b, uint32_t place[3]) {
    uint32_t odd = (place[0] & 1) + (place[1] & 1) + (place[2] & 1), step = b->width >> b->level;
    return odd >= (step >= 2 * UNITS ? 1u : step > UNITS / 4 ? 2u : 3u);
}

// Also checks the surface points nearest to the points, which finds thin walls between all samples.
static void check_middles(void *context, const batch *q) {
    middle_check *m = context;
    surface_check *c = m->surface;
    uint32_t last = c->side - 2;
    for (size_t i = 0; i < q->count; i++) {
        uint32_t place[3] = {q->x[i], q->y[i], q->z[i]}, at[3];
        float t[3], near[3];
        for (int k = 0; k < 3; k++) {
            at[k] = place[k] / 2 < last ? place[k] / 2 : last;
            t[k] = 0.5f * (float)place[k] - (float)at[k];
            near[k] = q->nearest[k][i];
        }
        const float *v = c->samples + ((size_t)at[2] * c->side + at[1]) * c->side + at[0];
        float error = fabsf(corner_mix(v, c->side, t[0], t[1], t[2]) - q->value[i]);
        float allowed = m->allowed + FAR_ERROR * fmaxf(0.0f, fabsf(q->value[i]) - m->cell);
        m->worst = fmaxf(m->worst, error / allowed);
        if (in_leaf(c, near)) check_point(c, near);
    }
}

static float leaf_error(const build *b, leaf_job *job, const float *samples) {
    surface_check check = start_check(b, job, samples);
    float allowed = near_error(b);
    bvh_in_box(b->tree, check.low, check.high, check_triangle, &check);
    if (check.worst > allowed) return check.worst / allowed;
    middle_check middles = {.surface = &check, .allowed = allowed, .cell = b->l->cell};
    over_lattice(b, job, 2 * check.side - 1, between_samples, check_middles, &middles);
    return fmaxf(middles.worst, check.worst / allowed);
}

static void work_on_job(void *context, size_t i) {
    build *b = context;
    if (stop_seen(&b->watch)) return;
    leaf_job *job = &b->jobs[b->first + i];
    sampling s = {.samples = b->samples + i * b->padded, .side = levelset_side(b->level)};
    float before = job->error;
    if (job->side == SIDE_UNKNOWN) find_side(b, job);
    over_lattice(b, job, s.side, NULL, keep_samples, &s);
    if (b->level == LEVELSET_MAX_LEVEL) return;
    job->error = leaf_error(b, job, s.samples);
    // In a hole the sign jumps, which refinement cannot resolve.
    if (!b->closed && before > 0.0f && job->error > 0.7f * before) job->error = 0.0f;
}

static firn_status store_leaf(build *b, size_t *capacity, const leaf_job *job, const float *samples) {
    levelset *l = b->l;
    if (!array_reserve(&l->samples, capacity, l->sample_count + b->padded, sizeof *l->samples))
        return fail_memory("building a level set", (l->sample_count + b->padded) * sizeof *l->samples);
    memcpy(l->samples + l->sample_count, samples, b->padded * sizeof *samples);
    b->entries[job->entry] = (uint32_t)(l->sample_count / LEVELSET_ALIGN) << 3 | b->level;
    l->sample_count += b->padded;
    return FIRN_OK;
}

// One round: jobs that are good (or all, if it is the last) are stored, the rest moves to the front of the
// list.
static firn_status run_round(build *b, uint32_t level, bool last, size_t *capacity) {
    size_t side = levelset_side(level), kept = 0;
    b->level = level;
    b->padded = (side * side * side + LEVELSET_ALIGN - 1) / LEVELSET_ALIGN * LEVELSET_ALIGN;
    size_t chunk = CHUNK / b->padded < b->count ? CHUNK / b->padded : b->count;
    b->samples = mem_zero(chunk * b->padded, sizeof *b->samples);
    if (!b->samples) return fail_memory("building a level set", chunk * b->padded * sizeof *b->samples);
    firn_status status = FIRN_OK;
    for (b->first = 0; b->first < b->count && status == FIRN_OK; b->first += chunk) {
        size_t here = b->count - b->first < chunk ? b->count - b->first : chunk;
        par_tasks(here, work_on_job, b);
        status = stop_status(&b->watch);
        for (size_t i = 0; i < here && status == FIRN_OK; i++) {
            leaf_job *job = &b->jobs[b->first + i];
            if (last || job->error <= 1.0f)
                status = store_leaf(b, capacity, job, b->samples + i * b->padded);
            else
                b->jobs[kept++] = *job;
        }
    }
    b->count = kept;
    mem_free(b->samples);
    return status;
}

static void list_blocks(build *b) {
    const uint32_t *n = b->l->blocks;
    for (uint32_t z = 0; z < n[2]; z++)
        for (uint32_t y = 0; y < n[1]; y++)
            for (uint32_t x = 0; x < n[0]; x++) {
                uint32_t width = LEVELSET_BLOCK * UNITS, entry = (z * n[1] + y) * n[0] + x;
                b->jobs[b->count++] = (leaf_job){.at = {x * width, y * width, z * width}, .entry = entry};
            }
}

// Blocks that are left become groups of parts; the parts are the new jobs.
static firn_status split_blocks(build *b) {
    size_t blocks = b->count;
    uint32_t width = LEVELSET_BLOCK * UNITS / LEVELSET_PARTS;
    leaf_job *parts = mem_alloc(blocks * 64 * sizeof *parts);
    b->l->groups = blocks + 1;
    b->l->parts = mem_zero(b->l->groups * 64, sizeof *b->l->parts);
    if (!parts || !b->l->parts) {
        mem_free(parts);
        return fail_memory("building a level set", blocks * 64 * sizeof *parts);
    }
    for (uint32_t i = 0; i < blocks; i++) {
        const leaf_job *block = &b->jobs[i];
        b->l->top[block->entry] = (i + 1) << 3 | LEVELSET_SPLIT;
        for (uint32_t k = 0; k < 64; k++)
            parts[i * 64 + k] =
                (leaf_job){.at = {block->at[0] + (k & 3) * width, block->at[1] + (k >> 2 & 3) * width,
                                  block->at[2] + (k >> 4) * width},
                           .entry = (i + 1) * 64 + k,
                           .hint = block->hint};
    }
    mem_free(b->jobs);
    b->jobs = parts;
    b->count = blocks * 64;
    return FIRN_OK;
}

static bool room_for(const build *b, uint32_t level) {
    size_t side = levelset_side(level);
    return b->count * side * side * side + b->l->sample_count <= SAMPLES_LIMIT;
}

static firn_status build_parts(build *b, const char *name, size_t *capacity) {
    b->entries = b->l->parts;
    b->width = LEVELSET_BLOCK * UNITS / LEVELSET_PARTS;
    for (uint32_t level = 0; level <= LEVELSET_MAX_LEVEL && b->count; level++) {
        if (!room_for(b, level))
            return fail(FIRN_BAD_INPUT,
                        "the level set of mesh '%s' would need more than %zu MB; choose a resolution coarser "
                        "than %g m",
                        name, SAMPLES_LIMIT * sizeof(float) >> 20, (double)b->l->cell);
        bool last = level == LEVELSET_MAX_LEVEL;
        if (!last && !room_for(b, level + 1)) {
            b->l->smoothed = last = true;
        }
        TRY(run_round(b, level, last, capacity));
    }
    return FIRN_OK;
}

static firn_status build_leaves(build *b, const char *name) {
    size_t capacity = 0;
    b->entries = b->l->top;
    b->width = LEVELSET_BLOCK * UNITS;
    list_blocks(b);
    for (uint32_t level = 0; level < BLOCK_LEVELS && b->count; level++)
        TRY(run_round(b, level, false, &capacity));
    TRY(split_blocks(b));
    TRY(build_parts(b, name, &capacity));
    float *exact = mem_resize(b->l->samples, b->l->sample_count * sizeof *exact); // trim unused capacity
    if (!exact) return fail_memory("building a level set", b->l->sample_count * sizeof *exact);
    b->l->samples = exact;
    return FIRN_OK;
}

firn_status levelset_build(levelset *l, const mesh *m, bool closed, const char *name) {
    build b = {.l = l, .closed = closed};
    bvh *tree;
    TRY(bvh_create(m, &tree));
    b.tree = tree;
    size_t blocks = (size_t)l->blocks[0] * l->blocks[1] * l->blocks[2];
    b.jobs = mem_alloc(blocks * sizeof *b.jobs);
    firn_status status =
        b.jobs ? build_leaves(&b, name) : fail_memory("building a level set", blocks * sizeof *b.jobs);
    mem_free(b.jobs);
    bvh_destroy(tree);
    return status;
}
