// Water in snow. Melt that a grain cannot retain seeps down to the grains below it, what it can retain
// spreads to drier grains in contact with it, and a drop soaks into grains that can still take up water. As
// all particles have the same mass, both exchange water against as much ice: the latent heat passes on. Where
// water meets cold snow it freezes and warms it.
#include "phase/phase_state.h"

#include <math.h>

#include "par/par.h"

enum { TASK = 2048 };

typedef struct seep_work {
    phase *m;
    double down[3];
    double share;    // of the excess over the retention, in this time
    double soaks;    // of what lacks to it
    double spreads;  // of a difference between two grains
    double capacity; // J/kg: of a grain at the freezing point
    bool soaking;    // some drop does, in this time
    double suction;  // m/s, by which it may slow a drop, in this time
} seep_work;

static const double SUCTION = 100; // times `seep`: capillary suction is so fast, besides what time_lapse adds
static const double SPREADS = 1.0 / 16;    // of a difference, to each of at most so many grains in contact
static const double CONTACT_FACTOR = 1.15; // of the sum of both radii: a drop and a grain are in contact
static const double CAPILLARY_RISE = 0.05; // m: capillary rise in snow, which is its suction
static const double FULL = 1e-3;           // of its capacity: a grain that can take up less than this is full
static const double REST = 0.02;           // of the latent heat: a drop with less gives it at once
static const double LEAST = 0.01; // of the retention: cold snow takes up water even if it can retain none

static bool in_contact(const phase *m, uint32_t i, uint32_t j) {
    double distance = dvec_distance(pbd_at(m->s->p.x[i]), pbd_at(m->s->p.x[j]));
    return distance < CONTACT_FACTOR * (double)(m->radius[i] + m->radius[j]);
}

// ---- down through the snow

// Cosine of the direction from i down to j; 0 if j is above or not snow.
static double cosine_below(const seep_work *w, uint32_t i, uint32_t j) {
    const pbd_particles *p = &w->m->s->p;
    if (j >= w->m->s->grains) return 0;
    double d[3], length2 = 1e-30, along = 0;
    for (int a = 0; a < 3; a++) {
        d[a] = (double)p->x[j][a] - (double)p->x[i][a];
        length2 += d[a] * d[a], along += d[a] * w->down[a];
    }
    return along > 0 ? along / sqrt(length2) : 0;
}

// Flux of a grain, per cosine of those below it (J/kg).
static double seep_flux_block(void *context, size_t block) {
    const seep_work *w = context;
    phase *m = w->m;
    fluid_rows rows = fluid_rows_of(m->f, block);
    double most = 0;
    for (size_t k = 0; k < rows.count && rows.own[k] < m->s->grains; k++) {
        uint32_t i = rows.own[k];
        double beyond = (double)phase_melted(m, i) - m->def.retention, sum = 0;
        m->seep_flux[i] = 0;
        if (!(beyond > 0)) continue;
        for (uint32_t n = rows.first[k]; n < rows.first[k + 1]; n++) sum += cosine_below(w, i, rows.index[n]);
        if (sum > 0) m->seep_flux[i] = w->share * beyond * m->law.latent / sum;
        most = fmax(most, m->seep_flux[i]);
    }
    return most;
}

static double seep_flux_blocks(void *context, size_t begin, size_t end) {
    double most = 0;
    for (size_t k = begin; k < end; k++) most = fmax(most, seep_flux_block(context, k));
    return most;
}

static void seep_block(void *context, size_t block) {
    const seep_work *w = context;
    phase *m = w->m;
    fluid_rows rows = fluid_rows_of(m->f, block);
    for (size_t k = 0; k < rows.count && rows.own[k] < m->s->grains; k++) {
        uint32_t i = rows.own[k];
        double change = 0;
        for (uint32_t n = rows.first[k]; n < rows.first[k + 1]; n++) {
            uint32_t j = rows.index[n];
            if (j >= m->s->grains) continue;
            if (m->seep_flux[i] > 0) change -= m->seep_flux[i] * cosine_below(w, i, j);
            if (m->seep_flux[j] > 0) change += m->seep_flux[j] * cosine_below(w, j, i);
        }
        phase_enthalpy(m)[i] += change;
    }
}

// ---- from drops into the snow

// Whether water gets into grain i.
static bool is_open(const phase *m, uint32_t i) {
    return m->s->groups[m->s->p.group[i]].volume * PHASE_CLOSE_OFF > m->def.mass;
}

// Enthalpy that such a grain can still take up (J/kg): cold ones freeze some of the water first.
static double room_of(const phase *m, uint32_t i) {
    return m->def.retention * m->law.latent - phase_enthalpy(m)[i];
}

