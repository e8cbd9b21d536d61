// Snow in motion that becomes part of the field, and snow of the field that leaves it as particles. Masses
// are exact: what is too little for a unit of mass waits, and counts as mass of the field.
#include "snowfield/snowfield_state.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

void snowfield_give_free(snowfield_state *s) {
    mem_free(s->given.item);
    mem_free(s->given.block);
}

double snowfield_failed_until(void *model, double now) {
    snowfield_state *s = model;
    double before = s->exchange[EXCHANGE_FAILED];
    s->exchange[EXCHANGE_FAILED] = fmax(before, now);
    return before;
}

// ---- coming to rest

// A square over some columns. Those that are higher than the lump get nothing of it.
typedef struct square {
    snowfield_rect cells;
    double low[2], high[2]; // m
    double middle[2];       // m; of the lump
    double slope[2];        // of the surface below
    double below;           // m; where the lump ends
    double area;            // m2, of the square over columns that are lower
} square;

static square square_of(const snowfield_state *s, const snowfield_lump *lump, double margin) {
    double cell = s->def.cell, half = 0.5 * (double)lump->size + margin;
    double most[2] = {s->nx * cell, s->nz * cell}, first[2] = {s->x0, s->z0};
    square q;
    int32_t from[2], to[2];
    for (int a = 0; a < 2; a++) {
        double at = lump->at[2 * a] - first[a];
        q.low[a] = fmax(at - half, 0);
        q.high[a] = fmin(at + half, most[a]);
        from[a] = (int32_t)floor(q.low[a] / cell);
        to[a] = (int32_t)ceil(q.high[a] / cell);
    }
    q.cells =
        rect_meet((snowfield_rect){from[0], from[1], to[0], to[1]}, (snowfield_rect){0, 0, s->nx, s->nz});
    q.below = lump->at[1] + 0.45 * (double)lump->size; // a little below its upper side
    q.area = 0;
    for (int a = 0; a < 2; a++) q.middle[a] = lump->at[2 * a] - first[a], q.slope[a] = 0;
    return q;
}

// How much higher a column is than the surface below the lump says.
static double rise_of(const snowfield_state *s, const square *q, int32_t x, int32_t z) {
    double cell = s->def.cell;
    return q->slope[0] * ((x + 0.5) * cell - q->middle[0]) + q->slope[1] * ((z + 0.5) * cell - q->middle[1]);
}

static double area_over(const snowfield_state *s, const square *q, int32_t x, int32_t z) {
    const int32_t at[2] = {x, z};
    double area = 1, cell = s->def.cell;
    for (int a = 0; a < 2; a++)
        area *= fmax(fmin((at[a] + 1) * cell, q->high[a]) - fmax(at[a] * cell, q->low[a]), 0);
    return snowfield_column_height(s, x, z) - rise_of(s, q, x, z) > q->below ? 0 : area;
}

static bool find_area(const snowfield_state *s, square *q) {
    q->area = 0;
    for (int32_t z = q->cells.z0; z < q->cells.z1; z++)
        for (int32_t x = q->cells.x0; x < q->cells.x1; x++) q->area += area_over(s, q, x, z);
    return q->area > 0;
}

// Where all below are full, those around get it; what is buried goes where it is.
static firn_status choose_columns(snowfield_state *s, const snowfield_lump *lump, square *q) {
    square wide = square_of(s, lump, s->def.cell);
    *q = square_of(s, lump, 0);
    int32_t x, z;
    if (snowfield_cell_of(s, lump->at[0], lump->at[2], &x, &z)) {
        snowfield_column_slope(s, x, z, q->slope);
        memcpy(wide.slope, q->slope, sizeof wide.slope);
    }
    TRY(snowfield_tiles_make(s, rect_grow(wide.cells, FIELD_SLIDE_MARGIN)));
    if (find_area(s, q)) return FIRN_OK;
    if (find_area(s, &wide)) {
        *q = wide;
        return FIRN_OK;
    }
    q->below = INFINITY;
    find_area(s, q);
    return FIRN_OK;
}

