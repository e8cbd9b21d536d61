// A step: motion of all particles by position-based dynamics, then heat and what it changes.
#include "phase/phase_state.h"

firn_status phase_step(void *model, body_set *bodies, model_step step) {
    phase *m = model;
    pbd *s = m->s;
    pbd_pass pass = pbd_pass_of(s, bodies, step, 0);
    profile_pass(&s->passes, "predict");
    pbd_predict(s, pass.dt);
    TRY(pbd_find_all(s, &pass)); // names its passes itself
    for (int k = 0; k < s->def.iterations; k++) pbd_sweep(s, &pass);
    s->counters.iterations += s->def.iterations;
    profile_pass(&s->passes, "velocities");
    pbd_update_velocities(s, pass.dt);
    TRY(pbd_velocity_passes(s, &pass));
    profile_pass(&s->passes, "heat");
    TRY(phase_heat_step(m, step));
    profile_pass(&s->passes, "change of kind");
    phase_seep(m, step.dt);
    TRY(phase_change(m, step.dt));
    profile_pass(&s->passes, "finish");
    m->book.steps++;
    m->shown = m->left = false;
    firn_status status = pbd_finish_all(s, bodies, step);
    if (status == FIRN_OK) status = phase_reserve(m); // for those that came in
    if (status == FIRN_OK && m->left) status = phase_lumps_list(m);
    profile_end(&s->passes);
    return status;
}
