// Ranks: the processes of one run, which exchange messages. The only folder that knows MPI: net_mpi.c; in a
// build without it (net_one.c) there is one rank, and every call here returns at once.
//
// "Collective": all ranks make the call, in the same order of calls. Calls come from the thread that steps.
// Sums of floating-point numbers are never formed here: messages come in the order of the ranks, and the
// caller adds them up. A failure of the transport itself ends all ranks (net_abort).
#ifndef NET_NET_H
#define NET_NET_H

#include "base/memory.h"

size_t net_rank(void); // from 0
size_t net_count(void);

// Before and after all other calls. Once started, a rank that ends without net_end takes the others with it.
firn_status net_start(int *argc, char ***argv);
void net_end(void);
// Ends all ranks; says on standard error which rank, on which host, and why.
_Noreturn void net_abort(const char *why);

// Bytes that grow.
typedef struct net_buffer {
    char *data;
    size_t bytes, capacity;
} net_buffer;
void net_buffer_add(net_buffer *b, const void *data, size_t bytes); // ends all ranks without memory
void *net_buffer_room(net_buffer *b, size_t bytes);                 // the same; to be filled by the caller
void net_buffer_free(net_buffer *b);

// Collective. The data of rank `root` to all.
void net_broadcast(void *data, size_t bytes, size_t root);
// Collective. Element by element the largest value of all ranks; exact.
void net_max(double *values, size_t count);
// Collective. What each rank gives, rank by rank, to all; `all` is overwritten. sizes: by rank, or NULL.
void net_gather_all(const void *own, size_t bytes, net_buffer *all, size_t *sizes);
// Collective. Messages between any two ranks, of lengths that only the sender knows; by rank. `in` is
// overwritten. A message to oneself is a copy.
void net_exchange(const net_buffer *out, net_buffer *in);
// The same where both sides know the lengths: those of `in` are set. Only those who have a message take part.
void net_exchange_known(const net_buffer *out, net_buffer *in);
// The same in two parts, with work between them: `out` and `in` are left alone until net_finish. One at a
// time.
void net_start_known(const net_buffer *out, net_buffer *in);
void net_finish(void);
// Collective. fn(context, data) on one rank after the other, each with the data that the one before left; at
// the end all have the last.
void net_in_order(void *data, size_t bytes, void (*fn)(void *context, void *data), void *context);
// Collective. What each rank gives, in the order of the ranks, to fn on rank 0 (elsewhere NULL), in pieces of
// a few megabytes.
void net_collect(const void *data, size_t bytes, void (*fn)(void *context, const void *data, size_t bytes),
                 void *context);
// Collective. FIRN_OK if all ranks give FIRN_OK; otherwise, on all, the failure of the first rank that has
// one.
firn_status net_agree(firn_status status);

// What this rank has sent since the start.
typedef struct net_traffic {
    uint64_t bytes, messages;  // from rank to rank
    uint64_t collectives;      // broadcasts, gathers and maxima
    double waited, waited_cpu; // s in the calls above, of real time and of the processor
    double worked;             // s of real time outside of them
    double modelled;           // s that it would have taken over the network of FIRN_NET_MODEL; 0: none
} net_traffic;
net_traffic net_sent(void);
enum { NET_HOST_ROOM = 64 };
void net_host(char out[NET_HOST_ROOM]); // name of this machine; "" without MPI
// A failure of this rank alone says which one it is, and where: one of memory or files.
firn_status net_told(firn_status status);
double net_cpu_seconds(void); // of all threads of this process

#endif
