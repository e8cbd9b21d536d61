#include "lane/avx2.h"

#define LANES 8
#include "svd3_checks.h"
