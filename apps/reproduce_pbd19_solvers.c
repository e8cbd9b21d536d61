// PBD19 chapters 3, 4 and figure 17: the solvers against each other, and Gauss-Seidel without colours.
#include "reproduce.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 8, WAYS = 7 }; // iterations 1, 2, 4 .. 128
typedef struct way {
    const char *name, *solver; // solver NULL: links in waves, without colours
    double relaxation;
    size_t wave;
} way;
// A GeForce GTX 1060 keeps up to 320 groups of threads in flight: 32 on each of 10 multiprocessors.
enum { IN_FLIGHT = 320 };
static const way ways[WAYS] = {{"Gauss-Seidel, coloured", "gauss_seidel", 1, 0},
                               {"Jacobi by constraint", "jacobi", 1, 0},
                               {"Jacobi by particle", "jacobi_particle", 1, 0},
                               {"Jacobi by constraint, omega 1.8", "jacobi", 1.8, 0},
                               {"without colours, one link after the other", NULL, 1, 1},
                               {"without colours, 320 links at once", NULL, 1, IN_FLIGHT},
                               {"without colours, all links at once", NULL, 1, SIZE_MAX / 2}};

static double errors_after(const firn_world *world, const char *name) {
    for (size_t i = 0; i < firn_world_series_count(world); i++) {
        firn_series s = firn_world_series_at(world, i);
        if (strcmp(s.panel, "errors of constraints") == 0 && strcmp(s.name, name) == 0) return s.value;
    }
    return NAN;
}

// Error after one step with so many iterations, from a saved state.
static int error_of(firn_world *world, const void *state, size_t bytes, const way *w, int iterations,
                    double *error) {
    firn_status status = firn_world_load(world, state, bytes);
    if (status == FIRN_OK && w->solver) {
        status = firn_world_set_text(world, "pbd.solver", w->solver);
        if (status == FIRN_OK) status = firn_world_set(world, "pbd.iterations", iterations);
        if (status == FIRN_OK) status = firn_world_set(world, "pbd.relaxation", w->relaxation);
        if (status == FIRN_OK) status = firn_world_step(world);
        *error = errors_after(world, "after");
        return say_status(status);
    }
    race s;
    if (status != FIRN_OK) return say_status(status);
    bool good = race_open(&s, world);
    if (good) {
        race_predict(&s, 1 / 60.0, 0);
        for (int i = 0; i < iterations; i++) race_sweep(&s, w->wave, false);
        *error = race_error(&s);
    }
    race_close(&s);
    return good ? EXIT_DONE : say_failed("out of memory while solving");
}

// The sphere of figure 15, pressed to two thirds between two walls in free space, so that its links are all
// there is to solve. Pressed to a third, as in figure 16, it crumples, and how depends on rounding.
static const char pressed_sphere[] =
    "firn: 1\nduration: 4 s\nfps: 60\nmax_step: 16.7 ms\ngravity: [0, 0, 0]\n"
    "pbd: {solver: gauss_seidel, iterations: 1, damping: 0.3, statistics: yes, solids: {ball: {shape: "
    "{sphere: "
    "{radius: 50 cm}}, pattern: blue_noise, spacing: 13.15 cm, links: all_pairs, density: 300 kg/m3}}, box: "
    "{friction: 0, "
    "walls: [{time: 0, low: [-2, -0.6, -2], high: [2, 0.6, 2]}, {time: 1, low: [-2, -0.33, -2], high: [2, "
    "0.175, 2]}, "
    "{time: 1.3, low: [-2, -0.33, -2], high: [2, 0.33, 2]}, {time: 1.301, low: [-9, -9, -9], high: [9, 9, "
    "9]}]}}\n";

typedef struct convergence {
    double iterations[ROUNDS], error[WAYS][ROUNDS], before;
} convergence;

static int measure_convergence(convergence *out) {
    firn_world *world = NULL;
    void *state = NULL;
    size_t bytes = 0;
    int code = say_status(firn_world_open_text(pressed_sphere, "convergence", &world));
    if (code == EXIT_DONE) code = say_status(firn_world_advance(world, 1.3)); // pressed; the box opens now
    if (code == EXIT_DONE) code = say_status(firn_world_save(world, &state, &bytes));
    for (int k = 0; k < ROUNDS && code == EXIT_DONE; k++) {
        out->iterations[k] = 1 << k;
        for (int w = 0; w < WAYS && code == EXIT_DONE; w++)
            code = error_of(world, state, bytes, &ways[w], 1 << k, &out->error[w][k]);
    }
    if (code == EXIT_DONE) {
        const way nothing = {.wave = 1};
        code = error_of(world, state, bytes, &nothing, 0, &out->before);
    }
    firn_data_free(state);
    firn_world_close(world);
    return code;
}

