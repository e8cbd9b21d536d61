// What a right scene means: values, units, variants, includes, overrides, aliases.
#include "support.h"

#include "base/file.h"
#include "base/memory.h"
#include "scene/scene.h"

static scene *parse(const char *content, size_t count, const char *const *sets) {
    scene *s;
    assert_ok(scene_parse(content, strlen(content), "test.yaml", (firn_overrides){sets, count}, &s));
    return s;
}

static const firn_body_def *body(const scene *s, const char *name) {
    for (size_t i = 0; i < s->def.world.bodies.count; i++)
        if (strcmp(s->def.world.bodies.items[i].name, name) == 0) return &s->def.world.bodies.items[i];
    fail_msg("no body '%s'", name);
    return NULL;
}

static void assert_vec(firn_vec3 v, double x, double y, double z) {
    assert_near(v.x, x, 1e-15);
    assert_near(v.y, y, 1e-15);
    assert_near(v.z, z, 1e-15);
}

static const char hare[] = "firn: 1\n"
                           "name: A hare meets the floor\n"
                           "duration: 1.8 s\n"
                           "fps: 60\n"
                           "seed: 7\n"
                           "air: {temperature: 263.15 K}\n"
                           "bodies:\n"
                           "  floor: {shape: plane, friction: 40 %}\n"
                           "  ball:\n"
                           "    shape: {sphere: {radius: 30 cm}}\n"
                           "    at: [2 m, 400 cm, 0]\n"
                           "    rotate: [0, 90 deg, 0]\n"
                           "    motion: dynamic\n"
                           "    density: 0.6 g/cm3\n"
                           "    color: \"#ff0000\"\n"
                           "  lid:\n"
                           "    shape: box\n"
                           "    snow: icy\n"
                           "    motion:\n"
                           "      - {time: 0, at: [0, 1, 0]}\n"
                           "      - time: 2 s\n"
                           "        at: [0, 2, 0]\n"
                           "        rotate: [0, 0, 1 turn]\n"
                           "  rod: {shape: capsule}\n"
                           "camera: {from: [6, 3, 8], to: [0, 1, 0], lens: 50 mm, orbit: 10 deg/s}\n"
                           "cameras: {top: {from: [0, 10, 0.1]}, side: {}}\n"
                           "picture: {width: 640, color: bodies.velocity, labels: off}\n";

static void test_values(void **state) {
    (void)state;
    scene *s = parse(hare, 0, NULL);
    const firn_world_def *w = &s->def.world;
    assert_string_equal(w->name, "A hare meets the floor");
    assert_true(w->duration == 1.8 && w->fps == 60 && w->seed == 7);
    assert_near(w->air.temperature, -10, 1e-12);
    assert_vec(w->gravity, 0, -9.81, 0);
    assert_int_equal(w->bodies.count, 4);
    assert_true(body(s, "floor")->shape.kind == FIRN_SHAPE_PLANE && body(s, "floor")->friction == 0.4);
    const firn_body_def *ball = body(s, "ball");
    assert_true(ball->shape.kind == FIRN_SHAPE_SPHERE && ball->shape.radius == 0.3);
    assert_vec(ball->at, 2, 4, 0);
    assert_vec(ball->rotate, 0, 1.57079632679489661923, 0);
    assert_vec(ball->color, 1, 0, 0);
    assert_true(ball->density == 600 && firn_is_auto(ball->friction) && ball->snow == NULL);
    assert_int_equal(ball->motion.kind, FIRN_MOTION_DYNAMIC);
    const firn_body_def *lid = body(s, "lid");
    assert_string_equal(lid->snow, "icy");
    assert_int_equal(lid->motion.kind, FIRN_MOTION_KEYFRAMES);
    assert_int_equal(lid->motion.keyframes.count, 2);
    assert_true(lid->motion.keyframes.items[1].time == 2);
    assert_vec(lid->motion.keyframes.items[1].rotate, 0, 0, 2 * 3.14159265358979323846);
    assert_true(body(s, "rod")->shape.radius == 0.2 && body(s, "rod")->shape.length == 0.6); // its defaults
    assert_true(s->def.camera_given && s->def.camera.lens == 0.05);
    assert_string_equal(s->def.camera.name, "main");
    assert_int_equal(s->def.cameras.count, 2);
    assert_string_equal(s->def.cameras.items[1].name, "side");
    assert_true(s->def.picture.width == 640 && s->def.picture.height == 720 && !s->def.picture.labels);
    assert_string_equal(s->def.picture.color, "bodies.velocity");
    scene_close(s);
}

