// Wrong calls: the library itself, runs, pictures and scenes.
#ifndef WORLD_CALLS_LIBRARY_H
#define WORLD_CALLS_LIBRARY_H

#include <firn/ranks.h>

#include "world/calls_common.h"

static void *never(void *context, size_t bytes) {
    (void)context;
    (void)bytes;
    return NULL;
}
static void call_set_allocator(void) {
    refused(firn_set_allocator(&(firn_allocator){.allocate = never}));
    refused(firn_set_allocator(&(firn_allocator){.release = failing_release}));
    assert_ok(firn_set_allocator(NULL));
}
static void call_set_task_system(void) {
    refused(firn_set_task_system(&(firn_task_system){.threads = 2}));
    assert_ok(firn_set_task_system(NULL));
}
static void call_set_threads(void) {
    refused(firn_set_threads(-1));
    assert_ok(firn_set_threads(1 << 30));
    assert_ok(firn_set_threads(0));
    assert_true(firn_threads() > 0);
}
static void call_context_create(void) {
    firn_context_def def = firn_context_def_default();
    firn_context *context;
    refused(firn_context_create(NULL, &context));
    says("def is NULL");
    assert_null(context);
    refused(firn_context_create(&def, NULL));
    def.threads = -1;
    refused(firn_context_create(&def, &context));
}
static void call_context_close(void) { assert_ok(firn_context_close(NULL)); }
static void call_set_context(void) { firn_set_context(NULL); }
static void call_set_log(void) { firn_set_log(NULL, NULL); }
static void call_set_stop(void) { firn_set_stop(NULL, NULL); }
static void call_set_cache(void) { firn_set_cache(NULL, 1), firn_set_cache("/nowhere", 0); }
static void call_nearest_word(void) {
    const char *const words[] = {"one", NULL};
    assert_null(firn_nearest_word(NULL, words, 1));
    says("word is NULL");
    assert_null(firn_nearest_word("one", NULL, 3));
    assert_null(firn_nearest_word("one", words, 2));
    assert_null(firn_nearest_word("one", NULL, 0));
}

static void call_renderer_open(void) {
    firn_renderer *renderer;
    refused(firn_renderer_open(NULL, NULL, &renderer));
    assert_null(renderer);
    refused(firn_renderer_open(world, NULL, NULL));
    refused(firn_renderer_open(world, &(firn_renderer_options){COOKIE(renderer), .overrides = null_items},
                               &renderer));
    refused(firn_renderer_open(world, &(firn_renderer_options){COOKIE(renderer), .scene = "a", .text = "b"},
                               &renderer));
    refused(firn_renderer_open(world, &(firn_renderer_options){COOKIE(renderer), .width = 9000}, &renderer));
    assert_null(renderer);
}
static void call_renderer_close(void) { firn_renderer_close(NULL); }
static void call_renderer_width(void) { assert_int_equal(firn_renderer_width(NULL), 0); }
static void call_renderer_height(void) { assert_int_equal(firn_renderer_height(NULL), 0); }
static void call_renderer_measure(void) { refused(firn_renderer_measure(NULL)); }
static void call_renderer_draw(void) {
    uint8_t pixel[4];
    refused(firn_renderer_draw(NULL, NULL, pixel, 0));
}
static void call_surface_count(void) { assert_int_equal(firn_world_surface_count(NULL), 0); }
static void call_surface_name(void) {
    assert_null(firn_world_surface_name(NULL, 0));
    assert_null(firn_world_surface_name(world, firn_world_surface_count(world)));
}
static void call_surface_request(void) {
    bool begun = true;
    refused(firn_world_surface_request(NULL, "mpm", NULL, &begun));
    assert_false(begun);
    refused(firn_world_surface_request(world, NULL, NULL, NULL));
    refused(firn_world_surface_request(world, "no such surface", NULL, NULL));
}
static void call_surface(void) {
    firn_surface surface;
    refused(firn_world_surface(NULL, "mpm", &surface));
    refused(firn_world_surface(world, NULL, &surface));
    refused(firn_world_surface(world, "no such surface", &surface));
    refused(firn_world_surface(world, "mpm", NULL));
    assert_null(surface.mesh.position);
}
static void call_surface_wait(void) {
    firn_surface surface;
    refused(firn_world_surface_wait(NULL, "mpm", &surface));
    refused(firn_world_surface_wait(world, NULL, &surface));
    refused(firn_world_surface_wait(world, "no such surface", &surface));
    refused(firn_world_surface_wait(world, "mpm", NULL));
    assert_null(surface.mesh.position);
}

