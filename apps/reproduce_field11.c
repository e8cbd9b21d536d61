// FIELD11: its figures 3.1, 3.4, 5.1 to 5.3 and 6.1, its four speeds, what it leaves open, and the examples
// of its appendix.
#include "reproduce_field11.h"

#include <math.h>
#include <stdio.h>

static const reproduce_case stamp = {"stamp-and-push", "stamp-and-push", {NULL}, "", "", NULL},
                            buried = {"buried-box", "buried-box", {NULL}, "", "", NULL},
                            edge = {"box-edge", "box-edge", {NULL}, "", "", NULL},
                            dune = {"sand-dune", "sand-dune", {NULL}, "", "", NULL};
static const char *const full[] = {NULL}, *const quick_stamp[] = {"field.cell=7.8125cm", NULL},
                         *const quick_buried[] = {"field.cell=5cm", NULL},
                         *const quick_edge[] = {"field.cell=3cm", NULL},
                         *const quick_dune[] = {"field.cell=10cm", NULL};
static const double DEGREES = 180 / 3.14159265358979323846;

// Pictures of a run side by side.
static int pictures(const reproduction *r, const reproduce_case *c, const char *const *common,
                    const int *frame, const char *const *title, int count) {
    char name[64];
    reproduce_command(r, c, common);
    fprintf(r->page, "\n\n|");
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s-%d", c->name, frame[i]);
        int code = reproduce_draw(r, c, name, (uint64_t)frame[i], NULL);
        if (code != EXIT_DONE) return code;
        fprintf(r->page, " ![%s](%s.png)<br>%s |", name, name, title[i]);
    }
    fprintf(r->page, "\n|");
    for (int i = 0; i < count; i++) fprintf(r->page, " --- |");
    fprintf(r->page, "\n\n");
    return EXIT_DONE;
}

// A frame of a run and its snow field; close the world.
static int open_frame(const reproduction *r, const reproduce_case *c, int frame, firn_world **world,
                      firn_snowfield *f) {
    int code = reproduce_world(r, c, (uint64_t)frame, world);
    if (code == EXIT_DONE) code = say_status(firn_world_snowfield(*world, f));
    return code;
}

// Highest surface in a rectangle, m.
static double highest(const firn_snowfield *f, double x0, double x1, double z0, double z1) {
    double top = -INFINITY;
    for (double x = x0; x <= x1; x += f->cell)
        for (double z = z0; z <= z1; z += f->cell) top = fmax(top, firn_snowfield_surface(f, x, z));
    return top;
}

// Steepest fall between neighbouring cells along the axes, degrees; some border of the field is left out.
static double steepest(const firn_snowfield *f) {
    double most = 0;
    for (int32_t z = 2; z < f->nz - 2; z++) {
        for (int32_t x = 2; x < f->nx - 2; x++) {
            float at[2], below;
            firn_snowfield_read(f, (firn_cells){x, z, x + 2, z + 1}, at, NULL, NULL);
            firn_snowfield_read(f, (firn_cells){x, z + 1, x + 1, z + 2}, &below, NULL, NULL);
            most = fmax(most, fmax(fabs((double)(at[0] - at[1])), fabs((double)(at[0] - below))) / f->cell);
        }
    }
    return atan(most) * DEGREES;
}

// Slope of the flank of a heap around the middle towards -z, between 80 and 30 % of its height, degrees.
static double flank(const firn_snowfield *f) {
    double base = f->plain_ground + f->plain_depth, top = firn_snowfield_surface(f, 0, 0) - base, z = 0, from;
    while (z > -4 && firn_snowfield_surface(f, 0, z) - base > 0.8 * top) z -= 0.01;
    for (from = z; z > -4 && firn_snowfield_surface(f, 0, z) - base > 0.3 * top;) z -= 0.01;
    return atan(0.5 * top / (from - z)) * DEGREES;
}

