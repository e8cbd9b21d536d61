// Wrong calls: making, changing, stepping, saving and reading a world.
#ifndef WORLD_CALLS_WORLD_H
#define WORLD_CALLS_WORLD_H

#include "world/calls_common.h"

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
CALL_ADD(solid, pbd_solid_def)
CALL_ADD(pin, pbd_pin_def)
CALL_ADD(constraint, pbd_constraint_def)

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
static void call_world_heat_inside(void) {
    firn_fill_def where = firn_mpm_snow_def_default().fill;
    refused(firn_world_heat_inside(NULL, where, 1));
    where.scale = -1;
    refused(firn_world_heat_inside(world, where, 1));
}

static void call_world_heap(void) {
    refused(firn_world_heap(NULL, 0, 0, 1, 1));
    refused(firn_world_heap(world, 0, 0, 0, 1));
    refused(firn_world_heap(world, 0, 0, 1, 0));
}

static void call_world_push_inside(void) {
    firn_fill_def where = firn_mpm_snow_def_default().fill;
    refused(firn_world_push_inside(NULL, where, (firn_vec3){0}));
    where.scale = -1;
    refused(firn_world_push_inside(world, where, (firn_vec3){0}));
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

#endif
