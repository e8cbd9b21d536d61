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

static void add_points(grains *g, const firn_grains_fill_def *def, const fill_points *points) {
    firn_quat turn = dquat_from_angles(def->fill.rotate);
    for (size_t i = 0; i < points->count; i++) {
        const float *p = points->at[i];
        firn_vec3 at = dvec((double)p[0], (double)p[1], (double)p[2]);
        at = dvec_add(def->fill.at, dquat_rotate(turn, at));
        float *to = g->position[g->count], *v = g->velocity[g->count];
        to[0] = (float)at.x, to[1] = (float)at.y, to[2] = (float)at.z;
        v[0] = (float)def->velocity.x, v[1] = (float)def->velocity.y, v[2] = (float)def->velocity.z;
        g->count++;
    }
}

static firn_status fill_all(grains *g, const firn_grains_def *def, const model_setting *setting) {
    size_t room = 0;
    for (size_t i = 0; i < def->fill.count; i++) {
        fill_points points = {0};
        TRY(fill_one(&def->fill.items[i], setting, setting->seed + i, &points));
        firn_status status = grow(g, &room, points.count);
        if (status == FIRN_OK) add_points(g, &def->fill.items[i], &points);
        fill_free(&points);
        TRY(status);
    }
    if (g->count == 0)
        return fail(FIRN_BAD_INPUT, "grains: no grain fits in the filled shapes; lower spacing");
    return FIRN_OK;
}

static void inside_of_block(const grains *g, const body_set *bodies, size_t begin, size_t n,
                            uint8_t *inside) {
    float x[GRAIN_BLOCK], y[GRAIN_BLOCK], z[GRAIN_BLOCK], d[GRAIN_BLOCK];
    for (size_t i = 0; i < n; i++) {
        const float *p = g->position[begin + i];
        x[i] = p[0], y[i] = p[1], z[i] = p[2];
        inside[i] = 0;
    }
    for (size_t b = 0; b < body_count(bodies); b++) {
        body_query(bodies, b, n, x, y, z, d, NULL, NULL, NULL);
        for (size_t i = 0; i < n; i++) inside[i] |= d[i] < (float)g->radius;
    }
}

// Those that would start inside a body are left out.
static void leave_out_inside(grains *g, const body_set *bodies) {
    size_t kept = 0;
    for (size_t begin = 0; begin < g->count; begin += GRAIN_BLOCK) {
        uint8_t inside[GRAIN_BLOCK];
        size_t n = g->count - begin < GRAIN_BLOCK ? g->count - begin : GRAIN_BLOCK;
        inside_of_block(g, bodies, begin, n, inside);
        for (size_t i = 0; i < n; i++) {
            if (inside[i]) continue;
            memmove(g->position[kept], g->position[begin + i], sizeof *g->position);
            memmove(g->velocity[kept], g->velocity[begin + i], sizeof *g->velocity);
            kept++;
        }
    }
    if (kept < g->count)
        log_note("grains: %zu of %zu would start inside a body and were left out", g->count - kept, g->count);
    g->count = kept;
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
    for (size_t i = 0; i < n; i++) g->id[i] = (uint32_t)i;
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

static firn_status make(grains *g, const firn_grains_def *def, const model_setting *setting,
                        const body_set *bodies) {
    grains_take_material(g, def, setting);
    g->gravity = setting->gravity;
    g->max_speed = setting->max_speed;
    g->for_frames = setting->for_frames;
    if (!g->for_frames) {
        TRY(fill_all(g, def, setting));
        leave_out_inside(g, bodies);
    }
    const grains *before = setting->replaces;
    g->capacity = g->count;
    g->made = before ? before->made : (double)g->count;
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
    size_t room = 0;
    fill_points points = {0};
    TRY(fill_one(def, setting, setting->seed + item->number, &points));
    firn_status status = grow(more, &room, points.count);
    if (status == FIRN_OK) add_points(more, def, &points);
    fill_free(&points);
    TRY(status);
    leave_out_inside(more, item->bodies);
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
    void *const arrays[] = {&next.position,       &next.velocity,       &next.speed,    &next.id,
                            &next.spare_position, &next.spare_velocity, &next.spare_id, &next.keep,
                            &next.place,          &next.walls,          &next.invalid,  &next.sums};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) memset(arrays[i], 0, sizeof(void *));
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
