// An OpenGL context without a window, beside one that the program may have.
#if FIRN_HAVE_GL
#include "draw/gl_context.h"

#include <dlfcn.h>
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/memory.h"

struct gl_context {
    EGLDisplay display;
    EGLContext context;
    EGLDisplay old_display;
    EGLSurface old_draw, old_read;
    EGLContext old_context;
    EGLenum old_api;
};

#define ADVICE                                                                                               \
    "pictures need OpenGL 3.3 through EGL; install libegl1, libgl1 and libgl1-mesa-dri (Mesa draws without " \
    "a graphics card)"

// libepoxy ends the program when a library is missing, so it is asked only after we have looked.
static bool library_present(const char *name) {
    void *library = dlopen(name, RTLD_LAZY | RTLD_GLOBAL);
    if (library) dlclose(library);
    return library != NULL;
}

static firn_status no_gl(const char *why) { return fail(FIRN_UNSUPPORTED, "cannot draw: %s; " ADVICE, why); }

// Mesa's software driver ends the process when its compiler cannot map memory. Measured with Mesa 22.3 on two
// cores: a limit of 700 MB on the whole process kills it, 900 MB do not.
static const uint64_t address_space = 600u << 20; // bytes beyond what the process has now

static firn_status check_address_space(void) {
    struct rlimit limit;
    unsigned long long pages = 0;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return FIRN_OK;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return FIRN_OK;
    int found = fscanf(file, "%llu", &pages);
    fclose(file);
    uint64_t used = (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE);
    if (found != 1 || used + address_space <= limit.rlim_cur) return FIRN_OK;
    return fail(
        FIRN_NO_MEMORY,
        "cannot draw: OpenGL needs about %llu MB of address space beyond the %llu MB in use, but this "
        "process may have only %llu MB; raise the limit (ulimit -v)",
        (unsigned long long)(address_space >> 20), (unsigned long long)(used >> 20),
        (unsigned long long)(limit.rlim_cur >> 20));
}

static bool has_word(const char *words, const char *word) {
    size_t length = strlen(word);
    for (const char *at = words; at && (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) return true;
    return false;
}

static firn_status context_open(gl_context *c) {
    const char *extensions = eglQueryString(EGL_NO_DISPLAY, EGL_EXTENSIONS);
    if (!has_word(extensions, "EGL_EXT_platform_base") ||
        !has_word(extensions, "EGL_MESA_platform_surfaceless"))
        return no_gl("EGL has no surfaceless platform");
    c->display = eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (c->display == EGL_NO_DISPLAY || !eglInitialize(c->display, NULL, NULL))
        return no_gl("EGL cannot be initialised");
    if (!eglBindAPI(EGL_OPENGL_API)) return no_gl("EGL has no desktop OpenGL");
    const EGLint wanted[] = {EGL_SURFACE_TYPE, 0, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT, EGL_NONE};
    EGLConfig config;
    EGLint count = 0;
    if (!eglChooseConfig(c->display, wanted, &config, 1, &count) || count == 0)
        return no_gl("EGL offers no configuration");
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION,
                              3,
                              EGL_CONTEXT_MINOR_VERSION,
                              3,
                              EGL_CONTEXT_OPENGL_PROFILE_MASK,
                              EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                              EGL_NONE};
    c->context = eglCreateContext(c->display, config, EGL_NO_CONTEXT, version);
    if (c->context == EGL_NO_CONTEXT) return no_gl("the driver has no OpenGL 3.3 core");
    if (!eglMakeCurrent(c->display, EGL_NO_SURFACE, EGL_NO_SURFACE, c->context))
        return no_gl("the context cannot be used");
    if (epoxy_gl_version() < 33) return no_gl("the driver's OpenGL is older than 3.3");
    return FIRN_OK;
}

static void keep_old(gl_context *c) {
    c->old_api = eglQueryAPI();
    c->old_display = eglGetCurrentDisplay();
    c->old_context = eglGetCurrentContext();
    c->old_draw = eglGetCurrentSurface(EGL_DRAW);
    c->old_read = eglGetCurrentSurface(EGL_READ);
}

void gl_context_leave(gl_context *c) {
    if (c->display != EGL_NO_DISPLAY)
        eglMakeCurrent(c->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
    if (c->old_api != EGL_NONE) eglBindAPI(c->old_api);
    if (c->old_context != EGL_NO_CONTEXT)
        eglMakeCurrent(c->old_display, c->old_draw, c->old_read, c->old_context);
}

firn_status gl_context_enter(gl_context *c) {
    keep_old(c);
    if (!eglBindAPI(EGL_OPENGL_API) ||
        !eglMakeCurrent(c->display, EGL_NO_SURFACE, EGL_NO_SURFACE, c->context))
        return no_gl("the context cannot be used on this thread");
    return FIRN_OK;
}

firn_status gl_context_create(gl_context **out) {
    *out = NULL;
    TRY(check_address_space());
    if (!library_present("libEGL.so.1")) return no_gl("libEGL.so.1 is missing");
    if (!library_present("libOpenGL.so.0") && !library_present("libGL.so.1"))
        return no_gl("libGL.so.1 is missing");
    gl_context *c = mem_zero(1, sizeof *c);
    if (!c) return fail_memory("preparing to draw", sizeof *c);
    c->context = EGL_NO_CONTEXT;
    keep_old(c);
    firn_status status = context_open(c);
    if (status != FIRN_OK) {
        gl_context_destroy(c);
        return status;
    }
    *out = c;
    return FIRN_OK;
}

// The display is shared by the whole process and stays initialised: an embedding program may use it too.
void gl_context_destroy(gl_context *c) {
    if (!c) return;
    gl_context_leave(c);
    if (c->display != EGL_NO_DISPLAY && c->context != EGL_NO_CONTEXT)
        eglDestroyContext(c->display, c->context);
    mem_free(c);
}
#endif
