// What is still much too steep after the sweeps of a step is brought to its limit at once: a sweep moves snow
// by one cell, and a heap of n cells would take some n^2 of them. Around such a place two surfaces follow
// from cell to cell: the largest below the snow's that is nowhere too steep (E, as if snow were only taken
// away) and the smallest above it (U, as if it were only filled up). The slope of a mean of two surfaces is
// never more than the larger of theirs, so all means are within the limit; the one with the mass that is
// there is taken. Sweeps have brought the snow near its limit before, so that the two are near each other and
// few cells are concerned.
#include "snowfield/snowfield_limit.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum {
    LIMIT_AROUND = 64, // cells around what moves
    MOST_VISITS = 4,   // of each cell of the region, on average
    HALVINGS = 14,
    IS_WALL = 1,
    IN_QUEUE = 2,
    IN_LIST = 4,
    IN_PART = 8,
    LOOKED_AT = 16,
    NEAR_KNOWN = 32,
};
#define DIAGONAL 1.41421356f
#define WALL 3e9f   // HEIGHT_UNIT; above all snow
#define AIM 0.6f    // a slope may stay so far above its limit, in parts of what is much too steep
#define EXACT 0.01f // of the fall over one cell: smaller changes are not passed on

static float larger(float a, float b) { return a > b ? a : b; }

static firn_status reserve(snowfield_limit *l, size_t count) {
    size_t before = l->capacity[1];
    if (!array_reserve(&l->cell, &l->capacity[1], count, sizeof *l->cell) ||
        !array_reserve(&l->queue, &l->capacity[2], count, sizeof *l->queue) ||
        !array_reserve(&l->list, &l->capacity[3], count, sizeof *l->list))
        return fail_memory("sliding snow", count * (sizeof *l->cell + 2 * sizeof *l->queue));
    if (l->capacity[1] != before || l->epoch == UINT32_MAX) {
        memset(l->cell, 0, l->capacity[1] * sizeof *l->cell);
        l->epoch = 0;
    }
    l->epoch++;
    l->room = count;
    l->listed = 0;
    return FIRN_OK;
}

static float limit_of(const snowfield_law *law, float density) {
    float w = (density - law->density_min) / (law->density_max - law->density_min);
    return (law->tan_loose + (law->tan_packed - law->tan_loose) * w) * law->cell * (float)(1 / HEIGHT_UNIT);
}

static size_t field_cell(const snowfield_state *s, const snowfield_limit *l, int32_t at) {
    return snowfield_cell(s, l->cells.x0 + at % l->width - 1, l->cells.z0 + at / l->width - 1);
}

static void look_up(const snowfield_state *s, snowfield_limit *l, int32_t at) {
    limit_cell *c = &l->cell[at];
    int32_t x = l->cells.x0 + at % l->width - 1, z = l->cells.z0 + at / l->width - 1;
    *c = (limit_cell){.epoch = l->epoch, .state = IS_WALL, .surface = {WALL, WALL, WALL}};
    if (x < l->cells.x0 || z < l->cells.z0 || x >= l->cells.x1 || z >= l->cells.z1) return;
    size_t cell = snowfield_cell(s, x, z), covered = snowfield_covered(s, cell);
    if (covered != SIZE_MAX && s->covers.roof[covered] != NO_ROOF) return;
    c->state = 0;
    float height = (float)(snowfield_surface(s, cell) - l->base);
    for (int k = 0; k < LIMIT_SURFACES; k++) c->surface[k] = height;
    c->fall = limit_of(&s->law, s->tiles.density[cell]) + AIM * s->law.steeper * l->unit;
}

static limit_cell *known(const snowfield_state *s, snowfield_limit *l, int32_t at) {
    if (l->cell[at].epoch != l->epoch) look_up(s, l, at);
    return &l->cell[at];
}

static void note(snowfield_limit *l, int32_t at) {
    limit_cell *c = &l->cell[at];
    if (c->state & (IN_LIST | IS_WALL)) return;
    c->state |= IN_LIST;
    l->list[l->listed++] = at;
}

// Falls from a cell to its neighbours in a 3 x 3 block; none towards walls.
typedef struct falls {
    float to[9], x, z; // HEIGHT_UNIT; the largest along x and z
} falls;

