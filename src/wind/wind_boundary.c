// Boundary conditions at the sides of the domain and at the faces of obstacles: prescribed velocity (inflow,
// walls, bodies) or prescribed pressure (open sides).
#include <math.h>

#include "par/par.h"
#include "wind/wind_state.h"

static const int axis_of[SIDES] = {0, 0, 1, 1, 2, 2};

static side_kind kind_of(firn_wind_border border, double inward, double speed) {
    if (border == FIRN_WIND_WALL) return SIDE_WALL;
    // A wind along a side flows neither in nor out.
    return inward > 0.05 * speed ? SIDE_INFLOW : SIDE_OPEN;
}

bool wind_set_sides(wind_state *s, wind_inflow_state now) {
    const firn_wind_sides_def *d = &s->def.sides;
    double speed = hypot(now.x, now.z);
    const side_kind kind[SIDES] = {
        kind_of(d->west, now.x, speed), kind_of(d->east, -now.x, speed), SIDE_WALL,
        kind_of(d->top, 0, speed),      kind_of(d->north, now.z, speed), kind_of(d->south, -now.z, speed),
    };
    bool changed = false;
    for (int i = 0; i < SIDES; i++) {
        changed |= kind[i] != s->side[i];
        s->side[i] = kind[i];
    }
    return changed;
}

firn_status wind_check_sides(const wind_state *s) {
    bool in = false, out = false;
    for (int i = 0; i < SIDES; i++) {
        in = in || s->side[i] == SIDE_INFLOW;
        out = out || s->side[i] == SIDE_OPEN;
    }
    if (!in || out) return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "wind: no outflow boundary: all sides but those of the inflow are walls");
}

// Undisturbed wind along an axis in layer j.
static float undisturbed(const wind_state *s, wind_inflow_state now, int axis, int32_t j) {
    return axis == 1 ? 0 : (float)(axis == 0 ? now.x : now.z) * s->profile[j];
}

// What is added to it along an axis in a cell of the layer around, by its place on its side: turbulence, and
// what the grid around has found.
static float disturbance(const wind_state *s, int side, int axis, int32_t p, int32_t q) {
    const float *noise = s->turbulence.noise[side][axis];
    const float around = around_value(s, side, axis, p, q);
    if (!noise || s->side[side] != SIDE_INFLOW || s->def.inflow.turbulence == 0) return around;
    return noise[(size_t)q * (size_t)(s->box.n[axis_of[side] == 0 ? 1 : 0] + 2) + (size_t)p] + around;
}

typedef struct side_work {
    wind_state *s;
    wind_inflow_state now;
    int side;
} side_work;

// All cells of the layer around on a side, row by row: (at[axis] = 0 or n + 1).
static size_t side_cell(const wind_state *s, int side, int32_t p, int32_t q, int32_t *j) {
    int axis = axis_of[side];
    int32_t at[3];
    at[axis] = side & 1 ? s->box.n[axis] + 1 : 0;
    at[axis == 0 ? 1 : 0] = p;
    at[axis == 2 ? 1 : 2] = q;
    *j = at[1];
    return poisson_at(&s->box, at[0], at[1], at[2]);
}

static size_t step_along(const wind_state *s, int axis) {
    return axis == 0 ? 1 : axis == 1 ? s->box.row : s->box.plane;
}

// Does air flow in through this face of the boundary?
static bool is_inflow(const wind_state *s, int side, size_t face) {
    float v = s->v[axis_of[side]][face];
    return side & 1 ? v < 0 : v > 0;
}

// Ghost cells: undisturbed wind where it flows in, else the value of the cell beside them (free slip).
static void fill_side(void *context, size_t begin, size_t end) {
    const side_work *w = context;
    wind_state *s = w->s;
    int side = w->side, axis = axis_of[side];
    size_t step = step_along(s, axis);
    int32_t np = s->box.n[axis == 0 ? 1 : 0];
    for (int32_t q = (int32_t)begin; q < (int32_t)end; q++)
        for (int32_t p = 0; p <= np + 1; p++) {
            int32_t j;
            size_t a = side_cell(s, side, p, q, &j), inside = side & 1 ? a - step : a + step;
            bool in = s->side[side] == SIDE_INFLOW ||
                      (s->side[side] == SIDE_OPEN && is_inflow(s, side, side & 1 ? a : inside));
            for (int c = 0; c < 3; c++) {
                if (c == axis && (side & 1)) continue; // v[axis] of the far layer is the boundary's face
                s->v[c][a] =
                    in ? undisturbed(s, w->now, c, j) + disturbance(s, side, c, p, q) : s->v[c][inside];
            }
        }
}

// Rows [*begin, *end) of a side that this rank has, of all from 0, or within the grid from 1 on.
static void rows_of(const wind_state *s, int side, bool all, size_t *begin, size_t *end) {
    *begin = (size_t)(all ? s->first_plane : s->k0), *end = (size_t)(all ? s->end_plane : s->k1);
    if (axis_of[side] != 2) return;
    bool has = side & 1 ? s->k1 > s->box.n[2] : s->k0 == 1;
    *begin = all ? 0 : 1;
    *end = has ? (size_t)s->box.n[1] + (all ? 2 : 1) : *begin;
}

