// Pictures and movies that a program makes of its own pixels.
#include <firn/draw.h>

#include <math.h>
#include <string.h>

#include "draw/movie.h"
#include "draw/views.h"

enum { PNG_LEVEL = 3 };

struct firn_movie {
    movie *movie;
    canvas picture;
};

static firn_status fill(canvas *c, const char *function, const uint8_t *rgba, size_t stride) {
    size_t row = 4 * (size_t)c->width;
    if (stride && stride < row)
        return fail(FIRN_BAD_INPUT, "%s: invalid stride %zu: a row has %zu bytes", function, stride, row);
    for (int y = 0; y < c->height; y++)
        memcpy(c->rgba + (size_t)y * row, rgba + (size_t)y * (stride ? stride : row), row);
    return FIRN_OK;
}

firn_status firn_picture_write(const char *path, int width, int height, const uint8_t *rgba, size_t stride) {
    NEED(path);
    NEED(rgba);
    TRY(views_check_size(width, height));
    canvas picture;
    TRY(canvas_create(width, height, (draw_color){0, 0, 0, 255}, &picture));
    firn_status status = fill(&picture, __func__, rgba, stride);
    if (status == FIRN_OK) status = canvas_write_png(&picture, path, PNG_LEVEL);
    canvas_free(&picture);
    return status;
}

firn_status firn_movie_open(const char *path, int width, int height, double fps, firn_movie **out) {
    NEED(out);
    *out = NULL;
    NEED(path);
    TRY(views_check_size(width, height));
    if (width % 2 || height % 2 || !(fps > 0) || !isfinite(fps))
        return fail(FIRN_BAD_INPUT, "firn_movie_open: width and height must be even and fps above 0");
    firn_movie *m = mem_zero(1, sizeof *m);
    if (!m) return fail_memory("a movie", sizeof *m);
    firn_status status = canvas_create(width, height, (draw_color){0, 0, 0, 255}, &m->picture);
    if (status == FIRN_OK) status = movie_create(path, width, height, fps, true, &m->movie);
    if (status == FIRN_OK)
        *out = m;
    else
        firn_movie_close(m, false);
    return status;
}

firn_status firn_movie_add(firn_movie *m, const uint8_t *rgba, size_t stride) {
    if (!m) return fail_null(__func__, "movie");
    NEED(rgba);
    TRY(fill(&m->picture, __func__, rgba, stride));
    return movie_add(m->movie, &m->picture);
}

firn_status firn_movie_close(firn_movie *m, bool keep) {
    if (!m) return FIRN_OK;
    firn_status status = FIRN_OK;
    if (keep && m->movie)
        status = movie_finish(m->movie);
    else
        movie_abandon(m->movie);
    canvas_free(&m->picture);
    mem_free(m);
    return status;
}
