// Work on a thread of its own, whose failure is handed to whoever waits for it.
#include "draw/background.h"

#include <stdio.h>

static void work_now(void *context) {
    background *b = context;
    b->status = b->work(b->context);
    if (b->status != FIRN_OK) snprintf(b->message, sizeof b->message, "%s", firn_last_error());
}

void background_start(background *b, firn_status (*work)(void *context), void *context) {
    *b = (background){.work = work, .context = context};
    if (par_job_start(work_now, b, &b->job) != FIRN_OK) work_now(b);
}

firn_status background_wait(background *b) {
    par_job_wait(b->job);
    firn_status status = b->status;
    b->job = NULL;
    b->status = FIRN_OK;
    return status == FIRN_OK ? FIRN_OK : fail(status, "%s", b->message);
}
