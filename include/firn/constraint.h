/* firn: constraints of position-based dynamics that a program adds. docs/extending.md walks through one. */
#ifndef FIRN_CONSTRAINT_H
#define FIRN_CONSTRAINT_H

#include <firn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Largest number of particles and of values of a constraint, and of kinds that a program can register. */
enum { FIRN_CONSTRAINT_PARTICLES = 8, FIRN_CONSTRAINT_VALUES = 8, FIRN_CONSTRAINTS = 32 };

/* A kind of constraint between a fixed number of particles. The solvers satisfy C(x) = 0, up to its
   compliance: they move particles along the gradients, weighted by inverse mass (XPBD). */
typedef struct firn_constraint_class {
    const char *name;   /* "straight": the value of `kind` in a scene */
    const char *unit;   /* of C; "" for pure numbers */
    const char *help;   /* one line */
    uint32_t particles; /* number of particles of a constraint: 1 .. 8 */
    uint32_t values;    /* number of values of a constraint (such as a rest length): 0 .. 8 */
    /* C at the positions x (m) of its particles, and its gradient with respect to each of them. A pure
       function: it is called from many threads, and its result depends on nothing but its arguments. Where
       the gradient is undefined, return zeros: nothing moves. Gradients that add up to zero conserve
       momentum. */
    float (*value)(const float (*x)[3], const float *values, float (*gradient)[3]);
    /* Sets the values for which the constraint is satisfied at x, where the scene gives none; NULL: the scene
       must give them. */
    void (*rest)(const float (*x)[3], float *values);
} firn_constraint_class;

/* Registers it for all scenes and worlds that the program creates from now on. The struct is copied; what it
   points to must stay valid. In a scene it is used in pbd.constraints, in the C API in firn_pbd_def. It is
   coloured and solved like the built-in constraints, by all solvers, with the same bits on any number of
   threads. Call it before worlds are created, and not while another thread is in a call of the library.
   FIRN_BAD_INPUT if it is invalid or the name is taken, FIRN_UNSUPPORTED beyond FIRN_CONSTRAINTS. */
FIRN_API firn_status firn_register_constraint(const firn_constraint_class *constraint); /* [setup] */

#ifdef __cplusplus
}
#endif
#endif
