// Small spheres as squares of depth and colour, by tiles on all cores.
#include "draw/splat.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

enum { BAND = 16, BLOCK = 8192 };
static const uint32_t nobody = UINT32_MAX;

typedef struct splat_point {
    float x, y, depth, radius; // pixels, and depth in metres
    float world;               // radius in metres; 0: not drawn
} splat_point;

// One call of splat_draw, as its tasks see it.
typedef struct splat_job {
    splat_picture *picture;
    const splat_view *view;
    const draw_list *list;
    size_t *first; // number of the first point of each set
    size_t points;
    bool surface;
    uint8_t map[256][4];
} splat_job;

static bool reserve_pixels(splat_picture *p, size_t pixels, bool surface) {
    if (pixels > p->capacity) {
        float *depth = mem_resize(p->depth, pixels * sizeof *depth);
        if (!depth) return false;
        p->depth = depth;
        p->capacity = surface ? 0 : pixels; // the rest may still fail
    }
    if (!surface || pixels <= p->capacity) return true;
    uint32_t *point = mem_resize(p->point, pixels * sizeof *point);
    if (point) p->point = point;
    void *color = point ? mem_resize(p->color, pixels * sizeof *p->color) : NULL;
    if (color) p->color = color;
    void *normal = color ? mem_resize(p->normal, pixels * sizeof *p->normal) : NULL;
    if (!normal) return false;
    p->normal = normal;
    p->capacity = pixels;
    return true;
}

static void project(const splat_view *v, const float at[3], float radius, splat_point *out) {
    float d[3], x = 0, y = 0, w = 0;
    for (int k = 0; k < 3; k++) d[k] = at[k] - v->origin[k];
    for (int k = 0; k < 3; k++) {
        x += d[k] * v->right[k];
        y += d[k] * v->up[k];
        w += d[k] * v->forward[k];
    }
    *out = (splat_point){.depth = w};
    if (!(w > v->nearest) || !(w < 1e30f)) return;
    float scale = v->parallel ? v->scale : v->scale / w;
    float pixels = fmaxf(radius * scale, 0.5f); // a point never vanishes
    if (pixels > v->largest) return;
    out->x = (float)v->width * 0.5f + x * scale;
    out->y = (float)v->height * 0.5f + y * scale;
    if (!(out->x + pixels > 0 && out->y + pixels > 0 && out->x - pixels < (float)v->width &&
          out->y - pixels < (float)v->height))
        return;
    out->radius = pixels;
    out->world = radius;
}

static size_t set_of(const splat_job *job, size_t point) {
    size_t set = 0;
    while (set + 1 < job->list->point_count && point >= job->first[set + 1]) set++;
    return set;
}

static void project_range(void *context, size_t begin, size_t end) {
    const splat_job *job = context;
    for (size_t i = begin; i < end;) {
        size_t set = set_of(job, i);
        const draw_points *points = &job->list->points[set];
        size_t stop = job->first[set] + points->count < end ? job->first[set] + points->count : end;
        bool seen = job->surface || !points->drawing;
        for (; i < stop; i++)
            if (seen)
                project(job->view, points->at[i - job->first[set]], points->radius,
                        &job->picture->projected[i]);
            else
                job->picture->projected[i].world = 0;
    }
}

// The first pixel whose middle is at or after x, within 0..limit. No call to ceilf, which plain x86-64 has no
// instruction for.
static int first_pixel(float x, int limit) {
    x -= 0.5f;
    if (!(x > 0)) return 0;
    if (x >= (float)limit) return limit;
    int whole = (int)x;
    return whole + (x > (float)whole);
}

// Pixels whose middle is inside [middle - radius, middle + radius] along one axis.
static void pixel_span(float middle, float radius, int limit, int *from, int *to) {
    *from = first_pixel(middle - radius, limit);
    *to = first_pixel(middle + radius, limit);
    // The smallest may fall between the middles of pixels: it takes the one it is in.
    if (*from >= *to && radius <= 0.71f) {
        *from = middle > 0 ? middle < (float)limit ? (int)middle : limit - 1 : 0;
        *to = *from + 1;
    }
}

