// A plane through the wind, coloured by the speed of the air or another number of it, with arrows for its
// direction within the plane.
#include <math.h>
#include <string.h>

#include "draw/collect.h"

enum { FINE = 2, ARROW_VERTICES = 5, ARROW_TRIANGLES = 6 }; // points of the slice to a step of the air's grid
#define STILL 1e-6                                          // of the fastest: inside a body

typedef struct slice_plane {
    const air_field *air, *inner; // inner: the finer grid inside this one, which has a plane of its own; NULL
    int across, u, v;             // axes: through the plane, and within it
    double at;                    // m along `across`
    int n[2];                     // points along u and v
    size_t first;                 // of its points among those of all grids
} slice_plane;

static slice_plane plane_of(const collector *g, const air_field *air) {
    const scene_picture *p = &g->scene->picture;
    slice_plane s = {.air = air, .across = p->slice};
    s.u = s.across == 0 ? 2 : 0;
    s.v = s.across == 1 ? 2 : 1;
    const air_field *whole = air_whole(air); // nearest to the ground are points of the finest grid
    double low = fmin(air->low[s.across], whole->low[s.across]),
           high = whole->low[s.across] + (whole->n[s.across] - 1) * whole->step;
    s.at = fmin(fmax(p->slice_at, low), high);
    return s;
}

static void point_of(const slice_plane *s, double i, double j, double out[3]) {
    out[s->across] = s->at;
    out[s->u] = s->air->low[s->u] + i * s->air->step;
    out[s->v] = s->air->low[s->v] + j * s->air->step;
}

static float speed_at(const slice_plane *s, double i, double j, double v[3]) {
    double at[3];
    point_of(s, i, j, at);
    return air_at(s->air, at, v) ? (float)air_speed(v) : 0;
}

// Does a finer grid show all of a square with edges of `size` steps?
static bool is_shown_finer(const slice_plane *s, double i, double j, double size) {
    if (!s->inner) return false;
    for (int c = 0; c < 2; c++) {
        double at[3];
        point_of(s, i + c * size, j + c * size, at);
        for (int k = 0; k < 3; k++) {
            double x = (at[k] - s->inner->low[k]) / s->inner->step, rim = k == s->across ? 0.5 : 1e-6;
            if (!(x >= -rim && x <= s->inner->n[k] - 1 + rim)) return false;
        }
    }
    return true;
}

// Two triangles for each square whose corners are not all inside bodies. Returns how many there are.
static size_t add_squares(const slice_plane *s, const float *speed, double still, uint32_t (*out)[3]) {
    size_t count = 0;
    for (int j = 0; j + 1 < s->n[1]; j++)
        for (int i = 0; i + 1 < s->n[0]; i++) {
            uint32_t a = (uint32_t)s->first + (uint32_t)(j * s->n[0] + i), b = a + 1,
                     c = a + (uint32_t)s->n[0], d = c + 1;
            if ((double)fmaxf(fmaxf(speed[a], speed[b]), fmaxf(speed[c], speed[d])) <= still) continue;
            if (is_shown_finer(s, (double)i / FINE, (double)j / FINE, 1.0 / FINE)) continue;
            memcpy(out[count++], (uint32_t[3]){a, b, d}, sizeof *out);
            memcpy(out[count++], (uint32_t[3]){a, d, c}, sizeof *out);
        }
    return count;
}

static float value_at(const collector *g, const slice_plane *s, const double at[3], float speed) {
    switch (g->scene->picture.slice_of) {
    case SCENE_SLICE_VORTICITY: return (float)air_vorticity(s->air, at);
    case SCENE_SLICE_PRESSURE: return (float)air_gauge(s->air, at, 0);
    case SCENE_SLICE_DIVERGENCE: return (float)air_gauge(s->air, at, 1);
    case SCENE_SLICE_WARMTH: return (float)air_gauge(s->air, at, 2);
    default: return speed;
    }
}

