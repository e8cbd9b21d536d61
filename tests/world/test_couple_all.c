// Every coupling of the table, in a small scene of its own: the models meet, no mass is lost, bits hold over
// threads and over restarts before and after they have met, and switched off each is what it is alone.
// What they pass, and by which law, is in test_couple_*.c.
// firn-test: threaded
#include "couples.h"

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

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_they_meet_and_off_they_do_not),
        cmocka_unit_test(test_threads_and_restarts_keep_the_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
