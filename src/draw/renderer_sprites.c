#if FIRN_HAVE_GL
// Flakes over the finished picture; the depths of the scene decide what hides them.
#include <math.h>

#include "draw/renderer_inside.h"
#include "par/par.h"

typedef struct depth_job {
    float *depth;
    float near, far;
} depth_job;

// As shader_place.
static void to_metres(void *context, size_t begin, size_t end) {
    const depth_job *job = context;
    for (size_t i = begin; i < end; i++)
        job->depth[i] = job->near * job->far / (job->far - job->depth[i] * (job->far - job->near));
}

static firn_status read_depths(renderer *r) {
    size_t count = (size_t)r->wide * (size_t)r->high;
    if (!array_reserve(&r->scene_depth, &r->scene_depth_capacity, count, sizeof *r->scene_depth))
        return fail_memory("drawing flakes", count * sizeof *r->scene_depth);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, r->surface_target);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, r->wide, r->high, GL_DEPTH_COMPONENT, GL_FLOAT, r->scene_depth);
    depth_job job = {r->scene_depth, r->scene.view_x[3], r->scene.view_y[3]};
    par_for(count, 65536, to_metres, &job);
    return gl_check("reading depths");
}

// A flake is lit from all sides; the curve is that of shader_light_fragment.
static void white_in(const shader_scene *s, float out[3]) {
    for (int k = 0; k < 3; k++) {
        float x = 1.3f * (0.65f * s->sky_fill[k] + 0.35f * s->ground_fill[k] + 0.4f * s->sun_color[k]);
        x = x * (x + 0.25f) / (x * (x + 0.55f) + 0.27f);
        out[k] = powf(x, 1 / 2.2f);
    }
}

firn_status renderer_draw_sprites(renderer *r, const draw_list *list, canvas *out) {
    if (list->sprite_count == 0) return FIRN_OK;
    TRY(read_depths(r));
    sprite_scene scene = {
        .depth = r->scene_depth, .wide = r->wide, .high = r->high, .nearest = r->scene.view_x[3]};
    white_in(&r->scene, scene.white);
    return sprites_draw(&r->sprites, list, &scene, out);
}

void renderer_free_sprites(renderer *r) {
    mem_free(r->scene_depth);
    sprites_free(&r->sprites);
}
#endif
