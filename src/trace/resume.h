// Sums of samples, and the file that a picture goes on from after a kill.
#ifndef TRACE_RESUME_H
#define TRACE_RESUME_H

#include "trace/trace.h"

typedef struct trace_pixel {
    float light[3], albedo[3], normal[3], glint[3]; // sums over the samples
    float square;                                   // of the brightness
    float solid, depth;                             // samples that met something; their distances
} trace_pixel;

typedef struct trace_state {
    trace_pixel *pixel;
    uint32_t *samples; // of the pixels of each tile
    size_t pixels, tiles;
} trace_state;

// Empty, or what the file of the options holds of the same picture.
firn_status trace_state_open(trace_state *s, size_t pixels, size_t tiles, const trace_options *o);
firn_status trace_state_save(const trace_state *s, const trace_options *o);
void trace_state_close(trace_state *s);

#endif
