// A crust on soft snow: a thin plate at the surface of the start that breaks where it is bent down. Along the
// edge of a contact it bears its shear strength times its thickness per length, as long as both sides of that
// edge are whole (punching shear); so a body is borne up to p A + tau h L.
#include "snowfield/snowfield_press.h"

#include <math.h>

#define CRUST_GIVES 0.25 // of its thickness, that it may be pressed down before it breaks

// Height of its surface, and how far it may be pressed down, HEIGHT_UNIT.
static int32_t crust_level(const snowfield_state *s, size_t cell, int32_t x, int32_t z) {
    int32_t mass;
    float density;
    snowfield_start_column(s, x, z, &mass, &density);
    return snowfield_height(s->tiles.ground[cell]) + snowfield_depth(mass, density);
}
static double crust_gives(const snowfield_state *s) {
    return CRUST_GIVES * s->def.crust.thickness / HEIGHT_UNIT;
}

void snowfield_crust_press(snowfield_state *s, size_t cell, int32_t x, int32_t z, int32_t low) {
    float *whole = &s->tiles.crust[cell];
    if (!(*whole > 0)) return;
    float left = 1 - (float)((crust_level(s, cell, x, z) - low) / crust_gives(s));
    if (left >= *whole) return;
    *whole = left > 0 ? left : -*whole / (*whole - left);
}

// Share of the present step in which the crust of a cell is whole. Where no tile is, all is as at the start.
static double crust_share(const snowfield_state *s, int32_t x, int32_t z) {
    if (x < 0 || z < 0 || x >= s->nx || z >= s->nz) return 0;
    if (snowfield_tile_at(s, x >> s->shift, z >> s->shift) == TILE_NONE) return 1;
    size_t cell = snowfield_cell(s, x, z);
    float whole = s->tiles.crust[cell];
    if (whole <= 0) return (double)-whole;
    // Snow that has slid away below it took it along.
    return snowfield_surface(s, cell) > crust_level(s, cell, x, z) - 2 * crust_gives(s) ? 1 : 0;
}

static bool touches(const snowfield_state *s, const snowfield_print *p, int32_t x, int32_t z, int32_t shift) {
    if (x < p->cells.x0 || z < p->cells.z0 || x >= p->cells.x1 || z >= p->cells.z1) return false;
    size_t i = (size_t)(z - p->cells.z0) * (size_t)(p->cells.x1 - p->cells.x0) + (size_t)(x - p->cells.x0);
    if (!(p->low[i] <= p->high[i])) return false;
    int32_t gap = p->bottom[i] + shift - snowfield_surface(s, snowfield_cell(s, x, z));
    return gap * HEIGHT_UNIT <= FIELD_CONTACT_CELLS * s->def.cell;
}

// Thickness (m) of the crust of refrozen water.
static double frozen_at(const snowfield_state *s, int32_t x, int32_t z) {
    if (x < 0 || z < 0 || x >= s->nx || z >= s->nz) return 0;
    if (snowfield_tile_at(s, x >> s->shift, z >> s->shift) == TILE_NONE) return s->heat.plain[PLAIN_FROZEN];
    return (double)s->heat.frozen[snowfield_cell(s, x, z)];
}

// Lengths of edges by Cauchy and Crofton, from the sides and diagonals that cross them: right for a round
// contact, 5 % low for a square one along the axes.
static double edge_length(const snowfield_state *s, const snowfield_print *p, int32_t x, int32_t z,
                          int32_t shift, double (*whole)(const snowfield_state *, int32_t, int32_t)) {
    const double eighth = 0.392699081698724; // pi / 8
    double length = 0;
    for (int n = 0; n < 9; n++) {
        int32_t dx = n % 3 - 1, dz = n / 3 - 1;
        if (n == 4 || touches(s, p, x + dx, z + dz, shift) || !(whole(s, x + dx, z + dz) > 0)) continue;
        length += s->def.cell * eighth * (dx != 0 && dz != 0 ? sqrt(0.5) : 1);
    }
    return length;
}

double snowfield_crust_bears(const snowfield_state *s, const snowfield_print *p, int32_t x, int32_t z,
                             int32_t shift) {
    double here = s->tiles.crust ? crust_share(s, x, z) : 0, frozen = s->heat.on ? frozen_at(s, x, z) : 0;
    double force = 0;
    if (here > 0)
        force = s->def.crust.strength * s->def.crust.thickness * edge_length(s, p, x, z, shift, crust_share) *
                here;
    if (frozen > 0) force += s->def.crust.strength * frozen * edge_length(s, p, x, z, shift, frozen_at);
    return force;
}

// A crust of refrozen water is gone when it has been pressed down by a share of its thickness.
void snowfield_frozen_press(snowfield_state *s, size_t cell, int32_t overlap) {
    float *frozen = &s->heat.frozen[cell];
    *frozen = fmaxf(*frozen - (float)(overlap * HEIGHT_UNIT / CRUST_GIVES), 0);
}

// What broke in this step bears nothing in the next.
void snowfield_crust_settle(snowfield_state *s, snowfield_rect cells) {
    cells = rect_meet(cells, (snowfield_rect){0, 0, s->nx, s->nz});
    for (int32_t z = cells.z0; z < cells.z1; z++) {
        for (int32_t x = cells.x0; x < cells.x1; x++) {
            if (!snowfield_is_here(s, (size_t)snowfield_tile_at(s, x >> s->shift, z >> s->shift))) continue;
            float *whole = &s->tiles.crust[snowfield_cell(s, x, z)];
            if (*whole < 0) *whole = 0;
        }
    }
}
