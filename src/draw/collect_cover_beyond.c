// Snow on the plane around the domain of the wind: as deep as at its border, evenly farther away.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draw/collect.h"
#include "math/dvec.h"

enum { RINGS = 15, FIRST = 4, WIDE = 6 }; // of vertices; a cell apart from each other; columns
#define FADES 6.0                         // cells in which the depth becomes that of all

typedef struct beyond {
    const cover_grid *grid;
    firn_vec3 at, normal; // of the plane
    double usual;         // m of snow
    size_t around;        // columns along the border
} beyond;

static bool find_plane(const collector *g, beyond *out, size_t *body) {
    const body_set *bodies = world_bodies(g->world);
    for (*body = 0; *body < body_count(bodies); (*body)++) {
        firn_vec3 low, high;
        firn_body_state state = body_state(bodies, *body);
        if (body_bounds(bodies, *body, 0, &low, &high) || !dvec_finite(state.position)) continue;
        out->at = state.position;
        out->normal = dquat_rotate(state.rotation, dvec(0, 1, 0));
        if (out->normal.y > 0.5) return true;
    }
    return false;
}

// Columns along the border, against the sun: which, and the ways out of the domain.
static void border(const cover_grid *g, size_t n, int32_t at[2], int out[2]) {
    const size_t x = (size_t)g->n[0] - 1, z = (size_t)g->n[2] - 1;
    at[0] = n < x ? (int32_t)n : n < x + z ? (int32_t)x : n < 2 * x + z ? (int32_t)(2 * x + z - n) : 0;
    at[1] = n < x           ? 0
            : n < x + z     ? (int32_t)(n - x)
            : n < 2 * x + z ? (int32_t)z
                            : (int32_t)(2 * x + 2 * z - n);
    out[0] = at[0] == 0 ? -1 : at[0] == (int32_t)x;
    out[1] = at[1] == 0 ? -1 : at[1] == (int32_t)z;
}

// m of snow that stands on the bottom of a column; NAN: a body does.
static double depth_at(const cover_grid *g, const int32_t at[2]) {
    double sum = 0;
    const float *fill = g->fill + (size_t)at[1] * (size_t)g->n[1] * (size_t)g->n[0] + (size_t)at[0];
    if (*fill < 0) return (double)NAN;
    for (int32_t j = 0; j < g->n[1] && *fill > 0; j++, fill += g->n[0]) sum += (double)*fill;
    return sum * g->cell;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The median of the border: where most of it is bare, so is what lies around.
static firn_status find_usual(beyond *b) {
    double *depth = mem_alloc(b->around * sizeof *depth);
    size_t count = 0;
    if (!depth) return fail_memory("drawing snow around the cover", b->around * sizeof *depth);
    for (size_t n = 0; n < b->around; n++) {
        int32_t at[2];
        int out[2];
        border(b->grid, n, at, out);
        double own = depth_at(b->grid, at);
        if (!isnan(own)) depth[count++] = own;
    }
    qsort(depth, count, sizeof *depth, by_size);
    b->usual = count ? depth[count / 2] : 0;
    mem_free(depth);
    return FIRN_OK;
}

// How far outside a ring is (m): the first one is inside, below the snow, so that no gap is seen, the last
// one as far away as the picture reaches.
static double ring_distance(const cover_grid *g, int ring, double reach) {
    if (--ring <= FIRST) return ring * g->cell;
    double most = fmax(reach, 8 * FIRST * g->cell);
    return FIRST * g->cell * pow(most / (FIRST * g->cell), (double)(ring - FIRST) / (RINGS - 2 - FIRST));
}

// Of the columns along the border: single ones would be spikes and streaks.
static double depth_along(const beyond *b, size_t n) {
    double sum = 0, count = 0;
    for (int d = -WIDE; d <= WIDE; d++) {
        int32_t at[2];
        int way[2];
        border(b->grid, (n + b->around + (size_t)d) % b->around, at, way);
        double own = depth_at(b->grid, at);
        if (isnan(own)) continue;
        sum += own;
        count++;
    }
    return count > 0 ? sum / count : b->usual;
}

static double place(const beyond *b, size_t n, double away, float out[3]) {
    const cover_grid *g = b->grid;
    int32_t at[2];
    int way[2];
    border(g, n, at, way);
    double own = depth_along(b, n), share = exp(-fmax(away, 0) / (FADES * g->cell));
    double depth = b->usual + share * (own - b->usual);
    double x = g->low[0] + (at[0] + 0.5) * g->cell + way[0] * away,
           z = g->low[2] + (at[1] + 0.5) * g->cell + way[1] * away;
    double ground = b->at.y - (b->normal.x * (x - b->at.x) + b->normal.z * (z - b->at.z)) / b->normal.y;
    out[0] = (float)x;
    out[1] = (float)(ground + depth + 0.3 * fmin(away, 0));
    out[2] = (float)z;
    return depth;
}

static void add_triangles(const beyond *b, mesh *m) {
    size_t count = 0;
    for (uint32_t ring = 0; ring + 1 < RINGS; ring++)
        for (size_t n = 0; n < b->around; n++) {
            uint32_t first = ring * (uint32_t)b->around, a = first + (uint32_t)n,
                     next = first + (uint32_t)((n + 1) % b->around), out = a + (uint32_t)b->around,
                     far = next + (uint32_t)b->around;
            memcpy(m->triangle[count++], (uint32_t[3]){a, next, out}, 3 * sizeof(uint32_t));
            memcpy(m->triangle[count++], (uint32_t[3]){next, far, out}, 3 * sizeof(uint32_t));
        }
}

firn_status collect_cover_beyond(collector *g, const cover_grid *grid) {
    collect_cover *c = &g->cover;
    beyond b = {.grid = grid, .around = 2 * (size_t)(grid->n[0] + grid->n[2] - 2)};
    size_t plane, vertices = RINGS * b.around;
    if (grid->n[0] < 2 || grid->n[2] < 2 || !find_plane(g, &b, &plane)) return FIRN_OK;
    TRY(find_usual(&b));
    mesh_free(&c->beyond);
    TRY(mesh_alloc(vertices, 2 * (RINGS - 1) * b.around, true, &c->beyond));
    if (!array_reserve(&c->beyond_colors, &c->beyond_capacity, vertices, sizeof *c->beyond_colors))
        return fail_memory("drawing snow around the cover", vertices * sizeof *c->beyond_colors);
    const float white[3] = COVER_WHITE, normal[3] = {(float)b.normal.x, (float)b.normal.y, (float)b.normal.z};
    for (size_t i = 0; i < vertices; i++) {
        double away = ring_distance(grid, (int)(i / b.around), 60 * (double)g->list.radius);
        double depth = place(&b, i % b.around, away, c->beyond.position[i]);
        float hidden = (float)-expm1(-depth / (double)COVER_HIDES);
        memcpy(c->beyond.normal[i], normal, sizeof normal);
        for (int k = 0; k < 3; k++) {
            float ground = c->bodies[plane][k];
            c->beyond_colors[i][k] = ground + hidden * (white[k] - ground);
        }
    }
    add_triangles(&b, &c->beyond);
    draw_mesh item = {.mesh = &c->beyond,
                      .revision = ++g->revision,
                      .rotation = {1, 0, 0, 0},
                      .colors = (const float(*)[3])c->beyond_colors,
                      .material = DRAW_COVER};
    return collect_world_mesh(g, item);
}
