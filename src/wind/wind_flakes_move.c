// Flight of flakes, and its outcome.
#include <math.h>

#include "math/dvec.h"
#include "par/par.h"
#include "wind/wind_state.h"

enum { BOXES = 64 };

// fmin and fmax are calls.
static inline double between(double x, double low, double high) {
    return x < low ? low : x < high ? x : high;
}

size_t wind_cell(const wind_state *s, const float at[3]) {
    int32_t cell[3];
    for (int k = 0; k < 3; k++) {
        double x = ((double)at[k] - s->low[k]) / s->def.cell;
        cell[k] = !(x > 0) ? 1 : x >= s->box.n[k] ? s->box.n[k] : (int32_t)x + 1;
    }
    return poisson_at(&s->box, cell[0], cell[1], cell[2]);
}

// Bounds of a body in this step, and the error or change of its signed distances.
typedef struct flake_box {
    firn_vec3 low, high;
    double margin;
    bool bounded;
} flake_box;

typedef struct move_work {
    wind_state *s;
    const body_set *bodies;
    model_step step;
    flakes_job fly;
    flake_box box[BOXES]; // of the first bodies
    int32_t ground_layer; // up to here another model's snow may be hit
} move_work;

static uint32_t landed_at(const wind_state *s, const float at[3]) { return 2 + (uint32_t)wind_cell(s, at); }

// How much higher than the snow in its cell a place is, in cells; < 0: inside the snow.
static double above_snow(const wind_state *s, const float at[3], size_t cell) {
    double y = ((double)at[1] - s->low[1]) / s->def.cell - (double)(cell % s->box.plane / s->box.row) + 1;
    return s->cover.mass[cell] ? y - cover_fill(s, cell) : 1;
}

// The first snow on the path: the flake stays in that cell or, if it is full, in the one before it.
static uint32_t snow_outcome(const wind_state *s, const float from[3], const float to[3], double path) {
    int parts = (int)(2 * path / s->def.cell) + 1;
    size_t before = wind_cell(s, from);
    for (int n = 1; n <= parts; n++) {
        float at[3], t = (float)n / (float)parts;
        for (int k = 0; k < 3; k++) at[k] = from[k] + t * (to[k] - from[k]);
        size_t cell = wind_cell(s, at);
        if (above_snow(s, at, cell) < 0) return 2 + (uint32_t)(cover_is_full(s, cell) ? before : cell);
        before = cell;
    }
    return 0;
}

// Snow of another model on the ground.
static uint32_t ground_outcome(const wind_state *s, const float at[3]) {
    return at[1] < s->ground.height(s->ground.context, at[0], at[2]) ? landed_at(s, at) : 0;
}

// Flakes that circle out of the domain while the air does not carry them there: as many circle in from the
// snowfall around it. Each comes back through the opposite side; false: it has left, since something is
// there.
static bool comes_back(const move_work *w, float at[3], const float v[3], int k, double moved) {
    const wind_state *s = w->s;
    double out = moved > 0 ? 1 : -1, length = s->box.n[k] * s->def.cell, edge = 1e-3 * s->def.cell;
    int opposite = 2 * k + (moved < 0);
    if (k == 1 || (double)v[k] * out > 0.5 * fabs(moved)) return false;
    double low = s->low[k], high = low + length;
    bool open = s->side[opposite] != SIDE_WALL;
    at[k] = (float)((open ? moved < 0 : moved > 0) ? high - edge : low + edge);
    size_t cell = wind_cell(s, at);
    bool free = !s->cover.on || above_snow(s, at, cell) > 0;
    for (size_t b = 0; free && b < body_count(w->bodies); b++) {
        float d;
        body_query(w->bodies, b, 1, &at[0], &at[1], &at[2], &d, NULL, NULL, NULL);
        free = d > 0;
    }
    return free;
}

// Ground, walls, or out of the domain. moved: the velocity of its motion, with the swirl.
static uint32_t boundary_outcome(const move_work *w, float at[3], const float v[3], const double moved[3]) {
    const wind_state *s = w->s;
    uint32_t outcome = 0;
    for (int k = 0; k < 3; k++) {
        float low = (float)s->low[k], high = (float)(s->low[k] + s->box.n[k] * s->def.cell);
        if (at[k] >= low && at[k] <= high) continue;
        int side = 2 * k + (at[k] > high);
        if (side == SIDE_GROUND)
            outcome = outcome == 1 ? 1 : landed_at(s, at);
        else if (s->side[side] == SIDE_WALL)
            at[k] = at[k] > high ? high : low;
        else if (!comes_back(w, at, v, k, moved[k]))
            outcome = 1;
    }
    return outcome;
}

