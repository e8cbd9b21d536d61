// The wind drags particles along that meet it, and loses what they gain: grains, snow, water, loose solids.
#include <math.h>
#include <string.h>

#include "grains/grains.h"
#include "mpm/mpm.h"
#include "par/par.h"
#include "phase/phase.h"
#include "world/couple_list.h"
#include "world/couple_wind.h"

#include "wind/wind.h"

enum { BLOCK = 1024, CROWD = 64 };
static const double PI = 3.14159265358979, AIR_VISCOSITY = 1.7e-5; // Pa s, at -5 C
static const double AIR_INTERVAL = 4e-3; // s: particles that step faster are dragged along after this time
static const double AIR_SHARE = 0.02;    // or when they could lose this share of their speed against the air
// Edge of the cells that neighbours shade each other in, in radii: two spacings of particles that fill space.
static const double SHADE_CELL = 3.224;

// ---- The law

double air_reynolds(double density, double speed, double length) {
    return density * speed * length / AIR_VISCOSITY;
}

double air_sphere_drag(double reynolds) {
    double re = fmax(reynolds, 1e-6);
    return fmax(24 / re * (1 + 0.15 * (double)powf((float)re, 0.687F)), 0.44);
}

typedef struct sphere {
    double density, speed; // of the air, against it
    double radius, area, mass, factor;
} sphere;

// 1/s: at which a velocity against the air decays.
static double rate_of(const sphere *b, double speed) {
    double c = b->factor * air_sphere_drag(air_reynolds(b->density, speed, 2 * b->radius));
    return 0.5 * b->density * c * b->area * speed / b->mass;
}

// Backward Euler, whose fixed points are those of the forces: a particle falls with its terminal speed for
// any dt. The geometric mean of two iterates converges from weak drag to the strongest.
static double share_lost(const sphere *b, double dt) {
    double k = dt * rate_of(b, b->speed);
    for (int i = 0; i < 8 && k > 0.01; i++) {
        double next = sqrt(k * dt * rate_of(b, b->speed / (1 + k))), off = fabs(next - k);
        k = next;
        if (off < 1e-3 * k) break;
    }
    return k / (1 + k);
}

// ---- Who meets the air

static bool is_in(const neighbour_grid *g, const float at[3], const int32_t cell[3]) {
    for (int d = 0; d < 3; d++)
        if (neighbour_cell(g, at[d]) != cell[d]) return false;
    return true;
}

// Distant cells share an entry of the grid: whether all in an entry are in one cell.
static void look_at_entries(void *context, size_t begin, size_t end) {
    air_work *w = context;
    const neighbour_grid *g = &w->grid;
    for (size_t key = begin; key < end; key++) {
        int32_t cell[3];
        w->mixed[key] = false;
        for (uint32_t k = g->begin[key]; k < g->end[key] && !w->mixed[key]; k++) {
            const float *at = w->at[g->order[k]];
            for (int d = 0; d < 3 && k == g->begin[key]; d++) cell[d] = neighbour_cell(g, at[d]);
            w->mixed[key] = !is_in(g, at, cell);
        }
    }
}

// How many are in a cell.
static double crowd(const air_work *w, const int32_t cell[3]) {
    const neighbour_grid *g = &w->grid;
    uint32_t key = neighbour_key(g, cell[0], cell[1], cell[2]), all = g->end[key] - g->begin[key], sum = 0;
    if (all == 0) return 0;
    if (!w->mixed[key]) return is_in(g, w->at[g->order[g->begin[key]]], cell) ? fmin(all, CROWD) : 0;
    for (uint32_t k = g->begin[key]; k < g->end[key] && sum < CROWD; k++)
        sum += is_in(g, w->at[g->order[k]], cell);
    return sum;
}

// The area (m2) with which a particle meets the air: its own, at most its share of its cell's, and less where
// others stand between it and the wind.
static double open_area(const air_work *w, const float at[3], const double against[3], double speed,
                        double radius) {
    const neighbour_grid *g = &w->grid;
    int32_t cell[3], before[3];
    double own = PI * radius * radius, whole = 1 / ((double)g->inverse_cell * (double)g->inverse_cell);
    for (int k = 0; k < 3; k++) {
        double e = against[k] / speed;
        cell[k] = neighbour_cell(g, at[k]);
        before[k] = cell[k] - (e > 0.5 ? 1 : e < -0.5 ? -1 : 0);
    }
    double shaded = fmin(crowd(w, before) * own / whole, 1);
    return (1 - shaded) * fmin(own, whole / fmax(crowd(w, cell), 1));
}

typedef struct particles_work {
    coupling *c;
    air_work *w;
    double dt, factor;
} particles_work;
enum { ENTRIES = 4096 }; // of the grid, in a task

static const offer_particles *particles_of(const coupling *c) { return c->kind->b->offers->particles; }
static const offer_medium *medium_of(const coupling *c) { return c->kind->a->offers->medium; }

