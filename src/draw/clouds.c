// Clouds of powder over the finished picture: soft balls, brighter towards the sun and where the sun shines
// through them into the eye, that fade where they meet things.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "draw/clouds.h"
#include "draw/sprites.h"
#include "par/par.h"

enum { BAND = 16, PIECE = 256 };
static const float smallest = 0.7f; // px

typedef struct cloud_job {
    const cloud *item;
    size_t count;
    const sprite_scene *scene;
    canvas *picture;
    void (*cover)(const cloud *c, int y, int x0, int x1, float *part, float *sunny);
} cloud_job;

static float dot(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static bool make(const sprite_eye *e, const draw_puffs *puffs, size_t i, const sprite_scene *scene,
                 const canvas *picture, cloud *c) {
    float d[3], away;
    for (int k = 0; k < 3; k++) d[k] = puffs->at[i][k] - e->at[k];
    *c = (cloud){.depth = dot(d, e->forward), .thick = puffs->radius[i], .seed = puffs->seed[i]};
    if (!(c->depth > scene->nearest + 0.3f * c->thick && c->depth < 1e9f)) return false;
    c->middle[0] = e->middle[0] + dot(d, e->right) * e->scale / c->depth;
    c->middle[1] = e->middle[1] + dot(d, e->down) * e->scale / c->depth;
    c->radius = puffs->radius[i] * e->scale / c->depth;
    c->opacity = puffs->opacity[i];
    if (c->radius < smallest) {
        c->opacity *= c->radius * c->radius / (smallest * smallest);
        c->radius = smallest;
    }
    float top = c->middle[1] - c->radius, bottom = c->middle[1] + c->radius;
    if (!(c->opacity > 0.004f && bottom > 0 && top < (float)picture->height && c->middle[0] + c->radius > 0 &&
          c->middle[0] - c->radius < (float)picture->width))
        return false;
    c->row0 = top > 0 ? (int)top : 0;
    c->row1 = bottom < (float)picture->height - 1 ? (int)bottom + 1 : picture->height;
    away = sqrtf(dot(d, d));
    float ahead = fmaxf(dot(d, scene->cloud_sun) / away, 0),
          through = 1 + 1.5f * ahead * ahead * ahead * ahead;
    c->sun[0] = dot(scene->cloud_sun, e->right), c->sun[1] = dot(scene->cloud_sun, e->down);
    c->sun[2] = -dot(scene->cloud_sun, e->forward);
    scene->cloud_light(scene->context, through, c->light, c->lit);
    return true;
}

static float seen(const cloud_job *job, const cloud *c, int x, int y) {
    float part = (sprite_behind(job->scene, job->picture, x, y) - c->depth) / c->thick + 0.5f;
    return part > 0 ? part < 1 ? part : 1 : 0;
}

static void blend(const cloud_job *job, const cloud *c, int x, int y, float part, float sunny) {
    canvas *p = job->picture;
    size_t at = (size_t)y * (size_t)p->width + (size_t)x;
    for (int k = 0; k < 3; k++) {
        float old = (float)p->rgba[4 * at + (size_t)k],
              own = 255 * (c->lit[0][k] + sunny * (c->lit[1][k] - c->lit[0][k]));
        p->rgba[4 * at + (size_t)k] = (uint8_t)(old + part * (own - old) + 0.5f);
    }
    if (!job->scene->light) return;
    float *rgba = job->scene->light->rgba[at];
    for (int k = 0; k < 3; k++)
        rgba[k] += part * (c->light[0][k] + sunny * (c->light[1][k] - c->light[0][k]) - rgba[k]);
    rgba[3] += part * (1 - rgba[3]);
}

static void draw_piece(const cloud_job *job, const cloud *c, int y, int x0, int x1) {
    float part[PIECE + CLOUD_MARGIN], sunny[PIECE + CLOUD_MARGIN];
    job->cover(c, y, x0, x1, part, sunny);
    for (int x = x0; x < x1; x++) {
        float share = part[x - x0];
        if (share > 0.002f) share *= seen(job, c, x, y);
        if (share > 0.002f) blend(job, c, x, y, share, sunny[x - x0]);
    }
}

static void draw_cloud(const cloud_job *job, const cloud *c, int row0, int row1) {
    float left = c->middle[0] - c->radius, right = c->middle[0] + c->radius;
    int wide = job->picture->width, x0 = left > 0 ? (int)left : 0,
        x1 = right < (float)wide - 1 ? (int)right + 1 : wide;
    for (int y = c->row0 > row0 ? c->row0 : row0; y < c->row1 && y < row1; y++)
        for (int x = x0; x < x1; x += PIECE) draw_piece(job, c, y, x, x1 - x < PIECE ? x1 : x + PIECE);
}

static void draw_band(void *context, size_t band) {
    const cloud_job *job = context;
    int row0 = (int)band * BAND, row1 = row0 + BAND;
    for (size_t i = 0; i < job->count; i++)
        if (job->item[i].row0 < row1 && job->item[i].row1 > row0) draw_cloud(job, &job->item[i], row0, row1);
}

static int farthest_first(const void *a, const void *b) {
    const cloud *x = a, *y = b;
    return x->depth != y->depth ? (x->depth < y->depth) - (x->depth > y->depth)
                                : (x->seed > y->seed) - (x->seed < y->seed);
}

firn_status clouds_draw(const draw_list *list, const sprite_scene *scene, canvas *picture) {
    const draw_puffs *puffs = &list->powder;
    if (puffs->count == 0) return FIRN_OK;
    cloud *item = mem_alloc(puffs->count * sizeof *item);
    if (!item) return fail_memory("drawing powder", puffs->count * sizeof *item);
    sprite_eye eye = sprite_eye_of(&list->camera, picture);
    cloud_job job = {.item = item, .scene = scene, .picture = picture, .cover = ISA_PICK(cloud_cover)};
    for (size_t i = 0; i < puffs->count; i++)
        job.count += make(&eye, puffs, i, scene, picture, &item[job.count]);
    qsort(item, job.count, sizeof *item, farthest_first);
    par_tasks(((size_t)picture->height + BAND - 1) / BAND, draw_band, &job);
    mem_free(item);
    return FIRN_OK;
}