// Figure 5.1 c: rim of the stamp in four directions, above the snow, m.
static int stamped(const reproduction *r, double rim[4]) {
    firn_world *world = NULL;
    firn_snowfield f;
    const double x = -2.6, z = 0.6, half = 0.1, in = 0.5, out = 1.4;
    int code = open_frame(r, &stamp, 40, &world, &f);
    if (code == EXIT_DONE) {
        rim[0] = highest(&f, x - out, x - in, z - half, z + half) - 0.6;
        rim[1] = highest(&f, x + in, x + out, z - half, z + half) - 0.6;
        rim[2] = highest(&f, x - half, x + half, z - out, z - in) - 0.6;
        rim[3] = highest(&f, x - half, x + half, z + in, z + out) - 0.6;
    }
    firn_world_close(world);
    return code;
}

// Figure 5.1 d: heap before and behind the box at 3.6 s, m; steepest slope at the end, degrees.
static int pushed(const reproduction *r, double *before, double *behind, double *slope) {
    firn_world *world = NULL;
    firn_snowfield f;
    int code = open_frame(r, &stamp, 72, &world, &f);
    if (code == EXIT_DONE) {
        *before = highest(&f, 2.25, 3.5, -1.9, -1.3) - 0.6;
        *behind = highest(&f, -0.2, 0.9, -1.9, -1.3) - 0.6;
    }
    firn_world_close(world);
    world = NULL;
    if (code == EXIT_DONE) code = open_frame(r, &stamp, 140, &world, &f);
    if (code == EXIT_DONE) *slope = steepest(&f);
    firn_world_close(world);
    return code;
}

static int figure_51(reproduction *r) {
    static const int frame[] = {0, 20, 40, 72, 118, 140};
    static const char *const title[] = {"a",         "b", "c: straight down",
                                        "d: pushed", "e", "f: after some deformations"};
    const char *const *common = r->quick ? quick_stamp : full;
    double rim[4] = {0}, before = 0, behind = 0, slope = 0;
    fprintf(r->page, "## Figure 5.1: a box in a flat field, 256 x 256 on 100 m2, 60 cm per metre\n\n");
    int code = reproduce_simulate(r, &stamp, common);
    if (code == EXIT_DONE) code = pictures(r, &stamp, common, frame, title, 6);
    if (code == EXIT_DONE) code = stamped(r, rim);
    if (code == EXIT_DONE) code = pushed(r, &before, &behind, &slope);
    if (code != EXIT_DONE) return code;
    double least = fmin(fmin(rim[0], rim[1]), fmin(rim[2], rim[3])),
           most = fmax(fmax(rim[0], rim[1]), fmax(rim[2], rim[3]));
    reproduce_statements(r, "Statements of 5.1 and 3.10", "");
    reproduce_statement(r, "straight down: the snow is spread evenly around the body",
                        least > 0 && most < 1.25 * least ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "rim on four sides %.1f, %.1f, %.1f, %.1f cm above the snow", 100 * rim[0],
                        100 * rim[1], 100 * rim[2], 100 * rim[3]);
    reproduce_statement(r, "pushed: most of the snow goes where the body moves to",
                        before > 2 * fmax(behind, 0) && before > 0.1 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "highest snow %.0f cm above the surface before the box, %.0f cm behind it",
                        100 * before, 100 * behind);
    reproduce_statement(r, "no slope stays steeper than its limit (60 cm per metre, 31 degrees)",
                        slope < 34 ? VERDICT_HOLDS : VERDICT_DIFFERS, "steepest %.1f degrees at the end",
                        slope);
    fprintf(r->page, "\n");
    return EXIT_DONE;
}

// Depth of the snow on the box (mean over its cells), and the highest snow around, m above the surface.
static int buried_box(const reproduction *r, double *on, double *held, double *left) {
    firn_world *world = NULL;
    firn_snowfield f;
    int code = open_frame(r, &buried, 40, &world, &f);
    if (code == EXIT_DONE) {
        firn_field depth = firn_world_field(world, "field.top_depth");
        const float *d = depth.data;
        double sum = 0;
        for (size_t i = 0; d && i < depth.count; i++) sum += (double)d[i];
        *on = sum * f.cell * f.cell / (0.8 * 0.8);
        *held = highest(&f, -1.4, 1.4, -1.4, 1.4) - 0.6;
    }
    firn_world_close(world);
    world = NULL;
    if (code == EXIT_DONE) code = open_frame(r, &buried, 80, &world, &f);
    if (code == EXIT_DONE) *left = highest(&f, -1.4, 1.4, -1.4, 1.4) - 0.6;
    firn_world_close(world);
    return code;
}

