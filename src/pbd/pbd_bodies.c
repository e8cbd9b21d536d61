// Contact with bodies as a constraint: n q >= offset, Coulomb friction, and the reaction on the bodies. The
// mass of a body is split between all particles in contact with it (mass splitting), so that it never reacts
// with more than they gave; it moves within the step as far as their impulses take it, and receives them in
// the next.
#include "pbd/pbd_bodies.h"

#include <math.h>

#include "par/par.h"
#include "pbd/pbd_kinds.h"

static firn_status create(pbd *s, const firn_pbd_def *def, const body_set *bodies, void **data) {
    (void)s;
    (void)def;
    if (!bodies || body_count(bodies) == 0) return FIRN_OK;
    pbd_contact_set *c = mem_zero(1, sizeof *c);
    if (!c) return fail_memory("creating contacts", sizeof *c);
    *data = c;
    c->walls = body_count(bodies);
    for (size_t b = 0; b < c->walls; b++) c->hollow |= body_is_sampled(bodies, b);
    c->wall = mem_zero(c->walls, sizeof *c->wall);
    return c->wall ? FIRN_OK : fail_memory("creating contacts", c->walls * sizeof *c->wall);
}

static void destroy(void *data) {
    pbd_contact_set *c = data;
    for (size_t k = 0; k < c->block_capacity; k++) mem_free(c->block[k].item);
    mem_free(c->block);
    mem_free(c->wall);
    mem_free(c->push);
    mem_free(c->start);
    mem_free(c);
}

typedef struct solve_work {
    pbd *s;
    pbd_contact_set *c;
    const pbd_pass *pass;
    bool in_place;
} solve_work;

