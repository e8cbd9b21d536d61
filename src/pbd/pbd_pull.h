// What constraints did to some particles of solids in a sub-step; for the reaction of pins on bodies.
#ifndef PBD_PBD_PULL_H
#define PBD_PBD_PULL_H

#include "pbd/pbd_state.h"

// slot[i] of the particles of solids: where in pull[] the impulse (N s) on particle i is added; UINT32_MAX:
// it is left out. Links, shape matching and volumes count, by the multipliers and the gradients at the end
// of the sub-step; contacts and constraints from outside do not.
void pbd_add_pulls(const pbd *s, const pbd_pass *pass, const uint32_t *slot, firn_vec3 *pull);

#endif
