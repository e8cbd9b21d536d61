// Points: small ones by splats on the CPU, large ones as spheres by OpenGL.
#if FIRN_HAVE_GL
#include <math.h>
#include <string.h>

#include "draw/renderer_inside.h"

void renderer_points_create(renderer *r) {
    glGenVertexArrays(1, &r->sphere_array);
    glGenBuffers(2, r->sphere_buffer);
    glBindVertexArray(r->sphere_array);
    for (GLuint i = 0; i < 2; i++) {
        glBindBuffer(GL_ARRAY_BUFFER, r->sphere_buffer[i]);
        glEnableVertexAttribArray(i);
        glVertexAttribPointer(i, 3, i ? GL_UNSIGNED_BYTE : GL_FLOAT, i ? GL_TRUE : GL_FALSE, i ? 4 : 12,
                              NULL);
        glVertexAttribDivisor(i, 1);
    }
}

void renderer_free_points(renderer *r) {
    glDeleteVertexArrays(1, &r->sphere_array);
    glDeleteBuffers(2, r->sphere_buffer);
    splat_free(&r->eye_splats);
    splat_free(&r->sun_splats);
    mem_free(r->sphere);
    mem_free(r->sphere_color);
}

// The part of a picture that holds points, into a texture of the same size.
static void upload(GLuint texture, const splat_area *a, int width, GLenum format, GLenum type,
                   const void *pixels, size_t bytes) {
    const char *first = (const char *)pixels + ((size_t)a->y0 * (size_t)width + (size_t)a->x0) * bytes;
    glActiveTexture(GL_TEXTURE0 + UNIT_SCRATCH);
    glBindTexture(GL_TEXTURE_2D, texture);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, width);
    glTexSubImage2D(GL_TEXTURE_2D, 0, a->x0, a->y0, a->x1 - a->x0, a->y1 - a->y0, format, type, first);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
}

// Into the cleared shadow map, before the meshes are drawn over it.
firn_status renderer_shadow_points(renderer *r, const draw_list *list) {
    TRY(splat_draw(&r->sun_splats, &r->sun_view, list, false));
    const splat_area *a = &r->sun_splats.area;
    if (a->x0 < a->x1)
        upload(r->shadow_map, a, SHADOW_SIZE, GL_DEPTH_COMPONENT, GL_FLOAT, r->sun_splats.depth, 4);
    return FIRN_OK;
}

static firn_status draw_splats(renderer *r, const draw_list *list) {
    splat_picture *p = &r->eye_splats;
    TRY(splat_draw(p, &r->eye_view, list, true));
    const splat_area *a = &p->area;
    if (a->x0 >= a->x1) return FIRN_OK;
    upload(r->splat_depth, a, r->wide, GL_RED, GL_FLOAT, p->depth, 4);
    upload(r->splat_color, a, r->wide, GL_RGBA, GL_UNSIGNED_BYTE, p->color, 4);
    upload(r->splat_normal, a, r->wide, GL_RG, GL_UNSIGNED_SHORT, p->normal, 4);
    const GLuint textures[3] = {r->splat_depth, r->splat_color, r->splat_normal};
    for (GLenum i = 0; i < 3; i++) {
        glActiveTexture(GL_TEXTURE0 + UNIT_SPLAT_DEPTH + i);
        glBindTexture(GL_TEXTURE_2D, textures[i]);
    }
    glEnable(GL_SCISSOR_TEST);
    glScissor(a->x0, a->y0, a->x1 - a->x0, a->y1 - a->y0);
    glUseProgram(r->program[PROGRAM_SPLATS].id);
    glBindVertexArray(r->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glDisable(GL_SCISSOR_TEST);
    return FIRN_OK;
}

static bool is_large(const renderer *r, const draw_points *item, size_t i) {
    const float *p = item->at[i], *eye = r->scene.eye, *f = r->scene.forward;
    float depth = (p[0] - eye[0]) * f[0] + (p[1] - eye[1]) * f[1] + (p[2] - eye[2]) * f[2];
    return depth > item->radius && depth < 1e30f && item->radius * r->scene.screen[2] > LARGEST_SPLAT * depth;
}

static void sphere_color(const draw_points *item, size_t i, uint8_t out[4]) {
    float linear[3] = {item->color[0], item->color[1], item->color[2]};
    if (item->value) {
        float span = item->high - item->low;
        draw_color_paint(item->map, (item->value[i] - item->low) / (span > 0 ? span : 1), linear);
    }
    for (int k = 0; k < 3; k++) out[k] = (uint8_t)(sqrtf(fminf(fmaxf(linear[k], 0), 1)) * 255 + 0.5f);
    out[3] = 255;
}

static firn_status draw_spheres(renderer *r, const draw_points *item) {
    size_t count = 0;
    for (size_t i = 0; i < item->count; i++) {
        if (!is_large(r, item, i)) continue;
        if (!array_reserve(&r->sphere, &r->sphere_capacity, count + 1, sizeof *r->sphere) ||
            !array_reserve(&r->sphere_color, &r->sphere_color_capacity, count + 1, sizeof *r->sphere_color))
            return fail_memory("drawing spheres", (count + 1) * 16);
        memcpy(r->sphere[count], item->at[i], sizeof *r->sphere);
        sphere_color(item, i, r->sphere_color[count++]);
    }
    if (count == 0) return FIRN_OK;
    glBindVertexArray(r->sphere_array);
    glBindBuffer(GL_ARRAY_BUFFER, r->sphere_buffer[0]);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *r->sphere), r->sphere, GL_STREAM_DRAW);
    glBindBuffer(GL_ARRAY_BUFFER, r->sphere_buffer[1]);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *r->sphere_color), r->sphere_color,
                 GL_STREAM_DRAW);
    glUseProgram(r->program[PROGRAM_SPHERES].id);
    glUniform1f(r->program[PROGRAM_SPHERES].radius, item->radius);
    glUniform1f(r->program[PROGRAM_SPHERES].material, item->value ? 0.35f : 0.4f); // see shader_surface
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)count);
    return FIRN_OK;
}

firn_status renderer_draw_points(renderer *r, const draw_list *list) {
    TRY(draw_splats(r, list));
    for (size_t i = 0; i < list->point_count; i++) TRY(draw_spheres(r, &list->points[i]));
    return gl_check("drawing points");
}
#endif
