// Snow cover: mass in cells, which falls where it is unsupported, slides above the angle of repose, settles
// and melts.
#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "par/par.h"
#include "snow/snow_type.h"
#include "wind/wind_state.h"

enum { PLANES = 4, SLAB = 8 };

void cover_take_numbers(wind_cover *c, const firn_world_def *scene) {
    const firn_cover_def *def = scene->cover;
    const snow_type found = snow_type_of(scene, def->snow ? def->snow : "fresh"), *type = &found;
    c->def = *def;
    c->def.snow = NULL;
    c->density_new = (float)auto_or(def->density, type->density);
    c->density_old = (float)auto_or(def->settled, fmax(type->density_high, type->density));
    c->steepest = tan(auto_or(def->repose, type->angle_of_repose));
    c->threshold = auto_or(def->drift_threshold, type->drift_threshold);
}

firn_status cover_may_change(const firn_world_def *scene) {
    wind_cover c;
    cover_take_numbers(&c, scene);
    if (c.density_old >= c.density_new) return FIRN_OK;
    return fail(FIRN_BAD_INPUT,
                "cover: settled snow (%g kg/m3) must not be less dense than new snow (%g kg/m3)",
                (double)c.density_old, (double)c.density_new);
}

firn_status cover_create(wind_state *s, const firn_world_def *scene) {
    wind_cover *c = &s->cover;
    TRY(cover_may_change(scene));
    cover_take_numbers(c, scene);
    TRY(stop_check());
    c->unit = s->flakes.mass / COVER_PARTS;
    c->room = pow(s->def.cell, 3) / c->unit;
    c->mass = mem_zero(s->box.size, sizeof *c->mass);
    c->density = mem_zero(s->box.size, sizeof *c->density);
    c->fill = mem_zero((size_t)s->box.n[0] * (size_t)s->box.n[1] * (size_t)s->box.n[2], sizeof *c->fill);
    c->column = mem_zero((size_t)s->box.n[0] * (size_t)s->box.n[2], sizeof *c->column);
    c->row_has_snow = mem_zero(s->box.size / s->box.row, 1);
    c->top = mem_zero(s->box.row * ((size_t)s->box.n[2] + 2), sizeof *c->top);
    c->highest = mem_zero(s->box.row * ((size_t)s->box.n[2] + 2), sizeof *c->highest);
    c->on = true;
    if (!c->mass || !c->density || !c->fill || !c->column || !c->row_has_snow || !c->top || !c->highest)
        return fail_memory("creating a snow cover", 8 * s->box.size);
    TRY(cover_heat_create(s));
    if (c->def.wind) TRY(banks_create(s));
    if (c->def.saltation > 0) TRY(saltation_create(s));
    if (scene->field) TRY(beside_create(s));
    return floors_create(s, body_count(s->bodies));
}

void cover_destroy(wind_cover *c) {
    mem_free(c->mass);
    mem_free(c->density);
    mem_free(c->fill);
    mem_free(c->column);
    mem_free(c->row_has_snow);
    mem_free(c->top);
    mem_free(c->highest);
    mem_free(c->bank);
    saltation_destroy(&c->saltation);
    cover_heat_destroy(&c->heat);
    floors_destroy(&c->floors);
    beside_destroy(&c->beside);
}

double cover_capacity(const wind_state *s, float density) {
    double room = (double)density * s->cover.room;
    return room > 1 ? room : 1;
}

double cover_fill(const wind_state *s, size_t a) {
    return s->cover.mass[a] ? s->cover.mass[a] / cover_capacity(s, s->cover.density[a]) : 0;
}

bool cover_is_full(const wind_state *s, size_t a) {
    return s->cover.on && s->cover.mass[a] && s->cover.mass[a] >= cover_capacity(s, s->cover.density[a]);
}

