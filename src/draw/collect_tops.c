// Snow that lies on top of bodies in the snow field, and loose bits in the air.
#include <math.h>
#include <string.h>

#include "draw/collect.h"
#include "firn/query.h"
#include "par/par.h"

typedef struct tops {
    const firn_world *world;
    firn_snowfield field;
    const int32_t *cover; // by tile: number of its cover, -1: none
    const float *depth, *height;
    float (*corner)[2]; // of the corner before each cell of the covers: see plain_corner
    float (*round)[6];  // of each cell of the covers: see fit_round
} tops;
enum { CORNER_DEPTH, CORNER_HEIGHT };

static const float least = 5e-4f;  // m; thinner layers are not drawn
static const float ROUND = 0.4f;   // share of the step between cells that a round body may stand higher
static const float EDGE = 6;       // cells; a rim goes down to the body by no more than this
static const float EDGE_SLOPE = 4; // how much faster than its depth a layer on a round body ends
static const float CURVED =
    0.04f; // cells; second differences of a body from which its snow is drawn in finer cells
static const float sunk = 1e-3f; // m; the layer is drawn lower by this, so that it ends where it is this thin

// The cell's place in the covers, SIZE_MAX where none is.
static size_t item_at(const tops *t, int32_t x, int32_t z) {
    const firn_snowfield *f = &t->field;
    if (x < 0 || z < 0 || x >= f->nx || z >= f->nz) return SIZE_MAX;
    int32_t tile = f->tile[(size_t)(z / f->edge) * (size_t)f->columns + (size_t)(x / f->edge)];
    if (tile < 0 || t->cover[tile] < 0) return SIZE_MAX;
    size_t edge = (size_t)f->edge;
    return ((size_t)t->cover[tile] * edge + (size_t)(z % f->edge)) * edge + (size_t)(x % f->edge);
}

// The same where a body is.
static size_t body_item(const tops *t, int32_t x, int32_t z) {
    size_t item = item_at(t, x, z);
    return item != SIZE_MAX && t->height[item] != 0 ? item : SIZE_MAX;
}

static float ground_surface(const tops *t, int32_t x, int32_t z) {
    float h;
    firn_snowfield_read(&t->field, (firn_cells){x, z, x + 1, z + 1}, &h, NULL, NULL);
    return h;
}

// A heap beside the body that snow on the body runs into: it belongs to the layer, or a ditch would be seen.
static bool is_heap(const tops *t, int32_t x, int32_t z) {
    if (body_item(t, x, z) != SIZE_MAX) return false;
    float here = -INFINITY;
    for (int n = 0; n < 9; n++) {
        size_t i = body_item(t, x + n % 3 - 1, z + n / 3 - 1);
        if (i == SIZE_MAX || t->depth[i] <= least) continue;
        if (here == -INFINITY) here = ground_surface(t, x, z);
        if (here > t->height[i]) return true;
    }
    return false;
}

// What is seen of a cell with a body: the snow on it.
static float surface_of(const tops *t, size_t item) { return t->height[item] + t->depth[item]; }

// Whether a cell may share a layer with one whose surface is at `own`: not the top of a post with what lies
// at its foot.
static bool joins(const tops *t, float height, float own) {
    return fabsf(height - own) <= 3 * (float)t->field.cell;
}

// The same as body_item, of cells that may share a layer with one whose surface is at `own`.
static size_t layer_item(const tops *t, int32_t x, int32_t z, float own) {
    size_t item = body_item(t, x, z);
    return item != SIZE_MAX && joins(t, surface_of(t, item), own) ? item : SIZE_MAX;
}

// What all cells around a corner that share its layer say of it; NULL: it depends on the cell.
static const float *known_corner(const tops *t, int32_t x, int32_t z) {
    size_t i = item_at(t, x, z);
    return i != SIZE_MAX && !isnan(t->corner[i][CORNER_DEPTH]) ? t->corner[i] : NULL;
}