// The tables give the types: what YAML 1.1 would take for a bool, a number or null stays what the key says.
static void test_text_stays_text(void **state) {
    (void)state;
    const char *names[] = {"no", "1e3", "null", "~x", "2001-01-01", "0x10", "'yes'", "\"12:30\"", ".inf"};
    const char *meant[] = {"no", "1e3", "null", "~x", "2001-01-01", "0x10", "yes", "12:30", ".inf"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char content[200];
        snprintf(content, sizeof content, "firn: 1\nname: %s\nbodies: {no: {shape: box}}\n", names[i]);
        scene *s = parse(content, 0, NULL);
        assert_string_equal(s->def.world.name, meant[i]);
        assert_string_equal(s->def.world.bodies.items[0].name, "no");
        scene_close(s);
    }
}

static void test_empty_sections(void **state) {
    (void)state;
    scene *s = parse(
        "firn: 1\nair:\nbodies:\n  floor:\n  wall: {shape: {box: {}}}\ncamera:\npicture: {color: none}\n", 0,
        NULL);
    assert_int_equal(s->def.world.bodies.count, 2);
    assert_int_equal(body(s, "floor")->shape.kind, FIRN_SHAPE_BOX);
    assert_true(s->def.camera_given && s->def.camera.lens == 0.035);
    assert_null(s->def.picture.color);
    scene_close(s);
    s = parse("firn: 1\nbodies: {a: {}}\n", 0, NULL);
    assert_false(s->def.camera_given);
    assert_true(s->def.camera.lens == 0.035);
    scene_close(s);
}

static void test_aliases_share(void **state) {
    (void)state;
    const char *set[] = {"bodies.b.friction=0.9"};
    scene *s = parse("firn: 1\nbodies:\n  a: &a {shape: {sphere: &s {radius: 2}}, friction: 0.1}\n  b: *a\n  "
                     "c: {shape: {sphere: *s}}\n",
                     1, set);
    assert_true(body(s, "a")->friction == 0.1 && body(s, "b")->friction == 0.9);
    assert_true(body(s, "b")->shape.radius == 2 && body(s, "c")->shape.radius == 2);
    scene_close(s);
}

static void test_overrides(void **state) {
    (void)state;
    const char *sets[] = {"bodies.ball.at=[0,5,0]",
                          "duration=2 min",
                          "bodies.ball.shape.box.size=[1,2,3]",
                          "bodies.rod.shape.capsule.radius=1 cm",
                          "bodies.lid.motion=fixed",
                          "picture.width=100",
                          "picture.width=200",
                          "name=a=b",
                          "bodies.floor.color="};
    scene *s = parse(hare, 8, sets);
    assert_vec(body(s, "ball")->at, 0, 5, 0);
    assert_true(s->def.world.duration == 120);
    assert_int_equal(body(s, "ball")->shape.kind,
                     FIRN_SHAPE_BOX); // another variant wins over that of the file
    assert_vec(body(s, "ball")->shape.size, 1, 2, 3);
    assert_true(body(s, "rod")->shape.radius == 0.01 && body(s, "rod")->shape.length == 0.6);
    assert_int_equal(body(s, "lid")->motion.kind, FIRN_MOTION_FIXED);
    assert_int_equal(s->def.picture.width, 200); // the later one
    assert_string_equal(s->def.world.name, "a=b");
    scene_close(s);
    assert_int_equal(scene_parse(hare, strlen(hare), "x", (firn_overrides){sets, 9}, &s), FIRN_BAD_INPUT);
    assert_null(s);
}

static void write_file(const char *name, const char *content) { assert_ok(file_write_text(name, content)); }

