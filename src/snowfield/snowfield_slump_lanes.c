// Slopes that are too steep (FIELD11 3.10, but by true slope and distance). A cell whose steepest fall is
// more than its snow holds gives to the cells below it; each cell first works out what it gives, then gathers
// what its neighbours give it. Masses are whole numbers: nothing is lost, and the order does not matter.
// Where bodies stand, there is only so much room below the roof, and what comes from above a body's upper
// surface lies on it, as a second layer that slides by itself. Cells far from any change are not looked at.
#include "snowfield/snowfield_slump_lanes.h"

#include <string.h>

// A bit of `dirty` stands for eight cells: wider lanes would mark, and look at, their neighbours too.
#if LANES > 8
#undef LANES
#define LANES 8
#endif
#include "lane/lane.h"

enum { WAYS = SLUMP_WAYS, GROUP = 8 }; // cells per bit of `dirty`, looked at together

// Share of the excess that moves in one sweep, to sides and diagonals. More than a quarter would
// overshoot: this is diffusion, and the limit of its explicit step in the plane.
#define SHARE 0.24f
#define SHARE_ACROSS 0.125f
// A slope may be this much too steep before it moves.
#define SLACK 5e-4f
// Snow that moves comes to rest a little below the limit: the dynamic angle of repose is smaller than the
// static one. Without it every grain poured onto a heap would set the whole flank in motion, each step.
#define AT_REST 0.97f
// Kept free below a roof, HEIGHT_UNIT: rounding never lifts the snow into the body.
#define ROOF_GAP 8
#define ANY_ROOM 0x3fffffff

static const int steps[WAYS] = {-1,
                                1,
                                -PATCH_STRIDE,
                                PATCH_STRIDE,
                                -PATCH_STRIDE - 1,
                                -PATCH_STRIDE + 1,
                                PATCH_STRIDE - 1,
                                PATCH_STRIDE + 1};
static const int opposite[WAYS] = {RIGHT, LEFT, DOWN, UP, RIGHT_DOWN, LEFT_DOWN, RIGHT_UP, LEFT_UP};
static const int row_of[WAYS] = {1, 1, 0, 2, 0, 0, 2, 2}, column_of[WAYS] = {-1, 1, 0, 0, -1, 1, -1, 1};

typedef struct slump_rates {
    real tan_loose, tan_gain; // limit of the fall over one cell, HEIGHT_UNIT
    real density_min, density_max;
    real slack; // HEIGHT_UNIT
} slump_rates;

LANE_INLINE real depth_of(ireal mass, real density) {
    return r_from_int(mass) * R((float)(MASS_UNIT / HEIGHT_UNIT)) / density;
}

// Cells of a patch: in one without any body, far from all bodies, or near one.
typedef enum place { NO_BODIES, FAR_AWAY, NEAR_BODY } place;

LANE_INLINE void set_heights(slump_patch *p, size_t i, place at) {
    ireal depth = r_to_int(depth_of(i_load(p->mass + i), r_load(p->density + i)));
    ireal height = i_load(p->ground + i) + depth;
    i_store(p->height + i, height);
    if (at == FAR_AWAY) i_store(p->upper + i, height);
    if (at != NEAR_BODY) return;
    ireal top = r_to_int(depth_of(i_load(p->top_mass + i), r_load(p->top_density + i)));
    mask body = i_ne(i_load(p->roof + i), RI(INT32_MAX));
    i_store(p->upper + i, i_select(body, i_load(p->deck + i) + top, height));
}

void ISA_NAME(slump_heights)(slump_patch *p) {
    place at = p->roofed ? NEAR_BODY : NO_BODIES;
    for (int z = 0; z < p->length; z++)
        for (int x = 0; x < p->width; x += LANES)
            if (p->need[z + 1] >> x / GROUP & 1) set_heights(p, patch_at(x, z), at);
}

