// The texts a scene comes from (its file, included files, overrides) and the problems found in them.
#ifndef SCENE_SOURCE_H
#define SCENE_SOURCE_H

#include "base/memory.h"
#include "base/text.h"

typedef struct source source;

// A position in a source; line and column count from 1, column and width in characters.
typedef struct place {
    const source *source;
    uint32_t line, column, width;
} place;

struct source {
    const char *name; // as the user wrote it: "scenes/hare.yaml", "--set bodies.ball.at=[0,5,0]"
    const char *text; // ends in 0
    size_t bytes;
    const char *folder; // where file names in it start
    const char *real;   // absolute path without links, to see cycles; NULL: not a file
    place included;     // source NULL: this is the scene itself
    uint32_t order;     // of reading, for reports
    uint32_t layer;     // a higher one wins
    bool override;      // from --set: shown without line and column
};

typedef struct problem {
    place at;
    const char *why, *hint; // hint may be NULL
    size_t sequence;
    bool warning; // the scene can be run
} problem;

// All problems of a scene. Texts live in `memory`.
typedef struct problem_list {
    arena *memory;
    problem *items;
    size_t count, capacity; // of those kept
    size_t found, warned;   // errors and warnings in all
    bool no_memory;
} problem_list;

void problem_add(problem_list *list, place at, const char *why, const char *hint);
void problem_addf(problem_list *list, place at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// A warning: probably a mistake, but the scene can be run.
void problem_warn(problem_list *list, place at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
// The report as the user sees it, in order of position, ending in "3 errors\n" or "1 error, 2 warnings\n".
firn_status problem_report(problem_list *list, text *out);
void problem_list_free(problem_list *list);

// Checks that the text is UTF-8 without control characters; adds a problem and returns false if not.
bool source_check_characters(const source *s, problem_list *list);

#endif
