#define LANES 16
#include "svd3_checks.h"
