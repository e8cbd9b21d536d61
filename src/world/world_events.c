// Events of a world: contacts begin and end, mass enters and leaves; the rest the models add themselves. With
// nobody listening there is one test per step.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "body/events.h"
#include "math/dvec.h"
#include "wind/wind.h"
#include "world/world_state.h"

static const double RELEASE = 0.02; // s without a push after which a contact has ended

// Bodies a < b, or body a and model number `model`; 0: bodies.
typedef struct contact_key {
    uint32_t model, a, b;
} contact_key;

typedef struct world_contact {
    contact_key key;
    double last; // s, when they pushed each other
    firn_vec3 at;
    double impulse; // N s
} world_contact;

typedef struct contact_list {
    world_contact *items;
    size_t count, capacity;
} contact_list;

typedef struct mass_flow {
    double in, out; // kg, since the start
} mass_flow;

struct world_events {
    firn_event_list list;
    contact_list held, now;
    firn_impulse *before; // reactions, before a model's step
    size_t before_capacity;
    mass_flow *flow; // by member
};

static bool listens_to(const world_events *e, uint32_t kinds) { return e && e->list.kinds & kinds; }

enum {
    CONTACTS = 1u << FIRN_EVENT_CONTACT_BEGIN | 1u << FIRN_EVENT_CONTACT_END,
    FLOWS = 1u << FIRN_EVENT_ENTERED | 1u << FIRN_EVENT_LEFT,
    ALL = (1u << FIRN_EVENT_KINDS) - 1
};

// ---- contacts

