// One step of the material point method, in the words of MPM15 ch. 3.4.
#include "mpm/mpm_heat.h"
#include "mpm/mpm_implicit.h"
#include "mpm/mpm_ranks.h"

#include <math.h>

static firn_status advance(mpm_state *s, body_set *bodies, model_step step) {
    float dt = (float)step.dt;
    s->shown = false;
    mpm_look_for_guest_snow(s);
    profile_pass(&s->passes, "sort");
    TRY(mpm_sort(s, step.step));
    if (s->heat) profile_pass(&s->passes, "heat");
    TRY(mpm_heat_step(s, bodies, step.dt));
    if (mpm_transfer_of(s) != FIRN_MPM_APIC) profile_pass(&s->passes, "flip");
    TRY(mpm_find_flip_deltas(s));
    profile_pass(&s->passes, "P2G"); // including the impulse of the stress: MPM15 steps 1, 3, 4
    mpm_p2g(s, s->solver ? 0 : dt);  // the solve adds the impulse itself
    profile_pass(&s->passes, "grid velocity and gravity");
    mpm_update_grid(s, dt);
    TRY(mpm_implicit_begin(s, dt));
    profile_pass(&s->passes, "contact on the grid"); // step 5
    TRY(mpm_begin_contacts(s, bodies, dt));
    mpm_solve_contacts(s);
    if (s->solver) profile_pass(&s->passes, "semi-implicit solve"); // step 6
    TRY(mpm_implicit_solve(s, dt));
    if (s->solver) profile_pass(&s->passes, "contact on the grid");
    TRY(mpm_apply_friction(s));
    TRY(mpm_end_contacts(s, bodies));
    profile_pass(&s->passes, "G2P"); // steps 7, 8, 10: velocity, strain and return mapping, position
    uint8_t *broken = mpm_events_begin(s, step.events);
    mpm_g2p(s, dt);
    mpm_events_end(s, broken, step.events);
    TRY(mpm_implicit_flow_rate(s));
    double grid_speed2 = s->counters.speed2;
    mpm_fly_lone(s, dt);
    mpm_ranks_join_limits(s, &grid_speed2);
    TRY(mpm_check_density(s, grid_speed2));
    profile_pass(&s->passes, "contact of particles"); // step 9
    TRY(mpm_collide_particles(s, bodies, dt));
    TRY(mpm_list_dents(s, bodies, dt));
    mpm_collide_lone_ground(s);
    profile_pass(&s->passes, "remove and emit");
    TRY(mpm_remove_particles(s));
    TRY(mpm_emit_particles(s, step.time + step.dt));
    profile_end(&s->passes);
    return FIRN_OK;
}

firn_status mpm_step(void *model, body_set *bodies, model_step step) {
    mpm_state *s = model;
    mpm_ranks_begin(s);
    return mpm_ranks_end(s, advance(s, bodies, step));
}
