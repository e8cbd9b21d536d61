// E and U of snowfield_limit.c. Rows are looked at one after the other, down and up the field in turn; within
// a row all cells are as they were before. Only groups next to a change are looked at. A group has the same
// number of cells for all sets of instructions, so that the order is the same.
#include "snowfield/snowfield_limit_lanes.h"

#include "lane/lane.h"

#define DIAGONAL 1.41421356f
#define EXACT 0.01f // of the fall over one cell: smaller changes are not passed on
#define NO_LEVEL -1e30f

_Static_assert(LIMIT_GROUP % LANES == 0, "groups are whole vectors");

void ISA_NAME(limit_fill)(const limit_columns *c, limit_front *f, size_t at) {
    for (int k = 0; k < LIMIT_GROUP; k += LANES) {
        real density = r_load(c->density + k), mass = r_from_int(i_load(c->mass + k));
        ireal depth = r_to_int(mass * R((float)(MASS_UNIT / HEIGHT_UNIT)) / density);
        ireal ground = r_to_int(r_round(r_load(c->ground + k) * R((float)(1 / HEIGHT_UNIT))));
        real height = r_from_int(ground + depth - RI(c->base));
        r_store(f->height + at + k, height);
        r_store(f->start + at + k, height);
        r_store(f->fall + at + k, R(c->at) + R(c->gain) * r_min(density, R(c->most)));
    }
}

// Falls from a cell to its neighbours: the largest along x and z, and to the corners.
typedef struct falls {
    real x, z, across;
} falls;

LANE_INLINE falls falls_at(const limit_front *f, size_t i) {
    const float *height = f->height;
    size_t up = i - (size_t)f->grid->stride, down = i + (size_t)f->grid->stride;
    real here = r_load(height + i);
    real x = r_min(r_load(height + i - 1), r_load(height + i + 1));
    real z = r_min(r_load(height + up), r_load(height + down));
    real above = r_min(r_load(height + up - 1), r_load(height + up + 1));
    real below = r_min(r_load(height + down - 1), r_load(height + down + 1));
    return (falls){r_max(here - x, R(0)), r_max(here - z, R(0)), here - r_min(above, below)};
}

LANE_INLINE mask too_steep(const falls *f, real most) {
    return r_gt(f->x * f->x + f->z * f->z, most * most) | r_gt(f->across, R(DIAGONAL) * most);
}

static uint64_t around(const uint64_t *word) {
    uint64_t m = *word;
    return m | m << 1 | m >> 1 | word[-1] >> (LIMIT_WORD - 1) | word[1] << (LIMIT_WORD - 1);
}

// Fills the groups around some of a row.
static void know(limit_front *f, int32_t z, const uint64_t *groups) {
    const limit_grid *g = f->grid;
    for (int32_t word = 0; word < g->words - 2; word++) {
        uint64_t need = around(groups + word) & limit_valid(g, word);
        for (int32_t row = z - 1; need && row <= z + 1; row++) {
            uint64_t *known = f->known + limit_word(g, row) + (size_t)word, missing = need & ~*known;
            *known |= missing;
            for (; missing; missing &= missing - 1)
                f->fill(f, (word * LIMIT_WORD + __builtin_ctzll(missing)) * LIMIT_GROUP, row);
        }
    }
}

static void mark(limit_front *f, int32_t z, int32_t word, uint64_t groups) {
    limit_mark(f->grid, f->look, z, word, groups);
    int32_t before = z > 0 ? z - 1 : z, after = z + 1 < f->grid->length ? z + 1 : z;
    f->first = before < f->first ? before : f->first;
    f->last = after > f->last ? after : f->last;
}

// A change of some groups of a row.
static void note(limit_front *f, int32_t z, int32_t word, uint64_t groups) {
    if (!groups) return;
    mark(f, z, word, groups);
    f->ever[limit_word(f->grid, z) + (size_t)word] |= groups;
}

