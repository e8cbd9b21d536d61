#include "base/isa.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static isa isa_best(void) {
#if FIRN_ISA_X86
    __builtin_cpu_init();
    if (FIRN_ISA_X86 == 2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        return ISA_AVX512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return ISA_AVX2;
#endif
    return ISA_BASE;
}

const char *isa_name(isa which) {
    return which == ISA_AVX512 ? "avx512" : which == ISA_AVX2 ? "avx2" : "base";
}

// What FIRN_ISA asks for, unless the machine lacks it.
static isa isa_choose(void) {
    isa best = isa_best();
    const char *asked = getenv("FIRN_ISA");
    for (isa which = ISA_BASE; asked && which <= best; which++)
        if (strcmp(asked, isa_name(which)) == 0) return which;
    return best;
}

isa isa_active(void) {
    static atomic_int chosen = -1;
    int which = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (which < 0) {
        which = (int)isa_choose();
        atomic_store_explicit(&chosen, which, memory_order_relaxed);
    }
    return (isa)which;
}
