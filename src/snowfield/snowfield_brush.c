// What a program digs out of the field, heaps onto it and heats, between two steps.
#include <math.h>

#include "geom/shape.h"
#include "math/dvec.h"
#include "snow/snow_column.h"
#include "snowfield/snowfield_state.h"

enum { FINEST = 64 }; // places of a column that are looked at

// Cells below a shape, which may be turned in any way; all of an endless one.
static snowfield_rect rect_below(const snowfield_state *s, const model_region *region) {
    snowfield_rect all = {0, 0, s->nx, s->nz};
    firn_vec3 low, high;
    if (!shape_bounds(region->form, &low, &high)) return all;
    double x[2] = {INFINITY, -INFINITY}, z[2] = {INFINITY, -INFINITY};
    for (int k = 0; k < 8; k++) {
        firn_vec3 corner = {k & 1 ? high.x : low.x, k & 2 ? high.y : low.y, k & 4 ? high.z : low.z};
        firn_vec3 at = dvec_add(dquat_rotate(region->rotation, corner), region->at);
        x[0] = fmin(x[0], at.x), x[1] = fmax(x[1], at.x);
        z[0] = fmin(z[0], at.z), z[1] = fmax(z[1], at.z);
    }
    double cell = s->def.cell, most[2] = {s->nx, s->nz};
    for (int k = 0; k < 2; k++) {
        x[k] = fmin(fmax((x[k] - s->x0) / cell, -1), most[0] + 1);
        z[k] = fmin(fmax((z[k] - s->z0) / cell, -1), most[1] + 1);
    }
    return rect_meet((snowfield_rect){(int32_t)floor(x[0]), (int32_t)floor(z[0]), (int32_t)ceil(x[1]),
                                      (int32_t)ceil(z[1])},
                     all);
}

// Share of the snow of a column, from `low` up (m), that is inside.
static double share_inside(const snowfield_state *s, const model_region *region, int32_t x, int32_t z,
                           double low, double depth) {
    int n = (int)fmin(fmax(ceil(8 * depth / s->def.cell), 8), FINEST), inside = 0;
    firn_vec3 at = {s->x0 + (x + 0.5) * s->def.cell, 0, s->z0 + (z + 0.5) * s->def.cell};
    for (int i = 0; i < n; i++) {
        at.y = low + (i + 0.5) * depth / n;
        inside += model_region_has(region, at);
    }
    return (double)inside / n;
}

static double ground_share(const snowfield_state *s, const model_region *region, size_t cell, int32_t x,
                           int32_t z) {
    double depth = snowfield_depth(s->tiles.mass[cell], s->tiles.density[cell]) * HEIGHT_UNIT;
    if (s->tiles.mass[cell] <= 0) return 0;
    return share_inside(s, region, x, z, snowfield_height(s->tiles.ground[cell]) * HEIGHT_UNIT, depth);
}

static double top_share(const snowfield_state *s, const model_region *region, size_t covered, int32_t x,
                        int32_t z) {
    const snowfield_covers *c = &s->covers;
    if (c->top_mass[covered] <= 0 || c->roof[covered] == NO_ROOF) return 0;
    double depth = snowfield_depth(c->top_mass[covered], c->top_density[covered]) * HEIGHT_UNIT;
    return share_inside(s, region, x, z, c->upper[covered] * HEIGHT_UNIT, depth);
}

static void dig_cell(snowfield_state *s, const model_region *region, int32_t x, int32_t z) {
    size_t cell = snowfield_cell(s, x, z), covered = snowfield_covered(s, cell);
    int32_t *mass = &s->tiles.mass[cell], gone = (int32_t)rint(*mass * ground_share(s, region, cell, x, z));
    *mass -= gone;
    if (gone > 0 && s->tiles.crust) s->tiles.crust[cell] = 0;
    s->counters[COUNTER_OUT] += (uint64_t)gone;
    if (covered == SIZE_MAX) return;
    mass = &s->covers.top_mass[covered];
    gone = (int32_t)rint(*mass * top_share(s, region, covered, x, z));
    *mass -= gone;
    s->counters[COUNTER_OUT] += (uint64_t)gone;
}

