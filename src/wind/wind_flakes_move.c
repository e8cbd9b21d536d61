// How flakes fly and where they end.
#include <math.h>

#include "math/dvec.h"
#include "par/par.h"
#include "wind/wind_state.h"

enum { CHUNK = 512 };

void wind_at(const wind_state *s, const float at[3], float out[3]) {
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = ((double)at[k] - s->low[k]) / s->def.cell;
    for (int axis = 0; axis < 3; axis++) {
        size_t c = 0;
        float f[3];
        for (int k = 0; k < 3; k++) {
            double first = k == axis ? 1 : 0.5, n = s->box.n[k];
            double place = fmin(fmax(x[k] + first, first), n + first), whole = fmin(floor(place), n);
            f[k] = (float)(place - whole);
            c += (size_t)whole * (k == 0 ? 1 : k == 1 ? s->box.row : s->box.plane);
        }
        const float *v = s->v[axis] + c;
        float side[2];
        for (int d = 0; d < 2; d++, v += s->box.plane) {
            float low = v[0] + f[0] * (v[1] - v[0]);
            float high = v[s->box.row] + f[0] * (v[s->box.row + 1] - v[s->box.row]);
            side[d] = low + f[1] * (high - low);
        }
        out[axis] = side[0] + f[2] * (side[1] - side[0]);
    }
}

// dw/dt = g - k |w| w for the velocity w against the air, k = |g| / fall^2: backward Euler, whose quadratic
// equation for |w| has a closed form. Stable for any dt, and `fall` is exactly its fixed point.
static void drag(const wind_state *s, const float u[3], float fall, double dt, float v[3]) {
    const double g[3] = {s->setting.gravity.x, s->setting.gravity.y, s->setting.gravity.z};
    double weight = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), to[3], length = 0;
    double k = dt * weight / ((double)fall * (double)fall);
    for (int d = 0; d < 3; d++) {
        to[d] = (double)v[d] - (double)u[d] + dt * g[d];
        length += to[d] * to[d];
    }
    length = sqrt(length);
    double speed = k > 0 ? 2 * length / (1 + sqrt(1 + 4 * k * length)) : length;
    for (int d = 0; d < 3; d++) v[d] = (float)((double)u[d] + to[d] / (1 + k * speed));
}

// Flakes sail down in circles (WIND12 8.4.4): part of the motion, not of the velocity.
static void swirl(const float u[3], const float v[3], const float trait[TRAITS], double time, float out[3]) {
    double against = 0, speed = 0;
    for (int d = 0; d < 3; d++) {
        against += (double)(u[d] - v[d]) * (double)(u[d] - v[d]);
        speed += (double)v[d] * (double)v[d];
    }
    double much = speed > 0 ? fmin(1, sqrt(against / speed)) : 1;
    double turn = (double)trait[TRAIT_TURN], angle = turn * time + (double)trait[TRAIT_PHASE];
    double way = much * turn * (double)trait[TRAIT_RADIUS];
    out[0] = (float)(-way * sin(angle));
    out[1] = 0;
    out[2] = (float)(way * cos(angle));
}

typedef struct move_work {
    wind_state *s;
    const body_set *bodies;
    model_step step;
} move_work;

// The cell at a place; the nearest if it is outside.
static size_t cell_of(const wind_state *s, const float at[3]) {
    int32_t cell[3];
    for (int k = 0; k < 3; k++) {
        double x = ((double)at[k] - s->low[k]) / s->def.cell;
        cell[k] = !(x > 0) ? 1 : x >= s->box.n[k] ? s->box.n[k] : (int32_t)x + 1;
    }
    return poisson_at(&s->box, cell[0], cell[1], cell[2]);
}

static uint32_t landed_at(const wind_state *s, const float at[3]) { return 2 + (uint32_t)cell_of(s, at); }

// The first cell full of snow on the way: the flake stays in the one before it.
static uint32_t snow_fate(const wind_state *s, const float from[3], const float to[3], double way) {
    int parts = (int)(2 * way / s->def.cell) + 1;
    size_t before = cell_of(s, from);
    for (int n = 1; n <= parts; n++) {
        float at[3], t = (float)n / (float)parts;
        for (int k = 0; k < 3; k++) at[k] = from[k] + t * (to[k] - from[k]);
        size_t cell = cell_of(s, at);
        if (cover_is_full(s, cell)) return 2 + (uint32_t)before;
        before = cell;
    }
    return 0;
}

