// Before the first step: grains and water that overlap are moved apart without a velocity.
#include "pbd/pbd_relax.h"
#include "phase/phase_state.h"

#include <math.h>
#include <string.h>

// Rounds of contacts at least, and at most where grains still overlap: snow that fills its box has nowhere to
// go.
enum { LEAST_ROUNDS = 30, MOST_ROUNDS = 300 };
// Of the radius. What still overlaps when links form is pulled back into the overlap by them and pushed out
// by the contact, in every step: grains of a lump at rest had velocities of 0.3 m/s that way.
static const double ENOUGH = 0.002;

typedef struct relaxing {
    phase *m;
    int rounds;
} relaxing;

static firn_status move_apart(void *owner, const pbd_pass *pass, double *worst) {
    relaxing *w = owner;
    phase *m = w->m;
    memset(m->f->density, 0, m->s->p.count * sizeof *m->f->density);
    TRY(phase_find_neighbours(m, pass, false));
    double moved = phase_settle(m);
    phase_density(m, pass, true);
    *worst = fluid_worst_error(m->s, m->f);
    if (moved > ENOUGH && w->rounds++ < MOST_ROUNDS) *worst = INFINITY;
    return FIRN_OK;
}

static int rounds_of(const phase *m) {
    for (size_t i = 0; i < m->s->p.count; i++)
        if (phase_is_snow(m, i)) return LEAST_ROUNDS;
    return 0;
}

firn_status phase_relax(phase *m) {
    relaxing work = {m, 0};
    TRY(fluid_reserve(m->s, m->f));
    memset(m->f->density, 0, m->s->p.count * sizeof *m->f->density);
    return pbd_relax(m->s, &(pbd_relax_way){&work, move_apart, m->spacing, m->f->density, rounds_of(m)});
}
