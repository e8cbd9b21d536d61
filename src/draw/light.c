// Pictures of linear light: memory and copies.
#include "draw/light.h"

#include <string.h>

static void clear(void *data, size_t bytes) {
    if (data) memset(data, 0, bytes);
}

void light_clear(light_picture *p) {
    size_t count = (size_t)p->width * (size_t)p->height;
    clear(p->rgba, count * sizeof *p->rgba);
    clear(p->albedo, count * sizeof *p->albedo);
    clear(p->normal, count * sizeof *p->normal);
    clear(p->noise, count * sizeof *p->noise);
    for (size_t i = 0; i < count; i++) p->depth[i] = LIGHT_NOTHING;
}

firn_status light_create(int width, int height, bool layers, light_picture *out) {
    size_t count = (size_t)width * (size_t)height;
    *out = (light_picture){.rgba = mem_zero(count, sizeof *out->rgba),
                           .depth = mem_zero(count, sizeof *out->depth),
                           .width = width,
                           .height = height};
    bool there = out->rgba && out->depth;
    if (layers) {
        out->albedo = mem_zero(count, sizeof *out->albedo);
        out->normal = mem_zero(count, sizeof *out->normal);
        out->noise = mem_zero(count, sizeof *out->noise);
        there = there && out->albedo && out->normal && out->noise;
    }
    if (!there) {
        light_free(out);
        return fail_memory("a picture of light", count * (layers ? 48 : 20));
    }
    light_clear(out);
    return FIRN_OK;
}

void light_free(light_picture *p) {
    mem_free(p->rgba);
    mem_free(p->depth);
    mem_free(p->albedo);
    mem_free(p->normal);
    mem_free(p->noise);
    *p = (light_picture){0};
}

static void put(const void *part, size_t from, void *to, size_t at, size_t count, size_t bytes) {
    if (part && to) memcpy((char *)to + at * bytes, (const char *)part + from * bytes, count * bytes);
}

void light_put(const light_picture *part, int left, light_picture *to) {
    size_t width = (size_t)part->width;
    for (int y = 0; y < part->height; y++) {
        size_t from = (size_t)y * width, at = (size_t)y * (size_t)to->width + (size_t)left;
        put(part->rgba, from, to->rgba, at, width, sizeof *to->rgba);
        put(part->depth, from, to->depth, at, width, sizeof *to->depth);
        put(part->albedo, from, to->albedo, at, width, sizeof *to->albedo);
        put(part->normal, from, to->normal, at, width, sizeof *to->normal);
        put(part->noise, from, to->noise, at, width, sizeof *to->noise);
    }
}