// The highest layer with snow in each column of these planes; then also of those within FLAKE_MARGIN along x.
static void find_highest(void *context, size_t begin, size_t end) {
    const wind_state *s = context;
    const size_t row = s->box.row;
    for (size_t k = begin; k < end; k++) {
        int32_t *own = s->cover.top + k * row, *near = s->cover.highest + k * row;
        memset(own, 0, row * sizeof *own);
        for (int32_t j = 1; j <= s->box.n[1]; j++) {
            const uint32_t *mass = s->cover.mass + poisson_at(&s->box, 0, j, (int32_t)k);
            if (!s->cover.row_has_snow[(size_t)(mass - s->cover.mass) / row]) continue;
            for (size_t i = 0; i < row; i++) own[i] = mass[i] ? j : own[i];
        }
        memcpy(near, own, row * sizeof *near);
        for (size_t d = 1; d <= FLAKE_MARGIN && d < row; d++) {
            for (size_t i = d; i < row; i++) near[i] = own[i - d] > near[i] ? own[i - d] : near[i];
            for (size_t i = d; i < row; i++) near[i - d] = own[i] > near[i - d] ? own[i] : near[i - d];
        }
    }
}

// And of those within FLAKE_MARGIN along z.
static void find_tops(void *context, size_t begin, size_t end) {
    const wind_state *s = context;
    const size_t row = s->box.row, planes = (size_t)s->box.n[2] + 2;
    for (size_t k = begin; k < end; k++) {
        int32_t *top = s->cover.top + k * row;
        memset(top, 0, row * sizeof *top);
        for (size_t z = k > FLAKE_MARGIN ? k - FLAKE_MARGIN : 0; z < planes && z <= k + FLAKE_MARGIN; z++) {
            const int32_t *near = s->cover.highest + z * row;
            for (size_t i = 0; i < row; i++) top[i] = near[i] > top[i] ? near[i] : top[i];
        }
        for (size_t i = 0; i < row; i++) top[i] += top[i] ? FLAKE_MARGIN : 0;
    }
}

void cover_find_top(wind_state *s) {
    const size_t planes = (size_t)s->box.n[2] + 2;
    par_for(planes, PLANES, find_highest, s);
    par_for(planes, PLANES, find_tops, s);
}

void cover_mix_in(wind_state *s, size_t a, uint32_t mass, float density) {
    wind_cover *c = &s->cover;
    if (mass == 0) return;
    c->row_has_snow[a / s->box.row] = 1;
    double before = c->mass[a];
    c->density[a] = (float)((before * (double)c->density[a] + mass * (double)density) / (before + mass));
    c->mass[a] += mass;
}

void cover_put(wind_state *s, size_t a, uint32_t mass) {
    size_t top = a - a % s->box.plane + s->box.row * (size_t)s->box.n[1]; // row of the topmost cells
    while (a < top && (s->owner[a] || cover_is_full(s, a))) a += s->box.row;
    cover_mix_in(s, a, mass, s->cover.density_new);
}

void cover_hand_over(wind_state *s, size_t from, size_t to, double wanted) {
    wind_cover *c = &s->cover;
    uint32_t mass = wanted >= c->mass[from] ? c->mass[from] : (uint32_t)wanted;
    cover_mix_in(s, to, mass, c->density[from]);
    c->mass[from] -= mass;
}

// One cell: out of bodies, down where it is unsupported, up where it overflows, aside where it is too steep.
static void settle_cell(wind_state *s, int32_t i, int32_t j, int32_t k) {
    wind_cover *c = &s->cover;
    size_t a = poisson_at(&s->box, i, j, k), row = s->box.row;
    bool top = j == s->box.n[1];
    if (beside_is_other(s, a)) return;
    if (s->owner[a]) { // a body has moved here
        if (!top) cover_hand_over(s, a, a + row, c->mass[a]);
        return;
    }
    if (j > 1 && !s->owner[a - row]) {
        double room =
            cover_capacity(s, c->mass[a - row] ? c->density[a - row] : c->density[a]) - c->mass[a - row];
        if (room >= 1) cover_hand_over(s, a, a - row, floor(room));
        if (c->mass[a] == 0) return;
    }
    double over = c->mass[a] - cover_capacity(s, c->density[a]);
    if (over >= 1 && !top && !s->owner[a + row]) cover_hand_over(s, a, a + row, floor(over));
    bool covered = !top && !s->owner[a + row] && c->mass[a + row];
    if (!covered) cover_slide(s, a, (const int32_t[3]){i, j, k});
}

typedef struct sweep_work {
    wind_state *s;
    size_t first; // slab
    bool back;
} sweep_work;

