// Work beside the thread that draws. Errors belong to threads, so they are carried over.
#ifndef DRAW_BACKGROUND_H
#define DRAW_BACKGROUND_H

#include "par/par.h"

typedef struct background {
    firn_status (*work)(void *context);
    void *context;
    par_job *job; // NULL: not started, or done by the starting thread
    firn_status status;
    char message[800];
} background;

// Where the system gives no thread, the calling one does the work.
void background_start(background *b, firn_status (*work)(void *context), void *context);
firn_status background_wait(background *b); // the work's result; FIRN_OK if nothing was started

#endif
