// Every coupling of the table, in a small scene of its own: the models meet, no mass is lost, what one loses
// of mass, momentum and heat the other gains, bits hold over threads and over restarts before and after they
// have met, and switched off each is what it is alone. What they pass, and by which law, is in
// test_couple_*.c. firn-test: threaded
#include "couples.h"
#include "snowfield/snowfield_state.h"
#include "wind/winds.h"

#include "world/couple.h"

// All clocks are equal, so that models differ only by what others do to them.
#define HEAD "firn: 1\nfps: 50\nduration: 9 s\nmax_step: 0.1 ms\n"
enum { STEPS = 160 }; // 16 ms

// A model as the first of a pair, which comes from above, and as the second.
typedef struct part {
    const char *model, *above, *below;
} part;
static const part parts[] = {
    {"bodies", NULL,
     "bodies: {ball: {shape: {sphere: {radius: 20 cm}}, at: [0, 0.5, 0], motion: dynamic, density: 50}}\n"},
    {"grains",
     "grains: {radius: 1 cm, drag: 0, fill: {hail: {shape: {box: {size: [9 cm, 4 cm, 9 cm]}}, at: [0, 0.335, "
     "0], spacing: 3 cm, velocity: [0, -3, 0]}}}\n",
     NULL},
    {"mpm",
     "mpm: {cell: 5 cm, snow: {ball: {shape: {box: {size: [10 cm, 10 cm, 10 cm]}}, at: [0, 0.37, 0], type: "
     "packed, velocity: [0, -3, 0]}}}\n",
     "mpm: {cell: 5 cm, snow: {bed: {shape: {box: {size: [20 cm, 10 cm, 20 cm]}}, at: [0, 0.25, 0], type: "
     "packed}}}\n"},
    {"field", NULL, "field: {width: 1 m, length: 1 m, cell: 5 cm, depth: 30 cm, snow: fresh}\n"},
    {"wind",
     "wind: {cell: 25 cm, grid: [12, 8, 12], inflow: {profile: uniform, turbulence: 0, speed: 12 m/s}}\n"
     "flakes: {shown: 500}\n",
     NULL},
    {"pbd",
     "pbd: {solids: {cube: {shape: {box: {size: [12 cm, 12 cm, 12 cm]}}, at: [0, 0.37, 0], spacing: 3 cm, "
     "density: 300, velocity: [0, -3, 0]}}}\n",
     "pbd: {solids: {cube: {shape: {box: {size: [12 cm, 12 cm, 12 cm]}}, at: [0, 0.24, 0], spacing: 3 cm, "
     "density: 300}}}\n"},
    {"phase",
     "phase: {mass: 10 g, snow: {lump: {shape: {box: {size: [12 cm, 12 cm, 12 cm]}}, at: [0, 0.37, 0], "
     "temperature: -5 C, type: packed, velocity: [0, -3, 0]}}}\n",
     "phase: {mass: 10 g, snow: {lump: {shape: {box: {size: [12 cm, 12 cm, 12 cm]}}, at: [0, 0.24, 0], "
     "temperature: -5 C, type: packed}}}\n"},
};

static const char *words_of(const char *model, bool above) {
    for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
        if (strcmp(parts[k].model, model) == 0)
            return above            ? parts[k].above ? parts[k].above : parts[k].below
                   : parts[k].below ? parts[k].below
                                    : parts[k].above;
    fail_msg("a scene for '%s' is missing here", model);
    return NULL;
}

// The cover and the field share their air and their flakes: test_cover_and_field.c has all of this.
static bool is_elsewhere(const coupling_class *kind) { return strcmp(kind->name, "cover_field") == 0; }

enum { WORDS = 2000 };
static void pair_words(const coupling_class *kind, bool on, char *out) {
    snprintf(out, WORDS, HEAD "%s%s%s%s%s", words_of(kind->a->name, true), words_of(kind->b->name, false),
             on ? "" : "coupling: {", on ? "" : kind->name, on ? "" : ": {on: no}}\n");
}

static void run(firn_world *world) {
    for (int step = 0; step < STEPS; step++)
        if (firn_world_step(world) != FIRN_OK) fail_msg("%s", firn_last_error());
}

static bool has_passed(const firn_world *world, const char *name) {
    firn_coupling c = coupling_of(world, name);
    return c.mass != 0 || c.heat != 0 || c.impulse.x != 0 || c.impulse.y != 0 || c.impulse.z != 0;
}

