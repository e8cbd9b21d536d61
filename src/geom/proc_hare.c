// A hare that sits upright: heights in units of its own height, x forward, y up; paired parts are given for
// +z.
#include <math.h>

#include "geom/proc.h"
#include "geom/proc_sdf.h"

// How one hare differs from the next.
typedef struct hare_look {
    sdf_turn head, ears[2]; // left, right
    float ear_length;
    float belly; // wider or slimmer
} hare_look;

static point3 at(float x, float y, float z) { return (point3){x, y, z}; }

static float trunk(point3 p) {
    static const sdf_egg rump = {{-0.11f, 0.21f, 0}, {0.230f, 0.200f, 0.170f}, 0.25f, 0, 0};
    static const sdf_egg chest = {{0.085f, 0.335f, 0}, {0.145f, 0.235f, 0.130f}, -0.35f, 0, 0};
    static const sdf_egg back = {{-0.05f, 0.33f, 0}, {0.20f, 0.13f, 0.13f}, 0.75f, 0, 0};
    float d = sdf_join(sdf_egg_at(p, &rump), sdf_egg_at(p, &chest), 0.10f);
    d = sdf_join(d, sdf_egg_at(p, &back), 0.08f);
    return sdf_join(d, sdf_bar(p, at(0.11f, 0.44f, 0), at(0.165f, 0.60f, 0), 0.115f, 0.085f), 0.12f);
}

static float head(point3 p) {
    static const sdf_egg skull = {{0.190f, 0.655f, 0}, {0.132f, 0.104f, 0.094f}, -0.20f, 0, 0};
    static const sdf_egg muzzle = {{0.300f, 0.612f, 0}, {0.070f, 0.052f, 0.054f}, -0.25f, 0, 0};
    static const sdf_egg cheek = {{0.235f, 0.606f, 0.044f}, {0.072f, 0.060f, 0.056f}, -0.2f, 0, 0.15f};
    static const sdf_egg nose = {{0.364f, 0.618f, 0}, {0.013f, 0.012f, 0.018f}, 0, 0, 0};
    static const sdf_egg eye = {{0.250f, 0.672f, 0.068f}, {0.034f, 0.026f, 0.028f}, -0.2f, 0, 0.25f};
    point3 q = at(p.x, p.y, fabsf(p.z));
    float d = sdf_join(sdf_egg_at(p, &skull), sdf_egg_at(p, &muzzle), 0.06f);
    d = sdf_join(d, sdf_egg_at(q, &cheek), 0.04f);
    d = sdf_join(d, sdf_egg_at(p, &nose), 0.012f);
    return sdf_join(d, sdf_egg_at(q, &eye), 0.010f);
}

// A spoon: an egg with a groove on its outer front side.
static float ear(point3 q) {
    static const sdf_egg spoon = {{0.082f, 0.850f, 0.078f}, {0.050f, 0.185f, 0.030f}, 0.30f, 0.20f, -0.45f};
    static const sdf_egg groove = {{0.116f, 0.860f, 0.110f}, {0.030f, 0.140f, 0.030f}, 0.30f, 0.20f, -0.45f};
    float d = sdf_cut(sdf_egg_at(q, &spoon), sdf_egg_at(q, &groove), 0.024f);
    return sdf_join(d, sdf_bar(q, at(0.150f, 0.70f, 0.042f), at(0.125f, 0.77f, 0.056f), 0.036f, 0.022f),
                    0.035f);
}

static float legs(point3 q) {
    static const sdf_egg thigh = {{-0.080f, 0.180f, 0.118f}, {0.165f, 0.145f, 0.085f}, 0.40f, 0.12f, 0.10f};
    static const sdf_egg hind_foot = {{0.060f, 0.030f, 0.150f}, {0.155f, 0.036f, 0.044f}, 0, 0, -0.10f};
    static const sdf_egg paw = {{0.245f, 0.030f, 0.062f}, {0.058f, 0.034f, 0.038f}, 0, 0, -0.10f};
    float hind = sdf_join(sdf_egg_at(q, &thigh), sdf_egg_at(q, &hind_foot), 0.045f);
    float front = sdf_bar(q, at(0.150f, 0.31f, 0.076f), at(0.215f, 0.055f, 0.062f), 0.066f, 0.036f);
    front = sdf_join(front, sdf_egg_at(q, &paw), 0.03f);
    return sdf_join(hind, front, 0.012f);
}

// The ear of one side: the other is its mirror image, turned in its own way.
static float one_ear(const hare_look *look, int side, point3 p) {
    point3 base = look->ears[side].about, q = sdf_turned(&look->ears[side], at(p.x, p.y, side ? -p.z : p.z));
    float inverse = 1 / look->ear_length;
    q = at(base.x + (q.x - base.x) * inverse, base.y + (q.y - base.y) * inverse,
           base.z + (q.z - base.z) * inverse);
    return ear(q) * look->ear_length;
}

static float hare(const void *context, point3 p) {
    static const sdf_egg tail = {{-0.335f, 0.150f, 0}, {0.066f, 0.070f, 0.064f}, 0.5f, 0, 0};
    const hare_look *look = context;
    point3 slim = at(p.x, p.y, p.z * look->belly);
    float d = sdf_join(trunk(slim), legs(at(p.x, p.y, fabsf(p.z))), 0.030f);
    d = sdf_join(d, sdf_egg_at(p, &tail), 0.02f);
    point3 h = sdf_turned(&look->head, p);
    float ears = sdf_join(one_ear(look, 0, h), one_ear(look, 1, h), 0.01f);
    d = sdf_join(d, sdf_join(head(h), ears, 0.03f), 0.06f);
    return sdf_cut(d, p.y - 0.004f, 0.008f); // it sits on flat soles
}

firn_status proc_hare(uint64_t seed, mesh *out) {
    hare_look look = {.ear_length = (float)(1 + 0.07 * proc_variation(seed, 0)),
                      .belly = (float)(1 + 0.08 * proc_variation(seed, 1))};
    look.head =
        sdf_turn_by(at(0.15f, 0.60f, 0), 0.10 * proc_variation(seed, 2), 0, 0.45 * proc_variation(seed, 3));
    for (uint32_t i = 0; i < 2; i++) {
        look.ears[i] = sdf_turn_by(at(0.14f, 0.72f, 0.045f), 0.22 * proc_variation(seed, 4 + i),
                                   0.08 * proc_variation(seed, 6 + i), 0.2 * proc_variation(seed, 8 + i));
    }
    return proc_polygonise(hare, &look, at(-0.46f, -0.03f, -0.28f), at(0.45f, 1.14f, 0.28f), 0.0138f, out);
}
