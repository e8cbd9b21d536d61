#include "body/model.h"

#include <assert.h>
#include <stdio.h>

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

void model_series(firn_ledger *ledger, const char *panel, const char *name, const char *unit, double value) {
    if (ledger->series_count++ >= FIRN_SERIES) return; // the world refuses such a model
    firn_series *s = &ledger->series[ledger->series_count - 1];
    int a = snprintf(s->panel, sizeof s->panel, "%s", panel),
        b = snprintf(s->name, sizeof s->name, "%s", name), c = snprintf(s->unit, sizeof s->unit, "%s", unit);
    assert(a < (int)sizeof s->panel && b < (int)sizeof s->name && c < (int)sizeof s->unit);
    (void)a, (void)b, (void)c;
    s->value = value;
}
