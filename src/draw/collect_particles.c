// The items of a model, look by look: snow as a surface, liquids as one that can be seen through, spheres,
// flakes. What they look like is the model's to say (body/model.h).
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "draw/collect.h"
#include "geom/relief.h"

enum { BUBBLES = 30 };             // of a hundred particles of ice
static const float BUBBLE = 0.07f; // spacings
static const float snow_white[3] = {0.90f, 0.92f, 0.95f}, water[3] = {0.03f, 0.16f, 0.24f};

// A model that is being drawn.
typedef struct drawn {
    const model_drawing *drawing;
    const void *model;
    size_t member;
    draw_points points; // all items
    const float *wetness;
    collect_sorted *sorted; // items by look; of the model's own
} drawn;

static void take_color(const model_look *look, float out[3]) {
    memcpy(out, look->kind == MODEL_LIQUID ? water : snow_white, sizeof water);
    if (firn_is_auto(look->color.x)) return;
    out[0] = (float)look->color.x, out[1] = (float)look->color.y, out[2] = (float)look->color.z;
}

// Air that ice has shut in: white spots inside, bound to its particles.
static firn_status add_bubbles(collector *g, const draw_points *points, double spacing) {
    collect_skin *skin = g->skin[g->skins - 1]; // whose loose items a liquid does not use
    size_t n = 0;
    if (!array_reserve(&skin->loose, &skin->loose_capacity, points->count, sizeof *skin->loose))
        return fail_memory("drawing ice", points->count * sizeof *skin->loose);
    for (size_t i = 0; i < points->count; i++) {
        int32_t bits[3] = {0};
        if (points->rest) memcpy(bits, points->rest[i], sizeof bits);
        uint32_t seed = relief_bits(bits[0], bits[1], bits[2]);
        if (seed >> 24 >= 256 * BUBBLES / 100) continue;
        for (int k = 0; k < 3; k++)
            skin->loose[n][k] =
                points->at[i][k] + 0.3f * (float)spacing * ((float)(seed >> 8 * k & 255) / 128 - 1);
        n++;
    }
    draw_points spots = {.at = (const float(*)[3])skin->loose, .count = n, .radius = BUBBLE * (float)spacing};
    memcpy(spots.color, snow_white, sizeof spots.color);
    return n && g->scene->picture.points ? draw_list_points(&g->list, spots) : FIRN_OK;
}

static firn_status add_surface(collector *g, const drawn *d, const model_look *look, draw_points points,
                               bool colored) {
    bool liquid = look->kind == MODEL_LIQUID;
    draw_material material = colored                     ? DRAW_MARKED
                             : liquid                    ? DRAW_WATER
                             : look->kind == MODEL_SOLID ? DRAW_BODY
                                                         : DRAW_SOFT;
    isosurface_walls walls = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    if (liquid && d->drawing->walls)
        d->drawing->walls(d->model, firn_world_time(g->world), walls.low, walls.high);
    const float origin[3] = {(float)g->origin.x, (float)g->origin.y, (float)g->origin.z};
    for (int k = 0; k < 3; k++) walls.low[k] -= origin[k], walls.high[k] -= origin[k];
    TRY(collect_surface(g, &points, look->spacing, material, liquid ? &walls : NULL));
    return liquid && !colored && text_equal(look->name, "ice") ? add_bubbles(g, &points, look->spacing)
                                                               : FIRN_OK;
}

// By the temperature that they grew at (Nakaya 1954); near 0 C they stick together.
static draw_flake flake_shape(double celsius) {
    if (celsius > -3) return DRAW_FLAKE_CLUMP;
    if (celsius > -8) return DRAW_FLAKE_NEEDLE;
    if (celsius > -12 || celsius < -18) return DRAW_FLAKE_PLATE;
    return DRAW_FLAKE_STAR;
}

static bool flakes_are_wet(const firn_world_def *def) {
    firn_flake_kind kind = def->flakes ? def->flakes->kind : FIRN_FLAKE_AUTO;
    return kind == FIRN_FLAKE_WET || (kind == FIRN_FLAKE_AUTO && def->air.temperature > -1);
}

