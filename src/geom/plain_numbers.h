// Between begin and end this thread reads and writes numbers with a '.', whatever the locale of the embedding
// program.
#ifndef GEOM_PLAIN_NUMBERS_H
#define GEOM_PLAIN_NUMBERS_H

#include <locale.h>

typedef struct plain_numbers {
    locale_t plain, before;
} plain_numbers;

static inline plain_numbers plain_numbers_begin(void) {
    plain_numbers p = {.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    if (p.plain) p.before = uselocale(p.plain);
    return p;
}

static inline void plain_numbers_end(plain_numbers p) {
    if (!p.plain) return;
    uselocale(p.before);
    freelocale(p.plain);
}

#endif
