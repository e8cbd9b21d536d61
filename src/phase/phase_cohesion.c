// Cohesion of water and its adhesion to ice and bodies: a pair force that attracts neighbours until they
// touch. A film runs along the underside of ice, and at its tip a drop hangs until it freezes there or grows
// too heavy. Reads contact_in, which it fills itself; changes v.
#include "phase/phase_state.h"

#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "par/par.h"
#include "pbd/pbd_fluid_work.h"

enum { TASK = 2048, SITES = 4, HEIGHTS = 40 };
// m/s2, where nothing is given: without weight only capillarity keeps melt on the plate that melts it.
static const double WEIGHTLESS = 2;

// ---- normalisation

static double force_at(double x) {
    double far = fmax(0, 1 - x / (double)COHESION_FAR), near = fmax(0, 1 - x / (double)COHESION_NEAR);
    return x * (x * far * far - (double)COHESION_REPULSION * near * near * near);
}

// Attraction of a half space on a lattice of spacing 1, at (x, z) of a cell and this height above it.
static double lattice_force(double x, double height, double z, double unit) {
    enum { SIDE = 2, DEEP = 3 };
    double sum = 0;
    for (int i = -SIDE; i <= SIDE + 1; i++)
        for (int j = -SIDE; j <= SIDE + 1; j++)
            for (int k = 0; k < DEEP; k++) {
                double r = sqrt((x - i) * (x - i) + (z - j) * (z - j) + (height + k) * (height + k));
                sum += force_at(fmax(0, 1 + (r - 1) / unit)) * (height + k) / r;
            }
    return sum;
}

// The length is a spacing, or less where lists end before. The largest attraction of a flat surface, the mean
// over a cell at the height where it is largest, shall be the parameter's.
void phase_cohesion_init(phase *m) {
    double spacing = m->spacing, room = (double)m->f->search_radius - (m->widest + spacing) / 2, most = 0;
    m->cohesion_length = (float)fmin(spacing, room / ((double)COHESION_FAR - 1));
    for (int n = HEIGHTS / 2; n <= HEIGHTS; n++) {
        double mean = 0, height = 2.0 * n / HEIGHTS;
        for (int i = 0; i < SITES; i++)
            mean +=
                lattice_force(0.5 * (i % 2), height, 0.5 * (i / 2), (double)m->cohesion_length / spacing) /
                SITES;
        most = fmax(most, mean);
    }
    m->cohesion_norm = (float)(1 / most);
}

// ---- between particles

typedef struct cohesion_work {
    phase *m;
    const fluid_work *fluid;
    cohesion_view view;
    double wall, drag; // by bodies, in this step: m/s; share of the velocity along them
} cohesion_work;

static void copy_block(void *context, size_t begin, size_t end) {
    const cohesion_work *w = context;
    const phase *m = w->m;
    for (size_t i = begin; i < end; i++) {
        memcpy(&phase_contact_in(m)[i], m->s->p.q[i], 3 * sizeof(float));
        phase_contact_in(m)[i].radius = m->radius[i];
    }
}

static void force_block(void *context, size_t block) {
    const cohesion_work *w = context;
    float out[FLUID_BLOCK][4];
    fluid_rows run;
    unsigned wanted = w->view.cohesion > 0 ? PHASE_MIXED | PHASE_WATER_ONLY : PHASE_MIXED;
    for (size_t at = 0; phase_next_run(w->m, block, wanted, &at, &run);) {
        ISA_PICK(phase_cohesion_rows)(&w->view, &run, out);
        for (size_t k = 0; k < run.count; k++)
            for (int a = 0; a < 3; a++) w->m->s->p.v[run.own[k]][a] += out[k][a];
    }
}

// ---- by bodies and walls of the box, as flat surfaces

