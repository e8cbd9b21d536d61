// Says when a liquid is not held at its density.
#include "pbd/pbd_fluid_work.h"

#include <math.h>

#include "par/par.h"

// Mean compression that is still water, and for how long it may be more: an impact is over by then.
static const double MOST = 0.01, PATIENCE = 0.1; // s

typedef struct watch_work {
    const pbd *s;
    const pbd_fluid *f;
} watch_work;

static double pressed_block(void *context, size_t begin, size_t end) {
    const watch_work *w = context;
    double sum = 0;
    for (size_t i = begin; i < end; i++)
        if (i >= w->s->p.solids) sum += fmax((double)w->f->density[i] - 1, 0);
    return sum;
}

void fluid_watch_density(const pbd *s, pbd_fluid *f, model_step step) {
    size_t count = s->p.count - s->p.solids;
    bool solved = fluid_by_pressure(f) || s->def.iterations > 0;
    if (f->told_pressed || !f->stepped || !solved || count == 0) return;
    watch_work work = {s, f};
    double mean = par_sum(s->p.count, 8 * PBD_BLOCK, pressed_block, &work) / (double)count;
    f->pressed_for = mean > MOST ? f->pressed_for + step.dt : 0;
    if (f->pressed_for < PATIENCE) return;
    f->told_pressed = true;
    log_warning(
        "pbd.fluid: the liquid is compressed by %.2g %% in the mean at t = %.3g s, more than 1 %%; %s",
        100 * mean, step.time + step.dt,
        fluid_by_pressure(f) ? "raise most_iterations, or lower max_travel or density_error"
                             : "raise substeps or iterations, shorten max_step, or set method: pressure");
}
