// Wrong calls of the public API: NULL and indices out of range are answered, never a crash. The functions are
// taken from the headers: who adds one adds a row here.
#include <dirent.h>

#include "base/file.h"
#include "world/calls_bodies.h"
#include "world/calls_extend.h"
#include "world/calls_library.h"
#include "world/calls_view.h"
#include "world/calls_world.h"

// Functions without arguments need no row.
static const struct {
    const char *name;
    void (*call)(void);
} calls[] = {
    {"firn_set_allocator", call_set_allocator},
    {"firn_set_task_system", call_set_task_system},
    {"firn_set_threads", call_set_threads},
    {"firn_set_log", call_set_log},
    {"firn_context_create", call_context_create},
    {"firn_context_close", call_context_close},
    {"firn_set_context", call_set_context},
    {"firn_set_stop", call_set_stop},
    {"firn_set_cache", call_set_cache},
    {"firn_nearest_word", call_nearest_word},
    {"firn_renderer_open", call_renderer_open},
    {"firn_renderer_close", call_renderer_close},
    {"firn_renderer_width", call_renderer_width},
    {"firn_renderer_height", call_renderer_height},
    {"firn_renderer_measure", call_renderer_measure},
    {"firn_renderer_draw", call_renderer_draw},
    {"firn_renderer_camera_count", call_renderer_camera_count},
    {"firn_renderer_camera_name", call_renderer_camera_name},
    {"firn_renderer_camera", call_renderer_camera},
    {"firn_picture_write", call_picture_write},
    {"firn_movie_open", call_movie_open},
    {"firn_movie_add", call_movie_add},
    {"firn_movie_close", call_movie_close},
    {"firn_player_open", call_player_open},
    {"firn_player_close", call_player_close},
    {"firn_player_world", call_player_world},
    {"firn_player_refresh", call_player_refresh},
    {"firn_player_count", call_player_count},
    {"firn_player_frame", call_player_frame},
    {"firn_player_show", call_player_show},
    {"firn_world_open_with", call_world_open_with},
    {"firn_world_params", call_world_params},
    {"firn_world_model_seconds", call_model_seconds},
    {"firn_world_pass_count", call_pass_count},
    {"firn_world_pass", call_pass},
    {"firn_dimension_unit", call_dimension_unit},
    {"firn_world_surface_count", call_surface_count},
    {"firn_world_surface_name", call_surface_name},
    {"firn_world_surface_request", call_surface_request},
    {"firn_world_surface", call_surface},
    {"firn_world_surface_wait", call_surface_wait},
    {"firn_run", call_run},
    {"firn_verify", call_verify},
    {"firn_instruction_set", call_instruction_set},
    {"firn_run_world", call_run_world},
    {"firn_hash", call_hash},
    {"firn_info", call_info},
    {"firn_info_plot", call_info_plot},
    {"firn_render", call_render},
    {"firn_export", call_export},
    {"firn_set_scene_folders", call_set_scene_folders},
    {"firn_text_free", call_text_free},
    {"firn_scene_check", call_scene_check},
    {"firn_scene_check_ranks", call_scene_check_ranks},
    {"firn_ranks_start", call_ranks_start},
    {"firn_rank_work_of", call_rank_work_of},
    {"firn_check_free", call_check_free},
    {"firn_explain", call_explain},
    {"firn_explain_names", call_explain_names},
    {"firn_list", call_list},
    {"firn_scene_template", call_scene_template},
    {"firn_scene_reference", call_scene_reference},
    {"firn_coupling_reference", call_coupling_reference},
    {"firn_scene_title", call_scene_title},
    {"firn_world_snowfield", call_snowfield},
    {"firn_snowfield_read", call_snowfield_read},
    {"firn_snowfield_surface", call_snowfield_surface},
    {"firn_world_snowfield_changes", call_snowfield_changes},
    {"firn_world_open", call_world_open},
    {"firn_world_open_text", call_world_open_text},
    {"firn_world_create", call_world_create},
    {"firn_world_close", call_world_close},
    {"firn_world_step", call_world_step},
    {"firn_world_advance", call_world_advance},
    {"firn_world_advance_frame", call_world_advance_frame},
    {"firn_world_set_budget", call_world_set_budget},
    {"firn_world_time", call_world_time},
    {"firn_world_steps", call_world_steps},
    {"firn_world_frame", call_world_frame},
    {"firn_world_frames", call_world_frames},
    {"firn_world_duration", call_world_duration},
    {"firn_world_hash", call_world_hash},
    {"firn_world_set", call_world_set},
    {"firn_world_add_body", call_world_add_body},
    {"firn_world_remove_body", call_world_remove_body},
    {"firn_world_add_pour", call_world_add_pour},
    {"firn_world_add_emitter", call_world_add_emitter},
    {"firn_world_add_spout", call_world_add_spout},
    {"firn_world_add_phase_spout", call_world_add_phase_spout},
    {"firn_world_add_snow", call_world_add_snow},
    {"firn_world_add_grains", call_world_add_grains},
    {"firn_world_add_pool", call_world_add_pool},
    {"firn_world_add_phase_snow", call_world_add_phase_snow},
    {"firn_world_add_phase_water", call_world_add_phase_water},
    {"firn_world_add_solid", call_world_add_solid},
    {"firn_world_add_pin", call_world_add_pin},
    {"firn_world_add_constraint", call_world_add_constraint},
    {"firn_world_remove", call_world_remove},
    {"firn_world_remove_inside", call_world_remove_inside},
    {"firn_world_heat_inside", call_world_heat_inside},
    {"firn_world_heap", call_world_heap},
    {"firn_world_push_inside", call_world_push_inside},
    {"firn_world_set_text", call_world_set_text},
    {"firn_world_get_text", call_world_get_text},
    {"firn_world_live_count", call_world_live_count},
    {"firn_world_live_name", call_world_live_name},
    {"firn_world_set_vector", call_world_set_vector},
    {"firn_world_get", call_world_get},
    {"firn_world_get_vector", call_world_get_vector},
    {"firn_world_save", call_world_save},
    {"firn_world_load", call_world_load},
    {"firn_world_save_file", call_world_save_file},
    {"firn_world_load_file", call_world_load_file},
    {"firn_data_free", call_data_free},
    {"firn_world_field_count", call_world_field_count},
    {"firn_world_field_at", call_world_field_at},
    {"firn_world_field", call_world_field},
    {"firn_world_body_count", call_body_count},
    {"firn_world_body_name", call_body_name},
    {"firn_world_body_find", call_body_find},
    {"firn_world_body_state", call_body_state},
    {"firn_world_body_push", call_body_push},
    {"firn_world_body_set_target", call_body_set_target},
    {"firn_world_body_place", call_body_place},
    {"firn_world_body_reaction", call_body_reaction},
    {"firn_world_body_query", call_body_query},
    {"firn_world_body_mesh", call_body_mesh},
    {"firn_world_body_set_user", call_body_set_user},
    {"firn_world_body_user", call_body_user},
    {"firn_world_ray", call_world_ray},
    {"firn_event_name", call_event_name},
    {"firn_world_listen", call_world_listen},
    {"firn_world_events", call_world_events},
    {"firn_event_add", call_event_add},
    {"firn_world_rays", call_world_rays},
    {"firn_world_depth", call_world_depth},
    {"firn_world_ledger_count", call_ledger_count},
    {"firn_world_ledger", call_ledger},
    {"firn_world_coupling_count", call_coupling_count},
    {"firn_world_coupling", call_coupling},
    {"firn_register_snow_type", call_register_snow_type},
    {"firn_register_model", call_register_model},
    {"firn_world_def_extend", call_def_extend},
    {"firn_fail", call_fail},
    {"firn_parallel_for", call_parallel_for},
    {"firn_body_set_count", call_body_set_count},
    {"firn_body_set_name", call_body_set_name},
    {"firn_body_set_state", call_body_set_state},
    {"firn_body_set_material", call_body_set_material},
    {"firn_body_set_query", call_body_set_query},
    {"firn_body_set_sweep", call_body_set_sweep},
    {"firn_body_set_push", call_body_set_push},
    {"firn_register_constraint", call_register_constraint},
    {"firn_param_defaults", call_param_defaults},
    {"firn_world_series_count", call_series_count},
    {"firn_world_series_at", call_series},
};
enum { CALLS = sizeof calls / sizeof calls[0] };

