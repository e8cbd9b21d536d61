// Creating and destroying the model.
#include "phase/phase_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/auto.h"
#include "geom/fill.h"
#include "pbd/pbd_kinds.h"
#include "snow/snow_type.h"

enum { PATH_LENGTH = 96, HEAT_STEPS = 4 }; // heat is slower than motion: this many steps at once
static const double ICE = 917;             // kg/m3
// Of the volume of a grain's ice that displaces water: water keeps a little off a lattice, which makes the
// grains at a lump's surface larger than they are (a block of 7 grains would float 9 % of its height too
// high).
static const double ICE_SHARE = 0.8;
// Spacings of water. With the 1.684 of PHASE21 (20 neighbours) water crystallises and holds down ice that was
// pushed under for good, with 2 or 2.2 if it was never stirred; with 2.4 (58 neighbours) ice is up in two
// seconds, in calm water.
static const double SUPPORT = 2.4;
static const double LINK_FACTOR =
    1.18; // of the contact distance of two grains: up to it they link, and lists extend

// ---- hooks of pbd

static void particle_added(pbd *s, size_t i) {
    phase *m = s->owner;
    uint32_t group = s->p.group[i];
    double enthalpy = m->source[group / PHASE_GROUPS];
    phase_enthalpy(m)[i] = enthalpy;
    phase_liquid(m)[i] = s->groups[group].phase == PBD_FLUID ? 1 : 0;
    if (m->counters.steps > 0)
        heat_totals_of(m->heat)->sources += m->def.mass * enthalpy; // not those of the start
}

static void particle_removed(pbd *s, size_t i) {
    phase *m = s->owner;
    heat_totals_of(m->heat)->sources -= m->def.mass * phase_enthalpy(m)[i];
    phase_links_cut(m, s->p.id[i]);
    m->drained = true;
}

// Volumes follow how liquid a particle is, and how far a grain has melted: they are continuous through a
// change of kind. Only the ice of a grain displaces water, which fills the pores between grains; contacts and
// heat see the grain with its share of the pores.
static void volumes(const pbd *s, size_t begin, size_t end, float *volume, float *pressure_volume,
                    float *liquid) {
    phase *m = s->owner;
    double ice = ICE_SHARE * m->def.mass / ICE;
    for (size_t i = begin; i < end; i++) {
        uint32_t group = s->p.group[i];
        double solid = s->groups[group & ~1u].volume;
        float part = phase_liquid(m)[i], melted = m->law.latent > 0 ? phase_melted(m, i) : 0;
        double mix = (double)(part > melted ? part : melted);
        volume[i] = (float)(ice + mix * (m->water - ice));
        pressure_volume[i] = volume[i] * (2 - part);
        liquid[i] = part;
        m->bulk[i] = (float)(solid + mix * (m->water - solid));
        if (mix >= 1)
            m->radius[i] = (float)(m->spacing / 2);
        else
            m->radius[i] = mix <= 0 && group % PHASE_GROUPS == PHASE_SNOW ? s->groups[group].radius
                                                                          : cbrtf(m->bulk[i]) / 2;
    }
}

static const pbd_hooks hooks = {.born = particle_added, .left = particle_removed, .volumes = volumes};

// ---- sources

double phase_snow_density(const firn_world_def *scene, const firn_phase_snow_def *def) {
    const snow_type type = snow_type_of(scene, def->type ? def->type : "packed");
    return auto_or(def->density, fmin(type.density, ICE));
}

static void set_friction(phase *m, size_t source) {
    for (size_t k = 0; k < PHASE_GROUPS; k++) {
        pbd_group *group = &m->s->groups[source * PHASE_GROUPS + k];
        bool water = group->phase == PBD_FLUID;
        group->friction = (float)(water ? m->def.water_friction : m->def.friction);
        group->static_friction = (float)(water ? m->def.water_friction : m->def.static_friction);
    }
}

