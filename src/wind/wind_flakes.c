// Flakes enter through the top and the inflow sides, at the number density of the snowfall, and leave at the
// ground, on bodies, or with the wind.
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "body/events.h"
#include "math/dvec.h"
#include "par/par.h"
#include "wind/wind_state.h"

#define PI 3.14159265358979323846
#define WATER 1000.0 // kg/m3

enum { CHUNK = 1024, STREAM_PLACE = 0x666c616b, STREAM_TRAIT };

// WIND12 eq. 8.1: diameter (m) by temperature.
static double diameter_at(double celsius) {
    return celsius <= -0.061 ? 0.015 * pow(fabs(celsius), -0.35) : 0.04;
}

void flakes_set_snowfall(wind_flakes *f, double snowfall) {
    double share = snowfall == f->usual ? 1 : snowfall / f->usual;
    f->number_density = share * f->usual_number_density;
    f->rate = share * f->usual_rate;
}

static void set_law(wind_state *s) {
    wind_flakes *f = &s->flakes;
    double celsius = s->setting.air_temperature, d = diameter_at(celsius);
    bool wet = f->def.kind == FIRN_FLAKE_WET || (f->def.kind == FIRN_FLAKE_AUTO && celsius > -1);
    double density = (wet ? 0.724 : 0.17) / d, one = density * PI * d * d * d / 6; // kg/m3, kg
    f->fall[0] = wet ? 1 : 0.5;
    f->fall[1] = wet ? 2 : 1.5;
    // Speeds are evenly spread among those that land; slower ones are in the air for longer.
    double wait = log(f->fall[1] / f->fall[0]) / (f->fall[1] - f->fall[0]); // mean of 1 / speed
    // The mass of a simulated flake stays when the snowfall changes: then there are more or fewer of them.
    f->usual = f->def.snowfall > 0 ? f->def.snowfall : 1e-3 / 3600;
    double flux = WATER * f->usual; // kg/m2 s
    double volume = (double)s->box.n[0] * (double)s->box.n[1] * (double)s->box.n[2] * pow(s->def.cell, 3);
    f->usual_number_density = f->def.shown / volume;
    f->usual_rate = f->usual_number_density / wait;
    f->mass = flux * wait / f->usual_number_density;
    flakes_set_snowfall(f, f->def.snowfall);
    f->radius = (float)fmax(0.5 * d, 0.02);
    const double facts[FLAKES_FACTS] = {f->mass, d, f->mass / one, wet};
    memcpy(f->facts, facts, sizeof facts);
}

firn_status flakes_reserve(wind_flakes *f, size_t count) {
    if (count <= f->capacity) return FIRN_OK;
    size_t room = count + count / 4 + CHUNK, each = 2 * (6 + TRAITS) * sizeof(float) + 4 * sizeof(uint32_t);
    struct {
        void **at;
        size_t item;
        bool kept;
    } lists[] = {{(void **)&f->position, sizeof *f->position, true},
                 {(void **)&f->velocity, sizeof *f->velocity, true},
                 {(void **)&f->trait, sizeof *f->trait, true},
                 {(void **)&f->spare_position, sizeof *f->position, false},
                 {(void **)&f->spare_velocity, sizeof *f->velocity, false},
                 {(void **)&f->spare_trait, sizeof *f->trait, false},
                 {(void **)&f->outcome, sizeof *f->outcome, false},
                 {(void **)&f->keep, sizeof *f->keep, false},
                 {(void **)&f->place, sizeof *f->place, false},
                 {(void **)&f->order, sizeof *f->order, false}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        void *larger = mem_resize(*lists[i].at, room * lists[i].item);
        if (!larger) return fail_memory("allocating flakes", room * each);
        *lists[i].at = larger;
    }
    f->capacity = room;
    return FIRN_OK;
}

static double unit(random4 r, int k) { return (double)random_unit(r, k); }

// How a flake falls. airborne: sampled from the air, where slow ones are more frequent.
static void set_traits(const wind_state *s, random4 r, bool airborne, float out[TRAITS]) {
    const wind_flakes *f = &s->flakes;
    double a = f->fall[0], b = f->fall[1], x = unit(r, 0), turn = PI / 4 + unit(r, 2) * (PI / 3 - PI / 4);
    out[TRAIT_FALL] = (float)(airborne ? a * pow(b / a, x) : a + (b - a) * x);
    out[TRAIT_RADIUS] = (float)(unit(r, 1) * f->def.swirl);
    out[TRAIT_TURN] = (float)(r.v[2] & 1 ? turn : -turn);
    out[TRAIT_PHASE] = (float)(2 * PI * unit(r, 3));
}

