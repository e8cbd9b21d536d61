// Grids over ranks: each has a run of planes, in whole units of a few planes, so that blocks of planes, sums
// block by block and coarser levels of the grid are those of one rank. Planes are numbered from 0, the one
// before the grid, to n + 1, the one behind it, which belong to the first and the last rank.
#ifndef NET_NET_SLABS_H
#define NET_NET_SLABS_H

#include "net/net.h"

typedef struct net_slabs {
    size_t ranks, rank;   // 0 or 1 rank: nothing is divided, and nothing here does anything
    int32_t n, unit;      // planes; in a unit
    net_buffer *out, *in; // by rank; behind them those of messages that are not packed
} net_slabs;

// For this rank, `rank` of `ranks`. The unit is the largest of a few that leaves no rank with a tenth more
// than its share, `least` planes where none does. False: there is no memory.
bool net_slabs_make(net_slabs *s, size_t ranks, size_t rank, int32_t n, int32_t least);
void net_slabs_free(net_slabs *s);
bool net_slabs_fit(size_t ranks, int32_t n, int32_t least); // has each rank a unit?

// The same planes, two by two; shares the messages of the finer one. unit must be even.
net_slabs net_slabs_coarser(const net_slabs *s);

static inline bool net_slabs_divide(const net_slabs *s) { return s->ranks > 1; }
int32_t net_slabs_first(const net_slabs *s, size_t rank); // 1 .. n; of `ranks`: n + 1
// Planes [*low, *high) of a rank, with those before and behind the grid.
void net_slabs_own(const net_slabs *s, size_t rank, int32_t *low, int32_t *high);

// An array of planes, all of the same length.
typedef struct net_planes {
    void *data; // of plane 0, wherever this rank has memory
    size_t bytes;
} net_planes;

// Collective. Each rank gets, of each array, the `below` planes before its own and the `above` behind them.
void net_slabs_fill(const net_slabs *s, int32_t below, int32_t above, const net_planes *array, size_t count);
// Collective. Each rank gets its planes from rank 0, which has all; and the other way round.
void net_slabs_scatter(const net_slabs *s, const net_planes *array, size_t count);
void net_slabs_gather(const net_slabs *s, const net_planes *array, size_t count);

#endif