// Whether the drop of row k is in contact with snow; if so it also soaks into grains farther off in its list.
static bool touches_open_snow(const phase *m, const fluid_rows *rows, size_t k) {
    uint32_t i = rows->own[k];
    for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n++) {
        uint32_t j = rows->index[n];
        if (j >= m->s->grains || !is_open(m, j)) continue;
        if (in_contact(m, i, j)) return true;
    }
    return false;
}

// Marks the drops that soak in; 1 if any does.
static double source_blocks(void *context, size_t begin, size_t end) {
    const phase *m = ((const seep_work *)context)->m;
    double any = 0;
    for (size_t block = begin; block < end; block++) {
        fluid_rows rows = fluid_rows_of(m->f, block);
        for (size_t k = rows.count; k-- > 0 && rows.own[k] >= m->s->grains;) {
            uint32_t i = rows.own[k];
            bool is_source =
                phase_is(m, i, PHASE_MIXED) && phase_enthalpy(m)[i] > 0 && touches_open_snow(m, &rows, k);
            m->soak_flux[i].enthalpy = is_source;
            if (is_source) any = 1;
        }
    }
    return any;
}

// The drop that soaks into a grain: the coldest, or most frozen, in its list. So a few drops give all they
// have and become grains, instead of many giving a little.
static uint32_t source_of(const phase *m, const fluid_rows *rows, size_t k) {
    const double *h = phase_enthalpy(m);
    const uint32_t *id = m->s->p.id;
    uint32_t found = PHASE_NONE;
    for (uint32_t n = rows->first[k]; n < rows->first[k + 1]; n++) {
        uint32_t j = rows->index[n];
        if (j < m->s->grains || j >= m->s->p.count || !(m->soak_flux[j].enthalpy > 0)) continue;
        if (found == PHASE_NONE || h[j] < h[found] || (h[j] == h[found] && id[j] < id[found])) found = j;
    }
    return found;
}

// Returns the largest enthalpy that a sink can take up (J/kg).
static double sink_blocks(void *context, size_t begin, size_t end) {
    const seep_work *w = context;
    const phase *m = w->m;
    double most = 0;
    for (size_t block = begin; block < end; block++) {
        fluid_rows rows = fluid_rows_of(m->f, block);
        for (size_t k = 0; k < rows.count && rows.own[k] < m->s->grains; k++) {
            uint32_t i = rows.own[k];
            double room = !phase_is(m, i, PHASE_DRY) && is_open(m, i) ? room_of(m, i) : 0;
            m->soak_source[i] = room > FULL * w->capacity ? source_of(m, &rows, k) : PHASE_NONE;
            if (m->soak_source[i] != PHASE_NONE) most = fmax(most, room);
        }
    }
    return most;
}

// Suction slows a drop down relative to the grains it soaks into, the drier they are and the more of it is
// ice. sum: of their velocities (m/s), and of their dryness.
static void slow_down(const seep_work *w, uint32_t i, const double sum[4], double count,
                      phase_soak_flux *flux) {
    float *v = w->m->s->p.v[i];
    double relative[3], speed2 = 0;
    for (int a = 0; a < 3; a++)
        relative[a] = (double)v[a] - sum[a] / count, speed2 += relative[a] * relative[a];
    double melted = fmax((double)phase_melted(w->m, i), 1e-6);
    double stop = count / (count + 1), most = w->suction * sum[3] / count / melted, speed = sqrt(speed2);
    double part = speed * stop > most ? most / speed : stop;
    for (int a = 0; a < 3; a++) {
        v[a] -= (float)(part * relative[a]);
        flux->velocity[a] = (float)(part * relative[a] / count);
    }
}

// A drop gives equal parts to its sinks. Returns the mass of water (kg).
static double give(const seep_work *w, const uint32_t *near, size_t count, uint32_t i) {
    const phase *m = w->m;
    double *h = phase_enthalpy(m), sinks = 0, given = 0, mass = 0, sum[4] = {0};
    for (size_t n = 0; n < count; n++) sinks += near[n] < m->s->grains && m->soak_source[near[n]] == i;
    if (!(sinks > 0)) return 0;
    phase_soak_flux *flux = &m->soak_flux[i];
    flux->enthalpy = (h[i] < REST * m->law.latent ? 1 : w->soaks) * h[i] / sinks;
    for (size_t n = 0; n < count; n++) {
        uint32_t j = near[n];
        if (j >= m->s->grains || m->soak_source[j] != i) continue;
        double room = room_of(m, j), part = fmin(flux->enthalpy, w->soaks * room);
        given += part;
        mass += m->def.mass * part / (fmax(h[i], m->law.latent) - fmin(h[j], 0)); // water against ice
        for (int a = 0; a < 3; a++) sum[a] += (double)m->s->p.v[j][a];
        sum[3] += fmin(room / w->capacity, 1);
    }
    h[i] -= given;
    slow_down(w, i, sum, sinks, flux);
    return mass;
}