static int converge(reproduction *r) {
    convergence c;
    reproduce_curve curves[WAYS];
    int code = measure_convergence(&c);
    if (code != EXIT_DONE) return code;
    for (int w = 0; w < WAYS; w++)
        curves[w] = (reproduce_curve){ways[w].name, c.iterations, c.error[w], ROUNDS};
    code = reproduce_plot(r, "convergence",
                          &(reproduce_chart){"The pressed sphere in its first step after it is freed",
                                             "iterations", "r.m.s. error of the links, m", true, true, curves,
                                             WAYS});
    if (code != EXIT_DONE) return code;
    fprintf(
        r->page,
        "## Convergence\n\nThe sphere, pressed to two thirds without gravity and floor, at the moment when "
        "it "
        "is freed: error of the links (root mean "
        "square) after one step with so many iterations; before the first it is %.1f mm. \"Without colours\" "
        "is not a "
        "solver of firn: apps/reproduce_race.c does what the threads of a graphics card do, and can repeat "
        "it. "
        "Links that run at the same time read old positions, and of several writes to a particle the last is "
        "left. 320 is what a GTX 1060 keeps in flight.\n\n![error over iterations](convergence.svg)\n\n| "
        "iterations |",
        1e3 * c.before);
    for (int k = 0; k < ROUNDS; k++) fprintf(r->page, " %.0f |", c.iterations[k]);
    fprintf(r->page, "\n| --- |");
    for (int k = 0; k < ROUNDS; k++) fprintf(r->page, " --- |");
    for (int w = 0; w < WAYS; w++) {
        fprintf(r->page, "\n| %s, mm |", ways[w].name);
        for (int k = 0; k < ROUNDS; k++) fprintf(r->page, " %.3g |", 1e3 * c.error[w][k]);
    }
    fprintf(r->page, "\n\n");
    reproduce_statements(r, "Statements about the solvers", "");
    reproduce_statement(r, "Gauss-Seidel uses new values at once and so converges much faster than Jacobi",
                        c.error[0][2] < 0.1 * c.error[1][2] ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "after 4 iterations %.3g mm against %.3g mm", 1e3 * c.error[0][2],
                        1e3 * c.error[1][2]);
    reproduce_statement(r, "averaging makes Jacobi converge",
                        c.error[1][ROUNDS - 1] < 0.5 * c.before ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "from %.1f mm to %.3g mm in %.0f iterations", 1e3 * c.before,
                        1e3 * c.error[1][ROUNDS - 1], c.iterations[ROUNDS - 1]);
    reproduce_statement(r,
                        "where many links meet, averaging is too weak; omega above 1 makes up for some of it",
                        c.error[3][3] < c.error[1][3] ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "after 8 iterations %.3g mm with omega 1.8, %.3g mm with 1", 1e3 * c.error[3][3],
                        1e3 * c.error[1][3]);
    reproduce_statement(r, "by constraint and by particle are two ways to the same sum",
                        fabs(c.error[1][3] - c.error[2][3]) < 1e-3 * c.error[1][3] ? VERDICT_HOLDS
                                                                                   : VERDICT_DIFFERS,
                        "after 8 iterations %.4g mm and %.4g mm", 1e3 * c.error[1][3], 1e3 * c.error[2][3]);
    return EXIT_DONE;
}

