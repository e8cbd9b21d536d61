// Words of the scene language that are not parameters, and the world that knows all fields.
#ifndef SCENE_EXPLAIN_WORDS_H
#define SCENE_EXPLAIN_WORDS_H

#include <firn/world.h>

typedef struct explain_word {
    const char *name, *also; // also: another name, may be NULL
    const char *page;        // lines that end in '\n'
} explain_word;
const explain_word *explain_words(size_t *count);

// A world with one item of everything; nothing of it is stepped.
firn_status explain_world(firn_world **world);

#endif
