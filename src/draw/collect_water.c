// What liquids need beyond a surface: drops that one sees through.
#include <math.h>
#include <string.h>

#include "draw/collect.h"
#include "geom/tessellate.h"

enum { DROP_ROWS = 6, DROP_SEGMENTS = 10 };
#define AIR 3.0   // spacings, the thinnest that is seen
#define DROP 0.42 // spacings

firn_status collect_balls(const float (*at)[3], const uint32_t *which, size_t count, double radius,
                          mesh *out) {
    lathe_point outline[DROP_ROWS + 1];
    mesh one = {0};
    for (int i = 0; i <= DROP_ROWS; i++) {
        double angle = M_PI * ((double)i / DROP_ROWS - 0.5), c = i % DROP_ROWS ? cos(angle) : 0,
               s = sin(angle);
        outline[i] = (lathe_point){c, s, c, s};
    }
    TRY(tessellate_lathe(outline, DROP_ROWS + 1, DROP_SEGMENTS, &one));
    firn_status status = mesh_alloc(one.vertices * count, one.triangles * count, true, out);
    for (size_t i = 0; i < count && status == FIRN_OK; i++) {
        const float *place = at[which ? which[i] : i];
        for (size_t v = 0; v < one.vertices; v++)
            for (int k = 0; k < 3; k++) {
                out->position[i * one.vertices + v][k] = place[k] + (float)radius * one.position[v][k];
                out->normal[i * one.vertices + v][k] = one.normal[v][k];
            }
        for (size_t t = 0; t < one.triangles; t++)
            for (int k = 0; k < 3; k++)
                out->triangle[i * one.triangles + t][k] = one.triangle[t][k] + (uint32_t)(i * one.vertices);
    }
    mesh_free(&one);
    return status;
}

// All drops have as many vertices.
static firn_status drops_way(collect_skin *skin, const draw_points *points, draw_mesh *item) {
    if (!points->way) return FIRN_OK;
    size_t count = skin->drops.vertices, each = count / skin->surface.loose_count;
    if (!array_reserve(&skin->grain_way, &skin->grain_way_capacity, count, sizeof *skin->grain_way))
        return fail_memory("drawing drops", count * sizeof *skin->grain_way);
    for (size_t i = 0; i < count; i++)
        memcpy(skin->grain_way[i], points->way[skin->surface.loose[i / each]], sizeof *skin->grain_way);
    collect_still(item);
    item->moving = true;
    item->way = (const float(*)[3])skin->grain_way;
    return FIRN_OK;
}

firn_status collect_drops(collector *g, collect_skin *skin, const draw_points *points, double spacing) {
    g->list.light.gap = (float)(AIR * spacing);
    if (skin->surface.loose_count == 0 || !g->scene->picture.points) return FIRN_OK;
    TRY(collect_balls(points->at, skin->surface.loose, skin->surface.loose_count, DROP * spacing,
                      &skin->drops));
    draw_mesh item = {
        .mesh = &skin->drops, .revision = ++g->revision, .rotation = {1, 0, 0, 0}, .material = DRAW_WATER};
    memcpy(item.color, points->color, sizeof item.color);
    TRY(drops_way(skin, points, &item));
    return draw_list_mesh(&g->list, item);
}
