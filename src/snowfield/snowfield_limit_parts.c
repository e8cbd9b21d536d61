// Between E and U of snowfield_limit.c: cells that hang together get the mean of the two with the mass that
// is there, one part after the other.
#include "snowfield/snowfield_limit.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { MOST_TRIES = 20 };
#define EXACT_VOLUME 1e-4 // of what is given
#define VOLUME (HEIGHT_UNIT / MASS_UNIT)

static uint32_t first_of(limit_run *run, uint32_t i) {
    while (run[i].part != i) i = run[i].part = run[run[i].part].part;
    return i;
}

static void join(limit_run *run, uint32_t a, uint32_t b) {
    a = first_of(run, a);
    b = first_of(run, b);
    if (a < b)
        run[b].part = a;
    else
        run[a].part = b;
}

static firn_status add_run(snowfield_limit *l, int32_t x0, int32_t x1, int32_t z) {
    if (!array_reserve(&l->run, &l->capacity[4], limit_room(l->runs + 1), sizeof *l->run))
        return fail_memory("sliding snow", (l->runs + 1) * sizeof *l->run);
    l->run[l->runs] = (limit_run){x0, x1, z, (uint32_t)l->runs};
    l->runs++;
    return FIRN_OK;
}

// Bits of the groups of a word of a row that changed.
static uint64_t changed(const limit_front *f, int32_t z, int32_t word) {
    return f->ever[limit_word(f->grid, z) + (size_t)word];
}

// How far a surface is from the snow's; 0 where it was not looked at.
static float moved_by(const limit_front *f, int32_t x, int32_t z) {
    int32_t group = x / LIMIT_GROUP;
    size_t i = limit_at(f->grid, x, z);
    return changed(f, z, group / LIMIT_WORD) >> group % LIMIT_WORD & 1 ? f->height[i] - f->start[i] : 0;
}

static limit_cell cell_of(const snowfield_state *s, const snowfield_limit *l, int32_t x, int32_t z) {
    size_t cell = snowfield_cell(s, l->cells.x0 + x, l->cells.z0 + z);
    float most = (float)s->tiles.mass[cell] * (float)(MASS_UNIT / HEIGHT_UNIT) / s->tiles.density[cell];
    return (limit_cell){cell, moved_by(&l->front[0], x, z), moved_by(&l->front[1], x, z), most};
}

// Cells of a group that changed, as bits.
static uint32_t moved_cells(const limit_front *f, int32_t group, int32_t z) {
    uint32_t bits = 0;
    if (!(changed(f, z, group / LIMIT_WORD) >> group % LIMIT_WORD & 1)) return 0;
    size_t i = limit_at(f->grid, group * LIMIT_GROUP, z);
    for (size_t k = 0; k < LIMIT_GROUP; k++) bits |= (uint32_t)(f->height[i + k] != f->start[i + k]) << k;
    return bits;
}

// Runs of a row, from left to right.
static firn_status find_runs(snowfield_limit *l, int32_t z) {
    const limit_front *e = &l->front[0], *u = &l->front[1];
    int32_t begin = -1, end = -1; // of the run so far
    for (int32_t word = 0; word < l->grid.words - 2; word++) {
        for (uint64_t left = changed(e, z, word) | changed(u, z, word); left; left &= left - 1) {
            int32_t group = word * LIMIT_WORD + __builtin_ctzll(left);
            for (uint32_t cells = moved_cells(e, group, z) | moved_cells(u, group, z); cells;
                 cells &= cells - 1) {
                int32_t x = group * LIMIT_GROUP + __builtin_ctz(cells);
                if (x != end && begin >= 0) TRY(add_run(l, begin, end, z));
                if (x != end) begin = x;
                end = x + 1;
            }
        }
    }
    return begin >= 0 ? add_run(l, begin, end, z) : FIRN_OK;
}

// Runs of a row that touch those of the row before, also at corners.
static void join_rows(limit_run *run, size_t before, size_t now, size_t end) {
    for (size_t a = before, b = now; a < now && b < end;) {
        if (run[a].x0 <= run[b].x1 && run[b].x0 <= run[a].x1) join(run, (uint32_t)a, (uint32_t)b);
        if (run[a].x1 < run[b].x1)
            a++;
        else
            b++;
    }
}

// Numbers the parts in the order of their first runs; l->first[part + 2] becomes its number of cells.
static firn_status number_parts(snowfield_limit *l, size_t *parts) {
    if (!array_reserve(&l->first, &l->capacity[5], limit_room(l->runs + 2), sizeof *l->first))
        return fail_memory("sliding snow", (l->runs + 2) * sizeof *l->first);
    memset(l->first, 0, (l->runs + 2) * sizeof *l->first);
    for (size_t i = 0; i < l->runs; i++) l->run[i].part = first_of(l->run, (uint32_t)i);
    *parts = 0;
    for (size_t i = 0; i < l->runs; i++) { // the first run of its part has its number already
        limit_run *r = &l->run[i];
        r->part = r->part == i ? (uint32_t)(*parts)++ : l->run[r->part].part;
        l->first[r->part + 2] += (uint32_t)(r->x1 - r->x0);
    }
    return FIRN_OK;
}

