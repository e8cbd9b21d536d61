// Pins: particles held where they were when the pin came, or where a body takes them. Pins come and go while
// the world runs; what each holds is state.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "geom/shape.h"
#include "pbd/pbd_kinds.h"
#include "pbd/pbd_lanes.h"
#include "pbd/pbd_pull.h"

static const pbd_batch_names names = {"pbd.pins", "pbd.pin_place", "pbd.pin_soft", "pbd.pin_colour"};

enum { PATH_LENGTH = 96 };

// In the order of the batch.
typedef struct pin_set {
    pbd_batch *batch;
    size_t *body;     // SIZE_MAX: none; by pin, in the order of the scene
    firn_vec3 *local; // m, in the frame of the body; by particle pinned; state
    uint32_t *pin;    // by particle pinned: its pin; state
    size_t pins, count, capacity[2];
    // The reaction on bodies; NULL: no pin has one.
    uint32_t *slot; // by particle of the solids: its pinned particle; UINT32_MAX: none
    // m, by pinned particle: where the sub-step would have taken it, as its solid goes and by Euler.
    firn_vec3 (*predicted)[2];
    firn_vec3 *pull;   // N s, by pinned particle
    firn_impulse *sum; // by pin, of the step; about the world's origin
} pin_set;

static void free_reaction(pin_set *set) {
    mem_free(set->slot);
    mem_free(set->predicted);
    mem_free(set->pull);
    mem_free(set->sum);
    set->slot = NULL, set->predicted = NULL, set->pull = NULL, set->sum = NULL;
}

static void destroy(void *data) {
    pin_set *set = data;
    free_reaction(set);
    pbd_batch_destroy(set->batch);
    mem_free(set->body);
    mem_free(set->local);
    mem_free(set->pin);
    mem_free(set);
}

static firn_status find_body(const firn_pbd_pin_def *def, const body_set *bodies, size_t *body) {
    *body = SIZE_MAX;
    if (!def->body || !def->body[0]) return FIRN_OK;
    *body = bodies ? body_find(bodies, def->body) : SIZE_MAX;
    const char *name = def->name ? def->name : "pin";
    if (*body == SIZE_MAX) return fail(FIRN_BAD_INPUT, "pbd.pins.%s: there is no body '%s'", name, def->body);
    if (body_motion(bodies, *body) != FIRN_MOTION_DYNAMIC) return FIRN_OK;
    return fail(
        FIRN_BAD_INPUT,
        "pbd.pins.%s: body '%s' is dynamic; pins can only follow fixed, kinematic and keyframed bodies", name,
        def->body);
}

static firn_vec3 into_frame(const body_set *bodies, size_t body, firn_vec3 at) {
    if (body == SIZE_MAX) return at;
    firn_body_state state = body_state(bodies, body);
    return dquat_rotate_back(state.rotation, dvec_sub(at, state.position));
}

static bool make_room(pin_set *set, size_t count) {
    return array_reserve(&set->local, &set->capacity[0], count + 1, sizeof *set->local) &&
           array_reserve(&set->pin, &set->capacity[1], count + 1, sizeof *set->pin);
}

// Places are worked out in each sub-step, in the frame of the particle.
static firn_status pin_particle(pin_set *set, pbd_draft *draft, uint32_t particle, float compliance,
                                firn_vec3 local, uint32_t pin) {
    const float at[3] = {0, 0, 0};
    if (!make_room(set, set->count)) return fail_memory("pinning particles", set->count * sizeof *set->local);
    TRY(pbd_draft_add(draft, &particle, at, compliance));
    set->pin[set->count] = pin;
    set->local[set->count++] = local;
    return FIRN_OK;
}

