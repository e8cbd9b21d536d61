// From a scene file to one tree: includes below it, overrides on top.
#ifndef SCENE_LOAD_H
#define SCENE_LOAD_H

#include <firn/scene.h>

#include "scene/yaml.h"

typedef struct loader {
    arena memory; // of sources and nodes
    problem_list problems;
    uint32_t sources;
    uint32_t layers;
    bool incomplete; // something could not be read: missing keys are not reported as well
} loader;

void loader_start(loader *l);
void loader_end(loader *l);

// FIRN_OK also when there are problems; *root is NULL if nothing can be read from them.
firn_status load_file(loader *l, const char *path, firn_overrides overrides, const node **root);
firn_status load_text(loader *l, const char *content, size_t bytes, const char *name,
                      firn_overrides overrides, const node **root);

#endif
