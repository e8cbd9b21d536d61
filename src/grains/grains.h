// Loose grains: the smallest model. Points that fall, bounce off and slide on bodies, and push them; they do
// not collide with each other.
#ifndef GRAINS_GRAINS_H
#define GRAINS_GRAINS_H

#include "body/body.h"

extern const param_table grains_params;   // firn_grains_def
extern const param_table grains_sections; // of a scene
extern const model_class grains_model;

// Whether another model drags the grains: `drag`, that of still air, then does not act.
void grains_set_air(void *model, bool dragged);

#endif
