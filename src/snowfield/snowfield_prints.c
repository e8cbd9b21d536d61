// Footprints of bodies: for each cell below a body, its lowest and its highest point there (U of
// FIELD11 3.1, and the surface that snow can lie on).
#include "snowfield/snowfield_ranks.h"

#include <math.h>
#include <string.h>

#include "geom/shape_columns.h"
#include "math/dvec.h"
#include "par/par.h"

#define STEEPEST 1.2 // of what carries snow
#define SIDE 0.34    // fewer cells than this of the others are a side that comes into sight

firn_status snowfield_prints_create(snowfield_state *s) {
    size_t count = body_count(s->bodies);
    s->prints = mem_zero(count + 1, sizeof *s->prints);
    return s->prints ? FIRN_OK : fail_memory("creating the field", (count + 1) * sizeof *s->prints);
}

void snowfield_prints_free(snowfield_state *s) {
    for (size_t b = 0; s->prints && b < body_count(s->bodies); b++) {
        mem_free(s->prints[b].low);
        mem_free(s->prints[b].high);
        mem_free(s->prints[b].bottom);
        mem_free(s->prints[b].top);
    }
    mem_free(s->prints);
}

static int32_t cell_below(double x, double x0, double cell) {
    return (int32_t)fmin(fmax(floor((x - x0) / cell), -1e9), 1e9);
}

// Cells whose middle may be under the body.
static snowfield_rect cells_under(const snowfield_state *s, size_t b) {
    firn_vec3 low, high;
    if (!body_bounds(s->bodies, b, 0, &low, &high)) return (snowfield_rect){0};
    double c = s->def.cell;
    snowfield_rect r = {cell_below(low.x, s->x0, c), cell_below(low.z, s->z0, c),
                        cell_below(high.x, s->x0, c) + 1, cell_below(high.z, s->z0, c) + 1};
    r = rect_meet(r, (snowfield_rect){0, 0, s->nx, s->nz});
    return rect_empty(r) ? (snowfield_rect){0} : r;
}

static bool same_pose(const snowfield_print *p, const firn_body_state *now) {
    return p->known && memcmp(&p->at, &now->position, sizeof p->at) == 0 &&
           memcmp(&p->turn, &now->rotation, sizeof p->turn) == 0;
}

// Height that no snow of a tile's place reaches.
static double highest_at(const snowfield_state *s, int32_t column, int32_t row) {
    int32_t t = snowfield_tile_at(s, column, row);
    return t != TILE_NONE ? (double)s->tiles.highest[t] : snowfield_highest_away(s, column, row);
}

// High above all snow around, now and in the step before. A function of the state alone, so that a restart
// knows the same.
static bool is_clear(const snowfield_state *s, size_t b) {
    const snowfield_print *p = &s->prints[b];
    firn_vec3 low, high;
    if (!body_bounds(s->bodies, b, 1e-9, &low, &high)) return false; // its way behind, too
    snowfield_rect r = rect_meet(rect_grow(rect_join(p->under, p->before), FIELD_SLIDE_MARGIN),
                                 (snowfield_rect){0, 0, s->nx, s->nz});
    if (rect_empty(r)) return true;
    for (int32_t row = r.z0 >> s->shift; row <= (r.z1 - 1) >> s->shift; row++)
        for (int32_t column = r.x0 >> s->shift; column <= (r.x1 - 1) >> s->shift; column++)
            if (low.y < highest_at(s, column, row) + FIELD_CLEAR) return false;
    return true;
}

// Nothing comes down from above that could come to lie on a body in the air.
static bool nothing_falls(const snowfield_state *s) {
    return !(s->def.fall.rate > 0) && s->pour_count == 0 && !s->setting.def->flakes && !s->heat.on;
}