// Ground below, walls beside, or out and away.
static uint32_t border_fate(const wind_state *s, float at[3]) {
    uint32_t fate = 0;
    for (int k = 0; k < 3; k++) {
        float low = (float)s->low[k], high = (float)(s->low[k] + s->box.n[k] * s->def.cell);
        if (at[k] >= low && at[k] <= high) continue;
        int side = 2 * k + (at[k] > high);
        if (side == SIDE_GROUND)
            fate = fate == 1 ? 1 : landed_at(s, at);
        else if (s->side[side] == SIDE_WALL)
            at[k] = at[k] > high ? high : low;
        else
            fate = 1;
    }
    return fate;
}

// May a body be on the way? Only cells near bodies are asked about, unless ways are long.
static bool may_hit(const wind_state *s, const float at[3], double way) {
    return s->moving || way > (FLAKE_REACH - 1) * s->def.cell || s->crowded[cell_of(s, at)];
}

static double body_motion_in(const body_set *bodies, size_t b, double dt) {
    firn_vec3 low, high;
    if (body_motion(bodies, b) == FIRN_MOTION_FIXED || !body_bounds(bodies, b, dt, &low, &high)) return 0;
    firn_body_state state = body_state(bodies, b);
    return (dvec_length(state.velocity) + dvec_length(state.spin) * dvec_distance(low, high)) * dt;
}

// The first body on the way from `from` to `to`: the flake lands on it.
static uint32_t body_fate(const move_work *w, const float from[3], const float to[3], double way) {
    firn_vec3 a = dvec((double)from[0], (double)from[1], (double)from[2]);
    firn_vec3 b = dvec((double)to[0], (double)to[1], (double)to[2]);
    uint32_t fate = 0;
    double first = 2;
    for (size_t k = 0; k < body_count(w->bodies); k++) {
        float d;
        body_query(w->bodies, k, 1, &to[0], &to[1], &to[2], &d, NULL, NULL, NULL);
        double reach = 1.01 * (way + body_motion_in(w->bodies, k, w->step.dt));
        bool sampled = body_is_sampled(w->bodies, k); // distances of these are not exact
        if ((double)d > reach + (sampled ? w->s->def.cell : 0)) continue;
        body_hit hit;
        if (body_sweep(w->bodies, k, a, b, 0, &hit) && hit.t < first) {
            const float at[3] = {(float)hit.point.x, (float)hit.point.y, (float)hit.point.z};
            first = hit.t;
            fate = w->s->owner[cell_of(w->s, at)] ? landed_at(w->s, from) : landed_at(w->s, at);
        } else if (d < 0 && fate == 0) {
            fate = landed_at(w->s, from);
        }
    }
    return fate;
}

static void move_some(void *context, size_t begin, size_t end) {
    const move_work *w = context;
    wind_state *s = w->s;
    wind_flakes *f = &s->flakes;
    double dt = w->step.dt;
    for (size_t i = begin; i < end; i++) {
        float u[3], around[3], to[3], *at = f->position[i], *v = f->velocity[i];
        double way = 0;
        wind_at(s, at, u);
        drag(s, u, f->trait[i][TRAIT_FALL], dt, v);
        swirl(u, v, f->trait[i], w->step.time, around);
        for (int k = 0; k < 3; k++) {
            to[k] = at[k] + (float)dt * (v[k] + around[k]);
            way += (double)(to[k] - at[k]) * (double)(to[k] - at[k]);
        }
        way = sqrt(way);
        uint32_t fate = s->cover.on ? snow_fate(s, at, to, way) : 0;
        if (!fate && may_hit(s, at, way)) fate = body_fate(w, at, to, way);
        f->fate[i] = fate ? fate : border_fate(s, to);
        for (int k = 0; k < 3; k++) at[k] = to[k];
    }
}

void flakes_move(wind_state *s, const body_set *bodies, model_step step) {
    move_work w = {s, bodies, step};
    par_for(s->flakes.count, CHUNK, move_some, &w);
}
