// Ground that another model makes, as a collider: it stays where it is in a step, and where it bears no more,
// snow goes into it. Its model then makes way (mpm_dents), before the next step.
#include "mpm/mpm_contact.h"

#include <string.h>

void mpm_set_ground(void *model, mpm_ground ground) { ((mpm_state *)model)->ground = ground; }

const mpm_dent *mpm_dents(const void *model, size_t *count) {
    const mpm_state *s = model;
    *count = s->dent_count;
    return s->dents;
}

void mpm_ground_impulse(const void *model, double out[3]) {
    memcpy(out, ((const mpm_state *)model)->ground_impulse, sizeof(double[3]));
}

bool mpm_ground_is_near(const mpm_state *s, size_t block, float way) {
    double middle[3], half = (0.5 * BLOCK_EDGE + 1) * s->def.cell + (double)way;
    mpm_block_middle(s, block, middle);
    const double low[2] = {middle[0] - half, middle[2] - half},
                 high[2] = {middle[0] + half, middle[2] + half};
    return middle[1] - half < s->ground.highest(s->ground.model, low, high);
}

static float half_spacing(const mpm_state *s) {
    return 0.5f * (float)s->def.cell / cbrtf((float)s->def.per_cell);
}

// A dent where the snow has gone on towards the ground.
static firn_status add_dent(mpm_state *s, const mpm_contact *c, float dt) {
    const double *x = s->p.x[c->particle];
    float way = 0;
    for (int a = 0; a < 3; a++) way -= c->n[a] * (float)(x[a] - c->x[a]);
    if (!(way > 0)) return FIRN_OK;
    if (!array_reserve(&s->dents, &s->dent_capacity, s->dent_count + 1, sizeof *s->dents))
        return fail_memory("listing dents of the ground in mpm", (s->dent_count + 1) * sizeof *s->dents);
    float half = half_spacing(s);
    mpm_dent *dent = &s->dents[s->dent_count++];
    *dent = (mpm_dent){.size = 2 * half, .speed = way / dt};
    for (int a = 0; a < 3; a++) dent->at[a] = x[a] - (double)(half * c->n[a]);
    return FIRN_OK;
}

firn_status mpm_list_dents(mpm_state *s, const body_set *bodies, float dt) {
    const mpm_contact_scratch *r = &s->contact;
    s->dent_count = 0;
    memset(s->ground_impulse, 0, sizeof s->ground_impulse);
    for (size_t i = 0; s->ground.look && i < r->pairs; i++) {
        if (r->pair[i].body != body_count(bodies)) continue;
        for (size_t k = 0; k < r->pair[i].count; k++) {
            const mpm_contact *c = &r->contacts[r->pair[i].first + k];
            for (int a = 0; a < 3; a++)
                s->ground_impulse[a] -= (double)c->normal * (double)c->n[a] + (double)c->tangential[a];
            if (contact_gives_way(c)) TRY(add_dent(s, c, dt));
        }
    }
    return FIRN_OK;
}

// Particles without a grid are stopped one by one.
void mpm_collide_lone_ground(mpm_state *s) {
    mpm_collider ground = {.kind = FIRN_CONTACT_FRICTION, .friction = s->ground.friction};
    for (size_t k = 0; s->ground.look && k < s->lone_count; k++) {
        uint32_t i = s->lone[k];
        mpm_ground_point g;
        s->ground.look(s->ground.model, s->p.x[i], 0, &g);
        float in = half_spacing(s) - g.distance, *v = s->p.v[i], before[3] = {v[0], v[1], v[2]};
        if (!(in > 0)) continue;
        for (int a = 0; a < 3; a++) s->p.x[i][a] += (double)(in * g.normal[a]);
        contact_apply(&ground, v, g.normal);
        double m = (double)s->materials[s->p.material[i]].mass;
        for (int a = 0; a < 3; a++) s->ground_impulse[a] += m * ((double)before[a] - (double)v[a]);
    }
}
