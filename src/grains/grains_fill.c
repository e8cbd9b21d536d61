// Creating grains: shapes filled with points, without those that would start inside a body.
#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "grains/grains_state.h"
#include "snow/snow_type.h"

static const double MOST_GRAINS = 1e9;

void grains_take_material(grains *g, const firn_grains_def *def, const model_setting *setting) {
    const snow_type found = snow_type_of(setting->def, def->snow ? def->snow : "packed"), *snow = &found;
    g->radius = def->radius;
    g->mass =
        auto_or(def->density, snow->density) * 4.0 / 3.0 * M_PI * def->radius * def->radius * def->radius;
    g->friction = auto_or(def->friction, snow->friction);
    g->restitution = auto_or(def->restitution, snow->restitution);
    g->drag = def->drag;
    g->floor = def->floor;
}

static firn_status fill_one(const firn_grains_fill_def *def, const model_setting *setting, uint64_t seed,
                            fill_points *out) {
    shape *s;
    const char *name = def->name ? def->name : "fill";
    TRY(shape_create(&def->fill.shape, def->fill.scale, setting->folder, name, &s));
    firn_status status;
    firn_vec3 low, high;
    if (!shape_bounds(s, &low, &high))
        status = fail(FIRN_BAD_INPUT, "grains.fill.%s: this shape is infinite and cannot be filled", name);
    else if (fill_estimate(s, def->spacing, 1) > MOST_GRAINS)
        status = fail(FIRN_BAD_INPUT, "grains.fill.%s: more than 10^9 grains; raise spacing", name);
    else
        status = fill_shape(s, def->spacing, 1, def->pattern, seed, out);
    shape_destroy(s);
    return status;
}

// Makes room for `more` grains.
static firn_status grow(grains *g, size_t *room, size_t more) {
    size_t wanted = g->count + more;
    if (wanted > (size_t)MOST_GRAINS)
        return fail(FIRN_BAD_INPUT, "grains: more than 10^9 grains; raise spacing");
    size_t of_position = *room, of_velocity = *room;
    if (!array_reserve(&g->position, &of_position, wanted, sizeof *g->position) ||
        !array_reserve(&g->velocity, &of_velocity, wanted, sizeof *g->velocity))
        return fail_memory("filling shapes with grains", wanted * sizeof *g->position);
    *room = of_position < of_velocity ? of_position : of_velocity;
    return FIRN_OK;
}

// Points of one shape after the other, in blocks; those that would start inside a body are left out.
typedef struct sower {
    grains *g;
    const body_set *bodies;
    size_t first, end;     // which of the grains that remain are made here
    size_t points, number; // so far: of the shapes; those that remain
    size_t room;           // of the arrays
    size_t waiting;        // points of the present block
    float at[GRAIN_BLOCK][3], velocity[GRAIN_BLOCK][3];
} sower;

static void sow_block(sower *w) {
    float x[GRAIN_BLOCK], y[GRAIN_BLOCK], z[GRAIN_BLOCK], d[GRAIN_BLOCK];
    bool inside[GRAIN_BLOCK] = {false};
    grains *g = w->g;
    size_t n = w->waiting;
    for (size_t i = 0; i < n; i++) x[i] = w->at[i][0], y[i] = w->at[i][1], z[i] = w->at[i][2];
    for (size_t b = 0; b < body_count(w->bodies) && n > 0; b++) {
        body_query(w->bodies, b, n, x, y, z, d, NULL, NULL, NULL);
        for (size_t i = 0; i < n; i++) inside[i] |= d[i] < (float)g->radius;
    }
    for (size_t i = 0; i < n; i++) {
        if (inside[i]) continue;
        size_t number = w->number++;
        if (number < w->first || number >= w->end) continue;
        memcpy(g->position[g->count], w->at[i], sizeof *g->position);
        memcpy(g->velocity[g->count++], w->velocity[i], sizeof *g->velocity);
    }
    w->waiting = 0;
}

static firn_status sow_points(sower *w, const firn_grains_fill_def *def, const fill_points *points) {
    firn_quat turn = dquat_from_angles(def->fill.rotate);
    size_t more = w->waiting + points->count, most = w->end - w->first - w->g->count;
    TRY(grow(w->g, &w->room, more < most ? more : most));
    w->points += points->count;
    for (size_t i = 0; i < points->count; i++) {
        const float *p = points->at[i];
        firn_vec3 at = dvec((double)p[0], (double)p[1], (double)p[2]);
        at = dvec_add(def->fill.at, dquat_rotate(turn, at));
        float *to = w->at[w->waiting], *v = w->velocity[w->waiting];
        to[0] = (float)at.x, to[1] = (float)at.y, to[2] = (float)at.z;
        v[0] = (float)def->velocity.x, v[1] = (float)def->velocity.y, v[2] = (float)def->velocity.z;
        if (++w->waiting == GRAIN_BLOCK) sow_block(w);
    }
    return FIRN_OK;
}

