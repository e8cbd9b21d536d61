// What the tables tell people: explain, list, new, the reference.
#include "support.h"

#include "base/file.h"
#include "base/memory.h"
#include "scene/catalog.h"
#include "scene/scene.h"
#include "snow/snow_type.h"
#include "world/world.h"

static void expect_page(const char *name, const char *const *parts) {
    char *page;
    firn_status status = firn_explain(name, false, &page);
    if (status != FIRN_OK) fail_msg("explain %s: %s", name ? name : "NULL", firn_last_error());
    for (; *parts; parts++)
        if (!strstr(page, *parts)) fail_msg("explain %s does not say '%s':\n%s", name, *parts, page);
    firn_text_free(page);
}
#define EXPLAINS(name, ...) expect_page(name, (const char *const[]){__VA_ARGS__, NULL})

static void test_explain(void **state) {
    (void)state;
    EXPLAINS("bodies.friction", "Coulomb", "0 .. 10", "auto", "example  bodies: {NAME: {friction: 0.5}}");
    EXPLAINS("bodies.ball.friction", "Coulomb");
    EXPLAINS("bodies.shape.sphere.radius", "length", "50 cm",
             "bodies: {NAME: {shape: {sphere: {radius: 50 cm}}}}");
    EXPLAINS("bodies.shape.union.parts.head.shape.box.size", "[1 m, 1 m, 1 m]");
    EXPLAINS("camera.keyframes.time", "camera: {keyframes: [{time: 0.5 s}]}", "must be given");
    EXPLAINS("bodies.ball.motion.keyframes.time", "bodies: {NAME: {motion: [{time: 0.5 s}]}}");
    EXPLAINS("radius", "bodies.shape.sphere.radius", "bodies.shape.capsule.radius");
    EXPLAINS("mpm.young", "mpm.snow.young", "1 kPa .. 100 GPa", "stiffness"); // a step of the path left out
    EXPLAINS("hare", "bodies.shape.hare", "height");
    EXPLAINS("bodies.ball.shape.hare", "height");
    EXPLAINS("dynamic", "bodies.motion.dynamic");
    EXPLAINS("powder", "150 kg/m3", "Sigrist", "MPM15 table 2", "50 kPa");
    EXPLAINS("firn", "version of the scene language", "Snow type firn");
    EXPLAINS("bodies", "shape", "Model", "bodies.position");
    EXPLAINS("bodies.velocity", "m/s", "initial velocity of a dynamic body", "Field bodies.velocity");
    EXPLAINS("length", "m, cm, mm, km");
    EXPLAINS("units", "pressure", "kPa");
    EXPLAINS("exit codes", "130");
    EXPLAINS("unstable", "FIRN_UNSTABLE", "max_step");
    EXPLAINS("firn_io", "FIRN_IO");
    EXPLAINS("from", "light.yaml", "base/snowfall", "FIRN_SCENES");
    EXPLAINS(NULL, "firn explain NAME");
    EXPLAINS("", "firn explain NAME");
}

