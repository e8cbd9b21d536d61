// Links in real units: a lump as an elastic continuum of a given Young's modulus, whatever the size of its
// grains, the step and the iterations. Energy of a link: k/2 |x_ij - (R_i + R_j) X_ij / 2|^2, with X the
// vector in the undeformed lump and R_i the rotation that fits the links of grain i best ("as rigid as
// possible", Sorkine and Alexa 2007). So links resist shear and bending, which central ones on a cubic
// lattice do not, and pairwise forces have no net torque: R_i is fitted with the weights of the energy. With
// sum k l^2 = 6 E V over the links of a grain the modulus is E and Poisson's ratio 0, along the axes of a
// lattice and for links in random directions alike.
// Links are also viscous (Kelvin and Voigt): snow loses what an impact stores in it instead of bouncing.
// Places at the end of the step are solved for, all at once, with the rotations of the predicted ones: stable
// with any stiffness and step, and a lump at rest is compressed as E says, not as far as iterations come.
#include "phase/phase_state.h"

#include <math.h>

#include "par/par.h"
#include "pbd/pbd_cluster.h"
#include "solve/krylov.h"

enum { TASK = 512, LINKS = 6, MOST_ITERATIONS = 60 }; // LINKS: of a grain in a cubic lattice
static const double ENOUGH = 1e-8;                    // of the first residual, squared
// s, of the viscosity over the stiffness. A block of 25 cm that has fallen on its side swings with periods of
// 0.2 s at 10 kPa, and less the stiffer it is: about critically damped.
static const double RELAXATION = 0.03;

bool phase_links_elastic(const firn_phase_def *def) {
    return def->links.mode != FIRN_PHASE_LINKS_NONE && !firn_is_auto(def->links.young);
}

float phase_linked_radius(const phase *m, size_t i) {
    bool linked = phase_links_elastic(&m->def) && m->links.count[m->s->p.id[i]] > 0;
    return linked ? m->radius[i] * (float)(1 - fmin(m->def.links.break_strain, 0.1)) : m->radius[i];
}

typedef struct elastic_work {
    phase *m;
    double dt, inertia;      // s; N/m, of a grain
    double rho, alpha, beta; // of the solve
} elastic_work;

// Stiffness of the links of a grain, N/m. One with few links (at a surface, or warm) shares its volume
// between as many as it would have inside.
static float stiffness_of(const elastic_work *w, size_t i) {
    const phase_links *l = &w->m->links;
    uint32_t count = l->count[w->m->s->p.id[i]];
    double length2 = 0;
    for (uint32_t k = 0; k < count; k++)
        length2 += (double)l->rest[i * l->most + k] * (double)l->rest[i * l->most + k];
    if (!(length2 > 0)) return 0;
    double shares = fmax(count, LINKS), mean = length2 / count;
    return (float)(w->m->def.links.young * LINKS * (double)w->m->bulk[i] / (shares * mean));
}

// Plastic in compression beyond the strain that breaks links in tension: both ends find the same length.
static void yield_block(void *context, size_t begin, size_t end) {
    const phase *m = ((const elastic_work *)context)->m;
    const phase_links *l = &m->links;
    float most = 1 - (float)fmin(m->def.links.break_strain, 0.5);
    for (size_t i = begin; i < end; i++) {
        size_t number = m->s->p.id[i];
        for (uint32_t k = 0; k < l->count[number]; k++) {
            const float *a = m->s->p.x[i], *b = m->s->p.x[l->other[i * l->most + k]];
            float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2], d = sqrtf(x * x + y * y + z * z);
            if (d < most * l->rest[i * l->most + k])
                l->rest[i * l->most + k] = l->length[number * l->most + k] = d / most;
        }
    }
}

static void stiffness_block(void *context, size_t begin, size_t end) {
    const elastic_work *w = context;
    for (size_t i = begin; i < end; i++) w->m->links.turn[i].stiffness = stiffness_of(w, i);
}

// Vector to partner k in the undeformed lump, as long as the link was when it formed.
static firn_vec3 rest_vector(const phase *m, size_t i, uint32_t k) {
    const phase_links *l = &m->links;
    uint32_t j = l->other[i * l->most + k];
    firn_vec3 apart = dvec_sub(pbd_at(m->lumps.rest[m->s->p.id[i]]), pbd_at(m->lumps.rest[m->s->p.id[j]]));
    double size = dvec_length(apart);
    return size > 0 ? dvec_scale(apart, (double)l->rest[i * l->most + k] / size) : apart;
}