static bool inside_body(const body_set *bodies, const float at[3]) {
    for (size_t b = 0; b < body_count(bodies); b++) {
        float d;
        body_query(bodies, b, 1, &at[0], &at[1], &at[2], &d, NULL, NULL, NULL);
        if (d < 0) return true;
    }
    return false;
}

static bool in_domain(const wind_state *s, const float at[3]) {
    for (int k = 0; k < 3; k++) {
        double x = ((double)at[k] - s->low[k]) / s->def.cell;
        if (!(x > 0 && x < s->box.n[k])) return false;
    }
    return true;
}

// Makes room for `more` and keeps their number countable.
static firn_status make_room(wind_flakes *f, uint64_t more) {
    if (more >= UINT32_MAX || f->count + more >= UINT32_MAX)
        return fail(FIRN_BAD_INPUT, "flakes: too many (at most 2^32 - 2); lower shown");
    return flakes_reserve(f, f->count + (size_t)more);
}

// Flake i falls with the wind around it; false: a body is there, or it is outside.
static bool set_flake(wind_state *s, const body_set *bodies, const double at[3], const float trait[TRAITS],
                      size_t i) {
    wind_flakes *f = &s->flakes;
    float place[3] = {(float)at[0], (float)at[1], (float)at[2]}, v[3];
    if (!in_domain(s, place)) return false;
    if ((s->moving || s->near_body[wind_cell(s, place)]) && inside_body(bodies, place)) return false;
    wind_at(s, place, v);
    v[1] -= trait[TRAIT_FALL];
    memcpy(f->position[i], place, sizeof place);
    memcpy(f->velocity[i], v, sizeof v);
    memcpy(f->trait[i], trait, TRAITS * sizeof(float));
    return true;
}

firn_status flakes_add(wind_state *s, const body_set *bodies, const double at[3], const float trait[TRAITS],
                       int counter) {
    wind_flakes *f = &s->flakes;
    TRY(make_room(f, 1));
    if (!set_flake(s, bodies, at, trait, f->count)) return FIRN_OK;
    f->count++;
    f->counters[counter]++;
    return FIRN_OK;
}

// Below a body, where no snow falls in calm air.
static bool sheltered(const wind_state *s, const double at[3]) {
    const float place[3] = {(float)at[0], (float)at[1], (float)at[2]};
    size_t a = wind_cell(s, place), top = a - a % s->box.plane + s->box.row * ((size_t)s->box.n[1] + 1);
    while (a < top && !s->owner[a]) a += s->box.row;
    return a < top;
}

static firn_status fill_air(wind_state *s, const body_set *bodies) {
    for (int32_t n = 0; n < s->flakes.def.shown; n++) {
        if (n % 4096 == 0) TRY(stop_check());
        random4 r = random_bits(s->setting.seed, (uint64_t)n, 1, STREAM_PLACE);
        double at[3];
        float trait[TRAITS];
        for (int k = 0; k < 3; k++) at[k] = s->low[k] + unit(r, k) * s->box.n[k] * s->def.cell;
        set_traits(s, random_bits(s->setting.seed, (uint64_t)n, 0, STREAM_TRAIT), true, trait);
        if (!sheltered(s, at)) TRY(flakes_add(s, bodies, at, trait, FLAKES_EMITTED));
    }
    return FIRN_OK;
}

// Whole flakes to emit; the remainder is kept for later.
static uint64_t whole_flakes(double *remainder, double more) {
    *remainder += more;
    double whole = floor(*remainder);
    *remainder -= whole;
    return (uint64_t)whole;
}

// Emission through one side, or the top, in a step.
typedef struct emit_work {
    wind_state *s;
    const body_set *bodies;
    model_step step;
    int side;
    double inward, sum; // of the undisturbed wind; of the profile over all layers, or of the faces of a side
    const double *flow; // with grids around: what flows in through the faces of the side so far; NULL
} emit_work;

// Through the top: spread over the step by how far each has fallen since.
static void from_above(const emit_work *w, uint64_t n, double at[3], float trait[TRAITS]) {
    const wind_state *s = w->s;
    const uint32_t step = (uint32_t)w->step.step;
    random4 r = random_bits(s->setting.seed, n, step, STREAM_PLACE);
    set_traits(s, random_bits(s->setting.seed, n, step, STREAM_TRAIT + 1), false, trait);
    double since = unit(r, 2) * w->step.dt, top = s->low[1] + s->box.n[1] * s->def.cell;
    at[0] = s->low[0] + unit(r, 0) * s->box.n[0] * s->def.cell;
    at[1] = top - 1e-4 * s->def.cell - since * (double)trait[TRAIT_FALL];
    at[2] = s->low[2] + unit(r, 1) * s->box.n[2] * s->def.cell;
}

