// firn-test: slow
// The thesis' spheres: pressed flat and freed, decimated; every scene with every solver for a while.
#include "pbd/soft.h"

#include "base/file.h"
#include "base/text.h"

// The scene with `find` replaced by `put` (both may be NULL).
static firn_world *open_scene(const char *name, const char *find, const char *put) {
    char path[512];
    char *file;
    size_t bytes;
    snprintf(path, sizeof path, "%s/scenes/pbd/%s.yaml", FIRN_SOURCE_DIR, name);
    assert_ok(file_read_whole(path, 1 << 20, &file, &bytes));
    text scene = {0};
    const char *at = find ? strstr(file, find) : NULL;
    assert_true(!find || at);
    size_t before = at ? (size_t)(at - file) : 0;
    text_add(&scene, "%.*s%s%s", (int)before, file, put ? put : "",
             file + before + (find ? strlen(find) : 0));
    firn_world *world;
    assert_ok(firn_world_open_text(scene.data, path, &world));
    text_free(&scene);
    mem_free(file);
    return world;
}

typedef struct shape_error {
    double size;  // root mean square distance from the middle, over that at rest
    double error; // root mean square change of these distances, over the size at rest
    double height;
} shape_error;

static shape_error error_of(firn_world *world) {
    const pbd *s = soft_model(world);
    size_t n = s->p.count;
    firn_vec3 now = {0, 0, 0}, rest = {0, 0, 0};
    for (size_t i = 0; i < n; i++) {
        now = dvec_add_scaled(now, pbd_place(s, i), 1 / (double)n);
        rest = dvec_add_scaled(rest, pbd_at(s->p.rest[i]), 1 / (double)n);
    }
    double a2 = 0, b2 = 0, d2 = 0, low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        double a = dvec_distance(pbd_place(s, i), now), b = dvec_distance(pbd_at(s->p.rest[i]), rest);
        a2 += a * a, b2 += b * b, d2 += (a - b) * (a - b);
        low = fmin(low, s->p.at[i][1]), high = fmax(high, s->p.at[i][1]);
    }
    return (shape_error){sqrt(a2 / b2), sqrt(d2 / b2), high - low};
}

static shape_error squash(const char *solver, double until) {
    firn_world *world = open_scene("sphere-squash", "solver: gauss_seidel", solver);
    assert_int_equal(firn_world_field(world, "pbd.id").count, 220);
    assert_int_equal(firn_world_field(world, "pbd.links").count / 2, 24090);
    soft_run(world, 1.25);
    assert_true(error_of(world).height < 0.36);
    soft_run(world, until - 1.25);
    shape_error e = error_of(world);
    print_message("%s, %.2f s: size %.4f, error %.4f\n", solver, until, e.size, e.error);
    firn_world_close(world);
    return e;
}

// PBD19 fig. 16.
static void test_squashed_sphere_recovers(void **state) {
    (void)state;
    shape_error gs = squash("solver: gauss_seidel", 1.4), later = squash("solver: gauss_seidel", 3);
    shape_error jacobi = squash("solver: jacobi", 1.4), particle = squash("solver: jacobi_particle", 1.4);
    assert_near(gs.size, 1, 0.02);
    assert_near(later.size, 1, 0.02);
    assert_true(later.error < 0.02);
    assert_true(jacobi.error > 3 * gs.error && particle.error > 3 * gs.error);
}

static shape_error drop(const char *near, const char *solver, double least, double most) {
    firn_world *world = open_scene("sphere-decimated", "near: 23.6 cm", near);
    pbd *s = soft_model(world);
    s->def.solver = strcmp(solver, "jacobi") == 0 ? FIRN_PBD_JACOBI : FIRN_PBD_GAUSS_SEIDEL;
    s->def.iterations = most > 40000 ? 5 : 1; // as in PBD19
    assert_int_equal(s->p.count, 702);
    double links = (double)firn_world_field(world, "pbd.links").count / 2;
    assert_true(links > least && links < most);
    soft_run(world, 2);
    shape_error e = error_of(world);
    print_message("%s, %g links, %s: size %.4f, error %.4f\n", near, links, solver, e.size, e.error);
    firn_world_close(world);
    return e;
}

