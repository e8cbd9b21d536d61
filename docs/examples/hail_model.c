/* A model that firn does not have: hailstones. They fall with quadratic drag, bounce off bodies and push
   them. After firn_register_model a scene may have a section `hail`; everything else (messages, hashes,
   checkpoints, frames, pictures, live parameters) follows from the tables below.

   cc hail_model.c $(pkg-config --cflags --libs firn) -lm && ./a.out */
#include <firn/firn.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the parameters: a struct, and a table that describes it */

typedef struct hail_def {
    int32_t stones;
    double radius, density; /* m, kg/m3 */
    double terminal_speed;  /* m/s, in still air under the gravity of the earth */
    double restitution;
    firn_vec3 at, size, velocity; /* of the box that they start in, m; m/s */
} hail_def;

static const firn_param_row rows[] = {
    {.name = "stones",
     .type = FIRN_PARAM_INT,
     .offset = offsetof(hail_def, stones),
     .fallback = "100",
     .min = 1,
     .max = 1e6,
     .help = "number of hailstones"},
    {.name = "radius",
     .type = FIRN_PARAM_REAL,
     .offset = offsetof(hail_def, radius),
     .unit = FIRN_DIM_LENGTH,
     .fallback = "1 cm",
     .min = 1e-4,
     .max = 1,
     .help = "of a hailstone"},
    {.name = "density",
     .type = FIRN_PARAM_REAL,
     .offset = offsetof(hail_def, density),
     .unit = FIRN_DIM_DENSITY,
     .fallback = "900 kg/m3",
     .min = 100,
     .max = 1000,
     .help = "of the ice"},
    {.name = "terminal_speed",
     .type = FIRN_PARAM_REAL,
     .offset = offsetof(hail_def, terminal_speed),
     .unit = FIRN_DIM_VELOCITY,
     .fallback = "20 m/s",
     .min = 0.1,
     .max = 100,
     .live = true,
     .help = "how fast it falls in still air after a long time"},
    {.name = "restitution",
     .type = FIRN_PARAM_REAL,
     .offset = offsetof(hail_def, restitution),
     .fallback = "0.4",
     .min = 0,
     .max = 1,
     .help = "part of the speed that is left after it bounces"},
    {.name = "at",
     .type = FIRN_PARAM_VEC3,
     .offset = offsetof(hail_def, at),
     .unit = FIRN_DIM_LENGTH,
     .fallback = "[0, 10, 0]",
     .min = -1e5,
     .max = 1e5,
     .help = "middle of the box in which the stones start"},
    {.name = "size",
     .type = FIRN_PARAM_VEC3,
     .offset = offsetof(hail_def, size),
     .unit = FIRN_DIM_LENGTH,
     .fallback = "[2, 2, 2]",
     .min = 0,
     .max = 1e4,
     .help = "of that box"},
    {.name = "velocity",
     .type = FIRN_PARAM_VEC3,
     .offset = offsetof(hail_def, velocity),
     .unit = FIRN_DIM_VELOCITY,
     .fallback = "[0, 0, 0]",
     .min = -100,
     .max = 100,
     .help = "of the stones at the start"},
    {0},
};
static const firn_param_table hail_params = {
    .name = "hail", .help = "hailstones", .rows = rows, .size = sizeof(hail_def)};

/* ---- the state */

#define EARTH 9.81 /* m/s2 */

typedef struct hail {
    hail_def def;
    firn_vec3 gravity;
    double mass; /* kg, of a stone */
    size_t count;
    float (*position)[3], (*velocity)[3];
    double bounces;
} hail;

static void destroy(void *model) {
    hail *h = model;
    if (!h) return;
    free(h->position);
    free(h->velocity);
    free(h);
}

static firn_status make_room(hail *h, size_t count) {
    float(*position)[3] = realloc(h->position, (count + 1) * sizeof *position);
    if (position) h->position = position;
    float(*velocity)[3] = realloc(h->velocity, (count + 1) * sizeof *velocity);
    if (velocity) h->velocity = velocity;
    if (!position || !velocity) return firn_fail(FIRN_NO_MEMORY, "hail: out of memory for %zu stones", count);
    h->count = count;
    return FIRN_OK;
}

/* The same numbers in every run: a function of the seed and the stone alone. */
static double number_of(uint64_t seed, uint64_t stone, uint64_t axis) {
    uint64_t z = (seed * 1000003 + stone * 3 + axis + 1) * 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0 - 0.5;
}