// Whether the columns around are at most as much lower as the snow can stand, and one lump more.
static bool stays(const snowfield_state *s, int32_t x, int32_t z, double height, float density, double lump) {
    double fall = snowfield_tan(&s->law, density) * s->def.cell;
    for (int32_t k = 0; k < 9; k++) {
        double far = k % 2 ? 1 : sqrt(2), there = snowfield_column_height(s, x + k % 3 - 1, z + k / 3 - 1);
        if (k != 4 && height - there > fall * far + lump) return false;
    }
    return true;
}

static bool may_settle(const snowfield_state *s, const snowfield_lump *lump, const square *q) {
    double volume = lump->mass / (double)lump->density, each = volume / q->area;
    float density = fminf(fmaxf(lump->density, s->law.density_min), s->law.densest);
    for (int32_t z = q->cells.z0; z < q->cells.z1; z++)
        for (int32_t x = q->cells.x0; x < q->cells.x1; x++) {
            double share = area_over(s, q, x, z) / q->area;
            if (!(share > 0)) continue;
            double height = snowfield_column_height(s, x, z) + share * volume / (s->def.cell * s->def.cell);
            if (!stays(s, x, z, height, density, each)) return false;
            if (!snowfield_stack_stands(s, x, z, (double)lump->size)) return false;
        }
    return true;
}

// Below a body it stays below.
static void put_lump(snowfield_state *s, size_t cell, const snowfield_lump *lump, int32_t mass, double heat) {
    size_t covered = snowfield_covered(s, cell);
    bool above = covered != SIZE_MAX && s->covers.roof[covered] != NO_ROOF &&
                 lump->at[1] > s->covers.roof[covered] * HEIGHT_UNIT;
    if (above)
        snowfield_put_top(s, covered, mass, lump->density);
    else
        snowfield_put(s, cell, mass, lump->density);
    if (isfinite(heat)) snowfield_heat_come(s, cell, above ? covered : SIZE_MAX, mass, heat * mass);
}

static void settle_lump(snowfield_state *s, const snowfield_lump *lump, const square *q) {
    double kg = snowfield_kg(s), *rest = &s->exchange[EXCHANGE_REST], area = 0;
    int64_t units = (int64_t)fmax(floor((*rest + lump->mass) / kg), 0), given = 0;
    double each = lump->heat / (double)units / (s->def.cell * s->def.cell); // J/m2 of a unit
    size_t last = SIZE_MAX;
    *rest += lump->mass - (double)units * kg;
    s->counters[COUNTER_IN] += (uint64_t)units;
    for (int32_t z = q->cells.z0; z < q->cells.z1; z++)
        for (int32_t x = q->cells.x0; x < q->cells.x1; x++) {
            double more = area_over(s, q, x, z);
            if (!(more > 0)) continue;
            area += more, last = snowfield_cell(s, x, z);
            int64_t to = (int64_t)fmin(rint(area / q->area * (double)units), (double)units);
            put_lump(s, last, lump, (int32_t)(to - given), each);
            given = to;
        }
    put_lump(s, last, lump, (int32_t)(units - given), each); // if rounding left any
}

firn_status snowfield_settle(void *model, size_t n, const snowfield_lump *lumps, double reach, bool *taken) {
    snowfield_state *s = model;
    bool any = false;
    TRY(snowfield_stacks_find(s, n, lumps, reach));
    for (size_t i = 0; i < n; i++) {
        const snowfield_lump *lump = &lumps[i];
        int32_t x, z;
        taken[i] = false;
        if (!snowfield_cell_of(s, lump->at[0], lump->at[2], &x, &z)) continue;
        if (!(lump->at[1] - snowfield_column_height(s, x, z) < reach)) continue;
        square q;
        TRY(choose_columns(s, lump, &q));
        if (!may_settle(s, lump, &q)) continue;
        settle_lump(s, lump, &q);
        snowfield_touch(s, q.cells);
        taken[i] = any = true;
    }
    if (any) snowfield_show(s);
    return FIRN_OK;
}

