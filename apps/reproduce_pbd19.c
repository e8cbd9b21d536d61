// PBD19 chapter 5: figures 15, 16 and 18 to 20, and what its text says about them.
#include "reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GS, BY_CONSTRAINT, BY_PARTICLE, SOLVERS };
static const reproduce_case drop = {"drop", "sphere-drop", {NULL}, "", "", NULL};
static const reproduce_case squash[SOLVERS] = {
    {"squash-gauss-seidel", "sphere-squash", {NULL}, "Gauss-Seidel", "", NULL},
    {"squash-jacobi", "sphere-squash", {"pbd.solver=jacobi", NULL}, "Jacobi by constraint", "", NULL},
    {"squash-jacobi-particle",
     "sphere-squash",
     {"pbd.solver=jacobi_particle", NULL},
     "Jacobi by particle",
     "",
     NULL}};
static const reproduce_case links_48k = {
    "links-48k", "sphere-decimated", {"pbd.solids.ball.near=33.5cm", "pbd.iterations=5", NULL}, "", "", NULL};
static const reproduce_case links_20k[] = {
    {"links-20k", "sphere-decimated", {NULL}, "Gauss-Seidel, 1 iteration", "", NULL},
    {"links-20k-jacobi",
     "sphere-decimated",
     {"pbd.solver=jacobi", NULL},
     "Jacobi by constraint, 1 iteration",
     "",
     NULL},
    {"links-20k-jacobi-particle",
     "sphere-decimated",
     {"pbd.solver=jacobi_particle", NULL},
     "Jacobi by particle, 1 iteration",
     "",
     NULL},
    {"links-20k-jacobi-5",
     "sphere-decimated",
     {"pbd.solver=jacobi", "pbd.iterations=5", NULL},
     "Jacobi by constraint, 5 iterations",
     "",
     NULL}};
static const reproduce_case fluid = {
    "fluid", "fluid-drop", {"pbd.solver=gauss_seidel", "pbd.substeps=1", NULL}, "", "", NULL};
static const reproduce_case viscous = {
    "fluid-viscous",
    "fluid-drop",
    {"pbd.solver=gauss_seidel", "pbd.substeps=1", "pbd.fluid.viscosity=0.3", "duration=1.5s", NULL},
    "",
    "",
    NULL};
static const reproduce_case swirling = {
    "fluid-vorticity",
    "fluid-drop",
    {"pbd.solver=gauss_seidel", "pbd.substeps=1", "pbd.fluid.vorticity=0.5m/s", "duration=1.5s", NULL},
    "",
    "",
    NULL};
static const char *const full_solid[] = {NULL}, *const full_fluid[] = {NULL},
                         *const quick_fluid[] = {"pbd.fluid.spacing=10cm", NULL};
static const double radius = 0.5,
                    weight = 300 * 4.0 / 3 * 3.14159265358979 * 0.125 * 9.81; // of the spheres, N

// A solid at a frame of its run.
typedef struct solid {
    size_t particles, links, colours;
    double error;         // of its shape
    double height, reach; // m; reach: of the farthest particle, from the centre
} solid;

static double reach_of(const double (*x)[3], size_t count) {
    double middle[3] = {0, 0, 0}, far = 0;
    for (size_t i = 0; i < 3 * count; i++) middle[i % 3] += x[i / 3][i % 3] / (double)count;
    for (size_t i = 0; i < count; i++)
        far = fmax(far, hypot(hypot(x[i][0] - middle[0], x[i][1] - middle[1]), x[i][2] - middle[2]));
    return far;
}