// Figure 1: a particle between two that are held too far away, by one iteration more each.
static int contradiction(reproduction *r) {
    static const char *const solvers[] = {"gauss_seidel", "jacobi"};
    double off[2][2];
    for (int s = 0; s < 4; s++) {
        char scene[900];
        firn_world *world;
        size_t count;
        snprintf(scene, sizeof scene,
                 "firn: 1\nduration: 2 s\nfps: 60\ngravity: [0, 0, 0]\n"
                 "bodies: {hand: {shape: {box: {size: [1 cm, 1 cm, 1 cm]}}, motion: {keyframes: [{time: 0, "
                 "at: [0.1, 0.5, 0]}, "
                 "{time: 1, at: [0.2, 0.5, 0]}]}}}\n"
                 "pbd: {solver: %s, iterations: %d, solids: {rope: {lattice: [3, 1, 1], at: [0, 0.5, 0], "
                 "spacing: 10 cm, "
                 "radius: 1 mm, links: neighbours, neighbours: 1, stiffness: 0}}, pins: {left: {shape: {box: "
                 "{size: [1 cm, 1 cm, "
                 "1 cm]}}, at: [-0.1, 0.5, 0]}, right: {shape: {box: {size: [1 cm, 1 cm, 1 cm]}}, at: [0.1, "
                 "0.5, 0], "
                 "body: hand}}}\n",
                 solvers[s / 2], 50 + s % 2);
        int code = say_status(firn_world_open_text(scene, "figure 1", &world));
        if (code != EXIT_DONE) return code;
        code = say_status(firn_world_advance(world, 1.5));
        double(*x)[3] = reproduce_points(world, "pbd.position", &count);
        if (code == EXIT_DONE && x && count == 3)
            off[s / 2][s % 2] = x[1][0] - (x[0][0] + x[2][0]) / 2;
        else if (code == EXIT_DONE)
            code = say_failed("cannot measure figure 1");
        free(x);
        firn_world_close(world);
        if (code != EXIT_DONE) return code;
    }
    reproduce_statement(
        r,
        "constraints that contradict each other (figure 1): Gauss-Seidel alternates between their solutions, "
        "Jacobi "
        "ends at the mean",
        fabs(off[0][0]) > 0.04 && fabs(off[1][0]) < 1e-3 ? VERDICT_HOLDS : VERDICT_DIFFERS,
        "a particle between two that are 10 cm too far apart: Gauss-Seidel leaves it %.1f cm off the "
        "middle, where the last of the two wants it; Jacobi %.1f cm",
        100 * fabs(off[0][0]), 100 * fabs(off[1][0]));
    return EXIT_DONE;
}

// Whether no particle is twice in a colour.
static bool colours_hold(const firn_world *world) {
    firn_field links = firn_world_field(world, "pbd.links"),
               first = firn_world_field(world, "pbd.link_colour");
    const uint32_t *pair = links.data, *from = first.data;
    size_t particles = firn_world_field(world, "pbd.position").count, count = links.count / 2;
    size_t *seen = calloc(particles + 1, sizeof *seen);
    bool good = seen != NULL;
    for (size_t c = 0; c + 1 < first.count && good; c++)
        for (size_t k = from[c]; k < from[c + 1] && k < count; k++)
            for (int end = 0; end < 2; end++) {
                size_t *at = &seen[pair[k + (size_t)end * count]];
                good = good && *at != c + 1;
                *at = c + 1;
            }
    free(seen);
    return good;
}

// Colours of the links of all pairs, and the same bits with one thread and with more.
static int colours(reproduction *r) {
    char scene[PATH_MAX];
    uint64_t hash[2];
    size_t count = 0, particles = 0;
    bool hold = false;
    int threads = firn_threads();
    int code = scene_find("sphere-drop", scene, sizeof scene);
    for (int i = 0; i < 2 && code == EXIT_DONE; i++) {
        firn_world *world;
        firn_set_threads(i ? 2 : 1);
        code = say_status(firn_world_open(scene, &world));
        if (code != EXIT_DONE) break;
        code = say_status(firn_world_advance(world, 1));
        hash[i] = firn_world_hash(world);
        count = firn_world_field(world, "pbd.link_colour").count - 1;
        particles = firn_world_field(world, "pbd.position").count;
        hold = colours_hold(world);
        firn_world_close(world);
    }
    firn_set_threads(threads);
    if (code != EXIT_DONE) return code;
    reproduce_statement(
        r, "greedy colouring groups links that share no particle", hold ? VERDICT_HOLDS : VERDICT_DIFFERS,
        "%zu colours for all pairs of %zu particles; each particle has %zu links, so no fewer than that are "
        "possible",
        count, particles, particles - 1);
    reproduce_statement(r,
                        "without colours threads race, and the result depends on which one is faster; with "
                        "colours it does not",
                        hash[0] == hash[1] ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "one thread and two give %s bits after 1 s",
                        hash[0] == hash[1] ? "the same" : "other");
    fprintf(r->page, "\n");
    return EXIT_DONE;
}

// Figure 17: the fall of figure 15 without colours.
typedef struct fall {
    const char *name;
    int iterations;
    size_t wave;
    bool backwards;
    double error;   // of the shape, mean over the last half second
    double (*x)[3]; // at the end
    size_t count;
} fall;

