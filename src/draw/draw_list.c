// Lists of what is to be drawn, and the boxes and spheres around it.
#include "draw/draw_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

draw_list draw_list_default(void) {
    draw_list list = {.light = {{-0.6f, 0.4f, 0.45f}, 1, 1, {0.42f, 0.6f, 0.85f}, 0, 3, 0, 0}, .radius = 5};
    draw_list_camera(&list, (draw_camera){{6, 3, 8}, {0, 1, 0}, 35.0f / 36});
    return list;
}

void draw_list_clear(draw_list *list) {
    list->shade_radius = 0;
    list->powder = (draw_puffs){0};
    list->mesh_count = list->plane_count = list->point_count = list->sprite_count = 0;
    list->glass_count = list->lamp_count = 0;
}

void draw_list_free(draw_list *list) {
    mem_free(list->meshes);
    mem_free(list->planes);
    mem_free(list->points);
    mem_free(list->sprites);
    mem_free(list->glass);
    mem_free(list->lamps);
    *list = (draw_list){0};
}

firn_status draw_list_mesh(draw_list *list, draw_mesh item) {
    if (!array_reserve(&list->meshes, &list->mesh_capacity, list->mesh_count + 1, sizeof item))
        return fail_memory("listing what to draw", (list->mesh_count + 1) * sizeof item);
    list->meshes[list->mesh_count++] = item;
    return FIRN_OK;
}

firn_status draw_list_plane(draw_list *list, draw_plane item) {
    if (!array_reserve(&list->planes, &list->plane_capacity, list->plane_count + 1, sizeof item))
        return fail_memory("listing what to draw", (list->plane_count + 1) * sizeof item);
    list->planes[list->plane_count++] = item;
    return FIRN_OK;
}

firn_status draw_list_points(draw_list *list, draw_points item) {
    if (!array_reserve(&list->points, &list->point_capacity, list->point_count + 1, sizeof item))
        return fail_memory("listing what to draw", (list->point_count + 1) * sizeof item);
    list->points[list->point_count++] = item;
    return FIRN_OK;
}

firn_status draw_list_sprites(draw_list *list, draw_sprites item) {
    if (!array_reserve(&list->sprites, &list->sprite_capacity, list->sprite_count + 1, sizeof item))
        return fail_memory("listing what to draw", (list->sprite_count + 1) * sizeof item);
    list->sprites[list->sprite_count++] = item;
    return FIRN_OK;
}

firn_status draw_list_glass(draw_list *list, draw_box item) {
    if (!array_reserve(&list->glass, &list->glass_capacity, list->glass_count + 1, sizeof item))
        return fail_memory("listing what to draw", (list->glass_count + 1) * sizeof item);
    list->glass[list->glass_count++] = item;
    return FIRN_OK;
}

firn_status draw_list_lamp(draw_list *list, draw_lamp item) {
    if (!array_reserve(&list->lamps, &list->lamp_capacity, list->lamp_count + 1, sizeof item))
        return fail_memory("listing what to draw", (list->lamp_count + 1) * sizeof item);
    list->lamps[list->lamp_count++] = item;
    return FIRN_OK;
}

void draw_list_camera(draw_list *list, draw_camera camera) { list->camera = list->before = camera; }

draw_box draw_box_empty(void) {
    return (draw_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

bool draw_box_is_empty(const draw_box *box) { return !(box->low[0] <= box->high[0]); }

void draw_box_add(draw_box *box, const float point[3], float margin) {
    for (int k = 0; k < 3; k++) {
        box->low[k] = fminf(box->low[k], point[k] - margin);
        box->high[k] = fmaxf(box->high[k], point[k] + margin);
    }
}

void draw_box_join(draw_box *box, const draw_box *other) {
    if (draw_box_is_empty(other)) return;
    draw_box_add(box, other->low, 0);
    draw_box_add(box, other->high, 0);
}

static void rotate(const float q[4], const float v[3], float out[3]) {
    float w = q[0], x = q[1], y = q[2], z = q[3];
    float t[3] = {2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])};
    out[0] = v[0] + w * t[0] + y * t[2] - z * t[1];
    out[1] = v[1] + w * t[1] + z * t[0] - x * t[2];
    out[2] = v[2] + w * t[2] + x * t[1] - y * t[0];
}

draw_box draw_mesh_bounds(const draw_mesh *item) {
    float low[3], high[3];
    draw_box box = draw_box_empty();
    if (item->mesh->vertices == 0) return box;
    mesh_bounds(item->mesh, low, high);
    for (int corner = 0; corner < 8; corner++) {
        float p[3] = {corner & 1 ? high[0] : low[0], corner & 2 ? high[1] : low[1],
                      corner & 4 ? high[2] : low[2]},
              turned[3];
        rotate(item->rotation, p, turned);
        for (int k = 0; k < 3; k++) p[k] = turned[k] + item->at[k];
        if (isfinite(p[0] + p[1] + p[2])) draw_box_add(&box, p, 0);
    }
    return box;
}

static int compare_floats(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

firn_status draw_points_bounds(const draw_points *item, draw_box *box) {
    enum { SAMPLE = 4000 };
    *box = draw_box_empty();
    size_t stride = item->count / SAMPLE + 1, room = item->count / stride + 1;
    float *sorted = mem_alloc(room * sizeof *sorted);
    if (!sorted) return fail_memory("measuring points", room * sizeof *sorted);
    for (int k = 0; k < 3; k++) {
        size_t n = 0;
        for (size_t i = 0; i < item->count; i += stride)
            if (isfinite(item->at[i][k])) sorted[n++] = item->at[i][k];
        if (n == 0) continue;
        qsort(sorted, n, sizeof *sorted, compare_floats);
        box->low[k] = sorted[n / 200] - item->radius;
        box->high[k] = sorted[n - 1 - n / 200] + item->radius;
    }
    mem_free(sorted);
    return FIRN_OK;
}

void draw_list_enclose(draw_list *list, const draw_box *box) {
    if (draw_box_is_empty(box)) return;
    float squared = 0;
    for (int k = 0; k < 3; k++) squared += (box->high[k] - box->low[k]) * (box->high[k] - box->low[k]);
    float radius = fminf(fmaxf(sqrtf(squared) / 2, 1e-3f), 1e6f);
    list->radius = exp2f(ceilf(log2f(radius) * 4) / 4);
    for (int k = 0; k < 3; k++) {
        float step = list->radius / 8;
        list->centre[k] = roundf((box->low[k] + box->high[k]) / 2 / step) * step;
    }
    list->radius *= 1.12f; // the centre may have moved by half a step along each axis
}