static void set_groups(phase *m, size_t source, double density) {
    double mass = m->def.mass;
    for (size_t k = 0; k < PHASE_GROUPS; k++) {
        bool water = k == PHASE_MELT || k == PHASE_WATER;
        double volume = water ? m->water : k == PHASE_ICE ? mass / ICE : mass / density;
        m->s->groups[source * PHASE_GROUPS + k] = (pbd_group){
            .phase = water ? PBD_FLUID : PBD_GRAIN,
            .mass = mass,
            .volume = volume,
            .inverse_mass = (float)(1 / mass),
            // On bodies ice is no higher than the water it comes from, or it would jump up.
            .radius = (float)(k == PHASE_SNOW ? cbrt(volume) / 2 : m->spacing / 2),
            .color = AUTO_COLOR,
        };
    }
    set_friction(m, source);
}

// Velocity of a spin about the middle of all particles from `first` on.
static void set_spinning(phase *m, size_t first, firn_vec3 spin) {
    pbd_particles *p = &m->s->p;
    firn_vec3 middle = {0};
    for (size_t i = first; i < p->count; i++)
        middle = dvec_add_scaled(middle, pbd_place(m->s, i), 1 / (double)(p->count - first));
    for (size_t i = first; i < p->count; i++) {
        firn_vec3 v = dvec_cross(spin, dvec_sub(pbd_place(m->s, i), middle));
        p->v[i][0] += (float)v.x, p->v[i][1] += (float)v.y, p->v[i][2] += (float)v.z;
    }
}

static firn_status make_snow(phase *m, const firn_phase_snow_def *def, size_t source) {
    char path[PATH_LENGTH];
    double density = phase_snow_density(m->s->setting.def, def);
    size_t first = m->s->p.count;
    snprintf(path, sizeof path, "phase.snow.%s", def->name ? def->name : "snow");
    set_groups(m, source, density);
    m->source[source] = heat_enthalpy(&m->law, def->temperature, 0);
    const fluid_fill fill = {.fill = &def->fill,
                             .pattern = def->pattern,
                             .spacing = cbrt(m->def.mass / density),
                             .velocity = def->velocity,
                             .group = (uint32_t)(source * PHASE_GROUPS + PHASE_SNOW),
                             .path = path,
                             .off = 0.7 * cbrt(m->def.mass / density),
                             .sizes = FILL_EQUAL};
    TRY(fluid_fill_shape(m->s, &fill));
    set_spinning(m, first, def->spin);
    return FIRN_OK;
}

// Snow that is filled together with water has its place: no water is inside its shape, not even in pores. So
// both keep their volumes; those that are then too near are moved apart.
typedef struct snow_shapes {
    const firn_phase_snow_def *snow;
    shape **form;
    size_t count;
} snow_shapes;

static bool is_in_snow(const void *by, firn_vec3 at) {
    const snow_shapes *list = by;
    for (size_t k = 0; k < list->count; k++) {
        const firn_fill_def *fill = &list->snow[k].fill;
        firn_quat back = dquat_inverse(dquat_from_angles(fill->rotate));
        firn_vec3 place = dquat_rotate(back, dvec_sub(at, fill->at));
        const float x = (float)place.x, y = (float)place.y, z = (float)place.z;
        float d;
        shape_query(list->form[k], 1, &x, &y, &z, &d, NULL, NULL, NULL);
        if (d < 0) return true;
    }
    return false;
}

// Of their contact with the widest grains: nearer, water is not filled in beside snow, with its shape and
// without.
static const double OFF_SHAPE = 0.6, OFF_GRAINS = 1.05;

// list NULL: snow is not where it was filled in.
static firn_status make_water(phase *m, const firn_phase_water_def *def, size_t source,
                              const snow_shapes *list) {
    char path[PATH_LENGTH];
    snprintf(path, sizeof path, "phase.water.%s", def->name ? def->name : "water");
    set_groups(m, source, ICE);
    m->source[source] = heat_enthalpy(&m->law, def->temperature, 1);
    double widest = 0; // of the snow
    for (size_t k = 0; k < (source + 1) * PHASE_GROUPS; k++)
        widest = fmax(widest, (double)m->s->groups[k].radius);
    const fluid_fill fill = {.fill = &def->fill,
                             .pattern = def->pattern,
                             .spacing = m->spacing,
                             .velocity = def->velocity,
                             .group = (uint32_t)(source * PHASE_GROUPS + PHASE_WATER),
                             .path = path,
                             .off = (list ? OFF_SHAPE : OFF_GRAINS) * (widest + m->spacing / 2),
                             .sizes = FILL_EQUAL,
                             .is_taken = list ? is_in_snow : NULL,
                             .by = list};
    return fluid_fill_shape(m->s, &fill);
}

