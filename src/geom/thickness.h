// Share of a shape that is thinner than a cell, which a grid does not resolve.
#ifndef GEOM_THICKNESS_H
#define GEOM_THICKNESS_H

#include "geom/shape.h"

// The share of the shape's volume, 0 .. 1, that no ball of diameter `cell` (m) covers which fits inside. (The
// ball may lie up to one cell away from the place, so that the corners of a thick box do not count.) By
// sampling, to about 1 % of the volume, with the precision of shape_query: a thickness within 5 % of the cell
// may count either way. Same result for any thread count; takes milliseconds, some tenths of a second for
// shapes that fill little of their bounding box. 0 for unbounded shapes.
firn_status shape_thin_share(const shape *s, double cell, double *share);

#endif
