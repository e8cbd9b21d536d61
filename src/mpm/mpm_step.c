// One step of the material point method, in the words of MPM15 ch. 3.4.
#include "mpm/mpm_implicit.h"

#include <math.h>

firn_status mpm_step(void *model, body_set *bodies, model_step step) {
    mpm_state *s = model;
    float dt = (float)step.dt;
    s->shown = false;
    profile_pass(&s->passes, "sort");
    TRY(mpm_sort(s, step.step));
    if (s->def.transfer == FIRN_MPM_FLIP) profile_pass(&s->passes, "what flip keeps");
    TRY(mpm_flip_begin(s));
    profile_pass(&s->passes, "particles to grid"); // with the impulse of the stress: MPM15 steps 1, 3, 4
    mpm_particles_to_tiles(s, dt);
    profile_pass(&s->passes, "grid velocity and gravity");
    mpm_tiles_to_nodes(s, dt);
    profile_pass(&s->passes, "collisions on nodes"); // step 5
    TRY(mpm_implicit_begin(s));
    TRY(mpm_collide_nodes(s, bodies));
    if (s->solver) profile_pass(&s->passes, "semi-implicit solve"); // step 6
    TRY(mpm_implicit_solve(s, bodies, dt));
    profile_pass(&s->passes, "grid to particles"); // steps 7, 8, 10: velocity, F and plasticity, position
    mpm_nodes_to_particles(s, dt);
    TRY(mpm_implicit_pace(s));
    mpm_flip_end(s);
    mpm_fly_lone(s, dt);
    profile_pass(&s->passes, "collisions on particles"); // step 9
    TRY(mpm_collide_particles(s, bodies, dt));
    profile_pass(&s->passes, "leave and enter");
    TRY(mpm_let_leave(s));
    TRY(mpm_let_enter(s, step.time + step.dt));
    profile_end(&s->passes);
    return FIRN_OK;
}
