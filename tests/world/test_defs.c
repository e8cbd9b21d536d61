// Defs of the C API: each has its ..._default(), and only what comes from there is taken.
#include "support.h"

#include <dirent.h>
#include <math.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/param.h"
#include "world/world.h"

static void assert_refused(firn_status status, const char *def) {
    char advice[120];
    snprintf(advice, sizeof advice, "has no cookie; begin with %s_default()", def);
    assert_int_equal(status, FIRN_BAD_INPUT);
    if (!strstr(firn_last_error(), advice))
        fail_msg("'%s' is not in the message: %s", advice, firn_last_error());
}

// ---- every struct that the tables of a scene lead to

typedef struct seen_tables {
    const param_table *table[200];
    size_t count;
} seen_tables;

static void collect(seen_tables *seen, const param_table *table) {
    for (size_t i = 0; i < seen->count; i++)
        if (seen->table[i] == table) return;
    assert_true(seen->count < 200);
    seen->table[seen->count++] = table;
    for (const param_row *row = table->rows; row->name; row++) {
        if (row->table) collect(seen, row->table);
        for (const param_variant *v = row->variants; v && v->name; v++)
            if (v->table) collect(seen, v->table);
    }
}

// Some defs have to be completed: a union without parts, mpm without snow. What is there is right.
static bool is_wrong(const char *message) {
    static const char *const faults[] = {"too small", "too large",    "finite",
                                         "choices",   "unknown kind", "cookie"};
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        if (strstr(message, faults[i])) return true;
    return false;
}

static void test_defaults_are_valid_and_zeros_are_not(void **state) {
    (void)state;
    seen_tables seen = {0};
    size_t defs = 0;
    collect(&seen, &world_params);
    for (size_t i = 0; i < seen.count; i++) {
        const param_table *table = seen.table[i];
        char *item = mem_zero(1, table->size);
        assert_non_null(item);
        param_defaults(table, item);
        if (param_validate(table, item) != FIRN_OK && is_wrong(firn_last_error()))
            fail_msg("the default of '%s': %s", table->name, firn_last_error());
        memset(item, 0, table->size);
        if (table->def) assert_refused(param_validate(table, item), table->def);
        memset(item, 0xaa, table->size); // whatever was in memory before
        if (table->def) assert_refused(param_validate(table, item), table->def);
        defs += table->def != NULL;
        mem_free(item);
    }
    assert_true(defs >= 33);
}

// ---- every struct of the headers

static bool ends_in(const char *name, size_t length, const char *end) {
    return length > strlen(end) && strncmp(name + length - strlen(end), end, strlen(end)) == 0;
}

// All headers, one after the other.
static char *headers(void) {
    text all = {0};
    DIR *folder = opendir(FIRN_SOURCE_DIR "/include/firn");
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder));) {
        char path[600], *header;
        size_t bytes;
        if (!strstr(entry->d_name, ".h")) continue;
        snprintf(path, sizeof path, FIRN_SOURCE_DIR "/include/firn/%s", entry->d_name);
        assert_ok(file_read_whole(path, 1 << 20, &header, &bytes));
        text_add_bytes(&all, header, bytes);
        mem_free(header);
    }
    closedir(folder);
    assert_false(all.failed);
    return all.data;
}

static void check_struct(const char *all, const char *body, const char *name, size_t length) {
    char word[160];
    const char *end;
    snprintf(word, sizeof word, "FIRN_API %.*s %.*s_default(void);", (int)length, name, (int)length, name);
    if (!strstr(all, word)) fail_msg("there is no '%s'", word);
    snprintf(word, sizeof word, "const %.*s *", (int)length, name);
    bool alone = strstr(all, word) != NULL; // an argument, or pointed to by another def
    snprintf(word, sizeof word, "const struct %.*s *", (int)length, name);
    alone = alone || strstr(all, word);
    end = strstr(body, "\n}");
    const char *cookie = strstr(body, "uint32_t cookie;");
    if (alone != (cookie && cookie < end))
        fail_msg("%.*s must %s a cookie", (int)length, name, alone ? "have" : "not have");
}