// For each band of rows the points that touch it, in their order: a count, a running sum, a fill.
static bool bin_points(splat_job *job, size_t bands) {
    splat_picture *p = job->picture;
    if (!array_reserve(&p->bin_start, &p->bin_start_capacity, bands + 2, sizeof *p->bin_start)) return false;
    uint32_t *start = p->bin_start;
    memset(start, 0, (bands + 2) * sizeof *start);
    p->area = (splat_area){job->view->width, job->view->height, 0, 0};
    for (int filling = 0; filling < 2; filling++) {
        for (size_t i = 0; i < job->points; i++) {
            const splat_point *s = &p->projected[i];
            if (s->world == 0) continue;
            int y0, y1, x0, x1;
            pixel_span(s->y, s->radius, job->view->height, &y0, &y1);
            if (y0 >= y1) continue;
            for (int band = y0 / BAND; band <= (y1 - 1) / BAND; band++) {
                if (filling)
                    p->bin[start[band + 1]++] = (uint32_t)i;
                else
                    start[band + 2]++;
            }
            if (filling) continue;
            pixel_span(s->x, s->radius, job->view->width, &x0, &x1);
            if (x0 < p->area.x0) p->area.x0 = x0;
            if (x1 > p->area.x1) p->area.x1 = x1;
            if (y0 < p->area.y0) p->area.y0 = y0;
            if (y1 > p->area.y1) p->area.y1 = y1;
        }
        if (filling) break;
        for (size_t b = 2; b < bands + 2; b++) start[b] += start[b - 1];
        if (!array_reserve(&p->bin, &p->bin_capacity, (size_t)start[bands + 1] + 1, sizeof *p->bin))
            return false;
    }
    return true;
}

static void draw_row(const splat_point *s, float *depth, uint32_t *point, uint32_t i, int x0, int x1,
                     float rest) {
    float per_radius = 1 / s->radius, front = s->depth - s->world;
    for (int x = x0; x < x1; x++) {
        if (front >= depth[x]) continue; // most are hidden whole; that is cheap to see
        float dx = ((float)x + 0.5f - s->x) * per_radius, high = rest - dx * dx;
        float w = s->depth - (high > 0 ? s->world * sqrtf(high) : 0);
        if (w >= depth[x]) continue;
        depth[x] = w;
        point[x] = i;
    }
}

// Without surface (shadows) a disc facing the light is as good as a sphere.
static void draw_flat_row(const splat_point *s, float *depth, int x0, int x1) {
    float w = s->depth - 0.6f * s->world;
    for (int x = x0; x < x1; x++) depth[x] = w < depth[x] ? w : depth[x];
}

static void draw_point(const splat_job *job, uint32_t i, int row0, int row1) {
    splat_picture *p = job->picture;
    const splat_point *s = &p->projected[i];
    bool smallest = s->radius <= 0.71f; // its one pixel may lie beyond its rim
    int x0, x1, y0, y1;
    pixel_span(s->y, s->radius, job->view->height, &y0, &y1);
    if (y0 < row0) y0 = row0;
    if (y1 > row1) y1 = row1;
    for (int y = y0; y < y1; y++) {
        size_t row = (size_t)y * (size_t)job->view->width;
        float dy = ((float)y + 0.5f - s->y) / s->radius, rest = dy * dy < 1 ? 1 - dy * dy : 0;
        pixel_span(s->x, smallest ? s->radius : s->radius * sqrtf(rest), job->view->width, &x0, &x1);
        if (job->surface)
            draw_row(s, p->depth + row, p->point + row, i, x0, x1, rest);
        else
            draw_flat_row(s, p->depth + row, x0, x1);
    }
}

static void color_of(const splat_job *job, uint32_t i, uint8_t out[4]) {
    size_t set = set_of(job, i);
    const draw_points *points = &job->list->points[set];
    if (points->value) {
        float span = points->high - points->low,
              t = (points->value[i - job->first[set]] - points->low) / (span > 0 ? span : 1);
        memcpy(out, job->map[t > 0 ? t < 1 ? (size_t)(t * 255 + 0.5f) : 255 : 0],
               4); // not a number: the low end
        return;
    }
    for (int k = 0; k < 3; k++) out[k] = (uint8_t)(sqrtf(fminf(fmaxf(points->color[k], 0), 1)) * 255 + 0.5f);
    out[3] = 51; // grains, see shader_surface
}

static void finish_row(const splat_job *job, int y) {
    splat_picture *p = job->picture;
    for (int x = p->area.x0; x < p->area.x1; x++) {
        size_t at = (size_t)y * (size_t)job->view->width + (size_t)x;
        uint32_t i = p->point[at];
        if (i == nobody) continue;
        const splat_point *s = &p->projected[i];
        float dx = ((float)x + 0.5f - s->x) / s->radius, dy = ((float)y + 0.5f - s->y) / s->radius,
              r2 = dx * dx + dy * dy;
        if (r2 > 1) { // the smallest points may reach past their rim
            dx /= sqrtf(r2);
            dy /= sqrtf(r2);
        }
        p->normal[at][0] = (uint16_t)((0.5f + 0.5f * dx) * 65535);
        p->normal[at][1] = (uint16_t)((0.5f + 0.5f * dy) * 65535);
        color_of(job, i, p->color[at]);
    }
}

