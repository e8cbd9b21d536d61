// Small pictures of scenes for the list of scenes: made one after the other on a thread of their own, and
// kept under XDG_CACHE_HOME/firn (or ~/.cache/firn).
#ifndef VIEW_THUMBS_H
#define VIEW_THUMBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { THUMB_WIDTH = 128, THUMB_HEIGHT = 72 };

typedef struct thumbs thumbs;
thumbs *thumbs_start(void (*notify)(void *context), void *context); // NULL: no memory or thread
void thumbs_end(thumbs *t);                                         // NULL is fine
void thumbs_want(thumbs *t, size_t number, const char *path);       // after those that were wanted before
void thumbs_forget(thumbs *t); // nobody looks at the list: what is wanted is not made
// One that is ready, once: THUMB_WIDTH x THUMB_HEIGHT pixels to be freed; NULL: there is none.
uint8_t *thumbs_next(thumbs *t, size_t *number);

#endif
