// A world that is saved and loaded after each frame has the bits of one that goes on: while the snowfall on a
// field changes, and after bodies with snow on them, which tip, have left it.
#include "couples.h"

static const char words[] = "firn: 1\nfps: 5\nduration: 9 s\nmax_step: 50 ms\nair: {time_lapse: 3600}\n"
                            "bodies:\n"
                            "  tray:\n"
                            "    shape: {box: {size: [40 cm, 10 cm, 40 cm]}}\n"
                            "    motion:\n"
                            "      - {time: 0, at: [0.6, 0.25, 0], rotate: [0, 0, 20 deg]}\n"
                            "      - {time: 2 s, at: [0.6, 0.25, 0], rotate: [0, 0, 20 deg]}\n"
                            "      - {time: 3 s, at: [3, 0.25, 0], rotate: [0, 0, 20 deg]}\n"
                            "      - {time: 5 s, at: [4, 0.25, 0], rotate: [0, 0, 20 deg]}\n"
                            "field: {width: 2 m, length: 2 m, cell: 10 cm, depth: 20 cm, fall: {rate: "
                            "[{time: 0.6 s, value: 0}, {time: 1 s, "
                            "value: 1.5 mm/h}, {time: 2.2 s, value: 1.5 mm/h}, {time: 2.6 s, value: 0}]}}\n";

static void test_restarts_in_each_frame(void **state) {
    (void)state;
    firn_world *whole = open_world(words), *cut = open_world(words);
    double before = ledger_of(whole, "field").mass;
    for (int f = 0; f < 22; f++) {
        advance(whole, 0.2);
        advance(cut, 0.2);
        if (firn_world_hash(whole) != firn_world_hash(cut)) fail_msg("other bits after frame %d", f + 1);
        void *data;
        size_t bytes;
        firn_world *again = open_world(words);
        assert_ok(firn_world_save(cut, &data, &bytes));
        assert_ok(firn_world_load(again, data, bytes));
        firn_data_free(data);
        firn_world_close(cut);
        cut = again;
    }
    // 1.5 mm/h for 1.2 s and half of it for 0.8 s, an hour in a second, on 4 m2.
    double fell = ledger_of(whole, "field").mass - before, due = 1.5 * 1.6 * 4;
    print_message("%.4g kg fell, %.4g kg are due\n", fell, due);
    assert_near(fell, due, 0.1 * due); // rates are those of the ends of ticks
    firn_world_close(whole);
    firn_world_close(cut);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_restarts_in_each_frame)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
