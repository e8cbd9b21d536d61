// Contacts between grains, with Coulomb friction on the accumulated tangential displacement (PHASE21 eq.
// 5.22). One Jacobi iteration. Reads contact_in and tangential_in, which it fills itself; writes
// phase_correction, which phase_links_pull completes and applies.
#include "phase/phase_state.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

enum { TASK = 8 * PBD_BLOCK };

// A drop that freezes inside a grain, where water may be, is not thrown out of it: until it is fully solid
// its contacts push with a few times its weight (m/s2), the remaining depth is shifted at this speed (m/s).
static const double EMBEDDED_PUSH = 15, EMBEDDED_SPEED = 1;

// Share of the penetration that a round before the first step corrects: loose snow has few contacts.
static const float SETTLE = 0.5f;

typedef struct contact_work {
    phase *m;
    contact_view view;
} contact_work;

static void copy_block(void *context, size_t begin, size_t end) {
    const phase *m = ((const contact_work *)context)->m;
    const pbd_particles *p = &m->s->p;
    const float(*before)[3] = (const float(*)[3])phase_tangential(m);
    contact_in *at = phase_contact_in(m);
    tangential_in *tangential = phase_tangential_in(m);
    for (size_t i = begin; i < end; i++) {
        if (phase_is(m, i, PHASE_WATER_ONLY)) continue; // no grain has it for a neighbour
        memcpy(&at[i], p->q[i], 3 * sizeof(float));
        at[i].radius = phase_linked_radius(m, i);
        m->motion[i] =
            (motion_in){p->q[i][0] - p->x[i][0], p->q[i][1] - p->x[i][1], p->q[i][2] - p->x[i][2], 0};
        tangential[i] = (tangential_in){before[i][0] + (p->q[i][0] - p->x[i][0]),
                                        before[i][1] + (p->q[i][1] - p->x[i][1]),
                                        before[i][2] + (p->q[i][2] - p->x[i][2]), 1 - m->f->liquid[i]};
    }
}

// The padding of the lists has no size.
static void set_padding(phase *m) {
    phase_contact_in(m)[m->s->p.count].radius = 0;
    phase_tangential_in(m)[m->s->p.count] = (tangential_in){0, 0, 0, 1};
    m->motion[m->s->p.count] = (motion_in){0};
}

static void contact_block(void *context, size_t block) {
    const contact_work *w = context;
    phase *m = w->m;
    contact_sums sums[FLUID_BLOCK];
    fluid_rows run;
    for (size_t at = 0; phase_next_run(m, block, PHASE_SOLID, &at, &run);) {
        ISA_PICK(phase_contact_rows)(&w->view, &run, sums);
        for (size_t k = 0; k < run.count; k++) {
            uint32_t i = run.own[k];
            const contact_sums *sum = &sums[k];
            phase_correction *out = &phase_corrections(m)[i];
            memcpy(out, sum->move, sizeof sum->move);
            out->shifted = sum->shifts;
            for (int a = 0; a < 3 && sum->shifts; a++) {
                m->s->p.x[i][a] += sum->shift[a];
                phase_shifts(m)[i][a] = sum->shift[a];
            }
            m->contact_slip[i] = (slip_out){sum->slip[0], sum->slip[1], sum->slip[2], sum->contacts};
        }
    }
}

void phase_contacts(phase *m, double dt) {
    double each = dt / (m->def.iterations * m->def.stiffness);
    contact_work work = {m,
                         {.at = phase_contact_in(m),
                          .tangential = phase_tangential_in(m),
                          .motion = m->motion,
                          .max_parting = (float)(PHASE_PARTING * dt),
                          .stiffness = (float)m->def.stiffness,
                          .mu_static = (float)m->def.static_friction,
                          .mu_kinetic = (float)m->def.friction,
                          .max_depth = (float)(EMBEDDED_PUSH * dt * each),
                          .max_shift = (float)(EMBEDDED_SPEED * each)}};
    par_for(m->s->p.count, TASK, copy_block, &work);
    set_padding(m);
    par_tasks(m->f->blocks, contact_block, &work);
}

// ---- before the first step

static void copy_still_block(void *context, size_t begin, size_t end) {
    const phase *m = ((const contact_work *)context)->m;
    contact_in *at = phase_contact_in(m);
    for (size_t i = begin; i < end; i++) {
        memcpy(&at[i], m->s->p.q[i], 3 * sizeof(float));
        at[i].radius = m->radius[i];
        m->motion[i] = (motion_in){0};
        phase_tangential_in(m)[i] = (tangential_in){0, 0, 0, 1 - m->f->liquid[i]};
    }
}

// Positions move; returns the largest motion, in units of `stiffness` times the radius.
static double settle_block(void *context, size_t begin, size_t end) {
    const contact_work *w = context;
    contact_sums sums[FLUID_BLOCK];
    fluid_rows run;
    double worst = 0;
    for (size_t block = begin; block < end; block++)
        for (size_t at = 0; phase_next_run(w->m, block, PHASE_SOLID, &at, &run);) {
            ISA_PICK(phase_contact_rows)(&w->view, &run, sums);
            for (size_t k = 0; k < run.count; k++) {
                uint32_t i = run.own[k];
                float *q = w->m->s->p.q[i];
                for (int a = 0; a < 3; a++) q[a] += sums[k].move[a];
                double moved = dvec_length(dvec_of_floats(sums[k].move));
                worst = fmax(worst, moved / (double)(w->view.stiffness * w->m->radius[i]));
            }
        }
    return worst;
}

double phase_settle(phase *m) {
    contact_work work = {m,
                         {.at = phase_contact_in(m),
                          .tangential = phase_tangential_in(m),
                          .motion = m->motion,
                          .max_parting = INFINITY,
                          .stiffness = SETTLE,
                          .max_depth = INFINITY}};
    par_for(m->s->p.count, TASK, copy_still_block, &work);
    set_padding(m);
    return par_max(m->f->blocks, 1, settle_block, &work);
}
