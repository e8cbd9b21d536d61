// Links in real units: a lump as an elastic continuum of a given Young's modulus, whatever the size of its
// grains, the step and the iterations. Energy of a link: k/2 |x_ij - (R_i + R_j) X_ij / 2|^2, with X the
// vector in the undeformed lump and R_i the rotation that fits the links of grain i best ("as rigid as
// possible", Sorkine and Alexa 2007). So links resist shear and bending, which central ones on a cubic
// lattice do not, and pairwise forces have no net torque: R_i is fitted with the weights of the energy. With
// sum k l^2 = 6 E V over the links of a grain the modulus is E and Poisson's ratio 0, along the axes of a
// lattice and for links in random directions alike.
// Forces are those at the start of the step, once a step: a lump at rest is then compressed as E says, not as
// far as iterations come. Where that would not be stable links are as stiff as they can be; `check` tells.
#include "phase/phase_state.h"

#include <math.h>

#include "par/par.h"
#include "pbd/pbd_cluster.h"

enum { TASK = 512, LINKS = 6 }; // links of a grain that is linked well: of a cubic lattice
// Largest sum of k dt^2 / m over the links of a grain. The highest frequency is at most sqrt(2 sum k / m),
// and that of a step that is stable 2 / dt: a limit of 2; damping, contacts and viscosity need some of it.
static const double MOST_STIFF = 0.5;
// Of sqrt(k m): damping along links that deform, and of those that recover, since snow does not bounce.
static const double DAMPING = 0.4, RECOVERING = 1;

bool phase_links_elastic(const firn_phase_def *def) {
    return def->links.mode != FIRN_PHASE_LINKS_NONE && !firn_is_auto(def->links.young);
}

double phase_young_limit(const firn_phase_def *def, double density, double step) {
    double spacing = cbrt(def->mass / density);
    return MOST_STIFF / LINKS * density * spacing * spacing / (step * step);
}

float phase_linked_radius(const phase *m, size_t i) {
    bool linked = phase_links_elastic(&m->def) && m->links.count[m->s->p.id[i]] > 0;
    return linked ? m->radius[i] * (float)(1 - fmin(m->def.links.break_strain, 0.1)) : m->radius[i];
}

typedef struct elastic_work {
    phase *m;
    double dt;
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
    double wanted = w->m->def.links.young * LINKS * (double)w->m->bulk[i] / (shares * mean);
    return (float)fmin(wanted, MOST_STIFF * w->m->def.mass / (w->dt * w->dt * shares));
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

// Force of a link along itself that slows its ends, N; `away` is how it is deformed. Central, so that angular
// momentum is conserved.
static firn_vec3 damping(const phase *m, size_t i, size_t j, double k, firn_vec3 away) {
    firn_vec3 apart = dvec_sub(pbd_at(m->s->p.x[i]), pbd_at(m->s->p.x[j]));
    double v = dvec_dot(apart, dvec_sub(pbd_at(m->s->p.v[i]), pbd_at(m->s->p.v[j])));
    double share = v * dvec_dot(apart, away) < 0 ? RECOVERING : DAMPING;
    return dvec_scale(apart, -share * sqrt(k * m->def.mass) * v / fmax(dvec_length2(apart), 1e-30));
}

static firn_vec3 vector_now(const phase *m, size_t i, size_t j) {
    return dvec_sub(pbd_at(m->s->p.x[i]), pbd_at(m->s->p.x[j]));
}

// Wet grains are linked more weakly.
static double link_stiffness(const phase *m, size_t i, size_t j) {
    const phase_links *l = &m->links;
    return 0.5 * (double)((l->turn[i].stiffness + l->turn[j].stiffness) * l->dry[i] * l->dry[j]);
}

static void turn_block(void *context, size_t begin, size_t end) {
    const phase *m = ((const elastic_work *)context)->m;
    const phase_links *l = &m->links;
    for (size_t i = begin; i < end; i++) {
        uint32_t count = l->count[m->s->p.id[i]];
        pbd_cluster_pose pose = {.moment = {{0}}};
        for (uint32_t k = 0; k < count; k++) {
            uint32_t j = l->other[i * l->most + k];
            firn_vec3 x = dvec_scale(vector_now(m, i, j), link_stiffness(m, i, j)), r = rest_vector(m, i, k);
            const double to[3] = {x.x, x.y, x.z}, from[3] = {r.x, r.y, r.z};
            for (int a = 0; a < 9; a++) pose.moment[a / 3][a % 3] += to[a / 3] * from[a % 3];
        }
        if (count > 0) pbd_shape_rotation(&pose, l->turn[i].rotation);
    }
}

// Beyond the strain at which a link would break it is plastic: shear breaks none.
static firn_vec3 at_most(firn_vec3 v, double most) {
    double size = dvec_length(v);
    return size > most ? dvec_scale(v, most / size) : v;
}

static void force_block(void *context, size_t begin, size_t end) {
    const elastic_work *w = context;
    const phase *m = w->m;
    const phase_links *l = &m->links;
    double per_mass = w->dt * w->dt / m->def.mass;
    for (size_t i = begin; i < end; i++) {
        uint32_t count = l->count[m->s->p.id[i]];
        firn_vec3 sum = {0};
        for (uint32_t k = 0; k < count; k++) {
            uint32_t j = l->other[i * l->most + k];
            firn_vec3 rest = rest_vector(m, i, k);
            firn_vec3 goal = dvec_scale(dvec_add(pbd_matrix_times(l->turn[i].rotation, rest),
                                                 pbd_matrix_times(l->turn[j].rotation, rest)),
                                        0.5);
            double length = (double)l->rest[i * l->most + k], stiffness = link_stiffness(m, i, j);
            firn_vec3 away = at_most(dvec_sub(vector_now(m, i, j), goal), m->def.links.break_strain * length);
            sum = dvec_add_scaled(sum, away, -stiffness);
            sum = dvec_add(sum, damping(m, i, j, stiffness, away));
        }
        float *q = m->s->p.q[i];
        const double by[3] = {sum.x, sum.y, sum.z};
        for (int a = 0; a < 3 && count > 0; a++) q[a] += (float)(per_mass * by[a]);
    }
}

void phase_elastic(phase *m, double dt) {
    elastic_work work = {m, dt};
    if (!phase_links_elastic(&m->def)) return;
    par_for(m->s->p.count, TASK, yield_block, &work);
    par_for(m->s->p.count, TASK, stiffness_block, &work);
    par_for(m->s->p.count, TASK, turn_block, &work);
    par_for(m->s->p.count, TASK, force_block, &work);
}
