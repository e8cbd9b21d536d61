// What the snow field offers to other models.
#include "snowfield/snowfield_state.h"

static const offer_ground ground = {
    .highest = snowfield_highest, .press = snowfield_press_feet, .stand = snowfield_stand};
const struct firn_offers snowfield_offers = {.ground = &ground};
