// The snow types: those that come with firn, those that programs register, and those of scenes.
#include "snow/snow_type.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "base/hash.h"

#define DEG 0.017453292519943295

// Density ranges: MPM15 table 1, FIELD11 table 3.1. Mechanical values: those of the
// hare of MPM15 (E 1 MPa; table 2: theta_c 2.5e-2, xi 10) for packed snow, with a smaller theta_s, so that it
// breaks where it hits; other types deviate from it according to their character (MPM15 figures 12-14: dry,
// wet, harder, softer). Slab and cornice: E theta_s is their tensile strength, 12 and 40 kPa. Threshold
// friction velocities of drift: 0.07-0.25 m/s for loose new snow, 0.25-1 m/s for old, bonded snow (Kind
// 1981); sand: Bagnold 1941. Bearing strength under a plate: measured in the field it goes about as the 3.5th
// power of the density, from 1 kPa at 100 kg/m3; a boot sinks as deep in mpm (docs/decisions/0098); sand and
// mud hardly get denser.
enum { OWN_TYPES = 13, REGISTERED_TYPES = 64, MOST_TYPES = OWN_TYPES + REGISTERED_TYPES };
static snow_type types[MOST_TYPES + 1] = {
    // those that programs register come after ours
    {.name = "fresh",
     .character = "just fallen: loose, compresses a lot",
     .density_low = 50,
     .density_high = 150,
     .density = 100,
     .friction = 0.5,
     .restitution = 0.02,
     .angle_of_repose = 42 * DEG,
     .young = 2.0e4,
     .poisson = 0.2,
     .critical_compression = 3.5e-2,
     .critical_stretch = 1.0e-3,
     .hardening = 4.5,
     .law = FIRN_SNOW_LAW_CAM_CLAY,
     .cohesion = 0.01,
     .adhesion = 500,
     .strength = 520,
     .max_density = 917,
     .bearing = 1.8e3,
     .bearing_power = 3.5,
     .color = {0.93, 0.95, 0.98},
     .drift_threshold = 0.2},
    {.name = "powder",
     .character = "dry: flows and does not stick",
     .density_low = 100,
     .density_high = 200,
     .density = 150,
     .friction = 0.35,
     .restitution = 0.05,
     .angle_of_repose = 35 * DEG,
     .young = 5.0e4,
     .poisson = 0.2,
     .critical_compression = 1.5e-2,
     .critical_stretch = 3.0e-3,
     .hardening = 2.5,
     .law = FIRN_SNOW_LAW_DRUCKER_PRAGER,
     .max_density = 917,
     .bearing = 5e3,
     .bearing_power = 3.5,
     .color = {0.92, 0.94, 0.98},
     .drift_threshold = 0.15},
    {.name = "packed",
     .character = "pressed by wind or feet: breaks where it hits",
     .density_low = 350,
     .density_high = 500,
     .density = 400,
     .friction = 0.4,
     .restitution = 0.1,
     .angle_of_repose = 45 * DEG,
     .young = 1.0e6,
     .poisson = 0.2,
     .critical_compression = 2.5e-2,
     .critical_stretch = 3.0e-3,
     .hardening = 10,
     .law = FIRN_SNOW_LAW_STOMAKHIN,
     .max_density = 917,
     .bearing = 2e5,
     .bearing_power = 3.5,
     .color = {0.88, 0.91, 0.95},
     .drift_threshold = 0.45},
    {.name = "snowball",
     .character = "packed hard by hand: brittle, bursts where it hits",
     .density_low = 300,
     .density_high = 500,
     .density = 400,
     .friction = 0.4,
     .restitution = 0.1,
     .angle_of_repose = 45 * DEG,
     .young = 2.0e6,
     .poisson = 0.2,
     .critical_compression = 2.5e-2,
     .critical_stretch = 2.0e-3,
     .hardening = 20,
     .law = FIRN_SNOW_LAW_STOMAKHIN,
     .max_density = 917,
     .bearing = 2e5,
     .bearing_power = 3.5,
     .color = {0.88, 0.91, 0.95},
     .drift_threshold = 0.45},
    {.name = "slab",
     .character = "hard slab blown together by wind: breaks off as plates",
     .density_low = 200,
     .density_high = 400,
     .density = 300,
     .friction = 0.35,
     .restitution = 0.1,
     .angle_of_repose = 45 * DEG,
     .young = 3.0e6,
     .poisson = 0.2,
     .critical_compression = 2.0e-2,
     .critical_stretch = 4.0e-3,
     .hardening = 20,
     .law = FIRN_SNOW_LAW_STOMAKHIN,
     .max_density = 917,
     .bearing = 4.7e4,
     .bearing_power = 3.5,
     .color = {0.89, 0.92, 0.96},
     .drift_threshold = 0.6},
    {.name = "cornice",
     .character = "wind-packed overhang: holds its own weight, breaks off as blocks",
     .density_low = 300,
     .density_high = 500,
     .density = 400,
     .friction = 0.4,
     .restitution = 0.1,
     .angle_of_repose = 55 * DEG,
     .young = 5.0e6,
     .poisson = 0.2,
     .critical_compression = 2.0e-2,
     .critical_stretch = 8.0e-3,
     .hardening = 20,
     .law = FIRN_SNOW_LAW_STOMAKHIN,
     .max_density = 917,
     .bearing = 2e5,
     .bearing_power = 3.5,
     .color = {0.89, 0.92, 0.96},
     .drift_threshold = 0.6},
    {.name = "wet",
     .character = "chunky, sticks to itself and to everything",
     .density_low = 300,
     .density_high = 500,
     .density = 400,
     .friction = 0.6,
     .restitution = 0.02,
     .angle_of_repose = 55 * DEG,
     .young = 1.0e6,
     .poisson = 0.2,
     .critical_compression = 4.0e-2,
     .critical_stretch = 0.2,
     .hardening = 3,
     .law = FIRN_SNOW_LAW_CAM_CLAY,
     .adhesion = 1.0e4,
     .cohesion = 0.5,
     .strength = 5.0e3,
     .max_density = 917,
     .bearing = 3.5e4,
     .bearing_power = 3.5,
     .color = {0.82, 0.87, 0.93},
     .drift_threshold = 0.5},
    {.name = "granular",
     .character = "old and grainy: rolls like coarse sugar",
     .density_low = 150,
     .density_high = 450,
     .density = 300,
     .friction = 0.45,
     .restitution = 0.15,
     .angle_of_repose = 36 * DEG,
     .young = 5.0e5,
     .poisson = 0.2,
     .critical_compression = 1.8e-2,
     .critical_stretch = 3.0e-3,
     .hardening = 2.5,
     .law = FIRN_SNOW_LAW_DRUCKER_PRAGER,
     .max_density = 917,
     .bearing = 3e4,
     .bearing_power = 3.5,
     .color = {0.86, 0.89, 0.93},
     .drift_threshold = 0.3},
    {.name = "firn",
     .character = "hard snow of last winter",
     .density_low = 500,
     .density_high = 800,
     .density = 600,
     .friction = 0.3,
     .restitution = 0.2,
     .angle_of_repose = 50 * DEG,
     .young = 5.0e5,
     .poisson = 0.25,
     .critical_compression = 2.0e-2,
     .critical_stretch = 6.0e-3,
     .hardening = 15,
     .law = FIRN_SNOW_LAW_STOMAKHIN,
     .max_density = 917,
     .bearing = 5e5,
     .bearing_power = 3.5,
     .color = {0.80, 0.86, 0.92},
     .drift_threshold = 0.8},
    {.name = "icy",
     .character = "frozen hard, nearly ice: breaks into few hard pieces",
     .density_low = 800,
     .density_high = 900,
     .density = 850,
     .friction = 0.1,
     .restitution = 0.3,
     .angle_of_repose = 55 * DEG,
     .young = 2.0e7,
     .poisson = 0.3,
     .critical_compression = 0.1,
     .critical_stretch = 0.05,
     .hardening = 30,
     .law = FIRN_SNOW_LAW_STOMAKHIN,
     .clod = 0.18,
     .max_density = 917,
     .bearing = 2e6,
     .bearing_power = 3.5,
     .color = {0.70, 0.82, 0.92},
     .drift_threshold = 2},
    {.name = "slush",
     .character = "close to melting: heavy, slumps flat",
     .density_low = 700,
     .density_high = 900,
     .density = 800,
     .friction = 0.2,
     .restitution = 0.0,
     .angle_of_repose = 20 * DEG,
     .young = 1.0e5,
     .poisson = 0.3,
     .critical_compression = 4.0e-2,
     .critical_stretch = 1.0e-2,
     .hardening = 3,
     .law = FIRN_SNOW_LAW_CAM_CLAY,
     .cohesion = 0.3,
     .strength = 5.0e3,
     .adhesion = 500,
     .max_density = 917,
     .bearing = 1e4,
     .bearing_power = 8,
     .color = {0.66, 0.75, 0.83},
     .drift_threshold = 1},
    {.name = "sand",
     .character = "not snow: dry sand, for comparison (FIELD11 6.1.1)",
     .density_low = 1500,
     .density_high = 1600,
     .density = 1550,
     .friction = 0.6,
     .restitution = 0.05,
     .angle_of_repose = 34 * DEG,
     .young = 1.0e6,
     .poisson = 0.3,
     .critical_compression = 5.0e-3,
     .critical_stretch = 5.0e-4,
     .hardening = 5,
     .law = FIRN_SNOW_LAW_DRUCKER_PRAGER,
     .strength = 6e4,
     .max_density = 2100,
     .bearing = 6e4,
     .bearing_power = 8,
     .color = {0.55, 0.43, 0.27},
     .drift_threshold = 0.25},
    {.name = "mud",
     .character = "not snow: wet earth that keeps every print",
     .density_low = 1500,
     .density_high = 1900,
     .density = 1700,
     .friction = 0.5,
     .restitution = 0.0,
     .angle_of_repose = 25 * DEG,
     .young = 1.0e5,
     .poisson = 0.4,
     .critical_compression = 6.0e-2,
     .critical_stretch = 1.5e-2,
     .hardening = 2,
     .law = FIRN_SNOW_LAW_CAM_CLAY,
     .cohesion = 0.3,
     .strength = 2.0e4,
     .adhesion = 1000,
     .max_density = 2100,
     .bearing = 8e3,
     .bearing_power = 8,
     .color = {0.16, 0.11, 0.07},
     .drift_threshold = 2},
};
static const char *names[MOST_TYPES + 1] = {"fresh",   "powder", "packed",   "snowball", "slab",
                                            "cornice", "wet",    "granular", "firn",     "icy",
                                            "slush",   "sand",   "mud"};
