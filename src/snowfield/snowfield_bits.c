// Loose bits: part of the snow that a fast body displaces flies off as particles, lumps and powder, which the
// air slows down and takes along, and which return their mass where they land. Each stands for many of its
// size.
#include "snowfield/snowfield.h"
#include "snowfield/snowfield_press.h"
#include "snowfield/snowfield_ranks.h"

#include <math.h>
#include <string.h>

#include "base/random.h"
#include "math/dvec.h"

enum { BIT_STREAM = 7, CLOUD_STREAM = 8, CLOUD_BITS = 12 };
#define AIR_DENSITY 1.3      // kg/m3, at 0 C
#define AIR_VISCOSITY 1.7e-5 // Pa s
#define BIT_DRAG 0.5         // coefficient of drag of a lump at speed; slow ones add 24 / Re (Stokes)
#define BIT_MOST 0.25        // largest share of the displaced snow
#define BIT_LEAST 64         // units of mass of a bit, at least
#define POWDER 2e-3          // m, diameter of the largest bits of a cloud of powder
// Of a cloud's speed: what its bits keep, and their speeds to all sides. The energy is 0.965 of the cloud's.
#define CLOUD_KEEPS 0.95
#define CLOUD_STIRS 0.25

firn_status snowfield_bits_create(snowfield_state *s) {
    snowfield_bits *b = &s->bits;
    size_t most = (size_t)s->def.bits.most;
    if (most == 0) return FIRN_OK;
    b->position = mem_zero(most, sizeof *b->position);
    b->velocity = mem_zero(most, sizeof *b->velocity);
    b->mass = mem_zero(most, sizeof *b->mass);
    b->density = mem_zero(most, sizeof *b->density);
    b->size = mem_zero(most, sizeof *b->size);
    b->flies = mem_zero(most, sizeof *b->flies);
    if (!b->position || !b->velocity || !b->mass || !b->density || !b->size || !b->flies)
        return fail_memory("allocating loose snow", most * 32);
    return FIRN_OK;
}

void snowfield_bits_free(snowfield_state *s) {
    mem_free(s->bits.position);
    mem_free(s->bits.velocity);
    mem_free(s->bits.mass);
    mem_free(s->bits.density);
    mem_free(s->bits.size);
    mem_free(s->bits.flies);
}

// A bit starts above a cell of the contour that lies ahead of the body, and flies on and up.
static thrown_bit throw_bit(const snowfield_state *s, const snowfield_press *w, uint64_t number,
                            firn_vec3 v) {
    random4 r = random_bits(s->setting.seed, number, 0, BIT_STREAM),
            q = random_bits(s->setting.seed, number, 1, BIT_STREAM);
    size_t pick = (size_t)(random_unit(r, 0) * (float)w->fronts);
    int32_t row = w->area.x1 - w->area.x0, x = w->area.x0 + w->front[pick] % row,
            z = w->area.z0 + w->front[pick] / row;
    double speed = dvec_length(v), side = 0.35 * speed;
    // Faster than the body, or it would overtake them; their energy is less than what displacing costs it.
    firn_vec3 u = dvec(1.5 * v.x + side * (2 * (double)random_unit(r, 1) - 1),
                       speed * (0.1 + 0.2 * (double)random_unit(r, 2)),
                       1.5 * v.z + side * (2 * (double)random_unit(r, 3) - 1));
    size_t cell = snowfield_cell(s, x, z), covered = snowfield_covered(s, cell);
    int32_t top = snowfield_surface(s, cell);
    if (covered != SIZE_MAX && s->covers.roof[covered] != NO_ROOF)
        top = int_max(top, s->covers.upper[covered]);
    // As many between 1 and 2 mm as between 1 and 2 cm.
    double size =
        s->def.bits.smallest * pow(s->def.bits.largest / s->def.bits.smallest, (double)random_unit(q, 2));
    return (thrown_bit){.size = (float)size,
                        .position = {(float)(s->x0 + (x + (double)random_unit(q, 0)) * s->def.cell),
                                     (float)(top * HEIGHT_UNIT + 0.5 * s->def.cell),
                                     (float)(s->z0 + (z + (double)random_unit(q, 1)) * s->def.cell)},
                        .velocity = {(float)u.x, (float)u.y, (float)u.z}};
}

void snowfield_bits_add(snowfield_state *s, const pressed *sum) {
    snowfield_bits *b = &s->bits;
    for (int32_t k = 0; k < sum->bits; k++, b->count++) {
        const thrown_bit *t = &sum->thrown[k];
        memcpy(b->position[b->count], t->position, sizeof t->position);
        memcpy(b->velocity[b->count], t->velocity, sizeof t->velocity);
        b->mass[b->count] = t->mass;
        b->density[b->count] = t->density;
        b->size[b->count] = t->size;
    }
}

// Bits are taken from the cells of the overlap in order.
static void take_out(snowfield_press *w, int64_t mass) {
    for (size_t i = 0; i < w->fronts && mass > 0; i++) {
        int64_t takes = mass < w->out[i] ? mass : w->out[i];
        w->out[i] -= (int32_t)takes;
        mass -= takes;
    }
}

