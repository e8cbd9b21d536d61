// Cameras: fixed, on an orbit, between keyframes, and the one that frames a scene.
#include "support.h"

#include <math.h>

#include "draw/camera.h"

static const firn_vec3 here = {0, 0, 0};

static void test_an_orbit_keeps_height_and_distance(void **state) {
    (void)state;
    scene_camera c = {.from = {3, 2, 4}, .to = {1, 1, 1}, .lens = 0.05, .orbit = 0.7};
    draw_camera start = camera_at(&c, 0, here);
    assert_near(start.from[0], 3, 1e-6);
    assert_near(start.lens, 0.05 / 0.036, 1e-6);
    for (double time = 0; time < 20; time += 0.9) {
        draw_camera now = camera_at(&c, time, here);
        double x = (double)now.from[0] - 1, z = (double)now.from[2] - 1;
        assert_near(now.from[1], 2, 1e-6);
        assert_near(sqrt(x * x + z * z), sqrt(13), 1e-5);
    }
    draw_camera round = camera_at(&c, 2 * 3.14159265358979 / 0.7, here);
    for (int k = 0; k < 3; k++) assert_near(round.from[k], start.from[k], 1e-5);
}

static void test_keyframes_are_met_and_smooth(void **state) {
    (void)state;
    const camera_key keys[] = {{1, {0, 1, 0}, {0, 0, 0}},
                               {2, {1, 1, 3}, {0, 1, 0}},
                               {4, {5, 2, 3}, {1, 1, 0}},
                               {4.5, {5, 4, 0}, {1, 0, 1}}};
    scene_camera c = {.lens = 0.035, .keyframes = {keys, 4}};
    for (int i = 0; i < 4; i++) {
        draw_camera now = camera_at(&c, keys[i].time, here);
        assert_near(now.from[0], keys[i].from.x, 1e-6);
        assert_near(now.from[1], keys[i].from.y, 1e-6);
        assert_near(now.to[2], keys[i].to.z, 1e-6);
    }
    assert_near(camera_at(&c, -10, here).from[0], 0, 0);
    assert_near(camera_at(&c, 100, here).from[1], 4, 0);
    // No jump in speed at a key in between.
    const double h = 1e-3;
    for (int i = 1; i < 3; i++) {
        double before = (double)(camera_at(&c, keys[i].time, here).from[0] -
                                 camera_at(&c, keys[i].time - h, here).from[0]) /
                        h;
        double after = (double)(camera_at(&c, keys[i].time + h, here).from[0] -
                                camera_at(&c, keys[i].time, here).from[0]) /
                       h;
        assert_near(before, after, 0.03);
    }
    assert_near((double)(camera_at(&c, 1 + h, here).from[2] - camera_at(&c, 1, here).from[2]) / h, 0,
                0.03); // starts from rest
}

static void test_framing_shows_the_whole_box(void **state) {
    (void)state;
    for (int i = 0; i < 200; i++) {
        uint32_t n = (uint32_t)i * 2654435761u;
        float sizes[3] = {0.1f + (float)(n & 255) / 20, 0.1f + (float)(n >> 8 & 255) / 20,
                          0.1f + (float)(n >> 16 & 255) / 20};
        draw_box box = {{-3, 1, 7}, {-3 + sizes[0], 1 + sizes[1], 7 + sizes[2]}};
        double aspect = i % 3 == 0 ? 0.6 : i % 3 == 1 ? 1.78 : 3;
        draw_camera c = camera_frame(&box, aspect);
        double f[3], length = 0, most = 0;
        for (int k = 0; k < 3; k++) length += pow((double)c.to[k] - (double)c.from[k], 2);
        for (int k = 0; k < 3; k++) f[k] = ((double)c.to[k] - (double)c.from[k]) / sqrt(length);
        double level = sqrt(f[0] * f[0] + f[2] * f[2]), right[3] = {-f[2] / level, 0, f[0] / level};
        double up[3] = {right[1] * f[2] - right[2] * f[1], right[2] * f[0] - right[0] * f[2],
                        right[0] * f[1] - right[1] * f[0]};
        for (int corner = 0; corner < 8; corner++) {
            double x = 0, y = 0, w = 0;
            for (int k = 0; k < 3; k++) {
                double d = (double)(corner >> k & 1 ? box.high[k] : box.low[k]) - (double)c.from[k];
                x += d * right[k];
                y += d * up[k];
                w += d * f[k];
            }
            assert_true(w > 0);
            double tangent = 0.5 / (double)c.lens;
            most = fmax(most, fmax(fabs(x / w) / tangent, fabs(y / w) / tangent * aspect));
        }
        assert_near(most, 0.84, 0.01); // fills the picture up to its margin, in one direction
        assert_true(c.from[1] > c.to[1]);
    }
    draw_box nothing = draw_box_empty();
    assert_true(isfinite(camera_frame(&nothing, 1.5).from[0]));
}

static void test_cameras_are_found_by_name(void **state) {
    (void)state;
    const scene_camera more[] = {{.name = "front"}, {.name = "top"}};
    scene_def def = {.camera_given = true, .camera = {.name = "main"}, .cameras = {more, 2}};
    const scene_camera *found;
    assert_ok(camera_find(&def, NULL, &found));
    assert_ptr_equal(found, &def.camera);
    assert_ok(camera_find(&def, "top", &found));
    assert_ptr_equal(found, &more[1]);
    assert_ok(camera_find(&def, "main", &found));
    assert_ptr_equal(found, &def.camera);
    assert_int_equal(camera_find(&def, "frnt", &found), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "did you mean 'front'?"));
    assert_non_null(strstr(firn_last_error(), "it has: main, front, top"));
    def.camera_given = false;
    assert_ok(camera_find(&def, NULL, &found));
    assert_ptr_equal(found, &more[0]);
    assert_int_equal(camera_find(&def, "xyzzy", &found), FIRN_BAD_INPUT);
    assert_null(strstr(firn_last_error(), "did you mean"));
    def.cameras.count = 0;
    assert_ok(camera_find(&def, NULL, &found));
    assert_null(found);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_orbit_keeps_height_and_distance),
        cmocka_unit_test(test_keyframes_are_met_and_smooth),
        cmocka_unit_test(test_framing_shows_the_whole_box),
        cmocka_unit_test(test_cameras_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
