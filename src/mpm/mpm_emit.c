// Emitters: snow that enters over time.
#include <math.h>
#include <stdio.h>

#include "base/auto.h"
#include "base/random.h"
#include "geom/shape.h"
#include "math/dvec.h"
#include "mpm/mpm_state.h"
#include "mpm/mpm_ranks.h"

// A grid of lines along the velocity; those that intersect the shape are the columns of the stream.
typedef struct column_search {
    const shape *form;
    firn_vec3 middle, direction, side, up; // unit vectors; in the shape's frame
    double radius, edge;                   // m
} column_search;

// Distance from `start` along `direction` to where the line enters the shape; INFINITY if it misses it.
static double entry_of(const column_search *c, firn_vec3 start) {
    for (double s = 0; s < 2 * c->radius;) {
        double d = shape_sdf(c->form, dvec_add_scaled(start, c->direction, s), NULL);
        if (d < 0) return s;
        s += fmax(d, 0.1 * c->edge);
    }
    return INFINITY;
}

static column_search search_of(const shape *form, const firn_mpm_emit_def *def, double edge) {
    firn_vec3 low = {0, 0, 0}, high = {0, 0, 0};
    shape_bounds(form, &low, &high);
    firn_vec3 direction =
        dquat_rotate_back(dquat_from_angles(def->snow.fill.rotate), dvec_normalise(def->snow.velocity));
    firn_vec3 side = dvec_perpendicular(direction);
    return (column_search){form, dvec_scale(dvec_add(low, high), 0.5), direction,
                           side, dvec_cross(direction, side),          0.5 * dvec_distance(low, high) + edge,
                           edge};
}

// at: NULL to count only.
static size_t find_columns(const column_search *c, float (*at)[3]) {
    int half = (int)ceil(c->radius / c->edge);
    size_t count = 0;
    for (int i = -half; i < half; i++)
        for (int j = -half; j < half; j++) {
            firn_vec3 start = dvec_add_scaled(c->middle, c->direction, -c->radius);
            start = dvec_add_scaled(start, c->side, (i + 0.5) * c->edge);
            start = dvec_add_scaled(start, c->up, (j + 0.5) * c->edge);
            double s = entry_of(c, start);
            if (!isfinite(s)) continue;
            firn_vec3 x = dvec_add_scaled(start, c->direction, s);
            if (at) {
                at[count][0] = (float)x.x;
                at[count][1] = (float)x.y;
                at[count][2] = (float)x.z;
            }
            count++;
        }
    return count;
}

static firn_status check_columns(const firn_mpm_emit_def *def, const column_search *c, size_t count) {
    if (count == 0)
        return fail(FIRN_BAD_INPUT,
                    "mpm.emit.%s: no particle fits through its shape: make it wider or mpm.cell smaller",
                    def->name);
    if (c->radius / c->edge > 2000)
        return fail(FIRN_BAD_INPUT, "mpm.emit.%s: its shape is more than 4000 particles wide", def->name);
    return FIRN_OK;
}

static firn_status check_rate(const firn_mpm_emit_def *def, const mpm_emitter *e) {
    if (firn_is_auto(def->rate) || def->rate <= e->largest_rate * 1.0001) return FIRN_OK;
    return fail(FIRN_BAD_INPUT,
                "mpm.emit.%s: at its velocity at most %.4g kg/s fit through its shape, not %g", def->name,
                e->largest_rate, def->rate);
}

static double period_of(const firn_mpm_emit_def *def, const mpm_emitter *e) {
    if (e->pieces) return def->every;
    return e->layer / auto_or(def->rate, e->largest_rate);
}

static firn_status set_rate(const firn_mpm_emit_def *def, const column_search *c, double density,
                            mpm_emitter *e) {
    double speed = dvec_length(def->snow.velocity), mass = density * c->edge * c->edge * c->edge;
    e->layer = (double)e->count * mass;
    e->largest_rate = (double)e->count * mass * speed / c->edge;
    TRY(check_rate(def, e));
    e->period = period_of(def, e);
    return FIRN_OK;
}

