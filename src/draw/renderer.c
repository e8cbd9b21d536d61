// The passes of a picture in their order; targets and programs of OpenGL.
#include "draw/renderer.h"

#if FIRN_HAVE_GL
#include <string.h>

#include "draw/renderer_inside.h"
#include "draw/smooth.h"

void renderer_pass(renderer *r, const char *name) {
    if (!r->timed) return;
    glFinish();
    profile_pass(&r->profile, name);
}

profile *renderer_profile(renderer *r) {
    r->timed = true;
    return &r->profile;
}

// Only what will be used: drivers take seconds to compile all.
static firn_status build_programs(renderer *r) {
    const char *h = shader_head, *s = shader_surface, *p = shader_place, *g = shader_sparkle,
               *d = shader_drifts, *b = shader_bumps;
    const struct {
        const char *name;
        enum { EVERYWHERE, ON_CARD, ON_CPU } needed; // see renderer_shade_on_cpu
        const char *vertex, *fragment[SHADER_PARTS];
    } parts[PROGRAMS] = {
        [PROGRAM_BODY] = {"body",
                          EVERYWHERE,
                          shader_mesh_vertex,
                          {h, s, shader_patterns, shader_body_fragment}},
        [PROGRAM_BARE_BODY] = {"bare body",
                               EVERYWHERE,
                               shader_mesh_vertex,
                               {h, s, shader_bare_body_fragment}},
        [PROGRAM_SNOW] = {"snow", ON_CARD, shader_mesh_vertex, {h, s, g, b, d, shader_snow_fragment}},
        [PROGRAM_SOFT] = {"soft", EVERYWHERE, shader_mesh_vertex, {h, s, g, b, shader_soft_fragment}},
        [PROGRAM_COVER] = {"cover", ON_CARD, shader_mesh_vertex, {h, s, g, b, d, shader_cover_fragment}},
        [PROGRAM_PLANE] = {"plane", ON_CARD, shader_plane_vertex, {h, s, g, b, d, shader_snow_fragment}},
        [PROGRAM_BARE_PLANE] = {"bare plane", ON_CPU, shader_plane_vertex, {h, s, shader_plain_fragment}},
        [PROGRAM_SPHERES] = {"spheres", EVERYWHERE, shader_spheres_vertex, {h, s, shader_spheres_fragment}},
        [PROGRAM_SPLATS] = {"splats", EVERYWHERE, shader_screen_vertex, {h, shader_splats_fragment}},
        [PROGRAM_SHADOW] = {"shadow", ON_CARD, shader_depth_vertex, {h, shader_depth_fragment}},
        [PROGRAM_DISTANCE] = {"distance", ON_CARD, shader_screen_vertex, {h, p, shader_distance_fragment}},
        [PROGRAM_OCCLUSION] = {"occlusion", ON_CARD, shader_screen_vertex, {h, p, shader_occlusion_fragment}},
        [PROGRAM_BLUR] = {"blur", ON_CARD, shader_screen_vertex, {h, shader_blur_fragment}},
        [PROGRAM_LIGHT] = {"light",
                           ON_CARD,
                           shader_screen_vertex,
                           {h, p, shader_tone, shader_dry, shader_sun, shader_backdrop,
                            shader_light_fragment}},
        [PROGRAM_WET_LIGHT] = {"light under water",
                               ON_CARD,
                               shader_screen_vertex,
                               {h, p, shader_wet, shader_sun, shader_backdrop, shader_light_fragment}},
        [PROGRAM_WATER] = {"water", EVERYWHERE, shader_mesh_vertex, {h, s, shader_water_fragment}},
        [PROGRAM_THICK] = {"depth of water", EVERYWHERE, shader_mesh_vertex, {h, p, shader_thick_fragment}},
        [PROGRAM_SUN_THICK] = {"sun in water",
                               EVERYWHERE,
                               shader_sun_thick_vertex,
                               {h, p, shader_sun_thick_fragment}},
        [PROGRAM_THROUGH] = {"through water",
                             ON_CARD,
                             shader_screen_vertex,
                             {h, p, shader_tone, shader_sun, shader_backdrop, shader_through_fragment}},
    };
    for (int i = 0; i < PROGRAMS; i++) {
        if (r->program[i].id || parts[i].needed == (r->shades ? ON_CARD : ON_CPU)) continue;
        const char *const vertex[SHADER_PARTS] = {h, parts[i].vertex};
        TRY(gl_program_build(parts[i].name, vertex, parts[i].fragment, &r->program[i]));
    }
    return FIRN_OK;
}

