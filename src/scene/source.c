// Source texts of a scene, and reports of the problems found in them.
#include "scene/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "scene/utf8.h"

// YAML's line breaks; "\r\n" is one. Returns its length in bytes, 0 if there is none here.
static size_t break_length(const char *c) {
    if (c[0] == '\r' && c[1] == '\n') return 2;
    if (c[0] == '\n' || c[0] == '\r') return 1;
    if (strncmp(c, "\xc2\x85", 2) == 0) return 2;
    if (strncmp(c, "\u2028", 3) == 0 || strncmp(c, "\u2029", 3) == 0) return 3;
    return 0;
}

static bool allowed(uint32_t code) {
    if (code < 0x20) return code == '\t' || code == '\n' || code == '\r';
    return code != 0x7f && !(code >= 0x80 && code < 0xa0 && code != 0x85) && code != 0xfffe && code != 0xffff;
}

bool source_check_characters(const source *s, problem_list *list) {
    place at = {s, 1, 1, 1};
    for (size_t i = 0; i < s->bytes;) {
        uint32_t code = 0;
        size_t length = utf8_length((const unsigned char *)s->text + i, s->bytes - i, &code);
        size_t line_break = length ? break_length(s->text + i) : 0;
        if (!length)
            problem_add(list, at, "this is not UTF-8 text", "save the file with the encoding UTF-8");
        else if (!allowed(code))
            problem_addf(list, at, NULL, "the control character U+%04X is not allowed", code);
        if (!length || !allowed(code)) return false;
        at.column++;
        if (line_break) at.line++, at.column = 1;
        i += line_break ? line_break : length;
    }
    return true;
}

// A value may contain control characters through escapes, or be cut inside a character; neither is safe to
// print on a terminal.
static char *keep(problem_list *list, const char *words) {
    size_t left = strlen(words), length;
    char *copy = arena_text(list->memory, words, left);
    if (!copy) list->no_memory = true;
    for (char *c = copy; c && left; c += length, left -= length) {
        uint32_t code;
        length = utf8_length((const unsigned char *)c, left, &code);
        if (length && code >= 0x20 && code != 0x7f) continue;
        *c = '?';
        length = 1;
    }
    return copy;
}

enum { PROBLEMS_KEPT = 50 };

static void add(problem_list *list, place at, const char *why, const char *hint, bool warning) {
    if ((warning ? list->warned++ : list->found++) >= PROBLEMS_KEPT) return;
    if (!array_reserve(&list->items, &list->capacity, list->count + 1, sizeof *list->items)) {
        list->no_memory = true;
        return;
    }
    problem p = {at, keep(list, why), hint && hint[0] ? keep(list, hint) : NULL, list->count, warning};
    if (p.why) list->items[list->count++] = p;
}

void problem_add(problem_list *list, place at, const char *why, const char *hint) {
    add(list, at, why, hint, false);
}

void problem_addf(problem_list *list, place at, const char *hint, const char *format, ...) {
    char why[1024];
    va_list args;
    va_start(args, format);
    plain_vprint(why, sizeof why, format, args);
    va_end(args);
    problem_add(list, at, why, hint);
}

void problem_warn(problem_list *list, place at, const char *hint, const char *format, ...) {
    char why[1024];
    va_list args;
    va_start(args, format);
    plain_vprint(why, sizeof why, format, args);
    va_end(args);
    add(list, at, why, hint, true);
}

void problem_list_free(problem_list *list) {
    mem_free(list->items);
    list->items = NULL;
    list->count = list->capacity = 0;
}

static int compare(uint64_t a, uint64_t b) { return a < b ? -1 : a > b; }

static int compare_problems(const void *a, const void *b) {
    const problem *p = a, *q = b;
    int by_source = compare(p->at.source->order, q->at.source->order);
    if (by_source) return by_source;
    int by_line = compare(p->at.line, q->at.line);
    if (by_line) return by_line;
    int by_column = compare(p->at.column, q->at.column);
    return by_column ? by_column : compare(p->sequence, q->sequence);
}

