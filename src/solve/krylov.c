// Conjugate gradients or residuals: the scalars; the caller has the vectors.
#include "solve/krylov.h"

int krylov_solve(const krylov_method *method, void *context, krylov *state, double goal, int max_iterations) {
    int iterations = 0;
    for (; iterations < max_iterations && state->residual > goal; iterations++) {
        double rho = method->precondition(context);
        double beta = state->rho > 0 ? rho / state->rho : 0;
        state->rho = rho;
        if (!(rho > 0)) break;
        double curvature = method->update_direction(context, beta);
        if (!(curvature > 0)) break;
        state->residual = method->advance(context, rho / curvature);
    }
    return iterations;
}
