// Particles that fill space are drawn as a surface.
#include <math.h>
#include <string.h>

#include "draw/collect.h"
#include "geom/relief.h"
#include "par/par.h"

enum { BLOCK = 8192, SMOOTH = 2, SMOOTH_LIQUID = 4 };
#define CLODS 2.4      // spacings, of the largest bumps
#define TORN_CELL 0.85 // spacings: torn snow has lumps as small as its particles

typedef struct paint_job {
    const float *value;
    size_t stride; // from vertex to vertex
    float (*color)[3];
    float low, span;
    draw_colors map;
    const float *snow;
} paint_job;

static void paint_range(void *context, size_t begin, size_t end) {
    const paint_job *job = context;
    for (size_t i = begin; i < end; i++)
        draw_color_paint(job->map, (job->value[i * job->stride] - job->low) / job->span, job->color[i]);
}

static float wetness(float value) { return fminf(fmaxf(value, 0), 1); }

// Wet snow is darker and bluer: there is less air in it that throws light back. With hardly any air left it
// is slush, and grey.
static void wet_range(void *context, size_t begin, size_t end) {
    static const float dry_loss[3] = {0.42f, 0.30f, 0.18f}, slush_loss[3] = {0.14f, 0.17f, 0.22f};
    const paint_job *job = context;
    for (size_t i = begin; i < end; i++) {
        float wet = wetness(job->value[i * job->stride]), slush = fmaxf(2.5f * wet - 1.5f, 0);
        for (int k = 0; k < 3; k++)
            job->color[i][k] = job->snow[k] * (1 - wet * dry_loss[k] - slush * slush_loss[k]);
    }
}

firn_status collect_paint(collect_skin *skin, const draw_points *points, draw_material material,
                          size_t stride) {
    size_t count = skin->surface.mesh.vertices;
    if (!array_reserve(&skin->colors, &skin->color_capacity, count, sizeof *skin->colors))
        return fail_memory("colouring a surface", count * sizeof *skin->colors);
    float span = points->high - points->low;
    par_for(count, BLOCK, material == DRAW_MARKED ? paint_range : wet_range,
            &(paint_job){skin->surface.value + (stride > 1 ? stride - 1 : 0), stride, skin->colors,
                         points->low, span > 0 ? span : 1, points->map, points->color});
    return FIRN_OK;
}

