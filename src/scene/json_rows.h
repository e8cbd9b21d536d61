// What the tables know, one JSON object per line: `firn list --json` and `firn explain --json`. Every row has
// "event": "row", "kind", "name" and "help"; docs/getting-started.md describes the others.
#ifndef SCENE_JSON_ROWS_H
#define SCENE_JSON_ROWS_H

#include "body/model.h"
#include "scene/catalog.h"
#include "snow/snow_type.h"

void json_add_parameter(text *t, const char *path, const param_row *row);
// The rows of a table, with their paths below `path`.
void json_add_children(text *t, const char *path, const param_table *table);
void json_add_snow(text *t, const snow_type *snow);
void json_add_model(text *t, const model_class *model);
void json_add_field(text *t, const model_class *model, const field_row *field);
void json_add_series(text *t, const model_class *model, const series_row *series);
// What has a name and a help and nothing else: shapes, words of a parameter, words of the language,
// dimensions.
void json_add_word(text *t, const char *kind, const char *name, const char *help);

#endif
