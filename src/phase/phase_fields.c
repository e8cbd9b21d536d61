// Fields that are written, drawn and hashed; the ledger.
#include "phase/phase_state.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

enum { TASK = 2048 };

enum { STATE = FIRN_FIELD_STATE, SHOWN = FIRN_FIELD_SHOWN, BOTH = STATE | SHOWN };

FIELD_GET(get_position, phase, s->s->p.count, s->s->p.at)
FIELD_GET(get_velocity, phase, s->s->p.count, s->s->p.v)
FIELD_GET(get_id, phase, s->s->p.count, s->s->p.id)
FIELD_GET(get_group, phase, s->s->p.count, s->s->p.group)
FIELD_GET(get_kind, phase, s->s->p.count, s->kind)
FIELD_GET(get_temperature, phase, s->s->p.count, s->temperature)
FIELD_GET(get_wetness, phase, s->s->p.count, s->wetness)
FIELD_GET(get_links, phase, s->s->p.count, s->held)
FIELD_GET(get_lump, phase, s->s->p.count, s->lump)
FIELD_GET(get_enthalpy, phase, s->s->p.count, phase_enthalpy(s))
FIELD_GET(get_liquid, phase, s->s->p.count, phase_liquid(s))
FIELD_GET(get_tangential, phase, s->s->p.count, phase_tangential(s))
FIELD_GET(get_pushed, phase, s->s->p.count, phase_pushed(s))
FIELD_GET(get_link_count, phase, s->links.numbers, s->links.count)
FIELD_GET(get_link_partner, phase, s->links.numbers * s->links.most, s->links.partner)
FIELD_GET(get_link_length, phase, s->links.numbers * s->links.most, s->links.length)
FIELD_GET(get_label, phase, s->links.numbers, s->lumps.label)
FIELD_GET(get_rest, phase, s->links.numbers, s->lumps.rest)
FIELD_GET(get_spouted, phase, s->f->spouts, s->f->layers)
FIELD_GET(get_counters, phase, PHASE_COUNTERS, &s->counters)
FIELD_GET(get_heat_totals, phase, sizeof(heat_totals) / sizeof(double), heat_totals_of(s->heat))
FIELD_GET(get_motion_counters, phase, PBD_COUNTERS, &s->s->counters)

FIELD_GET_IF(get_rest_time, phase, phase_settles(s->s->setting.def), s->s->p.count,
             s->s->column[PHASE_REST].at)
FIELD_GET_IF(get_waiting, phase, phase_gets_melt(s->s->setting.def), s->waits ? PHASE_WAITING : 0,
             &s->waiting)

static const field_row rows[] = {
    {"phase.position", "m", "position of the particles", FIRN_F64, 3, BOTH, get_position},
    {"phase.velocity", "m/s", "velocity of the particles", FIRN_F32, 3, BOTH, get_velocity},
    {"phase.id", "", "persistent number of a particle", FIRN_U32, 1, BOTH, get_id},
    {"phase.group", "",
     "four times the index of its source in the order of the scene, plus 0 snow, 1 its melt, 2 ice, 3 water",
     FIRN_U32, 1, BOTH, get_group},
    {"phase.kind", "", "0 snow, 1 water", FIRN_U32, 1, SHOWN, get_kind},
    {"phase.temperature", "C", "temperature of a particle", FIRN_F32, 1, SHOWN, get_temperature},
    {"phase.wetness", "", "melted mass fraction of a particle", FIRN_F32, 1, SHOWN, get_wetness},
    {"phase.links", "", "number of grains that a grain is linked to", FIRN_U32, 1, SHOWN, get_links},
    {"phase.lump", "", "smallest particle number in the lump that a grain belongs to; 2^32 - 1: none",
     FIRN_U32, 1, SHOWN, get_lump},
    {"phase.enthalpy", "J/kg", "specific enthalpy: 0 where a particle is frozen and about to melt", FIRN_F64,
     1, STATE, get_enthalpy},
    {"phase.liquid", "", "liquid fraction: 0 grain, 1 water", FIRN_F32, 1, STATE, get_liquid},
    {"phase.slid", "m", "tangential displacement of a grain since contact began, less what slipped", FIRN_F32,
     3, STATE, get_tangential},
    {"phase.pushed", "m/s2", "acceleration of a grain with elastic links by all else, in the last step",
     FIRN_F32, 3, STATE, get_pushed},
    {"phase.link_count", "", "number of links of each particle, by its number", FIRN_U32, 1, STATE,
     get_link_count},
    {"phase.link_partner", "", "particle at the other end of each link, by number and slot", FIRN_U32, 1,
     STATE, get_link_partner},
    {"phase.link_length", "m", "rest length of each link, by number and slot", FIRN_F32, 1, STATE,
     get_link_length},
    {"phase.label", "", "lump that each particle belongs to, by its number", FIRN_U32, 1, STATE, get_label},
    {"phase.rest", "m", "position of each particle in the undeformed lump, by its number", FIRN_F32, 3, STATE,
     get_rest},
    {"phase.spouted", "", "layers of particles emitted by each spout", FIRN_F64, 1, STATE, get_spouted},
    {"phase.counters", "",
     "particles melted and frozen, links formed and broken, largest velocity added by a change (m/s), "
     "whether lumps must be found again, steps, water soaked into snow (kg)",
     FIRN_F64, 1, STATE, get_counters},
    {"phase.heat_totals", "J",
     "heat from the air, from bodies and other models, and with particles that entered or left", FIRN_F64, 1,
     STATE, get_heat_totals},
    {"phase.motion_counters", "",
     "counters of the motion: mass in and out (kg), last step (s), next id, steps, iterations", FIRN_F64, 1,
     STATE, get_motion_counters},
    {"phase.rest_time", "s", "for how long a grain has been frozen and at rest", FIRN_F32, 1, STATE,
     get_rest_time},
    {"phase.waiting", "",
     "what came from other models and is too little for a particle: mass (kg), momentum (N s), heat (J)",
     FIRN_F64, 1, STATE, get_waiting},
};
static const field_table own_fields = FIELD_TABLE(rows);
const field_table *const phase_field_tables[] = {&own_fields, NULL};

