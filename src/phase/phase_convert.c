// Snow and water of other models that become grains and drops, and grains that leave for them. Particles of
// phase have one mass; what is too little for one waits, and counts as mass, momentum and heat of phase.
#include "phase/phase_state.h"

#include <math.h>
#include <string.h>

#include "body/body.h"
#include "par/par.h"

// Particles are not put nearer to others than that (spacings): what overlaps pushes apart.
static const double ROOM = 0.8;
// A particle comes into being already with that much less than its mass, so that rounding does not keep one.
static const double EARLY = 0.01;

double phase_latent(const void *model) { return ((const phase *)model)->law.latent; }

bool phase_is_empty(const firn_phase_def *def) {
    return def->snow.count + def->water.count + def->spouts.count == 0;
}

bool phase_gets_melt(const firn_world_def *scene) { return scene && scene->mpm && scene->mpm->heat; }

bool phase_settles(const firn_world_def *scene) {
    return phase_gets_melt(scene) && scene->coupling.mpm_phase.settle;
}

// ---- places

typedef struct room {
    phase *m;
    firn_vec3 origin; // of `at`
    float (*at)[3];   // m, of those that were there
    neighbour_grid grid;
    size_t before; // the number of those
} room;

static void room_free(room *r) {
    neighbour_grid_free(&r->grid);
    mem_free(r->at);
}

static firn_status room_find(room *r, phase *m, firn_vec3 origin) {
    *r = (room){.m = m, .origin = origin, .before = m->s->p.count};
    r->at = mem_zero(r->before + 1, sizeof *r->at);
    if (!r->at) return fail_memory("turning snow into water", r->before * sizeof *r->at);
    for (size_t i = 0; i < r->before; i++)
        for (int a = 0; a < 3; a++)
            r->at[i][a] = (float)(m->s->p.at[i][a] - (a == 0 ? origin.x : a == 1 ? origin.y : origin.z));
    return neighbour_grid_build(&r->grid, &r->at[0][0], 3, r->before, m->spacing);
}

static bool is_near(const phase *m, size_t i, firn_vec3 at) {
    return dvec_distance(pbd_place(m->s, i), at) < ROOM * m->spacing;
}

static bool is_taken(const room *r, firn_vec3 at) {
    const neighbour_grid *g = &r->grid;
    firn_vec3 place = dvec_sub(at, r->origin);
    const float x[3] = {(float)place.x, (float)place.y, (float)place.z};
    for (size_t i = r->before; i < r->m->s->p.count; i++)
        if (is_near(r->m, i, at)) return true;
    for (int k = 0; k < 27 && r->before > 0; k++) {
        uint32_t cell =
            neighbour_key(g, neighbour_cell(g, x[0]) + k % 3 - 1, neighbour_cell(g, x[1]) + k / 3 % 3 - 1,
                          neighbour_cell(g, x[2]) + k / 9 - 1);
        for (uint32_t n = g->begin[cell]; n < g->end[cell]; n++)
            if (is_near(r->m, g->order[n], at)) return true;
    }
    return false;
}

// A particle touches bodies at most.
static firn_vec3 off_bodies(const phase *m, firn_vec3 at) {
    const float none = 0, radius = (float)(m->spacing / 2);
    for (size_t b = 0; m->s->bodies && b < body_count(m->s->bodies); b++) {
        float d, n[3];
        body_query_near(m->s->bodies, b, at, 1, &none, &none, &none, &d, &n[0], &n[1], &n[2]);
        if (d < radius) at = dvec_add_scaled(at, pbd_at(n), (double)(radius - d));
    }
    return at;
}

// ---- matter

// Puts n of them where there is room in the parcel's cube, from below; false: there is too little.
static firn_status place(room *r, const phase_parcel *from, size_t n, firn_vec3 velocity, bool *placed) {
    pbd *s = r->m->s;
    const pbd_counters counters = s->counters;
    size_t first = s->p.count, k = (size_t)ceil(cbrt((double)n) - 1e-9);
    uint32_t group = (uint32_t)((r->m->sources - 1) * PHASE_GROUPS + PHASE_WATER);
    double step = k > 0 ? from->edge / (double)k : 0;
    TRY(pbd_reserve(s, first + n + 1));
    for (size_t at = 0; at < k * k * k && s->p.count < first + n; at++) {
        double place[3] = {(double)(at % k), (double)(at / k / k), (double)(at / k % k)}; // up: the slowest
        for (int a = 0; a < 3; a++) place[a] = from->at[a] + (place[a] + 0.5) * step - 0.5 * from->edge;
        firn_vec3 where = off_bodies(r->m, dvec(place[0], place[1], place[2]));
        if (!is_taken(r, where)) pbd_add_particle(s, where, velocity, group);
    }
    *placed = s->p.count == first + n;
    if (!*placed) s->p.count = first, s->counters = counters;
    return FIRN_OK;
}