static int solid_at(const reproduction *r, const reproduce_case *c, uint64_t frame, solid *out) {
    firn_world *world[2] = {NULL, NULL};
    double(*x[2])[3] = {NULL, NULL}, low = INFINITY, high = -INFINITY;
    int code = reproduce_world(r, c, 0, &world[0]);
    if (code == EXIT_DONE) code = reproduce_world(r, c, frame, &world[1]);
    for (int i = 0; i < 2 && code == EXIT_DONE; i++) {
        x[i] = reproduce_points(world[i], "pbd.position", &out->particles);
        if (!x[i]) code = say_failed("out of memory while measuring '%s'", c->name);
    }
    if (code == EXIT_DONE) {
        out->links = firn_world_field(world[1], "pbd.links").count / 2;
        out->colours = firn_world_field(world[1], "pbd.link_colour").count - 1;
        out->error = shape_error((const double(*)[3])x[1], (const double(*)[3])x[0], out->particles);
        for (size_t i = 0; i < out->particles; i++) {
            low = fmin(low, x[1][i][1]);
            high = fmax(high, x[1][i][1]);
        }
        out->height = high - low;
        out->reach = reach_of((const double(*)[3])x[1], out->particles);
    }
    for (int i = 0; i < 2; i++) {
        free(x[i]);
        firn_world_close(world[i]);
    }
    return code;
}

// Pictures of a run beside each other, with a line below each.
typedef struct moment {
    const char *name, *says;
    uint64_t frame;
} moment;

static const char *const farther[] = {"camera.from=[3.6, 2.0, 4.6]", "camera.to=[0, 1.0, 0]", NULL};

static int pictures(const reproduction *r, const reproduce_case *c, const moment *moments, size_t count,
                    const char *const *look) {
    char name[64];
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s-%s", c->name, moments[i].name);
        int code = reproduce_draw(r, c, name, moments[i].frame, look);
        if (code != EXIT_DONE) return code;
        fprintf(r->page, "%s![%s](%s.png)<br>%s", i ? " | " : "| ", name, name, moments[i].says);
    }
    fprintf(r->page, " |\n|");
    for (size_t i = 0; i < count; i++) fprintf(r->page, " --- |");
    fprintf(r->page, "\n\n");
    return EXIT_DONE;
}

static void command_line(const reproduction *r, const reproduce_case *c, const char *const *common) {
    double steps, seconds;
    reproduce_command(r, c, common);
    if (reproduce_cost(r, c, &steps, &seconds) && steps > 0)
        fprintf(r->page, ": %.0f steps, %.2f ms each", steps, 1e3 * seconds / steps);
    fprintf(r->page, "\n\n");
}

// Height of the centre of mass by frame, from the potential energy.
static double *heights(const reproduce_table *t) {
    double *y = reproduce_column(t, "pbd energy potential J");
    for (size_t i = 0; y && i < t->rows; i++) y[i] /= weight;
    return y;
}

// Figure 15: frames of the start, the fall, the floor, the way up and the rest.
static int figure_15(reproduction *r) {
    static const moment moments[] = {{"start", "start", 0},
                                     {"fall", "fall, 0.4 s", 24},
                                     {"contact", "contact, 0.57 s", 34},
                                     {"up", "the way up, 0.8 s", 48},
                                     {"rest", "rest, 3 s", FIRN_LAST_FRAME}};
    reproduce_table t;
    solid end;
    int code = reproduce_simulate(r, &drop, full_solid);
    if (code == EXIT_DONE) code = solid_at(r, &drop, FIRN_LAST_FRAME, &end);
    if (code == EXIT_DONE) code = reproduce_read(r, &drop, &t);
    if (code != EXIT_DONE) return code;
    double *time = reproduce_column(&t, "time s"), *y = heights(&t);
    if (time && y) {
        reproduce_curve curve = {"height of the centre", time, y, t.rows};
        code = reproduce_plot(
            r, "drop",
            &(reproduce_chart){"Figure 15: a sphere falls", "time, s", "height, m", false, false, &curve, 1});
        fprintf(r->page, "## Figure 15: a sphere falls\n\n");
        command_line(r, &drop, full_solid);
        if (code == EXIT_DONE) code = pictures(r, &drop, moments, sizeof moments / sizeof *moments, farther);
        fprintf(r->page, "![height of the centre](drop.svg)\n\n");
    } else
        code = EXIT_FAILED;
    if (code == EXIT_DONE) {
        size_t low = 0, top, last = t.rows - 1;
        while (low < last && y[low + 1] <= y[low]) low++; // first contact
        for (top = low; top < last && y[top + 1] >= y[top];) top++;
        double swing = 0;
        for (size_t i = last - 30; i <= last; i++) swing = fmax(swing, fabs(y[i] - y[last]));
        reproduce_statements(r, "Statements about figure 15", "");
        reproduce_statement(r, "220 particles and 24k constraints, n (n - 1) / 2",
                            end.particles == 220 && end.links == 24090 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                            "%zu particles, %zu links", end.particles, end.links);
        reproduce_statement(
            r, "the particles that touch the floor turn back, and the links take the whole sphere along",
            y[top] > y[low] + 0.05 ? VERDICT_HOLDS : VERDICT_DIFFERS,
            "its centre goes down to %.2f m and up again to %.2f m", y[low], y[top]);
        reproduce_statement(r, "this repeats until the sphere stays on the floor",
                            swing < 0.02 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                            "in the last half second its height changes by %.1f mm", 1e3 * swing);
        reproduce_statement(
            r, "the links keep the shape of a sphere", end.error < 0.05 ? VERDICT_HOLDS : VERDICT_DIFFERS,
            "distances between particles are off by %.1f %% at rest (2 iterations)", 100 * end.error);
        fprintf(r->page, "\n");
    }
    free(time);
    free(y);
    reproduce_table_free(&t);
    return code;
}

