// The fields a picture can be coloured by.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "world/world.h"

// The fields that can colour points: those in frames, and speeds.
static bool can_color(const firn_field *f) {
    return (f->flags & FIRN_FIELD_SHOWN) && strncmp(f->name, "bodies.", 7) != 0;
}

firn_field world_color_field(const firn_world *world, const char *name) {
    firn_field f = firn_world_field(world, name);
    char velocity[80];
    const char *dot = strchr(name, '.');
    if (!f.name && dot && strcmp(dot, ".speed") == 0) {
        snprintf(velocity, sizeof velocity, "%.*s.velocity", (int)(dot - name), name);
        f = firn_world_field(world, velocity);
    }
    return f.name && can_color(&f) ? f : (firn_field){0};
}

firn_status world_color_unknown(const firn_world *world, const char *name) {
    size_t count = firn_world_field_count(world), found = 0;
    enum { WORD = 80 };
    char(*word)[WORD] = mem_alloc((2 * count + 1) * sizeof *word);
    const char **words = mem_alloc((2 * count + 1) * sizeof *words);
    text list = {0};
    for (size_t i = 0; i < count && word && words; i++) {
        firn_field f = firn_world_field_at(world, i);
        if (!can_color(&f)) continue;
        snprintf(word[found], WORD, "%s", f.name);
        found++;
        if (!text_ends(f.name, ".velocity")) continue;
        snprintf(word[found], WORD, "%.*s.speed", (int)strcspn(f.name, "."), f.name);
        if (!firn_world_field(world, word[found]).name) found++;
    }
    for (size_t i = 0; i < found; i++) {
        words[i] = word[i];
        text_add(&list, "%s%s", i ? ", " : "", words[i]);
    }
    const char *nearest = words ? word_nearest(name, words, found) : NULL;
    firn_status status =
        !word || !words
            ? fail_memory("looking for a field", 2 * count * sizeof *word)
            : fail(FIRN_BAD_INPUT, "picture.color: there is no field '%.100s'%s%s%s; there are: %s", name,
                   nearest ? ", did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "",
                   list.data ? list.data : "none");
    text_free(&list);
    mem_free(word);
    mem_free(words);
    return status;
}
