// Hands what OpenGL has drawn to the screen passes on the CPU.
#if FIRN_HAVE_GL
#include "draw/renderer_inside.h"

#include <assert.h>

#include "par/par.h"

enum { BAND = 8 };

static firn_status reserve(void *to, size_t count, size_t size) {
    void **at = to;
    if (*at) return FIRN_OK;
    *at = mem_zero(count, size);
    return *at ? FIRN_OK : fail_memory("drawing", count * size);
}

// The last row of the whole picture is followed by a margin too: half-size passes read normals in pairs.
static firn_status reserve_pictures(renderer *r, bool wet) {
    shade_pictures *p = &r->shade_pictures;
    shade_job *job = &p->job;
    job->wide = r->wide;
    job->high = r->high;
    job->stride = (size_t)r->wide + SHADE_MARGIN;
    job->half_wide = (r->wide + 1) / 2;
    job->half_high = (r->high + 1) / 2;
    job->half_stride = (size_t)job->half_wide + 2 * SHADE_MARGIN;
    size_t pixels = job->stride * ((size_t)r->high + 1), half = job->half_stride * (size_t)job->half_high;
    TRY(reserve(&p->color, pixels, 4));
    TRY(reserve(&p->normal, pixels, 4));
    TRY(reserve(&p->depth, pixels, 4));
    TRY(reserve(&job->distance, half, 4));
    TRY(reserve(&job->rough, half, 4));
    TRY(reserve(&job->open, half, 4));
    if (r->light) TRY(reserve(&p->linear, pixels, 16));
    job->linear = r->light ? p->linear : NULL;
    if (!wet) return FIRN_OK;
    TRY(reserve(&p->water_color, pixels, 4));
    TRY(reserve(&p->water_normal, pixels, 4));
    TRY(reserve(&p->water_depth, pixels, 4));
    TRY(reserve(&p->water_back, pixels, 4));
    TRY(reserve(&p->water_back_depth, pixels, 4));
    TRY(reserve(&p->water_thick, pixels, 16));
    TRY(reserve(&p->water_sun, (size_t)WATER_SUN_SIZE * WATER_SUN_SIZE, 16));
    return reserve(&job->light, pixels, 16);
}

void renderer_free_shade(renderer *r) {
    shade_pictures *p = &r->shade_pictures;
    void *const all[] = {p->color,        p->normal,      p->depth,      p->shadow,
                         p->job.distance, p->job.rough,   p->job.open,   p->water_color,
                         p->water_normal, p->water_depth, p->water_back, p->water_back_depth,
                         p->water_thick,  p->water_sun,   p->job.light,  p->linear};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) mem_free(all[i]);
    rasteriser_free(&p->shadows);
}

firn_status renderer_shade_shadows(renderer *r, const draw_list *list) {
    shade_pictures *p = &r->shade_pictures;
    if (!p->shadow) {
        const size_t texels = (size_t)SHADOW_SIZE * SHADOW_SIZE;
        TRY(reserve(&p->shadow, texels, sizeof *p->shadow));
        assert(p->shadow);
        for (size_t i = 0; i < texels; i++) p->shadow[i] = 1;
    }
    TRY(splat_draw(&r->sun_splats, &r->sun_view, list, false));
    raster_view view = {.width = SHADOW_SIZE, .height = SHADOW_SIZE, .slope = 1.5f, .shift = 2e-7f};
    for (int column = 0; column < 4; column++)
        for (int row = 0; row < 3; row++)
            view.matrix[3 * column + row] = r->scene.shadow[4 * column + row] * (row < 2 ? SHADOW_SIZE : 1);
    return rasteriser_shadows(&p->shadows, &view, list, &r->sun_splats, p->shadow);
}

static void read_color(const renderer *r, GLuint target, int attachment, GLenum format, GLenum type,
                       void *to) {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, target);
    glReadBuffer(GL_COLOR_ATTACHMENT0 + (GLenum)attachment);
    glPixelStorei(GL_PACK_ROW_LENGTH, (GLint)r->shade_pictures.job.stride);
    glReadPixels(0, 0, r->wide, r->high, format, type, to);
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    glReadBuffer(GL_COLOR_ATTACHMENT0);
}

typedef struct metres_job {
    float *depth;
    float near, far;
} metres_job;

// As view_depth of shader_place.
static void to_metres(void *context, size_t begin, size_t end) {
    const metres_job *job = context;
    for (size_t i = begin; i < end; i++)
        job->depth[i] = job->near * job->far / (job->far - job->depth[i] * (job->far - job->near));
}