static size_t type_count = OWN_TYPES;

const snow_type *snow_types(size_t *count) {
    *count = type_count;
    return types;
}

const snow_type *snow_type_find(const char *name) {
    for (size_t i = 0; name && i < type_count; i++)
        if (strcmp(types[i].name, name) == 0) return &types[i];
    return NULL;
}

const char *const *snow_type_names(void) { return names; }

// ---- types of scenes and programs

static void take(double *value, double given) { *value = auto_or(given, *value); }

static snow_type derive(snow_type t, const firn_snow_type_def *def) {
    t.name = def->name;
    if (def->character) t.character = def->character;
    take(&t.density, def->density);
    t.density_low = auto_or(def->density_low, fmin(t.density_low, t.density));
    t.density_high = auto_or(def->density_high, fmax(t.density_high, t.density));
    take(&t.friction, def->friction);
    take(&t.restitution, def->restitution);
    take(&t.angle_of_repose, def->angle_of_repose);
    take(&t.young, def->young);
    take(&t.poisson, def->poisson);
    take(&t.critical_compression, def->critical_compression);
    take(&t.critical_stretch, def->critical_stretch);
    take(&t.hardening, def->hardening);
    if (def->law != FIRN_SNOW_LAW_AUTO) t.law = def->law;
    take(&t.cohesion, def->cohesion);
    take(&t.strength, def->strength);
    take(&t.adhesion, def->adhesion);
    take(&t.max_density, def->max_density);
    take(&t.bearing, def->bearing);
    take(&t.bearing_power, def->bearing_power);
    take(&t.drift_threshold, def->drift_threshold);
    if (!firn_is_auto(def->color.x)) {
        t.color[0] = def->color.x;
        t.color[1] = def->color.y;
        t.color[2] = def->color.z;
    }
    return t;
}

