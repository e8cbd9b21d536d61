// Lane C: back-tracing of the wind, compiled for each instruction set (wind_trace_rows.h).
#include "wind/wind_trace_rows.h"

void ISA_NAME(wind_trace)(const wind_trace_job *job, int k0, int k1) { trace_rows(job, k0, k1); }