void renderer_read_depth(const renderer *r, GLuint target, size_t stride, float *to) {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, target);
    glPixelStorei(GL_PACK_ROW_LENGTH, (GLint)stride);
    glReadPixels(0, 0, r->wide, r->high, GL_DEPTH_COMPONENT, GL_FLOAT, to);
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    metres_job job = {to, r->scene.view_x[3], r->scene.view_y[3]};
    par_for(stride * (size_t)r->high, 65536, to_metres, &job);
}

static void read_surfaces(renderer *r) {
    shade_pictures *p = &r->shade_pictures;
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    read_color(r, r->surface_target, 0, GL_RGBA, GL_UNSIGNED_BYTE, p->color);
    read_color(r, r->surface_target, 1, GL_RG, GL_UNSIGNED_SHORT, p->normal);
    renderer_read_depth(r, r->surface_target, p->job.stride, p->depth);
}

static void read_water(renderer *r) {
    shade_pictures *p = &r->shade_pictures;
    const water_targets *t = &r->water;
    read_color(r, t->front_target, 0, GL_RGBA, GL_UNSIGNED_BYTE, p->water_color);
    read_color(r, t->front_target, 1, GL_RG, GL_UNSIGNED_SHORT, p->water_normal);
    renderer_read_depth(r, t->front_target, p->job.stride, p->water_depth);
    read_color(r, t->back_target, 1, GL_RG, GL_UNSIGNED_SHORT, p->water_back);
    renderer_read_depth(r, t->back_target, p->job.stride, p->water_back_depth);
    read_color(r, t->thick_target, 0, GL_RGBA, GL_FLOAT, p->water_thick);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, t->sun_target);
    glReadPixels(0, 0, WATER_SUN_SIZE, WATER_SUN_SIZE, GL_RGBA, GL_FLOAT, p->water_sun);
}

typedef struct band_job {
    const shade_job *job;
    void (*pass)(const shade_job *job, int y0, int y1);
    int rows;
} band_job;

static void run_band(void *context, size_t band) {
    const band_job *b = context;
    int y0 = (int)band * BAND, y1 = y0 + BAND;
    b->pass(b->job, y0, y1 < b->rows ? y1 : b->rows);
}

static void run_pass(const shade_job *job, void (*pass)(const shade_job *, int, int), int rows) {
    band_job b = {job, pass, rows};
    par_tasks(((size_t)rows + BAND - 1) / BAND, run_band, &b);
}

firn_status renderer_shade(renderer *r, const draw_list *list) {
    shade_pictures *p = &r->shade_pictures;
    shade_job *job = &p->job;
    bool wet = renderer_has_water(list);
    TRY(reserve_pictures(r, wet));
    renderer_pass(r, "read back");
    read_surfaces(r);
    if (wet) {
        renderer_pass(r, "water");
        TRY(renderer_draw_water_surface(r, list));
        renderer_pass(r, "read back");
        read_water(r);
    }
    TRY(gl_check("drawing"));
    shade_water water = {.color = p->water_color,
                         .normal = p->water_normal,
                         .depth = p->water_depth,
                         .back = p->water_back,
                         .back_depth = p->water_back_depth,
                         .thick = (const float(*)[4])p->water_thick,
                         .sun = (const float(*)[4])p->water_sun,
                         .sun_size = WATER_SUN_SIZE};
    job->scene = &r->scene;
    job->color = p->color;
    job->normal = p->normal;
    job->depth = p->depth;
    job->shadow = p->shadow;
    job->shadow_size = SHADOW_SIZE;
    job->ridges = r->ridge_heights[0];
    job->water = wet ? &water : NULL;
    job->result = r->rough_picture.rgba;
    renderer_pass(r, "snow");
    run_pass(job, ISA_PICK(shade_snow), job->high);
    renderer_pass(r, "occlusion");
    run_pass(job, ISA_PICK(shade_distance), job->half_high);
    run_pass(job, ISA_PICK(shade_occlusion), job->half_high);
    run_pass(job, ISA_PICK(shade_blur), job->half_high);
    renderer_pass(r, "light");
    run_pass(job, ISA_PICK(shade_light), job->high);
    if (wet) {
        renderer_pass(r, "through water");
        run_pass(job, ISA_PICK(shade_through_water), job->high);
    }
    return FIRN_OK;
}
#endif