static int figure_52(reproduction *r) {
    static const int frame[] = {22, 40, 80};
    static const char *const title[] = {"pressed down", "5.2: below the surface", "5.3: lifted out"};
    const char *const *common = r->quick ? quick_buried : full;
    double on = 0, held = 0, left = 0;
    fprintf(r->page, "## Figures 5.2 and 5.3: a box that goes too deep\n\n");
    int code = reproduce_simulate(r, &buried, common);
    if (code == EXIT_DONE) code = pictures(r, &buried, common, frame, title, 3);
    if (code == EXIT_DONE) code = buried_box(r, &on, &held, &left);
    if (code != EXIT_DONE) return code;
    reproduce_statements(r, "Statements of 5.3 and 6.1.2", "");
    reproduce_statement(r, "no snow can lie on a body, so that walls grow around one that is pressed in deep",
                        on > 0.02 ? VERDICT_FURTHER : VERDICT_HOLDS,
                        "%.0f cm lie on the box on average, %.0f cm rim", 100 * on, 100 * held);
    reproduce_statement(r, "when the body is gone the slopes are much lower",
                        left < held ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "highest snow %.1f cm, %.1f cm with the box", 100 * left, 100 * held);
    fprintf(r->page, "\n");
    return EXIT_DONE;
}

// A ball falls into the snow at some number of frames per second: how deep, and how much it turns and drifts.
static int ball_falls(double fps, double *depth, double *drift) {
    char scene[400];
    firn_world *world;
    snprintf(scene, sizeof scene,
             "firn: 1\nduration: 9 s\nfps: %g\nbodies:\n  ball: {shape: {sphere: {radius: 20 cm}}, at: [0, "
             "1.1, 0],\n"
             "         motion: dynamic, density: 300}\nfield: {width: 3.2 m, length: 3.2 m, depth: 60 cm, "
             "cell: 4 cm}\n",
             fps);
    int code = say_status(firn_world_open_text(scene, "ball", &world));
    if (code != EXIT_DONE) return code;
    firn_status status = FIRN_OK;
    for (int i = 0; i < (int)(1.5 * fps) && status == FIRN_OK; i++)
        status = firn_world_advance(world, 1 / fps);
    firn_body_state b = firn_world_body_state(world, 0);
    *depth = 0.8 - b.position.y;
    *drift = hypot(b.position.x, b.position.z);
    firn_world_close(world);
    return say_status(status);
}

static int resistances(reproduction *r) {
    const char *const *common = r->quick ? quick_edge : full;
    double slow, fast, drift, spin = 0;
    firn_world *world = NULL;
    int code = ball_falls(30, &slow, &drift);
    if (code == EXIT_DONE) code = ball_falls(240, &fast, &drift);
    if (code == EXIT_DONE) code = reproduce_run(r, &edge, common);
    for (uint64_t frame = 1; frame <= 20 && code == EXIT_DONE; frame++) {
        code = reproduce_world(r, &edge, frame, &world);
        if (code != EXIT_DONE) break;
        firn_vec3 s = firn_world_body_state(world, firn_world_body_find(world, "box")).spin;
        spin = fmax(spin, sqrt(s.x * s.x + s.y * s.y + s.z * s.z));
        firn_world_close(world);
    }
    if (code != EXIT_DONE) return code;
    reproduce_statements(r, "Figures 3.1 and 3.4: steps, and what bodies feel",
                         "![box-edge](box-edge.png)<br>A box lands on one edge.");
    reproduce_statement(r, "a body that falls straight down is only slowed down (3.4 a)",
                        drift < 0.01 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "a ball of 300 kg/m3 from 0.3 m stops %.0f cm deep and %.1f mm aside", 100 * fast,
                        1000 * drift);
    reproduce_statement(r, "one that meets the snow on one side turns (3.4 b)",
                        spin > 0.3 ? VERDICT_HOLDS : VERDICT_DIFFERS, "the box turns with up to %.1f rad/s",
                        spin);
    reproduce_statement(
        r, "long steps leave a pit for every step instead of a track (3.1)",
        fabs(slow - fast) < 0.01 ? VERDICT_FURTHER : VERDICT_HOLDS,
        "a step moves a body by half a cell at most: the ball is %.1f cm deep at 30 frames/s, %.1f cm at "
        "240",
        100 * slow, 100 * fast);
    fprintf(r->page, "\n");
    return EXIT_DONE;
}

