// Panes of glass and flakes over the finished picture; the depths of the scene decide what hides them.
#if FIRN_HAVE_GL
#include <string.h>

#include "draw/renderer_inside.h"
#include "draw/scene_light.h"

static firn_status read_depths(renderer *r) {
    size_t count = (size_t)r->wide * (size_t)r->high;
    if (!array_reserve(&r->scene_depth, &r->scene_depth_capacity, count, sizeof *r->scene_depth))
        return fail_memory("drawing flakes", count * sizeof *r->scene_depth);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    renderer_read_depth(r, r->surface_target, (size_t)r->wide, r->scene_depth);
    return gl_check("reading depths");
}

firn_status renderer_draw_sprites(renderer *r, const draw_list *list, canvas *out) {
    if (list->sprite_count + list->glass_count + list->powder.count == 0) return FIRN_OK;
    sprite_scene scene = {.wide = r->wide, .high = r->high, .nearest = r->scene.view_x[3], .light = r->light};
    if (!r->shades) TRY(read_depths(r));
    scene.depth = r->shades ? r->shade_pictures.depth : r->scene_depth;
    scene.stride = r->shades ? r->shade_pictures.job.stride : (size_t)r->wide;
    scene_white(&r->scene, scene.white_light, scene.white);
    scene.cloud_light = scene_cloud;
    scene.context = &r->scene;
    memcpy(scene.cloud_sun, r->scene.sun, sizeof scene.cloud_sun);
    glass_draw(list, &scene, out);
    TRY(clouds_draw(list, &scene, out));
    return sprites_draw(&r->sprites, list, &scene, out);
}

void renderer_free_sprites(renderer *r) {
    mem_free(r->scene_depth);
    sprites_free(&r->sprites);
}
#endif
