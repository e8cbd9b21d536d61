// The wind over ranks (net/net.h): each has a slab of planes along z. Passes go over the planes of a rank
// once it has got those beside them from its neighbours; sums by blocks of planes, in the order of one rank.
#include "wind/wind_state.h"

#include <math.h>
#include <string.h>

#include "par/par.h"

// ---- slabs

bool wind_ranks_divide(wind_state *s, const model_setting *setting) {
    const int32_t n = s->box.n[2];
    s->k0 = 1, s->k1 = n + 1, s->first_plane = 0, s->end_plane = n + 2;
    s->ranks.reach = WIND_BUILT_HALO - 2;
    s->ranks.slabs.n = n;
    if (setting->parts <= 1 || s->is_around) return true;
    if (!net_slabs_make(&s->ranks.slabs, setting->parts, setting->part, n, WIND_PLANES)) return false;
    s->k0 = net_slabs_first(&s->ranks.slabs, setting->part);
    s->k1 = net_slabs_first(&s->ranks.slabs, setting->part + 1);
    net_slabs_own(&s->ranks.slabs, setting->part, &s->first_plane, &s->end_plane);
    return true;
}

void wind_near_planes(const wind_state *s, int32_t more, int32_t from, int32_t to, size_t *low,
                      size_t *high) {
    int32_t first = s->first_plane - more > from ? s->first_plane - more : from;
    int32_t end = s->end_plane + more < to ? s->end_plane + more : to;
    *low = (size_t)first, *high = (size_t)(end > first ? end : first);
}

wind_items wind_own_items(const wind_state *s, int32_t more) {
    size_t low, high;
    wind_near_planes(s, more, 0, s->box.n[2] + 2, &low, &high);
    return (wind_items){low * s->box.plane, high * s->box.plane};
}

void *wind_array(const wind_state *s, size_t more, size_t item) {
    if (!wind_is_divided(s)) return mem_zero(s->box.size + more, item);
    const wind_items near = wind_own_items(s, WIND_BUILT_HALO);
    return mem_part(s->box.size + more, item, (near.end - near.first) * item);
}

// ---- exchange

void wind_fill(const wind_state *s, int32_t below, int32_t above, void *array, size_t item) {
    net_slabs_fill(&s->ranks.slabs, below, above, &(net_planes){array, s->box.plane * item}, 1);
}

enum { STATES = 4 };
static void list_states(const wind_state *s, net_planes out[STATES]) {
    for (int i = 0; i < STATES; i++)
        out[i] = (net_planes){i < 3 ? s->v[i] : s->q, s->box.plane * sizeof(float)};
}

void wind_fill_air(const wind_state *s, int32_t width) {
    net_planes state[STATES];
    list_states(s, state);
    net_slabs_fill(&s->ranks.slabs, width, width, state, 3);
}

double wind_largest(const wind_state *s, double value) {
    if (wind_is_divided(s)) net_max(&value, 1);
    return value;
}

double wind_count(const wind_state *s, double count) {
    if (!wind_is_divided(s)) return count;
    net_buffer all = {0};
    net_gather_all(&count, sizeof count, &all, NULL);
    const double *value = (const double *)(const void *)all.data;
    count = 0;
    for (size_t r = 0; r < net_count(); r++) count += value[r];
    net_buffer_free(&all);
    return count;
}

void wind_join(const wind_state *s, wind_totals *own, size_t count, wind_totals *out) {
    net_buffer all = {0};
    (void)s;
    net_gather_all(own, count * sizeof *own, &all, NULL);
    const wind_totals *block = (const wind_totals *)(const void *)all.data;
    *out = block[0];
    for (size_t i = 1; i < all.bytes / sizeof *block; i++) {
        for (int d = 0; d < 4; d++) out->sum[d] += block[i].sum[d];
        out->most = fmax(out->most, block[i].most);
    }
    net_buffer_free(&all);
}

// ---- bodies

typedef struct in_order {
    wind_state *s;
    body_set *bodies;
    size_t bytes;
    void (*fn)(wind_state *s, body_set *bodies, void *data);
} in_order;

static void set_reactions(body_set *bodies, const firn_impulse *sum) {
    body_clear_reactions(bodies);
    for (size_t b = 0; b < body_count(bodies); b++)
        body_add_reaction(bodies, b, sum[b].impulse, sum[b].angular);
}

static void go_on(void *context, void *data) {
    const in_order *w = context;
    firn_impulse *sum = (firn_impulse *)((char *)data + w->bytes);
    set_reactions(w->bodies, sum);
    w->fn(w->s, w->bodies, data);
    for (size_t b = 0; b < body_count(w->bodies); b++) sum[b] = body_reaction(w->bodies, b);
}