// Depth at a corner of cells, smoothed over the sixteen cells around it: cell by cell it would be patches.
static float corner_depth(const tops *t, int32_t x, int32_t z, float own) {
    static const float weight[4] = {1, 3, 3, 1};
    float sum = 0, all = 0;
    const float *known = known_corner(t, x, z);
    if (known) return known[CORNER_DEPTH];
    for (int n = 0; n < 16; n++) {
        size_t i = layer_item(t, x - 2 + n % 4, z - 2 + n / 4, own);
        if (i == SIZE_MAX) continue;
        float w = weight[n % 4] * weight[n / 4];
        sum += w * t->depth[i];
        all += w;
    }
    return all > 0 ? sum / all : 0;
}

// A corner of cells as the one with its surface at `own` has it: on the snow, and at the rim of the layer on
// the body, so that no gap is seen from the side.
static float corner_height(const tops *t, int32_t x, int32_t z, float own) {
    float body = 0, depth = 0, heap = 0, top_most = -INFINITY, cell = (float)t->field.cell;
    int found = 0, heaps = 0;
    const float *known = known_corner(t, x, z);
    if (known) return known[CORNER_HEIGHT];
    for (int n = 0; n < 4; n++) {
        int32_t cx = x - (n & 1), cz = z - (n >> 1);
        size_t i = layer_item(t, cx, cz, own);
        if (i != SIZE_MAX) {
            body += t->height[i];
            depth += t->depth[i];
            top_most = fmaxf(top_most, t->height[i]);
            found++;
        } else if (is_heap(t, cx, cz)) {
            float top = ground_surface(t, cx, cz);
            heap += joins(t, top, own) ? top : 0;
            heaps += joins(t, top, own);
        }
    }
    if (found == 0) return heaps ? height_corner_height(&t->field, x, z) : NAN;
    body /= (float)found;
    depth /= (float)found;
    if (found + heaps < 4) return fmaxf(body, own - EDGE * cell) - sunk;
    // A round body stands higher between the middles of cells than their mean: it must not look out.
    float round = ROUND * fminf(top_most - body, cell);
    float smooth = fminf(fmaxf(corner_depth(t, x, z, own) - depth, -0.5f * cell), 0.5f * cell);
    float snow = body + depth + smooth + round - sunk;
    return heaps ? ((float)found * snow + heap) / 4 : snow;
}

// Corners in the middle of a layer, which is most of them, are the same for all cells around them: worked out
// once. All sixteen cells must share one layer.
static void plain_corner(const tops *t, int32_t x, int32_t z, float out[2]) {
    float low = INFINITY, high = -INFINITY;
    for (int n = 0; n < 16; n++) {
        size_t i = body_item(t, x - 2 + n % 4, z - 2 + n / 4);
        if (i == SIZE_MAX) return;
        low = fminf(low, surface_of(t, i));
        high = fmaxf(high, surface_of(t, i));
    }
    if (!joins(t, low, high)) return;
    float depth = corner_depth(t, x, z, low);
    out[CORNER_HEIGHT] = corner_height(t, x, z, low);
    out[CORNER_DEPTH] = depth;
}

// Whether a body goes on bending down along an axis as it does in a cell: it has no step and no ridge there.
static bool bends_evenly(const tops *t, int32_t x, int32_t z, int32_t dx, int32_t dz) {
    const float flat = 0.01f * (float)t->field.cell;
    float h[5], bend[3] = {0};
    bool there[5];
    for (int n = 0; n < 5; n++) {
        const size_t item = body_item(t, x + (n - 2) * dx, z + (n - 2) * dz);
        there[n] = item != SIZE_MAX;
        h[n] = there[n] ? t->height[item] : 0;
    }
    for (int n = 0; n < 3; n++)
        if (there[n] && there[n + 1] && there[n + 2]) bend[n] = 2 * h[n + 1] - h[n] - h[n + 2];
    bool even = bend[1] > -flat && (there[0] || there[4]);
    for (int n = 0; n < 3; n += 2)
        if (there[2 * n]) even = even && bend[n] > -flat && bend[1] < 3 * bend[n] + flat;
    return even;
}

