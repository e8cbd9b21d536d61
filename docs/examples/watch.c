/* What a program can ask of a running world: what a ray hits, what the snow does to a body, what happened.

   A block of snow falls onto a table that the program moves. The program looks at the table from above,
   weighs the snow on it, and hears when they meet. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <firn/firn.h>

static const char scene[] =
    "firn: 1\n"
    "max_step: 10 ms\n"
    "bodies:\n"
    "  table: {shape: {box: {size: [1 m, 10 cm, 1 m]}}, at: [0, -0.05, 0], motion: kinematic}\n"
    "  ball: {shape: {sphere: {radius: 8 cm}}, at: [0.3, 0.5, 0.3], motion: dynamic}\n"
    "mpm:\n"
    "  cell: 4 cm\n"
    "  snow: {block: {shape: {box: {size: [24 cm, 16 cm, 24 cm]}}, at: [0, 0.18, 0]}}\n";

static int failed(const char *what) {
    fprintf(stderr, "%s: %s\n", what, firn_last_error());
    return EXIT_FAILURE;
}

/* Tells what happened in the last call; returns how many contacts began. */
static int report(const firn_world *world) {
    const firn_event *events;
    size_t count;
    int begun = 0;
    if (firn_world_events(world, &events, &count, NULL) != FIRN_OK) return 0;
    for (size_t i = 0; i < count; i++) {
        const firn_event *e = &events[i];
        const char *body = firn_world_body_user(world, e->body);
        const char *other = e->other == SIZE_MAX ? e->model : firn_world_body_name(world, e->other);
        printf("%5.3f s  %s: %s and %s, %.2g N s\n", e->time, firn_event_name(e->kind), body, other,
               e->amount);
        begun += e->kind == FIRN_EVENT_CONTACT_BEGIN;
    }
    return begun;
}

int main(void) {
    firn_world *world;
    if (firn_world_open_text(scene, "watch", &world) != FIRN_OK) return failed("cannot build the world");
    size_t table = firn_world_body_find(world, "table"), ball = firn_world_body_find(world, "ball");
    firn_world_body_set_user(world, table, "our table");
    firn_world_body_set_user(world, ball, "our ball");
    firn_world_listen(world, 1u << FIRN_EVENT_CONTACT_BEGIN | 1u << FIRN_EVENT_CONTACT_END);

    firn_hit hit;
    const firn_vec3 above = {0.3, 2, 0.3}, down = {0, -1, 0};
    if (firn_world_ray(world, above, down, 10, &hit) != FIRN_OK) return failed("cannot look down");
    printf("from above: body %zu, the ball is %zu, at %.3f m\n", hit.body, ball, hit.point.y);
    bool seen = hit.what == FIRN_RAY_BODIES && hit.body == ball && fabs(hit.point.y - 0.58) < 1e-3;

    firn_mesh mesh;
    if (firn_world_body_mesh(world, ball, &mesh) != FIRN_OK) return failed("cannot get the ball's mesh");
    printf("the ball is drawn with %zu triangles\n", mesh.triangles);

    int begun = 0;
    for (int i = 0; i < 60; i++) {
        if (firn_world_advance(world, 1.0 / 60) != FIRN_OK) return failed("cannot step");
        begun += report(world);
    }
    /* At rest: the table carries the snow. The ball is not in it: bodies are not a model. */
    if (firn_world_advance(world, 0.5) != FIRN_OK) return failed("cannot step");
    double force = -firn_world_body_reaction(world, table).impulse.y / 0.5, weight = 0;
    for (size_t i = 0; i < firn_world_ledger_count(world); i++) {
        firn_ledger ledger = firn_world_ledger(world, i);
        if (strcmp(ledger.model, "mpm") == 0) weight = 9.81 * ledger.mass;
    }
    printf("the snow weighs %.2f N, the table feels %.2f N\n", weight, force);
    firn_world_close(world);
    return seen && mesh.triangles > 0 && begun >= 2 && fabs(force / weight - 1) < 0.05 ? EXIT_SUCCESS
                                                                                       : EXIT_FAILURE;
}
