// The snow that one body pushes pushes other bodies (which FIELD11 3.1.2 leaves out): where the heap in front
// of a moving body reaches up to a dynamic one, it presses against that one's side with at most the
// bearing strength, and never makes it faster than the body that pushes.
#include "snowfield/snowfield_press.h"
#include "snowfield/snowfield_ranks.h"

#include <math.h>

#include "math/dvec.h"

typedef snowfield_wave wave;

static bool under_print(const snowfield_print *p, int32_t x, int32_t z, size_t *i) {
    snowfield_rect r = p->cells;
    if (x < r.x0 || x >= r.x1 || z < r.z0 || z >= r.z1) return false;
    *i = (size_t)(z - r.z0) * (size_t)(r.x1 - r.x0) + (size_t)(x - r.x0);
    return p->low[*i] <= p->high[*i];
}

// Snow that has been heaped up: higher than it lay at the start. Level snow yields instead of passing a
// push on.
static bool heaped(const snowfield_state *s, int32_t x, int32_t z, int32_t bottom) {
    int32_t mass;
    float density;
    snowfield_start_column(s, x, z, &mass, &density);
    size_t cell = snowfield_cell(s, x, z);
    int32_t top = snowfield_surface(s, cell),
            level = snowfield_height(s->tiles.ground[cell]) + snowfield_depth(mass, density);
    return top > bottom && top > level + snowfield_height(2e-3f);
}

// From a cell beside the pushed body back against the motion: snow all the way to the pushing body, higher
// than the pushed one's bottom.
static bool reaches_back(const snowfield_state *s, const wave *w, int32_t x, int32_t z, int32_t bottom) {
    for (int n = 0; n < WAVE_CELLS; n++) {
        int32_t cx = x - (int32_t)lrint(n * w->way.x), cz = z - (int32_t)lrint(n * w->way.z);
        size_t i;
        if (cx < 0 || cz < 0 || cx >= s->nx || cz >= s->nz) return false;
        if (under_print(&s->prints[w->a], cx, cz, &i)) return true;
        if (snowfield_tile_at(s, cx >> s->shift, cz >> s->shift) == TILE_NONE) return false;
        if (!heaped(s, cx, cz, bottom)) return false;
    }
    return false;
}

// One cell at the rim of the pushed body, with the cell behind it.
static void press_side(const snowfield_state *s, wave *w, int32_t x, int32_t z, size_t i) {
    const snowfield_print *p = &s->prints[w->b];
    int32_t bx = x - (int32_t)lrint(w->way.x), bz = z - (int32_t)lrint(w->way.z), low = p->bottom[i];
    size_t other;
    if (bx < 0 || bz < 0 || bx >= s->nx || bz >= s->nz || under_print(p, bx, bz, &other)) return;
    if (snowfield_tile_at(s, bx >> s->shift, bz >> s->shift) == TILE_NONE) return;
    size_t cell = snowfield_cell(s, bx, bz);
    int32_t top = int_min(snowfield_surface(s, cell), p->top[i]);
    int32_t bottom = int_max(low, snowfield_height(s->tiles.ground[cell]));
    if (top <= bottom || !reaches_back(s, w, bx, bz, bottom)) return;
    double height = (top - bottom) * HEIGHT_UNIT;
    double force = snowfield_strength(&s->law, s->tiles.density[cell]) * height * s->def.cell;
    firn_vec3 at = dvec(s->x0 + (x + 0.5) * s->def.cell, (top + bottom) * 0.5 * HEIGHT_UNIT,
                        s->z0 + (z + 0.5) * s->def.cell);
    w->strength += force;
    w->at = dvec_add_scaled(w->at, at, force);
}

// As fast as the pushing body, at most; the pushing one gets the reaction.
static void push(body_set *bodies, wave *w, double dt) {
    firn_vec3 at = dvec_scale(w->at, 1 / w->strength), arm = dvec_sub(at, body_centre_of_mass(bodies, w->b));
    firn_body_state now = body_state(bodies, w->b);
    double lag = w->speed - dvec_dot(body_velocity_at(bodies, w->b, at), w->way);
    firn_vec3 spin = body_spin_of(bodies, w->b, dvec_cross(arm, w->way));
    double gain = 1 / now.mass + dvec_dot(dvec_cross(spin, arm), w->way);
    if (!(lag > 0)) return;
    firn_vec3 force = dvec_scale(w->way, fmin(w->strength, lag / (gain * dt)));
    body_add_force(bodies, w->b, force, at);
    body_add_force(bodies, w->a, dvec_negate(force), at);
}

