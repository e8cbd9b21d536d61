#include "lane/avx2.h"

#define LANES 16
#include "svd3_checks.h"
