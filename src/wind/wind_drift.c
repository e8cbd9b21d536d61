// Drifting snow: wind above the threshold friction velocity erodes the cover, and the snow settles in the
// lee.
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "math/dvec.h"
#include "par/par.h"
#include "wind/wind_state.h"

#define KARMAN 0.4
// m/s: drifting snow consists of fragments of flakes, which fall more slowly than whole ones.
#define SLOWEST 0.3
#define FASTEST 0.6

enum {
    MOST_LIFTED = 64,
    STREAM_LIFT = 0x6c696674,
    STREAM_HOP,
    STREAM_SINCE,
    STREAM_IN_SINCE,
    STREAM_IN
}; // most: from a cell in a step

// The air over the snow in cell a: in the cell above or, under a board, in the rest of its own cell.
size_t drift_air_over(const wind_state *s, size_t a) {
    return s->kind[a + s->box.row] == POISSON_FREE ? a + s->box.row : a;
}

// Its speed (m/s), and the height of its centre above the snow (m).
static double wind_above(const wind_state *s, size_t a, double *height) {
    size_t c = drift_air_over(s, a);
    double fill = fmin(cover_fill(s, a), 1);
    double u = (double)(s->v[0][c] + s->v[0][c + 1]), v = (double)(s->v[1][c] + s->v[1][c + s->box.row]),
           w = (double)(s->v[2][c] + s->v[2][c + s->box.plane]);
    *height = (c > a ? 1.5 - fill : 0.5 * (1 - fill)) * s->def.cell;
    return 0.5 * sqrt(u * u + v * v + w * w);
}

// From the law of the wall, u = u* / 0.4 ln(1 + y / z0).
static double friction_speed(const wind_state *s, double speed, double height) {
    return KARMAN * speed / log1p(height / s->cover.def.roughness);
}

double drift_friction_speed(const wind_state *s, size_t a) {
    double height, speed = wind_above(s, a, &height);
    return friction_speed(s, speed, height);
}

// Pomeroy and Gray 1990: saltation transport, kg per second and metre across the wind.
double drift_transport(const wind_state *s, double friction) {
    double least = s->cover.threshold, g = fabs(s->setting.gravity.y);
    if (!(friction > least) || !(g > 0)) return 0;
    return 0.68 * AIR_DENSITY / g * least / friction * (friction * friction - least * least);
}

// Flakes that the snow in cell a loses in dt, on average. Each flies as far as the wind carries it while it
// falls from its height, so that the transport is that of drift_transport.
static double loss(const wind_state *s, size_t a, double dt) {
    double height, speed = wind_above(s, a, &height);
    double transport = drift_transport(s, friction_speed(s, speed, height));
    if (!(transport > 0)) return 0;
    double wait = log(FASTEST / SLOWEST) / (FASTEST - SLOWEST); // mean of 1 / fall
    double hop = speed * s->cover.def.drift_height * wait;
    transport *= 1 - s->cover.def.saltation;
    return s->cover.def.drift_rate * transport / hop * dt * s->def.cell * s->def.cell / s->flakes.mass;
}

// Snow with air above it that moves.
static bool is_surface(const wind_state *s, size_t a) {
    return s->cover.mass[a] && !s->cover.mass[a + s->box.row] && !s->owner[a] &&
           s->kind[drift_air_over(s, a)] == POISSON_FREE &&
           (drift_air_over(s, a) > a || cover_fill(s, a) < 0.99);
}

typedef struct drift_work {
    wind_state *s;
    model_step step;
    uint8_t *lifted; // of each cell
    uint32_t *of_plane;
} drift_work;

static void count_planes(void *context, size_t begin, size_t end) {
    const drift_work *w = context;
    const wind_state *s = w->s;
    for (size_t k = begin + 1; k <= end; k++) {
        uint32_t sum = 0;
        memset(w->lifted + k * s->box.plane, 0, s->box.plane);
        for (int32_t j = 1; j < s->box.n[1]; j++) {
            size_t row = poisson_at(&s->box, 0, j, (int32_t)k);
            if (!s->cover.row_has_snow[row / s->box.row]) continue;
            for (size_t a = row + 1; a <= row + (size_t)s->box.n[0]; a++) {
                if (!is_surface(s, a)) continue;
                double mean = loss(s, a, w->step.dt);
                if (!(mean > 0)) continue;
                random4 r = random_bits(s->setting.seed, a, (uint32_t)w->step.step, STREAM_LIFT);
                w->lifted[a] = (uint8_t)fmin(floor(mean + (double)random_unit(r, 0)), MOST_LIFTED);
                sum += w->lifted[a];
            }
        }
        w->of_plane[k] = sum;
    }
}

