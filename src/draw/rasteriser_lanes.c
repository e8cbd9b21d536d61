// One row of a triangle into the shadow map.
#include "draw/rasteriser.h"
#include "lane/lane.h"

void ISA_NAME(rasteriser_span)(const raster_span *s, float *depth, int x0, int x1) {
    ireal from = RI(x0), to = RI(x1);
    for (int x = x0 / LANES * LANES; x < x1; x += LANES) { // rows are a whole number of vectors
        ireal column = i_lane_index() + RI(x);
        // A sliver's slope is no guide beyond its corners.
        real z = r_fma(r_from_int(column), R(s->dx), R(s->row));
        z = r_max(r_max(r_min(z, R(s->high)), R(s->low)) + R(s->away), R(0));
        real old = r_load(depth + x), nearer = r_min(z, old);
        r_store(depth + x, r_select(i_ge(column, from) & i_lt(column, to), nearer, old));
    }
}
