// Every function that is compiled once per instruction set (ISA_DECLARE) does the same in all its copies, and
// the physics is what it was: one golden state hash per scene and set.
//
// A scene is run for some steps, so that all is in motion, and saved. From that same state each set takes one
// step more, and all fields are compared. The functions are taken from the headers: who adds one says here
// which scene calls it. test_isa_functions.c feeds most of them with random input on their own.
#include "support.h"

#include <dirent.h>
#include <math.h>

#include "base/file.h"
#include "base/isa.h"
#include "base/memory.h"
#include "base/random.h"
#include "cache/cache.h"

enum { SETS = ISA_AVX512 + 1, STEPS = 40 };

// tolerance: largest difference of a value against the largest of its field after one step. share: of items
// that may differ more, because a rounding decides (a contact closes, a whole number is rounded, a flake
// lands). golden: state hash after STEPS steps by set; 0: nobody with such a machine has put it here yet.
typedef struct isa_scene {
    const char *name;
    double tolerance, share;
    uint64_t golden[SETS];
} isa_scene;
static const isa_scene scenes[] = {
    {"bodies", 1e-6, 0, {0xe8b835a072e6dd57, 0xef9b3ca615824f35}},
    {"grains", 1e-6, 0, {0x4bc03c55e3360212, 0x1d38f33f98e486e2}},
    {"mpm", 1e-5, 0, {0x4f199b9c01ba57a3, 0x05db85dfe831e0f4}},
    {"mpm-flip", 1e-5, 0, {0x8e1a1e81de1f0458, 0xb437ba673452f264}},
    {"mpm-implicit", 1e-5, 0, {0xe15d8878e5d0e9cb, 0xc07c883aff554994}},
    {"mpm-flow", 1e-4, 0, {0x388b6ed08805e2c1, 0xa1a279077f1297da}},
    {"mpm-heat", 1e-4, 0, {0xc4192b92a7648144, 0x59146dc4249daebd}},
    {"field", 0, 0, {0x583070642f380f1b, 0x583070642f380f1b}}, // whole numbers: the same bits with every set
    {"wind", 1e-5, 0, {0xbdd9d360683881dc, 0x7132cd9a0eb89a69}},
    {"wind-jacobi", 1e-5, 0, {0xb271069ab628cfa2, 0x183bcd91c0d313a4}},
    {"pbd", 3e-4, 0, {0xf656d5e6e5c5b1fc, 0xe035425b6b3e7bd0}},
    {"pbd-jacobi", 3e-4, 0, {0x2765ee80ce0b9771, 0x8865cbd28178118e}},
    {"pbd-fluid", 2e-3, 0.005, {0x2a3b06a26874cc91, 0x048b2d6f01589e19}},
    {"pbd-fluid-jacobi", 2e-3, 0.005, {0xda6db1b6fadbf2fc, 0x343290f411014b94}},
    {"phase", 1e-4, 0, {0x74047ee45cf242b9, 0x9d960e65c60cf2b2}},
    {"all-models",
     INFINITY,
     0,
     {0}}, // each is compared on its own; what falls freely has strains of rounding only
};
enum { SCENES = sizeof scenes / sizeof scenes[0] };