// grand.yaml < base.yaml < second.yaml < scene.yaml < --set
static void test_includes(void **state) {
    (void)state;
    assert_ok(file_make_folders("includes/below"));
    write_file("includes/below/grand.yaml",
               "firn: 1\nfps: 10\nseed: 10\nduration: 10\nbodies: {a: {shape: {sphere: {radius: 1}}, "
               "friction: 0.1}, rock: {shape: {mesh: {file: rock.obj}}}}\n");
    write_file("includes/below/rock.obj", "v 0 0 0\n");
    write_file(
        "includes/base.yaml",
        "from: below/grand.yaml\nseed: 20\nduration: 20\nbodies: {a: {shape: {box: {size: [1, 1, 1]}}}}\n");
    write_file("includes/second.yaml", "duration: 30\nbodies: {b: {shape: plane}}\n");
    write_file(
        "includes/scene.yaml",
        "from: [base.yaml, second.yaml]\nname: top\nbodies:\n  a: {restitution: 1, shape: {sphere: {}}}\n");
    const char *sets[] = {"bodies.b.friction=3"};
    scene *s;
    assert_ok(scene_open("includes/scene.yaml", (firn_overrides){sets, 1}, &s));
    assert_true(s->def.world.fps == 10 && s->def.world.seed == 20 && s->def.world.duration == 30);
    assert_string_equal(s->def.world.name, "top");
    assert_int_equal(s->def.world.bodies.count, 3);
    const firn_body_def *a = body(s, "a");
    assert_true(a->friction == 0.1 && a->restitution == 1);
    assert_int_equal(a->shape.kind, FIRN_SHAPE_SPHERE); // named last, although a box came in between
    assert_true(a->shape.radius == 1);                  // merged key by key with the first
    assert_true(body(s, "b")->friction == 3);
    const char *file = body(s, "rock")->shape.file;
    assert_true(file[0] == '/' && strstr(file, "/includes/below/rock.obj"));
    scene_close(s);
    char *title;
    assert_ok(firn_scene_title("includes/scene.yaml", &title));
    assert_string_equal(title, "top");
    firn_text_free(title);
    assert_int_equal(firn_scene_title("includes/second.yaml", &title), FIRN_BAD_INPUT);
    assert_int_equal(firn_scene_title("includes/none.yaml", &title), FIRN_BAD_INPUT);
}

static uint64_t hash_of(const char *content, size_t count, const char *const *sets) {
    scene *s = parse(content, count, sets);
    uint64_t hash = s->hash;
    scene_close(s);
    return hash;
}

static void test_hash(void **state) {
    (void)state;
    uint64_t hash = hash_of(hare, 0, NULL);
    const char *same[] = {"name=other",        "duration=9 s",
                          "camera.lens=20 mm", "cameras.top.lens=20 mm",
                          "picture.width=100", "checkpoint=3",
                          "compress=yes",      "bodies.ball.color=blue",
                          "fps=60 Hz",         "bodies.ball.at=[2, 4, 0 cm]"};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        if (hash_of(hare, 1, &same[i]) != hash) fail_msg("'%s' must not change the hash", same[i]);
    const char *other[] = {"fps=30",
                           "seed=8",
                           "bodies.ball.at=[2, 4, 1 um]",
                           "bodies.lid.snow=wet",
                           "bodies.rod.shape=sphere",
                           "gravity=[0, -9.8, 0]",
                           "bodies.lid.motion=fixed",
                           "air.temperature=0",
                           "max_step=1 ms",
                           "bodies.ball.friction=0"};
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++)
        if (hash_of(hare, 1, &other[i]) == hash) fail_msg("'%s' must change the hash", other[i]);
}

