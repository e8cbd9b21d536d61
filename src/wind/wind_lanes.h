// The passes of a step of the wind over planes [k0, k1) of cells.
#ifndef WIND_WIND_LANES_H
#define WIND_WIND_LANES_H

#include "base/isa.h"
#include "solve/poisson.h"

enum { WIND_PADDING = 16 }; // items behind an array of cells, so that lanes may read beyond the last

ISA_DECLARE(void, wind_divergence,
            (const poisson_box *box, const uint8_t *kind, int k0, int k1, float *const v[3], float *b));
ISA_DECLARE(void, wind_gradient,
            (const poisson_box *box, const uint8_t *kind, int k0, int k1, const float *q, float *const v[3]));
// Over free cells: sums of the velocity in their middles along x, y, z, and of its square; the largest
// square, INFINITY if one is not finite. Adds to the sums.
typedef struct wind_totals {
    double sum[4], most;
} wind_totals;
ISA_DECLARE(void, wind_sums,
            (const poisson_box *box, const uint8_t *kind, int k0, int k1, float *const v[3],
             wind_totals *out));

// Curl (times cell) of free cells into curl[0..2] and its length into curl[3]; 0 elsewhere.
ISA_DECLARE(void, wind_curl,
            (const poisson_box *box, const uint8_t *kind, int k0, int k1, float *const v[3],
             float *const curl[4]));
// The curl becomes the confinement n x curl, n the direction in which its length grows.
ISA_DECLARE(void, wind_confinement, (const poisson_box *box, int k0, int k1, float *const curl[4]));
// v += scale * mean of the force in the cells on both sides of a face.
ISA_DECLARE(void, wind_push,
            (const poisson_box *box, const uint8_t *kind, int k0, int k1, float scale, float *const force[4],
             float *const v[3]));

// Smagorinsky's eddy viscosity of free cells, times dt / cell^2, at most `most`; 0 elsewhere.
ISA_DECLARE(void, wind_eddy,
            (const poisson_box *box, const uint8_t *kind, const uint8_t *apart, int k0, int k1, float scale,
             float most, float *const v[3], float *eddy));
// to = v + div(eddy grad v), the latter only on faces of the axis with air on both sides.
ISA_DECLARE(void, wind_diffuse,
            (const poisson_box *box, const uint8_t *kind, int k0, int k1, int axis, const float *eddy,
             const float *v, float *to));

#endif
