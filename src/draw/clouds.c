// Clouds of powder over the finished picture: soft balls, brighter towards the sun and where the sun shines
// through them into the eye, that fade where they meet things.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "draw/sprites.h"
#include "geom/relief.h"
#include "par/par.h"

enum { BAND = 16 };
static const float smallest = 0.7f; // px
static const float LUMPS = 2.4f;    // waves of noise over the radius

typedef struct cloud {
    float middle[2], radius; // px
    float depth, thick, opacity;
    float sun[3];                 // towards it: right, down, to the eye
    float lit[2][3], light[2][3]; // sRGB and linear: turned away from the sun, turned towards it
    uint32_t seed;
    int row0, row1;
} cloud;

typedef struct cloud_job {
    const cloud *item;
    size_t count;
    const sprite_scene *scene;
    canvas *picture;
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

// How much of it covers the pixel, and how much of that looks towards the sun.
static float cover(const cloud *c, float x, float y, float *sunny) {
    float dx = (x - c->middle[0]) / c->radius, dy = (y - c->middle[1]) / c->radius;
    float inside = 1 - dx * dx - dy * dy, slope[3];
    if (!(inside > 0)) return 0;
    const float at[3] = {LUMPS * dx + (float)(c->seed & 1023), LUMPS * dy + (float)(c->seed >> 10 & 1023),
                         (float)(c->seed >> 20)};
    float lump = c->radius > 3 ? relief_noise(at, slope) : 0;
    float out = sqrtf(inside);
    *sunny =
        fminf(fmaxf(0.5f + 0.5f * (dx * c->sun[0] + dy * c->sun[1] + out * c->sun[2]) + 0.25f * lump, 0), 1);
    return inside * out * fmaxf(0.75f + 0.9f * lump, 0);
}

static float seen(const cloud_job *job, const cloud *c, int x, int y) {
    float part = (sprite_behind(job->scene, job->picture, x, y) - c->depth) / c->thick + 0.5f;
    return part > 0 ? part < 1 ? part : 1 : 0;
}

static void draw_cloud(const cloud_job *job, const cloud *c, int row0, int row1) {
    canvas *p = job->picture;
    float left = c->middle[0] - c->radius, right = c->middle[0] + c->radius;
    int x0 = left > 0 ? (int)left : 0, x1 = right < (float)p->width - 1 ? (int)right + 1 : p->width;
    for (int y = c->row0 > row0 ? c->row0 : row0; y < c->row1 && y < row1; y++)
        for (int x = x0; x < x1; x++) {
            float sunny = 0, part = fminf(cover(c, (float)x + 0.5f, (float)y + 0.5f, &sunny) * c->opacity, 1);
            if (part > 0.002f) part *= seen(job, c, x, y);
            if (!(part > 0.002f)) continue;
            size_t at = (size_t)y * (size_t)p->width + (size_t)x;
            for (int k = 0; k < 3; k++) {
                float old = (float)p->rgba[4 * at + (size_t)k],
                      own = 255 * (c->lit[0][k] + sunny * (c->lit[1][k] - c->lit[0][k]));
                p->rgba[4 * at + (size_t)k] = (uint8_t)(old + part * (own - old) + 0.5f);
            }
            if (!job->scene->light) continue;
            float *rgba = job->scene->light->rgba[at];
            for (int k = 0; k < 3; k++)
                rgba[k] += part * (c->light[0][k] + sunny * (c->light[1][k] - c->light[0][k]) - rgba[k]);
            rgba[3] += part * (1 - rgba[3]);
        }
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
    cloud_job job = {.item = item, .scene = scene, .picture = picture};
    for (size_t i = 0; i < puffs->count; i++)
        job.count += make(&eye, puffs, i, scene, picture, &item[job.count]);
    qsort(item, job.count, sizeof *item, farthest_first);
    par_tasks(((size_t)picture->height + BAND - 1) / BAND, draw_band, &job);
    mem_free(item);
    return FIRN_OK;
}
