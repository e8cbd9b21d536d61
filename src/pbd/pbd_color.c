// Greedy colouring of constraints: each takes the first colour that none of its particles has yet.
#include "pbd/pbd_batch.h"

#include <string.h>

// Particles of many constraints keep a row of bits, one per colour; the others are looked up in the list of
// their constraints, so that memory stays small beside one particle that holds everything.
enum { FEW = 64, WORD = 64 };

typedef struct palette {
    const uint32_t *particle;
    int arity;
    size_t count, particles, words;
    uint32_t *first, *incident; // constraints of each particle
    uint32_t *row;              // by particle: its row of bits, or UINT32_MAX
    uint64_t *bits;
    uint64_t *seen; // colours of the particles without a row, while one constraint is looked at
} palette;

static void palette_free(palette *p) {
    mem_free(p->first);
    mem_free(p->incident);
    mem_free(p->row);
    mem_free(p->bits);
    mem_free(p->seen);
}

static void list_incidence(palette *p) {
    size_t ends = p->count * (size_t)p->arity;
    for (size_t i = 0; i < ends; i++) p->first[p->particle[i] + 2]++;
    for (size_t i = 0; i < p->particles; i++) p->first[i + 2] += p->first[i + 1];
    for (size_t i = 0; i < ends; i++)
        p->incident[p->first[p->particle[i] + 1]++] = (uint32_t)(i / (size_t)p->arity);
}

static firn_status palette_make(palette *p) {
    size_t ends = p->count * (size_t)p->arity, most = 0, rows = 0;
    p->first = mem_zero(p->particles + 2, sizeof *p->first);
    p->incident = mem_zero(ends + 1, sizeof *p->incident);
    p->row = mem_zero(p->particles + 1, sizeof *p->row);
    if (!p->first || !p->incident || !p->row)
        return fail_memory("colouring constraints", ends * sizeof *p->incident);
    list_incidence(p);
    for (size_t i = 0; i < p->particles; i++) {
        size_t degree = p->first[i + 1] - p->first[i];
        if (degree > most) most = degree;
        p->row[i] = degree > FEW ? (uint32_t)rows++ : UINT32_MAX;
    }
    p->words = (most * (size_t)p->arity + WORD) / WORD;
    p->bits = mem_zero(rows * p->words + 1, sizeof *p->bits);
    p->seen = mem_zero(p->words, sizeof *p->seen);
    return p->bits && p->seen ? FIRN_OK
                              : fail_memory("colouring constraints", rows * p->words * sizeof *p->bits);
}

// Sets or clears the colours of a particle without a row in `seen`.
static void note_seen(palette *p, uint32_t particle, const uint32_t *color, bool set) {
    for (uint32_t k = p->first[particle]; k < p->first[particle + 1]; k++) {
        uint32_t c = color[p->incident[k]];
        if (c == UINT32_MAX) continue;
        p->seen[c / WORD] = set ? p->seen[c / WORD] | (uint64_t)1 << c % WORD : 0;
    }
}

static uint32_t first_free(const palette *p, const uint32_t *particle) {
    for (size_t w = 0;; w++) {
        uint64_t used = p->seen[w];
        for (int k = 0; k < p->arity; k++)
            if (p->row[particle[k]] != UINT32_MAX) used |= p->bits[p->row[particle[k]] * p->words + w];
        if (~used) return (uint32_t)(w * WORD) + (uint32_t)__builtin_ctzll(~used);
    }
}

static uint32_t color_one(palette *p, const uint32_t *particle, const uint32_t *color) {
    for (int k = 0; k < p->arity; k++)
        if (p->row[particle[k]] == UINT32_MAX) note_seen(p, particle[k], color, true);
    uint32_t c = first_free(p, particle);
    for (int k = 0; k < p->arity; k++) {
        uint32_t row = p->row[particle[k]];
        if (row == UINT32_MAX)
            note_seen(p, particle[k], color, false);
        else
            p->bits[row * p->words + c / WORD] |= (uint64_t)1 << c % WORD;
    }
    return c;
}

firn_status pbd_color(const uint32_t *particle, int arity, size_t count, size_t particles, uint32_t *color,
                      size_t *colors) {
    palette p = {.particle = particle, .arity = arity, .count = count, .particles = particles};
    *colors = 0;
    firn_status status = palette_make(&p);
    memset(color, 0xff, count * sizeof *color);
    for (size_t c = 0; status == FIRN_OK && c < count; c++) {
        color[c] = color_one(&p, particle + c * (size_t)arity, color);
        if (color[c] >= *colors) *colors = color[c] + 1;
    }
    palette_free(&p);
    return status;
}
