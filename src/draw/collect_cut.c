// A clip plane: what is beyond it is taken out of the list, and triangles across it are cut there.
#include <math.h>
#include <string.h>

#include "draw/collect.h"

// Keeps what is at or above 0: sign * (place - coordinate on the axis).
typedef struct plane {
    int axis;
    double sign, place; // m, counted from the list's origin
} plane;

static double side_of(const plane *p, double coordinate) { return p->sign * (p->place - coordinate); }

static void forget(collect_cut *cut) {
    for (size_t i = 0; i < cut->blocks; i++) mem_free(cut->block[i]);
    for (size_t i = 0; i < cut->meshes; i++) mesh_free(cut->mesh[i]);
    cut->blocks = 0;
}

void collect_cut_free(collect_cut *cut) {
    forget(cut);
    for (size_t i = 0; i < cut->meshes; i++) mem_free(cut->mesh[i]);
    mem_free(cut->mesh);
    mem_free(cut->block);
    *cut = (collect_cut){0};
}

// An array that lives until the next list; NULL: no memory.
static void *new_block(collect_cut *cut, size_t count, size_t size) {
    if (!array_reserve(&cut->block, &cut->block_capacity, cut->blocks + 1, sizeof *cut->block)) return NULL;
    void *block = mem_alloc((count + 1) * size);
    if (block) cut->block[cut->blocks++] = block;
    return block;
}

static mesh *mesh_number(collect_cut *cut, size_t number) {
    if (number < cut->meshes) return cut->mesh[number];
    if (!array_reserve(&cut->mesh, &cut->mesh_capacity, cut->meshes + 1, sizeof *cut->mesh)) return NULL;
    mesh *m = mem_zero(1, sizeof *m);
    if (m) cut->mesh[cut->meshes++] = m;
    return m;
}

// ---- Things with a place each.

// The rows of `from` that stay, as an array of its own; NULL of NULL.
static const void *rows_left(collect_cut *cut, const void *from, size_t width, const uint32_t *which,
                             size_t count, bool *good) {
    if (!from) return NULL;
    char *out = new_block(cut, count, width);
    if (!out) return *good = false, NULL;
    for (size_t i = 0; i < count; i++) memcpy(out + i * width, (const char *)from + which[i] * width, width);
    return out;
}

// Which of them stay; NULL: no memory.
static uint32_t *find_left(collect_cut *cut, const plane *p, const float (*at)[3], size_t count,
                           size_t *left) {
    uint32_t *which = new_block(cut, count, sizeof *which);
    *left = 0;
    for (size_t i = 0; which && i < count; i++)
        if (side_of(p, (double)at[i][p->axis]) >= 0) which[(*left)++] = (uint32_t)i;
    return which;
}

static bool cut_points(collect_cut *cut, const plane *p, draw_points *points) {
    size_t left;
    bool good = true;
    const uint32_t *which = find_left(cut, p, points->at, points->count, &left);
    if (!which) return false;
    points->at = rows_left(cut, points->at, sizeof *points->at, which, left, &good);
    points->value = rows_left(cut, points->value, sizeof *points->value, which, left, &good);
    points->rest = rows_left(cut, points->rest, sizeof *points->rest, which, left, &good);
    points->way = rows_left(cut, points->way, sizeof *points->way, which, left, &good);
    points->count = left;
    return good;
}

static bool cut_sprites(collect_cut *cut, const plane *p, draw_sprites *sprites) {
    size_t left;
    bool good = true;
    const uint32_t *which = find_left(cut, p, sprites->at, sprites->count, &left);
    if (!which) return false;
    sprites->at = rows_left(cut, sprites->at, sizeof *sprites->at, which, left, &good);
    sprites->velocity = rows_left(cut, sprites->velocity, sizeof *sprites->velocity, which, left, &good);
    sprites->value = rows_left(cut, sprites->value, sizeof *sprites->value, which, left, &good);
    sprites->count = left;
    return good;
}

// ---- Meshes.

// A mesh that is being cut: its own vertices and those on the plane behind them.
typedef struct cutting {
    const draw_mesh *from;
    mesh *to;
    float *side; // of each vertex of `from`
    float (*colors)[3], (*rest)[4], (*way)[3];
} cutting;

static void mix(float *out, const float *a, const float *b, float t, int count) {
    for (int k = 0; k < count; k++) out[k] = a[k] + t * (b[k] - a[k]);
}

// The vertex where an edge goes through the plane.
static uint32_t new_vertex(cutting *c, uint32_t a, uint32_t b) {
    const mesh *m = c->from->mesh;
    float t = c->side[a] / (c->side[a] - c->side[b]);
    uint32_t v = (uint32_t)c->to->vertices++;
    mix(c->to->position[v], m->position[a], m->position[b], t, 3);
    if (m->normal) mix(c->to->normal[v], m->normal[a], m->normal[b], t, 3);
    if (c->colors) mix(c->colors[v], c->from->colors[a], c->from->colors[b], t, 3);
    if (c->rest) mix(c->rest[v], c->from->rest[a], c->from->rest[b], t, 4);
    if (c->way) mix(c->way[v], c->from->way[a], c->from->way[b], t, 3);
    return v;
}

static void put(mesh *m, uint32_t a, uint32_t b, uint32_t c) {
    uint32_t *t = m->triangle[m->triangles++];
    t[0] = a, t[1] = b, t[2] = c;
}

