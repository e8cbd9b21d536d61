// A house with a gabled roof that stands out over the walls, windows, a door with a step, and a chimney.
// Metres; its mesh is scaled to height 1 at the end. The ridge runs along x, the door is in the gable to +x.
#include <math.h>

#include "base/memory.h"
#include "geom/proc.h"
#include "geom/proc_faces.h"
#include "geom/proc_sdf.h"

// Proportions of one house (m).
typedef struct house_look {
    double half_length, half_width, slope, chimney; // chimney: its place along the ridge
} house_look;

static const double WALL = 2.5, OVERHANG = 0.45, ROOF = 0.26;

static double under_roof(const house_look *look, double z) {
    return WALL + look->slope * (look->half_width - fabs(z));
}
static double over_roof(const house_look *look, double z) { return under_roof(look, z) + ROOF; }

// Numbers of the vertices where walls and roof meet; [0] is at -x, [1] at +x; sides [0] at -z, [1] at +z.
typedef struct corners {
    uint32_t ground[2][2], top[2][2], gable[2];                      // of the walls
    uint32_t ridge[2], under_ridge[2], eave[2][2], under_eave[2][2]; // of the roof
} corners;

static corners make_corners(faces *f, const house_look *look) {
    corners c;
    for (int e = 0; e < 2; e++) {
        double x = e ? look->half_length : -look->half_length,
               rx = e ? look->half_length + OVERHANG : -look->half_length - OVERHANG;
        for (int s = 0; s < 2; s++) {
            double z = s ? look->half_width : -look->half_width,
                   rz = s ? look->half_width + OVERHANG : -look->half_width - OVERHANG;
            c.ground[e][s] = faces_vertex(f, x, 0, z);
            c.top[e][s] = faces_vertex(f, x, WALL, z);
            c.eave[e][s] = faces_vertex(f, rx, over_roof(look, rz), rz);
            c.under_eave[e][s] = faces_vertex(f, rx, under_roof(look, rz), rz);
        }
        c.gable[e] = faces_vertex(f, x, under_roof(look, 0), 0);
        c.ridge[e] = faces_vertex(f, rx, over_roof(look, 0), 0);
        c.under_ridge[e] = faces_vertex(f, rx, under_roof(look, 0), 0);
    }
    return c;
}

static void shrink(const double from[4], double by, double to[4]) {
    to[0] = from[0] + by, to[1] = from[1] + by, to[2] = from[2] - by, to[3] = from[3] - by;
}

static void frame_normal(const face_frame *w, double n[3]) {
    for (int k = 0; k < 3; k++) {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        n[k] = w->right[a] * w->up[b] - w->right[b] * w->up[a];
    }
}

// A frame that stands out from the wall, and in it a sunk panel parted into columns x rows; returns the hole
// in the wall.
static loop add_opening(faces *f, const face_frame *wall, const double outer[4], int columns, int rows) {
    const double border = 0.10, out = 0.07, in = -0.10, bar = 0.05, deeper = -0.16;
    double inner[4], normal[3];
    shrink(outer, border, inner);
    frame_normal(wall, normal);
    loop foot = faces_rectangle(f, wall, outer, 0), front = faces_rectangle(f, wall, outer, out);
    loop lip = faces_rectangle(f, wall, inner, out), panel = faces_rectangle(f, wall, inner, in);
    faces_walls(f, &foot, &front);
    faces_walls(f, &front, &lip);
    faces_walls(f, &lip, &panel);
    loop panes[4];
    int count = 0;
    double w = (inner[2] - inner[0]) / columns, h = (inner[3] - inner[1]) / rows;
    for (int i = 0; i < columns; i++) {
        for (int j = 0; j < rows; j++) {
            double cell[4] = {inner[0] + i * w, inner[1] + j * h, inner[0] + (i + 1) * w,
                              inner[1] + (j + 1) * h},
                   pane[4];
            shrink(cell, bar, pane);
            panes[count] = faces_rectangle(f, wall, pane, in);
            loop sunk = faces_rectangle(f, wall, pane, deeper);
            faces_walls(f, &panes[count++], &sunk);
            faces_add(f, &sunk, NULL, 0, normal);
        }
    }
    faces_add(f, &panel, panes, (size_t)count, normal);
    return foot;
}

// A plain block on a wall: the door's step, a window sill.
static loop add_block(faces *f, const face_frame *wall, const double rectangle[4], double out) {
    double normal[3];
    frame_normal(wall, normal);
    loop foot = faces_rectangle(f, wall, rectangle, 0), front = faces_rectangle(f, wall, rectangle, out);
    faces_walls(f, &foot, &front);
    faces_add(f, &front, NULL, 0, normal);
    return foot;
}

static loop add_window(faces *f, const face_frame *wall, double middle, double low) {
    return add_opening(f, wall, (double[4]){middle - 0.50, low, middle + 0.50, low + 1.20}, 2, 2);
}

static loop add_sill(faces *f, const face_frame *wall, double middle, double low) {
    return add_block(f, wall, (double[4]){middle - 0.60, low - 0.14, middle + 0.60, low - 0.04}, 0.18);
}

