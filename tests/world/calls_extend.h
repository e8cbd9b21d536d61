// Wrong calls: what extends the library: models, constraints, snow types.
#ifndef WORLD_CALLS_EXTEND_H
#define WORLD_CALLS_EXTEND_H

#include "world/calls_common.h"

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

#endif
