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

static void own_tag_block(void *context, size_t begin, size_t end) {
    const phase *m = context;
    for (size_t i = begin; i < end; i++) {
        float liquid = m->f->liquid[i];
        m->tag[i] = (uint8_t)(liquid >= 1 ? PHASE_WATER_ONLY : liquid > 0 ? PHASE_MIXED : PHASE_DRY);
    }
}

// Water that has only water around it is treated without reading volumes. Grains, which are fewer, tell the
// water around them: several may write the same number to one place, so lists are read from one side only.
static void meet_block(void *context, size_t block) {
    const phase *m = context;
    const float *liquid = m->f->liquid;
    fluid_rows rows = fluid_rows_of(m->f, block);
    for (size_t k = 0; k < rows.count; k++) {
        uint32_t i = rows.own[k];
        if (!(liquid[i] < 1)) continue;
        bool wet = false;
        for (uint32_t n = rows.first[k]; n < rows.first[k + 1]; n++) {
            uint32_t j = rows.index[n];
            if (!(liquid[j] > 0) || j == m->s->p.count) continue;
            wet = true;
            if (liquid[j] >= 1) __atomic_store_n(&m->tag[j], PHASE_MIXED, __ATOMIC_RELAXED);
        }
        if (wet) m->tag[i] = PHASE_MIXED; // nobody else writes to what is not fully water
    }
}

static void tag_block(void *context, size_t block) {
    phase *m = context;
    fluid_rows rows = fluid_rows_of(m->f, block);
    phase_block_tags tags = {PHASE_ANY, 0};
    for (size_t k = 0; k < rows.count; k++) {
        float liquid = m->f->liquid[rows.own[k]];
        uint8_t *tag = &m->tag[rows.own[k]];
        if (liquid < 1) *tag |= PHASE_SOLID;
        if (liquid > 0 && !(*tag & PHASE_WATER_ONLY)) *tag |= PHASE_PRESSED;
        tags.all &= *tag;
        tags.any |= *tag;
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
    par_for(s->p.count, TASK, own_tag_block, m);
    par_tasks(f->blocks, meet_block, m);
    par_tasks(f->blocks, tag_block, m);
    return FIRN_OK;
}
