// Wrong calls: bodies, queries, events, ledgers.
#ifndef WORLD_CALLS_BODIES_H
#define WORLD_CALLS_BODIES_H

#include "world/calls_common.h"

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
    says("invalid kind of event");
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
static void call_coupling_count(void) { assert_int_equal(firn_world_coupling_count(NULL), 0); }
static void call_coupling(void) {
    assert_null(firn_world_coupling(NULL, 0).name);
    assert_null(firn_world_coupling(world, 0).name); // one ground meets nobody
    says("there is no coupling");
}

#endif
