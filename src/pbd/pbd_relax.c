// Before the first step: particles of liquids and grains that overlap, or lie in walls or bodies, are moved
// apart without a velocity, so that no energy comes from a scene that does not quite fit.
#include "pbd/pbd_relax.h"

#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_bodies.h"
#include "pbd/pbd_fluid.h"
#include "pbd/pbd_kinds.h"

enum { MOST_ROUNDS = 1000 };
static const double ENOUGH = 0.001; // of the density
static const float MOMENTUM =
    0.9f; // of the last round's motion: pressure crosses n layers in n, not n^2 rounds
static const float MOST_MOVE = 0.25f; // spacings in a round

typedef struct relax_work {
    pbd *s;
    float (*moved)[3];    // m, in the last round
    float most;           // m
    const float *density; // of rest density
    const pbd_room *room; // of the box, by frame; NULL: none
} relax_work;

static void predict_block(void *context, size_t begin, size_t end) {
    const relax_work *w = context;
    pbd_particles *p = &w->s->p;
    for (size_t i = begin; i < end; i++) {
        float momentum = w->density[i] > 1 ? MOMENTUM : 0; // what has room does not fly on
        for (int a = 0; a < 3; a++) p->q[i][a] = p->x[i][a] + momentum * w->moved[i][a];
        p->q[i][3] = i < p->solids ? 0 : w->s->groups[p->group[i]].inverse_mass;
    }
}

// Between the walls of the box; where these are closer than the particle, in the middle.
static float inside(float q, float low, float high) {
    return low > high ? (low + high) / 2 : q < low ? low : q > high ? high : q;
}

static void accept_block(void *context, size_t begin, size_t end) {
    const relax_work *w = context;
    pbd_particles *p = &w->s->p;
    for (size_t i = begin; i < end; i++) {
        float *move = w->moved[i], *x = p->x[i], radius = w->s->groups[p->group[i]].radius, size2 = 0;
        if (i < p->solids) continue;
        for (int a = 0; a < 3; a++) move[a] = p->q[i][a] - x[a], size2 += move[a] * move[a];
        float keep = size2 > w->most * w->most ? w->most / sqrtf(size2) : 1;
        for (int a = 0; a < 3; a++) {
            float to = x[a] + keep * move[a];
            if (w->room)
                to = inside(to, w->room[p->frame[i]].low[a] + radius, w->room[p->frame[i]].high[a] - radius);
            move[a] = to - x[a];
            x[a] = to;
        }
        firn_vec3 at = pbd_world(w->s, i, x);
        memcpy(p->at[i], (double[3]){at.x, at.y, at.z}, sizeof p->at[i]);
    }
}

static void run_round(const relax_work *w) {
    pbd_contact_set *contacts = pbd_data(w->s, &pbd_bodies);
    par_for(w->s->p.count, PBD_BLOCK, accept_block, (void *)w);
    if (contacts) pbd_bodies_clear(w->s, contacts);
}

// What rounding of 32-bit positions lets the density be known to, at the least.
static double enough_of(const pbd *s, double spacing) {
    float far = 0;
    for (size_t i = s->p.solids; i < s->p.count; i++)
        for (int a = 0; a < 3; a++) far = fmaxf(far, fabsf(s->p.x[i][a]));
    return fmax(ENOUGH, 12 * (double)(nextafterf(far, INFINITY) - far) / spacing);
}

static firn_status relax(relax_work *w, const pbd_relax_way *way) {
    pbd *s = w->s;
    const pbd_pass pass = {.bodies = s->bodies, .dt = 1, .first = true, .relax = 1};
    double worst = INFINITY, enough = enough_of(s, way->spacing);
    par_for(s->p.count, PBD_BLOCK, predict_block, w);
    run_round(w); // out of walls and bodies
    memset(w->moved, 0, s->p.count * sizeof *w->moved);
    for (int round = 0; round < MOST_ROUNDS && (worst > enough || round < way->least_rounds); round++) {
        par_for(s->p.count, PBD_BLOCK, predict_block, w);
        TRY(way->move_apart(way->owner, &pass, &worst));
        if (worst > enough || round < way->least_rounds) run_round(w);
    }
    return FIRN_OK;
}

firn_status pbd_relax(pbd *s, const pbd_relax_way *way) {
    if (s->setting.for_frames || s->setting.loading || s->p.count == s->p.solids) return FIRN_OK;
    void *box = pbd_data(s, &pbd_box);
    TRY(pbd_find_frames(s));
    pbd_room *room = box ? mem_zero(s->frames.count, sizeof *room) : NULL;
    for (size_t k = 0; room && k < s->frames.count; k++) room[k] = pbd_box_at(box, 0, s->frames.origin[k]);
    float(*velocity)[3] = mem_zero(s->p.count, sizeof *velocity);
    relax_work work = {s, mem_zero(s->p.count, sizeof *work.moved), MOST_MOVE * (float)way->spacing,
                       way->density, room};
    firn_status status = FIRN_OK;
    if (!velocity || !work.moved || (box && !room))
        status = fail_memory("moving particles apart", s->p.count * sizeof *velocity);
    else {
        pbd_contact_set *contacts = pbd_data(s, &pbd_bodies);
        memcpy(velocity, s->p.v, s->p.count * sizeof *velocity);
        if (contacts) status = pbd_bodies_reserve(s, contacts);
        if (status == FIRN_OK) status = relax(&work, way);
        memcpy(s->p.v, velocity, s->p.count * sizeof *velocity);
    }
    mem_free(velocity);
    mem_free(work.moved);
    mem_free(room);
    return status;
}