static const char *parent_of(const firn_snow_type_def *def) { return def->from ? def->from : "packed"; }

// Number of the type `name` among the first `count` of a scene; count: it has none.
static size_t number_of(const firn_world_def *scene, size_t count, const char *name) {
    size_t i = 0;
    while (i < count && strcmp(scene->snow_types.items[i].name, name) != 0) i++;
    return i;
}

// A type may only come from one before it, so that this ends.
static const snow_type *resolve(const firn_world_def *scene, size_t count, const char *name, snow_type *out) {
    size_t i = scene ? number_of(scene, count, name) : count;
    if (i == count) return snow_type_find(name);
    const firn_snow_type_def *def = &scene->snow_types.items[i];
    const snow_type *parent = resolve(scene, i, parent_of(def), out);
    if (!parent) return NULL;
    *out = derive(*parent, def);
    return out;
}

bool snow_type_known(const firn_world_def *scene, const char *name) {
    snow_type room;
    return resolve(scene, scene ? scene->snow_types.count : 0, name, &room) != NULL;
}

snow_type snow_type_of(const firn_world_def *scene, const char *name) {
    snow_type room;
    const snow_type *found = resolve(scene, scene ? scene->snow_types.count : 0, name, &room);
    return found ? *found : *snow_type_find("packed");
}

