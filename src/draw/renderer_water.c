// Water over the lit scene: its surface, how much of it is in the way, and the picture through it.
#if FIRN_HAVE_GL
#include "draw/renderer_inside.h"

bool renderer_has_water(const draw_list *list) {
    for (size_t i = 0; i < list->mesh_count; i++)
        if (list->meshes[i].material == DRAW_WATER) return true;
    return false;
}

static firn_status make_targets(renderer *r) {
    water_targets *t = &r->water;
    int w = r->wide, h = r->high;
    t->color = gl_texture(GL_RGBA8, w, h, GL_NEAREST);
    t->normal = gl_texture(GL_RG16, w, h, GL_NEAREST);
    t->depth = gl_texture(GL_DEPTH_COMPONENT32F, w, h, GL_NEAREST);
    TRY(gl_framebuffer(t->color, t->normal, t->depth, &t->front_target));
    t->back = gl_texture(GL_RG16, w, h, GL_NEAREST);
    t->back_depth = gl_texture(GL_DEPTH_COMPONENT32F, w, h, GL_NEAREST);
    TRY(gl_framebuffer(0, t->back, t->back_depth, &t->back_target));
    t->thick = gl_texture(GL_RGBA32F, w, h, GL_NEAREST);
    TRY(gl_framebuffer(t->thick, 0, 0, &t->thick_target));
    t->sun = gl_texture(GL_RGBA32F, WATER_SUN_SIZE, WATER_SUN_SIZE, GL_LINEAR);
    TRY(gl_framebuffer(t->sun, 0, 0, &t->sun_target));
    t->light = gl_texture(GL_RGBA16F, w, h, GL_LINEAR);
    return gl_framebuffer(t->light, 0, 0, &t->light_target);
}

void renderer_free_water(renderer *r) {
    const water_targets *t = &r->water;
    const GLuint textures[] = {t->color,      t->normal, t->depth, t->back,
                               t->back_depth, t->thick,  t->sun,   t->light};
    const GLuint targets[] = {t->front_target, t->back_target, t->thick_target, t->sun_target,
                              t->light_target};
    glDeleteTextures(sizeof textures / sizeof *textures, textures);
    glDeleteFramebuffers(sizeof targets / sizeof *targets, targets);
}

static void clear_target(GLuint target, int width, int height, float alpha) {
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glViewport(0, 0, width, height);
    glClearColor(0, 0, 0, alpha);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
}

static void draw_faces(renderer *r, const draw_list *list) {
    const water_targets *t = &r->water;
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CULL_FACE);
    glCullFace(GL_BACK);
    clear_target(t->front_target, r->wide, r->high, 0);
    renderer_draw_material(r, list, PROGRAM_WATER, DRAW_WATER);
    glCullFace(GL_FRONT);
    clear_target(t->back_target, r->wide, r->high, 0);
    renderer_draw_material(r, list, PROGRAM_WATER, DRAW_WATER);
    glDisable(GL_CULL_FACE);
    glDisable(GL_DEPTH_TEST);
}

static void draw_thickness(renderer *r, const draw_list *list) {
    const water_targets *t = &r->water;
    glEnable(GL_BLEND);
    glBlendFunc(GL_ONE, GL_ONE);
    clear_target(t->thick_target, r->wide, r->high, 0);
    renderer_draw_material(r, list, PROGRAM_THICK, DRAW_WATER);
    glBlendEquationSeparate(GL_FUNC_ADD, GL_MIN);
    glEnable(GL_DEPTH_CLAMP);
    clear_target(t->sun_target, WATER_SUN_SIZE, WATER_SUN_SIZE, 1);
    renderer_draw_material(r, list, PROGRAM_SUN_THICK, DRAW_WATER);
    glDisable(GL_DEPTH_CLAMP);
    glBlendEquation(GL_FUNC_ADD);
    glDisable(GL_BLEND);
}

firn_status renderer_draw_water_surface(renderer *r, const draw_list *list) {
    if (!r->water.light_target) TRY(make_targets(r));
    renderer_bind(UNIT_DEPTH, r->depth, 0);
    draw_faces(r, list);
    draw_thickness(r, list);
    return gl_check("drawing water");
}

firn_status renderer_draw_water(renderer *r, const draw_list *list) {
    const water_targets *t = &r->water;
    renderer_pass(r, "water");
    TRY(renderer_draw_water_surface(r, list));
    renderer_bind(UNIT_WATER_SUN, t->sun, 0);
    glBindVertexArray(r->empty_array);
    renderer_pass(r, "light");
    renderer_screen_pass(r, PROGRAM_WET_LIGHT, t->light_target, r->wide, r->high);
    renderer_pass(r, "through water");
    renderer_bind(UNIT_SCENE_LIGHT, t->light, 0);
    renderer_bind(UNIT_WATER_COLOR, t->color, 0);
    renderer_bind(UNIT_WATER_NORMAL, t->normal, 0);
    renderer_bind(UNIT_WATER_DEPTH, t->depth, 0);
    renderer_bind(UNIT_WATER_BACK, t->back, 0);
    renderer_bind(UNIT_WATER_BACK_DEPTH, t->back_depth, 0);
    renderer_bind(UNIT_WATER_THICK, t->thick, 0);
    renderer_screen_pass(r, PROGRAM_THROUGH, r->picture_target, r->wide, r->high);
    return gl_check("drawing water");
}
#endif