// All particles of solids inside the shape of a pin.
static firn_status pin_inside(pbd *s, const firn_pbd_pin_def *def, const shape *form, float compliance,
                              const body_set *bodies, pin_set *set, pbd_draft *draft) {
    firn_quat turn = dquat_from_angles(def->where.rotate);
    for (size_t i = 0; i < s->p.solids; i++) {
        firn_vec3 at = pbd_place(s, i);
        firn_vec3 local = dquat_rotate_back(turn, dvec_sub(at, def->where.at));
        if (shape_sdf(form, local, NULL) > 0) continue;
        TRY(pin_particle(set, draft, (uint32_t)i, compliance, into_frame(bodies, set->body[set->pins], at),
                         (uint32_t)set->pins));
    }
    return FIRN_OK;
}

static firn_status add_pin(pbd *s, const firn_pbd_def *all, size_t number, const body_set *bodies,
                           pin_set *set, pbd_draft *draft) {
    const firn_pbd_pin_def *def = &all->pins.items[number];
    char path[PATH_LENGTH];
    shape *form;
    snprintf(path, sizeof path, "pbd.pins.%s", def->name ? def->name : "pin");
    TRY(find_body(def, bodies, &set->body[set->pins]));
    TRY(shape_create(&def->where.shape, def->where.scale, s->setting.folder, path, &form));
    float compliance = (float)pbd_compliance(all, def->stiffness, def->plain_stiffness);
    size_t before = set->count;
    firn_status status = pin_inside(s, def, form, compliance, bodies, set, draft);
    shape_destroy(form);
    TRY(status);
    if (set->count == before)
        return fail(FIRN_BAD_INPUT, "%s: no particle of a solid is inside its shape", path);
    set->pins++;
    return FIRN_OK;
}

static firn_status make_batch(const pbd *s, const pbd_draft *draft, pin_set *set) {
    TRY(pbd_batch_make(PBD_PICK_LANES(pbd_pin_lanes), draft, "pin", s->p.solids, &set->batch));
    // Colouring may have put a particle's second pin behind others.
    return set->batch->colours <= 1
               ? FIRN_OK
               : fail(FIRN_BAD_INPUT, "pbd.pins: a particle is inside the shapes of two pins");
}

static firn_status make(pbd *s, const firn_pbd_def *def, const body_set *bodies, pin_set *set) {
    pbd_draft draft = {.arity = 1, .params = 3};
    firn_status status = FIRN_OK;
    set->body = mem_zero(def->pins.count, sizeof *set->body);
    if (!set->body) return fail_memory("pinning particles", def->pins.count * sizeof *set->body);
    for (size_t k = 0; k < def->pins.count && status == FIRN_OK; k++)
        status = add_pin(s, def, k, bodies, set, &draft);
    if (status == FIRN_OK) status = make_batch(s, &draft, set);
    pbd_draft_free(&draft);
    return status;
}

static void list_slots(const pbd *s, pin_set *set) {
    for (size_t i = 0; i < s->p.solids; i++) set->slot[i] = UINT32_MAX;
    for (size_t k = 0; k < set->count; k++)
        if (set->body[set->pin[k]] != SIZE_MAX) set->slot[set->batch->particle[k]] = (uint32_t)k;
}

static firn_status prepare_reaction(const pbd *s, pin_set *set) {
    bool any = false;
    free_reaction(set);
    for (size_t k = 0; k < set->pins; k++) any |= set->body[k] != SIZE_MAX;
    if (!any) return FIRN_OK;
    set->slot = mem_zero(s->p.solids + 1, sizeof *set->slot);
    set->predicted = mem_zero(set->count + 1, sizeof *set->predicted);
    set->pull = mem_zero(set->count + 1, sizeof *set->pull);
    set->sum = mem_zero(set->pins, sizeof *set->sum);
    if (!set->slot || !set->predicted || !set->pull || !set->sum)
        return fail_memory("pinning particles", s->p.solids * sizeof *set->slot);
    list_slots(s, set);
    return FIRN_OK;
}

static firn_status create(pbd *s, const firn_pbd_def *def, const body_set *bodies, void **data) {
    if (def->pins.count == 0) return FIRN_OK;
    pin_set *set = mem_zero(1, sizeof *set);
    if (!set) return fail_memory("pinning particles", sizeof *set);
    *data = set;
    TRY(make(s, def, bodies, set));
    return prepare_reaction(s, set);
}

