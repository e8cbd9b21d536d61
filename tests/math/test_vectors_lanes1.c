#define LANES 1
#include "vector_checks.h"
