// Before the first step: grains and water that overlap are moved apart without a velocity.
#include "pbd/pbd_relax.h"
#include "phase/phase_state.h"

#include <string.h>

enum { SNOW_ROUNDS = 30 }; // of contacts: they take a share of the penetration each

static firn_status move_apart(void *owner, const pbd_pass *pass, double *worst) {
    phase *m = owner;
    memset(m->f->density, 0, m->s->p.count * sizeof *m->f->density);
    TRY(phase_find_neighbours(m, pass, false));
    phase_settle(m);
    phase_density(m, pass);
    *worst = fluid_worst_error(m->s, m->f);
    return FIRN_OK;
}

static int rounds_of(const phase *m) {
    for (size_t i = 0; i < m->s->p.count; i++)
        if (phase_is_snow(m, i)) return SNOW_ROUNDS;
    return 0;
}

firn_status phase_relax(phase *m) {
    TRY(fluid_reserve(m->s, m->f));
    memset(m->f->density, 0, m->s->p.count * sizeof *m->f->density);
    return pbd_relax(m->s, &(pbd_relax_way){m, move_apart, m->spacing, m->f->density, rounds_of(m)});
}
