#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 64 };

// Header with the block's size; a whole cache line, so that the block stays aligned.
typedef struct block_header {
    size_t bytes;
    char padding[ALIGNMENT - sizeof(size_t)];
} block_header;
_Static_assert(sizeof(block_header) == ALIGNMENT, "a block starts on its own cache line");

static void *default_allocate(void *context, size_t bytes) {
    (void)context;
    return aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

static void default_release(void *context, void *memory, size_t bytes) {
    (void)context;
    (void)bytes;
    free(memory);
}

static const firn_allocator default_allocator = {default_allocate, default_release, NULL};
static firn_allocator allocator = {default_allocate, default_release, NULL};
static atomic_size_t in_use, peak;

static atomic_bool misaligned;

firn_status firn_set_allocator(const firn_allocator *a) {
    if (a && (!a->allocate || !a->release))
        return fail(FIRN_BAD_INPUT, "firn_set_allocator: allocate or release is NULL");
    allocator = a ? *a : default_allocator;
    atomic_store(&misaligned, false);
    return FIRN_OK;
}

bool mem_misaligned(void) { return atomic_load(&misaligned); }

size_t mem_in_use(void) { return atomic_load(&in_use); }
size_t mem_peak(void) { return atomic_load(&peak); }
void mem_peak_forget(void) { atomic_store(&peak, atomic_load(&in_use)); }

static void count_in(size_t bytes) {
    size_t now = atomic_fetch_add(&in_use, bytes) + bytes, most = atomic_load(&peak);
    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) continue;
}

void *mem_alloc(size_t bytes) {
    if (bytes > SIZE_MAX / 2) return NULL;
    size_t whole = bytes + sizeof(block_header);
    block_header *header = allocator.allocate(allocator.context, whole);
    if (!header) return NULL;
    if ((uintptr_t)header % ALIGNMENT != 0) {
        atomic_store(&misaligned, true); // reported by fail_memory
        allocator.release(allocator.context, header, whole);
        return NULL;
    }
    header->bytes = bytes;
    count_in(bytes);
    return header + 1;
}

void *mem_zero(size_t count, size_t item) {
    if (item && count > SIZE_MAX / 2 / item) return NULL;
    void *memory = mem_alloc(count * item);
    if (memory) memset(memory, 0, count * item);
    return memory;
}

void mem_free(void *memory) {
    if (!memory) return;
    block_header *header = (block_header *)memory - 1;
    atomic_fetch_sub(&in_use, header->bytes);
    allocator.release(allocator.context, header, header->bytes + sizeof(block_header));
}

void *mem_resize(void *memory, size_t bytes) {
    if (!memory) return mem_alloc(bytes);
    size_t old = ((block_header *)memory - 1)->bytes;
    void *bigger = mem_alloc(bytes);
    if (!bigger) return NULL;
    memcpy(bigger, memory, old < bytes ? old : bytes);
    mem_free(memory);
    return bigger;
}

bool array_reserve(void *items, size_t *capacity, size_t count, size_t item) {
    if (count <= *capacity) return true;
    size_t wanted = *capacity + *capacity / 2;
    if (wanted < count) wanted = count;
    if (wanted < 8) wanted = 8;
    if (wanted > SIZE_MAX / 2 / item) return false;
    void *old;
    memcpy(&old, items, sizeof old);
    void *bigger = mem_resize(old, wanted * item);
    if (!bigger) return false;
    memcpy(items, &bigger, sizeof bigger);
    *capacity = wanted;
    return true;
}

struct arena_chunk {
    arena_chunk *next;
    size_t used, size;
    char data[];
};

enum { CHUNK_BYTES = 16 * 1024, ARENA_ALIGNMENT = 16 };

void *arena_alloc(arena *a, size_t bytes) {
    if (bytes > SIZE_MAX / 4) return NULL;
    size_t rounded = (bytes + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
    arena_chunk *chunk = a->chunks;
    if (!chunk || chunk->size - chunk->used < rounded) {
        size_t size = rounded > CHUNK_BYTES ? rounded : CHUNK_BYTES;
        // data[] starts 24 bytes into a 64-byte aligned block: pad so that items are aligned too.
        chunk = mem_alloc(sizeof(arena_chunk) + ARENA_ALIGNMENT + size);
        if (!chunk) return NULL;
        *chunk = (arena_chunk){.next = a->chunks, .used = 0, .size = size};
        a->chunks = chunk;
    }
    uintptr_t start = ((uintptr_t)chunk->data + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
    void *memory = (char *)start + chunk->used;
    chunk->used += rounded;
    memset(memory, 0, bytes);
    return memory;
}

char *arena_text(arena *a, const char *text, size_t length) {
    char *copy = arena_alloc(a, length + 1);
    if (copy && length) memcpy(copy, text, length);
    return copy;
}

void arena_free(arena *a) {
    while (a->chunks) {
        arena_chunk *next = a->chunks->next;
        mem_free(a->chunks);
        a->chunks = next;
    }
}
