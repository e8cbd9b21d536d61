// Displacement by a distance transform (FIELD11 3.8): the snow of each cell is passed, cell by cell, towards
// the nearest edge of the overlap. Distances are weighted by the direction of the body: a step that goes
// along with it is short.
#include "snowfield/snowfield_press.h"

#include <math.h>
#include <string.h>

enum { MOST_PASSES = 64 };

// Length of a step to each of the eight neighbours (place k of a 3 x 3 block): 1 / s_w with k = 4
// (FIELD11 3.8).
static void step_lengths(const snowfield_heading *h, float length[9]) {
    for (int k = 0; k < 9; k++) {
        int x = k % 3 - 1, z = k / 3 - 1;
        double far = sqrt((double)(x * x + z * z));
        double share = k == 4 ? 0 : (1 - h->r) * fmax(0, (h->x * x + h->z * z) / far) + h->r / 4;
        length[k] = share > 1e-6 ? (float)(far / share) : INFINITY;
    }
}

// Distances to the edge, by passes forward and backward until nothing gets nearer.
static void transform(snowfield_press *w, const float length[9]) {
    int32_t row = w->area.x1 - w->area.x0;
    for (size_t i = 0; i < w->fronts; i++) w->distance[w->front[i]] = INFINITY;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        bool nearer = false;
        for (size_t n = 0; n < w->fronts; n++) {
            int32_t place = w->front[pass % 2 ? w->fronts - 1 - n : n];
            float best = w->distance[place];
            for (int k = 0; k < 9; k++) {
                int32_t other = place + (k / 3 - 1) * row + k % 3 - 1;
                float way = (w->label[other] == 1 ? w->distance[other] : 0) + length[k];
                if (k != 4 && way < best) best = way;
            }
            nearer |= best < w->distance[place];
            w->distance[place] = best;
        }
        if (!nearer) break;
    }
}

// Hands the snow of one cell to all neighbours that are nearer to the edge; those outside keep it in `carry`.
static int64_t hand_on(snowfield_press *w, int32_t place, int64_t mass) {
    int32_t row = w->area.x1 - w->area.x0, to[8];
    int found = 0;
    for (int k = 0; k < 9; k++) {
        int32_t other = place + (k / 3 - 1) * row + k % 3 - 1;
        float there = w->label[other] == 1 ? w->distance[other] : 0;
        if (k != 4 && there < w->distance[place]) to[found++] = other;
    }
    if (found == 0 || !(w->distance[place] < INFINITY)) return mass; // no way out in this direction
    for (int i = 0; i < found; i++) w->carry[to[i]] += mass / found + (i < mass % found);
    return 0;
}

static void sort_by_distance(snowfield_press *w) {
    for (size_t i = 0; i < w->fronts; i++) {
        float d = w->distance[w->front[i]];
        memcpy(&w->keys[i], &d, sizeof d); // positive floats sort like their bits
        w->order[i] = (uint32_t)i;
    }
    snowfield_sort(w->keys, w->order, w->other_keys, w->other_order, w->fronts);
}

firn_status snowfield_distance_reserve(snowfield_press *w, size_t area, size_t inside) {
    if (!array_reserve(&w->distance, &w->room[0], area, sizeof *w->distance) ||
        !array_reserve(&w->carry, &w->room[1], area, sizeof *w->carry) ||
        !array_reserve(&w->keys, &w->room[2], inside, sizeof *w->keys) ||
        !array_reserve(&w->order, &w->room[3], inside, sizeof *w->order) ||
        !array_reserve(&w->other_keys, &w->room[4], inside, sizeof *w->other_keys) ||
        !array_reserve(&w->other_order, &w->room[5], inside, sizeof *w->other_order))
        return fail_memory("spreading snow by distance", area * 12 + inside * 16);
    return FIRN_OK;
}

// Snow that arrived in the cells around the overlap is deposited there as far as there is room; returns the
// rest.
static int64_t land_around(snowfield_state *s, snowfield_press *w, double density) {
    int32_t row = w->area.x1 - w->area.x0;
    int64_t left = 0;
    for (int32_t z = w->area.z0; z < w->area.z1; z++) {
        for (int32_t x = w->area.x0; x < w->area.x1; x++) {
            int32_t place = (z - w->area.z0) * row + (x - w->area.x0);
            int64_t mass = w->label[place] == 1 ? 0 : w->carry[place];
            if (mass == 0) continue;
            bool in = x >= 0 && z >= 0 && x < s->nx && z < s->nz;
            left += mass - (in ? snowfield_put_some(s, w, x, z, mass, density) : 0);
        }
    }
    return left;
}

int64_t snowfield_spread_by_distance(snowfield_state *s, snowfield_press *w, const snowfield_heading *h,
                                     double density) {
    size_t area = (size_t)(w->area.x1 - w->area.x0) * (size_t)(w->area.z1 - w->area.z0);
    memset(w->carry, 0, area * sizeof *w->carry);
    float length[9];
    step_lengths(h, length);
    transform(w, length);
    sort_by_distance(w);
    int64_t stuck = 0;
    for (size_t i = w->fronts; i-- > 0;) {
        size_t n = w->order[i];
        int32_t place = w->front[n];
        stuck += hand_on(w, place, w->out[n] + w->carry[place]);
    }
    return stuck + land_around(s, w, density);
}