static bool in_domain(const wind_state *s, const double at[3]) {
    bool in = true;
    for (int d = 0; d < 3; d++) in = in && at[d] > s->low[d] && at[d] < s->low[d] + s->box.n[d] * s->def.cell;
    return in;
}

static bool path_is_free(const wind_state *s, const body_set *bodies, const double from[3],
                         const double to[3]) {
    firn_vec3 a = dvec(from[0], from[1], from[2]), b = dvec(to[0], to[1], to[2]);
    double path = dvec_distance(a, b);
    for (size_t k = 0; k < body_count(bodies); k++) {
        float x = (float)to[0], y = (float)to[1], z = (float)to[2], d;
        body_hit hit;
        body_query(bodies, k, 1, &x, &y, &z, &d, NULL, NULL, NULL);
        double doubt = body_is_sampled(bodies, k) ? s->def.cell : 0; // distances of these are not exact
        if ((double)d <= 1.01 * path + doubt && body_sweep(bodies, k, a, b, 0, &hit)) return false;
    }
    return true;
}

// A position above the snow in cell a, and the fall speed of a fragment from there. The density of drifting
// snow fades with height as exp(-y / drift_height). It has been flying for a part of the step; false: it has
// landed, or hit a body.
static bool start_of(const wind_state *s, const body_set *bodies, size_t a, model_step step, uint64_t number,
                     double at[3], float trait[TRAITS]) {
    uint64_t item = a * MOST_LIFTED + number;
    random4 r = random_bits(s->setting.seed, item, (uint32_t)step.step, STREAM_HOP);
    random4 more = random_bits(s->setting.seed, item, (uint32_t)step.step, STREAM_SINCE);
    size_t i = a % s->box.row, j = a % s->box.plane / s->box.row, k = a / s->box.plane,
           air = drift_air_over(s, a);
    double since = (double)random_unit(more, 0) * step.dt, h = s->def.cell, fill = fmin(cover_fill(s, a), 1);
    double u = 0.5 * (double)(s->v[0][air] + s->v[0][air + 1]),
           w = 0.5 * (double)(s->v[2][air] + s->v[2][air + s->box.plane]);
    double fall = SLOWEST + (FASTEST - SLOWEST) * (double)random_unit(r, 3);
    double height = -log1p(-(double)random_unit(r, 0)) * s->cover.def.drift_height - since * fall;
    if (air == a) height = fmin(height, 0.9 * (1 - fill) * h);
    const double from[3] = {s->low[0] + ((double)i - 1 + (double)random_unit(r, 1)) * h,
                            s->low[1] + ((double)j - 1 + fill) * h + height,
                            s->low[2] + ((double)k - 1 + (double)random_unit(r, 2)) * h};
    const double to[3] = {from[0] + since * u, from[1], from[2] + since * w};
    bool goes = in_domain(s, to) && path_is_free(s, bodies, from, to);
    for (int d = 0; d < 3; d++) at[d] = goes ? to[d] : from[d];
    memset(trait, 0, TRAITS * sizeof *trait);
    trait[TRAIT_FALL] = (float)fall;
    return height > 0;
}

// The mass of a flake lies in cell a and those below it.
static bool has_enough(const wind_state *s, size_t a) {
    uint64_t sum = 0;
    for (; s->cover.mass[a] && sum < COVER_PARTS; a -= s->box.row) sum += s->cover.mass[a];
    return sum >= COVER_PARTS;
}

static void take(wind_state *s, size_t a) {
    for (uint32_t left = COVER_PARTS; left; a -= s->box.row) {
        uint32_t part = s->cover.mass[a] < left ? s->cover.mass[a] : left;
        s->cover.mass[a] -= part;
        left -= part;
    }
}

