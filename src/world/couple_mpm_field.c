// MPM snow and the snow field: the field is ground for snow in motion and gives way where it is pressed too
// hard; snow that has come to rest becomes part of it; parts of it that fail or are hit hard become snow in
// motion.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/auto.h"
#include "math/dvec.h"
#include "mpm/mpm.h"
#include "par/par.h"
#include "snowfield/snowfield.h"
#include "world/couple_heat.h"
#include "world/couple_list.h"
#include "world/couple_powder.h"

typedef struct settling {
    uint32_t particle;
    snowfield_lump lump;
} settling;

typedef struct meeting {
    double (*at)[3];       // m, of all particles
    settling *rest;        // that have been at rest for long enough
    snowfield_lump *lumps; // the same, from the lowest to the highest
    bool *taken;
    uint32_t *out; // that left
    offer_particle *in;
    snowfield_dent *dents;
    size_t capacity[7];
    heat_contacts warm;
    powder_work powder;
} meeting;

static const firn_mpm_field_def *params_of(const coupling *c) { return c->params; }
static const offer_particles *snow_of(const coupling *c) { return c->kind->a->offers->particles; }

// ---- the field as ground

static void look(const void *model, const double at[3], float reach, mpm_ground_point *out) {
    snowfield_bed_look(model, at, reach, &out->distance, out->normal, &out->bears);
}

static void show_ground(coupling *c) {
    mpm_ground ground = {
        .model = c->b,
        .friction = (float)auto_or(params_of(c)->friction, snowfield_repose(c->b)),
        .highest = snowfield_bed_highest,
        .look = look,
    };
    mpm_set_ground(c->a, c->on ? ground : (mpm_ground){0});
}

// Tiles of the field under the snow: looking at them is faster.
static firn_status reach_bed(coupling *c) {
    enum { CHUNK = 256 };
    meeting *m = c->own;
    size_t count = snow_of(c)->count(c->a);
    offer_particle items[CHUNK];
    if (!array_reserve(&m->at, &m->capacity[0], count, sizeof *m->at))
        return fail_memory("finding the field below snow", count * sizeof *m->at);
    for (size_t i = 0; i < count; i += CHUNK) {
        size_t n = count - i < CHUNK ? count - i : CHUNK;
        snow_of(c)->read(c->a, i, i + n, items);
        for (size_t k = 0; k < n; k++) memcpy(m->at[i + k], items[k].at, sizeof *m->at);
    }
    return snowfield_bed_reach(c->b, count, (const double(*)[3])m->at);
}

static firn_status create(coupling *c) {
    c->own = mem_zero(1, sizeof(meeting));
    return c->own ? FIRN_OK : fail_memory("creating a world", sizeof(meeting));
}

static void begin(coupling *c) { show_ground(c); }

static void end(coupling *c) {
    meeting *m = c->own;
    if (!m) return;
    void *lists[] = {m->at, m->rest, m->lumps, m->taken, m->out, m->in, m->dents};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) mem_free(lists[i]);
    couple_heat_free(&m->warm);
    couple_powder_free(&m->powder);
    mem_free(m);
}

// ---- field to MPM

static firn_status release(coupling *c, snowfield_part part) {
    meeting *m = c->own;
    double mass, edge;
    uint32_t snow = mpm_field_snow(c->a, &mass, &edge);
    size_t count;
    const snowfield_particle *items;
    TRY(snowfield_release(c->b, part, mass, edge, &count, &items));
    if (!array_reserve(&m->in, &m->capacity[5], count, sizeof *m->in))
        return fail_memory("releasing snow of the field", count * sizeof *m->in);
    for (size_t i = 0; i < count; i++) {
        m->in[i] = (offer_particle){
            .mass = (float)mass,
            .radius = (float)cbrt(3 / (4 * 3.14159265358979) * mass / (double)items[i].density),
            .temperature = NAN,
            .matter = OFFER_SNOW,
            .part = snow};
        memcpy(m->in[i].at, items[i].at, sizeof m->in[i].at);
    }
    size_t before = snow_of(c)->count(c->a);
    TRY(snow_of(c)->add(c->a, count, m->in));
    c->sum->mass -= (double)count * mass;
    bool warm = snow_of(c)->heat_lapse(c->a) > 0;
    for (size_t i = 0; i < count; i++) {
        if (warm && isfinite(items[i].heat))
            snow_of(c)->warm(c->a, before + i, items[i].heat - mpm_enthalpy_of(c->a, before + i));
        c->sum->heat -= isfinite(items[i].heat) ? items[i].heat : mpm_enthalpy_of(c->a, before + i);
    }
    return FIRN_OK;
}