// Wet grains are linked more weakly.
static double link_stiffness(const phase *m, size_t i, size_t j) {
    const phase_links *l = &m->links;
    return 0.5 * (double)((l->turn[i].stiffness + l->turn[j].stiffness) * (l->dry[i] * l->dry[j]));
}

static firn_vec3 between(const float *a, const float *b) { return dvec_sub(pbd_at(a), pbd_at(b)); }

static void add_moment(pbd_cluster_pose *pose, firn_vec3 x, firn_vec3 r) {
    const double to[3] = {x.x, x.y, x.z}, from[3] = {r.x, r.y, r.z};
    for (int a = 0; a < 9; a++) pose->moment[a / 3][a % 3] += to[a / 3] * from[a % 3];
}

static void turn_block(void *context, size_t begin, size_t end) {
    const phase *m = ((const elastic_work *)context)->m;
    const phase_links *l = &m->links;
    const pbd_particles *p = &m->s->p;
    for (size_t i = begin; i < end; i++) {
        uint32_t count = l->count[p->id[i]];
        pbd_cluster_pose now = {.moment = {{0}}}, before = now;
        for (uint32_t k = 0; k < count; k++) {
            uint32_t j = l->other[i * l->most + k];
            firn_vec3 weighted = dvec_scale(rest_vector(m, i, k), link_stiffness(m, i, j));
            add_moment(&now, between(p->q[i], p->q[j]), weighted);
            add_moment(&before, between(p->x[i], p->x[j]), weighted);
        }
        if (count == 0) continue;
        pbd_shape_rotation(&now, l->turn[i].rotation);
        pbd_shape_rotation(&before, l->turn[i].before);
    }
}

static firn_vec3 times(const double r[3][3], firn_vec3 v) { return pbd_matrix_times((double(*)[3])r, v); }
static firn_vec3 times_back(const double r[3][3], firn_vec3 v) { // by the transposed
    return dvec(r[0][0] * v.x + r[1][0] * v.y + r[2][0] * v.z, r[0][1] * v.x + r[1][1] * v.y + r[2][1] * v.z,
                r[0][2] * v.x + r[1][2] * v.y + r[2][2] * v.z);
}
static firn_vec3 mean_of(firn_vec3 a, firn_vec3 b) { return dvec_scale(dvec_add(a, b), 0.5); }

// How link k of grain i is deformed (m), and has been deformed in the step, times `viscous`: both in the
// frame of its end.
static firn_vec3 deformation(const phase *m, size_t i, uint32_t k, double viscous) {
    const phase_links *l = &m->links;
    const pbd_particles *p = &m->s->p;
    uint32_t j = l->other[i * l->most + k];
    const phase_turn *a = &l->turn[i], *b = &l->turn[j];
    firn_vec3 rest = rest_vector(m, i, k);
    firn_vec3 now =
        dvec_sub(between(p->q[i], p->q[j]), mean_of(times(a->rotation, rest), times(b->rotation, rest)));
    firn_vec3 old =
        dvec_sub(between(p->x[i], p->x[j]), mean_of(times(a->before, rest), times(b->before, rest)));
    firn_vec3 turned = mean_of(times(a->rotation, times_back(a->before, old)),
                               times(b->rotation, times_back(b->before, old)));
    return dvec_add_scaled(now, dvec_sub(now, turned), viscous);
}

