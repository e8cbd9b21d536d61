// Draft and final quality of the same moment side by side.
#include "draw/compare.h"

#include <string.h>

static void put_half(const canvas *half, int left, canvas *out) {
    for (int y = 0; y < half->height; y++)
        memcpy(out->rgba + 4 * ((size_t)y * (size_t)out->width + (size_t)left),
               half->rgba + 4 * (size_t)y * (size_t)half->width, 4 * (size_t)half->width);
}

firn_status compare_draw(views *v, painter by, canvas *out, overlay words[SCENE_VIEWS], size_t *count) {
    canvas half;
    overlay right[SCENE_VIEWS];
    TRY(canvas_create(out->width / 2, out->height, (draw_color){0, 0, 0, 255}, &half));
    firn_status status = views_draw(v, (painter){by.draft, NULL}, &half, NULL, words);
    if (status == FIRN_OK) put_half(&half, 0, out);
    if (status == FIRN_OK) status = views_draw(v, (painter){NULL, by.final}, &half, NULL, right);
    if (status == FIRN_OK) put_half(&half, out->width / 2, out);
    canvas_free(&half);
    *count = v->count;
    if (status != FIRN_OK || v->count > 1) return status; // views have names of their own
    words[0].name = "draft";
    words[0].time = -1; // once is enough
    words[1] = right[0];
    words[1].left = out->width / 2;
    words[1].name = "final";
    words[1].title = NULL;
    *count = 2;
    return FIRN_OK;
}