static firn_status make_waters(phase *m, const firn_phase_def *def, size_t source) {
    snow_shapes list = {def->snow.items, mem_zero(def->snow.count + 1, sizeof *list.form), 0};
    firn_status status = list.form ? FIRN_OK : fail_memory("creating phase", def->snow.count);
    for (; status == FIRN_OK && list.count < def->snow.count; list.count++)
        status = shape_create(&def->snow.items[list.count].fill.shape, def->snow.items[list.count].fill.scale,
                              m->s->setting.folder, "phase.snow", &list.form[list.count]);
    for (size_t k = 0; status == FIRN_OK && k < def->water.count; k++)
        status = make_water(m, &def->water.items[k], source++, &list);
    for (size_t k = 0; list.form && k < def->snow.count; k++) shape_destroy(list.form[k]);
    mem_free(list.form);
    return status;
}

static firn_status make_sources(phase *m, const firn_phase_def *def) {
    size_t source = 0;
    m->s->group_count = m->sources * PHASE_GROUPS;
    for (size_t k = 0; k < def->snow.count; k++) TRY(make_snow(m, &def->snow.items[k], source++));
    TRY(make_waters(m, def, source));
    source += def->water.count;
    m->spout = source;
    for (size_t k = 0; k < def->spouts.count; k++, source++) {
        set_groups(m, source, ICE);
        m->source[source] = heat_enthalpy(&m->law, def->spouts.items[k].temperature, 1);
    }
    if (!phase_gets_melt(m->s->setting.def)) return FIRN_OK;
    set_groups(m, source, ICE);
    m->source[source] = m->law.latent;
    return FIRN_OK;
}

// ---- the parts of pbd and heat

static heat_def heat_def_of(const phase *m, const firn_phase_def *def) {
    const firn_phase_heat_def *h = &def->heat;
    return (heat_def){.law = m->law,
                      .method = (heat_method)h->solve,
                      .h = m->h,
                      .spacing = m->spacing,
                      .time_lapse = h->time_lapse,
                      .every = HEAT_STEPS * def->max_step,
                      .exchange = h->exchange};
}

static firn_status make_heat(phase *m, const firn_phase_def *def, const model_setting *setting) {
    const firn_phase_heat_def *h = &def->heat;
    heat_air_row *air = mem_zero(h->air.count + 1, sizeof *air);
    if (!air) return fail_memory("creating phase", h->air.count * sizeof *air);
    air[0].temperature = setting->air_temperature;
    for (size_t k = 0; k < h->air.count; k++)
        air[k] = (heat_air_row){h->air.items[k].time, h->air.items[k].temperature};
    heat_def made = heat_def_of(m, def);
    made.air = air;
    made.air_rows = h->air.count > 0 ? h->air.count : 1;
    firn_status status = heat_create(&made, &m->heat);
    mem_free(air);
    return status;
}