static void check_ledgers(const firn_world *world, const char *name) {
    for (size_t k = 1; k < firn_world_ledger_count(world); k++) {
        firn_ledger l = firn_world_ledger(world, k);
        if (!(fabs(l.mass - (l.mass_in - l.mass_out)) <= 1e-12 * fmax(l.mass_in, 1e-3)))
            fail_msg("%s: %s has %.17g kg, %.17g kg came in, %.17g kg left", name, l.model, l.mass, l.mass_in,
                     l.mass_out);
    }
}

static void check_alone(const firn_world *off, const char *model, bool above, const char *name) {
    char words[WORDS], prefix[32];
    snprintf(words, sizeof words, HEAD "%s", words_of(model, above));
    firn_world *alone = open_world(words);
    run(alone);
    snprintf(prefix, sizeof prefix, "%s.", strcmp(model, "bodies") == 0 ? "body" : model);
    print_message("%s: %s alone\n", name, model);
    for (size_t k = 0; k < firn_world_field_count(alone); k++) {
        firn_field x = firn_world_field_at(alone, k), y = firn_world_field(off, x.name);
        if (strncmp(x.name, prefix, strlen(prefix)) != 0 || !(x.flags & FIRN_FIELD_STATE)) continue;
        size_t bytes = x.type == FIRN_F64 || x.type == FIRN_U64 ? 8 : 4;
        if (x.count != y.count ||
            (x.count > 0 && memcmp(x.data, y.data, x.count * x.components * bytes) != 0))
            fail_msg("%s switched off: %s is not what it is alone", name, x.name);
    }
    firn_world_close(alone);
}

static void test_they_meet_and_off_they_do_not(void **state) {
    (void)state;
    size_t count;
    const coupling_class *const *kinds = coupling_classes(&count);
    for (size_t k = 0; k < count; k++) {
        const char *name = kinds[k]->name;
        char words[WORDS];
        if (is_elsewhere(kinds[k])) continue;
        pair_words(kinds[k], true, words);
        firn_world *on = open_world(words);
        run(on);
        check_ledgers(on, name);
        if (!has_passed(on, name)) fail_msg("%s: nothing passed", name);
        firn_world_close(on);
        pair_words(kinds[k], false, words);
        firn_world *off = open_world(words);
        run(off);
        check_ledgers(off, name);
        assert_false(has_passed(off, name));
        // Air flows around bodies in its own step: that is no coupling, and stays.
        if (strcmp(kinds[k]->b->name, "bodies") != 0) check_alone(off, kinds[k]->a->name, true, name);
        check_alone(off, kinds[k]->b->name, false, name);
        firn_world_close(off);
    }
}

static void test_threads_and_restarts_keep_the_bits(void **state) {
    (void)state;
    size_t count;
    const coupling_class *const *kinds = coupling_classes(&count);
    for (size_t k = 0; k < count; k++) {
        char words[WORDS];
        if (is_elsewhere(kinds[k])) continue;
        pair_words(kinds[k], true, words);
        firn_world *world = open_world(words);
        int first = 0; // step in which they meet
        while (first < STEPS && !has_passed(world, kinds[k]->name)) firn_world_step(world), first++;
        firn_world_close(world);
        print_message("%s: they meet in step %d\n", kinds[k]->name, first);
        int before = first > 1 ? first - 2 : 0;
        assert_bits_hold(words, first + 10, (const int[]){before, first - 1, first, first + 5});
    }
}

// ---- Momentum: what one loses the other gains

static const snowfield_state *field_of(const firn_world *world) {
    for (size_t i = 0; i < world_model_count(world); i++)
        if (world_model_class(world, i) == &snowfield_model) return world_model(world, i);
    return NULL;
}

