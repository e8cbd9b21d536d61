// Snow types that scenes and programs bring.
#include "support.h"

#include <math.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scene/scene.h"
#include "snow/snow_type.h"
#include "world/world_state.h"

// A ball of the given snow in a scene with these types.
static firn_world *open_ball(const char *types, const char *snow) {
    char words[900];
    firn_world *world;
    snprintf(words, sizeof words,
             "firn: 1\n%s\nbodies: {ball: {shape: {sphere: {radius: 1 m}}, motion: dynamic, snow: %s}}\n",
             types, snow);
    assert_ok(firn_world_open_text(words, "ball", &world));
    return world;
}

static double ball_density(const firn_world *world) {
    return firn_world_body_state(world, 0).mass / (4.0 / 3 * 3.14159265358979323846);
}

// Two worlds at the same time, each with a crust of its own; a third does not know the word.
static void test_types_belong_to_their_scene(void **state) {
    (void)state;
    firn_world *a = open_ball("snow_types: {crust: {from: firn, density: 350 kg/m3}}", "crust");
    firn_world *b = open_ball("snow_types: {crust: {from: icy, density: 700 kg/m3}}", "crust");
    firn_world *c;
    assert_near(ball_density(a), 350, 0.1);
    assert_near(ball_density(b), 700, 0.1);
    const char *without = "firn: 1\nbodies: {ball: {shape: sphere, motion: dynamic, snow: crust}}\n";
    assert_int_equal(firn_world_open_text(without, "without", &c), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "bodies.ball.snow: invalid value 'crust'"));
    assert_null(snow_type_find("crust"));
    firn_world_close(a);
    firn_world_close(b);
}

static void test_what_is_not_given_is_inherited(void **state) {
    (void)state;
    firn_snow_type_def types[2] = {firn_snow_type_def_default(), firn_snow_type_def_default()};
    types[0].name = "crust", types[0].from = "firn", types[0].density = 350;
    types[1].name = "thin-crust", types[1].from = "crust", types[1].young = 1e5, types[1].hardening = 3;
    firn_world_def def = firn_world_def_default();
    def.snow_types.items = types;
    def.snow_types.count = 2;
    const snow_type *firn = snow_type_find("firn");
    snow_type t = snow_type_of(&def, "thin-crust");
    assert_true(t.density == 350 && t.density_low == 350 && t.density_high == firn->density_high);
    assert_true(t.young == 1e5 && t.hardening == 3 && t.poisson == firn->poisson &&
                t.bearing == firn->bearing);
    assert_true(snow_type_known(&def, "crust") && !snow_type_known(NULL, "crust"));
    assert_true(snow_type_of(&def, "fresh").young == snow_type_find("fresh")->young);
}

// A word of the scene stands wherever one of firn's may, and is the same snow there.
static void test_all_models_know_it(void **state) {
    (void)state;
    static const char *const models[] = {
        "grains: {snow: %s, fill: {a: {shape: {box: {size: [0.3, 0.3, 0.3]}}, spacing: 10 cm}}}",
        "mpm: {cell: 10 cm, snow: {a: {shape: {box: {size: [0.4, 0.4, 0.4]}}, type: %s}}}",
        "field: {width: 2 m, length: 2 m, cell: 10 cm, depth: 20 cm, snow: %s}",
        "phase: {mass: 0.4 kg, snow: {a: {shape: {box: {size: [0.5, 0.5, 0.5]}}, type: %s}}}",
    };
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        double mass[2];
        for (int own = 0; own < 2; own++) {
            char section[300], words[700];
            firn_world *world;
            snprintf(section, sizeof section, models[i], own ? "like_wet" : "wet");
            snprintf(words, sizeof words, "firn: 1\nsnow_types: {like_wet: {from: wet}}\n%s\n", section);
            assert_ok(firn_world_open_text(words, "all", &world));
            for (int k = 0; k < 3; k++) assert_ok(firn_world_step(world));
            mass[own] = firn_world_ledger(world, 1).mass;
            assert_true(mass[own] > 0);
            firn_world_close(world);
        }
        assert_true(mass[0] == mass[1]);
    }
}

