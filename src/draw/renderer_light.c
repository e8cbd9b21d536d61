// Linear light, coverage and depth of what the passes on the CPU have drawn, for a picture of the result's
// size.
#if FIRN_HAVE_GL
#include "draw/renderer_inside.h"
#include "par/par.h"

enum { ROWS = 16, SOLID = 25 }; // of alpha, as material_of in shade_light_lanes.c

typedef struct light_job {
    const renderer *r;
    bool wet;
} light_job;

// Depth of one pixel as it was drawn; LIGHT_NOTHING: sky.
static float depth_at(const light_job *job, size_t at) {
    const shade_pictures *p = &job->r->shade_pictures;
    float depth = (uint32_t)p->color[at] >> 24 > SOLID ? p->depth[at] : LIGHT_NOTHING;
    bool water = job->wet && (uint32_t)p->water_color[at] >> 24 > 127;
    return water && p->water_depth[at] < depth ? p->water_depth[at] : depth;
}

static void take_pixel(const light_job *job, int x, int y, float rgba[4], float *depth) {
    const renderer *r = job->r;
    int times = r->wide / r->width;
    float sum[4] = {0};
    *depth = LIGHT_NOTHING;
    for (int i = 0; i < times * times; i++) {
        int row = r->high - 1 - (y * times + i / times);
        size_t at = (size_t)row * r->shade_pictures.job.stride + (size_t)(x * times + i % times);
        float here = depth_at(job, at);
        for (int k = 0; k < 3; k++) sum[k] += r->shade_pictures.job.linear[at][k];
        sum[3] += here < LIGHT_NOTHING;
        if (here < *depth) *depth = here;
    }
    for (int k = 0; k < 4; k++) rgba[k] = sum[k] / (float)(times * times);
}

static void take_rows(void *context, size_t begin, size_t end) {
    const light_job *job = context;
    light_picture *to = job->r->light;
    for (size_t y = begin; y < end; y++)
        for (int x = 0; x < to->width; x++) {
            size_t at = y * (size_t)to->width + (size_t)x;
            take_pixel(job, x, (int)y, to->rgba[at], &to->depth[at]);
        }
}

void renderer_take_light(renderer *r, const draw_list *list) {
    light_job job = {r, renderer_has_water(list)};
    par_for((size_t)r->light->height, ROWS, take_rows, &job);
}

firn_status renderer_keep_light(renderer *r, light_picture *to) {
    r->light = to;
    return to ? renderer_shade_on_cpu(r, true) : FIRN_OK;
}
#endif
