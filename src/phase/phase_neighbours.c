// Neighbours and walls of all particles, and which rows have to do with snow, with water or with both.
// Writes f's lists, m->surroundings, m->predicted, m->contact_slip = 0, f->lambda = 0.
#include "phase/phase_state.h"

#include <string.h>

#include "par/par.h"

enum { TASK = 8 * PBD_BLOCK };

bool phase_next_run(const phase *m, size_t block, bool (*wanted)(const phase *m, uint32_t i), size_t *at,
                    fluid_rows *run) {
    fluid_rows rows = fluid_rows_of(m->f, block);
    size_t begin = *at;
    while (begin < rows.count && !wanted(m, rows.own[begin])) begin++;
    size_t end = begin;
    while (end < rows.count && wanted(m, rows.own[end])) end++;
    *at = end;
    *run = (fluid_rows){rows.own + begin, rows.first + begin, rows.index, end - begin};
    return end > begin;
}

static void predicted_block(void *context, size_t begin, size_t end) {
    phase *m = context;
    for (size_t i = begin; i < end; i++) {
        memcpy(m->predicted[i], m->s->p.q[i], sizeof m->predicted[i]);
        m->surroundings[i] = m->f->liquid[i] > 0 ? PHASE_MIXED : PHASE_DRY;
        memset(&m->contact_slip[i], 0, sizeof m->contact_slip[i]);
    }
}

// Water that has only water around it is treated without reading volumes.
static void water_block(void *context, size_t block) {
    phase *m = context;
    fluid_rows rows = fluid_rows_of(m->f, block);
    for (size_t k = 0; k < rows.count; k++) {
        bool water = m->f->liquid[rows.own[k]] >= 1;
        for (uint32_t n = rows.first[k]; n < rows.first[k + 1] && water; n++)
            water = m->f->liquid[rows.index[n]] >= 1;
        if (water) m->surroundings[rows.own[k]] = PHASE_WATER_ONLY;
    }
}

firn_status phase_find_neighbours(phase *m, const pbd_pass *pass, bool sort) {
    pbd *s = m->s;
    pbd_fluid *f = m->f;
    TRY(fluid_reserve(s, f));
    TRY(phase_reserve(m));
    TRY(fluid_find_neighbours(s, f, true, sort));
    TRY(fluid_find_walls(s, f, pass));
    memset(f->lambda, 0, s->p.count * sizeof *f->lambda);
    par_for(s->p.count, TASK, predicted_block, m);
    f->liquid[s->p.count] = 1; // the padding of the lists
    par_tasks(f->blocks, water_block, m);
    return FIRN_OK;
}
