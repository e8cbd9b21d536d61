#define LANES 16
#include "lane_checks.h"
