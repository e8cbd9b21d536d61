// A step of the bodies. ODE solves the contacts; everything else (state, contact search, integration) is
// here, so that a step depends on nothing but the state before it.
#include "body/body_set.h"

firn_status body_step_model(void *model, body_set *bodies, model_step step) {
    (void)bodies; // the model itself
    body_set *s = model;
    profile_pass(&s->profile, "predict");
    bodies_predict(s, step);
    profile_pass(&s->profile, "find pairs");
    TRY(bodies_find_pairs(s, step.dt));
    profile_pass(&s->profile, "find contacts");
    TRY(bodies_find_contacts(s, step.dt));
    profile_pass(&s->profile, "solve contacts");
    TRY(bodies_solve(s, step));
    profile_pass(&s->profile, "integrate");
    bodies_integrate(s, step);
    profile_pass(&s->profile, "choose step");
    TRY(bodies_limit_step(s));
    profile_end(&s->profile);
    return FIRN_OK;
}