static int sand(reproduction *r) {
    const char *const *common = r->quick ? quick_dune : full;
    firn_world *world = NULL;
    firn_snowfield f;
    double slope = 0, low = INFINITY, high = 0;
    fprintf(r->page, "## Figure 6.1: sand\n\n");
    int code = reproduce_run(r, &dune, common);
    if (code == EXIT_DONE) code = open_frame(r, &dune, 144, &world, &f);
    if (code == EXIT_DONE) {
        slope = flank(&f);
        firn_field density = firn_world_field(world, "field.density");
        const float *d = density.data;
        for (size_t i = 0; d && i < density.count; i++)
            if (d[i] > 0) low = fmin(low, (double)d[i]), high = fmax(high, (double)d[i]);
    }
    firn_world_close(world);
    if (code != EXIT_DONE) return code;
    reproduce_statements(r, "Statements of 6.1.1", "![sand-dune](sand-dune.png)");
    reproduce_statement(r, "with densities close to each other there is little compression",
                        high < 1.25 * low ? VERDICT_HOLDS : VERDICT_DIFFERS, "%.0f to %.0f kg/m3", low, high);
    reproduce_statement(r, "sand stands less steeply than snow", slope < 42 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "the flank of the dune %.0f degrees (fresh snow 42)", slope);
    fprintf(r->page, "\n");
    return EXIT_DONE;
}

// Frames per second of 1/60 s while a box of 1.2 m is pushed through 60 cm of snow at 4 m/s, and the longest
// frame in ms. `limit`: of slopes, degrees.
static int box_frames(int n, double limit, int frames, double *rate, double *worst) {
    char scene[900];
    firn_world *world;
    snprintf(scene, sizeof scene,
             "firn: 1\nduration: 9 s\nfps: 60\nbodies:\n  ground: {shape: plane}\n"
             "  box:\n    shape: {box: {size: [1.2 m, 1.2 m, 1.2 m]}}\n    motion:\n"
             "      - {time: 0, at: [-4.2, 0.62, 0]}\n      - {time: 0.1 s, at: [-4, 0.62, 0]}\n"
             "      - {time: 0.2 s, at: [-3.6, 0.62, 0]}\n      - {time: 2 s, at: [3.6, 0.62, 0]}\n"
             "field: {width: 10 m, length: 10 m, cell: %g m, depth: 60 cm, snow: fresh, slope_loose: %g deg, "
             "slope_packed: %g deg}\n",
             10.0 / n, limit, limit);
    int code = say_status(firn_world_open_text(scene, "box", &world));
    if (code != EXIT_DONE) return code;
    firn_status status = firn_world_advance(world, 0.2);
    double start = seconds_now(), last = start;
    *worst = 0;
    for (int i = 0; i < frames && status == FIRN_OK; i++) {
        status = firn_world_advance(world, 1.0 / 60);
        double now = seconds_now();
        *worst = fmax(*worst, 1e3 * (now - last));
        last = now;
    }
    *rate = frames / (last - start);
    firn_world_close(world);
    return say_status(status);
}

