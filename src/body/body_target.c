// Control by the embedding program: targets of kinematic bodies, placement, reactions, user data.
#include <string.h>

#include "body/body_set.h"

firn_impulse body_reaction(const body_set *bodies, size_t b) { return bodies->reaction[b]; }

void body_add_reaction(body_set *bodies, size_t b, firn_vec3 impulse, firn_vec3 twist) {
    bodies->reaction[b].impulse = dvec_add(bodies->reaction[b].impulse, impulse);
    bodies->reaction[b].angular = dvec_add(bodies->reaction[b].angular, twist);
}

size_t body_touches(const body_set *bodies, const body_touch **out) {
    *out = bodies->touches;
    return bodies->touch_count;
}

void body_clear_reactions(body_set *bodies) {
    memset(bodies->reaction, 0, bodies->count * sizeof *bodies->reaction);
}

void body_set_user(body_set *bodies, size_t b, void *user) { bodies->item[b].user = user; }
void *body_user(const body_set *bodies, size_t b) { return bodies->item[b].user; }

static void put(body_set *s, size_t b, firn_vec3 position, firn_quat rotation) {
    s->position[b] = s->position_before[b] = position;
    s->rotation[b] = s->rotation_before[b] = rotation;
}

void body_set_target(body_set *s, size_t b, firn_vec3 position, firn_quat rotation, double now,
                     double until) {
    s->target[b] = (body_target){position, rotation, until};
    if (until > now) return;
    put(s, b, position, rotation);
    s->velocity[b] = s->spin[b] = dvec(0, 0, 0);
}

firn_status body_place(body_set *s, size_t b, const firn_body_state *state) {
    put(s, b, state->position, state->rotation);
    s->velocity[b] = state->velocity;
    s->spin[b] = state->spin;
    s->impulse[b] = s->twist[b] = s->force[b] = s->torque[b] = dvec(0, 0, 0);
    if (s->has_clocks) s->late[b] = (body_late){0};
    return bodies_limit_step(s); // a faster body may need shorter steps
}