// Drops at the freezing point and grains, so that together they have the heat of all: at most one is between.
static double share_heat(phase *m, size_t first, double each) {
    size_t n = m->s->p.count - first, water = n;
    double latent = m->law.latent, left = (double)n * each, sum = 0;
    uint32_t ice = (uint32_t)((m->sources - 1) * PHASE_GROUPS + PHASE_ICE);
    if (each < latent * (1 - 1e-9)) water = (size_t)(left / latent + 1e-9);
    for (size_t i = first; i < m->s->p.count; i++) {
        double h = water == n ? each : i - first < water ? latent : left;
        phase_enthalpy(m)[i] = h;
        if (i - first >= water) m->s->p.group[i] = ice, phase_liquid(m)[i] = 0;
        left = i - first < water ? left - h : 0;
        sum += m->def.mass * h;
    }
    return sum;
}

static firn_status take_parcel(room *r, const phase_parcel *from, bool *taken) {
    phase *m = r->m;
    phase_waiting *w = &m->waiting;
    double mass = from->mass + w->mass, joules = from->heat + w->heat, momentum[3];
    for (int a = 0; a < 3; a++) momentum[a] = from->momentum[a] + w->momentum[a];
    size_t n = mass > 0 ? (size_t)floor(mass / m->def.mass + EARLY) : 0, first = m->s->p.count;
    firn_vec3 velocity =
        n > 0 ? dvec(momentum[0] / mass, momentum[1] / mass, momentum[2] / mass) : dvec(0, 0, 0);
    TRY(place(r, from, n, velocity, taken));
    if (!*taken) return FIRN_OK;
    joules -= share_heat(m, first, n > 0 ? joules / mass : 0);
    for (size_t i = first; i < m->s->p.count; i++)
        for (int a = 0; a < 3; a++) momentum[a] -= m->def.mass * (double)m->s->p.v[i][a];
    w->mass = mass - (double)n * m->def.mass, w->heat = joules;
    memcpy(w->momentum, momentum, sizeof momentum);
    return FIRN_OK;
}

firn_status phase_take_in(void *model, size_t count, const phase_parcel *items, bool *taken) {
    phase *m = model;
    size_t before = m->s->p.count;
    double mass = m->s->counters.mass_in, joules = heat_totals_of(m->heat)->sources;
    room r = {0};
    if (count == 0) return FIRN_OK;
    firn_status status = room_find(&r, m, dvec(items[0].at[0], items[0].at[1], items[0].at[2]));
    for (size_t k = 0; status == FIRN_OK && k < count; k++) {
        status = take_parcel(&r, &items[k], &taken[k]);
        if (status == FIRN_OK && taken[k]) mass += items[k].mass, joules += items[k].heat;
    }
    room_free(&r);
    for (size_t k = 0; k < count; k++) m->waits |= taken[k];
    m->s->counters.mass_in = mass; // as they came, with what waits
    heat_totals_of(m->heat)->sources = joules;
    m->shown = false;
    if (status == FIRN_OK) status = fluid_make_room(m->s, m->f, before);
    if (status == FIRN_OK) status = phase_reserve(m);
    if (status == FIRN_OK) phase_links_locate(m);
    return status;
}

// ---- grains that leave

typedef struct resting {
    phase *m;
    float *rest;
    float speed2, dt;
} resting;

static void rest_some(void *context, size_t begin, size_t end) {
    const resting *r = context;
    for (size_t i = begin; i < end; i++) {
        const float *v = r->m->s->p.v[i];
        bool still = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] < r->speed2;
        bool frozen = phase_is_snow(r->m, i) && !(phase_liquid(r->m)[i] > 0) && !(phase_melted(r->m, i) > 0);
        r->rest[i] = still && frozen ? r->rest[i] + r->dt : 0;
    }
}

const float *phase_rest_times(void *model, double speed, double dt) {
    phase *m = model;
    resting r = {m, m->s->column[PHASE_REST].at, (float)(speed * speed), (float)dt};
    par_for(m->s->p.count, PBD_BLOCK, rest_some, &r);
    return r.rest;
}

firn_status phase_give_out(void *model, size_t count, const uint32_t *items, const phase_parcel *rest) {
    phase *m = model;
    phase_waiting *w = &m->waiting;
    fluid_take_items(m->s, m->f, count, items);
    m->s->counters.mass_out -= rest->mass;
    heat_totals_of(m->heat)->sources += rest->heat;
    w->mass += rest->mass, w->heat += rest->heat;
    for (int a = 0; a < 3; a++) w->momentum[a] += rest->momentum[a];
    m->waits = true;
    m->shown = m->drained = false;
    phase_links_locate(m);
    return phase_lumps_list(m);
}