static void test_wrong_calls_are_answered(void **state) {
    (void)state;
    assert_ok(firn_world_open_text("firn: 1\nbodies: {ground: {shape: plane}}\n", "one ground", &world));
    for (size_t i = 0; i < CALLS; i++) calls[i].call();
    assert_ok(firn_world_step(world)); // and it is as it was
    firn_world_close(world);
    world = NULL;
}

// "FIRN_API size_t firn_world_field_count(const firn_world *world);": the name, and whether it has arguments.
static size_t functions_of(const char *header, size_t seen[CALLS]) {
    size_t found = 0;
    for (const char *at = header; (at = strstr(at, "FIRN_API ")); at++) {
        const char *end = strpbrk(at, "(;"), *name = end;
        if (!end || *end != '(' || strncmp(at + 9, "__attribute__", 13) == 0) continue;
        while (name > at && (name[-1] == '_' || (name[-1] >= 'a' && name[-1] <= 'z') ||
                             (name[-1] >= '0' && name[-1] <= '9')))
            name--;
        size_t length = (size_t)(end - name), i = 0;
        if (strncmp(name, "firn_", 5) != 0) continue;
        found++;
        if (strncmp(end, "(void)", 6) == 0) continue;
        while (i < CALLS && (strlen(calls[i].name) != length || strncmp(calls[i].name, name, length) != 0))
            i++;
        if (i == CALLS) fail_msg("%.*s has no row in tests/world/test_calls.c", (int)length, name);
        seen[i]++;
    }
    return found;
}

