// Whole solids: centre of mass, rotation and stretch (pbd_cluster.c).
#ifndef PBD_PBD_CLUSTER_H
#define PBD_PBD_CLUSTER_H

#include "pbd/pbd_state.h"

// The particles of a solid, undeformed.
typedef struct pbd_cluster {
    size_t first, count;
    uint32_t group;
    firn_vec3 centre;            // m, of mass, at rest
    double inverse_second[3][3]; // of sum r r^T over the particles, 1/m2; r from the centre
    double mean2;                // m2, mean of r r
    double volume;               // m3
    double compliance;           // or share of the error with plain PBD
} pbd_cluster;

// Where it is now: the centre, and the moment of the best linear map: sum (q - centre) r^T.
typedef struct pbd_cluster_pose {
    firn_vec3 centre;
    double moment[3][3];
} pbd_cluster_pose;

// Clusters of the solids that `wanted` picks.
typedef struct pbd_clusters {
    pbd_cluster *item;
    size_t count;
    float (*lambda)[3]; // by particle of a matched shape; by cluster of a volume the first number
    size_t lambdas;
} pbd_clusters;
firn_status pbd_clusters_create(const pbd *s, const firn_pbd_def *def,
                                bool (*wanted)(const firn_pbd_solid_def *solid), bool by_particle,
                                pbd_clusters **out);
void pbd_clusters_destroy(void *data);
// Functions of a pbd_kind. `loaded` measures the undeformed solids, which may have come from a file.
firn_status pbd_clusters_loaded(pbd *s, void *data);
firn_status pbd_clusters_find(pbd *s, void *data, const pbd_pass *pass);
void pbd_clusters_count_constraints(pbd *s, void *data);
pbd_cluster_pose pbd_cluster_find(const pbd *s, const pbd_cluster *c);
// m = a b, and other operations on 3x3 matrices, m[row][column].
void pbd_matrix_multiply(double a[3][3], double b[3][3], double m[3][3]);
firn_vec3 pbd_matrix_times(double m[3][3], firn_vec3 v);
double pbd_matrix_cofactor(double a[3][3], double m[3][3]); // returns the determinant

static inline firn_vec3 pbd_cluster_arm(const pbd *s, const pbd_cluster *c, size_t i) {
    return dvec_sub(pbd_at(s->p.rest[c->first + i]), c->centre);
}

// pbd_volume.c: det of the best linear map, less 1; the gradient of particle i is `grad` times its arm.
double pbd_volume_value(const pbd *s, const pbd_cluster *c, double grad[3][3]);
// pbd_shape.c: the rotation that fits best.
void pbd_shape_rotation(const pbd_cluster_pose *pose, double rotation[3][3]);

#endif
