// One step of the snow field, in the words of FIELD11 3.2.
#include "field/field_state.h"

#include <string.h>

firn_status field_step(void *model, body_set *bodies, model_step step) {
    (void)bodies;
    field_state *s = model;
    memset(s->tiles.touched, 0, s->tiles.count * sizeof *s->tiles.touched);
    profile_pass(&s->passes, "pour");
    TRY(field_pour(s, step));
    profile_pass(&s->passes, "slopes"); // 3.10
    TRY(field_slump(s));
    profile_pass(&s->passes, "show");
    field_show(s);
    profile_end(&s->passes);
    return FIRN_OK;
}