firn_status snowfield_lay(void *model, size_t n, const snowfield_lump *lumps) {
    snowfield_state *s = model;
    for (size_t i = 0; i < n; i++) {
        square q;
        TRY(choose_columns(s, &lumps[i], &q));
        settle_lump(s, &lumps[i], &q);
        snowfield_touch(s, q.cells);
    }
    if (n > 0) snowfield_show(s);
    return FIRN_OK;
}

// ---- leaving

// Columns whose snow leaves together: one that holds many particles in a layer, or several under one
// particle.
typedef struct release_block {
    snowfield_rect cells;
    double depth; // m
    double slope[2];
} release_block;

// Particles lie on a grid of which cells, or groups of cells, are multiples.
typedef struct release_grid {
    int32_t cells, across; // cells along the edge of a block, particles along it
    double pitch;          // m
} release_grid;

static release_grid grid_of(const snowfield_state *s, double edge) {
    double ratio = s->def.cell / edge;
    release_grid g = {.cells = ratio < 1 ? (int32_t)rint(1 / ratio) : 1,
                      .across = ratio > 1 ? (int32_t)rint(ratio) : 1};
    g.pitch = g.cells * s->def.cell / g.across;
    return g;
}

// m, to which a block leaves; 0: it stays. A disc is a bowl, so that snow can slide out of it.
static double depth_in(const snowfield_state *s, const snowfield_part *part, snowfield_rect cells) {
    double x = s->x0 + 0.5 * (cells.x0 + cells.x1) * s->def.cell - part->at[0],
           z = s->z0 + 0.5 * (cells.z0 + cells.z1) * s->def.cell - part->at[1];
    if (part->radius > 0) return part->depth * fmax(1 - (x * x + z * z) / (part->radius * part->radius), 0);
    return fabs(x) <= 0.5 * part->width && fabs(z) <= 0.5 * part->length ? part->depth : 0;
}

static bool is_roofed(const snowfield_state *s, snowfield_rect cells) {
    for (int32_t z = cells.z0; z < cells.z1; z++)
        for (int32_t x = cells.x0; x < cells.x1; x++) {
            size_t covered = snowfield_covered(s, snowfield_cell(s, x, z));
            if (covered != SIZE_MAX && s->covers.roof[covered] != NO_ROOF) return true;
        }
    return false;
}

// The blocks, with the slopes that they have before any snow leaves.
static firn_status list_blocks(snowfield_state *s, const snowfield_part *part, const release_grid *g,
                               size_t *count) {
    double half_x = part->radius > 0 ? part->radius : 0.5 * part->width,
           half_z = part->radius > 0 ? part->radius : 0.5 * part->length, cell = s->def.cell;
    snowfield_rect all = {(int32_t)floor(fmax((part->at[0] - half_x - s->x0) / cell, 0)) / g->cells,
                          (int32_t)floor(fmax((part->at[1] - half_z - s->z0) / cell, 0)) / g->cells,
                          (int32_t)fmin((part->at[0] + half_x - s->x0) / cell + 1, s->nx) / g->cells,
                          (int32_t)fmin((part->at[1] + half_z - s->z0) / cell + 1, s->nz) / g->cells};
    *count = 0;
    for (int32_t j = all.z0; j < all.z1; j++)
        for (int32_t i = all.x0; i < all.x1; i++) {
            snowfield_rect cells = {i * g->cells, j * g->cells, (i + 1) * g->cells, (j + 1) * g->cells};
            double depth = depth_in(s, part, cells);
            if (!(depth > 0)) continue;
            TRY(snowfield_tiles_make(s, rect_grow(cells, FIELD_SLIDE_MARGIN)));
            if (is_roofed(s, cells)) continue;
            if (!array_reserve(&s->given.block, &s->given.capacity[1], *count + 1, sizeof *s->given.block))
                return fail_memory("releasing snow of the field", (*count + 1) * sizeof *s->given.block);
            release_block *b = &s->given.block[(*count)++];
            b->cells = cells, b->depth = depth;
            snowfield_column_slope(s, (cells.x0 + cells.x1) / 2, (cells.z0 + cells.z1) / 2, b->slope);
        }
    return FIRN_OK;
}

