// Slopes that are too steep (FIELD11 3.10, but by true slope and distance). A cell whose steepest fall is
// more than its snow holds gives to the cells below it; each cell first works out what it gives, then gathers
// what its neighbours give it. Masses are whole numbers: nothing is lost, and the order does not matter.
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

void ISA_NAME(slump_heights)(slump_patch *p) {
    for (int z = 0; z < p->length + 2 * SLUMP_HALO; z++) {
        for (int x = 0; x < p->width + 2 * SLUMP_HALO; x += LANES) {
            size_t i = (size_t)(z * SLUMP_STRIDE + x);
            ireal depth = r_to_int(depth_of(i_load(p->mass + i), r_load(p->density + i)));
            real ground = r_load(p->ground + i) * R((float)(1 / HEIGHT_UNIT));
            i_store(p->height + i, r_to_int(r_round(ground)) + depth);
        }
    }
}

LANE_INLINE real fall(const int32_t *here, int way) { return r_from_int(i_load(here) - i_load(here + way)); }

static const int steps[WAYS] = {-1,
                                1,
                                -SLUMP_STRIDE,
                                SLUMP_STRIDE,
                                -SLUMP_STRIDE - 1,
                                -SLUMP_STRIDE + 1,
                                SLUMP_STRIDE - 1,
                                SLUMP_STRIDE + 1};

// Heights that LANES cells should give to their eight sides; false: none of them is too steep.
LANE_INLINE bool too_steep(const slump_rates *rates, const int32_t *height, real density, real give[WAYS]) {
    real f[WAYS];
    for (int w = 0; w < WAYS; w++) f[w] = fall(height, steps[w]);
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

// Never more than there is.
LANE_INLINE bool give_cells(const slump_rates *rates, const slump_patch *p, size_t i, slump_row *row,
                            size_t x) {
    ireal mass = i_load(p->mass + i);
    real density = r_load(p->density + i), give[WAYS];
    if (!too_steep(rates, p->height + i, density, give)) {
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

// The row z of the piece (-1 .. length), its cells -1 .. width.
static bool give_row(const slump_rates *rates, const slump_patch *p, int z, slump_row *row) {
    bool any = false;
    for (int x = -1; x < p->width + 1; x += LANES) {
        size_t i = (size_t)((z + SLUMP_HALO) * SLUMP_STRIDE + x + SLUMP_HALO);
        any |= give_cells(rates, p, i, row, (size_t)(x + SLUMP_HALO));
    }
    return any;
}

typedef struct gathered {
    ireal mass;
    real volume; // mass over density
} gathered;

LANE_INLINE void gather_from(gathered *g, const slump_row *row, int way, size_t x, const float *density) {
    ireal m = i_load(row->give[way] + x);
    g->mass += m;
    g->volume = g->volume + r_from_int(m) / r_load(density);
}

LANE_INLINE ireal given_away(const slump_row *row, size_t x) {
    ireal sum = i_load(row->give[0] + x);
    for (int w = 1; w < WAYS; w++) sum += i_load(row->give[w] + x);
    return sum;
}

LANE_INLINE gathered gather_cells(slump_row *const rows[3], size_t x, const float *density) {
    const float *above = density - SLUMP_STRIDE, *below = density + SLUMP_STRIDE;
    gathered in = {RI(0), R(0)};
    gather_from(&in, rows[1], RIGHT, x - 1, density - 1);
    gather_from(&in, rows[1], LEFT, x + 1, density + 1);
    gather_from(&in, rows[0], RIGHT_DOWN, x - 1, above - 1);
    gather_from(&in, rows[0], DOWN, x, above);
    gather_from(&in, rows[0], LEFT_DOWN, x + 1, above + 1);
    gather_from(&in, rows[2], RIGHT_UP, x - 1, below - 1);
    gather_from(&in, rows[2], UP, x, below);
    gather_from(&in, rows[2], LEFT_UP, x + 1, below + 1);
    return in;
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

static void gather_row(const field_law *law, slump_patch *p, int z, slump_row *const rows[3]) {
    for (int x = 0; x < p->width; x += LANES) {
        size_t i = (size_t)((z + SLUMP_HALO) * SLUMP_STRIDE + x + SLUMP_HALO), at = (size_t)(x + SLUMP_HALO);
        ireal mass = i_load(p->mass + i), away = given_away(rows[1], at);
        real density = r_load(p->density + i);
        gathered in = gather_cells(rows, at, p->density + i);
        ireal sum = mass - away + in.mass;
        real mixed = r_from_int(sum) / r_max(r_from_int(mass - away) / density + in.volume, R(1e-20f));
        mixed = r_clamp(mixed, R(law->density_min), R(law->density_max));
        size_t out = (size_t)(z * SLUMP_STRIDE + x);
        i_store(p->new_mass + out, sum);
        r_store(p->new_density + out, r_select(i_gt(in.mass, RI(0)), mixed, density));
        mask changed = i_ne(away, RI(0)) | i_ne(in.mass, RI(0));
        if (m_any(changed)) note_change(p, x, z, changed);
    }
}

static void copy_row(slump_patch *p, int z) {
    for (int x = 0; x < p->width; x += LANES) {
        size_t i = (size_t)((z + SLUMP_HALO) * SLUMP_STRIDE + x + SLUMP_HALO),
               out = (size_t)(z * SLUMP_STRIDE + x);
        i_store(p->new_mass + out, i_load(p->mass + i));
        r_store(p->new_density + out, r_load(p->density + i));
    }
}

int ISA_NAME(slump_sweep)(const field_law *law, slump_patch *p) {
    float fall_unit = law->cell / (float)HEIGHT_UNIT;
    slump_rates rates = {
        .tan_loose = R(law->tan_loose * fall_unit),
        .tan_gain = R((law->tan_packed - law->tan_loose) * fall_unit / (law->density_max - law->density_min)),
        .density_min = R(law->density_min),
        .slack = R(SLACK * fall_unit)};
    slump_row ring[3];
    bool gives[3];
    p->x0 = p->z0 = 1 << 30;
    p->x1 = p->z1 = 0;
    for (int z = -1; z <= p->length; z++) {
        int k = (z + 3) % 3;
        gives[k] = give_row(&rates, p, z, &ring[k]);
        if (z < 1) continue;
        if (gives[0] || gives[1] || gives[2])
            gather_row(law, p, z - 1, (slump_row *[3]){&ring[(z + 1) % 3], &ring[(z + 2) % 3], &ring[k]});
        else
            copy_row(p, z - 1);
    }
    return p->x1 > p->x0;
}