static void changed(pbd *s, void *data, const firn_pbd_def *def, const model_setting *setting) {
    (void)s;
    pin_set *set = data;
    for (size_t k = 0; !setting->loading && k < set->count; k++) {
        const firn_pbd_pin_def *pin = &def->pins.items[set->pin[k]];
        set->batch->compliance[k] = (float)pbd_compliance(def, pin->stiffness, pin->plain_stiffness);
    }
}

static bool is_soft(const pbd_batch *b, const pbd_pass *pass, size_t k) {
    return pass->plain ? b->compliance[k] < 1 : b->compliance[k] > 0;
}

// Rigid: infinite mass, so that one iteration is enough for everything attached to it.
static void hold_rigidly(pbd *s, const pbd_batch *b, const pbd_pass *pass) {
    for (size_t k = 0; k < b->count; k++) {
        if (is_soft(b, pass, k)) continue;
        float *q = s->p.q[b->particle[k]];
        for (size_t a = 0; a < 3; a++) q[a] = b->rest[a * b->count + k];
        q[3] = 0;
    }
}

// Positions of the pins on their bodies at the end of the sub-step.
static firn_status find(pbd *s, void *data, const pbd_pass *pass) {
    pin_set *set = data;
    pbd_batch *b = set->batch;
    for (size_t k = 0; k < set->count; k++) {
        size_t body = set->body[set->pin[k]];
        firn_vec3 at = set->local[k];
        if (body != SIZE_MAX) {
            firn_body_state state = body_state(pass->bodies, body);
            firn_vec3 end = dvec_add(state.position, dquat_rotate(state.rotation, at));
            at = dvec_add_scaled(end, body_velocity_at(pass->bodies, body, end), -pass->left);
        }
        at = dvec_sub(at, pbd_origin(s, b->particle[k]));
        b->rest[k] = (float)at.x, b->rest[b->count + k] = (float)at.y,
        b->rest[2 * b->count + k] = (float)at.z;
    }
    for (size_t k = 0; set->slot && k < set->count; k++)
        for (int euler = 0; euler < 2; euler++) {
            float motion[3];
            pbd_free_motion(s, pass->dt, b->particle[k], euler, motion);
            set->predicted[k][euler] = dvec_add(pbd_at(s->p.x[b->particle[k]]), pbd_at(motion));
        }
    hold_rigidly(s, b, pass);
    return pbd_batch_find(s, b, pass);
}

// On the body of a pinned particle, N s.
static firn_vec3 reaction_of(const pbd *s, const pin_set *set, const pbd_pass *pass, size_t k) {
    const pbd_batch *b = set->batch;
    uint32_t i = b->particle[k];
    firn_vec3 at = pbd_at(s->p.q[i]);
    if (is_soft(b, pass, k)) { // the multiplier is what pulled at the particle
        firn_vec3 place =
            dvec((double)b->rest[k], (double)b->rest[b->count + k], (double)b->rest[2 * b->count + k]);
        return dvec_scale(dvec_normalise(dvec_sub(at, place)), -(double)b->lambda[k] / pass->dt);
    }
    // What held it rigidly is what moved it from where it would have gone, less what the solid did to it: the
    // body has the solid's pull, and the particle's own weight and inertia.
    const pbd_group *g = &s->groups[s->p.group[i]];
    double mass = 1 / (double)(g->way.span * g->way.span * g->inverse_mass);
    return dvec_add_scaled(set->pull[k], dvec_sub(at, set->predicted[k][g->way.carry == 0]),
                           -mass / pass->dt);
}

