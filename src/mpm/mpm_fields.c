// Fields, ledger, and the check for invalid particles.
#include "mpm/mpm_heat.h"
#include "mpm/mpm_implicit.h"
#include "mpm/mpm_ranks.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

enum { STATE = FIRN_FIELD_STATE, SHOWN = FIRN_FIELD_SHOWN, BOTH = STATE | SHOWN };

FIELD_GET(get_position, mpm_state, s->p.count, s->p.x)
FIELD_GET(get_velocity, mpm_state, s->p.count, s->p.v)
FIELD_GET(get_plastic, mpm_state, s->p.count, s->p.jp)
FIELD_GET(get_density, mpm_state, s->p.count, mpm_shown_density(&s->p))
FIELD_GET(get_pressure, mpm_state, s->p.count, mpm_shown_pressure(&s->p))
FIELD_GET(get_mass, mpm_state, s->p.count, mpm_shown_mass(&s->p))
FIELD_GET(get_temperature, mpm_state, s->p.count, mpm_shown_temperature(&s->p))
FIELD_GET(get_affine, mpm_state, s->p.count, s->p.affine)
FIELD_GET(get_elastic, mpm_state, s->p.count, s->p.strain)
FIELD_GET(get_stress, mpm_state, s->p.count, s->p.tau)
FIELD_GET(get_id, mpm_state, s->p.count, s->p.id)
FIELD_GET(get_snow, mpm_state, s->p.count, s->p.material)
FIELD_GET_IF(get_bond, mpm_state, s->p.clods, s->p.count, s->p.bond)
FIELD_GET(get_counters, mpm_state, MPM_COUNTERS, &s->counters)
FIELD_GET_IF(get_rest, mpm_state, s->p.rests, s->p.count, s->p.rest)
FIELD_GET_IF(get_wetness, mpm_state, s->heat, s->p.count, mpm_shown_wetness(&s->p))
FIELD_GET_IF(get_strength, mpm_state, s->heat, s->p.count, s->p.strength)
FIELD_GET_IF(get_healed, mpm_state, s->heat, s->p.count, s->p.healed)
FIELD_GET_IF(get_enthalpy, mpm_state, s->heat, s->p.count, s->p.enthalpy)
FIELD_GET_IF(get_heat_totals, mpm_state, s->heat, MPM_HEAT_TOTALS, &s->heat->totals)
FIELD_GET_IF(get_solver, mpm_state, s->solver, MPM_SOLVER_STATS, s->solver->stats)

static const field_row rows[] = {
    {"mpm.position", "m", "position of the particles", FIRN_F64, 3, BOTH, get_position},
    {"mpm.velocity", "m/s", "velocity of the particles", FIRN_F32, 3, BOTH, get_velocity},
    {"mpm.plastic", "", "plastic volume ratio, det F_P: below 1 compacted, above 1 loosened", FIRN_F32, 1,
     BOTH, get_plastic},
    {"mpm.density", "kg/m3", "density of the snow at a particle", FIRN_F32, 1, SHOWN, get_density},
    {"mpm.pressure", "Pa", "pressure in the snow (minus the mean stress); negative in tension", FIRN_F32, 1,
     SHOWN, get_pressure},
    {"mpm.mass", "kg", "mass of a particle", FIRN_F32, 1, SHOWN, get_mass},
    {"mpm.temperature", "C", "temperature of the snow; without mpm.heat that of the scene", FIRN_F32, 1,
     SHOWN, get_temperature},
    {"mpm.wetness", "", "melted mass fraction of a particle", FIRN_F32, 1, SHOWN, get_wetness},
    {"mpm.strength", "", "factor of temperature and water on stiffness and strength", FIRN_F32, 1, BOTH,
     get_strength},
    {"mpm.healed", "", "factor of sintering on the loosening mpm.plastic: 1 nothing has healed", FIRN_F32, 1,
     BOTH, get_healed},
    {"mpm.enthalpy", "J/kg", "specific enthalpy: 0 where a particle is frozen and about to melt", FIRN_F64, 1,
     STATE, get_enthalpy},
    {"mpm.heat_totals", "J",
     "heat from the air, from bodies and other models, and with particles that entered or left; seconds of "
     "motion that heat "
     "has still to catch up with",
     FIRN_F64, 1, STATE, get_heat_totals},
    {"mpm.affine", "1/s", "affine part of the velocity around a particle, by columns", FIRN_F32, 9, STATE,
     get_affine},
    {"mpm.elastic", "", "elastic strain F_E F_E^T - 1: xx, xy, xz, yy, yz, zz", FIRN_F32, 6, STATE,
     get_elastic},
    {"mpm.stress", "J", "rest volume times Kirchhoff stress: xx, xy, xz, yy, yz, zz", FIRN_F32, 6, STATE,
     get_stress},
    {"mpm.id", "", "persistent number of a particle", FIRN_U32, 1, BOTH, get_id},
    {"mpm.snow", "", "index of its piece of snow, in scene order", FIRN_U32, 1, BOTH, get_snow},
    {"mpm.bond", "", "share of critical_stretch that a particle bears: less than 1 in seams between clods",
     FIRN_F32, 1, STATE, get_bond},
    {"mpm.rest", "s", "time for which a particle has been at rest, where there is a snow field", FIRN_F32, 1,
     STATE, get_rest},
    {"mpm.counters", "",
     "mass in, out and lost (kg), largest squares of speed and wave speed (m2/s2), time of entry (s), "
     "next id",
     FIRN_F64, 1, STATE, get_counters},
    {"mpm.solver", "",
     "semi-implicit solve: iterations and relative residual of the last step, iterations since the start",
     FIRN_F64, 1, STATE, get_solver},
};
static const field_table own_fields = FIELD_TABLE(rows);
const field_table *const mpm_field_tables[] = {&own_fields, NULL};

