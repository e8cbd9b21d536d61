// The passes of a step of the wind over planes [k0, k1) of cells.
#ifndef WIND_WIND_LANES_H
#define WIND_WIND_LANES_H

#include "base/isa.h"
#include "solve/poisson.h"

enum { WIND_ROW = 2050 }; // most faces in a row

// Cells [begin, end) of a row from which an obstacle is within WIND_REACH cells; (k * (n[1] + 2) + j) is its
// place.
typedef struct wind_span {
    int32_t begin, end;
} wind_span;
#define WIND_REACH 4

// Back-tracing of one component: to[c] = from at the place from which (scale < 0) or to which (scale > 0) the
// wind carries face c.
typedef struct wind_trace_job {
    poisson_box box;
    int axis; // of the component
    const float *v[3], *from;
    const uint8_t *kind;
    float *to;
    float *least, *most;   // of the eight values that each was made from; NULL: not wanted
    float scale;           // +-dt / cell
    bool far;              // ways may be longer than half a cell
    const wind_span *near; // of each row of cells; ways that start elsewhere meet no obstacle. NULL: any may
} wind_trace_job;
ISA_DECLARE(void, wind_trace, (const wind_trace_job *job, int k0, int k1));

// MacCormack: to = hat + (v - back) / 2, kept between least and most. back comes in `to`.
ISA_DECLARE(void, wind_correct,
            (size_t begin, size_t end, const float *v, const float *hat, const float *least,
             const float *most, float *to));

ISA_DECLARE(void, wind_divergence,
            (const poisson_box *box, const uint8_t *kind, int k0, int k1, float *const v[3], float *b));
ISA_DECLARE(void, wind_gradient,
            (const poisson_box *box, const uint8_t *kind, int k0, int k1, const float *q, float *const v[3]));
// Largest speed squared in the middle of a free cell; INFINITY if one is not finite.
ISA_DECLARE(float, wind_fastest,
            (const poisson_box *box, const uint8_t *kind, int k0, int k1, float *const v[3]));

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

#endif
