// One row of a puff of powder: a soft ball, lumpy where it is large enough to show it.
#include "draw/clouds.h"
#include "geom/relief_noise.h"

static const float LUMPS = 2.4f; // waves of noise over the radius

void ISA_NAME(cloud_cover)(const cloud *c, int y, int x0, int x1, float *part, float *sunny) {
    float across = 1 / c->radius, fy = ((float)y + 0.5f - c->middle[1]) * across;
    real dy = R(fy), depth = R((float)(c->seed >> 20));
    for (int x = x0; x < x1; x += LANES) {
        real dx = (r_from_int(i_lane_index() + RI(x)) + R(0.5f) - R(c->middle[0])) * R(across);
        real inside = R(1) - dx * dx - dy * dy;
        mask any = r_gt(inside, R(0));
        real cover = R(0), turned = R(0);
        if (m_any(any)) {
            real lump = R(0), out = r_sqrt(r_max(inside, R(0)));
            if (c->radius > 3)
                lump = relief_noise_at(vec3_of(r_fma(R(LUMPS), dx, R((float)(c->seed & 1023))),
                                               r_fma(R(LUMPS), dy, R((float)(c->seed >> 10 & 1023))), depth))
                           .value;
            real facing = dx * R(c->sun[0]) + dy * R(c->sun[1]) + out * R(c->sun[2]);
            turned = r_fma(R(0.5f), facing, r_fma(R(0.25f), lump, R(0.5f)));
            cover = r_where(any, inside * out * r_max(r_fma(R(0.9f), lump, R(0.75f)), R(0)));
        }
        r_store(part + (x - x0), r_min(cover * R(c->opacity), R(1)));
        r_store(sunny + (x - x0), r_min(r_max(turned, R(0)), R(1)));
    }
}