void mpm_sum_block(void *state, size_t begin, size_t end, void *sums) {
    const mpm_state *s = state;
    mpm_ledger_sums *t = sums;
    for (size_t i = begin; i < end; i++) {
        double m = s->materials[s->p.material[i]].mass;
        const float *v = s->p.v[i];
        const double *x = s->p.x[i];
        double v2 = (double)v[0] * v[0] + (double)v[1] * v[1] + (double)v[2] * v[2];
        t->mass += m;
        for (int a = 0; a < 3; a++) t->momentum[a] += m * v[a];
        t->kinetic += 0.5 * m * v2;
        t->weight_height -=
            m * (s->setting.gravity.x * x[0] + s->setting.gravity.y * x[1] + s->setting.gravity.z * x[2]);
        t->max_speed2 = fmax(t->max_speed2, v2);
    }
}

void mpm_join_sums(void *into, const void *from) {
    mpm_ledger_sums *a = into;
    const mpm_ledger_sums *b = from;
    a->mass += b->mass;
    for (int k = 0; k < 3; k++) a->momentum[k] += b->momentum[k];
    a->kinetic += b->kinetic;
    a->weight_height += b->weight_height;
    a->max_speed2 = fmax(a->max_speed2, b->max_speed2);
}

void mpm_ledger(const void *model, firn_ledger *out) {
    const mpm_state *s = model;
    mpm_ledger_sums t = {0};
    bool slabs = mpm_ranks_in_slabs(s);
    if (slabs) {
        t = s->ranks->sums;
    } else if (par_reduce(s->p.count, MPM_LEDGER_BLOCK, sizeof t, mpm_sum_block, mpm_join_sums, (void *)s,
                          &t) != FIRN_OK) {
        t = (mpm_ledger_sums){0}; // out of memory for partial sums: a serial sum gives the same mass, the
                                  // checked quantity
        mpm_sum_block((void *)s, 0, s->p.count, &t);
    }
    out->items = slabs ? s->ranks->total : s->p.count;
    out->mass = t.mass;
    out->mass_in = s->counters.mass_in;
    out->mass_out = s->counters.mass_out;
    out->mass_lost = s->counters.mass_lost;
    out->momentum = (firn_vec3){t.momentum[0], t.momentum[1], t.momentum[2]};
    out->kinetic = t.kinetic;
    out->potential = t.weight_height;
    out->max_speed = sqrt(t.max_speed2);
    if (s->heat) out->heat = mpm_heat_sum(s).heat;
}

// Minus the first invalid particle of a block, counted from 1; -INFINITY: none.
static double invalid_block(void *context, size_t begin, size_t end) {
    const mpm_state *s = context;
    float limit = (float)(s->setting.max_speed * s->setting.max_speed);
    double domain = mpm_domain_limit(s) * mpm_domain_limit(s), found = -INFINITY;
    for (size_t i = begin; i < end; i++) {
        const float *v = s->p.v[i];
        const double *x = s->p.x[i];
        float v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        double x2 = x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
        if (v2 <= limit && x2 < domain) continue;
        found = fmax(found, -(double)((s->ranks ? s->p.key[i] : i) + 1));
    }
    return found;
}

bool mpm_find_invalid(const void *model, uint64_t *item, const char **what) {
    const mpm_state *s = model;
    double found = s->p.count ? par_max(s->p.count, MPM_LEDGER_BLOCK, invalid_block, (void *)s) : -INFINITY;
    size_t i = mpm_ranks_first(s, &found);
    if (!(found > -INFINITY)) return false;
    struct {
        uint64_t id;
        bool inside;
    } one = {0, true};
    if (i < s->p.count) {
        const double *x = s->p.x[i];
        one.id = s->p.id[i];
        one.inside = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) < mpm_domain_limit(s);
    }
    mpm_ranks_tell(s, i < s->p.count, &one, sizeof one);
    *item = one.id;
    *what = one.inside ? "velocity" : "position";
    return true;
}
