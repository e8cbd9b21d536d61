// Displaced snow comes to lie against the body that displaced it, as a heap at its angle of repose: every
// cell that can be reached without passing through a body, at a geodesic distance d from the part of the
// contour that the body pushes, is filled up to H - d tan(phi), and H is such that all the snow has found a
// place. This is where sweeps over the slopes would bring it from the contour, found at once. Along a blade
// that is slanted the heap rises towards the end that lags behind: snow slides along it.
#include "snowfield/snowfield_press.h"

#include <math.h>

#include "math/dvec.h"

enum { FLOOD_LEAST = 2 };  // HEIGHT_UNIT that fit below a roof, or snow does not pass there
#define FLOOD_REST 0.97    // of the limit, as in the sweeps
#define FLOOD_STRAIGHT 0.5 // r of a body that clears no lane
#define FLOOD_FLANK 0.25   // contour cells with less of the largest weight take nothing at first
#define FLOOD_THROWN 0.3f  // of a cell that a cell beside the lane counts: snow leaves a blade with its speed
#define FLOOD_ALONG 0.3    // tangent, in parts of the limit, by which the heap rises along a slanted blade

typedef struct flood {
    snowfield_state *s;
    snowfield_press *w;
    int32_t row;
    snowfield_rect allowed;
    float fall;     // HEIGHT_UNIT over one cell
    int32_t base;   // HEIGHT_UNIT
    size_t heap, n; // cells in the queue; cells that were reached, in w->next
    double keys;    // of those, sum
    // Beside the lane that the body clears: the lane's ends across the motion, and its floor.
    float across_x, across_z, from, to; // unit vector; cells
    float floor;                        // HEIGHT_UNIT over base
    float reach;                        // cells that snow is thrown beyond them
} flood;

static float flood_key(const snowfield_press *w, int32_t place) { return w->level[place]; }

static bool before(const snowfield_press *w, int32_t a, int32_t b) {
    float ka = flood_key(w, a), kb = flood_key(w, b);
    return ka < kb || (ka == kb && a < b); // never by chance
}

static void sift_up(snowfield_press *w, size_t i) {
    int32_t place = w->front[i];
    for (; i > 0 && before(w, place, w->front[(i - 1) / 2]); i = (i - 1) / 2) {
        w->front[i] = w->front[(i - 1) / 2];
        w->seat[w->front[i]] = (int32_t)i;
    }
    w->front[i] = place;
    w->seat[place] = (int32_t)i;
}

static int32_t pop(snowfield_press *w, size_t *count) {
    int32_t first = w->front[0], place = w->front[--*count];
    size_t i = 0, n = *count;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= n) break;
        if (child + 1 < n && before(w, w->front[child + 1], w->front[child])) child++;
        if (!before(w, w->front[child], place)) break;
        w->front[i] = w->front[child];
        w->seat[w->front[i]] = (int32_t)i;
        i = child;
    }
    if (n > 0) {
        w->front[i] = place;
        w->seat[place] = (int32_t)i;
    }
    return first;
}

static void cell_at(const flood *f, int32_t place, int32_t *x, int32_t *z) {
    *x = f->w->area.x0 + place % f->row;
    *z = f->w->area.z0 + place / f->row;
}

// Height of the snow at a place; false: snow cannot get there.
static bool height_at(const flood *f, int32_t place, float *height) {
    int32_t x, z;
    cell_at(f, place, &x, &z);
    if (x < f->allowed.x0 || x >= f->allowed.x1 || z < f->allowed.z0 || z >= f->allowed.z1) return false;
    size_t cell = snowfield_cell(f->s, x, z), covered = snowfield_covered(f->s, cell);
    int32_t top = snowfield_surface(f->s, cell);
    if (covered != SIZE_MAX && f->s->covers.roof[covered] != NO_ROOF &&
        f->s->covers.roof[covered] - top < snowfield_height((float)f->s->def.cell) / FLOOD_LEAST)
        return false;
    *height = (float)(top - f->base);
    return true;
}

enum { FLOOD_NEW = 0, FLOOD_SEEN = 2, FLOOD_DONE = 3, FLOOD_BARRED = 4 }; // labels; 1 is the overlap

// Cells between a place and the lane that the body clears.
static float beside(const flood *f, int32_t place) {
    float t = f->across_x * (float)(place % f->row) + f->across_z * (float)(place / f->row);
    float a = f->from - t, b = t - f->to;
    return a > b ? a : b;
}

// What lay there would slide back into the lane: it is thrown farther.
static bool slides_back(const flood *f, int32_t place) {
    float away = beside(f, place);
    return away > 0 && away < f->reach && f->w->height[place] > f->floor + f->fall * away;
}

// A distance for a cell; before it is final it may become shorter.
static void offer(flood *f, int32_t place, float distance) {
    snowfield_press *w = f->w;
    uint8_t label = w->label[place];
    if (label == FLOOD_NEW) {
        float height;
        w->label[place] = FLOOD_BARRED;
        if (!height_at(f, place, &height)) return;
        w->label[place] = FLOOD_SEEN;
        w->height[place] = height;
        w->distance[place] = distance;
        w->level[place] = height + f->fall * distance;
        w->front[f->heap] = place;
        w->seat[place] = (int32_t)f->heap;
        sift_up(w, f->heap++);
    } else if (label == FLOOD_SEEN && distance < w->distance[place]) {
        w->distance[place] = distance;
        w->level[place] = w->height[place] + f->fall * distance;
        sift_up(w, (size_t)w->seat[place]);
    }
}

