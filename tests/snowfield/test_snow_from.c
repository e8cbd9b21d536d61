// A field whose snow is what a run of the wind has left.
#include "cache/runs.h"

#include <math.h>

#include "snowfield/snowfield_world.h"
#include "world/cover.h"

static const char storm_scene[] =
    "firn: 1\nduration: 3 s\nfps: 1\nmax_step: 200 ms\n"
    "bodies: {ground: {shape: plane}, block: {shape: {box: {size: [0.6 m, 0.8 m, 0.6 m]}}, at: [1, 0.4, "
    "0]}}\n"
    "wind: {grid: [20, 10, 16], cell: 20 cm, at: [1 m, 0, 0], inflow: {speed: 2}}\n"
    "flakes: {snowfall: 3600 mm/h, shown: 4000}\ncover: {}\n";

static run_test storm;

static int make_run(void **state) {
    (void)state;
    storm = run_test_make(storm_scene);
    return run_to(storm.scene, storm.a) == FIRN_OK ? 0 : -1;
}

static int drop_run(void **state) {
    (void)state;
    run_test_end(&storm);
    return 0;
}

// Mass and volume of the cover over x0 .. x1, z0 .. z1 at the end, from the wind's own state.
static void cover_over(double x0, double x1, double z0, double z1, double *kg, double *m3) {
    firn_world *world;
    cover_grid g;
    assert_ok(firn_world_open(storm.scene, &world));
    for (int i = 0; i < 3; i++) assert_ok(firn_world_advance_frame(world));
    assert_ok(world_cover_grid(world, &g));
    const uint32_t *units = firn_world_field(world, "wind.snow").data;
    double unit = *(const double *)firn_world_field(world, "wind.flake").data / 256;
    *kg = *m3 = 0;
    for (int k = 0; k < g.n[2]; k++)
        for (int j = 0; j < g.n[1]; j++)
            for (int i = 0; i < g.n[0]; i++) {
                double left = g.low[0] + i * g.cell, back = g.low[2] + k * g.cell;
                double w = fmax(fmin(x1, left + g.cell) - fmax(x0, left), 0) / g.cell,
                       l = fmax(fmin(z1, back + g.cell) - fmax(z0, back), 0) / g.cell;
                size_t a = ((size_t)(k + 1) * (size_t)(g.n[1] + 2) + (size_t)(j + 1)) * (size_t)(g.n[0] + 2) +
                           (size_t)(i + 1);
                *kg += w * l * units[a] * unit;
                *m3 += w * l * fmax((double)g.fill[(k * g.n[1] + j) * g.n[0] + i], 0) * pow(g.cell, 3);
            }
    firn_world_close(world);
}

static firn_world *open_field(const char *field) {
    char yaml[600], name[400];
    firn_world *world;
    snprintf(yaml, sizeof yaml, "firn: 1\nbodies: {ground: {shape: plane}}\nfield: {snow_from: a, %s}\n",
             field);
    snprintf(name, sizeof name, "%s/field.yaml", storm.folder.path);
    FILE *f = fopen(name, "w");
    fputs(yaml, f);
    fclose(f);
    return firn_world_open(name, &world) == FIRN_OK ? world : NULL;
}

// All of the cover, and a part of it that ends inside its cells.
static void test_mass_and_density_are_the_covers(void **state) {
    (void)state;
    const struct {
        const char *field;
        double x0, x1, z0, z1;
    } cases[] = {{"width: 4 m, length: 3.2 m, cell: 4 cm, at: [1, 0, 0]", -1, 3, -1.6, 1.6},
                 {"width: 2.2 m, length: 1.3 m, cell: 2 cm, at: [0.25, 0, 0.1]", -0.85, 1.35, -0.55, 0.75}};
    for (int c = 0; c < 2; c++) {
        double kg, m3, depth = 0;
        cover_over(cases[c].x0, cases[c].x1, cases[c].z0, cases[c].z1, &kg, &m3);
        firn_world *world = open_field(cases[c].field);
        if (!world) fail_msg("%s", firn_last_error());
        assert_true(kg > 1);
        assert_near(snowfield_ledger_of(world).mass, kg, 1e-3 * kg);
        const double *g = firn_world_field(world, "field.grid").data;
        int nx = (int)g[3], nz = (int)g[4];
        float *depths = calloc((size_t)(nx * nz), sizeof *depths);
        firn_snowfield look;
        assert_ok(firn_world_snowfield(world, &look));
        firn_snowfield_read(&look, (firn_cells){0, 0, nx, nz}, NULL, depths, NULL);
        for (int i = 0; i < nx * nz; i++) depth += (double)depths[i] * g[2] * g[2];
        assert_near(kg / depth, kg / m3, 0.02 * kg / m3); // density
        free(depths);
        firn_world_close(world);
    }
}

static void test_what_cannot_be_is_said(void **state) {
    (void)state;
    firn_world *world;
    assert_null(open_field("width: 9 m, length: 1 m"));
    expect_message("the cover in");
    assert_null(open_field("width: 1 m, length: 1 m, depth_map: field.yaml"));
    expect_message("leave out depth_map");
    assert_int_equal(FIRN_BAD_INPUT,
                     firn_world_open_text("firn: 1\nfield: {snow_from: nowhere}\n", "x", &world));
    expect_message("there is no run 'nowhere'");
    char yaml[700];
    snprintf(yaml, sizeof yaml, "firn: 1\nfield: {snow_from: %s}\n", storm.folder.path);
    assert_int_equal(FIRN_BAD_INPUT, firn_world_open_text(yaml, "x", &world));
    expect_message("there are no frames of a run in");
    run_test other = run_test_make("firn: 1\nduration: 0.1 s\nfps: 10\nbodies: {ground: {shape: plane}}\n");
    assert_ok(run_to(other.scene, other.a));
    snprintf(yaml, sizeof yaml, "firn: 1\nfield: {snow_from: %s}\n", other.a);
    assert_int_equal(FIRN_BAD_INPUT, firn_world_open_text(yaml, "x", &world));
    expect_message("there is no snow cover in");
    run_test_end(&other);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mass_and_density_are_the_covers),
                                       cmocka_unit_test(test_what_cannot_be_is_said)};
    return cmocka_run_group_tests(tests, make_run, drop_run);
}