// Colours from the smallest to the largest value, unless the scene gives them; those of the speed are known.
static void set_range(collector *g, const float *values, size_t count) {
    static const char *const names[] = {NULL, "vorticity", "pressure", "divergence", "warmth of the air"};
    static const char *const units[] = {NULL, "1/s", "Pa", "1/s", "degrees"};
    const scene_picture *p = &g->scene->picture;
    if (p->slice_of == SCENE_SLICE_SPEED) return;
    g->legend = names[p->slice_of];
    g->unit = units[p->slice_of];
    if (p->color_low != 0 || p->color_high != 0) return;
    g->low = g->high = count ? (double)values[0] : 0;
    for (size_t i = 0; i < count; i++) {
        g->low = fmin(g->low, (double)values[i]);
        g->high = fmax(g->high, (double)values[i]);
    }
}

static size_t points_of(const slice_plane *s) { return (size_t)s->n[0] * (size_t)s->n[1]; }

// Places, speeds and values of the points of a plane.
static void add_points(collector *g, const slice_plane *s, float *speed, float *values) {
    mesh *m = &g->wind.slice;
    for (size_t p = s->first, end = p + points_of(s); p < end; p++) {
        size_t n = p - s->first;
        double at[3], v[3], i = (double)(n % (size_t)s->n[0]) / FINE,
                            j = (double)(n / (size_t)s->n[0]) / FINE;
        point_of(s, i, j, at);
        speed[p] = speed_at(s, i, j, v);
        values[p] = value_at(g, s, at, speed[p]);
        for (int k = 0; k < 3; k++) {
            m->position[p][k] = (float)at[k];
            m->normal[p][k] = k == s->across;
        }
    }
}

static firn_status build_slice(collector *g, const slice_plane *planes, int count, double most) {
    collect_wind *w = &g->wind;
    size_t points = planes[count - 1].first + points_of(&planes[count - 1]);
    mesh_free(&w->slice);
    TRY(mesh_alloc(points, 2 * points, true, &w->slice));
    if (!array_reserve(&w->speed, &w->speed_capacity, 2 * points, sizeof *w->speed) ||
        !array_reserve(&w->colors, &w->color_capacity, points, sizeof *w->colors))
        return fail_memory("drawing the wind", points * 20);
    float *values = w->speed + points;
    w->slice.triangles = 0;
    for (int i = 0; i < count; i++) {
        add_points(g, &planes[i], w->speed, values);
        w->slice.triangles +=
            add_squares(&planes[i], w->speed, STILL * most, w->slice.triangle + w->slice.triangles);
    }
    set_range(g, values, points);
    for (size_t p = 0; p < points; p++)
        draw_color_map(collect_colors(g),
                       (float)(((double)values[p] - g->low) / fmax(g->high - g->low, 1e-30)), w->colors[p]);
    return FIRN_OK;
}

// A slim pyramid that points along the wind and stands out of the plane on both sides.
static void add_arrow(mesh *m, const slice_plane *s, const double at[3], const double v[3], double length) {
    double way[3] = {v[0], v[1], v[2]}, side[3], wide = 0.13 * length;
    way[s->across] = 0;
    double speed = air_speed(way);
    for (int k = 0; k < 3; k++) way[k] /= speed;
    side[s->across] = 0;
    side[s->u] = -way[s->v];
    side[s->v] = way[s->u];
    uint32_t first = (uint32_t)m->vertices;
    for (int n = 0; n < ARROW_VERTICES; n++)
        for (int k = 0; k < 3; k++) {
            double p = at[k] + (n == 4 ? 0.5 : -0.5) * length * way[k];
            if (n < 2) p += (n ? -1 : 1) * wide * side[k];
            if (n == 2 || n == 3) p += k == s->across ? (n == 2 ? 1 : -1) * wide : 0;
            m->position[m->vertices + (size_t)n][k] = (float)p;
        }
    static const uint32_t corner[ARROW_TRIANGLES][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4},
                                                        {3, 0, 4}, {0, 1, 2}, {0, 3, 1}};
    for (int t = 0; t < ARROW_TRIANGLES; t++)
        for (int k = 0; k < 3; k++) m->triangle[m->triangles + (size_t)t][k] = first + corner[t][k];
    m->vertices += ARROW_VERTICES;
    m->triangles += ARROW_TRIANGLES;
}