// What is above falls down.
static firn_status take_out(void *model, const model_region *region) {
    snowfield_state *s = model;
    if (region->item) return FIRN_OK; // sources only stop
    snowfield_rect cells = rect_below(s, region);
    if (rect_empty(cells)) return FIRN_OK;
    TRY(snowfield_tiles_make(s, rect_grow(cells, FIELD_SLIDE_MARGIN)));
    for (int32_t z = cells.z0; z < cells.z1; z++)
        for (int32_t x = cells.x0; x < cells.x1; x++) dig_cell(s, region, x, z);
    snowfield_touch(s, cells);
    snowfield_show(s);
    return FIRN_OK;
}

static bool heat(void *model, const model_region *region, double each) {
    snowfield_state *s = model;
    if (!s->heat.on) return false;
    snowfield_rect cells = rect_below(s, region);
    if (rect_empty(cells)) return true;
    if (snowfield_tiles_make(s, rect_grow(cells, FIELD_SLIDE_MARGIN)) != FIRN_OK) return false;
    for (int32_t z = cells.z0; z < cells.z1; z++)
        for (int32_t x = cells.x0; x < cells.x1; x++) {
            size_t cell = snowfield_cell(s, x, z);
            double mass = MASS_UNIT * s->heat.mass[cell], share = ground_share(s, region, cell, x, z);
            if (!(share > 0 && mass > 0)) continue;
            double now = s->heat.heat[cell] / mass, least = -90 * SNOW_ICE_CAPACITY, most = SNOW_LATENT;
            double then = fmin(fmax(now + share * each, fmin(now, least)), fmax(now, most));
            snowfield_heat_give(s, cell, (then - now) * mass);
        }
    snowfield_touch(s, cells);
    snowfield_show(s);
    return true;
}

// ---- heaps

typedef struct heap {
    double x, z, radius; // m
} heap;

// A paraboloid; a thin one still meets a cell.
static double weight(const snowfield_state *s, const heap *h, int32_t x, int32_t z) {
    double dx = s->x0 + (x + 0.5) * s->def.cell - h->x, dz = s->z0 + (z + 0.5) * s->def.cell - h->z;
    double r = fmax(h->radius, 0.71 * s->def.cell);
    return fmax(1.01 - (dx * dx + dz * dz) / (r * r), 0);
}

static firn_status put(void *model, double x, double z, double radius, double kg, bool *took) {
    snowfield_state *s = model;
    const heap h = {x, z, radius};
    int32_t cx, cz;
    if (!snowfield_cell_of(s, x, z, &cx, &cz)) return FIRN_OK;
    double most = fmin(ceil(radius / s->def.cell), fmax(s->nx, s->nz)), sum = 0;
    int32_t far = 1 + (int32_t)most;
    snowfield_rect cells = rect_meet((snowfield_rect){cx - far, cz - far, cx + far + 1, cz + far + 1},
                                     (snowfield_rect){0, 0, s->nx, s->nz});
    TRY(snowfield_tiles_make(s, rect_grow(cells, FIELD_SLIDE_MARGIN)));
    for (int32_t k = cells.z0; k < cells.z1; k++)
        for (int32_t i = cells.x0; i < cells.x1; i++) sum += weight(s, &h, i, k);
    double units = kg / snowfield_kg(s), before = 0;
    int64_t given = 0;
    for (int32_t k = cells.z0; k < cells.z1; k++)
        for (int32_t i = cells.x0; i < cells.x1; i++) {
            double each = weight(s, &h, i, k);
            if (!(each > 0)) continue;
            before += each;
            int64_t to = (int64_t)(before / sum * units);
            snowfield_drop(s, snowfield_cell(s, i, k), (int32_t)(to - given), s->law.density);
            given = to;
        }
    s->counters[COUNTER_IN] += (uint64_t)given;
    snowfield_touch(s, cells);
    snowfield_show(s);
    *took = true;
    return FIRN_OK;
}

const struct firn_model_growth snowfield_growth = {.take_out = take_out, .heat = heat, .put = put};
