// Snow on top of a body rides with it. The layer is held by friction: it takes on the body's velocity by at
// most mu (g + a) per time, so that a jerk or a fall leaves it behind, slides down a body that tips by more
// than friction bears, and turns with the body about the vertical. It is moved by whole cells; the rest of
// its way waits. Mass is exact.
#include "snowfield/snowfield_ranks.h"

#include <math.h>
#include <string.h>

_Static_assert(sizeof(snowfield_carried) == FIELD_CARRIED_SIZE * sizeof(double), "field.carried");

firn_status snowfield_carry_reserve(snowfield_state *s, size_t count) {
    if (!array_reserve(&s->carried.body, &s->carried.capacity[0], count + 1, sizeof *s->carried.body))
        return fail_memory("carrying snow on bodies", count * sizeof *s->carried.body);
    s->carried.count = count;
    return FIRN_OK;
}

// Of another number of bodies: they are seen anew.
firn_status snowfield_carry_loaded(snowfield_state *s) {
    size_t count = body_count(s->bodies);
    if (s->carried.count == count && count > 0) return FIRN_OK;
    TRY(snowfield_carry_reserve(s, count));
    memset(s->carried.body, 0, count * sizeof *s->carried.body);
    return FIRN_OK;
}

void snowfield_carry_free(snowfield_state *s) {
    mem_free(s->carried.body);
    mem_free(s->carried.taken);
}

// Where the layer goes in this step. Along a slope s friction bears mu N, N = weight / sqrt(1 + s^2), of
// which 1 / sqrt(1 + s^2) is level, as of the weight s / (1 + s^2) is. Slopes that friction bears count as
// level: those of round bodies on cells are uncertain by a few percent.
static void follow(const snowfield_state *s, size_t b, snowfield_carried *c, double dt) {
    firn_body_state now = body_state(s->bodies, b);
    double mu = sqrt(body_friction(s->bodies, b) * s->friction), x = s->prints[b].slope[0],
           z = s->prints[b].slope[1];
    if (hypot(x, z) <= mu) x = z = 0;
    double weight = fmax(0, (now.velocity.y - c->rise) / dt - s->setting.gravity.y) / (1 + x * x + z * z),
           grip = mu * weight * dt, pull[2] = {x * weight * dt, z * weight * dt};
    double dx = now.velocity.x - c->velocity[0] + pull[0], dz = now.velocity.z - c->velocity[1] + pull[1],
           slips = hypot(dx, dz);
    if (slips <= grip) {
        c->velocity[0] = now.velocity.x, c->velocity[1] = now.velocity.z;
        c->way[0] += now.position.x - c->at[0], c->way[1] += now.position.z - c->at[1];
        c->turn += now.spin.y * dt;
    } else {
        c->velocity[0] += dx / slips * grip - pull[0];
        c->velocity[1] += dz / slips * grip - pull[1];
        c->way[0] += c->velocity[0] * dt, c->way[1] += c->velocity[1] * dt;
    }
    c->rise = now.velocity.y;
    c->at[0] = now.position.x, c->at[1] = now.position.z;
}

static void begin(const snowfield_state *s, size_t b, snowfield_carried *c) {
    firn_body_state now = body_state(s->bodies, b);
    *c = (snowfield_carried){.known = 1,
                             .velocity = {now.velocity.x, now.velocity.z},
                             .rise = now.velocity.y,
                             .at = {now.position.x, now.position.z}};
}

// Takes the snow off the cells in which this body is the uppermost.
static firn_status take_off(snowfield_state *s, const snowfield_print *p, size_t *count) {
    snowfield_covers *c = &s->covers;
    size_t i = 0;
    *count = 0;
    for (int32_t z = p->cells.z0; z < p->cells.z1; z++) {
        for (int32_t x = p->cells.x0; x < p->cells.x1; x++, i++) {
            if (!(p->low[i] <= p->high[i])) continue;
            if (!snowfield_is_here(s, (size_t)snowfield_tile_at(s, x >> s->shift, z >> s->shift))) continue;
            size_t covered = snowfield_covered(s, snowfield_cell(s, x, z));
            if (covered == SIZE_MAX || c->top_mass[covered] == 0 || c->roof[covered] == NO_ROOF ||
                c->upper[covered] != p->top[i])
                continue;
            if (!array_reserve(&s->carried.taken, &s->carried.capacity[1], *count + 1,
                               sizeof *s->carried.taken))
                return fail_memory("carrying snow on bodies", *count * sizeof *s->carried.taken);
            s->carried.taken[(*count)++] = (taken_snow){x, z, c->top_mass[covered], c->top_density[covered]};
            c->top_mass[covered] = 0;
        }
    }
    return FIRN_OK;
}