static firn_vec3 less(firn_vec3 a, firn_vec3 b) { return (firn_vec3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static double size_of(firn_vec3 v) { return sqrt(v.x * v.x + v.y * v.y + v.z * v.z); }

// The ground takes up what it gets.
static firn_vec3 momentum_of(const firn_world *world, const char *model) {
    if (strcmp(model, "wind") != 0) return ledger_of(world, model).momentum;
    const wind_state *s = wind_of(world);
    return (firn_vec3){wind_momentum(s, 0), wind_momentum(s, 1), wind_momentum(s, 2)};
}

#define FREE(step) "firn: 1\nfps: 50\nduration: 9 s\ngravity: [0, 0, 0]\nmax_step: " step "\n"

#define AIR_OF_12                                                                                            \
    "wind: {cell: 25 cm, grid: [12, 8, 12], inflow: {profile: uniform, turbulence: 0, speed: 12 m/s}}\n"

// Without gravity, what both have changes by nothing but by what passes.
static void check_pair(const coupling_class *kind) {
    const char *a = kind->a->name, *b = kind->b->name;
    char words[WORDS];
    snprintf(words, sizeof words, FREE("1 ms") "%s%s", words_of(a, true), words_of(b, false));
    firn_world *world = open_world(words);
    firn_vec3 had[2] = {momentum_of(world, a), momentum_of(world, b)};
    advance(world, 0.04);
    firn_vec3 passed = coupling_of(world, kind->name).impulse, lost = less(had[0], momentum_of(world, a)),
              gained = strcmp(b, "field") == 0 ? passed : less(momentum_of(world, b), had[1]);
    double scale = size_of(had[0]), off = size_of(less(lost, passed)), off_b = size_of(less(gained, passed));
    print_message("%s: %.4g of %.4g N s passed; %s lost that within %.1e, %s gained it within %.1e\n",
                  kind->name, size_of(passed), scale, a, off / scale, b, off_b / scale);
    assert_true(size_of(passed) > 1e-2 * scale);
    // Velocities of phase are differences of places in 32 bits: 15 nm in 1 ms, for each particle.
    double within = strstr(kind->name, "phase") ? 5e-5 : 1e-6;
    assert_true(off <= within * scale && off_b <= within * scale);
    firn_world_close(world);
}

// The wind flows in and out: two worlds, with and without the coupling, differ by what has passed in the
// first step in which anything has. Bodies get it in their next one.
static void check_air(const coupling_class *kind) {
    static const char ball[] =
        "bodies: {ball: {shape: {sphere: {radius: 5 cm}}, at: [0.05, 0.55, 0.05], motion: "
        "dynamic, density: 50}}\n",
                      thrown[] =
                          "bodies: {ball: {shape: {sphere: {radius: 15 cm}}, at: [-0.4, 0.2, 0], motion: "
                          "dynamic, density: 800, velocity: [7, 0, 0]}}\n"
                          "field: {width: 1 m, length: 1 m, cell: 5 cm, depth: 10 cm, snow: fresh}\n";
    const char *b = kind->b->name, *other = strcmp(b, "bodies") == 0  ? ball
                                            : strcmp(b, "field") == 0 ? thrown
                                                                      : words_of(b, false);
    firn_world *world[2];
    for (int k = 0; k < 2; k++) {
        char words[WORDS];
        snprintf(words, sizeof words, FREE("10 ms") "%s%scoupling: {%s: {on: %s}}\n", AIR_OF_12, other,
                 kind->name, k == 0 ? "yes" : "no");
        world[k] = open_world(words);
    }
    int step = 0;
    while (step++ < 1000 && size_of(coupling_of(world[0], kind->name).impulse) == 0)
        for (int k = 0; k < 2; k++)
            if (firn_world_step(world[k]) != FIRN_OK) fail_msg("%s", firn_last_error());
    firn_vec3 passed = coupling_of(world[0], kind->name).impulse;
    firn_vec3 lost = less(momentum_of(world[1], "wind"), momentum_of(world[0], "wind"));
    for (int k = 0; strcmp(b, "bodies") == 0 && k < 2; k++) firn_world_step(world[k]);
    firn_vec3 gained = less(momentum_of(world[0], b), momentum_of(world[1], b));
    double scale = size_of(passed), off = size_of(less(lost, passed)), off_b = size_of(less(gained, passed));
    // The wind has made a step of its own since bits of the field have pushed it.
    if (strcmp(b, "field") == 0) off = size_of(lost) > 0.2 * scale ? 0 : INFINITY, off_b = 0;
    print_message("%s: %.4g N s passed in step %d; the air lost that within %.1e, %s gained it within %.1e\n",
                  kind->name, scale, step, off / scale, b, off_b / scale);
    assert_true(scale > 0 && off <= 1e-4 * scale && off_b <= 1e-6 * scale);
    for (int k = 0; k < 2; k++) firn_world_close(world[k]);
}

static firn_vec3 momentum_of_bits(const firn_world *world, int64_t *mass) {
    const snowfield_state *s = field_of(world);
    firn_vec3 sum = {0};
    *mass = 0;
    for (size_t i = 0; i < s->bits.count; i++) {
        double kg = snowfield_kg(s) * s->bits.mass[i];
        sum.x += kg * (double)s->bits.velocity[i][0], sum.y += kg * (double)s->bits.velocity[i][1];
        sum.z += kg * (double)s->bits.velocity[i][2];
        *mass += s->bits.mass[i];
    }
    return sum;
}

// A ball grazes the snow; in steps in which no bits are thrown or land, they gain what the air gives.
static void test_the_air_drags_loose_bits(void **state) {
    (void)state;
    firn_world *world =
        open_world(FREE("2 ms") AIR_OF_12
                   "bodies: {ball: {shape: {sphere: {radius: 15 cm}}, at: [-0.4, 0.22, 0], motion: "
                   "dynamic, density: 800, velocity: [7, 1, 0]}}\n"
                   "field: {width: 1 m, length: 1 m, cell: 5 cm, depth: 10 cm, snow: fresh}\n");
    int compared = 0;
    for (int step = 0; step < 200; step++) {
        int64_t mass[2];
        firn_vec3 bits = momentum_of_bits(world, &mass[0]), passed = coupling_of(world, "wind_field").impulse;
        assert_ok(firn_world_step(world));
        firn_vec3 gained = less(momentum_of_bits(world, &mass[1]), bits);
        passed = less(coupling_of(world, "wind_field").impulse, passed);
        if (mass[0] != mass[1] || mass[0] == 0) continue;
        double off = size_of(less(gained, passed));
        if (compared++ == 0)
            print_message("bits gain %.4g N s in a step, the air gives that within %.1e\n", size_of(gained),
                          off / size_of(passed));
        assert_true(off <= 1e-4 * size_of(passed));
    }
    print_message("%d steps compared\n", compared);
    assert_true(compared > 10);
    firn_world_close(world);
}

static void test_momentum_is_handed_over(void **state) {
    (void)state;
    size_t count;
    const coupling_class *const *kinds = coupling_classes(&count);
    for (size_t k = 0; k < count; k++) {
        if (!(kinds[k]->passes & PASSES_IMPULSE)) continue;
        if (strcmp(kinds[k]->a->name, "wind") == 0)
            check_air(kinds[k]);
        else
            check_pair(kinds[k]);
    }
}

// ---- Mass and heat: what one has less the other has more

// Air, ground and bodies give no heat here, so that each of both changes only by what passes.
#define WARM(step)                                                                                           \
    "firn: 1\nfps: 50\nduration: 9 s\nmax_step: " step                                                       \
    "\nair: {temperature: -10 C, exchange: 0, time_lapse: 1e4}\n"                                            \
    "bodies: {floor: {shape: plane}}\n"
#define COLD_FIELD                                                                                           \
    "field: {width: 0.4 m, length: 0.4 m, cell: 4 cm, depth: 20 cm, snow: packed, heat: {on: yes, "          \
    "temperature: -10 C}}\n"
#define WARM_BLOCK(more)                                                                                     \
    "mpm: {cell: 4 cm, heat: {exchange: 0, time_lapse: 1e4}, snow: {block: {shape: {box: {size: [12 cm, 12 " \
    "cm, 12 cm]}}, at: [0, 0.265, 0], type: packed, " more "}}}\n"
#define BLOCK                                                                                                \
    "mpm: {cell: 5 cm, snow: {block: {shape: {box: {size: [20 cm, 10 cm, 20 cm]}}, at: [0, 0.36, 0], type: " \
    "packed}}}\n"
#define DEEP_FIELD "field: {width: 1 m, length: 1 m, cell: 5 cm, depth: 30 cm, snow: packed}\n"

static const struct {
    const char *coupling, *words;
    double seconds;
} givers[] = {
    {"mpm_field",
     "firn: 1\nfps: 50\nduration: 9 s\n" BLOCK DEEP_FIELD "coupling: {mpm_field: {rest_time: 20 ms}}\n", 0.3},
    {"mpm_field",
     "firn: 1\nfps: 50\nduration: 9 s\nmpm: {cell: 5 cm}\n" DEEP_FIELD
     "coupling: {mpm_field: {settle: no, fail: {part: {start: 10 ms, "
     "radius: 30 cm, depth: 10 cm}}}}\n",
     0.04},
    {"mpm_field",
     WARM("2 ms")
         COLD_FIELD WARM_BLOCK("temperature: -2 C") "coupling: {mpm_field: {settle: no, release: no}}\n",
     0.1},
    {"mpm_field",
     WARM("2 ms") COLD_FIELD WARM_BLOCK("temperature: -2 C") "coupling: {mpm_field: {rest_time: 20 ms}}\n",
     0.3},
    {"mpm_field",
     WARM("2 ms") "mpm: {cell: 4 cm, heat: {exchange: 0, time_lapse: 1e4}}\n" COLD_FIELD
                  "coupling: {mpm_field: {settle: no, heat_contact: 0, fail: {part: {start: 10 ms, radius: "
                  "15 cm, depth: 10 cm}}}}\n",
     0.04},
    {"mpm_field",
     WARM("2 ms") "field: {width: 2 m, length: 2 m, cell: 4 cm, depth: 20 cm, snow: packed, heat: {on: yes, "
                  "temperature: -10 C}}\n"
                  "mpm: {cell: 4 cm, heat: {exchange: 0, time_lapse: 1e4}, snow: {block: {shape: {box: "
                  "{size: [12 cm, 12 cm, 12 cm]}}, at: [0, 0.265, 0], type: powder, velocity: [4, 0, 0], "
                  "temperature: 0 C, wetness: 0.1}}}\n"
                  "coupling: {mpm_field: {settle: no, release: no, powder: 0.2, powder_speed: 1 m/s}}\n",
     0.04},
    {"phase_field",
     WARM("2 ms") COLD_FIELD "phase: {mass: 20 g, heat: {exchange: 0, time_lapse: 1e4}, snow: {lump: {shape: "
                             "{box: {size: [12 cm, 12 cm, "
                             "12 cm]}}, at: [0, 0.265, 0], temperature: -2 C, type: packed}}}\n",
     0.1},
    {"mpm_phase",
     WARM("2 ms") WARM_BLOCK("temperature: -2 C") "phase: {mass: 4 g, heat: {exchange: 0, time_lapse: 100}, "
                                                  "water: {drop: {shape: {box: {size: [6 cm, 4 cm, 6 "
                                                  "cm]}}, at: [0, 0.36, 0], temperature: 20 C}}}\n",
     0.4},
    {"mpm_phase",
     WARM("2 ms") WARM_BLOCK(
         "temperature: 0 C, wetness: 0.5") "phase: {mass: 3 g, heat: {exchange: 0, time_lapse: 100}}\n",
     0.1},
};

static void test_mass_and_heat_are_handed_over(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof givers / sizeof *givers; k++) {
        firn_world *world = open_world(givers[k].words);
        firn_coupling c = coupling_of(world, givers[k].coupling);
        firn_ledger a = ledger_of(world, c.a), b = ledger_of(world, c.b);
        advance(world, givers[k].seconds);
        c = coupling_of(world, givers[k].coupling);
        firn_ledger a1 = ledger_of(world, c.a), b1 = ledger_of(world, c.b);
        double off[2] = {a.mass - a1.mass - c.mass, b1.mass - b.mass - c.mass},
               off_heat[2] = {a.heat - a1.heat - c.heat, b1.heat - b.heat - c.heat};
        print_message("%s: %.6g kg (off by %.1e, %.1e), %.6g J (off by %.1e, %.1e) passed\n", c.name, c.mass,
                      off[0], off[1], c.heat, off_heat[0], off_heat[1]);
        for (int s = 0; s < 2; s++) {
            assert_true(fabs(off[s]) <= 1e-12 * (a.mass + b.mass));
            assert_true(fabs(off_heat[s]) <= 1e-6 * fabs(c.heat));
        }
        assert_true(c.mass != 0 || c.heat != 0);
        firn_world_close(world);
    }
}

// Snow that settles, is released or flies off with its heat.
static void test_heat_that_comes_with_snow_keeps_the_bits(void **state) {
    (void)state;
    const int restart[][4] = {{28, 33, 38, 43}, {3, 4, 5, 9}, {1, 4, 8, 12}};
    for (size_t k = 0; k < 3; k++) assert_bits_hold(givers[3 + k].words, k == 0 ? 55 : 16, restart[k]);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_they_meet_and_off_they_do_not),
        cmocka_unit_test(test_momentum_is_handed_over),
        cmocka_unit_test(test_the_air_drags_loose_bits),
        cmocka_unit_test(test_mass_and_heat_are_handed_over),
        cmocka_unit_test(test_threads_and_restarts_keep_the_bits),
        cmocka_unit_test(test_heat_that_comes_with_snow_keeps_the_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