static firn_status sow(sower *w, const firn_grains_fill_def *def, const model_setting *setting, size_t item) {
    fill_points points = {0};
    TRY(fill_one(def, setting, setting->seed + item, &points));
    firn_status status = sow_points(w, def, &points);
    fill_free(&points);
    return status;
}

static void end_sowing(sower *w, bool tell) {
    sow_block(w);
    if (w->number < w->points && tell)
        log_note("grains: %zu of %zu would start inside a body and were left out", w->points - w->number,
                 w->points);
}

// Those that are numbered [first, end) of all; *all: how many there are.
static firn_status fill_all(grains *g, const firn_grains_def *def, const model_setting *setting,
                            const body_set *bodies, size_t first, size_t end, size_t *all) {
    sower w = {.g = g, .bodies = bodies, .first = first, .end = end};
    for (size_t i = 0; i < def->fill.count; i++) TRY(sow(&w, &def->fill.items[i], setting, i));
    if (w.points == 0)
        return fail(FIRN_BAD_INPUT, "grains: no grain fits in the filled shapes; lower spacing");
    end_sowing(&w, *all == 0); // once
    *all = w.number;
    return FIRN_OK;
}

static bool take(void *pointer, size_t count, size_t item) {
    void *memory = mem_zero(count + 1, item);
    memcpy(pointer, &memory, sizeof memory);
    return memory != NULL;
}

static firn_status take_scratch(grains *g, size_t bodies) {
    size_t n = g->count;
    bool ok = take(&g->speed, n, sizeof *g->speed) && take(&g->id, n, sizeof *g->id) &&
              take(&g->spare_position, n, sizeof *g->spare_position) &&
              take(&g->spare_velocity, n, sizeof *g->spare_velocity) &&
              take(&g->spare_id, n, sizeof *g->spare_id) && take(&g->keep, n, sizeof *g->keep) &&
              take(&g->place, n, sizeof *g->place) &&
              take(&g->invalid, grain_blocks(n), sizeof *g->invalid) &&
              take(&g->sums, grain_blocks(n), sizeof *g->sums) && take(&g->walls, bodies, sizeof *g->walls);
    if (!ok) return fail_memory("making grains", n * sizeof *g->position);
    for (size_t i = 0; i < n; i++) g->id[i] = (uint32_t)(g->ranks.first + i);
    return FIRN_OK;
}

static void drop(void *pointer) {
    void *memory;
    memcpy(&memory, pointer, sizeof memory);
    mem_free(memory);
    memset(pointer, 0, sizeof memory);
}

static void drop_arrays(grains *g) {
    void *const arrays[] = {&g->position,       &g->velocity,       &g->speed,    &g->id,
                            &g->spare_position, &g->spare_velocity, &g->spare_id, &g->keep,
                            &g->place,          &g->walls,          &g->invalid,  &g->sums};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) drop(arrays[i]);
}

firn_status grains_reserve(grains *g, size_t count) {
    drop_arrays(g);
    g->count = g->capacity = 0;
    if (!take(&g->position, count, sizeof *g->position) || !take(&g->velocity, count, sizeof *g->velocity))
        return fail_memory("allocating grains", count * sizeof *g->position);
    g->count = count;
    TRY(take_scratch(g, g->wall_count));
    g->capacity = count;
    return FIRN_OK;
}

// They are another's.
static void forget_arrays(grains *g) {
    void *const arrays[] = {&g->position,       &g->velocity,       &g->speed,    &g->id,
                            &g->spare_position, &g->spare_velocity, &g->spare_id, &g->keep,
                            &g->place,          &g->walls,          &g->invalid,  &g->sums};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) memset(arrays[i], 0, sizeof(void *));
}

firn_status grains_move_within(grains *g, size_t count, size_t from, size_t kept, size_t to) {
    if (count <= g->capacity && count >= g->capacity / 2) {
        g->count = count;
        if (kept == 0 || from == to) return FIRN_OK;
        memmove(g->position + to, g->position + from, kept * sizeof *g->position);
        memmove(g->velocity + to, g->velocity + from, kept * sizeof *g->velocity);
        memmove(g->id + to, g->id + from, kept * sizeof *g->id);
        return FIRN_OK;
    }
    grains next = *g;
    forget_arrays(&next);
    firn_status status = grains_reserve(&next, count + GRAIN_BLOCK); // a block more may come
    if (status != FIRN_OK) {
        drop_arrays(&next);
        return status;
    }
    if (kept > 0) {
        memcpy(next.position + to, g->position + from, kept * sizeof *g->position);
        memcpy(next.velocity + to, g->velocity + from, kept * sizeof *g->velocity);
        memcpy(next.id + to, g->id + from, kept * sizeof *g->id);
    }
    next.count = count;
    drop_arrays(g);
    *g = next;
    return FIRN_OK;
}

