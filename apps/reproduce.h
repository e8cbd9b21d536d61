// `firn reproduce`: what a thesis says, and what firn computes for the same setting, on one page.
#ifndef APPS_REPRODUCE_H
#define APPS_REPRODUCE_H

#include "command.h"

enum { REPRODUCE_SETS = 8, REPRODUCE_CASES = 32 };

// One run of a shipped scene with a picture of its last frame.
typedef struct reproduce_case {
    const char *name;                // of its run and picture
    const char *scene;               // a shipped one
    const char *set[REPRODUCE_SETS]; // overrides; ends in NULL
    const char *changed;             // "E 5 MPa": what differs from the case before
    const char *thesis;              // what the thesis says about it
    const char *why;                 // what differs from the thesis, and why; NULL: nothing
} reproduce_case;

// What becomes of a statement: ours agrees; ours is otherwise; what the thesis leaves open is there; what it
// has is not.
typedef enum verdict { VERDICT_HOLDS, VERDICT_DIFFERS, VERDICT_FURTHER, VERDICT_SHORT, VERDICTS } verdict;

// One reproduction in progress.
typedef struct reproduction {
    const arguments *given;
    const char *folder;
    bool quick;
    FILE *page; // Markdown
    int verdicts[VERDICTS];
} reproduction;

// Where a run of this reproduction is; false if the path is too long.
bool reproduce_path(const reproduction *r, const char *below, const char *name, const char *end, char *path,
                    size_t size);
// Simulates a case, or continues it, and draws its last frame. `common`: further overrides; ends in NULL.
int reproduce_run(const reproduction *r, const reproduce_case *c, const char *const *common);
// The same without a picture.
int reproduce_simulate(const reproduction *r, const reproduce_case *c, const char *const *common);
// Draws a frame of the run of a case to FOLDER/NAME.png. `set`: overrides of the picture; ends in NULL.
int reproduce_draw(const reproduction *r, const reproduce_case *c, const char *name, uint64_t frame,
                   const char *const *set);
// The world of the run of a case at the end of a frame, as firn_run_world.
int reproduce_world(const reproduction *r, const reproduce_case *c, uint64_t frame, firn_world **world);
// Steps and seconds of computing that the run of a case has taken, over all its sittings.
bool reproduce_cost(const reproduction *r, const reproduce_case *c, double *steps, double *seconds);
// The command that makes a run, as a user types it.
void reproduce_command(const reproduction *r, const reproduce_case *c, const char *const *common);
// Steps per second of a scene after its first `before` steps, over at least a second.
int reproduce_rate(const char *scene, int before, double *rate, double *particles);

// Numbers of a run by frame, as `firn info --plot FILE.csv` writes them.
typedef struct reproduce_table {
    char *names; // of the columns, separated by 0
    size_t columns, rows;
    double *value; // row by row; NAN: a gap
} reproduce_table;
int reproduce_read(const reproduction *r, const reproduce_case *c, reproduce_table *out);
void reproduce_table_free(reproduce_table *t);
// A column by its name, one value for each frame; NULL (said why): there is none. Free it.
double *reproduce_column(const reproduce_table *t, const char *name);

// Statements: a table of what the thesis says, what firn does, and the verdict.
void reproduce_statements(const reproduction *r, const char *heading, const char *text);
void reproduce_statement(reproduction *r, const char *thesis, verdict v, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void reproduce_count(const reproduction *r); // how many of each verdict

// Curves over a common axis, as FOLDER/NAME.svg.
typedef struct reproduce_curve {
    const char *name;
    const double *x, *y; // a value that is not finite is a gap
    size_t count;
} reproduce_curve;
typedef struct reproduce_chart {
    const char *title, *x, *y; // names of the axes
    bool log_x, log_y;
    const reproduce_curve *curve;
    size_t curves;
} reproduce_chart;
int reproduce_plot(const reproduction *r, const char *name, const reproduce_chart *chart);
// Particles seen from the side, one view beside the other, as FOLDER/NAME.svg.
typedef struct reproduce_dots {
    const char *title;
    const double (*x)[3];
    size_t count;
} reproduce_dots;
int reproduce_views(const reproduction *r, const char *name, const reproduce_dots *views, size_t count,
                    double radius);

// What a picture of snow shows, as numbers.
typedef struct snow_shape {
    double particles;
    double height;          // m, under which 95 % of the snow lie
    double width;           // m, within which 95 % of the snow lie about its middle, seen from above
    double volume;          // m3 of the cubes of a cell that hold snow
    double plastic;         // mean J_P
    double pieces, largest; // that still hold together (J_P below 1.05), with at least a thousandth of the
                            // snow; share of the largest
} snow_shape;
bool snow_shape_of(const firn_world *world, double cell, snow_shape *out); // false: out of memory

// Positions of particles of a world, by the name of the field; NULL: out of memory. Free them.
double (*reproduce_points(const firn_world *world, const char *field, size_t *count))[3];

// Solids of particles that are linked, as PBD19 solves them on a graphics card without colours: see
// reproduce_race.c.
typedef struct race {
    size_t particles, links;
    double (*x)[3], (*v)[3], (*q)[3];
    struct race_link {
        uint32_t a, b;
        double rest;
    } * link;
    double (*written)[2][3]; // what the links of a wave write
} race;
// Takes particles and links of a world; false: out of memory.
bool race_open(race *s, const firn_world *world);
void race_close(race *s);
// One sweep over the links, `wave` of them at a time, in their order or the other way round.
void race_sweep(race *s, size_t wave, bool backwards);
double race_error(const race *s); // root mean square error of the links at q, m
void race_predict(race *s, double dt, double gravity);
void race_step(race *s, double dt, int iterations, size_t wave, bool backwards); // above a floor at y = 0
// How far distances between all particles are from those of a first shape: root of the mean square over that
// of the distances.
double shape_error(const double (*x)[3], const double (*first)[3], size_t count);

int pbd19_solvers(reproduction *r); // figures 1 and 17, convergence, colours
int reproduce_field11(reproduction *r);
int reproduce_mpm15(reproduction *r);
int reproduce_pbd19(reproduction *r);
int reproduce_phase21(reproduction *r);
int reproduce_wind12(reproduction *r);

#endif
