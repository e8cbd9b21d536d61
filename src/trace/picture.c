// A picture in rounds of samples: first all tiles, then those that are still noisy.
#include "trace/trace.h"

trace_options trace_options_default(void) {
    return (trace_options){.noise = 0.03f, .least = 16, .most = 512, .denoise = true, .seed = 1};
}

void trace_picture_free(trace_picture *p) {
    mem_free(p->color);
    mem_free(p->albedo);
    mem_free(p->normal);
    mem_free(p->depth);
    mem_free(p->error);
    *p = (trace_picture){0};
}

#if FIRN_HAVE_EMBREE
#include <string.h>

#include "base/clock.h"
#include "par/par.h"
#include "trace/inside.h"
#include "trace/resume.h"

enum { TILE = 16, ROUND = 8 };
static const float DARK = 0.05f;     // below this brightness noise is not seen
static const double SAVE_EVERY = 15; // s

typedef struct job {
    tracer tracer;
    const trace_options *options;
    trace_state state;
    int width, height, across, down; // pixels; tiles
    uint32_t *active;                // tiles of this round
    size_t active_count;
    uint64_t *rays; // of each tile
} job;

static void take(trace_pixel *to, const path_result *r) {
    float bright = v3_bright(r->light);
    const v3 from[] = {r->light, r->albedo, r->normal, r->glint};
    float *const sums[] = {to->light, to->albedo, to->normal, to->glint};
    for (int i = 0; i < 4; i++) sums[i][0] += from[i].x, sums[i][1] += from[i].y, sums[i][2] += from[i].z;
    to->square += bright * bright;
    if (r->depth >= 0) to->solid += 1, to->depth += r->depth;
}

static void sample_pixel(job *j, int x, int y, uint32_t first, uint32_t count, uint64_t *rays) {
    size_t at = (size_t)y * (size_t)j->width + (size_t)x;
    dice d = dice_of(j->options->seed, at);
    for (uint32_t i = first; i < first + count; i++) {
        d.sample = i;
        d.stream = 0;
        path_result r = path_trace(&j->tracer, j->width, j->height, x, y, &d);
        *rays += r.rays;
        if (isfinite(r.light.x + r.light.y + r.light.z)) take(&j->state.pixel[at], &r);
    }
}

static void sample_tile(void *context, size_t i) {
    job *j = context;
    size_t tile = j->active[i];
    int x0 = (int)(tile % (size_t)j->across) * TILE, y0 = (int)(tile / (size_t)j->across) * TILE;
    uint64_t rays = 0;
    uint32_t first = j->state.samples[tile];
    for (int y = y0; y < y0 + TILE && y < j->height; y++)
        for (int x = x0; x < x0 + TILE && x < j->width; x++) sample_pixel(j, x, y, first, ROUND, &rays);
    j->state.samples[tile] += ROUND;
    j->rays[tile] += rays;
}

// Standard error of a pixel's brightness.
static float pixel_error(const trace_pixel *p, float n) {
    float mean = (0.3f * p->light[0] + 0.59f * p->light[1] + 0.11f * p->light[2]) / n;
    return sqrtf(fmaxf(p->square / n - mean * mean, 0) / fmaxf(n - 1, 1));
}

// Relative to what the eye sees of it: bright things hide more.
static float tile_error(const job *j, size_t tile) {
    int x0 = (int)(tile % (size_t)j->across) * TILE, y0 = (int)(tile / (size_t)j->across) * TILE;
    float sum = 0, count = 0, n = (float)j->state.samples[tile];
    for (int y = y0; y < y0 + TILE && y < j->height; y++)
        for (int x = x0; x < x0 + TILE && x < j->width; x++) {
            const trace_pixel *p = &j->state.pixel[(size_t)y * (size_t)j->width + (size_t)x];
            float mean = (0.3f * p->light[0] + 0.59f * p->light[1] + 0.11f * p->light[2]) / n;
            float error = pixel_error(p, n) / (mean + DARK);
            sum += error * error;
            count += 1;
        }
    return sqrtf(sum / count);
}

// Which tiles need more; *left: how many rounds of one tile all of them will need, as far as can be told.
static void choose(job *j, double *left) {
    size_t tiles = (size_t)j->across * (size_t)j->down;
    const trace_options *o = j->options;
    j->active_count = 0;
    *left = 0;
    for (size_t tile = 0; tile < tiles; tile++) {
        uint32_t n = j->state.samples[tile];
        if (n >= o->most && n >= o->least) continue;
        double wanted = o->least;
        if (n >= o->least) {
            float error = tile_error(j, tile) / o->noise;
            if (!(error > 1)) continue;
            wanted = (double)n * (double)error * (double)error;
        }
        *left += fmax(fmin(wanted, o->most) - n, ROUND) / ROUND;
        j->active[j->active_count++] = (uint32_t)tile;
    }
}

static firn_status stopped(job *j) {
    TRY(trace_state_save(&j->state, j->options));
    return fail(FIRN_INTERRUPTED, "stopped%s",
                j->options->resume ? "; the same command goes on from here" : "");
}

