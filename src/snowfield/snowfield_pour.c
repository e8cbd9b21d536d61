// Snow that is poured onto the field from a spout.
#include "base/auto.h"
#include "snowfield/snowfield_ranks.h"

#include <math.h>

// Cells whose middle is under the spout.
static snowfield_rect pour_rect(const snowfield_state *s, const firn_snowfield_pour_def *pour) {
    double cell = s->def.cell, r = pour->radius;
    return rect_meet((snowfield_rect){(int32_t)floor((pour->at.x - r - s->x0) / cell),
                                      (int32_t)floor((pour->at.z - r - s->z0) / cell),
                                      (int32_t)ceil((pour->at.x + r - s->x0) / cell) + 1,
                                      (int32_t)ceil((pour->at.z + r - s->z0) / cell) + 1},
                     (snowfield_rect){0, 0, s->nx, s->nz});
}

static bool under(const snowfield_state *s, const firn_snowfield_pour_def *pour, int32_t x, int32_t z) {
    double dx = s->x0 + (x + 0.5) * s->def.cell - pour->at.x,
           dz = s->z0 + (z + 0.5) * s->def.cell - pour->at.z;
    double r = fmax(pour->radius, 0.71 * s->def.cell); // a thin spout still meets a cell
    return dx * dx + dz * dz <= r * r;
}

// Mass poured by `time` since the start, in units of mass.
static uint64_t flowed(const snowfield_state *s, const firn_snowfield_pour_def *pour, double time) {
    double open = fmin(time, pour->end) - pour->start;
    return open > 0 ? (uint64_t)(open * pour->rate / snowfield_kg(s)) : 0;
}

void snowfield_change_pour(snowfield_state *s, size_t p, const firn_snowfield_pour_def *def,
                           const model_setting *setting) {
    firn_snowfield_pour_def *pour = &s->pours[p];
    uint64_t due = flowed(s, pour, setting->time), owed = due > s->poured[p] ? due - s->poured[p] : 0;
    *pour = *def;
    pour->name = NULL;
    if (setting->loading) return;
    due = flowed(s, pour, setting->time);
    s->poured[p] = due > owed ? due - owed : 0;
}

static firn_status pour_one(snowfield_state *s, size_t p, double time) {
    const firn_snowfield_pour_def *pour = &s->pours[p];
    snowfield_rect cells = pour_rect(s, pour);
    uint64_t due = flowed(s, pour, time), number = 0;
    if (rect_empty(cells) || due <= s->poured[p]) return FIRN_OK;
    for (int32_t z = cells.z0; z < cells.z1; z++)
        for (int32_t x = cells.x0; x < cells.x1; x++) number += under(s, pour, x, z);
    uint64_t each = number > 0 ? (due - s->poured[p]) / number : 0;
    if (each == 0) return FIRN_OK; // too little for a unit in each cell: it waits
    TRY(snowfield_tiles_make(s, rect_grow(cells, FIELD_SLIDE_MARGIN)));
    float density = (float)auto_or(pour->density, s->law.density);
    for (int32_t z = cells.z0; z < cells.z1; z++)
        for (int32_t x = cells.x0; x < cells.x1; x++)
            if (under(s, pour, x, z) &&
                snowfield_is_here(s, (size_t)snowfield_tile_at(s, x >> s->shift, z >> s->shift)))
                snowfield_drop(s, snowfield_cell(s, x, z), (int32_t)each, density);
    s->poured[p] += each * number;
    if (snowfield_is_mine(s, 0)) s->counters[COUNTER_IN] += each * number;
    snowfield_touch(s, cells);
    return FIRN_OK;
}

firn_status snowfield_pour(snowfield_state *s, model_step step) {
    for (size_t p = 0; p < s->pour_count; p++) TRY(pour_one(s, p, step.time + step.dt));
    return FIRN_OK;
}