static void call_run(void) {
    refused(firn_run(NULL));
    refused(firn_run(&(firn_run_options){COOKIE(run)}));
    refused(firn_run(&(firn_run_options){COOKIE(run), .scene = "x.yaml"}));
    refused(firn_run(
        &(firn_run_options){COOKIE(run), .scene = "x.yaml", .folder = "x", .overrides = null_items}));
    says("override 0");
}
static void call_verify(void) {
    firn_verify_result result;
    refused(firn_verify(NULL, &result));
    refused(firn_verify(&(firn_verify_options){COOKIE(verify)}, &result));
    refused(firn_verify(&(firn_verify_options){COOKIE(verify), .folder = "x"}, NULL));
}
static void call_instruction_set(void) { assert_ok(firn_instruction_set(NULL)); }
static void call_hash(void) {
    uint64_t hash;
    refused(firn_hash(NULL, none, 1, &hash));
    refused(firn_hash("x.yaml", none, 1, NULL));
    refused(firn_hash("x.yaml", null_override, 1, &hash));
    says("override 0");
}
static void call_run_world(void) {
    firn_world *w = world;
    refused(firn_run_world(NULL, 0, &w));
    refused(firn_run_world("x", 0, NULL));
    refused(firn_run_world("/nowhere/x", 0, &w));
    assert_null(w);
}
static void call_info(void) {
    char *text;
    refused(firn_info(NULL, false, &text));
    assert_null(text);
    refused(firn_info("x", false, NULL));
}
static void call_info_plot(void) {
    refused(firn_info_plot(NULL, "x.png"));
    refused(firn_info_plot("x", NULL));
}
static void call_render(void) {
    refused(firn_render(NULL));
    refused(firn_render(&(firn_render_options){COOKIE(render)}));
    refused(firn_render(&(firn_render_options){COOKIE(render), .folder = "x"}));
    refused(firn_render(&(firn_render_options){COOKIE(render), .output = "x.png"}));
    refused(firn_render(
        &(firn_render_options){COOKIE(render), .folder = "x", .output = "x.png", .more = {NULL, 2}}));
    refused(firn_render(
        &(firn_render_options){COOKIE(render), .folder = "x", .output = "x.png", .more = {null_item, 1}}));
    refused(firn_render(
        &(firn_render_options){COOKIE(render), .folder = "x", .output = "x.png", .overrides = null_items}));
}
static void call_export(void) {
    refused(firn_export(NULL));
    refused(firn_export(&(firn_export_options){COOKIE(export)}));
    refused(firn_export(&(firn_export_options){COOKIE(export), .folder = "x", .output = "y"}));
    refused(firn_export(&(firn_export_options){COOKIE(export), .folder = "x", .format = "ply"}));
}

static void call_set_scene_folders(void) {
    char folders[5000];
    memset(folders, 'x', sizeof folders);
    folders[sizeof folders - 1] = 0;
    refused(firn_set_scene_folders(folders));
    assert_ok(firn_set_scene_folders(NULL));
}
static void call_text_free(void) { firn_text_free(NULL); }
static void call_scene_check(void) {
    firn_check check;
    refused(firn_scene_check("x.yaml", none, 0, NULL));
    refused(firn_scene_check(NULL, none, 0, &check));
    firn_check_free(&check);
    refused(firn_scene_check("x.yaml", null_items, 0, &check));
    firn_check_free(&check);
}
static void call_scene_check_ranks(void) {
    firn_cost cost = {0};
    firn_rank_cost out;
    refused(firn_scene_check_ranks(NULL, none, &cost, 2, &out));
    refused(firn_scene_check_ranks("x.yaml", none, NULL, 2, &out));
    refused(firn_scene_check_ranks("x.yaml", none, &cost, 2, NULL));
    refused(firn_scene_check_ranks("x.yaml", none, &cost, 0, &out));
    refused(firn_scene_check_ranks("x.yaml", null_items, &cost, 2, &out));
}
static void call_ranks_start(void) {
    int count = 0;
    char **words = NULL;
    refused(firn_ranks_start(NULL, &words));
    refused(firn_ranks_start(&count, NULL));
}
static void call_rank_work_of(void) { assert_true(firn_rank_work_of(7).bytes == 0); }
static void call_check_free(void) { firn_check_free(NULL); }
static void call_explain(void) {
    char *text;
    refused(firn_explain("snow", false, NULL));
    assert_ok(firn_explain(NULL, true, &text));
    firn_text_free(text);
}
static void call_explain_names(void) { refused(firn_explain_names(NULL)); }
static void call_list(void) {
    char *text;
    refused(firn_list(NULL, false, NULL));
    assert_ok(firn_list(NULL, true, &text));
    firn_text_free(text);
}
static void call_scene_template(void) {
    char *text;
    refused(firn_scene_template("x", NULL));
    assert_ok(firn_scene_template(NULL, &text));
    firn_text_free(text);
}
static void call_scene_reference(void) { refused(firn_scene_reference(NULL)); }
static void call_coupling_reference(void) { refused(firn_coupling_reference(NULL)); }
static void call_scene_title(void) {
    char *text;
    refused(firn_scene_title(NULL, &text));
    refused(firn_scene_title("x.yaml", NULL));
    says("title is NULL");
}

#endif
