// Each function that is compiled once per instruction set (ISA_DECLARE), fed with the same random input in
// every copy. Functions whose input is a whole world, and no set of arrays that could be filled at random,
// are compared by test_isa_sets.c only: mpm_p2g_patch, mpm_g2p_patch, mpm_sample_patch, mpm_implicit_prepare
// (particles sorted into blocks), wind_trace and flakes_fly (jobs that refer to a whole wind),
// ground_query and the constraints of pbd; pictures (shade_*) by tests/draw/test_shade.c.
#include "cache/isa_cells.h"
#include "cache/isa_snowfield.h"
#include "cache/isa_particles.h"
#include "cache/isa_shapes.h"

enum { TRIALS = 4 };

// tolerance: largest difference of a result against the largest of all, or against what it was summed from;
// 0: the same bits.
#define ROW(name, tolerance)                                                                                 \
    { #name, feed_##name, tolerance }
static const struct {
    const char *name;
    void (*feed)(void);
    double tolerance;
} table[] = {
    ROW(frame_points, 1e-6),
    ROW(frame_turn_back, 1e-6),
    ROW(grains_fly, 1e-6),
    ROW(grains_range, 0),
    ROW(grains_contact, 1e-6),
    ROW(primitive_query, 1e-6),
    ROW(levelset_query_lanes, 1e-6),
    ROW(bvh_nearest_lanes, 1e-6),
    ROW(bvh_winding_number_lanes,
        1e-2), // what is far from one point of a vector is summed up for all of them
    ROW(rasteriser_span, 1e-6),
    ROW(show_columns, 0), // the field promises the same bits with every set
    ROW(show_tops, 0),
    ROW(show_highest, 0),
    ROW(show_any, 0),
    ROW(slump_heights, 0),
    ROW(slump_sweep, 0),
    ROW(fluid_density, 1e-6), // sums over neighbours, in another order
    ROW(fluid_delta_x, 1e-6),
    ROW(fluid_virial, 1e-6),
    ROW(fluid_density_alone, 1e-6),
    ROW(fluid_smooth, 1e-6),
    ROW(fluid_scatter, 1e-6),
    ROW(fluid_list_neighbours, 0),
    ROW(fluid_xsph, 1e-6),
    ROW(fluid_vorticity, 1e-6),
    ROW(phase_contact_rows, 1e-6),
    ROW(phase_pull_rows, 1e-6),
    ROW(phase_xsph_rows, 1e-6),
    ROW(phase_cohesion_rows, 1e-6),
    ROW(heat_moment_rows, 1e-6),
    ROW(heat_conduct_rows, 1e-6),
    ROW(mpm_implicit_cells, 1e-6),
    ROW(mpm_implicit_apply, 1e-6),
    ROW(mpm_implicit_sum, 0),
    ROW(mpm_implicit_start, 1e-6),
    ROW(mpm_implicit_finish_ar, 1e-6),
    ROW(mpm_implicit_advance, 1e-6),
    ROW(poisson_sweep, 1e-6),
    ROW(poisson_sweep_dot, 1e-6),
    ROW(poisson_two_sweeps, 1e-6),
    ROW(poisson_add_two_sweeps, 1e-6),
    ROW(poisson_first_sweep, 1e-6),
    ROW(poisson_scaled_residual, 1e-6),
    ROW(poisson_restrict, 1e-6),
    ROW(poisson_prolong, 1e-6),
    ROW(poisson_row_residual, 1e-6),
    ROW(poisson_apply, 1e-6),
    ROW(poisson_advance, 1e-6),
    ROW(poisson_dot, 1e-6),
    ROW(poisson_update_direction, 1e-6),
    ROW(wind_divergence, 1e-6),
    ROW(wind_gradient, 1e-6),
    ROW(wind_sums, 1e-6),
    ROW(wind_curl, 1e-6),
    ROW(wind_confinement, 1e-6),
    ROW(wind_push, 1e-6),
};
enum { FUNCTIONS = sizeof table / sizeof table[0] };

static results call(size_t function, uint64_t seed, isa set) {
    results r = {0};
    feed.seed = seed, feed.item = 0, feed.out = &r;
    memset(lines, 0, sizeof lines);
    assert_true(isa_use(set));
    table[function].feed();
    return r;
}

static bool agree(size_t function, const results *a, const results *b, isa set, uint64_t seed) {
    const double tolerance = table[function].tolerance;
    double largest = 0, worst = 0;
    size_t at = 0;
    if (a->count != b->count) {
        print_error("%s, seed %d: %zu results, %zu with %s\n", table[function].name, (int)seed, a->count,
                    b->count, isa_name(set));
        return false;
    }
    for (size_t i = 0; i < a->count; i++)
        if (a->item[i].magnitude == 0) largest = fmax(largest, fabs(a->item[i].value));
    for (size_t i = 0; i < a->count; i++) {
        double magnitude = a->item[i].magnitude > 0 ? a->item[i].magnitude : largest;
        double d = fabs(a->item[i].value - b->item[i].value);
        if (d != 0 && !(d / magnitude <= worst)) worst = d / magnitude, at = i;
        if (isnan(worst)) break;
    }
    if (getenv("FIRN_ISA_SHOW"))
        print_message("%-24s %-7s %zu results, worst %.2g\n", table[function].name, isa_name(set), a->count,
                      worst);
    if (worst <= tolerance) return true;
    print_error(
        "%s, seed %d: result %zu is %.9g, with %s %.9g; that is %.2g of the largest, at most %g may be\n",
        table[function].name, (int)seed, at, a->item[at].value, isa_name(set), b->item[at].value, worst,
        tolerance);
    return false;
}

static void test_all_copies_agree_on_random_input(void **state) {
    (void)state;
    size_t wrong = 0;
    const isa chosen = isa_active();
    for (isa set = ISA_AVX2; set <= ISA_AVX512; set++)
        if (set > isa_best()) print_message("[  SKIP    ] this machine or build has no %s\n", isa_name(set));
    for (size_t f = 0; f < FUNCTIONS; f++)
        for (uint64_t seed = 1; seed <= TRIALS; seed++) {
            results base = call(f, seed, ISA_BASE);
            double sum = 0;
            for (size_t i = 0; i < base.count; i++) sum += fabs(base.item[i].value);
            if (!(sum > 0 && isfinite(sum)))
                fail_msg("%s: its input gives nothing to compare", table[f].name);
            for (isa set = ISA_AVX2; set <= isa_best(); set++) {
                results other = call(f, seed, set);
                wrong += !agree(f, &base, &other, set, seed);
                mem_free(other.item);
            }
            mem_free(base.item);
        }
    isa_use(chosen);
    if (wrong) fail_msg("%zu comparisons failed", wrong);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_copies_agree_on_random_input)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
