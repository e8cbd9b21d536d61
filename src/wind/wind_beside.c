// The cover beside snow of another model on the ground: columns of cells that lie wholly over that snow are
// not the cover's. What slides or blows into them is handed over, what slides out of them comes in
// (src/world/couple_cover_field.c).
#include <math.h>

#include "base/memory.h"
#include "wind/wind_state.h"

#define INSET 1e-4 // cells, from the corners of a column to where it is looked at

static size_t all_columns(const wind_state *s) { return s->box.row * ((size_t)s->box.n[2] + 2); }
static size_t number_of(const wind_state *s, int32_t i, int32_t k) {
    return (size_t)k * s->box.row + (size_t)i;
}

firn_status beside_create(wind_state *s) {
    cover_beside *b = &s->cover.beside;
    b->other = mem_zero(all_columns(s), 1);
    b->height = mem_zero(all_columns(s), sizeof *b->height);
    if (!b->other || !b->height) return fail_memory("creating a snow cover", 5 * all_columns(s));
    double most = cover_capacity(s, s->cover.density_old);
    if (most < 0.5 * UINT32_MAX) return FIRN_OK; // as much may slide into a cell at once
    return fail(FIRN_BAD_INPUT,
                "flakes: too small beside a snow field: a cell of the cover would hold %.2g of them; raise "
                "'snowfall' or lower 'shown'",
                most / COVER_PARTS);
}

void beside_destroy(cover_beside *b) {
    mem_free(b->other);
    mem_free(b->height);
    mem_free(b->rim);
    mem_free(b->stray);
}

bool beside_is_over(const wind_state *s, const float at[3]) {
    return s->ground.height && s->ground.height(s->ground.context, at[0], at[2]) > -INFINITY;
}

// ---- Whose columns are whose

static bool is_wholly_over(const wind_state *s, int32_t i, int32_t k) {
    for (int corner = 0; corner < 4; corner++) {
        double x = i - 1 + (corner & 1 ? 1 - INSET : INSET), z = k - 1 + (corner & 2 ? 1 - INSET : INSET);
        const float at[3] = {(float)(s->low[0] + x * s->def.cell), 0, (float)(s->low[2] + z * s->def.cell)};
        if (!beside_is_over(s, at)) return false;
    }
    return true;
}

static const int32_t ways[WIND_RIM_SIDES][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};

// Sides at which there is a column of the cover.
static uint8_t sides_of(const wind_state *s, int32_t i, int32_t k) {
    uint8_t sides = 0;
    for (int w = 0; w < WIND_RIM_SIDES; w++) {
        int32_t x = i + ways[w][0], z = k + ways[w][1];
        bool inside = x >= 1 && x <= s->box.n[0] && z >= 1 && z <= s->box.n[2];
        if (inside && !s->cover.beside.other[number_of(s, x, z)]) sides |= (uint8_t)(1 << w);
    }
    return sides;
}

// The other snow never moves as a whole: they are found once. Without memory for a rim nothing slides there.
void beside_find(wind_state *s) {
    cover_beside *b = &s->cover.beside;
    bool any = s->ground.height != NULL;
    if (!b->other || b->known == any) return;
    b->known = any;
    b->rims = 0;
    for (int32_t k = 1; k <= s->box.n[2]; k++)
        for (int32_t i = 1; i <= s->box.n[0]; i++) {
            b->other[number_of(s, i, k)] = any && is_wholly_over(s, i, k);
            b->height[number_of(s, i, k)] = NAN;
        }
    for (int32_t k = 1; k <= s->box.n[2]; k++)
        for (int32_t i = 1; i <= s->box.n[0]; i++) {
            uint8_t sides = b->other[number_of(s, i, k)] ? sides_of(s, i, k) : 0;
            if (!sides || !array_reserve(&b->rim, &b->room, b->rims + 1, sizeof *b->rim)) continue;
            double x = s->low[0] + (i - 1) * s->def.cell, z = s->low[2] + (k - 1) * s->def.cell;
            b->rim[b->rims++] = (wind_rim){.low = {x, z},
                                           .high = {x + s->def.cell, z + s->def.cell},
                                           .column = (uint32_t)number_of(s, i, k),
                                           .sides = sides};
        }
}

size_t wind_rims(const void *model, const wind_rim **out) {
    const wind_state *s = model;
    *out = s->cover.beside.rim;
    return s->cover.on ? s->cover.beside.rims : 0;
}

