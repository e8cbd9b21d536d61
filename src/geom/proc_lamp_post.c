// A street lamp: a round section of changing width, swept up the post, over in an arc and down into the
// lantern.
#include <assert.h>
#include <math.h>

#include "geom/proc.h"
#include "geom/proc_sdf.h"

enum { AROUND = 24, ARC_STEPS = 16, RINGS_ROOM = 96 };

// One ring of the sweep: centre, direction of the sweep in the x-y plane, radius, and how many corners the
// section has (0: round).
typedef struct ring {
    double x, y, angle, radius;
    int corners;
} ring;

// How one lamp differs from the next, as factors.
typedef struct lamp_look {
    double post, arm, lantern, drop;
} lamp_look;

typedef struct sweep {
    ring rings[RINGS_ROOM];
    size_t count;
} sweep;

static void add(sweep *s, double x, double y, double angle, double radius, int corners) {
    assert(s->count < RINGS_ROOM);
    s->rings[s->count++] = (ring){x, y, angle, radius, corners};
}

// Plinth of eight sides, shaft with a collar, tapering.
static void sweep_post(sweep *s, const lamp_look *look) {
    static const struct {
        double y, radius;
        int corners;
    } profile[] = {
        {0.000, 0.075, 8}, {0.035, 0.075, 8}, {0.045, 0.060, 8}, {0.140, 0.052, 8},
        {0.150, 0.060, 8}, {0.165, 0.060, 8}, {0.175, 0.036, 0}, {0.220, 0.030, 0},
        {0.450, 0.026, 0}, {0.456, 0.034, 0}, {0.476, 0.034, 0}, {0.482, 0.024, 0},
        {0.700, 0.021, 0}, {0.706, 0.029, 0}, {0.722, 0.029, 0}, {0.728, 0.019, 0},
    };
    for (size_t i = 0; i < sizeof profile / sizeof profile[0]; i++) {
        add(s, 0, profile[i].y, M_PI / 2, profile[i].radius * look->post, profile[i].corners);
    }
}

static void sweep_arm(sweep *s, const lamp_look *look) {
    const double radius = 0.115 * look->arm, spring = 0.855; // radius of the arc, height of its ends
    for (int i = 0; i <= ARC_STEPS; i++) {
        double turn = M_PI * i / ARC_STEPS, along = (double)i / ARC_STEPS;
        add(s, radius * (1 - cos(turn)), spring + radius * sin(turn), M_PI / 2 - turn, 0.019 - 0.005 * along,
            0);
    }
}

// A roof, six panes that narrow downwards, a bottom and a drop.
static void sweep_lantern(sweep *s, const lamp_look *look) {
    static const struct {
        double y, radius;
        int corners;
    } profile[] = {
        {0.835, 0.014, 0}, {0.829, 0.024, 0}, {0.815, 0.024, 0}, {0.808, 0.030, 6}, {0.770, 0.086, 6},
        {0.758, 0.086, 6}, {0.756, 0.068, 6}, {0.640, 0.046, 6}, {0.638, 0.054, 6}, {0.626, 0.054, 6},
        {0.620, 0.028, 0}, {0.606, 0.012, 0}, {0.596, 0.014, 0}, {0.586, 0.008, 0},
    };
    for (size_t i = 0; i < sizeof profile / sizeof profile[0]; i++) {
        double y = 0.835 + (profile[i].y - 0.835) * look->drop, radius = profile[i].radius;
        // The first ring is the end of the arm.
        add(s, 0.23 * look->arm, y, -M_PI / 2, i ? radius * look->lantern : radius, profile[i].corners);
    }
}

// The section in the plane across the sweep; corners are reached at the full radius.
static void ring_vertex(const ring *r, int k, float out[3]) {
    double angle = 2 * M_PI * k / AROUND, radius = r->radius;
    if (r->corners) {
        double side = 2 * M_PI / r->corners, off = fmod(angle, side) - side / 2;
        radius *= cos(side / 2) / cos(off);
    }
    double across = radius * cos(angle);
    out[0] = (float)(r->x + across * sin(r->angle));
    out[1] = (float)(r->y - across * cos(r->angle));
    out[2] = (float)(-radius * sin(angle));
}

static firn_status sweep_mesh(const sweep *s, mesh *out) {
    size_t n = s->count, t = 0, foot = n * AROUND, end = foot + 1;
    TRY(mesh_alloc(n * AROUND + 2, 2 * n * AROUND, false, out));
    for (size_t i = 0; i < n; i++) {
        for (int k = 0; k < AROUND; k++) ring_vertex(&s->rings[i], k, out->position[i * AROUND + (size_t)k]);
    }
    const ring *first = &s->rings[0], *last = &s->rings[n - 1];
    for (int k = 0; k < 3; k++) {
        out->position[foot][k] = k == 0 ? (float)first->x : k == 1 ? (float)first->y : 0;
        out->position[end][k] = k == 0 ? (float)last->x : k == 1 ? (float)last->y : 0;
    }
    for (size_t k = 0; k < AROUND; k++) {
        size_t l = (k + 1) % AROUND, top = (n - 1) * AROUND;
        const size_t caps[2][3] = {{foot, l, k}, {end, top + k, top + l}};
        for (int c = 0; c < 2; c++, t++) {
            for (int v = 0; v < 3; v++) out->triangle[t][v] = (uint32_t)caps[c][v];
        }
        for (size_t i = 0; i + 1 < n; i++) {
            size_t a = i * AROUND, b = a + AROUND;
            const size_t quad[2][3] = {{a + k, a + l, b + l}, {a + k, b + l, b + k}};
            for (int c = 0; c < 2; c++, t++) {
                for (int v = 0; v < 3; v++) out->triangle[t][v] = (uint32_t)quad[c][v];
            }
        }
    }
    assert(t == out->triangles);
    return FIRN_OK;
}

firn_status proc_lamp_post(uint64_t seed, mesh *out) {
    const lamp_look look = {.post = 1 + 0.10 * proc_variation(seed, 0),
                            .arm = 1 + 0.15 * proc_variation(seed, 1),
                            .lantern = 1 + 0.12 * proc_variation(seed, 2),
                            .drop = 1 + 0.15 * proc_variation(seed, 3)};
    sweep s = {.count = 0};
    sweep_post(&s, &look);
    sweep_arm(&s, &look);
    sweep_lantern(&s, &look);
    TRY(sweep_mesh(&s, out));
    proc_stand(out);
    firn_status status = mesh_smooth_normals(out, 0.6f);
    if (status != FIRN_OK) mesh_free(out);
    return status;
}
