// A step: sub-steps of predicting positions, solving constraints, and taking velocities from the positions
// (PBD19 3.2).
#include "pbd/pbd_fluid.h"

#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_material.h"
#include "pbd/pbd_move.h"
#include "pbd/pbd_stack.h"

// The remaining constraint error acts like a spring with stiffness ~ 1 / dt^2: if steps get shorter, the
// correction must grow slowly, or a compressed pile at rest flies apart.
static const double LONGEST_DT_DECAY = 0.5; // s

typedef struct move_work {
    pbd *s;
    double dt;
    float gain[3]; // m/s, by gravity in dt
    void (*pass)(const pbd_flight *f, const pbd_flight_rows *r, size_t n);
} move_work;

// Semi-implicit Euler falls by g dt^2, as if the new velocity had held all the time. Verlet takes the
// velocity as that of the middle of the last sub-step: free fall is then exact, for changing steps too.
static move_work work_of(const pbd *s, double dt) {
    double time = s->def.integrator == FIRN_PBD_VERLET ? (dt + s->counters.dt) / 2 : dt;
    const double g[3] = {s->setting.gravity.x, s->setting.gravity.y, s->setting.gravity.z};
    move_work work = {(pbd *)s, dt, {0}, NULL};
    for (int a = 0; a < 3; a++) work.gain[a] = (float)(g[a] * time);
    return work;
}

// Backward differences of second order (BDF2), for steps of unequal length: with w = dt / dt before,
// x = x1 + b (x1 - x2) + c dt v and v = v1 + b (v1 - v2) + c dt a, b = w^2 / (1 + 2 w), c = (1 + w) / (1 + 2
// w). Constraints then act as on c^2 times the inverse mass. For solids only: what flows has no fixed
// neighbours, and what meets something loses velocity at once, which the velocity of before would give back
// in part.
static void set_way(const pbd *s, double dt, double w, pbd_way *way) {
    double span = (1 + w) / (1 + 2 * w);
    *way = (pbd_way){(float)(w * w / (1 + 2 * w)), (float)span, (float)exp(-s->def.damping * span * dt),
                     (float)(1 / ((double)(float)span * dt))};
}

