// Back-tracing along the wind: planes [k0, k1) of the faces of one component.
#ifndef WIND_WIND_TRACE_H
#define WIND_WIND_TRACE_H

#include "base/isa.h"
#include "solve/poisson.h"

enum { WIND_ROW = 2050 }; // most faces in a row

// Cells [begin, end) of a row from which an obstacle is within WIND_REACH cells; (k * (n[1] + 2) + j) is its
// place.
typedef struct wind_span {
    int32_t begin, end;
} wind_span;
#define WIND_REACH 4

typedef enum wind_trace_kind {
    WIND_TRACE,  // to[c] = from at the place from which the wind carries face c
    WIND_BOUNDS, // the same; least, most: of the eight values that each was made from
    WIND_CORRECT // MacCormack: to = from + (own - from at the place whereto) / 2, between least and most
} wind_trace_kind;

typedef struct wind_trace_job {
    poisson_box box;
    wind_trace_kind kind;
    int axis; // of the component
    const float *v[3], *from;
    const uint8_t *cells; // poisson_kind
    float *to, *least, *most;
    float scale;           // -dt / cell: from where; dt / cell: whereto
    bool far;              // ways may be longer than half a cell
    const wind_span *near; // of each row of cells; ways that start elsewhere meet no obstacle. NULL: any may
} wind_trace_job;
ISA_DECLARE(void, wind_trace, (const wind_trace_job *job, int k0, int k1));
enum { WIND_TRACE_WIDEST = 16 }; // rows of fewer cells are too short for lanes:
void wind_trace_plain(const wind_trace_job *job, int k0, int k1);

#endif
