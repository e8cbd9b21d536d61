#include "bench/measure.h"

const bench_workload bench_workloads[] = {
    {"triad", "memory: a = b + s c over 192 MiB, one thread and all", bench_triad},
    {"fma", "arithmetic: fused multiply-adds in registers, one thread and all", bench_fma},
    {"scan", "exclusive prefix sum of 16 M counts", bench_scan},
    {"sort", "stable radix sort of 4 M (key, index) pairs, 24 bits", bench_sort},
    {"query-sphere", "signed distances of 4 M points to a sphere", bench_query_sphere},
    {"query-box", "signed distances of 4 M points to a turned box", bench_query_box},
    {"query-mesh", "signed distances of 4 M points to the level set of a hare", bench_query_mesh},
    {"svd3", "singular value decompositions of 1 M 3x3 matrices", bench_svd3},
    {"surface", "the surface of 195 000 particles, from their places to a smooth mesh", bench_surface},
    {"grains", "whole steps of 100 000 grains that pour over bodies", bench_grains},
    {"mpm-hare", "whole steps of a hare of 183 000 particles, cubic kernel", bench_mpm_hare},
    {"mpm-hare-quadratic", "the same with the quadratic kernel", bench_mpm_hare_quadratic},
    {"mpm-scale", "whole steps of balls of 50 000, 500 000 and 5 million particles", bench_mpm_scale},
    {"mpm-implicit", "explicit and semi-implicit step over the same 0.3 s of a stiff hare",
     bench_mpm_implicit},
    {"wind", "whole steps of wind around a house, 128 x 64 x 128 cells; beside it the thesis' way",
     bench_wind},
    {NULL, NULL, NULL},
};