// Cells part by part: those of a part are l->first[part] to l->first[part + 1].
static firn_status list_cells(const snowfield_state *s, snowfield_limit *l, size_t parts) {
    for (size_t p = 0; p < parts; p++) l->first[p + 2] += l->first[p + 1];
    size_t count = l->first[parts + 1];
    if (!array_reserve(&l->cell, &l->capacity[6], limit_room(count), sizeof *l->cell))
        return fail_memory("sliding snow", count * sizeof *l->cell);
    for (size_t i = 0; i < l->runs; i++) {
        const limit_run *r = &l->run[i];
        for (int32_t x = r->x0; x < r->x1; x++) l->cell[l->first[r->part + 1]++] = cell_of(s, l, x, r->z);
    }
    return FIRN_OK;
}

static float change_of(const limit_cell *c, float share) { return c->low + share * (c->up - c->low); }

// What the cells get with a mean of E and U, less what they give, HEIGHT_UNIT.
static double gain_of(const limit_cell *cell, size_t n, float share, double *given) {
    double gain[2] = {0, 0};
    for (size_t i = 0; i < n; i++) {
        float change = change_of(&cell[i], share), least = -cell[i].most;
        gain[change < 0] += (double)(change > least ? change : least);
    }
    *given = -gain[1];
    return gain[0] + gain[1];
}

// The more of U, the less is given and the more is got: regula falsi, where a bound that stays counts half.
static float fair_share(const limit_cell *cell, size_t n) {
    double given, a = 0, b = 1, fa = gain_of(cell, n, 0, &given), fb = gain_of(cell, n, 1, &given), share = 0;
    int side = 0;
    if (!(fa < 0)) return 0;
    if (!(fb > 0)) return 1;
    for (int k = 0; k < MOST_TRIES; k++) {
        share = (fa * b - fb * a) / (fa - fb);
        double f = gain_of(cell, n, (float)share, &given);
        if (fabs(f) <= EXACT_VOLUME * given) break;
        if (f < 0) {
            a = share, fa = f;
            if (side < 0) fb *= 0.5;
            side = -1;
        } else {
            b = share, fb = f;
            if (side > 0) fa *= 0.5;
            side = 1;
        }
    }
    return (float)share;
}

typedef struct limit_sum {
    int64_t mass;       // that is given
    double volume, got; // over kg/m3, of what is given; HEIGHT_UNIT
} limit_sum;

static limit_sum take(snowfield_state *s, const limit_cell *c, size_t n, float share) {
    limit_sum sum = {0, 0, 0};
    for (size_t i = 0; i < n; i++) {
        float change = change_of(&c[i], share);
        if (change >= 0) {
            sum.got += (double)change;
            continue;
        }
        int32_t *mass = &s->tiles.mass[c[i].cell];
        double density = (double)s->tiles.density[c[i].cell];
        int32_t gives = (int32_t)fmin(-(double)change * VOLUME * density, *mass);
        *mass -= gives;
        sum.mass += gives;
        sum.volume += gives / density;
    }
    return sum;
}

// To the last unit: each gets up to its share of the sum so far.
static void put(snowfield_state *s, const limit_cell *c, size_t n, float share, const limit_sum *sum) {
    float density = (float)fmax((double)sum->mass / sum->volume, (double)s->law.density_min);
    double got = 0;
    int64_t done = 0;
    size_t last = 0;
    for (size_t i = 0; i < n; i++) {
        float change = change_of(&c[i], share);
        if (!(change > 0)) continue;
        got += (double)change;
        int64_t upto = (int64_t)fmin((double)sum->mass * (got / sum->got), (double)sum->mass);
        last = c[i].cell;
        if (upto > done) snowfield_put(s, last, (int32_t)(upto - done), density);
        done = upto > done ? upto : done;
    }
    if (sum->mass > done) snowfield_put(s, last, (int32_t)(sum->mass - done), density);
}

static void settle(snowfield_state *s, const limit_cell *c, size_t n) {
    float share = fair_share(c, n);
    bool any = false;
    for (size_t i = 0; i < n && !any; i++) any = change_of(&c[i], share) > 0;
    if (!any) return;
    limit_sum sum = take(s, c, n, share);
    if (sum.mass > 0) put(s, c, n, share, &sum);
}

firn_status snowfield_limit_settle(snowfield_state *s, snowfield_limit *l) {
    size_t before = 0, now, parts = 0;
    l->runs = 0;
    int32_t first = int_min(l->front[0].first, l->front[1].first),
            last = int_max(l->front[0].last, l->front[1].last);
    for (int32_t z = first; z <= last; z++) {
        now = l->runs;
        TRY(find_runs(l, z));
        if (l->runs == now) continue;
        join_rows(l->run, before < now && l->run[before].z == z - 1 ? before : now, now, l->runs);
        before = now;
    }
    if (l->runs == 0) return FIRN_OK;
    TRY(number_parts(l, &parts));
    TRY(list_cells(s, l, parts));
    for (size_t p = 0; p < parts; p++) settle(s, l->cell + l->first[p], l->first[p + 1] - l->first[p]);
    snowfield_limit_touch(s, l);
    return FIRN_OK;
}

void snowfield_limit_touch(snowfield_state *s, const snowfield_limit *l) {
    for (size_t i = 0; i < l->runs; i++) {
        int32_t x = l->cells.x0, z = l->cells.z0 + l->run[i].z;
        snowfield_touch(s, (snowfield_rect){x + l->run[i].x0, z, x + l->run[i].x1, z + 1});
    }
}
