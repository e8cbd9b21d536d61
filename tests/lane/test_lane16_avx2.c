#include "avx2.h"

#define LANES 16
#include "lane_checks.h"
