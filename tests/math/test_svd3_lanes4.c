#define LANES 4
#include "svd3_checks.h"
