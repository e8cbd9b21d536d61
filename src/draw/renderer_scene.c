// Camera, light, shadow frustum and fog of a frame.
#if FIRN_HAVE_GL
#include <cglm/cglm.h>
#include <string.h>

#include "draw/renderer_inside.h"

// Koschmieder: at the distance that one sees, a contrast of 2 % is left, exp(-3.9).
static const float KOSCHMIEDER = 3.9f;
// A picture is exposed for snow that lies flat in the sun: its brightness before tones, how far exposure
// follows the light, and its limits.
static const float WANTED_SNOW = 1.32f, EXPOSURE_POWER = 0.85f, LEAST_EXPOSURE = 0.3f, MOST_EXPOSURE = 4;
static const float SNOW_ALBEDO = 0.9f;
// Of the sphere round what the picture is about.
static const float DETAIL_SIZE = 0.22f, OCCLUSION_RADIUS = 0.09f, THINNEST_AIR = 0.004f;
static const float OCCLUSION_STRENGTH = 1.9f;
static const float SHADOW_SEARCH = 0.013f; // of the shadow map's width
static const float PENUMBRA = 0.08f;       // of its width, per unit of depth
static const float LEAST_BLUR = 1.8f;      // texels
// Without a given distance of sight: haze begins behind the subject, and leaves 4 % (exp(-3.2)) at 30 times
// its size.
static const float HAZE_DEPTH = 3.2f, HAZE_SIZES = 30, HAZE_START = 0.3f;
static const float CLEAR_AIR = 600; // m: with more than this the sky has depth

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

static float brightness(const float c[3]) { return 0.3f * c[0] + 0.59f * c[1] + 0.11f * c[2]; }

// The lower the sun, the warmer; the sky pales towards the horizon; sky light is blue, and the ground throws
// both back. The picture is exposed for snow that lies flat in the sun, as a photographer would.
static void set_lights(shader_scene *s, const draw_light *light, const vec3 sun) {
    float height = fmaxf(sun[1], 0.05f), warm = expf(-3.0f * height), sky = light->sky_strength, c[3],
          most = 1e-3f;
    for (int i = 0; i < 3; i++) most = fmaxf(most, light->sky_color[i]);
    for (int i = 0; i < 3; i++)
        c[i] = light->sky_color[i] * light->sky_color[i] / most; // deeper than its name
    float k = 3.0f * light->sun_strength;
    set3(s->sun_color, k, k * (0.90f - 0.26f * warm), k * (0.70f - 0.52f * warm));
    set3(s->sky_high, 0.50f * sky * c[0], 0.64f * sky * c[1], 0.84f * sky * c[2]);
    set3(s->sky_low, sky * (0.70f + 0.50f * c[0]), sky * (0.77f + 0.42f * c[1]),
         sky * (0.88f + 0.30f * c[2]));
    set3(s->sky_fill, sky * (0.06f + 0.55f * c[0]), sky * (0.09f + 0.55f * c[1]),
         sky * (0.15f + 0.55f * c[2]));
    for (int i = 0; i < 3; i++)
        s->ground_fill[i] = 0.45f * s->sky_fill[i] + 0.17f * height * s->sun_color[i] + 0.02f * sky;
    float lying = SNOW_ALBEDO * (brightness(s->sun_color) * height + brightness(s->sky_fill));
    float exposure =
        fminf(fmaxf(powf(WANTED_SNOW / fmaxf(lying, 1e-3f), EXPOSURE_POWER), LEAST_EXPOSURE), MOST_EXPOSURE);
    float *const colors[] = {s->sun_color, s->sky_fill, s->ground_fill};
    for (size_t n = 0; n < sizeof colors / sizeof *colors; n++)
        for (int i = 0; i < 3; i++) colors[n][i] *= exposure;
    s->sky_fill[3] = 1;
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
    s->screen[3] = KOSCHMIEDER / fmaxf(list->light.clear, 1e-4f);
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

// In thick air the sky has no depth and no mountains: all is as pale as the horizon.
static void set_haze(shader_scene *s, const draw_list *list, float away) {
    float size = list->radius, seen = list->light.haze;
    s->right[3] = seen > 0 ? KOSCHMIEDER / seen : HAZE_DEPTH / (HAZE_SIZES * size);
    s->up[3] = seen > 0 ? 0 : away + HAZE_START * size;
    if (!(seen > 0)) return;
    float clear = seen / (seen + CLEAR_AIR);
    for (int i = 0; i < 3; i++) {
        float low = s->sky_low[i] * (0.62f + 0.38f * clear); // no glow at the horizon
        s->sky_low[i] = low;
        s->sky_high[i] += (1 - clear) * (low - s->sky_high[i]);
    }
    s->sky_fill[3] = fmaxf(2 * clear - 1, 0);
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
    set_lights(s, &list->light, sun);
    shadow_matrix(r, list, sun);
    set3(s->sun, sun[0], sun[1], sun[2]);
    s->sun[3] = SHADOW_SEARCH;
    s->sun_color[3] = PENUMBRA;
    s->sky_low[3] = LEAST_BLUR / SHADOW_SIZE;
    set_haze(s, list, away);
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