// A height, sampled by the inflow there.
static double inflow_height(const wind_state *s, double x, double sum, double part, float *speed) {
    double left = x * sum;
    int32_t j = 1;
    while (j < s->box.n[1] && left >= (double)s->profile[j]) left -= (double)s->profile[j++];
    *speed = s->profile[j];
    return (j - 1 + part) * s->def.cell;
}

// With the inflow through a side: at the number density of the air.
static void from_side(const emit_work *w, uint64_t n, double at[3], float trait[TRAITS]) {
    const wind_state *s = w->s;
    const uint32_t step = (uint32_t)w->step.step, side = (uint32_t)w->side;
    const int axis = w->side / 2, across = 2 - axis;
    random4 r = random_bits(s->setting.seed, n, step, STREAM_PLACE + 16 + side);
    random4 more = random_bits(s->setting.seed, n, step, STREAM_PLACE + 32 + side);
    float profile_here;
    set_traits(s, random_bits(s->setting.seed, n, step, STREAM_TRAIT + 16 + side), true, trait);
    at[1] = s->low[1] + inflow_height(s, unit(r, 0), w->sum, unit(more, 0), &profile_here);
    at[across] = s->low[across] + unit(r, 1) * s->box.n[across] * s->def.cell;
    double since = unit(r, 2) * w->step.dt;
    double path = since * w->inward * (double)profile_here + 1e-4 * s->def.cell;
    at[axis] = side & 1 ? s->low[axis] + s->box.n[axis] * s->def.cell - path : s->low[axis] + path;
}

// The same where the air that blows in is not undisturbed: by what flows in through each face of the side.
static void from_faces(const emit_work *w, uint64_t n, double at[3], float trait[TRAITS]) {
    const wind_state *s = w->s;
    const uint32_t step = (uint32_t)w->step.step, side = (uint32_t)w->side;
    const int axis = w->side / 2, one = axis == 0 ? 1 : 0, two = axis == 0 ? 2 : 1;
    const double h = s->def.cell;
    random4 r = random_bits(s->setting.seed, n, step, STREAM_PLACE + 16 + side);
    random4 more = random_bits(s->setting.seed, n, step, STREAM_PLACE + 32 + side);
    set_traits(s, random_bits(s->setting.seed, n, step, STREAM_TRAIT + 16 + side), true, trait);
    const size_t across = (size_t)s->box.n[one];
    size_t low = 0, high = across * (size_t)s->box.n[two] - 1;
    const double wanted = unit(r, 0) * w->sum;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (w->flow[middle] > wanted)
            high = middle;
        else
            low = middle + 1;
    }
    at[one] = s->low[one] + ((double)(low % across) + unit(more, 0)) * h;
    at[two] = s->low[two] + ((double)(low / across) + unit(r, 1)) * h;
    double speed = w->flow[low] - (low > 0 ? w->flow[low - 1] : 0);
    double path = unit(r, 2) * w->step.dt * speed + 1e-4 * h;
    at[axis] = side & 1 ? s->low[axis] + s->box.n[axis] * h - path : s->low[axis] + path;
}

static void emit_some(void *context, size_t begin, size_t end) {
    const emit_work *w = context;
    wind_flakes *f = &w->s->flakes;
    for (size_t n = begin; n < end; n++) {
        double at[3];
        float trait[TRAITS];
        (w->side == SIDE_TOP ? from_above : w->flow ? from_faces : from_side)(w, n, at, trait);
        f->keep[f->count + n] = set_flake(w->s, w->bodies, at, trait, f->count + n);
    }
}

static firn_status emit_through(emit_work *w, double *remainder, double more) {
    wind_flakes *f = &w->s->flakes;
    uint64_t count = whole_flakes(remainder, more);
    TRY(make_room(f, count));
    par_for((size_t)count, 64, emit_some, w);
    for (size_t i = f->count, end = i + (size_t)count; i < end; i++) {
        if (!f->keep[i]) continue;
        memmove(f->position[f->count], f->position[i], sizeof *f->position);
        memmove(f->velocity[f->count], f->velocity[i], sizeof *f->velocity);
        memmove(f->trait[f->count], f->trait[i], sizeof *f->trait);
        f->count++;
        f->counters[FLAKES_EMITTED]++;
    }
    return FIRN_OK;
}

