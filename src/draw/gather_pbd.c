// Particle solids: their particles as spheres in the solid's colour, their links as lines that show the
// strain. Liquids: a smooth surface for each colour, or spheres.
#include <math.h>
#include <string.h>

#include "draw/gather.h"
#include "math/dvec.h"

enum { SIDES = 3, CORNERS = 2 * SIDES };
static const double FULL_STRAIN = 0.1; // the colours' ends

void gather_links_free(gather_links *links) {
    mem_free(links->mesh.position);
    mem_free(links->mesh.normal);
    mem_free(links->mesh.triangle);
    mem_free(links->colors);
    *links = (gather_links){0};
}

static void solid_color(const firn_pbd_solid_def *def, size_t number, float out[3]) {
    static const float usual[6][3] = {{0.75f, 0.30f, 0.10f}, {0.10f, 0.35f, 0.65f}, {0.20f, 0.50f, 0.15f},
                                      {0.70f, 0.55f, 0.12f}, {0.45f, 0.20f, 0.50f}, {0.10f, 0.50f, 0.50f}};
    memcpy(out, usual[number % 6], sizeof usual[0]);
    if (def->color.x < 0) return;
    out[0] = (float)def->color.x, out[1] = (float)def->color.y, out[2] = (float)def->color.z;
}

static double radius_of(const firn_pbd_solid_def *def) {
    return def->radius < 0 ? def->spacing / 2 : def->radius;
}

// Solids stand one after the other in the fields: each is a run of its number.
static firn_status add_solids(gather *g, const draw_points *points, const uint32_t *group) {
    const firn_pbd_def *def = g->scene->world.pbd;
    size_t begin = 0;
    for (size_t k = 0; k < def->solids.count; k++) {
        size_t end = begin;
        while (end < points->count && group[end] == k) end++;
        draw_points solid = *points;
        solid.at += begin;
        solid.count = end - begin;
        if (solid.value) solid.value += begin;
        solid.radius = (float)radius_of(&def->solids.items[k]);
        if (g->scene->picture.links) solid.radius *= 0.3f; // so that the lines are seen
        solid_color(&def->solids.items[k], k, solid.color);
        if (solid.count > 0) TRY(draw_list_points(&g->list, solid));
        begin = end;
    }
    return FIRN_OK;
}

// From blue (squeezed) over a pale grey to red (stretched).
static void strain_color(double strain, float out[3]) {
    static const float blue[3] = {0.02f, 0.10f, 0.60f}, pale[3] = {0.62f, 0.60f, 0.56f},
                       red[3] = {0.65f, 0.03f, 0.02f};
    float t = (float)fmin(fmax(strain / FULL_STRAIN, -1), 1);
    const float *end = t < 0 ? blue : red;
    for (int a = 0; a < 3; a++) out[a] = pale[a] + fabsf(t) * (end[a] - pale[a]);
}

static firn_vec3 at(const float *p) { return dvec((double)p[0], (double)p[1], (double)p[2]); }

// A prism of three sides along the link.
static void add_link(gather_links *l, size_t k, firn_vec3 from, firn_vec3 to, double width, double strain) {
    firn_vec3 along = dvec_normalise(dvec_sub(to, from));
    if (dvec_length(along) == 0) along = dvec(0, 1, 0);
    firn_vec3 u = dvec_perpendicular(along), v = dvec_cross(along, u);
    float color[3];
    strain_color(strain, color);
    for (int c = 0; c < CORNERS; c++) {
        double angle = 2 * M_PI / SIDES * (c % SIDES);
        firn_vec3 n = dvec_add_scaled(dvec_scale(u, cos(angle)), v, sin(angle));
        firn_vec3 p = dvec_add_scaled(c < SIDES ? from : to, n, width);
        float *normal = l->mesh.normal[k * CORNERS + (size_t)c];
        normal[0] = (float)n.x, normal[1] = (float)n.y, normal[2] = (float)n.z;
        float *q = l->mesh.position[k * CORNERS + (size_t)c];
        q[0] = (float)p.x, q[1] = (float)p.y, q[2] = (float)p.z;
        memcpy(l->colors[k * CORNERS + (size_t)c], color, sizeof color);
    }
    for (uint32_t side = 0; side < SIDES; side++) {
        uint32_t first = (uint32_t)(k * CORNERS), a = first + side, b = first + (side + 1) % SIDES;
        memcpy(l->mesh.triangle[k * CORNERS + 2 * side], (uint32_t[3]){a, b, b + SIDES}, 3 * sizeof a);
        memcpy(l->mesh.triangle[k * CORNERS + 2 * side + 1], (uint32_t[3]){a, b + SIDES, a + SIDES},
               3 * sizeof a);
    }
}

