// Wind as streamlines: strings of small beads, coloured by the speed of the air.
#include <math.h>

#include "draw/collect.h"

#define LINE_PIXELS 1.0 // radius of streamlines

static firn_status add_bead(collector *g, const double at[3], double speed) {
    collect_wind *w = &g->wind;
    if (!array_reserve(&w->at, &w->at_capacity, w->count + 1, sizeof *w->at) ||
        !array_reserve(&w->speed, &w->speed_capacity, w->count + 1, sizeof *w->speed))
        return fail_memory("drawing the wind", w->count * sizeof *w->at);
    const double origin[3] = {g->origin.x, g->origin.y, g->origin.z};
    for (int k = 0; k < 3; k++) w->at[w->count][k] = (float)(at[k] - origin[k]);
    w->speed[w->count++] = (float)speed;
    return FIRN_OK;
}

// Follows the air from `at` for at most `most` beads; ends where it stands.
static firn_status add_line(collector *g, const air_field *air, const double from[3], double spacing,
                            double slowest, int most) {
    double at[3] = {from[0], from[1], from[2]}, v[3];
    for (int i = 0; i < most && air_at(air, at, v); i++) {
        double speed = air_speed(v), middle[3];
        if (speed < slowest) return FIRN_OK;
        TRY(add_bead(g, at, speed));
        for (int k = 0; k < 3; k++) middle[k] = at[k] + 0.5 * spacing * v[k] / speed;
        if (!air_at(air, middle, v) || !((speed = air_speed(v)) > 0)) return FIRN_OK;
        for (int k = 0; k < 3; k++) at[k] += spacing * v[k] / speed;
    }
    return FIRN_OK;
}

// Lines from the windward side of `air`, followed through `fine` and the grids around it.
static firn_status add_lines(collector *g, const air_field *fine, const air_field *air, const double mean[3],
                             double slowest, double radius) {
    enum { ACROSS = 16, UP = 4 };
    int along = fabs(mean[0]) >= fabs(mean[2]) ? 0 : 2, across = 2 - along;
    double width = air->n[across] * air->step, height = air->n[1] * air->step,
           size = air->n[along] * air->step, way = air_whole(air)->n[along] * air_whole(air)->step;
    double spacing = 1.1 * radius; // beads touch each other
    for (int j = 0; j < UP; j++)
        for (int i = 0; i < ACROSS; i++) {
            double at[3], up = (j + 0.35) / UP;
            at[along] = air->low[along] + (mean[along] > 0 ? 0 : size - air->step);
            at[across] =
                air->low[across] - 0.5 * air->step + width * (i + 0.5 + 0.5 * (j % 2)) / (ACROSS + 0.5);
            at[1] = air->low[1] - 0.5 * air->step + height * 0.5 * up * up; // more of them near the ground
            TRY(add_line(g, fine, at, spacing, slowest, (int)(3 * way / spacing)));
        }
    return FIRN_OK;
}

// Colours of the wind and their legend, unless the colours already mean something else.
static void wind_colors(collector *g, double most) {
    const scene_picture *p = &g->scene->picture;
    bool given = p->color_low != 0 || p->color_high != 0;
    g->legend = "speed of the air";
    g->unit = "m/s";
    g->low = given ? p->color_low : 0;
    g->high = given ? p->color_high : most;
}

// Thin in the picture: about two pixels where the camera looks, and never more than a tenth of a cell.
static double line_radius(const collector *g, const air_field *air) {
    const draw_camera *c = &g->list.camera;
    double away = 0;
    for (int k = 0; k < 3; k++) away += pow((double)(c->to[k] - c->from[k]), 2);
    double pixels = LINE_PIXELS * (double)g->pixel * sqrt(away);
    return fmax(fmin(pixels, 0.045 * air->step), 2e-3 * air->step);
}

static firn_status add_streamlines(collector *g, const air_field *air, const double mean[3], double most,
                                   bool colored) {
    const air_field *whole = air_whole(air);
    double radius = line_radius(g, whole);
    TRY(add_lines(g, air, air, mean, 0.02 * most, radius));
    if (whole != air) TRY(add_lines(g, air, whole, mean, 0.02 * most, radius));
    draw_points points = {.at = g->wind.at,
                          .count = g->wind.count,
                          .radius = (float)radius,
                          .color = {0.2f, 0.4f, 0.8f},
                          .low = (float)g->low,
                          .high = (float)g->high,
                          .map = collect_colors(g),
                          .drawing = true};
    if (colored) points.value = g->wind.speed;
    return draw_list_points(&g->list, points);
}

// Streamlines would hide the snow that they pass in front of.
static bool snow_to_see(const firn_world_def *def) {
    return def->flakes || def->field || def->mpm || def->phase || def->grains;
}

firn_status collect_add_wind(collector *g) {
    air_field air[AIR_GRIDS];
    double mean[3], most;
    scene_wind how = g->scene->picture.wind;
    g->wind.count = 0;
    if (how == SCENE_WIND_AUTO) how = snow_to_see(&g->scene->world) ? SCENE_WIND_NONE : SCENE_WIND_LINES;
    if (how == SCENE_WIND_NONE || !air_find(g->world, air)) return FIRN_OK;
    air_mean(air, mean, &most);
    if (most < 1e-3) return FIRN_OK;
    bool colored = !g->legend;
    if (colored) wind_colors(g, most);
    return how == SCENE_WIND_SLICE ? collect_slice(g, air, most)
                                   : add_streamlines(g, air, mean, most, colored);
}

void collect_wind_free(collect_wind *w) {
    mem_free(w->at);
    mem_free(w->speed);
    mesh_free(&w->slice);
    mesh_free(&w->arrows);
    mem_free(w->colors);
}
