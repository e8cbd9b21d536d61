// A batch in files: its columns and colours.
#include "pbd/pbd_batch.h"

#include <string.h>

static firn_status resize_list(void *list, size_t count, size_t item) {
    void *old, *fresh = mem_zero(count + 1, item);
    if (!fresh) return fail_memory("loading constraints", count * item);
    memcpy(&old, list, sizeof old);
    mem_free(old);
    memcpy(list, &fresh, sizeof fresh);
    return FIRN_OK;
}

firn_status pbd_batch_resize(pbd_batch *b, const pbd_batch_names *names, const char *name, size_t count) {
    if (strcmp(name, names->particle) == 0) {
        b->loaded[0] = count;
        return resize_list(&b->particle, count, sizeof *b->particle);
    }
    if (strcmp(name, names->rest) == 0) {
        b->loaded[1] = count;
        return resize_list(&b->rest, count, sizeof *b->rest);
    }
    if (strcmp(name, names->colour) == 0) {
        if (count == 0) return fail(FIRN_BAD_INPUT, "field '%s' is empty", name);
        b->colours = count - 1;
        return resize_list(&b->colour, count, sizeof *b->colour);
    }
    b->count = count;
    return resize_list(&b->compliance, count, sizeof *b->compliance);
}

// Marks each particle with the colour that holds it; false if one is held twice.
static bool colour_is_valid(const pbd_batch *b, size_t colour, uint32_t *mark) {
    for (size_t c = b->colour[colour]; c < b->colour[colour + 1]; c++)
        for (int k = 0; k < b->arity; k++) {
            uint32_t *m = &mark[b->particle[(size_t)k * b->count + c]];
            if (*m == colour + 1) return false;
            *m = (uint32_t)colour + 1;
        }
    return true;
}

static firn_status check_colours(const pbd_batch *b, const pbd_batch_names *names, uint32_t *mark) {
    if (b->colour[0] != 0 || b->colour[b->colours] != b->count)
        return fail(FIRN_BAD_INPUT, "field '%s' does not match its %zu constraints", names->colour, b->count);
    for (size_t k = 0; k < b->colours; k++) {
        if (b->colour[k] > b->colour[k + 1] || b->colour[k + 1] > b->count)
            return fail(FIRN_BAD_INPUT, "field '%s' must not decrease", names->colour);
        if (!colour_is_valid(b, k, mark))
            return fail(FIRN_BAD_INPUT, "field '%s': constraints of colour %zu share a particle",
                        names->colour, k);
    }
    return FIRN_OK;
}

firn_status pbd_batch_loaded(pbd_batch *b, const pbd_batch_names *names, size_t particles) {
    if (b->loaded[0] != b->count * (size_t)b->arity || b->loaded[1] != b->count * (size_t)b->params)
        return fail(FIRN_BAD_INPUT, "fields '%s', '%s' and '%s' have inconsistent sizes", names->particle,
                    names->rest, names->compliance);
    for (size_t i = 0; i < b->count * (size_t)b->arity; i++)
        if (b->particle[i] >= particles)
            return fail(FIRN_BAD_INPUT, "field '%s' refers to particle %u, but there are only %zu",
                        names->particle, b->particle[i], particles);
    uint32_t *mark = mem_zero(particles + 1, sizeof *mark);
    if (!mark) return fail_memory("loading constraints", particles * sizeof *mark);
    firn_status status = check_colours(b, names, mark);
    mem_free(mark);
    mem_free(b->incident_first);
    b->incident_first = NULL; // made again when needed
    TRY(status);
    TRY(pbd_find_blocks(b));
    return pbd_batch_rescratch(b);
}
