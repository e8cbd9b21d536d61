// One step of the wind, in the words of WIND12 ch. 4.
#include "wind/wind_state.h"

#include <math.h>

enum { BANKS_EVERY = 8 }; // steps: snow grows slowly, and a new surface costs as much as solving once

void wind_start(wind_state *s, wind_inflow_state now) {
    const int32_t *n = s->box.n;
    for (int32_t k = s->k0; k < s->end_plane; k++)
        for (int32_t j = 1; j <= n[1]; j++)
            for (int32_t i = 1; i <= n[0] + 1; i++) {
                size_t a = poisson_at(&s->box, i, j, k);
                s->v[0][a] = (float)now.x * s->profile[j];
                s->v[2][a] = (float)now.z * s->profile[j];
            }
}

// The wind at a time over the snow that lies at the border now.
wind_inflow_state wind_over_banks(wind_state *s, double time) {
    if (s->cover.bank) wind_set_profile(s);
    return wind_inflow_at(s, time);
}

static firn_status step_air(wind_state *s, body_set *bodies, model_step step);

firn_status wind_step(void *model, body_set *bodies, model_step step) {
    wind_state *s = model;
    TRY(wind_ranks_begin(s));
    return wind_ranks_end(s, step_air(s, bodies, step));
}

static firn_status step_air(wind_state *s, body_set *bodies, model_step step) {
    wind_inflow_state now = wind_inflow_at(s, step.time + step.dt);
    s->given[0] = s->given[1] = s->given[2] = 0;
    profile_pass(&s->passes, "grids around");
    TRY(around_step(s, bodies, step));
    profile_pass(&s->passes, "obstacles");
    bool rebuild = wind_set_sides(s, now) || s->stale;
    TRY(wind_check_sides(s));
    if (s->cover.def.wind && (!s->cover.bank || step.step % BANKS_EVERY == 0)) TRY(banks_update(s));
    if (!s->cover.def.wind) banks_forget(s);
    now = wind_over_banks(s, step.time + step.dt);
    rebuild = rebuild || s->stale;
    bool changing = rebuild || s->moving;
    if (changing) TRY(wind_find_obstacles(s, bodies, rebuild));
    TRY(wind_blow(s, now, step.dt));
    if (s->warmth.air) profile_pass(&s->passes, "warm air");
    TRY(warmth_carry(s, step.dt));
    TRY(warmth_give(s, bodies, step.dt));
    wind_fill_ghost_cells(s, now);
    if (changing || !s->measured) TRY(wind_measure(s)); // else as after the last step
    profile_pass(&s->passes, "advection");              // 4.3
    wind_advect(s, step.dt);
    profile_pass(&s->passes, "turbulence");
    wind_fill_ghost_cells(s, now);
    wind_mix(s, bodies, step.dt);
    profile_pass(&s->passes, "forces"); // 4.5
    wind_confine(s, step.dt);
    warmth_lift(s, step.dt);
    wind_set_boundary_faces(s, now, bodies);
    profile_pass(&s->passes, "pressure");   // 4.4
    if (now.top <= 0) TRY(wind_measure(s)); // calm: only bodies move the air
    s->reference = now.top > 0 ? now.top : s->fastest;
    TRY(wind_project(s));
    wind_push_bodies(s, bodies);
    TRY(wind_measure(s));
    profile_pass(&s->passes, "flakes"); // ch. 8
    if (s->flakes.on) TRY(flakes_step(s, bodies, step, now));
    profile_pass(&s->passes, "cover"); // ch. 9
    if (s->cover.on) TRY(drift_step(s, bodies, step));
    if (s->cover.on) TRY(cover_step(s, bodies, step));
    s->air_stale = true;
    s->last_dt = step.dt;
    s->setting.time = step.time + step.dt;
    profile_end(&s->passes);
    return FIRN_OK;
}