void wind_in_order(wind_state *s, body_set *bodies, void *data, size_t bytes,
                   void (*fn)(wind_state *s, body_set *bodies, void *data)) {
    const size_t count = body_count(bodies), head = (bytes + 15) / 16 * 16;
    if (!wind_is_divided(s) || count == 0) {
        fn(s, bodies, data);
        return;
    }
    char *room = mem_zero(1, head + count * sizeof(firn_impulse));
    if (!room) net_abort("out of memory for the impulses on bodies");
    firn_impulse *sum = (firn_impulse *)(void *)(room + head);
    memcpy(room, data, bytes);
    for (size_t b = 0; b < count; b++) sum[b] = body_reaction(bodies, b);
    net_in_order(room, head + count * sizeof *sum, go_on, &(in_order){s, bodies, head, fn});
    set_reactions(bodies, sum);
    memcpy(data, room, bytes);
    mem_free(room);
}

bool wind_ranks_cross(const wind_state *s, int32_t low, int32_t high) {
    for (size_t r = 1; r < s->ranks.slabs.ranks; r++) {
        int32_t border = net_slabs_first(&s->ranks.slabs, r);
        if (low < border && border <= high) return true;
    }
    return false;
}

// One plane of owners and marks, from this rank to the next or from the one before.
static void pass_plane(wind_state *s, uint16_t *owner, int32_t plane, bool receive) {
    net_slabs *n = &s->ranks.slabs;
    const size_t first = (size_t)plane * s->box.plane, count = s->box.plane, bytes = count * sizeof *owner;
    for (size_t r = 0; r < n->ranks; r++) n->out[r].bytes = n->in[r].bytes = 0;
    if (!receive) {
        net_buffer_add(&n->out[n->rank + 1], owner + first, bytes);
        net_buffer_add(&n->out[n->rank + 1], s->whole + first, count);
    } else {
        n->in[n->rank - 1].bytes = bytes + count;
    }
    net_exchange_known(n->out, n->in);
    if (!receive) return;
    memcpy(owner + first, n->in[n->rank - 1].data, bytes);
    memcpy(s->whole + first, n->in[n->rank - 1].data + bytes, count);
}

void wind_hand_up(wind_state *s, uint16_t *owner, int32_t low, int32_t high, bool receive) {
    if (receive) {
        if (low < s->k0 && s->k0 <= high) pass_plane(s, owner, s->k0, true);
        return;
    }
    if (low < s->k1 && s->k1 <= high) pass_plane(s, owner, s->k1, false);
    wind_fill(s, 1, 1, owner, sizeof *owner);
    wind_fill(s, 1, 1, s->whole, 1);
}

// ---- in a step

// What rank 0 had from the others.
static void drop_whole(wind_state *s) {
    net_planes state[STATES];
    const wind_items near = wind_own_items(s, WIND_BUILT_HALO);
    list_states(s, state);
    for (int i = 0; i < STATES; i++) {
        mem_part_clear(state[i].data, 0, near.first * sizeof(float));
        mem_part_clear(state[i].data, near.end * sizeof(float), s->box.size * sizeof(float));
    }
}

firn_status wind_ranks_begin(wind_state *s) {
    if (s->ranks.shows == WIND_SHOWS_WHOLE && net_rank() == 0) drop_whole(s);
    s->ranks.shows = WIND_SHOWS_ALL;
    return FIRN_OK;
}

// All ranks come to the same failures, but for that of memory: others that do not know it would wait.
firn_status wind_ranks_end(const wind_state *s, firn_status status) {
    if (wind_is_divided(s) && status == FIRN_NO_MEMORY) net_abort(firn_last_error());
    return status;
}

bool wind_ranks_first(const wind_state *s, bool found, uint64_t *item) {
    if (!wind_is_divided(s)) return found;
    double first = found ? -(double)net_rank() : -INFINITY;
    net_max(&first, 1);
    if (first > -INFINITY) net_broadcast(item, sizeof *item, (size_t)-first);
    return first > -INFINITY;
}

// ---- fields

size_t wind_air_planes(const wind_state *s, size_t rank) {
    const size_t step = (size_t)s->def.shown;
    return ((size_t)net_slabs_first(&s->ranks.slabs, rank) - 1 + step - 1) / step;
}

field_span wind_part_of(const wind_state *s, const void *array, size_t item) {
    const bool whole = s->ranks.shows == WIND_SHOWS_WHOLE;
    if (s->ranks.shows == WIND_SHOWS_ALL || (whole && net_rank() == 0))
        return (field_span){.data = (void *)(uintptr_t)array, .count = s->box.size};
    const wind_items own = wind_own_items(s, 0);
    const char *data = (const char *)array + own.first * item;
    return (field_span){.data = (void *)(uintptr_t)data, .count = whole ? 0 : own.end - own.first};
}