firn_status renderer_shade_on_cpu(renderer *r, bool on) {
    r->shades = on;
    return build_programs(r);
}

static void make_samplers(renderer *r) {
    glGenSamplers(2, r->sampler);
    for (int i = 0; i < 2; i++) {
        glSamplerParameteri(r->sampler[i], GL_TEXTURE_MIN_FILTER, i ? GL_LINEAR : GL_NEAREST);
        glSamplerParameteri(r->sampler[i], GL_TEXTURE_MAG_FILTER, i ? GL_LINEAR : GL_NEAREST);
        glSamplerParameteri(r->sampler[i], GL_TEXTURE_WRAP_S, GL_CLAMP_TO_BORDER);
        glSamplerParameteri(r->sampler[i], GL_TEXTURE_WRAP_T, GL_CLAMP_TO_BORDER);
        const float lit[4] = {1, 1, 1, 1};
        glSamplerParameterfv(r->sampler[i], GL_TEXTURE_BORDER_COLOR, lit);
    }
    glSamplerParameteri(r->sampler[1], GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glSamplerParameteri(r->sampler[1], GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
}

static firn_status make_targets(renderer *r) {
    int w = r->wide, h = r->high, half_w = (w + 1) / 2, half_h = (h + 1) / 2;
    r->shadow_map = gl_texture(GL_DEPTH_COMPONENT32F, SHADOW_SIZE, SHADOW_SIZE, GL_NEAREST);
    TRY(gl_framebuffer(0, 0, r->shadow_map, &r->shadow_target));
    r->colors = gl_texture(GL_RGBA8, w, h, GL_NEAREST);
    r->normals = gl_texture(GL_RG16, w, h, GL_NEAREST);
    r->depth = gl_texture(GL_DEPTH_COMPONENT32F, w, h, GL_NEAREST);
    TRY(gl_framebuffer(r->colors, r->normals, r->depth, &r->surface_target));
    r->splat_depth = gl_texture(GL_R32F, w, h, GL_NEAREST);
    r->splat_color = gl_texture(GL_RGBA8, w, h, GL_NEAREST);
    r->splat_normal = gl_texture(GL_RG16, w, h, GL_NEAREST);
    r->distances = gl_texture(GL_R32F, half_w, half_h, GL_NEAREST);
    TRY(gl_framebuffer(r->distances, 0, 0, &r->distances_target));
    r->rough = gl_texture(GL_RG32F, half_w, half_h, GL_NEAREST);
    TRY(gl_framebuffer(r->rough, 0, 0, &r->rough_target));
    r->shade = gl_texture(GL_R8, half_w, half_h, GL_LINEAR);
    TRY(gl_framebuffer(r->shade, 0, 0, &r->shade_target));
    r->picture = gl_texture(GL_RGBA8, w, h, GL_NEAREST);
    TRY(gl_framebuffer(r->picture, 0, 0, &r->picture_target));
    const draw_color black = {0, 0, 0, 255};
    TRY(canvas_create(w, h, black, &r->rough_picture));
    return w == r->width ? FIRN_OK : canvas_create(r->width, r->height, black, &r->halved);
}

static firn_status renderer_open(renderer *r, int samples) {
    TRY(gl_context_create(&r->context));
    GLint largest = 0;
    glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
    r->shades = gl_is_software();
    int scale = samples >= 4 ? 2 : 1;
    r->samples = samples;
    r->wide = r->width * scale;
    r->high = r->height * scale;
    if (r->wide > largest || r->high > largest)
        return fail(FIRN_UNSUPPORTED,
                    "this OpenGL driver draws at most %d pixels per side; choose a smaller picture%s",
                    largest, scale > 1 ? " or fewer samples (--quality draft, picture.samples: 2)" : "");
    TRY(build_programs(r));
    glGenBuffers(1, &r->scene_buffer);
    glGenVertexArrays(1, &r->empty_array);
    renderer_plane_create(r);
    renderer_points_create(r);
    make_samplers(r);
    renderer_ridges_create(r);
    TRY(make_targets(r));
    return gl_check("preparing to draw");
}

firn_status renderer_create(int width, int height, int samples, renderer **out) {
    *out = NULL;
    renderer *r = mem_zero(1, sizeof *r);
    if (!r) return fail_memory("preparing to draw", sizeof *r);
    r->width = width;
    r->height = height;
    firn_status status = renderer_open(r, samples);
    if (status != FIRN_OK) {
        renderer_destroy(r);
        return status;
    }
    *out = r;
    return FIRN_OK;
}

void renderer_destroy(renderer *r) {
    if (!r) return;
    if (r->context) { // names of things never made are 0, which OpenGL passes over
        renderer_free_meshes(r);
        renderer_free_points(r);
        renderer_free_water(r);
        for (int i = 0; i < PROGRAMS; i++) glDeleteProgram(r->program[i].id);
        const GLuint buffers[] = {r->scene_buffer, r->plane_buffer[0], r->plane_buffer[1]};
        const GLuint arrays[] = {r->empty_array, r->plane_array};
        const GLuint textures[] = {r->shadow_map, r->colors,      r->normals,     r->depth,
                                   r->ridges,     r->splat_depth, r->splat_color, r->splat_normal,
                                   r->distances,  r->rough,       r->shade,       r->picture};
        const GLuint targets[] = {r->shadow_target, r->surface_target, r->distances_target,
                                  r->rough_target,  r->shade_target,   r->picture_target};
        glDeleteBuffers(sizeof buffers / sizeof *buffers, buffers);
        glDeleteVertexArrays(sizeof arrays / sizeof *arrays, arrays);
        glDeleteTextures(sizeof textures / sizeof *textures, textures);
        glDeleteFramebuffers(sizeof targets / sizeof *targets, targets);
        glDeleteSamplers(2, r->sampler);
    }
    gl_context_destroy(r->context);
    renderer_free_sprites(r);
    renderer_free_shade(r);
    canvas_free(&r->rough_picture);
    canvas_free(&r->halved);
    mem_free(r);
}

void renderer_bind(int unit, GLuint texture, GLuint sampler) {
    glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    glBindTexture(GL_TEXTURE_2D, texture);
    glBindSampler((GLuint)unit, sampler);
}

static firn_status draw_shadow_map(renderer *r, const draw_list *list) {
    glBindFramebuffer(GL_FRAMEBUFFER, r->shadow_target);
    glViewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    glClear(GL_DEPTH_BUFFER_BIT);
    TRY(renderer_shadow_points(r, list));
    glEnable(GL_DEPTH_CLAMP); // what stands before the box casts shadows into it
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.5f, 2);
    renderer_shadow_meshes(r, list);
    glDisable(GL_POLYGON_OFFSET_FILL);
    glDisable(GL_DEPTH_CLAMP);
    renderer_bind(UNIT_SHADOW_DEPTH, r->shadow_map, r->sampler[0]);
    renderer_bind(UNIT_SHADOW_COMPARE, r->shadow_map, r->sampler[1]);
    return FIRN_OK;
}

// Dear pixels last: the ground is only worked out where nothing stands before it.
static firn_status draw_surfaces(renderer *r, const draw_list *list) {
    glBindFramebuffer(GL_FRAMEBUFFER, r->surface_target);
    glViewport(0, 0, r->wide, r->high);
    glClearColor(0, 0, 0, 0);
    glClear(GL_DEPTH_BUFFER_BIT | GL_COLOR_BUFFER_BIT);
    renderer_pass(r, "points");
    TRY(renderer_draw_points(r, list));
    renderer_pass(r, "meshes");
    renderer_draw_meshes(r, list);
    renderer_pass(r, "ground");
    renderer_draw_planes(r, list);
    return FIRN_OK;
}

void renderer_screen_pass(renderer *r, enum renderer_program which, GLuint target, int width, int height) {
    glBindFramebuffer(GL_FRAMEBUFFER, target);
    glViewport(0, 0, width, height);
    glUseProgram(r->program[which].id);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void draw_occlusion(renderer *r) {
    int w = (r->wide + 1) / 2, h = (r->high + 1) / 2;
    renderer_screen_pass(r, PROGRAM_DISTANCE, r->distances_target, w, h);
    renderer_bind(UNIT_DISTANCES, r->distances, 0);
    renderer_screen_pass(r, PROGRAM_OCCLUSION, r->rough_target, w, h);
    renderer_bind(UNIT_ROUGH, r->rough, 0);
    renderer_screen_pass(r, PROGRAM_BLUR, r->shade_target, w, h);
    renderer_bind(UNIT_SHADE, r->shade, 0);
}

// The screen passes by OpenGL, into rough_picture.
static firn_status draw_screen(renderer *r, const draw_list *list) {
    renderer_bind(UNIT_COLORS, r->colors, 0);
    renderer_bind(UNIT_NORMALS, r->normals, 0);
    renderer_bind(UNIT_DEPTH, r->depth, 0);
    renderer_bind(UNIT_RIDGES, r->ridges, 0);
    renderer_pass(r, "occlusion");
    draw_occlusion(r);
    renderer_pass(r, "light");
    if (renderer_has_water(list))
        TRY(renderer_draw_water(r, list));
    else
        renderer_screen_pass(r, PROGRAM_LIGHT, r->picture_target, r->wide, r->high);
    renderer_pass(r, "read back");
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, r->wide, r->high, GL_RGBA, GL_UNSIGNED_BYTE, r->rough_picture.rgba);
    return gl_check("drawing");
}

static void finish_picture(renderer *r, canvas *out) {
    const canvas *picture = &r->rough_picture;
    if (r->halved.rgba) {
        smooth_halve(picture, &r->halved);
        picture = &r->halved;
    }
    if (r->samples >= 2)
        smooth_edges(picture, out);
    else
        smooth_none(picture, out);
}

void renderer_leave(renderer *r) { gl_context_leave(r->context); }
firn_status renderer_enter(renderer *r) { return gl_context_enter(r->context); }

firn_status renderer_draw(renderer *r, const draw_list *list, canvas *out) {
    renderer_pass(r, "upload");
    renderer_scene(r, list);
    TRY(renderer_upload_meshes(r, list));
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL);
    renderer_pass(r, "shadows");
    TRY(r->shades ? renderer_shade_shadows(r, list) : draw_shadow_map(r, list));
    TRY(draw_surfaces(r, list));
    glDisable(GL_DEPTH_TEST);
    glBindVertexArray(r->empty_array);
    TRY(r->shades ? renderer_shade(r, list) : draw_screen(r, list));
    renderer_pass(r, "smooth");
    finish_picture(r, out);
    if (r->light) renderer_take_light(r, list);
    renderer_pass(r, "flakes");
    TRY(renderer_draw_sprites(r, list, out));
    if (r->timed) profile_end(&r->profile);
    return FIRN_OK;
}

