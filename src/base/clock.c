// Wall-clock time, and time per pass of a step.
#include "base/clock.h"

#include <string.h>
#include <time.h>

double clock_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void profile_end(profile *p) {
    double now = clock_seconds();
    if (p->started > 0) p->seconds[p->current] += now - p->started;
    p->started = 0;
}

void profile_pass(profile *p, const char *name) {
    profile_end(p);
    int i = 0;
    while (i < p->count && strcmp(p->name[i], name) != 0) i++;
    if (i == PROFILE_PASSES)
        p->name[--i] = "other passes"; // the last collects the time of all beyond the limit
    if (i == p->count) p->name[p->count++] = name;
    p->current = i;
    p->started = clock_seconds();
}