static float nearest(const snowfield_press *w, int32_t a, int32_t b) {
    float x = w->label[a] == FLOOD_DONE ? w->distance[a] : 1e9f,
          y = w->label[b] == FLOOD_DONE ? w->distance[b] : 1e9f;
    return fminf(x, y);
}

// Distance by |grad d| = 1, upwind.
static void offer_from_neighbours(flood *f, int32_t place) {
    float a = nearest(f->w, place - 1, place + 1), b = nearest(f->w, place - f->row, place + f->row);
    float d = fabsf(a - b);
    float away = beside(f, place), step = away > 0 && away < f->reach ? FLOOD_THROWN : 1;
    offer(f, place, d >= step ? fminf(a, b) + step : 0.5f * (a + b + sqrtf(2 * step * step - d * d)));
}

// From the lowest level up, until the cells that were reached hold the volume below the level of the next.
static double spread_out(flood *f, double volume) {
    snowfield_press *w = f->w;
    while (f->heap > 0) {
        double level = (double)flood_key(w, w->front[0]);
        if (f->n > 0 && level * (double)f->n - f->keys >= volume) break;
        int32_t place = pop(w, &f->heap);
        w->label[place] = FLOOD_DONE;
        if (!slides_back(f, place)) {
            w->next[f->n++] = place;
            f->keys += (double)flood_key(w, place);
        }
        const int32_t ways[4] = {-1, 1, -f->row, f->row};
        for (int k = 0; k < 4; k++) {
            uint8_t label = w->label[place + ways[k]];
            if (label == FLOOD_NEW || label == FLOOD_SEEN) offer_from_neighbours(f, place + ways[k]);
        }
    }
    return f->n > 0 ? (volume + f->keys) / (double)f->n : 0;
}

// The cells around the overlap that the body pushes.
static void start_contour(flood *f, const snowfield_heading *h, size_t n) {
    snowfield_press *w = f->w;
    double most = 0, last = INFINITY, sum = 0, count = 0;
    for (size_t i = 0; i < n; i++) most = fmax(most, w->weight[i]);
    for (size_t i = 0; i < n; i++) {
        if (w->weight[i] < FLOOD_FLANK * most) continue;
        sum += w->weight[i];
        count++;
        last = fmin(last, h->x * (w->next[i] % f->row) + h->z * (w->next[i] / f->row));
    }
    // Snow slides along a slanted face with that part of the speed, and flies as far as it throws it.
    double straight = count > 0 ? fmin(sum / count / (1 - h->r + h->r / 8), 1) : 1;
    double gravity = fmax(dvec_length(f->s->setting.gravity), 1e-3);
    double aside = h->speed * h->speed * (1 - straight * straight) / gravity;
    f->reach = (float)(aside / f->s->def.cell);
    for (size_t i = 0; i < n; i++) w->label[w->next[i]] = FLOOD_NEW;
    for (size_t i = 0; i < n; i++) {
        if (w->weight[i] < FLOOD_FLANK * most) continue;
        double ahead = h->x * (w->next[i] % f->row) + h->z * (w->next[i] / f->row) - last;
        offer(f, w->next[i], (float)(FLOOD_ALONG * (1 - h->r) * ahead));
    }
}

// The lane: all that the body displaces in this step. Straight down there is none.
static void find_lane(flood *f, const snowfield_heading *h, size_t inside) {
    f->from = -1e9f;
    f->to = 1e9f;
    if (h->r > FLOOD_STRAIGHT) return;
    f->across_x = (float)-h->z;
    f->across_z = (float)h->x;
    f->floor = 1e9f;
    f->from = 1e9f;
    f->to = -1e9f;
    for (size_t i = 0; i < inside; i++) {
        int32_t place = f->w->inside[i], x, z;
        float t = f->across_x * (float)(place % f->row) + f->across_z * (float)(place / f->row);
        f->from = fminf(f->from, t - 0.5f);
        f->to = fmaxf(f->to, t + 0.5f);
        cell_at(f, place, &x, &z);
        f->floor = fminf(f->floor, (float)(snowfield_surface(f->s, snowfield_cell(f->s, x, z)) - f->base));
    }
}

int64_t snowfield_flood(snowfield_state *s, snowfield_press *w, const snowfield_heading *h, size_t contour,
                        size_t inside, int64_t mass, double density) {
    const snowfield_law *law = &s->law;
    double limit = snowfield_tan(law, (float)density);
    flood f = {.s = s,
               .w = w,
               .row = w->area.x1 - w->area.x0,
               .allowed = rect_meet(rect_grow(w->area, -1), (snowfield_rect){0, 0, s->nx, s->nz}),
               .fall = (float)(FLOOD_REST * limit * s->def.cell / HEIGHT_UNIT),
               .base =
                   snowfield_surface(s, snowfield_cell(s, int_max(w->area.x0, 0), int_max(w->area.z0, 0)))};
    find_lane(&f, h, inside);
    start_contour(&f, h, contour);
    double unit = density * (HEIGHT_UNIT / MASS_UNIT), level = spread_out(&f, (double)mass / unit);
    int64_t left = mass;
    for (size_t i = 0; i < f.n && left > 0; i++) {
        double gets = ceil((level - (double)flood_key(w, w->next[i])) * unit);
        int32_t x, z;
        cell_at(&f, w->next[i], &x, &z);
        if (gets > 0)
            left -= snowfield_put_some(s, w, x, z, gets < (double)left ? (int64_t)gets : left, density);
    }
    return left;
}