// Every so many steps of the grid, so that there are about thirty along the longer side.
static int arrows_every(const slice_plane *s) {
    int longer = s->air->n[s->u] > s->air->n[s->v] ? s->air->n[s->u] : s->air->n[s->v];
    return longer / 30 + 1;
}

static void add_arrows(mesh *m, const slice_plane *s, double most) {
    const int every = arrows_every(s);
    for (int j = every / 2; j < s->air->n[s->v]; j += every)
        for (int i = every / 2; i < s->air->n[s->u]; i += every) {
            double at[3], v[3];
            speed_at(s, i, j, v);
            v[s->across] = 0;
            double speed = air_speed(v), part = speed / most;
            if (!(part > 0.01) || is_shown_finer(s, i, j, 0)) continue;
            point_of(s, i, j, at);
            add_arrow(m, s, at, v, 0.95 * every * s->air->step * sqrt(part));
        }
}

static firn_status build_arrows(collector *g, const slice_plane *planes, int count, double most) {
    mesh *m = &g->wind.arrows;
    size_t room = 0;
    for (int i = 0; i < count; i++) {
        const slice_plane *s = &planes[i];
        const int every = arrows_every(s);
        room += (size_t)(s->air->n[s->u] / every + 1) * (size_t)(s->air->n[s->v] / every + 1);
    }
    mesh_free(m);
    TRY(mesh_alloc(room * ARROW_VERTICES, room * ARROW_TRIANGLES, false, m));
    m->vertices = m->triangles = 0;
    for (int i = 0; i < count; i++) add_arrows(m, &planes[i], most);
    return FIRN_OK;
}

// The planes through all grids that lie there, the finest first.
static int find_planes(const collector *g, const air_field *air, slice_plane planes[AIR_GRIDS]) {
    const slice_plane first = plane_of(g, air);
    int count = 0;
    size_t points = 0;
    for (; air && count < AIR_GRIDS; air = air->around) {
        slice_plane s = first;
        double x = (s.at - air->low[s.across]) / air->step;
        s.air = air;
        s.inner = count > 0 ? planes[count - 1].air : NULL;
        s.n[0] = (air->n[s.u] - 1) * FINE + 1;
        s.n[1] = (air->n[s.v] - 1) * FINE + 1;
        s.first = points;
        if (!(x >= -0.5 && x <= air->n[s.across] - 0.5) || s.n[0] < 2 || s.n[1] < 2) continue;
        points += points_of(&s);
        planes[count++] = s;
    }
    return count;
}

firn_status collect_slice(collector *g, const air_field *air, double most) {
    slice_plane planes[AIR_GRIDS];
    int count = find_planes(g, air, planes);
    if (count == 0) return FIRN_OK;
    TRY(build_slice(g, planes, count, most));
    TRY(build_arrows(g, planes, count, most));
    draw_mesh item = {.mesh = &g->wind.slice,
                      .revision = ++g->revision,
                      .rotation = {1, 0, 0, 0},
                      .colors = (const float(*)[3])g->wind.colors,
                      .material = DRAW_PLAIN};
    if (g->wind.slice.triangles) TRY(collect_world_mesh(g, item));
    item = (draw_mesh){.mesh = &g->wind.arrows,
                       .revision = ++g->revision,
                       .rotation = {1, 0, 0, 0},
                       .color = {0.96f, 0.96f, 0.96f},
                       .material = DRAW_PLAIN};
    return g->wind.arrows.triangles ? collect_world_mesh(g, item) : FIRN_OK;
}