#else

static firn_status no_gl(void) {
    return fail(
        FIRN_UNSUPPORTED,
        "this build of firn cannot draw pictures: it was configured with FIRN_DRAW=OFF; build it again with "
        "libepoxy-dev, libegl-dev and libcglm-dev installed and FIRN_DRAW=ON");
}

firn_status renderer_create(int width, int height, int samples, renderer **out) {
    (void)width;
    (void)height;
    (void)samples;
    *out = NULL;
    return no_gl();
}

void renderer_destroy(renderer *r) { (void)r; }
void renderer_leave(renderer *r) { (void)r; }

firn_status renderer_enter(renderer *r) {
    (void)r;
    return no_gl();
}

firn_status renderer_draw(renderer *r, const draw_list *list, canvas *out) {
    (void)r;
    (void)list;
    (void)out;
    return no_gl();
}

void renderer_forget(renderer *r) { (void)r; }

firn_status renderer_shade_on_cpu(renderer *r, bool on) {
    (void)r;
    (void)on;
    return no_gl();
}

firn_status renderer_keep_light(renderer *r, light_picture *to) {
    (void)r;
    (void)to;
    return no_gl();
}

profile *renderer_profile(renderer *r) {
    (void)r;
    return NULL;
}
#endif

int renderer_samples(int asked, bool light) {
    enum { LIGHT_SAMPLES = 4 };
    return light && asked < LIGHT_SAMPLES ? LIGHT_SAMPLES : asked;
}