static firn_status add_links(gather *g, const draw_points *points, const uint32_t *group) {
    firn_field ends = firn_world_field(g->world, "pbd.links"),
               rest = firn_world_field(g->world, "pbd.link_rest");
    gather_links *l = &g->links;
    if (!ends.data || ends.count != 2 * rest.count || rest.count > UINT32_MAX / CORNERS) return FIRN_OK;
    size_t n = rest.count, room = n * CORNERS;
    if (!array_reserve(&l->mesh.position, &l->capacity[0], room, sizeof *l->mesh.position) ||
        !array_reserve(&l->mesh.triangle, &l->capacity[1], room, sizeof *l->mesh.triangle) ||
        !array_reserve(&l->mesh.normal, &l->capacity[3], room, sizeof *l->mesh.normal) ||
        !array_reserve(&l->colors, &l->capacity[2], room, sizeof *l->colors))
        return fail_memory("drawing links", room * sizeof *l->colors);
    const uint32_t *end = ends.data;
    const float *length = rest.data;
    l->mesh.vertices = l->mesh.triangles = room;
    for (size_t k = 0; k < n; k++) {
        if (end[k] >= points->count || end[n + k] >= points->count) return FIRN_OK;
        firn_vec3 a = at(points->at[end[k]]), b = at(points->at[end[n + k]]);
        const firn_pbd_solid_def *solid = &g->scene->world.pbd->solids.items[group[end[k]]];
        add_link(l, k, a, b, 0.05 * solid->spacing, dvec_distance(a, b) / (double)length[k] - 1);
    }
    draw_mesh item = {.mesh = &l->mesh,
                      .revision = ++g->revision,
                      .rotation = {1, 0, 0, 0},
                      .colors = (const float(*)[3])l->colors,
                      .material = DRAW_MARKED};
    return n > 0 ? draw_list_mesh(&g->list, item) : FIRN_OK;
}

// ---- liquids

static const float water[3] = {0.03f, 0.16f, 0.24f};

static firn_vec3 liquid_color(const firn_pbd_fluid_def *def, size_t liquid) {
    size_t pools = def->pools.count;
    firn_vec3 own = liquid < pools ? def->pools.items[liquid].color : def->spouts.items[liquid - pools].color;
    return own.x < 0 ? def->color : own;
}

static bool same_color(firn_vec3 a, firn_vec3 b) {
    return (a.x < 0 && b.x < 0) || (a.x == b.x && a.y == b.y && a.z == b.z);
}

// Adds the particles of all liquids with the colour of `liquid` to the list at `begin`; returns its end.
static size_t take_liquid(gather *g, const draw_points *points, const uint32_t *group, size_t liquid,
                          size_t begin) {
    const firn_pbd_def *def = g->scene->world.pbd;
    size_t solids = def->solids.count, end = begin;
    firn_vec3 color = liquid_color(def->fluid, liquid);
    for (size_t i = 0; i < points->count; i++) {
        if (group[i] < solids || !same_color(liquid_color(def->fluid, group[i] - solids), color)) continue;
        memcpy(g->liquid.at[end], points->at[i], sizeof *g->liquid.at);
        if (points->value) g->liquid.value[end] = points->value[i];
        end++;
    }
    return end;
}

static firn_status add_liquid(gather *g, draw_points liquid, firn_vec3 color) {
    const firn_pbd_fluid_def *def = g->scene->world.pbd->fluid;
    memcpy(liquid.color, water, sizeof water);
    if (color.x >= 0)
        liquid.color[0] = (float)color.x, liquid.color[1] = (float)color.y, liquid.color[2] = (float)color.z;
    liquid.radius = (float)(def->spacing / 2);
    bool smooth = g->scene->picture.snow == SCENE_SNOW_SURFACE && !g->measuring;
    gather_walls walls = gather_walls_at(g->scene->world.pbd->box, firn_world_time(g->world));
    if (smooth)
        return gather_surface(g, &liquid, def->spacing, liquid.value ? DRAW_MARKED : DRAW_WATER, &walls);
    return g->scene->picture.points || g->measuring ? draw_list_points(&g->list, liquid) : FIRN_OK;
}

static firn_status add_liquids(gather *g, const draw_points *points, const uint32_t *group) {
    const firn_pbd_fluid_def *def = g->scene->world.pbd->fluid;
    size_t liquids = def->pools.count + def->spouts.count, begin = 0;
    TRY(gather_sorted_reserve(&g->liquid, points->count));
    for (size_t k = 0; k < liquids; k++) {
        bool seen = false;
        for (size_t m = 0; m < k; m++) seen |= same_color(liquid_color(def, m), liquid_color(def, k));
        if (seen) continue;
        draw_points liquid = *points;
        size_t end = take_liquid(g, points, group, k, begin);
        liquid.at = (const float(*)[3])g->liquid.at + begin;
        liquid.value = points->value ? g->liquid.value + begin : NULL;
        liquid.count = end - begin;
        if (liquid.count > 0) TRY(add_liquid(g, liquid, liquid_color(def, k)));
        begin = end;
    }
    return FIRN_OK;
}

firn_status gather_pbd(gather *g, const draw_points *points) {
    firn_field group = firn_world_field(g->world, "pbd.group");
    if (!g->scene->world.pbd || group.count != points->count || points->count == 0) return FIRN_OK;
    if (g->scene->picture.points || g->measuring) TRY(add_solids(g, points, group.data));
    if (g->scene->world.pbd->fluid) TRY(add_liquids(g, points, group.data));
    return g->scene->picture.links && !g->measuring ? add_links(g, points, group.data) : FIRN_OK;
}
