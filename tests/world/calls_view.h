// Wrong calls of what a viewer needs: cameras, pictures, players, the list of parameters.
#ifndef TESTS_WORLD_CALLS_VIEW_H
#define TESTS_WORLD_CALLS_VIEW_H

#include "world/calls_common.h"

static void call_renderer_camera_count(void) { assert_int_equal(firn_renderer_camera_count(NULL), 0); }
static void call_renderer_camera_name(void) { assert_null(firn_renderer_camera_name(NULL, 0)); }
static void call_renderer_camera(void) {
    firn_camera camera;
    refused(firn_renderer_camera(NULL, NULL, &camera));
}
static void call_picture_write(void) {
    const uint8_t pixel[4] = {0};
    refused(firn_picture_write(NULL, 16, 16, pixel, 0));
    refused(firn_picture_write("x.png", 16, 16, NULL, 0));
    refused(firn_picture_write("x.png", 1, 1, pixel, 0));
    refused(firn_picture_write("x.png", 16, 16, pixel, 8));
}
static void call_movie_open(void) {
    firn_movie *movie;
    refused(firn_movie_open(NULL, 16, 16, 25, &movie));
    assert_null(movie);
    refused(firn_movie_open("x.mp4", 16, 16, 25, NULL));
    refused(firn_movie_open("x.mp4", 17, 16, 25, &movie));
    refused(firn_movie_open("x.mp4", 16, 16, 0, &movie));
}
static void call_movie_add(void) {
    const uint8_t pixel[4] = {0};
    refused(firn_movie_add(NULL, pixel, 0));
}
static void call_movie_close(void) { assert_ok(firn_movie_close(NULL, true)); }
static void call_player_open(void) {
    firn_player *player;
    refused(firn_player_open(NULL, &player));
    assert_null(player);
    refused(firn_player_open("x", NULL));
    refused(firn_player_open("no-such-folder", &player));
    assert_null(player);
}
static void call_player_close(void) { firn_player_close(NULL); }
static void call_player_world(void) { assert_null(firn_player_world(NULL)); }
static void call_player_refresh(void) { refused(firn_player_refresh(NULL)); }
static void call_player_count(void) { assert_int_equal(firn_player_count(NULL), 0); }
static void call_player_frame(void) { assert_int_equal(firn_player_frame(NULL, 0), 0); }
static void call_player_show(void) { refused(firn_player_show(NULL, 0)); }
static void call_world_open_with(void) {
    firn_world *made;
    refused(firn_world_open_with(NULL, none, &made));
    assert_null(made);
    refused(firn_world_open_with("x.yaml", none, NULL));
    refused(firn_world_open_with("x.yaml", null_items, &made));
}
static void see_nothing(void *context, const char *name, const firn_param_row *row) {
    (void)context, (void)name, (void)row;
}
static void call_world_params(void) {
    refused(firn_world_params(NULL, see_nothing, NULL));
    refused(firn_world_params(world, NULL, NULL));
}
static void call_model_seconds(void) {
    assert_true(firn_world_model_seconds(NULL, 0) == 0);
    assert_true(firn_world_model_seconds(world, firn_world_ledger_count(world)) == 0);
}
static void call_pass_count(void) { assert_int_equal(firn_world_pass_count(NULL), 0); }
static void call_pass(void) {
    assert_null(firn_world_pass(NULL, 0).name);
    assert_null(firn_world_pass(world, firn_world_pass_count(world)).name);
}
static void call_dimension_unit(void) {
    assert_null(firn_dimension_unit(FIRN_DIM_COUNT_));
    assert_string_equal(firn_dimension_unit(FIRN_DIM_DENSITY), "kg/m3");
}

#endif