static firn_status lift(wind_state *s, const body_set *bodies, size_t a, uint8_t count, model_step step) {
    for (uint64_t n = 0; n < count && has_enough(s, a); n++) {
        double at[3];
        float trait[TRAITS];
        size_t before = s->flakes.count;
        if (!start_of(s, bodies, a, step, n, at, trait)) continue;
        TRY(flakes_add(s, bodies, at, trait, FLAKES_LIFTED));
        if (s->flakes.count > before) take(s, a); // else there is no room for it to fly
    }
    return FIRN_OK;
}

// Snow that drifts in from outside through one column of cells at a side where the wind blows in: as much as
// drifts over the snow there, since the ground before the domain is like that behind its border.
static firn_status blow_in(wind_state *s, const body_set *bodies, size_t column, int side, model_step step) {
    size_t a = column;
    while (s->cover.mass[a + s->box.row] && a % s->box.plane < s->box.plane - 2 * s->box.row) a += s->box.row;
    if (!is_surface(s, a)) return FIRN_OK;
    const int axis = side / 2;
    const size_t face = axis ? s->box.plane : 1;
    double height, speed = wind_above(s, a, &height), cell = s->def.cell;
    double transport = drift_transport(s, friction_speed(s, speed, height));
    size_t air = drift_air_over(s, a);
    double inward = (side & 1 ? -0.5 : 0.5) * (double)(s->v[axis][air] + s->v[axis][air + face]);
    if (!(transport > 0) || !(inward > 0)) return FIRN_OK;
    transport *= 1 - s->cover.def.saltation;
    double mean = s->cover.def.drift_rate * transport * inward / speed * cell * step.dt / s->flakes.mass;
    random4 r = random_bits(s->setting.seed, a, (uint32_t)step.step, STREAM_IN + (uint32_t)side);
    uint64_t count = (uint64_t)fmin(floor(mean + (double)random_unit(r, 0)), MOST_LIFTED);
    for (uint64_t n = 0; n < count; n++) {
        double at[3];
        float trait[TRAITS];
        if (!start_of(s, bodies, a, (model_step){.step = step.step, .dt = 0}, MOST_LIFTED - 1 - n, at, trait))
            continue;
        double since = (double)random_unit(
            random_bits(s->setting.seed, a * MOST_LIFTED + n, (uint32_t)step.step, STREAM_IN_SINCE), 0);
        double path = fmin(inward * since * step.dt, cell) + 1e-4 * cell;
        at[axis] = side & 1 ? s->low[axis] + s->box.n[axis] * cell - path : s->low[axis] + path;
        TRY(flakes_add(s, bodies, at, trait, FLAKES_EMITTED));
    }
    return FIRN_OK;
}

static firn_status blow_in_all(wind_state *s, const body_set *bodies, model_step step) {
    for (int side = 0; side < SIDES; side++) {
        if (s->side[side] != SIDE_INFLOW || side / 2 == 1) continue;
        const int axis = side / 2, across = 2 - axis;
        for (int32_t n = 1; n <= s->box.n[across]; n++) {
            int32_t last = side & 1 ? s->box.n[axis] : 1;
            TRY(blow_in(s, bodies, poisson_at(&s->box, axis ? n : last, 1, axis ? last : n), side, step));
        }
    }
    return FIRN_OK;
}

firn_status drift_step(wind_state *s, const body_set *bodies, model_step step) {
    TRY(saltation_step(s, step));
    if (!s->cover.def.drift) return FIRN_OK;
    drift_work w = {s, step, (uint8_t *)s->hat, (uint32_t *)s->next[0]};
    par_for((size_t)s->box.n[2], 2, count_planes, &w);
    for (int32_t k = 1; k <= s->box.n[2]; k++) {
        if (w.of_plane[k] == 0) continue;
        for (size_t a = poisson_at(&s->box, 0, 1, k), end = poisson_at(&s->box, 0, s->box.n[1], k); a < end;
             a++)
            if (w.lifted[a]) TRY(lift(s, bodies, a, w.lifted[a], step));
    }
    return blow_in_all(s, bodies, step);
}