// Where a line begins. Problems are sorted, so the search goes on from the line found last.
typedef struct line_cursor {
    const source *source;
    const char *at;
    uint32_t line;
} line_cursor;

static const char *find_line(line_cursor *cursor, place p) {
    if (cursor->source != p.source || cursor->line > p.line)
        *cursor = (line_cursor){p.source, p.source->text, 1};
    const char *end = p.source->text + p.source->bytes;
    while (cursor->line < p.line && cursor->at < end) {
        size_t length = break_length(cursor->at);
        cursor->at += length ? length : 1;
        if (length) cursor->line++;
    }
    return cursor->at;
}

// A byte that is not UTF-8 counts as one character.
static const char *next_character(const char *c) {
    uint32_t code;
    size_t length = utf8_length((const unsigned char *)c, strnlen(c, 4), &code);
    return c + (length ? length : 1);
}

static uint32_t characters_in_line(const char *line) {
    uint32_t n = 0;
    for (; *line && !break_length(line); line = next_character(line)) n++;
    return n;
}

enum { LINE_SHOWN = 100, LINE_BEFORE = 60 };

static void add_characters(text *out, const char *line, uint32_t first, uint32_t count) {
    for (uint32_t i = 0; i < first; i++) line = next_character(line);
    for (uint32_t i = 0; i < count; i++) {
        const char *next = next_character(line);
        uint32_t code;
        bool shown = utf8_length((const unsigned char *)line, (size_t)(next - line), &code) && allowed(code);
        if (*line == '\t')
            text_add(out, " ");
        else if (!shown)
            text_add(out, "?");
        else
            text_add_bytes(out, line, (size_t)(next - line));
        line = next;
    }
}

// The line and a caret below what is meant; long lines are cut around it.
static void add_excerpt(text *out, const char *line, place p, const char *hint) {
    uint32_t length = characters_in_line(line), column = p.column - 1;
    if (column > length) column = length;
    uint32_t first = length > LINE_SHOWN && column > LINE_BEFORE ? column - LINE_BEFORE : 0;
    uint32_t shown = length - first > LINE_SHOWN ? LINE_SHOWN : length - first;
    text_add(out, first ? " ..." : " ");
    add_characters(out, line, first, shown);
    text_add(out, first + shown < length ? "...\n" : "\n");
    text_add(out, "%*s^", (int)(column - first) + (first ? 4 : 1), "");
    uint32_t room = first + shown > column ? first + shown - column : 1;
    for (uint32_t i = 1; i < p.width && i < room; i++) text_add(out, "~");
    text_add(out, hint ? " %s\n" : "\n", hint);
}

static void add_problem(text *out, line_cursor *cursor, const problem *p) {
    const char *kind = p->warning ? "warning: " : "";
    if (p->at.source->override) {
        text_add(out, p->hint ? "%s: %s%s (%s)\n" : "%s: %s%s\n", p->at.source->name, kind, p->why, p->hint);
        return;
    }
    text_add(out, "%s:%u:%u: %s%s\n", p->at.source->name, p->at.line, p->at.column, kind, p->why);
    add_excerpt(out, find_line(cursor, p->at), p->at, p->hint);
    for (const source *s = p->at.source; s->included.source; s = s->included.source)
        text_add(out, " included from %s:%u:%u\n", s->included.source->name, s->included.line,
                 s->included.column);
}

firn_status problem_report(problem_list *list, text *out) {
    if (list->no_memory) return fail_memory("reporting what is wrong with a scene", 0);
    if (list->count) qsort(list->items, list->count, sizeof *list->items, compare_problems);
    line_cursor cursor = {0};
    for (size_t i = 0; i < list->count; i++) add_problem(out, &cursor, &list->items[i]);
    size_t all = list->found + list->warned;
    if (all > list->count) text_add(out, "and %zu more\n", all - list->count);
    if (list->found) text_add(out, "%zu error%s", list->found, list->found == 1 ? "" : "s");
    if (list->warned)
        text_add(out, "%s%zu warning%s", list->found ? ", " : "", list->warned, list->warned == 1 ? "" : "s");
    text_add(out, "\n");
    return FIRN_OK;
}
