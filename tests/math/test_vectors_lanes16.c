#define LANES 16
#include "vector_checks.h"