// Figure 16: pressed by the box until frame 78, 1.3 s.
static int figure_16(reproduction *r) {
    enum { PRESSED = 78, FREE = 84 };
    static const moment moments[] = {{"pressed", "pressed, 1.3 s", PRESSED},
                                     {"free", "0.1 s after it is freed", FREE}};
    reproduce_table t[SOLVERS] = {{0}};
    solid pressed[SOLVERS], after[SOLVERS];
    double *time[SOLVERS] = {0}, *y[SOLVERS] = {0};
    reproduce_curve curves[SOLVERS];
    int code = EXIT_DONE;
    fprintf(r->page, "## Figure 16: pressed flat and freed, one iteration\n\n");
    for (int s = 0; s < SOLVERS && code == EXIT_DONE; s++) {
        code = reproduce_simulate(r, &squash[s], full_solid);
        if (code == EXIT_DONE) code = solid_at(r, &squash[s], PRESSED, &pressed[s]);
        if (code == EXIT_DONE) code = solid_at(r, &squash[s], FREE, &after[s]);
        if (code == EXIT_DONE) code = reproduce_read(r, &squash[s], &t[s]);
        if (code != EXIT_DONE) break;
        fprintf(r->page, "%s: ", squash[s].changed);
        command_line(r, &squash[s], full_solid);
        code = pictures(r, &squash[s], moments, 2, NULL);
        time[s] = reproduce_column(&t[s], "time s");
        y[s] = heights(&t[s]);
        if (!time[s] || !y[s]) code = EXIT_FAILED;
        curves[s] = (reproduce_curve){squash[s].changed, time[s], y[s], t[s].rows};
    }
    if (code == EXIT_DONE)
        code = reproduce_plot(r, "squash",
                              &(reproduce_chart){"Figure 16: pressed, and freed at 1.3 s", "time, s",
                                                 "height of the centre, m", false, false, curves, SOLVERS});
    if (code == EXIT_DONE) {
        double top = 0;
        for (size_t i = PRESSED; i < t[GS].rows; i++) top = fmax(top, y[GS][i]);
        fprintf(r->page, "![height of the centre](squash.svg)\n\n");
        reproduce_statements(r, "Statements about figure 16", "");
        reproduce_statement(r, "Gauss-Seidel restores the first shape with one iteration",
                            after[GS].error < 0.01 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                            "distances are off by %.0f %% when pressed, by %.2g %% 0.1 s later",
                            100 * pressed[GS].error, 100 * after[GS].error);
        reproduce_statement(r, "Jacobi by constraint has not converged at that time with one iteration",
                            after[BY_CONSTRAINT].error > 10 * after[GS].error ? VERDICT_HOLDS
                                                                              : VERDICT_DIFFERS,
                            "%.0f %% when pressed, %.1f %% 0.1 s later (by particle: %.1f %%)",
                            100 * pressed[BY_CONSTRAINT].error, 100 * after[BY_CONSTRAINT].error,
                            100 * after[BY_PARTICLE].error);
        reproduce_statement(r, "the links of the particles at the floor shoot the sphere into the air",
                            top > 2 * radius ? VERDICT_HOLDS : VERDICT_DIFFERS, "its centre rises to %.2f m",
                            top);
        reproduce_statement(
            r,
            "with Jacobi the shock goes through the sphere and drives single particles away from their "
            "places",
            after[BY_CONSTRAINT].reach > 1.1 * pressed[BY_CONSTRAINT].reach ? VERDICT_HOLDS : VERDICT_DIFFERS,
            "the farthest particle is %.2f m from the centre, %.2f m when pressed and %.2f m in the sphere; "
            "the sphere stays too flat, %.2f m high",
            after[BY_CONSTRAINT].reach, pressed[BY_CONSTRAINT].reach, after[GS].reach,
            after[BY_CONSTRAINT].height);
        fprintf(r->page, "\n");
    }
    for (int s = 0; s < SOLVERS; s++) {
        free(time[s]);
        free(y[s]);
        reproduce_table_free(&t[s]);
    }
    return code;
}

