// Where powder is born, and where it drifts.
#include "draw/powder.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "draw/air.h"
#include "geom/relief.h"

enum { MOST = 260 };                // puffs a frame
static const float RATE = 4;        // 1/s, of a particle that throws up as much as one can
static const float DRAG = 0.22f;    // s, until a puff moves as the air does: it carries some along
static const float SINK = 0.35f;    // m/s: grains of a tenth to a fifth of a millimetre
static const float STIRRED = 0.25f; // m/s, of its own eddies
static const float GROWTH = 3.2f;   // how much wider a puff gets
static const float OPACITY = 0.42f;
static const float BITS = 0.05f; // share of the loose bits of a field in the air
static const float GRAVITY = 9.81f;

static float unit(uint32_t seed, int k) { return (float)(relief_bits((int)seed, k, 313) >> 8) * 0x1p-24f; }
static float between(float x, float low, float high) { return fminf(fmaxf((x - low) / (high - low), 0), 1); }

// The particles of snow of a frame.
typedef struct powder_snow {
    firn_field at, velocity, plastic, id;
    double time, step; // s; since the frame before
} powder_snow;

static bool find_snow(const firn_world *world, powder_snow *s) {
    firn_world *w = (firn_world *)world;
    s->at = firn_world_field(w, "mpm.position");
    s->velocity = firn_world_field(w, "mpm.velocity");
    s->plastic = firn_world_field(w, "mpm.plastic");
    s->id = firn_world_field(w, "mpm.id");
    size_t n = s->at.count;
    return n > 0 && field_has_positions(&s->at) && s->velocity.count == n && s->plastic.count == n &&
           s->id.count == n && s->velocity.type == FIRN_F32 && s->plastic.type == FIRN_F32 &&
           s->id.type == FIRN_U32;
}

// How much a particle throws up, 0..1: it is stopped or pushed (more than gravity does), or it is torn and
// rushes through the air.
static float thrown_up(const powder *p, const powder_snow *s, size_t i) {
    const float *v = (const float *)s->velocity.data + 3 * i, plastic = ((const float *)s->plastic.data)[i];
    uint32_t id = ((const uint32_t *)s->id.data)[i];
    float torn = between(plastic, 1.003f, 1.06f), speed = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    float share = 0.4f * torn * between(speed, 1.5f, 7);
    if (id < p->before_count && p->before[id][3] > 0 && s->step > 0) {
        const float *was = p->before[id], dt = (float)s->step;
        float dv[3] = {v[0] - was[0], v[1] - was[1] + GRAVITY * dt, v[2] - was[2]};
        float push = sqrtf(dv[0] * dv[0] + dv[1] * dv[1] + dv[2] * dv[2]) - 1.5f * GRAVITY * dt;
        share += (0.25f + 0.75f * torn) * between(push, 0.4f, 3);
    }
    return isfinite(share) ? fminf(share, 1) : 0;
}

static firn_status add(powder *p, powder_puff puff, const air_field *air, firn_vec3 origin) {
    if (!array_reserve(&p->puff, &p->capacity, p->count + 1, sizeof *p->puff))
        return fail_memory("drawing powder", (p->count + 1) * sizeof *p->puff);
    double wind[3] = {0}, at[3] = {origin.x + (double)puff.at[0], origin.y + (double)puff.at[1],
                                   origin.z + (double)puff.at[2]};
    if (air && air_at(air, at, wind))
        for (int k = 0; k < 3; k++) puff.wind[k] = (float)wind[k];
    p->puff[p->count++] = puff;
    return FIRN_OK;
}

static uint32_t seed_at(uint32_t number, double time) {
    return relief_bits((int)number, (int)lround(time * 4800), 17);
}

static firn_status take_snow(powder *p, const powder_snow *s, const air_field *air, firn_vec3 origin,
                             double spacing) {
    size_t n = s->at.count;
    if (!array_reserve(&p->share, &p->share_capacity, n, sizeof *p->share))
        return fail_memory("drawing powder", n * sizeof *p->share);
    double all = 0;
    float rate = RATE * (float)(s->step > 0 ? s->step : 0.04);
    for (size_t i = 0; i < n; i++) all += (double)(p->share[i] = rate * thrown_up(p, s, i));
    // Few large puffs for many small ones.
    float part = all > MOST ? (float)(MOST / all) : 1, wide = fminf(1 / cbrtf(part), 2.2f);
    for (size_t i = 0; i < n; i++) {
        uint32_t seed = seed_at(((const uint32_t *)s->id.data)[i], s->time);
        if (!(unit(seed, 0) < part * p->share[i])) continue;
        const float *v = (const float *)s->velocity.data + 3 * i;
        powder_puff puff = {.velocity = {v[0], v[1], v[2]},
                            .born = s->time,
                            .size = (float)spacing * wide * (0.7f + 0.7f * unit(seed, 1)),
                            .seed = seed};
        field_position_near(&s->at, i, origin, puff.at);
        TRY(add(p, puff, air, origin));
    }
    return FIRN_OK;
}

