// How high snow at rest on the field is stacked, column by column, and whether such a stack would stand as
// snow of the field: what stands steeper than the field can (a block, a wall of rubble) stays as it is.
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "snowfield/snowfield_state.h"

void snowfield_stacks_free(snowfield_state *s) { mem_free(s->stacks.item); }

static int by_place(const void *a, const void *b) {
    const snowfield_stack *p = a, *q = b;
    if (p->z != q->z) return p->z < q->z ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

static snowfield_stack *find(const snowfield_state *s, int32_t x, int32_t z) {
    if (s->stacks.count == 0) return NULL;
    const snowfield_stack key = {.x = x, .z = z};
    return bsearch(&key, s->stacks.item, s->stacks.count, sizeof key, by_place);
}

static snowfield_rect cells_below(const snowfield_state *s, const snowfield_lump *lump) {
    double half = 0.5 * (double)lump->size, cell = s->def.cell, x = lump->at[0] - s->x0,
           z = lump->at[2] - s->z0;
    snowfield_rect all = {(int32_t)floor((x - half) / cell), (int32_t)floor((z - half) / cell),
                          (int32_t)ceil((x + half) / cell), (int32_t)ceil((z + half) / cell)};
    return rect_meet(all, (snowfield_rect){0, 0, s->nx, s->nz});
}

// Each column below a lump once.
static firn_status list_columns(snowfield_state *s, size_t n, const snowfield_lump *lumps) {
    snowfield_stacks *w = &s->stacks;
    w->count = 0;
    for (size_t i = 0; i < n; i++) {
        snowfield_rect r = cells_below(s, &lumps[i]);
        if (rect_empty(r)) continue;
        size_t more = (size_t)(r.x1 - r.x0) * (size_t)(r.z1 - r.z0);
        if (!array_reserve(&w->item, &w->capacity, w->count + more, sizeof *w->item))
            return fail_memory("laying snow down", (w->count + more) * sizeof *w->item);
        for (int32_t z = r.z0; z < r.z1; z++)
            for (int32_t x = r.x0; x < r.x1; x++) w->item[w->count++] = (snowfield_stack){.x = x, .z = z};
    }
    qsort(w->item, w->count, sizeof *w->item, by_place);
    size_t kept = 0;
    for (size_t i = 0; i < w->count; i++)
        if (kept == 0 || by_place(&w->item[kept - 1], &w->item[i]) != 0) w->item[kept++] = w->item[i];
    w->count = kept;
    return FIRN_OK;
}

// What lies on the stack below it counts; snow on a roof above the field does not.
static void pile_up(snowfield_state *s, const snowfield_lump *lump, double reach) {
    snowfield_rect r = cells_below(s, lump);
    double half = 0.5 * (double)lump->size, cell = s->def.cell, x0 = lump->at[0] - s->x0,
           z0 = lump->at[2] - s->z0, deep = lump->mass / ((double)lump->density * 4 * half * half);
    float density = fminf(fmaxf(lump->density, s->law.density_min), s->law.densest);
    for (int32_t z = r.z0; z < r.z1; z++)
        for (int32_t x = r.x0; x < r.x1; x++) {
            double wide = fmin((x + 1) * cell, x0 + half) - fmax(x * cell, x0 - half),
                   long_ = fmin((z + 1) * cell, z0 + half) - fmax(z * cell, z0 - half);
            snowfield_stack *k = find(s, x, z);
            if (!k || !(wide > 0 && long_ > 0) || lump->at[1] - k->top > reach) continue;
            k->top += deep * wide * long_ / (cell * cell);
            k->fall = fmax(k->fall, snowfield_tan(&s->law, density) * cell);
        }
}

// One column: as high as the lowest of its neighbours lets it stand. Returns whether it became lower.
static bool lower(const snowfield_state *s, snowfield_stack *k) {
    double most = k->stands;
    if (!(k->fall > 0)) return false; // nothing new lies on it
    for (int32_t w = 0; w < 9; w++) {
        int32_t x = k->x + w % 3 - 1, z = k->z + w / 3 - 1;
        if (w == 4 || x < 0 || z < 0 || x >= s->nx || z >= s->nz) continue;
        const snowfield_stack *next = find(s, x, z);
        double there = next ? next->stands : snowfield_column_height(s, x, z);
        most = fmin(most, there + k->fall * (w % 2 ? 1 : sqrt(2)));
    }
    bool is_lower = most < k->stands;
    k->stands = most;
    return is_lower;
}

firn_status snowfield_stacks_find(snowfield_state *s, size_t n, const snowfield_lump *lumps, double reach) {
    snowfield_stacks *w = &s->stacks;
    TRY(list_columns(s, n, lumps));
    for (size_t i = 0; i < w->count; i++)
        w->item[i].top = snowfield_column_height(s, w->item[i].x, w->item[i].z);
    for (size_t i = 0; i < n; i++) pile_up(s, &lumps[i], reach);
    for (size_t i = 0; i < w->count; i++) w->item[i].stands = w->item[i].top;
    for (bool any = true; any;) { // forth and back: heights only fall, and there are finitely many
        any = false;
        for (size_t i = 0; i < w->count; i++) any |= lower(s, &w->item[i]);
        for (size_t i = w->count; i-- > 0;) any |= lower(s, &w->item[i]);
    }
    return FIRN_OK;
}

bool snowfield_stack_stands(const snowfield_state *s, int32_t x, int32_t z, double slack) {
    const snowfield_stack *k = find(s, x, z);
    return !k || k->top <= k->stands + slack;
}
