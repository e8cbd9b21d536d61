// Wrong calls of the public API: NULL and indices out of range are answered, never a crash. The functions are
// taken from the headers: who adds one adds a row here.
#include "support.h"

#include <dirent.h>
#include <math.h>

#include "base/file.h"
#include "base/memory.h"

static firn_world *world; // one ground, no snow

// The call was refused, and a message says why.
static void refused(firn_status status) {
    assert_int_equal(status, FIRN_BAD_INPUT);
    assert_true(firn_last_error()[0] != 0);
}

// The message is new: each of the calls before it left another one.
static void says(const char *words) {
    if (!strstr(firn_last_error(), words))
        fail_msg("'%s' is not in the message: %s", words, firn_last_error());
}

static const firn_overrides none = {0}, null_items = {NULL, 1};
static const char *const null_item[] = {NULL};
static const firn_overrides null_override = {null_item, 1};
static const size_t beyond = SIZE_MAX;

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
static void call_scene_title(void) {
    char *text;
    refused(firn_scene_title(NULL, &text));
    refused(firn_scene_title("x.yaml", NULL));
    says("title is NULL");
}

static void call_snowfield(void) {
    firn_snowfield field;
    refused(firn_world_snowfield(NULL, &field));
    refused(firn_world_snowfield(world, NULL));
    says("field is NULL");
    refused(firn_world_snowfield(world, &field));
}
static void call_snowfield_read(void) {
    float depth = 7;
    firn_snowfield_read(NULL, (firn_cells){0, 0, 1, 1}, NULL, &depth, NULL);
    says("the field is NULL");
    firn_snowfield_read(&(firn_snowfield){0}, (firn_cells){0, 0, 1, 1}, NULL, &depth, NULL);
    says("the field is empty");
    assert_true(depth == 7);
}
static void call_snowfield_surface(void) {
    assert_true(firn_snowfield_surface(NULL, 0, 0) == 0);
    assert_true(firn_snowfield_surface(&(firn_snowfield){0}, 0, 0) == 0);
}
static void call_snowfield_changes(void) {
    firn_cells cells;
    assert_int_equal(firn_world_snowfield_changes(NULL, &cells, 1), 0);
    assert_int_equal(firn_world_snowfield_changes(world, NULL, 1), 0);
    says("NULL");
    assert_int_equal(firn_world_snowfield_changes(world, &cells, 1), 0);
}

static void call_world_open(void) {
    firn_world *w;
    refused(firn_world_open("x.yaml", NULL));
    refused(firn_world_open(NULL, &w));
    assert_null(w);
}
static void call_world_set(void) {
    refused(firn_world_set(NULL, "air.temperature", 1));
    refused(firn_world_set(world, NULL, 1));
}

static void call_world_set_vector(void) {
    refused(firn_world_set_vector(NULL, "gravity", (firn_vec3){0}));
    refused(firn_world_set_vector(world, NULL, (firn_vec3){0}));
}

static void call_world_set_text(void) {
    refused(firn_world_set_text(NULL, "gravity", "[0, 0, 0]"));
    refused(firn_world_set_text(world, NULL, "1"));
    refused(firn_world_set_text(world, "max_step", NULL));
}

static void call_world_get_text(void) {
    char text[8];
    refused(firn_world_get_text(NULL, "gravity", text, sizeof text));
    refused(firn_world_get_text(world, NULL, text, sizeof text));
    refused(firn_world_get_text(world, "gravity", NULL, 8));
    refused(firn_world_get_text(world, "gravity", text, 0));
}

static void call_world_live_count(void) { assert_int_equal(firn_world_live_count(NULL), 0); }
static void call_world_live_name(void) {
    char text[512];
    refused(firn_world_live_name(NULL, 0, text, sizeof text));
    refused(firn_world_live_name(world, 0, NULL, 8));
    refused(firn_world_live_name(world, beyond, text, sizeof text));
    refused(firn_world_live_name(world, 0, text, 1));
}

static void call_world_add_body(void) {
    firn_body_def def = firn_body_def_default();
    size_t body = 0;
    refused(firn_world_add_body(NULL, &def, &body));
    assert_true(body == SIZE_MAX);
    refused(firn_world_add_body(world, NULL, &body));
    refused(firn_world_add_body(world, &def, NULL)); // it has no name
}