// Figures 18 and 19: 702 particles, few links.
static int figures_18_19(reproduction *r) {
    enum { CONTACT = 33, FEW = sizeof links_20k / sizeof *links_20k };
    static const moment moments[] = {{"contact", "contact, 0.55 s", CONTACT},
                                     {"rest", "rest, 3 s", FIRN_LAST_FRAME}};
    solid contact, rest, few[FEW];
    fprintf(r->page, "## Figure 18: 702 particles, 48k links, 5 iterations\n\n");
    int code = reproduce_simulate(r, &links_48k, full_solid);
    if (code == EXIT_DONE) code = solid_at(r, &links_48k, CONTACT, &contact);
    if (code == EXIT_DONE) code = solid_at(r, &links_48k, FIRN_LAST_FRAME, &rest);
    if (code != EXIT_DONE) return code;
    command_line(r, &links_48k, full_solid);
    code = pictures(r, &links_48k, moments, 2, NULL);
    if (code == EXIT_DONE) fprintf(r->page, "## Figure 19: 702 particles, 20k links\n\n");
    for (int i = 0; i < FEW && code == EXIT_DONE; i++) {
        code = reproduce_simulate(r, &links_20k[i], full_solid);
        if (code == EXIT_DONE) code = solid_at(r, &links_20k[i], FIRN_LAST_FRAME, &few[i]);
        if (code != EXIT_DONE) break;
        fprintf(r->page, "%s: ", links_20k[i].changed);
        command_line(r, &links_20k[i], full_solid);
        code = pictures(r, &links_20k[i], &moments[1], 1, NULL);
    }
    if (code != EXIT_DONE) return code;
    double all = (double)rest.particles * (double)(rest.particles - 1) / 2;
    reproduce_statements(r, "Statements about figures 18 and 19", "");
    reproduce_statement(r, "702 particles; about 48k of 246k links, a fifth",
                        rest.particles == 702 && fabs((double)rest.links - 48e3) < 1e3 ? VERDICT_HOLDS
                                                                                       : VERDICT_DIFFERS,
                        "%zu particles; %zu of %.0f links, 1 in %.1f", rest.particles, rest.links, all,
                        all / (double)rest.links);
    reproduce_statement(r, "at the first contact the underside gives way although Gauss-Seidel is stable",
                        contact.error > 1.5 * rest.error && contact.height < 0.98 * 2 * radius
                            ? VERDICT_HOLDS
                            : VERDICT_DIFFERS,
                        "%.2f m high, distances off by %.1f %%", contact.height, 100 * contact.error);
    reproduce_statement(r, "a stable position of rest is reached with a fifth of the links",
                        rest.error < 0.03 ? VERDICT_HOLDS : VERDICT_DIFFERS, "distances off by %.1f %%",
                        100 * rest.error);
    reproduce_statement(r, "about 20k links, a twelfth",
                        fabs((double)few[GS].links - 20e3) < 1e3 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "%zu links, 1 in %.1f", few[GS].links, all / (double)few[GS].links);
    reproduce_statement(r, "Gauss-Seidel with one iteration keeps the shape",
                        few[GS].error < 0.06 ? VERDICT_HOLDS : VERDICT_DIFFERS, "off by %.1f %%, %.2f m high",
                        100 * few[GS].error, few[GS].height);
    reproduce_statement(r, "neither Jacobi does",
                        few[1].error > 3 * few[GS].error && few[2].error > 3 * few[GS].error
                            ? VERDICT_HOLDS
                            : VERDICT_DIFFERS,
                        "by constraint %.0f %% and %.2f m, by particle %.0f %% and %.2f m",
                        100 * few[1].error, few[1].height, 100 * few[2].error, few[2].height);
    reproduce_statement(r, "not even with several iterations",
                        few[3].error > 2 * few[GS].error ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "5 iterations: %.0f %% and %.2f m", 100 * few[3].error, few[3].height);
    reproduce_statement(
        r, "the decimation links some pairs twice", VERDICT_FURTHER,
        "no pair twice; the far partners are spread at random instead of the first in the list");
    fprintf(r->page, "\n");
    return EXIT_DONE;
}

