// A world over several ranks (net/net.h). Rank 0 runs as ever and gives orders; the others have a world of
// the same scene and follow them. Bodies and the world's own state are on all ranks; a model divides its
// items (model_class.ranks).
#include "net/net.h"
#include "world/world_models.h"
#include "world/world_state.h"

#include <stdio.h>
#include <string.h>

enum { ORDER_END, ORDER_STEP, ORDER_GATHER, ORDER_FIELD };
enum { NAME_ROOM = 64 };
typedef struct order {
    uint32_t what;
    uint32_t share;        // first, the state of rank 0 is shared
    uint32_t whole;        // gathered on rank 0
    double until;          // s
    char field[NAME_ROOM]; // whose slabs go to rank 0
} order;

firn_status world_ranks_check(const firn_world_def *def) {
    size_t count;
    const model_class *const *classes = world_model_classes(&count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !world_section(def, classes[i])) continue; // bodies are on all ranks
        const char *keeps = classes[i]->ranks ? classes[i]->ranks->keeps(def) : classes[i]->name;
        if (keeps)
            return fail(
                FIRN_BAD_INPUT,
                "%s keeps this scene on one rank: only mpm without mpm.implicit and mpm.heat, "
                "grains, field or wind, with bodies, can be divided among ranks; run it without mpirun",
                keeps);
    }
    return FIRN_OK;
}

static bool made_together;
void world_ranks_together(bool together) { made_together = together; }

bool world_ranks_make_parts(const firn_world_def *def) {
    return made_together && net_count() > 1 && world_ranks_check(def) == FIRN_OK;
}

void world_ranks_use(firn_world *world) { world->ranks.on = net_count() > 1; }
bool world_ranks_used(const firn_world *world) { return world->ranks.on; }
void world_ranks_changed(firn_world *world) { world->ranks.shared = world->ranks.slabs = false; }

// ---- the state of rank 0 to all

typedef struct field_head {
    char name[NAME_ROOM]; // "": the last
    uint64_t count, bytes;
} field_head;

// Of those that all ranks have.
static bool is_common(const firn_world *world, size_t i) {
    if (!(world->field[i].flags & FIRN_FIELD_STATE)) return false;
    return world->field_of[i] == UINT32_MAX || !world->member[world->field_of[i]].kind->ranks;
}

static size_t value_bytes(firn_type type) { return type == FIRN_F64 || type == FIRN_U64 ? 8 : 4; }

static firn_status receive_field(firn_world *world, const field_head *head) {
    TRY(net_agree(world_field_resize(world, head->name, head->count)));
    for (size_t i = 0; i < world->fields && head->bytes > 0; i++)
        if (strcmp(world->field[i].name, head->name) == 0)
            net_broadcast((void *)world->field[i].data, head->bytes, 0);
    return FIRN_OK;
}

static firn_status send_fields(firn_world *world) {
    for (size_t i = 0; i < world->fields; i++) {
        const firn_field *f = &world->field[i];
        if (!is_common(world, i)) continue;
        field_head head = {.count = f->count, .bytes = f->count * f->components * value_bytes(f->type)};
        snprintf(head.name, sizeof head.name, "%s", f->name);
        net_broadcast(&head, sizeof head, 0);
        TRY(net_agree(FIRN_OK));
        if (head.bytes > 0) net_broadcast((void *)f->data, head.bytes, 0);
    }
    net_broadcast(&(field_head){.name = ""}, sizeof(field_head), 0);
    return FIRN_OK;
}

static firn_status share(firn_world *world) {
    world_clock clock = world->clock;
    net_broadcast(&clock, sizeof clock, 0);
    if (net_rank() == 0) TRY(send_fields(world));
    while (net_rank() > 0) {
        field_head head;
        net_broadcast(&head, sizeof head, 0);
        if (!head.name[0]) break;
        TRY(receive_field(world, &head));
    }
    for (size_t i = 0; i < world->members; i++)
        if (world->member[i].kind->ranks) TRY(world->member[i].kind->ranks->share(world->member[i].state));
    if (net_rank() > 0) world_clock_set(world, clock);
    return net_agree(net_rank() > 0 ? world_loaded(world) : FIRN_OK);
}