static firn_status prepare_print(snowfield_state *s, size_t b) {
    snowfield_print *p = &s->prints[b];
    firn_body_state now = body_state(s->bodies, b);
    p->before = p->cells;
    p->moved = false;
    if (b == s->start.body) return FIRN_OK;
    bool stays = same_pose(p, &now) && !p->owed, was_clear = p->clear;
    p->owed = false;
    p->at = now.position;
    p->turn = now.rotation;
    if (!stays) p->under = cells_under(s, b);
    p->clear = is_clear(s, b);
    p->moved = !stays || was_clear != p->clear;
    if (!p->moved) return FIRN_OK;
    p->base = snowfield_height((float)fmin(fmax(now.position.y, -GROUND_MOST), GROUND_MOST));
    p->cells = p->clear && nothing_falls(s) ? (snowfield_rect){0} : p->under;
    if (!p->known) p->before = p->cells;
    p->known = true;
    size_t n = (size_t)(p->cells.x1 - p->cells.x0) * (size_t)(p->cells.z1 - p->cells.z0);
    if (!array_reserve(&p->low, &p->capacity[0], n, sizeof *p->low) ||
        !array_reserve(&p->high, &p->capacity[1], n, sizeof *p->high) ||
        !array_reserve(&p->bottom, &p->capacity[2], n, sizeof *p->bottom) ||
        !array_reserve(&p->top, &p->capacity[3], n, sizeof *p->top))
        return fail_memory("rasterising a body from below", n * sizeof *p->low);
    return rect_empty(p->cells) ? FIRN_OK : snowfield_tiles_make(s, rect_grow(p->cells, FIELD_SLIDE_MARGIN));
}

typedef struct print_parcel {
    snowfield_state *s;
    size_t first; // body
} print_parcel;

static int32_t round_down(float a) { // without a call, unlike floorf on old machines
    int32_t n = (int32_t)a;
    return n - ((float)n > a);
}

static void round_print(snowfield_print *p) {
    size_t n = (size_t)(p->cells.x1 - p->cells.x0) * (size_t)(p->cells.z1 - p->cells.z0);
    for (size_t i = 0; i < n; i++) {
        if (!(p->low[i] <= p->high[i])) continue;
        p->bottom[i] = p->base + round_down(p->low[i] * (float)(1 / HEIGHT_UNIT));
        p->top[i] = p->base - round_down(-p->high[i] * (float)(1 / HEIGHT_UNIT));
    }
}

// Mean slope of the upper side, without walls and, of what tips, without the side that comes into sight: 0 of
// a ball, a gable roof and what stands level.
static double slope_along(const snowfield_print *p, int axis, float most) {
    const int32_t nx = p->cells.x1 - p->cells.x0, nz = p->cells.z1 - p->cells.z0;
    const int32_t step = axis ? nx : 1, rows = nz - (axis == 1), columns = nx - (axis == 0);
    double sum[2] = {0, 0}, count[2] = {0, 0}; // down and up
    for (int32_t z = 0; z < rows; z++)
        for (int32_t x = 0; x < columns; x++) {
            const int32_t i = z * nx + x;
            if (!(p->low[i] <= p->high[i]) || !(p->low[i + step] <= p->high[i + step])) continue;
            float rise = p->high[i + step] - p->high[i];
            if (fabsf(rise) > most) continue;
            sum[rise > 0] += (double)rise, count[rise > 0]++;
        }
    for (int up = 0; up < 2; up++)
        if (count[!up] < SIDE * count[up]) return sum[up] / count[up];
    return count[0] > 0 ? (sum[0] + sum[1]) / (count[0] + count[1]) : 0;
}

static void take_print(snowfield_state *s, size_t b) {
    snowfield_print *p = &s->prints[b];
    if (rect_empty(p->cells)) p->slope[0] = p->slope[1] = 0; // as after a restart
    if (!p->moved || rect_empty(p->cells)) return;
    column_grid grid = {s->x0 + (p->cells.x0 + 0.5) * s->def.cell,
                        s->z0 + (p->cells.z0 + 0.5) * s->def.cell,
                        s->def.cell,
                        p->cells.x1 - p->cells.x0,
                        p->cells.z1 - p->cells.z0,
                        p->base * HEIGHT_UNIT};
    body_columns(s->bodies, b, &grid, p->low, p->high);
    round_print(p);
    for (int axis = 0; axis < 2; axis++)
        p->slope[axis] = slope_along(p, axis, (float)(STEEPEST * s->def.cell)) / s->def.cell;
}

// A body that is skipped in this step stays where it was, for the snow; not if it has just reached it.
static bool can_wait(const snowfield_print *p) { return p->known && !p->clear && !rect_empty(p->cells); }