// The body around a cell as a quadratic in (x, z), in m over cells from the cell's middle: h + a x + b z + c
// x^2 + d x z + e z^2, by least squares over nine cells. Left NAN where the body is flat, has an edge, or
// ends: snow on a small round body would be a polyhedron that the body looks out of.
static void fit_round(const tops *t, int32_t x, int32_t z, float q[6]) {
    const float cell = (float)t->field.cell;
    float h[9], sum = 0, sx = 0, sz = 0, sxx = 0, sxz = 0, szz = 0, worst = 0;
    for (int n = 0; n < 9; n++) {
        const int i = n % 3 - 1, k = n / 3 - 1;
        const size_t item = body_item(t, x + i, z + k);
        if (item == SIZE_MAX) return;
        h[n] = t->height[item];
        sum += h[n], sx += (float)i * h[n], sz += (float)k * h[n];
        sxx += (float)(i * i) * h[n], sxz += (float)(i * k) * h[n], szz += (float)(k * k) * h[n];
    }
    const float c = sxx / 2 - sum / 3, e = szz / 2 - sum / 3;
    const float fit[6] = {sum / 9 - 2 * (c + e) / 3, sx / 6, sz / 6, c, sxz / 4, e};
    for (int n = 0; n < 9; n++) {
        const float i = (float)(n % 3 - 1), k = (float)(n / 3 - 1);
        const float at = fit[0] + fit[1] * i + fit[2] * k + fit[3] * i * i + fit[4] * i * k + fit[5] * k * k;
        worst = fmaxf(worst, fabsf(at - h[n]));
    }
    const float bend = 2 * fmaxf(fabsf(c), fabsf(e));
    if (bend > CURVED * cell && worst < 0.25f * bend && bends_evenly(t, x, z, 1, 0) &&
        bends_evenly(t, x, z, 0, 1))
        memcpy(q, fit, sizeof fit);
}

static void cell_of_item(const tops *t, size_t tile, size_t i, int32_t *x, int32_t *z) {
    const firn_snowfield *f = &t->field;
    *x = f->place[2 * tile] * f->edge + (int32_t)(i % (size_t)f->edge);
    *z = f->place[2 * tile + 1] * f->edge + (int32_t)(i / (size_t)f->edge);
}

typedef struct corner_job {
    const tops *t;
    const int32_t *tile; // of each cover
} corner_job;

static void corners_of_covers(void *context, size_t begin, size_t end) {
    const corner_job *job = context;
    const tops *t = job->t;
    const size_t cells = (size_t)t->field.edge * (size_t)t->field.edge;
    for (size_t c = begin; c < end; c++)
        for (size_t i = 0; i < cells; i++) {
            float *out = t->corner[c * cells + i];
            int32_t x, z, tile = job->tile[c];
            if (tile < 0 || t->cover[tile] != (int32_t)c) continue;
            cell_of_item(t, (size_t)tile, i, &x, &z);
            plain_corner(t, x, z, out);
            fit_round(t, x, z, t->round[c * cells + i]);
        }
}

// The body falls off here, more steeply than snow lies, and what there is on it is no wedge at its foot.
static bool is_steep(const tops *t, int32_t x, int32_t z, float depth) {
    float low = INFINITY, high = -INFINITY;
    for (int n = 0; n < 9; n++) {
        size_t i = body_item(t, x + n % 3 - 1, z + n / 3 - 1);
        if (i == SIZE_MAX) continue;
        low = fminf(low, t->height[i]);
        high = fmaxf(high, t->height[i]);
    }
    return high - low > 3 * (float)t->field.cell && depth < 0.25f * (high - low);
}

