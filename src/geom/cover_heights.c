#include "geom/cover_surface.h"

#include "geom/cover_columns.h"

// Snow of a column, and the upper side of what lies or stands highest in it; both in cells.
static void column_heights(const cover_grid *g, int32_t i, int32_t k, float *depth, float *height) {
    size_t row = (size_t)g->n[0], at = (size_t)k * (size_t)g->n[1] * row + (size_t)i;
    float run = 0; // of the snow from here down to the cell that was looked at last
    *depth = *height = 0;
    bool found = false;
    for (int32_t j = g->n[1] - 1; j >= 0; j--) {
        size_t cell = at + (size_t)j * row;
        float fill = g->fill[cell];
        if (fill > 0) *depth += fill;
        if (found || fill < 0) continue;
        run = fill > 0 ? run + fill : 0;
        bool floor = j == 0 || g->fill[cell - row]<0, hangs = run> 0 && j > 0 && g->fill[cell - row] == 0;
        if (!floor && !hangs) continue;
        const cover_floor *under = floor ? cover_floor_find(g, cell) : g->floor + g->floors;
        bool known = under < g->floor + g->floors && under->cell == cell;
        *height = (float)j + (known ? under->up : 0) + run;
        found = true;
    }
}

void cover_heights(const cover_grid *in, float *depth, float *height) {
    for (int32_t k = 0; k < in->n[2]; k++)
        for (int32_t i = 0; i < in->n[0]; i++) {
            size_t at = (size_t)k * (size_t)in->n[0] + (size_t)i;
            column_heights(in, i, k, &depth[at], &height[at]);
            depth[at] *= (float)in->cell;
            height[at] = (float)(in->low[1] + in->cell * (double)height[at]);
        }
}
