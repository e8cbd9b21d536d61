// Shapes made by our own code: closed meshes of height 1 that stand on y = 0, their middle above the origin,
// facing +x.
#ifndef GEOM_PROC_H
#define GEOM_PROC_H

#include <firn/defs_bodies.h>

#include "geom/mesh.h"

// Another seed, a slightly different one: ears and head of the hare, arms, hat and head of the snowman,
// proportions of house and lamp. Seeds 0 and 1 give the plain one.
firn_status proc_hare(uint64_t seed, mesh *out);
firn_status proc_snowman(uint64_t seed, mesh *out);
firn_status proc_house(uint64_t seed,
                       mesh *out); // the ridge of its roof runs along x, the door is in the gable to +x
firn_status proc_lamp_post(uint64_t seed, mesh *out);                       // the arm reaches towards +x
firn_status proc_tree(uint64_t seed, firn_tree_species species, mesh *out); // a spruce, or bare with twigs
firn_status proc_rock(uint64_t seed, mesh *out);                            // worn, on a flat sole
// Pickets on the side of +z of posts and rails along x; length in heights.
#define FENCE_LEAST 0.5
#define FENCE_MOST 40.0
firn_status proc_fence(uint64_t seed, double length, mesh *out);
// The k-th number in [-1, 1] that a seed varies a generated shape by; 0 for the plain one.
double proc_variation(uint64_t seed, uint32_t k);

// Heights of smooth hills, nx x nz (x fastest), `cell` in units of the longest wave; least 0, most 1.
void proc_hills(uint32_t nx, uint32_t nz, double cell, uint64_t seed, float *heights);

#endif
