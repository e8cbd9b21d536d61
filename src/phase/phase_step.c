// A step: motion of all particles by position-based dynamics, then heat and what it changes.
#include "phase/phase_state.h"

firn_status phase_step(void *model, body_set *bodies, model_step step) {
    phase *m = model;
    pbd *s = m->s;
    profile *p = &s->passes;
    pbd_pass pass = pbd_pass_of(s, bodies, step, 0);
    profile_pass(p, "predict positions");
    TRY(pbd_find_frames(s));
    pbd_predict(s, pass.dt);
    profile_pass(p, "find neighbours");
    TRY(phase_find_neighbours(m, &pass, phase_is_upkeep(m))); // particles, walls
    profile_pass(p, "form and break links");
    TRY(phase_links_update(m, step.events)); // temperature decides
    profile_pass(p, "links");
    phase_elastic(m, pass.dt);
    profile_pass(p, "bodies and box");
    TRY(pbd_find_all(s, &pass));
    for (int k = 0; k < s->def.iterations; k++) {
        profile_pass(p, "contacts");
        phase_contacts(m, pass.dt);
        profile_pass(p, "links");
        phase_links_pull(m, pass.dt);
        profile_pass(p, "lumps");
        phase_lumps_match(m, pass.dt);
        profile_pass(p, "density");
        phase_density(m, &pass, k == 0);
        profile_pass(p, "bodies and box");
        pbd_sweep(s, &pass);
    }
    phase_elastic_pushed(m, pass.dt);
    s->counters.iterations += s->def.iterations;
    profile_pass(p, "velocities from positions");
    pbd_update_velocities(s, pass.dt);
    phase_update_slip(m, pass.dt);
    profile_pass(p, "XSPH");
    phase_xsph(m, pass.dt);
    profile_pass(p, "cohesion and adhesion");
    phase_cohesion(m, &pass);
    profile_pass(p, "bodies and box");
    TRY(pbd_velocity_passes(s, &pass));
    profile_pass(p, "conduct heat");
    TRY(phase_conduct(m, step));
    profile_pass(p, "soak and seep");
    phase_seep(m, step.dt);
    profile_pass(p, "melt and freeze");
    TRY(phase_change(m, step));
    profile_pass(p, "enter and leave");
    m->counters.steps++;
    m->shown = m->drained = false;
    firn_status status = pbd_finish_all(s, bodies, step);
    if (status == FIRN_OK) status = phase_reserve(m); // for new particles
    if (status == FIRN_OK && m->drained) status = phase_lumps_list(m);
    profile_end(p);
    return status;
}
