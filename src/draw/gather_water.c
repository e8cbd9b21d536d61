// What liquids need beyond a surface: flat walls, and drops that one sees through.
//
// At a flat wall the liquid ends sharply, its particles do not: without help the surface would be round there
// and stand away from the wall. So particles near a wall are mirrored at it, and what is found behind the
// wall is pushed back onto it.
#include <math.h>
#include <string.h>

#include "draw/gather.h"
#include "geom/tessellate.h"
#include "math/dvec.h"
#include "par/par.h"

enum { BLOCK = 8192, DROP_ROWS = 6, DROP_SEGMENTS = 10 };
#define MIRRORED 2.5 // spacings: what reaches over a wall
#define AIR 3.0      // spacings, the thinnest that is seen
#define DROP 0.42    // spacings

gather_walls gather_walls_at(const firn_pbd_box_def *box, double time) {
    if (!box || box->walls.count == 0)
        return (gather_walls){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    const firn_pbd_walls_def *a = box->walls.items, *last = a + box->walls.count - 1;
    while (a < last && a[1].time <= time) a++;
    const firn_pbd_walls_def *b = a < last ? a + 1 : a;
    double t = b == a ? 0 : fmin(fmax((time - a->time) / (b->time - a->time), 0), 1);
    firn_vec3 low = dvec_mix(a->low, b->low, t), high = dvec_mix(a->high, b->high, t);
    return (gather_walls){{(float)low.x, (float)low.y, (float)low.z},
                          {(float)high.x, (float)high.y, (float)high.z}};
}

static bool add_point(gather_skin *skin, const float at[3], const float *value) {
    if (!array_reserve(&skin->at, &skin->at_capacity, skin->count + 1, sizeof *skin->at) ||
        !array_reserve(&skin->value, &skin->value_capacity, skin->count + 1, sizeof *skin->value))
        return false;
    memcpy(skin->at[skin->count], at, sizeof *skin->at);
    skin->value[skin->count++] = value ? *value : 0;
    return true;
}

// In an edge or a corner what was mirrored at one wall is mirrored again at the next.
static bool mirror_at(gather_skin *skin, int axis, float wall, float reach) {
    size_t count = skin->count;
    for (size_t i = 0; i < count && isfinite(wall); i++) {
        float p[3], value = skin->value[i];
        memcpy(p, skin->at[i], sizeof p);
        if (!(fabsf(p[axis] - wall) < reach)) continue;
        p[axis] = 2 * wall - p[axis];
        if (!add_point(skin, p, &value)) return false;
    }
    return true;
}

firn_status gather_mirror(gather_skin *skin, double spacing, const gather_walls *walls, draw_points *points) {
    skin->count = 0;
    bool good = true;
    for (size_t i = 0; i < points->count && good; i++)
        good = add_point(skin, points->at[i], points->value ? &points->value[i] : NULL);
    for (int k = 0; k < 3 && good; k++)
        good = mirror_at(skin, k, walls->low[k], (float)(MIRRORED * spacing)) &&
               mirror_at(skin, k, walls->high[k], (float)(MIRRORED * spacing));
    if (!good) return fail_memory("drawing a liquid", points->count * sizeof *skin->at);
    points->at = (const float(*)[3])skin->at;
    points->value = points->value ? skin->value : NULL;
    points->count = skin->count;
    return FIRN_OK;
}

typedef struct wall_job {
    mesh *mesh;
    const gather_walls *walls;
} wall_job;

static void press_range(void *context, size_t begin, size_t end) {
    const wall_job *job = context;
    for (size_t i = begin; i < end; i++) {
        float *p = job->mesh->position[i], *n = job->mesh->normal[i];
        for (int k = 0; k < 3; k++) {
            float side = p[k] < job->walls->low[k] ? -1 : p[k] > job->walls->high[k] ? 1 : 0;
            if (side == 0) continue;
            p[k] = side < 0 ? job->walls->low[k] : job->walls->high[k];
            for (int a = 0; a < 3; a++) n[a] = a == k ? side : 0;
        }
    }
}

void gather_press(gather_skin *skin, const gather_walls *walls, size_t count) {
    surface *s = &skin->surface;
    par_for(s->mesh.vertices, BLOCK, press_range, &(wall_job){&s->mesh, walls});
    while (s->loose_count && s->loose[s->loose_count - 1] >= count) s->loose_count--;
}

static firn_status make_drops(gather_skin *skin, const draw_points *points, double radius) {
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

firn_status gather_drops(gather *g, gather_skin *skin, const draw_points *points, double spacing) {
    g->list.light.gap = (float)(AIR * spacing);
    if (skin->surface.loose_count == 0 || !g->scene->picture.points) return FIRN_OK;
    TRY(make_drops(skin, points, DROP * spacing));
    draw_mesh item = {
        .mesh = &skin->drops, .revision = ++g->revision, .rotation = {1, 0, 0, 0}, .material = DRAW_WATER};
    memcpy(item.color, points->color, sizeof item.color);
    return draw_list_mesh(&g->list, item);
}
