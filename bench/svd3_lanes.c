// Lane C: singular value decompositions of an array of matrices.
#include "bench/svd3.h"

#include "math/svd3.h"

static mat3 load(size_t i, float *const a[9]) {
    return mat3_of(vec3_of(r_load(a[0] + i), r_load(a[1] + i), r_load(a[2] + i)),
                   vec3_of(r_load(a[3] + i), r_load(a[4] + i), r_load(a[5] + i)),
                   vec3_of(r_load(a[6] + i), r_load(a[7] + i), r_load(a[8] + i)));
}

// The singular values go out; u and v are summed into them so that nothing is left out.
void ISA_NAME(kernel_svd3)(size_t n, float *const a[9], float *const s[3]) {
    for (size_t i = 0; i + LANES <= n; i += LANES) {
        svd3 d = svd3_of(load(i, a));
        r_store(s[0] + i, d.s.x + mat3_trace(d.u));
        r_store(s[1] + i, d.s.y + mat3_trace(d.v));
        r_store(s[2] + i, d.s.z);
    }
}
