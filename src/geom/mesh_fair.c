// Smoothing that neither shrinks nor tears: vertices move towards the mean of their neighbours and a little
// farther back (Taubin 1995), which takes away bumps of a few edges' length and leaves everything larger.
#include "geom/mesh_fair.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

enum { BLOCK = 4096, NORMAL_PASSES = 3 };
#define FORWARD 0.6f
#define BACK (-0.62f)
#define UPPER 0.2f // height of a normal that looks up

typedef struct fairing {
    const uint32_t *first, *neighbour; // of vertex v: neighbour[first[v]] .. neighbour[first[v + 1]]
    const float (*from)[3];
    float (*to)[3];
    float amount;
    const float (*normal)[3]; // of mesh_level
} fairing;

static void move_range(void *context, size_t begin, size_t end) {
    const fairing *f = context;
    for (size_t v = begin; v < end; v++) {
        uint32_t a = f->first[v], b = f->first[v + 1];
        float sum[3] = {0, 0, 0}, share = b > a ? f->amount / (float)(b - a) : 0;
        for (uint32_t i = a; i < b; i++)
            for (int k = 0; k < 3; k++) sum[k] += f->from[f->neighbour[i]][k] - f->from[v][k];
        for (int k = 0; k < 3; k++) f->to[v][k] = f->from[v][k] + share * sum[k];
    }
}

static void level_range(void *context, size_t begin, size_t end) {
    const fairing *f = context;
    for (size_t v = begin; v < end; v++) {
        uint32_t a = f->first[v], b = f->first[v + 1];
        float sum = 0, share = b > a ? f->amount / (float)(b - a) : 0;
        bool inside = f->normal[v][1] > UPPER;
        for (uint32_t i = a; i < b; i++) {
            inside = inside && f->normal[f->neighbour[i]][1] > UPPER;
            sum += f->from[f->neighbour[i]][1] - f->from[v][1];
        }
        memcpy(f->to[v], f->from[v], sizeof f->to[v]);
        if (inside) f->to[v][1] += share * sum;
    }
}

static void unit_range(void *context, size_t begin, size_t end) {
    const fairing *f = context;
    for (size_t v = begin; v < end; v++) {
        float *n = f->to[v], length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (length > 1e-6f)
            for (int k = 0; k < 3; k++) n[k] /= length;
        else
            memcpy(n, f->from[v], sizeof(float[3]));
    }
}

// In a closed mesh every neighbour follows a vertex in exactly one triangle.
static void list_neighbours(const mesh *m, uint32_t *first, uint32_t *neighbour) {
    memset(first, 0, (m->vertices + 2) * sizeof *first);
    for (size_t t = 0; t < m->triangles; t++)
        for (int k = 0; k < 3; k++) first[m->triangle[t][k] + 2]++;
    for (size_t v = 2; v < m->vertices + 2; v++) first[v] += first[v - 1];
    for (size_t t = 0; t < m->triangles; t++)
        for (int k = 0; k < 3; k++) neighbour[first[m->triangle[t][k] + 1]++] = m->triangle[t][(k + 1) % 3];
}

static void swap(fairing *f, float (*own)[3], float (*other)[3]) {
    bool forth = f->to == other;
    f->from = (const float(*)[3])(forth ? other : own);
    f->to = forth ? own : other;
}

// An even number of passes, so that the result ends in the mesh's own array.
static void fair(mesh *m, unsigned rounds, const uint32_t *first, const uint32_t *neighbour,
                 float (*other)[3]) {
    fairing f = {first, neighbour, (const float(*)[3])m->position, other, 0, NULL};
    for (unsigned i = 0; i < 2 * rounds; i++) {
        f.amount = i % 2 ? BACK : FORWARD;
        par_for(m->vertices, BLOCK, move_range, &f);
        swap(&f, m->position, other);
    }
    f.from = (const float(*)[3])m->normal;
    f.to = other;
    f.amount = 0.7f;
    for (int i = 0; i < 2 * NORMAL_PASSES; i++) {
        par_for(m->vertices, BLOCK, move_range, &f);
        par_for(m->vertices, BLOCK, unit_range, &f);
        swap(&f, m->normal, other);
    }
}

// Heights of vertices all of whose neighbours look up, too; the others stay. An even number of passes.
static void level(mesh *m, unsigned rounds, const uint32_t *first, const uint32_t *neighbour, float (*other)[3]) {
    fairing f = {first, neighbour, (const float(*)[3])m->position, other, FORWARD,
                 (const float(*)[3])m->normal};
    for (unsigned i = 0; i < 2 * ((rounds + 1) / 2); i++) {
        par_for(m->vertices, BLOCK, level_range, &f);
        swap(&f, m->position, other);
    }
}

typedef void smoothing(mesh *m, unsigned rounds, const uint32_t *first, const uint32_t *neighbour, float (*other)[3]);

static firn_status smooth(mesh *m, unsigned rounds, smoothing *how) {
    if (rounds == 0 || m->vertices == 0) return FIRN_OK;
    uint32_t *first = mem_alloc((m->vertices + 2) * sizeof *first);
    uint32_t *neighbour = mem_alloc(3 * m->triangles * sizeof *neighbour);
    float(*other)[3] = mem_alloc(m->vertices * sizeof *other);
    firn_status status = FIRN_OK;
    if (!first || !neighbour || !other)
        status = fail_memory("smoothing a mesh", m->vertices * 16 + m->triangles * 12);
    if (status == FIRN_OK) {
        list_neighbours(m, first, neighbour);
        how(m, rounds, first, neighbour, other);
    }
    mem_free(first);
    mem_free(neighbour);
    mem_free(other);
    return status;
}

firn_status mesh_fair(mesh *m, unsigned rounds) { return smooth(m, rounds, fair); }

firn_status mesh_level(mesh *m, unsigned rounds) { return smooth(m, rounds, level); }
