// firn-test: slow
// Pools at rest in vessels that are one body: a tank and a bowl as meshes, a tank as a union of boxes. Their
// signed distance knows one wall of a corner at a time.
#include "cache/folders.h"
#include "pools.h"

static temporary folder;

typedef struct point {
    double r, y;
} point;

// A closed body of revolution from the axis to the axis, outside first, with so many sides; r is to the
// corners.
static void write_vessel(const char *name, const point *at, int points, int sides) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder.path, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < points; i++)
        for (int k = 0; k < sides; k++) {
            double angle = 2 * M_PI * (k + 0.5) / sides;
            fprintf(file, "v %.9g %.9g %.9g\n", at[i].r * cos(angle), at[i].y, at[i].r * sin(angle));
        }
    for (int i = 0; i + 1 < points; i++)
        for (int k = 0; k < sides; k++) {
            int a = i * sides + k + 1, b = i * sides + (k + 1) % sides + 1;
            if (at[i + 1].r > 0) fprintf(file, "f %d %d %d\n", a, a + sides, b + sides);
            if (at[i].r > 0) fprintf(file, "f %d %d %d\n", a, b + sides, b);
        }
    assert_int_equal(fclose(file), 0);
}

static void write_tank(const char *name, double width, double height) {
    const double in = width / sqrt(2), out = in + 0.1 * sqrt(2);
    const point at[] = {{0, -0.1}, {out, -0.1}, {out, height}, {in, height}, {in, 0}, {0, 0}};
    write_vessel(name, at, 6, 4);
}

enum { ARC = 16 };

static void write_bowl(const char *name, double radius) {
    double out = radius + 0.1;
    point at[ARC + 4] = {{0, -out}, {out, -out}, {out, 0}};
    for (int k = 0; k <= ARC; k++) {
        double angle = M_PI / 2 * k / ARC;
        at[3 + k] = (point){k == ARC ? 0 : radius * cos(angle), -radius * sin(angle)};
    }
    write_vessel(name, at, ARC + 4, 48);
}

static const char *const ways[] = {
    "solver: gauss_seidel, fluid: {method: pressure", "solver: gauss_seidel, fluid: {method: position",
    "solver: jacobi, fluid: {method: position", "solver: jacobi_particle, fluid: {method: position"};

// Still after a second, and no more energy than at the start.
static void rests(const char *vessel, const char *fill, double spacing, const char *way) {
    char words[3000];
    snprintf(words, sizeof words,
             "firn: 1\nfps: 20\nduration: 10 s\nbodies: {vessel: {shape: %s}}\n"
             "pbd: {%s, spacing: %g, pools: {pool: {%s}}}}\n",
             vessel, way, spacing, fill);
    pool_motion m = pool_watch(words, 4 * spacing, 28, 20);
    print_message("%.40s, %g m, %s: gain %.2g of %.3g J, %.3f m/s\n", vessel, spacing, way, m.gain, m.weight,
                  m.speed);
    assert_true(m.gain <= 1e-4 * m.weight);
    assert_true(m.speed < 0.05);
}

static const double spacings[] = {0.1, 0.05, 0.025};

static void test_tank_of_a_mesh(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        char vessel[600], fill[200];
        double spacing = spacings[k], width = 6 * spacing;
        write_tank("tank.obj", width, 8 * spacing);
        snprintf(vessel, sizeof vessel, "{mesh: {file: %s/tank.obj}}, rotate: [0, %d deg, 0]", folder.path,
                 33 * k);
        snprintf(fill, sizeof fill,
                 "shape: {box: {size: [%g, %g, %g]}}, at: [0, %g, 0], rotate: [0, %d deg, 0]", width,
                 4 * spacing, width, 2 * spacing, 33 * k);
        for (int way = 0; way < (k == 1 ? 4 : 1); way++) rests(vessel, fill, spacing, ways[way]);
    }
}

static void test_bowl(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        char vessel[600], fill[200];
        double spacing = spacings[k];
        write_bowl("bowl.obj", 6 * spacing);
        snprintf(vessel, sizeof vessel, "{mesh: {file: %s/bowl.obj}}", folder.path);
        snprintf(fill, sizeof fill, "shape: {cylinder: {radius: %g, length: %g}}, at: [0, %g, 0]",
                 6 * spacing, 4 * spacing, -4 * spacing);
        for (int way = 0; way < (k == 1 ? 2 : 1); way++) rests(vessel, fill, spacing, ways[way]);
    }
}

static void test_tank_of_boxes(void **state) {
    (void)state;
    rests("{union: {parts: {a: {shape: {box: {size: [0.5, 0.1, 0.5]}}, at: [0, -0.05, 0]},"
          " b: {shape: {box: {size: [0.1, 0.5, 0.5]}}, at: [-0.2, 0.2, 0]},"
          " c: {shape: {box: {size: [0.1, 0.5, 0.5]}}, at: [0.2, 0.2, 0]},"
          " d: {shape: {box: {size: [0.5, 0.5, 0.1]}}, at: [0, 0.2, -0.2]},"
          " e: {shape: {box: {size: [0.5, 0.5, 0.1]}}, at: [0, 0.2, 0.2]}}}}",
          "shape: {box: {size: [0.3, 0.2, 0.3]}}, at: [0, 0.1, 0]", 0.05, ways[0]);
}

static int make_folder(void **state) {
    (void)state;
    folder = temporary_make();
    return 0;
}

static int remove_folder(void **state) {
    (void)state;
    temporary_remove(&folder);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tank_of_a_mesh),
        cmocka_unit_test(test_bowl),
        cmocka_unit_test(test_tank_of_boxes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
