// Lines over a picture: they are drawn into its pixels, so that movies have them, too.
#include "marks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ink {
    uint8_t r, g, b;
    float strength; // 0 .. 1
    int width;      // pixels
} ink;
static const ink neighbour_ink = {255, 120, 20, 0.9f, 1}, self_ink = {255, 60, 40, 1, 2},
                 cell_ink = {30, 90, 160, 0.35f, 1}, camera_ink = {250, 200, 40, 0.9f, 1},
                 culprit_ink = {255, 30, 30, 1, 3};

enum { MOST_LINES = 60000, MOST_NEIGHBOURS = 4000 };
#define NEAR 1e-3 // of the distance to what the camera looks at: lines are cut there

static firn_vec3 minus(firn_vec3 a, firn_vec3 b) { return (firn_vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static firn_vec3 along(firn_vec3 a, firn_vec3 b, double f) {
    return (firn_vec3){a.x + f * (b.x - a.x), a.y + f * (b.y - a.y), a.z + f * (b.z - a.z)};
}
static double dot(firn_vec3 a, firn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static firn_vec3 cross(firn_vec3 a, firn_vec3 b) {
    return (firn_vec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static firn_vec3 unit(firn_vec3 a) {
    double l = sqrt(dot(a, a));
    return l > 0 ? (firn_vec3){a.x / l, a.y / l, a.z / l} : (firn_vec3){0, 0, 1};
}

// ---- Lines.

typedef struct lens {
    firn_vec3 from, forward, right, up;
    double scale; // pixels for a slope of 1
    double near;  // m
} lens;

static lens lens_of(const marks_picture *p) {
    const firn_camera *c = &p->camera;
    lens l = {.from = c->from, .forward = unit(minus(c->to, c->from))};
    l.right = unit(cross(l.forward, (firn_vec3){0, 1, 0}));
    l.up = cross(l.right, l.forward);
    l.scale = p->width * (c->lens > 0 ? c->lens : 0.035) / 0.036;
    l.near = fmax(NEAR * sqrt(dot(minus(c->to, c->from), minus(c->to, c->from))), 1e-6);
    return l;
}

static void dot_at(marks_picture *p, int x, int y, const ink *c) {
    for (int dy = 0; dy < c->width; dy++)
        for (int dx = 0; dx < c->width; dx++) {
            int px = x + dx - c->width / 2, py = y + dy - c->width / 2;
            if (px < 0 || py < 0 || px >= p->width || py >= p->height) continue;
            uint8_t *to = p->rgba + 4 * ((size_t)py * (size_t)p->width + (size_t)px);
            const uint8_t color[3] = {c->r, c->g, c->b};
            for (int k = 0; k < 3; k++)
                to[k] = (uint8_t)((float)to[k] + c->strength * ((float)color[k] - (float)to[k]));
        }
}

// The part of a line that is between low and high in one coordinate.
static bool cut(double from, double to, double low, double high, double *begin, double *end) {
    double d = to - from;
    if (fabs(d) < 1e-12) return from >= low && from <= high;
    double a = (low - from) / d, b = (high - from) / d;
    *begin = fmax(*begin, fmin(a, b));
    *end = fmin(*end, fmax(a, b));
    return *begin < *end;
}

static void flat_line(marks_picture *p, const double a[2], const double b[2], const ink *c) {
    double begin = 0, end = 1;
    if (!cut(a[0], b[0], -2, p->width + 1, &begin, &end) || !cut(a[1], b[1], -2, p->height + 1, &begin, &end))
        return;
    double dx = b[0] - a[0], dy = b[1] - a[1], length = fmax(fabs(dx), fabs(dy)) * (end - begin);
    int steps = (int)fmin(fmax(ceil(length), 1), 8192);
    for (int i = 0; i <= steps; i++) {
        double t = begin + (end - begin) * i / steps;
        dot_at(p, (int)floor(a[0] + t * dx), (int)floor(a[1] + t * dy), c);
    }
}

static void project(const marks_picture *p, const lens *l, firn_vec3 d, double out[2]) {
    double deep = dot(d, l->forward);
    out[0] = 0.5 * p->width + l->scale * dot(d, l->right) / deep;
    out[1] = 0.5 * p->height - l->scale * dot(d, l->up) / deep;
}

static void line(marks_picture *p, const lens *l, firn_vec3 from, firn_vec3 to, const ink *c) {
    firn_vec3 a = minus(from, l->from), b = minus(to, l->from);
    double da = dot(a, l->forward), db = dot(b, l->forward), pa[2], pb[2];
    if (da < l->near && db < l->near) return;
    if (da < l->near) a = along(a, b, (l->near - da) / (db - da));
    if (db < l->near) b = along(b, a, (l->near - db) / (da - db));
    project(p, l, a, pa);
    project(p, l, b, pb);
    flat_line(p, pa, pb, c);
}

static bool ring(marks_picture *p, const lens *l, firn_vec3 at, double radius, const ink *c) {
    firn_vec3 d = minus(at, l->from);
    double middle[2], before[2], now[2];
    if (dot(d, l->forward) < l->near) return false;
    project(p, l, d, middle);
    if (middle[0] < 0 || middle[1] < 0 || middle[0] >= p->width || middle[1] >= p->height) return false;
    for (int i = 0; i <= 32; i++, memcpy(before, now, sizeof before)) {
        double angle = i * 2 * 3.14159265358979323846 / 32;
        now[0] = middle[0] + radius * cos(angle), now[1] = middle[1] + radius * sin(angle);
        if (i > 0) flat_line(p, before, now, c);
    }
    return true;
}

// ---- Fields.

static firn_field field_of(const firn_world *world, const char *model, const char *name) {
    char whole[96];
    snprintf(whole, sizeof whole, "%s.%s", model, name);
    return firn_world_field(world, whole);
}

static bool place_of(const firn_field *f, size_t i, firn_vec3 *out) {
    if (!f->data || f->components != 3 || i >= f->count) return false;
    const float *x = (const float *)f->data + 3 * i;
    const double *d = (const double *)f->data + 3 * i;
    if (f->type != FIRN_F32 && f->type != FIRN_F64) return false;
    *out = f->type == FIRN_F64 ? (firn_vec3){d[0], d[1], d[2]}
                               : (firn_vec3){(double)x[0], (double)x[1], (double)x[2]};
    return isfinite(out->x) && isfinite(out->y) && isfinite(out->z);
}

static double value_of(const firn_world *world, const char *name) {
    double value;
    return firn_world_get(world, name, &value) == FIRN_OK && isfinite(value) ? value : 0;
}

double marks_search_radius(const firn_world *world, const char *model) {
    double spacing = value_of(world, "pbd.fluid.spacing"), given = value_of(world, "pbd.fluid.smoothing");
    if (strcmp(model, "mpm") == 0) return value_of(world, "mpm.cell");
    if (strcmp(model, "grains") == 0) return 2.2 * value_of(world, "grains.radius");
    if (strcmp(model, "pbd") == 0) return given > 0 ? given : 2 * spacing;
    if (strcmp(model, "phase") != 0) return 0;
    given = value_of(world, "phase.smoothing");
    double volume = value_of(world, "phase.mass") / fmax(value_of(world, "phase.density"), 1);
    return given > 0 ? given : 2.4 * cbrt(volume);
}

// ---- Neighbours.

// Without a kernel: solids of pbd have links to what is nearest.
static double nearest_radius(const firn_field *at, size_t item, firn_vec3 p) {
    double least = INFINITY;
    firn_vec3 q;
    for (size_t i = 0; i < at->count; i++)
        if (i != item && place_of(at, i, &q)) least = fmin(least, dot(minus(q, p), minus(q, p)));
    return isfinite(least) ? 1.8 * sqrt(least) : 0;
}

void marks_neighbours(marks_picture *p, const firn_world *world, const picked *what, size_t *found) {
    *found = 0;
    if (what->hit.what != FIRN_RAY_PARTICLES || !what->hit.model) return;
    firn_field at = field_of(world, what->hit.model, "position");
    firn_vec3 self, other;
    lens l = lens_of(p);
    if (!place_of(&at, what->hit.item, &self)) return;
    double radius = marks_search_radius(world, what->hit.model);
    if (!(radius > 0)) radius = nearest_radius(&at, what->hit.item, self);
    for (size_t i = 0; i < at.count && *found < MOST_NEIGHBOURS; i++) {
        if (i == what->hit.item || !place_of(&at, i, &other)) continue;
        firn_vec3 d = minus(other, self);
        if (dot(d, d) > radius * radius) continue;
        line(p, &l, self, other, &neighbour_ink);
        ++*found;
    }
    ring(p, &l, self, 6, &self_ink);
}

// ---- Cells.

typedef struct cell {
    int32_t at[3];
    uint32_t count;
} cell;

static int by_place(const void *a, const void *b) { return memcmp(a, b, 3 * sizeof(int32_t)); }

// Cells that hold particles, with their numbers; NULL: there are none.
static cell *cells_of(const firn_field *at, double edge, size_t *count) {
    cell *all = at->count ? malloc(at->count * sizeof *all) : NULL;
    size_t n = 0;
    *count = 0;
    firn_vec3 x;
    for (size_t i = 0; all && i < at->count; i++) {
        if (!place_of(at, i, &x)) continue;
        const double c[3] = {floor(x.x / edge), floor(x.y / edge), floor(x.z / edge)};
        if (fabs(c[0]) > 1e9 || fabs(c[1]) > 1e9 || fabs(c[2]) > 1e9) continue;
        all[n++] = (cell){{(int32_t)c[0], (int32_t)c[1], (int32_t)c[2]}, 1};
    }
    if (n > 0) qsort(all, n, sizeof *all, by_place);
    for (size_t i = 0; i < n; i++) {
        if (*count > 0 && by_place(&all[*count - 1], &all[i]) == 0)
            all[*count - 1].count++;
        else
            all[(*count)++] = all[i];
    }
    return all;
}

static bool has_cell(const cell *all, size_t count, const int32_t at[3]) {
    return bsearch(at, all, count, sizeof *all, by_place) != NULL;
}

// Sides towards the camera behind which there is no other cell.
static void draw_cell(marks_picture *p, const lens *l, const cell *all, size_t count, const cell *c,
                      double edge) {
    const double from[3] = {l->from.x, l->from.y, l->from.z};
    for (int side = 0; side < 6; side++) {
        int axis = side / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
        int32_t there[3] = {c->at[0], c->at[1], c->at[2]};
        there[axis] += side % 2 ? 1 : -1;
        double face = edge * (c->at[axis] + side % 2);
        if ((side % 2 ? from[axis] <= face : from[axis] >= face) || has_cell(all, count, there)) continue;
        firn_vec3 corner[4];
        for (int k = 0; k < 4; k++) {
            double at[3];
            at[axis] = face;
            at[u] = edge * (c->at[u] + (k == 1 || k == 2));
            at[v] = edge * (c->at[v] + (k > 1));
            corner[k] = (firn_vec3){at[0], at[1], at[2]};
        }
        for (int k = 0; k < 4; k++) line(p, l, corner[k], corner[(k + 1) % 4], &cell_ink);
    }
}

static void particle_cells(marks_picture *p, const lens *l, const firn_world *world, const char *model,
                           marks_cells *out) {
    firn_field at = field_of(world, model, "position");
    double edge = marks_search_radius(world, model);
    size_t count, sum = 0;
    if (!(edge > 0) || !at.data || at.count == 0) return;
    cell *c = cells_of(&at, edge, &count);
    *out = (marks_cells){.edge = edge, .cells = count};
    for (size_t i = 0; i < count; i++) {
        sum += c[i].count;
        if (c[i].count > out->most) out->most = c[i].count;
        if (i < MOST_LINES / 12) draw_cell(p, l, c, count, &c[i], edge);
    }
    out->mean = count ? (double)sum / (double)count : 0;
    free(c);
}

// Lines of a plane of cells at `first` along `axis`.
static void plane_of_cells(marks_picture *p, const lens *l, const double low[3], double step,
                           const double n[3], int axis) {
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int turn = 0; turn < 2; turn++, u = (axis + 2) % 3, v = (axis + 1) % 3)
        for (int i = 0; i <= (int)n[u]; i++) {
            double a[3] = {low[0], low[1], low[2]}, b[3];
            a[u] += i * step;
            memcpy(b, a, sizeof b);
            b[v] += n[v] * step;
            line(p, l, (firn_vec3){a[0], a[1], a[2]}, (firn_vec3){b[0], b[1], b[2]}, &cell_ink);
        }
}

// The floor of the wind's grid and the two sides behind.
static void wind_cells(marks_picture *p, const lens *l, const firn_world *world) {
    // Position of the first value, distance, numbers; pictures may have fewer values than cells.
    firn_field f = firn_world_field(world, "wind.grid");
    double low[3], n[3], edge = value_of(world, "wind.cell");
    if (!f.data || f.type != FIRN_F64 || f.count * f.components < 7 || !(edge > 0)) return;
    const double *grid = f.data;
    for (int k = 0; k < 3; k++) {
        low[k] = grid[k] - 0.5 * grid[3];
        n[k] = fmin(round(grid[4 + k] * grid[3] / edge), 512);
    }
    for (int axis = 0; axis < 3; axis++) plane_of_cells(p, l, low, edge, n, axis);
}

// Of the snow field: on its surface, around what the camera looks at.
static void field_cells(marks_picture *p, const lens *l, const firn_world *world) {
    enum { REACH = 32, SIDE = 2 * REACH + 1 };
    firn_snowfield f;
    static const firn_vec3 none = {0};
    firn_vec3 at[SIDE][SIDE];
    if (firn_world_snowfield(world, &f) != FIRN_OK) return;
    double cx = floor((p->camera.to.x - f.x0) / f.cell), cz = floor((p->camera.to.z - f.z0) / f.cell);
    for (int k = 0; k < SIDE; k++)
        for (int i = 0; i < SIDE; i++) {
            double x = cx + i - REACH, z = cz + k - REACH;
            bool inside = x >= 0 && z >= 0 && x <= f.nx && z <= f.nz;
            at[k][i] = (firn_vec3){f.x0 + x * f.cell, 0, f.z0 + z * f.cell};
            at[k][i].y = inside ? firn_snowfield_surface(&f, at[k][i].x, at[k][i].z) : (double)NAN;
        }
    for (int k = 0; k < SIDE; k++)
        for (int i = 0; i < SIDE; i++) {
            firn_vec3 a = at[k][i], b = i + 1 < SIDE ? at[k][i + 1] : none,
                      c = k + 1 < SIDE ? at[k + 1][i] : none;
            if (i + 1 < SIDE && isfinite(a.y) && isfinite(b.y)) line(p, l, a, b, &cell_ink);
            if (k + 1 < SIDE && isfinite(a.y) && isfinite(c.y)) line(p, l, a, c, &cell_ink);
        }
}

void marks_grid(marks_picture *p, const firn_world *world, marks_cells *out) {
    static const char *const models[] = {"mpm", "grains", "phase", "pbd"};
    lens l = lens_of(p);
    *out = (marks_cells){0};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) particle_cells(p, &l, world, models[i], out);
    wind_cells(p, &l, world);
    field_cells(p, &l, world);
}

// ---- Cameras, and what went wrong.

// A pyramid as large as a hand, or a twentieth of the distance.
void marks_camera(marks_picture *p, const firn_camera *camera) {
    marks_picture seen = {.width = 16, .height = 9, .camera = *camera};
    lens l = lens_of(p), own = lens_of(&seen);
    firn_vec3 away = minus(camera->from, p->camera.from), corner[4];
    double size = 0.05 * sqrt(dot(away, away));
    if (size < 1e-3) return; // it is this one
    for (int i = 0; i < 4; i++) {
        double x = (i == 1 || i == 2 ? 8 : -8) / own.scale, y = (i < 2 ? 4.5 : -4.5) / own.scale;
        corner[i] = along(camera->from,
                          (firn_vec3){camera->from.x + own.forward.x + x * own.right.x + y * own.up.x,
                                      camera->from.y + own.forward.y + x * own.right.y + y * own.up.y,
                                      camera->from.z + own.forward.z + x * own.right.z + y * own.up.z},
                          size);
    }
    for (int i = 0; i < 4; i++) {
        line(p, &l, camera->from, corner[i], &camera_ink);
        line(p, &l, corner[i], corner[(i + 1) % 4], &camera_ink);
    }
}

bool marks_item(marks_picture *p, const firn_world *world, const char *model, uint64_t item) {
    lens l = lens_of(p);
    firn_field at = field_of(world, model, "position");
    firn_vec3 place;
    if (strcmp(model, "bodies") == 0 && item < firn_world_body_count(world))
        place = firn_world_body_state(world, (size_t)item).position;
    else if (!place_of(&at, (size_t)item, &place))
        return false;
    ring(p, &l, place, 14, &culprit_ink);
    return ring(p, &l, place, 20, &culprit_ink);
}