static firn_status rounds(job *j) {
    const trace_options *o = j->options;
    double began = clock_seconds(), saved = began, done = 0, left;
    for (;;) {
        choose(j, &left);
        if (j->active_count == 0) return FIRN_OK;
        // A few tiles at a time, so that one can stop.
        for (size_t first = 0; first < j->active_count;) {
            job part = *j;
            part.active += first;
            size_t many = j->active_count - first < 64 ? j->active_count - first : 64;
            par_tasks(many, sample_tile, &part);
            first += many;
            done += (double)many;
            left -= (double)many;
            double now = clock_seconds(), each = (now - began) / done;
            if (now - saved > SAVE_EVERY) {
                TRY(trace_state_save(&j->state, o));
                saved = clock_seconds();
            }
            if (o->progress) o->progress(o->context, done / (done + left), each * left);
            if (o->stop && o->stop(o->context)) return stopped(j);
        }
    }
}

static firn_status picture_alloc(int width, int height, trace_picture *out) {
    size_t n = (size_t)width * (size_t)height;
    *out = (trace_picture){.width = width,
                           .height = height,
                           .color = mem_zero(n, sizeof *out->color),
                           .albedo = mem_zero(n, sizeof *out->albedo),
                           .normal = mem_zero(n, sizeof *out->normal),
                           .depth = mem_zero(n, sizeof *out->depth),
                           .error = mem_zero(n, sizeof *out->error)};
    if (out->color && out->albedo && out->normal && out->depth && out->error) return FIRN_OK;
    return fail_memory("a picture of final quality", n * 48);
}

// Means of the samples; glints stay apart, since a denoiser would take them for noise.
static void develop(const job *j, trace_picture *out) {
    for (int y = 0; y < j->height; y++)
        for (int x = 0; x < j->width; x++) {
            size_t at = (size_t)y * (size_t)j->width + (size_t)x,
                   tile = (size_t)(y / TILE) * (size_t)j->across + (size_t)(x / TILE);
            const trace_pixel *p = &j->state.pixel[at];
            float n = fmaxf((float)j->state.samples[tile], 1);
            for (int k = 0; k < 3; k++) {
                out->color[at][k] = p->light[k] / n;
                out->albedo[at][k] = p->albedo[k] / n;
                out->normal[at][k] = p->normal[k] / n;
            }
            out->color[at][3] = p->solid / n;
            out->depth[at] = p->solid > 0 ? p->depth / p->solid : 1e10f;
            out->error[at] = pixel_error(p, n);
        }
}

static void add_glints(const job *j, trace_picture *out) {
    for (size_t at = 0; at < (size_t)j->width * (size_t)j->height; at++) {
        size_t tile = (at / (size_t)j->width / TILE) * (size_t)j->across + at % (size_t)j->width / TILE;
        for (int k = 0; k < 3; k++)
            out->color[at][k] += j->state.pixel[at].glint[k] / fmaxf((float)j->state.samples[tile], 1);
    }
}

static firn_status draw(job *j, trace_picture *out) {
    size_t tiles = (size_t)j->across * (size_t)j->down;
    j->active = mem_zero(tiles, sizeof *j->active);
    j->rays = mem_zero(tiles, sizeof *j->rays);
    if (!j->active || !j->rays) return fail_memory("a picture of final quality", tiles * 12);
    TRY(trace_state_open(&j->state, (size_t)j->width * (size_t)j->height, tiles, j->options));
    TRY(rounds(j));
    TRY(picture_alloc(j->width, j->height, out));
    develop(j, out);
    for (size_t i = 0; i < tiles; i++)
        out->rays += j->rays[i], out->samples += j->state.samples[i] * (TILE * TILE);
    if (j->options->denoise) TRY(trace_denoise(out));
    add_glints(j, out);
    return FIRN_OK;
}

firn_status trace_check(void) {
    embree rtc;
    return embree_open(&rtc);
}

firn_status trace_draw(const trace_scene *scene, int width, int height, const trace_options *options,
                       trace_picture *out) {
    *out = (trace_picture){0};
    job j = {.options = options,
             .width = width,
             .height = height,
             .across = (width + TILE - 1) / TILE,
             .down = (height + TILE - 1) / TILE};
    firn_status status = tracer_open(&j.tracer, scene, width, height);
    if (status == FIRN_OK) status = draw(&j, out);
    if (status != FIRN_OK) trace_picture_free(out);
    trace_state_close(&j.state);
    mem_free(j.active);
    mem_free(j.rays);
    tracer_close(&j.tracer);
    return status;
}

#else
firn_status trace_check(void) {
    return fail(FIRN_UNSUPPORTED,
                "this build of firn cannot draw pictures of final quality: Embree was not there when it "
                "was built; install libembree-dev, build again (tools/build), or use --quality draft");
}

firn_status trace_draw(const trace_scene *scene, int width, int height, const trace_options *options,
                       trace_picture *out) {
    (void)scene, (void)width, (void)height, (void)options;
    *out = (trace_picture){0};
    return trace_check();
}
#endif
