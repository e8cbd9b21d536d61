// Gauss-Seidel without colours on a graphics card (PBD19 figure 17), done on one thread so that it can be
// repeated: links are taken in waves; all links of a wave read the positions from before it, then write
// theirs, one after the other, so that of several writes to a particle only the last is left. That is what
// threads do that run at the same time and write whole positions. A wave of one link is Gauss-Seidel in the
// order of the links.
#include "reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double number_at(const firn_field *f, size_t i) {
    return f->type == FIRN_F64 ? ((const double *)f->data)[i] : (double)((const float *)f->data)[i];
}

// As the thesis makes them (listing 19): by the first particle, then by the second.
static int by_particles(const void *first, const void *second) {
    const struct race_link *a = first, *b = second;
    if (a->a != b->a) return a->a < b->a ? -1 : 1;
    return (a->b > b->b) - (a->b < b->b);
}

double (*reproduce_points(const firn_world *world, const char *field, size_t *count))[3] {
    firn_field f = firn_world_field(world, field);
    double(*x)[3] = calloc(f.count + 1, sizeof *x);
    for (size_t i = 0; x && i < 3 * f.count; i++) x[i / 3][i % 3] = number_at(&f, i);
    *count = f.count;
    return x;
}

bool race_open(race *s, const firn_world *world) {
    firn_field links = firn_world_field(world, "pbd.links"), rest = firn_world_field(world, "pbd.link_rest");
    const uint32_t *pair = links.data;
    *s = (race){.links = links.count / 2};
    s->x = reproduce_points(world, "pbd.position", &s->particles);
    s->q = reproduce_points(world, "pbd.position", &s->particles);
    s->v = reproduce_points(world, "pbd.velocity", &s->particles);
    s->link = calloc(s->links + 1, sizeof *s->link);
    s->written = calloc(s->links + 1, sizeof *s->written);
    if (!s->x || !s->v || !s->q || !s->link || !s->written) return false;
    for (size_t k = 0; k < s->links; k++) {
        uint32_t a = pair[k], b = pair[s->links + k];
        s->link[k] = (struct race_link){a < b ? a : b, a < b ? b : a, number_at(&rest, k)};
    }
    qsort(s->link, s->links, sizeof *s->link, by_particles);
    return true;
}

void race_close(race *s) {
    free(s->x);
    free(s->v);
    free(s->q);
    free(s->link);
    free(s->written);
}

static double apart(const double *a, const double *b) {
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt(x * x + y * y + z * z);
}

// Where a link wants its particles; all masses are equal.
static void project(const race *s, const struct race_link *l, double (*out)[3]) {
    const double *a = s->q[l->a], *b = s->q[l->b];
    double length = apart(a, b), share = length > 0 ? 0.5 * (length - l->rest) / length : 0;
    for (int k = 0; k < 3; k++) {
        double by = share * (a[k] - b[k]);
        out[0][k] = a[k] - by;
        out[1][k] = b[k] + by;
    }
}

void race_sweep(race *s, size_t wave, bool backwards) {
    for (size_t from = 0; from < s->links; from += wave) {
        size_t to = from + wave < s->links ? from + wave : s->links;
        for (size_t k = from; k < to; k++)
            project(s, &s->link[backwards ? s->links - 1 - k : k], s->written[k - from]);
        for (size_t k = from; k < to; k++) {
            const struct race_link *l = &s->link[backwards ? s->links - 1 - k : k];
            memcpy(s->q[l->a], s->written[k - from][0], sizeof *s->q);
            memcpy(s->q[l->b], s->written[k - from][1], sizeof *s->q);
        }
    }
}

double race_error(const race *s) {
    double sum = 0;
    for (size_t k = 0; k < s->links; k++) {
        double error = apart(s->q[s->link[k].a], s->q[s->link[k].b]) - s->link[k].rest;
        sum += error * error;
    }
    return sqrt(sum / fmax(1, (double)s->links));
}

void race_predict(race *s, double dt, double gravity) {
    for (size_t i = 0; i < s->particles; i++) {
        s->v[i][1] -= dt * gravity;
        for (int k = 0; k < 3; k++) s->q[i][k] = s->x[i][k] + dt * s->v[i][k];
    }
}

void race_step(race *s, double dt, int iterations, size_t wave, bool backwards) {
    race_predict(s, dt, 9.81);
    for (int i = 0; i < iterations; i++) race_sweep(s, wave, backwards);
    for (size_t i = 0; i < s->particles; i++) {
        s->q[i][1] = fmax(s->q[i][1], 0); // the box of the thesis: positions are clipped
        for (int k = 0; k < 3; k++) {
            s->v[i][k] = (s->q[i][k] - s->x[i][k]) / dt;
            s->x[i][k] = s->q[i][k];
        }
    }
}

double shape_error(const double (*x)[3], const double (*first)[3], size_t count) {
    double sum = 0, all = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            double was = apart(first[i], first[j]), error = apart(x[i], x[j]) - was;
            sum += error * error;
            all += was * was;
        }
    return all > 0 ? sqrt(sum / all) : 0;
}
