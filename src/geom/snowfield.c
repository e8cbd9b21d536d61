// The snow field by place.
#include "geom/snowfield.h"

#include <math.h>

static int32_t within(int32_t i, int32_t count) { return i < 0 ? 0 : i < count ? i : count - 1; }

void firn_snowfield_read(const firn_snowfield *f, firn_cells cells, float *surface, float *depth,
                         float *density) {
    size_t out = 0;
    for (int32_t z = cells.z0; z < cells.z1; z++) {
        for (int32_t x = cells.x0; x < cells.x1; x++, out++) {
            size_t i = snowfield_item(f, within(x, f->nx), within(z, f->nz));
            bool plain = i == SIZE_MAX;
            if (surface)
                surface[out] = plain ? (float)(f->plain_ground + f->plain_depth) : f->ground[i] + f->depth[i];
            if (depth) depth[out] = plain ? (float)f->plain_depth : f->depth[i];
            if (density) density[out] = plain ? (float)f->plain_density : f->density[i];
        }
    }
}

double firn_snowfield_surface(const firn_snowfield *f, double x, double z) {
    double u = fmin(fmax((x - f->x0) / f->cell - 0.5, 0), f->nx - 1),
           v = fmin(fmax((z - f->z0) / f->cell - 0.5, 0), f->nz - 1);
    if (!(u >= 0 && v >= 0)) return NAN; // a place that is no number
    int32_t i = (int32_t)u, k = (int32_t)v;
    float h[4];
    firn_snowfield_read(f, (firn_cells){i, k, i + 2, k + 2}, h, NULL, NULL);
    double a = u - i, b = v - k;
    return (1 - b) * ((1 - a) * (double)h[0] + a * (double)h[1]) +
           b * ((1 - a) * (double)h[2] + a * (double)h[3]);
}
