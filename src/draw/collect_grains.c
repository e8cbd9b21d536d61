// Loose snow as irregular grains instead of spheres: a particle that is alone is a lump with crumbs around
// it, and torn snow has crumbs on its surface. Sizes follow a power law; everything is seeded by where the
// particle was at rest, so that a grain keeps its shape and place on its particle from frame to frame.
#include <math.h>
#include <string.h>

#include "draw/collect.h"
#include "geom/relief.h"

enum { MOST_TRIANGLES = 400000, CRUMBS = 6, TORN_CRUMBS = 6 };
static const float LUMP = 0.40f, CRUMB = 0.22f;    // spacings: radii
static const float ALONE = 0.7f, ATTACHED = 0.62f; // spacings: distance of crumbs from their particle

typedef struct form {
    const float (*at)[3];
    const uint8_t (*corner)[3];
    size_t vertices, triangles;
} form;

#define P 0.52573f
#define Q 0.85065f
static const float lump_at[12][3] = {{-P, Q, 0}, {P, Q, 0}, {-P, -Q, 0}, {P, -Q, 0},
                                     {0, -P, Q}, {0, P, Q}, {0, -P, -Q}, {0, P, -Q},
                                     {Q, 0, -P}, {Q, 0, P}, {-Q, 0, -P}, {-Q, 0, P}};
