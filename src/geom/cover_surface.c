// Marching cubes gives the topology of the surface; the positions of its vertices follow from the heights of
// the columns, which are more precise than values at the corners of cubes.
#include "geom/cover_surface.h"

#include <math.h>
#include <string.h>

#include "geom/cover_columns.h"
#include "geom/marching.h"
#include "geom/mesh_fair.h"
#include "par/par.h"

enum { DEEPEST = 8 }; // cells: a longer fall beside snow is a cliff
#define RIM 2.5f      // cells beyond the border in which snow thins out
#define UPPER 0.2f    // of the height of a normal

// Height of the snow, or of the bare floor, in a column at or below a sample; false: a cliff, or a body.
static bool height_below(const cover_columns *c, size_t s, uint32_t y, float *height) {
    for (uint32_t down = 0; down < DEEPEST && down <= y; down++, s -= c->size[0]) {
        if (cover_inside(c, s)) return *height = c->top[s], true;
        if (c->kind[s] == COVER_FLOOR) return *height = c->bottom[s], true;
        if (c->kind[s] == COVER_BODY) return false;
    }
    return false;
}

static size_t step_along(const cover_columns *c, int axis) {
    return axis == 0 ? 1 : axis == 1 ? c->size[0] : (size_t)c->size[0] * c->size[1];
}

// The gradient of the height at the column of a sample of snow, from both neighbours along each axis.
static void upward(const cover_columns *c, size_t s, uint32_t y, float n[3]) {
    uint32_t up = y + 2 < c->size[1] ? 2 : c->size[1] - 1 - y;
    float here = c->top[s];
    n[1] = 1;
    for (int axis = 0; axis < 3; axis += 2) {
        size_t step = step_along(c, axis), above = s + up * c->size[0];
        float before = here, after = here;
        height_below(c, above - step, y + up, &before);
        height_below(c, above + step, y + up, &after);
        n[axis] = fminf(fmaxf(0.5f * (before - after), -3), 3);
    }
}

static void scale_to_one(float n[3]) {
    float length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    for (int k = 0; k < 3; k++) n[k] = length > 0 ? n[k] / length : 0;
}

// Towards the snow beside a ghost: -1, 0, 1 along x and z. Returns how far the wall is. Snow over a corner is
// met on half of the way to the corner: what a slanted wall's stairs of cells lose there they gain elsewhere.
static float ghost_way(const cover_columns *c, size_t s, int way[2]) {
    float far = 0.75f;
    way[0] = way[1] = 0;
    for (int n = 0; n < 8; n++) {
        const int *to = cover_near[n];
        size_t other = (size_t)((ptrdiff_t)s + to[0] + to[1] * (ptrdiff_t)step_along(c, 2));
        if (!cover_is_snow(c, other)) continue;
        way[0] += to[0];
        way[1] += to[1];
        if (n < 4) far = 0.5f;
    }
    for (int k = 0; k < 2; k++) way[k] = (way[k] > 0) - (way[k] < 0);
    return far;
}

// Beside the corner of a wall, ghosts stand close to the corner: between them the surface goes through the
// body.
static float to_corner(const cover_columns *c, size_t s, int axis) {
    float shift = 0;
    for (int side = -1; side <= 1; side += 2) {
        int way[2];
        size_t other = (size_t)((ptrdiff_t)s + side * (ptrdiff_t)step_along(c, axis ? 2 : 0));
        if (c->made[other] == COVER_GHOST && ghost_way(c, other, way) < 0.6f && way[0] && way[1])
            shift += 0.95f * (float)side;
    }
    return shift;
}

static bool at_border(const cover_columns *c, const uint32_t at[3]) {
    return at[0] < COVER_MARGIN || at[2] < COVER_MARGIN || at[0] + COVER_MARGIN >= c->size[0] ||
           at[2] + COVER_MARGIN >= c->size[2];
}

// Where the column of a sample is drawn: its middle; of ghosts, the wall that the snow beside them touches.
// With overlap the snow goes into walls, and thins out beyond the border instead of being cut off.
static void column_place(const cover_columns *c, size_t s, const uint32_t at[3], float out[3]) {
    int way[2];
    bool border = at_border(c, at), overlap = c->in->overlap > 0;
    out[0] = (float)at[0] - COVER_MARGIN + 0.5f;
    out[2] = (float)at[2] - COVER_MARGIN + 0.5f;
    if (c->made[s] != COVER_GHOST || (overlap && !border)) return;
    float far = ghost_way(c, s, way);
    if (border) far = overlap ? -RIM : 0.5f;
    for (int k = 0; k < 2; k++) {
        out[2 * k] += far * (float)way[k];
        if (!border && !way[k] && way[1 - k]) out[2 * k] += to_corner(c, s, k);
    }
}