int ISA_NAME(limit_find)(limit_front *f, int32_t z, const uint64_t *groups, float more) {
    const limit_grid *g = f->grid;
    int any = 0;
    know(f, z, groups);
    for (int32_t word = 0; word < g->words - 2; word++) {
        for (uint64_t left = groups[word]; left; left &= left - 1) {
            int32_t group = word * LIMIT_WORD + __builtin_ctzll(left);
            size_t i = limit_at(g, group * LIMIT_GROUP, z);
            bool steep = false;
            for (size_t k = 0; k < LIMIT_GROUP; k += LANES) {
                falls w = falls_at(f, i + k);
                steep |= m_any(too_steep(&w, r_load(f->fall + i + k) + R(more)));
            }
            if (steep) mark(f, z, word, left & (~left + 1));
            any |= steep;
        }
    }
    return any;
}

// E: the cell itself is lowered until its slope is the limit. Its lower neighbours are at here - x, here - z.
LANE_INLINE real lowered(const limit_front *f, size_t i) {
    falls w = falls_at(f, i);
    real fall = r_load(f->fall + i), less = r_max(w.across - R(DIAGONAL) * fall, R(0)), d = r_abs(w.x - w.z);
    real both = R(0.5f) * (d + r_sqrt(r_max(R(2) * fall * fall - d * d, R(0))));
    real rise = r_select(r_ge(d, fall), fall, both);
    mask steep = r_gt(w.x * w.x + w.z * w.z, fall * fall);
    less = r_max(less, r_where(steep, r_max(w.x, w.z) - rise));
    return r_where(r_gt(less, R(EXACT) * fall), less);
}

static void erode_row(limit_front *f, int32_t z) {
    const limit_grid *g = f->grid;
    uint64_t *look = f->look + limit_word(g, z);
    for (int32_t word = 0; word < g->words - 2; word++) {
        f->changed[word] = 0;
        for (uint64_t left = look[word]; left; left &= left - 1) {
            int32_t x = (word * LIMIT_WORD + __builtin_ctzll(left)) * LIMIT_GROUP;
            mask any = RI(0);
            for (int32_t k = 0; k < LIMIT_GROUP; k += LANES) {
                real less = lowered(f, limit_at(g, x + k, z));
                r_store(f->row[0] + x + k, less);
                any |= r_gt(less, R(0));
            }
            if (m_any(any)) f->changed[word] |= left & (~left + 1);
        }
        look[word] = 0;
    }
    for (int32_t word = 0; word < g->words - 2; word++) {
        for (uint64_t left = f->changed[word]; left; left &= left - 1) {
            int32_t x = (word * LIMIT_WORD + __builtin_ctzll(left)) * LIMIT_GROUP;
            size_t i = limit_at(g, x, z);
            for (int32_t k = 0; k < LIMIT_GROUP; k += LANES)
                r_store(f->height + i + k, r_load(f->height + i + k) - r_load(f->row[0] + x + k));
        }
        note(f, z, word, f->changed[word]);
    }
}

// U: the lower neighbours are raised until its slope is the limit. Levels, in the rows of f, to which cells
// raise their neighbours along x, along z and at the corners.
LANE_INLINE bool levels_of(limit_front *f, size_t i, int32_t x) {
    falls w = falls_at(f, i);
    real fall = r_load(f->fall + i), here = r_load(f->height + i);
    mask steep = too_steep(&w, fall);
    if (!m_any(steep)) return false;
    real slope = r_sqrt(w.x * w.x + w.z * w.z), share = r_min(fall / r_max(slope, R(1)), R(1));
    float *const *to = f->row;
    r_store(to[0] + x, r_select(steep, here - share * w.x, R(NO_LEVEL)));
    r_store(to[1] + x, r_select(steep, here - share * w.z, R(NO_LEVEL)));
    r_store(to[2] + x, r_select(steep, here - R(DIAGONAL) * fall, R(NO_LEVEL)));
    return true;
}

LANE_INLINE void no_levels(limit_front *f, int32_t x) {
    for (int32_t k = 0; k < LIMIT_GROUP; k += LANES)
        for (int to = 0; to < 3; to++) r_store(f->row[to] + x + k, R(NO_LEVEL));
}

LANE_INLINE bool raised(const limit_front *f, size_t i, real level) {
    real here = r_load(f->height + i);
    mask up = r_gt(level, here + R(EXACT) * r_load(f->fall + i));
    if (!m_any(up)) return false;
    r_store(f->height + i, r_select(up, level, here));
    return true;
}

