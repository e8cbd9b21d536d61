// Column heights of bodies, and their response to impulses.
#include "body/body_set.h"
#include "geom/shape_columns.h"

void body_columns(const body_set *bodies, size_t b, const column_grid *g, float *low, float *high) {
    shape_columns(bodies->item[b].shape, bodies->position[b], bodies->rotation[b], g, low, high);
}

firn_vec3 body_centre_of_mass(const body_set *bodies, size_t b) { return body_centre(bodies, b); }

firn_vec3 body_spin_of(const body_set *bodies, size_t b, firn_vec3 twist) {
    if (!body_is_dynamic(bodies, b)) return dvec(0, 0, 0);
    return turned_times(bodies->item[b].inverse_inertia, bodies->rotation[b], twist);
}

firn_vec3 body_twist_of(const body_set *bodies, size_t b, firn_vec3 spin) {
    if (!body_is_dynamic(bodies, b)) return dvec(0, 0, 0);
    return turned_times(bodies->item[b].inertia, bodies->rotation[b], spin);
}
