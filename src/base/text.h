// Text that grows, and small helpers on words.
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include "base/memory.h"

// Starts as {0}. Once memory runs out nothing more is added and `failed` stays set.
typedef struct text {
    char *data; // always ends in 0 once something was added
    size_t length, capacity;
    bool failed;
} text;
void text_add(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(text *t, const char *bytes, size_t length);
void text_free(text *t);
// Hands the text over (mem_free it), or fails: FIRN_NO_MEMORY.
firn_status text_take(text *t, char **out);
void text_add_json(text *t, const char *value); // a quoted, escaped JSON string

bool text_equal(const char *a, const char *b); // NULL equals nothing
bool text_ends(const char *whole, const char *ending);
// Edit distance of two words (insert, delete, change, swap neighbours), case ignored.
size_t word_distance(const char *a, const char *b);
// The word nearest to a misspelt one; NULL if none is close enough.
const char *word_nearest(const char *word, const char *const *words, size_t n);

#endif
