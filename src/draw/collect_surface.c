// Particles that fill space are drawn as a surface.
#include <math.h>
#include <string.h>

#include "draw/collect.h"
#include "par/par.h"

enum { BLOCK = 8192, SMOOTH = 2, SMOOTH_LIQUID = 4 };

typedef struct paint_job {
    const float *value;
    float (*color)[3];
    float low, span;
    const float *snow;
} paint_job;

static void paint_range(void *context, size_t begin, size_t end) {
    const paint_job *job = context;
    for (size_t i = begin; i < end; i++)
        draw_color_paint((job->value[i] - job->low) / job->span, job->color[i]);
}

// Wet snow is darker and bluer: there is less air in it that throws light back.
static void wet_range(void *context, size_t begin, size_t end) {
    const paint_job *job = context;
    for (size_t i = begin; i < end; i++) {
        float wet = fminf(fmaxf(job->value[i], 0), 1);
        for (int k = 0; k < 3; k++) job->color[i][k] = job->snow[k] * (1 - wet * (0.42f - 0.12f * (float)k));
    }
}

firn_status collect_paint(collect_skin *skin, const draw_points *points, draw_material material) {
    size_t count = skin->surface.mesh.vertices;
    if (!array_reserve(&skin->colors, &skin->color_capacity, count, sizeof *skin->colors))
        return fail_memory("colouring a surface", count * sizeof *skin->colors);
    float span = points->high - points->low;
    par_for(count, BLOCK, material == DRAW_MARKED ? paint_range : wet_range,
            &(paint_job){skin->surface.value, skin->colors, points->low, span > 0 ? span : 1, points->color});
    return FIRN_OK;
}

static firn_status add_loose(collector *g, collect_skin *skin, const draw_points *points, double spacing,
                             bool marked) {
    const surface *s = &skin->surface;
    if (s->loose_count == 0 || !g->scene->picture.points) return FIRN_OK;
    if (!array_reserve(&skin->loose, &skin->loose_capacity, s->loose_count, sizeof *skin->loose) ||
        !array_reserve(&skin->loose_value, &skin->loose_value_capacity, s->loose_count,
                       sizeof *skin->loose_value))
        return fail_memory("drawing loose snow", s->loose_count * 16);
    for (size_t i = 0; i < s->loose_count; i++) {
        memcpy(skin->loose[i], points->at[s->loose[i]], sizeof *skin->loose);
        if (points->value) skin->loose_value[i] = points->value[s->loose[i]];
    }
    draw_points alone = *points;
    alone.at = (const float(*)[3])skin->loose;
    alone.value = points->value && marked ? skin->loose_value : NULL;
    alone.count = s->loose_count;
    alone.radius = (float)(0.4 * spacing);
    return draw_list_points(&g->list, alone);
}

collect_skin *collect_next_skin(collector *g) {
    if (g->skins == g->skin_count) {
        if (!array_reserve(&g->skin, &g->skin_capacity, g->skin_count + 1, sizeof *g->skin)) return NULL;
        collect_skin *fresh = mem_zero(1, sizeof *fresh);
        if (!fresh) return NULL;
        g->skin[g->skin_count++] = fresh;
    }
    return g->skin[g->skins++];
}

firn_status collect_surface(collector *g, const draw_points *points, double spacing, draw_material material,
                            const isosurface_walls *walls) {
    collect_skin *skin = collect_next_skin(g);
    if (!skin) return fail_memory("drawing a surface", sizeof *skin);
    isosurface_free(&skin->surface);
    mesh_free(&skin->drops);
    const isosurface_input in = {.at = points->at,
                                 .count = points->count,
                                 .spacing = spacing,
                                 .value = points->value,
                                 .channels = points->value ? 1 : 0,
                                 .smooth = walls ? SMOOTH_LIQUID : SMOOTH,
                                 .skip_loose = true,
                                 .walls = walls};
    TRY(isosurface_build(&in, &skin->surface));
    if (points->value) TRY(collect_paint(skin, points, material));
    draw_mesh item = {.mesh = &skin->surface.mesh,
                      .revision = ++g->revision,
                      .rotation = {1, 0, 0, 0},
                      .colors = points->value ? (const float(*)[3])skin->colors : NULL,
                      .material = material};
    // Old snow: a little darker than what lies on the ground.
    for (int k = 0; k < 3; k++) item.color[k] = (material == DRAW_SOFT ? 0.9f : 1) * points->color[k];
    if (skin->surface.mesh.triangles) TRY(draw_list_mesh(&g->list, item));
    return material == DRAW_WATER ? collect_drops(g, skin, points, spacing)
                                  : add_loose(g, skin, points, spacing, material == DRAW_MARKED);
}

void collect_skins_free(collector *g) {
    for (size_t i = 0; i < g->skin_count; i++) {
        collect_skin *skin = g->skin[i];
        isosurface_free(&skin->surface);
        mem_free(skin->colors);
        mem_free(skin->loose);
        mem_free(skin->loose_value);
        mesh_free(&skin->drops);
        solid_form_free(&skin->form);
        mem_free(skin);
    }
    mem_free(g->skin);
    g->skin = NULL;
    g->skins = g->skin_count = g->skin_capacity = 0;
}