// Which scene calls a function; "pictures": tests/draw/test_shade.c compares those.
static const struct {
    const char *function, *scene;
} callers[] = {
    {"frame_points", "bodies"},
    {"frame_turn_back", "bodies"},
    {"bvh_nearest_lanes", "bodies"},
    {"bvh_winding_number_lanes", "bodies"},
    {"levelset_query_lanes", "bodies"},
    {"primitive_query", "bodies"},
    {"ground_query", "bodies"},
    {"grains_fly", "grains"},
    {"grains_range", "grains"},
    {"grains_contact", "grains"},
    {"mpm_p2g_patch", "mpm"},
    {"mpm_g2p_patch", "mpm"},
    {"mpm_contact_prepare", "mpm"},
    {"mpm_contact_guess", "mpm"},
    {"mpm_contact_sweep", "mpm"},
    {"mpm_contact_keep", "mpm"},
    {"mpm_friction_to_nodes", "mpm"},
    {"mpm_friction_of_nodes", "mpm"},
    {"mpm_contact_hold", "mpm-implicit"},
    {"mpm_contact_penalty", "mpm-implicit"},
    {"mpm_contact_release", "mpm-implicit"},
    {"mpm_sample_patch", "mpm-flip"},
    {"mpm_heat_patch", "mpm-heat"},
    {"mpm_implicit_prepare", "mpm-implicit"},
    {"mpm_implicit_cells", "mpm-implicit"},
    {"mpm_implicit_apply", "mpm-implicit"},
    {"mpm_implicit_sum", "mpm-implicit"},
    {"mpm_implicit_start", "mpm-implicit"},
    {"mpm_implicit_finish_ar", "mpm-implicit"},
    {"mpm_implicit_advance", "mpm-implicit"},
    {"show_columns", "field"},
    {"show_tops", "field"},
    {"show_highest", "field"},
    {"show_any", "field"},
    {"slump_heights", "field"},
    {"slump_sweep", "field"},
    {"limit_fill", "field"},
    {"limit_find", "field"},
    {"limit_erode", "field"},
    {"limit_raise", "field"},
    {"wind_trace", "wind"},
    {"wind_divergence", "wind"},
    {"wind_gradient", "wind"},
    {"wind_sums", "wind"},
    {"wind_curl", "wind"},
    {"wind_confinement", "wind"},
    {"wind_push", "wind"},
    {"flakes_fly", "wind"},
    {"poisson_sweep", "wind-jacobi"},
    {"poisson_sweep_dot", "wind"},
    {"poisson_two_sweeps", "wind"},
    {"poisson_add_two_sweeps", "wind"},
    {"poisson_first_sweep", "wind"},
    {"poisson_scaled_residual", "wind"},
    {"poisson_restrict", "wind"},
    {"poisson_prolong", "wind"},
    {"poisson_row_residual", "wind"},
    {"poisson_apply", "wind"},
    {"poisson_advance", "wind"},
    {"poisson_dot", "wind"},
    {"poisson_update_direction", "wind"},
    {"wind_eddy", "wind"},
    {"wind_diffuse", "wind"},
    {"name", "pbd"}, // PBD_DECLARE_LANES: all of them
    {"pbd_move_predict", "pbd"},
    {"pbd_move_finish", "pbd"},
    {"pbd_move_bounds", "pbd"},
    {"pbd_move_place", "pbd"},
    {"fluid_density", "pbd-fluid"},
    {"fluid_delta_x", "pbd-fluid-jacobi"},
    {"fluid_virial", "pbd-fluid"},
    {"fluid_density_alone", "pbd-fluid"},
    {"fluid_smooth", "pbd-fluid"},
    {"fluid_scatter", "pbd-fluid"},
    {"fluid_list_neighbours", "pbd-fluid"},
    {"fluid_xsph", "pbd-fluid"},
    {"fluid_vorticity", "pbd-fluid"},
    {"phase_contact_rows", "phase"},
    {"phase_pull_rows", "phase"},
    {"phase_xsph_rows", "phase"},
    {"phase_cohesion_rows", "phase"},
    {"heat_moment_rows", "phase"},
    {"heat_conduct_rows", "phase"},
    {"rasteriser_span", "pictures"},
    {"shade_snow", "pictures"},
    {"shade_distance", "pictures"},
    {"shade_occlusion", "pictures"},
    {"shade_blur", "pictures"},
    {"shade_light", "pictures"},
    {"shade_through_water", "pictures"},
    {"cloud_cover", "pictures"},
    {"relief_move", "pictures"},
    {"surface_splat_density", "pictures"},
    {"surface_splat_channels", "pictures"},
};
enum { CALLERS = sizeof callers / sizeof callers[0] };

static isa chosen; // before the test changed it
static size_t differing;

static firn_world *open_scene(const char *name) {
    char path[400];
    firn_world *world;
    snprintf(path, sizeof path, FIRN_TEST_DATA "/scenes/%s.yaml", name);
    assert_ok(firn_world_open(path, &world));
    return world;
}

static double value_at(const firn_field *f, size_t i) {
    switch (f->type) {
    case FIRN_F32: return (double)((const float *)f->data)[i];
    case FIRN_F64: return ((const double *)f->data)[i];
    case FIRN_I32: return ((const int32_t *)f->data)[i];
    case FIRN_U32: return ((const uint32_t *)f->data)[i];
    case FIRN_U64: return (double)((const uint64_t *)f->data)[i];
    }
    return 0;
}

static void compare_field(const isa_scene *s, const char *set, const firn_field *a, const firn_field *b) {
    if (a->count != b->count)
        fail_msg("%s, %s: %s has %zu and %zu items", s->name, set, a->name, a->count, b->count);
    size_t n = a->count * a->components, beyond = 0;
    double largest = 0, worst = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(value_at(a, i)));
    for (size_t i = 0; i < n; i++) {
        double d = fabs(value_at(a, i) - value_at(b, i));
        beyond += !(d <= s->tolerance * largest);
        worst = d > worst || isnan(d) ? d : worst;
    }
    if (getenv("FIRN_ISA_SHOW") && worst > 0)
        print_message("%-12s %-7s %-22s worst %.2g of %.3g, beyond %zu of %zu\n", s->name, set, a->name,
                      worst, largest, beyond, n);
    if ((double)beyond > s->share * (double)n)
        print_error(
            "%s: %s differs between base and %s: %zu of %zu values by more than %g of %g (worst %g)\n",
            s->name, a->name, set, beyond, n, s->tolerance, largest, worst),
            differing++;
}

