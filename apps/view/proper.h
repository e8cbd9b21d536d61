// "Render this properly": pictures and movies of what is seen, drawn by another process of firn, so that the
// window stays alive and a crash or a lack of memory there does no harm here.
#ifndef VIEW_PROPER_H
#define VIEW_PROPER_H

#include "frames.h"

typedef struct proper_order {
    char *text;   // of the job, all but its states; taken over
    kept **state; // to be drawn, each held once; taken over. NULL: the job's text names frames, or the start
    size_t states;
    const char *output;
} proper_order;

typedef struct proper_status {
    bool busy;
    double share, eta; // done; s that it still takes, 0: not known
    unsigned finished; // counts orders that ended
    bool failed;       // the last one
    char message[768]; // what became of it
} proper_status;

typedef struct proper proper;
proper *proper_create(frames *f, void (*notify)(void *context), void *context); // NULL: no memory
void proper_free(proper *p);                      // stops what is drawn; NULL is fine
bool proper_begin(proper *p, proper_order order); // false: another one is not finished (order is freed)
void proper_cancel(proper *p);
proper_status proper_now(proper *p);

// The other side: `firn view --draw JOB`. An exit code.
int proper_draw(const char *job);

#endif