static const uint8_t lump_corner[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                           {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                           {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                           {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
static const float crumb_at[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
static const uint8_t crumb_corner[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                           {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
static const form lump = {lump_at, lump_corner, 12, 20}, crumb = {crumb_at, crumb_corner, 6, 8};

static float unit(uint32_t seed, int k) { return (float)(relief_bits((int)seed, k, 77) >> 8) * 0x1p-24f; }

static uint32_t seed_of(const float rest[4]) {
    int32_t bits[3];
    memcpy(bits, rest, sizeof bits);
    return relief_bits(bits[0], bits[1], bits[2]);
}

// What is being built, and how far the particle came that the next grains belong to.
typedef struct pile {
    mesh *mesh;
    float (*way)[3]; // of the vertices; NULL: not wanted
    const float *own;
} pile;

// Stretched along three axes and dented at each corner.
static void put(pile *to, const form *f, const float at[3], float radius, uint32_t seed) {
    mesh *m = to->mesh;
    float stretch[3], first[3];
    for (int k = 0; k < 3; k++) {
        stretch[k] = radius * (0.7f + 0.6f * unit(seed, k));
        first[k] = at[k];
    }
    for (size_t i = 0; i < f->vertices; i++) {
        if (to->way) memcpy(to->way[m->vertices + i], to->own, sizeof *to->way);
        float dent = 0.72f + 0.5f * unit(seed, 10 + (int)i), n[3], length = 0;
        for (int k = 0; k < 3; k++) {
            m->position[m->vertices + i][k] = first[k] + dent * stretch[k] * f->at[i][k];
            n[k] = f->at[i][k] / stretch[k];
            length += n[k] * n[k];
        }
        for (int k = 0; k < 3; k++) m->normal[m->vertices + i][k] = n[k] / sqrtf(length);
    }
    for (size_t t = 0; t < f->triangles; t++)
        for (int k = 0; k < 3; k++)
            m->triangle[m->triangles + t][k] = (uint32_t)m->vertices + f->corner[t][k];
    m->vertices += f->vertices;
    m->triangles += f->triangles;
}

// Sizes by a power law: the k-th largest of many is as large as k to the power of -1/2.
static void put_crumbs(pile *to, const float at[3], float spacing, float off, uint32_t seed, int count) {
    for (int i = 0; i < count; i++) {
        uint32_t own = relief_bits((int)seed, i, 5);
        float z = 2 * unit(own, 30) - 1, r = sqrtf(1 - z * z), turn = 6.2831853f * unit(own, 31),
              away = off * spacing * (0.6f + 0.6f * unit(own, 32));
        const float place[3] = {at[0] + away * r * cosf(turn), at[1] + away * z,
                                at[2] + away * r * sinf(turn)};
        put(to, &crumb, place, CRUMB * spacing / sqrtf(1 + 3 * unit(own, 33) + (float)i), own);
    }
}

// Torn particles that can be seen.
static firn_status find_torn(const draw_points *p, double spacing, uint8_t *torn, size_t *count) {
    TRY(collect_near_surface(p->at, p->count, spacing, torn));
    for (size_t i = 0; i < p->count; i++) {
        torn[i] = torn[i] && p->rest[i][3] > COLLECT_TORN;
        *count += torn[i];
    }
    return FIRN_OK;
}

void collect_crumb(mesh *to, const float at[3], float radius, uint32_t seed) {
    put(&(pile){.mesh = to}, &crumb, at, radius, seed);
}

void collect_lump(mesh *to, const float at[3], float radius, uint32_t seed) {
    put(&(pile){.mesh = to}, &lump, at, radius, seed);
}

// How far the surface of a clod is from its middle in direction n, and how that changes.
static float clod_height(const float n[3], const float stretch[3], const float off[3], float slope[3]) {
    static const float often[3] = {1.1f, 2.6f, 6}, part[3] = {0.3f, 0.14f, 0.05f};
    float height = 1;
    slope[0] = slope[1] = slope[2] = 0;
    for (int i = 0; i < 3; i++) {
        float at[3], d[3];
        for (int k = 0; k < 3; k++) at[k] = often[i] * stretch[k] * n[k] + off[k];
        height += part[i] * relief_noise(at, d);
        for (int k = 0; k < 3; k++) slope[k] += part[i] * often[i] * stretch[k] * d[k];
    }
    return height;
}

static void put_clod_vertex(mesh *m, const float at[3], float radius, const float stretch[3],
                            const float off[3], const float n[3]) {
    float slope[3], height = clod_height(n, stretch, off, slope), length = 0, normal[3],
                    along = slope[0] * n[0] + slope[1] * n[1] + slope[2] * n[2];
    for (int k = 0; k < 3; k++) {
        m->position[m->vertices][k] = at[k] + radius * stretch[k] * height * n[k];
        normal[k] = (n[k] - (slope[k] - along * n[k]) / height) / stretch[k];
        length += normal[k] * normal[k];
    }
    for (int k = 0; k < 3; k++) m->normal[m->vertices][k] = normal[k] / sqrtf(length);
    m->vertices++;
}

// A face of the lump, divided: rows of vertices from its first corner on. Neighbours have vertices of their
// own at the same places.
void collect_clod(mesh *to, const float at[3], float radius, uint32_t seed, int parts) {
    float stretch[3], off[3];
    for (int k = 0; k < 3; k++) {
        stretch[k] = 0.7f + 0.5f * unit(seed, k);
        off[k] = 500 * unit(seed, 3 + k);
    }
    for (int f = 0; f < 20; f++) {
        const uint8_t *c = lump_corner[f];
        uint32_t row = (uint32_t)to->vertices;
        for (int i = 0; i <= parts; i++) {
            for (int j = 0; j <= i; j++) {
                float n[3], length = 0;
                for (int k = 0; k < 3; k++) {
                    n[k] = (float)(parts - i) * lump_at[c[0]][k] + (float)(i - j) * lump_at[c[1]][k] +
                           (float)j * lump_at[c[2]][k];
                    length += n[k] * n[k];
                }
                for (int k = 0; k < 3; k++) n[k] /= sqrtf(length);
                put_clod_vertex(to, at, radius, stretch, off, n);
            }
            for (uint32_t j = 0; j < (uint32_t)i; j++) {
                uint32_t above = row - (uint32_t)i + j, here = row + j;
                memcpy(to->triangle[to->triangles++], (uint32_t[]){above, here, here + 1}, 12);
                if (j + 1 < (uint32_t)i)
                    memcpy(to->triangle[to->triangles++], (uint32_t[]){above, here + 1, above + 1}, 12);
            }
            row += (uint32_t)i + 1;
        }
    }
}

// Lumps with crumbs around them instead of lone particles, crumbs on torn ones.
static firn_status put_grains(collect_skin *skin, const draw_points *points, float spacing,
                              const uint8_t *torn, size_t torn_count) {
    const surface *s = &skin->surface;
    mesh *out = &skin->grains;
    size_t lone = s->loose_count, each = lump.triangles + CRUMBS * crumb.triangles;
    float left = fmaxf((float)MOST_TRIANGLES - (float)(lone * each), 0);
    float share = fminf(left / (float)(torn_count * TORN_CRUMBS * crumb.triangles + 1), 1);
    bool crumbs = lone * each <= MOST_TRIANGLES;
    TRY(mesh_alloc(lone * (lump.vertices + CRUMBS * crumb.vertices) +
                       torn_count * TORN_CRUMBS * crumb.vertices,
                   lone * each + torn_count * TORN_CRUMBS * crumb.triangles, true, out));
    if (points->way &&
        !array_reserve(&skin->grain_way, &skin->grain_way_capacity, out->vertices, sizeof *skin->grain_way))
        return fail_memory("drawing grains", out->vertices * sizeof *skin->grain_way);
    out->vertices = out->triangles = 0;
    pile to = {.mesh = out, .way = points->way ? skin->grain_way : NULL};
    for (size_t i = 0; i < lone; i++) {
        const float *at = points->at[s->loose[i]];
        if (points->way) to.own = points->way[s->loose[i]];
        uint32_t seed = seed_of(points->rest[s->loose[i]]);
        put(&to, &lump, at, LUMP * spacing * (0.45f + 0.55f * unit(seed, 40)), seed);
        if (crumbs) put_crumbs(&to, at, spacing, ALONE, seed, CRUMBS);
    }
    for (size_t i = 0; i < points->count; i++) {
        if (!torn[i]) continue;
        uint32_t seed = seed_of(points->rest[i]);
        if (points->way) to.own = points->way[i];
        if (unit(seed, 41) < share) put_crumbs(&to, points->at[i], spacing, ATTACHED, seed, TORN_CRUMBS);
    }
    return FIRN_OK;
}

firn_status collect_grains(collect_skin *skin, const draw_points *points, double spacing) {
    size_t count = 0;
    mesh_free(&skin->grains);
    uint8_t *torn = mem_alloc(points->count + 1);
    firn_status s =
        torn ? find_torn(points, spacing, torn, &count) : fail_memory("drawing grains", points->count);
    if (s == FIRN_OK && skin->surface.loose_count + count > 0)
        s = put_grains(skin, points, (float)spacing, torn, count);
    mem_free(torn);
    return s;
}