// What a set made of a scene: all fields, and distances to all bodies at random points.
enum { POINTS = 500, BODIES = 8 };
typedef struct outcome {
    firn_field *field; // data are copies
    size_t fields, bodies;
    float distance[BODIES][POINTS], normal[BODIES][POINTS][3];
} outcome;

static size_t value_size(firn_type type) { return type == FIRN_F64 || type == FIRN_U64 ? 8 : 4; }

static void ask_bodies(const firn_world *world, outcome *o) {
    float at[POINTS][3];
    for (uint64_t i = 0; i < POINTS; i++) {
        random4 r = random_bits(17, i, 0, 0);
        for (int k = 0; k < 3; k++) at[i][k] = 3 * random_unit(r, k) - 1.5f;
    }
    o->bodies = firn_world_body_count(world);
    assert_true(o->bodies <= BODIES);
    for (size_t b = 0; b < o->bodies; b++)
        assert_ok(firn_world_body_query(world, b, POINTS, at[0], o->distance[b], o->normal[b][0], NULL));
}

// One step from the saved state with this set. The world is closed before the next is opened: worlds share
// the level sets of their bodies, and each set is to build its own.
static outcome *step_with(isa set, const char *name, const char *saved) {
    outcome *o = calloc(1, sizeof *o);
    assert_true(o && isa_use(set));
    firn_world *world = open_scene(name);
    assert_ok(cache_read(saved, world, 7, CACHE_CHECKPOINT));
    assert_ok(firn_world_step(world));
    o->fields = firn_world_field_count(world);
    o->field = calloc(o->fields, sizeof *o->field);
    assert_non_null(o->field);
    for (size_t i = 0; i < o->fields; i++) {
        firn_field f = firn_world_field_at(world, i);
        size_t bytes = f.count * f.components * value_size(f.type);
        o->field[i] = f;
        o->field[i].data = malloc(bytes + 1);
        assert_non_null(o->field[i].data);
        if (bytes) memcpy((void *)o->field[i].data, f.data, bytes);
    }
    ask_bodies(world, o);
    firn_world_close(world);
    return o;
}

static void outcome_free(outcome *o) {
    for (size_t i = 0; i < o->fields; i++) free((void *)o->field[i].data);
    free(o->field);
    free(o);
}

static void compare_bodies(const isa_scene *s, const char *set, const outcome *a, const outcome *b) {
    for (size_t body = 0; body < a->bodies; body++) {
        size_t beyond = 0;
        for (size_t i = 0; i < POINTS; i++) {
            beyond += !(fabsf(a->distance[body][i] - b->distance[body][i]) < 2e-5f);
            for (int k = 0; k < 3; k++)
                beyond += !(fabsf(a->normal[body][i][k] - b->normal[body][i][k]) < 1e-3f);
        }
        if (beyond > POINTS / 100) // where two faces are equally near, a rounding decides on the normal
            fail_msg("%s: distances of body %zu differ between base and %s at %zu points", s->name, body, set,
                     beyond);
    }
}

static void compare_sets(const isa_scene *s) {
    char path[64];
    snprintf(path, sizeof path, "sets-%d.h5", (int)getpid());
    assert_true(isa_use(ISA_BASE));
    firn_world *world = open_scene(s->name);
    for (int i = 0; i < STEPS; i++) assert_ok(firn_world_step(world));
    assert_ok(cache_write(path, world, 7, CACHE_CHECKPOINT, false));
    firn_world_close(world);
    outcome *base = step_with(ISA_BASE, s->name, path);
    for (isa set = ISA_AVX2; set <= isa_best(); set++) {
        outcome *other = step_with(set, s->name, path);
        assert_int_equal(other->fields, base->fields);
        for (size_t i = 0; i < base->fields; i++)
            compare_field(s, isa_name(set), &base->field[i], &other->field[i]);
        compare_bodies(s, isa_name(set), base, other);
        outcome_free(other);
    }
    outcome_free(base);
    remove(path);
}

