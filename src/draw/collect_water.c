// What liquids need beyond a surface: drops that one sees through.
#include <math.h>
#include <string.h>

#include "draw/collect.h"
#include "geom/tessellate.h"

enum { DROP_ROWS = 6, DROP_SEGMENTS = 10 };
#define AIR 3.0   // spacings, the thinnest that is seen
#define DROP 0.42 // spacings

static firn_status make_drops(collect_skin *skin, const draw_points *points, double radius) {
    lathe_point outline[DROP_ROWS + 1];
    mesh one = {0};
    for (int i = 0; i <= DROP_ROWS; i++) {
        double angle = M_PI * ((double)i / DROP_ROWS - 0.5), c = i % DROP_ROWS ? cos(angle) : 0,
               s = sin(angle);
        outline[i] = (lathe_point){c, s, c, s};
    }
    TRY(tessellate_lathe(outline, DROP_ROWS + 1, DROP_SEGMENTS, &one));
    const surface *s = &skin->surface;
    firn_status status =
        mesh_alloc(one.vertices * s->loose_count, one.triangles * s->loose_count, true, &skin->drops);
    for (size_t i = 0; i < s->loose_count && status == FIRN_OK; i++) {
        const float *at = points->at[s->loose[i]];
        for (size_t v = 0; v < one.vertices; v++)
            for (int k = 0; k < 3; k++) {
                skin->drops.position[i * one.vertices + v][k] = at[k] + (float)radius * one.position[v][k];
                skin->drops.normal[i * one.vertices + v][k] = one.normal[v][k];
            }
        for (size_t t = 0; t < one.triangles; t++)
            for (int k = 0; k < 3; k++)
                skin->drops.triangle[i * one.triangles + t][k] =
                    one.triangle[t][k] + (uint32_t)(i * one.vertices);
    }
    mesh_free(&one);
    return status;
}

firn_status collect_drops(collector *g, collect_skin *skin, const draw_points *points, double spacing) {
    g->list.light.gap = (float)(AIR * spacing);
    if (skin->surface.loose_count == 0 || !g->scene->picture.points) return FIRN_OK;
    TRY(make_drops(skin, points, DROP * spacing));
    draw_mesh item = {
        .mesh = &skin->drops, .revision = ++g->revision, .rotation = {1, 0, 0, 0}, .material = DRAW_WATER};
    memcpy(item.color, points->color, sizeof item.color);
    return draw_list_mesh(&g->list, item);
}
