// Programs, pictures and buffers of OpenGL, with errors as firn_status.
#ifndef DRAW_GL_BUILD_H
#define DRAW_GL_BUILD_H

#include <epoxy/gl.h>

#include "base/status.h"

typedef struct gl_program {
    GLuint id;
    GLint model, color, material, radius, grid, pattern; // uniforms; -1 where it has none
} gl_program;

// Sampler uniforms are bound to fixed units by name.
enum {
    UNIT_SHADOW_DEPTH,
    UNIT_SHADOW_COMPARE,
    UNIT_COLORS,
    UNIT_NORMALS,
    UNIT_DEPTH,
    UNIT_DISTANCES,
    UNIT_ROUGH,
    UNIT_SHADE,
    UNIT_RIDGES,
    UNIT_SPLAT_DEPTH,
    UNIT_SPLAT_COLOR,
    UNIT_SPLAT_NORMAL,
    UNIT_SCENE_LIGHT,
    UNIT_WATER_COLOR,
    UNIT_WATER_NORMAL,
    UNIT_WATER_DEPTH,
    UNIT_WATER_BACK,
    UNIT_WATER_BACK_DEPTH,
    UNIT_WATER_THICK,
    UNIT_WATER_SUN,
    UNIT_SCRATCH, // for loading textures, so that no other binding is disturbed
};

// Texts are joined; NULL entries are passed over.
enum { SHADER_PARTS = 7 };
firn_status gl_program_build(const char *name, const char *const vertex[SHADER_PARTS],
                             const char *const fragment[SHADER_PARTS], gl_program *out);

// A picture to draw into and to read from.
GLuint gl_texture(GLenum format, int width, int height, GLenum filter);
// A framebuffer of up to two colour textures (0: none) and a depth texture (0: none).
firn_status gl_framebuffer(GLuint color, GLuint color2, GLuint depth, GLuint *out);
firn_status gl_check(const char *doing);
bool gl_is_software(void); // no graphics card: the driver runs shaders on the CPU

#endif
