// A garden fence along x: posts, two rails and pointed pickets on the side of +z. Rails grow out of the posts
// and pickets stand on the rails by their nails, so that all is one closed surface.
#include <assert.h>
#include <math.h>

#include "geom/proc.h"
#include "geom/proc_faces.h"
#include "geom/proc_sdf.h"

enum { RAILS = 2, PICKETS = 8 };                                        // pickets of a bay, at most
static const double POST = 0.05, BAY = 1.35, THICK = 0.02, GAP = 0.006; // POST, THICK: half widths
static const double RAIL[RAILS][2] = {{0.23, 0.31}, {0.66, 0.74}};

typedef struct fence_look {
    uint64_t seed;
    double bay;
    int bays, pickets;
} fence_look;

static loop quad(faces *f, const double p[4][3]) {
    loop l = {.count = 4};
    for (int i = 0; i < 4; i++) l.at[i] = faces_vertex(f, p[i][0], p[i][1], p[i][2]);
    return l;
}

// Where a rail meets a post or ends: at x, from y0 to y1.
static loop rail_end(faces *f, double x, const double y[2]) {
    const double p[4][3] = {{x, y[0], THICK}, {x, y[0], -THICK}, {x, y[1], -THICK}, {x, y[1], THICK}};
    return quad(f, p);
}

static void add_box_side(faces *f, const loop *low, const loop *high, int i, const loop *holes, size_t count,
                         double x, double z) {
    int j = (i + 1) % 4;
    loop side = {{low->at[i], low->at[j], high->at[j], high->at[i]}, 4};
    faces_add(f, &side, holes, count, (double[3]){x, 0, z});
}

// left, right: the rails' ends in its sides; NULL at the ends of the fence.
static void add_post(faces *f, double x, double top, const loop left[RAILS], const loop right[RAILS]) {
    const double corner[4][2] = {{-POST, POST}, {POST, POST}, {POST, -POST}, {-POST, -POST}};
    loop low = {.count = 4}, high = {.count = 4};
    for (int i = 0; i < 4; i++) {
        low.at[i] = faces_vertex(f, x + corner[i][0], 0, corner[i][1]);
        high.at[i] = faces_vertex(f, x + corner[i][0], top, corner[i][1]);
    }
    add_box_side(f, &low, &high, 0, NULL, 0, 0, 1);
    add_box_side(f, &low, &high, 1, right, right ? RAILS : 0, 1, 0);
    add_box_side(f, &low, &high, 2, NULL, 0, 0, -1);
    add_box_side(f, &low, &high, 3, left, left ? RAILS : 0, -1, 0);
    faces_add(f, &low, NULL, 0, (double[3]){0, -1, 0});
    faces_add(f, &high, NULL, 0, (double[3]){0, 1, 0});
}

static loop nail(faces *f, double x, const double y[2], double z) {
    const double inset = 0.015, half = 0.02;
    const double p[4][3] = {{x - half, y[0] + inset, z},
                            {x + half, y[0] + inset, z},
                            {x + half, y[1] - inset, z},
                            {x - half, y[1] - inset, z}};
    return quad(f, p);
}

// A board with a point; `on` are the places on the rails that it stands on.
static void add_picket(faces *f, double x, double top, double lean, loop on[RAILS]) {
    const double half = 0.042, back = THICK + GAP, front = back + 0.022, low = 0.05;
    const double outline[5][2] = {
        {-half, low}, {half, low}, {half, top - 0.06}, {0, top}, {-half, top - 0.06}};
    loop rear = {.count = 5}, face = {.count = 5}, holes[RAILS];
    for (int i = 0; i < 5; i++) {
        double u = x + outline[i][0] + lean * (outline[i][1] - 0.5);
        rear.at[i] = faces_vertex(f, u, outline[i][1], back);
        face.at[i] = faces_vertex(f, u, outline[i][1], front);
    }
    for (int r = 0; r < RAILS; r++) {
        on[r] = nail(f, x, RAIL[r], THICK);
        holes[r] = nail(f, x, RAIL[r], back);
        faces_walls(f, &on[r], &holes[r]);
    }
    faces_add(f, &face, NULL, 0, (double[3]){0, 0, 1});
    faces_add(f, &rear, holes, RAILS, (double[3]){0, 0, -1});
    for (int i = 0; i < 5; i++) {
        int j = (i + 1) % 5;
        loop side = {{rear.at[i], rear.at[j], face.at[j], face.at[i]}, 4};
        double dx = outline[j][0] - outline[i][0], dy = outline[j][1] - outline[i][1];
        faces_add(f, &side, NULL, 0, (double[3]){dy, -dx, 0});
    }
}