static int compare(const void *a, const void *b) {
    const contact_key *p = &((const world_contact *)a)->key, *q = &((const world_contact *)b)->key;
    if (p->model != q->model) return p->model < q->model ? -1 : 1;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static void note(world_events *e, world_contact contact) {
    if (!array_reserve(&e->now.items, &e->now.capacity, e->now.count + 1, sizeof *e->now.items))
        e->list.dropped++;
    else
        e->now.items[e->now.count++] = contact;
}

void world_events_before(firn_world *world) {
    world_events *e = world->events;
    const body_set *bodies = world_bodies(world);
    if (!listens_to(e, CONTACTS)) return;
    size_t count = body_count(bodies);
    if (!array_reserve(&e->before, &e->before_capacity, count, sizeof *e->before)) {
        e->list.dropped++;
        return;
    }
    for (size_t b = 0; b < count; b++) e->before[b] = body_reaction(bodies, b);
}

// A model that pushed a body in its step is in contact with it; air, which is around every body, is not.
void world_events_after(firn_world *world, size_t member) {
    world_events *e = world->events;
    const body_set *bodies = world_bodies(world);
    if (!listens_to(e, CONTACTS) || world->member[member].kind == &wind_model) return;
    size_t count = body_count(bodies) < e->before_capacity ? body_count(bodies) : e->before_capacity;
    for (size_t b = 0; member > 0 && b < count; b++) {
        firn_vec3 by = dvec_sub(body_reaction(bodies, b).impulse, e->before[b].impulse);
        if (!(dvec_length2(by) > 0)) continue;
        note(e, (world_contact){{(uint32_t)member, (uint32_t)b, UINT32_MAX},
                                e->list.time,
                                body_state(bodies, b).position,
                                dvec_length(by)});
    }
    const body_touch *touches;
    size_t touching = member == 0 ? body_touches(bodies, &touches) : 0;
    for (size_t i = 0; i < touching; i++) {
        uint32_t a = touches[i].a, b = touches[i].b;
        note(e, (world_contact){
                    {0, a < b ? a : b, a < b ? b : a}, e->list.time, touches[i].at, touches[i].impulse});
    }
}

static void tell(firn_world *world, firn_event_kind kind, const world_contact *c) {
    firn_event event = event_of(kind, world->member[c->key.model].kind->name);
    event.body = c->key.a;
    event.other = c->key.b == UINT32_MAX ? SIZE_MAX : c->key.b;
    event.position = c->at;
    event.amount = kind == FIRN_EVENT_CONTACT_BEGIN ? c->impulse : 0;
    firn_event_add(&world->events->list, &event);
}

// Two sorted lists: of those held until now, and of this step.
static void join_contacts(firn_world *world) {
    world_events *e = world->events;
    size_t held = e->held.count, fresh = e->now.count, h = 0, kept = 0;
    if (fresh > 1) qsort(e->now.items, fresh, sizeof *e->now.items, compare);
    if (!array_reserve(&e->now.items, &e->now.capacity, held + 2 * fresh, sizeof *e->now.items)) {
        e->list.dropped += fresh;
        e->now.count = 0;
        return;
    }
    // The joined list grows behind the fresh ones, and becomes the next list of those held.
    world_contact *joined = e->now.items + fresh;
    for (size_t n = 0; n < fresh || h < held;) {
        int order = n == fresh ? 1 : h == held ? -1 : compare(&e->now.items[n], &e->held.items[h]);
        if (order <= 0) {
            if (order < 0) tell(world, FIRN_EVENT_CONTACT_BEGIN, &e->now.items[n]);
            joined[kept++] = e->now.items[n++];
            h += order == 0;
        } else if (e->list.time - e->held.items[h].last > RELEASE) {
            tell(world, FIRN_EVENT_CONTACT_END, &e->held.items[h++]);
        } else {
            joined[kept++] = e->held.items[h++];
        }
    }
    if (kept) memmove(e->now.items, joined, kept * sizeof *joined);
    contact_list next = e->now;
    next.count = kept;
    e->now = e->held;
    e->now.count = 0;
    e->held = next;
}

// ---- mass that enters and leaves

static mass_flow flow_of(const firn_world *world, size_t member) {
    firn_ledger ledger = firn_world_ledger(world, member);
    return (mass_flow){ledger.mass_in, ledger.mass_out};
}

static void tell_flow(firn_world *world, size_t member, firn_event_kind kind, double mass) {
    firn_event event = event_of(kind, world->member[member].kind->name);
    event.amount = mass;
    if (mass > 0) firn_event_add(&world->events->list, &event);
}

static void compare_flows(firn_world *world) {
    world_events *e = world->events;
    for (size_t i = 0; i < world->members; i++) {
        mass_flow now = flow_of(world, i), before = e->flow[i];
        e->flow[i] = now;
        tell_flow(world, i, FIRN_EVENT_ENTERED, now.in - before.in);
        tell_flow(world, i, FIRN_EVENT_LEFT, now.out - before.out);
    }
}

// ---- a step

void world_events_clear(firn_world *world) {
    if (!world->events) return;
    world->events->list.count = 0;
    world->events->list.dropped = 0;
}

firn_event_list *world_events_begin(firn_world *world, double end) {
    world_events *e = world->events;
    if (!listens_to(e, ALL)) return NULL;
    e->list.step = world->clock.step;
    e->list.time = end;
    return &e->list;
}

void world_events_contacts(firn_world *world) {
    if (listens_to(world->events, CONTACTS)) join_contacts(world);
}

void world_events_end(firn_world *world) {
    world_events_contacts(world);
    if (listens_to(world->events, FLOWS)) compare_flows(world);
}

// Another state was loaded.
void world_events_restart(firn_world *world) {
    world_events *e = world->events;
    if (!e) return;
    world_events_clear(world);
    e->held.count = 0;
    if (listens_to(e, FLOWS))
        for (size_t i = 0; i < world->members; i++) e->flow[i] = flow_of(world, i);
}

void world_events_free(world_events *e) {
    if (!e) return;
    mem_free(e->list.items);
    mem_free(e->held.items);
    mem_free(e->now.items);
    mem_free(e->before);
    mem_free(e->flow);
    mem_free(e);
}

// ---- the program's calls

static firn_status make_events(firn_world *world) {
    world_events *e = mem_zero(1, sizeof *e);
    if (e) e->flow = mem_zero(world->members, sizeof *e->flow);
    if (!e || !e->flow) {
        world_events_free(e);
        return fail_memory("listening to events", world->members * sizeof *e->flow);
    }
    world->events = e;
    return FIRN_OK;
}

firn_status firn_world_listen(firn_world *world, uint32_t kinds) {
    IN_WORLD(world);
    NEED(world);
    if (kinds & ~(uint32_t)ALL)
        return fail(FIRN_BAD_INPUT, "invalid kinds of events 0x%x: must be flags 1 << kind, at most 0x%x",
                    kinds, (unsigned)ALL);
    if (!world->events) TRY(make_events(world));
    world->events->list.kinds = kinds;
    world_events_restart(world);
    return FIRN_OK;
}

firn_status firn_world_events(const firn_world *world, const firn_event **events, size_t *count,
                              uint64_t *dropped) {
    if (events) *events = NULL;
    if (count) *count = 0;
    if (dropped) *dropped = 0;
    NEED(world);
    NEED(events);
    NEED(count);
    if (!world->events) return FIRN_OK;
    *events = world->events->list.items;
    *count = world->events->list.count;
    if (dropped) *dropped = world->events->list.dropped;
    return FIRN_OK;
}