static firn_status add_flakes(collector *g, const drawn *d, const draw_points *points) {
    const scene_picture *p = &g->scene->picture;
    if (p->flakes == SCENE_FLAKES_NONE || !p->points) return FIRN_OK;
    firn_field velocity = {0};
    if (d->drawing->velocity) velocity = firn_world_field(g->world, d->drawing->velocity);
    draw_sprites item = {.at = points->at,
                         .velocity = velocity.count == points->count ? velocity.data : NULL,
                         .count = points->count,
                         .radius = points->radius * (float)p->flake_size,
                         .shutter = (float)p->shutter,
                         .shape = flake_shape(g->scene->world.air.temperature),
                         .wet = flakes_are_wet(&g->scene->world),
                         .value = points->value,
                         .low = points->low,
                         .high = points->high,
                         .map = points->map};
    return draw_list_sprites(&g->list, item);
}

// points: of this look, from item `first` of the model on; wet: how wet each is, NULL: dry.
static firn_status add_look(collector *g, const drawn *d, size_t number, size_t first, draw_points points,
                            const float *wet) {
    const scene_picture *p = &g->scene->picture;
    model_look look = d->drawing->look(d->model, number);
    bool links = look.kind == MODEL_SOLID && d->drawing->link_ends && p->links;
    bool colored = points.value, volume = look.kind == MODEL_SURFACE || look.kind == MODEL_LIQUID ||
                                          (look.kind == MODEL_SOLID && !links);
    points.radius = (float)look.radius;
    take_color(&look, points.color);
    if (points.count == 0) return FIRN_OK;
    if (!g->measuring && look.kind == MODEL_FLAKES && p->flakes != SCENE_FLAKES_POINTS)
        return add_flakes(g, d, &points);
    if (!g->measuring && volume && p->snow == SCENE_SNOW_SURFACE) {
        bool done = false;
        if (look.kind == MODEL_SOLID) TRY(collect_solid(g, d->member, number, first, &points, &done));
        if (done) return FIRN_OK;
        if (!colored && look.kind == MODEL_SURFACE) points.value = wet;
        return add_surface(g, d, &look, points, colored);
    }
    if (links) points.radius *= 0.3f; // so that the links are seen
    return p->points || g->measuring ? draw_list_points(&g->list, points) : FIRN_OK;
}

static firn_status reserve(collect_sorted *s, size_t count) {
    return array_reserve(&s->look, &s->capacity[0], count, sizeof *s->look) &&
                   array_reserve(&s->at, &s->capacity[1], count, sizeof *s->at) &&
                   array_reserve(&s->value, &s->capacity[2], count, sizeof *s->value) &&
                   array_reserve(&s->sorted_bound, &s->capacity[5], count, sizeof *s->sorted_bound) &&
                   array_reserve(&s->sorted_way, &s->capacity[7], count, sizeof *s->sorted_way)
               ? FIRN_OK
               : fail_memory("drawing particles", count * sizeof *s->at);
}

// The items of a look, behind those that are there; *first: the first of them.
static size_t take_look(const drawn *d, const float *value, uint32_t look, size_t begin, size_t *first) {
    collect_sorted *s = d->sorted;
    size_t end = begin;
    for (size_t i = 0; i < d->points.count; i++) {
        if (s->look[i] != look) continue;
        if (end == begin) *first = i;
        memcpy(s->at[end], d->points.at[i], sizeof *s->at);
        if (d->points.rest) memcpy(s->sorted_bound[end], d->points.rest[i], sizeof *s->sorted_bound);
        if (d->points.way) memcpy(s->sorted_way[end], d->points.way[i], sizeof *s->sorted_way);
        s->value[end++] = value ? value[i] : 0;
    }
    return end;
}

static firn_status add_sorted(collector *g, const drawn *d) {
    collect_sorted *s = d->sorted;
    const float *value = d->points.value ? d->points.value : d->wetness;
    size_t looks = d->drawing->look_count(d->model), begin = 0;
    TRY(reserve(s, d->points.count));
    d->drawing->look_of(d->model, s->look);
    for (size_t k = 0; k < looks; k++) {
        size_t first = 0, end = take_look(d, value, (uint32_t)k, begin, &first);
        draw_points points = d->points;
        points.at = (const float(*)[3])s->at + begin;
        if (points.rest) points.rest = (const float(*)[4])s->sorted_bound + begin;
        if (points.way) points.way = (const float(*)[3])s->sorted_way + begin;
        points.value = d->points.value ? s->value + begin : NULL;
        points.count = end - begin;
        TRY(add_look(g, d, k, first, points, d->wetness ? s->value + begin : NULL));
        begin = end;
    }
    return FIRN_OK;
}

