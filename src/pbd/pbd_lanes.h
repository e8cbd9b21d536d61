// The tables of loops of all types of constraints, one per instruction set.
#ifndef PBD_PBD_LANES_H
#define PBD_PBD_LANES_H

#include "base/isa.h"
#include "pbd/pbd_batch.h"

#if FIRN_ISA_X86
#define PBD_DECLARE_LANES(name) extern const pbd_batch_lanes name##_base, name##_avx2, name##_avx512
#define PBD_PICK_LANES(name)                                                                                 \
    (isa_active() == ISA_AVX512 ? &name##_avx512 : isa_active() == ISA_AVX2 ? &name##_avx2 : &name##_base)
#else
#define PBD_DECLARE_LANES(name) extern const pbd_batch_lanes name##_base
#define PBD_PICK_LANES(name) (&name##_base)
#endif

PBD_DECLARE_LANES(pbd_distance_lanes);
PBD_DECLARE_LANES(pbd_pin_lanes);

#endif