static firn_status is_fixed(const char *name, size_t count, size_t wanted) {
    if (count == wanted) return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "field '%s' has %zu values instead of %zu", name, count, wanted);
}

static firn_status resize_numbers(phase *m, const char *name, size_t count) {
    size_t each =
        strncmp(name, "phase.link_p", 12) == 0 || strncmp(name, "phase.link_l", 12) == 0 ? m->links.most : 1;
    if (count % each != 0) return is_fixed(name, count, m->links.numbers * each);
    m->links.numbers = count / each;
    TRY(phase_links_reserve(m, m->links.numbers));
    return phase_lumps_reserve(m);
}

firn_status phase_resize(void *model, const char *name, size_t count) {
    phase *m = model;
    m->shown = true; // nothing can be worked out before all is loaded
    if (strcmp(name, "phase.spouted") == 0) return is_fixed(name, count, m->f->spouts);
    if (strcmp(name, "phase.counters") == 0) return is_fixed(name, count, PHASE_COUNTERS);
    if (strcmp(name, "phase.motion_counters") == 0) return is_fixed(name, count, PBD_COUNTERS);
    if (strcmp(name, "phase.heat_totals") == 0)
        return is_fixed(name, count, sizeof(heat_totals) / sizeof(double));
    if (strcmp(name, "phase.waiting") == 0) {
        m->waits = count > 0;
        m->waiting = (phase_waiting){0};
        return count == 0 ? FIRN_OK : is_fixed(name, count, PHASE_WAITING);
    }
    if (strncmp(name, "phase.link_", 11) == 0 || strcmp(name, "phase.label") == 0 ||
        strcmp(name, "phase.rest") == 0)
        return resize_numbers(m, name, count);
    if (strcmp(name, "phase.temperature") == 0) m->frame = true; // looked at as it is
    if (strcmp(name, "phase.enthalpy") == 0) m->frame = false;
    TRY(pbd_reserve(m->s, count + 1));
    m->s->p.count = count;
    TRY(fluid_reserve(m->s, m->f));
    return phase_reserve(m);
}

static firn_status check_links(const phase *m) {
    const phase_links *l = &m->links;
    for (size_t k = 0; k < l->numbers; k++) {
        bool well =
            l->count[k] <= l->most && (m->lumps.label[k] == UINT32_MAX || m->lumps.label[k] < l->numbers);
        for (size_t n = 0; well && n < l->count[k]; n++) well = l->partner[k * l->most + n] < l->numbers;
        if (!well) return fail(FIRN_BAD_INPUT, "particle %zu of phase: invalid links", k);
    }
    return FIRN_OK;
}

firn_status phase_loaded(void *model) {
    phase *m = model;
    pbd_particles *p = &m->s->p;
    uint32_t last = 0;
    for (size_t i = 0; i < p->count; i++) {
        if (p->group[i] >= m->s->group_count)
            return fail(FIRN_BAD_INPUT, "particle %zu of phase: unknown group index", i);
        if (p->id[i] > UINT32_MAX / 4)
            return fail(FIRN_BAD_INPUT, "particle %zu of phase: invalid number", i);
        last = p->id[i] > last ? p->id[i] : last;
    }
    if (p->count > 0) m->s->counters.next_id = fmax(m->s->counters.next_id, (double)last + 1);
    TRY(check_links(m));
    TRY(fluid_reserve(m->s, m->f));
    TRY(phase_reserve(m));
    if (m->links.numbers > 0) memset(m->links.place, 0xff, m->links.numbers * sizeof *m->links.place);
    phase_links_locate(m);
    m->shown = m->frame;
    return m->frame ? FIRN_OK : phase_lumps_list(m);
}

