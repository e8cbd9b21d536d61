// One face at a time: for short rows, and to hold the lanes against.
#define LANES 1
#include "wind/wind_trace_rows.h"

void wind_trace_plain(const wind_trace_job *job, int k0, int k1) { trace_rows(job, k0, k1); }