// Takes part of the displaced mass into the air; returns what stays.
int64_t snowfield_throw(snowfield_state *s, snowfield_press *w, pressed *sum, double density) {
    double speed = dvec_length(sum->velocity), fast = s->def.bits.speed;
    if (!(speed > fast) || sum->most_bits == 0 || w->fronts == 0) return sum->mass;
    double share = BIT_MOST * fmin(1, (speed - fast) / fmax(fast, 0.1));
    int64_t flies = (int64_t)(share * (double)sum->mass), number = flies / BIT_LEAST, left = sum->mass;
    if (number > sum->most_bits) number = sum->most_bits;
    double sizes = 0; // squared
    for (int64_t i = 0; i < number; i++) {
        thrown_bit *t = &sum->thrown[sum->bits + i];
        *t = throw_bit(s, w, sum->first_bit + (uint64_t)(sum->bits + i), sum->velocity);
        sizes += (double)(t->size * t->size);
    }
    // Lumps hold most of the snow, powder little; with more of it in small ones, which air stops at once, a
    // plough drives over what it has thrown (tests/snowfield/test_large.c).
    for (int64_t i = 0; i < number; i++) {
        thrown_bit *t = &sum->thrown[sum->bits++];
        int64_t mass = (int64_t)((double)flies * (double)(t->size * t->size) / sizes);
        mass = mass < 1 ? 1 : mass > MASS_MOST ? MASS_MOST : mass;
        t->mass = (int32_t)mass;
        t->density = (float)density;
        left -= mass;
    }
    take_out(w, sum->mass - left);
    return left;
}

// ---- clouds of powder

// Bits in pairs that fly apart, so that their mean velocity is the cloud's.
static void scatter_bit(snowfield_state *s, const snowfield_cloud *c, int32_t k, int32_t mass) {
    snowfield_bits *b = &s->bits;
    uint64_t number = c->number[0] * CLOUD_BITS + (uint64_t)(k / 2);
    random4 r = random_bits(s->setting.seed ^ c->number[1], number, 0, CLOUD_STREAM),
            q = random_bits(s->setting.seed ^ c->number[1], number, (uint32_t)(1 + k % 2), CLOUD_STREAM);
    float speed = sqrtf(c->velocity[0] * c->velocity[0] + c->velocity[1] * c->velocity[1] +
                        c->velocity[2] * c->velocity[2]);
    float side = k % 2 ? -1.0F : 1.0F;
    for (int a = 0; a < 3; a++) {
        b->position[b->count][a] = (float)c->at[a] + c->size * (random_unit(q, a) - 0.5F);
        b->velocity[b->count][a] = (float)CLOUD_KEEPS * c->velocity[a] +
                                   side * (float)CLOUD_STIRS * speed * (2 * random_unit(r, a) - 1);
    }
    double least = fmin(s->def.bits.smallest, POWDER);
    b->size[b->count] = (float)(least * pow(POWDER / least, (double)random_unit(q, 3)));
    b->mass[b->count] = mass;
    b->density[b->count++] = c->density;
}

firn_status snowfield_scatter(void *model, size_t n, const snowfield_cloud *clouds, bool *taken) {
    snowfield_state *s = model;
    double kg = snowfield_kg(s), *rest = &s->exchange[EXCHANGE_REST];
    for (size_t i = 0; i < n; i++) {
        const snowfield_cloud *c = &clouds[i];
        int32_t x, z;
        taken[i] = s->bits.count + CLOUD_BITS <= (size_t)s->def.bits.most &&
                   snowfield_cell_of(s, c->at[0], c->at[2], &x, &z);
        if (!taken[i]) continue;
        int64_t units = (int64_t)fmax(floor((*rest + c->mass) / kg), 0);
        *rest += c->mass - (double)units * kg;
        s->counters[COUNTER_IN] += (uint64_t)units;
        if (s->heat.on && isfinite(c->heat)) {
            double heat = c->heat / (s->def.cell * s->def.cell);
            s->heat.sum[HEAT_FLYING] += heat, s->heat.sum[HEAT_SNOW] += heat;
            s->heat.in += (uint64_t)units;
        }
        for (int32_t k = 0; k < CLOUD_BITS; k++) {
            int64_t mass = units / (CLOUD_BITS - k);
            units -= mass;
            if (mass > 0) scatter_bit(s, c, k, (int32_t)mass);
        }
        if (!s->air.push) continue;
        double lost[3];
        const float at[3] = {(float)c->at[0], (float)c->at[1], (float)c->at[2]};
        for (int a = 0; a < 3; a++) lost[a] = (1 - CLOUD_KEEPS) * c->mass * (double)c->velocity[a];
        s->air.push(s->air.context, at, lost);
    }
    return FIRN_OK;
}

// ---- flight