// Reaction of a body to a change of velocity of particle i.
static void add_impulse(const cohesion_work *w, size_t block, const fluid_wall *wall, uint32_t i,
                        firn_vec3 change) {
    const pbd_wall *body = &w->fluid->wall[wall->body];
    fluid_impulse *push = &w->m->f->impulse[block * w->m->f->bodies + wall->body];
    firn_vec3 impulse = dvec_scale(change, -w->m->def.mass);
    push->impulse = dvec_add(push->impulse, impulse);
    push->twist = dvec_add(
        push->twist, dvec_cross(dvec_sub(pbd_world(w->m->s, i, w->m->s->p.q[i]), body->centre), impulse));
}

// Ice is attracted as water is: it is frozen to the body. Water is also dragged along, as by water at rest
// there.
static void adhere_to_wall(const cohesion_work *w, size_t block, const fluid_wall *wall, uint32_t i) {
    phase *m = w->m;
    firn_vec3 q = pbd_at(m->s->p.q[i]), at = pbd_world(m->s, i, m->s->p.q[i]), v = pbd_at(m->s->p.v[i]),
              n = pbd_at(wall->n), surface = {0};
    const pbd_wall *body = wall->body == UINT32_MAX ? NULL : &w->fluid->wall[wall->body];
    double d = dvec_dot(n, q) - (double)wall->offset;
    if (body) surface = pbd_wall_velocity(body, at);
    if (body && body->dynamic) d -= dvec_dot(n, pbd_wall_moved(body, at, w->fluid->pass->dt));
    double gap = fmax(0, (d - (double)m->radius[i]) / (double)m->cohesion_length);
    if (gap >= 1) return;
    double near = (1 - gap) * (1 - gap) * (1 + 2 * gap);
    firn_vec3 relative = dvec_sub(surface, v);
    firn_vec3 along = dvec_add_scaled(relative, n, -dvec_dot(relative, n));
    firn_vec3 change = dvec_scale(along, near * w->drag * (double)m->f->liquid[i]);
    change = dvec_add_scaled(change, n, -near * w->wall);
    v = dvec_add(v, change);
    m->s->p.v[i][0] = (float)v.x, m->s->p.v[i][1] = (float)v.y, m->s->p.v[i][2] = (float)v.z;
    if (body) add_impulse(w, block, wall, i, change);
}

static void wall_block(void *context, size_t block) {
    const cohesion_work *w = context;
    const fluid_block *b = &w->m->f->block[block];
    fluid_rows rows = fluid_rows_of(w->m->f, block);
    for (size_t k = 0; k < b->walls; k++) adhere_to_wall(w, block, &b->wall[k], rows.own[b->wall[k].row]);
}

double phase_attraction(const phase *m, double given) {
    return auto_or(given, dvec_length(m->s->setting.gravity) > 0 ? 0 : WEIGHTLESS);
}

void phase_cohesion(phase *m, const pbd_pass *pass) {
    const fluid_work fluid_of_pass = fluid_work_of(m->s, m->f, pass, 1), *fluid = &fluid_of_pass;
    float dt = (float)fluid->pass->dt, each = dt * m->cohesion_norm;
    cohesion_work work = {
        .m = m, .fluid = fluid, .wall = fluid->pass->dt * phase_attraction(m, m->def.body_adhesion)};
    work.drag = 1 - pow(1 - m->def.water_viscosity, 60 * fluid->pass->dt);
    work.view = (cohesion_view){phase_contact_in(m), m->f->liquid, 1 / m->cohesion_length,
                                each * (float)phase_attraction(m, m->def.cohesion),
                                each * (float)phase_attraction(m, m->def.adhesion)};
    if (work.view.cohesion > 0 || work.view.adhesion > 0) {
        par_for(m->s->p.count, TASK, copy_block, &work);
        phase_contact_in(m)[m->s->p.count].radius = 0;
        par_tasks(m->f->blocks, force_block, &work);
    }
    if (!(work.wall > 0)) return;
    par_tasks(m->f->blocks, wall_block, &work);
    fluid_sum_impulses(fluid);
}
