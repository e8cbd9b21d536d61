// Depths of triangles seen from the sun, on all cores: the shadow map.
#include "draw/rasteriser.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "par/par.h"

enum { BAND = 32, VERTICES = 4096, TRIANGLES = 2048, WORTH_KEEPING = 4096 };

// A mesh; blocks of triangles and of vertices are numbered through all meshes.
typedef struct raster_item {
    const mesh *mesh;
    float matrix[12]; // from the mesh to the picture
    size_t vertex, vertex_block, block;
} raster_item;

typedef struct raster_job {
    rasteriser *s;
    const raster_view *view;
    const splat_picture *points; // NULL: none
    const float *still;          // NULL: 1 everywhere
    size_t items, vertices, vertex_blocks, blocks, bands;
    float *depth;
    int (*drawn)[2]; // columns of each band that `depth` has other than `still`
    void (*draw_span)(const raster_span *s, float *depth, int x0, int x1);
} raster_job;

static void mesh_matrix(const raster_view *v, const draw_mesh *item, float out[12]) {
    float w = item->rotation[0], x = item->rotation[1], y = item->rotation[2], z = item->rotation[3];
    const float turn[4][3] = {
        {1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
        {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
        {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)},
        {item->at[0], item->at[1], item->at[2]},
    };
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 3; row++) {
            float sum = column == 3 ? v->matrix[9 + row] : 0;
            for (int k = 0; k < 3; k++) sum += v->matrix[3 * k + row] * turn[column][k];
            out[3 * column + row] = sum;
        }
}

static void project_block(void *context, size_t block) {
    const raster_job *job = context;
    const raster_item *item = job->s->item;
    while (item + 1 < job->s->item + job->items && item[1].vertex_block <= block) item++;
    size_t first = (block - item->vertex_block) * VERTICES, last = first + VERTICES;
    if (last > item->mesh->vertices) last = item->mesh->vertices;
    const float *m = item->matrix;
    for (size_t i = first; i < last; i++) {
        const float *p = item->mesh->position[i];
        for (int k = 0; k < 3; k++)
            job->s->at[item->vertex + i][k] = m[k] * p[0] + m[3 + k] * p[1] + m[6 + k] * p[2] + m[9 + k];
    }
}

// No fminf, which is a call on plain x86-64.
static float least(float a, float b) { return a < b ? a : b; }
static float most(float a, float b) { return a > b ? a : b; }
static float least3(float a, float b, float c) { return least(a, least(b, c)); }
static float most3(float a, float b, float c) { return most(a, most(b, c)); }

// Pixels whose middles lie in [low, high], of 0 .. limit; false if there are none.
static bool middles(float low, float high, int limit, int *from, int *to) {
    low -= 0.5f;
    high -= 0.5f;
    if (!(high >= 0 && low <= (float)(limit - 1))) return false; // not a number: none
    *from = low > 0 ? (int)low : 0;
    *from += (float)*from < low;
    *to = high < (float)limit ? (int)high + 1 : limit;
    return *from < *to;
}

// Corners of a triangle by height; the rows that it may cover. False: none.
static bool corners_of(const raster_job *job, const raster_item *item, size_t triangle, const float *p[3],
                       int *from, int *to) {
    const uint32_t *t = item->mesh->triangle[triangle];
    for (int k = 0; k < 3; k++) p[k] = job->s->at[item->vertex + t[k]];
    for (int k = 0; k < 3; k++) { // 0 1, 1 2, 0 1
        const float **pair = &p[k & 1], *lower = pair[0];
        if (lower[1] <= pair[1][1]) continue;
        pair[0] = pair[1];
        pair[1] = lower;
    }
    int x0, x1;
    return middles(p[0][1], p[2][1], job->view->height, from, to) &&
           middles(least3(p[0][0], p[1][0], p[2][0]), most3(p[0][0], p[1][0], p[2][0]), job->view->width, &x0,
                   &x1);
}

static const raster_item *item_of(const raster_job *job, const raster_item *from, size_t block) {
    while (from + 1 < job->s->item + job->items && from[1].block <= block) from++;
    return from;
}

