// Volume, centre and inertia by mesh integrals and by sampling.
#include <math.h>

#include "geom/shape_impl.h"
#include "par/par.h"

// Integrals of 1, x_i and x_i x_j over a solid.
typedef struct moments {
    double volume, first[3], second[3][3];
} moments;

static void from_moments(const moments *m, shape_mass *out) {
    *out = (shape_mass){.volume = m->volume};
    if (!(m->volume > 0)) return;
    double c[3], about[3][3];
    for (int i = 0; i < 3; i++) c[i] = m->first[i] / m->volume;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) about[i][j] = m->second[i][j] - m->volume * c[i] * c[j];
    }
    double trace = about[0][0] + about[1][1] + about[2][2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) out->inertia[i][j] = (i == j ? trace : 0) - about[i][j];
    }
    out->centre = (firn_vec3){c[0], c[1], c[2]};
}

// Each triangle and the middle of the box span a tetrahedron; those turned inwards count negative.
void mass_of_mesh(const mesh *m, shape_mass *out) {
    moments sum = {0};
    float low[3], high[3];
    mesh_bounds(m, low, high);
    double middle[3];
    for (int k = 0; k < 3; k++) middle[k] = ((double)low[k] + (double)high[k]) / 2;
    for (size_t t = 0; t < m->triangles; t++) {
        double p[3][3], s[3];
        for (int v = 0; v < 3; v++) {
            for (int k = 0; k < 3; k++) p[v][k] = (double)m->position[m->triangle[t][v]][k] - middle[k];
        }
        double volume = (p[0][0] * (p[1][1] * p[2][2] - p[1][2] * p[2][1]) +
                         p[0][1] * (p[1][2] * p[2][0] - p[1][0] * p[2][2]) +
                         p[0][2] * (p[1][0] * p[2][1] - p[1][1] * p[2][0])) /
                        6;
        for (int k = 0; k < 3; k++) s[k] = p[0][k] + p[1][k] + p[2][k];
        sum.volume += volume;
        for (int i = 0; i < 3; i++) {
            sum.first[i] += volume * s[i] / 4;
            for (int j = 0; j < 3; j++) {
                double products = s[i] * s[j];
                for (int v = 0; v < 3; v++) products += p[v][i] * p[v][j];
                sum.second[i][j] += volume * products / 20;
            }
        }
    }
    from_moments(&sum, out);
    out->centre.x += middle[0], out->centre.y += middle[1], out->centre.z += middle[2];
}

static double component(firn_vec3 v, int k) { return k == 0 ? v.x : k == 1 ? v.y : v.z; }

// Moves the inertia of `m` from its centre to one `off` away.
static void shift_inertia(shape_mass *m, const double off[3]) {
    double square = off[0] * off[0] + off[1] * off[1] + off[2] * off[2];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) m->inertia[i][j] += m->volume * ((i == j ? square : 0) - off[i] * off[j]);
    }
}

void mass_add(shape_mass *to, const shape_mass *from) {
    shape_mass other = *from;
    double volume = to->volume + other.volume, a[3], b[3], c[3];
    if (!(volume > 0)) return;
    for (int k = 0; k < 3; k++) {
        c[k] = (to->volume * component(to->centre, k) + other.volume * component(other.centre, k)) / volume;
        a[k] = component(to->centre, k) - c[k];
        b[k] = component(other.centre, k) - c[k];
    }
    shift_inertia(to, a);
    shift_inertia(&other, b);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) to->inertia[i][j] += other.inertia[i][j];
    }
    to->volume = volume;
    to->centre = (firn_vec3){c[0], c[1], c[2]};
}

enum { SAMPLES = 128, ROW_MOST = SAMPLES + 1 }; // along the longest edge

typedef struct sampling {
    distance_function distance;
    const void *context;
    firn_vec3 low, middle;
    double cell;
    size_t nx, ny;
} sampling;

// One row of cells along x.
static void sample_row(const sampling *s, size_t row, moments *sum) {
    float x[ROW_MOST], y[ROW_MOST], z[ROW_MOST], d[ROW_MOST];
    double py = s->low.y + s->cell * ((double)(row % s->ny) + 0.5),
           pz = s->low.z + s->cell * ((double)(row / s->ny) + 0.5);
    for (size_t i = 0; i < s->nx; i++) {
        x[i] = (float)(s->low.x + s->cell * ((double)i + 0.5));
        y[i] = (float)py, z[i] = (float)pz;
    }
    s->distance(s->context, s->nx, x, y, z, d);
    double cube = s->cell * s->cell * s->cell;
    for (size_t i = 0; i < s->nx; i++) {
        double share = fmin(fmax(0.5 - (double)d[i] / s->cell, 0), 1) * cube;
        double p[3] = {(double)x[i] - s->middle.x, py - s->middle.y, pz - s->middle.z};
        sum->volume += share;
        for (int a = 0; a < 3; a++) {
            sum->first[a] += share * p[a];
            for (int b = 0; b < 3; b++) sum->second[a][b] += share * p[a] * p[b];
        }
    }
}

static void sample_rows(void *context, size_t begin, size_t end, void *partial) {
    for (size_t row = begin; row < end; row++) sample_row(context, row, partial);
}

static void join_moments(void *into, const void *from) {
    moments *a = into;
    const moments *b = from;
    a->volume += b->volume;
    for (int i = 0; i < 3; i++) {
        a->first[i] += b->first[i];
        for (int j = 0; j < 3; j++) a->second[i][j] += b->second[i][j];
    }
}

firn_status mass_by_sampling(distance_function distance, const void *context, firn_vec3 low, firn_vec3 high,
                             shape_mass *out) {
    firn_vec3 size = {high.x - low.x, high.y - low.y, high.z - low.z};
    double cell = fmax(size.x, fmax(size.y, size.z)) / SAMPLES;
    size_t nx = (size_t)ceil(size.x / cell), ny = (size_t)ceil(size.y / cell),
           nz = (size_t)ceil(size.z / cell);
    if (nx > ROW_MOST) nx = ROW_MOST;
    firn_vec3 middle = {low.x + size.x / 2, low.y + size.y / 2, low.z + size.z / 2};
    sampling s = {distance, context, low, middle, cell, nx, ny};
    moments sum = {0};
    TRY(par_reduce(ny * nz, 64, sizeof sum, sample_rows, join_moments, &s, &sum));
    from_moments(&sum, out);
    out->centre.x += middle.x, out->centre.y += middle.y, out->centre.z += middle.z;
    return FIRN_OK;
}
