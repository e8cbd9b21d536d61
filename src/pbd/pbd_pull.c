// Impulses of constraints on single particles, from the multipliers of the sub-step: lambda grad C / dt.
#include "pbd/pbd_pull.h"

#include "pbd/pbd_batch.h"
#include "pbd/pbd_cluster.h"
#include "pbd/pbd_kinds.h"

static void add(firn_vec3 *pull, const uint32_t *slot, size_t particle, firn_vec3 impulse) {
    if (slot[particle] == UINT32_MAX) return;
    pull[slot[particle]] = dvec_add(pull[slot[particle]], impulse);
}

static void add_links(const pbd *s, const pbd_batch *b, double dt, const uint32_t *slot, firn_vec3 *pull) {
    for (size_t c = 0; c < b->count; c++) {
        uint32_t i = b->particle[c], j = b->particle[b->count + c];
        if (slot[i] == UINT32_MAX && slot[j] == UINT32_MAX) continue;
        firn_vec3 apart = dvec_sub(pbd_at(s->p.q[i]), pbd_at(s->p.q[j]));
        firn_vec3 impulse = dvec_scale(dvec_normalise(apart), (double)b->lambda[c] / dt);
        add(pull, slot, i, impulse);
        add(pull, slot, j, dvec_negate(impulse));
    }
}

static void add_shapes(const pbd_clusters *set, double dt, const uint32_t *slot, firn_vec3 *pull) {
    for (size_t k = 0; k < set->count; k++)
        for (size_t i = set->item[k].first; i < set->item[k].first + set->item[k].count; i++)
            add(pull, slot, i, dvec_scale(pbd_at(set->lambda[i]), 1 / dt));
}

static void add_volumes(const pbd *s, const pbd_clusters *set, double dt, const uint32_t *slot,
                        firn_vec3 *pull) {
    for (size_t k = 0; k < set->count; k++) {
        const pbd_cluster *c = &set->item[k];
        double grad[3][3];
        pbd_volume_value(s, c, grad);
        for (size_t i = 0; i < c->count; i++)
            add(pull, slot, c->first + i,
                dvec_scale(pbd_matrix_times(grad, pbd_cluster_arm(s, c, i)), (double)set->lambda[k][0] / dt));
    }
}

void pbd_add_pulls(const pbd *s, const pbd_pass *pass, const uint32_t *slot, firn_vec3 *pull) {
    const pbd_batch *links = pbd_data(s, &pbd_distance);
    const pbd_clusters *shapes = pbd_data(s, &pbd_shape), *volumes = pbd_data(s, &pbd_volume);
    if (links) add_links(s, links, pass->dt, slot, pull);
    if (shapes) add_shapes(shapes, pass->dt, slot, pull);
    if (volumes) add_volumes(s, volumes, pass->dt, slot, pull);
}