// Fields of a frame that do not belong together are not drawn.
static const float *wetness_of(const collector *g, const model_drawing *drawing, size_t count) {
    if (!drawing->wetness) return NULL;
    firn_field f = firn_world_field(g->world, drawing->wetness);
    return f.count == count ? f.data : NULL;
}

// Drops and bubbles much smaller than the particles of their liquid, as soft white spots.
static firn_status add_foam(collector *g, size_t member, const model_drawing *drawing) {
    if (!drawing || !drawing->foam || g->measuring || !g->scene->picture.points) return FIRN_OK;
    firn_field at = firn_world_field(g->world, drawing->foam);
    firn_field velocity = firn_world_field(g->world, drawing->foam_velocity);
    if (at.count == 0 || !field_has_positions(&at)) return FIRN_OK;
    collect_sorted *s = &g->sorted[member];
    draw_sprites item = {.at = collect_places(g, &at, &s->foam, &s->foam_capacity),
                         .velocity = velocity.count == at.count ? velocity.data : NULL,
                         .count = at.count,
                         .radius = (float)drawing->foam_radius(world_model(g->world, member)),
                         .shutter = (float)g->scene->picture.shutter};
    return item.at ? draw_list_sprites(&g->list, item) : fail_memory("drawing foam", at.count * 12);
}

firn_status collect_particles(collector *g, size_t member) {
    const model_drawing *drawing = world_model_class(g->world, member)->drawing;
    TRY(add_foam(g, member, drawing));
    if (!drawing || !drawing->position) return FIRN_OK;
    firn_field at = firn_world_field(g->world, drawing->position);
    drawn d = {.drawing = drawing,
               .model = world_model(g->world, member),
               .member = member,
               .points = {.count = at.count},
               .wetness = wetness_of(g, drawing, at.count),
               .sorted = &g->sorted[member]};
    if (at.count == 0 || !field_has_positions(&at)) return FIRN_OK;
    d.points.at = collect_places(g, &at, &d.sorted->place, &d.sorted->capacity[3]);
    if (!d.points.at) return fail_memory("drawing particles", at.count * sizeof *d.points.at);
    TRY(collect_color_points(g, &at, &d.points));
    if (!g->measuring) {
        d.points.rest = collect_bound(g, member, &at, d.points.at, &d.sorted->bound, &d.sorted->capacity[4]);
        if (!d.points.rest) return fail_memory("drawing particles", at.count * sizeof *d.points.rest);
        double spacing = drawing->look(d.model, 0).spacing;
        if (spacing > 0) TRY(collect_stirred(d.points.at, at.count, spacing, d.sorted->bound));
        TRY(collect_way(g, &at, &d.sorted->way, &d.sorted->capacity[6], &d.points.way));
    }
    if (!drawing->look_of) return add_look(g, &d, 0, 0, d.points, d.wetness);
    TRY(add_sorted(g, &d));
    return drawing->link_ends && g->scene->picture.links && !g->measuring
               ? collect_add_links(g, drawing, d.model, &d.points, d.sorted->look)
               : FIRN_OK;
}

firn_status collect_particles_start(collector *g) {
    g->sorted = mem_zero(world_model_count(g->world), sizeof *g->sorted);
    return g->sorted ? FIRN_OK : fail_memory("drawing particles", 0);
}

void collect_particles_free(collector *g) {
    for (size_t i = 0; g->sorted && i < world_model_count(g->world); i++) {
        mem_free(g->sorted[i].look);
        mem_free(g->sorted[i].at);
        mem_free(g->sorted[i].place);
        mem_free(g->sorted[i].bound);
        mem_free(g->sorted[i].sorted_bound);
        mem_free(g->sorted[i].way);
        mem_free(g->sorted[i].sorted_way);
        mem_free(g->sorted[i].foam);
        mem_free(g->sorted[i].value);
    }
    mem_free(g->sorted);
    g->sorted = NULL;
}
