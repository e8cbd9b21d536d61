// Refinement of the snow field mesh: a quadtree from the bottom up. A square is split where its centre and
// edge midpoints deviate visibly from the interpolation of its corners; then neighbours of split squares are
// split until levels differ by one at most.
#include <math.h>
#include <string.h>

#include "geom/height_mesh.h"
#include "par/par.h"

enum { PAGE_LEVEL = 6, PAGE = 1 << PAGE_LEVEL, SIDE = PAGE + 1 };

static const float finest_pixels = 1.5f; // squares smaller than this are not split
static const float height_pixels = 0.3f; // heights off by less than this are not seen
static const float same_height = 1e-6f;  // m
static const float slope_seen = 0.015f;  // light shows slopes off by more than this
static const float tone_seen = 0.05f;

// Height and tone at the corners of a page's cells.
typedef struct level_page {
    float height[SIDE][SIDE], tone[SIDE][SIDE];
} level_page;

typedef struct level_job {
    const firn_snowfield *field;
    const height_mesh_look *look;
    height_levels *levels;
    int32_t columns; // pages
} level_job;

// What decides on the colour: how dense, and whether the ground shows through.
static float tone_of(const firn_snowfield *f, float depth, float density) {
    return density / (4 * (float)f->plain_density) + 2 * fminf(depth / 0.02f, 1);
}

static float distance_to(const firn_snowfield *f, const float eye[3], int32_t x, int32_t z, int32_t size,
                         float height) {
    float low[2] = {(float)(f->x0 + x * f->cell), (float)(f->z0 + z * f->cell)},
          wide = (float)(size * f->cell);
    float dx = fmaxf(fmaxf(low[0] - eye[0], eye[0] - low[0] - wide), 0),
          dz = fmaxf(fmaxf(low[1] - eye[2], eye[2] - low[1] - wide), 0), dy = eye[1] - height;
    return sqrtf(dx * dx + dy * dy + dz * dz);
}

// h, t: corners, middles of edges and the middle of a square, row by row.
static bool must_split(const level_job *job, const float h[9], const float t[9], int32_t x, int32_t z,
                       int32_t size) {
    static const int between[5][4] = {{0, 2, 0, 2}, {0, 6, 0, 6}, {2, 8, 2, 8}, {6, 8, 6, 8}, {0, 2, 6, 8}};
    static const int middle[5] = {1, 3, 5, 7, 4};
    float off = 0, tint = 0;
    for (int i = 0; i < 5; i++) {
        const int *k = between[i];
        off = fmaxf(off, fabsf(h[middle[i]] - 0.25f * (h[k[0]] + h[k[1]] + h[k[2]] + h[k[3]])));
        tint = fmaxf(tint, fabsf(t[middle[i]] - 0.25f * (t[k[0]] + t[k[1]] + t[k[2]] + t[k[3]])));
    }
    float pixel = job->look->pixel * distance_to(job->field, job->look->eye, x, z, size, h[4]);
    float wide = (float)(size * job->field->cell);
    return wide > finest_pixels * pixel &&
           (off > fmaxf(height_pixels * pixel, same_height) || off > slope_seen * wide || tint > tone_seen);
}

static bool page_is_plain(const firn_snowfield *f, int32_t x, int32_t z) {
    for (int32_t row = z > 0 ? (z - 1) / f->edge : 0; row <= (z + PAGE) / f->edge && row < f->rows; row++)
        for (int32_t column = x > 0 ? (x - 1) / f->edge : 0;
             column <= (x + PAGE) / f->edge && column < f->columns; column++)
            if (f->tile[(size_t)row * (size_t)f->columns + (size_t)column] >= 0) return false;
    return true;
}

static void read_page(const firn_snowfield *f, int32_t x, int32_t z, level_page *out) {
    float surface[2][SIDE + 1], depth[2][SIDE + 1], density[2][SIDE + 1];
    for (int32_t r = 0; r <= SIDE; r++) { // rows of cells, one before the page and one after
        int now = r & 1, last = now ^ 1;
        firn_snowfield_read(f, (firn_cells){x - 1, z - 1 + r, x + SIDE, z + r}, surface[now], depth[now],
                            density[now]);
        for (int32_t i = 0; r > 0 && i < SIDE; i++) {
            out->height[r - 1][i] =
                0.25f * (surface[now][i] + surface[now][i + 1] + surface[last][i] + surface[last][i + 1]);
            out->tone[r - 1][i] = tone_of(
                f, 0.25f * (depth[now][i] + depth[now][i + 1] + depth[last][i] + depth[last][i + 1]),
                0.25f * (density[now][i] + density[now][i + 1] + density[last][i] + density[last][i + 1]));
        }
    }
}