// A bare cell with snow on three or four of its sides: the layer is not torn by it.
static bool is_hole(const tops *t, int32_t x, int32_t z, float own) {
    int snow = 0;
    for (int n = 0; n < 4; n++) {
        int32_t cx = x + (n == 0) - (n == 1), cz = z + (n == 2) - (n == 3);
        size_t i = layer_item(t, cx, cz, own);
        snow += i != SIZE_MAX ? t->depth[i] > least : is_heap(t, cx, cz);
    }
    return snow >= 3;
}

// Snow on a body, or at its edge.
static bool has_layer(const tops *t, int32_t x, int32_t z) {
    size_t own = body_item(t, x, z);
    if (own == SIZE_MAX) return is_heap(t, x, z);
    float top = surface_of(t, own);
    const bool round = !isnan(t->round[own][0]);
    if (!round && is_steep(t, x, z, t->depth[own]) && !is_hole(t, x, z, top)) return false;
    for (int n = 0; n < 4; n++)
        if (corner_depth(t, x + (n & 1), z + (n >> 1), top) > least) return true;
    return false;
}

static float slope(float before, float here, float after, float cell) {
    if (isnan(before)) before = here;
    if (isnan(after)) after = here;
    return (after - before) / (2 * cell);
}

static void add_corner(const tops *t, mesh *m, int32_t x, int32_t z, float own) {
    const firn_snowfield *f = &t->field;
    float here = corner_height(t, x, z, own), cell = (float)f->cell;
    float gx = slope(corner_height(t, x - 1, z, own), here, corner_height(t, x + 1, z, own), cell);
    float gz = slope(corner_height(t, x, z - 1, own), here, corner_height(t, x, z + 1, own), cell);
    float scale = 1 / sqrtf(1 + gx * gx + gz * gz);
    const float at[3] = {(float)(f->x0 + x * f->cell), here + 0.02f * cell, (float)(f->z0 + z * f->cell)};
    const float normal[3] = {-gx * scale, scale, -gz * scale};
    memcpy(m->position[m->vertices], at, sizeof at);
    memcpy(m->normal[m->vertices++], normal, sizeof normal);
}

static firn_status reserve_tops(collect_land *land, size_t vertices, size_t triangles) {
    mesh *m = &land->tops;
    if (!array_reserve(&m->position, &land->tops_capacity[0], m->vertices + vertices, sizeof *m->position) ||
        !array_reserve(&m->normal, &land->tops_capacity[1], m->vertices + vertices, sizeof *m->normal) ||
        !array_reserve(&m->triangle, &land->tops_capacity[2], m->triangles + triangles, sizeof *m->triangle))
        return fail_memory("drawing snow on bodies", m->vertices * 24);
    return FIRN_OK;
}

// Height of a round body at a place in cells: the quadratics of the cells around, by tents two cells wide.
// NAN where there are none.
static float round_height(const tops *t, float x, float z, float own) {
    const int32_t first_x = (int32_t)floorf(x - 1.5f), first_z = (int32_t)floorf(z - 1.5f);
    float sum = 0, all = 0;
    for (int n = 0; n < 16; n++) {
        const int32_t cx = first_x + n % 4, cz = first_z + n / 4;
        const size_t item = layer_item(t, cx, cz, own);
        const float *q = item != SIZE_MAX ? t->round[item] : NULL;
        if (!q || isnan(q[0])) continue;
        const float u = x - 0.5f - (float)cx, v = z - 0.5f - (float)cz;
        const float w = fmaxf(2 - fabsf(u), 0) * fmaxf(2 - fabsf(v), 0);
        sum += w * (q[0] + q[1] * u + q[2] * v + q[3] * u * u + q[4] * u * v + q[5] * v * v);
        all += w;
    }
    return all > 0 ? sum / all : NAN;
}