static void show_block(void *context, size_t begin, size_t end) {
    phase *m = context;
    for (size_t i = begin; i < end; i++) {
        uint32_t number = m->s->p.id[i];
        m->kind[i] = !phase_is_snow(m, i);
        m->temperature[i] = (float)phase_temperature(m, i);
        m->wetness[i] = m->law.latent > 0 ? phase_melted(m, i) : phase_liquid(m)[i];
        m->held[i] = m->links.count[number];
        m->lump[i] = m->lumps.label[number];
    }
}

void phase_show(void *model) {
    phase *m = model;
    if (m->shown || phase_reserve(m) != FIRN_OK) return;
    par_for(m->s->p.count, TASK, show_block, m);
    m->shown = true;
}

// Of snow and of water.
typedef struct heat_sums_of {
    double count[2], degrees[2], melted[2], heat, links;
} heat_sums_of;

static void sum_block(void *context, size_t begin, size_t end, void *partial) {
    const phase *m = context;
    heat_sums_of *s = partial;
    for (size_t i = begin; i < end; i++) {
        int water = !phase_is_snow(m, i);
        s->count[water]++;
        s->degrees[water] += phase_temperature(m, i);
        s->heat += phase_enthalpy(m)[i] * m->def.mass;
        s->melted[water] += m->law.latent > 0 ? (double)phase_melted(m, i) : water;
        s->links += m->links.count[m->s->p.id[i]];
    }
}

static void join_sums(void *into, const void *from) {
    double *a = into;
    const double *b = from;
    for (size_t k = 0; k < sizeof(heat_sums_of) / sizeof(double); k++) a[k] += b[k];
}

static heat_sums_of sum_heat(const phase *m) {
    heat_sums_of s = {.heat = 0};
    if (par_reduce(m->s->p.count, TASK, sizeof s, sum_block, join_sums, (void *)m, &s) != FIRN_OK) {
        s = (heat_sums_of){.heat = 0}; // no memory for partial sums: one after the other
        sum_block((void *)m, 0, m->s->p.count, &s);
    }
    return s;
}

void phase_ledger(const void *model, firn_ledger *out) {
    const phase *m = model;
    pbd_ledger(m->s, out);
    const phase_waiting *w = &m->waiting;
    out->mass += w->mass;
    out->momentum = dvec_add(out->momentum, dvec(w->momentum[0], w->momentum[1], w->momentum[2]));
    out->heat = sum_heat(m).heat + w->heat;
}

// One number of each row below.
typedef struct phase_series {
    double snow, water;
    double snow_degrees, water_degrees;
    double liquid, held, soaked;
    double links;
    double melted, frozen;
    double jump;
    double air, bodies, sources;
} phase_series;

static void get_series(const void *model, double *values) {
    const phase *m = model;
    const heat_sums_of s = sum_heat(m);
    const heat_totals *totals = heat_totals_of(m->heat);
    const phase_series out = {
        .snow = s.count[0],
        .water = s.count[1],
        .snow_degrees = s.count[0] > 0 ? s.degrees[0] / s.count[0] : m->law.freeze,
        .water_degrees = s.count[1] > 0 ? s.degrees[1] / s.count[1] : m->law.freeze,
        .liquid = (s.melted[0] + s.melted[1]) * m->def.mass,
        .held = s.melted[0] * m->def.mass,
        .soaked = m->counters.soaked,
        .links = s.links / 2,
        .melted = m->counters.melted,
        .frozen = m->counters.frozen,
        .jump = m->counters.jump,
        .air = totals->air,
        .bodies = totals->bodies,
        .sources = totals->sources,
    };
    memcpy(values, &out, sizeof out);
}

static const series_row series_rows[] = {
    {"number of particles", "snow", "", "particles that are snow"},
    {"number of particles", "water", "", "particles that are water"},
    {"mean temperature", "snow", "C", "mean over all snow; the melting point if there is none"},
    {"mean temperature", "water", "C", "mean over all water; the melting point if there is none"},
    {"liquid water", "all", "kg", "water, and the melted part of the snow"},
    {"liquid water", "held in snow", "kg", "water that melted or soaked in and is held by snow"},
    {"liquid water", "soaked so far", "kg", "water that snow has absorbed since the start"},
    {"links", "", "", "number of links between particles of snow"},
    {"changes of kind so far", "melted", "", "particles that have become water since the start"},
    {"changes of kind so far", "frozen", "", "particles that have become snow since the start"},
    {"largest jump so far", "", "m/s", "largest velocity that a change of kind has added since the start"},
    {"heat so far from", "air", "J", "heat absorbed from the air since the start"},
    {"heat so far from", "bodies", "J", "heat absorbed from bodies and snow of other models since the start"},
    {"heat so far from", "sources", "J", "heat added by sources since the start"},
};
_Static_assert(sizeof(phase_series) == sizeof series_rows / sizeof *series_rows * sizeof(double),
               "a number for every row");
static const series_table own_series = SERIES_TABLE(series_rows, NULL, get_series);

static void get_iterations(const void *model, double *values) {
    pbd_get_iterations(((const phase *)model)->s, values);
}
static const series_table iteration_series = {&pbd_iteration_row, 1, NULL, get_iterations};
const series_table *const phase_series_tables[] = {&iteration_series, &own_series, NULL};