// The neighbours of a cell are known from now on.
static void know_around(const snowfield_state *s, snowfield_limit *l, int32_t at) {
    if (known(s, l, at)->state & NEAR_KNOWN) return;
    for (int k = 0; k < 9; k++) known(s, l, at + (k / 3 - 1) * l->width + k % 3 - 1);
    l->cell[at].state |= NEAR_KNOWN;
}

static falls falls_at(const snowfield_state *s, snowfield_limit *l, int32_t at, limit_surface which) {
    know_around(s, l, at);
    falls f;
    float here = l->cell[at].surface[which];
    for (int k = 0; k < 9; k++) {
        const limit_cell *c = &l->cell[at + (k / 3 - 1) * l->width + k % 3 - 1];
        f.to[k] = larger(here - c->surface[which], 0);
    }
    f.x = larger(f.to[3], f.to[5]);
    f.z = larger(f.to[1], f.to[7]);
    return f;
}

static float slope_of(const falls *f) { return sqrtf(f->x * f->x + f->z * f->z); }

static float across(const falls *f) { return larger(larger(f->to[0], f->to[2]), larger(f->to[6], f->to[8])); }

static void queue_around(const snowfield_state *s, snowfield_limit *l, int32_t at, int64_t *last) {
    know_around(s, l, at);
    for (int k = 0; k < 9; k++) {
        int32_t to = at + (k / 3 - 1) * l->width + k % 3 - 1;
        limit_cell *c = &l->cell[to];
        if (c->state & (IS_WALL | IN_QUEUE)) continue;
        c->state |= IN_QUEUE;
        l->queue[(size_t)(*last)++ % l->room] = to;
    }
}

// E: the cell itself is lowered until its slope is the limit. Its lower neighbours are at here - x, here - z.
static void lower(const snowfield_state *s, snowfield_limit *l, int32_t at, int64_t *last) {
    falls f = falls_at(s, l, at, ERODED);
    limit_cell *c = &l->cell[at];
    float fall = c->fall, less = larger(across(&f) - DIAGONAL * fall, 0), d = fabsf(f.x - f.z);
    if (f.x * f.x + f.z * f.z > fall * fall) {
        float far = larger(f.x, f.z), rise = d >= fall ? fall : 0.5f * (d + sqrtf(2 * fall * fall - d * d));
        less = larger(less, far - rise);
    }
    if (!(less > EXACT * fall)) return;
    c->surface[ERODED] -= less;
    note(l, at);
    queue_around(s, l, at, last);
}

// U: the lower neighbours are raised until its slope is the limit.
static void raise(const snowfield_state *s, snowfield_limit *l, int32_t at, int64_t *last) {
    falls f = falls_at(s, l, at, FILLED);
    float fall = l->cell[at].fall, here = l->cell[at].surface[FILLED], slope = slope_of(&f);
    float share = slope > fall ? fall / slope : 1;
    if (!(slope > fall) && !(across(&f) > DIAGONAL * fall)) return;
    for (int k = 0; k < 9; k++) {
        bool side = k % 2 == 1;
        float may = side ? share * (k == 3 || k == 5 ? f.x : f.z) : DIAGONAL * fall;
        if (k == 4 || !(f.to[k] > may + EXACT * fall)) continue;
        int32_t to = at + (k / 3 - 1) * l->width + k % 3 - 1;
        l->cell[to].surface[FILLED] = here - may;
        note(l, to);
        queue_around(s, l, to, last);
    }
}

// From the first cells of the list from cell to cell, until nothing changes any more.
static void spread_limit(const snowfield_state *s, snowfield_limit *l, size_t seeds, bool down) {
    int64_t first = 0, last = 0, most = MOST_VISITS * (int64_t)l->room;
    for (size_t i = 0; i < seeds; i++) queue_around(s, l, l->list[i], &last);
    for (; first < last && first < most; first++) {
        int32_t at = l->queue[(size_t)first % l->room];
        l->cell[at].state &= ~(uint32_t)IN_QUEUE;
        if (down)
            lower(s, l, at, &last);
        else
            raise(s, l, at, &last);
    }
    for (; first < last; first++) l->cell[l->queue[(size_t)first % l->room]].state &= ~(uint32_t)IN_QUEUE;
}

static bool too_steep(const snowfield_state *s, snowfield_limit *l, int32_t at, float more) {
    falls f = falls_at(s, l, at, SURFACE);
    float most = l->cell[at].fall + more;
    return slope_of(&f) > most || across(&f) > DIAGONAL * most;
}

