// The watchdog: values stay finite and below max_speed, and mass is conserved.
#include "world/world_state.h"

#include <math.h>

firn_status world_watch_member(const firn_world *world, size_t i, double time) {
    const model_class *kind = world->member[i].kind;
    uint64_t item;
    const char *what;
    if (!kind->find_invalid(world->member[i].state, &item, &what)) return FIRN_OK;
    return fail(FIRN_UNSTABLE, "%s: %s of item %llu is not finite or too fast at step %llu (t = %g s)",
                kind->name, what, (unsigned long long)item, (unsigned long long)world->steps[i], time);
}

firn_status world_watch(const firn_world *world) {
    for (size_t i = 0; i < world->members; i++) TRY(world_watch_member(world, i, world->clock.time));
    return FIRN_OK;
}

firn_status world_check_ledgers(const firn_world *world) {
    for (size_t i = 0; i < world->members; i++) {
        firn_ledger l = firn_world_ledger(world, i);
        double expected = l.mass_in - l.mass_out, scale = fmax(l.mass_in, 1e-30);
        if (!(fabs(l.mass - expected) <= 1e-6 * scale))
            return fail(FIRN_UNSTABLE,
                        "%s: mass is not conserved at step %llu: %.9g kg present, %.9g kg in, %.9g kg out",
                        l.model, (unsigned long long)world->clock.step, l.mass, l.mass_in, l.mass_out);
    }
    return FIRN_OK;
}
