// PHASE21 chapter 8: its five scenes, at full size, with its own change of phase (blending) and with latent
// heat.
#include "reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NONE, DYNAMIC, ALL, DROPS };
static const reproduce_case drops[DROPS] = {
    {"drop-none", "drop-no-links", {NULL}, "without links (figure 8.1)", "", NULL},
    {"drop-dynamic", "drop-dynamic-links", {NULL}, "linked by temperature (figure 8.3)", "", NULL},
    {"drop-all", "drop-all-links", {NULL}, "all linked (figure 8.2)", "", NULL}};
enum { BLENDING, LATENT, CHANGES };
static const reproduce_case melts[CHANGES] = {
    {"melt-blending", "melt", {"phase.change=blending", NULL}, "blending", "", NULL},
    {"melt-latent", "melt", {NULL}, "latent heat", "", NULL}};
static const reproduce_case freezes[CHANGES] = {
    {"freeze-blending", "freeze", {"phase.change=blending", NULL}, "blending", "", NULL},
    {"freeze-latent", "freeze", {NULL}, "latent heat", "", NULL}};
static const reproduce_case waters[CHANGES] = {
    {"drop-water-blending", "hot-water-on-snow", {"phase.change=blending", NULL}, "blending", "", NULL},
    {"drop-water-latent", "hot-water-on-snow", {NULL}, "latent heat", "", NULL}};
// 50 steps of 1.25 ms between frames. Quick: fewer particles of 2.5 or 4 times the size, and in the scenes
// conductivities 16 times as high, so that a particle melts in as many steps.
static const char *const full[] = {"fps=16", NULL},
                         *const quick_drop[] = {"fps=16", "phase.mass=160g", "duration=1.25s", NULL},
                         *const quick_scene[] = {"fps=16",
                                                 "phase.mass=640g",
                                                 "phase.smoothing=14.51132cm",
                                                 "duration=2.5s",
                                                 "phase.heat.snow_conductivity=40000W/mK",
                                                 "phase.heat.water_conductivity=9600W/mK",
                                                 NULL};
static const double STEP = 0.00125; // s, a frame of the thesis

// What a run with change of phase tells, by frame.
typedef struct history {
    reproduce_table table;
    double *frame; // of the thesis
    double *snow, *water, *melted, *frozen, *cold, *warm, *links, *jump, *soaked, *each;
    size_t count;
} history;

static double *column(history *h, const char *name, int *code) {
    double *values = *code == EXIT_DONE ? reproduce_column(&h->table, name) : NULL;
    if (!values) *code = EXIT_FAILED;
    return values;
}

static int history_read(const reproduction *r, const reproduce_case *c, history *h) {
    *h = (history){.count = 0};
    int code = reproduce_read(r, c, &h->table);
    if (code != EXIT_DONE) return code;
    h->count = h->table.rows;
    h->frame = column(h, "time s", &code);
    h->snow = column(h, "phase number of particles snow", &code);
    h->water = column(h, "phase number of particles water", &code);
    h->melted = column(h, "phase changes of kind so far melted", &code);
    h->frozen = column(h, "phase changes of kind so far frozen", &code);
    h->cold = column(h, "phase mean temperature snow C", &code);
    h->warm = column(h, "phase mean temperature water C", &code);
    h->links = column(h, "phase links", &code);
    h->jump = column(h, "phase largest jump so far m/s", &code);
    h->soaked = column(h, "phase liquid water soaked so far kg", &code);
    h->each = column(h, "time of a step s", &code);
    for (size_t i = 0; code == EXIT_DONE && i < h->count; i++) {
        h->frame[i] /= STEP;
        h->each[i] *= 1e3; // ms
    }
    return code;
}