enum {
    FINE = 4,
    FINE_SIDE = FINE + 1,
    FINE_CORNERS = FINE_SIDE * FINE_SIDE
}; // parts of a cell's side, corners
typedef struct round_cell {
    float at[FINE_CORNERS][3], normal[FINE_CORNERS][3], distance[FINE_CORNERS]; // of the body's surface
} round_cell;

// The body below the middle of a cell; SIZE_MAX: none.
static size_t body_below(const tops *t, int32_t x, int32_t z, float height) {
    const double cell = t->field.cell;
    firn_hit hit;
    const firn_ray ray = {.origin = {t->field.x0 + (x + 0.5) * cell, (double)height + 0.5 * cell,
                                     t->field.z0 + (z + 0.5) * cell},
                          .direction = {0, -1, 0},
                          .max_distance = cell,
                          .targets = FIRN_RAY_BODIES};
    return firn_world_rays(t->world, 1, &ray, &hit) == FIRN_OK && hit.what ? hit.body : SIZE_MAX;
}

// A round body's own surface in a cell: from the quadratics down or up to where its distance is zero. False
// where the body is not round.
static bool find_round(const tops *t, int32_t x, int32_t z, float own, size_t body, round_cell *c) {
    const firn_snowfield *f = &t->field;
    for (int n = 0; n < FINE_CORNERS; n++) {
        const float u = (float)x + (float)(n % FINE_SIDE) / FINE,
                    v = (float)z + (float)(n / FINE_SIDE) / FINE;
        c->at[n][0] = (float)(f->x0 + (double)u * f->cell);
        c->at[n][1] = round_height(t, u, v, own);
        c->at[n][2] = (float)(f->z0 + (double)v * f->cell);
        if (isnan(c->at[n][1])) return false;
    }
    for (int pass = 0; pass < 4; pass++) {
        if (firn_world_body_query(t->world, body, FINE_CORNERS, c->at[0], c->distance, c->normal[0], NULL))
            return false;
        for (int n = 0; n < FINE_CORNERS; n++) c->at[n][1] -= c->distance[n] / fmaxf(c->normal[n][1], 0.3f);
    }
    return true;
}

// Triangles between the corners of a cell's parts that lie on the body.
static void add_parts(mesh *m, const round_cell *c, uint32_t first, float near) {
    for (uint32_t n = 0; n < FINE * FINE; n++) {
        const uint32_t v = n / FINE * FINE_SIDE + n % FINE, w = v + FINE_SIDE;
        if (fabsf(c->distance[v]) > near || fabsf(c->distance[v + 1]) > near ||
            fabsf(c->distance[w]) > near || fabsf(c->distance[w + 1]) > near)
            continue;
        const uint32_t corners[2][3] = {{first + v, first + w, first + w + 1},
                                        {first + v, first + w + 1, first + v + 1}};
        memcpy(m->triangle[m->triangles], corners, sizeof corners);
        m->triangles += 2;
    }
}

// Snow on a round body in parts of a cell, where the body's surface is; `done` where that is how the cell is
// drawn.
static firn_status add_round_cell(const tops *t, collect_land *land, int32_t x, int32_t z, bool *done) {
    const size_t item = body_item(t, x, z);
    const float own = item != SIZE_MAX ? surface_of(t, item) : NAN;
    *done = false;
    if (item == SIZE_MAX || isnan(round_height(t, (float)x + 0.5f, (float)z + 0.5f, own))) return FIRN_OK;
    const size_t body = body_below(t, x, z, t->height[item]);
    round_cell c;
    if (body == SIZE_MAX || !find_round(t, x, z, own, body, &c)) return FIRN_OK;
    mesh *m = &land->tops;
    TRY(reserve_tops(land, FINE_CORNERS, 2 * FINE * FINE));
    *done = true;
    const uint32_t first = (uint32_t)m->vertices;
    float depth[4];
    for (int n = 0; n < 4; n++) depth[n] = corner_depth(t, x + n % 2, z + n / 2, own);
    for (int n = 0; n < FINE_CORNERS; n++) {
        const float u = (float)(n % FINE_SIDE) / FINE, v = (float)(n / FINE_SIDE) / FINE;
        const float here =
            (1 - v) * ((1 - u) * depth[0] + u * depth[1]) + v * ((1 - u) * depth[2] + u * depth[3]);
        c.at[n][1] +=
            fminf(here, EDGE_SLOPE * (here - sunk)); // steep where it ends, or its edge would flicker
        memcpy(m->position[m->vertices], c.at[n], sizeof c.at[n]);
        memcpy(m->normal[m->vertices++], c.normal[n], sizeof c.normal[n]);
    }
    add_parts(m, &c, first, 0.05f * (float)t->field.cell);
    return FIRN_OK;
}