static void add_gable_wall(faces *f, const house_look *look, const corners *c, int e) {
    double sign = e ? 1 : -1;
    face_frame wall = {{sign * look->half_length, 0, 0}, {0, 0, -sign}, {0, 1, 0}};
    loop outer = {{c->ground[e][0], c->ground[e][1], c->top[e][1], c->gable[e], c->top[e][0]}, 5};
    loop holes[6];
    size_t count = 0;
    holes[count++] = add_opening(f, &wall, (double[4]){-0.35, 3.0, 0.35, 3.8}, 1, 2);
    if (e) {
        holes[count++] = add_opening(f, &wall, (double[4]){-0.60, 0.24, 0.60, 2.34}, 1, 2);
        holes[count++] = add_block(f, &wall, (double[4]){-0.85, 0.03, 0.85, 0.20}, 0.70);
        holes[count++] = add_window(f, &wall, 1.65, 0.95);
        holes[count++] = add_window(f, &wall, -1.65, 0.95);
    } else {
        holes[count++] = add_window(f, &wall, 1.2, 0.95);
        holes[count++] = add_sill(f, &wall, 1.2, 0.95);
        holes[count++] = add_window(f, &wall, -1.2, 0.95);
        holes[count++] = add_sill(f, &wall, -1.2, 0.95);
    }
    faces_add(f, &outer, holes, count, (double[3]){sign, 0, 0});
}

static void add_side_wall(faces *f, const house_look *look, const corners *c, int s) {
    double sign = s ? 1 : -1;
    face_frame wall = {{0, 0, sign * look->half_width}, {sign, 0, 0}, {0, 1, 0}};
    loop outer = {{c->ground[0][s], c->ground[1][s], c->top[1][s], c->top[0][s]}, 4};
    loop holes[6];
    for (int i = 0; i < 3; i++) {
        holes[2 * i] = add_window(f, &wall, 2.2 * (i - 1), 0.95);
        holes[2 * i + 1] = add_sill(f, &wall, 2.2 * (i - 1), 0.95);
    }
    faces_add(f, &outer, holes, 6, (double[3]){0, 0, sign});
}

// A square shaft on the slope to -z with a wider head and a flue; returns the hole in the slope.
static loop add_chimney(faces *f, const house_look *look) {
    const double x0 = look->chimney - 0.35, x1 = look->chimney + 0.35, z0 = -1.25, z1 = -0.55,
                 head = over_roof(look, 0) + 0.45, top = head + 0.2;
    // Looked at from above; "right" x and "up" -z make y the outward direction.
    face_frame flat = {{0, 0, 0}, {1, 0, 0}, {0, 0, -1}};
    double shaft[4] = {x0, -z1, x1, -z0}, wide[4], flue[4];
    shrink(shaft, -0.09, wide);
    shrink(shaft, 0.14, flue);
    loop foot = faces_rectangle(f, &flat, shaft, 0);
    for (int i = 0; i < 4; i++) {
        double *v = f->vertex[foot.at[i]];
        v[1] = over_roof(look, v[2]);
    }
    loop rings[5] = {faces_rectangle(f, &flat, shaft, head), faces_rectangle(f, &flat, wide, head),
                     faces_rectangle(f, &flat, wide, top), faces_rectangle(f, &flat, flue, top),
                     faces_rectangle(f, &flat, flue, top - 0.5)};
    faces_walls(f, &foot, &rings[0]);
    for (int i = 0; i < 4; i++) faces_walls(f, &rings[i], &rings[i + 1]);
    faces_add(f, &rings[4], NULL, 0, (double[3]){0, 1, 0});
    return foot;
}

static void add_roof(faces *f, const house_look *look, const corners *c) {
    loop chimney = add_chimney(f, look);
    for (int s = 0; s < 2; s++) {
        double sign = s ? 1 : -1;
        loop slope = {{c->ridge[0], c->ridge[1], c->eave[1][s], c->eave[0][s]}, 4};
        faces_add(f, &slope, &chimney, s == 0, (double[3]){0, 1, sign * 0.9});
        loop edge = {{c->eave[0][s], c->eave[1][s], c->under_eave[1][s], c->under_eave[0][s]}, 4};
        faces_add(f, &edge, NULL, 0, (double[3]){0, 0, sign});
        // Below, the walls are left out.
        loop under = {{c->under_ridge[1], c->under_eave[1][s], c->under_eave[0][s], c->under_ridge[0],
                       c->gable[0], c->top[0][s], c->top[1][s], c->gable[1]},
                      8};
        faces_add(f, &under, NULL, 0, (double[3]){0, -1, -sign * 0.9});
    }
    for (int e = 0; e < 2; e++) {
        loop end = {{c->ridge[e], c->eave[e][1], c->under_eave[e][1], c->under_ridge[e], c->under_eave[e][0],
                     c->eave[e][0]},
                    6};
        faces_add(f, &end, NULL, 0, (double[3]){e ? 1 : -1, 0, 0});
    }
}

firn_status proc_house(uint64_t seed, mesh *out) {
    const house_look plan = {.half_length = 3.6 * (1 + 0.12 * proc_variation(seed, 0)),
                             .half_width = 2.7 * (1 + 0.07 * proc_variation(seed, 1)),
                             .slope = 0.95 * (1 + 0.12 * proc_variation(seed, 2)),
                             .chimney = -1.55 + 0.8 * proc_variation(seed, 3)};
    const house_look *look = &plan;
    faces *f = mem_zero(1, sizeof *f);
    if (!f) return fail_memory("building a house", sizeof *f);
    corners c = make_corners(f, look);
    loop floor = {{c.ground[0][0], c.ground[1][0], c.ground[1][1], c.ground[0][1]}, 4};
    faces_add(f, &floor, NULL, 0, (double[3]){0, -1, 0});
    for (int i = 0; i < 2; i++) {
        add_gable_wall(f, look, &c, i);
        add_side_wall(f, look, &c, i);
    }
    add_roof(f, look, &c);
    firn_status status = faces_mesh(f, out);
    mem_free(f);
    if (status != FIRN_OK) return status;
    proc_stand(out);
    status = mesh_smooth_normals(out, 0.5f);
    if (status != FIRN_OK) mesh_free(out);
    return status;
}
