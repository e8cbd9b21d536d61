// Isosurfaces of particles: density, marching cubes and smoothing, in this order.
//
// At a flat wall a liquid ends sharply, its particles do not: without help the surface would be round there
// and stand away from the wall. So particles near a wall are mirrored at it, and what is found behind the
// wall is pushed back onto it.
#include "geom/isosurface.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "geom/mesh_fair.h"
#include "geom/surface_bricks.h"
#include "par/par.h"

enum { BLOCK = 8192 };
static const double MIRROR_DEPTH = 2.5; // spacings: particles nearer to a wall change the surface at it

static firn_status list_loose(const bool *loose, size_t count, surface *out) {
    size_t found = 0;
    for (size_t i = 0; i < count; i++) found += loose[i];
    out->loose = mem_alloc(found * sizeof *out->loose);
    if (!out->loose) return fail_memory("finding loose particles", found * sizeof *out->loose);
    for (size_t i = 0; i < count; i++)
        if (loose[i]) out->loose[out->loose_count++] = (uint32_t)i;
    return FIRN_OK;
}

static firn_status build(const isosurface_input *in, surface_bricks *t, bool *loose, surface *out) {
    surface_splat(t, loose);
    TRY(surface_march(t, out));
    TRY(mesh_fair(&out->mesh, in->smooth));
    return loose ? list_loose(loose, in->count, out) : FIRN_OK;
}

static firn_status build_open(const isosurface_input *in, surface *out) {
    if (in->count >= UINT32_MAX)
        return fail(FIRN_UNSUPPORTED, "too many particles for a surface: more than 4 294 967 294");
    surface_bricks t;
    TRY(surface_bricks_build(in, &t));
    bool *loose = in->skip_loose ? mem_zero(in->count, sizeof *loose) : NULL;
    firn_status status = in->skip_loose && !loose ? fail_memory("finding loose particles", in->count)
                                                  : build(in, &t, loose, out);
    mem_free(loose);
    surface_bricks_free(&t);
    return status;
}

// Particles and their images in walls.
typedef struct mirrored {
    float (*at)[3], *value;
    size_t count, at_capacity, value_capacity;
    uint32_t channels;
} mirrored;

static bool add_points(mirrored *m, const float (*at)[3], const float *value, size_t count) {
    size_t n = m->count + count, row = m->channels;
    if (!array_reserve(&m->at, &m->at_capacity, n, sizeof *m->at) ||
        (row && !array_reserve(&m->value, &m->value_capacity, n * row, sizeof *m->value)))
        return false;
    memcpy(m->at + m->count, at, count * sizeof *at);
    if (row) memcpy(m->value + m->count * row, value, count * row * sizeof *value);
    m->count = n;
    return true;
}

// In an edge or a corner what was mirrored at one wall is mirrored again at the next.
static bool mirror_at(mirrored *m, int axis, float wall, float depth) {
    size_t count = m->count, row = m->channels, near = 0;
    for (size_t i = 0; i < count && isfinite(wall); i++) near += fabsf(m->at[i][axis] - wall) < depth;
    if (near == 0) return true;
    if (!array_reserve(&m->at, &m->at_capacity, count + near, sizeof *m->at) ||
        (row && !array_reserve(&m->value, &m->value_capacity, (count + near) * row, sizeof *m->value)))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!(fabsf(m->at[i][axis] - wall) < depth)) continue;
        float *image = m->at[m->count];
        memcpy(image, m->at[i], sizeof *m->at);
        image[axis] = 2 * wall - image[axis];
        if (row) memcpy(m->value + m->count * row, m->value + i * row, row * sizeof *m->value);
        m->count++;
    }
    return true;
}

typedef struct wall_job {
    mesh *mesh;
    const isosurface_walls *walls;
} wall_job;

static void flatten_range(void *context, size_t begin, size_t end) {
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

static firn_status build_walled(const isosurface_input *in, surface *out) {
    float depth = (float)(MIRROR_DEPTH * in->spacing);
    mirrored m = {.channels = in->value ? in->channels : 0};
    bool enough = add_points(&m, in->at, in->value, in->count);
    for (int k = 0; k < 3 && enough; k++)
        enough = mirror_at(&m, k, in->walls->low[k], depth) && mirror_at(&m, k, in->walls->high[k], depth);
    isosurface_input all = *in;
    all.at = (const float(*)[3])m.at;
    all.value = m.channels ? m.value : NULL;
    all.count = m.count;
    firn_status status =
        enough ? build_open(&all, out) : fail_memory("building the surface of a liquid", in->count * 16);
    mem_free(m.at);
    mem_free(m.value);
    TRY(status);
    par_for(out->mesh.vertices, BLOCK, flatten_range, &(wall_job){&out->mesh, in->walls});
    // Images that are alone are nobody's drops.
    while (out->loose_count && out->loose[out->loose_count - 1] >= in->count) out->loose_count--;
    return FIRN_OK;
}

static bool has_walls(const isosurface_walls *w) {
    bool any = false;
    for (int k = 0; w && k < 3; k++) any |= isfinite(w->low[k]) || isfinite(w->high[k]);
    return any;
}

firn_status isosurface_build(const isosurface_input *in, surface *out) {
    assert(in->spacing > 0 && in->cell >= 0);
    *out = (surface){0};
    firn_status status = has_walls(in->walls) && in->count > 0 ? build_walled(in, out) : build_open(in, out);
    if (status != FIRN_OK) isosurface_free(out);
    return status;
}

void isosurface_free(surface *s) {
    mesh_free(&s->mesh);
    mem_free(s->value);
    mem_free(s->loose);
    *s = (surface){0};
}