// The triangles of a block that touch each band: first how many, at start[band * blocks + block + 1]; in the
// second round, when these are running sums, which.
static void bin_block(const raster_job *job, size_t block, bool filling) {
    const raster_item *item = item_of(job, job->s->item, block);
    size_t first = (block - item->block) * TRIANGLES, last = first + TRIANGLES;
    if (last > item->mesh->triangles) last = item->mesh->triangles;
    for (size_t i = first; i < last; i++) {
        const float *p[3];
        int y0, y1;
        if (!corners_of(job, item, i, p, &y0, &y1)) continue;
        for (size_t band = (size_t)y0 / BAND; band <= (size_t)(y1 - 1) / BAND; band++) {
            uint32_t *at = &job->s->start[band * job->blocks + block];
            if (filling)
                job->s->bin[at[0]++] = (uint32_t)i;
            else
                at[1]++;
        }
    }
}
static void count_block(void *context, size_t block) { bin_block(context, block, false); }
static void fill_block(void *context, size_t block) { bin_block(context, block, true); }

// An edge from its lower end to its upper one: both triangles that share it find the same x, so that no pixel
// between them is missed.
static float edge_at(const float *low, const float *high, float y) {
    float rise = high[1] - low[1], part = rise > 0 ? (y - low[1]) / rise : 0;
    return low[0] + (high[0] - low[0]) * least(part, 1);
}

static void widen(int drawn[2], int x0, int x1) {
    if (x0 < drawn[0]) drawn[0] = x0;
    if (x1 > drawn[1]) drawn[1] = x1;
}

static void draw_triangle(const raster_job *job, const raster_item *item, size_t triangle, int row0, int row1,
                          int drawn[2]) {
    const float *p[3];
    int y0, y1, x0, x1;
    if (!corners_of(job, item, triangle, p, &y0, &y1)) return;
    // In double: narrow triangles reach from the border of a snow field to far away.
    double ux = (double)p[1][0] - (double)p[0][0], uy = (double)p[1][1] - (double)p[0][1],
           uz = (double)p[1][2] - (double)p[0][2], vx = (double)p[2][0] - (double)p[0][0],
           vy = (double)p[2][1] - (double)p[0][1], vz = (double)p[2][2] - (double)p[0][2];
    double area = ux * vy - uy * vx, inverse = fabs(area) > 1e-12 ? 1 / area : 0;
    double dx = (uz * vy - vz * uy) * inverse, dy = (vz * ux - uz * vx) * inverse;
    raster_span span = {.dx = (float)dx,
                        .low = least3(p[0][2], p[1][2], p[2][2]),
                        .high = most3(p[0][2], p[1][2], p[2][2]),
                        .away = job->view->slope * (float)fmax(fabs(dx), fabs(dy)) + job->view->shift};
    if (y0 < row0) y0 = row0;
    if (y1 > row1) y1 = row1;
    for (int y = y0; y < y1; y++) {
        float middle = (float)y + 0.5f, a = edge_at(p[0], p[2], middle);
        float b = middle < p[1][1] ? edge_at(p[0], p[1], middle) : edge_at(p[1], p[2], middle);
        if (!middles(least(a, b), most(a, b), job->view->width, &x0, &x1)) continue;
        widen(drawn, x0, x1);
        span.row =
            (float)((double)p[0][2] + ((double)middle - (double)p[0][1]) * dy + (0.5 - (double)p[0][0]) * dx);
        job->draw_span(&span, job->depth + (size_t)y * (size_t)job->view->width, x0, x1);
    }
}

// Clears what the last frame drew, then takes over the points.
static void start_band(const raster_job *job, int row0, int row1, int drawn[2]) {
    const splat_area none = {0}, *a = job->points ? &job->points->area : &none;
    int last[2] = {drawn[0], drawn[1]};
    drawn[0] = job->view->width;
    drawn[1] = 0;
    for (int y = row0; y < row1; y++) {
        float *depth = job->depth + (size_t)y * (size_t)job->view->width;
        const float *still = job->still ? job->still + (depth - job->depth) : NULL;
        for (int x = last[0]; x < last[1]; x++) depth[x] = still ? still[x] : 1;
        if (a->x0 >= a->x1 || y < a->y0 || y >= a->y1) continue;
        const float *points = job->points->depth + (depth - job->depth);
        for (int x = a->x0; x < a->x1; x++) depth[x] = least(points[x], still ? still[x] : 1);
        widen(drawn, a->x0, a->x1);
    }
}

