// The field as ground for snow in motion: columns whose tops are planes, as steep as their neighbours say,
// with walls between them where they stand at different heights.
#include "snowfield/snowfield_state.h"

#include <math.h>

bool snowfield_cell_of(const snowfield_state *s, double x, double z, int32_t *cx, int32_t *cz) {
    double u = floor((x - s->x0) / s->def.cell), v = floor((z - s->z0) / s->def.cell);
    if (!(u >= 0 && v >= 0 && u < s->nx && v < s->nz)) return false;
    *cx = (int32_t)u;
    *cz = (int32_t)v;
    return true;
}

static bool has_tile(const snowfield_state *s, int32_t x, int32_t z) {
    return snowfield_tile_at(s, x >> s->shift, z >> s->shift) != TILE_NONE;
}

double snowfield_column_height(const snowfield_state *s, int32_t x, int32_t z) {
    if (x < 0 || z < 0 || x >= s->nx || z >= s->nz) return (double)NAN;
    if (has_tile(s, x, z)) return snowfield_surface(s, snowfield_cell(s, x, z)) * HEIGHT_UNIT;
    if (snowfield_is_plain(s)) return s->grid[GRID_GROUND] + s->grid[GRID_DEPTH];
    float ground, depth, density;
    snowfield_untouched(s, (firn_cells){x, z, x + 1, z + 1}, &ground, &depth, &density);
    return (double)ground + (double)depth;
}

double snowfield_tan(const snowfield_law *law, float density) {
    double share = (double)((fminf(density, law->density_max) - law->density_min) /
                            (law->density_max - law->density_min));
    return (double)law->tan_loose + (double)(law->tan_packed - law->tan_loose) * share;
}

double snowfield_repose(const void *model) {
    const snowfield_state *s = model;
    return snowfield_tan(&s->law, s->law.density);
}

// The lesser of two falls if they go the same way; where one is unknown, the other.
static double lesser(double a, double b) {
    if (isnan(a)) return isnan(b) ? 0 : b;
    if (isnan(b)) return a;
    return a * b <= 0 ? 0 : fabs(a) < fabs(b) ? a : b;
}

static const int32_t ways[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};

typedef struct bed_column {
    int32_t x, z;
    double height, around[4]; // m, of it and its neighbours
} bed_column;

static bed_column column_at(const snowfield_state *s, int32_t x, int32_t z) {
    bed_column c = {x, z, snowfield_column_height(s, x, z), {0}};
    for (int k = 0; k < 4; k++) c.around[k] = snowfield_column_height(s, x + ways[k][0], z + ways[k][1]);
    return c;
}

static void slope_of(const snowfield_state *s, const bed_column *c, double slope[2]) {
    for (int a = 0; a < 2; a++)
        slope[a] = lesser(c->height - c->around[2 * a], c->around[2 * a + 1] - c->height) / s->def.cell;
}

void snowfield_column_slope(const snowfield_state *s, int32_t x, int32_t z, double slope[2]) {
    bed_column c = column_at(s, x, z);
    slope_of(s, &c, slope);
}

// Height of a neighbour where it meets the column.
static double edge_height(const snowfield_state *s, const bed_column *c, int k) {
    double next = snowfield_column_height(s, c->x + 2 * ways[k][0], c->z + 2 * ways[k][1]);
    return c->around[k] - 0.5 * lesser(c->around[k] - c->height, next - c->around[k]);
}

static float bearing_of(const snowfield_state *s, const bed_column *c) {
    int32_t mass = s->start.mass;
    float density = s->start.density;
    if (has_tile(s, c->x, c->z)) {
        size_t cell = snowfield_cell(s, c->x, c->z);
        mass = s->tiles.mass[cell], density = s->tiles.density[cell];
    }
    bool rock = (double)snowfield_depth_m(mass, density) < FIELD_BARE || density >= 0.999f * s->law.densest;
    return rock ? INFINITY : (float)snowfield_strength(&s->law, density);
}

// Walls: neighbours that stand higher than a point above its column, or lower than one inside it.
static void look_at_walls(const snowfield_state *s, const bed_column *c, const double at[3], float *distance,
                          float normal[3], float *bears) {
    double cell = s->def.cell, in[2] = {at[0] - s->x0 - c->x * cell, at[2] - s->z0 - c->z * cell};
    bool outside = *distance >= 0;
    for (int k = 0; k < 4; k++) {
        double far = k % 2 ? cell - in[k / 2] : in[k / 2];
        if (isnan(c->around[k]) || far >= fabs((double)*distance)) continue;
        if (outside != (c->around[k] > at[1]) || outside != (edge_height(s, c, k) > at[1])) continue;
        *distance = (float)(outside ? far : -far);
        float away = outside ? -1 : 1;
        normal[0] = away * (float)ways[k][0], normal[1] = 0, normal[2] = away * (float)ways[k][1];
        *bears = INFINITY;
    }
}

