// Removal planes and the floor: particles that cross them are removed and counted.
#include "mpm/mpm_heat.h"
#include "mpm/mpm_ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "math/dvec.h"

firn_status mpm_create_planes(mpm_state *s, const firn_mpm_def *def) {
    s->plane_count = 1 + def->remove.count;
    s->planes = mem_zero(s->plane_count, sizeof *s->planes);
    if (!s->planes) return fail_memory("creating mpm", s->plane_count * sizeof *s->planes);
    mpm_set_planes(s, def);
    return FIRN_OK;
}

void mpm_set_planes(mpm_state *s, const firn_mpm_def *def) {
    s->planes[0] = (mpm_plane){{0, -1, 0}, -def->floor, true};
    for (size_t i = 0; i < def->remove.count; i++) {
        const firn_mpm_remove_def *plane = &def->remove.items[i];
        firn_vec3 n = dvec_normalise(plane->normal);
        s->planes[1 + i] = (mpm_plane){{n.x, n.y, n.z}, dvec_dot(n, plane->at), false};
    }
}

void mpm_copy_particle(mpm_particles *p, size_t to, size_t from) {
    memcpy(p->x[to], p->x[from], sizeof *p->x);
    memcpy(p->v[to], p->v[from], sizeof *p->v);
    memcpy(p->affine[to], p->affine[from], sizeof *p->affine);
    memcpy(p->strain[to], p->strain[from], sizeof *p->strain);
    memcpy(p->tau[to], p->tau[from], sizeof *p->tau);
    p->jp[to] = p->jp[from];
    p->id[to] = p->id[from];
    p->block[to] = p->block[from];
    p->material[to] = p->material[from];
    p->bond[to] = p->bond[from];
    if (p->rests) p->rest[to] = p->rest[from];
    if (p->keyed) p->key[to] = p->key[from];
    if (!p->thermal) return;
    p->enthalpy[to] = p->enthalpy[from];
    p->strength[to] = p->strength[from];
    p->healed[to] = p->healed[from];
}

static double beyond(const mpm_plane *plane, const double x[3]) {
    return plane->n[0] * x[0] + plane->n[1] * x[1] + plane->n[2] * x[2] - plane->offset;
}

// Whether a particle of a block may be beyond the plane: tests the block, enlarged by a cell for the motion
// of this step.
static bool may_cross(const mpm_state *s, const mpm_plane *plane, const int32_t block[3]) {
    double cell = s->def.cell, middle[3];
    for (int a = 0; a < 3; a++) middle[a] = cell * (BLOCK_EDGE * (double)block[a] + 0.5 * BLOCK_EDGE + 0.75);
    double half = cell * (0.5 * BLOCK_EDGE + 1.5);
    return beyond(plane, middle) + half * (fabs(plane->n[0]) + fabs(plane->n[1]) + fabs(plane->n[2])) > 0;
}

static firn_status list_if_beyond(mpm_state *s, const mpm_plane *plane, uint32_t particle, size_t *count) {
    if (!(beyond(plane, s->p.x[particle]) > 0)) return FIRN_OK;
    if (!array_reserve(&s->leaving, &s->leaving_capacity, *count + 1, sizeof *s->leaving))
        return fail_memory("removing mpm particles", (*count + 1) * sizeof *s->leaving);
    s->leaving[(*count)++] = particle;
    return FIRN_OK;
}

// lone: where in the list those without a grid begin.
static firn_status list_leaving(mpm_state *s, const mpm_plane *plane, size_t *count, size_t *lone) {
    const mpm_grid *g = &s->grid;
    for (size_t i = g->own_first; i < g->own_end; i++) {
        if (!may_cross(s, plane, g->map.at[g->occupied[i]])) continue;
        const mpm_block *b = &g->block[g->occupied[i]];
        for (uint32_t k = 0; k < b->count; k++) TRY(list_if_beyond(s, plane, g->order[b->first + k], count));
    }
    *lone = *count;
    for (size_t k = 0; k < s->lone_count; k++) TRY(list_if_beyond(s, plane, s->lone[k], count));
    return FIRN_OK;
}

static int compare_index(const void *a, const void *b) {
    uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
    return p < q ? -1 : p > q;
}

// The last particle replaces a removed one: from the highest index down, so that the last one is never itself
// to be removed.
void mpm_close_gaps(mpm_particles *p, const uint32_t *leaving, size_t count) {
    for (size_t i = count; i-- > 0;) {
        if (i + 1 < count && leaving[i] == leaving[i + 1]) continue; // beyond two planes
        if (leaving[i] != --p->count) mpm_copy_particle(p, leaving[i], p->count);
    }
}

void mpm_count_removed(mpm_state *s, size_t plane, uint32_t material, double enthalpy) {
    double mass = (double)s->materials[material].mass;
    s->counters.mass_out += mass;
    if (s->heat) s->heat->totals.sources -= mass * enthalpy;
    if (s->planes[plane].lost) s->counters.mass_lost += mass;
}

firn_status mpm_remove_particles(mpm_state *s) {
    size_t count = 0;
    for (size_t i = 0; i < s->plane_count; i++) {
        size_t before = count, lone;
        TRY(list_leaving(s, &s->planes[i], &count, &lone));
        for (size_t k = before; k < count; k++) {
            bool again = false;
            for (size_t j = 0; j < i; j++) again |= beyond(&s->planes[j], s->p.x[s->leaving[k]]) > 0;
            if (again) continue;
            uint32_t particle = s->leaving[k];
            if (s->ranks)
                mpm_ranks_note_removal(s, i, k >= lone, particle);
            else
                mpm_count_removed(s, i, s->p.material[particle], s->heat ? s->p.enthalpy[particle] : 0);
        }
    }
    if (count) qsort(s->leaving, count, sizeof *s->leaving, compare_index);
    mpm_close_gaps(&s->p, s->leaving, count);
    if (s->ranks) mpm_ranks_remove(s);
    return FIRN_OK;
}
