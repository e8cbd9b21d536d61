/* firn: constraints of position-based dynamics that a program brings. docs/extending.md walks through one. */
#ifndef FIRN_CONSTRAINT_H
#define FIRN_CONSTRAINT_H

#include <firn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Most particles and values of a constraint, and most kinds that a program can register. */
enum { FIRN_CONSTRAINT_PARTICLES = 8, FIRN_CONSTRAINT_VALUES = 8, FIRN_CONSTRAINTS = 32 };

/* A kind of constraint between a fixed number of particles. The solvers want C(x) = 0, up to its compliance;
   they move particles along the gradients, by their inverse masses (XPBD). */
typedef struct firn_constraint_class {
    const char *name;   /* "straight": what `kind` says in a scene */
    const char *unit;   /* of C; "" for pure numbers */
    const char *help;   /* one line */
    uint32_t particles; /* of a constraint: 1 .. 8 */
    uint32_t values;    /* numbers that a constraint has (a rest length): 0 .. 8 */
    /* C at the positions x (m) of its particles, and its gradient by each of them. A pure function: it is
       called from many threads, and what it returns depends on nothing else. Where the gradient is not
       defined, zeros: nothing moves. Gradients that add up to zero conserve momentum. */
    float (*value)(const float (*x)[3], const float *values, float (*gradient)[3]);
    /* The values of a constraint that is satisfied at x, where the scene gives none; NULL: it must give them
       if there are any. */
    void (*rest)(const float (*x)[3], float *values);
} firn_constraint_class;

/* Makes it known to all scenes and worlds of the program that are made from now on, until it ends: copied,
   what it points to must stay. In a scene it stands in pbd.constraints, in the C API in firn_pbd_def. It is
   coloured and solved like firn's own, by all solvers, with the same bits on any number of threads. Before
   worlds are made, and not while another thread is in a call of the library. FIRN_BAD_INPUT if it is wrong or
   the name is taken, FIRN_UNSUPPORTED beyond FIRN_CONSTRAINTS. */
FIRN_API firn_status firn_register_constraint(const firn_constraint_class *constraint); /* [setup] */

#ifdef __cplusplus
}
#endif
#endif