void snowfield_bed_look(const void *model, const double at[3], float reach, float *distance, float normal[3],
                        float *bears) {
    const snowfield_state *s = model;
    int32_t x, z;
    *distance = *bears = INFINITY;
    normal[0] = normal[2] = 0, normal[1] = 1;
    if (!snowfield_cell_of(s, at[0], at[2], &x, &z)) return;
    bed_column c = column_at(s, x, z);
    double top = c.height, slope[2];
    for (int k = 0; k < 4; k++) top = fmax(top, c.around[k]);
    if (at[1] - top > 3 * (double)reach) { // even where it is steep
        *distance = (float)(at[1] - top);
        return;
    }
    slope_of(s, &c, slope);
    double up = 1 / sqrt(1 + slope[0] * slope[0] + slope[1] * slope[1]);
    double height = c.height + slope[0] * (at[0] - s->x0 - (x + 0.5) * s->def.cell) +
                    slope[1] * (at[2] - s->z0 - (z + 0.5) * s->def.cell);
    *distance = (float)((at[1] - height) * up);
    normal[0] = (float)(-slope[0] * up), normal[1] = (float)up, normal[2] = (float)(-slope[1] * up);
    *bears = bearing_of(s, &c);
    look_at_walls(s, &c, at, distance, normal, bears);
}

static snowfield_rect cells_between(const snowfield_state *s, const double low[2], const double high[2]) {
    double cell = s->def.cell;
    snowfield_rect r = {(int32_t)floor(fmax((low[0] - s->x0) / cell, -1)),
                        (int32_t)floor(fmax((low[1] - s->z0) / cell, -1)),
                        (int32_t)floor(fmin((high[0] - s->x0) / cell, s->nx)) + 1,
                        (int32_t)floor(fmin((high[1] - s->z0) / cell, s->nz)) + 1};
    return rect_meet(r, (snowfield_rect){0, 0, s->nx, s->nz});
}

double snowfield_bed_highest(const void *model, const double low[2], const double high[2]) {
    const snowfield_state *s = model;
    snowfield_rect cells = cells_between(s, low, high);
    double most = -INFINITY;
    for (int32_t z = cells.z0; z < cells.z1; z++)
        for (int32_t x = cells.x0; x < cells.x1; x++) most = fmax(most, snowfield_column_height(s, x, z));
    return most;
}

firn_status snowfield_bed_reach(void *model, size_t n, const double (*at)[3]) {
    enum { AROUND = 8 };
    snowfield_state *s = model;
    int32_t x, z;
    snowfield_rect last = {0};
    for (size_t i = 0; i < n; i++) {
        if (!snowfield_cell_of(s, at[i][0], at[i][2], &x, &z)) continue;
        if (x >= last.x0 && x < last.x1 && z >= last.z0 && z < last.z1) continue;
        last = (snowfield_rect){x, z, x + 1, z + 1};
        TRY(snowfield_tiles_make(s, rect_grow(last, AROUND)));
        last = rect_grow(last, AROUND / 2);
    }
    return FIRN_OK;
}

// A column becomes denser, down to `low` (m) by `share` of what is above.
static void press_column(snowfield_state *s, int32_t x, int32_t z, double low, double share) {
    size_t cell = snowfield_cell(s, x, z);
    double depth = (double)snowfield_depth_m(s->tiles.mass[cell], s->tiles.density[cell]);
    double over = share * (snowfield_surface(s, cell) * HEIGHT_UNIT - low);
    if (!(over > 0) || !(depth > 0)) return;
    double density = s->tiles.mass[cell] * MASS_UNIT / fmax(depth - over, 1e-6);
    s->tiles.density[cell] = fminf((float)density, s->law.densest);
}

firn_status snowfield_dent_bed(void *model, size_t n, const snowfield_dent *dents) {
    snowfield_state *s = model;
    double cell = s->def.cell;
    for (size_t i = 0; i < n; i++) {
        const snowfield_dent *d = &dents[i];
        int32_t x, z;
        if (!snowfield_cell_of(s, d->at[0], d->at[2], &x, &z)) continue;
        double half = 0.5 * (double)d->size, share = fmin(1, 4 * half * half / (cell * cell)), slope[2];
        // Cells whose middles are in the square, and that in its middle.
        const double low[2] = {d->at[0] - half + 0.5 * cell, d->at[2] - half + 0.5 * cell},
                     high[2] = {d->at[0] + half - 0.5 * cell, d->at[2] + half - 0.5 * cell};
        snowfield_rect cells = rect_join(cells_between(s, low, high), (snowfield_rect){x, z, x + 1, z + 1});
        TRY(snowfield_tiles_make(s, rect_grow(cells, FIELD_SLIDE_MARGIN)));
        snowfield_column_slope(s, x, z, slope);
        for (int32_t cz = cells.z0; cz < cells.z1; cz++)
            for (int32_t cx = cells.x0; cx < cells.x1; cx++) {
                double dx = s->x0 + (cx + 0.5) * cell - d->at[0], dz = s->z0 + (cz + 0.5) * cell - d->at[2];
                press_column(s, cx, cz, d->at[1] + slope[0] * dx + slope[1] * dz, share);
            }
        snowfield_touch(s, cells);
    }
    if (n > 0) snowfield_show(s);
    return FIRN_OK;
}
