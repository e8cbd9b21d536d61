// Water in snow. What a grain has melted and cannot hold seeps down to the grains below it, and a drop soaks
// into grains it touches that could still hold more. As all particles have the same mass, both exchange water
// against as much ice: the latent heat passes on. Where water meets cold snow it freezes and warms it.
#include "phase/phase_state.h"

#include <math.h>

#include "par/par.h"

enum { TASK = 2048 };

typedef struct seep_work {
    phase *m;
    double down[3];
    double share;   // of what is beyond the retention, or below it, in this time
    double thirst;  // J/kg: what a grain at the freezing point holds
    double suction; // m/s, by which it may slow a drop, in this time
} seep_work;

static const double TOUCH = 1.15; // of the sum of both radii: a drop and a grain touch
static const double CLOSED = 830; // kg/m3: the pores of denser firn have closed, nothing soaks in
static const double RISE = 0.05;  // m: so high snow draws water, that is how hard it sucks
static const double FULL = 1e-3;  // of its thirst: a grain that can hold so little more is full
static const double REST = 0.02;  // of the latent heat: a drop with so little left gives it at once
static const double LEAST = 0.01; // of the retention: cold snow drinks even if it can hold nothing

// ---- down through the snow

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

// ---- from drops into the snow

// Whether water gets into grain i.
static bool is_open(const phase *m, uint32_t i) {
    return m->s->groups[m->s->p.group[i]].volume * CLOSED > m->def.mass;
}

// What such a grain can hold more than it does (J/kg): cold ones freeze some of it first.
static double room_of(const phase *m, uint32_t i) {
    return m->def.retention * m->law.latent - phase_enthalpy(m)[i];
}

// Whether the drop of row k touches snow; what is farther off and within reach of the lists drinks too then.
static bool touches(const phase *m, const fluid_rows *rows, size_t k) {
    const pbd_particles *p = &m->s->p;
    uint32_t i = rows->own[k];
    for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n++) {
        uint32_t j = rows->index[n];
        if (j >= m->s->grains || !is_open(m, j)) continue;
        double reach = TOUCH * (double)(m->radius[i] + m->radius[j]);
        if (dvec_distance(pbd_at(p->x[i]), pbd_at(p->x[j])) < reach) return true;
    }
    return false;
}

// Which drops give; 1 if any does.
static double offer_blocks(void *context, size_t begin, size_t end) {
    const phase *m = ((const seep_work *)context)->m;
    double any = 0;
    for (size_t block = begin; block < end; block++) {
        fluid_rows rows = fluid_rows_of(m->f, block);
        for (size_t k = rows.count; k-- > 0 && rows.own[k] >= m->s->grains;) {
            uint32_t i = rows.own[k];
            bool gives = m->wet[i] == 1 && phase_enthalpy(m)[i] > 0 && touches(m, &rows, k);
            m->offer[i].enthalpy = gives;
            if (gives) any = 1;
        }
    }
    return any;
}

// The drop that a grain drinks from: the coldest, or most frozen, within reach. So few drops give all they
// have, and become grains, and not many a little of it.
static uint32_t drop_at(const phase *m, const fluid_rows *rows, size_t k) {
    const double *h = phase_enthalpy(m);
    const uint32_t *id = m->s->p.id;
    uint32_t found = PHASE_NOBODY;
    for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n++) {
        uint32_t j = rows->index[n];
        if (j < m->s->grains || j >= m->s->p.count || !(m->offer[j].enthalpy > 0)) continue;
        if (found == PHASE_NOBODY || h[j] < h[found] || (h[j] == h[found] && id[j] < id[found])) found = j;
    }
    return found;
}

// Returns the most that a grain which drinks has room for (J/kg).
static double pick_blocks(void *context, size_t begin, size_t end) {
    const seep_work *w = context;
    const phase *m = w->m;
    double most = 0;
    for (size_t block = begin; block < end; block++) {
        fluid_rows rows = fluid_rows_of(m->f, block);
        for (size_t k = 0; k < rows.count && rows.own[k] < m->s->grains; k++) {
            uint32_t i = rows.own[k];
            double room = m->wet[i] && is_open(m, i) ? room_of(m, i) : 0;
            m->drinks[i] = room > FULL * w->thirst ? drop_at(m, &rows, k) : PHASE_NOBODY;
            if (m->drinks[i] != PHASE_NOBODY) most = fmax(most, room);
        }
    }
    return most;
}