static void read_block(void *context, size_t begin, size_t end) {
    const particles_work *p = context;
    air_work *w = p->w;
    particles_of(p->c)->read(p->c->b, begin, end, w->item + begin);
    for (size_t i = begin; i < end; i++)
        for (int k = 0; k < 3; k++) w->at[i][k] = (float)w->item[i].at[k];
    medium_of(p->c)->read(p->c->a, end - begin, (const float(*)[3])w->at + begin, w->air + begin);
    memset(w->change + begin, 0, (end - begin) * sizeof *w->change);
}

static void resist_block(void *context, size_t begin, size_t end) {
    const particles_work *p = context;
    const air_work *w = p->w;
    for (size_t i = begin; i < end; i++) {
        const offer_particle *item = &w->item[i];
        offer_resistance *r = &w->resistance[i];
        double against[3], speed = 0;
        *r = (offer_resistance){0};
        if (w->caught[i] || !(w->air[i].density > 0) || !(item->mass < INFINITY)) continue;
        for (int k = 0; k < 3; k++) {
            against[k] = (double)w->air[i].velocity[k] - (double)item->velocity[k];
            speed += against[k] * against[k];
            r->at[k] = w->at[i][k];
        }
        speed = sqrt(speed);
        if (!(speed > 1e-6)) continue;
        double radius = (double)item->radius, area = open_area(w, w->at[i], against, speed, radius);
        if (!(area > 0)) continue;
        sphere ball = {(double)w->air[i].density, speed, radius, area, (double)item->mass, p->factor};
        double held = ball.mass * share_lost(&ball, p->dt);
        for (int k = 0; k < 3; k++) r->held[k] = (float)held, r->impulse[k] = (float)(held * against[k]);
    }
}

static void list_those(air_work *w, size_t count) {
    w->listed_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(w->resistance[i].held[0] > 0)) continue;
        w->listed[w->listed_count] = w->resistance[i];
        w->number[w->listed_count++] = (uint32_t)i;
    }
}

static firn_status reserve(air_work *w, size_t n) {
    bool good = array_reserve(&w->item, &w->capacity[0], n, sizeof *w->item) &&
                array_reserve(&w->at, &w->capacity[1], n, sizeof *w->at) &&
                array_reserve(&w->change, &w->capacity[2], n, sizeof *w->change) &&
                array_reserve(&w->by, &w->capacity[3], n, sizeof *w->by) &&
                array_reserve(&w->air, &w->capacity[4], n, sizeof *w->air) &&
                array_reserve(&w->resistance, &w->capacity[5], n, sizeof *w->resistance) &&
                array_reserve(&w->listed, &w->capacity[6], n, sizeof *w->listed) &&
                array_reserve(&w->number, &w->capacity[7], n, sizeof *w->number) &&
                array_reserve(&w->caught, &w->capacity[8], n, sizeof *w->caught);
    return good ? FIRN_OK : fail_memory("dragging particles along", n * sizeof *w->item);
}

// ---- An exchange

// Particles fell, and went on, without drag for dt: they are put where they would be with half of its effect.
static void push_block(void *context, size_t begin, size_t end) {
    const particles_work *p = context;
    const air_work *w = p->w;
    const float half = (float)(0.5 * p->dt);
    for (size_t i = begin; i < end; i++)
        for (int k = 0; k < 3; k++) w->by[i][k] = w->caught[i] ? 0 : half * w->change[i][k];
    particles_of(p->c)->push(p->c->b, begin, end, (const float(*)[3])w->change + begin);
    particles_of(p->c)->shift(p->c->b, begin, end, (const float(*)[3])w->by + begin);
}

static void hand_out(coupling *c, air_work *w) {
    for (size_t k = 0; k < w->listed_count; k++) {
        size_t i = w->number[k];
        for (int d = 0; d < 3; d++) {
            w->change[i][d] += w->listed[k].impulse[d] / w->item[i].mass;
            c->sum->impulse[d] += (double)w->listed[k].impulse[d];
        }
    }
}

static firn_status act(coupling *c, double dt) {
    air_work *w = c->own;
    size_t n = particles_of(c)->count(c->b);
    double largest = particles_of(c)->largest(c->b);
    w->waits = w->interval = 0;
    if (n == 0 || !(largest > 0)) return FIRN_OK;
    TRY(reserve(w, n));
    particles_work p = {c, w, dt, ((const firn_drag_def *)c->params)->drag};
    par_for(n, BLOCK, read_block, &p);
    memset(w->caught, 0, n);
    if (c->kind->b->offers->facets) TRY(air_find_facets(c, w));
    TRY(neighbour_grid_build(&w->grid, w->at[0], 3, n, SHADE_CELL * largest));
    if (!array_reserve(&w->mixed, &w->capacity[9], w->grid.cells, sizeof *w->mixed))
        return fail_memory("dragging particles along", w->grid.cells * sizeof *w->mixed);
    par_for(w->grid.cells, ENTRIES, look_at_entries, w);
    par_for(n, BLOCK, resist_block, &p);
    list_those(w, n);
    TRY(medium_of(c)->drag(c->a, w->listed_count, w->listed));
    hand_out(c, w);
    if (c->kind->b->offers->facets) TRY(air_drag_facets(c, w, dt));
    par_for(n, BLOCK, push_block, &p);
    return FIRN_OK;
}