static firn_status add_loose(collector *g, collect_skin *skin, const draw_points *points, double spacing,
                             bool marked) {
    const surface *s = &skin->surface;
    if (s->loose_count == 0 || !g->scene->picture.points) return FIRN_OK;
    if (!array_reserve(&skin->loose, &skin->loose_capacity, s->loose_count, sizeof *skin->loose) ||
        !array_reserve(&skin->loose_value, &skin->loose_value_capacity, s->loose_count,
                       sizeof *skin->loose_value) ||
        !array_reserve(&skin->loose_way, &skin->loose_way_capacity, s->loose_count, sizeof *skin->loose_way))
        return fail_memory("drawing loose snow", s->loose_count * 16);
    for (size_t i = 0; i < s->loose_count; i++) {
        memcpy(skin->loose[i], points->at[s->loose[i]], sizeof *skin->loose);
        if (points->value) skin->loose_value[i] = points->value[s->loose[i]];
        if (points->way) memcpy(skin->loose_way[i], points->way[s->loose[i]], sizeof *skin->loose_way);
    }
    draw_points alone = *points;
    alone.at = (const float(*)[3])skin->loose;
    alone.value = points->value && marked ? skin->loose_value : NULL;
    alone.way = points->way ? (const float(*)[3])skin->loose_way : NULL;
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

size_t collect_channels(const draw_points *points, bool bound) {
    return (bound ? 4u : 0u) + (points->way ? 3u : 0u) + (points->value ? 1u : 0u);
}

firn_status collect_fill_channels(collect_skin *skin, const draw_points *points, bool bound,
                                  const float **value) {
    size_t count = points->count, channels = collect_channels(points, bound);
    *value = points->value;
    if (!bound && !points->way) return FIRN_OK;
    if (!array_reserve(&skin->channels, &skin->channel_capacity, count * channels, sizeof *skin->channels))
        return fail_memory("drawing a surface", count * channels * sizeof *skin->channels);
    for (size_t i = 0; i < count; i++) {
        float *to = skin->channels + i * channels;
        if (bound) memcpy(to, points->rest[i], sizeof *points->rest), to += 4;
        if (points->way) memcpy(to, points->way[i], sizeof *points->way), to += 3;
        if (points->value) *to = points->value[i];
    }
    *value = skin->channels;
    return FIRN_OK;
}

typedef struct relief_job {
    collect_skin *skin;
    size_t channels;
    float size; // m, of clods
    bool wet;   // the last channel tells how wet it is
} relief_job;

// Clods that the mesh can show are in the mesh: along the normals, bound to where the snow was at rest. Water
// fills the hollows of wet snow.
static void relief_range(void *context, size_t begin, size_t end) {
    const relief_job *job = context;
    mesh *m = &job->skin->surface.mesh;
    for (size_t i = begin; i < end; i++) {
        float *rest = job->skin->rest[i];
        memcpy(rest, job->skin->surface.value + i * job->channels, 4 * sizeof *rest);
        if (job->wet) rest[3] *= 1 - 0.7f * wetness(job->skin->surface.value[(i + 1) * job->channels - 1]);
    }
    const relief_mesh moved = {m->position, m->normal, (const float(*)[4])job->skin->rest, job->size};
    ISA_PICK(relief_move)(&moved, begin, end);
}

static firn_status add_relief(collect_skin *skin, size_t channels, double spacing, bool wet) {
    size_t count = skin->surface.mesh.vertices;
    if (!array_reserve(&skin->rest, &skin->rest_capacity, count, sizeof *skin->rest))
        return fail_memory("drawing a surface", count * sizeof *skin->rest);
    par_for(count, BLOCK, relief_range, &(relief_job){skin, channels, (float)(CLODS * spacing), wet});
    return FIRN_OK;
}

static firn_status build(collector *g, const draw_points *points, double spacing, draw_material material,
                         const isosurface_walls *walls, bool torn) {
    collect_skin *skin = collect_next_skin(g);
    if (!skin) return fail_memory("drawing a surface", sizeof *skin);
    isosurface_free(&skin->surface);
    mesh_free(&skin->drops);
    bool snow = material == DRAW_SOFT && points->rest;
    size_t channels = collect_channels(points, snow);
    const float *value;
    TRY(collect_fill_channels(skin, points, snow, &value));
    const isosurface_input in = {.at = points->at,
                                 .count = points->count,
                                 .spacing = spacing,
                                 .cell = torn ? TORN_CELL * spacing : 0,
                                 .value = value,
                                 .channels = (uint32_t)channels,
                                 .smooth = walls ? SMOOTH_LIQUID : SMOOTH,
                                 .skip_loose = true,
                                 .walls = walls};
    TRY(isosurface_build(&in, &skin->surface));
    if (snow && g->fine) TRY(collect_refine(skin, points, value, channels, spacing));
    if (snow) TRY(add_relief(skin, channels, spacing, points->value));
    if (snow && torn) TRY(collect_shatter(skin, points, channels, spacing));
    if (points->value) TRY(collect_paint(skin, points, material, channels));
    draw_mesh item = {.mesh = &skin->surface.mesh,
                      .revision = ++g->revision,
                      .rotation = {1, 0, 0, 0},
                      .colors = points->value ? (const float(*)[3])skin->colors : NULL,
                      .material = material,
                      .rest = snow ? (const float(*)[4])skin->rest : NULL,
                      .grain = (float)spacing};
    // Old snow: a little darker than what lies on the ground.
    for (int k = 0; k < 3; k++) item.color[k] = (material == DRAW_SOFT ? 0.9f : 1) * points->color[k];
    if (points->way)
        TRY(collect_vertex_way(skin, skin->surface.value + (snow ? 4 : 0), channels,
                               skin->surface.mesh.vertices, &item));
    if (skin->surface.mesh.triangles) TRY(draw_list_mesh(&g->list, item));
    if (snow && g->scene->picture.points) {
        TRY(collect_grains(skin, points, spacing));
        item = (draw_mesh){.mesh = &skin->grains,
                           .revision = ++g->revision,
                           .rotation = {1, 0, 0, 0},
                           .material = DRAW_CRUMBS,
                           .grain = (float)spacing,
                           .moving = points->way,
                           .before_rotation = {1, 0, 0, 0},
                           .way = points->way ? (const float(*)[3])skin->grain_way : NULL};
        memcpy(item.color, points->color, sizeof item.color);
        return skin->grains.triangles ? draw_list_mesh(&g->list, item) : FIRN_OK;
    }
    return material == DRAW_WATER ? collect_drops(g, skin, points, spacing)
                                  : add_loose(g, skin, points, spacing, material == DRAW_MARKED);
}

// Points that are torn, or those that are not.
static firn_status take_part(const draw_points *all, bool torn, collect_part *part, draw_points *out) {
    size_t n = 0, count = all->count;
    if (!array_reserve(&part->at, &part->capacity[0], count, sizeof *part->at) ||
        !array_reserve(&part->rest, &part->capacity[1], count, sizeof *part->rest) ||
        !array_reserve(&part->way, &part->capacity[2], count, sizeof *part->way) ||
        !array_reserve(&part->value, &part->capacity[3], count, sizeof *part->value))
        return fail_memory("drawing torn snow", count * 44);
    for (size_t i = 0; i < count; i++) {
        if ((all->rest[i][3] > COLLECT_TORN) != torn) continue;
        memcpy(part->at[n], all->at[i], sizeof *part->at);
        memcpy(part->rest[n], all->rest[i], sizeof *part->rest);
        if (all->way) memcpy(part->way[n], all->way[i], sizeof *part->way);
        part->value[n++] = all->value ? all->value[i] : 0;
    }
    *out = *all;
    out->at = (const float(*)[3])part->at;
    out->rest = (const float(*)[4])part->rest;
    out->way = all->way ? (const float(*)[3])part->way : NULL;
    out->value = all->value ? part->value : NULL;
    out->count = n;
    return FIRN_OK;
}

firn_status collect_surface(collector *g, const draw_points *points, double spacing, draw_material material,
                            const isosurface_walls *walls) {
    size_t torn = 0;
    if (material != DRAW_SOFT || !points->rest) return build(g, points, spacing, material, walls, false);
    for (size_t i = 0; i < points->count; i++) torn += points->rest[i][3] > COLLECT_TORN;
    if (torn == 0) return build(g, points, spacing, material, walls, false);
    firn_status s = FIRN_OK;
    for (int n = 0; n < 2 && s == FIRN_OK; n++) {
        draw_points part;
        s = take_part(points, n == 1, &g->part, &part);
        if (s == FIRN_OK && part.count) s = build(g, &part, spacing, material, walls, n == 1);
    }
    return s;
}

void collect_skins_free(collector *g) {
    mem_free(g->part.at);
    mem_free(g->part.rest);
    mem_free(g->part.way);
    mem_free(g->part.value);
    g->part = (collect_part){0};

    for (size_t i = 0; i < g->skin_count; i++) {
        collect_skin *skin = g->skin[i];
        isosurface_free(&skin->surface);
        mem_free(skin->colors);
        mem_free(skin->rest);
        mem_free(skin->channels);
        mem_free(skin->way);
        mem_free(skin->loose_way);
        mem_free(skin->grain_way);
        mesh_free(&skin->grains);
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
