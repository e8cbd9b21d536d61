// The snow at the start as the cover of the wind of an earlier run.
#include "snowfield/snowfield_state.h"

#include <math.h>

#include "base/file.h"
#include "par/par.h"

// Linear between the middles of the cover's columns.
static double between(const snow_map *m, const float *value, double u, double v) {
    u = fmin(fmax(u - 0.5, 0), m->nx - 1.0);
    v = fmin(fmax(v - 0.5, 0), m->nz - 1.0);
    int32_t i = (int32_t)u, j = (int32_t)v, i1 = int_min(i + 1, m->nx - 1), j1 = int_min(j + 1, m->nz - 1);
    double a = u - i, b = v - j;
    const float *top = value + (size_t)j * (size_t)m->nx, *bottom = value + (size_t)j1 * (size_t)m->nx;
    return (1 - b) * ((1 - a) * (double)top[i] + a * (double)top[i1]) +
           b * ((1 - a) * (double)bottom[i] + a * (double)bottom[i1]);
}

// Middle of a cell of the field, in columns of the cover.
static void place_in(const snowfield_state *s, int32_t x, int32_t z, double *u, double *v) {
    const snow_map *m = &s->start.cover;
    *u = (s->x0 + (x + 0.5) * s->def.cell - m->x0) / m->cell;
    *v = (s->z0 + (z + 0.5) * s->def.cell - m->z0) / m->cell;
}

void snowfield_cover_column(const snowfield_state *s, int32_t x, int32_t z, int32_t *mass, float *density) {
    const snow_map *m = &s->start.cover;
    double u, v;
    place_in(s, x, z, &u, &v);
    double kg = s->start.share * between(m, m->mass, u, v), depth = between(m, m->depth, u, v);
    *mass = (int32_t)fmin(rint(kg / MASS_UNIT), MASS_MOST);
    if (depth > 0) *density = fminf(fmaxf((float)(kg / depth), s->law.density_min), s->law.densest);
}

bool snowfield_cover_stands(const snowfield_state *s, int32_t x, int32_t z, double ground) {
    const snow_map *m = &s->start.cover;
    double u, v;
    if (!m->mass) return false;
    place_in(s, x, z, &u, &v);
    int32_t i = int_min(int_max((int32_t)u, 0), m->nx - 1), j = int_min(int_max((int32_t)v, 0), m->nz - 1);
    size_t at = (size_t)j * (size_t)m->nx + (size_t)i;
    return (double)(m->height[at] - m->depth[at]) > ground + m->cell;
}

// Mass (kg/m2) times area (columns of the cover) of the part of it that the field covers.
static double mass_below(const snowfield_state *s) {
    const snow_map *m = &s->start.cover;
    double u0 = (s->x0 - m->x0) / m->cell, u1 = u0 + s->nx * s->def.cell / m->cell;
    double v0 = (s->z0 - m->z0) / m->cell, v1 = v0 + s->nz * s->def.cell / m->cell, sum = 0;
    for (int32_t j = 0; j < m->nz; j++) {
        for (int32_t i = 0; i < m->nx; i++) {
            double w = fmax(fmin(u1, i + 1) - fmax(u0, i), 0), h = fmax(fmin(v1, j + 1) - fmax(v0, j), 0);
            sum += w * h * (double)m->mass[(size_t)j * (size_t)m->nx + (size_t)i];
        }
    }
    return sum;
}

static double row_between(void *context, size_t begin, size_t end) {
    const snowfield_state *s = context;
    double sum = 0, u, v;
    for (size_t z = begin; z < end; z++) {
        for (int32_t x = 0; x < s->nx; x++) {
            place_in(s, x, (int32_t)z, &u, &v);
            sum += between(&s->start.cover, s->start.cover.mass, u, v);
        }
    }
    return sum;
}

static firn_status check_area(const snowfield_state *s, const char *frame) {
    const snow_map *m = &s->start.cover;
    double x1 = s->x0 + s->nx * s->def.cell, z1 = s->z0 + s->nz * s->def.cell, slack = s->def.cell;
    if (s->x0 >= m->x0 - slack && s->z0 >= m->z0 - slack && x1 <= m->x0 + m->nx * m->cell + slack &&
        z1 <= m->z0 + m->nz * m->cell + slack)
        return FIRN_OK;
    return fail(FIRN_BAD_INPUT,
                "field: snow_from: the cover in '%s' extends from x = %g to %g m and z = %g to %g m, the "
                "field from x = %g to %g m and z = %g to %g m; make it smaller, or move it with `at`",
                frame, m->x0, m->x0 + m->nx * m->cell, m->z0, m->z0 + m->nz * m->cell, s->x0, x1, s->z0, z1);
}

firn_status snowfield_start_cover(snowfield_state *s, const char *frame) {
    char path[PATH_ROOM];
    path_join(s->setting.folder ? s->setting.folder : ".", frame, path, sizeof path);
    TRY(snow_map_read(path, &s->start.cover));
    TRY(check_area(s, path));
    s->start.share = 1;
    double area = s->start.cover.cell / s->def.cell, have = par_sum((size_t)s->nz, 64, row_between, s);
    if (have > 0) s->start.share = mass_below(s) * area * area / have;
    return FIRN_OK;
}
