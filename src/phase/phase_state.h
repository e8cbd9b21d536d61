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
enum { PHASE_ENTHALPY, PHASE_LIQUID, PHASE_SLID, PHASE_COLUMNS };

typedef struct phase_book {
    double melted, frozen; // changes of kind since the start
    double formed, broken; // links since the start
    double jump;           // m/s, largest velocity that a change of kind has added
    double changed;        // links did, since lumps were last looked for
    double steps;
    double soaked; // kg of water, into snow, since the start
} phase_book;
enum { PHASE_BOOK = sizeof(phase_book) / sizeof(double) };

// A lump: grains that hang together by links.
typedef struct phase_lump {
    size_t first, count;  // in `member`
    size_t piece, pieces; // whose sums are joined
    double weight;
    firn_vec3 middle, rest; // m, weighed: now, and in the undeformed lump
    double turn[3][3];
} phase_lump;
typedef struct phase_piece phase_piece; // phase_lumps.c

typedef struct phase_lumps {
    float (*rest)[3]; // m, by number: place in the undeformed lump; state
    uint32_t *label;  // by number: smallest number of its lump, UINT32_MAX: in none; state
    size_t capacity[2];
    uint32_t *member; // numbers, lump by lump
    phase_lump *lump;
    phase_piece *piece;
    uint32_t *root, *lump_of, *heir, *most, *tally;
    size_t members, lumps, pieces, list_capacity[8];
} phase_lumps;

// What a drop gives to each of the grains that drink from it.
typedef struct phase_offer {
    double enthalpy; // J/kg, at most
    float push[3];   // m/s
} phase_offer;
#define PHASE_NOBODY UINT32_MAX

typedef struct phase {
    pbd *s;
    pbd_fluid *f;
    firn_phase_def def;    // numbers only
    double spacing, h;     // m, of water
    double widest;         // m, spacing of the lightest snow
    double water;          // m3, of a particle of water
    double *source;        // J/kg, of what comes from each source
    size_t sources, spout; // the first spout among them
    float unit, draw;      // m, of the distance at which water is drawn; 1: by one particle (phase_cling.c)
    heat_law law;
    heat *heat;
    heat_body *body;
    heat_block *block;
    float *mass;
    phase_book book;
    phase_links links;
    phase_lumps lumps;
    // By particle, of a step.
    float *radius;      // m
    float *bulk;        // m3, with its share of the pores
    float (*touch)[4];  // m: what slid beyond friction; how many contacts
    float (*before)[3]; // m, predicted
    uint8_t *wet;       // 1: it or some neighbour is liquid; 2: it and all of them are water
    uint32_t *ends;     // its links that end, by bit
    bool *stuck;        // it freezes inside of another grain
    float *firm;        // how firmly its lump holds it, 0 .. 1
    double *gives;      // J/kg, see phase_seep
    uint32_t *drinks;   // a grain from this drop, or PHASE_NOBODY
    phase_offer *offer; // of drops
    // By particle, shown.
    uint32_t *kind, *held, *lump;
    float *temperature, *wetness;
    size_t capacity[18];
    bool random; // some fill is
    bool shown;  // those are up to date
    bool frame;  // they come from a frame, which holds no more than that
    bool left;   // some particle went down a drain in this step
} phase;

static inline double *phase_enthalpy(const phase *m) { return m->s->column[PHASE_ENTHALPY].at; }
static inline float *phase_liquid(const phase *m) { return m->s->column[PHASE_LIQUID].at; }
static inline float (*phase_slid(const phase *m))[3] { return m->s->column[PHASE_SLID].at; }
static inline bool phase_is_snow(const phase *m, size_t i) {
    return m->s->groups[m->s->p.group[i]].phase == PBD_GRAIN;
}
static inline double phase_temperature(const phase *m, size_t i) {
    return heat_temperature(&m->law, phase_enthalpy(m)[i]);
}
// Melted share of a grain that is still snow, or of water that is freezing; with blending there is none.
static inline float phase_melted(const phase *m, size_t i) {
    return (float)heat_melted(&m->law, phase_enthalpy(m)[i]);
}

// Every few steps particles are sorted and parted, and what may wait (new links, seeping) is done.
enum { PHASE_UPKEEP = 4 };
static inline bool phase_is_upkeep(const phase *m) { return (uint64_t)m->book.steps % PHASE_UPKEEP == 0; }

// phase_create.c
firn_status phase_create(const void *params, const model_setting *setting, const body_set *bodies,
                         void **model);
void phase_destroy(void *model);
firn_status phase_cost(const void *params, const model_setting *setting, firn_cost *cost);
firn_status phase_reserve(phase *m);

// phase_matter.c: snow and water as one kind of constraint.
extern const pbd_kind phase_matter;
firn_status phase_take_fluid(phase *m, const firn_phase_def *def, const body_set *bodies);
// Runs of rows of a block that `wanted` picks: the next one from *at on; false: no more.
bool phase_next_run(const phase *m, size_t block, bool (*wanted)(const phase *m, uint32_t i), size_t *at,
                    fluid_rows *run);

// phase_change.c
firn_status phase_heat_step(phase *m, model_step step);
firn_status phase_change(phase *m, double dt);
// phase_seep.c
void phase_seep(phase *m, double dt);

// phase_cling.c
struct fluid_work;
void phase_set_cling(phase *m);
void phase_cling(phase *m, const struct fluid_work *fluid);

// phase_links.c
firn_status phase_links_reserve(phase *m, size_t numbers);
void phase_links_place(phase *m);         // where particles stand now
firn_status phase_links_update(phase *m); // breaks and forms links
void phase_links_aim(phase *m);           // before the first pull of a step
void phase_links_pull(const phase *m, uint32_t i, float move[3]);
void phase_links_cut(phase *m, uint32_t number);
uint32_t phase_slots_of(const phase *m, uint32_t i);
void phase_links_free(phase_links *l);

// phase_lumps.c
firn_status phase_lumps_reserve(phase *m);
firn_status phase_lumps_find(phase *m); // from the links
firn_status phase_lumps_list(phase *m); // members by label
void phase_lumps_weigh(phase *m);       // how firm grains are, in this step
void phase_lumps_hold(phase *m);        // one iteration
void phase_lumps_free(phase_lumps *l);

// phase_step.c
firn_status phase_step(void *model, body_set *bodies, model_step step);
// phase_fields.c
firn_status phase_resize(void *model, const char *name, size_t count);
firn_status phase_loaded(void *model);
extern const field_table *const phase_field_tables[];
extern const model_drawing phase_drawing; // phase_looks.c
void phase_show(void *model);
void phase_ledger(const void *model, firn_ledger *out);

#endif
