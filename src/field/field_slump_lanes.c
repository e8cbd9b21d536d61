// Slopes that are too steep (FIELD11 3.10, but by true slope and distance). A cell whose steepest fall is
// more than its snow holds gives to the cells below it; each cell first works out what it gives, then gathers
// what its neighbours give it. Masses are whole numbers: nothing is lost, and the order does not matter.
#include "field/field_slide.h"

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

static bool give_cells(const slump_rates *rates, const slump_patch *p, size_t i, slump_row *row, size_t x) {
    real f[WAYS];
    ireal here = i_load(p->height + i);
    for (int w = 0; w < WAYS; w++) f[w] = r_from_int(here - i_load(p->height + i + (ptrdiff_t)steps[w]));
    return give_away(rates, f, i_load(p->mass + i), r_load(p->density + i), row, x);
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

LANE_INLINE void gather_from(gathered *g, const slump_row *row, int way, size_t x, const float *density) {
    gather(g, i_load(row->give[way] + x), r_load(density));
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

static void gather_row(const field_law *law, slump_patch *p, int z, slump_row *const rows[3]) {
    for (int x = 0; x < p->width; x += LANES) {
        size_t i = (size_t)((z + SLUMP_HALO) * SLUMP_STRIDE + x + SLUMP_HALO), at = (size_t)(x + SLUMP_HALO);
        ireal mass = i_load(p->mass + i), away = given_away(rows[1], at);
        real density = r_load(p->density + i);
        gathered in = gather_cells(rows, at, p->density + i);
        size_t out = (size_t)(z * SLUMP_STRIDE + x);
        i_store(p->new_mass + out, mass - away + in.mass);
        r_store(p->new_density + out, mix(law, mass - away, density, in));
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
    slump_rates rates = rates_of(law);
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
