// Aligned blocks from the allocator of the context, arenas, and arrays that grow.
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/context.h"

enum { ALIGNMENT = 64 };

// Header with the block's size and the context that it goes back to, whoever frees it; a whole cache line, so
// that the block stays aligned.
typedef struct block_header {
    size_t bytes;
    firn_context *owner;
    size_t mapped; // bytes of address space, of mem_part; 0: it came from the allocator
    char padding[ALIGNMENT - 2 * sizeof(size_t) - sizeof(firn_context *)];
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

firn_status firn_set_allocator(const firn_allocator *a) {
    if (a && (!a->allocate || !a->release))
        return fail(FIRN_BAD_INPUT, "firn_set_allocator: allocate or release is NULL");
    process_context.allocator = a ? *a : (firn_allocator){0};
    atomic_store(&process_context.misaligned, false);
    return FIRN_OK;
}

static const firn_allocator *allocator_of(const firn_context *context) {
    if (context->allocator.allocate) return &context->allocator;
    return process_context.allocator.allocate ? &process_context.allocator : &default_allocator;
}

bool mem_misaligned(void) { return atomic_load(&context_here()->misaligned); }

size_t mem_in_use(void) { return atomic_load(&context_here()->in_use); }
size_t mem_peak(void) { return atomic_load(&context_here()->peak); }
void mem_peak_forget(void) {
    firn_context *here = context_here();
    atomic_store(&here->peak, atomic_load(&here->in_use));
}

static void count_in(firn_context *owner, size_t bytes) {
    atomic_fetch_add_explicit(&owner->blocks, 1, memory_order_relaxed);
    size_t now = atomic_fetch_add(&owner->in_use, bytes) + bytes, most = atomic_load(&owner->peak);
    while (now > most && !atomic_compare_exchange_weak(&owner->peak, &most, now)) continue;
}

static void *alloc_of(firn_context *owner, size_t bytes) {
    if (bytes > SIZE_MAX / 2) return NULL;
    const firn_allocator *allocator = allocator_of(owner);
    size_t whole = bytes + sizeof(block_header);
    block_header *header = allocator->allocate(allocator->context, whole);
    if (!header) return NULL;
    if ((uintptr_t)header % ALIGNMENT != 0) {
        atomic_store(&owner->misaligned, true); // reported by fail_memory
        allocator->release(allocator->context, header, whole);
        return NULL;
    }
    header->bytes = bytes;
    header->owner = owner;
    header->mapped = 0;
    count_in(owner, bytes);
    return header + 1;
}

void *mem_alloc(size_t bytes) { return alloc_of(context_here(), bytes); }

void *mem_zero(size_t count, size_t item) {
    if (item && count > SIZE_MAX / 2 / item) return NULL;
    void *memory = mem_alloc(count * item);
    if (memory) memset(memory, 0, count * item);
    return memory;
}

void *mem_part(size_t count, size_t item, size_t bytes) {
    if (item && count > SIZE_MAX / 2 / item) return NULL;
    size_t whole = sizeof(block_header) + count * item;
    void *at = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return NULL;
    block_header *header = at;
    *header = (block_header){.bytes = bytes, .owner = context_here(), .mapped = whole};
    count_in(header->owner, bytes);
    return header + 1;
}

void mem_part_clear(void *memory, size_t from, size_t to) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *map = (char *)memory - sizeof(block_header);
    from += sizeof(block_header), to += sizeof(block_header);
    size_t first = (from + page - 1) / page * page, last = to / page * page;
    if (first >= last) {
        memset(map + from, 0, to > from ? to - from : 0);
        return;
    }
    memset(map + from, 0, first - from);
    memset(map + last, 0, to - last);
    if (madvise(map + first, last - first, MADV_DONTNEED) != 0) memset(map + first, 0, last - first);
}

void mem_free(void *memory) {
    if (!memory) return;
    block_header *header = (block_header *)memory - 1;
    firn_context *owner = header->owner;
    const firn_allocator *allocator = allocator_of(owner);
    size_t bytes = header->bytes;
    atomic_fetch_sub(&owner->in_use, bytes);
    if (header->mapped > 0)
        munmap(header, header->mapped);
    else
        allocator->release(allocator->context, header, bytes + sizeof(block_header));
    // Last: once it is 0 the context may be closed by another thread.
    atomic_fetch_sub_explicit(&owner->blocks, 1, memory_order_release);
}

void *mem_resize(void *memory, size_t bytes) {
    if (!memory) return mem_alloc(bytes);
    const block_header *header = (const block_header *)memory - 1;
    size_t old = header->bytes;
    void *bigger = alloc_of(header->owner, bytes);
    if (!bigger) return NULL;
    memcpy(bigger, memory, old < bytes ? old : bytes);
    mem_free(memory);
    return bigger;
}

firn_status context_alloc(const firn_allocator *allocator, size_t bytes, firn_context **out) {
    firn_context first = {.allocator = *allocator};
    firn_context *made = alloc_of(&first, bytes);
    if (!made) {
        USE_CONTEXT(&first); // whether it was its allocator that gave crooked memory
        return fail_memory("making a context", bytes);
    }
    ((block_header *)(void *)made - 1)->owner = made;
    memset((void *)made, 0, bytes);
    made->allocator = *allocator;
    *out = made;
    return FIRN_OK;
}

void context_free(firn_context *context) {
    block_header *header = (block_header *)(void *)context - 1;
    firn_allocator allocator = *allocator_of(context);
    allocator.release(allocator.context, header, header->bytes + sizeof(block_header));
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
