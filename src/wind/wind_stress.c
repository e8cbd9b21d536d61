// Stress in the air: eddies smaller than a cell (Smagorinsky 1963), and rough surfaces by the law of the
// wall.
#include <math.h>
#include <string.h>

#include "math/dvec.h"
#include "par/par.h"
#include "wind/wind_lanes.h"
#include "wind/wind_state.h"

enum { PLANES = 4 };
#define KARMAN 0.4
#define MOST_EDDY 0.12f // of cell^2 / dt: explicit diffusion in three directions is stable up to 1/6

typedef struct mix_work {
    wind_state *s;
    float scale;
    int axis;
} mix_work;

static void eddy_planes(void *context, size_t begin, size_t end) {
    const mix_work *w = context;
    const wind_state *s = w->s;
    ISA_PICK(wind_eddy)
    (&s->box, s->kind, s->obstacle_distance, (int)begin + 1, (int)end + 1, w->scale, MOST_EDDY, s->v, s->b);
}

// The layer around the cells stays as it is, in planes [begin, end).
static void keep_layer(const poisson_box *box, size_t begin, size_t end, const float *from, float *to) {
    const size_t last_row = box->plane - box->row, most = (size_t)box->n[2] + 1;
    for (size_t k = begin; k < end; k++) {
        size_t a = k * box->plane;
        if (k == 0 || k == most) {
            memcpy(to + a, from + a, box->plane * sizeof *to);
            continue;
        }
        memcpy(to + a, from + a, box->row * sizeof *to);
        memcpy(to + a + last_row, from + a + last_row, box->row * sizeof *to);
        for (size_t r = a + box->row; r < a + last_row; r += box->row) {
            to[r] = from[r];
            to[r + box->row - 1] = from[r + box->row - 1];
        }
    }
}

static void diffuse_planes(void *context, size_t begin, size_t end) {
    const mix_work *w = context;
    const wind_state *s = w->s;
    const float *from = s->v[w->axis];
    float *to = s->next[w->axis];
    size_t last = (size_t)s->box.n[2] + 1;
    keep_layer(&s->box, begin, end, from, to);
    if (begin == 0) begin = 1;
    if (end > last) end = last;
    ISA_PICK(wind_diffuse)(&s->box, s->kind, (int)begin, (int)end, w->axis, s->b, from, to);
}

// Speed along a surface in the middle of a face: its own component, and the mean of the four nearest of the
// other that is along the surface.
static double speed_along(const wind_state *s, int axis, const wind_wall *w) {
    const size_t step[3] = {1, s->box.row, s->box.plane};
    int other = 3 - axis - w->axis;
    const float *v = s->v[other] + w->at;
    size_t own = step[axis], o = step[other];
    double along = 0.25 * ((double)v[0] + (double)v[o] + (double)v[-(ptrdiff_t)own] + (double)*(v + o - own));
    return hypot((double)s->v[axis][w->at], along);
}

// tau = rho (0.4 / ln(1 + y / z0))^2 |u| u at the height y of the face above the surface; what the air loses
// the body gets.
static void slow_along(wind_state *s, int axis, double dt) {
    const double h = s->def.cell;
    double law = 0, away = 0; // of the last face
    for (size_t i = 0; i < s->faces[axis].walls; i++) {
        wind_wall *w = &s->faces[axis].wall[i];
        float *u = &s->v[axis][w->at];
        if ((double)w->away != away) {
            away = (double)w->away;
            law = KARMAN / log1p(away * h / s->def.roughness);
        }
        double drag = 0.5 * w->halves * law * law * speed_along(s, axis, w) * dt / (h * (double)w->share);
        double after = (double)*u / (1 + drag);
        w->lost = (double)w->share * ((double)*u - after);
        *u = (float)after;
    }
}

static void hand_over(wind_state *s, body_set *bodies, void *data) {
    const int axis = *(const int *)data;
    const double h = s->def.cell, unit = AIR_DENSITY * h * h * h;
    for (size_t i = 0; i < s->faces[axis].walls; i++) {
        const wind_wall *w = &s->faces[axis].wall[i];
        const double lost = w->lost;
        if (w->body == 0 || !wind_feels(s, bodies, w->body - 1u)) continue;
        double at[3];
        wind_face_place(s, axis, w->at, at);
        firn_vec3 impulse =
            dvec(axis == 0 ? unit * lost : 0, axis == 1 ? unit * lost : 0, axis == 2 ? unit * lost : 0);
        wind_push_body(s, bodies, w->body - 1u, impulse,
                       dvec_cross(dvec(h * at[0], h * at[1], h * at[2]), impulse));
    }
}

void wind_mix(wind_state *s, body_set *bodies, double dt) {
    if (s->def.subgrid > 0) {
        double scale = s->def.subgrid * s->def.subgrid * dt / s->def.cell; // |S| comes times the cell
        mix_work w = {s, (float)scale, 0};
        wind_fill_air(s, 1);
        par_for_part((size_t)s->k0 - 1, (size_t)s->k1 - 1, PLANES, eddy_planes, &w);
        wind_fill(s, 1, 1, s->b, sizeof *s->b);
        warmth_mix(s);
        for (w.axis = 0; w.axis < 3; w.axis++)
            par_for_part((size_t)s->first_plane, (size_t)s->end_plane, PLANES, diffuse_planes, &w);
        wind_swap(s);
    }
    for (int axis = 0; axis < 3 && s->def.roughness > 0; axis++) {
        if (axis == 0) wind_fill(s, 0, 1, s->v[2], sizeof(float));
        for (int c = 0; c < 2 && axis == 2; c++) wind_fill(s, 1, 0, s->v[c], sizeof(float));
        slow_along(s, axis, dt);
        wind_in_order(s, bodies, &axis, sizeof axis, hand_over);
    }
}
