// Hash map of the blocks of a sparse grid: block coordinates to slots. Results must not depend on the order
// of slots, which follows insertion history.
#ifndef GRID_BLOCK_MAP_H
#define GRID_BLOCK_MAP_H

#include "base/memory.h"

enum { BLOCK_NONE = 0xffffffffu, BLOCK_LIMIT = 1 << 20 }; // coordinates lie in (-BLOCK_LIMIT, BLOCK_LIMIT)

typedef struct block_map {
    uint64_t *key;    // hash table: packed coordinates + 1, 0 where free
    uint32_t *slot;   // hash table: slot number
    size_t buckets;   // of the hash table, a power of two
    int32_t (*at)[3]; // by slot: coordinates
    size_t count, capacity;
} block_map;

void block_map_free(block_map *map);
void block_map_clear(block_map *map);
uint32_t block_map_find(const block_map *map, const int32_t at[3]);             // BLOCK_NONE: none
firn_status block_map_add(block_map *map, const int32_t at[3], uint32_t *slot); // finds or adds

// A key that grows in Morton order of the coordinates: neighbours in space are near each other in memory.
uint64_t block_morton(const int32_t at[3]);

#endif
