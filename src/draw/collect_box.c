// The box that confines the particles of a model: bars along its edges, and panes of glass.
#include <math.h>
#include <string.h>

#include "draw/collect.h"

enum { EDGES = 12, CORNERS = 8, TRIANGLES = 12 };
static const float thin = 0.004f; // of the box's middle extent: half the width of a bar
static const float steel[3] = {0.16f, 0.18f, 0.19f};

static void put_bar(mesh *m, size_t bar, const float low[3], const float high[3]) {
    // Corner c is at high in x, y, z where its bits 1, 2, 4 are set.
    static const uint32_t faces[TRIANGLES][3] = {{0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5},
                                                 {0, 1, 5}, {0, 5, 4}, {2, 6, 7}, {2, 7, 3},
                                                 {0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}};
    for (size_t c = 0; c < CORNERS; c++)
        for (size_t k = 0; k < 3; k++) m->position[bar * CORNERS + c][k] = c >> k & 1 ? high[k] : low[k];
    for (size_t t = 0; t < TRIANGLES; t++)
        for (int k = 0; k < 3; k++)
            m->triangle[bar * TRIANGLES + t][k] = (uint32_t)(bar * CORNERS) + faces[t][k];
}

// Bar 4 axis + i goes along `axis`; i says on which sides of the two others it is.
static void put_bars(mesh *m, const draw_box *box) {
    float size[3], least = INFINITY, most = 0, sum = 0;
    for (int k = 0; k < 3; k++) {
        size[k] = box->high[k] - box->low[k];
        least = fminf(least, size[k]), most = fmaxf(most, size[k]), sum += size[k];
    }
    float half = thin * (sum - least - most);
    for (int bar = 0; bar < EDGES; bar++) {
        float low[3], high[3];
        int axis = bar / 4;
        for (int k = 0; k < 3; k++) {
            bool upper = (k == (axis + 1) % 3 ? bar & 1 : bar & 2) != 0;
            float side = upper ? box->high[k] : box->low[k];
            low[k] = (k == axis ? box->low[k] : side) - half;
            high[k] = (k == axis ? box->high[k] : side) + half;
        }
        put_bar(m, (size_t)bar, low, high);
    }
}

firn_status collect_edges(collector *g, const draw_box *box) {
    collect_skin *skin = collect_next_skin(g);
    if (!skin) return fail_memory("drawing a box", sizeof *skin);
    isosurface_free(&skin->surface);
    TRY(mesh_alloc(EDGES * CORNERS, EDGES * TRIANGLES, false, &skin->surface.mesh));
    put_bars(&skin->surface.mesh, box);
    draw_mesh bars = {.mesh = &skin->surface.mesh,
                      .revision = ++g->revision,
                      .rotation = {1, 0, 0, 0},
                      .material = DRAW_BODY};
    memcpy(bars.color, steel, sizeof bars.color);
    return draw_list_mesh(&g->list, bars);
}

firn_status collect_box(collector *g, size_t member) {
    const model_drawing *d = world_model_class(g->world, member)->drawing;
    scene_box how = g->scene->picture.box;
    if (how == SCENE_BOX_NONE && g->scene->picture.domains) how = SCENE_BOX_EDGES;
    if (how == SCENE_BOX_NONE || !d || !d->walls) return FIRN_OK;
    draw_box box;
    d->walls(world_model(g->world, member), firn_world_time(g->world), box.low, box.high);
    const float origin[3] = {(float)g->origin.x, (float)g->origin.y, (float)g->origin.z};
    for (int k = 0; k < 3; k++) {
        if (!isfinite(box.low[k]) || !isfinite(box.high[k])) return FIRN_OK;
        box.low[k] -= origin[k], box.high[k] -= origin[k];
    }
    TRY(collect_edges(g, &box));
    return how == SCENE_BOX_GLASS ? draw_list_glass(&g->list, box) : FIRN_OK;
}

// The snow field from its lowest ground to above its snow; the grids of the wind.
firn_status collect_domains(collector *g) {
    if (!g->scene->picture.domains) return FIRN_OK;
    const double origin[3] = {g->origin.x, g->origin.y, g->origin.z};
    air_field grids[AIR_GRIDS];
    draw_box box;
    for (const air_field *air = air_find(g->world, grids) ? grids : NULL; air; air = air->around) {
        for (int k = 0; k < 3; k++) {
            box.low[k] = (float)(air->low[k] - origin[k]);
            box.high[k] = (float)(air->low[k] + air->step * (air->n[k] - 1) - origin[k]);
        }
        TRY(collect_edges(g, &box));
    }
    if (!g->heights) return FIRN_OK;
    firn_snowfield f;
    g->heights->get(g->heights_model, &f);
    double low = f.even ? f.plain_ground : 0, high = f.even ? f.plain_ground + f.plain_depth : 0;
    for (int corner = 0; corner < 4 && !f.even; corner++) {
        double y = firn_snowfield_surface(&f, f.x0 + (corner & 1) * f.nx * f.cell,
                                          f.z0 + (corner >> 1) * f.nz * f.cell);
        low = corner == 0 || y < low ? y : low;
        high = corner == 0 || y > high ? y : high;
    }
    box = (draw_box){{(float)(f.x0 - origin[0]), (float)(low - origin[1]), (float)(f.z0 - origin[2])},
                     {(float)(f.x0 + f.nx * f.cell - origin[0]), (float)(high - origin[1]),
                      (float)(f.z0 + f.nz * f.cell - origin[2])}};
    return collect_edges(g, &box);
}