static void cut_triangle(cutting *c, const uint32_t corner[3]) {
    int kept = 0, lone = 0;
    for (int k = 0; k < 3; k++) kept += c->side[corner[k]] >= 0;
    if (kept == 0) return;
    if (kept == 3) {
        put(c->to, corner[0], corner[1], corner[2]);
        return;
    }
    while ((c->side[corner[lone]] >= 0) != (kept == 1)) lone++; // the one that is alone on its side
    uint32_t a = corner[lone], b = corner[(lone + 1) % 3], d = corner[(lone + 2) % 3];
    uint32_t ab = new_vertex(c, a, b), ad = new_vertex(c, a, d);
    if (kept == 1) {
        put(c->to, a, ab, ad);
    } else {
        put(c->to, ab, b, d);
        put(c->to, ab, d, ad);
    }
}

static bool reserve(collect_cut *cut, cutting *c, size_t vertices, size_t triangles) {
    const draw_mesh *from = c->from;
    bool good = mesh_alloc(vertices, triangles, from->mesh->normal != NULL, c->to) == FIRN_OK;
    if (good && from->colors) good = (c->colors = new_block(cut, vertices, sizeof *c->colors)) != NULL;
    if (good && from->rest) good = (c->rest = new_block(cut, vertices, sizeof *c->rest)) != NULL;
    if (good && from->way) good = (c->way = new_block(cut, vertices, sizeof *c->way)) != NULL;
    return good;
}

static void copy_vertices(cutting *c) {
    const mesh *m = c->from->mesh;
    size_t n = m->vertices;
    memcpy(c->to->position, m->position, n * sizeof *m->position);
    if (m->normal) memcpy(c->to->normal, m->normal, n * sizeof *m->normal);
    if (c->colors) memcpy(c->colors, c->from->colors, n * sizeof *c->colors);
    if (c->rest) memcpy(c->rest, c->from->rest, n * sizeof *c->rest);
    if (c->way) memcpy(c->way, c->from->way, n * sizeof *c->way);
    c->to->vertices = n;
    c->to->triangles = 0;
}

// On which side each vertex is; false: all are kept.
static bool find_sides(const plane *p, const draw_mesh *item, float *side) {
    const float w = item->rotation[0], q[3] = {item->rotation[1], item->rotation[2], item->rotation[3]};
    const int k = p->axis, i = (k + 1) % 3, j = (k + 2) % 3;
    double row[3]; // of the rotation
    row[k] = 1 - 2 * ((double)q[i] * q[i] + (double)q[j] * q[j]);
    row[i] = 2 * ((double)q[k] * q[i] - (double)w * q[j]);
    row[j] = 2 * ((double)q[k] * q[j] + (double)w * q[i]);
    bool across = false;
    for (size_t v = 0; v < item->mesh->vertices; v++) {
        const float *at = item->mesh->position[v];
        double place = (double)item->at[k];
        for (int a = 0; a < 3; a++) place += row[a] * (double)at[a];
        side[v] = (float)side_of(p, place);
        across |= side[v] < 0;
    }
    return across;
}

static bool cut_mesh(collect_cut *cut, const plane *p, size_t number, draw_mesh *item, uint64_t revision) {
    const mesh *m = item->mesh;
    cutting c = {.from = item, .to = mesh_number(cut, number)};
    c.side = new_block(cut, m->vertices, sizeof *c.side);
    if (!c.to || !c.side) return false;
    if (!find_sides(p, item, c.side)) return true;
    size_t across = 0;
    for (size_t t = 0; t < m->triangles; t++) {
        int kept = 0;
        for (int k = 0; k < 3; k++) kept += c.side[m->triangle[t][k]] >= 0;
        across += kept == 1 || kept == 2;
    }
    if (m->vertices + 2 * across > UINT32_MAX ||
        !reserve(cut, &c, m->vertices + 2 * across, m->triangles + across))
        return false;
    copy_vertices(&c);
    for (size_t t = 0; t < m->triangles; t++) cut_triangle(&c, m->triangle[t]);
    item->mesh = c.to;
    item->revision = revision;
    if (item->colors) item->colors = (const float(*)[3])c.colors;
    if (item->rest) item->rest = (const float(*)[4])c.rest;
    if (item->way) item->way = (const float(*)[3])c.way;
    return true;
}

firn_status collect_cut_list(collector *g) {
    scene_clip clip = g->scene->picture.clip;
    forget(&g->cut);
    if (clip == SCENE_CLIP_NONE) return FIRN_OK;
    bool below = clip >= SCENE_CLIP_BELOW_X, good = true;
    plane p = {.axis = (int)clip - (int)(below ? SCENE_CLIP_BELOW_X : SCENE_CLIP_X), .sign = below ? -1 : 1};
    p.place = g->scene->picture.clip_at - (p.axis == 0   ? g->origin.x
                                           : p.axis == 1 ? g->origin.y
                                                         : g->origin.z);
    draw_list *l = &g->list;
    size_t left = 0;
    for (size_t i = 0; i < l->mesh_count && good; i++) {
        good = cut_mesh(&g->cut, &p, i, &l->meshes[i], ++g->revision);
        if (l->meshes[i].mesh->triangles > 0) l->meshes[left++] = l->meshes[i];
    }
    l->mesh_count = left;
    for (size_t i = 0; i < l->point_count && good; i++) good = cut_points(&g->cut, &p, &l->points[i]);
    for (size_t i = 0; i < l->sprite_count && good; i++) good = cut_sprites(&g->cut, &p, &l->sprites[i]);
    return good ? FIRN_OK : fail_memory("cutting the picture open", 0);
}
