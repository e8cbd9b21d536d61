// Pictures of linear light: memory and copies.
#include "draw/light.h"

#include <string.h>

void light_clear(light_picture *p) {
    size_t count = (size_t)p->width * (size_t)p->height;
    memset(p->rgba, 0, count * sizeof *p->rgba);
    for (size_t i = 0; i < count; i++) p->depth[i] = LIGHT_NOTHING;
}

firn_status light_create(int width, int height, light_picture *out) {
    size_t count = (size_t)width * (size_t)height;
    *out = (light_picture){mem_zero(count, sizeof *out->rgba), mem_zero(count, sizeof *out->depth), width,
                           height};
    if (!out->rgba || !out->depth) {
        light_free(out);
        return fail_memory("a picture of light", count * (sizeof *out->rgba + sizeof *out->depth));
    }
    light_clear(out);
    return FIRN_OK;
}

void light_free(light_picture *p) {
    mem_free(p->rgba);
    mem_free(p->depth);
    *p = (light_picture){0};
}

void light_put(const light_picture *part, int left, light_picture *to) {
    for (int y = 0; y < part->height; y++) {
        size_t from = (size_t)y * (size_t)part->width, at = (size_t)y * (size_t)to->width + (size_t)left;
        memcpy(to->rgba + at, part->rgba + from, (size_t)part->width * sizeof *to->rgba);
        memcpy(to->depth + at, part->depth + from, (size_t)part->width * sizeof *to->depth);
    }
}
