// Coulomb friction between snow and bodies. At nodes, not at particles: there are more contacts than nodes,
// so that single normal impulses are arbitrary, while their sum on a node is not; friction bounded by single
// ones makes snow that should rest on a slope vibrate and creep.
#include <math.h>
#include <string.h>

#include "mpm/mpm_contact.h"
#include "mpm/mpm_ranks.h"
#include "par/par.h"

// Arrays of contact.friction, by slot; four floats a node.
enum {
    NORMAL,
    VELOCITY,
    IMPULSE
}; // (normal impulse, limit), (limit u, limit stop share), (friction so far, -)

static firn_status reserve(mpm_contact_scratch *r, size_t slots) {
    size_t bytes = BLOCK_FLOATS * sizeof(float);
    for (int i = 0; i < 3; i++)
        if (!array_reserve(&r->friction[i], &r->friction_capacity[i], slots, bytes))
            return fail_memory("finding friction in mpm", slots * bytes);
    if (!array_reserve(&r->touched, &r->friction_capacity[3], slots, 1))
        return fail_memory("finding friction in mpm", slots);
    return FIRN_OK;
}

static void clear_under(mpm_state *s, size_t block) {
    mpm_contact_scratch *r = &s->contact;
    const mpm_block *b = &s->grid.block[s->grid.occupied[block]];
    for (int k = 0; k < 8; k++) {
        if (r->touched[b->up[k]]) continue;
        r->touched[b->up[k]] = 1;
        for (int a = 0; a < 3; a++)
            memset(r->friction[a] + (size_t)b->up[k] * BLOCK_FLOATS, 0, BLOCK_FLOATS * sizeof(float));
    }
}

static void clear(mpm_state *s) {
    const mpm_ranks *k = s->ranks;
    memset(s->contact.touched, 0, s->grid.map.count);
    for (size_t i = 0; i < s->grid.occupied_count; i++)
        if (s->contact.count[i]) clear_under(s, i);
    for (size_t n = 0; k && n < k->borders; n++) // contacts of other ranks
        if (k->border[n].block != BLOCK_NONE) clear_under(s, k->border[n].block);
}

// data: the colliders.
static void weigh_contacts(void *context, void *data) {
    const mpm_state *s = context;
    const mpm_contact_scratch *r = &s->contact;
    mpm_collider *collider = data;
    for (size_t i = 0; i < r->pairs; i++) {
        mpm_collider *b = &collider[r->pair[i].body];
        for (size_t k = 0; b->dynamic && k < r->pair[i].count; k++) {
            const mpm_contact *c = &r->contacts[r->pair[i].first + k];
            if (c->normal > 0) b->held_mass += (double)c->mass;
        }
    }
}

static void to_nodes(mpm_state *s, size_t block, mpm_contact *contacts, size_t n, float *const patch[3]) {
    (void)block;
    ISA_PICK(mpm_friction_to_nodes)
    (contacts, n, s->contact.collider, patch[NORMAL], patch[VELOCITY], patch[IMPULSE]);
}

static void of_nodes(mpm_state *s, size_t block, mpm_contact *contacts, size_t n, float *const patch[3]) {
    (void)block;
    ISA_PICK(mpm_friction_of_nodes)(contacts, n, s->contact.collider, patch[0]);
}

// Stops the tangential velocity of a node as far as the limit allows. `velocity` becomes friction over limit.
static void rub_node(float *node, const float *normal, float *velocity, const float *impulse) {
    float limit = normal[3], ratio[3] = {0, 0, 0};
    float length2 = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
    if (limit > 0 && length2 > 0 && node[3] > 0) {
        float v[3], wanted[3], vn = 0, size2 = 0;
        for (int a = 0; a < 3; a++) {
            v[a] = node[a] - velocity[a] / limit;
            vn += v[a] * normal[a];
        }
        for (int a = 0; a < 3; a++) {
            float tangential = v[a] - vn / length2 * normal[a];
            wanted[a] = impulse[a] - node[3] * (velocity[3] / limit) * tangential;
            size2 += wanted[a] * wanted[a];
        }
        float keep = size2 > limit * limit ? limit / sqrtf(size2) : 1;
        for (int a = 0; a < 3; a++) {
            node[a] += (keep * wanted[a] - impulse[a]) / node[3];
            ratio[a] = keep * wanted[a] / limit;
        }
    }
    for (int a = 0; a < 3; a++) velocity[a] = ratio[a];
}

static void rub_blocks(void *context, size_t begin, size_t end) {
    mpm_state *s = context;
    const mpm_contact_scratch *r = &s->contact;
    for (size_t i = begin; i < end; i++) {
        size_t at = (size_t)s->grid.active[i] * BLOCK_FLOATS;
        for (size_t k = at; r->touched[s->grid.active[i]] && k < at + BLOCK_FLOATS; k += 4)
            rub_node(s->grid.nodes + k, r->friction[NORMAL] + k, r->friction[VELOCITY] + k,
                     r->friction[IMPULSE] + k);
    }
}

firn_status mpm_apply_friction(mpm_state *s) {
    mpm_contact_scratch *r = &s->contact;
    if (!mpm_has_contacts(s)) return FIRN_OK;
    TRY(reserve(r, s->grid.map.count));
    clear(s);
    if (!s->ranks)
        weigh_contacts(s, r->collider);
    else if (s->ranks->dynamic)
        net_in_order(r->collider, mpm_colliders(s, s->bodies) * sizeof *r->collider, weigh_contacts, s);
    mpm_over_contacts(s, to_nodes, r->friction, false);
    par_for(s->grid.active_count, 16, rub_blocks, s);
    float *const ratio[3] = {r->friction[VELOCITY], NULL, NULL};
    mpm_over_contacts(s, of_nodes, ratio, true);
    return FIRN_OK;
}