// Liquid at the end of its run.
typedef struct pool {
    size_t particles;
    double speed; // r.m.s., m/s
    double depth; // m, below which 99 % of it lie
    double floor; // share of the floor of the box that it covers
    double dense; // mean density over that at rest
} pool;

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int pool_at(const reproduction *r, const reproduce_case *c, uint64_t frame, pool *out) {
    enum { CELLS = 10 };
    const double half = 0.75; // of the box
    bool full[CELLS][CELLS] = {{false}};
    firn_world *world;
    size_t count;
    int code = reproduce_world(r, c, frame, &world);
    if (code != EXIT_DONE) return code;
    double(*x)[3] = reproduce_points(world, "pbd.position", &count),
    (*v)[3] = reproduce_points(world, "pbd.velocity", &count), *y = calloc(count + 1, sizeof *y);
    firn_field density = firn_world_field(world, "pbd.density");
    *out = (pool){.particles = count};
    if (!x || !v || !y) code = say_failed("out of memory while measuring '%s'", c->name);
    for (size_t i = 0; i < count && code == EXIT_DONE; i++) {
        int a = (int)((x[i][0] / half + 1) * CELLS / 2), b = (int)((x[i][2] / half + 1) * CELLS / 2);
        y[i] = x[i][1];
        out->speed += (v[i][0] * v[i][0] + v[i][1] * v[i][1] + v[i][2] * v[i][2]) / (double)count;
        if (density.data && density.type == FIRN_F32)
            out->dense += (double)((const float *)density.data)[i] / 1000 / (double)count;
        if (a >= 0 && a < CELLS && b >= 0 && b < CELLS) full[a][b] = true;
    }
    if (code == EXIT_DONE && count) {
        qsort(y, count, sizeof *y, by_value);
        out->depth = y[(size_t)(0.99 * (double)(count - 1))];
        out->speed = sqrt(out->speed);
        for (int i = 0; i < CELLS * CELLS; i++)
            out->floor += full[i / CELLS][i % CELLS] / (double)(CELLS * CELLS);
    }
    free(x);
    free(v);
    free(y);
    firn_world_close(world);
    return code;
}

