// Spray, foam and bubbles: points that are only seen (Ihmsen 2012). Where neighbours of a liquid meet fast,
// air is caught; the more of it and the faster the liquid, the more points are made there. A point with few
// particles of liquid around it flies (spray), with some it drifts on the surface and fades (foam), with many
// it rises (bubbles). They have no mass and act on nothing.
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "body/body.h"
#include "par/par.h"
#include "pbd/pbd_fluid.h"
#include "pbd/pbd_kinds.h"

enum { BLOCK = 512, MOST_OF_ONE = 8 };
static const size_t MOST = 2000000;
// Of full surroundings (W of a lattice): below SPRAY it flies, above BUBBLE it is inside.
static const float SPRAY = 0.2f, BUBBLE = 0.85f;
static const float LIFE = 2.5f;                  // s, of foam
static const float RATE = 120;                   // 1/s, points of a particle in the wildest liquid
static const float BUOYANCY = 1.5f, DRAG = 0.8f; // g; share of the liquid's velocity taken over in 1/60 s

typedef struct pbd_foam_set {
    float amount, h; // m, search radius
    float full;      // sum of weights inside a liquid
    size_t count, capacity;
    float (*x)[3], (*v)[3], *life; // m, m/s, s; state
    // Of a step: the liquid, and how many points each of its particles makes.
    float (*at)[3], (*speed)[3];
    uint32_t *id;
    uint8_t *born;
    size_t liquid, liquid_capacity[4];
    neighbour_grid grid;
} foam_set;

static firn_status create(pbd *s, const firn_pbd_def *def, const body_set *bodies, void **data) {
    (void)s;
    (void)bodies;
    if (!def->fluid || !(def->fluid->foam > 0)) return FIRN_OK;
    foam_set *f = mem_zero(1, sizeof *f);
    if (!f) return fail_memory("creating foam", sizeof *f);
    f->amount = (float)def->fluid->foam;
    f->h = (float)(2 * def->fluid->spacing);
    for (int k = 0; k < 125; k++) { // neighbours in a lattice
        float d = sqrtf((float)((k % 5 - 2) * (k % 5 - 2) + (k / 5 % 5 - 2) * (k / 5 % 5 - 2) +
                                (k / 25 - 2) * (k / 25 - 2)));
        f->full += d < 2 ? 1 - d / 2 : 0;
    }
    *data = f;
    return FIRN_OK;
}

static void destroy(void *data) {
    foam_set *f = data;
    void *const lists[] = {f->x, f->v, f->life, f->at, f->speed, f->id, f->born};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) mem_free(lists[i]);
    neighbour_grid_free(&f->grid);
    mem_free(f);
}

static firn_status reserve(foam_set *f, size_t count) {
    if (count <= f->capacity) return FIRN_OK;
    size_t room = count + count / 2 + 1024;
    float(*x)[3] = mem_resize(f->x, room * sizeof *x);
    if (x) f->x = x;
    float(*v)[3] = mem_resize(f->v, room * sizeof *v);
    if (v) f->v = v;
    float *life = mem_resize(f->life, room * sizeof *life);
    if (life) f->life = life;
    if (!x || !v || !life) return fail_memory("making foam", room * sizeof *x);
    f->capacity = room;
    return FIRN_OK;
}

static firn_status take_liquid(const pbd *s, foam_set *f) {
    size_t room = s->p.count - s->p.solids;
    if (!array_reserve(&f->at, &f->liquid_capacity[0], room + 1, sizeof *f->at) ||
        !array_reserve(&f->speed, &f->liquid_capacity[1], room + 1, sizeof *f->speed) ||
        !array_reserve(&f->id, &f->liquid_capacity[2], room + 1, sizeof *f->id) ||
        !array_reserve(&f->born, &f->liquid_capacity[3], room + 1, sizeof *f->born))
        return fail_memory("making foam", room * sizeof *f->at);
    f->liquid = 0;
    for (size_t i = s->p.solids; i < s->p.count; i++) {
        firn_vec3 x = pbd_place(s, i), v = pbd_at(s->p.v[i]);
        memcpy(f->at[f->liquid], (float[3]){(float)x.x, (float)x.y, (float)x.z}, sizeof *f->at);
        memcpy(f->speed[f->liquid], (float[3]){(float)v.x, (float)v.y, (float)v.z}, sizeof *f->speed);
        f->id[f->liquid++] = s->p.id[i];
    }
    return neighbour_grid_build(&f->grid, &f->at[0][0], 3, f->liquid, (double)f->h);
}

