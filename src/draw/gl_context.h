// An OpenGL 3.3 core context without a window: EGL on Mesa's surfaceless platform.
#ifndef DRAW_GL_CONTEXT_H
#define DRAW_GL_CONTEXT_H

#include "base/status.h"

typedef struct gl_context gl_context;
// Makes it current on this thread; what was current comes back with gl_context_destroy. FIRN_UNSUPPORTED,
// with advice, if this machine cannot.
firn_status gl_context_create(gl_context **out);
void gl_context_destroy(gl_context *context); // NULL is fine
// Between drawings it need not be current: what was current comes back, and another thread may enter it.
void gl_context_leave(gl_context *context);
firn_status gl_context_enter(gl_context *context);

#endif