// ---- orders

// Of rank 0.
static firn_status give(firn_world *world, order o) {
    o.share = !world->ranks.shared;
    net_broadcast(&o, sizeof o, 0);
    if (o.share) TRY(share(world));
    world->ranks.shared = true;
    return FIRN_OK;
}

firn_status world_ranks_step(firn_world *world, double until) {
    if (!world->ranks.on) return FIRN_OK;
    world->ranks.slabs = false;
    return give(world, (order){.what = ORDER_STEP, .until = until});
}

firn_status world_ranks_gather_here(firn_world *world, bool whole) {
    if (!world->ranks.on && !world->ranks.serves) return FIRN_OK;
    for (size_t i = 0; i < world->members; i++)
        if (world->member[i].kind->ranks)
            TRY(world->member[i].kind->ranks->gather(world->member[i].state, whole));
    world_fetch_fields(world);
    world->ranks.slabs = true;
    return FIRN_OK;
}

firn_status world_gather(firn_world *world, bool whole) {
    if (!world->ranks.on) return FIRN_OK;
    TRY(give(world, (order){.what = ORDER_GATHER, .whole = whole}));
    return world_ranks_gather_here(world, whole);
}

static const struct firn_model_ranks *divides(const firn_world *world, size_t field) {
    uint32_t member = world->field_of[field];
    const struct firn_model_ranks *ranks = member == UINT32_MAX ? NULL : world->member[member].kind->ranks;
    return ranks && ranks->is_divided(world->field[field].name) ? ranks : NULL;
}

bool world_field_in_slabs(const firn_world *world, size_t field) {
    return world->ranks.slabs && divides(world, field);
}

size_t world_field_total(const firn_world *world, size_t field) {
    if (!world_field_in_slabs(world, field)) return world->field[field].count;
    const struct firn_model_ranks *ranks = divides(world, field);
    const void *state = world->member[world->field_of[field]].state;
    return ranks->total_of ? ranks->total_of(state, world->field[field].name) : ranks->total(state);
}

// Of all ranks, in slabs.
static void collect(const firn_world *world, size_t field,
                    void (*fn)(void *context, const void *data, size_t bytes), void *context) {
    firn_field f = firn_world_field_at(world, field); // derived now, if it is
    net_collect(f.data, f.count * f.components * value_bytes(f.type), fn, context);
}

void world_field_pieces(const firn_world *world, size_t field,
                        void (*fn)(void *context, const void *data, size_t bytes), void *context) {
    if (!world_field_in_slabs(world, field)) {
        const firn_field f = firn_world_field_at(world, field);
        fn(context, f.data, f.count * f.components * value_bytes(f.type));
        return;
    }
    order o = {.what = ORDER_FIELD};
    snprintf(o.field, sizeof o.field, "%s", world->field[field].name);
    net_broadcast(&o, sizeof o, 0);
    collect(world, field, fn, context);
}

firn_status world_ranks_agree(const firn_world *world, firn_status status) {
    return world->ranks.on || world->ranks.serves ? net_agree(status) : status;
}

void world_ranks_end(void) {
    order o = {.what = ORDER_END};
    if (net_count() > 1) net_broadcast(&o, sizeof o, 0);
}

static void give_field(const firn_world *world, const char *name) {
    for (size_t i = 0; i < world->fields; i++)
        if (strcmp(world->field[i].name, name) == 0) collect(world, i, NULL, NULL);
}

void world_serve(firn_world *world) {
    for (;;) {
        order o;
        net_broadcast(&o, sizeof o, 0);
        if (o.what == ORDER_END) return;
        if (o.share && share(world) != FIRN_OK) net_abort(firn_last_error());
        if (o.what == ORDER_STEP) (void)world_step_here(world, o.until); // rank 0 fails in the same way
        if (o.what == ORDER_GATHER && world_ranks_gather_here(world, o.whole) != FIRN_OK)
            net_abort(firn_last_error());
        if (o.what == ORDER_FIELD) give_field(world, o.field);
    }
}
