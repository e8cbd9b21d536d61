// The inside of the phase model; only for files of this folder.
#ifndef PHASE_PHASE_STATE_H
#define PHASE_PHASE_STATE_H

#include "pbd/pbd_fluid.h"
#include "phase/phase.h"
#include "phase/phase_heat.h"
#include "phase/phase_lanes.h"
#include "phase/phase_links.h"

// Groups of a source: what its particles are now and what they were before. Volumes blend between both.
typedef enum phase_group {
    PHASE_SNOW,  // as the scene has it
    PHASE_MELT,  // water that was such snow
    PHASE_ICE,   // water that froze
    PHASE_WATER, // water of the scene, or that was ice
    PHASE_GROUPS
} phase_group;

// Columns of pbd, by particle; state.
// PHASE_REST only where phase_settles.
enum { PHASE_ENTHALPY, PHASE_LIQUID, PHASE_TANGENTIAL, PHASE_PUSHED, PHASE_REST, PHASE_COLUMNS };

// What a particle has to do with water, in this step, by bits: one of the first three, and what follows.
typedef enum phase_tag {
    PHASE_DRY = 1,        // neither it nor a neighbour is liquid
    PHASE_MIXED = 2,      // it or some neighbour is
    PHASE_WATER_ONLY = 4, // it and all of them are water
    PHASE_SOLID = 8,      // it is not fully liquid
    PHASE_PRESSED = 16,   // it has a pressure, and is not PHASE_WATER_ONLY
    PHASE_ANY = 31
} phase_tag;
// What a block of rows has of them: all of its particles, any of them.
typedef struct phase_block_tags {
    uint8_t all, any;
} phase_block_tags;

// Correction of q by contacts and links; and whether contacts also shift without a velocity.
typedef struct phase_correction {
    float x, y, z, shifted;
} phase_correction;
// Sliding beyond friction, summed over the contacts (m), and their number.
typedef struct slip_out {
    float x, y, z, contacts;
} slip_out;

typedef struct phase_counters {
    double melted, frozen; // changes of kind since the start
    double formed, broken; // links since the start
    double jump;           // m/s, largest velocity that a change of kind has added
    double changed;        // 1: links did, since lumps were last found
    double steps;
    double soaked; // kg of water, into snow, since the start
} phase_counters;
enum { PHASE_COUNTERS = sizeof(phase_counters) / sizeof(double) };

// What came from other models and is too little for a particle. A field, empty until something has come.
typedef struct phase_waiting {
    double mass, momentum[3], heat; // kg, N s, J
} phase_waiting;
enum { PHASE_WAITING = sizeof(phase_waiting) / sizeof(double) };

// A lump: grains that are connected by links.
typedef struct phase_lump {
    size_t first, count;  // in `member`
    size_t piece, pieces; // whose sums are joined
    double weight;
    firn_vec3 centre, rest; // m, weighted: now, and in the undeformed lump
    double rotation[3][3];
    double push; // share of its pull that changes velocities; the rest shifts
} phase_lump;
typedef struct phase_piece phase_piece; // phase_lumps.c

typedef struct phase_lumps {
    float (*rest)[3]; // m, by number: position in the undeformed lump; state
    uint32_t *label;  // by number: smallest number of its lump, UINT32_MAX: in none; state
    size_t capacity[2];
    uint32_t *member; // numbers, lump by lump
    phase_lump *lump;
    phase_piece *piece;
    uint32_t *root, *lump_of, *parent, *most, *tally; // of phase_lumps_find
    size_t members, lumps, pieces, list_capacity[8];
} phase_lumps;

// Snow does not bounce: contacts, links and lumps push apart no faster than that; what they lack is shifted,
// without a velocity.
#define PHASE_PARTING 0.02 // m/s

// What a drop gives to each of the grains that it soaks into.
typedef struct phase_soak_flux {
    double enthalpy;   // J/kg, at most
    float velocity[3]; // m/s, change
} phase_soak_flux;
#define PHASE_NONE UINT32_MAX

