// What the relief of snow is bound to: where each particle was in the first frame, by its persistent number,
// and how loose it is. Models that do not number their items (no field NAME.id) have relief at the present
// place.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "draw/collect.h"

firn_field collect_sibling(const firn_world *world, const char *position, const char *name, size_t count) {
    char full[80];
    const char *dot = strchr(position, '.');
    if (!dot || dot - position > 40) return (firn_field){0};
    snprintf(full, sizeof full, "%.*s.%s", (int)(dot - position), position, name);
    firn_field f = firn_world_field((firn_world *)world, full);
    return f.count == count ? f : (firn_field){0};
}

static firn_status take_model(collect_rest_of *r, const firn_field *at, const uint32_t *id,
                              firn_vec3 origin) {
    size_t most = 0;
    for (size_t i = 0; i < at->count; i++) most = id[i] >= most ? (size_t)id[i] + 1 : most;
    if (most > 4 * at->count + 1000) return FIRN_OK; // numbers of what is long gone
    r->at = mem_alloc(most * sizeof *r->at);
    if (!r->at) return fail_memory("remembering where snow was", most * sizeof *r->at);
    r->count = most;
    for (size_t i = 0; i < most; i++) r->at[i][0] = NAN;
    for (size_t i = 0; i < at->count; i++) field_position_near(at, i, origin, r->at[id[i]]);
    return FIRN_OK;
}

firn_status collect_rest_take(collect_rest *r, firn_world *world, firn_vec3 origin) {
    collect_rest_free(r);
    r->item = mem_zero(world_model_count(world) + 1, sizeof *r->item);
    if (!r->item) return fail_memory("remembering where snow was", 0);
    r->count = world_model_count(world);
    for (size_t i = 0; i < r->count; i++) {
        const model_drawing *d = world_model_class(world, i)->drawing;
        if (!d || !d->position) continue;
        firn_field at = firn_world_field(world, d->position),
                   id = collect_sibling(world, d->position, "id", at.count);
        if (at.count && field_has_positions(&at) && id.data && id.type == FIRN_U32)
            TRY(take_model(&r->item[i], &at, id.data, origin));
    }
    return FIRN_OK;
}

void collect_rest_free(collect_rest *r) {
    for (size_t i = 0; i < r->count; i++) mem_free(r->item[i].at);
    mem_free(r->item);
    *r = (collect_rest){0};
}

// Snow that was pulled apart is rough, pressed snow smooth. plastic: volume ratio, 1 untouched.
static float roughness(float plastic) { return fminf(fmaxf(0.6f + 3 * (plastic - 1), 0.3f), 1); }

const float (*collect_bound(const collector *g, size_t member, const firn_field *at, const float (*place)[3],
                            float (**room)[4], size_t *capacity))[4] {
    if (!array_reserve(room, capacity, at->count, sizeof **room)) return NULL;
    firn_field id = collect_sibling(g->world, at->name, "id", at->count),
               plastic = collect_sibling(g->world, at->name, "plastic", at->count);
    const collect_rest_of *rest = g->rest && member < g->rest->count ? &g->rest->item[member] : NULL;
    const uint32_t *number = rest && rest->at && id.type == FIRN_U32 ? id.data : NULL;
    const float *loosened = plastic.type == FIRN_F32 ? plastic.data : NULL;
    for (size_t i = 0; i < at->count; i++) {
        bool known = number && number[i] < rest->count && !isnan(rest->at[number[i]][0]);
        memcpy((*room)[i], known ? rest->at[number[i]] : place[i], sizeof(float[3]));
        (*room)[i][3] = roughness(loosened && isfinite(loosened[i]) ? loosened[i] : 1.05f);
    }
    return (const float(*)[4]) * room;
}