static float dot(const float *a, const float *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

// Friction: the multiplier that would stop the sliding, projected onto the Coulomb cone.
static void friction(const pbd_body_contact *t, const float slide[3], float weight, float step,
                     float out[3]) {
    float wanted[3], size2 = 0;
    for (int a = 0; a < 3; a++) {
        wanted[a] = t->lambda_t[a] - step * slide[a] / weight;
        size2 += wanted[a] * wanted[a];
    }
    float size = sqrtf(size2), hold = t->mu_static * t->lambda_n;
    float keep = size <= hold ? 1 : t->mu_kinetic * t->lambda_n / size;
    for (int a = 0; a < 3; a++) out[a] = wanted[a] * keep;
}

// Slower than that against a body (m/s) is at rest: no faster than gravity makes it in two sub-steps.
static double slowest_speed(const solve_work *work) {
    return fmax(0.05, 2 * dvec_length(work->s->setting.gravity) * work->pass->dt);
}

// How much of a push out of a body is no velocity (m): grains, which contacts and lumps also move without one
// (into a body, too), do not bounce off.
static float shift_of(const solve_work *work, const pbd_body_contact *t, const float *q, const float move[3],
                      float surface) {
    const float *x = work->s->p.x[t->particle], push = dot(t->n, move), dt = (float)work->pass->dt;
    if (work->s->groups[work->s->p.group[t->particle]].phase != PBD_GRAIN || !(push > 0)) return 0;
    float out = dot(t->n, q) + push - dot(t->n, x) - dt * dot(t->n, t->velocity) - surface;
    float more = out - (float)slowest_speed(work) * dt;
    return more > push ? push : more;
}

// Correction of one contact from positions q, into move; updates multipliers and the body's impulse.
static void solve_contact(const solve_work *work, pbd_body_contact *t, const float *q, float step,
                          float move[3], pbd_body_impulse *push) {
    const pbd_wall *w = &work->c->wall[t->wall];
    const float *x = work->s->p.x[t->particle], own = q[3];
    float moved[3] = {0, 0, 0}, weight = own + t->inverse_mass, dt = (float)work->pass->dt;
    if (w->dynamic) {
        firn_vec3 m = pbd_wall_moved(w, pbd_world(work->s, t->particle, q), work->pass->dt);
        moved[0] = (float)m.x, moved[1] = (float)m.y, moved[2] = (float)m.z;
    }
    for (int a = 0; a < 3; a++) move[a] = 0;
    if (!(weight > 0)) return;
    float gap = dot(t->n, q) - dot(t->n, moved) - t->offset;
    float normal = t->lambda_n - step * gap / weight, change[3], slide[3], fresh[3];
    if (normal <= 0 && t->lambda_n <= 0) return;
    normal = normal > 0 ? normal : 0;
    for (int a = 0; a < 3; a++) {
        change[a] = (normal - t->lambda_n) * t->n[a];
        slide[a] = q[a] + own * change[a] - x[a] - dt * t->velocity[a] - moved[a];
    }
    t->lambda_n = normal;
    float along = dot(slide, t->n);
    for (int a = 0; a < 3; a++) slide[a] -= along * t->n[a];
    friction(t, slide, weight, step, fresh);
    for (int a = 0; a < 3; a++) {
        change[a] += fresh[a] - t->lambda_t[a];
        t->lambda_t[a] = fresh[a];
        move[a] = own * change[a];
    }
    float shift = shift_of(work, t, q, move, dot(t->n, moved));
    for (int a = 0; a < 3 && shift > 0; a++) {
        work->s->p.x[t->particle][a] += shift * t->n[a];
        change[a] -= shift / own * t->n[a];
    }
    firn_vec3 impulse = dvec_scale(pbd_at(change), -1 / work->pass->dt);
    push->impulse = dvec_add(push->impulse, impulse);
    push->twist =
        dvec_add(push->twist, dvec_cross(dvec_sub(pbd_world(work->s, t->particle, q), w->centre), impulse));
}

static void solve_block(void *context, size_t i) {
    const solve_work *work = context;
    pbd_body_contacts *list = &work->c->block[i];
    pbd_particles *p = &work->s->p;
    for (size_t k = 0; k < list->count; k++) {
        pbd_body_contact *t = &list->item[k];
        float move[3];
        float *to = work->in_place ? p->q[t->particle] : p->delta[t->particle];
        float step = work->in_place ? 1 : work->pass->relax / fmaxf(p->constraints[t->particle], 1);
        solve_contact(work, t, p->q[t->particle], step, move, &work->c->push[i * work->c->walls + t->wall]);
        for (int a = 0; a < 3; a++) to[a] += move[a];
    }
}

static void project(pbd *s, void *data, const pbd_pass *pass) {
    pbd_contact_set *c = data;
    solve_work work = {s, c, pass, true};
    par_tasks(c->blocks, solve_block, &work);
    pbd_bodies_sum(s, c);
}

static void jacobi(pbd *s, void *data, const pbd_pass *pass) {
    pbd_contact_set *c = data;
    solve_work work = {s, c, pass, false};
    par_tasks(c->blocks, solve_block, &work);
    pbd_bodies_sum(s, c);
}

static void count_constraints(pbd *s, void *data) {
    const pbd_contact_set *c = data;
    for (size_t i = 0; i < c->blocks; i++)
        for (size_t k = 0; k < c->block[i].count; k++) s->p.constraints[c->block[i].item[k].particle]++;
}

static void residual(pbd *s, void *data, const pbd_pass *pass, pbd_residual *out) {
    const pbd_contact_set *c = data;
    for (size_t i = 0; i < c->blocks; i++)
        for (size_t k = 0; k < c->block[i].count; k++) {
            const pbd_body_contact *t = &c->block[i].item[k];
            firn_vec3 q = pbd_at(s->p.q[t->particle]);
            firn_vec3 moved =
                pbd_wall_moved(&c->wall[t->wall], pbd_world(s, t->particle, s->p.q[t->particle]), pass->dt);
            double gap = dvec_dot(pbd_at(t->n), dvec_sub(q, moved)) - (double)t->offset;
            out->largest = fmax(out->largest, -gap);
            out->sum2 += gap < 0 ? gap * gap : 0;
            out->count++;
        }
}

// Restitution, for particles that arrive faster than gravity makes them in two sub-steps.
static void bounce_block(void *context, size_t i) {
    const solve_work *work = context;
    pbd_body_contacts *list = &work->c->block[i];
    double slowest = slowest_speed(work);
    for (size_t k = 0; k < list->count; k++) {
        pbd_body_contact *t = &list->item[k];
        const pbd_wall *w = &work->c->wall[t->wall];
        if (!(t->lambda_n > 0) || (double)t->approach > -slowest || w->restitution <= 0) continue;
        float *v = work->s->p.v[t->particle], own = work->s->p.q[t->particle][3];
        firn_vec3 n = pbd_at(t->n), relative = dvec_sub(pbd_at(v), pbd_at(t->velocity));
        double missing = -w->restitution * (double)t->approach - dvec_dot(relative, n);
        if (!(missing > 0) || !(own > 0)) continue;
        double impulse = missing / (double)(own + t->inverse_mass);
        v[0] += (float)(impulse * (double)own * n.x);
        v[1] += (float)(impulse * (double)own * n.y);
        v[2] += (float)(impulse * (double)own * n.z);
        pbd_body_impulse *push = &work->c->push[i * work->c->walls + t->wall];
        firn_vec3 back = dvec_scale(n, -impulse);
        push->impulse = dvec_add(push->impulse, back);
        push->twist =
            dvec_add(push->twist, dvec_cross(dvec_sub(pbd_place(work->s, t->particle), w->centre), back));
    }
}

static firn_status velocities(pbd *s, void *data, const pbd_pass *pass) {
    pbd_contact_set *c = data;
    solve_work work = {s, c, pass, true};
    for (size_t b = 0; b < c->walls; b++) {
        pbd_wall *w = &c->wall[b];
        w->shift = dvec_add_scaled(w->shift, w->dv, pass->dt);
        w->turn = dvec_add_scaled(w->turn, w->dw, pass->dt);
    }
    par_tasks(c->blocks, bounce_block, &work);
    pbd_bodies_sum(s, c);
    return FIRN_OK;
}

const pbd_kind pbd_bodies = {
    .name = "bodies",
    .unit = "m",
    .create = create,
    .destroy = destroy,
    .find = pbd_bodies_find,
    .count_constraints = count_constraints,
    .project = project,
    .jacobi = jacobi,
    .residual = residual,
    .velocities = velocities,
    .finish = pbd_bodies_finish,
};