typedef struct phase {
    pbd *s;
    pbd_fluid *f;
    firn_phase_def def;                   // numbers only
    double spacing, h;                    // m, of water
    double widest;                        // m, spacing of the lightest snow
    double water;                         // m3, of a particle of water
    double *source;                       // J/kg, of what comes from each source
    size_t sources, spout;                // the first spout among them; the last is that of other models
    float cohesion_length, cohesion_norm; // m; 1, see phase_cohesion.c
    heat_law law;
    heat *heat;
    heat_body *body;
    heat_block *block;
    float *mass;
    phase_counters counters;
    phase_waiting waiting;
    bool waits; // something has come from other models
    phase_links links;
    phase_lumps lumps;
    // By particle, of a step.
    float *radius;          // m
    float *bulk;            // m3, with its share of the pores; radius and bulk: by the hook of volumes
    slip_out *contact_slip; // by phase_contacts
    float (*predicted)[3];  // m; by phase_find_neighbours
    motion_in *motion;      // by phase_contacts
    uint8_t *tag;           // phase_tag; by phase_find_neighbours
    phase_block_tags *block_tags;
    float *inverse_diagonal;    // kg m2, of the step's first iteration; by phase_density
    uint32_t *ending_links;     // by bit; by phase_links_update
    bool *embedded;             // it freezes inside another grain; by phase_links_update
    float *shape_weight;        // in the fit of its lump, 0 .. 1; by phase_lumps_weigh
    double *seep_flux;          // J/kg, per cosine of the grains below; by phase_seep
    uint32_t *soak_source;      // of a grain: the drop that soaks into it, or PHASE_NONE; by phase_seep
    phase_soak_flux *soak_flux; // of drops; by phase_seep
    // By particle, shown.
    uint32_t *kind, *held, *lump;
    float *temperature, *wetness;
    size_t capacity[21];
    bool shown;   // those are up to date
    bool frame;   // they were loaded from a frame, which has no other state
    bool drained; // some particle was removed by a drain in this step
} phase;

static inline double *phase_enthalpy(const phase *m) { return m->s->column[PHASE_ENTHALPY].at; }
static inline float *phase_liquid(const phase *m) { return m->s->column[PHASE_LIQUID].at; }
static inline float (*phase_tangential(const phase *m))[3] { return m->s->column[PHASE_TANGENTIAL].at; }
static inline float (*phase_pushed(const phase *m))[3] { return m->s->column[PHASE_PUSHED].at; }
static inline bool phase_is_snow(const phase *m, size_t i) {
    return m->s->groups[m->s->p.group[i]].phase == PBD_GRAIN;
}
// Snow so dense that its pores have closed: water does not get into it.
#define PHASE_CLOSE_OFF 830 // kg/m3
static inline bool phase_is_ice(const phase *m, size_t i) {
    return phase_is_snow(m, i) && m->s->groups[m->s->p.group[i]].volume * PHASE_CLOSE_OFF <= m->def.mass;
}
static inline double phase_temperature(const phase *m, size_t i) {
    return heat_temperature(&m->law, phase_enthalpy(m)[i]);
}
// Melted share of a grain that is still snow, or of water that is freezing; with blending there is none.
static inline float phase_melted(const phase *m, size_t i) {
    return (float)heat_melted(&m->law, phase_enthalpy(m)[i]);
}

// Every few steps particles are sorted, links form and water seeps.
enum { PHASE_UPKEEP = 4 };
static inline bool phase_is_upkeep(const phase *m) { return (uint64_t)m->counters.steps % PHASE_UPKEEP == 0; }

// phase_create.c
firn_status phase_create(const void *params, const model_setting *setting, const body_set *bodies,
                         void **model);
void phase_destroy(void *model);
firn_status phase_cost(const void *params, const model_setting *setting, firn_cost *cost);
firn_status phase_reserve(phase *m);
extern const struct firn_model_growth phase_growth;
void phase_changed(void *model, const void *params, const model_setting *setting);