// What the liquid around a point is like: how much there is, its mean velocity, and how fast it meets `v`.
typedef struct surroundings {
    float weight, velocity[3], meeting;
} surroundings;

static void add_near(const foam_set *f, uint32_t j, const float p[3], const float v[3], surroundings *out) {
    float d[3], w[3], r2 = 0, w2 = 0, approach = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = p[k] - f->at[j][k], w[k] = v[k] - f->speed[j][k];
        r2 += d[k] * d[k], w2 += w[k] * w[k], approach -= d[k] * w[k];
    }
    if (!(r2 < f->h * f->h)) return;
    float r = sqrtf(r2), near = 1 - r / f->h;
    out->weight += near;
    for (int k = 0; k < 3; k++) out->velocity[k] += near * f->speed[j][k];
    if (r > 0 && w2 > 0) out->meeting += near * sqrtf(w2) * (1 + approach / (r * sqrtf(w2)));
}

static surroundings look_around(const foam_set *f, const float p[3], const float v[3]) {
    surroundings out = {0};
    const neighbour_grid *g = &f->grid;
    int32_t c[3];
    for (int k = 0; k < 3; k++) c[k] = neighbour_cell(g, p[k]);
    for (int k = 0; k < 27; k++) {
        uint32_t cell = neighbour_key(g, c[0] + k % 3 - 1, c[1] + k / 3 % 3 - 1, c[2] + k / 9 - 1);
        for (uint32_t i = g->begin[cell]; i < g->end[cell]; i++) add_near(f, g->order[i], p, v, &out);
    }
    for (int k = 0; k < 3 && out.weight > 0; k++) out.velocity[k] /= out.weight;
    return out;
}

// 0 up to `low`, 1 from `high` on.
static float between(float x, float low, float high) {
    float t = (x - low) / (high - low);
    return t > 0 ? t < 1 ? t : 1 : 0;
}

typedef struct foam_work {
    pbd *s;
    foam_set *f;
    const body_set *bodies;
    float dt, gravity[3], low[3], high[3];
    uint32_t step;
} foam_work;

static random4 dice(const foam_work *w, uint32_t item, uint32_t stream) {
    return random_bits(w->s->setting.seed ^ 0xF0A3, item, w->step, stream);
}

// How many points each particle makes. Speeds are measured by that of a fall through five search radii.
static void born_block(void *context, size_t begin, size_t end) {
    const foam_work *w = context;
    const foam_set *f = w->f;
    const float *g = w->gravity;
    float pull = sqrtf(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    float usual = sqrtf(10 * fmaxf(pull, 1) * f->h);
    for (size_t i = begin; i < end; i++) {
        const float *v = f->speed[i];
        surroundings near = look_around(f, f->at[i], v);
        float air = between(near.meeting / f->full, 0.15f * usual, 0.9f * usual);
        float wild =
            between(v[0] * v[0] + v[1] * v[1] + v[2] * v[2], 0.2f * usual * usual, 2 * usual * usual);
        float n = f->amount * RATE * w->dt * air * wild + random_unit(dice(w, f->id[i], 0), 0);
        w->f->born[i] = (uint8_t)(n < MOST_OF_ONE ? n : MOST_OF_ONE);
    }
}

// In a cylinder along its particle's way of this step.
static void make_one(const foam_work *w, size_t i, uint32_t k) {
    foam_set *f = w->f;
    random4 r = dice(w, f->id[i], 1 + k), q = dice(w, f->id[i], 1 + MOST_OF_ONE + k);
    size_t n = f->count++;
    const float *v = f->speed[i];
    float speed = sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int a = 0; a < 3; a++) {
        float off = random_unit(r, a) - 0.5f;
        float x = f->at[i][a] + 0.5f * f->h * off - random_unit(r, 3) * w->dt * v[a];
        f->x[n][a] = fminf(fmaxf(x, w->low[a]), w->high[a]);
        f->v[n][a] = v[a] * (0.85f + 0.3f * random_unit(q, 3)) + 0.3f * speed * off;
    }
    f->life[n] = LIFE * (0.3f + 0.7f * random_unit(q, 0));
}

static firn_status make_all(const foam_work *w) {
    foam_set *f = w->f;
    size_t more = 0;
    for (size_t i = 0; i < f->liquid; i++) more += f->born[i];
    if (f->count + more > MOST) return FIRN_OK; // enough
    TRY(reserve(f, f->count + more));
    for (size_t i = 0; i < f->liquid; i++)
        for (uint32_t k = 0; k < f->born[i]; k++) make_one(w, i, k);
    return FIRN_OK;
}