static void test_every_def_has_a_default_and_a_cookie(void **state) {
    (void)state;
    char *all = headers();
    size_t found = 0;
    for (const char *at = all; (at = strstr(at, "typedef struct firn_"));) {
        const char *name = at + strlen("typedef struct "), *end = strpbrk(name, " ;");
        size_t length = (size_t)(end - name);
        at = end;
        if (end[1] != '{' || (!ends_in(name, length, "_def") && !ends_in(name, length, "_options"))) continue;
        check_struct(all, end, name, length);
        found++;
    }
    assert_true(found >= 54);
    mem_free(all);
}

// ---- the functions that take them

static firn_body_def ground(void) {
    firn_body_def body = firn_body_def_default();
    body.name = "ground";
    body.shape.kind = FIRN_SHAPE_PLANE;
    return body;
}

static void refused_world(const firn_world_def *def, const char *name) {
    firn_world *world = NULL;
    assert_refused(firn_world_create(def, &world), name);
    assert_null(world);
}

static void test_worlds_look_at_cookies_first(void **state) {
    (void)state;
    firn_world_def def = firn_world_def_default(), zero = {0};
    firn_body_def body = ground(), junk;
    def.bodies.items = &body;
    def.bodies.count = 1;
    firn_world *world;
    assert_ok(firn_world_create(&def, &world));
    refused_world(&zero, "firn_world_def");
    assert_refused(firn_world_def_extend(&zero, "hail", NULL), "firn_world_def");

    memset(&junk, 0xaa, sizeof junk); // its name is no pointer and must not be read
    assert_refused(firn_world_add_body(world, &junk, NULL), "firn_body_def");
    firn_snowfield_pour_def pour = {0};
    assert_refused(firn_world_add_pour(world, &pour), "firn_snowfield_pour_def");
    firn_mpm_emit_def emit = {0};
    assert_refused(firn_world_add_emitter(world, &emit), "firn_mpm_emit_def");
    firn_pbd_spout_def spout = {0};
    assert_refused(firn_world_add_spout(world, &spout), "firn_pbd_spout_def");
    firn_surface_options surface = {0};
    assert_refused(firn_world_surface_request(world, "mpm", &surface, NULL), "firn_surface_options");
    firn_renderer_options look = {0};
    firn_renderer *renderer;
    assert_refused(firn_renderer_open(world, &look, &renderer), "firn_renderer_options");
    firn_world_close(world);

    def.bodies.items = &junk;
    refused_world(&def, "firn_body_def");
    assert_non_null(strstr(firn_last_error(), "bodies[1]"));
    def.bodies.items = &body;
    firn_grains_def grains = {.radius = 0.01};
    def.grains = &grains;
    refused_world(&def, "firn_grains_def");
    def.grains = NULL;
    firn_track_def track = {.parameter = "gravity"};
    def.tracks.items = &track;
    def.tracks.count = 1;
    refused_world(&def, "firn_track_def");
}

// "auto" is one value; other numbers that are none are refused, and so is what stood for it once.
static void test_auto_is_one_value(void **state) {
    (void)state;
    firn_body_def body = firn_body_def_default();
    body.name = "ball";
    assert_true(firn_is_auto(body.density) && firn_is_auto(body.temperature) && firn_is_auto(body.color.x));
    assert_false(firn_is_auto((double)NAN) || firn_is_auto(-1) || firn_is_auto(INFINITY));
    firn_world_def def = firn_world_def_default();
    def.bodies.items = &body;
    def.bodies.count = 1;
    firn_world *world;
    double *const may[] = {&body.density, &body.friction, &body.temperature, &body.heat_contact,
                           &body.color.x};
    const double wrong[] = {(double)NAN, -(double)NAN, -1, -1000, (double)INFINITY};
    for (size_t i = 0; i < sizeof may / sizeof *may; i++)
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            *may[i] = wrong[k];
            bool cold = may[i] == &body.temperature && wrong[k] == -1;
            if (!cold) assert_int_equal(firn_world_create(&def, &world), FIRN_BAD_INPUT);
            *may[i] = FIRN_AUTO;
        }
    double *const must[] = {&body.scale, &body.at.x, &def.fps, &def.gravity.y};
    for (size_t i = 0; i < sizeof must / sizeof *must; i++) {
        double kept = *must[i];
        *must[i] = FIRN_AUTO;
        assert_int_equal(firn_world_create(&def, &world), FIRN_BAD_INPUT);
        assert_non_null(strstr(firn_last_error(), "finite"));
        *must[i] = kept;
    }
    assert_ok(firn_world_create(&def, &world));
    firn_world_close(world);
}