static void draw_band(void *context, size_t band) {
    const raster_job *job = context;
    int row0 = (int)band * BAND, row1 = row0 + BAND;
    if (row1 > job->view->height) row1 = job->view->height;
    int *drawn = job->drawn[band];
    start_band(job, row0, row1, drawn);
    const raster_item *item = job->s->item;
    for (size_t block = 0; block < job->blocks; block++) {
        // After the fill each start is the end of its list, which is where the next one begins.
        size_t list = band * job->blocks + block, from = list ? job->s->start[list - 1] : 0;
        item = item_of(job, item, block);
        for (size_t k = from; k < job->s->start[list]; k++)
            draw_triangle(job, item, job->s->bin[k], row0, row1, drawn);
    }
}

static bool casts(const draw_mesh *m) {
    return m->material != DRAW_PLAIN && m->material != DRAW_WATER && m->mesh->triangles > 0;
}

static firn_status add_item(raster_job *job, const mesh *m, const float matrix[12]) {
    rasteriser *s = job->s;
    if (!array_reserve(&s->item, &s->item_capacity, job->items + 1, sizeof *s->item))
        return fail_memory("drawing shadows", (job->items + 1) * sizeof *s->item);
    raster_item *item = &s->item[job->items++];
    *item = (raster_item){m, {0}, job->vertices, job->vertex_blocks, job->blocks};
    memcpy(item->matrix, matrix, sizeof item->matrix);
    job->vertices += m->vertices;
    job->vertex_blocks += (m->vertices + VERTICES - 1) / VERTICES;
    job->blocks += (m->triangles + TRIANGLES - 1) / TRIANGLES;
    return FIRN_OK;
}

// The items into job->depth.
static firn_status draw_items(raster_job *job, int (*drawn)[2]) {
    rasteriser *s = job->s;
    size_t lists = job->bands * job->blocks + 1, total = 0;
    if (!array_reserve(&s->at, &s->at_capacity, job->vertices + 1, sizeof *s->at) ||
        !array_reserve(&s->start, &s->start_capacity, lists, sizeof *s->start))
        return fail_memory("drawing shadows", job->vertices * sizeof *s->at + lists * sizeof *s->start);
    memset(s->start, 0, lists * sizeof *s->start);
    job->drawn = drawn;
    par_tasks(job->vertex_blocks, project_block, job);
    par_tasks(job->blocks, count_block, job);
    for (size_t i = 1; i < lists; i++) {
        total += s->start[i];
        s->start[i] = (uint32_t)total;
    }
    if (total > UINT32_MAX)
        return fail(FIRN_UNSUPPORTED, "too many triangles in one picture: more than 4 294 967 295");
    if (!array_reserve(&s->bin, &s->bin_capacity, total + 1, sizeof *s->bin))
        return fail_memory("drawing shadows", (total + 1) * sizeof *s->bin);
    par_tasks(job->blocks, fill_block, job);
    par_tasks(job->bands, draw_band, job);
    return FIRN_OK;
}

// ---- What stays where it is.

static bool has_pose(const raster_poses *all, const raster_pose *one) {
    for (size_t i = 0; i < all->count; i++)
        if (all->item[i].mesh == one->mesh && all->item[i].content == one->content &&
            memcmp(all->item[i].matrix, one->matrix, sizeof one->matrix) == 0)
            return true;
    return false;
}

static firn_status add_pose(raster_poses *to, const raster_pose *one) {
    if (!array_reserve(&to->item, &to->capacity, to->count + 1, sizeof *to->item))
        return fail_memory("drawing shadows", (to->count + 1) * sizeof *to->item);
    to->item[to->count++] = *one;
    return FIRN_OK;
}

// Meshes of the list that are made once.
static firn_status find_poses(const raster_view *view, const draw_list *list, raster_poses *out) {
    out->count = 0;
    for (size_t i = 0; i < list->mesh_count; i++) {
        const draw_mesh *m = &list->meshes[i];
        if (!casts(m) || m->revision) continue;
        const mesh *shape = m->mesh;
        raster_pose pose = {.mesh = shape};
        pose.content = hash64(shape->position, shape->vertices * sizeof *shape->position, 0);
        pose.content = hash64(shape->triangle, shape->triangles * sizeof *shape->triangle, pose.content);
        mesh_matrix(view, m, pose.matrix);
        TRY(add_pose(out, &pose));
    }
    return FIRN_OK;
}

static bool all_there(const raster_poses *some, const raster_poses *now) {
    for (size_t i = 0; i < some->count; i++)
        if (!has_pose(now, &some->item[i])) return false;
    return true;
}

