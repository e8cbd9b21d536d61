// Timing shared by the workloads.
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include "base/clock.h"
#include "bench/bench.h"

#include <firn/world.h>

// Seconds of one call of fn: median of at least 7 repetitions, each of as many calls as fill about 40 ms,
// after a warm-up.
double measure_seconds(void (*fn)(void *context), void *context);
double measure_median(double *value, size_t count); // sorts them

// A world that is stepped; from the first failure on it stands still.
typedef struct stepping {
    firn_world *world;
    firn_status status;
} stepping;
void step_once(void *context); // a stepping

// Seconds of a step of each of `count` worlds: they are stepped in turns, so that what else the machine does
// hits them alike, step_count[k] steps a turn; medians of five turns after `warm` of them.
enum { MOST_TURNS = 8 };
firn_status measure_in_turns(stepping *s, const int *step_count, int count, int warm, double *seconds);

// The machine's limits with the threads in use now; measured once per thread count.
double limit_triad(int threads); // bytes/s, 12 bytes per float: two read, one written
double limit_fma(int threads);   // fp32 operations/s, two per fused multiply-add

// Fills rate, steps_per_second, threads and limit of a result from `items` handled in `seconds`, each of
// which moves `bytes` and computes `operations`; the limit is whichever leaves less room.
void measure_result(bench_result *out, double items, double seconds, double bytes, double operations);

// The passes' shares of a model's step.
void bench_passes(const profile *p, bench_result *r);

firn_status bench_triad(bench_emit emit, void *context);
firn_status bench_fma(bench_emit emit, void *context);
firn_status bench_query_sphere(bench_emit emit, void *context);
firn_status bench_query_box(bench_emit emit, void *context);
firn_status bench_query_mesh(bench_emit emit, void *context);
firn_status bench_sort(bench_emit emit, void *context);
firn_status bench_scan(bench_emit emit, void *context);
firn_status bench_surface(bench_emit emit, void *context);
firn_status bench_render(bench_emit emit, void *context);
firn_status bench_final(bench_emit emit, void *context);
firn_status bench_estimate(bench_emit emit, void *context);
firn_status bench_svd3(bench_emit emit, void *context);
firn_status bench_grains(bench_emit emit, void *context);
firn_status bench_mpm_hare(bench_emit emit, void *context);
firn_status bench_mpm_hare_quadratic(bench_emit emit, void *context);
firn_status bench_mpm_drucker_prager(bench_emit emit, void *context);
firn_status bench_mpm_cam_clay(bench_emit emit, void *context);
firn_status bench_mpm_scale(bench_emit emit, void *context);
firn_status bench_mpm_implicit(bench_emit emit, void *context);
firn_status bench_wind(bench_emit emit, void *context);
firn_status bench_cover(bench_emit emit, void *context);
firn_status bench_pbd_sphere(bench_emit emit, void *context);
firn_status bench_pbd_large(bench_emit emit, void *context);
firn_status bench_fluid(bench_emit emit, void *context);       // 64 000 particles
firn_status bench_fluid_large(bench_emit emit, void *context); // 10 648, 64 000, 1 000 000
firn_status bench_phase_melt(bench_emit emit, void *context);
firn_status bench_phase_hot_water(bench_emit emit, void *context);
firn_status bench_phase_scale(bench_emit emit, void *context);
firn_status bench_field_512(bench_emit emit, void *context);
firn_status bench_field_4096(bench_emit emit, void *context);
firn_status bench_field_16384(bench_emit emit, void *context);
firn_status bench_field_thousand(bench_emit emit, void *context);
firn_status bench_field_box_256(bench_emit emit, void *context);
firn_status bench_field_box_512(bench_emit emit, void *context);
firn_status bench_winter_yard(bench_emit emit, void *context);

#endif
