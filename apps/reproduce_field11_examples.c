// Appendix A of FIELD11 and its figure 3.10: how a square overlap of 5 x 5 cells is handed on to its rim,
// computed by the method of the thesis, beside what the snow field does with the same box.
#include "reproduce_field11.h"

#include <math.h>
#include <stdio.h>

enum { N = 7 }; // cells along a side, with the rim
typedef double square[N][N];

// What snow costs on its way to the left, to the right, up and down: 1 / s (equation 3.19 with k = 4).
typedef struct costs {
    double left, right, up, down;
} costs;

// Equations A.2 to A.17: s = r / 4 + (1 - r) max(0, v^_xz . w^).
static double share(const double v[3], double x, double z, double *rest) {
    double level = v[0] * v[0] + v[2] * v[2], all = level + v[1] * v[1], along = 0;
    *rest = 1 - level / all;
    if (level > 0) along = fmax(0, (v[0] * x + v[2] * z) / sqrt(level));
    return *rest / 4 + (1 - *rest) * along;
}

static void lower(square d, int row, int column, int to_row, int to_column, double cost) {
    d[row][column] = fmin(d[row][column], d[to_row][to_column] + cost);
}

// Chamfer algorithm: two passes; the top row is the one that "up" leads to.
static void transform(const costs *c, square d) {
    for (int i = 0; i < N * N; i++) {
        int row = i / N, column = i % N;
        d[row][column] = row > 0 && row < N - 1 && column > 0 && column < N - 1 ? 1e9 : 0;
    }
    for (int i = 1; i < N - 1; i++) {
        for (int j = 1; j < N - 1; j++) {
            lower(d, i, j, i - 1, j - 1, hypot(c->up, c->left));
            lower(d, i, j, i - 1, j, c->up);
            lower(d, i, j, i - 1, j + 1, hypot(c->up, c->right));
            lower(d, i, j, i, j - 1, c->left);
        }
    }
    for (int i = N - 2; i > 0; i--) {
        for (int j = N - 2; j > 0; j--) {
            lower(d, i, j, i, j + 1, c->right);
            lower(d, i, j, i + 1, j - 1, hypot(c->down, c->left));
            lower(d, i, j, i + 1, j, c->down);
            lower(d, i, j, i + 1, j + 1, hypot(c->down, c->right));
        }
    }
}

// A.3: the farthest cells give what they have to all neighbours that are nearer, in equal parts; then the
// next.
static void hand_on(square d, bool diagonals, square snow) {
    static const int way[8][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    double before = 1e9;
    for (int i = 0; i < N * N; i++) snow[i / N][i % N] = d[i / N][i % N] > 0;
    for (;;) {
        double farthest = 0;
        for (int i = 0; i < N * N; i++) {
            double here = d[i / N][i % N];
            if (here < before - 1e-9) farthest = fmax(farthest, here);
        }
        if (!(farthest > 0)) return;
        for (int i = 0; i < N * N; i++) {
            int row = i / N, column = i % N, count = 0;
            if (fabs(d[row][column] - farthest) > 1e-9) continue;
            for (int pass = 0; pass < 2; pass++) {
                for (int k = 0; k < (diagonals ? 8 : 4); k++) {
                    int r = row + way[k][0], c = column + way[k][1];
                    if (!(d[r][c] < farthest - 1e-9)) continue;
                    if (pass == 0)
                        count++;
                    else
                        snow[r][c] += snow[row][column] / count;
                }
            }
            snow[row][column] = 0;
        }
        before = farthest;
    }
}

static void print_square(const reproduction *r, const char *title, square s) {
    fprintf(r->page, "%s:\n\n```\n", title);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) fprintf(r->page, "%6.2f", s[i][j]);
        fprintf(r->page, "\n");
    }
    fprintf(r->page, "```\n\n");
}

static double largest_difference(square a, const double b[N][N]) {
    double most = 0;
    for (int i = 0; i < N * N; i++) most = fmax(most, fabs(a[i / N][i % N] - b[i / N][i % N]));
    return most;
}

// Share of the snow that lies on the side that the body moves to; rows go up, n x n cells.
static double ahead(const double *snow, int n, const double v[3]) {
    double sum = 0, there = 0;
    for (int i = 0; i < n * n; i++) {
        int column = i % n - n / 2, row = n / 2 - i / n;
        sum += snow[i];
        if (column * v[0] + row * v[2] > 0) there += snow[i];
    }
    return sum > 0 ? there / sum : 0;
}

