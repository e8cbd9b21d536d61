// Parameter tables: defaults, values as written, checks of structs, names.
#include "base/param.h"
#include "base/param_rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include "base/color.h"
#include "base/memory.h"

#include <cmocka.h> // last: it defines fail()

typedef struct form {
    int kind;
    double radius;
    firn_vec3 size;
    struct {
        const struct part *items;
        size_t count;
    } parts;
} form;
typedef struct part {
    const char *name;
    form shape;
} part;
typedef struct extra {
    double gain;
} extra;
typedef struct sample {
    bool on;
    int32_t count;
    double cell, density;
    firn_vec3 at, tint;
    const char *title, *snow;
    int mode;
    form shape;
    extra inner, merged;
    const extra *maybe;
    struct {
        const part *items;
        size_t count;
    } things;
} sample;

extern const param_table part_table;
static const param_row sphere_rows[] = {
    {.name = "radius",
     .type = PARAM_REAL,
     .offset = offsetof(form, radius),
     .unit = DIM_LENGTH,
     .fallback = "50 cm",
     .min = 0.01,
     .max = 10},
    {0},
};
static const param_row box_rows[] = {
    {.name = "size",
     .type = PARAM_VEC3,
     .offset = offsetof(form, size),
     .unit = DIM_LENGTH,
     .fallback = "[1 m, 2 m, 30 cm]",
     .min = 0.01,
     .max = 10},
    {0},
};
static const param_row union_rows[] = {
    {.name = "parts", .type = PARAM_MAP, .offset = offsetof(form, parts), .table = &part_table},
    {0},
};
static const param_table sphere_table = TABLE_OF(form, "shape.sphere", "", sphere_rows);
static const param_table box_table = TABLE_OF(form, "shape.box", "", box_rows);
static const param_table union_table = TABLE_OF(form, "shape.union", "", union_rows);
static const param_variant forms[] = {
    {.name = "plane", .kind = 0},
    {.name = "sphere", .kind = 1, .table = &sphere_table},
    {.name = "box", .kind = 2, .table = &box_table},
    {.name = "union", .kind = 3, .table = &union_table},
    {0},
};
static const param_row part_rows[] = {
    {.name = "shape",
     .type = PARAM_VARIANT,
     .offset = offsetof(part, shape),
     .variants = forms,
     .fallback = "box"},
    {0},
};
const param_table part_table = TABLE_OF(part, "things", "", part_rows);
static const param_row extra_rows[] = {
    {.name = "gain",
     .type = PARAM_REAL,
     .offset = offsetof(extra, gain),
     .fallback = "2",
     .min = 0,
     .max = INFINITY},
    {0},
};
static const param_table extra_table = TABLE_OF(extra, "", "", extra_rows);
static const param_row merged_rows[] = {
    {.name = "loss", .type = PARAM_REAL, .offset = offsetof(extra, gain), .fallback = "3"},
    {0},
};
static const param_table merged_table = TABLE_OF(extra, "", "", merged_rows);
static const char *const modes[] = {"still", "moving", NULL};
static const char *const *snows(void) {
    static const char *const words[] = {"powder", "packed", NULL};
    return words;
}
static void check_sample(const void *item, param_report *report) {
    const sample *s = item;
    if (s->mode == 1 && s->count == 0) report->add(report, "mode", "nothing can move when count is 0");
}
static const param_row rows[] = {
    {.name = "on", .type = PARAM_BOOL, .offset = offsetof(sample, on), .fallback = "yes"},
    {.name = "count",
     .type = PARAM_INT,
     .offset = offsetof(sample, count),
     .fallback = "7",
     .min = 0,
     .max = 100},
    {.name = "cell",
     .type = PARAM_REAL,
     .offset = offsetof(sample, cell),
     .unit = DIM_LENGTH,
     .fallback = "5 cm",
     .min = 0.001,
     .max = 10,
     .range_note = "usual: 2 cm"},
    {.name = "density",
     .type = PARAM_REAL,
     .offset = offsetof(sample, density),
     .unit = DIM_DENSITY,
     .fallback = "auto",
     .min = 1,
     .max = 1000},
    {.name = "at",
     .type = PARAM_VEC3,
     .offset = offsetof(sample, at),
     .unit = DIM_LENGTH,
     .fallback = "[0, -9.81, 3 cm]"},
    {.name = "tint", .type = PARAM_COLOR, .offset = offsetof(sample, tint), .fallback = "auto"},
    {.name = "title", .type = PARAM_TEXT, .offset = offsetof(sample, title), .fallback = "no name"},
    {.name = "snow", .type = PARAM_WORD, .offset = offsetof(sample, snow), .words = snows},
    {.name = "mode",
     .type = PARAM_CHOICE,
     .offset = offsetof(sample, mode),
     .choices = modes,
     .fallback = "still"},
    {.name = "shape",
     .type = PARAM_VARIANT,
     .offset = offsetof(sample, shape),
     .variants = forms,
     .fallback = "sphere"},
    {.name = "inner", .type = PARAM_TABLE, .offset = offsetof(sample, inner), .table = &extra_table},
    {.name = "more", .type = PARAM_MERGE, .offset = offsetof(sample, merged), .table = &merged_table},
    {.name = "maybe", .type = PARAM_OPTIONAL, .offset = offsetof(sample, maybe), .table = &extra_table},
    {.name = "things", .type = PARAM_MAP, .offset = offsetof(sample, things), .table = &part_table},
    {0},
};
static const param_table table = TABLE_OF(sample, "", "", rows, .check = check_sample);

