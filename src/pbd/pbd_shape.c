// Shape matching (Mueller et al. 2005): each particle is pulled to its goal position, that of the undeformed
// solid moved and rotated to fit best. As XPBD: a spring of the given stiffness to the goal, with a
// multiplier of three components per particle; centre of mass and angular momentum are conserved.
#include "pbd/pbd_cluster.h"

#include <math.h>
#include <string.h>

#include "math/svd3.h"
#include "par/par.h"
#include "pbd/pbd_kinds.h"

static bool wanted(const firn_pbd_solid_def *solid) { return solid->links == FIRN_PBD_SHAPE; }

static void changed(pbd *s, void *data, const firn_pbd_def *def, const model_setting *setting) {
    (void)s;
    (void)setting;
    pbd_clusters *set = data;
    for (size_t k = 0; k < set->count; k++) {
        const firn_pbd_solid_def *solid = &def->solids.items[set->item[k].group];
        set->item[k].compliance = pbd_compliance(def, solid->stiffness, solid->plain_stiffness);
    }
}

static firn_status create(pbd *s, const firn_pbd_def *def, const body_set *bodies, void **data) {
    (void)bodies;
    pbd_clusters *set;
    firn_status status = pbd_clusters_create(s, def, wanted, true, &set);
    *data = set;
    if (status != FIRN_OK || !set) return status;
    changed(s, set, def, &s->setting);
    return pbd_clusters_loaded(s, set);
}

void pbd_shape_rotation(const pbd_cluster_pose *pose, double rotation[3][3]) {
    double size = 1e-30;
    for (int k = 0; k < 9; k++) size = fmax(size, fabs(pose->moment[k / 3][k % 3]));
    vec3 column[3];
    for (int k = 0; k < 3; k++)
        column[k] = vec3_of((float)(pose->moment[0][k] / size), (float)(pose->moment[1][k] / size),
                            (float)(pose->moment[2][k] / size));
    svd3 f = svd3_of(mat3_of(column[0], column[1], column[2]));
    mat3 r =
        mat3_multiply_transposed(f.u, f.v); // u and v are rotations: so is this, also for an inverted solid
    const vec3 out[3] = {r.x, r.y, r.z};
    for (int k = 0; k < 3; k++)
        rotation[0][k] = (double)out[k].x, rotation[1][k] = (double)out[k].y,
        rotation[2][k] = (double)out[k].z;
}

typedef struct shape_work {
    pbd *s;
    const pbd_pass *pass;
    pbd_clusters *set;
    const pbd_cluster *c;
    pbd_cluster_pose pose;
    double rotation[3][3];
    bool in_place;
} shape_work;

static firn_vec3 goal_of(const shape_work *w, size_t i) {
    return dvec_add(w->pose.centre,
                    pbd_matrix_times((double(*)[3])w->rotation, pbd_cluster_arm(w->s, w->c, i)));
}

static void match_block(void *context, size_t begin, size_t end) {
    shape_work *w = context;
    bool plain = w->pass->plain;
    double alpha = plain ? 0 : w->c->compliance / (w->pass->dt * w->pass->dt),
           share = plain ? w->c->compliance : 1;
    for (size_t i = begin; i < end; i++) {
        size_t p = w->c->first + i;
        float *q = w->s->p.q[p], *lambda = w->set->lambda[p], *to = w->in_place ? q : w->s->p.delta[p];
        double own = (double)q[3],
               step = w->in_place ? 1 : (double)(w->pass->relax / fmaxf(w->s->p.constraints[p], 1));
        firn_vec3 error = dvec_sub(pbd_at(q), goal_of(w, i)), before = pbd_at(lambda);
        firn_vec3 wanted_step = dvec_add_scaled(dvec_scale(error, share), before, alpha);
        if (!(own + alpha > 0)) continue;
        firn_vec3 change = dvec_scale(wanted_step, -step / (own + alpha));
        lambda[0] += (float)change.x, lambda[1] += (float)change.y, lambda[2] += (float)change.z;
        to[0] += (float)(own * change.x), to[1] += (float)(own * change.y), to[2] += (float)(own * change.z);
    }
}

static void match_all(pbd *s, pbd_clusters *set, const pbd_pass *pass, bool in_place) {
    for (size_t k = 0; k < set->count; k++) {
        shape_work work = {.s = s, .pass = pass, .set = set, .c = &set->item[k], .in_place = in_place};
        work.pose = pbd_cluster_find(s, work.c);
        pbd_shape_rotation(&work.pose, work.rotation);
        par_for(work.c->count, PBD_BLOCK, match_block, &work);
    }
}

static void project(pbd *s, void *data, const pbd_pass *pass) { match_all(s, data, pass, true); }
static void jacobi(pbd *s, void *data, const pbd_pass *pass) { match_all(s, data, pass, false); }

static void residual(pbd *s, void *data, const pbd_pass *pass, pbd_residual *out) {
    pbd_clusters *set = data;
    for (size_t k = 0; k < set->count; k++) {
        shape_work work = {.s = s, .pass = pass, .set = set, .c = &set->item[k], .in_place = true};
        double alpha = pass->plain ? 0 : work.c->compliance / (pass->dt * pass->dt);
        work.pose = pbd_cluster_find(s, work.c);
        pbd_shape_rotation(&work.pose, work.rotation);
        for (size_t i = 0; i < work.c->count; i++) {
            size_t p = work.c->first + i;
            firn_vec3 error = dvec_sub(pbd_at(s->p.q[p]), goal_of(&work, i));
            double e = dvec_length(dvec_add_scaled(error, pbd_at(set->lambda[p]), alpha));
            out->largest = fmax(out->largest, e);
            out->sum2 += e * e;
        }
        out->count += work.c->count;
    }
}

static firn_status remake(pbd *s, const firn_pbd_def *def, const pbd_solid_change *change, void **data) {
    (void)change;
    *data = NULL;
    return create(s, def, s->bodies, data);
}

const pbd_kind pbd_shape = {
    .name = "shape",
    .unit = "m",
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
