// What the cover lies on: where bodies end within a cell, and the weight that they carry.
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "body/body_floors.h"
#include "math/dvec.h"
#include "par/par.h"
#include "wind/wind_state.h"

#define FLAT 1e-3f // cells, and a tangent: less of both is the bottom of the cell

firn_status floors_create(wind_state *s, size_t bodies) {
    wind_floors *f = &s->cover.floors;
    f->row = mem_zero(s->box.size / s->box.row, sizeof *f->row);
    f->uneven = mem_zero(s->box.row * ((size_t)s->box.n[2] + 2), 1);
    f->load = mem_zero(bodies ? bodies : 1, sizeof *f->load);
    f->bodies = bodies;
    if (!f->row || !f->uneven || !f->load)
        return fail_memory("creating a snow cover", s->box.size / s->box.row * sizeof *f->row);
    return FIRN_OK;
}

void floors_destroy(wind_floors *f) {
    mem_free(f->list);
    mem_free(f->row);
    mem_free(f->of);
    mem_free(f->uneven);
    mem_free(f->load);
}

// Cells that stand on a body, and those on the bottom.
static firn_status list_cells(wind_state *s) {
    wind_floors *f = &s->cover.floors;
    const int32_t *n = s->box.n;
    f->count = 0;
    for (int32_t k = 1; k <= n[2]; k++)
        for (int32_t j = 1; j <= n[1]; j++)
            for (int32_t i = 1; i <= n[0]; i++) {
                size_t a = poisson_at(&s->box, i, j, k);
                if (s->owner[a] || (j > 1 && !s->owner[a - s->box.row])) continue;
                if (!array_reserve(&f->list, &f->capacity, f->count + 1, sizeof *f->list))
                    return fail_memory("finding what the cover lies on", f->count * sizeof *f->list);
                f->list[f->count++].cell =
                    (uint32_t)(((size_t)(k - 1) * (size_t)n[1] + (size_t)(j - 1)) * (size_t)n[0] +
                               (size_t)(i - 1));
            }
    return FIRN_OK;
}

size_t floors_cell(const wind_state *s, const cover_floor *floor) {
    uint32_t across = (uint32_t)s->box.n[0], up = (uint32_t)s->box.n[1], c = floor->cell;
    return poisson_at(&s->box, (int32_t)(c % across) + 1, (int32_t)(c / across % up) + 1,
                      (int32_t)(c / across / up) + 1);
}

const cover_floor *floors_at(const wind_state *s, size_t a) {
    const wind_floors *f = &s->cover.floors;
    size_t row = f->row[a / s->box.row];
    uint32_t found = row ? f->of[(row - 1) * s->box.row + a % s->box.row] : 0;
    return found ? &f->list[found - 1] : NULL;
}

// Rows of cells with floors; all other rows need no memory.
static firn_status make_rows(wind_state *s) {
    wind_floors *f = &s->cover.floors;
    size_t length = s->box.row;
    f->rows = 0;
    memset(f->row, 0, s->box.size / length * sizeof *f->row);
    for (size_t i = 0; i < f->count; i++) {
        uint32_t *row = &f->row[floors_cell(s, &f->list[i]) / length];
        if (*row == 0) *row = (uint32_t)++f->rows;
    }
    if (!array_reserve(&f->of, &f->of_capacity, f->rows * length + 1, sizeof *f->of))
        return fail_memory("finding what the cover lies on", f->rows * length * sizeof *f->of);
    memset(f->of, 0, f->rows * length * sizeof *f->of);
    return FIRN_OK;
}

typedef struct floor_work {
    wind_state *s;
    const body_set *bodies;
    cover_grid grid;
} floor_work;

static void find_some(void *context, size_t begin, size_t end) {
    const floor_work *w = context;
    body_floors(w->bodies, &w->grid, w->s->cover.floors.list + begin, end - begin);
}

// Columns around floors that are not the bottom of a cell, or end at a cliff.
static void mark_uneven(wind_state *s, size_t a) {
    size_t row = s->box.row, k = a / s->box.plane, i = a % row;
    for (size_t z = k - 1; z <= k + 1; z++) memset(s->cover.floors.uneven + z * row + i - 1, 1, 3);
}

firn_status floors_find(wind_state *s, const body_set *bodies) {
    wind_floors *f = &s->cover.floors;
    if (f->known && !s->moving) return FIRN_OK;
    TRY(list_cells(s));
    floor_work w = {s, bodies, {.cell = s->def.cell}};
    memcpy(w.grid.low, s->low, sizeof s->low);
    memcpy(w.grid.n, s->box.n, sizeof w.grid.n);
    par_for(f->count, BODY_FLOORS, find_some, &w);
    TRY(make_rows(s));
    memset(f->uneven, 0, s->box.row * ((size_t)s->box.n[2] + 2));
    for (size_t i = 0; i < f->count; i++) {
        cover_floor *floor = &f->list[i];
        size_t a = floors_cell(s, floor);
        uint16_t below = s->owner[a - s->box.row];
        bool bottom = a % s->box.plane < 2 * s->box.row;
        if (!floor->body && !bottom) floor->body = below; // thinner than a cell
        f->of[((size_t)f->row[a / s->box.row] - 1) * s->box.row + a % s->box.row] = (uint32_t)i + 1;
        if (!bottom || fabsf(floor->up) > FLAT || floor->steep > FLAT) mark_uneven(s, a);
    }
    f->known = true;
    return FIRN_OK;
}

