#define LANES 8
#include "vector_checks.h"