static firn_status make_pbd(phase *m, const model_setting *setting, const body_set *bodies) {
    pbd *s = m->s = mem_zero(1, sizeof *s);
    size_t sources =
        m->def.snow.count + m->def.water.count + m->def.spouts.count + phase_gets_melt(setting->def);
    static const pbd_kind *const kinds[] = {&phase_matter, &pbd_bodies, &pbd_box};
    if (!s) return fail_memory("creating phase", sizeof *s);
    s->def = firn_pbd_def_default();
    s->def.solver = FIRN_PBD_JACOBI_PARTICLE;
    s->def.iterations = m->def.iterations;
    s->setting = *setting;
    s->bodies = bodies;
    s->kinds = kinds;
    s->kind_count = sizeof kinds / sizeof kinds[0];
    s->section = "phase";
    s->owner = m;
    s->hooks = &hooks;
    _Static_assert((int)PHASE_COLUMNS <= (int)PBD_COLUMNS, "make PBD_COLUMNS larger");
    s->columns = phase_settles(setting->def) ? PHASE_COLUMNS : PHASE_REST;
    s->column[PHASE_ENTHALPY].item = sizeof(double);
    s->column[PHASE_LIQUID].item = sizeof(float);
    s->column[PHASE_TANGENTIAL].item = 3 * sizeof(float);
    s->column[PHASE_PUSHED].item = 3 * sizeof(float);
    s->column[PHASE_REST].item = sizeof(float);
    s->groups = mem_zero(sources * PHASE_GROUPS, sizeof *s->groups);
    m->source = mem_zero(sources, sizeof *m->source);
    m->sources = sources;
    m->body = mem_zero((bodies ? body_count(bodies) : 0) + 1, sizeof *m->body);
    if (!s->groups || !m->source || !m->body)
        return fail_memory("creating phase", sources * sizeof *s->groups);
    return pbd_reserve(s, 1);
}

firn_status phase_reserve(phase *m) {
    size_t n = m->s->p.count + 1;
    struct {
        void *list;
        size_t item;
    } lists[] = {{&m->radius, sizeof *m->radius},
                 {&m->contact_slip, sizeof *m->contact_slip},
                 {&m->predicted, sizeof *m->predicted},
                 {&m->tag, sizeof *m->tag},
                 {&m->kind, sizeof *m->kind},
                 {&m->held, sizeof *m->held},
                 {&m->lump, sizeof *m->lump},
                 {&m->temperature, sizeof *m->temperature},
                 {&m->wetness, sizeof *m->wetness},
                 {&m->mass, sizeof *m->mass},
                 {&m->block, sizeof *m->block},
                 {&m->ending_links, sizeof *m->ending_links},
                 {&m->shape_weight, sizeof *m->shape_weight},
                 {&m->seep_flux, sizeof *m->seep_flux},
                 {&m->bulk, sizeof *m->bulk},
                 {&m->soak_source, sizeof *m->soak_source},
                 {&m->soak_flux, sizeof *m->soak_flux},
                 {&m->embedded, sizeof *m->embedded},
                 {&m->motion, sizeof *m->motion},
                 {&m->block_tags, sizeof *m->block_tags},
                 {&m->inverse_diagonal, sizeof *m->inverse_diagonal}};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) {
        size_t before = m->capacity[k];
        if (!array_reserve(lists[k].list, &m->capacity[k], k == 10 || k == 19 ? fluid_blocks(n) : n,
                           lists[k].item))
            return fail_memory("allocating the particles of phase", n * lists[k].item);
        for (size_t i = before; k == 9 && i < m->capacity[9]; i++) m->mass[i] = (float)m->def.mass;
    }
    TRY(phase_links_reserve(m, (size_t)m->s->counters.next_id));
    return phase_lumps_reserve(m);
}

static void take_bodies(phase *m, const body_set *bodies) {
    for (size_t b = 0; bodies && b < body_count(bodies); b++)
        m->body[b] = (heat_body){body_temperature(bodies, b), body_heat_contact(bodies, b)};
}

static void drop_lists(firn_phase_def *def) {
    def->snow.items = NULL, def->water.items = NULL, def->spouts.items = NULL;
    def->drains.items = NULL, def->heat.air.items = NULL, def->box = NULL;
}

void phase_changed(void *model, const void *params, const model_setting *setting) {
    phase *m = model;
    const firn_phase_def *def = params;
    m->def = *def;
    drop_lists(&m->def);
    m->law.snow_conductivity = def->heat.snow_conductivity;
    m->law.water_conductivity = def->heat.water_conductivity;
    heat_def now = heat_def_of(m, def);
    heat_change(m->heat, &now);
    if (def->heat.air.count == 0) heat_set_air(m->heat, setting->air_temperature);
    m->s->def.iterations = def->iterations;
    take_bodies(m, m->s->bodies);
    for (size_t k = 0; k < m->sources; k++) set_friction(m, k);
    for (size_t k = 0; k < def->spouts.count; k++) {
        m->source[m->spout + k] = heat_enthalpy(&m->law, def->spouts.items[k].temperature, 1);
        fluid_change_spout(m->f, k, &def->spouts.items[k].opening, setting);
    }
    for (size_t k = 0; k < def->drains.count; k++) fluid_change_drain(m->f, k, &def->drains.items[k]);
    firn_pbd_def all = m->s->def;
    all.box = def->box;
    pbd_change(m->s, &all, setting);
}