// Cells of a group and those beside it: only they can have become too steep in the last sweep.
static void find_in_group(const snowfield_state *s, snowfield_limit *l, int32_t x0, int32_t z0) {
    float more = (1 - AIM) * s->law.steeper * l->unit;
    snowfield_rect r = rect_meet((snowfield_rect){x0 - 1, z0 - 1, x0 + GROUP_CELLS + 1, z0 + 2}, l->cells);
    for (int32_t z = r.z0; z < r.z1; z++) {
        for (int32_t x = r.x0; x < r.x1; x++) {
            int32_t at = (z - l->cells.z0 + 1) * l->width + (x - l->cells.x0 + 1);
            limit_cell *c = known(s, l, at);
            if (c->state & (IS_WALL | LOOKED_AT)) continue;
            c->state |= LOOKED_AT;
            if (too_steep(s, l, at, more)) note(l, at);
        }
    }
}

// Row by row over the whole region: the order must not depend on the tiles.
static void find_steep(const snowfield_state *s, snowfield_limit *l) {
    for (int32_t z = l->cells.z0; z < l->cells.z1; z++) {
        for (int32_t column = l->cells.x0 >> s->shift; column <= (l->cells.x1 - 1) >> s->shift; column++) {
            int32_t t = snowfield_tile_at(s, column, z >> s->shift);
            uint32_t left = t == TILE_NONE ? 0 : s->tiles.active[t].row[z & (s->edge - 1)];
            for (; left; left &= left - 1)
                find_in_group(s, l, column * s->edge + GROUP_CELLS * __builtin_ctz(left), z);
        }
    }
}

// What the cells of a part give and get with a mean of E and U.
typedef struct limit_sum {
    double given, volume_given, got; // MASS_UNIT; over kg/m3
} limit_sum;

// Over 1 kg/m3: MASS_UNIT by which the column changes.
static double change_of(const limit_cell *c, double share) {
    double low = (double)c->surface[ERODED], wanted = low + share * ((double)c->surface[FILLED] - low);
    return (wanted - (double)c->surface[SURFACE]) * (HEIGHT_UNIT / MASS_UNIT);
}

static limit_sum sum_part(const snowfield_state *s, const snowfield_limit *l, const int32_t *part, size_t n,
                          double share) {
    limit_sum sum = {0, 0, 0};
    for (size_t i = 0; i < n; i++) {
        double change = change_of(&l->cell[part[i]], share);
        if (change >= 0) {
            sum.got += change;
            continue;
        }
        size_t cell = field_cell(s, l, part[i]);
        double density = (double)s->tiles.density[cell], gives = fmin(-change, s->tiles.mass[cell] / density);
        sum.volume_given += gives;
        sum.given += gives * density;
    }
    return sum;
}

static int64_t take_part(snowfield_state *s, const snowfield_limit *l, const int32_t *part, size_t n,
                         double share) {
    int64_t given = 0;
    for (size_t i = 0; i < n; i++) {
        double change = change_of(&l->cell[part[i]], share);
        if (!(change < 0)) continue;
        size_t cell = field_cell(s, l, part[i]);
        int32_t gives = (int32_t)fmin(-change * (double)s->tiles.density[cell], s->tiles.mass[cell]);
        s->tiles.mass[cell] -= gives;
        given += gives;
    }
    return given;
}

// To the last unit: each gets up to its share of the sum so far.
static void put_part(snowfield_state *s, const snowfield_limit *l, const int32_t *part, size_t n,
                     double share, int64_t mass, limit_sum sum) {
    float density = (float)fmax(sum.given / fmax(sum.volume_given, 1e-9), (double)s->law.density_min);
    double got = 0;
    int64_t done = 0;
    size_t last = 0;
    for (size_t i = 0; i < n; i++) {
        double change = change_of(&l->cell[part[i]], share);
        if (!(change > 0)) continue;
        got += change;
        int64_t upto = (int64_t)fmin((double)mass * (got / sum.got), (double)mass);
        last = field_cell(s, l, part[i]);
        if (upto > done) snowfield_put(s, last, (int32_t)(upto - done), density);
        done = upto > done ? upto : done;
    }
    if (mass > done) snowfield_put(s, last, (int32_t)(mass - done), density);
}

