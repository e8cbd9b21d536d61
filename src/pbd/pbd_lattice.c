// Finds the lattice that the particles of a solid form, from where they are in the undeformed solid.
#include "pbd/pbd_lattice.h"

#include <math.h>
#include <stdlib.h>

static const double SAME_LAYER = 0.05; // of the spacing: rounding of positions
static const double MOST_PLACES = 5e8;

void pbd_lattice_free(pbd_lattice *l) {
    mem_free(l->at);
    mem_free(l->cell);
    *l = (pbd_lattice){0};
}

static int compare(const void *a, const void *b) {
    const float *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

// Layers of coordinates: their number and distance. `sorted` is scratch.
static void find_layers(float (*at)[3], int axis, size_t count, double spacing, float *sorted, size_t *n,
                        double *edge) {
    for (size_t i = 0; i < count; i++) sorted[i] = at[i][axis];
    qsort(sorted, count, sizeof *sorted, compare);
    double gap = INFINITY, range = (double)sorted[count - 1] - (double)sorted[0];
    for (size_t i = 1; i < count; i++) {
        double d = (double)sorted[i] - (double)sorted[i - 1];
        if (d > SAME_LAYER * spacing) gap = fmin(gap, d);
    }
    *n = gap < INFINITY ? (size_t)lround(range / gap) + 1 : 1;
    *edge = *n > 1 ? range / (double)(*n - 1) : 0;
    for (size_t i = 0; i < count; i++) at[i][axis] -= sorted[0];
}

static firn_status put_in_places(pbd_lattice *l, const float (*at)[3], const pbd_group *group,
                                 const firn_pbd_solid_def *def) {
    for (size_t i = 0; i < group->count; i++) {
        int64_t place[3];
        for (int a = 0; a < 3; a++) {
            double where = l->edge[a] > 0 ? (double)at[i][a] / l->edge[a] : 0;
            place[a] = llround(where);
            if (fabs(where - (double)place[a]) > 0.1 || place[a] >= (int64_t)l->n[a])
                return fail(FIRN_BAD_INPUT, "pbd.solids.%s: elastic solids need particles in a lattice",
                            def->name ? def->name : "solid");
        }
        l->at[pbd_lattice_index(l, place)] = (uint32_t)(group->first + i);
    }
    return FIRN_OK;
}

static bool has_cell(const pbd_lattice *l, const int64_t place[3]) {
    for (int k = 0; k < 8; k++) {
        int64_t corner[3];
        for (int a = 0; a < 3; a++) corner[a] = place[a] + (l->n[a] > 1 ? k >> a & 1 : 0);
        if (pbd_lattice_particle(l, corner) == PBD_NOBODY) return false;
    }
    return true;
}

static firn_status make(pbd_lattice *l, float (*at)[3], float *sorted, const pbd_group *group,
                        const firn_pbd_solid_def *def) {
    double places = 1;
    for (int a = 0; a < 3; a++) {
        find_layers(at, a, group->count, def->spacing, sorted, &l->n[a], &l->edge[a]);
        places *= (double)l->n[a];
        l->dimensions += l->n[a] > 1;
    }
    if (places > MOST_PLACES)
        return fail(FIRN_BAD_INPUT, "pbd.solids.%s: its particles form no lattice, or one that is too large",
                    def->name ? def->name : "solid");
    size_t all = l->n[0] * l->n[1] * l->n[2];
    l->at = mem_alloc(all * sizeof *l->at);
    l->cell = mem_zero(all, sizeof *l->cell);
    if (!l->at || !l->cell) return fail_memory("finding the cells of a solid", all * sizeof *l->at);
    for (size_t i = 0; i < all; i++) l->at[i] = PBD_NOBODY;
    TRY(put_in_places(l, (const float(*)[3])at, group, def));
    for (size_t i = 0; i < all; i++) {
        int64_t place[3];
        pbd_lattice_place(l, i, place);
        l->cell[i] = l->dimensions > 0 && has_cell(l, place);
    }
    return FIRN_OK;
}

firn_status pbd_lattice_create(const pbd *s, const firn_pbd_solid_def *def, const pbd_group *group,
                               pbd_lattice *out) {
    *out = (pbd_lattice){0};
    float(*at)[3] = mem_alloc((group->count + 1) * sizeof *at);
    float *sorted = mem_alloc((group->count + 1) * sizeof *sorted);
    firn_status status =
        at && sorted ? FIRN_OK : fail_memory("finding the cells of a solid", group->count * 16);
    firn_quat rotation = dquat_from_angles(def->fill.rotate);
    for (size_t i = 0; i < group->count && status == FIRN_OK; i++) {
        firn_vec3 own = dquat_rotate_back(rotation, pbd_at(s->p.rest[group->first + i]));
        at[i][0] = (float)own.x, at[i][1] = (float)own.y, at[i][2] = (float)own.z;
    }
    if (status == FIRN_OK) status = make(out, at, sorted, group, def);
    mem_free(at);
    mem_free(sorted);
    if (status != FIRN_OK) pbd_lattice_free(out);
    return status;
}

bool pbd_lattice_is_corner(const pbd_lattice *l, const int64_t place[3]) {
    for (int k = 0; k < 8; k++) {
        int64_t low[3];
        for (int a = 0; a < 3; a++) low[a] = place[a] - (l->n[a] > 1 ? k >> a & 1 : 0);
        if (pbd_lattice_cell(l, low)) return true;
    }
    return false;
}