// What flows in through the faces of a side, each with those before it (m/s).
static void add_flow(emit_work *w) {
    const wind_state *s = w->s;
    const int axis = w->side / 2, one = axis == 0 ? 1 : 0, two = axis == 0 ? 2 : 1;
    double *flow = s->flakes.flow;
    int32_t at[3];
    at[axis] = w->side & 1 ? s->box.n[axis] : 1;
    w->flow = flow;
    w->sum = 0;
    for (at[two] = 1; at[two] <= s->box.n[two]; at[two]++)
        for (at[one] = 1; at[one] <= s->box.n[one]; at[one]++) {
            size_t a = poisson_at(&s->box, at[0], at[1], at[2]);
            size_t face = w->side & 1 ? a + (axis == 0 ? 1 : s->box.plane) : a;
            double v = (double)s->v[axis][face], in = w->side & 1 ? -v : v;
            *flow++ = w->sum += s->kind[a] == POISSON_FREE ? fmax(in, 0) : 0;
        }
}

static firn_status emit_around(emit_work *w) {
    wind_state *s = w->s;
    wind_flakes *f = &s->flakes;
    size_t longest = (size_t)(s->box.n[0] > s->box.n[2] ? s->box.n[0] : s->box.n[2]);
    if (!f->flow) f->flow = mem_zero(longest * (size_t)s->box.n[1], sizeof *f->flow);
    if (!f->flow) return fail_memory("flakes from the grid around", longest * sizeof *f->flow);
    for (w->side = 0; w->side < SIDES; w->side++) {
        if (w->side == SIDE_GROUND || w->side == SIDE_TOP) continue;
        int number = w->side < 2 ? w->side : w->side - 2;
        add_flow(w);
        TRY(emit_through(w, &f->emit_remainder[1 + number],
                         f->number_density * w->sum * s->def.cell * s->def.cell * w->step.dt));
    }
    return FIRN_OK;
}

static firn_status emit(wind_state *s, const body_set *bodies, model_step step, wind_inflow_state now) {
    const double inward[SIDES] = {now.x, -now.x, 0, 0, now.z, -now.z}, cell = s->def.cell;
    wind_flakes *f = &s->flakes;
    emit_work w = {s, bodies, step, SIDE_TOP, 0, 0, NULL};
    for (int32_t j = 1; j <= s->box.n[1]; j++) w.sum += (double)s->profile[j];
    TRY(emit_through(&w, &f->emit_remainder[0], f->rate * s->box.n[0] * s->box.n[2] * cell * cell * step.dt));
    if (s->around.outer) return emit_around(&w);
    for (w.side = 0; w.side < SIDES; w.side++) {
        if (s->side[w.side] != SIDE_INFLOW) continue;
        int across = 2 - w.side / 2, number = w.side < 2 ? w.side : w.side - 2;
        w.inward = inward[w.side];
        TRY(emit_through(&w, &f->emit_remainder[1 + number],
                         f->number_density * w.inward * w.sum * s->box.n[across] * cell * cell * step.dt));
    }
    return FIRN_OK;
}

static void copy_flake(wind_flakes *f, size_t from, size_t to) {
    memcpy(f->spare_position[to], f->position[from], sizeof *f->position);
    memcpy(f->spare_velocity[to], f->velocity[from], sizeof *f->velocity);
    memcpy(f->spare_trait[to], f->trait[from], sizeof *f->trait);
}

#define SWAP(type, a, b)                                                                                     \
    do {                                                                                                     \
        type swap_a = (a);                                                                                   \
        (a) = (b);                                                                                           \
        (b) = swap_a;                                                                                        \
    } while (0)

static void swap_lists(wind_flakes *f) {
    typedef float(*triple)[3];
    typedef float(*traits)[TRAITS];
    SWAP(triple, f->position, f->spare_position);
    SWAP(triple, f->velocity, f->spare_velocity);
    SWAP(traits, f->trait, f->spare_trait);
}

static void compact_flakes(void *context, size_t begin, size_t end) {
    wind_flakes *f = context;
    for (size_t i = begin; i < end; i++)
        if (f->keep[i]) copy_flake(f, i, f->place[i]);
}

static void tell_landed(const wind_state *s, const float at[3], firn_event_list *events) {
    firn_event event = event_of(FIRN_EVENT_LANDED, "wind");
    event.position = dvec((double)at[0], (double)at[1], (double)at[2]);
    event.amount = wind_flake_mass(s);
    firn_event_add(events, &event);
}

