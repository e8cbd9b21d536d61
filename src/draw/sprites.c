// Flakes as soft blurred dots over the picture.
#include "draw/sprites.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

enum { BAND = 16, BLOCK = 4096, PARTS = 5 };
#define CRYSTAL 2.5f                              // px: smaller ones are spots
#define WET 0.6f                                  // of the opacity of dry flakes
static const float smallest = 0.8f, largest = 40; // px, of the radius

typedef struct sprite {
    int16_t row0, row1; // rows it touches; row0 >= row1: none
    float a[2], way[2]; // px: where it was when the shutter opened, and from there to where it is
    float per_way2;     // 1 / |way|^2, 0 if it hardly moved
    float sharp;        // 0..1, how much of its shape is left: what moves by its radius is a soft streak
    float radius;       // px
    float opacity;
    float depth, thick; // m, along the view
    float color[3];     // sRGB
    float light[3];     // linear
    draw_flake shape;
    float turn[2]; // cosine and sine: how a crystal is turned; of a clump: where its parts are
} sprite;

typedef struct sprite_job {
    const draw_sprites *item;
    const sprite_scene *scene;
    sprite_eye now, before;
    sprite *out;
    size_t count; // of all sets
    canvas *picture;
} sprite_job;

float sprite_size(float distance) {
    const float a = 0.96f, b = 0.19f, c = 0.06f;
    return distance * sqrtf(c / (a + b * distance + c * distance * distance));
}

float sprite_opacity(float distance) {
    const float a = 0.1f, b = 0.15f;
    return fminf(sqrtf(1 / (a + b * distance)), 1);
}

