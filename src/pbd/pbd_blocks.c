// Blocks of constraints for Gauss-Seidel. Particles that constraints join have numbers near each other in
// most solids (a lattice: one layer apart). So they are cut into slabs of consecutive numbers, no thinner
// than the longest such distance, and a constraint belongs to the slab of its first particle: it then meets
// that slab and the next only. All even slabs may run at once, then all odd ones: two barriers instead of one
// for each colour, and the particles of a slab stay in the cache while all its colours pass over them.
#include "pbd/pbd_batch.h"

#include <string.h>

enum {
    FEWEST_SLABS = 8,        // with fewer, colours alone give more to do at once
    SLAB_PARTICIPANTS = 4096 // particles of all constraints of a slab, at least: colours fill whole vectors
};

static size_t first_particle(const pbd_draft *d, size_t c, size_t *span) {
    const uint32_t *p = d->particle + c * (size_t)d->arity;
    uint32_t low = p[0], high = p[0];
    for (int k = 1; k < d->arity; k++) {
        low = p[k] < low ? p[k] : low;
        high = p[k] > high ? p[k] : high;
    }
    *span = high - low;
    return low;
}

static size_t slab_width(const pbd_draft *d, size_t particles) {
    size_t widest = 1, span, ends = d->count * (size_t)d->arity;
    for (size_t c = 0; c < d->count; c++) {
        first_particle(d, c, &span);
        widest = span > widest ? span : widest;
    }
    size_t full = (size_t)((double)SLAB_PARTICIPANTS * (double)particles / (double)(ends + 1)) + 1;
    return full > widest ? full : widest;
}

firn_status pbd_cut_slabs(const pbd_draft *d, size_t particles, uint32_t *color, size_t *colors) {
    if (d->arity < 2 || d->count == 0) return FIRN_OK;
    size_t width = slab_width(d, particles), slabs = particles / width, even = (slabs + 1) / 2, used = 0;
    if (slabs < FEWEST_SLABS) return FIRN_OK;
    uint32_t *number = mem_zero(slabs * *colors + 1, sizeof *number);
    if (!number) return fail_memory("colouring constraints", slabs * *colors * sizeof *number);
    for (size_t c = 0; c < d->count; c++) {
        size_t span, slab = first_particle(d, c, &span) / width;
        slab = slab < slabs ? slab : slabs - 1;
        size_t rank = slab % 2 == 0 ? slab / 2 : even + slab / 2;
        color[c] += (uint32_t)(rank * *colors);
        number[color[c]] = 1;
    }
    for (size_t k = 0; k < slabs * *colors; k++)
        if (number[k]) number[k] = (uint32_t)used++;
    for (size_t c = 0; c < d->count; c++) color[c] = number[color[c]];
    mem_free(number);
    *colors = used;
    return FIRN_OK;
}

// The block of this phase that a colour belongs to: a new one if it shares no particle with any, the last one
// if it shares some with that only; otherwise a new phase begins.
static uint32_t block_of(const pbd_batch *b, size_t k, const uint32_t *owner, uint32_t phase, uint32_t last) {
    bool meets_last = false;
    for (int a = 0; a < b->arity; a++) {
        const uint32_t *p = b->particle + (size_t)a * b->count;
        for (size_t c = b->colour[k]; c < b->colour[k + 1]; c++) {
            if (owner[p[c]] < phase) continue;
            if (owner[p[c]] != last) return 0;
            meets_last = true;
        }
    }
    return meets_last ? last : last + 1;
}

// Whatever blocks come out of it, constraints that share a particle run in their order: a restart, which
// makes them anew, has the same bits.
static void list_blocks(pbd_batch *b, uint32_t *owner) {
    uint32_t phase = 1, last = 0; // blocks are numbered from 1, over all phases
    b->blocks = b->phases = 0;
    for (size_t k = 0; k < b->colours; k++) {
        uint32_t to = last == 0 ? 1 : block_of(b, k, owner, phase, last);
        if (to == 0 || last == 0) {
            phase = to = last + 1;
            b->phase[b->phases++] = (uint32_t)b->blocks;
        }
        if (to != last) b->block[b->blocks++] = (uint32_t)k;
        last = to;
        for (int a = 0; a < b->arity; a++)
            for (size_t c = b->colour[k]; c < b->colour[k + 1]; c++)
                owner[b->particle[(size_t)a * b->count + c]] = last;
    }
    b->block[b->blocks] = (uint32_t)b->colours;
    b->phase[b->phases] = (uint32_t)b->blocks;
}

firn_status pbd_find_blocks(pbd_batch *b) {
    size_t particles = 0;
    for (size_t i = 0; i < b->count * (size_t)b->arity; i++)
        particles = b->particle[i] >= particles ? (size_t)b->particle[i] + 1 : particles;
    mem_free(b->block);
    mem_free(b->phase);
    b->block = mem_zero(b->colours + 1, sizeof *b->block);
    b->phase = mem_zero(b->colours + 1, sizeof *b->phase);
    uint32_t *owner = mem_zero(particles + 1, sizeof *owner);
    bool enough = b->block && b->phase && owner;
    if (enough) list_blocks(b, owner);
    mem_free(owner);
    return enough ? FIRN_OK : fail_memory("making constraints", particles * sizeof *owner);
}
