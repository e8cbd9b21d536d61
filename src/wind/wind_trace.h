// Semi-Lagrangian trace: planes [k0, k1) of the faces of one component.
#ifndef WIND_WIND_TRACE_H
#define WIND_WIND_TRACE_H

#include "base/isa.h"
#include "solve/poisson.h"

enum { WIND_OBSTACLE_CELLS = 4 }; // cells

typedef enum wind_trace_kind {
    WIND_TRACE,  // to[c] = from at the departure point of face c
    WIND_CORRECT // MacCormack: to = from + (v - from at the arrival point) / 2, within the eight values of v
                 // around the departure point
} wind_trace_kind;

typedef struct wind_trace_job {
    poisson_box box;
    wind_trace_kind kind;
    int axis; // of the component
    const float *v[3], *from;
    const uint8_t *cells; // poisson_kind
    float *to;
    float scale;      // dt / cell
    float negligible; // m/s: corrections up to this are not clamped
    const uint8_t
        *obstacle_distance; // of each cell: cells to the nearest obstacle, at most WIND_OBSTACLE_CELLS
} wind_trace_job;
ISA_DECLARE(void, wind_trace, (const wind_trace_job *job, int k0, int k1));
enum { WIND_TRACE_WIDEST = 16 }; // rows of fewer cells are too short for lanes:
void wind_trace_plain(const wind_trace_job *job, int k0, int k1);

#endif
