// What a hand does to a world between two steps: heaps of snow, and pushes of all that is inside a shape.
#include <math.h>
#include <string.h>

#include "body/offers.h"
#include "body/place_rows.h"
#include "geom/shape.h"
#include "math/dvec.h"
#include "par/par.h"
#include "world/world_change.h"

firn_status firn_world_heap(firn_world *world, double x, double z, double radius, double mass) {
    IN_WORLD(world);
    NEED(world);
    TRY(world_may_change(world));
    if (!(isfinite(x) && isfinite(z)))
        return fail(FIRN_BAD_INPUT, "invalid place of a heap: x and z must be finite");
    if (!(radius > 0 && radius <= 1e4))
        return fail(FIRN_BAD_INPUT, "invalid radius %g m of a heap: must be above 0, at most 10 km", radius);
    if (!(mass > 0 && mass <= 1e9))
        return fail(FIRN_BAD_INPUT, "invalid mass %g kg of a heap: must be above 0, at most 1e9 kg", mass);
    bool took = false;
    firn_status status = FIRN_OK;
    for (size_t i = 0; i < world->members && status == FIRN_OK && !took; i++) {
        const struct firn_model_growth *growth = world->member[i].kind->growth;
        if (growth && growth->put) status = growth->put(world->member[i].state, x, z, radius, mass, &took);
    }
    world_fetch_fields(world);
    if (status != FIRN_OK || took) return status;
    return fail(FIRN_UNSUPPORTED, "there is neither a snow field nor a snow cover at x %g m, z %g m", x, z);
}

enum { BLOCK = 1024 };

typedef struct pushing {
    const offer_particles *offer;
    void *model;
    const model_region *region;
    float change[3]; // m/s
} pushing;

static void push_block(void *context, size_t block) {
    const pushing *p = context;
    offer_particle read[BLOCK];
    float change[BLOCK][3] = {0};
    size_t count = p->offer->count(p->model), begin = block * BLOCK;
    size_t end = begin + BLOCK < count ? begin + BLOCK : count;
    bool any = false;
    p->offer->read(p->model, begin, end, read);
    for (size_t i = 0; i < end - begin; i++) {
        if (!model_region_has(p->region, dvec(read[i].at[0], read[i].at[1], read[i].at[2]))) continue;
        memcpy(change[i], p->change, sizeof change[i]);
        any = true;
    }
    if (any) p->offer->push(p->model, begin, end, (const float(*)[3])change);
}

static void push_model(world_member *member, const model_region *region, firn_vec3 change) {
    const struct firn_offers *offers = member->kind->offers;
    if (!offers || !offers->particles || !offers->particles->push) return;
    pushing p = {.offer = offers->particles, .model = member->state, .region = region};
    p.change[0] = (float)change.x, p.change[1] = (float)change.y, p.change[2] = (float)change.z;
    par_tasks((p.offer->count(p.model) + BLOCK - 1) / BLOCK, push_block, &p);
}

firn_status firn_world_push_inside(firn_world *world, firn_fill_def where, firn_vec3 change) {
    IN_WORLD(world);
    NEED(world);
    TRY(world_may_change(world));
    if (!(isfinite(change.x) && isfinite(change.y) && isfinite(change.z)))
        return fail(FIRN_BAD_INPUT, "invalid change of velocity: must be finite");
    TRY(param_validate(&region_params, &where));
    shape *form;
    TRY(shape_create(&where.shape, where.scale, world->def->folder, "region", &form));
    const model_region region = {NULL, form, where.at, dquat_from_angles(where.rotate)};
    for (size_t i = 0; i < world->members; i++) push_model(&world->member[i], &region, change);
    shape_destroy(form);
    world->energy.driven = true;
    world_fetch_fields(world);
    return FIRN_OK;
}