// May a body be on the path? Only cells near bodies are tested, unless paths are long.
static bool may_hit(const wind_state *s, const float at[3], double path) {
    return s->moving || path > (FLAKE_MARGIN - 1) * s->def.cell || s->near_body[wind_cell(s, at)];
}

static double body_motion_in(const body_set *bodies, size_t b, double dt) {
    firn_vec3 low, high;
    if (body_motion(bodies, b) == FIRN_MOTION_FIXED || !body_bounds(bodies, b, dt, &low, &high)) return 0;
    firn_body_state state = body_state(bodies, b);
    return (dvec_length(state.velocity) + dvec_length(state.spin) * dvec_distance(low, high)) * dt;
}

static flake_box box_of(const wind_state *s, const body_set *bodies, size_t b, double dt) {
    flake_box out = {.bounded = body_bounds(bodies, b, 0, &out.low, &out.high)};
    // Signed distances of sampled shapes are not exact.
    out.margin = 1.01 * body_motion_in(bodies, b, dt) + (body_is_sampled(bodies, b) ? s->def.cell : 0);
    return out;
}

static bool is_beyond(const flake_box *box, const float at[3], double margin) {
    const double low[3] = {box->low.x, box->low.y, box->low.z},
                 high[3] = {box->high.x, box->high.y, box->high.z};
    bool out = false;
    for (int k = 0; k < 3; k++) out |= (double)at[k] < low[k] - margin || (double)at[k] > high[k] + margin;
    return box->bounded && out;
}

#define WALL UINT32_MAX // as an outcome: hit, but too steep to land on
#define STEEP 0.5       // the normal's part upwards: 60 degrees

// The first body on the path from `from` to `to`: the flake lands on it, unless it is a wall.
static uint32_t body_outcome(const move_work *w, const float from[3], const float to[3], double path,
                             body_hit *met) {
    firn_vec3 a = dvec((double)from[0], (double)from[1], (double)from[2]);
    firn_vec3 b = dvec((double)to[0], (double)to[1], (double)to[2]);
    uint32_t outcome = 0;
    double first = 2;
    for (size_t k = 0; k < body_count(w->bodies); k++) {
        flake_box box = k < BOXES ? w->box[k] : box_of(w->s, w->bodies, k, w->step.dt);
        double margin = 1.01 * path + box.margin;
        if (is_beyond(&box, to, margin)) continue;
        float d;
        body_query(w->bodies, k, 1, &to[0], &to[1], &to[2], &d, NULL, NULL, NULL);
        if ((double)d > margin) continue;
        body_hit hit;
        if (body_sweep(w->bodies, k, a, b, 0, &hit) && hit.t < first) {
            const float at[3] = {(float)hit.point.x, (float)hit.point.y, (float)hit.point.z};
            first = hit.t;
            outcome = w->s->owner[wind_cell(w->s, at)] ? landed_at(w->s, from) : landed_at(w->s, at);
            *met = hit;
            if (hit.normal.y < STEEP && body_motion(w->bodies, k) == FIRN_MOTION_FIXED) outcome = WALL;
        } else if (d < 0 && outcome == 0) {
            outcome = landed_at(w->s, from);
        }
    }
    return outcome;
}

static double length_of(const float from[3], const float to[3]) {
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += (double)(to[k] - from[k]) * (double)(to[k] - from[k]);
    return sqrt(sum);
}

// Removes the component of v into a wall.
static void along(firn_vec3 normal, float v[3]) {
    const double n[3] = {normal.x, normal.y, normal.z};
    double into = fmin(n[0] * (double)v[0] + n[1] * (double)v[1] + n[2] * (double)v[2], 0);
    for (int k = 0; k < 3; k++) v[k] -= (float)(into * n[k]);
}