static void test_every_function_has_a_row(void **state) {
    (void)state;
    size_t seen[CALLS] = {0}, found = 0;
    DIR *folder = opendir(FIRN_SOURCE_DIR "/include/firn");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[600], *header;
        size_t bytes;
        if (!strstr(entry->d_name, ".h")) continue;
        snprintf(path, sizeof path, FIRN_SOURCE_DIR "/include/firn/%s", entry->d_name);
        assert_ok(file_read_whole(path, 1 << 20, &header, &bytes));
        found += functions_of(header, seen);
        mem_free(header);
    }
    closedir(folder);
    assert_true(found > 70); // the headers were understood
    for (size_t i = 0; i < CALLS; i++)
        if (seen[i] != 1) fail_msg("%s is in the headers %zu times", calls[i].name, seen[i]);
}

static void *askew(void *context, size_t bytes) {
    (void)context;
    char *memory = aligned_alloc(64, (bytes + 16 + 63) / 64 * 64);
    return memory ? memory + 16 : NULL;
}

static void release_askew(void *context, void *memory, size_t bytes) {
    (void)context;
    (void)bytes;
    free((char *)memory - 16);
}

static void test_an_allocator_must_align(void **state) {
    (void)state;
    firn_world *w;
    firn_world_def def = firn_world_def_default();
    firn_body_def ground = firn_body_def_default();
    ground.name = "ground";
    ground.shape.kind = FIRN_SHAPE_PLANE;
    def.bodies.items = &ground;
    def.bodies.count = 1;
    assert_ok(firn_set_allocator(&(firn_allocator){askew, release_askew, NULL}));
    refused(firn_world_create(&def, &w));
    says("not aligned to 64 bytes");
    assert_null(w);
    assert_ok(firn_set_allocator(NULL));
    assert_ok(firn_world_create(&def, &w));
    firn_world_close(w);
    assert_int_equal(mem_in_use(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_function_has_a_row),
        cmocka_unit_test(test_wrong_calls_are_answered),
        cmocka_unit_test(test_an_allocator_must_align),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