// Units of a column that lie within a depth (m) below its surface.
static int64_t units_within(const snowfield_state *s, size_t cell, double depth) {
    double whole = (double)snowfield_depth_m(s->tiles.mass[cell], s->tiles.density[cell]);
    return whole > depth ? (int64_t)(s->tiles.mass[cell] * (depth / whole)) : s->tiles.mass[cell];
}

typedef struct block_sum {
    int64_t units;         // that may leave
    double volume, height; // m3 of these; m, mean height of the surface
} block_sum;

static block_sum sum_of(const snowfield_state *s, snowfield_rect cells, double depth) {
    block_sum sum = {0};
    double area = s->def.cell * s->def.cell;
    for (int32_t z = cells.z0; z < cells.z1; z++)
        for (int32_t x = cells.x0; x < cells.x1; x++) {
            size_t cell = snowfield_cell(s, x, z);
            int64_t units = units_within(s, cell, depth);
            sum.units += units;
            sum.volume += (double)units * MASS_UNIT * area / (double)s->tiles.density[cell];
            sum.height += snowfield_surface(s, cell) * HEIGHT_UNIT;
        }
    sum.height /= (double)(cells.x1 - cells.x0) * (cells.z1 - cells.z0);
    return sum;
}

// Of each column as much as it may give, for its share of `units`. Returns the heat of that, J.
static double take_units(snowfield_state *s, snowfield_rect cells, double depth, int64_t units, int64_t all) {
    int64_t could = 0, given = 0;
    double heat = 0;
    for (int32_t z = cells.z0; z < cells.z1; z++)
        for (int32_t x = cells.x0; x < cells.x1; x++) {
            size_t cell = snowfield_cell(s, x, z);
            could += units_within(s, cell, depth);
            int64_t to = (int64_t)((double)could / (double)all * (double)units);
            if (could == all) to = units;
            s->tiles.mass[cell] -= (int32_t)(to - given);
            heat += snowfield_heat_go(s, cell, (int32_t)(to - given));
            if (s->tiles.crust) s->tiles.crust[cell] = 0;
            given = to;
        }
    s->counters[COUNTER_OUT] += (uint64_t)units;
    snowfield_touch(s, cells);
    return heat * s->def.cell * s->def.cell;
}

// Whole layers of particles from the surface down, as many as fit into the depth.
static firn_status release_block_snow(snowfield_state *s, const release_block *b, const release_grid *g,
                                      double mass, size_t *count) {
    block_sum sum = sum_of(s, b->cells, b->depth);
    double kg = snowfield_kg(s), *rest = &s->exchange[EXCHANGE_REST];
    int32_t each = g->across * g->across;
    int64_t layers = (int64_t)((double)sum.units * kg * (1 + 1e-9) / (mass * each)), units = 0;
    for (; layers > 0; layers--) {
        units = (int64_t)ceil(fmax((double)layers * mass * each - *rest, 0) / kg);
        if (units <= sum.units) break;
    }
    if (layers == 0) return FIRN_OK;
    size_t more = (size_t)layers * (size_t)each;
    if (!array_reserve(&s->given.item, &s->given.capacity[0], *count + more, sizeof *s->given.item))
        return fail_memory("releasing snow of the field", (*count + more) * sizeof *s->given.item);
    *rest += (double)units * kg - (double)more * mass;
    double heat = take_units(s, b->cells, b->depth, units, sum.units) / (double)more;
    double density = (double)sum.units * kg / sum.volume, thick = mass / (density * g->pitch * g->pitch),
           half = 0.5 * (g->across - 1) * g->pitch, bottom = sum.height - thick * (double)layers,
           mid_x = s->x0 + 0.5 * (b->cells.x0 + b->cells.x1) * s->def.cell,
           mid_z = s->z0 + 0.5 * (b->cells.z0 + b->cells.z1) * s->def.cell;
    for (int64_t k = 0; k < (int64_t)more; k++) {
        double dx = (double)(k % g->across) * g->pitch - half,
               dz = (double)(k / g->across % g->across) * g->pitch - half;
        s->given.item[(*count)++] = (snowfield_particle){
            {mid_x + dx, bottom + ((double)(k / each) + 0.5) * thick + b->slope[0] * dx + b->slope[1] * dz,
             mid_z + dz},
            (float)density,
            s->heat.on ? heat : NAN};
    }
    return FIRN_OK;
}