static int speeds(reproduction *r) {
    static const struct {
        int n;
        double limit, thesis;
        const char *says;
    } row[] = {{256, 31, 110, "256 x 256: 110 frames/s"},
               {256, 88, 500, "256 x 256 without moving snow on slopes: more than 500 frames/s"},
               {512, 31, 30, "512 x 512: just above 30 frames/s"},
               {512, 88, 280, "512 x 512 without moving snow on slopes: about 280 frames/s"}};
    double rate[4], worst;
    reproduce_statements(
        r, "5.2: four speeds",
        "The thesis: ATI Mobility Radeon 5850, frames with drawing at 1024 x 768; its body and its "
        "motion are not told. Here: a box of 1.2 m pushed at 4 m/s through 60 cm of snow, frames of "
        "1/60 s without drawing; without slopes the limit is 88 degrees.");
    for (int i = 0; i < 4; i++) {
        int code = box_frames(row[i].n, row[i].limit, r->quick ? 12 : 60, &rate[i], &worst);
        if (code != EXIT_DONE) return code;
        reproduce_statement(r, row[i].says,
                            rate[i] > 1.2 * row[i].thesis   ? VERDICT_FURTHER
                            : rate[i] > 0.8 * row[i].thesis ? VERDICT_HOLDS
                                                            : VERDICT_SHORT,
                            "%.0f frames/s, longest frame %.1f ms", rate[i], worst);
    }
    reproduce_statement(r, "most of the time goes into moving snow on slopes",
                        rate[0] < 0.6 * rate[1] && rate[2] < 0.6 * rate[3] ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "%.0f %% of a frame at 256 x 256, %.0f %% at 512 x 512",
                        100 * (1 - rate[0] / rate[1]), 100 * (1 - rate[2] / rate[3]));
    fprintf(r->page, "\n");
    return EXIT_DONE;
}

// 6.1.2: a football pitch is too large for one buffer; sweeping all of it in each step is wasteful.
static int outlook(reproduction *r) {
    static const char scene[] =
        "firn: 1\nduration: 9 s\nfps: 60\nbodies:\n"
        "  ball: {shape: {sphere: {radius: 30 cm}}, at: [-3.5, 0.5, 0], density: 400, velocity: [5, 0, "
        "0.3],\n"
        "         spin: [0, 0, -16], motion: dynamic}\n"
        "field: {width: 100 m, length: 100 m, cell: 2 cm, depth: 30 cm, snow: powder}\n";
    firn_world *world;
    firn_snowfield f;
    int code = say_status(firn_world_open_text(scene, "pitch", &world));
    if (code != EXIT_DONE) return code;
    double start = seconds_now();
    firn_status status = firn_world_advance(world, 0.5);
    double took = seconds_now() - start;
    if (status == FIRN_OK) status = firn_world_snowfield(world, &f);
    if (status == FIRN_OK) {
        reproduce_statements(r, "6.1.2: what the thesis leaves open", "");
        reproduce_statement(
            r, "100 x 100 m in one buffer are unrealistic; several would have to be joined", VERDICT_FURTHER,
            "%d x %d cells, of which %zu tiles of %d x %d exist after a ball has rolled for 0.5 s", f.nx,
            f.nz, f.tiles, f.edge, f.edge);
        reproduce_statement(r, "slopes could be swept only where something happened", VERDICT_FURTHER,
                            "they are: %.1f ms for a frame with that ball", 1e3 * took / 30);
        reproduce_statement(r, "pressed snow could stand steeper than loose snow", VERDICT_FURTHER,
                            "`slope_loose`, `slope_packed`");
        reproduce_statement(r, "a heap before a plough does not push other bodies", VERDICT_FURTHER,
                            "it does (tests/snowfield/test_bodies.c)");
        fprintf(r->page, "\n");
    }
    firn_world_close(world);
    return say_status(status);
}

int reproduce_field11(reproduction *r) {
    int (*const part[])(reproduction *) = {figure_51, figure_52,        resistances, sand,
                                           speeds,    field11_examples, outlook};
    int code = EXIT_DONE;
    for (size_t i = 0; i < sizeof part / sizeof *part && code == EXIT_DONE; i++) code = part[i](r);
    if (code == EXIT_DONE) reproduce_count(r);
    return code;
}