// Top and bottom of the column of a sample; of a ghost, whose neighbours may be higher and lower, their
// means.
static void column_heights(const cover_columns *c, size_t s, float *top, float *bottom) {
    *top = c->top[s];
    *bottom = c->bottom[s];
    if (c->made[s] != COVER_GHOST) return;
    float count = 1;
    for (int way = -1; way <= 1; way += 2)
        for (size_t o = s + (size_t)(way * (ptrdiff_t)c->size[0]); c->made[o] == COVER_GHOST;
             o += (size_t)(way * (ptrdiff_t)c->size[0])) {
            *top += c->top[o];
            *bottom += c->bottom[o];
            count++;
        }
    *top /= count;
    *bottom /= count;
}

// On an edge up or down: the top or the bottom of the column.
static void place_upright(const cover_columns *c, size_t in, const uint32_t at[3], bool top, float p[3],
                          float n[3]) {
    float high, low;
    column_place(c, in, at, p);
    column_heights(c, in, &high, &low);
    if (at_border(c, at) && c->in->overlap > 0) high = low;
    p[1] = top ? high : low - c->in->overlap;
    if (top) upward(c, in, at[1], n);
}

static float floor_above(const cover_columns *c, size_t s, uint32_t y, float otherwise) {
    for (uint32_t up = 0; up <= COVER_REACH + 1 && y + up < c->size[1]; up++, s += c->size[0])
        if (cover_is_snow(c, s)) return c->bottom[s];
    return otherwise;
}

// Between snow and a column that has none at this height: on the line from this snow's top to what lies
// there.
static float place_slope(const cover_columns *c, size_t in, size_t out, uint32_t y, float p[3], float n[3]) {
    float top = c->top[in], other = c->bottom[in];
    bool cliff = !height_below(c, out, y, &other);
    float level = (float)((int32_t)y + c->first), t = 0.999f;
    if (top > other && !(cliff && level < c->bottom[in] + 0.75f)) t = (top - level) / (top - other);
    if (c->made[in] == COVER_EDGE) t = 0;
    t = fminf(fmaxf(t, 0.02f), 0.999f);
    p[1] = top + t * (other - top);
    upward(c, in, y, n);
    return t;
}

static void place_aside(const cover_columns *c, size_t in, size_t out, const uint32_t inner[3],
                        const uint32_t outer[3], float p[3], float n[3]) {
    float a[3], b[3], t = 0.5f, level = (float)((int32_t)inner[1] + c->first);
    column_place(c, in, inner, a);
    column_place(c, out, outer, b);
    if (c->made[in] == COVER_GHOST) {
        // Along the wall the snow ends in an edge, as elsewhere; into it, at once.
        int way[2], axis = inner[0] == outer[0];
        ghost_way(c, in, way);
        float quarter = 0.25f * (c->top[in] - c->bottom[in]);
        t = way[axis] ? 0 : 0.999f;
        p[1] = way[axis] ? fminf(fmaxf(level, c->bottom[in] + quarter), c->top[in] - quarter) : c->bottom[in];
    } else if (c->made[in] == COVER_UNDER && c->kind[out] == COVER_BODY) {
        p[1] = 0.5f * (c->bottom[in] + floor_above(c, out, outer[1], c->bottom[in])) - c->in->overlap;
    } else {
        t = place_slope(c, in, out, inner[1], p, n);
    }
    p[0] = a[0] + t * (b[0] - a[0]);
    p[2] = a[2] + t * (b[2] - a[2]);
}

static void place(const void *context, const uint32_t at[3], int axis, float p[3], float n[3]) {
    const cover_columns *c = context;
    uint32_t next[3] = {at[0], at[1], at[2]};
    next[axis]++;
    size_t s = cover_at(c, at[0], at[1], at[2]), after = s + step_along(c, axis);
    bool first = cover_inside(c, s); // the snow is at the edge's begin
    n[0] = n[1] = n[2] = 0;          // found later, from the triangles
    if (axis == 1)
        place_upright(c, first ? s : after, first ? at : next, first, p, n);
    else
        place_aside(c, first ? s : after, first ? after : s, first ? at : next, first ? next : at, p, n);
    scale_to_one(n);
    for (int k = 0; k < 3; k++) p[k] = (float)(c->in->low[k] + c->in->cell * (double)p[k]);
}