static void test_registered(void **state) {
    (void)state;
    firn_snow_type_def def = firn_snow_type_def_default();
    size_t before, after;
    snow_types(&before);
    def.name = "test-snow";
    def.from = "nowhere";
    assert_int_equal(firn_register_snow_type(&def), FIRN_BAD_INPUT);
    def.from = "granular";
    def.density = 4e9;
    assert_int_equal(firn_register_snow_type(&def), FIRN_BAD_INPUT);
    def.density = 321;
    def.name = "no name";
    assert_int_equal(firn_register_snow_type(&def), FIRN_BAD_INPUT);
    char name[] = "test-snow"; // it is copied
    def.name = name;
    assert_ok(firn_register_snow_type(&def));
    name[0] = 'b';
    snow_types(&after);
    assert_int_equal(after, before + 1);
    assert_true(snow_type_find("test-snow")->friction == snow_type_find("granular")->friction);
    def.name = "test-snow";
    assert_int_equal(firn_register_snow_type(&def), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "already"));
    firn_world *world =
        open_ball("snow_types: {heavier: {from: test-snow, density: 400 kg/m3}}", "test-snow");
    assert_near(ball_density(world), 321, 0.1);
    firn_world_close(world);
    char *listed;
    assert_ok(firn_list("snow", false, &listed));
    assert_non_null(strstr(listed, "test-snow"));
    firn_text_free(listed);
}

// The numbers of a scene's own types shape its result; a scene without any has the hash it had.
static void test_types_are_part_of_the_identity(void **state) {
    (void)state;
    firn_world *a = open_ball("snow_types: {crust: {density: 350}}", "wet"), *b, *c;
    b = open_ball("snow_types: {crust: {density: 351}}", "wet");
    c = open_ball("", "wet");
    void *data;
    size_t bytes;
    assert_ok(firn_world_save(a, &data, &bytes));
    assert_ok(firn_world_load(a, data, bytes));
    assert_int_equal(firn_world_load(b, data, bytes), FIRN_BAD_INPUT);
    assert_int_equal(firn_world_load(c, data, bytes), FIRN_BAD_INPUT);
    firn_data_free(data);
    firn_world_close(a);
    firn_world_close(b);
    firn_world_close(c);
}

typedef struct identity {
    uint64_t scene, world;
} identity;

// Identity of a scene in a program that registers "own-snow" of this density.
static identity identity_with(double density, const char *types, const char *snow) {
    identity *out = mmap(NULL, sizeof *out, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
             result;
    assert_ptr_not_equal(out, MAP_FAILED);
    pid_t child = fork(); // types cannot be taken back
    if (child == 0) {
        firn_snow_type_def def = firn_snow_type_def_default();
        def.name = "own-snow";
        def.density = density;
        assert_ok(firn_register_snow_type(&def));
        firn_world *world = open_ball(types, snow);
        out->world = world->identity;
        firn_world_close(world);
        char words[300];
        snprintf(words, sizeof words,
                 "firn: 1\n%s\nbodies: {ball: {shape: sphere, motion: dynamic, snow: %s}}\n", types, snow);
        scene *s;
        assert_ok(scene_parse(words, strlen(words), "ball", (firn_overrides){0}, &s));
        out->scene = s->hash;
        scene_close(s);
        _exit(0);
    }
    int ended;
    assert_int_equal(waitpid(child, &ended, 0), child);
    assert_int_equal(ended, 0);
    result = *out;
    munmap(out, sizeof *out);
    return result;
}

// A run with other numbers under the same name is another run; a scene that does not use the type has the
// hash it had.
static void test_registered_types_are_part_of_the_identity(void **state) {
    (void)state;
    static const char *const from[] = {"", "snow_types: {crust: {from: own-snow}}"};
    for (int k = 0; k < 2; k++) {
        identity a = identity_with(300, from[k], k ? "crust" : "own-snow");
        identity b = identity_with(301, from[k], k ? "crust" : "own-snow");
        identity same = identity_with(300, from[k], k ? "crust" : "own-snow");
        assert_true(a.scene != b.scene && a.world != b.world);
        assert_true(a.scene == same.scene && a.world == same.world);
    }
    identity a = identity_with(300, "", "wet"), b = identity_with(301, "", "wet");
    assert_true(a.scene == b.scene && a.world == b.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_belong_to_their_scene),
        cmocka_unit_test(test_what_is_not_given_is_inherited),
        cmocka_unit_test(test_all_models_know_it),
        cmocka_unit_test(test_registered),
        cmocka_unit_test(test_types_are_part_of_the_identity),
        cmocka_unit_test(test_registered_types_are_part_of_the_identity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
