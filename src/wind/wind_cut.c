// Bodies that cut cells (Batty et al. 2007; Ng et al. 2009): how much of each face is open, from the signed
// distances at its corners; what flows through the open part; slip along the rest.
#include <math.h>
#include <string.h>

#include "par/par.h"
#include "wind/wind_state.h"

enum { LEAST = 6, MOST = 122 }; // of POISSON_WHOLE: less is closed, more is open

int16_t wind_node(double cells) { return (int16_t)lrint(fmin(fmax(cells, -3.9), 3.9) * WIND_NODE); }

// Share of a triangle in which a linear function with these values at the corners is above 0.
static float share_above(float a, float b, float c) {
    if (a < b) {
        float t = a;
        a = b;
        b = t;
    }
    if (b < c) {
        float t = b;
        b = c;
        c = t;
    }
    if (a < b) {
        float t = a;
        a = b;
        b = t;
    }
    if (!(a > 0)) return 0;
    if (c >= 0) return 1;
    return b > 0 ? 1 - c * c / ((a - c) * (b - c)) : a * a / ((a - b) * (a - c));
}

// The same of a square, in four triangles around its middle. 0 along a whole side is outside of what is above
// it: a body that ends at faces of the grid cuts no cell.
static float open_share(float a, float b, float c, float d) { // in turn around it
    float middle = 0.25f * (a + b + c + d);
    return 0.25f * (share_above(a, b, middle) + share_above(b, c, middle) + share_above(c, d, middle) +
                    share_above(d, a, middle));
}

static uint8_t open_of(const int16_t *node, size_t p, size_t q) {
    int16_t a = node[0], b = node[p], c = node[p + q], d = node[q];
    if (a > 0 && b > 0 && c > 0 && d > 0) return POISSON_WHOLE;
    if (a <= 0 && b <= 0 && c <= 0 && d <= 0) return 0;
    int open = (int)(open_share(a, b, c, d) * POISSON_WHOLE + 0.5f);
    return (uint8_t)(open < LEAST ? 0 : open > MOST ? POISSON_WHOLE : open);
}

static void open_planes(void *context, size_t begin, size_t end) {
    wind_state *s = context;
    const int32_t *n = s->box.n;
    const size_t step[3] = {1, s->box.row, s->box.plane};
    for (int32_t k = (int32_t)begin + 1; k <= (int32_t)end; k++)
        for (int32_t j = 1; j <= n[1] + 1; j++)
            for (int32_t i = 1; i <= n[0] + 1; i++) {
                size_t a = poisson_at(&s->box, i, j, k);
                const int32_t at[3] = {i, j, k};
                for (int axis = 0; axis < 3; axis++) {
                    int p = (axis + 1) % 3, q = (axis + 2) % 3;
                    if (at[p] > n[p] || at[q] > n[q]) continue;
                    uint8_t open = open_of(s->node + a, step[p], step[q]);
                    // What crosses a side of the domain does so on whole faces.
                    bool side = at[axis] == 1 || at[axis] == n[axis] + 1;
                    s->open[axis][a] = !side ? open : open < POISSON_WHOLE / 2 ? 0 : POISSON_WHOLE;
                }
            }
}

void wind_open_faces(wind_state *s) {
    size_t low, high;
    wind_near_planes(s, 5, 1, s->box.n[2] + 2, &low, &high);
    par_for_part(low - 1, high - 1, 4, open_planes, s);
}

bool wind_is_closed(const wind_state *s, int32_t i, int32_t j, int32_t k) {
    const size_t step[3] = {1, s->box.row, s->box.plane};
    const int32_t at[3] = {i, j, k};
    size_t a = poisson_at(&s->box, i, j, k);
    for (int axis = 0; axis < 3; axis++)
        if ((at[axis] > 1 && s->open[axis][a]) ||
            (at[axis] < s->box.n[axis] && s->open[axis][a + step[axis]]))
            return false;
    return s->box.n[0] > 1 || s->box.n[1] > 1 || s->box.n[2] > 1;
}

void wind_swap_fluxes(wind_state *s) {
    for (int axis = 0; axis < 3; axis++)
        for (size_t i = 0; i < s->faces[axis].faces; i++) {
            wind_face *f = &s->faces[axis].face[i];
            float *v = &s->v[axis][f->at], flux = f->flux;
            f->flux = *v;
            *v = flux;
        }
}

static void find_fluxes(wind_state *s, int axis) {
    for (size_t i = 0; i < s->faces[axis].faces; i++) {
        wind_face *f = &s->faces[axis].face[i];
        float open = (float)f->open * (1.0f / POISSON_WHOLE);
        f->flux = open * s->v[axis][f->at] + (1 - open) * f->velocity[axis];
    }
}

void wind_find_fluxes(wind_state *s) {
    for (int axis = 0; axis < 3; axis++) find_fluxes(s, axis);
}

// Mean of the faces of a component around the middle of a closed face where there is air; NAN: there is none.
static float air_around(const wind_state *s, int axis, size_t a, int component) {
    const size_t step[3] = {1, s->box.row, s->box.plane};
    size_t own = step[axis], other = step[component], around[6];
    float sum = 0, count = 0;
    int n = component == axis ? 6 : 4;
    for (int d = 0; d < n; d++) {
        if (component == axis)
            around[d] = d & 1 ? a + step[d / 2] : a - step[d / 2];
        else
            around[d] = a + (d & 1 ? other : 0) - (d & 2 ? own : 0);
        size_t c = around[d];
        if (s->kind[c] != POISSON_FREE || s->kind[c - other] != POISSON_FREE || !s->open[component][c])
            continue;
        sum += s->v[component][c];
        count++;
    }
    return count > 0 ? sum / count : NAN;
}

// The air around slips along the body: its part along the normal is the body's.
static float slip(const wind_state *s, int axis, const wind_face *f) {
    float along = 0, own = NAN;
    if (f->normal[axis] == 1) return f->velocity[axis];
    for (int c = 0; c < 3; c++) {
        float v = air_around(s, axis, f->at, c);
        if (c == axis) own = v;
        along += isnan(v) ? 0 : f->normal[c] * (v - f->velocity[c]);
    }
    return isnan(own) ? f->velocity[axis] : own - f->normal[axis] * along;
}

void wind_slip(wind_state *s) {
    for (int axis = 0; axis < 3; axis++)
        for (size_t i = 0; i < s->faces[axis].faces; i++) {
            const wind_face *f = &s->faces[axis].face[i];
            if (f->open == 0) s->v[axis][f->at] = slip(s, axis, f);
        }
}