// The same overlap in the snow field: a box of 5 x 5 cells, in snow that cannot be pressed, comes into it and
// moves by less than half a cell. Where its snow went, as cells' worth of overlap.
enum { FIELD = 21 };
static int in_the_field(const double v[3], const char *spread, double slope, double out[FIELD * FIELD]) {
    char scene[900];
    firn_world *world;
    firn_snowfield f;
    float depth[FIELD * FIELD];
    snprintf(scene, sizeof scene,
             "firn: 1\nduration: 1 s\nfps: 100\nbodies:\n  box:\n    shape: {box: {size: [0.5, 0.5, 0.5]}}\n"
             "    motion:\n      - {time: 0, at: [%g, %g, %g]}\n      - {time: 1 s, at: [%g, %g, %g]}\n"
             "field: {width: 2.1 m, length: 2.1 m, cell: 10 cm, depth: 30 cm, density: 150, snow: fresh,\n"
             "        slope_loose: %g deg, slope_packed: %g deg, bits: {most: 0}, spread: %s}\n",
             -0.5 * v[0], 0.55 - 0.5 * v[1], -0.5 * v[2], 0.5 * v[0], 0.55 + 0.5 * v[1], 0.5 * v[2], slope,
             slope, spread);
    int code = say_status(firn_world_open_text(scene, "example", &world));
    if (code != EXIT_DONE) return code;
    firn_status status = firn_world_advance(world, 0.5); // it touches the snow
    if (status == FIRN_OK) status = firn_world_advance(world, 0.01);
    if (status == FIRN_OK) status = firn_world_snowfield(world, &f);
    if (status == FIRN_OK) {
        double sum = 0;
        firn_snowfield_read(&f, (firn_cells){0, 0, FIELD, FIELD}, NULL, depth, NULL);
        for (int i = 0; i < FIELD * FIELD; i++) { // up is +z
            double rise = fmax(0, (double)depth[i] - f.plain_depth);
            out[(FIELD - 1 - i / FIELD) * FIELD + i % FIELD] = rise;
            sum += rise;
        }
        for (int i = 0; i < FIELD * FIELD && sum > 0; i++) out[i] *= 25 / sum;
    }
    firn_world_close(world);
    return say_status(status);
}

static void middle_of(const double field[FIELD * FIELD], square out) {
    for (int i = 0; i < N * N; i++)
        out[i / N][i % N] = field[(i / N + (FIELD - N) / 2) * FIELD + i % N + (FIELD - N) / 2];
}

static const double example[3][3] = {{0, -1, 0}, {2, -1, 0}, {2, -1, 3}};

static costs costs_of(const double v[3], double s[4], double *rest) {
    s[0] = share(v, -1, 0, rest), s[1] = share(v, 1, 0, rest);
    s[2] = share(v, 0, 1, rest), s[3] = share(v, 0, -1, rest);
    return (costs){1 / s[0], 1 / s[1], 1 / s[2], 1 / s[3]};
}

static void factors(reproduction *r) {
    static const double printed[3][4] = {
        {0.25, 0.25, 0.25, 0.25}, {0.05, 0.77, 0.05, 0.05}, {0.018, 0.15, 0.76, 0.018}};
    static const char *const thesis[3] = {"A.2.2, v = (0, -1, 0): r = 1; left, right, up, down 0.25 each",
                                          "A.2.3, v = (2, -1, 0): r = 1/5; 0.05, 0.77, 0.05, 0.05",
                                          "A.2.4, v = (2, -1, 3): r = 1/14; 0.018, 0.15, 0.76, 0.018"};
    for (int e = 0; e < 3; e++) {
        double s[4], rest, off = 0;
        costs_of(example[e], s, &rest);
        for (int k = 0; k < 4; k++) off = fmax(off, fabs(s[k] - printed[e][k]));
        reproduce_statement(r, thesis[e], off < 0.04 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                            "by its own equations: r = %.4f; %.3f, %.3f, %.3f, %.3f%s", rest, s[0], s[1],
                            s[2], s[3], off < 0.04 ? "" : " (an error of the thesis)");
    }
}

static void transforms(reproduction *r) {
    static const double even[N][N] = {{0},
                                      {0, 4, 4, 4, 4, 4, 0},
                                      {0, 4, 8, 8, 8, 4, 0},
                                      {0, 4, 8, 12, 8, 4, 0},
                                      {0, 4, 8, 8, 8, 4, 0},
                                      {0, 4, 4, 4, 4, 4, 0}};
    static const double right[N][N] = {{0},
                                       {0, 6.5, 5.2, 3.9, 2.6, 1.3, 0},
                                       {0, 6.5, 5.2, 3.9, 2.6, 1.3, 0},
                                       {0, 6.5, 5.2, 3.9, 2.6, 1.3, 0},
                                       {0, 6.5, 5.2, 3.9, 2.6, 1.3, 0},
                                       {0, 6.5, 5.2, 3.9, 2.6, 1.3, 0}};
    static const double slanted[N][N] = {{0},
                                         {0, 1.3, 1.3, 1.3, 1.3, 1.3, 0},
                                         {0, 2.6, 2.6, 2.6, 2.6, 1.9, 0},
                                         {0, 3.9, 3.9, 3.9, 3.9, 1.9, 0},
                                         {0, 5.2, 5.2, 5.2, 3.9, 1.9, 0},
                                         {0, 6.6, 6.6, 5.8, 3.9, 1.9, 0}};
    const costs used[3] = {{4, 4, 4, 4}, {20, 1.3, 20, 20}, {56, 1.96, 1.3145, 56}};
    static const char *const thesis[3] = {"A.2.2: even distances, 4, 8, 12",
                                          "A.2.3: distances fall to the right, 6.5 to 1.3",
                                          "A.2.4: distances fall up and to the right, 6.6 to 1.3"};
    for (int e = 0; e < 3; e++) {
        square d;
        double s[4], rest;
        transform(&used[e], d);
        double off = largest_difference(d, e == 0 ? even : e == 1 ? right : slanted);
        costs exact = costs_of(example[e], s, &rest);
        square own;
        transform(&exact, own);
        reproduce_statement(
            r, thesis[e], off < 0.11 ? VERDICT_HOLDS : VERDICT_DIFFERS,
            "its method with its numbers%s gives these distances within %.2f; with its equations the "
            "largest is %.2f",
            e == 2 ? " (0.51 to the right, 0.76 up: not those of A.18 and A.19)" : "", off,
            fmax(own[N - 2][1], own[3][3]));
    }
}

