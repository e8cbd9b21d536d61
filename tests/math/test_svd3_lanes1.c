#define LANES 1
#include "svd3_checks.h"