firn_status mpm_emitter_may_change(const mpm_state *s, const firn_mpm_emit_def *def, size_t emitter) {
    const mpm_emitter *e = &s->emitters[emitter];
    if (e->pieces != (def->every > 0))
        return fail(FIRN_BAD_INPUT,
                    "mpm.emit.%s.every cannot become %g s while the world runs: a stream stays a stream, "
                    "pieces stay pieces",
                    def->name, def->every);
    return e->pieces ? FIRN_OK : check_rate(def, e);
}

void mpm_emitter_change(mpm_state *s, const firn_mpm_emit_def *def, size_t emitter) {
    mpm_emitter *e = &s->emitters[emitter];
    e->from = def->start;
    e->to = def->end;
    e->period = period_of(def, e);
}

static double edge_of(const firn_mpm_def *def) { return def->cell / cbrt((double)def->per_cell); }

static firn_status make_stream(const mpm_state *s, const firn_mpm_emit_def *def, const shape *form,
                               mpm_emitter *e) {
    column_search c = search_of(form, def, edge_of(&s->def));
    TRY(check_columns(def, &c, 1));
    size_t count = find_columns(&c, NULL);
    TRY(check_columns(def, &c, count));
    e->at = mem_alloc(count * sizeof *e->at);
    if (!e->at) return fail_memory("creating mpm", count * sizeof *e->at);
    e->count = find_columns(&c, e->at);
    firn_quat turn = dquat_from_angles(def->snow.fill.rotate);
    for (size_t i = 0; i < count; i++) {
        float *at = e->at[i];
        firn_vec3 x = dquat_rotate(turn, dvec((double)at[0], (double)at[1], (double)at[2]));
        at[0] = (float)x.x;
        at[1] = (float)x.y;
        at[2] = (float)x.z;
    }
    e->origin = def->snow.fill.at;
    e->side = dvec_scale(dquat_rotate(turn, c.side), c.edge);
    e->up = dvec_scale(dquat_rotate(turn, c.up), c.edge);
    return set_rate(def, &c, (double)s->materials[e->material].law.density, e);
}

static firn_status make_pieces(const mpm_state *s, const firn_mpm_emit_def *def, const char *folder,
                               mpm_emitter *e, double *volume) {
    mpm_points points;
    char path[96];
    snprintf(path, sizeof path, "mpm.emit.%s", def->name);
    TRY(mpm_fill(&s->def, &def->snow.fill, path, folder, s->setting.seed + e->stream, &points));
    e->pieces = true;
    e->period = def->every;
    e->origin = points.origin;
    e->at = points.at;
    e->count = points.count;
    e->middle = points.middle;
    *volume = points.volume;
    return FIRN_OK;
}

static firn_status make_emitter(mpm_state *s, const firn_mpm_emit_def *def, const char *folder,
                                mpm_emitter *e) {
    double volume = pow(edge_of(&s->def), 3);
    *e = (mpm_emitter){.from = def->start,
                       .to = def->end,
                       .velocity = def->snow.velocity,
                       .spin = def->snow.spin,
                       .material = (uint32_t)s->material_count,
                       .stream = (uint32_t)s->material_count};
    if (def->every > 0) {
        TRY(make_pieces(s, def, folder, e, &volume));
        s->materials[s->material_count++] = mpm_material_of(s->setting.def, &def->snow, s->def.cell, volume);
        return FIRN_OK;
    }
    s->materials[s->material_count++] = mpm_material_of(s->setting.def, &def->snow, s->def.cell, volume);
    shape *form;
    TRY(shape_create(&def->snow.fill.shape, def->snow.fill.scale, folder, def->name, &form));
    firn_status status = make_stream(s, def, form, e);
    shape_destroy(form);
    return status;
}

// Emitted snow limits the time step from the start: particles cannot be held back once they enter.
static void limit_step(mpm_state *s, double time) {
    for (size_t i = 0; i < s->emitter_count; i++) {
        const mpm_emitter *e = &s->emitters[i];
        const mpm_material *m = &s->materials[e->material];
        if (time > e->to) continue;
        s->counters.wave_speed2 = fmax(s->counters.wave_speed2, mpm_wave_speed2(m));
        s->counters.speed2 = fmax(s->counters.speed2, dvec_length2(e->velocity));
    }
}

