// Open addressing with linear probing over packed block coordinates.
#include "grid/block_map.h"

#include <string.h>

static uint64_t pack(const int32_t at[3]) {
    uint64_t x = (uint64_t)(at[0] + BLOCK_LIMIT), y = (uint64_t)(at[1] + BLOCK_LIMIT),
             z = (uint64_t)(at[2] + BLOCK_LIMIT);
    return ((x << 42) | (y << 21) | z) + 1;
}

static size_t hash_of(uint64_t key, size_t buckets) {
    uint64_t h = key * 0x9e3779b97f4a7c15u;
    return (size_t)(h >> 20) & (buckets - 1);
}

void block_map_free(block_map *map) {
    mem_free(map->key);
    mem_free(map->slot);
    mem_free(map->at);
    *map = (block_map){0};
}

void block_map_clear(block_map *map) {
    if (map->key) memset(map->key, 0, map->buckets * sizeof *map->key);
    map->count = 0;
}

// Index of the key, or of the free bucket for it.
static size_t probe(const uint64_t *table, size_t buckets, uint64_t key) {
    size_t i = hash_of(key, buckets);
    while (table[i] && table[i] != key) i = (i + 1) & (buckets - 1);
    return i;
}

uint32_t block_map_find(const block_map *map, const int32_t at[3]) {
    if (!map->buckets) return BLOCK_NONE;
    size_t i = probe(map->key, map->buckets, pack(at));
    return map->key[i] ? map->slot[i] : BLOCK_NONE;
}

static firn_status grow(block_map *map) {
    size_t buckets = map->buckets ? 2 * map->buckets : 1024;
    uint64_t *key = mem_zero(buckets, sizeof *key);
    uint32_t *slot = mem_alloc(buckets * sizeof *slot);
    if (!key || !slot) {
        mem_free(key);
        mem_free(slot);
        return fail_memory("growing a sparse grid", buckets * (sizeof *key + sizeof *slot));
    }
    for (size_t i = 0; i < map->count; i++) {
        size_t j = probe(key, buckets, pack(map->at[i]));
        key[j] = pack(map->at[i]);
        slot[j] = (uint32_t)i;
    }
    mem_free(map->key);
    mem_free(map->slot);
    map->key = key;
    map->slot = slot;
    map->buckets = buckets;
    return FIRN_OK;
}

firn_status block_map_add(block_map *map, const int32_t at[3], uint32_t *slot) {
    if (2 * (map->count + 1) > map->buckets) TRY(grow(map));
    size_t i = probe(map->key, map->buckets, pack(at));
    if (!map->key[i]) {
        if (!array_reserve(&map->at, &map->capacity, map->count + 1, sizeof *map->at))
            return fail_memory("growing a sparse grid", (map->count + 1) * sizeof *map->at);
        memcpy(map->at[map->count], at, sizeof *map->at);
        map->key[i] = pack(at);
        map->slot[i] = (uint32_t)map->count++;
    }
    *slot = map->slot[i];
    return FIRN_OK;
}

// Inserts two zero bits after each of the low 21 bits.
static uint64_t spread(uint64_t a) {
    a &= 0x1fffff;
    a = (a | a << 32) & 0x1f00000000ffffu;
    a = (a | a << 16) & 0x1f0000ff0000ffu;
    a = (a | a << 8) & 0x100f00f00f00f00fu;
    a = (a | a << 4) & 0x10c30c30c30c30c3u;
    return (a | a << 2) & 0x1249249249249249u;
}

uint64_t block_morton(const int32_t at[3]) {
    return spread((uint64_t)(at[0] + BLOCK_LIMIT)) << 2 | spread((uint64_t)(at[1] + BLOCK_LIMIT)) << 1 |
           spread((uint64_t)(at[2] + BLOCK_LIMIT));
}