// Puts it where it comes to lie.
static firn_status put_on(snowfield_state *s, size_t count, const int32_t shift[2], double turn,
                          const double at[2], snowfield_rect *laid) {
    double cosine = cos(turn), sine = sin(turn);
    snowfield_rect all = {0};
    for (size_t i = 0; i < count; i++) {
        taken_snow *t = &s->carried.taken[i];
        double x = t->x + 0.5 - (at[0] - s->x0) / s->def.cell, z = t->z + 0.5 - (at[1] - s->z0) / s->def.cell;
        double px = turn != 0 ? x * (cosine - 1) + z * sine : 0,
               pz = turn != 0 ? z * (cosine - 1) - x * sine : 0;
        t->x = int_min(int_max(t->x + shift[0] + (int32_t)lround(px), 0), s->nx - 1);
        t->z = int_min(int_max(t->z + shift[1] + (int32_t)lround(pz), 0), s->nz - 1);
        all = rect_join(all, (snowfield_rect){t->x, t->z, t->x + 1, t->z + 1});
    }
    TRY(snowfield_tiles_make(s, rect_grow(all, FIELD_SLIDE_MARGIN)));
    TRY(snowfield_covers_make(s, all));
    for (size_t i = 0; i < count; i++) {
        const taken_snow *t = &s->carried.taken[i];
        if (!snowfield_is_here(s, (size_t)snowfield_tile_at(s, t->x >> s->shift, t->z >> s->shift))) continue;
        snowfield_put_top(s, snowfield_covered(s, snowfield_cell(s, t->x, t->z)), t->mass, t->density);
    }
    snowfield_touch(s, all);
    *laid = all;
    return FIRN_OK;
}

static firn_status carry_body(snowfield_state *s, size_t b) {
    snowfield_print *p = &s->prints[b];
    snowfield_carried *c = &s->carried.body[b];
    double cell = s->def.cell;
    double reach = 0.5 * cell * hypot(p->cells.x1 - p->cells.x0, p->cells.z1 - p->cells.z0);
    int32_t shift[2] = {(int32_t)lround(c->way[0] / cell), (int32_t)lround(c->way[1] / cell)};
    double turn = fabs(c->turn) * reach >= 0.75 * cell ? c->turn : 0,
           at[2] = {c->at[0] - c->way[0], c->at[1] - c->way[1]};
    if (shift[0] == 0 && shift[1] == 0 && turn == 0) return FIRN_OK;
    for (int k = 0; k < 2; k++) c->way[k] -= shift[k] * cell;
    if (turn != 0) c->turn = 0;
    size_t count;
    TRY(take_off(s, p, &count));
    TRY(snowfield_ranks_carried(s, p->cells, &count));
    if (count == 0) return FIRN_OK;
    snowfield_touch(s, p->cells);
    return put_on(s, count, shift, turn, at, &p->laid);
}

// Before the bodies are seen at their new places.
firn_status snowfield_carry(snowfield_state *s, double dt) {
    TRY(snowfield_carry_loaded(s));
    for (size_t b = 0; b < s->carried.count; b++) {
        snowfield_carried *c = &s->carried.body[b];
        s->prints[b].laid = (snowfield_rect){0};
        if (b == s->start.body || body_motion(s->bodies, b) == FIRN_MOTION_FIXED) continue;
        if (c->known > 0)
            follow(s, b, c, dt);
        else
            begin(s, b, c);
        if (rect_empty(s->prints[b].cells)) // nothing lies on it
            c->way[0] = c->way[1] = c->turn = 0;
        else
            TRY(carry_body(s, b));
    }
    return FIRN_OK;
}
