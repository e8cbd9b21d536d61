// Which instruction set the lane code uses: the best one of this machine, or that of FIRN_ISA.
#include "base/isa.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

isa isa_best(void) {
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

// The set that FIRN_ISA names; false if it is unknown. Empty counts as unset.
static bool isa_asked(isa *out) {
    const char *asked = getenv("FIRN_ISA");
    *out = isa_best();
    if (!asked || !asked[0]) return true;
    for (*out = ISA_BASE; *out <= ISA_AVX512; ++*out)
        if (strcmp(asked, isa_name(*out)) == 0) return true;
    return false;
}

firn_status isa_check(void) {
    isa asked, best = isa_best();
    const char *can = best == ISA_AVX512 ? "base, avx2, avx512" : best == ISA_AVX2 ? "base, avx2" : "base";
    if (!isa_asked(&asked))
        return fail(FIRN_BAD_INPUT, "FIRN_ISA=%.40s is not an instruction set; available here: %s",
                    getenv("FIRN_ISA"), can);
    if (asked > best)
        return fail(FIRN_BAD_INPUT,
                    "this processor or build of firn does not support FIRN_ISA=%s; available here: %s",
                    isa_name(asked), can);
    return FIRN_OK;
}

static isa isa_choose(void) {
    isa asked, best = isa_best();
    return isa_asked(&asked) && asked <= best ? asked : best;
}

static atomic_int chosen = -1;

bool isa_use(isa which) {
    if (which > isa_best()) return false;
    atomic_store_explicit(&chosen, (int)which, memory_order_relaxed);
    return true;
}

isa isa_active(void) {
    int which = atomic_load_explicit(&chosen, memory_order_relaxed);
    if (which < 0) {
        which = (int)isa_choose();
        atomic_store_explicit(&chosen, which, memory_order_relaxed);
    }
    return (isa)which;
}

firn_status firn_instruction_set(const char **name) {
    if (name) *name = isa_name(isa_active());
    return isa_check();
}
