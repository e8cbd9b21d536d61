// Which particles of a solid are linked by distance constraints.
#ifndef PBD_PBD_LINKS_H
#define PBD_PBD_LINKS_H

#include "pbd/pbd_batch.h"

// The links of a solid, each pair once.
firn_status pbd_draft_links_of(pbd *s, const firn_pbd_def *def, size_t number, pbd_draft *draft);
// Of a link of a solid with that rest length. Elastic solids: a link stands for the material of a particle,
// k = E V / L^2.
float pbd_link_compliance(const firn_pbd_def *def, const firn_pbd_solid_def *solid, const pbd_group *group,
                          double rest);

#endif