static firn_status add_cell(const tops *t, collect_land *land, int32_t x, int32_t z) {
    mesh *m = &land->tops;
    bool done;
    TRY(add_round_cell(t, land, x, z, &done));
    if (done) return FIRN_OK;
    TRY(reserve_tops(land, 4, 2));
    uint32_t v = (uint32_t)m->vertices;
    size_t item = body_item(t, x, z);
    float own = item != SIZE_MAX ? surface_of(t, item) : ground_surface(t, x, z);
    add_corner(t, m, x, z, own);
    add_corner(t, m, x, z + 1, own);
    add_corner(t, m, x + 1, z + 1, own);
    add_corner(t, m, x + 1, z, own);
    const uint32_t corners[2][3] = {{v, v + 1, v + 2}, {v, v + 2, v + 3}};
    memcpy(m->triangle[m->triangles], corners, sizeof corners);
    m->triangles += 2;
    return FIRN_OK;
}

static firn_status add_cover(const tops *t, collect_land *land, size_t tile) {
    const firn_snowfield *f = &t->field;
    size_t cells = (size_t)f->edge * (size_t)f->edge;
    for (size_t i = 0; i < cells; i++) {
        int32_t x, z;
        cell_of_item(t, tile, i, &x, &z);
        if (has_layer(t, x, z)) TRY(add_cell(t, land, x, z));
    }
    return FIRN_OK;
}

static firn_status find_covers(const firn_field *cover, size_t tiles, collect_land *land) {
    if (!array_reserve(&land->cover_of, &land->cover_capacity, tiles, sizeof *land->cover_of))
        return fail_memory("drawing snow on bodies", tiles * sizeof *land->cover_of);
    for (size_t t = 0; t < tiles; t++) land->cover_of[t] = -1;
    const int32_t *tile = cover->data;
    for (size_t i = 0; i < cover->count; i++)
        if (tile[i] >= 0 && (size_t)tile[i] < tiles) land->cover_of[tile[i]] = (int32_t)i;
    return FIRN_OK;
}

firn_status collect_tops(collector *g, const firn_snowfield *f, const float color[3]) {
    const firn_heights_drawing *d = g->heights;
    collect_land *land = &g->land;
    if (!d->top_tile) return FIRN_OK;
    firn_field cover = firn_world_field(g->world, d->top_tile);
    if (!cover.data || cover.count == 0) return FIRN_OK;
    TRY(find_covers(&cover, f->tiles, land));
    size_t cells = cover.count * (size_t)f->edge * (size_t)f->edge;
    if (!array_reserve(&land->corner, &land->corner_capacity, cells, sizeof *land->corner) ||
        !array_reserve(&land->round, &land->round_capacity, cells, sizeof *land->round))
        return fail_memory("drawing snow on bodies", cells * sizeof *land->round);
    for (size_t i = 0; i < cells; i++) land->corner[i][CORNER_DEPTH] = land->round[i][0] = NAN;
    tops t = {g->world,
              *f,
              land->cover_of,
              firn_world_field(g->world, d->top_depth).data,
              firn_world_field(g->world, d->top_height).data,
              land->corner,
              land->round};
    par_for(cover.count, 4, corners_of_covers, &(corner_job){&t, cover.data});
    land->tops.vertices = land->tops.triangles = 0;
    for (size_t i = 0; i < cover.count; i++) {
        int32_t tile = ((const int32_t *)cover.data)[i];
        if (tile >= 0 && land->cover_of[tile] == (int32_t)i) TRY(add_cover(&t, land, (size_t)tile));
    }
    if (land->tops.triangles == 0) return FIRN_OK;
    draw_mesh item = {
        .mesh = &land->tops, .revision = ++g->revision, .rotation = {1, 0, 0, 0}, .material = DRAW_SOFT};
    memcpy(item.color, color, sizeof item.color);
    return collect_world_mesh(g, item);
}