static void test_defaults(void **state) {
    (void)state;
    sample s;
    param_defaults(&table, &s);
    assert_true(s.on);
    assert_int_equal(s.count, 7);
    assert_true(s.cell == 0.05 && firn_is_auto(s.density));
    assert_true(s.at.x == 0 && s.at.y == -9.81 && s.at.z == 0.03);
    assert_true(firn_is_auto(s.tint.x));
    assert_string_equal(s.title, "no name");
    assert_null(s.snow);
    assert_int_equal(s.mode, 0);
    assert_int_equal(s.shape.kind, 1);
    assert_true(s.shape.radius == 0.5 && s.inner.gain == 2 && s.merged.gain == 3);
    assert_null(s.maybe);
    assert_int_equal(s.things.count, 0);
    assert_int_equal(param_validate(&table, &s), FIRN_OK);
}

static void expect_refused(const sample *s, const char *message) {
    assert_int_equal(param_validate(&table, s), FIRN_BAD_INPUT);
    assert_string_equal(firn_last_error(), message);
}

static void test_validate_values(void **state) {
    (void)state;
    sample good;
    param_defaults(&table, &good);
    sample s = good;
    s.cell = 20;
    expect_refused(&s, "cell must be 1 mm .. 10 m; 20 m is too large (usual: 2 cm)");
    s.cell = NAN;
    expect_refused(&s, "cell is not a finite number");
    s = good, s.count = -1;
    expect_refused(&s, "count must be 0 .. 100; -1 is too small");
    s = good, s.density = 0.5;
    expect_refused(&s, "density must be 1 kg/m3 .. 1000 kg/m3; 0.5 kg/m3 is too small");
    s = good, s.inner.gain = -1;
    expect_refused(&s, "inner.gain must be at least 0; -1 is too small");
    s = good, s.snow = "powdr";
    expect_refused(&s, "snow: invalid value 'powdr'; known: powder, packed (did you mean 'powder'?)");
    s = good, s.mode = 2;
    expect_refused(&s, "mode is not one of its choices");
    s = good, s.shape.kind = 9;
    expect_refused(&s, "shape has an unknown kind");
    s = good, s.shape.radius = 0;
    expect_refused(&s, "shape.sphere.radius must be 1 cm .. 10 m; 0 m is too small");
    s = good, s.tint = (firn_vec3){0, 2, 0};
    expect_refused(&s, "tint must be 0 .. 1; 2 is too large");
    s = good, s.count = 0, s.mode = 1;
    expect_refused(&s, "mode: nothing can move when count is 0");
}

static void test_validate_items(void **state) {
    (void)state;
    sample s;
    param_defaults(&table, &s);
    part parts[3];
    for (int i = 0; i < 3; i++) param_defaults(&part_table, &parts[i]);
    parts[0].name = "a", parts[1].name = "b", parts[2].name = "c";
    s.things.items = parts, s.things.count = 3;
    assert_int_equal(param_validate(&table, &s), FIRN_OK);
    parts[2].name = "a";
    expect_refused(&s, "things: two items are named 'a'");
    parts[2].name = NULL;
    expect_refused(&s, "things: item 3 has no name; names are letters, digits, '_' and '-'");
    parts[2].name = "c.d";
    expect_refused(&s,
                   "things: item 3 has a name that is not allowed; names are letters, digits, '_' and '-'");
    parts[2].name = "c";
    parts[1].shape.size.y = 11;
    expect_refused(&s, "things.b.shape.box.size must be 1 cm .. 10 m; 11 m is too large");
    part inner = {"inner", {.kind = 3}};
    inner.shape.parts.items = &inner,
    inner.shape.parts.count = 1; // a union inside itself, as a program may write it
    s.things.items = &inner, s.things.count = 1;
    assert_int_equal(param_validate(&table, &s), FIRN_BAD_INPUT);
    s.things.items = NULL, s.things.count = 1;
    expect_refused(&s, "things has a count but no items");
}

