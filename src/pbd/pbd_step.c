// A step: sub-steps of predicting positions, solving constraints, and taking velocities from the positions
// (PBD19 3.2).
#include "pbd/pbd_state.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

// The remaining constraint error acts like a spring with stiffness ~ 1 / dt^2: if steps get shorter, the
// correction must grow slowly, or a compressed pile at rest flies apart.
static const double LONGEST_DT_DECAY = 0.5; // s

typedef struct move_work {
    pbd *s;
    float dt, inverse_dt, keep;
    float fall[3]; // m, by gravity
} move_work;

// q = x + dt v and the fall; velocities are damped, not positions (PBD19's `damping` drags all to the
// origin).
static void predict_block(void *context, size_t begin, size_t end) {
    const move_work *w = context;
    pbd_particles *p = &w->s->p;
    for (size_t i = begin; i < end; i++) {
        for (int a = 0; a < 3; a++) p->q[i][a] = p->x[i][a] + w->dt * (w->keep * p->v[i][a]) + w->fall[a];
        p->q[i][3] = w->s->groups[p->group[i]].inverse_mass;
    }
}

// Semi-implicit Euler falls by g dt^2, as if the new velocity had held all the time. Verlet takes the
// velocity as that of the middle of the last sub-step: free fall is then exact, for changing steps too.
void pbd_predict(pbd *s, double dt) {
    double before = s->counters.dt,
           fall = s->def.integrator == FIRN_PBD_VERLET ? dt * (dt + before) / 2 : dt * dt;
    const double g[3] = {s->setting.gravity.x, s->setting.gravity.y, s->setting.gravity.z};
    move_work work = {s, (float)dt, 0, (float)exp(-s->def.damping * dt), {0}};
    for (int a = 0; a < 3; a++) work.fall[a] = (float)(g[a] * fall);
    par_for(s->p.count, PBD_BLOCK, predict_block, &work);
}

static void velocities_block(void *context, size_t begin, size_t end) {
    const move_work *w = context;
    pbd_particles *p = &w->s->p;
    for (size_t i = begin; i < end; i++)
        for (int a = 0; a < 3; a++) {
            p->v[i][a] = (p->q[i][a] - p->x[i][a]) * w->inverse_dt;
            p->x[i][a] = p->q[i][a];
        }
}

void pbd_update_velocities(pbd *s, double dt) {
    move_work work = {s, (float)dt, (float)(1 / dt), 0, {0}};
    par_for(s->p.count, PBD_BLOCK, velocities_block, &work);
    s->counters.dt = dt;
    s->counters.longest_dt = fmax(dt, s->counters.longest_dt * exp(-dt / LONGEST_DT_DECAY));
    s->counters.steps++;
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
    int parts = s->parts > 0 ? s->parts : s->def.substeps;
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
    double parts = s->counters.longest_dt > 0 ? ceil(dt / s->counters.longest_dt - 1e-3) : s->def.substeps;
    return parts < 1 ? 1 : parts < s->def.substeps ? (int)parts : s->def.substeps;
}

firn_status pbd_step(void *model, body_set *bodies, model_step step) {
    pbd *s = model;
    s->parts = substeps_of(s, step.dt);
    for (int k = 0; k < s->parts; k++) {
        pbd_pass pass = pbd_pass_of(s, bodies, step, k);
        profile_pass(&s->passes, "predict");
        pbd_predict(s, pass.dt);
        profile_pass(&s->passes, "find neighbours and contacts");
        TRY(pbd_find_all(s, &pass));
        profile_pass(&s->passes, "solve constraints");
        pbd_solve(s, &pass);
        profile_pass(&s->passes, "velocities");
        pbd_update_velocities(s, pass.dt);
        TRY(pbd_velocity_passes(s, &pass));
    }
    profile_pass(&s->passes, "finish");
    firn_status status = pbd_finish_all(s, bodies, step);
    profile_end(&s->passes);
    return status;
}
