// Solids of linked items: cloth, ropes, soft bodies.
#include <string.h>

#include "draw/collect.h"

firn_status collect_solid(collector *g, size_t member, size_t number, size_t first, const draw_points *points,
                          bool *drawn) {
    *drawn = false;
    collect_skin *skin = collect_next_skin(g);
    if (!skin) return fail_memory("drawing a solid", sizeof *skin);
    isosurface_free(&skin->surface);
    TRY(solid_form_find(g->world, member, number, first, points->count, &skin->form));
    if (skin->form.kind == SOLID_AROUND) {
        g->skins--;
        return FIRN_OK;
    }
    *drawn = true;
    size_t channels = collect_channels(points, false);
    const float *value;
    TRY(collect_fill_channels(skin, points, false, &value));
    TRY(solid_form_build(&skin->form, points->at, value, (uint32_t)channels, FIRN_AUTO, &skin->surface));
    // Cloth and rope are dull, the skins of soft bodies shine a little.
    draw_material material = points->value                   ? DRAW_MARKED
                             : skin->form.kind == SOLID_SKIN ? DRAW_BODY
                                                             : DRAW_PACKED;
    if (points->value) TRY(collect_paint(skin, points, material, channels));
    draw_mesh item = {.mesh = &skin->surface.mesh,
                      .revision = ++g->revision,
                      .rotation = {1, 0, 0, 0},
                      .colors = points->value ? (const float(*)[3])skin->colors : NULL,
                      .material = material};
    memcpy(item.color, points->color, sizeof item.color);
    if (points->way)
        TRY(collect_vertex_way(skin, skin->surface.value, channels, skin->surface.mesh.vertices, &item));
    return skin->surface.mesh.triangles ? draw_list_mesh(&g->list, item) : FIRN_OK;
}
