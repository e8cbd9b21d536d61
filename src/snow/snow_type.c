#include "snow/snow_type.h"

#include <math.h>
#include <string.h>

#define DEG 0.017453292519943295

// Density ranges: PHYSICS section 0. Behaviour: starting values of MPM15 table 2 for packed snow; the others
// move from there in the direction their character says (MPM15 figures 12-14: dry, wet, harder, softer).
static const snow_type types[] = {
    {"fresh",
     "just fallen: loose, compresses a lot",
     50,
     150,
     100,
     0.5,
     0.02,
     42 * DEG,
     3.0e4,
     0.2,
     3.5e-2,
     4.0e-3,
     5,
     {0.93, 0.95, 0.98}},
    {"powder",
     "dry: flows and does not stick",
     100,
     200,
     150,
     0.35,
     0.05,
     35 * DEG,
     5.0e4,
     0.2,
     1.5e-2,
     3.0e-3,
     7,
     {0.92, 0.94, 0.98}},
    {"packed",
     "pressed by wind or feet: the reference of the MPM model",
     350,
     500,
     400,
     0.4,
     0.1,
     45 * DEG,
     1.4e5,
     0.2,
     2.5e-2,
     7.5e-3,
     10,
     {0.88, 0.91, 0.95}},
    {"wet",
     "chunky, sticks to itself and to everything",
     300,
     500,
     400,
     0.6,
     0.02,
     55 * DEG,
     1.4e5,
     0.2,
     4.0e-2,
     1.2e-2,
     10,
     {0.82, 0.87, 0.93}},
    {"granular",
     "old and grainy: rolls like coarse sugar",
     150,
     450,
     300,
     0.45,
     0.15,
     36 * DEG,
     1.0e5,
     0.2,
     1.8e-2,
     3.0e-3,
     8,
     {0.86, 0.89, 0.93}},
    {"firn",
     "hard snow of last winter",
     500,
     800,
     600,
     0.3,
     0.2,
     50 * DEG,
     5.0e5,
     0.25,
     2.0e-2,
     6.0e-3,
     15,
     {0.80, 0.86, 0.92}},
    {"icy",
     "frozen hard, nearly ice",
     800,
     900,
     850,
     0.1,
     0.3,
     55 * DEG,
     2.0e6,
     0.3,
     2.0e-2,
     5.0e-3,
     30,
     {0.70, 0.82, 0.92}},
    {"slush",
     "close to melting: soft and heavy",
     700,
     900,
     800,
     0.2,
     0.0,
     20 * DEG,
     4.0e4,
     0.3,
     4.0e-2,
     1.0e-2,
     3,
     {0.66, 0.75, 0.83}},
    {"sand",
     "not snow: dry sand, for comparison (FIELD11 6.1.1)",
     1500,
     1600,
     1550,
     0.6,
     0.05,
     34 * DEG,
     3.5e5,
     0.3,
     5.0e-3,
     5.0e-4,
     5,
     {0.55, 0.43, 0.27}},
};
enum { TYPES = sizeof types / sizeof types[0] };

const snow_type *snow_types(size_t *count) {
    *count = TYPES;
    return types;
}

const snow_type *snow_type_find(const char *name) {
    for (size_t i = 0; name && i < TYPES; i++)
        if (strcmp(types[i].name, name) == 0) return &types[i];
    return NULL;
}

const char *const *snow_type_names(void) {
    static const char *const names[] = {"fresh", "powder", "packed", "wet",  "granular",
                                        "firn",  "icy",    "slush",  "sand", NULL};
    _Static_assert(sizeof names / sizeof names[0] == TYPES + 1, "one name per type");
    return names;
}

double snow_young_measured(double density) { return 1.89 * pow(density, 2.94); }

double snow_poisson_measured(double density) { return 0.2 + 5e-4 * (density - 300.0); }
