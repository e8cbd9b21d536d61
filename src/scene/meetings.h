// Who meets whom: the couplings of models in lists, in the page docs/who-meets-whom.md and for one scene.
#ifndef SCENE_MEETINGS_H
#define SCENE_MEETINGS_H

#include "base/text.h"
#include "scene/scene.h"

void list_couplings(text *t);
void list_couplings_json(text *t);
// Which models of a scene meet, a line each: "mpm and field: ...". Those that are switched off are named.
void scene_meetings(const firn_world_def *def, text *t);
// What passes between two models: of the key `coupling.wind_field`; NULL: it is no coupling.
const char *coupling_help(const char *path);

#endif