// Rate at which a bit takes on the velocity of the air, 1/s: 3/4 rho_air C |w| / (rho d), C = 24 / Re + 0.5.
static double drag_of(const snowfield_state *s, size_t i, double speed) {
    double d = fmax((double)s->bits.size[i], 1e-5), rho = fmax((double)s->bits.density[i], 1);
    return (18 * AIR_VISCOSITY / d + 0.75 * BIT_DRAG * AIR_DENSITY * speed) / (rho * d);
}

void snowfield_set_air(void *model, snowfield_air air) { ((snowfield_state *)model)->air = air; }

static void fly(snowfield_state *s, size_t i, double dt) {
    const double g[3] = {s->setting.gravity.x, s->setting.gravity.y, s->setting.gravity.z};
    float air[3] = {0};
    if (s->air.at) s->air.at(s->air.context, s->bits.position[i], air);
    double speed = 0, impulse[3];
    for (int k = 0; k < 3; k++) speed += pow((double)(s->bits.velocity[i][k] - air[k]), 2);
    double drag = drag_of(s, i, sqrt(speed)), kg = snowfield_kg(s) * s->bits.mass[i];
    for (int k = 0; k < 3; k++) {
        double v = ((double)s->bits.velocity[i][k] + (g[k] + drag * (double)air[k]) * dt) / (1 + drag * dt);
        impulse[k] = kg * ((double)s->bits.velocity[i][k] + g[k] * dt - v);
        s->bits.position[i][k] += (float)(0.5 * ((double)s->bits.velocity[i][k] + v) * dt);
        s->bits.velocity[i][k] = (float)v;
    }
    if (s->air.push) s->air.push(s->air.context, s->bits.position[i], impulse);
}

// Height of the surface that a bit falls on.
static double floor_at(const snowfield_state *s, size_t cell) {
    size_t covered = snowfield_covered(s, cell);
    int32_t top = snowfield_surface(s, cell);
    if (covered != SIZE_MAX && s->covers.roof[covered] != NO_ROOF)
        top = s->covers.upper[covered] +
              snowfield_depth(s->covers.top_mass[covered], s->covers.top_density[covered]);
    return top * HEIGHT_UNIT;
}

// Cell below a bit; false: it is beside the field.
static bool below(const snowfield_state *s, size_t i, int32_t *x, int32_t *z) {
    const float *at = s->bits.position[i];
    double cx = floor(((double)at[0] - s->x0) / s->def.cell),
           cz = floor(((double)at[2] - s->z0) / s->def.cell);
    if (!(cx >= 0 && cz >= 0 && cx < s->nx && cz < s->nz)) return false;
    *x = (int32_t)cx, *z = (int32_t)cz;
    return true;
}

// Lands where its tile is here.
static void land(snowfield_state *s, size_t i, int32_t x, int32_t z, bool *flies) {
    size_t cell = snowfield_cell(s, x, z);
    *flies = (double)s->bits.position[i][1] > floor_at(s, cell);
    if (!*flies) snowfield_drop(s, cell, s->bits.mass[i], s->bits.density[i]);
}

// Of each bit, whether it flies on; those beside the field have left.
static firn_status fly_or_land(snowfield_state *s, size_t i, double dt, bool *flies) {
    int32_t x, z;
    fly(s, i, dt);
    *flies = false;
    if (!below(s, i, &x, &z)) {
        if (snowfield_is_mine(s, 0)) s->counters[COUNTER_OUT] += (uint64_t)s->bits.mass[i];
        return FIRN_OK;
    }
    int32_t column = x >> s->shift, row = z >> s->shift;
    if (snowfield_tile_at(s, column, row) == TILE_NONE &&
        (double)s->bits.position[i][1] > snowfield_highest_away(s, column, row)) {
        *flies = true;
        return FIRN_OK;
    }
    TRY(snowfield_tiles_make(s, rect_grow((snowfield_rect){x, z, x + 1, z + 1}, FIELD_SLIDE_MARGIN)));
    if (snowfield_is_here(s, (size_t)snowfield_tile_at(s, column, row))) land(s, i, x, z, flies);
    return FIRN_OK;
}

static void move_bit(snowfield_bits *b, size_t to, size_t from) {
    memcpy(b->position[to], b->position[from], sizeof *b->position);
    memcpy(b->velocity[to], b->velocity[from], sizeof *b->velocity);
    b->mass[to] = b->mass[from];
    b->density[to] = b->density[from];
    b->size[to] = b->size[from];
}

// All ranks have all bits; those that come down do so on the rank that has their cell.
firn_status snowfield_bits_fly(snowfield_state *s, double dt) {
    snowfield_bits *b = &s->bits;
    size_t kept = 0;
    for (size_t i = 0; i < b->count; i++) TRY(fly_or_land(s, i, dt, &b->flies[i]));
    snowfield_ranks_landed(s);
    for (size_t i = 0; i < b->count; i++) {
        int32_t x, z;
        if (b->flies[i])
            move_bit(b, kept++, i);
        else if (below(s, i, &x, &z))
            snowfield_touch(s, (snowfield_rect){x, z, x + 1, z + 1});
    }
    b->count = kept;
    return FIRN_OK;
}
