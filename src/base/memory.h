// All memory of the library. Blocks are aligned to 64 bytes and store their size and the context in which
// they were made (base/context.h): freed by whom ever, they go back to its allocator.
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "base/status.h"

void *mem_alloc(size_t bytes);             // NULL on failure; contents undefined
void *mem_zero(size_t count, size_t item); // zeroed; NULL on failure or overflow
// An array of zeros of which few are ever written: memory is taken for pages that are, but only `bytes` are
// counted. Not from the allocator of the context, and not for mem_resize. mem_part_clear: zeros again, and
// the pages are given back.
void *mem_part(size_t count, size_t item, size_t bytes);
void mem_part_clear(void *memory, size_t from, size_t to); // bytes [from, to)
void *mem_resize(void *memory, size_t bytes);              // like realloc; NULL on failure, memory kept
void mem_free(void *memory);                               // NULL is fine
// Of the present context:
bool mem_misaligned(void); // its allocator has returned a block that is not aligned to 64 bytes
size_t mem_in_use(void);   // bytes allocated and not freed (leak tests, `firn bench`)
size_t mem_peak(void);     // the most that was in use since the start or mem_peak_forget
void mem_peak_forget(void);

// An array that grows: `if (!array_reserve(&list, &capacity, count + 1, sizeof *list)) return
// fail_memory(...)`. Keeps its contents. items is the address of the pointer.
bool array_reserve(void *items, size_t *capacity, size_t count, size_t item);

// Arena for many small objects of the same lifetime (the strings and structs of a scene).
typedef struct arena_chunk arena_chunk;
typedef struct arena {
    arena_chunk *chunks;
} arena;
void *arena_alloc(arena *a, size_t bytes); // zeroed; NULL on failure
char *arena_text(arena *a, const char *text, size_t length);
void arena_free(arena *a);

#endif
