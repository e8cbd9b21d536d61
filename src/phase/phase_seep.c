// Melted water that a grain cannot hold seeps down to the grains below it: its melted share, and the latent
// heat that is in it, pass on, against as much ice. Where it meets cold snow it freezes and warms it.
#include "phase/phase_state.h"

#include <math.h>

#include "par/par.h"

typedef struct seep_work {
    phase *m;
    double down[3];
    double share; // of what is beyond the retention, in this time
} seep_work;

// How far j lies below i: the cosine, 0 if it is above or no snow.
static double below(const seep_work *w, uint32_t i, uint32_t j) {
    const pbd_particles *p = &w->m->s->p;
    if (j >= w->m->s->grains) return 0;
    double d[3], length2 = 1e-30, along = 0;
    for (int a = 0; a < 3; a++) {
        d[a] = (double)p->x[j][a] - (double)p->x[i][a];
        length2 += d[a] * d[a], along += d[a] * w->down[a];
    }
    return along > 0 ? along / sqrt(length2) : 0;
}

// What a grain gives, per cosine of those below it (J/kg).
static double give_block(void *context, size_t block) {
    const seep_work *w = context;
    phase *m = w->m;
    fluid_rows rows = fluid_rows_of(m->f, block);
    double most = 0;
    for (size_t k = 0; k < rows.count && rows.own[k] < m->s->grains; k++) {
        uint32_t i = rows.own[k];
        double beyond = (double)phase_melted(m, i) - m->def.retention, sum = 0;
        m->gives[i] = 0;
        if (!(beyond > 0)) continue;
        for (uint32_t n = rows.first[k]; n < rows.first[k + 1]; n++) sum += below(w, i, rows.index[n]);
        if (sum > 0) m->gives[i] = w->share * beyond * m->law.latent / sum;
        most = fmax(most, m->gives[i]);
    }
    return most;
}

static double give_blocks(void *context, size_t begin, size_t end) {
    double most = 0;
    for (size_t k = begin; k < end; k++) most = fmax(most, give_block(context, k));
    return most;
}

static void take_block(void *context, size_t block) {
    const seep_work *w = context;
    phase *m = w->m;
    fluid_rows rows = fluid_rows_of(m->f, block);
    for (size_t k = 0; k < rows.count && rows.own[k] < m->s->grains; k++) {
        uint32_t i = rows.own[k];
        double change = 0;
        for (uint32_t n = rows.first[k]; n < rows.first[k + 1]; n++) {
            uint32_t j = rows.index[n];
            if (j >= m->s->grains) continue;
            if (m->gives[i] > 0) change -= m->gives[i] * below(w, i, j);
            if (m->gives[j] > 0) change += m->gives[j] * below(w, j, i);
        }
        phase_enthalpy(m)[i] += change;
    }
}

void phase_seep(phase *m, double dt) {
    firn_vec3 g = m->s->setting.gravity;
    double size = dvec_length(g);
    if (!(m->law.latent > 0 && m->def.seep > 0 && size > 0) || !phase_is_upkeep(m)) return;
    double time = PHASE_UPKEEP * dt * m->def.heat.time_lapse;
    seep_work work = {m, {g.x / size, g.y / size, g.z / size}, 1 - exp(-m->def.seep * time / m->spacing)};
    if (par_max(m->f->blocks, 1, give_blocks, &work) > 0) par_tasks(m->f->blocks, take_block, &work);
}
