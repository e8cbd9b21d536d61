// The pressure over ranks: fine levels are divided into slabs along z, coarse ones are on all ranks, where
// all do the same. Passes go over the planes of this rank, sums over fixed blocks of planes, in their order.
#include <string.h>

#include "par/par.h"
#include "solve/poisson_state.h"

enum { SMALL = 20000 }; // items of a level that all ranks rather have as a whole

void poisson_make_slabs(poisson *p, const net_slabs *slabs) {
    net_slabs s = slabs ? *slabs : (net_slabs){0};
    for (int i = 0; i < p->levels; i++) {
        poisson_level *l = &p->level[i];
        l->k0 = l->part0 = 1, l->k1 = l->part1 = l->box.n[2] + 1;
        l->slabs = l->parts = (net_slabs){0};
        if (!net_slabs_divide(&s)) continue;
        l->parts = s;
        l->part0 = net_slabs_first(&s, s.rank), l->part1 = net_slabs_first(&s, s.rank + 1);
        bool on_all = i > 0 && (l->box.size < SMALL || s.unit % 2 != 0);
        if (on_all || i + 1 == p->levels) {
            s = (net_slabs){0};
            continue;
        }
        l->slabs = s;
        l->k0 = l->part0, l->k1 = l->part1;
        s = net_slabs_coarser(&s);
    }
}

static void with_rim(int32_t first, int32_t end, int32_t n, int32_t more, int32_t *low, int32_t *high) {
    *low = (first == 1 ? 0 : first) - more;
    *high = (end == n + 1 ? n + 2 : end) + more;
    if (*low < 0) *low = 0;
    if (*high > n + 2) *high = n + 2;
}

void poisson_planes(const poisson_level *l, int32_t more, int32_t *low, int32_t *high) {
    with_rim(l->k0, l->k1, l->box.n[2], more, low, high);
}

void poisson_part_planes(const poisson_level *l, int32_t *low, int32_t *high) {
    with_rim(l->part0, l->part1, l->box.n[2], 0, low, high);
}

void *poisson_array(const poisson_level *l, size_t item) {
    if (!net_slabs_divide(&l->slabs)) return mem_zero(l->box.size, item);
    int32_t low, high;
    poisson_planes(l, POISSON_BUILD_HALO, &low, &high);
    return mem_part(l->box.size, item, (size_t)(high - low) * l->box.plane * item);
}

void poisson_fill(const poisson_level *l, void *array, size_t item, int32_t width) {
    net_slabs_fill(&l->slabs, width, width, &(net_planes){array, l->box.plane * item}, 1);
}

bool poisson_is_gathered(const poisson_level *l) {
    return net_slabs_divide(&l->parts) && !net_slabs_divide(&l->slabs);
}

void poisson_fill_built(const poisson_level *l, void *array, size_t item) {
    int32_t width = poisson_is_gathered(l) ? l->box.n[2] + 2 : POISSON_BUILD_HALO;
    net_slabs_fill(&l->parts, width, width, &(net_planes){array, l->box.plane * item}, 1);
}

void poisson_set_planes(const poisson_level *l, void *array, size_t item, int value) {
    int32_t low, high;
    poisson_planes(l, POISSON_BUILD_HALO, &low, &high);
    memset((char *)array + (size_t)low * l->box.plane * item, value,
           (size_t)(high - low) * l->box.plane * item);
}

// ---- sums

typedef struct partials {
    double (*fn)(void *context, size_t begin, size_t end);
    void *context;
    size_t first, block;
    double *value;
} partials;

static void find_partial(void *context, size_t begin, size_t end) {
    const partials *w = context;
    w->value[(begin - w->first) / w->block] = w->fn(w->context, begin, end);
}

static double sum_all(const double *own, size_t count) {
    net_buffer all = {0};
    net_gather_all(own, count * sizeof *own, &all, NULL);
    const double *value = (const double *)(const void *)all.data;
    double sum = all.bytes > 0 ? value[0] : 0;
    for (size_t i = 1; i < all.bytes / sizeof *value; i++) sum += value[i];
    net_buffer_free(&all);
    return sum;
}

double poisson_sum_planes(const poisson *p, size_t block,
                          double (*fn)(void *context, size_t begin, size_t end), void *context) {
    const poisson_level *l = &p->level[0];
    if (!net_slabs_divide(&l->slabs)) return par_sum((size_t)l->box.n[2], block, fn, context);
    partials w = {fn, context, (size_t)l->k0 - 1, block, p->partial};
    par_for_part(w.first, (size_t)l->k1 - 1, block, find_partial, &w);
    return sum_all(w.value, ((size_t)(l->k1 - l->k0) + block - 1) / block);
}

double poisson_count_all(const poisson *p, double count) {
    return net_slabs_divide(&p->level[0].slabs) ? sum_all(&count, 1) : count;
}

float poisson_largest_of_all(const poisson *p, float largest) {
    double value = (double)largest;
    if (net_slabs_divide(&p->level[0].slabs)) net_max(&value, 1);
    return (float)value;
}
