#define LANES 4
#include "lane_checks.h"
