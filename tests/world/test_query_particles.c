// firn-test: threaded
// Rays against the particles of all models, as their drawings say they are: against all of them one by one,
// and together with bodies and snow.
#include "worlds.h"

#include <math.h>

#include "math/dvec.h"
#include "world/rays.h"
#include "world/world.h"

enum { SEED = 12 };

static const char scene[] =
    "firn: 1\nmax_step: 10 ms\nair: {temperature: 5 C}\n"
    "bodies: {ground: {shape: plane}}\n"
    "mpm: {cell: 8 cm, snow: {block: {shape: {box: {size: [40 cm, 40 cm, 40 cm]}}, at: [-1, 0.6, 0]}}}\n"
    "grains: {radius: 2 cm, fill: {all: {shape: {box: {size: [40 cm, 40 cm, 40 cm]}}, at: [0, 0.6, 0], "
    "spacing: 6 cm}}}\n"
    "pbd: {solids: {jelly: {lattice: [4, 4, 4], spacing: 8 cm, at: [1, 0.6, 0]}, rope: {lattice: [8, 1, 1], "
    "spacing: 5 cm, radius: 1 cm, at: [1, 1.2, 0]}}, fluid: {spacing: 6 cm, pools: {tub: {shape: {box: "
    "{size: [30 cm, 30 cm, 30 cm]}}, at: [1, 0.5, 1]}}}}\n"
    "phase: {snow: {lump: {shape: {box: {size: [20 cm, 20 cm, 20 cm]}}, at: [2, 0.6, 0], temperature: 0 C}}, "
    "water: {drop: {shape: {box: {size: [20 cm, 20 cm, 20 cm]}}, at: [2, 0.6, 1], temperature: 5 C}}}\n"
    "wind: {grid: [20, 10, 20], cell: 50 cm, inflow: {speed: 1 m/s}}\n"
    "flakes: {snowfall: 10 mm/h, shown: 2000}\n";

// Towards where the models are.
static firn_ray ray_of(uint32_t i, uint32_t targets) {
    firn_vec3 from = dvec_add(random_vec(SEED, i, 0, 3), dvec(0.5, 3.5, 0.5));
    firn_vec3 to = dvec_add(random_vec(SEED, i, 1, 0.3), dvec((double)(i % 4) - 1, 0.6, i % 3 == 0));
    return (firn_ray){from, dvec_sub(to, from), INFINITY, targets};
}

typedef struct found {
    double t;
    size_t member, item;
} found;

static void search_model(const firn_world *world, size_t m, firn_vec3 o, firn_vec3 d, found *best) {
    const firn_drawing *drawing = world_model_class(world, m)->drawing;
    const void *model = world_model(world, m);
    if (!drawing || !drawing->position) return;
    firn_field f = firn_world_field(world, drawing->position);
    uint32_t *look = calloc(f.count + 1, sizeof *look);
    if (drawing->look_of) drawing->look_of(model, look);
    for (size_t i = 0; i < f.count; i++) {
        firn_look l = drawing->look(model, look[i]);
        float c[3];
        field_position_near(&f, i, dvec(0, 0, 0), c);
        firn_vec3 from = dvec_sub(o, dvec_of_floats(c));
        double radius = (double)(float)l.radius, b = dvec_dot(from, d);
        double inside = dvec_dot(from, from) - radius * radius, root = b * b - inside;
        if (l.kind == FIRN_LOOK_FLAKES || !(inside > 0 && root > 0 && b < 0)) continue;
        if (-b - sqrt(root) < best->t) *best = (found){-b - sqrt(root), m, i};
    }
    free(look);
}

static void test_against_all(void **state) {
    (void)state;
    enum { RAYS = 400 };
    firn_world *world = open_text(scene);
    size_t seen[16] = {0};
    for (int round = 0; round < 3; round++) { // each after a step: what was sorted is sorted anew
        for (uint32_t i = 0; i < RAYS; i++) {
            firn_ray ray = ray_of(i, FIRN_RAY_PARTICLES);
            firn_vec3 d = dvec_normalise(ray.direction);
            firn_hit hit;
            found best = {INFINITY, 0, 0};
            for (size_t m = 0; m < world_model_count(world); m++)
                search_model(world, m, ray.origin, d, &best);
            assert_ok(firn_world_rays(world, 1, &ray, &hit));
            assert_int_equal(hit.what, best.t < INFINITY ? FIRN_RAY_PARTICLES : 0);
            assert_int_equal(hit.body, SIZE_MAX);
            if (!hit.what) {
                assert_true(hit.item == SIZE_MAX && hit.model == NULL);
                continue;
            }
            seen[best.member]++;
            assert_near(hit.distance, best.t, 1e-9);
            assert_string_equal(hit.model, world_model_class(world, best.member)->name);
            assert_int_equal(hit.item, best.item);
            assert_near(dvec_length(hit.normal), 1, 1e-9);
            assert_true(dvec_dot(hit.normal, d) < 0);
        }
        assert_ok(firn_world_step(world));
    }
    for (size_t m = 1; m < world_model_count(world); m++) {
        print_message("%s: %zu rays\n", world_model_class(world, m)->name, seen[m]);
        if (strcmp(world_model_class(world, m)->name, "wind") != 0) assert_true(seen[m] > 30);
    }
    firn_world_close(world);
}

