// The loop of conjugate gradients and conjugate residuals for A x = b, A symmetric. The vectors stay with the
// caller, who passes over them in as few passes as his layout allows; what is the same for all is here.
//
//                    z        rho     curvature     advance
//   gradients        M r      r.z     p.Ap          x += alpha p, r -= alpha Ap
//   residuals        r        r.Ar    Ap.Ap         the same
//
//   beta = rho / (rho of before), p = z + beta p, alpha = rho / curvature
#ifndef SOLVE_KRYLOV_H
#define SOLVE_KRYLOV_H

// NAN from any of them ends the loop: the caller failed, or nobody wants the result any more.
typedef struct krylov_method {
    double (*precondition)(void *context);                  // z, and Ar for residuals; returns rho
    double (*update_direction)(void *context, double beta); // p and Ap; beta 0: p = z; returns the curvature
    double (*advance)(void *context, double alpha);         // x and r; returns the measure of r
} krylov_method;

// Kept from one call to the next, so that a solve goes on where it was; rho 0 restarts it.
typedef struct krylov {
    double rho;
    double residual; // measure of r, as `advance` returns it; before the first iteration by the caller
} krylov;

// Iterates while the residual is above the goal. Ends early where rounding errors are all that is left (rho
// or the curvature not above 0). Returns the number of iterations.
int krylov_solve(const krylov_method *method, void *context, krylov *state, double goal, int max_iterations);

#endif
