// From split squares to triangles: a square whose neighbours are not finer is two triangles, others are a fan
// round their middle that takes in the middles of the edges which a finer neighbour has.
#include "geom/height_mesh.h"

#include <math.h>
#include <string.h>

typedef struct builder {
    const firn_snowfield *field;
    const height_mesh_look *look;
    height_mesh *out;
    firn_status status;
} builder;

static int32_t within(int32_t i, int32_t count) { return i < 0 ? 0 : i < count ? i : count - 1; }

float height_corner_mean(const firn_snowfield *f, const float *array, double plain, int32_t x, int32_t z) {
    float sum = 0;
    for (int n = 0; n < 4; n++) {
        size_t i = snowfield_item(f, within(x - (n & 1), f->nx), within(z - (n >> 1), f->nz));
        sum += i == SIZE_MAX ? (float)plain : array[i];
    }
    return 0.25f * sum;
}

float height_corner_height(const firn_snowfield *f, int32_t x, int32_t z) {
    return height_corner_mean(f, f->ground, f->plain_ground, x, z) +
           height_corner_mean(f, f->depth, f->plain_depth, x, z);
}

// Room for the vertices and triangles of one more square and its border.
static bool reserve(builder *b) {
    enum { VERTICES = 32, TRIANGLES = 32 };
    height_mesh *m = b->out;
    size_t vertices = m->mesh.vertices + VERTICES, triangles = m->mesh.triangles + TRIANGLES;
    if (array_reserve(&m->mesh.position, &m->vertex_capacity[0], vertices, sizeof *m->mesh.position) &&
        array_reserve(&m->mesh.normal, &m->vertex_capacity[1], vertices, sizeof *m->mesh.normal) &&
        array_reserve(&m->corner, &m->vertex_capacity[2], vertices, sizeof *m->corner) &&
        array_reserve(&m->mesh.triangle, &m->triangle_capacity, triangles, sizeof *m->mesh.triangle))
        return true;
    b->status = fail_memory("drawing the snow field", vertices * 64);
    return false;
}

static size_t table_place(uint64_t key, size_t room) {
    return (size_t)((key * 0x9E3779B97F4A7C15u) >> 32) & (room - 1);
}

static bool grow_table(builder *b, size_t room) {
    height_mesh *m = b->out;
    uint64_t *key = mem_zero(room, sizeof *key);
    uint32_t *slot = mem_alloc(room * sizeof *slot);
    if (!key || !slot) {
        mem_free(key);
        mem_free(slot);
        b->status = fail_memory("drawing the snow field", room * 12);
        return false;
    }
    for (size_t i = 0; i < m->room; i++) {
        if (!m->key[i]) continue;
        size_t at = table_place(m->key[i], room);
        while (key[at]) at = (at + 1) & (room - 1);
        key[at] = m->key[i];
        slot[at] = m->slot[i];
    }
    mem_free(m->key);
    mem_free(m->slot);
    m->key = key;
    m->slot = slot;
    m->room = room;
    return true;
}

static uint32_t add_vertex(builder *b, const float at[3], const float normal[3], int32_t x, int32_t z) {
    mesh *m = &b->out->mesh;
    memcpy(m->position[m->vertices], at, sizeof *m->position);
    memcpy(m->normal[m->vertices], normal, sizeof *m->normal);
    b->out->corner[m->vertices][0] = x;
    b->out->corner[m->vertices][1] = z;
    return (uint32_t)m->vertices++;
}

