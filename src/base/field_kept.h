// A flag of fields beside those of firn_field: what is shown needs it, what comes does not.
#ifndef FIRN_BASE_FIELD_KEPT_H
#define FIRN_BASE_FIELD_KEPT_H

enum { FIELD_KEPT = 4 }; // part of checkpoints, if they have it, but not of the hash

#endif