static void leave_print(snowfield_print *p) {
    p->before = p->cells;
    p->moved = false;
    p->owed = true;
}

static void take_prints(void *context, size_t begin, size_t end) {
    const print_parcel *p = context;
    for (size_t i = begin; i < end; i++) take_print(p->s, (p->first + i) % body_count(p->s->bodies));
}

// With a deadline so many bodies at a time, from the one whose turn it is.
firn_status snowfield_prints_update(snowfield_state *s) {
    enum { TOGETHER = 8, PARCEL = 64 };
    size_t count = body_count(s->bodies), most = s->deadline > 0 ? PARCEL : count;
    size_t first = s->deadline > 0 ? s->body_turn : 0, n;
    s->body_turn = 0;
    for (size_t done = 0; done < count; done += n) {
        size_t moved = 0, waits = 0;
        bool late = done > 0 && snowfield_late(s);
        n = count - done < most ? count - done : most;
        for (size_t i = done; i < done + n; i++) {
            size_t b = (first + i) % count;
            if (late && can_wait(&s->prints[b])) {
                leave_print(&s->prints[b]);
                if (waits++ == 0 && s->body_turn == 0) s->body_turn = b;
                continue;
            }
            TRY(prepare_print(s, b));
            moved += s->prints[b].moved;
        }
        print_parcel part = {s, first + done};
        if (moved > 1)
            par_for(n, TOGETHER, take_prints, &part);
        else
            take_prints(&part, 0, n);
        s->work += !late;
    }
    return FIRN_OK;
}

firn_status snowfield_see_bodies(snowfield_state *s) {
    for (size_t b = 0; b < body_count(s->bodies); b++)
        s->prints[b].known = false, s->prints[b].cells = (snowfield_rect){0};
    TRY(snowfield_prints_update(s));
    return snowfield_covers_roofs(s);
}

// Until a falling body touches the snow, or within it a small part of a cell: the reaction acts in the next
// step, so that a body that lands would otherwise come up to two steps deep before it is felt.
static double landing_step(const snowfield_state *s, size_t b, double down, double gap) {
    if (body_motion(s->bodies, b) != FIRN_MOTION_DYNAMIC || !(down > 0)) return FIELD_LONGEST_STEP;
    return fmax(gap, FIELD_LANDING * s->def.cell) / down;
}

// Of the snow below the middle of a body.
double snowfield_top_below(const snowfield_state *s, size_t b) {
    snowfield_rect r = s->prints[b].under;
    return snowfield_surface_at(s, (r.x0 + r.x1) / 2, (r.z0 + r.z1) / 2);
}

// A body in or close above the snow moves at most half a cell in a step, so that it leaves an unbroken track
// and its reaction is resolved; a frame then takes several steps. Landing is resolved finer, the less so the
// more bodies are there. Not if there is no time for them.
void snowfield_choose_dt_limit(snowfield_state *s) {
    double landing = FIELD_LONGEST_STEP, near = 0;
    s->dt_limit = FIELD_LONGEST_STEP;
    if (snowfield_late(s)) return;
    const double *tops = snowfield_ranks_tops(s);
    for (size_t b = 0; b < body_count(s->bodies); b++) {
        firn_vec3 low, high;
        if (b == s->start.body || body_motion(s->bodies, b) == FIRN_MOTION_FIXED ||
            rect_empty(s->prints[b].under) || !body_bounds(s->bodies, b, 0, &low, &high))
            continue;
        firn_body_state now = body_state(s->bodies, b);
        double speed = dvec_length(now.velocity);
        double top = tops ? tops[b] : snowfield_top_below(s, b);
        if (low.y > top + 0.5 * s->def.depth + 2 * FIELD_LONGEST_STEP * speed) continue;
        s->dt_limit = fmin(s->dt_limit, fmax(0.5 * s->def.cell / fmax(speed, 1e-9), FIELD_SHORTEST_STEP));
        landing = fmin(landing, landing_step(s, b, -now.velocity.y, low.y - top));
        near++;
    }
    s->dt_limit = fmin(s->dt_limit, fmax(landing, near * FIELD_SHORTEST_STEP));
}