static void set_def(hail *h, const hail_def *def, const firn_model_setting *setting) {
    h->def = *def;
    h->gravity = setting->gravity;
    h->mass = def->density * 4.0 / 3 * 3.14159265358979323846 * pow(def->radius, 3);
}

static firn_status create(const void *params, const firn_model_setting *setting, const firn_body_set *bodies,
                          void **model) {
    const hail_def *def = params;
    hail *h = calloc(1, sizeof *h);
    (void)bodies;
    if (!h) return firn_fail(FIRN_NO_MEMORY, "hail: out of memory");
    set_def(h, def, setting);
    /* A world that only displays frames gets its stones from them. */
    firn_status status = make_room(h, setting->for_frames ? 0 : (size_t)def->stones);
    if (status != FIRN_OK) {
        destroy(h);
        return status;
    }
    const double at[3] = {def->at.x, def->at.y, def->at.z}, size[3] = {def->size.x, def->size.y, def->size.z},
                 v[3] = {def->velocity.x, def->velocity.y, def->velocity.z};
    for (size_t i = 0; i < h->count; i++)
        for (size_t a = 0; a < 3; a++) {
            h->position[i][a] = (float)(at[a] + size[a] * number_of(setting->seed, i, a));
            h->velocity[i][a] = (float)v[a];
        }
    *model = h;
    return FIRN_OK;
}

static void changed(void *model, const void *params, const firn_model_setting *setting) {
    set_def(model, params, setting);
}

/* ---- a step */