static int fall_run(const reproduction *r, const firn_world *world, fall *f) {
    const int steps = r->quick ? 75 : 180, last = 30;
    race s;
    size_t count;
    double(*first)[3] = reproduce_points(world, "pbd.position", &count);
    bool good = race_open(&s, world) && first;
    for (int i = 0; i < steps && good && !interrupt_asked(NULL); i++) {
        race_step(&s, 1 / 60.0, f->iterations, f->wave, f->backwards);
        if (i >= steps - last)
            f->error += shape_error((const double(*)[3])s.x, (const double(*)[3])first, count) / last;
    }
    f->x = s.x;
    f->count = s.particles;
    s.x = NULL;
    race_close(&s);
    free(first);
    if (!good) return say_failed("out of memory while solving without colours");
    return interrupt_asked(NULL) ? EXIT_INTERRUPTED : EXIT_DONE;
}

static double difference(const fall *a, const fall *b) {
    double sum = 0;
    for (size_t i = 0; i < a->count; i++)
        for (int k = 0; k < 3; k++) sum += (a->x[i][k] - b->x[i][k]) * (a->x[i][k] - b->x[i][k]);
    return sqrt(sum / (double)a->count);
}

static void shape_text(double error, char *out, size_t size) {
    if (error < 10)
        snprintf(out, size, "%.1f %%", 100 * error);
    else
        snprintf(out, size, "flies apart");
}

static int figure_17(reproduction *r) {
    enum { FALLS = 6 };
    fall falls[FALLS] = {{"one after the other, 1 iteration", 1, 1, false, 0, NULL, 0},
                         {"320 at once, 1 iteration", 1, IN_FLIGHT, false, 0, NULL, 0},
                         {"320 at once, 100 iterations", 100, IN_FLIGHT, false, 0, NULL, 0},
                         {"all at once, 1 iteration", 1, SIZE_MAX / 2, false, 0, NULL, 0},
                         {"all at once, 100 iterations", 100, SIZE_MAX / 2, false, 0, NULL, 0},
                         {"320 at once, backwards", 1, IN_FLIGHT, true, 0, NULL, 0}};
    char scene[PATH_MAX];
    firn_world *world = NULL;
    reproduce_dots views[FALLS - 1];
    int code = scene_find("sphere-drop", scene, sizeof scene);
    if (code == EXIT_DONE) say_note("'without-colours'");
    if (code == EXIT_DONE) code = say_status(firn_world_open(scene, &world));
    for (int i = 0; i < FALLS && code == EXIT_DONE; i++) code = fall_run(r, world, &falls[i]);
    for (int i = 0; i < FALLS - 1; i++)
        views[i] = (reproduce_dots){falls[i].name, (const double(*)[3])falls[i].x, falls[i].count};
    if (code == EXIT_DONE) code = reproduce_views(r, "without-colours", views, FALLS - 1, 0.066);
    if (code == EXIT_DONE) {
        fprintf(r->page,
                "## Figure 17: Gauss-Seidel without colours\n\nThe sphere of figure 15 falls on the floor, "
                "with the links of a "
                "particle one after the other as in listing 19, and in waves as above; seen from the side "
                "%.2f s after the "
                "start.\n\n![without colours](without-colours.svg)\n\n",
                (r->quick ? 75 : 180) / 60.0);
        reproduce_statements(r, "Statements about figure 17", "");
        char shape[FALLS][32];
        for (int i = 0; i < FALLS; i++) shape_text(falls[i].error, shape[i], sizeof shape[i]);
        reproduce_statement(
            r,
            "Gauss-Seidel needs groups of independent links to converge on a graphics card; without them one "
            "iteration does not",
            falls[1].error > 0.05 && falls[3].error > 0.05 ? VERDICT_HOLDS : VERDICT_DIFFERS,
            "mean error of the shape in the last half second: 320 at once %s, all at once %s", shape[1],
            shape[3]);
        reproduce_statement(r, "nor do 100 iterations; single pictures may show a sphere",
                            falls[2].error > 0.05 && falls[4].error > 0.05 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                            "320 at once %s, all at once %s", shape[2], shape[4]);
        reproduce_statement(r, "the order of the links must be fixed, since it changes the result",
                            difference(&falls[1], &falls[5]) > 0.01 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                            "the same links backwards, 320 at once: particles end %.2g m elsewhere (r.m.s.)",
                            difference(&falls[1], &falls[5]));
        fprintf(r->page,
                "\nThe order alone matters, too: one link after the other in the order of listing 19, with "
                "one iteration: %s.\n",
                shape[0]);
        fprintf(r->page, "\n");
    }
    for (int i = 0; i < FALLS; i++) free(falls[i].x);
    firn_world_close(world);
    return code;
}

int pbd19_solvers(reproduction *r) {
    int code = converge(r);
    if (code == EXIT_DONE) code = contradiction(r);
    if (code == EXIT_DONE) code = colours(r);
    return code == EXIT_DONE ? figure_17(r) : code;
}
