// Panes of glass over the finished picture: where a ray enters a box it meets a pane, which mirrors the sky,
// the more the flatter one looks at it (Schlick 1994), and dims what is behind a little. Far sides are not
// drawn: what they would do to the picture is behind everything in the box.
#include <math.h>

#include "draw/sprites.h"
#include "par/par.h"

static const float mirrored = 0.06f, dimmed = 0.04f, tint[3] = {0.86f, 0.93f, 0.90f};

typedef struct glass_job {
    const draw_list *list;
    const sprite_scene *scene;
    canvas *picture;
    sprite_eye eye;
} glass_job;

// Distance along the view at which a ray enters a box, and the axis of that side; false: it never does, or
// begins inside.
static bool enter(const draw_box *box, const float from[3], const float way[3], float *at, int *axis) {
    float in = -INFINITY, out = INFINITY;
    for (int k = 0; k < 3; k++) {
        float a = (box->low[k] - from[k]) / way[k], b = (box->high[k] - from[k]) / way[k];
        float near = fminf(a, b), far = fmaxf(a, b);
        if (near > in) in = near, *axis = k;
        out = fminf(out, far);
    }
    *at = in;
    return in > 0 && in < out;
}

static void blend_pane(const glass_job *job, const float way[3], int axis, size_t pixel) {
    float length = sqrtf(way[0] * way[0] + way[1] * way[1] + way[2] * way[2]);
    float flat = 1 - fabsf(way[axis]) / length, flat2 = flat * flat;
    float part = mirrored + (1 - mirrored) * flat2 * flat2 * flat;
    uint8_t *out = job->picture->rgba + 4 * pixel;
    for (int k = 0; k < 3; k++) {
        float old = (1 - dimmed) * (float)out[k], sky = 255 * tint[k] * job->scene->white[k];
        out[k] = (uint8_t)fminf(old + part * (sky - old) + 0.5f, 255);
    }
    if (!job->scene->light) return;
    float *light = job->scene->light->rgba[pixel];
    for (int k = 0; k < 3; k++) {
        float old = (1 - dimmed) * light[k];
        light[k] = old + part * (tint[k] * job->scene->white_light[k] - old);
    }
}

static void draw_row(void *context, size_t row) {
    const glass_job *job = context;
    const sprite_eye *e = &job->eye;
    for (int x = 0; x < job->picture->width; x++) {
        float way[3], u = ((float)x + 0.5f - e->middle[0]) / e->scale,
                      v = ((float)row + 0.5f - e->middle[1]) / e->scale;
        for (int k = 0; k < 3; k++) way[k] = e->forward[k] + u * e->right[k] + v * e->down[k];
        for (size_t i = 0; i < job->list->glass_count; i++) {
            float at;
            int axis = 0;
            if (enter(&job->list->glass[i], e->at, way, &at, &axis) && at > job->scene->nearest &&
                at < sprite_behind(job->scene, job->picture, x, (int)row))
                blend_pane(job, way, axis, row * (size_t)job->picture->width + (size_t)x);
        }
    }
}

void glass_draw(const draw_list *list, const sprite_scene *scene, canvas *picture) {
    glass_job job = {list, scene, picture, sprite_eye_of(&list->camera, picture)};
    if (list->glass_count) par_tasks((size_t)picture->height, draw_row, &job);
}
