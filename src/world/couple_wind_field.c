// Flakes of the wind that land on the snow field become snow of the field: tracks fill up, bodies get
// covered. The wind counts them as landed, the field as mass that entered; both balances stay closed. Loose
// bits of the field fly in the wind.
#include "world/world_state.h"

#include <string.h>

#include "snowfield/snowfield.h"
#include "wind/wind.h"

static void *find(const firn_world *world, const model_class *kind) {
    for (size_t i = 0; i < world->members; i++)
        if (world->member[i].kind == kind) return world->member[i].state;
    return NULL;
}

static float height(const void *context, float x, float z) {
    return snowfield_height_at(((const firn_world *)context)->landed.field, x, z);
}

static void take(void *context, const float at[3]) {
    firn_world *world = context;
    if (!array_reserve(&world->landed.at, &world->landed.capacity, world->landed.count + 1,
                       sizeof *world->landed.at)) {
        world->landed.full = true;
        return;
    }
    memcpy(world->landed.at[world->landed.count++], at, sizeof *world->landed.at);
}

static void show_ground(firn_world *world) {
    wind_ground ground = {world, height, take, snowfield_highest(world->landed.field)};
    wind_set_ground(world->landed.wind, &ground);
}

void couple_wind_field_begin(firn_world *world) {
    world->landed.wind = find(world, &wind_model);
    world->landed.field = find(world, &snowfield_model);
    if (world->landed.wind && world->landed.field)
        snowfield_set_air(world->landed.field, (snowfield_air){world->landed.wind, wind_air_at});
    bool both = world->landed.wind && world->landed.field && wind_flake_mass(world->landed.wind) > 0;
    if (!both)
        world->landed.wind = NULL;
    else
        show_ground(world);
}

firn_status couple_wind_field(firn_world *world) {
    if (!world->landed.wind) return FIRN_OK;
    if (world->landed.full) return fail_memory("depositing flakes on the snow field", 8);
    TRY(snowfield_take_flakes(world->landed.field, world->landed.count, (const float(*)[3])world->landed.at,
                              wind_flake_mass(world->landed.wind)));
    world->landed.count = 0;
    show_ground(world);
    return FIRN_OK;
}