// The content of a file counts, its place does not.
static void test_hash_of_files(void **state) {
    (void)state;
    assert_ok(file_make_folders("hashes/one"));
    assert_ok(file_make_folders("hashes/two"));
    const char *content = "firn: 1\nbodies: {rock: {shape: {mesh: {file: rock.obj}}}}\n";
    uint64_t hash[3];
    const char *folders[] = {"one", "two", "two"}, *rocks[] = {"v 0 0 0\n", "v 0 0 0\n", "v 0 0 1\n"};
    for (int i = 0; i < 3; i++) {
        char path[100];
        scene *s;
        snprintf(path, sizeof path, "hashes/%s/rock.obj", folders[i]);
        write_file(path, rocks[i]);
        snprintf(path, sizeof path, "hashes/%s/scene.yaml", folders[i]);
        write_file(path, content);
        assert_ok(scene_open(path, (firn_overrides){0}, &s));
        hash[i] = s->hash;
        scene_close(s);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(hash[1] != hash[2]);
}

static void test_bad_calls(void **state) {
    (void)state;
    scene *s = (scene *)1;
    assert_int_equal(scene_open("", (firn_overrides){0}, &s), FIRN_BAD_INPUT);
    assert_null(s);
    assert_int_equal(scene_open(NULL, (firn_overrides){0}, &s), FIRN_BAD_INPUT);
    assert_int_equal(scene_open("no/such.yaml", (firn_overrides){0}, &s), FIRN_BAD_INPUT);
    assert_non_null(strstr(firn_last_error(), "no/such.yaml"));
    assert_int_equal(scene_open(".", (firn_overrides){0}, &s), FIRN_BAD_INPUT);
    assert_int_equal(scene_parse(NULL, 0, "nothing", (firn_overrides){0}, &s), FIRN_BAD_INPUT);
    scene_close(NULL);
    firn_check check;
    assert_int_equal(firn_scene_check("no/such.yaml", (firn_overrides){0}, 0, &check), FIRN_BAD_INPUT);
    assert_non_null(strstr(check.report, "no/such.yaml"));
    assert_int_equal(check.errors, 1);
    firn_check_free(&check);
    firn_check_free(NULL);
    assert_int_equal(firn_scene_check("no/such.yaml", (firn_overrides){0}, 0, NULL), FIRN_BAD_INPUT);
}

static void test_check_and_open(void **state) {
    (void)state;
    const char *content =
        "firn: 1\nduration: 2 s\nfps: 25\nbodies: {floor: {shape: plane}, ball: {shape: sphere, at: [0, 3, "
        "0], motion: dynamic}}\n"
        "grains: {fill: {heap: {shape: {box: {size: [1, 1, 1]}}, at: [4, 2, 0], spacing: 10 cm}}}\n";
    write_file("check.yaml", content);
    firn_check check;
    assert_ok(firn_scene_check("check.yaml", (firn_overrides){0}, 0, &check));
    assert_string_equal(check.report, "");
    assert_true(check.memory_limit >= check.memory_available && check.disk_free > 0);
    const firn_cost cost = check.cost;
    firn_check_free(&check);
    assert_int_equal(cost.bodies, 2);
    assert_int_equal(cost.frames, 50);
    assert_int_equal(cost.particles, 1000);
    assert_true(cost.memory > 0 && cost.steps >= 50 && cost.seconds > 0);
    assert_true(cost.disk > 50 * cost.particles * 12 && cost.disk < 100 * cost.particles * 200);
    firn_world *world;
    assert_ok(firn_world_open("check.yaml", &world));
    assert_int_equal(firn_world_body_count(world), 2);
    assert_true(firn_world_duration(world) == 2);
    firn_world_close(world);
    assert_ok(firn_world_open_text(content, "in memory", &world));
    assert_int_equal(firn_world_body_find(world, "ball"), 1);
    firn_world_close(world);
    assert_int_equal(firn_world_open_text("firn: 1\nbodies: {a: {shap: box}}\n", "in memory", &world),
                     FIRN_BAD_INPUT);
    assert_null(world);
    assert_non_null(strstr(firn_last_error(), "in memory:2:14: unknown key 'shap'"));
}

static void test_crlf_and_bom(void **state) {
    (void)state;
    scene *s = parse("\xef\xbb\xbf"
                     "firn: 1\r\nfps: 25\r\nbodies: {a: {}}\r\n",
                     0, NULL);
    assert_true(s->def.world.fps == 25);
    scene_close(s);
    const char *wrong = "\xef\xbb\xbf"
                        "firn: 1\r\n\r\nfpz: 25\r\nbodies: {a: {}}\r\n";
    assert_int_equal(scene_parse(wrong, strlen(wrong), "x.yaml", (firn_overrides){0}, &s), FIRN_BAD_INPUT);
    assert_string_equal(firn_last_error(),
                        "x.yaml:3:1: unknown key 'fpz'\n fpz: 25\n ^~~ did you mean 'fps'?\n1 error\n");
}

static void test_nothing_left(void **state) {
    (void)state;
    assert_int_equal(mem_in_use(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),         cmocka_unit_test(test_text_stays_text),
        cmocka_unit_test(test_empty_sections), cmocka_unit_test(test_aliases_share),
        cmocka_unit_test(test_overrides),      cmocka_unit_test(test_includes),
        cmocka_unit_test(test_hash),           cmocka_unit_test(test_hash_of_files),
        cmocka_unit_test(test_bad_calls),      cmocka_unit_test(test_crlf_and_bom),
        cmocka_unit_test(test_check_and_open), cmocka_unit_test(test_nothing_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
