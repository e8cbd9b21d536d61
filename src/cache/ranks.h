// Runs on several ranks: what the ranks do at the beginning of firn_run and firn_hash.
#ifndef CACHE_RANKS_H
#define CACHE_RANKS_H

#include "scene/scene.h"
#include "world/world.h"

// On all ranks but 0: opens the scene and follows rank 0 until its end. False on rank 0, which goes on.
bool ranks_serve(const char *path, firn_overrides overrides, firn_status *status);
// On rank 0, with what has come of building the world. If any rank has failed, all have; else the world uses
// all ranks from now on, until ranks_end.
firn_status ranks_begin(firn_status status, firn_world *world);
// The status of the run, which now says which rank has failed, and where.
firn_status ranks_end(firn_status status);

#endif