// Bits of one class of size, in their order, behind what is in `land->sized` already.
static size_t gather_bits(collect_land *land, const float (*at)[3], const float *size, size_t count,
                          size_t first, float from, float to) {
    size_t n = first;
    for (size_t i = 0; i < count; i++)
        if (size[i] >= from && size[i] < to) memcpy(land->sized[n++], at[i], sizeof *land->sized);
    return n - first;
}

// Powder as soft spots, lumps as points, in classes of twice the size. A bit of powder stands for a puff, the
// larger the coarser the field is.
static firn_status add_sized(collector *g, const float (*at)[3], const float *size, size_t count, float cell,
                             const float color[3]) {
    const float fine = 2e-3f, largest = 0.1f;
    collect_land *land = &g->land;
    if (!array_reserve(&land->sized, &land->sized_capacity, count, sizeof *land->sized))
        return fail_memory("drawing loose snow", count * sizeof *land->sized);
    size_t first = gather_bits(land, at, size, count, 0, 0, fine);
    draw_sprites soft = {
        .at = (const float(*)[3])land->sized, .count = first, .radius = fmaxf(4 * fine, 0.2f * cell)};
    if (first > 0) TRY(draw_list_sprites(&g->list, soft));
    for (float from = fine; from < largest; from *= 2) {
        size_t n = gather_bits(land, at, size, count, first, from, 2 * from < largest ? 2 * from : INFINITY);
        draw_points points = {
            .at = (const float(*)[3])land->sized + first, .count = n, .radius = 0.7f * from};
        memcpy(points.color, color, sizeof points.color);
        if (n > 0) TRY(draw_list_points(&g->list, points));
        first += n;
    }
    return FIRN_OK;
}

// Diameters of the bits: the field NAME_size beside that of their positions, NAME_position.
static firn_field size_field(const collector *g) {
    static const char position[] = "_position", size[] = "_size";
    char name[64];
    const char *bits = g->heights->bits;
    size_t n = strlen(bits), end = sizeof position - 1;
    if (n < end || n >= sizeof name || strcmp(bits + n - end, position) != 0) return (firn_field){0};
    memcpy(name, bits, n - end);
    memcpy(name + n - end, size, sizeof size);
    return firn_world_field(g->world, name);
}

firn_status collect_bits(collector *g, const firn_snowfield *f, const float color[3]) {
    firn_field bits = {0};
    if (g->heights->bits) bits = firn_world_field(g->world, g->heights->bits);
    if (!bits.data || bits.count == 0 || !g->scene->picture.points) return FIRN_OK;
    draw_points points = {.at = collect_places(g, &bits, &g->land.bits, &g->land.bit_capacity),
                          .count = bits.count,
                          .radius = (float)(0.3 * f->cell)};
    if (!points.at) return fail_memory("drawing loose snow", bits.count * sizeof *points.at);
    firn_field size = size_field(g);
    if (size.data && size.count == bits.count)
        return add_sized(g, points.at, size.data, bits.count, (float)f->cell, color);
    memcpy(points.color, color, sizeof points.color);
    return draw_list_points(&g->list, points);
}
