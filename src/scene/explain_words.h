// Words of the scene language that are not parameters.
#ifndef SCENE_EXPLAIN_WORDS_H
#define SCENE_EXPLAIN_WORDS_H

#include <stddef.h>

typedef struct explain_word {
    const char *name, *also; // also: another name, may be NULL
    const char *page;        // lines that end in '\n'
} explain_word;
const explain_word *explain_words(size_t *count);

#endif