// Forces where the grains are predicted, and how they change with places. Beyond the strain at which a link
// would break it is plastic: as stiff as its limit is over its deformation.
static double force_block(void *context, size_t begin, size_t end) {
    const elastic_work *w = context;
    const phase *m = w->m;
    const phase_links *l = &m->links;
    double viscous = RELAXATION / w->dt, rho = 0;
    for (size_t i = begin; i < end; i++) {
        phase_turn *t = &l->turn[i];
        uint32_t count = l->count[m->s->p.id[i]];
        t->moved = t->direction = (firn_vec3){0};
        t->residual = count > 0 ? dvec_scale(pbd_at(phase_pushed(m)[i]), m->def.mass) : (firn_vec3){0};
        t->diagonal = w->inertia;
        for (uint32_t k = 0; k < count; k++) {
            double stiffness = link_stiffness(m, i, l->other[i * l->most + k]);
            double most = m->def.links.break_strain * (double)l->rest[i * l->most + k];
            firn_vec3 away = deformation(m, i, k, viscous);
            double size = dvec_length(away), secant = stiffness * (size > most ? most / size : 1);
            t->residual = dvec_add_scaled(t->residual, away, -secant);
            l->weight[i * l->most + k] = (float)(secant * (1 + viscous));
            t->diagonal += (double)l->weight[i * l->most + k];
        }
        rho += dvec_length2(t->residual) / t->diagonal;
    }
    return rho;
}

// ---- conjugate gradients, preconditioned by the diagonal

static void direction_block(void *context, size_t begin, size_t end) {
    const elastic_work *w = context;
    for (size_t i = begin; i < end; i++) {
        phase_turn *t = &w->m->links.turn[i];
        t->direction = dvec_add_scaled(dvec_scale(t->residual, 1 / t->diagonal), t->direction, w->beta);
    }
}

static double product_block(void *context, size_t begin, size_t end) {
    const elastic_work *w = context;
    const phase_links *l = &w->m->links;
    double sum = 0;
    for (size_t i = begin; i < end; i++) {
        phase_turn *t = &l->turn[i];
        uint32_t count = l->count[w->m->s->p.id[i]];
        t->product = dvec_scale(t->direction, t->diagonal);
        for (uint32_t k = 0; k < count; k++)
            t->product = dvec_add_scaled(t->product, l->turn[l->other[i * l->most + k]].direction,
                                         -(double)l->weight[i * l->most + k]);
        sum += dvec_dot(t->direction, t->product);
    }
    return sum;
}

static double advance_block(void *context, size_t begin, size_t end) {
    const elastic_work *w = context;
    double rho = 0;
    for (size_t i = begin; i < end; i++) {
        phase_turn *t = &w->m->links.turn[i];
        t->moved = dvec_add_scaled(t->moved, t->direction, w->alpha);
        t->residual = dvec_add_scaled(t->residual, t->product, -w->alpha);
        rho += dvec_length2(t->residual) / t->diagonal;
    }
    return rho;
}

// r.z comes with the pass that changes r.
static double last_rho(void *context) { return ((const elastic_work *)context)->rho; }

static double update_direction(void *context, double beta) {
    elastic_work *w = context;
    size_t n = w->m->s->p.count;
    w->beta = beta;
    par_for(n, TASK, direction_block, w);
    return par_sum(n, TASK, product_block, w);
}

static double advance(void *context, double alpha) {
    elastic_work *w = context;
    w->alpha = alpha;
    return w->rho = par_sum(w->m->s->p.count, TASK, advance_block, w);
}

// s: pushes are expected to go on that have lasted so long. Those of an impact are not, or what a stiff lump
// lands on would be taken to push it off.
static const double EXPECTED = 0.15;

// ---- angular momentum

typedef struct sym3 {
    double xx, yy, zz, xy, xz, yz;
} sym3;

static void add_inertia(sym3 *s, firn_vec3 r) {
    s->xx += r.y * r.y + r.z * r.z, s->yy += r.x * r.x + r.z * r.z, s->zz += r.x * r.x + r.y * r.y;
    s->xy -= r.x * r.y, s->xz -= r.x * r.z, s->yz -= r.y * r.z;
}

// A little more than it is: grains in a line have none about it.
static firn_vec3 solve_inertia(const sym3 *s, firn_vec3 b) {
    double more = 1e-9 * (s->xx + s->yy + s->zz);
    firn_vec3 x = {s->xx + more, s->xy, s->xz}, y = {s->xy, s->yy + more, s->yz},
              z = {s->xz, s->yz, s->zz + more};
    double volume = dvec_dot(x, dvec_cross(y, z));
    if (!(fabs(volume) > 0)) return (firn_vec3){0};
    return dvec_scale(
        dvec(dvec_dot(b, dvec_cross(y, z)), dvec_dot(x, dvec_cross(b, z)), dvec_dot(x, dvec_cross(y, b))),
        1 / volume);
}