// Faces inside obstacles: the mean of known neighbours, free slip too. One layer of them.
static void fill_ghosts(wind_state *s, bool first) {
    wind_fill_air(s, 1);
    for (int c = 0; c < 3; c++) {
        float *v = s->v[c];
        const wind_faces *f = &s->faces[c];
        for (size_t i = first ? 0 : f->first_ghosts; i < (first ? f->first_ghosts : f->ghosts); i++) {
            wind_ghost g = s->faces[c].ghost[i];
            float sum = 0, count = 0;
            for (int d = 0; d < 6; d++) {
                if (!(g.known >> d & 1)) continue;
                size_t step = step_along(s, d / 2);
                sum += v[d & 1 ? g.at + step : g.at - step];
                count++;
            }
            v[g.at] = sum / count;
        }
    }
}

void wind_fill_ghost_cells(wind_state *s, wind_inflow_state now) {
    static const int order[] = {SIDE_GROUND, SIDE_TOP, SIDE_NORTH, SIDE_SOUTH, SIDE_WEST, SIDE_EAST};
    fill_ghosts(s, true);
    fill_ghosts(s, false);
    for (int i = 0; i < SIDES; i++) {
        size_t begin, end;
        side_work w = {s, now, order[i]};
        rows_of(s, order[i], true, &begin, &end);
        par_for_part(begin, end, 16, fill_side, &w);
    }
}

static void set_side_faces(void *context, size_t begin, size_t end) {
    const side_work *w = context;
    wind_state *s = w->s;
    int side = w->side, axis = axis_of[side];
    size_t step = step_along(s, axis);
    int32_t np = s->box.n[axis == 0 ? 1 : 0];
    for (int32_t q = (int32_t)begin; q < (int32_t)end; q++)
        for (int32_t p = 1; p <= np; p++) {
            int32_t j;
            size_t a = side_cell(s, side, p, q, &j), inside = side & 1 ? a - step : a + step;
            size_t at = side & 1 ? a : inside;
            float *face = &s->v[axis][at];
            if (s->kind[inside] != POISSON_FREE || !s->open[axis][at] || s->side[side] == SIDE_WALL)
                *face = 0;
            else if (s->side[side] == SIDE_INFLOW || is_inflow(s, side, at))
                // Backflow through an opening is undisturbed air; else a vortex could feed itself.
                *face = undisturbed(s, w->now, axis, j) + disturbance(s, side, axis, p, q);
        }
}

// Pressure of the grid around in the open cells of a side; `clear`: 0 again, as the
// solver and all others know open cells.
static void press_side(wind_state *s, int side, bool clear) {
    const int axis = axis_of[side];
    const size_t step = step_along(s, axis);
    for (int32_t q = 1; q <= s->box.n[axis == 2 ? 1 : 2]; q++)
        for (int32_t p = 1; p <= s->box.n[axis == 0 ? 1 : 0]; p++) {
            int32_t j;
            size_t a = side_cell(s, side, p, q, &j), inside = side & 1 ? a - step : a + step;
            if (s->kind[a] == POISSON_OPEN && s->kind[inside] == POISSON_FREE)
                s->q[a] = clear ? 0 : around_value(s, side, AROUND_VALUES - 1, p, q);
        }
}

void wind_press_sides(wind_state *s, bool clear) {
    for (int side = 0; side < SIDES && s->around.outer; side++)
        if (s->side[side] == SIDE_OPEN) press_side(s, side, clear);
}

void wind_add_pressure(wind_state *s) {
    for (int side = 0; side < SIDES && s->around.outer; side++) {
        if (s->side[side] != SIDE_OPEN) continue;
        const int axis = axis_of[side];
        const size_t step = step_along(s, axis);
        for (int32_t q = 1; q <= s->box.n[axis == 2 ? 1 : 2]; q++)
            for (int32_t p = 1; p <= s->box.n[axis == 0 ? 1 : 0]; p++) {
                int32_t j;
                size_t a = side_cell(s, side, p, q, &j), inside = side & 1 ? a - step : a + step;
                float open = (float)s->open[axis][side & 1 ? a : inside] * (1.0f / POISSON_WHOLE);
                if (s->kind[a] == POISSON_OPEN && s->kind[inside] == POISSON_FREE)
                    s->b[inside] += open * around_value(s, side, AROUND_VALUES - 1, p, q);
            }
    }
}

// Velocity of a moving body at a face.
static void set_velocity(const wind_state *s, const body_set *bodies, int axis, wind_face *f) {
    if (f->body == 0 || body_motion(bodies, f->body - 1u) == FIRN_MOTION_FIXED) return;
    double at[3], h = s->def.cell;
    wind_face_place(s, axis, f->at, at);
    firn_vec3 point = {s->low[0] + h * at[0], s->low[1] + h * at[1], s->low[2] + h * at[2]};
    firn_vec3 v = body_velocity_at(bodies, f->body - 1u, point);
    f->velocity[0] = (float)v.x, f->velocity[1] = (float)v.y, f->velocity[2] = (float)v.z;
}

void wind_set_boundary_faces(wind_state *s, wind_inflow_state now, const body_set *bodies) {
    for (int side = 0; side < SIDES; side++) {
        size_t begin, end;
        side_work w = {s, now, side};
        rows_of(s, side, false, &begin, &end);
        par_for_part(begin, end, 32, set_side_faces, &w);
    }
    for (int c = 0; c < 3; c++)
        for (size_t i = 0; i < s->faces[c].faces; i++) {
            wind_face *f = &s->faces[c].face[i];
            if (s->moving) set_velocity(s, bodies, c, f);
            if (f->open == 0) s->v[c][f->at] = f->velocity[c];
        }
}
