// The powder that is in the air at this moment.
#include "draw/collect.h"

firn_status collect_powder(collector *g) {
    const powder *p = g->powder;
    collect_cloud *c = &g->cloud;
    double now = firn_world_time(g->world);
    float amount = (float)g->scene->picture.powder;
    size_t n = 0;
    if (!p || !g->scene->picture.points || collect_color_field(g)) return FIRN_OK;
    for (size_t i = 0; i < p->count; i++) {
        double age = now - p->puff[i].born;
        if (age < -1e-9 || age >= POWDER_LIFE) continue;
        if (!array_reserve(&c->at, &c->capacity[0], n + 1, sizeof *c->at) ||
            !array_reserve(&c->radius, &c->capacity[1], n + 1, sizeof *c->radius) ||
            !array_reserve(&c->opacity, &c->capacity[2], n + 1, sizeof *c->opacity) ||
            !array_reserve(&c->seed, &c->capacity[3], n + 1, sizeof *c->seed))
            return fail_memory("drawing powder", n * 24);
        c->radius[n] = powder_place(&p->puff[i], age > 0 ? age : 0, c->at[n], &c->opacity[n]);
        c->opacity[n] *= amount;
        c->seed[n++] = p->puff[i].seed;
    }
    g->list.powder = (draw_puffs){(const float(*)[3])c->at, c->radius, c->opacity, c->seed, n};
    return FIRN_OK;
}

void collect_powder_free(collect_cloud *c) {
    mem_free(c->at);
    mem_free(c->radius);
    mem_free(c->opacity);
    mem_free(c->seed);
    *c = (collect_cloud){0};
}