static void sweep_slab(void *context, size_t n) {
    const sweep_work *w = context;
    wind_state *s = w->s;
    const int32_t *size = s->box.n, low = (int32_t)(w->first + 2 * n) * SLAB;
    const int32_t high = low + SLAB < size[2] ? low + SLAB : size[2];
    for (int32_t kk = low + 1; kk <= high; kk++)
        for (int32_t j = 1; j <= size[1]; j++) {
            int32_t k = w->back ? high + low + 1 - kk : kk;
            size_t row = poisson_at(&s->box, 0, j, k);
            if (!s->cover.row_has_snow[row / s->box.row]) continue;
            const uint32_t *mass = s->cover.mass + row;
            for (int32_t ii = 1; ii <= size[0]; ii++) {
                int32_t i = w->back ? size[0] + 1 - ii : ii;
                if (mass[i]) settle_cell(s, i, j, k);
            }
        }
}

// In place: slabs of planes, first every other one and then those between, since snow goes at most to the
// next plane. Every other sweep runs backwards, so that no direction is preferred.
static void sweep(wind_state *s, bool back) {
    const size_t slabs = ((size_t)s->box.n[2] + SLAB - 1) / SLAB;
    for (size_t turn = 0; turn < 2; turn++) {
        size_t first = back ? 1 - turn : turn;
        par_tasks((slabs + 1 - first) / 2, sweep_slab, &(sweep_work){s, first, back});
    }
}

typedef struct settle_work {
    wind_state *s;
    float part;
} settle_work;

// Older snow is denser; and which rows hold any.
static void settle_rows(void *context, size_t begin, size_t end) {
    const settle_work *w = context;
    wind_cover *c = &w->s->cover;
    const size_t length = w->s->box.row;
    for (size_t row = begin; row < end; row++) {
        const uint32_t *mass = c->mass + row * length;
        float *density = c->density + row * length;
        uint32_t any = 0;
        for (size_t i = 0; i < length; i++) any |= mass[i];
        c->row_has_snow[row] = any != 0;
        for (size_t i = 0; i < length && any; i++)
            if (mass[i]) density[i] += w->part * (c->density_old - density[i]);
    }
}

static void settle(wind_state *s, double dt) {
    settle_work w = {s, (float)-expm1(-dt / s->cover.def.settle_time)};
    par_for(s->box.size / s->box.row, 256, settle_rows, &w);
}

firn_status cover_step(wind_state *s, body_set *bodies, model_step step) {
    TRY(floors_find(s, bodies));
    cover_heat_step(s, bodies, step.dt);
    settle(s, step.dt);
    for (int n = 0; n < s->cover.def.sweeps; n++) sweep(s, (step.step + (uint64_t)n) & 1);
    floors_press(s, bodies, step.dt);
    return FIRN_OK;
}

uint64_t cover_units(const wind_state *s) {
    uint64_t sum = 0;
    for (size_t row = 0; row < s->box.size / s->box.row; row++)
        for (size_t i = 0; i < s->box.row && s->cover.row_has_snow[row]; i++)
            sum += s->cover.mass[row * s->box.row + i];
    return sum;
}

static float column_mass(const wind_state *s, int32_t i, int32_t k) {
    uint64_t units = 0;
    for (int32_t j = 1; j <= s->box.n[1]; j++) units += s->cover.mass[poisson_at(&s->box, i, j, k)];
    return (float)((double)units * s->cover.unit / (s->def.cell * s->def.cell));
}

void cover_show(wind_state *s) {
    const int32_t *n = s->box.n;
    float *to = s->cover.fill, *column = s->cover.column;
    for (int32_t k = 1; k <= n[2]; k++)
        for (int32_t i = 1; i <= n[0]; i++) *column++ = column_mass(s, i, k);
    for (int32_t k = 1; k <= n[2]; k++)
        for (int32_t j = 1; j <= n[1]; j++)
            for (int32_t i = 1; i <= n[0]; i++) {
                size_t a = poisson_at(&s->box, i, j, k);
                *to++ = s->owner[a] ? -1 : (float)cover_fill(s, a);
            }
    cover_heat_show(s);
    floors_weigh(s);
}