static double give_soak_blocks(void *context, size_t begin, size_t end) {
    const seep_work *w = context;
    const phase *m = w->m;
    double mass = 0;
    for (size_t block = begin; block < end; block++) {
        fluid_rows rows = fluid_rows_of(m->f, block);
        for (size_t k = 0; k < rows.count; k++) {
            uint32_t i = rows.own[k], first = rows.first[k];
            if (i >= m->s->grains && m->soak_flux[i].enthalpy > 0)
                mass += give(w, rows.index + first, rows.first[k + 1] - first, i);
        }
    }
    return mass;
}

static void soak_block(void *context, size_t begin, size_t end) {
    const seep_work *w = context;
    const phase *m = w->m;
    for (uint32_t i = (uint32_t)begin; i < end; i++) {
        if (m->soak_source[i] == PHASE_NONE) continue;
        const phase_soak_flux *flux = &m->soak_flux[m->soak_source[i]];
        phase_enthalpy(m)[i] += fmin(flux->enthalpy, w->soaks * room_of(m, i));
        for (int a = 0; a < 3; a++) m->s->p.v[i][a] += flux->velocity[a];
    }
}

// ---- among the grains

// Water of a grain that suction moves (J/kg); below 0: it takes no part. That is closed, or a drop soaks into
// it: it fills up first, so that drops run on to others.
static double held(const seep_work *w, uint32_t i) {
    const phase *m = w->m;
    if (!is_open(m, i) || (w->soaking && m->soak_source[i] != PHASE_NONE)) return -1;
    return fmin(fmax(phase_enthalpy(m)[i], 0), m->def.retention * m->law.latent);
}

static double held_blocks(void *context, size_t begin, size_t end) {
    const seep_work *w = context;
    double most = 0;
    for (uint32_t i = (uint32_t)begin; i < end; i++) {
        w->m->soak_flux[i].enthalpy = held(w, i);
        most = fmax(most, w->m->soak_flux[i].enthalpy);
    }
    return most;
}

// Differences even out, by the same number with the opposite sign for both grains of a pair.
static void spread_block(void *context, size_t block) {
    const seep_work *w = context;
    phase *m = w->m;
    fluid_rows rows = fluid_rows_of(m->f, block);
    for (size_t k = 0; k < rows.count && rows.own[k] < m->s->grains; k++) {
        uint32_t i = rows.own[k];
        double own = m->soak_flux[i].enthalpy, change = 0;
        if (own < 0) continue;
        for (uint32_t n = rows.first[k]; n < rows.first[k + 1]; n++) {
            uint32_t j = rows.index[n];
            if (j >= m->s->grains) continue;
            double other = m->soak_flux[j].enthalpy;
            if (other >= 0 && other != own && in_contact(m, i, j)) change += other - own;
        }
        phase_enthalpy(m)[i] += w->spreads * change;
    }
}

static void spread(seep_work *w) {
    phase *m = w->m;
    if (par_max(m->s->grains, TASK, held_blocks, w) > 0) par_tasks(m->f->blocks, spread_block, w);
}

static void soak(seep_work *w) {
    phase *m = w->m;
    if (!(par_max(m->f->blocks, 1, source_blocks, w) > 0 && par_max(m->f->blocks, 1, sink_blocks, w) > 0))
        return;
    w->soaking = true;
    m->counters.soaked += par_sum(m->f->blocks, 1, give_soak_blocks, w);
    par_for(m->s->grains, TASK, soak_block, w);
}

void phase_seep(phase *m, double dt) {
    firn_vec3 g = m->s->setting.gravity;
    double size = dvec_length(g), time = PHASE_UPKEEP * dt;
    if (!(m->law.latent > 0 && m->def.seep > 0) || !phase_is_upkeep(m)) return;
    seep_work work = {.m = m,
                      .share = 1 - exp(-m->def.seep * time * m->def.heat.time_lapse / m->spacing),
                      .soaks = 1 - exp(-m->def.seep * time * (m->def.heat.time_lapse + SUCTION) / m->spacing),
                      .spreads = SPREADS * (1 - exp(-m->def.seep * time * SUCTION / m->spacing)),
                      .capacity = fmax(m->def.retention, LEAST) * m->law.latent,
                      .suction = size * CAPILLARY_RISE / m->spacing * time};
    if (size > 0) work.down[0] = g.x / size, work.down[1] = g.y / size, work.down[2] = g.z / size;
    soak(&work);
    spread(&work);
    if (par_max(m->f->blocks, 1, seep_flux_blocks, &work) > 0) par_tasks(m->f->blocks, seep_block, &work);
}