void snow_types_check(const firn_world_def *scene, param_report *report) {
    for (size_t i = 0; i < scene->snow_types.count; i++) {
        const firn_snow_type_def *def = &scene->snow_types.items[i];
        const char *parent = parent_of(def);
        char key[160], message[240];
        if (snow_type_find(def->name)) {
            snprintf(key, sizeof key, "snow_types.%s", def->name);
            report->add(report, key, "a snow type of this name exists already; choose another name");
        } else if (number_of(scene, i, parent) == i && !snow_type_find(parent)) {
            snprintf(key, sizeof key, "snow_types.%s.from", def->name);
            snprintf(message, sizeof message,
                     "a type can only come from one that stands before it; '%.63s' does not", parent);
            report->add(report, key, message);
        }
    }
}

firn_status firn_register_snow_type(const firn_snow_type_def *def) {
    enum { NAME_ROOM = 64, LINE_ROOM = 160 };
    static char words[REGISTERED_TYPES][NAME_ROOM], lines[REGISTERED_TYPES][LINE_ROOM];
    NEED(def);
    NEED(def->name);
    TRY(param_validate(&snow_type_params, def));
    if (!param_name_allowed(def->name))
        return fail(FIRN_BAD_INPUT,
                    "invalid name '%.80s' of a snow type: must be letters, digits, '_' and '-'", def->name);
    if (snow_type_find(def->name))
        return fail(FIRN_BAD_INPUT, "there is a snow type '%s' already", def->name);
    const snow_type *parent = snow_type_find(parent_of(def));
    if (!parent)
        return fail(FIRN_BAD_INPUT, "snow type '%s': unknown snow type '%.63s' in 'from'", def->name,
                    def->from);
    if (type_count == MOST_TYPES)
        return fail(FIRN_UNSUPPORTED, "too many snow types: a program can register %d",
                    (int)REGISTERED_TYPES);
    size_t number = type_count - OWN_TYPES;
    snow_type type = derive(*parent, def);
    snprintf(words[number], NAME_ROOM, "%s", type.name);
    snprintf(lines[number], LINE_ROOM, "%s", type.character);
    type.name = names[type_count] = words[number];
    type.character = lines[number];
    types[type_count++] = type;
    return FIRN_OK;
}

static void hash_used(void *context, const char *name, const param_row *row, void *at) {
    (void)name;
    uint64_t *hash = context;
    if (row->type != PARAM_WORD || row->words != snow_type_names) return;
    const snow_type *t = snow_type_find(*(const char *const *)at);
    if (!t || t < types + OWN_TYPES) return;
    const double values[] = {t->density_low,          t->density_high,     t->density,     t->friction,
                             t->restitution,          t->angle_of_repose,  t->young,       t->poisson,
                             t->critical_compression, t->critical_stretch, t->hardening,   t->bearing,
                             t->bearing_power,        t->drift_threshold,  (double)t->law, t->cohesion,
                             t->max_density,          t->adhesion,         t->strength,    t->clod};
    *hash = hash64(values, sizeof values, *hash);
}

uint64_t snow_types_hash(const param_table *table, void *item, uint64_t hash) {
    param_visit_values(table, item, hash_used, &hash);
    return hash;
}

double snow_young_measured(double density) { return 1.89 * pow(density, 2.94); }

double snow_poisson_measured(double density) { return 0.2 + 5e-4 * (density - 300.0); }