// Forces along the predicted links have a torque about where the grains are now, which turns of the whole
// lump take back.
static void balance_lump(void *context, size_t k) {
    const phase *m = ((const elastic_work *)context)->m;
    const phase_lump *lump = &m->lumps.lump[k];
    firn_vec3 centre = {0}, torque = {0};
    sym3 inertia = {0};
    for (size_t n = lump->first; n < lump->first + lump->count; n++)
        centre = dvec_add(centre, pbd_at(m->s->p.x[m->links.place[m->lumps.member[n]]]));
    centre = dvec_scale(centre, 1 / (double)lump->count);
    for (size_t n = lump->first; n < lump->first + lump->count; n++) {
        uint32_t i = m->links.place[m->lumps.member[n]];
        firn_vec3 arm = dvec_sub(pbd_at(m->s->p.x[i]), centre);
        torque = dvec_add(torque, dvec_cross(arm, m->links.turn[i].moved));
        add_inertia(&inertia, arm);
    }
    firn_vec3 turn = solve_inertia(&inertia, torque);
    for (size_t n = lump->first; n < lump->first + lump->count; n++) {
        uint32_t i = m->links.place[m->lumps.member[n]];
        firn_vec3 arm = dvec_sub(pbd_at(m->s->p.x[i]), centre), *moved = &m->links.turn[i].moved;
        *moved = dvec_sub(*moved, dvec_cross(turn, arm));
    }
}

// The push by what else grains meet, as it was in the last step, was only expected: it is not theirs to give.
static void expected_block(void *context, size_t begin, size_t end) {
    const elastic_work *w = context;
    const phase *m = w->m;
    for (size_t i = begin; i < end; i++) {
        phase_turn *t = &m->links.turn[i];
        if (m->links.count[m->s->p.id[i]] > 0)
            t->moved = dvec_add_scaled(t->moved, pbd_at(phase_pushed(m)[i]), -w->dt * w->dt);
    }
}

static void move_block(void *context, size_t begin, size_t end) {
    const phase *m = ((const elastic_work *)context)->m;
    for (size_t i = begin; i < end; i++) {
        firn_vec3 by = m->links.turn[i].moved;
        float *q = m->s->p.q[i], *x = m->s->p.x[i];
        q[0] += (float)by.x, q[1] += (float)by.y, q[2] += (float)by.z;
        m->links.turn[i].product = dvec_sub(pbd_at(q), pbd_at(x));
    }
}

static void pushed_block(void *context, size_t begin, size_t end) {
    const elastic_work *w = context;
    const phase *m = w->m;
    double share = 1 - exp(-w->dt / EXPECTED);
    for (size_t i = begin; i < end; i++) {
        firn_vec3 moved = dvec_sub(pbd_at(m->s->p.q[i]), pbd_at(m->s->p.x[i]));
        firn_vec3 by = dvec_scale(dvec_sub(moved, m->links.turn[i].product), 1 / (w->dt * w->dt));
        const double now[3] = {by.x, by.y, by.z};
        for (int a = 0; a < 3; a++)
            phase_pushed(m)[i][a] += (float)(share * (now[a] - (double)phase_pushed(m)[i][a]));
    }
}

void phase_elastic(phase *m, double dt) {
    static const krylov_method gradients = {last_rho, update_direction, advance};
    elastic_work work = {.m = m, .dt = dt, .inertia = m->def.mass / (dt * dt)};
    size_t n = m->s->p.count;
    if (!phase_links_elastic(&m->def)) return;
    par_for(n, TASK, yield_block, &work);
    par_for(n, TASK, stiffness_block, &work);
    par_for(n, TASK, turn_block, &work);
    work.rho = par_sum(n, TASK, force_block, &work);
    krylov state = {.residual = work.rho};
    krylov_solve(&gradients, &work, &state, ENOUGH * work.rho, MOST_ITERATIONS);
    par_for(n, TASK, expected_block, &work);
    par_tasks(m->lumps.lumps, balance_lump, &work);
    par_for(n, TASK, move_block, &work);
}

void phase_elastic_pushed(phase *m, double dt) {
    elastic_work work = {.m = m, .dt = dt};
    if (phase_links_elastic(&m->def)) par_for(m->s->p.count, TASK, pushed_block, &work);
}
