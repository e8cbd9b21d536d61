// A snowman with hat, scarf, twigs for arms, a carrot and lumps of coal.
#include <math.h>

#include "geom/proc.h"
#include "geom/proc_sdf.h"

// How one snowman differs from the next.
typedef struct snowman_look {
    sdf_turn head, hat, arms[2]; // left, right
    float waist;                 // m, radius of the middle ball
} snowman_look;

static point3 at(float x, float y, float z) { return (point3){x, y, z}; }

static float balls(const snowman_look *look, point3 p) {
    float d = sdf_ball(p, at(0, 0.215f, 0), 0.245f);
    d = sdf_join(d, sdf_ball(p, at(0.004f, 0.525f, 0), look->waist), 0.035f);
    d = sdf_join(d, sdf_ball(p, at(0.010f, 0.755f, 0), 0.128f), 0.030f);
    return sdf_cut(d, p.y, 0.02f); // pressed flat by its weight
}

static float hat(point3 p) {
    float brim = sdf_disc(p, at(0, 0.848f, 0), 0.158f, 0.013f, 0.010f);
    float crown = sdf_disc(p, at(-0.004f, 0.930f, 0), 0.100f, 0.085f, 0.014f);
    return sdf_join(brim, crown, 0.015f);
}

static float scarf(point3 p) {
    float d = sdf_ring(p, at(0.004f, 0.655f, 0), 0.115f, 0.033f);
    return sdf_join(d, sdf_bar(p, at(0.115f, 0.645f, 0.065f), at(0.172f, 0.490f, 0.088f), 0.026f, 0.032f),
                    0.012f);
}

static float face(point3 p, point3 q) {
    float d = sdf_ball(q, at(0.122f, 0.792f, 0.045f), 0.019f);
    for (int i = 0; i < 3; i++) { // a smile of five lumps, the middle one once
        float angle = 0.42f * (float)i;
        d = fminf(d, sdf_ball(q,
                              at(0.122f - 0.022f * angle * angle, 0.693f + 0.022f * (float)(i * i) * 0.5f,
                                 0.070f * sinf(angle)),
                              0.0135f));
    }
    return fminf(d, sdf_bar(p, at(0.12f, 0.752f, 0), at(0.300f, 0.742f, 0), 0.030f, 0.013f));
}

static float buttons(point3 p) {
    float d = sdf_ball(p, at(0.176f, 0.590f, 0), 0.021f);
    d = fminf(d, sdf_ball(p, at(0.186f, 0.520f, 0), 0.021f));
    return fminf(d, sdf_ball(p, at(0.172f, 0.450f, 0), 0.021f));
}

static float arm(point3 q) {
    float d = sdf_bar(q, at(0, 0.56f, 0.13f), at(0.020f, 0.66f, 0.330f), 0.019f, 0.016f);
    d = sdf_join(d, sdf_bar(q, at(0.020f, 0.66f, 0.330f), at(0.030f, 0.735f, 0.405f), 0.016f, 0.014f), 0.01f);
    d = sdf_join(d, sdf_bar(q, at(0.020f, 0.66f, 0.330f), at(0.050f, 0.672f, 0.425f), 0.014f, 0.013f), 0.01f);
    return sdf_join(d, sdf_bar(q, at(0.010f, 0.61f, 0.225f), at(-0.010f, 0.69f, 0.270f), 0.014f, 0.013f),
                    0.01f);
}

static float snowman(const void *context, point3 p) {
    const snowman_look *look = context;
    point3 h = sdf_turned(&look->head, p);
    float d = sdf_join(balls(look, p), hat(sdf_turned(&look->hat, p)), 0.010f);
    d = sdf_join(d, scarf(p), 0.010f);
    d = sdf_join(d, face(h, at(h.x, h.y, fabsf(h.z))), 0.008f);
    d = sdf_join(d, buttons(p), 0.008f);
    d = sdf_join(d, arm(sdf_turned(&look->arms[0], p)), 0.012f);
    return sdf_join(d, arm(sdf_turned(&look->arms[1], at(p.x, p.y, -p.z))), 0.012f);
}

firn_status proc_snowman(uint64_t seed, mesh *out) {
    snowman_look look = {.waist = (float)(0.178 + 0.006 * proc_variation(seed, 0))};
    look.head =
        sdf_turn_by(at(0.010f, 0.755f, 0), 0.06 * proc_variation(seed, 1), 0, 0.4 * proc_variation(seed, 2));
    look.hat =
        sdf_turn_by(at(0, 0.84f, 0), 0.10 * proc_variation(seed, 3), 0.10 * proc_variation(seed, 4), 0);
    for (uint32_t i = 0; i < 2; i++) {
        look.arms[i] = sdf_turn_by(at(0, 0.56f, 0.14f), 0, 0.35 * proc_variation(seed, 5 + i),
                                   0.35 * proc_variation(seed, 7 + i));
    }
    return proc_polygonise(snowman, &look, at(-0.30f, -0.03f, -0.48f), at(0.36f, 1.08f, 0.48f), 0.0138f, out);
}