// How grains hold a drop that they drink: by suction, the drier they are and the more of it is ice. sum: of
// their velocities (m/s), and how dry they are.
static void hold(const seep_work *w, uint32_t i, const double sum[4], double count, phase_offer *offer) {
    float *v = w->m->s->p.v[i];
    double faster[3], speed2 = 0;
    for (int a = 0; a < 3; a++) faster[a] = (double)v[a] - sum[a] / count, speed2 += faster[a] * faster[a];
    double melted = fmax((double)phase_melted(w->m, i), 1e-6);
    double stop = count / (count + 1), most = w->suction * sum[3] / count / melted, speed = sqrt(speed2);
    double part = speed * stop > most ? most / speed : stop;
    for (int a = 0; a < 3; a++) {
        v[a] -= (float)(part * faster[a]);
        offer->push[a] = (float)(part * faster[a] / count);
    }
}

// A drop shares what it has alike between those that drink from it. Returns how much water goes (kg).
static double pour(const seep_work *w, const uint32_t *near, size_t count, uint32_t i) {
    const phase *m = w->m;
    double *h = phase_enthalpy(m), drinkers = 0, given = 0, mass = 0, sum[4] = {0};
    for (size_t n = 0; n < count; n++) drinkers += near[n] < m->s->grains && m->drinks[near[n]] == i;
    if (!(drinkers > 0)) return 0;
    phase_offer *offer = &m->offer[i];
    offer->enthalpy = (h[i] < REST * m->law.latent ? 1 : w->share) * h[i] / drinkers;
    for (size_t n = 0; n < count; n++) {
        uint32_t j = near[n];
        if (j >= m->s->grains || m->drinks[j] != i) continue;
        double room = room_of(m, j), part = fmin(offer->enthalpy, w->share * room);
        given += part;
        mass += m->def.mass * part / (fmax(h[i], m->law.latent) - fmin(h[j], 0)); // water against ice
        for (int a = 0; a < 3; a++) sum[a] += (double)m->s->p.v[j][a];
        sum[3] += fmin(room / w->thirst, 1);
    }
    h[i] -= given;
    hold(w, i, sum, drinkers, offer);
    return mass;
}

static double pour_blocks(void *context, size_t begin, size_t end) {
    const seep_work *w = context;
    const phase *m = w->m;
    double mass = 0;
    for (size_t block = begin; block < end; block++) {
        fluid_rows rows = fluid_rows_of(m->f, block);
        for (size_t k = 0; k < rows.count; k++) {
            uint32_t i = rows.own[k], first = rows.first[k];
            if (i >= m->s->grains && m->offer[i].enthalpy > 0)
                mass += pour(w, rows.index + first, rows.first[k + 1] - first, i);
        }
    }
    return mass;
}

static void drink_block(void *context, size_t begin, size_t end) {
    const seep_work *w = context;
    const phase *m = w->m;
    for (uint32_t i = (uint32_t)begin; i < end; i++) {
        if (m->drinks[i] == PHASE_NOBODY) continue;
        const phase_offer *offer = &m->offer[m->drinks[i]];
        phase_enthalpy(m)[i] += fmin(offer->enthalpy, w->share * room_of(m, i));
        for (int a = 0; a < 3; a++) m->s->p.v[i][a] += offer->push[a];
    }
}

static void soak(seep_work *w) {
    phase *m = w->m;
    if (!(par_max(m->f->blocks, 1, offer_blocks, w) > 0 && par_max(m->f->blocks, 1, pick_blocks, w) > 0))
        return;
    m->book.soaked += par_sum(m->f->blocks, 1, pour_blocks, w);
    par_for(m->s->grains, TASK, drink_block, w);
}

void phase_seep(phase *m, double dt) {
    firn_vec3 g = m->s->setting.gravity;
    double size = dvec_length(g), time = PHASE_UPKEEP * dt;
    if (!(m->law.latent > 0 && m->def.seep > 0) || !phase_is_upkeep(m)) return;
    seep_work work = {.m = m,
                      .share = 1 - exp(-m->def.seep * time * m->def.heat.time_lapse / m->spacing),
                      .thirst = fmax(m->def.retention, LEAST) * m->law.latent,
                      .suction = size * RISE / m->spacing * time};
    if (size > 0) work.down[0] = g.x / size, work.down[1] = g.y / size, work.down[2] = g.z / size;
    soak(&work);
    if (par_max(m->f->blocks, 1, give_blocks, &work) > 0) par_tasks(m->f->blocks, take_block, &work);
}
