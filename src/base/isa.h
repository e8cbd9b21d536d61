// Hot files (src/*/*_lanes.c) are compiled once per instruction set; ISA_NAME(f) gives each copy its own name
// and ISA_PICK(f) is the copy to call on this machine. FIRN_ISA=base|avx2|avx512 forces one.
#ifndef BASE_ISA_H
#define BASE_ISA_H

#include "base/status.h"

typedef enum isa { ISA_BASE, ISA_AVX2, ISA_AVX512 } isa;
isa isa_active(void);
// FIRN_BAD_INPUT if FIRN_ISA is not an instruction set, or not available in this build or processor;
// isa_active() is then the best available.
firn_status isa_check(void);
isa isa_best(void); // available on this machine and in this build
// For tests, which compare the copies: selects a set; false, without effect, if it is not available.
bool isa_use(isa which);
const char *isa_name(isa which);

#define ISA_JOIN2(a, b) a##_##b
#define ISA_JOIN(a, b) ISA_JOIN2(a, b)
#define ISA_NAME(f) ISA_JOIN(f, ISA) // inside a _lanes.c file

// In the header of a hot file: ISA_DECLARE(void, sphere_distances, (size_t n, const float *x, float *d));
// For constants instead of functions: ISA_DECLARE_CONST(table, names) and ISA_PICK_CONST(names), a pointer.
// FIRN_ISA_X86: 2 with all copies, 1 without the widest, as the sanitizers' builds are.
#if FIRN_ISA_X86 == 2
#define ISA_DECLARE(type, f, arguments) type f##_base arguments, f##_avx2 arguments, f##_avx512 arguments
#define ISA_DECLARE_CONST(type, c) extern const type c##_base, c##_avx2, c##_avx512
#define ISA_PICK(f) (isa_active() == ISA_AVX512 ? f##_avx512 : isa_active() == ISA_AVX2 ? f##_avx2 : f##_base)
#elif FIRN_ISA_X86 == 1
#define ISA_DECLARE(type, f, arguments) type f##_base arguments, f##_avx2 arguments
#define ISA_DECLARE_CONST(type, c) extern const type c##_base, c##_avx2
#define ISA_PICK(f) (isa_active() == ISA_AVX2 ? f##_avx2 : f##_base)
#else
#define ISA_DECLARE(type, f, arguments) type f##_base arguments
#define ISA_DECLARE_CONST(type, c) extern const type c##_base
#define ISA_PICK(f) f##_base
#endif
#define ISA_PICK_CONST(c) ISA_PICK(&c)

#endif