static firn_status velocities(pbd *s, void *data, const pbd_pass *pass) {
    pin_set *set = data;
    if (!set->slot) return FIRN_OK;
    memset(set->pull, 0, set->count * sizeof *set->pull);
    pbd_add_pulls(s, pass, set->slot, set->pull);
    for (size_t k = 0; k < set->count; k++) {
        if (set->body[set->pin[k]] == SIZE_MAX) continue;
        uint32_t i = set->batch->particle[k];
        firn_vec3 at =
            dvec_sub(pbd_world(s, i, s->p.q[i]), body_state(pass->bodies, set->body[set->pin[k]]).position);
        firn_vec3 impulse = reaction_of(s, set, pass, k);
        firn_impulse *sum = &set->sum[set->pin[k]];
        sum->impulse = dvec_add(sum->impulse, impulse);
        sum->angular = dvec_add(sum->angular, dvec_cross(at, impulse));
    }
    return FIRN_OK;
}

static firn_status finish(pbd *s, void *data, body_set *bodies, model_step step) {
    (void)s;
    (void)step;
    pin_set *set = data;
    for (size_t k = 0; set->slot && k < set->pins; k++) {
        if (set->body[k] == SIZE_MAX) continue;
        body_add_impulses(bodies, set->body[k], set->sum[k].impulse, set->sum[k].angular,
                          body_state(bodies, set->body[k]).position);
        set->sum[k] = (firn_impulse){0};
    }
    return FIRN_OK;
}

static void count_constraints(pbd *s, void *data) {
    pbd_batch_count_constraints(s, ((pin_set *)data)->batch);
}
static void project(pbd *s, void *data, const pbd_pass *pass) {
    pbd_batch_project(s, ((pin_set *)data)->batch, pass);
}
static void jacobi(pbd *s, void *data, const pbd_pass *pass) {
    pbd_batch_jacobi(s, ((pin_set *)data)->batch, pass);
}
static void residual(pbd *s, void *data, const pbd_pass *pass, pbd_residual *out) {
    pbd_batch_residual(s, ((pin_set *)data)->batch, pass, out);
}

static const pbd_batch *batch_of(const pbd *s) {
    const pin_set *set = pbd_data(s, &pbd_pin);
    return set ? set->batch : NULL;
}

PBD_BATCH_GETTERS(batch_of)
static const pin_set *set_of(const pbd *s) { return pbd_data(s, &pbd_pin); }
FIELD_GET_IF(get_local, pbd, set_of(s), set_of(s)->count, set_of(s)->local)
FIELD_GET_IF(get_number, pbd, set_of(s), set_of(s)->count, set_of(s)->pin)

static const field_row rows[] = {
    PBD_BATCH_ROWS("pbd.pins", "pbd.pin_place", "pbd.pin_soft", "pbd.pin_colour", "m",
                   "positions of the pins in the last sub-step, near their particles: x of all, y, z"),
    {"pbd.pin_local", "m",
     "where a pin holds each of its particles, in the frame of its body or in the world", FIRN_F64, 3,
     FIRN_FIELD_STATE, get_local},
    {"pbd.pin_number", "", "which pin holds each of the particles, in the order of the scene", FIRN_U32, 1,
     FIRN_FIELD_STATE, get_number},
};
const field_table pbd_pin_fields = FIELD_TABLE(rows);

static firn_status resize(pbd *s, void *data, const char *name, size_t count) {
    (void)s;
    pin_set *set = data;
    if (strcmp(name, "pbd.pin_local") != 0 && strcmp(name, "pbd.pin_number") != 0)
        return pbd_batch_resize(set->batch, &names, name, count);
    if (!make_room(set, count)) return fail_memory("loading pins", count * sizeof *set->local);
    set->count = count;
    return FIRN_OK;
}

static firn_status loaded(pbd *s, void *data) {
    pin_set *set = data;
    if (set->batch->count != set->count)
        return fail(FIRN_BAD_INPUT, "fields 'pbd.pins' hold %zu pins instead of %zu", set->batch->count,
                    set->count);
    for (size_t k = 0; k < set->count; k++)
        if (set->pin[k] >= set->pins)
            return fail(FIRN_BAD_INPUT, "field 'pbd.pin_number' names pin %u, but there are only %zu",
                        set->pin[k], set->pins);
    TRY(pbd_batch_loaded(set->batch, &names, s->p.solids));
    return prepare_reaction(s, set);
}