// What now and the frame before have in common: its triangles.
static size_t in_common(const rasteriser *s, const raster_poses *now) {
    size_t triangles = 0;
    for (size_t i = 0; i < now->count; i++)
        if (has_pose(&s->seen, &now->item[i])) triangles += now->item[i].mesh->triangles;
    return triangles;
}

static size_t triangles_of(const raster_poses *all) {
    size_t triangles = 0;
    for (size_t i = 0; i < all->count; i++) triangles += all->item[i].mesh->triangles;
    return triangles;
}

static void forget_still(rasteriser *s) {
    mem_free(s->still);
    s->still = NULL;
    s->in_still.count = 0;
}

// Draws `still` anew. The whole picture is then not as it was.
static firn_status make_still(const raster_job *like, const raster_poses *now) {
    rasteriser *s = like->s;
    raster_job job = *like;
    size_t pixels = (size_t)job.view->width * (size_t)job.view->height;
    int(*drawn)[2] = mem_zero(job.bands, sizeof *drawn);
    if (!s->still) s->still = mem_alloc(pixels * sizeof *s->still);
    firn_status status = drawn && s->still ? FIRN_OK : fail_memory("drawing shadows", pixels * sizeof *s->still);
    job.points = NULL;
    job.still = NULL;
    job.depth = s->still;
    s->in_still.count = 0;
    for (size_t i = 0; i < now->count && status == FIRN_OK; i++) {
        if (!has_pose(&s->seen, &now->item[i])) continue;
        status = add_pose(&s->in_still, &now->item[i]);
        if (status == FIRN_OK) status = add_item(&job, now->item[i].mesh, now->item[i].matrix);
    }
    for (size_t i = 0; i < job.bands && status == FIRN_OK; i++) drawn[i][1] = job.view->width;
    if (status == FIRN_OK) status = draw_items(&job, drawn);
    mem_free(drawn);
    if (status != FIRN_OK) forget_still(s);
    return status;
}

// Brings `still` up to date. *anew: it is another one than before.
static firn_status update_still(const raster_job *job, raster_poses *now, bool *anew) {
    rasteriser *s = job->s;
    size_t common = in_common(s, now);
    bool valid = all_there(&s->in_still, now), had = s->still;
    *anew = false;
    if (common < WORTH_KEEPING) {
        *anew = had;
        forget_still(s);
    } else if (!valid || common > triangles_of(&s->in_still) + WORTH_KEEPING) {
        *anew = true;
        TRY(make_still(job, now));
    }
    raster_poses before = s->seen;
    s->seen = *now;
    *now = before;
    return FIRN_OK;
}

// The meshes that `still` has not.
static firn_status list_moving(raster_job *job, const draw_list *list) {
    for (size_t i = 0, pose = 0; i < list->mesh_count; i++) {
        const draw_mesh *m = &list->meshes[i];
        if (!casts(m)) continue;
        if (!m->revision && has_pose(&job->s->in_still, &job->s->seen.item[pose++])) continue;
        float matrix[12];
        mesh_matrix(job->view, m, matrix);
        TRY(add_item(job, m->mesh, matrix));
    }
    return FIRN_OK;
}

firn_status rasteriser_shadows(rasteriser *s, const raster_view *view, const draw_list *list,
                               const splat_picture *points, float *depth) {
    raster_job job = {
        .s = s, .view = view, .points = points, .depth = depth, .draw_span = ISA_PICK(rasteriser_span)};
    job.bands = ((size_t)view->height + BAND - 1) / BAND;
    bool anew = false;
    if (!s->drawn) {
        s->drawn = mem_zero(job.bands, sizeof *s->drawn);
        if (!s->drawn) return fail_memory("drawing shadows", job.bands * sizeof *s->drawn);
    }
    raster_poses now = {0};
    firn_status status = find_poses(view, list, &now);
    if (status == FIRN_OK) status = update_still(&job, &now, &anew);
    mem_free(now.item);
    TRY(status);
    for (size_t i = 0; i < job.bands && anew; i++) {
        s->drawn[i][0] = 0;
        s->drawn[i][1] = view->width;
    }
    job.still = s->still;
    TRY(list_moving(&job, list));
    return draw_items(&job, s->drawn);
}

void rasteriser_free(rasteriser *s) {
    mem_free(s->item);
    mem_free(s->at);
    mem_free(s->bin);
    mem_free(s->start);
    mem_free(s->drawn);
    mem_free(s->still);
    mem_free(s->in_still.item);
    mem_free(s->seen.item);
    *s = (rasteriser){0};
}
