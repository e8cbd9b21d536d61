/* firn: runs on several machines. In a build with MPI (-DFIRN_MPI=ON), a program that is started by mpirun
   calls firn_ranks_start first. Then firn_run and firn_hash divide the scene among the ranks: all ranks make
   the same call; rank 0 writes and reports, the others work for it. docs/cluster.md */
#ifndef FIRN_RANKS_H
#define FIRN_RANKS_H

#include <firn/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Before all other calls, with the arguments of main. Does nothing where the program was not started as one
   of several; FIRN_BAD_INPUT if it was, but this build has no MPI. */
FIRN_API firn_status firn_ranks_start(int *argc, char ***argv); /* [setup] */
/* After all other calls: a rank that ends without it takes the others with it. */
FIRN_API void firn_ranks_end(void); /* [setup] */
/* The number of this process, from 0. */
FIRN_API size_t firn_rank(void); /* [any] */
/* How many there are; 1 without MPI. */
FIRN_API size_t firn_rank_count(void); /* [any] */

/* What a rank has done in this process: sent to other ranks; taken part in (collectives: maxima, sums,
   broadcasts); at most had in use (memory, bytes); waited for messages, and of that time used the processor;
   used it at all, since the process began (s); worked, in real time (s), where a slow machine shows; and
   would have taken over the network that the variable FIRN_NET_MODEL describes, if there is one (s). */
typedef struct firn_rank_work {
    uint64_t bytes, messages, collectives, memory;
    double waited, waited_cpu, cpu, worked, modelled;
    char host[64];
} firn_rank_work;
/* On rank 0, after firn_run or firn_hash; zeros elsewhere and for a rank that does not exist. */
FIRN_API firn_rank_work firn_rank_work_of(size_t rank); /* [read] */

/* What a scene takes over several ranks with as many threads each: estimates from its cost on one. Time and
   traffic are for a network of 5 microseconds and 1 GB/s. */
typedef struct firn_rank_cost {
    uint64_t memory_first;    /* bytes: rank 0 where it holds the whole state: when the run goes on from a
                                 checkpoint, and at frames that are compressed */
    uint64_t memory;          /* bytes: every other rank */
    uint64_t bytes, messages; /* that a rank sends in a step */
    double seconds;           /* wall time of the run */
    size_t proposed;          /* so many ranks spend at least three quarters of their time on the scene */
} firn_rank_cost;
/* FIRN_BAD_INPUT if there is something in the scene that keeps it on one rank. cost: of firn_scene_check. */
FIRN_API firn_status firn_scene_check_ranks(const char *path, firn_overrides overrides, const firn_cost *cost,
                                            size_t ranks, firn_rank_cost *out); /* [any] */

#ifdef __cplusplus
}
#endif
#endif