firn_status mpm_create_emitters(mpm_state *s, const firn_mpm_def *def, const char *folder) {
    if (def->emit.count == 0) return FIRN_OK;
    s->emitters = mem_zero(def->emit.count, sizeof *s->emitters);
    if (!s->emitters) return fail_memory("creating mpm", def->emit.count * sizeof *s->emitters);
    s->emitter_count = def->emit.count;
    for (size_t i = 0; i < def->emit.count; i++)
        TRY(make_emitter(s, &def->emit.items[i], folder, &s->emitters[i]));
    s->counters.entered = -1;
    limit_step(s, 0);
    return FIRN_OK;
}

void mpm_emitters_free(mpm_state *s) {
    for (size_t i = 0; i < s->emitter_count; i++) mem_free(s->emitters[i].at);
    mem_free(s->emitters);
}

static firn_vec3 point_of(const mpm_emitter *e, size_t i) {
    return dvec_add(e->origin, dvec((double)e->at[i][0], (double)e->at[i][1], (double)e->at[i][2]));
}

// Range [first, end) of the n with from + n period in (after, until].
static void moments(const mpm_emitter *e, double after, double until, double *first, double *end) {
    double last = fmin(until, e->to);
    *first = fmax(0, floor((after - e->from) / e->period) - 1);
    *end = last < e->from ? 0 : floor((last - e->from) / e->period) + 1;
}

static bool is_due(const mpm_emitter *e, double moment, double after, double until) {
    return moment > after && moment <= until && moment <= e->to;
}

static firn_status enter_pieces(mpm_state *s, const mpm_emitter *e, double until) {
    double first, end;
    moments(e, s->counters.entered, until, &first, &end);
    for (double n = first; n < end; n++) {
        double moment = e->from + n * e->period;
        if (!is_due(e, moment, s->counters.entered, until)) continue;
        TRY(mpm_reserve(&s->p, s->p.count + e->count));
        firn_vec3 moved = dvec_scale(e->velocity, until - moment);
        for (size_t i = 0; i < e->count; i++)
            mpm_add_particle(s, dvec_add(point_of(e, i), moved), e->velocity, e->spin,
                             dvec_add(e->middle, moved), e->material, e->at[i]);
    }
    return FIRN_OK;
}

// Each particle of a column enters at a random time of its period and at a random place of the column's cross
// section, and has moved on since.
static firn_status enter_stream(mpm_state *s, const mpm_emitter *e, double until) {
    enum { STREAM = 0x656d6974 };
    double first, end;
    moments(e, s->counters.entered, until, &first, &end);
    for (size_t i = 0; i < e->count; i++) {
        for (double n = first; n < end; n++) {
            random4 r = random_bits(s->setting.seed, i, (uint32_t)n, STREAM + e->stream);
            double moment = e->from + (n + (double)random_unit(r, 0)) * e->period;
            if (!is_due(e, moment, s->counters.entered, until)) continue;
            TRY(mpm_reserve(&s->p, s->p.count + 1));
            firn_vec3 x = dvec_add_scaled(point_of(e, i), e->velocity, until - moment);
            x = dvec_add_scaled(x, e->side, (double)random_unit(r, 1) - 0.5);
            x = dvec_add_scaled(x, e->up, (double)random_unit(r, 2) - 0.5);
            mpm_add_particle(s, x, e->velocity, dvec(0, 0, 0), x, e->material, NULL);
        }
    }
    return FIRN_OK;
}

firn_status mpm_emit_particles(mpm_state *s, double time) {
    if (s->emitter_count == 0) return FIRN_OK;
    size_t before = s->p.count;
    for (size_t i = 0; i < s->emitter_count; i++) {
        const mpm_emitter *e = &s->emitters[i];
        TRY(e->pieces ? enter_pieces(s, e, time) : enter_stream(s, e, time));
    }
    s->counters.entered = time;
    if (s->ranks) mpm_ranks_enter(s, before);
    limit_step(s, time);
    return FIRN_OK;
}

firn_status mpm_emitter_particles(const firn_mpm_def *def, size_t emitter, const char *folder,
                                  double duration, double *particles) {
    mpm_state s = {.def = *def};
    mpm_material material[1];
    mpm_emitter e;
    s.materials = material;
    TRY(make_emitter(&s, &def->emit.items[emitter], folder, &e));
    double time = fmax(0, fmin(duration, e.to) - e.from);
    *particles = (double)e.count * (floor(time / e.period) + 1);
    mem_free(e.at);
    return FIRN_OK;
}