// Counts and removes those that landed or left; the others keep their order.
static firn_status remove_flakes(wind_state *s, firn_event_list *events) {
    wind_flakes *f = &s->flakes;
    bool told = event_wanted(events, FIRN_EVENT_LANDED);
    uint32_t left;
    for (size_t i = 0; i < f->count; i++) {
        f->keep[i] = f->outcome[i] == 0;
        if (f->outcome[i] == 1) f->counters[FLAKES_LEFT]++;
        if (f->outcome[i] < 2) continue;
        size_t cell = f->outcome[i] - 2, column = cell % s->box.row - 1;
        f->counters[FLAKES_LANDED]++;
        f->landed[(cell / s->box.plane - 1) * (size_t)s->box.n[0] + column]++;
        bool others = s->ground.take && (!s->cover.on || beside_is_over(s, f->position[i]));
        if (s->cover.on && !others) cover_put(s, cell, COVER_PARTS);
        if (s->cover.on && others) s->cover.beside.handed[HANDED_OUT] += COVER_PARTS;
        if (others) s->ground.take(s->ground.context, f->position[i]);
        if (told) tell_landed(s, f->position[i], events);
    }
    TRY(par_scan(f->keep, f->place, f->count, &left));
    if (left == f->count) return FIRN_OK;
    par_for(f->count, CHUNK, compact_flakes, f);
    swap_lists(f);
    f->count = left;
    return FIRN_OK;
}

enum { SORT_STEPS = 16 };
static const size_t block[3] = {16, 2, 2}; // cells: a cache line of a few rows

static void find_blocks(void *context, size_t begin, size_t end) {
    wind_state *s = context;
    wind_flakes *f = &s->flakes;
    const size_t across = (size_t)s->box.n[0] / block[0] + 1, up = (size_t)s->box.n[1] / block[1] + 1;
    for (size_t i = begin; i < end; i++) {
        size_t cell = wind_cell(s, f->position[i]);
        size_t x = cell % s->box.row, y = cell % s->box.plane / s->box.row, z = cell / s->box.plane;
        f->outcome[i] = (uint32_t)((z / block[2] * up + y / block[1]) * across + x / block[0]);
        f->keep[i] = (uint32_t)i;
    }
}

static void permute_flakes(void *context, size_t begin, size_t end) {
    wind_flakes *f = context;
    for (size_t i = begin; i < end; i++) copy_flake(f, f->keep[i], i);
}

// Neighbours in the air become neighbours in memory: they sample the same wind.
static firn_status sort_flakes(wind_state *s) {
    wind_flakes *f = &s->flakes;
    size_t blocks = 1;
    for (int d = 0; d < 3; d++) blocks *= (size_t)s->box.n[d] / block[d] + 1;
    unsigned bits = 1;
    while (blocks >> bits) bits++;
    par_for(f->count, CHUNK, find_blocks, s);
    TRY(par_sort(f->outcome, f->keep, f->place, f->order, f->count, bits));
    par_for(f->count, CHUNK, permute_flakes, f);
    swap_lists(f);
    return FIRN_OK;
}

firn_status flakes_step(wind_state *s, const body_set *bodies, model_step step, wind_inflow_state now) {
    if (step.step % SORT_STEPS == 0) TRY(sort_flakes(s));
    flakes_move(s, bodies, step);
    TRY(remove_flakes(s, step.events));
    return emit(s, bodies, step, now);
}

firn_status flakes_create(wind_state *s, const firn_flakes_def *def, const body_set *bodies) {
    wind_flakes *f = &s->flakes;
    f->on = true;
    f->def = *def;
    set_law(s);
    f->landed = mem_zero((size_t)s->box.n[0] * (size_t)s->box.n[2], sizeof *f->landed);
    if (!f->landed) return fail_memory("creating flakes", (size_t)s->box.n[0] * (size_t)s->box.n[2] * 4);
    TRY(flakes_reserve(f, def->filled ? (size_t)def->shown : 1));
    bool fill = def->filled && f->number_density > 0 && !s->setting.for_frames;
    return fill ? fill_air(s, bodies) : FIRN_OK;
}

void flakes_destroy(wind_flakes *f) {
    mem_free(f->position);
    mem_free(f->velocity);
    mem_free(f->trait);
    mem_free(f->spare_position);
    mem_free(f->spare_velocity);
    mem_free(f->spare_trait);
    mem_free(f->outcome);
    mem_free(f->keep);
    mem_free(f->place);
    mem_free(f->order);
    mem_free(f->landed);
    mem_free(f->flow);
}
