// Relief of the snow field: snow that was thrown up, pushed aside or torn lies in clods, pressed snow beside
// it is cracked, untouched snow is smooth. A function of place and snow, so that it stays from frame to
// frame.
#include "geom/field_relief.h"

#include <math.h>
#include <string.h>

#include "geom/relief.h"
#include "par/par.h"

enum { BLOCK = 8192, SPREAD = 2, RIM = 3 };
static const float CLODS = 3.2f;                  // cells, size of clods
static const float GENTLE = 0.16f, STEEP = 0.55f; // slopes: as wind leaves snow; as a boot does
static const float FADE = 0.26f;                  // of the roughness, over a cell
static const float PLATE = 4.5f, CRACK = 0.8f;    // cells, between cracks; width of a crack
static const float DEEP = 0.5f;                   // cells, depth of a crack

typedef struct relief_job {
    const firn_snowfield *field;
    height_mesh *mesh;
    float (*rest)[4];
    float loose, packed; // kg/m3, packed > loose
    float gentle, steep;
} relief_job;

static float packed_at(const relief_job *job, size_t i) {
    const int32_t *at = job->mesh->corner[i];
    float density =
        height_corner_mean(job->field, job->field->density, job->field->plain_density, at[0], at[1]);
    return fminf(fmaxf((density - job->loose) / (job->packed - job->loose), 0), 1);
}

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
        if (rough > 0) rough *= 1 - 0.75f * packed_at(job, i);
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

// How deep a crack is at a place, 0..1: along the borders between plates, each of which is nearest to a point
// at random in its square.
static float crack_at(float x, float z) {
    float nearest = 1e9f, second = 1e9f;
    const int column = (int)floorf(x), row = (int)floorf(z);
    for (int k = 0; k < 9; k++) {
        int i = column + k % 3 - 1, j = row + k / 3 - 1;
        float dx = (float)i + (float)(relief_bits(i, j, 61) >> 8) * 0x1p-24f - x,
              dz = (float)j + (float)(relief_bits(i, j, 62) >> 8) * 0x1p-24f - z;
        float square = dx * dx + dz * dz;
        second = fminf(second, fmaxf(square, nearest));
        nearest = fminf(nearest, square);
    }
    return fmaxf(1 - (sqrtf(second) - sqrtf(nearest)) * PLATE / CRACK, 0);
}

// Pressed snow cracks where it is torn off at a rim.
static void crack_range(void *context, size_t begin, size_t end) {
    const relief_job *job = context;
    const float cell = (float)job->field->cell, plate = PLATE * cell, step = 0.5f * cell;
    mesh *m = &job->mesh->mesh;
    for (size_t i = begin; i < end; i++) {
        const float *rest = job->rest[i];
        if (!(rest[3] > 0.05f)) continue;
        float deep = DEEP * cell * packed_at(job, i) * fminf(3 * rest[3], 1);
        if (!(deep > 0.02f * cell)) continue;
        float here = crack_at(rest[0] / plate, rest[2] / plate);
        float slope[3] = {0};
        for (int k = 0; k < 3; k += 2) {
            float x = rest[0] + (k == 0 ? step : 0), z = rest[2] + (k == 2 ? step : 0);
            slope[k] = deep * (here - crack_at(x / plate, z / plate)) / step;
        }
        m->position[i][1] -= deep * here;
        relief_bend(m->normal[i], slope);
    }
}

firn_status field_relief_move(const firn_snowfield *f, float packed, height_mesh *land, field_relief *out) {
    size_t count = land->mesh.vertices;
    if (!array_reserve(&out->rest, &out->capacity, count, sizeof *out->rest))
        return fail_memory("clods on the snow field", count * sizeof *out->rest);
    // Hills and dunes are steep without being torn.
    relief_job job = {.field = f,
                      .mesh = land,
                      .rest = out->rest,
                      .loose = (float)f->plain_density,
                      .packed = fmaxf(packed, (float)f->plain_density + 1),
                      .gentle = f->even ? GENTLE : 4 * GENTLE,
                      .steep = f->even ? STEEP : 3 * STEEP};
    par_for(count, BLOCK, find_range, &job);
    for (int round = 0; round < SPREAD; round++) spread(&land->mesh, out->rest, (float)f->cell);
    par_for(count, BLOCK, displace_range, &job);
    par_for(count, BLOCK, crack_range, &job);
    return FIRN_OK;
}