// The group's cells of row z and of those beside it; bits of those that changed, row by row.
LANE_INLINE void raise_group(const limit_front *f, int32_t x, int32_t z, bool any[3]) {
    const limit_grid *g = f->grid;
    for (int32_t k = x; k < x + LIMIT_GROUP; k += LANES) {
        const float *along = f->row[0] + LIMIT_GROUP + k, *corner = f->row[2] + LIMIT_GROUP + k;
        real side = r_max(r_load(along - 1), r_load(along + 1));
        real next = r_max(r_load(f->row[1] + LIMIT_GROUP + k), r_max(r_load(corner - 1), r_load(corner + 1)));
        any[0] |= raised(f, limit_at(g, k, z - 1), next);
        any[1] |= raised(f, limit_at(g, k, z), side);
        any[2] |= raised(f, limit_at(g, k, z + 1), next);
    }
}

static void raise_row(limit_front *f, int32_t z) {
    const limit_grid *g = f->grid;
    uint64_t *look = f->look + limit_word(g, z), *gives = f->changed, all = 0;
    for (int32_t word = 0; word < g->words - 2; word++) {
        gives[word] = 0;
        for (uint64_t left = look[word]; left; left &= left - 1) {
            int32_t x = (word * LIMIT_WORD + __builtin_ctzll(left)) * LIMIT_GROUP;
            bool any = false;
            for (int32_t k = 0; k < LIMIT_GROUP; k += LANES)
                any |= levels_of(f, limit_at(g, x + k, z), LIMIT_GROUP + x + k);
            if (any) gives[word] |= left & (~left + 1);
        }
        all |= gives[word];
        look[word] = 0;
    }
    for (int32_t word = 0; all && word < g->words - 2; word++) {
        uint64_t row[3] = {0, 0, 0};
        for (uint64_t left = around(gives + word) & limit_valid(g, word); left; left &= left - 1) {
            int32_t x = (word * LIMIT_WORD + __builtin_ctzll(left)) * LIMIT_GROUP;
            bool any[3] = {false, false, false};
            raise_group(f, x, z, any);
            for (int k = 0; k < 3; k++)
                if (any[k]) row[k] |= left & (~left + 1);
        }
        for (int k = 0; k < 3; k++) note(f, z + k - 1, word, row[k]);
    }
    for (int32_t word = 0; all && word < g->words - 2; word++)
        for (uint64_t left = gives[word]; left; left &= left - 1)
            no_levels(f, LIMIT_GROUP + (word * LIMIT_WORD + __builtin_ctzll(left)) * LIMIT_GROUP);
}

LANE_INLINE bool look_at_row(limit_front *f, int32_t z, void (*look_at)(limit_front *, int32_t)) {
    const limit_grid *g = f->grid;
    uint64_t *look = f->look + limit_word(g, z), all = 0;
    look[g->words - 3] &= limit_valid(g, g->words - 3);
    for (int32_t word = 0; word < g->words - 2; word++) all |= look[word];
    if (!all) return false;
    know(f, z, look);
    look_at(f, z);
    return true;
}

// Down and up in turn, until nothing changes any more.
LANE_INLINE void sweep_rows(limit_front *f, void (*look_at)(limit_front *, int32_t)) {
    bool any = true;
    for (int32_t n = 0; any && n < f->most; n++) {
        any = false;
        if (n % 2 == 0)
            for (int32_t z = f->first; z <= f->last; z++) any |= look_at_row(f, z, look_at);
        else
            for (int32_t z = f->last; z >= f->first; z--) any |= look_at_row(f, z, look_at);
    }
}

void ISA_NAME(limit_erode)(limit_front *f) { sweep_rows(f, erode_row); }

void ISA_NAME(limit_raise)(limit_front *f) {
    for (int32_t x = -LIMIT_GROUP; x < f->grid->width + LIMIT_GROUP; x += LIMIT_GROUP)
        no_levels(f, LIMIT_GROUP + x);
    sweep_rows(f, raise_row);
}