// Heights that LANES cells should give to their eight sides; false: none of them is too steep.
LANE_INLINE bool too_steep(const slump_rates *rates, const real f[WAYS], real density, real give[WAYS]) {
    real limit =
        rates->tan_loose + rates->tan_gain * (r_min(density, rates->density_max) - rates->density_min);
    real gx = r_max(r_max(f[LEFT], f[RIGHT]), R(0)), gz = r_max(r_max(f[UP], f[DOWN]), R(0));
    real slope2 = gx * gx + gz * gz, most = limit + rates->slack, most_across = R(1.41421356f) * most;
    real across = r_max(r_max(f[LEFT_UP], f[RIGHT_UP]), r_max(f[LEFT_DOWN], f[RIGHT_DOWN]));
    mask steep = r_gt(slope2, most * most);
    if (!m_any(steep | r_gt(across, most_across))) return false;
    real rest = R(AT_REST) * limit;
    real over = r_where(steep, R(SHARE) * (R(1) - rest / r_max(r_sqrt(slope2), R(1))));
    for (int w = LEFT; w <= DOWN; w++) give[w] = r_max(f[w], R(0)) * over;
    for (int w = LEFT_UP; w < WAYS; w++)
        give[w] = r_where(r_gt(f[w], most_across), R(SHARE_ACROSS) * (f[w] - R(1.41421356f) * rest));
    return true;
}

// Never more than there is.
LANE_INLINE bool give_away(const slump_rates *rates, const real f[WAYS], ireal mass, real density, mask may,
                           layer_row *row, int x) {
    real give[WAYS];
    if (!too_steep(rates, f, density, give)) return false;
    real sum = give[0];
    for (int w = 1; w < WAYS; w++) sum = sum + give[w];
    real depth = depth_of(mass, density) * R(1 - 1e-6f);
    real share = r_min(R(1), depth / r_max(sum, R(1e-6f)));
    real unit = share * density * R((float)(HEIGHT_UNIT / MASS_UNIT));
    ireal any = RI(0);
    for (int w = 0; w < WAYS; w++) {
        ireal m = r_to_int(give[w] * unit) & may;
        any |= m;
        i_store(row->give[w] + x, m);
    }
    r_store(row->thin + x, R(1) / density);
    return m_any(i_ne(any, RI(0)));
}

// Snow on the ground falls onto the top of the neighbour's body if that is lower, else below its roof.
LANE_INLINE real fall_to(const slump_patch *p, ireal here, size_t n) {
    ireal top = i_load(p->upper + n), low = i_load(p->height + n), roof = i_load(p->roof + n);
    mask onto = i_lt(top, here), open = onto | i_eq(roof, RI(INT32_MAX));
    // Half: all eight sides together give at most one and a half times what one sees.
    ireal room = i_select(open, RI(ANY_ROOM), i_max(roof - low - RI(ROOF_GAP), RI(0)) >> 1);
    return r_from_int(i_min(here - i_select(onto, top, low), room));
}

LANE_INLINE bool give_ground(const slump_rates *rates, const slump_patch *p, size_t i, mask may,
                             slump_row *row, int x, bool roofed) {
    real f[WAYS];
    ireal here = i_load(p->height + i);
    for (int w = 0; w < WAYS; w++) {
        size_t n = i + (size_t)(ptrdiff_t)steps[w];
        f[w] = roofed ? fall_to(p, here, n) : r_from_int(here - i_load(p->height + n));
    }
    i_store(row->height + x, here);
    return give_away(rates, f, i_load(p->mass + i), r_load(p->density + i), may, &row->ground, x);
}

// On a coarser level bodies are walls between cells.
LANE_INLINE bool give_fenced(const slump_rates *rates, const slump_patch *p, size_t i, mask may,
                             slump_row *row, int x) {
    real f[WAYS];
    ireal here = i_load(p->height + i), shut = i_load(p->shut + i);
    for (int w = 0; w < WAYS; w++) {
        ireal fall = here - i_load(p->height + i + (size_t)(ptrdiff_t)steps[w]);
        f[w] = r_from_int(fall & i_eq(shut & RI(1 << w), RI(0)));
    }
    i_store(row->height + x, here);
    return give_away(rates, f, i_load(p->mass + i), r_load(p->density + i), may, &row->ground, x);
}

LANE_INLINE bool give_top(const slump_rates *rates, const slump_patch *p, size_t i, mask may, slump_row *row,
                          int x) {
    ireal mass = i_load(p->top_mass + i), here = i_load(p->upper + i);
    if (!m_any(i_gt(mass, RI(0)))) return false;
    real f[WAYS];
    for (int w = 0; w < WAYS; w++)
        f[w] = r_from_int(here - i_load(p->upper + i + (size_t)(ptrdiff_t)steps[w]));
    return give_away(rates, f, mass, r_load(p->top_density + i), may, &row->top, x);
}

static uint32_t group_bits(int x) { return 1u << (x / GROUP); }
static uint32_t around(uint32_t groups) { return groups | groups << 1 | groups >> 1; }

