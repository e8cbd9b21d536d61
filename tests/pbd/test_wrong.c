// Wrong scenes of particles: each says what is wrong and where.
#include "pbd/soft.h"

static void refused(const char *pbd_text, const char *part) {
    char scene[1024];
    snprintf(scene, sizeof scene,
             "firn: 1\nbodies: {ground: {shape: plane}, box: {shape: box, at: [0, 5, 0], motion: "
             "dynamic}}\npbd: %s\n",
             pbd_text);
    firn_world *world = NULL;
    firn_status status = firn_world_open_text(scene, "wrong", &world);
    if (status == FIRN_OK) firn_world_close(world);
    if (status != FIRN_BAD_INPUT) fail_msg("was let through: %s", pbd_text);
    if (!strstr(firn_last_error(), part)) fail_msg("'%s' says: %s", pbd_text, firn_last_error());
}

static void test_wrong_scenes_are_refused(void **state) {
    (void)state;
    refused("{}", "there are no particles");
    refused("{solids: {a: {density: 0}}}", "density");
    refused("{solids: {a: {density: -3 kg/m3}}}", "density");
    refused("{solids: {a: {shape: plane}}}", "a plane is infinite");
    refused("{solids: {a: {lattice: [2.5, 1, 1]}}}", "three whole numbers");
    refused("{solids: {a: {lattice: [2, 0, 1]}}}", "three whole numbers");
    refused("{solids: {a: {lattice: [1000000, 1000000, 1]}}}", "530 TB of memory");
    refused("{solids: {a: {shape: {box: {size: [1, 0.01, 1]}}, spacing: 5 cm}}}", "0.01 m thick");
    refused("{solids: {a: {spacing: 5 cm, radius: 6 cm}}}", "larger than their spacing");
    refused("{solids: {a: {spacing: 5 cm, near: 4 cm}}}", "less than the spacing");
    refused("{solids: {a: {near: 20 cm, far: 10 cm}}}", "must be larger than near");
    refused("{solids: {a: {friction: 0.5, static_friction: 0.4}}}", "must not be less than friction");
    refused("{solids: {a: {lattice: [3, 3, 3]}, b: {lattice: [3, 3, 3], at: [5 cm, 0, 0]}}}", "are both at");
    refused("{solids: {a: {lattice: [5, 5, 1], volume_stiffness: 1 kPa}}}", "no volume to conserve");
    refused("{solids: {a: {links: shape, break_strain: 0.2}}}", "no links that could break");
    refused("{solver: gauss, solids: {a: {lattice: [2, 2, 2]}}}", "gauss_seidel");
    refused("{substeps: -1, solids: {a: {lattice: [2, 2, 2]}}}", "substeps");
    refused("{solids: {a: {lattice: [2, 2, 2]}}, pins: {p: {at: [9, 9, 9]}}}",
            "no particle of a solid is inside");
    refused("{solids: {a: {lattice: [2, 2, 2]}}, pins: {p: {body: nobody}}}", "there is no body 'nobody'");
    refused("{solids: {a: {lattice: [2, 2, 2]}}, pins: {p: {body: box}}}", "is dynamic");
    refused("{solids: {a: {lattice: [2, 2, 2]}}, pins: {p: {}, r: {}}}", "two pins");
    refused("{solids: {a: {lattice: [2, 2, 2]}}, box: {walls: [{low: [0, 0, 0], high: [1, 0, 1]}]}}",
            "above low");
    refused("{solids: {a: {lattice: [2, 2, 2]}}, box: {walls: [{low: [-1, -1, -1], high: [1, 1, 1]}, {time: "
            "0, low: "
            "[-1, -1, -1], high: [1, 1, 1]}]}}",
            "times must increase");
    refused("{solids: {a: {lattice: [2, 2, 2], at: [0, 1e5, 0], velocity: [9999, 0, 0]}}}", "velocity");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrong_scenes_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
