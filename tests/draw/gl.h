// Whether pictures can be drawn on this machine.
#ifndef TESTS_GL_H
#define TESTS_GL_H

#include "draw/renderer.h"
#include "support.h"

static inline bool have_gl(void) {
    static int there = -1;
    if (there < 0) {
        renderer *r;
        there = renderer_create(64, 64, 1, &r) == FIRN_OK;
        if (!there) print_message("[  SKIP    ] no pictures on this machine: %s\n", firn_last_error());
        renderer_destroy(r);
    }
    return there;
}

#define NEEDS_GL()                                                                                           \
    if (!have_gl()) skip()

#endif