// The largest rate (1/s) at which air could take the speed of a particle against it.
static void bound_rates(void *context, size_t begin, size_t end, void *partial) {
    const particles_work *p = context;
    const air_work *w = p->w;
    double *most = partial;
    for (size_t i = begin; i < end; i++) {
        const offer_particle *item = &w->item[i];
        double speed2 = 0, radius = (double)item->radius;
        if (!(item->mass < INFINITY)) continue;
        for (int k = 0; k < 3; k++) {
            double against = (double)w->air[i].velocity[k] - (double)item->velocity[k];
            speed2 += against * against;
        }
        sphere ball = {(double)w->air[i].density, 0,        radius, PI * radius * radius,
                       (double)item->mass,        p->factor};
        *most = fmax(*most, rate_of(&ball, sqrt(speed2)));
    }
}

static void join_rates(void *into, const void *from) {
    *(double *)into = fmax(*(double *)into, *(const double *)from);
}

// How long the drag may wait; thin things wait no longer than they must.
static firn_status choose_interval(coupling *c) {
    air_work *w = c->own;
    size_t n = particles_of(c)->count(c->b);
    double most = 0;
    w->interval = AIR_INTERVAL;
    if (n == 0 || c->kind->b->offers->facets) return FIRN_OK;
    TRY(reserve(w, n));
    particles_work p = {.c = c, .w = w, .factor = ((const firn_drag_def *)c->params)->drag};
    par_for(n, BLOCK, read_block, &p);
    TRY(par_reduce(n, BLOCK, sizeof most, bound_rates, join_rates, &p, &most));
    w->interval = fmax(AIR_INTERVAL, AIR_SHARE / fmax(most, 1e-6));
    return FIRN_OK;
}

firn_status air_after_particles(coupling *c, double now, double dt) {
    (void)now;
    air_work *w = c->own;
    w->waits += dt;
    if (!(w->interval > 0)) TRY(choose_interval(c));
    return w->waits < w->interval * (1 - 1e-6) ? FIRN_OK : act(c, w->waits);
}

firn_status air_exchange(coupling *c, double now, double dt) {
    (void)now, (void)dt;
    const air_work *w = c->own;
    return w->waits > 0 ? act(c, w->waits) : FIRN_OK;
}

firn_status air_create(coupling *c) {
    c->own = mem_zero(1, sizeof(air_work));
    return c->own ? FIRN_OK : fail_memory("creating a world", sizeof(air_work));
}

void air_end(coupling *c) {
    air_work *w = c->own;
    if (!w) return;
    void *const arrays[] = {w->item,   w->at,     w->change, w->by,    w->air,  w->resistance,
                            w->listed, w->number, w->caught, w->facet, w->mixed};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++) mem_free(arrays[k]);
    neighbour_grid_free(&w->grid);
    mem_free(w);
}

// ---- The pairs

#define LAW                                                                                                  \
    "The drag of a smooth sphere, C rho |w| w A / 2 with w the velocity against the air and C by its "       \
    "Reynolds number (Schiller and Naumann 1933). Particles within a block are sheltered; those at its "     \
    "surface that face the wind share its area. The air loses what they gain. "

static void begin_grains(coupling *c) { grains_set_air(c->b, c->on); }

const coupling_class couple_wind_grains = {
    .name = "wind_grains",
    .a = &wind_model,
    .b = &grains_model,
    .passes = PASSES_IMPULSE,
    .what = "the wind carries grains along, and they slow it down",
    .help = LAW "It replaces the `drag` of grains in still air.",
    .create = air_create,
    .begin = begin_grains,
    .after_b = air_after_particles,
    .exchange = air_exchange,
    .end = air_end,
};

const coupling_class couple_wind_mpm = {
    .name = "wind_mpm",
    .a = &wind_model,
    .b = &mpm_model,
    .passes = PASSES_IMPULSE,
    .what = "the wind pushes snow that meets it, and the snow slows it down",
    .help = LAW,
    .create = air_create,
    .after_b = air_after_particles,
    .exchange = air_exchange,
    .end = air_end,
};

const coupling_class couple_wind_phase = {
    .name = "wind_phase",
    .a = &wind_model,
    .b = &phase_model,
    .passes = PASSES_IMPULSE,
    .what = "the wind pushes snow and drops that meet it, and they slow it down",
    .help = LAW,
    .create = air_create,
    .after_b = air_after_particles,
    .exchange = air_exchange,
    .end = air_end,
};
