// The models, in the order of a step: bodies first. A new one is a folder and a line here.
#ifndef WORLD_WORLD_MODELS_H
#define WORLD_WORLD_MODELS_H

#include "snowfield/snowfield.h"
#include "grains/grains.h"
#include "mpm/mpm.h"
#include "pbd/pbd.h"
#include "phase/phase.h"
#include "wind/wind.h"
#include "world/world.h"

#define WORLD_MODELS(MODEL)                                                                                  \
    MODEL(body)                                                                                              \
    MODEL(grains)                                                                                            \
    MODEL(mpm)                                                                                               \
    MODEL(snowfield)                                                                                         \
    MODEL(wind)                                                                                              \
    MODEL(pbd)                                                                                               \
    MODEL(phase)

// The sections of models that the program registered (world_register.c).
extern const param_table world_extensions;

extern const param_table coupling_params; // couple_params.c

// What a model of that class is made from: its first section of the def; NULL if the scene does not have it.
const void *world_section(const firn_world_def *def, const model_class *kind);

#endif
