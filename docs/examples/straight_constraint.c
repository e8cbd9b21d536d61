/* A constraint that firn does not have: three particles in a row want to stay straight. Along a rope it makes
   a beam. After firn_register_constraint it may stand in pbd.constraints of a scene.

   cc straight_constraint.c $(pkg-config --cflags --libs firn) -lm && ./a.out */
#include <firn/firn.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* C = |a - 2 b + c| is zero on a straight line of equal parts. Its gradients add up to zero, so that the
   constraint pushes nothing away from where it is: momentum is conserved. */
static float straight(const float (*x)[3], const float *values, float (*gradient)[3]) {
    float bend[3], length = 0;
    (void)values;
    for (int a = 0; a < 3; a++) {
        bend[a] = x[0][a] - 2 * x[1][a] + x[2][a];
        length += bend[a] * bend[a];
    }
    length = sqrtf(length);
    for (int a = 0; a < 3; a++) {
        float along = length > 1e-9f ? bend[a] / length : 0; /* straight: nowhere to go */
        gradient[0][a] = along;
        gradient[1][a] = -2 * along;
        gradient[2][a] = along;
    }
    return length;
}

static const firn_constraint_class straight_constraint = {
    .name = "straight",
    .unit = "m",
    .help = "three particles stay on a line, the second in the middle",
    .particles = 3,
    .value = straight,
};

/* ---- does it work? */

static void need(bool good, const char *what) {
    if (good) return;
    fprintf(stderr, "straight: %s (%s)\n", what, firn_last_error());
    exit(1);
}

/* A rope of a metre, held at its first three particles. */
static const char rope[] =
    "firn: 1\n"
    "duration: 3 s\n"
    "pbd:\n"
    "  solver: %s\n"
    "  iterations: 40\n"
    "  substeps: 4\n"
    "  damping: 2\n"
    "  solids: {rope: {lattice: [21, 1, 1], spacing: 5 cm, links: neighbours, neighbours: 1}}\n"
    "  pins: {wall: {shape: {box: {size: [14 cm, 2 cm, 2 cm]}}, at: [%s, 0, 0]}}\n"
    "%s";
static const char beam[] =
    "  constraints:\n"
    "    beam:\n"
    "      kind: straight\n"
    "      particles: [{solid: rope, number: 0}, {solid: rope, number: 1}, {solid: rope, number: 2}]\n"
    "      repeat: 19\n";

static double height_of_the_end(const firn_world *world) {
    firn_field x = firn_world_field(world, "pbd.position");
    need(x.data != NULL && x.count == 21, "there is no rope");
    return ((const double(*)[3])x.data)[20][1];
}

static double drop(const char *solver, const char *more) {
    char scene[1200];
    firn_world *world;
    snprintf(scene, sizeof scene, rope, solver, "-0.45", more);
    need(firn_world_open_text(scene, "rope", &world) == FIRN_OK, "no world");
    double start = height_of_the_end(world);
    need(firn_world_advance(world, 2) == FIRN_OK, "it does not step");
    double fell = start - height_of_the_end(world);
    firn_world_close(world);
    return fell;
}

static void tells_mistakes(void) {
    char scene[1200];
    firn_world *world;
    snprintf(scene, sizeof scene, rope, "jacobi", "-0.45",
             "  constraints: {beam: {kind: strait, particles: [{solid: rope}]}}\n");
    need(firn_world_open_text(scene, "wrong", &world) == FIRN_BAD_INPUT, "an unknown kind is accepted");
    need(strstr(firn_last_error(), "did you mean 'straight'?") != NULL, "the word is not told");
    snprintf(scene, sizeof scene, rope, "jacobi", "-0.45",
             "  constraints: {beam: {kind: straight, particles: [{solid: rope}]}}\n");
    need(firn_world_open_text(scene, "wrong", &world) == FIRN_BAD_INPUT, "too few particles are accepted");
    need(strstr(firn_last_error(), "needs 3 particles, not 1") != NULL,
         "the number of particles is not checked");
    need(firn_register_constraint(&straight_constraint) == FIRN_BAD_INPUT, "it can be registered twice");
}

int main(void) {
    static const char *const solvers[] = {"gauss_seidel", "jacobi", "jacobi_particle"};
    need(firn_register_constraint(&straight_constraint) == FIRN_OK, "it cannot be registered");
    double hangs = drop("gauss_seidel", "");
    printf("a rope hangs %.2f m below where it was\n", hangs);
    need(hangs > 0.5, "the rope does not hang");
    for (int k = 0; k < 3; k++) {
        double bends = drop(solvers[k], beam);
        printf("as a beam its end falls by %.3f m (%s)\n", bends, solvers[k]);
        need(bends > -0.01 && bends < (k == 0 ? 0.1 : 0.5) * hangs, "the beam does not hold");
    }
    tells_mistakes();
    puts("straight works");
    return 0;
}