static void clear_groups(layer_row *row, uint32_t groups) {
    for (; groups; groups &= groups - 1) {
        int x = __builtin_ctz(groups) * GROUP + PATCH_MARGIN;
        for (int w = 0; w < WAYS; w++) memset(row->give[w] + x, 0, GROUP * sizeof(int32_t));
    }
}

static void clear_row(slump_row *row) {
    clear_groups(&row->ground, row->gives);
    clear_groups(&row->top, row->top_gives);
    row->gives = row->top_gives = 0;
}

// Groups of row z from which a body can be seen.
static uint32_t near_bodies(const slump_patch *p, int z) {
    return around(p->roofs[z] | p->roofs[z + 1] | p->roofs[z + 2]); // roofs[z + 1] is row z
}

// Which of GROUP cells from x on see all their neighbours: others of a group beside what is not there must
// not give, or they would give the wrong way. inner: groups that are there in the rows above and below, too.
LANE_INLINE void seeing(uint32_t inner, int x, int32_t may[GROUP]) {
    for (int k = 0; k < GROUP; k++) {
        int at = x + k, g = at / GROUP;
        bool left = at % GROUP > 0 || (g > 0 && (inner >> (g - 1) & 1)),
             right = at % GROUP < GROUP - 1 || (inner >> (g + 1) & 1);
        may[k] = (inner >> g & 1) && left && right ? -1 : 0;
    }
}

// Row z: what its cells give, where that may have changed.
LANE_INLINE void give_row(const slump_rates *rates, const slump_patch *p, int z, slump_row *row,
                          bool roofed) {
    clear_row(row);
    uint32_t look = around(p->dirty[z] | p->dirty[z + 1] | p->dirty[z + 2]); // dirty[z + 1] is row z
    uint32_t near = roofed && look ? near_bodies(p, z) : 0, fences = p->fenced ? p->fences[z + 1] : 0;
    uint32_t inner = p->need[z] & p->need[z + 1] & p->need[z + 2], whole = inner & inner << 1 & inner >> 1;
    look &= inner;
    for (int x = 0; look && x < p->width; x += GROUP) {
        if (!(look & group_bits(x))) continue;
        bool ground = false, top = false, all = (whole & group_bits(x)) == group_bits(x);
        int32_t some[GROUP];
        if (!all) seeing(inner, x, some);
        for (int k = 0; k < GROUP; k += LANES) {
            size_t i = patch_at(x + k, z);
            int to = x + k + PATCH_MARGIN;
            mask may = all ? RI(-1) : i_load(some + k);
            if (near & group_bits(x)) {
                ground |= give_ground(rates, p, i, may, row, to, true);
                top |= give_top(rates, p, i, may, row, to);
            } else if (fences & group_bits(x)) {
                ground |= give_fenced(rates, p, i, may, row, to);
            } else {
                ground |= give_ground(rates, p, i, may, row, to, false);
            }
        }
        row->gives |= ground ? group_bits(x) : 0;
        row->top_gives |= top ? group_bits(x) : 0;
    }
}

typedef struct gathered {
    ireal mass;
    real volume; // mass over density
} gathered;

LANE_INLINE void gather(gathered *g, ireal mass, real thin) {
    g->mass += mass;
    g->volume = g->volume + r_from_int(mass) * thin;
}

// What LANES cells get, on the ground and on top. tops: some snow slides on bodies around.
LANE_INLINE void gather_cells(const slump_patch *p, slump_row *const rows[3], size_t i, int x, place at,
                              bool tops, gathered *ground, gathered *top) {
    mask body = at == NEAR_BODY ? i_ne(i_load(p->roof + i), RI(INT32_MAX)) : RI(0);
    ireal upper = at == NEAR_BODY ? i_load(p->upper + i) : RI(0);
    for (int w = 0; w < WAYS; w++) {
        const slump_row *row = rows[row_of[w]];
        int from = x + column_of[w];
        ireal g = i_load(row->ground.give[opposite[w]] + from);
        real thin = r_load(row->ground.thin + from);
        if (at != NEAR_BODY) {
            gather(ground, g, thin);
            continue;
        }
        mask onto = body & i_lt(upper, i_load(row->height + from));
        gather(ground, g & ~onto, thin);
        gather(top, g & onto, thin);
        if (!tops) continue;
        ireal t = i_load(row->top.give[opposite[w]] + from);
        real top_thin = r_load(row->top.thin + from);
        gather(ground, t & ~body, top_thin);
        gather(top, t & body, top_thin);
    }
}