// The mean with the mass that is there: the more of U, the less is given and the more is got.
static void settle_part(snowfield_state *s, const snowfield_limit *l, const int32_t *part, size_t n) {
    double a = 0, b = 1;
    for (int k = 0; k < HALVINGS; k++) {
        double share = 0.5 * (a + b);
        limit_sum sum = sum_part(s, l, part, n, share);
        if (sum.volume_given > sum.got)
            a = share;
        else
            b = share;
    }
    double share = 0.5 * (a + b);
    limit_sum sum = sum_part(s, l, part, n, share);
    if (sum.got > 0) put_part(s, l, part, n, share, take_part(s, l, part, n, share), sum);
}

// Cells that hang together, one part after the other.
static void settle_parts(const snowfield_state *s, snowfield_state *changed, snowfield_limit *l) {
    for (size_t i = 0; i < l->listed; i++) {
        if (l->cell[l->list[i]].state & IN_PART) continue;
        size_t n = 0;
        l->queue[n++] = l->list[i];
        l->cell[l->list[i]].state |= IN_PART;
        for (size_t k = 0; k < n; k++) {
            for (int w = 0; w < 9; w++) {
                int32_t to = l->queue[k] + (w / 3 - 1) * l->width + w % 3 - 1;
                limit_cell *c = known(s, l, to);
                if ((c->state & (IN_LIST | IN_PART)) != IN_LIST) continue;
                c->state |= IN_PART;
                l->queue[n++] = to;
            }
        }
        settle_part(changed, l, l->queue, n);
    }
}

static firn_status limit_region(snowfield_state *s, snowfield_rect cells) {
    snowfield_limit *l = s->limit;
    l->cells = cells;
    l->width = cells.x1 - cells.x0 + 2;
    TRY(snowfield_tiles_make(s, cells));
    TRY(reserve(l, (size_t)l->width * (size_t)(cells.z1 - cells.z0 + 2)));
    l->unit = s->law.cell * (float)(1 / HEIGHT_UNIT);
    l->base = snowfield_surface(s, snowfield_cell(s, cells.x0, cells.z0));
    find_steep(s, l);
    if (l->listed == 0) return FIRN_OK;
    size_t steep = l->listed;
    spread_limit(s, l, steep, true);
    spread_limit(s, l, steep, false);
    settle_parts(s, s, l);
    for (size_t i = 0; i < l->listed; i++) {
        int32_t x = cells.x0 + l->list[i] % l->width - 1, z = cells.z0 + l->list[i] / l->width - 1;
        snowfield_touch(s, (snowfield_rect){x, z, x + 1, z + 1});
    }
    return FIRN_OK;
}

// Joins a region with all that it meets.
static void add_region(snowfield_limit *l, snowfield_rect cells) {
    for (size_t i = 0; i < l->regions;) {
        if (rect_empty(rect_meet(l->region[i], cells))) {
            i++;
            continue;
        }
        cells = rect_join(cells, l->region[i]);
        l->region[i] = l->region[--l->regions];
        i = 0;
    }
    l->region[l->regions++] = cells;
}

firn_status snowfield_limit_slopes(snowfield_state *s) {
    if (!s->limit) s->limit = mem_zero(1, sizeof *s->limit);
    if (!s->limit) return fail_memory("sliding snow", sizeof *s->limit);
    snowfield_limit *l = s->limit;
    if (!array_reserve(&l->region, &l->capacity[0], s->tiles.count + 1, sizeof *l->region))
        return fail_memory("sliding snow", (s->tiles.count + 1) * sizeof *l->region);
    l->regions = 0;
    for (size_t t = 0; t < s->tiles.count; t++) {
        if (!groups_any(&s->tiles.active[t])) continue;
        snowfield_rect cells = rect_grow(snowfield_active_cells(s, t), LIMIT_AROUND);
        add_region(l, rect_meet(cells, (snowfield_rect){0, 0, s->nx, s->nz}));
    }
    for (size_t i = 0; i < l->regions; i++) TRY(limit_region(s, l->region[i]));
    return FIRN_OK;
}

void snowfield_limit_free(snowfield_state *s) {
    if (!s->limit) return;
    mem_free(s->limit->region);
    mem_free(s->limit->cell);
    mem_free(s->limit->queue);
    mem_free(s->limit->list);
    mem_free(s->limit);
}
