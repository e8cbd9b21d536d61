#define LANES 1
#include "lane_checks.h"
