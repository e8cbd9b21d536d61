// One step of the snow field, in the words of FIELD11 3.2.
#include "snowfield/snowfield_ranks.h"

#include <string.h>

static firn_status advance(snowfield_state *s, body_set *bodies, model_step step) {
    firn_status pending = s->pending;
    s->pending = FIRN_OK;
    if (pending != FIRN_OK) return fail_memory("seeing bodies in the snow", 0);
    s->deadline = s->ranks ? 0 : step.deadline; // ranks have no clock in common
    snowfield_ranks_begin(s);
    TRY(snowfield_heat_enter(s));
    memset(s->tiles.touched, 0, s->tiles.count * sizeof *s->tiles.touched);
    profile_pass(&s->passes, "bodies from below"); // U of 3.1
    TRY(snowfield_carry(s, step.dt));
    TRY(snowfield_prints_update(s));
    TRY(snowfield_covers_paint(s));
    snowfield_covers_drop(s);
    TRY(snowfield_stands_paint(s));
    snowfield_stands_drop(s);
    profile_pass(&s->passes, "press and spread"); // 3.3, 3.5, 3.9
    TRY(snowfield_press_bodies(s, bodies, step.dt));
    profile_pass(&s->passes, "pour, fall, age");
    TRY(snowfield_pour(s, step));
    TRY(snowfield_weather(s, step));
    profile_pass(&s->passes, "loose bits");
    TRY(snowfield_bits_fly(s, step.dt));
    profile_pass(&s->passes, "slopes"); // 3.10
    TRY(s->deadline > 0 ? snowfield_slump_within(s) : snowfield_slump(s));
    profile_pass(&s->passes, "show");
    snowfield_stands_lift(s);
    TRY(snowfield_heat_follow(s));
    TRY(snowfield_tiles_pack(s, step.step));
    snowfield_show(s);
    snowfield_ranks_show(s);
    snowfield_heat_show(s);
    snowfield_choose_dt_limit(s);
    profile_end(&s->passes);
    return FIRN_OK;
}

firn_status snowfield_step(void *model, body_set *bodies, model_step step) {
    snowfield_state *s = model;
    return snowfield_ranks_end(s, advance(s, bodies, step));
}