static int figure_20(reproduction *r) {
    enum { SPREAD = 60 };
    static const moment moments[] = {{"start", "start", 0},
                                     {"air", "in the air, 0.2 s", 12},
                                     {"contact", "contact, 0.37 s", 22},
                                     {"spread", "to the rim of the box, 0.7 s", 42},
                                     {"rest", "rest, 4 s", FIRN_LAST_FRAME}};
    const char *const *common = r->quick ? quick_fluid : full_fluid;
    pool spread, rest, plain, thick, swirls;
    fprintf(r->page, "## Figure 20: liquid\n\n");
    int code = reproduce_simulate(r, &fluid, common);
    if (code == EXIT_DONE) code = reproduce_simulate(r, &viscous, common);
    if (code == EXIT_DONE) code = reproduce_simulate(r, &swirling, common);
    if (code == EXIT_DONE) code = pool_at(r, &fluid, SPREAD, &spread);
    if (code == EXIT_DONE) code = pool_at(r, &fluid, FIRN_LAST_FRAME, &rest);
    if (code == EXIT_DONE) code = pool_at(r, &fluid, 90, &plain);
    if (code == EXIT_DONE) code = pool_at(r, &viscous, FIRN_LAST_FRAME, &thick);
    if (code == EXIT_DONE) code = pool_at(r, &swirling, FIRN_LAST_FRAME, &swirls);
    if (code != EXIT_DONE) return code;
    command_line(r, &fluid, common);
    code = pictures(r, &fluid, moments, sizeof moments / sizeof *moments, farther);
    if (code != EXIT_DONE) return code;
    double fills = 4.0 / 3 * 3.14159265 * pow(0.49237, 3) / 2.25; // m, of the ball in the box
    reproduce_statements(r, "Statements about figure 20", "");
    reproduce_statement(r, "4000 particles, a density constraint each, 4 Gauss-Seidel iterations",
                        rest.particles == 4000 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "%zu particles, 4 iterations", rest.particles);
    reproduce_statement(r, "after the contact it spreads to the rim of the box",
                        spread.floor > 0.95 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "covers %.0f %% of the floor at 1 s", 100 * spread.floor);
    reproduce_statement(r, "and comes to rest", rest.speed < 0.1 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "r.m.s. speed %.1f cm/s at 4 s; 99 %% of the centres lie below %.1f cm, where its "
                        "volume fills %.1f cm; mean "
                        "density %.3f of that at rest",
                        100 * rest.speed, 100 * rest.depth, 100 * fills, rest.dense);
    reproduce_statement(r, "neighbours: 27 cells with at most 5 particles each", VERDICT_FURTHER,
                        "all neighbours within the kernel; no cap");
    reproduce_statement(r, "XSPH viscosity makes particles move together",
                        thick.speed < plain.speed ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "r.m.s. speed at 1.5 s: %.1f cm/s with viscosity 0.3, %.1f cm/s with 0.02",
                        100 * thick.speed, 100 * plain.speed);
    reproduce_statement(r, "vorticity confinement adds back motion that the method loses",
                        swirls.speed > plain.speed ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "%.1f cm/s with vorticity 0.5 m/s, %.1f cm/s without", 100 * swirls.speed,
                        100 * plain.speed);
    reproduce_statement(r, "kernels poly6 and spiky (figure 3), viscosity kernel (figure 12)",
                        VERDICT_DIFFERS,
                        "Wendland C2 and its own gradient for all: src/pbd/README.md says why");
    fprintf(r->page, "\n");
    return EXIT_DONE;
}

int reproduce_pbd19(reproduction *r) {
    fprintf(r->page,
            "The text that we have ends with figure 20, in section 5.1: the evaluation of section 5.2, with "
            "the times and "
            "errors that the thesis measured, is not in it. So times are ours only; the thesis used a "
            "GeForce GTX 1060. "
            "Its sphere is the vertices of a sphere's surface, ours is filled with as many particles.\n\n");
    int code = figure_15(r);
    if (code == EXIT_DONE) code = figure_16(r);
    if (code == EXIT_DONE) code = pbd19_solvers(r);
    if (code == EXIT_DONE) code = figures_18_19(r);
    if (code == EXIT_DONE) code = figure_20(r);
    if (code != EXIT_DONE) return code;
    reproduce_statements(r, "What firn has in another form", "");
    reproduce_statement(
        r,
        "a window with panels for settings, liquid, grid and box; parameters change while it runs (figure "
        "13)",
        VERDICT_SHORT,
        "no window. A program changes parameters of a running world (firn_world_set), a scene by keyframes");
    reproduce_statement(r, "settings are saved and loaded as JSON (figure 14)", VERDICT_HOLDS,
                        "a run keeps its effective scene as scene.yaml, which can be run again");
    reproduce_statement(
        r, "shows numbers of particles and constraints and the time of a step", VERDICT_SHORT,
        "particles and times: firn info DIR --plot FILE.csv; the number of constraints only as the "
        "length of the field pbd.links");
    reproduce_statement(r, "a colouring that was found is saved as JSON and loaded again", VERDICT_SHORT,
                        "only in checkpoints of the same run; colouring takes milliseconds");
    reproduce_statement(r, "shaders on a graphics card", VERDICT_SHORT, "lanes of the processor");
    fprintf(r->page, "\n");
    reproduce_count(r);
    return EXIT_DONE;
}