static void set_search_radius(phase *m) {
    m->widest = m->spacing;
    for (size_t k = 0; k < m->s->group_count; k++) m->widest = fmax(m->widest, cbrt(m->s->groups[k].volume));
    m->f->search_radius = (float)fmax(0.95 * m->h, LINK_FACTOR * m->widest);
    heat_set_search_radius(m->heat, (double)m->f->search_radius);
}

static firn_status make(phase *m, const firn_phase_def *def, const model_setting *setting,
                        const body_set *bodies) {
    bool latent = def->change == FIRN_PHASE_LATENT;
    m->spacing = cbrt(def->mass / def->density);
    m->h = auto_or(def->smoothing, SUPPORT * m->spacing);
    m->water = def->mass / def->density;
    m->law = (heat_law){def->heat.snow_conductivity, def->heat.water_conductivity,  def->heat.snow_capacity,
                        def->heat.water_capacity,    latent ? def->heat.latent : 0, def->heat.freeze};
    m->links.most = (size_t)def->links.most;
    TRY(make_heat(m, def, setting));
    TRY(make_pbd(m, setting, bodies));
    take_bodies(m, bodies);
    TRY(make_sources(m, def));
    TRY(phase_make_fluid(m, def, bodies));
    set_search_radius(m);
    phase_cohesion_init(m);
    TRY(phase_reserve(m));
    TRY(phase_relax(m));
    TRY(pbd_find_frames(m->s));
    return pbd_check_initial(m->s, "phase");
}

firn_status phase_create(const void *params, const model_setting *setting, const body_set *bodies,
                         void **model) {
    const firn_phase_def *def = params;
    phase *m = mem_zero(1, sizeof *m);
    if (!m) return fail_memory("creating phase", sizeof *m);
    m->def = *def;
    firn_status status = make(m, def, setting, bodies);
    drop_lists(&m->def);
    if (m->s) m->s->setting.folder = NULL;
    if (status != FIRN_OK) {
        phase_destroy(m);
        return status;
    }
    *model = m;
    return FIRN_OK;
}

void phase_destroy(void *model) {
    phase *m = model;
    if (!m) return;
    pbd_destroy(m->s);
    heat_destroy(m->heat);
    phase_links_free(&m->links);
    phase_lumps_free(&m->lumps);
    void *lists[] = {m->radius,    m->contact_slip, m->predicted,       m->tag,          m->kind,
                     m->held,      m->lump,         m->source,          m->body,         m->temperature,
                     m->wetness,   m->mass,         m->block,           m->ending_links, m->shape_weight,
                     m->seep_flux, m->bulk,         m->soak_source,     m->soak_flux,    m->embedded,
                     m->motion,    m->block_tags,   m->inverse_diagonal};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++) mem_free(lists[k]);
    mem_free(m);
}

// ---- snow and water that come and go while the world runs

static firn_status fill_source(phase *m, const firn_phase_def *def, const model_item *item, size_t source) {
    size_t before = m->s->p.count;
    if (source < def->snow.count)
        TRY(make_snow(m, &def->snow.items[item->number], source));
    else
        TRY(make_water(m, &def->water.items[item->number], source, NULL));
    TRY(fluid_make_room(m->s, m->f, before));
    TRY(phase_reserve(m));
    return pbd_check_initial(m->s, "phase");
}

static size_t source_of(const model_item *item, size_t snow) {
    return item->number + (strcmp(item->list, "phase.water") == 0 ? snow : 0);
}