// Normals of the triangles around each vertex, by their areas: where there is none yet, and where the
// snow is so thin that the gradient looks away from them; of a smoothed surface on its whole upper side.
static firn_status finish_normals(mesh *m, bool smoothed) {
    float(*sum)[3] = mem_zero(m->vertices, sizeof *sum);
    if (!sum) return fail_memory("finding the surface of the cover", m->vertices * sizeof *sum);
    for (size_t t = 0; t < m->triangles; t++) {
        const uint32_t *v = m->triangle[t];
        const float *a = m->position[v[0]], *b = m->position[v[1]], *d = m->position[v[2]];
        float e[3], f[3], n[3];
        for (int k = 0; k < 3; k++) e[k] = b[k] - a[k], f[k] = d[k] - a[k];
        for (int k = 0; k < 3; k++) n[k] = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
        for (int corner = 0; corner < 3; corner++)
            for (int k = 0; k < 3; k++) sum[v[corner]][k] += n[k];
    }
    for (size_t i = 0; i < m->vertices; i++) {
        float *n = m->normal[i];
        scale_to_one(sum[i]);
        bool upper = smoothed && n[1] > UPPER && sum[i][1] > UPPER;
        if (!upper && n[0] * sum[i][0] + n[1] * sum[i][1] + n[2] * sum[i][2] > 0.1f) continue;
        memcpy(n, sum[i], sizeof sum[i]);
        if (n[0] == 0 && n[1] == 0 && n[2] == 0) n[1] = 1;
    }
    mem_free(sum);
    return FIRN_OK;
}

static void scale_depths(cover_columns *c, float factor) {
    size_t count = (size_t)c->size[0] * c->size[1] * c->size[2];
    for (size_t s = 0; s < count; s++)
        if (c->kind[s] == COVER_SNOW || c->made[s] == COVER_UNDER || c->made[s] == COVER_GHOST)
            c->top[s] = c->bottom[s] + factor * (c->top[s] - c->bottom[s]);
}

enum { ROUNDS = 4 };

// On slopes the edges of patches, and ridges, where the upper side bends another way than the lower one, hold
// a little that is not there, which counts where snow is thin: all depths are scaled until the volume is that
// of the snow. Where snow overlaps bodies its volume says nothing.
static firn_status march(const marching_grid *grid, cover_columns *c, mesh *out) {
    double volume = c->in->lying || c->in->overlap > 0 ? 0 : cover_volume(c->in);
    TRY(marching_cubes(grid, out));
    for (int round = 0; round < ROUNDS && volume > 0; round++) {
        double part = volume / mesh_volume(out);
        if (fabs(part - 1) < 0.005 || !(part > 0.5 && part < 2)) break;
        mesh_free(out);
        scale_depths(c, (float)part);
        TRY(marching_cubes(grid, out));
    }
    return FIRN_OK;
}

firn_status cover_surface(const cover_grid *in, mesh *out) {
    cover_columns c;
    *out = (mesh){0};
    TRY(cover_columns_build(in, &c));
    if (!c.value) return mesh_alloc(0, 0, true, out);
    marching_grid grid = {.values = c.value,
                          .nx = c.size[0],
                          .ny = c.size[1],
                          .nz = c.size[2],
                          .cell = 1,
                          .place = place,
                          .context = &c};
    firn_status status = march(&grid, &c, out);
    cover_columns_free(&c);
    TRY(status);
    status = finish_normals(out, false);
    if (status == FIRN_OK) status = mesh_level(out, in->level);
    if (status == FIRN_OK) status = mesh_fair(out, in->smooth);
    if (status == FIRN_OK && in->smooth + in->level > 0) status = finish_normals(out, true);
    if (status != FIRN_OK) mesh_free(out);
    return status;
}

static double sum_fill(void *context, size_t begin, size_t end) {
    const float *fill = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++) sum += fill[i] > 0 ? (double)fill[i] : 0;
    return sum;
}

double cover_volume(const cover_grid *in) {
    size_t cells = (size_t)in->n[0] * (size_t)in->n[1] * (size_t)in->n[2];
    return par_sum(cells, 65536, sum_fill, (void *)in->fill) * in->cell * in->cell * in->cell;
}
