// Denoising: each pixel becomes a mean of those around it that show the same thing. How alike two are is told
// by albedo, normal and depth, and by their light as far as it differs by more than its noise (non-local
// means with variances: Rousselle 2012; features: Rousselle 2013). Light is
// divided by the albedo before, so that paint stays sharp.
#include <math.h>

#include "par/par.h"
#include "trace/trace.h"

enum { REACH = 7, PATCH = 1 };
static const float STRENGTH = 0.8f; // how many deviations of light count as alike
static const float NORMALS = 0.18f, ALBEDOS = 0.05f,
                   DEPTHS = 0.03f; // differences that count as another thing
static const float LEAST = 0.02f;  // albedo that light is divided by, at least

typedef struct denoise_job {
    trace_picture *p;
    float (*light)[3]; // over albedo
    float *variance;   // of the brightness of that
    float *calm;       // the same, smoothed
    float (*out)[3];
} denoise_job;

static float square(float x) { return x * x; }
static float bright(const float c[3]) { return 0.3f * c[0] + 0.59f * c[1] + 0.11f * c[2]; }
static int within(int x, int size) { return x < 0 ? 0 : x < size ? x : size - 1; }

static void divide_row(void *context, size_t y) {
    denoise_job *j = context;
    trace_picture *p = j->p;
    for (int x = 0; x < p->width; x++) {
        size_t at = y * (size_t)p->width + (size_t)x;
        for (int k = 0; k < 3; k++) j->light[at][k] = p->color[at][k] / fmaxf(p->albedo[at][k], LEAST);
        j->variance[at] = square(p->error[at] / fmaxf(bright(p->albedo[at]), LEAST));
    }
}

// Variances of few samples are noisy themselves: means of nine.
static void calm_row(void *context, size_t y) {
    denoise_job *j = context;
    const trace_picture *p = j->p;
    for (int x = 0; x < p->width; x++) {
        float sum = 0;
        for (int k = 0; k < 9; k++)
            sum += j->variance[(size_t)within((int)y + k / 3 - 1, p->height) * (size_t)p->width +
                               (size_t)within(x + k % 3 - 1, p->width)];
        j->calm[y * (size_t)p->width + (size_t)x] = sum / 9;
    }
}

// Difference of the light around two pixels, over what noise explains.
static float light_difference(const denoise_job *j, int x, int y, int dx, int dy) {
    const trace_picture *p = j->p;
    float sum = 0;
    for (int v = -PATCH; v <= PATCH; v++)
        for (int u = -PATCH; u <= PATCH; u++) {
            size_t a = (size_t)within(y + v, p->height) * (size_t)p->width + (size_t)within(x + u, p->width),
                   b = (size_t)within(y + v + dy, p->height) * (size_t)p->width +
                       (size_t)within(x + u + dx, p->width);
            float va = j->calm[a], vb = fminf(j->calm[b], va);
            float d = square(bright(j->light[a]) - bright(j->light[b]));
            sum += (d - (va + vb)) / (1e-6f + STRENGTH * STRENGTH * (va + j->calm[b]));
        }
    return fmaxf(sum / square(2 * PATCH + 1), 0);
}

static float feature_difference(const trace_picture *p, size_t a, size_t b) {
    float n = 0, c = 0, depth = (p->depth[a] - p->depth[b]) / (DEPTHS * fminf(p->depth[a], p->depth[b]));
    for (int k = 0; k < 3; k++) {
        n += square(p->normal[a][k] - p->normal[b][k]);
        c += square(p->albedo[a][k] - p->albedo[b][k]);
    }
    return fmaxf(fmaxf(n / square(NORMALS), c / square(ALBEDOS)), square(depth));
}

static void mean_of(const denoise_job *j, int x, int y, float out[3]) {
    const trace_picture *p = j->p;
    size_t a = (size_t)y * (size_t)p->width + (size_t)x;
    float sum[3] = {0}, weight = 0;
    for (int dy = -REACH; dy <= REACH; dy++)
        for (int dx = -REACH; dx <= REACH; dx++) {
            if (x + dx < 0 || x + dx >= p->width || y + dy < 0 || y + dy >= p->height) continue;
            size_t b = (size_t)(y + dy) * (size_t)p->width + (size_t)(x + dx);
            float f = feature_difference(p, a, b);
            if (f > 4) continue;
            float w = expf(-fmaxf(f, light_difference(j, x, y, dx, dy)));
            for (int k = 0; k < 3; k++) sum[k] += w * j->light[b][k];
            weight += w;
        }
    for (int k = 0; k < 3; k++) out[k] = sum[k] / weight * fmaxf(p->albedo[a][k], LEAST);
}

static void filter_row(void *context, size_t y) {
    denoise_job *j = context;
    for (int x = 0; x < j->p->width; x++) {
        size_t at = y * (size_t)j->p->width + (size_t)x;
        if (j->calm[at] > 0)
            mean_of(j, x, (int)y, j->out[at]);
        else
            for (int k = 0; k < 3; k++) j->out[at][k] = j->p->color[at][k];
    }
}

static void copy_row(void *context, size_t y) {
    denoise_job *j = context;
    for (int x = 0; x < j->p->width; x++) {
        size_t at = y * (size_t)j->p->width + (size_t)x;
        for (int k = 0; k < 3; k++) j->p->color[at][k] = j->out[at][k];
    }
}

firn_status trace_denoise(trace_picture *p) {
    size_t n = (size_t)p->width * (size_t)p->height, rows = (size_t)p->height;
    denoise_job j = {p, mem_alloc(n * sizeof *j.light), mem_alloc(n * sizeof *j.variance),
                     mem_alloc(n * sizeof *j.calm), mem_alloc(n * sizeof *j.out)};
    firn_status status =
        j.light && j.variance && j.calm && j.out ? FIRN_OK : fail_memory("denoising a picture", n * 28);
    if (status == FIRN_OK) {
        par_tasks(rows, divide_row, &j);
        par_tasks(rows, calm_row, &j);
        par_tasks(rows, filter_row, &j);
        par_tasks(rows, copy_row, &j);
    }
    mem_free(j.light);
    mem_free(j.variance);
    mem_free(j.calm);
    mem_free(j.out);
    return status;
}
