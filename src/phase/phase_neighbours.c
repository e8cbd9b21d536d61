// Neighbours and walls of all particles, and which rows have to do with snow, with water or with both.
// Writes f's lists, m->tag, m->predicted, m->contact_slip = 0, f->lambda = 0.
#include "phase/phase_state.h"

#include <string.h>

#include "par/par.h"

enum { TASK = 8 * PBD_BLOCK };

bool phase_next_run(const phase *m, size_t block, unsigned wanted, size_t *at, fluid_rows *run) {
    fluid_rows rows = fluid_rows_of(m->f, block);
    size_t begin = *at, end = rows.count;
    if (!(m->block_tags[block].any & wanted)) begin = end;
    if (!(m->block_tags[block].all & wanted)) {
        while (begin < rows.count && !phase_is(m, rows.own[begin], wanted)) begin++;
        end = begin;
        while (end < rows.count && phase_is(m, rows.own[end], wanted)) end++;
    }
    *at = end;
    *run = (fluid_rows){rows.own + begin, rows.first + begin, rows.index, end - begin};
    return end > begin;
}

static void predicted_block(void *context, size_t begin, size_t end) {
    phase *m = context;
    for (size_t i = begin; i < end; i++) {
        memcpy(m->predicted[i], m->s->p.q[i], sizeof m->predicted[i]);
        memset(&m->contact_slip[i], 0, sizeof m->contact_slip[i]);
    }
}

// Water that has only water around it is treated without reading volumes.
static void tag_block(void *context, size_t block) {
    phase *m = context;
    fluid_rows rows = fluid_rows_of(m->f, block);
    ISA_PICK(phase_tag_rows)(m->f->liquid, &rows, (int)m->s->p.count, m->tag);
    phase_block_tags tags = {PHASE_ANY, 0};
    for (size_t k = 0; k < rows.count; k++) {
        tags.all &= m->tag[rows.own[k]];
        tags.any |= m->tag[rows.own[k]];
    }
    m->block_tags[block] = tags;
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
    par_tasks(f->blocks, tag_block, m);
    return FIRN_OK;
}