static firn_status fail_parts(coupling *c, double time) {
    const firn_mpm_field_def *def = params_of(c);
    double before = snowfield_failed_until(c->b, time);
    for (size_t i = 0; i < def->fail.count && def->release; i++) {
        const firn_field_failure_def *f = &def->fail.items[i];
        if (!(f->start > before && f->start <= time)) continue;
        TRY(release(c, (snowfield_part){{f->at.x, f->at.z}, f->radius, f->width, f->length, f->depth}));
    }
    return FIRN_OK;
}

// ---- after a step of the snow

static firn_status press(coupling *c, double now, double dt) {
    (void)now, (void)dt;
    enum { DEEP = 2 }; // particles
    meeting *m = c->own;
    double impulse[3], mass, edge;
    size_t count;
    const mpm_dent *dents = mpm_dents(c->a, &count);
    mpm_ground_impulse(c->a, impulse);
    for (int a = 0; a < 3; a++) c->sum->impulse[a] += impulse[a];
    if (count == 0) return FIRN_OK;
    if (!array_reserve(&m->dents, &m->capacity[6], count, sizeof *m->dents))
        return fail_memory("pressing the field", count * sizeof *m->dents);
    for (size_t i = 0; i < count; i++) {
        memcpy(m->dents[i].at, dents[i].at, sizeof m->dents[i].at);
        m->dents[i].size = dents[i].size;
    }
    TRY(snowfield_dent_bed(c->b, count, m->dents));
    mpm_field_snow(c->a, &mass, &edge);
    for (size_t i = 0; i < count && params_of(c)->release; i++) {
        if (!((double)dents[i].speed > params_of(c)->impact_speed)) continue;
        TRY(release(c, (snowfield_part){{dents[i].at[0], dents[i].at[2]}, 0, edge, edge, DEEP * edge}));
    }
    return FIRN_OK;
}

// ---- MPM to field

static int by_height(const void *a, const void *b) {
    const settling *p = a, *q = b;
    if (p->lump.at[1] != q->lump.at[1]) return p->lump.at[1] < q->lump.at[1] ? -1 : 1;
    return p->particle < q->particle ? -1 : p->particle > q->particle;
}

static int by_number(const void *a, const void *b) {
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return p < q ? -1 : p > q;
}

static firn_status list_resting(coupling *c, const float *rest, size_t *count) {
    meeting *m = c->own;
    const firn_mpm_field_def *def = params_of(c);
    size_t n = snow_of(c)->count(c->a);
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        if (!((double)rest[i] >= def->rest_time)) continue;
        if (!array_reserve(&m->rest, &m->capacity[1], *count + 1, sizeof *m->rest))
            return fail_memory("laying snow down", n * sizeof *m->rest);
        offer_particle p;
        snow_of(c)->read(c->a, i, i + 1, &p);
        settling *s = &m->rest[(*count)++];
        *s = (settling){(uint32_t)i,
                        {.mass = (double)p.mass,
                         .density = mpm_rest_density(c->a, i),
                         .heat = couple_heat_of_snow(c, i)}};
        s->lump.size = cbrtf(p.mass / s->lump.density);
        memcpy(s->lump.at, p.at, sizeof p.at);
    }
    return FIRN_OK;
}