firn_status snowfield_release(void *model, snowfield_part part, double mass, double edge, size_t *count,
                              const snowfield_particle **out) {
    snowfield_state *s = model;
    release_grid g = grid_of(s, edge);
    size_t blocks;
    *count = 0;
    TRY(list_blocks(s, &part, &g, &blocks));
    for (size_t i = 0; i < blocks; i++) TRY(release_block_snow(s, &s->given.block[i], &g, mass, count));
    if (*count > 0) snowfield_show(s);
    *out = s->given.item;
    return FIRN_OK;
}

// ---- over the edge

static snowfield_rect rect_of(const snowfield_state *s, const double low[2], const double high[2]) {
    double cell = s->def.cell;
    return rect_meet(
        (snowfield_rect){(int32_t)rint((low[0] - s->x0) / cell), (int32_t)rint((low[1] - s->z0) / cell),
                         (int32_t)rint((high[0] - s->x0) / cell), (int32_t)rint((high[1] - s->z0) / cell)},
        (snowfield_rect){0, 0, s->nx, s->nz});
}

double snowfield_mean_height(const void *model, const double low[2], const double high[2]) {
    const snowfield_state *s = model;
    snowfield_rect r = rect_of(s, low, high);
    int32_t across = r.x1 - r.x0, along = r.z1 - r.z0, nx = int_min(across, 4), nz = int_min(along, 4);
    double sum = 0;
    for (int32_t k = 0; k < nz; k++)
        for (int32_t i = 0; i < nx; i++)
            sum += snowfield_surface_at(s, r.x0 + (2 * i + 1) * across / (2 * nx),
                                        r.z0 + (2 * k + 1) * along / (2 * nz));
    return nx > 0 && nz > 0 ? sum / (nx * nz) : (double)NAN;
}

firn_status snowfield_slide_off(void *model, const double low[2], const double high[2], double depth,
                                double unit, uint32_t *units, float *density, double *heat) {
    snowfield_state *s = model;
    snowfield_rect cells = rect_of(s, low, high);
    double kg = snowfield_kg(s), *rest = &s->exchange[EXCHANGE_REST];
    *units = 0;
    TRY(snowfield_tiles_make(s, rect_grow(cells, FIELD_SLIDE_MARGIN)));
    if (cells.x0 >= cells.x1 || cells.z0 >= cells.z1 || is_roofed(s, cells)) return FIRN_OK;
    block_sum sum = sum_of(s, cells, depth);
    double most = floor((double)sum.units * kg / unit);
    int64_t out = (int64_t)ceil(fmax(most * unit - *rest, 0) / kg);
    if (!(most >= 1) || out > sum.units) return FIRN_OK;
    *rest += (double)out * kg - most * unit;
    *units = (uint32_t)fmin(most, 1e9);
    *density = (float)((double)sum.units * kg / sum.volume);
    *heat = take_units(s, cells, depth, out, sum.units);
    if (!s->heat.on) *heat = NAN;
    snowfield_show(s);
    return FIRN_OK;
}