int field11_examples(reproduction *r) {
    static const double four[N][N] = {{0, 1.0, 4.3, 2.9, 2.0, 1.0, 0}, {1.0, 0, 0, 0, 0, 0, 1.0},
                                      {0.9, 0, 0, 0, 0, 0, 1.0},       {0.8, 0, 0, 0, 0, 0, 1.9},
                                      {0.7, 0, 0, 0, 0, 0, 2.7},       {0.3, 0, 0, 0, 0, 0, 0.9},
                                      {0, 0.3, 0.3, 0.4, 0.7, 0.9, 0}};
    static const double eight[N][N] = {{0.4, 1.4, 2.4, 2.8, 2.1, 1.1, 0.3}, {0.8, 0, 0, 0, 0, 0, 0.7},
                                       {1.2, 0, 0, 0, 0, 0, 1.4},           {1.0, 0, 0, 0, 0, 0, 1.8},
                                       {0.7, 0, 0, 0, 0, 0, 1.9},           {0.4, 0, 0, 0, 0, 0, 1.1},
                                       {0.1, 0.3, 0.4, 0.6, 0.8, 0.7, 0.4}};
    const costs used = {56, 1.96, 1.3145, 56};
    square d, with_four, with_eight, near;
    double distance[FIELD * FIELD], contour[FIELD * FIELD];
    transform(&used, d);
    hand_on(d, false, with_four);
    hand_on(d, true, with_eight);
    int code = in_the_field(example[2], "distance", 88, distance);
    if (code == EXIT_DONE) code = in_the_field(example[2], "contour", 31, contour);
    if (code != EXIT_DONE) return code;
    reproduce_statements(r, "Appendix A and figure 3.10: worked examples",
                         "Its figure A.1 is a drawing whose numbers are not in the text.");
    factors(r);
    transforms(r);
    double off_four = largest_difference(with_four, four), off_eight = largest_difference(with_eight, eight);
    reproduce_statement(r, "A.3: after eight rounds the rim holds 4.3 above, 2.7 on the right at most",
                        off_four < 0.11 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "its method gives its table within %.2f", off_four);
    reproduce_statement(r, "figure 3.10: with eight neighbours 2.8 above, 1.9 on the right",
                        off_eight < 0.11 ? VERDICT_HOLDS : VERDICT_DIFFERS,
                        "its method gives its table within %.2f", off_eight);
    middle_of(distance, near);
    double off_field = largest_difference(near, eight), by_distance = ahead(distance, FIELD, example[2]),
           by_contour = ahead(contour, FIELD, example[2]);
    reproduce_statement(r, "the same in firn: a box, `spread: distance`, snow of 150 kg/m3",
                        off_field < 0.25 ? VERDICT_HOLDS : VERDICT_DIFFERS, "figure 3.10 within %.2f",
                        off_field);
    reproduce_statement(
        r, "3.8.2: by distances too little goes where the body moves to (v = (2, -1, 3))",
        by_contour > 1.1 * by_distance ? VERDICT_HOLDS : VERDICT_DIFFERS,
        "share on the side ahead: its method %.2f (four neighbours), %.2f (eight); firn by "
        "distances %.2f, by the contour %.2f (along a slanted face the heap slides to the end that lags "
        "behind)",
        ahead(&with_four[0][0], N, example[2]), ahead(&with_eight[0][0], N, example[2]), by_distance,
        by_contour);
    fprintf(r->page, "\n");
    print_square(r, "The rim after A.3, by the method of the thesis (of 25 cells)", with_four);
    print_square(r, "Figure 3.10 by its method", with_eight);
    print_square(r, "The same box in firn, `spread: distance`", near);
    return EXIT_DONE;
}