static firn_status reserve_resting(meeting *m, size_t count) {
    if (!array_reserve(&m->lumps, &m->capacity[2], count, sizeof *m->lumps) ||
        !array_reserve(&m->taken, &m->capacity[3], count, sizeof *m->taken) ||
        !array_reserve(&m->out, &m->capacity[4], count, sizeof *m->out))
        return fail_memory("laying snow down", count * sizeof *m->lumps);
    return FIRN_OK;
}

// What the particles that leave have with them.
static void sum_settled(coupling *c, size_t count) {
    const meeting *m = c->own;
    offer_particle p;
    for (size_t i = 0; i < count; i++) {
        snow_of(c)->read(c->a, m->out[i], m->out[i] + 1, &p);
        c->sum->mass += (double)p.mass;
        c->sum->heat += mpm_enthalpy_of(c->a, m->out[i]);
        for (int a = 0; a < 3; a++) c->sum->impulse[a] += (double)p.mass * (double)p.velocity[a];
    }
}

// What rests where it cannot lie down (as a block, or half on a roof) is looked at again and again: in steps
// in which more has come to rest, and now and then.
static bool is_looked_at(const coupling *c, const float *rest, double now, double dt) {
    const double EVERY = 0.04, since = params_of(c)->rest_time; // s
    if (floor(now / EVERY) != floor((now + dt) / EVERY)) return true;
    size_t count = snow_of(c)->count(c->a);
    for (size_t i = 0; i < count; i++)
        if ((double)rest[i] >= since && (double)rest[i] < since + 1.5 * dt) return true;
    return false;
}

static firn_status settle(coupling *c, double now, double dt) {
    meeting *m = c->own;
    size_t count, out = 0;
    const float *rest = mpm_rest_times(c->a, params_of(c)->rest_speed, dt);
    if (!is_looked_at(c, rest, now, dt)) return FIRN_OK;
    TRY(list_resting(c, rest, &count));
    if (count == 0) return FIRN_OK;
    TRY(reserve_resting(m, count));
    qsort(m->rest, count, sizeof *m->rest, by_height);
    for (size_t i = 0; i < count; i++) m->lumps[i] = m->rest[i].lump;
    double reach = c->kind->a->spacing(c->a) * 2;
    TRY(snowfield_settle(c->b, count, m->lumps, reach, m->taken));
    for (size_t i = 0; i < count; i++)
        if (m->taken[i]) m->out[out++] = m->rest[i].particle;
    if (out == 0) return FIRN_OK;
    qsort(m->out, out, sizeof *m->out, by_number);
    sum_settled(c, out);
    return snow_of(c)->take_out(c->a, out, m->out);
}

static firn_status exchange(coupling *c, double now, double dt) {
    const firn_mpm_field_def *def = params_of(c);
    meeting *m = c->own;
    if (def->settle) TRY(settle(c, now, dt));
    TRY(couple_powder(c, &m->powder, def->powder, def->powder_speed, now, dt));
    TRY(fail_parts(c, now + dt));
    TRY(couple_heat_ground(c, &m->warm, def->heat_contact, dt));
    return reach_bed(c);
}

const coupling_class couple_mpm_field = {
    .name = "mpm_field",
    .a = &mpm_model,
    .b = &snowfield_model,
    .passes = PASSES_MASS | PASSES_IMPULSE | PASSES_HEAT,
    .what = "snow lies on the field, becomes part of it at rest, and comes out of it where it fails",
    .help =
        "The snow field is ground for MPM snow, with Coulomb friction. Where snow presses harder than the "
        "field bears, the field gives way and gets denser. Snow that has been slower than rest_speed for "
        "rest_time and lies on the field becomes snow of the field, with its whole mass. Parts of the "
        "field that fail, and what is hit faster than impact_speed, become MPM snow of the field's type. The "
        "surface of snow that is faster than powder_speed wears off as powder, which flies as loose bits of "
        "the field. "
        "Where both have heat, it is conducted through their contact.",
    .create = create,
    .begin = begin,
    .after_a = press,
    .exchange = exchange,
    .end = end,
};
