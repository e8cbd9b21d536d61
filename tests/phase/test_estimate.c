// firn-test: slow
// What `check` says of when all is melted or frozen, against runs of the same scene.
#include "phase/snowy.h"

#include "base/file.h"

// Seconds of the scene that the notes of `check` name, or 0.
static double estimate_of(const char *words) {
    firn_check check;
    assert_ok(file_write_text("estimate.yaml", words));
    assert_ok(firn_scene_check("estimate.yaml", (firn_overrides){0}, 1, &check));
    assert_ok(file_remove("estimate.yaml"));
    const char *found = strstr(check.notes, "of heat, ");
    double seconds = 0;
    if (found && sscanf(found, "of heat, %lf s of the scene", &seconds) != 1) seconds = 0;
    print_message("%s", check.notes);
    firn_check_free(&check);
    return seconds;
}

// When 97 % have melted, or frozen.
static double run_of(const char *words, bool melts, double most) {
    firn_world *world = snowy_open(words);
    const phase *m = snowy_model(world);
    double time = 0, target = 0, snow = (double)snowy_grains(m), count = (double)m->s->p.count;
    for (; target < 0.97 && time < most; time += 40 * 1.25e-3) {
        double melted = 0;
        snowy_run(world, 40);
        for (size_t i = 0; i < m->s->p.count; i++) melted += (double)phase_melted(m, i);
        melted += count - (double)m->s->p.count; // what a drain took was water
        target = melts ? (melted - (count - snow)) / snow : 1 - melted / (count - snow);
    }
    firn_world_close(world);
    return time;
}

static void assert_estimate(const char *words, bool melts) {
    double expected = estimate_of(words), time = run_of(words, melts, 3 * expected);
    print_message("estimate %g s, run %g s\n", expected, time);
    assert_true(expected > 0.5 * time && expected < 2 * time);
}

static void test_estimates(void **state) {
    (void)state;
    assert_estimate(
        "firn: 1\nduration: 1 s\nair: {temperature: 0 C}\n"
        "bodies: {ground: {shape: plane, temperature: 40 C}}\n"
        "phase:\n  heat: {time_lapse: 20000, exchange: 0}\n"
        "  box: {walls: [{low: [-8.8 cm, -1, -8.8 cm], high: [8.8 cm, 1, 8.8 cm]}]}\n"
        "  snow: {block: {shape: {box: {size: [17.5 cm, 17.5 cm, 17.5 cm]}}, at: [0, 8.77 cm, 0], "
        "temperature: -1 C}}\n",
        true);
    assert_estimate(
        "firn: 1\nduration: 1 s\nair: {temperature: 15 C}\nbodies: {ground: {shape: plane}}\n"
        "phase:\n  heat: {time_lapse: 50000}\n"
        "  snow: {ball: {shape: {sphere: {radius: 10 cm}}, at: [0, 10 cm, 0], temperature: -1 C}}\n",
        true);
    assert_estimate(
        "firn: 1\nduration: 1 s\nair: {temperature: 15 C}\n"
        "phase:\n  mass: 20 g\n  heat: {time_lapse: 20000, exchange: 0}\n"
        "  box: {walls: [{low: [-13 cm, 0, -13 cm], high: [13 cm, 1, 13 cm]}]}\n"
        "  water: {pool: {shape: {box: {size: [26 cm, 18 cm, 26 cm]}}, at: [0, 9 cm, 0], temperature: "
        "50 C}}\n"
        "  snow: {ball: {shape: {sphere: {radius: 6 cm}}, at: [0, 25 cm, 0], temperature: -1 C, "
        "density: 600 kg/m3}}\n",
        true);
    // It falls by a centimetre before the plate warms it.
    assert_estimate(
        "firn: 1\nduration: 1 s\nair: {temperature: 0 C}\nbodies: {plate: {shape: {cylinder: {radius: 12 cm, "
        "length: 6 cm}}, at: [0, -3 cm, 0], temperature: 80 C}}\n"
        "phase:\n  heat: {time_lapse: 10000, exchange: 0}\n  links: {mode: all}\n"
        "  drains: {below: {shape: {box: {size: [3, 10 cm, 3]}}, at: [0, -25 cm, 0]}}\n"
        "  snow: {ball: {shape: {sphere: {radius: 9 cm}}, at: [0, 10.5 cm, 0], temperature: -1 C}}\n",
        true);
    assert_estimate("firn: 1\nduration: 1 s\nair: {temperature: -15 C}\n"
                    "phase:\n  heat: {time_lapse: 50000}\n"
                    "  box: {walls: [{low: [-8.6 cm, 0, -8.6 cm], high: [8.6 cm, 1, 8.6 cm]}]}\n"
                    "  water: {pool: {shape: {box: {size: [17.2 cm, 8.6 cm, 17.2 cm]}}, at: [0, 4.3 cm, 0], "
                    "temperature: 2 C}}\n",
                    false);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_estimates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
