// Growing text, JSON strings, and nearest words for misspelt ones.
#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "base/plain.h"

static bool text_room(text *t, size_t more) {
    if (t->failed || !array_reserve(&t->data, &t->capacity, t->length + more + 1, 1)) {
        t->failed = true;
        return false;
    }
    return true;
}

void text_add_bytes(text *t, const char *bytes, size_t length) {
    if (!text_room(t, length)) return;
    memcpy(t->data + t->length, bytes, length);
    t->length += length;
    t->data[t->length] = 0;
}

void text_add(text *t, const char *format, ...) {
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int length = plain_vprint(NULL, 0, format, args);
    va_end(args);
    if (length >= 0 && text_room(t, (size_t)length)) {
        plain_vprint(t->data + t->length, (size_t)length + 1, format, again);
        t->length += (size_t)length;
    }
    va_end(again);
}

void text_free(text *t) {
    mem_free(t->data);
    *t = (text){0};
}

firn_status text_take(text *t, char **out) {
    if (!t->data) text_add_bytes(t, "", 0);
    if (t->failed) {
        text_free(t);
        *out = NULL;
        return fail_memory("composing a text", 0);
    }
    *out = t->data;
    *t = (text){0};
    return FIRN_OK;
}

void text_add_json(text *t, const char *value) {
    text_add(t, "\"");
    for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_add(t, "\\%c", *c);
        else if (*c == '\n')
            text_add(t, "\\n");
        else if (*c < 0x20 || *c == 0x7f)
            text_add(t, "\\u%04x", *c);
        else if (*c == 0xc2 && c[1] >= 0x80 &&
                 c[1] < 0xa0) // control characters that YAML does not read as they are
            text_add(t, "\\u%04x", *++c);
        else
            text_add_bytes(t, (const char *)c, 1);
    }
    text_add(t, "\"");
}

bool text_equal(const char *a, const char *b) { return a && b && strcmp(a, b) == 0; }

bool text_ends(const char *whole, const char *ending) {
    size_t w = strlen(whole), e = strlen(ending);
    return w >= e && strcmp(whole + w - e, ending) == 0;
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

enum { LONGEST_WORD = 48 };

size_t word_distance(const char *a, const char *b) {
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST_WORD || m > LONGEST_WORD) return n > m ? n : m;
    size_t d[LONGEST_WORD + 1][LONGEST_WORD + 1];
    for (size_t i = 0; i <= n; i++) d[i][0] = i;
    for (size_t j = 0; j <= m; j++) d[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            int p = tolower((unsigned char)a[i - 1]), q = tolower((unsigned char)b[j - 1]);
            size_t best = least(least(d[i - 1][j] + 1, d[i][j - 1] + 1), d[i - 1][j - 1] + (p != q));
            if (i > 1 && j > 1 && p == tolower((unsigned char)b[j - 2]) &&
                q == tolower((unsigned char)a[i - 2]))
                best = least(best, d[i - 2][j - 2] + 1);
            d[i][j] = best;
        }
    }
    return d[n][m];
}

// The only word that begins with this one, as "t" for "time"; NULL if there is none or several.
static const char *word_begun(const char *word, const char *const *words, size_t n) {
    const char *begun = NULL;
    for (size_t i = 0; i < n; i++) {
        if (strncasecmp(word, words[i], strlen(word)) != 0) continue;
        if (begun) return NULL;
        begun = words[i];
    }
    return begun;
}

const char *word_nearest(const char *word, const char *const *words, size_t n) {
    const char *nearest = *word ? word_begun(word, words, n) : NULL;
    if (nearest) return nearest;
    size_t length = strlen(word), best = length <= 4 ? 2 : length / 3 + 2; // short words: one slip
    for (size_t i = 0; i < n; i++) {
        size_t distance = word_distance(word, words[i]);
        if (distance < best && distance < strlen(words[i])) {
            best = distance;
            nearest = words[i];
        }
    }
    return nearest;
}

const char *firn_nearest_word(const char *word, const char *const *words, size_t count) {
    NEED_OR(word, NULL);
    NEED_OR(words || count == 0, NULL);
    for (size_t i = 0; i < count; i++) NEED_OR(words[i], NULL);
    return word_nearest(word, words, count);
}