static firn_vec3 vec(const float v[3]) { return (firn_vec3){v[0], v[1], v[2]}; }
static firn_vec3 add(firn_vec3 a, firn_vec3 b, double s) {
    return (firn_vec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}
static double dot(firn_vec3 a, firn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* Drag of g |v| v / vt^2 balances the weight at vt. */
static firn_vec3 accelerate(const hail *h, firn_vec3 v, double dt) {
    double k = EARTH / (h->def.terminal_speed * h->def.terminal_speed), speed = sqrt(dot(v, v));
    if (dot(h->gravity, h->gravity) == 0) k = 0; /* no weight, no air */
    firn_vec3 faster = add(v, h->gravity, dt);
    double keep = 1 / (1 + dt * k * speed); /* implicit: stable at any step */
    return (firn_vec3){keep * faster.x, keep * faster.y, keep * faster.z};
}

/* The first body on the way stops the stone at its surface; what it loses, the body gets. */
static firn_status bounce(hail *h, firn_body_set *bodies, firn_vec3 from, firn_vec3 *to, firn_vec3 *v) {
    firn_body_hit first = {.t = 2}, hit;
    size_t body = 0;
    for (size_t b = 0; b < firn_body_set_count(bodies); b++) {
        bool found;
        firn_status status = firn_body_set_sweep(bodies, b, from, *to, h->def.radius, &found, &hit);
        if (status != FIRN_OK) return status;
        if (found && hit.t < first.t) first = hit, body = b;
    }
    if (first.t > 1) return FIRN_OK;
    firn_vec3 n = first.normal, foot = add(first.carried, n, -h->def.radius);
    const float point[3] = {(float)foot.x, (float)foot.y, (float)foot.z};
    float moves[3];
    firn_status status = firn_body_set_query(bodies, body, 1, point, NULL, NULL, moves);
    double closing = dot(add(*v, vec(moves), -1), n);
    *to = first.carried;
    if (status != FIRN_OK || closing >= 0) return status;
    double impulse = -(1 + h->def.restitution) * closing * h->mass;
    *v = add(*v, n, impulse / h->mass);
    h->bounces++;
    return firn_body_set_push(bodies, body, (firn_vec3){-impulse * n.x, -impulse * n.y, -impulse * n.z},
                              foot);
}

static firn_status step(void *model, firn_body_set *bodies, firn_model_step now) {
    hail *h = model;
    for (size_t i = 0; i < h->count; i++) {
        firn_vec3 from = vec(h->position[i]), v = accelerate(h, vec(h->velocity[i]), now.dt);
        firn_vec3 to = add(from, v, now.dt);
        firn_status status = bounce(h, bodies, from, &to, &v);
        if (status != FIRN_OK) return status;
        h->position[i][0] = (float)to.x, h->position[i][1] = (float)to.y, h->position[i][2] = (float)to.z;
        h->velocity[i][0] = (float)v.x, h->velocity[i][1] = (float)v.y, h->velocity[i][2] = (float)v.z;
    }
    return FIRN_OK;
}

/* ---- what can be written, drawn and hashed */

static firn_field_span get_position(const void *model) {
    const hail *h = model;
    return (firn_field_span){.data = h->position, .count = h->count};
}
static firn_field_span get_velocity(const void *model) {
    const hail *h = model;
    return (firn_field_span){.data = h->velocity, .count = h->count};
}
static firn_field_span get_bounces(const void *model) {
    return (firn_field_span){.data = &((hail *)model)->bounces, .count = 1};
}
enum { BOTH = FIRN_FIELD_STATE | FIRN_FIELD_SHOWN };
static const firn_field_row field_rows[] = {
    {"hail.position", "m", "centre of the stone", FIRN_F32, 3, BOTH, get_position},
    {"hail.velocity", "m/s", "of the stone", FIRN_F32, 3, BOTH, get_velocity},
    {"hail.bounces", "", "bounces of all stones so far", FIRN_F64, 1, FIRN_FIELD_STATE, get_bounces},
};
static const firn_field_table fields = {field_rows, sizeof field_rows / sizeof *field_rows};
static const firn_field_table *const field_tables[] = {&fields, NULL};

static firn_status resize(void *model, const char *name, size_t count) {
    hail *h = model;
    if (strcmp(name, "hail.bounces") == 0)
        return count == 1 ? FIRN_OK : firn_fail(FIRN_BAD_INPUT, "hail.bounces is one number, not %zu", count);
    return make_room(h, count);
}

static void ledger(const void *model, firn_ledger *out) {
    const hail *h = model;
    out->items = h->count;
    out->mass = out->mass_in = h->mass * (double)h->count;
    for (size_t i = 0; i < h->count; i++) {
        firn_vec3 v = vec(h->velocity[i]), x = vec(h->position[i]);
        out->momentum = add(out->momentum, v, h->mass);
        out->kinetic += 0.5 * h->mass * dot(v, v);
        out->potential -= h->mass * dot(h->gravity, x);
        out->max_speed = fmax(out->max_speed, sqrt(dot(v, v)));
    }
}

static void get_series(const void *model, double *values) { values[0] = ((const hail *)model)->bounces; }
static const firn_series_row series_rows[] = {{"bounces so far", "", "", "of all stones, since the start"}};
static const firn_series_table series = {series_rows, 1, NULL, get_series};
static const firn_series_table *const series_tables[] = {&series, NULL};

static firn_look look(const void *model, size_t number) {
    (void)number;
    return (firn_look){
        .kind = FIRN_LOOK_SPHERES, .radius = ((const hail *)model)->def.radius, .color = {0.75, 0.85, 0.95}};
}
static const firn_drawing drawing = {.position = "hail.position", .velocity = "hail.velocity", .look = look};

static const firn_model_class hail_model = {
    .name = "hail",
    .help = "hailstones that fall through the air, bounce off bodies and push them",
    .params = &hail_params,
    .create = create,
    .destroy = destroy,
    .changed = changed,
    .step = step,
    .fields = field_tables,
    .resize = resize,
    .ledger = ledger,
    .series = series_tables,
    .drawing = &drawing,
};

/* ---- does it work? */

static void need(bool good, const char *what) {
    if (good) return;
    fprintf(stderr, "hail: %s (%s)\n", what, firn_last_error());
    exit(1);
}

static firn_ledger hail_ledger(const firn_world *world) {
    for (size_t i = 0; i < firn_world_ledger_count(world); i++) {
        firn_ledger l = firn_world_ledger(world, i);
        if (strcmp(l.model, "hail") == 0) return l;
    }
    need(false, "the world has no hail");
    return (firn_ledger){0};
}

/* Free fall with quadratic drag: v = vt tanh(g t / vt). */
static void falls_as_it_should(void) {
    firn_world *world;
    const char *scene = "firn: 1\n"
                        "bodies: {ground: {shape: plane}}\n"
                        "hail: {stones: 20, terminal_speed: 15 m/s, at: [0, 200 m, 0]}\n"
                        "max_step: 1 ms\n";
    need(firn_world_open_text(scene, "falling", &world) == FIRN_OK, "no world");
    need(firn_world_advance(world, 2) == FIRN_OK, "it does not step");
    double expected = 15 * tanh(EARTH * 2 / 15), speed = hail_ledger(world).max_speed;
    printf("after 2 s: %.3f m/s, should be %.3f\n", speed, expected);
    need(fabs(speed - expected) < 0.005 * expected, "the speed is wrong");
    need(firn_world_set(world, "hail.terminal_speed", 5) == FIRN_OK, "a live parameter cannot be set");
    need(firn_world_advance(world, 5) == FIRN_OK, "it does not step");
    need(fabs(hail_ledger(world).max_speed - 5) < 0.05, "the new terminal speed is not reached");
    firn_world_close(world);
}

/* Without weight and air: what the stones lose, the plate gets. Made without a scene file. */
static void hands_momentum_to_bodies(void) {
    hail_def hail_section;
    need(firn_param_defaults(&hail_params, &hail_section) == FIRN_OK, "no defaults");
    hail_section.stones = 50;
    hail_section.at = (firn_vec3){0, 2, 0};
    hail_section.size = (firn_vec3){0.5, 1, 0.5};
    hail_section.velocity = (firn_vec3){0, -8, 0};
    firn_body_def plate = firn_body_def_default();
    plate.name = "plate";
    plate.shape = (firn_shape_def){.kind = FIRN_SHAPE_BOX, .size = {2, 0.1, 2}};
    plate.motion.kind = FIRN_MOTION_DYNAMIC;
    plate.density = 500;
    firn_world_def def = firn_world_def_default();
    def.gravity = (firn_vec3){0, 0, 0};
    def.bodies.items = &plate;
    def.bodies.count = 1;
    need(firn_world_def_extend(&def, "hail", &hail_section) == FIRN_OK, "the world cannot have hail");
    firn_world *world;
    need(firn_world_create(&def, &world) == FIRN_OK, "no world");
    double before = hail_ledger(world).momentum.y;
    need(firn_world_advance(world, 0.6) == FIRN_OK, "it does not step");
    firn_body_state b = firn_world_body_state(world, 0);
    double after = hail_ledger(world).momentum.y + b.mass * b.velocity.y;
    printf("momentum %.6f N s before, %.6f after; the plate moves at %.4f m/s\n", before, after,
           b.velocity.y);
    need(b.velocity.y < -0.01, "the plate was not hit");
    need(fabs(after - before) < 1e-4 * fabs(before), "momentum is lost");
    firn_world_close(world);
}

/* The same bits after going back. */
static void goes_on_after_a_load(void) {
    firn_world *world;
    const char *scene =
        "firn: 1\n"
        "bodies: {ground: {shape: plane}, ball: {shape: sphere, at: [0, 0.5, 0], motion: dynamic}}\n"
        "hail: {stones: 200, at: [0, 3, 0]}\n";
    void *data;
    size_t bytes;
    need(firn_world_open_text(scene, "loading", &world) == FIRN_OK, "no world");
    need(firn_world_advance(world, 0.5) == FIRN_OK, "it does not step");
    need(firn_world_save(world, &data, &bytes) == FIRN_OK, "it cannot be saved");
    need(firn_world_advance(world, 0.5) == FIRN_OK, "it does not step");
    uint64_t hash = firn_world_hash(world);
    need(firn_world_load(world, data, bytes) == FIRN_OK, "it cannot be loaded");
    need(firn_world_hash(world) != hash, "the hash does not know the stones");
    need(firn_world_advance(world, 0.5) == FIRN_OK, "it does not step");
    need(firn_world_hash(world) == hash, "it goes another way after a load");
    need(firn_world_series_at(world, firn_world_series_count(world) - 1).value > 50, "too few bounces");
    firn_data_free(data);
    firn_world_close(world);
}

/* Mistakes in the section are reported like those in others. */
static void tells_mistakes(void) {
    firn_world *world;
    const char *scene = "firn: 1\nhail: {stones: 0, radus: 1 cm}\n";
    need(firn_world_open_text(scene, "wrong", &world) == FIRN_BAD_INPUT, "a wrong scene is accepted");
    need(strstr(firn_last_error(), "wrong:2:16: hail.stones must be") != NULL, "the place is not told");
    need(strstr(firn_last_error(), "did you mean 'radius'?") != NULL, "the word is not told");
    need(firn_register_model(&hail_model) == FIRN_BAD_INPUT, "a model can be registered twice");
}

int main(void) {
    need(firn_register_model(&hail_model) == FIRN_OK, "it cannot be registered");
    falls_as_it_should();
    hands_momentum_to_bodies();
    goes_on_after_a_load();
    tells_mistakes();
    puts("hail works");
    return 0;
}
