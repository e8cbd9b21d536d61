// What flows into a cell must flow out of it.
#include <math.h>
#include <string.h>

#include "par/par.h"
#include "wind/wind_lanes.h"
#include "wind/wind_state.h"

enum { PLANES = 4, MOST_ITERATIONS = 200 };

static void diverge_planes(void *context, size_t begin, size_t end) {
    const wind_state *s = context;
    ISA_PICK(wind_divergence)(&s->box, s->kind, (int)begin + 1, (int)end + 1, s->v, s->b);
}

static void subtract_planes(void *context, size_t begin, size_t end) {
    const wind_state *s = context;
    ISA_PICK(wind_gradient)(&s->box, s->kind, (int)begin + 1, (int)end + 1, s->q, s->v);
}

static double fastest_planes(void *context, size_t begin, size_t end) {
    const wind_state *s = context;
    return (double)ISA_PICK(wind_fastest)(&s->box, s->kind, (int)begin + 1, (int)end + 1, s->v);
}

static void clear_rim(wind_state *s) {
    const poisson_box *box = &s->box;
    for (size_t a = 0; a < box->size; a++)
        if (s->kind[a] != POISSON_FREE) s->b[a] = 0;
}

void wind_measure(wind_state *s) {
    s->fastest = sqrt(par_max((size_t)s->box.n[2], PLANES, fastest_planes, s));
}

firn_status wind_project(wind_state *s) {
    size_t planes = (size_t)s->box.n[2];
    if (s->def.confinement > 0) clear_rim(s); // the array was lent
    par_for(planes, PLANES, diverge_planes, s);
    // Floats cannot tell smaller differences of the fastest wind.
    float limit = (float)fmax(s->def.tolerance * s->reference, fmax(4e-7 * s->fastest, 1e-9));
    if (s->def.pressure == FIRN_WIND_JACOBI) {
        memset(s->q, 0, s->box.size * sizeof *s->q); // WIND12 7.3.5: from x = 0
        s->last = poisson_jacobi(s->solver, s->q, s->b, s->def.sweeps);
    } else {
        s->last = poisson_solve(s->solver, s->q, s->b, 0.9f * limit, MOST_ITERATIONS);
        if (!(s->last.residual <= 4 * limit))
            return fail(FIRN_UNSTABLE,
                        "wind: the pressure does not converge: residual %g after %d iterations",
                        (double)s->last.residual, s->last.iterations);
    }
    par_for(planes + 1, PLANES, subtract_planes, s);
    return FIRN_OK;
}