static firn_world *ball_world(void) {
    firn_world *world;
    assert_ok(
        firn_world_open_text("firn: 1\nbodies: {ball: {shape: sphere, motion: dynamic}}\n", "ball", &world));
    return world;
}

static void test_auto_while_a_world_runs(void **state) {
    (void)state;
    firn_world *world = ball_world(), *other = ball_world();
    double value;
    char words[128];
    assert_ok(firn_world_get(world, "bodies.ball.friction", &value));
    assert_true(firn_is_auto(value));
    assert_ok(firn_world_set(world, "bodies.ball.friction", 0.25));
    assert_ok(firn_world_set(world, "bodies.ball.friction", FIRN_AUTO));
    assert_ok(firn_world_get_text(world, "bodies.ball.friction", words, sizeof words));
    assert_string_equal(words, "auto");
    assert_int_equal(firn_world_set(world, "bodies.ball.friction", (double)NAN), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_set(world, "max_step", FIRN_AUTO), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_set(world, "bodies.ball.friction", -1), FIRN_BAD_INPUT);
    void *data;
    size_t bytes;
    assert_ok(firn_world_save(world, &data, &bytes));
    assert_ok(firn_world_load(other, data, bytes));
    firn_data_free(data);
    assert_ok(firn_world_get(other, "bodies.ball.friction", &value));
    assert_true(firn_is_auto(value));
    assert_true(firn_world_hash(world) == firn_world_hash(other));
    firn_world_close(world);
    firn_world_close(other);

    assert_int_equal(firn_world_open_text("firn: 1\nbodies: {ball: {friction: [{time: 0, value: auto}, "
                                          "{time: 1, value: 0.5}]}}\n",
                                          "keys", &world),
                     FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "'auto'"));
}

static void test_options_have_cookies(void **state) {
    (void)state;
    firn_context_def context_def = {0};
    firn_context *context;
    firn_verify_result result;
    assert_refused(firn_context_create(&context_def, &context), "firn_context_def");
    assert_null(context);
    assert_refused(firn_run(&(firn_run_options){.scene = "x"}), "firn_run_options");
    assert_refused(firn_verify(&(firn_verify_options){.folder = "x"}, &result), "firn_verify_options");
    assert_refused(firn_render(&(firn_render_options){.folder = "x"}), "firn_render_options");
    assert_refused(firn_export(&(firn_export_options){.folder = "x"}), "firn_export_options");
    assert_refused(firn_register_snow_type(&(firn_snow_type_def){.name = "crust"}), "firn_snow_type_def");
}

static void test_defaults_of_parts(void **state) {
    (void)state;
    assert_int_equal(firn_shape_def_default().kind, FIRN_SHAPE_BOX);
    assert_true(firn_shape_def_default().size.y == 1);
    assert_true(firn_fill_def_default().scale == 1 && firn_part_def_default().scale == 1);
    assert_int_equal(firn_motion_def_default().kind, FIRN_MOTION_FIXED);
    assert_true(firn_opening_def_default().velocity.y == -1);
    assert_int_equal(firn_snowfield_ground_def_default().shape.kind, FIRN_SHAPE_PLANE);
    assert_true(firn_snowfield_fall_def_default().rate == firn_snowfield_def_default().fall.rate);
    assert_true(firn_snowfield_ageing_def_default().time == firn_snowfield_def_default().ageing.time);
    assert_int_equal(firn_snowfield_bits_def_default().most, firn_snowfield_def_default().bits.most);
    assert_true(firn_wind_inflow_def_default().speed == firn_wind_def_default().inflow.speed);
    assert_int_equal(firn_wind_sides_def_default().top, FIRN_WIND_AIR);
    assert_true(firn_air_def_default().temperature == firn_world_def_default().air.temperature);
    assert_int_equal(firn_phase_link_def_default().most, firn_phase_def_default().links.most);
    assert_true(firn_phase_heat_def_default().latent == firn_phase_def_default().heat.latent);
    assert_null(firn_track_def_default().parameter);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_are_valid_and_zeros_are_not),
        cmocka_unit_test(test_every_def_has_a_default_and_a_cookie),
        cmocka_unit_test(test_worlds_look_at_cookies_first),
        cmocka_unit_test(test_auto_is_one_value),
        cmocka_unit_test(test_auto_while_a_world_runs),
        cmocka_unit_test(test_options_have_cookies),
        cmocka_unit_test(test_defaults_of_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