static void scale_row(const splat_job *job, int y) {
    const splat_area *a = &job->picture->area;
    float *depth = job->picture->depth + (size_t)y * (size_t)job->view->width;
    for (int x = a->x0; x < a->x1; x++) depth[x] = fminf(fmaxf(depth[x] * job->view->depth_scale, 0), 1);
}

static void draw_band(void *context, size_t band) {
    const splat_job *job = context;
    splat_picture *p = job->picture;
    int row0 = (int)band * BAND, row1 = row0 + BAND;
    if (row0 < p->area.y0) row0 = p->area.y0;
    if (row1 > p->area.y1) row1 = p->area.y1;
    for (int y = row0; y < row1; y++) {
        size_t from = (size_t)y * (size_t)job->view->width + (size_t)p->area.x0,
               count = (size_t)(p->area.x1 - p->area.x0);
        for (size_t k = from; k < from + count; k++) p->depth[k] = INFINITY;
        if (job->surface) memset(p->point + from, 0xff, count * sizeof *p->point);
    }
    uint32_t stop = p->bin_start[band + 1];
    for (uint32_t k = p->bin_start[band]; k < stop; k++) {
        if (k + 8 < stop) __builtin_prefetch(&p->projected[p->bin[k + 8]]);
        draw_point(job, p->bin[k], row0, row1);
    }
    for (int y = row0; y < row1; y++) {
        if (job->surface) finish_row(job, y);
        if (job->view->depth_scale != 0) scale_row(job, y);
    }
}

static firn_status number_sets(splat_job *job) {
    size_t sets = job->list->point_count;
    job->first = mem_alloc((sets + 1) * sizeof *job->first);
    if (!job->first) return fail_memory("drawing points", (sets + 1) * sizeof *job->first);
    for (size_t s = 0; s < sets; s++) {
        job->first[s] = job->points;
        job->points += job->list->points[s].count;
    }
    if (job->points >= nobody)
        return fail(FIRN_UNSUPPORTED, "too many points in one picture: more than 4 294 967 294");
    return FIRN_OK;
}

static void fill_map(splat_job *job) {
    draw_colors map = DRAW_COLORS_SEQUENTIAL; // the same for all sets that have values
    for (size_t s = 0; s < job->list->point_count; s++)
        if (job->list->points[s].value) map = job->list->points[s].map;
    for (int i = 0; i < 256; i++) {
        float linear[3];
        draw_color_paint(map, (float)i / 255, linear);
        for (int k = 0; k < 3; k++) job->map[i][k] = (uint8_t)(sqrtf(linear[k]) * 255 + 0.5f);
        job->map[i][3] = 77;
    }
}

static firn_status splat_run(splat_job *job) {
    splat_picture *p = job->picture;
    TRY(number_sets(job));
    p->area = (splat_area){0};
    if (job->points == 0) return FIRN_OK;
    size_t pixels = (size_t)job->view->width * (size_t)job->view->height;
    size_t bands = ((size_t)job->view->height + BAND - 1) / BAND;
    if (!reserve_pixels(p, pixels, job->surface) ||
        !array_reserve(&p->projected, &p->projected_capacity, job->points, sizeof *p->projected))
        return fail_memory("drawing points", pixels * 16 + job->points * sizeof *p->projected);
    par_for(job->points, BLOCK, project_range, job);
    if (!bin_points(job, bands)) return fail_memory("drawing points", job->points * sizeof *p->bin);
    if (job->surface) fill_map(job);
    par_tasks(bands, draw_band, job);
    return FIRN_OK;
}

firn_status splat_draw(splat_picture *picture, const splat_view *view, const draw_list *list, bool surface) {
    splat_job job = {.picture = picture, .view = view, .list = list, .surface = surface};
    firn_status status = splat_run(&job);
    mem_free(job.first);
    return status;
}

void splat_free(splat_picture *p) {
    mem_free(p->depth);
    mem_free(p->point);
    mem_free(p->color);
    mem_free(p->normal);
    mem_free(p->projected);
    mem_free(p->bin);
    mem_free(p->bin_start);
    *p = (splat_picture){0};
}
