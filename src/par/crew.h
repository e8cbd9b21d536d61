// Who works for a context: the embedding program's task system, or pools of our own threads. One pool serves
// one call at a time; a second thread that works in the same context at that moment gets a pool of its own.
#ifndef PAR_CREW_H
#define PAR_CREW_H

#include "base/context.h"
#include "par/pool.h"

enum { CREW_POOLS = 8 }; // threads that work in parallel in one context at a time; more work alone

typedef struct par_crew par_crew;
struct par_crew {
    pthread_mutex_t lock;
    firn_task_system system; // run NULL: our own threads
    int threads;             // of our own; 0: one per core, or in a context the process's settings
    pool *idle, *all;
    int pools;
    par_crew *next;
};

// Adds a crew that is zero but for its settings to those that a forked child knows of; ends its threads,
// gives back its pools and removes it. False, and nothing happens, if one of its pools works.
void crew_begin(par_crew *crew);
bool crew_end(par_crew *crew);
int crew_pools(par_crew *crew); // how many it has

#endif
