// The list of all types of constraints, in the order of a sweep.
#include "pbd/pbd_kinds.h"

// A sweep goes through them in this order: what must hold at its end comes last. Pins come first: rigid ones
// put their particles in place before others look for contacts; then liquids, which put theirs in order.
static const pbd_kind *const kinds[] = {&pbd_pin,    &pbd_density, &pbd_bends,   &pbd_squares, &pbd_distance,
                                        &pbd_cells,  &pbd_shape,   &pbd_outside, &pbd_volume,  &pbd_contact,
                                        &pbd_bodies, &pbd_box,     &pbd_foam};
_Static_assert(sizeof kinds / sizeof kinds[0] <= PBD_KINDS, "make PBD_KINDS larger");

const pbd_kind *const *pbd_kinds(size_t *count) {
    *count = sizeof kinds / sizeof kinds[0];
    return kinds;
}

void *pbd_data(const pbd *s, const pbd_kind *kind) {
    for (size_t k = 0; k < s->kind_count; k++)
        if (s->kinds[k] == kind) return s->data[k];
    return NULL;
}