static void mark_level(const level_job *job, const level_page *page, int32_t x, int32_t z, int level) {
    height_levels *l = job->levels;
    int32_t size = 1 << level, half = size / 2;
    for (int32_t row = z >> level; row < (z + PAGE) >> level && row < l->rows[level]; row++)
        for (int32_t column = x >> level; column < (x + PAGE) >> level && column < l->columns[level];
             column++) {
            float h[9], t[9];
            int32_t i = (column << level) - x, k = (row << level) - z;
            for (int n = 0; n < 9; n++) {
                h[n] = page->height[k + n / 3 * half][i + n % 3 * half];
                t[n] = page->tone[k + n / 3 * half][i + n % 3 * half];
            }
            if (must_split(job, h, t, i + x, k + z, size))
                l->split[level][(size_t)row * (size_t)l->columns[level] + (size_t)column] = 1;
        }
}

static void mark_pages(void *context, size_t begin, size_t end) {
    const level_job *job = context;
    for (size_t p = begin; p < end; p++) {
        int32_t x = (int32_t)(p % (size_t)job->columns) * PAGE,
                z = (int32_t)(p / (size_t)job->columns) * PAGE;
        if (page_is_plain(job->field, x, z)) continue;
        level_page page;
        read_page(job->field, x, z, &page);
        for (int level = 1; level <= PAGE_LEVEL && level < job->levels->count; level++)
            mark_level(job, &page, x, z, level);
    }
}

// Above the pages there are few squares.
static void mark_high(const level_job *job, int32_t level) {
    height_levels *l = job->levels;
    int32_t size = 1 << level, half = size / 2;
    for (int32_t row = 0; row < l->rows[level]; row++)
        for (int32_t column = 0; column < l->columns[level]; column++) {
            float h[9], t[9] = {0};
            for (int n = 0; n < 9; n++)
                h[n] =
                    height_corner_height(job->field, column * size + n % 3 * half, row * size + n / 3 * half);
            if (must_split(job, h, t, column * size, row * size, size))
                l->split[level][(size_t)row * (size_t)l->columns[level] + (size_t)column] = 1;
        }
}

// Squares that stand out over the border are split until they do not.
static void mark_border(const firn_snowfield *f, height_levels *l, int32_t level) {
    int32_t columns = l->columns[level], rows = l->rows[level];
    if ((columns << level) > f->nx)
        for (int32_t row = 0; row < rows; row++)
            l->split[level][(size_t)row * (size_t)columns + (size_t)columns - 1] = 1;
    if ((rows << level) > f->nz)
        memset(l->split[level] + (size_t)(rows - 1) * (size_t)columns, 1, (size_t)columns);
}

// The neighbours of a split square exist, so what holds them is split.
static void balance(height_levels *l, int32_t level) {
    int32_t columns = l->columns[level], rows = l->rows[level], up = level + 1;
    for (int32_t row = 0; row < rows; row++) {
        const uint8_t *line = l->split[level] + (size_t)row * (size_t)columns;
        for (int32_t column = 0; column < columns; column++) {
            if (!line[column]) continue;
            for (int32_t r = row - 1; r <= row + 1; r++)
                for (int32_t c = column - 1; c <= column + 1; c++)
                    if (r >= 0 && c >= 0 && r < rows && c < columns)
                        l->split[up][(size_t)(r >> 1) * (size_t)l->columns[up] + (size_t)(c >> 1)] = 1;
        }
    }
}

static firn_status make_levels(const firn_snowfield *f, height_levels *l) {
    l->count = 0;
    for (int32_t level = 0; level < HEIGHT_LEVELS; level++) {
        int32_t size = 1 << level;
        l->columns[level] = (f->nx + size - 1) / size;
        l->rows[level] = (f->nz + size - 1) / size;
        l->count = level + 1;
        size_t squares = (size_t)l->columns[level] * (size_t)l->rows[level];
        if (level > 0) {
            if (!array_reserve(&l->split[level], &l->capacity[level], squares, 1))
                return fail_memory("drawing the snow field", squares);
            memset(l->split[level], 0, squares);
        }
        if (squares == 1) break;
    }
    return FIRN_OK;
}

firn_status height_levels_build(const firn_snowfield *f, const height_mesh_look *look, height_levels *l) {
    TRY(make_levels(f, l));
    level_job job = {f, look, l, (f->nx + PAGE - 1) / PAGE};
    size_t pages = (size_t)job.columns * (size_t)((f->nz + PAGE - 1) / PAGE);
    par_for(pages, 4, mark_pages, &job);
    for (int32_t level = 1; level < l->count; level++) {
        if (level > PAGE_LEVEL) mark_high(&job, level);
        mark_border(f, l, level);
        if (level + 1 < l->count) balance(l, level);
    }
    return FIRN_OK;
}

void height_levels_free(height_levels *l) {
    for (int level = 0; level < HEIGHT_LEVELS; level++) mem_free(l->split[level]);
    *l = (height_levels){0};
}
