#define LANES 8
#include "lane_checks.h"