// Units of mass above a floor, up to the next body or gap.
static uint64_t stack_on(const wind_state *s, size_t a) {
    uint64_t sum = 0;
    size_t end = a - a % s->box.plane + s->box.row * ((size_t)s->box.n[1] + 1);
    for (; a < end && s->cover.mass[a] && !s->owner[a]; a += s->box.row) sum += s->cover.mass[a];
    return sum;
}

// The weight on each body (N).
static void weigh(const wind_state *s, double *load) {
    const wind_floors *f = &s->cover.floors;
    double g = dvec_length(s->setting.gravity);
    memset(load, 0, f->bodies * sizeof *load);
    for (size_t i = 0; f->known && i < f->count; i++) {
        uint32_t body = f->list[i].body;
        if (body && body <= f->bodies)
            load[body - 1] += (double)stack_on(s, floors_cell(s, &f->list[i])) * s->cover.unit * g;
    }
}

void floors_weigh(wind_state *s) { weigh(s, s->cover.floors.load); }

// Snow does not press on what falls away below it.
static bool falls(const wind_state *s, const body_set *bodies, size_t b) {
    double g = dvec_length(s->setting.gravity), slow = 0.1 * sqrt(2 * g * s->def.cell);
    if (body_motion(bodies, b) != FIRN_MOTION_DYNAMIC || !(g > 0)) return false;
    return dvec_dot(body_state(bodies, b).velocity, s->setting.gravity) / g > slow;
}

static void hand_over(const wind_state *s, body_set *bodies, size_t b, const double sum[3], double weight) {
    const wind_cover *c = &s->cover;
    if (falls(s, bodies, b)) return;
    firn_vec3 g = s->setting.gravity, about = dvec(s->low[0], s->low[1], s->low[2]);
    firn_vec3 arm = dvec(sum[0] * c->unit, sum[1] * c->unit, sum[2] * c->unit); // kg m
    body_add_impulses(bodies, b, dvec_scale(g, c->unit * weight), dvec_cross(arm, g), about);
}

// All snow of a run weighs on what is below it: floors of one body that follow each other at once.
void floors_press(const wind_state *s, body_set *bodies, double dt) {
    const wind_floors *f = &s->cover.floors;
    double sum[3] = {0}, units = 0;
    uint32_t body = 0;
    for (size_t i = 0; i <= f->count; i++) {
        const cover_floor *floor = i < f->count ? &f->list[i] : NULL;
        if (body && (!floor || floor->body != body)) {
            hand_over(s, bodies, body - 1, sum, units);
            sum[0] = sum[1] = sum[2] = units = 0;
        }
        if (!floor) break;
        body = floor->body;
        if (!body) continue;
        size_t a = floors_cell(s, floor);
        double mass = (double)stack_on(s, a) * dt, h = s->def.cell;
        units += mass;
        sum[0] += mass * ((double)(a % s->box.row) - 0.5) * h;
        sum[1] += mass * ((double)(a % s->box.plane / s->box.row) - 1 + (double)floor->up) * h;
        sum[2] += mass * ((double)(a / s->box.plane) - 0.5) * h;
    }
}

// Without planes and other bodies without end: they are the ground.
static void get_loads(const void *model, double *values) {
    const wind_state *s = model;
    const wind_floors *f = &s->cover.floors;
    values[0] = values[1] = 0;
    double *load = mem_zero(f->bodies ? f->bodies : 1, sizeof *load);
    if (!load) return;
    if (s->setting.for_frames)
        memcpy(load, f->load, f->bodies * sizeof *load);
    else
        weigh(s, load);
    for (size_t b = 0; b < f->bodies && b < body_count(s->bodies); b++) {
        firn_vec3 low, high;
        if (!body_bounds(s->bodies, b, 0, &low, &high)) continue;
        values[0] += load[b];
        values[1] = fmax(values[1], load[b]);
    }
    mem_free(load);
}

static bool has_cover(const void *model) { return ((const wind_state *)model)->cover.on; }

static const series_row load_rows[] = {
    {"snow load", "all", "N", "weight of the cover on all bodies but endless ground"},
    {"snow load", "most", "N", "weight of the cover on the body that carries most of it"},
};
static const series_table load_series = SERIES_TABLE(load_rows, has_cover, get_loads);
const series_table *const wind_series[] = {&load_series, &cover_heat_series, &warmth_series, NULL};