// Whatever comes first of particles and bodies; nothing else changes if particles are not asked for.
static void test_with_bodies(void **state) {
    (void)state;
    firn_world *world = open_text(scene);
    firn_hit all, hit;
    size_t before = 0, behind = 0;
    for (uint32_t i = 0; i < 300; i++) {
        firn_ray ray = ray_of(i, 0), bodies = ray_of(i, FIRN_RAY_BODIES),
                 small = ray_of(i, FIRN_RAY_PARTICLES);
        firn_hit solid;
        assert_ok(firn_world_rays(world, 1, &ray, &all));
        assert_ok(firn_world_rays(world, 1, &bodies, &solid));
        assert_ok(firn_world_rays(world, 1, &small, &hit));
        bool first = hit.what && (!solid.what || hit.distance < solid.distance);
        assert_int_equal(all.what, first ? FIRN_RAY_PARTICLES : solid.what);
        assert_true(all.distance == (first ? hit.distance : solid.distance));
        assert_int_equal(all.body, first ? SIZE_MAX : solid.body);
        assert_int_equal(all.item, first ? hit.item : SIZE_MAX);
        before += first, behind += !first;
    }
    assert_true(before > 50 && behind > 50);
    // From inside a grain: the next one, or the ground.
    const float *p = firn_world_field(world, "grains.position").data;
    firn_vec3 inside = dvec((double)p[0], (double)p[1], (double)p[2]);
    assert_ok(firn_world_ray(world, inside, dvec(0, -1, 0), 10, &hit));
    assert_true(hit.what && hit.item != 0);
    firn_world_close(world);
}

static void test_threads(void **state) {
    (void)state;
    enum { RAYS = 1000 };
    static firn_ray rays[RAYS];
    static firn_hit hits[2][RAYS];
    for (uint32_t i = 0; i < RAYS; i++) rays[i] = ray_of(i, 0);
    for (int k = 0; k < THREAD_COUNTS; k++) {
        assert_ok(firn_set_threads(thread_counts[k]));
        firn_world *world = open_text(scene);
        assert_ok(firn_world_rays(world, RAYS, rays, hits[k > 0]));
        for (size_t i = 0; k > 0 && i < RAYS; i++)
            assert_true(hits[0][i].what == hits[1][i].what && hits[0][i].body == hits[1][i].body &&
                        hits[0][i].item == hits[1][i].item && hits[0][i].distance == hits[1][i].distance);
        firn_world_close(world);
    }
    assert_ok(firn_set_threads(0));
}

// Asking leaves no trace in the state; what there is no memory for can be asked again.
static void test_state_and_memory(void **state) {
    (void)state;
    firn_world *world = open_text(scene), *plain = open_text(scene);
    firn_ray ray = ray_of(1, 0);
    firn_hit hit, again;
    firn_status status = FIRN_NO_MEMORY;
    size_t n = 1;
    for (; status == FIRN_NO_MEMORY; n++) {
        failing_allocator failing;
        fail_allocation(&failing, n);
        status = firn_world_rays(world, 1, &ray, &hit);
        assert_ok(firn_set_allocator(NULL));
    }
    assert_ok(status);
    assert_true(n > 20);
    assert_ok(firn_world_rays(plain, 1, &ray, &again));
    assert_true(hit.distance == again.distance && hit.item == again.item);
    assert_ok(firn_world_step(world));
    assert_ok(firn_world_step(plain));
    assert_int_equal(firn_world_hash(world), firn_world_hash(plain));
    // A load: the particles are where they were.
    void *data;
    size_t bytes;
    assert_ok(firn_world_rays(world, 1, &ray, &hit));
    assert_ok(firn_world_save(world, &data, &bytes));
    assert_ok(firn_world_advance(world, 0.2));
    assert_ok(firn_world_rays(world, 1, &ray, &again));
    assert_ok(firn_world_load(world, data, bytes));
    assert_ok(firn_world_rays(world, 1, &ray, &again));
    assert_true(hit.distance == again.distance && hit.item == again.item);
    firn_data_free(data);
    firn_world_close(plain);
    firn_world_close(world);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_all),
        cmocka_unit_test(test_with_bodies),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_state_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
