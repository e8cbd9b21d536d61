// Access to the fields of a model.
#include "body/model.h"

#include "geom/shape.h"
#include "math/dvec.h"

bool field_fetch(const field_row *row, const void *model, firn_field *out) {
    field_span span = row->get(model);
    *out = (firn_field){.name = row->name,
                        .unit = row->unit,
                        .help = row->help,
                        .type = row->type,
                        .components = row->components,
                        .flags = row->flags,
                        .count = span.count,
                        .data = span.data};
    return !span.absent;
}

bool model_region_has(const model_region *region, firn_vec3 x) {
    firn_vec3 at = dvec_sub(x, region->at);
    return shape_sdf(region->form, dquat_rotate_back(region->rotation, at), NULL) < 0;
}
