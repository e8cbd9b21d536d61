// What this machine has, as far as this process may use it.
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

#include "base/status.h"

typedef struct machine_memory {
    uint64_t limit;     // bytes that could be had at best: memory and swap, or a lower limit
    uint64_t available; // bytes that can be had now
    const char *source; // what sets the limit: "this machine has", "the cgroup allows", ...
} machine_memory;

// The least of physical memory and swap, the limits of the control group, of `ulimit -v` and, for tests and
// shared machines, FIRN_MEMORY_LIMIT (bytes). What cannot be found out is UINT64_MAX.
machine_memory machine_memory_now(void);

// User and system time of all threads of this process, s.
double machine_cpu_seconds(void);

#endif