static float dot(const float a[3], const float b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void scale_to_one(float v[3]) {
    float length = sqrtf(dot(v, v));
    for (int k = 0; k < 3; k++) v[k] /= length;
}

static void cross(const float a[3], const float b[3], float out[3]) {
    for (int k = 0; k < 3; k++) out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

sprite_eye sprite_eye_of(const draw_camera *camera, const canvas *picture) {
    sprite_eye e = {.scale = camera->lens * (float)picture->width,
                    .middle = {0.5f * (float)picture->width, 0.5f * (float)picture->height}};
    float up[3] = {0, 1, 0};
    for (int k = 0; k < 3; k++) e.forward[k] = camera->to[k] - camera->from[k], e.at[k] = camera->from[k];
    if (dot(e.forward, e.forward) < 1e-18f) e.forward[2] = -1;
    scale_to_one(e.forward);
    if (fabsf(e.forward[1]) > 0.9999f) up[1] = 0, up[2] = -1;
    cross(e.forward, up, e.right);
    scale_to_one(e.right);
    cross(e.forward, e.right, e.down);
    return e;
}

// Pixel of a point; false: behind or too near.
static bool project(const sprite_eye *e, const float p[3], float nearest, float out[2], float *depth) {
    float d[3] = {p[0] - e->at[0], p[1] - e->at[1], p[2] - e->at[2]};
    *depth = dot(d, e->forward);
    if (!(*depth > nearest && *depth < 1e9f)) return false;
    out[0] = e->middle[0] + dot(d, e->right) * e->scale / *depth;
    out[1] = e->middle[1] + dot(d, e->down) * e->scale / *depth;
    return true;
}

static void set_color(const sprite_job *job, size_t i, sprite *s) {
    const draw_sprites *item = job->item;
    float linear[3], span = item->high - item->low;
    memcpy(s->color, job->scene->white, sizeof s->color);
    memcpy(s->light, job->scene->white_light, sizeof s->light);
    if (!item->value) return;
    draw_color_map(item->map, (item->value[i] - item->low) / (span > 0 ? span : 1), linear);
    for (int k = 0; k < 3; k++) s->color[k] = draw_to_srgb(linear[k]);
    memcpy(s->light, linear, sizeof s->light);
}

// A spot below a pixel fades instead. A streak has the light of the spot spread over its way; the root of
// that is nearer to what a film shows, whose bright spots are cut off at white.
static float spread(const sprite *s, float radius) {
    float part = radius < smallest ? radius / smallest : 1;
    float length = sqrtf(s->way[0] * s->way[0] + s->way[1] * s->way[1]);
    return part * sqrtf(1.5708f * s->radius / (1.5708f * s->radius + length));
}

static void make(const sprite_job *job, size_t i, sprite *s) {
    const draw_sprites *item = job->item;
    const float *at = item->at[i], *v = item->velocity ? item->velocity[i] : (const float[3]){0};
    float was[3], b[2], depth, before;
    *s = (sprite){0};
    for (int k = 0; k < 3; k++) was[k] = at[k] - item->shutter * v[k];
    if (!project(&job->now, at, job->scene->nearest, b, &depth)) return;
    if (!project(&job->before, was, job->scene->nearest, s->a, &before)) memcpy(s->a, b, sizeof b);
    for (int k = 0; k < 2; k++) s->way[k] = b[k] - s->a[k];
    float way2 = s->way[0] * s->way[0] + s->way[1] * s->way[1];
    float radius = item->radius * job->now.scale / depth * sprite_size(depth);
    s->radius = fminf(fmaxf(radius, smallest), largest);
    s->per_way2 = way2 > 1e-4f ? 1 / way2 : 0;
    s->sharp = fmaxf(fminf(s->radius / CRYSTAL - 1, 1) - sqrtf(way2) / s->radius, 0);
    s->opacity = sprite_opacity(depth) * spread(s, radius);
    s->depth = depth;
    s->thick = fmaxf(item->radius, 1e-4f);
    float angle = 2.399963f * (float)(i % 65536); // the golden angle: all ways are as frequent
    s->turn[0] = cosf(angle), s->turn[1] = sinf(angle);
    s->shape = item->shape;
    if (item->wet) s->opacity *= WET;
    float top = fminf(s->a[1], b[1]) - s->radius, bottom = fmaxf(s->a[1], b[1]) + s->radius,
          left = fminf(s->a[0], b[0]) - s->radius, right = fmaxf(s->a[0], b[0]) + s->radius;
    if (!(right > 0 && left < (float)job->picture->width && bottom > 0 && top < (float)job->picture->height))
        return;
    s->row0 = (int16_t)fmaxf(top, 0);
    s->row1 = (int16_t)fminf(bottom + 1, (float)job->picture->height);
    set_color(job, i, s);
}

static void make_range(void *context, size_t begin, size_t end) {
    const sprite_job *job = context;
    for (size_t i = begin; i < end; i++) make(job, i, &job->out[i]);
}

static float soft(float inside, float blur) {
    float part = 0.5f + inside / blur;
    return part > 0 ? part < 1 ? part : 1 : 0;
}

// Several spots around the middle, in the order of the golden angle.
static float clump(const sprite *s, float x, float y, float blur) {
    float most = 0, way[2] = {s->turn[0], s->turn[1]};
    for (int n = 0; n < PARTS; n++) {
        float far = n ? 0.5f : 0.1f, size = n & 1 ? 0.42f : 0.5f;
        float dx = x - far * way[0], dy = y - far * way[1], c = -0.737369f, sine = 0.675490f;
        most = fmaxf(most, soft(size - sqrtf(dx * dx + dy * dy), 2 * blur));
        float next = c * way[0] - sine * way[1];
        way[1] = sine * way[0] + c * way[1];
        way[0] = next;
    }
    return most;
}

// What covers a place within a flake (its radius is 1): stars have six arms with side arms, plates six sides,
// needles are long. blur: a pixel.
static float shape_at(const sprite *s, float dx, float dy, float blur) {
    float x = dx * s->turn[0] + dy * s->turn[1], y = dy * s->turn[0] - dx * s->turn[1];
    if (s->shape == DRAW_FLAKE_CLUMP) return clump(s, dx, dy, blur);
    if (s->shape == DRAW_FLAKE_NEEDLE) return soft(fminf(0.18f - fabsf(y), 1 - fabsf(x)), blur);
    x = fabsf(x), y = fabsf(y); // folded into one of twelve equal parts
    if (y > 0.57735f * x) {
        float next = 0.5f * x + 0.8660254f * y;
        y = fabsf(0.8660254f * x - 0.5f * y);
        x = next;
    }
    if (s->shape == DRAW_FLAKE_PLATE) return soft(0.9f - x, blur);
    float along = x - 0.5774f * y, side = along * 4 - floorf(along * 4); // side arms leave at 60 degrees
    bool branch = along > 0.3f && y < 0.45f * (1 - along) + 0.1f;
    float arm = 0.09f - y, twig = branch ? 0.06f - 0.12f * fabsf(side - 0.5f) : -1;
    return soft(fminf(fmaxf(arm, twig), 1 - x), blur);
}

// How much of a flake covers the pixel: a soft disc, or a crystal, moved along its way.
static float cover(const sprite *s, float x, float y) {
    float d[2] = {x - s->a[0], y - s->a[1]};
    float t = (d[0] * s->way[0] + d[1] * s->way[1]) * s->per_way2;
    t = t > 0 ? t < 1 ? t : 1 : 0;
    d[0] -= t * s->way[0];
    d[1] -= t * s->way[1];
    float inside = 1 - (d[0] * d[0] + d[1] * d[1]) / (s->radius * s->radius);
    if (s->shape != DRAW_FLAKE_SPOT && s->sharp > 0 && inside > 0) {
        float blur = fmaxf(1 / s->radius, 0.1f);
        float crystal = shape_at(s, d[0] / s->radius, d[1] / s->radius, blur);
        return inside * inside + s->sharp * (crystal - inside * inside);
    }
    return inside > 0 ? inside * inside : 0;
}

static void blend_light(const sprite *s, float part, float rgba[4]) {
    for (int k = 0; k < 3; k++) rgba[k] += part * (s->light[k] - rgba[k]);
    rgba[3] += part * (1 - rgba[3]);
}

static void blend(const sprite *s, float part, uint8_t *pixel) {
    for (int k = 0; k < 3; k++) {
        float old = (float)pixel[k];
        pixel[k] = (uint8_t)(old + part * (255 * s->color[k] - old) + 0.5f);
    }
}

float sprite_behind(const sprite_scene *scene, const canvas *picture, int x, int y) {
    int times = scene->wide / picture->width;
    int row = scene->high - 1 - (y * times + times / 2);
    return scene->depth[(size_t)row * scene->stride + (size_t)(x * times + times / 2)];
}

// What stands before a flake hides it, softly within the flake's own thickness.
static float seen(const sprite_job *job, const sprite *s, int x, int y) {
    float part = (sprite_behind(job->scene, job->picture, x, y) - s->depth) / s->thick + 0.5f;
    return part > 0 ? part < 1 ? part : 1 : 0;
}

static void draw_sprite(const sprite_job *job, const sprite *s, int row0, int row1) {
    canvas *c = job->picture;
    float x1 = s->a[0] + s->way[0], left = fminf(s->a[0], x1) - s->radius,
          right = fmaxf(s->a[0], x1) + s->radius;
    int column0 = left > 0 ? (int)left : 0, column1 = right < (float)c->width - 1 ? (int)right + 1 : c->width;
    for (int y = s->row0 > row0 ? s->row0 : row0; y < s->row1 && y < row1; y++)
        for (int x = column0; x < column1; x++) {
            float part = cover(s, (float)x + 0.5f, (float)y + 0.5f) * s->opacity;
            if (part > 0.002f) part *= seen(job, s, x, y);
            if (!(part > 0.002f)) continue;
            size_t at = (size_t)y * (size_t)c->width + (size_t)x;
            blend(s, part, c->rgba + 4 * at);
            if (job->scene->light) blend_light(s, part, job->scene->light->rgba[at]);
        }
}

static void draw_band(void *context, size_t band) {
    const sprite_job *job = context;
    int row0 = (int)band * BAND, row1 = row0 + BAND;
    for (size_t i = 0; i < job->count; i++)
        if (job->out[i].row0 < row1 && job->out[i].row1 > row0) draw_sprite(job, &job->out[i], row0, row1);
}

firn_status sprites_draw(sprites *s, const draw_list *list, const sprite_scene *scene, canvas *picture) {
    sprite_job job = {.scene = scene,
                      .picture = picture,
                      .now = sprite_eye_of(&list->camera, picture),
                      .before = sprite_eye_of(&list->before, picture)};
    for (size_t set = 0; set < list->sprite_count; set++) {
        job.item = &list->sprites[set];
        job.count = job.item->count;
        if (!array_reserve(&s->item, &s->capacity, job.count, sizeof *s->item))
            return fail_memory("drawing flakes", job.count * sizeof *s->item);
        job.out = s->item;
        par_for(job.count, BLOCK, make_range, &job);
        par_tasks(((size_t)picture->height + BAND - 1) / BAND, draw_band, &job);
    }
    return FIRN_OK;
}

void sprites_free(sprites *s) {
    mem_free(s->item);
    *s = (sprites){0};
}