// Rails from one post to the next, with their pickets.
static void add_bay(faces *f, const fence_look *look, int bay, const loop from[RAILS], const loop to[RAILS]) {
    loop on[PICKETS][RAILS];
    int count = 0;
    double start = bay * look->bay + POST, width = look->bay - 2 * POST;
    for (int p = 0; p < look->pickets; p++) {
        uint32_t k = (uint32_t)(bay * PICKETS + p) * 4;
        if (proc_variation(look->seed, k) > 0.9) continue; // it is missing
        double x = start + width * (p + 0.5) / look->pickets + 0.006 * proc_variation(look->seed, k + 1);
        add_picket(f, x, 0.965 + 0.035 * proc_variation(look->seed, k + 2),
                   0.03 * proc_variation(look->seed, k + 3), on[count++]);
    }
    for (int r = 0; r < RAILS; r++) {
        loop holes[PICKETS];
        for (int p = 0; p < count; p++) holes[p] = on[p][r];
        // Corners of an end: front low, back low, back high, front high.
        const double outward[4][3] = {{0, -1, 0}, {0, 0, -1}, {0, 1, 0}, {0, 0, 1}};
        for (int i = 0; i < 4; i++) {
            int j = (i + 1) % 4;
            loop side = {{from[r].at[i], from[r].at[j], to[r].at[j], to[r].at[i]}, 4};
            faces_add(f, &side, holes, i == 3 ? (size_t)count : 0, outward[i]);
        }
    }
}

static void build(faces *f, const fence_look *look) {
    loop left[RAILS];
    for (int bay = 0; bay <= look->bays; bay++) {
        double x = bay * look->bay, top = 0.93 + 0.015 * proc_variation(look->seed, 100000 + (uint32_t)bay);
        loop right[RAILS], next[RAILS];
        bool last = bay == look->bays;
        for (int r = 0; r < RAILS && !last; r++) {
            right[r] = rail_end(f, x + POST, RAIL[r]);
            next[r] = rail_end(f, x + look->bay - POST, RAIL[r]);
        }
        add_post(f, x, top, bay ? left : NULL, last ? NULL : right);
        if (last) break;
        add_bay(f, look, bay, right, next);
        for (int r = 0; r < RAILS; r++) left[r] = next[r];
    }
}

firn_status proc_fence(uint64_t seed, double length, mesh *out) {
    if (!(length >= FENCE_LEAST && length <= FENCE_MOST))
        return fail(FIRN_BAD_INPUT, "a fence is %g to %g times as long as high, not %g times", FENCE_LEAST,
                    FENCE_MOST, length);
    fence_look look = {.seed = seed};
    look.bays = (int)ceil((length - 2 * POST) / BAY);
    look.bay = (length - 2 * POST) / look.bays;
    look.pickets = (int)fmin(fmax(floor((look.bay - 2 * POST) / 0.15), 1), PICKETS);
    faces *f = mem_zero(1, sizeof *f);
    if (!f) return fail_memory("building a fence", sizeof *f);
    build(f, &look);
    firn_status status = faces_mesh(f, out);
    mem_free(f);
    if (status != FIRN_OK) return status;
    proc_stand(out);
    status = mesh_smooth_normals(out, 0.5f);
    if (status != FIRN_OK) mesh_free(out);
    return status;
}
