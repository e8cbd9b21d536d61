// The volume of a whole solid: C = det F - 1, F the linear map that fits its particles best. Energy
// K V C^2 / 2 with the bulk modulus K, so the compliance is 1 / (K V). The gradient of particle i is linear
// in its place in the undeformed solid: B r_i with B = cof(F) Q^-1, Q = sum r r^T; they add up to zero,
// and det F does not depend on rotations: momentum and angular momentum are conserved.
#include "pbd/pbd_cluster.h"

#include <math.h>
#include <string.h>

#include "par/par.h"
#include "pbd/pbd_kinds.h"

static bool wanted(const firn_pbd_solid_def *solid) { return solid->volume_stiffness > 0; }

static void changed(pbd *s, void *data, const firn_pbd_def *def, const model_setting *setting) {
    (void)s;
    (void)setting;
    pbd_clusters *set = data;
    for (size_t k = 0; k < set->count; k++) {
        pbd_cluster *c = &set->item[k];
        const firn_pbd_solid_def *solid = &def->solids.items[c->group];
        c->compliance = pbd_compliance(def, solid->volume_stiffness * c->volume, solid->plain_stiffness);
    }
}

static firn_status create(pbd *s, const firn_pbd_def *def, const body_set *bodies, void **data) {
    (void)bodies;
    pbd_clusters *set;
    firn_status status = pbd_clusters_create(s, def, wanted, false, &set);
    *data = set;
    if (status != FIRN_OK || !set) return status;
    TRY(pbd_clusters_loaded(s, set));
    for (size_t k = 0; k < set->count; k++) {
        pbd_cluster *c = &set->item[k];
        const firn_pbd_solid_def *solid = &def->solids.items[c->group];
        if (c->inverse_second[0][0] == 0)
            return fail(FIRN_BAD_INPUT, "pbd.solids.%s: a flat or thin solid has no volume to conserve",
                        solid->name ? solid->name : "solid");
    }
    changed(s, set, def, &s->setting);
    return FIRN_OK;
}

double pbd_volume_value(const pbd *s, const pbd_cluster *c, double grad[3][3]) {
    pbd_cluster_pose pose = pbd_cluster_find(s, c);
    double map[3][3], cofactor[3][3];
    pbd_matrix_multiply(pose.moment, (double(*)[3])c->inverse_second, map);
    double det = pbd_matrix_cofactor(map, cofactor);
    pbd_matrix_multiply(cofactor, (double(*)[3])c->inverse_second, grad);
    return det - 1;
}

typedef struct volume_work {
    pbd *s;
    const pbd_cluster *c;
    double grad[3][3]; // times the step of the multiplier
    bool in_place;
} volume_work;

static void move_block(void *context, size_t begin, size_t end) {
    volume_work *w = context;
    for (size_t i = begin; i < end; i++) {
        size_t p = w->c->first + i;
        float *to = w->in_place ? w->s->p.q[p] : w->s->p.delta[p];
        firn_vec3 g = pbd_matrix_times(w->grad, pbd_cluster_arm(w->s, w->c, i));
        double own = (double)w->s->p.q[p][3];
        to[0] += (float)(own * g.x), to[1] += (float)(own * g.y), to[2] += (float)(own * g.z);
    }
}

// Sum of w |gradient|^2.
static double sum_w_grad2(const pbd *s, const pbd_cluster *c, double grad[3][3]) {
    double sum = 0;
    for (size_t i = 0; i < c->count; i++)
        sum +=
            dvec_length2(pbd_matrix_times(grad, pbd_cluster_arm(s, c, i))) * (double)s->p.q[c->first + i][3];
    return sum;
}

static double most_constraints(const pbd *s, const pbd_cluster *c) {
    float most = 1;
    for (size_t i = 0; i < c->count; i++) most = fmaxf(most, s->p.constraints[c->first + i]);
    return (double)most;
}

static void project_all(pbd *s, pbd_clusters *set, const pbd_pass *pass, bool in_place) {
    for (size_t k = 0; k < set->count; k++) {
        volume_work work = {s, &set->item[k], {{0}}, in_place};
        double value = pbd_volume_value(s, work.c, work.grad), *all = &work.grad[0][0];
        double alpha = pass->plain ? 0 : work.c->compliance / (pass->dt * pass->dt);
        double weight = sum_w_grad2(s, work.c, work.grad) + alpha,
               share = pass->plain ? work.c->compliance : 1;
        if (!(weight > 0)) continue;
        double step = -(share * value + alpha * (double)set->lambda[k][0]) / weight;
        if (!in_place) step *= (double)pass->relax / most_constraints(s, work.c);
        set->lambda[k][0] += (float)step;
        for (int e = 0; e < 9; e++) all[e] *= step;
        par_for(work.c->count, PBD_BLOCK, move_block, &work);
    }
}

static void project(pbd *s, void *data, const pbd_pass *pass) { project_all(s, data, pass, true); }
static void jacobi(pbd *s, void *data, const pbd_pass *pass) { project_all(s, data, pass, false); }

// The XPBD residual: C + compliance times multiplier.
static void residual(pbd *s, void *data, const pbd_pass *pass, pbd_residual *out) {
    const pbd_clusters *set = data;
    for (size_t k = 0; k < set->count; k++) {
        const pbd_cluster *c = &set->item[k];
        double grad[3][3], alpha = pass->plain ? 0 : c->compliance / (pass->dt * pass->dt);
        double error = fabs(pbd_volume_value(s, c, grad) + alpha * (double)set->lambda[k][0]);
        out->largest = fmax(out->largest, error);
        out->sum2 += error * error;
        out->count++;
    }
}

static firn_status remake(pbd *s, const firn_pbd_def *def, const pbd_solid_change *change, void **data) {
    (void)change;
    *data = NULL;
    return create(s, def, s->bodies, data);
}

const pbd_kind pbd_volume = {
    .name = "volume",
    .unit = "",
    .create = create,
    .destroy = pbd_clusters_destroy,
    .changed = changed,
    .find = pbd_clusters_find,
    .count_constraints = pbd_clusters_count_constraints,
    .project = project,
    .jacobi = jacobi,
    .residual = residual,
    .loaded = pbd_clusters_loaded,
    .remake = remake,
};