static void move_block(void *context, size_t begin, size_t end) {
    const foam_work *w = context;
    foam_set *f = w->f;
    float dt = w->dt, drag = 1 - powf(1 - DRAG, 60 * dt);
    for (size_t i = begin; i < end; i++) {
        float *x = f->x[i], *v = f->v[i];
        surroundings near = look_around(f, x, v);
        float share = near.weight / f->full;
        bool spray = share<SPRAY, bubble = share> BUBBLE;
        for (int k = 0; k < 3; k++) {
            if (spray)
                v[k] += dt * w->gravity[k];
            else if (bubble)
                v[k] += drag * (near.velocity[k] - v[k]) - dt * BUOYANCY * w->gravity[k];
            else
                v[k] = near.velocity[k];
            x[k] += dt * v[k];
            if (x[k] < w->low[k] || x[k] > w->high[k]) v[k] = 0;
            x[k] = fminf(fmaxf(x[k], w->low[k]), w->high[k]);
        }
        f->life[i] -= spray ? 0.3f * dt : bubble ? 0.5f * dt : dt;
        if (!isfinite(x[0] + x[1] + x[2])) f->life[i] = 0;
    }
}

// Those in bodies are gone.
static void strike_block(void *context, size_t begin, size_t end) {
    const foam_work *w = context;
    float distance[BLOCK];
    for (size_t b = 0; b < body_count(w->bodies); b++) {
        body_query_packed(w->bodies, b, end - begin, &w->f->x[begin][0], distance, NULL, NULL);
        for (size_t i = begin; i < end; i++)
            if (distance[i - begin] < 0) w->f->life[i] = 0;
    }
}

static void drop_dead(foam_set *f) {
    size_t kept = 0;
    for (size_t i = 0; i < f->count; i++) {
        if (!(f->life[i] > 0)) continue;
        memcpy(f->x[kept], f->x[i], sizeof *f->x);
        memcpy(f->v[kept], f->v[i], sizeof *f->v);
        f->life[kept++] = f->life[i];
    }
    f->count = kept;
}

static firn_status finish(pbd *s, void *data, body_set *bodies, model_step step) {
    foam_set *f = data;
    const firn_vec3 g = s->setting.gravity;
    foam_work w = {.s = s,
                   .f = f,
                   .bodies = bodies,
                   .dt = (float)step.dt,
                   .gravity = {(float)g.x, (float)g.y, (float)g.z},
                   .step = (uint32_t)s->counters.steps};
    pbd_walls(s, step.time + step.dt, w.low, w.high);
    TRY(take_liquid(s, f));
    if (f->liquid == 0 && f->count == 0) return FIRN_OK;
    par_for(f->count, BLOCK, move_block, &w);
    par_for(f->liquid, BLOCK, born_block, &w);
    TRY(make_all(&w));
    par_for(f->count, BLOCK, strike_block, &w);
    drop_dead(f);
    return FIRN_OK;
}

static const foam_set *set_of(const pbd *s) { return pbd_data(s, &pbd_foam); }
FIELD_GET_IF(get_position, pbd, set_of(s), set_of(s)->count, set_of(s)->x)
FIELD_GET_IF(get_velocity, pbd, set_of(s), set_of(s)->count, set_of(s)->v)
FIELD_GET_IF(get_life, pbd, set_of(s), set_of(s)->count, set_of(s)->life)
static const field_row rows[] = {
    {"pbd.foam_position", "m", "position of spray, foam and bubbles", FIRN_F32, 3,
     FIRN_FIELD_STATE | FIRN_FIELD_SHOWN, get_position},
    {"pbd.foam_velocity", "m/s", "velocity of spray, foam and bubbles", FIRN_F32, 3,
     FIRN_FIELD_STATE | FIRN_FIELD_SHOWN, get_velocity},
    {"pbd.foam_life", "s", "how long a point of spray, foam or bubbles still lasts", FIRN_F32, 1,
     FIRN_FIELD_STATE | FIRN_FIELD_SHOWN, get_life},
};
const field_table pbd_foam_fields = FIELD_TABLE(rows);

static firn_status resize(pbd *s, void *data, const char *name, size_t count) {
    (void)s;
    (void)name;
    foam_set *f = data;
    TRY(reserve(f, count));
    f->count = count;
    return FIRN_OK;
}

const pbd_kind pbd_foam = {
    .name = "foam",
    .unit = "",
    .create = create,
    .destroy = destroy,
    .finish = finish,
    .fields = &pbd_foam_fields,
    .resize = resize,
};