static void test_all_copies_do_the_same(void **state) {
    (void)state;
    for (isa set = ISA_AVX2; set <= ISA_AVX512; set++)
        if (set > isa_best()) print_message("[  SKIP    ] this machine or build has no %s\n", isa_name(set));
    for (size_t i = 0; i < SCENES; i++)
        if (scenes[i].tolerance < INFINITY) compare_sets(&scenes[i]);
    isa_use(chosen);
    if (differing) fail_msg("%zu fields differ", differing);
}

static size_t functions_of(const char *header, bool seen[CALLERS]) {
    size_t found = 0;
    for (const char *at = header; (at = strstr(at, "ISA_DECLARE")); at++) {
        const char *name = strchr(at, ',');
        if (!name || (strncmp(at, "ISA_DECLARE(", 12) != 0 && strncmp(at, "ISA_DECLARE_CONST(", 18) != 0))
            continue;
        name += 1 + strspn(name + 1, " \n");
        size_t length = strcspn(name, ",) \n"), i = 0;
        while (i < CALLERS &&
               (strlen(callers[i].function) != length || strncmp(callers[i].function, name, length) != 0))
            i++;
        if (i == CALLERS)
            fail_msg("which scene calls %.*s? Add it to tests/cache/test_isa_sets.c", (int)length, name);
        seen[i] = true;
        found++;
    }
    return found;
}

static void read_folder(const char *name, bool seen[CALLERS], size_t *found) {
    char path[1000], *header;
    snprintf(path, sizeof path, FIRN_SOURCE_DIR "/src/%s", name);
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        size_t bytes, length = strlen(entry->d_name);
        if (length < 3 || strcmp(entry->d_name + length - 2, ".h") != 0 ||
            strcmp(entry->d_name, "isa.h") == 0)
            continue;
        snprintf(path, sizeof path, FIRN_SOURCE_DIR "/src/%s/%s", name, entry->d_name);
        assert_ok(file_read_whole(path, 1 << 20, &header, &bytes));
        *found += functions_of(header, seen);
        mem_free(header);
    }
    closedir(folder);
}

static void test_every_function_is_called_by_a_scene(void **state) {
    (void)state;
    bool seen[CALLERS] = {0};
    size_t found = 0;
    DIR *folder = opendir(FIRN_SOURCE_DIR "/src");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));)
        if (entry->d_name[0] != '.' && entry->d_type == DT_DIR) read_folder(entry->d_name, seen, &found);
    closedir(folder);
    assert_true(found >= 50);
    for (size_t i = 0; i < CALLERS; i++) {
        if (!seen[i]) fail_msg("there is no function %s any more", callers[i].function);
        size_t k = 0;
        while (k < SCENES && strcmp(scenes[k].name, callers[i].scene) != 0) k++;
        assert_true(k < SCENES || strcmp(callers[i].scene, "pictures") == 0);
    }
}

// Other compilers may contract other products and sums; then the bits differ, and rightly.
#if defined(__clang__) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) ||                   \
    !defined(__OPTIMIZE__)
enum { GOLDEN_BUILD = 0 };
#else
enum { GOLDEN_BUILD = 1 };
#endif

static void test_golden_hashes(void **state) {
    (void)state;
    if (!GOLDEN_BUILD) {
        print_message("[  SKIP    ] the golden hashes are those of gcc's optimised build\n");
        skip();
    }
    size_t differ = 0;
    for (isa set = ISA_BASE; set <= ISA_AVX512; set++) {
        if (!isa_use(set)) {
            print_message("[  SKIP    ] this machine or build has no %s\n", isa_name(set));
            continue;
        }
        for (size_t i = 0; i < SCENES; i++) {
            firn_world *world = open_scene(scenes[i].name);
            for (int k = 0; k < STEPS; k++) assert_ok(firn_world_step(world));
            uint64_t hash = firn_world_hash(world);
            firn_world_close(world);
            if (scenes[i].golden[set] == 0)
                print_message("[  SKIP    ] no golden hash of %s with %s; here it is 0x%016llx\n",
                              scenes[i].name, isa_name(set), (unsigned long long)hash);
            if (scenes[i].golden[set] == 0 || scenes[i].golden[set] == hash) continue;
            print_error("%s with %s: the state hash after %d steps is 0x%016llx instead of 0x%016llx\n",
                        scenes[i].name, isa_name(set), STEPS, (unsigned long long)hash,
                        (unsigned long long)scenes[i].golden[set]);
            differ++;
        }
    }
    isa_use(chosen);
    if (differ)
        fail_msg(
            "%zu results have changed. If that is meant, say so in the commit and write the new hashes into "
            "the table of tests/cache/test_isa_sets.c",
            differ);
}

int main(void) {
    chosen = isa_active();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_function_is_called_by_a_scene),
        cmocka_unit_test(test_all_copies_do_the_same),
        cmocka_unit_test(test_golden_hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