static firn_status add(void *model, const void *params, const model_setting *setting,
                       const model_item *item) {
    phase *m = model;
    pbd *s = m->s;
    const firn_phase_def *def = params;
    size_t source = source_of(item, def->snow.count), count = s->p.count, numbers = m->links.numbers;
    uint32_t group = (uint32_t)source * PHASE_GROUPS;
    const pbd_counters counters = s->counters;
    const heat_totals totals = *heat_totals_of(m->heat);
    double *more = mem_resize(m->source, (m->sources + 1) * sizeof *more);
    if (!more) return fail_memory("adding to phase", (m->sources + 1) * sizeof *more);
    m->source = more;
    TRY(fluid_insert_groups(s, m->f, group, PHASE_GROUPS));
    memmove(more + source + 1, more + source, (m->sources++ - source) * sizeof *more);
    s->setting.folder = setting->folder;
    s->setting.loading = setting->loading;
    firn_status status = fill_source(m, def, item, source);
    s->setting.folder = NULL;
    s->setting.loading = false;
    if (status == FIRN_OK) {
        m->spout++;
        set_search_radius(m);
        if (!setting->loading) phase_links_locate(m);
        m->shown = false;
        return FIRN_OK;
    }
    s->p.count = count;
    s->counters = counters;
    m->links.numbers = numbers;
    *heat_totals_of(m->heat) = totals;
    memmove(more + source, more + source + 1, (--m->sources - source) * sizeof *more);
    fluid_remove_groups(s, m->f, group, PHASE_GROUPS);
    return status;
}

static firn_status take_out(void *model, const model_region *region) {
    phase *m = model;
    size_t source = region->item ? source_of(region->item, m->def.snow.count) : 0;
    fluid_take_out(m->s, m->f, region, (uint32_t)source * PHASE_GROUPS, PHASE_GROUPS);
    m->shown = false;
    phase_links_locate(m);
    return phase_lumps_list(m); // fewer than before: there is room
}

static bool give_heat(void *model, const model_region *region, double each) {
    phase *m = model;
    double *enthalpy = phase_enthalpy(m);
    for (size_t i = 0; i < m->s->p.count; i++) {
        if (!model_region_has(region, pbd_place(m->s, i))) continue;
        double before = enthalpy[i];
        enthalpy[i] = heat_added(&m->law, before, each);
        heat_totals_of(m->heat)->sources += m->def.mass * (enthalpy[i] - before);
    }
    m->shown = false;
    return true;
}

const struct firn_model_growth phase_growth = {.add = add, .take_out = take_out, .heat = give_heat};

// ---- estimate

static firn_status count_fill(const firn_fill_def *fill, double spacing, const model_setting *setting,
                              double *count) {
    shape *form;
    TRY(shape_create(&fill->shape, fill->scale, setting->folder, "phase", &form));
    *count += fmin(fill_plan_of(form, spacing, FILL_EQUAL).count, 1e15);
    shape_destroy(form);
    return FIRN_OK;
}

firn_status phase_cost(const void *params, const model_setting *setting, firn_cost *cost) {
    const firn_phase_def *def = params;
    double count = 0, cell = def->mass / def->density;
    for (size_t k = 0; k < def->snow.count; k++)
        TRY(count_fill(&def->snow.items[k].fill,
                       cbrt(def->mass / phase_snow_density(setting->def, &def->snow.items[k])), setting,
                       &count));
    for (size_t k = 0; k < def->water.count; k++)
        TRY(count_fill(&def->water.items[k].fill, cbrt(cell), setting, &count));
    for (size_t k = 0; k < def->spouts.count; k++)
        count += fluid_spouted(&def->spouts.items[k].opening, setting->duration, cbrt(cell));
    double support = firn_is_auto(def->smoothing) ? SUPPORT : def->smoothing / cbrt(cell);
    double near = 4.0 / 3 * M_PI * support * support * support;
    double by_number = 8.0 * def->links.most + 4 + 4 + 4 + 12 + 4;
    cost->particles += (uint64_t)count;
    cost->memory += (uint64_t)(count * (56 + 24 + 140 + 120 + 90 + near * 4 * 1.3 + by_number));
    cost->disk += (uint64_t)(count * 4 * (3 + 3 + 1 + 1 + 1 + 1 + 1 + 1 + 1));
    cost->seconds += count * near * (1.5e-8 + 6e-9 * def->iterations);
    cost->step = fmin(cost->step, def->max_step);
    return FIRN_OK;
}
