// What holds for every signed distance.
#ifndef TESTS_GEOM_SHAPE_CHECKS_H
#define TESTS_GEOM_SHAPE_CHECKS_H

#include <math.h>

#include "base/random.h"
#include "geom/shape.h"
#include "support.h"

static inline shape *make_shape(firn_shape_def def, double scale) {
    shape *s = NULL;
    firn_status status = shape_create(&def, scale, NULL, "test", &s);
    if (status != FIRN_OK) fail_msg("shape_create: %s", firn_last_error());
    return s;
}

static inline firn_vec3 vec(double x, double y, double z) { return (firn_vec3){x, y, z}; }

// The i-th random point of the box [-reach, reach]^3 about `centre`.
static inline firn_vec3 random_point(uint64_t seed, uint64_t i, firn_vec3 centre, firn_vec3 reach) {
    random4 r = random_bits(seed, i, 0, 0);
    return vec(centre.x + reach.x * (2 * (double)random_unit(r, 0) - 1),
               centre.y + reach.y * (2 * (double)random_unit(r, 1) - 1),
               centre.z + reach.z * (2 * (double)random_unit(r, 2) - 1));
}

static inline double vec_length(firn_vec3 v) { return sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

static inline firn_vec3 finite_difference(const shape *s, firn_vec3 p, double h) {
    return vec(
        (shape_sdf(s, vec(p.x + h, p.y, p.z), NULL) - shape_sdf(s, vec(p.x - h, p.y, p.z), NULL)) / (2 * h),
        (shape_sdf(s, vec(p.x, p.y + h, p.z), NULL) - shape_sdf(s, vec(p.x, p.y - h, p.z), NULL)) / (2 * h),
        (shape_sdf(s, vec(p.x, p.y, p.z + h), NULL) - shape_sdf(s, vec(p.x, p.y, p.z - h), NULL)) / (2 * h));
}

#endif
