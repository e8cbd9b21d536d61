// Trees of height 1: a spruce whose boughs are toothed fronds in whorls, and a bare broadleaf tree, whose
// limbs fork into branches and twigs.
#include <math.h>

#include "geom/proc.h"
#include "geom/proc_limbs.h"

static point3 ahead(point3 p, point3 d, float by) {
    return (point3){p.x + by * d.x, p.y + by * d.y, p.z + by * d.z};
}

static point3 unit_of(double x, double y, double z) {
    double inverse = 1 / sqrt(x * x + y * y + z * z);
    return (point3){(float)(x * inverse), (float)(y * inverse), (float)(z * inverse)};
}

static void add_ring(limb *b, point3 centre, double wide, double high, double sag, double sweep) {
    b->ring[b->rings++] = (limb_ring){centre, (float)wide, (float)high, (float)sag, (float)sweep};
}

static point3 base_middle(const limbs *l, const limb_base *base) {
    double sum[3] = {0};
    for (int j = 0; j < base->count && !l->full; j++) {
        for (int k = 0; k < 3; k++) sum[k] += (double)l->vertex[base->at[j]][k] / base->count;
    }
    return (point3){(float)sum[0], (float)sum[1], (float)sum[2]};
}

// A frond: it leaves the trunk at an angle, hangs in its middle and lifts its tip; teeth on both sides.
static void grow_bough(limbs *l, limb *b, const limb_base *base, point3 out, double length, double rise) {
    int teeth = (int)fmin(fmax(length / 0.021, 3), 11), steps = 2 * teeth;
    double sway = limbs_random(l, -0.35, 0.35), c = cos(sway), s = sin(sway),
           flat = hypot((double)out.x, (double)out.z);
    double x = (c * (double)out.x - s * (double)out.z) / flat,
           z = (s * (double)out.x + c * (double)out.z) / flat;
    double hang = limbs_random(l, 0.45, 1.0), lift = limbs_random(l, 0.35, 0.8),
           bend = limbs_random(l, -0.25, 0.25);
    point3 at = base_middle(l, base);
    *b = (limb){.sides = 4};
    add_ring(b, at, 0.006, 0.004, 0, 0);
    for (int i = 1; i <= steps; i++) {
        double t = (double)i / steps, angle = rise - hang * t + lift * t * t * t, turn = bend * t;
        double dx = cos(turn) * x - sin(turn) * z, dz = sin(turn) * x + cos(turn) * z;
        at = ahead(at, unit_of(cos(angle) * dx, sin(angle), cos(angle) * dz), (float)(length / steps));
        double full = 0.27 * length * (0.35 + 1.6 * t) * (1 - t) + 0.009, tooth = limbs_random(l, 0.75, 1.25);
        double wide = i % 2 ? full * tooth : 0.36 * full;
        add_ring(b, at, wide, 0.0035 + 0.006 * (1 - t), 0.55, i % 2 ? 0.7 : 0);
    }
    at = ahead(at, unit_of(x, 0.1, z), 0.012f);
    add_ring(b, at, 0, 0, 0, 0);
    limbs_place(l, b, base);
    limbs_cover(l, b);
}

// The trunk has two rings for each whorl; boughs grow out of the quads between them.
static void grow_spruce(limbs *l, limb *trunk, limb *bough) {
    enum { WHORLS = 29, SIDES = 8 };
    const double first = 0.10;
    *trunk = (limb){.sides = SIDES};
    double lean = limbs_random(l, -0.012, 0.012), girth = limbs_random(l, 0.9, 1.1);
    double spread = limbs_random(l, 0.88, 1.12), full = limbs_random(l, 0.75, 1.0);
    add_ring(trunk, (point3){0, 0, 0}, 0.030 * girth, 0.030 * girth, 0, 0);
    add_ring(trunk, (point3){0, 0.03f, 0}, 0.022 * girth, 0.022 * girth, 0, 0);
    for (int w = 0; w < WHORLS; w++) {
        double t = (double)w / WHORLS, y = first + (0.965 - first) * pow(t, 0.92);
        double radius = 0.021 * girth * (1 - 0.85 * t), half = 0.4 * radius * 0.77;
        for (int k = -1; k <= 1; k += 2) {
            double at = y + k * half;
            add_ring(trunk, (point3){(float)(lean * sin(6 * at)), (float)at, (float)(lean * at)}, radius,
                     radius, 0, 0);
        }
    }
    add_ring(trunk, (point3){0, 1, (float)lean}, 0, 0, 0, 0);
    limbs_place(l, trunk, NULL);
    for (int w = 0; w < WHORLS; w++) {
        double t = (double)w / WHORLS, reach = spread * (0.25 * pow(1 - t, 0.85) + 0.025);
        if (w < 2) reach *= 0.6 + 0.2 * w; // the lowest get little light
        int left_out = (int)limbs_random(l, 0, SIDES);
        for (int s = 0; s < SIDES; s++) {
            if ((s + left_out) % 4 == 0 || limbs_random(l, 0, 1) > full) continue;
            limb_base base = limbs_open(trunk, 2 + 2 * w, s, 1);
            point3 out = limbs_outward(l, trunk, 2 + 2 * w, s, 1);
            double rise = -0.10 + 0.75 * t + limbs_random(l, -0.14, 0.14);
            grow_bough(l, bough, &base, out, reach * limbs_random(l, 0.72, 1.15), rise);
        }
    }
    limbs_cover(l, trunk);
}

