// Clods: snow that has frozen or been pressed together from lumps breaks between them. The lumps are the
// Voronoi cells of random points, one in each cube of the clod's size, in the snow as it is laid down; near
// the planes between them the snow bears less tension.
#include "mpm/mpm_state.h"

#include <math.h>

#include "base/random.h"
#include "math/dvec.h"

enum { CLOD_STREAM = 0x636c6f64, AROUND = 5, CUBES = AROUND * AROUND * AROUND };
// Half the width of a seam, in cells: thinner ones the grid does not see, wider ones take too much of the
// snow.
#define SEAM_CELLS 0.6

// The point of the n-th cube around a place, in clods.
static firn_vec3 point_of(uint64_t seed, const int32_t at[3], int n) {
    int32_t cube[3] = {at[0] + n / (AROUND * AROUND) - 2, at[1] + n / AROUND % AROUND - 2,
                       at[2] + n % AROUND - 2};
    uint64_t item = 0;
    for (int a = 0; a < 3; a++) item = item << 21 | ((uint32_t)cube[a] & 0x1fffff);
    random4 r = random_bits(seed, item, 0, CLOD_STREAM);
    return dvec(cube[0] + 0.1 + 0.8 * (double)random_unit(r, 0),
                cube[1] + 0.1 + 0.8 * (double)random_unit(r, 1),
                cube[2] + 0.1 + 0.8 * (double)random_unit(r, 2));
}

// Distance from the nearest plane between two clods; all in clods.
static double seam_distance(uint64_t seed, firn_vec3 x) {
    const int32_t at[3] = {(int32_t)floor(x.x), (int32_t)floor(x.y), (int32_t)floor(x.z)};
    firn_vec3 point[CUBES], own = {0, 0, 0};
    double least = INFINITY, nearest = INFINITY;
    for (int n = 0; n < CUBES; n++) {
        point[n] = point_of(seed, at, n);
        double d2 = dvec_length2(dvec_sub(x, point[n]));
        if (d2 < least) least = d2, own = point[n];
    }
    for (int n = 0; n < CUBES; n++) {
        double apart2 = dvec_length2(dvec_sub(point[n], own));
        if (apart2 == 0) continue;
        nearest = fmin(nearest, (dvec_length2(dvec_sub(x, point[n])) - least) / (2 * sqrt(apart2)));
    }
    return nearest;
}

float mpm_bond(const mpm_state *s, const mpm_material *m, const float rest[3]) {
    if (m->clod <= 0 || !rest) return 1;
    firn_vec3 x = dvec_scale(dvec((double)rest[0], (double)rest[1], (double)rest[2]), 1 / m->clod);
    return seam_distance(s->setting.seed, x) * m->clod < SEAM_CELLS * s->def.cell ? (float)m->seam : 1;
}

void mpm_begin_clods(mpm_state *s, const mpm_material *m) {
    if (m->clod <= 0 || s->p.clods) return;
    for (size_t i = 0; i < s->p.count; i++) s->p.bond[i] = 1;
    s->p.clods = true;
}
