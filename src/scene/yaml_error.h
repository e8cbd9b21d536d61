// What libyaml found wrong, in words for people who do not know YAML's grammar.
#ifndef SCENE_YAML_ERROR_H
#define SCENE_YAML_ERROR_H

#include <yaml.h>

#include "scene/source.h"

void yaml_error_add(const yaml_parser_t *parser, const source *s, problem_list *problems);

#endif
