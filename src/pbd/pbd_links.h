// Which particles of a solid are linked by distance constraints.
#ifndef PBD_PBD_LINKS_H
#define PBD_PBD_LINKS_H

#include "pbd/pbd_batch.h"

// The links of all solids, each pair once.
firn_status pbd_draft_links(pbd *s, const firn_pbd_def *def, pbd_draft *draft);
firn_status pbd_draft_links_of(pbd *s, const firn_pbd_def *def, size_t number, pbd_draft *draft); // of one

#endif