static void call_world_remove_body(void) {
    refused(firn_world_remove_body(NULL, 0));
    refused(firn_world_remove_body(world, beyond));
}

#define CALL_ADD(what, type)                                                                                 \
    static void call_world_add_##what(void) {                                                                \
        firn_##type def = firn_##type##_default();                                                           \
        refused(firn_world_add_##what(NULL, &def));                                                          \
        refused(firn_world_add_##what(world, NULL));                                                         \
        refused(firn_world_add_##what(world, &def));                                                         \
    }
CALL_ADD(pour, snowfield_pour_def)
CALL_ADD(emitter, mpm_emit_def)
CALL_ADD(spout, pbd_spout_def)
CALL_ADD(phase_spout, phase_spout_def)
CALL_ADD(snow, mpm_snow_def)
CALL_ADD(grains, grains_fill_def)
CALL_ADD(pool, pbd_pool_def)
CALL_ADD(phase_snow, phase_snow_def)
CALL_ADD(phase_water, phase_water_def)

static void call_world_remove(void) {
    refused(firn_world_remove(NULL, "bodies.ground"));
    refused(firn_world_remove(world, NULL));
    refused(firn_world_remove(world, "bodies.nobody"));
    refused(firn_world_remove(world, "gravity"));
}

static void call_world_remove_inside(void) {
    firn_fill_def where = firn_mpm_snow_def_default().fill;
    refused(firn_world_remove_inside(NULL, where));
    where.scale = -1;
    refused(firn_world_remove_inside(world, where));
}

static void call_world_get(void) {
    double value;
    refused(firn_world_get(NULL, "air.temperature", &value));
    refused(firn_world_get(world, NULL, &value));
    refused(firn_world_get(world, "air.temperature", NULL));
}

static void call_world_get_vector(void) {
    firn_vec3 value;
    refused(firn_world_get_vector(NULL, "gravity", &value));
    refused(firn_world_get_vector(world, NULL, &value));
    refused(firn_world_get_vector(world, "gravity", NULL));
}

static void call_world_save(void) {
    void *data = &data;
    size_t bytes = 1;
    refused(firn_world_save(NULL, &data, &bytes));
    assert_null(data);
    assert_int_equal(bytes, 0);
    refused(firn_world_save(world, NULL, &bytes));
    refused(firn_world_save(world, &data, NULL));
}

static void call_world_load(void) {
    refused(firn_world_load(NULL, "x", 1));
    refused(firn_world_load(world, NULL, 1));
    refused(firn_world_load(world, "x", 1));
}

static void call_world_save_file(void) {
    refused(firn_world_save_file(NULL, "x"));
    refused(firn_world_save_file(world, NULL));
}

static void call_world_load_file(void) {
    refused(firn_world_load_file(NULL, "x"));
    refused(firn_world_load_file(world, NULL));
}

static void call_data_free(void) { firn_data_free(NULL); }

static void call_world_open_text(void) {
    firn_world *w;
    refused(firn_world_open_text("firn: 1", "x", NULL));
    refused(firn_world_open_text(NULL, "x", &w));
    says("NULL");
    assert_null(w);
    refused(firn_world_open_text("firn: 1", NULL, &w));
    assert_null(w);
}
static void call_world_create(void) {
    firn_world *w;
    firn_world_def def = firn_world_def_default();
    refused(firn_world_create(NULL, &w));
    assert_null(w);
    refused(firn_world_create(&def, NULL));
    says("world is NULL");
    def.bodies.count = 3; // of no items
    refused(firn_world_create(&def, &w));
    assert_null(w);
}
static void call_world_close(void) { firn_world_close(NULL); }

static void call_world_step(void) { refused(firn_world_step(NULL)); }
static void call_world_advance(void) {
    refused(firn_world_advance(NULL, 1));
    refused(firn_world_advance(world, 0));
    refused(firn_world_advance(world, (double)INFINITY));
}
static void call_world_advance_frame(void) { refused(firn_world_advance_frame(NULL)); }
static void call_world_set_budget(void) {
    refused(firn_world_set_budget(NULL, 1));
    refused(firn_world_set_budget(world, -1));
    refused(firn_world_set_budget(world, (double)NAN));
}
static void call_world_time(void) { assert_true(firn_world_time(NULL) == 0); }
static void call_world_steps(void) { assert_int_equal(firn_world_steps(NULL), 0); }
static void call_world_frame(void) { assert_int_equal(firn_world_frame(NULL), 0); }
static void call_world_frames(void) { assert_int_equal(firn_world_frames(NULL), 0); }
static void call_world_duration(void) { assert_true(firn_world_duration(NULL) == 0); }
static void call_world_hash(void) { assert_int_equal(firn_world_hash(NULL), 0); }

static void call_world_field_count(void) { assert_int_equal(firn_world_field_count(NULL), 0); }
static void call_world_field_at(void) {
    assert_null(firn_world_field_at(NULL, 0).data);
    assert_null(firn_world_field_at(world, beyond).name);
    assert_null(firn_world_field_at(world, firn_world_field_count(world)).data);
    says("there is no field");
}
static void call_world_field(void) {
    assert_null(firn_world_field(NULL, "bodies.position").data);
    assert_null(firn_world_field(world, NULL).data);
    says("name is NULL");
    assert_null(firn_world_field(world, "").data);
}
static void call_body_count(void) { assert_int_equal(firn_world_body_count(NULL), 0); }
static void call_body_name(void) {
    assert_null(firn_world_body_name(NULL, 0));
    assert_null(firn_world_body_name(world, beyond));
    says("there is no body");
}
static void call_body_find(void) {
    assert_true(firn_world_body_find(NULL, "ground") == SIZE_MAX);
    assert_true(firn_world_body_find(world, NULL) == SIZE_MAX);
    says("name is NULL");
}
static void call_body_state(void) {
    assert_true(firn_world_body_state(NULL, 0).rotation.w == 0);
    assert_true(firn_world_body_state(world, 1).rotation.w == 0);
    says("there is no body 1");
}
static void call_body_push(void) {
    refused(firn_world_body_push(NULL, 0, (firn_vec3){0}, (firn_vec3){0}));
    refused(firn_world_body_push(world, beyond, (firn_vec3){0}, (firn_vec3){0}));
    refused(firn_world_body_push(world, 0, (firn_vec3){.x = (double)NAN}, (firn_vec3){0}));
}
static void call_body_set_target(void) {
    refused(firn_world_body_set_target(NULL, 0, (firn_vec3){0}, (firn_quat){.w = 1}, 0));
    refused(firn_world_body_set_target(world, beyond, (firn_vec3){0}, (firn_quat){.w = 1}, 0));
}
static void call_body_place(void) {
    refused(firn_world_body_place(NULL, 0, &(firn_body_state){0}));
    refused(firn_world_body_place(world, beyond, &(firn_body_state){0}));
    refused(firn_world_body_place(world, 0, NULL));
    says("state is NULL");
}
static void call_body_reaction(void) {
    assert_true(firn_world_body_reaction(NULL, 0).impulse.x == 0);
    assert_true(firn_world_body_reaction(world, beyond).impulse.x == 0);
    says("there is no body");
}
static void call_body_mesh(void) {
    firn_mesh mesh;
    refused(firn_world_body_mesh(NULL, 0, &mesh));
    refused(firn_world_body_mesh(world, beyond, &mesh));
    assert_int_equal(mesh.vertices, 0);
    refused(firn_world_body_mesh(world, 0, NULL));
    says("mesh is NULL");
}
static void call_body_set_user(void) {
    refused(firn_world_body_set_user(NULL, 0, NULL));
    refused(firn_world_body_set_user(world, beyond, NULL));
    assert_ok(firn_world_body_set_user(world, 0, NULL));
}
static void call_body_user(void) {
    assert_null(firn_world_body_user(NULL, 0));
    assert_null(firn_world_body_user(world, beyond));
    says("there is no body");
}
static void call_world_ray(void) {
    const firn_vec3 down = {0, -1, 0}, nowhere = {0}, bad = {.x = (double)NAN};
    firn_hit hit;
    refused(firn_world_ray(NULL, nowhere, down, 1, &hit));
    refused(firn_world_ray(world, nowhere, down, 1, NULL));
    says("hit is NULL");
    refused(firn_world_ray(world, bad, down, 1, &hit));
    refused(firn_world_ray(world, nowhere, nowhere, 1, &hit));
    refused(firn_world_ray(world, nowhere, bad, 1, &hit));
    refused(firn_world_ray(world, nowhere, down, 0, &hit));
    refused(firn_world_ray(world, nowhere, down, (double)NAN, &hit));
    assert_true(hit.what == 0 && hit.body == SIZE_MAX);
}
static void call_world_rays(void) {
    const firn_ray ray = {{0, 1, 0}, {0, -1, 0}, 2, 0}, wrong = {{0, 1, 0}, {0, -1, 0}, 2, 64};
    firn_hit hit;
    refused(firn_world_rays(NULL, 1, &ray, &hit));
    refused(firn_world_rays(world, 1, NULL, &hit));
    refused(firn_world_rays(world, 1, &ray, NULL));
    refused(firn_world_rays(world, 1, &wrong, &hit));
    says("invalid targets 64");
    assert_ok(firn_world_rays(world, 0, NULL, NULL));
}
static void call_world_depth(void) {
    const double place[2] = {0, 0}, bad[2] = {0, (double)NAN};
    refused(firn_world_depth(NULL, 1, place, NULL, NULL));
    refused(firn_world_depth(world, 1, NULL, NULL, NULL));
    refused(firn_world_depth(world, 1, bad, NULL, NULL));
    says("place 0 is not finite");
    refused(firn_world_depth(world, 1, place, NULL, NULL)); // no snow
    says("neither a snow field nor a snow cover");
}
static void call_event_name(void) {
    assert_null(firn_event_name(FIRN_EVENT_KINDS));
    says("there is no kind of event");
    assert_null(firn_event_name((firn_event_kind)-1));
}
static void call_world_listen(void) {
    refused(firn_world_listen(NULL, 1));
    refused(firn_world_listen(world, 1u << FIRN_EVENT_KINDS));
    says("invalid kinds of events");
    assert_ok(firn_world_listen(world, 0));
}
static void call_world_events(void) {
    const firn_event *events = NULL;
    size_t count = 1;
    refused(firn_world_events(NULL, &events, &count, NULL));
    assert_int_equal(count, 0);
    refused(firn_world_events(world, NULL, &count, NULL));
    refused(firn_world_events(world, &events, NULL, NULL));
    assert_ok(firn_world_events(world, &events, &count, NULL));
}
static void call_event_add(void) {
    firn_event_add(NULL, NULL);
    firn_event_add(NULL, &(firn_event){.kind = FIRN_EVENT_KINDS});
}
static void call_body_query(void) {
    float point[3] = {0}, distance;
    refused(firn_world_body_query(NULL, 0, 1, point, &distance, NULL, NULL));
    refused(firn_world_body_query(world, beyond, 1, point, &distance, NULL, NULL));
    refused(firn_world_body_query(world, 0, 1, NULL, &distance, NULL, NULL));
    assert_ok(firn_world_body_query(world, 0, 0, NULL, NULL, NULL, NULL));
}
static void call_ledger_count(void) { assert_int_equal(firn_world_ledger_count(NULL), 0); }
static void call_ledger(void) {
    assert_null(firn_world_ledger(NULL, 0).model);
    assert_null(firn_world_ledger(world, beyond).model);
    says("there is no ledger");
}
static void call_register_snow_type(void) {
    firn_snow_type_def def = firn_snow_type_def_default();
    assert_int_equal(firn_register_snow_type(NULL), FIRN_BAD_INPUT);
    assert_int_equal(firn_register_snow_type(&def), FIRN_BAD_INPUT); // no name
    def.name = "wet";
    assert_int_equal(firn_register_snow_type(&def), FIRN_BAD_INPUT);
    says("there is a snow type 'wet' already");
}
static void call_register_model(void) {
    firn_model_class model = {0};
    assert_int_equal(firn_register_model(NULL), FIRN_BAD_INPUT);
    assert_int_equal(firn_register_model(&model), FIRN_BAD_INPUT);
    model.name = "unfinished";
    assert_int_equal(firn_register_model(&model), FIRN_BAD_INPUT);
    says("model 'unfinished' has no 'help'");
}
static void call_def_extend(void) {
    firn_world_def def = firn_world_def_default();
    assert_int_equal(firn_world_def_extend(NULL, "hail", NULL), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_def_extend(&def, NULL, NULL), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_def_extend(&def, "hail", NULL), FIRN_BAD_INPUT);
    says("no model 'hail' is registered");
}
static void call_fail(void) {
    assert_int_equal(firn_fail(FIRN_UNSTABLE, "%s %d", "number", 7), FIRN_UNSTABLE);
    says("number 7");
}
static void add_block(void *context, size_t begin, size_t end) {
    ((size_t *)context)[begin / 10] = end - begin;
}
static void call_parallel_for(void) {
    size_t sizes[3] = {0};
    assert_int_equal(firn_parallel_for(1, 1, NULL, NULL), FIRN_BAD_INPUT);
    assert_int_equal(firn_parallel_for(1, 0, add_block, sizes), FIRN_BAD_INPUT);
    assert_ok(firn_parallel_for(25, 10, add_block, sizes));
    assert_true(sizes[0] == 10 && sizes[1] == 10 && sizes[2] == 5);
}
static void call_body_set_count(void) { assert_int_equal(firn_body_set_count(NULL), 0); }
static void call_body_set_name(void) { assert_null(firn_body_set_name(NULL, 0)); }
static void call_body_set_state(void) { assert_true(firn_body_set_state(NULL, 0).rotation.w == 0); }
static void call_body_set_material(void) { assert_true(firn_body_set_material(NULL, 0).friction == 0); }
static void call_body_set_query(void) {
    assert_int_equal(firn_body_set_query(NULL, 0, 0, NULL, NULL, NULL, NULL), FIRN_BAD_INPUT);
}
static void call_body_set_sweep(void) {
    const firn_vec3 at = {0, 0, 0};
    bool found;
    firn_body_hit hit;
    assert_int_equal(firn_body_set_sweep(NULL, 0, at, at, 0, &found, &hit), FIRN_BAD_INPUT);
}
static void call_body_set_push(void) {
    const firn_vec3 at = {0, 0, 0};
    assert_int_equal(firn_body_set_push(NULL, 0, at, at), FIRN_BAD_INPUT);
}
static void call_register_constraint(void) {
    firn_constraint_class c = {0};
    assert_int_equal(firn_register_constraint(NULL), FIRN_BAD_INPUT);
    assert_int_equal(firn_register_constraint(&c), FIRN_BAD_INPUT);
    c.name = "unfinished";
    assert_int_equal(firn_register_constraint(&c), FIRN_BAD_INPUT);
    says("constraint 'unfinished' has no unit, help or value");
}
static void call_param_defaults(void) {
    static const firn_param_row rows[] = {
        {.name = "size", .type = FIRN_PARAM_REAL, .unit = FIRN_DIM_LENGTH, .fallback = "5 cm"}, {0}};
    static const firn_param_table table = {.name = "t", .rows = rows, .size = sizeof(double)};
    double size = 0;
    assert_int_equal(firn_param_defaults(NULL, &size), FIRN_BAD_INPUT);
    assert_int_equal(firn_param_defaults(&table, NULL), FIRN_BAD_INPUT);
    assert_ok(firn_param_defaults(&table, &size));
    assert_true(size == 0.05);
}
static void call_series_count(void) { assert_int_equal(firn_world_series_count(NULL), 0); }
static void call_series(void) {
    assert_null(firn_world_series_at(NULL, 0).model);
    assert_null(firn_world_series_at(world, beyond).model);
    says("there is no series");
}

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
    {"firn_world_surface_count", call_surface_count},
    {"firn_world_surface_name", call_surface_name},
    {"firn_world_surface_request", call_surface_request},
    {"firn_world_surface", call_surface},
    {"firn_world_surface_wait", call_surface_wait},
    {"firn_run", call_run},
    {"firn_verify", call_verify},
    {"firn_instruction_set", call_instruction_set},
    {"firn_hash", call_hash},
    {"firn_info", call_info},
    {"firn_info_plot", call_info_plot},
    {"firn_render", call_render},
    {"firn_export", call_export},
    {"firn_set_scene_folders", call_set_scene_folders},
    {"firn_text_free", call_text_free},
    {"firn_scene_check", call_scene_check},
    {"firn_check_free", call_check_free},
    {"firn_explain", call_explain},
    {"firn_explain_names", call_explain_names},
    {"firn_list", call_list},
    {"firn_scene_template", call_scene_template},
    {"firn_scene_reference", call_scene_reference},
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
    {"firn_world_remove", call_world_remove},
    {"firn_world_remove_inside", call_world_remove_inside},
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