// PBD19 fig. 18 and 19.
static void test_decimated_spheres_keep_their_shape(void **state) {
    (void)state;
    shape_error few = drop("near: 23.6 cm", "gauss_seidel", 18000, 22000);
    shape_error more = drop("near: 33.5 cm", "gauss_seidel", 44000, 52000);
    shape_error jacobi = drop("near: 23.6 cm", "jacobi", 18000, 22000);
    assert_true(few.error < 0.05 && more.error < 0.05);
    assert_true(jacobi.error > 3 * few.error);
}

// Nothing inside a body, nothing lost, nothing invalid.
static void check_state(firn_world *world) {
    pbd *s = soft_model(world);
    float *d = mem_alloc(s->p.count * sizeof *d), *x = mem_alloc(s->p.count * 3 * sizeof *x);
    for (size_t i = 0; i < 3 * s->p.count; i++) x[i] = (float)(&s->p.at[0][0])[i];
    for (size_t b = 0; b < firn_world_body_count(world); b++) {
        assert_ok(firn_world_body_query(world, b, s->p.count, x, d, NULL, NULL));
        for (size_t i = 0; i < s->p.count; i++)
            if (s->p.q[i][3] > 0) assert_true(d[i] > 0.5f * s->groups[s->p.group[i]].radius);
    }
    mem_free(d);
    mem_free(x);
    void *box = pbd_data(s, &pbd_box);
    const pbd_room room = box ? pbd_box_at(box, firn_world_time(world), dvec(0, 0, 0)) : (pbd_room){{0}, {0}};
    for (size_t i = 0; box && i < s->p.count; i++)
        for (int a = 0; a < 3; a++)
            assert_true(s->p.at[i][a] > (double)room.low[a] && s->p.at[i][a] < (double)room.high[a]);
    firn_ledger l = {0};
    pbd_ledger(s, &l);
    assert_near(l.mass, l.mass_in, 1e-9 * l.mass);
    assert_true(l.max_speed < 50);
}

// The first one all the way down, the others from there on: a run may change its solver.
static void check_scene(const char *name, double seconds, double rest) {
    firn_world *world = open_scene(name, NULL, NULL);
    for (int k = FIRN_PBD_GAUSS_SEIDEL; k <= FIRN_PBD_JACOBI_PARTICLE; k++) {
        soft_model(world)->def.solver = (firn_pbd_solver)k;
        soft_run(world, k == FIRN_PBD_GAUSS_SEIDEL ? seconds : rest);
        check_state(world);
    }
    firn_world_close(world);
}

static void test_every_scene_with_every_solver(void **state) {
    (void)state;
    check_scene("sphere-drop", 0.6, 0.3);
    check_scene("hare-jelly", 0.35, 0.05);
    check_scene("rope-and-flag", 0.2, 0.05);
    check_scene("fluid-drop", 0.3, 0.1);
    check_scene("dam-break", 0.1, 0.03);
    check_scene("mixed", 0.1, 0.03);
}

// The heavy ball tears its way through the cloth, the light box lies on it.
static void test_a_cloth_tears(void **state) {
    (void)state;
    firn_world *world = open_scene("torn-cloth", NULL, NULL);
    size_t links = firn_world_field(world, "pbd.links").count / 2;
    soft_run(world, 1.6);
    size_t left = firn_world_field(world, "pbd.links").count / 2;
    double light = firn_world_body_state(world, 3).position.y,
           heavy = firn_world_body_state(world, 4).position.y;
    print_message("%zu of %zu links; light box at %.2f m, heavy ball at %.2f m\n", left, links, light, heavy);
    assert_true(left < links - 50 && left > 0.9 * (double)links);
    assert_true(heavy < 0.4 && light > 0.8);
    check_state(world);
    firn_world_close(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_squashed_sphere_recovers),
        cmocka_unit_test(test_decimated_spheres_keep_their_shape),
        cmocka_unit_test(test_a_cloth_tears),
        cmocka_unit_test(test_every_scene_with_every_solver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