// How a limb of each order grows; orders 0 (trunk) to 4 (twigs).
static const struct {
    int children, sides, quads; // quads of its parent that it grows out of
    double from;                // share of its length that is bare
    double angle, length;       // to its parent; of its parent's length
    double wander, up;          // per ring
} orders[] = {
    {8, 8, 0, 0.28, 0, 0, 0.06, 0.05},       {6, 6, 2, 0.20, 0.85, 0.56, 0.16, 0.08},
    {5, 4, 1, 0.20, 0.85, 0.50, 0.20, 0.05}, {3, 4, 1, 0.25, 0.75, 0.50, 0.24, 0.03},
    {0, 4, 1, 0.00, 0.70, 0.55, 0.24, 0.02},
};

static double radius_at(double radius, double t) { return radius * (1 - 0.8 * t); }

// Rings at two places around each child and a few between; each a little off the way of the one before.
static int lay_rings(limbs *l, limb *b, int order, point3 at, point3 d, double length, double radius,
                     int node[]) {
    int children = orders[order].children, last = children ? children : 3;
    double way = 0;
    *b = (limb){.sides = orders[order].sides};
    if (order == 0)
        add_ring(b, at, 1.6 * radius, 1.6 * radius, 0, 0);
    else
        add_ring(b, at, radius, radius, 0, 0);
    for (int i = 0; i < last; i++) {
        double t =
            orders[order].from + (0.93 - orders[order].from) * (i + 0.5 + limbs_random(l, -0.2, 0.2)) / last;
        double r = radius_at(radius, t), half = 0.55 * r / length,
               stops[3] = {0.5 * (way + t - half), t - half, t + half};
        node[i] = b->rings + 1;
        for (int k = children ? 0 : 1; k < (children ? 3 : 2); k++) {
            double wander = k == 2 ? 0 : orders[order].wander;
            d = unit_of((double)d.x + wander * limbs_random(l, -1, 1),
                        (double)d.y + wander * limbs_random(l, -1, 1) + orders[order].up,
                        (double)d.z + wander * limbs_random(l, -1, 1));
            at = ahead(at, d, (float)((stops[k] - way) * length));
            way = stops[k];
            r = radius_at(radius, way) * (order == 0 && i == 0 && k == 0 ? 1.1 : 1);
            add_ring(b, at, r, r, 0, 0);
        }
    }
    at = ahead(at, d, (float)((1 - way) * length));
    add_ring(b, at, 0, 0, 0, 0);
    return children;
}

static void grow_limb(limbs *l, int order, const limb_base *base, point3 d, double length, double radius) {
    limb *b = mem_alloc(sizeof *b);
    if (!b) {
        l->full = true;
        return;
    }
    int node[8];
    point3 at = base ? base_middle(l, base) : (point3){0, 0, 0};
    int children = lay_rings(l, b, order, at, d, length, radius, node);
    limbs_place(l, b, base);
    double side = limbs_random(l, 0, 1);
    for (int i = 0; i < children && !l->full; i++) {
        const int quads = orders[order + 1].quads;
        side += 0.382 + limbs_random(l, -0.05, 0.05);
        int s = (int)(fmod(side, 1) * b->sides), r = node[i];
        double t = orders[order].from + (0.93 - orders[order].from) * (i + 0.5) / children;
        point3 out = limbs_outward(l, b, r, s, quads), along = b->along[r];
        double angle = orders[order + 1].angle * limbs_random(l, 0.75, 1.15), c = cos(angle), n = sin(angle);
        point3 way = unit_of(c * (double)along.x + n * (double)out.x, c * (double)along.y + n * (double)out.y,
                             c * (double)along.z + n * (double)out.z);
        limb_base grown = limbs_open(b, r, s, quads);
        double long_as = length * orders[order + 1].length * (1.15 - 0.65 * t) * limbs_random(l, 0.75, 1.2);
        grow_limb(l, order + 1, &grown, way, long_as, fmax(radius_at(radius, t) * 0.62, 0.0011));
    }
    limbs_cover(l, b);
    mem_free(b);
}

firn_status proc_tree(uint64_t seed, firn_tree_species species, mesh *out) {
    limbs l = {.seed = seed < 2 ? 0 : seed};
    if (species == FIRN_TREE_CONIFER) {
        limb *both = mem_alloc(2 * sizeof *both);
        if (!both) return fail_memory("growing a tree", 2 * sizeof *both);
        grow_spruce(&l, &both[0], &both[1]);
        mem_free(both);
    } else {
        grow_limb(&l, 0, NULL, (point3){0, 1, 0}, 1, 0.03 * limbs_random(&l, 0.85, 1.15));
    }
    TRY(limbs_mesh(&l, out));
    proc_stand(out);
    firn_status status = mesh_smooth_normals(out, species == FIRN_TREE_CONIFER ? 1.2f : 1.7f);
    if (status != FIRN_OK) mesh_free(out);
    return status;
}
