// firn-test: slow
// Every model in one world: nothing of the state is left out, and it has the same bits for any number of
// threads and over a restart.
#include "bits.h"

#include "body/model.h"
#include "pbd/pbd.h"
#include "pbd/pbd_kinds.h"
#include "world/world.h"

static const char all_models[] = FIRN_TEST_DATA "/scenes/all-models.yaml";

static firn_world *make(void) {
    firn_world *world;
    assert_ok(firn_world_open(all_models, &world));
    return world;
}

static void advance(firn_world *world, int steps) {
    for (int i = 0; i < steps; i++) assert_ok(firn_world_step(world));
}

static void test_every_model_is_there_and_moves(void **state) {
    (void)state;
    size_t classes;
    world_model_classes(&classes);
    firn_world *world = make();
    assert_int_equal(firn_world_ledger_count(world), classes);
    firn_body_state start = firn_world_body_state(world, firn_world_body_find(world, "crate"));
    advance(world, 60);
    for (size_t i = 0; i < classes; i++) {
        firn_ledger ledger = firn_world_ledger(world, i);
        bool grows = ledger.mass_in > ledger.mass_out; // of the snow field: snow is poured onto it
        if (ledger.items == 0 || !(ledger.max_speed > 0 || grows))
            fail_msg("nothing moves in %s", ledger.model);
    }
    assert_true(firn_world_body_state(world, firn_world_body_find(world, "crate")).position.y <
                start.position.y);
    firn_world_close(world);
}

// A world once had room for 96 fields, and the last ones of phase were dropped without a word.
static void test_no_field_is_left_out(void **state) {
    (void)state;
    firn_world *world = make();
    size_t there = 0, absent = 0;
    for (size_t i = 0; i < world_model_count(world); i++)
        for (const field_table *const *t = world_model_class(world, i)->fields; *t; t++)
            for (size_t k = 0; k < (*t)->count; k++) {
                const field_row *row = &(*t)->rows[k];
                firn_field f = firn_world_field(world, row->name);
                bool missing = row->get(world_model(world, i)).absent;
                if (!f.name != missing) fail_msg("'%s' is left out", row->name);
                there += !missing;
                absent += missing;
            }
    assert_int_equal(firn_world_field_count(world),
                     there + 4); // and world.parameters, .changes, .steps, .coupling
    assert_true(there > 100);
    // Those of the cover on the wind's grid, which does not go with a snow field, grains.made, the three
    // of constraints that a program registers, the four of elastic cells, the three of foam, the five of
    // heat in mpm, its bonds of clods, the crust of the field, the load of a cover and what it hands to a
    // field, the two of phase for snow of mpm that melts, the three of saltation, the five of the grids
    // around the wind's, and the two of warm air.
    assert_int_equal(absent, 45);
    firn_world_close(world);
}

static void test_constraints_have_their_fields_in_the_table(void **state) {
    (void)state;
    size_t kinds;
    const pbd_kind *const *kind = pbd_kinds(&kinds);
    for (size_t k = 0; k < kinds; k++) {
        bool found = !kind[k]->fields;
        for (const field_table *const *t = pbd_model.fields; *t; t++) found |= *t == kind[k]->fields;
        if (!found) fail_msg("the fields of constraint '%s' are not in pbd_field_tables", kind[k]->name);
    }
}

// The series of a world are rows of the static tables, in their order.
static void test_series_are_in_the_tables(void **state) {
    (void)state;
    firn_world *world = make();
    size_t row = 0, count = firn_world_series_count(world);
    assert_true(count > 10);
    for (size_t i = 0; i < count; i++) {
        firn_series s = firn_world_series_at(world, i);
        const model_class *owner;
        const series_row *r;
        while ((r = world_series_row(row++, &owner)) && r->help != s.help) {
        }
        if (!r) fail_msg("'%s: %s' is in no table", s.panel, s.name);
        assert_string_equal(s.model, owner->name);
        assert_string_equal(s.panel, r->panel);
        assert_true(s.help[0] && isfinite(s.value));
    }
    firn_world_close(world);
}

static void test_any_number_of_threads(void **state) {
    (void)state;
    assert_threads_do_not_show(make, 80);
}

static void test_restart_in_the_middle(void **state) {
    (void)state;
    firn_world *whole = make(), *cut = make();
    advance(whole, 100);
    assert_restarts(whole, cut, 60);
    firn_world_close(whole);
    firn_world_close(cut);
}

int main(void) {
    only_threads_under_tsan();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_model_is_there_and_moves),
        cmocka_unit_test(test_no_field_is_left_out),
        cmocka_unit_test(test_constraints_have_their_fields_in_the_table),
        cmocka_unit_test(test_series_are_in_the_tables),
        cmocka_unit_test(test_any_number_of_threads),
        cmocka_unit_test(test_restart_in_the_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
