// Crumbs on the relief of the snow field, seeded by the cell, so that they stay the same from frame to frame.
#include <math.h>
#include <string.h>

#include "draw/collect.h"
#include "geom/field_relief.h"
#include "geom/relief.h"

enum { ROOM = 20 * COLLECT_CLOD_PARTS * COLLECT_CLOD_PARTS };
enum { MOST_CRUMBS = 3, MOST_TRIANGLES = 200000, FINE_TRIANGLES = 2000000 };
static const float CRUMB = 0.42f;           // cells, radius of the largest
static const float SUNK = 0.15f;            // radii: a crumb that stands up on soft snow looks afloat
static const float WALL = 0.6f;             // height of the normal of what is too steep for large crumbs
static const float SEEN = 0.5f;             // pixels, radius of the smallest crumb that is drawn
static const float NEAR = 2.5f, NEARER = 8; // pixels, radius of those that are round in final quality

static float unit(uint32_t seed, int k) { return (float)(relief_bits((int)seed, k, 78) >> 8) * 0x1p-24f; }

// What lies in the snow is lit half as the snow is: in the shade of its slope, too.
static void lean(mesh *m, size_t first, const float ground[3]) {
    for (size_t v = first; v < m->vertices; v++) {
        float *n = m->normal[v], length = 0;
        for (int k = 0; k < 3; k++) {
            n[k] += ground[k];
            length += n[k] * n[k];
        }
        for (int k = 0; k < 3; k++) n[k] = length > 1e-6f ? n[k] / sqrtf(length) : ground[k];
    }
}

// Sizes by a power law, the fewer the rougher; none that a pixel would hide.
static void add_crumbs(const collector *g, const firn_snowfield *f, size_t i, size_t most, mesh *to) {
    const mesh *m = &g->land.mesh.mesh;
    const int32_t *at = g->land.mesh.corner[i];
    float rough = g->land.relief.rest[i][3], cell = (float)f->cell, p[3], away = 0;
    const double origin[3] = {g->origin.x, g->origin.y, g->origin.z};
    for (int k = 0; k < 3; k++) {
        p[k] = (float)((double)m->position[i][k] - origin[k]);
        away += (p[k] - g->list.camera.from[k]) * (p[k] - g->list.camera.from[k]);
    }
    float pixel = g->pixel * sqrtf(away), least = SEEN * pixel;
    for (int n = 0; n < MOST_CRUMBS && to->triangles + ROOM <= most && to->vertices + ROOM <= most; n++) {
        uint32_t seed = relief_bits(at[0], at[1], 901 + n);
        float part = unit(seed, 50), radius = CRUMB * cell * fminf(1.2f * rough, 1) / sqrtf(1 + 40 * part);
        radius *= fminf(m->normal[i][1] / WALL, 1);
        if (unit(seed, 51) > 1.1f * rough || radius < least) continue;
        const float place[3] = {p[0] + cell * (unit(seed, 52) - 0.5f), p[1] - SUNK * radius,
                                p[2] + cell * (unit(seed, 53) - 0.5f)};
        float down = (place[0] - p[0]) * m->normal[i][0] + (place[2] - p[2]) * m->normal[i][2];
        const float on[3] = {place[0], place[1] - down / fmaxf(m->normal[i][1], 0.3f), place[2]};
        size_t first = to->vertices;
        if (g->fine && radius > NEAR * pixel)
            collect_clod(to, on, radius, seed, radius > NEARER * pixel ? COLLECT_CLOD_PARTS : 2);
        else if (part < 0.2f)
            collect_lump(to, on, radius, seed);
        else
            collect_crumb(to, on, radius, seed);
        lean(to, first, m->normal[i]);
    }
}

static firn_status build_crumbs(collector *g, const firn_snowfield *f, const float color[3]) {
    const mesh *m = &g->land.mesh.mesh;
    const float(*rest)[4] = (const float(*)[4])g->land.relief.rest;
    mesh *to = &g->land.crumbs;
    size_t torn = 0;
    for (size_t i = 0; i < m->vertices; i++) torn += rest[i][3] > 0.2f;
    mesh_free(to);
    if (torn == 0) return FIRN_OK;
    size_t most = torn * MOST_CRUMBS * (g->fine ? ROOM : 20) + ROOM,
           limit = g->fine ? FINE_TRIANGLES : MOST_TRIANGLES;
    most = most < limit ? most : limit;
    TRY(mesh_alloc(most, most, true, to)); // a crumb has 6 corners and 8 triangles, a lump 12 and 20
    to->vertices = to->triangles = 0;
    for (size_t i = 0; i < m->vertices; i++)
        if (rest[i][3] > 0.2f) add_crumbs(g, f, i, most, to);
    if (to->triangles == 0) return FIRN_OK;
    draw_mesh item = {.mesh = to,
                      .revision = ++g->revision,
                      .rotation = {1, 0, 0, 0},
                      .material = DRAW_CRUMBS,
                      .grain = 0.3f * (float)f->cell};
    memcpy(item.color, color, sizeof item.color);
    return draw_list_mesh(&g->list, item);
}

firn_status collect_field_relief(collector *g, const firn_snowfield *f, float packed, const float color[3]) {
    collect_land *land = &g->land;
    TRY(field_relief_move(f, packed, &land->mesh, &land->relief));
    return g->scene->picture.points ? build_crumbs(g, f, color) : FIRN_OK;
}
