// A step: sub-steps of predicting positions, solving constraints, and taking velocities from the positions
// (PBD19 3.2).
#include "pbd/pbd_fluid.h"

#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_material.h"

// The remaining constraint error acts like a spring with stiffness ~ 1 / dt^2: if steps get shorter, the
// correction must grow slowly, or a compressed pile at rest flies apart.
static const double LONGEST_DT_DECAY = 0.5; // s

typedef struct move_work {
    pbd *s;
    double dt;
    float gain[3]; // m/s, by gravity in dt
} move_work;

// Semi-implicit Euler falls by g dt^2, as if the new velocity had held all the time. Verlet takes the
// velocity as that of the middle of the last sub-step: free fall is then exact, for changing steps too.
static move_work work_of(const pbd *s, double dt) {
    double time = s->def.integrator == FIRN_PBD_VERLET ? (dt + s->counters.dt) / 2 : dt;
    const double g[3] = {s->setting.gravity.x, s->setting.gravity.y, s->setting.gravity.z};
    move_work work = {(pbd *)s, dt, {0}};
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

static void choose_integrator(pbd *s, double dt) {
    double w = s->counters.dt > 0 ? dt / s->counters.dt : 0;
    bool second = s->def.integrator == FIRN_PBD_BDF2 && w > 0 && w < 2;
    for (size_t k = 0; k < s->group_count; k++) {
        pbd_group *g = &s->groups[k];
        bool own = second && g->phase == PBD_SOLID;
        set_way(s, dt, own ? w : 0, &g->way);
        g->touches = false;
    }
}

// The velocity of a particle that no constraint holds: damped, but not its position (PBD19's `damping` drags
// all to the origin).
static float free_velocity(const move_work *w, const pbd_way *way, size_t i, int a) {
    const pbd_particles *p = &w->s->p;
    float v = p->v[i][a];
    if (way->carry > 0) v += way->carry * (v - p->v_before[i][a]);
    return way->keep * v + way->span * w->gain[a];
}

// How far it goes.
static float free_move(const move_work *w, const pbd_way *way, size_t i, int a, float v) {
    float move = way->span * (float)w->dt * v;
    return way->carry > 0 ? way->carry * w->s->p.moved[i][a] + move : move;
}

void pbd_free_motion(const pbd *s, double dt, size_t i, bool euler, float motion[3]) {
    const move_work work = work_of(s, dt);
    pbd_way way = s->groups[s->p.group[i]].way;
    if (euler) set_way(s, dt, 0, &way);
    for (int a = 0; a < 3; a++) motion[a] = free_move(&work, &way, i, a, free_velocity(&work, &way, i, a));
}

static void predict_one(const move_work *w, size_t i) {
    pbd_particles *p = &w->s->p;
    const pbd_group *g = &w->s->groups[p->group[i]];
    for (int a = 0; a < 3; a++)
        p->q[i][a] = p->x[i][a] + free_move(w, &g->way, i, a, free_velocity(w, &g->way, i, a));
    p->q[i][3] = g->way.span * g->way.span * g->inverse_mass;
}

static void predict_block(void *context, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) predict_one(context, i);
}

void pbd_predict(pbd *s, double dt) {
    move_work work = work_of(s, dt);
    choose_integrator(s, dt);
    par_for(s->p.count, PBD_BLOCK, predict_block, &work);
}

void pbd_predict_touching(pbd *s, double dt) {
    move_work work = work_of(s, dt);
    for (size_t k = 0; k < s->group_count; k++) {
        pbd_group *g = &s->groups[k];
        if (!g->touches || g->way.carry == 0) continue;
        set_way(s, dt, 0, &g->way);
        for (size_t i = g->first; i < g->first + g->count; i++)
            if (s->p.q[i][3] > 0) predict_one(&work, i); // what is pinned stays
    }
}

// Velocities and places change by what the constraints did, q less its prediction, and not by (q - x) / dt:
// that would round the velocity of what flies freely to what 32 bits can resolve of its way in a sub-step.
static inline void velocity_one(const move_work *work, size_t i, bool solid) {
    pbd_particles *p = &work->s->p;
    const move_work here = *work, *w = &here; // copies: nothing that is written here can be part of them
    const pbd_way own = w->s->groups[p->group[i]].way, *way = &own;
    const firn_vec3 from = pbd_origin(w->s, i);
    const double origin[3] = {from.x, from.y, from.z}, step = (double)way->span * w->dt;
    for (int a = 0; a < 3; a++) {
        float v = free_velocity(w, way, i, a), move = free_move(w, way, i, a, v);
        float x = (float)(p->at[i][a] - origin[a]), shifted = p->x[i][a];
        float pushed = p->q[i][a] - (x + move), before = p->v[i][a];
        double at = p->at[i][a] + (step * (double)v + (double)pushed); // in 64 bits: `move` is rounded
        if (solid) {
            at += (double)way->carry * (double)p->moved[i][a];
            p->moved[i][a] = move + pushed;
            p->v_before[i][a] = before;
        }
        p->v[i][a] = v + (pushed - (shifted - x)) * way->inverse_dt;
        p->at[i][a] = at;
        p->x[i][a] = (float)(at - origin[a]);
    }
}

static void velocities_block(void *context, size_t begin, size_t end) {
    const move_work *w = context;
    const pbd_particles *p = &w->s->p;
    size_t solids = end < p->solids ? end : begin > p->solids ? begin : p->solids;
    for (size_t i = begin; i < solids; i++) velocity_one(w, i, true);
    for (size_t i = solids; i < end; i++) velocity_one(w, i, false);
}

void pbd_update_velocities(pbd *s, double dt) {
    move_work work = work_of(s, dt);
    par_for(s->p.count, PBD_BLOCK, velocities_block, &work);
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

// A step that is shorter than those before has fewer sub-steps, so that these stay about as long.
static int substeps_of(const pbd *s, double dt) {
    int most = pbd_substeps(s->setting.def->pbd, dt);
    double parts = s->counters.longest_dt > 0 ? ceil(dt / s->counters.longest_dt - 1e-3) : most;
    if (s->def.substeps == 0) return most; // in proportion to the step anyway
    return parts < 1 ? 1 : parts < most ? (int)parts : most;
}

firn_status pbd_step(void *model, body_set *bodies, model_step step) {
    pbd *s = model;
    int parts = substeps_of(s, step.dt), needed = fluid_parts(s, step.dt);
    s->parts = parts > needed ? parts : needed;
    profile_pass(&s->passes, "predict");
    TRY(pbd_find_frames(s));
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
