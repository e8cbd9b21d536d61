// Relief of the snow field: snow that was thrown up, pushed aside or torn lies in clods and crumbs, untouched
// and pressed snow is smooth. Everything is seeded by the cell, so that it stays the same from frame to
// frame.
#include <math.h>
#include <string.h>

#include "draw/collect.h"
#include "geom/relief.h"
#include "par/par.h"

enum { ROOM = 20 * COLLECT_CLOD_PARTS * COLLECT_CLOD_PARTS };
enum {
    BLOCK = 8192,
    SPREAD = 2,
    RIM = 3,
    MOST_CRUMBS = 3,
    MOST_TRIANGLES = 200000,
    FINE_TRIANGLES = 2000000
};
static const float CLODS = 3.2f;                  // cells, size of clods
static const float GENTLE = 0.16f, STEEP = 0.55f; // slopes: as wind leaves snow; as a boot does
static const float FADE = 0.26f;                  // of the roughness, over a cell
static const float CRUMB = 0.42f;                 // cells, radius of the largest
static const float SUNK = 0.15f;                  // radii: a crumb that stands up on soft snow looks afloat
static const float WALL = 0.6f;             // height of the normal of what is too steep for large crumbs
static const float SEEN = 0.5f;             // pixels, radius of the smallest crumb that is drawn
static const float NEAR = 2.5f, NEARER = 8; // pixels, radius of those that are round in final quality

typedef struct relief_job {
    const firn_snowfield *field;
    height_mesh *mesh;
    float (*rest)[4];
    float loose, packed; // kg/m3
    float gentle, steep;
} relief_job;

static float unit(uint32_t seed, int k) { return (float)(relief_bits((int)seed, k, 78) >> 8) * 0x1p-24f; }

// Of single vertices: steeper than wind leaves snow, and not pressed.
static void find_range(void *context, size_t begin, size_t end) {
    const relief_job *job = context;
    const mesh *m = &job->mesh->mesh;
    for (size_t i = begin; i < end; i++) {
        const int32_t *at = job->mesh->corner[i];
        float up = fmaxf(m->normal[i][1], 0.05f), slope = sqrtf(fmaxf(1 - up * up, 0)) / up;
        float rough = fminf(fmaxf((slope - job->gentle) / (job->steep - job->gentle), 0), 1);
        memcpy(job->rest[i], m->position[i], sizeof m->position[i]);
        if (at[0] < RIM || at[1] < RIM || at[0] > job->field->nx - RIM || at[1] > job->field->nz - RIM)
            rough = 0; // its end, and what goes on beyond it
        if (rough > 0) {
            float density =
                height_corner_mean(job->field, job->field->density, job->field->plain_density, at[0], at[1]);
            float packed = fminf(fmaxf((density - job->loose) / (job->packed - job->loose), 0), 1);
            rough *= 1 - 0.75f * packed;
        }
        job->rest[i][3] = rough;
    }
}

// The tops of rims and what lies at their feet are rough as well. Coarse triangles carry nothing far.
static void spread(const mesh *m, float (*rest)[4], float cell) {
    for (size_t t = 0; t < m->triangles; t++)
        for (int k = 0; k < 3; k++) {
            float *a = rest[m->triangle[t][k]], *b = rest[m->triangle[t][(k + 1) % 3]];
            if (a[3] == b[3]) continue;
            float most = fmaxf(a[3], b[3]) - FADE / cell * hypotf(a[0] - b[0], a[2] - b[2]);
            a[3] = fmaxf(a[3], most);
            b[3] = fmaxf(b[3], most);
        }
}

static void displace_range(void *context, size_t begin, size_t end) {
    const relief_job *job = context;
    mesh *m = &job->mesh->mesh;
    const relief_mesh moved = {m->position, m->normal, (const float(*)[4])job->rest,
                               CLODS * (float)job->field->cell};
    ISA_PICK(relief_move)(&moved, begin, end);
}

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
static void add_crumbs(collector *g, const relief_job *job, size_t i, size_t most, mesh *to) {
    const mesh *m = &job->mesh->mesh;
    const int32_t *at = job->mesh->corner[i];
    float rough = job->rest[i][3], cell = (float)job->field->cell, p[3], away = 0;
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

static firn_status build_crumbs(collector *g, const relief_job *job, const float color[3]) {
    const mesh *m = &job->mesh->mesh;
    mesh *to = &g->land.crumbs;
    size_t torn = 0;
    for (size_t i = 0; i < m->vertices; i++) torn += job->rest[i][3] > 0.2f;
    mesh_free(to);
    if (torn == 0) return FIRN_OK;
    size_t most = torn * MOST_CRUMBS * (g->fine ? ROOM : 20) + ROOM,
           limit = g->fine ? FINE_TRIANGLES : MOST_TRIANGLES;
    most = most < limit ? most : limit;
    TRY(mesh_alloc(most, most, true, to)); // a crumb has 6 corners and 8 triangles, a lump 12 and 20
    to->vertices = to->triangles = 0;
    for (size_t i = 0; i < m->vertices; i++)
        if (job->rest[i][3] > 0.2f) add_crumbs(g, job, i, most, to);
    if (to->triangles == 0) return FIRN_OK;
    draw_mesh item = {.mesh = to,
                      .revision = ++g->revision,
                      .rotation = {1, 0, 0, 0},
                      .material = DRAW_CRUMBS,
                      .grain = 0.3f * (float)job->field->cell};
    memcpy(item.color, color, sizeof item.color);
    return draw_list_mesh(&g->list, item);
}

firn_status collect_field_relief(collector *g, const firn_snowfield *f, float packed, const float color[3]) {
    collect_land *land = &g->land;
    size_t count = land->mesh.mesh.vertices;
    if (!array_reserve(&land->rest, &land->rest_capacity, count, sizeof *land->rest))
        return fail_memory("drawing the snow field", count * sizeof *land->rest);
    // Hills and dunes are steep without being torn.
    relief_job job = {.field = f,
                      .mesh = &land->mesh,
                      .rest = land->rest,
                      .loose = (float)f->plain_density,
                      .packed = packed,
                      .gentle = f->even ? GENTLE : 4 * GENTLE,
                      .steep = f->even ? STEEP : 3 * STEEP};
    par_for(count, BLOCK, find_range, &job);
    for (int round = 0; round < SPREAD; round++) spread(&land->mesh.mesh, land->rest, (float)f->cell);
    par_for(count, BLOCK, displace_range, &job);
    return g->scene->picture.points ? build_crumbs(g, &job, color) : FIRN_OK;
}