static firn_status make(grains *g, const firn_grains_def *def, const model_setting *setting,
                        const body_set *bodies) {
    grains_take_material(g, def, setting);
    g->gravity = setting->gravity;
    g->max_speed = setting->max_speed;
    g->for_frames = setting->for_frames;
    size_t all = 0, first = 0, end = SIZE_MAX;
    if (setting->parts) { // counted first
        TRY(fill_all(g, def, setting, bodies, 0, 0, &all));
        grains_part(all, setting->part, setting->parts, &first, &end);
        g->ranks = (grain_ranks){.on = true, .first = first, .total = all};
    }
    if (!g->for_frames) TRY(fill_all(g, def, setting, bodies, first, end, &all));
    const grains *before = setting->replaces;
    g->capacity = g->count;
    g->made = before ? before->made : (double)all;
    g->counted = setting->rebuilt; // bodies that came later may lie where grains were filled in
    for (int i = 0; i < GRAIN_FIELDS; i++) g->field_count[i] = g->count;
    g->wall_count = body_count(bodies);
    TRY(take_scratch(g, g->wall_count));
    grains_measure(g);
    return FIRN_OK;
}

firn_status grains_create(const void *params, const model_setting *setting, const body_set *bodies,
                          void **model) {
    grains *g = mem_zero(1, sizeof *g);
    if (!g) return fail_memory("making grains", sizeof *g);
    firn_status status = make(g, params, setting, bodies);
    if (status != FIRN_OK) {
        grains_destroy(g);
        return status;
    }
    *model = g;
    return FIRN_OK;
}

void grains_destroy(void *model) {
    grains *g = model;
    if (!g) return;
    drop_arrays(g);
    mem_free(g->pushes);
    mem_free(g);
}

// ---- grains that come and go while the world runs

static firn_status make_more(grains *more, const firn_grains_fill_def *def, const model_setting *setting,
                             const model_item *item) {
    sower w = {.g = more, .bodies = item->bodies, .end = SIZE_MAX};
    TRY(sow(&w, def, setting, item->number));
    end_sowing(&w, true);
    if (more->count > 0) return FIRN_OK;
    return fail(FIRN_BAD_INPUT, "grains.fill.%s: no grain fits in the shape outside of bodies", def->name);
}

static void append(grains *to, const grains *from, size_t at, double first_id) {
    if (from->count == 0) return;
    memcpy(to->position + at, from->position, from->count * sizeof *to->position);
    memcpy(to->velocity + at, from->velocity, from->count * sizeof *to->velocity);
    for (size_t i = 0; i < from->count; i++)
        to->id[at + i] = from->id ? from->id[i] : (uint32_t)first_id + (uint32_t)i;
}

static firn_status add(void *model, const void *params, const model_setting *setting,
                       const model_item *item) {
    grains *g = model, more = {.radius = g->radius}, next = *g;
    const firn_grains_fill_def *def = &((const firn_grains_def *)params)->fill.items[item->number];
    if (setting->loading) {
        g->counted = true;
        return FIRN_OK;
    }
    forget_arrays(&next);
    firn_status status = make_more(&more, def, setting, item);
    if (status == FIRN_OK) status = grains_reserve(&next, g->count + more.count);
    if (status == FIRN_OK) {
        append(&next, g, 0, 0);
        append(&next, &more, g->count, g->made);
        next.made += (double)more.count;
        next.counted = true;
        drop_arrays(g);
        *g = next;
        for (int i = 0; i < GRAIN_FIELDS; i++) g->field_count[i] = g->count;
        grains_measure(g);
    } else
        drop_arrays(&next);
    drop_arrays(&more);
    return status;
}

static firn_status take_out(void *model, const model_region *region) {
    grains *g = model;
    if (region->item)
        return fail(FIRN_UNSUPPORTED,
                    "grains cannot be removed by the name of their fill; use firn_world_remove_inside");
    size_t kept = 0;
    for (size_t i = 0; i < g->count; i++) {
        if (model_region_has(region, dvec_of_floats(g->position[i]))) continue;
        memmove(g->position[kept], g->position[i], sizeof *g->position);
        memmove(g->velocity[kept], g->velocity[i], sizeof *g->velocity);
        g->id[kept++] = g->id[i];
    }
    g->count = kept;
    grains_measure(g);
    return FIRN_OK;
}

const struct firn_model_growth grains_growth = {.add = add, .take_out = take_out};

firn_status grains_cost(const void *params, const model_setting *setting, firn_cost *cost) {
    const firn_grains_def *def = params;
    const double bytes = 2 * (12 + 12 + 4) + 4 + 8,
                 seconds = 4e-8; // per grain; per grain and step on two cores
    for (size_t i = 0; i < def->fill.count; i++) {
        const firn_grains_fill_def *fill = &def->fill.items[i];
        shape *s;
        TRY(shape_create(&fill->fill.shape, fill->fill.scale, setting->folder,
                         fill->name ? fill->name : "fill", &s));
        double count = fmin(fill_estimate(s, fill->spacing, 1), 1e15);
        shape_destroy(s);
        cost->particles += (uint64_t)count;
        cost->memory += (uint64_t)(count * bytes);
        cost->disk += (uint64_t)(count * 4 * (3 + 3 + 1 + 1));
        cost->seconds += count * seconds;
    }
    return FIRN_OK;
}
