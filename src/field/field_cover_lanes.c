// Sliding snow where bodies stand: below a roof there is only so much room, and what comes from above the
// body's upper surface lies on it, as a second layer that slides by itself. Without roofs this gives the same
// bits as field_slump_lanes.c.
#include "field/field_slide.h"

static const int opposite[WAYS] = {RIGHT, LEFT, DOWN, UP, RIGHT_DOWN, LEFT_DOWN, RIGHT_UP, LEFT_UP};
static const int row_of[WAYS] = {1, 1, 0, 2, 0, 0, 2, 2}, column_of[WAYS] = {-1, 1, 0, 0, -1, 1, -1, 1};

#define ANY_ROOM 0x3fffffff

// The surface that others see from above: of the snow on the body, or of the snow on the ground.
void ISA_NAME(cover_heights)(slump_patch *p) {
    for (int z = 0; z < p->length + 2 * SLUMP_HALO; z++) {
        for (int x = 0; x < p->width + 2 * SLUMP_HALO; x += LANES) {
            size_t i = (size_t)(z * SLUMP_STRIDE + x);
            ireal depth = r_to_int(depth_of(i_load(p->top_mass + i), r_load(p->top_density + i)));
            mask roofed = i_ne(i_load(p->roof + i), RI(INT32_MAX));
            i_store(p->upper + i, i_select(roofed, i_load(p->upper + i) + depth, i_load(p->height + i)));
        }
    }
}

// Snow on the ground falls onto the top of the neighbour's body if that is lower, else below its roof.
static bool give_ground(const slump_rates *rates, const slump_patch *p, size_t i, slump_row *row, size_t x) {
    real f[WAYS];
    ireal here = i_load(p->height + i);
    for (int w = 0; w < WAYS; w++) {
        size_t n = i + (size_t)(ptrdiff_t)steps[w];
        ireal top = i_load(p->upper + n), low = i_load(p->height + n), roof = i_load(p->roof + n);
        mask onto = i_lt(top, here), open = onto | i_eq(roof, RI(INT32_MAX));
        ireal room = i_select(open, RI(ANY_ROOM), i_max(roof - low - RI(8), RI(0)));
        f[w] = r_from_int(i_min(here - i_select(onto, top, low), room));
    }
    return give_away(rates, f, i_load(p->mass + i), r_load(p->density + i), row, x);
}

static bool give_top(const slump_rates *rates, const slump_patch *p, size_t i, slump_row *row, size_t x) {
    ireal mass = i_load(p->top_mass + i), here = i_load(p->upper + i);
    if (!m_any(i_gt(mass, RI(0)))) {
        for (int w = 0; w < WAYS; w++) i_store(row->give[w] + x, RI(0));
        return false;
    }
    real f[WAYS];
    for (int w = 0; w < WAYS; w++) f[w] = r_from_int(here - i_load(p->upper + i + (ptrdiff_t)steps[w]));
    return give_away(rates, f, mass, r_load(p->top_density + i), row, x);
}

typedef struct cover_row {
    slump_row ground, top;
} cover_row;

static void give_row(const slump_rates *rates, const slump_patch *p, int z, cover_row *row) {
    for (int x = -1; x < p->width + 1; x += LANES) {
        size_t i = (size_t)((z + SLUMP_HALO) * SLUMP_STRIDE + x + SLUMP_HALO), at = (size_t)(x + SLUMP_HALO);
        give_ground(rates, p, i, &row->ground, at);
        give_top(rates, p, i, &row->top, at);
    }
}

// What LANES cells get, on the ground and on top.
LANE_INLINE void gather_both(const slump_patch *p, cover_row *const rows[3], size_t i, size_t at,
                             gathered *ground, gathered *top) {
    mask roofed = i_ne(i_load(p->roof + i), RI(INT32_MAX));
    ireal own_top = i_load(p->upper + i);
    const int order[WAYS] = {LEFT, RIGHT, LEFT_UP, UP, RIGHT_UP, LEFT_DOWN, DOWN, RIGHT_DOWN};
    for (int k = 0; k < WAYS; k++) {
        int w = order[k];
        size_t n = i + (size_t)(ptrdiff_t)steps[w], from = at + (size_t)(ptrdiff_t)column_of[w];
        const cover_row *row = rows[row_of[w]];
        ireal g = i_load(row->ground.give[opposite[w]] + from), t = i_load(row->top.give[opposite[w]] + from);
        mask onto = roofed & i_lt(own_top, i_load(p->height + n));
        gather(ground, g & ~onto, r_load(p->density + n));
        gather(top, g & onto, r_load(p->density + n));
        gather(ground, t & ~roofed, r_load(p->top_density + n));
        gather(top, t & roofed, r_load(p->top_density + n));
    }
}

static void gather_row(const field_law *law, slump_patch *p, int z, cover_row *const rows[3]) {
    for (int x = 0; x < p->width; x += LANES) {
        size_t i = (size_t)((z + SLUMP_HALO) * SLUMP_STRIDE + x + SLUMP_HALO), at = (size_t)(x + SLUMP_HALO);
        gathered ground = {RI(0), R(0)}, top = {RI(0), R(0)};
        gather_both(p, rows, i, at, &ground, &top);
        ireal away = given_away(&rows[1]->ground, at), slid = given_away(&rows[1]->top, at);
        ireal mass = i_load(p->mass + i) - away, top_mass = i_load(p->top_mass + i) - slid;
        size_t out = (size_t)(z * SLUMP_STRIDE + x);
        i_store(p->new_mass + out, mass + ground.mass);
        r_store(p->new_density + out, mix(law, mass, r_load(p->density + i), ground));
        i_store(p->new_top_mass + out, top_mass + top.mass);
        r_store(p->new_top_density + out, mix(law, top_mass, r_load(p->top_density + i), top));
        mask changed = i_ne(away | ground.mass, RI(0)) | i_ne(slid | top.mass, RI(0));
        if (m_any(changed)) note_change(p, x, z, changed);
    }
}

int ISA_NAME(cover_sweep)(const field_law *law, slump_patch *p) {
    slump_rates rates = rates_of(law);
    cover_row ring[3];
    p->x0 = p->z0 = 1 << 30;
    p->x1 = p->z1 = 0;
    for (int z = -1; z <= p->length; z++) {
        int k = (z + 3) % 3;
        give_row(&rates, p, z, &ring[k]);
        if (z >= 1)
            gather_row(law, p, z - 1, (cover_row *[3]){&ring[(z + 1) % 3], &ring[(z + 2) % 3], &ring[k]});
    }
    return p->x1 > p->x0;
}