// Flakes do not stick to walls: it goes up to the wall, then slides along it as far as nothing else is hit.
static uint32_t slide_along_wall(const move_work *w, const float from[3], float to[3], float v[3],
                                 body_hit met) {
    const double off = 0.1 * w->s->def.cell; // paths close to a wall take long to check
    firn_vec3 beside = dvec_add(met.point, dvec_scale(met.normal, off));
    const float turn[3] = {(float)beside.x, (float)beside.y, (float)beside.z};
    float rest[3];
    for (int k = 0; k < 3; k++) rest[k] = (float)(1 - met.t) * (to[k] - from[k]);
    along(met.normal, rest);
    along(met.normal, v);
    for (int k = 0; k < 3; k++) to[k] = turn[k] + rest[k];
    double first = length_of(from, turn), second = length_of(turn, to);
    uint32_t outcome = w->s->cover.on ? snow_outcome(w->s, from, turn, first) : 0;
    if (!outcome) outcome = body_outcome(w, from, turn, first, &met); // the corner to another wall
    if (!outcome && w->s->cover.on) outcome = snow_outcome(w->s, turn, to, second);
    if (outcome == 0) {
        outcome = body_outcome(w, turn, to, second, &met);
        for (int k = 0; k < 3 && outcome == WALL; k++) to[k] = turn[k];
    } else {
        for (int k = 0; k < 3; k++) to[k] = from[k];
    }
    return outcome == WALL ? 0 : outcome;
}

// Outcome of a flake that may hit something.
static uint32_t outcome_of(const move_work *w, const float from[3], float to[3], float v[3]) {
    const wind_state *s = w->s;
    double path = length_of(from, to);
    body_hit met;
    uint32_t outcome = s->cover.on ? snow_outcome(s, from, to, path) : 0;
    if (!outcome && s->ground.height) outcome = ground_outcome(s, to);
    if (!outcome && may_hit(s, from, path)) outcome = body_outcome(w, from, to, path, &met);
    if (outcome == WALL) outcome = slide_along_wall(w, from, to, v, met);
    double moved[3];
    for (int k = 0; k < 3; k++) moved[k] = (double)(to[k] - from[k]) / w->step.dt;
    return outcome ? outcome : boundary_outcome(w, to, v, moved);
}

// Whether flake i of these moves straight with only air around it.
static bool in_the_open(const move_work *w, const flakes_start *from, size_t i) {
    const wind_state *s = w->s;
    if (!from->simple[i] || s->moving || s->near_body[from->cell[i]] || from->layer[i] <= w->ground_layer)
        return false;
    return !s->cover.on || from->layer[i] > s->cover.top[from->column[i]];
}

static void move_some(void *context, size_t begin, size_t end) {
    const move_work *w = context;
    wind_flakes *f = &w->s->flakes;
    float to[FLAKES_CHUNK][3];
    flakes_start start;
    ISA_PICK(flakes_fly)
    (&w->fly, end - begin, (const float(*)[3])f->position + begin, f->velocity + begin,
     (const float(*)[TRAITS])f->trait + begin, FLAKE_MARGIN - 1, to, &start);
    for (size_t i = begin; i < end; i++) {
        float *at = f->position[i], *there = to[i - begin];
        f->outcome[i] = in_the_open(w, &start, i - begin) ? 0 : outcome_of(w, at, there, f->velocity[i]);
        for (int k = 0; k < 3; k++) at[k] = there[k];
    }
}

void flakes_move(wind_state *s, const body_set *bodies, model_step step) {
    const double g[3] = {s->setting.gravity.x, s->setting.gravity.y, s->setting.gravity.z};
    move_work w = {s, bodies, step, {.box = s->box, .dt = (float)step.dt, .time = step.time}, {{.margin = 0}},
                   0};
    for (size_t b = 0; b < body_count(bodies) && b < BOXES; b++) w.box[b] = box_of(s, bodies, b, step.dt);
    w.fly.per_cell = (float)(1 / s->def.cell);
    w.fly.weight = (float)sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    for (int d = 0; d < 3; d++) {
        w.fly.v[d] = s->v[d];
        w.fly.low[d] = (float)s->low[d];
        w.fly.gravity[d] = (float)g[d];
    }
    if (s->ground.height) {
        double highest = (s->ground.highest - s->low[1]) / s->def.cell + 1 + FLAKE_MARGIN;
        w.ground_layer = (int32_t)between(highest, 0, s->box.n[1] + 1);
    }
    if (s->cover.on) cover_find_top(s);
    par_for(s->flakes.count, FLAKES_CHUNK, move_some, &w);
}
