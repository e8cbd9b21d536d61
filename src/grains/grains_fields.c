// The grains as a model: fields, ledger, watchdog.
#include <math.h>
#include <string.h>

#include "base/auto.h"
#include "grains/grains_state.h"
#include "par/par.h"

enum { STATE = FIRN_FIELD_STATE, SHOWN = FIRN_FIELD_SHOWN, BOTH = STATE | SHOWN };

FIELD_GET(get_position, grains, s->count, s->position)
FIELD_GET(get_velocity, grains, s->count, s->velocity)
FIELD_GET(get_speed, grains, s->count, s->speed)
FIELD_GET(get_id, grains, s->count, s->id)
FIELD_GET_IF(get_made, grains, s->counted, 1, &s->made)

static const field_row rows[] = {
    {"grains.position", "m", "position of each grain", FIRN_F32, 3, BOTH, get_position},
    {"grains.velocity", "m/s", "velocity of each grain", FIRN_F32, 3, BOTH, get_velocity},
    {"grains.speed", "m/s", "length of the velocity", FIRN_F32, 1, SHOWN, get_speed},
    {"grains.id", "", "persistent number of a grain; stays when others leave", FIRN_U32, 1, BOTH, get_id},
    {"grains.made", "", "grains created since the start; exists once bodies or grains were added or removed",
     FIRN_F64, 1, STATE, get_made},
};
enum { POSITION, VELOCITY, SPEED, ID, MADE }; // the rows
_Static_assert(sizeof rows / sizeof rows[0] == GRAIN_FIELDS, "a count for each row");
static const field_table own_fields = FIELD_TABLE(rows);
static const field_table *const field_tables[] = {&own_fields, NULL};

static firn_status grains_resize(void *model, const char *name, size_t count) {
    grains *g = model;
    g->ranks = (grain_ranks){0}; // those of all will be here
    if (strcmp(name, rows[MADE].name) == 0)
        return count == 1 ? FIRN_OK : fail(FIRN_BAD_INPUT, "field '%s' has %zu values", name, count);
    if (!g->for_frames && !g->counted && (double)count > g->made)
        return fail(FIRN_BAD_INPUT, "field '%s' has %zu grains; the scene makes only %g", name, count,
                    g->made);
    if (count > g->capacity) TRY(grains_reserve(g, count));
    for (size_t i = 0; i < GRAIN_FIELDS; i++) {
        if (strcmp(name, rows[i].name) != 0) continue;
        g->field_count[i] = g->count = count;
        return FIRN_OK;
    }
    return fail(FIRN_BAD_INPUT, "grains have no field '%s'", name);
}

static firn_status grains_loaded(void *model) {
    grains *g = model;
    size_t count = g->field_count[POSITION];
    for (size_t i = 0; i < GRAIN_FIELDS; i++)
        if (g->field_count[i] != count && i != SPEED && i != MADE)
            return fail(FIRN_BAD_INPUT, "%s holds %zu grains, %s %zu", rows[i].name, g->field_count[i],
                        rows[POSITION].name, count);
    g->count = count;
    for (size_t i = 0; i < count && !g->for_frames; i++)
        if ((double)g->id[i] >= g->made)
            return fail(FIRN_BAD_INPUT, "field 'grains.id': invalid grain id %u", g->id[i]);
    grains_measure(g);
    return FIRN_OK;
}

static void sum_block(void *context, size_t begin, size_t end) {
    grains *g = context;
    grain_sum sum = {0};
    for (size_t i = begin; i < end; i++) {
        const float *p = g->position[i], *v = g->velocity[i];
        firn_vec3 at = dvec((double)p[0], (double)p[1], (double)p[2]),
                  u = dvec((double)v[0], (double)v[1], (double)v[2]);
        sum.velocity = dvec_add(sum.velocity, u);
        sum.square += dvec_length2(u);
        sum.height -= dvec_dot(g->gravity, at);
        sum.fastest = fmax(sum.fastest, dvec_length2(u));
    }
    g->sums[begin / GRAIN_BLOCK] = sum;
}

void grains_sum_up(const grains *g, grain_totals *sums) {
    par_for(g->count, GRAIN_BLOCK, sum_block, (void *)g); // writes g->sums only
    for (size_t k = 0; k < grain_blocks(g->count); k++) {
        sums->momentum = dvec_add_scaled(sums->momentum, g->sums[k].velocity, g->mass);
        sums->kinetic += g->mass / 2 * g->sums[k].square;
        sums->potential += g->mass * g->sums[k].height;
        sums->fastest = fmax(sums->fastest, g->sums[k].fastest);
    }
}

static void grains_ledger(const void *model, firn_ledger *out) {
    const grains *g = model;
    size_t count = g->ranks.on ? g->ranks.total : g->count;
    grain_totals t = g->ranks.sums;
    if (!g->ranks.on) grains_sum_up(g, &t);
    out->items = count;
    out->mass = (double)count * g->mass;
    out->mass_in = g->made * g->mass;
    out->mass_out = (g->made - (double)count) * g->mass;
    out->momentum = t.momentum;
    out->kinetic = t.kinetic;
    out->potential = t.potential;
    out->max_speed = sqrt(t.fastest);
}

static bool grains_find_invalid(const void *model, uint64_t *item, const char **what) {
    const grains *g = model;
    size_t found = SIZE_MAX;
    for (size_t k = 0; k < grain_blocks(g->count) && found == SIZE_MAX; k++)
        if (g->invalid[k] != UINT32_MAX) found = g->invalid[k];
    uint32_t velocity = 0;
    if (found != SIZE_MAX) {
        const float *p = g->position[found];
        *item = g->id[found];
        velocity = isfinite(p[0] + p[1] + p[2]);
    }
    if (!grains_ranks_first(g, found, item, &velocity)) return false;
    *what = velocity ? "velocity" : "position";
    return true;
}

static double grains_max_dt(const void *model) {
    (void)model;
    return INFINITY; // flight is exact and contacts sweep the whole path
}

static profile *grains_profile(void *model) { return &((grains *)model)->profile; }

static void grains_changed(void *model, const void *params, const model_setting *setting) {
    grains_take_material(model, params, setting);
    ((grains *)model)->gravity = setting->gravity;
    ((grains *)model)->max_speed = setting->max_speed;
}

static model_look grains_look(const void *model, size_t number) {
    (void)number;
    return (model_look){
        .kind = MODEL_SPHERES, .radius = ((const grains *)model)->radius, .color = AUTO_COLOR};
}
static const model_drawing grains_drawing = {.position = "grains.position", .look = grains_look};

const model_class grains_model = {
    .name = "grains",
    .help = "loose grains that fall, bounce and slide on bodies, and push them",
    .sections = &grains_sections,
    .create = grains_create,
    .destroy = grains_destroy,
    .changed = grains_changed,
    .max_dt = grains_max_dt,
    .step = grains_step,
    .fields = field_tables,
    .resize = grains_resize,
    .loaded = grains_loaded,
    .ledger = grains_ledger,
    .find_invalid = grains_find_invalid,
    .cost = grains_cost,
    .profile = grains_profile,
    .drawing = &grains_drawing,
    .growth = &grains_growth,
    .offers = &grains_offers,
    .ranks = &grains_model_ranks,
};
