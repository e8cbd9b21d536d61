// Back-tracing along the wind: planes [k0, k1) of the faces of one component.
#ifndef WIND_WIND_TRACE_H
#define WIND_WIND_TRACE_H

#include "base/isa.h"
#include "solve/poisson.h"

enum { WIND_REACH = 4 }; // cells

typedef enum wind_trace_kind {
    WIND_TRACE,  // to[c] = from at the place from which the wind carries face c
    WIND_CORRECT // MacCormack: to = from + (v - from at the place whereto) / 2, within the eight values of v
                 // around the place from which
} wind_trace_kind;

typedef struct wind_trace_job {
    poisson_box box;
    wind_trace_kind kind;
    int axis; // of the component
    const float *v[3], *from;
    const uint8_t *cells; // poisson_kind
    float *to;
    float scale;          // dt / cell
    float slight;         // m/s: corrections up to this do no harm and are not held within bounds
    const uint8_t *apart; // of each cell: cells to the nearest obstacle, at most WIND_REACH
} wind_trace_job;
ISA_DECLARE(void, wind_trace, (const wind_trace_job *job, int k0, int k1));
enum { WIND_TRACE_WIDEST = 16 }; // rows of fewer cells are too short for lanes:
void wind_trace_plain(const wind_trace_job *job, int k0, int k1);

#endif
