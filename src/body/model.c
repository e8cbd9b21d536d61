// Access to the fields of a model.
#include "body/model.h"

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
