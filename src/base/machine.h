// Resources of this machine that this process may use.
#ifndef BASE_MACHINE_H
#define BASE_MACHINE_H

#include "base/status.h"

typedef struct machine_memory {
    uint64_t limit;     // bytes at best: memory and swap, or a lower limit
    uint64_t available; // bytes available now
    const char *source; // what sets the limit: "this machine has", "the cgroup allows", ...
} machine_memory;

// The least of physical memory and swap, the limits of the control group, of `ulimit -v` and, for tests and
// shared machines, FIRN_MEMORY_LIMIT (bytes). UINT64_MAX if unknown.
machine_memory machine_memory_now(void);
// The same with /proc and /sys of another root, for tests.
machine_memory machine_memory_below(const char *root);

// User and system time of all threads of this process, s.
double machine_cpu_seconds(void);

#endif