static void history_free(history *h) {
    double *all[] = {h->frame, h->snow,  h->water, h->melted, h->frozen, h->cold,
                     h->warm,  h->links, h->jump,  h->soaked, h->each};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    reproduce_table_free(&h->table);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Median of the times of a step in a range of frames of the thesis; their spread, if wanted: half the range
// of the middle half, over the median. Both shrug off what else the machine does.
static double median_time(const history *h, double from, double to, double *spread) {
    double *some = calloc(h->count + 1, sizeof *some), median = NAN;
    size_t n = 0;
    for (size_t i = 0; some && i < h->count; i++)
        if (h->frame[i] > from && h->frame[i] <= to && isfinite(h->each[i])) some[n++] = h->each[i];
    if (n) {
        qsort(some, n, sizeof *some, by_value);
        median = some[n / 2];
        if (spread) *spread = (some[3 * n / 4] - some[n / 4]) / 2 / median;
    } else if (spread)
        *spread = NAN;
    free(some);
    return median;
}

static size_t row_at(const history *h, double frame) {
    size_t i = 0;
    while (i + 1 < h->count && h->frame[i] < frame) i++;
    return i;
}

// How far snow that was there at the start has lost its shape by a frame of a run.
static int shape_lost(const reproduction *r, const reproduce_case *c, uint64_t frame, double *out) {
    enum { EVERY = 7 }; // grains enough
    firn_world *world[2] = {NULL, NULL};
    double(*x[2])[3] = {NULL, NULL}, (*some[2])[3] = {NULL, NULL};
    size_t count[2] = {0, 0}, n = 0, *where = NULL;
    int code = reproduce_world(r, c, 0, &world[0]);
    if (code == EXIT_DONE) code = reproduce_world(r, c, frame, &world[1]);
    if (code == EXIT_DONE) {
        for (int i = 0; i < 2; i++) x[i] = reproduce_points(world[i], "phase.position", &count[i]);
        const uint32_t *id[2], *kind = firn_world_field(world[0], "phase.kind").data;
        for (int i = 0; i < 2; i++) id[i] = firn_world_field(world[i], "phase.id").data;
        size_t most = count[0];
        for (size_t i = 0; i < count[1]; i++) most = id[1][i] > most ? id[1][i] : most;
        where = calloc(most + 1, sizeof *where);
        for (int i = 0; i < 2; i++) some[i] = calloc(count[0] / EVERY + 1, sizeof **some);
        if (!x[0] || !x[1] || !where || !some[0] || !some[1])
            code = say_failed("out of memory while measuring '%s'", c->name);
        for (size_t i = 0; code == EXIT_DONE && i < count[1]; i++) where[id[1][i]] = i + 1;
        for (size_t i = 0; code == EXIT_DONE && i < count[0]; i++) {
            if (kind[i] != 0 || id[0][i] % EVERY != 0 || !where[id[0][i]] || n > count[0] / EVERY) continue;
            memcpy(some[0][n], x[0][i], sizeof **some);
            memcpy(some[1][n++], x[1][where[id[0][i]] - 1], sizeof **some);
        }
    }
    if (code == EXIT_DONE) *out = shape_error((const double(*)[3])some[1], (const double(*)[3])some[0], n);
    for (int i = 0; i < 2; i++) {
        free(x[i]);
        free(some[i]);
        firn_world_close(world[i]);
    }
    free(where);
    return code;
}

// A row of pictures at frames of the thesis, `every` apart; the last also as a thermograph, if that is
// wanted.
static int pictures(const reproduction *r, const reproduce_case *c, const char *const *common, int every,
                    int count, const char *const *heat) {
    char name[64];
    double steps, seconds;
    int all = count + (heat != NULL);
    fprintf(r->page, "%s: ", c->changed);
    reproduce_command(r, c, common);
    if (reproduce_cost(r, c, &steps, &seconds)) fprintf(r->page, ": %.0f steps, %.0f s", steps, seconds);
    fprintf(r->page, "\n\n|");
    for (int i = 1; i <= all; i++) {
        int frame = every * (i < count ? i : count);
        snprintf(name, sizeof name, "%s-%d%s", c->name, frame, i > count ? "-heat" : "");
        int code = reproduce_draw(r, c, name, (uint64_t)(frame / 50), i > count ? heat : NULL);
        if (code != EXIT_DONE) return code;
        fprintf(r->page, " ![%s](%s.png)<br>frame %d%s |", name, name, frame,
                i > count ? ", temperatures" : "");
    }
    fprintf(r->page, "\n|");
    for (int i = 0; i < all; i++) fprintf(r->page, " --- |");
    fprintf(r->page, "\n\n");
    return EXIT_DONE;
}

// Links of a grain on average, soon after the start, and how many it may have.
static int slots_used(const reproduction *r, const reproduce_case *c, double *used, double *slots) {
    firn_world *world;
    int code = reproduce_world(r, c, 1, &world);
    if (code != EXIT_DONE) return code;
    firn_field links = firn_world_field(world, "phase.links");
    const uint32_t *number = links.data;
    *used = 0;
    for (size_t i = 0; i < links.count; i++) *used += (double)number[i] / (double)links.count;
    code = say_status(firn_world_get(world, "phase.links.most", slots));
    firn_world_close(world);
    return code;
}

static int snow_drops(reproduction *r) {
    double lost[DROPS], used, slots;
    const char *const *common = r->quick ? quick_drop : full;
    int code = EXIT_DONE;
    fprintf(r->page, "## Figures 8.1 to 8.3: a block of snow at -10 C falls\n\n");
    for (int i = 0; i < DROPS && code == EXIT_DONE; i++) {
        code = reproduce_simulate(r, &drops[i], common);
        if (code == EXIT_DONE) code = pictures(r, &drops[i], common, 200, 5, NULL);
        if (code == EXIT_DONE) code = shape_lost(r, &drops[i], FIRN_LAST_FRAME, &lost[i]);
    }
    if (code == EXIT_DONE) code = slots_used(r, &drops[DYNAMIC], &used, &slots);
    if (code != EXIT_DONE) return code;
    reproduce_statements(
        r, "Statements of 8.1.2 and 6.2.4",
        "Lost shape: how far distances between grains at the end are from those at the start, r.m.s.");
    reproduce_statement(
        r, "snow with links keeps its shape after the fall, without it does not",
        lost[DYNAMIC] < 0.5 * lost[NONE] && lost[ALL] < 0.5 * lost[NONE] ? VERDICT_HOLDS : VERDICT_DIFFERS,
        "lost shape: %.1f %% without links, %.1f %% linked by temperature, %.1f %% all linked",
        100 * lost[NONE], 100 * lost[DYNAMIC], 100 * lost[ALL]);
    reproduce_statement(r, "snow linked by temperature is fluffy but keeps its shape: softer than all linked",
                        lost[DYNAMIC] > 1.2 * lost[ALL] && lost[DYNAMIC] < 0.5 * lost[NONE] ? VERDICT_HOLDS
                                                                                            : VERDICT_DIFFERS,
                        "%.1f %% against %.1f %%", 100 * lost[DYNAMIC], 100 * lost[ALL]);
    reproduce_statement(r, "at -10 C with T_homo -30 C a third of the connections (equation 6.8)",
                        used > 0.25 * slots && used < 0.42 * slots ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "a grain uses %.1f of %.0f slots", used, slots);
    fprintf(r->page, "\n");
    return EXIT_DONE;
}

// Runs a scene both ways, draws pictures and thermograph, and plots the numbers of particles and the time of
// a step.
static int scene_both(reproduction *r, const reproduce_case *cases, const char *const *heat,
                      const char *numbers, const char *times, history *h) {
    reproduce_curve kinds[2 * CHANGES], each[CHANGES];
    static const char *const kind_names[CHANGES][2] = {{"snow, blending", "water, blending"},
                                                       {"snow, latent heat", "water, latent heat"}};
    const char *const *common = r->quick ? quick_scene : full;
    char plot[2][64];
    for (int i = 0; i < CHANGES; i++) {
        int code = reproduce_simulate(r, &cases[i], common);
        if (code == EXIT_DONE) code = pictures(r, &cases[i], common, 1000, r->quick ? 2 : 5, heat);
        if (code == EXIT_DONE) code = history_read(r, &cases[i], &h[i]);
        if (code != EXIT_DONE) return code;
        kinds[2 * i] = (reproduce_curve){kind_names[i][0], h[i].frame, h[i].snow, h[i].count};
        kinds[2 * i + 1] = (reproduce_curve){kind_names[i][1], h[i].frame, h[i].water, h[i].count};
        each[i] = (reproduce_curve){cases[i].changed, h[i].frame, h[i].each, h[i].count};
    }
    snprintf(plot[0], sizeof plot[0], "%s-kinds", cases[0].scene);
    snprintf(plot[1], sizeof plot[1], "%s-times", cases[0].scene);
    int code = reproduce_plot(
        r, plot[0],
        &(reproduce_chart){numbers, "frame of 1.25 ms", "particles", false, false, kinds, 2 * CHANGES});
    if (code == EXIT_DONE)
        code = reproduce_plot(
            r, plot[1], &(reproduce_chart){times, "frame of 1.25 ms", "ms", false, false, each, CHANGES});
    fprintf(r->page, "![%s](%s.svg)\n\n![%s](%s.svg)\n\n", numbers, plot[0], times, plot[1]);
    return code;
}

static void numbers_row(reproduction *r, const char *thesis, const history *h, double water, double snow) {
    reproduce_statement(r, thesis,
                        h->water[0] == water && h->snow[0] == snow ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "%.0f of water, %.0f of snow", h->water[0], h->snow[0]);
}

static void melting_rows(reproduction *r, const history *h) {
    const history *b = &h[BLENDING], *l = &h[LATENT];
    size_t last = b->count - 1;
    reproduce_statements(r, "Statements of 8.1.3", "");
    numbers_row(r, "64 000 particles of water, 10 648 of snow", b, 64000, 10648);
    reproduce_statement(r, "the snow shrinks over time; its particles gradually become water",
                        b->snow[last] < 0.8 * b->snow[0] && l->snow[last] < l->snow[0] ? VERDICT_HOLDS
                                                                                       : VERDICT_DIFFERS,
                        "of %.0f grains %.0f are left at frame %.0f with blending, %.0f with latent heat",
                        b->snow[0], b->snow[last], b->frame[last], l->snow[l->count - 1]);
    reproduce_statement(
        r, "heat goes from the water into the snow (figure 8.6)",
        b->cold[last] > b->cold[0] && b->warm[last] < b->warm[0] ? VERDICT_HOLDS : VERDICT_DIFFERS,
        "blending: snow %.0f to %.1f C, water %.0f to %.1f C; latent heat: %.1f and %.1f C", b->cold[0],
        b->cold[last], b->warm[0], b->warm[last], l->cold[l->count - 1], l->warm[l->count - 1]);
    double before = median_time(b, 0, 100, NULL), after = median_time(b, 400, 1000, NULL);
    reproduce_statement(r, "a frame takes longer from the moment when the snow meets the water (figure 8.4)",
                        after > before ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "median of a step: %.1f ms in the first 100 frames, %.1f ms from 400 to 1000", before,
                        after);
    double ratio = (b->snow[0] - b->snow[last]) / fmax(1, l->snow[0] - l->snow[l->count - 1]);
    reproduce_statement(
        r, "a threshold of blending mimics latent heat (6.2.2)", ratio < 2 ? VERDICT_HOLDS : VERDICT_DIFFERS,
        "it stops particles that change to and fro (%.0f melted, %.0f froze again), but takes no heat: %.1f "
        "times as "
        "much snow is gone as with latent heat (%.0f melted, %.0f froze)",
        b->melted[last], b->frozen[last], ratio, l->melted[l->count - 1], l->frozen[l->count - 1]);
    fprintf(r->page, "\n");
}

static int melting(reproduction *r, history *h) {
    static const char *const heat[] = {"picture.color=phase.temperature", "picture.color_low=-10",
                                       "picture.color_high=50", NULL};
    fprintf(r->page, "## Figures 8.4 to 8.7: snow at -10 C falls into water at 50 C\n\n");
    int code =
        scene_both(r, melts, heat, "Figure 8.7: numbers of particles", "Figure 8.4: time of a step", h);
    if (code == EXIT_DONE) melting_rows(r, h);
    return code;
}

// By which share of them the number of links changes from frame 500 on.
static double links_change(const history *h) {
    double before = h->links[row_at(h, 500)];
    return (h->links[h->count - 1] - before) / fmax(1, before);
}

static int freezing(reproduction *r, const history *melt, history *h) {
    static const char *const heat[] = {"picture.color=phase.temperature", "picture.color_low=-100",
                                       "picture.color_high=1", NULL};
    double lost, melt_spread, spread;
    fprintf(r->page, "## Figures 8.8 to 8.11: snow at -100 C falls into water at 1 C\n\n");
    int code =
        scene_both(r, freezes, heat, "Figure 8.11: numbers of particles", "Figure 8.8: time of a step", h);
    if (code == EXIT_DONE) code = shape_lost(r, &freezes[BLENDING], 16, &lost); // frame 800
    if (code != EXIT_DONE) return code;
    const history *b = &h[BLENDING], *l = &h[LATENT];
    size_t last = b->count - 1;
    reproduce_statements(r, "Statements of 8.1.4", "");
    numbers_row(r, "32 400 particles of water, 10 648 of snow", b, 32400, 10648);
    reproduce_statement(r, "water freezes onto the snow",
                        b->snow[last] > b->snow[0] && l->snow[l->count - 1] > l->snow[0] ? VERDICT_HOLDS
                                                                                         : VERDICT_DIFFERS,
                        "%.0f particles with blending, %.0f with latent heat", b->snow[last] - b->snow[0],
                        l->snow[l->count - 1] - l->snow[0]);
    median_time(&melt[BLENDING], 1000, INFINITY, &melt_spread);
    median_time(b, 1000, INFINITY, &spread);
    reproduce_statement(
        r, "the time of a frame is more stable than when it melts (figures 8.4, 8.8)",
        spread < melt_spread ? VERDICT_HOLDS : VERDICT_DIFFERS,
        "from frame 1000 on half of the steps are within %.0f %% of the median, %.0f %% when it melts "
        "(whatever else the machine did is in that)",
        100 * spread, 100 * melt_spread);
    double change = links_change(b), melt_change = links_change(&melt[BLENDING]);
    reproduce_statement(r, "since the snow is below T_homo, its links hardly change",
                        fabs(change) < fabs(melt_change) ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "from frame 500 on their number changes by %+.0f %%, when it melts by %+.0f %%",
                        100 * change, 100 * melt_change);
    reproduce_statement(
        r, "from frame 400 on the block is twisted; a constraint of volume or shape would prevent it",
        lost < 0.05 ? VERDICT_FURTHER : VERDICT_HOLDS,
        "lost shape at frame 800: %.1f %%; lumps of linked grains keep their shape (links.shape)",
        100 * lost);
    fprintf(r->page, "\n");
    return EXIT_DONE;
}

// Where a value is largest.
static size_t largest(const double *y, size_t count) {
    size_t at = 0;
    for (size_t i = 1; i < count; i++)
        if (y[i] > y[at]) at = i;
    return at;
}

static void water_rows(reproduction *r, const history *h) {
    reproduce_statements(r, "Statements of 8.1.5", "");
    numbers_row(r, "5 888 particles of water, 147 928 of snow", &h[BLENDING], 5888, 147928);
    for (int i = 0; i < CHANGES; i++) {
        const history *c = &h[i];
        const char *name = waters[i].changed;
        size_t last = c->count - 1, first = 0, fast = 1, turn;
        while (first < last && c->melted[first] < 1e-3 * c->snow[0] * (i == BLENDING ? 1 : 0.1)) first++;
        for (size_t k = 2; k < c->count; k++)
            if (c->melted[k] - c->melted[k - 1] > c->melted[fast] - c->melted[fast - 1]) fast = k;
        reproduce_statement(r, "drastic change of phase from about frame 400 to frame 1000 (figure 8.15)",
                            c->frame[fast] >= 350 && c->frame[fast] <= 1050 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                            "%s: snow melts from frame %.0f on, fastest at %.0f; %.0f have melted by frame "
                            "1000, %.0f by %.0f",
                            name, c->frame[first], c->frame[fast], c->melted[row_at(c, 1000)],
                            c->melted[last], c->frame[last]);
        turn = largest(c->water, c->count);
        reproduce_statement(r, "from about frame 3700 on more freezes than melts: the change goes both ways",
                            turn < last && c->frozen[last] > 0 && c->frame[turn] > 2700 &&
                                    c->frame[turn] < 4700
                                ? VERDICT_HOLDS
                                : VERDICT_DIFFERS,
                            "%s: the water is most at frame %.0f; %.0f have frozen by %.0f", name,
                            c->frame[turn], c->frozen[last], c->frame[last]);
    }
    const history *b = &h[BLENDING];
    double before = median_time(b, 0, 350, NULL), change = median_time(b, 400, 1000, NULL),
           late = median_time(b, 0.6 * b->frame[b->count - 1], INFINITY, NULL);
    reproduce_statement(
        r, "this takes more time (figure 8.12), and more water costs more than snow",
        change > before ? VERDICT_HOLDS : VERDICT_DIFFERS,
        "median of a step: %.0f ms to frame 350, %.0f ms from 400 to 1000, %.0f ms in the last two fifths",
        before, change, late);
    reproduce_statement(r, "the result goes to Houdini, which makes surfaces and traces rays (figure 8.16)",
                        VERDICT_SHORT,
                        "firn export --what surface writes the surfaces of snow and water; the pictures "
                        "above have them, without "
                        "traced rays");
    fprintf(r->page, "\n");
}

static int water_drop(reproduction *r, history *h) {
    static const char *const heat[] = {"picture.color=phase.temperature", "picture.color_low=-10",
                                       "picture.color_high=100", NULL};
    fprintf(r->page, "## Figures 8.12 to 8.16: water at 100 C falls onto snow at -10 C\n\n");
    int code =
        scene_both(r, waters, heat, "Figure 8.15: numbers of particles", "Figure 8.12: time of a step", h);
    if (code == EXIT_DONE) water_rows(r, h);
    return code;
}

static void conclusions(reproduction *r, const history *melt, const history *water) {
    const history *b = &melt[BLENDING], *l = &melt[LATENT], *w = &water[LATENT];
    reproduce_statements(r, "Statements of 8.2", "");
    reproduce_statement(r, "blending smooths the jump when a particle changes its kind: the solver is stable",
                        b->jump[b->count - 1] < 1 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "largest velocity that a change has added when it melts: %.3g m/s with blending, "
                        "%.3g m/s with latent heat",
                        b->jump[b->count - 1], l->jump[l->count - 1]);
    reproduce_statement(r, "links know distances only; shape matching or a volume would hold the shape",
                        VERDICT_FURTHER, "lumps are matched to their shape: see the lost shape above");
    reproduce_statement(r, "water does not run well into snow, since all particles have one size",
                        w->soaked[w->count - 1] > 0 ? VERDICT_FURTHER : VERDICT_HOLDS,
                        "water soaks into snow and seeps on: %.1f kg in the last scene, with latent heat",
                        w->soaked[w->count - 1]);
    reproduce_statement(r, "particles of adaptive size are future work", VERDICT_SHORT, "nor has firn any");
    reproduce_statement(r, "shock propagation for large stacks is left out", VERDICT_SHORT,
                        "firn's phase has none either");
    reproduce_statement(r, "stiffness has no unit; XPBD would give it one", VERDICT_SHORT,
                        "contacts and links of firn's phase are shares per iteration too");
    reproduce_statement(r, "objects around should interact with the snow", VERDICT_FURTHER,
                        "bodies push, carry and heat snow and water (docs/phase.md)");
    reproduce_statement(r, "all on the graphics card (GTX 1080)", VERDICT_SHORT,
                        "lanes and threads of the processor");
    fprintf(r->page, "\n");
}

int reproduce_phase21(reproduction *r) {
    history melt[CHANGES] = {{.count = 0}}, freeze[CHANGES] = {{.count = 0}}, water[CHANGES] = {{.count = 0}};
    fprintf(
        r->page,
        "As in tables 8.2 to 8.7: 10 g a particle, radius of 3.62783 cm, steps of 1.25 ms (\"frames\"), "
        "conductivities of 2500 "
        "and 600 W/mK, temperatures and numbers of particles. Each scene with the thesis' own change of "
        "phase "
        "(blending) and with latent heat of 334 kJ/kg, which the thesis leaves out. Heights of fall and "
        "sizes of tanks "
        "are ours: the thesis does not give them. Its figures are curves without numbers in the text.\n\n");
    int code = snow_drops(r);
    if (code == EXIT_DONE) code = melting(r, melt);
    if (code == EXIT_DONE) code = freezing(r, melt, freeze);
    if (code == EXIT_DONE) code = water_drop(r, water);
    if (code == EXIT_DONE) {
        conclusions(r, melt, water);
        reproduce_count(r);
    }
    for (int i = 0; i < CHANGES; i++) {
        history_free(&melt[i]);
        history_free(&freeze[i]);
        history_free(&water[i]);
    }
    return code;
}