static void expect_fault(const char *name, const char *written, const char *why, const char *hint) {
    const param_row *row = param_find(&table, name, NULL);
    assert_non_null(row);
    param_fault fault = {0};
    char room[64];
    assert_false(param_read(row, name, written, room, &fault));
    assert_string_equal(fault.why.data, why);
    if (hint)
        assert_string_equal(fault.hint.data, hint);
    else
        assert_null(fault.hint.data);
    param_fault_free(&fault);
}

static void test_faults(void **state) {
    (void)state;
    expect_fault("cell", "5 kg", "cell is a length; '5 kg' is a mass",
                 "write it in m, cm, mm, km, um; a bare number is in m");
    expect_fault("cell", "5 metre", "cell is a length; 'metre' is not a known unit",
                 "write it in m, cm, mm, km, um; a bare number is in m");
    expect_fault("cell", "5 CM", "cell is a length; 'CM' is not a known unit", "did you mean 'cm'?");
    expect_fault("cell", "big", "cell is a length; 'big' is not a number",
                 "write it in m, cm, mm, km, um; a bare number is in m");
    expect_fault("cell", "auto", "cell is a length; 'auto' is not a number",
                 "write it in m, cm, mm, km, um; a bare number is in m");
    expect_fault("count", "3.5", "count must be a whole number, not '3.5'", NULL);
    expect_fault("on", "maybe", "on must be true or false, not 'maybe'", NULL);
    expect_fault("mode", "movin", "mode: invalid value 'movin'; allowed: still, moving",
                 "did you mean 'moving'?");
    expect_fault("tint", "rde", "tint is a colour; 'rde' is not one", "did you mean 'red'?");
    expect_fault("at", "3 m", "at must be three numbers [x, y, z], not '3 m'", NULL);
}

static void test_find(void **state) {
    (void)state;
    const param_table *owner = NULL;
    assert_ptr_equal(param_find(&table, "things.shape.sphere.radius", &owner), &sphere_rows[0]);
    assert_ptr_equal(owner, &sphere_table);
    assert_ptr_equal(param_find(&table, "things.ball.shape.sphere.radius", NULL), &sphere_rows[0]);
    assert_ptr_equal(param_find(&table, "things.shape.shape", NULL), &part_rows[0]); // an item named as a key
    assert_ptr_equal(param_find(&table, "shape.union.parts.head.shape.box.size", NULL), &box_rows[0]);
    assert_ptr_equal(param_find(&table, "loss", &owner), &merged_rows[0]);
    assert_ptr_equal(owner, &merged_table);
    assert_ptr_equal(param_find(&table, "maybe.gain", NULL), &extra_rows[0]);
    const char *none[] = {
        "",   ".",          "cel", "cell.", "cell.x", "shape.sphere", "shape.cone.radius", "things.a.b.shape",
        "..", "inner..gain"};
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        if (param_find(&table, none[i], NULL)) fail_msg("'%s' was found", none[i]);
    }
}

static void test_colors(void **state) {
    (void)state;
    firn_vec3 c;
    assert_true(color_read("#ff0080", &c));
    assert_true(c.x == 1 && c.y == 0 && fabs(c.z - 0.21586050011389926) < 1e-12);
    assert_true(color_read("#fff", &c) && c.x == 1 && c.y == 1 && c.z == 1);
    assert_false(color_read("#ff00", &c) || color_read("#ggg", &c) || color_read("", &c) ||
                 color_read("ff0080", &c));
    for (const char *const *name = color_names(); *name; name++) assert_true(color_read(*name, &c));
}

static void test_no_memory_left(void **state) {
    (void)state;
    sample s;
    param_defaults(&table, &s);
    assert_int_equal(mem_in_use(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),       cmocka_unit_test(test_validate_values),
        cmocka_unit_test(test_validate_items), cmocka_unit_test(test_faults),
        cmocka_unit_test(test_find),           cmocka_unit_test(test_colors),
        cmocka_unit_test(test_no_memory_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