// Slopes are taken over the size of the square that asks first: what is finer is not drawn there.
static uint32_t make_corner(builder *b, int32_t x, int32_t z, int32_t size) {
    const firn_snowfield *f = b->field;
    int32_t west = x > size ? x - size : 0, east = x + size < f->nx ? x + size : f->nx;
    int32_t north = z > size ? z - size : 0, south = z + size < f->nz ? z + size : f->nz;
    float cell = (float)f->cell;
    float gx =
        (height_corner_height(f, east, z) - height_corner_height(f, west, z)) / ((float)(east - west) * cell);
    float gz = (height_corner_height(f, x, south) - height_corner_height(f, x, north)) /
               ((float)(south - north) * cell);
    float scale = 1 / sqrtf(1 + gx * gx + gz * gz);
    const float at[3] = {(float)(f->x0 + x * f->cell), height_corner_height(f, x, z),
                         (float)(f->z0 + z * f->cell)};
    const float normal[3] = {-gx * scale, scale, -gz * scale};
    return add_vertex(b, at, normal, x, z);
}

static uint32_t corner(builder *b, int32_t x, int32_t z, int32_t size) {
    height_mesh *m = b->out;
    uint64_t key = ((uint64_t)(uint32_t)z << 32 | (uint32_t)x) + 1;
    size_t at = table_place(key, m->room);
    for (; m->key[at]; at = (at + 1) & (m->room - 1))
        if (m->key[at] == key) return m->slot[at];
    m->key[at] = key;
    m->slot[at] = make_corner(b, x, z, size);
    return m->slot[at];
}

static void triangle(builder *b, uint32_t i, uint32_t j, uint32_t k) {
    mesh *m = &b->out->mesh;
    const uint32_t corners[3] = {i, j, k};
    memcpy(m->triangle[m->triangles++], corners, sizeof corners);
}

// A vertical wall from the border to the ground, with corners of its own: it is not smooth with the surface.
static void wall(builder *b, const uint32_t end[2]) {
    const mesh *m = &b->out->mesh;
    uint32_t top[2], foot[2];
    float along[2] = {m->position[end[1]][0] - m->position[end[0]][0],
                      m->position[end[1]][2] - m->position[end[0]][2]};
    float length = hypotf(along[0], along[1]);
    const float normal[3] = {-along[1] / length, 0, along[0] / length};
    for (int i = 0; i < 2; i++) {
        const int32_t *c = b->out->corner[end[i]];
        int32_t x = c[0], z = c[1];
        float at[3];
        memcpy(at, m->position[end[i]], sizeof at);
        top[i] = add_vertex(b, at, normal, x, z);
        at[1] = height_corner_mean(b->field, b->field->ground, b->field->plain_ground, x, z);
        foot[i] = add_vertex(b, at, normal, x, z);
    }
    triangle(b, top[1], top[0], foot[0]);
    triangle(b, top[1], foot[0], foot[1]);
}

// Two rings of untouched snow: near, where the border's heights run out, and far. Rings are the border drawn
// larger about the field's middle, so that neighbours meet.
static void apron(builder *b, const uint32_t end[2]) {
    const firn_snowfield *f = b->field;
    double middle[2] = {f->x0 + 0.5 * f->nx * f->cell, f->z0 + 0.5 * f->nz * f->cell};
    double half = 0.5 * f->cell * (f->nx < f->nz ? f->nx : f->nz);
    const double scale[2] = {1.15, fmax(b->look->reach / half, 2)};
    const float up[3] = {0, 1, 0};
    uint32_t ring[3][2] = {{end[0], end[1]}};
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < 2; i++) {
            const int32_t *c = b->out->corner[end[i]];
            int32_t x = c[0], z = c[1];
            const float at[3] = {(float)(middle[0] + scale[r] * (f->x0 + x * f->cell - middle[0])),
                                 (float)(f->plain_ground + f->plain_depth),
                                 (float)(middle[1] + scale[r] * (f->z0 + z * f->cell - middle[1]))};
            ring[r + 1][i] = add_vertex(b, at, up, -1, -1);
        }
    for (int r = 0; r < 2; r++) {
        triangle(b, ring[r][1], ring[r][0], ring[r + 1][0]);
        triangle(b, ring[r][1], ring[r + 1][0], ring[r + 1][1]);
    }
}

static void border(builder *b, uint32_t from, uint32_t to) {
    const uint32_t end[2] = {from, to};
    if (b->look->endless)
        apron(b, end);
    else
        wall(b, end);
}

