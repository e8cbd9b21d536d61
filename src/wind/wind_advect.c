// Semi-Lagrangian advection with the MacCormack correction, and vorticity confinement.
#include <math.h>
#include <string.h>

#include "par/par.h"
#include "wind/wind_lanes.h"
#include "wind/wind_state.h"
#include "wind/wind_trace.h"

enum { PLANES = 4 };
// Of the fastest air: smaller corrections are not bounded. In turbulent air nearly all would be at 5e-4,
// which doubles the time of the advection; eddies below the grid keep it stable.
#define SLIGHT 2e-2

// The faces around those that are traced: as they were. Planes [k0, k1), from 0 on.
static void keep_rim(const wind_trace_job *job, int32_t k0, int32_t k1) {
    const poisson_box *box = &job->box;
    const float *from = job->from;
    float *to = job->to;
    int32_t n[3];
    for (int d = 0; d < 3; d++) n[d] = box->n[d] + (job->axis == d);
    for (int32_t k = k0; k < k1; k++)
        for (int32_t j = 0; j <= box->n[1] + 1; j++) {
            size_t c = poisson_at(box, 0, j, k), end = c + (size_t)n[0] + 1;
            if (j == 0 || k == 0 || j > n[1] || k > n[2])
                memcpy(to + c, from + c, box->row * sizeof *to);
            else
                for (to[c] = from[c]; end < c + box->row; end++) to[end] = from[end];
        }
}

static void trace_planes(void *context, size_t begin, size_t end) {
    const wind_trace_job *job = context;
    int k0 = (int)begin, k1 = (int)end, last = job->box.n[2] + (job->axis == 2);
    keep_rim(job, k0, k1);
    if (k0 == 0) k0 = 1;
    if (k1 > last + 1) k1 = last + 1;
    if (k0 >= k1) return;
    (job->box.n[0] < WIND_TRACE_WIDEST ? wind_trace_plain : ISA_PICK(wind_trace))(job, k0, k1);
}

static void trace(const wind_state *s, const wind_trace_job *job) {
    par_for_part((size_t)s->first_plane, (size_t)s->end_plane, PLANES, trace_planes, (void *)job);
}

// Planes that paths from those of this rank may lead to; the air and the kinds of their cells are then known.
static int32_t reach_of(wind_state *s, double dt) {
    double most = 0;
    const wind_items own = wind_own_items(s, 0);
    for (size_t a = own.first; a < own.end; a++) most = fmax(most, fabs((double)s->v[2][a]));
    // The first corner of a cell that a path ends in is at most that many whole planes away, or one more
    // down; the last is one further up.
    int32_t reach = (int32_t)fmin(wind_largest(s, most) * dt / s->def.cell * 1.001 + 1, s->box.n[2] + 2);
    wind_fill_air(s, reach);
    if (reach > s->ranks.reach) {
        s->ranks.reach = reach;
        wind_fill(s, reach, reach, s->kind, 1);
    }
    return reach;
}

// Selle et al. 2008: forth, back, and half of the error on top.
static void maccormack(wind_state *s, wind_trace_job job, int32_t reach) {
    float *to = job.to;
    job.to = s->hat;
    trace(s, &job);
    wind_fill(s, reach, reach, s->hat, sizeof *s->hat);
    job.kind = WIND_CORRECT;
    job.from = s->hat;
    job.to = to;
    trace(s, &job);
}

void wind_swap(wind_state *s) {
    for (int axis = 0; axis < 3; axis++) {
        float *v = s->v[axis];
        s->v[axis] = s->next[axis];
        s->next[axis] = v;
    }
}

void wind_advect(wind_state *s, double dt) {
    wind_trace_job job = {.box = s->box,
                          .kind = WIND_TRACE,
                          .v = {s->v[0], s->v[1], s->v[2]},
                          .cells = s->kind,
                          .scale = (float)(dt / s->def.cell),
                          .negligible = (float)(SLIGHT * s->fastest),
                          .obstacle_distance = s->obstacle_distance};
    const int32_t reach = wind_is_divided(s) ? reach_of(s, dt) : 0;
    for (job.axis = 0; job.axis < 3; job.axis++) {
        job.from = s->v[job.axis];
        job.to = s->next[job.axis];
        if (s->def.advection == FIRN_WIND_MACCORMACK)
            maccormack(s, job, reach);
        else
            trace(s, &job);
    }
    wind_swap(s);
}

typedef struct confine_work {
    wind_state *s;
    float *curl[4];
    float scale;
} confine_work;

static void curl_planes(void *context, size_t begin, size_t end) {
    const confine_work *w = context;
    ISA_PICK(wind_curl)(&w->s->box, w->s->kind, (int)begin + 1, (int)end + 1, w->s->v, w->curl);
}

static void confine_planes(void *context, size_t begin, size_t end) {
    const confine_work *w = context;
    ISA_PICK(wind_confinement)(&w->s->box, (int)begin + 1, (int)end + 1, w->curl);
}

static void push_planes(void *context, size_t begin, size_t end) {
    const confine_work *w = context;
    ISA_PICK(wind_push)(&w->s->box, w->s->kind, (int)begin + 1, (int)end + 1, w->scale, w->curl, w->s->v);
}

// Fedkiw et al. 2001: force epsilon cell (n x curl). The curl here is the true one times the cell.
void wind_confine(wind_state *s, double dt) {
    if (s->def.confinement == 0) return;
    const size_t begin = (size_t)s->k0 - 1, end = (size_t)s->k1 - 1;
    const wind_items near = wind_own_items(s, 1);
    confine_work w = {s, {s->next[0], s->next[1], s->next[2], s->b}, (float)(s->def.confinement * dt)};
    for (int i = 0; i < 4; i++) memset(w.curl[i] + near.first, 0, (near.end - near.first) * sizeof(float));
    wind_fill_air(s, 1);
    par_for_part(begin, end, PLANES, curl_planes, &w);
    wind_fill(s, 1, 1, w.curl[3], sizeof(float));
    par_for_part(begin, end, PLANES, confine_planes, &w);
    wind_fill(s, 1, 0, w.curl[2], sizeof(float));
    par_for_part(begin, end, PLANES, push_planes, &w);
}
