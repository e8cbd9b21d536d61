// Camera, light, shadow frustum and fog of a frame.
#if FIRN_HAVE_GL
#include <cglm/cglm.h>
#include <string.h>

#include "draw/renderer_inside.h"
#include "draw/scene_light.h"

// Of the sphere round what the picture is about.
static const float DETAIL_SIZE = 0.22f, OCCLUSION_RADIUS = 0.09f, THINNEST_AIR = 0.004f;
static const float OCCLUSION_STRENGTH = 1.9f;
static const float SHADOW_SEARCH = 0.013f; // of the shadow map's width
static const float PENUMBRA = 0.08f;       // of its width, per unit of depth
static const float LEAST_BLUR = 1.8f;      // texels
static void light_basis(const vec3 sun, vec3 right, vec3 up) {
    vec3 vertical = {0, 1, 0}, aside = {1, 0, 0}, toward = {sun[0], sun[1], sun[2]};
    glm_vec3_cross(fabsf(sun[1]) < 0.999f ? vertical : aside, toward, right);
    glm_vec3_normalize(right);
    glm_vec3_cross(toward, right, up);
}

// A box round the list's sphere, seen from the sun; it moves by whole texels so that edges do not crawl.
static void shadow_matrix(renderer *r, const draw_list *list, const vec3 sun) {
    vec3 axis[3], corner = {0, 0, 0};
    light_basis(sun, axis[0], axis[1]);
    glm_vec3_negate_to((float *)sun, axis[2]); // depth grows away from the sun
    const float *centre = list->shade_radius > 0 ? list->shade : list->centre;
    float reach = list->shade_radius > 0 ? list->shade_radius : list->radius, texel = 2 * reach / SHADOW_SIZE;
    float *m = r->scene.shadow;
    for (int row = 0; row < 3; row++) {
        float middle = glm_vec3_dot(axis[row], (float *)centre);
        if (row < 2) middle = roundf(middle / texel) * texel;
        glm_vec3_muladds(axis[row], row < 2 ? middle : middle - reach, corner);
        for (int column = 0; column < 3; column++) m[4 * column + row] = axis[row][column] / (2 * reach);
        m[12 + row] = 0.5f - middle / (2 * reach);
    }
    m[3] = m[7] = m[11] = 0;
    m[15] = 1;
    r->scene.sky_high[3] = texel;
    splat_view *v = &r->sun_view;
    *v = (splat_view){.scale = 1 / texel,
                      .parallel = true,
                      .nearest = -1e30f,
                      .depth_scale = 1 / (2 * reach),
                      .largest = INFINITY,
                      .width = SHADOW_SIZE,
                      .height = SHADOW_SIZE};
    glm_vec3_copy(corner, v->origin);
    glm_vec3_copy(axis[0], v->right);
    glm_vec3_copy(axis[1], v->up);
    glm_vec3_copy(axis[2], v->forward);
}

static void set3(float out[4], float x, float y, float z) {
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

static void set_camera(renderer *r, const draw_list *list, float near, float far) {
    shader_scene *s = &r->scene;
    vec3 eye, to, view[3], vertical = {0, 1, 0};
    glm_vec3_copy((float *)list->camera.from, eye);
    glm_vec3_copy((float *)list->camera.to, to);
    glm_vec3_sub(to, eye, view[2]);
    if (glm_vec3_norm(view[2]) < 1e-9f) glm_vec3_copy((vec3){0, 0, -1}, view[2]);
    glm_vec3_normalize(view[2]);
    if (fabsf(view[2][1]) > 0.9999f) glm_vec3_copy((vec3){0, 0, -1}, vertical);
    glm_vec3_cross(view[2], vertical, view[0]);
    glm_vec3_normalize(view[0]);
    glm_vec3_cross(view[0], view[2], view[1]);
    float tangent_x = 0.5f / list->camera.lens, aspect = (float)r->width / (float)r->height,
          tangent_y = tangent_x / aspect;
    mat4 look, projection, both;
    glm_look(eye, view[2], view[1], look);
    glm_perspective(2 * atanf(tangent_y), aspect, near, far, projection);
    glm_mat4_mul(projection, look, both);
    memcpy(s->view_projection, both, sizeof s->view_projection);
    set3(s->eye, eye[0], eye[1], eye[2]);
    s->eye[3] = 2 * tangent_x / (float)r->wide;
    set3(s->right, view[0][0] * tangent_x, view[0][1] * tangent_x, view[0][2] * tangent_x);
    set3(s->up, view[1][0] * tangent_y, view[1][1] * tangent_y, view[1][2] * tangent_y);
    set3(s->forward, view[2][0], view[2][1], view[2][2]);
    set3(s->view_x, view[0][0], view[0][1], view[0][2]);
    set3(s->view_y, view[1][0], view[1][1], view[1][2]);
    s->view_x[3] = near;
    s->view_y[3] = far;
    s->screen[0] = (float)r->wide;
    s->screen[1] = (float)r->high;
    s->screen[2] = (float)r->wide / (2 * tangent_x);
    s->screen[3] = scene_dimming(&list->light);
    splat_view *v = &r->eye_view;
    *v = (splat_view){.scale = s->screen[2],
                      .nearest = near,
                      .largest = LARGEST_SPLAT,
                      .width = r->wide,
                      .height = r->high};
    glm_vec3_copy(eye, v->origin);
    glm_vec3_copy(view[0], v->right);
    glm_vec3_copy(view[1], v->up);
    glm_vec3_copy(view[2], v->forward);
}

void renderer_scene(renderer *r, const draw_list *list) {
    shader_scene *s = &r->scene;
    vec3 sun;
    glm_vec3_copy((float *)list->light.sun, sun);
    if (glm_vec3_norm(sun) < 1e-9f) glm_vec3_copy((vec3){0, 1, 0}, sun);
    glm_vec3_normalize(sun);
    float away = glm_vec3_distance((float *)list->camera.from, (float *)list->centre), size = list->radius;
    float near = 0.01f * fminf(size, fmaxf(away, 0.05f * size)), far = 80 * size + 2 * away;
    set_camera(r, list, near, far);
    scene_lights(s, &list->light, sun);
    scene_lamps(s, list);
    shadow_matrix(r, list, sun);
    set3(s->sun, sun[0], sun[1], sun[2]);
    s->sun[3] = SHADOW_SEARCH;
    s->sun_color[3] = PENUMBRA;
    s->sky_low[3] = LEAST_BLUR / SHADOW_SIZE;
    scene_haze(s, list, away);
    s->forward[3] = DETAIL_SIZE * size;
    s->occlusion[0] = OCCLUSION_RADIUS * size;
    s->occlusion[1] = s->screen[2] / 2;
    s->occlusion[2] = OCCLUSION_STRENGTH;
    s->occlusion[3] = fmaxf(list->light.gap, THINNEST_AIR * size);
    glBindBuffer(GL_UNIFORM_BUFFER, r->scene_buffer);
    glBufferData(GL_UNIFORM_BUFFER, sizeof *s, s, GL_STREAM_DRAW);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, r->scene_buffer);
}
#endif
