// Lane C: depths and tops of columns from mass and density.
#include "snowfield/snowfield_show_lanes.h"

#include "lane/lane.h"

_Static_assert(SHOW_TOGETHER % LANES == 0, "rows end with a whole vector");

bool ISA_NAME(show_columns)(const snowfield_law *law, const int32_t *mass, const float *density, float *depth,
                            size_t n) {
    mask good = ~RI(0);
    for (size_t i = 0; i < n; i += LANES) {
        ireal m = i_load(mass + i);
        real d = r_load(density + i);
        good &= i_ge(m, RI(0)) & r_ge(d, R(law->density_min)) & r_le(d, R(law->densest));
        r_store(depth + i, r_from_int(m) * R((float)MASS_UNIT) / d);
    }
    return m_all(good);
}

void ISA_NAME(show_tops)(const int32_t *mass, const float *density, const int32_t *roof, const int32_t *upper,
                         float *depth, float *height, size_t n) {
    for (size_t i = 0; i < n; i += LANES) {
        ireal m = i_load(mass + i);
        r_store(depth + i, r_from_int(m) * R((float)MASS_UNIT) / r_load(density + i));
        real below = r_from_int(i_load(upper + i)) * R((float)HEIGHT_UNIT);
        r_store(height + i, r_where(i_ne(i_load(roof + i), RI(INT32_MAX)), below));
    }
}

float ISA_NAME(show_highest)(const float *ground, const float *depth, size_t n) {
    real most = R(-1e6f);
    for (size_t i = 0; i < n; i += LANES) most = r_max(r_load(ground + i) + r_load(depth + i), most);
    return r_max_lanes(most);
}

bool ISA_NAME(show_any)(const int32_t *mass, size_t n) {
    ireal all = RI(0);
    for (size_t i = 0; i < n; i += LANES) all |= i_load(mass + i);
    return m_any(i_ne(all, RI(0)));
}