// The quad's shorter diagonal, so that ridges and ditches do not become saws.
static void two_triangles(builder *b, const uint32_t c[4]) {
    float(*p)[3] = b->out->mesh.position;
    if (fabsf(p[c[0]][1] - p[c[2]][1]) <= fabsf(p[c[1]][1] - p[c[3]][1])) {
        triangle(b, c[0], c[1], c[2]);
        triangle(b, c[0], c[2], c[3]);
    } else {
        triangle(b, c[1], c[2], c[3]);
        triangle(b, c[1], c[3], c[0]);
    }
}

static void leaf(builder *b, int32_t level, int32_t column, int32_t row) {
    // Round the square against the clock, seen from above: west, south, east, north.
    static const int32_t aside[4][2] = {{-1, 0}, {0, 1}, {1, 0}, {0, -1}};
    static const int32_t start[5][2] = {{0, 0}, {0, 1}, {1, 1}, {1, 0}, {0, 0}};
    if (!reserve(b)) return;
    if (2 * (b->out->mesh.vertices + 32) > b->out->room && !grow_table(b, 2 * b->out->room)) return;
    int32_t size = 1 << level, x = column * size, z = row * size;
    uint32_t c[4], ring[9], count = 0;
    for (int k = 0; k < 4; k++) c[k] = corner(b, x + start[k][0] * size, z + start[k][1] * size, size);
    bool fan = false;
    for (int k = 0; k < 4; k++) {
        ring[count++] = c[k];
        if (!height_level_split(b->out->levels, level, column + aside[k][0], row + aside[k][1])) continue;
        fan = true;
        ring[count++] = corner(b, x + (start[k][0] + start[k + 1][0]) * size / 2,
                               z + (start[k][1] + start[k + 1][1]) * size / 2, size / 2);
    }
    if (!fan) two_triangles(b, c);
    if (fan) {
        uint32_t middle = corner(b, x + size / 2, z + size / 2, size / 2);
        for (uint32_t k = 0; k < count; k++) triangle(b, middle, ring[k], ring[(k + 1) % count]);
    }
    if (x == 0) border(b, c[0], c[1]);
    if (z + size == b->field->nz) border(b, c[1], c[2]);
    if (x + size == b->field->nx) border(b, c[2], c[3]);
    if (z == 0) border(b, c[3], c[0]);
}

static void square(builder *b, int32_t level, int32_t column, int32_t row) {
    const height_levels *l = b->out->levels;
    if (b->status != FIRN_OK || column >= l->columns[level] || row >= l->rows[level]) return;
    if (!height_level_split(l, level, column, row)) {
        leaf(b, level, column, row);
        return;
    }
    for (int k = 0; k < 4; k++) square(b, level - 1, 2 * column + (k & 1), 2 * row + (k >> 1));
}

firn_status height_mesh_build(const firn_snowfield *field, const height_mesh_look *look, height_mesh *out) {
    enum { FIRST_ROOM = 1 << 14 };
    if (!out->levels) out->levels = mem_zero(1, sizeof *out->levels);
    if (!out->levels) return fail_memory("drawing the snow field", sizeof *out->levels);
    TRY(height_levels_build(field, look, out->levels));
    builder b = {field, look, out, FIRN_OK};
    out->mesh.vertices = out->mesh.triangles = 0;
    if (out->room)
        memset(out->key, 0, out->room * sizeof *out->key);
    else if (!grow_table(&b, FIRST_ROOM))
        return b.status;
    square(&b, out->levels->count - 1, 0, 0);
    return b.status;
}

void height_mesh_free(height_mesh *m) {
    if (m->levels) height_levels_free(m->levels);
    mem_free(m->levels);
    mem_free(m->corner);
    mem_free(m->key);
    mem_free(m->slot);
    mesh_free(&m->mesh);
    *m = (height_mesh){0};
}