static void test_explain_nothing(void **state) {
    (void)state;
    const struct {
        const char *asked, *nearest;
    } cases[] = {{"frictoin", "'friction'"},
                 {"bodies.fricton", "'bodies.friction'"},
                 {"bodies.ball.restitutoin", "'bodies.restitution'"},
                 {"pwoder", "'powder'"},
                 {"shpere", "'sphere'"},
                 {"qqqqqqqqqqqqqqqqqq", "`firn list`"},
                 {"...", "`firn list`"},
                 {"bodies.", "'bodies"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *page;
        assert_int_equal(firn_explain(cases[i].asked, false, &page), FIRN_BAD_INPUT);
        if (!strstr(page, cases[i].nearest)) fail_msg("'%s' gives: %s", cases[i].asked, page);
        firn_text_free(page);
    }
}

// Whatever the catalogue lists can be asked for, and its help is one line.
static void test_all_rows_explained(void **state) {
    (void)state;
    catalog c;
    assert_ok(catalog_build(&c, &scene_params));
    assert_true(c.count > 60);
    for (size_t i = 0; i < c.count; i++) {
        char *page;
        const char *help = c.items[i].variant ? c.items[i].variant->help : c.items[i].row->help;
        if (!help || !help[0] || strchr(help, '\n')) fail_msg("%s has no help of one line", c.items[i].path);
        if (firn_explain(c.items[i].path, false, &page) != FIRN_OK)
            fail_msg("%s: %s", c.items[i].path, firn_last_error());
        firn_text_free(page);
    }
    catalog_free(&c);
}

static void test_list(void **state) {
    (void)state;
    char *page;
    assert_ok(firn_list(NULL, false, &page));
    for (const char *const *name = snow_type_names(); *name; name++) assert_non_null(strstr(page, *name));
    const char *words[] = {"Models\n  bodies",          "grains", "Shapes\n  plane", "lamp_post",
                           "Fields\n  bodies.position", "m/s"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strstr(page, words[i])) fail_msg("'%s' is not listed in:\n%s", words[i], page);
    firn_text_free(page);
}

static void test_list_filters(void **state) {
    (void)state;
    const struct {
        const char *filter, *has, *has_not;
    } cases[] = {{"fields", "Fields\n  bodies.position", "Models"},
                 {"models", "Models\n  bodies", "Fields"},
                 {"shapes", "Shapes\n  plane", "Models"},
                 {"couplings", "  wind_field ", "Models"},
                 {"snow", "Snow types", "Shapes"},
                 {"scenes", "", "Fields"},
                 {"phase", "phase.wetness", "pbd.position"},
                 {"wind", "Models\n  wind ", "mpm.position"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *page;
        assert_ok(firn_list(cases[i].filter, false, &page));
        if (!strstr(page, cases[i].has) || strstr(page, cases[i].has_not))
            fail_msg("'%s' lists:\n%s", cases[i].filter, page);
        firn_text_free(page);
    }
    char *page;
    assert_int_equal(firn_list("feilds", false, &page), FIRN_BAD_INPUT);
    assert_null(page);
    assert_non_null(strstr(firn_last_error(), "did you mean 'fields'?"));
}

// Every field of every model, without a world: listed if it is shown, explained in any case, and described as
// one would wish.
static void test_all_fields_are_known(void **state) {
    (void)state;
    char *list, *page;
    assert_ok(firn_list("fields", false, &list));
    size_t models = 0;
    const model_class *owner, *last = NULL;
    for (size_t i = 0; world_field_row(i, NULL); i++) {
        const field_row *f = world_field_row(i, &owner);
        size_t prefix = strlen(owner->name);
        models += owner != last;
        last = owner;
        if (strncmp(f->name, owner->name, prefix) != 0 || f->name[prefix] != '.')
            fail_msg("'%s' is a field of %s", f->name, owner->name);
        if (!f->help[0] || strchr(f->help, '\n') || !f->unit || !f->components || !f->get)
            fail_msg("the row of '%s' lacks something", f->name);
        for (size_t k = 0; k < i; k++) assert_string_not_equal(world_field_row(k, NULL)->name, f->name);
        if (!strstr(list, f->name) && (f->flags & FIRN_FIELD_SHOWN)) fail_msg("'%s' is not listed", f->name);
        if (firn_explain(f->name, false, &page) != FIRN_OK || !strstr(page, f->help))
            fail_msg("'%s' is not explained: %s", f->name, page);
        firn_text_free(page);
    }
    firn_text_free(list);
    size_t classes;
    world_model_classes(&classes);
    assert_int_equal(models, classes + 1); // and the world
}

static size_t lines_in(const char *page) {
    size_t n = 0;
    for (; *page; page++) n += *page == '\n';
    return n;
}

static void test_template(void **state) {
    (void)state;
    const char *names[] = {"first", "a \"quoted\": name #1", "\u2603", NULL, "line\nbreak", "bad \xff byte"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *page;
        scene *s;
        assert_ok(firn_scene_template(names[i], &page));
        assert_true(lines_in(page) <= 40);
        if (scene_parse(page, strlen(page), "new.yaml", (firn_overrides){0}, &s) != FIRN_OK)
            fail_msg("%s", firn_last_error());
        assert_string_equal(s->def.world.name, !names[i] ? "untitled"
                                               : i == 5  ? "bad \ufffd byte"
                                                         : names[i]);
        assert_true(s->def.world.bodies.count >= 3 && s->def.world.grains);
        scene_close(s);
        firn_text_free(page);
    }
}

static void assert_page_is_kept(char *page, const char *file, const char *command) {
    char path[600], *kept;
    size_t bytes;
    snprintf(path, sizeof path, FIRN_SOURCE_DIR "/docs/%s", file);
    assert_ok(file_read_whole(path, 1 << 20, &kept, &bytes));
    bool same = strcmp(page, kept) == 0;
    firn_text_free(page);
    mem_free(kept);
    if (!same) fail_msg("docs/%s is stale: run build/release/firn %s > docs/%s", file, command, file);
}

static void test_reference(void **state) {
    (void)state;
    char *page;
    assert_ok(firn_scene_reference(&page));
    assert_page_is_kept(page, "scene-reference.md", "reference");
    assert_ok(firn_coupling_reference(&page));
    assert_page_is_kept(page, "who-meets-whom.md", "reference couplings");
}

static void test_nothing_left(void **state) {
    (void)state;
    assert_int_equal(mem_in_use(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_explain),
        cmocka_unit_test(test_explain_nothing),
        cmocka_unit_test(test_all_rows_explained),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_list_filters),
        cmocka_unit_test(test_all_fields_are_known),
        cmocka_unit_test(test_template),
        cmocka_unit_test(test_reference),
        cmocka_unit_test(test_nothing_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
