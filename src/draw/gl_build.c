// Programs, textures and render targets of OpenGL, with the messages of their failures.
#if FIRN_HAVE_GL
#include "draw/gl_build.h"

#include <stdio.h>
#include <string.h>

static firn_status compile(const char *name, GLenum kind, const char *const parts[SHADER_PARTS],
                           GLuint *out) {
    const char *texts[SHADER_PARTS];
    int count = 0;
    for (int i = 0; i < SHADER_PARTS; i++)
        if (parts[i]) texts[count++] = parts[i];
    GLuint shader = glCreateShader(kind);
    glShaderSource(shader, count, texts, NULL);
    glCompileShader(shader);
    GLint good = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    *out = shader;
    if (good) return FIRN_OK;
    char log[800] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    return fail(FIRN_UNSUPPORTED, "this OpenGL driver cannot compile firn's program '%s': %s", name, log);
}

static void bind_samplers(gl_program *p) {
    static const struct {
        const char *name;
        int unit;
    } samplers[] = {
        {"shadow_depth", UNIT_SHADOW_DEPTH},
        {"shadow_compare", UNIT_SHADOW_COMPARE},
        {"colors", UNIT_COLORS},
        {"normals", UNIT_NORMALS},
        {"depth", UNIT_DEPTH},
        {"distances", UNIT_DISTANCES},
        {"rough", UNIT_ROUGH},
        {"ridges", UNIT_RIDGES},
        {"shade", UNIT_SHADE},
        {"splat_depth", UNIT_SPLAT_DEPTH},
        {"splat_color", UNIT_SPLAT_COLOR},
        {"splat_normal", UNIT_SPLAT_NORMAL},
        {"scene_light", UNIT_SCENE_LIGHT},
        {"water_color", UNIT_WATER_COLOR},
        {"water_normal", UNIT_WATER_NORMAL},
        {"water_depth", UNIT_WATER_DEPTH},
        {"water_back", UNIT_WATER_BACK},
        {"water_back_depth", UNIT_WATER_BACK_DEPTH},
        {"water_thick", UNIT_WATER_THICK},
        {"water_sun", UNIT_WATER_SUN},
    };
    glUseProgram(p->id);
    for (size_t i = 0; i < sizeof samplers / sizeof *samplers; i++) {
        GLint at = glGetUniformLocation(p->id, samplers[i].name);
        if (at >= 0) glUniform1i(at, samplers[i].unit);
    }
    GLuint block = glGetUniformBlockIndex(p->id, "Scene");
    if (block != GL_INVALID_INDEX) glUniformBlockBinding(p->id, block, 0);
}

firn_status gl_program_build(const char *name, const char *const vertex[SHADER_PARTS],
                             const char *const fragment[SHADER_PARTS], gl_program *out) {
    GLuint shader[2] = {0, 0};
    firn_status status = compile(name, GL_VERTEX_SHADER, vertex, &shader[0]);
    if (status == FIRN_OK) status = compile(name, GL_FRAGMENT_SHADER, fragment, &shader[1]);
    gl_program p = {.id = glCreateProgram()};
    if (status == FIRN_OK) {
        glAttachShader(p.id, shader[0]);
        glAttachShader(p.id, shader[1]);
        glLinkProgram(p.id);
        GLint good = 0;
        glGetProgramiv(p.id, GL_LINK_STATUS, &good);
        char log[800] = "";
        if (!good) glGetProgramInfoLog(p.id, sizeof log, NULL, log);
        if (!good)
            status =
                fail(FIRN_UNSUPPORTED, "this OpenGL driver cannot link firn's program '%s': %s", name, log);
    }
    glDeleteShader(shader[0]);
    glDeleteShader(shader[1]);
    if (status != FIRN_OK) {
        glDeleteProgram(p.id);
        return status;
    }
    p.model = glGetUniformLocation(p.id, "model");
    p.color = glGetUniformLocation(p.id, "color");
    p.material = glGetUniformLocation(p.id, "material");
    p.radius = glGetUniformLocation(p.id, "radius");
    p.grid = glGetUniformLocation(p.id, "grid");
    p.pattern = glGetUniformLocation(p.id, "pattern");
    bind_samplers(&p);
    *out = p;
    return FIRN_OK;
}

GLuint gl_texture(GLenum format, int width, int height, GLenum filter) {
    GLuint texture;
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0 + UNIT_SCRATCH);
    glBindTexture(GL_TEXTURE_2D, texture);
    bool depth = format == GL_DEPTH_COMPONENT24 || format == GL_DEPTH_COMPONENT32F;
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, width, height, 0, depth ? GL_DEPTH_COMPONENT : GL_RED,
                 GL_FLOAT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, (GLint)filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, (GLint)filter);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return texture;
}

firn_status gl_framebuffer(GLuint color, GLuint color2, GLuint depth, GLuint *out) {
    glGenFramebuffers(1, out);
    glBindFramebuffer(GL_FRAMEBUFFER, *out);
    if (color) glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);
    if (color2) glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, color2, 0);
    if (depth) glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    const GLenum both[2] = {color ? GL_COLOR_ATTACHMENT0 : GL_NONE, color2 ? GL_COLOR_ATTACHMENT1 : GL_NONE};
    glDrawBuffers(2, both);
    glReadBuffer(both[0]);
    GLenum state = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    if (state == GL_FRAMEBUFFER_COMPLETE) return gl_check("allocating a picture");
    return fail(FIRN_UNSUPPORTED,
                "this OpenGL driver does not support the framebuffers that firn needs (0x%04x)", state);
}

bool gl_is_software(void) {
    const char *name = (const char *)glGetString(GL_RENDERER);
    return name && (strstr(name, "llvmpipe") || strstr(name, "softpipe") || strstr(name, "SWR"));
}

firn_status gl_check(const char *doing) {
    GLenum error = glGetError(), more = error;
    for (int i = 0; i < 32 && more != GL_NO_ERROR; i++) more = glGetError();
    if (error == GL_NO_ERROR) return FIRN_OK;
    if (error == GL_OUT_OF_MEMORY)
        return fail(FIRN_NO_MEMORY, "the OpenGL driver ran out of memory while %s", doing);
    return fail(FIRN_UNSUPPORTED, "the OpenGL driver failed while %s (0x%04x)", doing, error);
}
#endif
