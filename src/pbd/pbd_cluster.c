// Centre of mass, rotation and stretch of whole solids (Müller 2005).
#include "pbd/pbd_cluster.h"
#include "pbd/pbd_material.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

enum { BLOCK = 512 };

void pbd_matrix_multiply(double a[3][3], double b[3][3], double m[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) m[i][k] = a[i][0] * b[0][k] + a[i][1] * b[1][k] + a[i][2] * b[2][k];
}

firn_vec3 pbd_matrix_times(double m[3][3], firn_vec3 v) {
    return dvec(m[0][0] * v.x + m[0][1] * v.y + m[0][2] * v.z, m[1][0] * v.x + m[1][1] * v.y + m[1][2] * v.z,
                m[2][0] * v.x + m[2][1] * v.y + m[2][2] * v.z);
}

double pbd_matrix_cofactor(double a[3][3], double m[3][3]) {
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
            m[i][k] = a[i1][k1] * a[i2][k2] - a[i1][k2] * a[i2][k1];
        }
    return a[0][0] * m[0][0] + a[0][1] * m[0][1] + a[0][2] * m[0][2];
}

void pbd_clusters_destroy(void *data) {
    pbd_clusters *c = data;
    if (!c) return;
    mem_free(c->item);
    mem_free(c->lambda);
    mem_free(c);
}

firn_status pbd_clusters_create(const pbd *s, const firn_pbd_def *def,
                                bool (*wanted)(const firn_pbd_solid_def *solid), bool by_particle,
                                pbd_clusters **out) {
    size_t count = 0;
    *out = NULL;
    for (size_t k = 0; k < def->solids.count; k++)
        count += s->groups[k].count > 0 && wanted(&def->solids.items[k]);
    if (count == 0) return FIRN_OK;
    pbd_clusters *c = mem_zero(1, sizeof *c);
    if (!c) return fail_memory("creating clusters", sizeof *c);
    *out = c;
    c->lambdas = by_particle ? s->p.solids : count;
    c->item = mem_zero(count, sizeof *c->item);
    c->lambda = mem_zero(c->lambdas, sizeof *c->lambda);
    if (!c->item || !c->lambda) return fail_memory("creating clusters", c->lambdas * sizeof *c->lambda);
    for (size_t k = 0; k < def->solids.count; k++) {
        const pbd_group *g = &s->groups[k];
        if (g->count == 0 || !wanted(&def->solids.items[k])) continue;
        double volume = g->mass * (double)g->count / pbd_material_of(&def->solids.items[k], 3).density;
        c->item[c->count++] =
            (pbd_cluster){.first = g->first, .count = g->count, .group = (uint32_t)k, .volume = volume};
    }
    return FIRN_OK;
}

// All particles of a solid have the same mass: it cancels.
static void second_moment(const pbd *s, const pbd_cluster *c, double m[3][3]) {
    memset(m, 0, 9 * sizeof(double));
    for (size_t i = 0; i < c->count; i++) {
        firn_vec3 arm = pbd_cluster_arm(s, c, i);
        const double r[3] = {arm.x, arm.y, arm.z};
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) m[a][b] += r[a] * r[b];
    }
}

// Where the particles are; those of a solid that was removed are nowhere.
static void find_particles(const pbd *s, pbd_clusters *set) {
    size_t kept = 0;
    for (size_t k = 0; k < set->count; k++) {
        pbd_cluster c = set->item[k];
        c.first = s->groups[c.group].first, c.count = s->groups[c.group].count;
        if (c.count > 0) set->item[kept++] = c;
    }
    set->count = kept;
}

firn_status pbd_clusters_loaded(pbd *s, void *data) {
    pbd_clusters *set = data;
    find_particles(s, set);
    for (size_t k = 0; k < set->count; k++) {
        pbd_cluster *c = &set->item[k];
        firn_vec3 sum = {0, 0, 0};
        double second[3][3], cofactor[3][3];
        for (size_t i = 0; i < c->count; i++) sum = dvec_add(sum, pbd_at(s->p.rest[c->first + i]));
        c->centre = dvec_scale(sum, 1 / (double)c->count);
        second_moment(s, c, second);
        double trace = second[0][0] + second[1][1] + second[2][2];
        double det = pbd_matrix_cofactor(second, cofactor);
        c->mean2 = trace / (double)c->count;
        bool flat = !(det > 1e-9 * trace * trace * trace);
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) c->inverse_second[a][b] = flat ? 0 : cofactor[b][a] / det;
    }
    return FIRN_OK;
}

typedef struct pose_work {
    const pbd *s;
    const pbd_cluster *c;
} pose_work;

typedef struct pose_sum {
    double q[3], moment[3][3];
} pose_sum;

// Sum q and q r^T: the centre can be subtracted afterwards, since the arms r add up to zero.
static void add_pose(void *context, size_t begin, size_t end, void *partial) {
    const pose_work *w = context;
    pose_sum *sum = partial;
    for (size_t i = begin; i < end; i++) {
        const float *q = w->s->p.q[w->c->first + i];
        firn_vec3 arm = pbd_cluster_arm(w->s, w->c, i);
        const double r[3] = {arm.x, arm.y, arm.z};
        for (int a = 0; a < 3; a++) {
            sum->q[a] += (double)q[a];
            for (int b = 0; b < 3; b++) sum->moment[a][b] += (double)q[a] * r[b];
        }
    }
}

static void join_poses(void *into, const void *from) {
    double *a = into;
    const double *b = from;
    for (size_t k = 0; k < sizeof(pose_sum) / sizeof(double); k++) a[k] += b[k];
}

pbd_cluster_pose pbd_cluster_find(const pbd *s, const pbd_cluster *c) {
    pose_work work = {s, c};
    pose_sum sum = {{0}, {{0}}};
    if (par_reduce(c->count, BLOCK, sizeof sum, add_pose, join_poses, &work, &sum) != FIRN_OK)
        for (size_t begin = 0; begin < c->count; begin += BLOCK) { // no memory: the same sums one by one
            pose_sum part = {{0}, {{0}}};
            add_pose(&work, begin, begin + BLOCK < c->count ? begin + BLOCK : c->count, &part);
            join_poses(&sum, &part);
        }
    pbd_cluster_pose pose;
    double share = 1 / (double)c->count;
    pose.centre = dvec(sum.q[0] * share, sum.q[1] * share, sum.q[2] * share);
    memcpy(pose.moment, sum.moment, sizeof pose.moment);
    return pose;
}

firn_status pbd_clusters_find(pbd *s, void *data, const pbd_pass *pass) {
    (void)s;
    (void)pass;
    pbd_clusters *set = data;
    memset(set->lambda, 0, set->lambdas * sizeof *set->lambda);
    return FIRN_OK;
}

void pbd_clusters_count_constraints(pbd *s, void *data) {
    const pbd_clusters *set = data;
    for (size_t k = 0; k < set->count; k++)
        for (size_t i = 0; i < set->item[k].count; i++) s->p.constraints[set->item[k].first + i]++;
}