// ---- What slides across

void wind_set_rim(void *model, size_t rim, double height) {
    wind_state *s = model;
    cover_beside *b = &s->cover.beside;
    b->height[b->rim[rim].column] = (float)((height - s->low[1]) / s->def.cell);
}

bool beside_pile(const wind_state *s, size_t a, int32_t j, double *floor, double *top) {
    float height = s->cover.beside.height[a / s->box.plane * s->box.row + a % s->box.row];
    if (isnan(height)) return false;
    *floor = *top = (double)height - (j - 1) + cover_fill(s, a);
    return true;
}

static void list_row(wind_state *s, size_t row, size_t k, size_t *count) {
    cover_beside *b = &s->cover.beside;
    for (size_t i = 1; i <= (size_t)s->box.n[0]; i++) {
        uint32_t *mass = &s->cover.mass[row + i];
        if (!*mass || !b->other[k * s->box.row + i]) continue;
        if (!array_reserve(&b->stray, &b->stray_room, *count + 1, sizeof *b->stray))
            return; // in the next step
        size_t column = (k - 1) * (size_t)s->box.n[0] + i - 1;
        b->stray[(*count)++] = (wind_stray){
            .at = {s->low[0] + ((double)i - 0.5) * s->def.cell, s->low[2] + ((double)k - 0.5) * s->def.cell},
            .mass = s->cover.unit * *mass,
            .density = s->cover.density[row + i],
            .heat = s->cover.heat.on ? cover_heat_go(s, column, *mass) : (double)NAN};
        b->handed[HANDED_OUT] += *mass;
        *mass = 0;
    }
}

static bool has_strays(const wind_state *s, size_t row, size_t k) {
    const cover_beside *b = &s->cover.beside;
    if (!s->cover.row_has_snow[row / s->box.row]) return false;
    for (size_t i = 1; i <= (size_t)s->box.n[0]; i++)
        if (s->cover.mass[row + i] && b->other[k * s->box.row + i]) return true;
    return false;
}

firn_status wind_take_strays(void *model, size_t *count, const wind_stray **out) {
    wind_state *s = model;
    bool caught_up = false;
    *count = 0;
    for (int32_t k = 1; s->cover.beside.known && k <= s->box.n[2]; k++)
        for (int32_t j = 1; j <= s->box.n[1]; j++) {
            size_t row = poisson_at(&s->box, 0, j, k);
            if (!has_strays(s, row, (size_t)k)) continue;
            if (!caught_up) cover_heat_catch_up(s);
            caught_up = true;
            list_row(s, row, (size_t)k, count);
        }
    *out = s->cover.beside.stray;
    return FIRN_OK;
}

// ---- What comes

// The cell beside a rim in the layer of height y.
static size_t cell_beside(const wind_state *s, size_t rim, int side, double y, int32_t *j) {
    size_t column = s->cover.beside.rim[rim].column;
    double layer = floor((y - s->low[1]) / s->def.cell) + 1;
    *j = (int32_t)fmin(fmax(layer, 1), s->box.n[1]);
    return poisson_at(&s->box, (int32_t)(column % s->box.row) + ways[side][0], *j,
                      (int32_t)(column / s->box.row) + ways[side][1]);
}

bool wind_cover_beside(const void *model, size_t rim, int side, double y, double *top) {
    const wind_state *s = model;
    int32_t j;
    size_t a = cell_beside(s, rim, side, y, &j);
    if (!cover_top_at(s, a, j, top)) return false;
    *top = s->low[1] + *top * s->def.cell;
    return true;
}

double wind_cover_unit(const void *model) { return ((const wind_state *)model)->cover.unit; }

void wind_cover_take_in(void *model, size_t rim, int side, double y, uint32_t units, float density,
                        double heat) {
    wind_state *s = model;
    int32_t j;
    size_t a = cell_beside(s, rim, side, y, &j);
    if (s->cover.heat.on && isfinite(heat)) { // else it is as cold as the air
        size_t column = (a / s->box.plane - 1) * (size_t)s->box.n[0] + a % s->box.row - 1;
        cover_heat_catch_up(s);
        cover_heat_come(s, column, units, heat);
    }
    cover_mix_in(s, a, units, density);
    s->cover.beside.handed[HANDED_IN] += units;
    s->air_stale = true;
}