// Whether an elastic solid would rise by more than a part of its particles' radius.
static bool is_lively(const pbd *s, const pbd_group *g) {
    static const double RISE = 0.125;
    double sum = 0;
    for (size_t i = g->first; i < g->first + g->count; i++) {
        const float *v = s->p.v[i];
        sum += (double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    }
    double slow2 = 2 * dvec_length(s->setting.gravity) * RISE * (double)g->radius;
    return sum > slow2 * (double)g->count;
}

static void choose_integrator(pbd *s, double dt) {
    double w = s->counters.dt > 0 ? dt / s->counters.dt : 0;
    bool second = s->def.integrator == FIRN_PBD_BDF2 && w > 0 && w < 2;
    for (size_t k = 0; k < s->group_count; k++) {
        pbd_group *g = &s->groups[k];
        bool own = second && g->phase == PBD_SOLID;
        set_way(s, dt, own ? w : 0, &g->way);
        g->touches = false;
        g->lively = own && g->elastic && is_lively(s, g);
    }
}

// What is stopped loses its velocity at once, and of that loss BDF2 would give back a third in the next
// sub-step. An elastic solid that rests or is pressed against something is not stopped: its particles there
// have lost their velocity, and the others give way in many sub-steps. So it stays second order but for
// sub-steps in which particles arrive; until it is slow, and comes to rest by what Euler takes.
bool pbd_meets(const pbd *s, const pbd_group *g, double dt, float gap, float approach, float near) {
    if (!g->elastic || !g->lively) return gap < near;
    double slow = fmax(0.05, 2 * dvec_length(s->setting.gravity) * dt);
    return (double)approach < -slow && (double)gap < -dt * (double)approach;
}

void pbd_free_motion(const pbd *s, double dt, size_t i, bool euler, float motion[3]) {
    const move_work work = work_of(s, dt);
    pbd_way way = s->groups[s->p.group[i]].way;
    if (euler) set_way(s, dt, 0, &way);
    for (int a = 0; a < 3; a++) {
        float v = s->p.v[i][a];
        if (way.carry > 0) v += way.carry * (v - s->p.v_before[i][a]);
        v = way.keep * v + way.span * work.gain[a];
        motion[a] = way.span * (float)dt * v + (way.carry > 0 ? way.carry * s->p.moved[i][a] : 0);
    }
}

// Runs the pass over particles [begin, end) of one frame that go alike.
static void move_run(const move_work *w, size_t begin, size_t end, bool solid, float (*q)[4]) {
    pbd_particles *p = &w->s->p;
    const pbd_group *g = &w->s->groups[p->group[begin]];
    const firn_vec3 o = pbd_origin(w->s, begin);
    const pbd_flight flight = {g->way,
                               w->dt,
                               {w->gain[0], w->gain[1], w->gain[2]},
                               {o.x, o.y, o.z},
                               g->way.span * g->way.span * g->inverse_mass};
    const pbd_flight_rows rows = {p->at[begin],
                                  p->x[begin],
                                  p->v[begin],
                                  solid ? p->v_before[begin] : NULL,
                                  solid ? p->moved[begin] : NULL,
                                  q};
    w->pass(&flight, &rows, end - begin);
}

// Of what flows, all groups go alike but for their masses.
static void move_block(void *context, size_t begin, size_t end) {
    const move_work *w = context;
    const pbd_particles *p = &w->s->p;
    bool one = w->s->frames.count == 1;
    while (begin < end) {
        bool solid = begin < p->solids;
        const pbd_group *g = &w->s->groups[p->group[begin]];
        size_t stop = solid ? g->first + g->count : end, next = begin + 1;
        stop = stop < end ? stop : end;
        if (one) next = stop;
        while (next < stop && p->frame[next] == p->frame[begin]) next++;
        move_run(w, begin, next, solid, p->q + begin);
        begin = next;
    }
}

static void predict_block(void *context, size_t begin, size_t end) {
    const move_work *w = context;
    const pbd_particles *p = &w->s->p;
    move_block(context, begin, end);
    for (size_t i = begin < p->solids ? p->solids : begin; i < end; i++)
        p->q[i][3] = w->s->groups[p->group[i]].inverse_mass;
}

void pbd_predict(pbd *s, double dt) {
    move_work work = work_of(s, dt);
    choose_integrator(s, dt);
    work.pass = ISA_PICK(pbd_move_predict);
    par_for(s->p.count, PBD_BLOCK, predict_block, &work);
}

// Some particles of a solid that are in one frame, anew; what is pinned stays. Returns the next one.
static size_t predict_again(const move_work *w, size_t begin, size_t end) {
    enum { CHUNK = 64 };
    const pbd_particles *p = &w->s->p;
    float to[CHUNK][4];
    size_t stop = begin + 1;
    while (stop < end && stop < begin + CHUNK && p->frame[stop] == p->frame[begin]) stop++;
    move_run(w, begin, stop, true, to);
    for (size_t i = begin; i < stop; i++)
        if (p->q[i][3] > 0) memcpy(p->q[i], to[i - begin], sizeof to[0]);
    return stop;
}

void pbd_predict_touching(pbd *s, double dt) {
    move_work work = work_of(s, dt);
    work.pass = ISA_PICK(pbd_move_predict);
    for (size_t k = 0; k < s->group_count; k++) {
        pbd_group *g = &s->groups[k];
        if (!g->touches || g->way.carry == 0) continue;
        set_way(s, dt, 0, &g->way);
        size_t end = g->first + g->count;
        for (size_t i = g->first; i < end;) i = predict_again(&work, i, end);
    }
}

void pbd_update_velocities(pbd *s, double dt) {
    move_work work = work_of(s, dt);
    work.pass = ISA_PICK(pbd_move_finish);
    par_for(s->p.count, PBD_BLOCK, move_block, &work);
    s->counters.dt = dt;
    s->counters.longest_dt = fmax(dt, s->counters.longest_dt * exp(-dt / LONGEST_DT_DECAY));
    s->counters.steps++;
}

// What has met something goes on as if it had come flying with its new velocity.
void pbd_keep_motion(pbd *s, double dt) {
    const move_work work = work_of(s, dt);
    for (size_t k = 0; k < s->group_count; k++) {
        const pbd_group *g = &s->groups[k];
        if (!g->touches || g->phase != PBD_SOLID) continue;
        for (size_t i = g->first; i < g->first + g->count; i++)
            for (int a = 0; a < 3; a++) {
                float v = s->p.v[i][a], gain = work.gain[a];
                s->p.v_before[i][a] = v - gain;
                s->p.moved[i][a] = (float)dt * (v - gain / 2);
            }
    }
}

firn_status pbd_find_all(pbd *s, const pbd_pass *pass) {
    for (size_t k = 0; k < s->kind_count; k++)
        if (s->data[k] && s->kinds[k]->find) TRY(s->kinds[k]->find(s, s->data[k], pass));
    return FIRN_OK;
}

firn_status pbd_velocity_passes(pbd *s, const pbd_pass *pass) {
    for (size_t k = 0; k < s->kind_count; k++)
        if (s->data[k] && s->kinds[k]->velocities) TRY(s->kinds[k]->velocities(s, s->data[k], pass));
    return FIRN_OK;
}

firn_status pbd_finish_all(pbd *s, body_set *bodies, model_step step) {
    // Liquids, which add and remove particles, come after kinds that refer to this step's particles by index.
    for (size_t k = s->kind_count; k-- > 0;)
        if (s->data[k] && s->kinds[k]->finish) TRY(s->kinds[k]->finish(s, s->data[k], bodies, step));
    return FIRN_OK;
}

pbd_pass pbd_pass_of(const pbd *s, const body_set *bodies, model_step step, int k) {
    int parts = s->parts > 0 ? s->parts : 1;
    double dt = step.dt / parts, ratio = s->counters.longest_dt > dt ? dt / s->counters.longest_dt : 1;
    return (pbd_pass){
        .bodies = bodies,
        .time = step.time + (k + 1) * dt,
        .dt = dt,
        .first = k == 0,
        .left = (parts - 1 - k) * dt,
        .plain = s->def.elasticity == FIRN_PBD_PLAIN,
        .by_particle = s->def.solver == FIRN_PBD_JACOBI_PARTICLE,
        .relax = (float)s->def.relaxation,
        .softer = (float)(1 - ratio * ratio),
    };
}

static int larger(int a, int b) { return a > b ? a : b; }

// A step that is shorter than those before has fewer sub-steps, so that these stay about as long.
static int substeps_of(const pbd *s, double dt) {
    int most = pbd_substeps(s->setting.def->pbd, dt);
    double parts = s->counters.longest_dt > 0 ? ceil(dt / s->counters.longest_dt - 1e-3) : most;
    if (s->def.substeps == 0) return larger(most, pbd_stack_parts(s, dt)); // in proportion to the step anyway
    return parts < 1 ? 1 : parts < most ? (int)parts : most;
}

firn_status pbd_step(void *model, body_set *bodies, model_step step) {
    pbd *s = model;
    profile_pass(&s->passes, "predict");
    TRY(pbd_find_frames(s));
    const pbd_pass whole = pbd_pass_of(s, bodies, step, 0);
    TRY(pbd_contact_begin(s, &whole));
    s->parts = larger(substeps_of(s, step.dt), fluid_parts(s, step.dt));
    for (int k = 0; k < s->parts; k++) {
        pbd_pass pass = pbd_pass_of(s, bodies, step, k);
        profile_pass(&s->passes, "predict");
        pbd_predict(s, pass.dt);
        profile_pass(&s->passes, "find neighbours and contacts");
        TRY(pbd_find_all(s, &pass));
        pbd_predict_touching(s, pass.dt);
        profile_pass(&s->passes, "solve constraints");
        pbd_solve(s, &pass);
        profile_pass(&s->passes, "velocities");
        pbd_update_velocities(s, pass.dt);
        TRY(pbd_velocity_passes(s, &pass));
        pbd_keep_motion(s, pass.dt);
    }
    profile_pass(&s->passes, "finish");
    firn_status status = pbd_finish_all(s, bodies, step);
    profile_end(&s->passes);
    return status;
}