// Views of the scratch rows of pbd (see pbd_fluid.h); the pass that reads one has filled it.
static inline contact_in *phase_contact_in(const phase *m) { return (contact_in *)m->f->scratch; }
static inline tangential_in *phase_tangential_in(const phase *m) { return (tangential_in *)m->s->p.delta; }
static inline xsph_in *phase_xsph_in(const phase *m) { return (xsph_in *)m->f->scratch; }
static inline xsph_velocity_in *phase_xsph_velocity_in(const phase *m) { return (xsph_velocity_in *)m->f->v; }
static inline phase_correction *phase_corrections(const phase *m) { return (phase_correction *)m->f->v; }
static inline float (*phase_shifts(const phase *m))[4] { return m->f->swap; }

// phase_neighbours.c
firn_status phase_find_neighbours(phase *m, const pbd_pass *pass, bool sort);
// Runs of rows of a block with one of the tags `wanted`: the next one from *at on; false: no more.
bool phase_next_run(const phase *m, size_t block, unsigned wanted, size_t *at, fluid_rows *run);
static inline bool phase_is(const phase *m, size_t i, unsigned tags) { return (m->tag[i] & tags) != 0; }

// phase_contacts.c
void phase_contacts(phase *m, double dt);
// One iteration without friction, before the first step: moves q. Returns how far at most, in units of its
// stiffness times the radius.
double phase_settle(phase *m);
// phase_relax.c: before the first step.
firn_status phase_relax(phase *m);
// phase_density.c
extern const pbd_kind phase_matter;
firn_status phase_make_fluid(phase *m, const firn_phase_def *def, const body_set *bodies);
void phase_density(phase *m, const pbd_pass *pass, bool first);
// phase_velocities.c
void phase_update_slip(phase *m, double dt);
void phase_xsph(phase *m, double dt);

// phase_change.c
firn_status phase_conduct(phase *m, model_step step);
firn_status phase_change(phase *m, model_step step);
// phase_seep.c
void phase_seep(phase *m, double dt);

// phase_cohesion.c
void phase_cohesion_init(phase *m);
void phase_cohesion(phase *m, const pbd_pass *pass);
double phase_attraction(const phase *m, double given); // m/s2, by a parameter that may be auto

// phase_links.c
firn_status phase_links_reserve(phase *m, size_t numbers);
void phase_links_locate(phase *m);                                 // index of each particle by its number
firn_status phase_links_update(phase *m, firn_event_list *events); // breaks and forms links, once a step
void phase_links_pull(phase *m, double dt); // completes the corrections of phase_contacts and applies them
void phase_links_cut(phase *m, uint32_t number);
uint32_t phase_slots_of(const phase *m, uint32_t i);
void phase_links_free(phase_links *l);

// phase_elastic.c: links in Pa.
void phase_elastic(phase *m, double dt);        // moves q
void phase_elastic_pushed(phase *m, double dt); // after the iterations: what else has moved grains
// Radius in contacts: linked grains may come nearer, by as much as breaks a link, since the link resists
// that.
float phase_linked_radius(const phase *m, size_t i);

// phase_lumps.c
firn_status phase_lumps_reserve(phase *m);
firn_status phase_lumps_find(phase *m);      // from the links
firn_status phase_lumps_list(phase *m);      // members by label
void phase_lumps_weigh(phase *m);            // weights of grains in this step
void phase_lumps_match(phase *m, double dt); // shape matching, one iteration
void phase_lumps_free(phase_lumps *l);

// phase_step.c
firn_status phase_step(void *model, body_set *bodies, model_step step);
// phase_fields.c
firn_status phase_resize(void *model, const char *name, size_t count);
firn_status phase_loaded(void *model);
extern const field_table *const phase_field_tables[];
extern const series_table *const phase_series_tables[];
extern const model_drawing phase_drawing; // phase_looks.c
void phase_show(void *model);
void phase_ledger(const void *model, firn_ledger *out);

extern const struct firn_offers phase_offers; // phase_offers.c

#endif
