// Stacks of solids, for the sub-steps that they need.
#ifndef PBD_PBD_STACK_H
#define PBD_PBD_STACK_H

#include "pbd/pbd_state.h"

typedef struct pbd_stacked pbd_stacked;
typedef struct pbd_stack {
    pbd_stacked *solid; // by group
    size_t capacity;
} pbd_stack;

void pbd_stack_free(pbd_stack *stack);
// Begins a search: no solid stands on another.
firn_status pbd_stack_clear(const pbd *s, pbd_stack *stack);
// Two particles of solids press on each other along the unit vector n.
void pbd_stack_join(const pbd *s, pbd_stack *stack, uint32_t i, uint32_t j, const float n[3]);
// Ends it: sets counters.stack.
void pbd_stack_count(pbd *s, pbd_stack *stack);
// Sub-steps of a step of that length in which what was counted stands.
int pbd_stack_parts(const pbd *s, double dt);
// pbd_contact.c: counts what touches, before the first step; later ones know what pressed in the last.
firn_status pbd_contact_begin(pbd *s, const pbd_pass *pass);

#endif
