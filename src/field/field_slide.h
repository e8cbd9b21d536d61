// What both kernels of sliding snow share; only for field_slump_lanes.c and field_cover_lanes.c.
#ifndef FIELD_FIELD_SLIDE_H
#define FIELD_FIELD_SLIDE_H

#include "field/field_slump_lanes.h"
#include "lane/lane.h"

enum { LEFT, RIGHT, UP, DOWN, LEFT_UP, RIGHT_UP, LEFT_DOWN, RIGHT_DOWN, WAYS };

// Of what is too steep this share moves in one sweep, to each of eight sides: more would overshoot.
#define SHARE 0.125f
// A slope may be this much too steep before it moves.
#define SLACK 5e-4f
// Snow that moves comes to rest a little below the limit: the dynamic angle of repose is smaller than the
// static one. Without it every grain poured onto a heap would set the whole flank in motion, each step.
#define AT_REST 0.97f

typedef struct slump_rates {
    real tan_loose, tan_gain,
        density_min; // limit of the fall over one cell, HEIGHT_UNIT: loose + gain (rho - min)
    real slack;      // HEIGHT_UNIT
} slump_rates;

// What each cell of one row gives away to its eight sides.
typedef struct slump_row {
    int32_t give[WAYS][SLUMP_STRIDE];
} slump_row;

LANE_INLINE real depth_of(ireal mass, real density) {
    return r_from_int(mass) * R((float)(MASS_UNIT / HEIGHT_UNIT)) / density;
}

static const int steps[WAYS] = {-1,
                                1,
                                -SLUMP_STRIDE,
                                SLUMP_STRIDE,
                                -SLUMP_STRIDE - 1,
                                -SLUMP_STRIDE + 1,
                                SLUMP_STRIDE - 1,
                                SLUMP_STRIDE + 1};

// Heights that LANES cells should give to their eight sides; false: none of them is too steep.
LANE_INLINE bool too_steep(const slump_rates *rates, const real f[WAYS], real density, real give[WAYS]) {
    real limit = rates->tan_loose + rates->tan_gain * (density - rates->density_min);
    real gx = r_max(r_max(f[LEFT], f[RIGHT]), R(0)), gz = r_max(r_max(f[UP], f[DOWN]), R(0));
    real slope = r_sqrt(gx * gx + gz * gz), most = limit + rates->slack, rest = R(AT_REST) * limit;
    real across = R(1.41421356f) * rest, most_across = R(1.41421356f) * most;
    mask steep = r_gt(slope, most), any = steep;
    real over = r_where(steep, R(SHARE) * (R(1) - rest / r_max(slope, R(1))));
    for (int w = LEFT; w <= DOWN; w++) give[w] = r_max(f[w], R(0)) * over;
    for (int w = LEFT_UP; w < WAYS; w++) {
        mask m = r_gt(f[w], most_across);
        give[w] = r_where(m, R(SHARE) * (f[w] - across));
        any |= m;
    }
    return m_any(any);
}

// Writes what LANES cells give, never more than there is.
LANE_INLINE bool give_away(const slump_rates *rates, const real f[WAYS], ireal mass, real density,
                           slump_row *row, size_t x) {
    real give[WAYS];
    if (!too_steep(rates, f, density, give)) {
        for (int w = 0; w < WAYS; w++) i_store(row->give[w] + x, RI(0));
        return false;
    }
    real sum = give[0];
    for (int w = 1; w < WAYS; w++) sum = sum + give[w];
    real depth = depth_of(mass, density) * R(1 - 1e-6f);
    real share = r_min(R(1), depth / r_max(sum, R(1e-6f)));
    real unit = share * density * R((float)(HEIGHT_UNIT / MASS_UNIT));
    for (int w = 0; w < WAYS; w++) i_store(row->give[w] + x, r_to_int(give[w] * unit));
    return true;
}

LANE_INLINE ireal given_away(const slump_row *row, size_t x) {
    ireal sum = i_load(row->give[0] + x);
    for (int w = 1; w < WAYS; w++) sum += i_load(row->give[w] + x);
    return sum;
}

typedef struct gathered {
    ireal mass;
    real volume; // mass over density
} gathered;

LANE_INLINE void gather(gathered *g, ireal mass, real density) {
    g->mass += mass;
    g->volume = g->volume + r_from_int(mass) / density;
}

// Density of a column of which `kept` stays and to which `in` comes.
LANE_INLINE real mix(const field_law *law, ireal kept, real density, gathered in) {
    real sum = r_from_int(kept + in.mass);
    real mixed = sum / r_max(r_from_int(kept) / density + in.volume, R(1e-20f));
    mixed = r_clamp(mixed, R(law->density_min), R(law->density_max));
    return r_select(i_gt(in.mass, RI(0)), mixed, density);
}

LANE_INLINE slump_rates rates_of(const field_law *law) {
    float fall_unit = law->cell / (float)HEIGHT_UNIT;
    slump_rates rates = {
        .tan_loose = R(law->tan_loose * fall_unit),
        .tan_gain = R((law->tan_packed - law->tan_loose) * fall_unit / (law->density_max - law->density_min)),
        .density_min = R(law->density_min),
        .slack = R(SLACK * fall_unit)};
    return rates;
}

static void note_change(slump_patch *p, int x, int z, mask changed) {
    for (int k = 0; k < LANES && x + k < p->width; k++) {
        if (!i_lane(changed, k)) continue;
        p->x0 = x + k < p->x0 ? x + k : p->x0;
        p->x1 = x + k + 1 > p->x1 ? x + k + 1 : p->x1;
        p->z0 = z < p->z0 ? z : p->z0;
        p->z1 = z + 1;
    }
}

#endif