LANE_INLINE ireal given_away(const layer_row *row, int x) {
    ireal sum = i_load(row->give[0] + x);
    for (int w = 1; w < WAYS; w++) sum += i_load(row->give[w] + x);
    return sum;
}

// The column of which `kept` stays and to which `in` comes.
LANE_INLINE void settle(const snowfield_law *law, ireal kept, gathered in, int32_t *mass, float *density) {
    real old = r_load(density), sum = r_from_int(kept + in.mass);
    real mixed = sum / r_max(r_from_int(kept) / old + in.volume, R(1e-20f));
    mixed = r_clamp(mixed, R(law->density_min), R(law->densest));
    i_store(mass, kept + in.mass);
    r_store(density, r_select(i_gt(in.mass, RI(0)), mixed, old));
}

// Returns whether any of the cells changed.
LANE_INLINE bool take(const snowfield_law *law, slump_patch *p, slump_row *const rows[3], int x, int z,
                      place at, bool tops) {
    size_t i = patch_at(x, z);
    int from = x + PATCH_MARGIN;
    gathered ground = {RI(0), R(0)}, top = {RI(0), R(0)};
    gather_cells(p, rows, i, from, at, tops, &ground, &top);
    ireal away = given_away(&rows[1]->ground, from), slid = tops ? given_away(&rows[1]->top, from) : RI(0);
    if (!m_any(i_ne(away | ground.mass | slid | top.mass, RI(0)))) return false;
    settle(law, i_load(p->mass + i) - away, ground, p->mass + i, p->density + i);
    if (at == NEAR_BODY && m_any(i_ne(slid | top.mass, RI(0))))
        settle(law, i_load(p->top_mass + i) - slid, top, p->top_mass + i, p->top_density + i);
    set_heights(p, i, at);
    return true;
}

// Row z, in place: the rows around have worked out what they give already.
LANE_INLINE uint32_t take_row(const snowfield_law *law, slump_patch *p, int z, slump_row *const rows[3],
                              bool roofed) {
    uint32_t slides = around(rows[0]->top_gives | rows[1]->top_gives | rows[2]->top_gives), changed = 0;
    uint32_t look = around(rows[0]->gives | rows[1]->gives | rows[2]->gives) | slides;
    uint32_t near = roofed && look ? near_bodies(p, z) : 0;
    for (int x = 0; look && x < p->width; x += GROUP) {
        if (!(look & group_bits(x))) continue;
        bool any = false;
        for (int k = 0; k < GROUP; k += LANES) {
            if (!roofed)
                any |= take(law, p, rows, x + k, z, NO_BODIES, false);
            else if (!(near & group_bits(x)))
                any |= take(law, p, rows, x + k, z, FAR_AWAY, false);
            else if (slides & group_bits(x))
                any |= take(law, p, rows, x + k, z, NEAR_BODY, true);
            else
                any |= take(law, p, rows, x + k, z, NEAR_BODY, false);
        }
        changed |= any ? group_bits(x) : 0;
    }
    return changed;
}

// Row by row, in place: a row takes once the row below has worked out what it gives.
LANE_INLINE int sweep(const snowfield_law *law, slump_patch *p, bool roofed) {
    float unit = law->cell / (float)HEIGHT_UNIT;
    slump_rates rates = {
        .tan_loose = R(law->tan_loose * unit),
        .tan_gain = R((law->tan_packed - law->tan_loose) * unit / (law->density_max - law->density_min)),
        .density_min = R(law->density_min),
        .density_max = R(law->density_max),
        .slack = R((SLACK + law->steeper) * unit)};
    slump_row *ring = p->ring;
    uint32_t all = 0;
    for (int k = 0; k < 3; k++) clear_row(&ring[k]);
    for (int z = 0; z < p->length; z++) {
        give_row(&rates, p, z, &ring[z % 3], roofed);
        if (z == 0) continue;
        slump_row *rows[3] = {&ring[(z + 1) % 3], &ring[(z + 2) % 3], &ring[z % 3]};
        uint32_t changed = take_row(law, p, z - 1, rows, roofed);
        p->dirty[z] = changed; // row z - 1: no later row looks at what it was
        p->ever[z] |= changed;
        all |= changed;
    }
    p->dirty[p->length] = 0; // the last row is the patch's rim
    return all != 0;
}

int ISA_NAME(slump_sweep)(const snowfield_law *law, slump_patch *p) {
    return p->roofed ? sweep(law, p, true) : sweep(law, p, false);
}
