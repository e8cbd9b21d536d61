// Samples a shape and climbs its distance field to find how thick it is there.
#include "geom/thickness.h"

#include <math.h>

#include "geom/fill.h"
#include "par/par.h"

enum { SAMPLES = 16384, BLOCK = 64, CLIMBS = 12 };
static const double CELLS_MOST = 4e6; // of the bounding box, asked about to find the samples
static const float TOLERANCE = 0.95f;

typedef struct search {
    const shape *shape;
    const fill_points *points;
    float radius;
} search;

// Climbs from each place towards greater depth until a ball of the radius fits in, and gives up a cell away.
static size_t count_thin(const search *s, size_t first, size_t count) {
    float at[3][BLOCK], d[BLOCK], n[3][BLOCK];
    bool fits[BLOCK] = {0};
    size_t thin = count;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) at[k][i] = s->points->at[first + i][k];
    for (int climb = 0; climb < CLIMBS && thin; climb++) {
        shape_query(s->shape, count, at[0], at[1], at[2], d, n[0], n[1], n[2]);
        for (size_t i = 0; i < count; i++) {
            if (fits[i]) continue;
            if (-d[i] >= TOLERANCE * s->radius) {
                fits[i] = true;
                thin--;
                continue;
            }
            const float *from = s->points->at[first + i];
            float step = s->radius + d[i], way[3], square = 0.0f;
            for (int k = 0; k < 3; k++) {
                way[k] = at[k][i] - step * n[k][i] - from[k];
                square += way[k] * way[k];
            }
            float shorten = fminf(1.0f, 2.0f * s->radius / sqrtf(fmaxf(square, 1e-30f)));
            for (int k = 0; k < 3; k++) at[k][i] = from[k] + shorten * way[k];
        }
    }
    return thin;
}

static double thin_points(void *context, size_t begin, size_t end) {
    return (double)count_thin(context, begin, end - begin);
}

firn_status shape_thin_share(const shape *s, double cell, double *share) {
    *share = 0;
    if (!(cell > 0) || !isfinite(cell))
        return fail(FIRN_BAD_INPUT, "the cell that a shape is compared with must be larger than 0, not %g m",
                    cell);
    shape_mass mass;
    firn_vec3 low, high;
    if (!shape_mass_of(s, &mass) || !shape_bounds(s, &low, &high)) return FIRN_OK;
    double box = (high.x - low.x) * (high.y - low.y) * (high.z - low.z);
    fill_points points;
    TRY(fill_shape(s, cbrt(fmax(mass.volume / SAMPLES, box / CELLS_MOST)), 1, FIRN_FILL_JITTERED, 1,
                   &points));
    search all = {.shape = s, .points = &points, .radius = (float)(0.5 * cell)};
    *share = par_sum(points.count, BLOCK, thin_points, &all) / (double)points.count;
    fill_free(&points);
    return FIRN_OK;
}
