// Flakes of the wind that land on the snow field become snow of the field: tracks fill up, bodies get
// covered. The wind counts them as landed, the field as mass that entered; both balances stay closed. Loose
// bits of the field fly in the wind.
#include <string.h>

#include "snowfield/snowfield.h"
#include "wind/wind.h"
#include "world/couple_list.h"

// Flakes that landed in this step.
typedef struct landed {
    float (*at)[3]; // m
    size_t count, capacity;
    bool full;          // no memory for more
    firn_status status; // of the beginning
} landed;

static float height(const void *context, float x, float z) {
    return snowfield_height_at(((const coupling *)context)->b, x, z);
}

static void take(void *context, const float at[3]) {
    landed *list = ((coupling *)context)->own;
    if (!array_reserve(&list->at, &list->capacity, list->count + 1, sizeof *list->at)) {
        list->full = true;
        return;
    }
    memcpy(list->at[list->count++], at, sizeof *list->at);
}

static void show_ground(coupling *c) {
    wind_ground ground = {c, height, take, snowfield_highest(c->b)};
    wind_set_ground(c->a, &ground);
}

// Loose bits, and what they give back.
static void air_at(const void *context, const float at[3], float velocity[3]) {
    wind_air_at(((const coupling *)context)->a, at, velocity);
}

// Bits fly close to the snow, where cells of the wind are closed: the air above takes up what they give.
static void push_air(void *context, const float at[3], const double impulse[3]) {
    enum { CELLS = 3 };
    coupling *c = context;
    const offer_medium *medium = c->kind->a->offers->medium;
    const float given[3] = {(float)impulse[0], (float)impulse[1], (float)impulse[2]};
    float place[3] = {at[0], at[1], at[2]};
    offer_medium_sample air;
    for (int k = 0; k < CELLS; k++, place[1] += (float)wind_cell_size(c->a)) {
        medium->read(c->a, 1, (const float(*)[3])place, &air);
        if (air.density > 0) break;
    }
    medium->push(c->a, 1, (const float(*)[3])place, &given);
    for (int k = 0; k < 3; k++) c->sum->impulse[k] -= impulse[k];
}

// The field as an obstacle of the wind.
static firn_status show_heights(coupling *c) {
    return wind_set_heights(c->a, c, c->on ? height : NULL, snowfield_highest(c->b));
}

static firn_status create(coupling *c) {
    c->own = mem_zero(1, sizeof(landed));
    return c->own ? FIRN_OK : fail_memory("creating a world", sizeof(landed));
}

static void begin(coupling *c) {
    ((landed *)c->own)->status = show_heights(c);
    snowfield_set_air(c->b, c->on ? (snowfield_air){c, air_at, push_air} : (snowfield_air){0});
    if (c->on && wind_flake_mass(c->a) > 0)
        show_ground(c);
    else
        wind_set_ground(c->a, &(wind_ground){0});
}

static firn_status land(coupling *c, double now, double dt) {
    (void)now, (void)dt;
    landed *list = c->own;
    double mass = wind_flake_mass(c->a);
    if (!(mass > 0)) return FIRN_OK;
    if (list->full) return fail_memory("depositing flakes on the snow field", 8);
    TRY(snowfield_take_flakes(c->b, list->count, (const float(*)[3])list->at, mass));
    c->sum->mass += (double)list->count * mass;
    list->count = 0;
    show_ground(c);
    return FIRN_OK;
}

// Both are at the same time.
static firn_status bury(coupling *c, double now, double dt) {
    (void)now, (void)dt;
    TRY(((const landed *)c->own)->status);
    return show_heights(c);
}

static void end(coupling *c) {
    landed *list = c->own;
    if (list) mem_free(list->at);
    mem_free(list);
}

const coupling_class couple_wind_field = {
    .name = "wind_field",
    .a = &wind_model,
    .b = &snowfield_model,
    .what = "the wind blows over the field, flakes land on it, its loose bits fly in the wind",
    .help =
        "A flake that meets the surface of the snow field becomes snow of the field, or of the bodies that "
        "lie in it, with its whole mass. Loose bits that bodies throw up are dragged along by the air, which "
        "they slow down. Cells of the wind whose middle is below the surface of the field are closed: the "
        "wind "
        "goes around banks and heaps.",
    .create = create,
    .passes = PASSES_MASS | PASSES_IMPULSE,
    .begin = begin,
    .after_a = land,
    .exchange = bury,
    .end = end,
};