// ---- while the world runs

// What the pins of `old` hold, but for what has gone with a solid; room for `pins` of them.
static firn_status take_over(const pin_set *old, const pbd_solid_change *change, size_t pins, pin_set *set,
                             pbd_draft *draft) {
    set->body = mem_zero(pins, sizeof *set->body);
    if (!set->body || !make_room(set, 0)) return fail_memory("pinning particles", pins * sizeof *set->body);
    if (!old) return FIRN_OK;
    const pbd_batch *b = old->batch;
    memcpy(set->body, old->body, old->pins * sizeof *set->body);
    set->pins = old->pins;
    for (size_t k = 0; k < old->count; k++) {
        uint32_t i = pbd_new_number(change, b->particle[k]);
        if (i != UINT32_MAX) TRY(pin_particle(set, draft, i, b->compliance[k], old->local[k], old->pin[k]));
    }
    return FIRN_OK;
}

static firn_status add_or_register(pbd *s, const firn_pbd_def *def, const model_item *item, pin_set *set,
                                   pbd_draft *draft) {
    if (!s->setting.loading) return add_pin(s, def, item->number, item->bodies, set, draft);
    return find_body(&def->pins.items[item->number], item->bodies, &set->body[set->pins++]);
}

// Replaces *data by what it holds now, and the new item, if there is one.
static firn_status renew(pbd *s, const firn_pbd_def *def, const pbd_solid_change *change,
                         const model_item *item, void **data) {
    const pin_set *old = *data;
    pin_set *set = mem_zero(1, sizeof *set);
    pbd_draft draft = {.arity = 1, .params = 3};
    *data = set;
    if (!set) return fail_memory("pinning particles", sizeof *set);
    firn_status status = take_over(old, change, (old ? old->pins : 0) + 1, set, &draft);
    if (status == FIRN_OK && item) status = add_or_register(s, def, item, set, &draft);
    if (status == FIRN_OK) status = make_batch(s, &draft, set);
    pbd_draft_free(&draft);
    return status == FIRN_OK ? prepare_reaction(s, set) : status;
}

static firn_status remake(pbd *s, const firn_pbd_def *def, const pbd_solid_change *change, void **data) {
    return *data ? renew(s, def, change, NULL, data) : FIRN_OK;
}

static firn_status add(pbd *s, void **data, const firn_pbd_def *def, const model_item *item) {
    const pbd_solid_change none = {0};
    void *set = *data;
    firn_status status = renew(s, def, &none, item, &set);
    void *unused = status == FIRN_OK ? *data : set;
    if (status == FIRN_OK) *data = set;
    if (unused) destroy(unused);
    return status;
}

static firn_status take_out(pbd *s, void *data, size_t number) {
    pin_set *set = data;
    size_t kept = 0;
    for (size_t k = 0; k < set->count; k++) {
        set->batch->error[k] = set->pin[k] == number;
        if (set->pin[k] == number) continue;
        set->local[kept] = set->local[k];
        set->pin[kept++] = set->pin[k];
    }
    pbd_batch_drop(set->batch);
    set->count = kept;
    set->body[number] = SIZE_MAX;
    if (set->slot) list_slots(s, set);
    return FIRN_OK;
}

const pbd_kind pbd_pin = {
    .name = "pin",
    .unit = "m",
    .create = create,
    .destroy = destroy,
    .changed = changed,
    .find = find,
    .count_constraints = count_constraints,
    .project = project,
    .jacobi = jacobi,
    .residual = residual,
    .velocities = velocities,
    .finish = finish,
    .fields = &pbd_pin_fields,
    .resize = resize,
    .loaded = loaded,
    .list = "pbd.pins",
    .add = add,
    .take_out = take_out,
    .remake = remake,
};
