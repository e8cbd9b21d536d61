// Wind as streamlines: strings of small beads, coloured by the speed of the air.
#include <math.h>

#include "draw/gather.h"

// The velocities of a frame, on a grid of points.
typedef struct air_field {
    const float (*v)[3];
    double low[3], step;
    int n[3];
} air_field;

static bool find_air(const gather *g, air_field *air) {
    firn_field v = firn_world_field(g->world, "wind.air"), grid = firn_world_field(g->world, "wind.grid");
    if (!v.data || !grid.data || grid.count < 7) return false;
    const double *d = grid.data;
    *air = (air_field){.v = v.data, .step = d[3]};
    for (int k = 0; k < 3; k++) air->low[k] = d[k], air->n[k] = (int)d[4 + k];
    return v.count == (size_t)air->n[0] * (size_t)air->n[1] * (size_t)air->n[2] && air->step > 0;
}

// Velocity at a point; false outside.
static bool air_at(const air_field *air, const double at[3], double out[3]) {
    int cell[3];
    double f[3];
    for (int k = 0; k < 3; k++) {
        double x = (at[k] - air->low[k]) / air->step;
        if (!(x >= -0.5 && x <= air->n[k] - 0.5)) return false;
        x = fmin(fmax(x, 0), air->n[k] - 1);
        cell[k] = (int)fmin(floor(x), fmax(air->n[k] - 2, 0));
        f[k] = x - cell[k];
        out[k] = 0;
    }
    for (int c = 0; c < 8; c++) {
        double w = 1;
        size_t i[3];
        for (int k = 0; k < 3; k++) {
            int next = c >> k & 1;
            w *= next ? f[k] : 1 - f[k];
            i[k] = (size_t)(cell[k] + next < air->n[k] ? cell[k] + next : cell[k]);
        }
        const float *v = air->v[(i[2] * (size_t)air->n[1] + i[1]) * (size_t)air->n[0] + i[0]];
        for (int k = 0; k < 3; k++) out[k] += w * (double)v[k];
    }
    return true;
}

static double length3(const double v[3]) { return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

static firn_status add_bead(gather *g, const double at[3], double speed) {
    gather_wind *w = &g->wind;
    if (!array_reserve(&w->at, &w->at_capacity, w->count + 1, sizeof *w->at) ||
        !array_reserve(&w->speed, &w->speed_capacity, w->count + 1, sizeof *w->speed))
        return fail_memory("drawing the wind", w->count * sizeof *w->at);
    for (int k = 0; k < 3; k++) w->at[w->count][k] = (float)at[k];
    w->speed[w->count++] = (float)speed;
    return FIRN_OK;
}

// Follows the air from `at` for at most `most` beads; ends where it stands.
static firn_status add_line(gather *g, const air_field *air, const double from[3], double spacing,
                            double slowest, int most) {
    double at[3] = {from[0], from[1], from[2]}, v[3];
    for (int i = 0; i < most && air_at(air, at, v); i++) {
        double speed = length3(v), middle[3];
        if (speed < slowest) return FIRN_OK;
        TRY(add_bead(g, at, speed));
        for (int k = 0; k < 3; k++) middle[k] = at[k] + 0.5 * spacing * v[k] / speed;
        if (!air_at(air, middle, v) || !((speed = length3(v)) > 0)) return FIRN_OK;
        for (int k = 0; k < 3; k++) at[k] += spacing * v[k] / speed;
    }
    return FIRN_OK;
}

// Mean wind: lines start on the side that it comes from.
static void mean_of(const air_field *air, double mean[3], double *most) {
    size_t count = (size_t)air->n[0] * (size_t)air->n[1] * (size_t)air->n[2];
    *most = mean[0] = mean[1] = mean[2] = 0;
    for (size_t i = 0; i < count; i++) {
        double v[3] = {(double)air->v[i][0], (double)air->v[i][1], (double)air->v[i][2]};
        for (int k = 0; k < 3; k++) mean[k] += v[k] / (double)count;
        *most = fmax(*most, length3(v));
    }
}

static firn_status add_lines(gather *g, const air_field *air, const double mean[3], double slowest) {
    enum { ACROSS = 16, UP = 4 };
    int along = fabs(mean[0]) >= fabs(mean[2]) ? 0 : 2, across = 2 - along;
    double width = air->n[across] * air->step, height = air->n[1] * air->step,
           size = air->n[along] * air->step;
    double spacing = 0.05 * air->step; // beads touch each other
    for (int j = 0; j < UP; j++)
        for (int i = 0; i < ACROSS; i++) {
            double at[3], up = (j + 0.35) / UP;
            at[along] = air->low[along] + (mean[along] > 0 ? 0 : size - air->step);
            at[across] =
                air->low[across] - 0.5 * air->step + width * (i + 0.5 + 0.5 * (j % 2)) / (ACROSS + 0.5);
            at[1] = air->low[1] - 0.5 * air->step + height * 0.5 * up * up; // more of them near the ground
            TRY(add_line(g, air, at, spacing, slowest, (int)(3 * size / spacing)));
        }
    return FIRN_OK;
}

firn_status gather_add_wind(gather *g) {
    air_field air;
    double mean[3], most;
    g->wind.count = 0;
    if (g->scene->picture.wind != SCENE_WIND_LINES || !find_air(g, &air)) return FIRN_OK;
    mean_of(&air, mean, &most);
    if (most < 1e-3) return FIRN_OK;
    TRY(add_lines(g, &air, mean, 0.02 * most));
    draw_points points = {.at = g->wind.at,
                          .count = g->wind.count,
                          .radius = (float)(0.045 * air.step),
                          .color = {0.2f, 0.4f, 0.8f}};
    if (!g->legend) {
        g->legend = "speed of the air";
        g->unit = "m/s";
        g->low = 0;
        g->high = most;
        points.value = g->wind.speed;
        points.high = (float)most;
    }
    return draw_list_points(&g->list, points);
}

firn_status gather_flakes(gather *g, const draw_points *points) {
    const scene_picture *p = &g->scene->picture;
    if (p->flakes == SCENE_FLAKES_NONE || !p->points) return FIRN_OK;
    firn_field velocity = firn_world_field(g->world, "wind.velocity");
    draw_sprites item = {.at = points->at,
                         .velocity = velocity.count == points->count ? velocity.data : NULL,
                         .count = points->count,
                         .radius = points->radius * (float)p->flake_size,
                         .shutter = (float)p->shutter,
                         .value = points->value,
                         .low = points->low,
                         .high = points->high};
    return draw_list_sprites(&g->list, item);
}

void gather_wind_free(gather_wind *w) {
    mem_free(w->at);
    mem_free(w->speed);
}