static firn_status remember(powder *p, const powder_snow *s) {
    size_t most = 0;
    const uint32_t *id = s->id.data;
    for (size_t i = 0; i < s->at.count; i++) most = id[i] >= most ? (size_t)id[i] + 1 : most;
    if (most > 4 * s->at.count + 1000) most = 0; // numbers of what is long gone
    if (!array_reserve(&p->before, &p->before_capacity, most, sizeof *p->before))
        return fail_memory("drawing powder", most * sizeof *p->before);
    memset(p->before, 0, most * sizeof *p->before);
    p->before_count = most;
    for (size_t i = 0; i < s->at.count && most; i++) {
        memcpy(p->before[id[i]], (const float *)s->velocity.data + 3 * i, sizeof(float[3]));
        p->before[id[i]][3] = 1;
    }
    return FIRN_OK;
}

// Loose bits of the snow field: dust goes off them while they fly.
static firn_status take_bits(powder *p, const firn_world *world, double time, const air_field *air,
                             firn_vec3 origin) {
    firn_field at = firn_world_field((firn_world *)world, "field.bit_position"),
               size = firn_world_field((firn_world *)world, "field.bit_size");
    if (at.count == 0 || !field_has_positions(&at)) return FIRN_OK;
    bool sized = size.count == at.count && size.type == FIRN_F32;
    float share = fminf(BITS, 0.3f * MOST / (float)at.count);
    for (size_t i = 0; i < at.count; i++) {
        uint32_t seed = seed_at((uint32_t)i + 7777u, time);
        if (!(unit(seed, 0) < share)) continue;
        float own = sized ? ((const float *)size.data)[i] : 0.01f;
        powder_puff puff = {.born = time, .size = fminf(0.02f + 1.5f * own, 0.1f), .seed = seed};
        field_position_near(&at, i, origin, puff.at);
        TRY(add(p, puff, air, origin));
    }
    return FIRN_OK;
}

void powder_begin(powder *p) {
    p->before_count = 0;
    p->before_time = -1;
}

firn_status powder_take(powder *p, const firn_world *world, firn_vec3 origin, double spacing, bool emit) {
    air_field air[AIR_GRIDS];
    bool windy = air_find(world, air);
    powder_snow s = {.time = firn_world_time(world)};
    s.step = p->before_time >= 0 ? s.time - p->before_time : 0;
    bool snow = find_snow(world, &s);
    if (emit && snow) TRY(take_snow(p, &s, windy ? air : NULL, origin, spacing));
    if (emit) TRY(take_bits(p, world, s.time, windy ? air : NULL, origin));
    p->before_time = s.time;
    p->before_count = 0;
    return snow ? remember(p, &s) : FIRN_OK;
}

float powder_place(const powder_puff *puff, double age, float at[3], float *opacity) {
    float t = (float)age, kept = DRAG * (1 - expf(-t / DRAG)), drift = t - kept, old = t / (float)POWDER_LIFE;
    for (int k = 0; k < 3; k++) {
        float eddy = STIRRED * (2 * unit(puff->seed, 4 + k) - 1);
        at[k] = puff->at[k] + puff->velocity[k] * kept + (puff->wind[k] + eddy - (k == 1 ? SINK : 0)) * drift;
    }
    float wider = 1 + GROWTH * sqrtf(fmaxf(old, 0));
    float fade = between(old, 1, 0), begin = 0.4f + 0.6f * between(t, 0, 0.08f);
    *opacity = OPACITY * begin * fade * fade / sqrtf(wider);
    return puff->size * wider;
}

void powder_free(powder *p) {
    mem_free(p->puff);
    mem_free(p->before);
    mem_free(p->share);
    *p = (powder){0};
}
