// What differs between two scenes, for the message that refuses to mix them.
#include "cache/folder.h"

#include <string.h>

#include "base/text.h"

enum { SHOWN_DIFFERENCES = 6, DEEPEST = 12, KEY_ROOM = 48 };

// Walks over the lines of a YAML text and knows the keys above each.
typedef struct line_walk {
    const char *next; // NULL at the end
    const char *line;
    int length;
    char key[DEEPEST][KEY_ROOM];
    int indent[DEEPEST];
    int depth; // of the keys above and of this line's own
} line_walk;

static void note_key(line_walk *w) {
    int indent = 0;
    while (indent < w->length && (w->line[indent] == ' ' || w->line[indent] == '-')) indent++;
    while (w->depth > 0 && w->indent[w->depth - 1] >= indent) w->depth--;
    const char *colon = memchr(w->line, ':', (size_t)w->length);
    int length = colon ? (int)(colon - w->line) - indent : 0;
    if (length <= 0 || length >= KEY_ROOM || w->depth >= DEEPEST) return;
    memcpy(w->key[w->depth], w->line + indent, (size_t)length);
    w->key[w->depth][length] = 0;
    w->indent[w->depth++] = indent;
}

static bool next_line(line_walk *w) {
    if (!w->next || !*w->next) return false;
    w->line = w->next;
    const char *end = strchr(w->line, '\n');
    w->length = end ? (int)(end - w->line) : (int)strlen(w->line);
    w->next = end ? end + 1 : NULL;
    const char *comment = memmem(w->line, (size_t)w->length, "  #", 3);
    if (comment) w->length = (int)(comment - w->line);
    while (w->length > 0 && w->line[w->length - 1] == ' ') w->length--;
    note_key(w);
    return true;
}

static bool same_line(const line_walk *a, const line_walk *b) {
    return a->length == b->length && memcmp(a->line, b->line, (size_t)a->length) == 0;
}

// "bodies.ball.at: [0, 5, 0]"
static void add_line(text *t, const char *label, const line_walk *w) {
    const char *value = memchr(w->line, ':', (size_t)w->length);
    text_add(t, "  %s ", label);
    for (int i = 0; i < w->depth; i++) text_add(t, "%s%s", i ? "." : "", w->key[i]);
    if (value)
        text_add_bytes(t, value, (size_t)(w->line + w->length - value));
    else
        text_add_bytes(t, w->line, (size_t)w->length);
    text_add(t, "\n");
}

// How many lines ahead `b` holds the present line of `a`; -1: not soon.
static int find_ahead(const line_walk *a, line_walk b) {
    for (int i = 0; i < 64; i++) {
        if (same_line(a, &b)) return i;
        if (!next_line(&b)) return -1;
    }
    return -1;
}

static firn_status compare(line_walk *a, line_walk *b, char **out) {
    text t = {0};
    int shown = 0;
    bool more_a = next_line(a), more_b = next_line(b);
    while ((more_a || more_b) && shown < SHOWN_DIFFERENCES) {
        if (more_a && more_b && same_line(a, b)) {
            more_a = next_line(a);
            more_b = next_line(b);
            continue;
        }
        int gone = more_a && more_b ? find_ahead(b, *a) : -1,
            come = more_a && more_b ? find_ahead(a, *b) : -1;
        bool only_a = more_a && (!more_b || (gone > 0 && (come < 0 || gone <= come)));
        bool only_b = more_b && !only_a && (!more_a || come > 0);
        if (more_a && !only_b) add_line(&t, "there:", a);
        if (more_b && !only_a) add_line(&t, "now:  ", b);
        if (!only_b) more_a = next_line(a);
        if (!only_a) more_b = next_line(b);
        shown++;
    }
    if (more_a || more_b) text_add(&t, "  ...\n");
    return text_take(&t, out);
}

firn_status scene_differences(const char *before, const char *after, char **out) {
    line_walk *walks = mem_zero(2, sizeof *walks);
    if (!walks) return fail_memory("comparing scenes", 2 * sizeof *walks);
    walks[0].next = before;
    walks[1].next = after;
    firn_status status = compare(&walks[0], &walks[1], out);
    mem_free(walks);
    return status;
}