// Ends of some cells along a direction, in cells.
static void extent(snowfield_rect r, double x, double z, double *low, double *high) {
    double a = r.x0 * x, b = r.x1 * x, c = r.z0 * z, d = r.z1 * z;
    *low = fmin(a, b) + fmin(c, d);
    *high = fmax(a, b) + fmax(c, d);
}

// Whether the pushing body can be straight behind the pushed one.
static bool is_ahead(const snowfield_state *s, const wave *w) {
    enum { ROUNDING = 2 }; // cells
    double a0, a1, b0, b1;
    extent(s->prints[w->a].cells, w->way.x, w->way.z, &a0, &a1);
    extent(s->prints[w->b].cells, w->way.x, w->way.z, &b0, &b1);
    if (b1 + ROUNDING < a0) return false;
    extent(s->prints[w->a].cells, -w->way.z, w->way.x, &a0, &a1);
    extent(s->prints[w->b].cells, -w->way.z, w->way.x, &b0, &b1);
    return b1 + ROUNDING >= a0 && a1 + ROUNDING >= b0;
}

static void feel(const snowfield_state *s, wave *w) {
    snowfield_rect r = s->prints[w->b].cells;
    for (int32_t z = r.z0; z < r.z1; z++) {
        for (int32_t x = r.x0; x < r.x1; x++) {
            size_t i;
            if (under_print(&s->prints[w->b], x, z, &i)) press_side(s, w, x, z, i);
        }
    }
}

static firn_status add_wave(snowfield_pressing *p, const wave *w) {
    if (!array_reserve(&p->wave, &p->wave_room, p->waves + 1, sizeof *p->wave))
        return fail_memory("pressing snow", (p->waves + 1) * sizeof *p->wave);
    p->wave[p->waves++] = *w;
    return FIRN_OK;
}

// All that body a may push.
static firn_status find_pushed(const snowfield_state *s, const body_set *bodies, size_t a,
                               firn_vec3 velocity) {
    snowfield_pressing *p = s->press;
    double speed = sqrt(velocity.x * velocity.x + velocity.z * velocity.z);
    if (!(speed > 1e-3)) return FIRN_OK;
    snowfield_rect near = rect_grow(s->prints[a].cells, WAVE_CELLS);
    // From the first whose area may reach so far; the list is from left to right.
    size_t i = 0, end = p->count;
    while (i < end) {
        size_t middle = (i + end) / 2;
        if (p->sum[p->order[middle]].area.x0 < near.x0 - p->widest)
            i = middle + 1;
        else
            end = middle;
    }
    for (; i < p->count && p->sum[p->order[i]].area.x0 < near.x1; i++) {
        size_t b = p->order[i];
        if (b == a || rect_empty(rect_meet(near, s->prints[b].cells)) ||
            body_motion(bodies, b) != FIRN_MOTION_DYNAMIC)
            continue;
        wave w = {.way = dvec(velocity.x / speed, 0, velocity.z / speed), .speed = speed, .a = a, .b = b};
        if (is_ahead(s, &w)) TRY(add_wave(p, &w));
    }
    return FIRN_OK;
}

firn_status snowfield_waves_find(snowfield_state *s, const body_set *bodies) {
    snowfield_pressing *p = s->press;
    p->waves = 0;
    for (size_t b = 0; b < body_count(bodies); b++) {
        const snowfield_print *print = &s->prints[b];
        if (rect_empty(print->cells) || print->clear || !print->moved || print->owed) continue;
        TRY(find_pushed(s, bodies, b, p->sum[b].velocity));
    }
    return FIRN_OK;
}

void snowfield_waves_feel(snowfield_state *s) {
    for (size_t i = 0; i < s->press->waves; i++)
        if (snowfield_is_mine(s, snowfield_rank_of(s, s->prints[s->press->wave[i].b].cells)))
            feel(s, &s->press->wave[i]);
}

void snowfield_waves_push(const snowfield_state *s, body_set *bodies, size_t a, double dt, size_t *next) {
    for (; *next < s->press->waves && s->press->wave[*next].a == a; ++*next)
        if (s->press->wave[*next].strength > 0) push(bodies, &s->press->wave[*next], dt);
}
