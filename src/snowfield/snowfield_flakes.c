// Flakes of the wind that land on the field. Each represents many: it is spread over so many cells that it
// makes no heap of its own.
#include "snowfield/snowfield_state.h"

#include <math.h>

enum { MAX_RADIUS = 12 }; // cells
#define FLAKE_DEPTH 3e-4  // m, at most, of what one flake adds

static bool cell_at(const snowfield_state *s, float x, float z, int32_t *cx, int32_t *cz) {
    double u = floor(((double)x - s->x0) / s->def.cell), v = floor(((double)z - s->z0) / s->def.cell);
    if (!(u >= 0 && v >= 0 && u < s->nx && v < s->nz)) return false;
    *cx = (int32_t)u;
    *cz = (int32_t)v;
    return true;
}

float snowfield_height_at(const void *model, float x, float z) {
    int32_t cx, cz;
    return cell_at(model, x, z, &cx, &cz) ? (float)snowfield_surface_at(model, cx, cz) : -INFINITY;
}

double snowfield_highest(const void *model) {
    const snowfield_state *s = model;
    if (!snowfield_is_plain(s)) return INFINITY;
    double most = s->grid[GRID_GROUND] + s->grid[GRID_DEPTH];
    for (size_t t = 0; t < s->tiles.count; t++) most = fmax(most, (double)s->tiles.highest[t]);
    return most;
}

// Whole units of the mass landed so far: the remainder is added to the next flake.
static int64_t units_of_next(snowfield_state *s, double units) {
    uint64_t due = (uint64_t)((double)++s->counters[COUNTER_FLAKES] * units);
    int64_t more = (int64_t)(due - s->counters[COUNTER_FLAKE_UNITS]);
    s->counters[COUNTER_FLAKE_UNITS] = due;
    return more;
}

// Onto a body, unless the flake landed below it.
static void put_flake(snowfield_state *s, size_t cell, float height, int32_t mass) {
    size_t covered = snowfield_covered(s, cell);
    bool below = covered != SIZE_MAX && snowfield_height(height) < s->covers.roof[covered];
    if (below)
        snowfield_put(s, cell, mass, s->fall_density);
    else
        snowfield_drop(s, cell, mass, s->fall_density);
}

static firn_status add_flake(snowfield_state *s, int32_t x, int32_t z, float height, int32_t radius,
                             int64_t units) {
    snowfield_rect cells = rect_meet((snowfield_rect){x - radius, z - radius, x + radius + 1, z + radius + 1},
                                     (snowfield_rect){0, 0, s->nx, s->nz});
    TRY(snowfield_tiles_make(s, rect_grow(cells, FIELD_SLIDE_MARGIN)));
    int64_t left = units, number = (int64_t)(cells.x1 - cells.x0) * (cells.z1 - cells.z0);
    for (int32_t cz = cells.z0; cz < cells.z1; cz++) {
        for (int32_t cx = cells.x0; cx < cells.x1; cx++, number--) {
            int64_t gets = left / number;
            put_flake(s, snowfield_cell(s, cx, cz), height, (int32_t)gets);
            left -= gets;
        }
    }
    s->counters[COUNTER_IN] += (uint64_t)units;
    snowfield_touch(s, cells);
    return FIRN_OK;
}

firn_status snowfield_take_flakes(void *model, size_t n, const float (*at)[3], double mass) {
    snowfield_state *s = model;
    double units = mass / snowfield_kg(s);
    double side = sqrt(units * MASS_UNIT / ((double)s->fall_density * FLAKE_DEPTH)); // cells
    int32_t radius = int_min((int32_t)ceil(0.5 * (side - 1)), MAX_RADIUS), x, z;
    if (n == 0) return FIRN_OK;
    TRY(snowfield_stands_paint(s));
    for (size_t i = 0; i < n; i++)
        if (cell_at(s, at[i][0], at[i][2], &x, &z))
            TRY(add_flake(s, x, z, at[i][1], int_max(radius, 0), units_of_next(s, units)));
    snowfield_stands_lift(s);
    snowfield_show(s);
    return FIRN_OK;
}
