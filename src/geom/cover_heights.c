// Depth and top of the snow in a column of the cover.
#include "geom/cover_surface.h"

#include "geom/cover_columns.h"

cover_column cover_column_at(const cover_grid *g, int32_t i, int32_t k) {
    size_t row = (size_t)g->n[0], at = (size_t)k * (size_t)g->n[1] * row + (size_t)i;
    float run = 0; // of the snow from here down to the cell that was looked at last
    cover_column c = {0};
    bool found = false;
    for (int32_t j = g->n[1] - 1; j >= 0; j--) {
        size_t cell = at + (size_t)j * row;
        float fill = g->fill[cell];
        if (fill > 0) c.depth += fill;
        if (found || fill < 0) continue;
        run = fill > 0 ? run + fill : 0;
        bool floor = j == 0 || g->fill[cell - row]<0, hangs = run> 0 && j > 0 && g->fill[cell - row] == 0;
        if (!floor && !hangs) continue;
        const cover_floor *under = floor ? cover_floor_find(g, cell) : g->floor + g->floors;
        bool known = under < g->floor + g->floors && under->cell == cell;
        c.height = (float)j + (known ? under->up : 0) + run;
        c.floor = floor ? (uint32_t)cell : 0;
        c.stands = floor;
        found = true;
    }
    return c;
}

void cover_heights(const cover_grid *in, float *depth, float *height) {
    for (int32_t k = 0; k < in->n[2]; k++)
        for (int32_t i = 0; i < in->n[0]; i++) {
            size_t at = (size_t)k * (size_t)in->n[0] + (size_t)i;
            cover_column c = cover_column_at(in, i, k);
            depth[at] = c.depth * (float)in->cell;
            height[at] = (float)(in->low[1] + in->cell * (double)c.height);
        }
}
