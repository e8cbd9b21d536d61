// An embedding program may have set a locale with a decimal comma: everything that firn writes as text stays
// as it is.
#include "cache/runs.h"

#include "comma_locale.h"

static const char everything[] =
    "firn: 1\nname: All\nduration: 0.08 s\nfps: 25\n"
    "bodies: {floor: {shape: plane}, ball: {shape: {sphere: {radius: 11 cm}}, at: [0.5, 0.61, 0.3], motion: "
    "dynamic}}\n"
    "grains: {fill: {heap: {shape: {box: {size: [10 cm, 10 cm, 10 cm]}}, at: [0.55, 0.3, 0], spacing: 3 "
    "cm}}}\n"
    "mpm: {cell: 5 cm, snow: {ball: {shape: {sphere: {radius: 15 cm}}, at: [-0.5, 25 cm, 0]}}}\n"
    "field: {width: 1.5 m, length: 1 m, cell: 5 cm, depth: 10 cm, at: [0.25, 0.5, 2.1]}\n";
static const char storm[] =
    "firn: 1\nname: Storm\nduration: 1 s\nfps: 1\nmax_step: 200 ms\n"
    "bodies: {ground: {shape: plane}, block: {shape: {box: {size: [1.2 m, 1.1 m, 1 m]}}, at: [1, 0.55, 0]}}\n"
    "wind: {grid: [14, 12, 10], cell: 20 cm, at: [1 m, 0, 0], inflow: {speed: 0}}\n"
    "flakes: {snowfall: 3600 mm/h, shown: 200}\ncover: {}\n";

typedef struct outputs {
    char run[300], run_again[300], point[300], comma[300];
} outputs;

static outputs outputs_of(const run_test *t) {
    outputs o;
    snprintf(o.run, sizeof o.run, "%s/run", t->folder.path);
    snprintf(o.run_again, sizeof o.run_again, "%s/run-again", t->folder.path);
    snprintf(o.point, sizeof o.point, "%s/point", t->folder.path);
    snprintf(o.comma, sizeof o.comma, "%s/comma-", t->folder.path);
    return o;
}

static bool export_to(const outputs *o, const char *output, const char *format, const char *what) {
    folder_remove(output);
    firn_status status = firn_export(&(firn_export_options){
        COOKIE(export), .folder = o->run, .output = output, .format = format, .what = what});
    if (status != FIRN_OK && status != FIRN_BAD_INPUT) fail_msg("%s: %s", format, firn_last_error());
    return status == FIRN_OK;
}

static void expect_same(const char *a, const char *b, const char *name) {
    char pa[600], pb[600];
    snprintf(pa, sizeof pa, "%s/%s", a, name);
    snprintf(pb, sizeof pb, "%s/%s", b, name);
    if (!files_equal(pa, pb)) fail_msg("%s differs between the locales", name);
}

static size_t compare_exports(const outputs *o) {
    static const char *const formats[] = {"ply", "obj", "xdmf", "png16", "flt", "asc"};
    static const char *const whats[] = {NULL, "surface", "density", "field", "cover"};
    size_t compared = 0;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        for (size_t j = 0; j < sizeof whats / sizeof *whats; j++) {
            comma_locale_end();
            if (!export_to(o, o->point, formats[i], whats[j])) continue;
            assert_non_null(setlocale(LC_NUMERIC, "comma"));
            assert_true(export_to(o, o->comma, formats[i], whats[j]));
            file_names names;
            assert_ok(file_list(o->point, "", &names));
            for (size_t k = 0; k < names.count; k++) expect_same(o->point, o->comma, names.items[k]);
            compared += names.count > 0;
            file_names_free(&names);
        }
    return compared;
}

// Times differ from run to run; there are as many columns in each row, and they are read back.
static void expect_equal_columns(const char *run) {
    char path[600];
    size_t bytes, commas = 0, lines = 0, head = 0;
    snprintf(path, sizeof path, "%s/times.csv", run);
    char *data = file_get(path, &bytes);
    for (size_t i = 0; i < bytes; i++) {
        commas += data[i] == ',', lines += data[i] == '\n';
        if (lines == 0) head = commas;
    }
    assert_true(lines > 1);
    assert_true(head > 2);
    assert_int_equal(commas, head * lines);
    mem_free(data);
}

static char *described(const char *run, bool json) {
    char *words;
    assert_ok(firn_info(run, json, &words));
    return words;
}

static void compare_info(const outputs *o) {
    char plots[2][600];
    for (int json = 0; json < 2; json++) {
        comma_locale_end();
        char *point = described(o->run, json);
        assert_non_null(setlocale(LC_NUMERIC, "comma"));
        char *comma = described(o->run, json);
        assert_string_equal(point, comma);
        firn_text_free(point);
        firn_text_free(comma);
    }
    for (int i = 0; i < 2; i++) {
        if (i == 0) comma_locale_end();
        snprintf(plots[i], sizeof plots[i], "%s/%d.svg", o->run, i);
        assert_ok(firn_info_plot(o->run, plots[i]));
        assert_non_null(setlocale(LC_NUMERIC, "comma"));
    }
    if (!files_equal(plots[0], plots[1])) fail_msg("plots differ between the locales");
}

static void compare(const char *yaml, size_t exports) {
    run_test t = run_test_make(yaml);
    outputs o = outputs_of(&t);
    if (!comma_locale_begin(t.folder.path)) {
        run_test_end(&t);
        skip();
    }
    assert_ok(run_to(t.scene, o.run));
    comma_locale_end();
    assert_ok(run_to(t.scene, o.run_again));
    expect_same_runs(o.run, o.run_again);
    expect_same(o.run, o.run_again, "run.json");
    expect_same(o.run, o.run_again, "scene.yaml");
    expect_equal_columns(o.run);
    compare_info(&o);
    assert_true(compare_exports(&o) >= exports);
    comma_locale_end();
    run_test_end(&t);
}

static void test_bodies_and_snow(void **state) {
    (void)state;
    compare(everything, 8);
}

static void test_storm(void **state) {
    (void)state;
    compare(storm, 8);
}

// What is wrong is said with points, too.
static void test_messages(void **state) {
    (void)state;
    run_test t =
        run_test_make("firn: 1\nduration: 1 s\nbodies: {ball: {shape: {sphere: {radius: 1}}, motion: "
                      "[{time: 1500 ms, at: [0, 0, 0]}, {time: 250 ms, at: [0, 1, 0]}]}}\n");
    if (!comma_locale_begin(t.folder.path)) {
        run_test_end(&t);
        skip();
    }
    assert_int_equal(run_to(t.scene, t.a), FIRN_BAD_INPUT);
    expect_message("is at 0.25 s, the one before it at 1.5 s");
    comma_locale_end();
    run_test_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_and_snow),
        cmocka_unit_test(test_storm),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