typedef struct air_copy {
    char *to;
} air_copy;

static void append(void *context, const void *data, size_t bytes) {
    air_copy *w = context;
    if (w->to != data) memcpy(w->to, data, bytes);
    w->to += bytes;
}

static void collect_air(const wind_state *s, void *array, size_t item) {
    const size_t plane = s->air_n[0] * s->air_n[1] * item, first = wind_air_planes(s, net_rank()),
                 end = wind_air_planes(s, net_rank() + 1);
    net_collect((char *)array + first * plane, (end - first) * plane, append, &(air_copy){array});
}

// ---- between steps

static firn_status share_whole(wind_state *s) {
    net_planes state[STATES];
    list_states(s, state);
    net_slabs_scatter(&s->ranks.slabs, state, STATES);
    if (net_rank() == 0) drop_whole(s);
    if (s->ranks.unmade) TRY(wind_find_fixed(s, s->bodies));
    s->stale = true;
    s->measured = false;
    return wind_derive(s);
}

static firn_status share(void *model) {
    wind_state *s = model;
    struct {
        uint64_t whole;
        double blown[2], last_dt, time;
    } all = {s->ranks.whole, {s->turbulence.blown[0], s->turbulence.blown[1]}, s->last_dt, s->setting.time};
    net_broadcast(&all, sizeof all, 0);
    memcpy(s->turbulence.blown, all.blown, sizeof all.blown);
    s->last_dt = all.last_dt;
    s->setting.time = all.time;
    s->ranks.shows = WIND_SHOWS_ALL;
    firn_status status = FIRN_OK;
    if (all.whole)
        status = share_whole(s);
    else if (s->ranks.unmade)
        status = wind_begin_air(s, s->bodies);
    s->ranks.whole = s->ranks.unmade = false;
    return net_agree(wind_ranks_end(s, status));
}

static firn_status gather(void *model, bool whole) {
    wind_state *s = model;
    if (!s->measured) TRY(wind_total(s, &s->totals));
    wind_fill(s, 0, 1, s->v[2], sizeof(float));
    if (s->air_stale) wind_show_planes(s);
    if (whole) {
        net_planes state[STATES];
        list_states(s, state);
        net_slabs_gather(&s->ranks.slabs, state, STATES);
        collect_air(s, s->air, sizeof *s->air);
        collect_air(s, s->gauges, sizeof *s->gauges);
    }
    s->ranks.shows = whole ? WIND_SHOWS_WHOLE : WIND_SHOWS_SLAB;
    return FIRN_OK;
}

static bool is_air(const char *field) {
    return strcmp(field, "wind.air") == 0 || strcmp(field, "wind.gauges") == 0;
}

static bool is_divided(const char *field) {
    static const char *const names[] = {"wind.u", "wind.v", "wind.w", "wind.pressure"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(field, names[i]) == 0) return true;
    return is_air(field);
}

static size_t total_of(const void *model, const char *field) {
    const wind_state *s = model;
    return is_air(field) ? s->air_n[0] * s->air_n[1] * s->air_n[2] : s->box.size;
}

static bool is_closed(const firn_wind_sides_def *d) {
    return d->west == FIRN_WIND_WALL && d->east == FIRN_WIND_WALL && d->north == FIRN_WIND_WALL &&
           d->south == FIRN_WIND_WALL && d->top == FIRN_WIND_WALL;
}

static const char *keeps(const firn_world_def *def) {
    const firn_wind_def *wind = def->wind;
    if (def->mpm) return "wind beside mpm";
    if (def->grains) return "wind beside grains";
    if (def->field) return "wind beside field";
    if (wind->around.x > 0 || wind->around.y > 0 || wind->around.z > 0) return "wind.around";
    if (wind->buoyancy) return "wind.buoyancy";
    if (is_closed(&wind->sides)) return "a wind without an open side";
    for (size_t i = 0; i < def->bodies.count; i++)
        if (def->bodies.items[i].motion.kind == FIRN_MOTION_DYNAMIC) return "a free body in wind";
    if (def->flakes) return "flakes";
    if (def->cover) return "cover";
    if (!net_slabs_fit(net_count(), (int32_t)wind->grid.z, WIND_PLANES) || wind->grid.z < 2 * WIND_PLANES)
        return "wind of fewer than four planes of cells along z for each rank";
    return NULL;
}

const struct firn_model_ranks wind_model_ranks = {
    .keeps = keeps, .share = share, .gather = gather, .total_of = total_of, .is_divided = is_divided};
